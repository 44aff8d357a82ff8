// test_carried: kernels whose loops carry their result: scatters and scans, in every form that algebra knows, against the
// interpreter of graphs; and that they cost what they should.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *open_device(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.debug = "";
  return tiny_open(&d);
}

// ** data: small multiples of 1/4, so that sums are exact **

static tiny_tensor *some(tiny_ctx *t, int dtype, tiny_shape s, int low, int high, unsigned seed) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  unsigned char *data = (unsigned char *)calloc((size_t)n + 1, 8);
  for (int64_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;  // Numerical Recipes, 2nd edition, 7.1
    const int64_t v = low + (int64_t)((seed >> 8) % (unsigned)(high - low));
    tn_dtype_store(dtype, data + i * tn_dtypes[dtype].nbytes, tn_is_float(dtype) ? tn_from_f64((double)v * 0.25) : v);
  }
  tiny_tensor *x = tiny_from(t, data, (tiny_dtype)dtype, s);
  free(data);
  return x;
}
static tiny_tensor *index_of(tiny_ctx *t, tiny_shape s, int low, int high) { return some(t, TINY_I32, s, low, high, 7); }
static tiny_tensor *iota(tiny_ctx *t, int64_t n, int axis, int ndim) {
  tiny_shape s = TINY_SHAPE();
  s.ndim = ndim;
  for (int i = 0; i < ndim; i++) s.dim[i] = i == axis ? n : 1;
  return tiny_reshape(tiny_arange(t, 0, (double)n, 1, TINY_I32), s);
}
static tiny_tensor *number(tiny_tensor *x, double v) { return tiny_full(tiny_ctx_of(x), v, tiny_dtype_of(x), TINY_SHAPE()); }

static double at(const unsigned char *data, int dtype, int64_t i) {
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, data + i * tn_dtypes[dtype].nbytes)));
}
// Realizes x with at most most_kernels kernels and most_flops float operations, and compares it with the interpreter.
static void check_value(tiny_tensor *x, int most_kernels, double most_flops, int line) {
  tiny_ctx *t = tiny_ctx_of(x);
  const size_t nbytes = (size_t)tiny_nelem_of(x) * tn_dtypes[tiny_dtype_of(x)].nbytes;
  unsigned char *got = (unsigned char *)calloc(nbytes + 1, 1), *want = (unsigned char *)calloc(nbytes + 1, 1);
  const tiny_code ref = tiny_reference(x, want, nbytes);
  const tiny_stats before = tiny_stats_of(t);
  const tiny_code code = tiny_read(x, got, nbytes);
  const tiny_stats s = tiny_stats_of(t);
  test_check(ref == TINY_OK && code == TINY_OK, __FILE__, line, tiny_error(t));
  int same = 1;
  for (int64_t i = 0; i < tiny_nelem_of(x) && same; i++) {
    const double a = at(got, tiny_dtype_of(x), i), b = at(want, tiny_dtype_of(x), i);
    same = a == b || fabs(a - b) <= 1e-5 * fabs(b) + 1e-7 || (a != a && b != b);
    if (!same) fprintf(stderr, "%s:%d: element %lld is %g, not %g\n", __FILE__, line, (long long)i, a, b);
  }
  test_check(same, __FILE__, line, "as the interpreter");
  test_check((int)(s.kernels - before.kernels) <= most_kernels, __FILE__, line, "kernels");
  const int cpu = t->device[0]->limits.threads != 0;            // a grid of work items may do more side by side
  test_check(!cpu || (double)(s.flops - before.flops) <= most_flops, __FILE__, line, "flops");
  free(got); free(want);
}
#define SAME(x, kernels, flops) check_value(x, kernels, flops, __LINE__)

// ** scatters **

static tiny_tensor *gradient(tiny_tensor *y, tiny_tensor *w, tiny_tensor *x) {       // of sum(y * w)
  tiny_tensor *g = NULL;
  tiny_grad(tiny_sum(tiny_mul(y, w), TINY_ALL, 0), &x, 1, &g);
  return g;
}

// Positions that are wrapped at the end are computed first, by a small kernel.
static void test_gradients(const char *device) {
  tiny_ctx *t = open_device(device);
  static const int widths[] = {1, 3, 16, 37, 64, 128};
  for (int i = 0; i < 6; i++) {
    const int64_t d = widths[i], n = 150, rows = 300;
    tiny_tensor *table = some(t, TINY_F32, TINY_SHAPE(rows, d), -6, 7, 1), *w = some(t, TINY_F32, TINY_SHAPE(n, d), -6, 7, 2);
    SAME(gradient(tiny_index_select(table, 0, index_of(t, TINY_SHAPE(n), 0, 300)), w, table), 2, (double)(2 * n * (d + 16)));
    // indices that are out of range select nothing
    SAME(gradient(tiny_index_select(table, 0, index_of(t, TINY_SHAPE(n), -40, 400)), w, table), 2, (double)(2 * n * (d + 16)));
  }
  tiny_tensor *x = some(t, TINY_F32, TINY_SHAPE(7, 400), -6, 7, 1), *w = some(t, TINY_F32, TINY_SHAPE(7, 90), -6, 7, 2);
  SAME(gradient(tiny_gather(x, 1, index_of(t, TINY_SHAPE(7, 90), 0, 400)), w, x), 1, 7 * 90 * 4);
  x = some(t, TINY_F32, TINY_SHAPE(400, 33), -6, 7, 1); w = some(t, TINY_F32, TINY_SHAPE(90, 33), -6, 7, 2);
  SAME(gradient(tiny_gather(x, 0, index_of(t, TINY_SHAPE(90, 33), 0, 400)), w, x), 1, 33 * 90 * 4);
  x = some(t, TINY_F16, TINY_SHAPE(200, 32), -6, 7, 1); w = some(t, TINY_F16, TINY_SHAPE(90, 32), -6, 7, 2);
  SAME(gradient(tiny_index_select(x, 0, index_of(t, TINY_SHAPE(90), 0, 200)), w, x), 3, 200 * 32 * 20);
  // a chain: the gradient of what follows the lookup is computed once for each index, not for each row
  x = some(t, TINY_F32, TINY_SHAPE(300, 64), -6, 7, 1); w = some(t, TINY_F32, TINY_SHAPE(100, 64), -6, 7, 2);
  SAME(gradient(tiny_tanh(tiny_index_select(x, 0, index_of(t, TINY_SHAPE(100), 0, 300))), w, x), 4, 100 * 64 * 100);
  // followed by work on the result
  SAME(tiny_add(x, tiny_relu(gradient(tiny_index_select(x, 0, index_of(t, TINY_SHAPE(100), 0, 300)), w, x))), 3, 300 * 64 * 8);
  tiny_close(t);
}

static void test_forms(const char *device) {
  tiny_ctx *t = open_device(device);
  const int64_t n = 700, places = 333;
  tiny_tensor *index = index_of(t, TINY_SHAPE(n, 1), -9, 350), *v = some(t, TINY_F32, TINY_SHAPE(n, 1), -6, 7, 3), *to = iota(t, places, 1, 2);
  tiny_tensor *hit = tiny_eq(index, to), *miss = tiny_ne(index, to), *zero = number(v, 0), *one = number(v, 1);
  const double most = 20.0 * (double)(n + places);
  SAME(tiny_sum(tiny_where(hit, v, zero), 0, 0), 1, most);
  SAME(tiny_sum(tiny_where(miss, zero, v), 0, 0), 1, most);
  SAME(tiny_sum(tiny_mul(tiny_cast(hit, TINY_F32), v), 0, 0), 1, most);
  SAME(tiny_sum(tiny_mul(v, tiny_sub(one, tiny_cast(miss, TINY_F32))), 0, 0), 1, 1e9);
  SAME(tiny_sum(tiny_where(tiny_bitwise_and(hit, tiny_gt(v, zero)), v, zero), 0, 0), 1, most);
  const int adds = t->device[0]->limits.atomics != 0;      // integers: to memory that a kernel has cleared
  SAME(tiny_sum(tiny_cast(hit, TINY_I32), 0, 0), 1 + adds, most);           // bincount
  SAME(tiny_prod(tiny_where(hit, tiny_sign(v), one), 0, 0), 1, most);
  SAME(tiny_amax(tiny_where(hit, v, number(v, -HUGE_VAL)), 0, 0), 1, most);
  SAME(tiny_amin(tiny_where(hit, v, number(v, HUGE_VAL)), 0, 0), 2, most);
  SAME(tiny_amax(tiny_cast(hit, TINY_I8), 0, 0), 1, most);
  SAME(tiny_amax(hit, 0, 0), 1, most);                                      // any
  tiny_tensor *k = some(t, TINY_I16, TINY_SHAPE(n, 1), -6, 7, 3);
  SAME(tiny_sum(tiny_where(hit, k, number(k, 0)), 0, 0), 1 + adds, most);
  SAME(tiny_amax(tiny_where(hit, k, number(k, INT16_MIN)), 0, 0), 1, most);
  // a value that differs by place: of each, one is looked up
  tiny_tensor *by_place = some(t, TINY_F32, TINY_SHAPE(1, places), -6, 7, 4);
  SAME(tiny_sum(tiny_where(hit, tiny_mul(v, by_place), zero), 0, 0), 1, most);
  // nothing that pays: few places
  SAME(tiny_sum(tiny_where(tiny_eq(index, iota(t, 5, 1, 2)), v, zero), 0, 0), 1, 1e9);
  // two axes, by two equalities; more than one axis reduced
  tiny_tensor *r = index_of(t, TINY_SHAPE(20, 30, 1, 1), 0, 25), *c = some(t, TINY_I32, TINY_SHAPE(20, 30, 1, 1), 0, 45, 11), *w = some(t, TINY_F32, TINY_SHAPE(20, 30, 1, 1), -6, 7, 5);
  tiny_tensor *both = tiny_bitwise_and(tiny_eq(r, iota(t, 25, 2, 4)), tiny_eq(c, iota(t, 40, 3, 4)));
  SAME(tiny_reduce(tiny_where(both, w, zero), TINY_REDUCE_SUM, TINY_SHAPE(0, 1), 0), 1, 20.0 * (600 + 1000));
  // a place that is linear in another axis
  tiny_tensor *slow = tiny_add(tiny_mul(iota(t, 40, 0, 3), number(iota(t, 1, 0, 1), 3)), index_of(t, TINY_SHAPE(40, 50, 1), 0, 30));
  SAME(tiny_reduce(tiny_where(tiny_eq(slow, iota(t, 160, 2, 3)), some(t, TINY_F32, TINY_SHAPE(40, 50, 1), -6, 7, 6), zero), TINY_REDUCE_SUM, TINY_SHAPE(1), 0), 1, 1e9);
  // batches on the left, rows on the right
  tiny_tensor *bi = index_of(t, TINY_SHAPE(6, 80, 1, 1), 0, 64), *bv = some(t, TINY_F32, TINY_SHAPE(6, 80, 1, 24), -6, 7, 8);
  SAME(tiny_reduce(tiny_where(tiny_eq(bi, iota(t, 64, 2, 4)), bv, zero), TINY_REDUCE_SUM, TINY_SHAPE(1), 0), 1, 20.0 * 6 * 24 * (64 + 80));
  // moved about afterwards, and used twice
  tiny_tensor *s = tiny_reduce(tiny_where(tiny_eq(bi, iota(t, 64, 2, 4)), bv, zero), TINY_REDUCE_SUM, TINY_SHAPE(1), 0);
  SAME(tiny_permute(s, TINY_SHAPE(2, 0, 1)), 1, 20.0 * 6 * 24 * (64 + 80));
  SAME(tiny_matmul(s, tiny_transpose(s, 1, 2)), 2, 4.0 * 6 * 24 * 64 * 64);
  tiny_close(t);
}

// ** scans **

static tiny_tensor *masked(tiny_tensor *x, tiny_tensor *mask, double otherwise, int64_t n) {     // (rows, n) -> (rows, n, n)
  const int64_t rows = tiny_shape_of(x).dim[0];
  return tiny_where(mask, tiny_reshape(x, TINY_SHAPE(rows, 1, n)), number(x, otherwise));
}
static void test_scans(const char *device) {
  tiny_ctx *t = open_device(device);
  static const int64_t sizes[][2] = {{1, 100}, {3, 64}, {8, 33}, {20, 128}};
  for (int i = 0; i < 4; i++) {
    const int64_t rows = sizes[i][0], n = sizes[i][1];
    const double most = 12.0 * (double)(rows * n);
    tiny_tensor *x = some(t, TINY_F32, TINY_SHAPE(rows, n), -6, 7, 1), *from = iota(t, n, 2, 3), *to = iota(t, n, 1, 3);
    SAME(tiny_sum(masked(x, tiny_le(from, to), 0, n), 2, 0), 1, most);
    SAME(tiny_sum(masked(x, tiny_lt(from, to), 0, n), 2, 0), 1, most);       // exclusive
    SAME(tiny_sum(masked(x, tiny_ge(from, to), 0, n), 2, 0), 1, most);       // from the end
    SAME(tiny_sum(masked(x, tiny_gt(from, to), 0, n), 2, 0), 1, most);
    SAME(tiny_amax(masked(x, tiny_le(from, to), -HUGE_VAL, n), 2, 0), 1, most);
    SAME(tiny_prod(masked(tiny_sign(x), tiny_le(from, to), 1, n), 2, 0), 1, most);
    // work before and after; two scans in a kernel; a scan of a scan
    tiny_tensor *sums = tiny_sum(masked(tiny_mul(x, x), tiny_le(from, to), 0, n), 2, 0), *after = tiny_sum(masked(x, tiny_ge(from, to), 0, n), 2, 0);
    SAME(tiny_relu(tiny_sub(sums, x)), 1, most);
    SAME(tiny_add(sums, tiny_amax(masked(x, tiny_le(from, to), -HUGE_VAL, n), 2, 0)), 1, most);
    SAME(tiny_add(sums, after), 2, most);
    SAME(tiny_sum(masked(sums, tiny_le(from, to), 0, n), 2, 0), 2, most);
    // read elsewhere than where it was computed
    SAME(tiny_sum(sums, 1, 0), 2, most);
    SAME(tiny_flip(sums, TINY_SHAPE(1)), 2, most);
    SAME(tiny_pad(sums, TINY_SHAPE(0, 0, 0, 3), 0), 2, most);
    SAME(tiny_div(sums, tiny_add(tiny_sum(sums, 1, 1), number(x, 1000))), 3, most);
    SAME(tiny_softmax(sums, 1), 3, 60 * most);
    // a window has two bounds and stays a sum
    SAME(tiny_sum(masked(x, tiny_bitwise_and(tiny_le(from, to), tiny_gt(from, tiny_sub(to, number(to, 5)))), 0, n), 2, 0), 1, 1e9);
    // of both axes: one runs, one is summed up
    tiny_tensor *g = gradient(tiny_sum(masked(x, tiny_le(from, to), 0, n), 2, 0), some(t, TINY_F32, TINY_SHAPE(rows, n), -6, 7, 2), x);
    SAME(g, 1, most);
    SAME(tiny_cumsum(x, 1), 6, 64 * most);
    SAME(tiny_cumsum(x, 0), 6, 64 * most);
  }
  // along the first axis: what lies beside each other runs side by side
  tiny_tensor *x = some(t, TINY_F32, TINY_SHAPE(60, 1, 70), -6, 7, 1), *mask = tiny_le(iota(t, 60, 0, 3), iota(t, 60, 1, 3));
  SAME(tiny_sum(tiny_where(mask, x, number(x, 0)), 0, 0), 1, 12 * 60 * 70);
  tiny_tensor *k = some(t, TINY_I16, TINY_SHAPE(60, 1, 70), -6, 7, 1);
  SAME(tiny_amax(tiny_where(mask, k, number(k, INT16_MIN)), 0, 0), 1, 12 * 60 * 70);
  // the same for every batch: computed once
  SAME(tiny_expand(tiny_sum(tiny_where(mask, x, number(x, 0)), 0, 0), TINY_SHAPE(5, 60, 70)), 2, 12 * 60 * 70);
  tiny_close(t);
}

int main(void) {
  static const char *const devices[] = {"CPU", "INTERP"};
  for (int d = 0; d < 2; d++) {
    test_gradients(devices[d]);
    test_forms(devices[d]);
    test_scans(devices[d]);
  }
  return test_report();
}
