// arm64_text: instructions of A64 as assembly text, and words -> instructions.
//
// In:  a tn_arm64_ins, or a word. Out: a line as LLVM's assembler reads it, distances as numbers; the instruction, of
//      which encoding gives the same word again.
#ifndef TN_ISA_ARM64_TEXT
#define TN_ISA_ARM64_TEXT
#ifndef TINY_AMALGAMATED
#include "arm64_encode.c"
#endif

// ** text **

static const char *const tn_arm64_conditions[16] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge",
                                                    "lt", "gt", "le", "al", "nv"};
static void tn_arm64_gpr_text(tiny_bytes *out, int reg, int nbytes) {
  const char *const w = nbytes == 4 ? "w" : "x";
  if (reg == TN_ARM64_SP) tn_text_put(out, nbytes == 4 ? "wsp" : "sp");
  else if (reg == TN_ARM64_ZR) tn_text_add(out, "%szr", w);
  else tn_text_add(out, "%s%d", w, reg);
}
static char tn_arm64_letter(int nbytes) { return "bhsdq"[tn_arm64_log(nbytes)]; }
static void tn_arm64_shift_text(tiny_bytes *out, const tn_arm64_operand *o, int told) {
  static const char *const names[16] = {"lsl", "lsr", "asr", "ror", "", "", "", "", "uxtb", "uxth", "uxtw", "uxtx",
                                        "sxtb", "sxth", "sxtw", "sxtx"};
  if (!o->shift && !o->amount) return;
  const int plain = told && o->shift == TN_ARM64_BY_UXTX;    // of an index
  if (plain && !o->amount) return;
  tn_text_add(out, ", %s", plain ? "lsl" : names[o->shift & 15]);
  if (o->amount || o->shift < 8) tn_text_add(out, " #%d", o->amount);
}
static void tn_arm64_vector_text(tiny_bytes *out, char where, char what, const tn_arm64_operand *o) {
  const int braces = where == 'L' || what == 't';
  if (o->kind == TN_ARM64_VLANE) {
    tn_text_add(out, braces ? "{ v%d.%s%c }[%d]" : "v%d.%s%c[%d]", o->reg, what == 'g' ? "4" : "",
                what == 'g' ? 'b' : tn_arm64_letter(o->element), o->lane);
  } else if (!o->element) tn_text_add(out, "%c%d", tn_arm64_letter(o->nbytes), o->reg);
  else tn_text_add(out, braces ? "{ v%d.%d%c }" : "v%d.%d%c", o->reg, o->nbytes / o->element,
                   tn_arm64_letter(o->element));
}
static void tn_arm64_memory_text(tiny_bytes *out, const tn_arm64_operand *o) {
  tn_text_put(out, "[");
  tn_arm64_gpr_text(out, o->reg, 8);
  if (o->mode == TN_ARM64_AFTER) { tn_text_add(out, "], #%lld", (long long)o->imm); return; }
  if (o->index != TN_ARM64_NO_REG) {
    tn_text_put(out, ", ");
    tn_arm64_gpr_text(out, o->index, (o->shift & 1) ? 8 : 4);
    tn_arm64_shift_text(out, o, 1);
  } else if (o->imm || o->mode) tn_text_add(out, ", #%lld", (long long)o->imm);
  tn_text_put(out, o->mode ? "]!" : "]");
}
// A float of eight bits: sign, three of exponent, four of fraction (C2.2.3): of 1/128 a whole number.
static void tn_arm64_float_text(tiny_bytes *out, int bits) {
  const int e = (bits >> 4 & 7) ^ 4, parts = (16 + (bits & 15)) << e;
  tn_text_add(out, "#%s%d.%07d", bits & 128 ? "-" : "", parts / 128, parts % 128 * 78125);
}
static void tn_arm64_number_text(tiny_bytes *out, const tn_arm64_row *r, char where, char what,
                                 const tn_arm64_operand *o) {
  if (where == 'c') tn_text_put(out, tn_arm64_conditions[o->imm & 15]);
  else if (what == 'f' || what == 'F') tn_arm64_float_text(out, (int)o->imm);
  else if (what == '0' && r->name[0] == 'f') tn_text_put(out, "#0.0");
  else tn_text_add(out, "#%lld", (long long)o->imm);
  if (o->amount) tn_text_add(out, ", lsl #%d", o->amount);
}
static void tn_arm64_print(tiny_bytes *out, const tn_arm64_ins *ins) {
  uint32_t word;
  const tn_arm64_row *r = tn_arm64_encode(ins, &word);
  if (!r) { tn_text_put(out, "(bad)"); return; }
  tn_text_put(out, r->name);
  for (int i = 0; i < ins->n; i++) {
    const tn_arm64_operand *o = &ins->o[i];
    const char where = r->operands[2 * i], what = r->operands[2 * i + 1];
    tn_text_put(out, i ? ", " : " ");
    if (o->kind == TN_ARM64_GPR) {
      tn_arm64_gpr_text(out, o->reg, o->nbytes);
      tn_arm64_shift_text(out, o, 0);
    } else if (o->kind == TN_ARM64_MEM) tn_arm64_memory_text(out, o);
    else if (o->kind == TN_ARM64_IMM) tn_arm64_number_text(out, r, where, what, o);
    else tn_arm64_vector_text(out, where, what, o);
  }
}

// ** words -> instructions **

static tn_arm64_operand tn_arm64_register(int kind, int reg, int nbytes, int element) {
  tn_arm64_operand o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)kind; o.reg = (uint8_t)reg; o.nbytes = (uint8_t)nbytes; o.element = (uint8_t)element;
  return o;
}
static tn_arm64_operand tn_arm64_number(int64_t v, int amount) {
  tn_arm64_operand o = tn_arm64_register(TN_ARM64_IMM, 0, 0, 0);
  o.imm = v; o.amount = (uint8_t)amount;
  return o;
}
static int64_t tn_arm64_signed(uint32_t v, int bits) {
  return (int64_t)(v & (((uint64_t)1 << bits) - 1)) - (v >> (bits - 1) & 1 ? (int64_t)1 << bits : 0);
}

static void tn_arm64_get_element(tn_arm64_match *m, uint32_t word) {
  const uint32_t size = word >> 22 & 3, immh = word >> 19 & 15, imm5 = word >> 16 & 31;
  m->width = word >> 31 ? 8 : 4;
  m->nbytes = word >> 30 & 1 ? 16 : 8;
  switch (m->row->by) {
    case TN_ARM64_BY_SIZE: m->element = 1 << size; break;
    case TN_ARM64_BY_SZ: m->element = word >> 22 & 1 ? 8 : 4; break;
    case TN_ARM64_BY_TYPE: m->element = size == 3 ? 2 : size == 1 ? 8 : size ? 0 : 4; break;
    case TN_ARM64_BY_WIDER: m->element = word >> 22 & 1 ? 4 : 2; break;
    case TN_ARM64_BY_IMM5: m->element = (int)(imm5 & (0 - imm5)) & 15; break;
    case TN_ARM64_BY_IMMH: m->element = immh & 8 ? 8 : immh & 4 ? 4 : immh & 2 ? 2 : (int)immh; break;
    case TN_ARM64_BY_LOAD: m->element = 1 << (word >> 10 & 3); break;
    default: m->element = m->row->elements;
  }
}

static tn_arm64_operand tn_arm64_get_gpr(const tn_arm64_match *m, uint32_t word, char where, char what) {
  const int is_word = what == 'w' || what == 'n' || (what == 'k' && m->element < 8);
  const int wide = strchr("rp", what) ? m->width : is_word ? 4 : 8;
  const int reg = (int)(word >> tn_arm64_at(where) & 31), stack = what == 'p' || what == 'X';
  tn_arm64_operand o = tn_arm64_register(TN_ARM64_GPR, reg == 31 && stack ? TN_ARM64_SP : reg, wide, 0);
  if (where == 'E') {
    o.shift = (uint8_t)(8 + (word >> 13 & 7)); o.amount = (uint8_t)(word >> 10 & 7);
    o.nbytes = (o.shift & 3) == 3 ? 8 : 4;
  } else if (where == 'S' || where == 'T') {
    o.shift = (uint8_t)(word >> 22 & 3); o.amount = (uint8_t)(word >> 10 & 63);
  }
  return o;
}
static tn_arm64_operand tn_arm64_get_vector(const tn_arm64_match *m, uint32_t word, char where, char what) {
  const int reg = (int)(word >> tn_arm64_at(where) & 31), e = m->element;
  switch (what) {
    case 'b': return tn_arm64_register(TN_ARM64_VEC, reg, 1, 0);
    case 'h': return tn_arm64_register(TN_ARM64_VEC, reg, 2, 0);
    case 's': return tn_arm64_register(TN_ARM64_VEC, reg, 4, 0);
    case 'd': return tn_arm64_register(TN_ARM64_VEC, reg, 8, 0);
    case 'q': return tn_arm64_register(TN_ARM64_VEC, reg, 16, 0);
    case 'f': return tn_arm64_register(TN_ARM64_VEC, reg, e, 0);
    case 'w': return tn_arm64_register(TN_ARM64_VEC, reg, 16, 2 * e);
    case 'B': return tn_arm64_register(TN_ARM64_VEC, reg, m->nbytes, 1);
    case 't': return tn_arm64_register(TN_ARM64_VEC, reg, 16, 1);
    default: return tn_arm64_register(TN_ARM64_VEC, reg, m->nbytes, e);
  }
}
static tn_arm64_operand tn_arm64_get_lane(const tn_arm64_match *m, uint32_t word, char where, char what) {
  const uint32_t h = word >> 11 & 1, l = word >> 21 & 1, k = word >> 20 & 1;
  const int known = what >= '1' && what <= '8' ? what - '0' : what == 'g' ? 4 : m->element;
  tn_arm64_operand o = tn_arm64_register(TN_ARM64_VLANE, (int)(word >> tn_arm64_at(where) & 31), 16, known);
  const int log = tn_arm64_log(known);
  switch (what) {
    case 'l': o.lane = (uint8_t)((word >> 16 & 31) >> (log + 1)); break;
    case 'j': o.lane = (uint8_t)((word >> 11 & 15) >> log); break;
    case 'g': o.lane = (uint8_t)(h << 1 | l); break;
    case 'i':
      o.lane = (uint8_t)(known == 2 ? h << 2 | l << 1 | k : known == 4 ? h << 1 | l : h);
      if (known == 2) o.reg &= 15;
      break;
    default: o.lane = (uint8_t)(((word >> 30 & 1) << 3 | (word >> 12 & 1) << 2 | (word >> 10 & 3)) >> log);
  }
  return o;
}

static int64_t tn_arm64_get_bitmask(uint32_t fields, int width) {
  const int n = (int)(fields >> 12 & 1), immr = (int)(fields >> 6 & 63), imms = (int)(fields & 63);
  int size = 64;
  while (size > 1 && !n && (imms & (size / 2)) ) size /= 2;
  if (!n) size /= 2;
  if (size < 2) return 0;
  const int ones = (imms & (size - 1)) + 1, turned = immr & (size - 1);
  const uint64_t all = size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1;
  const uint64_t run = ones == 64 ? all : ((uint64_t)1 << ones) - 1;
  uint64_t v = (run >> turned | (turned ? run << (size - turned) : 0)) & all;
  for (int s = size; s < 64; s *= 2) v |= v << s;
  return (int64_t)(width == 4 ? v & 0xFFFFFFFF : v);
}
static tn_arm64_operand tn_arm64_get_number(const tn_arm64_match *m, uint32_t word, char what) {
  const int bits = 8 * m->width, lane = 8 * m->element, immr = (int)(word >> 16 & 63), imms = (int)(word >> 10 & 63);
  const int64_t eight = (word >> 16 & 7) << 5 | (word >> 5 & 31);
  switch (what) {
    case 'a': return tn_arm64_number((int64_t)(word >> 10 & 4095) << (word >> 22 & 1 ? 12 : 0), 0);
    case 'l': return tn_arm64_number(tn_arm64_get_bitmask(word >> 10 & 0x1FFF, m->width), 0);
    case 'm': return tn_arm64_number(word >> 5 & 65535, 16 * (int)(word >> 21 & 3));
    case 'r': case 'i': return tn_arm64_number(immr, 0);
    case 's': return tn_arm64_number(bits - 1 - imms, 0);
    case 'j': case 'x': return tn_arm64_number(imms, 0);
    case 'c': return tn_arm64_number(word >> 16 & 31, 0);
    case 'n': return tn_arm64_number(word & 15, 0);
    case 'b': return tn_arm64_number((word >> 19 & 31) + (word >> 31 ? 32 : 0), 0);
    case 'f': return tn_arm64_number(word >> 13 & 255, 0);
    case 'F': case '8': return tn_arm64_number(eight, 0);
    case 'v': return tn_arm64_number(eight, 8 * (int)(word >> 13 & (m->element == 2 ? 1 : 3)));
    case 'V': {
      uint64_t v = 0;
      for (int i = 0; i < 8; i++) if (eight >> i & 1) v |= (uint64_t)0xFF << 8 * i;
      return tn_arm64_number((int64_t)v, 0);
    }
    case 'L': return tn_arm64_number((int64_t)(word >> 16 & 127) - lane, 0);
    case 'R': return tn_arm64_number(2 * lane - (int64_t)(word >> 16 & 127), 0);
    case 'e': return tn_arm64_number(word >> 11 & 15, 0);
    case '5': return tn_arm64_number(word & 31, 0);
    case 'I': return tn_arm64_number(word >> 5 & 65535, 0);
    default: return tn_arm64_number(0, 0);
  }
}
static tn_arm64_operand tn_arm64_get_memory(const tn_arm64_match *m, uint32_t word, char what) {
  const int unit = tn_arm64_access(m->row->word), base = (int)(word >> 5 & 31);
  tn_arm64_operand o = tn_arm64_register(TN_ARM64_MEM, base == 31 ? TN_ARM64_SP : base, 0, 0);
  o.index = TN_ARM64_NO_REG;
  o.mode = (uint8_t)(strchr("<P", what) ? TN_ARM64_BEFORE : strchr(">Q", what) ? TN_ARM64_AFTER : TN_ARM64_OFFSET);
  switch (what) {
    case 'b': break;
    case 'u': o.imm = (int64_t)(word >> 10 & 4095) * unit; break;
    case 'x':
      o.index = (uint8_t)(word >> 16 & 31); o.shift = (uint8_t)(8 + (word >> 13 & 7));
      if (word >> 12 & 1) o.amount = (uint8_t)tn_arm64_log(unit);
      break;
    case 'p': case 'P': case 'Q': o.imm = tn_arm64_signed(word >> 15, 7) * unit; break;
    default: o.imm = tn_arm64_signed(word >> 12, 9);
  }
  return o;
}
static tn_arm64_operand tn_arm64_get_distance(uint32_t word, char what) {
  if (what == '6') return tn_arm64_number(tn_arm64_signed(word, 26) * 4, 0);
  if (what == '9') return tn_arm64_number(tn_arm64_signed(word >> 5, 19) * 4, 0);
  if (what == '4') return tn_arm64_number(tn_arm64_signed(word >> 5, 14) * 4, 0);
  const int64_t v = tn_arm64_signed((word >> 5 & 0x7FFFF) << 2 | (word >> 29 & 3), 21);
  return tn_arm64_number(what == 'P' ? v * 4096 : v, 0);
}
static tn_arm64_operand tn_arm64_get(const tn_arm64_match *m, uint32_t word, char where, char what) {
  switch (where) {
    case '#': return tn_arm64_get_number(m, word, what);
    case '[': return tn_arm64_get_memory(m, word, what);
    case 'J': return tn_arm64_get_distance(word, what);
    case 'c': return tn_arm64_number((word >> 12 & 15) ^ (what == 'i'), 0);
    case 'd': case 'n': case 'm': case 'a': case 'o': case 'L':
      return (strchr("ljig1248", what) ? tn_arm64_get_lane : tn_arm64_get_vector)(m, word, where, what);
    default: return tn_arm64_get_gpr(m, word, where, what);
  }
}

// Reads a word. 0: it is none of the table's; fields that would come back as others make it none of a row's.
static int tn_arm64_decode(uint32_t word, tn_arm64_ins *ins) {
  for (int i = 0, name = 0; i < TN_ARM64_COUNT; i++) {
    tn_arm64_match m = {&tn_arm64_rows[i], 0, 0, 0};
    uint32_t again;
    if (!tn_arm64_same_name(i, name)) name = i;
    if ((word ^ m.row->word) & ~tn_arm64_fields(m.row)) continue;
    memset(ins, 0, sizeof *ins);
    tn_arm64_get_element(&m, word);
    for (const char *p = m.row->operands; *p; p += 2) ins->o[ins->n++] = tn_arm64_get(&m, word, p[0], p[1]);
    if (!tn_arm64_takes(m.row, ins, &again) || again != word) continue;
    ins->op = (uint16_t)name;
    return 1;
  }
  return 0;
}
#endif
