// warp_operands: what lanes hold of the operands of a matrix unit's product, and how it gets to them (warp_matrix.c).
//
// In:    the tiles of a kernel, an operand of its sum. Out: STAGEs of blocks of it in memory of the group, and what a
//        lane reads of them for each product, as bits of the unit's layout; or boxes that the device copies.
// Holds: no two words that a phase of eight lanes asks for at once lie in one bank: rows lie 16 bytes apart in a
//        quarter, quarters 32 bytes further, so that four quarters of two rows meet eight different places of 128
//        bytes, as do eight rows of a quarter. A STAGE has rows where it has a pad behind each, and else none.
#ifndef TN_CODEGEN_WARP_OPERANDS
#define TN_CODEGEN_WARP_OPERANDS
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
#endif
