// recompute: products that are computed again by every kernel that wants them, rather than stored.
//
// In:  a graph, its nodes summarized, online sums chosen. Out: nodes that are computed where they are used: sums of
//      products, and all that is made of them up to the REDUCEs that want it.
// The scores of attention, and what its gradients make of them, are such values: an element for each query and key, of
// which kernels want sums along one of the two. Each kernel has them a block at a time, from memory of its groups
// (rules/nested.c, codegen/warp_nested.c); of rows only what REDUCEs give is stored: maxima, sums. All kernels load the
// same ones, so that none has another's weights (Dao et al., "FlashAttention", arXiv:2205.14135, section 3.1).
// A value is stored by none of its kernels or for all of them: it takes each of them to be a nested sum.
#ifndef TN_SCHEDULE_RECOMPUTE
#define TN_SCHEDULE_RECOMPUTE
#ifndef TINY_AMALGAMATED
#include "online.c"
#endif

// Values that share a kernel are one family, known by the first of them. of: of each node 1 + a value that it is made
// of, 0: none; parent: of values; bad: of families; sums: REDUCEs, each followed by a value that it is of.
typedef struct tn_recompute { tn_graph *g; int *of, *parent; uint8_t *bad; tn_list values, sums; } tn_recompute;

static int tn_recompute_family(const tn_recompute *c, int value) {
  while (c->parent[value] != value) value = c->parent[value] = c->parent[c->parent[value]];
  return value;
}

// The family of what node n is made of, those of all its sources become one; -1: none.
static int tn_recompute_joined(tn_recompute *c, const tn_node *n) {
  int family = -1;
  for (uint32_t i = 0; i < n->u->nsrc && !n->leaf; i++) {
    const int of = c->of[n->u->src[i]->seq] - 1;
    if (of < 0) continue;
    const int other = tn_recompute_family(c, of);
    if (family >= 0 && family != other) { c->parent[other] = family; c->bad[family] |= c->bad[other]; }
    else family = other;
  }
  return family;
}

// Values, what is made of them, and the REDUCEs of it.
static void tn_recompute_find(tn_recompute *c) {
  tn_graph *g = c->g;
  for (int i = 0; i < g->n; i++) {
    tn_node *n = &g->node[i];
    const int family = tn_recompute_joined(c, n), reduces = n->u->op == TINY_OP_REDUCE && !n->leaf;
    const int forced = n->forced && n->forced != TN_FORCED_CHAIN;
    if (family < 0) {
      if (!reduces || n->forced || n->online || n->once > 0 ||
          !tn_is_thin_product(tn_limits_of(g->targets, n->u), n->u))
        continue;
      c->parent[c->values.n] = c->values.n;
      tn_push(g->t, &c->values, n->u);
      c->of[i] = c->values.n;
    } else if (reduces) {
      tn_push(g->t, &c->sums, n->u);
      tn_push(g->t, &c->sums, tn_boxed(family));
    } else if (forced || n->online || (!tn_is_laid(n->u) && !tn_op_is(n->u->op, TINY_ALU))) c->bad[family] = 1;
    else c->of[i] = 1 + family;
  }
}

// What is computed with a value, from here on: all that has one of its family, and below it what converts its operands.
// A chain of REDUCEs is cut where they are stored that want it.
static void tn_recompute_mark(tn_recompute *c) {
  tn_graph *g = c->g;
  tn_list todo = {NULL, 0, 0};
  for (int i = 0; i < g->n; i++) {
    if (!c->of[i] || c->bad[tn_recompute_family(c, c->of[i] - 1)]) continue;
    g->node[i].online = 1;
    g->node[i].forced = 0;
  }
  for (int i = 0; i < c->values.n; i++)
    if (!c->bad[tn_recompute_family(c, i)]) tn_push(g->t, &todo, c->values.u[i]->src[0]);
  while (todo.n) {
    tiny_uop *u = todo.u[--todo.n];
    tn_node *n = tn_graph_node(g, u);
    if (n->leaf || n->forced || n->online) continue;
    if (!tn_is_passing(u) && u->op != TINY_OP_MUL && u->op != TINY_OP_CAST) continue;
    n->online = 1;
    for (uint32_t i = 0; i < (tn_is_passing(u) ? 1 : u->nsrc); i++) tn_push(g->t, &todo, u->src[i]);
  }
}

// Is the kernel of a REDUCE one that has the values a block at a time?
static int tn_recompute_is_legal(tn_graph *g, tn_node *n) {
  const tiny_limits *limits = tn_limits_of(g->targets, n->u);
  tn_kernel k;
  tn_nested a;
  memset(&k, 0, sizeof k);
  if (n->once > 0) return 0;
  k.node = n->u;
  k.at = tn_at_fresh(g->t, &k, n->u);
  tiny_uop *x = tn_pull_trial(g, &k);
  return tn_nested_of(g->t, x, (int)k.at->nsrc - 1, k.at->src, &a) && tn_nested_may(limits, &a);
}

// Every REDUCE is looked at with all values computed in its kernel; those of a family that is bad are stored.
static void tn_recompute_choose(tn_graph *g) {
  if (!TN_GPU) return;
  const size_t n = (size_t)g->n + 1;
  tn_recompute c = {g, (int *)tn_scratch(g->t, n * sizeof(int)), (int *)tn_scratch(g->t, n * sizeof(int)),
                    (uint8_t *)tn_scratch(g->t, n), {NULL, 0, 0}, {NULL, 0, 0}};
  tn_recompute_find(&c);
  if (!c.sums.n) return;
  uint8_t *online = (uint8_t *)tn_scratch(g->t, n), *forced = (uint8_t *)tn_scratch(g->t, n);
  for (int i = 0; i < g->n; i++) { online[i] = g->node[i].online; forced[i] = g->node[i].forced; }
  tn_recompute_mark(&c);
  for (int i = 0; i < c.sums.n; i += 2) {
    const int family = tn_recompute_family(&c, tn_unboxed(c.sums.u[i + 1]));
    if (!c.bad[family] && !tn_recompute_is_legal(g, tn_graph_node(g, c.sums.u[i]))) c.bad[family] = 1;
  }
  for (int i = 0; i < g->n; i++) { g->node[i].online = online[i]; g->node[i].forced = forced[i]; }
  tn_recompute_mark(&c);
  for (int i = 0; i < c.sums.n; i += 2)
    if (!c.bad[tn_recompute_family(&c, tn_unboxed(c.sums.u[i + 1]))]) tn_graph_node(g, c.sums.u[i])->nested = 1;
}
#endif
