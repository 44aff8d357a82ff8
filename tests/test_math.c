// math: the functions of one real number, in units of the last place: values of the default device against libm's long double,
// on special values, random bits and a range where each is interesting.
// `test_math all` tries all 2^32 values of f32 (an hour); `.. all erf 3 16` the third sixteenth of one function.
#include "../src/all.c"
#include "test.h"

typedef struct row { const char *name; tiny_tensor *(*fn)(tiny_tensor *x); long double (*want)(long double x); double lo, hi, ulp32, ulp64; } row;

static long double cbrt_(long double x) { return cbrtl(x); }
static long double rsqrt_(long double x) { return 1 / sqrtl(x); }
static long double reciprocal_(long double x) { return 1 / x; }
static long double lgamma_(long double x) { return lgammal(x); }
static long double sigmoid_(long double x) { return 1 / (1 + expl(-x)); }
static long double gelu_(long double x) { return x == -HUGE_VALL ? (long double)NAN : x * 0.5L * erfcl(x * -0.70710678118654752440084436210484903928L); }
static long double erfinv_(long double x) {
  if (fabsl(x) >= 1) return fabsl(x) == 1 ? x * HUGE_VALL : (long double)NAN;
  if (x != x || x == 0) return x;
  const long double a = fabsl(x), w = -logl((1 - a) * (1 + a));
  long double y = a < 0.5L ? a * 0.88622692545275801365L : sqrtl(w > 0.7L ? w - 0.5L * logl(w + 1) : w);
  for (int i = 0; i < 60; i++) {
    const long double e = a < 0.5L ? erfl(y) - a : (1 - a) - erfcl(y), step = e * 0.886226925452758013649083741670572591L * expl(y * y);
    y -= step > 0.5L ? 0.5L : step < -0.5L ? -0.5L : step;
  }
  return x < 0 ? -y : y;
}
static long double digamma_(long double x) {
  static const long double c[] = {1 / 12.0L, -1 / 120.0L, 1 / 252.0L, -1 / 240.0L, 1 / 132.0L, -691 / 32760.0L, 1 / 12.0L, -3617 / 8160.0L};
  if (x == 0) return signbit(x) ? HUGE_VALL : -HUGE_VALL;
  if (x != x || x == -HUGE_VALL) return (long double)NAN;
  if (x < 0) {
    const long double r = x - roundl(x), pi = 3.14159265358979323846264338327950288L;
    return r == 0 ? (long double)NAN : digamma_(1 - x) - pi / tanl(pi * r);
  }
  long double y = 0, power = 1;
  for (; x < 20; x++) y -= 1 / x;
  y += logl(x) - 0.5L / x;
  for (int i = 0; i < 8; i++) { power /= x * x; y -= c[i] * power; }
  return y;
}

static const row rows[] = {
  {"exp", tiny_exp, expl, -105, 90, 1, 1}, {"exp2", tiny_exp2, exp2l, -150, 128, 1, 1}, {"expm1", tiny_expm1, expm1l, -2, 2, 4, 4},
  {"log", tiny_log, logl, 0, 4, 3, 3}, {"log2", tiny_log2, log2l, 0, 4, 1, 1}, {"log10", tiny_log10, log10l, 0, 4, 3, 3}, {"log1p", tiny_log1p, log1pl, -1, 2, 3, 3},
  {"sqrt", tiny_sqrt, sqrtl, 0, 10, 0.5001, 0.5001}, {"rsqrt", tiny_rsqrt, rsqrt_, 0, 10, 1.5, 1.5}, {"cbrt", tiny_cbrt, cbrt_, -10, 10, 2, 2}, {"reciprocal", tiny_reciprocal, reciprocal_, -10, 10, 0.5001, 0.5001},
  {"sin", tiny_sin, sinl, -10, 10, 1, 1}, {"cos", tiny_cos, cosl, -10, 10, 1, 1}, {"tan", tiny_tan, tanl, -10, 10, 2, 3},
  {"asin", tiny_asin, asinl, -1, 1, 3, 3}, {"acos", tiny_acos, acosl, -1, 1, 3, 3}, {"atan", tiny_atan, atanl, -5, 5, 3, 3},
  {"sinh", tiny_sinh, sinhl, -3, 3, 5, 5}, {"cosh", tiny_cosh, coshl, -3, 3, 4, 4}, {"tanh", tiny_tanh, tanhl, -3, 3, 3, 3},
  {"asinh", tiny_asinh, asinhl, -3, 3, 4, 4}, {"acosh", tiny_acosh, acoshl, 1, 3, 4, 4}, {"atanh", tiny_atanh, atanhl, -1, 1, 4, 4},
  {"erf", tiny_erf, erfl, -4, 4, 4, 4}, {"erfc", tiny_erfc, erfcl, -4, 11, 7, 9}, {"erfinv", tiny_erfinv, erfinv_, -1, 1, 8, 8},
  {"lgamma", tiny_lgamma, lgamma_, 0, 12, 12, 12}, {"digamma", tiny_digamma, digamma_, 0, 12, 0, 0}, {"sigmoid", tiny_sigmoid, sigmoid_, -20, 20, 3, 3},
  {"gelu", tiny_gelu, gelu_, -5, 5, 100, 0},   // far below 0 its error is that of x^2
};
enum { NROWS = sizeof rows / sizeof *rows, CHUNK = 1 << 16 };

static const double special[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 4, 8, 0.25, 1e-45, -1e-45, 1.1754943508222875e-38, 1e-40, -1e-30, 1e-20, 127.99999, 128, -126, -149, -150,
  88.72283, 88.72284, -87.33655, -103.97, -1e30, 1e30, 3.4028234663852886e38, -3.4028234663852886e38, 16777216, 0.7071067811865476, 0.99999994, 1.0000001, 3.1415927, 1.5707964, 22, 355, 5e-324,
  709.78271289338397, 709.79, -708.4, -745.1, 1.7976931348623157e308, 2.2250738585072014e-308, 1e300, -1e-300, 268435456, 268435457, 0.65, 0.625, 0.41421357, 2.4142136, HUGE_VAL, -HUGE_VAL, (double)NAN};
enum { NSPECIAL = sizeof special / sizeof *special };

static double ulps(long double got, long double want, int d) {
  const double top = tn_float_top(d), rounded = tn_dtype_round(d, (double)want);
  if (want != want || got != got) return (want != want) == (got != got) ? 0 : 1e9;
  if (fabs(rounded) > top || fabsl(got) > top) return got == rounded ? 0 : fabsl(got) >= top && fabs(rounded) >= top && (got < 0) == (rounded < 0) ? 0.9 : 1e9;
  if (got == 0 && want == 0) return signbit(got) == signbit(want) ? 0 : 1e8;
  int e = want == 0 ? -1074 : ilogbl(want);
  if (e < tn_dtypes[d].least) e = tn_dtypes[d].least;
  return (double)(fabsl(got - want) / ldexpl(1, e - tn_dtypes[d].mantissa));
}

static uint64_t seed = 1;
static uint64_t next(void) { return seed = tn_hash_mix(seed, 7); }
static float f32_of(uint32_t b) { float x; memcpy(&x, &b, 4); return x; }
static double f64_of(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }

static double worst_of(tiny_ctx *t, const row *r, int d, const void *in, double *at) {
  static double out[CHUNK];
  double worst = 0;
  tiny_begin(t);
  const tiny_code code = tiny_read(r->fn(tiny_from(t, in, (tiny_dtype)d, TINY_SHAPE(CHUNK))), out, CHUNK * tiny_dtype_nbytes((tiny_dtype)d));
  tiny_end(t);
  CHECK_EQ(code, TINY_OK);
  if (code) { printf("%s\n", tiny_error(t)); tiny_clear(t); return 0; }
  for (int i = 0; i < CHUNK; i++) {
    const double x = d == TINY_F32 ? ((const float *)in)[i] : ((const double *)in)[i], got = d == TINY_F32 ? ((const float *)(void *)out)[i] : out[i];
    if (fabs(x) > 1e15 && (r->want == sinl || r->want == cosl || r->want == tanl || r->want == lgamma_ || r->want == digamma_) && isfinite(x)) continue;   // beyond the reference
    if ((r->want == lgamma_ || r->want == digamma_) && x < 0 && isfinite(x)) continue;                        // near its zeros nobody is exact
    const double e = ulps(got, r->want(x), d);
    if (e > worst) { worst = e; *at = x; }
  }
  return worst;
}

static void sample(tiny_ctx *t, const row *r, int d) {
  static float f[CHUNK];
  static double g[CHUNK];
  double worst = 0, at = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < CHUNK; i++) {
      const double u = (double)(next() >> 11) * 0x1p-53;
      g[i] = round == 0 ? (i < NSPECIAL ? special[i] : r->lo + (r->hi - r->lo) * u) : round == 1 ? (d == TINY_F32 ? (double)f32_of((uint32_t)next()) : f64_of(next())) : (r->lo + (r->hi - r->lo) * u) * ldexp(1, -(int)(next() % 30));
      f[i] = (float)tn_dtype_round(TINY_F32, g[i]);
    }
    double a = 0;
    const double e = worst_of(t, r, d, d == TINY_F32 ? (const void *)f : (const void *)g, &a);
    if (e > worst) { worst = e; at = a; }
  }
  const double limit = d == TINY_F32 ? r->ulp32 : r->ulp64;
  printf("%-10s %s: %.4g ulp at %.17g\n", r->name, tn_dtypes[d].name, worst, at);
  if (limit) CHECK(worst <= limit);
}

static void all(tiny_ctx *t, int argc, char **argv) {
  static float f[CHUNK];
  for (int i = 0; i < NROWS; i++) {
    if (argc > 2 && strcmp(argv[2], rows[i].name)) continue;
    const uint64_t parts = argc > 4 ? (uint64_t)atoi(argv[4]) : 1, part = argc > 3 ? (uint64_t)atoi(argv[3]) : 0;
    double worst = 0, at = 0;
    for (uint64_t base = (part << 32) / parts; base < ((part + 1) << 32) / parts; base += CHUNK) {
      for (int j = 0; j < CHUNK; j++) f[j] = f32_of((uint32_t)base + (uint32_t)j);
      double a = 0;
      const double e = worst_of(t, &rows[i], TINY_F32, f, &a);
      if (e > worst) { worst = e; at = a; }
    }
    printf("%-10s f32, part %d of %d: %.4f ulp at %.9g\n", rows[i].name, (int)part, (int)parts, worst, at);
    if (rows[i].ulp32 > 0) CHECK(worst <= rows[i].ulp32);
  }
}

int main(int argc, char **argv) {
  tiny_ctx *t = tiny_open(NULL);
  if (argc > 1) all(t, argc, argv);
  else for (int i = 0; i < NROWS; i++) for (int d = TINY_F32; d <= TINY_F64; d++) sample(t, &rows[i], d);
  tiny_close(t);
  return test_report();
}
