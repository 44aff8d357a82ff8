// amd_text: AMD's instructions as assembly text.
//
// In:  a tn_amd_ins that tn_amd_encode takes. Out: a line as LLVM's assembler reads it and its disassembler writes it;
//      distances of jumps are numbers, counted in dwords from the next instruction.
#ifndef TN_ISA_AMD_TEXT
#define TN_ISA_AMD_TEXT
#ifndef TINY_AMALGAMATED
#include "amd_names.c"
#endif
#include <stdio.h>

// ** a text of limited length **

typedef struct tn_amd_text { char *at; size_t n, cap; } tn_amd_text;      // n: what it would be without the limit
static void tn_amd_put_n(tn_amd_text *t, const char *s, size_t n) {
  for (size_t i = 0; i < n; i++, t->n++) if (t->n + 1 < t->cap) t->at[t->n] = s[i];
}
static void tn_amd_put(tn_amd_text *t, const char *s) { tn_amd_put_n(t, s, strlen(s)); }
static void tn_amd_put_int(tn_amd_text *t, long v) {
  char s[24];
  snprintf(s, sizeof s, "%ld", v);
  tn_amd_put(t, s);
}
static void tn_amd_put_hex(tn_amd_text *t, long v) {         // of negative numbers: -0x1
  char s[24];
  snprintf(s, sizeof s, v < 0 ? "-0x%lx" : "0x%lx", v < 0 ? -v : v);
  tn_amd_put(t, s);
}
static void tn_amd_put_pair(tn_amd_text *t, const char *name, long v) {    // " name:1"
  tn_amd_put(t, " ");
  tn_amd_put(t, name);
  tn_amd_put(t, ":");
  tn_amd_put_int(t, v);
}

// ** operands **

static const char *tn_amd_register_name(int family, int code, int dwords) {  // NULL: it has a number
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_registers); i++) {
    const tn_amd_word_of *const r = &tn_amd_registers[i];
    if (r->value == code && (!r->dwords || r->dwords == dwords) && r->families >> family & 1) return r->name;
  }
  return NULL;
}
static void tn_amd_put_register(tn_amd_text *t, const char *letter, int reg, int dwords) {
  tn_amd_put(t, letter);
  if (dwords > 1) tn_amd_put(t, "[");
  tn_amd_put_int(t, reg);
  if (dwords == 1) return;
  tn_amd_put(t, ":");
  tn_amd_put_int(t, reg + dwords - 1);
  tn_amd_put(t, "]");
}
static void tn_amd_put_sgpr(tn_amd_text *t, int family, const tn_amd_operand *o) {
  const char *const name = tn_amd_register_name(family, o->reg, o->dwords);
  if (name) tn_amd_put(t, name);
  else if (o->reg >= TN_AMD_TTMP) tn_amd_put_register(t, "ttmp", o->reg - TN_AMD_TTMP, o->dwords);
  else tn_amd_put_register(t, "s", o->reg, o->dwords);
}
static void tn_amd_put_inline(tn_amd_text *t, int code, char what) {
  if (code <= 192) tn_amd_put_int(t, code - 128);
  else if (code <= 208) tn_amd_put_int(t, 192 - code);
  else if (what == 'w' || what == 'i') tn_amd_put_hex(t, tn_amd_floats[code - 240].value);
  else if (code == 248 && (what == 'F' || what == '2')) tn_amd_put(t, "0.15915494309189532");
  else tn_amd_put(t, tn_amd_floats[code - 240].name);
}
static void tn_amd_put_plain(tn_amd_text *t, int family, const tn_amd_operand *o, char what) {
  switch (o->kind) {
    case TN_AMD_VGPR: tn_amd_put_register(t, "v", o->reg, o->dwords); break;
    case TN_AMD_AGPR: tn_amd_put_register(t, "a", o->reg, o->dwords); break;
    case TN_AMD_SGPR: tn_amd_put_sgpr(t, family, o); break;
    case TN_AMD_SPECIAL: tn_amd_put(t, tn_amd_register_name(family, o->reg, 0)); break;
    case TN_AMD_INLINE: tn_amd_put_inline(t, o->reg, what); break;
    case TN_AMD_LITERAL: tn_amd_put_hex(t, tn_amd_is_half(what) ? (long)(o->value & 0xFFFF) : (long)o->value); break;
    case TN_AMD_NUMBER: tn_amd_put_int(t, (long)o->value); break;
    default: tn_amd_put(t, "off");
  }
}
static void tn_amd_put_operand(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o, char what) {
  const int packed = tn_amd_format(ins->op, ins->family) == TN_AMD_VOP3P && !strchr("fFh", what);
  const int number = o->kind == TN_AMD_INLINE || o->kind == TN_AMD_LITERAL;
  const int neg = o->neg && !packed, abs = o->abs && !packed, call = neg && !abs && number;
  if (neg) tn_amd_put(t, call ? "neg(" : "-");
  if (abs) tn_amd_put(t, "|");
  if (o->sext) tn_amd_put(t, "sext(");
  tn_amd_put_plain(t, ins->family, o, what);
  // a short form of 16 bits names the half of its register
  const int halves = tn_amd_is_half(what) && o->kind == TN_AMD_VGPR && !ins->long_form && o->op_sel &&
                     tn_amd_format(ins->op, ins->family) <= TN_AMD_VOPC;
  if (halves) tn_amd_put(t, ".h");
  if (o->sext || call) tn_amd_put(t, ")");
  if (abs) tn_amd_put(t, "|");
}

// ** numbers of s_* instructions **

static const char *tn_amd_word_at(const tn_amd_word_of *table, int n, int family, unsigned value) {
  for (int i = 0; i < n; i++) if (table[i].value == value && table[i].families >> family & 1) return table[i].name;
  return NULL;
}
static void tn_amd_put_message(tn_amd_text *t, int family, unsigned v) {
  const char *const name = tn_amd_word_at(tn_amd_messages, TN_AMD_NUMBER_OF(tn_amd_messages), family, v);
  const unsigned most = family == TN_AMD_GFX9 ? 0x37F : 0xFF, id = family == TN_AMD_GFX9 ? v & 15 : v;
  if (v & ~most) { tn_amd_put_int(t, (long)v); return; }
  tn_amd_put(t, "sendmsg(");
  if (name) tn_amd_put(t, name);
  else {
    tn_amd_put_int(t, (long)id);
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, family == TN_AMD_GFX9 ? (long)(v >> 4 & 7) : 0);
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, family == TN_AMD_GFX9 ? (long)(v >> 8) : 0);
  }
  tn_amd_put(t, ")");
}
static void tn_amd_put_hwreg(tn_amd_text *t, int family, unsigned v) {
  const unsigned id = v & 63, at = v >> 6 & 31, bits = (v >> 11) + 1;
  const char *const name = tn_amd_word_at(tn_amd_hwregs, TN_AMD_NUMBER_OF(tn_amd_hwregs), family, id);
  tn_amd_put(t, name ? "hwreg(HW_REG_" : "hwreg(");
  if (name) tn_amd_put(t, name);
  else tn_amd_put_int(t, (long)id);
  if (at || bits != 32) {
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, (long)at);
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, (long)bits);
  }
  tn_amd_put(t, ")");
}
static void tn_amd_put_count(tn_amd_text *t, int *n, const char *name, unsigned v) {
  tn_amd_put(t, (*n)++ ? " " : "");
  tn_amd_put(t, name);
  tn_amd_put(t, "(");
  tn_amd_put_int(t, (long)v);
  tn_amd_put(t, ")");
}
// Counters that are waited for; all of them where none is.
static void tn_amd_put_waits(tn_amd_text *t, int family, unsigned v) {
  int n = 0;
  for (int all = 0; all < 2 && !n; all++)
    for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_waits); i++) {
      const tn_amd_word_of *const w = &tn_amd_waits[i];
      if (!(w->families >> family & 1)) continue;
      const unsigned count = tn_amd_wait_get(w, v);
      if (all || count != w->value) tn_amd_put_count(t, &n, w->name, count);
    }
}
static void tn_amd_put_depctr(tn_amd_text *t, unsigned v) {
  int n = 0;
  if (v & 0x60) { tn_amd_put_hex(t, (long)v); return; }
  for (int all = 0; all < 2 && !n; all++)
    for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_depctr); i++) {
      const tn_amd_word_of *const w = &tn_amd_depctr[i];
      if (all || (v >> w->dwords & w->value) != w->value) tn_amd_put_count(t, &n, w->name, v >> w->dwords & w->value);
    }
}
static void tn_amd_put_delays(tn_amd_text *t, unsigned v) {
  const unsigned first = v & 15, skip = v >> 4 & 7, second = v >> 7 & 15;
  if (first >= TN_AMD_DELAYS || skip >= TN_AMD_SKIPS || second >= TN_AMD_DELAYS || !(v & 0x7FF)) {
    if (v & 0x7FF) tn_amd_put_hex(t, (long)v);
    else tn_amd_put(t, "0");
    return;
  }
  const char *const part[3] = {first ? tn_amd_delays[first] : NULL, skip ? tn_amd_skips[skip] : NULL,
                               second ? tn_amd_delays[second] : NULL};
  static const char *const names[3] = {"instid0(", "instskip(", "instid1("};
  for (int i = 0, n = 0; i < 3; i++) {
    if (!part[i]) continue;
    tn_amd_put(t, n++ ? " | " : "");
    tn_amd_put(t, names[i]);
    tn_amd_put(t, part[i]);
    tn_amd_put(t, ")");
  }
}
static void tn_amd_put_number(tn_amd_text *t, const tn_amd_ins *ins, char what, unsigned v) {
  switch (what) {
    case 's': tn_amd_put_message(t, ins->family, v); break;
    case 'w': tn_amd_put_waits(t, ins->family, v); break;
    case 'c': tn_amd_put_depctr(t, v); break;
    case 'y': tn_amd_put_delays(t, v); break;
    case 'g': tn_amd_put_hwreg(t, ins->family, v); break;
    case 'h': tn_amd_put_hex(t, (long)v); break;
    case 'b': case 'e': tn_amd_put_int(t, (long)v); break;
    default: if (v <= 64) tn_amd_put_int(t, (long)v); else tn_amd_put_hex(t, (long)v);
  }
}

// ** modifiers **

// Has a name of the instruction this word in it?
static int tn_amd_says(const tn_amd_ins *ins, const char *word) {
  return strstr(tn_amd_rows[ins->op].names, word) != NULL;
}

// One bit of each source, of the result behind them where is_long; "" where all are as they are by themselves.
static void tn_amd_put_bits(tn_amd_text *t, const tn_amd_ins *ins, const char *name, int which, int normal,
                            int result) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  uint8_t bits[5];
  int n = 0, differs = 0;
  for (int i = 0; i <= form.n; i++) {
    const int is_result = i == form.n;
    const tn_amd_operand *const o = &ins->o[is_result ? 0 : i];
    const char where = is_result ? 'R' : form.operands[2 * i];
    if (is_result && result && tn_amd_takes(&form, 't')) bits[n++] = 0;
    if (is_result && result && tn_amd_takes(&form, 'T')) {   // which of the result's bytes
      const int byte = ins->m[TN_AMD_BYTE_SEL];
      bits[n++] = byte & 1;
      bits[n++] = (uint8_t)(byte >> 1);
      differs |= byte;
      continue;
    }
    if (is_result ? !result : !strchr("012xyzXYZC", where) || (n == 2 && tn_amd_takes(&form, 'p'))) continue;
    const uint8_t all[] = {o->op_sel, o->op_sel_hi, o->neg, o->abs};
    bits[n] = all[which];
    differs |= bits[n++] != normal;
  }
  if (!differs) return;
  tn_amd_put(t, " ");
  tn_amd_put(t, name);
  for (int i = 0; i < n; i++) tn_amd_put(t, i ? (bits[i] ? ",1" : ",0") : (bits[i] ? ":[1" : ":[0"));
  tn_amd_put(t, "]");
}
static void tn_amd_put_selects(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int mixes = form->n > 1 && form->operands[3] == 'f';
  const int is_long = format == TN_AMD_VOP3 || ins->long_form;
  if (is_long && tn_amd_selects(form)) tn_amd_put_bits(t, ins, "op_sel", 0, 0, !tn_amd_takes(form, 'p'));
  if (format != TN_AMD_VOP3P) return;
  if (tn_amd_takes(form, 's')) {
    tn_amd_put_bits(t, ins, "op_sel", 0, 0, 0);
    tn_amd_put_bits(t, ins, "op_sel_hi", 1, !mixes, 0);
  }
  if (mixes) return;
  tn_amd_put_bits(t, ins, "neg_lo", 2, 0, 0);
  tn_amd_put_bits(t, ins, "neg_hi", 3, 0, 0);
}
static void tn_amd_put_dpp(tn_amd_text *t, const tn_amd_ins *ins) {
  const int ctrl = ins->m[TN_AMD_DPP_CTRL];
  char s[48];
  if (ctrl < 0x100) {
    snprintf(s, sizeof s, " quad_perm:[%d,%d,%d,%d]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3, ctrl >> 6);
    tn_amd_put(t, s);
  }
  for (int i = 0; i < TN_AMD_LANE_WORDS; i++) {
    const tn_amd_lane_word *const w = &tn_amd_lane_words[i];
    if (!(w->families >> ins->family & 1) || ctrl < w->first || ctrl >= w->first + (w->count ? w->count : 1)) continue;
    if (w->count) tn_amd_put_pair(t, w->name, ctrl - w->first + w->from);
    else { tn_amd_put(t, " "); tn_amd_put(t, w->name); }
  }
  snprintf(s, sizeof s, " row_mask:0x%x bank_mask:0x%x", (unsigned)ins->m[TN_AMD_ROW_MASK],
           (unsigned)ins->m[TN_AMD_BANK_MASK]);
  tn_amd_put(t, s);
  if (ins->m[TN_AMD_BOUND_CTRL]) tn_amd_put(t, " bound_ctrl:1");
}
static void tn_amd_put_lanes(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  if (ins->lanes == TN_AMD_DPP16) tn_amd_put_dpp(t, ins);
  if (ins->lanes == TN_AMD_DPP8) {
    tn_amd_put(t, " dpp8:[");
    for (int i = 0; i < 8; i++) {
      tn_amd_put(t, i ? "," : "");
      tn_amd_put_int(t, ins->m[TN_AMD_LANES_8] >> 3 * i & 7);
    }
    tn_amd_put(t, "]");
  }
  if (ins->lanes && ins->m[TN_AMD_FI] && ins->family != TN_AMD_GFX9) tn_amd_put(t, " fi:1");
  if (ins->lanes != TN_AMD_SDWA) return;
  const int sources = format == TN_AMD_VOP1 ? 1 : 2;
  static const char *const names[] = {" dst_sel:", " dst_unused:", " src0_sel:", " src1_sel:"};
  for (int i = format == TN_AMD_VOPC ? 2 : 0; i < 2 + sources; i++) {
    const int v = ins->m[TN_AMD_DST_SEL + i];
    tn_amd_put(t, names[i]);
    tn_amd_put(t, i == 1 ? tn_amd_unused[v] : tn_amd_parts[v]);
  }
  (void)form;
}

// ** caches and offsets **

static void tn_amd_put_swizzle(tn_amd_text *t, unsigned v) {
  const unsigned and_mask = v & 31, or_mask = v >> 5 & 31, xor_mask = v >> 10 & 31, group = 32 - and_mask;
  char s[64];
  tn_amd_put(t, " offset:");
  if ((v & 0xFF00) == 0x8000)
    snprintf(s, sizeof s, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
  else if (v & 0x8000) snprintf(s, sizeof s, "%u", v);
  else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask - 1)))
    snprintf(s, sizeof s, "swizzle(SWAP,%u)", xor_mask);
  else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1)))
    snprintf(s, sizeof s, "swizzle(REVERSE,%u)", xor_mask + 1);
  else if (group > 1 && !(group & (group - 1)) && or_mask < group && !xor_mask)
    snprintf(s, sizeof s, "swizzle(BROADCAST,%u,%u)", group, or_mask);
  else {
    char m[6] = "00000";                   // of a lane's bits from the highest on: kept, inverted, 0, 1
    for (int i = 0; i < 5; i++) {
      const unsigned bit = 16u >> i, zero = (or_mask ^ xor_mask) & bit, one = ((and_mask | or_mask) ^ xor_mask) & bit;
      m[i] = zero == one ? (zero ? '1' : '0') : zero ? 'i' : 'p';
    }
    snprintf(s, sizeof s, "swizzle(BITMASK_PERM,\"%s\")", m);
  }
  tn_amd_put(t, s);
}
static const char *tn_amd_hint(const tn_amd_ins *ins, const char **prefix) {
  const int th = ins->m[TN_AMD_TH] & 7, scope = ins->m[TN_AMD_SCOPE], store = tn_amd_says(ins, "_store_");
  if (tn_amd_says(ins, "_atomic_")) {
    *prefix = "TH_ATOMIC_";
    return th & 4 && scope < 2 ? "" : th & 4 ? (th & 2 ? "CASCADE_NT" : "CASCADE_RT") : tn_amd_atomic_hints[th];
  }
  *prefix = store ? "TH_STORE_" : "TH_LOAD_";
  if (th == 3 && scope == 3) return "BYPASS";
  return (store ? tn_amd_store_hints : tn_amd_load_hints)[th];
}
static void tn_amd_put_caches(tn_amd_text *t, const tn_amd_ins *ins) {
  const char *prefix = "", *hint;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_flags); i++) {
    const int m = tn_amd_flags[i].value;
    if (!ins->m[m] || m < TN_AMD_GLC || m > TN_AMD_NT) continue;
    tn_amd_put(t, " ");
    tn_amd_put(t, tn_amd_flags[i].name);
  }
  if (ins->family != TN_AMD_GFX12) return;
  if (ins->m[TN_AMD_TH]) {
    hint = tn_amd_hint(ins, &prefix);
    tn_amd_put(t, " th:");
    tn_amd_put(t, *hint || strstr(prefix, "ATOMIC") ? prefix : "");
    if (*hint) tn_amd_put(t, hint);
    else tn_amd_put_hex(t, ins->m[TN_AMD_TH]);
  }
  if (ins->m[TN_AMD_SCOPE]) { tn_amd_put(t, " scope:"); tn_amd_put(t, tn_amd_scopes[ins->m[TN_AMD_SCOPE] & 3]); }
}
static void tn_amd_put_memory(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int32_t *const m = ins->m;
  const int two = tn_amd_takes(form, '2');
  if (m[TN_AMD_IDXEN]) tn_amd_put(t, " idxen");
  if (m[TN_AMD_OFFEN]) tn_amd_put(t, " offen");
  if (m[TN_AMD_OFFSET] && format != TN_AMD_SMEM) {
    if (ins->op == TN_AMD_DS_SWIZZLE_B32) tn_amd_put_swizzle(t, (unsigned)m[TN_AMD_OFFSET]);
    else tn_amd_put_pair(t, two ? "offset0" : "offset", m[TN_AMD_OFFSET]);
  }
  if (two && m[TN_AMD_OFFSET1]) tn_amd_put_pair(t, "offset1", m[TN_AMD_OFFSET1]);
  tn_amd_put_caches(t, ins);
  if (m[TN_AMD_TFE]) tn_amd_put(t, " tfe");
}
// The offset of a scalar load: a number, a register, or both.
static void tn_amd_put_soffset(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o) {
  const int32_t offset = ins->m[TN_AMD_OFFSET];
  if (o->kind == TN_AMD_OFF) {
    if (!offset && ins->family == TN_AMD_GFX11) tn_amd_put(t, "null");
    else tn_amd_put_hex(t, offset);
    return;
  }
  tn_amd_put_sgpr(t, ins->family, o);
  if (!offset && ins->family != TN_AMD_GFX12) return;
  tn_amd_put(t, " offset:");
  tn_amd_put_hex(t, offset);
}

// ** the line **

static const char *tn_amd_suffix(const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int shorts = format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC;
  if (ins->lanes == TN_AMD_SDWA) return "_sdwa";
  if (ins->lanes) return ins->long_form || !shorts ? "_e64_dpp" : format == TN_AMD_VOPC ? "" : "_dpp";
  if (!shorts || tn_amd_takes(form, '!')) return "";
  return ins->long_form ? "_e64" : "_e32";
}
static void tn_amd_put_modifiers(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int32_t *const m = ins->m;
  static const uint8_t numbers[] = {TN_AMD_CBSZ, TN_AMD_ABID, TN_AMD_BLGP, TN_AMD_BYTE_SEL};
  if (m[TN_AMD_INDEX_KEY]) tn_amd_put_pair(t, "index_key", m[TN_AMD_INDEX_KEY]);
  tn_amd_put_selects(t, ins, form, format);
  for (int i = 0; i < 4; i++) {
    const int v = m[numbers[i]];
    char s[24];
    if (!v || (numbers[i] == TN_AMD_BYTE_SEL && tn_amd_takes(form, 'T'))) continue;
    snprintf(s, sizeof s, " neg:[%d,%d,%d]", v & 1, v >> 1 & 1, v >> 2 & 1);
    if (numbers[i] == TN_AMD_BLGP && tn_amd_takes(form, 'e')) tn_amd_put(t, s);
    else tn_amd_put_pair(t, tn_amd_numbers[i].name, v);
  }
  if (m[TN_AMD_CLAMP]) tn_amd_put(t, " clamp");
  if (m[TN_AMD_OMOD]) { tn_amd_put(t, " "); tn_amd_put(t, tn_amd_omods[m[TN_AMD_OMOD] & 3]); }
  tn_amd_put_lanes(t, ins, form, format);
  if (format == TN_AMD_SMEM || tn_amd_is_memory(format)) tn_amd_put_memory(t, ins, form, format);
}
static void tn_amd_put_operands(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o,
                                const tn_amd_form *form) {
  int n = 0, prefetches = 0;               // whose offset is an operand of its own
  for (int i = 0; i < form->n; i++, o++) {
    const char *const l = form->operands + 2 * i;
    if (!o->kind || (l[1] == 'e' && *l == '#' && !o->value) || (ins->op_y && *l == 'm')) continue;
    tn_amd_put(t, n++ ? ", " : " ");
    if (*l == '#') tn_amd_put_number(t, ins, l[1], o->value);
    else if (*l == 'M') tn_amd_put_message(t, ins->family, o->value);
    else if (*l == 'i') { tn_amd_put_hex(t, (int32_t)o->value); prefetches = 1; }
    else if (*l == 'n') tn_amd_put_int(t, (long)o->value);
    else if (*l == 'o' && prefetches && o->kind == TN_AMD_OFF) tn_amd_put(t, "null");
    else if (*l == 'o' && prefetches) tn_amd_put_sgpr(t, ins->family, o);
    else if (*l == 'o' && tn_amd_format(ins->op, ins->family) == TN_AMD_SMEM) tn_amd_put_soffset(t, ins, o);
    else tn_amd_put_operand(t, ins, o, *l == 'K' ? '1' : l[1]);
  }
}
static void tn_amd_put_half(tn_amd_text *t, const tn_amd_ins *ins, int op, const tn_amd_operand *o) {
  size_t n;
  const char *const name = tn_amd_name(op, ins->family, &n);
  const tn_amd_form form = tn_amd_form_of(op, ins->family);
  tn_amd_put(t, "v_dual_");
  tn_amd_put_n(t, name + 2, n - 2);
  tn_amd_put_operands(t, ins, o, &form);
}
// The line, without its end, of at most cap - 1 bytes and a 0. -> its length without that limit.
static size_t tn_amd_print(const tn_amd_ins *ins, char *out, size_t cap) {
  tn_amd_text t = {out, 0, cap};
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  const int format = tn_amd_format(ins->op, ins->family);
  size_t n;
  if (ins->op_y) {
    tn_amd_put_half(&t, ins, ins->op, ins->o);
    tn_amd_put(&t, " :: ");
    tn_amd_put_half(&t, ins, ins->op_y, ins->y);
  } else {
    const char *const name = tn_amd_name(ins->op, ins->family, &n);
    tn_amd_put_n(&t, name, n);
    tn_amd_put(&t, tn_amd_suffix(ins, &form, format));
    tn_amd_put_operands(&t, ins, ins->o, &form);
    tn_amd_put_modifiers(&t, ins, &form, format);
  }
  if (cap) out[t.n < cap ? t.n : cap - 1] = 0;
  return t.n;
}
#endif
