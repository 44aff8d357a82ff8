// sort: order against qsort in every dtype and at sizes that take each way (counting, blocks, the network); stability, NaN,
// ties, gradients, sets, errors. Values against PyTorch are in tools/vectors/sort.py.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;
static uint64_t state = 1;
static uint32_t draw(void) { state = state * 6364136223846793005u + 1442695040888963407u; return (uint32_t)(state >> 33); }

// ** against qsort: elements as doubles, which hold all values that are drawn **

static const double *keys;
static int down;
static int by_key(const void *a, const void *b) {
  const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
  const double x = keys[i], y = keys[j];
  const int order = x != x ? y == y : y != y ? -1 : x < y ? -1 : x > y;
  return order ? (down ? -order : order) : i < j ? -1 : 1;
}
static double element(tiny_dtype d, const unsigned char *raw, int64_t i) {
  return tn_to_f64(tn_dtype_convert(TINY_F64, d, tn_dtype_load(d, raw + i * (int64_t)tiny_dtype_nbytes(d))));
}
static tiny_tensor *numbers(tiny_dtype d, int64_t rows, int64_t n, double *out) {
  unsigned char *raw = (unsigned char *)malloc((size_t)(rows * n + 1) * 8);
  for (int64_t i = 0; i < rows * n; i++) {
    const double v = (double)(int32_t)(draw() % (n > 5000 ? 1u << 30 : 200)) - (n > 5000 ? 1 << 29 : 100);
    tn_dtype_store(d, raw + i * (int64_t)tiny_dtype_nbytes(d), tn_dtype_value(d, draw() % 50 == 0 && tn_is_float(d) ? NAN : v / (tn_is_float(d) ? 4 : 1)));
    out[i] = element(d, raw, i);
  }
  tiny_tensor *x = tiny_from(t, raw, d, TINY_SHAPE(rows, n));
  free(raw);
  return x;
}
static void check_order(tiny_dtype d, int64_t rows, int64_t n, int64_t keep, int descending) {
  double *x = (double *)malloc((size_t)(rows * n + 1) * sizeof *x);
  int32_t *want = (int32_t *)malloc((size_t)(n + 1) * sizeof *want), *got = (int32_t *)malloc((size_t)(rows * keep + 1) * sizeof *got);
  unsigned char *raw = (unsigned char *)malloc((size_t)(rows * keep + 1) * 8);
  tiny_begin(t);
  tiny_tensor *in = numbers(d, rows, n, x), *at, *v = keep == n ? tiny_sort(in, 1, descending, &at) : tiny_topk(in, keep, 1, descending, &at), *both[2];
  both[0] = v; both[1] = at;
  CHECK_EQ(tiny_realize(both, 2), TINY_OK);
  CHECK_EQ(tiny_dtype_of(at), TINY_I32);
  CHECK_EQ(tiny_read(at, got, (size_t)(rows * keep) * 4), TINY_OK);
  CHECK_EQ(tiny_read(v, raw, (size_t)(rows * keep) * tiny_dtype_nbytes(d)), TINY_OK);
  int wrong = 0;
  for (int64_t r = 0; r < rows; r++) {
    keys = x + r * n; down = descending;
    for (int64_t i = 0; i < n; i++) want[i] = (int32_t)i;
    qsort(want, (size_t)n, sizeof *want, by_key);
    for (int64_t i = 0; i < keep; i++) {
      const double a = element(d, raw, r * keep + i), b = keys[want[i]];
      wrong += got[r * keep + i] != want[i] || (a == a ? a != b : b == b);
    }
  }
  if (wrong) printf("%s (%d,%d) keep %d: %d wrong; %s\n", tiny_dtype_name(d), (int)rows, (int)n, (int)keep, wrong, tiny_error(t));
  CHECK_EQ(wrong, 0);
  tiny_end(t);
  tiny_clear(t);
  free(x); free(want); free(got); free(raw);
}

// A random permutation and its inverse.
static void check_permutation(int64_t n) {
  int32_t *p = (int32_t *)malloc((size_t)n * sizeof *p), *q = (int32_t *)malloc((size_t)n * sizeof *q);
  for (int64_t i = 0; i < n; i++) p[i] = (int32_t)i;
  for (int64_t i = n - 1; i > 0; i--) { const int64_t j = draw() % (uint32_t)(i + 1); const int32_t k = p[i]; p[i] = p[j]; p[j] = k; }
  tiny_begin(t);
  CHECK_EQ(tiny_read(tiny_argsort(tiny_from(t, p, TINY_I32, TINY_SHAPE(n)), 0, 0), q, (size_t)n * 4), TINY_OK);
  int wrong = 0;
  for (int64_t i = 0; i < n; i++) wrong += p[q[i]] != i;
  CHECK_EQ(wrong, 0);
  tiny_end(t);
  free(p); free(q);
}

// ** one kernel for all stages of the network, and for all graphs of a shape **

static void check_kernels(void) {
  double *x = (double *)malloc(5000 * sizeof *x);
  int32_t *out = (int32_t *)malloc(5000 * sizeof *out);
  tiny_tensor *in = numbers(TINY_F32, 1, 5000, x);
  const uint64_t before = tiny_stats_of(t).kernels;
  CHECK_EQ(tiny_read(tiny_argsort(in, 1, 0), out, 5000 * 4), TINY_OK);
  const tiny_stats once = tiny_stats_of(t);
  CHECK(once.kernels - before > 20);
  CHECK_EQ(tiny_read(tiny_argsort(tiny_neg(in), 1, 0), out, 5000 * 4), TINY_OK);
  CHECK(tiny_stats_of(t).compiled + tiny_stats_of(t).cache_hits - once.compiled - once.cache_hits <= 2);   // the keys are others
  free(x); free(out);
}

// ** gradients **

static void check_gradients(void) {
  static const float data[6] = {3, 1, 2, 1, 5, 4};
  float got[6];
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(6)), *w = tiny_arange(t, 1, 7, 1, TINY_F32), *g;
  tiny_tensor *loss = tiny_sum(tiny_mul(tiny_sort(x, 0, 0, NULL), w), TINY_ALL, 0);
  CHECK_EQ(tiny_grad(loss, &x, 1, &g), TINY_OK);
  CHECK_EQ(tiny_read(g, got, sizeof got), TINY_OK);
  static const float want[6] = {4, 1, 3, 2, 6, 5};
  for (int i = 0; i < 6; i++) CHECK(got[i] == want[i]);
  loss = tiny_median(x, 0, 0, NULL);
  CHECK_EQ(tiny_grad(loss, &x, 1, &g), TINY_OK);
  CHECK_EQ(tiny_read(g, got, sizeof got), TINY_OK);
  for (int i = 0; i < 6; i++) CHECK(got[i] == (i == 2));
  loss = tiny_sum(tiny_square(tiny_unique(x, NULL, NULL)), TINY_ALL, 0);       // of equals the first has it
  CHECK_EQ(tiny_grad(loss, &x, 1, &g), TINY_OK);
  CHECK_EQ(tiny_read(g, got, sizeof got), TINY_OK);
  for (int i = 0; i < 6; i++) CHECK(got[i] == (i == 3 ? 0 : 2 * data[i]));
}

// ** what PyTorch leaves open **

// Quantiles between infinite elements, which are not NaN where a number, or one infinity, is the answer.
static void check_infinite(void) {
  static const double data[5] = {-HUGE_VAL, -HUGE_VAL, 3, HUGE_VAL, HUGE_VAL}, q[5] = {0.1, 0.3, 0.49, 0.6, 0.9};
  static const double want[5] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, HUGE_VAL, HUGE_VAL}, far[2] = {-1.5e308, 1.5e308};
  static const tiny_quantile_rule rules[2] = {TINY_QUANTILE_LINEAR, TINY_QUANTILE_MIDPOINT};
  tiny_tensor *x = tiny_from(t, data, TINY_F64, TINY_SHAPE(5)), *at = tiny_from(t, q, TINY_F64, TINY_SHAPE(5));
  double got[5];
  for (int r = 0; r < 2; r++) {
    CHECK_EQ(tiny_read(tiny_quantile_by(x, at, 0, 0, rules[r]), got, sizeof got), TINY_OK);
    for (int i = 0; i < 5; i++) CHECK(got[i] == want[i]);
    x = tiny_from(t, data, TINY_F64, TINY_SHAPE(5));
  }
  tiny_tensor *ends = tiny_from(t, far, TINY_F64, TINY_SHAPE(2));
  CHECK(tiny_item(tiny_quantile(ends, tiny_scalar(t, 0.5, TINY_F64), 0, 0)) == 0);
}
static void check_rules(void) {
  static const float data[7] = {2, 1, NAN, 2, 1, 1, 2};
  int32_t at[7];
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(7)), *i;
  tiny_mode(x, 0, 0, &i);
  CHECK(tiny_item(i) == 5);                                  // 1 and 2 are equally frequent
  tiny_topk(x, 3, 0, 1, &i);
  CHECK_EQ(tiny_read(i, at, 12), TINY_OK);
  CHECK(at[0] == 2 && at[1] == 0 && at[2] == 3);
  tiny_median(x, 0, 0, &i);
  CHECK(tiny_item(i) == 2);
  tiny_nanmedian(x, 0, 0, &i);
  CHECK(tiny_item(i) == 5);
  CHECK(isnan(tiny_item(tiny_quantile(x, tiny_scalar(t, 0.5, TINY_F32), 0, 0))));
  CHECK(tiny_item(tiny_nanquantile(x, tiny_scalar(t, 1, TINY_F32), 0, 0)) == 2);
  CHECK(isnan(tiny_item(tiny_nanquantile(x, tiny_scalar(t, 1.5, TINY_F32), 0, 0))));
  CHECK(tiny_item(tiny_sum(tiny_cast(tiny_isin(x, x), TINY_I32), 0, 0)) == 6);             // NaN is among none
  CHECK(tiny_item(tiny_searchsorted(tiny_sort(x, 0, 0, NULL), tiny_scalar(t, NAN, TINY_F32), 0)) == 6);
  tiny_tensor *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0)), *edges;
  float edge[3];
  tiny_histogram_bins(none, 2, 5, 5, NULL, 0, &edges);
  CHECK_EQ(tiny_read(edges, edge, sizeof edge), TINY_OK);
  CHECK(edge[0] == 0 && edge[1] == 0.5f && edge[2] == 1);
  CHECK_EQ(tiny_status(t), TINY_OK);
}

#define BAD(expr, error, message) do { \
  CHECK(!tiny_ok(expr)); CHECK_EQ(tiny_status(t), error); \
  if (strncmp(tiny_error(t), message, strlen(message)) != 0) printf("got: %s\n", tiny_error(t)); \
  CHECK(strncmp(tiny_error(t), message, strlen(message)) == 0); tiny_clear(t); } while (0)
static void check_errors(void) {
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 4)), *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0)), *i;
  BAD(tiny_sort(x, 2, 0, &i), TINY_E_ARG, "sort: axis 2 is out of range for (3,4)");
  CHECK(!tiny_ok(i));
  BAD(tiny_topk(x, 5, 1, 1, NULL), TINY_E_ARG, "topk: 5 elements of (3,4) along its axis");
  BAD(tiny_topk(x, -1, 1, 1, NULL), TINY_E_ARG, "topk: -1 elements");
  BAD(tiny_kthvalue(x, 0, 0, 0, NULL), TINY_E_ARG, "kthvalue: number 0 of (3,4)");
  BAD(tiny_median(none, 0, 0, NULL), TINY_E_SHAPE, "median: 0 elements along the axis of (0,)");
  BAD(tiny_mode(none, 0, 0, NULL), TINY_E_SHAPE, "mode: 0 elements");
  BAD(tiny_quantile(x, x, 0, 0), TINY_E_SHAPE, "quantile: q is (3,4), not 0-d or 1-d");
  BAD(tiny_searchsorted(x, none, 0), TINY_E_SHAPE, "searchsorted: (0,) in rows (3,4)");
  BAD(tiny_bucketize(x, x, 0), TINY_E_SHAPE, "bucketize: edges are (3,4), not 1-d");
  BAD(tiny_histogram(x, none, NULL, 0), TINY_E_SHAPE, "histogram: edges (0,)");
  BAD(tiny_sort(tiny_sort(x, 9, 0, NULL), 0, 0, NULL), TINY_E_ARG, "sort: axis 9");
}

int main(void) {
  static const tiny_dtype dtypes[] = {TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F16, TINY_BF16, TINY_F32, TINY_F64};
  t = tiny_open(NULL);
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    static const int64_t sizes[] = {0, 1, 2, 57};
    for (int s = 0; s < 4; s++) check_order(dtypes[d], 3, sizes[s], sizes[s], s & 1);
    check_order(dtypes[d], 1, 1000, 1000, (int)d & 1);
  }
  check_order(TINY_F32, 2, 256, 256, 0);
  check_order(TINY_F32, 3, 700, 700, 1);
  check_order(TINY_F32, 2, 3000, 5, 1);
  check_order(TINY_I64, 2, 3000, 5, 0);
  check_order(TINY_F32, 1, 300, 299, 0);
  check_order(TINY_F32, 1, 100000, 100000, 0);
  check_order(TINY_F32, 1, 100000, 10, 1);
  check_permutation(2);
  check_permutation(5000);
  check_kernels();
  check_gradients();
  check_infinite();
  check_rules();
  check_errors();
  tiny_close(t);
  return test_report();
}
