// profile: what is looked at in a kernel before it is scheduled: its loops, reductions, accesses, strides.
//
// In:    a kernel, scheduled or not. Out: a tn_profile of it, in scratch memory; nothing changes.
// Holds: no kernel is too large to be looked at; usable is 0 only where a kernel is not one STORE in loops.
#ifndef TN_CODEGEN_PROFILE
#define TN_CODEGEN_PROFILE
#ifndef TINY_AMALGAMATED
#include "linearize.c"
#include "../shape/contraction.c"
#endif

typedef struct tn_profile {
  tiny_uop *end, *store;                   // store: the INDEX that is written
  tiny_uop **out; int nout;                // ranges of the output in loop order
  tiny_uop **red; int nred;                // ranges of kind REDUCE
  tiny_uop **reduce; int nreduce;          // REDUCEs, but those that run along a loop of the kernel
  tiny_uop *carried;                       // the range along which REDUCEs run: not in out
  tiny_uop **load; int nload;              // INDEX nodes that are read
  int nalu, row;                           // row: some output ranges loop inside of the scope of the REDUCEs
  int adds;                                // the store adds to what is there: each element as often as it is stored
  int usable, repeats, filled;             // repeats: it reads nothing that it writes, elements may be stored twice
} tn_profile;                              // filled: its output is filled in loops of their own first

// Has the REDUCE K blocks: loops outside of what is staged?
static int tn_has_kblocks(const tiny_uop *reduce) {
  for (uint32_t i = 1; i < reduce->nsrc; i++) if (tn_range_kind(reduce->src[i]) == TN_LOOP) return 1;
  return 0;
}

// Does the kernel say itself in which order it accesses memory, or how often it loops? Then no opt is applied.
static int tn_is_ordered(tiny_ctx *t, tiny_uop *sink) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  int ordered = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n && !ordered; i++) {
    const tiny_uop *u = all.u[i];
    ordered = u->op == TINY_OP_AFTER || (u->op == TINY_OP_RANGE && (u->nsrc > 1 || !tn_is_const(u->src[0])));
  }
  tn_scratch_rewind(t, mark);
  return ordered;
}

static void tn_profile_lists(tiny_ctx *t, const tn_list *all, tn_profile *p) {
  tn_list out = {NULL, 0, 0}, red = {NULL, 0, 0}, reduce = {NULL, 0, 0}, load = {NULL, 0, 0};
  for (uint32_t i = 1; p->end->op == TINY_OP_END && i < p->end->nsrc; i++)
    if (p->end->src[i] != p->carried) tn_push(t, &out, p->end->src[i]);
  for (int i = 0; i < all->n; i++) {
    tiny_uop *u = all->u[i];
    p->nalu += tn_op_is(u->op, TINY_ALU) && u->dtype != TINY_INDEX;
    p->filled |= u->op == TINY_OP_AFTER && u->src[1]->op == TINY_OP_END;
    if (u->op == TINY_OP_LOAD) {
      tn_push(t, &load, u->src[0]);
      p->repeats &= u->src[0]->src[0] != p->store->src[0];
    } else if (u->op == TINY_OP_REDUCE && !tn_is_carried(u)) {
      tn_push(t, &reduce, u);
      for (int j = 0; j < out.n; j++) p->row |= !tn_depends(t, u, out.u[j]);
    } else if (u->op == TINY_OP_RANGE && tn_range_kind(u) == TN_REDUCE) tn_push(t, &red, u);
  }
  tn_list *const list[4] = {&out, &red, &reduce, &load};
  for (int i = 0; i < 4; i++) { tn_push(t, list[i], NULL); list[i]->n--; }   // NULL ends each
  p->out = out.u; p->nout = out.n;
  p->red = red.u; p->nred = red.n;
  p->reduce = reduce.u; p->nreduce = reduce.n;
  p->load = load.u; p->nload = load.n;
}

// all: the nodes of sink, sources first.
static void tn_profile_nodes(tiny_ctx *t, tiny_uop *sink, const tn_list *all, tn_profile *p) {
  memset(p, 0, sizeof *p);
  p->end = sink->src[0];
  for (uint32_t i = 1; i < sink->nsrc; i++) if (sink->src[i]->op != TINY_OP_MASKED) return;
  if (p->end->op != TINY_OP_END && p->end->op != TINY_OP_STORE) return;
  p->store = (p->end->op == TINY_OP_END ? p->end->src[0] : p->end)->src[0];
  p->adds = (p->end->op == TINY_OP_END ? p->end->src[0] : p->end)->k == TN_ADDS;
  p->usable = 1; p->repeats = !p->adds;
  for (int i = 0; i < all->n; i++) if (tn_is_carried(all->u[i])) p->carried = all->u[i]->src[1];
  tn_profile_lists(t, all, p);
}
static void tn_profile_kernel(tiny_ctx *t, tiny_uop *sink, tn_profile *p) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  tn_profile_nodes(t, sink, &all, p);
}

// The REDUCE of a kernel as a contraction. Axes: out[0..nout-1], then red[0..nred-1]. Operands are what a
// product or DOT is of, else the two loads that another function is of, such as a distance. 0: it is none.
static int tn_contraction_of_kernel(tiny_ctx *t, const tn_profile *p, tn_contraction *c) {
  tn_list loads = {NULL, 0, 0};
  memset(c, 0, sizeof *c);
  if (p->nreduce != 1 || p->nred < 1 || p->nout + p->nred > 63) return 0;
  c->sum = p->reduce[0];
  c->product = c->sum->src[0];
  c->k = (((uint64_t)1 << p->nred) - 1) << p->nout;
  if (c->product->op == TINY_OP_WHERE) { c->inside = c->product->src[0]; c->product = c->product->src[1]; }
  tiny_uop **operand = c->product->src;
  if ((c->product->op != TINY_OP_MUL && c->product->op != TINY_OP_DOT) || operand[0] == operand[1]) {
    tn_collect_op(t, c->sum->src[0], TINY_OP_LOAD, &loads);
    if (loads.n != 2) return 0;
    operand = loads.u;
  }
  for (int i = 0; i < 2; i++) c->operand[i] = operand[i];
  for (int d = 0; d < p->nout; d++) {
    const int with[2] = {tn_depends(t, operand[0], p->out[d]), tn_depends(t, operand[1], p->out[d])};
    for (int i = 0; i < 2; i++) if (with[i] && !with[!i]) c->own[i] |= (uint64_t)1 << d;
    if (with[0] && with[1]) c->batch |= (uint64_t)1 << d;
  }
  return 1;
}

// The bit of a range of the output among a contraction's axes; 0: it is none.
static uint64_t tn_out_bit(const tn_profile *p, const tiny_uop *r) {
  for (int d = 0; d < p->nout; d++) if (p->out[d] == r) return (uint64_t)1 << d;
  return 0;
}

// Is it a plain sum along one range of the product of two conversions, such as matrix units and DOTs compute?
static int tn_contraction_is_narrow(const tn_contraction *c) {
  return c->sum->k == TINY_OP_ADD && c->sum->nsrc == 2 && c->product->op == TINY_OP_MUL &&
      c->operand[0]->op == TINY_OP_CAST && c->operand[1]->op == TINY_OP_CAST;
}

// The most of w elements, a power of two, by which x, of r once, is at a multiple wherever r is.
static int64_t tn_multiple_along(tiny_ctx *t, const tn_affine *x, const tiny_uop *r, int64_t w) {
  while (w > 1 && x->k % w) w /= 2;
  for (int i = 0; i < x->n; i++) {
    if (x->term[i].x == r ? x->term[i].c != 1 : tn_depends(t, x->term[i].x, r)) return 1;
    while (w > 1 && x->term[i].x != r && x->term[i].c % w) w /= 2;
  }
  return w;
}
// How many elements at most, a power of two, an access along r may have together at multiples of as many: they begin at
// a multiple in memory too, and a gate says the same of all. 1: each alone.
static int64_t tn_access_width(tiny_ctx *t, const tiny_uop *index, const tiny_uop *r, int64_t most) {
  tn_list all = {NULL, 0, 0};
  tn_affine a;
  tn_affine_start(&a, TINY_INDEX);
  if (!tn_affine_add(&a, index->src[1], 1, 0)) return 1;
  int64_t w = tn_multiple_along(t, &a, r, most);
  if (index->nsrc == 3) tn_toposort(t, index->src[2], &all);
  for (int i = 0; i < all.n && w > 1; i++) {
    const tiny_uop *u = all.u[i];
    if (u->dtype != TINY_BOOL || !tn_depends(t, all.u[i], r)) continue;
    if (u->op == TINY_OP_LT && u->src[0]->dtype == TINY_INDEX) {
      tn_affine_start(&a, TINY_INDEX);
      if (!tn_affine_add(&a, u->src[0], 1, 0) || !tn_affine_add(&a, u->src[1], -1, 0)) return 1;
      w = tn_multiple_along(t, &a, r, w);
    } else for (uint32_t j = 0; j < u->nsrc; j++) if (u->src[j]->dtype != TINY_BOOL) return 1;
  }
  return w;
}

// Lanes of the target's widest vectors, of the widest elements that the kernel touches.
static int tn_target_lanes(const tn_target *target, const tn_profile *p) {
  int nbytes = tn_dtypes[p->store->dtype].nbytes;
  for (int i = 0; i < p->nload; i++)
    if (tn_dtypes[p->load[i]->dtype].nbytes > nbytes) nbytes = tn_dtypes[p->load[i]->dtype].nbytes;
  if (nbytes < 4) nbytes = 4;              // narrow floats are computed in f32
  return target->limits->vector_nbytes / nbytes;
}
#endif
