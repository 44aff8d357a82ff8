// bounds: loops that leave out iterations in which nothing happens: what lies wholly above the diagonal of a triangle.
//
// In:  a kernel after its opts, whose SINK says by MASKED where iterations of ranges have no effect. Out: the kernel
//      without
//      MASKEDs, some of whose loops have bounds that depend on loops around them.
// A MASKED (x ranges..) has gone through all opts with the kernel, so x is an expression of the ranges that tiles left.
// For a loop r, everything in x that lies inside of r takes its worst value; what is left is c * r + E > 0, E of the
// loops around r. So only whole blocks are left out: the ones across the diagonal keep the mask they have.
// A permission, not a duty: where x is no sum of ranges, the loop stays whole.
// A reduction that streams along a length becomes two: whole tiles without a mask, and the tile across the edge.
#ifndef TN_CODEGEN_BOUNDS
#define TN_CODEGEN_BOUNDS
#ifndef TINY_AMALGAMATED
#include "transpose.c"
#endif

enum { TN_MAX_BOUNDS = 32 };
// NULL: as it is. edge: in the iterations before it `most`, the greatest value of a masked sum, is not above 0
typedef struct tn_loop_bound { tiny_uop *range, *end, *start, *edge, *most; int ends; } tn_loop_bound;   // ends: masks
// kept: what a REDUCE computes is kept for the store, which reads it only as long as c * r + rest <= 0; unread: what it
// stores of a block that reaches beyond, nobody reads
typedef struct tn_loop_bounds {
  tn_loop_bound of[TN_MAX_BOUNDS]; int n, kept, unread;
  int64_t c; tiny_uop *rest;
  tn_list holds;                           // sums that are not above 0 in any iteration that is left
} tn_loop_bounds;

// Loops that a bound may depend on. Items of a group loop together: their bounds are the same.
static int tn_is_around(const tiny_uop *r) {
  const int kind = tn_range_kind(r);
  return tn_is_loop(r) || kind == TN_TASK || kind == TN_GLOBAL;
}

// The loops around the range that is source i of u, which closes it.
static void tn_loops_around(tiny_ctx *t, tiny_uop *u, uint32_t i, tn_list *out) {
  tn_open_ranges(t, u, tn_is_around, out);
  for (uint32_t j = 1; j < u->nsrc; j++) {
    const int kind = tn_range_kind(u->src[j]);
    if (kind == TN_TASK || kind == TN_GLOBAL || (j < i && tn_is_loop(u->src[j]))) tn_push(t, out, u->src[j]);
  }
}

// Is u an expression of these ranges, and ARGs?
static int tn_is_of(tiny_ctx *t, tiny_uop *u, const tn_list *ranges) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) {
    int known = all.u[i]->op != TINY_OP_RANGE && all.u[i]->op != TINY_OP_LOAD && all.u[i]->op != TINY_OP_REDUCE;
    for (int j = 0; j < ranges->n; j++) known |= ranges->u[j] == all.u[i];
    if (!known) return 0;
  }
  return 1;
}

// c * r + rest, which is never more than x: *c is returned, *rest of the loops around. 0: too many terms.
// *exact: it is x.
static int tn_least_of(tiny_ctx *t, tiny_uop *x, const tiny_uop *r, const tn_list *around, int64_t *c,
                       tn_affine *rest, int *exact) {
  tn_affine a;
  *exact = 1;
  tn_affine_start(&a, TINY_INDEX);
  tn_affine_start(rest, TINY_INDEX);
  *c = 0;
  if (!tn_affine_add(&a, x, 1, 0)) return 0;
  for (int i = 0; i < a.n; i++) {          // the last tile that covers r is moved back: n-f - max(n-f - r*f, 0)
    const tn_term m = a.term[i];
    if (m.x->op != TINY_OP_MAX || !tn_depends(t, m.x, r) || !tn_is_const(m.x->src[1])) continue;
    const int64_t beyond = tn_clamp_add(m.x->src[1]->k, -m.x->src[0]->vmin);
    tn_affine_drop(&a, i);
    if (!tn_affine_add(&a, m.x->src[0], m.c, 0)) return 0;
    *exact = 0;
    if (m.c < 0 && beyond > 0) a.k = tn_clamp_add(a.k, tn_clamp_mul(m.c, beyond));
    i = -1;
  }
  rest->k = a.k;
  for (int i = 0; i < a.n; i++) {
    const tn_term m = a.term[i];
    if (m.x == r) *c = m.c;
    else if (!tn_depends(t, m.x, r) && tn_is_of(t, m.x, around)) { if (!tn_affine_term(rest, m.x, m.c)) return 0; }
    else {
      const int64_t p = tn_clamp_mul(m.c, m.x->vmin), q = tn_clamp_mul(m.c, m.x->vmax);
      *exact &= p == q;
      rest->k = tn_clamp_add(rest->k, p < q ? p : q);
    }
  }
  return tn_affine_small(rest) && *c > -(1 << 30) && *c < 1 << 30;
}

static tiny_uop *tn_bound_lesser(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *less = tn_index(t, -1);
  a = tn_u2(t, TINY_OP_MAX, tn_u2(t, TINY_OP_MUL, a, less), tn_u2(t, TINY_OP_MUL, b, less));
  return tn_simplify(t, tn_u2(t, TINY_OP_MUL, a, less));
}

static tn_loop_bound *tn_bound_of(tn_loop_bounds *b, tiny_uop *r) {
  for (int i = 0; i < b->n; i++) if (b->of[i].range == r) return &b->of[i];
  if (b->n >= TN_MAX_BOUNDS) return NULL;
  memset(&b->of[b->n], 0, sizeof *b->of);
  b->of[b->n].range = r;
  return &b->of[b->n++];
}

// Is x not above 0 in any iteration that is left around source i of u: by a bound that is there, or will be?
static int tn_bound_holds(tiny_ctx *t, const tn_loop_bounds *b, tiny_uop *x, tiny_uop *u, uint32_t i) {
  for (int h = 0; h < b->holds.n; h++) if (b->holds.u[h] == x) return 1;
  for (uint32_t j = 1; u->op == TINY_OP_END && j < i; j++) {
    tn_list around = {NULL, 0, 0};
    tn_affine rest;
    int64_t c;
    int exact;
    if (!tn_is_loop(u->src[j]) || !tn_depends(t, x, u->src[j])) continue;
    tn_loops_around(t, u, j, &around);
    if (tn_least_of(t, x, u->src[j], &around, &c, &rest, &exact) && exact && c > 0) return 1;
  }
  return 0;
}
// Is `masked` about a length that is known at launch?
static int tn_masks_by_length(tiny_ctx *t, const tiny_uop *masked) {
  tn_list args = {NULL, 0, 0};
  tn_collect_op(t, masked->src[0], TINY_OP_ARG, &args);
  return args.n > 0;
}
// Where in the iterations of a reduction's loop the masked sum begins to be above 0 for any of its copies and lanes.
static void tn_bound_edge(tiny_ctx *t, tn_loop_bound *bound, const tiny_uop *masked, const tn_list *around) {
  tiny_uop *r = bound->range, *none = tn_index(t, 0);
  tn_affine rest;
  int64_t c;
  int exact;
  if (!tn_masks_by_length(t, masked) ||
      !tn_least_of(t, tn_u2(t, TINY_OP_MUL, masked->src[0], tn_index(t, -1)), r, around, &c, &rest, &exact) || c >= 0)
    return;
  tiny_uop *e = tn_affine_node(t, &rest, TINY_INDEX);        // -most is c * r + e
  tiny_uop *most = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, r, tn_index(t, c)), e);
  bound->most = tn_simplify(t, tn_u2(t, TINY_OP_MUL, most, tn_index(t, -1)));
  e = tn_u2(t, TINY_OP_MAX, tn_u2(t, TINY_OP_ADD, e, tn_index(t, -c)), none);
  e = tn_simplify(t, tn_u2(t, TINY_OP_IDIV, e, tn_index(t, -c)));
  bound->edge = tn_bound_lesser(t, e, tn_index(t, tn_range_extent(r)));
}

// Iterations of source i of u in which `masked` holds are left out. 1: some are.
static int tn_bound_by(tiny_ctx *t, tn_loop_bounds *b, const tiny_uop *masked, tiny_uop *u, uint32_t i) {
  tiny_uop *r = u->src[i], *n = tn_index(t, tn_range_extent(r)), *none = tn_index(t, 0);
  tn_list around = {NULL, 0, 0};
  tn_affine rest;
  int64_t c;
  int exact;
  tn_loops_around(t, u, i, &around);
  const int all = u->op == TINY_OP_STAGE || !tn_closes(masked, r);       // or none of the iterations
  if (!tn_least_of(t, masked->src[0], r, &around, &c, &rest, &exact)) return 0;
  if (c ? !tn_closes(masked, r) : !all) return 0;
  if (!c && ((rest.n == 0 && rest.k <= 0) || (!masked->k && tn_bound_holds(t, b, masked->src[0], u, i)))) return 0;
  tiny_uop *e = tn_affine_node(t, &rest, TINY_INDEX), *at;
  if (u->op == TINY_OP_END && c > 0) { b->c = c; b->rest = e; b->unread = !masked->k; }
  if (u->op == TINY_OP_REDUCE && b->kept && (b->rest != e || (!b->unread && c % b->c))) return 0;
  if (!c) {
    at = tn_u3(t, TINY_OP_WHERE, tn_u2(t, TINY_OP_LT, none, e), none, n);
  } else {
    if (c > 0) e = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, e, tn_index(t, -1)), tn_index(t, c));
    else e = tn_u2(t, TINY_OP_ADD, e, tn_index(t, -c - 1));
    at = tn_u2(t, TINY_OP_IDIV, tn_u2(t, TINY_OP_MAX, e, none), tn_index(t, c > 0 ? c : -c));
    at = tn_bound_lesser(t, tn_simplify(t, at), n);
  }
  at = tn_simplify(t, at);
  if (c < 0 ? at->vmax <= 0 : at->vmin >= n->k) return 0;
  tn_loop_bound *now = b->n < TN_MAX_BOUNDS - 2 ? tn_bound_of(b, r) : NULL;   // two are for zeros
  if (!now) return 0;
  if (exact && c) tn_push(t, &b->holds, masked->src[0]);
  if (!exact && c > 0 && u->op == TINY_OP_REDUCE && !b->kept) tn_bound_edge(t, now, masked, &around);
  now->ends += c >= 0;
  if (c >= 0) now->end = now->end ? tn_bound_lesser(t, now->end, at) : at;
  else now->start = now->start ? tn_simplify(t, tn_u2(t, TINY_OP_MAX, now->start, at)) : at;
  return 1;
}

// `nest`, an END, as a nest that stores zeros, where the first of its ranges runs from `start` to `end`.
static tiny_uop *tn_zeros_of(tiny_ctx *t, tn_loop_bounds *b, const tiny_uop *nest, tiny_uop *start, tiny_uop *end) {
  const tiny_uop *store = nest->src[0];
  tiny_uop **src = (tiny_uop **)tn_scratch(t, nest->nsrc * sizeof *src);
  for (uint32_t j = 1; j < nest->nsrc; j++)
    src[j] = tn_range(t, tn_range_extent(nest->src[j]), tn_range_kind(nest->src[j]));
  tn_loop_bound *bound = tn_bound_of(b, src[1]);
  bound->start = start; bound->end = end;
  tiny_uop *index = tn_replace(t, store->src[0], (int)nest->nsrc - 1, nest->src + 1, src + 1),
           *zero = tn_const(t, store->src[1]->dtype, tn_dtype_value(store->src[1]->dtype, 0));
  return tn_end(t, tn_store(t, index, zero), (int)nest->nsrc - 1, src + 1);
}

// Elements that END's loop r, its source i, no longer stores are 0. Copies and lanes lie within r.
static tiny_uop *tn_fill_zeros(tiny_ctx *t, tn_loop_bounds *b, tiny_uop *sink, uint32_t i) {
  tiny_uop *end = sink->src[0], *now;
  tn_list parts = {NULL, 0, 0}, inner = {NULL, 0, 0}, outer = {NULL, 0, 0};
  const tn_loop_bound bound = *tn_bound_of(b, end->src[i]);
  tn_push(t, &inner, end->src[0]);
  tn_push(t, &inner, end->src[i]);
  tn_push(t, &outer, NULL);
  for (uint32_t j = 1; j < end->nsrc; j++)
    if (j != i) tn_push(t, j < i && tn_range_kind(end->src[j]) <= TN_LOOP ? &outer : &inner, end->src[j]);
  now = tn_node_of(t, TINY_OP_END, TINY_VOID, &inner);
  tn_push(t, &parts, now);
  if (bound.start) tn_push(t, &parts, tn_zeros_of(t, b, now, NULL, bound.start));
  if (bound.end) tn_push(t, &parts, tn_zeros_of(t, b, now, bound.end, NULL));
  outer.u[0] = tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &parts);
  now = outer.n == 1 ? outer.u[0] : tn_node_of(t, TINY_OP_END, TINY_VOID, &outer);
  return tn_replace(t, sink, 1, &end, &now);
}

static tiny_uop *tn_masked_drop(tiny_ctx *t, tiny_uop *sink) {
  uint32_t n = sink->nsrc;
  while (n > 1 && sink->src[n - 1]->op == TINY_OP_MASKED) n--;
  return n == sink->nsrc ? sink : tn_like(t, sink, 1, (int)n, sink->src);
}

// A kernel without MASKEDs of ranges that nothing closes any more, as algebra has done without them.
static tiny_uop *tn_masked_keep(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0}, kept = {NULL, 0, 0};
  if (sink->nsrc == 1) return sink;
  tn_toposort(t, sink, &all);
  for (uint32_t i = 0; i < sink->nsrc; i++) {
    const tiny_uop *masked = sink->src[i];
    int keep = masked->op != TINY_OP_MASKED || (masked->nsrc > 1 && !tn_is_const(masked->src[0]));
    tn_list ranges = {NULL, 0, 0};
    tn_collect_ranges(t, sink->src[i], &ranges);
    for (int r = 0; r < ranges.n && keep && masked->op == TINY_OP_MASKED; r++) {
      int closed = 0;
      for (int j = 0; j < all.n; j++) closed |= all.u[j]->op != TINY_OP_MASKED && tn_closes(all.u[j], ranges.u[r]);
      keep = closed;
    }
    if (keep) tn_push(t, &kept, sink->src[i]);
  }
  return tn_like(t, sink, 1, kept.n, kept.u);
}

// Is `masked` about elements that the kernel stores, by a length that is known at launch? Where none of those that an
// iteration of the loops around leads to is wanted, neither are sums that go into them, nor loops that store them.
static int tn_masks_stores(tiny_ctx *t, const tiny_uop *masked, const tiny_uop *end) {
  for (uint32_t i = 1; i < masked->nsrc; i++) if (tn_closes(end, masked->src[i])) return tn_masks_by_length(t, masked);
  return 0;
}
// The kernel without comparisons that hold in every iteration that is left.
static tiny_uop *tn_bounds_imply(tiny_ctx *t, tiny_uop *sink, const tn_loop_bounds *b) {
  tn_list less = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  if (!b->holds.n) return sink;
  tn_collect_op(t, sink, TINY_OP_LT, &less);
  for (int i = 0; i < less.n; i++) for (int j = 0; j < b->holds.n; j++) {
    tn_affine d;
    tn_affine_start(&d, TINY_INDEX);
    d.k = 1;                               // p < q where p - q + 1 is not above 0
    if (less.u[i]->src[0]->dtype != TINY_INDEX || !tn_affine_add(&d, less.u[i]->src[0], 1, 0) ||
        !tn_affine_add(&d, less.u[i]->src[1], -1, 0) || !tn_affine_add(&d, b->holds.u[j], -1, 0) || d.n || d.k > 0)
      continue;
    tn_push(t, &from, less.u[i]);
    tn_push(t, &to, tn_bool(t, 1));
    break;
  }
  return from.n ? tn_simplify(t, tn_replace(t, sink, from.n, from.u, to.u)) : sink;
}

// ** edges **

static int tn_same_ranges(const tiny_uop *a, const tiny_uop *b) {
  return a->nsrc == b->nsrc && !memcmp(a->src + 1, b->src + 1, (a->nsrc - 1) * sizeof *a->src);
}

// Does a summand stream through memory, so that a mask costs as much as what is done with it? Tiles of products do not.
static int tn_edge_pays(tiny_ctx *t, const tiny_uop *reduce) {
  tn_list all = {NULL, 0, 0};
  for (uint32_t j = 1; j < reduce->nsrc; j++) {
    const int kind = tn_range_kind(reduce->src[j]);
    if (kind != TN_REDUCE && kind != TN_UNROLL && kind != TN_VECTOR) return 0;
  }
  tn_toposort(t, reduce->src[0], &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_STAGE || u->op == TINY_OP_REDUCE || u->op == TINY_OP_AFTER) return 0;
    tn_list loads[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    for (int j = 0; u->op == TINY_OP_MUL && u->dtype != TINY_INDEX && j < 2; j++)
      tn_collect_op(t, u->src[j], TINY_OP_LOAD, &loads[j]);
    if (loads[0].n && loads[1].n && u->src[0] != u->src[1]) return 0;
  }
  return 1;
}
// What a REDUCE folds before the edge: without the comparisons that hold in all iterations there. NULL: none does.
static tiny_uop *tn_edge_within(tiny_ctx *t, const tn_loop_bound *bound, tiny_uop *value) {
  tn_list less = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_collect_op(t, value, TINY_OP_LT, &less);
  for (int i = 0; i < less.n; i++) {
    const tiny_uop *u = less.u[i];
    tn_affine d;
    int64_t low, high;
    tn_affine_start(&d, TINY_INDEX);
    d.k = 1;                               // p < q where p - q + 1 <= most <= 0
    if (u->src[0]->dtype != TINY_INDEX || !tn_affine_add(&d, u->src[0], 1, 0) || !tn_affine_add(&d, u->src[1], -1, 0) ||
        !tn_affine_add(&d, bound->most, -1, 0))
      continue;
    tn_affine_bounds(&d, &low, &high);
    if (high > 0) continue;
    tn_push(t, &from, less.u[i]);
    tn_push(t, &to, tn_bool(t, 1));
  }
  return from.n ? tn_simplify(t, tn_replace(t, value, from.n, from.u, to.u)) : NULL;
}
// REDUCEs over the bound's range as what they fold before the edge, and from there on.
static tiny_uop *tn_edge_split(tiny_ctx *t, tiny_uop *sink, tn_loop_bounds *b, int at) {
  tn_loop_bound *bound = &b->of[at];
  tn_list reduces = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0}, own = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) if (tn_reduces_over(reduces.u[i], bound->range)) tn_push(t, &from, reduces.u[i]);
  if (!from.n || b->n >= TN_MAX_BOUNDS) return sink;
  for (uint32_t j = 1; j < from.u[0]->nsrc; j++)
    tn_push(t, &own, tn_range(t, tn_range_extent(from.u[0]->src[j]), tn_range_kind(from.u[0]->src[j])));
  for (int i = 0; i < from.n; i++) {
    tiny_uop *u = from.u[i], **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src), *first;
    memcpy(src, u->src, u->nsrc * sizeof *src);
    if (!tn_same_ranges(u, from.u[0]) || !tn_edge_pays(t, u)) return sink;
    if (!(src[0] = tn_edge_within(t, bound, u->src[0]))) return sink;
    first = tn_replace(t, tn_uop_with(t, u, src), own.n, u->src + 1, own.u);
    tn_push(t, &to, tn_u2(t, (int)u->k, first, u));
  }
  for (int j = 0; j < own.n; j++) {        // other loops have the bounds they had
    tn_loop_bound *inner = NULL;
    for (int i = 0; i < b->n; i++) if (b->of[i].range == from.u[0]->src[j + 1]) inner = &b->of[i];
    if (!inner || b->n >= TN_MAX_BOUNDS) continue;
    tn_loop_bound *now = &b->of[b->n++];
    memset(now, 0, sizeof *now);
    now->range = own.u[j];
    now->end = inner != bound || bound->ends == 1 ? inner->end : tn_bound_lesser(t, bound->end, bound->edge);
    if (inner == bound && bound->ends == 1) now->end = bound->edge;
    now->start = inner->start;
    if (now->end) now->end = tn_replace(t, now->end, own.n, from.u[0]->src + 1, own.u);
    if (now->start) now->start = tn_replace(t, now->start, own.n, from.u[0]->src + 1, own.u);
  }
  bound->start = bound->edge;
  return tn_replace(t, sink, from.n, from.u, to.u);
}
static tiny_uop *tn_bounds_split(tiny_ctx *t, tiny_uop *sink, tn_loop_bounds *b) {
  const int n = b->n;
  for (int i = 0; i < n; i++) if (b->of[i].edge && !b->of[i].start) sink = tn_edge_split(t, sink, b, i);
  return sink;
}

// What a SINK says is masked becomes bounds, which tn_bounds_set gives to the loops later.
static tiny_uop *tn_bounds_find(tiny_ctx *t, tiny_uop *sink, tn_loop_bounds *b) {
  tn_list all = {NULL, 0, 0};
  tiny_uop *end = sink->src[0], *bare = tn_masked_drop(t, sink);
  uint32_t filled = 0;
  int carried = 0;
  memset(b, 0, sizeof *b);
  if (bare == sink) return sink;
  tn_toposort(t, bare, &all);
  for (int i = 0; i < all.n; i++) {
    carried |= tn_is_carried(all.u[i]);
    b->kept |= all.u[i]->op == TINY_OP_DEFINE;
  }
  for (int i = all.n - 1; i >= 0; i--) for (uint32_t f = bare->nsrc; f < sink->nsrc; f++) {       // END first
    tiny_uop *u = all.u[i], *masked = sink->src[f];
    if ((u->op != TINY_OP_REDUCE && u->op != TINY_OP_STAGE && u != end) || u->op == TINY_OP_STORE) continue;
    if (carried && u != end) continue;     // a scan goes on from iteration to iteration
    const int stores = u->op != TINY_OP_STAGE && !b->kept && (!masked->k || (filled && u != end)) &&
        end->op == TINY_OP_END && tn_masks_stores(t, masked, end);
    for (uint32_t j = u->nsrc - 1; j >= 1; j--) {
      if (!tn_is_loop(u->src[j]) || (!stores && !tn_closes(masked, u->src[j]))) continue;
      if (u->op == TINY_OP_REDUCE && tn_range_kind(u->src[j]) != TN_REDUCE) continue;
      if (masked->k && !stores && (u != end || (filled && filled != j))) continue;
      if (tn_bound_by(t, b, masked, u, j) && masked->k && u == end) filled = j;
    }
  }
  return tn_bounds_split(t, tn_bounds_imply(t, filled ? tn_fill_zeros(t, b, bare, filled) : bare, b), b);
}

static int tn_bound_names(tiny_ctx *t, const tn_loop_bound *b, const tiny_uop *r) {
  return (b->end && tn_depends(t, b->end, r)) || (b->start && tn_depends(t, b->start, r));
}

// Appends ranges and what they become: the same loops with their bounds. First, among themselves, those that name no
// other; what `from` has already is replaced in their bounds.
static void tn_bounds_set(tiny_ctx *t, tn_loop_bounds *b, tn_list *from, tn_list *to) {
  while (b->n) {
    int at = 0;
    for (int i = 0; i < b->n && at + 1 < b->n; i++)
      if (i != at && tn_bound_names(t, &b->of[at], b->of[i].range)) { at++; i = -1; }
    const tn_loop_bound now = b->of[at];
    tiny_uop *src[2] = {now.end ? now.end : now.range->src[0], now.start};
    for (int i = 0; i < 2 && src[i]; i++) src[i] = tn_replace(t, src[i], from->n, from->u, to->u);
    tn_push(t, from, now.range);
    tn_push(t, to, tn_like(t, now.range, 1, now.start ? 2 : 1, src));
    b->of[at] = b->of[--b->n];
  }
}
#endif
