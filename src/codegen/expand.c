// expand: UPCAST, UNROLL and VECTOR ranges become copies and lanes, STAGEs in registers vectors.
//
// In:  a kernel whose STAGEs of groups are memory (stages.c). Out: the same without those kinds of ranges.
// UPCAST and UNROLL put each value of the range in place of it: what does not depend on it is
// shared by hash-consing, so a tile of accumulators loads every operand once. VECTOR puts LANE in
// its place; lanes spread to whatever depends on it. Then INDEX nodes of lanes are told apart:
// step 1 is a contiguous access, other constant steps single loads, the rest gathers.
#ifndef TN_CODEGEN_EXPAND
#define TN_CODEGEN_EXPAND
#ifndef TINY_AMALGAMATED
#include "stages.c"
#include "../ir/combine.c"
#endif

// ** STAGE in registers: vectors, of which elements at constant places are taken **

static int tn_is_registers(const tiny_uop *load) {
  return load->op == TINY_OP_LOAD && load->src[0]->op == TINY_OP_INDEX && load->src[0]->src[0]->op == TINY_OP_STAGE &&
      tn_stage_space(load->src[0]->src[0]) == TN_SPACE_REG;
}
// The element at `at` of a STAGE whose ranges are copies by now; NULL: no constant place.
static tiny_uop *tn_registers_at(tiny_ctx *t, const tiny_uop *stage, const tiny_uop *at) {
  const tiny_uop *all = stage->src[0];
  const int64_t lanes = stage->lanes;
  if (!tn_is_const(at) || at->k < 0 || stage->nsrc > 1) return NULL;
  if (all->op != TINY_OP_GROUP) return at->k < lanes ? tn_pick(t, stage->src[0], at->k, 1) : NULL;
  return at->k / lanes < all->nsrc ? tn_pick(t, all->src[at->k / lanes], at->k % lanes, 1) : NULL;
}
static tiny_uop *tn_registers_read(tiny_ctx *t, tiny_uop *u) {
  return tn_is_registers(u) ? tn_registers_at(t, u->src[0]->src[0], u->src[0]->src[1]) : NULL;
}
// Loads from registers that move with one of the ranges, and the places that each reads for its values. They are found
// before nodes are numbered, as that needs walks.
typedef struct tn_registers { tn_list load; int64_t **place; } tn_registers;
static int64_t *tn_registers_places(tiny_ctx *t, tiny_uop *at, tiny_uop *r) {
  int64_t *place = (int64_t *)tn_scratch(t, (size_t)tn_range_extent(r) * sizeof *place);
  for (int64_t k = 0; k < tn_range_extent(r); k++) {
    tiny_uop *value = tn_index(t, k), *now = tn_simplify(t, tn_replace(t, at, 1, &r, &value));
    place[k] = tn_is_const(now) ? now->k : -1;
  }
  return place;
}
static tn_registers tn_registers_of(tiny_ctx *t, const tn_list *all, const tn_list *ranges) {
  tn_registers x = {{NULL, 0, 0}, NULL};
  tn_list of = {NULL, 0, 0};
  for (int i = 0; i < all->n; i++) for (int j = 0; j < ranges->n && tn_is_registers(all->u[i]); j++) {
    if (!tn_depends(t, all->u[i]->src[0]->src[1], ranges->u[j])) continue;
    tn_push(t, &x.load, all->u[i]);
    tn_push(t, &of, ranges->u[j]);
  }
  x.place = (int64_t **)tn_scratch(t, ((size_t)x.load.n + 1) * sizeof *x.place);
  for (int i = 0; i < x.load.n; i++) x.place[i] = tn_registers_places(t, x.load.u[i]->src[0]->src[1], of.u[i]);
  return x;
}
// For each value of the range one element of the STAGE, side by side.
static tiny_uop *tn_registers_lanes(tiny_ctx *t, const tn_registers *x, const tiny_uop *load, const tiny_uop *stage,
                                    int64_t lanes) {
  tn_list one = {NULL, 0, 0};
  for (int i = 0; i < x->load.n; i++) for (int64_t k = 0; x->load.u[i] == load && k < lanes; k++) {
    tiny_uop *element = tn_registers_at(t, stage, tn_index(t, x->place[i][k]));
    if (element) tn_push(t, &one, element);
  }
  if (one.n == lanes) return tn_stack(t, one.n, one.u);
  tiny_fail(t, TINY_E_INTERNAL, "expand: a register has no number");
  return &t->ir->bad;
}

// ** UPCAST and UNROLL **

// r, and the loops of body that each copy needs for itself: those of ENDs that differ by r or by such a loop.
// Reductions share theirs.
static void tn_unrolled_loops(tiny_ctx *t, tiny_uop *body, tiny_uop *r, tn_list *loops) {
  tn_list ends = {NULL, 0, 0};
  tn_push(t, loops, r);
  tn_collect_op(t, body, TINY_OP_END, &ends);
  for (int l = 0; l < loops->n; l++)
    for (int i = 0; i < ends.n; i++) {
      tiny_uop *end = ends.u[i];
      if (!end || !tn_depends(t, end->src[0], loops->u[l])) continue;
      for (uint32_t j = 1; j < end->nsrc; j++) if (end->src[j] != r) tn_push(t, loops, end->src[j]);
      ends.u[i] = NULL;
    }
}

// Copies of what u closes: values of a REDUCE or a STAGE, or what an END does.
static tiny_uop *tn_like_group(tiny_ctx *t, const tiny_uop *u, const tn_list *copies) {
  if (u->op == TINY_OP_END) return tn_node_of(t, TINY_OP_GROUP, TINY_VOID, copies);
  const int lanes = u->op == TINY_OP_STAGE ? u->lanes : 1;
  return tn_uop_make(t, TINY_OP_GROUP, u->dtype, lanes, copies->n, copies->u, 0, 0, NULL);
}

// u, a node that closes r, without r: its body (or value) once for every value of r.
static tiny_uop *tn_unrolled(tiny_ctx *t, tiny_uop *u, tiny_uop *r) {
  tn_list copies = {NULL, 0, 0}, src = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_unrolled_loops(t, u->src[0], r, &from);
  tn_replacing body;
  tn_replace_prepare(t, u->src[0], from.n, from.u, &body);
  for (int64_t i = 0; i < tn_range_extent(r); i++) {
    to.n = 0;
    tn_push(t, &to, tn_index(t, i));
    for (int j = 1; j < from.n; j++) {
      tiny_uop *own = from.u[j];
      tn_push(t, &to, i ? tn_range(t, tn_range_extent(own), tn_range_kind(own)) : own);
    }
    tiny_uop *copy = tn_replace_by(t, &body, to.u);
    if (copy->op == TINY_OP_GROUP)
      for (uint32_t j = 0; j < copy->nsrc; j++) tn_push(t, &copies, copy->src[j]);
    else tn_push(t, &copies, copy);
  }
  tn_push(t, &src,
          tn_like_group(t, u, &copies));
  for (uint32_t i = 1; i < u->nsrc; i++) if (u->src[i] != r) tn_push(t, &src, u->src[i]);
  if (src.n == 1 && u->op == TINY_OP_END) return src.u[0];
  return tn_like(t, u, u->lanes, src.n, src.u);
}

// Does one of the loads, of whose indices these are, read other vectors for each copy of r? 2: in a loop of sums, 1:
// elsewhere, as what they add to.
static int tn_copies_vectors(tiny_ctx *t, const tn_list *at, const tn_list *ranges, const tiny_uop *r) {
  int best = 0;
  for (int i = 0; i < at->n && best < 2; i++) {
    int vector = 0, sums = 0;
    if (!tn_depends(t, at->u[i], r)) continue;
    for (int j = 0; j < ranges->n; j++) {
      const int kind = tn_range_kind(ranges->u[j]);
      if (kind == TN_VECTOR && !vector) vector = tn_depends(t, at->u[i], ranges->u[j]);
      if (kind == TN_REDUCE && !sums) sums = tn_depends(t, at->u[i], ranges->u[j]);
    }
    if (vector && 1 + sums > best) best = 1 + sums;
  }
  return best;
}

// The range whose copies stand beside each other before others are copied: of a tile of sums that are products of a
// few vectors and of numbers, each number meets all vectors at once, and leaves its register.
static tiny_uop *tn_copies_next(tiny_ctx *t, const tn_list *all) {
  tn_list at = {NULL, 0, 0}, ranges = {NULL, 0, 0};
  tiny_uop *first = NULL;
  int best = -1;
  for (int i = 0; i < all->n; i++) {
    if (all->u[i]->op == TINY_OP_LOAD) tn_push(t, &at, all->u[i]->src[0]->src[1]);
    else if (all->u[i]->op == TINY_OP_RANGE) tn_push(t, &ranges, all->u[i]);
  }
  for (int i = 0; i < ranges.n && best < 2; i++) {
    const int kind = tn_range_kind(ranges.u[i]);
    if (kind != TN_UPCAST && kind != TN_UNROLL) continue;
    const int vectors = tn_copies_vectors(t, &at, &ranges, ranges.u[i]);
    if (vectors > best) { best = vectors; first = ranges.u[i]; }
  }
  return first;
}

static tiny_uop *tn_expand_copies(tiny_ctx *t, tiny_uop *sink) {
  for (;;) {
    tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
    tn_toposort_holding(t, sink, tn_op_bit(TINY_OP_RANGE), &all);
    tiny_uop *r = tn_copies_next(t, &all);
    if (!r) return tn_simplify(t, sink);
    for (int i = 0; i < all.n; i++) if (tn_may_hold(all.u[i], r) && tn_closes(all.u[i], r)) {
      tiny_uop *u = tn_replace_maxima(t, all.u[i], from.n, from.u, to.u);
      tn_push(t, &from, all.u[i]);
      tn_push(t, &to, tn_unrolled(t, u, r));
    }
    sink = tn_replace(t, sink, from.n, from.u, to.u);
    if (!from.n) { tiny_fail(t, TINY_E_INTERNAL, "expand: a range is not closed"); return sink; }
  }
}

// ** VECTOR **

// elem = base + step * LANE with a scalar base? Returns base, NULL if not.
static tiny_uop *tn_lane_step(tiny_ctx *t, tiny_uop *e, int64_t *step) {
  tn_term few[TN_FEW_WALKS], *todo = few, *x;
  tiny_uop *base = NULL;
  int n = 0, cap = TN_FEW_WALKS;
  *step = 0;
  if (e->lanes == 1) return e;
  x = TN_PUSH(t, todo, n, cap, tn_term);
  x->x = e; x->c = 1;
  while (n) {
    const tn_term m = todo[--n];
    if (m.x->op == TINY_OP_LANE) *step = tn_wrap_add(*step, m.c);
    else if (m.x->lanes == 1) {
      tiny_uop *part = m.c == 1 ? m.x : tn_u2(t, TINY_OP_MUL, m.x, tn_int(t, m.x->dtype, m.c));
      base = base ? tn_u2(t, TINY_OP_ADD, base, part) : part;
    } else if (m.x->op == TINY_OP_MUL && tn_is_const(m.x->src[1])) {
      x = TN_PUSH(t, todo, n, cap, tn_term);
      x->x = m.x->src[0]; x->c = tn_wrap_mul(m.c, m.x->src[1]->k);
    } else if (m.x->op == TINY_OP_ADD) for (int i = 2; i-- > 0;) {
      x = TN_PUSH(t, todo, n, cap, tn_term);
      x->x = m.x->src[i]; x->c = m.c;
    } else return NULL;
  }
  return base ? tn_simplify(t, base) : tn_index(t, 0);
}

// The same of a value, or of every value of a GROUP.
static tiny_uop *tn_lanes_of_all(tiny_ctx *t, tiny_uop *u, int lanes) {
  tn_list src = {NULL, 0, 0};
  if (u->op != TINY_OP_GROUP) return tn_lanes_of(t, u, lanes);
  for (uint32_t i = 0; i < u->nsrc; i++) tn_push(t, &src, tn_lanes_of(t, u->src[i], lanes));
  return tn_like(t, u, lanes, src.n, src.u);
}

static int64_t tn_memory_nelem(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m->op == TINY_OP_PARAM ? m->v[0] : m->op == TINY_OP_DEFINE ? m->v[1] : 0;
}

// Every step-th element from base on, from vectors that hold them all and nothing beyond the first and the last.
static tiny_uop *tn_lanes_deinterleave(tiny_ctx *t, tiny_uop *load, tiny_uop *base, int64_t step, int lanes) {
  const int64_t first = step < 0 ? step * (lanes - 1) : 0, last = (step < 0 ? -step : step) * (lanes - 1) + 1 - lanes;
  tn_list one = {NULL, 0, 0};
  for (int i = 0; i < lanes; i++) {
    const int64_t place = step * i - first, begin = place / lanes * lanes < last ? place / lanes * lanes : last;
    tiny_uop *element = tn_simplify(t, tn_u2(t, TINY_OP_ADD, base, tn_index(t, first + begin)));
    tn_push(t, &one, tn_pick(t, tn_load(t, tn_index_with(t, load->src[0], element, 1), lanes), place - begin, 1));
  }
  return tn_stack(t, lanes, one.u);
}

// A word of neighbours in memory for each lane, and the words lie beside each other: one load. NULL: it is none.
static tiny_uop *tn_lanes_packed(tiny_ctx *t, const tiny_uop *u, const tn_list *now) {
  tn_combined w;
  int64_t step = 0;
  if (u->op != TINY_OP_OR || !tn_combined_of(u, &w)) return NULL;
  tiny_uop *index = now->u[w.load[0]->src[0]->seq], *base = tn_lane_step(t, index->src[1], &step);
  if (!base || step != w.n) return NULL;
  tiny_uop *load = tn_load(t, tn_index_with(t, index, base, 1), w.n * index->src[1]->lanes);
  load = tn_cast(t, load, w.dtype);
  return tn_uop_make(t, TINY_OP_BITCAST, u->dtype, index->src[1]->lanes, 1, &load, 0, 0, NULL);
}

// A load whose index has lanes: contiguous, strided or gathered.
static tiny_uop *tn_lanes_load(tiny_ctx *t, tiny_uop *load) {
  tiny_uop *index = load->src[0], *base, *src[2] = {NULL, load->nsrc == 2 ? load->src[1] : NULL};
  int64_t step;
  const int scalar_valid = index->nsrc < 3 || index->src[2]->lanes == 1,
            lanes = index->src[1]->lanes > 1 ? index->src[1]->lanes :
      index->nsrc == 3                       ? index->src[2]->lanes :
                                               1;
  base = tn_lane_step(t, index->src[1], &step);
  if (base && step == 1) {
    src[0] = tn_index_with(t, index, base, 1);
    return tn_like(t, load, lanes, (int)load->nsrc, src);
  }
  // One element, for some lanes.
  if (base && step == 0 && !scalar_valid && load->nsrc == 1 && base->vmin >= 0 &&
      base->vmax < tn_memory_nelem(index->src[0])) {
    tiny_uop *one = tn_load_at(t, index->src[0], index->src[1]);
    return tn_u3(t, TINY_OP_WHERE, index->src[2], tn_lanes_of(t, one, lanes),
                 tn_lanes_of(t, tn_const(t, load->dtype, tn_dtype_value(load->dtype, 0)), lanes));
  }
  if (base && scalar_valid && load->nsrc == 1 && step && step >= -TN_DEINTERLEAVE && step <= TN_DEINTERLEAVE)
    return tn_lanes_deinterleave(t, load, base, step, lanes);
  if (base && scalar_valid && load->nsrc == 1) {
    tn_list one = {NULL, 0, 0};
    for (int i = 0; i < lanes; i++) {
      tiny_uop *at = tn_simplify(t, tn_u2(t, TINY_OP_ADD, base, tn_index(t, step * i)));
      tn_push(t, &one, tn_load(t, tn_index_with(t, index, at, 1), 1));
    }
    return tn_stack(t, lanes, one.u);
  }
  src[0] = tn_index_with(t, index, tn_lanes_of(t, index->src[1], lanes), lanes);
  return tn_like(t, load, lanes, (int)load->nsrc, src);
}

static tiny_uop *tn_lanes_store(tiny_ctx *t, tiny_uop *store) {
  tiny_uop *index = store->src[0], *element = index->src[1];
  int lanes = store->src[1]->lanes;
  if (element->lanes > lanes) lanes = element->lanes;
  int64_t step;
  tiny_uop *base = tn_lane_step(t, element, &step);
  if (base && step && step != 1 && (index->nsrc < 3 || index->src[2]->lanes == 1)) {
    tn_list one = {NULL, 0, 0};            // apart from each other: lane by lane
    tiny_uop *value = tn_lanes_of(t, store->src[1], lanes);
    for (int i = 0; i < lanes; i++) {
      tiny_uop *at = tn_simplify(t, tn_u2(t, TINY_OP_ADD, base, tn_index(t, step * i)));
      tn_push(t, &one, tn_store_as(t, store, tn_index_with(t, index, at, 1), tn_pick(t, value, i, 1)));
    }
    return tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &one);
  }
  index = base && step == 1 ? tn_index_with(t, index, base, 1) :
                              tn_index_with(t, index, tn_lanes_of(t, element, lanes), lanes);
  return tn_store_as(t, store, index, tn_lanes_of(t, store->src[1], lanes));
}

// Lanes lie beside each other, or near the first.
static tiny_uop *tn_lanes_prefetch(tiny_ctx *t, tiny_uop *index) {
  int64_t step;
  tiny_uop *base = tn_lane_step(t, index->src[1], &step), *first = base;
  if (!base) first = tn_pick(t, index->src[1], 0, 1);
  return tn_prefetch(t, tn_index_with(t, index, first, 1));
}

static int tn_is_listed(const tn_list *list, const tiny_uop *u) {
  for (int i = 0; i < list->n; i++) if (list->u[i] == u) return 1;
  return 0;
}
// The range of these that u closes; NULL: none.
static tiny_uop *tn_closed_of(const tiny_uop *u, const tn_list *ranges) {
  for (int i = 0; i < ranges->n; i++) if (tn_closes(u, ranges->u[i])) return ranges->u[i];
  return NULL;
}

// One node over lanes of these ranges, its sources done. REDUCE over one reduces its lanes; END drops them.
static tiny_uop *tn_lanes_node(tiny_ctx *t, tiny_uop *u, tiny_uop **src, const tn_list *ranges,
                               const tn_registers *registers) {
  if (u->op == TINY_OP_END || u->op == TINY_OP_REDUCE) {
    tn_list now = {NULL, 0, 0};
    const tiny_uop *r = tn_closed_of(u, ranges);
    for (uint32_t i = 0; i < u->nsrc; i++) if (!i || !tn_is_listed(ranges, u->src[i])) tn_push(t, &now, src[i]);
    if (u->op == TINY_OP_END) return tn_end(t, now.u[0], now.n - 1, now.u + 1);
    // The same in every lane.
    if (r && now.u[0]->lanes == 1) now.u[0] = tn_lanes_of_all(t, now.u[0], (int)tn_range_extent(r));
    tiny_uop *x = tn_like(t, u, now.u[0]->lanes, now.n, now.u);
    return r ? tn_uop_make(t, TINY_OP_HREDUCE, u->dtype, 1, 1, &x, u->k, 0, NULL) : x;
  }
  if (u->op == TINY_OP_GROUP) {            // of values: all as wide as the widest
    int lanes = 1;
    for (uint32_t i = 0; i < u->nsrc; i++) if (src[i]->lanes > lanes) lanes = src[i]->lanes;
    tiny_uop *group = tn_like(t, u, 1, (int)u->nsrc, src);
    return u->dtype == TINY_VOID || lanes == 1 ? group : tn_lanes_of_all(t, group, lanes);
  }
  if (u->op == TINY_OP_INDEX) {
    // its lanes were told apart before, those of another range
    for (uint32_t i = 1; i < u->nsrc; i++) if (u->src[i]->lanes > 1) return tn_uop_with(t, u, src);
    int lanes = src[1]->lanes;
    if (u->nsrc == 3 && src[2]->lanes > lanes) lanes = src[2]->lanes;
    return tn_like(t, u, lanes, (int)u->nsrc, src);
  }
  if (u->op == TINY_OP_SHUFFLE) return tn_like(t, u, src[0]->lanes, 1, src);
  if (u->op == TINY_OP_AFTER)              // lanes of what it waits for are not its own
    return tn_like(t, u, src[0]->lanes, (int)u->nsrc, src);
  if (tn_is_registers(u) && src[0]->lanes > 1)
    return tn_registers_lanes(t, registers, u, src[0]->src[0], src[0]->lanes);
  if (u->op == TINY_OP_LOAD && src[0]->lanes > 1)
    return tn_lanes_load(t, tn_like(t, u, src[0]->lanes, (int)u->nsrc, src));
  if (u->op == TINY_OP_PREFETCH && src[0]->lanes > 1) return tn_lanes_prefetch(t, src[0]);
  if (u->op == TINY_OP_STORE && src[0]->lanes > 1) return tn_lanes_store(t, tn_uop_with(t, u, src));
  return tn_uop_with(t, u, src);
}

// Ranges of lanes, of which no REDUCE closes two.
static void tn_lanes_next(tiny_ctx *t, const tn_list *all, tn_list *ranges) {
  for (int i = 0; i < all->n; i++) {
    tiny_uop *r = all->u[i];
    if (r->op != TINY_OP_RANGE || tn_range_kind(r) != TN_VECTOR) continue;
    int apart = 1;
    for (int j = 0; j < all->n && apart && ranges->n; j++)
      apart = all->u[j]->op != TINY_OP_REDUCE || !tn_closes(all->u[j], r) || !tn_closed_of(all->u[j], ranges);
    if (apart) tn_push(t, ranges, r);
  }
}

static tiny_uop *tn_expand_lanes(tiny_ctx *t, tiny_uop *sink) {
  if (tn_may_hold_bits(sink, tn_op_bit(TINY_OP_STAGE))) sink = tn_remake(t, sink, TINY_OP_LOAD, tn_registers_read);
  for (;;) {
    tn_list all = {NULL, 0, 0}, ranges = {NULL, 0, 0};
    tn_toposort(t, sink, &all);
    tn_lanes_next(t, &all, &ranges);
    if (!ranges.n) return sink;
    const tn_registers registers = tn_registers_of(t, &all, &ranges);
    // index expressions first, simplified over LANE; then the nodes that use them
    for (int i = 0; i < all.n; i++) {
      tiny_uop *u = all.u[i], *now = u;
      if (u->op == TINY_OP_RANGE && tn_is_listed(&ranges, u))
        now = tn_uop_make(t, TINY_OP_LANE, TINY_INDEX, (int)tn_range_extent(u), 0, NULL, 0, 0, NULL);
      else if (u->nsrc) {
        tiny_uop *few[8], **src = u->nsrc <= 8 ? few : (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
        int changed = 0;
        for (uint32_t j = 0; j < u->nsrc; j++) {
          src[j] = all.u[u->src[j]->seq];
          changed |= src[j] != u->src[j];
        }
        if (changed && u->op == TINY_OP_INDEX)
          for (uint32_t j = 1; j < u->nsrc; j++)
            if (src[j] != u->src[j]) src[j] = tn_simplify(t, src[j]);
        tiny_uop *word = changed ? tn_lanes_packed(t, u, &all) : NULL;
        if (changed) now = word ? word : tn_lanes_node(t, u, src, &ranges, &registers);
      }
      u->seq = (uint32_t)i;                // where its place in the list says what it is now
      all.u[i] = now;
    }
    sink = all.u[all.n - 1];
  }
}
#endif
