// amd_finish: a list of machine instructions to bytes.
//
// In:  a list whose registers are real, without copies. Out: bytes behind those of out, of the shortest forms that say
//      the same, with s_endpgm at the end; or what could not be written, in refused.
// Holds: branches go to labels by distances of words, from the instruction behind. A kernel that stores, and has so
//      many registers that others wait for them, gives them back before its stores are done (gfx11, gfx12).
#ifndef TN_ISA_AMD_FINISH
#define TN_ISA_AMD_FINISH
#ifndef TINY_AMALGAMATED
#include "amd_show.c"
#include "amd_waits.c"
#endif

// ** shorter instructions that do the same **

static int tn_amd_is_plain(const tn_amd_ins *ins) {
  int bits = ins->lanes | ins->long_form | ins->op_y;
  for (int i = 0; i < ins->n; i++) bits |= ins->o[i].neg | ins->o[i].abs | ins->o[i].op_sel;
  return !bits && !ins->m[TN_AMD_CLAMP] && !ins->m[TN_AMD_OMOD];
}
static int tn_amd_is_same(const tn_amd_operand *a, const tn_amd_operand *b) {
  return a->kind == b->kind && a->reg == b->reg && a->dwords == b->dwords;
}
static int tn_amd_is_signed_16(uint32_t v) { return (int32_t)v >= INT16_MIN && (int32_t)v <= INT16_MAX; }
// A vector register as the second operand, and if there is one, the literal that is not added as the first.
static void tn_amd_turn(tn_amd_ins *ins) {
  const tn_amd_operand first = ins->o[1];
  if (ins->o[2].kind == TN_AMD_VGPR || first.kind != TN_AMD_VGPR) return;
  ins->o[1] = ins->o[2];
  ins->o[2] = first;
}
// d = a * b + c: c is d (fmac); c is a literal (fmaak); a is (fmamk).
static void tn_amd_shorten_fma(tn_amd_ins *ins) {
  const int family = ins->family;
  const int fmac = ins->op == TN_AMD_V_FMA_F32 ? TN_AMD_V_FMAC_F32
                 : ins->op == TN_AMD_V_FMA_F64 ? TN_AMD_V_FMAC_F64 : TN_AMD_V_FMAC_F16;
  const tn_amd_operand *const o = ins->o;
  tn_amd_turn(ins);
  if (tn_amd_is_same(&o[0], &o[3]) && o[2].kind == TN_AMD_VGPR && tn_amd_format(fmac, family) == TN_AMD_VOP2) {
    ins->op = (uint16_t)fmac;
    ins->n = 3;
    memset(&ins->o[3], 0, sizeof ins->o[3]);
  } else if (ins->op == TN_AMD_V_FMA_F32 && o[3].kind == TN_AMD_LITERAL && o[2].kind == TN_AMD_VGPR) {
    ins->op = TN_AMD_V_FMAAK_F32;
  } else if (ins->op == TN_AMD_V_FMA_F32 && o[1].kind == TN_AMD_LITERAL && o[3].kind == TN_AMD_VGPR) {
    const tn_amd_operand literal = o[1];
    ins->op = TN_AMD_V_FMAMK_F32;
    ins->o[1] = o[2];
    ins->o[2] = literal;
  }
}
static void tn_amd_shorten_scalar(tn_amd_ins *ins) {
  const int last = ins->n - 1, literal = last > 0 && ins->o[last].kind == TN_AMD_LITERAL;
  const uint32_t v = last > 0 ? ins->o[last].value : 0;
  const int compares = ins->op >= TN_AMD_S_CMP_EQ_I32 && ins->op <= TN_AMD_S_CMP_LE_U32;
  const int updates = literal && last == 2 && tn_amd_is_same(&ins->o[0], &ins->o[1]);
  int op = 0;
  if (!literal) return;
  if (ins->op == TN_AMD_S_MOV_B32 && tn_amd_is_signed_16(v)) op = TN_AMD_S_MOVK_I32;
  if (ins->op == TN_AMD_S_ADD_I32 && updates && tn_amd_is_signed_16(v)) op = TN_AMD_S_ADDK_I32;
  if (ins->op == TN_AMD_S_MUL_I32 && updates && tn_amd_is_signed_16(v)) op = TN_AMD_S_MULK_I32;
  if (compares && ins->o[0].kind == TN_AMD_SGPR &&
      (ins->op >= TN_AMD_S_CMP_EQ_U32 ? v <= UINT16_MAX : tn_amd_is_signed_16(v)))
    op = ins->op - TN_AMD_S_CMP_EQ_I32 + TN_AMD_S_CMPK_EQ_I32;
  if (!op || !tn_amd_format(op, ins->family)) return;
  ins->op = (uint16_t)op;
  ins->o[compares ? 1 : last == 2 ? 1 : last] = tn_amd_imm((int)v);
  ins->n = 2;
}
// The words of a shorter instruction; 0: there is none.
static int tn_amd_encode_shorter(const tn_amd_ins *of, uint32_t *words) {
  tn_amd_ins ins = *of;
  const int fma = ins.op == TN_AMD_V_FMA_F32 || ins.op == TN_AMD_V_FMA_F64 ||
                  (ins.op == TN_AMD_V_FMA_F16 && ins.family != TN_AMD_GFX9);
  if (fma && tn_amd_is_plain(&ins)) tn_amd_shorten_fma(&ins);
  else if (tn_amd_format(ins.op, ins.family) <= TN_AMD_SOPC) tn_amd_shorten_scalar(&ins);
  if (ins.op == of->op) return 0;
  const int n = tn_amd_encode(ins.family, &ins, words);
  return n && !tn_amd_broken_rule(&ins) ? n : 0;
}

// ** words **

static void tn_amd_finish_refuse(tn_amd_list *l, const tn_amd_line *line, const char *why) {
  tiny_bytes b = {l->t, NULL, 0, 0};
  size_t n;
  char text[400];
  const char *const name = tn_amd_name(line->ins.op, line->ins.family, &n);
  if (l->refused) return;
  tn_amd_line_text(line, text, sizeof text);
  tiny_log_line(l->t, 'd', "%s: %s", text, why);
  tiny_bytes_add(&b, name, n);
  tiny_bytes_add(&b, why, strlen(why) + 1);
  tn_amd_list_refuse(l, b.n > n ? b.data : "there is no memory for it");
}
static int tn_amd_encode_line(tn_amd_list *l, const tn_amd_line *line, uint32_t *words) {
  tn_amd_ins ins = line->ins;
  const int format = tn_amd_format(ins.op, ins.family);
  const int shorter = tn_amd_encode_shorter(&ins, words);
  if (shorter) return shorter;
  int n = tn_amd_encode(ins.family, &ins, words);
  if (!n && !ins.op_y && format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC && !ins.long_form) {
    ins.long_form = 1;
    n = tn_amd_encode(ins.family, &ins, words);
  }
  if (!n || tn_amd_broken_rule(&ins)) { tn_amd_finish_refuse(l, line, " does not take these operands"); return 0; }
  return n;
}
static void tn_amd_add_words(tiny_bytes *out, const uint32_t *words, int n) {
  for (int i = 0; i < n; i++) {
    uint8_t bytes[4];
    tn_amd_put_bytes(bytes, words[i], 4);
    tiny_bytes_add(out, bytes, 4);
  }
}
static int tn_amd_words_of(const tiny_bytes *out, size_t from) { return (int)((out->n - from) / 4); }

// ** the end **

static int tn_amd_gives_registers_back(const tn_amd_list *l) {
  int stores = 0;
  if (l->family == TN_AMD_GFX9 || l->setup.scratch || l->setup.vgprs <= l->chip->vgprs / l->chip->waves) return 0;
  for (int i = 0; i < l->n; i++) {
    stores |= tn_amd_access_kind(&l->line[i]) == TN_AMD_A_STORE;
    if (tn_amd_format(l->line[i].ins.op, l->family) == TN_AMD_SCRATCH) return 0;
  }
  return stores;
}
static int tn_amd_ends(const tn_amd_list *l) {
  const tn_amd_line *const last = &l->line[l->n - 1];
  return l->n && last->kind == TN_AMD_LINE_INS && last->ins.op == TN_AMD_S_ENDPGM;
}
// gfx11 wants s_nop in front of the message (LLVM, SIInsertWaitcnts.cpp, "dealloc VGPRs").
static void tn_amd_finish_end(tn_amd_list *l) {
  if (tn_amd_ends(l)) return;
  if (tn_amd_gives_registers_back(l)) {
    const tn_amd_operand zero = tn_amd_imm(0), message = tn_amd_imm(3);
    const tn_amd_operand o[2] = {zero, message};
    for (int i = 0; i < 2; i++) {
      tn_amd_line *const line = tn_amd_line_new(l, TN_AMD_LINE_INS, -1);
      line->ins.op = (uint16_t)(i ? TN_AMD_S_SENDMSG : TN_AMD_S_NOP);
      line->ins.n = 1; line->ins.o[0] = o[i];
    }
  }
  tn_amd_line *const end = tn_amd_line_new(l, TN_AMD_LINE_INS, -1);
  end->ins.op = TN_AMD_S_ENDPGM; end->ins.n = 1; end->ins.o[0] = tn_amd_imm(0);
}

// ** branches **

static void tn_amd_finish_branches(tn_amd_list *l, tiny_bytes *out, size_t from, const int *at, const int *label) {
  for (int i = 0; i < l->n && !l->refused; i++) {
    const int to = tn_amd_goes_to(&l->line[i]);
    if (to < 0) continue;
    const int distance = label[to] - 1 - (at[i] + 1);
    if (!label[to]) tn_amd_list_refuse(l, "a label is nowhere");
    else if (distance < INT16_MIN || distance > INT16_MAX) tn_amd_list_refuse(l, "a label is too far away");
    else tn_amd_put_bytes((uint8_t *)out->data + from + 4 * (size_t)at[i], (uint64_t)distance, 2);
  }
}
// 1: out has all of it.
static int tn_amd_finish_list(tn_amd_list *l, tiny_bytes *out) {
  const size_t from = out->n;
  size_t nbytes = from;
  if (l->refused) return 0;
  tn_amd_finish_end(l);
  int *const at = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int));
  int *const label = (int *)tn_amd_room(l, (size_t)l->labels + 1, sizeof(int));       // + 1; 0: nowhere
  if (!at || !label) tn_amd_list_refuse(l, "there is no memory for it");
  for (int i = 0; i < l->n && !l->refused; i++) {
    const tn_amd_line *const line = &l->line[i];
    uint32_t words[TN_AMD_MOST_WORDS];
    at[i] = tn_amd_words_of(out, from);
    if (line->kind == TN_AMD_LINE_LABEL) label[line->label] = at[i] + 1;
    if (line->kind == TN_AMD_LINE_COPY) tn_amd_list_refuse(l, "a copy has no registers yet");
    if (line->kind != TN_AMD_LINE_INS) continue;
    const int n = tn_amd_encode_line(l, line, words);
    tn_amd_add_words(out, words, n);
    nbytes += 4 * (size_t)n;
    if (out->n != nbytes) tn_amd_list_refuse(l, "there is no memory for it");
  }
  if (!l->refused) tn_amd_finish_branches(l, out, from, at, label);
  return !l->refused;
}
#endif
