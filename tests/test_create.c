// create, random: errors, identity of tensors, bits read as other dtypes; moments, ranges and repeatability of random numbers.
#include "operator_test.h"

static int is(tiny_tensor *x, int n, const double *want) {
  if (values(x) != n) return 0;
  for (int i = 0; i < n; i++) if (got[i] != want[i]) return 0;
  return 1;
}

// ** creation **

static void check_ranges(void) {
  BAD(tiny_linspace(t, 0, 1, -1, TINY_F32), TINY_E_SHAPE, "linspace: negative size in (-1,)");
  BAD(tiny_linspace(t, 0, 1, 3, TINY_VOID), TINY_E_DTYPE, "linspace: 0 is no dtype");
  BAD(tiny_logspace(t, 0, 1, -1, 10, TINY_F32), TINY_E_SHAPE, "logspace: negative size");
  BAD(tiny_eye_nm(t, 2, -1, 0, TINY_F32), TINY_E_SHAPE, "eye_nm: negative size in (2,-1)");
  BAD(tiny_tri(t, -2, 1, 0, TINY_F32), TINY_E_SHAPE, "tri: negative size in (-2,1)");
  BAD(tiny_tril(tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 0), TINY_E_SHAPE, "tril: (3,) has no rows and columns");
  BAD(tiny_triu(tiny_zeros(t, TINY_F32, TINY_SHAPE()), 0), TINY_E_SHAPE, "triu: () has no rows and columns");
  CHECK(tiny_linspace(NULL, 0, 1, 3, TINY_F32) == NULL && tiny_tri(NULL, 1, 1, 0, TINY_F32) == NULL);
  CHECK(tiny_full_like(NULL, 1) == NULL && tiny_ones_like(tn_poison(t)) == tn_poison(t));
  // The last number of a range is its end, whatever the step was rounded to.
  for (int n = 2; n < 200; n++) {
    CHECK_EQ(values(tiny_linspace(t, 0.1, 0.7, n, TINY_F32)), n);
    CHECK(got[0] == (float)0.1 && got[n - 1] == (float)0.7);
    if (n > 100) n += 30;
  }
  // Far off diagonals do not overflow.
  CHECK_EQ(values(tiny_tri(t, 2, 2, INT64_MAX, TINY_F32)), 4);
  CHECK(got[1] == 1);
  CHECK_EQ(values(tiny_tril(tiny_ones(t, TINY_F32, TINY_SHAPE(2, 2)), INT64_MIN)), 4);
  CHECK(got[2] == 0);
}

// Tensors of equal numbers are tensors of their own, and so are copies.
static void check_identity(void) {
  const double three[3] = {3, 3, 3}, two[3] = {2, 2, 2}, one[3] = {1, 1, 1};
  tiny_tensor *x = tiny_ones(t, TINY_F32, TINY_SHAPE(3)), *y = tiny_ones_like(x), *z = tiny_full_like(x, 1);
  CHECK(tn_uop_of(y) != tn_uop_of(x) && tn_uop_of(z) != tn_uop_of(y));
  tiny_assign(y, tiny_like(y, 2));
  CHECK(is(x, 3, one) && is(y, 3, two) && is(z, 3, one));
  tiny_tensor *copy = tiny_clone(y), *again = tiny_clone(y);
  CHECK(tn_uop_of(copy) != tn_uop_of(again));
  tiny_assign(y, tiny_like(y, 3));
  CHECK(is(y, 3, three) && is(copy, 3, two));
  tiny_assign(tiny_shrink(copy, TINY_SHAPE(0, 3)), tiny_like(copy, 1));
  CHECK(is(copy, 3, one) && is(again, 3, two) && is(y, 3, three));
  tiny_tensor *w = tiny_from(t, (const float[3]){1, 1, 1}, TINY_F32, TINY_SHAPE(3)), *g;
  tiny_tensor *loss = tiny_sum(tiny_mul(tiny_clone(w), tiny_like(w, 2)), 0, 0);
  CHECK_EQ(tiny_grad(loss, &w, 1, &g), TINY_OK);
  CHECK(is(g, 3, two));
}

static void check_bits(void) {
  tiny_tensor *x = tiny_from(t, (const uint32_t[2]){0x40490FDB, 0x01020304}, TINY_U32, TINY_SHAPE(2));
  const double bytes[8] = {0xDB, 0x0F, 0x49, 0x40, 4, 3, 2, 1}, words[4] = {0x0FDB, 0x4049, 0x0304, 0x0102}, wide[1] = {0x01020304 * 4294967296.0 + 0x40490FDB};
  CHECK(is(tiny_bitcast(x, TINY_U8), 8, bytes));
  CHECK(is(tiny_bitcast(x, TINY_U16), 4, words));
  CHECK(is(tiny_bitcast(x, TINY_U64), 1, wide));
  CHECK(is(tiny_bitcast(tiny_bitcast(x, TINY_I8), TINY_U16), 4, words));
  CHECK_EQ(values(tiny_bitcast(x, TINY_F32)), 2);
  CHECK(got[0] == (float)3.14159265358979);
  CHECK_EQ(values(tiny_bitcast(tiny_zeros(t, TINY_F64, TINY_SHAPE(2, 0)), TINY_U8)), 0);
  BAD(tiny_bitcast(tiny_zeros(t, TINY_U8, TINY_SHAPE(2, 3)), TINY_I16), TINY_E_SHAPE, "bitcast: the last dim of u8 (2,3) does not make whole i16");
  BAD(tiny_bitcast(tiny_zeros(t, TINY_F32, TINY_SHAPE()), TINY_U8), TINY_E_SHAPE, "bitcast: the last dim of f32 () does not make whole u8");
  BAD(tiny_bitcast(tiny_zeros(t, TINY_BOOL, TINY_SHAPE(4)), TINY_U8), TINY_E_DTYPE, "bitcast: bool cannot be read as u8");
}

// ** random numbers **

typedef struct moments { double mean, deviation, least, most; } moments;
static moments moments_of(tiny_tensor *x) {
  const int64_t n = values(x);
  moments m = {0, 0, HUGE_VAL, -HUGE_VAL};
  for (int64_t i = 0; i < n; i++) { m.mean += got[i] / (double)n; m.least = fmin(m.least, got[i]); m.most = fmax(m.most, got[i]); }
  for (int64_t i = 0; i < n; i++) m.deviation += (got[i] - m.mean) * (got[i] - m.mean) / (double)n;
  m.deviation = sqrt(m.deviation);
  return m;
}
static int near(double a, double b, double by) { if (!(fabs(a - b) <= by)) fprintf(stderr, "    %g is not %g\n", a, b); return fabs(a - b) <= by; }

static void check_uniform(void) {
  static const tiny_dtype floats[] = {TINY_F16, TINY_BF16, TINY_F32, TINY_F64};
  for (int i = 0; i < 4; i++) {
    moments m = moments_of(tiny_uniform(t, 0, 1, floats[i], TINY_SHAPE(100, 1000)));
    CHECK(m.least >= 0 && m.least < 0.01 && m.most < 1 && m.most > 0.99);
    CHECK(near(m.mean, 0.5, 0.006) && near(m.deviation, sqrt(1.0 / 12), 0.006));
    m = moments_of(tiny_uniform(t, -3, 5, floats[i], TINY_SHAPE(100000)));
    CHECK(m.least >= -3 && m.most <= 5 && near(m.mean, 1, 0.04) && near(m.deviation, 8 / sqrt(12), 0.04));
    m = moments_of(tiny_normal(t, 2, 0.5, floats[i], TINY_SHAPE(100000)));
    CHECK(near(m.mean, 2, 0.01) && near(m.deviation, 0.5, 0.01) && m.least < 0.4 && m.most > 3.6);
    m = moments_of(tiny_rand_like(tiny_zeros(t, floats[i], TINY_SHAPE(1000, 100))));
    CHECK(m.least >= 0 && m.most < 1 && near(m.mean, 0.5, 0.006));
    tiny_tensor *like = tiny_randn_like(tiny_zeros(t, floats[i], TINY_SHAPE(1000, 100)));
    m = moments_of(like);
    CHECK(tiny_dtype_of(like) == floats[i] && near(m.mean, 0, 0.02) && near(m.deviation, 1, 0.02));
  }
  // f64 has more than 24 bits, f32 has all 24.
  int odd = 0;
  CHECK_EQ(values(tiny_uniform(t, 0, 1, TINY_F64, TINY_SHAPE(1000))), 1000);
  for (int i = 0; i < 1000; i++) { CHECK(got[i] * 9007199254740992.0 == floor(got[i] * 9007199254740992.0)); odd += got[i] * 16777216.0 != floor(got[i] * 16777216.0); }
  CHECK(odd > 990);
  BAD(tiny_uniform(t, 1, 0, TINY_F32, TINY_SHAPE(3)), TINY_E_ARG, "uniform: from 1 to 0");
  BAD(tiny_uniform(t, 0, 1, TINY_I32, TINY_SHAPE(3)), TINY_E_DTYPE, "uniform: takes floats, not i32");
  BAD(tiny_uniform(t, 0, HUGE_VAL, TINY_F32, TINY_SHAPE(3)), TINY_E_ARG, "uniform: 0 + inf * x is not finite");
  BAD(tiny_normal(t, 0, -1, TINY_F32, TINY_SHAPE(3)), TINY_E_ARG, "normal: deviation -1");
  BAD(tiny_rand_like(tiny_zeros(t, TINY_I32, TINY_SHAPE(3))), TINY_E_DTYPE, "rand_like: takes floats, not i32");
  BAD(tiny_normal(t, 0, 1, TINY_F32, TINY_SHAPE(1 << 20, 1 << 20)), TINY_E_SHAPE, "normal: 1099511627776 elements, but a call gives at most 2^32");
  CHECK(tiny_uniform(NULL, 0, 1, TINY_F32, TINY_SHAPE(3)) == NULL && tiny_randn_like(NULL) == NULL);
  CHECK_EQ(values(tiny_rand(t, TINY_SHAPE(0, 3))), 0);
  CHECK_EQ(values(tiny_randn(t, TINY_SHAPE())), 1);
}

// The same seed gives the same numbers, call by call; the next call and another seed give others.
static void check_seed(void) {
  static double first[3][1000];
  for (int round = 0; round < 2; round++) {
    tiny_seed(t, 42);
    for (int call = 0; call < 3; call++) {
      CHECK_EQ(values(call == 2 ? tiny_randint(t, 0, 1000, TINY_I32, TINY_SHAPE(1000)) : tiny_rand(t, TINY_SHAPE(1000))), 1000);
      if (round) CHECK(!memcmp(first[call], got, sizeof first[call]));
      else memcpy(first[call], got, sizeof first[call]);
    }
  }
  CHECK(memcmp(first[0], first[1], sizeof first[0]) != 0);
  tiny_seed(t, 43);
  CHECK_EQ(values(tiny_rand(t, TINY_SHAPE(1000))), 1000);
  CHECK(memcmp(first[0], got, sizeof first[0]) != 0);
  double product = 0;
  for (int i = 0; i < 1000; i++) product += (first[0][i] - 0.5) * (got[i] - 0.5) / 1000;
  CHECK(near(product, 0, 0.012));
  // What was asked for before is not changed by what the seed becomes.
  tiny_seed(t, 42);
  tiny_tensor *late = tiny_rand(t, TINY_SHAPE(1000));
  tiny_seed(t, 7);
  CHECK_EQ(values(late), 1000);
  CHECK(!memcmp(first[0], got, sizeof first[0]));
  tiny_seed(NULL, 1);
}

static void check_whole(void) {
  static int count[10];
  memset(count, 0, sizeof count);
  CHECK_EQ(values(tiny_randint(t, -4, 6, TINY_I8, TINY_SHAPE(100000))), 100000);
  for (int i = 0; i < 100000; i++) { CHECK(got[i] >= -4 && got[i] < 6); if (got[i] >= -4 && got[i] < 6) count[(int)got[i] + 4]++; }
  for (int i = 0; i < 10; i++) CHECK(near(count[i], 10000, 400));
  moments m = moments_of(tiny_randint(t, INT64_MIN, INT64_MAX, TINY_I64, TINY_SHAPE(10000)));
  CHECK(near(m.mean / 9.3e18, 0, 0.03) && near(m.deviation / 9.223372036854775808e18, sqrt(1.0 / 3), 0.02));
  m = moments_of(tiny_randint(t, 0, (int64_t)3 << 40, TINY_I64, TINY_SHAPE(10000)));
  CHECK(m.least >= 0 && near(m.mean / ((int64_t)3 << 40), 0.5, 0.02));
  m = moments_of(tiny_randint(t, 7, 8, TINY_U8, TINY_SHAPE(10)));
  CHECK(m.least == 7 && m.most == 7);
  m = moments_of(tiny_randint(t, 0, 2, TINY_BOOL, TINY_SHAPE(10000)));
  CHECK(near(m.mean, 0.5, 0.03));
  m = moments_of(tiny_randint(t, 0, 5, TINY_F32, TINY_SHAPE(10000)));
  CHECK(m.most == 4 && near(m.mean, 2, 0.08));
  BAD(tiny_randint(t, 3, 3, TINY_I32, TINY_SHAPE(1)), TINY_E_ARG, "randint: from 3 to below 3");
  BAD(tiny_randint(t, 0, 300, TINY_U8, TINY_SHAPE(1)), TINY_E_ARG, "randint: u8 has not all from 0 to below 300");
  BAD(tiny_randint(t, -1, 3, TINY_U32, TINY_SHAPE(1)), TINY_E_ARG, "randint: u32 has not all from -1");
}

static void check_orders(void) {
  static int place[8][8];
  static char seen[2000];
  memset(place, 0, sizeof place);
  CHECK_EQ(values(tiny_randperm(t, 2000)), 2000);
  int fixed = 0;
  for (int i = 0; i < 2000; i++) { const int at = (int)got[i]; CHECK(at >= 0 && at < 2000 && !seen[at]); if (at >= 0 && at < 2000) seen[at] = 1; fixed += at == i; }
  CHECK(fixed < 10);
  for (int i = 0; i < 800; i++) {
    tiny_begin(t);
    CHECK_EQ(values(tiny_randperm(t, 8)), 8);
    for (int k = 0; k < 8; k++) place[k][(int)got[k] & 7]++;
    tiny_end(t);
  }
  for (int i = 0; i < 64; i++) CHECK(near(place[i / 8][i % 8], 100, 45));
  CHECK_EQ(values(tiny_randperm(t, 0)), 0);
  CHECK_EQ(values(tiny_randperm(t, 1)), 1);
  CHECK(got[0] == 0);
  BAD(tiny_randperm(t, -1), TINY_E_SHAPE, "randperm: negative size");
}

static void check_draws(void) {
  tiny_tensor *p = tiny_from(t, (const float[4]){0, 0.25f, 0.5f, 1}, TINY_F32, TINY_SHAPE(4, 1));
  CHECK_EQ(values(tiny_bernoulli(tiny_expand(p, TINY_SHAPE(4, 10000)))), 40000);
  double mean[4] = {0};
  for (int i = 0; i < 40000; i++) { CHECK(got[i] == 0 || got[i] == 1); mean[i / 10000] += got[i]; }
  CHECK(mean[0] == 0 && near(mean[1], 2500, 200) && near(mean[2], 5000, 200) && mean[3] == 10000);
  BAD(tiny_bernoulli(tiny_zeros(t, TINY_I32, TINY_SHAPE(3))), TINY_E_DTYPE, "bernoulli: probabilities are floats, not i32");
  // With replacement: as often as the weights say, and never what has none.
  tiny_tensor *w = tiny_from(t, (const float[10]){0, 1, 2, 0, 4, 3, 0, 0, 0, 5}, TINY_F32, TINY_SHAPE(2, 5)), *draws = tiny_multinomial(w, 10000, 1);
  double count[2][5] = {{0}};
  CHECK(tiny_dtype_of(draws) == TINY_I32 && tiny_shape_of(draws).dim[1] == 10000);
  CHECK_EQ(values(draws), 20000);
  for (int i = 0; i < 20000; i++) { CHECK(got[i] >= 0 && got[i] < 5); count[i / 10000][(int)got[i] % 5] += 1e-4; }
  CHECK(count[0][0] == 0 && count[0][3] == 0 && near(count[0][1], 1.0 / 7, 0.015) && near(count[0][4], 4.0 / 7, 0.015));
  CHECK(count[1][1] == 0 && count[1][2] == 0 && near(count[1][0], 3.0 / 8, 0.015) && near(count[1][4], 5.0 / 8, 0.015));
  // Many classes, whose sums run over blocks; integers as weights; the last ones have no weight.
  static float many[3000];
  for (int i = 0; i < 3000; i++) many[i] = i % 3 == 1 && i < 2000;
  CHECK_EQ(values(tiny_multinomial(tiny_from(t, many, TINY_F32, TINY_SHAPE(3000)), 5000, 1)), 5000);
  double sum = 0;
  for (int i = 0; i < 5000; i++) { CHECK((int)got[i] % 3 == 1 && got[i] < 2000); sum += got[i] / 5000; }
  CHECK(near(sum, 1000, 30));
  // Without replacement: each class once; the first draw by weight, the second by what is left.
  double first[3] = {0}, second[3] = {0};
  tiny_tensor *rows = tiny_expand(tiny_from(t, (const float[3]){1, 2, 3}, TINY_F32, TINY_SHAPE(3)), TINY_SHAPE(10000, 3));
  CHECK_EQ(values(tiny_multinomial(rows, 3, 0)), 30000);
  for (int i = 0; i < 10000; i++) {
    const int a = (int)got[3 * i], b = (int)got[3 * i + 1], c = (int)got[3 * i + 2];
    CHECK(a + b + c == 3 && a != b && b != c && a != c);
    first[a % 3] += 1e-4; second[b % 3] += 1e-4;
  }
  CHECK(near(first[0], 1.0 / 6, 0.015) && near(first[1], 2.0 / 6, 0.02) && near(first[2], 3.0 / 6, 0.02));
  CHECK(near(second[0], 2.0 / 6 / 4 + 3.0 / 6 / 3, 0.02));   // after 1 of (1,3), after 2 of (1,2)
  CHECK_EQ(values(tiny_multinomial(tiny_from(t, many, TINY_F32, TINY_SHAPE(3000)), 600, 0)), 600);
  for (int i = 0; i < 600; i++) CHECK((int)got[i] % 3 == 1 && got[i] < 2000);
  CHECK_EQ(values(tiny_multinomial(w, 0, 1)), 0);
  BAD(tiny_multinomial(w, 6, 0), TINY_E_SHAPE, "multinomial: 6 draws without replacement from weights (2,5)");
  BAD(tiny_multinomial(tiny_like(w, 1), 1, 1), TINY_E_SHAPE, "multinomial: 1 draws from weights ()");
}

static void check_weights(void) {
  const double window = 200 * 9, in = window, out = 64 * 9;
  tiny_shape s = TINY_SHAPE(64, 200, 3, 3);
  moments m = moments_of(tiny_xavier_uniform(t, s));
  CHECK(near(m.deviation, sqrt(2 / (in + out)), 2e-4) && near(m.most, sqrt(6 / (in + out)), 1e-4) && near(m.least, -sqrt(6 / (in + out)), 1e-4));
  m = moments_of(tiny_xavier_normal(t, s));
  CHECK(near(m.deviation, sqrt(2 / (in + out)), 3e-4) && near(m.mean, 0, 3e-4));
  m = moments_of(tiny_kaiming_uniform(t, 0, s));
  CHECK(near(m.deviation, sqrt(2 / in), 3e-4) && near(m.most, sqrt(6 / in), 1e-4));
  m = moments_of(tiny_kaiming_uniform(t, sqrt(5), s));
  CHECK(near(m.most, 1 / sqrt(in), 1e-4) && near(m.least, -1 / sqrt(in), 1e-4));
  m = moments_of(tiny_kaiming_normal(t, 1, s));
  CHECK(near(m.deviation, 1 / sqrt(in), 3e-4));
  CHECK_EQ(values(tiny_kaiming_normal(t, 0, TINY_SHAPE(4, 0))), 0);
  BAD(tiny_xavier_uniform(t, TINY_SHAPE(3)), TINY_E_SHAPE, "xavier_uniform: (3,) is no shape (out, in, ..) of weights");
  BAD(tiny_kaiming_normal(t, 0, TINY_SHAPE()), TINY_E_SHAPE, "kaiming_normal: () is no shape");
}

int main(void) {
  const tiny_desc d = {.seed = 2024};
  t = tiny_open(&d);
  check_ranges();
  check_identity();
  check_bits();
  check_uniform();
  check_seed();
  check_whole();
  check_orders();
  check_draws();
  check_weights();
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
