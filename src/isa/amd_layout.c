// amd_layout: where the fields of AMD's instructions lie in their words, a row for each format of each family.
//
// In:  nothing. Out: tn_amd_layouts, and what stands behind an instruction: lanes (DPP16, DPP8) and parts (SDWA).
// Holds: the row that an instruction's first word matches first says its format; VOP3 has the opcodes of VOP3SD and of
//        the long forms, too; VOP3P those of MFMA.
// Source: amd.c's guides, chapter "Microcode Formats".
#ifndef TN_ISA_AMD_LAYOUT
#define TN_ISA_AMD_LAYOUT
#ifndef TINY_AMALGAMATED
#include "amd_table.c"
#endif

// What a field holds. SRC: a source's code; V: a vector register's number; S: a scalar register's code; IMM: simm16.
// Below TN_AMD_F_BITS one operand, of the letters that tn_amd_slot gives this key.
enum { TN_AMD_F_NONE, TN_AMD_F_SRC0, TN_AMD_F_SRC1, TN_AMD_F_SRC2, TN_AMD_F_VSRC1, TN_AMD_F_DST, TN_AMD_F_SDST,
  TN_AMD_F_CARRY, TN_AMD_F_IMM, TN_AMD_F_ADDRESS, TN_AMD_F_DATA, TN_AMD_F_DATA1, TN_AMD_F_SADDR, TN_AMD_F_BASE,
  TN_AMD_F_DESCRIPTOR, TN_AMD_F_SOFFSET,
  // bits of operands: from source `first` on; ACC: sources in AGPRs; ACC_DST: result and src2; ACC_DATA: of memory
  TN_AMD_F_BITS, TN_AMD_F_NEG = TN_AMD_F_BITS, TN_AMD_F_ABS, TN_AMD_F_SEL, TN_AMD_F_SEL_HI, TN_AMD_F_SEXT, TN_AMD_F_ACC,
  TN_AMD_F_ACC_DST, TN_AMD_F_ACC_DATA, TN_AMD_F_OFFSETS,       // OFFSETS: one of 16 bits, or two of 8
  TN_AMD_F_SVE,                            // scratch has an address in a vector register
  TN_AMD_F_SGPR_OFFSET, TN_AMD_F_HAS_OFFSET,                   // of gfx9's SMEM: how the offset is told
  TN_AMD_F_UNTYPED, TN_AMD_F_ZERO,         // 1: elements of a buffer have no format; 0: LDS, GDS, which nobody asks for
  TN_AMD_F_VGPR0, TN_AMD_F_IS_SGPR, TN_AMD_F_MASK, TN_AMD_F_HAS_MASK,  // behind: the source, is it an SGPR; SDWA's mask
  TN_AMD_F_M = 0x80, TN_AMD_F_SIGNED = 0xC0 };                 // + modifier; of two's complement
typedef struct tn_amd_field { uint8_t key, lo, width, first; } tn_amd_field;

enum { TN_AMD_MOST_FIELDS = 16 };
typedef struct tn_amd_layout {
  uint8_t format, families, dwords, op_lo, op_width; uint32_t match, mask;
  tn_amd_field field[TN_AMD_MOST_FIELDS];
} tn_amd_layout;

#define TN_AMD_AT_FIELD(key, lo, width) {TN_AMD_F_##key, lo, width, 0}
#define TN_AMD_AT_FIRST(key, lo, width, first) {TN_AMD_F_##key, lo, width, first}
#define TN_AMD_AT_M(key, lo, width) {TN_AMD_F_M + (int)TN_AMD_##key, lo, width, 0}
#define TN_AMD_AT_SIGNED(key, lo, width) {TN_AMD_F_SIGNED + (int)TN_AMD_##key, lo, width, 0}
#define TN_A_F TN_AMD_AT_FIELD
#define TN_A_M TN_AMD_AT_M
#define TN_A_SOURCES TN_A_F(SRC0, 32, 9), TN_A_F(SRC1, 41, 9), TN_A_F(SRC2, 50, 9)
#define TN_A_LONG TN_A_F(DST, 0, 8), TN_A_F(ABS, 8, 3), TN_A_F(SEL, 11, 4), TN_A_M(CLAMP, 15, 1), TN_A_SOURCES, \
  TN_A_M(OMOD, 59, 2), TN_A_F(NEG, 61, 3)
#define TN_A_LONG_SD TN_A_F(DST, 0, 8), TN_A_F(CARRY, 8, 7), TN_A_M(CLAMP, 15, 1), TN_A_SOURCES, \
  TN_A_M(OMOD, 59, 2), TN_A_F(NEG, 61, 3)
#define TN_A_PACKED TN_A_F(DST, 0, 8), TN_A_F(ABS, 8, 3), TN_AMD_AT_FIRST(SEL, 11, 3, 0), \
  TN_AMD_AT_FIRST(SEL_HI, 14, 1, 2), TN_A_M(CLAMP, 15, 1), TN_A_SOURCES, TN_A_F(SEL_HI, 59, 2), TN_A_F(NEG, 61, 3)
#define TN_A_LDS TN_A_F(OFFSETS, 0, 16), TN_A_F(ADDRESS, 32, 8), TN_A_F(DATA, 40, 8), TN_A_F(DATA1, 48, 8), \
  TN_A_F(DST, 56, 8)
#define TN_A_FLAT_11 TN_A_M(DLC, 13, 1), TN_A_M(GLC, 14, 1), TN_A_M(SLC, 15, 1), TN_A_F(ADDRESS, 32, 8), \
  TN_A_F(DATA, 40, 8), TN_A_F(SADDR, 48, 7), TN_A_F(DST, 56, 8)
#define TN_A_FLAT_9 TN_A_M(SC0, 16, 1), TN_A_M(NT, 17, 1), TN_A_M(SC1, 25, 1), TN_A_F(ADDRESS, 32, 8), \
  TN_A_F(DATA, 40, 8), TN_A_F(ACC_DATA, 55, 1), TN_A_F(DST, 56, 8)
#define TN_A_FLAT_12 TN_A_F(SADDR, 0, 7), TN_A_M(NV, 7, 1), TN_A_F(DST, 32, 8), TN_A_F(SVE, 49, 1), \
  TN_A_M(SCOPE, 50, 2), TN_A_M(TH, 52, 3), TN_A_F(DATA, 55, 8), TN_A_F(ADDRESS, 64, 8), \
  TN_AMD_AT_SIGNED(OFFSET, 72, 24)
#define TN_A_OFFSET_13 TN_AMD_AT_SIGNED(OFFSET, 0, 13)

static const tn_amd_layout tn_amd_layouts[] = {
  {TN_AMD_SOP1, TN_AMD_ON_ALL, 1, 8, 8, 0xBE800000, 0xFF800000, {TN_A_F(SDST, 16, 7), TN_A_F(SRC0, 0, 8)}},
  {TN_AMD_SOPC, TN_AMD_ON_ALL, 1, 16, 7, 0xBF000000, 0xFF800000, {TN_A_F(SRC0, 0, 8), TN_A_F(SRC1, 8, 8)}},
  {TN_AMD_SOPP, TN_AMD_ON_ALL, 1, 16, 7, 0xBF800000, 0xFF800000, {TN_A_F(IMM, 0, 16)}},
  {TN_AMD_SOPK, TN_AMD_ON_ALL, 1, 23, 5, 0xB0000000, 0xF0000000, {TN_A_F(SDST, 16, 7), TN_A_F(IMM, 0, 16)}},
  {TN_AMD_SOP2, TN_AMD_ON_ALL, 1, 23, 7, 0x80000000, 0xC0000000, {TN_A_F(SDST, 16, 7), TN_A_F(SRC0, 0, 8),
   TN_A_F(SRC1, 8, 8)}},
  {TN_AMD_VOP1, TN_AMD_ON_ALL, 1, 9, 8, 0x7E000000, 0xFE000000, {TN_A_F(DST, 17, 8), TN_A_F(SRC0, 0, 9)}},
  {TN_AMD_VOPC, TN_AMD_ON_ALL, 1, 17, 8, 0x7C000000, 0xFE000000, {TN_A_F(SRC0, 0, 9), TN_A_F(VSRC1, 9, 8)}},
  {TN_AMD_VOP2, TN_AMD_ON_ALL, 1, 25, 6, 0x00000000, 0x80000000, {TN_A_F(DST, 17, 8), TN_A_F(SRC0, 0, 9),
   TN_A_F(VSRC1, 9, 8)}},
  {TN_AMD_VOP3P, TN_AMD_ON_RDNA, 2, 16, 7, 0xCC000000, 0xFF800000, {TN_A_PACKED}},
  {TN_AMD_VOP3P, TN_AMD_ON_9, 2, 16, 7, 0xD3800000, 0xFF800000, {TN_A_PACKED}},
  {TN_AMD_MFMA, TN_AMD_ON_9, 2, 16, 7, 0xD3800000, 0xFF800000, {TN_A_F(DST, 0, 8), TN_A_M(CBSZ, 8, 3),
   TN_A_M(ABID, 11, 4), TN_A_F(ACC_DST, 15, 1), TN_A_SOURCES, TN_A_F(ACC, 59, 2), TN_A_M(BLGP, 61, 3)}},
  {TN_AMD_VOP3, TN_AMD_ON_RDNA, 2, 16, 10, 0xD4000000, 0xFC000000, {TN_A_LONG}},
  {TN_AMD_VOP3SD, TN_AMD_ON_RDNA, 2, 16, 10, 0xD4000000, 0xFC000000, {TN_A_LONG_SD}},
  {TN_AMD_VOP3, TN_AMD_ON_9, 2, 16, 10, 0xD0000000, 0xFC000000, {TN_A_LONG}},
  {TN_AMD_VOP3SD, TN_AMD_ON_9, 2, 16, 10, 0xD0000000, 0xFC000000, {TN_A_LONG_SD}},
  {TN_AMD_VOPD, TN_AMD_ON_RDNA, 2, 22, 4, 0xC8000000, 0xFC000000, {{0, 0, 0, 0}}},          // amd_code.c reads it
  {TN_AMD_SMEM, TN_AMD_ON_11, 2, 18, 8, 0xF4000000, 0xFC000000, {TN_A_F(BASE, 0, 6), TN_A_F(SDST, 6, 7),
   TN_A_M(DLC, 13, 1), TN_A_M(GLC, 14, 1), TN_AMD_AT_SIGNED(OFFSET, 32, 21), TN_A_F(SOFFSET, 57, 7)}},
  {TN_AMD_SMEM, TN_AMD_ON_12, 2, 13, 6, 0xF4000000, 0xFC000000, {TN_A_F(BASE, 0, 6), TN_A_F(SDST, 6, 7),
   TN_A_M(NV, 20, 1), TN_A_M(SCOPE, 21, 2), TN_A_M(TH, 23, 2), TN_AMD_AT_SIGNED(OFFSET, 32, 24),
   TN_A_F(SOFFSET, 57, 7)}},
  {TN_AMD_SMEM, TN_AMD_ON_9, 2, 18, 8, 0xC0000000, 0xFC000000, {TN_A_F(BASE, 0, 6), TN_A_F(SDST, 6, 7),
   TN_A_F(SGPR_OFFSET, 14, 1), TN_A_M(NV, 15, 1), TN_A_M(GLC, 16, 1), TN_A_F(HAS_OFFSET, 17, 1),
   TN_AMD_AT_SIGNED(OFFSET, 32, 21), TN_A_F(SOFFSET, 57, 7)}},
  {TN_AMD_DS, TN_AMD_ON_11, 2, 18, 8, 0xD8000000, 0xFC000000, {TN_A_LDS, TN_A_F(ZERO, 17, 1)}},
  {TN_AMD_DS, TN_AMD_ON_12, 2, 18, 8, 0xD8000000, 0xFC000000, {TN_A_LDS}},
  {TN_AMD_DS, TN_AMD_ON_9, 2, 17, 8, 0xD8000000, 0xFC000000, {TN_A_LDS, TN_A_F(ACC_DATA, 25, 1)}},
  {TN_AMD_FLAT, TN_AMD_ON_11, 2, 18, 7, 0xDC000000, 0xFC030000, {TN_A_M(OFFSET, 0, 12), TN_A_FLAT_11}},
  {TN_AMD_SCRATCH, TN_AMD_ON_11, 2, 18, 7, 0xDC010000, 0xFC030000, {TN_A_OFFSET_13, TN_A_FLAT_11,
   TN_A_F(SVE, 55, 1)}},
  {TN_AMD_GLOBAL, TN_AMD_ON_11, 2, 18, 7, 0xDC020000, 0xFC030000, {TN_A_OFFSET_13, TN_A_FLAT_11}},
  {TN_AMD_FLAT, TN_AMD_ON_9, 2, 18, 7, 0xDC000000, 0xFC00C000, {TN_A_M(OFFSET, 0, 12), TN_A_FLAT_9}},
  {TN_AMD_SCRATCH, TN_AMD_ON_9, 2, 18, 7, 0xDC004000, 0xFC00C000, {TN_A_OFFSET_13, TN_A_F(SVE, 13, 1),
   TN_A_F(SADDR, 48, 7), TN_A_FLAT_9}},
  {TN_AMD_GLOBAL, TN_AMD_ON_9, 2, 18, 7, 0xDC008000, 0xFC00C000, {TN_A_OFFSET_13, TN_A_F(SADDR, 48, 7), TN_A_FLAT_9}},
  {TN_AMD_FLAT, TN_AMD_ON_12, 3, 14, 8, 0xEC000000, 0xFF000000, {TN_A_FLAT_12}},
  {TN_AMD_SCRATCH, TN_AMD_ON_12, 3, 14, 8, 0xED000000, 0xFF000000, {TN_A_FLAT_12}},
  {TN_AMD_GLOBAL, TN_AMD_ON_12, 3, 14, 8, 0xEE000000, 0xFF000000, {TN_A_FLAT_12}},
  {TN_AMD_MUBUF, TN_AMD_ON_11, 2, 18, 8, 0xE0000000, 0xFC000000, {TN_A_M(OFFSET, 0, 12), TN_A_M(SLC, 12, 1),
   TN_A_M(DLC, 13, 1), TN_A_M(GLC, 14, 1), TN_A_M(TFE, 53, 1), TN_A_M(OFFEN, 54, 1), TN_A_M(IDXEN, 55, 1),
   TN_A_F(ADDRESS, 32, 8), TN_A_F(DATA, 40, 8), TN_A_F(DESCRIPTOR, 48, 5), TN_A_F(SOFFSET, 56, 8)}},
  {TN_AMD_MUBUF, TN_AMD_ON_9, 2, 18, 7, 0xE0000000, 0xFC000000, {TN_A_M(OFFSET, 0, 12), TN_A_M(OFFEN, 12, 1),
   TN_A_M(IDXEN, 13, 1), TN_A_M(SC0, 14, 1), TN_A_M(SC1, 15, 1), TN_A_F(ZERO, 16, 1), TN_A_M(NT, 17, 1),
   TN_A_F(ADDRESS, 32, 8), TN_A_F(DATA, 40, 8), TN_A_F(DESCRIPTOR, 48, 5), TN_A_F(ACC_DATA, 55, 1),
   TN_A_F(SOFFSET, 56, 8)}},
  {TN_AMD_MUBUF, TN_AMD_ON_12, 3, 14, 8, 0xC4000000, 0xFC000000, {TN_A_F(SOFFSET, 0, 7), TN_A_M(NV, 7, 1),
   TN_A_M(TFE, 22, 1), TN_A_M(SCOPE, 50, 2), TN_A_M(TH, 52, 3), TN_A_F(UNTYPED, 55, 7), TN_A_M(OFFEN, 62, 1),
   TN_A_M(IDXEN, 63, 1), TN_A_F(DATA, 32, 8), TN_A_F(DESCRIPTOR, 41, 9), TN_A_F(ADDRESS, 64, 8),
   TN_AMD_AT_SIGNED(OFFSET, 72, 24)}}
};
enum { TN_AMD_LAYOUTS = sizeof tn_amd_layouts / sizeof *tn_amd_layouts };

// The word behind a short form whose src0 says so: by TN_AMD_DPP16 .., and TN_AMD_SDWA + 1 of comparisons.
#define TN_A_FIRST TN_AMD_AT_FIRST
#define TN_A_PARTS TN_A_F(VGPR0, 0, 8), TN_A_M(SRC0_SEL, 16, 3), TN_A_F(SEXT, 19, 1), TN_A_F(NEG, 20, 1), \
  TN_A_F(ABS, 21, 1), TN_A_F(IS_SGPR, 23, 1), TN_A_M(SRC1_SEL, 24, 3), TN_A_FIRST(SEXT, 27, 1, 1), \
  TN_A_FIRST(NEG, 28, 1, 1), TN_A_FIRST(ABS, 29, 1, 1), TN_A_FIRST(IS_SGPR, 31, 1, 1)
static const tn_amd_field tn_amd_behind[5][TN_AMD_MOST_FIELDS] = {
  {{0, 0, 0, 0}},
  {TN_A_F(VGPR0, 0, 8), TN_A_M(DPP_CTRL, 8, 9), TN_A_M(FI, 18, 1), TN_A_M(BOUND_CTRL, 19, 1), TN_A_F(NEG, 20, 1),
   TN_A_F(ABS, 21, 1), TN_A_FIRST(NEG, 22, 1, 1), TN_A_FIRST(ABS, 23, 1, 1), TN_A_M(BANK_MASK, 24, 4),
   TN_A_M(ROW_MASK, 28, 4)},
  {TN_A_F(VGPR0, 0, 8), TN_A_M(LANES_8, 8, 24)},
  {TN_A_PARTS, TN_A_M(DST_SEL, 8, 3), TN_A_M(DST_UNUSED, 11, 2), TN_A_M(CLAMP, 13, 1), TN_A_M(OMOD, 14, 2)},
  {TN_A_PARTS, TN_A_F(MASK, 8, 7), TN_A_F(HAS_MASK, 15, 1)}
};
#undef TN_A_F
#undef TN_A_M
#undef TN_A_SOURCES
#undef TN_A_LONG
#undef TN_A_LONG_SD
#undef TN_A_PACKED
#undef TN_A_LDS
#undef TN_A_FLAT_11
#undef TN_A_FLAT_9
#undef TN_A_FLAT_12
#undef TN_A_OFFSET_13
#undef TN_A_FIRST
#undef TN_A_PARTS

// The layout of a format in a family. NULL: it has none.
static const tn_amd_layout *tn_amd_layout_of(int format, int family) {
  for (int i = 0; i < TN_AMD_LAYOUTS; i++)
    if (tn_amd_layouts[i].format == format && tn_amd_layouts[i].families >> family & 1) return &tn_amd_layouts[i];
  return NULL;
}

// ** letters of operands **

static int tn_amd_is_memory(int format) { return format >= TN_AMD_DS; }
// Which field a letter's operand goes to; TN_AMD_F_NONE: a literal, or no field.
static int tn_amd_slot(int format, char where) {
  switch (where) {
    case '0': case 'x': case 'X': case 'A': case 'M': return TN_AMD_F_SRC0;
    case '1': case 'y': case 'Y': return TN_AMD_F_SRC1;
    case '2': case 'z': case 'Z': case 'C': case 'm': return TN_AMD_F_SRC2;
    case 'd': case 'g': case 'r': case 'e': return TN_AMD_F_DST;
    case 'D': return format >= TN_AMD_VOP1 ? TN_AMD_F_DST : TN_AMD_F_SDST;
    case 'S': case 'n': return TN_AMD_F_SDST;
    case 'c': return tn_amd_is_memory(format) ? TN_AMD_F_DATA1 : TN_AMD_F_CARRY;
    case '#': return TN_AMD_F_IMM;
    case 'a': return TN_AMD_F_ADDRESS;
    case 'b': return TN_AMD_F_DATA;
    case 's': return TN_AMD_F_SADDR;
    case 'B': return TN_AMD_F_BASE;
    case 'R': return TN_AMD_F_DESCRIPTOR;
    case 'o': return TN_AMD_F_SOFFSET;
    default: return TN_AMD_F_NONE;
  }
}
// Dwords of what a letter says; of an address that stands alone.
static int tn_amd_dwords(int family, char what) {
  switch (what) {
    case 'F': case 'a': return 2;
    case 'm': return family == TN_AMD_GFX9 ? 2 : 1;
    case 'x': return 16;
    case 'y': return 32;
    default: return what >= '1' && what <= '8' ? what - '0' : 1;
  }
}
#endif
