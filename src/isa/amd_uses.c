// amd_uses: what a line of a list reads and writes, beside what it names: SCC, VCC, EXEC; and which unit does it.
//
// In:  a line. Out: registers and roles, as passes ask for them. SCC is TN_AMD_SPECIAL, reg TN_AMD_SCC.
// Source: AMD's ISA guides (amd.c), "Scalar ALU Operations", "Vector ALU Operations".
#ifndef TN_ISA_AMD_USES
#define TN_ISA_AMD_USES
#ifndef TINY_AMALGAMATED
#include "amd_list.c"
#endif

// ** which unit **

enum { TN_AMD_U_OTHER, TN_AMD_U_SALU, TN_AMD_U_SMEM, TN_AMD_U_VALU, TN_AMD_U_TRANS, TN_AMD_U_MATRIX, TN_AMD_U_LDS,
  TN_AMD_U_VMEM, TN_AMD_U_BRANCH, TN_AMD_U_WAIT, TN_AMD_UNITS };

static int tn_amd_is_trans(int op) {
  switch (op) {
    case TN_AMD_V_EXP_F32: case TN_AMD_V_LOG_F32: case TN_AMD_V_RCP_F32: case TN_AMD_V_RCP_IFLAG_F32:
    case TN_AMD_V_RSQ_F32: case TN_AMD_V_SQRT_F32: case TN_AMD_V_SIN_F32: case TN_AMD_V_COS_F32: case TN_AMD_V_RCP_F64:
    case TN_AMD_V_RSQ_F64: case TN_AMD_V_SQRT_F64: case TN_AMD_V_RCP_F16: case TN_AMD_V_RSQ_F16: case TN_AMD_V_SQRT_F16:
    case TN_AMD_V_LOG_F16: case TN_AMD_V_EXP_F16: case TN_AMD_V_SIN_F16: case TN_AMD_V_COS_F16: return 1;
    default: return 0;
  }
}
static int tn_amd_is_matrix(int op, int family) {
  const int format = tn_amd_format(op, family);
  const char *const name = tn_amd_rows[op].names;            // of all families
  return format == TN_AMD_MFMA || (format == TN_AMD_VOP3P && (!strncmp(name, "v_wmma", 6) ||
                                                              !strncmp(name, "v_swmmac", 8)));
}
static int tn_amd_is_branch(int op) {
  switch (op) {
    case TN_AMD_S_BRANCH: case TN_AMD_S_CBRANCH_SCC0: case TN_AMD_S_CBRANCH_SCC1: case TN_AMD_S_CBRANCH_VCCZ:
    case TN_AMD_S_CBRANCH_VCCNZ: case TN_AMD_S_CBRANCH_EXECZ: case TN_AMD_S_CBRANCH_EXECNZ: case TN_AMD_S_ENDPGM:
      return 1;
    default: return 0;
  }
}
static int tn_amd_unit(const tn_amd_line *line) {
  const int op = line->ins.op, family = line->ins.family;
  if (line->kind == TN_AMD_LINE_COPY) return line->ins.o[0].kind == TN_AMD_SGPR ? TN_AMD_U_SALU : TN_AMD_U_VALU;
  if (line->kind != TN_AMD_LINE_INS) return TN_AMD_U_OTHER;
  switch (tn_amd_format(op, family)) {
    case TN_AMD_SOP2: case TN_AMD_SOP1: case TN_AMD_SOPC: case TN_AMD_SOPK: return TN_AMD_U_SALU;
    case TN_AMD_SOPP: return tn_amd_is_branch(op) ? TN_AMD_U_BRANCH : TN_AMD_U_WAIT;
    case TN_AMD_SMEM: return TN_AMD_U_SMEM;
    case TN_AMD_DS: return TN_AMD_U_LDS;
    case TN_AMD_FLAT: case TN_AMD_SCRATCH: case TN_AMD_GLOBAL: case TN_AMD_MUBUF: return TN_AMD_U_VMEM;
    default: break;
  }
  return tn_amd_is_matrix(op, family) ? TN_AMD_U_MATRIX : tn_amd_is_trans(op) ? TN_AMD_U_TRANS : TN_AMD_U_VALU;
}
// Instructions whose effect nobody names: what is before and behind them stays there. Of accesses: what has no operands
// writes caches back, or says what they no longer are.
static int tn_amd_stands(const tn_amd_line *line) {
  static const char *const names[] = {"s_barrier", "s_setreg", "s_getreg", "s_call", "s_setpc", "s_swappc", "s_rfe",
    "s_movrel", "v_movrel", "v_swaprel", "s_sendmsg", "s_sleep", "s_mem", "s_get_barrier"};
  const int unit = tn_amd_unit(line), op = line->ins.op;
  if (line->kind == TN_AMD_LINE_COPY) return 0;
  if (unit == TN_AMD_U_OTHER || unit == TN_AMD_U_BRANCH || unit == TN_AMD_U_WAIT) return 1;
  if ((unit == TN_AMD_U_SMEM || unit == TN_AMD_U_VMEM) && !line->ins.n) return 1;
  if (unit != TN_AMD_U_SALU && unit != TN_AMD_U_SMEM && unit != TN_AMD_U_VALU) return 0;
  const char *const name = tn_amd_rows[op].names;            // those of all families begin so
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (name[2] == names[i][2] && name[3] == names[i][3] && !strncmp(name, names[i], strlen(names[i]))) return 1;
  return 0;
}

// ** SCC **

static int tn_amd_writes_scc(int op, int family) {
  switch (op) {
    case TN_AMD_S_MUL_I32: case TN_AMD_S_MUL_HI_U32: case TN_AMD_S_MUL_HI_I32: case TN_AMD_S_CSELECT_B32:
    case TN_AMD_S_CSELECT_B64: case TN_AMD_S_PACK_LL_B32_B16: case TN_AMD_S_PACK_LH_B32_B16:
    case TN_AMD_S_PACK_HH_B32_B16: case TN_AMD_S_PACK_HL_B32_B16: case TN_AMD_S_BFM_B32: case TN_AMD_S_BFM_B64:
    case TN_AMD_S_ADD_F32: case TN_AMD_S_SUB_F32: case TN_AMD_S_MUL_F32: case TN_AMD_S_FMAC_F32:
    case TN_AMD_S_FMAAK_F32: case TN_AMD_S_FMAMK_F32: case TN_AMD_S_MIN_NUM_F32: case TN_AMD_S_MAX_NUM_F32:
    case TN_AMD_S_CVT_PK_RTZ_F16_F32: case TN_AMD_S_ADD_F16: case TN_AMD_S_SUB_F16: case TN_AMD_S_MUL_F16:
    case TN_AMD_S_FMAC_F16: case TN_AMD_S_MIN_NUM_F16: case TN_AMD_S_MAX_NUM_F16: case TN_AMD_S_MINIMUM_F32:
    case TN_AMD_S_MAXIMUM_F32: case TN_AMD_S_MINIMUM_F16: case TN_AMD_S_MAXIMUM_F16: case TN_AMD_S_ADD_NC_U64:
    case TN_AMD_S_SUB_NC_U64: case TN_AMD_S_MUL_U64: return 0;
    case TN_AMD_S_ABS_I32: case TN_AMD_S_BCNT0_I32_B32: case TN_AMD_S_BCNT0_I32_B64: case TN_AMD_S_BCNT1_I32_B32:
    case TN_AMD_S_BCNT1_I32_B64: case TN_AMD_S_QUADMASK_B32: case TN_AMD_S_QUADMASK_B64: case TN_AMD_S_WQM_B32:
    case TN_AMD_S_WQM_B64: case TN_AMD_S_NOT_B32: case TN_AMD_S_NOT_B64: case TN_AMD_S_ADDK_I32: return 1;
    default: break;
  }
  const int format = tn_amd_format(op, family);
  size_t n;
  if (format == TN_AMD_SOP2 || format == TN_AMD_SOPC) return 1;
  if (format != TN_AMD_SOPK && format != TN_AMD_SOP1) return 0;
  const char *const name = tn_amd_name(op, family, &n);
  if (format == TN_AMD_SOPK) return n > 6 && !memcmp(name, "s_cmpk", 6);
  return n > 14 && (!memcmp(name + n - 12, "saveexec_b32", 12) ||
      !memcmp(name + n - 12, "saveexec_b64", 12) || !memcmp(name + n - 10, "wrexec_b32", 10) ||
      !memcmp(name + n - 10, "wrexec_b64", 10));
}
static int tn_amd_reads_scc(int op) {
  switch (op) {
    case TN_AMD_S_ADDC_U32: case TN_AMD_S_SUBB_U32: case TN_AMD_S_CSELECT_B32: case TN_AMD_S_CSELECT_B64:
    case TN_AMD_S_CMOV_B32: case TN_AMD_S_CMOV_B64: case TN_AMD_S_CMOVK_I32: case TN_AMD_S_CBRANCH_SCC0:
    case TN_AMD_S_CBRANCH_SCC1: return 1;
    default: return 0;
  }
}
static int tn_amd_writes_exec(int op, int family) {
  const int format = tn_amd_format(op, family);
  size_t n;
  if (format != TN_AMD_VOPC && format != TN_AMD_SOP1) return 0;
  const char *const name = tn_amd_name(op, family, &n);
  if (format == TN_AMD_VOPC) return n > 7 && !memcmp(name, "v_cmpx_", 7);
  return n > 12 && (!memcmp(name + n - 12, "saveexec_b32", 12) || !memcmp(name + n - 12, "saveexec_b64", 12) ||
                    !memcmp(name + n - 10, "wrexec_b32", 10) || !memcmp(name + n - 10, "wrexec_b64", 10));
}
// Has the instruction's name these letters?
static int tn_amd_is_named(const tn_amd_ins *ins, const char *letters) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  const size_t k = strlen(letters);
  for (size_t i = 0; i + k <= n; i++) if (name[i] == *letters && !memcmp(name + i, letters, k)) return 1;
  return 0;
}
// What is written is read before: it is added to, or part of it stays.
static int tn_amd_adds_to_result(int op, int family) {
  switch (op) {
    case TN_AMD_V_FMAC_F32: case TN_AMD_V_FMAC_F16: case TN_AMD_V_FMAC_F64: case TN_AMD_V_FMAC_DX9_ZERO_F32:
    case TN_AMD_V_PK_FMAC_F16: case TN_AMD_V_MAC_F16: case TN_AMD_V_DOT2ACC_F32_F16: case TN_AMD_V_DOT2C_F32_F16:
    case TN_AMD_V_DOT2C_I32_I16: case TN_AMD_V_DOT4C_I32_I8: case TN_AMD_V_DOT8C_I32_I4: case TN_AMD_V_WRITELANE_B32:
    case TN_AMD_S_FMAC_F32: case TN_AMD_S_FMAC_F16: case TN_AMD_S_CMOV_B32: case TN_AMD_S_CMOV_B64:
    case TN_AMD_S_CMOVK_I32: case TN_AMD_S_ADDK_I32: case TN_AMD_S_MULK_I32: case TN_AMD_S_BITSET0_B32:
    case TN_AMD_S_BITSET1_B32: case TN_AMD_S_BITSET0_B64: case TN_AMD_S_BITSET1_B64: case TN_AMD_V_FMA_MIXLO_F16:
    case TN_AMD_V_FMA_MIXHI_F16: case TN_AMD_V_SWAP_B32: return 1;
    default: break;
  }
  const int format = tn_amd_format(op, family);
  size_t n;
  if (format != TN_AMD_VOP3P && format != TN_AMD_MFMA && !tn_amd_is_memory(format)) return 0;
  const char *const name = tn_amd_name(op, family, &n);
  if (format == TN_AMD_VOP3P || format == TN_AMD_MFMA)
    return n > 8 && (!memcmp(name, "v_swmmac", 8) || !memcmp(name, "v_smfmac", 8));
  for (size_t i = 0; i + 4 <= n; i++) if (!memcmp(name + i, "_d16", 4)) return 1;
  return 0;
}
static int tn_amd_reads_result(const tn_amd_ins *ins) {
  if (tn_amd_adds_to_result(ins->op, ins->family)) return 1;
  const int partial = ins->lanes && (!ins->m[TN_AMD_BOUND_CTRL] || ins->m[TN_AMD_ROW_MASK] != 15);
  return ins->n && ins->o[0].kind == TN_AMD_VGPR && (ins->o[0].op_sel || partial);
}
// Loads of buffers name what they write as stores name their data.
static int tn_amd_writes_data(int op, int family) {
  size_t n;
  if (tn_amd_format(op, family) != TN_AMD_MUBUF) return 0;
  return strncmp(tn_amd_name(op, family, &n), "buffer_store", 12) != 0;
}

// ** all of a line **

enum { TN_AMD_READS = 1, TN_AMD_WRITES = 2, TN_AMD_MOST_USES = 16 };
typedef struct tn_amd_use { uint8_t kind, role, sub, dwords; uint16_t reg; } tn_amd_use;
typedef struct tn_amd_uses { int n; tn_amd_use of[TN_AMD_MOST_USES]; } tn_amd_uses;

static void tn_amd_uses_add(tn_amd_uses *u, int kind, int reg, int sub, int dwords, int role) {
  const tn_amd_use use = {(uint8_t)kind, (uint8_t)role, (uint8_t)sub, (uint8_t)dwords, (uint16_t)reg};
  if (u->n < TN_AMD_MOST_USES) u->of[u->n++] = use;
}
// A pair of f32 (gfx942) of which one half is taken twice.
static int tn_amd_reads_half(int op, const tn_amd_operand *o) {
  const int pairs = op == TN_AMD_V_PK_FMA_F32 || op == TN_AMD_V_PK_MUL_F32 || op == TN_AMD_V_PK_ADD_F32;
  return pairs && o->op_sel == o->op_sel_hi;
}
// Letters of what is written (amd_table.c); c is of memory its second data.
static int tn_amd_is_result(char where) {
  switch (where) {
    case 'd': case 'g': case 'D': case 'e': case 'c': case 'r': return 1;
    default: return 0;
  }
}
// Does it read or write operand i, or both?
static int tn_amd_role(const tn_amd_ins *ins, int op, const tn_amd_form *f, int i, int adds) {
  const char where = i < f->n ? f->operands[2 * i] : '0';
  const int loads = !i && where == 'b' && tn_amd_is_named(ins, "load");        // of a buffer
  const int data = where == 'c' && tn_amd_is_memory(tn_amd_format(op, ins->family));       // no carry
  const int writes = loads || (tn_amd_is_result(where) && !data);
  if ((where == 'b' && !loads && tn_amd_writes_data(op, ins->family)) || op == TN_AMD_V_SWAP_B32)
    return TN_AMD_READS | TN_AMD_WRITES;
  return !writes ? TN_AMD_READS : !i && adds ? TN_AMD_READS | TN_AMD_WRITES : TN_AMD_WRITES;
}
static void tn_amd_uses_of_half(tn_amd_uses *u, const tn_amd_ins *ins, int op, int n, const tn_amd_operand *o) {
  const tn_amd_form f = tn_amd_form_of(op, ins->family);
  const int adds = o == ins->o ? tn_amd_reads_result(ins) : tn_amd_adds_to_result(op, ins->family);
  for (int i = 0; i < n; i++) {
    const int role = tn_amd_role(ins, op, &f, i, adds);
    const tn_amd_operand r = i && tn_amd_reads_half(op, &o[i]) ? tn_amd_slice(o[i], o[i].op_sel, 1) : o[i];
    if (tn_amd_is_register(&r)) tn_amd_uses_add(u, r.kind, r.reg, r.sub, r.dwords, role);
    else if (o[i].kind == TN_AMD_SPECIAL) tn_amd_uses_add(u, TN_AMD_SPECIAL, o[i].reg, 0, 1, role);
  }
}
// Of a VOPD both halves. What is written stands first of each half.
static void tn_amd_uses_of(const tn_amd_line *line, tn_amd_uses *u) {
  const tn_amd_ins *const ins = &line->ins;
  const int family = ins->family, mask = family == TN_AMD_GFX9 ? 2 : 1, unit = tn_amd_unit(line);
  u->n = 0;
  if (line->kind == TN_AMD_LINE_COPY) {
    tn_amd_uses_add(u, ins->o[0].kind, ins->o[0].reg, ins->o[0].sub, ins->o[0].dwords, TN_AMD_WRITES);
    if (tn_amd_is_register(&ins->o[1]))
      tn_amd_uses_add(u, ins->o[1].kind, ins->o[1].reg, ins->o[1].sub, ins->o[1].dwords, TN_AMD_READS);
  } else if (line->kind == TN_AMD_LINE_INS) {
    tn_amd_uses_of_half(u, ins, ins->op, ins->n, ins->o);
    if (ins->op_y) tn_amd_uses_of_half(u, ins, ins->op_y, ins->n_y, ins->y);
    if (tn_amd_writes_scc(ins->op, family)) tn_amd_uses_add(u, TN_AMD_SPECIAL, TN_AMD_SCC, 0, 1, TN_AMD_WRITES);
    if (tn_amd_reads_scc(ins->op)) tn_amd_uses_add(u, TN_AMD_SPECIAL, TN_AMD_SCC, 0, 1, TN_AMD_READS);
    if (tn_amd_writes_exec(ins->op, family))
      tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_EXEC, 0, mask, TN_AMD_READS | TN_AMD_WRITES);
    if (ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64 || ins->op == TN_AMD_S_CBRANCH_VCCZ ||
        ins->op == TN_AMD_S_CBRANCH_VCCNZ) tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_VCC, 0, mask, TN_AMD_READS);
    if (ins->op == TN_AMD_S_CBRANCH_EXECZ || ins->op == TN_AMD_S_CBRANCH_EXECNZ)
      tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_EXEC, 0, mask, TN_AMD_READS);
  }
  if (unit >= TN_AMD_U_VALU && unit <= TN_AMD_U_VMEM)
    tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_EXEC, 0, mask, TN_AMD_READS);
}
#endif
