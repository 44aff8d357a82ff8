// also: tsan
// brief: plain asan tsan
// test_shard: tensors split over devices: what is computed of parts is what is computed of the whole; traffic, bits, order.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "rnd.h"
#include "heard.h"

static const int around[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const char *const lists[] = {"INTERP,INTERP,INTERP,INTERP", "CPU,INTERP,CPU:1,INTERP", "INTERP"};
enum { LISTS = sizeof lists / sizeof *lists, PARTS = 4 };

static tiny_ctx *open_on(const char *devices, tiny_logger log) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = devices; d.log = log;
  if (log.fn) d.debug = "g";
  return tiny_open(&d);
}
static const tiny_logger quiet = {NULL, NULL};
// Devices of the parts: 0, 1, 2, 3, and around again where there are fewer.
static const int *devices_of(const tiny_ctx *t) {
  static int on[PARTS];
  for (int i = 0; i < PARTS; i++) on[i] = i % tiny_device_count(t);
  return on;
}
// Small whole numbers: the same on every device, in any order.
static tiny_tensor *ints(tiny_ctx *t, int from, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *data = (float *)malloc(((size_t)n + 1) * sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (float)((i * 7 + from) % 11 - 5);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, s);
  free(data);
  return x;
}
static int says(tiny_ctx *t, tiny_code code, const char *message) {
  const int ok = tiny_status(t) == code && strstr(tiny_error(t), message) != NULL;
  if (!ok) fprintf(stderr, "    %d \"%s\"\n    wanted %d \"%s\"\n", (int)tiny_status(t), tiny_error(t), (int)code, message);
  tiny_clear(t);
  return ok;
}
// The greatest difference of a and b; infinity where one cannot be read.
static double apart(tiny_tensor *a, tiny_tensor *b) {
  const int64_t n = tiny_nelem_of(a);
  double worst = 0;
  if (!tiny_ok(a) || !tiny_ok(b) || n != tiny_nelem_of(b)) return HUGE_VAL;
  float *x = (float *)malloc(((size_t)n + 1) * 4), *y = (float *)malloc(((size_t)n + 1) * 4);
  if (tiny_read(a, x, (size_t)n * 4) != TINY_OK || tiny_read(b, y, (size_t)n * 4) != TINY_OK) worst = HUGE_VAL;
  for (int64_t i = 0; i < n; i++) if (!(fabs((double)x[i] - (double)y[i]) <= worst)) worst = x[i] == x[i] || y[i] == y[i] ? fabs((double)x[i] - (double)y[i]) : worst;
  free(x); free(y);
  return worst;
}

// ** the face **

static void test_face(void) {
  tiny_ctx *t = open_on("INTERP,INTERP,INTERP", quiet);
  tiny_tensor *x = ints(t, 0, TINY_SHAPE(7, 3)), *s = tiny_shard(x, -2, around, 3), *r = tiny_replicate(x, around, 3);
  CHECK_EQ(tiny_shard_count(s), 3); CHECK_EQ(tiny_shard_axis(s), 0); CHECK_EQ(tiny_device_of(s), TINY_SEVERAL);
  CHECK_EQ(tiny_shard_count(r), 3); CHECK_EQ(tiny_shard_axis(r), -1); CHECK_EQ(tiny_device_of(r), TINY_SEVERAL);
  CHECK_EQ(tiny_shard_count(x), 1); CHECK_EQ(tiny_shard_axis(x), -1);
  CHECK_EQ(tiny_shape_of(s).dim[0], 7);
  CHECK_EQ(tiny_shape_of(tiny_shard_part(s, 0)).dim[0], 2);
  CHECK_EQ(tiny_shape_of(tiny_shard_part(s, 2)).dim[0], 3);
  CHECK_EQ(tiny_device_of(tiny_shard_part(s, 2)), 2);
  CHECK(apart(tiny_shard_part(x, 0), x) == 0);
  CHECK(apart(s, x) == 0 && apart(r, x) == 0 && apart(tiny_to(s, 1), x) == 0 && apart(tiny_to(r, 2), x) == 0);
  CHECK_EQ(tiny_device_of(tiny_to(s, 1)), 1);
  CHECK(!tiny_ok(tiny_shard_part(s, 3)));
  CHECK(says(t, TINY_E_ARG, "shard_part: part 3 of 3"));
  CHECK(!tiny_ok(tiny_shard(x, 2, around, 3)));
  CHECK(says(t, TINY_E_ARG, "shard: axis 2 is out of range for (7,3)"));
  CHECK(!tiny_ok(tiny_shard(x, 1, around, 4)));
  CHECK(says(t, TINY_E_ARG, "shard: there is no device 3, but 3"));
  CHECK(!tiny_ok(tiny_replicate(x, around, 0)));
  CHECK(says(t, TINY_E_ARG, "replicate: 0 devices"));
  const int twice[4] = {0, 1, 2, 0};
  CHECK(!tiny_ok(tiny_shard(x, 1, twice, 4)));
  CHECK(says(t, TINY_E_SHAPE, "shard: axis 1 of (7,3) for 4 devices"));
  CHECK(!tiny_ok(tiny_add(s, x)));
  CHECK(says(t, TINY_E_DEVICE, "add: argument 1 lives on several devices, argument 2 on INTERP (device 0); tiny_replicate puts one on several"));
  CHECK(!tiny_ok(tiny_add(s, tiny_shard(x, 0, twice, 4))));
  CHECK(says(t, TINY_E_DEVICE, "devices, another on others, or is cut otherwise"));
  CHECK(!tiny_ok(tiny_assign(s, x)));
  tiny_clear(t);
  tiny_tensor *one = tiny_shard(x, 0, around, 1);
  CHECK_EQ(tiny_shard_count(one), 1); CHECK_EQ(tiny_device_of(one), 0);
  tiny_kernel_desc k;
  memset(&k, 0, sizeof k);
  k.name = "f"; k.source = "f"; k.inputs = &s; k.n = 1; k.shape = TINY_SHAPE(1); k.dtype = TINY_F32;
  CHECK(!tiny_ok(tiny_kernel(t, &k)));
  CHECK(tiny_status(t) == TINY_E_DEVICE);
  tiny_clear(t);
  CHECK_EQ(tiny_item(tiny_sum(s, TINY_ALL, 0)), tiny_item(tiny_sum(x, TINY_ALL, 0)));
  tiny_close(t);
}

// ** random graphs: parts beside the whole **

typedef struct pair { tiny_tensor *whole, *split; } pair;
static tiny_tensor *unary(tiny_tensor *x, int op) {
  switch (op) {
    case 0: return tiny_neg(x);
    case 1: return tiny_relu(x);
    case 2: return tiny_abs(x);
    case 3: return tiny_contiguous(x);
    case 4: return tiny_clamp(x, -9, 9);
    case 5: return tiny_where(tiny_gt(x, tiny_like(x, 0)), x, tiny_like(x, 2));
    default: return tiny_cast(tiny_cast(tiny_clamp(x, -9, 9), TINY_I32), TINY_F32);
  }
}
static tiny_tensor *moved(tiny_tensor *x, int op, int a, int b) {
  const tiny_shape s = tiny_shape_of(x);
  tiny_shape v = s;
  const int axis = a % s.ndim;
  switch (op) {
    case 0: return tiny_transpose(x, axis, b % s.ndim);
    case 1: return tiny_flip(x, TINY_SHAPE(axis));
    case 2:                                // two axes become one
      if (s.ndim < 2) return x;
      v.ndim = s.ndim - 1;
      v.dim[axis % v.ndim] = s.dim[axis % v.ndim] * s.dim[axis % v.ndim + 1];
      for (int i = axis % v.ndim + 1; i < v.ndim; i++) v.dim[i] = s.dim[i + 1];
      return tiny_reshape(x, v);
    case 3:                                // one becomes two
      if (s.ndim > 4 || s.dim[axis] % 2) return x;
      return tiny_unflatten(x, axis, b % 2 ? TINY_SHAPE(2, -1) : TINY_SHAPE(-1, 2));
    case 4: return s.dim[axis] > 2 ? tiny_slice(x, axis, 1, s.dim[axis], 1) : x;
    case 5: return tiny_nelem_of(x) < 3000 ? tiny_pad(x, s.ndim == 1 ? TINY_SHAPE(1, 2) : s.ndim == 2 ? TINY_SHAPE(1, 0, 0, 2) : TINY_SHAPE(), 0) : x;
    default: return tiny_nelem_of(x) < 3000 ? tiny_tile(x, s.ndim == 1 ? TINY_SHAPE(2) : s.ndim == 2 ? TINY_SHAPE(1, 2) : TINY_SHAPE(2, 1, 1)) : x;
  }
}
static tiny_tensor *folded(tiny_tensor *x, int op, int axis, int keep) {
  switch (op) {
    case 0: return tiny_clamp(tiny_sum(x, axis, keep), -20, 20);
    case 1: return tiny_amax(x, axis, keep);
    case 2: return tiny_clamp(tiny_cumsum(x, axis), -20, 20);
    default: return tiny_cast(tiny_argmax(x, axis, keep), TINY_F32);
  }
}
static int graph(tiny_ctx *t, int seed) {
  enum { MOST = 24 };
  pair p[MOST];
  int n = 0, bad = 0;
  rng = (uint64_t)seed * 77;
  const int *on = devices_of(t);
  tiny_begin(t);
  for (int i = 0; i < 3; i++) {
    const tiny_shape s = rnd(3) ? TINY_SHAPE(4 + rnd(5), 4 + rnd(9)) : TINY_SHAPE(4, 4 + rnd(3), 6);
    p[n].whole = ints(t, seed + i, s);
    p[n].split = rnd(3) ? tiny_shard(p[n].whole, rnd(2), on, PARTS) : tiny_replicate(p[n].whole, on, PARTS);
    n++;
  }
  for (int tries = 0; tries < 40 && n < MOST - 1; tries++) {
    const pair *a = &p[rnd(n)], *b = &p[rnd(n)];
    const int kind = rnd(4), op = rnd(7), x = rnd(8), y = rnd(8), ndim = tiny_shape_of(a->whole).ndim;
    pair c = *a;
    if (kind == 0) { c.whole = unary(a->whole, op); c.split = unary(a->split, op); }
    else if (kind == 1 && ndim) { c.whole = moved(a->whole, op, x, y); c.split = moved(a->split, op, x, y); }
    else if (kind == 2 && ndim) { c.whole = folded(a->whole, op % 4, x % ndim, y & 1); c.split = folded(a->split, op % 4, x % ndim, y & 1); }
    else if (kind == 3 && tn_has_dims(tn_uop_of(a->whole), tn_uop_of(b->whole)->ndim, tn_uop_of(b->whole)->dim)) {
      c.whole = tiny_clamp(tiny_add(a->whole, b->whole), -50, 50);
      c.split = tiny_clamp(tiny_add(a->split, b->split), -50, 50);
    } else continue;
    if (c.whole == a->whole || c.split == a->split) continue;
    if (!tiny_ok(c.whole) || !tiny_ok(c.split)) { bad = 1; break; }
    p[n++] = c;
  }
  for (int i = n - 1; i >= 0 && !bad; i -= 1 + rnd(3)) bad = apart(p[i].whole, p[i].split) != 0;
  bad |= tiny_end(t) != TINY_OK || tiny_status(t) != TINY_OK;
  if (bad) fprintf(stderr, "    seed %d: %s\n", seed, tiny_error(t));
  return !bad;
}
static void test_graphs(void) {
  for (int l = 0; l < LISTS; l++) {
    tiny_ctx *t = open_on(lists[l], quiet);
    const int most = l == 1 ? test_brief(5, 20) : test_brief(100, 200);
    for (int seed = 1; seed <= most; seed++) {
      case_seeded((unsigned long long)seed, "TEST_FROM=%llu");
      CHECK(graph(t, seed));
    }
    case_end();
    tiny_close(t);
  }
}

// Shards whose parts have lengths along another axis are read as they are printed; not with one along their own.
static void test_text(void) {
  tiny_ctx *t = open_on("INTERP,INTERP:1", (tiny_logger){NULL, NULL});
  static char text[4096], cut[4096];
  tiny_tensor *x = tiny_slice_to(tiny_rand(t, TINY_SHAPE(4, 6)), 1, tiny_length(t, 3, 0, 6));
  tiny_uop *u = tiny_uop_of(tiny_shard(x, 0, around, 2));
  CHECK(tiny_uop_print(t, u, text, sizeof text) < sizeof text);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_uop *again = tiny_uop_parse(t, text);
  CHECK(again && again->op == TINY_OP_SHARD && again->extent && again->extent[1] && !again->extent[0]);
  char *at = strstr(text, "(SHARD:f32:k=1");
  CHECK(at != NULL);
  if (at) at[13] = '2';                    // beside each other along the length
  snprintf(cut, sizeof cut, "%s", text);
  CHECK(tiny_uop_parse(t, cut) == NULL);
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  tiny_close(t);
}

// ** matmul by rows and columns **

static void test_matmul(void) {
  const tiny_logger log = {hear, NULL};
  for (int l = 0; l < LISTS; l++) {
    tiny_ctx *t = open_on(lists[l], log);
    const int *on = devices_of(t);
    tiny_tensor *x = ints(t, 0, TINY_SHAPE(8, 12)), *w = ints(t, 1, TINY_SHAPE(12, 16)), *v = ints(t, 2, TINY_SHAPE(16, 8));
    tiny_tensor *y = tiny_matmul(x, w), *z = tiny_matmul(tiny_relu(y), v);
    tiny_tensor *rx = tiny_replicate(x, on, PARTS), *rw = tiny_replicate(w, on, PARTS), *cw = tiny_shard(w, 1, on, PARTS), *rv = tiny_shard(v, 0, on, PARTS);
    heard[0] = 0;
    tiny_tensor *batch = tiny_matmul(tiny_shard(x, 0, on, PARTS), rw), *columns = tiny_matmul(rx, cw);
    tiny_tensor *two = tiny_matmul(tiny_relu(columns), rv);  // columns, then rows: one all-reduce (Megatron)
    CHECK_EQ(tiny_shard_axis(batch), 0); CHECK(apart(batch, y) == 0);
    CHECK_EQ(tiny_shard_axis(columns), 1); CHECK(apart(columns, y) == 0);
    CHECK_EQ(tiny_shard_axis(two), -1); CHECK(apart(two, z) == 0);
    CHECK_STR(heard, "");                  // nothing had to be gathered
    tiny_tensor *torn = tiny_reshape(batch, TINY_SHAPE(2, 4, 16));
    CHECK(strstr(heard, "shard: RESHAPE (8,16) is gathered along axis 0 from 4 devices") != NULL);
    CHECK(apart(torn, y) == 0);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

// ** traffic **

// An all-reduce of n parts of nelem f32 copies 2 (n - 1) times the bytes of one: no algorithm copies fewer.
static void test_traffic(void) {
  static const int64_t sizes[] = {1, 5, 1000, 4095, 4096, 4097, 50000, 100003};
  for (int n = 2; n <= 6; n++) for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    tiny_ctx *t = open_on("INTERP,INTERP,INTERP,INTERP,INTERP,INTERP", quiet);
    tiny_tensor *x = ints(t, 0, TINY_SHAPE(n, sizes[i])), *s = tiny_shard(x, 0, around, n), *sum = tiny_sum(s, 0, 0), *most = tiny_amax(s, 0, 0);
    tiny_realize(&s, 1);
    const uint64_t before = tiny_stats_of(t).nbytes_copied;
    uint64_t each[6];
    for (int d = 0; d < n; d++) each[d] = tiny_device_stats(t, d).nbytes_copied;
    tiny_realize(&sum, 1);
    const uint64_t copied = tiny_stats_of(t).nbytes_copied - before, least = 2 * (uint64_t)(n - 1) * (uint64_t)sizes[i] * 4;
    CHECK_EQ(copied, least);
    for (int d = 0; d < n && sizes[i] >= 4096; d++)          // and each takes its share
      CHECK((double)(tiny_device_stats(t, d).nbytes_copied - each[d]) <= 1.05 * (double)least / n + 64);
    CHECK(apart(sum, tiny_sum(x, 0, 0)) == 0);
    CHECK(apart(most, tiny_amax(x, 0, 0)) == 0);
    for (int d = 1; d < n; d++) CHECK(apart(tiny_shard_part(sum, 0), tiny_shard_part(sum, d)) == 0);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

// ** training **

enum { BATCH = 32, STEPS = 6, PIXELS = 64, NPARAM = 8 };
static float image[STEPS * BATCH][PIXELS];
static int32_t label[STEPS * BATCH];
static int read_digits(void) {
  FILE *f = fopen("examples/data/digits.csv", "r");
  char line[1024];
  int n = 0;
  while (f && n < STEPS * BATCH && fgets(line, sizeof line, f)) {
    if (line[0] == '#') continue;
    char *at = line;
    for (int i = 0; i < PIXELS; i++) { image[n][i] = (float)strtol(at, &at, 10) / 16; at++; }
    label[n++] = (int32_t)strtol(at, &at, 10);
  }
  if (f) fclose(f);
  return n == STEPS * BATCH;
}
// A small convolutional network on the digits; on: the devices of the parts of a batch, NULL: as a whole.
static void train(tiny_ctx *t, const int *on, int captured, float *out, size_t nbytes) {
  static const int shape[NPARAM][4] = {{8, 1, 3, 3}, {8}, {8}, {8, 8, 3, 3}, {32, 128}, {32}, {10, 32}, {10}};
  tiny_tensor *p[NPARAM], *grad[NPARAM];
  tiny_batch_norm_state norm;
  tiny_optim adam;
  tiny_program *step = NULL;
  memset(&norm, 0, sizeof norm); memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM; adam.lr = 0.01;
  for (int i = 0; i < NPARAM; i++) {
    tiny_shape s = {0, {0}};
    for (int d = 0; d < 4 && shape[i][d]; d++) s.dim[s.ndim++] = shape[i][d];
    tiny_tensor *x = tiny_mul(ints(t, i, s), tiny_full(t, i == 1 ? 0.2 : 0.04, TINY_F32, TINY_SHAPE()));
    p[i] = on ? tiny_replicate(x, on, PARTS) : x;
  }
  tiny_tensor *mean = tiny_zeros(t, TINY_F32, TINY_SHAPE(8)), *var = tiny_ones(t, TINY_F32, TINY_SHAPE(8));
  norm.mean = on ? tiny_replicate(mean, on, PARTS) : mean; norm.var = on ? tiny_replicate(var, on, PARTS) : var;
  norm.weight = p[1]; norm.bias = p[2];
  CHECK_EQ(tiny_realize(p, NPARAM), TINY_OK);
  CHECK_EQ(tiny_realize(&norm.mean, 1), TINY_OK);
  CHECK_EQ(tiny_realize(&norm.var, 1), TINY_OK);
  tiny_conv_desc same;
  memset(&same, 0, sizeof same);
  same.pad[0] = same.pad[1] = 1;
  for (int s = 0; s < STEPS; s++) {
    tiny_begin(t);
    tiny_tensor *in[2] = {tiny_from(t, image[s * BATCH], TINY_F32, TINY_SHAPE(BATCH, 1, 8, 8)), tiny_from(t, label + s * BATCH, TINY_I32, TINY_SHAPE(BATCH))};
    tiny_tensor *x = in[0], *y = in[1], *loss;
    if (on) { x = tiny_shard(x, 0, on, PARTS); y = tiny_shard(y, 0, on, PARTS); }
    if (step) { CHECK_EQ(tiny_run(step, in, &loss), TINY_OK); CHECK_EQ(tiny_end(t), TINY_OK); continue; }
    x = tiny_relu(tiny_batch_norm(tiny_conv2d(x, p[0], NULL, &same), &norm, 1));
    x = tiny_max_pool2d(tiny_relu(tiny_conv2d(x, p[3], NULL, &same)), 2, 0, 0);
    x = tiny_relu(tiny_linear(tiny_flatten(x, 1, -1), p[4], p[5]));
    loss = tiny_cross_entropy(tiny_linear(x, p[6], p[7]), y, NULL);
    CHECK_EQ(tiny_grad(loss, p, NPARAM, grad), TINY_OK);
    CHECK_EQ(tiny_optim_step(&adam, p, grad, NPARAM), TINY_OK);
    if (captured && s == 1) { step = tiny_capture(t, in, 2, &loss, 1); CHECK(step != NULL); s--; }
    CHECK_EQ(tiny_end(t), TINY_OK);
    if (!step && !(captured && s == 0)) { float all[72]; CHECK_EQ(tiny_read(p[0], all, sizeof all), TINY_OK); }
  }
  CHECK_EQ(tiny_read(p[4], out, nbytes), TINY_OK);
  if (on) for (int i = 1; i < PARTS; i++) CHECK(apart(tiny_shard_part(p[6], 0), tiny_shard_part(p[6], i)) == 0);
  tiny_program_free(step);
  tiny_optim_free(&adam);
}
// Four devices give the bits that one gives which computes the four parts one after the other; within rounding, what one
// gives for the whole batch.
static void test_training(void) {
  static float whole[32 * 128], one[2][32 * 128], got[32 * 128];
  static const int alone[PARTS] = {0, 0, 0, 0};
  static const char *const on[] = {"CPU,CPU:1,CPU:2,CPU:3", "CPU,CPU:1"};
  CHECK(read_digits());
  tiny_ctx *t = open_on("CPU", quiet);
  train(t, NULL, 0, whole, sizeof whole);
  for (int captured = 0; captured < 2; captured++) train(t, alone, captured, one[captured], sizeof one[captured]);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  double worst = 0;
  for (int i = 0; i < 32 * 128; i++) worst = fmax(worst, fabs((double)whole[i] - (double)one[0][i]));
  CHECK(worst < 2e-3 && worst > 0);        // Adam divides by what is small
  for (int i = 0; i < 4; i++) {
    const int captured = i >> 1;
    if (!case_named("training on %s%s", on[i & 1], captured ? ", captured" : "")) continue;
    t = open_on(on[i & 1], quiet);
    train(t, devices_of(t), captured, got, sizeof got);
    CHECK(!memcmp(got, one[captured], sizeof got));
    CHECK(captured || tiny_stats_of(t).replays >= STEPS - 3);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  case_end();
}

// Programs take and give split tensors; weights that are split are assigned to, written and read.
static void test_programs(void) {
  for (int l = 0; l < LISTS; l++) {
    tiny_ctx *t = open_on(lists[l], quiet);
    const int *on = devices_of(t);
    tiny_tensor *x = ints(t, 0, TINY_SHAPE(8, 6)), *s = tiny_shard(x, 0, on, PARTS), *w = tiny_shard(ints(t, 1, TINY_SHAPE(6, 8)), 1, on, PARTS);
    tiny_realize(&s, 1); tiny_realize(&w, 1);
    tiny_tensor *r = tiny_to(s, 0), *y = tiny_add(s, tiny_like(s, 1)), *z = tiny_sum(s, 0, 0), *out[3] = {y, z, r}, *got[3];
    tiny_program *p = tiny_capture(t, &s, 1, out, 3);
    CHECK(p != NULL);
    for (int i = 0; i < 3; i++) {
      tiny_tensor *in = ints(t, i, TINY_SHAPE(8, 6)), *split = tiny_shard(in, 0, on, PARTS);
      tiny_realize(&split, 1);
      CHECK_EQ(tiny_run(p, &split, got), TINY_OK);
      CHECK_EQ(tiny_shard_axis(got[0]), 0); CHECK_EQ(tiny_shard_count(got[1]), PARTS); CHECK_EQ(tiny_shard_count(got[2]), 1);
      CHECK(apart(got[0], tiny_add(in, tiny_like(in, 1))) == 0);
      CHECK(apart(got[1], tiny_sum(in, 0, 0)) == 0);
      CHECK(apart(got[2], in) == 0);
    }
    CHECK_EQ(tiny_run(p, &x, got), TINY_E_SHAPE);
    CHECK(!tiny_ok(got[0]));
    CHECK(says(t, TINY_E_SHAPE, "run: input 0 has 1 parts along axis -1, the captured one 4 along 0"));
    tiny_program_free(p);
    float data[48];
    for (int i = 0; i < 48; i++) data[i] = (float)(i % 9);
    tiny_tensor *old = tiny_mul(w, w);
    tiny_assign(w, tiny_add(w, tiny_like(w, 1)));
    tiny_tensor *view = tiny_shard_part(w, 1);
    CHECK(apart(tiny_to(tiny_mul(tiny_sub(w, tiny_like(w, 1)), tiny_sub(w, tiny_like(w, 1))), 0), tiny_to(old, 0)) == 0);
    CHECK(apart(view, tiny_to(tiny_slice(tiny_to(w, 0), 1, 2, 4, 1), tiny_device_of(view))) == 0);
    CHECK_EQ(tiny_write(w, data, sizeof data), TINY_OK);
    CHECK(apart(w, tiny_from(t, data, TINY_F32, TINY_SHAPE(6, 8))) == 0);
    float back[48];
    CHECK_EQ(tiny_reference(tiny_square(w), back, sizeof back), TINY_OK);
    CHECK_EQ(back[8], 64);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

// ** refused allocations: nothing leaks, and the same again works **

static void steps(tiny_ctx *t, int *wrong) {
  float out[8];
  tiny_tensor *x = ints(t, 0, TINY_SHAPE(8, 8)), *s = tiny_shard(x, 0, around, 2), *w = tiny_replicate(x, around, 2), *g, *got;
  tiny_realize(&w, 1);
  tiny_begin(t);
  tiny_tensor *y = tiny_reshape(tiny_flip(tiny_matmul(s, w), TINY_SHAPE(0)), TINY_SHAPE(4, 16));
  if (tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), &w, 1, &g) == TINY_OK) tiny_assign(w, tiny_sub(w, g));
  tiny_end(t);
  tiny_tensor *sum = tiny_sum(s, 0, 0);
  tiny_program *p = tiny_capture(t, NULL, 0, &sum, 1);
  if (p) tiny_run(p, NULL, &got);
  const tiny_code read = p ? tiny_read(got, out, sizeof out) : TINY_E_MEMORY;
  if (tiny_status(t) == TINY_OK) {
    double want = 0;
    for (int i = 0; i < 8; i++) want += (i * 56) % 11 - 5;
    *wrong += read != TINY_OK || out[0] != (float)want;
  }
  tiny_program_free(p);
}
static void test_refused(void) {
  memory_count m;
  tiny_desc d;
  memset(&d, 0, sizeof d); memset(&m, 0, sizeof m);
  d.device = "INTERP,INTERP"; d.cache_dir = "";
  d.alloc.fn = memory_fn; d.alloc.user = &m;
  long done = 0;
  int wrong = 0;
  for (long n = 1; !done && n < 100000; n += 1 + n / 24) {
    m.calls = 0; m.fail_at = n;
    tiny_ctx *t = tiny_open(&d);
    if (t) { steps(t, &wrong); done = tiny_status(t) == TINY_OK && m.calls < n; }
    m.fail_at = 0;
    if (t && !done) { tiny_clear(t); if (tiny_ok(tiny_zeros(t, TINY_F32, TINY_SHAPE(1)))) { steps(t, &wrong); wrong += tiny_status(t) != TINY_OK; } }
    tiny_close(t);
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
  CHECK(done);
  CHECK_EQ(wrong, 0);
}

// ** lengths: along axes that are not cut **

enum { ROWS = 40, ACROSS = 16 };
// What is computed of x (ROWS, ACROSS), the first n rows of which are meant, and w (ACROSS, ACROSS).
static tiny_tensor *of_rows(int what, tiny_tensor *x, tiny_tensor *w) {
  tiny_tensor *g = NULL, *xs[2] = {x, x};
  switch (what) {
    case 0: return tiny_add(tiny_mul(x, x), tiny_like(x, 1));
    case 1: return tiny_sum(x, 0, 0);
    case 2: return tiny_sum(x, 1, 0);
    case 3: return tiny_amax(x, 1, 1);
    case 4: return tiny_matmul(x, w);
    case 5: return tiny_transpose(tiny_cumsum(x, 0), 0, 1);
    case 6: return tiny_cat(xs, 2, 0);
    case 7: return tiny_flip(x, TINY_SHAPE(0));
    case 8: return tiny_mean(x, TINY_ALL, 0);
    case 9: return tiny_reshape(x, TINY_SHAPE(-1, 4, 4));
    case 10: return tiny_whole(x, 0, 3);
    case 11: return tiny_matmul(x, tiny_transpose(x, 0, 1));
    default: return tiny_grad(tiny_sum(tiny_square(tiny_matmul(x, w)), TINY_ALL, 0), &w, 1, &g) == TINY_OK ? g : NULL;
  }
}
// The bytes of x's elements that are meant, in out.
static size_t meant(tiny_tensor *x, float *out) {
  const tiny_shape s = tiny_shape_now(x);
  const size_t nbytes = (size_t)tn_dims_nelem(s.ndim, s.dim) * 4;
  return tiny_ok(x) && tiny_read(x, out, nbytes) == TINY_OK ? nbytes : 0;
}
static void lengths_on(tiny_ctx *t, const int *on) {
  static float a[2 * ROWS * ACROSS * 4], b[2 * ROWS * ACROSS * 4], rows[ROWS * ACROSS];
  tiny_tensor *x = ints(t, 3, TINY_SHAPE(ROWS, ACROSS)), *w = ints(t, 5, TINY_SHAPE(ACROSS, ACROSS));
  tiny_tensor *parts = tiny_shard(x, 1, on, PARTS), *weights[2] = {tiny_shard(w, 0, on, PARTS), tiny_replicate(w, on, PARTS)};
  uint64_t schedules = 0;
  for (int n = ROWS; n >= 0; n -= 13) {
    tiny_begin(t);
    tiny_tensor *length = tiny_length(t, n, 0, ROWS), *one = tiny_slice_to(x, 0, length);
    const uint64_t before = tiny_stats_of(t).schedules;
    for (int what = 0; what <= 12; what++) {
      tiny_tensor *const whole = of_rows(what, one, w);
      for (int how = 0; how < 4; how++) {  // cut before the length is given, and after; whole on each; back on one
        tiny_tensor *y = how == 0 ? tiny_slice_to(parts, 0, length) : how == 1 ? tiny_shard(one, 1, on, PARTS) :
                         how == 2 ? tiny_replicate(one, on, PARTS) : tiny_to(tiny_shard(one, 1, on, PARTS), 0);
        y = of_rows(what, y, how == 3 ? w : weights[how == 2]);
        const size_t nbytes = meant(whole, a);
        CHECK_EQ(meant(y, b), nbytes);
        CHECK(!memcmp(a, b, nbytes));
      }
    }
    if (n < ROWS) schedules += tiny_stats_of(t).schedules - before;
    tiny_end(t);
  }
  CHECK_EQ(schedules, 0);
  for (int i = 0; i < 7 * ACROSS; i++) rows[i] = (float)(i % 13);
  for (int how = 0; how < 2; how++) {
    tiny_tensor *state = tiny_slice_to(how ? weights[1] : parts, 0, tiny_length(t, 7, 0, ACROSS));
    CHECK(tiny_write(state, rows, sizeof rows) == TINY_E_ARG);
    tiny_clear(t);
    CHECK(tiny_write(state, rows, 7 * ACROSS * 4) == TINY_OK);
    CHECK_EQ(meant(state, a), 7 * ACROSS * 4);
    CHECK(!memcmp(a, rows, 7 * ACROSS * 4));
  }
  CHECK_STR(tiny_error(t), "");
  tiny_tensor *length = tiny_length(t, 3, 0, ROWS);
  tiny_shard(tiny_slice_to(x, 0, length), 0, on, PARTS);
  CHECK(says(t, TINY_E_SHAPE, "shard: of dim 0 of (40,16) only a length is meant; tiny_shard another axis, or tiny_replicate"));
  tiny_slice_to(tiny_shard(x, 0, on, PARTS), 0, length);
  CHECK(says(t, TINY_E_DEVICE, "slice_to: (40,16) is cut over devices along axis 0; tiny_shard another axis, or tiny_replicate it"));
  tiny_transpose(tiny_slice_to(parts, 0, length), 0, 1);
  CHECK_STR(tiny_error(t), "");
}
static void test_lengths(void) {
  for (int i = 0; i < LISTS; i++) {
    tiny_ctx *t = open_on(lists[i], quiet);
    case_named("lengths on %s", lists[i]);
    lengths_on(t, devices_of(t));
    tiny_close(t);
    case_end();
  }
}

// ** many small graphs over four devices that go on by themselves **

enum { WIDTH = 16, VALUES = 12 };
static int schedule(tiny_ctx *t, int seed) {
  float model[VALUES][WIDTH], out[WIDTH];
  tiny_tensor *x[VALUES], *wanted[4];
  int n = 0, bad = 0;
  rng = (uint64_t)seed * 1315423911u;
  tiny_begin(t);
  for (; n < 2; n++) {
    for (int i = 0; i < WIDTH; i++) model[n][i] = (float)((i * 5 + seed + n) % 7 - 3);
    tiny_use_device(t, rnd(4));
    x[n] = tiny_from(t, model[n], TINY_F32, TINY_SHAPE(WIDTH));
  }
  for (; n < VALUES; n++) {
    const int a = rnd(n), b = rnd(n), device = rnd(4), op = rnd(3);
    tiny_tensor *p = tiny_to(x[a], device), *q = tiny_to(x[b], device);
    x[n] = op == 0 ? tiny_add(p, q) : op == 1 ? tiny_sub(p, q) : tiny_maximum(p, q);
    for (int i = 0; i < WIDTH; i++) model[n][i] = op == 0 ? model[a][i] + model[b][i] : op == 1 ? model[a][i] - model[b][i] : fmaxf(model[a][i], model[b][i]);
  }
  int which[4];
  for (int i = 0; i < 4; i++) { which[i] = rnd(VALUES); wanted[i] = x[which[i]]; }
  if (rnd(2)) tiny_realize(wanted, 4);
  for (int i = 0; i < 4 && !bad; i++) bad = tiny_read(wanted[i], out, sizeof out) != TINY_OK || memcmp(out, model[which[i]], sizeof out) != 0;
  bad |= tiny_end(t) != TINY_OK;
  if (bad) fprintf(stderr, "    seed %d: %s\n", seed, tiny_error(t));
  return !bad;
}
static void test_schedules(void) {
  tiny_ctx *t = open_on("CPU,CPU:1,CPU:2,CPU:3", quiet);
  const int most = test_brief(2500, 10000);
  int wrong = 0;
  for (int seed = 1; seed <= most && !wrong; seed++) wrong = !schedule(t, seed);
  CHECK_EQ(wrong, 0);
  CHECK(tiny_stats_of(t).copies > (uint64_t)most);
  tiny_close(t);
}

int main(void) {
  test_text();
  test_face();
  test_graphs();
  test_matmul();
  test_traffic();
  test_training();
  test_programs();
  test_refused();
  test_lengths();
  test_schedules();
  return test_report();
}
