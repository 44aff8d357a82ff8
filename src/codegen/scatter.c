// scatter: reductions whose summands go to one element each, as loops over the summands.
//
// In:    a kernel that stores a REDUCE of which rules/reduce.c has found that each summand goes to one element only.
// Out:   one that first fills its output with the identity, then loops over the summands in order and reduces each into
//        the element it names. What is adjacent and goes to one place together (a row) loops inside.
//        Where the store adds to memory, all summands are added at once, in any order.
// Holds: but for that, only other ranges of the output are ever shared between tasks or work items: no two of them meet
//        in one element, and the order of additions never depends on who does them.
#ifndef TN_CODEGEN_SCATTER
#define TN_CODEGEN_SCATTER
#ifndef TINY_AMALGAMATED
#include "transform.c"
#endif

static int tn_scatter_of(tn_kernel_state *s, tn_profile *p, tn_scatter *c) {
  *p = tn_profile_of(s);
  return p->usable && p->nout && !p->filled && p->end->op == TINY_OP_END &&
      tn_find_scatter(s->t, p->end->src[0]->src[1], p->out, p->nout, c);
}

// Does the output range loop outside of the filling? Those before the first target do, and what tasks share.
static int tn_scatter_is_outer(const tn_profile *p, const tn_scatter *c, int i) {
  const int kind = tn_range_kind(p->out[i]);
  for (int j = 0; j <= i; j++) for (int k = 0; k < c->n; k++) if (p->out[j] == c->range[k])
    return kind == TN_TASK || kind == TN_GLOBAL;
  return 1;
}

// Do all stores to the output, those that fill it too, go to other elements for another value of r?
static int tn_scatter_shares(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list stores = tn_kernel_collect(s, TINY_OP_STORE);
  for (int i = 0; i < stores.n; i++) if (!tn_depends(s->t, stores.u[i], r)) return 0;
  return 1;
}

// The same where the store adds to memory that is zero: all summands at once, in loops of the store.
static void tn_transform_scatter_added(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c) {
  tiny_ctx *t = s->t;
  const tiny_uop *reduce = p->end->src[0]->src[1];
  tn_list loops = {NULL, 0, 0}, from = {NULL, 0, 0};
  for (uint32_t i = 1; i < reduce->nsrc; i++) {
    tn_push(t, &from, reduce->src[i]);
    tn_push(t, &loops, tn_range(t, tn_range_extent(reduce->src[i]), TN_LOOP));
  }
  tiny_uop *flat = tn_simplify(t, tn_replace(t, p->store->src[1], c->n, c->range, c->at)),
           *added = tn_store_as(t, p->end->src[0], tn_index_of(t, p->store->src[0], flat, c->valid), c->value),
           *now = tn_replace(t, added, from.n, from.u, loops.u);
  for (int i = 0; i < from.n; i++) tn_axis_becomes(s, from.u[i], loops.u[i]);
  for (int i = 0; i < p->nout; i++) {
    int target = 0;
    for (int k = 0; k < c->n; k++) target |= p->out[i] == c->range[k];
    if (!target) tn_push(t, &loops, p->out[i]);
  }
  s->sink = tn_sink_of(t, tn_end(t, now, loops.n, loops.u));
}

// The kernel of p as a scatter. The loops that fill get the next axes, in the order of the store's.
static void tn_transform_scatter(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c) {
  tiny_ctx *t = s->t;
  if (p->adds) { tn_transform_scatter_added(s, p, c); return; }
  tiny_uop *reduce = p->end->src[0]->src[1], *memory = p->store->src[0], *flat = p->store->src[1];
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0}, outer = {NULL, 0, 0}, inner = {NULL, 0, 0};
  for (int i = 0; i < p->nout; i++) {
    int target = 0;
    for (int k = 0; k < c->n; k++) target |= p->out[i] == c->range[k];
    if (tn_scatter_is_outer(p, c, i)) { tn_push(t, &outer, p->out[i]); continue; }
    tn_push(t, &from, p->out[i]);
    tn_push(t, &to, tn_range(t, tn_range_extent(p->out[i]), TN_LOOP));
    tn_axis_add(s, to.u[to.n - 1]);
    if (target) continue;
    tn_push(t, &inner, p->out[i]);
  }
  tiny_uop *identity = tn_const(t, reduce->dtype, tn_reduce_identity((int)reduce->k, reduce->dtype)),
           *store = tn_store(t, tn_index_of(t, memory, tn_replace(t, flat, from.n, from.u, to.u), NULL), identity),
           *filled = tn_after(t, memory, tn_node_over(t, TINY_OP_END, TINY_VOID, 1, store, to.n, to.u, 0));
  flat = tn_simplify(t, tn_replace(t, flat, c->n, c->range, c->at));
  to.n = 0;
  tiny_uop *index = tn_index_of(t, filled, flat, c->valid);
  tn_push(t, &to, tn_store(t, index, tn_u2(t, (int)reduce->k, tn_load(t, index, 1), c->value)));
  for (int i = 0; i < outer.n; i++) tn_push(t, &to, outer.u[i]);
  for (uint32_t i = 1; i < reduce->nsrc; i++) tn_push(t, &to, reduce->src[i]);
  for (int i = 0; i < inner.n; i++) tn_push(t, &to, inner.u[i]);
  s->sink = tn_sink_of(t, tn_node_of(t, TINY_OP_END, TINY_VOID, &to));
}
#endif
