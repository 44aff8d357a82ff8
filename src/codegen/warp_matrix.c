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
// Holds: no two words that a phase of eight lanes asks for at once lie in one bank: rows lie 16 bytes apart in a
//        quarter, quarters 32 bytes further, so that four quarters of two rows meet eight different places of 128
//        bytes, as do eight rows of a quarter.
//
// The reduction may be summed in any order, as long as a and b agree: units want a few elements of a lane at several
// places, and get those that lie together. An operand whose rows lie together in memory is turned as lanes load it,
// where they can (ldmatrix); elsewhere items take its elements one by one. So may columns be in any order: where a lane
// holds two neighbours, pairs of tiles are interleaved, so that it holds four.
#ifndef TN_CODEGEN_WARP_MATRIX
#define TN_CODEGEN_WARP_MATRIX
#ifndef TINY_AMALGAMATED
#include "matrix.c"
#endif

enum { TN_UNIT_PIECE = 16, TN_UNIT_QUARTERS = 4, TN_UNIT_PAD = 32,     // bytes; pieces of a row; bytes between quarters
  TN_UNIT_PADS = 256,                                                  // in all of them, and of both operands, at most
  TN_UNIT_SIDES = 2, TN_UNIT_TOGETHER = 4 };                           // rows and columns; elements of an item

// How a unit's layout is used: which bits of a side are lanes', which are registers'.
typedef struct tn_unit_side { tn_layout_run lane, element; } tn_unit_side;
typedef struct tn_unit_plan {
  const tiny_warp_unit *unit;
  tn_unit_side c[TN_UNIT_SIDES], operand[TN_UNIT_SIDES], k[TN_UNIT_SIDES];   // of c; a's rows, b's columns; their k
  int low;                                 // side of c that the low bits of a lane's number belong to
  int values;                              // elements of a piece
  int each, steps, pieces;                 // along k of a lane: elements of a product; products of a piece, and pieces
} tn_unit_plan;

// Bits of k among a lane's elements need not be neighbours: any order will do. Elsewhere they must.
static int tn_unit_k_bits(const uint8_t *bits, int column) {
  int n = 0;
  for (int i = 0; i < TINY_LAYOUT_ELEMENT && bits[i]; i++) n += (bits[i] > TINY_LAYOUT_COLUMN) == column;
  return n;
}

// 1: tiles can be made for the unit.
static int tn_unit_plan_of(const tiny_warp_unit *unit, tn_unit_plan *p) {
  const tiny_warp_layout *l = unit->layout;
  memset(p, 0, sizeof *p);
  p->unit = unit;
  for (int i = 0; i < TN_UNIT_SIDES; i++) {
    if (!tn_layout_run_of(l[2].lane, TINY_LAYOUT_LANE, i, &p->c[i].lane) ||
        !tn_layout_run_of(l[2].element, TINY_LAYOUT_ELEMENT, i, &p->c[i].element) ||
        !tn_layout_run_of(l[i].lane, TINY_LAYOUT_LANE, i, &p->operand[i].lane) ||
        !tn_layout_run_of(l[i].element, TINY_LAYOUT_ELEMENT, i, &p->operand[i].element) ||
        !tn_layout_run_of(l[i].lane, TINY_LAYOUT_LANE, !i, &p->k[i].lane))
      return 0;
    p->k[i].element.count = tn_unit_k_bits(l[i].element, !i);
    if (p->k[i].element.count != p->k[0].element.count || p->k[i].lane.count != p->k[0].lane.count ||
        p->k[i].lane.bit != p->k[0].lane.bit)
      return 0;
  }
  p->low = p->c[1].lane.count && !p->c[1].lane.place;
  p->values = TN_UNIT_PIECE / tn_dtypes[unit->a].nbytes;
  p->each = 1 << p->k[0].element.count;
  p->steps = p->each < p->values ? p->values / p->each : 1;
  p->pieces = p->each > p->values ? p->each / p->values : 1;
  return p->pieces << p->k[0].lane.count <= TN_UNIT_QUARTERS && tn_bits(unit->a) == tn_bits(unit->b);
}

// Quarters of all lanes of a product; along k, of a block of so many as one product of a large unit has.
static int64_t tn_unit_quarters(const tn_unit_plan *p) { return (int64_t)p->pieces << p->k[0].lane.count; }
static int64_t tn_unit_k(const tn_unit_plan *p) { return (int64_t)TN_UNIT_QUARTERS * p->values; }

typedef struct tn_warp_tiles {
  tn_unit_plan plan;
  tiny_uop *axis[TN_UNIT_SIDES][2];        // of warps, NULL: there is one; and of elements of a warp's tiles
  tiny_uop *operand[TN_UNIT_SIDES], *k, *k_block;            // bits of a and b; the reduction, its blocks
  // What the axes become: warps, tiles, bits of lanes and of elements
  tiny_uop *warp[TN_UNIT_SIDES], *tile[TN_UNIT_SIDES], *lane[TN_UNIT_SIDES], *element[TN_UNIT_SIDES];
  int64_t tiles[TN_UNIT_SIDES];            // of a warp
  int64_t quarters;                        // of a K block
  int64_t row;                             // elements of a row of a that lie together; 0: a piece
  int together;                            // tiles of columns that are interleaved
  int along[TN_UNIT_SIDES];                // the operand is read along k: several pieces at once
  int turned[TN_UNIT_SIDES];               // the operand's rows lie together in memory: lanes turn it as they load it
  tiny_uop *stage[TN_UNIT_SIDES]; int64_t rows[TN_UNIT_SIDES];         // memory of the group
} tn_warp_tiles;

static tiny_uop *tn_place_plus(tiny_ctx *t, tiny_uop *x, int64_t times, tiny_uop *y) {
  if (!y) return x;
  y = tn_u2(t, TINY_OP_MUL, y, tn_index(t, times));
  return x ? tn_u2(t, TINY_OP_ADD, x, y) : y;
}

// ** memory of the group **

// The operand at a place along k, and at a row of the group's block.
static tiny_uop *tn_unit_block(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *k, tiny_uop *row) {
  tiny_uop *from[3] = {c->k, c->axis[side][1], c->axis[side][0]}, *to[3] = {k, row, NULL},
           *tile = tn_index(t, tn_range_extent(c->axis[side][1]));
  if (c->axis[side][0]) {
    to[1] = tn_u2(t, TINY_OP_MOD, row, tile);
    to[2] = tn_u2(t, TINY_OP_IDIV, row, tile);
  }
  return tn_simplify(t, tn_replace(t, c->operand[side], c->axis[side][0] ? 3 : 2, from, to));
}

// An operand's block for a K block: quarters of rows of pieces, which items copy a piece each: as many parts of rows as
// that needs.
static tiny_uop *tn_unit_stage(tiny_ctx *t, tn_warp_tiles *c, int side, int64_t items) {
  const tn_unit_plan *p = &c->plan;
  const int64_t tile = tn_range_extent(c->axis[side][1]),
                warps = c->axis[side][0] ? tn_range_extent(c->axis[side][0]) : 1, all = warps * tile;
  int64_t parts = all * c->quarters / items;
  while (parts > 1 && all % parts) parts--;
  if (parts < 1) parts = 1;
  c->rows[side] = all;
  tiny_uop *fresh[4] = {tn_range(t, c->quarters, TN_SHARE), parts > 1 ? tn_range(t, parts, TN_UPCAST) : NULL,
                        tn_range(t, all / parts, TN_SHARE), tn_range(t, p->values, TN_VECTOR)}, *ranges[4];
  int n = 0;
  for (int i = 0; i < 4; i++) if (fresh[i]) ranges[n++] = fresh[i];
  tiny_uop *row = tn_place_plus(t, fresh[2], all / parts, fresh[1]),
           *k = tn_place_plus(t, tn_place_plus(t, fresh[3], p->values, fresh[0]), c->quarters * p->values, c->k_block),
           *x = tn_unit_block(t, c, side, k, row);
  return tn_stage(t, TN_SPACE_LOCAL, TN_UNIT_PAD / tn_dtypes[p->unit->a].nbytes, x, n, ranges);
}

// Bits of k among the rows of memory that a warp turns: of the product, a lane's words, lanes, and a word's halves.
// An operand that is not turned has those of a lane together: it has k in the order of lanes, products, words, halves.
enum { TN_TURNED_DIGITS = 4 };
static const struct { int extent, k; } tn_turned_digit[TN_TURNED_DIGITS] = {{2, 4}, {2, 2}, {4, 8}, {2, 1}};
enum { TN_TURNED_PAD = 8 };                // elements: eight rows of 16 bytes meet eight places of 128 bytes

// Does what the operand loads lie together along r?
static int tn_unit_lies_along(tn_kernel_state *s, const tn_warp_tiles *c, int side, const tiny_uop *r) {
  tn_list loads = {NULL, 0, 0};
  tn_collect_op(s->t, c->operand[side], TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) if (tn_stride_in(s->t, loads.u[i]->src[0]->src[1], r) == 1) return 1;
  return 0;
}

// Can lanes turn the operand as they load it? As mma.m16n8k16 has it, and where it lies so.
static int tn_unit_turns(tn_kernel_state *s, const tn_warp_tiles *c, int side) {
  const tiny_renderer *renderer = s->target->renderer;
  return !memcmp(c->plan.unit->layout, tn_warp_units[1].layout, sizeof c->plan.unit->layout) &&
      (!renderer || renderer->language.load_turned) && !c->along[side] &&
      tn_unit_lies_along(s, c, side, c->axis[side][1]);
}

// The block of such an operand: rows along k, of pieces of 16 bytes.
static tiny_uop *tn_unit_stage_turned(tiny_ctx *t, tn_warp_tiles *c, int side, int64_t items) {
  const int64_t tile = tn_range_extent(c->axis[side][1]), v = c->plan.values,
                rows = (c->axis[side][0] ? tn_range_extent(c->axis[side][0]) : 1) * tile;
  int64_t parts = TN_UNIT_QUARTERS * rows / items;
  tiny_uop *ranges[TN_TURNED_DIGITS + 2], *k = NULL;
  c->rows[side] = rows;
  for (int i = 0; i < TN_TURNED_DIGITS; i++) {
    const int copies = parts >= tn_turned_digit[i].extent && i < 2;
    if (copies) parts /= tn_turned_digit[i].extent;
    ranges[i] = tn_range(t, tn_turned_digit[i].extent, copies ? TN_UPCAST : TN_SHARE);
    k = tn_place_plus(t, k, tn_turned_digit[i].k, ranges[i]);
  }
  ranges[TN_TURNED_DIGITS] = tn_range(t, rows / v, TN_SHARE);
  ranges[TN_TURNED_DIGITS + 1] = tn_range(t, v, TN_VECTOR);
  tiny_uop *row = tn_place_plus(t, ranges[TN_TURNED_DIGITS + 1], v, ranges[TN_TURNED_DIGITS]),
           *x = tn_unit_block(t, c, side, tn_place_plus(t, k, tn_unit_k(&c->plan), c->k_block), row);
  const int64_t kind = TN_SPACE_LOCAL | (int64_t)TN_TURNED_PAD << TN_STAGE_PAD | rows << TN_STAGE_ROW;
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, 1, x, TN_TURNED_DIGITS + 2, ranges, kind);
}

// ** what a lane holds of a and b **

// So many bits of a lane's number, from `place` on.
static tiny_uop *tn_unit_lane(tiny_ctx *t, const tn_warp_tiles *c, const tn_layout_run *run) {
  const int low = c->plan.low;
  const tn_layout_run *l = &c->plan.c[low].lane;
  if (!run->count) return NULL;
  if (run->place == 0 && run->count == l->count) return c->lane[low];
  if (run->place == l->count && run->count == c->plan.c[!low].lane.count) return c->lane[!low];
  tiny_uop *lane = tn_place_plus(t, c->lane[low], (int64_t)1 << l->count, c->lane[!low]);
  return tn_u2(t, TINY_OP_MOD, tn_u2(t, TINY_OP_IDIV, lane, tn_index(t, (int64_t)1 << run->place)),
               tn_index(t, (int64_t)1 << run->count));
}

// The row of an operand's block that is the unit's row `at` of tile `tile`: columns of tiles are interleaved.
static tiny_uop *tn_unit_row(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, tiny_uop *at) {
  const int64_t size = side ? c->plan.unit->n : c->plan.unit->m, warp = tn_range_extent(c->axis[side][1]);
  if (!side || c->together == 1) return tn_place_plus(t, tn_place_plus(t, at, size, tile), warp, c->warp[side]);
  const int64_t few = (int64_t)1 << c->plan.c[1].element.count, g = c->together;     // neighbours in a lane; tiles
  tiny_uop *row = tn_place_plus(t, tn_u2(t, TINY_OP_MOD, at, tn_index(t, few)), few * g,
                          tn_u2(t, TINY_OP_IDIV, at, tn_index(t, few)));
  row = tn_place_plus(t, row, few, tn_u2(t, TINY_OP_MOD, tile, tn_index(t, g)));
  row = tn_place_plus(t, row, size * g, tn_u2(t, TINY_OP_IDIV, tile, tn_index(t, g)));
  return tn_place_plus(t, row, warp, c->warp[side]);
}

// The words of a piece of a row, for the lane's quarter from `quarter` on.
static tiny_uop *tn_unit_piece(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int64_t high,
                               int64_t quarter) {
  const tn_unit_plan *p = &c->plan;
  const tn_unit_side *rows = &p->operand[side];
  const int64_t v = p->values, length = side || !c->row ? v : c->row,
                apart = c->rows[side] * length + TN_UNIT_PAD / tn_dtypes[p->unit->a].nbytes;
  tiny_uop *at = tn_place_plus(t, tn_index(t, high << rows->element.bit), (int64_t)1 << rows->lane.bit,
                         tn_unit_lane(t, c, &rows->lane));
  tiny_uop *q = tn_place_plus(t, tn_index(t, quarter), p->pieces, tn_unit_lane(t, c, &p->k[side].lane));
  tiny_uop *part = length == v ? NULL : tn_u2(t, TINY_OP_MOD, q, tn_index(t, length / v));
  if (part) q = tn_u2(t, TINY_OP_IDIV, q, tn_index(t, length / v));
  at = tn_place_plus(t, tn_place_plus(t, NULL, length, tn_unit_row(t, c, side, tile, at)), apart, q);
  at = tn_place_plus(t, at, v, part);
  tiny_uop *load = tn_core_load(t, c->stage[side], at, (int)v);
  return tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, TN_UNIT_PIECE / 4, 1, &load, 0, 0, NULL);
}

// Four words that turned matrices of a tile give a lane: of b for both products of a K block, of a for one of them.
static tiny_uop *tn_unit_turned(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int step) {
  tiny_uop *lane = tn_place_plus(t, c->lane[1], 4, c->lane[0]), *row = lane, *column = tn_index(t, 0);
  if (!side) {                             // rows 0-7 and 8-15, then the same of the second half of k
    tiny_uop *matrix = tn_u2(t, TINY_OP_IDIV, lane, tn_index(t, 8));
    row = tn_place_plus(t, tn_u2(t, TINY_OP_MOD, lane, tn_index(t, 8)), 8,
                        tn_u2(t, TINY_OP_IDIV, matrix, tn_index(t, 2)));
    row = tn_u2(t, TINY_OP_ADD, row, tn_index(t, 16 * step));
    column = tn_place_plus(t, column, 8, tn_u2(t, TINY_OP_MOD, matrix, tn_index(t, 2)));
  }
  tiny_uop *at = tn_place_plus(t, tn_unit_row(t, c, side, tile, column), c->rows[side] + TN_TURNED_PAD, row),
           *index = tn_index_of(t, c->stage[side], at, NULL),
           *load = tn_uop_make(t, TINY_OP_LOAD, TINY_U16, TN_TURNED_ROW, 1, &index, TN_TURNED, 0, NULL);
  return tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, 4, 1, &load, 0, 0, NULL);
}
static tiny_uop *tn_unit_turned_operand(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int step) {
  tiny_uop *all = tn_unit_turned(t, c, side, tile, step), *word[2];
  if (!side) return all;
  for (int i = 0; i < 2; i++) word[i] = tn_pick(t, all, 2 * step + i, 1);
  return tn_stack(t, 2, word);
}

// The operand of product `step` of those that begin at `quarter`: words of the lane's elements, which lie in the
// registers as the layout says, those along k in any order.
static tiny_uop *tn_unit_operand(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int step,
                                 int64_t quarter) {
  const tn_unit_plan *p = &c->plan;
  const tiny_warp_layout *l = &p->unit->layout[side];
  const int each = 4 / tn_dtypes[p->unit->a].nbytes, words = tn_layout_elements(l) / each;
  tiny_uop *word[1 << TINY_LAYOUT_ELEMENT];
  if (c->turned[side]) return tn_unit_turned_operand(t, c, side, tile, step);
  for (int i = 0; i < words; i++) {
    int64_t high = 0, k = 0;
    for (int b = 0, row = 0, along = 0; b < TINY_LAYOUT_ELEMENT && l->element[b]; b++) {
      const int bit = i * each >> b & 1;
      if ((l->element[b] > TINY_LAYOUT_COLUMN) == side) high |= (int64_t)bit << row++;
      else k |= (int64_t)bit << along++;
    }
    k += (int64_t)step * p->each;
    tiny_uop *piece = tn_unit_piece(t, c, side, tile, high, quarter + k / p->values);
    word[i] = tn_pick(t, piece, k % p->values / each, 1);
  }
  return words == 1 ? word[0] : tn_stack(t, words, word);
}

// ** sums **

// What a lane holds of c for a tile, after all products, also over the other ranges of the sum.
static tiny_uop *tn_unit_sum(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *const *tile, const tn_list *others) {
  const tn_unit_plan *p = &c->plan;
  const int64_t quarters = tn_unit_quarters(p);
  tn_list over = {NULL, 0, 0};
  const int lanes = tn_layout_elements(&p->unit->layout[2]);
  tiny_uop *sum = tn_lanes_of(t, tn_const(t, p->unit->c, tn_dtype_value(p->unit->c, 0)), lanes);
  for (int64_t i = 0; i < c->quarters / quarters * p->steps; i++) {
    const int64_t quarter = i / p->steps * quarters;
    tiny_uop *src[3] = {tn_unit_operand(t, c, 0, tile[0], (int)(i % p->steps), quarter),
                        tn_unit_operand(t, c, 1, tile[1], (int)(i % p->steps), quarter), sum};
    sum = tn_uop_make(t, TINY_OP_WMMA, p->unit->c, lanes, 3, src, tn_warp_unit_k(p->unit), 0, NULL);
  }
  for (int i = 0; i < others->n; i++) tn_push(t, &over, others->u[i]);
  if (c->k_block) tn_push(t, &over, c->k_block);
  return tn_reduce_over(t, TINY_OP_ADD, sum, over.n, over.u);
}

// All that lanes hold: registers, one tile after the other.
static tiny_uop *tn_unit_registers(tiny_ctx *t, const tn_warp_tiles *c, const tn_list *others) {
  tiny_uop *all = tn_range(t, c->tiles[0] * c->tiles[1], TN_UPCAST), *columns = tn_index(t, c->tiles[1]),
           *tile[2] = {tn_u2(t, TINY_OP_IDIV, all, columns), tn_u2(t, TINY_OP_MOD, all, columns)};
  return tn_stage(t, TN_SPACE_REG, 0, tn_unit_sum(t, c, tile, others), 1, &all);
}

// ** the store's loops **

static tiny_uop *tn_unit_range(tiny_ctx *t, int64_t extent, int kind) {
  return extent > 1 ? tn_range(t, extent, kind) : NULL;
}

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

// Warps, lanes, then copies and vectors are the innermost loops.
static void tn_unit_order(tn_kernel_state *s, const tn_warp_tiles *c, int vector) {
  const int low = c->plan.low;
  tiny_uop *const all[8] = {c->warp[0], c->warp[1], c->lane[!low], c->lane[low], c->tile[0], c->tile[1],
                            c->element[!vector], c->element[vector]};
  tiny_uop *order[8];
  int n = 0;
  for (int i = 0; i < 8; i++) if (all[i]) order[n++] = all[i];
  tn_transform_order(s, n, order);
}

// ** the transform **

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
    tiny_uop *x = fact.operand[i ^ first];
    if (x->op != TINY_OP_CAST || x->src[0]->dtype != word[i]) return 0;
    x = x->src[0];
    for (int j = 0; j < 2; j++)
      if (c->axis[!i][j] && tn_depends(t, x, c->axis[!i][j])) return 0;
    if (fact.inside)
      x = tn_u3(t, TINY_OP_WHERE, fact.inside, x, tn_const(t, x->dtype, tn_dtype_value(x->dtype, 0)));
    c->operand[i] = tn_bitcast(t, x, tn_bits(word[i]) == 16 ? TINY_U16 : tn_bits(word[i]) == 8 ? TINY_U8 : TINY_U32);
  }
  for (int i = 0; i < p->nred; i++) if (!c->k || tn_range_extent(p->red[i]) > tn_range_extent(c->k)) c->k = p->red[i];
  return c->k && tn_range_extent(c->k) % tn_unit_k(&c->plan) == 0;
}

// 1: the kernel's sum is done by the unit that c names, over c's axes.
static int tn_transform_warp_matrix(tn_kernel_state *s, const tn_profile *p, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  const tn_unit_plan *plan = &c->plan;
  int64_t items = plan->unit->warp;
  if (!tn_unit_operands(s, p, c)) return 0;
  for (int i = 0; i < 2; i++) items *= c->axis[i][0] ? tn_range_extent(c->axis[i][0]) : 1;
  const int64_t tiles = tn_range_extent(c->axis[1][1]) / plan->unit->n;
  const int pairs = plan->c[1].element.count == 1 && !plan->c[1].element.bit, last = plan->c[0].element.bit == 0 &&
      plan->c[0].element.count ? 0 : 1,
            vector = tn_stride_in(t, p->store->src[1], c->axis[last][1]) == 1;
  c->quarters = TN_UNIT_QUARTERS;
  c->k_block = tn_unit_range(t, tn_range_extent(c->k) / tn_unit_k(plan), TN_REDUCE);
  for (int i = 0; i < 2; i++) {
    c->along[i] = tn_unit_lies_along(s, c, i, c->k);
    c->turned[i] = tn_unit_turns(s, c, i);
  }
  c->together = pairs && tiles % 2 == 0 && !c->turned[1] ? 2 : 1;
  for (int i = 0; i < 2; i++) tn_unit_ranges(t, c, i, vector && i == last);
  for (int i = 0; i < 2; i++)
    c->stage[i] = c->turned[i] ? tn_unit_stage_turned(t, c, i, items) : tn_unit_stage(t, c, i, items);
  tn_list others = {NULL, 0, 0};
  for (int i = 0; i < p->nred; i++) if (p->red[i] != c->k) tn_push(t, &others, p->red[i]);
  tiny_uop *registers = tn_unit_registers(t, c, &others), *from[5] = {p->reduce[0]},
           *to[5] = {tn_core_load(t, registers, tn_unit_register(t, c), 1)};
  int n = 1;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) if (c->axis[i][j]) {
    from[n] = c->axis[i][j];
    to[n++] = j ? tn_unit_place(t, c, i) : c->warp[i];
  }
  s->sink = tn_replace(t, tn_masked_drop(t, s->sink), n, from, to);
  tn_unit_order(s, c, last);
  return 1;
}
#endif
