// expand: STAGE becomes memory, stores and barriers; UPCAST, UNROLL and VECTOR ranges become copies and lanes.
//
// In:  a kernel after its opts. Out: the same without STAGE and without those kinds of ranges.
// UPCAST and UNROLL put each value of the range in place of it: what does not depend on it is
// shared by hash-consing, so a tile of accumulators loads every operand once. VECTOR puts LANE in
// its place; lanes spread to whatever depends on it. Then INDEX nodes of lanes are told apart:
// step 1 is a contiguous access, other constant steps single loads, the rest gathers.
#ifndef TN_CODEGEN_EXPAND
#define TN_CODEGEN_EXPAND
#ifndef TINY_AMALGAMATED
#include "boxes.c"
#endif

static int tn_is_item(const tiny_uop *r) {
  return tn_range_kind(r) == TN_LOCAL || tn_range_kind(r) == TN_GROUP;
}

// Do values of r exist side by side, in items or copies of a group?
static int tn_is_parallel(const tiny_uop *r) {
  const int kind = tn_range_kind(r);
  return tn_is_item(r) || kind == TN_UPCAST || kind == TN_UNROLL || kind == TN_VECTOR;
}

// Does u end range r?
static int tn_closes(const tiny_uop *u, const tiny_uop *r) {
  const int from = tn_is_carried(u) ? -1 : tn_ranges_from(u->op);
  for (uint32_t i = from < 0 ? u->nsrc : (uint32_t)from; i < u->nsrc; i++) if (u->src[i] == r) return 1;
  return 0;
}

// Is r open at the last of these nodes, sources first? Some of them close it. They are all that may hold r.
static int tn_is_open_after(tiny_ctx *t, const tn_list *all, const tiny_uop *r) {
  uint8_t *open = (uint8_t *)tn_scratch(t, (size_t)all->n + 1);
  for (int i = 0; i < all->n; i++) {
    tiny_uop *u = all->u[i];
    u->seq = (uint32_t)i;
    open[i] = u == r;
    if (!tn_may_hold(u, r) || tn_closes(u, r)) continue;
    for (uint32_t j = 0; j < u->nsrc && !open[i]; j++) {
      const int at = tn_place_in(all, i, u->src[j]);
      open[i] = at >= 0 && open[at];
    }
  }
  return all->n && open[all->n - 1];
}

// Ranges that are open around u: wanted ones that it depends on, and not by way of what closes them alone.
static void tn_open_ranges(tiny_ctx *t, tiny_uop *u, int (*wanted)(const tiny_uop *r), tn_list *open) {
  tn_list all = {NULL, 0, 0}, closing = {NULL, 0, 0};
  tn_toposort_holding(t, u, tn_op_bit(TINY_OP_RANGE), &all);
  for (int i = 0; i < all.n; i++) if (tn_ranges_from(all.u[i]->op) >= 0) tn_push(t, &closing, all.u[i]);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *r = all.u[i];
    int closed = 0;
    if (r->op != TINY_OP_RANGE || !wanted(r)) continue;
    for (int j = 0; j < closing.n && !closed; j++) closed = tn_closes(closing.u[j], r);
    if (!closed || tn_is_open_after(t, &all, r)) tn_push(t, open, r);
  }
}
static int tn_is_open(tiny_ctx *t, tiny_uop *u, const tiny_uop *r) {
  tn_list all = {NULL, 0, 0};
  tn_toposort_holding(t, u, r->within, &all);
  return tn_is_open_after(t, &all, r);
}
static int tn_is_any(const tiny_uop *r) { (void)r; return 1; }
static int tn_is_loop(const tiny_uop *r) { return tn_range_kind(r) == TN_LOOP || tn_range_kind(r) == TN_REDUCE; }
static void tn_open_loops(tiny_ctx *t, tiny_uop *u, tn_list *open) { tn_open_ranges(t, u, tn_is_loop, open); }

// Work items outside of the STAGE's own ranges that its value differs by: each has a part of the memory to itself.
static tiny_uop *tn_stage_owner(tiny_ctx *t, tiny_uop *stage, int64_t *owners) {
  tn_list ranges = {NULL, 0, 0};
  tiny_uop *owner = tn_index(t, 0);
  *owners = 1;
  tn_open_ranges(t, stage->src[0], tn_is_parallel, &ranges);
  for (int i = 0; i < ranges.n; i++) {
    if (tn_closes(stage, ranges.u[i])) continue;
    const int64_t n = tn_range_extent(ranges.u[i]);
    owner = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, owner, tn_index(t, n)), ranges.u[i]);
    *owners *= n;
  }
  return owner;
}

// Items that all have the same to store: the first of them does.
static tiny_uop *tn_stage_filler(tiny_ctx *t, tiny_uop *sink, tiny_uop *stage) {
  tn_list ranges = {NULL, 0, 0}, open = {NULL, 0, 0};
  tiny_uop *first = tn_bool(t, 1);
  for (uint32_t i = 1; i < stage->nsrc; i++) if (tn_range_kind(stage->src[i]) == TN_SHARE) return first;   // all do
  tn_collect_op(t, sink, TINY_OP_RANGE, &ranges);
  tn_open_ranges(t, stage->src[0], tn_is_item, &open);
  for (int i = 0; i < ranges.n; i++) {
    tiny_uop *r = ranges.u[i];
    int differs = tn_stage_space(stage) != TN_SPACE_LOCAL || !tn_is_item(r) || tn_closes(stage, r);
    for (int j = 0; j < open.n; j++) differs |= open.u[j] == r;
    if (differs) continue;
    first = tn_u2(t, TINY_OP_AND, first, tn_u2(t, TINY_OP_LT, r, tn_index(t, 1)));
  }
  return tn_simplify(t, first);
}

enum { TN_NO_PLACE = 1 << 20 };            // more than the loops of any END

// Elements of a load: of lanes that are, or that are still to be, loops of kind VECTOR.
static int64_t tn_load_width(tiny_ctx *t, const tiny_uop *load) {
  tn_list ranges = {NULL, 0, 0};
  int64_t width = load->lanes;
  tn_collect_op(t, load->src[0]->src[1], TINY_OP_RANGE, &ranges);
  for (int i = 0; i < ranges.n; i++)
    if (tn_range_kind(ranges.u[i]) == TN_VECTOR && tn_stride_in(t, load->src[0]->src[1], ranges.u[i]) == 1)
      width *= tn_range_extent(ranges.u[i]);
  return width;
}
// Does some load of memory outside of the kernel read what lies together for values of r, elements or vectors?
static int tn_reads_together(tiny_ctx *t, const tn_list *loads, const tiny_uop *r) {
  for (int i = 0; i < loads->n; i++) {
    if (loads->u[i]->src[0]->src[0]->op != TINY_OP_PARAM) continue;
    const int64_t step = tn_stride_in(t, loads->u[i]->src[0]->src[1], r);
    if (step == 1 || (step > 1 && step == tn_load_width(t, loads->u[i]))) return 1;
  }
  return 0;
}

// Where r stands among the loops of its END. Those of no END, which share a sum, come last where they read what lies
// together or are lanes of a unit, else first; of two the older one.
static int64_t tn_loop_place(tiny_ctx *t, const tn_list *ends, const tn_list *loads, int units, const tiny_uop *r) {
  for (int i = ends->n - 1; i >= 0; i--)
    for (uint32_t j = 1; j < ends->u[i]->nsrc; j++) if (ends->u[i]->src[j] == r) return j;
  return (units || tn_reads_together(t, loads, r) ? TN_NO_PLACE : -TN_NO_PLACE) + (r->k >> 8) % TN_NO_PLACE;
}

// Ranges of the wanted kinds in the order in which they are numbered, the last one fastest.
static void tn_numbered(tiny_ctx *t, tiny_uop *sink, int (*wanted)(const tiny_uop *r), tn_list *items) {
  tn_list all = {NULL, 0, 0}, ends = {NULL, 0, 0}, loads = {NULL, 0, 0};
  const int units = tn_may_hold_bits(sink, tn_op_bit(TINY_OP_WMMA));
  tn_toposort_holding(t, sink, tn_op_bit(TINY_OP_RANGE), &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_RANGE && wanted(u)) tn_push(t, items, u);
    if (u->op == TINY_OP_END) tn_push(t, &ends, u);
    if (u->op == TINY_OP_LOAD) tn_push(t, &loads, u);
  }
  int64_t *place = (int64_t *)tn_scratch(t, ((size_t)items->n + 1) * sizeof *place);
  for (int i = 0; i < items->n; i++) {     // sorted as they loop
    tiny_uop *r = items->u[i];
    const int64_t at = tn_loop_place(t, &ends, &loads, units, r);
    int j = i;
    for (; j && place[j - 1] > at; j--) { place[j] = place[j - 1]; items->u[j] = items->u[j - 1]; }
    place[j] = at;
    items->u[j] = r;
  }
}

// ** copies that the items of a group share **

// How far apart in memory the values of r are that a copy reads; a large number where that is not known.
static int64_t tn_share_step(tiny_ctx *t, tiny_uop *value, const tiny_uop *r) {
  tn_list loads = {NULL, 0, 0};
  int64_t most = 0;
  tn_collect_op(t, value, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    const int64_t step = tn_stride_in(t, loads.u[i]->src[0]->src[1], r);
    if (step == TN_IRREGULAR) return INT64_MAX;
    if (most < (step < 0 ? -step : step)) most = step < 0 ? -step : step;
  }
  return most;
}

enum { TN_SHARE_COPIES = 16 };             // parts that an item copies one beside the other

// The loops of kind SHARE of a STAGE become one over parts as large as the group, of which each item copies an element:
// neighbours those that lie together. from: the loops, to: what stands for them. Returns the loop, NULL: there is one
// part; *valid: where there is such an element.
static tiny_uop *tn_share_copy(tiny_ctx *t, tiny_uop *sink, const tiny_uop *stage, tn_list *from, tn_list *to,
                               tiny_uop **valid) {
  tn_list items = {NULL, 0, 0};
  int64_t nelem = 1, group = 1, step[TINY_MAX_DIMS + 1];
  tiny_uop *element = tn_index(t, 0);
  for (uint32_t i = 1; i < stage->nsrc; i++) {
    tiny_uop *r = stage->src[i];
    if (tn_range_kind(r) != TN_SHARE) continue;
    int64_t size = tn_share_step(t, stage->src[0], r);
    int at = from->n;
    tn_push(t, from, r);
    for (; at && step[at - 1] < size; at--) { step[at] = step[at - 1]; from->u[at] = from->u[at - 1]; }
    step[at] = size;
    from->u[at] = r;
    nelem *= tn_range_extent(r);
  }
  if (!from->n) return NULL;
  tn_numbered(t, sink, tn_is_item, &items);
  for (int i = 0; i < items.n; i++) {
    const int64_t n = tn_range_extent(items.u[i]);
    element = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, element, tn_index(t, n)), items.u[i]);
    group *= n;
  }
  const int64_t parts = (nelem + group - 1) / group;
  const int beside = tn_stage_ahead(stage) && parts <= TN_SHARE_COPIES;      // all are loaded before any is stored
  tiny_uop *part = parts > 1 ? tn_range(t, parts, beside ? TN_UPCAST : TN_LOOP) : NULL;
  if (part) element = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, part, tn_index(t, group)), element);
  if (nelem % group) {                     // beyond the last one the last one is read, and not stored
    *valid = tn_u2(t, TINY_OP_LT, element, tn_index(t, nelem));
    element = tn_u2(t, TINY_OP_MUL, element, tn_index(t, -1));
    element = tn_u2(t, TINY_OP_MUL, tn_u2(t, TINY_OP_MAX, element, tn_index(t, 1 - nelem)), tn_index(t, -1));
  }
  for (int i = 0; i < from->n; i++) tn_push(t, to, NULL);
  for (int i = from->n - 1; i >= 0; i--) {
    tiny_uop *n = tn_index(t, tn_range_extent(from->u[i]));
    to->u[i] = i ? tn_u2(t, TINY_OP_MOD, element, n) : element;
    element = tn_u2(t, TINY_OP_IDIV, element, n);
  }
  return part;
}

// The LOOP range of a staged REDUCE: the REDUCE is done in the STAGE's memory, and each iteration adds to all of it.
static tiny_uop *tn_stage_kblocks(const tiny_uop *stage) {
  const tiny_uop *u = stage->src[0];
  for (uint32_t i = 1; u->op == TINY_OP_REDUCE && i < u->nsrc; i++)
    if (tn_range_kind(u->src[i]) == TN_LOOP) return u->src[i];
  return NULL;
}

// `memory` set to the identity of the STAGE's REDUCE, within the loops that are open around it. Tiles are cleared as
// the elements that they consist of.
static tiny_uop *tn_stage_cleared(tiny_ctx *t, const tiny_uop *stage, tiny_uop *memory, tiny_uop *flat,
                                  const tn_list *open) {
  tn_list ranges = {NULL, 0, 0};
  tiny_uop *element = tn_range(t, stage->lanes, TN_LOOP), *start = tn_after_all(t, memory, open);
  for (uint32_t i = 1; i < stage->nsrc; i++)
    tn_push(t, &ranges, tn_range(t, tn_range_extent(stage->src[i]), tn_range_kind(stage->src[i])));
  tiny_uop *at = tn_replace(t, flat, (int)stage->nsrc - 1, stage->src + 1, ranges.u);
  if (stage->lanes > 1) {
    tn_push(t, &ranges, element);
    at = tn_u2(t, TINY_OP_ADD, at, element);
  }
  tiny_uop *identity = tn_const(t, stage->dtype, tn_reduce_identity((int)stage->src[0]->k, stage->dtype)),
           *store = tn_store(t, tn_index_of(t, start, at, NULL), identity);
  return tn_after(t, memory, tn_end(t, store, ranges.n, ranges.u));
}

// What an iteration leaves in memory: what was there, and the REDUCE over the other ranges.
static tiny_uop *tn_stage_added(tiny_ctx *t, const tiny_uop *reduce, const tiny_uop *kblocks, tiny_uop *index) {
  tn_list src = {NULL, 0, 0};
  for (uint32_t i = 0; i < reduce->nsrc; i++) if (reduce->src[i] != kblocks) tn_push(t, &src, reduce->src[i]);
  tiny_uop *part = src.n == 1 ? src.u[0] : tn_like(t, reduce, reduce->lanes, src.n, src.u);
  return tn_u2(t, (int)reduce->k, tn_load(t, index, reduce->lanes), part);
}

// How a STAGE's memory is filled: the element at `flat` of an owner's part with `value` where `valid` holds, by the
// loops of `end`. Parts lie one after the other, or the owners' elements beside each other where neighbours among the
// items are owners.
typedef struct tn_filling {
  tiny_uop *owner, *flat, *value, *valid;
  int64_t owners, elements;
  int beside;
  tn_list end;
  tn_box box;                              // of a STAGE that is filled by BULKs, and nothing else is looked at
} tn_filling;

// Are neighbours among the items owners?
static int tn_stage_beside(tiny_ctx *t, tiny_uop *sink, const tiny_uop *stage) {
  tn_list items = {NULL, 0, 0};
  int parts = 0;
  tn_numbered(t, sink, tn_is_item, &items);
  for (int i = 0; i < items.n; i++) parts |= tn_closes(stage, items.u[i]);
  return parts && !tn_closes(stage, items.u[items.n - 1]) && stage->lanes == 1;
}
// Where an element of an owner's part lies.
static tiny_uop *tn_stage_place(tiny_ctx *t, const tn_filling *f, int64_t elements, tiny_uop *element) {
  if (f->beside)
    return tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, element, tn_index(t, f->owners)), f->owner);
  return tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, f->owner, tn_index(t, elements)), element);
}

static void tn_filling_of(tiny_ctx *t, tiny_uop *sink, tiny_uop *stage, tn_filling *f) {
  tn_list shares = {NULL, 0, 0}, parts = {NULL, 0, 0};
  memset(f, 0, sizeof *f);
  f->elements = tn_stage_nelem(stage);
  if (tn_stage_is_bulk(stage)) {
    f->owner = tn_index(t, 0); f->owners = 1;
    tn_box_of(t, stage, &f->box);          // it is: tn_expand_boxes
    return;
  }
  f->owner = tn_stage_owner(t, stage, &f->owners);
  f->value = stage->src[0];
  f->valid = tn_stage_filler(t, sink, stage);
  tiny_uop *element = tn_stage_element(t, stage, stage->src + 1);
  f->beside = tn_stage_beside(t, sink, stage);
  f->flat = tn_stage_place(t, f, f->elements, element);
  if (tn_stage_kblocks(stage)) tn_push(t, &f->end, tn_stage_kblocks(stage));
  for (uint32_t i = 1; i < stage->nsrc; i++)
    if (!tn_is_item(stage->src[i]) && tn_range_kind(stage->src[i]) != TN_SHARE) tn_push(t, &f->end, stage->src[i]);
  if (stage->lanes > 1) f->flat = tn_u2(t, TINY_OP_MUL, f->flat, tn_index(t, stage->lanes));
  tiny_uop *part = TN_GPU ? tn_share_copy(t, sink, stage, &shares, &parts, &f->valid) : NULL;
  if (part) tn_push(t, &f->end, part);
  if (!shares.n) return;
  f->value = tn_replace(t, f->value, shares.n, shares.u, parts.u);
  f->flat = tn_replace(t, f->flat, shares.n, shares.u, parts.u);
}

// What reads a STAGE reads `filled` instead, from element `begin` on (NULL: from the first). Appends it to from and to.
static void tn_stage_reads(tiny_ctx *t, tiny_uop *sink, const tiny_uop *stage, const tn_filling *f, tiny_uop *filled,
                           tiny_uop *begin, tn_list *from, tn_list *to) {
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_INDEX, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *src[3];
    if (u->src[0] != stage) continue;
    src[0] = filled;
    src[1] = tn_stage_place(t, f, f->elements * stage->lanes, u->src[1]);
    if (begin) src[1] = tn_u2(t, TINY_OP_ADD, begin, src[1]);
    src[2] = u->nsrc == 3 ? u->src[2] : NULL;
    tn_push(t, from, u);
    tn_push(t, to, tn_uop_with(t, u, src));
  }
}

// One STAGE as memory: its uses read the memory after the stores that fill it.
static tiny_uop *tn_expand_stage(tiny_ctx *t, tiny_uop *sink, tiny_uop *stage, int shared) {
  const int space = tn_stage_space(stage), wait = shared && space == TN_SPACE_LOCAL;
  tn_list open = {NULL, 0, 0}, from = {NULL, 0, 0}, now = {NULL, 0, 0};
  tn_filling f;
  tiny_uop *kblocks = tn_stage_kblocks(stage);
  tn_filling_of(t, sink, stage, &f);
  tiny_uop *memory = tn_define(t, stage->dtype, 1, space, f.elements * stage->lanes * f.owners), *to = memory;
  tn_open_loops(t, stage, &open);
  if (wait && open.n) {                    // not before all items are done with the last iteration's contents
    to = tn_after(t, memory, tn_node_of(t, TINY_OP_BARRIER, TINY_VOID, &open));
  }
  if (tn_stage_is_bulk(stage)) {
    const int64_t first = tn_box_slots(t, sink);
    tiny_uop *slot = tn_index(t, first), *copy = tn_box_copies(t, &f.box, 0, NULL, NULL, NULL, to, tn_index(t, 0), slot,
                                                               tn_bulk_k(tn_box_count(&f.box), first, first + 1));
    const tn_list done = {&copy, 1, 1};
    tn_stage_reads(t, sink, stage, &f, tn_after(t, memory, tn_barrier_boxes(t, slot, &done, 0)), NULL, &from, &now);
    return tn_replace(t, sink, from.n, from.u, now.u);
  }
  if (kblocks) {                            // in each of them: what is read was added to by the one before
    const tiny_uop *cleared = tn_stage_cleared(t, stage, to, f.flat, &open);
    tiny_uop *src[3] = {cleared->src[0], cleared->src[1], kblocks};
    to = tn_like(t, cleared, 1, 3, src);
  }
  tiny_uop *index = tn_index_of(t, to, f.flat, f.valid);
  if (kblocks) f.value = tn_stage_added(t, stage->src[0], kblocks, index);
  tiny_uop *done = tn_end(t, tn_store(t, index, f.value), f.end.n, f.end.u);
  tn_stage_reads(t, sink, stage, &f, tn_after(t, memory, wait ? tn_barrier(t, done) : done), NULL, &from, &now);
  return tn_replace(t, sink, from.n, from.u, now.u);
}

// ** STAGEs that are copied ahead: each has memory for as many iterations more, one after the other **
//
//   for the first iterations           copy
//   BARRIER                            which waits for all of that, unless that in the loop does
//   for each iteration                 BARRIER: copies for this one are there, and nobody reads those of the last one
//                                      copy what is read `ahead` iterations later, to where those of the last one were
//                                      compute
// Copies stand in an END of the loop's range, beside the REDUCEs that close it, which become one loop (lower.c). Their
// STOREs happen later: when, the device chooses, or the order of the list (linearize.c).

// The loop around a STAGE that it is copied ahead in: the innermost that REDUCEs close, all of them with the same
// others. NULL: there is none.
static tiny_uop *tn_stage_loop(tiny_ctx *t, tiny_uop *sink, tiny_uop *stage) {
  tn_list open = {NULL, 0, 0}, reduces = {NULL, 0, 0};
  const tiny_uop *of = NULL;
  tiny_uop *loop = NULL;
  tn_open_loops(t, stage, &open);
  tn_collect_op(t, sink, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i], *inner = NULL;
    for (uint32_t j = 1; j < u->nsrc; j++)
      for (int k = 0; k < open.n; k++)
        if (u->src[j] == open.u[k] && tn_range_kind(u->src[j]) == TN_REDUCE) inner = u->src[j];
    if (!inner) continue;
    const int differs = of &&
        (of->nsrc != u->nsrc || memcmp(of->src + 1, u->src + 1, (u->nsrc - 1) * sizeof *u->src) != 0);
    if (tn_is_carried(u) || differs) return NULL;
    of = u;
    loop = inner;
  }
  return loop;
}

// Loops around `loop`, in each iteration of which it begins anew: those that a REDUCE over it stands in, and the stage.
static void tn_ahead_around(tiny_ctx *t, tiny_uop *sink, const tiny_uop *loop, tiny_uop *stage, tn_list *around) {
  tn_list all = {NULL, 0, 0}, reduces = {NULL, 0, 0};
  tn_open_loops(t, stage, &all);
  tn_collect_op(t, sink, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i];
    if (!tn_closes(u, loop)) continue;
    tn_open_loops(t, u, &all);
    for (uint32_t j = 1; u->src[j] != loop; j++) tn_push(t, &all, u->src[j]);
  }
  for (int i = 0; i < all.n; i++) {
    int known = all.u[i] == loop || !tn_is_loop(all.u[i]);
    for (int j = 0; j < around->n; j++) known |= around->u[j] == all.u[i];
    if (!known) tn_push(t, around, all.u[i]);
  }
}

// Slots that boxes of a loop are copied to, from one on, and how many copies fill each.
typedef struct tn_ahead_boxes { int64_t first, copies; } tn_ahead_boxes;
static tiny_uop *tn_ahead_slot(tiny_ctx *t, const tn_ahead_boxes *b, tiny_uop *at, int64_t slots) {
  return tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MOD, at, tn_index(t, slots)), tn_index(t, b->first));
}

// The copy of iteration `at` of the loop to memory `to`, of `slots` parts; nothing is read where `valid` does not hold.
static tiny_uop *tn_ahead_copy(tiny_ctx *t, const tn_filling *f, const tn_ahead_boxes *boxes, tiny_uop *loop,
                               tiny_uop *at, tiny_uop *valid, tiny_uop *to, int64_t slots) {
  tn_list from = {NULL, 0, 0}, now = {NULL, 0, 0}, index = {NULL, 0, 0}, gated = {NULL, 0, 0};
  tiny_uop *part = tn_u2(t, TINY_OP_MUL, tn_u2(t, TINY_OP_MOD, at, tn_index(t, slots)),
                         tn_index(t, f->elements * f->owners));
  if (f->box.memory)
    return tn_box_copies(t, &f->box, 1, &loop, &at, valid, to, part, tn_ahead_slot(t, boxes, at, slots),
                         tn_bulk_k(boxes->copies, boxes->first, boxes->first + slots));
  for (int i = 0; i < f->end.n; i++) {     // loops of its own
    tn_push(t, &from, f->end.u[i]);
    tn_push(t, &now, tn_range(t, tn_range_extent(f->end.u[i]), tn_range_kind(f->end.u[i])));
  }
  tn_push(t, &from, loop);
  tn_push(t, &now, at);
  tiny_uop *flat = tn_u2(t, TINY_OP_ADD, part, tn_replace(t, f->flat, f->end.n, from.u, now.u)),
           *in = tn_replace(t, f->valid, f->end.n, from.u, now.u);
  tiny_uop *value = tn_replace(t, f->value, from.n, from.u, now.u);
  tn_collect_op(t, value, TINY_OP_INDEX, &index);
  for (int i = 0; i < index.n; i++) {
    const tiny_uop *u = index.u[i];
    tiny_uop *both = u->nsrc == 3 ? tn_u2(t, TINY_OP_AND, u->src[2], valid) : valid;
    tn_push(t, &gated, tn_index_of(t, u->src[0], u->src[1], both));
  }
  value = tn_replace(t, value, index.n, index.u, gated.u);
  return tn_end(t, tn_store_later(t, tn_index_of(t, to, flat, in), value), f->end.n, now.u);
}

// What the first iterations of the loop, from `start` on, read: END, after which it is under way.
static tiny_uop *tn_ahead_begin(tiny_ctx *t, const tn_filling *f, const tn_ahead_boxes *boxes, tiny_uop *loop,
                                tiny_uop *start, tiny_uop *to, int64_t ahead) {
  const int64_t n = tn_range_extent(loop), first = ahead < n ? ahead : n;
  tiny_uop *r = first > 1 ? tn_range(t, first, TN_LOOP) : NULL, *at = start;
  if (r) at = at ? tn_u2(t, TINY_OP_ADD, at, r) : r;
  if (!at) at = tn_index(t, 0);
  tiny_uop *valid = start ? tn_u2(t, TINY_OP_LT, at, tn_index(t, n)) : tn_bool(t, 1),
           *copy = tn_ahead_copy(t, f, boxes, loop, at, valid, to, ahead + 1);
  return r ? tn_end(t, copy, 1, &r) : copy;
}

enum { TN_AHEAD_STAGES = 8 };              // of one loop, that are copied ahead together
typedef struct tn_ahead {
  tiny_uop *stage[TN_AHEAD_STAGES], *memory[TN_AHEAD_STAGES];
  tn_filling f[TN_AHEAD_STAGES];
  int n;
  tn_ahead_boxes boxes;
} tn_ahead;

// STAGEs that are copied ahead in the loop, none of which another one reads.
static void tn_ahead_of(tiny_ctx *t, tiny_uop *sink, const tiny_uop *loop, const tn_list *stages, tn_ahead *a) {
  a->n = 0;
  for (int i = 0; i < stages->n && a->n < TN_AHEAD_STAGES; i++) {
    tiny_uop *u = stages->u[i];
    if (!tn_stage_ahead(u) || tn_stage_loop(t, sink, u) != loop) continue;
    int reads = 0;
    for (int j = 0; j < a->n; j++) reads |= tn_depends(t, u, a->stage[j]);
    if (!reads) a->stage[a->n++] = u;
  }
}

// The kernel's stores that the loop leads to come after what is copied in it.
static tiny_uop *tn_ahead_hold(tiny_ctx *t, tiny_uop *sink, const tiny_uop *loop, tiny_uop *done) {
  tn_list stores = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_STORE, &stores);
  for (int i = 0; i < stores.n; i++) {
    tiny_uop *u = stores.u[i];
    tn_list ranges = {NULL, 0, 0};
    int leads = 0;
    tn_collect_op(t, u->src[1], TINY_OP_RANGE, &ranges);
    for (int r = 0; r < ranges.n; r++) leads |= ranges.u[r] == loop;
    tiny_uop *index = u->src[0], *src[3] = {tn_after(t, index->src[0], done), index->src[1],
                                            index->nsrc == 3 ? index->src[2] : NULL};
    if (tn_memory_behind(index->src[0])->op != TINY_OP_PARAM || !leads) continue;
    tn_push(t, &from, u);
    tn_push(t, &to, tn_store_as(t, u, tn_like(t, index, index->lanes, (int)index->nsrc, src), u->src[1]));
  }
  return tn_replace(t, sink, from.n, from.u, to.u);
}

// What fills each STAGE. Returns the least number of iterations that one is copied ahead by STOREs; 0: there are none.
static int64_t tn_ahead_fill(tiny_ctx *t, tiny_uop *sink, tn_ahead *a) {
  int64_t least = 0;
  a->boxes.first = tn_box_slots(t, sink);
  a->boxes.copies = 0;
  for (int i = 0; i < a->n; i++) {
    const int64_t ahead = tn_stage_ahead(a->stage[i]);
    tn_filling_of(t, sink, a->stage[i], &a->f[i]);
    if (a->f[i].box.memory) a->boxes.copies += tn_box_count(&a->f[i].box);
    else if (!least || ahead < least) least = ahead;
  }
  return least;
}
// The barrier of each iteration: what it reads is there, and nobody reads what the last one had.
static tiny_uop *tn_ahead_turn(tiny_ctx *t, const tn_ahead *a, tiny_uop *loop, const tn_list *begun, int64_t least) {
  tn_list wait = {NULL, 0, 0};
  int64_t slots = 0;
  for (int i = 0; i < a->n; i++) if (a->f[i].box.memory) slots = tn_stage_ahead(a->stage[i]) + 1;
  if (least > 1) tn_push(t, &wait, tn_barrier_wait(t, begun, 0));
  for (int i = 0; i < begun->n && least <= 1; i++) tn_push(t, &wait, begun->u[i]);
  tn_push(t, &wait, loop);
  return slots ? tn_barrier_boxes(t, tn_ahead_slot(t, &a->boxes, loop, slots), &wait, least) :
                 tn_barrier_wait(t, &wait, least - 1);
}

// start: the first iteration of the loop, where that is not 0; NULL: it is.
static tiny_uop *tn_expand_ahead(tiny_ctx *t, tiny_uop *sink, tiny_uop *loop, tiny_uop *start, const tn_list *stages) {
  tn_ahead *a = (tn_ahead *)tn_scratch(t, sizeof *a);
  tn_list around = {NULL, 0, 0}, begun = {NULL, 0, 0}, copies = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_ahead_of(t, sink, loop, stages, a);
  tn_ahead_around(t, sink, loop, a->stage[0], &around);
  tiny_uop *free_now = around.n ? tn_barrier_wait(t, &around, 0) : NULL;
  const int64_t least = tn_ahead_fill(t, sink, a);
  for (int i = 0; i < a->n; i++) {
    const int64_t ahead = tn_stage_ahead(a->stage[i]);
    a->memory[i] = tn_define(t, a->stage[i]->dtype, 1, TN_SPACE_LOCAL, a->f[i].elements * a->f[i].owners * (ahead + 1));
    tn_push(t, &begun, tn_ahead_begin(t, &a->f[i], &a->boxes, loop, start,
                                      free_now ? tn_after(t, a->memory[i], free_now) : a->memory[i], ahead));
  }
  tiny_uop *turn = tn_ahead_turn(t, a, loop, &begun, least);
  for (int i = 0; i < a->n; i++) {
    const int64_t ahead = tn_stage_ahead(a->stage[i]), slots = ahead + 1;
    tiny_uop *ready = tn_after(t, a->memory[i], turn), *next = tn_u2(t, TINY_OP_ADD, loop, tn_index(t, ahead)),
             *valid = tn_u2(t, TINY_OP_LT, next, tn_index(t, tn_range_extent(loop))),
             *slot = tn_u2(t, TINY_OP_MUL, tn_u2(t, TINY_OP_MOD, loop, tn_index(t, slots)),
                           tn_index(t, a->f[i].elements * a->f[i].owners));
    tn_push(t, &copies, tn_ahead_copy(t, &a->f[i], &a->boxes, loop, next, valid, ready, slots));
    tn_stage_reads(t, sink, a->stage[i], &a->f[i], ready, slot, &from, &to);
  }
  tiny_uop *done = tn_end(t, tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &copies), 1, &loop);
  return tn_ahead_hold(t, tn_replace(t, sink, from.n, from.u, to.u), loop, done);
}

// Do x and y stand in the same loops?
static int tn_in_same_loops(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tn_list of_x = {NULL, 0, 0}, of_y = {NULL, 0, 0};
  tn_open_loops(t, x, &of_x);
  tn_open_loops(t, y, &of_y);
  for (int i = 0; i < of_x.n; i++) {
    int found = 0;
    for (int j = 0; j < of_y.n; j++) found |= of_x.u[i] == of_y.u[j];
    if (!found) return 0;
  }
  return of_x.n == of_y.n;
}
// What two barriers wait for, neither for the other, in the same loops, one waits for. NULL: there are no such two.
static tiny_uop *tn_barriers_merged(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_BARRIER, &all);
  for (int i = 0; i < all.n; i++) for (int j = i + 1; j < all.n; j++) {
    tiny_uop *pair[2] = {all.u[i], all.u[j]}, *done[2] = {pair[0]->src[0], pair[1]->src[0]};
    const int plain = pair[0]->nsrc == 1 && !pair[0]->k && pair[1]->nsrc == 1 && !pair[1]->k;    // not of copies ahead
    if (!plain || done[0]->op != TINY_OP_END || done[1]->op != TINY_OP_END || tn_depends(t, done[1], pair[0]) ||
        tn_depends(t, done[0], pair[1]) || !tn_in_same_loops(t, done[0], done[1]))
      continue;
    tiny_uop *both = tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 2, done, 0, 0, NULL), *one = tn_barrier(t, both),
             *to[2] = {one, one};
    return tn_replace(t, sink, 2, pair, to);
  }
  return NULL;
}
// Operands of a unit are copied before one barrier: other kernels have few of them, and wait for one each.
static tiny_uop *tn_expand_barriers(tiny_ctx *t, tiny_uop *sink) {
  tn_list units = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_WMMA, &units);
  for (tiny_uop *now = sink; units.n && now; now = tn_barriers_merged(t, sink)) sink = now;
  return sink;
}

// STAGEs of boxes that are none, which no opt makes, are an error, and copied by items.
static tiny_uop *tn_expand_boxes(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_box *b = (tn_box *)tn_scratch(t, sizeof *b);
  tn_collect_op(t, sink, TINY_OP_STAGE, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (!tn_stage_is_bulk(u) || tn_box_of(t, all.u[i], b)) continue;
    tiny_fail(t, TINY_E_INTERNAL, "expand: a STAGE is no boxes of a tensor");
    tn_push(t, &from, all.u[i]);
    tn_push(t, &to, tn_uop_make(t, u->op, u->dtype, u->lanes, (int)u->nsrc, u->src, u->k & ~(int64_t)TN_STAGE_BULK, 0,
                                NULL));
  }
  return from.n ? tn_replace(t, sink, from.n, from.u, to.u) : sink;
}

// start: where each of these loops begins; all others begin at 0.
static tiny_uop *tn_expand_stages(tiny_ctx *t, tiny_uop *sink, const tn_list *loops, const tn_list *start) {
  tn_list ranges = {NULL, 0, 0}, stages = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_RANGE, &ranges);
  int shared = 0;
  for (int i = 0; i < ranges.n && TN_GPU; i++) shared |= tn_is_item(ranges.u[i]);
  sink = tn_expand_boxes(t, sink);
  for (;;) {                               // sources first, one at a time: a STAGE may read another
    int first = 0;
    stages.n = 0;
    tn_collect_op(t, sink, TINY_OP_STAGE, &stages);
    while (first < stages.n && tn_stage_space(stages.u[first]) == TN_SPACE_REG) first++;
    if (first == stages.n) return shared ? tn_expand_barriers(t, sink) : sink;
    tiny_uop *stage = stages.u[first], *begins = NULL, *loop = NULL;
    if (shared && tn_stage_ahead(stage)) loop = tn_stage_loop(t, sink, stage);
    for (int i = 0; i < loops->n; i++) if (loops->u[i] == loop) begins = start->u[i];
    sink = loop ? tn_expand_ahead(t, sink, loop, begins, &stages) : tn_expand_stage(t, sink, stage, shared);
  }
}

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
        if (changed) now = tn_lanes_node(t, u, src, &ranges, &registers);
      }
      u->seq = (uint32_t)i;                // where its place in the list says what it is now
      all.u[i] = now;
    }
    sink = all.u[all.n - 1];
  }
}
#endif
