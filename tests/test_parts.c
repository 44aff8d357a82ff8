// parts: slices replaced, repeated, joined and told apart, neighbours, spectra of frames: what the vectors cannot say:
// errors, sizes that are found, what is written in place, long rows, and that frames put together are the signal.
#include "operator_test.h"

static uint64_t state = 1;
static uint32_t draw(void) { state = state * 6364136223846793005u + 1442695040888963407u; return (uint32_t)(state >> 33); }
static tiny_tensor *counted(int64_t n) { return tiny_arange(t, 0, (double)n, 1, TINY_F32); }
static tiny_tensor *shaped(int64_t a, int64_t b) { return tiny_reshape(counted(a * b), TINY_SHAPE(a, b)); }

static void test_errors(void) {
  tiny_tensor *x = shaped(2, 3), *y = counted(3), *both[2], *e;
  BAD(tiny_select_scatter(x, y, 0, 2), TINY_E_ARG, "select_scatter: element 2 of axis 0 of (2,3)");
  BAD(tiny_select_scatter(x, y, 1, 0), TINY_E_SHAPE, "select_scatter: (3,) into a part (2,) of (2,3)");
  BAD(tiny_slice_scatter(x, y, 0, 0, 1, 1), TINY_E_SHAPE, "slice_scatter: (3,) into a part (1,3) of (2,3)");
  BAD(tiny_slice_scatter(x, x, 0, 0, 1, 0), TINY_E_ARG, "slice_scatter: step 0");
  BAD(tiny_diagonal_scatter(x, y, 0, 0, 1), TINY_E_SHAPE, "diagonal_scatter: (3,) into a part (2,) of (2,3)");
  BAD(tiny_diagonal_scatter(x, y, 0, 1, 1), TINY_E_ARG, "named twice");
  BAD(tiny_repeat_interleave_by(x, y, 0), TINY_E_DTYPE, "indices are integers");
  BAD(tiny_repeat_interleave_by(x, tiny_cast(y, TINY_I32), 0), TINY_E_SHAPE, "repeat_interleave_by: (3,) along axis 0 of (2,3)");
  BAD(tiny_repeat_interleave_by(x, tiny_sub(tiny_cast(y, TINY_I32), tiny_full(t, 1, TINY_I32, TINY_SHAPE(3))), 1), TINY_E_ARG, "an element -1 times");
  both[0] = x; both[1] = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 2));
  BAD(tiny_cat(both, 2, 0), TINY_E_SHAPE, "cat: (2,3) and (0,2)");       // only (0) is nothing
  both[1] = tiny_zeros(t, TINY_F32, TINY_SHAPE(0));
  BAD(tiny_stack(both, 2, 0), TINY_E_SHAPE, "stack");
  BAD(tiny_cat(both, 2, 2), TINY_E_ARG, "axis 2 is out of range for (2,3)");
  BAD(tiny_diff(x, -1, 0, NULL, NULL), TINY_E_ARG, "diff: -1 times");
  BAD(tiny_diff(tiny_sum(x, TINY_ALL, 0), 1, 0, NULL, NULL), TINY_E_SHAPE, "diff: 1 times along ()");
  BAD(tiny_diff(x, 1, 0, y, NULL), TINY_E_SHAPE, "diff: (3,) and (2,3)");
  BAD(tiny_trapezoid(x, y, 1, 0), TINY_E_SHAPE, "trapezoid: (2,3) over (3,) along axis 0");
  BAD(tiny_cumulative_trapezoid(x, shaped(3, 1), 1, 0), TINY_E_SHAPE, "cumulative_trapezoid: (2,3) over (3,1)");
  BAD(tiny_renorm(x, 0, 0, 1), TINY_E_ARG, "renorm: norms of order 0 up to 1");
  BAD(tiny_embedding_max_norm(tiny_zeros(t, TINY_I32, TINY_SHAPE(2)), x, -1, -1, 2), TINY_E_ARG, "up to -1");
  BAD(tiny_quantile_by(x, y, 0, 0, (tiny_quantile_rule)9), TINY_E_ARG, "quantile_by: no rule 9");
  BAD(tiny_histogram_bins(x, 0, 0, 1, NULL, 0, &e), TINY_E_ARG, "histogram_bins: 0 bins from 0 to 1");
  CHECK(!tiny_ok(e));
  BAD(tiny_histogram_bins(x, 4, 0, 1, y, 0, NULL), TINY_E_SHAPE, "histogram_bins: (2,3), weights (3,)");
  BAD(tiny_unique_along(x, 2, NULL, &e), TINY_E_ARG, "unique_along: axis 2 is out of range for (2,3)");
  CHECK(!tiny_ok(e));
  BAD(tiny_isclose(x, x, -1, 0, 0), TINY_E_ARG, "isclose: tolerances -1 and 0");
  BAD(tiny_allclose(x, tiny_zeros(t, TINY_F32, TINY_SHAPE(4)), 0, 0, 0), TINY_E_SHAPE, "do not broadcast");
  BAD(tiny_gcd(x, x), TINY_E_DTYPE, "gcd: takes integers, not f32");
  BAD(tiny_polygamma(25, x), TINY_E_ARG, "polygamma: derivative 25, not 0 to 24");
  BAD(tiny_polygamma(-1, x), TINY_E_ARG, "polygamma: derivative -1");
  BAD(tiny_stft(x, 0, NULL), TINY_E_ARG, "stft: frames of 0");
  BAD(tiny_stft(x, 8, NULL), TINY_E_SHAPE, "stft: frames of 8 from (2,3), with 4 reflected around it");
  BAD(tiny_istft(tiny_zeros(t, TINY_F32, TINY_SHAPE(4, 3, 2)), 8, NULL), TINY_E_SHAPE, "istft: (4,3,2) is no spectrum of 5 bins");
}

// Sizes that are found: as many rows of few values that there are enough columns for several rounds of ranks.
static void check_unique(int64_t n, int64_t m, int wide) {
  int *x = (int *)malloc((size_t)(n * m + 1) * sizeof *x), wrong = 0;
  double *rows = (double *)malloc((size_t)(n * m + 1) * sizeof *rows);
  for (int64_t i = 0; i < n * m; i++) x[i] = (int)(draw() % (i % m ? 2 : 3)) - (wide && i % 5 == 0);
  tiny_tensor *in = tiny_from(t, x, TINY_I32, TINY_SHAPE(n, m)), *inverse, *counts;
  tiny_tensor *y = tiny_unique_along(wide ? tiny_cast(in, TINY_F64) : in, 0, &inverse, &counts);
  const int64_t found = tiny_ok(y) ? tiny_shape_of(y).dim[0] : -1;
  CHECK(values(y) == found * m);
  memcpy(rows, got, (size_t)(found * m) * sizeof *rows);
  for (int64_t i = 1; i < found; i++) {                      // rising, and none twice
    int64_t k = 0;
    while (k < m && rows[(i - 1) * m + k] == rows[i * m + k]) k++;
    wrong += k == m || rows[(i - 1) * m + k] > rows[i * m + k];
  }
  CHECK_EQ(values(inverse), n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < m; k++) wrong += rows[(int64_t)got[i] * m + k] != x[i * m + k];
  CHECK_EQ(values(counts), found);
  double total = 0;
  for (int64_t i = 0; i < found; i++) { total += got[i]; wrong += got[i] < 1; }
  CHECK(total == (double)n);
  CHECK_EQ(wrong, 0);
  free(x); free(rows);
}

static void test_sets(void) {
  check_unique(60, 5, 0);
  check_unique(300, 3, 1);                 // longer than a block of the sort
  const float nan_rows[] = {1, NAN, 1, NAN, 1, 2};
  CHECK_EQ(values(tiny_unique_along(tiny_from(t, nan_rows, TINY_F32, TINY_SHAPE(3, 2)), 0, NULL, NULL)), 6);
  tiny_tensor *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), *i, *c;
  CHECK_EQ(values(tiny_unique_along(none, 0, &i, &c)), 0);
  CHECK_EQ(tiny_nelem_of(i) + tiny_nelem_of(c), 0);
  none = tiny_unique_along(tiny_zeros(t, TINY_F32, TINY_SHAPE(4, 0)), 0, NULL, &c);      // rows of nothing are equal
  CHECK_EQ(tiny_shape_of(none).dim[0], 1);
  CHECK(values(c) == 1 && got[0] == 4);
}

static void test_in_place(void) {
  tiny_tensor *w = shaped(4, 2), *ids = tiny_full(t, 2, TINY_I32, TINY_SHAPE(1)), *g;
  CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
  tiny_tensor *y = tiny_embedding_max_norm(ids, w, -1, 1, 2);
  CHECK_EQ(tiny_grad(tiny_sum(y, TINY_ALL, 0), &w, 1, &g), TINY_OK);
  CHECK(values(y) == 2 && fabs(got[0] * got[0] + got[1] * got[1] - 1) < 1e-5);
  CHECK(values(w) == 8 && got[3] == 3 && got[7] == 7 && fabs(got[4] - 4 / sqrt(41)) < 1e-6);       // row 2 alone
  CHECK(values(g) == 8 && got[4] == 1 && got[5] == 1 && got[0] == 0);
}

static void test_long(void) {
  int64_t dims[TINY_MAX_DIMS];
  tiny_shape s = {TINY_MAX_DIMS, {0}};
  for (int i = 0; i < TINY_MAX_DIMS; i++) s.dim[i] = dims[i] = i == 3 ? 5 : 1;
  tiny_tensor *x = tiny_reshape(counted(5), s);              // steps in as many dims as there may be
  s.dim[3] = 2;
  CHECK(values(tiny_slice_scatter(x, tiny_full(t, 9, TINY_F32, s), 3, 4, 0, -2)) == 5 && got[4] == 9 && got[2] == 9 && got[3] == 3 && got[0] == 0);
  tiny_tensor *y = tiny_diff(tiny_square(tiny_arange(t, 0, 40, 1, TINY_F64)), 20, 0, NULL, NULL);     // 2^20 loads if fused
  CHECK(values(y) == 20 && got[0] == 0 && got[19] == 0);
  const int64_t top = INT64_MAX, low = INT64_MIN;
  tiny_tensor *a = tiny_from(t, &low, TINY_I64, TINY_SHAPE(1)), *b = tiny_from(t, &top, TINY_I64, TINY_SHAPE(1));
  CHECK(values(tiny_gcd(a, b)) == 1 && got[0] == 1);
  tiny_tensor *many = tiny_repeat_interleave_by(counted(1000), tiny_arange(t, 0, 1000, 1, TINY_I64), 0);
  int64_t wrong = 0, at = 0;
  CHECK_EQ(tiny_nelem_of(many), 499500);
  CHECK(values(tiny_slice(many, 0, 0, 100000, 1)) == 100000);
  for (int k = 0; at < 100000; k++) for (int j = 0; j < k && at < 100000; j++) wrong += got[at++] != k;
  CHECK_EQ(wrong, 0);
}

// Frames put together are the signal, whatever the window, where all of it is reached.
static void test_frames(void) {
  float signal[90], w[16];
  for (int i = 0; i < 90; i++) signal[i] = (float)(draw() % 1000) / 500 - 1;
  for (int i = 0; i < 16; i++) w[i] = 0.5f - 0.5f * (float)cos(2 * 3.14159265358979 * (i + 0.5) / 16);
  tiny_tensor *x = tiny_from(t, signal, TINY_F32, TINY_SHAPE(90)), *window = tiny_from(t, w, TINY_F32, TINY_SHAPE(16));
  for (int how = 0; how < 8; how++) {
    tiny_stft_desc d;
    memset(&d, 0, sizeof d);
    d.hop = how & 1 ? 5 : 0; d.normalized = how >> 1 & 1; d.two_sided = how >> 2 & 1; d.window = window; d.length = 88;
    tiny_tensor *spectra = tiny_stft(x, 16, &d);
    CHECK(values(tiny_istft(spectra, 16, &d)) == 88);
    double worst = 0;
    for (int i = 0; i < 88; i++) worst = fmax(worst, fabs(got[i] - signal[i]));
    CHECK(worst < 1e-5);
  }
}

// P + Q = 1, and both fall and rise with x, where one formula meets the other; f32 agrees with f64.
static void test_gamma(void) {
  enum { N = 400 };
  static double a[N], x[N], p[N], q[N], p32[N];
  for (int i = 0; i < N; i++) { a[i] = pow(10, i % 20 / 4.0 - 2); x[i] = a[i] * (0.25 + (i / 20) / 10.0); }
  tiny_tensor *A = tiny_from(t, a, TINY_F64, TINY_SHAPE(N)), *X = tiny_from(t, x, TINY_F64, TINY_SHAPE(N));
  CHECK_EQ(values(tiny_igamma(A, X)), N); memcpy(p, got, sizeof p);
  CHECK_EQ(values(tiny_igammac(A, X)), N); memcpy(q, got, sizeof q);
  A = tiny_cast(A, TINY_F32); X = tiny_cast(X, TINY_F32);
  CHECK_EQ(values(tiny_igamma(A, X)), N); memcpy(p32, got, sizeof p32);
  double sum = 0, apart = 0;
  int falls = 0;
  for (int i = 0; i < N; i++) {
    sum = fmax(sum, fabs(p[i] + q[i] - 1));
    apart = fmax(apart, fabs(p[i] - p32[i]));
    falls += i >= 20 && (p[i] < p[i - 20] || q[i] > q[i - 20]);
  }
  CHECK(sum < 1e-14);
  CHECK(apart < 1e-4);                     // x and a rounded: 3e-8 of 1800 is 5e-5 of a deviation of 42
  CHECK_EQ(falls, 0);
  tiny_tensor *v = tiny_from(t, x, TINY_F64, TINY_SHAPE(8)), *g, *h;          // derivatives of derivatives
  CHECK_EQ(tiny_grad(tiny_sum(tiny_i0(v), TINY_ALL, 0), &v, 1, &g), TINY_OK);
  CHECK_EQ(tiny_grad(tiny_sum(g, TINY_ALL, 0), &v, 1, &h), TINY_OK);
  tiny_tensor *off = tiny_sub(h, tiny_sub(tiny_i0(v), tiny_div(tiny_i1(v), v)));
  CHECK(values(off) == 8 && fabs(got[0]) < 1e-12 && fabs(got[7]) < 1e-12);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_polygamma(1, v), TINY_ALL, 0), &v, 1, &g), TINY_OK);
  CHECK_EQ(tiny_grad(tiny_sum(g, TINY_ALL, 0), &v, 1, &h), TINY_OK);
  off = tiny_sub(tiny_div(h, tiny_polygamma(3, v)), tiny_ones_like(v));
  CHECK(values(off) == 8 && fabs(got[0]) < 1e-12 && fabs(got[7]) < 1e-12);
}

int main(void) {
  t = tiny_open(NULL);
  CHECK(t != NULL);
  test_errors(); test_sets(); test_in_place(); test_long(); test_frames(); test_gamma();
  tiny_close(t);
  return test_report();
}
