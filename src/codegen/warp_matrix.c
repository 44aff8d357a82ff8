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
// holds two neighbours, pairs of tiles are interleaved, so that it holds four; where it wants two neighbours of a row
// of b, so many tiles that it loads 16 bytes of that row. Results that are narrower than sums go through memory of the
// group, by lanes as the unit has them and from there by items, 16 bytes each of whole rows.
#ifndef TN_CODEGEN_WARP_MATRIX
#define TN_CODEGEN_WARP_MATRIX
#ifndef TINY_AMALGAMATED
#include "matrix.c"
#endif

// What may be boxes that the device copies by itself: operands; results, where the kernel stores narrow elements; those
// of any.
enum { TN_UNIT_BOXES = 1, TN_UNIT_BOX_STORES = 2, TN_UNIT_BOX_ALL = 4 };
enum { TN_UNIT_PIECE = 16, TN_UNIT_QUARTERS = 4, TN_UNIT_PAD = 32,     // bytes; pieces of a row; bytes between quarters
  TN_UNIT_PADS = 256,                                                  // in all of them, and of both operands, at most
  TN_UNIT_WARPS = 4, TN_UNIT_TALL = 2,     // whose products take columns at once; tiles of rows, at most
  TN_UNIT_COLUMNS = 512,                   // of sums of all warps that a unit keeps itself (PTX ISA, Tensor Memory)
  TN_UNIT_SIDES = 2, TN_UNIT_TOGETHER = 4 };                           // rows and columns; elements of an item

// How a unit's layout is used: which bits of a side are lanes', which are registers'.
typedef struct tn_unit_side { tn_layout_run lane, element; } tn_unit_side;
typedef struct tn_unit_plan {
  const tiny_warp_unit *unit;
  tn_unit_side c[TN_UNIT_SIDES], operand[TN_UNIT_SIDES], k[TN_UNIT_SIDES];   // of c; a's rows, b's columns; their k
  int low;                                 // side of c that the low bits of a lane's number belong to
  int values;                              // elements of a piece
  int each, steps, pieces;                 // along k of a lane: elements of a product; products of a piece, and pieces
  int across;                              // a lane's elements of b are neighbours of a row, of a's along k
} tn_unit_plan;

// Bits of k among a lane's elements need not be neighbours: any order will do. Elsewhere they must.
static int tn_unit_k_bits(const uint8_t *bits, int column) {
  int n = 0;
  for (int i = 0; i < TINY_LAYOUT_ELEMENT && bits[i]; i++) n += (bits[i] > TINY_LAYOUT_COLUMN) == column;
  return n;
}

// Do b's elements of a lane lie along a row, those of a along k, low bits first, so that both cover it?
static int tn_unit_lies_across(const tn_unit_plan *p) {
  const tn_unit_side *a = &p->k[0], *b = &p->k[1];
  return !b->element.count && a->element.count && a->lane.bit == a->element.count && !b->lane.bit &&
      b->lane.count == a->lane.count + a->element.count && p->operand[1].element.count && !p->operand[1].element.bit &&
      p->operand[1].element.count == p->c[1].element.count && p->operand[1].lane.bit == p->c[1].lane.bit;
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
  }
  p->across = tn_unit_lies_across(p);
  for (int i = 0; i < TN_UNIT_SIDES && !p->across; i++)
    if (p->k[i].element.count != p->k[0].element.count || p->k[i].lane.count != p->k[0].lane.count ||
        p->k[i].lane.bit != p->k[0].lane.bit)
      return 0;
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
  int together, rows_apart[TN_UNIT_SIDES]; // tiles of columns that are interleaved; those of rows of an operand's block
  int matrices;                            // lanes load rows of matrices, which give each what the unit wants of it
  int along[TN_UNIT_SIDES];                // the operand is read along k: several pieces at once
  int at_once;                             // 1: a product takes all columns of a warp, b from memory of the group
  int whole;                               // 1: and all its rows, a from there as well
  int boxes;                               // operands are boxes that the device copies; the unit reads both from there
  int turned[TN_UNIT_SIDES];               // the operand's rows lie together in memory: lanes turn it as they load it
  tiny_uop *stage[TN_UNIT_SIDES]; int64_t rows[TN_UNIT_SIDES];         // memory of the group
  // a as a value that lanes have, NULL: it is in memory; of which elements of a tile, along rows and columns, of which
  // tiles of columns and of rows: NULL: there is one
  tiny_uop *held, *of[4];
  int last;                                // the side whose elements are stored together
  int how;                                 // TN_UNIT_BOXES ..
} tn_warp_tiles;

static tiny_uop *tn_place_plus(tiny_ctx *t, tiny_uop *x, int64_t times, tiny_uop *y) {
  if (!y) return x;
  y = tn_u2(t, TINY_OP_MUL, y, tn_index(t, times));
  return x ? tn_u2(t, TINY_OP_ADD, x, y) : y;
}

static tiny_uop *tn_unit_range(tiny_ctx *t, int64_t extent, int kind) {
  return extent > 1 ? tn_range(t, extent, kind) : NULL;
}

// Rows or columns of the group.
static int64_t tn_unit_extent(const tn_warp_tiles *c, int side) {
  return tn_range_extent(c->axis[side][1]) * (c->axis[side][0] ? tn_range_extent(c->axis[side][0]) : 1);
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

// Elements between quarters of an operand's block. Where tiles are interleaved, the rows of a tile lie together, which
// its lanes read; a piece lies between tiles, so that items write neighbours to different banks.
static int64_t tn_unit_apart(const tn_warp_tiles *c, int side) { return c->rows_apart[side] ? c->rows_apart[side] : 1; }
static int64_t tn_unit_pad(const tn_warp_tiles *c) {         // eight quarters of a row meet eight places, too
  return (c->quarters > TN_UNIT_QUARTERS ? TN_UNIT_PIECE : TN_UNIT_PAD) / tn_dtypes[c->plan.unit->a].nbytes;
}
// Of rows of several pieces each has another behind it, so that eight of them meet eight places of 128 bytes.
static int64_t tn_unit_pitch(const tn_warp_tiles *c, int64_t length) {
  return length > c->plan.values ? length + c->plan.values : length;
}
static int64_t tn_unit_quarter(const tn_warp_tiles *c, int side, int64_t length) {
  const int64_t apart = tn_unit_apart(c, side);
  if (length > c->plan.values) return c->rows[side] * tn_unit_pitch(c, length);
  return c->rows[side] * length + (apart > 1 ? apart * length : tn_unit_pad(c));
}

// Elements, at most v, that each access to memory of the device has together along r, of these indices that lie so.
static int64_t tn_unit_width(tiny_ctx *t, const tn_list *indices, const tiny_uop *r, int64_t v) {
  for (int i = 0; i < indices->n; i++)
    if (tn_stride_in(t, indices->u[i]->src[1], r) == 1) v = tn_access_width(t, indices->u[i], r, v);
  return v;
}
static int64_t tn_unit_read_width(tiny_ctx *t, const tn_warp_tiles *c, int side, const tiny_uop *r) {
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, c->operand[side], TINY_OP_INDEX, &all);
  return tn_unit_width(t, &all, r, c->plan.values);
}

// An operand's block for a K block: quarters of rows of pieces, which items copy a piece each: as many parts of rows as
// that needs. Where rows lie together in memory, neighbours are an item's. Where rows begin anywhere, pieces are shared
// by items too, as small as can be read at once.
static tiny_uop *tn_unit_stage(tiny_ctx *t, tn_warp_tiles *c, int side, int64_t items) {
  const tn_unit_plan *p = &c->plan;
  const int64_t tile = tn_range_extent(c->axis[side][1]), apart = tn_unit_apart(c, side),
                warps = c->axis[side][0] ? tn_range_extent(c->axis[side][0]) : 1, all = warps * tile,
                width = tn_unit_read_width(t, c, side, c->k);
  int64_t parts = all * c->quarters / items;
  const int mine = !c->along[side] && apart > 1 && parts % apart == 0;
  if (mine) parts /= apart;
  while (parts > 1 && all / apart % parts) parts--;
  if (parts < 1) parts = 1;
  c->rows[side] = all;
  tiny_uop *fresh[6] = {tn_range(t, c->quarters, TN_SHARE), tn_unit_range(t, apart, mine ? TN_UPCAST : TN_SHARE),
                        tn_unit_range(t, parts, TN_UPCAST), tn_range(t, all / apart / parts, TN_SHARE),
                        tn_unit_range(t, p->values / width, TN_SHARE), tn_unit_range(t, width, TN_VECTOR)}, *ranges[6];
  int n = 0;
  for (int i = 0; i < 6; i++) if (fresh[i]) ranges[n++] = fresh[i];
  tiny_uop *row = tn_place_plus(t, tn_place_plus(t, NULL, apart, fresh[3]), all / parts, fresh[2]),
           *of_piece = tn_place_plus(t, fresh[5], width, fresh[4]),
           *k = tn_place_plus(t, tn_place_plus(t, of_piece, p->values, fresh[0]), c->quarters * p->values, c->k_block),
           *x = tn_unit_block(t, c, side, k, tn_place_plus(t, row, 1, fresh[1]));
  const int64_t pad = apart > 1 ? p->values : tn_unit_pad(c);
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, 1, x, n, ranges,
                      TN_SPACE_LOCAL | tn_stage_rows(all / apart * p->values, pad));
}

// The block of b where lanes want neighbours of its rows: rows along k, of columns; what is read at once lies along
// whichever of both lies so in memory. Lanes read 64 bytes of a row together, or 32, or 16, and in a phase 2, 4 or 8
// rows, in pairs, which are `values` rows apart: the next row begins so many bytes further in 128 that these meet other
// places, but for a bank or two of the narrower ones.
static int64_t tn_unit_across_pitch(const tn_warp_tiles *c) {
  static const struct { int64_t lane, next; } places[] = {{16, 64}, {8, 40}, {4, 20}};       // bytes
  const int64_t size = tn_dtypes[c->plan.unit->a].nbytes, nbytes = tn_unit_extent(c, 1) * size,
                lane = (int64_t)(c->together << c->plan.operand[1].element.count) * size;
  int i = 0;
  while (i < 2 && places[i].lane > lane) i++;
  return ((nbytes + 127 - places[i].next) / 128 * 128 + places[i].next) / size;
}
static tiny_uop *tn_unit_stage_across(tiny_ctx *t, tn_warp_tiles *c, int64_t items) {
  const int64_t all = c->quarters * c->plan.values, rows = tn_unit_extent(c, 1), length = c->along[1] ? all : rows,
                width = tn_unit_read_width(t, c, 1, c->along[1] ? c->k : c->axis[1][1]);
  int64_t parts = all * rows / width / items;
  const int64_t others = all * rows / length;
  while (parts > 1 && others % parts) parts--;
  if (parts < 1) parts = 1;
  c->rows[1] = rows;
  tiny_uop *part = tn_unit_range(t, parts, TN_UPCAST), *other = tn_unit_range(t, others / parts, TN_SHARE),
           *piece = tn_unit_range(t, length / width, TN_SHARE), *last = tn_unit_range(t, width, TN_VECTOR),
           *apart = tn_place_plus(t, tn_place_plus(t, tn_index(t, 0), 1, other), others / parts, part),
           *beside = tn_place_plus(t, tn_place_plus(t, tn_index(t, 0), 1, last), width, piece),
           *k = tn_place_plus(t, c->along[1] ? beside : apart, all, c->k_block),
           *x = tn_unit_block(t, c, 1, k, c->along[1] ? apart : beside), *ranges[4];
  tiny_uop *const rowwise[4] = {part, other, piece, last}, *const along[4] = {piece, last, part, other};
  int n = 0;
  for (int i = 0; i < 4; i++) {
    tiny_uop *r = (c->along[1] ? along : rowwise)[i];
    if (r) ranges[n++] = r;
  }
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, 1, x, n, ranges,
                      TN_SPACE_LOCAL | tn_stage_rows(rows, tn_unit_across_pitch(c) - rows));
}

enum { TN_TURNED_PAD = 8 };                // elements: eight rows of 16 bytes meet eight places of 128 bytes

// Does what the operand loads lie together along r?
static int tn_unit_lies_along(tn_kernel_state *s, const tn_warp_tiles *c, int side, const tiny_uop *r) {
  tn_list loads = {NULL, 0, 0};
  tn_collect_op(s->t, c->operand[side], TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) if (tn_stride_in(s->t, loads.u[i]->src[0]->src[1], r) == 1) return 1;
  return 0;
}

// Does a lane's share of 8x8 matrices of 16 bits, four of a, two of b, lie as the unit wants it (PTX ISA, ldmatrix, and
// "Matrix Fragments for mma" with .m16n8 and 32 bytes along k)?
static int tn_unit_loads_matrices(const tn_kernel_state *s, const tiny_warp_unit *unit) {
  return unit->warp == 32 && unit->m == 16 && unit->n == 8 && unit->k * tn_dtypes[unit->a].nbytes == 32 &&
      (!s->target->renderer || tn_target_has(s->target, TINY_TARGET_ROWS));
}
// Can lanes turn the operand as they load it, as it lies?
static int tn_unit_turns(tn_kernel_state *s, const tn_warp_tiles *c, int side) {
  return c->matrices && tn_bits(c->plan.unit->a) == 16 && !c->along[side] &&
      tn_unit_lies_along(s, c, side, c->axis[side][1]);
}

// The block of such an operand: rows along k, of pieces of 16 bytes or of what can be read at once; for products of all
// columns at once the pieces of eight columns lie together, one for each k.
static tiny_uop *tn_unit_stage_turned(tiny_ctx *t, tn_warp_tiles *c, int side, int64_t items) {
  const int64_t tile = tn_range_extent(c->axis[side][1]), v = c->plan.values, all = c->quarters * v,
                rows = (c->axis[side][0] ? tn_range_extent(c->axis[side][0]) : 1) * tile,
                width = tn_unit_read_width(t, c, side, c->axis[side][1]);
  const int pieces = side ? c->at_once : c->whole;
  int64_t parts = c->quarters * rows / items;
  while (parts > 1 && all % parts) parts--;
  c->rows[side] = rows;
  tiny_uop *part = tn_unit_range(t, parts, TN_UPCAST), *in = tn_range(t, all / (parts > 1 ? parts : 1), TN_SHARE),
           *piece = tn_range(t, rows / (pieces ? v : width), TN_SHARE),
           *within = pieces ? tn_unit_range(t, v / width, TN_SHARE) : NULL, *last = tn_unit_range(t, width, TN_VECTOR),
           *fresh[5] = {pieces ? piece : part, pieces ? part : in, pieces ? in : piece, within, last}, *ranges[5];
  int n = 0;
  for (int i = 0; i < 5; i++) if (fresh[i]) ranges[n++] = fresh[i];
  tiny_uop *k = tn_place_plus(t, in, tn_range_extent(in), part),
           *row = tn_place_plus(t, tn_place_plus(t, last, width, within), pieces ? v : width, piece),
           *x = tn_unit_block(t, c, side, tn_place_plus(t, k, all, c->k_block), row);
  const int64_t length = pieces ? all * v : rows,
                kind = TN_SPACE_LOCAL | tn_stage_rows(length, TN_TURNED_PAD);
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, 1, x, n, ranges, kind);
}

static tiny_uop *tn_unit_stage_of(tiny_ctx *t, tn_warp_tiles *c, int side, int64_t items) {
  if (side && c->plan.across) return tn_unit_stage_across(t, c, items);
  return c->turned[side] ? tn_unit_stage_turned(t, c, side, items) : tn_unit_stage(t, c, side, items);
}

// ** boxes that the device copies by itself: codegen/boxes.c **

// Elements of a row of a box.
static int64_t tn_unit_box_row(const tn_warp_tiles *c) { return TN_BOX_ROW / tn_dtypes[c->plan.unit->a].nbytes; }
// Rows of the operand, or, where these lie together in memory, boxes of 64 of them beside each other, rows along k.
static tiny_uop *tn_unit_stage_boxes(tiny_ctx *t, tn_warp_tiles *c, int side) {
  const int64_t rows = tn_unit_extent(c, side), together = tn_unit_box_row(c), all = c->quarters * c->plan.values;
  tiny_uop *ranges[3], *row, *k, *block = NULL;
  int n = 0;
  if (c->turned[side]) {
    if ((block = tn_unit_range(t, rows / together, TN_SHARE)) != NULL) ranges[n++] = block;
    ranges[n++] = k = tn_range(t, all, TN_SHARE);
    ranges[n++] = row = tn_range(t, together, TN_SHARE);
    row = tn_place_plus(t, row, together, block);
  } else {
    ranges[n++] = row = tn_range(t, rows, TN_SHARE);
    ranges[n++] = k = tn_range(t, all, TN_SHARE);
  }
  tiny_uop *x = tn_unit_block(t, c, side, tn_place_plus(t, k, all, c->k_block), row);
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, 1, x, n, ranges, TN_SPACE_LOCAL | (int64_t)TN_STAGE_BULK);
}
// Are both operands boxes, of which four warps have 64 rows of a, or all that a product takes? Then these are the
// stages.
static int tn_unit_stages_boxes(tn_kernel_state *s, tn_warp_tiles *c) {
  tiny_uop *stage[TN_UNIT_SIDES];
  tn_box *box = (tn_box *)tn_scratch(s->t, sizeof *box);
  const int64_t row = tn_unit_box_row(c);
  if (!(c->how & TN_UNIT_BOXES) || !tn_target_copies_boxes(s->target) || !c->at_once ||
      c->quarters * TN_UNIT_PIECE != TN_BOX_ROW ||
      (!c->whole && tn_range_extent(c->axis[0][1]) != c->plan.unit->m))
    return 0;
  for (int i = 0; i < TN_UNIT_SIDES; i++) {
    const int64_t warp = tn_range_extent(c->axis[i][1]) * (i ? 1 : TN_UNIT_WARPS);
    if ((!c->along[i] && !c->turned[i]) || (c->turned[i] && warp % row) || tn_unit_extent(c, i) > TN_BOX_MOST) return 0;
    stage[i] = tn_unit_stage_boxes(s->t, c, i);
    if (!tn_box_of(s->t, stage[i], box)) return 0;
  }
  for (int i = 0; i < TN_UNIT_SIDES; i++) { c->stage[i] = stage[i]; c->rows[i] = tn_unit_extent(c, i); }
  return 1;
}
// Where a row begins of an operand's boxes.
static tiny_uop *tn_unit_box_place(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *of) {
  const int64_t row = tn_unit_box_row(c);
  tiny_uop *together = tn_index(t, row);
  if (!c->turned[side]) return tn_u2(t, TINY_OP_MUL, of, together);
  return tn_place_plus(t, tn_u2(t, TINY_OP_MOD, of, together), TN_BOX_ROWS * row,
                       tn_u2(t, TINY_OP_IDIV, of, together));
}
// The operand of a product from `quarter` on: of b all columns of a warp, of a the 64 rows of four of them; or, where
// the product takes all rows, the tile of the warp's that begins with row `first`.
static tiny_uop *tn_unit_of_boxes(tiny_ctx *t, const tn_warp_tiles *c, int side, int64_t quarter, int64_t first) {
  const int64_t row = tn_unit_box_row(c), v = c->plan.values, size = tn_dtypes[c->plan.unit->a].nbytes,
                eight = TN_TURNED_ROW * row, of_side[2] = {eight, v}, turned_side[2] = {v, eight},
                *steps = c->turned[side] ? turned_side : of_side,
                kind = (c->turned[side] ? TN_TURNED : TN_AS_ROWS) | TN_SWIZZLED | (side || c->whole ? 0 : TN_SIDE) |
                    steps[side] << TN_MATRIX_ALONG | steps[!side] << TN_MATRIX_NEXT,
                warp = side || c->whole ? tn_range_extent(c->axis[side][1]) : (int64_t)TN_BOX_ROWS,
                words = side ? tn_range_extent(c->axis[1][1]) / c->plan.unit->n * 2 : 4;
  tiny_uop *four = tn_index(t, TN_UNIT_WARPS), *number = c->warp[side];
  if (!side && number && !c->whole) number = tn_u2(t, TINY_OP_IDIV, number, four);
  tiny_uop *of = tn_simplify(t, tn_place_plus(t, tn_index(t, first), warp, number)),
           *at = tn_place_plus(t, tn_unit_box_place(t, c, side, of), c->turned[side] ? eight : v, tn_index(t, quarter)),
           *index = tn_index_of(t, c->stage[side], at, NULL),
           *load = tn_uop_make(t, TINY_OP_LOAD, c->stage[side]->dtype, (int)(words * 4 / size), 1, &index, kind, 0,
                               NULL);
  return size == 4 ? load : tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, (int)words, 1, &load, 0, 0, NULL);
}

// ** operands as bits **

// Bits of x, f32, rounded to TF32 as cvt.rna.tf32.f32 does: to nearest, ties away from 0 (PTX ISA, cvt).
static tiny_uop *tn_unit_tf32(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32),
           *up = tn_u2(t, TINY_OP_ADD, bits, tn_int(t, TINY_U32, 0x1000)),
           *nan = tn_u2(t, TINY_OP_OR, bits, tn_int(t, TINY_U32, 0x400000));
  return tn_u3(t, TINY_OP_WHERE, tn_u2(t, TINY_OP_NE, x, x), nan,
               tn_u2(t, TINY_OP_AND, up, tn_int(t, TINY_U32, 0xFFFFE000)));
}

// What memory of a group has of an operand, as bits.
static tiny_uop *tn_unit_word(tiny_ctx *t, const tiny_warp_unit *unit, tiny_uop *x) {
  return x->dtype == TINY_F32 && tn_unit_is_tf32(unit) ? tn_unit_tf32(t, x) :
      tn_bitcast(t, x, tn_bits(x->dtype) == 16 ? TINY_U16 : tn_bits(x->dtype) == 8 ? TINY_U8 : TINY_U32);
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

// Where quarter q of a row of an operand's block begins.
static tiny_uop *tn_unit_at(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *row, tiny_uop *q) {
  const int64_t v = c->plan.values, apart = tn_unit_apart(c, side), length = side || !c->row ? v : c->row;
  tiny_uop *tiles = tn_index(t, apart), *part = length == v ? NULL : tn_u2(t, TINY_OP_MOD, q, tn_index(t, length / v));
  if (part) q = tn_u2(t, TINY_OP_IDIV, q, tn_index(t, length / v));
  tiny_uop *at = tn_place_plus(t, NULL, tn_unit_pitch(c, length), apart > 1 ? tn_u2(t, TINY_OP_IDIV, row, tiles) : row);
  at = tn_place_plus(t, tn_place_plus(t, at, tn_unit_quarter(c, side, length), q), v, part);
  return apart > 1 ? tn_place_plus(t, at, c->rows[side] / apart * v + v, tn_u2(t, TINY_OP_MOD, row, tiles)) : at;
}

// The words of a piece of a row, for the lane's quarter from `quarter` on.
static tiny_uop *tn_unit_piece(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int64_t high,
                               int64_t quarter) {
  const tn_unit_plan *p = &c->plan;
  const tn_unit_side *rows = &p->operand[side];
  tiny_uop *at = tn_place_plus(t, tn_index(t, high << rows->element.bit), (int64_t)1 << rows->lane.bit,
                         tn_unit_lane(t, c, &rows->lane)),
           *q = tn_place_plus(t, tn_index(t, quarter), p->pieces, tn_unit_lane(t, c, &p->k[side].lane)),
           *row = tn_unit_row(t, c, side, tile, at),
           *load = tn_core_load(t, c->stage[side], tn_unit_at(t, c, side, row, q), (int)p->values);
  return tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, TN_UNIT_PIECE / 4, 1, &load, 0, 0, NULL);
}

// Four words that matrices of a tile give a lane: of b for both products of four quarters, of a for one of them: rows
// 0-7 and 8-15, then the same of the second half of k. The lane has the address of a row of one of them, `in` it; of a
// matrix that is turned that is a row along k, of eight elements beside each other.
static tiny_uop *tn_unit_matrices(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int64_t quarter,
                                  int step) {
  tiny_uop *lane = tn_place_plus(t, c->lane[1], 4, c->lane[0]), *in = tn_u2(t, TINY_OP_MOD, lane, tn_index(t, 8)),
           *matrix = tn_u2(t, TINY_OP_IDIV, lane, tn_index(t, 8)), *rows = tn_index(t, 0), *at,
           *q = tn_u2(t, TINY_OP_ADD, tn_index(t, quarter), matrix);
  if (!side) {
    rows = tn_place_plus(t, rows, 8, tn_u2(t, TINY_OP_MOD, matrix, tn_index(t, 2)));
    q = tn_u2(t, TINY_OP_ADD, tn_index(t, quarter + 2 * step), tn_u2(t, TINY_OP_IDIV, matrix, tn_index(t, 2)));
  }
  if (c->turned[side])
    at = tn_place_plus(t, tn_unit_row(t, c, side, tile, rows), c->rows[side] + TN_TURNED_PAD,
                       tn_place_plus(t, in, 8, q));
  else at = tn_unit_at(t, c, side, tn_unit_row(t, c, side, tile, tn_u2(t, TINY_OP_ADD, rows, in)), q);
  tiny_uop *index = tn_index_of(t, c->stage[side], at, NULL),
           *load = tn_uop_make(t, TINY_OP_LOAD, c->stage[side]->dtype, (int)c->plan.values, 1, &index,
                               c->turned[side] ? TN_TURNED : TN_AS_ROWS, 0, NULL);
  return tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, 4, 1, &load, 0, 0, NULL);
}
static tiny_uop *tn_unit_of_matrices(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int64_t quarter,
                                     int step) {
  tiny_uop *all = tn_unit_matrices(t, c, side, tile, quarter, step), *word[2];
  if (!side) return all;
  for (int i = 0; i < 2; i++) word[i] = tn_pick(t, all, 2 * step + i, 1);
  return tn_stack(t, 2, word);
}

// Words of a for a product of 16 rows and 16 along k, of results of two tiles of eight columns: elements lie as a's
// (PTX ISA, "Matrix Fragments for mma.m16n8k16": c0 c1, c2 c3 of both are a0 a1 to a6 a7).
static tiny_uop *tn_unit_held(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *tile, int64_t first) {
  tiny_uop *bits[8];
  for (int i = 0; i < 8; i++) {
    tiny_uop *const to[4] = {tn_index(t, i >> 1 & 1), tn_index(t, i & 1), tn_index(t, first + (i >> 2)), tile};
    bits[i] = tn_unit_word(t, c->plan.unit, tn_replace(t, c->held, c->of[3] ? 4 : 3, c->of, to));
  }
  tiny_uop *all = tn_stack(t, 8, bits);
  return tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, 4, 1, &all, 0, 0, NULL);
}
// May a product's results be the next one's operand, where lanes have them?
static int tn_unit_may_hold(const tn_warp_tiles *c, const tn_warp_tiles *d) {
  return c->matrices && !c->warp[1] && tn_bits(c->plan.unit->a) == 16 && d->element[0] && d->element[1] && d->tile[1] &&
      d->tiles[1] % 2 == 0;
}

// Words of b for a lane of which these are neighbours of a row: of as many tiles as it loads together the one that
// `tile` says. Along k the unit has lanes where a has lanes and elements.
static tiny_uop *tn_unit_of_row(tiny_ctx *t, const tn_warp_tiles *c, tiny_uop *tile, int step, int64_t quarter) {
  const tn_unit_plan *p = &c->plan;
  const int64_t few = (int64_t)1 << p->operand[1].element.count, g = c->together, each = p->each,
                words = few * tn_dtypes[p->unit->a].nbytes / 4;
  tiny_uop *lane = tn_unit_lane(t, c, &p->k[1].lane), *in = tn_index(t, each), *together = tn_index(t, g),
           *first = tn_place_plus(t, tn_index(t, 0), g, tn_u2(t, TINY_OP_IDIV, tile, together)),
           *at = tn_place_plus(t, tn_index(t, 0), few, tn_unit_lane(t, c, &p->operand[1].lane)),
           *row = tn_unit_row(t, c, 1, first, at),
           *k = tn_place_plus(t, tn_index(t, quarter * p->values + step * each), 1, tn_u2(t, TINY_OP_MOD, lane, in));
  k = tn_place_plus(t, k, p->values, tn_u2(t, TINY_OP_IDIV, lane, in));
  tiny_uop *load = tn_core_load(t, c->stage[1], tn_place_plus(t, row, tn_unit_across_pitch(c), k), (int)(few * g)),
           *all = tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, (int)(g * words), 1, &load, 0, 0, NULL),
           *which = tn_u2(t, TINY_OP_MOD, tile, together), *word[4];
  if (all->lanes == 1) return all;
  for (int64_t w = 0; w < words; w++) {
    word[w] = tn_pick(t, all, w, 1);
    for (int64_t i = 1; i < g; i++)
      word[w] = tn_u3(t, TINY_OP_WHERE, tn_u2(t, TINY_OP_EQ, which, tn_index(t, i)), tn_pick(t, all, i * words + w, 1),
                      word[w]);
  }
  return words == 1 ? word[0] : tn_stack(t, (int)words, word);
}

// The operand of product `step` of those that begin at `quarter`: words of the lane's elements, which lie in the
// registers as the layout says, those along k in any order.
static tiny_uop *tn_unit_operand(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int step,
                                 int64_t quarter) {
  const tn_unit_plan *p = &c->plan;
  const tiny_warp_layout *l = &p->unit->layout[side];
  const int each = 4 / tn_dtypes[p->unit->a].nbytes, words = tn_layout_elements(l) / each;
  tiny_uop *word[1 << TINY_LAYOUT_ELEMENT];
  if (!side && c->held) return tn_unit_held(t, c, tile, quarter + 2 * step);
  if (c->matrices) return tn_unit_of_matrices(t, c, side, tile, quarter, step);
  if (side && p->across) return tn_unit_of_row(t, c, tile, step, quarter);
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

// Steps from a matrix of an operand's block to the next one along k, and to that of the next eight rows.
static int64_t tn_unit_along(const tn_warp_tiles *c, int side) {
  return c->turned[side] ? TN_TURNED_ROW * c->plan.values : tn_unit_quarter(c, side, c->plan.values);
}
static int64_t tn_unit_next(const tn_warp_tiles *c, int side) {
  const int64_t v = c->plan.values;
  return c->turned[side] ? c->quarters * v * v + TN_TURNED_PAD : TN_TURNED_ROW * v;
}
// Words of matrices that lie side by side in memory of the group, `eights` times eight rows from those of the warp on.
static tiny_uop *tn_unit_side_by_side(tiny_ctx *t, const tn_warp_tiles *c, int side, int64_t quarter, int64_t eights,
                                      int64_t words, int64_t steps) {
  const int64_t along = tn_unit_along(c, side), next = tn_unit_next(c, side), size = tn_dtypes[c->plan.unit->a].nbytes,
                kind = (c->turned[side] ? TN_TURNED : TN_AS_ROWS) | steps;
  const int lanes = (int)(words * 4 / size);
  tiny_uop *at = tn_place_plus(t, tn_index(t, quarter * along + eights * next),
                               tn_range_extent(c->axis[side][1]) / TN_TURNED_ROW * next, c->warp[side]),
           *index = tn_index_of(t, c->stage[side], at, NULL),
           *load = tn_uop_make(t, TINY_OP_LOAD, c->stage[side]->dtype, lanes, 1, &index, kind, 0, NULL);
  return size == 4 ? load : tn_uop_make(t, TINY_OP_BITCAST, TINY_U32, (int)words, 1, &load, 0, 0, NULL);
}
// All columns of a warp for such a product.
static tiny_uop *tn_unit_columns(tiny_ctx *t, const tn_warp_tiles *c, int64_t quarter) {
  return tn_unit_side_by_side(t, c, 1, quarter, 0, tn_range_extent(c->axis[1][1]) / c->plan.unit->n * 2,
                              tn_unit_along(c, 1) << TN_MATRIX_ALONG | tn_unit_next(c, 1) << TN_MATRIX_NEXT);
}
// All its rows, too: of each tile four matrices, first the next rows, then the next along k.
static tiny_uop *tn_unit_rows(tiny_ctx *t, const tn_warp_tiles *c, int64_t quarter) {
  tiny_uop *tile[TN_UNIT_TALL];
  for (int i = 0; i < (int)c->tiles[0]; i++)
    tile[i] = c->boxes ? tn_unit_of_boxes(t, c, 0, quarter, i * c->plan.unit->m) :
              tn_unit_side_by_side(t, c, 0, quarter, 2 * i, 4, tn_unit_next(c, 0) << TN_MATRIX_ALONG |
                                                               tn_unit_along(c, 0) << TN_MATRIX_NEXT);
  const int n = (int)c->tiles[0];
  return n == 1 ? tile[0] : tn_uop_make(t, TINY_OP_STACK, TINY_U32, 4 * n, n, tile, 0, 0, NULL);
}

// What a product is given of a side: words of a lane, or all rows or columns in memory of the group.
static tiny_uop *tn_unit_given(tiny_ctx *t, const tn_warp_tiles *c, int side, tiny_uop *tile, int step,
                               int64_t quarter) {
  if (!side && c->whole) return tn_unit_rows(t, c, quarter + 2 * step);
  if (c->boxes) return tn_unit_of_boxes(t, c, side, quarter + 2 * step, 0);
  if (side && c->at_once) return tn_unit_columns(t, c, quarter + 2 * step);
  return tn_unit_operand(t, c, side, tile, step, quarter);
}

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
