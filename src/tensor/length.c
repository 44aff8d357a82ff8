// length: numbers that change from run to run, within bounds that are known: how much of a dim is meant, and where a
// part of it begins. One plan and one kernel serve all of their values.
//
// In:  tiny_length scalars, and 0-d integers that are arithmetic of them. Out: positions (ir/position.c) in nodes:
//      SLICE takes what begins at one, PREFIX says that the first n of a dim are meant.
// Holds: for no value within the bounds is anything touched that is not there; that is checked here, at the call.
#ifndef TN_TENSOR_LENGTH
#define TN_TENSOR_LENGTH
#ifndef TINY_AMALGAMATED
#include "movement.c"
#include "../rules/symbolic.c"
#include "../rules/notation_end.c"
#endif

enum { TN_POSITION_NODES = 64 };           // of the arithmetic that makes one

TINY_API tiny_tensor *tiny_length(tiny_ctx *t, int64_t value, int64_t least, int64_t most) {
  const int64_t v[2] = {least, most}, limit = (int64_t)1 << 56;
  if (!t || !t->tensors) return tn_poison(t);
  if (least > most || least < -limit || most > limit)
    return tn_wrong(t, TINY_E_ARG, "length: bounds %lld to %lld", (long long)least, (long long)most);
  if (value < least || value > most)
    return tn_wrong(t, TINY_E_ARG, "length: %lld is not within its bounds, %lld to %lld", (long long)value,
                    (long long)least, (long long)most);
  return tn_tensor_new(t, tn_uop_make_with(t, TINY_OP_SCALAR, TINY_I64, 1, 0, NULL, value, 2, v,
                                           (void *)++t->tensors->identity));
}

// u's number, unless it could wrap where u, of an integer dtype, is computed.
static tiny_uop *tn_position_exact(tiny_uop *number, const tiny_uop *u) {
  return number->vmin > tn_dtype_min(u->dtype) && number->vmax < tn_dtype_max(u->dtype) ? number : NULL;
}
// u, a 0-d integer, over positions; NULL: it is not made of scalars that have bounds. *nodes: how many are left.
static tiny_uop *tn_position_from(tiny_ctx *t, tiny_uop *u, int *nodes) {
  tiny_uop *src[2];
  if (u->op == TINY_OP_CONST) return tn_index(t, u->k);
  if (u->op == TINY_OP_SCALAR) return u->nv ? tn_cast(t, u, TINY_INDEX) : NULL;
  if (u->ndim || --*nodes < 0 || !tn_is_int(u->dtype) || u->dtype == TINY_U64) return NULL;
  const int passes = u->op == TINY_OP_CAST || u->op == TINY_OP_RESHAPE || u->op == TINY_OP_DETACH;
  const int adds = u->op == TINY_OP_ADD || u->op == TINY_OP_MUL || u->op == TINY_OP_MAX;
  const int divides = (u->op == TINY_OP_IDIV || u->op == TINY_OP_MOD) && tn_is_const(u->src[1]) && u->src[1]->k > 0;
  const int inverts = u->op == TINY_OP_XOR && tn_is_k(u->src[1], -1) && u->dtype != TINY_BOOL;
  if (!passes && !adds && !divides && !inverts) return NULL;
  for (uint32_t i = 0; i < (passes || inverts ? 1u : 2u); i++)
    if (!(src[i] = tn_position_from(t, u->src[i], nodes))) return NULL;
  if (passes) return tn_position_exact(src[0], u);
  return tn_position_exact(inverts ? tn_position_add(t, tn_position_scale(t, src[0], -1), -1) : tn_u2(t, u->op, src[0], src[1]), u);
}
// The number n, argument `at` of an operator, as a position within low..high; the failed node after an error.
static tiny_uop *tn_position_within(const char *name, const char *what, tiny_tensor *n, int64_t low, int64_t high) {
  tiny_ctx *t = tn_ctx_of(n);
  int nodes = TN_POSITION_NODES;
  tiny_uop *u = tn_position_from(t, tn_uop_of(n), &nodes);
  if (!u) {
    tiny_fail(t, TINY_E_ARG, "%s: %s is not made of tiny_length by adding, multiplying, dividing, min and max", name,
              what);
    return &t->ir->bad;
  }
  u = tn_bad(t, u) ? u : tiny_uop_simplify(t, u);
  if (tn_bad(t, u) || (u->vmin >= low && u->vmax <= high)) return u;
  tiny_fail(t, TINY_E_SHAPE, "%s: %s may be %lld to %lld, of which only %lld to %lld fit", name, what,
            (long long)u->vmin, (long long)u->vmax, (long long)low, (long long)high);
  return &t->ir->bad;
}

TINY_API tiny_tensor *tiny_slice_at(tiny_tensor *x, int axis, tiny_tensor *begin, int64_t count) {
  tiny_tensor *out, *in[2] = {x, begin};
  char text[TN_DIMS_TEXT];
  if (!tn_usable("slice_at", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!u->ndim) return tn_wrong(t, TINY_E_SHAPE, "slice_at: a 0-d tensor has no axis %d", axis);
  if ((axis = tn_axis(t, "slice_at", u, axis)) < 0) return out;
  if (count < 0 || count > u->dim[axis])
    return tn_wrong(t, TINY_E_SHAPE, "slice_at: %lld elements of axis %d of %s", (long long)count, axis,
                    tn_text_of(u, text));
  tiny_uop *at = tn_position_within("slice_at", "begin", begin, 0, u->dim[axis] - count);
  return tn_tensor_new(t, tn_slice(t, u, axis, at, count));
}
#endif
