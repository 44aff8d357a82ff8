// position: numbers that are known when a kernel is launched: lengths, and where something begins.
//
// In:  0-d nodes of dtype INDEX, of SCALARs that have bounds. Out: the same, as one writes them: c * n + k.
// Extents, offsets and the algebra of indices all speak of these nodes; they are never memory, as INDEX has none.
// Equal numbers are equal nodes where they are of one SCALAR.
#ifndef TN_IR_POSITION
#define TN_IR_POSITION
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

static tiny_uop *tn_position_add(tiny_ctx *t, tiny_uop *u, int64_t k) {
  if (!k || u == &t->ir->bad) return u;
  if (tn_is_const(u)) return tn_index(t, u->k + k);
  if (u->op == TINY_OP_ADD && tn_is_const(u->src[1])) return tn_position_add(t, u->src[0], u->src[1]->k + k);
  return tn_u2(t, TINY_OP_ADD, u, tn_index(t, k));
}
static tiny_uop *tn_position_scale(tiny_ctx *t, tiny_uop *u, int64_t c) {
  if (c == 1 || u == &t->ir->bad) return u;
  if (!c || tn_is_const(u)) return tn_index(t, c ? u->k * c : 0);
  if (u->op == TINY_OP_MUL && tn_is_const(u->src[1])) return tn_position_scale(t, u->src[0], u->src[1]->k * c);
  if (u->op == TINY_OP_ADD && tn_is_const(u->src[1]))
    return tn_position_add(t, tn_position_scale(t, u->src[0], c), u->src[1]->k * c);
  return tn_u2(t, TINY_OP_MUL, u, tn_index(t, c));
}
// u / c where nothing remains for any value; NULL: that is not known.
static tiny_uop *tn_position_divide(tiny_ctx *t, tiny_uop *u, int64_t c) {
  if (c == 1) return u;
  if (tn_is_const(u)) return u->k % c ? NULL : tn_index(t, u->k / c);
  if (u->op == TINY_OP_MUL && tn_is_const(u->src[1]))
    return u->src[1]->k % c ? NULL : tn_position_scale(t, u->src[0], u->src[1]->k / c);
  if (u->op != TINY_OP_ADD) return NULL;
  tiny_uop *a = tn_position_divide(t, u->src[0], c), *b = tn_position_divide(t, u->src[1], c);
  if (!a || !b) return NULL;
  return tn_is_const(b) ? tn_position_add(t, a, b->k) : tn_u2(t, TINY_OP_ADD, a, b);
}
// max(u, k) and min(u, k)
static tiny_uop *tn_position_most(tiny_ctx *t, tiny_uop *u, int64_t k) {
  if (u == &t->ir->bad || u->vmin >= k) return u;
  return u->vmax <= k ? tn_index(t, k) : tn_u2(t, TINY_OP_MAX, u, tn_index(t, k));
}
static tiny_uop *tn_position_least(tiny_ctx *t, tiny_uop *u, int64_t k) {
  return tn_position_scale(t, tn_position_most(t, tn_position_scale(t, u, -1), -k), -1);
}
#endif
