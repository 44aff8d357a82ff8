// amd_rules: what an instruction of AMD's GPUs may not do though there are words for it.
//
// In:  a tn_amd_ins that tn_amd_encode takes. Out: NULL, or a sentence.
// Source: AMD's guides: "VALU", constant bus; RDNA's "Dual Issue VALU"; CDNA3's "Matrix Arithmetic Instructions".
#ifndef TN_ISA_AMD_RULES
#define TN_ISA_AMD_RULES
#ifndef TINY_AMALGAMATED
#include "amd_code.c"
#endif

// Scalar registers, and a literal, that vector instructions read: the same one counts once.
typedef struct tn_amd_bus { int n; uint16_t reg[8]; } tn_amd_bus;
static void tn_amd_bus_add(tn_amd_bus *b, const tn_amd_operand *o) {
  const int scalar = (o->kind == TN_AMD_SGPR && o->reg != TN_AMD_NULL) || o->kind == TN_AMD_SPECIAL;
  const uint16_t reg = (uint16_t)(o->kind == TN_AMD_LITERAL ? 0xFFFF : o->reg | (o->dwords > 1) << 12);
  if (!scalar && o->kind != TN_AMD_LITERAL) return;
  for (int i = 0; i < b->n; i++) if (b->reg[i] == reg) return;
  if (b->n < 8) b->reg[b->n++] = reg;
}
static void tn_amd_bus_add_sources(tn_amd_bus *b, int op, int family, const tn_amd_operand *o) {
  const tn_amd_form f = tn_amd_form_of(op, family);
  for (int i = 0; i < f.n; i++) if (strchr("012xyzXYZmK", f.operands[2 * i])) tn_amd_bus_add(b, &o[i]);
}
static int tn_amd_bus_width(const tn_amd_ins *ins) {
  const int op = ins->op, wide = op == TN_AMD_V_LSHLREV_B64 || op == TN_AMD_V_LSHRREV_B64 || op == TN_AMD_V_ASHRREV_I64;
  return ins->family == TN_AMD_GFX9 || wide ? 1 : 2;
}

// Of a pair that is issued as one: operands of the same place come of different banks, which are numbers mod 4; of
// the third, which fmac reads and writes, mod 2. gfx12 lets two movs be.
static const tn_amd_operand *tn_amd_dual_source(int op, int family, const tn_amd_operand *o, int place) {
  const tn_amd_form f = tn_amd_form_of(op, family);
  const int adds = op == TN_AMD_V_FMAC_F32 || op == TN_AMD_V_DOT2ACC_F32_F16;
  const int fmamk = op == TN_AMD_V_FMAMK_F32;
  if (place == 2) return adds ? &o[0] : fmamk ? &o[3] : NULL;
  if (place == 1 && fmamk) return NULL;
  for (int i = 0; i < f.n; i++) if (f.operands[2 * i] == '0' + place && o[i].kind == TN_AMD_VGPR) return &o[i];
  return NULL;
}
static const char *tn_amd_dual_rule(const tn_amd_ins *ins) {
  tn_amd_bus bus = {0, {0}};
  const int movs = ins->family == TN_AMD_GFX12 && ins->op == TN_AMD_V_MOV_B32 && ins->op_y == TN_AMD_V_MOV_B32;
  for (int place = 0; place < 3; place++) {
    const tn_amd_operand *const x = tn_amd_dual_source(ins->op, ins->family, ins->o, place);
    const tn_amd_operand *const y = tn_amd_dual_source(ins->op_y, ins->family, ins->y, place);
    if (x && y && !movs && (x->reg ^ y->reg) % (place == 2 ? 2 : 4) == 0) return "the pair reads one bank twice";
  }
  tn_amd_bus_add_sources(&bus, ins->op, ins->family, ins->o);
  tn_amd_bus_add_sources(&bus, ins->op_y, ins->family, ins->y);
  return bus.n > 2 ? "the pair reads too many scalar registers and literals" : NULL;
}
// What a matrix instruction adds to is its result, or lies apart; of four registers and fewer it may be anywhere.
static const char *tn_amd_matrix_rule(const tn_amd_ins *ins) {
  const tn_amd_operand *const d = &ins->o[0], *const c = &ins->o[3];
  if (d->dwords <= 4 || c->kind != d->kind || c->reg == d->reg || c->dwords != d->dwords) return NULL;
  const int apart = c->reg >= d->reg + d->dwords || d->reg >= c->reg + c->dwords;
  return apart ? NULL : "the result overlaps what is added to";
}
static const char *tn_amd_broken_rule(const tn_amd_ins *ins) {
  const int format = tn_amd_format(ins->op, ins->family);
  tn_amd_bus bus = {0, {0}};
  if (ins->op_y) return tn_amd_dual_rule(ins);
  if (format == TN_AMD_MFMA) return tn_amd_matrix_rule(ins);
  if (format < TN_AMD_VOP1 || format > TN_AMD_VOP3P) return NULL;
  tn_amd_bus_add_sources(&bus, ins->op, ins->family, ins->o);
  const tn_amd_operand vcc = {TN_AMD_SGPR, (uint8_t)tn_amd_dwords(ins->family, 'm'), 0, 0, 0, 0, 0, 0, TN_AMD_VCC, 0};
  if (ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64) tn_amd_bus_add(&bus, &vcc);
  return bus.n > tn_amd_bus_width(ins) ? "it reads too many scalar registers and literals" : NULL;
}
#endif
