// amd_arithmetic: what an element of an ALU op, a cast or a comparison is on AMD's GPUs.
//
// In:  a node, operands of one element of each of its sources. Out: the operand of its result.
// Holds: a bool is a mask of lanes, of which those that are off mean nothing; only a constant is known to be the same
//        for all lanes.
#ifndef TN_ISA_AMD_ARITHMETIC
#define TN_ISA_AMD_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "amd_casts.c"
#endif

// ** bools **

static tn_amd_operand tn_amd_masks(tn_amd_selection *x, int one, int two, tn_amd_operand a, tn_amd_operand b) {
  return tn_amd_uniform2(x, x->l->mask > 1 ? two : one, x->l->mask, a, b);
}
static tn_amd_operand tn_amd_logic(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  switch (u->op) {
    case TINY_OP_AND: case TINY_OP_MUL: return tn_amd_masks(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64, a, b);
    case TINY_OP_OR: case TINY_OP_ADD: case TINY_OP_MAX: return tn_amd_masks(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64, a, b);
    case TINY_OP_XOR: case TINY_OP_NE: return tn_amd_masks(x, TN_AMD_S_XOR_B32, TN_AMD_S_XOR_B64, a, b);
    case TINY_OP_EQ: return tn_amd_masks(x, TN_AMD_S_XNOR_B32, TN_AMD_S_XNOR_B64, a, b);
    case TINY_OP_LT: return tn_amd_masks(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64, b, a);
    default: tn_amd_refuse_node(x, u); return a;
  }
}

// ** comparisons **

// swapped: of the operands the other way around; scalar: 0: there is none
typedef struct tn_amd_compare_row { uint8_t op, dtype; uint16_t vector, swapped, scalar; } tn_amd_compare_row;
static const tn_amd_compare_row tn_amd_compare_rows[] = {
  {TINY_OP_LT, TINY_I32, TN_AMD_V_CMP_LT_I32, TN_AMD_V_CMP_GT_I32, TN_AMD_S_CMP_LT_I32},
  {TINY_OP_NE, TINY_I32, TN_AMD_V_CMP_NE_U32, TN_AMD_V_CMP_NE_U32, TN_AMD_S_CMP_LG_U32},
  {TINY_OP_EQ, TINY_I32, TN_AMD_V_CMP_EQ_U32, TN_AMD_V_CMP_EQ_U32, TN_AMD_S_CMP_EQ_U32},
  {TINY_OP_LT, TINY_U32, TN_AMD_V_CMP_LT_U32, TN_AMD_V_CMP_GT_U32, TN_AMD_S_CMP_LT_U32},
  {TINY_OP_NE, TINY_U32, TN_AMD_V_CMP_NE_U32, TN_AMD_V_CMP_NE_U32, TN_AMD_S_CMP_LG_U32},
  {TINY_OP_EQ, TINY_U32, TN_AMD_V_CMP_EQ_U32, TN_AMD_V_CMP_EQ_U32, TN_AMD_S_CMP_EQ_U32},
  {TINY_OP_LT, TINY_I64, TN_AMD_V_CMP_LT_I64, TN_AMD_V_CMP_GT_I64, 0},
  {TINY_OP_NE, TINY_I64, TN_AMD_V_CMP_NE_U64, TN_AMD_V_CMP_NE_U64, TN_AMD_S_CMP_LG_U64},
  {TINY_OP_EQ, TINY_I64, TN_AMD_V_CMP_EQ_U64, TN_AMD_V_CMP_EQ_U64, TN_AMD_S_CMP_EQ_U64},
  {TINY_OP_LT, TINY_U64, TN_AMD_V_CMP_LT_U64, TN_AMD_V_CMP_GT_U64, 0},
  {TINY_OP_NE, TINY_U64, TN_AMD_V_CMP_NE_U64, TN_AMD_V_CMP_NE_U64, TN_AMD_S_CMP_LG_U64},
  {TINY_OP_EQ, TINY_U64, TN_AMD_V_CMP_EQ_U64, TN_AMD_V_CMP_EQ_U64, TN_AMD_S_CMP_EQ_U64},
  {TINY_OP_LT, TINY_F16, TN_AMD_V_CMP_LT_F16, TN_AMD_V_CMP_GT_F16, 0},
  {TINY_OP_NE, TINY_F16, TN_AMD_V_CMP_NEQ_F16, TN_AMD_V_CMP_NEQ_F16, 0},
  {TINY_OP_EQ, TINY_F16, TN_AMD_V_CMP_EQ_F16, TN_AMD_V_CMP_EQ_F16, 0},
  {TINY_OP_LT, TINY_F32, TN_AMD_V_CMP_LT_F32, TN_AMD_V_CMP_GT_F32, TN_AMD_S_CMP_LT_F32},
  {TINY_OP_NE, TINY_F32, TN_AMD_V_CMP_NEQ_F32, TN_AMD_V_CMP_NEQ_F32, TN_AMD_S_CMP_NEQ_F32},
  {TINY_OP_EQ, TINY_F32, TN_AMD_V_CMP_EQ_F32, TN_AMD_V_CMP_EQ_F32, TN_AMD_S_CMP_EQ_F32},
  {TINY_OP_LT, TINY_F64, TN_AMD_V_CMP_LT_F64, TN_AMD_V_CMP_GT_F64, 0},
  {TINY_OP_NE, TINY_F64, TN_AMD_V_CMP_NEQ_F64, TN_AMD_V_CMP_NEQ_F64, 0},
  {TINY_OP_EQ, TINY_F64, TN_AMD_V_CMP_EQ_F64, TN_AMD_V_CMP_EQ_F64, 0}
};
// Integers of 8 and 16 bits are compared as those of 32.
static const tn_amd_compare_row *tn_amd_compare_row_of(int op, int dtype) {
  if (!tn_amd_is_float(dtype) && tn_amd_bits_of(dtype) < 32) dtype = tn_amd_is_signed(dtype) ? TINY_I32 : TINY_U32;
  for (size_t i = 0; i < sizeof tn_amd_compare_rows / sizeof *tn_amd_compare_rows; i++)
    if (tn_amd_compare_rows[i].op == op && tn_amd_compare_rows[i].dtype == dtype) return &tn_amd_compare_rows[i];
  return NULL;
}
static int tn_amd_compares_scalars(const tn_amd_selection *x, const tn_amd_compare_row *row, const tn_amd_operand *o) {
  return row->scalar && tn_amd_format(row->scalar, x->family) && tn_amd_are_uniform(o, 2);
}
// Into SCC.
static void tn_amd_scalar_compare(tn_amd_selection *x, const tn_amd_compare_row *row, const tn_amd_operand *o) {
  const int two = o[0].kind == TN_AMD_LITERAL && o[1].kind == TN_AMD_LITERAL;
  tn_amd_do2(x->l, row->scalar, o[0], two ? tn_amd_in_sgprs(x->l, o[1]) : o[1]);
}
static tn_amd_operand tn_amd_comparison(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(u->op, u->src[0]->dtype);
  const tn_amd_operand mask = tn_amd_new_mask(x->l);
  tn_amd_operand ones = tn_amd_int(-1), zeros = tn_amd_int(0);
  if (!row) { tn_amd_refuse_node(x, u); return mask; }
  if (tn_amd_compares_scalars(x, row, o)) {
    tn_amd_scalar_compare(x, row, o);
    tn_amd_do3(x->l, x->l->mask > 1 ? TN_AMD_S_CSELECT_B64 : TN_AMD_S_CSELECT_B32, mask, ones, zeros);
  } else if (o[1].kind != TN_AMD_VGPR && o[0].kind == TN_AMD_VGPR) tn_amd_do3(x->l, row->swapped, mask, o[1], o[0]);
  else tn_amd_do3(x->l, row->vector, mask, o[0], o[1]);
  return mask;
}
static tn_amd_operand tn_amd_to_bool(tn_amd_selection *x, const tiny_uop *from, tn_amd_operand o) {
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(TINY_OP_NE, from->dtype);
  const tn_amd_operand mask = tn_amd_new_mask(x->l);
  if (!row) { tn_amd_refuse_node(x, from); return mask; }
  tn_amd_do3(x->l, row->vector, mask, tn_amd_int(0), o);
  return mask;
}

// ** choices **

static tn_amd_operand tn_amd_choice(tn_amd_selection *x, int d, tn_amd_operand c, const tn_amd_operand *a,
                                    const tn_amd_operand *b) {
  if (tn_amd_is_constant(&c)) return tn_amd_is_zero(&c) ? *b : *a;
  if (d != TINY_BOOL) return tn_amd_chosen_of(x, tn_amd_bits_of(d) == 64 ? 2 : 1, c, *a, *b);
  const tn_amd_operand yes = tn_amd_masks(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64, *a, c),
                       no = tn_amd_masks(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64, *b, c);
  return tn_amd_masks(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64, yes, no);
}
static tn_amd_operand tn_amd_bool_cast(tn_amd_selection *x, const tiny_uop *from, int to, tn_amd_operand o) {
  double one = 1;
  int64_t k = 1;
  (void)from;
  if (tn_amd_is_float(to)) memcpy(&k, &one, sizeof k);
  const tn_amd_operand yes = tn_amd_constant(x, to, k), no = tn_amd_constant(x, to, 0);
  return tn_amd_choice(x, to, o, &yes, &no);
}

// ** sums of products of neighbours, which words hold **

// How src0 and src1 are negated, as v_dot4_i32_iu8 has it, tells that they have signs (RDNA3 ISA, "VOP3P").
static tn_amd_operand tn_amd_dot(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int nine = x->family == TN_AMD_GFX9, kind = (int)u->k;
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  const int op = kind == TINY_DOT_BF16 ? TN_AMD_V_DOT2_F32_BF16 : kind == TINY_DOT_U8 ? TN_AMD_V_DOT4_U32_U8 :
      kind == TINY_DOT_I16 ? TN_AMD_V_DOT2_I32_I16 : nine ? TN_AMD_V_DOT4_I32_I8 : TN_AMD_V_DOT4_I32_IU8;
  tn_amd_operand a = o[0], b = o[1];
  if (op == TN_AMD_V_DOT4_I32_IU8) { a.neg = kind == TINY_DOT_I8; b.neg = 1; }
  if (nine && kind == TINY_DOT_U8_I8) tn_amd_refuse_node(x, u);
  tn_amd_do4(x->l, op, d, a, b, o[2]);
  return d;
}

// One element of u, an elementwise op (CAST and BITCAST with as many lanes, too). o: of its sources.
static tn_amd_operand tn_amd_alu(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->nsrc ? u->src[0]->dtype : u->dtype;
  switch (u->op) {
    case TINY_OP_CAST: return tn_amd_cast(x, u->src[0], u->dtype, o[0]);
    case TINY_OP_BITCAST: return tn_amd_bits_as(x, d, u->dtype, o[0]);
    case TINY_OP_WHERE: return tn_amd_choice(x, u->dtype, o[0], &o[1], &o[2]);
    case TINY_OP_DOT: return tn_amd_dot(x, u, o);
    default: break;
  }
  if (d == TINY_BOOL) return tn_amd_logic(x, u, o[0], o[1]);
  if (u->op == TINY_OP_LT || u->op == TINY_OP_NE || u->op == TINY_OP_EQ) return tn_amd_comparison(x, u, o);
  if (tn_amd_is_float(d)) return tn_amd_float(x, u, o);
  if (tn_amd_bits_of(d) == 64) return tn_amd_integer64(x, u, o);
  const tn_amd_operand y = tn_amd_integer32(x, u, o[0], o[u->nsrc > 1]);
  const int in_words = tn_amd_packs(u) && x->wants && x->wants[u->seq] == TN_AMD_WORDS;      // which have the low bits
  return tn_amd_may_wrap(u) && !in_words ? tn_amd_wrapped(x, u->dtype, y) : y;
}
#endif
