// rounded: exponentials whose errors vanish when what is made of them is rounded to a narrow float.
//
// In:    a kernel as the scheduler wrote it. Out: the same, each EXP2 with TN_EXP_ROUNDED in its k, or none of them.
// Holds: what is marked may be off as TN_EXP_ULPS says: the narrow float that comes of it, f16, bf16 or fp8, is
//        as far from the true one as before, but for 1/32 of an ulp. Its neighbours on the way are those that hand a
//        relative error on: products, quotients, roots, choices, maxima, comparisons with 0; additions of what is not
//        negative; sums, whose error is of the sum of the absolute values, as that of any order of adding is (Higham,
//        Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2).
//
// The softmax, attention, sigmoid and SiLU of halves are of this kind. All or none, as a row's reductions share them.
#ifndef TN_CODEGEN_ROUNDED
#define TN_CODEGEN_ROUNDED
#ifndef TINY_AMALGAMATED
#include "replace.c"
#endif

enum { TN_ROUNDED = 1, TN_NOT_NEGATIVE = 2 };

static int tn_is_not_negative(const tiny_uop *u, const uint8_t *is) {
  int all = TN_NOT_NEGATIVE;
  switch (u->op) {
    case TINY_OP_EXP2: case TINY_OP_SQRT: return all;
    case TINY_OP_CONST: return tn_is_float(u->dtype) && tn_to_f64(u->k) >= 0 ? all : 0;
    case TINY_OP_CAST: case TINY_OP_REDUCE: return tn_is_float(u->src[0]->dtype) ? is[u->src[0]->seq] & all : 0;
    case TINY_OP_MUL: if (u->src[0] == u->src[1]) return all;
      break;
    case TINY_OP_WHERE: return is[u->src[1]->seq] & is[u->src[2]->seq] & all;
    case TINY_OP_ADD: case TINY_OP_FDIV: case TINY_OP_MAX: case TINY_OP_BROADCAST: break;
    default: return 0;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) all &= is[u->src[i]->seq];
  return all;
}

// May source j of u be off by a little of itself, where u may or may not?
static int tn_hands_rounding_on(const tiny_uop *u, uint32_t j, const uint8_t *is) {
  const int may = is[u->seq] & TN_ROUNDED;
  switch (u->op) {
    case TINY_OP_CAST: return tn_is_narrow(u->dtype) || (tn_is_float(u->dtype) && may);
    case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_SQRT: case TINY_OP_NEG: case TINY_OP_MAX: return may;
    case TINY_OP_WHERE: return j > 0 && may;
    case TINY_OP_ADD: return may && is[u->src[0]->seq] & is[u->src[1]->seq] & TN_NOT_NEGATIVE;
    case TINY_OP_NE: case TINY_OP_EQ: case TINY_OP_LT:       // its sign stays
      return tn_is_const(u->src[1 - j]) && tn_to_f64(u->src[1 - j]->k) == 0;
    case TINY_OP_REDUCE: return j > 0 || (may && (u->k == TINY_OP_ADD || u->k == TINY_OP_MAX));
    default: return 0;
  }
}

// Which nodes may be off, and which are not negative.
static uint8_t *tn_rounded_nodes(tiny_ctx *t, const tn_list *all) {
  uint8_t *is = (uint8_t *)tn_scratch(t, (size_t)all->n);
  for (int i = 0; i < all->n; i++) {
    all->u[i]->seq = (uint32_t)i;
    is[i] = (uint8_t)(TN_ROUNDED | tn_is_not_negative(all->u[i], is));
  }
  for (int i = all->n - 1; i >= 0; i--)    // users first
    for (uint32_t j = 0; j < all->u[i]->nsrc; j++)
      if (!tn_hands_rounding_on(all->u[i], j, is)) is[all->u[i]->src[j]->seq] &= (uint8_t)~TN_ROUNDED;
  return is;
}
static tiny_uop *tn_as_rounded(tiny_ctx *t, tiny_uop *u) {
  if (u->k & TN_EXP_ROUNDED) return NULL;
  return tn_uop_make(t, TINY_OP_EXP2, u->dtype, u->lanes, 1, u->src, u->k | TN_EXP_ROUNDED, 0, NULL);
}
static tiny_uop *tn_mark_rounded(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  int found = 0;
  tn_toposort(t, sink, &all);
  const uint8_t *is = tn_rounded_nodes(t, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op != TINY_OP_EXP2) continue;
    if (!tn_is_narrow(u->dtype) && (u->dtype != TINY_F32 || !(is[i] & TN_ROUNDED))) return sink;
    found = 1;
  }
  return found ? tn_remake(t, sink, TINY_OP_EXP2, tn_as_rounded) : sink;
}
#endif
