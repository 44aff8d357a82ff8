// Numbers as text: against the C library's printf and strtod in the locale "C", to the last digit, and the same text in
// any other locale (test_locale.sh).
#include "../src/base/number.c"
#include "test.h"
#include <stdio.h>
#include <stdlib.h>
#include <float.h>

static uint64_t state = 1;
static uint64_t next(void) {               // splitmix64
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

// Bits at random, near powers of two and ten, few digits, subnormal.
static double number(int i) {
  const uint64_t bits = next();
  double x;
  switch (i % 6) {
    case 0: return tn_float_of_bits(bits);
    case 1: return (double)(int64_t)bits / 1024;
    case 2: return ldexp(1, (int)(bits % 2098) - 1074) * (1 + (double)((int)(bits >> 40 & 3) - 1) * DBL_EPSILON);
    case 3: x = (double)(bits % 1000) / 8; return bits >> 63 ? -x : x;
    case 4: return tn_float_of_bits(bits & 0x800FFFFFFFFFFFFFu);
    default: return (double)(float)((double)(bits >> 11) * 1e-12);
  }
}

static const double edges[] = {0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, 0.1, 1e22, 1e23, 9.5, 99.5, 999999.5, 9999995, 1e-5, 1e-4,
  DBL_MAX, -DBL_MAX, DBL_MIN, 4.9406564584124654e-324, 2.2250738585072011e-308, 123456789, 1e15, 1e16, 1e17, 5e-324, 0.3,
  65504, 3.4028234663852886e38};
enum { EDGES = sizeof edges / sizeof *edges };

static int wrong, shown;

// The C library's side of each comparison is that of the locale "C".
static void plain_locale(int is) {
  const char *name = getenv("TEST_LOCALE");
  if (name) setlocale(LC_NUMERIC, is ? "C" : name);
}
static double reference(const char *text) {
  plain_locale(1);
  const double x = strtod(text, NULL);
  plain_locale(0);
  return x;
}
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define AGREE(...) do { char a[512], b[512]; \
  const int n = tn_number_print(a, sizeof a, __VA_ARGS__); \
  plain_locale(1); \
  const int m = snprintf(b, sizeof b, __VA_ARGS__); \
  plain_locale(0); \
  if ((n != m || strcmp(a, b)) && ++wrong && shown++ < 10) fprintf(stderr, "line %d: %s, not %s\n", __LINE__, a, b); } while (0)

static void test_reals(void) {
  wrong = 0;
  for (int i = 0; i < 60000 + EDGES; i++) {
    const double x = i < EDGES ? edges[i] : number(i);
    const int places = (int)(next() % 20);
    if (x != x) continue;                  // the C library prints a NaN's sign or not
    AGREE("%a", x);
    AGREE("%.*g", places, x);
    if (i & 1) AGREE("%.17g|%g", x, x);
    if (i % 3 == 0) AGREE("%.*e", places, x);
    if (i % 3 == 1) AGREE("%.*f", places, x);
    if (i % 5 == 0) AGREE("%12.2f|%-12.3g|%+.1f|%012.4f|% g|%f|%E|%G", x, x, x, x, x, x, x, x);
  }
  CHECK_EQ(wrong, 0);
  char out[64];
  tn_number_print(out, sizeof out, "%g %f %5.1f %a", (double)NAN, HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
  CHECK_STR(out, "nan inf  -inf -inf");
}

static void test_integers(void) {
  wrong = 0;
  for (int i = 0; i < 3000; i++) {
    const uint64_t bits = next() >> (next() & 63);
    const long long k = (long long)bits * (bits & 1 ? 1 : -1);
    AGREE("%lld|%llu|%llx|%016llx|%5d|%-5d|%05d|%+d|%08x|%.4d|% d|%X|%#x|%o", k, (unsigned long long)k, (unsigned long long)k,
          (unsigned long long)k, (int)k, (int)k, (int)k, (int)k, (unsigned)k, (int)k, (int)k, (unsigned)k, (unsigned)k,
          (unsigned)k);
    AGREE("%ld %lu %zu %hd %hhu %jd %td", (long)k, (unsigned long)k, (size_t)k, (short)k, (unsigned char)k, (intmax_t)k,
          (ptrdiff_t)k);
  }
  AGREE("%lld %lld %d", (long long)INT64_MIN, (long long)INT64_MAX, INT_MIN);
  AGREE("%s|%8s|%-8s|%.3s|%*s|%.*s|%c|%%|%p", "word", "word", "word", "word", 7, "x", 2, "word", 'c', (void *)&wrong);
  AGREE("%*d|%-*d|%*d", 6, 42, 6, 42, -6, 42);
  CHECK_EQ(wrong, 0);
  char small[5] = "....";
  CHECK_EQ(tn_number_print(small, sizeof small, "%d", 1234567), 7);        // as snprintf: cut, and the whole length
  CHECK_STR(small, "1234");
  CHECK_EQ(tn_number_print(NULL, 0, "%s", "abc"), 3);
}

static double parsed(const char *text) {
  double x = -12345;
  return tn_number_parse(text, strlen(text), &x) ? x : -12345;
}

static void check_same(const char *text) {
  const uint64_t a = tn_float_bits(parsed(text)), b = tn_float_bits(reference(text));
  if (a != b && ++wrong && shown++ < 10) fprintf(stderr, "%s: %.17g, not %.17g\n", text, parsed(text), reference(text));
}

static void test_parse(void) {
  static const char *const texts[] = {"0", "-0", "1", "1.", ".5", "+2", "1e5", "1E+5", "1e-5", "0.1", "2.5e-324", "2.4e-324",
    "4.9e-324", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e400", "1e-400", "9007199254740993",
    "9007199254740992.9999999999", "9007199254740993.00000000000000000000000000000000001", "0.000000000000000000000001e30",
    "2.2250738585072011e-308", "2.2250738585072012e-308", "1e999999999999", "1e-999999999999", "00000000000000000000012",
    "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"};
  static const char *const bad[] = {"", "-", "+", ".", "e5", "1e", "1e+", "1,5", "1..2", "1 ", " 1", "0x1", "inf", "1e5.0", "--1"};
  char text[1200];
  wrong = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_same(texts[i]);
  for (int i = 0; i < 20000; i++) {
    const double x = number(i);
    if (x - x != 0) continue;
    tn_number_print(text, sizeof text, "%.*g", 1 + (int)(next() % 20), x);
    check_same(text);
    tn_number_print(text, sizeof text, "%.16e", x);
    if (parsed(text) != x) wrong++;
  }
  for (int i = 0; i < 300; i++) {          // half way between two doubles, in all its digits, and a little beside that
    double low = fabs(number(6 * i)), high = tn_float_of_bits(tn_float_bits(low) + 1);
    if (low - low != 0 || high - high != 0) continue;
    tn_decimal d;
    const uint64_t bits = tn_float_bits(low), code = bits >> 52, fraction = bits & (((uint64_t)1 << 52) - 1);
    tn_decimal_of(&d, 2 * (code ? fraction | (uint64_t)1 << 52 : fraction) + 1, (code ? (int)code : 1) - 1076);
    const int n = snprintf(text, sizeof text, "0.%.*se%d", d.n, d.digit, d.point);
    check_same(text);
    text[1 + d.n]++;                       // the last digit: a 5
    check_same(text);
    text[1 + d.n] -= 2;
    check_same(text);
    CHECK(n < 1200);
  }
  CHECK_EQ(wrong, 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_EQ(parsed(bad[i]), -12345);
  CHECK_EQ(tn_number_int("12", 0, 100, NULL), 12);
  CHECK_EQ(tn_number_int(" -7x", -100, 100, NULL), -7);
  CHECK_EQ(tn_number_int("99999999999999999999", 0, 1024, NULL), 1024);
  CHECK_EQ(tn_number_int("threads", 0, 1024, NULL), 0);
  CHECK_EQ(tn_number_int("-2147483648", INT_MIN, INT_MAX, NULL), INT_MIN);
  CHECK_EQ(tn_number_int("2147483648", INT_MIN, INT_MAX, NULL), INT_MAX);
  const char *end;
  CHECK(tn_digits_value("7fFe0-1", 16, &end) == 0x7ffe0 && !strcmp(end, "-1"));
  CHECK(tn_digits_value("18446744073709551615", 10, &end) == UINT64_MAX && !*end);
  CHECK(tn_digits_value("18446744073709551616x", 10, &end) == UINT64_MAX && !strcmp(end, "x"));
  CHECK(tn_digits_value("ffffffffffffffff", 16, &end) == UINT64_MAX && !*end);
  CHECK(tn_digits_value("9a", 10, &end) == 9 && !strcmp(end, "a"));
  CHECK(tn_digits_value("-1", 10, &end) == 0 && !strcmp(end, "-1"));
}

// The fewest digits are read back as the same number; the nearest of one digit less is not.
static void test_shortest(void) {
  wrong = 0;
  for (int i = 0; i < 30000 + EDGES; i++) {
    const double x = fabs(i < EDGES ? edges[i] : number(i));
    const uint64_t bits = tn_float_bits(x), code = bits >> 52, fraction = bits & (((uint64_t)1 << 52) - 1);
    if (code == 2047 || !bits) continue;
    const uint64_t m = code ? fraction | (uint64_t)1 << 52 : fraction;
    const int e = (code ? (int)code : 1) - 1075;
    char text[900];
    tn_decimal d, exact;
    tn_decimal_shortest(&d, m, e, code > 1 && !fraction, 99);
    tn_decimal_of(&exact, m, e);
    snprintf(text, sizeof text, "0.%.*se%d", d.n, d.digit, d.point);
    int ok = d.n <= 17 && d.n > 0 && d.digit[d.n - 1] != '0' && parsed(text) == x;
    tn_decimal_round(&exact, d.n - 1);
    snprintf(text, sizeof text, "0.%.*se%d", exact.n, exact.digit, exact.point);
    ok &= d.n == 1 || parsed(text) != x;
    const int fewer = 1 + i % 5, exceeds = d.n > fewer;
    tn_decimal_of(&exact, m, e);
    tn_decimal_round(&exact, fewer);
    tn_decimal_shortest(&d, m, e, code > 1 && !fraction, fewer);
    ok &= !exceeds || (d.n == exact.n && d.point == exact.point && !memcmp(d.digit, exact.digit, (size_t)d.n));
    if (!ok && ++wrong && shown++ < 10) fprintf(stderr, "the fewest digits of %.17g: %.*s\n", x, d.n, d.digit);
  }
  CHECK_EQ(wrong, 0);
}

int main(void) {
  test_reals();
  test_integers();
  test_parse();
  test_shortest();
  return test_report();
}
