// activation: what stands between the layers of a network. Floats, or integers as f32, but for what only clips; narrow
// floats are computed in f32.
//
// Pieces are chosen by WHERE; a piece that is not taken gets an argument that it is finite at, so that
// gradients hold no
// inf*0. At the joints the gradients are PyTorch's.
#ifndef TN_TENSOR_ACTIVATION
#define TN_TENSOR_ACTIVATION
#ifndef TINY_AMALGAMATED
#include "math.c"
#endif

static tiny_uop *tn_above_zero(tiny_ctx *t, tiny_uop *x) { return tn_gt(t, x, tn_k(t, x, 0)); }
// x between the bounds, its gradient 0 at them and beyond, and at NaN.
static tiny_uop *tn_between(tiny_ctx *t, tiny_uop *x, double lo, double hi) {
  tiny_uop *low = tn_limit(t, x, lo), *high = tn_limit(t, x, hi);
  tiny_uop *inner = tn_flows_where(t, tn_and(t, tn_lt(t, low, x), tn_lt(t, x, high)), x);
  return tn_where(t, tn_lt(t, x, low), low, tn_where(t, tn_lt(t, high, x), high, inner));
}

static tiny_uop *tn_relu(tiny_ctx *t, tiny_uop *x) { return tn_max(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_relu6(tiny_ctx *t, tiny_uop *x) { return tn_between(t, x, 0, 6); }
static tiny_uop *tn_silu(tiny_ctx *t, tiny_uop *x) { return tn_mul(t, x, tn_sigmoid(t, x)); }
// x Phi(x), Phi the normal distribution: Hendrycks and Gimpel, arXiv:1606.08415.
// Of f32 max(x, 0) - |x| (1 - Phi(|x|)): what lies beyond 15 is itself or -0, and -inf no number.
static tiny_uop *tn_gelu(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *y = tn_mul(t, x, tn_normal_cdf(t, x));
  if (tn_bad(t, y) || tn_is_f64(t, x)) return y;
  tiny_uop *a = tn_without_sign(t, tn_at_most(t, x, 15));
  return tn_sloped(t, TN_SLOPE_SAME, tn_sub(t, tn_not_below(t, x), tn_mul(t, a, tn_normal_tail(t, x))), y);
}
// 0.5 x (1 + tanh(u)) = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3).
static tiny_uop *tn_gelu_tanh(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *cubic = tn_plus(t, tn_times(t, tn_square(t, x), 0.044715), 1);
  return tn_mul(t, x, tn_sigmoid(t, tn_times(t, tn_mul(t, x, cubic), 1.59576912160573071176)));
}
// x tanh(log(1 + e^x)) = x n / (n + 2), n = e^x (e^x + 2); by e^-x where that is smaller.
static tiny_uop *tn_mish(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *e = tn_decay(t, x), *below = tn_below_zero(t, x), *two = tn_k(t, x, 2);
  tiny_uop *n = tn_where(t, below, tn_mul(t, e, tn_add(t, e, two)), tn_plus(t, tn_add(t, e, e), 1));
  return tn_mul(t, x, tn_fdiv(t, n, tn_add(t, n, tn_where(t, below, two, tn_times(t, tn_square(t, e), 2)))));
}
static tiny_uop *tn_tanhshrink(tiny_ctx *t, tiny_uop *x) { return tn_sub(t, x, tn_tanh(t, x)); }
static tiny_uop *tn_softsign(tiny_ctx *t, tiny_uop *x) { return tn_fdiv(t, x, tn_plus(t, tn_size(t, x), 1)); }
// log(1 + e^-|x|) and what is above zero.
static tiny_uop *tn_softplus(tiny_ctx *t, tiny_uop *x) {
  return tn_add(t, tn_where(t, tn_below_zero(t, x), tn_k(t, x, 0), x), tn_log1p(t, tn_decay(t, x)));
}
static tiny_uop *tn_logsigmoid(tiny_ctx *t, tiny_uop *x) {
  return tn_sub(t, tn_where(t, tn_below_zero(t, x), x, tn_k(t, x, 0)), tn_log1p(t, tn_decay(t, x)));
}
static tiny_uop *tn_hardsigmoid(tiny_ctx *t, tiny_uop *x) {
  return tn_times(t, tn_between(t, tn_plus(t, x, 3), 0, 6), 1.0 / 6);
}
// At -3 the slope is that of the middle, -1/2.
static tiny_uop *tn_hardswish(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *m = tn_plus(t, x, 3), *six = tn_k(t, x, 6);
  m = tn_where(t, tn_below_zero(t, m), tn_k(t, x, 0), tn_where(t, tn_ge(t, m, six), six, m));
  return tn_times(t, tn_mul(t, x, m), 1.0 / 6);
}

#define TN_ACTIVATIONS(_) \
  _(relu, TN_NUMBER) _(relu6, TN_NUMBER) _(sigmoid, TN_REAL) _(silu, TN_REAL) _(gelu, TN_REAL) _(gelu_tanh, TN_REAL) \
  _(mish, TN_REAL) _(tanhshrink, TN_REAL) _(softsign, TN_REAL) _(logsigmoid, TN_REAL) _(hardsigmoid, TN_REAL) \
  _(hardswish, TN_REAL)
TN_ACTIVATIONS(TN_UNARY_OPERATOR)

// ** with parameters **

// scale * (x above 0, else alpha (e^(x over) - 1))
static tiny_tensor *tn_elu(const char *name, tiny_tensor *x, double alpha, double scale, double over) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  tiny_uop *u = tn_enter(name, TN_REAL, x, &out);
  if (!u) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *above = tn_above_zero(t, u), *low = tn_where(t, above, tn_k(t, u, 0), u);
  tiny_uop *e = tn_times(t, tn_expm1(t, over == 1 ? low : tn_times(t, low, 1 / over)), alpha * scale);
  return tn_leave(TN_REAL, x, tn_where(t, above, scale == 1 ? u : tn_times(t, u, scale), e));
}
TINY_API tiny_tensor *tiny_elu(tiny_tensor *x, double alpha) { return tn_elu("elu", x, alpha, 1, 1); }
// Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515, section 2.
TINY_API tiny_tensor *tiny_selu(tiny_tensor *x) {
  return tn_elu("selu", x, 1.6732632423543772848, 1.0507009873554804934, 1);
}
TINY_API tiny_tensor *tiny_celu(tiny_tensor *x, double alpha) {
  if (tiny_ok(x) && !(alpha != 0)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "celu: alpha is %g", alpha);
  return tn_elu("celu", x, alpha, 1, alpha);
}

static tiny_tensor *tn_leaky(const char *name, tiny_tensor *x, double slope) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter(name, TN_REAL, x, &out);
  tiny_ctx *t = tn_ctx_of(x);
  return u ? tn_leave(TN_REAL, x, tn_where(t, tn_above_zero(t, u), u, tn_times(t, u, slope))) : out;
}
TINY_API tiny_tensor *tiny_leaky_relu(tiny_tensor *x, double slope) { return tn_leaky("leaky_relu", x, slope); }
TINY_API tiny_tensor *tiny_rrelu(tiny_tensor *x, double lower, double upper) {
  TN_FLOAT_MODE;
  return tn_leaky("rrelu", x, (lower + upper) / 2);
}
TINY_API tiny_tensor *tiny_prelu(tiny_tensor *x, tiny_tensor *weight) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, weight};
  if (!tn_usable("prelu", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *w = tn_uop_of(weight);
  const int64_t n = tn_dims_nelem(w->ndim, w->dim), channels = tn_uop_of(x)->ndim > 1 ? tn_uop_of(x)->dim[1] : 1;
  if (w->ndim > 1 || (n != 1 && n != channels))
    return tn_wrong(t, TINY_E_SHAPE, "prelu: weight %s for %s, which has %lld channels", tn_text_of(w, a),
                    tn_text_of(tn_uop_of(x), b), (long long)channels);
  tiny_uop *u = tn_enter("prelu", TN_REAL, x, &out), *slope = tn_uop_of(weight);
  if (!u || tn_bad(t, u)) return out;
  int64_t dim[TN_MAX_DIMS];
  for (int i = 0; i < u->ndim; i++) dim[i] = i == 1 ? n : 1;
  slope = tn_reshape(t, tn_cast(t, slope, u->dtype), n == 1 ? 0 : u->ndim, dim);
  return tn_leave(TN_REAL, x, tn_where(t, tn_above_zero(t, u), u, tn_mul(t, u, slope)));
}

TINY_API tiny_tensor *tiny_hardtanh(tiny_tensor *x, double lo, double hi) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter("hardtanh", TN_NUMBER, x, &out);
  if (!u) return out;
  if (!(lo <= hi)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "hardtanh: from %g to %g", lo, hi);
  return tn_leave(TN_NUMBER, x, tn_between(tn_ctx_of(x), u, lo, hi));
}
TINY_API tiny_tensor *tiny_threshold(tiny_tensor *x, double threshold, double value) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  tiny_uop *u = tn_enter("threshold", TN_NUMBER, x, &out);
  if (!u) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (tn_bad(t, u) || (tn_is_unsigned(u->dtype) && threshold < 0)) return tn_leave(TN_NUMBER, x, u);
  tiny_uop *last = tn_limit(t, u, tn_is_float(u->dtype) ? threshold : floor(threshold));
  return tn_leave(TN_NUMBER, x, tn_where(t, tn_le(t, u, last), tn_k(t, u, value), u));
}
// x beyond +-lambda, moved by `by` towards 0; within: 0.
static tiny_tensor *tn_shrink_values(const char *name, tiny_tensor *x, double lambda, double by) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter(name, TN_REAL, x, &out);
  if (!u) return out;
  if (!(lambda >= 0)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "%s: lambda is %g", name, lambda);
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *low = tn_ge(t, u, tn_k(t, u, -lambda)), *high = tn_le(t, u, tn_k(t, u, lambda));
  tiny_uop *y = tn_where(t, tn_above_zero(t, u), tn_plus(t, u, -by), tn_plus(t, u, by));
  if (by == 0) y = tn_flows_where(t, tn_not(t, tn_isnan(t, u)), u);
  return tn_leave(TN_REAL, x, tn_where(t, tn_and(t, low, high), tn_k(t, u, 0), y));
}
TINY_API tiny_tensor *tiny_hardshrink(tiny_tensor *x, double lambda) {
  return tn_shrink_values("hardshrink", x, lambda, 0);
}
TINY_API tiny_tensor *tiny_softshrink(tiny_tensor *x, double lambda) {
  return tn_shrink_values("softshrink", x, lambda, lambda);
}
TINY_API tiny_tensor *tiny_softplus(tiny_tensor *x, double beta, double threshold) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  tiny_uop *u = tn_enter("softplus", TN_REAL, x, &out);
  if (!u) return out;
  if (!(beta != 0)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "softplus: beta is %g", beta);
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *b = tn_times(t, u, beta), *y = tn_times(t, tn_softplus(t, b), 1 / beta);
  return tn_leave(TN_REAL, x, tn_where(t, tn_gt(t, b, tn_k(t, b, threshold)), u, y));
}
TINY_API tiny_tensor *tiny_glu(tiny_tensor *x, int axis) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tiny_uop *u = tn_enter("glu", TN_REAL, x, &out);
  if (!u || tn_bad(tn_ctx_of(x), u)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int at = tn_axis(t, "glu", u, axis);
  if (at < 0) return out;
  if (!u->ndim || u->dim[at] % 2)
    return tn_wrong(t, TINY_E_SHAPE, "glu: axis %d of %s has no halves", at, tn_text_of(u, a));
  if (!tn_axis_whole(t, "glu", u, at)) return out;
  const int64_t n = u->dim[at];
  return tn_leave(TN_REAL, x, tn_mul(t, tn_cut(t, u, at, 0, n / 2), tn_sigmoid(t, tn_cut(t, u, at, n / 2, n))));
}
#endif
