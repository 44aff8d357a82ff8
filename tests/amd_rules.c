// amd_rules: which function does each instruction of src/isa/amd_table.c. What has no row is refused when it is met.
//
// Included by amd_emulate.c.
#ifndef AMD_RULES_C
#define AMD_RULES_C
#include "amd_time.c"

#define AMD_V(op, types, fn, arg) {TN_AMD_V_##op, AMD_VALU, types, amd_##fn, NULL, NULL, arg},
#define AMD_T(op, types, fn) {TN_AMD_V_##op, AMD_TRANS, types, amd_##fn, NULL, NULL, 0},
#define AMD_S(op, types, fn, arg) {TN_AMD_S_##op, AMD_SALU, types, NULL, amd_s_##fn, amd_scalar_run, arg},
#define AMD_R(op, kind, fn, arg) {TN_AMD_##op, kind, "", NULL, NULL, amd_##fn, arg},

static const amd_rule amd_scalar_rules[] = {
  AMD_S(ADD_U32, "u=uu", add_u32, 0) AMD_S(SUB_U32, "u=uu", sub_u32, 0) AMD_S(ADD_I32, "u=uu", add_i32, 0)
  AMD_S(SUB_I32, "u=uu", sub_i32, 0) AMD_S(ADDC_U32, "u=uu", addc_u32, 0) AMD_S(SUBB_U32, "u=uu", subb_u32, 0)
  AMD_S(ABSDIFF_I32, "u=uu", absdiff, 0) AMD_S(LSHL_B32, "u=uu", lshl, 0) AMD_S(LSHL_B64, "q=qu", lshl64, 0)
  AMD_S(LSHR_B32, "u=uu", lshr, 0) AMD_S(LSHR_B64, "q=qu", lshr64, 0) AMD_S(ASHR_I32, "u=uu", ashr, 0)
  AMD_S(ASHR_I64, "q=qu", ashr64, 0) AMD_S(LSHL1_ADD_U32, "u=uu", lshl_add, 1)
  AMD_S(LSHL2_ADD_U32, "u=uu", lshl_add, 2) AMD_S(LSHL3_ADD_U32, "u=uu", lshl_add, 3)
  AMD_S(LSHL4_ADD_U32, "u=uu", lshl_add, 4) AMD_S(MIN_I32, "u=uu", min_i32, 0) AMD_S(MIN_U32, "u=uu", min_u32, 0)
  AMD_S(MAX_I32, "u=uu", max_i32, 0) AMD_S(MAX_U32, "u=uu", max_u32, 0) AMD_S(AND_B32, "u=uu", and32, 0)
  AMD_S(AND_B64, "q=qq", and64, 0) AMD_S(OR_B32, "u=uu", or32, 0) AMD_S(OR_B64, "q=qq", or64, 0)
  AMD_S(XOR_B32, "u=uu", xor32, 0) AMD_S(XOR_B64, "q=qq", xor64, 0) AMD_S(NAND_B32, "u=uu", nand32, 0)
  AMD_S(NAND_B64, "q=qq", nand64, 0) AMD_S(NOR_B32, "u=uu", nor32, 0) AMD_S(NOR_B64, "q=qq", nor64, 0)
  AMD_S(XNOR_B32, "u=uu", xnor32, 0) AMD_S(XNOR_B64, "q=qq", xnor64, 0) AMD_S(AND_NOT1_B32, "u=uu", and_not132, 0)
  AMD_S(AND_NOT1_B64, "q=qq", and_not164, 0) AMD_S(OR_NOT1_B32, "u=uu", or_not132, 0)
  AMD_S(OR_NOT1_B64, "q=qq", or_not164, 0) AMD_S(BFE_U32, "u=uu", bfe_u32, 0) AMD_S(BFE_I32, "u=uu", bfe_i32, 0)
  AMD_S(BFE_U64, "q=qu", bfe_u64, 0) AMD_S(BFE_I64, "q=qu", bfe_i64, 0) AMD_S(BFM_B32, "u=uu", bfm32, 0)
  AMD_S(BFM_B64, "q=uu", bfm64, 0) AMD_S(MUL_I32, "u=uu", mul_i32, 0) AMD_S(MUL_HI_U32, "u=uu", mul_hi_u32, 0)
  AMD_S(MUL_HI_I32, "u=uu", mul_hi_i32, 0) AMD_S(CSELECT_B32, "u=uu", cselect, 0)
  AMD_S(CSELECT_B64, "q=qq", cselect, 0) AMD_S(PACK_LL_B32_B16, "u=uu", pack_ll, 0)
  AMD_S(PACK_LH_B32_B16, "u=uu", pack_lh, 0) AMD_S(PACK_HH_B32_B16, "u=uu", pack_hh, 0)
  AMD_S(PACK_HL_B32_B16, "u=uu", pack_hl, 0) AMD_S(ADD_NC_U64, "q=qq", add_u64, 0)
  AMD_S(SUB_NC_U64, "q=qq", sub_u64, 0) AMD_S(MUL_U64, "q=qq", mul_u64, 0) AMD_S(ADD_F32, "u=uu", add_f32, 0)
  AMD_S(SUB_F32, "u=uu", sub_f32, 0) AMD_S(MUL_F32, "u=uu", mul_f32, 0) AMD_S(MIN_NUM_F32, "u=uu", min_f32, 0)
  AMD_S(MAX_NUM_F32, "u=uu", max_f32, 0) AMD_S(FMAC_F32, "u=uu", fmac_f32, 0) AMD_S(FMAAK_F32, "u=uu", fmaak_f32, 0)
  AMD_S(FMAMK_F32, "u=uu", fmaak_f32, 0) AMD_S(CVT_PK_RTZ_F16_F32, "u=uu", cvt_pk_rtz, 0)
  AMD_S(MOV_B32, "u=u", mov, 0) AMD_S(MOV_B64, "q=q", mov, 0) AMD_S(CMOV_B32, "u=uU", cmov, 0)
  AMD_S(CMOV_B64, "q=qQ", cmov, 0) AMD_S(BREV_B32, "u=u", brev32, 0) AMD_S(BREV_B64, "q=q", brev64, 0)
  AMD_S(CTZ_I32_B32, "u=u", ctz, 0) AMD_S(CTZ_I32_B64, "u=q", ctz, 0) AMD_S(CLZ_I32_U32, "u=u", clz32, 0)
  AMD_S(CLZ_I32_U64, "u=q", clz64, 0) AMD_S(CLS_I32, "u=u", cls, 0) AMD_S(SEXT_I32_I8, "u=u", sext8, 0)
  AMD_S(SEXT_I32_I16, "u=u", sext16, 0) AMD_S(BITSET0_B32, "u=Uu", bitset0, 0) AMD_S(BITSET1_B32, "u=Uu", bitset1, 0)
  AMD_S(ABS_I32, "u=u", abs, 0) AMD_S(BCNT0_I32_B32, "u=u", bcnt0, 0) AMD_S(BCNT1_I32_B32, "u=u", bcnt1, 0)
  AMD_S(BCNT1_I32_B64, "u=q", bcnt1, 0) AMD_S(WQM_B32, "u=u", wqm, 0) AMD_S(NOT_B32, "u=u", not32, 0)
  AMD_S(NOT_B64, "q=q", not64, 0) AMD_S(CVT_F32_I32, "u=u", cvt_f32_i32, 0) AMD_S(CVT_F32_U32, "u=u", cvt_f32_u32, 0)
  AMD_S(CVT_I32_F32, "u=u", cvt_i32_f32, 0) AMD_S(CVT_U32_F32, "u=u", cvt_u32_f32, 0)
  AMD_S(TRUNC_F32, "u=u", trunc_f32, 0) AMD_S(FLOOR_F32, "u=u", floor_f32, 0) AMD_S(CMP_EQ_I32, "-=uu", eq, 0)
  AMD_S(CMP_LG_I32, "-=uu", ne, 0) AMD_S(CMP_GT_I32, "-=uu", gt_i, 0) AMD_S(CMP_GE_I32, "-=uu", ge_i, 0)
  AMD_S(CMP_LT_I32, "-=uu", lt_i, 0) AMD_S(CMP_LE_I32, "-=uu", le_i, 0) AMD_S(CMP_EQ_U32, "-=uu", eq, 0)
  AMD_S(CMP_LG_U32, "-=uu", ne, 0) AMD_S(CMP_GT_U32, "-=uu", gt_u, 0) AMD_S(CMP_GE_U32, "-=uu", ge_u, 0)
  AMD_S(CMP_LT_U32, "-=uu", lt_u, 0) AMD_S(CMP_LE_U32, "-=uu", le_u, 0) AMD_S(CMP_EQ_U64, "-=qq", eq, 0)
  AMD_S(CMP_LG_U64, "-=qq", ne, 0) AMD_S(BITCMP0_B32, "-=uu", bitcmp0, 0) AMD_S(BITCMP1_B32, "-=uu", bitcmp1, 0)
  AMD_S(CMP_LT_F32, "-=uu", cmp_f32, 1) AMD_S(CMP_EQ_F32, "-=uu", cmp_f32, 2) AMD_S(CMP_LE_F32, "-=uu", cmp_f32, 3)
  AMD_S(CMP_GT_F32, "-=uu", cmp_f32, 4) AMD_S(CMP_LG_F32, "-=uu", cmp_f32, 5) AMD_S(CMP_GE_F32, "-=uu", cmp_f32, 6)
  AMD_S(CMP_O_F32, "-=uu", cmp_f32, 7) AMD_S(CMP_U_F32, "-=uu", cmp_f32, 8) AMD_S(CMP_NGE_F32, "-=uu", cmp_f32, 9)
  AMD_S(CMP_NLG_F32, "-=uu", cmp_f32, 10) AMD_S(CMP_NGT_F32, "-=uu", cmp_f32, 11)
  AMD_S(CMP_NLE_F32, "-=uu", cmp_f32, 12) AMD_S(CMP_NEQ_F32, "-=uu", cmp_f32, 13)
  AMD_S(CMP_NLT_F32, "-=uu", cmp_f32, 14) AMD_S(MOVK_I32, "u=k", mov, 0) AMD_S(CMOVK_I32, "u=kU", cmov, 0)
  AMD_S(CMPK_EQ_I32, "-=uk", eq_k, 0) AMD_S(CMPK_LG_I32, "-=uk", ne_k, 0) AMD_S(CMPK_GT_I32, "-=uk", gt_i, 0)
  AMD_S(CMPK_GE_I32, "-=uk", ge_i, 0) AMD_S(CMPK_LT_I32, "-=uk", lt_i, 0) AMD_S(CMPK_LE_I32, "-=uk", le_i, 0)
  AMD_S(CMPK_EQ_U32, "-=uK", eq_k, 0) AMD_S(CMPK_LG_U32, "-=uK", ne_k, 0) AMD_S(CMPK_GT_U32, "-=uK", gt_u, 0)
  AMD_S(CMPK_GE_U32, "-=uK", ge_u, 0) AMD_S(CMPK_LT_U32, "-=uK", lt_u, 0) AMD_S(CMPK_LE_U32, "-=uK", le_u, 0)
  AMD_S(ADDK_I32, "u=Uk", addk, 0) AMD_S(MULK_I32, "u=Uk", mul_i32, 0)
};

// and, or, xor, nand, nor, xnor, not0: ~a & old, a or ~old ..: their numbers are those of amd_saveexec.
#define AMD_SAVEEXEC(op, how)                                                                                          \
  {TN_AMD_S_##op##_SAVEEXEC_B32, AMD_SALU, "u", NULL, NULL, amd_saveexec, how},                                        \
  {TN_AMD_S_##op##_SAVEEXEC_B64, AMD_SALU, "q", NULL, NULL, amd_saveexec, how},
static const amd_rule amd_control_rules[] = {
  AMD_SAVEEXEC(AND, 0) AMD_SAVEEXEC(OR, 1) AMD_SAVEEXEC(XOR, 2) AMD_SAVEEXEC(AND_NOT1, 3) AMD_SAVEEXEC(AND_NOT0, 4)
  AMD_SAVEEXEC(NAND, 5) AMD_SAVEEXEC(NOR, 6) AMD_SAVEEXEC(XNOR, 7) AMD_SAVEEXEC(OR_NOT1, 8) AMD_SAVEEXEC(OR_NOT0, 9)
  AMD_R(S_MOVRELS_B32, AMD_SALU, movrel, 0) AMD_R(S_MOVRELD_B32, AMD_SALU, movrel, 1)
  AMD_R(S_GETPC_B64, AMD_SALU, getpc, 0) AMD_R(S_SETPC_B64, AMD_BRANCH, setpc, 0)
  AMD_R(S_SWAPPC_B64, AMD_BRANCH, setpc, 1) AMD_R(S_CALL_B64, AMD_BRANCH, call, 0)
  AMD_R(S_BRANCH, AMD_BRANCH, branch, AMD_IF_ALWAYS) AMD_R(S_CBRANCH_SCC0, AMD_BRANCH, branch, AMD_IF_SCC0)
  AMD_R(S_CBRANCH_SCC1, AMD_BRANCH, branch, AMD_IF_SCC1) AMD_R(S_CBRANCH_VCCZ, AMD_BRANCH, branch, AMD_IF_VCCZ)
  AMD_R(S_CBRANCH_VCCNZ, AMD_BRANCH, branch, AMD_IF_VCCNZ) AMD_R(S_CBRANCH_EXECZ, AMD_BRANCH, branch, AMD_IF_EXECZ)
  AMD_R(S_CBRANCH_EXECNZ, AMD_BRANCH, branch, AMD_IF_EXECNZ) AMD_R(S_ENDPGM, AMD_OTHER, endpgm, 0)
  AMD_R(S_CODE_END, AMD_OTHER, no_code, 0) AMD_R(S_NOP, AMD_OTHER, nop, 0) AMD_R(S_GETREG_B32, AMD_SALU, getreg, 0)
  AMD_R(S_SETREG_B32, AMD_SALU, setreg, 0) AMD_R(S_SETREG_IMM32_B32, AMD_SALU, setreg, 1)
  AMD_R(S_ROUND_MODE, AMD_OTHER, round_mode, 0) AMD_R(S_DENORM_MODE, AMD_OTHER, denorm_mode, 0)
  AMD_R(S_WAITCNT, AMD_WAIT, waitcnt, 0) AMD_R(S_WAITCNT_VSCNT, AMD_WAIT, wait_one, AMD_STORECNT)
  AMD_R(S_WAITCNT_VMCNT, AMD_WAIT, wait_one, AMD_LOADCNT) AMD_R(S_WAITCNT_EXPCNT, AMD_WAIT, wait_one, AMD_EXPCNT)
  AMD_R(S_WAITCNT_LGKMCNT, AMD_WAIT, wait_one, AMD_DSCNT) AMD_R(S_WAIT_LOADCNT, AMD_WAIT, wait_one, AMD_LOADCNT)
  AMD_R(S_WAIT_STORECNT, AMD_WAIT, wait_one, AMD_STORECNT) AMD_R(S_WAIT_SAMPLECNT, AMD_WAIT, nothing, 0)
  AMD_R(S_WAIT_BVHCNT, AMD_WAIT, nothing, 0) AMD_R(S_WAIT_EXPCNT, AMD_WAIT, wait_one, AMD_EXPCNT)
  AMD_R(S_WAIT_DSCNT, AMD_WAIT, wait_one, AMD_DSCNT) AMD_R(S_WAIT_KMCNT, AMD_WAIT, wait_one, AMD_KMCNT)
  AMD_R(S_WAIT_LOADCNT_DSCNT, AMD_WAIT, wait_one, 8 + AMD_LOADCNT)
  AMD_R(S_WAIT_STORECNT_DSCNT, AMD_WAIT, wait_one, 8 + AMD_STORECNT) AMD_R(S_WAITCNT_DEPCTR, AMD_WAIT, depctr, 0)
  AMD_R(S_BARRIER, AMD_WAIT, barrier, 0) AMD_R(S_BARRIER_SIGNAL, AMD_WAIT, barrier_signal, 0)
  AMD_R(S_BARRIER_SIGNAL_ISFIRST, AMD_WAIT, barrier_signal, 1) AMD_R(S_BARRIER_WAIT, AMD_WAIT, barrier_wait, 0)
  AMD_R(S_SENDMSG, AMD_OTHER, sendmsg, 0) AMD_R(S_SENDMSG_RTN_B32, AMD_OTHER, sendmsg_rtn, 1)
  AMD_R(S_SENDMSG_RTN_B64, AMD_OTHER, sendmsg_rtn, 2) AMD_R(S_DELAY_ALU, AMD_OTHER, nothing, 0)
  AMD_R(S_CLAUSE, AMD_OTHER, nothing, 0) AMD_R(S_SLEEP, AMD_OTHER, nothing, 0) AMD_R(S_SETPRIO, AMD_OTHER, nothing, 0)
  AMD_R(S_ICACHE_INV, AMD_OTHER, nothing, 0) AMD_R(S_SET_INST_PREFETCH_DISTANCE, AMD_OTHER, nothing, 0)
  AMD_R(S_WAKEUP, AMD_OTHER, nothing, 0) AMD_R(S_WAIT_IDLE, AMD_WAIT, wait_all, 0)
  AMD_R(S_WAIT_EVENT, AMD_WAIT, nothing, 0) AMD_R(S_DCACHE_INV, AMD_OTHER, nothing, 0)
  AMD_R(S_DCACHE_WB, AMD_OTHER, nothing, 0) AMD_R(S_GL1_INV, AMD_OTHER, nothing, 0)
  AMD_R(S_PREFETCH_DATA, AMD_OTHER, nothing, 0) AMD_R(S_PREFETCH_INST, AMD_OTHER, nothing, 0)
  AMD_R(S_PREFETCH_INST_PC_REL, AMD_OTHER, nothing, 0) AMD_R(S_TRAP, AMD_OTHER, trap, 0)
  AMD_R(V_NOP, AMD_VALU, nothing, 0)
};

static const amd_rule amd_float_rules[] = {
  AMD_V(ADD_F32, "f=ff", add_f32, 0) AMD_V(SUB_F32, "f=ff", sub_f32, 0) AMD_V(SUBREV_F32, "f=ff", subrev_f32, 0)
  AMD_V(MUL_F32, "f=ff", mul_f32, 0) AMD_V(FMA_F32, "f=fff", fma_f32, 0) AMD_V(FMAC_F32, "f=ffF", fma_f32, 0)
  AMD_V(FMAMK_F32, "f=fff", fma_f32, 0) AMD_V(FMAAK_F32, "f=fff", fma_f32, 0)
  AMD_V(MUL_LEGACY_F32, "f=ff", mul_zero_f32, 0) AMD_V(MUL_DX9_ZERO_F32, "f=ff", mul_zero_f32, 0)
  AMD_V(FMA_DX9_ZERO_F32, "f=fff", fma_zero_f32, 0) AMD_V(FMAC_DX9_ZERO_F32, "f=ffF", fma_zero_f32, 0)
  AMD_V(MIN_F32, "f=ff", min_f32, 0) AMD_V(MAX_F32, "f=ff", max_f32, 0) AMD_V(MIN3_F32, "f=fff", three_f32, 0)
  AMD_V(MAX3_F32, "f=fff", three_f32, 3) AMD_V(MAXMIN_F32, "f=fff", three_f32, 1)
  AMD_V(MINMAX_F32, "f=fff", three_f32, 2) AMD_V(MINIMUM3_F32, "f=fff", three_f32, 4)
  AMD_V(MAXIMUM3_F32, "f=fff", three_f32, 7) AMD_V(MAXIMUMMINIMUM_F32, "f=fff", three_f32, 5)
  AMD_V(MINIMUMMAXIMUM_F32, "f=fff", three_f32, 6) AMD_V(MED3_F32, "f=fff", med3_f32, 0)
  AMD_V(MINIMUM_F32, "f=ff", minimum_f32, 0) AMD_V(MAXIMUM_F32, "f=ff", minimum_f32, 1) AMD_T(EXP_F32, "f=f", exp_f32)
  AMD_T(LOG_F32, "f=f", log_f32) AMD_T(RCP_F32, "f=f", rcp_f32) AMD_T(RCP_IFLAG_F32, "f=f", rcp_f32)
  AMD_T(RSQ_F32, "f=f", rsq_f32) AMD_T(SQRT_F32, "f=f", sqrt_f32) AMD_T(SIN_F32, "f=f", sin_f32)
  AMD_T(COS_F32, "f=f", cos_f32) AMD_T(EXP_F16, "h=h", exp_f16) AMD_T(LOG_F16, "h=h", log_f16)
  AMD_T(RCP_F16, "h=h", rcp_f16) AMD_T(RSQ_F16, "h=h", rsq_f16) AMD_T(SQRT_F16, "h=h", sqrt_f16)
  AMD_T(SIN_F16, "h=h", sin_f16) AMD_T(COS_F16, "h=h", cos_f16) AMD_T(RCP_F64, "d=d", rcp_f64)
  AMD_T(RSQ_F64, "d=d", rsq_f64) AMD_T(SQRT_F64, "d=d", sqrt_f64) AMD_V(TRUNC_F32, "f=f", trunc_f32, 0)
  AMD_V(CEIL_F32, "f=f", ceil_f32, 0) AMD_V(FLOOR_F32, "f=f", floor_f32, 0) AMD_V(RNDNE_F32, "f=f", rndne_f32, 0)
  AMD_V(FRACT_F32, "f=f", fract_f32, 0) AMD_V(TRUNC_F64, "d=d", trunc_f64, 0) AMD_V(CEIL_F64, "d=d", ceil_f64, 0)
  AMD_V(FLOOR_F64, "d=d", floor_f64, 0) AMD_V(RNDNE_F64, "d=d", rndne_f64, 0) AMD_V(FRACT_F64, "d=d", fract_f64, 0)
  AMD_V(TRUNC_F16, "h=h", trunc_f16, 0) AMD_V(CEIL_F16, "h=h", ceil_f16, 0) AMD_V(FLOOR_F16, "h=h", floor_f16, 0)
  AMD_V(RNDNE_F16, "h=h", rndne_f16, 0) AMD_V(FRACT_F16, "h=h", fract_f16, 0)
  AMD_V(FREXP_EXP_I32_F32, "u=f", frexp_exp_f32, 0) AMD_V(FREXP_MANT_F32, "f=f", frexp_mant_f32, 0)
  AMD_V(FREXP_EXP_I32_F64, "u=d", frexp_exp_f64, 0) AMD_V(FREXP_MANT_F64, "d=d", frexp_mant_f64, 0)
  AMD_V(FREXP_EXP_I16_F16, "w=h", frexp_exp_f16, 0) AMD_V(FREXP_MANT_F16, "h=h", frexp_mant_f16, 0)
  AMD_V(LDEXP_F32, "f=fu", ldexp_f32, 0) AMD_V(LDEXP_F64, "d=du", ldexp_f64, 0) AMD_V(LDEXP_F16, "h=hw", ldexp_f16, 0)
  AMD_V(ADD_F64, "d=dd", add_f64, 0) AMD_V(MUL_F64, "d=dd", mul_f64, 0) AMD_V(FMA_F64, "d=ddd", fma_f64, 0)
  AMD_V(FMAC_F64, "d=ddD", fma_f64, 0) AMD_V(MIN_F64, "d=dd", min_f64, 0) AMD_V(MAX_F64, "d=dd", min_f64, 1)
  AMD_V(ADD_F16, "h=hh", add_f16, 0) AMD_V(SUB_F16, "h=hh", sub_f16, 0) AMD_V(SUBREV_F16, "h=hh", subrev_f16, 0)
  AMD_V(MUL_F16, "h=hh", mul_f16, 0) AMD_V(FMA_F16, "h=hhh", fma16, 0) AMD_V(FMAC_F16, "h=hhH", fma16, 0)
  AMD_V(FMAMK_F16, "h=hhh", fma16, 0) AMD_V(FMAAK_F16, "h=hhh", fma16, 0) AMD_V(MIN_F16, "h=hh", min_f16, 0)
  AMD_V(MAX_F16, "h=hh", min_f16, 1) AMD_V(MINIMUM_F16, "h=hh", minimum_f16, 0)
  AMD_V(MAXIMUM_F16, "h=hh", minimum_f16, 1) AMD_V(MIN3_F16, "h=hhh", three_f16, 0)
  AMD_V(MAX3_F16, "h=hhh", three_f16, 3) AMD_V(MAXMIN_F16, "h=hhh", three_f16, 1)
  AMD_V(MINMAX_F16, "h=hhh", three_f16, 2) AMD_V(MED3_F16, "h=hhh", med3_f16, 0)
  AMD_V(CVT_F32_I32, "f=u", cvt_f32_i32, 0) AMD_V(CVT_F32_U32, "f=u", cvt_f32_u32, 0)
  AMD_V(CVT_F32_UBYTE0, "f=u", cvt_f32_ubyte, 0) AMD_V(CVT_F32_UBYTE1, "f=u", cvt_f32_ubyte, 1)
  AMD_V(CVT_F32_UBYTE2, "f=u", cvt_f32_ubyte, 2) AMD_V(CVT_F32_UBYTE3, "f=u", cvt_f32_ubyte, 3)
  AMD_V(CVT_I32_F32, "u=f", cvt_i32_f32, 0) AMD_V(CVT_U32_F32, "u=f", cvt_u32_f32, 0)
  AMD_V(CVT_NEAREST_I32_F32, "u=f", cvt_near_i32_f32, 0) AMD_V(CVT_FLOOR_I32_F32, "u=f", cvt_floor_i32_f32, 0)
  AMD_V(CVT_OFF_F32_I4, "f=u", cvt_off_f32_i4, 0) AMD_V(CVT_F16_F32, "h=f", cvt_f16_f32, 0)
  AMD_V(CVT_F32_F16, "f=h", cvt_f32_f16, 0) AMD_V(CVT_F16_U16, "h=w", cvt_f16_u16, 0)
  AMD_V(CVT_F16_I16, "h=w", cvt_f16_i16, 0) AMD_V(CVT_U16_F16, "w=h", cvt_u16_f16, 0)
  AMD_V(CVT_I16_F16, "w=h", cvt_i16_f16, 0) AMD_V(CVT_I32_F64, "u=d", cvt_i32_f64, 0)
  AMD_V(CVT_U32_F64, "u=d", cvt_u32_f64, 0) AMD_V(CVT_F32_F64, "f=d", cvt_f32_f64, 0)
  AMD_V(CVT_F64_I32, "d=u", cvt_f64_i32, 0) AMD_V(CVT_F64_U32, "d=u", cvt_f64_u32, 0)
  AMD_V(CVT_F64_F32, "d=f", cvt_f64_f32, 0) AMD_V(CVT_PK_RTZ_F16_F32, "u=ff", cvt_pk_rtz, 0)
  AMD_V(CVT_PKRTZ_F16_F32, "u=ff", cvt_pk_rtz, 0) AMD_V(CVT_NORM_I16_F16, "w=h", cvt_norm_i16_f16, 0)
  AMD_V(CVT_NORM_U16_F16, "w=h", cvt_norm_u16_f16, 0) AMD_V(CVT_PK_NORM_I16_F32, "u=ff", cvt_pk_norm_i16, 0)
  AMD_V(CVT_PK_NORM_U16_F32, "u=ff", cvt_pk_norm_u16, 0) AMD_V(CVT_PK_I16_F32, "u=ff", cvt_pk_i16_f32, 0)
  AMD_V(CVT_PK_U16_F32, "u=ff", cvt_pk_u16_f32, 0) AMD_V(CVT_PK_U8_F32, "u=fuu", cvt_pk_u8_f32, 0)
  AMD_V(CMP_CLASS_F32, "m=eu", class_f32, 0) AMD_V(CMPX_CLASS_F32, "m=eu", class_f32, 1)
  AMD_V(CMP_CLASS_F16, "m=wu", class_f16, 0) AMD_V(CMPX_CLASS_F16, "m=wu", class_f16, 1)
  AMD_V(CMP_CLASS_F64, "m=qu", class_f64, 0) AMD_V(CMPX_CLASS_F64, "m=qu", class_f64, 1)
  AMD_V(DIV_SCALE_F32, "ec=eee", div_scale_f32, 0) AMD_V(DIV_SCALE_F64, "qc=ddd", div_scale_f64, 0)
  AMD_V(DIV_FMAS_F32, "f=fffm", div_fmas_f32, 0) AMD_V(DIV_FMAS_F64, "d=dddm", div_fmas_f64, 0)
  AMD_V(DIV_FIXUP_F32, "f=fff", div_fixup_f32, 0) AMD_V(DIV_FIXUP_F64, "d=ddd", div_fixup_f64, 0)
  AMD_V(DIV_FIXUP_F16, "h=hhh", div_fixup_f16, 0)
};

static const amd_rule amd_integer_rules[] = {
  AMD_V(MOV_B32, "u=u", mov_b32, 0) AMD_V(ACCVGPR_READ_B32, "u=u", mov_b32, 0)
  AMD_V(ACCVGPR_WRITE_B32, "u=u", mov_b32, 0) AMD_V(ACCVGPR_MOV_B32, "u=u", mov_b32, 0)
  AMD_V(MOV_B64, "q=q", mov_b64, 0) AMD_V(NOT_B32, "u=u", not_b32, 0) AMD_V(NOT_B16, "w=w", not_b32, 0)
  AMD_V(AND_B32, "u=uu", and_b32, 0) AMD_V(OR_B32, "u=uu", or_b32, 0) AMD_V(XOR_B32, "u=uu", xor_b32, 0)
  AMD_V(XNOR_B32, "u=uu", xnor_b32, 0) AMD_V(AND_B16, "w=ww", and_b32, 0) AMD_V(OR_B16, "w=ww", or_b32, 0)
  AMD_V(XOR_B16, "w=ww", xor_b32, 0) AMD_V(LSHLREV_B32, "u=uu", lshlrev_b32, 0)
  AMD_V(LSHRREV_B32, "u=uu", lshrrev_b32, 0) AMD_V(ASHRREV_I32, "u=uu", ashrrev_i32, 0)
  AMD_V(BFREV_B32, "u=u", bfrev_b32, 0) AMD_V(ADD_NC_U32, "u=uu", add_u32, 0) AMD_V(SUB_NC_U32, "u=uu", sub_u32, 0)
  AMD_V(SUBREV_NC_U32, "u=uu", subrev_u32, 0) AMD_V(ADD_NC_I32, "u=uu", add_i32, 0)
  AMD_V(SUB_NC_I32, "u=uu", sub_i32, 0) AMD_V(MUL_LO_U32, "u=uu", mul_lo_u32, 0)
  AMD_V(MUL_HI_U32, "u=uu", mul_hi_u32, 0) AMD_V(MUL_HI_I32, "u=uu", mul_hi_i32, 0)
  AMD_V(MUL_I32_I24, "u=uu", mul_i32_i24, 0) AMD_V(MUL_HI_I32_I24, "u=uu", mul_hi_i32_i24, 0)
  AMD_V(MUL_U32_U24, "u=uu", mul_u32_u24, 0) AMD_V(MUL_HI_U32_U24, "u=uu", mul_hi_u32_u24, 0)
  AMD_V(MAD_I32_I24, "u=uuu", mad_i32_i24, 0) AMD_V(MAD_U32_U24, "u=uuu", mad_u32_u24, 0)
  AMD_V(MAD_U32_U16, "u=wwu", mad_u32_u16, 0) AMD_V(MAD_I32_I16, "u=wwu", mad_i32_i16, 0)
  AMD_V(MIN_I32, "u=uu", min_i32, 0) AMD_V(MAX_I32, "u=uu", max_i32, 0) AMD_V(MIN_U32, "u=uu", min_u32, 0)
  AMD_V(MAX_U32, "u=uu", max_u32, 0) AMD_V(MIN3_I32, "u=uuu", three_u32, 8) AMD_V(MIN3_U32, "u=uuu", three_u32, 0)
  AMD_V(MAX3_I32, "u=uuu", three_u32, 11) AMD_V(MAX3_U32, "u=uuu", three_u32, 3)
  AMD_V(MAXMIN_I32, "u=uuu", three_u32, 9) AMD_V(MINMAX_I32, "u=uuu", three_u32, 10)
  AMD_V(MAXMIN_U32, "u=uuu", three_u32, 1) AMD_V(MINMAX_U32, "u=uuu", three_u32, 2)
  AMD_V(MED3_I32, "u=uuu", med3_u32, 8) AMD_V(MED3_U32, "u=uuu", med3_u32, 0) AMD_V(BFE_U32, "u=uuu", bfe_u32, 0)
  AMD_V(BFE_I32, "u=uuu", bfe_i32, 0) AMD_V(BFI_B32, "u=uuu", bfi_b32, 0) AMD_V(BFM_B32, "u=uu", bfm_b32, 0)
  AMD_V(ALIGNBIT_B32, "u=uuu", alignbit, 0) AMD_V(ALIGNBYTE_B32, "u=uuu", alignbyte, 0)
  AMD_V(XAD_U32, "u=uuu", xad_u32, 0) AMD_V(LSHL_ADD_U32, "u=uuu", lshl_add_u32, 0)
  AMD_V(ADD_LSHL_U32, "u=uuu", add_lshl_u32, 0) AMD_V(ADD3_U32, "u=uuu", add3_u32, 0)
  AMD_V(LSHL_OR_B32, "u=uuu", lshl_or_b32, 0) AMD_V(AND_OR_B32, "u=uuu", and_or_b32, 0)
  AMD_V(OR3_B32, "u=uuu", or3_b32, 0) AMD_V(XOR3_B32, "u=uuu", xor3_b32, 0) AMD_V(SAD_U8, "u=uuu", sad_u8, 0)
  AMD_V(MSAD_U8, "u=uuu", msad_u8, 0) AMD_V(SAD_U32, "u=uuu", sad_u32, 0) AMD_V(LERP_U8, "u=uuu", lerp_u8, 0)
  AMD_V(PERM_B32, "u=uuu", perm_b32, 0) AMD_V(CLZ_I32_U32, "u=u", clz_u32, 0) AMD_V(CTZ_I32_B32, "u=u", ctz_b32, 0)
  AMD_V(CLS_I32, "u=u", cls_i32, 0) AMD_V(BCNT_U32_B32, "u=uu", bcnt_u32, 0)
  AMD_V(MBCNT_LO_U32_B32, "u=uu", mbcnt_lo, 0) AMD_V(MBCNT_HI_U32_B32, "u=uu", mbcnt_hi, 0)
  AMD_V(CVT_PK_U16_U32, "u=uu", pk_u16_u32, 0) AMD_V(CVT_PK_I16_I32, "u=uu", pk_i16_i32, 0)
  AMD_V(PACK_B32_F16, "u=hh", pack_b32, 0) AMD_V(CNDMASK_B32, "u=eem", cndmask_b32, 0)
  AMD_V(CNDMASK_B16, "w=wwm", cndmask_b32, 0) AMD_V(CVT_I32_I16, "u=w", cvt_i32_i16, 0)
  AMD_V(CVT_U32_U16, "u=w", cvt_u32_u16, 0) AMD_V(SAT_PK_U8_I16, "w=u", sat_pk_u8, 0)
  AMD_V(CUBEID_F32, "f=fff", cubeid, 0) AMD_V(ADD_CO_U32, "uc=uu", add_co, 0) AMD_V(SUB_CO_U32, "uc=uu", add_co, 1)
  AMD_V(SUBREV_CO_U32, "uc=uu", add_co, 3) AMD_V(ADD_CO_CI_U32, "uc=uum", add_co, 4)
  AMD_V(SUB_CO_CI_U32, "uc=uum", add_co, 5) AMD_V(SUBREV_CO_CI_U32, "uc=uum", add_co, 7)
  AMD_V(MAD_U64_U32, "qc=uuq", mad_u64, 0) AMD_V(MAD_I64_I32, "qc=uuq", mad_i64, 0)
  AMD_V(LSHLREV_B64, "q=uq", lshlrev_b64, 0) AMD_V(LSHRREV_B64, "q=uq", lshrrev_b64, 0)
  AMD_V(ASHRREV_I64, "q=uq", ashrrev_i64, 0) AMD_V(LSHL_ADD_U64, "q=quq", lshl_add_u64, 0)
  AMD_V(ADD_U16, "w=ww", add_u16, 0) AMD_V(SUB_U16, "w=ww", sub_u16, 0) AMD_V(ADD_NC_U16, "w=ww", add_u16, 0)
  AMD_V(SUB_NC_U16, "w=ww", sub_u16, 0) AMD_V(ADD_NC_I16, "w=ww", add_i16, 0) AMD_V(SUB_NC_I16, "w=ww", sub_i16, 0)
  AMD_V(MUL_LO_U16, "w=ww", mul_lo_u16, 0) AMD_V(LSHLREV_B16, "w=ww", lshlrev_b16, 0)
  AMD_V(LSHRREV_B16, "w=ww", lshrrev_b16, 0) AMD_V(ASHRREV_I16, "w=ww", ashrrev_i16, 0)
  AMD_V(MAX_U16, "w=ww", max_u16, 0) AMD_V(MIN_U16, "w=ww", min_u16, 0) AMD_V(MAX_I16, "w=ww", max_i16, 0)
  AMD_V(MIN_I16, "w=ww", min_i16, 0) AMD_V(MAD_LEGACY_U16, "w=www", mad_u16, 0)
  AMD_V(MAD_LEGACY_I16, "w=www", mad_i16, 0) AMD_V(SUBREV_U16, "w=ww", subrev_u16, 0)
  AMD_V(MAD_U16, "w=www", mad_u16, 0) AMD_V(MAD_I16, "w=www", mad_i16, 0)
};

static const amd_rule amd_packed_rules[] = {
  AMD_V(PK_FMA_F16, "x=xxx", pk_fma_f16, 0) AMD_V(PK_FMAC_F16, "x=xxX", pk_fma_f16, 0)
  AMD_V(PK_ADD_F16, "x=xx", pk_add_f16, 0) AMD_V(PK_MUL_F16, "x=xx", pk_mul_f16, 0)
  AMD_V(PK_MIN_F16, "x=xx", pk_min_f16, 0) AMD_V(PK_MAX_F16, "x=xx", pk_max_f16, 0)
  AMD_V(PK_MINIMUM_F16, "x=xx", pk_minimum_f16, 0) AMD_V(PK_MAXIMUM_F16, "x=xx", pk_minimum_f16, 1)
  AMD_V(PK_MAD_I16, "y=yyy", pk_mad_u16, 0) AMD_V(PK_MAD_U16, "y=yyy", pk_mad_u16, 0)
  AMD_V(PK_MUL_LO_U16, "y=yy", pk_mul_lo_u16, 0) AMD_V(PK_ADD_I16, "y=yy", pk_add_i16, 0)
  AMD_V(PK_SUB_I16, "y=yy", pk_sub_i16, 0) AMD_V(PK_ADD_U16, "y=yy", pk_add_u16, 0)
  AMD_V(PK_SUB_U16, "y=yy", pk_sub_u16, 0) AMD_V(PK_LSHLREV_B16, "y=yy", pk_lshlrev_b16, 0)
  AMD_V(PK_LSHRREV_B16, "y=yy", pk_lshrrev_b16, 0) AMD_V(PK_ASHRREV_I16, "y=yy", pk_ashrrev_i16, 0)
  AMD_V(PK_MAX_I16, "y=yy", pk_max_i16, 0) AMD_V(PK_MIN_I16, "y=yy", pk_min_i16, 0)
  AMD_V(PK_MAX_U16, "y=yy", pk_max_u16, 0) AMD_V(PK_MIN_U16, "y=yy", pk_min_u16, 0)
  AMD_V(PK_FMA_F32, "q=vvv", pk_f32, 2) AMD_V(PK_MUL_F32, "q=vv", pk_f32, 1) AMD_V(PK_ADD_F32, "q=vv", pk_f32, 0)
  AMD_V(PK_MOV_B32, "q=qq", pk_mov, 0) AMD_V(FMA_MIX_F32, "f=zzz", fma_mix, 0)
  AMD_V(FMA_MIXLO_F16, "u=zzz", fma_mix16, 0) AMD_V(FMA_MIXHI_F16, "u=zzz", fma_mix16, 1)
  AMD_V(DOT2_F32_F16, "D=xxf", dot2_f32_f16, 0) AMD_V(DOT2ACC_F32_F16, "D=xxF", dot2_f32_f16, 0)
  AMD_V(DOT2C_F32_F16, "D=xxF", dot2_f32_f16, 0) AMD_V(DOT2_F32_BF16, "D=xxf", dot2_f32_bf16, 0)
  AMD_V(DOT2_F16_F16, "h=xxh", dot2_f16_f16, 0) AMD_V(DOT2_BF16_BF16, "w=xxw", dot2_bf16_bf16, 0)
  AMD_V(DOT4_I32_IU8, "D=uuu", dot_ints, 8 + 128) AMD_V(DOT4_U32_U8, "D=uuu", dot_ints, 8)
  AMD_V(DOT8_I32_IU4, "D=uuu", dot_ints, 4 + 128) AMD_V(DOT8_U32_U4, "D=uuu", dot_ints, 4)
  AMD_V(DOT4_I32_I8, "D=uuu", dot_ints, 8 + 64) AMD_V(DOT8_I32_I4, "D=uuu", dot_ints, 4 + 64)
  AMD_V(DOT2_I32_I16, "D=yyu", dot_ints, 16 + 64) AMD_V(DOT2_U32_U16, "D=yyu", dot_ints, 16)
  AMD_V(DOT4C_I32_I8, "D=uuU", dot_ints, 8 + 64) AMD_V(DOT8C_I32_I4, "D=uuU", dot_ints, 4 + 64)
  AMD_V(DOT2C_I32_I16, "D=uuU", dot_ints, 16 + 64) AMD_V(DOT4_F32_FP8_FP8, "D=uuf", dot4_fp8, 0)
  AMD_V(DOT4_F32_BF8_FP8, "D=uuf", dot4_fp8, 1) AMD_V(DOT4_F32_FP8_BF8, "D=uuf", dot4_fp8, 2)
  AMD_V(DOT4_F32_BF8_BF8, "D=uuf", dot4_fp8, 3) AMD_V(CVT_F32_FP8, "f=u", cvt_f32_fp8, 0)
  AMD_V(CVT_F32_BF8, "f=u", cvt_f32_fp8, 1) AMD_V(CVT_PK_F32_FP8, "q=u", cvt_pk_f32_fp8, 0)
  AMD_V(CVT_PK_F32_BF8, "q=u", cvt_pk_f32_fp8, 1) AMD_V(CVT_PK_FP8_F32, "u=ff", cvt_pk_fp8, 0)
  AMD_V(CVT_PK_BF8_F32, "u=ff", cvt_pk_fp8, 1) AMD_V(CVT_SR_FP8_F32, "u=fu", cvt_sr_fp8, 0)
  AMD_V(CVT_SR_BF8_F32, "u=fu", cvt_sr_fp8, 1)
};

// Comparisons: of a type, by condition; v_cmpx has bit 0.
#define AMD_CMP_PAIR(id, types, fn, code) \
  AMD_V(CMP_##id, types, fn, (code) << 4) AMD_V(CMPX_##id, types, fn, (code) << 4 | 1)
#define AMD_CMP_FLOATS(T, types, fn)                                                                                   \
  AMD_CMP_PAIR(F_##T, types, fn, 0) AMD_CMP_PAIR(LT_##T, types, fn, 1) AMD_CMP_PAIR(EQ_##T, types, fn, 2)              \
  AMD_CMP_PAIR(LE_##T, types, fn, 3) AMD_CMP_PAIR(GT_##T, types, fn, 4) AMD_CMP_PAIR(LG_##T, types, fn, 5)             \
  AMD_CMP_PAIR(GE_##T, types, fn, 6) AMD_CMP_PAIR(O_##T, types, fn, 7) AMD_CMP_PAIR(U_##T, types, fn, 8)               \
  AMD_CMP_PAIR(NGE_##T, types, fn, 9) AMD_CMP_PAIR(NLG_##T, types, fn, 10) AMD_CMP_PAIR(NGT_##T, types, fn, 11)        \
  AMD_CMP_PAIR(NLE_##T, types, fn, 12) AMD_CMP_PAIR(NEQ_##T, types, fn, 13) AMD_CMP_PAIR(NLT_##T, types, fn, 14)       \
  AMD_CMP_PAIR(T_##T, types, fn, 15)
#define AMD_CMP_INTS(T, types, fn)                                                                                     \
  AMD_CMP_PAIR(F_##T, types, fn, 0) AMD_CMP_PAIR(LT_##T, types, fn, 1) AMD_CMP_PAIR(EQ_##T, types, fn, 2)              \
  AMD_CMP_PAIR(LE_##T, types, fn, 3) AMD_CMP_PAIR(GT_##T, types, fn, 4) AMD_CMP_PAIR(NE_##T, types, fn, 5)             \
  AMD_CMP_PAIR(GE_##T, types, fn, 6) AMD_CMP_PAIR(T_##T, types, fn, 7)
static const amd_rule amd_compare_rules[] = {
  AMD_CMP_FLOATS(F16, "m=hh", cmp_f16) AMD_CMP_FLOATS(F32, "m=ff", cmp_f32) AMD_CMP_FLOATS(F64, "m=dd", cmp_f64)
  AMD_CMP_INTS(I16, "m=ww", cmp_i16) AMD_CMP_INTS(U16, "m=ww", cmp_u16) AMD_CMP_INTS(I32, "m=uu", cmp_i32)
  AMD_CMP_INTS(U32, "m=uu", cmp_u32) AMD_CMP_INTS(I64, "m=qq", cmp_i64) AMD_CMP_INTS(U64, "m=qq", cmp_u64)
};

static const amd_rule amd_cross_rules[] = {
  AMD_R(V_READFIRSTLANE_B32, AMD_VALU, readlane, 1) AMD_R(V_READLANE_B32, AMD_VALU, readlane, 0)
  AMD_R(V_WRITELANE_B32, AMD_VALU, writelane, 0) AMD_R(V_PERMLANE16_B32, AMD_VALU, permlane16, 0)
  AMD_R(V_PERMLANEX16_B32, AMD_VALU, permlane16, 1) AMD_R(V_PERMLANE16_VAR_B32, AMD_VALU, permlane16, 2)
  AMD_R(V_PERMLANEX16_VAR_B32, AMD_VALU, permlane16, 3) AMD_R(V_PERMLANE64_B32, AMD_VALU, permlane64, 0)
  AMD_R(V_SWAP_B32, AMD_VALU, swap, 0) AMD_R(V_MOVRELS_B32, AMD_VALU, vmovrel, 1)
  AMD_R(V_MOVRELD_B32, AMD_VALU, vmovrel, 2) AMD_R(V_S_EXP_F32, AMD_TRANS, scalar_trans, 0)
  AMD_R(V_S_LOG_F32, AMD_TRANS, scalar_trans, 1) AMD_R(V_S_RCP_F32, AMD_TRANS, scalar_trans, 2)
  AMD_R(V_S_RSQ_F32, AMD_TRANS, scalar_trans, 3) AMD_R(V_S_SQRT_F32, AMD_TRANS, scalar_trans, 4)
};

// Loads and stores of flat, scratch, global and buffer addresses: as arg of amd_lds.c.
#define AMD_MEM(op, flat, buffer, kind, arg)                                                                           \
  AMD_R(FLAT_##op, kind, flat, arg) AMD_R(SCRATCH_##op, AMD_SCRATCH, flat, arg) AMD_R(GLOBAL_##op, kind, flat, arg)    \
  AMD_R(BUFFER_##op, kind, buffer, arg)
#define AMD_LD(op, arg) AMD_MEM(op, load, buffer_load, AMD_VMEM_LOAD, arg)
#define AMD_ST(op, arg) AMD_MEM(op, store, buffer_store, AMD_VMEM_STORE, arg)
#define AMD_AT(op, how, nbytes)                                                                                        \
  AMD_R(FLAT_ATOMIC_##op, AMD_ATOMIC, memory_atomic, AMD_ATOMIC_ARG(how, nbytes, 0))                                   \
  AMD_R(GLOBAL_ATOMIC_##op, AMD_ATOMIC, memory_atomic, AMD_ATOMIC_ARG(how, nbytes, 0))
static const amd_rule amd_memory_rules[] = {
  AMD_R(S_LOAD_B32, AMD_SMEM, s_load, 4) AMD_R(S_LOAD_B64, AMD_SMEM, s_load, 8)
  AMD_R(S_LOAD_B96, AMD_SMEM, s_load, 12) AMD_R(S_LOAD_B128, AMD_SMEM, s_load, 16)
  AMD_R(S_LOAD_B256, AMD_SMEM, s_load, 32) AMD_R(S_LOAD_B512, AMD_SMEM, s_load, 64)
  AMD_R(S_LOAD_U8, AMD_SMEM, s_load, 1) AMD_R(S_LOAD_I8, AMD_SMEM, s_load, 1 | AMD_SIGNED)
  AMD_R(S_LOAD_U16, AMD_SMEM, s_load, 2) AMD_R(S_LOAD_I16, AMD_SMEM, s_load, 2 | AMD_SIGNED)
  AMD_R(S_BUFFER_LOAD_B32, AMD_SMEM, s_buffer_load, 4) AMD_R(S_BUFFER_LOAD_B64, AMD_SMEM, s_buffer_load, 8)
  AMD_R(S_BUFFER_LOAD_B96, AMD_SMEM, s_buffer_load, 12) AMD_R(S_BUFFER_LOAD_B128, AMD_SMEM, s_buffer_load, 16)
  AMD_R(S_BUFFER_LOAD_B256, AMD_SMEM, s_buffer_load, 32) AMD_R(S_BUFFER_LOAD_B512, AMD_SMEM, s_buffer_load, 64)
  AMD_R(S_MEMTIME, AMD_SMEM, s_time, 0) AMD_R(S_MEMREALTIME, AMD_SMEM, s_time, 1) AMD_LD(LOAD_U8, 1)
  AMD_LD(LOAD_I8, 1 | AMD_SIGNED) AMD_LD(LOAD_U16, 2) AMD_LD(LOAD_I16, 2 | AMD_SIGNED) AMD_LD(LOAD_B32, 4)
  AMD_LD(LOAD_B64, 8) AMD_LD(LOAD_B96, 12) AMD_LD(LOAD_B128, 16) AMD_LD(LOAD_D16_U8, 1 | AMD_D16)
  AMD_LD(LOAD_D16_I8, 1 | AMD_D16 | AMD_SIGNED) AMD_LD(LOAD_D16_B16, 2 | AMD_D16)
  AMD_LD(LOAD_D16_HI_U8, 1 | AMD_D16 | AMD_HI) AMD_LD(LOAD_D16_HI_I8, 1 | AMD_D16 | AMD_HI | AMD_SIGNED)
  AMD_LD(LOAD_D16_HI_B16, 2 | AMD_D16 | AMD_HI) AMD_ST(STORE_B8, 1) AMD_ST(STORE_B16, 2) AMD_ST(STORE_B32, 4)
  AMD_ST(STORE_B64, 8) AMD_ST(STORE_B96, 12) AMD_ST(STORE_B128, 16) AMD_ST(STORE_D16_HI_B8, 1 | AMD_HI)
  AMD_ST(STORE_D16_HI_B16, 2 | AMD_HI) AMD_AT(SWAP_B32, AMD_A_SWAP, 4) AMD_AT(CMPSWAP_B32, AMD_A_CAS, 4)
  AMD_AT(ADD_U32, AMD_A_ADD, 4) AMD_AT(SUB_U32, AMD_A_SUB, 4) AMD_AT(MIN_I32, AMD_A_MIN_I, 4)
  AMD_AT(MIN_U32, AMD_A_MIN_U, 4) AMD_AT(MAX_I32, AMD_A_MAX_I, 4) AMD_AT(MAX_U32, AMD_A_MAX_U, 4)
  AMD_AT(AND_B32, AMD_A_AND, 4) AMD_AT(OR_B32, AMD_A_OR, 4) AMD_AT(XOR_B32, AMD_A_XOR, 4)
  AMD_AT(INC_U32, AMD_A_INC, 4) AMD_AT(DEC_U32, AMD_A_DEC, 4) AMD_AT(ADD_F32, AMD_A_ADD_F, 4)
  AMD_AT(MIN_F32, AMD_A_MIN_F, 4) AMD_AT(MAX_F32, AMD_A_MAX_F, 4) AMD_AT(SWAP_B64, AMD_A_SWAP, 8)
  AMD_AT(CMPSWAP_B64, AMD_A_CAS, 8) AMD_AT(ADD_U64, AMD_A_ADD, 8) AMD_AT(SUB_U64, AMD_A_SUB, 8)
  AMD_AT(MIN_I64, AMD_A_MIN_I, 8) AMD_AT(MIN_U64, AMD_A_MIN_U, 8) AMD_AT(MAX_I64, AMD_A_MAX_I, 8)
  AMD_AT(MAX_U64, AMD_A_MAX_U, 8) AMD_AT(AND_B64, AMD_A_AND, 8) AMD_AT(OR_B64, AMD_A_OR, 8)
  AMD_AT(XOR_B64, AMD_A_XOR, 8) AMD_AT(INC_U64, AMD_A_INC, 8) AMD_AT(DEC_U64, AMD_A_DEC, 8)
  AMD_AT(ADD_F64, AMD_A_ADD_F, 8) AMD_AT(MIN_F64, AMD_A_MIN_F, 8) AMD_AT(MAX_F64, AMD_A_MAX_F, 8)
  AMD_AT(PK_ADD_F16, AMD_A_PK_F16, 4) AMD_AT(PK_ADD_BF16, AMD_A_PK_BF16, 4)
  AMD_R(GLOBAL_LOAD_LDS_DWORD, AMD_VMEM_LOAD, load_lds, 4) AMD_R(GLOBAL_LOAD_LDS_USHORT, AMD_VMEM_LOAD, load_lds, 2)
  AMD_R(GLOBAL_LOAD_LDS_UBYTE, AMD_VMEM_LOAD, load_lds, 1) AMD_R(GLOBAL_INV, AMD_OTHER, invalidate, 0)
  AMD_R(GLOBAL_WB, AMD_OTHER, write_back, 0) AMD_R(GLOBAL_WBINV, AMD_OTHER, write_back, 0)
  AMD_R(BUFFER_GL0_INV, AMD_OTHER, nothing, 0) AMD_R(BUFFER_GL1_INV, AMD_OTHER, nothing, 0)
  AMD_R(BUFFER_INV, AMD_OTHER, nothing, 0) AMD_R(BUFFER_WBL2, AMD_OTHER, write_back, 0)
};

#define AMD_DS(op, fn, arg) AMD_R(DS_##op, AMD_LDS, fn, arg)
#define AMD_DS_AT(op, rtn, how, nbytes)                                                                                \
  AMD_DS(op, ds_atomic, AMD_ATOMIC_ARG(how, nbytes, 0)) AMD_DS(rtn, ds_atomic, AMD_ATOMIC_ARG(how, nbytes, 1))
static const amd_rule amd_lds_rules[] = {
  AMD_DS(LOAD_B32, ds_load, 4) AMD_DS(LOAD_U8, ds_load, 1) AMD_DS(LOAD_I8, ds_load, 1 | AMD_SIGNED)
  AMD_DS(LOAD_U16, ds_load, 2) AMD_DS(LOAD_I16, ds_load, 2 | AMD_SIGNED) AMD_DS(LOAD_U8_D16, ds_load, 1 | AMD_D16)
  AMD_DS(LOAD_U8_D16_HI, ds_load, 1 | AMD_D16 | AMD_HI) AMD_DS(LOAD_I8_D16, ds_load, 1 | AMD_D16 | AMD_SIGNED)
  AMD_DS(LOAD_I8_D16_HI, ds_load, 1 | AMD_D16 | AMD_HI | AMD_SIGNED) AMD_DS(LOAD_U16_D16, ds_load, 2 | AMD_D16)
  AMD_DS(LOAD_U16_D16_HI, ds_load, 2 | AMD_D16 | AMD_HI) AMD_DS(LOAD_B64, ds_load, 8) AMD_DS(LOAD_B96, ds_load, 12)
  AMD_DS(LOAD_B128, ds_load, 16) AMD_DS(LOAD_2ADDR_B32, ds_load, 4 | AMD_TWO)
  AMD_DS(LOAD_2ADDR_STRIDE64_B32, ds_load, 4 | AMD_TWO | AMD_STRIDE64) AMD_DS(LOAD_2ADDR_B64, ds_load, 8 | AMD_TWO)
  AMD_DS(LOAD_2ADDR_STRIDE64_B64, ds_load, 8 | AMD_TWO | AMD_STRIDE64) AMD_DS(STORE_B32, ds_store, 4)
  AMD_DS(STORE_B8, ds_store, 1) AMD_DS(STORE_B16, ds_store, 2) AMD_DS(STORE_B8_D16_HI, ds_store, 1 | AMD_HI)
  AMD_DS(STORE_B16_D16_HI, ds_store, 2 | AMD_HI) AMD_DS(STORE_B64, ds_store, 8) AMD_DS(STORE_B96, ds_store, 12)
  AMD_DS(STORE_B128, ds_store, 16) AMD_DS(STORE_2ADDR_B32, ds_store, 4 | AMD_TWO)
  AMD_DS(STORE_2ADDR_STRIDE64_B32, ds_store, 4 | AMD_TWO | AMD_STRIDE64)
  AMD_DS(STORE_2ADDR_B64, ds_store, 8 | AMD_TWO)
  AMD_DS(STORE_2ADDR_STRIDE64_B64, ds_store, 8 | AMD_TWO | AMD_STRIDE64) AMD_DS_AT(ADD_U32, ADD_RTN_U32, AMD_A_ADD, 4)
  AMD_DS_AT(SUB_U32, SUB_RTN_U32, AMD_A_SUB, 4) AMD_DS_AT(INC_U32, INC_RTN_U32, AMD_A_INC, 4)
  AMD_DS_AT(DEC_U32, DEC_RTN_U32, AMD_A_DEC, 4) AMD_DS_AT(MIN_I32, MIN_RTN_I32, AMD_A_MIN_I, 4)
  AMD_DS_AT(MAX_I32, MAX_RTN_I32, AMD_A_MAX_I, 4) AMD_DS_AT(MIN_U32, MIN_RTN_U32, AMD_A_MIN_U, 4)
  AMD_DS_AT(MAX_U32, MAX_RTN_U32, AMD_A_MAX_U, 4) AMD_DS_AT(AND_B32, AND_RTN_B32, AMD_A_AND, 4)
  AMD_DS_AT(OR_B32, OR_RTN_B32, AMD_A_OR, 4) AMD_DS_AT(XOR_B32, XOR_RTN_B32, AMD_A_XOR, 4)
  AMD_DS_AT(ADD_F32, ADD_RTN_F32, AMD_A_ADD_F, 4) AMD_DS_AT(MIN_F32, MIN_RTN_F32, AMD_A_MIN_F, 4)
  AMD_DS_AT(MAX_F32, MAX_RTN_F32, AMD_A_MAX_F, 4) AMD_DS_AT(CMPSTORE_B32, CMPSTORE_RTN_B32, AMD_A_CAS, 4)
  AMD_DS(CMPST_RTN_B32, ds_atomic, AMD_ATOMIC_ARG(AMD_A_CAS, 4, 1))
  AMD_DS_AT(CMPSTORE_B64, CMPSTORE_RTN_B64, AMD_A_CAS, 8)
  AMD_DS(STOREXCHG_RTN_B32, ds_atomic, AMD_ATOMIC_ARG(AMD_A_SWAP, 4, 1))
  AMD_DS(STOREXCHG_RTN_B64, ds_atomic, AMD_ATOMIC_ARG(AMD_A_SWAP, 8, 1)) AMD_DS_AT(ADD_U64, ADD_RTN_U64, AMD_A_ADD, 8)
  AMD_DS_AT(SUB_U64, SUB_RTN_U64, AMD_A_SUB, 8) AMD_DS_AT(MIN_I64, MIN_RTN_I64, AMD_A_MIN_I, 8)
  AMD_DS_AT(MAX_I64, MAX_RTN_I64, AMD_A_MAX_I, 8) AMD_DS_AT(MIN_U64, MIN_RTN_U64, AMD_A_MIN_U, 8)
  AMD_DS_AT(MAX_U64, MAX_RTN_U64, AMD_A_MAX_U, 8) AMD_DS_AT(AND_B64, AND_RTN_B64, AMD_A_AND, 8)
  AMD_DS_AT(OR_B64, OR_RTN_B64, AMD_A_OR, 8) AMD_DS_AT(XOR_B64, XOR_RTN_B64, AMD_A_XOR, 8)
  AMD_DS_AT(MIN_F64, MIN_RTN_F64, AMD_A_MIN_F, 8) AMD_DS_AT(MAX_F64, MAX_RTN_F64, AMD_A_MAX_F, 8)
  AMD_DS_AT(ADD_F64, ADD_RTN_F64, AMD_A_ADD_F, 8) AMD_DS_AT(PK_ADD_F16, PK_ADD_RTN_F16, AMD_A_PK_F16, 4)
  AMD_DS_AT(PK_ADD_BF16, PK_ADD_RTN_BF16, AMD_A_PK_BF16, 4) AMD_DS(APPEND, ds_append, 0) AMD_DS(CONSUME, ds_append, 1)
  AMD_DS(PERMUTE_B32, ds_permute, AMD_PERMUTE) AMD_DS(BPERMUTE_B32, ds_permute, AMD_BPERMUTE)
  AMD_DS(SWIZZLE_B32, ds_permute, AMD_SWIZZLE) AMD_DS(NOP, nothing, 0)
};

// Matrix instructions: m = n, k, types, passes (MFMA) or cycles (WMMA on gfx11).
static const amd_shape amd_shapes[] = {
#define AMD_SHAPE(op, m, k, a, b, d, passes) {TN_AMD_V_##op, m, k, AMD_T_##a, AMD_T_##b, AMD_T_##d, passes},
  AMD_SHAPE(WMMA_F32_16X16X16_F16, 16, 16, F16, F16, F32, 32)
  AMD_SHAPE(WMMA_F32_16X16X16_BF16, 16, 16, BF16, BF16, F32, 32)
  AMD_SHAPE(WMMA_F16_16X16X16_F16, 16, 16, F16, F16, F16, 32)
  AMD_SHAPE(WMMA_BF16_16X16X16_BF16, 16, 16, BF16, BF16, BF16, 32)
  AMD_SHAPE(WMMA_I32_16X16X16_IU8, 16, 16, I8, I8, I32, 32) AMD_SHAPE(WMMA_I32_16X16X16_IU4, 16, 16, U4, U4, I32, 16)
  AMD_SHAPE(WMMA_I32_16X16X32_IU4, 16, 32, U4, U4, I32, 8)
  AMD_SHAPE(WMMA_F32_16X16X16_FP8_FP8, 16, 16, FP8, FP8, F32, 8)
  AMD_SHAPE(WMMA_F32_16X16X16_FP8_BF8, 16, 16, FP8, BF8, F32, 8)
  AMD_SHAPE(WMMA_F32_16X16X16_BF8_FP8, 16, 16, BF8, FP8, F32, 8)
  AMD_SHAPE(WMMA_F32_16X16X16_BF8_BF8, 16, 16, BF8, BF8, F32, 8)
  AMD_SHAPE(MFMA_F32_16X16X16_F16, 16, 16, F16, F16, F32, 4)
  AMD_SHAPE(MFMA_F32_16X16X16_BF16, 16, 16, BF16, BF16, F32, 4)
  AMD_SHAPE(MFMA_F32_32X32X8_F16, 32, 8, F16, F16, F32, 8) AMD_SHAPE(MFMA_F32_32X32X8_BF16, 32, 8, BF16, BF16, F32, 8)
  AMD_SHAPE(MFMA_I32_16X16X32_I8, 16, 32, I8, I8, I32, 4) AMD_SHAPE(MFMA_I32_32X32X16_I8, 32, 16, I8, I8, I32, 8)
  AMD_SHAPE(MFMA_F32_16X16X4_F32, 16, 4, F32, F32, F32, 8) AMD_SHAPE(MFMA_F32_32X32X2_F32, 32, 2, F32, F32, F32, 16)
  AMD_SHAPE(MFMA_F32_16X16X8_XF32, 16, 8, XF32, XF32, F32, 4)
  AMD_SHAPE(MFMA_F32_32X32X4_XF32, 32, 4, XF32, XF32, F32, 8) AMD_SHAPE(MFMA_F64_16X16X4_F64, 16, 4, F64, F64, F64, 8)
  AMD_SHAPE(MFMA_F32_16X16X32_FP8_FP8, 16, 32, FP8, FP8, F32, 4)
  AMD_SHAPE(MFMA_F32_16X16X32_FP8_BF8, 16, 32, FP8, BF8, F32, 4)
  AMD_SHAPE(MFMA_F32_16X16X32_BF8_FP8, 16, 32, BF8, FP8, F32, 4)
  AMD_SHAPE(MFMA_F32_16X16X32_BF8_BF8, 16, 32, BF8, BF8, F32, 4)
  AMD_SHAPE(MFMA_F32_32X32X16_FP8_FP8, 32, 16, FP8, FP8, F32, 8)
  AMD_SHAPE(MFMA_F32_32X32X16_FP8_BF8, 32, 16, FP8, BF8, F32, 8)
  AMD_SHAPE(MFMA_F32_32X32X16_BF8_FP8, 32, 16, BF8, FP8, F32, 8)
  AMD_SHAPE(MFMA_F32_32X32X16_BF8_BF8, 32, 16, BF8, BF8, F32, 8)
#undef AMD_SHAPE
};
enum { AMD_SHAPES = sizeof amd_shapes / sizeof *amd_shapes };
static void amd_matrix(amd_wave *w, const amd_ins *i) {
  for (int k = 0; k < AMD_SHAPES; k++)
    if (amd_shapes[k].op == i->op) amd_matrix_run(w, i, &amd_shapes[k]);
}
static const amd_rule amd_matrix_rule = {0, AMD_MATRIX, "", NULL, NULL, amd_matrix, 0};

// Rules by operation.
static void amd_rules_by_op(const amd_rule **by) {
#define AMD_TABLE(t) {t, sizeof t / sizeof *t}
  const struct { const amd_rule *rule; size_t n; } tables[] = {
    AMD_TABLE(amd_scalar_rules), AMD_TABLE(amd_control_rules), AMD_TABLE(amd_float_rules), AMD_TABLE(amd_integer_rules),
    AMD_TABLE(amd_packed_rules), AMD_TABLE(amd_compare_rules), AMD_TABLE(amd_cross_rules), AMD_TABLE(amd_memory_rules),
    AMD_TABLE(amd_lds_rules)};
#undef AMD_TABLE
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
    for (size_t k = 0; k < tables[t].n; k++) by[tables[t].rule[k].op] = &tables[t].rule[k];
  for (int k = 0; k < AMD_SHAPES; k++) by[amd_shapes[k].op] = &amd_matrix_rule;
}
#endif
