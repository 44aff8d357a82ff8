// nn_test: what the tests of operators on floats share: tensors from numbers, comparison of values, gradients by differences.
#ifndef NN_TEST_H
#define NN_TEST_H
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static void open_interp(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  t = tiny_open(&d);
}

#include "bad.h"

// n numbers between lo and hi, the same every time.
static tiny_tensor *numbers(tiny_dtype dtype, tiny_shape s, double lo, double hi) {
  double raw[512];
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  for (int64_t i = 0; i < n && i < 512; i++) raw[i] = lo + (hi - lo) * (0.5 + 0.5 * sin(0.7 + 1.9 * (double)i));
  tiny_tensor *x = tiny_from(t, raw, TINY_F64, s), *y = tiny_cast(x, dtype);
  tiny_realize(&y, 1);
  return y;
}
static tiny_tensor *given(tiny_dtype dtype, tiny_shape s, const double *data) {
  return tiny_cast(tiny_from(t, data, TINY_F64, s), dtype);
}
// Elements of x as doubles; how many.
static int64_t read_all(tiny_tensor *x, double *out) {
  const int64_t n = tiny_nelem_of(x);
  const tiny_code code = tiny_read(tiny_cast(x, TINY_F64), out, (size_t)n * sizeof *out);
  if (code != TINY_OK) printf("  %s\n", tiny_error(t));
  CHECK_EQ(code, TINY_OK);
  tiny_clear(t);
  return n;
}
static int is_close(double a, double b, double tol) { return (a != a && b != b) || a == b || fabs(a - b) <= tol * (1 + fabs(b)); }
static void same(const char *name, tiny_tensor *x, tiny_tensor *y, double tol) {
  double a[512], b[512];
  const int64_t n = read_all(x, a), m = read_all(y, b);
  CHECK_EQ(n, m);
  for (int64_t i = 0; i < n && i < m; i++) {
    if (is_close(a[i], b[i], tol)) continue;
    printf("%s: element %d is %.9g, wanted %.9g\n", name, (int)i, a[i], b[i]);
    CHECK(0);
    return;
  }
  CHECK(1);
}
static void is(const char *name, tiny_tensor *x, int64_t n, const double *want, double tol) {
  double a[512];
  const int64_t have = read_all(x, a);
  CHECK_EQ(have, n);
  for (int64_t i = 0; i < n && i < have; i++) {
    if (is_close(a[i], want[i], tol)) continue;
    printf("%s: element %d is %.9g, wanted %.9g\n", name, (int)i, a[i], want[i]);
    CHECK(0);
    return;
  }
  CHECK(1);
}

// sum(fn(x) * fixed weights)
static tiny_tensor *weighed(tiny_tensor *(*fn)(tiny_tensor *x), tiny_tensor *x) {
  tiny_tensor *y = tiny_cast(fn(x), TINY_F64);
  tiny_tensor *w = tiny_cos(tiny_reshape(tiny_arange(t, 0, (double)tiny_nelem_of(y), 1, TINY_F64), tiny_shape_of(y)));
  return tiny_sum(tiny_mul(y, w), TINY_ALL, 0);
}
// Its gradient, against finite differences. x is f64.
static void gradient(const char *name, tiny_tensor *(*fn)(tiny_tensor *x), tiny_tensor *x) {
  double at[128], g[128];
  const tiny_shape s = tiny_shape_of(x);
  const int64_t n = read_all(x, at);
  tiny_tensor *grad;
  tiny_begin(t);
  CHECK_EQ(tiny_grad(weighed(fn, x), &x, 1, &grad), TINY_OK);
  if (!tiny_ok(grad)) printf("%s: %s\n", name, tiny_error(t));
  else read_all(grad, g);
  for (int64_t i = 0; i < n && tiny_ok(grad); i++) {
    const double old = at[i], h = 1e-6;
    at[i] = old + h;
    const double up = tiny_item(weighed(fn, tiny_from(t, at, TINY_F64, s)));
    at[i] = old - h;
    const double down = tiny_item(weighed(fn, tiny_from(t, at, TINY_F64, s))), want = (up - down) / (2 * h);
    at[i] = old;
    if (!is_close(g[i], want, 1e-6)) printf("%s: gradient %d is %.9g, wanted %.9g\n", name, (int)i, g[i], want);
    CHECK(is_close(g[i], want, 1e-6));
  }
  tiny_end(t);
}
#endif
