// special: the functions of mathematical physics as nodes: polygamma, modified Bessel and incomplete gamma functions.
//
// In:  nodes of f32 or f64 of one shape (operators cast and broadcast). Out: a formula of a fixed number of nodes,
//      whatever the values: series of so many terms as the dtype needs, or a sum over a short axis of its own.
// Holds: within a few ulp of the true value but where a power or an exponential of a large number multiplies its
//      rounding, and what is not taken does no harm, as in ir/function.c. Derivatives are named by tn_sloped.
// DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
#ifndef TN_IR_SPECIAL
#define TN_IR_SPECIAL
#ifndef TINY_AMALGAMATED
#include "function.c"
#endif

// x to the power of n >= 1, by squaring.
static tiny_uop *tn_power(tiny_ctx *t, tiny_uop *x, int64_t n) {
  tiny_uop *y = NULL;
  for (; n; n >>= 1) {
    if (n & 1) y = y ? tn_mul(t, y, x) : x;
    if (n > 1) x = tn_square(t, x);
  }
  return y;
}
static double tn_factorial(int n) {
  double y = 1;
  for (int i = 2; i <= n; i++) y *= i;
  return y;
}

// ** polygamma: the n-th derivative of digamma, n >= 1 **

enum { TN_POLYGAMMA_MOST = 24, TN_POLYGAMMA_STEPS = 10, TN_COT_TERMS = TN_POLYGAMMA_MOST + 4 };

// n! zeta(n + 1, q), q > 0, Hurwitz' zeta function (DLMF 25.11.5, Euler and Maclaurin): so many terms as they are, the
// rest by its expansion at q + STEPS. n! goes into the terms as the power of its root: alone it might overflow.
static tiny_uop *tn_polygamma_size(tiny_ctx *t, int n, tiny_uop *q) {
  static const double bernoulli[8] = {1 / 6.0, -1 / 30.0, 1 / 42.0, -1 / 30.0, 5 / 66.0, -691 / 2730.0, 7 / 6.0,
                                      -3617 / 510.0};
  if (tn_bad(t, q)) return q;
  const int terms = tn_is_f64(t, q) ? 8 : 4;
  const double root = tn_dtype_round(q->dtype, pow(tn_factorial(n), 1.0 / (n + 1)));
  tiny_uop *c = tn_k(t, q, root), *sum = NULL;
  for (int k = 0; k < TN_POLYGAMMA_STEPS; k++) {
    tiny_uop *term = tn_power(t, tn_fdiv(t, c, tn_plus(t, q, k)), n + 1);
    sum = sum ? tn_add(t, term, sum) : term;
  }
  tiny_uop *z = tn_plus(t, q, TN_POLYGAMMA_STEPS), *r = tn_reciprocal(t, z);
  double b[8], rising = 1;                 // bernoulli / (2j)! times s (s+1) .. (s+2j-2), s = n + 1
  for (int j = 0; j < terms; j++) {
    rising *= j ? (double)(n + 2 * j) * (n + 2 * j + 1) : n + 1;
    b[terms - 1 - j] = bernoulli[j] / tn_factorial(2 * j + 2) * rising;
  }
  tiny_uop *square = tn_square(t, r), *rest = tn_mul(t, square, tn_polynomial(t, square, terms, b));
  rest = tn_plus(t, tn_add(t, rest, tn_times(t, r, 0.5)), 1.0 / n);
  sum = tn_add(t, tn_times(t, tn_mul(t, tn_power(t, tn_fdiv(t, c, z), n), rest), root), sum);
  return tn_times(t, sum, tn_factorial(n) / pow(root, n + 1));
}
// The n-th derivative of cot(pi x) over pi^n as a polynomial in the cotangent, by d cot = -(1 + cot^2): p[i] of cot^i.
static void tn_cot_derivative(int n, double *p) {
  double d[TN_COT_TERMS];
  memset(p, 0, TN_COT_TERMS * sizeof *p);
  p[1] = 1;
  for (int k = 0; k < n; k++) {
    memset(d, 0, sizeof d);
    for (int i = 1; i <= k + 1; i++) { d[i - 1] -= i * p[i]; d[i + 1] -= i * p[i]; }
    memcpy(p, d, sizeof d);
  }
}
// psi^(n) x = (-1)^(n+1) n! zeta(n + 1, x), below 0 by reflection (DLMF 5.15.6); its poles have the sign of the right.
static tiny_uop *tn_polygamma(tiny_ctx *t, int n, tiny_uop *x) {
  TN_FLOAT_MODE;
  double p[TN_COT_TERMS], c[TN_COT_TERMS];
  tiny_uop *below = tn_below_zero(t, x), *q = tn_where(t, below, tn_plus(t, tn_neg(t, x), 1), x);
  tiny_uop *size = tn_polygamma_size(t, n, q);
  tiny_uop *r = tn_where(t, below, tn_sub(t, x, tn_round(t, x)), tn_k(t, x, 0.25)), *pole = tn_is_zero(t, r);
  tiny_uop *angle = tn_times(t, tn_where(t, pole, tn_k(t, x, 0.25), r), TN_PI);
  tiny_uop *cot = tn_fdiv(t, tn_cos(t, angle), tn_sin(t, angle));
  tn_cot_derivative(n, p);
  for (int i = 0; i <= n + 1; i++) c[n + 1 - i] = p[i];
  tiny_uop *turn = tn_times(t, tn_polynomial(t, cot, n + 2, c), pow(TN_PI, n + 1));
  tiny_uop *other = n & 1 ? size : tn_neg(t, size), *y = tn_where(t, below, tn_sub(t, tn_neg(t, size), turn), other);
  pole = tn_or(t, tn_and(t, below, pole), tn_is_zero(t, x));
  y = tn_where(t, pole, tn_k(t, x, n & 1 ? HUGE_VAL : -HUGE_VAL), y);
  return tn_sloped(t, TN_SLOPE_POLYGAMMA | n << 8, y, x);
}

// ** modified Bessel functions of the first kind, of order 0 and 1 **

// I(order, x) e^-|x| where *outer, else I(order, x), of |x|: near 0 its series, DLMF 10.25.2, elsewhere sqrt(2 pi x)
// times that by 10.40.1, divided. Of both the terms fall below a part in 2^24 or 2^53 at the border.
static tiny_uop *tn_bessel_part(tiny_ctx *t, int order, tiny_uop *x, tiny_uop **outer) {
  TN_FLOAT_MODE;
  const int wide = tn_is_f64(t, x), near_terms = wide ? 44 : 20, far_terms = wide ? 26 : 10;
  const double border = wide ? 20 : 10;
  double near_c[44], far_c[26], c = 1;
  for (int k = 0; k < near_terms; k++) {
    near_c[near_terms - 1 - k] = c;
    c /= (k + 1.0) * (k + 1 + order);
  }
  c = 1;
  for (int k = 0; k < far_terms; k++) {
    far_c[far_terms - 1 - k] = c;
    c *= -(4.0 * order * order - (2.0 * k + 1) * (2 * k + 1)) / (8.0 * (k + 1));
  }
  tiny_uop *a = tn_size(t, x), *half = tn_times(t, a, 0.5), *limit = tn_k(t, x, border);
  *outer = tn_gt(t, a, limit);
  tiny_uop *in = tn_polynomial(t, tn_square(t, tn_where(t, *outer, tn_k(t, x, 0), half)), near_terms, near_c);
  if (order) in = tn_mul(t, in, half);
  tiny_uop *large = tn_where(t, *outer, a, limit);
  tiny_uop *out = tn_fdiv(t, tn_polynomial(t, tn_reciprocal(t, large), far_terms, far_c),
                          tn_sqrt(t, tn_times(t, large, 2 * TN_PI)));
  return tn_where(t, *outer, out, in);
}
static tiny_uop *tn_bessel_sign(tiny_ctx *t, int order, tiny_uop *x, tiny_uop *y) {
  return order ? tn_odd(t, x, y) : y;
}
static tiny_uop *tn_bessel(tiny_ctx *t, int order, tiny_uop *x) {
  tiny_uop *outer, *y = tn_bessel_part(t, order, x, &outer), *a = tn_size(t, x);
  tiny_uop *e = tn_exp(t, tn_times(t, tn_where(t, outer, a, tn_k(t, x, 0)), 0.5));     // two halves overflow later
  y = tn_where(t, tn_eq(t, a, tn_inf(t, x)), a, tn_mul(t, tn_mul(t, y, e), e));
  return tn_sloped(t, order ? TN_SLOPE_I1 : TN_SLOPE_I0, tn_bessel_sign(t, order, x, y), x);
}
static tiny_uop *tn_bessel_scaled(tiny_ctx *t, int order, tiny_uop *x) {
  tiny_uop *outer, *y = tn_bessel_part(t, order, x, &outer);
  y = tn_where(t, outer, y, tn_mul(t, y, tn_decay(t, x)));
  return tn_sloped(t, order ? TN_SLOPE_I1E : TN_SLOPE_I0E, tn_bessel_sign(t, order, x, y), x);
}
static tiny_uop *tn_i0(tiny_ctx *t, tiny_uop *x) { return tn_bessel(t, 0, x); }
static tiny_uop *tn_i1(tiny_ctx *t, tiny_uop *x) { return tn_bessel(t, 1, x); }
static tiny_uop *tn_i0e(tiny_ctx *t, tiny_uop *x) { return tn_bessel_scaled(t, 0, x); }
static tiny_uop *tn_i1e(tiny_ctx *t, tiny_uop *x) { return tn_bessel_scaled(t, 1, x); }
#ifndef TINY_NO_NN
// I1' = I0 - I1 / x, 1/2 at 0 (DLMF 10.29.2), and of what is scaled by e^-|x|.
static tiny_uop *tn_i1_slope(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tiny_uop *zero = tn_is_zero(t, x), *safe = tn_where(t, zero, tn_k(t, x, 1), x);
  tiny_uop *over = tn_eq(t, tn_size(t, y), tn_inf(t, y)), *rest = tn_fdiv(t, tn_where(t, over, tn_k(t, y, 0), y), safe);
  return tn_where(t, zero, tn_k(t, x, 0.5), tn_sub(t, tn_i0(t, x), rest));
}
static tiny_uop *tn_i0e_slope(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  return tn_sub(t, tn_i1e(t, x), tn_mul(t, tn_sign(t, x), y));
}
static tiny_uop *tn_i1e_slope(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tiny_uop *zero = tn_is_zero(t, x), *safe = tn_where(t, zero, tn_k(t, x, 1), x);
  tiny_uop *rest = tn_mul(t, y, tn_add(t, tn_sign(t, x), tn_reciprocal(t, safe)));
  return tn_where(t, zero, tn_k(t, x, 0.5), tn_sub(t, tn_i0e(t, x), rest));
}
#endif

// ** incomplete gamma functions **

// log gamma(1 + a), a >= 0, exact near 0.
static tiny_uop *tn_lgamma_1p(tiny_ctx *t, tiny_uop *a) {
  tiny_uop *little = tn_lt(t, a, tn_k(t, a, 0.5)), *d = tn_where(t, little, a, tn_k(t, a, 0));
  return tn_where(t, little, tn_sub(t, tn_lgamma_near(t, d), tn_log1p(t, d)), tn_lgamma(t, tn_plus(t, a, 1)));
}
// s - log u, u = 1 + s > 0: log(1 + s) = 2 atanh r, r = s / (2 + s), of which the first term is taken off by hand.
static tiny_uop *tn_log_lacks(tiny_ctx *t, tiny_uop *s, tiny_uop *u) {
  TN_FLOAT_MODE;
  const int terms = tn_is_f64(t, s) ? 18 : 8;
  double c[18];
  for (int k = 0; k < terms; k++) c[terms - 1 - k] = 1.0 / (2 * k + 3);
  tiny_uop *r = tn_fdiv(t, s, tn_plus(t, s, 2)), *z = tn_square(t, r), *inner = tn_lt(t, z, tn_k(t, s, 0.125));
  tiny_uop *near_zero = tn_mul(t, r, tn_sub(t, s, tn_times(t, tn_mul(t, z, tn_polynomial(t, z, terms, c)), 2)));
  return tn_where(t, inner, near_zero, tn_sub(t, s, tn_logarithm(t, u)));
}
// v - 1 + e^-v, v >= 0: near 0 its series.
static tiny_uop *tn_expm1_lacks(tiny_ctx *t, tiny_uop *v) {
  TN_FLOAT_MODE;
  const int terms = tn_is_f64(t, v) ? 17 : 9;
  double c[17], f = 0.5;
  for (int k = 0; k < terms; k++) { c[terms - 1 - k] = f; f /= -(k + 3.0); }
  tiny_uop *inner = tn_lt(t, v, tn_k(t, v, 1)), *s = tn_where(t, inner, v, tn_k(t, v, 0));
  return tn_where(t, inner, tn_mul(t, tn_square(t, s), tn_polynomial(t, s, terms, c)),
                  tn_add(t, tn_plus(t, v, -1), tn_exp(t, tn_neg(t, v))));
}
// x^a e^-x / gamma(a), a > 0, x > 0: of a >= 8 by Stirling's series in what x lacks of a, so that nothing large cancels
// (DLMF 5.11.3); below as the product it is, e^-x by halves, which underflow later.
static tiny_uop *tn_gamma_density(tiny_ctx *t, tiny_uop *a, tiny_uop *x) {
  tiny_uop *large = tn_not(t, tn_lt(t, a, tn_k(t, a, 8))), *A = tn_where(t, large, a, tn_k(t, a, 8));
  tiny_uop *lacks = tn_log_lacks(t, tn_fdiv(t, tn_sub(t, x, A), A), tn_fdiv(t, x, A));
  tiny_uop *e = tn_exp(t, tn_neg(t, tn_add(t, tn_mul(t, A, lacks), tn_stirling_rest(t, A))));
  tiny_uop *asymptotic = tn_mul(t, e, tn_sqrt(t, tn_times(t, A, 0.5 / TN_PI)));
  tiny_uop *moderate = tn_where(t, large, tn_k(t, a, 1), a), *some = tn_at_most(t, x, tn_is_f64(t, x) ? 1600 : 200);
  tiny_uop *half = tn_exp(t, tn_times(t, some, -0.5)), *scale = tn_exp(t, tn_neg(t, tn_lgamma_1p(t, moderate)));
  tiny_uop *power = tn_binary(t, TINY_OP_POW, some, moderate);
  return tn_where(t, large, asymptotic, tn_mul(t, tn_mul(t, tn_mul(t, tn_mul(t, power, half), moderate), scale), half));
}
// The integral that gamma_density times makes the smaller tail, x >= 1. Above a it is that of
//   e^(-(x - a + 1) s - (a - 1) (s - log(1 + s))) over s > 0, t = x (1 + s) in DLMF 8.2.2; below a that of
//   e^(-(a - x) v - x (v - 1 + e^-v)) over v > 0, t = x e^-v in 8.2.1: no exponent cancels.
// Both by the trapezoidal rule in u, s or v = e^(u - e^-u) / scale (Takahasi and Mori, "Double exponential formulas for
// numerical integration", 1974), with the scale that makes them fall as e^-y or e^(-y^2/2): 39 and 66 points leave
// 3e-10 and 1e-15, the worst where x is near a and both are large.
static tiny_uop *tn_gamma_tail(tiny_ctx *t, tiny_uop *a, tiny_uop *x, tiny_uop *upper) {
  if (tn_bad(t, a) || tn_bad(t, x) || tn_bad(t, upper)) return &t->ir->bad;
  const int wide = tn_is_f64(t, x), n = wide ? 66 : 39, from = wide ? -30 : -17;
  const double step = wide ? 0.125 : 0.1875;
  const int64_t nelem = tn_dims_nelem(x->ndim, x->dim), column[2] = {nelem, 1};
  tiny_uop *u = tn_times(t, tn_plus(t, tn_iota(t, x->dtype, n, 1, 2), from), step), *e = tn_exp(t, tn_neg(t, u));
  tiny_uop *y = tn_exp(t, tn_sub(t, u, e)), *w = tn_times(t, tn_mul(t, y, tn_plus(t, e, 1)), step);
  if (tn_bad(t, y) || tn_bad(t, w)) return &t->ir->bad;
  y = tn_u1(t, TINY_OP_CONTIGUOUS, y);
  w = tn_u1(t, TINY_OP_CONTIGUOUS, w);
  const int ndim = x->ndim;
  int64_t dim[TINY_MAX_DIMS];
  memcpy(dim, x->dim, (size_t)ndim * sizeof *dim);
  a = tn_reshape(t, tn_expand(t, a, ndim, dim), 2, column);
  upper = tn_reshape(t, tn_expand(t, upper, ndim, dim), 2, column);
  x = tn_reshape(t, x, 2, column);
  tiny_uop *more = tn_plus(t, a, -1), *apart = tn_sub(t, x, a), *root = tn_sqrt(t, x);
  tiny_uop *over = tn_add(t, tn_sub(t, x, tn_max(t, more, tn_k(t, x, 0))), root), *under = tn_sub(t, root, apart);
  tiny_uop *scale = tn_where(t, upper, over, under), *s = tn_fdiv(t, y, scale);
  tiny_uop *down = tn_where(t, upper, tn_mul(t, tn_plus(t, apart, 1), s), tn_mul(t, tn_neg(t, apart), s));
  tiny_uop *bend = tn_where(t, upper, tn_mul(t, more, tn_log_lacks(t, s, tn_plus(t, s, 1))),
                            tn_mul(t, x, tn_expm1_lacks(t, s)));
  tiny_uop *terms = tn_mul(t, tn_exp(t, tn_neg(t, tn_add(t, down, bend))), w);
  return tn_reshape(t, tn_fdiv(t, tn_sum(t, terms, 2, 1), scale), ndim, dim);
}
// The sum over n > 0 of (-x)^n a / ((a + n) n!), 0 <= x < 1: DLMF 8.7.1 without its first term.
static tiny_uop *tn_gamma_series(tiny_ctx *t, tiny_uop *a, tiny_uop *x) {
  TN_FLOAT_MODE;
  const int terms = tn_is_f64(t, x) ? 18 : 10;
  tiny_uop *y = NULL;
  for (int n = terms; n > 0; n--) {
    tiny_uop *c = tn_fdiv(t, tn_times(t, a, (n & 1 ? -1 : 1) / tn_factorial(n)), tn_plus(t, a, n));
    y = tn_mul(t, y ? tn_add(t, c, y) : c, x);
  }
  return y;
}
// The incomplete gamma function ratios P (upper 0) and Q = 1 - P (upper 1) of a and x: of x < 1 by the series, else the
// smaller of both by its integral. What 1 is taken from is never far below it.
static tiny_uop *tn_gamma_ratio(tiny_ctx *t, int upper, tiny_uop *a, tiny_uop *x) {
  tiny_uop *zero = tn_k(t, x, 0), *one = tn_k(t, x, 1), *inf = tn_inf(t, x);
  tiny_uop *finite = tn_and(t, tn_lt(t, a, inf), tn_lt(t, x, inf));
  tiny_uop *plain = tn_and(t, finite, tn_and(t, tn_gt(t, a, zero), tn_gt(t, x, zero)));
  tiny_uop *A = tn_where(t, plain, a, one), *X = tn_where(t, plain, x, one), *little = tn_lt(t, X, one);
  tiny_uop *below = tn_where(t, little, X, tn_k(t, x, 0.5)), *above = tn_where(t, little, one, X);
  tiny_uop *density = tn_gamma_density(t, A, X), *e = tn_fdiv(t, tn_mul(t, density, tn_exp(t, below)), A);
  tiny_uop *series = tn_mul(t, e, tn_gamma_series(t, A, below)), *is_upper = tn_not(t, tn_lt(t, above, A));
  tiny_uop *log = tn_sub(t, tn_mul(t, A, tn_logarithm(t, below)), tn_lgamma_1p(t, A));           // of e
  tiny_uop *near_zero = upper ? tn_neg(t, tn_add(t, tn_expm1(t, log), series)) : tn_add(t, e, series);
  tiny_uop *tail = tn_mul(t, density, tn_gamma_tail(t, A, above, is_upper));
  tiny_uop *rest = tn_plus(t, tn_neg(t, tail), 1), *first = upper ? tail : rest, *other = upper ? rest : tail;
  tiny_uop *y = tn_where(t, little, near_zero, tn_where(t, is_upper, first, other));
  // All of it lies below x where a is 0 or x infinite, above it where x is 0 or a infinite; both at once have no value.
  tiny_uop *all = tn_or(t, tn_is_zero(t, a), tn_eq(t, x, inf)), *none = tn_or(t, tn_is_zero(t, x), tn_eq(t, a, inf));
  tiny_uop *valid = tn_and(t, tn_not(t, tn_lt(t, a, zero)), tn_not(t, tn_lt(t, x, zero)));
  valid = tn_and(t, valid, tn_not(t, tn_or(t, tn_isnan(t, a), tn_isnan(t, x))));
  valid = tn_and(t, valid, tn_not(t, tn_and(t, all, none)));
  tiny_uop *end = tn_where(t, all, upper ? zero : one, upper ? one : zero);
  return tn_where(t, valid, tn_where(t, plain, y, end), tn_k(t, x, (double)NAN));
}
#ifndef TINY_NO_NN
// P' = x^(a-1) e^-x / gamma(a), as a function of x.
static tiny_uop *tn_igamma_slope(tiny_ctx *t, tiny_uop *x, tiny_uop *a) {
  tiny_uop *zero = tn_is_zero(t, x), *one = tn_k(t, x, 1), *X = tn_where(t, zero, one, x);
  tiny_uop *at_zero = tn_where(t, tn_gt(t, a, one), tn_k(t, x, 0), tn_where(t, tn_lt(t, a, one), tn_inf(t, x), one));
  return tn_where(t, zero, at_zero, tn_fdiv(t, tn_gamma_density(t, a, X), X));
}
#endif
// P or Q as a function of x; a gets no gradient.
static tiny_uop *tn_igamma_of(tiny_ctx *t, int upper, tiny_uop *a, tiny_uop *x) {
  tn_broadcast(t, &a, &x);
  if (tn_bad(t, a) || tn_bad(t, x)) return &t->ir->bad;
  const tiny_uop *whole = x->ndim ? x : a;
  a = tn_expand(t, tn_u1(t, TINY_OP_DETACH, a), whole->ndim, whole->dim);
  x = tn_expand(t, x, whole->ndim, whole->dim);
  tiny_uop *y = tn_gamma_ratio(t, upper, a, x), *src[3] = {y, x, a};
  if (tn_bad(t, y) || tn_bad(t, x) || tn_bad(t, a)) return &t->ir->bad;
  return tn_uop_make(t, TINY_OP_DETACH, x->dtype, 1, 3, src, upper ? TN_SLOPE_IGAMMAC : TN_SLOPE_IGAMMA, 0, NULL);
}
#endif
