// amd_vectors: rows of the table of AMD's instructions: vectors, comparisons, packed ones, dot products, matrices.
//
// In:  a macro. Out: it, called for each row. What the columns are stands in amd_table.c, which includes this room.
#ifndef TN_ISA_AMD_VECTORS
#define TN_ISA_AMD_VECTORS

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
#endif
