// function: the functions of one real variable as nodes: roundings, powers, exponentials, logarithms, circular and
// hyperbolic functions and their inverses, error and gamma functions.
//
// In:  a node; those below "real functions" take f32 or f64 alone (operators cast). Out: a formula of EXP2, LOG2, SIN,
//      SQRT, TRUNC and arithmetic that is within a few ulp wherever a textbook's cancels or overflows.
// A formula of several pieces computes all of them and selects: what would be infinite or NaN in a piece that is not
// taken does no harm. Its gradient is not that of the pieces: tn_sloped names the function, and rules/gradient.c knows
// its derivative. Functions without a slope are differentiated as they stand.
// tests/test_transcendental.c measures the errors.
#ifndef TN_IR_FUNCTION
#define TN_IR_FUNCTION
#ifndef TINY_AMALGAMATED
#include "build.c"
#endif

#define TN_PI 3.14159265358979323846

// y, a value of the function of x that slope names, as a node that flows its gradient to x.
static tiny_uop *tn_sloped(tiny_ctx *t, int slope, tiny_uop *y, tiny_uop *x) {
  tiny_uop *src[2] = {y, x};
  return tn_bad(t, y) || tn_bad(t, x) ? &t->ir->bad
                                      : tn_uop_make(t, TINY_OP_DETACH, x->dtype, 1, 2, src, slope, 0, NULL);
}

// ** of any numbers: signs, whole parts, powers **

static tiny_uop *tn_below_zero(tiny_ctx *t, tiny_uop *x) { return tn_lt(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_is_zero(tiny_ctx *t, tiny_uop *x) { return tn_eq(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_isnan(tiny_ctx *t, tiny_uop *x) { return tn_ne(t, x, x); }
// A float without its sign bit, that of -0 as well; the gradient at 0 is 0.
static tiny_uop *tn_without_sign(tiny_ctx *t, tiny_uop *x) {
  const int integer = tn_integer_of(x->dtype);
  tiny_uop *bits = tn_uop_make(t, TINY_OP_BITCAST, integer, 1, 1, &x, 0, 0, NULL);
  bits = tn_bad(t, bits) ? bits : tn_binary(t, TINY_OP_AND, bits, tn_int(t, integer, tn_dtype_max(integer)));
  return tn_sloped(t, TN_SLOPE_ABS,
                   tn_bad(t, bits) ? bits : tn_uop_make(t, TINY_OP_BITCAST, x->dtype, 1, 1, &bits, 0, 0, NULL), x);
}
// x, or -0 where its sign bit is set. Of bits: compilers take what compares with 0 for a maximum, and +0 for -0.
static tiny_uop *tn_not_below(tiny_ctx *t, tiny_uop *x) {
  const int integer = tn_integer_of(x->dtype);
  tiny_uop *bits = tn_uop_make(t, TINY_OP_BITCAST, integer, 1, 1, &x, 0, 0, NULL), *signs, *kept;
  if (tn_bad(t, x) || tn_bad(t, bits)) return x;
  signs = tn_binary(t, TINY_OP_SHR, bits, tn_int(t, integer, tn_bits(x->dtype) - 1));
  kept = tn_binary(t, TINY_OP_XOR, tn_binary(t, TINY_OP_AND, signs, tn_int(t, integer, tn_dtype_max(integer))),
                   tn_int(t, integer, -1));
  bits = tn_binary(t, TINY_OP_AND, bits, kept);
  return tn_bad(t, bits) ? bits : tn_uop_make(t, TINY_OP_BITCAST, x->dtype, 1, 1, &bits, 0, 0, NULL);
}
static tiny_uop *tn_abs(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x) || tn_is_unsigned(x->dtype) || x->dtype == TINY_BOOL) return x;
  return tn_is_float(x->dtype) ? tn_without_sign(t, x) : tn_max(t, x, tn_neg(t, x));
}
// -y where p, else y.
static tiny_uop *tn_negate(tiny_ctx *t, tiny_uop *p, tiny_uop *y) { return tn_where(t, p, tn_neg(t, y), y); }
// |x| whose derivative at 0 is 1, not the mean of 1 and -1. -0 stays.
static tiny_uop *tn_size(tiny_ctx *t, tiny_uop *x) { return tn_negate(t, tn_below_zero(t, x), x); }
// y = f(|x|) of an odd f as f(x); what is no number, and both zeros, stay.
static tiny_uop *tn_odd(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  return tn_where(t, tn_gt(t, x, tn_k(t, x, 0)), y, tn_where(t, tn_below_zero(t, x), tn_neg(t, y), x));
}
// Is the sign bit of a float set? Also of -0 and of NaN.
static tiny_uop *tn_minus(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  return tn_below_zero(t, tn_uop_make(t, TINY_OP_BITCAST, tn_integer_of(x->dtype), 1, 1, &x, 0, 0, NULL));
}
static tiny_uop *tn_sign(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x) || x->dtype == TINY_BOOL) return x;
  tiny_uop *above = tn_gt(t, x, tn_k(t, x, 0)), *below = tn_below_zero(t, x);
  if (tn_bad(t, above) || tn_bad(t, below)) return &t->ir->bad;
  return tn_sub(t, tn_cast(t, above, x->dtype), tn_cast(t, below, x->dtype));
}
static tiny_uop *tn_trunc(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || !tn_is_float(x->dtype) ? x : tn_u1(t, TINY_OP_TRUNC, x);
}
static tiny_uop *tn_floor(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  return whole == x ? x : tn_where(t, tn_lt(t, x, whole), tn_plus(t, whole, -1), whole);
}
static tiny_uop *tn_ceil(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  return whole == x ? x : tn_where(t, tn_lt(t, whole, x), tn_plus(t, whole, 1), whole);
}
// Away from zero past a half, at a half if the whole part is odd.
static tiny_uop *tn_round(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  if (whole == x) return x;
  tiny_uop *part = tn_abs(t, tn_sub(t, x, whole)), *half = tn_times(t, whole, 0.5), *limit = tn_k(t, x, 0.5);
  tiny_uop *odd = tn_ne(t, tn_trunc(t, half), half);
  tiny_uop *away = tn_or(t, tn_gt(t, part, limit), tn_and(t, tn_eq(t, part, limit), odd));
  return tn_where(t, away, tn_add(t, whole, tn_sign(t, x)), whole);
}
static tiny_uop *tn_square(tiny_ctx *t, tiny_uop *x) { return tn_mul(t, x, x); }

// ** real functions: powers, exponentials and logarithms **

static int tn_is_f64(tiny_ctx *t, const tiny_uop *x) { return !tn_bad(t, x) && x->dtype == TINY_F64; }
static tiny_uop *tn_inf(tiny_ctx *t, const tiny_uop *x) { return tn_k(t, x, HUGE_VAL); }
// c[0] x^(n-1) + .. + c[n-1]
static tiny_uop *tn_polynomial(tiny_ctx *t, tiny_uop *x, int n, const double *c) {
  tiny_uop *y = tn_k(t, x, c[0]);
  for (int i = 1; i < n; i++) y = tn_plus(t, tn_mul(t, y, x), c[i]);
  return y;
}
// The last of n coefficients, as many as x's dtype needs.
static tiny_uop *tn_series(tiny_ctx *t, tiny_uop *x, int n, const double *c, int enough_for_f32) {
  const int used = tn_is_f64(t, x) ? n : enough_for_f32;
  return tn_polynomial(t, x, used, c + (n - used));
}
// x + c + low, where c alone would have to be rounded.
static tiny_uop *tn_plus_exactly(tiny_ctx *t, tiny_uop *x, double c, double low) {
  TN_FLOAT_MODE;
  if (tn_bad(t, x)) return x;
  const double high = tn_dtype_round(x->dtype, c);
  return tn_plus(t, tn_plus(t, x, (c - high) + low), high);
}
static tiny_uop *tn_plus_pi(tiny_ctx *t, tiny_uop *x, double times) {
  TN_FLOAT_MODE;
  return tn_plus_exactly(t, x, TN_PI * times, 1.2246467991473532e-16 * times);
}

static tiny_uop *tn_reciprocal(tiny_ctx *t, tiny_uop *x) { return tn_fdiv(t, tn_k(t, x, 1), x); }
static tiny_uop *tn_sqrt(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_SQRT, x); }
static tiny_uop *tn_rsqrt(tiny_ctx *t, tiny_uop *x) { return tn_reciprocal(t, tn_sqrt(t, x)); }
static tiny_uop *tn_exp2(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_EXP2, x); }
static tiny_uop *tn_log2(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_LOG2, x); }
static tiny_uop *tn_log10(tiny_ctx *t, tiny_uop *x) { return tn_times(t, tn_log2(t, x), 0.30102999566398119521); }
// exp(-|x|), never more than 1.
static tiny_uop *tn_decay(tiny_ctx *t, tiny_uop *x) { return tn_exp_falling(t, tn_neg(t, tn_size(t, x))); }

// log u, u = 1 + x rounded, and what the rounding lost.
static tiny_uop *tn_log1p(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *u = tn_plus(t, x, 1), *lost = tn_fdiv(t, tn_sub(t, x, tn_plus(t, u, -1)), u);
  tiny_uop *finite = tn_and(t, tn_gt(t, u, tn_k(t, u, 0)), tn_lt(t, u, tn_inf(t, u)));
  tiny_uop *y = tn_add(t, tn_logarithm(t, u), tn_where(t, finite, lost, tn_k(t, u, 0)));
  return tn_sloped(t, TN_SLOPE_LOG1P, tn_where(t, tn_eq(t, u, tn_k(t, u, 1)), x, y), x);    // log1p -0 is -0
}
// Near 0 Taylor's series.
static tiny_uop *tn_expm1(tiny_ctx *t, tiny_uop *x) {
  static const double c[15] = {
    1 / 1307674368000.0, 1 / 87178291200.0, 1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0,
    1 / 3628800.0, 1 / 362880.0,
    1 / 40320.0, 1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 1 / 2.0, 1};
  tiny_uop *inner = tn_lt(t, tn_size(t, x), tn_k(t, x, 0.5));
  tiny_uop *y = tn_where(t, inner, tn_mul(t, x, tn_series(t, x, 15, c, 8)), tn_plus(t, tn_exp(t, x), -1));
  return tn_sloped(t, TN_SLOPE_EXPM1, y, x);
}
// 2^(log2|x| / 3), and a step of Newton's.
static tiny_uop *tn_cbrt(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *a = tn_size(t, x), *y = tn_exp2(t, tn_times(t, tn_log2(t, a), 1.0 / 3));
  y = tn_sub(t, y, tn_times(t, tn_sub(t, y, tn_fdiv(t, tn_fdiv(t, a, y), y)), 1.0 / 3));
  tiny_uop *plain = tn_and(t, tn_gt(t, a, tn_k(t, a, 0)), tn_lt(t, a, tn_inf(t, a)));
  return tn_sloped(t, TN_SLOPE_CBRT, tn_where(t, plain, tn_negate(t, tn_below_zero(t, x), y), x), x);
}

// ** circular functions **

static tiny_uop *tn_tan(tiny_ctx *t, tiny_uop *x) {
  return tn_sloped(t, TN_SLOPE_TAN, tn_fdiv(t, tn_sin(t, x), tn_cos(t, x)), x);
}
// sin(pi x), and 0 at whole x.
static tiny_uop *tn_sinpi(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *n = tn_round(t, x), *half = tn_times(t, n, 0.5), *odd = tn_ne(t, tn_trunc(t, half), half);
  return tn_negate(t, odd, tn_sin(t, tn_times(t, tn_sub(t, x, n), TN_PI)));
}
// asin s, |s| <= 1/2, z = s^2: fdlibm's e_asin.c.
static tiny_uop *tn_asin_near(tiny_ctx *t, tiny_uop *s, tiny_uop *z) {
  static const double p[6] = {3.47933107596021167570e-05, 7.91534994289814532176e-04, -4.00555345006794114027e-02,
                              2.01212532134862925881e-01, -3.25565818622400915405e-01, 1.66666666666666657415e-01};
  static const double q[5] = {7.70381505559019352791e-02, -6.88283971605453293030e-01, 2.02094576023350569471e+00,
                              -2.40339491173441421878e+00, 1};
  tiny_uop *r = tn_fdiv(t, tn_polynomial(t, z, 6, p), tn_polynomial(t, z, 5, q));
  return tn_add(t, s, tn_mul(t, tn_mul(t, s, z), r));
}
// *far: |x| > 1/2, where the value is asin sqrt((1 - |x|) / 2); else asin |x|.
static tiny_uop *tn_asin_part(tiny_ctx *t, tiny_uop *x, tiny_uop **outer) {
  tiny_uop *a = tn_size(t, x), *rest = tn_times(t, tn_plus(t, tn_neg(t, a), 1), 0.5);
  *outer = tn_gt(t, a, tn_k(t, a, 0.5));
  tiny_uop *z = tn_where(t, *outer, rest, tn_square(t, a)), *s = tn_where(t, *outer, tn_sqrt(t, rest), a);
  return tn_asin_near(t, s, z);
}
static tiny_uop *tn_asin(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *outer, *y = tn_asin_part(t, x, &outer);
  y = tn_where(t, outer, tn_plus_pi(t, tn_times(t, y, -2), 0.5), y);
  return tn_sloped(t, TN_SLOPE_ASIN, tn_negate(t, tn_below_zero(t, x), y), x);
}
static tiny_uop *tn_acos(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *outer, *y = tn_asin_part(t, x, &outer), *below = tn_below_zero(t, x), *twice = tn_times(t, y, 2);
  y = tn_where(t, outer, tn_where(t, below, tn_plus_pi(t, tn_neg(t, twice), 1), twice),
               tn_plus_pi(t, tn_negate(t, tn_not(t, below), y), 0.5));
  return tn_sloped(t, TN_SLOPE_ACOS, y, x);
}
// atan(n / d), 0 <= n <= d, 0 < d: above tan(pi/8) by (n - d) / (n + d); Cephes (Moshier, atan.c).
static tiny_uop *tn_atan_of(tiny_ctx *t, tiny_uop *n, tiny_uop *d) {
  static const double p[5] = {-8.750608600031904122785E-1, -1.615753718733365076637E1, -7.500855792314704667340E1,
                              -1.228866684490136173410E2, -6.485021904942025371773E1};
  static const double q[6] = {1, 2.485846490142306297962E1, 1.650270098316988542046E2, 4.328810604912902668951E2,
                              4.853903996359136964868E2, 1.945506571482613964425E2};
  tiny_uop *upper = tn_gt(t, n, tn_times(t, d, 0.41421356237309504880));
  tiny_uop *s = tn_fdiv(t, tn_where(t, upper, tn_sub(t, n, d), n), tn_where(t, upper, tn_add(t, n, d), d));
  tiny_uop *z = tn_square(t, s), *r = tn_fdiv(t, tn_polynomial(t, z, 5, p), tn_polynomial(t, z, 6, q));
  tiny_uop *y = tn_add(t, s, tn_mul(t, tn_mul(t, s, z), r));
  return tn_where(t, upper, tn_plus_pi(t, y, 0.25), y);
}
static tiny_uop *tn_atan(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *a = tn_size(t, x), *one = tn_k(t, x, 1), *swap = tn_gt(t, a, one);
  tiny_uop *y = tn_atan_of(t, tn_where(t, swap, one, a), tn_where(t, swap, a, one));
  y = tn_where(t, swap, tn_plus_pi(t, tn_neg(t, y), 0.5), y);
  return tn_sloped(t, TN_SLOPE_ATAN, tn_odd(t, x, y), x);
}
// The angle of (x, y); both may be 0 or infinite. Scaled down before the sum of large ones.
static tiny_uop *tn_atan2(tiny_ctx *t, tiny_uop *y, tiny_uop *x) {
  tiny_uop *ay = tn_size(t, y), *ax = tn_size(t, x), *swap = tn_gt(t, ay, ax), *one = tn_k(t, x, 1);
  tiny_uop *n = tn_where(t, swap, ax, ay), *d = tn_where(t, swap, ay, ax), *inf = tn_inf(t, x);
  tiny_uop *both = tn_and(t, tn_eq(t, n, inf), tn_eq(t, d, inf));
  n = tn_where(t, both, one, n);
  d = tn_where(t, tn_or(t, both, tn_is_zero(t, d)), one, d);
  tiny_uop *scale = tn_where(t, tn_gt(t, d, one), tn_k(t, x, 0.25), one);
  tiny_uop *r = tn_atan_of(t, tn_mul(t, n, scale), tn_mul(t, d, scale));
  r = tn_where(t, swap, tn_plus_pi(t, tn_neg(t, r), 0.5), r);
  r = tn_where(t, tn_minus(t, x), tn_plus_pi(t, tn_neg(t, r), 1), r);
  return tn_negate(t, tn_minus(t, y), r);
}

// ** hyperbolic functions **

static tiny_uop *tn_sigmoid(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *e = tn_decay(t, x);
  tiny_uop *y = tn_fdiv(t, tn_where(t, tn_below_zero(t, x), e, tn_k(t, x, 1)), tn_plus(t, e, 1));
  return tn_sloped(t, TN_SLOPE_SIGMOID, y, x);
}
// Near 0 the rational approximation of Cephes (Moshier, tanh.c), elsewhere (1 - e) / (1 + e) with e = exp(-2|x|).
static tiny_uop *tn_tanh(tiny_ctx *t, tiny_uop *x) {
  static const double p[3] = {-9.64399179425052238628E-1, -9.92877231001918586564E1, -1.61468768441708447952E3};
  static const double q[4] = {1, 1.12811678491632931402E2, 2.23548839060100448583E3, 4.84406305325125486048E3};
  tiny_uop *z = tn_square(t, x), *e = tn_decay(t, tn_times(t, x, 2));
  tiny_uop *outer = tn_fdiv(t, tn_plus(t, tn_neg(t, e), 1), tn_plus(t, e, 1));
  tiny_uop *r = tn_fdiv(t, tn_mul(t, z, tn_polynomial(t, z, 3, p)), tn_polynomial(t, z, 4, q));
  tiny_uop *y = tn_where(t, tn_lt(t, z, tn_k(t, z, 0.390625)), tn_mul(t, x, tn_plus(t, r, 1)),
                         tn_negate(t, tn_below_zero(t, x), outer));
  return tn_sloped(t, TN_SLOPE_TANH, y, x);
}
// e^x / 2 as a product that overflows no earlier than the result.
static tiny_uop *tn_half_exp(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *e = tn_exp(t, tn_times(t, x, 0.5));
  return tn_mul(t, tn_times(t, e, 0.5), e);
}
static tiny_uop *tn_cosh(tiny_ctx *t, tiny_uop *x) {
  return tn_add(t, tn_half_exp(t, x), tn_half_exp(t, tn_neg(t, x)));
}
static tiny_uop *tn_sinh(tiny_ctx *t, tiny_uop *x) {
  static const double c[9] = {1 / 355687428096000.0, 1 / 1307674368000.0, 1 / 6227020800.0, 1 / 39916800.0,
    1 / 362880.0,
                              1 / 5040.0, 1 / 120.0, 1 / 6.0, 1};
  tiny_uop *inner = tn_lt(t, tn_size(t, x), tn_k(t, x, 1)), *s = tn_where(t, inner, x, tn_k(t, x, 0));
  tiny_uop *outer = tn_sub(t, tn_half_exp(t, x), tn_half_exp(t, tn_neg(t, x)));
  return tn_where(t, inner, tn_mul(t, s, tn_series(t, tn_square(t, s), 9, c, 6)), outer);
}
// log x + log 2 where 1 is nothing against x^2.
static tiny_uop *tn_log_twice(tiny_ctx *t, tiny_uop *x) { return tn_plus(t, tn_logarithm(t, x), TN_LN_2); }
static tiny_uop *tn_asinh(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *a = tn_size(t, x), *z = tn_square(t, a), *root = tn_sqrt(t, tn_plus(t, z, 1));
  tiny_uop *inner = tn_log1p(t, tn_add(t, a, tn_fdiv(t, z, tn_plus(t, root, 1))));
  tiny_uop *y = tn_where(t, tn_gt(t, a, tn_k(t, a, 268435456)), tn_log_twice(t, a), inner);
  return tn_sloped(t, TN_SLOPE_ASINH, tn_odd(t, x, y), x);
}
static tiny_uop *tn_acosh(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *m = tn_plus(t, x, -1), *root = tn_mul(t, tn_sqrt(t, m), tn_sqrt(t, tn_plus(t, x, 1)));
  tiny_uop *y = tn_where(t, tn_gt(t, x, tn_k(t, x, 268435456)), tn_log_twice(t, x), tn_log1p(t, tn_add(t, m, root)));
  return tn_sloped(t, TN_SLOPE_ACOSH, y, x);
}
static tiny_uop *tn_atanh(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *y = tn_sub(t, tn_log1p(t, x), tn_log1p(t, tn_neg(t, x)));
  return tn_sloped(t, TN_SLOPE_ATANH, tn_times(t, y, 0.5), x);
}

// ** error functions: Cephes (Moshier, ndtr.c) **

static const double tn_erf_p[5] = {9.60497373987051638749E0, 9.00260197203842689217E1, 2.23200534594684319226E3,
                                   7.00332514112805075473E3, 5.55923013010394962768E4};
static const double tn_erf_q[6] = {1, 3.35617141647503099647E1, 5.21357949780152679795E2, 4.59432382970980127987E3,
                                   2.26290000613890934246E4, 4.92673942608635921086E4};
static const double tn_erfc_p[9] = {2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0,
                                    4.86371970985681366614E1, 1.96520832956077098242E2, 5.26445194995477358631E2,
                                    9.34528527171957607540E2, 1.02755188689515710272E3, 5.57535335369399327526E2};
static const double tn_erfc_q[9] = {1, 1.32281951154744992508E1, 8.67072140885989742329E1, 3.54937778887819891062E2,
                                    9.75708501743205489753E2, 1.82390916687909736289E3, 2.24633760818710981792E3,
                                    1.65666309194161350182E3, 5.57535340817727675546E2};
static const double tn_erfc_r[6] = {5.64189583547755073984E-1, 1.27536670759978104416E0, 5.01905042251180477414E0,
                                    6.16021097993053585195E0, 7.40974269950448939160E0, 2.97886665372100240670E0};
static const double tn_erfc_s[7] = {1, 2.26052863220117276590E0, 9.39603524938001434673E0, 1.20489539808096656605E1,
                                    1.70814450747565897222E1, 9.60896809063285878198E0, 3.36907645100081516050E0};

static tiny_uop *tn_at_most(tiny_ctx *t, tiny_uop *x, double top) {      // NaN stays
  return tn_where(t, tn_gt(t, x, tn_k(t, x, top)), tn_k(t, x, top), x);
}
// exp(-x^2), 0 <= x < 32: the square of the first bits of x is exact.
static tiny_uop *tn_gauss(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *m = tn_times(t, tn_trunc(t, tn_plus(t, tn_times(t, x, 128), 0.5)), 1.0 / 128), *f = tn_sub(t, x, m);
  tiny_uop *rest = tn_mul(t, tn_add(t, tn_add(t, m, m), f), f);
  return tn_mul(t, tn_exp_falling(t, tn_neg(t, tn_square(t, m))), tn_exp(t, tn_neg(t, rest)));
}
// erf |x| where *near, else erfc |x|.
static tiny_uop *tn_erf_part(tiny_ctx *t, tiny_uop *x, tiny_uop **inner) {
  tiny_uop *a = tn_at_most(t, tn_size(t, x), 30), *z = tn_square(t, a), *is = tn_lt(t, a, tn_k(t, a, 1));
  tiny_uop *tail = tn_mul(t, tn_exp_falling(t, tn_neg(t, z)), tn_polynomial(t, a, 9, tn_erfc_p));
  *inner = is;
  return tn_fdiv(t, tn_where(t, is, tn_mul(t, a, tn_polynomial(t, z, 5, tn_erf_p)), tail),
                 tn_where(t, is, tn_polynomial(t, z, 6, tn_erf_q), tn_polynomial(t, a, 9, tn_erfc_q)));
}
static tiny_uop *tn_erf(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *inner, *y = tn_erf_part(t, x, &inner);
  y = tn_where(t, inner, y, tn_plus(t, tn_neg(t, y), 1));
  return tn_sloped(t, TN_SLOPE_ERF, tn_negate(t, tn_below_zero(t, x), y), x);
}
// Of f32, 1 - Phi(|x|) is e^(-x^2/2) P(|x|) / Q(|x|) at every x. tools/minimax.py, "normal tail", highest power first.
// The quotient is there before the power, which is the longer way.
static tiny_uop *tn_normal_tail(tiny_ctx *t, tiny_uop *x) {
  static const double p[5] = {0.00408879388, 0.0404555351, 0.182720199, 0.437620074, 0.5};
  static const double q[6] = {0.0102489637, 0.101413585, 0.468107969, 1.20039678, 1.67312503, 1};
  tiny_uop *a = tn_at_most(t, tn_without_sign(t, x), 15), *z = tn_mul(t, a, tn_times(t, a, -0.5));
  tiny_uop *e = tn_sibling(t, TINY_OP_EXP2, TN_EXP_NATURAL | TN_EXP_FALLING | TN_EXP_BOUNDED, z);
  return tn_mul(t, e, tn_fdiv(t, tn_polynomial(t, a, 5, p), tn_polynomial(t, a, 6, q)));
}
// The normal distribution, (1 + erf(x / sqrt 2)) / 2, exact below 0 as well.
static tiny_uop *tn_normal_cdf(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *inner, *below = tn_below_zero(t, x);
  if (!tn_is_f64(t, x)) {
    tiny_uop *tail = tn_normal_tail(t, x);
    return tn_sloped(t, TN_SLOPE_NORMAL, tn_where(t, below, tail, tn_plus(t, tn_neg(t, tail), 1)), x);
  }
  tiny_uop *y = tn_times(t, tn_erf_part(t, tn_times(t, x, 0.70710678118654752440), &inner), 0.5);
  tiny_uop *rest = tn_where(t, below, y, tn_plus(t, tn_neg(t, y), 1));
  return tn_sloped(t, TN_SLOPE_NORMAL, tn_where(t, inner, tn_plus(t, tn_negate(t, below, y), 0.5), rest), x);
}
static tiny_uop *tn_erfc(tiny_ctx *t, tiny_uop *x) {
  const int wide = tn_is_f64(t, x);        // for f32 the middle piece is good enough from 1/2 to the end
  tiny_uop *a = tn_at_most(t, tn_size(t, x), 30), *z = tn_square(t, x);
  tiny_uop *inner = tn_lt(t, a, tn_k(t, a, wide ? 1 : 0.5)), *middle = tn_lt(t, a, tn_k(t, a, 8));
  tiny_uop *p = tn_polynomial(t, a, 9, tn_erfc_p), *q = tn_polynomial(t, a, 9, tn_erfc_q);
  if (wide) p = tn_where(t, middle, p, tn_polynomial(t, a, 6, tn_erfc_r));
  if (wide) q = tn_where(t, middle, q, tn_polynomial(t, a, 7, tn_erfc_s));
  tiny_uop *tail = tn_fdiv(t, tn_mul(t, tn_gauss(t, a), p), q);
  tiny_uop *erf = tn_fdiv(t, tn_mul(t, x, tn_polynomial(t, z, 5, tn_erf_p)), tn_polynomial(t, z, 6, tn_erf_q));
  tail = tn_where(t, tn_below_zero(t, x), tn_plus(t, tn_neg(t, tail), 2), tail);
  return tn_sloped(t, TN_SLOPE_ERFC, tn_where(t, inner, tn_plus(t, tn_neg(t, erf), 1), tail), x);
}
// Giles, "Approximating the erfinv function", GPU Computing Gems 2, 2012, and of f64 Newton's steps.
static tiny_uop *tn_erfinv(tiny_ctx *t, tiny_uop *x) {
  static const double inner[9] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                 -0.00125372503, -0.00417768164, 0.246640727, 1.50140941};
  static const double outer[9] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                -0.0076224613, 0.00943887047, 1.00167406, 2.83297682};
  tiny_uop *one = tn_k(t, x, 1), *a = tn_size(t, x);
  tiny_uop *w = tn_neg(t, tn_logarithm(t, tn_mul(t, tn_sub(t, one, a), tn_add(t, one, a))));
  tiny_uop *p = tn_where(t, tn_lt(t, w, tn_k(t, w, 5)), tn_polynomial(t, tn_plus(t, w, -2.5), 9, inner),
                         tn_polynomial(t, tn_plus(t, tn_sqrt(t, w), -3), 9, outer));
  tiny_uop *y = tn_mul(t, p, a), *near_one = tn_gt(t, a, tn_k(t, a, 0.5)), *left = tn_sub(t, one, a);
  for (int i = 0; i < 2 && tn_is_f64(t, x); i++) {
    tiny_uop *rise = tn_times(t, tn_exp(t, tn_square(t, y)), 0.88622692545275801365);
    tiny_uop *over = tn_where(t, near_one, tn_sub(t, left, tn_erfc(t, y)), tn_sub(t, tn_erf(t, y), a));
    y = tn_sub(t, y, tn_mul(t, over, rise));
  }
  return tn_sloped(t, TN_SLOPE_ERFINV, tn_odd(t, x, tn_where(t, tn_eq(t, a, one), tn_inf(t, x), y)), x);
}

// ** gamma functions: Abramowitz and Stegun, 6.1 and 6.3 **

// log gamma(2 + d), |d| <= 1/2: 6.1.33, d (1 - euler + sum (zeta(k) - 1) (-d)^(k-1) / k).
static tiny_uop *tn_lgamma_near(tiny_ctx *t, tiny_uop *d) {
  static const double c[27] = {
    -2.7595228851242334e-10, 5.731367241678862e-10, -1.1921401405860912e-09, 2.4836745438024785e-09,
    -5.183475041970047e-09,
    1.0838659214896955e-08, -2.2711094608943164e-08, 4.7698101693639804e-08, -1.0043224823968099e-07,
    2.1207184805554665e-07, -4.492469198764566e-07, 9.55141213040742e-07, -2.039215753801366e-06,
    4.374866789907488e-06, -9.439488275268397e-06, 2.050721277567069e-05, -4.492623673813314e-05,
    9.945751278180853e-05, -0.00022315475845357939, 0.0005096695247430425, -0.001192753911703261,
    0.0028905103307415234, -0.007385551028673986, 0.020580808427784546, -0.0673523010531981, 0.3224670334241132,
    0.42278433509846713};
  return tn_mul(t, d, tn_series(t, d, 27, c, 13));
}
// log gamma x, x >= 8: 6.1.41, Stirling's series, of which this is the rest.
static tiny_uop *tn_stirling_rest(tiny_ctx *t, tiny_uop *x) {
  static const double c[9] = {0.17964437236883057, -0.029550653594771242, 0.00641025641025641, -0.0019175269175269176,
                              0.0008417508417508417, -0.0005952380952380953, 0.0007936507936507937,
                              -0.002777777777777778, 0.08333333333333333};
  return tn_fdiv(t, tn_series(t, tn_square(t, tn_reciprocal(t, x)), 9, c, 4), x);
}
static tiny_uop *tn_lgamma_far(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *y = tn_mul(t, tn_plus(t, x, -0.5), tn_plus(t, tn_logarithm(t, x), -1));
  return tn_add(t, y, tn_plus(t, tn_stirling_rest(t, x), 0.41893853320467274178));
}
// |x|: down to [1.5, 2.5) by gamma(x) = (x - 1) gamma(x - 1), up to it by gamma(x) = gamma(x + 1) / x. Below 0 by
// reflection, 6.1.17.
static tiny_uop *tn_lgamma(tiny_ctx *t, tiny_uop *x) {
  TN_FLOAT_MODE;
  tiny_uop *a = tn_abs(t, x), *d = tn_plus(t, a, -2), *product = tn_k(t, x, 1);
  for (int k = 1; k <= 6; k++) {
    tiny_uop *above = tn_not(t, tn_lt(t, a, tn_k(t, a, 1.5 + k)));
    d = tn_where(t, above, tn_plus(t, a, -2 - k), d);
    product = tn_where(t, above, tn_mul(t, product, tn_plus(t, a, -k)), product);
  }
  tiny_uop *low = tn_lt(t, a, tn_k(t, a, 0.5)), *below = tn_lt(t, a, tn_k(t, a, 1.5));
  d = tn_where(t, below, tn_where(t, low, a, tn_plus(t, a, -1)), d);
  tiny_uop *up = tn_neg(t, tn_log1p(t, d)), *log = tn_logarithm(t, tn_where(t, below, a, product));
  tiny_uop *y = tn_add(t, tn_lgamma_near(t, d), tn_where(t, below, tn_where(t, low, tn_sub(t, up, log), up), log));
  y = tn_where(t, tn_lt(t, a, tn_k(t, a, 8)), y, tn_lgamma_far(t, a));
  tiny_uop *sine = tn_abs(t, tn_mul(t, tn_sinpi(t, x), x)), *reflected = tn_logarithm(t, tn_times(t, sine, 1 / TN_PI));
  tiny_uop *turns = tn_lt(t, x, tn_k(t, x, -1.0 / ((int64_t)1 << 60)));          // nearer to 0 it is that of |x|
  y = tn_where(t, turns, tn_neg(t, tn_add(t, reflected, y)), y);
  return tn_sloped(t, TN_SLOPE_LGAMMA, tn_where(t, tn_eq(t, a, tn_inf(t, a)), a, y), x);
}
// psi x, x > 0: 6.3.18 at 8 or above, below that by 6.3.6; x < 0 by reflection, 6.3.7. Differentiated as it stands.
static tiny_uop *tn_digamma(tiny_ctx *t, tiny_uop *x) {
  static const double c[9] = {3.0539543302701198, -0.4432598039215686, 0.08333333333333333, -0.021092796092796094,
                              0.007575757575757576, -0.004166666666666667, 0.003968253968253968,
                              -0.008333333333333333, 0.08333333333333333};
  tiny_uop *zero = tn_is_zero(t, x);       // there -1/x, which is infinite, as its derivative is
  tiny_uop *at_zero = tn_neg(t, tn_reciprocal(t, tn_where(t, zero, x, tn_k(t, x, 1))));
  x = tn_where(t, zero, tn_k(t, x, 1), x);
  tiny_uop *below = tn_below_zero(t, x), *a = tn_where(t, below, tn_plus(t, tn_neg(t, x), 1), x);
  tiny_uop *less = tn_lt(t, a, tn_k(t, a, 8)), *little = tn_where(t, less, a, tn_k(t, a, 1));
  tiny_uop *outer = tn_where(t, less, tn_plus(t, a, 8), a), *sum = tn_reciprocal(t, little);
  for (int k = 1; k < 8; k++) sum = tn_add(t, sum, tn_reciprocal(t, tn_plus(t, little, k)));
  tiny_uop *z = tn_square(t, tn_reciprocal(t, outer));
  tiny_uop *y = tn_sub(t, tn_logarithm(t, outer), tn_add(t, tn_times(t, tn_reciprocal(t, outer), 0.5),
                                                       tn_mul(t, z, tn_series(t, z, 9, c, 4))));
  y = tn_where(t, less, tn_sub(t, y, sum), y);
  tiny_uop *r = tn_where(t, below, tn_sub(t, x, tn_round(t, x)), tn_k(t, x, 0.5));
  tiny_uop *pole = tn_and(t, below, tn_is_zero(t, r));
  tiny_uop *turn = tn_fdiv(t, tn_k(t, x, TN_PI), tn_tan(t, tn_times(t, tn_where(t, pole, tn_k(t, x, 0.25), r), TN_PI)));
  y = tn_where(t, below, tn_sub(t, y, turn), y);
  y = tn_where(t, zero, at_zero, y);
  return tn_where(t, pole, tn_k(t, x, (double)NAN), y);
}
#endif
