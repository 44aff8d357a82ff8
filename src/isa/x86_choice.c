// x86_choice: choices of one of two values: the greater and the less of them, and those whose condition is no value.
//
// In:  a WHERE. Out: 1, and it is written to a register; 0: it is one of those that x86_arithmetic.c writes.
// Holds: a choice by a < b between a and b is the instruction for the greater or the less, whose result is its second
//        source where a number is none, or both are zeros, which is what the choice gives (Intel SDM vol. 2, MAXPS). A
//        condition that is fused is made where it is used, as flags or as bit 0 of masks.
#ifndef TN_ISA_X86_CHOICE
#define TN_ISA_X86_CHOICE
#ifndef TINY_AMALGAMATED
#include "x86_lanes.c"
#endif

// ** the greater and the less **

static const tn_x86_op tn_x86_extrema[2] = {
  {TINY_OP_WHERE, {TN_X86_VMAXSS, TN_X86_VMAXSD}, {TN_X86_VMAXPS, TN_X86_VMAXPD},
   {TN_X86_VPMAXSB, TN_X86_VPMAXSW, TN_X86_VPMAXSD, TN_X86_VPMAXSQ},
   {TN_X86_VPMAXUB, TN_X86_VPMAXUW, TN_X86_VPMAXUD, TN_X86_VPMAXUQ}},
  {TINY_OP_WHERE, {TN_X86_VMINSS, TN_X86_VMINSD}, {TN_X86_VMINPS, TN_X86_VMINPD},
   {TN_X86_VPMINSB, TN_X86_VPMINSW, TN_X86_VPMINSD, TN_X86_VPMINSQ},
   {TN_X86_VPMINUB, TN_X86_VPMINUW, TN_X86_VPMINUD, TN_X86_VPMINUQ}}
};
// Its instruction, 0: it is no choice between what is compared.
static int tn_x86_extremum(const tiny_uop *u) {
  const tiny_uop *c = u->op == TINY_OP_WHERE ? u->src[0] : NULL;
  if (!c || c->op != TINY_OP_LT || c->lanes != u->lanes || tn_x86_class(u) != TN_ISA_VEC) return 0;
  const int greater = u->src[1] == c->src[1] && u->src[2] == c->src[0];
  if (!greater && (u->src[1] != c->src[0] || u->src[2] != c->src[1])) return 0;
  const tn_x86_op *o = &tn_x86_extrema[!greater];
  const int size = tn_x86_log(tn_x86_element(u));
  if (tn_is_float(u->dtype)) return u->lanes > 1 ? o->packed[size == 3] : o->scalar[size == 3];
  return tn_is_unsigned(u->dtype) ? o->uints[size] : o->ints[size];
}

// ** conditions that are no values **

static int tn_x86_is_comparison(const tiny_uop *u) {
  return u->lanes == 1 && (u->op == TINY_OP_LT || u->op == TINY_OP_EQ || u->op == TINY_OP_NE) &&
      u->src[0]->dtype != TINY_BOOL;
}
static int tn_x86_compares_floats(const tiny_uop *u) {
  return tn_x86_is_comparison(u) && tn_is_float(u->src[0]->dtype);
}
static int tn_x86_joins(const tiny_uop *u) {                 // two comparisons of floats
  return (u->op == TINY_OP_AND || u->op == TINY_OP_OR) && u->dtype == TINY_BOOL && u->lanes == 1 &&
      tn_x86_compares_floats(u->src[0]) && tn_x86_compares_floats(u->src[1]) && u->src[0] != u->src[1];
}
// Is u a condition of the scalar choice, or of two joined ones of it, and nothing else?
static int tn_x86_is_condition(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!user) return 0;
  if (user->op != TINY_OP_WHERE) return tn_x86_joins(user) && x->fused[user->seq];
  if (user->src[0] != u || user->lanes > 1) return 0;
  return tn_x86_compares_floats(u) || tn_x86_joins(u) ||
      (tn_x86_is_comparison(u) && tn_x86_class(user) == TN_ISA_GPR);
}
// Its mask, of which bit 0 counts.
static int tn_x86_condition_part(tn_x86_select *x, const tiny_uop *c) {
  const int k = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_compare_lanes(x, c, k);
  return k;
}
static int tn_x86_condition(tn_x86_select *x, const tiny_uop *c) {
  if (!tn_x86_joins(c)) return tn_x86_condition_part(x, c);
  const int a = tn_x86_condition_part(x, c->src[0]), b = tn_x86_condition_part(x, c->src[1]);
  const int both = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_3(x, c->op == TINY_OP_AND ? TN_X86_KANDQ : TN_X86_KORQ, tn_x86_kreg(both, TN_ISA_DEF),
           tn_x86_kreg(a, TN_ISA_USE), tn_x86_kreg(b, TN_ISA_USE));
  return both;
}

// Of general registers: by the flags of what compares integers, or of a mask that is not empty.
static void tn_x86_choose_gpr(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *c = u->src[0];
  const int yes = tn_x86_value(x, u->src[1]), no = tn_x86_value(x, u->src[2]), held = tn_x86_held(x, u);
  int row = TN_X86_CMOVNE;
  if (tn_x86_is_comparison(c) && !tn_is_float(c->src[0]->dtype)) {
    const int nbytes = tn_x86_held(x, c->src[0]), a = tn_x86_value(x, c->src[0]);
    const tn_isa_operand b = tn_x86_scalar_source(x, c->src[1], nbytes);
    const int below = tn_is_unsigned(c->src[0]->dtype) ? TN_X86_CMOVB : TN_X86_CMOVL;
    row = c->op == TINY_OP_LT ? below : c->op == TINY_OP_EQ ? TN_X86_CMOVE : TN_X86_CMOVNE;
    tn_x86_copy(x, TN_ISA_GPR, to, no, 8);
    tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(a, nbytes, TN_ISA_USE), b);
  } else {
    const int k = tn_x86_condition(x, c);
    tn_x86_copy(x, TN_ISA_GPR, to, no, 8);
    tn_x86_2(x, TN_X86_KORTESTQ, tn_x86_kreg(k, TN_ISA_USE), tn_x86_kreg(k, TN_ISA_USE));
  }
  tn_x86_2(x, row, tn_x86_gpr(to, held < 4 ? 4 : held, TN_ISA_BOTH), tn_x86_gpr(yes, held < 4 ? 4 : held, TN_ISA_USE));
}
static int tn_x86_choose(tn_x86_select *x, const tiny_uop *u, int to) {
  const int row = tn_x86_extremum(u), held = tn_x86_held(x, u);
  if (row) {
    const tn_isa_operand a = tn_x86_use(x, u->src[1]), b = tn_x86_use(x, u->src[2]);
    tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), a, b);
    return 1;
  }
  if (!x->fused[u->src[0]->seq]) return 0;
  if (tn_x86_class(u) == TN_ISA_GPR) { tn_x86_choose_gpr(x, u, to); return 1; }
  const int k = tn_x86_condition(x, u->src[0]);
  const tn_isa_operand no = tn_x86_use(x, u->src[2]), yes = tn_x86_use(x, u->src[1]);
  tn_x86_3(x, tn_x86_element(u) == 8 ? TN_X86_VPBLENDMQ : TN_X86_VPBLENDMD, tn_x86_vec(to, held, TN_ISA_DEF), no,
           yes)->mask = k;
  return 1;
}
#endif
