// lower: from an expanded kernel to the ops that a target runs.
//
// In:    a kernel without copies, lanes and STAGEs. Out: one with accumulators for REDUCEs, work items for parallel
//        ranges, one range an END, decomposed arithmetic, index arithmetic in a real integer type.
// Holds: an accumulator is a REG DEFINE: stored once before its loops (pinned there by AFTER the ranges around),
//        updated at the end of the body, read AFTER the END. All REDUCEs over the same ranges, the tile of one matmul,
//        share the loops.
#ifndef TN_CODEGEN_LOWER
#define TN_CODEGEN_LOWER
#ifndef TINY_AMALGAMATED
#include "online.c"
#endif

// Accumulators: memory of one element, perhaps of lanes.
static tiny_uop *tn_reg_at(tiny_ctx *t, tiny_uop *memory) { return tn_index_of(t, memory, tn_index(t, 0), NULL); }
static tiny_uop *tn_reg_load(tiny_ctx *t, tiny_uop *memory) { return tn_load(t, tn_reg_at(t, memory), memory->lanes); }
static tiny_uop *tn_reg_store(tiny_ctx *t, tiny_uop *memory, tiny_uop *value) {
  return tn_store(t, tn_reg_at(t, memory), tn_lanes_of(t, value, memory->lanes));
}

// A product of tiles, or a chain of them, that adds to acc.
static tiny_uop *tn_wmma_added(tiny_ctx *t, tiny_uop *product, tiny_uop *acc) {
  tn_list chain = {NULL, 0, 0};
  for (; product->op == TINY_OP_WMMA; product = product->src[2]) tn_push(t, &chain, product);
  while (chain.n) {
    const tiny_uop *u = chain.u[--chain.n];
    tiny_uop *src[3] = {u->src[0], u->src[1], acc};
    acc = tn_uop_with(t, u, src);
  }
  return acc;
}

// Sum (or other fold) of an unrolled value. Products are chained onto the accumulator, one fused
// multiply-add each; anything else is reduced as a tree first, so that the accumulator waits once
// per iteration. acc may be NULL.
static tiny_uop *tn_reduce_step(tiny_ctx *t, int op, tiny_uop *value, tiny_uop *acc) {
  if (value->op == TINY_OP_WMMA && acc) return tn_wmma_added(t, value, acc);
  if (value->op != TINY_OP_GROUP) return acc ? tn_u2(t, op, acc, value) : value;
  const int first = value->src[0]->op;
  if (op == TINY_OP_ADD && (first == TINY_OP_MUL || first == TINY_OP_DOT) && acc) {
    for (uint32_t i = 0; i < value->nsrc; i++) acc = tn_u2(t, op, acc, value->src[i]);
    return acc;
  }
  tiny_uop **v = (tiny_uop **)tn_scratch(t, value->nsrc * sizeof *v);
  memcpy(v, value->src, value->nsrc * sizeof *v);
  for (uint32_t n = value->nsrc; n > 1; n = (n + 1) / 2)
    for (uint32_t i = 0; i < (n + 1) / 2; i++)
      v[i] = 2 * i + 1 < n ? tn_u2(t, op, v[2 * i], v[2 * i + 1]) : v[2 * i];
  return acc ? tn_u2(t, op, acc, v[0]) : v[0];
}

// Matrix units add to what they are given and do no other sums: the sum that u, a REDUCE of tiles, is added to what
// was there by, of which it then begins. NULL: it begins with zeros.
static tiny_uop *tn_tile_sum(tiny_ctx *t, tiny_uop *sink, const tiny_uop *u, tiny_uop **start) {
  tn_list sums = {NULL, 0, 0};
  if (u->src[0]->op != TINY_OP_WMMA || tn_warp_unit_of(u->src[0]->k)) return NULL;     // whose elements are added to
  tn_collect_op(t, sink, TINY_OP_ADD, &sums);
  for (int i = 0; i < sums.n; i++) for (int j = 0; j < 2; j++) if (sums.u[i]->src[j] == u) {
    *start = sums.u[i]->src[!j];
    return sums.u[i];
  }
  return NULL;
}

// What is carried of the maximum of sum u, one of group[0..n-1], whose values before and after an iteration are known;
// all: of all maxima among them, in the place of which stands what they are so far.
static int tn_carried_max(tiny_ctx *t, const tiny_uop *u, int n, tiny_uop *const *group, const tn_list *before,
                          const tn_list *now, tn_online_carried *c) {
  const tn_list all = {(tiny_uop **)(uintptr_t)group, n, n};
  int found = 0;
  memset(c, 0, sizeof *c);
  c->max = tn_has_max(&all) ? tn_online_max(t, u) : NULL;
  for (int i = 0; i < n && c->max; i++) if (group[i]->k == TINY_OP_MAX) {
    tn_push(t, &c->from, group[i]);
    tn_push(t, &c->to, now->u[i]);
    if (group[i] != c->max) continue;
    c->before = before->u[i]; c->now = now->u[i];
    found = 1;
  }
  return found;
}

// What else is done in a loop of these ranges: an END of one of them (expand.c). *at: which. NULL: nothing.
static tiny_uop *tn_lower_beside(tiny_ctx *t, tiny_uop *sink, const tiny_uop *reduce, uint32_t *at) {
  tn_list ends = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_END, &ends);
  for (int i = 0; i < ends.n; i++)
    for (*at = 1; *at < reduce->nsrc; ++*at) if (tn_closes(ends.u[i], reduce->src[*at])) return ends.u[i];
  return NULL;
}
// The loops of the ranges of `reduce`: sums, and then what is done in one of the loops beside them.
static tiny_uop *tn_lower_loops(tiny_ctx *t, const tiny_uop *reduce, tiny_uop *sums, tiny_uop *beside, uint32_t at) {
  tiny_uop *const *range = reduce->src + 1;
  if (!beside) return tn_end(t, sums, (int)reduce->nsrc - 1, range);
  tiny_uop *both[2] = {tn_end(t, sums, (int)(reduce->nsrc - 1 - at), range + at), beside->src[0]};
  return tn_end(t, tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 2, both, 0, 0, NULL), (int)at, range);
}

// All REDUCEs of one set of ranges become accumulators of one loop nest. It stands within every loop that one of
// them depends on, and there each is set: also the sum of a constant, which depends on none. Maxima come before sums
// that go on with what they are so far.
static tiny_uop *tn_lower_reduce_group(tiny_ctx *t, tiny_uop *sink, tiny_uop *const *group, int n) {
  tn_list stores = {NULL, 0, 0}, memory = {NULL, 0, 0},
          from = {NULL, 0, 0}, to = {NULL, 0, 0}, open = {NULL, 0, 0}, before = {NULL, 0, 0}, now = {NULL, 0, 0};
  tn_online_carried c;
  tn_open_loops(t, tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, n, group, 0, 0, NULL), &open);
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = group[i];
    tn_list deps = {NULL, 0, 0};
    tiny_uop *reg = tn_define(t, u->dtype, u->lanes, TN_SPACE_REG, 1);
    tiny_uop *start = tn_const(t, u->dtype, tn_reduce_identity((int)u->k, u->dtype)),
             *sum = tn_tile_sum(t, sink, u, &start);
    tn_push(t, &from, sum ? sum : group[i]);
    tn_push(t, &deps, tn_reg_store(t, tn_after_all(t, reg, &open), start));
    for (uint32_t j = 1; j < u->nsrc; j++) tn_push(t, &deps, u->src[j]);
    tiny_uop *value = u->src[0], *kept = tn_reg_load(t, tn_after_all(t, reg, &deps));
    tn_push(t, &before, kept);
    if (tn_carried_max(t, u, i, group, &before, &now, &c) && !tn_online_step(t, u, &c, &value, &kept))
      tiny_fail(t, TINY_E_INTERNAL, "lower: a sum is not of what its maximum scales");
    tn_push(t, &now, tn_reduce_step(t, (int)u->k, value, kept));
    tn_push(t, &stores, tn_reg_store(t, reg, now.u[i]));
    tn_push(t, &memory, reg);
  }
  uint32_t at = 0;
  tiny_uop *beside = tn_lower_beside(t, sink, group[0], &at), *sums = stores.n == 1 ? stores.u[0] :
               tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &stores), *done = tn_lower_loops(t, group[0], sums, beside, at);
  for (int i = 0; i < n; i++) {
    tn_push(t, &to, tn_reg_load(t, tn_after(t, memory.u[i], done)));
    if (!tn_carried_max(t, group[i], i, group, &before, &to, &c)) continue;
    to.u[i] = tn_online_done(t, group[i], c.max, c.now, to.u[i]);
  }
  if (beside) { tn_push(t, &from, beside); tn_push(t, &to, done); }
  return tn_replace(t, sink, from.n, from.u, to.u);
}

static tiny_uop *tn_end_of(tiny_ctx *t, tiny_uop *sink, const tiny_uop *range) {
  tn_list ends = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_END, &ends);
  for (int i = 0; i < ends.n; i++) if (tn_closes(ends.u[i], range)) return ends.u[i];
  return NULL;
}

// A carried REDUCE becomes an accumulator that is set before its loop, and kept at the end of every iteration.
static tiny_uop *tn_lower_carried(tiny_ctx *t, tiny_uop *sink, tiny_uop *u) {
  const int op = (int)(u->k & 0xFF);
  tiny_uop *loop = u->src[1], *end = tn_end_of(t, sink, loop);
  tiny_uop *reg = tn_define(t, u->dtype, u->lanes, TN_SPACE_REG, 1);
  tn_list around = {NULL, 0, 0}, deps = {NULL, 0, 0}, body = {NULL, 0, 0}, src = {NULL, 0, 0};
  if (!end) { tiny_fail(t, TINY_E_INTERNAL, "lower: a running REDUCE outside of its loop"); return sink; }
  for (uint32_t i = 1; i < end->nsrc; i++)
    if (end->src[i] != loop && tn_is_loop(end->src[i])) tn_push(t, &around, end->src[i]);
  tn_push(t, &deps, tn_reg_store(t, tn_after_all(t, reg, &around),
                                 tn_const(t, u->dtype, tn_reduce_identity(op, u->dtype))));
  tn_push(t, &deps, loop);
  tiny_uop *now = tn_reduce_step(t, op, u->src[0], tn_reg_load(t, tn_after_all(t, reg, &deps)));
  sink = tn_replace(t, sink, 1, &u, &now);
  end = tn_end_of(t, sink, loop);
  tn_push(t, &body, end->src[0]);
  tn_push(t, &body, tn_reg_store(t, reg, now));
  tn_push(t, &src, tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &body));
  for (uint32_t i = 1; i < end->nsrc; i++) tn_push(t, &src, end->src[i]);
  tiny_uop *kept = tn_node_of(t, TINY_OP_END, TINY_VOID, &src);
  return tn_replace(t, sink, 1, &end, &kept);
}

// A REDUCE whose ranges are all unrolled is an expression.
static tiny_uop *tn_reduce_unrolled(tiny_ctx *t, tiny_uop *u) {
  return u->nsrc == 1 ? tn_reduce_step(t, (int)u->k, u->src[0], NULL) : NULL;
}

// The first REDUCE, sources first, that makes no sum of the next ones: those of a loop that carries a maximum wait for
// all that their summands are made of.
static tiny_uop *tn_lowered_next(tiny_ctx *t, const tn_list *all) {
  for (int i = 0; i < all->n && tn_has_max(all); i++) {
    int waits = 0;
    for (int j = i + 1; j < all->n && !waits; j++) {
      if (!tn_same_ranges(all->u[i], all->u[j]) || !tn_online_max(t, all->u[j])) continue;
      for (int k = 0; k < j && !waits; k++)
        waits = !tn_same_ranges(all->u[k], all->u[i]) && tn_depends(t, all->u[j]->src[0], all->u[k]);
    }
    if (!waits) return all->u[i];
  }
  return all->u[0];
}

static tiny_uop *tn_lower_reduces(tiny_ctx *t, tiny_uop *sink) {
  sink = tn_remake(t, sink, TINY_OP_REDUCE, tn_reduce_unrolled);
  for (;;) {
    tn_list all = {NULL, 0, 0}, group = {NULL, 0, 0};
    tn_collect_op(t, sink, TINY_OP_REDUCE, &all);
    if (!all.n) return sink;
    tiny_uop *first = tn_lowered_next(t, &all);
    if (tn_is_carried(first)) { sink = tn_lower_carried(t, sink, first); continue; }
    for (int i = 0; i < all.n; i++) if (tn_same_ranges(all.u[i], first)) tn_push(t, &group, all.u[i]);
    sink = tn_lower_reduce_group(t, sink, group.u, group.n);
  }
}

// ** parallel ranges **

static int tn_is_grid(const tiny_uop *r) {
  return tn_range_kind(r) == TN_TASK || tn_range_kind(r) == TN_GLOBAL;
}

// The dim of range i of n: the last (fastest) one is dim 0, what is more than dims is reduced into the last dim.
static int tn_special_dim(int i, int n, int dims) { return n - 1 - i < dims - 1 ? n - 1 - i : dims - 1; }
static void tn_special_extents(const tn_list *r, int dims, int64_t *extents) {
  for (int d = 0; d < 3; d++) extents[d] = 1;
  for (int i = 0; i < r->n; i++) extents[tn_special_dim(i, r->n, dims)] *= tn_range_extent(r->u[i]);
}

// Appends the items, or tasks and groups, and the SPECIALs that they become, in so many dims; in one, where a dim would
// be longer than most (0: any length).
static void tn_lower_specials(tiny_ctx *t, tiny_uop *sink, int item, const int64_t *most, int dims, int64_t *extents,
                              tn_list *from, tn_list *to) {
  tn_list r = {NULL, 0, 0};
  int long_dims = 0;
  tn_numbered(t, sink, item ? tn_is_item : tn_is_grid, &r);
  tn_special_extents(&r, dims, extents);
  for (int d = 0; d < 3; d++) long_dims += most[d] && extents[d] > most[d];
  if (long_dims) tn_special_extents(&r, dims = 1, extents);
  for (int i = 0; i < r.n; i++) {
    const int d = tn_special_dim(i, r.n, dims);
    tiny_uop *extent = tn_index(t, extents[d]);
    tiny_uop *id = tn_uop_make(t, TINY_OP_SPECIAL, TINY_INDEX, 1, 1, &extent, d | (item ? 16 : 0), 0, NULL);
    if (d == dims - 1 && r.n > dims) {
      int64_t stride = 1;
      for (int j = i + 1; j <= r.n - dims; j++) stride *= tn_range_extent(r.u[j]);
      id = tn_u2(t, TINY_OP_MOD, tn_u2(t, TINY_OP_IDIV, id, tn_index(t, stride)),
                 tn_index(t, tn_range_extent(r.u[i])));
    }
    tn_push(t, from, r.u[i]);
    tn_push(t, to, id);
  }
}

// Where items share reductions every item holds the result: item 0 of the GROUP stores it.
static tiny_uop *tn_gate_group_stores(tiny_ctx *t, tiny_uop *sink) {
  tn_list ranges = {NULL, 0, 0}, stores = {NULL, 0, 0}, to = {NULL, 0, 0};
  tiny_uop *first = tn_bool(t, 1);
  tn_collect_op(t, sink, TINY_OP_RANGE, &ranges);
  for (int i = 0; i < ranges.n; i++)
    if (tn_range_kind(ranges.u[i]) == TN_GROUP)
      first = tn_u2(t, TINY_OP_AND, first, tn_u2(t, TINY_OP_LT, ranges.u[i], tn_index(t, 1)));
  if (tn_is_const(first)) return sink;
  first = tn_simplify(t, first);
  tn_collect_op(t, sink, TINY_OP_STORE, &stores);
  for (int i = 0; i < stores.n; i++) {
    const tiny_uop *index = stores.u[i]->src[0];
    tiny_uop *src[3] = {index->src[0], index->src[1],
                        index->nsrc == 3 ? tn_u2(t, TINY_OP_AND, index->src[2], first) : first};
    const int gated = tn_memory_behind(index->src[0])->op == TINY_OP_PARAM;
    tiny_uop *now = tn_like(t, index, index->lanes, gated ? 3 : (int)index->nsrc, src);
    tn_push(t, &to, tn_store_as(t, stores.u[i], now, stores.u[i]->src[1]));
  }
  return tn_replace(t, sink, stores.n, stores.u, to.u);
}

// ** one range per END; conditions of whole stores become IF where the language wants that **

static tiny_uop *tn_split_end(tiny_ctx *t, tiny_uop *u) {
  if (u->nsrc == 2) return NULL;
  tiny_uop *now = u->src[0];
  for (uint32_t j = u->nsrc - 1; j >= 1; j--) now = tn_end(t, now, 1, &u->src[j]);
  return now;
}

// HREDUCE as arithmetic on halves, for languages that are rendered.
static tiny_uop *tn_lower_hreduce(tiny_ctx *t, tiny_uop *u) {
  return tn_reduce_halves(t, u->src[0], (int)u->k, 1);
}

// ** places that change from one iteration to the next **

enum { TN_SUM_TERMS = 16 };
typedef struct tn_place_sum { tiny_uop *term[TN_SUM_TERMS]; int depth[TN_SUM_TERMS], n; } tn_place_sum;

// Terms of a sum of integers, those of outer loops first, constants last. depth: of nodes by seq. 0: too many.
static int tn_sum_of(const tiny_uop *u, const int *depth, tn_place_sum *sum) {
  tiny_uop *todo[TN_SUM_TERMS];
  int left = 0;
  todo[left++] = (tiny_uop *)(uintptr_t)u;
  for (sum->n = 0; left;) {
    tiny_uop *x = todo[--left];
    if (x->op == TINY_OP_ADD) {
      if (left + 2 > TN_SUM_TERMS) return 0;
      todo[left++] = x->src[1];
      todo[left++] = x->src[0];
      continue;
    }
    const int d = tn_is_const(x) ? INT_MAX : depth[x->seq];
    int at = sum->n++;
    if (sum->n > TN_SUM_TERMS) return 0;
    for (; at && sum->depth[at - 1] > d; at--) {
      sum->depth[at] = sum->depth[at - 1];
      sum->term[at] = sum->term[at - 1];
    }
    sum->depth[at] = d; sum->term[at] = x;
  }
  return sum->n > 2;
}

// How many loops stand around what r is the loop of, with its own.
static int tn_loop_depth(tiny_ctx *t, const tn_list *ends, const tiny_uop *r) {
  tn_list open = {NULL, 0, 0};
  for (int i = 0; i < ends->n; i++) if (tn_closes(ends->u[i], r)) {
    tn_open_loops(t, ends->u[i], &open);
    return open.n + 1;
  }
  return 1;
}

// Sums of places are added up from outside in: what is the same in all iterations of a loop is one number there, to
// which the part of memory is added that an iteration reads. Sums that loads are part of stay, as does each load.
static tiny_uop *tn_lower_sums(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0}, ends = {NULL, 0, 0}, stores = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  int later = 0;
  tn_collect_op(t, sink, TINY_OP_STORE, &stores);
  for (int i = 0; i < stores.n && TN_GPU; i++) later |= stores.u[i]->k == TN_LATER;
  stores.n = 0;
  tn_collect_op(t, sink, TINY_OP_BULK, &stores);
  later |= stores.n > 0;
  if (!later) return sink;
  tn_collect_op(t, sink, TINY_OP_END, &ends);
  tn_toposort(t, sink, &all);
  int *depth = (int *)tn_scratch(t, (size_t)all.n * sizeof *depth),
      *own = (int *)tn_scratch(t, (size_t)all.n * sizeof *own);
  uint8_t *reads = (uint8_t *)tn_scratch(t, (size_t)all.n);
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_RANGE) own[i] = tn_loop_depth(t, &ends, all.u[i]);
  for (int i = 0; i < all.n; i++) all.u[i]->seq = (uint32_t)i;
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    tn_place_sum sum;
    depth[i] = own[i];
    reads[i] = u->op == TINY_OP_LOAD;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      reads[i] |= reads[u->src[j]->seq];
      if (depth[u->src[j]->seq] > depth[i]) depth[i] = depth[u->src[j]->seq];
    }
    const int sums = u->op == TINY_OP_ADD && u->lanes == 1 && tn_is_int(u->dtype) && !reads[i];
    if (!sums || !tn_sum_of(u, depth, &sum)) continue;
    tiny_uop *now = sum.term[0];
    for (int k = 1; k < sum.n; k++) now = tn_u2(t, TINY_OP_ADD, now, sum.term[k]);
    if (now == u) continue;
    tn_push(t, &from, u);
    tn_push(t, &to, now);
  }
  return from.n ? tn_replace(t, sink, from.n, from.u, to.u) : sink;
}

typedef struct tn_lowered {                // a kernel ready to be rendered or interpreted
  tiny_uop **list; int n;
  uint8_t *hints; int64_t local_nbytes;    // as in a tiny_listing; NULL: not asked for
  int64_t global[3], local[3], tasks;
  int64_t producers;                       // threads that a launch has beside its items
  double flops, nbytes;                    // estimates of one launch
} tn_lowered;

// What a group is launched with: its items, in their dims, or all threads in one.
static void tn_lowered_threads(const tn_lowered *k, int64_t *local) {
  memcpy(local, k->local, sizeof k->local);
  if (!k->producers) return;
  local[0] = local[0] * local[1] * local[2] + k->producers;
  local[1] = local[2] = 1;
}
#endif
