// amd_accesses: rows of the table of AMD's instructions: LDS, and memory by flat, scratch, global and buffer addresses.
//
// In:  a macro. Out: it, called for each row. What the columns are stands in amd_table.c, which includes this room.
#ifndef TN_ISA_AMD_ACCESSES
#define TN_ISA_AMD_ACCESSES

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
#endif
