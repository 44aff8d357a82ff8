// also: llvm outside
// elementwise: what the vectors cannot show: errors and their messages, dtype rules, fp8, ties and edges of gradients, second
// derivatives. Values: tests/vectors/elementwise, math, activation; accuracy: test_math.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static double nan_(void) { return (double)NAN; }
static tiny_tensor *vec(tiny_dtype d, int n, const double *x) {
  unsigned char raw[512];
  for (int i = 0; i < n; i++) tn_dtype_store(d, raw + i * (int)tiny_dtype_nbytes(d), tn_dtype_value(d, x[i]));
  return tiny_from(t, raw, d, TINY_SHAPE(n));
}
static tiny_tensor *one(tiny_dtype d, double x) { return vec(d, 1, &x); }
static double at(tiny_tensor *x, int i) {
  double out[64];
  tiny_tensor *y = tiny_cast(x, TINY_F64);
  if (tiny_nelem_of(y) > 64 || tiny_read(y, out, (size_t)tiny_nelem_of(y) * 8) != TINY_OK) { printf("  %s\n", tiny_error(t)); tiny_clear(t); return -12345; }
  return out[i];
}
static int near(double a, double b, double eps) { return a == b || (a != a && b != b) || fabs(a - b) <= eps * (fabs(b) > 1 ? fabs(b) : 1); }

// ** errors **

static void wrong(tiny_tensor *got, tiny_code code, const char *message) {
  CHECK(!tiny_ok(got));
  CHECK_EQ(tiny_status(t), code);
  CHECK_STR(tiny_error(t), message);
  tiny_clear(t);
}
static void errors(void) {
  tiny_tensor *f = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3)), *g = tiny_zeros(t, TINY_F32, TINY_SHAPE(4)), *b = tiny_zeros(t, TINY_BOOL, TINY_SHAPE(3)), *i = tiny_zeros(t, TINY_I32, TINY_SHAPE(3));
  wrong(tiny_add(f, g), TINY_E_SHAPE, "add: (2,3) and (4,) do not broadcast");
  wrong(tiny_fmod(f, g), TINY_E_SHAPE, "fmod: (2,3) and (4,) do not broadcast");
  wrong(tiny_atan2(f, g), TINY_E_SHAPE, "atan2: (2,3) and (4,) do not broadcast");
  wrong(tiny_lerp(f, f, g), TINY_E_SHAPE, "lerp: (2,3) and (4,) do not broadcast");
  wrong(tiny_logical_or(f, g), TINY_E_SHAPE, "logical_or: (2,3) and (4,) do not broadcast");
  wrong(tiny_clamp_to(f, NULL, g), TINY_E_SHAPE, "clamp_to: (2,3) and (4,) do not broadcast");
  wrong(tiny_neg(b), TINY_E_DTYPE, "neg: takes numbers, not bool");
  wrong(tiny_fmod(b, b), TINY_E_DTYPE, "fmod: takes numbers, not bool");
  wrong(tiny_frac(i), TINY_E_DTYPE, "frac: takes floats, not i32");
  wrong(tiny_bitwise_not(f), TINY_E_DTYPE, "bitwise_not: takes integers and bools, not f32");
  wrong(tiny_shift_left(f, f), TINY_E_DTYPE, "shift_left: takes integers, not f32");
  wrong(tiny_round_to(i, -1), TINY_E_DTYPE, "round_to: -1 decimals of i32");
  wrong(tiny_round_to(i, INT_MIN), TINY_E_DTYPE, "round_to: -2147483648 decimals of i32");
  CHECK(isnan(tiny_item(tiny_round_to(tiny_full(t, 3, TINY_F32, TINY_SHAPE()), INT_MIN))));
  wrong(tiny_where(f, f, f), TINY_E_DTYPE, "where: the condition is f32, not bool");
  wrong(tiny_clamp(f, 1, 0), TINY_E_ARG, "clamp: from 1 to 0");
  wrong(tiny_hardtanh(f, 1, nan_()), TINY_E_ARG, "hardtanh: from 1 to nan");
  wrong(tiny_hardshrink(f, -1), TINY_E_ARG, "hardshrink: lambda is -1");
  wrong(tiny_celu(f, 0), TINY_E_ARG, "celu: alpha is 0");
  wrong(tiny_softplus(f, 0, 20), TINY_E_ARG, "softplus: beta is 0");
  wrong(tiny_prelu(f, g), TINY_E_SHAPE, "prelu: weight (4,) for (2,3), which has 3 channels");
  wrong(tiny_glu(f, 1), TINY_E_SHAPE, "glu: axis 1 of (2,3) has no halves");
  wrong(tiny_glu(f, 2), TINY_E_ARG, "glu: axis 2 is out of range for (2,3)");
  CHECK(tiny_exp(NULL) == NULL);
}

// ** dtypes **

static void dtypes(void) {
  tiny_tensor *i = tiny_ones(t, TINY_I32, TINY_SHAPE(2)), *h = tiny_ones(t, TINY_F16, TINY_SHAPE(2)), *d0 = tiny_ones(t, TINY_F64, TINY_SHAPE()), *e = tiny_ones(t, TINY_F8E4M3, TINY_SHAPE(2)),
              *g = tiny_ones(t, TINY_F8E5M2, TINY_SHAPE(2)), *b = tiny_ones(t, TINY_BOOL, TINY_SHAPE(2));
  const struct { tiny_tensor *x; tiny_dtype d; } want[] = {
    {tiny_exp(i), TINY_F32}, {tiny_exp(b), TINY_F32}, {tiny_erf(h), TINY_F16}, {tiny_gelu(e), TINY_F8E4M3}, {tiny_fmod(h, d0), TINY_F16}, {tiny_fmod(i, d0), TINY_F64}, {tiny_fmod(i, i), TINY_I32},
    {tiny_trunc_div(i, i), TINY_I32}, {tiny_add(e, g), TINY_F16}, {tiny_add(e, h), TINY_F16}, {tiny_add(e, i), TINY_F8E4M3}, {tiny_mul(g, b), TINY_F8E5M2}, {tiny_isinf(i), TINY_BOOL}, {tiny_signbit(e), TINY_BOOL},
    {tiny_logical_and(h, i), TINY_BOOL}, {tiny_clamp_to(i, h, NULL), TINY_F16}, {tiny_lerp(i, i, d0), TINY_F64}, {tiny_relu6(i), TINY_I32}, {tiny_leaky_relu(i, 0.1), TINY_F32}, {tiny_prelu(h, d0), TINY_F16},
    {tiny_copysign(i, i), TINY_F32}, {tiny_heaviside(h, d0), TINY_F16}, {tiny_nan_to_num(i, 0, 0, 0), TINY_I32}, {tiny_sum(e, 0, 0), TINY_F8E4M3}, {tiny_mean(g, 0, 0), TINY_F8E5M2}, {tiny_amax(e, 0, 0), TINY_F8E4M3},
  };
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    if (tiny_dtype_of(want[k].x) != want[k].d) printf("row %d: %s %s\n", (int)k, tiny_dtype_name(tiny_dtype_of(want[k].x)), tiny_error(t));
    CHECK_EQ(tiny_dtype_of(want[k].x), want[k].d);
  }
  CHECK_EQ(tiny_nelem_of(tiny_gelu(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)))), 0);
  CHECK_EQ(tiny_nelem_of(tiny_glu(tiny_zeros(t, TINY_F32, TINY_SHAPE(4, 0)), 0)), 0);
}

// ** fp8: every code through a kernel, and what does not fit **

static void fp8(void) {
  for (int k = 0; k < 2; k++) {
    const tiny_dtype d = k ? TINY_F8E5M2 : TINY_F8E4M3;
    unsigned char code[256], got[256], want[256];
    for (int i = 0; i < 256; i++) code[i] = (unsigned char)i;
    tiny_tensor *x = tiny_from(t, code, d, TINY_SHAPE(256)), *y = tiny_flip(x, TINY_SHAPE(0));
    tiny_tensor *all[] = {tiny_add(x, y), tiny_mul(x, y), tiny_div(x, y), tiny_exp(x), tiny_tanh(x), tiny_neg(x), tiny_maximum(x, y), tiny_cast(tiny_cast(x, TINY_F32), d), tiny_cast(tiny_cast(x, TINY_F16), d),
                          tiny_cast(tiny_cast(x, TINY_F64), d), tiny_where(tiny_lt(x, y), x, y), tiny_floor(x), tiny_abs(x), tiny_fmod(x, y), tiny_copysign(x, y)};
    const size_t nall = sizeof all / sizeof *all;
    for (size_t o = 0; o < nall; o++) {
      CHECK_EQ(tiny_read(all[o], got, 256), TINY_OK);
      CHECK_EQ(tiny_reference(all[o], want, 256), TINY_OK);
      int differ = 0;
      for (int i = 0; i < 256; i++) {
        const double a = tn_dtype_unpack(d, got[i]), b = tn_dtype_unpack(d, want[i]), r = tn_dtype_unpack(d, code[255 - i]);
        if (o == nall - 1 && r != r) continue;               // a NaN has no sign
        differ += a != b && (a == a || b == b);
      }
      if (differ) printf("%s: operator %d: %d differ\n", tiny_dtype_name(d), (int)o, differ);
      CHECK_EQ(differ, 0);
    }
  }
  CHECK(near(at(tiny_cast(one(TINY_F32, 464), TINY_F8E4M3), 0), 448, 0));
  CHECK(near(at(tiny_cast(one(TINY_F32, 465), TINY_F8E4M3), 0), nan_(), 0));
  CHECK(near(at(tiny_cast(one(TINY_F32, -HUGE_VAL), TINY_F8E4M3), 0), nan_(), 0));
  CHECK(near(at(tiny_cast(one(TINY_F32, -1e9), TINY_F8E5M2), 0), -HUGE_VAL, 0));
  CHECK(near(at(tiny_cast(one(TINY_F64, 0.0009765625), TINY_F8E4M3), 0), 0, 0));        // half of the least number: to even
  CHECK(near(at(tiny_amax(vec(TINY_F8E4M3, 2, (const double[]){-448, -448}), 0, 0), 0), -448, 0));
  CHECK_EQ(at(tiny_isfinite(one(TINY_F8E4M3, 448)), 0), 1);
  CHECK_EQ(at(tiny_isinf(one(TINY_F8E5M2, HUGE_VAL)), 0), 1);
}

// ** gradients at ties, joints and edges; second derivatives **

static double slope(tiny_tensor *y, tiny_tensor *x) {
  tiny_tensor *g;
  if (tiny_grad(tiny_sum(y, TINY_ALL, 0), &x, 1, &g) != TINY_OK) { printf("  %s\n", tiny_error(t)); tiny_clear(t); return -12345; }
  return at(g, 0);
}
static void gradients(void) {
  tiny_tensor *zero = one(TINY_F64, 0), *x = one(TINY_F64, 1.5), *inf = one(TINY_F64, HUGE_VAL);
  CHECK(slope(tiny_relu(zero), zero) == 0);
  CHECK(slope(tiny_maximum(x, tiny_like(x, 1.5)), x) == 0.5);
  CHECK(slope(tiny_minimum(x, tiny_like(x, 1.5)), x) == 0.5);
  CHECK(slope(tiny_abs(zero), zero) == 0);
  CHECK(slope(tiny_clamp(x, 0, 1.5), x) == 1);
  CHECK(slope(tiny_hardtanh(x, 0, 1.5), x) == 0);
  CHECK(slope(tiny_elu(zero, 2), zero) == 2);
  CHECK(near(slope(tiny_softplus(zero, 1, 20), zero), 0.5, 1e-15));
  CHECK(near(slope(tiny_logsigmoid(zero), zero), 0.5, 1e-15));
  CHECK(near(slope(tiny_sigmoid(zero), zero), 0.25, 1e-15));
  CHECK(near(slope(tiny_tanh(zero), zero), 1, 1e-15));
  CHECK(near(slope(tiny_gelu(zero), zero), 0.5, 1e-15));
  CHECK(slope(tiny_elu(inf, 1), inf) == 1);
  CHECK(slope(tiny_log1p(inf), inf) == 0);
  CHECK(slope(tiny_atan(inf), inf) == 0);
  CHECK(slope(tiny_erf(inf), inf) == 0);
  CHECK(slope(tiny_asin(one(TINY_F64, 1)), zero) == 0);      // another leaf
  tiny_tensor *unit = one(TINY_F64, 1), *minus = one(TINY_F64, -1);
  CHECK(slope(tiny_asin(unit), unit) == HUGE_VAL);
  CHECK(slope(tiny_acosh(unit), unit) == HUGE_VAL);
  CHECK(slope(tiny_atanh(unit), unit) == HUGE_VAL);
  CHECK(slope(tiny_log1p(minus), minus) == HUGE_VAL);
  CHECK(slope(tiny_hypot(zero, tiny_like(zero, 0)), zero) == 0);
  CHECK(slope(tiny_atan2(zero, tiny_like(zero, 0)), zero) == slope(tiny_atan2(zero, tiny_like(zero, 0)), zero));   // no NaN
  CHECK(slope(tiny_remainder(one(TINY_F64, 7), x), x) == -4);
  CHECK(slope(tiny_where(tiny_gt(x, tiny_like(x, 2)), tiny_log(tiny_sub(x, tiny_like(x, 2))), x), x) == 1);
  // f'' of functions that carry their slope, by differences of f'
  tiny_tensor *(*const f[])(tiny_tensor *) = {tiny_tan, tiny_tanh, tiny_sigmoid, tiny_expm1, tiny_log1p, tiny_asin, tiny_acos, tiny_atan, tiny_asinh, tiny_atanh, tiny_erf, tiny_erfc, tiny_erfinv,
    tiny_lgamma, tiny_cbrt, tiny_gelu, tiny_mish, tiny_sinh, tiny_cos, tiny_exp, tiny_digamma, tiny_sinc};
  for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
    const double a = 0.375, h = 1e-5;
    tiny_tensor *p = one(TINY_F64, a), *lo = one(TINY_F64, a - h), *hi = one(TINY_F64, a + h), *g;
    CHECK_EQ(tiny_grad(tiny_sum(f[i](p), TINY_ALL, 0), &p, 1, &g), TINY_OK);
    const double by_difference = (at(f[i](hi), 0) - at(f[i](lo), 0)) / (2 * h), second = (slope(f[i](hi), hi) - slope(f[i](lo), lo)) / (2 * h);
    const int ok = near(at(g, 0), by_difference, 1e-8) && near(slope(g, p), second, 1e-7);
    if (!ok) printf("function %d: %.12g %.12g, %.12g %.12g\n", (int)i, at(g, 0), by_difference, slope(g, p), second);
    CHECK(ok);
  }
}

// ** a tensor and a number: what the tensor and a 0-d one of the same dtype give, to the bit **

typedef tiny_tensor *(*two_)(tiny_tensor *, tiny_tensor *);
typedef tiny_tensor *(*number_)(tiny_tensor *, double);
static const struct scalar_row { const char *name; number_ by_number; two_ by_two; int first, asks; } scalar_rows[] = {
#define ROW(name) {#name, tiny_##name##_scalar, tiny_##name, 0, 0},
#define ROW_FIRST(name) {"r" #name, tiny_r##name##_scalar, tiny_##name, 1, 0},
#define ROW_ASKS(name) {#name, tiny_##name##_scalar, tiny_##name, 0, 1},
  ROW(add) ROW(sub) ROW(mul) ROW(div) ROW(floor_div) ROW(remainder) ROW(pow) ROW(maximum) ROW(minimum)
  ROW_FIRST(sub) ROW_FIRST(div) ROW_FIRST(floor_div) ROW_FIRST(remainder) ROW_FIRST(pow)
  ROW_ASKS(lt) ROW_ASKS(gt) ROW_ASKS(le) ROW_ASKS(ge) ROW_ASKS(eq) ROW_ASKS(ne)
};
static const double scalar_values[] = {0, 1, 2, -3, 0.5, 2.5, -0.75, 300, 5e9, 1e17, 1e30, HUGE_VAL, -HUGE_VAL};
enum { SCALAR_ROWS = sizeof scalar_rows / sizeof *scalar_rows, SCALAR_VALUES = sizeof scalar_values / sizeof *scalar_values };

// What PyTorch makes of a number of Python's beside each dtype; comparisons with what x cannot be are made in f64.
static tiny_dtype scalar_dtype(tiny_dtype d, double value, int asks) {
  const int whole = value == floor(value) && fabs(value) < 9e18;
  if (d >= TINY_F8E4M3) return d;
  if (asks) {
    const double least = d == TINY_BOOL || tn_is_unsigned(d) ? 0 : -ldexp(1, tn_bits(d) - 1);
    const double most = d == TINY_BOOL ? 1 : ldexp(1, tn_bits(d) - tn_is_signed(d));
    return whole && value >= least && (value < most || (d == TINY_BOOL && value == 1)) ? d : TINY_F64;
  }
  return !whole ? TINY_F32 : d == TINY_BOOL ? TINY_I64 : d;
}
static void scalars(int interpreted) {
  static const double x_of[] = {0, 1, 2, 3, 5, 100, 127, -1, -7, -128, 0.5, -2.25};
  for (int d = TINY_BOOL; d < TINY_INDEX; d++)
    for (int row = 0; row < SCALAR_ROWS; row++) {
      if (!interpreted && d != TINY_U8 && d != TINY_I32 && d != TINY_F16) continue;       // a kernel for each row
      tiny_begin(t);
      tiny_tensor *x = vec((tiny_dtype)d, 12, x_of), *all[2 * SCALAR_VALUES];
      const struct scalar_row *r = &scalar_rows[row];
      for (int i = 0; i < SCALAR_VALUES; i++) {
        const tiny_dtype meet = scalar_dtype((tiny_dtype)d, scalar_values[i], r->asks);
        const int real = r->by_two == tiny_div && !tn_is_float(meet);      // does not wrap, nor does a bound
        const int bound = r->by_two == tiny_maximum || r->by_two == tiny_minimum;
        tiny_tensor *v = tn_is_float(meet) ? tiny_full(t, scalar_values[i], meet, TINY_SHAPE()) :
                         real              ? tiny_full(t, scalar_values[i], TINY_F32, TINY_SHAPE()) :
                             tiny_cast(tiny_full(t, scalar_values[i], bound ? TINY_F64 : TINY_I64, TINY_SHAPE()), meet);
        tiny_tensor *wide = tiny_cast(x, meet);
        all[2 * i] = r->by_number(x, scalar_values[i]);
        all[2 * i + 1] = r->first ? r->by_two(v, wide) : r->by_two(wide, v);
        CHECK_EQ(tiny_dtype_of(all[2 * i]), tiny_dtype_of(all[2 * i + 1]));
      }
      CHECK_EQ(tiny_realize(all, 2 * SCALAR_VALUES), TINY_OK);
      for (int i = 0; i < SCALAR_VALUES; i++) {
        unsigned char got[96] = {0}, want[96] = {1};
        const size_t nbytes = 12 * tiny_dtype_nbytes(tiny_dtype_of(all[2 * i]));
        CHECK_EQ(tiny_read(all[2 * i], got, nbytes), TINY_OK);
        CHECK_EQ(tiny_read(all[2 * i + 1], want, nbytes), TINY_OK);
        if (memcmp(got, want, nbytes)) printf("%s of %s and %g\n", r->name, tiny_dtype_name((tiny_dtype)d), scalar_values[i]);
        CHECK(!memcmp(got, want, nbytes));
      }
      CHECK_EQ(tiny_end(t), TINY_OK);
    }
}
static tiny_tensor *all_bits(tiny_dtype d) { return tiny_bitwise_not(one(d, 0)); }
static void scalars_in_words(void) {
  const struct { tiny_tensor *got; tiny_dtype dtype; double value; } rows[] = {
    {tiny_add_scalar(one(TINY_I32, 3), 2), TINY_I32, 5}, {tiny_add_scalar(one(TINY_I32, 3), 2.5), TINY_F32, 5.5},
    {tiny_add_scalar(one(TINY_U8, 250), 300), TINY_U8, 38}, {tiny_mul_scalar(one(TINY_U8, 2), -1), TINY_U8, 254},
    {tiny_add_scalar(one(TINY_BOOL, 1), 1), TINY_I64, 2}, {tiny_mul_scalar(one(TINY_BOOL, 1), 2.5), TINY_F32, 2.5},
    {tiny_add_scalar(one(TINY_F16, 1), 2.5), TINY_F16, 3.5}, {tiny_div_scalar(one(TINY_I32, 3), 2), TINY_F32, 1.5},
    {tiny_rsub_scalar(one(TINY_I64, 3), 10), TINY_I64, 7}, {tiny_rdiv_scalar(one(TINY_F64, 4), 1), TINY_F64, 0.25},
    {tiny_rpow_scalar(one(TINY_F32, 3), 2), TINY_F32, 8}, {tiny_rfloor_div_scalar(one(TINY_I32, 2), 7), TINY_I32, 3},
    {tiny_rremainder_scalar(one(TINY_I32, 4), 7), TINY_I32, 3}, {tiny_lt_scalar(one(TINY_U8, 254), 300), TINY_BOOL, 1},
    {tiny_gt_scalar(one(TINY_U8, 0), -1), TINY_BOOL, 1}, {tiny_eq_scalar(one(TINY_U8, 44), 300), TINY_BOOL, 0},
    {tiny_lt_scalar(one(TINY_I32, 16777217), 16777216.5), TINY_BOOL, 0}, {tiny_eq_scalar(one(TINY_BOOL, 1), 1), TINY_BOOL, 1},
    {tiny_add_scalar(one(TINY_I32, 1), nan_()), TINY_F32, nan_()}, {tiny_ne_scalar(one(TINY_F32, 1), nan_()), TINY_BOOL, 1},
    {tiny_add_scalar(tiny_full(t, 1, TINY_I8, TINY_SHAPE()), 2), TINY_I8, 3},
    {tiny_div_scalar(one(TINY_U8, 128), 256), TINY_F32, 0.5}, {tiny_div_scalar(one(TINY_U8, 3), -1), TINY_F32, -3},
    {tiny_rdiv_scalar(one(TINY_I8, 4), 300), TINY_F32, 75}, {tiny_maximum_scalar(one(TINY_U8, 3), -1), TINY_U8, 3},
    {tiny_minimum_scalar(one(TINY_U8, 200), 300), TINY_U8, 200}, {tiny_maximum_scalar(one(TINY_I8, 5), 1e10), TINY_I8, 127},
    {tiny_eq_scalar(all_bits(TINY_U64), ldexp(1, 64)), TINY_BOOL, 0}, {tiny_lt_scalar(all_bits(TINY_U64), ldexp(1, 64)), TINY_BOOL, 1},
    {tiny_gt_scalar(all_bits(TINY_U64), ldexp(1, 63)), TINY_BOOL, 1}, {tiny_sub_scalar(all_bits(TINY_U64), ldexp(1, 63)), TINY_U64, ldexp(1, 63)},
    {tiny_eq_scalar(tiny_shift_right(all_bits(TINY_U64), one(TINY_U64, 1)), ldexp(1, 63)), TINY_BOOL, 0},
    {tiny_ge_scalar(tiny_bitwise_not(one(TINY_I64, 0)), -ldexp(1, 64)), TINY_BOOL, 1},
    {tiny_add_scalar(one(TINY_I64, 0), -ldexp(1, 63)), TINY_I64, -ldexp(1, 63)}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    CHECK_EQ(tiny_dtype_of(rows[i].got), rows[i].dtype);
    if (!near(at(rows[i].got, 0), rows[i].value, 0)) printf("row %d: %g\n", (int)i, at(rows[i].got, 0));
    CHECK(near(at(rows[i].got, 0), rows[i].value, 0));
  }
  CHECK_EQ(tiny_nelem_of(tiny_add_scalar(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), 1)), 0);
  CHECK(tiny_add_scalar(NULL, 1) == NULL);
  CHECK(tiny_lt_scalar(NULL, 1) == NULL);
  tiny_tensor *poison = tiny_neg(one(TINY_BOOL, 1));
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_add_scalar(poison, 1)));
  CHECK_EQ(tiny_status(t), TINY_OK);
}
// Values that take a derivative: by hand.
static void scalar_gradients(void) {
  tiny_tensor *x = one(TINY_F64, 1.5), *h = one(TINY_F32, 4);
  CHECK(slope(tiny_add_scalar(x, 7), x) == 1);
  CHECK(slope(tiny_sub_scalar(x, 7), x) == 1);
  CHECK(slope(tiny_rsub_scalar(x, 7), x) == -1);
  CHECK(slope(tiny_mul_scalar(x, 7), x) == 7);
  CHECK(slope(tiny_div_scalar(x, 4), x) == 0.25);
  CHECK(near(slope(tiny_rdiv_scalar(x, 9), x), -4, 1e-15));
  CHECK(near(slope(tiny_pow_scalar(x, 3), x), 6.75, 1e-15));
  CHECK(near(slope(tiny_rpow_scalar(x, 2), x), pow(2, 1.5) * log(2.0), 1e-14));
  CHECK(slope(tiny_pow_scalar(h, 0.5), h) == 0.25);
  CHECK(slope(tiny_maximum_scalar(x, 1), x) == 1);
  CHECK(slope(tiny_maximum_scalar(x, 2), x) == 0);
  CHECK(slope(tiny_minimum_scalar(x, 1.5), x) == 0.5);
  CHECK(slope(tiny_remainder_scalar(x, 1), x) == 1);
  CHECK(slope(tiny_floor_div_scalar(x, 1), x) == 0);
}
static int live_handles(void) { return t->tensors->nslots - t->tensors->untaken - t->tensors->nunused; }
// No handle but the result's is made: when it is freed, all is as it was.
static void scalars_leave_nothing(void) {
  tiny_tensor *x = one(TINY_F32, 1);
  const int handles = live_handles();
  for (int i = 0; i < 100; i++) tiny_free(tiny_add_scalar(x, i + 0.5));
  CHECK_EQ(live_handles(), handles);
  tiny_free(x);
}

// ** edges **

// f32 by f32 as C has it, to the bit, and no f64 on the way (the sign of NaN is nobody's): every pair of what is hard, quotients
// up to 2^276, and bits at random. Floored the sign is the divisor's.
static void remainders(void) {
  static const float hard[] = {0, 0x1p-149f, 0x3p-149f, 0x7ffp-149f, 0x1.fffffcp-127f, 0x1p-126f, 0x1.000002p-126f, 0x1.fffffep-126f, 0x1.8p-103f, 0x1p-102f, 0x1.99999ap-4f, 0.3f, 0.99999994f, 1, 1.0000001f, 3, 7, 8388607,
                               8388608, 16777215, 16777216, 0x1.fffffep50f, 0x1.234568p100f, 0x1.fffffep126f, 0x1p127f, 0x1.000002p127f, 0x1.fffffep127f, INFINITY, NAN};
  enum { HARD = 2 * (int)(sizeof hard / sizeof *hard), PAIRS = HARD * HARD, ALL = PAIRS + 20000 };
  static float a[ALL], b[ALL], rest[ALL], floored[ALL];
  uint32_t bits = 1;
  for (int i = 0; i < ALL; i++) {
    float *const of[2] = {&a[i], &b[i]};
    for (int k = 0; k < 2; k++) {
      const int j = k ? i % HARD : i / HARD;
      if (i < PAIRS) *of[k] = j & 1 ? -hard[j / 2] : hard[j / 2];
      else { bits = bits * 1664525 + 1013904223; memcpy(of[k], &bits, 4); }
    }
    if (i >= PAIRS && i & 1) b[i] = a[i] * (1 / (float)(i % 1000 + 1));         // near a whole number of times
  }
  tiny_tensor *x = tiny_from(t, a, TINY_F32, TINY_SHAPE(ALL)), *y = tiny_from(t, b, TINY_F32, TINY_SHAPE(ALL));
  CHECK_EQ(tiny_read(tiny_fmod(x, y), rest, sizeof rest), TINY_OK);
  CHECK_EQ(tiny_read(tiny_remainder(x, y), floored, sizeof floored), TINY_OK);
  int differ = 0;
  for (int i = 0; i < ALL; i++) {
    const float want = fmodf(a[i], b[i]), up = want != 0 && signbit(want) != signbit(b[i]) ? want + b[i] : want;
    const int same = (want != want && rest[i] != rest[i]) || !memcmp(&want, &rest[i], 4), too = floored[i] == up || (up != up && floored[i] != floored[i]);
    if ((!same || !too) && differ++ < 5) printf("  fmod(%a, %a) = %a, not %a; floored %a, not %a\n", a[i], b[i], rest[i], want, floored[i], up);
  }
  CHECK_EQ(differ, 0);
  for (int i = 0; i < 4; i++) {
    tiny_tensor *p = one(TINY_F32, i & 1 ? -7.5 : 7.5), *q = one(TINY_F32, i & 2 ? -2 : 2);
    tiny_tensor *const both[] = {p, q};
    tiny_tensor *d[2];
    CHECK_EQ(tiny_grad(tiny_sum(tiny_fmod(p, q), TINY_ALL, 0), both, 2, d), TINY_OK);
    CHECK(at(d[0], 0) == 1 && at(d[1], 0) == (i == 1 || i == 2 ? 3 : -3));
  }
}
static void edges(void) {
  CHECK(at(tiny_remainder(one(TINY_F32, 5), one(TINY_F32, HUGE_VAL)), 0) == 5);
  CHECK(at(tiny_remainder(one(TINY_F32, -5), one(TINY_F32, HUGE_VAL)), 0) == HUGE_VAL);
  CHECK(at(tiny_fmod(one(TINY_F32, -5), one(TINY_F32, HUGE_VAL)), 0) == -5);
  CHECK(at(tiny_floor_div(one(TINY_F32, -5), one(TINY_F32, HUGE_VAL)), 0) == -1);
  CHECK(near(at(tiny_remainder(one(TINY_F64, 100.3), one(TINY_F64, 0.1)), 0), fmod(100.3, 0.1), 1e-18));
  CHECK(at(tiny_remainder(one(TINY_I32, INT32_MIN), one(TINY_I32, -1)), 0) == 0);
  CHECK(at(tiny_trunc_div(one(TINY_I32, -7), one(TINY_I32, 2)), 0) == -3);
  CHECK(at(tiny_trunc_div(one(TINY_I32, 7), one(TINY_I32, 0)), 0) == 0);
  CHECK(at(tiny_fmod(one(TINY_I32, -7), one(TINY_I32, 0)), 0) == -7);
  CHECK(at(tiny_shift_right(one(TINY_I32, -7), one(TINY_I32, 40)), 0) == -1);
  CHECK(at(tiny_signbit(one(TINY_F16, -0.0)), 0) == 1);
  CHECK(signbit(at(tiny_asinh(one(TINY_F32, -0.0)), 0)) && signbit(at(tiny_atan(one(TINY_F32, -0.0)), 0)) && signbit(at(tiny_log1p(one(TINY_F32, -0.0)), 0)));
  CHECK(near(at(tiny_nan_to_num(one(TINY_F16, HUGE_VAL), 0, nan_(), nan_()), 0), 65504, 0));
  CHECK(near(at(tiny_nan_to_num(one(TINY_F8E4M3, nan_()), 3, nan_(), nan_()), 0), 3, 0));
  CHECK(near(at(tiny_hypot(one(TINY_F32, 3e38), one(TINY_F32, 1e38)), 0), 3.1622776e38, 1e-6));
  CHECK(near(at(tiny_hypot(one(TINY_F32, 3e-45), one(TINY_F32, 4e-45)), 0), 5.6e-45, 1e-44));
  CHECK(near(at(tiny_exp(one(TINY_F32, 88.72283)), 0), 3.4027988e38, 1e-6));
  CHECK(at(tiny_exp(one(TINY_F32, 88.72284)), 0) == HUGE_VAL);
  CHECK(near(at(tiny_cosh(one(TINY_F32, 89)), 0), 2.2448058e38, 1e-6));
}

// In a kernel of lanes, 0 / 0 beyond the end.
static void masked_division(void) {
  enum { N = 18 };
  float in[2 * N], got[3 * N];
  for (int i = 0; i < 2 * N; i++) in[i] = (float)(i % 5) + 1;
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(N, 2)), *zero = tiny_zeros(t, TINY_F32, TINY_SHAPE(1));
  tiny_tensor *y = tiny_where(tiny_eq(x, x), tiny_div(x, x), zero);
  CHECK_EQ(tiny_read(tiny_pad(y, TINY_SHAPE(0, 0, 0, 1), 0), got, sizeof got), TINY_OK);
  for (int i = 0; i < N; i++) CHECK(got[3 * i] == 1 && got[3 * i + 1] == 1 && got[3 * i + 2] == 0);
}

int main(void) {
  static const char *const devices[] = {"INTERP", NULL};
  for (int i = 0; i < 2; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[i];
    t = tiny_open(&d);
    errors();
    dtypes();
    fp8();
    gradients();
    scalars(i == 0);
    scalars_in_words();
    scalar_gradients();
    scalars_leave_nothing();
    remainders();
    edges();
    masked_division();
    tiny_close(t);
  }
  return test_report();
}
