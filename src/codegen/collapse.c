// collapse: adjacent loops become one wherever that costs no division.
//
// In:  a kernel as the scheduler wrote it. Out: the same with fewer, longer loops.
#ifndef TN_CODEGEN_COLLAPSE
#define TN_CODEGEN_COLLAPSE
#ifndef TINY_AMALGAMATED
#include "profile.c"
#endif

static int tn_count_divmod(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  int n = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) n += all.u[i]->op == TINY_OP_IDIV || all.u[i]->op == TINY_OP_MOD;
  return n;
}

// What MASKED u says of a, where that is the outer one of two ranges, nb the extent of the inner one, that become
// `both`: a >= k is both >= nb k, a < k is both < nb k. NULL: it says no such thing.
static tiny_uop *tn_collapse_masked(tiny_ctx *t, tiny_uop *u, const tiny_uop *a, const tiny_uop *b, tiny_uop *both,
                                    int64_t nb) {
  tn_affine x;
  tn_list args = {NULL, 0, 0};
  int64_t c = 0;
  tn_affine_start(&x, TINY_INDEX);
  tn_collect_op(t, u, TINY_OP_ARG, &args);
  if (!args.n) return NULL;                // a mask of positions stays where it is
  if (u->op != TINY_OP_MASKED || u->k || !tn_affine_add(&x, u->src[0], 1, 0) || !tn_affine_small(&x)) return NULL;
  for (int i = 0; i < x.n; i++) {
    if (tn_depends(t, x.term[i].x, b) || (x.term[i].x != a && tn_depends(t, x.term[i].x, a))) return NULL;
    if (x.term[i].x == a) { c = x.term[i].c; tn_affine_drop(&x, i--); }
  }
  if (c != 1 && c != -1) return NULL;
  tiny_uop *now = tn_u2(t, TINY_OP_MUL, tn_affine_node(t, &x, TINY_INDEX), tn_index(t, nb));
  now = tn_u2(t, TINY_OP_ADD, now, c > 0 ? tn_u2(t, TINY_OP_ADD, both, tn_index(t, 1 - nb)) :
                                           tn_u2(t, TINY_OP_MUL, both, tn_index(t, -1)));
  tn_list src = {NULL, 0, 0};
  tn_push(t, &src, tn_simplify(t, now));
  for (uint32_t i = 1; i < u->nsrc; i++) tn_push(t, &src, u->src[i] == a ? both : u->src[i]);
  return tn_like(t, u, 1, src.n, src.u);
}

// The kernel with one range for the neighbours a (outer) and b; NULL: that would cost a division.
static tiny_uop *tn_collapse_pair(tiny_ctx *t, tiny_uop *sink, tiny_uop *a, tiny_uop *b, int divmods) {
  const int64_t nb = tn_range_extent(b);
  tiny_uop *both = tn_range(t, tn_range_extent(a) * nb, tn_range_kind(a));
  for (uint32_t i = 1; i < sink->nsrc; i++) {
    tiny_uop *masked = sink->src[i], *now = tn_collapse_masked(t, masked, a, b, both, nb);
    if (now) sink = tn_replace(t, sink, 1, &masked, &now);
  }
  sink = tn_fused(t, sink, a, b, both);
  return tn_count_divmod(t, sink) > divmods ? NULL : sink;
}

// Fewer, longer loops.
static tiny_uop *tn_collapse_loops(tiny_ctx *t, tiny_uop *sink) {
  tn_profile p;
  for (tiny_uop *next = sink; next;) {
    const int divmods = tn_count_divmod(t, sink);
    tn_profile_kernel(t, sink, &p);
    next = NULL;
    for (int i = 0; p.usable && i + 1 < p.nout && !next; i++) {
      int same = 1;                        // not across the scope's border
      for (int j = 0; j < p.nreduce; j++)
        same &= tn_depends(t, p.reduce[j], p.out[i]) == tn_depends(t, p.reduce[j], p.out[i + 1]);
      if (same) next = tn_collapse_pair(t, sink, p.out[i], p.out[i + 1], divmods);
    }
    for (int j = 0; p.usable && j < p.nreduce && !next; j++)
      for (uint32_t i = 1; i + 1 < p.reduce[j]->nsrc && !next; i++)
        next = tn_collapse_pair(t, sink, p.reduce[j]->src[i], p.reduce[j]->src[i + 1], divmods);
    if (next) sink = next;
  }
  return sink;
}
#endif
