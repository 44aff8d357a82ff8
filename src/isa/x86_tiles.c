// x86_tiles: values in the tiles of AMX: loads, stores, zeros, and products that add to where they stand.
//
// In:  a list with WMMAs of the units that the CPU has (render/lang_c.c, tn_c_units). Out: instructions of tiles.
// Holds: a tile is 16 rows of 64 bytes, which follow each other in memory; all eight are configured so where a kernel
//        begins, and released where it ends. A tile is a register of a class that nothing is spilled of and that has no
//        copies: a list that wants either is refused.
// Source: Intel SDM vol. 1, 18, and vol. 2, LDTILECFG (palette 1), TILELOADD, TDPBF16PS, TDPBSSD.
#ifndef TN_ISA_X86_TILES
#define TN_ISA_X86_TILES
#ifndef TINY_AMALGAMATED
#include "../ir/args.c"
#include "x86_memory.c"
#endif

enum { TN_X86_TILE_SIDE = 16, TN_X86_TILE_STRIDE = 64, TN_X86_TILE_NBYTES = TN_X86_TILE_SIDE * TN_X86_TILE_STRIDE };

static const struct { uint8_t a, b; uint16_t row; } tn_x86_products[] = {
  {TINY_BF16, TINY_BF16, TN_X86_TDPBF16PS}, {TINY_I8, TINY_I8, TN_X86_TDPBSSD}, {TINY_U8, TINY_I8, TN_X86_TDPBUSD},
  {TINY_I8, TINY_U8, TN_X86_TDPBSUD}, {TINY_U8, TINY_U8, TN_X86_TDPBUUD}
};
// The instruction of a WMMA; 0: the level has none.
static int tn_x86_product_row(const tn_x86_select *x, const tiny_uop *u) {
  const tn_wmma w = tn_wmma_of(u->k);
  const int side = TN_X86_TILE_SIDE, words = w.m == side && w.n == side && w.k == side * w.together;
  for (size_t i = 0; i < sizeof tn_x86_products / sizeof *tn_x86_products; i++)
    if (w.a == tn_x86_products[i].a && w.b == tn_x86_products[i].b && words && w.together * tn_dtypes[w.a].nbytes == 4)
      return tn_x86_level_has(x->level, tn_x86_products[i].row) ? tn_x86_products[i].row : 0;
  return 0;
}

// ** which values are tiles **

// Zeros are none: they are written where they are wanted.
static void tn_x86_mark_tile(tn_x86_select *x, const tiny_uop *u) {
  if (tn_x86_is_splat(u)) return;
  x->tile[u->seq] = 1;
  if (u->op == TINY_OP_LOAD && tn_is_reg(u->src[0]->src[0])) x->tile[tn_memory_behind(u->src[0]->src[0])->seq] = 1;
}
// Tiles are loaded or products, and nothing but products and stores takes them.
static void tn_x86_check_tiles(tn_x86_select *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (x->tile[i] && u->op != TINY_OP_LOAD && u->op != TINY_OP_WMMA && u->op != TINY_OP_DEFINE)
      tn_isa_refuse(x->c, "a tile that is made of vectors");
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const int takes = u->op == TINY_OP_WMMA || (u->op == TINY_OP_STORE && j == 1), op = u->src[j]->op;
      if (x->tile[u->src[j]->seq] && op != TINY_OP_DEFINE && !takes) tn_isa_refuse(x->c, "a tile among vectors");
    }
  }
}
// What WMMAs take and give, and what else their sums go through. Are there any?
static int tn_x86_mark_tiles(tn_x86_select *x) {
  int n = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_WMMA) continue;
    tn_x86_mark_tile(x, u);
    for (int j = 0; j < 3; j++) tn_x86_mark_tile(x, u->src[j]);
    n++;
  }
  for (int i = 0; i < x->k->n && n; i++) {
    const tiny_uop *u = x->k->list[i];
    const int reaches = u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE;
    if (reaches && tn_is_reg(u->src[0]->src[0]) && x->tile[tn_memory_behind(u->src[0]->src[0])->seq])
      tn_x86_mark_tile(x, u->op == TINY_OP_LOAD ? u : u->src[1]);
  }
  if (n) tn_x86_check_tiles(x);
  return n;
}

// ** instructions **

static tn_isa_operand tn_x86_tmm(int reg, int role) { return tn_isa_reg(TN_ISA_TILE, reg, 0, role); }

// Palette 1, no row to begin with, 16 bits of bytes of a row of each of 16 tiles, then 8 of its rows.
static void tn_x86_configure_tiles(tn_x86_select *x) {
  uint8_t all[64] = {1};
  for (int i = 0; i < 8; i++) { all[16 + 2 * i] = TN_X86_TILE_STRIDE; all[48 + i] = TN_X86_TILE_SIDE; }
  tn_x86_1(x, TN_X86_LDTILECFG, tn_isa_at(TN_ISA_POOL, 0, tn_isa_constant(x->c, all, sizeof all)));
  x->stride = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(x->stride, 4, TN_ISA_DEF), tn_isa_number(TN_X86_TILE_STRIDE));
}
// The memory of a tile, whose index is its stride: what else is added to the base is added before.
static tn_isa_operand tn_x86_tile_memory(tn_x86_select *x, const tiny_uop *index) {
  tn_isa_operand o = tn_x86_memory(x, index, 0);
  if (o.index != TN_ISA_NO_REG) {
    const int r = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(r, 8, TN_ISA_DEF), o);
    o = tn_isa_at(TN_ISA_MEM, 0, 0);
    o.reg = r;
  }
  o.index = x->stride; o.scale = 1;
  return o;
}
static int tn_x86_is_whole_tile(const tn_x86_select *x, const tiny_uop *value, const tiny_uop *index) {
  return value->lanes * tn_x86_element(x, value) == TN_X86_TILE_NBYTES && index->lanes == 1 && index->nsrc == 2;
}
static int tn_x86_load_tile(tn_x86_select *x, const tiny_uop *u, int to) {
  if (u->k || u->nsrc != 1 || !tn_x86_is_whole_tile(x, u, u->src[0])) tn_isa_refuse(x->c, "a part of a tile");
  else tn_x86_2(x, TN_X86_TILELOADD, tn_x86_tmm(to, TN_ISA_DEF), tn_x86_tile_memory(x, u->src[0]));
  return to;
}
static void tn_x86_store_tile(tn_x86_select *x, const tiny_uop *u) {
  if (u->k || !tn_x86_is_whole_tile(x, u->src[1], u->src[0])) { tn_isa_refuse(x->c, "a part of a tile"); return; }
  const int from = tn_x86_value(x, u->src[1]);
  tn_x86_2(x, TN_X86_TILESTORED, tn_x86_tile_memory(x, u->src[0]), tn_x86_tmm(from, TN_ISA_USE));
}
static int tn_x86_is_zero_tile(const tiny_uop *u) { return tn_x86_is_splat(u) && !tn_x86_bits(u->src[0]); }
// To REG memory, of which `to` is an element.
static void tn_x86_keep_tile(tn_x86_select *x, const tiny_uop *value, int to) {
  if (tn_x86_is_zero_tile(value)) tn_x86_1(x, TN_X86_TILEZERO, tn_x86_tmm(to, TN_ISA_DEF));
  else if (x->reg[value->seq] != to) tn_isa_refuse(x->c, "a copy of a tile");
}
// Where it goes: over what it is added to. home: as below.
static int tn_x86_product(tn_x86_select *x, const tiny_uop *u, int home) {
  const tiny_uop *sum = u->src[2];
  const int row = tn_x86_product_row(x, u), zero = tn_x86_is_zero_tile(sum);
  const int own = sum->op == TINY_OP_WMMA || (sum->op == TINY_OP_LOAD && !tn_is_reg(sum->src[0]->src[0]));
  const int alone = own && x->uses[sum->seq] == 1 && tn_x86_stays(x, sum, 0);
  const int to = zero ? home >= 0 ? home : tn_x86_new(x, TN_ISA_TILE) : x->reg[sum->seq];
  if (!row) tn_isa_refuse(x->c, "a matrix unit that the level has not");
  else if (to < 0 || (!zero && to != home && !alone)) tn_isa_refuse(x->c, "a product that keeps the tile it adds to");
  if (!x->tile[u->src[0]->seq] || !x->tile[u->src[1]->seq]) tn_isa_refuse(x->c, "a product with a tile of numbers");
  if (x->c->refused) return tn_x86_new(x, TN_ISA_TILE);
  if (zero) tn_x86_1(x, TN_X86_TILEZERO, tn_x86_tmm(to, TN_ISA_DEF));
  tn_x86_3(x, row, tn_x86_tmm(to, TN_ISA_BOTH), tn_x86_tmm(tn_x86_value(x, u->src[0]), TN_ISA_USE),
           tn_x86_tmm(tn_x86_value(x, u->src[1]), TN_ISA_USE));
  return to;
}
// home: where its only user keeps it, -1: nowhere.
static int tn_x86_tile(tn_x86_select *x, const tiny_uop *u, int home) {
  if (u->op == TINY_OP_WMMA) return tn_x86_product(x, u, home);
  return tn_x86_load_tile(x, u, home >= 0 ? home : tn_x86_new(x, TN_ISA_TILE));
}
#endif
