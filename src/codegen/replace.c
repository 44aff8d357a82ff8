// replace: nodes of a kernel in the place of others, nothing simplified but numbers in sums of places.
//
// In:    a root, nodes of it and what stands for each.
// Out:   the root with those replaced everywhere.
// Holds: ranges of END, REDUCE, STAGE and MASKED are always RANGE nodes: an expression in a range list stands for the
//        ranges that it depends on, each once, and a list that loses its last range goes.
#ifndef TN_CODEGEN_REPLACE
#define TN_CODEGEN_REPLACE
#ifndef TINY_AMALGAMATED
#include "../schedule/plan.c"
#endif

// First source that is a range list, -1: none.
static int tn_ranges_from(int op) {
  return op == TINY_OP_END || op == TINY_OP_REDUCE || op == TINY_OP_STAGE || op == TINY_OP_MASKED ? 1 : -1;
}

// The nodes of root that may depend on from[0..n-1], sources first, and those that do; now[u->seq] is what node u of
// all is replaced by. at[i]: seq of from[i].
typedef struct tn_replacing { tiny_uop *root, **now; tn_list all, changed; int *at, n; } tn_replacing;

// What node u of root is replaced by.
static tiny_uop *tn_replacement(const tn_replacing *p, tiny_uop *u) {
  const int at = tn_place_in(&p->all, p->all.n, u);
  return at < 0 ? u : p->now[at];
}

static void tn_replace_prepare(tiny_ctx *t, tiny_uop *root, int n, tiny_uop *const *from, tn_replacing *p) {
  uint64_t bits = ~(uint64_t)0;
  memset(p, 0, sizeof *p);
  p->root = root; p->n = n;
  for (int i = 0; i < n; i++) bits &= from[i]->within;     // what depends on one of them has these
  if (n) tn_toposort_holding(t, root, bits, &p->all);
  const tn_list *all = &p->all;
  p->now = (tiny_uop **)tn_scratch(t, ((size_t)all->n + 1) * sizeof *p->now);
  for (int i = 0; i < all->n; i++) all->u[i]->seq = (uint32_t)i;
  p->at = (int *)tn_scratch_bare(t, ((size_t)n + 1) * sizeof *p->at);
  for (int i = 0; i < n; i++) {
    p->at[i] = tn_place_in(all, all->n, from[i]);
    if (p->at[i] >= 0) p->now[p->at[i]] = from[i];
  }
  for (int i = 0; i < all->n; i++) {       // what changes is marked by itself
    tiny_uop *u = all->u[i];
    if (p->now[i]) continue;
    for (uint32_t j = 0; j < u->nsrc && !p->now[i]; j++) {
      const int at = tn_place_in(all, i, u->src[j]);
      if (at >= 0 && p->now[at]) p->now[i] = u;
    }
    if (p->now[i]) tn_push(t, &p->changed, u);
  }
  for (int i = 0; i < all->n; i++) p->now[i] = all->u[i];
}

// A place as x + k; x NULL: 0.
typedef struct tn_offset { tiny_uop *x; int64_t k; } tn_offset;
static tn_offset tn_offset_of(tiny_uop *u) {
  tn_offset p = {u, 0};
  if (u->vmin == u->vmax && (tn_is_const(u) || tn_op_is(u->op, TINY_ALU))) { p.x = NULL; p.k = u->vmin; }
  else if (u->op == TINY_OP_ADD && tn_is_const(u->src[1])) { p.x = u->src[0]; p.k = u->src[1]->k; }
  return p;
}
// A sum or multiple of places with other sources, numbers in one, and that outermost, as algebra would have it: what
// copies differ by is often nothing else, and of the rest there is one. NULL: u is no such node.
static tiny_uop *tn_replace_place(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *src) {
  if (u->dtype != TINY_INDEX || (u->op != TINY_OP_ADD && u->op != TINY_OP_MUL)) return NULL;
  tn_offset a = tn_offset_of(src[0]), b = tn_offset_of(src[1]);
  if (u->op == TINY_OP_ADD) {
    a.x = a.x && b.x ? tn_u2(t, TINY_OP_ADD, a.x, b.x) : a.x ? a.x : b.x;
    a.k = tn_wrap_add(a.k, b.k);
  } else {
    if (b.x) { const tn_offset swapped = a; a = b; b = swapped; }
    if (b.x) return NULL;
    if (a.x && a.x->op == TINY_OP_MUL && tn_is_const(a.x->src[1]))
      a.x = tn_u2(t, TINY_OP_MUL, a.x->src[0], tn_index(t, tn_wrap_mul(a.x->src[1]->k, b.k)));
    else if (a.x && b.k != 1) a.x = tn_u2(t, TINY_OP_MUL, a.x, tn_index(t, b.k));
    if (!b.k) a.x = NULL;
    a.k = tn_wrap_mul(a.k, b.k);
  }
  if (!a.x || a.x->vmin == a.x->vmax) return tn_index(t, tn_wrap_add(a.x ? a.x->vmin : 0, a.k));
  return a.k ? tn_u2(t, TINY_OP_ADD, a.x, tn_index(t, a.k)) : a.x;
}

// u with the sources that p gives it. Range lists hold ranges: an expression in one stands for those that it
// depends on.
static tiny_uop *tn_replace_node(tiny_ctx *t, const tn_replacing *p, tiny_uop *u) {
  tiny_uop *few[8], **src = few;
  int changed = 0, count = 0, cap = 8;
  const int lists = tn_ranges_from(u->op);
  if (u->nsrc > 8) { src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src); cap = (int)u->nsrc; }
  for (uint32_t j = 0; j < u->nsrc; j++) {
    tiny_uop *s = tn_replacement(p, u->src[j]);
    changed |= s != u->src[j];
    if (lists >= 0 && (int)j >= lists && s->op != TINY_OP_RANGE) {
      tn_list ranges = {NULL, 0, 0};
      tn_collect_ranges(t, s, &ranges);
      if (count + ranges.n + (int)u->nsrc > cap) {
        tiny_uop **grown =
            (tiny_uop **)tn_scratch(t, (size_t)(cap = 2 * (count + ranges.n + (int)u->nsrc)) * sizeof *src);
        memcpy(grown, src, (size_t)count * sizeof *src);
        src = grown;
      }
      for (int r = 0; r < ranges.n; r++) {
        int has = 0;
        for (int i = lists; i < count; i++) has |= src[i] == ranges.u[r];
        if (!has) src[count++] = ranges.u[r];
      }
    } else src[count++] = s;
  }
  if (!changed) return u;
  tiny_uop *place = tn_replace_place(t, u, src);
  if (place) return place;
  tiny_uop *now = count == (int)u->nsrc ?
      tn_uop_with(t, u, src) :
      tn_like(t, u, u->lanes, count, src);
  // GROUP: unrolled.
  if (count == 1 && (u->op == TINY_OP_END || (u->op == TINY_OP_REDUCE && src[0]->op != TINY_OP_GROUP)))
    now = src[0];
  return now;
}

// The root with to[i] in the place of from[i]. May be called again with others: until then no walk may number
// the nodes.
static tiny_uop *tn_replace_by(tiny_ctx *t, tn_replacing *p, tiny_uop *const *to) {
  for (int i = 0; i < p->n; i++) if (p->at[i] >= 0) p->now[p->at[i]] = to[i];
  for (int i = 0; i < p->changed.n; i++)
    p->now[p->changed.u[i]->seq] = tn_replace_node(t, p, p->changed.u[i]);
  return tn_replacement(p, p->root);
}

// root with from[i] replaced by to[i] everywhere.
static tiny_uop *tn_replace(tiny_ctx *t, tiny_uop *root, int n, tiny_uop *const *from, tiny_uop *const *to) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_replacing p;
  tn_replace_prepare(t, root, n, from, &p);
  root = tn_replace_by(t, &p, to);
  tn_scratch_rewind(t, mark);
  return root;
}

// REDUCE u with what stands for maxima that it goes on with, which close the same ranges (online.c): those among
// from[0..n-1].
static tiny_uop *tn_replace_maxima(tiny_ctx *t, tiny_uop *u, int n, tiny_uop *const *from, tiny_uop *const *to) {
  int maxima = 0;
  for (int i = 0; i < n && u->op == TINY_OP_REDUCE; i++)
    maxima |= from[i]->op == TINY_OP_REDUCE && from[i]->k == TINY_OP_MAX;
  return maxima ? tn_replace(t, u, n, from, to) : u;
}

// root with every node of op, its sources done, as make has it, which makes nodes and walks none; NULL: as it is.
static tiny_uop *tn_remake(tiny_ctx *t, tiny_uop *root, int op, tiny_uop *(*make)(tiny_ctx *t, tiny_uop *u)) {
  const tn_mark mark = tn_scratch_mark(t);
  if (!tn_may_hold_bits(root, tn_op_bit(op))) return root;
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, root, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *few[8], **src = few;
    int changed = 0;
    if (u->nsrc > 8) src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      src[j] = all.u[u->src[j]->seq];
      changed |= src[j] != u->src[j];
    }
    u->seq = (uint32_t)i;
    tiny_uop *now = changed ? tn_uop_with(t, u, src) : u, *made = u->op == op ? make(t, now) : NULL;
    all.u[i] = made ? made : now;
  }
  root = all.u[all.n - 1];
  tn_scratch_rewind(t, mark);
  return root;
}

// root with one range for a and b, which loops directly within a.
static tiny_uop *tn_fused(tiny_ctx *t, tiny_uop *root, tiny_uop *a, tiny_uop *b, tiny_uop *both) {
  tiny_uop *n = b->src[0], *from[2] = {a, b}, *to[2];
  to[0] = tn_u2(t, TINY_OP_IDIV, both, n);
  to[1] = tn_u2(t, TINY_OP_MOD, both, n);
  return tn_simplify(t, tn_replace(t, root, 2, from, to));
}
#endif
