// reduce: folds along axes, what is computed from them, positions, norms.
//
// Sums and products of narrow floats run in f32 and come back narrow; those of bools and of integers other than u64
// give i64. The sum of nothing is 0, the product 1, the mean NaN, and there is no maximum of nothing. Roots whose
// gradient would be infinite at 0 have 0 there (tn_flat_root).
#ifndef TN_TENSOR_REDUCE
#define TN_TENSOR_REDUCE
#ifndef TINY_AMALGAMATED
#include "activation.c"
#endif

static int64_t tn_count(const tiny_uop *u, int bits) {       // elements that go into one
  int64_t n = 1;
  for (int i = 0; i < u->ndim; i++) if (bits >> i & 1) n *= u->dim[i];
  return n;
}
// The same as a node of dtype, which is a constant where no length is among the dims.
static tiny_uop *tn_count_as(tiny_ctx *t, const tiny_uop *u, int bits, int dtype) {
  tiny_uop *count = tn_index(t, 1);
  for (int i = 0; i < u->ndim; i++) if ((bits >> i & 1) && tn_extent_of(u, i)) {
    count = tn_is_const(count) ? u->extent[i] : tn_u2(t, TINY_OP_MUL, count, u->extent[i]);
    bits &= ~(1 << i);
  }
  const int64_t rest = tn_count(u, bits);
  return tn_is_const(count) ? tn_number(t, dtype, (double)rest) : tn_cast(t, tn_position_scale(t, count, rest), dtype);
}
static int tn_has_lengths(const tiny_uop *u, int bits) {
  for (int i = 0; i < u->ndim; i++) if ((bits >> i & 1) && tn_extent_of(u, i)) return 1;
  return 0;
}
static int tn_sum_dtype(int d) {
  return tn_is_float(d) ? tn_computed_in(d) : d == TINY_U64 ? (int)TINY_U64 : (int)TINY_I64;
}
// A sum or product in a dtype that is wide enough; floats come back as what they were.
static tiny_uop *tn_accumulate(tiny_ctx *t, int op, tiny_uop *x, int bits, int keepdim) {
  if (tn_bad(t, x)) return x;
  tiny_uop *y = tn_reduce(t, op, tn_cast(t, x, tn_sum_dtype(x->dtype)), bits, keepdim);
  return tn_is_float(x->dtype) && !tn_bad(t, y) ? tn_cast(t, y, x->dtype) : y;
}
static tiny_uop *tn_extreme(tiny_ctx *t, int lowest, tiny_uop *x, int bits, int keepdim) {
  return lowest ? tn_mirror(t, tn_reduce(t, TINY_OP_MAX, tn_mirror(t, x), bits, keepdim)) :
                  tn_reduce(t, TINY_OP_MAX, x, bits, keepdim);
}

// ** sums, products, the greatest, the least **

static tiny_tensor *tn_reduce_named(const char *name, tiny_reduce_op op, tiny_tensor *x, int bits, int keepdim) {
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (bits < 0) return tn_poison(t);
  if (op == TINY_REDUCE_SUM || op == TINY_REDUCE_PROD)
    return tn_value_new(
        t, tn_accumulate(t, op == TINY_REDUCE_SUM ? TINY_OP_ADD : TINY_OP_MUL, u, bits, keepdim), 1, &x);
  if (!tn_count(u, bits) && tn_dims_nelem(u->ndim, u->dim) == 0) {
    int64_t others = 1;
    for (int i = 0; i < u->ndim; i++) if (!(bits >> i & 1)) others *= u->dim[i];
    if (others)
      return tn_wrong(t, TINY_E_SHAPE, "%s: there is nothing along the axis of %s", name, tn_text_of(u, a));
  }
  return tn_value_new(t, tn_extreme(t, op == TINY_REDUCE_AMIN, u, bits, keepdim), 1, &x);
}
static tiny_tensor *tn_reduce_axis_named(const char *name, tiny_reduce_op op, tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  return tn_reduce_named(name, op, x, tn_one_axis(tn_ctx_of(x), name, tn_uop_of(x), axis), keepdim);
}
TINY_API tiny_tensor *tiny_sum(tiny_tensor *x, int axis, int keepdim) {
  return tn_reduce_axis_named("sum", TINY_REDUCE_SUM, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_prod(tiny_tensor *x, int axis, int keepdim) {
  return tn_reduce_axis_named("prod", TINY_REDUCE_PROD, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_amax(tiny_tensor *x, int axis, int keepdim) {
  return tn_reduce_axis_named("amax", TINY_REDUCE_AMAX, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_amin(tiny_tensor *x, int axis, int keepdim) {
  return tn_reduce_axis_named("amin", TINY_REDUCE_AMIN, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_aminmax(tiny_tensor *x, int axis, int keepdim, tiny_tensor **max) {
  tiny_tensor *const most = tn_reduce_axis_named("aminmax", TINY_REDUCE_AMAX, x, axis, keepdim);
  if (max) *max = most;
  return tiny_ok(most) ? tiny_amin(x, axis, keepdim) : most;
}

// ** truth: what is not 0, NaN included **

static tiny_uop *tn_is_true(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || x->dtype == TINY_BOOL ? x : tn_ne(t, x, tn_k(t, x, 0));
}
static tiny_tensor *tn_truth(const char *name, tiny_reduce_op op, tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int bits = tn_one_axis(tn_ctx_of(x), name, tn_uop_of(x), axis);
  if (bits < 0) return out;
  tiny_uop *is = tn_is_true(tn_ctx_of(x), tn_uop_of(x));
  tiny_uop *y = op == TINY_REDUCE_SUM ? tn_accumulate(tn_ctx_of(x), TINY_OP_ADD, is, bits, keepdim) :
                            tn_extreme(tn_ctx_of(x), op == TINY_REDUCE_AMIN, is, bits, keepdim);
  return tn_value_new(tn_ctx_of(x), y, 1, &x);
}
TINY_API tiny_tensor *tiny_any(tiny_tensor *x, int axis, int keepdim) {
  return tn_truth("any", TINY_REDUCE_AMAX, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_all(tiny_tensor *x, int axis, int keepdim) {
  return tn_truth("all", TINY_REDUCE_AMIN, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_count_nonzero(tiny_tensor *x, int axis, int keepdim) {
  return tn_truth("count_nonzero", TINY_REDUCE_SUM, x, axis, keepdim);
}

// ** mean, variance: integers as f32, halves in f32 **

// x as the dtype in which its mean is computed.
static tiny_uop *tn_wide(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_cast(t, x, tn_computed_in(tn_real(x->dtype)));
}

static tiny_uop *tn_mean(tiny_ctx *t, tiny_uop *x, int bits, int keepdim) {
  TN_FLOAT_MODE;
  if (tn_bad(t, x)) return x;
  const int64_t n = tn_count(x, bits);
  if (tn_has_lengths(x, bits)) return tn_fdiv(t, tn_sum(t, x, bits, keepdim), tn_count_as(t, x, bits, x->dtype));
  return tn_times(t, tn_sum(t, x, bits, keepdim), n ? 1.0 / (double)n : (double)NAN);
}
// Of x minus its mean: two passes, as accurate as the data allow. Without a divisor: 0/0, or infinite.
static tiny_uop *tn_variance(tiny_ctx *t, tiny_uop *x, tiny_uop *mean, int bits, int keepdim,
                             double correction) {
  TN_FLOAT_MODE;
  if (tn_bad(t, x)) return x;
  if (tn_has_lengths(x, bits)) {
    tiny_uop *n = tn_plus(t, tn_count_as(t, x, bits, x->dtype), -correction), *zero = tn_k(t, x, 0);
    tiny_uop *by = tn_where(t, tn_lt(t, zero, n), tn_fdiv(t, tn_k(t, x, 1), n), tn_k(t, x, HUGE_VAL));
    return tn_mul(t, tn_sum(t, tn_square(t, tn_sub(t, x, mean)), bits, keepdim), by);
  }
  const double divisor = (double)tn_count(x, bits) - correction;
  return tn_times(t, tn_sum(t, tn_square(t, tn_sub(t, x, mean)), bits, keepdim),
                  divisor > 0 ? 1 / divisor : HUGE_VAL);
}
static tiny_uop *tn_narrow(tiny_ctx *t, tiny_uop *x, int dtype) {
  return tn_bad(t, x) ? x : tn_cast(t, x, tn_real(dtype));
}
// The square root of what is not negative; its gradient at 0 is 0.
static tiny_uop *tn_flat_root(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *zero = tn_eq(t, x, tn_k(t, x, 0));
  return tn_where(t, zero, tn_k(t, x, 0), tn_sqrt(t, tn_where(t, zero, tn_k(t, x, 1), x)));
}

static tiny_tensor *tn_mean_by(tiny_tensor *x, int bits, int keepdim) {
  tiny_ctx *t = tn_ctx_of(x);
  if (bits < 0) return tn_poison(t);
  tiny_uop *mean = tn_mean(t, tn_wide(t, tn_uop_of(x)), bits, keepdim);
  return tn_value_new(t, tn_narrow(t, mean, tn_uop_of(x)->dtype), 1, &x);
}
TINY_API tiny_tensor *tiny_mean(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("mean", 1, &x, &out)) return out;
  return tn_mean_by(x, tn_one_axis(tn_ctx_of(x), "mean", tn_uop_of(x), axis), keepdim);
}
TINY_API tiny_tensor *tiny_reduce(tiny_tensor *x, tiny_reduce_op op, tiny_shape axes, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("reduce", 1, &x, &out)) return out;
  if ((unsigned)op > TINY_REDUCE_MEAN)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "reduce: op is %d, not one of TINY_REDUCE_SUM to TINY_REDUCE_MEAN",
                    (int)op);
  const int bits = tn_axis_bits(tn_ctx_of(x), "reduce", tn_uop_of(x), &axes);
  return op == TINY_REDUCE_MEAN ? tn_mean_by(x, bits, keepdim) : tn_reduce_named("reduce", op, x, bits, keepdim);
}
// The variance, or its root; the mean too where the caller wants it.
static tiny_tensor *tn_deviation(const char *name, int root, tiny_tensor *x, int axis, int keepdim,
                                 double correction, tiny_tensor **mean) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  const int usable = tn_usable(name, 1, &x, &out);
  if (mean) *mean = out;
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int bits = tn_one_axis(t, name, tn_uop_of(x), axis), dtype = tn_uop_of(x)->dtype;
  if (bits < 0) return out;
  tiny_uop *wide = tn_wide(t, tn_uop_of(x)), *centre = tn_mean(t, wide, bits, 1);
  tiny_uop *y = tn_variance(t, wide, centre, bits, keepdim, correction);
  if (mean) *mean = tn_tensor_new(t, tn_narrow(t, tn_mean(t, wide, bits, keepdim), dtype));
  return tn_tensor_new(t, tn_narrow(t, root ? tn_flat_root(t, y) : y, dtype));
}
TINY_API tiny_tensor *tiny_var(tiny_tensor *x, int axis, int keepdim, int correction) {
  return tn_deviation("var", 0, x, axis, keepdim, correction, NULL);
}
TINY_API tiny_tensor *tiny_std(tiny_tensor *x, int axis, int keepdim, int correction) {
  return tn_deviation("std", 1, x, axis, keepdim, correction, NULL);
}
TINY_API tiny_tensor *tiny_var_mean(tiny_tensor *x, int axis, int keepdim, int correction,
                                    tiny_tensor **mean) {
  return tn_deviation("var_mean", 0, x, axis, keepdim, correction, mean);
}
TINY_API tiny_tensor *tiny_std_mean(tiny_tensor *x, int axis, int keepdim, int correction,
                                    tiny_tensor **mean) {
  return tn_deviation("std_mean", 1, x, axis, keepdim, correction, mean);
}

// ** NaN as if it were not there **

static tiny_uop *tn_without_nan(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || !tn_is_float(x->dtype) ? x : tn_where(t, tn_isnan(t, x), tn_k(t, x, 0), x);
}
TINY_API tiny_tensor *tiny_nansum(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("nansum", 1, &x, &out)) return out;
  const int bits = tn_one_axis(tn_ctx_of(x), "nansum", tn_uop_of(x), axis);
  if (bits < 0) return out;
  tiny_uop *const rest = tn_without_nan(tn_ctx_of(x), tn_uop_of(x));
  return tn_value_new(tn_ctx_of(x), tn_accumulate(tn_ctx_of(x), TINY_OP_ADD, rest, bits, keepdim), 1, &x);
}
TINY_API tiny_tensor *tiny_nanmean(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("nanmean", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int bits = tn_one_axis(t, "nanmean", tn_uop_of(x), axis);
  if (bits < 0) return out;
  tiny_uop *wide = tn_wide(t, tn_uop_of(x)), *is = tn_not(t, tn_isnan(t, wide));
  if (tn_bad(t, wide) || tn_bad(t, is)) return tn_poison(t);
  tiny_uop *n = tn_sum(t, tn_cast(t, is, wide->dtype), bits, keepdim);
  tiny_uop *sum = tn_sum(t, tn_without_nan(t, wide), bits, keepdim);
  return tn_tensor_new(t, tn_narrow(t, tn_fdiv(t, sum, n), tn_uop_of(x)->dtype));
}

// ** positions **

enum { TN_LONG_AXIS = 1 << 14, TN_LEAST_PART = 64 };   // a shorter axis stays in the caches between two walks

// The first i where x[i] is the maximum: the maximum of n-1-i over those, taken from n-1. NaN counts as the greatest.
static tiny_uop *tn_position(tiny_ctx *t, tiny_uop *x, int axis, int keepdim) {
  x = tn_once(t, x);
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[axis];
  tiny_uop *is = tn_eq(t, x, tn_reduce(t, TINY_OP_MAX, x, 1 << axis, 1));
  if (tn_is_float(x->dtype)) is = tn_or(t, is, tn_isnan(t, x));
  tiny_uop *rest = tn_plus(t, tn_neg(t, tn_iota(t, TINY_I32, n, axis, x->ndim)), (double)(n - 1));
  rest = tn_where(t, is, rest, tn_k(t, rest, 0));
  return tn_plus(t, tn_neg(t, tn_reduce(t, TINY_OP_MAX, rest, 1 << axis, keepdim)), (double)(n - 1));
}
// x's elements where the positions along axis, of which one is kept, are those in index.
static tiny_uop *tn_element_at(tiny_ctx *t, tiny_uop *x, tiny_uop *index, int axis, int keepdim) {
  if (tn_bad(t, x) || tn_bad(t, index)) return &t->ir->bad;
  tiny_uop *is = tn_eq(t, tn_iota(t, index->dtype, x->dim[axis], axis, x->ndim), index);
  return tn_sum(t, tn_where(t, is, x, tn_k(t, x, 0)), 1 << axis, keepdim);
}
// The same of a long axis in one walk over x: the extremes of its parts, which of those is the first, and where in it.
static tiny_uop *tn_position_in_parts(tiny_ctx *t, tiny_uop *x, int axis) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[axis];
  int64_t dim[TN_MAX_DIMS], part = 1;
  for (int64_t d = 2; d * d <= n; d++) if (n % d == 0) part = d;
  if (tn_extent_of(x, axis) || n < TN_LONG_AXIS || part < TN_LEAST_PART || x->ndim == TINY_MAX_DIMS)
    return tn_position(t, x, axis, 1);
  for (int i = 0; i < x->ndim; i++) dim[i + (i > axis)] = x->dim[i];
  dim[axis] = n / part;
  dim[axis + 1] = part;
  tiny_uop *parts = tn_reshape(t, x, x->ndim + 1, dim);
  tiny_uop *most = tn_u1(t, TINY_OP_CONTIGUOUS, tn_reduce(t, TINY_OP_MAX, parts, 1 << (axis + 1), 1));
  tiny_uop *first = tn_u1(t, TINY_OP_CONTIGUOUS, tn_position(t, most, axis, 1));
  tiny_uop *own = tn_u1(t, TINY_OP_CONTIGUOUS, tn_element_at(t, parts, first, axis, 1));
  if (tn_bad(t, own)) return own;
  tiny_uop *y = tn_add(t, tn_times(t, first, (double)part), tn_position(t, own, axis + 1, 1));
  for (int i = 0; i < x->ndim; i++) dim[i] = i == axis ? 1 : x->dim[i];
  return tn_reshape(t, y, x->ndim, dim);
}
// The position of an extreme and, if asked for, its value, through which the gradient flows to that position alone.
static tiny_tensor *tn_arg(const char *name, int lowest, tiny_tensor *x, int axis, int keepdim,
                           tiny_tensor **value) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  const int flat = axis == TINY_ALL || !u->ndim;
  const int at = axis == TINY_ALL ? 0 : tn_axis(t, name, u, axis), n = u->ndim;
  if (at < 0) return out;
  const int64_t nelem = tn_dims_nelem(n, u->dim), size = flat ? nelem : u->dim[at];
  if (!size || size > INT32_MAX)
    return tn_wrong(t, TINY_E_SHAPE, "%s: %lld elements along the axis of %s", name, (long long)size,
                    tn_text_of(u, a));
  int64_t dim[TN_MAX_DIMS];
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (keepdim || !(flat || i == at)) dim[kept++] = flat || i == at ? 1 : u->dim[i];
  tiny_uop *y = flat ? tn_reshape(t, u, 1, &nelem) : u;
  tiny_uop *position = tn_position_in_parts(t, lowest ? tn_mirror(t, y) : y, at);
  if (value) *value = tn_tensor_new(t, tn_reshape(t, tn_element_at(t, y, position, at, 1), kept, dim));
  return tn_tensor_new(t, tn_reshape(t, position, kept, dim));
}
TINY_API tiny_tensor *tiny_argmax(tiny_tensor *x, int axis, int keepdim) {
  return tn_arg("argmax", 0, x, axis, keepdim, NULL);
}
TINY_API tiny_tensor *tiny_argmin(tiny_tensor *x, int axis, int keepdim) {
  return tn_arg("argmin", 1, x, axis, keepdim, NULL);
}
static tiny_tensor *tn_extreme_with_index(const char *name, int lowest, tiny_tensor *x, int axis, int keepdim,
                                          tiny_tensor **index) {
  tiny_tensor *value = NULL, *const at = tn_arg(name, lowest, x, axis, keepdim, &value);
  if (index) *index = at;
  return tiny_ok(at) ? value : at;
}
TINY_API tiny_tensor *tiny_max(tiny_tensor *x, int axis, int keepdim, tiny_tensor **index) {
  return tn_extreme_with_index("max", 0, x, axis, keepdim, index);
}
TINY_API tiny_tensor *tiny_min(tiny_tensor *x, int axis, int keepdim, tiny_tensor **index) {
  return tn_extreme_with_index("min", 1, x, axis, keepdim, index);
}

// ** norms **

// |x|^p of floats, with no gradient where x is 0, as PyTorch has it.
static tiny_uop *tn_abs_power(tiny_ctx *t, tiny_uop *x, double p) {
  tiny_uop *zero = tn_eq(t, x, tn_k(t, x, 0)), *safe = tn_where(t, zero, tn_k(t, x, 1), tn_abs(t, x));
  if (tn_bad(t, safe)) return safe;
  return tn_where(t, zero, tn_k(t, x, p < 0 ? HUGE_VAL : 0), tn_pow(t, safe, tn_k(t, x, p)));
}
// The p-norm of wide floats.
static tiny_uop *tn_norm(tiny_ctx *t, tiny_uop *x, double p, int bits, int keepdim) {
  TN_FLOAT_MODE;
  if (p == 0) {
    tiny_uop *is = tn_is_true(t, x);
    return tn_bad(t, is) ? is : tn_sum(t, tn_cast(t, is, x->dtype), bits, keepdim);
  }
  if (p == 2) return tn_flat_root(t, tn_sum(t, tn_square(t, x), bits, keepdim));
  if (fabs(p) == HUGE_VAL) return tn_extreme(t, p < 0, tn_abs(t, x), bits, keepdim);
  if (p == 1) return tn_sum(t, tn_abs(t, x), bits, keepdim);
  return tn_abs_power(t, tn_sum(t, tn_abs_power(t, x, p), bits, keepdim), 1 / p);
}
static tiny_tensor *tn_norm_of(const char *name, tiny_tensor *x, double p, int axis, int keepdim) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int bits = tn_one_axis(tn_ctx_of(x), name, tn_uop_of(x), axis);
  if (bits < 0) return out;
  if (p != p) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "%s: p is NaN", name);
  if ((p < 0 || p == HUGE_VAL) && !tn_count(tn_uop_of(x), bits))
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: there is nothing along the axis of %s", name,
                    tn_text_of(tn_uop_of(x), a));
  tiny_uop *wide = tn_wide(tn_ctx_of(x), tn_uop_of(x));
  if (tn_bad(tn_ctx_of(x), wide)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_tensor_new(t, tn_narrow(t, tn_norm(t, wide, p, bits, keepdim), tn_uop_of(x)->dtype));
}
TINY_API tiny_tensor *tiny_norm(tiny_tensor *x, double p, int axis, int keepdim) {
  return tn_norm_of("norm", x, p, axis, keepdim);
}
TINY_API tiny_tensor *tiny_dist(tiny_tensor *a, tiny_tensor *b, double p) {
  tiny_tensor *const apart = tn_binary_operator("dist", TN_REAL, tn_sub, a, b);
  return tiny_ok(apart) ? tn_norm_of("dist", apart, p, TINY_ALL, 0) : apart;
}

// What brings norms that are above most down to it, and leaves the others; PyTorch's 1e-7 keeps it finite.
static tiny_uop *tn_norm_limit(tiny_ctx *t, tiny_uop *norm, double most) {
  tiny_uop *limit = tn_k(t, norm, most);
  return tn_where(t, tn_gt(t, norm, limit), tn_fdiv(t, limit, tn_plus(t, norm, 1e-7)), tn_k(t, norm, 1));
}
TINY_API tiny_tensor *tiny_renorm(tiny_tensor *x, double p, int axis, double most) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tiny_uop *u = tn_enter("renorm", TN_REAL, x, &out);
  if (!u || tn_bad(tn_ctx_of(x), u)) return out;
  if (!u->ndim) return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "renorm: %s has no slices", tn_text_of(u, a));
  if ((axis = tn_axis(tn_ctx_of(x), "renorm", u, axis)) < 0) return out;
  if (!(p > 0 && most >= 0)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "renorm: norms of order %g up to %g", p, most);
  const int others = ((1 << u->ndim) - 1) & ~(1 << axis);
  if (!tn_dims_nelem(u->ndim, u->dim)) return tn_leave(TN_REAL, x, u);
  tiny_ctx *t = tn_ctx_of(x);
  return tn_leave(TN_REAL, x, tn_mul(t, u, tn_norm_limit(t, tn_norm(t, u, p, others, 1), most)));
}
#endif
