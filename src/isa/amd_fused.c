// amd_fused: two ops by one instruction of AMD's GPUs.
//
// In:  a node, the number of one of its elements; the node's sources, and theirs, are done. Out: the operand of the
//      result; what stays behind is left out where nobody else reads it (amd_dead.c).
// Holds: values are those of the ops one by one, each rounded once. Both ops stand in the same loop and IF, so that no
//        source has to be kept longer than the op's result had to.
// Source: AMD's ISA guides (amd.c), "VOP3", "VOP3P": v_fma_mix_f32; how sources are negated.
#ifndef TN_ISA_AMD_FUSED
#define TN_ISA_AMD_FUSED
#ifndef TINY_AMALGAMATED
#include "amd_pairs.c"
#endif

// Has nobody else a use for it?
static int tn_amd_is_alone(const tn_amd_selection *x, const tiny_uop *u) { return x->uses && x->uses[u->seq] == 1; }
static void tn_amd_count_uses(tn_amd_selection *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *const u = x->k->list[i];
    for (uint32_t j = 0; j < u->nsrc; j++) if (x->uses[u->src[j]->seq] < 255) x->uses[u->src[j]->seq]++;
  }
}
// Is the element of s, a source of u, one that a vector instruction made?
static int tn_amd_is_own(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s, int i) {
  const tn_amd_operand o = tn_amd_element(x, s, i);
  return o.kind == TN_AMD_VGPR && tn_amd_is_beside(x, u, s);
}
static tn_amd_operand tn_amd_inner(const tn_amd_selection *x, const tiny_uop *s, int j, int i) {
  return tn_amd_element(x, s->src[j], i);
}

// ** integers of 32 bits **

// By how much s shifts something to the left; -1: it does not.
static int tn_amd_shift_of(const tiny_uop *s) {
  int64_t k = 0;
  if ((s->op != TINY_OP_SHL && s->op != TINY_OP_MUL) || !tn_amd_is_number(s->src[1], &k)) return -1;
  return s->op == TINY_OP_SHL ? (k >= 0 && k < 32 ? (int)k : -1) : tn_amd_power_of((uint32_t)k);
}
// The instruction of s and then of u; 0: there is none. Both want that nobody else reads s, but where it is a shift.
static int tn_amd_integer_pair(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s) {
  const int alone = tn_amd_is_alone(x, s), adds = u->op == TINY_OP_ADD, ors = u->op == TINY_OP_OR;
  const int64_t end = (int64_t)1 << 24;
  if (adds && tn_amd_shift_of(s) >= 0) return TN_AMD_V_LSHL_ADD_U32;
  if (ors && tn_amd_shift_of(s) >= 0) return TN_AMD_V_LSHL_OR_B32;
  if (!alone) return 0;
  if (adds && s->op == TINY_OP_ADD) return TN_AMD_V_ADD3_U32;
  if (adds && s->op == TINY_OP_XOR) return TN_AMD_V_XAD_U32;
  if (ors && s->op == TINY_OP_AND) return TN_AMD_V_AND_OR_B32;
  if (ors && s->op == TINY_OP_OR) return TN_AMD_V_OR3_B32;
  if (u->op == TINY_OP_XOR && s->op == TINY_OP_XOR && x->family != TN_AMD_GFX9) return TN_AMD_V_XOR3_B32;
  if (!adds || s->op != TINY_OP_MUL) return 0;
  const tiny_uop *const p = s->src[0], *const q = s->src[1];
  if (tn_amd_is_within(p, 0, end - 1) && tn_amd_is_within(q, 0, end - 1)) return TN_AMD_V_MAD_U32_U24;
  const int both = tn_amd_is_within(p, -end / 2, end / 2 - 1) && tn_amd_is_within(q, -end / 2, end / 2 - 1);
  return both ? TN_AMD_V_MAD_I32_I24 : 0;
}
static int tn_amd_fused_sum(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 1; j >= 0; j--) {
    const tiny_uop *const s = u->src[j];
    const int op = s->nsrc == 2 && s->dtype == u->dtype ? tn_amd_integer_pair(x, u, s) : 0;
    if (!op || !tn_amd_is_own(x, u, s, i)) continue;
    const int shifts = op == TN_AMD_V_LSHL_ADD_U32 || op == TN_AMD_V_LSHL_OR_B32;
    const tn_amd_operand b = shifts ? tn_amd_int(tn_amd_shift_of(s)) : tn_amd_inner(x, s, 1, i);
    *y = tn_amd_v3(x, op, tn_amd_inner(x, s, 0, i), b, tn_amd_element(x, u->src[!j], i));
    return 1;
  }
  return 0;
}
// Bits of two words side by side, as of a rotation: a << k | b >> 32 - k.
static int tn_amd_fused_words(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const left = u->src[j], *const right = u->src[!j];
    const int k = tn_amd_shift_of(left);
    int64_t by = 0;
    if (k < 1 || right->op != TINY_OP_SHR || right->dtype != TINY_U32 || left->dtype != TINY_U32) continue;
    if (!tn_amd_is_number(right->src[1], &by) || by != 32 - k) continue;
    if (!tn_amd_is_own(x, u, left, i) || !tn_amd_is_own(x, u, right, i)) continue;
    *y = tn_amd_v3(x, TN_AMD_V_ALIGNBIT_B32, tn_amd_inner(x, left, 0, i), tn_amd_inner(x, right, 0, i),
                   tn_amd_int((int)by));
    return 1;
  }
  return 0;
}
// a & ~b: bits of a where b has none.
static int tn_amd_fused_without(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const s = u->src[j];
    int64_t k = 0;
    if (s->op != TINY_OP_XOR || !tn_amd_is_number(s->src[1], &k) || (uint32_t)k != UINT32_MAX) continue;
    if (!tn_amd_is_own(x, u, s, i) || !tn_amd_is_alone(x, s)) continue;
    *y = tn_amd_v3(x, TN_AMD_V_BFI_B32, tn_amd_inner(x, s, 0, i), tn_amd_int(0), tn_amd_element(x, u->src[!j], i));
    return 1;
  }
  return 0;
}
// (a + b) << k, and a >> k & 2^n - 1.
static int tn_amd_fused_shift(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const s = u->src[0];
  int64_t k = 0, by = 0;
  if (s->nsrc != 2 || s->dtype != u->dtype || !tn_amd_is_own(x, u, s, i)) return 0;
  const tn_amd_operand a = tn_amd_inner(x, s, 0, i);
  const int shift = tn_amd_shift_of(u);
  if (shift >= 0 && s->op == TINY_OP_ADD && tn_amd_is_alone(x, s)) {
    *y = tn_amd_v3(x, TN_AMD_V_ADD_LSHL_U32, a, tn_amd_inner(x, s, 1, i), tn_amd_int(shift));
    return 1;
  }
  if (u->op != TINY_OP_AND || s->op != TINY_OP_SHR || !tn_amd_is_number(u->src[1], &k) ||
      !tn_amd_is_number(s->src[1], &by) || by < 0 || by > 31) return 0;
  const int bits = tn_amd_power_of((uint64_t)(uint32_t)k + 1);
  if (bits < 1 || bits + (int)by > 32) return 0;
  *y = tn_amd_v3(x, TN_AMD_V_BFE_U32, a, tn_amd_int((int)by), tn_amd_int(bits));
  return 1;
}

// ** bools **

// 0 <= v < n asked at once: v, as numbers have no sign.
static const tiny_uop *tn_amd_is_below(const tiny_uop *u, const tiny_uop **n) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const least = u->src[j], *const most = u->src[!j];
    int64_t k = 0;
    if (least->op != TINY_OP_LT || most->op != TINY_OP_LT || least->src[1] != most->src[0]) continue;
    if (most->src[0]->dtype != TINY_I32 || !tn_amd_is_number(least->src[0], &k) || k != -1) continue;
    if (most->src[1]->vmin < 0) continue;
    *n = most->src[1];
    return most->src[0];
  }
  return NULL;
}
// The comparison that is so where another is not, and with its operands the other way around.
static int tn_amd_opposite(int op) {
  switch (op) {
    case TN_AMD_V_CMP_LT_I32: return TN_AMD_V_CMP_GE_I32; case TN_AMD_V_CMP_GT_I32: return TN_AMD_V_CMP_LE_I32;
    case TN_AMD_V_CMP_LT_U32: return TN_AMD_V_CMP_GE_U32; case TN_AMD_V_CMP_GT_U32: return TN_AMD_V_CMP_LE_U32;
    case TN_AMD_V_CMP_LT_I64: return TN_AMD_V_CMP_GE_I64; case TN_AMD_V_CMP_GT_I64: return TN_AMD_V_CMP_LE_I64;
    case TN_AMD_V_CMP_LT_U64: return TN_AMD_V_CMP_GE_U64; case TN_AMD_V_CMP_GT_U64: return TN_AMD_V_CMP_LE_U64;
    case TN_AMD_V_CMP_LT_F32: return TN_AMD_V_CMP_NLT_F32; case TN_AMD_V_CMP_GT_F32: return TN_AMD_V_CMP_NGT_F32;
    case TN_AMD_V_CMP_LT_F64: return TN_AMD_V_CMP_NLT_F64; case TN_AMD_V_CMP_GT_F64: return TN_AMD_V_CMP_NGT_F64;
    case TN_AMD_V_CMP_NE_U32: return TN_AMD_V_CMP_EQ_U32; case TN_AMD_V_CMP_EQ_U32: return TN_AMD_V_CMP_NE_U32;
    case TN_AMD_V_CMP_NE_U64: return TN_AMD_V_CMP_EQ_U64; case TN_AMD_V_CMP_EQ_U64: return TN_AMD_V_CMP_NE_U64;
    case TN_AMD_V_CMP_NEQ_F32: return TN_AMD_V_CMP_EQ_F32; case TN_AMD_V_CMP_EQ_F32: return TN_AMD_V_CMP_NEQ_F32;
    case TN_AMD_V_CMP_NEQ_F64: return TN_AMD_V_CMP_EQ_F64; case TN_AMD_V_CMP_EQ_F64: return TN_AMD_V_CMP_NEQ_F64;
    default: return 0;
  }
}
static int tn_amd_compares(const tiny_uop *u) {
  return (u->op == TINY_OP_LT || u->op == TINY_OP_NE || u->op == TINY_OP_EQ) && u->src[0]->dtype != TINY_BOOL;
}
static int tn_amd_fused_bool(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *n = NULL, *const below = u->op == TINY_OP_AND ? tn_amd_is_below(u, &n) : NULL, *const s = u->src[0];
  const tn_amd_operand mask = below ? tn_amd_element(x, below, i) : tn_amd_int(0);
  int64_t k = 0;
  if (below && !tn_amd_is_uniform(&mask) && tn_amd_is_beside(x, u, s) && tn_amd_is_beside(x, u, u->src[1])) {
    *y = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, TN_AMD_V_CMP_GT_U32, *y, tn_amd_element(x, n, i), mask);
    return 1;
  }
  if (u->op != TINY_OP_XOR || !tn_amd_compares(s) || !tn_amd_is_number(u->src[1], &k) || !k) return 0;
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(s->op, s->src[0]->dtype);
  const tn_amd_operand a = tn_amd_inner(x, s, 0, i), b = tn_amd_inner(x, s, 1, i);
  if (!row || !tn_amd_is_beside(x, u, s) || (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))) return 0;
  const int swap = b.kind != TN_AMD_VGPR, op = tn_amd_opposite(swap ? row->swapped : row->vector);
  if (!op) return 0;
  *y = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, op, *y, swap ? b : a, swap ? a : b);
  return 1;
}

// ** sources that are negated, or without their sign **

// *s, a source of u, without what the operand says of it.
static tn_amd_operand tn_amd_float_source(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop **s, int i) {
  int64_t k = 0;
  int neg = 0, size = 0;
  const tiny_uop *v = *s;
  if (!tn_amd_is_beside(x, u, v)) return tn_amd_element(x, v, i);
  if (v->op == TINY_OP_NEG) { neg = 1; v = v->src[0]; }
  const tiny_uop *const bits = v->op == TINY_OP_BITCAST && v->dtype == TINY_F32 ? v->src[0] : NULL,
                 *const of = bits && bits->op == TINY_OP_AND ? bits->src[0] : NULL;
  if (of && of->op == TINY_OP_BITCAST && of->src[0]->dtype == TINY_F32 && tn_amd_is_number(bits->src[1], &k) &&
      (uint32_t)k == 0x7FFFFFFF) { size = 1; v = of->src[0]; }
  tn_amd_operand o = tn_amd_element(x, v, i);
  if (!tn_amd_is_register(&o)) return tn_amd_element(x, *s, i);
  *s = v;
  o.neg = (uint8_t)neg; o.abs = (uint8_t)size;
  return o;
}
// A choice of what is negated, or without its sign.
static int tn_amd_fused_signs(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *a = u->src[1], *b = u->src[2];
  if (u->dtype != TINY_F32) return 0;
  const tn_amd_operand yes = tn_amd_float_source(x, u, &a, i), no = tn_amd_float_source(x, u, &b, i);
  const tn_amd_operand mask = tn_amd_element(x, u->src[0], i);
  if (!(yes.neg | yes.abs | no.neg | no.abs) || mask.kind != TN_AMD_SGPR) return 0;
  *y = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, no, yes, mask);
  return 1;
}

// ** choices by a comparison **

// The lesser or the greater of two integers.
static int tn_amd_fused_least(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const c = u->src[0];
  const int d = u->dtype, is_signed = tn_amd_is_signed(d);
  if (c->op != TINY_OP_LT || tn_amd_is_float(d) || d == TINY_BOOL || tn_amd_bits_of(d) == 64) return 0;
  const int least = c->src[0] == u->src[1] && c->src[1] == u->src[2],
            most = c->src[0] == u->src[2] && c->src[1] == u->src[1];
  const tn_amd_operand a = tn_amd_inner(x, c, 0, i), b = tn_amd_inner(x, c, 1, i);
  if ((!least && !most) || !tn_amd_is_beside(x, u, c)) return 0;
  if (is_signed) *y = tn_amd_either(x, most ? TN_AMD_S_MAX_I32 : TN_AMD_S_MIN_I32,
                                    most ? TN_AMD_V_MAX_I32 : TN_AMD_V_MIN_I32, a, b);
  else *y = tn_amd_either(x, most ? TN_AMD_S_MAX_U32 : TN_AMD_S_MIN_U32,
                          most ? TN_AMD_V_MAX_U32 : TN_AMD_V_MIN_U32, a, b);
  return 1;
}
// Of scalars: SCC instead of a mask.
static int tn_amd_fused_choice(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const c = u->src[0];
  const tn_amd_compare_row *const row = tn_amd_compares(c) ? tn_amd_compare_row_of(c->op, c->src[0]->dtype) : NULL;
  const int wide = tn_amd_bits_of(u->dtype) == 64;
  if (tn_amd_fused_least(x, u, i, y) || tn_amd_fused_signs(x, u, i, y)) return 1;
  if (!row || u->dtype == TINY_BOOL || !tn_amd_is_beside(x, u, c)) return 0;
  tn_amd_operand of[2], o[2];
  for (int j = 0; j < 2; j++) { of[j] = tn_amd_inner(x, c, j, i); o[j] = tn_amd_element(x, u->src[1 + j], i); }
  if (!tn_amd_compares_scalars(x, row, of) || !tn_amd_are_uniform(o, 2)) return 0;
  if (o[0].kind == TN_AMD_LITERAL && o[1].kind == TN_AMD_LITERAL) o[1] = tn_amd_in_sgprs(x->l, o[1]);
  *y = tn_amd_new_s(x->l, wide ? 2 : 1);
  tn_amd_scalar_compare(x, row, of);
  tn_amd_do3(x->l, wide ? TN_AMD_S_CSELECT_B64 : TN_AMD_S_CSELECT_B32, *y, o[0], o[1]);
  return 1;
}

// ** floats; f16 among them **

// The f16 that s is a cast of, which nobody else wants: in its word, or by itself.
static int tn_amd_mixed_source(const tn_amd_selection *x, const tiny_uop *s, int i, tn_amd_operand *o) {
  const int neg = o->neg, size = o->abs;
  if (s->op != TINY_OP_CAST || s->src[0]->dtype != TINY_F16 || s->dtype != TINY_F32 || !tn_amd_is_alone(x, s)) return 0;
  const tiny_uop *const h = s->src[0];
  const int packs = tn_amd_packs(h) && x->words[h->seq] >= 0 && h->lanes == s->lanes;
  const tn_amd_operand from = packs ? x->pool[x->words[h->seq] + i / 2] : tn_amd_element(x, h, i);
  if (from.kind != TN_AMD_VGPR) return 0;
  *o = from;
  o->op_sel_hi = 1; o->op_sel = (uint8_t)(packs && (i & 1));
  o->neg = (uint8_t)neg; o->abs = (uint8_t)size;
  return 1;
}
static int tn_amd_mixed(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand *o, tn_amd_operand *y) {
  const tn_amd_operand one = tn_amd_bits(0x3F800000), zero = tn_amd_negated(tn_amd_int(0));
  switch (u->op) {
    case TINY_OP_FMA: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], o[1], o[2]); return 1;
    case TINY_OP_MUL: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], o[1], zero); return 1;
    case TINY_OP_ADD: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], one, o[1]); return 1;
    case TINY_OP_SUB: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], one, tn_amd_negated(o[1])); return 1;
    default: return 0;
  }
}
// The line that gives o by a move from another lane, not long before; NULL: there is none.
static const tn_amd_line *tn_amd_lane_move(const tn_amd_selection *x, const tn_amd_operand *o) {
  const tn_amd_list *const l = x->l;
  for (int i = l->n - 1; i >= 0 && i > l->n - 8; i--) {
    const tn_amd_line *const line = &l->line[i];
    const tn_amd_ins *const ins = &line->ins;
    if (line->kind != TN_AMD_LINE_INS) return NULL;
    if (ins->n && ins->o[0].kind == o->kind && ins->o[0].reg == o->reg && ins->o[0].sub == o->sub)
      return ins->op == TN_AMD_V_MOV_B32 && ins->lanes == TN_AMD_DPP16 ? line : NULL;
  }
  return NULL;
}
// A sum with another lane's value.
static int tn_amd_fused_lanes(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const s = u->src[j];
    const tn_amd_operand from = tn_amd_element(x, s, i), other = tn_amd_element(x, u->src[!j], i);
    if (s->op != TINY_OP_SHUFFLE || !tn_amd_is_own(x, u, s, i) || other.kind != TN_AMD_VGPR) continue;
    const tn_amd_line *const move = tn_amd_lane_move(x, &from);
    if (!move) continue;
    const tn_amd_ins ins = move->ins;
    *y = tn_amd_new_v(x->l, 1);
    tn_amd_line *const line = tn_amd_do3(x->l, TN_AMD_V_ADD_F32, *y, ins.o[1], other);
    line->ins.lanes = ins.lanes;
    memcpy(line->ins.m, ins.m, sizeof ins.m);
    return 1;
  }
  return 0;
}
static int tn_amd_fused_float(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const int at = tn_amd_float_row_of(u->op), n = (int)u->nsrc;
  int mixed = 0, says = 0, scalar = 1;
  tn_amd_operand o[4];
  if (at < 0 || n < 2 || u->dtype != TINY_F32) return 0;
  if (u->op == TINY_OP_ADD && u->lanes == 1 && tn_amd_fused_lanes(x, u, i, y)) return 1;
  for (int j = 0; j < n; j++) {
    const tiny_uop *s = u->src[j];
    o[1 + j] = tn_amd_float_source(x, u, &s, i);
    mixed |= tn_amd_is_beside(x, u, s) && tn_amd_mixed_source(x, s, i, &o[1 + j]);
    says |= o[1 + j].neg | o[1 + j].abs;
    scalar &= tn_amd_is_uniform(&o[1 + j]);
  }
  if (scalar || (!mixed && !says)) return 0;
  if (mixed) return tn_amd_mixed(x, u, o + 1, y);
  *y = o[0] = tn_amd_new_v(x->l, 1);
  tn_amd_do(x->l, tn_amd_float_rows[at].f32, n + 1, o);
  return 1;
}
static int tn_amd_fused_compare(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(u->op, TINY_F32);
  const tiny_uop *p = u->src[0], *q = u->src[1];
  const tn_amd_operand a = tn_amd_float_source(x, u, &p, i), b = tn_amd_float_source(x, u, &q, i);
  if (!(a.neg | a.abs | b.neg | b.abs) || (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))) return 0;
  *y = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, row->vector, *y, a, b);
  return 1;
}
// 2^(x k) where few bits are looked at, of x k/2: it is squared.
static int tn_amd_fused_power(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const s = u->src[0];
  int64_t k = 0;
  double v;
  float half;
  uint32_t bits;
  if (!u->k || s->op != TINY_OP_MUL || !tn_amd_is_beside(x, u, s) || !tn_amd_is_number(s->src[1], &k)) return 0;
  memcpy(&v, &k, sizeof v);
  half = (float)(v / 2);
  memcpy(&bits, &half, sizeof bits);
  const tiny_uop *v_of = s->src[0];
  const tn_amd_operand part = tn_amd_v2(x, TN_AMD_V_MUL_F32, tn_amd_k32(bits), tn_amd_float_source(x, u, &v_of, i)),
                       root = tn_amd_v1(x, TN_AMD_V_EXP_F32, part);
  *y = tn_amd_v2(x, TN_AMD_V_MUL_F32, root, root);
  return 1;
}

// ** the greatest of several: NaN if one of them is **

enum { TN_AMD_LEAVES = 9 };
static void tn_amd_leaves(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s, const tiny_uop **leaf,
                          int *n) {
  const int inner = s == u || (s->op == TINY_OP_MAX && tn_amd_is_alone(x, s) && tn_amd_is_beside(x, u, s));
  int64_t k;
  for (int j = 0; inner && j < 2; j++) if (tn_amd_is_number(s->src[j], &k)) { *n = TN_AMD_LEAVES + 1; return; }
  if (!inner) { if (*n < TN_AMD_LEAVES) leaf[*n] = s; ++*n; return; }
  for (int j = 0; j < 2; j++) tn_amd_leaves(x, u, s->src[j], leaf, n);
}
// Who is no number of two at a time, all masks together.
static tn_amd_operand tn_amd_any_nan(tn_amd_selection *x, const tn_amd_operand *o, int n) {
  tn_amd_operand any = tn_amd_int(0);
  for (int i = 0; i < n; i += 2) {
    const tn_amd_operand is = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, TN_AMD_V_CMP_U_F32, is, o[i], o[i + 1 < n ? i + 1 : i]);
    any = i ? tn_amd_masks(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64, any, is) : is;
  }
  return any;
}
static int tn_amd_fused_most(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const int twelve = x->family == TN_AMD_GFX12, three = twelve ? TN_AMD_V_MAXIMUM3_F32 : TN_AMD_V_MAX3_F32,
            two = twelve ? TN_AMD_V_MAXIMUM_F32 : TN_AMD_V_MAX_F32;
  const tiny_uop *leaf[TN_AMD_LEAVES];
  tn_amd_operand o[TN_AMD_LEAVES], most;
  int n = 0;
  tn_amd_leaves(x, u, u, leaf, &n);
  if (n < 3 || n > TN_AMD_LEAVES) return 0;
  for (int j = 0; j < n; j++) o[j] = tn_amd_element(x, leaf[j], i);
  for (int j = 0; j < n; j++) if (o[j].kind != TN_AMD_VGPR) return 0;
  most = tn_amd_v3(x, three, o[0], o[1], o[2]);
  for (int j = 3; j < n; j += 2)
    most = j + 1 < n ? tn_amd_v3(x, three, most, o[j], o[j + 1]) : tn_amd_v2(x, two, most, o[j]);
  *y = twelve ? most : tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, most, tn_amd_k32(0x7FC00000), tn_amd_any_nan(x, o, n));
  return 1;
}

static int tn_amd_fuse(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const int d = u->nsrc ? (int)u->src[0]->dtype : (int)TINY_VOID;
  if (u->op == TINY_OP_WHERE) return tn_amd_fused_choice(x, u, i, y);
  if (u->op == TINY_OP_EXP2) return tn_amd_fused_power(x, u, i, y);
  if (d == TINY_F32 && tn_amd_compares(u)) return tn_amd_fused_compare(x, u, i, y);
  if (u->dtype != d) return 0;
  if (d == TINY_BOOL) return tn_amd_fused_bool(x, u, i, y);
  if (d == TINY_F32 && u->op == TINY_OP_MAX) return tn_amd_fused_most(x, u, i, y);
  if (d == TINY_F32) return tn_amd_fused_float(x, u, i, y);
  if ((d != TINY_I32 && d != TINY_U32) || u->nsrc != 2) return 0;
  if (u->op == TINY_OP_OR && tn_amd_fused_words(x, u, i, y)) return 1;
  if (u->op == TINY_OP_ADD || u->op == TINY_OP_OR || u->op == TINY_OP_XOR) return tn_amd_fused_sum(x, u, i, y);
  if (u->op == TINY_OP_AND && tn_amd_fused_without(x, u, i, y)) return 1;
  return tn_amd_fused_shift(x, u, i, y);
}
// Element i of u, an elementwise op.
static tn_amd_operand tn_amd_alu_at(tn_amd_selection *x, const tiny_uop *u, int i) {
  tn_amd_operand o[4], y;
  if (tn_amd_fuse(x, u, i, &y)) return y;
  for (uint32_t j = 0; j < u->nsrc && j < 4; j++) o[j] = tn_amd_element(x, u->src[j], i);
  return tn_amd_alu(x, u, o);
}
#endif
