// amd_pairs: ops on words of vectors, two or four elements an instruction, on AMD's GPUs.
//
// In:  a vector's op. Out: its words, or its elements of words of its source; which form it takes of its sources.
// Holds: of f16 each is rounded once, as that of an element is; of 16 bits there is nothing to wrap. A cast takes words
//        of a source that comes as words, and gives words where they are wanted.
// Source: AMD's ISA guides (amd.c), "VOP3P": v_pk_*, v_fma_mix_f32; v_perm_b32.
#ifndef TN_ISA_AMD_PAIRS
#define TN_ISA_AMD_PAIRS
#ifndef TINY_AMALGAMATED
#include "amd_arithmetic.c"
#endif

// ** of which ops **

// f16: of two f16; whole: of two integers of 16 bits, of those with a sign the second
typedef struct tn_amd_pair_row { uint8_t op; uint16_t f16, whole, with_sign; } tn_amd_pair_row;
static const tn_amd_pair_row tn_amd_pair_rows[] = {
  {TINY_OP_ADD, TN_AMD_V_PK_ADD_F16, TN_AMD_V_PK_ADD_U16, TN_AMD_V_PK_ADD_U16},
  {TINY_OP_SUB, TN_AMD_V_PK_ADD_F16, TN_AMD_V_PK_SUB_U16, TN_AMD_V_PK_SUB_U16},
  {TINY_OP_MUL, TN_AMD_V_PK_MUL_F16, TN_AMD_V_PK_MUL_LO_U16, TN_AMD_V_PK_MUL_LO_U16},
  {TINY_OP_MAX, TN_AMD_V_PK_MAXIMUM_F16, TN_AMD_V_PK_MAX_U16, TN_AMD_V_PK_MAX_I16},
  {TINY_OP_SHL, 0, TN_AMD_V_PK_LSHLREV_B16, TN_AMD_V_PK_LSHLREV_B16},
  {TINY_OP_SHR, 0, TN_AMD_V_PK_LSHRREV_B16, TN_AMD_V_PK_ASHRREV_I16}
};
// The instruction of all words of u; 0: there is none.
static int tn_amd_pair_op(const tn_amd_selection *x, const tiny_uop *u) {
  const int d = u->dtype, half = d == TINY_F16, whole = d == TINY_I16 || d == TINY_U16;
  int op = 0;
  if (!tn_amd_packs(u) || (u->nsrc && u->src[0]->dtype != d)) return 0;
  if (!tn_amd_is_float(d)) {
    if (u->op == TINY_OP_AND) return TN_AMD_V_AND_B32;
    if (u->op == TINY_OP_OR) return TN_AMD_V_OR_B32;
    if (u->op == TINY_OP_XOR) return TN_AMD_V_XOR_B32;
  }
  if (half && u->op == TINY_OP_NEG) return TN_AMD_V_XOR_B32;
  for (size_t i = 0; i < sizeof tn_amd_pair_rows / sizeof *tn_amd_pair_rows; i++)
    if (tn_amd_pair_rows[i].op == u->op)
      op = half ? tn_amd_pair_rows[i].f16 : !whole ? 0 : d == TINY_I16 ? tn_amd_pair_rows[i].with_sign :
                                                                       tn_amd_pair_rows[i].whole;
  return op && tn_amd_format(op, x->family) ? op : 0;
}
// Does a source come as words, as far as its op tells?
static int tn_amd_comes_as_words(const tn_amd_selection *x, const tiny_uop *s) {
  if (!tn_amd_packs(s)) return 0;
  if (s->op == TINY_OP_BITCAST && s->lanes == s->src[0]->lanes) return tn_amd_comes_as_words(x, s->src[0]);
  return s->op == TINY_OP_LOAD || s->op == TINY_OP_BITCAST || s->op == TINY_OP_PICK || tn_amd_pair_op(x, s);
}
static int tn_amd_cast_takes_words(const tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int known = s->dtype == TINY_F16 || s->dtype == TINY_BF16 || s->dtype == TINY_U8 ||
      (x->family == TN_AMD_GFX12 && tn_amd_is_fp8(s->dtype));
  return u->op == TINY_OP_CAST && u->dtype == TINY_F32 && known && u->lanes == s->lanes && tn_amd_comes_as_words(x, s);
}
static int tn_amd_cast_gives_words(const tn_amd_selection *x, const tiny_uop *u) {
  const int known = u->dtype == TINY_BF16 || (x->family == TN_AMD_GFX12 && tn_amd_is_fp8(u->dtype));
  return u->op == TINY_OP_CAST && u->src[0]->dtype == TINY_F32 && known && tn_amd_packs(u);
}
// Does u, of several lanes, take words of its sources that have them?
static int tn_amd_takes_words(const tn_amd_selection *x, const tiny_uop *u) {
  return tn_amd_pair_op(x, u) != 0 || tn_amd_cast_takes_words(x, u);
}

// ** words of words **

static tn_amd_operand tn_amd_pair(tn_amd_selection *x, const tiny_uop *u, int op, int i) {
  tn_amd_operand a = tn_amd_bits_at(x, u->src[0], i), b = a;
  const int from_right = u->op == TINY_OP_SHL || u->op == TINY_OP_SHR;
  const int packed = tn_amd_format(op, x->family) == TN_AMD_VOP3P;
  if (u->nsrc > 1) b = tn_amd_bits_at(x, u->src[1], i);
  else b = tn_amd_k32(0x80008000);         // of NEG
  if (!packed && tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))
    return tn_amd_uniform2(x, op == TN_AMD_V_AND_B32 ? TN_AMD_S_AND_B32 :
                              op == TN_AMD_V_OR_B32 ? TN_AMD_S_OR_B32 : TN_AMD_S_XOR_B32, 1, a, b);
  if (packed && tn_amd_is_constant(&a) && a.value) a = tn_amd_in_sgprs(x->l, a);
  if (packed && tn_amd_is_constant(&b) && b.value) b = tn_amd_in_sgprs(x->l, b);
  if (u->op == TINY_OP_SUB && u->dtype == TINY_F16) b.neg = b.abs = 1;       // of both halves
  return from_right ? tn_amd_v2(x, op, b, a) : tn_amd_v2(x, op, a, b);
}

// ** elements of words **

// 1 * v - 0, of the upper half of f16.
static tn_amd_operand tn_amd_upper_f16(tn_amd_selection *x, tn_amd_operand word) {
  word.op_sel = word.op_sel_hi = 1;
  return tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, word, tn_amd_bits(0x3F800000), tn_amd_negated(tn_amd_int(0)));
}
static void tn_amd_pair_of_fp8(tn_amd_selection *x, int from, tn_amd_operand word, int upper, int at) {
  const tn_amd_operand both = tn_amd_new_v(x->l, 2);
  word.op_sel = (uint8_t)upper;
  tn_amd_do2(x->l, from == TINY_F8E4M3 ? TN_AMD_V_CVT_PK_F32_FP8 : TN_AMD_V_CVT_PK_F32_BF8, both, word);
  for (int k = 0; k < 2; k++) x->pool[at + k] = tn_amd_slice(both, k, 1);
}
static tn_amd_operand tn_amd_f32_of_word(tn_amd_selection *x, int from, tn_amd_operand word, int at) {
  if (from == TINY_U8) return tn_amd_v1(x, at == 0 ? TN_AMD_V_CVT_F32_UBYTE0 : at == 1 ? TN_AMD_V_CVT_F32_UBYTE1 :
                                           at == 2 ? TN_AMD_V_CVT_F32_UBYTE2 : TN_AMD_V_CVT_F32_UBYTE3, word);
  if (!at) return tn_amd_f32_of_narrow(x, from, word);
  if (from == TINY_F16) return tn_amd_upper_f16(x, word);
  return tn_amd_either(x, TN_AMD_S_AND_B32, TN_AMD_V_AND_B32, tn_amd_k32(0xFFFF0000), word);
}
static void tn_amd_cast_words(tn_amd_selection *x, const tiny_uop *u) {
  const int from = u->src[0]->dtype, each = 32 / tn_amd_bits_of(from), fp8 = tn_amd_is_fp8(from),
            first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->l->refused; i += fp8 ? 2 : 1) {
    const tn_amd_operand word = tn_amd_bits_at(x, u->src[0], i / each);
    if (fp8) { tn_amd_pair_of_fp8(x, from, word, i % each / 2, first + i); continue; }
    const tn_amd_operand f = tn_amd_f32_of_word(x, from, word, i % each);
    x->pool[first + i] = f;
  }
}

// ** words of elements **

// Two f32 as two bf16: their upper halves, rounded.
static tn_amd_operand tn_amd_two_bf16(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  const tn_amd_operand a = tn_amd_rounded_bf16(x, low), b = tn_amd_rounded_bf16(x, high);
  return tn_amd_v3(x, TN_AMD_V_PERM_B32, b, a, tn_amd_k32(0x07060302));
}
// Four f32 as four codes: the second two go into the upper half of what has the first two.
static tn_amd_operand tn_amd_four_fp8(tn_amd_selection *x, int to, const tn_amd_operand *o) {
  const int op = to == TINY_F8E4M3 ? TN_AMD_V_CVT_PK_FP8_F32 : TN_AMD_V_CVT_PK_BF8_F32;
  const tn_amd_operand low = tn_amd_v2(x, op, o[0], o[1]), high = tn_amd_v2(x, op, o[2], o[3]);
  return tn_amd_packed_halves(x, low, high);
}
static void tn_amd_cast_to_words(tn_amd_selection *x, const tiny_uop *u) {
  const int n = tn_amd_nwords(u), each = u->lanes / n, first = x->words[u->seq] = tn_amd_take(x, n);
  for (int i = 0; i < n && !x->l->refused; i++) {
    tn_amd_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_amd_element(x, u->src[0], i * each + j);
    const tn_amd_operand word = each == 2 ? tn_amd_two_bf16(x, o[0], o[1]) : tn_amd_four_fp8(x, u->dtype, o);
    x->pool[first + i] = word;
  }
}

// ** two f32 by one instruction (gfx942) **

static int tn_amd_is_beside(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s) {
  return !x->inside || x->inside[u->seq] == x->inside[s->seq];
}
static int tn_amd_wide_pair_op(const tn_amd_selection *x, const tiny_uop *u) {
  const int op = u->op, fits = u->dtype == TINY_F32 && u->lanes > 1 && u->lanes % 2 == 0 && x->family == TN_AMD_GFX9;
  if (!fits) return 0;
  return op == TINY_OP_FMA ? TN_AMD_V_PK_FMA_F32 : op == TINY_OP_MUL ? TN_AMD_V_PK_MUL_F32 :
      op == TINY_OP_ADD || op == TINY_OP_SUB ? TN_AMD_V_PK_ADD_F32 : 0;
}
// Elements i and i + 1 of s as a pair of registers of which halves are taken: two beside each other, or one of a tuple
// twice. 0: they are none.
static int tn_amd_wide_pair_of(const tn_amd_selection *x, const tiny_uop *s, int i, tn_amd_operand *o) {
  const tn_amd_operand a = tn_amd_element(x, s, i), b = tn_amd_element(x, s, i + 1);
  if (a.kind != TN_AMD_VGPR || b.kind != a.kind || a.reg != b.reg || a.reg < TN_AMD_VIRTUAL) return 0;
  if ((b.sub | 1) != (a.sub | 1) || a.sub > b.sub || (a.sub | 1) >= x->l->vreg[a.reg - TN_AMD_VIRTUAL].dwords) return 0;
  *o = a;
  o->sub = (uint8_t)(a.sub & ~1); o->dwords = 2;
  o->op_sel = a.sub & 1; o->op_sel_hi = b.sub & 1;
  return 1;
}
static int tn_amd_wide_pairs_are(const tn_amd_selection *x, const tiny_uop *s) {
  tn_amd_operand o;
  for (int i = 0; i < s->lanes; i += 2) if (!tn_amd_wide_pair_of(x, s, i, &o)) return 0;
  return 1;
}
// Is it the same for all elements?
static int tn_amd_wide_pair_same(const tn_amd_selection *x, const tiny_uop *s) {
  const tn_amd_operand first = tn_amd_element(x, s, 0);
  int same = first.kind != TN_AMD_OFF;
  for (int i = 1; i < s->lanes && same; i++) {
    const tn_amd_operand o = tn_amd_element(x, s, i);
    same = o.kind == first.kind && o.reg == first.reg && o.sub == first.sub && o.value == first.value;
  }
  return same;
}
// Of a source: its pairs; what all elements are; registers apart, which can be brought together.
enum { TN_AMD_NO_PAIRS, TN_AMD_PAIRS, TN_AMD_ONE, TN_AMD_APART };
static int tn_amd_wide_kind(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s) {
  int apart = tn_amd_is_beside(x, u, s) && s->lanes == u->lanes;
  if (tn_amd_wide_pairs_are(x, s)) return TN_AMD_PAIRS;
  if (tn_amd_wide_pair_same(x, s)) return TN_AMD_ONE;
  for (int i = 0; i < s->lanes && apart; i++) {
    const tn_amd_operand o = tn_amd_element(x, s, i);
    apart = o.kind == TN_AMD_VGPR && !o.sub && tn_amd_is_virtual(&o) && x->l->vreg[o.reg - TN_AMD_VIRTUAL].dwords == 1;
  }
  return apart ? TN_AMD_APART : TN_AMD_NO_PAIRS;
}
// From here on the elements of s lie beside each other; where they were nobody asks any more.
static void tn_amd_bring_together(tn_amd_selection *x, const tiny_uop *s) {
  for (int i = 0; i < s->lanes; i += 2) {
    const tn_amd_operand pair = tn_amd_joined(x, tn_amd_element(x, s, i), tn_amd_element(x, s, i + 1));
    for (int k = 0; k < 2; k++) x->pool[x->elements[s->seq] + i + k] = tn_amd_slice(pair, k, 1);
  }
}
// The first of a pair, which is taken twice. One scalar pair may be read; others come of vector registers.
static tn_amd_operand tn_amd_wide_one(tn_amd_selection *x, const tiny_uop *s, int *scalars) {
  const tn_amd_operand one = tn_amd_element(x, s, 0);
  const int scalar = tn_amd_is_uniform(&one) && !(*scalars)++;
  const tn_amd_operand pair = scalar ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
  tn_amd_copy(x->l, tn_amd_slice(pair, 0, 1), one);
  return pair;
}
// Is a source the cast of an f16 that nobody else wants? It is none by v_fma_mix_f32 (amd_fused.c).
static int tn_amd_mixes(const tn_amd_selection *x, const tiny_uop *u) {
  for (uint32_t j = 0; j < u->nsrc; j++) {
    const tiny_uop *const s = u->src[j];
    if (s->op == TINY_OP_CAST && s->src[0]->dtype == TINY_F16 && x->uses && x->uses[s->seq] == 1) return 1;
  }
  return 0;
}
static int tn_amd_wide_pairs(tn_amd_selection *x, const tiny_uop *u) {
  const int op = tn_amd_wide_pair_op(x, u), n = (int)u->nsrc;
  tn_amd_operand same[3], o[4];
  int scalars = 0, kind[3] = {0, 0, 0}, pairs = 0;
  if (!op || tn_amd_mixes(x, u)) return 0;
  for (int j = 0; j < n; j++) {
    kind[j] = tn_amd_wide_kind(x, u, u->src[j]);
    pairs += kind[j] != TN_AMD_ONE;
    if (kind[j] == TN_AMD_NO_PAIRS) return 0;
  }
  if (!pairs) return 0;
  for (int j = 0; j < n; j++) {
    if (kind[j] == TN_AMD_ONE) same[j] = tn_amd_wide_one(x, u->src[j], &scalars);
    if (kind[j] == TN_AMD_APART && !tn_amd_wide_pairs_are(x, u->src[j])) tn_amd_bring_together(x, u->src[j]);
  }
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->l->refused; i += 2) {
    o[0] = tn_amd_new_v(x->l, 2);
    for (int j = 0; j < n; j++)
      if (kind[j] == TN_AMD_ONE) o[1 + j] = same[j];
      else tn_amd_wide_pair_of(x, u->src[j], i, &o[1 + j]);
    if (u->op == TINY_OP_SUB) o[2].neg = o[2].abs = 1;
    tn_amd_line *const line = tn_amd_do(x->l, op, n + 1, o);
    for (int j = 1; j <= n; j++) {         // which halves, whatever a packed one has by itself
      line->ins.o[j].op_sel = o[j].op_sel; line->ins.o[j].op_sel_hi = o[j].op_sel_hi;
    }
    for (int k = 0; k < 2; k++) x->pool[first + i + k] = tn_amd_slice(o[0], k, 1);
  }
  return 1;
}

// Memory of registers whose elements had best lie beside each other: sums of such pairs.
static int tn_amd_keeps_pairs(const tn_amd_selection *x, const tiny_uop *u) {
  return x->family == TN_AMD_GFX9 && u->dtype == TINY_F32 && u->lanes % 2 == 0 && u->lanes <= TN_AMD_MOST_TUPLE;
}

// 1: u is done, of words or as words; 0: it is to be done an element at a time.
static int tn_amd_alu_words(tn_amd_selection *x, const tiny_uop *u) {
  const int op = u->lanes > 1 ? tn_amd_pair_op(x, u) : 0;
  if (u->lanes < 2) return 0;
  if (tn_amd_wide_pairs(x, u)) return 1;
  if (tn_amd_cast_takes_words(x, u) && x->words[u->src[0]->seq] >= 0) { tn_amd_cast_words(x, u); return 1; }
  if (tn_amd_cast_gives_words(x, u) && x->wants[u->seq] == TN_AMD_WORDS) { tn_amd_cast_to_words(x, u); return 1; }
  for (uint32_t j = 0; op && j < u->nsrc; j++) if (x->words[u->src[j]->seq] < 0) return 0;
  if (!op) return 0;
  const int n = tn_amd_nwords(u), first = x->words[u->seq] = tn_amd_take(x, n);
  for (int i = 0; i < n && !x->l->refused; i++) {
    const tn_amd_operand word = tn_amd_pair(x, u, op, i);
    x->pool[first + i] = word;
  }
  return 1;
}
#endif
