// amd_parse: assembly text of AMD's GPUs -> instructions, and whole programs with labels -> words.
//
// In:  text as LLVM's assembler takes it: an instruction a line; labels; comments behind // and ;. Out: instructions,
//      or where it goes wrong, line and column from 1 on, and a sentence.
// Holds: what a line says is looked up in the tables that amd_text.c writes from. A name without _e32 or _e64 is a
//        short form where one takes the operands. Numbers from -16 to 64, floats that have codes are inline constants.
#ifndef TN_ISA_AMD_PARSE
#define TN_ISA_AMD_PARSE
#ifndef TINY_AMALGAMATED
#include "amd_rules.c"
#include "amd_text.c"
#include "amd_descriptor.c"
#endif
#ifndef TINY_API
#include "../api/api.h"
#endif

typedef struct tn_amd_error { int line, column; const char *sentence; } tn_amd_error;    // sentence NULL: there is none
typedef struct tn_amd_label { const char *name; size_t n; int at; } tn_amd_label;  // at: dwords from the beginning

// at: of the line; wrong: where sentence was said; place: dwords before the instruction; labels NULL: any name will do
typedef struct tn_amd_parser {
  const char *line, *at, *end, *wrong, *sentence; int family, place, nlabels; const tn_amd_label *labels;
} tn_amd_parser;

static int tn_amd_fail(tn_amd_parser *p, const char *sentence) {           // -> 0
  if (!p->sentence) { p->sentence = sentence; p->wrong = p->at; }
  return 0;
}

// ** words and numbers **

static void tn_amd_space(tn_amd_parser *p) { while (p->at < p->end && (*p->at == ' ' || *p->at == '\t')) p->at++; }
static int tn_amd_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}
static size_t tn_amd_word_length(const tn_amd_parser *p) {
  const char *q = p->at;
  while (q < p->end && tn_amd_is_word(*q)) q++;
  return (size_t)(q - p->at);
}
static int tn_amd_next_is(tn_amd_parser *p, const char *text) {            // and passes it
  const size_t n = strlen(text);
  tn_amd_space(p);
  if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0) return 0;
  p->at += n;
  return 1;
}
static int tn_amd_expect(tn_amd_parser *p, const char *text, const char *sentence) {
  return tn_amd_next_is(p, text) || tn_amd_fail(p, sentence);
}
static int tn_amd_next_word(tn_amd_parser *p, const char *word) {          // a whole one
  const char *const before = p->at;
  const size_t n = strlen(word);
  tn_amd_space(p);
  if (tn_amd_word_length(p) == n && !memcmp(p->at, word, n)) { p->at += n; return 1; }
  p->at = before;
  return 0;
}
static int tn_amd_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
                                         c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99; }
// A whole number of at most 64 bits, decimal or hexadecimal, with a sign.
static int tn_amd_read_int(tn_amd_parser *p, int64_t *v) {
  const int minus = tn_amd_next_is(p, "-");
  uint64_t n = 0, base = 10;
  tn_amd_space(p);
  if (p->end - p->at > 2 && p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X')) { base = 16; p->at += 2; }
  if (p->at == p->end || (uint64_t)tn_amd_digit(*p->at) >= base) return tn_amd_fail(p, "a number is missing");
  for (; p->at < p->end && (uint64_t)tn_amd_digit(*p->at) < base; p->at++) {
    if (n > (INT64_MAX - 15) / base) return tn_amd_fail(p, "a number is too large");
    n = n * base + (uint64_t)tn_amd_digit(*p->at);
  }
  *v = minus ? -(int64_t)n : (int64_t)n;
  return 1;
}
static int tn_amd_read_within(tn_amd_parser *p, int64_t least, int64_t most, int32_t *v) {
  const char *const before = p->at;
  int64_t n;
  if (!tn_amd_read_int(p, &n)) return 0;
  *v = (int32_t)(uint32_t)n;
  if (n >= least && n <= most) return 1;
  p->at = before;
  return tn_amd_fail(p, "a number does not fit");
}
// [0,1,..]: -> how many; 0: it is wrong.
static int tn_amd_read_list(tn_amd_parser *p, int most, int value, int32_t *list) {
  int n = 0;
  if (!tn_amd_expect(p, "[", "[ is missing")) return 0;
  do {
    if (n == most) return tn_amd_fail(p, "the list is too long");
    if (!tn_amd_read_within(p, 0, value, &list[n++])) return 0;
  } while (tn_amd_next_is(p, ","));
  return tn_amd_expect(p, "]", "] is missing") ? n : 0;
}
static const tn_amd_word_of *tn_amd_read_name(tn_amd_parser *p, const tn_amd_word_of *table, int n) {
  for (int i = 0; i < n; i++) {
    if (table[i].families && !(table[i].families >> p->family & 1)) continue;
    if (tn_amd_next_word(p, table[i].name)) return &table[i];
  }
  return NULL;
}
static int tn_amd_read_one_of(tn_amd_parser *p, const char *const *names, int n, int32_t *v) {
  for (int i = 0; i < n; i++) if (*names[i] && tn_amd_next_word(p, names[i])) { *v = i; return 1; }
  return tn_amd_fail(p, "a name is not known");
}

// ** registers and constants **

// v5, v[8:11], s.., a.., ttmp..; 0: there is none, and nothing is passed or something is wrong.
static int tn_amd_read_numbered(tn_amd_parser *p, tn_amd_operand *o) {
  static const struct { char name[5]; uint8_t kind, from; } files[] = {
    {"v", TN_AMD_VGPR, 0}, {"s", TN_AMD_SGPR, 0}, {"a", TN_AMD_AGPR, 0}, {"ttmp", TN_AMD_SGPR, TN_AMD_TTMP}};
  const char *const before = p->at;
  int32_t first, last;
  for (int i = 0; i < 4; i++) {
    const size_t n = strlen(files[i].name);
    if ((size_t)(p->end - p->at) <= n || memcmp(p->at, files[i].name, n) != 0) continue;
    if (p->at[n] != '[' && tn_amd_digit(p->at[n]) > 9) continue;
    p->at += n;
    const int tuple = tn_amd_next_is(p, "[");
    const int most = files[i].kind != TN_AMD_SGPR ? 255 : files[i].from ? 15 : tn_amd_last_sgpr(p->family);
    if (!tn_amd_read_within(p, 0, most, &first)) return 0;
    last = first;
    if (tuple && tn_amd_next_is(p, ":") && !tn_amd_read_within(p, first, most, &last)) return 0;
    if (tuple && !tn_amd_expect(p, "]", "] is missing")) return 0;
    o->kind = files[i].kind; o->reg = (uint16_t)(first + files[i].from); o->dwords = (uint8_t)(last - first + 1);
    const int half = p->end - p->at > 1 && *p->at == '.' && (p->at[1] == 'h' || p->at[1] == 'l');
    if (half) { o->op_sel = p->at[1] == 'h'; p->at += 2; }
    if (p->at == p->end || !tn_amd_is_word(*p->at)) return 1;
    p->at = before;
  }
  return 0;
}
static int tn_amd_read_register(tn_amd_parser *p, tn_amd_operand *o) {
  tn_amd_space(p);
  const tn_amd_word_of *const r = tn_amd_read_name(p, tn_amd_registers, TN_AMD_NUMBER_OF(tn_amd_registers));
  if (!r) return tn_amd_read_numbered(p, o);
  o->kind = r->value < 128 ? TN_AMD_SGPR : TN_AMD_SPECIAL;
  o->reg = r->value;
  o->dwords = r->dwords;                   // 0: as many as are wanted
  return 1;
}
static int tn_amd_read_float(tn_amd_parser *p, tn_amd_operand *o) {
  const char *const before = p->at;
  const int minus = tn_amd_next_is(p, "-");
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_floats); i++) {
    const char *const name = tn_amd_floats[i].name;
    if ((*name == '-') != minus || !tn_amd_next_word(p, name + minus)) continue;
    o->kind = TN_AMD_INLINE; o->reg = (uint16_t)(240 + i);
    return 1;
  }
  if (!minus && tn_amd_next_word(p, "0.15915494309189532")) { o->kind = TN_AMD_INLINE; o->reg = 248; return 1; }
  p->at = before;
  return 0;
}
static int tn_amd_read_constant(tn_amd_parser *p, tn_amd_operand *o) {
  const char *const before = p->at;
  int64_t v;
  if (tn_amd_read_float(p, o)) return 1;
  if (!tn_amd_read_int(p, &v)) return 0;
  if (p->at < p->end && *p->at == '.') {
    p->at = before;
    return tn_amd_fail(p, "a float that is no inline constant is written by its bits, as 0x3fc00000");
  }
  if (v < INT32_MIN || v > UINT32_MAX) { p->at = before; return tn_amd_fail(p, "a literal has 32 bits"); }
  o->kind = v >= -16 && v <= 64 ? TN_AMD_INLINE : TN_AMD_LITERAL;
  if (o->kind == TN_AMD_INLINE) o->reg = (uint16_t)(v >= 0 ? 128 + v : 192 - v);
  o->value = (uint32_t)v;
  return 1;
}
// A register or constant with its signs.
static int tn_amd_read_signed(tn_amd_parser *p, tn_amd_operand *o) {
  tn_amd_space(p);
  const int call = tn_amd_next_is(p, "neg(");
  const char next = p->end - p->at > 1 && *p->at == '-' ? p->at[1] : 0;
  if (!call && next && tn_amd_digit(next) > 9) { o->neg = 1; p->at++; }    // -5 is a number, -v5 has a sign, -|5|, too
  else o->neg = (uint8_t)call;
  const int calls = tn_amd_next_is(p, "abs("), bars = !calls && tn_amd_next_is(p, "|");
  const int sext = !calls && !bars && tn_amd_next_is(p, "sext(");
  o->abs = (uint8_t)(calls || bars); o->sext = (uint8_t)sext;
  if (!tn_amd_read_register(p, o) && (p->sentence || !tn_amd_read_constant(p, o)))
    return tn_amd_fail(p, "there is no such register or constant");
  if ((calls || sext) && !tn_amd_expect(p, ")", ") is missing")) return 0;
  if (bars && !tn_amd_expect(p, "|", "| is missing")) return 0;
  return !call || tn_amd_expect(p, ")", ") is missing");
}

// ** numbers of s_* instructions **

static int tn_amd_is_number_next(tn_amd_parser *p) {
  tn_amd_space(p);
  return p->at < p->end && (*p->at == '-' || tn_amd_digit(*p->at) < 10);
}
static int tn_amd_read_message(tn_amd_parser *p, uint32_t *v) {
  int32_t id, op = 0, stream = 0;
  if (!tn_amd_expect(p, "sendmsg(", "a message is missing: sendmsg(..) or its number")) return 0;
  const tn_amd_word_of *const m = tn_amd_read_name(p, tn_amd_messages, TN_AMD_NUMBER_OF(tn_amd_messages));
  const int nine = p->family == TN_AMD_GFX9;
  if (m) id = m->value;
  else if (!tn_amd_is_number_next(p)) return tn_amd_fail(p, "there is no such message");
  else if (!tn_amd_read_within(p, 0, nine ? 15 : 255, &id)) return 0;
  if (tn_amd_next_is(p, ",") && !tn_amd_read_within(p, 0, nine ? 7 : 0, &op)) return 0;
  if (tn_amd_next_is(p, ",") && !tn_amd_read_within(p, 0, nine ? 3 : 0, &stream)) return 0;
  *v = (uint32_t)(id | op << 4 | stream << 8);
  return tn_amd_expect(p, ")", ") is missing");
}
static int tn_amd_read_hwreg(tn_amd_parser *p, uint32_t *v) {
  int32_t id, at = 0, bits = 32;
  if (!tn_amd_expect(p, "hwreg(", "a register is missing: hwreg(..) or its number")) return 0;
  if (tn_amd_is_number_next(p)) { if (!tn_amd_read_within(p, 0, 63, &id)) return 0; }
  else {
    (void)tn_amd_next_is(p, "HW_REG_");
    const tn_amd_word_of *const r = tn_amd_read_name(p, tn_amd_hwregs, TN_AMD_NUMBER_OF(tn_amd_hwregs));
    if (!r) return tn_amd_fail(p, "there is no such hardware register");
    id = r->value;
  }
  if (tn_amd_next_is(p, ",")) {
    if (!tn_amd_read_within(p, 0, 31, &at)) return 0;
    if (!tn_amd_expect(p, ",", "the number of bits is missing") || !tn_amd_read_within(p, 1, 32, &bits)) return 0;
  }
  *v = (uint32_t)(id | at << 6 | (bits - 1) << 11);
  return tn_amd_expect(p, ")", ") is missing");
}
// Counters, name(count) after name(count); what is not named is not waited for.
static int tn_amd_read_waits(tn_amd_parser *p, uint32_t *v) {
  unsigned imm = 0;
  int32_t count;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_waits); i++)
    if (tn_amd_waits[i].families >> p->family & 1) imm = tn_amd_wait_set(&tn_amd_waits[i], imm, tn_amd_waits[i].value);
  do {
    const tn_amd_word_of *const w = tn_amd_read_name(p, tn_amd_waits, TN_AMD_NUMBER_OF(tn_amd_waits));
    if (!w) return tn_amd_fail(p, "there is no such counter");
    if (!tn_amd_expect(p, "(", "( is missing") || !tn_amd_read_within(p, 0, w->value, &count)) return 0;
    if (!tn_amd_expect(p, ")", ") is missing")) return 0;
    imm = tn_amd_wait_set(w, imm, (unsigned)count);
    (void)(tn_amd_next_is(p, "&") || tn_amd_next_is(p, ","));
    tn_amd_space(p);
  } while (p->at < p->end);
  *v = imm;
  return 1;
}
static int tn_amd_read_depctr(tn_amd_parser *p, uint32_t *v) {
  unsigned imm = 0;
  int32_t count;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_depctr); i++)
    imm |= (unsigned)tn_amd_depctr[i].value << tn_amd_depctr[i].dwords;
  do {
    const tn_amd_word_of *const w = tn_amd_read_name(p, tn_amd_depctr, TN_AMD_NUMBER_OF(tn_amd_depctr));
    if (!w) return tn_amd_fail(p, "there is no such counter");
    if (!tn_amd_expect(p, "(", "( is missing") || !tn_amd_read_within(p, 0, w->value, &count)) return 0;
    if (!tn_amd_expect(p, ")", ") is missing")) return 0;
    imm = (imm & ~((unsigned)w->value << w->dwords)) | (unsigned)count << w->dwords;
    tn_amd_space(p);
  } while (p->at < p->end);
  *v = imm;
  return 1;
}
static int tn_amd_read_delays(tn_amd_parser *p, uint32_t *v) {
  int32_t part;
  *v = 0;
  do {
    const int first = tn_amd_next_is(p, "instid0("), second = !first && tn_amd_next_is(p, "instid1(");
    if (!first && !second && !tn_amd_expect(p, "instskip(", "instid0, instskip or instid1 is missing")) return 0;
    const int known = first || second ? tn_amd_read_one_of(p, tn_amd_delays, TN_AMD_DELAYS, &part)
                                      : tn_amd_read_one_of(p, tn_amd_skips, TN_AMD_SKIPS, &part);
    if (!known || !tn_amd_expect(p, ")", ") is missing")) return 0;
    *v |= (uint32_t)part << (first ? 0 : second ? 7 : 4);
  } while (tn_amd_next_is(p, "|"));
  return 1;
}
// A distance in dwords, or a label.
static int tn_amd_read_branch(tn_amd_parser *p, uint32_t *v) {
  const size_t n = tn_amd_word_length(p);
  if (!n) return tn_amd_fail(p, "a label is missing");
  for (int i = 0; i < p->nlabels; i++) {
    if (p->labels[i].n != n || memcmp(p->labels[i].name, p->at, n) != 0) continue;
    const int distance = p->labels[i].at - p->place - 1;
    if (distance < INT16_MIN || distance > INT16_MAX) return tn_amd_fail(p, "the label is too far away");
    *v = (uint32_t)distance & 0xFFFF;
    p->at += n;
    return 1;
  }
  if (p->labels) return tn_amd_fail(p, "there is no such label");
  p->at += n;
  *v = 0;
  return 1;
}
static int tn_amd_read_number(tn_amd_parser *p, char what, uint32_t *v) {
  int32_t n = 0;
  if (tn_amd_is_number_next(p)) {
    if (!tn_amd_read_within(p, INT16_MIN, UINT16_MAX, &n)) return 0;
    *v = (uint32_t)n & 0xFFFF;
    return 1;
  }
  switch (what) {
    case 's': return tn_amd_read_message(p, v);
    case 'g': return tn_amd_read_hwreg(p, v);
    case 'w': return tn_amd_read_waits(p, v);
    case 'c': return tn_amd_read_depctr(p, v);
    case 'y': return tn_amd_read_delays(p, v);
    case 'b': return tn_amd_read_branch(p, v);
    default: return tn_amd_fail(p, "a number is missing");
  }
}

// ** modifiers **

// Where the bits of op_sel: and its like go: of the sources, then of the result.
static int tn_amd_give_bits(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form, int which) {
  int32_t bits[4];
  const int n = tn_amd_read_list(p, 4, 1, bits);
  int at = 0;
  if (!n) return 0;
  for (int i = 0; i < form->n; i++) {
    tn_amd_operand *const o = &ins->o[i];
    uint8_t *const to[] = {&o->op_sel, &o->op_sel_hi, &o->neg, &o->abs};
    if (!strchr("012xyzXYZC", form->operands[2 * i]) || at == n) continue;
    *to[which] = (uint8_t)bits[at++];
  }
  if (which || at == n) return at == n ? 1 : tn_amd_fail(p, "the list is too long");
  if (tn_amd_takes(form, 'T')) ins->m[TN_AMD_BYTE_SEL] = n == 4 ? bits[2] | bits[3] << 1 : 0;
  else ins->o[0].op_sel = (uint8_t)bits[n - 1];
  return 1;
}
static int tn_amd_read_bits(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form, int *done) {
  static const char *const names[] = {"op_sel:", "op_sel_hi:", "neg_lo:", "neg_hi:"};
  *done = 1;
  for (int i = 0; i < 4; i++) if (tn_amd_next_is(p, names[i])) return tn_amd_give_bits(p, ins, form, i);
  if (tn_amd_next_is(p, "neg:")) {
    int32_t bits[3] = {0, 0, 0};
    if (!tn_amd_read_list(p, 3, 1, bits)) return 0;
    ins->m[TN_AMD_BLGP] = bits[0] | bits[1] << 1 | bits[2] << 2;
    return 1;
  }
  *done = 0;
  return 1;
}
static int tn_amd_read_swizzle(tn_amd_parser *p, int32_t *v) {
  int32_t n = 0, m = 0, lane[4];
  if (tn_amd_next_is(p, "QUAD_PERM")) {
    for (int i = 0; i < 4; i++)
      if (!tn_amd_expect(p, ",", "a lane is missing") || !tn_amd_read_within(p, 0, 3, &lane[i])) return 0;
    *v = 0x8000 | lane[0] | lane[1] << 2 | lane[2] << 4 | lane[3] << 6;
  } else if (tn_amd_next_is(p, "SWAP,")) {
    if (!tn_amd_read_within(p, 1, 16, &n)) return 0;
    *v = 31 | n << 10;
  } else if (tn_amd_next_is(p, "REVERSE,")) {
    if (!tn_amd_read_within(p, 2, 32, &n)) return 0;
    *v = 31 | (n - 1) << 10;
  } else if (tn_amd_next_is(p, "BROADCAST,")) {
    if (!tn_amd_read_within(p, 2, 32, &n) || !tn_amd_expect(p, ",", "a lane is missing")) return 0;
    if (!tn_amd_read_within(p, 0, n - 1, &m)) return 0;
    *v = (32 - n) | m << 5;
  } else if (tn_amd_next_is(p, "BITMASK_PERM,")) {
    if (!tn_amd_expect(p, "\"", "\" is missing")) return 0;
    for (int i = 4; i >= 0; i--, p->at++) {
      const char c = p->at < p->end ? *p->at : 0;
      if (!strchr("01pi", c) || !c) return tn_amd_fail(p, "a mask is of 0, 1, p and i");
      *v |= c == '1' ? 1 << (5 + i) : c == '0' ? 0 : 1 << i;
      if (c == 'i') *v |= 1 << (10 + i);
    }
    if (!tn_amd_expect(p, "\"", "\" is missing")) return 0;
  } else return tn_amd_fail(p, "there is no such swizzle");
  return tn_amd_expect(p, ")", ") is missing");
}
static int tn_amd_read_hint(tn_amd_parser *p, tn_amd_ins *ins) {
  int32_t *const th = &ins->m[TN_AMD_TH];
  if (tn_amd_is_number_next(p)) return tn_amd_read_within(p, 0, 7, th);
  if (tn_amd_next_is(p, "TH_ATOMIC_")) return tn_amd_read_one_of(p, tn_amd_atomic_hints, 8, th);
  const int store = tn_amd_next_is(p, "TH_STORE_");
  if (!store && !tn_amd_expect(p, "TH_LOAD_", "there is no such hint")) return 0;
  if (tn_amd_next_word(p, "BYPASS")) { *th = 3; return 1; }
  return tn_amd_read_one_of(p, store ? tn_amd_store_hints : tn_amd_load_hints, 8, th);
}
static int tn_amd_read_lanes(tn_amd_parser *p, tn_amd_ins *ins, int *done) {
  int32_t lane[8], n;
  *done = 1;
  if (tn_amd_next_is(p, "quad_perm:")) {
    if (tn_amd_read_list(p, 4, 3, lane) != 4) return tn_amd_fail(p, "quad_perm has four lanes");
    ins->m[TN_AMD_DPP_CTRL] = lane[0] | lane[1] << 2 | lane[2] << 4 | lane[3] << 6;
    ins->lanes = TN_AMD_DPP16;
    return 1;
  }
  if (tn_amd_next_is(p, "dpp8:")) {
    if (tn_amd_read_list(p, 8, 7, lane) != 8) return tn_amd_fail(p, "dpp8 has eight lanes");
    for (int i = 0; i < 8; i++) ins->m[TN_AMD_LANES_8] |= lane[i] << 3 * i;
    ins->lanes = TN_AMD_DPP8;
    return 1;
  }
  for (int i = 0; i < TN_AMD_LANE_WORDS; i++) {
    const tn_amd_lane_word *const w = &tn_amd_lane_words[i];
    const char *const before = p->at;
    if (!(w->families >> p->family & 1) || !tn_amd_next_word(p, w->name)) continue;
    n = w->from;
    if (w->count && !tn_amd_expect(p, ":", ": is missing")) return 0;
    if (w->count && !tn_amd_read_within(p, 0, 31, &n)) return 0;
    if (n < w->from || n >= w->from + (w->count ? w->count : 1)) { p->at = before; continue; }
    ins->m[TN_AMD_DPP_CTRL] = w->first + n - w->from;
    ins->lanes = TN_AMD_DPP16;
    return 1;
  }
  *done = 0;
  return 1;
}
static int tn_amd_read_parts(tn_amd_parser *p, tn_amd_ins *ins, int *done) {
  static const char *const names[] = {"dst_sel:", "dst_unused:", "src0_sel:", "src1_sel:"};
  *done = 1;
  for (int i = 0; i < 4; i++) {
    if (!tn_amd_next_is(p, names[i])) continue;
    return i == 1 ? tn_amd_read_one_of(p, tn_amd_unused, 3, &ins->m[TN_AMD_DST_UNUSED])
                  : tn_amd_read_one_of(p, tn_amd_parts, 7, &ins->m[TN_AMD_DST_SEL + i]);
  }
  *done = 0;
  return 1;
}
static int tn_amd_read_modifier(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form) {
  int done;
  if (!tn_amd_read_bits(p, ins, form, &done) || done) return done;
  if (!tn_amd_read_lanes(p, ins, &done) || done) return done;
  if (!tn_amd_read_parts(p, ins, &done) || done) return done;
  if (tn_amd_next_is(p, "offset:swizzle(")) return tn_amd_read_swizzle(p, &ins->m[TN_AMD_OFFSET]);
  if (tn_amd_next_is(p, "th:")) return tn_amd_read_hint(p, ins);
  if (tn_amd_next_is(p, "scope:")) return tn_amd_read_one_of(p, tn_amd_scopes, 4, &ins->m[TN_AMD_SCOPE]);
  for (int i = 1; i < 4; i++)
    if (tn_amd_next_is(p, tn_amd_omods[i])) { ins->m[TN_AMD_OMOD] = i; return 1; }
  const tn_amd_word_of *const n = tn_amd_read_name(p, tn_amd_numbers, TN_AMD_NUMBER_OF(tn_amd_numbers));
  if (n) return tn_amd_expect(p, ":", ": is missing") && tn_amd_read_within(p, INT32_MIN, INT32_MAX, &ins->m[n->value]);
  const tn_amd_word_of *const f = tn_amd_read_name(p, tn_amd_flags, TN_AMD_NUMBER_OF(tn_amd_flags));
  if (!f) return tn_amd_fail(p, "there is no such modifier");
  ins->m[f->value] = 1;
  return 1;
}

// ** operands **

static int tn_amd_commas(const tn_amd_parser *p) {           // outside of brackets: operands are one more
  int n = 0, deep = 0;
  for (const char *q = p->at; q < p->end && !(q[0] == ':' && p->end - q > 1 && q[1] == ':'); q++) {
    deep += *q == '[' || *q == '(';
    deep -= *q == ']' || *q == ')';
    n += *q == ',' && !deep;
  }
  return n;
}
static int tn_amd_read_soffset(tn_amd_parser *p, tn_amd_ins *ins, tn_amd_operand *o, int memory) {
  if (memory || !tn_amd_is_number_next(p)) {
    if (!tn_amd_read_signed(p, o)) return 0;
    if (!memory && o->kind == TN_AMD_SGPR && o->reg == TN_AMD_NULL) o->kind = TN_AMD_OFF;
    return 1;
  }
  o->kind = TN_AMD_OFF;
  return tn_amd_read_within(p, -(1 << 23), (1 << 23) - 1, &ins->m[TN_AMD_OFFSET]);
}
static int tn_amd_read_operand(tn_amd_parser *p, tn_amd_ins *ins, const char *l, tn_amd_operand *o) {
  const int format = tn_amd_format(ins->op, ins->family);
  int32_t n;
  o->dwords = (uint8_t)tn_amd_dwords(ins->family, l[1]);
  if (format == TN_AMD_VOP3P && !strchr("fFh", l[1])) o->op_sel_hi = 1;
  switch (*l) {
    case '#': o->kind = TN_AMD_NUMBER; return tn_amd_read_number(p, l[1], &o->value);
    case 'M': o->kind = TN_AMD_NUMBER; return tn_amd_read_number(p, 's', &o->value);
    case 'i': case 'n':
      o->kind = TN_AMD_NUMBER;
      if (!tn_amd_read_within(p, -(1 << 23), (1 << 23) - 1, &n)) return 0;
      o->value = (uint32_t)n;
      return 1;
    case 'o': return tn_amd_read_soffset(p, ins, o, format != TN_AMD_SMEM);
    case 's': case 'a': if (tn_amd_next_word(p, "off")) { o->kind = TN_AMD_OFF; return 1; } break;
    default: break;
  }
  const int dwords = o->dwords;
  if (!tn_amd_read_signed(p, o)) return 0;
  if (!o->dwords) o->dwords = (uint8_t)dwords;
  if (*l == 'K' && o->kind == TN_AMD_INLINE) {               // its place is behind, whatever the number
    if (o->reg > 208) return tn_amd_fail(p, "this number is written by its bits");
    o->kind = TN_AMD_LITERAL;
    o->value = (uint32_t)(o->reg <= 192 ? o->reg - 128 : 192 - o->reg);
  }
  return 1;
}
// The operands; what is implied where a family or a form does not write it is filled in.
static int tn_amd_read_operands(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form, tn_amd_operand *o,
                                int dual) {
  tn_amd_space(p);
  const int there = p->at < p->end && (form->n || tn_amd_is_number_next(p)) ? tn_amd_commas(p) + 1 : 0;
  int n = 0, wanted = 0;
  for (int i = 0; i < form->n; i++) wanted += !dual || form->operands[2 * i] != 'm';
  for (int i = 0; i < form->n; i++, o++) {
    const char *const l = form->operands + 2 * i;
    if (*l == 'r' && there < wanted) continue;
    if (dual && *l == 'm') { o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = 1; continue; }
    if (l[1] == 'e' && *l == '#' && !there) { o->kind = TN_AMD_NUMBER; continue; }
    if (n++ && !tn_amd_expect(p, ",", "an operand is missing")) return 0;
    if (!tn_amd_read_operand(p, ins, l, o)) return 0;
  }
  return 1;
}

// ** names **

enum { TN_AMD_ANY_FORM, TN_AMD_E32, TN_AMD_E64 };
static int tn_amd_row_named(int family, const char *name, size_t n) {
  for (int i = 1; i < TN_AMD_COUNT; i++) {
    size_t own;
    if (!tn_amd_format(i, family)) continue;
    const char *const text = tn_amd_name(i, family, &own);
    if (own == n && !memcmp(text, name, n)) return i;
  }
  return 0;
}
// The row of a name with or without what says its form; 0: there is none.
static int tn_amd_read_row(tn_amd_parser *p, tn_amd_ins *ins, int *form) {
  static const struct { char end[12]; uint8_t form, lanes; } ends[] = {
    {"", TN_AMD_ANY_FORM, TN_AMD_PLAIN}, {"_e32", TN_AMD_E32, TN_AMD_PLAIN}, {"_e64_dpp", TN_AMD_E64, TN_AMD_DPP16},
    {"_e64", TN_AMD_E64, TN_AMD_PLAIN}, {"_dpp", TN_AMD_E32, TN_AMD_DPP16}, {"_sdwa", TN_AMD_E32, TN_AMD_SDWA}};
  tn_amd_space(p);
  const size_t n = tn_amd_word_length(p);
  for (int i = 0; i < 6; i++) {
    const size_t k = strlen(ends[i].end);
    if (n <= k || memcmp(p->at + n - k, ends[i].end, k) != 0) continue;
    const int row = tn_amd_row_named(p->family, p->at, n - k);
    if (!row) continue;
    *form = ends[i].form;
    ins->lanes = ends[i].lanes;
    p->at += n;
    return row;
  }
  return tn_amd_fail(p, n ? "there is no such instruction" : "an instruction is missing");
}

// ** instructions **

static int tn_amd_read_dual(tn_amd_parser *p, tn_amd_ins *ins) {
  for (int half = 0; half < 2; half++) {
    tn_amd_operand *const o = half ? ins->y : ins->o;
    char name[32] = "v_";
    if (half && !tn_amd_expect(p, "::", ":: is missing")) return 0;
    if (!tn_amd_expect(p, "v_dual_", "v_dual_ is missing")) return 0;
    const size_t n = tn_amd_word_length(p);
    if (n < sizeof name - 2) memcpy(name + 2, p->at, n);
    const int row = n < sizeof name - 2 ? tn_amd_row_named(p->family, name, n + 2) : 0;
    if (!row || tn_amd_dual_code(p->family, row, half ? TN_AMD_DUALS : TN_AMD_DUALS_X) < 0)
      return tn_amd_fail(p, "this is not issued with another");
    p->at += n;
    if (half) ins->op_y = (uint16_t)row;
    else ins->op = (uint16_t)row;
    const tn_amd_form form = tn_amd_form_of(row, p->family);
    if (half) ins->n_y = (uint8_t)form.n;
    else ins->n = (uint8_t)form.n;
    if (!tn_amd_read_operands(p, ins, &form, o, 1)) return 0;
  }
  tn_amd_space(p);
  return p->at == p->end || tn_amd_fail(p, "this is too much");
}
static void tn_amd_defaults(tn_amd_ins *ins) {               // of what the text may leave out
  ins->m[TN_AMD_ROW_MASK] = ins->m[TN_AMD_BANK_MASK] = 15;
  ins->m[TN_AMD_DST_SEL] = ins->m[TN_AMD_SRC0_SEL] = ins->m[TN_AMD_SRC1_SEL] = 6;
  ins->m[TN_AMD_DST_UNUSED] = 2;
}
// Which is not said by lanes that are not there: an instruction is 0 where it has nothing.
static void tn_amd_clear(tn_amd_ins *ins, int format) {
  if (ins->lanes != TN_AMD_DPP16) ins->m[TN_AMD_ROW_MASK] = ins->m[TN_AMD_BANK_MASK] = 0;
  const int sdwa = ins->lanes == TN_AMD_SDWA;
  if (!sdwa || format == TN_AMD_VOPC) ins->m[TN_AMD_DST_SEL] = ins->m[TN_AMD_DST_UNUSED] = 0;
  if (!sdwa) ins->m[TN_AMD_SRC0_SEL] = 0;
  if (!sdwa || format == TN_AMD_VOP1) ins->m[TN_AMD_SRC1_SEL] = 0;
}
static int tn_amd_read_ins(tn_amd_parser *p, tn_amd_ins *ins) {
  uint32_t words[TN_AMD_MOST_WORDS];
  int form_wanted = 0;
  memset(ins, 0, sizeof *ins);
  ins->family = (uint8_t)p->family;
  tn_amd_space(p);
  const char *const begin = p->at;
  if (p->end - p->at > 7 && !memcmp(p->at, "v_dual_", 7)) { if (!tn_amd_read_dual(p, ins)) return 0; }
  else {
    const int row = tn_amd_read_row(p, ins, &form_wanted);
    if (!row) return 0;
    ins->op = (uint16_t)row;
    const tn_amd_form form = tn_amd_form_of(row, p->family);
    const int format = tn_amd_format(row, p->family);
    ins->n = (uint8_t)form.n;
    tn_amd_defaults(ins);
    if (!tn_amd_read_operands(p, ins, &form, ins->o, 0)) return 0;
    for (tn_amd_space(p); p->at < p->end; tn_amd_space(p)) if (!tn_amd_read_modifier(p, ins, &form)) return 0;
    tn_amd_clear(ins, format);
    const int shorts = format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC;
    ins->long_form = shorts && form_wanted == TN_AMD_E64;
    if (!ins->long_form && shorts && form_wanted == TN_AMD_ANY_FORM && !tn_amd_encode(p->family, ins, words))
      ins->long_form = !tn_amd_takes(&form, '!');
  }
  const char *const broken = tn_amd_encode(p->family, ins, words) ? tn_amd_broken_rule(ins)
                                                                  : "the instruction does not take these operands";
  if (!broken) return 1;
  p->at = begin;
  return tn_amd_fail(p, broken);
}
// One instruction of n bytes of text. 0, and what is wrong.
static int tn_amd_parse(int family, const char *text, size_t n, tn_amd_ins *ins, tn_amd_error *e) {
  tn_amd_parser p = {text, text, text + n, text, NULL, family, 0, 0, NULL};
  const int done = tn_amd_read_ins(&p, ins);
  e->line = 1; e->column = (int)(p.wrong - text) + 1; e->sentence = done ? NULL : p.sentence;
  return done;
}

// ** programs **

static const char *tn_amd_line_end(const char *at, const char *end, const char **next) {
  const char *q = at, *stop;
  while (q < end && *q != '\n') q++;
  *next = q < end ? q + 1 : end;
  for (stop = at; stop < q && *stop != ';' && !(*stop == '/' && q - stop > 1 && stop[1] == '/'); stop++) { }
  while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
  return stop;
}
// Passes labels, and tells them to known, which may be NULL.
static void tn_amd_pass_labels(tn_amd_parser *p, tiny_bytes *known) {
  for (;;) {
    tn_amd_space(p);
    const size_t n = tn_amd_word_length(p);
    if (!n || p->at + n == p->end || p->at[n] != ':' || (p->end - p->at > (long)n + 1 && p->at[n + 1] == ':')) return;
    const tn_amd_label label = {p->at, n, p->place};
    if (known) tiny_bytes_add(known, &label, sizeof label);
    p->at += n + 1;
  }
}
// Once for the places of labels, once for the words.
static int tn_amd_pass_text(tn_amd_parser *p, const char *text, size_t n, tiny_bytes *known, tiny_bytes *out,
                            tn_amd_error *e) {
  const char *next = text, *const end = text + n;
  p->place = 0;
  for (e->line = 1; next < end; e->line++) {
    uint32_t words[TN_AMD_MOST_WORDS];
    tn_amd_ins ins;
    p->line = p->at = next;
    p->end = tn_amd_line_end(next, end, &next);
    tn_amd_pass_labels(p, known);
    if (p->at == p->end) continue;
    if (!tn_amd_read_ins(p, &ins)) {
      e->column = (int)(p->wrong - p->line) + 1; e->sentence = p->sentence;
      return 0;
    }
    const int nwords = tn_amd_encode(p->family, &ins, words);
    for (int i = 0; i < nwords && out; i++) {
      uint8_t bytes[4];
      tn_amd_put_bytes(bytes, words[i], 4);
      tiny_bytes_add(out, bytes, 4);
    }
    p->place += nwords;
  }
  return 1;
}
// A whole program to the end of out. 0, and what is wrong; refused memory is the context's error.
static int tn_amd_assemble(int family, const char *text, size_t n, tiny_bytes *out, tn_amd_error *e) {
  tn_amd_parser p = {text, text, text, text, NULL, family, 0, 0, NULL};
  static const tn_amd_label nowhere = {"", 0, 0};
  tiny_bytes labels = {out->t, NULL, 0, 0};
  memset(e, 0, sizeof *e);
  if (!tn_amd_pass_text(&p, text, n, &labels, NULL, e)) return 0;
  p.nlabels = (int)(labels.n / sizeof *p.labels);
  p.labels = p.nlabels ? (const tn_amd_label *)(const void *)labels.data : &nowhere;
  return tn_amd_pass_text(&p, text, n, NULL, out, e);
}
#endif
