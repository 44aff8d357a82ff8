// masked_iterations: triangles, however their mask is written: the interpreter, the CPU and plain loops agree; what is
// masked out is not computed, and memory that nobody has written does no harm.
#define TN_MASKED_LEAST 2
#include "nn_test.h"
#include "golden.h"

enum { MOST = 300 };

static void open_on(const char *device, int threads) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.threads = threads;
  t = tiny_open(&d);
}
static tiny_tensor *wave(tiny_shape s, double rate) {
  tiny_tensor *at = tiny_arange(t, 1, 1 + (double)tn_dims_nelem(s.ndim, s.dim), 1, TINY_F32);
  return tiny_reshape(tiny_sin(tiny_mul(at, tiny_full(t, rate, TINY_F32, TINY_SHAPE(1)))), s);
}
static tiny_tensor *positions(int64_t n, int down) {
  tiny_tensor *x = tiny_arange(t, 0, (double)n, 1, TINY_I32);
  return down ? tiny_reshape(x, TINY_SHAPE(n, 1)) : tiny_reshape(x, TINY_SHAPE(1, n));
}
static tiny_tensor *number(double x) { return tiny_full(t, x, TINY_F32, TINY_SHAPE(1)); }
static tiny_tensor *whole(int64_t x) { return tiny_full(t, (double)x, TINY_I32, TINY_SHAPE(1)); }

// The lower triangle of n rows and m columns: which elements are in it. how: the way it is written.
enum { LE, GE, NOT_LT, SHIFTED, PRODUCT, BAND, UPPER, WAYS };
static tiny_tensor *triangle(int how, int64_t n, int64_t m) {
  tiny_tensor *q = positions(n, 1), *k = positions(m, 0);
  switch (how) {
    case LE: return tiny_le(k, q);
    case GE: return tiny_ge(q, k);
    case NOT_LT: return tiny_logical_not(tiny_lt(q, k));
    case SHIFTED: return tiny_lt(tiny_add(k, whole(3)), tiny_add(q, whole(4)));
    case PRODUCT: return tiny_lt(tiny_mul(k, whole(2)), tiny_add(tiny_mul(q, whole(2)), whole(1)));
    case BAND: return tiny_logical_and(tiny_le(k, q), tiny_lt(q, tiny_add(k, whole(9))));
    default: return tiny_ge(k, q);
  }
}
static int inside(int how, int64_t q, int64_t k) {
  return how == BAND ? k <= q && q < k + 9 : how == UPPER ? k >= q : k <= q;
}

static void compare(tiny_tensor *y, const double *want, double tol, const char *what, int how, int64_t n, int64_t m) {
  static float got[MOST * MOST], reference[MOST * MOST];
  const int64_t nelem = tiny_nelem_of(y);
  double off = 0;
  CHECK_EQ(tiny_reference(y, reference, (size_t)nelem * 4), TINY_OK);
  CHECK_EQ(tiny_read(y, got, (size_t)nelem * 4), TINY_OK);
  for (int64_t i = 0; i < nelem; i++) {
    const double e = fabs(got[i] - want[i]) + fabs(reference[i] - want[i]);
    if (!(e <= off)) off = e;
  }
  if (!(off <= tol)) printf("%s, way %d, %d x %d: off by %g\n", what, how, (int)n, (int)m, off);
  CHECK(off <= tol);
}

// Memory that later kernels get is full of NaN.
static void spoil(void) {
  tiny_tensor *x = tiny_mul(tiny_full(t, NAN, TINY_F32, TINY_SHAPE(MOST, MOST)), wave(TINY_SHAPE(MOST, MOST), 0.1));
  tiny_tensor *y = tiny_add(tiny_contiguous(tiny_matmul(x, x)), number(1));
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  tiny_free(y);
}

// Sums of rows, products with a triangle from either side, maxima.
static void check_sums(int how, int64_t n, int64_t m) {
  static double x[MOST * MOST], want[MOST * MOST];
  for (int64_t i = 0; i < n * m; i++) x[i] = sin(0.3 * (double)(i + 1));
  tiny_tensor *v = wave(TINY_SHAPE(n, m), 0.3), *zero = number(0);
  CHECK_EQ(tiny_realize(&v, 1), TINY_OK);
  for (int64_t q = 0; q < n; q++) {
    want[q] = 0;
    for (int64_t k = 0; k < m; k++) want[q] += inside(how, q, k) ? x[q * m + k] : 0;
  }
  if (n) compare(tiny_sum(tiny_where(triangle(how, n, m), v, zero), 1, 0), want, 5e-3, "sums", how, n, m);
  for (int64_t q = 0; q < n; q++) {
    want[q] = -INFINITY;
    for (int64_t k = 0; k < m; k++) if (inside(how, q, k) && x[q * m + k] > want[q]) want[q] = x[q * m + k];
    if (want[q] < -3) want[q] = -3;
  }
  if (n && m)
    compare(tiny_maximum(tiny_amax(tiny_where(triangle(how, n, m), v, number(-INFINITY)), 1, 0), number(-3)), want, 5e-3,
            "maxima", how, n, m);
  for (int64_t j = 0; j < m; j++) for (int64_t q = 0; q < n && m; q++) {
    want[q * m + j] = 0;
    for (int64_t k = 0; k < n; k++) want[q * m + j] += inside(how, q, k) ? x[k * m + j] : 0;
  }
  tiny_tensor *one = tiny_cast(triangle(how, n, n), TINY_F32);
  if (n && m) compare(tiny_matmul(one, v), want, 5e-3, "triangle @ x", how, n, m);
  if (n && m) compare(tiny_matmul(tiny_contiguous(tiny_where(triangle(how, n, n), number(1), zero)), v), want, 5e-3,
                      "stored triangle @ x", how, n, m);
  for (int64_t j = 0; j < m; j++) for (int64_t q = 0; q < n; q++) {
    want[q * m + j] = 0;
    for (int64_t k = 0; k < m; k++) want[q * m + j] += inside(how, k, j) ? x[q * m + k] : 0;
  }
  if (n && m) compare(tiny_matmul(v, tiny_cast(triangle(how, m, m), TINY_F32)), want, 5e-3, "x @ triangle", how, n, m);
}

// Attention written by hand, of which the scores are needed only where the mask is: n queries, m keys.
static void check_attention(int how, int64_t n, int64_t m) {
  enum { E = 8 };
  static double want[MOST * E], p[MOST];
  tiny_tensor *q = wave(TINY_SHAPE(n, E), 0.7), *k = wave(TINY_SHAPE(m, E), 1.3), *v = wave(TINY_SHAPE(m, E), 0.4);
  tiny_tensor *in[3] = {q, k, v};
  CHECK_EQ(tiny_realize(in, 3), TINY_OK);
  spoil();
  for (int64_t i = 0; i < n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < m; j++) {
      double s = 0;
      for (int e = 0; e < E; e++) s += sin(0.7 * (double)(i * E + e + 1)) * sin(1.3 * (double)(j * E + e + 1));
      sum += p[j] = inside(how, i, j) ? exp(s) : 0;
    }
    for (int e = 0; e < E; e++) {
      want[i * E + e] = 0;
      for (int64_t j = 0; j < m; j++) want[i * E + e] += sum > 0 ? p[j] / sum * sin(0.4 * (double)(j * E + e + 1)) : 0;
    }
  }
  tiny_tensor *scores = tiny_matmul(q, tiny_transpose(k, 0, 1)), *y;
  scores = how == SHIFTED ?                // as a bias
      tiny_add(scores, tiny_where(triangle(how, n, m), number(0), number(-INFINITY))) :
      tiny_where(triangle(how, n, m), scores, number(-INFINITY));
  tiny_tensor *most = tiny_maximum(tiny_amax(scores, 1, 1), number(-100)), *e = tiny_exp(tiny_sub(scores, most));
  y = tiny_matmul(tiny_div(e, tiny_maximum(tiny_sum(e, 1, 1), number(1e-30))), v);
  compare(y, want, 5e-3, "attention", how, n, m);
}

// Sums over a triangle of an outer product, and their gradients: of 2 threads the bits of 1.
static void check_threads(void) {
  static float got[2][3][100 * 40];
  memset(got, 0, sizeof got);
  for (int threads = 1; threads <= 2; threads++) {
    open_on("CPU", threads);
    tiny_tensor *in[2] = {wave(TINY_SHAPE(100, 40), 0.3), wave(TINY_SHAPE(100, 40), 0.9)}, *out[3];
    CHECK_EQ(tiny_realize(in, 2), TINY_OK);
    tiny_tensor *s = tiny_where(triangle(LE, 100, 100), tiny_matmul(in[0], tiny_transpose(in[1], 0, 1)), number(0));
    out[0] = tiny_matmul(s, in[1]);
    CHECK_EQ(tiny_grad(tiny_sum(tiny_square(out[0]), TINY_ALL, 0), in, 2, out + 1), TINY_OK);
    CHECK_EQ(tiny_realize(out, 3), TINY_OK);
    for (int i = 0; i < 3; i++) CHECK_EQ(tiny_read(out[i], got[threads - 1][i], sizeof got[0][0]), TINY_OK);
    tiny_close(t);
  }
  CHECK(!memcmp(got[0], got[1], sizeof got[0]));
}

// Loops have bounds: of sums, of products from either side of the triangle, and of the scores below it.
static void check_text(void) {
  golden log = {NULL, 0, 0};
  t = golden_open("CPU", &log, "ci");
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = 1;
  tiny_tensor *x = wave(TINY_SHAPE(1, 256, 16), 0.3);
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  tiny_tensor *y = tiny_attention(x, x, x, &d);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  int masked = 0, kernels = 0, zeros = 0;
  for (const char *at = log.text; (at = strstr(at, "-- after schedule")) != NULL; kernels++) {
    const char *end = strstr(++at, "-- after"), *found = strstr(at, "(MASKED");
    masked += found && (!end || found < end);
    found = strstr(at, "(MASKED:k=1");
    zeros += found && (!end || found < end);
  }
  CHECK(kernels >= 4);
  CHECK(masked >= 3);                        // scores, weights, product
  CHECK_EQ(zeros, 1);
  for (const char *at = log.text; (at = strstr(at, "-- program")) != NULL;) {
    const char *end = strstr(++at, "-- after"), *found = strstr(at, "(MASKED");
    CHECK(!found || (end && end < found)); // programs have loops with bounds instead
  }
  tiny_close(t);
  golden_free(&log);
}

// Comparisons of narrow numbers beside a mask: a difference that would wrap in their dtype says nothing.
static void check_narrow(void) {
  enum { N = 20 };
  static const tiny_dtype narrow[] = {TINY_U8, TINY_I8, TINY_U16};
  for (int how = LE; how < WAYS; how++) for (int d = 0; d < 3; d++) {
    int32_t label[N];
    double want[N] = {0};
    for (int i = 0; i < N; i++) label[i] = i * 37 % 7;
    for (int q = 0; q < N; q++) for (int k = 0; k < N; k++) want[q] += inside(how, q, k) && label[k] < 4 ? sin(0.3 * (k + 1)) : 0;
    tiny_tensor *of = tiny_cast(tiny_from(t, label, TINY_I32, TINY_SHAPE(N)), narrow[d]);
    tiny_realize(&of, 1);
    tiny_tensor *x = tiny_where(tiny_lt(of, tiny_like(of, 4)), wave(TINY_SHAPE(N), 0.3), number(0));
    tiny_tensor *y = tiny_sum(tiny_where(triangle(how, N, N), tiny_expand(tiny_reshape(x, TINY_SHAPE(1, N)), TINY_SHAPE(N, N)), number(0)), 1, 0);
    compare(y, want, 1e-4, "narrow labels", how, N, d);
  }
}

int main(void) {
  static const struct { int how; int64_t n, m; } cases[] = {
    {LE, 0, 5}, {LE, 1, 1}, {BAND, 7, 1}, {LE, 5, 5}, {GE, 37, 100}, {NOT_LT, 100, 37}, {SHIFTED, 33, 33}, {PRODUCT, 64, 70},
    {BAND, 130, 131}, {UPPER, 65, 65}};
  for (int device = 0; device < 2; device++) {
    open_on(device ? "INTERP" : "CPU", 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      if (device && cases[i].n > 64) continue;
      check_sums(cases[i].how, cases[i].n, cases[i].m);
      if (cases[i].n) check_attention(cases[i].how, cases[i].n, cases[i].m);
    }
    check_narrow();
    tiny_close(t);
  }
  check_threads();
  check_text();
  return test_report();
}
