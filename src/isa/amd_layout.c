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
#define TN_AMD_AT_M(key, lo, width) {TN_AMD_F_M + TN_AMD_##key, lo, width, 0}
#define TN_AMD_AT_SIGNED(key, lo, width) {TN_AMD_F_SIGNED + TN_AMD_##key, lo, width, 0}
#define F TN_AMD_AT_FIELD
#define M TN_AMD_AT_M
#define G11 (1 << TN_AMD_GFX11)
#define G12 (1 << TN_AMD_GFX12)
#define G9  (1 << TN_AMD_GFX9)
#define SOURCES F(SRC0, 32, 9), F(SRC1, 41, 9), F(SRC2, 50, 9)
#define LONG F(DST, 0, 8), F(ABS, 8, 3), F(SEL, 11, 4), M(CLAMP, 15, 1), SOURCES, M(OMOD, 59, 2), F(NEG, 61, 3)
#define LONG_SD F(DST, 0, 8), F(CARRY, 8, 7), M(CLAMP, 15, 1), SOURCES, M(OMOD, 59, 2), F(NEG, 61, 3)
#define PACKED F(DST, 0, 8), F(ABS, 8, 3), TN_AMD_AT_FIRST(SEL, 11, 3, 0), TN_AMD_AT_FIRST(SEL_HI, 14, 1, 2), \
               M(CLAMP, 15, 1), SOURCES, F(SEL_HI, 59, 2), F(NEG, 61, 3)
#define LDS F(OFFSETS, 0, 16), F(ADDRESS, 32, 8), F(DATA, 40, 8), F(DATA1, 48, 8), F(DST, 56, 8)
#define FLAT_11 M(DLC, 13, 1), M(GLC, 14, 1), M(SLC, 15, 1), F(ADDRESS, 32, 8), F(DATA, 40, 8), F(SADDR, 48, 7), \
                F(DST, 56, 8)
#define FLAT_9 M(SC0, 16, 1), M(NT, 17, 1), M(SC1, 25, 1), F(ADDRESS, 32, 8), F(DATA, 40, 8), F(ACC_DATA, 55, 1), \
               F(DST, 56, 8)
#define FLAT_12 F(SADDR, 0, 7), M(NV, 7, 1), F(DST, 32, 8), F(SVE, 49, 1), M(SCOPE, 50, 2), M(TH, 52, 3), \
                F(DATA, 55, 8), F(ADDRESS, 64, 8), TN_AMD_AT_SIGNED(OFFSET, 72, 24)
#define OFFSET_13 TN_AMD_AT_SIGNED(OFFSET, 0, 13)

static const tn_amd_layout tn_amd_layouts[] = {
  {TN_AMD_SOP1, G11 | G12 | G9, 1, 8, 8, 0xBE800000, 0xFF800000, {F(SDST, 16, 7), F(SRC0, 0, 8)}},
  {TN_AMD_SOPC, G11 | G12 | G9, 1, 16, 7, 0xBF000000, 0xFF800000, {F(SRC0, 0, 8), F(SRC1, 8, 8)}},
  {TN_AMD_SOPP, G11 | G12 | G9, 1, 16, 7, 0xBF800000, 0xFF800000, {F(IMM, 0, 16)}},
  {TN_AMD_SOPK, G11 | G12 | G9, 1, 23, 5, 0xB0000000, 0xF0000000, {F(SDST, 16, 7), F(IMM, 0, 16)}},
  {TN_AMD_SOP2, G11 | G12 | G9, 1, 23, 7, 0x80000000, 0xC0000000, {F(SDST, 16, 7), F(SRC0, 0, 8), F(SRC1, 8, 8)}},
  {TN_AMD_VOP1, G11 | G12 | G9, 1, 9, 8, 0x7E000000, 0xFE000000, {F(DST, 17, 8), F(SRC0, 0, 9)}},
  {TN_AMD_VOPC, G11 | G12 | G9, 1, 17, 8, 0x7C000000, 0xFE000000, {F(SRC0, 0, 9), F(VSRC1, 9, 8)}},
  {TN_AMD_VOP2, G11 | G12 | G9, 1, 25, 6, 0x00000000, 0x80000000, {F(DST, 17, 8), F(SRC0, 0, 9), F(VSRC1, 9, 8)}},
  {TN_AMD_VOP3P, G11 | G12, 2, 16, 7, 0xCC000000, 0xFF800000, {PACKED}},
  {TN_AMD_VOP3P, G9, 2, 16, 7, 0xD3800000, 0xFF800000, {PACKED}},
  {TN_AMD_MFMA, G9, 2, 16, 7, 0xD3800000, 0xFF800000,
   {F(DST, 0, 8), M(CBSZ, 8, 3), M(ABID, 11, 4), F(ACC_DST, 15, 1), SOURCES, F(ACC, 59, 2), M(BLGP, 61, 3)}},
  {TN_AMD_VOP3, G11 | G12, 2, 16, 10, 0xD4000000, 0xFC000000, {LONG}},
  {TN_AMD_VOP3SD, G11 | G12, 2, 16, 10, 0xD4000000, 0xFC000000, {LONG_SD}},
  {TN_AMD_VOP3, G9, 2, 16, 10, 0xD0000000, 0xFC000000, {LONG}},
  {TN_AMD_VOP3SD, G9, 2, 16, 10, 0xD0000000, 0xFC000000, {LONG_SD}},
  {TN_AMD_VOPD, G11 | G12, 2, 22, 4, 0xC8000000, 0xFC000000, {{0, 0, 0, 0}}},          // amd_code.c reads it
  {TN_AMD_SMEM, G11, 2, 18, 8, 0xF4000000, 0xFC000000,
   {F(BASE, 0, 6), F(SDST, 6, 7), M(DLC, 13, 1), M(GLC, 14, 1), TN_AMD_AT_SIGNED(OFFSET, 32, 21), F(SOFFSET, 57, 7)}},
  {TN_AMD_SMEM, G12, 2, 13, 6, 0xF4000000, 0xFC000000,
   {F(BASE, 0, 6), F(SDST, 6, 7), M(NV, 20, 1), M(SCOPE, 21, 2), M(TH, 23, 2), TN_AMD_AT_SIGNED(OFFSET, 32, 24),
    F(SOFFSET, 57, 7)}},
  {TN_AMD_SMEM, G9, 2, 18, 8, 0xC0000000, 0xFC000000,
   {F(BASE, 0, 6), F(SDST, 6, 7), F(SGPR_OFFSET, 14, 1), M(NV, 15, 1), M(GLC, 16, 1), F(HAS_OFFSET, 17, 1),
    TN_AMD_AT_SIGNED(OFFSET, 32, 21), F(SOFFSET, 57, 7)}},
  {TN_AMD_DS, G11, 2, 18, 8, 0xD8000000, 0xFC000000, {LDS, F(ZERO, 17, 1)}},
  {TN_AMD_DS, G12, 2, 18, 8, 0xD8000000, 0xFC000000, {LDS}},
  {TN_AMD_DS, G9, 2, 17, 8, 0xD8000000, 0xFC000000, {LDS, F(ACC_DATA, 25, 1)}},
  {TN_AMD_FLAT, G11, 2, 18, 7, 0xDC000000, 0xFC030000, {M(OFFSET, 0, 12), FLAT_11}},
  {TN_AMD_SCRATCH, G11, 2, 18, 7, 0xDC010000, 0xFC030000, {OFFSET_13, FLAT_11, F(SVE, 55, 1)}},
  {TN_AMD_GLOBAL, G11, 2, 18, 7, 0xDC020000, 0xFC030000, {OFFSET_13, FLAT_11}},
  {TN_AMD_FLAT, G9, 2, 18, 7, 0xDC000000, 0xFC00C000, {M(OFFSET, 0, 12), FLAT_9}},
  {TN_AMD_SCRATCH, G9, 2, 18, 7, 0xDC004000, 0xFC00C000, {OFFSET_13, F(SVE, 13, 1), F(SADDR, 48, 7), FLAT_9}},
  {TN_AMD_GLOBAL, G9, 2, 18, 7, 0xDC008000, 0xFC00C000, {OFFSET_13, F(SADDR, 48, 7), FLAT_9}},
  {TN_AMD_FLAT, G12, 3, 14, 8, 0xEC000000, 0xFF000000, {FLAT_12}},
  {TN_AMD_SCRATCH, G12, 3, 14, 8, 0xED000000, 0xFF000000, {FLAT_12}},
  {TN_AMD_GLOBAL, G12, 3, 14, 8, 0xEE000000, 0xFF000000, {FLAT_12}},
  {TN_AMD_MUBUF, G11, 2, 18, 8, 0xE0000000, 0xFC000000,
   {M(OFFSET, 0, 12), M(SLC, 12, 1), M(DLC, 13, 1), M(GLC, 14, 1), M(TFE, 53, 1), M(OFFEN, 54, 1), M(IDXEN, 55, 1),
    F(ADDRESS, 32, 8), F(DATA, 40, 8), F(DESCRIPTOR, 48, 5), F(SOFFSET, 56, 8)}},
  {TN_AMD_MUBUF, G9, 2, 18, 7, 0xE0000000, 0xFC000000,
   {M(OFFSET, 0, 12), M(OFFEN, 12, 1), M(IDXEN, 13, 1), M(SC0, 14, 1), M(SC1, 15, 1), F(ZERO, 16, 1), M(NT, 17, 1),
    F(ADDRESS, 32, 8), F(DATA, 40, 8), F(DESCRIPTOR, 48, 5), F(ACC_DATA, 55, 1), F(SOFFSET, 56, 8)}},
  {TN_AMD_MUBUF, G12, 3, 14, 8, 0xC4000000, 0xFC000000,
   {F(SOFFSET, 0, 7), M(NV, 7, 1), M(TFE, 22, 1), M(SCOPE, 50, 2), M(TH, 52, 3), F(UNTYPED, 55, 7), M(OFFEN, 62, 1),
    M(IDXEN, 63, 1), F(DATA, 32, 8), F(DESCRIPTOR, 41, 9), F(ADDRESS, 64, 8), TN_AMD_AT_SIGNED(OFFSET, 72, 24)}}
};
enum { TN_AMD_LAYOUTS = sizeof tn_amd_layouts / sizeof *tn_amd_layouts };

// The word behind a short form whose src0 says so: by TN_AMD_DPP16 .., and TN_AMD_SDWA + 1 of comparisons.
#define FIRST TN_AMD_AT_FIRST
#define PARTS F(VGPR0, 0, 8), M(SRC0_SEL, 16, 3), F(SEXT, 19, 1), F(NEG, 20, 1), F(ABS, 21, 1), F(IS_SGPR, 23, 1), \
              M(SRC1_SEL, 24, 3), FIRST(SEXT, 27, 1, 1), FIRST(NEG, 28, 1, 1), FIRST(ABS, 29, 1, 1), \
              FIRST(IS_SGPR, 31, 1, 1)
static const tn_amd_field tn_amd_behind[5][TN_AMD_MOST_FIELDS] = {
  {{0, 0, 0, 0}},
  {F(VGPR0, 0, 8), M(DPP_CTRL, 8, 9), M(FI, 18, 1), M(BOUND_CTRL, 19, 1), F(NEG, 20, 1), F(ABS, 21, 1),
   FIRST(NEG, 22, 1, 1), FIRST(ABS, 23, 1, 1), M(BANK_MASK, 24, 4), M(ROW_MASK, 28, 4)},
  {F(VGPR0, 0, 8), M(LANES_8, 8, 24)},
  {PARTS, M(DST_SEL, 8, 3), M(DST_UNUSED, 11, 2), M(CLAMP, 13, 1), M(OMOD, 14, 2)},
  {PARTS, F(MASK, 8, 7), F(HAS_MASK, 15, 1)}
};
#undef F
#undef M
#undef G11
#undef G12
#undef G9
#undef SOURCES
#undef LONG
#undef LONG_SD
#undef PACKED
#undef LDS
#undef FLAT_11
#undef FLAT_9
#undef FLAT_12
#undef OFFSET_13
#undef FIRST
#undef PARTS

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
