// random: numbers from a counter, the same on every device.
//
// Element i of the c-th call is Threefry-2x32 (see ir/alu.c) of the counter (i, c) under the
// context's seed. Seed and call are SCALARs: another step or another seed makes no new kernel.
#ifndef TN_TENSOR_RANDOM
#define TN_TENSOR_RANDOM
#ifndef TINY_AMALGAMATED
#include "sort.c"
#endif

enum { TN_SEED_LOW = 1, TN_SEED_HIGH, TN_RANDOM_CALL };      // identities of scalars, see tensor.c

// n words of 32 random bits; word chooses one of the two that a counter gives.
static tiny_uop *tn_random_bits(tiny_ctx *t, int64_t n, uint32_t call, int word) {
  tiny_uop *src[4] = {
      tn_iota(t, TINY_U32, n, 0, 1),
      tn_scalar(t, TINY_U32, call, TN_RANDOM_CALL),
      tn_scalar(t, TINY_U32, (int64_t)(t->seed & 0xFFFFFFFFu), TN_SEED_LOW),
      tn_scalar(t, TINY_U32, (int64_t)(t->seed >> 32), TN_SEED_HIGH),
  };
  return tn_uop_make(t, TINY_OP_THREEFRY, TINY_U32, 1, 4, src, word, 0, NULL);
}
// The upper bits of words as whole numbers of a float dtype: i32 to floats is one instruction everywhere.
static tiny_uop *tn_upper_bits(tiny_ctx *t, tiny_uop *words, int bits, int dtype) {
  words = tn_shr(t, words, tn_k(t, words, 32 - bits));
  if (tn_bad(t, words)) return words;
  words = tn_cast(t, words, TINY_I32);
  return tn_bad(t, words) ? words : tn_cast(t, words, dtype);
}
// n numbers uniform in [0,1), as fine as dtype has them just below 1, in the dtype that it is computed in. f64 takes
// both words of a call; for narrower ones word chooses.
static tiny_uop *tn_unit(tiny_ctx *t, int64_t n, uint32_t call, int word, int dtype) {
  const int inside = tn_computed_in(dtype), fine = tn_dtypes[dtype].mantissa + 1;
  tiny_uop *u = tn_upper_bits(t, tn_random_bits(t, n, call, word), dtype == TINY_F64 ? 27 : fine, inside);
  if (dtype != TINY_F64) return tn_times(t, u, ldexp(1, -fine));
  tiny_uop *low = tn_upper_bits(t, tn_random_bits(t, n, call, 1), 26, inside);
  return tn_times(t, tn_add(t, tn_times(t, u, 67108864.0), low), ldexp(1, -53));
}
static uint32_t tn_random_call(tiny_ctx *t) { return ++t->tensors->random; }

// Uniform in [0,1).
static tiny_uop *tn_uniform_of(tiny_ctx *t, int ndim, const int64_t *dim, int dtype) {
  return tn_reshape(t, tn_unit(t, tn_dims_nelem(ndim, dim), tn_random_call(t), 0, dtype), ndim, dim);
}
// Box and Muller, "A note on the generation of random normal deviates", 1958: the logarithm is of
// 1-u, which is never 0. Computed in f32 or f64.
static tiny_uop *tn_normal_of(tiny_ctx *t, int ndim, const int64_t *dim, int dtype) {
  const int64_t n = tn_dims_nelem(ndim, dim);
  const int wide = dtype == TINY_F64 ? TINY_F64 : TINY_F32;
  const uint32_t call = tn_random_call(t), other = wide == TINY_F64 ? tn_random_call(t) : call;
  tiny_uop *u = tn_unit(t, n, call, 0, wide), *phase = tn_unit(t, n, other, 1, wide);
  tiny_uop *radius = tn_sqrt(t, tn_times(t, tn_logarithm(t, tn_plus(t, tn_neg(t, u), 1)), -2));
  return tn_reshape(t, tn_mul(t, radius, tn_sin(t, tn_times(t, phase, 2 * TN_PI))), ndim, dim);
}
// f32, as dropout and weights take them.
static tiny_uop *tn_uniform(tiny_ctx *t, int ndim, const int64_t *dim) {
  return tn_uniform_of(t, ndim, dim, TINY_F32);
}

TINY_API void tiny_seed(tiny_ctx *t, uint64_t seed) {
  if (!t || !t->tensors) return;
  t->seed = seed;
  t->tensors->random = 0;
  memset(t->tensors->begun, 0, sizeof t->tensors->begun);
}

// ** uniform and normal **

static int tn_random_shape(tiny_ctx *t, const char *name, tiny_dtype dtype, const tiny_shape *s) {
  if (!tn_creatable(t, name, dtype, s)) return 0;
  if (tn_dims_nelem(s->ndim, s->dim) <= (int64_t)1 << 32) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %lld elements, but a call gives at most 2^32", name,
            (long long)tn_dims_nelem(s->ndim, s->dim));
  return 0;
}
// start + width * (uniform or normal), in a float dtype.
static tiny_tensor *tn_random(tiny_ctx *t, const char *name, int normal, double start, double width,
                              tiny_dtype dtype, const tiny_shape *s) {
  if (!tn_random_shape(t, name, dtype, s)) return tn_poison(t);
  if (!tn_is_float(dtype))
    return tn_wrong(t, TINY_E_DTYPE, "%s: takes floats, not %s", name, tiny_dtype_name(dtype));
  if (!(fabs(start) < HUGE_VAL && fabs(width) < HUGE_VAL))
    return tn_wrong(t, TINY_E_ARG, "%s: %g + %g * x is not finite", name, start, width);
  tiny_uop *u = normal ? tn_normal_of(t, s->ndim, s->dim, dtype) : tn_uniform_of(t, s->ndim, s->dim, dtype);
  u = width == 1 ? u : tn_times(t, u, width);
  u = start == 0 ? u : tn_plus(t, u, start);
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}
TINY_API tiny_tensor *tiny_rand(tiny_ctx *t, tiny_shape shape) {
  return tn_random(t, "rand", 0, 0, 1, TINY_F32, &shape);
}
TINY_API tiny_tensor *tiny_randn(tiny_ctx *t, tiny_shape shape) {
  return tn_random(t, "randn", 1, 0, 1, TINY_F32, &shape);
}
TINY_API tiny_tensor *tiny_uniform(tiny_ctx *t, double low, double high, tiny_dtype dtype, tiny_shape shape) {
  TN_FLOAT_MODE;
  if (t && !(low <= high)) return tn_wrong(t, TINY_E_ARG, "uniform: from %g to %g", low, high);
  return tn_random(t, "uniform", 0, low, high - low, dtype, &shape);
}
TINY_API tiny_tensor *tiny_normal(tiny_ctx *t, double mean, double std, tiny_dtype dtype, tiny_shape shape) {
  if (t && !(std >= 0)) return tn_wrong(t, TINY_E_ARG, "normal: deviation %g", std);
  return tn_random(t, "normal", 1, mean, std, dtype, &shape);
}
static tiny_tensor *tn_random_like(const char *name, int normal, tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const tiny_shape s = tiny_shape_of(x);
  return tn_meant_as(tn_random(tn_ctx_of(x), name, normal, 0, 1, tiny_dtype_of(x), &s), x);
}
TINY_API tiny_tensor *tiny_rand_like(tiny_tensor *x) { return tn_random_like("rand_like", 0, x); }
TINY_API tiny_tensor *tiny_randn_like(tiny_tensor *x) { return tn_random_like("randn_like", 1, x); }

// ** whole numbers **

// 64 bits modulo the width: no number is more likely than another by more than width / 2^64.
TINY_API tiny_tensor *tiny_randint(tiny_ctx *t, int64_t low, int64_t high, tiny_dtype dtype,
                                   tiny_shape shape) {
  if (!tn_random_shape(t, "randint", dtype, &shape)) return tn_poison(t);
  if (low >= high)
    return tn_wrong(t, TINY_E_ARG, "randint: from %lld to below %lld", (long long)low, (long long)high);
  if (!tn_is_float(dtype) && (low < tn_dtype_min(dtype) || high - 1 > tn_dtype_max(dtype)))
    return tn_wrong(t, TINY_E_ARG, "randint: %s has not all from %lld to below %lld", tiny_dtype_name(dtype),
                    (long long)low, (long long)high);
  const int64_t n = tn_dims_nelem(shape.ndim, shape.dim);
  const uint32_t call = tn_random_call(t);
  tiny_uop *upper = tn_random_bits(t, n, call, 0), *lower = tn_random_bits(t, n, call, 1);
  if (tn_bad(t, upper) || tn_bad(t, lower)) return tn_poison(t);
  upper = tn_cast(t, upper, TINY_U64);
  tiny_uop *u = tn_add(t, tn_shl(t, upper, tn_k(t, upper, 32)), tn_cast(t, lower, TINY_U64));
  u = tn_mod(t, u, tn_int(t, TINY_U64, (int64_t)((uint64_t)high - (uint64_t)low)));
  u = tn_bad(t, u) ? u : tn_add(t, tn_cast(t, u, TINY_I64), tn_int(t, TINY_I64, low));
  return tn_tensor_new(t, tn_reshape(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype), shape.ndim, shape.dim));
}

TINY_API tiny_tensor *tiny_randperm(tiny_ctx *t, int64_t n) {
  const tiny_shape s = {1, {n}};
  if (!tn_random_shape(t, "randperm", TINY_I32, &s)) return tn_poison(t);
  if (n > INT32_MAX / 4) return tn_wrong(t, TINY_E_SHAPE, "randperm: of %lld", (long long)n);
  const int64_t row[2] = {1, n};
  tiny_uop *keys = tn_reshape(t, tn_random_bits(t, n, tn_random_call(t), 0), 2, row);
  if (tn_bad(t, keys)) return tn_poison(t);
  tiny_uop *order = n ? tn_argsorted(t, keys, 0, n) : tn_iota(t, TINY_I32, n, 0, 1);
  return tn_tensor_new(t, tn_reshape(t, order, 1, s.dim));
}

TINY_API tiny_tensor *tiny_bernoulli(tiny_tensor *p) {
  tiny_tensor *out;
  if (!tn_usable("bernoulli", 1, &p, &out)) return out;
  tiny_ctx *t = tn_ctx_of(p);
  const tiny_shape s = tiny_shape_of(p);
  if (!tn_is_float(tn_uop_of(p)->dtype))
    return tn_wrong(t, TINY_E_DTYPE, "bernoulli: probabilities are floats, not %s",
                    tiny_dtype_name(tiny_dtype_of(p)));
  if (!tn_random_shape(t, "bernoulli", TINY_F32, &s)) return out;
  tiny_uop *wide = tn_wide(t, tn_uop_of(p));
  tiny_uop *is = tn_bad(t, wide) ? wide : tn_lt(t, tn_uniform_of(t, s.ndim, s.dim, wide->dtype), wide);
  return tn_tensor_new(t, tn_bad(t, is) ? is : tn_cast(t, is, tn_uop_of(p)->dtype));
}

// With replacement: how many running sums of the weights (.., 1, n) a uniform part of their total (.., m, 1) has
// reached, the total itself not counted: then the last class is one that has weight.
static tiny_uop *tn_draw_replaced(tiny_ctx *t, tiny_uop *weights, int64_t m) {
  const int n = weights->ndim;
  int64_t dim[TN_MAX_DIMS];
  for (int i = 0; i < n; i++) dim[i] = i == n - 1 ? m : weights->dim[i];
  tiny_uop *sums = tn_scan_along(t, tn_scan, TINY_OP_ADD, weights, n - 1);
  if (tn_bad(t, sums)) return sums;
  tiny_uop *total = tn_cut(t, sums, n - 1, weights->dim[n - 1] - 1, weights->dim[n - 1]);
  tiny_uop *at = tn_mul(t, tn_uniform_of(t, n, dim, weights->dtype), total);
  at = tn_insert(t, at, n); sums = tn_insert(t, sums, n - 1); total = tn_insert(t, total, n - 1);
  tiny_uop *passed = tn_and(t, tn_not(t, tn_lt(t, at, sums)), tn_lt(t, sums, total));
  return tn_bad(t, passed) ? passed : tn_sum(t, tn_cast(t, passed, TINY_I32), 1 << n, 0);
}
// Without: the m first of exponential variables whose rates are the weights (Efraimidis and Spirakis, "Weighted random
// sampling with a reservoir", 2006), that is, the m greatest of weight / variable of rate 1.
static tiny_uop *tn_draw_once(tiny_ctx *t, tiny_uop *weights, int64_t m) {
  const int n = weights->ndim;
  int64_t dim[2] = {m, m}, row[2];
  if (n == 2) dim[0] = weights->dim[0];
  row[1] = weights->dim[n - 1]; row[0] = n == 2 ? weights->dim[0] : 1;
  const double least = weights->dtype == TINY_F64 ? 1e-300 : 1e-37;
  tiny_uop *u = tn_uniform_of(t, 2, row, weights->dtype);
  tiny_uop *e = tn_neg(t, tn_logarithm(t, tn_plus(t, tn_neg(t, u), 1)));
  tiny_uop *keys = tn_fdiv(t, tn_reshape(t, weights, 2, row), tn_max(t, e, tn_constant(t, weights->dtype, least)));
  if (tn_bad(t, keys)) return keys;
  tiny_uop *at = m && row[0] ? tn_argsorted(t, keys, 1, m) : tn_int(t, TINY_I32, 0);
  return m && row[0] ? tn_reshape(t, at, n, dim) : tn_expand(t, at, n, dim);
}
// Is u on a device that has no f64, or on several, one of which has none?
static int tn_is_without_f64(const tiny_ctx *t, const tiny_uop *u) {
  if (u->device == TN_SEVERAL) return t->without_f64 != 0;
  return t->without_f64 >> (u->device ? u->device - 1 : t->here) & 1;
}
TINY_API tiny_tensor *tiny_multinomial(tiny_tensor *weights, int64_t n, int replacement) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("multinomial", 1, &weights, &out)) return out;
  tiny_ctx *t = tn_ctx_of(weights);
  tiny_uop *u = tn_uop_of(weights);
  const int64_t classes = u->ndim ? u->dim[u->ndim - 1] : 0;
  if (u->ndim < 1 || u->ndim > 2 || !classes || classes > INT32_MAX / 4 || n < 0 ||
      (!replacement && n > classes))
    return tn_wrong(t, TINY_E_SHAPE, "multinomial: %lld draws%s from weights %s", (long long)n,
                    replacement ? "" : " without replacement", tn_text_of(u, a));
  if (!tn_axis_whole_for(t, "multinomial", u, u->ndim - 1, "tiny_whole with 0 gives the rest no weight")) return out;
  tiny_shape s = tiny_shape_of(weights);
  s.dim[s.ndim - 1] = n > classes ? n : classes;
  if (!tn_random_shape(t, "multinomial", TINY_F64, &s)) return out;
  if (u->dtype != TINY_F64) u = tn_cast(t, u, tn_is_without_f64(t, u) ? TINY_F32 : TINY_F64);
  return tn_tensor_new(t, tn_bad(t, u) ? u : replacement ? tn_draw_replaced(t, u, n) : tn_draw_once(t, u, n));
}

// ** weights of layers (out, in, window..) **

// What flows into an output and out of an input of the weights; 0 after an error.
static int tn_fans(tiny_ctx *t, const char *name, const tiny_shape *s, double *in, double *out) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT];
  if (!tn_random_shape(t, name, TINY_F32, s)) return 0;
  if (s->ndim < 2) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %s is no shape (out, in, ..) of weights", name,
              tn_dims_text(a, sizeof a, s->ndim, s->dim));
    return 0;
  }
  const double window = (double)tn_dims_nelem(s->ndim - 2, s->dim + 2);
  *in = (double)s->dim[1] * window; *out = (double)s->dim[0] * window;
  return 1;
}
// Of deviation sqrt(2 / (fan in + fan out)): Glorot and Bengio, "Understanding the difficulty of training deep
// feedforward neural networks", 2010, eq. 12 and 16. A uniform number of [-a, a) deviates by a / sqrt(3).
static tiny_tensor *tn_spread_weights(tiny_ctx *t, const char *name, int normal, double variance,
                                      const tiny_shape *s) {
  TN_FLOAT_MODE;
  const double deviation = variance < HUGE_VAL ? sqrt(variance) : 0, reach = sqrt(3) * deviation;
  return tn_random(t, name, normal, normal ? 0 : -reach, normal ? deviation : 2 * reach, TINY_F32, s);
}
static tiny_tensor *tn_xavier(tiny_ctx *t, const char *name, int normal, const tiny_shape *s) {
  TN_FLOAT_MODE;
  double in, out;
  if (!tn_fans(t, name, s, &in, &out)) return tn_poison(t);
  return tn_spread_weights(t, name, normal, 2 / (in + out), s);
}
TINY_API tiny_tensor *tiny_xavier_uniform(tiny_ctx *t, tiny_shape shape) {
  return tn_xavier(t, "xavier_uniform", 0, &shape);
}
TINY_API tiny_tensor *tiny_xavier_normal(tiny_ctx *t, tiny_shape shape) {
  return tn_xavier(t, "xavier_normal", 1, &shape);
}
// Of deviation sqrt(2 / ((1 + slope^2) fan in)): He et al., "Delving deep into rectifiers", arXiv:1502.01852, eq. 15.
static tiny_tensor *tn_kaiming(tiny_ctx *t, const char *name, int normal, double slope, const tiny_shape *s) {
  TN_FLOAT_MODE;
  double in, out;
  if (!tn_fans(t, name, s, &in, &out)) return tn_poison(t);
  return tn_spread_weights(t, name, normal, 2 / ((1 + slope * slope) * in), s);
}
TINY_API tiny_tensor *tiny_kaiming_uniform(tiny_ctx *t, double slope, tiny_shape shape) {
  return tn_kaiming(t, "kaiming_uniform", 0, slope, &shape);
}
TINY_API tiny_tensor *tiny_kaiming_normal(tiny_ctx *t, double slope, tiny_shape shape) {
  return tn_kaiming(t, "kaiming_normal", 1, slope, &shape);
}

// ** dropout **

// Each element is kept with probability 1-p and then divided by it.
static tiny_uop *tn_dropped(tiny_ctx *t, tiny_uop *u, double p) {
  TN_FLOAT_MODE;
  if (tn_bad(t, u)) return u;
  tiny_uop *unit = tn_uniform(t, u->ndim, u->dim), *dropped = tn_lt(t, unit, tn_k(t, unit, p));
  return tn_where(t, dropped, tn_k(t, u, 0), tn_times(t, u, p < 1 ? 1 / (1 - p) : 0));
}
TINY_API tiny_tensor *tiny_dropout(tiny_tensor *x, double p, int train) {
  tiny_tensor *out;
  if (!tn_usable("dropout", 1, &x, &out) || !tn_taken(tn_ctx_of(x), "dropout", TN_NUMBER, tn_uop_of(x)->dtype))
    return out;
  if (!(p >= 0 && p <= 1)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "dropout: p is %g, not in [0,1]", p);
  return tn_tensor_new(tn_ctx_of(x), train && p > 0 ? tn_dropped(tn_ctx_of(x), tn_uop_of(x), p) : tn_uop_of(x));
}
#endif
