// create: tensors from numbers, and the identities that change how a tensor is stored or typed.
//
// Ranges and patterns are formulas of positions (IOTA): they take no memory and fuse into what uses them.
#ifndef TN_TENSOR_CREATE
#define TN_TENSOR_CREATE
#ifndef TINY_AMALGAMATED
#include "tensor.c"
#endif

static int tn_creatable(tiny_ctx *t, const char *name, tiny_dtype dtype, const tiny_shape *s) {
  return t && t->tensors && tn_dtype_check(t, name, dtype) && tn_shape_valid(t, name, s);
}

// Unlike a 0-d constant, a tensor of equal numbers is a node of its own: it may become a parameter.
static tiny_tensor *tn_full(tiny_ctx *t, const char *name, double value, tiny_dtype dtype, tiny_shape shape) {
  TN_FLOAT_MODE;
  int64_t one[TN_MAX_DIMS];
  if (!tn_creatable(t, name, dtype, &shape)) return tn_poison(t);
  for (int i = 0; i < TINY_MAX_DIMS; i++) one[i] = 1;
  tiny_uop *u = tn_unique(t, TINY_OP_RESHAPE, tn_constant(t, dtype, value), shape.ndim, one);
  return tn_tensor_new(t, tn_expand(t, u, shape.ndim, shape.dim));
}
TINY_API tiny_tensor *tiny_full(tiny_ctx *t, double value, tiny_dtype dtype, tiny_shape shape) {
  return tn_full(t, "full", value, dtype, shape);
}
TINY_API tiny_tensor *tiny_zeros(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape) {
  return tn_full(t, "zeros", 0, dtype, shape);
}
TINY_API tiny_tensor *tiny_ones(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape) {
  return tn_full(t, "ones", 1, dtype, shape);
}


// x, which is new and nobody else's, of which as much is meant as of like, whose dims it has.
static tiny_tensor *tn_meant_as(tiny_tensor *x, const tiny_tensor *like) {
  if (!tiny_ok(x) || !tn_uop_of(like)->extent) return x;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_firsts_of(t, tn_uop_of(x), tn_uop_of(like));
  if (tn_bad(t, u)) return tn_poison(t);
  tn_tensor_set(tn_slot(x), u);
  return x;
}
static tiny_tensor *tn_full_like(const char *name, tiny_tensor *x, double value) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  return tn_meant_as(tn_full(tn_ctx_of(x), name, value, tiny_dtype_of(x), tiny_shape_of(x)), x);
}
TINY_API tiny_tensor *tiny_full_like(tiny_tensor *x, double value) {
  return tn_full_like("full_like", x, value);
}
TINY_API tiny_tensor *tiny_zeros_like(tiny_tensor *x) { return tn_full_like("zeros_like", x, 0); }
TINY_API tiny_tensor *tiny_ones_like(tiny_tensor *x) { return tn_full_like("ones_like", x, 1); }

TINY_API tiny_tensor *tiny_like(tiny_tensor *x, double value) {
  tiny_tensor *out;
  if (!tn_usable("like", 1, &x, &out)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_k(tn_ctx_of(x), tn_uop_of(x), value));
}

// A SCALAR with an identity, so that two scalars that happen to be equal now stay two.
static tiny_uop *tn_scalar(tiny_ctx *t, int dtype, int64_t k, uintptr_t identity) {
  return tn_uop_make_with(t, TINY_OP_SCALAR, dtype, 1, 0, NULL, k, 0, NULL, (void *)identity);
}
TINY_API tiny_tensor *tiny_scalar(tiny_ctx *t, double value, tiny_dtype dtype) {
  const tiny_shape none = {0, {0}};
  if (!tn_creatable(t, "scalar", dtype, &none)) return tn_poison(t);
  return tn_tensor_new(t, tn_scalar(t, dtype, tn_dtype_value(dtype, value), ++t->tensors->identity));
}

// start + i * step in closed form. Halves and fractional steps of integers are computed wider, then cast.
TINY_API tiny_tensor *tiny_arange(tiny_ctx *t, double start, double stop, double step, tiny_dtype dtype) {
  TN_FLOAT_MODE;
  const double steps = ceil((stop - start) / step);
  tiny_shape s = {1, {0}};
  if (!t || !t->tensors) return tn_poison(t);
  if (!(step != 0) || !(steps >= 0) || !(fabs(steps) < 1e18))
    return tn_wrong(t, TINY_E_ARG, "arange: no way from %g to %g in steps of %g", start, stop, step);
  s.dim[0] = (int64_t)steps;
  if (!tn_creatable(t, "arange", dtype, &s)) return tn_poison(t);
  const int whole = start == floor(start) && step == floor(step);
  const int wide = tn_is_float(dtype) ? (dtype == TINY_F64 ? TINY_F64 : TINY_F32) :
      whole && dtype != TINY_BOOL     ? (int)dtype :
                                        (int)TINY_F64;
  tiny_uop *u = tn_plus(t, tn_times(t, tn_iota(t, wide, s.dim[0], 0, 1), step), start);
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}

// n numbers from start to stop, counted from whichever end is nearer: the last one is stop, not a sum of roundings.
static tiny_uop *tn_ramp(tiny_ctx *t, int dtype, double start, double stop, int64_t n) {
  TN_FLOAT_MODE;
  const double step = n > 1 ? (stop - start) / (double)(n - 1) : 0;
  tiny_uop *i = tn_iota(t, dtype, n, 0, 1), *rest = tn_plus(t, tn_neg(t, i), (double)(n - 1));
  tiny_uop *up = tn_plus(t, tn_times(t, i, step), start), *down = tn_plus(t, tn_times(t, rest, -step), stop);
  return n < 2 ? up : tn_where(t, tn_lt(t, tn_iota(t, TINY_INDEX, n, 0, 1), tn_index(t, n / 2)), up, down);
}
// A ramp and what it is the exponent of, if base is given, in a dtype wide enough, then cast.
static tiny_tensor *tn_spaced(tiny_ctx *t, const char *name, double start, double stop, int64_t n,
                              const double *base, tiny_dtype dtype) {
  const tiny_shape s = {1, {n}};
  if (!tn_creatable(t, name, dtype, &s)) return tn_poison(t);
  const int wide = base || !tn_is_float(dtype) || dtype == TINY_F64 ? (int)TINY_F64 : (int)TINY_F32;
  tiny_uop *u = tn_ramp(t, wide, start, stop, n);
  if (base) u = tn_binary(t, TINY_OP_POW, tn_constant(t, wide, *base), u);
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}
TINY_API tiny_tensor *tiny_linspace(tiny_ctx *t, double start, double stop, int64_t n, tiny_dtype dtype) {
  return tn_spaced(t, "linspace", start, stop, n, NULL, dtype);
}
TINY_API tiny_tensor *tiny_logspace(tiny_ctx *t, double start, double stop, int64_t n, double base,
                                    tiny_dtype dtype) {
  return tn_spaced(t, "logspace", start, stop, n, &base, dtype);
}

// ** patterns of rows and columns, the last two of ndim axes **

enum { TN_ON, TN_BELOW, TN_ABOVE };        // the diagonal; below and above include it
static tiny_uop *tn_diagonal_mask(tiny_ctx *t, int side, int64_t n, int64_t m, int ndim, int64_t diagonal) {
  diagonal = diagonal < -n ? -n : diagonal > m ? m : diagonal;
  tiny_uop *row = tn_plus(t, tn_iota(t, TINY_INDEX, n, ndim - 2, ndim), (double)diagonal),
           *column = tn_iota(t, TINY_INDEX, m, ndim - 1, ndim);
  return side == TN_ON ? tn_eq(t, column, row) :
      side == TN_BELOW ? tn_not(t, tn_lt(t, row, column)) :
                         tn_not(t, tn_lt(t, column, row));
}
static tiny_tensor *tn_pattern(tiny_ctx *t, const char *name, int side, int64_t n, int64_t m,
                               int64_t diagonal, tiny_dtype dtype) {
  const tiny_shape s = {2, {n, m}};
  if (!tn_creatable(t, name, dtype, &s)) return tn_poison(t);
  tiny_uop *u = tn_diagonal_mask(t, side, n, m, 2, diagonal);
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}
TINY_API tiny_tensor *tiny_eye(tiny_ctx *t, int64_t n, tiny_dtype dtype) {
  return tn_pattern(t, "eye", TN_ON, n, n, 0, dtype);
}
TINY_API tiny_tensor *tiny_eye_nm(tiny_ctx *t, int64_t n, int64_t m, int64_t diagonal, tiny_dtype dtype) {
  return tn_pattern(t, "eye_nm", TN_ON, n, m, diagonal, dtype);
}
TINY_API tiny_tensor *tiny_tri(tiny_ctx *t, int64_t n, int64_t m, int64_t diagonal, tiny_dtype dtype) {
  return tn_pattern(t, "tri", TN_BELOW, n, m, diagonal, dtype);
}
static tiny_tensor *tn_keep_triangle(const char *name, int side, tiny_tensor *x, int64_t diagonal) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  tiny_uop *u = tn_uop_of(x);
  const int n = u->ndim;
  if (n < 2) return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s has no rows and columns", name, tn_text_of(u, a));
  tiny_uop *in = tn_diagonal_mask(tn_ctx_of(x), side, u->dim[n - 2], u->dim[n - 1], n, diagonal);
  return tn_tensor_new(tn_ctx_of(x), tn_where(tn_ctx_of(x), in, u, tn_k(tn_ctx_of(x), u, 0)));
}
TINY_API tiny_tensor *tiny_tril(tiny_tensor *x, int64_t diagonal) {
  return tn_keep_triangle("tril", TN_BELOW, x, diagonal);
}
TINY_API tiny_tensor *tiny_triu(tiny_tensor *x, int64_t diagonal) {
  return tn_keep_triangle("triu", TN_ABOVE, x, diagonal);
}

// ** identities: dtype, bits, storage **

TINY_API tiny_tensor *tiny_cast(tiny_tensor *x, tiny_dtype dtype) {
  tiny_tensor *out;
  if (!tn_usable("cast", 1, &x, &out) || !tn_dtype_check(tn_ctx_of(x), "cast", dtype)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_cast(tn_ctx_of(x), tn_uop_of(x), dtype));
}

// The unsigned integers of a size.
static int tn_bits_dtype(int bits) {
  return bits == 8 ? TINY_U8 : bits == 16 ? TINY_U16 : bits == 32 ? TINY_U32 : TINY_U64;
}
static tiny_uop *tn_read_as(tiny_ctx *t, tiny_uop *u, int dtype) {
  return tn_bad(t, u) || u->dtype == dtype ? u :
                                             tn_uop_make(t, TINY_OP_BITCAST, dtype, 1, 1, &u, 0, 0, NULL);
}
// Elements of other sizes, the lowest bits first as in memory: (.., n) of wide ones are (.., n*k) narrow ones.
static tiny_uop *tn_bitcast_sizes(tiny_ctx *t, tiny_uop *u, int dtype) {
  const int from = tn_bits(u->dtype), to = tn_bits(dtype), n = u->ndim, narrower = to < from;
  const int wide = tn_bits_dtype(narrower ? from : to), parts = narrower ? from / to : to / from;
  int64_t dim[TN_MAX_DIMS], split[TN_MAX_DIMS] = {0};
  for (int i = 0; i < n; i++) split[i] = dim[i] = u->dim[i];
  dim[n - 1] = narrower ? u->dim[n - 1] * parts : u->dim[n - 1] / parts;
  split[n - 1] = narrower ? u->dim[n - 1] : dim[n - 1];
  split[n] = narrower ? 1 : parts;
  tiny_uop *at = tn_times(t, tn_iota(t, wide, parts, n, n + 1), narrower ? to : from);
  u = tn_reshape(t, tn_read_as(t, u, tn_bits_dtype(from)), n + 1, split);
  if (tn_bad(t, u)) return u;
  if (narrower) u = tn_shr(t, u, at);
  else u = tn_sum(t, tn_shl(t, tn_cast(t, u, wide), at), 1 << n, 0);
  u = tn_bad(t, u) ? u : tn_reshape(t, tn_cast(t, u, tn_bits_dtype(to)), n, dim);
  return tn_read_as(t, u, dtype);
}
TINY_API tiny_tensor *tiny_bitcast(tiny_tensor *x, tiny_dtype dtype) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("bitcast", 1, &x, &out) || !tn_dtype_check(tn_ctx_of(x), "bitcast", dtype)) return out;
  tiny_uop *u = tn_uop_of(x);
  if (u->dtype == dtype) return tn_tensor_new(tn_ctx_of(x), u);
  if (u->dtype == TINY_BOOL || dtype == TINY_BOOL)
    return tn_wrong(tn_ctx_of(x), TINY_E_DTYPE, "bitcast: %s cannot be read as %s",
                    tiny_dtype_name((tiny_dtype)u->dtype), tiny_dtype_name(dtype));
  const int from = tn_bits(u->dtype), to = tn_bits(dtype), n = u->ndim;
  if (from == to) return tn_tensor_new(tn_ctx_of(x), tn_read_as(tn_ctx_of(x), u, dtype));
  if (n && !tn_axis_whole_for(tn_ctx_of(x), "bitcast", u, n - 1, "its elements stay of one size")) return out;
  if (!n || n == TINY_MAX_DIMS || (to > from && u->dim[n - 1] % (to / from)))
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "bitcast: the last dim of %s %s does not make whole %s",
                    tiny_dtype_name((tiny_dtype)u->dtype), tn_text_of(u, a), tiny_dtype_name(dtype));
  return tn_tensor_new(tn_ctx_of(x), tn_bitcast_sizes(tn_ctx_of(x), u, dtype));
}

// A copy that is memory of its own: assignments to it and to x do not meet.
TINY_API tiny_tensor *tiny_clone(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("clone", 1, &x, &out)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_memory_of(tn_ctx_of(x), tn_uop_of(x), 1));
}

TINY_API tiny_tensor *tiny_contiguous(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("contiguous", 1, &x, &out)) return out;
  if (tn_uop_of(x)->op == TINY_OP_CONTIGUOUS || tn_uop_of(x)->op == TINY_OP_BUFFER)
    return tn_tensor_new(tn_ctx_of(x), tn_uop_of(x));
  return tn_tensor_new(tn_ctx_of(x), tn_u1(tn_ctx_of(x), TINY_OP_CONTIGUOUS, tn_uop_of(x)));
}

TINY_API tiny_tensor *tiny_detach(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("detach", 1, &x, &out)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_u1(tn_ctx_of(x), TINY_OP_DETACH, tn_uop_of(x)));
}

TINY_API tiny_tensor *tiny_to(tiny_tensor *x, int device) {
  tiny_tensor *out;
  if (!tn_usable("to", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (device < 0 || device >= t->ndevice)
    return tn_wrong(t, TINY_E_ARG, "to: there is no device %d, but %d, counted from 0", device, t->ndevice);
  return tn_value_new(t, tn_copy_to(t, tn_uop_of(x), device + 1), 1, &x);
}
TINY_API int tiny_device_of(const tiny_tensor *x) {
  if (!tiny_ok(x)) return -1;
  return tn_uop_of(x)->device == TN_SEVERAL ? TINY_SEVERAL : tn_uop_of(x)->device - 1;
}
#endif
