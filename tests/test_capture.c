// test_capture: programs that are captured once and run with other inputs: values, updates, scalars, outputs that are inputs,
// what must be refused, and lives of what they hold.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static tiny_tensor *of4(float a, float b, float c, float d) { const float v[4] = {a, b, c, d}; return tiny_from(t, v, TINY_F32, TINY_SHAPE(4)); }
static int holds(tiny_tensor *x, int n, const float *want) {
  float got[16];
  int same = tiny_ok(x) && tiny_nelem(x) == n && tiny_read(x, got, (size_t)n * sizeof *got) == TINY_OK;
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
  CHECK_EQ(tiny_program_kernels(p), 2);
  const tiny_stats before = tiny_get_stats(t);
  for (int i = 0; i < 5; i++) {
    const float k = (float)i;
    tiny_tensor *in = of4(k, k + 1, k + 2, k + 3), *out[2];
    CHECK_EQ(tiny_run(p, &in, out), TINY_OK);
    HOLDS(out[0], k + 1, 1, k + 3, 1);
    HOLDS(out[1], 2 * k + 6);
    tiny_free(in); tiny_free(out[0]); tiny_free(out[1]);
  }
  CHECK_EQ(tiny_get_stats(t).schedules, before.schedules);
  CHECK_EQ(tiny_get_stats(t).compiled, before.compiled);
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
  const uint64_t before = tiny_get_stats(t).kernels;
  tiny_tensor *out = NULL;
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  const uint64_t n = tiny_get_stats(t).kernels - before;
  HOLDS(out, want, want, want, want);
  tiny_free(out);
  return n;
}
static void test_kept(void) {
  float mine[4] = {1, 2, 3, 4};
  tiny_tensor *x = of4(2, 2, 2, 2), *w = of4(1, 2, 3, 4), *b = tiny_blob(t, mine, TINY_F32, TINY_SHAPE(4), NULL);
  tiny_tensor *y = tiny_mul(x, tiny_sqrt(tiny_mul(tiny_sum(w, 0, 1), tiny_like(x, 0.4f))));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK_EQ(kernels_of(p, x, 4), tiny_program_kernels(p));
  CHECK_EQ(kernels_of(p, x, 4), 1);
  tiny_assign(w, of4(0, 0, 0, 40));
  CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
  CHECK_EQ(kernels_of(p, x, 8), tiny_program_kernels(p));
  CHECK_EQ(kernels_of(p, of4(3, 3, 3, 3), 12), 1);
  tiny_program_free(p);
  y = tiny_mul(x, tiny_sum(b, 0, 1));
  p = tiny_capture(t, &x, 1, &y, 1);
  kernels_of(p, x, 20);
  mine[0] = 11;
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
      const uint64_t before = tiny_get_stats(own).kernels;
      CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
      n[i] = tiny_get_stats(own).kernels - before;
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
  CHECK_EQ(tiny_shape_get(out).ndim, 4);
  HOLDS(out, 14, 17, 32, 35);
  tiny_tensor *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), *empty = tiny_sum(none, 1, 0);
  tiny_program *q = tiny_capture(t, NULL, 0, &empty, 1);
  CHECK(q != NULL);
  CHECK_EQ(tiny_run(q, NULL, &out), TINY_OK);
  CHECK_EQ(tiny_nelem(out), 0);
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
  CHECK_EQ(tiny_program_kernels(NULL), 0);
  tiny_program_free(NULL);
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  HOLDS(out, 1, 4, 9, 16);                 // and it goes on working; tiny_close frees it
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
    test_lives();
    CHECK_EQ(tiny_status(t), TINY_OK);
    tiny_close(t);
  }
  return test_report();
}
