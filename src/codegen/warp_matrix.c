// warp_matrix: a sum of products of two matrices by the matrix units of warps.
//
//   for each group                        rows and columns of blocks: warps of tiles of units
//     for each K block                    64 bytes along the reduction, in four quarters
//       copy a and b                      by all items, to memory of the group: quarters of rows of 16 bytes
//       for each tile of the warp: c += a @ b             each lane loads 16 bytes of a row at once
//     for each element that a lane holds of c: what comes after the sum
// In:    a kernel of one sum of products, an axis of warps (or none) and one of their tiles on each side.
// Out:   the sum is made of WMMAs. Who holds which element of c follows from the unit's layout: lanes are items, of
//        a range each for the low bits of their numbers and for the high ones; elements are copies, neighbours vectors.
//
// The reduction may be summed in any order, as long as a and b agree: units want a few elements of a lane at several
// places, and get those that lie together. An operand whose rows lie together in memory is turned as lanes load it,
// where they can (ldmatrix); elsewhere items take its elements one by one. So may columns be in any order: where a lane
// holds two neighbours, pairs of tiles are interleaved, so that it holds four; where it wants two neighbours of a row
// of b, so many tiles that it loads 16 bytes of that row. Results that are narrower than sums go through memory of the
// group, by lanes as the unit has them and from there by items, 16 bytes each of whole rows.
#ifndef TN_CODEGEN_WARP_MATRIX
#define TN_CODEGEN_WARP_MATRIX
#ifndef TINY_AMALGAMATED
#include "warp_operands.c"
#endif

// ** sums **

// What a lane holds of c for a tile (or for all tiles of a row), after all products, also over the other ranges of the
// sum.
static tiny_uop *tn_unit_sum(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *const *tile, const tn_list *others) {
  const tn_unit_plan *p = &c->plan;
  const int64_t quarters = tn_unit_quarters(p);
  tn_list over = {NULL, 0, 0};
  const int lanes = tn_layout_elements(&p->unit->layout[2]) * (c->at_once ? (int)c->tiles[1] : 1) *
      (c->whole ? (int)c->tiles[0] : 1);
  tiny_uop *sum = tn_lanes_of(t, tn_const(t, p->unit->c, tn_dtype_value(p->unit->c, 0)), lanes);
  for (int64_t i = 0; i < c->quarters / quarters * p->steps; i++) {
    const int64_t quarter = i / p->steps * quarters;
    const int step = (int)(i % p->steps);
    tiny_uop *a = tn_unit_given(t, c, 0, tile[0], step, quarter), *b = tn_unit_given(t, c, 1, tile[1], step, quarter),
             *src[3] = {a, b, sum};
    sum = tn_uop_make(t, TINY_OP_WMMA, p->unit->c, lanes, 3, src, tn_warp_unit_k(p->unit), 0, NULL);
  }
  for (int i = 0; i < others->n; i++) tn_push(t, &over, others->u[i]);
  if (c->k_block) tn_push(t, &over, c->k_block);
  return tn_reduce_over(t, TINY_OP_ADD, sum, over.n, over.u);
}

// All that lanes hold: registers, one tile after the other.
static tiny_uop *tn_unit_registers(tiny_ctx *t, const tn_warp_tiles *c, const tn_list *others) {
  const int64_t m = c->whole ? 1 : c->tiles[0], n = c->at_once ? 1 : c->tiles[1];
  tiny_uop *all = tn_range(t, m * n, TN_UPCAST), *columns = tn_index(t, n),
           *tile[2] = {tn_u2(t, TINY_OP_IDIV, all, columns), tn_u2(t, TINY_OP_MOD, all, columns)};
  return tn_stage(t, TN_SPACE_REG, 0, tn_unit_sum(t, c, tile, others), 1, &all);
}

// ** the store's loops **

// Fresh ranges for a side. vector: its elements are stored together.
static void tn_unit_ranges(tiny_ctx *t, tn_warp_tiles *c, int side, int vector) {
  const tn_unit_side *bits = &c->plan.c[side];
  const int64_t size = side ? c->plan.unit->n : c->plan.unit->m, together = side ? c->together : 1;
  c->tiles[side] = tn_range_extent(c->axis[side][1]) / size;
  c->warp[side] = c->axis[side][0] ? tn_range(t, tn_range_extent(c->axis[side][0]), TN_LOCAL) : NULL;
  c->tile[side] = tn_unit_range(t, c->tiles[side] / together, TN_UPCAST);
  c->lane[side] = tn_unit_range(t, (int64_t)1 << bits->lane.count, TN_LOCAL);
  c->element[side] = tn_unit_range(t, together << bits->element.count, vector ? TN_VECTOR : TN_UPCAST);
}

// The element of a warp's tiles that these ranges say.
static tiny_uop *tn_unit_place(tiny_ctx *t, const tn_warp_tiles *c, int side) {
  const tn_unit_side *bits = &c->plan.c[side];
  const int64_t size = side ? c->plan.unit->n : c->plan.unit->m, together = side ? c->together : 1;
  tiny_uop *at = tn_place_plus(t, tn_index(t, 0), size * together, c->tile[side]);
  at = tn_place_plus(t, at, (int64_t)together << bits->lane.bit, c->lane[side]);
  return tn_place_plus(t, at, (int64_t)1 << bits->element.bit, c->element[side]);
}

// Which of the registers holds it.
static tiny_uop *tn_unit_register(tiny_ctx *t, const tn_warp_tiles *c) {
  const tn_unit_plan *p = &c->plan;
  const int64_t lanes = tn_layout_elements(&p->unit->layout[2]), few = (int64_t)1 << p->c[1].element.count;
  tiny_uop *column = c->element[1], *tile = tn_place_plus(t, tn_index(t, 0), c->together, c->tile[1]);
  if (c->together > 1) {                   // neighbours go on in the next tile
    tile = tn_place_plus(t, tile, 1, tn_u2(t, TINY_OP_IDIV, column, tn_index(t, few)));
    column = tn_u2(t, TINY_OP_MOD, column, tn_index(t, few));
  }
  tile = tn_place_plus(t, tile, c->tiles[1], c->tile[0]);
  tiny_uop *at = tn_place_plus(t, NULL, lanes, tile);
  at = tn_place_plus(t, at, (int64_t)1 << p->c[0].element.place, c->element[0]);
  return tn_place_plus(t, at, (int64_t)1 << p->c[1].element.place, column);
}

// Axes, and what they become.
static void tn_unit_axes(tiny_ctx *t, const tn_warp_tiles *c, tn_list *from, tn_list *to) {
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) if (c->axis[i][j]) {
    tn_push(t, from, c->axis[i][j]);
    tn_push(t, to, j ? tn_unit_place(t, c, i) : c->warp[i]);
  }
}

// ** results by way of memory of the group **

enum { TN_UNIT_RESULT = 64 };              // bytes that lie together and are stored at once, from which all is well

// Ranges of a side of the group's block of results, from the outermost on.
static int tn_unit_side_ranges(const tn_warp_tiles *c, int side, tiny_uop **ranges) {
  const tn_unit_side *bits = &c->plan.c[side];
  const int64_t together = side ? c->together : 1;
  const int lanes_first = together << bits->lane.bit > (int64_t)1 << bits->element.bit;      // as tn_unit_place has it
  tiny_uop *const all[4] = {c->warp[side], c->tile[side], lanes_first ? c->lane[side] : c->element[side],
                            lanes_first ? c->element[side] : c->lane[side]};
  int n = 0;
  for (int i = 0; i < 4; i++) if (all[i]) ranges[n++] = all[i];
  return n;
}

// What is stored of the sum and is narrower: the sum's only use, converted, or else what the kernel stores.
static const tiny_uop *tn_unit_stored(const tn_profile *p) {
  return p->end->op == TINY_OP_END ? p->end->src[0] : p->end;
}
static tiny_uop *tn_unit_result(tn_kernel_state *s, const tn_profile *p) {
  const tn_list *all = tn_kernel_nodes(s);
  const tiny_uop *store = tn_unit_stored(p);
  tiny_uop *sum = p->reduce[0], *user = NULL;
  for (int i = 0; i < all->n; i++) for (uint32_t j = 0; j < all->u[i]->nsrc; j++) if (all->u[i]->src[j] == sum)
    user = !user || user == all->u[i] ? all->u[i] : sum;
  tiny_uop *x = user && user->op == TINY_OP_CAST ? user : store->src[1];
  if (tn_bits(x->dtype) >= 32) x = store->src[1];
  return tn_bits(x->dtype) == 16 || tn_bits(x->dtype) == 8 ? x : NULL;
}

// Elements that a request of a warp stores together, as the unit's lanes have them.
static int64_t tn_unit_together(const tn_warp_tiles *c) {
  const tn_unit_side *bits = &c->plan.c[c->last];
  const int64_t together = c->last ? c->together : 1;
  const int all = bits->lane.bit > bits->element.bit || !bits->element.count;
  return all ? together << (bits->lane.count + bits->element.count) : (int64_t)1 << bits->lane.count;
}

// Rows lie as many elements further apart as a row's are written at once, or a piece has: the next rows' meet other
// banks.
static int64_t tn_unit_result_pad(const tn_warp_tiles *c, int dtype) {
  const int64_t together = tn_unit_together(c), v = TN_UNIT_PIECE / tn_dtypes[dtype].nbytes;
  return together > v ? together : v;
}

// Elements of x, 16 bytes at most, that a store of the kernel may have together along the side that lies so.
static int64_t tn_unit_store_width(tiny_ctx *t, const tn_warp_tiles *c, const tn_profile *p, const tiny_uop *x) {
  tiny_uop *store = p->store;
  const tn_list one = {&store, 1, 1};
  return tn_unit_width(t, &one, c->axis[c->last][1], TN_UNIT_PIECE / tn_dtypes[x->dtype].nbytes);
}
// Is x better stored by way of memory of the group: do lanes store less together, or have what may not be stored at
// once, and are parts equal?
static int tn_unit_may_stage(tiny_ctx *t, const tn_warp_tiles *c, const tn_profile *p, const tiny_uop *x,
                             int64_t items) {
  if (!x) return 0;
  const tiny_uop *element = c->element[c->last];
  const int apart = element && tn_range_kind(element) == TN_VECTOR &&
      tn_unit_store_width(t, c, p, x) < tn_range_extent(element);
  const int64_t nbytes = tn_dtypes[x->dtype].nbytes, v = TN_UNIT_PIECE / nbytes, rows = tn_unit_extent(c, !c->last),
                columns = tn_unit_extent(c, c->last);
  return (apart || tn_unit_together(c) * nbytes < TN_UNIT_RESULT) && columns % v == 0 &&
      rows * columns / v % items == 0;
}

// x, of which each lane has what the unit gives it, in memory of the group, row by row; k: how rows lie there.
static tiny_uop *tn_unit_result_rows(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *x, int64_t k) {
  tiny_uop *ranges[8];
  int n = tn_unit_side_ranges(c, !c->last, ranges);
  n += tn_unit_side_ranges(c, c->last, ranges + n);
  x = tn_bitcast(t, x, tn_bits(x->dtype) == 32 ? TINY_U32 : tn_bits(x->dtype) == 16 ? TINY_U16 : TINY_U8);
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, 1, x, n, ranges, TN_SPACE_LOCAL | k);
}
static tiny_uop *tn_unit_result_stage(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *x) {
  const int64_t columns = tn_unit_extent(c, c->last), pad = tn_unit_result_pad(c, x->dtype);
  return tn_unit_result_rows(t, c, x, tn_stage_rows(columns, pad));
}
// Axes become places in the group's block.
static void tn_unit_axes_at(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *const *place, tn_list *from, tn_list *to) {
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) if (c->axis[i][j]) {
    tiny_uop *tile = tn_index(t, tn_range_extent(c->axis[i][1]));
    tn_push(t, from, c->axis[i][j]);
    tn_push(t, to, tn_u2(t, j ? TINY_OP_MOD : TINY_OP_IDIV, place[i], tile));
  }
}

// Warps and lanes, the latter last. Four warps take the same columns at once.
static void tn_unit_items(const tn_warp_tiles *c, tiny_uop **all) {
  const int low = c->plan.low;
  all[0] = c->warp[c->at_once]; all[1] = c->warp[!c->at_once];
  all[2] = c->lane[!low]; all[3] = c->lane[low];
}

// The number of an item of the group, neighbours as lanes are.
static tiny_uop *tn_unit_item(tiny_ctx *t, const tn_warp_tiles *c) {
  tiny_uop *all[4], *item = tn_index(t, 0);
  tn_unit_items(c, all);
  for (int i = 0; i < 4; i++)
    if (all[i]) item = tn_place_plus(t, all[i], tn_range_extent(all[i]), item);
  return item;
}

// What is read of the memory, and stored: by each item v elements of a row, several times. *part, *next: these ranges.
// row: of both sides, in the group's block.
static tiny_uop *tn_unit_result_read(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *x, tiny_uop *stage, int64_t items,
                                     int64_t v, tiny_uop **part, tiny_uop **next, tiny_uop **row) {
  const int64_t columns = tn_unit_extent(c, c->last), parts = tn_unit_extent(c, !c->last) * columns / v / items;
  *part = tn_unit_range(t, parts, TN_UPCAST);
  *next = tn_unit_range(t, v, TN_VECTOR);
  tiny_uop *piece = tn_place_plus(t, tn_unit_item(t, c), items, *part), *of_row = tn_index(t, columns / v);
  row[!c->last] = tn_u2(t, TINY_OP_IDIV, piece, of_row);
  row[c->last] = tn_place_plus(t, *next, v, tn_u2(t, TINY_OP_MOD, piece, of_row));
  tiny_uop *at = tn_place_plus(t, row[c->last], columns + tn_unit_result_pad(c, x->dtype), row[!c->last]);
  return tn_bitcast(t, tn_core_load(t, stage, at, 1), x->dtype);
}

// Warps, lanes, then copies and vectors are the innermost loops.
static void tn_unit_order(tn_kernel_state *s, const tn_warp_tiles *c, tiny_uop *const *inner) {
  tiny_uop *all[8], *order[8];
  int n = 0;
  tn_unit_items(c, all);
  memcpy(all + 4, inner, 4 * sizeof *inner);
  for (int i = 0; i < 8; i++) if (all[i]) order[n++] = all[i];
  tn_transform_order(s, n, order);
}

// ** results that leave as boxes: codegen/boxes.c **

// May what the kernel stores leave so: whole rows of boxes, of a group's block? Units that keep sums have memory of the
// group for themselves, before boxes, which would then lie anywhere (ptx_tcgen05.c).
static int tn_unit_may_leave(const tn_kernel_state *s, const tn_warp_tiles *c, const tn_profile *p) {
  const tiny_uop *store = tn_unit_stored(p), *x = store->src[1];
  const int64_t rows = tn_unit_extent(c, !c->last), row = TN_BOX_ROW / tn_dtypes[x->dtype].nbytes;
  return tn_target_copies_boxes(s->target) && !c->whole && !store->k && tn_bits(x->dtype) <= 32 &&
      tn_bits(x->dtype) >= 8 &&
      ((c->how & TN_UNIT_BOX_ALL) || ((c->how & TN_UNIT_BOX_STORES) && tn_bits(x->dtype) <= 16)) &&
      rows <= TN_BOX_MOST && rows % TN_TURNED_ROW == 0 && tn_unit_extent(c, c->last) % row == 0 &&
      tn_stride_in(s->t, p->store->src[1], c->axis[c->last][1]) == 1;
}
// All that the kernel stores in memory of the group, as boxes; what is stored is copied from there over inner[]: boxes,
// rows, elements of a row. 0: it is no box of a tensor, or there is no room.
static int tn_unit_leave(tn_kernel_state *s, const tn_warp_tiles *c, const tn_profile *p, tiny_uop *sink,
                         const tn_list *from, const tn_list *to, tiny_uop **inner) {
  tiny_ctx *t = s->t;
  tiny_uop *x = tn_unit_stored(p)->src[1], *direct = s->sink, *place[TN_UNIT_SIDES];
  if (!tn_unit_may_leave(s, c, p)) return 0;
  const int64_t columns = tn_unit_extent(c, c->last), row = TN_BOX_ROW / tn_dtypes[x->dtype].nbytes;
  tiny_uop *stage = tn_unit_result_rows(t, c, tn_replace(t, x, from->n, from->u, to->u), TN_STAGE_BULK);
  tiny_uop *const box[4] = {tn_unit_range(t, columns / row, TN_SHARE),
                            tn_range(t, tn_unit_extent(c, !c->last), TN_SHARE), tn_range(t, row, TN_SHARE), NULL};
  place[!c->last] = box[1];
  place[c->last] = tn_place_plus(t, box[2], row, box[0]);
  tn_list now_from = {NULL, 0, 0}, now_to = {NULL, 0, 0};
  tiny_uop *at = tn_place_plus(t, place[c->last], columns, place[!c->last]);
  tn_push(t, &now_from, x);
  tn_push(t, &now_to, tn_bitcast(t, tn_core_load(t, stage, at, 1), x->dtype));
  tn_unit_axes_at(t, c, place, &now_from, &now_to);
  s->sink = tn_replace(t, sink, now_from.n, now_from.u, now_to.u);
  tn_unit_order(s, c, box);
  tn_box *b = (tn_box *)tn_scratch(t, sizeof *b);
  if (tn_staged_nbytes(s) > (int64_t)s->target->limits->shared_nbytes || !tn_box_of_store(t, s->sink, stage, b)) {
    s->sink = direct;
    return 0;
  }
  memcpy(inner, box, sizeof box);
  return 1;
}

// ** the store **

// The kernel with from[] replaced by to[]: c's axes by what lanes hold; `result`, if there is room for it, by way of
// memory of the group. inner: the store's innermost loops.
static void tn_unit_replace(tn_kernel_state *s, const tn_warp_tiles *c, const tn_profile *p, const tn_list *from,
                            const tn_list *to, tiny_uop *result, int64_t items, tiny_uop **inner) {
  tiny_ctx *t = s->t;
  tiny_uop *sink = tn_masked_drop(t, s->sink), *part, *next, *row[TN_UNIT_SIDES];
  inner[0] = c->tile[0]; inner[1] = c->tile[1]; inner[2] = c->element[!c->last]; inner[3] = c->element[c->last];
  s->sink = tn_replace(t, sink, from->n, from->u, to->u);
  if (tn_unit_leave(s, c, p, sink, from, to, inner) || !tn_unit_may_stage(t, c, p, result, items)) return;
  tn_list now_from = {NULL, 0, 0}, now_to = {NULL, 0, 0};
  tiny_uop *stage = tn_unit_result_stage(t, c, tn_replace(t, result, from->n, from->u, to->u)), *direct = s->sink;
  tn_push(t, &now_from, result);
  const int64_t width = tn_unit_store_width(t, c, p, result);
  tn_push(t, &now_to, tn_unit_result_read(t, c, result, stage, items, width, &part, &next, row));
  tn_unit_axes_at(t, c, row, &now_from, &now_to);
  s->sink = tn_replace(t, sink, now_from.n, now_from.u, now_to.u);
  if (tn_staged_nbytes(s) > (int64_t)s->target->limits->shared_nbytes) { s->sink = direct; return; }
  inner[0] = part; inner[1] = next; inner[2] = inner[3] = NULL;
}

// The store's ranges are replaced: by what lanes hold, or by way of memory.
static void tn_unit_store(tn_kernel_state *s, tn_warp_tiles *c, const tn_profile *p, int64_t items) {
  tiny_ctx *t = s->t;
  tn_list others = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  for (int i = 0; i < p->nred; i++) if (p->red[i] != c->k) tn_push(t, &others, p->red[i]);
  tiny_uop *registers = tn_unit_registers(t, c, &others), *inner[4];
  tn_push(t, &from, p->reduce[0]);
  tn_push(t, &to, tn_core_load(t, registers, tn_unit_register(t, c), 1));
  tn_unit_axes(t, c, &from, &to);
  tn_unit_replace(s, c, p, &from, &to, tn_unit_result(s, p), items, inner);
  tn_unit_order(s, c, inner);
}

// ** the transform **

// What a unit reads of an operand of a sum: what is cast for the sum; f32 itself, where it is or may be all of it.
// NULL: none.
static tiny_uop *tn_unit_source(const tn_kernel_state *s, const tiny_warp_unit *unit, tiny_uop *x, int dtype) {
  if (dtype == TINY_F32)
    return x->dtype == TINY_F32 && (!tn_unit_is_tf32(unit) || s->target->limits->tf32) ? x : NULL;
  return x->op == TINY_OP_CAST && x->src[0]->dtype == dtype ? x->src[0] : NULL;
}
// The sum as a contraction of a's and b's dtypes, a the operand that moves with axis[0]. 0: it is none for this unit.
static int tn_unit_operands(tn_kernel_state *s, const tn_profile *p, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  const tiny_warp_unit *unit = c->plan.unit;
  const int word[2] = {unit->a, unit->b};
  tn_contraction fact;
  if (!tn_contraction_of_kernel(t, p, &fact) || fact.sum->k != TINY_OP_ADD || fact.product->op != TINY_OP_MUL ||
      fact.sum->dtype != unit->c)
    return 0;
  const int first = !tn_depends(t, fact.operand[0], c->axis[0][1]);
  for (int i = 0; i < 2; i++) {
    tiny_uop *x = tn_unit_source(s, unit, fact.operand[i ^ first], word[i]);
    if (!x) return 0;
    for (int j = 0; j < 2; j++)
      if (c->axis[!i][j] && tn_depends(t, x, c->axis[!i][j])) return 0;
    if (fact.inside)
      x = tn_u3(t, TINY_OP_WHERE, fact.inside, x, tn_const(t, x->dtype, tn_dtype_value(x->dtype, 0)));
    c->operand[i] = tn_unit_word(t, unit, x);
  }
  for (uint32_t i = 1; i < fact.sum->nsrc; i++)              // copies of an operand would each want memory
    if (tn_range_kind(fact.sum->src[i]) != TN_REDUCE) return 0;
  for (int i = 0; i < p->nred; i++) if (!c->k || tn_range_extent(p->red[i]) > tn_range_extent(c->k)) c->k = p->red[i];
  return c->k && tn_range_extent(c->k) % tn_unit_k(&c->plan) == 0;
}

// How many tiles of columns are interleaved: pairs where a lane holds two neighbours; where it holds one, as many as it
// then holds of a row, of which an item also turns the operand, where that lies so.
static int tn_unit_interleaved(const tn_warp_tiles *c) {
  const tn_layout_run *element = &c->plan.c[1].element;
  const int64_t tiles = tn_range_extent(c->axis[1][1]) / c->plan.unit->n;
  int most = element->count == 0 ? c->along[1] ? 2 : TN_UNIT_TOGETHER : element->count == 1 && !element->bit ? 2 : 1;
  if (c->plan.across) most = c->plan.values >> element->count;
  if (c->matrices || (c->plan.c[0].element.bit == 0 && !c->plan.across)) return 1;
  while (tiles % most) most /= 2;
  return most;
}

// May products take all rows of a warp, too, and keep the sums themselves (PTX ISA, tcgen05.mma)?
static int tn_unit_may_be_whole(const tiny_limits *limits, const tn_warp_tiles *c) {
  const int64_t rows = tn_range_extent(c->axis[0][1]) / c->plan.unit->m;
  return rows <= limits->unit_rows && rows <= TN_UNIT_TALL &&
      tn_unit_extent(c, 0) / (c->plan.unit->m * rows) / TN_UNIT_WARPS * tn_unit_extent(c, 1) <= TN_UNIT_COLUMNS;
}
// Do products take all columns of a warp at once, of which four warps along rows share them (PTX ISA, wgmma)?
static int tn_unit_at_once(const tn_kernel_state *s, const tn_warp_tiles *c) {
  const int64_t warps = c->axis[0][0] ? tn_range_extent(c->axis[0][0]) : 1,
                tiles = tn_range_extent(c->axis[1][1]) / c->plan.unit->n;
  if (s->target->renderer && !tn_target_has(s->target, TINY_TARGET_MATRICES)) return 0;
  if (!tn_unit_is_large(s->target->limits, c->plan.unit)) return 0;
  if (s->target->limits->unit_rows && !tn_unit_may_be_whole(s->target->limits, c)) return 0;
  return c->matrices && tiles > 1 && tiles <= s->target->limits->unit_tiles && warps % TN_UNIT_WARPS == 0 &&
      !(tiles & (tiles - 1));
}

// Are products of all columns made of K blocks of twice the size, as they are sooner done? Where there is room.
static int tn_unit_is_deep(const tn_kernel_state *s, const tn_warp_tiles *c) {
  const int64_t rows = tn_unit_extent(c, 0) + tn_unit_extent(c, 1), twice = 2 * TN_UNIT_QUARTERS;
  return c->at_once && tn_range_extent(c->k) % (2 * tn_unit_k(&c->plan)) == 0 &&
      twice * (rows * TN_UNIT_PIECE + TN_UNIT_PADS) <= (int64_t)s->target->limits->shared_nbytes;
}

// 1: the kernel's sum is done by the unit that c names, over c's axes.
static int tn_transform_warp_matrix(tn_kernel_state *s, const tn_profile *p, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  const tn_unit_plan *plan = &c->plan;
  int64_t items = plan->unit->warp;
  if (!tn_unit_operands(s, p, c)) return 0;
  for (int i = 0; i < 2; i++) items *= c->axis[i][0] ? tn_range_extent(c->axis[i][0]) : 1;
  const int last = plan->c[0].element.bit == 0 &&
      plan->c[0].element.count ? 0 : 1,
            vector = tn_stride_in(t, p->store->src[1], c->axis[last][1]) == 1;
  c->at_once = tn_unit_at_once(s, c);
  c->whole = c->at_once && s->target->limits->unit_rows > 0;
  c->quarters = TN_UNIT_QUARTERS << tn_unit_is_deep(s, c);
  c->k_block = tn_unit_range(t, tn_range_extent(c->k) / (c->quarters * plan->values), TN_REDUCE);
  for (int i = 0; i < 2; i++) {
    c->along[i] = tn_unit_lies_along(s, c, i, c->k);
    c->turned[i] = tn_unit_turns(s, c, i);
  }
  c->together = tn_unit_interleaved(c);
  c->rows_apart[0] = 1;
  c->rows_apart[1] = plan->c[1].element.count ? 1 : c->together;
  c->last = last;
  for (int i = 0; i < 2; i++) tn_unit_ranges(t, c, i, vector && i == last);
  c->boxes = tn_unit_stages_boxes(s, c);
  for (int i = 0; i < 2 && !c->boxes; i++)
    c->stage[i] = tn_unit_stage_of(t, c, i, items);
  tn_unit_store(s, c, p, items);
  return 1;
}
#endif
