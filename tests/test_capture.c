// also: late
// test_capture: programs that are captured once and run with other inputs: values, updates, scalars, outputs that are inputs,
// what must be refused, and lives of what they hold.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static tiny_tensor *of4(float a, float b, float c, float d) { const float v[4] = {a, b, c, d}; return tiny_from(t, v, TINY_F32, TINY_SHAPE(4)); }
static int holds(tiny_tensor *x, int n, const float *want) {
  float got[16];
  int same = tiny_ok(x) && tiny_nelem_of(x) == n && tiny_read(x, got, (size_t)n * sizeof *got) == TINY_OK;
  for (int i = 0; i < n && same; i++) same = got[i] == want[i];
  if (!same) { fprintf(stderr, "  %s; got", tiny_error(t)); for (int i = 0; i < n; i++) fprintf(stderr, " %g", got[i]); fprintf(stderr, "\n"); }
  return same;
}
#define HOLDS(x, ...) do { const float want_[] = {__VA_ARGS__}; CHECK(holds(x, (int)(sizeof want_ / sizeof *want_), want_)); } while (0)

static void test_values(void) {
  tiny_tensor *x = of4(1, 2, 3, 4), *w = of4(1, 0, 1, 0), *y[2];
  y[0] = tiny_add(tiny_mul(x, w), tiny_like(x, 1));
  y[1] = tiny_sum(y[0], 0, 0);
  tiny_program *p = tiny_capture(t, &x, 1, y, 2);
  CHECK(p != NULL);
  CHECK_EQ(tiny_program_kernel_count(p), 2);
  const tiny_stats before = tiny_stats_of(t);
  for (int i = 0; i < 5; i++) {
    const float k = (float)i;
    tiny_tensor *in = of4(k, k + 1, k + 2, k + 3), *out[2];
    CHECK_EQ(tiny_run(p, &in, out), TINY_OK);
    HOLDS(out[0], k + 1, 1, k + 3, 1);
    HOLDS(out[1], 2 * k + 6);
    tiny_free(in); tiny_free(out[0]); tiny_free(out[1]);
  }
  CHECK_EQ(tiny_stats_of(t).schedules, before.schedules);
  CHECK_EQ(tiny_stats_of(t).compiled, before.compiled);
  HOLDS(y[0], 2, 1, 4, 1);                 // the captured tensors themselves still work
  tiny_program_free(p);
}

// Earlier outputs keep their values when the program runs again; outputs feed inputs.
static void test_outputs(void) {
  tiny_tensor *x = of4(1, 1, 1, 1), *y = tiny_mul(x, tiny_like(x, 2)), *out[6];
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  out[0] = x;
  for (int i = 0; i < 5; i++) CHECK_EQ(tiny_run(p, &out[i], &out[i + 1]), TINY_OK);
  for (int i = 0; i < 6; i++) { const float k = (float)(1 << i); HOLDS(out[i], k, k, k, k); }
  tiny_program_free(p);
  tiny_tensor *both[2] = {x, y}, *got[2];  // an output that is an input as it is
  p = tiny_capture(t, &x, 1, both, 2);
  tiny_tensor *in = of4(5, 6, 7, 8);
  CHECK_EQ(tiny_run(p, &in, got), TINY_OK);
  HOLDS(got[0], 5, 6, 7, 8);
  HOLDS(got[1], 10, 12, 14, 16);
  tiny_program_free(p);
}

// A program that updates memory: an input's, and its own.
static void test_updates(void) {
  tiny_tensor *state = of4(0, 0, 0, 0), *x = of4(1, 2, 3, 4), *y = tiny_add(state, x);
  tiny_assign(state, tiny_add(state, x));
  tiny_tensor *want[2] = {y, state}, *got[2];
  tiny_program *p = tiny_capture(t, &x, 1, want, 2);
  CHECK(p != NULL);
  for (int i = 1; i <= 3; i++) {
    const float k = (float)i;
    tiny_tensor *in = of4(1, 1, 1, 1);
    CHECK_EQ(tiny_run(p, &in, got), TINY_OK);
    HOLDS(got[0], k, k, k, k);
    HOLDS(got[1], k, k, k, k);
  }
  tiny_program_free(p);
}

// What depends on the program's own memory alone is computed once, and again when that is overwritten; never kept
// where the caller or the program itself writes.
static uint64_t kernels_of(tiny_program *p, tiny_tensor *x, float want) {
  const uint64_t before = tiny_stats_of(t).kernels;
  tiny_tensor *out = NULL;
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  const uint64_t n = tiny_stats_of(t).kernels - before;
  HOLDS(out, want, want, want, want);
  tiny_free(out);
  return n;
}
static void test_kept(void) {
  float mine[4] = {1, 2, 3, 4};
  const int shares = t->device[0]->limits.host_memory;
  tiny_tensor *x = of4(2, 2, 2, 2), *w = of4(1, 2, 3, 4),
              *b = shares ? tiny_blob(t, mine, TINY_F32, TINY_SHAPE(4), NULL) : of4(1, 2, 3, 4);
  tiny_tensor *y = tiny_mul(x, tiny_sqrt(tiny_mul(tiny_sum(w, 0, 1), tiny_like(x, 0.4f))));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK_EQ(kernels_of(p, x, 4), tiny_program_kernel_count(p));
  CHECK_EQ(kernels_of(p, x, 4), 1);
  tiny_assign(w, of4(0, 0, 0, 40));
  CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
  CHECK_EQ(kernels_of(p, x, 8), tiny_program_kernel_count(p));
  CHECK_EQ(kernels_of(p, of4(3, 3, 3, 3), 12), 1);
  tiny_program_free(p);
  y = tiny_mul(x, tiny_sum(b, 0, 1));
  p = tiny_capture(t, &x, 1, &y, 1);
  kernels_of(p, x, 20);
  mine[0] = 11;
  CHECK(shares || tiny_write(b, mine, sizeof mine) == TINY_OK);
  kernels_of(p, x, 40);
  tiny_program_free(p);
  tiny_tensor *s = tiny_sum(w, 0, 1), *both[2] = {tiny_mul(x, s), w}, *got[2];
  tiny_assign(w, tiny_mul(w, tiny_like(w, 2)));
  p = tiny_capture(t, &x, 1, both, 2);
  for (int i = 1; i <= 3; i++) {
    const float k = (float)(80 << i) / 2;
    CHECK_EQ(tiny_run(p, &x, got), TINY_OK);
    HOLDS(got[0], k, k, k, k);
  }
  tiny_program_free(p);
}

// Where the cap is near, nothing is kept, and what was kept goes.
static void test_kept_under_cap(const char *device) {
  enum { SIDE = 256, NBYTES = SIDE * SIDE * 4 };
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = "";
  for (int times = 3; times <= 8; times += 5) {
    d.max_nbytes = (size_t)times * NBYTES + (1 << 16);
    tiny_ctx *own = tiny_open(&d);
    tiny_tensor *w = tiny_full(own, 1.5, TINY_F32, TINY_SHAPE(SIDE, SIDE)), *x = tiny_full(own, 2, TINY_F32, TINY_SHAPE(1));
    CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    tiny_tensor *y = tiny_mul(tiny_sum(tiny_contiguous(tiny_transpose(w, 0, 1)), TINY_AXES(0, 1), 0), x), *out, *more[8];
    tiny_program *p = tiny_capture(own, &x, 1, &y, 1);
    uint64_t n[3];
    int nmore = 0;
    for (int i = 0; i < 3; i++) {
      const uint64_t before = tiny_stats_of(own).kernels;
      CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
      n[i] = tiny_stats_of(own).kernels - before;
      CHECK(tiny_item(out) == 3.0 * SIDE * SIDE);
      for (; i == 1 && nmore < times - 2; nmore++) {       // leaves no room beside what is kept
        more[nmore] = tiny_full(own, nmore, TINY_F32, TINY_SHAPE(SIDE, SIDE));
        CHECK_EQ(tiny_realize(&more[nmore], 1), TINY_OK);
      }
    }
    CHECK(times == 3 || n[1] < n[0]);
    CHECK_EQ(tiny_status(own), TINY_OK);
    tiny_close(own);
  }
}

static void test_shapes(void) {
  float image[36];
  for (int i = 0; i < 36; i++) image[i] = (float)i;
  tiny_tensor *x = tiny_from(t, image, TINY_F32, TINY_SHAPE(1, 1, 6, 6)), *y = tiny_max_pool2d(x, 3, 0, 0);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_tensor *flat = tiny_from(t, image, TINY_F32, TINY_SHAPE(36)), *in = tiny_reshape(flat, TINY_SHAPE(1, 1, 6, 6)), *out = NULL;
  CHECK_EQ(tiny_run(p, &in, &out), TINY_OK);
  CHECK_EQ(tiny_shape_of(out).ndim, 4);
  HOLDS(out, 14, 17, 32, 35);
  tiny_tensor *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), *empty = tiny_sum(none, 1, 0);
  tiny_program *q = tiny_capture(t, NULL, 0, &empty, 1);
  CHECK(q != NULL);
  CHECK_EQ(tiny_run(q, NULL, &out), TINY_OK);
  CHECK_EQ(tiny_nelem_of(out), 0);
  tiny_program_free(p);
  tiny_program_free(q);
}

static void test_refused(void) {
  tiny_tensor *x = of4(1, 2, 3, 4), *lazy = tiny_neg(x), *y = tiny_mul(x, x), *out = NULL;
  CHECK(tiny_capture(t, &lazy, 1, &y, 1) == NULL);
  CHECK_EQ(tiny_status(t), TINY_E_STATE);
  tiny_clear(t);
  CHECK(tiny_capture(t, &x, 1, NULL, 1) == NULL);
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  tiny_clear(t);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_tensor *small = tiny_from(t, "abcd", TINY_F32, TINY_SHAPE(1));
  CHECK_EQ(tiny_run(p, &small, &out), TINY_E_SHAPE);
  tiny_clear(t);
  CHECK_EQ(tiny_run(p, &lazy, &out), TINY_E_STATE);
  tiny_clear(t);
  CHECK_EQ(tiny_run(p, NULL, &out), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_run(NULL, &x, &out), TINY_E_ARG);
  CHECK_EQ(tiny_program_kernel_count(NULL), 0);
  tiny_program_free(NULL);
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  HOLDS(out, 1, 4, 9, 16);                 // and it goes on working; tiny_close frees it
}

// Of several things that are wrong with inputs the dtype is told first, then the shape, then that one is not realized.
static void test_first_wrong(void) {
  tiny_tensor *x = of4(1, 2, 3, 4), *k = tiny_scalar(t, 2, TINY_F32), *out = NULL;
  tiny_tensor *in[3] = {x, tiny_neg(of4(1, 1, 1, 1)), k};
  CHECK_EQ(tiny_realize(&in[1], 1), TINY_OK);
  tiny_tensor *y = tiny_mul(tiny_add(x, in[1]), k);
  tiny_program *p = tiny_capture(t, in, 3, &y, 1);
  tiny_tensor *lazy = tiny_neg(x), *ints = tiny_cast(lazy, TINY_I32), *wide = tiny_reshape(lazy, TINY_SHAPE(2, 2));
  tiny_tensor *const wrong[][3] = {{lazy, ints, k}, {lazy, wide, k}, {lazy, in[1], tiny_scalar(t, 2, TINY_F64)},
                                   {lazy, in[1], x}, {x, lazy, k}, {x, in[1], tiny_sum(x, 0, 0)}};
  static const struct { tiny_code code; const char *says; } told[] = {
    {TINY_E_DTYPE, "run: input 1 is i32, the captured one was f32"},
    {TINY_E_SHAPE, "run: input 1 is (2,2), the captured one was (4,)"},
    {TINY_E_DTYPE, "run: input 2 is f64, the captured one was f32"},
    {TINY_E_STATE, "run: input 2 is no tiny_scalar, as the captured one was"},
    {TINY_E_STATE, "run: input 1 is not realized"},
    {TINY_E_STATE, "run: input 2 is no tiny_scalar, as the captured one was"}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    CHECK_EQ(tiny_run(p, wrong[i], &out), told[i].code);
    CHECK_STR(tiny_error(t), told[i].says);
    tiny_clear(t);
  }
  CHECK_EQ(tiny_run(p, in, &out), TINY_OK);
  HOLDS(out, 0, 2, 4, 6);
  tiny_program_free(p);
}

// What a program needs lives as long as it, whatever the user frees.
static void test_lives(void) {
  tiny_begin(t);
  tiny_tensor *x = of4(1, 2, 3, 4), *w = of4(2, 2, 2, 2), *y = tiny_mul(tiny_mul(x, w), tiny_scalar(t, 3, TINY_F32));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK_EQ(tiny_end(t), TINY_OK);
  for (int i = 0; i < 50; i++) {           // enough to reuse freed memory and nodes
    tiny_begin(t);
    tiny_tensor *in = of4(1, 1, (float)i, 1), *out = NULL, *other = tiny_exp(of4(9, 9, 9, 9));
    CHECK_EQ(tiny_realize(&other, 1), TINY_OK);
    CHECK_EQ(tiny_run(p, &in, &out), TINY_OK);
    HOLDS(out, 6, 6, 6 * (float)i, 6);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  tiny_program_free(p);
}

// ** what a program is bound to: a cell of the manual's table each **

static int runs_to(tiny_program *p, tiny_tensor *const *in, int n, const float *want) {
  tiny_tensor *out = NULL;
  const int same = tiny_run(p, in, &out) == TINY_OK && holds(out, n, want);
  if (!same) fprintf(stderr, "  run: %s\n", tiny_error(t));
  tiny_free(out);
  return same;
}
#define RUNS(p, in, ...) \
  do { const float want_[] = {__VA_ARGS__}; CHECK(runs_to(p, in, (int)(sizeof want_ / sizeof *want_), want_)); } while (0)
#define REFUSED(call, code, text) \
  do { \
    CHECK_EQ(call, code); \
    if (!strstr(tiny_error(t), text)) fprintf(stderr, "  %s\n", tiny_error(t)); \
    CHECK(strstr(tiny_error(t), text) != NULL); \
    tiny_clear(t); \
  } while (0)
static tiny_code captures(tiny_tensor *const *in, int n, tiny_tensor *out) {
  tiny_program *p = tiny_capture(t, in, n, &out, 1);
  tiny_program_free(p);
  return p ? TINY_OK : tiny_status(t);
}
static int write4(tiny_tensor *x, float a, float b, float c, float d) {
  const float v[4] = {a, b, c, d};
  return tiny_write(x, v, sizeof v) == TINY_OK;
}
// A weight in memory, made in one of four ways.
enum { FROM, COMPUTED, ASSIGNED, WRITTEN, WAYS };
static tiny_tensor *weight(int way, float k) {
  tiny_tensor *w = way == COMPUTED ? tiny_mul(of4(1, 1, 1, 1), tiny_scalar(t, k, TINY_F32)) : of4(k, k, k, k);
  if (way == ASSIGNED) { w = tiny_zeros(t, TINY_F32, TINY_SHAPE(4)); tiny_assign(w, of4(k, k, k, k)); }
  CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
  if (way == WRITTEN) CHECK(write4(w, k, k, k, k));
  return w;
}
// Memory that the program reads: what write, assign, a view, and another program put there reaches it, in any order; and
// what was built from it before keeps what it had.
static void test_bound_memory(void) {
  for (int way = 0; way < WAYS; way++) {
    tiny_tensor *x = of4(1, 2, 3, 4), *w = weight(way, 2), *y = tiny_mul(x, w), *lazy = tiny_neg(w);
    tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
    RUNS(p, &x, 2, 4, 6, 8);
    CHECK(write4(w, 3, 3, 3, 3));
    RUNS(p, &x, 3, 6, 9, 12);
    tiny_assign(w, of4(4, 4, 4, 4));
    RUNS(p, &x, 4, 8, 12, 16);
    CHECK(write4(w, 5, 5, 5, 5));
    tiny_assign(w, tiny_add(w, tiny_like(w, 1)));
    CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
    RUNS(p, &x, 6, 12, 18, 24);
    tiny_tensor *half = tiny_shrink(w, TINY_SHAPE(1, 3));
    const float v[2] = {0, 1};
    CHECK_EQ(tiny_write(half, v, sizeof v), TINY_OK);
    RUNS(p, &x, 6, 0, 3, 24);
    HOLDS(w, 6, 0, 1, 6);
    HOLDS(lazy, -2, -2, -2, -2);
    tiny_begin(t);                         // a program that assigns to it
    tiny_assign(w, tiny_mul(w, tiny_like(w, 2)));
    tiny_program *q = tiny_capture(t, NULL, 0, &w, 1);
    CHECK_EQ(tiny_end(t), TINY_OK);
    HOLDS(w, 6, 0, 1, 6);                  // it has not happened
    tiny_tensor *before = tiny_neg(w), *negative = tiny_neg(w);
    CHECK_EQ(tiny_realize(&negative, 1), TINY_OK);
    RUNS(q, NULL, 12, 0, 2, 12);
    RUNS(q, NULL, 24, 0, 4, 24);
    RUNS(p, &x, 24, 0, 12, 96);
    HOLDS(w, 24, 0, 4, 24);
    HOLDS(before, -6, 0, -1, -6);
    HOLDS(negative, -6, 0, -1, -6);
    HOLDS(tiny_neg(w), -24, 0, -4, -24);   // not what was computed before
    CHECK(write4(w, 1, 1, 1, 1));
    RUNS(q, NULL, 2, 2, 2, 2);
    RUNS(q, &w, 4, 4, 4, 4);
    tiny_program_free(q);
    tiny_program_free(p);
  }
}
// Two tensors of one node: which of them a program follows cannot be told.
static void test_bound_twice(void) {
  tiny_tensor *a = tiny_eye(t, 2, TINY_F32), *b = tiny_eye(t, 2, TINY_F32), *y = tiny_sum(a, TINY_ALL, 0), *out = NULL;
  CHECK_EQ(tiny_realize(&a, 1), TINY_OK);
  tiny_program *p = tiny_capture(t, NULL, 0, &y, 1);
  RUNS(p, NULL, 2);
  CHECK(write4(a, 1, 1, 1, 1));
  HOLDS(b, 1, 0, 0, 1);
  REFUSED(tiny_run(p, NULL, &out), TINY_E_STATE, "tiny_clone");
  CHECK(!tiny_ok(out));
  tiny_program_free(p);
}
// A value that was computed is not found again when the memory it became was overwritten.
static void test_computed_memory(void) {
  tiny_tensor *a = tiny_eye(t, 2, TINY_F32);
  CHECK_EQ(tiny_realize(&a, 1), TINY_OK);
  tiny_assign(a, tiny_like(a, 5));
  HOLDS(a, 5, 5, 5, 5);
  HOLDS(tiny_eye(t, 2, TINY_F32), 1, 0, 0, 1);
}
static void test_bound_state(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/test_capture.npz", folder);
  for (int way = 0; way < WAYS; way++) {
    tiny_tensor *x = of4(1, 2, 3, 4), *w = weight(way, 7), *y;
    tiny_params list;
    memset(&list, 0, sizeof list);
    CHECK_EQ(tiny_params_add(&list, NULL, "w", w, 1), TINY_OK);
    CHECK_EQ(tiny_state_save(path, &list, NULL), TINY_OK);
    CHECK(write4(w, 1, 1, 1, 1));
    tiny_tensor *lazy = tiny_neg(w);
    y = tiny_mul(x, w);
    tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
    CHECK(write4(w, 2, 2, 2, 2));
    RUNS(p, &x, 2, 4, 6, 8);
    CHECK_EQ(tiny_state_load(path, &list, NULL, 1), TINY_OK);
    RUNS(p, &x, 7, 14, 21, 28);
    tiny_assign(w, of4(3, 3, 3, 3));
    RUNS(p, &x, 3, 6, 9, 12);
    HOLDS(lazy, -1, -1, -1, -1);
    tiny_program_free(p);
    tiny_params_free(&list);
  }
  remove(path);
}
// Inputs: what was computed from them before is computed anew; those that reach nothing are errors.
static void test_bound_inputs(void) {
  tiny_tensor *x = of4(1, 2, 3, 4), *h = tiny_mul(x, x), *y = tiny_add(h, x), *in[3] = {x, x, x}, *out = NULL;
  HOLDS(h, 1, 4, 9, 16);
  HOLDS(y, 2, 6, 12, 20);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_tensor *z = of4(2, 2, 2, 3);
  RUNS(p, &z, 6, 6, 6, 12);
  HOLDS(y, 2, 6, 12, 20);
  REFUSED(captures(in, 2, y), TINY_E_STATE, "input 1 reaches no output");
  in[1] = of4(0, 0, 0, 0);
  REFUSED(captures(in, 2, y), TINY_E_STATE, "input 1 reaches no output");
  tiny_tensor *lazy = tiny_neg(x);
  CHECK(write4(x, 5, 6, 7, 8));
  REFUSED(captures(&x, 1, lazy), TINY_E_STATE, "input 0 reaches no output");
  HOLDS(lazy, -1, -2, -3, -4);
  tiny_tensor *s = tiny_scalar(t, 3, TINY_F32), *scaled = tiny_mul(x, s), *both[2] = {x, s};
  tiny_program *q = tiny_capture(t, both, 2, &scaled, 1);
  both[1] = tiny_scalar(t, 2, TINY_F32);
  RUNS(q, both, 10, 12, 14, 16);
  both[1] = z;
  REFUSED(tiny_run(q, both, &out), TINY_E_STATE, "input 1 is no tiny_scalar");
  tiny_program_free(q);
  const int32_t whole[4] = {1, 2, 3, 4};
  tiny_tensor *wrong = tiny_from(t, whole, TINY_I32, TINY_SHAPE(4)), *square = tiny_reshape(z, TINY_SHAPE(2, 2));
  out = x;
  REFUSED(tiny_run(p, &wrong, &out), TINY_E_DTYPE, "input 0 is i32, the captured one was f32");
  CHECK(out == tn_poison(t));
  out = x;
  REFUSED(tiny_run(p, &square, &out), TINY_E_SHAPE, "input 0 is (2,2), the captured one was (4,)");
  CHECK(out == tn_poison(t));
  out = x;
  REFUSED(tiny_run(p, NULL, &out), TINY_E_ARG, "NULL");
  CHECK(out == tn_poison(t));
  out = z;                                 // one array for both
  CHECK_EQ(tiny_run(p, &out, &out), TINY_OK);
  HOLDS(out, 6, 6, 6, 12);
  tiny_program_free(p);
}
// Outputs are values: of what is in memory, of what is assigned, of an input.
static void test_bound_outputs(void) {
  tiny_tensor *x = of4(1, 2, 3, 4), *w = of4(1, 1, 1, 1), *given = of4(5, 5, 5, 5), *out[4];
  tiny_tensor *known = tiny_exp(tiny_like(w, 0)), *square = tiny_reshape(w, TINY_SHAPE(2, 2));
  CHECK_EQ(tiny_realize(&known, 1), TINY_OK);
  tiny_begin(t);
  tiny_assign(w, tiny_add(w, x));
  tiny_tensor *want[4] = {x, w, known, square};
  tiny_program *p = tiny_capture(t, &x, 1, want, 4);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK_EQ(tiny_run(p, &given, out), TINY_OK);
  tiny_tensor *again[4];
  CHECK_EQ(tiny_run(p, &given, again), TINY_OK);
  tiny_assign(given, tiny_like(given, 0));
  CHECK_EQ(tiny_realize(&given, 1), TINY_OK);
  HOLDS(out[0], 5, 5, 5, 5);
  HOLDS(out[1], 6, 6, 6, 6);
  HOLDS(again[1], 11, 11, 11, 11);
  HOLDS(out[2], 1);
  HOLDS(again[3], 11, 11, 11, 11);
  HOLDS(w, 11, 11, 11, 11);
  HOLDS(square, 11, 11, 11, 11);
  CHECK_EQ(tiny_run(p, &w, again), TINY_OK);               // reads what it overwrites
  HOLDS(again[1], 22, 22, 22, 22);
  tiny_program_free(p);
}
// What is asked for again follows its sources, though its value was known; what is only used is memory, also if it was
// computed in the frame; and what can no longer be computed stays what it is.
static void test_bound_asked(void) {
  for (int k = 0; k < 12; k++) {
    const int framed = k & 1, how = k / 2;                 // of 0 to 5
    const float three[4] = {3, 3, 3, 3};
    tiny_tensor *w = of4(1, 2, 3, 4), *held = tiny_square(w), *one = tiny_like(w, 1), *y = NULL, *out = NULL;
    HOLDS(held, 1, 4, 9, 16);
    if (framed) tiny_begin(t);
    if (how == 0) y = tiny_add(tiny_square(w), one);                       // asked for again
    if (how == 1) y = tiny_add(held, one);                                 // used
    if (how == 2) { y = tiny_exp2(w); HOLDS(y, 2, 4, 8, 16); y = tiny_add(y, one); }               // read on the way
    if (how == 3) y = tiny_square(w);                                      // the output itself
    if (how == 4) {                                                        // its source was written since
      y = tiny_square(w);
      CHECK_EQ(tiny_write(w, three, sizeof three), TINY_OK);
      y = tiny_add(y, one);
    }
    if (how == 5) {                                                        // a gradient that was known
      tiny_tensor *g[2], *cube = tiny_sum(tiny_mul(w, tiny_square(w)), TINY_ALL, 0);
      CHECK_EQ(tiny_grad(cube, &w, 1, &g[0]), TINY_OK);
      HOLDS(g[0], 3, 12, 27, 48);
      CHECK_EQ(tiny_grad(cube, &w, 1, &g[1]), TINY_OK);
      y = tiny_neg(g[1]);
    }
    tiny_program *p = tiny_capture(t, NULL, 0, &y, 1);
    CHECK(p != NULL);
    tiny_clear(t);
    if (framed) CHECK_EQ(tiny_end(t), TINY_OK);
    const float two[4] = {2, 2, 2, 2};
    CHECK_EQ(tiny_write(w, two, sizeof two), TINY_OK);
    if (p) CHECK_EQ(tiny_run(p, NULL, &out), TINY_OK);
    if (how == 0) HOLDS(out, 5, 5, 5, 5);
    if (how == 1 || how == 4) HOLDS(out, 2, 5, 10, 17);
    if (how == 2) HOLDS(out, 3, 5, 9, 17);
    if (how == 3) HOLDS(out, 4, 4, 4, 4);
    if (how == 5) HOLDS(out, -12, -12, -12, -12);
    HOLDS(held, 1, 4, 9, 16);
    tiny_program_free(p);
  }
}
// An input that the program would assign to is no input.
static void test_bound_assigned_input(void) {
  const float v[4] = {1, 2, 3, 4};
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(2, 2)), *flat = tiny_reshape(x, TINY_SHAPE(4));
  tiny_begin(t);
  tiny_assign(x, tiny_add(x, x));
  tiny_tensor *y = tiny_neg(flat);
  CHECK(tiny_capture(t, &flat, 1, &y, 1) == NULL);
  CHECK_EQ(tiny_status(t), TINY_E_STATE);
  CHECK(strstr(tiny_error(t), "input 0 lies in memory that the program assigns to") != NULL);
  tiny_clear(t);
  CHECK_EQ(tiny_end(t), TINY_OK);
  HOLDS(x, 2, 4, 6, 8);
}
// In a frame random numbers go on as those of steps that are built anew; outside they are what they were.
static void test_bound_random(void) {
  float want[3][4], got[4];
  for (int i = 0; i < 3; i++) {
    if (!i) tiny_seed(t, 5);
    tiny_tensor *r = tiny_rand(t, TINY_SHAPE(4)), *other = tiny_randn(t, TINY_SHAPE(3));
    CHECK_EQ(tiny_read(r, want[i], sizeof want[i]), TINY_OK);
    tiny_free(other);
  }
  tiny_seed(t, 5);
  tiny_tensor *fixed = tiny_rand(t, TINY_SHAPE(4)), *out = NULL;
  tiny_seed(t, 5);
  tiny_begin(t);
  tiny_tensor *r = tiny_add(tiny_rand(t, TINY_SHAPE(4)), tiny_like(fixed, 0));
  tiny_randn(t, TINY_SHAPE(3));
  tiny_program *p = tiny_capture(t, NULL, 0, &r, 1), *q = NULL;
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK((q = tiny_capture(t, NULL, 0, &fixed, 1)) != NULL);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(tiny_run(p, NULL, &out), TINY_OK);
    CHECK_EQ(tiny_read(out, got, sizeof got), TINY_OK);
    CHECK(!memcmp(got, want[i], sizeof got));
    CHECK_EQ(tiny_run(q, NULL, &out), TINY_OK);
    CHECK_EQ(tiny_read(out, got, sizeof got), TINY_OK);
    CHECK(!memcmp(got, want[0], sizeof got));
  }
  tiny_seed(t, 5);                         // and the seed is the context's
  CHECK_EQ(tiny_run(p, NULL, &out), TINY_OK);
  CHECK_EQ(tiny_read(out, got, sizeof got), TINY_OK);
  CHECK(!memcmp(got, want[0], sizeof got));
  tiny_program_free(p);
  tiny_program_free(q);
}
// An assignment that was pending when the frame was opened happens once, not in each run; nor is it lost where frames nest.
static void test_bound_earlier(void) {
  for (int nested = 0; nested < 2; nested++) {
    tiny_tensor *x = of4(1, 2, 3, 4), *w = of4(0, 0, 0, 0), *late = of4(8, 8, 8, 8), *out = NULL;
    tiny_assign(w, tiny_mul(x, tiny_like(x, 10)));
    if (nested) tiny_begin(t);
    tiny_assign(late, tiny_add(late, x));
    tiny_begin(t);
    tiny_assign(w, tiny_add(w, x));
    tiny_tensor *y = tiny_add(w, late);
    tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
    CHECK(p != NULL);
    CHECK_EQ(tiny_end(t), TINY_OK);
    if (nested) CHECK_EQ(tiny_end(t), TINY_OK);
    HOLDS(w, 10, 20, 30, 40);
    for (int i = 1; i <= 3; i++) {
      CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
      HOLDS(w, 10 + i, 20 + 2 * i, 30 + 3 * i, 40 + 4 * i);
      HOLDS(out, 19 + i, 30 + 2 * i, 41 + 3 * i, 52 + 4 * i);
    }
    tiny_program_free(p);
  }
}
// What cannot be a step of a program.
static void test_bound_refused(void) {
  tiny_tensor *x = of4(1, 2, 3, 4), *w = tiny_zeros(t, TINY_F32, TINY_SHAPE(4)), *out = NULL;
  tiny_begin(t);
  tiny_assign(w, tiny_add(w, x));
  REFUSED(captures(&x, 1, w), TINY_E_STATE, "tiny_realize it first");
  CHECK_EQ(tiny_end(t), TINY_OK);
  HOLDS(w, 1, 2, 3, 4);                    // it went on as it was
  tiny_begin(t);
  tiny_assign(w, tiny_add(w, x));
  tiny_tensor *late = tiny_keep(tiny_neg(w));
  tiny_program *p = tiny_capture(t, &x, 1, &w, 1);
  CHECK_EQ(tiny_end(t), TINY_OK);
  REFUSED(tiny_realize(&late, 1), TINY_E_STATE, "captured program");
  tiny_free(late);
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  HOLDS(out, 2, 4, 6, 8);
  tiny_program_free(p);
  HOLDS(w, 2, 4, 6, 8);
}

int main(void) {
  static const char *const devices[] = {"INTERP", "CPU"};
  for (int i = 0; i < 2; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[i]; d.cache_dir = "";
    t = tiny_open(&d);
    test_values();
    test_outputs();
    test_updates();
    test_kept();
    test_kept_under_cap(devices[i]);
    test_shapes();
    test_refused();
    test_first_wrong();
    test_lives();
    test_bound_memory();
    test_bound_twice();
    test_computed_memory();
    test_bound_state("build");
    test_bound_inputs();
    test_bound_outputs();
  test_bound_asked();
  test_bound_assigned_input();
    test_bound_random();
    test_bound_earlier();
    test_bound_refused();
    CHECK_EQ(tiny_status(t), TINY_OK);
    tiny_close(t);
  }
  return test_report();
}
