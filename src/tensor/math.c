// math: operators that are functions of real numbers: powers, exponentials, logarithms, circular and hyperbolic
// functions, error and gamma functions. Integers and bools become f32; narrow floats are computed in f32.
//
// The formulas of one operand are in ir/function.c and ir/special.c; here are the tables, and what takes two operands
// or parameters.
#ifndef TN_TENSOR_MATH
#define TN_TENSOR_MATH
#ifndef TINY_AMALGAMATED
#include "elementwise.c"
#endif

// ** one operand **

static tiny_uop *tn_deg2rad(tiny_ctx *t, tiny_uop *x) { return tn_times(t, x, TN_PI / 180); }
static tiny_uop *tn_rad2deg(tiny_ctx *t, tiny_uop *x) { return tn_times(t, x, 180 / TN_PI); }
// sin(pi x) / (pi x), 1 at 0.
static tiny_uop *tn_sinc(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *zero = tn_is_zero(t, x), *one = tn_k(t, x, 1), *safe = tn_where(t, zero, one, x);
  return tn_where(t, zero, one, tn_fdiv(t, tn_sinpi(t, safe), tn_times(t, safe, TN_PI)));
}

#define TN_FUNCTIONS(_) \
  _(sqrt, tn_sqrt) _(rsqrt, tn_rsqrt) _(cbrt, tn_cbrt) _(reciprocal, tn_reciprocal) \
  _(exp, tn_exp) _(exp2, tn_exp2) _(expm1, tn_expm1) \
  _(log, tn_logarithm) _(log2, tn_log2) _(log10, tn_log10) _(log1p, tn_log1p) \
  _(sin, tn_sin) _(cos, tn_cos) _(tan, tn_tan) _(asin, tn_asin) _(acos, tn_acos) _(atan, tn_atan) \
  _(sinh, tn_sinh) _(cosh, tn_cosh) _(tanh, tn_tanh) _(asinh, tn_asinh) _(acosh, tn_acosh) _(atanh, tn_atanh) \
  _(deg2rad, tn_deg2rad) _(rad2deg, tn_rad2deg) _(sinc, tn_sinc) \
  _(erf, tn_erf) _(erfc, tn_erfc) _(erfinv, tn_erfinv) _(lgamma, tn_lgamma) _(digamma, tn_digamma) \
  _(i0, tn_i0) _(i0e, tn_i0e) _(i1, tn_i1) _(i1e, tn_i1e)
#define TN_FUNCTION_OPERATOR(name, formula) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *x) { return tn_unary(#name, TN_REAL, formula, x); }
TN_FUNCTIONS(TN_FUNCTION_OPERATOR)

TINY_API tiny_tensor *tiny_logit(tiny_tensor *x, double eps) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  tiny_uop *u = tn_enter("logit", TN_REAL, x, &out);
  if (!u) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (!(eps >= 0)) return tn_wrong(t, TINY_E_ARG, "logit: eps %g", eps);
  if (eps > 0) {
    eps = tn_or_default(eps, 0);
    tiny_uop *low = tn_k(t, u, eps), *high = tn_k(t, u, 1 - eps);
    u = tn_where(t, tn_lt(t, u, low), low, tn_where(t, tn_gt(t, u, high), high, u));
  }
  tiny_uop *rest = tn_plus(t, tn_neg(t, u), 1);
  return tn_leave(TN_REAL, x, tn_sub(t, tn_logarithm(t, u), tn_logarithm(t, rest)));
}

TINY_API tiny_tensor *tiny_polygamma(int n, tiny_tensor *x) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter("polygamma", TN_REAL, x, &out);
  if (!u) return out;
  if (n < 0 || n > TN_POLYGAMMA_MOST)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "polygamma: derivative %d, not 0 to %d", n, (int)TN_POLYGAMMA_MOST);
  return tn_leave(TN_REAL, x, n ? tn_polygamma(tn_ctx_of(x), n, u) : tn_digamma(tn_ctx_of(x), u));
}

// ** two operands **

// By the larger, so that no square overflows. Its own part in the gradient cancels.
static tiny_uop *tn_hypot(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *m = tn_max(t, tn_abs(t, a), tn_abs(t, b)), *one = tn_k(t, a, 1);
  if (tn_bad(t, m)) return m;
  tiny_uop *plain = tn_and(t, tn_isfinite(t, m), tn_gt(t, m, tn_k(t, m, 0)));
  tiny_uop *scale = tn_where(t, plain, tn_u1(t, TINY_OP_DETACH, m), one);
  tiny_uop *x = tn_fdiv(t, a, scale), *y = tn_fdiv(t, b, scale);
  tiny_uop *z = tn_where(t, plain, tn_add(t, tn_square(t, x), tn_square(t, y)), one);
  tiny_uop *h = tn_where(t, plain, tn_mul(t, tn_sqrt(t, z), scale), m);
  return tn_where(t, tn_or(t, tn_isinf(t, a), tn_isinf(t, b)), tn_inf(t, a), h);
}
// m + log(1 + base^-|a - b|), m the larger; equal operands, which may be infinite, give their mean + log 2.
static tiny_uop *tn_log_of_sum(tiny_ctx *t, tn_formula1 power, double per_e, tiny_uop *a, tiny_uop *b) {
  TN_FLOAT_MODE;
  tiny_uop *same = tn_eq(t, a, b), *apart = tn_where(t, same, tn_k(t, a, 1), tn_sub(t, a, b));
  tiny_uop *rest = tn_log1p(t, power(t, tn_neg(t, tn_size(t, apart))));
  tiny_uop *y = tn_add(t, tn_max(t, a, b), per_e == 1 ? rest : tn_times(t, rest, per_e));
  return tn_where(t, same, tn_plus(t, tn_times(t, tn_add(t, a, b), 0.5), TN_LN_2 * per_e), y);
}
static tiny_uop *tn_logaddexp(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_log_of_sum(t, tn_exp, 1, a, b); }
static tiny_uop *tn_logaddexp2(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_log_of_sum(t, tn_exp2, TN_LOG2_E, a, b);
}
// 0 where x is, whatever the logarithm, unless y is NaN. There x has a gradient where the logarithm is finite.
static tiny_uop *tn_xlogy(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tiny_uop *beyond = tn_or(t, tn_le(t, y, tn_k(t, y, 0)), tn_eq(t, y, tn_inf(t, y)));
  tiny_uop *zero = tn_and(t, tn_is_zero(t, x), beyond), *one = tn_k(t, y, 1);
  return tn_where(t, zero, tn_k(t, x, 0), tn_mul(t, x, tn_logarithm(t, tn_where(t, zero, one, y))));
}
// The same of log(1 + y).
static tiny_uop *tn_xlog1py(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tiny_uop *beyond = tn_or(t, tn_le(t, y, tn_k(t, y, -1)), tn_eq(t, y, tn_inf(t, y)));
  tiny_uop *zero = tn_and(t, tn_is_zero(t, x), beyond), *one = tn_k(t, y, 1);
  return tn_where(t, zero, tn_k(t, x, 0), tn_mul(t, x, tn_log1p(t, tn_where(t, zero, one, y))));
}
static tiny_uop *tn_igamma(tiny_ctx *t, tiny_uop *a, tiny_uop *x) { return tn_igamma_of(t, 0, a, x); }
static tiny_uop *tn_igammac(tiny_ctx *t, tiny_uop *a, tiny_uop *x) { return tn_igamma_of(t, 1, a, x); }

#define TN_FUNCTIONS_OF_TWO(_) \
  _(atan2) _(hypot) _(logaddexp) _(logaddexp2) _(xlogy) _(xlog1py) _(igamma) _(igammac)
#define TN_FUNCTION_OF_TWO(name) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *a, tiny_tensor *b) { \
    return tn_binary_operator(#name, TN_REAL, tn_##name, a, b); \
  }
TN_FUNCTIONS_OF_TWO(TN_FUNCTION_OF_TWO)
#endif
