// amd_table: the instructions of AMD's GPUs, a row each: names, operands, and where each family has them.
//
// In:  nothing. Out: TN_AMD_V_ADD_F32 .., tn_amd_rows. A row is one operation, by the name that the first
//      family has for it that has it, of gfx11, gfx12, gfx9; "|12:", "|9:" say what another has instead, operands, too.
// Operands stand in the assembler's order, two letters each, where and what; behind / what else the instruction takes.
//   d g  vector register that is written, of AGPRs     r  the same, if an atomic returns what was there
//   D    scalar register that is written               S  scalar register that is read, in its place
//   e c  mask that is written: a comparison's; a carry: VCC in a short form
//   0 1 2  source: vector or scalar register, constant (in short forms 1 is a vector register)
//     x y z  vector register alone   X Y Z  no vector register   A  AGPR   C  vector register or constant
//     m  mask, VCC in a short form
//   K  literal    #  number of 16 bits: d decimal h hexadecimal e left out if 0, b distance, s message, w counters,
//                    y delays, c s_wait_alu, g hardware register     M  message as a source
//   a b c  of memory: address, data, second data       s  scalar address      B R o  its base, descriptor, offset
//   i n  offset and count as operands of their own
//   what: dwords 1 2 3 4 5 6 8, x 16, y 32   f F  1, 2 dwords with neg and abs   h  f16, the same   w  i16
//     v  1 dword beside f16   i  packed i16   m  a mask of wave32 or, on gfx9, wave64
//     a  address: 2 dwords, 1 beside a scalar address
//   c clamp   o omod   s op_sel   b byte_sel, in its place   k index_key   n N  neg_lo, neg_hi of the first two sources
//   q  both of the third   m M  cbsz, abid and blgp; without blgp   e  neg in the place of blgp   2  two offsets
//   !  no long form   -  no DPP, though it has operands of 32 bits   D  DPP, though it is packed
//   =  no parts of operands (SDWA) on gfx9, though it has a short form
// Source: AMD's ISA guides (amd.c); what a modifier is taken by was asked of LLVM 19's assembler, opcode by opcode.
#ifndef TN_ISA_AMD_TABLE
#define TN_ISA_AMD_TABLE
#ifndef TINY_AMALGAMATED
#include "amd.c"
#endif

// ** columns: id, names, operands, then format and opcode on gfx11, gfx12, gfx9 **

enum { TN_AMD_NA = 0x3FF };                // opcode -1: the family has it not
#define TN_AMD_OF(_, format, id, names, operands, a, b, c) \
  _(id, names, operands, format, a, format, b, format, c)
#define TN_AMD_IN(_, id, names, operands, f, a, g, b, h, c) _(id, names, operands, f, a, g, b, h, c)

// ** scalars **

#define TN_AMD_SCALAR_ROWS(_) \
  TN_AMD_OF(_, SOP2, S_ADD_U32, "s_add_u32|12:s_add_co_u32", "D10111", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOP2, S_SUB_U32, "s_sub_u32|12:s_sub_co_u32", "D10111", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SOP2, S_ADD_I32, "s_add_i32|12:s_add_co_i32", "D10111", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SOP2, S_SUB_I32, "s_sub_i32|12:s_sub_co_i32", "D10111", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SOP2, S_ADDC_U32, "s_addc_u32|12:s_add_co_ci_u32", "D10111", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, SOP2, S_SUBB_U32, "s_subb_u32|12:s_sub_co_ci_u32", "D10111", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, SOP2, S_ABSDIFF_I32, "s_absdiff_i32", "D10111", 0x06, 0x06, 0x2A) \
  TN_AMD_OF(_, SOP2, S_LSHL_B32, "s_lshl_b32", "D10111", 0x08, 0x08, 0x1C) \
  TN_AMD_OF(_, SOP2, S_LSHL_B64, "s_lshl_b64", "D20211", 0x09, 0x09, 0x1D) \
  TN_AMD_OF(_, SOP2, S_LSHR_B32, "s_lshr_b32", "D10111", 0x0A, 0x0A, 0x1E) \
  TN_AMD_OF(_, SOP2, S_LSHR_B64, "s_lshr_b64", "D20211", 0x0B, 0x0B, 0x1F) \
  TN_AMD_OF(_, SOP2, S_ASHR_I32, "s_ashr_i32", "D10111", 0x0C, 0x0C, 0x20) \
  TN_AMD_OF(_, SOP2, S_ASHR_I64, "s_ashr_i64", "D20211", 0x0D, 0x0D, 0x21) \
  TN_AMD_OF(_, SOP2, S_LSHL1_ADD_U32, "s_lshl1_add_u32", "D10111", 0x0E, 0x0E, 0x2E) \
  TN_AMD_OF(_, SOP2, S_LSHL2_ADD_U32, "s_lshl2_add_u32", "D10111", 0x0F, 0x0F, 0x2F) \
  TN_AMD_OF(_, SOP2, S_LSHL3_ADD_U32, "s_lshl3_add_u32", "D10111", 0x10, 0x10, 0x30) \
  TN_AMD_OF(_, SOP2, S_LSHL4_ADD_U32, "s_lshl4_add_u32", "D10111", 0x11, 0x11, 0x31) \
  TN_AMD_OF(_, SOP2, S_MIN_I32, "s_min_i32", "D10111", 0x12, 0x12, 0x06) \
  TN_AMD_OF(_, SOP2, S_MIN_U32, "s_min_u32", "D10111", 0x13, 0x13, 0x07) \
  TN_AMD_OF(_, SOP2, S_MAX_I32, "s_max_i32", "D10111", 0x14, 0x14, 0x08) \
  TN_AMD_OF(_, SOP2, S_MAX_U32, "s_max_u32", "D10111", 0x15, 0x15, 0x09) \
  TN_AMD_OF(_, SOP2, S_AND_B32, "s_and_b32", "D10111", 0x16, 0x16, 0x0C) \
  TN_AMD_OF(_, SOP2, S_AND_B64, "s_and_b64", "D20212", 0x17, 0x17, 0x0D) \
  TN_AMD_OF(_, SOP2, S_OR_B32, "s_or_b32", "D10111", 0x18, 0x18, 0x0E) \
  TN_AMD_OF(_, SOP2, S_OR_B64, "s_or_b64", "D20212", 0x19, 0x19, 0x0F) \
  TN_AMD_OF(_, SOP2, S_XOR_B32, "s_xor_b32", "D10111", 0x1A, 0x1A, 0x10) \
  TN_AMD_OF(_, SOP2, S_XOR_B64, "s_xor_b64", "D20212", 0x1B, 0x1B, 0x11) \
  TN_AMD_OF(_, SOP2, S_NAND_B32, "s_nand_b32", "D10111", 0x1C, 0x1C, 0x16) \
  TN_AMD_OF(_, SOP2, S_NAND_B64, "s_nand_b64", "D20212", 0x1D, 0x1D, 0x17) \
  TN_AMD_OF(_, SOP2, S_NOR_B32, "s_nor_b32", "D10111", 0x1E, 0x1E, 0x18) \
  TN_AMD_OF(_, SOP2, S_NOR_B64, "s_nor_b64", "D20212", 0x1F, 0x1F, 0x19) \
  TN_AMD_OF(_, SOP2, S_XNOR_B32, "s_xnor_b32", "D10111", 0x20, 0x20, 0x1A) \
  TN_AMD_OF(_, SOP2, S_XNOR_B64, "s_xnor_b64", "D20212", 0x21, 0x21, 0x1B) \
  TN_AMD_OF(_, SOP2, S_AND_NOT1_B32, "s_and_not1_b32|9:s_andn2_b32", "D10111", 0x22, 0x22, 0x12) \
  TN_AMD_OF(_, SOP2, S_AND_NOT1_B64, "s_and_not1_b64|9:s_andn2_b64", "D20212", 0x23, 0x23, 0x13) \
  TN_AMD_OF(_, SOP2, S_OR_NOT1_B32, "s_or_not1_b32|9:s_orn2_b32", "D10111", 0x24, 0x24, 0x14) \
  TN_AMD_OF(_, SOP2, S_OR_NOT1_B64, "s_or_not1_b64|9:s_orn2_b64", "D20212", 0x25, 0x25, 0x15) \
  TN_AMD_OF(_, SOP2, S_BFE_U32, "s_bfe_u32", "D10111", 0x26, 0x26, 0x25) \
  TN_AMD_OF(_, SOP2, S_BFE_I32, "s_bfe_i32", "D10111", 0x27, 0x27, 0x26) \
  TN_AMD_OF(_, SOP2, S_BFE_U64, "s_bfe_u64", "D20211", 0x28, 0x28, 0x27) \
  TN_AMD_OF(_, SOP2, S_BFE_I64, "s_bfe_i64", "D20211", 0x29, 0x29, 0x28) \
  TN_AMD_OF(_, SOP2, S_BFM_B32, "s_bfm_b32", "D10111", 0x2A, 0x2A, 0x22) \
  TN_AMD_OF(_, SOP2, S_BFM_B64, "s_bfm_b64", "D20111", 0x2B, 0x2B, 0x23) \
  TN_AMD_OF(_, SOP2, S_MUL_I32, "s_mul_i32", "D10111", 0x2C, 0x2C, 0x24) \
  TN_AMD_OF(_, SOP2, S_MUL_HI_U32, "s_mul_hi_u32", "D10111", 0x2D, 0x2D, 0x2C) \
  TN_AMD_OF(_, SOP2, S_MUL_HI_I32, "s_mul_hi_i32", "D10111", 0x2E, 0x2E, 0x2D) \
  TN_AMD_OF(_, SOP2, S_CSELECT_B32, "s_cselect_b32", "D10111", 0x30, 0x30, 0x0A) \
  TN_AMD_OF(_, SOP2, S_CSELECT_B64, "s_cselect_b64", "D20212", 0x31, 0x31, 0x0B) \
  TN_AMD_OF(_, SOP2, S_PACK_LL_B32_B16, "s_pack_ll_b32_b16", "D10111", 0x32, 0x32, 0x32) \
  TN_AMD_OF(_, SOP2, S_PACK_LH_B32_B16, "s_pack_lh_b32_b16", "D10111", 0x33, 0x33, 0x33) \
  TN_AMD_OF(_, SOP2, S_PACK_HH_B32_B16, "s_pack_hh_b32_b16", "D10111", 0x34, 0x34, 0x34) \
  TN_AMD_OF(_, SOP2, S_PACK_HL_B32_B16, "s_pack_hl_b32_b16", "D10111", 0x35, 0x35, -1) \
  TN_AMD_OF(_, SOP2, S_ADD_F32, "s_add_f32", "D10111", -1, 0x40, -1) \
  TN_AMD_OF(_, SOP2, S_SUB_F32, "s_sub_f32", "D10111", -1, 0x41, -1) \
  TN_AMD_OF(_, SOP2, S_MIN_NUM_F32, "s_min_num_f32", "D10111", -1, 0x42, -1) \
  TN_AMD_OF(_, SOP2, S_MAX_NUM_F32, "s_max_num_f32", "D10111", -1, 0x43, -1) \
  TN_AMD_OF(_, SOP2, S_MUL_F32, "s_mul_f32", "D10111", -1, 0x44, -1) \
  TN_AMD_OF(_, SOP2, S_FMAAK_F32, "s_fmaak_f32", "D10111K1", -1, 0x45, -1) \
  TN_AMD_OF(_, SOP2, S_FMAMK_F32, "s_fmamk_f32", "D101K111", -1, 0x46, -1) \
  TN_AMD_OF(_, SOP2, S_FMAC_F32, "s_fmac_f32", "D10111", -1, 0x47, -1) \
  TN_AMD_OF(_, SOP2, S_CVT_PK_RTZ_F16_F32, "s_cvt_pk_rtz_f16_f32", "D10111", -1, 0x48, -1) \
  TN_AMD_OF(_, SOP2, S_ADD_F16, "s_add_f16", "D10111", -1, 0x49, -1) \
  TN_AMD_OF(_, SOP2, S_SUB_F16, "s_sub_f16", "D10111", -1, 0x4A, -1) \
  TN_AMD_OF(_, SOP2, S_MIN_NUM_F16, "s_min_num_f16", "D10111", -1, 0x4B, -1) \
  TN_AMD_OF(_, SOP2, S_MAX_NUM_F16, "s_max_num_f16", "D10111", -1, 0x4C, -1) \
  TN_AMD_OF(_, SOP2, S_MUL_F16, "s_mul_f16", "D10111", -1, 0x4D, -1) \
  TN_AMD_OF(_, SOP2, S_FMAC_F16, "s_fmac_f16", "D10111", -1, 0x4E, -1) \
  TN_AMD_OF(_, SOP2, S_MINIMUM_F32, "s_minimum_f32", "D10111", -1, 0x4F, -1) \
  TN_AMD_OF(_, SOP2, S_MAXIMUM_F32, "s_maximum_f32", "D10111", -1, 0x50, -1) \
  TN_AMD_OF(_, SOP2, S_MINIMUM_F16, "s_minimum_f16", "D10111", -1, 0x51, -1) \
  TN_AMD_OF(_, SOP2, S_MAXIMUM_F16, "s_maximum_f16", "D10111", -1, 0x52, -1) \
  TN_AMD_OF(_, SOP2, S_ADD_NC_U64, "s_add_nc_u64", "D20212", -1, 0x53, -1) \
  TN_AMD_OF(_, SOP2, S_SUB_NC_U64, "s_sub_nc_u64", "D20212", -1, 0x54, -1) \
  TN_AMD_OF(_, SOP2, S_MUL_U64, "s_mul_u64", "D20212", -1, 0x55, -1) \
  TN_AMD_OF(_, SOP1, S_MOV_B32, "s_mov_b32", "D101", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOP1, S_MOV_B64, "s_mov_b64", "D202", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SOP1, S_CMOV_B32, "s_cmov_b32", "D101", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SOP1, S_CMOV_B64, "s_cmov_b64", "D202", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SOP1, S_BREV_B32, "s_brev_b32", "D101", 0x04, 0x04, 0x08) \
  TN_AMD_OF(_, SOP1, S_BREV_B64, "s_brev_b64", "D202", 0x05, 0x05, 0x09) \
  TN_AMD_OF(_, SOP1, S_CTZ_I32_B32, "s_ctz_i32_b32|9:s_ff1_i32_b32", "D101", 0x08, 0x08, 0x10) \
  TN_AMD_OF(_, SOP1, S_CTZ_I32_B64, "s_ctz_i32_b64|9:s_ff1_i32_b64", "D102", 0x09, 0x09, 0x11) \
  TN_AMD_OF(_, SOP1, S_CLZ_I32_U32, "s_clz_i32_u32|9:s_flbit_i32_b32", "D101", 0x0A, 0x0A, 0x12) \
  TN_AMD_OF(_, SOP1, S_CLZ_I32_U64, "s_clz_i32_u64|9:s_flbit_i32_b64", "D102", 0x0B, 0x0B, 0x13) \
  TN_AMD_OF(_, SOP1, S_CLS_I32, "s_cls_i32|9:s_flbit_i32", "D101", 0x0C, 0x0C, 0x14) \
  TN_AMD_OF(_, SOP1, S_CLS_I32_I64, "s_cls_i32_i64|9:s_flbit_i32_i64", "D102", 0x0D, 0x0D, 0x15) \
  TN_AMD_OF(_, SOP1, S_SEXT_I32_I8, "s_sext_i32_i8", "D101", 0x0E, 0x0E, 0x16) \
  TN_AMD_OF(_, SOP1, S_SEXT_I32_I16, "s_sext_i32_i16", "D101", 0x0F, 0x0F, 0x17) \
  TN_AMD_OF(_, SOP1, S_BITSET0_B32, "s_bitset0_b32", "D101", 0x10, 0x10, 0x18) \
  TN_AMD_OF(_, SOP1, S_BITSET0_B64, "s_bitset0_b64", "D201", 0x11, 0x11, 0x19) \
  TN_AMD_OF(_, SOP1, S_BITSET1_B32, "s_bitset1_b32", "D101", 0x12, 0x12, 0x1A) \
  TN_AMD_OF(_, SOP1, S_BITSET1_B64, "s_bitset1_b64", "D201", 0x13, 0x13, 0x1B) \
  TN_AMD_OF(_, SOP1, S_BITREPLICATE_B64_B32, "s_bitreplicate_b64_b32", "D201", 0x14, 0x14, 0x37) \
  TN_AMD_OF(_, SOP1, S_ABS_I32, "s_abs_i32", "D101", 0x15, 0x15, 0x30) \
  TN_AMD_OF(_, SOP1, S_BCNT0_I32_B32, "s_bcnt0_i32_b32", "D101", 0x16, 0x16, 0x0A) \
  TN_AMD_OF(_, SOP1, S_BCNT0_I32_B64, "s_bcnt0_i32_b64", "D102", 0x17, 0x17, 0x0B) \
  TN_AMD_OF(_, SOP1, S_BCNT1_I32_B32, "s_bcnt1_i32_b32", "D101", 0x18, 0x18, 0x0C) \
  TN_AMD_OF(_, SOP1, S_BCNT1_I32_B64, "s_bcnt1_i32_b64", "D102", 0x19, 0x19, 0x0D) \
  TN_AMD_OF(_, SOP1, S_QUADMASK_B32, "s_quadmask_b32", "D101", 0x1A, 0x1A, 0x28) \
  TN_AMD_OF(_, SOP1, S_QUADMASK_B64, "s_quadmask_b64", "D202", 0x1B, 0x1B, 0x29) \
  TN_AMD_OF(_, SOP1, S_WQM_B32, "s_wqm_b32", "D101", 0x1C, 0x1C, 0x06) \
  TN_AMD_OF(_, SOP1, S_WQM_B64, "s_wqm_b64", "D202", 0x1D, 0x1D, 0x07) \
  TN_AMD_OF(_, SOP1, S_NOT_B32, "s_not_b32", "D101", 0x1E, 0x1E, 0x04) \
  TN_AMD_OF(_, SOP1, S_NOT_B64, "s_not_b64", "D202", 0x1F, 0x1F, 0x05) \
  TN_AMD_OF(_, SOP1, S_AND_SAVEEXEC_B32, "s_and_saveexec_b32", "D101", 0x20, 0x20, -1) \
  TN_AMD_OF(_, SOP1, S_AND_SAVEEXEC_B64, "s_and_saveexec_b64", "D202", 0x21, 0x21, 0x20) \
  TN_AMD_OF(_, SOP1, S_OR_SAVEEXEC_B32, "s_or_saveexec_b32", "D101", 0x22, 0x22, -1) \
  TN_AMD_OF(_, SOP1, S_OR_SAVEEXEC_B64, "s_or_saveexec_b64", "D202", 0x23, 0x23, 0x21) \
  TN_AMD_OF(_, SOP1, S_XOR_SAVEEXEC_B32, "s_xor_saveexec_b32", "D101", 0x24, 0x24, -1) \
  TN_AMD_OF(_, SOP1, S_XOR_SAVEEXEC_B64, "s_xor_saveexec_b64", "D202", 0x25, 0x25, 0x22) \
  TN_AMD_OF(_, SOP1, S_NAND_SAVEEXEC_B32, "s_nand_saveexec_b32", "D101", 0x26, 0x26, -1) \
  TN_AMD_OF(_, SOP1, S_NAND_SAVEEXEC_B64, "s_nand_saveexec_b64", "D202", 0x27, 0x27, 0x25) \
  TN_AMD_OF(_, SOP1, S_NOR_SAVEEXEC_B32, "s_nor_saveexec_b32", "D101", 0x28, 0x28, -1) \
  TN_AMD_OF(_, SOP1, S_NOR_SAVEEXEC_B64, "s_nor_saveexec_b64", "D202", 0x29, 0x29, 0x26) \
  TN_AMD_OF(_, SOP1, S_XNOR_SAVEEXEC_B32, "s_xnor_saveexec_b32", "D101", 0x2A, 0x2A, -1) \
  TN_AMD_OF(_, SOP1, S_XNOR_SAVEEXEC_B64, "s_xnor_saveexec_b64", "D202", 0x2B, 0x2B, 0x27) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_SAVEEXEC_B32, "s_and_not0_saveexec_b32", "D101", 0x2C, 0x2C, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_SAVEEXEC_B64, \
    "s_and_not0_saveexec_b64|9:s_andn1_saveexec_b64", "D202", 0x2D, 0x2D, 0x33) \
  TN_AMD_OF(_, SOP1, S_OR_NOT0_SAVEEXEC_B32, "s_or_not0_saveexec_b32", "D101", 0x2E, 0x2E, -1) \
  TN_AMD_OF(_, SOP1, S_OR_NOT0_SAVEEXEC_B64, \
    "s_or_not0_saveexec_b64|9:s_orn1_saveexec_b64", "D202", 0x2F, 0x2F, 0x34) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_SAVEEXEC_B32, "s_and_not1_saveexec_b32", "D101", 0x30, 0x30, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_SAVEEXEC_B64, \
    "s_and_not1_saveexec_b64|9:s_andn2_saveexec_b64", "D202", 0x31, 0x31, 0x23) \
  TN_AMD_OF(_, SOP1, S_OR_NOT1_SAVEEXEC_B32, "s_or_not1_saveexec_b32", "D101", 0x32, 0x32, -1) \
  TN_AMD_OF(_, SOP1, S_OR_NOT1_SAVEEXEC_B64, \
    "s_or_not1_saveexec_b64|9:s_orn2_saveexec_b64", "D202", 0x33, 0x33, 0x24) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_WREXEC_B32, "s_and_not0_wrexec_b32", "D101", 0x34, 0x34, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_WREXEC_B64, "s_and_not0_wrexec_b64|9:s_andn1_wrexec_b64", "D202", 0x35, 0x35, 0x35) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_WREXEC_B32, "s_and_not1_wrexec_b32", "D101", 0x36, 0x36, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_WREXEC_B64, "s_and_not1_wrexec_b64|9:s_andn2_wrexec_b64", "D202", 0x37, 0x37, 0x36) \
  TN_AMD_OF(_, SOP1, S_MOVRELS_B32, "s_movrels_b32", "D1X1", 0x40, 0x40, 0x2A) \
  TN_AMD_OF(_, SOP1, S_MOVRELS_B64, "s_movrels_b64", "D2X2", 0x41, 0x41, 0x2B) \
  TN_AMD_OF(_, SOP1, S_MOVRELD_B32, "s_movreld_b32", "D101", 0x42, 0x42, 0x2C) \
  TN_AMD_OF(_, SOP1, S_MOVRELD_B64, "s_movreld_b64", "D202", 0x43, 0x43, 0x2D) \
  TN_AMD_OF(_, SOP1, S_GETPC_B64, "s_getpc_b64", "D2", 0x47, 0x47, 0x1C) \
  TN_AMD_OF(_, SOP1, S_SETPC_B64, "s_setpc_b64", "X2", 0x48, 0x48, 0x1D) \
  TN_AMD_OF(_, SOP1, S_SWAPPC_B64, "s_swappc_b64", "D202", 0x49, 0x49, 0x1E) \
  TN_AMD_OF(_, SOP1, S_SENDMSG_RTN_B32, "s_sendmsg_rtn_b32", "D1M1", 0x4C, 0x4C, -1) \
  TN_AMD_OF(_, SOP1, S_SENDMSG_RTN_B64, "s_sendmsg_rtn_b64", "D2M1", 0x4D, 0x4D, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_SIGNAL, "s_barrier_signal", "01", -1, 0x4E, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_SIGNAL_ISFIRST, "s_barrier_signal_isfirst", "01", -1, 0x4F, -1) \
  TN_AMD_OF(_, SOP1, S_GET_BARRIER_STATE, "s_get_barrier_state", "D101", -1, 0x50, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_INIT, "s_barrier_init", "01", -1, 0x51, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_JOIN, "s_barrier_join", "01", -1, 0x52, -1) \
  TN_AMD_OF(_, SOP1, S_WAKEUP_BARRIER, "s_wakeup_barrier", "01", -1, 0x57, -1) \
  TN_AMD_OF(_, SOP1, S_SLEEP_VAR, "s_sleep_var", "01", -1, 0x58, -1) \
  TN_AMD_OF(_, SOP1, S_CEIL_F32, "s_ceil_f32", "D101", -1, 0x60, -1) \
  TN_AMD_OF(_, SOP1, S_FLOOR_F32, "s_floor_f32", "D101", -1, 0x61, -1) \
  TN_AMD_OF(_, SOP1, S_TRUNC_F32, "s_trunc_f32", "D101", -1, 0x62, -1) \
  TN_AMD_OF(_, SOP1, S_RNDNE_F32, "s_rndne_f32", "D101", -1, 0x63, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F32_I32, "s_cvt_f32_i32", "D101", -1, 0x64, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F32_U32, "s_cvt_f32_u32", "D101", -1, 0x65, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_I32_F32, "s_cvt_i32_f32", "D101", -1, 0x66, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_U32_F32, "s_cvt_u32_f32", "D101", -1, 0x67, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F16_F32, "s_cvt_f16_f32", "D101", -1, 0x68, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F32_F16, "s_cvt_f32_f16", "D101", -1, 0x69, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_HI_F32_F16, "s_cvt_hi_f32_f16", "D101", -1, 0x6A, -1) \
  TN_AMD_OF(_, SOP1, S_CEIL_F16, "s_ceil_f16", "D101", -1, 0x6B, -1) \
  TN_AMD_OF(_, SOP1, S_FLOOR_F16, "s_floor_f16", "D101", -1, 0x6C, -1) \
  TN_AMD_OF(_, SOP1, S_TRUNC_F16, "s_trunc_f16", "D101", -1, 0x6D, -1) \
  TN_AMD_OF(_, SOP1, S_RNDNE_F16, "s_rndne_f16", "D101", -1, 0x6E, -1) \
  TN_AMD_OF(_, SOP1, S_FF0_I32_B32, "s_ff0_i32_b32", "D101", -1, -1, 0x0E) \
  TN_AMD_OF(_, SOP1, S_FF0_I32_B64, "s_ff0_i32_b64", "D102", -1, -1, 0x0F) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_I32, "s_cmp_eq_i32", "0111", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_I32, "s_cmp_lg_i32", "0111", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_I32, "s_cmp_gt_i32", "0111", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_I32, "s_cmp_ge_i32", "0111", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_I32, "s_cmp_lt_i32", "0111", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_I32, "s_cmp_le_i32", "0111", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_U32, "s_cmp_eq_u32", "0111", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_U32, "s_cmp_lg_u32", "0111", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_U32, "s_cmp_gt_u32", "0111", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_U32, "s_cmp_ge_u32", "0111", 0x09, 0x09, 0x09) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_U32, "s_cmp_lt_u32", "0111", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_U32, "s_cmp_le_u32", "0111", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, SOPC, S_BITCMP0_B32, "s_bitcmp0_b32", "0111", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, SOPC, S_BITCMP1_B32, "s_bitcmp1_b32", "0111", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, SOPC, S_BITCMP0_B64, "s_bitcmp0_b64", "0211", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, SOPC, S_BITCMP1_B64, "s_bitcmp1_b64", "0211", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_U64, "s_cmp_eq_u64", "0212", 0x10, 0x10, 0x12) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_U64, "s_cmp_lg_u64", "0212", 0x11, 0x11, 0x13) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_F32, "s_cmp_lt_f32", "0111", -1, 0x41, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_F32, "s_cmp_eq_f32", "0111", -1, 0x42, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_F32, "s_cmp_le_f32", "0111", -1, 0x43, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_F32, "s_cmp_gt_f32", "0111", -1, 0x44, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_F32, "s_cmp_lg_f32", "0111", -1, 0x45, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_F32, "s_cmp_ge_f32", "0111", -1, 0x46, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_O_F32, "s_cmp_o_f32", "0111", -1, 0x47, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_U_F32, "s_cmp_u_f32", "0111", -1, 0x48, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGE_F32, "s_cmp_nge_f32", "0111", -1, 0x49, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLG_F32, "s_cmp_nlg_f32", "0111", -1, 0x4A, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGT_F32, "s_cmp_ngt_f32", "0111", -1, 0x4B, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLE_F32, "s_cmp_nle_f32", "0111", -1, 0x4C, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NEQ_F32, "s_cmp_neq_f32", "0111", -1, 0x4D, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLT_F32, "s_cmp_nlt_f32", "0111", -1, 0x4E, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_F16, "s_cmp_lt_f16", "0w1w", -1, 0x51, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_F16, "s_cmp_eq_f16", "0w1w", -1, 0x52, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_F16, "s_cmp_le_f16", "0w1w", -1, 0x53, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_F16, "s_cmp_gt_f16", "0w1w", -1, 0x54, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_F16, "s_cmp_lg_f16", "0w1w", -1, 0x55, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_F16, "s_cmp_ge_f16", "0w1w", -1, 0x56, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_O_F16, "s_cmp_o_f16", "0w1w", -1, 0x57, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_U_F16, "s_cmp_u_f16", "0w1w", -1, 0x58, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGE_F16, "s_cmp_nge_f16", "0w1w", -1, 0x59, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLG_F16, "s_cmp_nlg_f16", "0w1w", -1, 0x5A, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGT_F16, "s_cmp_ngt_f16", "0w1w", -1, 0x5B, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLE_F16, "s_cmp_nle_f16", "0w1w", -1, 0x5C, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NEQ_F16, "s_cmp_neq_f16", "0w1w", -1, 0x5D, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLT_F16, "s_cmp_nlt_f16", "0w1w", -1, 0x5E, -1) \
  TN_AMD_OF(_, SOPK, S_MOVK_I32, "s_movk_i32", "D1#h", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOPK, S_CMOVK_I32, "s_cmovk_i32", "D1#h", 0x02, 0x02, 0x01) \
  TN_AMD_OF(_, SOPK, S_CMPK_EQ_I32, "s_cmpk_eq_i32", "S1#h", 0x03, -1, 0x02) \
  TN_AMD_OF(_, SOPK, S_CMPK_LG_I32, "s_cmpk_lg_i32", "S1#h", 0x04, -1, 0x03) \
  TN_AMD_OF(_, SOPK, S_CMPK_GT_I32, "s_cmpk_gt_i32", "S1#h", 0x05, -1, 0x04) \
  TN_AMD_OF(_, SOPK, S_CMPK_GE_I32, "s_cmpk_ge_i32", "S1#h", 0x06, -1, 0x05) \
  TN_AMD_OF(_, SOPK, S_CMPK_LT_I32, "s_cmpk_lt_i32", "S1#h", 0x07, -1, 0x06) \
  TN_AMD_OF(_, SOPK, S_CMPK_LE_I32, "s_cmpk_le_i32", "S1#h", 0x08, -1, 0x07) \
  TN_AMD_OF(_, SOPK, S_CMPK_EQ_U32, "s_cmpk_eq_u32", "S1#h", 0x09, -1, 0x08) \
  TN_AMD_OF(_, SOPK, S_CMPK_LG_U32, "s_cmpk_lg_u32", "S1#h", 0x0A, -1, 0x09) \
  TN_AMD_OF(_, SOPK, S_CMPK_GT_U32, "s_cmpk_gt_u32", "S1#h", 0x0B, -1, 0x0A) \
  TN_AMD_OF(_, SOPK, S_CMPK_GE_U32, "s_cmpk_ge_u32", "S1#h", 0x0C, -1, 0x0B) \
  TN_AMD_OF(_, SOPK, S_CMPK_LT_U32, "s_cmpk_lt_u32", "S1#h", 0x0D, -1, 0x0C) \
  TN_AMD_OF(_, SOPK, S_CMPK_LE_U32, "s_cmpk_le_u32", "S1#h", 0x0E, -1, 0x0D) \
  TN_AMD_OF(_, SOPK, S_ADDK_I32, "s_addk_i32|12:s_addk_co_i32", "D1#h", 0x0F, 0x0F, 0x0E) \
  TN_AMD_OF(_, SOPK, S_MULK_I32, "s_mulk_i32", "D1#h", 0x10, 0x10, 0x0F) \
  TN_AMD_OF(_, SOPK, S_GETREG_B32, "s_getreg_b32", "D1#g", 0x11, 0x11, 0x11) \
  TN_AMD_OF(_, SOPK, S_SETREG_B32, "s_setreg_b32", "#gS1", 0x12, 0x12, 0x12) \
  TN_AMD_OF(_, SOPK, S_SETREG_IMM32_B32, "s_setreg_imm32_b32", "#gK1", 0x13, 0x13, 0x14) \
  TN_AMD_OF(_, SOPK, S_CALL_B64, "s_call_b64", "D2#b", 0x14, 0x14, 0x15) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_VSCNT, "s_waitcnt_vscnt", "S1#h", 0x18, -1, -1) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_VMCNT, "s_waitcnt_vmcnt", "S1#h", 0x19, -1, -1) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_EXPCNT, "s_waitcnt_expcnt", "S1#h", 0x1A, -1, -1) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_LGKMCNT, "s_waitcnt_lgkmcnt", "S1#h", 0x1B, -1, -1) \
  TN_AMD_OF(_, SOPP, S_NOP, "s_nop", "#d", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOPP, S_SETHALT, "s_sethalt", "#d", 0x02, 0x02, 0x0D) \
  TN_AMD_OF(_, SOPP, S_SLEEP, "s_sleep", "#d", 0x03, 0x03, 0x0E) \
  TN_AMD_OF(_, SOPP, S_SET_INST_PREFETCH_DISTANCE, "s_set_inst_prefetch_distance", "#h", 0x04, -1, -1) \
  TN_AMD_OF(_, SOPP, S_CLAUSE, "s_clause", "#h", 0x05, 0x05, -1) \
  TN_AMD_OF(_, SOPP, S_DELAY_ALU, "s_delay_alu", "#y", 0x07, 0x07, -1) \
  TN_AMD_OF(_, SOPP, S_WAITCNT_DEPCTR, "s_waitcnt_depctr|12:s_wait_alu", "#c", 0x08, 0x08, -1) \
  TN_AMD_OF(_, SOPP, S_WAITCNT, "s_waitcnt", "#w", 0x09, 0x09, 0x0C) \
  TN_AMD_OF(_, SOPP, S_WAIT_IDLE, "s_wait_idle", "", 0x0A, 0x0A, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_EVENT, "s_wait_event", "#h", 0x0B, 0x0B, -1) \
  TN_AMD_OF(_, SOPP, S_TRAP, "s_trap", "#d", 0x10, 0x10, 0x12) \
  TN_AMD_OF(_, SOPP, S_ROUND_MODE, "s_round_mode", "#h", 0x11, 0x11, -1) \
  TN_AMD_OF(_, SOPP, S_DENORM_MODE, "s_denorm_mode", "#d", 0x12, 0x12, -1) \
  TN_AMD_OF(_, SOPP, S_CODE_END, "s_code_end", "", 0x1F, 0x1F, -1) \
  TN_AMD_OF(_, SOPP, S_BRANCH, "s_branch", "#b", 0x20, 0x20, 0x02) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_SCC0, "s_cbranch_scc0", "#b", 0x21, 0x21, 0x04) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_SCC1, "s_cbranch_scc1", "#b", 0x22, 0x22, 0x05) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_VCCZ, "s_cbranch_vccz", "#b", 0x23, 0x23, 0x06) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_VCCNZ, "s_cbranch_vccnz", "#b", 0x24, 0x24, 0x07) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_EXECZ, "s_cbranch_execz", "#b", 0x25, 0x25, 0x08) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_EXECNZ, "s_cbranch_execnz", "#b", 0x26, 0x26, 0x09) \
  TN_AMD_OF(_, SOPP, S_ENDPGM, "s_endpgm", "#e", 0x30, 0x30, 0x01) \
  TN_AMD_OF(_, SOPP, S_ENDPGM_SAVED, "s_endpgm_saved", "", 0x31, 0x31, 0x1B) \
  TN_AMD_OF(_, SOPP, S_WAKEUP, "s_wakeup", "", 0x34, 0x34, 0x03) \
  TN_AMD_OF(_, SOPP, S_SETPRIO, "s_setprio", "#d", 0x35, 0x35, 0x0F) \
  TN_AMD_OF(_, SOPP, S_SENDMSG, "s_sendmsg", "#s", 0x36, 0x36, 0x10) \
  TN_AMD_OF(_, SOPP, S_SENDMSGHALT, "s_sendmsghalt", "#s", 0x37, 0x37, 0x11) \
  TN_AMD_OF(_, SOPP, S_TTRACEDATA, "s_ttracedata", "", 0x3A, 0x3A, 0x16) \
  TN_AMD_OF(_, SOPP, S_ICACHE_INV, "s_icache_inv", "", 0x3C, 0x3C, 0x13) \
  TN_AMD_OF(_, SOPP, S_BARRIER, "s_barrier", "", 0x3D, -1, 0x0A) \
  TN_AMD_OF(_, SOPP, S_BARRIER_WAIT, "s_barrier_wait", "#d", -1, 0x14, -1) \
  TN_AMD_OF(_, SOPP, S_BARRIER_LEAVE, "s_barrier_leave", "", -1, 0x15, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_LOADCNT, "s_wait_loadcnt", "#h", -1, 0x40, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_STORECNT, "s_wait_storecnt", "#h", -1, 0x41, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_SAMPLECNT, "s_wait_samplecnt", "#h", -1, 0x42, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_BVHCNT, "s_wait_bvhcnt", "#h", -1, 0x43, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_EXPCNT, "s_wait_expcnt", "#h", -1, 0x44, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_DSCNT, "s_wait_dscnt", "#h", -1, 0x46, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_KMCNT, "s_wait_kmcnt", "#h", -1, 0x47, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_LOADCNT_DSCNT, "s_wait_loadcnt_dscnt", "#h", -1, 0x48, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_STORECNT_DSCNT, "s_wait_storecnt_dscnt", "#h", -1, 0x49, -1) \
  TN_AMD_OF(_, SOPP, S_SET_GPR_IDX_OFF, "s_set_gpr_idx_off", "", -1, -1, 0x1C) \
  TN_AMD_OF(_, SOPP, S_ENDPGM_ORDERED_PS_DONE, "s_endpgm_ordered_ps_done", "", -1, -1, 0x1E) \
  TN_AMD_OF(_, SMEM, S_LOAD_B32, "s_load_b32|9:s_load_dword", "D1B2o1", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SMEM, S_LOAD_B64, "s_load_b64|9:s_load_dwordx2", "D2B2o1", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SMEM, S_LOAD_B128, "s_load_b128|9:s_load_dwordx4", "D4B2o1", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SMEM, S_LOAD_B256, "s_load_b256|9:s_load_dwordx8", "D8B2o1", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SMEM, S_LOAD_B512, "s_load_b512|9:s_load_dwordx16", "DxB2o1", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B32, "s_buffer_load_b32|9:s_buffer_load_dword", "D1B4o1", 0x08, 0x10, 0x08) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B64, "s_buffer_load_b64|9:s_buffer_load_dwordx2", "D2B4o1", 0x09, 0x11, 0x09) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B128, "s_buffer_load_b128|9:s_buffer_load_dwordx4", "D4B4o1", 0x0A, 0x12, 0x0A) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B256, "s_buffer_load_b256|9:s_buffer_load_dwordx8", "D8B4o1", 0x0B, 0x13, 0x0B) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B512, "s_buffer_load_b512|9:s_buffer_load_dwordx16", "DxB4o1", 0x0C, 0x14, 0x0C) \
  TN_AMD_OF(_, SMEM, S_GL1_INV, "s_gl1_inv", "", 0x20, -1, -1) \
  TN_AMD_OF(_, SMEM, S_DCACHE_INV, "s_dcache_inv", "", 0x21, 0x21, 0x20) \
  TN_AMD_OF(_, SMEM, S_LOAD_B96, "s_load_b96", "D3B2o1", -1, 0x05, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_I8, "s_load_i8", "D1B2o1", -1, 0x08, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_U8, "s_load_u8", "D1B2o1", -1, 0x09, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_I16, "s_load_i16", "D1B2o1", -1, 0x0A, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_U16, "s_load_u16", "D1B2o1", -1, 0x0B, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B96, "s_buffer_load_b96", "D3B4o1", -1, 0x15, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_I8, "s_buffer_load_i8", "D1B4o1", -1, 0x18, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_U8, "s_buffer_load_u8", "D1B4o1", -1, 0x19, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_I16, "s_buffer_load_i16", "D1B4o1", -1, 0x1A, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_U16, "s_buffer_load_u16", "D1B4o1", -1, 0x1B, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_INST, "s_prefetch_inst", "B2i1o1n1", -1, 0x24, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_INST_PC_REL, "s_prefetch_inst_pc_rel", "i1o1n1", -1, 0x25, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_DATA, "s_prefetch_data", "B2i1o1n1", -1, 0x26, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_PREFETCH_DATA, "s_buffer_prefetch_data", "B4i1o1n1", -1, 0x27, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_DATA_PC_REL, "s_prefetch_data_pc_rel", "i1o1n1", -1, 0x28, -1) \
  TN_AMD_OF(_, SMEM, S_DCACHE_WB, "s_dcache_wb", "", -1, -1, 0x21) \
  TN_AMD_OF(_, SMEM, S_MEMTIME, "s_memtime", "D2", -1, -1, 0x24) \
  TN_AMD_OF(_, SMEM, S_MEMREALTIME, "s_memrealtime", "D2", -1, -1, 0x25)

// ** vectors: short forms **

#define TN_AMD_VECTOR_ROWS(_) \
  TN_AMD_OF(_, VOP1, V_NOP, "v_nop", "/!-", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, VOP1, V_MOV_B32, "v_mov_b32", "d101", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, VOP1, V_READFIRSTLANE_B32, "v_readfirstlane_b32", "D1x1/!-=", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, VOP1, V_CVT_I32_F64, "v_cvt_i32_f64", "d10F/co", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, VOP1, V_CVT_F64_I32, "v_cvt_f64_i32", "d201/co", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_I32, "v_cvt_f32_i32", "d101/co", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_U32, "v_cvt_f32_u32", "d101/co", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, VOP1, V_CVT_U32_F32, "v_cvt_u32_f32", "d10f/co", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, VOP1, V_CVT_I32_F32, "v_cvt_i32_f32", "d10f/co", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, VOP1, V_CVT_F16_F32, "v_cvt_f16_f32", "dh0f/co", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_F16, "v_cvt_f32_f16", "d10h/co", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, VOP1, V_CVT_NEAREST_I32_F32, "v_cvt_nearest_i32_f32|9:v_cvt_rpi_i32_f32", "d10f/c", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, VOP1, V_CVT_FLOOR_I32_F32, "v_cvt_floor_i32_f32|9:v_cvt_flr_i32_f32", "d10f/c", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, VOP1, V_CVT_OFF_F32_I4, "v_cvt_off_f32_i4", "d101/co", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_F64, "v_cvt_f32_f64", "d10F/co", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, VOP1, V_CVT_F64_F32, "v_cvt_f64_f32", "d20f/co", 0x10, 0x10, 0x10) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE0, "v_cvt_f32_ubyte0", "d101/co", 0x11, 0x11, 0x11) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE1, "v_cvt_f32_ubyte1", "d101/co", 0x12, 0x12, 0x12) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE2, "v_cvt_f32_ubyte2", "d101/co", 0x13, 0x13, 0x13) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE3, "v_cvt_f32_ubyte3", "d101/co", 0x14, 0x14, 0x14) \
  TN_AMD_OF(_, VOP1, V_CVT_U32_F64, "v_cvt_u32_f64", "d10F/co", 0x15, 0x15, 0x15) \
  TN_AMD_OF(_, VOP1, V_CVT_F64_U32, "v_cvt_f64_u32", "d201/co", 0x16, 0x16, 0x16) \
  TN_AMD_OF(_, VOP1, V_TRUNC_F64, "v_trunc_f64", "d20F/co", 0x17, 0x17, 0x17) \
  TN_AMD_OF(_, VOP1, V_CEIL_F64, "v_ceil_f64", "d20F/co", 0x18, 0x18, 0x18) \
  TN_AMD_OF(_, VOP1, V_RNDNE_F64, "v_rndne_f64", "d20F/co", 0x19, 0x19, 0x19) \
  TN_AMD_OF(_, VOP1, V_FLOOR_F64, "v_floor_f64", "d20F/co", 0x1A, 0x1A, 0x1A) \
  TN_AMD_OF(_, VOP1, V_FRACT_F32, "v_fract_f32", "d10f/co", 0x20, 0x20, 0x1B) \
  TN_AMD_OF(_, VOP1, V_TRUNC_F32, "v_trunc_f32", "d10f/co", 0x21, 0x21, 0x1C) \
  TN_AMD_OF(_, VOP1, V_CEIL_F32, "v_ceil_f32", "d10f/co", 0x22, 0x22, 0x1D) \
  TN_AMD_OF(_, VOP1, V_RNDNE_F32, "v_rndne_f32", "d10f/co", 0x23, 0x23, 0x1E) \
  TN_AMD_OF(_, VOP1, V_FLOOR_F32, "v_floor_f32", "d10f/co", 0x24, 0x24, 0x1F) \
  TN_AMD_OF(_, VOP1, V_EXP_F32, "v_exp_f32", "d10f/co", 0x25, 0x25, 0x20) \
  TN_AMD_OF(_, VOP1, V_LOG_F32, "v_log_f32", "d10f/co", 0x27, 0x27, 0x21) \
  TN_AMD_OF(_, VOP1, V_RCP_F32, "v_rcp_f32", "d10f/co", 0x2A, 0x2A, 0x22) \
  TN_AMD_OF(_, VOP1, V_RCP_IFLAG_F32, "v_rcp_iflag_f32", "d10f/co", 0x2B, 0x2B, 0x23) \
  TN_AMD_OF(_, VOP1, V_RSQ_F32, "v_rsq_f32", "d10f/co", 0x2E, 0x2E, 0x24) \
  TN_AMD_OF(_, VOP1, V_RCP_F64, "v_rcp_f64", "d20F/co", 0x2F, 0x2F, 0x25) \
  TN_AMD_OF(_, VOP1, V_RSQ_F64, "v_rsq_f64", "d20F/co", 0x31, 0x31, 0x26) \
  TN_AMD_OF(_, VOP1, V_SQRT_F32, "v_sqrt_f32", "d10f/co", 0x33, 0x33, 0x27) \
  TN_AMD_OF(_, VOP1, V_SQRT_F64, "v_sqrt_f64", "d20F/co", 0x34, 0x34, 0x28) \
  TN_AMD_OF(_, VOP1, V_SIN_F32, "v_sin_f32", "d10f/co", 0x35, 0x35, 0x29) \
  TN_AMD_OF(_, VOP1, V_COS_F32, "v_cos_f32", "d10f/co", 0x36, 0x36, 0x2A) \
  TN_AMD_OF(_, VOP1, V_NOT_B32, "v_not_b32", "d101", 0x37, 0x37, 0x2B) \
  TN_AMD_OF(_, VOP1, V_BFREV_B32, "v_bfrev_b32", "d101", 0x38, 0x38, 0x2C) \
  TN_AMD_OF(_, VOP1, V_CLZ_I32_U32, "v_clz_i32_u32|9:v_ffbh_u32", "d101", 0x39, 0x39, 0x2D) \
  TN_AMD_OF(_, VOP1, V_CTZ_I32_B32, "v_ctz_i32_b32|9:v_ffbl_b32", "d101", 0x3A, 0x3A, 0x2E) \
  TN_AMD_OF(_, VOP1, V_CLS_I32, "v_cls_i32|9:v_ffbh_i32", "d101", 0x3B, 0x3B, 0x2F) \
  TN_AMD_OF(_, VOP1, V_FREXP_EXP_I32_F64, "v_frexp_exp_i32_f64", "d10F/co", 0x3C, 0x3C, 0x30) \
  TN_AMD_OF(_, VOP1, V_FREXP_MANT_F64, "v_frexp_mant_f64", "d20F/co", 0x3D, 0x3D, 0x31) \
  TN_AMD_OF(_, VOP1, V_FRACT_F64, "v_fract_f64", "d20F/co", 0x3E, 0x3E, 0x32) \
  TN_AMD_OF(_, VOP1, V_FREXP_EXP_I32_F32, "v_frexp_exp_i32_f32", "d10f/c", 0x3F, 0x3F, 0x33) \
  TN_AMD_OF(_, VOP1, V_FREXP_MANT_F32, "v_frexp_mant_f32", "d10f/co", 0x40, 0x40, 0x34) \
  TN_AMD_OF(_, VOP1, V_MOVRELD_B32, "v_movreld_b32", "d101", 0x42, 0x42, -1) \
  TN_AMD_OF(_, VOP1, V_MOVRELS_B32, "v_movrels_b32", "d1x1", 0x43, 0x43, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_F16_U16, "v_cvt_f16_u16", "dh0w/co", 0x50, 0x50, 0x39) \
  TN_AMD_OF(_, VOP1, V_CVT_F16_I16, "v_cvt_f16_i16", "dh0w/co", 0x51, 0x51, 0x3A) \
  TN_AMD_OF(_, VOP1, V_CVT_U16_F16, "v_cvt_u16_f16", "dh0h/co", 0x52, 0x52, 0x3B) \
  TN_AMD_OF(_, VOP1, V_CVT_I16_F16, "v_cvt_i16_f16", "dh0h/co", 0x53, 0x53, 0x3C) \
  TN_AMD_OF(_, VOP1, V_RCP_F16, "v_rcp_f16", "dh0h/co", 0x54, 0x54, 0x3D) \
  TN_AMD_OF(_, VOP1, V_SQRT_F16, "v_sqrt_f16", "dh0h/co", 0x55, 0x55, 0x3E) \
  TN_AMD_OF(_, VOP1, V_RSQ_F16, "v_rsq_f16", "dh0h/co", 0x56, 0x56, 0x3F) \
  TN_AMD_OF(_, VOP1, V_LOG_F16, "v_log_f16", "dh0h/co", 0x57, 0x57, 0x40) \
  TN_AMD_OF(_, VOP1, V_EXP_F16, "v_exp_f16", "dh0h/co", 0x58, 0x58, 0x41) \
  TN_AMD_OF(_, VOP1, V_FREXP_MANT_F16, "v_frexp_mant_f16", "dh0h/co", 0x59, 0x59, 0x42) \
  TN_AMD_OF(_, VOP1, V_FREXP_EXP_I16_F16, "v_frexp_exp_i16_f16", "dh0h/co", 0x5A, 0x5A, 0x43) \
  TN_AMD_OF(_, VOP1, V_FLOOR_F16, "v_floor_f16", "dh0h/co", 0x5B, 0x5B, 0x44) \
  TN_AMD_OF(_, VOP1, V_CEIL_F16, "v_ceil_f16", "dh0h/co", 0x5C, 0x5C, 0x45) \
  TN_AMD_OF(_, VOP1, V_TRUNC_F16, "v_trunc_f16", "dh0h/co", 0x5D, 0x5D, 0x46) \
  TN_AMD_OF(_, VOP1, V_RNDNE_F16, "v_rndne_f16", "dh0h/co", 0x5E, 0x5E, 0x47) \
  TN_AMD_OF(_, VOP1, V_FRACT_F16, "v_fract_f16", "dh0h/co", 0x5F, 0x5F, 0x48) \
  TN_AMD_OF(_, VOP1, V_SIN_F16, "v_sin_f16", "dh0h/co", 0x60, 0x60, 0x49) \
  TN_AMD_OF(_, VOP1, V_COS_F16, "v_cos_f16", "dh0h/co", 0x61, 0x61, 0x4A) \
  TN_AMD_OF(_, VOP1, V_SAT_PK_U8_I16, "v_sat_pk_u8_i16", "dh01", 0x62, 0x62, 0x4F) \
  TN_AMD_OF(_, VOP1, V_CVT_NORM_I16_F16, "v_cvt_norm_i16_f16", "dh0h/co", 0x63, 0x63, 0x4D) \
  TN_AMD_OF(_, VOP1, V_CVT_NORM_U16_F16, "v_cvt_norm_u16_f16", "dh0h/co", 0x64, 0x64, 0x4E) \
  TN_AMD_OF(_, VOP1, V_SWAP_B32, "v_swap_b32", "d1x1/!-=", 0x65, 0x65, 0x51) \
  TN_AMD_OF(_, VOP1, V_PERMLANE64_B32, "v_permlane64_b32", "d1x1/!-", 0x67, 0x67, -1) \
  TN_AMD_OF(_, VOP1, V_SWAPREL_B32, "v_swaprel_b32", "d1x1/!-", 0x68, 0x68, -1) \
  TN_AMD_OF(_, VOP1, V_NOT_B16, "v_not_b16", "dh0w", 0x69, 0x69, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_I32_I16, "v_cvt_i32_i16", "d10w", 0x6A, 0x6A, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_U32_U16, "v_cvt_u32_u16", "d10w", 0x6B, 0x6B, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_FP8, "v_cvt_f32_fp8", "d101/b|9:d101/co", -1, 0x6C, 0x54) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_BF8, "v_cvt_f32_bf8", "d101/b|9:d101/co", -1, 0x6D, 0x55) \
  TN_AMD_OF(_, VOP1, V_CVT_PK_F32_FP8, "v_cvt_pk_f32_fp8", "d201/cos|9:d201/co", -1, 0x6E, 0x56) \
  TN_AMD_OF(_, VOP1, V_CVT_PK_F32_BF8, "v_cvt_pk_f32_bf8", "d201/cos|9:d201/co", -1, 0x6F, 0x57) \
  TN_AMD_OF(_, VOP1, V_MOV_B64, "v_mov_b64", "d202", -1, -1, 0x38) \
  TN_AMD_OF(_, VOP1, V_EXP_LEGACY_F32, "v_exp_legacy_f32", "d10f/co", -1, -1, 0x4B) \
  TN_AMD_OF(_, VOP1, V_LOG_LEGACY_F32, "v_log_legacy_f32", "d10f/co", -1, -1, 0x4C) \
  TN_AMD_OF(_, VOP1, V_ACCVGPR_MOV_B32, "v_accvgpr_mov_b32", "g1A1/!-=", -1, -1, 0x52) \
  TN_AMD_OF(_, VOP2, V_CNDMASK_B32, "v_cndmask_b32", "d10f1fmm", 0x01, 0x01, 0x00) \
  TN_AMD_OF(_, VOP2, V_DOT2ACC_F32_F16, "v_dot2acc_f32_f16", "d10111/!", 0x02, -1, -1) \
  TN_AMD_OF(_, VOP2, V_ADD_F32, "v_add_f32", "d10f1f/co", 0x03, 0x03, 0x01) \
  TN_AMD_OF(_, VOP2, V_SUB_F32, "v_sub_f32", "d10f1f/co", 0x04, 0x04, 0x02) \
  TN_AMD_OF(_, VOP2, V_SUBREV_F32, "v_subrev_f32", "d10f1f/co", 0x05, 0x05, 0x03) \
  TN_AMD_OF(_, VOP2, V_FMAC_DX9_ZERO_F32, "v_fmac_dx9_zero_f32", "d10f1f/co-", 0x06, -1, -1) \
  TN_AMD_OF(_, VOP2, V_MUL_DX9_ZERO_F32, "v_mul_dx9_zero_f32", "d10f1f/co", 0x07, 0x07, -1) \
  TN_AMD_OF(_, VOP2, V_MUL_F32, "v_mul_f32", "d10f1f/co", 0x08, 0x08, 0x05) \
  TN_AMD_OF(_, VOP2, V_MUL_I32_I24, "v_mul_i32_i24", "d10111/c", 0x09, 0x09, 0x06) \
  TN_AMD_OF(_, VOP2, V_MUL_HI_I32_I24, "v_mul_hi_i32_i24", "d10111", 0x0A, 0x0A, 0x07) \
  TN_AMD_OF(_, VOP2, V_MUL_U32_U24, "v_mul_u32_u24", "d10111/c", 0x0B, 0x0B, 0x08) \
  TN_AMD_OF(_, VOP2, V_MUL_HI_U32_U24, "v_mul_hi_u32_u24", "d10111", 0x0C, 0x0C, 0x09) \
  TN_AMD_OF(_, VOP2, V_MIN_F32, "v_min_f32|12:v_min_num_f32", "d10f1f/co", 0x0F, 0x15, 0x0A) \
  TN_AMD_OF(_, VOP2, V_MAX_F32, "v_max_f32|12:v_max_num_f32", "d10f1f/co", 0x10, 0x16, 0x0B) \
  TN_AMD_OF(_, VOP2, V_MIN_I32, "v_min_i32", "d10111", 0x11, 0x11, 0x0C) \
  TN_AMD_OF(_, VOP2, V_MAX_I32, "v_max_i32", "d10111", 0x12, 0x12, 0x0D) \
  TN_AMD_OF(_, VOP2, V_MIN_U32, "v_min_u32", "d10111", 0x13, 0x13, 0x0E) \
  TN_AMD_OF(_, VOP2, V_MAX_U32, "v_max_u32", "d10111", 0x14, 0x14, 0x0F) \
  TN_AMD_OF(_, VOP2, V_LSHLREV_B32, "v_lshlrev_b32", "d10111", 0x18, 0x18, 0x12) \
  TN_AMD_OF(_, VOP2, V_LSHRREV_B32, "v_lshrrev_b32", "d10111", 0x19, 0x19, 0x10) \
  TN_AMD_OF(_, VOP2, V_ASHRREV_I32, "v_ashrrev_i32", "d10111", 0x1A, 0x1A, 0x11) \
  TN_AMD_OF(_, VOP2, V_AND_B32, "v_and_b32", "d10111", 0x1B, 0x1B, 0x13) \
  TN_AMD_OF(_, VOP2, V_OR_B32, "v_or_b32", "d10111", 0x1C, 0x1C, 0x14) \
  TN_AMD_OF(_, VOP2, V_XOR_B32, "v_xor_b32", "d10111", 0x1D, 0x1D, 0x15) \
  TN_AMD_OF(_, VOP2, V_XNOR_B32, "v_xnor_b32", "d10111", 0x1E, 0x1E, 0x3D) \
  TN_AMD_OF(_, VOP2, V_ADD_CO_CI_U32, "v_add_co_ci_u32|9:v_addc_co_u32", "d1cm0111mm/c", 0x20, 0x20, 0x1C) \
  TN_AMD_OF(_, VOP2, V_SUB_CO_CI_U32, "v_sub_co_ci_u32|9:v_subb_co_u32", "d1cm0111mm/c", 0x21, 0x21, 0x1D) \
  TN_AMD_OF(_, VOP2, V_SUBREV_CO_CI_U32, "v_subrev_co_ci_u32|9:v_subbrev_co_u32", "d1cm0111mm/c", 0x22, 0x22, 0x1E) \
  TN_AMD_OF(_, VOP2, V_ADD_NC_U32, "v_add_nc_u32|9:v_add_u32", "d10111/c", 0x25, 0x25, 0x34) \
  TN_AMD_OF(_, VOP2, V_SUB_NC_U32, "v_sub_nc_u32|9:v_sub_u32", "d10111/c", 0x26, 0x26, 0x35) \
  TN_AMD_OF(_, VOP2, V_SUBREV_NC_U32, "v_subrev_nc_u32|9:v_subrev_u32", "d10111/c", 0x27, 0x27, 0x36) \
  TN_AMD_OF(_, VOP2, V_FMAC_F32, "v_fmac_f32", "d10f1f/co=", 0x2B, 0x2B, 0x3B) \
  TN_AMD_OF(_, VOP2, V_FMAMK_F32, "v_fmamk_f32", "d101K111/!-", 0x2C, 0x2C, 0x17) \
  TN_AMD_OF(_, VOP2, V_FMAAK_F32, "v_fmaak_f32", "d10111K1/!-", 0x2D, 0x2D, 0x18) \
  TN_AMD_OF(_, VOP2, V_CVT_PK_RTZ_F16_F32, "v_cvt_pk_rtz_f16_f32", "d10f1f/co", 0x2F, 0x2F, -1) \
  TN_AMD_OF(_, VOP2, V_ADD_F16, "v_add_f16", "dh0h1h/co", 0x32, 0x32, 0x1F) \
  TN_AMD_OF(_, VOP2, V_SUB_F16, "v_sub_f16", "dh0h1h/co", 0x33, 0x33, 0x20) \
  TN_AMD_OF(_, VOP2, V_SUBREV_F16, "v_subrev_f16", "dh0h1h/co", 0x34, 0x34, 0x21) \
  TN_AMD_OF(_, VOP2, V_MUL_F16, "v_mul_f16", "dh0h1h/co", 0x35, 0x35, 0x22) \
  TN_AMD_OF(_, VOP2, V_FMAC_F16, "v_fmac_f16", "dh0h1h/cost", 0x36, 0x36, -1) \
  TN_AMD_OF(_, VOP2, V_FMAMK_F16, "v_fmamk_f16", "dh0hKh1h/!-", 0x37, 0x37, -1) \
  TN_AMD_OF(_, VOP2, V_FMAAK_F16, "v_fmaak_f16", "dh0h1hKh/!-", 0x38, 0x38, -1) \
  TN_AMD_OF(_, VOP2, V_MAX_F16, "v_max_f16|12:v_max_num_f16", "dh0h1h/co", 0x39, 0x31, 0x2D) \
  TN_AMD_OF(_, VOP2, V_MIN_F16, "v_min_f16|12:v_min_num_f16", "dh0h1h/co", 0x3A, 0x30, 0x2E) \
  TN_AMD_OF(_, VOP2, V_LDEXP_F16, "v_ldexp_f16", "dh0h1h/co|9:d10h11/co", 0x3B, 0x3B, 0x33) \
  TN_AMD_OF(_, VOP2, V_PK_FMAC_F16, "v_pk_fmac_f16", "d10f1f/!=|9:d10f1f/!-=", 0x3C, 0x3C, 0x3C) \
  TN_AMD_OF(_, VOP2, V_FMAC_F64, "v_fmac_f64", "d20F1F/co", -1, -1, 0x04) \
  TN_AMD_OF(_, VOP2, V_MAC_F16, "v_mac_f16", "d10h1h/co=", -1, -1, 0x23) \
  TN_AMD_OF(_, VOP2, V_MADMK_F16, "v_madmk_f16", "d1x1K111/!-=", -1, -1, 0x24) \
  TN_AMD_OF(_, VOP2, V_MADAK_F16, "v_madak_f16", "d1x111K1/!-=", -1, -1, 0x25) \
  TN_AMD_OF(_, VOP2, V_ADD_U16, "v_add_u16", "d10w1w/c", -1, -1, 0x26) \
  TN_AMD_OF(_, VOP2, V_SUB_U16, "v_sub_u16", "d10w1w/c", -1, -1, 0x27) \
  TN_AMD_OF(_, VOP2, V_SUBREV_U16, "v_subrev_u16", "d10w1w/c", -1, -1, 0x28) \
  TN_AMD_OF(_, VOP2, V_DOT2C_F32_F16, "v_dot2c_f32_f16", "d10f1f/co=", -1, -1, 0x37) \
  TN_AMD_OF(_, VOP2, V_DOT2C_I32_I16, "v_dot2c_i32_i16", "d10111/c=", -1, -1, 0x38) \
  TN_AMD_OF(_, VOP2, V_DOT4C_I32_I8, "v_dot4c_i32_i8", "d10111/c=", -1, -1, 0x39) \
  TN_AMD_OF(_, VOP2, V_DOT8C_I32_I4, "v_dot8c_i32_i4", "d10111/c=", -1, -1, 0x3A)

// ** comparisons: of a type, by condition; with and without writing EXEC, which on gfx9 writes the mask, too **

#define TN_AMD_X80(a) ((a) < 0 ? -1 : (a) + 0x80)
#define TN_AMD_X10(a) ((a) + 0x10)
#define TN_AMD_COMPARE(_, id, name, name9, operands, a, b, c) \
  TN_AMD_OF(_, VOPC, V_CMP_##id, "v_cmp_" name "|9:v_cmp_" name9, "em" operands, a, b, c) \
  TN_AMD_OF(_, VOPC, V_CMPX_##id, "v_cmpx_" name "|9:v_cmpx_" name9, operands "|9:em" operands, \
            TN_AMD_X80(a), TN_AMD_X80(b), TN_AMD_X10(c))
#define TN_AMD_SAME(_, id, name, operands, a, c) TN_AMD_COMPARE(_, id, name, name, operands, a, a, c)
#define TN_AMD_COMPARE_FLOAT(_, id, name, ops, a, c) \
  TN_AMD_COMPARE(_, F_##id, "f_" name, "f_" name, ops, a, -1, c) \
  TN_AMD_SAME(_, LT_##id, "lt_" name, ops, a + 1, c + 1) TN_AMD_SAME(_, EQ_##id, "eq_" name, ops, a + 2, c + 2) \
  TN_AMD_SAME(_, LE_##id, "le_" name, ops, a + 3, c + 3) TN_AMD_SAME(_, GT_##id, "gt_" name, ops, a + 4, c + 4) \
  TN_AMD_SAME(_, LG_##id, "lg_" name, ops, a + 5, c + 5) TN_AMD_SAME(_, GE_##id, "ge_" name, ops, a + 6, c + 6) \
  TN_AMD_SAME(_, O_##id, "o_" name, ops, a + 7, c + 7) TN_AMD_SAME(_, U_##id, "u_" name, ops, a + 8, c + 8) \
  TN_AMD_SAME(_, NGE_##id, "nge_" name, ops, a + 9, c + 9) \
  TN_AMD_SAME(_, NLG_##id, "nlg_" name, ops, a + 10, c + 10) \
  TN_AMD_SAME(_, NGT_##id, "ngt_" name, ops, a + 11, c + 11) \
  TN_AMD_SAME(_, NLE_##id, "nle_" name, ops, a + 12, c + 12) \
  TN_AMD_SAME(_, NEQ_##id, "neq_" name, ops, a + 13, c + 13) \
  TN_AMD_SAME(_, NLT_##id, "nlt_" name, ops, a + 14, c + 14) \
  TN_AMD_COMPARE(_, T_##id, "t_" name, "tru_" name, ops, a + 15, -1, c + 15)
// never: of F and T on gfx11
#define TN_AMD_COMPARE_INT(_, id, name, ops, a, c, never) \
  TN_AMD_COMPARE(_, F_##id, "f_" name, "f_" name, ops, never ? -1 : a, -1, c) \
  TN_AMD_SAME(_, LT_##id, "lt_" name, ops, a + 1, c + 1) TN_AMD_SAME(_, EQ_##id, "eq_" name, ops, a + 2, c + 2) \
  TN_AMD_SAME(_, LE_##id, "le_" name, ops, a + 3, c + 3) TN_AMD_SAME(_, GT_##id, "gt_" name, ops, a + 4, c + 4) \
  TN_AMD_SAME(_, NE_##id, "ne_" name, ops, a + 5, c + 5) TN_AMD_SAME(_, GE_##id, "ge_" name, ops, a + 6, c + 6) \
  TN_AMD_COMPARE(_, T_##id, "t_" name, "t_" name, ops, never ? -1 : a + 7, -1, c + 7)

#define TN_AMD_COMPARE_ROWS(_) \
  TN_AMD_COMPARE_FLOAT(_, F16, "f16", "0h1h/c", 0x00, 0x20) TN_AMD_COMPARE_FLOAT(_, F32, "f32", "0f1f/c", 0x10, 0x40) \
  TN_AMD_COMPARE_FLOAT(_, F64, "f64", "0F1F/c", 0x20, 0x60) \
  TN_AMD_COMPARE_INT(_, I16, "i16", "0w1w", 0x30, 0xA0, 1) TN_AMD_COMPARE_INT(_, U16, "u16", "0w1w", 0x38, 0xA8, 1) \
  TN_AMD_COMPARE_INT(_, I32, "i32", "0111", 0x40, 0xC0, 0) TN_AMD_COMPARE_INT(_, U32, "u32", "0111", 0x48, 0xC8, 0) \
  TN_AMD_COMPARE_INT(_, I64, "i64", "0212", 0x50, 0xE0, 0) TN_AMD_COMPARE_INT(_, U64, "u64", "0212", 0x58, 0xE8, 0)

#define TN_AMD_CLASS_ROWS(_) \
  TN_AMD_OF(_, VOPC, V_CMP_CLASS_F16, "v_cmp_class_f16", "em0h1v", 0x7D, 0x7D, 0x14) \
  TN_AMD_OF(_, VOPC, V_CMP_CLASS_F32, "v_cmp_class_f32", "em0f11", 0x7E, 0x7E, 0x10) \
  TN_AMD_OF(_, VOPC, V_CMP_CLASS_F64, "v_cmp_class_f64", "em0F11", 0x7F, 0x7F, 0x12) \
  TN_AMD_OF(_, VOPC, V_CMPX_CLASS_F16, "v_cmpx_class_f16", "0h1v|9:em0h1v", 0xFD, 0xFD, 0x15) \
  TN_AMD_OF(_, VOPC, V_CMPX_CLASS_F32, "v_cmpx_class_f32", "0f11|9:em0f11", 0xFE, 0xFE, 0x11) \
  TN_AMD_OF(_, VOPC, V_CMPX_CLASS_F64, "v_cmpx_class_f64", "0F11|9:em0F11", 0xFF, 0xFF, 0x13)

// ** vectors: long forms alone **

#define TN_AMD_LONG_ROWS(_) \
  TN_AMD_OF(_, VOP3, V_FMA_DX9_ZERO_F32, "v_fma_dx9_zero_f32", "d10f1f2f/co-", 0x209, 0x209, -1) \
  TN_AMD_OF(_, VOP3, V_MAD_I32_I24, "v_mad_i32_i24", "d1011121/c", 0x20A, 0x20A, 0x1C2) \
  TN_AMD_OF(_, VOP3, V_MAD_U32_U24, "v_mad_u32_u24", "d1011121/c", 0x20B, 0x20B, 0x1C3) \
  TN_AMD_OF(_, VOP3, V_CUBEID_F32, "v_cubeid_f32", "d10f1f2f/co", 0x20C, 0x20C, 0x1C4) \
  TN_AMD_OF(_, VOP3, V_CUBESC_F32, "v_cubesc_f32", "d10f1f2f/co", 0x20D, 0x20D, 0x1C5) \
  TN_AMD_OF(_, VOP3, V_CUBETC_F32, "v_cubetc_f32", "d10f1f2f/co", 0x20E, 0x20E, 0x1C6) \
  TN_AMD_OF(_, VOP3, V_CUBEMA_F32, "v_cubema_f32", "d10f1f2f/co", 0x20F, 0x20F, 0x1C7) \
  TN_AMD_OF(_, VOP3, V_BFE_U32, "v_bfe_u32", "d1011121", 0x210, 0x210, 0x1C8) \
  TN_AMD_OF(_, VOP3, V_BFE_I32, "v_bfe_i32", "d1011121", 0x211, 0x211, 0x1C9) \
  TN_AMD_OF(_, VOP3, V_BFI_B32, "v_bfi_b32", "d1011121", 0x212, 0x212, 0x1CA) \
  TN_AMD_OF(_, VOP3, V_FMA_F32, "v_fma_f32", "d10f1f2f/co", 0x213, 0x213, 0x1CB) \
  TN_AMD_OF(_, VOP3, V_FMA_F64, "v_fma_f64", "d20F1F2F/co", 0x214, 0x214, 0x1CC) \
  TN_AMD_OF(_, VOP3, V_LERP_U8, "v_lerp_u8", "d1011121", 0x215, 0x215, 0x1CD) \
  TN_AMD_OF(_, VOP3, V_ALIGNBIT_B32, "v_alignbit_b32", "d1011121", 0x216, 0x216, 0x1CE) \
  TN_AMD_OF(_, VOP3, V_ALIGNBYTE_B32, "v_alignbyte_b32", "d1011121", 0x217, 0x217, 0x1CF) \
  TN_AMD_OF(_, VOP3, V_MULLIT_F32, "v_mullit_f32", "d10f1f2f/co", 0x218, 0x218, -1) \
  TN_AMD_OF(_, VOP3, V_MIN3_F32, "v_min3_f32|12:v_min3_num_f32", "d10f1f2f/co", 0x219, 0x229, 0x1D0) \
  TN_AMD_OF(_, VOP3, V_MIN3_I32, "v_min3_i32", "d1011121", 0x21A, 0x21A, 0x1D1) \
  TN_AMD_OF(_, VOP3, V_MIN3_U32, "v_min3_u32", "d1011121", 0x21B, 0x21B, 0x1D2) \
  TN_AMD_OF(_, VOP3, V_MAX3_F32, "v_max3_f32|12:v_max3_num_f32", "d10f1f2f/co", 0x21C, 0x22A, 0x1D3) \
  TN_AMD_OF(_, VOP3, V_MAX3_I32, "v_max3_i32", "d1011121", 0x21D, 0x21D, 0x1D4) \
  TN_AMD_OF(_, VOP3, V_MAX3_U32, "v_max3_u32", "d1011121", 0x21E, 0x21E, 0x1D5) \
  TN_AMD_OF(_, VOP3, V_MED3_F32, "v_med3_f32|12:v_med3_num_f32", "d10f1f2f/co", 0x21F, 0x231, 0x1D6) \
  TN_AMD_OF(_, VOP3, V_MED3_I32, "v_med3_i32", "d1011121", 0x220, 0x220, 0x1D7) \
  TN_AMD_OF(_, VOP3, V_MED3_U32, "v_med3_u32", "d1011121", 0x221, 0x221, 0x1D8) \
  TN_AMD_OF(_, VOP3, V_SAD_U8, "v_sad_u8", "d1011121/c", 0x222, 0x222, 0x1D9) \
  TN_AMD_OF(_, VOP3, V_SAD_HI_U8, "v_sad_hi_u8", "d1011121/c", 0x223, 0x223, 0x1DA) \
  TN_AMD_OF(_, VOP3, V_SAD_U16, "v_sad_u16", "d1011121/c", 0x224, 0x224, 0x1DB) \
  TN_AMD_OF(_, VOP3, V_SAD_U32, "v_sad_u32", "d1011121/c", 0x225, 0x225, 0x1DC) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_U8_F32, "v_cvt_pk_u8_f32", "d10f1121/c", 0x226, 0x226, 0x1DD) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_F32, "v_div_fixup_f32", "d10f1f2f/co-", 0x227, 0x227, 0x1DE) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_F64, "v_div_fixup_f64", "d20F1F2F/co", 0x228, 0x228, 0x1DF) \
  TN_AMD_OF(_, VOP3, V_DIV_FMAS_F32, "v_div_fmas_f32", "d10f1f2f/co-", 0x237, 0x237, 0x1E2) \
  TN_AMD_OF(_, VOP3, V_DIV_FMAS_F64, "v_div_fmas_f64", "d20F1F2F/co", 0x238, 0x238, 0x1E3) \
  TN_AMD_OF(_, VOP3, V_MSAD_U8, "v_msad_u8", "d1011121/c", 0x239, 0x239, 0x1E4) \
  TN_AMD_OF(_, VOP3, V_QSAD_PK_U16_U8, "v_qsad_pk_u16_u8", "d2021122/c", 0x23A, 0x23A, 0x1E5) \
  TN_AMD_OF(_, VOP3, V_MQSAD_PK_U16_U8, "v_mqsad_pk_u16_u8", "d2021122/c", 0x23B, 0x23B, 0x1E6) \
  TN_AMD_OF(_, VOP3, V_MQSAD_U32_U8, "v_mqsad_u32_u8", "d40211z4/c", 0x23D, 0x23D, 0x1E7) \
  TN_AMD_OF(_, VOP3, V_XOR3_B32, "v_xor3_b32", "d1011121", 0x240, 0x240, -1) \
  TN_AMD_OF(_, VOP3, V_MAD_U16, "v_mad_u16", "d10w1w2w/cs", 0x241, 0x241, 0x204) \
  TN_AMD_OF(_, VOP3, V_PERM_B32, "v_perm_b32", "d1011121", 0x244, 0x244, 0x1ED) \
  TN_AMD_OF(_, VOP3, V_XAD_U32, "v_xad_u32", "d1011121", 0x245, 0x245, 0x1F3) \
  TN_AMD_OF(_, VOP3, V_LSHL_ADD_U32, "v_lshl_add_u32", "d1011121", 0x246, 0x246, 0x1FD) \
  TN_AMD_OF(_, VOP3, V_ADD_LSHL_U32, "v_add_lshl_u32", "d1011121", 0x247, 0x247, 0x1FE) \
  TN_AMD_OF(_, VOP3, V_FMA_F16, "v_fma_f16", "d10h1h2h/cos", 0x248, 0x248, 0x206) \
  TN_AMD_OF(_, VOP3, V_MIN3_F16, "v_min3_f16|12:v_min3_num_f16", "d10h1h2h/cos", 0x249, 0x22B, 0x1F4) \
  TN_AMD_OF(_, VOP3, V_MIN3_I16, "v_min3_i16", "d10w1w2w/cs", 0x24A, 0x24A, 0x1F5) \
  TN_AMD_OF(_, VOP3, V_MIN3_U16, "v_min3_u16", "d10w1w2w/cs", 0x24B, 0x24B, 0x1F6) \
  TN_AMD_OF(_, VOP3, V_MAX3_F16, "v_max3_f16|12:v_max3_num_f16", "d10h1h2h/cos", 0x24C, 0x22C, 0x1F7) \
  TN_AMD_OF(_, VOP3, V_MAX3_I16, "v_max3_i16", "d10w1w2w/cs", 0x24D, 0x24D, 0x1F8) \
  TN_AMD_OF(_, VOP3, V_MAX3_U16, "v_max3_u16", "d10w1w2w/cs", 0x24E, 0x24E, 0x1F9) \
  TN_AMD_OF(_, VOP3, V_MED3_F16, "v_med3_f16|12:v_med3_num_f16", "d10h1h2h/cos", 0x24F, 0x232, 0x1FA) \
  TN_AMD_OF(_, VOP3, V_MED3_I16, "v_med3_i16", "d10w1w2w/cs", 0x250, 0x250, 0x1FB) \
  TN_AMD_OF(_, VOP3, V_MED3_U16, "v_med3_u16", "d10w1w2w/cs", 0x251, 0x251, 0x1FC) \
  TN_AMD_OF(_, VOP3, V_MAD_I16, "v_mad_i16", "d10w1w2w/cs", 0x253, 0x253, 0x205) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_F16, "v_div_fixup_f16", "d10h1h2h/cos", 0x254, 0x254, 0x207) \
  TN_AMD_OF(_, VOP3, V_ADD3_U32, "v_add3_u32", "d1011121", 0x255, 0x255, 0x1FF) \
  TN_AMD_OF(_, VOP3, V_LSHL_OR_B32, "v_lshl_or_b32", "d1011121", 0x256, 0x256, 0x200) \
  TN_AMD_OF(_, VOP3, V_AND_OR_B32, "v_and_or_b32", "d1011121", 0x257, 0x257, 0x201) \
  TN_AMD_OF(_, VOP3, V_OR3_B32, "v_or3_b32", "d1011121", 0x258, 0x258, 0x202) \
  TN_AMD_OF(_, VOP3, V_MAD_U32_U16, "v_mad_u32_u16", "d10w1w21/cs", 0x259, 0x259, 0x1F1) \
  TN_AMD_OF(_, VOP3, V_MAD_I32_I16, "v_mad_i32_i16", "d10w1w21/cs", 0x25A, 0x25A, 0x1F2) \
  TN_AMD_OF(_, VOP3, V_PERMLANE16_B32, "v_permlane16_b32", "d1x1Y1Z1/p-", 0x25B, 0x25B, -1) \
  TN_AMD_OF(_, VOP3, V_PERMLANEX16_B32, "v_permlanex16_b32", "d1x1Y1Z1/p-", 0x25C, 0x25C, -1) \
  TN_AMD_OF(_, VOP3, V_CNDMASK_B16, "v_cndmask_b16", "d10w1wmm", 0x25D, 0x25D, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_F32, "v_maxmin_f32|12:v_maxmin_num_f32", "d10f1f2f/co", 0x25E, 0x269, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_F32, "v_minmax_f32|12:v_minmax_num_f32", "d10f1f2f/co", 0x25F, 0x268, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_F16, "v_maxmin_f16|12:v_maxmin_num_f16", "d10h1h2h/co", 0x260, 0x26B, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_F16, "v_minmax_f16|12:v_minmax_num_f16", "d10h1h2h/co", 0x261, 0x26A, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_U32, "v_maxmin_u32", "d1011121", 0x262, 0x262, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_U32, "v_minmax_u32", "d1011121", 0x263, 0x263, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_I32, "v_maxmin_i32", "d1011121", 0x264, 0x264, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_I32, "v_minmax_i32", "d1011121", 0x265, 0x265, -1) \
  TN_AMD_OF(_, VOP3, V_DOT2_F16_F16, "v_dot2_f16_f16", "d10f1f2h/S", 0x266, 0x266, -1) \
  TN_AMD_OF(_, VOP3, V_DOT2_BF16_BF16, "v_dot2_bf16_bf16", "d10f1f2f/S", 0x267, 0x267, -1) \
  TN_AMD_OF(_, VOP3, V_ADD_NC_U16, "v_add_nc_u16", "d10w1w/cs", 0x303, 0x303, -1) \
  TN_AMD_OF(_, VOP3, V_SUB_NC_U16, "v_sub_nc_u16", "d10w1w/cs", 0x304, 0x304, -1) \
  TN_AMD_IN(_, V_MUL_LO_U16, "v_mul_lo_u16", "d10w1w", VOP3, 0x305, VOP3, 0x305, VOP2, 0x29) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_I16_F32, "v_cvt_pk_i16_f32", "d10f1f/c", 0x306, 0x306, -1) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_U16_F32, "v_cvt_pk_u16_f32", "d10f1f/c", 0x307, 0x307, -1) \
  TN_AMD_IN(_, V_MAX_U16, "v_max_u16", "d10w1w", VOP3, 0x309, VOP3, 0x309, VOP2, 0x2F) \
  TN_AMD_IN(_, V_MAX_I16, "v_max_i16", "d10w1w", VOP3, 0x30A, VOP3, 0x30A, VOP2, 0x30) \
  TN_AMD_IN(_, V_MIN_U16, "v_min_u16", "d10w1w", VOP3, 0x30B, VOP3, 0x30B, VOP2, 0x31) \
  TN_AMD_IN(_, V_MIN_I16, "v_min_i16", "d10w1w", VOP3, 0x30C, VOP3, 0x30C, VOP2, 0x32) \
  TN_AMD_OF(_, VOP3, V_ADD_NC_I16, "v_add_nc_i16|9:v_add_i16", "d10w1w/cs", 0x30D, 0x30D, 0x29E) \
  TN_AMD_OF(_, VOP3, V_SUB_NC_I16, "v_sub_nc_i16|9:v_sub_i16", "d10w1w/cs", 0x30E, 0x30E, 0x29F) \
  TN_AMD_OF(_, VOP3, V_PACK_B32_F16, "v_pack_b32_f16", "d10h1h/cs", 0x311, 0x311, 0x2A0) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_I16_F16, \
    "v_cvt_pk_norm_i16_f16|9:v_cvt_pknorm_i16_f16", "d10h1h/cs", 0x312, 0x312, 0x299) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_U16_F16, \
    "v_cvt_pk_norm_u16_f16|9:v_cvt_pknorm_u16_f16", "d10h1h/cs", 0x313, 0x313, 0x29A) \
  TN_AMD_OF(_, VOP3, V_LDEXP_F32, "v_ldexp_f32", "d10f11/co", 0x31C, 0x31C, 0x288) \
  TN_AMD_OF(_, VOP3, V_BFM_B32, "v_bfm_b32", "d10111", 0x31D, 0x31D, 0x293) \
  TN_AMD_OF(_, VOP3, V_BCNT_U32_B32, "v_bcnt_u32_b32", "d10111", 0x31E, 0x31E, 0x28B) \
  TN_AMD_OF(_, VOP3, V_MBCNT_LO_U32_B32, "v_mbcnt_lo_u32_b32", "d10111", 0x31F, 0x31F, 0x28C) \
  TN_AMD_OF(_, VOP3, V_MBCNT_HI_U32_B32, "v_mbcnt_hi_u32_b32", "d10111", 0x320, 0x320, 0x28D) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_I16_F32, \
    "v_cvt_pk_norm_i16_f32|9:v_cvt_pknorm_i16_f32", "d10f1f/c", 0x321, 0x321, 0x294) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_U16_F32, \
    "v_cvt_pk_norm_u16_f32|9:v_cvt_pknorm_u16_f32", "d10f1f/c", 0x322, 0x322, 0x295) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_U16_U32, "v_cvt_pk_u16_u32", "d10111", 0x323, 0x323, 0x297) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_I16_I32, "v_cvt_pk_i16_i32", "d10111", 0x324, 0x324, 0x298) \
  TN_AMD_OF(_, VOP3, V_SUB_NC_I32, "v_sub_nc_i32|9:v_sub_i32", "d10111/c", 0x325, 0x325, 0x29D) \
  TN_AMD_OF(_, VOP3, V_ADD_NC_I32, "v_add_nc_i32|9:v_add_i32", "d10111/c", 0x326, 0x326, 0x29C) \
  TN_AMD_IN(_, V_ADD_F64, "v_add_f64", "d20F1F/co", VOP3, 0x327, VOP2, 0x02, VOP3, 0x280) \
  TN_AMD_IN(_, V_MUL_F64, "v_mul_f64", "d20F1F/co", VOP3, 0x328, VOP2, 0x06, VOP3, 0x281) \
  TN_AMD_IN(_, V_MIN_F64, "v_min_f64|12:v_min_num_f64", "d20F1F/co", VOP3, 0x329, VOP2, 0x0D, VOP3, 0x282) \
  TN_AMD_IN(_, V_MAX_F64, "v_max_f64|12:v_max_num_f64", "d20F1F/co", VOP3, 0x32A, VOP2, 0x0E, VOP3, 0x283) \
  TN_AMD_OF(_, VOP3, V_LDEXP_F64, "v_ldexp_f64", "d20F11/co", 0x32B, 0x32B, 0x284) \
  TN_AMD_OF(_, VOP3, V_MUL_LO_U32, "v_mul_lo_u32", "d10111/-", 0x32C, 0x32C, 0x285) \
  TN_AMD_OF(_, VOP3, V_MUL_HI_U32, "v_mul_hi_u32", "d10111/-", 0x32D, 0x32D, 0x286) \
  TN_AMD_OF(_, VOP3, V_MUL_HI_I32, "v_mul_hi_i32", "d10111/-", 0x32E, 0x32E, 0x287) \
  TN_AMD_OF(_, VOP3, V_TRIG_PREOP_F64, "v_trig_preop_f64", "d20F11/co", 0x32F, 0x32F, 0x292) \
  TN_AMD_IN(_, V_LSHLREV_B16, "v_lshlrev_b16", "d10w1w", VOP3, 0x338, VOP3, 0x338, VOP2, 0x2A) \
  TN_AMD_IN(_, V_LSHRREV_B16, "v_lshrrev_b16", "d10w1w", VOP3, 0x339, VOP3, 0x339, VOP2, 0x2B) \
  TN_AMD_IN(_, V_ASHRREV_I16, "v_ashrrev_i16", "d10w1w", VOP3, 0x33A, VOP3, 0x33A, VOP2, 0x2C) \
  TN_AMD_IN(_, V_LSHLREV_B64, "v_lshlrev_b64", "d20112", VOP3, 0x33C, VOP2, 0x1F, VOP3, 0x28F) \
  TN_AMD_OF(_, VOP3, V_LSHRREV_B64, "v_lshrrev_b64", "d20112", 0x33D, 0x33D, 0x290) \
  TN_AMD_OF(_, VOP3, V_ASHRREV_I64, "v_ashrrev_i64", "d20112", 0x33E, 0x33E, 0x291) \
  TN_AMD_OF(_, VOP3, V_READLANE_B32, "v_readlane_b32", "D1x1Y1/-", 0x360, 0x360, 0x289) \
  TN_AMD_OF(_, VOP3, V_WRITELANE_B32, "v_writelane_b32", "d1X1Y1/-", 0x361, 0x361, 0x28A) \
  TN_AMD_OF(_, VOP3, V_AND_B16, "v_and_b16", "d10w1w", 0x362, 0x362, -1) \
  TN_AMD_OF(_, VOP3, V_OR_B16, "v_or_b16", "d10w1w", 0x363, 0x363, -1) \
  TN_AMD_OF(_, VOP3, V_XOR_B16, "v_xor_b16", "d10w1w", 0x364, 0x364, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM3_F32, "v_minimum3_f32", "d10f1f2f/co", -1, 0x22D, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM3_F32, "v_maximum3_f32", "d10f1f2f/co", -1, 0x22E, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM3_F16, "v_minimum3_f16", "d10h1h2h/cos", -1, 0x22F, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM3_F16, "v_maximum3_f16", "d10h1h2h/cos", -1, 0x230, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUMMAXIMUM_F32, "v_minimummaximum_f32", "d10f1f2f/co", -1, 0x26C, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUMMINIMUM_F32, "v_maximumminimum_f32", "d10f1f2f/co", -1, 0x26D, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUMMAXIMUM_F16, "v_minimummaximum_f16", "d10h1h2h/cos", -1, 0x26E, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUMMINIMUM_F16, "v_maximumminimum_f16", "d10h1h2h/cos", -1, 0x26F, -1) \
  TN_AMD_OF(_, VOP3, V_S_EXP_F32, "v_s_exp_f32", "D1Xf/co-", -1, 0x280, -1) \
  TN_AMD_OF(_, VOP3, V_S_EXP_F16, "v_s_exp_f16", "D1Xh/co-", -1, 0x281, -1) \
  TN_AMD_OF(_, VOP3, V_S_LOG_F32, "v_s_log_f32", "D1Xf/co-", -1, 0x282, -1) \
  TN_AMD_OF(_, VOP3, V_S_LOG_F16, "v_s_log_f16", "D1Xh/co-", -1, 0x283, -1) \
  TN_AMD_OF(_, VOP3, V_S_RCP_F32, "v_s_rcp_f32", "D1Xf/co-", -1, 0x284, -1) \
  TN_AMD_OF(_, VOP3, V_S_RCP_F16, "v_s_rcp_f16", "D1Xh/co-", -1, 0x285, -1) \
  TN_AMD_OF(_, VOP3, V_S_RSQ_F32, "v_s_rsq_f32", "D1Xf/co-", -1, 0x286, -1) \
  TN_AMD_OF(_, VOP3, V_S_RSQ_F16, "v_s_rsq_f16", "D1Xh/co-", -1, 0x287, -1) \
  TN_AMD_OF(_, VOP3, V_S_SQRT_F32, "v_s_sqrt_f32", "D1Xf/co-", -1, 0x288, -1) \
  TN_AMD_OF(_, VOP3, V_S_SQRT_F16, "v_s_sqrt_f16", "D1Xh/co-", -1, 0x289, -1) \
  TN_AMD_OF(_, VOP3, V_PERMLANE16_VAR_B32, "v_permlane16_var_b32", "d1x1y1/p-", -1, 0x30F, -1) \
  TN_AMD_OF(_, VOP3, V_PERMLANEX16_VAR_B32, "v_permlanex16_var_b32", "d1x1y1/p-", -1, 0x310, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM_F64, "v_minimum_f64", "d20F1F/co", -1, 0x341, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM_F64, "v_maximum_f64", "d20F1F/co", -1, 0x342, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM_F32, "v_minimum_f32", "d10f1f/co", -1, 0x365, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM_F32, "v_maximum_f32", "d10f1f/co", -1, 0x366, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM_F16, "v_minimum_f16", "d10h1h/co", -1, 0x367, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM_F16, "v_maximum_f16", "d10h1h/co", -1, 0x368, -1) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_FP8_F32, "v_cvt_pk_fp8_f32", "d10f1f/s", -1, 0x369, 0x2A2) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_BF8_F32, "v_cvt_pk_bf8_f32", "d10f1f/s", -1, 0x36A, 0x2A3) \
  TN_AMD_OF(_, VOP3, V_CVT_SR_FP8_F32, "v_cvt_sr_fp8_f32", "d10f11/b|9:d10f11/T", -1, 0x36B, 0x2A4) \
  TN_AMD_OF(_, VOP3, V_CVT_SR_BF8_F32, "v_cvt_sr_bf8_f32", "d10f11/b|9:d10f11/T", -1, 0x36C, 0x2A5) \
  TN_AMD_OF(_, VOP3, V_MAD_LEGACY_F16, "v_mad_legacy_f16", "d10f1f2f/co", -1, -1, 0x1EA) \
  TN_AMD_OF(_, VOP3, V_MAD_LEGACY_U16, "v_mad_legacy_u16", "d10w1w2w/c", -1, -1, 0x1EB) \
  TN_AMD_OF(_, VOP3, V_MAD_LEGACY_I16, "v_mad_legacy_i16", "d10w1w2w/c", -1, -1, 0x1EC) \
  TN_AMD_OF(_, VOP3, V_FMA_LEGACY_F16, "v_fma_legacy_f16", "d10f1f2f/co", -1, -1, 0x1EE) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_LEGACY_F16, "v_div_fixup_legacy_f16", "d10f1f2f/co", -1, -1, 0x1EF) \
  TN_AMD_OF(_, VOP3, V_CVT_PKACCUM_U8_F32, "v_cvt_pkaccum_u8_f32", "d10f11/c", -1, -1, 0x1F0) \
  TN_AMD_OF(_, VOP3, V_MAD_F16, "v_mad_f16", "d10f1f2f/cos", -1, -1, 0x203) \
  TN_AMD_OF(_, VOP3, V_LSHL_ADD_U64, "v_lshl_add_u64", "d2021122", -1, -1, 0x208) \
  TN_AMD_OF(_, VOP3, V_CVT_PKRTZ_F16_F32, "v_cvt_pkrtz_f16_f32", "d10f1f/co", -1, -1, 0x296) \
  TN_AMD_OF(_, VOP3, V_MUL_LEGACY_F32, "v_mul_legacy_f32", "d10f1f/co", -1, -1, 0x2A1) \
  TN_AMD_OF(_, VOP3SD, V_DIV_SCALE_F32, "v_div_scale_f32", "d1cm0f1f2f/co-", 0x2FC, 0x2FC, 0x1E0) \
  TN_AMD_OF(_, VOP3SD, V_DIV_SCALE_F64, "v_div_scale_f64", "d2cm0F1F2F/co", 0x2FD, 0x2FD, 0x1E1) \
  TN_AMD_OF(_, VOP3SD, V_MAD_U64_U32, "v_mad_u64_u32|12:v_mad_co_u64_u32", "d2cm011122/c", 0x2FE, 0x2FE, 0x1E8) \
  TN_AMD_OF(_, VOP3SD, V_MAD_I64_I32, "v_mad_i64_i32|12:v_mad_co_i64_i32", "d2cm011122/c", 0x2FF, 0x2FF, 0x1E9) \
  TN_AMD_IN(_, V_ADD_CO_U32, "v_add_co_u32", "d1cm0111/c", VOP3SD, 0x300, VOP3SD, 0x300, VOP2, 0x19) \
  TN_AMD_IN(_, V_SUB_CO_U32, "v_sub_co_u32", "d1cm0111/c", VOP3SD, 0x301, VOP3SD, 0x301, VOP2, 0x1A) \
  TN_AMD_IN(_, V_SUBREV_CO_U32, "v_subrev_co_u32", "d1cm0111/c", VOP3SD, 0x302, VOP3SD, 0x302, VOP2, 0x1B)

// ** packed, dot products, matrices **

#define TN_AMD_PACKED_ROWS(_) \
  TN_AMD_OF(_, VOP3P, V_PK_MAD_I16, "v_pk_mad_i16", "d1011121/csnNq", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, VOP3P, V_PK_MUL_LO_U16, "v_pk_mul_lo_u16", "d10111/csnNq", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_I16, "v_pk_add_i16", "d10111/csnNq", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, VOP3P, V_PK_SUB_I16, "v_pk_sub_i16", "d10111/csnNq", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, VOP3P, V_PK_LSHLREV_B16, "v_pk_lshlrev_b16", "d10111/csnNq", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, VOP3P, V_PK_LSHRREV_B16, "v_pk_lshrrev_b16", "d10111/csnNq", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, VOP3P, V_PK_ASHRREV_I16, "v_pk_ashrrev_i16", "d10111/csnNq", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, VOP3P, V_PK_MAX_I16, "v_pk_max_i16", "d10111/csnNq", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, VOP3P, V_PK_MIN_I16, "v_pk_min_i16", "d10111/csnNq", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, VOP3P, V_PK_MAD_U16, "v_pk_mad_u16", "d1011121/csnNq", 0x09, 0x09, 0x09) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_U16, "v_pk_add_u16", "d10111/csnNq", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, VOP3P, V_PK_SUB_U16, "v_pk_sub_u16", "d10111/csnNq", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, VOP3P, V_PK_MAX_U16, "v_pk_max_u16", "d10111/csnNq", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, VOP3P, V_PK_MIN_U16, "v_pk_min_u16", "d10111/csnNq", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, VOP3P, V_PK_FMA_F16, "v_pk_fma_f16", "d1011121/csnNq", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_F16, "v_pk_add_f16", "d10111/csnNq", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, VOP3P, V_PK_MUL_F16, "v_pk_mul_f16", "d10111/csnNq", 0x10, 0x10, 0x10) \
  TN_AMD_OF(_, VOP3P, V_PK_MIN_F16, "v_pk_min_f16|12:v_pk_min_num_f16", "d10111/csnNq", 0x11, 0x1B, 0x11) \
  TN_AMD_OF(_, VOP3P, V_PK_MAX_F16, "v_pk_max_f16|12:v_pk_max_num_f16", "d10111/csnNq", 0x12, 0x1C, 0x12) \
  TN_AMD_OF(_, VOP3P, V_DOT2_F32_F16, "v_dot2_f32_f16", "d1011121/csnNqD", 0x13, 0x13, 0x23) \
  TN_AMD_OF(_, VOP3P, V_DOT4_I32_IU8, "v_dot4_i32_iu8", "d1011121/csnNq", 0x16, 0x16, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_U32_U8, "v_dot4_u32_u8", "d1011121/csnNq", 0x17, 0x17, 0x29) \
  TN_AMD_OF(_, VOP3P, V_DOT8_I32_IU4, "v_dot8_i32_iu4", "d1011121/csnNq", 0x18, 0x18, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT8_U32_U4, "v_dot8_u32_u4", "d1011121/csnNq", 0x19, 0x19, 0x2B) \
  TN_AMD_OF(_, VOP3P, V_DOT2_F32_BF16, "v_dot2_f32_bf16", "d1011121/csnNq", 0x1A, 0x1A, -1) \
  TN_AMD_OF(_, VOP3P, V_FMA_MIX_F32, "v_fma_mix_f32", "d10f1f2f/csD", 0x20, 0x20, 0x20) \
  TN_AMD_OF(_, VOP3P, V_FMA_MIXLO_F16, "v_fma_mixlo_f16", "d10f1f2f/csD", 0x21, 0x21, 0x21) \
  TN_AMD_OF(_, VOP3P, V_FMA_MIXHI_F16, "v_fma_mixhi_f16", "d10f1f2f/csD", 0x22, 0x22, 0x22) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_F16, \
    "v_wmma_f32_16x16x16_f16", "d8x8y8C8/nNq|12:d8x4y4C8/nNq", 0x40, 0x40, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_BF16, \
    "v_wmma_f32_16x16x16_bf16", "d8x8y8C8/nNq|12:d8x4y4C8/nNq", 0x41, 0x41, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F16_16X16X16_F16, \
    "v_wmma_f16_16x16x16_f16", "d8x8y8C8/snNq|12:d4x4y4C4/nNq", 0x42, 0x42, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_BF16_16X16X16_BF16, \
    "v_wmma_bf16_16x16x16_bf16", "d8x8y8C8/snNq|12:d4x4y4C4/nNq", 0x43, 0x43, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_I32_16X16X16_IU8, \
    "v_wmma_i32_16x16x16_iu8", "d8x4y4C8/cnNq|12:d8x2y2C8/cn", 0x44, 0x44, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_I32_16X16X16_IU4, \
    "v_wmma_i32_16x16x16_iu4", "d8x2y2C8/cnNq|12:d8x1y1C8/cn", 0x45, 0x45, -1) \
  TN_AMD_OF(_, VOP3P, V_PK_MINIMUM_F16, "v_pk_minimum_f16", "d10111/csnNq", -1, 0x1D, -1) \
  TN_AMD_OF(_, VOP3P, V_PK_MAXIMUM_F16, "v_pk_maximum_f16", "d10111/csnNq", -1, 0x1E, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_FP8_BF8, "v_dot4_f32_fp8_bf8", "d1011121/qD", -1, 0x24, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_BF8_FP8, "v_dot4_f32_bf8_fp8", "d1011121/qD", -1, 0x25, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_FP8_FP8, "v_dot4_f32_fp8_fp8", "d1011121/qD", -1, 0x26, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_BF8_BF8, "v_dot4_f32_bf8_bf8", "d1011121/qD", -1, 0x27, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_FP8_FP8, "v_wmma_f32_16x16x16_fp8_fp8", "d8x2y2C8/q", -1, 0x46, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_FP8_BF8, "v_wmma_f32_16x16x16_fp8_bf8", "d8x2y2C8/q", -1, 0x47, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_BF8_FP8, "v_wmma_f32_16x16x16_bf8_fp8", "d8x2y2C8/q", -1, 0x48, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_BF8_BF8, "v_wmma_f32_16x16x16_bf8_bf8", "d8x2y2C8/q", -1, 0x49, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_I32_16X16X32_IU4, "v_wmma_i32_16x16x32_iu4", "d8x2y2C8/cn", -1, 0x4A, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_F16, "v_swmmac_f32_16x16x32_f16", "d8x4y8z1/knN", -1, 0x50, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_BF16, "v_swmmac_f32_16x16x32_bf16", "d8x4y8z1/knN", -1, 0x51, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F16_16X16X32_F16, "v_swmmac_f16_16x16x32_f16", "d4x4y8z1/knN", -1, 0x52, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_BF16_16X16X32_BF16, "v_swmmac_bf16_16x16x32_bf16", "d4x4y8z1/knN", -1, 0x53, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_I32_16X16X32_IU8, "v_swmmac_i32_16x16x32_iu8", "d8x2y4z1/ckn", -1, 0x54, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_I32_16X16X32_IU4, "v_swmmac_i32_16x16x32_iu4", "d8x1y2z1/ckn", -1, 0x55, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_I32_16X16X64_IU4, "v_swmmac_i32_16x16x64_iu4", "d8x2y4z1/cn", -1, 0x56, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_FP8_FP8, "v_swmmac_f32_16x16x32_fp8_fp8", "d8x2y4z1/k", -1, 0x57, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_FP8_BF8, "v_swmmac_f32_16x16x32_fp8_bf8", "d8x2y4z1/k", -1, 0x58, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_BF8_FP8, "v_swmmac_f32_16x16x32_bf8_fp8", "d8x2y4z1/k", -1, 0x59, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_BF8_BF8, "v_swmmac_f32_16x16x32_bf8_bf8", "d8x2y4z1/k", -1, 0x5A, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT2_I32_I16, "v_dot2_i32_i16", "d1011121/csnNq", -1, -1, 0x26) \
  TN_AMD_OF(_, VOP3P, V_DOT2_U32_U16, "v_dot2_u32_u16", "d1011121/csnNq", -1, -1, 0x27) \
  TN_AMD_OF(_, VOP3P, V_DOT4_I32_I8, "v_dot4_i32_i8", "d1011121/csnNq", -1, -1, 0x28) \
  TN_AMD_OF(_, VOP3P, V_DOT8_I32_I4, "v_dot8_i32_i4", "d1011121/csnNq", -1, -1, 0x2A) \
  TN_AMD_OF(_, VOP3P, V_PK_FMA_F32, "v_pk_fma_f32", "d2021222/csnNq", -1, -1, 0x30) \
  TN_AMD_OF(_, VOP3P, V_PK_MUL_F32, "v_pk_mul_f32", "d20212/csnNq", -1, -1, 0x31) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_F32, "v_pk_add_f32", "d20212/csnNq", -1, -1, 0x32) \
  TN_AMD_OF(_, VOP3P, V_PK_MOV_B32, "v_pk_mov_b32", "d20212/csnNq", -1, -1, 0x33) \
  TN_AMD_OF(_, VOP3P, V_ACCVGPR_READ_B32, "v_accvgpr_read_b32", "d1A1", -1, -1, 0x58) \
  TN_AMD_OF(_, VOP3P, V_ACCVGPR_WRITE_B32, "v_accvgpr_write_b32", "g101", -1, -1, 0x59) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X8_XF32, "v_mfma_f32_16x16x8_xf32", "d4x2y2C4/m", -1, -1, 0x3E) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X4_XF32, "v_mfma_f32_32x32x4_xf32", "dxx2y2Cx/m", -1, -1, 0x3F) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X1_2B_F32, "v_mfma_f32_32x32x1_2b_f32", "dyx1y1Cy/m", -1, -1, 0x40) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X1_4B_F32, "v_mfma_f32_16x16x1_4b_f32", "dxx1y1Cx/m", -1, -1, 0x41) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_4X4X1_16B_F32, "v_mfma_f32_4x4x1_16b_f32", "d4x1y1C4/m", -1, -1, 0x42) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X2_F32, "v_mfma_f32_32x32x2_f32", "dxx1y1Cx/m", -1, -1, 0x44) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X4_F32, "v_mfma_f32_16x16x4_f32", "d4x1y1C4/m", -1, -1, 0x45) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X4_2B_F16, "v_mfma_f32_32x32x4_2b_f16", "dyx2y2Cy/m", -1, -1, 0x48) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X4_4B_F16, "v_mfma_f32_16x16x4_4b_f16", "dxx2y2Cx/m", -1, -1, 0x49) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_4X4X4_16B_F16, "v_mfma_f32_4x4x4_16b_f16", "d4x2y2C4/m", -1, -1, 0x4A) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X8_F16, "v_mfma_f32_32x32x8_f16", "dxx2y2Cx/m", -1, -1, 0x4C) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X16_F16, "v_mfma_f32_16x16x16_f16", "d4x2y2C4/m", -1, -1, 0x4D) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_32X32X4_2B_I8, "v_mfma_i32_32x32x4_2b_i8", "dyx1y1Cy/m", -1, -1, 0x50) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_16X16X4_4B_I8, "v_mfma_i32_16x16x4_4b_i8", "dxx1y1Cx/m", -1, -1, 0x51) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_4X4X4_16B_I8, "v_mfma_i32_4x4x4_16b_i8", "d4x1y1C4/m", -1, -1, 0x52) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_32X32X16_I8, "v_mfma_i32_32x32x16_i8", "dxx2y2Cx/m", -1, -1, 0x56) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_16X16X32_I8, "v_mfma_i32_16x16x32_i8", "d4x2y2C4/m", -1, -1, 0x57) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X4_2B_BF16, "v_mfma_f32_32x32x4_2b_bf16", "dyx2y2Cy/m", -1, -1, 0x5D) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X4_4B_BF16, "v_mfma_f32_16x16x4_4b_bf16", "dxx2y2Cx/m", -1, -1, 0x5E) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_4X4X4_16B_BF16, "v_mfma_f32_4x4x4_16b_bf16", "d4x2y2C4/m", -1, -1, 0x5F) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X8_BF16, "v_mfma_f32_32x32x8_bf16", "dxx2y2Cx/m", -1, -1, 0x60) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X16_BF16, "v_mfma_f32_16x16x16_bf16", "d4x2y2C4/m", -1, -1, 0x61) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X32_F16, "v_smfmac_f32_16x16x32_f16", "d4x2y4z1/M", -1, -1, 0x62) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X16_F16, "v_smfmac_f32_32x32x16_f16", "dxx2y4z1/M", -1, -1, 0x64) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X32_BF16, "v_smfmac_f32_16x16x32_bf16", "d4x2y4z1/M", -1, -1, 0x66) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X16_BF16, "v_smfmac_f32_32x32x16_bf16", "dxx2y4z1/M", -1, -1, 0x68) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_I32_16X16X64_I8, "v_smfmac_i32_16x16x64_i8", "d4x2y4z1/M", -1, -1, 0x6A) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_I32_32X32X32_I8, "v_smfmac_i32_32x32x32_i8", "dxx2y4z1/M", -1, -1, 0x6C) \
  TN_AMD_OF(_, MFMA, V_MFMA_F64_16X16X4_F64, "v_mfma_f64_16x16x4_f64", "d8x2y2C8/e", -1, -1, 0x6E) \
  TN_AMD_OF(_, MFMA, V_MFMA_F64_4X4X4_4B_F64, "v_mfma_f64_4x4x4_4b_f64", "d2x2y2C2/e", -1, -1, 0x6F) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_BF8_BF8, "v_mfma_f32_16x16x32_bf8_bf8", "d4x2y2C4/m", -1, -1, 0x70) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_BF8_FP8, "v_mfma_f32_16x16x32_bf8_fp8", "d4x2y2C4/m", -1, -1, 0x71) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_FP8_BF8, "v_mfma_f32_16x16x32_fp8_bf8", "d4x2y2C4/m", -1, -1, 0x72) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_FP8_FP8, "v_mfma_f32_16x16x32_fp8_fp8", "d4x2y2C4/m", -1, -1, 0x73) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_BF8_BF8, "v_mfma_f32_32x32x16_bf8_bf8", "dxx2y2Cx/m", -1, -1, 0x74) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_BF8_FP8, "v_mfma_f32_32x32x16_bf8_fp8", "dxx2y2Cx/m", -1, -1, 0x75) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_FP8_BF8, "v_mfma_f32_32x32x16_fp8_bf8", "dxx2y2Cx/m", -1, -1, 0x76) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_FP8_FP8, "v_mfma_f32_32x32x16_fp8_fp8", "dxx2y2Cx/m", -1, -1, 0x77) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_BF8_BF8, "v_smfmac_f32_16x16x64_bf8_bf8", "d4x2y4z1/M", -1, -1, 0x78) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_BF8_FP8, "v_smfmac_f32_16x16x64_bf8_fp8", "d4x2y4z1/M", -1, -1, 0x79) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_FP8_BF8, "v_smfmac_f32_16x16x64_fp8_bf8", "d4x2y4z1/M", -1, -1, 0x7A) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_FP8_FP8, "v_smfmac_f32_16x16x64_fp8_fp8", "d4x2y4z1/M", -1, -1, 0x7B) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_BF8_BF8, "v_smfmac_f32_32x32x32_bf8_bf8", "dxx2y4z1/M", -1, -1, 0x7C) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_BF8_FP8, "v_smfmac_f32_32x32x32_bf8_fp8", "dxx2y4z1/M", -1, -1, 0x7D) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_FP8_BF8, "v_smfmac_f32_32x32x32_fp8_bf8", "dxx2y4z1/M", -1, -1, 0x7E) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_FP8_FP8, "v_smfmac_f32_32x32x32_fp8_fp8", "dxx2y4z1/M", -1, -1, 0x7F)

// ** LDS **

#define TN_AMD_LOCAL_ROWS(_) \
  TN_AMD_OF(_, DS, DS_ADD_U32, "ds_add_u32", "a1b1", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, DS, DS_SUB_U32, "ds_sub_u32", "a1b1", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, DS, DS_RSUB_U32, "ds_rsub_u32", "a1b1", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, DS, DS_INC_U32, "ds_inc_u32", "a1b1", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, DS, DS_DEC_U32, "ds_dec_u32", "a1b1", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, DS, DS_MIN_I32, "ds_min_i32", "a1b1", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, DS, DS_MAX_I32, "ds_max_i32", "a1b1", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, DS, DS_MIN_U32, "ds_min_u32", "a1b1", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, DS, DS_MAX_U32, "ds_max_u32", "a1b1", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, DS, DS_AND_B32, "ds_and_b32", "a1b1", 0x09, 0x09, 0x09) \
  TN_AMD_OF(_, DS, DS_OR_B32, "ds_or_b32", "a1b1", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, DS, DS_XOR_B32, "ds_xor_b32", "a1b1", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, DS, DS_MSKOR_B32, "ds_mskor_b32", "a1b1c1", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, DS, DS_STORE_B32, "ds_store_b32|9:ds_write_b32", "a1b1", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_B32, "ds_store_2addr_b32|9:ds_write2_b32", "a1b1c1/2", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_STRIDE64_B32, \
    "ds_store_2addr_stride64_b32|9:ds_write2st64_b32", "a1b1c1/2", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_B32, "ds_cmpstore_b32|9:ds_cmpst_b32", "a1b1c1", 0x10, 0x10, 0x10) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_F32, "ds_cmpstore_f32|9:ds_cmpst_f32", "a1b1c1", 0x11, -1, 0x11) \
  TN_AMD_OF(_, DS, DS_MIN_F32, "ds_min_f32|12:ds_min_num_f32", "a1b1", 0x12, 0x12, 0x12) \
  TN_AMD_OF(_, DS, DS_MAX_F32, "ds_max_f32|12:ds_max_num_f32", "a1b1", 0x13, 0x13, 0x13) \
  TN_AMD_OF(_, DS, DS_NOP, "ds_nop", "", 0x14, 0x14, 0x14) \
  TN_AMD_OF(_, DS, DS_ADD_F32, "ds_add_f32", "a1b1", 0x15, 0x15, 0x15) \
  TN_AMD_OF(_, DS, DS_STORE_B8, "ds_store_b8|9:ds_write_b8", "a1b1", 0x1E, 0x1E, 0x1E) \
  TN_AMD_OF(_, DS, DS_STORE_B16, "ds_store_b16|9:ds_write_b16", "a1b1", 0x1F, 0x1F, 0x1F) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_U32, "ds_add_rtn_u32", "d1a1b1", 0x20, 0x20, 0x20) \
  TN_AMD_OF(_, DS, DS_SUB_RTN_U32, "ds_sub_rtn_u32", "d1a1b1", 0x21, 0x21, 0x21) \
  TN_AMD_OF(_, DS, DS_RSUB_RTN_U32, "ds_rsub_rtn_u32", "d1a1b1", 0x22, 0x22, 0x22) \
  TN_AMD_OF(_, DS, DS_INC_RTN_U32, "ds_inc_rtn_u32", "d1a1b1", 0x23, 0x23, 0x23) \
  TN_AMD_OF(_, DS, DS_DEC_RTN_U32, "ds_dec_rtn_u32", "d1a1b1", 0x24, 0x24, 0x24) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_I32, "ds_min_rtn_i32", "d1a1b1", 0x25, 0x25, 0x25) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_I32, "ds_max_rtn_i32", "d1a1b1", 0x26, 0x26, 0x26) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_U32, "ds_min_rtn_u32", "d1a1b1", 0x27, 0x27, 0x27) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_U32, "ds_max_rtn_u32", "d1a1b1", 0x28, 0x28, 0x28) \
  TN_AMD_OF(_, DS, DS_AND_RTN_B32, "ds_and_rtn_b32", "d1a1b1", 0x29, 0x29, 0x29) \
  TN_AMD_OF(_, DS, DS_OR_RTN_B32, "ds_or_rtn_b32", "d1a1b1", 0x2A, 0x2A, 0x2A) \
  TN_AMD_OF(_, DS, DS_XOR_RTN_B32, "ds_xor_rtn_b32", "d1a1b1", 0x2B, 0x2B, 0x2B) \
  TN_AMD_OF(_, DS, DS_MSKOR_RTN_B32, "ds_mskor_rtn_b32", "d1a1b1c1", 0x2C, 0x2C, 0x2C) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_RTN_B32, "ds_storexchg_rtn_b32|9:ds_wrxchg_rtn_b32", "d1a1b1", 0x2D, 0x2D, 0x2D) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_RTN_B32, \
    "ds_storexchg_2addr_rtn_b32|9:ds_wrxchg2_rtn_b32", "d2a1b1c1/2", 0x2E, 0x2E, 0x2E) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_STRIDE64_RTN_B32, \
    "ds_storexchg_2addr_stride64_rtn_b32|9:ds_wrxchg2st64_rtn_b32", "d2a1b1c1/2", 0x2F, 0x2F, 0x2F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_B32, "ds_cmpstore_rtn_b32", "d1a1b1c1", 0x30, 0x30, -1) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_F32, "ds_cmpstore_rtn_f32|9:ds_cmpst_rtn_f32", "d1a1b1c1", 0x31, -1, 0x31) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_F32, "ds_min_rtn_f32|12:ds_min_num_rtn_f32", "d1a1b1", 0x32, 0x32, 0x32) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_F32, "ds_max_rtn_f32|12:ds_max_num_rtn_f32", "d1a1b1", 0x33, 0x33, 0x33) \
  TN_AMD_OF(_, DS, DS_WRAP_RTN_B32, "ds_wrap_rtn_b32", "d1a1b1c1", 0x34, -1, 0x34) \
  TN_AMD_OF(_, DS, DS_SWIZZLE_B32, "ds_swizzle_b32", "d1a1", 0x35, 0x35, 0x3D) \
  TN_AMD_OF(_, DS, DS_LOAD_B32, "ds_load_b32|9:ds_read_b32", "d1a1", 0x36, 0x36, 0x36) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_B32, "ds_load_2addr_b32|9:ds_read2_b32", "d2a1/2", 0x37, 0x37, 0x37) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_STRIDE64_B32, \
    "ds_load_2addr_stride64_b32|9:ds_read2st64_b32", "d2a1/2", 0x38, 0x38, 0x38) \
  TN_AMD_OF(_, DS, DS_LOAD_I8, "ds_load_i8|9:ds_read_i8", "d1a1", 0x39, 0x39, 0x39) \
  TN_AMD_OF(_, DS, DS_LOAD_U8, "ds_load_u8|9:ds_read_u8", "d1a1", 0x3A, 0x3A, 0x3A) \
  TN_AMD_OF(_, DS, DS_LOAD_I16, "ds_load_i16|9:ds_read_i16", "d1a1", 0x3B, 0x3B, 0x3B) \
  TN_AMD_OF(_, DS, DS_LOAD_U16, "ds_load_u16|9:ds_read_u16", "d1a1", 0x3C, 0x3C, 0x3C) \
  TN_AMD_OF(_, DS, DS_CONSUME, "ds_consume", "d1", 0x3D, 0x3D, 0xBD) \
  TN_AMD_OF(_, DS, DS_APPEND, "ds_append", "d1", 0x3E, 0x3E, 0xBE) \
  TN_AMD_OF(_, DS, DS_ADD_U64, "ds_add_u64", "a1b2", 0x40, 0x40, 0x40) \
  TN_AMD_OF(_, DS, DS_SUB_U64, "ds_sub_u64", "a1b2", 0x41, 0x41, 0x41) \
  TN_AMD_OF(_, DS, DS_RSUB_U64, "ds_rsub_u64", "a1b2", 0x42, 0x42, 0x42) \
  TN_AMD_OF(_, DS, DS_INC_U64, "ds_inc_u64", "a1b2", 0x43, 0x43, 0x43) \
  TN_AMD_OF(_, DS, DS_DEC_U64, "ds_dec_u64", "a1b2", 0x44, 0x44, 0x44) \
  TN_AMD_OF(_, DS, DS_MIN_I64, "ds_min_i64", "a1b2", 0x45, 0x45, 0x45) \
  TN_AMD_OF(_, DS, DS_MAX_I64, "ds_max_i64", "a1b2", 0x46, 0x46, 0x46) \
  TN_AMD_OF(_, DS, DS_MIN_U64, "ds_min_u64", "a1b2", 0x47, 0x47, 0x47) \
  TN_AMD_OF(_, DS, DS_MAX_U64, "ds_max_u64", "a1b2", 0x48, 0x48, 0x48) \
  TN_AMD_OF(_, DS, DS_AND_B64, "ds_and_b64", "a1b2", 0x49, 0x49, 0x49) \
  TN_AMD_OF(_, DS, DS_OR_B64, "ds_or_b64", "a1b2", 0x4A, 0x4A, 0x4A) \
  TN_AMD_OF(_, DS, DS_XOR_B64, "ds_xor_b64", "a1b2", 0x4B, 0x4B, 0x4B) \
  TN_AMD_OF(_, DS, DS_MSKOR_B64, "ds_mskor_b64", "a1b2c2", 0x4C, 0x4C, 0x4C) \
  TN_AMD_OF(_, DS, DS_STORE_B64, "ds_store_b64|9:ds_write_b64", "a1b2", 0x4D, 0x4D, 0x4D) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_B64, "ds_store_2addr_b64|9:ds_write2_b64", "a1b2c2/2", 0x4E, 0x4E, 0x4E) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_STRIDE64_B64, \
    "ds_store_2addr_stride64_b64|9:ds_write2st64_b64", "a1b2c2/2", 0x4F, 0x4F, 0x4F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_B64, "ds_cmpstore_b64|9:ds_cmpst_b64", "a1b2c2", 0x50, 0x50, 0x50) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_F64, "ds_cmpstore_f64|9:ds_cmpst_f64", "a1b2c2", 0x51, -1, 0x51) \
  TN_AMD_OF(_, DS, DS_MIN_F64, "ds_min_f64|12:ds_min_num_f64", "a1b2", 0x52, 0x52, 0x52) \
  TN_AMD_OF(_, DS, DS_MAX_F64, "ds_max_f64|12:ds_max_num_f64", "a1b2", 0x53, 0x53, 0x53) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_U64, "ds_add_rtn_u64", "d2a1b2", 0x60, 0x60, 0x60) \
  TN_AMD_OF(_, DS, DS_SUB_RTN_U64, "ds_sub_rtn_u64", "d2a1b2", 0x61, 0x61, 0x61) \
  TN_AMD_OF(_, DS, DS_RSUB_RTN_U64, "ds_rsub_rtn_u64", "d2a1b2", 0x62, 0x62, 0x62) \
  TN_AMD_OF(_, DS, DS_INC_RTN_U64, "ds_inc_rtn_u64", "d2a1b2", 0x63, 0x63, 0x63) \
  TN_AMD_OF(_, DS, DS_DEC_RTN_U64, "ds_dec_rtn_u64", "d2a1b2", 0x64, 0x64, 0x64) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_I64, "ds_min_rtn_i64", "d2a1b2", 0x65, 0x65, 0x65) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_I64, "ds_max_rtn_i64", "d2a1b2", 0x66, 0x66, 0x66) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_U64, "ds_min_rtn_u64", "d2a1b2", 0x67, 0x67, 0x67) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_U64, "ds_max_rtn_u64", "d2a1b2", 0x68, 0x68, 0x68) \
  TN_AMD_OF(_, DS, DS_AND_RTN_B64, "ds_and_rtn_b64", "d2a1b2", 0x69, 0x69, 0x69) \
  TN_AMD_OF(_, DS, DS_OR_RTN_B64, "ds_or_rtn_b64", "d2a1b2", 0x6A, 0x6A, 0x6A) \
  TN_AMD_OF(_, DS, DS_XOR_RTN_B64, "ds_xor_rtn_b64", "d2a1b2", 0x6B, 0x6B, 0x6B) \
  TN_AMD_OF(_, DS, DS_MSKOR_RTN_B64, "ds_mskor_rtn_b64", "d2a1b2c2", 0x6C, 0x6C, 0x6C) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_RTN_B64, "ds_storexchg_rtn_b64|9:ds_wrxchg_rtn_b64", "d2a1b2", 0x6D, 0x6D, 0x6D) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_RTN_B64, \
    "ds_storexchg_2addr_rtn_b64|9:ds_wrxchg2_rtn_b64", "d4a1b2c2/2", 0x6E, 0x6E, 0x6E) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_STRIDE64_RTN_B64, \
    "ds_storexchg_2addr_stride64_rtn_b64|9:ds_wrxchg2st64_rtn_b64", "d4a1b2c2/2", 0x6F, 0x6F, 0x6F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_B64, "ds_cmpstore_rtn_b64|9:ds_cmpst_rtn_b64", "d2a1b2c2", 0x70, 0x70, 0x70) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_F64, "ds_cmpstore_rtn_f64|9:ds_cmpst_rtn_f64", "d2a1b2c2", 0x71, -1, 0x71) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_F64, "ds_min_rtn_f64|12:ds_min_num_rtn_f64", "d2a1b2", 0x72, 0x72, 0x72) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_F64, "ds_max_rtn_f64|12:ds_max_num_rtn_f64", "d2a1b2", 0x73, 0x73, 0x73) \
  TN_AMD_OF(_, DS, DS_LOAD_B64, "ds_load_b64|9:ds_read_b64", "d2a1", 0x76, 0x76, 0x76) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_B64, "ds_load_2addr_b64|9:ds_read2_b64", "d4a1/2", 0x77, 0x77, 0x77) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_STRIDE64_B64, \
    "ds_load_2addr_stride64_b64|9:ds_read2st64_b64", "d4a1/2", 0x78, 0x78, 0x78) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_F32, "ds_add_rtn_f32", "d1a1b1", 0x79, 0x79, 0x35) \
  TN_AMD_OF(_, DS, DS_CONDXCHG32_RTN_B64, "ds_condxchg32_rtn_b64", "d2a1b2", 0x7E, 0x7E, 0x7E) \
  TN_AMD_OF(_, DS, DS_STORE_B8_D16_HI, "ds_store_b8_d16_hi|9:ds_write_b8_d16_hi", "a1b1", 0xA0, 0xA0, 0x54) \
  TN_AMD_OF(_, DS, DS_STORE_B16_D16_HI, "ds_store_b16_d16_hi|9:ds_write_b16_d16_hi", "a1b1", 0xA1, 0xA1, 0x55) \
  TN_AMD_OF(_, DS, DS_LOAD_U8_D16, "ds_load_u8_d16|9:ds_read_u8_d16", "d1a1", 0xA2, 0xA2, 0x56) \
  TN_AMD_OF(_, DS, DS_LOAD_U8_D16_HI, "ds_load_u8_d16_hi|9:ds_read_u8_d16_hi", "d1a1", 0xA3, 0xA3, 0x57) \
  TN_AMD_OF(_, DS, DS_LOAD_I8_D16, "ds_load_i8_d16|9:ds_read_i8_d16", "d1a1", 0xA4, 0xA4, 0x58) \
  TN_AMD_OF(_, DS, DS_LOAD_I8_D16_HI, "ds_load_i8_d16_hi|9:ds_read_i8_d16_hi", "d1a1", 0xA5, 0xA5, 0x59) \
  TN_AMD_OF(_, DS, DS_LOAD_U16_D16, "ds_load_u16_d16|9:ds_read_u16_d16", "d1a1", 0xA6, 0xA6, 0x5A) \
  TN_AMD_OF(_, DS, DS_LOAD_U16_D16_HI, "ds_load_u16_d16_hi|9:ds_read_u16_d16_hi", "d1a1", 0xA7, 0xA7, 0x5B) \
  TN_AMD_OF(_, DS, DS_PERMUTE_B32, "ds_permute_b32", "d1a1b1", 0xB2, 0xB2, 0x3E) \
  TN_AMD_OF(_, DS, DS_BPERMUTE_B32, "ds_bpermute_b32", "d1a1b1", 0xB3, 0xB3, 0x3F) \
  TN_AMD_OF(_, DS, DS_STORE_B96, "ds_store_b96|9:ds_write_b96", "a1b3", 0xDE, 0xDE, 0xDE) \
  TN_AMD_OF(_, DS, DS_STORE_B128, "ds_store_b128|9:ds_write_b128", "a1b4", 0xDF, 0xDF, 0xDF) \
  TN_AMD_OF(_, DS, DS_LOAD_B96, "ds_load_b96|9:ds_read_b96", "d3a1", 0xFE, 0xFE, 0xFE) \
  TN_AMD_OF(_, DS, DS_LOAD_B128, "ds_load_b128|9:ds_read_b128", "d4a1", 0xFF, 0xFF, 0xFF) \
  TN_AMD_OF(_, DS, DS_COND_SUB_U32, "ds_cond_sub_u32", "a1b1", -1, 0x98, -1) \
  TN_AMD_OF(_, DS, DS_SUB_CLAMP_U32, "ds_sub_clamp_u32", "a1b1", -1, 0x99, -1) \
  TN_AMD_OF(_, DS, DS_PK_ADD_F16, "ds_pk_add_f16", "a1b1", -1, 0x9A, 0x17) \
  TN_AMD_OF(_, DS, DS_PK_ADD_BF16, "ds_pk_add_bf16", "a1b1", -1, 0x9B, 0x18) \
  TN_AMD_OF(_, DS, DS_COND_SUB_RTN_U32, "ds_cond_sub_rtn_u32", "d1a1b1", -1, 0xA8, -1) \
  TN_AMD_OF(_, DS, DS_SUB_CLAMP_RTN_U32, "ds_sub_clamp_rtn_u32", "d1a1b1", -1, 0xA9, -1) \
  TN_AMD_OF(_, DS, DS_PK_ADD_RTN_F16, "ds_pk_add_rtn_f16", "d1a1b1", -1, 0xAA, 0xB7) \
  TN_AMD_OF(_, DS, DS_PK_ADD_RTN_BF16, "ds_pk_add_rtn_bf16", "d1a1b1", -1, 0xAB, 0xB8) \
  TN_AMD_OF(_, DS, DS_CMPST_RTN_B32, "ds_cmpst_rtn_b32", "d1a1b1c1", -1, -1, 0x30) \
  TN_AMD_OF(_, DS, DS_ADD_F64, "ds_add_f64", "a1b2", -1, -1, 0x5C) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_F64, "ds_add_rtn_f64", "d2a1b2", -1, -1, 0x7C)

// ** memory: names behind flat_, scratch_, global_ and buffer_ on gfx11, gfx12, gfx9; dwords; opcodes **

#define TN_AMD_AT(_, format, id, prefix, n11, n12, n9, operands, a, b, c) \
  TN_AMD_OF(_, format, id, prefix n11 "|12:" prefix n12 "|9:" prefix n9, operands, a, b, c)
#define TN_AMD_LOAD(_, id, n11, n12, n9, w, a, b, c) \
  TN_AMD_AT(_, FLAT, FLAT_##id, "flat_", n11, n12, n9, "d" w "aa", a, b, c) \
  TN_AMD_AT(_, SCRATCH, SCRATCH_##id, "scratch_", n11, n12, n9, "d" w "aas2", a, b, c) \
  TN_AMD_AT(_, GLOBAL, GLOBAL_##id, "global_", n11, n12, n9, "d" w "aas2", a, b, c) \
  TN_AMD_AT(_, MUBUF, BUFFER_##id, "buffer_", n11, n12, n9, "b" w "aaR4o1", a, b, c)
#define TN_AMD_STORE(_, id, n11, n12, n9, w, a, b, c) \
  TN_AMD_AT(_, FLAT, FLAT_##id, "flat_", n11, n12, n9, "aab" w, a, b, c) \
  TN_AMD_AT(_, SCRATCH, SCRATCH_##id, "scratch_", n11, n12, n9, "aab" w "s2", a, b, c) \
  TN_AMD_AT(_, GLOBAL, GLOBAL_##id, "global_", n11, n12, n9, "aab" w "s2", a, b, c) \
  TN_AMD_AT(_, MUBUF, BUFFER_##id, "buffer_", n11, n12, n9, "b" w "aaR4o1", a, b, c)
// r, w: dwords of what is returned, and of the data: {new, compare} of cmpswap
#define TN_AMD_ATOMIC(_, id, n11, n12, n9, r, w, a, b, c) \
  TN_AMD_AT(_, FLAT, FLAT_##id, "flat_", n11, n12, n9, "r" r "aab" w, a, b, c) \
  TN_AMD_AT(_, GLOBAL, GLOBAL_##id, "global_", n11, n12, n9, "r" r "aab" w "s2", a, b, c) \
  TN_AMD_AT(_, MUBUF, BUFFER_##id, "buffer_", n11, n12, n9, "b" w "aaR4o1", a, b, c)

#define TN_AMD_MEMORY_ROWS(_) \
  TN_AMD_LOAD(_, LOAD_U8, "load_u8", "load_u8", "load_ubyte", "1", 0x10, 0x10, 0x10) \
  TN_AMD_LOAD(_, LOAD_I8, "load_i8", "load_i8", "load_sbyte", "1", 0x11, 0x11, 0x11) \
  TN_AMD_LOAD(_, LOAD_U16, "load_u16", "load_u16", "load_ushort", "1", 0x12, 0x12, 0x12) \
  TN_AMD_LOAD(_, LOAD_I16, "load_i16", "load_i16", "load_sshort", "1", 0x13, 0x13, 0x13) \
  TN_AMD_LOAD(_, LOAD_B32, "load_b32", "load_b32", "load_dword", "1", 0x14, 0x14, 0x14) \
  TN_AMD_LOAD(_, LOAD_B64, "load_b64", "load_b64", "load_dwordx2", "2", 0x15, 0x15, 0x15) \
  TN_AMD_LOAD(_, LOAD_B96, "load_b96", "load_b96", "load_dwordx3", "3", 0x16, 0x16, 0x16) \
  TN_AMD_LOAD(_, LOAD_B128, "load_b128", "load_b128", "load_dwordx4", "4", 0x17, 0x17, 0x17) \
  TN_AMD_LOAD(_, LOAD_D16_U8, "load_d16_u8", "load_d16_u8", "load_ubyte_d16", "1", 0x1E, 0x1E, 0x20) \
  TN_AMD_LOAD(_, LOAD_D16_I8, "load_d16_i8", "load_d16_i8", "load_sbyte_d16", "1", 0x1F, 0x1F, 0x22) \
  TN_AMD_LOAD(_, LOAD_D16_B16, "load_d16_b16", "load_d16_b16", "load_short_d16", "1", 0x20, 0x20, 0x24) \
  TN_AMD_LOAD(_, LOAD_D16_HI_U8, "load_d16_hi_u8", "load_d16_hi_u8", "load_ubyte_d16_hi", "1", 0x21, 0x21, 0x21) \
  TN_AMD_LOAD(_, LOAD_D16_HI_I8, "load_d16_hi_i8", "load_d16_hi_i8", "load_sbyte_d16_hi", "1", 0x22, 0x22, 0x23) \
  TN_AMD_LOAD(_, LOAD_D16_HI_B16, "load_d16_hi_b16", "load_d16_hi_b16", "load_short_d16_hi", "1", 0x23, 0x23, 0x25) \
  TN_AMD_STORE(_, STORE_B8, "store_b8", "store_b8", "store_byte", "1", 0x18, 0x18, 0x18) \
  TN_AMD_STORE(_, STORE_B16, "store_b16", "store_b16", "store_short", "1", 0x19, 0x19, 0x1A) \
  TN_AMD_STORE(_, STORE_B32, "store_b32", "store_b32", "store_dword", "1", 0x1A, 0x1A, 0x1C) \
  TN_AMD_STORE(_, STORE_B64, "store_b64", "store_b64", "store_dwordx2", "2", 0x1B, 0x1B, 0x1D) \
  TN_AMD_STORE(_, STORE_B96, "store_b96", "store_b96", "store_dwordx3", "3", 0x1C, 0x1C, 0x1E) \
  TN_AMD_STORE(_, STORE_B128, "store_b128", "store_b128", "store_dwordx4", "4", 0x1D, 0x1D, 0x1F) \
  TN_AMD_STORE(_, STORE_D16_HI_B8, "store_d16_hi_b8", "store_d16_hi_b8", "store_byte_d16_hi", "1", 0x24, 0x24, 0x19) \
  TN_AMD_STORE(_, STORE_D16_HI_B16, \
    "store_d16_hi_b16", "store_d16_hi_b16", "store_short_d16_hi", "1", 0x25, 0x25, 0x1B) \
  TN_AMD_ATOMIC(_, ATOMIC_SWAP_B32, "atomic_swap_b32", "atomic_swap_b32", "atomic_swap", "1", "1", 0x33, 0x33, 0x40) \
  TN_AMD_ATOMIC(_, ATOMIC_CMPSWAP_B32, \
    "atomic_cmpswap_b32", "atomic_cmpswap_b32", "atomic_cmpswap", "1", "2", 0x34, 0x34, 0x41) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_U32, "atomic_add_u32", "atomic_add_u32", "atomic_add", "1", "1", 0x35, 0x35, 0x42) \
  TN_AMD_ATOMIC(_, ATOMIC_SUB_U32, "atomic_sub_u32", "atomic_sub_u32", "atomic_sub", "1", "1", 0x36, 0x36, 0x43) \
  TN_AMD_ATOMIC(_, ATOMIC_SUB_CLAMP_U32, \
    "atomic_sub_clamp_u32", "atomic_sub_clamp_u32", "atomic_sub_clamp_u32", "1", "1", -1, 0x37, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_I32, "atomic_min_i32", "atomic_min_i32", "atomic_smin", "1", "1", 0x38, 0x38, 0x44) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_U32, "atomic_min_u32", "atomic_min_u32", "atomic_umin", "1", "1", 0x39, 0x39, 0x45) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_I32, "atomic_max_i32", "atomic_max_i32", "atomic_smax", "1", "1", 0x3A, 0x3A, 0x46) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_U32, "atomic_max_u32", "atomic_max_u32", "atomic_umax", "1", "1", 0x3B, 0x3B, 0x47) \
  TN_AMD_ATOMIC(_, ATOMIC_AND_B32, "atomic_and_b32", "atomic_and_b32", "atomic_and", "1", "1", 0x3C, 0x3C, 0x48) \
  TN_AMD_ATOMIC(_, ATOMIC_OR_B32, "atomic_or_b32", "atomic_or_b32", "atomic_or", "1", "1", 0x3D, 0x3D, 0x49) \
  TN_AMD_ATOMIC(_, ATOMIC_XOR_B32, "atomic_xor_b32", "atomic_xor_b32", "atomic_xor", "1", "1", 0x3E, 0x3E, 0x4A) \
  TN_AMD_ATOMIC(_, ATOMIC_INC_U32, "atomic_inc_u32", "atomic_inc_u32", "atomic_inc", "1", "1", 0x3F, 0x3F, 0x4B) \
  TN_AMD_ATOMIC(_, ATOMIC_DEC_U32, "atomic_dec_u32", "atomic_dec_u32", "atomic_dec", "1", "1", 0x40, 0x40, 0x4C) \
  TN_AMD_ATOMIC(_, ATOMIC_SWAP_B64, \
    "atomic_swap_b64", "atomic_swap_b64", "atomic_swap_x2", "2", "2", 0x41, 0x41, 0x60) \
  TN_AMD_ATOMIC(_, ATOMIC_CMPSWAP_B64, \
    "atomic_cmpswap_b64", "atomic_cmpswap_b64", "atomic_cmpswap_x2", "2", "4", 0x42, 0x42, 0x61) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_U64, "atomic_add_u64", "atomic_add_u64", "atomic_add_x2", "2", "2", 0x43, 0x43, 0x62) \
  TN_AMD_ATOMIC(_, ATOMIC_SUB_U64, "atomic_sub_u64", "atomic_sub_u64", "atomic_sub_x2", "2", "2", 0x44, 0x44, 0x63) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_I64, "atomic_min_i64", "atomic_min_i64", "atomic_smin_x2", "2", "2", 0x45, 0x45, 0x64) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_U64, "atomic_min_u64", "atomic_min_u64", "atomic_umin_x2", "2", "2", 0x46, 0x46, 0x65) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_I64, "atomic_max_i64", "atomic_max_i64", "atomic_smax_x2", "2", "2", 0x47, 0x47, 0x66) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_U64, "atomic_max_u64", "atomic_max_u64", "atomic_umax_x2", "2", "2", 0x48, 0x48, 0x67) \
  TN_AMD_ATOMIC(_, ATOMIC_AND_B64, "atomic_and_b64", "atomic_and_b64", "atomic_and_x2", "2", "2", 0x49, 0x49, 0x68) \
  TN_AMD_ATOMIC(_, ATOMIC_OR_B64, "atomic_or_b64", "atomic_or_b64", "atomic_or_x2", "2", "2", 0x4A, 0x4A, 0x69) \
  TN_AMD_ATOMIC(_, ATOMIC_XOR_B64, "atomic_xor_b64", "atomic_xor_b64", "atomic_xor_x2", "2", "2", 0x4B, 0x4B, 0x6A) \
  TN_AMD_ATOMIC(_, ATOMIC_INC_U64, "atomic_inc_u64", "atomic_inc_u64", "atomic_inc_x2", "2", "2", 0x4C, 0x4C, 0x6B) \
  TN_AMD_ATOMIC(_, ATOMIC_DEC_U64, "atomic_dec_u64", "atomic_dec_u64", "atomic_dec_x2", "2", "2", 0x4D, 0x4D, 0x6C) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_F64, "atomic_add_f64", "atomic_add_f64", "atomic_add_f64", "2", "2", -1, -1, 0x4F) \
  TN_AMD_ATOMIC(_, ATOMIC_CMPSWAP_F32, \
    "atomic_cmpswap_f32", "atomic_cmpswap_f32", "atomic_cmpswap_f32", "1", "2", 0x50, -1, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_COND_SUB_U32, \
    "atomic_cond_sub_u32", "atomic_cond_sub_u32", "atomic_cond_sub_u32", "1", "1", -1, 0x50, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_F64, "atomic_min_f64", "atomic_min_f64", "atomic_min_f64", "2", "2", -1, -1, 0x50) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_F32, \
    "atomic_min_f32", "atomic_min_num_f32", "atomic_min_f32", "1", "1", 0x51, 0x51, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_F64, "atomic_max_f64", "atomic_max_f64", "atomic_max_f64", "2", "2", -1, -1, 0x51) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_F32, \
    "atomic_max_f32", "atomic_max_num_f32", "atomic_max_f32", "1", "1", 0x52, 0x52, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_F32, "atomic_add_f32", "atomic_add_f32", "atomic_add_f32", "1", "1", 0x56, 0x56, 0x4D) \
  TN_AMD_ATOMIC(_, ATOMIC_PK_ADD_F16, \
    "atomic_pk_add_f16", "atomic_pk_add_f16", "atomic_pk_add_f16", "1", "1", -1, 0x59, 0x4E) \
  TN_AMD_OF(_, FLAT, FLAT_ATOMIC_PK_ADD_BF16, "flat_atomic_pk_add_bf16", "r1aab1", -1, 0x5A, 0x52) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_ATOMIC_PK_ADD_BF16, "global_atomic_pk_add_bf16", "r1aab1s2", -1, 0x5A, 0x52) \
  TN_AMD_OF(_, MUBUF, BUFFER_ATOMIC_PK_ADD_BF16, "buffer_atomic_pk_add_bf16", "b1aaR4o1", -1, 0x5A, -1) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_BLOCK, "scratch_load_block", "dyaas2", -1, 0x53, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_BLOCK, "global_load_block", "dyaas2", -1, 0x53, -1) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_STORE_BLOCK, "scratch_store_block", "aabys2", -1, 0x54, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_STORE_BLOCK, "global_store_block", "aabys2", -1, 0x54, -1) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_LDS_SBYTE, "scratch_load_lds_sbyte", "aas2", -1, -1, 0x27) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_SBYTE, "global_load_lds_sbyte", "aas2", -1, -1, 0x27) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_LDS_SSHORT, "scratch_load_lds_sshort", "aas2", -1, -1, 0x29) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_SSHORT, "global_load_lds_sshort", "aas2", -1, -1, 0x29) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_LDS_DWORD, "scratch_load_lds_dword", "aas2", -1, -1, 0x2A) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_DWORD, "global_load_lds_dword", "aas2", -1, -1, 0x2A) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_ATOMIC_CSUB_U32, "global_atomic_csub_u32", "r1aab1s2", 0x37, -1, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_ATOMIC_CSUB_U32, "buffer_atomic_csub_u32", "b1aaR4o1", 0x37, -1, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_INV, "global_inv", "", -1, 0x2B, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_INV, "buffer_inv", "", -1, -1, 0x29) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_WB, "global_wb", "", -1, 0x2C, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_WBINV, "global_wbinv", "", -1, 0x4F, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_TR_B128, "global_load_tr_b128", "d4aas2", -1, 0x57, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_TR_B64, "global_load_tr_b64", "d2aas2", -1, 0x58, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_ATOMIC_ORDERED_ADD_B64, "global_atomic_ordered_add_b64", "r2aab2s2", -1, 0x73, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_USHORT, "global_load_lds_ushort", "aas2", -1, -1, 0x28) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_UBYTE, "global_load_lds_ubyte", "aas2", -1, -1, 0x26) \
  TN_AMD_OF(_, MUBUF, BUFFER_GL0_INV, "buffer_gl0_inv", "", 0x2B, -1, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_GL1_INV, "buffer_gl1_inv", "", 0x2C, -1, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_WBL2, "buffer_wbl2", "", -1, -1, 0x28)

#define TN_AMD_TABLE(_) \
  TN_AMD_SCALAR_ROWS(_) TN_AMD_VECTOR_ROWS(_) TN_AMD_COMPARE_ROWS(_) TN_AMD_CLASS_ROWS(_) TN_AMD_LONG_ROWS(_) \
  TN_AMD_PACKED_ROWS(_) TN_AMD_LOCAL_ROWS(_) TN_AMD_MEMORY_ROWS(_)

enum {
  TN_AMD_NO_INS,
#define TN_AMD_ENUM(id, ...) TN_AMD_##id,
  TN_AMD_TABLE(TN_AMD_ENUM)
#undef TN_AMD_ENUM
  TN_AMD_COUNT
};

// code: of a family, format << 10 | opcode
typedef struct tn_amd_row { const char *names, *operands; uint16_t code[TN_AMD_FAMILIES]; } tn_amd_row;
static const tn_amd_row tn_amd_rows[TN_AMD_COUNT] = {
  {"", "", {TN_AMD_NA, TN_AMD_NA, TN_AMD_NA}},
#define TN_AMD_CODE(format, op) (TN_AMD_##format << 10 | ((op) & TN_AMD_NA))
#define TN_AMD_ROW(id, names, operands, f, a, g, b, h, c) \
  {names, operands, {TN_AMD_CODE(f, a), TN_AMD_CODE(g, b), TN_AMD_CODE(h, c)}},
  TN_AMD_TABLE(TN_AMD_ROW)
#undef TN_AMD_ROW
#undef TN_AMD_CODE
};

// TN_AMD_NO_FORMAT: the family has it not.
static int tn_amd_format(int op, int family) {
  const int code = tn_amd_rows[op].code[family];
  return (code & TN_AMD_NA) == TN_AMD_NA ? TN_AMD_NO_FORMAT : code >> 10;
}
static int tn_amd_opcode(int op, int family) { return tn_amd_rows[op].code[family] & TN_AMD_NA; }

// What is written for a family in a text of alternatives: where it begins, and its length.
static const char *tn_amd_alternative(const char *text, int family, size_t *n) {
  const char *const mark = family == TN_AMD_GFX12 ? "|12:" : family == TN_AMD_GFX9 ? "|9:" : NULL;
  const char *own = mark ? strstr(text, mark) : NULL;
  if (own) text = own + strlen(mark);
  const char *const end = strchr(text, '|');
  *n = end ? (size_t)(end - text) : strlen(text);
  return text;
}
static const char *tn_amd_name(int op, int family, size_t *n) {
  return tn_amd_alternative(tn_amd_rows[op].names, family, n);
}

// The operands of a row in a family, and what else it takes.
typedef struct tn_amd_form { const char *operands, *takes; int n, ntakes; } tn_amd_form;
static tn_amd_form tn_amd_form_of(int op, int family) {
  size_t n;
  tn_amd_form f;
  f.operands = tn_amd_alternative(tn_amd_rows[op].operands, family, &n);
  const char *const slash = (const char *)memchr(f.operands, '/', n);
  f.n = (int)(slash ? (size_t)(slash - f.operands) : n) / 2;
  f.takes = slash ? slash + 1 : f.operands + n;
  f.ntakes = (int)(f.operands + n - f.takes);
  return f;
}
static int tn_amd_takes(const tn_amd_form *f, char what) { return memchr(f->takes, what, (size_t)f->ntakes) != NULL; }
#endif
