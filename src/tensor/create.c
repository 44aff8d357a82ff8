// create: tensors from numbers, and the identities that change how a tensor is stored or typed.
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
  int64_t one[TINY_MAX_DIMS];
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

TINY_API tiny_tensor *tiny_like(tiny_tensor *x, double value) {
  tiny_tensor *out;
  if (!tn_usable("like", 1, &x, &out)) return out;
  return tn_tensor_new(x->t, tn_k(x->t, x->uop, value));
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

TINY_API tiny_tensor *tiny_eye(tiny_ctx *t, int64_t n, tiny_dtype dtype) {
  tiny_shape s = {2, {n, n}};
  if (!tn_creatable(t, "eye", dtype, &s)) return tn_poison(t);
  tiny_uop *u = tn_eq(t, tn_iota(t, TINY_INDEX, n, 0, 2), tn_iota(t, TINY_INDEX, n, 1, 2));
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}

TINY_API tiny_tensor *tiny_cast(tiny_tensor *x, tiny_dtype dtype) {
  tiny_tensor *out;
  if (!tn_usable("cast", 1, &x, &out) || !tn_dtype_check(x->t, "cast", dtype)) return out;
  return tn_tensor_new(x->t, tn_cast(x->t, x->uop, dtype));
}

TINY_API tiny_tensor *tiny_bitcast(tiny_tensor *x, tiny_dtype dtype) {
  tiny_tensor *out;
  if (!tn_usable("bitcast", 1, &x, &out) || !tn_dtype_check(x->t, "bitcast", dtype)) return out;
  tiny_uop *u = x->uop;
  if (u->dtype == dtype) return tn_tensor_new(x->t, u);
  if (tn_bits(u->dtype) != tn_bits(dtype) || dtype == TINY_BOOL)
    return tn_wrong(x->t, TINY_E_DTYPE, "bitcast: %s cannot be read as %s",
                    tiny_dtype_name((tiny_dtype)u->dtype), tiny_dtype_name(dtype));
  return tn_tensor_new(x->t, tn_uop_make(x->t, TINY_OP_BITCAST, dtype, 1, 1, &u, 0, 0, NULL));
}

TINY_API tiny_tensor *tiny_contiguous(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("contiguous", 1, &x, &out)) return out;
  if (x->uop->op == TINY_OP_CONTIGUOUS || x->uop->op == TINY_OP_BUFFER) return tn_tensor_new(x->t, x->uop);
  return tn_tensor_new(x->t, tn_u1(x->t, TINY_OP_CONTIGUOUS, x->uop));
}

TINY_API tiny_tensor *tiny_detach(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("detach", 1, &x, &out)) return out;
  return tn_tensor_new(x->t, tn_u1(x->t, TINY_OP_DETACH, x->uop));
}
#endif
