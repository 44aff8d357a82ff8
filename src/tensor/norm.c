// norm: softmax and its kin, normalisation by statistics, and norms of vectors.
//
// Everything is computed in f32 or f64 and comes back in the dtype of the input (integers: f32). Formulas
// keep infinity and NaN out of gradients where the value itself is finite: a root of 0 has the gradient 0.
#ifndef TN_TENSOR_NORM
#define TN_TENSOR_NORM
#ifndef TINY_AMALGAMATED
#include "matmul.c"
#endif

// Operands of the same dims: what is meant of one is what is meant of the other, before either is reduced by itself.
static void tn_meet_lengths(tiny_ctx *t, tiny_uop **a, tiny_uop **b) {
  for (int i = 0; !tn_bad(t, *a) && !tn_bad(t, *b) && i < (*a)->ndim; i++) {
    tiny_uop *n = tn_extent_of(*a, i), *m = tn_extent_of(*b, i);
    if (n && !m) *b = tn_first_of(t, *b, i, n);
    if (m && !n) *a = tn_first_of(t, *a, i, m);
  }
}

// ** softmax **

// x minus its maximum along the axis, through which no gradient flows: it cancels.
static tiny_uop *tn_below_max(tiny_ctx *t, tiny_uop *x, int bits) {
  return tn_sub(t, x, tn_u1(t, TINY_OP_DETACH, tn_reduce(t, TINY_OP_MAX, x, bits, 1)));
}
static tiny_uop *tn_softmax(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *e = tn_exp_falling(t, tn_below_max(t, x, bits));
  return tn_mul(t, e, tn_fdiv(t, tn_k(t, e, 1), tn_sum(t, e, bits, 1)));
}
static tiny_uop *tn_log_softmax(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *y = tn_below_max(t, x, bits);
  return tn_sub(t, y, tn_logarithm(t, tn_sum(t, tn_exp_falling(t, y), bits, 1)));
}
static tiny_uop *tn_softmin(tiny_ctx *t, tiny_uop *x, int bits) { return tn_softmax(t, tn_neg(t, x), bits); }
static tiny_tensor *tn_along(const char *name, tiny_uop *(*formula)(tiny_ctx *t, tiny_uop *x, int bits),
                             tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int bits = tn_one_axis(tn_ctx_of(x), name, tn_uop_of(x), axis);
  if (bits < 0) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *wide = tn_wide(t, tn_uop_of(x)), *y = tn_bad(t, wide) ? wide : formula(t, wide, bits);
  return tn_tensor_new(t, tn_narrow(t, y, tn_uop_of(x)->dtype));
}
TINY_API tiny_tensor *tiny_softmax(tiny_tensor *x, int axis) {
  return tn_along("softmax", tn_softmax, x, axis);
}
TINY_API tiny_tensor *tiny_log_softmax(tiny_tensor *x, int axis) {
  return tn_along("log_softmax", tn_log_softmax, x, axis);
}
TINY_API tiny_tensor *tiny_softmin(tiny_tensor *x, int axis) {
  return tn_along("softmin", tn_softmin, x, axis);
}

TINY_API tiny_tensor *tiny_logsumexp(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("logsumexp", 1, &x, &out)) return out;
  const int bits = tn_one_axis(tn_ctx_of(x), "logsumexp", tn_uop_of(x), axis), n = tn_uop_of(x)->ndim;
  if (bits < 0) return out;
  int64_t kept[TN_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < n; i++) if (keepdim || !(bits >> i & 1)) kept[m++] = bits >> i & 1 ? 1 : tn_uop_of(x)->dim[i];
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *wide = tn_wide(t, tn_uop_of(x)), *y = tn_bad(t, wide) ? wide : tn_log_reduce(t, wide, bits);
  return tn_tensor_new(t, tn_narrow(t, tn_reshape(t, y, m, kept), tn_uop_of(x)->dtype));
}

// Gumbel noise is -log(-log u): Jang, Gu and Poole, arXiv:1611.01144. u is never 0 or 1: a half step is
// added. A hard sample is the one-hot of the largest and has the soft one's gradient.
TINY_API tiny_tensor *tiny_gumbel_softmax(tiny_tensor *x, double tau, int hard, int axis) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_usable("gumbel_softmax", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if ((axis = tn_axis(t, "gumbel_softmax", tn_uop_of(x), axis)) < 0) return out;
  if (!(tau > 0)) return tn_wrong(t, TINY_E_ARG, "gumbel_softmax: tau is %g", tau);
  tiny_uop *wide = tn_wide(t, tn_uop_of(x)),
           *u = tn_plus(t, tn_uniform(t, tn_uop_of(x)->ndim, tn_uop_of(x)->dim), 1.0 / (1 << 25));
  if (tn_bad(t, wide) || tn_bad(t, u)) return tn_poison(t);
  const int bits = wide->ndim ? 1 << axis : 0;
  tiny_uop *noise = tn_cast(t, tn_neg(t, tn_logarithm(t, tn_neg(t, tn_logarithm(t, u)))), wide->dtype);
  tiny_uop *y = tn_softmax(t, tn_times(t, tn_add(t, wide, noise), 1 / tau), bits);
  if (hard && bits && wide->dim[axis] && !tn_bad(t, y)) {
    tiny_uop *at = tn_position(t, y, axis, 1);
    tiny_uop *one = tn_bad(t, at) ? at : tn_eq(t, at, tn_iota(t, at->dtype, y->dim[axis], axis, y->ndim));
    if (tn_bad(t, one)) return tn_poison(t);
    tiny_uop *rest = tn_u1(t, TINY_OP_DETACH, tn_sub(t, tn_cast(t, one, y->dtype), y));
    y = tn_add(t, rest, y);
  }
  return tn_tensor_new(t, tn_narrow(t, y, tn_uop_of(x)->dtype));
}

// ** normalisation **

// Are w's dims those that are given?
static int tn_scales(tiny_ctx *t, const char *name, const tiny_uop *x, const tiny_tensor *w, int n,
                     const int64_t *dim) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  if (!w || tn_has_dims(tn_uop_of(w), n, dim)) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %s with weights or statistics %s", name, tn_text_of(x, a),
            tn_text_of(tn_uop_of(w), b));
  return 0;
}
static int tn_eps_fits(tiny_ctx *t, const char *name, double *eps, double usual) {
  *eps = tn_or_default(*eps, usual);
  if (*eps >= 0) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: eps %g", name, *eps);
  return 0;
}
// As PyTorch's rms_norm: the least difference of 1 in what it is computed in.
static double tn_rms_eps(int dtype) { return ldexp(1, -tn_dtypes[tn_computed_in(tn_real(dtype))].mantissa); }
// x * rsqrt(var + eps) * w + b, each of dims that broadcast.
static tiny_uop *tn_standardize(tiny_ctx *t, tiny_uop *x, tiny_uop *var, double eps, tiny_uop *w,
                                tiny_uop *b) {
  tiny_uop *scale = tn_rsqrt(t, tn_plus(t, var, eps));
  if (w) scale = tn_mul(t, scale, tn_wide(t, w));
  tiny_uop *y = tn_mul(t, x, scale);
  return b ? tn_add(t, y, tn_wide(t, b)) : y;
}

// Over the last ndims dims, with their mean taken off or not.
static tiny_tensor *tn_norm_over(const char *name, tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b,
                                 double eps, int centre) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, b};
  if (!tn_usable_some(name, 1, 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (ndims < 1 || ndims > u->ndim)
    return tn_wrong(t, TINY_E_ARG, "%s: over %d dims of %s", name, ndims, tn_text_of(u, a));
  const int64_t *dim = u->dim + u->ndim - ndims;
  if (!tn_eps_fits(t, name, &eps, centre ? 1e-5 : tn_rms_eps(u->dtype)) || !tn_scales(t, name, u, w, ndims, dim) ||
      !tn_scales(t, name, u, b, ndims, dim))
    return out;
  const int bits = ((1 << ndims) - 1) << (u->ndim - ndims);
  tiny_uop *y = tn_wide(t, u);
  if (centre) y = tn_sub(t, y, tn_mean(t, y, bits, 1));
  y = tn_standardize(t, y, tn_mean(t, tn_square(t, y), bits, 1), eps, w ? tn_uop_of(w) : NULL,
                     b ? tn_uop_of(b) : NULL);
  return tn_tensor_new(t, tn_narrow(t, y, u->dtype));
}
TINY_API tiny_tensor *tiny_layer_norm(tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b, double eps) {
  return tn_norm_over("layer_norm", x, ndims, w, b, eps, 1);
}
TINY_API tiny_tensor *tiny_rms_norm(tiny_tensor *x, int ndims, tiny_tensor *w, double eps) {
  return tn_norm_over("rms_norm", x, ndims, w, NULL, eps, 0);
}

// A tensor of one number a channel as (C,1,..), to go with (B,C,..) of ndim dims.
static tiny_uop *tn_channels(tiny_ctx *t, tiny_uop *u, int ndim) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, u)) return u;
  for (int i = 0; i < ndim - 1; i++) dim[i] = i ? 1 : u->dim[0];
  return tn_reshape(t, u, ndim - 1, dim);
}

// x (B,C,..), of which lengths are meant, as (B,G,C/G,..): they stay apart.
static tiny_uop *tn_norm_grouped(tiny_ctx *t, tiny_uop *x, int64_t groups, double eps) {
  int64_t dim[TN_MAX_DIMS];
  const tiny_uop *u = x;
  if (!tn_axis_whole(t, "group_norm", u, 1)) return &t->ir->bad;
  tiny_uop *y = tn_split(t, tn_wide(t, x), 1, groups, x->dim[1] / groups);
  if (tn_bad(t, y)) return y;
  const int bits = ((1 << y->ndim) - 1) & ~3;
  for (int i = 0; i < u->ndim; i++) dim[i] = u->dim[i];
  y = tn_sub(t, y, tn_mean(t, y, bits, 1));
  return tn_reshape(t, tn_standardize(t, y, tn_mean(t, tn_square(t, y), bits, 1), eps, NULL, NULL), u->ndim, dim);
}
// x (B,C,..): each group of channels of one sample by its own mean and variance.
static const int64_t tn_each_channel = INT64_MAX;            // as a number of groups
static tiny_tensor *tn_norm_groups(const char *name, tiny_tensor *x, int64_t groups, tiny_tensor *w,
                                   tiny_tensor *b, double eps) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, b};
  if (!tn_usable_some(name, 1, 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (u->ndim < 2) return tn_wrong(t, TINY_E_SHAPE, "%s: %s has no channels", name, tn_text_of(u, a));
  const int64_t B = u->dim[0], C = u->dim[1], G = groups == tn_each_channel ? C : groups;
  if (G < 0 || (G ? C % G : groups != tn_each_channel))
    return tn_wrong(t, TINY_E_ARG, "%s: the channels of %s in %lld groups", name, tn_text_of(u, a),
                    (long long)G);
  if (!tn_eps_fits(t, name, &eps, 1e-5) || !tn_scales(t, name, u, w, 1, &C) || !tn_scales(t, name, u, b, 1, &C))
    return out;
  if (!tiny_nelem_of(x)) return tn_tensor_new(t, tn_narrow(t, tn_wide(t, u), u->dtype));
  const int64_t grouped[3] = {B, G, tiny_nelem_of(x) / (B * G)};
  tiny_uop *y;
  if (u->extent) y = tn_norm_grouped(t, u, G, eps);
  else {
    y = tn_reshape(t, tn_wide(t, u), 3, grouped);
    y = tn_sub(t, y, tn_mean(t, y, 4, 1));
    y = tn_standardize(t, y, tn_mean(t, tn_square(t, y), 4, 1), eps, NULL, NULL);
    y = tn_reshape(t, y, u->ndim, u->dim);
  }
  if (w) y = tn_mul(t, y, tn_wide(t, tn_channels(t, tn_uop_of(w), u->ndim)));
  if (b) y = tn_add(t, y, tn_wide(t, tn_channels(t, tn_uop_of(b), u->ndim)));
  return tn_tensor_new(t, tn_narrow(t, y, u->dtype));
}
TINY_API tiny_tensor *tiny_group_norm(tiny_tensor *x, int64_t groups, tiny_tensor *w, tiny_tensor *b,
                                      double eps) {
  return tn_norm_groups("group_norm", x, groups, w, b, eps);
}
TINY_API tiny_tensor *tiny_instance_norm(tiny_tensor *x, tiny_tensor *w, tiny_tensor *b, double eps) {
  return tn_norm_groups("instance_norm", x, tn_each_channel, w, b, eps);
}

// old * (1 - momentum) + new * momentum becomes the statistic's next state.
static int tn_batch_norm_track(tiny_tensor *stat, tiny_uop *now, double momentum) {
  TN_FLOAT_MODE;
  tiny_ctx *t = tn_ctx_of(stat);
  tiny_uop *old = tn_wide(t, tn_uop_of(stat));
  now = tn_reshape(t, tn_u1(t, TINY_OP_DETACH, now), tn_uop_of(stat)->ndim, tn_uop_of(stat)->dim);
  return tiny_ok(tn_assign(stat, tn_add(t, tn_times(t, old, 1 - momentum), tn_times(t, now, momentum))));
}
// var, of the elements of x that bits say, by one less than there are, where that is more than none.
static tiny_uop *tn_sample_variance(tiny_ctx *t, tiny_uop *var, const tiny_uop *x, int bits) {
  TN_FLOAT_MODE;
  const double n = (double)tn_count(x, bits);
  if (!tn_has_lengths(x, bits)) return tn_times(t, var, n > 1 ? n / (n - 1) : 1);
  tiny_uop *count = tn_count_as(t, x, bits, var->dtype), *one = tn_k(t, var, 1);
  tiny_uop *rest = tn_max(t, tn_plus(t, count, -1), one);
  return tn_mul(t, var, tn_where(t, tn_lt(t, one, count), tn_fdiv(t, count, rest), one));
}
TINY_API tiny_tensor *tiny_batch_norm(tiny_tensor *x, tiny_batch_norm_state *s, int train) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("batch_norm", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!s || (!train && (!s->mean || !s->var)))
    return tn_wrong(t, TINY_E_ARG, "batch_norm: %s", s ? "running statistics are NULL" : "state is NULL");
  tiny_tensor *in[5] = {x, s->mean, s->var, s->weight, s->bias}, *const *stat = in + 1;
  if (!tn_usable_some("batch_norm", 1, 5, in, &out)) return out;
  if (u->ndim < 2) return tn_wrong(t, TINY_E_SHAPE, "batch_norm: %s has no channels", tn_text_of(u, a));
  for (int i = 0; i < 4; i++) if (!tn_scales(t, "batch_norm", u, stat[i], 1, u->dim + 1)) return out;
  const double momentum = tn_or_default(s->momentum, 0.1);
  double eps = s->eps;
  if (!tn_eps_fits(t, "batch_norm", &eps, 1e-5)) return out;
  const int bits = ((1 << u->ndim) - 1) & ~2;
  tiny_uop *of[4] = {NULL, NULL, NULL, NULL};
  for (int i = 0; i < 4; i++) if (stat[i]) of[i] = tn_channels(t, tn_uop_of(stat[i]), u->ndim);
  tiny_uop *wide = tn_wide(t, u), *mean = train ? tn_mean(t, wide, bits, 1) : tn_wide(t, of[0]),
           *centred = tn_sub(t, wide, mean);
  tiny_uop *var = train ? tn_mean(t, tn_square(t, centred), bits, 1) : tn_wide(t, of[1]);
  if (tn_bad(t, mean) || tn_bad(t, var)) return tn_poison(t);
  if (train && s->mean && !tn_batch_norm_track(s->mean, mean, momentum)) return tn_poison(t);
  if (train && s->var && !tn_batch_norm_track(s->var, tn_sample_variance(t, var, u, bits), momentum))
    return tn_poison(t);
  return tn_tensor_new(t, tn_narrow(t, tn_standardize(t, centred, var, eps, of[2], of[3]), u->dtype));
}

// Krizhevsky, Sutskever and Hinton, "ImageNet classification", 2012, section 3.3, with the mean in place of
// the sum.
TINY_API tiny_tensor *tiny_local_response_norm(tiny_tensor *x, int64_t size, double alpha, double beta,
                                               double k) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("local_response_norm", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (u->ndim < 2)
    return tn_wrong(t, TINY_E_SHAPE, "local_response_norm: %s has no channels", tn_text_of(u, a));
  if (!tn_axis_whole_for(t, "local_response_norm", u, 1, "the channels have to be whole")) return out;
  if (size < 1 || size > 1 << 12)
    return tn_wrong(t, TINY_E_ARG, "local_response_norm: a window of %lld channels", (long long)size);
  tiny_uop *wide = tn_wide(t, u), *sum = NULL;
  tiny_uop *square = tn_extend(t, tn_square(t, wide), 1, size / 2, (size - 1) / 2);
  for (int64_t i = 0; i < size; i++) {
    tiny_uop *part = tn_cut(t, square, 1, i, i + u->dim[1]);
    sum = sum ? tn_add(t, sum, part) : part;
  }
  sum = tn_plus(t, tn_times(t, sum, alpha / (double)size), k);
  tiny_uop *y = tn_bad(t, sum) ? sum : tn_fdiv(t, wide, tn_pow(t, sum, tn_k(t, sum, beta)));
  return tn_tensor_new(t, tn_narrow(t, y, u->dtype));
}

// ** norms and what is measured with them **

static int tn_power_fits(tiny_ctx *t, const char *name, double p) {
  if (p >= 0) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: the norm of order %g", name, p);
  return 0;
}

TINY_API tiny_tensor *tiny_normalize(tiny_tensor *x, double p, int axis, double eps) {
  tiny_tensor *out;
  if (!tn_usable("normalize", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int bits = tn_one_axis(t, "normalize", tn_uop_of(x), axis);
  if (bits < 0 || !tn_power_fits(t, "normalize", p) || !tn_eps_fits(t, "normalize", &eps, 1e-12)) return out;
  tiny_uop *wide = tn_wide(t, tn_uop_of(x)), *length = tn_norm(t, wide, p, bits, 1);
  tiny_uop *y = tn_fdiv(t, wide, tn_max(t, length, tn_k(t, wide, eps)));
  return tn_tensor_new(t, tn_narrow(t, y, tn_uop_of(x)->dtype));
}

// a and b, broadcast, in the dtype that a result of theirs is computed in; that of the result, or -1 after an
// error.
static int tn_meet_wide(const char *name, tiny_tensor *const *in, tiny_tensor **out, tiny_uop **a,
                        tiny_uop **b) {
  if (!tn_usable(name, 2, in, out) || !tn_shapes_meet(name, 2, in)) return -1;
  tiny_ctx *t = tn_ctx_of(in[0]);
  const int dtype = tn_real(tn_meet(tn_uop_of(in[0]), tn_uop_of(in[1])));
  int64_t dim[TN_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < 2; i++) tn_broadcast_dims(tn_uop_of(in[i])->ndim, tn_uop_of(in[i])->dim, &n, dim);
  *a = tn_expand(t, tn_cast(t, tn_uop_of(in[0]), tn_computed_in(dtype)), n, dim);
  *b = tn_expand(t, tn_cast(t, tn_uop_of(in[1]), tn_computed_in(dtype)), n, dim);
  tn_meet_lengths(t, a, b);
  return tn_bad(t, *a) || tn_bad(t, *b) ? -1 : dtype;
}
static tiny_uop *tn_cosine(tiny_ctx *t, tiny_uop *a, tiny_uop *b, int bits, double eps) {
  tiny_uop *least = tn_k(t, a, eps), *x = tn_max(t, tn_norm(t, a, 2, bits, 0), least),
           *y = tn_max(t, tn_norm(t, b, 2, bits, 0), least);
  return tn_fdiv(t, tn_fdiv(t, tn_sum(t, tn_mul(t, a, b), bits, 0), x), y);
}
TINY_API tiny_tensor *tiny_cosine_similarity(tiny_tensor *a, tiny_tensor *b, int axis, double eps) {
  tiny_tensor *out, *in[2] = {a, b};
  tiny_uop *x, *y;
  const int dtype = tn_meet_wide("cosine_similarity", in, &out, &x, &y);
  if (dtype < 0) return out;
  const int bits = tn_one_axis(tn_ctx_of(a), "cosine_similarity", x, axis);
  if (bits < 0 || !tn_eps_fits(tn_ctx_of(a), "cosine_similarity", &eps, 1e-8)) return tn_poison(tn_ctx_of(a));
  return tn_tensor_new(tn_ctx_of(a), tn_narrow(tn_ctx_of(a), tn_cosine(tn_ctx_of(a), x, y, bits, eps), dtype));
}
TINY_API tiny_tensor *tiny_pairwise_distance(tiny_tensor *a, tiny_tensor *b, double p, double eps,
                                             int keepdim) {
  tiny_tensor *out, *in[2] = {a, b};
  tiny_uop *x, *y;
  const int dtype = tn_meet_wide("pairwise_distance", in, &out, &x, &y);
  if (dtype < 0) return out;
  const int bits = tn_one_axis(tn_ctx_of(a), "pairwise_distance", x, -1);
  if (!tn_power_fits(tn_ctx_of(a), "pairwise_distance", p) ||
      !tn_eps_fits(tn_ctx_of(a), "pairwise_distance", &eps, 1e-6))
    return tn_poison(tn_ctx_of(a));
  tiny_uop *d = tn_norm(tn_ctx_of(a), tn_plus(tn_ctx_of(a), tn_sub(tn_ctx_of(a), x, y), eps), p, bits, keepdim);
  return tn_tensor_new(tn_ctx_of(a), tn_narrow(tn_ctx_of(a), d, dtype));
}

// y_o = sum over i, j of x_i w_oij z_j: the sum over i is a product of matrices.
TINY_API tiny_tensor *tiny_bilinear(tiny_tensor *x, tiny_tensor *z, tiny_tensor *w, tiny_tensor *bias) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], c[TN_DIMS_TEXT];
  tiny_tensor *out, *in[4] = {x, z, w, bias};
  if (!tn_usable_some("bilinear", 3, 4, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *p = tn_uop_of(x), *q = tn_uop_of(z), *r = tn_uop_of(w);
  const int n = p->ndim;
  if (!n || n + 1 >= TINY_MAX_DIMS || q->ndim != n || r->ndim != 3 || !tn_dims_same(n - 1, p->dim, q->dim) ||
      p->dim[n - 1] != r->dim[1] || q->dim[n - 1] != r->dim[2] ||
      (bias && !tn_has_dims(tn_uop_of(bias), 1, r->dim)))
    return tn_wrong(t, TINY_E_SHAPE, "bilinear: %s and %s with weights %s", tn_text_of(p, a),
                    tn_text_of(q, b), tn_text_of(r, c));
  const int dtype = tiny_promote((tiny_dtype)tn_meet(p, q), (tiny_dtype)r->dtype);
  p = tn_insert(t, tn_insert(t, p, n - 1), n - 1);           // (..,1,1,I) with (O,J,I) -> (..,O,J)
  tiny_uop *y = tn_dot(t, p, tn_swap(t, r, 1, 2), NULL, 1 << (n + 1), tn_computed_in(dtype));
  y = tn_dot(t, y, tn_insert(t, q, n - 1), bias ? tn_uop_of(bias) : NULL, 1 << n, dtype);
  return tn_tensor_new(t, y);
}
#endif
