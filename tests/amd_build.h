// amd_build: kernels for AMD's GPUs written instruction by instruction in C, a call each, with labels.
//
// In:  operations of amd_table.c and operands. Out: words; where one is refused, which call it was and a sentence.
// Holds: a program is the caller's, and is empty where it is 0 but for family and out. After the first refusal nothing
//        is added. What an instruction has beside operands is said by tn_amd_with before it.
#ifndef AMD_BUILD_H
#define AMD_BUILD_H
#include "../src/isa/amd_operands.c"

enum { TN_AMD_MOST_LABELS = 64 };
// label: words before it, + 1, 0: not yet; branch: words before it, + 1, and to which label
typedef struct tn_amd_program {
  int family; tiny_bytes *out;
  int calls, wrong_call; const char *wrong;
  int32_t m[TN_AMD_MODIFIERS]; uint8_t lanes;
  int label[TN_AMD_MOST_LABELS], nbranches; struct { int at, label; } branch[4 * TN_AMD_MOST_LABELS];
} tn_amd_program;

// ** instructions **

// A modifier of the next instruction; DPP16's control says where its src0 comes from.
static void tn_amd_with(tn_amd_program *p, int modifier, int32_t value) {
  p->m[modifier] = value;
  if (modifier != TN_AMD_DPP_CTRL) return;
  p->lanes = TN_AMD_DPP16;
  p->m[TN_AMD_ROW_MASK] = p->m[TN_AMD_BANK_MASK] = 15;
}
static void tn_amd_refuse(tn_amd_program *p, const char *why) {
  if (p->wrong) return;
  p->wrong = why; p->wrong_call = p->calls;
}
// The short form where it takes the operands, the long one else. Packed operands are of both halves.
static void tn_amd_emit(tn_amd_program *p, int op, int n, const tn_amd_operand *o) {
  tn_amd_ins ins;
  uint32_t words[TN_AMD_MOST_WORDS];
  memset(&ins, 0, sizeof ins);
  p->calls++;
  if (p->wrong) return;
  const int known = n <= TN_AMD_MOST_OPERANDS && op > 0 && op < TN_AMD_COUNT;
  const int format = known ? tn_amd_format(op, p->family) : TN_AMD_NO_FORMAT;
  if (!format) { tn_amd_refuse(p, "there is no such instruction"); return; }
  const tn_amd_form form = tn_amd_form_of(op, p->family);
  ins.op = (uint16_t)op; ins.family = (uint8_t)p->family; ins.n = (uint8_t)n; ins.lanes = p->lanes;
  for (int i = 0; i < n; i++) {
    const char what = i < form.n ? form.operands[2 * i + 1] : '1';
    ins.o[i] = o[i];
    if (format == TN_AMD_VOP3P && !strchr("fFh", what)) ins.o[i].op_sel_hi = 1;
    if (o[i].kind == TN_AMD_INLINE) ins.o[i].dwords = (uint8_t)tn_amd_dwords(p->family, what);
  }
  memcpy(ins.m, p->m, sizeof ins.m);
  memset(p->m, 0, sizeof p->m);
  p->lanes = 0;
  int nwords = tn_amd_encode(p->family, &ins, words);
  ins.long_form = !nwords && format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC;
  if (!nwords) nwords = tn_amd_encode(p->family, &ins, words);
  const char *const broken = nwords ? tn_amd_broken_rule(&ins) : "the instruction does not take these operands";
  if (broken) { tn_amd_refuse(p, broken); return; }
  for (int i = 0; i < nwords; i++) {
    uint8_t bytes[4];
    tn_amd_put_bytes(bytes, words[i], 4);
    tiny_bytes_add(p->out, bytes, 4);
  }
}
// TN_AMD_EMIT(p, TN_AMD_V_ADD_F32, tn_amd_v(0, 1), tn_amd_v(1, 1), tn_amd_int(2));
#define TN_AMD_EMIT(p, op, ...) do { \
    const tn_amd_operand tn_amd_list[] = {__VA_ARGS__}; \
    tn_amd_emit(p, op, (int)(sizeof tn_amd_list / sizeof *tn_amd_list), tn_amd_list); \
  } while (0)

// ** labels **

static void tn_amd_label_here(tn_amd_program *p, int label) {
  const int known = label >= 0 && label < TN_AMD_MOST_LABELS;
  if (!known || p->label[label]) tn_amd_refuse(p, known ? "a label is in two places" : "there is no such label");
  else p->label[label] = (int)(p->out->n / 4) + 1;
}
// A jump to a label, which may come behind it.
static void tn_amd_branch(tn_amd_program *p, int op, int label) {
  const int most = (int)(sizeof p->branch / sizeof *p->branch), at = (int)(p->out->n / 4);
  const tn_amd_operand zero = tn_amd_imm(0);
  tn_amd_emit(p, op, 1, &zero);
  const int known = label >= 0 && label < TN_AMD_MOST_LABELS && p->nbranches < most;
  if (!known) { tn_amd_refuse(p, "there is no such label"); return; }
  p->branch[p->nbranches].at = at;
  p->branch[p->nbranches++].label = label;
}
// Writes distances into jumps. 1: the program is whole.
static int tn_amd_finish(tn_amd_program *p) {
  for (int i = 0; i < p->nbranches && !p->wrong; i++) {
    const int at = p->branch[i].at, to = p->label[p->branch[i].label] - 1, distance = to - at - 1;
    if (to < 0) tn_amd_refuse(p, "a label is nowhere");
    else if (distance < INT16_MIN || distance > INT16_MAX) tn_amd_refuse(p, "a label is too far away");
    else if (4 * (size_t)at + 4 <= p->out->n)
      tn_amd_put_bytes((uint8_t *)p->out->data + 4 * (size_t)at, (uint64_t)distance, 2);
  }
  return !p->wrong;
}
#endif
