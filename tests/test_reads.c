// also: late
// reads: what is read before a gradient is asked for changes no gradient, and no position; on the CPU and on INTERP.
//
// What a kernel computes again need not be what was read, to the last bit: sums are added in another order. So values
// that end in a maximum are read, or not, and then differentiated; the wanted gradient is that of the same operator on
// memory, times what the memory was computed from.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

// ** operators that choose among elements **

static tiny_tensor *sum_of(tiny_tensor *x) {
  const int64_t n = tiny_nelem_of(x);
  tiny_tensor *w = tiny_cos(tiny_arange(t, 1, (double)n + 1, 1, TINY_F32));
  return tiny_sum(tiny_mul(tiny_square(tiny_flatten(x, 0, -1)), w), TINY_ALL, 0);
}
static tiny_tensor *image_of(tiny_tensor *x) { return tiny_reshape(x, TINY_SHAPE(4, 16, 12)); }
static tiny_tensor *volume_of(tiny_tensor *x) { return tiny_reshape(x, TINY_SHAPE(2, 8, 8, 6)); }
static tiny_tensor *indices;
static tiny_pool_desc overlapping = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1}};
#define CHOICES(_) \
  _(amax, tiny_amax(x, 0, 0)) _(amax_rows, tiny_amax(x, 1, 1)) _(amax_all, tiny_amax(x, TINY_ALL, 0)) _(amin, tiny_amin(x, 0, 0)) \
  _(reduce_max, tiny_reduce(x, TINY_REDUCE_AMAX, TINY_SHAPE(0, 1), 0)) _(norm_inf, tiny_norm(x, HUGE_VAL, 0, 0)) _(norm_least, tiny_norm(x, -HUGE_VAL, 0, 0)) \
  _(max, tiny_max(x, 0, 0, &indices)) _(min, tiny_min(x, 1, 0, &indices)) \
  _(max_pool1d, tiny_max_pool1d(x, 3, 2, 1)) _(max_pool2d, tiny_max_pool2d(image_of(x), 2, 0, 0)) _(max_pool3d, tiny_max_pool3d(volume_of(x), 2, 2, 0)) \
  _(max_pool, tiny_max_pool(image_of(x), &overlapping, &indices)) _(max_adaptive, tiny_adaptive_max_pool(image_of(x), TINY_SHAPE(5, 5), &indices)) \
  _(max_of_relu, tiny_max_pool2d(tiny_relu(image_of(x)), 2, 0, 0)) _(max_of_abs, tiny_amax(tiny_abs(x), 0, 0)) \
  _(max_of_part, tiny_amax(tiny_shrink(x, TINY_SHAPE(3, 40, 1, 9)), 0, 0)) _(max_of_exp, tiny_amax(tiny_exp(x), 0, 0)) \
  _(cummax, tiny_cummax(x, 0, &indices)) _(cummin, tiny_cummin(x, 0, &indices)) _(cumprod, tiny_cumprod(tiny_shrink(x, TINY_SHAPE(0, 8, 0, 12)), 0)) \
  _(logcumsumexp, tiny_logcumsumexp(x, 0)) _(prod, tiny_prod(tiny_shrink(x, TINY_SHAPE(0, 6, 0, 12)), 0, 0)) \
  _(median, tiny_median(x, 0, 0, NULL)) _(kthvalue, tiny_kthvalue(x, 5, 0, 0, NULL)) _(topk, tiny_topk(x, 3, 0, 1, NULL)) _(sort, tiny_sort(x, 0, 1, NULL)) \
  _(mode, tiny_mode(x, 0, 0, NULL)) _(quantile, tiny_quantile(x, tiny_full(t, 0.3, TINY_F32, TINY_SHAPE()), 0, 0)) \
  _(maximum, tiny_maximum(x, tiny_mul(x, tiny_square(x)))) _(clamp, tiny_clamp(x, -0.5, 0.5)) _(where, tiny_where(tiny_lt(x, tiny_like(x, 0.25)), tiny_exp(x), tiny_square(x))) \
  _(logsumexp, tiny_logsumexp(x, 0, 0)) _(softmax, tiny_softmax(x, 0)) _(std, tiny_std(x, 0, 0, 1)) \
  _(scatter, tiny_scatter_reduce(tiny_zeros(t, TINY_F32, TINY_SHAPE(8, 12)), 0, tiny_reshape(tiny_remainder(tiny_arange(t, 0, 768, 1, TINY_I32), tiny_scalar(t, 8, TINY_I32)), TINY_SHAPE(64, 12)), x, TINY_REDUCE_AMAX, 0))
#define FUNCTION(name, expr) static tiny_tensor *f_##name(tiny_tensor *x) { return expr; }
CHOICES(FUNCTION)
typedef struct choice { const char *name; tiny_tensor *(*fn)(tiny_tensor *x); } choice;
#define ENTRY(name, expr) {#name, f_##name},
static const choice choices[] = { CHOICES(ENTRY) };

enum { N = 64, M = 12 };
// A tensor of normal numbers that shares no node with those made before: what was computed once would be found again.
static tiny_tensor *fresh(int seed, tiny_shape s) {
  static float v[1 << 14];
  const size_t nbytes = (size_t)tn_dims_nelem(s.ndim, s.dim) * 4;
  tiny_seed(t, (uint64_t)seed);
  CHECK_EQ(tiny_read(tiny_randn(t, s), v, nbytes), TINY_OK);
  return tiny_from(t, v, TINY_F32, s);
}
// Values whose recomputation differs: x less its mean, times the root of its variance, over everything.
static tiny_tensor *standard(tiny_tensor *x) {
  tiny_tensor *mean = tiny_mean(x, TINY_ALL, 0), *centred = tiny_sub(x, mean);
  return tiny_mul(centred, tiny_rsqrt(tiny_mean(tiny_square(centred), TINY_ALL, 0)));
}
static double error_of(const float *got, const float *want, int n) {
  double worst = 0, most = 1e-3;
  for (int i = 0; i < n; i++) most = fmax(most, fabs((double)want[i]));
  for (int i = 0; i < n; i++) { const double e = fabs((double)got[i] - (double)want[i]) / most; if (!(e <= worst)) worst = e; }
  return worst;
}
static void read_first(tiny_tensor *x) {
  static float v[N * M];
  CHECK_EQ(tiny_read(x, v, (size_t)tiny_nelem_of(x) * 4), TINY_OK);
}
static void check_choice(const choice *c, int seed) {
  float f[N * M], by_value[N * M], want[M], got[3][M];
  tiny_begin(t);
  tiny_tensor *x = fresh(seed, TINY_SHAPE(N, M)), *w = fresh(seed + 99, TINY_SHAPE(M)), *g;
  tiny_tensor *s = standard(x), *y = tiny_mul(s, w);
  float v[N * M], ws[M];
  CHECK_EQ(tiny_reference(y, v, sizeof v), TINY_OK);
  CHECK_EQ(tiny_read(w, ws, sizeof ws), TINY_OK);
  for (int i = 0; i < N * M; i++) f[i] = v[i] / ws[i % M];
  tiny_tensor *leaf = tiny_from(t, v, TINY_F32, TINY_SHAPE(N, M));
  CHECK_EQ(tiny_grad(sum_of(c->fn(leaf)), &leaf, 1, &g), TINY_OK);
  CHECK_EQ(tiny_read(g, by_value, sizeof by_value), TINY_OK);
  for (int j = 0; j < M; j++) { want[j] = 0; for (int i = 0; i < N; i++) want[j] += by_value[i * M + j] * f[i * M + j]; }
  for (int how = 0; how < 3 - (t->device[0]->name[0] == 'C'); how++) {   // not read; read before the gradient is built; after
    tiny_begin(t);
    x = fresh(seed, TINY_SHAPE(N, M)); w = fresh(seed + 99, TINY_SHAPE(M));
    tiny_tensor *again = tiny_mul(standard(x), w), *out = c->fn(again);
    if (how == 1) read_first(out);
    CHECK_EQ(tiny_grad(sum_of(out), &w, 1, &g), TINY_OK);
    if (how == 2) read_first(out);
    CHECK_EQ(tiny_read(g, got[how], sizeof got[how]), TINY_OK);
    const double e = error_of(got[how], want, M);
    if (!(e < 1e-3)) printf("%s on %s, seed %d, %s: off by %g\n", c->name, tiny_device_name(t, 0), seed, how == 0 ? "not read" : how == 1 ? "read before" : "read after", e);
    CHECK(e < 1e-3);
    tiny_end(t);
  }
  if (tiny_status(t) != TINY_OK) { printf("%s: %s\n", c->name, tiny_error(t)); CHECK(0); tiny_clear(t); }
  tiny_end(t);
}

// The maximum of two numbers, one of which it is: its gradient is one-hot.
static void check_one_hot(int seed) {
  float m, g[2], a[2];
  tiny_begin(t);
  tiny_tensor *x = fresh(seed, TINY_SHAPE(64, 100)), *v = fresh(seed + 99, TINY_SHAPE(2)), *grad;
  CHECK_EQ(tiny_read(v, a, sizeof a), TINY_OK);
  tiny_tensor *s = tiny_sum(tiny_log1p(tiny_square(x)), TINY_ALL, 0), *scaled = tiny_mul(s, tiny_scalar(t, 1e-3, TINY_F32));
  tiny_tensor *y = tiny_amax(tiny_add(v, tiny_square(scaled)), 0, 0);
  CHECK_EQ(tiny_read(y, &m, 4), TINY_OK);
  CHECK_EQ(tiny_grad(y, &v, 1, &grad), TINY_OK);
  CHECK_EQ(tiny_read(grad, g, sizeof g), TINY_OK);
  CHECK(g[0] == (a[0] > a[1]) && g[1] == (a[1] > a[0]));
  tiny_end(t);
}

// A block of a network whose pooled tensor is looked at.
static void block_gradient(int seed, int look, float *g) {
  static float v[4 * 8 * 7 * 7];
  tiny_batch_norm_state bn;
  memset(&bn, 0, sizeof bn);
  tiny_begin(t);
  tiny_tensor *x = fresh(seed, TINY_SHAPE(4, 3, 16, 16)), *w = fresh(seed + 99, TINY_SHAPE(8, 3, 3, 3)), *grad;
  tiny_tensor *y = tiny_max_pool2d(tiny_relu(tiny_batch_norm(tiny_conv2d(x, w, NULL, NULL), &bn, 1)), 2, 0, 0);
  if (look) CHECK_EQ(tiny_read(y, v, sizeof v), TINY_OK);
  if (look == 2) {                         // the reference: of the pooled windows' places, through memory alone
    tiny_tensor *pre = tiny_relu(tiny_batch_norm(tiny_conv2d(x, w, NULL, NULL), &bn, 1)), *by_pre, *leaf;
    static float p[4 * 8 * 14 * 14];
    CHECK_EQ(tiny_read(pre, p, sizeof p), TINY_OK);
    leaf = tiny_from(t, p, TINY_F32, TINY_SHAPE(4, 8, 14, 14));
    CHECK_EQ(tiny_grad(sum_of(tiny_max_pool2d(leaf, 2, 0, 0)), &leaf, 1, &by_pre), TINY_OK);
    CHECK_EQ(tiny_realize(&by_pre, 1), TINY_OK);
    CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(pre, tiny_detach(by_pre)), TINY_ALL, 0), &w, 1, &grad), TINY_OK);
  } else CHECK_EQ(tiny_grad(sum_of(y), &w, 1, &grad), TINY_OK);
  CHECK_EQ(tiny_read(grad, g, 216 * 4), TINY_OK);
  tiny_end(t);
}
static void check_block(int seed) {
  float got[3][216];
  for (int look = 0; look < 3; look++) block_gradient(seed, look, got[look]);
  for (int look = 0; look < 2; look++) {
    const double e = error_of(got[look], got[2], 216);
    if (!(e < 1e-3)) printf("block on %s, seed %d, look %d: off by %g\n", tiny_device_name(t, 0), seed, look, e);
    CHECK(e < 1e-3);
  }
}

// The position of a maximum whose value was read.
static void check_positions(int seed) {
  float m[M];
  int32_t at[2][M];
  tiny_begin(t);
  tiny_tensor *x = fresh(seed, TINY_SHAPE(N, M)), *i;
  static float v[N * M], p[4 * 8 * 6];
  int32_t places[2][4 * 8 * 6];
  CHECK_EQ(tiny_read(tiny_amax(standard(x), 0, 0), m, sizeof m), TINY_OK);
  CHECK_EQ(tiny_read(tiny_argmax(standard(x), 0, 0), at[0], sizeof at[0]), TINY_OK);
  CHECK_EQ(tiny_read(x, v, sizeof v), TINY_OK);
  for (int j = 0; j < M; j++) { at[1][j] = 0; for (int k = 1; k < N; k++) if (v[k * M + j] > v[at[1][j] * M + j]) at[1][j] = k; }
  CHECK(!memcmp(at[0], at[1], sizeof at[0]));
  CHECK_EQ(tiny_read(tiny_max_pool2d(image_of(standard(x)), 2, 0, 0), p, sizeof p), TINY_OK);
  tiny_pool_desc two = {.kernel = {2, 2}};
  for (int k = 0; k < 2; k++) {
    tiny_max_pool(image_of(k ? x : standard(x)), &two, &i);
    CHECK_EQ(tiny_read(i, places[k], sizeof places[k]), TINY_OK);
  }
  CHECK(!memcmp(places[0], places[1], sizeof places[0]));
  tiny_end(t);
}

// ** memory of its own: what a handle that was read knows of where it came from **

static float by(tiny_tensor *loss, tiny_tensor *x) {
  float v[4] = {0};
  tiny_tensor *g;
  CHECK_EQ(tiny_grad(loss, &x, 1, &g), TINY_OK);
  CHECK_EQ(tiny_read(g, v, sizeof v), TINY_OK);
  return v[1];
}
static tiny_tensor *squares(tiny_tensor *x) { return tiny_sum(tiny_square(x), TINY_ALL, 0); }
static void check_memory(void) {
  float v[4] = {1, 2, 3, 4}, w[4] = {5, 6, 7, 8};
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), *y, *z, *loss;
  for (int look = 0; look < 3; look++) {   // 1: at the copy before the loss is built, 2: at both after it
    tiny_begin(t);
    y = tiny_clone(tiny_square(x));        // through a copy, by a copy, through a view of one
    z = tiny_flip(tiny_reshape(y, TINY_SHAPE(2, 2)), TINY_SHAPE(0));
    if (look == 1) CHECK_EQ(tiny_read(y, w, sizeof w), TINY_OK);
    loss = tiny_add(squares(y), squares(z));
    if (look == 2) { CHECK_EQ(tiny_read(y, w, sizeof w), TINY_OK); CHECK(tiny_item(loss) == 2 * (1 + 16 + 81 + 256)); }
    CHECK(by(loss, x) == 2 * 4 * 8);
    CHECK(by(loss, y) == 2 * 2 * 4);
    tiny_end(t);

    tiny_begin(t);                         // what was assigned to a tensor that had no value yet
    y = tiny_zeros(t, TINY_F32, TINY_SHAPE(4));
    tiny_assign(y, tiny_square(x));
    if (look == 1) CHECK_EQ(tiny_read(y, w, sizeof w), TINY_OK);
    loss = squares(y);
    if (look == 2) CHECK(tiny_item(loss) == 1 + 16 + 81 + 256);
    CHECK(by(loss, x) == 4 * 8);
    CHECK(by(loss, y) == 2 * 4);
    tiny_end(t);

    tiny_begin(t);                         // by a parameter that was overwritten, in all and in part, and built upon
    float data[4] = {9, 9, 9, 9};
    y = tiny_from(t, data, TINY_F32, TINY_SHAPE(2, 2));
    tiny_assign(y, tiny_reshape(tiny_square(x), TINY_SHAPE(2, 2)));
    if (look == 1) CHECK_EQ(tiny_read(y, w, sizeof w), TINY_OK);
    z = tiny_shrink(y, TINY_SHAPE(0, 1, 0, 2));
    tiny_assign(z, tiny_like(z, 3));
    loss = squares(y);
    if (look == 2) CHECK(tiny_item(loss) == 9 + 9 + 81 + 256);
    loss = tiny_add(loss, squares(y));     // a part that was built before the look and one after
    CHECK(by(loss, y) == 2 * 2 * 3);
    tiny_end(t);

    tiny_begin(t);                         // written: data, which nothing flows through
    y = tiny_square(x);
    if (look == 1) CHECK_EQ(tiny_read(y, w, sizeof w), TINY_OK);
    CHECK_EQ(tiny_write(y, v, sizeof v), TINY_OK);
    loss = squares(y);
    if (look == 2) CHECK(tiny_item(loss) == 1 + 4 + 9 + 16);
    CHECK(by(loss, x) == 0);
    CHECK(by(loss, y) == 2 * 2);
    tiny_end(t);

    tiny_begin(t);                         // stored, and memory of the caller's
    y = tiny_contiguous(tiny_square(x));
    z = tiny_blob(t, v, TINY_F32, TINY_SHAPE(4), NULL);
    if (look == 1) CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
    loss = squares(tiny_mul(y, z));
    if (look == 2) CHECK(tiny_item(loss) == 1 + 64 + 729 + 4096);
    CHECK(by(loss, x) == 2 * 8 * 2 * 4);
    CHECK(by(loss, z) == 2 * 8 * 4);
    tiny_end(t);
  }
  if (tiny_status(t) != TINY_OK) { printf("%s\n", tiny_error(t)); CHECK(0); tiny_clear(t); }
}

// Rows that were scaled down where they lie: the gradient is that by the rows as they then are, whatever was read.
static void check_max_norm(void) {
  static const int32_t id[4] = {0, 2, 2, 4};
  static const float weight[4] = {1, -2, 3, -5};
  float table[10], y[8], g[10], want[10] = {0};
  for (int look = 0; look < 4; look++) {
    tiny_begin(t);
    for (int i = 0; i < 10; i++) table[i] = (float)(i % 4) - 1.5f;
    tiny_tensor *w = tiny_from(t, table, TINY_F32, TINY_SHAPE(5, 2)), *ids = tiny_from(t, id, TINY_I32, TINY_SHAPE(4)), *grad;
    tiny_tensor *rows = tiny_embedding_max_norm(ids, w, -1, 0.75, 2);
    if (look == 1) CHECK_EQ(tiny_read(rows, y, sizeof y), TINY_OK);
    if (look == 2) CHECK_EQ(tiny_read(w, table, sizeof table), TINY_OK);
    tiny_tensor *c = tiny_unsqueeze(tiny_from(t, weight, TINY_F32, TINY_SHAPE(4)), 1);
    CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(tiny_square(rows), c), TINY_ALL, 0), &w, 1, &grad), TINY_OK);
    if (look == 3) CHECK_EQ(tiny_read(rows, y, sizeof y), TINY_OK);
    CHECK_EQ(tiny_read(grad, g, sizeof g), TINY_OK);
    CHECK_EQ(tiny_read(rows, y, sizeof y), TINY_OK);
    memset(want, 0, sizeof want);
    for (int i = 0; i < 8; i++) want[2 * id[i / 2] + i % 2] += 2 * weight[i / 2] * y[i];
    for (int i = 0; i < 10; i++) CHECK(fabsf(g[i] - want[i]) < 1e-5f);
    for (int i = 0; i < 4; i++) CHECK(hypot(y[2 * i], y[2 * i + 1]) < 0.75001);
    tiny_end(t);
  }
}
// ** gradients that are asked for after what their loss was built from was overwritten **

enum { ASSIGNED, RUN, FRAMED, PART, COMPUTED, TWICE, WRITTEN, WAYS };
static tiny_tensor *loss_of(int op, tiny_tensor *x, tiny_tensor *w) {
  tiny_tensor *y = op == 1 ? tiny_matmul(x, w) : tiny_mul(x, w);
  if (op == 2) y = tiny_tanh(y);
  if (op == 3) y = tiny_amax(y, 0, 0);
  if (op == 4) y = tiny_mul(tiny_exp(x), w);
  return tiny_sum(tiny_square(y), TINY_ALL, 0);
}
static void overwrite(int way, tiny_tensor *x) {
  float v[4] = {9, -8, 7, -6};
  tiny_tensor *value = tiny_from(t, v, TINY_F32, TINY_SHAPE(2, 2));
  if (way == WRITTEN) { CHECK_EQ(tiny_write(x, v, sizeof v), TINY_OK); return; }
  if (way == FRAMED) tiny_begin(t);
  if (way == PART) tiny_assign(tiny_shrink(x, TINY_SHAPE(0, 1, 0, 2)), tiny_shrink(value, TINY_SHAPE(0, 1, 0, 2)));
  else tiny_assign(x, value);
  if (way == FRAMED) CHECK_EQ(tiny_end(t), TINY_OK);
  else if (way != ASSIGNED) CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  if (way == TWICE) { tiny_assign(x, tiny_square(value)); CHECK_EQ(tiny_realize(&x, 1), TINY_OK); }
}
// The gradient by w of a loss that reads x and w; x was overwritten before it is asked for, or after.
static tiny_code gradient_by(int op, int way, int look, int late, float *out) {
  const float v[4] = {1, 2, 3, 4}, u[4] = {0.5f, -0.25f, 0.125f, 0.75f};
  tiny_begin(t);
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(2, 2)), *w = tiny_from(t, u, TINY_F32, TINY_SHAPE(2, 2)), *g = NULL;
  if (way == COMPUTED) { x = tiny_add(x, tiny_like(x, 0.5)); CHECK_EQ(tiny_realize(&x, 1), TINY_OK); }
  tiny_tensor *loss = loss_of(op, x, w);
  if (look) CHECK(!isnan(tiny_item(loss)));
  if (late) overwrite(way, x);
  CHECK_EQ(tiny_grad(loss, &w, 1, &g), TINY_OK);
  if (!late) overwrite(way, x);
  const tiny_code code = tiny_read(g, out, 4 * sizeof *out);
  tiny_end(t);
  return code;
}
static void check_overwritten(void) {
  for (int i = 0; i < 5 * WAYS * 2; i++) {
    float got[4] = {0}, want[4] = {0};
    const int op = i % 5, way = i / 5 % WAYS, look = i / 5 / WAYS;
    CHECK_EQ(gradient_by(op, way, look, 0, want), TINY_OK);
    CHECK_STR(tiny_error(t), "");
    const tiny_code code = gradient_by(op, way, look, 1, got);
    if (way == ASSIGNED || way == WRITTEN) CHECK_EQ(code, TINY_OK);
    if (code == TINY_OK) CHECK(error_of(got, want, 4) < 1e-5);     // the old contents, or none
    else CHECK_EQ(code, TINY_E_STATE);
    tiny_clear(t);
  }
}
// What was computed from contents that are gone has its value, and no definition any more.
static void check_reference(void) {
  float v[4] = {1, 2, 3, 4}, two[4] = {2, 2, 2, 2}, got[4] = {0};
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), *y = tiny_square(x);
  CHECK(tiny_read(y, got, sizeof got) == TINY_OK && tiny_reference(y, got, sizeof got) == TINY_OK && got[3] == 16);
  tiny_assign(x, tiny_from(t, two, TINY_F32, TINY_SHAPE(4)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_reference(y, got, sizeof got), TINY_E_STATE);
  CHECK(strstr(tiny_error(t), "overwritten since") != NULL);
  tiny_clear(t);
  CHECK(tiny_read(y, got, sizeof got) == TINY_OK && got[3] == 16);
}
// An assignment that is pending keeps what its value reads, though its tensor was freed.
static void check_pending(void) {
  float v[4] = {1, 2, 3, 4}, got[2] = {0};
  tiny_begin(t);
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), *y = tiny_from(t, v, TINY_F32, TINY_SHAPE(4));
  tiny_tensor *part = tiny_shrink(y, TINY_SHAPE(0, 2));
  tiny_assign(part, tiny_shrink(x, TINY_SHAPE(2, 4)));
  tiny_tensor *again = tiny_shrink(y, TINY_SHAPE(0, 2));
  tiny_free(part);
  tiny_free(y);
  tiny_assign(x, tiny_like(x, 7));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_read(again, got, sizeof got), TINY_OK);
  CHECK(got[0] == 3 && got[1] == 4);
  tiny_free(again);
  tiny_tensor *z = tiny_from(t, v, TINY_F32, TINY_SHAPE(4));
  tiny_assign(z, tiny_square(x));
  tiny_free(z);
  tiny_assign(x, tiny_like(x, 8));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK_STR(tiny_error(t), "");
}

int main(void) {
  static const char *const device[2] = {"CPU", "INTERP"};
  for (int d = 0; d < 2; d++) {
    t = tiny_open(&(tiny_desc){.device = device[d]});
    check_memory();
    check_max_norm();
    check_overwritten();
    check_reference();
    check_pending();
    const int seed = 1;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i += d ? 1 : 4) check_choice(&choices[i], seed);   // compilers are slow
    for (int seed = 1; seed < (d ? 5 : 3); seed++) { check_one_hot(seed); check_block(seed); check_positions(seed); }
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  return test_report();
}
