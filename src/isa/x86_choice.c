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

// Its instruction, 0: it is no choice between what is compared.
static int tn_x86_extremum(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *c = u->op == TINY_OP_WHERE ? u->src[0] : NULL;
  if (!c || c->op != TINY_OP_LT || c->lanes != u->lanes || tn_x86_class(x, u) != TN_ISA_VEC || u->dtype == TINY_BOOL)
    return 0;
  const int greater = u->src[1] == c->src[1] && u->src[2] == c->src[0];
  if (!greater && (u->src[1] != c->src[0] || u->src[2] != c->src[1])) return 0;
  const int without = tn_is_unsigned(u->dtype);
  return tn_x86_choose(x->level, without ? (greater ? TN_X86_DO_MAXU : TN_X86_DO_MINU) :
                                 greater ? TN_X86_DO_MAX : TN_X86_DO_MIN, tn_x86_type(x, u));
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
      (tn_x86_is_comparison(u) && tn_x86_class(x, user) == TN_ISA_GPR);
}
// Its mask, of which bit 0 counts, or a vector of 0 or -1, of which the lowest element of 4 bytes does.
static int tn_x86_condition_part(tn_x86_select *x, const tiny_uop *c) {
  const int k = tn_x86_new(x, x->level->masks ? TN_ISA_MASK : TN_ISA_VEC);
  if (x->level->masks) tn_x86_compare_to_mask(x, c, k);
  else tn_x86_compare_to_vector(x, c, k);
  return k;
}
static int tn_x86_condition(tn_x86_select *x, const tiny_uop *c) {
  if (!tn_x86_joins(c)) return tn_x86_condition_part(x, c);
  const int a = tn_x86_condition_part(x, c->src[0]), b = tn_x86_condition_part(x, c->src[1]);
  const int both = tn_x86_new(x, x->level->masks ? TN_ISA_MASK : TN_ISA_VEC), all = c->op == TINY_OP_AND;
  if (!x->level->masks) {
    tn_x86_do_3(x, all ? TN_X86_DO_AND : TN_X86_DO_OR, TN_X86_I32, 16, both, a, b);
    return both;
  }
  tn_x86_3(x, all ? TN_X86_KANDQ : TN_X86_KORQ, tn_x86_kreg(both, TN_ISA_DEF), tn_x86_kreg(a, TN_ISA_USE),
           tn_x86_kreg(b, TN_ISA_USE));
  return both;
}
// Flags that say NE where the condition is set.
static void tn_x86_test_condition(tn_x86_select *x, int k) {
  if (x->level->masks) {
    tn_x86_2(x, TN_X86_KORTESTQ, tn_x86_kreg(k, TN_ISA_USE), tn_x86_kreg(k, TN_ISA_USE));
    return;
  }
  const int r = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I32), tn_x86_gpr(r, 4, TN_ISA_DEF), tn_x86_vec(k, 16, TN_ISA_USE));
  tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(r, 4, TN_ISA_USE), tn_x86_gpr(r, 4, TN_ISA_USE));
}

// Of general registers: by the flags of what compares integers, or of a condition of floats.
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
    tn_x86_test_condition(x, k);
  }
  tn_x86_2(x, row, tn_x86_gpr(to, held < 4 ? 4 : held, TN_ISA_BOTH), tn_x86_gpr(yes, held < 4 ? 4 : held, TN_ISA_USE));
}
// A load by the same condition is already what is chosen where that is not set.
static int tn_x86_is_loaded_so(const tiny_uop *u) {
  const tiny_uop *load = u->src[1], *no = u->src[2], *zero = tn_x86_is_splat(no) ? no->src[0] : no;
  if (load->op != TINY_OP_LOAD || load->src[0]->nsrc != 3 || load->src[0]->src[2] != u->src[0]) return 0;
  return load->nsrc == 2 ? load->src[1] == no : zero->op == TINY_OP_CONST && !tn_x86_bits(zero);
}
static int tn_x86_choose_one(tn_x86_select *x, const tiny_uop *u, int to) {
  if (tn_x86_is_loaded_so(u)) {
    tn_x86_copy(x, tn_x86_class(x, u), to, tn_x86_value(x, u->src[1]), tn_x86_held(x, u));
    return 1;
  }
  const int row = tn_x86_extremum(x, u), held = tn_x86_held(x, u), f64 = tn_x86_element(x, u) == 8;
  if (row) {
    const tn_isa_operand a = tn_x86_use(x, u->src[1]), b = tn_x86_use(x, u->src[2]);
    tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), a, b);
    return 1;
  }
  if (!x->fused[u->src[0]->seq]) return 0;
  if (tn_x86_class(x, u) == TN_ISA_GPR) { tn_x86_choose_gpr(x, u, to); return 1; }
  int k = tn_x86_condition(x, u->src[0]);
  const int no = tn_x86_value(x, u->src[2]);
  const tn_isa_operand yes = tn_x86_use(x, u->src[1]);
  if (x->level->masks) {
    tn_x86_3(x, f64 ? TN_X86_VPBLENDMQ : TN_X86_VPBLENDMD, tn_x86_vec(to, held, TN_ISA_DEF),
             tn_x86_vec(no, held, TN_ISA_USE), yes)->mask = k;
    return 1;
  }
  if (f64) {                               // of what compares 4 bytes there is no more
    const int wide = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_do_imm(x, TN_X86_DO_SHUFFLE_4, TN_X86_I32, 16, wide, k, 0);
    k = wide;
  }
  tn_x86_blend(x, to, held, k, yes, no);
  return 1;
}
#endif
