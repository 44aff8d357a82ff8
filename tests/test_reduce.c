// also: llvm ptx-own outside levels
// reduce, scan: errors, dtypes that PyTorch lacks, empty and 0-d inputs, gradients at corners, long scans.
#include "operator_test.h"

static int is(tiny_tensor *x, tiny_dtype dtype, int n, const double *want) {
  int ok = tiny_dtype_of(x) == dtype && values(x) == n;
  for (int i = 0; i < n && ok; i++) ok = got[i] == want[i] || (got[i] != got[i] && want[i] != want[i]);
  if (!ok) fprintf(stderr, "    %s %g %g %g ..\n", tiny_dtype_name(tiny_dtype_of(x)), got[0], got[1], got[2]);
  return ok;
}
#define IS(x, dtype, ...) CHECK(is(x, dtype, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__}))

static tiny_tensor *of(tiny_dtype dtype, int n, const double *v) { return tiny_cast(tiny_from(t, v, TINY_F64, TINY_SHAPE(n)), dtype); }
#define OF(dtype, ...) of(dtype, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

static tiny_tensor *var1(tiny_tensor *x, int axis, int keepdim) { return tiny_var(x, axis, keepdim, 1); }
static tiny_tensor *std1(tiny_tensor *x, int axis, int keepdim) { return tiny_std(x, axis, keepdim, 1); }
static tiny_tensor *norm2(tiny_tensor *x, int axis, int keepdim) { return tiny_norm(x, 2, axis, keepdim); }
static tiny_tensor *best(tiny_tensor *x, int axis, int keepdim) { return tiny_max(x, axis, keepdim, NULL); }
static tiny_tensor *aminmax(tiny_tensor *x, int axis, int keepdim) { return tiny_aminmax(x, axis, keepdim, NULL); }

// ** errors **

static void check_errors(void) {
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3)), *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), *second;
  tiny_tensor *(*const folds[])(tiny_tensor *, int, int) = {tiny_sum, tiny_prod, tiny_amax, tiny_amin, tiny_mean, tiny_any, tiny_all, tiny_count_nonzero, tiny_nansum, tiny_nanmean,
    tiny_argmax, tiny_argmin, var1, std1, norm2, best, aminmax};
  for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
    BAD(folds[i](x, 2, 0), TINY_E_ARG, ": axis 2 is out of range for (2,3)");
    BAD(folds[i](x, -3, 1), TINY_E_ARG, ": axis -3 is out of range for (2,3)");
    CHECK(folds[i](NULL, 0, 0) == NULL && folds[i](tn_poison(t), 9, 0) == tn_poison(t));
  }
  tiny_tensor *(*const scans[])(tiny_tensor *, int) = {tiny_cumsum, tiny_cumprod, tiny_logcumsumexp};
  for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
    BAD(scans[i](x, 2), TINY_E_ARG, ": axis 2 is out of range for (2,3)");
    CHECK(scans[i](NULL, 0) == NULL && scans[i](tn_poison(t), 0) == tn_poison(t));
  }
  BAD(tiny_amax(none, 0, 0), TINY_E_SHAPE, "amax: there is nothing along the axis of (0,3)");
  BAD(tiny_amin(none, TINY_ALL, 0), TINY_E_SHAPE, "amin: there is nothing along the axis of (0,3)");
  BAD(tiny_aminmax(none, 0, 0, &second), TINY_E_SHAPE, "aminmax: there is nothing along the axis of (0,3)");
  CHECK(second == tn_poison(t));
  BAD(tiny_max(none, 0, 0, &second), TINY_E_SHAPE, "max: 0 elements along the axis of (0,3)");
  CHECK(second == tn_poison(t));
  BAD(tiny_norm(none, HUGE_VAL, 0, 0), TINY_E_SHAPE, "norm: there is nothing along the axis of (0,3)");
  BAD(tiny_norm(x, NAN, 0, 0), TINY_E_ARG, "norm: p is NaN");
  BAD(tiny_dist(x, none, 2), TINY_E_SHAPE, "dist: (2,3) and (0,3) do not broadcast");
  second = x;
  BAD(tiny_var_mean(x, 5, 0, 1, &second), TINY_E_ARG, "var_mean: axis 5 is out of range");
  CHECK(second == tn_poison(t));
  second = x;
  BAD(tiny_cummax(x, 5, &second), TINY_E_ARG, "cummax: axis 5 is out of range for (2,3)");
  CHECK(second == tn_poison(t));
  CHECK(tiny_cummin(NULL, 0, &second) == NULL && second == NULL);
  CHECK_STR(tiny_error(t), "");
}

// ** dtypes and what is empty **

static void check_dtypes(void) {
  static const tiny_dtype narrow[] = {TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64};
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    CHECK_EQ(tiny_dtype_of(tiny_sum(tiny_zeros(t, narrow[i], TINY_SHAPE(3)), 0, 0)), TINY_I64);
    CHECK_EQ(tiny_dtype_of(tiny_cumprod(tiny_zeros(t, narrow[i], TINY_SHAPE(3)), 0)), TINY_I64);
  }
  const double top = 4294967295.0;
  IS(tiny_sum(tiny_full(t, top, TINY_U32, TINY_SHAPE(3)), 0, 0), TINY_I64, 3 * top);
  IS(tiny_sum(tiny_full(t, 255, TINY_U8, TINY_SHAPE(1 << 20)), 0, 0), TINY_I64, 255.0 * (1 << 20));
  IS(tiny_sum(tiny_full(t, 1ull << 40, TINY_U64, TINY_SHAPE(4)), 0, 0), TINY_U64, 4398046511104.0);
  IS(tiny_amax(OF(TINY_U64, 1, 3, 2), 0, 0), TINY_U64, 3);
  IS(tiny_amin(OF(TINY_U16, 9, 3, 65535), 0, 0), TINY_U16, 3);
  IS(tiny_argmin(OF(TINY_U32, 4294967295.0, 3, 3), 0, 0), TINY_I32, 1);
  IS(tiny_mean(OF(TINY_I32, 1, 2), 0, 0), TINY_F32, 1.5);
  IS(tiny_norm(OF(TINY_I8, -3, 4), 2, 0, 0), TINY_F32, 5);
  IS(tiny_any(OF(TINY_F32, 0, -0.0), 0, 0), TINY_BOOL, 0);
  IS(tiny_any(OF(TINY_F32, 0, NAN), 0, 0), TINY_BOOL, 1);
  IS(tiny_cummax(OF(TINY_U64, 1, 3, 2), 0, NULL), TINY_U64, 1, 3, 3);
  IS(tiny_cummin(OF(TINY_I8, 3, -128, 127), 0, NULL), TINY_I8, 3, -128, -128);
  IS(tiny_cumsum(OF(TINY_BOOL, 1, 0, 1, 1), 0), TINY_I64, 1, 1, 2, 3);
  // Sums of halves are added in f32.
  IS(tiny_sum(tiny_ones(t, TINY_F16, TINY_SHAPE(4096)), 0, 0), TINY_F16, 4096);
  IS(tiny_sum(tiny_zeros(t, TINY_F16, TINY_SHAPE(100000)), 0, 0), TINY_F16, 0);        // a number that f16 has not
  IS(tiny_sum(tiny_ones(t, TINY_BF16, TINY_SHAPE(1024)), 0, 0), TINY_BF16, 1024);
}
static void check_empty(void) {
  tiny_tensor *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 2)), *gone = tiny_zeros(t, TINY_I32, TINY_SHAPE(2, 0)), *index;
  IS(tiny_sum(none, 0, 0), TINY_F32, 0, 0);
  IS(tiny_prod(none, 0, 0), TINY_F32, 1, 1);
  IS(tiny_mean(none, 0, 0), TINY_F32, NAN, NAN);
  IS(tiny_mean(gone, 1, 0), TINY_F32, NAN, NAN);
  IS(tiny_var(none, 0, 0, 1), TINY_F32, NAN, NAN);
  IS(tiny_std(none, 0, 0, 0), TINY_F32, NAN, NAN);
  IS(tiny_any(none, 0, 0), TINY_BOOL, 0, 0);
  IS(tiny_all(none, TINY_ALL, 0), TINY_BOOL, 1);
  IS(tiny_count_nonzero(gone, 1, 0), TINY_I64, 0, 0);
  IS(tiny_norm(none, 2, 0, 0), TINY_F32, 0, 0);
  CHECK_EQ(values(tiny_amax(none, 1, 0)), 0);
  CHECK_EQ(values(tiny_argmax(none, 1, 0)), 0);
  CHECK_EQ(values(tiny_cummax(none, 0, &index)), 0);
  CHECK(tiny_ok(index) && tiny_dtype_of(index) == TINY_I32 && values(index) == 0);
  CHECK_EQ(values(tiny_cumsum(gone, 1)), 0);
  // One number: a variance of one is 0/0, and more corrections than numbers make it infinite.
  tiny_tensor *one = OF(TINY_F32, 3);
  IS(tiny_var(one, 0, 0, 1), TINY_F32, NAN);
  IS(tiny_var(one, 0, 0, 0), TINY_F32, 0);
  IS(tiny_var(OF(TINY_F32, 1, 2), 0, 0, 2), TINY_F32, HUGE_VAL);
  tiny_tensor *z = tiny_full(t, -2, TINY_F32, TINY_SHAPE());
  IS(tiny_sum(z, -1, 1), TINY_F32, -2);
  IS(tiny_norm(z, 1, TINY_ALL, 0), TINY_F32, 2);
  IS(tiny_max(z, 0, 1, &index), TINY_F32, -2);
  CHECK(tiny_shape_of(index).ndim == 0);
  IS(tiny_cummin(z, 0, &index), TINY_F32, -2);
  IS(index, TINY_I32, 0);
  IS(tiny_logcumsumexp(z, -1), TINY_F32, -2);
}

// ** positions: of equals the first, of running ones the last; NaN is the greatest and the least **

static void check_positions(void) {
  tiny_tensor *x = OF(TINY_F32, 1, 5, 5, 2), *n = OF(TINY_F32, 3, NAN, 7, NAN), *index;
  IS(tiny_max(x, 0, 0, &index), TINY_F32, 5);
  IS(index, TINY_I32, 1);
  IS(tiny_min(n, 0, 1, &index), TINY_F32, NAN);
  IS(index, TINY_I32, 1);
  IS(tiny_cummax(n, 0, &index), TINY_F32, 3, NAN, NAN, NAN);
  IS(index, TINY_I32, 0, 1, 1, 3);
  IS(tiny_cummax(x, 0, &index), TINY_F32, 1, 5, 5, 5);
  IS(index, TINY_I32, 0, 1, 2, 2);
  IS(tiny_max(OF(TINY_F32, -HUGE_VAL, -HUGE_VAL), 0, 0, &index), TINY_F32, -HUGE_VAL);
  IS(index, TINY_I32, 0);
  IS(tiny_max(OF(TINY_F32, HUGE_VAL, 1), 0, 0, &index), TINY_F32, HUGE_VAL);
}

// ** gradients where formulas have corners **

static tiny_tensor *grad_of(tiny_tensor *y, tiny_tensor *x) {      // of the sum of (1, 2, 3 ..) * y
  tiny_tensor *g;
  const int64_t n = tiny_nelem_of(y);
  tiny_tensor *w = tiny_arange(t, 1, (double)n + 1, 1, tiny_dtype_of(y));
  CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(tiny_reshape(y, TINY_SHAPE(n)), w), 0, 0), &x, 1, &g), TINY_OK);
  return g;
}
static void check_gradients(void) {
  tiny_tensor *zero = tiny_contiguous(OF(TINY_F64, 0, 0)), *ties = tiny_contiguous(OF(TINY_F64, 3, 1, 3)), *index;
  IS(grad_of(tiny_norm(zero, 2, 0, 0), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_norm(zero, 1, 0, 0), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_norm(zero, 0.5, 0, 0), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_norm(zero, 3, 0, 0), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_norm(zero, 0, 0, 0), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_std(zero, 0, 0, 1), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_dist(zero, zero, 2), zero), TINY_F64, 0, 0);
  IS(grad_of(tiny_amax(ties, 0, 0), ties), TINY_F64, 0.5, 0, 0.5);
  IS(grad_of(tiny_max(ties, 0, 0, &index), ties), TINY_F64, 1, 0, 0);
  IS(grad_of(tiny_cummax(ties, 0, NULL), ties), TINY_F64, 3, 0, 3);
  IS(grad_of(tiny_norm(ties, HUGE_VAL, 0, 0), ties), TINY_F64, 0.5, 0, 0.5);
  tiny_tensor *p = tiny_contiguous(OF(TINY_F64, 2, 0, 3, 0));
  IS(grad_of(tiny_prod(p, 0, 0), p), TINY_F64, 0, 0, 0, 0);
  IS(grad_of(tiny_cumprod(p, 0), p), TINY_F64, 1, 22, 0, 0);        // 22 = 2 * 2 + 3 * (2 * 3): the product of the others, as long as none is 0
}
// Second derivatives: d2/dx2 of |x|_2 at (3,4) is (I - x x^T / 25) / 5.
static void check_second(void) {
  tiny_tensor *x = tiny_contiguous(OF(TINY_F64, 3, 4)), *g, *h;
  CHECK_EQ(tiny_grad(tiny_norm(x, 2, 0, 0), &x, 1, &g), TINY_OK);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_narrow(g, 0, 0, 1), 0, 0), &x, 1, &h), TINY_OK);
  CHECK_EQ(values(h), 2);
  CHECK(fabs(got[0] - 16.0 / 125) < 1e-14 && fabs(got[1] + 12.0 / 125) < 1e-14);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_cumprod(x, 0), 0, 0), &x, 1, &g), TINY_OK);       // 1 + x1, x0
  IS(g, TINY_F64, 5, 3);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_narrow(g, 0, 0, 1), 0, 0), &x, 1, &h), TINY_OK);
  IS(h, TINY_F64, 0, 1);
}

// ** long scans: several levels of blocks **

static void check_long(void) {
  const int n = 70000;                         // 32^3 and more: four levels
  static float data[70000];
  static double want[70000];
  for (int i = 0; i < n; i++) data[i] = (float)((i * 7919 % 2001) - 1000) / 1000;
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(n)), *index;
  double sum = 0, log_sum = -HUGE_VAL, most = -HUGE_VAL;
  int at = 0, wrong = 0;
  CHECK_EQ(values(tiny_cumsum(tiny_cast(x, TINY_F64), 0)), n);
  for (int i = 0; i < n; i++) { sum += data[i]; wrong += fabs(got[i] - sum) > 1e-9; }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(values(tiny_logcumsumexp(x, 0)), n);
  for (int i = 0; i < n; i++) { log_sum = fmax(log_sum, data[i]) + log1p(exp(-fabs(log_sum - data[i]))); wrong += fabs(got[i] - log_sum) > 1e-5 * (1 + fabs(log_sum)); }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(values(tiny_cummax(x, 0, &index)), n);
  for (int i = 0; i < n; i++) { most = fmax(most, data[i]); wrong += got[i] != most; }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(values(index), n);
  for (int i = 0; i < n; i++) { if (data[i] >= data[at]) at = i; want[i] = at; wrong += got[i] != want[i]; }
  CHECK_EQ(wrong, 0);
  // A product of ones with a few others, over blocks; whole numbers wrap.
  for (int i = 0; i < n; i++) data[i] = i % 10007 == 5 ? 3 : i == 40000 ? -1 : 1;
  CHECK_EQ(values(tiny_cumprod(tiny_from(t, data, TINY_F32, TINY_SHAPE(n)), 0)), n);
  double product = 1;
  for (int i = 0; i < n; i++) { product *= data[i]; wrong += got[i] != product; }
  CHECK_EQ(wrong, 0);
}

// e4m3 has no infinity: a maximum starts from the least number, in kernels without unrolled loops too.
static void check_finite_floats(void) {
  const tiny_desc d = {.cache_dir = "", .debug = "0"};
  tiny_ctx *plain = tiny_open(&d);
  CHECK(tiny_item(tiny_amax(tiny_full(plain, -1.5, TINY_F8E4M3, TINY_SHAPE(3)), TINY_ALL, 0)) == -1.5);
  CHECK(tiny_item(tiny_amax(tiny_cast(tiny_add(tiny_rand(plain, TINY_SHAPE(64)), tiny_full(plain, 2, TINY_F32, TINY_SHAPE())), TINY_F8E4M3), TINY_ALL, 0)) >= 2);
  CHECK_STR(tiny_error(plain), "");
  tiny_close(plain);
}

// Positions along axes that are searched in parts: the first of equals, NaN, the last part, an axis without parts.
static void check_long_positions(void) {
  enum { MOST = 40000 };
  static float x[2 * MOST];
  static const int sizes[] = {16384, MOST, 16411};
  for (int k = 0; k < 3; k++) {
    const int n = sizes[k];
    for (int i = 0; i < 2 * n; i++) x[i] = (float)((unsigned)i * 2654435761u % 1000u);
    x[n / 3] = x[n / 3 + 1] = x[n / 3 + 300] = 5000;
    x[n + 9] = (float)NAN; x[2 * n - 1] = (float)NAN; x[n - 1] = -7; x[n - 2] = -7;
    tiny_tensor *rows = tiny_from(t, x, TINY_F32, TINY_SHAPE(2, n));
    IS(tiny_argmax(rows, 1, 0), TINY_I32, n / 3, 9);
    IS(tiny_argmin(rows, 1, 0), TINY_I32, n - 2, 9);
    IS(tiny_argmax(tiny_transpose(rows, 0, 1), 0, 0), TINY_I32, n / 3, 9);
    IS(tiny_argmax(rows, TINY_ALL, 0), TINY_I32, n + 9);
  }
}

// Each op of tiny_reduce is the operator of its name.
static void check_ops(void) {
  const double want[] = {10, 24, 4, 1, 2.5};
  tiny_tensor *x = tiny_reshape(tiny_arange(t, 1, 5, 1, TINY_I32), TINY_SHAPE(2, 2));
  for (int op = TINY_REDUCE_SUM; op <= TINY_REDUCE_MEAN; op++) CHECK(tiny_item(tiny_reduce(x, (tiny_reduce_op)op, TINY_SHAPE(0, 1), 0)) == want[op]);
  tiny_tensor *mean = tiny_reduce(x, TINY_REDUCE_MEAN, TINY_SHAPE(-1), 1);
  CHECK_EQ(tiny_dtype_of(mean), TINY_F32);
  CHECK_EQ(tiny_shape_of(mean).ndim, 2);
  CHECK(tiny_item(tiny_select(tiny_flatten(mean, 0, -1), 0, 1)) == 3.5);
}

int main(void) {
  const tiny_desc d = {.cache_dir = ""};
  t = tiny_open(&d);
  check_errors();
  check_dtypes();
  check_ops();
  check_empty();
  check_positions();
  check_long_positions();
  check_gradients();
  check_second();
  check_long();
  check_finite_floats();
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
