// shapes: batches and sequences of whatever size today, by one plan: tiny_with_length.
// also: asan, late
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static float element(int64_t i) { return (float)sin(0.7 + 1.9 * (double)i); }
static tiny_tensor *made(tiny_ctx *t, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *data = (float *)malloc((size_t)n * sizeof *data + 1);
  for (int64_t i = 0; i < n; i++) data[i] = element(3 * i + n);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, s);
  free(data);
  return x;
}
static int same_bytes(tiny_tensor *x, tiny_tensor *y) {
  const tiny_shape s = tiny_shape_now(x), r = tiny_shape_now(y);
  const size_t nbytes = (size_t)tn_dims_nelem(s.ndim, s.dim) * tiny_dtype_nbytes(tiny_dtype_of(x));
  char *a = (char *)malloc(nbytes + 1), *b = (char *)malloc(nbytes + 1);
  int ok = s.ndim == r.ndim && tiny_dtype_of(x) == tiny_dtype_of(y);
  for (int i = 0; ok && i < s.ndim; i++) ok = s.dim[i] == r.dim[i];
  ok = ok && tiny_read(x, a, nbytes) == TINY_OK && tiny_read(y, b, nbytes) == TINY_OK && !memcmp(a, b, nbytes);
  free(a); free(b);
  return ok;
}

// Every axis, dtype and kind of tensor keeps its elements.
static void test_elements(const char *device) {
  static const tiny_dtype dtypes[] = {TINY_F32, TINY_U8, TINY_F16, TINY_F64, TINY_BOOL, TINY_I64};
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  for (int axis = 0; axis < 3; axis++) for (int k = 0; k <= 6; k++) for (int d = 0; d < 6; d++) {
    tiny_shape s = TINY_SHAPE(3, 4, 5);
    if (!case_named("%s: %d along axis %d as %s", device, k, axis, tiny_dtype_name(dtypes[d]))) continue;
    s.dim[axis] = k;
    tiny_begin(t);
    tiny_tensor *x = tiny_cast(tiny_mul(made(t, s), tiny_like(made(t, s), 9)), dtypes[d]);
    tiny_tensor *y = tiny_with_length(x, axis - (d & 1 ? 3 : 0), tiny_length(t, k, 0, 6));
    CHECK(same_bytes(y, x));
    CHECK_EQ(tiny_shape_of(y).dim[axis], 6);
    CHECK_EQ(tiny_item_i64(tiny_length_of(y, axis)), k);
    CHECK(same_bytes(tiny_add(y, y), tiny_add(x, x)));
    CHECK_EQ(tiny_end(t), TINY_OK);
    case_end();
  }
  tiny_begin(t);
  tiny_tensor *x = made(t, TINY_SHAPE(6, 8)), *n = tiny_length(t, 4, 4, 64);
  CHECK(same_bytes(tiny_with_length(tiny_slice(x, 0, 1, 5, 1), 0, n), tiny_slice(x, 0, 1, 5, 1)));       // views
  CHECK(same_bytes(tiny_with_length(tiny_slice(tiny_permute(x, TINY_SHAPE(1, 0)), 0, 7, 3, -1), 0, n),
                   tiny_slice(tiny_permute(x, TINY_SHAPE(1, 0)), 0, 7, 3, -1)));
  tiny_tensor *more = tiny_with_length(tiny_narrow(x, 1, 0, 5), 1, tiny_add(n, tiny_like(n, 1)));
  CHECK(same_bytes(more, tiny_narrow(x, 1, 0, 5)));
  tiny_tensor *fixed = tiny_with_length(x, 0, tiny_length(t, 6, 6, 6));  // of one length: as it was
  CHECK_EQ(tiny_shape_of(fixed).dim[0], 6);
  CHECK(same_bytes(fixed, x));
  tiny_end(t);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// Reading x may collect nodes; a length that is a sum is one that nobody else refers to.
static void test_collected(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP"});
  for (int k = 1; k < 40; k++) {
    tiny_tensor *m = tiny_length(t, k, 0, 50), *n = tiny_add(tiny_mul(m, tiny_like(m, 2)), tiny_like(m, 1));
    tiny_tensor *x = tiny_exp(made(t, TINY_SHAPE(2, 2 * k + 1)));
    t->ir->collect_at = 0;
    tiny_tensor *y = tiny_with_length(x, 1, n);
    CHECK_EQ(tiny_item_i64(tiny_length_of(y, 1)), 2 * k + 1);
    CHECK(same_bytes(y, x));
    tiny_free(m); tiny_free(n); tiny_free(x); tiny_free(y);
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// Memory of the caller's shows what it holds when it is taken.
static void test_callers(void) {
  static float memory[12], out[8];
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CPU"});
  for (int i = 0; i < 12; i++) memory[i] = (float)i;
  const int64_t strides[] = {6, 1};
  tiny_tensor *blob = tiny_blob(t, memory, TINY_F32, TINY_SHAPE(2, 4), strides);
  tiny_tensor *y = tiny_with_length(blob, 1, tiny_length(t, 4, 0, 9));
  memory[7] = 100;
  CHECK_EQ(tiny_read(y, out, sizeof out), TINY_OK);
  CHECK(out[0] == 0 && out[3] == 3 && out[4] == 6 && out[5] == 7);
  y = tiny_with_length(blob, 1, tiny_length(t, 4, 0, 9));
  CHECK_EQ(tiny_read(y, out, sizeof out), TINY_OK);
  CHECK(out[5] == 100);
  tiny_close(t);
}

static void refused(tiny_ctx *t, tiny_tensor *x, tiny_code code, const char *message) {
  CHECK(!tiny_ok(x));
  CHECK_EQ(tiny_status(t), code);
  CHECK_STR(tiny_error(t), message);
  tiny_clear(t);
}
static void test_errors(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CPU,CPU:1"});
  tiny_tensor *x = made(t, TINY_SHAPE(6, 8)), *n = tiny_length(t, 5, 0, 64), *six = tiny_length(t, 6, 0, 64);
  refused(t, tiny_with_length(x, 0, n), TINY_E_SHAPE, "with_length: n is 5, dim 0 of (6,8) is not");
  refused(t, tiny_with_length(x, 2, n), TINY_E_ARG, "with_length: axis 2 is out of range for (6,8)");
  refused(t, tiny_with_length(tiny_sum(x, TINY_ALL, 0), 0, n), TINY_E_SHAPE, "with_length: a 0-d tensor has no axis 0");
  refused(t, tiny_with_length(x, 0, tiny_full(t, 6, TINY_I64, TINY_SHAPE(0))), TINY_E_ARG,
          "with_length: n is not made of tiny_length by adding, multiplying, dividing, min and max");
  refused(t, tiny_with_length(x, 0, tiny_length(t, 6, -1, 64)), TINY_E_SHAPE,
          "with_length: n may be -1 to 64, of which only 0 to 4611686018427387903 fit");
  refused(t, tiny_with_length(made(t, TINY_SHAPE(6, 8, 8)), 0, tiny_length(t, 6, 0, (int64_t)1 << 56)), TINY_E_ARG,
          "with_length: up to 72057594037927936 elements along dim 0 of (6,8,8) are too many");
  refused(t, tiny_with_length(tiny_with_length(x, 0, six), 1, tiny_length(t, 8, 0, 64)), TINY_E_SHAPE,
          "with_length: of dim 0 of (64,8) only a length is meant (tiny_slice_to), which this operator does not know "
          "about; tiny_whole fills the rest");
  static const int both[] = {0, 1};
  refused(t, tiny_with_length(tiny_shard(x, 0, both, 2), 0, six), TINY_E_DEVICE, "with_length: (6,8) is split over devices");
  tiny_tensor *there = tiny_with_length(tiny_to(x, 1), 0, six);
  CHECK_EQ(tiny_device_of(there), 1);
  CHECK(same_bytes(tiny_to(there, 0), x));
  CHECK(tiny_with_length(NULL, 0, NULL) == NULL);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// ** a training step on batches of any size **

enum { WIDE = 24, HIDDEN = 16, CLASSES = 5, MOST = 64, STEPS = 24, FIXED = 4 };     // FIXED: steps that are compared with fixed shapes
static tiny_tensor *net(tiny_tensor *x, tiny_tensor *const *w) {
  return tiny_log_softmax(tiny_matmul(tiny_relu(tiny_layer_norm(tiny_matmul(x, w[0]), 1, NULL, NULL, 1e-5)), w[1]), 1);
}
// The loss and the gradients of its mean over the batch.
static void step(tiny_tensor *x, tiny_tensor *target, tiny_tensor *const *w, tiny_tensor **out) {
  out[0] = tiny_neg(tiny_mean(tiny_sum(tiny_mul(net(x, w), target), 1, 0), 0, 0));
  tiny_grad(out[0], w, 2, out + 1);
}
static int close_to(tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *apart = tiny_amax(tiny_abs(tiny_sub(x, y)), TINY_ALL, 0);
  return tiny_item(apart) <= 1e-5;
}
static void test_training(const char *device) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *w[2] = {made(t, TINY_SHAPE(WIDE, HIDDEN)), made(t, TINY_SHAPE(HIDDEN, CLASSES))};
  uint64_t live = 0;
  for (int i = 0; i < STEPS; i++) {
    const int k = i ? 1 + (i * 37 + i * i * 11) % MOST : MOST / 2;
    float x[MOST * WIDE], target[MOST * CLASSES];
    tiny_tensor *out[3], *fixed[3];
    for (int j = 0; j < k * WIDE; j++) x[j] = element(j + 7 * i);
    for (int j = 0; j < k * CLASSES; j++) target[j] = (float)(j % CLASSES == (j / CLASSES + i) % CLASSES);
    tiny_begin(t);
    tiny_tensor *n = tiny_length(t, k, 0, MOST);
    tiny_tensor *a = tiny_from(t, x, TINY_F32, TINY_SHAPE(k, WIDE)), *b = tiny_from(t, target, TINY_F32, TINY_SHAPE(k, CLASSES));
    const tiny_stats before = tiny_stats_of(t);
    step(tiny_with_length(a, 0, n), tiny_with_length(b, 0, n), w, out);
    CHECK_EQ(tiny_realize(out, 3), TINY_OK);
    const tiny_stats after = tiny_stats_of(t);
    CHECK_EQ(after.schedules - before.schedules, i ? 0 : 1);
    if (i) CHECK_EQ(after.compiled + after.cache_hits, before.compiled + before.cache_hits);
    if (i >= STEPS - FIXED) step(a, b, w, fixed);
    for (int j = 0; i >= STEPS - FIXED && j < 3; j++) CHECK(close_to(out[j], fixed[j]));
    tiny_end(t);
    tn_guard(t, tn_collect_all, NULL);
    if (!i) live = tiny_stats_of(t).nbytes_live;
    CHECK_EQ(tiny_stats_of(t).nbytes_live, live);
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// What is refused memory leaves nothing behind, and works when there is some.
static void lengthened(tiny_ctx *t, int *wrong) {
  float out[12];
  tiny_begin(t);
  tiny_tensor *x = tiny_mul(made(t, TINY_SHAPE(4, 3)), tiny_full(t, 2, TINY_F32, TINY_SHAPE(1)));
  tiny_tensor *y = tiny_with_length(x, 0, tiny_length(t, 4, 0, 9));
  const tiny_code code = tiny_read(tiny_add(y, y), out, sizeof out);
  if (code == TINY_OK) for (int i = 0; i < 12; i++) *wrong += out[i] != 4 * element(3 * i + 12);
  *wrong += (code == TINY_OK) != (tiny_status(t) == TINY_OK);
  tiny_end(t);
}
static void test_refused(void) {
  memory_count m;
  tiny_desc d;
  int wrong = 0, done = 0;
  memset(&d, 0, sizeof d); memset(&m, 0, sizeof m);
  d.device = "INTERP"; d.cache_dir = "";
  d.alloc.fn = memory_fn; d.alloc.user = &m;
  for (long n = 1; !done && n < 100000; n++) {
    m.calls = 0; m.fail_at = n;
    tiny_ctx *t = tiny_open(&d);
    if (t) { lengthened(t, &wrong); done = tiny_status(t) == TINY_OK && m.calls < n; }
    const int refused = t && tiny_status(t) != TINY_OK;
    m.fail_at = 0;
    if (refused && tiny_ok(tiny_zeros(t, TINY_F32, TINY_SHAPE(1)))) {
      tiny_clear(t);
      lengthened(t, &wrong);
      wrong += tiny_status(t) != TINY_OK;
    }
    tiny_close(t);
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
  CHECK(done);
  CHECK_EQ(wrong, 0);
}

int main(void) {
  test_elements("CPU");
  test_elements("INTERP");
  test_collected();
  test_callers();
  test_errors();
  test_training("CPU");
  test_refused();
  return test_report();
}
