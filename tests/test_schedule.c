// also: golden
// test_schedule: what becomes one kernel, what it costs, in which order updates run, what is replayed, and what memory is used.
#include "../src/all.c"
#include "test.h"
#include "golden.h"

static tiny_ctx *open_device(const char *device) { return golden_open(device, NULL, ""); }

// ** how many kernels, how much work **

static tiny_tensor *given(tiny_ctx *t, tiny_shape s) {       // memory that holds something
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *data = (float *)calloc((size_t)n + 1, sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (float)(i % 7) * 0.25f - 0.5f;
  tiny_tensor *x = tiny_from(t, data, TINY_F32, s);
  free(data);
  return x;
}
static tiny_tensor *given_ints(tiny_ctx *t, int64_t n, int most) {
  int32_t *data = (int32_t *)calloc((size_t)n, sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (int32_t)(i * 7919 % most);
  tiny_tensor *x = tiny_from(t, data, TINY_I32, TINY_SHAPE(n));
  free(data);
  return x;
}
static tiny_stats spent(tiny_tensor *x) {  // by the realization of x
  tiny_ctx *t = tiny_ctx_of(x);
  const tiny_stats before = tiny_stats_of(t);
  const tiny_code code = tiny_realize(&x, 1);
  tiny_stats s = tiny_stats_of(t);
  if (code != TINY_OK) fprintf(stderr, "%s\n", tiny_error(t));
  CHECK_EQ(code, TINY_OK);
  s.kernels -= before.kernels; s.flops -= before.flops;
  return s;
}
#define KERNELS(n, x) CHECK_EQ(spent(x).kernels, n)

static void test_kernels(void) {
  tiny_ctx *t = open_device("NULL");
  tiny_tensor *x = given(t, TINY_SHAPE(64, 100)), *w = given(t, TINY_SHAPE(100, 32)), *b = given(t, TINY_SHAPE(32)), *image = given(t, TINY_SHAPE(4, 3, 12, 12));
  tiny_tensor *filter = given(t, TINY_SHAPE(8, 3, 3, 3)), *bias = given(t, TINY_SHAPE(8)), *index = given_ints(t, 50, 64), *scale = given(t, TINY_SHAPE(100));
  KERNELS(1, tiny_softmax(x, -1));
  KERNELS(1, tiny_log_softmax(x, -1));
  KERNELS(1, tiny_layer_norm(x, 1, scale, scale, 1e-5));
  KERNELS(1, tiny_relu(tiny_add(tiny_matmul(x, w), b)));
  KERNELS(1, tiny_gelu(tiny_linear(x, tiny_transpose(w, 0, 1), b)));
  KERNELS(1, tiny_relu(tiny_conv2d(image, filter, bias, NULL)));
  KERNELS(1, tiny_max_pool2d(tiny_relu(image), 2, 0, 0));
  KERNELS(1, tiny_index_select(x, 0, index));
  KERNELS(1, tiny_index_select(x, 0, tiny_remainder(tiny_add(index, tiny_like(index, 7)), tiny_like(index, 64))));  // the index is not stored
  tiny_tensor *many = given(t, TINY_SHAPE(8, 50));
  for (int i = 0; i < 8; i++)              // positions are no memory, however many kernels want them
    many = tiny_contiguous(tiny_add(many, tiny_gather(given(t, TINY_SHAPE(8, 50)), 1, tiny_reshape(given_ints(t, 400, 50), TINY_SHAPE(8, 50)))));
  KERNELS(8, many);
  KERNELS(1, tiny_cat((tiny_tensor *[]){x, tiny_neg(x), tiny_square(x)}, 3, 0));
  KERNELS(1, tiny_mul(tiny_rand(t, TINY_SHAPE(1000)), tiny_arange(t, 0, 1000, 1, TINY_F32)));
  KERNELS(1, tiny_sum(tiny_mul(x, x), TINY_ALL, 0));
  KERNELS(0, tiny_reshape(x, TINY_SHAPE(6400)));
  KERNELS(2, tiny_matmul(tiny_matmul(x, w), given(t, TINY_SHAPE(32, 16))));
  tiny_tensor *rows = given(t, TINY_SHAPE(4, 64, 192, 1)), *columns = given(t, TINY_SHAPE(4, 64, 1, 160));   // rows across the sums
  KERNELS(2, tiny_sum(tiny_mul(rows, columns), TINY_AXES(0, 1), 0));
  CHECK(spent(tiny_softmax(tiny_transpose(x, 0, 1), 0)).kernels <= 2);
  CHECK(spent(tiny_cross_entropy(x, given_ints(t, 64, 100), NULL)).kernels <= 3);
  tiny_tensor *q = given(t, TINY_SHAPE(2, 32, 16)), *k = given(t, TINY_SHAPE(2, 32, 16)), *v = given(t, TINY_SHAPE(2, 32, 16));
  CHECK(spent(tiny_matmul(tiny_softmax(tiny_matmul(q, tiny_transpose(k, 1, 2)), -1), v)).kernels <= 3);
  CHECK_EQ(spent(tiny_sum(given(t, TINY_SHAPE(1 << 22)), TINY_ALL, 0)).kernels, 2);       // the parts run in parallel
  CHECK_EQ(spent(tiny_sum(given(t, TINY_SHAPE(1 << 14, 64)), 0, 0)).kernels, 2);        // few columns, too
  CHECK_EQ(spent(tiny_sum(given(t, TINY_SHAPE(1 << 14, 2048)), 0, 0)).kernels, 1);      // many are shared as they are
  CHECK_EQ(spent(tiny_sum(given(t, TINY_SHAPE(2048, 1 << 14)), 1, 0)).kernels, 1);
  tiny_close(t);
}

// Lookups and positions are made of sums over one-hots; algebra makes them loads. NULL counts the work and does none.
static void test_linear(void) {
  tiny_ctx *t = open_device("NULL");
  const double n = 4096;
  tiny_tensor *x = given(t, TINY_SHAPE(4096, 64)), *index = given_ints(t, 4096, 4096), *hot = tiny_cast(tiny_one_hot(index, 4096), TINY_F32);
  CHECK((double)spent(tiny_arange(t, 0, 1e6, 1, TINY_F32)).flops <= 4e6);
  CHECK((double)spent(tiny_matmul(hot, x)).flops <= 8 * n * 64);
  CHECK((double)spent(tiny_index_select(x, 0, index)).flops <= 8 * n * 64);
  CHECK((double)spent(tiny_gather(tiny_reshape(x, TINY_SHAPE(64, 4096)), 1, tiny_reshape(index, TINY_SHAPE(1, 4096)))).flops <= 8 * n * 64);
  tiny_tensor *turned = tiny_bitwise_xor(tiny_arange(t, 0, 4096, 1, TINY_I32), tiny_scalar(t, 5, TINY_I32));   // the position on the right of NE
  CHECK((double)spent(tiny_index_select(x, 0, turned)).flops <= 12 * n * 64);
  CHECK((double)spent(tiny_sum(tiny_mul(tiny_eye(t, 4096, TINY_F32), tiny_rand(t, TINY_SHAPE(4096))), 1, 0)).flops <= 100 * n);
  CHECK((double)spent(tiny_cumsum(given(t, TINY_SHAPE(100000)), 0)).flops <= 100 * 1e5);
  CHECK((double)spent(tiny_cross_entropy(given(t, TINY_SHAPE(512, 1000)), given_ints(t, 512, 1000), NULL)).flops <= 60.0 * 512 * 1000);
  tiny_close(t);
}

// A loop that runs long says so in its text, a short one does not.
static void test_long_loops(void) {
  for (int64_t n = 8; n <= 1000; n += 992) {
    golden log = {NULL, 0, 0};
    tiny_ctx *t = golden_open("NULL", &log, "c");
    spent(tiny_cumsum(given(t, TINY_SHAPE(n)), 0));
    CHECK_EQ(strstr(log.text, "; GOES_ON(r") != NULL, n > 8);
    tiny_close(t);
    golden_free(&log);
  }
}

// ** three equal layers are compiled once **

static void test_same_kernels(void) {
  tiny_ctx *t = open_device("NULL");
  tiny_tensor *x = given(t, TINY_SHAPE(8, 64)), *w[6], *b[6];
  for (int i = 0; i < 6; i++) { w[i] = given(t, TINY_SHAPE(64, 64)); b[i] = given(t, TINY_SHAPE(64)); }
  tiny_tensor *y = x, *z = x;
  for (int i = 0; i < 3; i++) y = tiny_relu(tiny_linear(y, w[i], b[i]));
  const tiny_stats s = spent(y);
  CHECK_EQ(s.kernels, 3);
  CHECK_EQ(s.compiled, 1);
  for (int i = 0; i < 6; i++) z = tiny_relu(tiny_linear(z, w[i], b[i]));   // another graph of the same kernels
  CHECK_EQ(spent(z).compiled, 1);
  tiny_close(t);
}

// ** updates in place **

static int holds(tiny_tensor *x, int n, const float *want) {
  float got[16];
  const tiny_code code = tiny_read(x, got, (size_t)n * sizeof *got);
  int same = code == TINY_OK;
  for (int i = 0; i < n && same; i++) same = got[i] == want[i];
  if (!same) { fprintf(stderr, "  %s; got", tiny_error(tiny_ctx_of(x))); for (int i = 0; i < n; i++) fprintf(stderr, " %g", got[i]); fprintf(stderr, "\n"); }
  return same;
}
#define HOLDS(x, ...) do { const float want_[] = {__VA_ARGS__}; CHECK(holds(x, (int)(sizeof want_ / sizeof *want_), want_)); } while (0)
static tiny_tensor *of4(tiny_ctx *t, float a, float b, float c, float d) { const float v[4] = {a, b, c, d}; return tiny_from(t, v, TINY_F32, TINY_SHAPE(4)); }
static tiny_tensor *plus(tiny_tensor *x, double k) { return tiny_add(x, tiny_like(x, k)); }

static void test_updates(const char *device) {
  tiny_ctx *t = open_device(device);
  tiny_tensor *w = of4(t, 1, 2, 3, 4), *g = of4(t, 1, 1, 2, 2);
  tiny_assign(w, tiny_sub(w, g));
  HOLDS(w, 0, 1, 1, 2);
  // what was built before keeps the old values, whatever is read first
  for (int first = 0; first < 2; first++) {
    tiny_tensor *x = of4(t, 1, 2, 3, 4), *old = plus(x, 10);
    tiny_assign(x, tiny_mul(x, x));
    if (first) HOLDS(x, 1, 4, 9, 16);
    HOLDS(old, 11, 12, 13, 14);
    HOLDS(x, 1, 4, 9, 16);
  }
  {                                        // the same, with the reader built long before, from the frame's old state
    tiny_tensor *x = of4(t, 1, 2, 3, 4), *old = tiny_sum(x, 0, 0), *flipped = tiny_flip(x, TINY_SHAPE(0));
    tiny_begin(t);
    tiny_assign(x, plus(x, 1));
    CHECK_EQ(tiny_end(t), TINY_OK);
    HOLDS(old, 10);
    HOLDS(flipped, 4, 3, 2, 1);
    HOLDS(x, 2, 3, 4, 5);
  }
  {                                        // chains, and a value that needs the tensor before and after
    tiny_tensor *x = of4(t, 1, 2, 3, 4), *old = plus(x, 0.5);
    for (int i = 0; i < 5; i++) tiny_assign(x, tiny_add(x, x));
    tiny_tensor *change = tiny_sub(x, old);
    HOLDS(change, 30.5f, 61.5f, 92.5f, 123.5f);
    HOLDS(x, 32, 64, 96, 128);
  }
  {
    tiny_tensor *x = of4(t, 1, 2, 3, 4), *before = x;
    tiny_tensor *kept = tiny_mul(before, tiny_like(x, 1));
    tiny_assign(x, plus(x, 1));
    tiny_tensor *both = tiny_add(tiny_mul(kept, tiny_flip(x, TINY_SHAPE(0))), tiny_flip(kept, TINY_SHAPE(0)));
    HOLDS(both, 9, 11, 11, 9);
  }
  {                                        // every element is read where another is written
    tiny_tensor *x = of4(t, 1, 2, 3, 4);
    tiny_assign(x, tiny_flip(x, TINY_SHAPE(0)));
    HOLDS(x, 4, 3, 2, 1);
    tiny_assign(x, tiny_sub(x, tiny_sum(x, 0, 1)));
    HOLDS(x, -6, -7, -8, -9);
    tiny_assign(tiny_flip(x, TINY_SHAPE(0)), x);
    HOLDS(x, -9, -8, -7, -6);
    tiny_assign(x, tiny_cumsum(x, 0));
    HOLDS(x, -9, -17, -24, -30);
  }
  {                                        // two buffers change places
    tiny_tensor *x = of4(t, 1, 2, 3, 4), *y = of4(t, 5, 6, 7, 8), *a = plus(x, 0), *b = plus(y, 0);
    tiny_assign(x, b);
    tiny_assign(y, a);
    tiny_tensor *both[2] = {x, y};
    CHECK_EQ(tiny_realize(both, 2), TINY_OK);
    HOLDS(x, 5, 6, 7, 8);
    HOLDS(y, 1, 2, 3, 4);
    tiny_tensor *sum = tiny_add(x, y);     // and again, from the memory itself
    tiny_assign(x, tiny_sub(sum, x));
    tiny_assign(y, tiny_sub(sum, y));
    HOLDS(y, 5, 6, 7, 8);
    HOLDS(x, 1, 2, 3, 4);
  }
  {                                        // through views
    tiny_tensor *x = of4(t, 1, 2, 3, 4), *m = tiny_reshape(x, TINY_SHAPE(2, 2)), *column = tiny_shrink(tiny_permute(m, TINY_SHAPE(1, 0)), TINY_SHAPE(0, 1, 0, 2));
    tiny_assign(column, tiny_mul(column, tiny_like(column, 10)));
    HOLDS(x, 10, 2, 30, 4);
    tiny_assign(tiny_slice(x, 0, 1, 4, 2), tiny_slice(x, 0, 0, 4, 2));
    HOLDS(x, 10, 10, 30, 30);
    tiny_assign(tiny_shrink(x, TINY_SHAPE(1, 4)), tiny_shrink(x, TINY_SHAPE(0, 3)));   // parts that overlap
    HOLDS(x, 10, 10, 10, 30);
  }
  {                                        // running statistics, read in the same step
    tiny_tensor *mean = of4(t, 0, 0, 0, 0), *x = of4(t, 4, 8, 12, 16);
    for (int i = 0; i < 2; i++) {
      tiny_begin(t);
      tiny_tensor *y = tiny_keep(tiny_sub(x, mean));
      tiny_assign(mean, tiny_add(tiny_mul(mean, tiny_like(mean, 0.5)), tiny_mul(x, tiny_like(x, 0.5))));
      CHECK_EQ(tiny_end(t), TINY_OK);
      if (i) HOLDS(y, 2, 4, 6, 8); else HOLDS(y, 4, 8, 12, 16);
      tiny_free(y);
    }
    HOLDS(mean, 3, 6, 9, 12);
  }
  {                                        // batch_norm does the same by itself
    tiny_tensor *x = tiny_reshape(of4(t, 1, 3, 5, 7), TINY_SHAPE(2, 2)), *zero = tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), *one = tiny_ones(t, TINY_F32, TINY_SHAPE(2));
    tiny_batch_norm_state s;
    memset(&s, 0, sizeof s);
    s.mean = zero; s.var = one; s.momentum = 0.5;
    tiny_tensor *y = tiny_batch_norm(x, &s, 1);
    HOLDS(s.mean, 1.5f, 2.5f);
    HOLDS(s.var, 4.5f, 4.5f);              // half of 1 and half of 8, the unbiased variance
    HOLDS(tiny_round(y), -1, -1, 1, 1);
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// ** a step that is built again is replayed **

// What a program stores and gives in another shape is not copied; what it gives in both shapes has two memories, of
// which one may be updated.
static void test_reshaped(const char *device) {
  tiny_desc d;
  float out[12];
  memset(&d, 0, sizeof d);
  d.device = device;
  for (int both = 0; both < 2; both++) {
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = tiny_arange(t, 0, 12, 1, TINY_F32), *got[2];
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    tiny_tensor *a = tiny_contiguous(tiny_add(x, x));
    tiny_tensor *y[2] = {tiny_reshape(tiny_reshape(a, TINY_SHAPE(3, 4)), TINY_SHAPE(6, 2)), a};
    tiny_program *p = tiny_capture(t, &x, 1, y, 1 + both);
    const uint64_t before = tiny_stats_of(t).kernels;
    CHECK_EQ(tiny_run(p, &x, got), TINY_OK);
    CHECK_EQ(tiny_stats_of(t).kernels - before, (uint64_t)(1 + both));
    CHECK_EQ(tn_uop_of(got[0])->ndim, 2);
    for (int k = both; k >= 0; k--) {
      CHECK_EQ(tiny_read(got[k], out, sizeof out), TINY_OK);
      for (int i = 0; i < 12; i++) CHECK(out[i] == 2.0f * (float)i);
      if (k) tiny_assign(got[k], tiny_like(got[k], 7));
      if (k) CHECK_EQ(tiny_realize(&got[k], 1), TINY_OK);
    }
    tiny_program_free(p);
    tiny_close(t);
  }
}

static void test_replay(const char *device) {
  tiny_ctx *t = open_device(device);
  tiny_tensor *w = of4(t, 1, 2, 3, 4), *x = given(t, TINY_SHAPE(8, 4));
  tiny_stats first = tiny_stats_of(t), s;
  for (int step = 0; step < 20; step++) {
    tiny_begin(t);
    tiny_tensor *loss = tiny_mean(tiny_square(tiny_sub(tiny_matmul(x, w), tiny_scalar(t, step * 0.25, TINY_F32))), TINY_ALL, 0), *grad = NULL;
    CHECK_EQ(tiny_grad(loss, &w, 1, &grad), TINY_OK);
    tiny_assign(w, tiny_sub(w, tiny_mul(grad, tiny_scalar(t, 0.125 / (step + 1), TINY_F32))));
    CHECK_EQ(tiny_end(t), TINY_OK);
    s = tiny_stats_of(t);
    if (step == 1) first = s;
    if (step > 1) { CHECK_EQ(s.schedules, first.schedules); CHECK_EQ(s.compiled, first.compiled); CHECK_EQ(s.replays, first.replays + (uint64_t)step - 1); }
  }
  // the scalars were other numbers each time
  tiny_tensor *v = of4(t, 0, 0, 0, 0);
  for (int step = 0; step < 4; step++) { tiny_begin(t); tiny_assign(v, tiny_add(v, tiny_scalar(t, step, TINY_F32))); tiny_end(t); }
  HOLDS(v, 6, 6, 6, 6);
  // graphs that differ only in whether two inputs are the same memory are different
  tiny_tensor *a = of4(t, 1, 2, 3, 4), *b = of4(t, 5, 6, 7, 8), *c = of4(t, 0, 0, 0, 1);
  HOLDS(tiny_sub(tiny_mul(a, b), c), 5, 12, 21, 31);
  HOLDS(tiny_sub(tiny_mul(a, b), a), 4, 10, 18, 28);
  HOLDS(tiny_sub(tiny_mul(b, c), a), -1, -2, -3, 4);
  tiny_close(t);
}

// ** memory **

static void test_arena(void) {
  tiny_ctx *t = open_device("INTERP");
  tiny_tensor *x = given(t, TINY_SHAPE(1000));
  for (int i = 0; i < 8; i++) x = tiny_contiguous(plus(x, i));
  tiny_tensor *y = tiny_sum(x, 0, 0);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  for (int i = 0; i < TN_PLAN_BUCKETS; i++) for (const tn_plan *p = t->schedules->bucket[i]; p; p = p->next) {
    int64_t sum = 0;
    for (int j = 0; j < p->nplace; j++) if (p->place[j].kind == TN_PLACE_TEMP) sum += p->place[j].nbytes;
    CHECK_EQ(sum, 8 * 4000);
    CHECK(p->arena_nbytes <= 2 * (4000 + TN_ARENA_ALIGN));   // one is read while one is written
  }
  tiny_close(t);
}

// Large values that end in a number each: one at a time is in memory, whatever order the graph was made in.
static void test_frugal_order(void) {
  enum { VALUES = 8, NELEM = 4096 };
  tiny_ctx *t = open_device("INTERP");
  tiny_tensor *x = given(t, TINY_SHAPE(NELEM)), *sums[VALUES], *all;
  float got = 0, want = 0;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < VALUES; i++) {
      tiny_tensor *large = tiny_contiguous(plus(x, round + i));
      sums[i] = tiny_contiguous(tiny_sum(tiny_square(large), 0, 0));
    }
    all = sums[round ? 0 : VALUES - 1];
    for (int i = 1; i < VALUES; i++) all = tiny_add(all, sums[round ? i : VALUES - 1 - i]);
    CHECK_EQ(tiny_reference(all, &want, sizeof want), TINY_OK);
    CHECK_EQ(tiny_read(all, &got, sizeof got), TINY_OK);
    CHECK(got == want);
  }
  const tiny_stats s = tiny_stats_of(t);
  CHECK(s.nbytes_arena >= NELEM * 4 && s.nbytes_arena <= NELEM * 4 + VALUES * 2 * TN_ARENA_ALIGN);
  tiny_close(t);
}

// The arena of a training step is as small as the values that are alive at once.
static void arena_of(tiny_ctx *t, tiny_tensor *loss, tiny_tensor *const *params, int n) {
  tiny_tensor *grads[16];
  tiny_optim adam;
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM;
  CHECK_EQ(tiny_grad(loss, params, n, grads), TINY_OK);
  tiny_optim_step(&adam, params, grads, n);
  CHECK_EQ(tiny_end(t), TINY_OK);
  const tiny_stats s = tiny_stats_of(t);
  CHECK(s.nbytes_arena_least > 0);
  CHECK((double)s.nbytes_arena <= 1.1 * (double)s.nbytes_arena_least);
  tiny_optim_free(&adam);
}

static void test_training_memory(void) {
  tiny_ctx *t = open_device("NULL");
  tiny_tensor *w[16];
  for (int i = 0; i < 4; i++) w[i] = given(t, TINY_SHAPE(88 - 16 * i, 104 - 16 * i));
  tiny_begin(t);
  tiny_tensor *x = given(t, TINY_SHAPE(32, 104));
  for (int i = 0; i < 4; i++) x = tiny_gelu(tiny_linear(x, w[i], NULL));
  arena_of(t, tiny_mean(tiny_square(x), TINY_ALL, 0), w, 4);
  tiny_close(t);

  t = open_device("NULL");
  for (int i = 0; i < 4; i++) w[i] = given(t, TINY_SHAPE(8 << i, i ? 4 << i : 3, 3, 3));
  tiny_begin(t);
  x = given(t, TINY_SHAPE(4, 3, 32, 32));
  for (int i = 0; i < 4; i++) {
    tiny_conv_desc d;
    memset(&d, 0, sizeof d);
    d.same = 1;
    x = tiny_max_pool2d(tiny_relu(tiny_conv2d(x, w[i], NULL, &d)), 2, 0, 0);
  }
  arena_of(t, tiny_mean(tiny_square(x), TINY_ALL, 0), w, 4);
  tiny_close(t);

  t = open_device("NULL");
  for (int i = 0; i < 12; i++) w[i] = given(t, i % 6 == 4 ? TINY_SHAPE(128, 32) : i % 6 == 5 ? TINY_SHAPE(32, 128) : TINY_SHAPE(32, 32));
  tiny_begin(t);
  x = given(t, TINY_SHAPE(2, 24, 32));
  for (int i = 0; i < 12; i += 6) {        // two blocks of a transformer, one head
    tiny_tensor *y = tiny_layer_norm(x, 1, NULL, NULL, 1e-5), *q = tiny_linear(y, w[i], NULL), *k = tiny_linear(y, w[i + 1], NULL);
    tiny_tensor *weights = tiny_softmax(tiny_matmul(q, tiny_transpose(k, 1, 2)), -1);
    x = tiny_add(x, tiny_linear(tiny_matmul(weights, tiny_linear(y, w[i + 2], NULL)), w[i + 3], NULL));
    y = tiny_layer_norm(x, 1, NULL, NULL, 1e-5);
    x = tiny_add(x, tiny_linear(tiny_gelu(tiny_linear(y, w[i + 4], NULL)), w[i + 5], NULL));
  }
  arena_of(t, tiny_mean(tiny_square(x), TINY_ALL, 0), w, 12);
  tiny_close(t);
}

// Two thousand steps of a small network: neither nodes nor memory grow.
static void test_frames(const char *device) {
  tiny_ctx *t = open_device(device);
  tiny_tensor *x = given(t, TINY_SHAPE(16, 8)), *w1 = given(t, TINY_SHAPE(8, 12)), *w2 = given(t, TINY_SHAPE(12, 4)), *label = given_ints(t, 16, 4);
  tiny_optim adam;
  tiny_stats early, late;
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM;
  memset(&early, 0, sizeof early);
  double first = 0, last = 0;
  for (int step = 0; step < 1000; step++) {
    tiny_begin(t);
    tiny_tensor *p[2] = {w1, w2}, *g[2];
    tiny_tensor *loss = tiny_cross_entropy(tiny_matmul(tiny_tanh(tiny_matmul(x, w1)), w2), label, NULL);
    tiny_grad(loss, p, 2, g);
    tiny_optim_step(&adam, p, g, 2);
    if (step % 100 == 0 || step == 999) { last = tiny_item(loss); if (!step) first = last; }
    if (tiny_end(t) != TINY_OK) { fprintf(stderr, "step %d: %s\n", step, tiny_error(t)); CHECK(0); break; }
    if (step == 200) early = tiny_stats_of(t);
  }
  late = tiny_stats_of(t);
  CHECK(late.nodes <= early.nodes + (1 << 15));
  CHECK(late.nbytes_live <= early.nbytes_live + (1 << 21));
  CHECK(late.schedules <= 6);
  CHECK(last < first);
  tiny_optim_free(&adam);
  tiny_close(t);
}

// ** golden: the kernels as the scheduler writes them **

static void test_golden(void) {
  golden log = {NULL, 0, 0}, out = {NULL, 0, 0};
  tiny_ctx *t = golden_open("NULL", &log, "i");
  tiny_tensor *x = given(t, TINY_SHAPE(8, 16)), *w = given(t, TINY_SHAPE(16, 4)), *b = given(t, TINY_SHAPE(4)), *image = given(t, TINY_SHAPE(2, 3, 6, 6)), *filter = given(t, TINY_SHAPE(4, 3, 3, 3));
  tiny_conv_desc padded;
  memset(&padded, 0, sizeof padded);
  padded.pad[0] = padded.pad[1] = 1;
  const struct { const char *name; tiny_tensor *x; } rows[] = {
    {"softmax", tiny_softmax(x, -1)}, {"layer_norm", tiny_layer_norm(x, 1, NULL, NULL, 1e-5)}, {"matmul, bias, relu", tiny_relu(tiny_add(tiny_matmul(x, w), b))},
    {"conv2d with pad", tiny_conv2d(image, filter, NULL, &padded)}, {"max_pool2d", tiny_max_pool2d(image, 2, 0, 0)}, {"cat", tiny_cat((tiny_tensor *[]){x, tiny_flip(x, TINY_SHAPE(1))}, 2, 1)},
    {"index_select", tiny_index_select(x, 0, given_ints(t, 5, 8))}, {"cumsum", tiny_cumsum(x, 1)}, {"rand", tiny_rand(t, TINY_SHAPE(10))}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char title[80];
    tiny_tensor *one = rows[i].x;
    log.n = 0;
    CHECK_EQ(tiny_realize(&one, 1), TINY_OK);
    snprintf(title, sizeof title, "== %s", rows[i].name);
    golden_line(&out, title);
    int shows = 0;
    for (char *line = log.text, *end; (end = strchr(line, '\n')); line = end + 1) {        // from "after schedule" to the next pass
      *end = 0;
      if (!strncmp(line, "-- ", 3)) shows = !strcmp(line, "-- after schedule");
      if (shows) golden_line(&out, line);
    }
  }
  golden_check(&out, "schedule.txt");
  golden_free(&out);
  tiny_close(t);
  golden_free(&log);
}

// What is wanted is stored, however deep the expression that it is and wherever that is cut.
static void test_depths(void) {
  enum { MOST = 350, NELEM = 5 };
  static float want[MOST + 1][NELEM];
  float got[NELEM];
  for (int alone = 0; alone < 2; alone++) {
    tiny_ctx *t = open_device("INTERP");
    tiny_tensor *x[MOST + 1];
    for (int i = 0; i < NELEM; i++) want[0][i] = (float)i - 2;
    x[0] = tiny_from(t, want[0], TINY_F32, TINY_SHAPE(NELEM));
    for (int k = 1; k <= MOST; k++) {
      x[k] = tiny_add(x[k - 1], tiny_like(x[0], 0.5 + k % 3));              // one node deeper
      for (int i = 0; i < NELEM; i++) want[k][i] = want[k - 1][i] + (0.5f + (float)(k % 3));
    }
    for (int k = MOST; k > 0; k -= alone ? 1 : 37) {
      tiny_tensor *y = x[k], *shifted = tiny_add(y, tiny_like(y, 1)), *both[2] = {y, shifted};
      CHECK_EQ(tiny_realize(both, 2 - alone), TINY_OK);
      CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
      CHECK(!memcmp(got, want[k], sizeof got));
    }
    tiny_close(t);
  }
}

int main(void) {
  test_depths();
  test_kernels();
  test_linear();
  test_long_loops();
  test_same_kernels();
  test_updates("INTERP");
  test_updates("CPU");
  test_reshaped("INTERP");
  test_reshaped("CPU");
  test_replay("INTERP");
  test_replay("CPU");
  test_arena();
  test_frugal_order();
  test_training_memory();
  test_frames("INTERP");
  test_frames("CPU");
  test_golden();
  return test_report();
}
