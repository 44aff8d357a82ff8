// stages: STAGEs of groups become memory, the stores that fill it, and barriers; which ranges are open, in which order.
//
// In:  a kernel after its opts. Out: the same without STAGEs that the items of a group share.
// Holds: memory is filled before it is read and not before all items are done with what it had; a STAGE that is copied
//        ahead has memory for as many iterations more, one after the other.
#ifndef TN_CODEGEN_STAGES
#define TN_CODEGEN_STAGES
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
  if (tn_stage_is_bulk(stage) && !tn_box_leaves(stage)) {
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
  if (tn_box_leaves(stage)) {
    tn_box *b = (tn_box *)tn_scratch(t, sizeof *b);
    if (tn_box_of_store(t, sink, stage, b)) f->flat = tn_box_element(t, b, stage->dtype, element);
  }
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

// The END that stores all that a STAGE has, which the device does by itself.
static tiny_uop *tn_expand_leaving(tiny_ctx *t, tiny_uop *sink, const tiny_uop *stage, tiny_uop *filled) {
  tn_list shares = {NULL, 0, 0}, others = {NULL, 0, 0};
  tn_box *b = (tn_box *)tn_scratch(t, sizeof *b);
  tiny_uop *end = tn_box_end(t, sink, stage);
  tn_box_of_store(t, sink, stage, b);
  tn_box_end_ranges(t, end, &shares, &others);
  tiny_uop *now = tn_box_stores(t, b, filled);
  if (others.n) now = tn_end(t, now, others.n, others.u);
  return tn_replace(t, sink, 1, &end, &now);
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
  if (tn_stage_is_bulk(stage) && !tn_box_leaves(stage)) {
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
  if (tn_box_leaves(stage)) return tn_expand_leaving(t, sink, stage, tn_after(t, memory, tn_barrier(t, done)));
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
// produced: TN_BULK_PRODUCED or 0.
typedef struct tn_ahead_boxes { int64_t first, copies, produced; } tn_ahead_boxes;
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
                         boxes->produced | tn_bulk_k(boxes->copies, boxes->first, boxes->first + slots));
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
  a->boxes.copies = a->boxes.produced = 0;
  for (int i = 0; i < a->n; i++) {
    const int64_t ahead = tn_stage_ahead(a->stage[i]);
    tn_filling_of(t, sink, a->stage[i], &a->f[i]);
    if (tn_stage_is_produced(a->stage[i])) a->boxes.produced = TN_BULK_PRODUCED;
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
    if (!tn_stage_is_bulk(u) || (tn_box_leaves(u) ? tn_box_of_store(t, sink, u, b) : tn_box_of(t, all.u[i], b)))
      continue;
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
#endif
