// fuse: which products of floats are fused with the sum that uses them, for all that write or interpret the list.
//
// In:       the SINK of a lowered kernel, for a target that has FMA. Out: the same, ADD and SUB of a product as FMA.
// Requires: a target that has NEG, too. Sources of elementwise nodes are as wide as these.
// Holds:    a product that one ADD or SUB alone uses is rounded with that, once, and is no node any more; of two such
//           products the first is. A difference negates a factor, or what is taken from the product: numbers change
//           their sign, and a NEG that one FMA alone uses is part of its instruction wherever there is one (VFNMADD,
//           VFMSUB: Intel SDM vol. 2; FMLS: Arm Architecture Reference Manual).
// So bits do not depend on who compiles: no renderer's compiler may fuse anything else.
#ifndef TN_CODEGEN_FUSE
#define TN_CODEGEN_FUSE
#ifndef TINY_AMALGAMATED
#include "replace.c"
#endif

static tiny_uop *tn_fuse_negated(tiny_ctx *t, tiny_uop *x) {
  const tiny_uop *lane = x->op == TINY_OP_BROADCAST ? x->src[0] : x;
  if (x->op == TINY_OP_NEG) return x->src[0];
  if (!tn_is_const(lane)) return tn_u1(t, TINY_OP_NEG, x);
  tiny_uop *number = tn_number(t, x->dtype, -tn_to_f64(lane->k));
  return lane == x ? number : tn_uop_make(t, TINY_OP_BROADCAST, x->dtype, x->lanes, 1, &number, 0, 0, NULL);
}

// u, an ADD or SUB, whose source `at` is the product.
static tiny_uop *tn_fuse_with(tiny_ctx *t, const tiny_uop *u, int at) {
  tiny_uop *x = u->src[at]->src[0], *y = u->src[at]->src[1], *z = u->src[!at];
  if (u->op == TINY_OP_SUB && at == 0) z = tn_fuse_negated(t, z);
  else if (u->op == TINY_OP_SUB && tn_is_constants(y)) y = tn_fuse_negated(t, y);
  else if (u->op == TINY_OP_SUB) x = tn_fuse_negated(t, x);
  if (tn_is_constants(x)) { tiny_uop *const number = x; x = y; y = number; }     // instructions take the second so
  tiny_uop *src[3] = {x, y, z};
  return tn_uop_make(t, TINY_OP_FMA, u->dtype, u->lanes, 3, src, 0, 0, NULL);
}

static int tn_fuse_may(const tiny_uop *u) {
  return (u->op == TINY_OP_ADD || u->op == TINY_OP_SUB) && (u->dtype == TINY_F32 || u->dtype == TINY_F64);
}

static tiny_uop *tn_fuse_products(tiny_ctx *t, tiny_uop *sink) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  int *uses = (int *)tn_scratch(t, (size_t)all.n * sizeof *uses);
  for (int i = 0; i < all.n; i++) {
    all.u[i]->seq = (uint32_t)i;
    for (uint32_t j = 0; j < all.u[i]->nsrc; j++) uses[all.u[i]->src[j]->seq]++;
  }
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *few[8], **src = few;
    int changed = 0, product = -1;
    if (u->nsrc > 8) src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      src[j] = all.u[u->src[j]->seq];
      changed |= src[j] != u->src[j];
      if (product < 0 && tn_fuse_may(u) && u->src[j]->op == TINY_OP_MUL && uses[u->src[j]->seq] == 1) product = (int)j;
    }
    tiny_uop *now = changed ? tn_uop_with(t, u, src) : u;
    // operands of a sum may have changed places
    if (product >= 0 && now->src[product] != src[product]) product = !product;
    all.u[i] = product >= 0 ? tn_fuse_with(t, now, product) : now;
  }
  sink = all.u[all.n - 1];
  tn_scratch_rewind(t, mark);
  return sink;
}
#endif
