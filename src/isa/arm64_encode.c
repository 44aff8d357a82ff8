// arm64_encode: instructions of A64 -> words.
//
// In:  a tn_arm64_ins. Out: its word; none where no row of its name takes its operands.
// Holds: a row's word has zeros where its operands have fields; tn_arm64_fields says where those are.
// Source: Arm Architecture Reference Manual (DDI 0487K.a), C4.1; immediates of logic: C6.2.13 and DecodeBitMasks there.
#ifndef TN_ISA_ARM64_ENCODE
#define TN_ISA_ARM64_ENCODE
#ifndef TINY_AMALGAMATED
#include "arm64.c"
#endif

// How a row takes an instruction: bytes of general registers, of an element and of vectors; 0: none is told.
typedef struct tn_arm64_match { const tn_arm64_row *row; int width, element, nbytes; } tn_arm64_match;

static int tn_arm64_log(int nbytes) { return nbytes >= 16 ? 4 : nbytes == 8 ? 3 : nbytes == 4 ? 2 : nbytes == 2; }
// Bytes that a load or store moves (C4.1.94: size, and opc of vectors); of pairs, one of the two.
static int tn_arm64_access(uint32_t word) {
  const int size = (int)(word >> 30), vector = (int)(word >> 26 & 1);
  if ((word >> 27 & 7) == 5) return vector ? 4 << size : size ? 8 : 4;
  return vector && word >> 23 & 1 ? 16 : 1 << size;
}

// ** fields **

// Bits of the fields of numbers, memory, distances and conditions, by two letters.
static const struct { char code[3]; uint32_t mask; } tn_arm64_parts[] = {
  {"#a", 0x007FFC00}, {"#l", 0x007FFC00}, {"#m", 0x007FFFE0}, {"#r", 0x007F8000}, {"#s", 0x007FFC00},
  {"#i", 0x007F0000}, {"#j", 0x0000FC00}, {"#x", 0x0040FC00}, {"#c", 0x001F0000}, {"#n", 0x0000000F},
  {"#b", 0x80F80000}, {"#f", 0x001FE000}, {"#F", 0x000703E0}, {"#8", 0x000703E0}, {"#v", 0x000763E0},
  {"#V", 0x000703E0}, {"#L", 0x00070000}, {"#R", 0x00070000}, {"#e", 0x00007800}, {"#5", 0x0000001F},
  {"#I", 0x001FFFE0}, {"[u", 0x003FFFE0}, {"[s", 0x001FF3E0}, {"[<", 0x001FF3E0}, {"[>", 0x001FF3E0},
  {"[x", 0x001FF3E0}, {"[b", 0x000003E0}, {"[p", 0x003F83E0}, {"[P", 0x003F83E0}, {"[Q", 0x003F83E0},
  {"J6", 0x03FFFFFF}, {"J9", 0x00FFFFE0}, {"J4", 0x0007FFE0}, {"JA", 0x60FFFFE0}, {"JP", 0x60FFFFE0},
  {"cc", 0x0000F000}, {"ci", 0x0000F000}
};
static int tn_arm64_at(char where) {       // of registers: the bit where their number begins; -1: it is none
  return strchr("DdL", where) ? 0 : strchr("Nno", where) ? 5 : strchr("MmSTE", where) ? 16 :
         strchr("Aa", where) ? 10 : -1;
}
static uint32_t tn_arm64_operand_fields(const tn_arm64_row *r, char where, char what) {
  const int at = tn_arm64_at(where);
  if (at < 0) {
    for (size_t i = 0; i < sizeof tn_arm64_parts / sizeof *tn_arm64_parts; i++)
      if (tn_arm64_parts[i].code[0] == where && tn_arm64_parts[i].code[1] == what)
        return tn_arm64_parts[i].mask & ~(what == 'v' && r->elements == 2 ? 0x4000u : 0);
    return 0;
  }
  uint32_t mask = 0x1Fu << at;
  if (where == 'o') mask |= 0x1F0000;
  if (where == 'S' || where == 'T') mask |= 0x00C0FC00;
  if (where == 'E') mask |= 0x0000FC00;
  if (where >= 'A' && where <= 'Z' && strchr("rp", what)) mask |= 0x80000000;
  switch (what) {
    case 'n': return mask | 0x00400000;
    case 'j': return mask | 0x00007800;
    case 'i': case 'g': return mask | 0x00200800;
    case '1': return mask | 0x40001C00;
    case '2': return mask | 0x40001800;
    case '4': return mask | 0x40001000;
    case '8': return mask | 0x40000000;
    default: return mask;
  }
}
static uint32_t tn_arm64_fields(const tn_arm64_row *r) {
  static const uint32_t by[] = {0, 0xC00000, 0x400000, 0xC00000, 0x400000, 0x1F0000, 0x780000, 0xC00};
  uint32_t mask = by[r->by] | (r->q != TN_ARM64_Q_N ? 0x40000000 : 0);
  for (const char *p = r->operands; *p; p += 2) mask |= tn_arm64_operand_fields(r, p[0], p[1]);
  return mask;
}

// ** the element and the vector's length **

static void tn_arm64_measure(tn_arm64_match *m, const tn_arm64_ins *ins) {
  m->width = m->element = m->nbytes = 0;
  for (int i = 0; i < ins->n; i++) {
    const char what = m->row->operands[2 * i + 1];
    const tn_arm64_operand *o = &ins->o[i];
    if (o->kind == TN_ARM64_GPR && strchr("rp", what) && !m->width) m->width = o->nbytes;
    if (o->kind == TN_ARM64_VEC && what == 'v') { m->element = o->element; m->nbytes = o->nbytes; }
    if (o->kind == TN_ARM64_VEC && what == 'f' && !m->element) m->element = o->nbytes;
    if (o->kind == TN_ARM64_VLANE && strchr("lj", what) && !m->element) m->element = o->element;
  }
}
static int tn_arm64_has_element(const tn_arm64_match *m) {
  const tn_arm64_row *r = m->row;
  if (r->elements && (!m->element || !(r->elements & m->element))) return 0;
  switch (r->q) {
    case TN_ARM64_Q_E: return m->nbytes == 16 || (m->nbytes == 8 && m->element < 8);
    case TN_ARM64_Q_M: return m->nbytes == 16 || (m->nbytes == 8 && m->element < 4);
    case TN_ARM64_Q_8: return m->nbytes == 8;
    case TN_ARM64_Q_16: return m->nbytes == 16;
    default: return 1;
  }
}
static uint32_t tn_arm64_put_element(const tn_arm64_match *m) {
  const uint32_t e = (uint32_t)m->element, log = (uint32_t)tn_arm64_log(m->element);
  const uint32_t q = m->row->q != TN_ARM64_Q_N && m->nbytes == 16 ? 0x40000000 : 0;
  switch (m->row->by) {
    case TN_ARM64_BY_SIZE: return q | log << 22;
    case TN_ARM64_BY_SZ: return q | (uint32_t)(e == 8) << 22;
    case TN_ARM64_BY_TYPE: return q | (e == 2 ? 3u : e == 8 ? 1u : 0u) << 22;
    case TN_ARM64_BY_WIDER: return q | (uint32_t)(e == 4) << 22;
    case TN_ARM64_BY_IMM5: return q | e << 16;
    case TN_ARM64_BY_IMMH: return q | e << 19;
    case TN_ARM64_BY_LOAD: return q | log << 10;
    default: return q;
  }
}

// ** registers **

static uint32_t tn_arm64_reg(int reg) { return reg == TN_ARM64_SP ? 31 : (uint32_t)reg; }
static int tn_arm64_put_gpr(const tn_arm64_match *m, uint32_t *word, char where, char what, const tn_arm64_operand *o) {
  const int at = tn_arm64_at(where), extended = o->shift >= 8;
  const int is_word = what == 'w' || what == 'n' || (what == 'k' && m->element < 8);
  const int w = is_word ? 4 : strchr("rp", what) ? m->width : 8;
  const int stack = what == 'p' || what == 'X';
  if (o->kind != TN_ARM64_GPR || (o->reg == TN_ARM64_ZR && stack) || (o->reg == TN_ARM64_SP && !stack)) return 0;
  *word |= tn_arm64_reg(o->reg) << at;
  if (strchr("rp", what) && w == 8) *word |= 0x80000000;
  if (what == 'n' && m->width == 8) *word |= 0x00400000;
  if (where == 'E') {                      // x registers are extended from 64 bits alone
    *word |= (uint32_t)(o->shift & 7) << 13 | (uint32_t)o->amount << 10;
    return extended && o->amount <= 4 && o->nbytes == ((o->shift & 3) == 3 ? 8 : 4) && (w == 8 || o->nbytes == 4);
  }
  if (o->nbytes != w) return 0;
  if (where != 'S' && where != 'T') return !o->shift && !o->amount;
  *word |= (uint32_t)o->shift << 22 | (uint32_t)o->amount << 10;
  return o->shift <= (where == 'T' ? TN_ARM64_BY_ROR : TN_ARM64_BY_ASR) && o->amount < 8 * w;
}
static int tn_arm64_put_vector(const tn_arm64_match *m, uint32_t *word, char where, char what,
                               const tn_arm64_operand *o) {
  int nbytes = m->nbytes, element = m->element;
  switch (what) {
    case 'b': nbytes = 1; element = 0; break;
    case 'h': nbytes = 2; element = 0; break;
    case 's': nbytes = 4; element = 0; break;
    case 'd': nbytes = 8; element = 0; break;
    case 'q': nbytes = 16; element = 0; break;
    case 'f': nbytes = element; element = 0; break;
    case 'w': nbytes = 16; element *= 2; break;
    case 'B': element = 1; break;
    case 't': nbytes = 16; element = 1; break;
    default: break;
  }
  *word |= (uint32_t)o->reg << tn_arm64_at(where);
  if (where == 'o') *word |= (uint32_t)o->reg << 16;
  return o->kind == TN_ARM64_VEC && o->nbytes == nbytes && o->element == element;
}
static int tn_arm64_put_lane(const tn_arm64_match *m, uint32_t *word, char where, char what,
                             const tn_arm64_operand *o) {
  const uint32_t lane = o->lane, reg = o->reg, at = lane * o->element;
  const int known = what >= '1' && what <= '8' ? what - '0' : what == 'g' ? 4 : m->element;
  if (o->kind != TN_ARM64_VLANE || o->element != known || at >= 16) return 0;
  *word |= reg << tn_arm64_at(where);
  switch (what) {
    case 'l': *word |= lane << (17 + tn_arm64_log(o->element)); return 1;
    case 'j': *word |= at << 11; return 1;
    case 'g': *word |= (lane & 1) << 21 | lane >> 1 << 11; return 1;
    case 'i':
      if (o->element == 2) *word |= (lane & 1) << 20 | (lane >> 1 & 1) << 21 | lane >> 2 << 11;
      else if (o->element == 4) *word |= (lane & 1) << 21 | lane >> 1 << 11;
      else *word |= lane << 11;
      return o->element > 2 || reg < 16;
    default: *word |= at >> 3 << 30 | (at >> 2 & 1) << 12 | (at & 3) << 10; return 1;
  }
}

// ** numbers **

// The fields N, immr and imms of a number that AND takes, of 4 or 8 bytes; -1: it is none.
static int tn_arm64_bitmask(uint64_t v, int width) {
  int size = 64, ones = 0, turned = 0;
  if (width == 4) v = (v & 0xFFFFFFFF) | v << 32;
  if (!v || !~v) return -1;
  while (size > 2 && !((v ^ v >> size / 2) & (((uint64_t)1 << size / 2) - 1))) {
    size /= 2;
    v &= ((uint64_t)1 << size) - 1;
  }
  const uint64_t all = size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1;
  for (int i = 0; i < size; i++) ones += (int)(v >> i & 1);
  const uint64_t run = ((uint64_t)1 << ones) - 1;
  while (turned < size && ((v << turned | (turned ? v >> (size - turned) : 0)) & all) != run) turned++;
  if (turned == size) return -1;
  return (size == 64) << 12 | turned << 6 | ((size == 64 ? 0 : 0x3F & ~(2 * size - 1)) | (ones - 1));
}
static uint32_t tn_arm64_bits_8(int64_t v) { return (uint32_t)(v & 0x1F) << 5 | (uint32_t)(v >> 5 & 7) << 16; }
static int tn_arm64_put_number(const tn_arm64_match *m, uint32_t *word, char what, const tn_arm64_operand *o) {
  const int64_t v = o->imm;
  const uint32_t u = (uint32_t)v, n = m->width == 8;
  const int bits = 8 * m->width, lane = 8 * m->element;
  if (o->kind != TN_ARM64_IMM || (o->amount && what != 'm' && what != 'v')) return 0;
  switch (what) {
    case '0': return v == 0;
    case 'a':
      *word |= v >= 4096 ? 0x400000 | u >> 12 << 10 : u << 10;
      return v >= 0 && (v < 4096 || (v < 4096 << 12 && !(v & 4095)));
    case 'l': {
      const int fields = tn_arm64_bitmask((uint64_t)v, m->width);
      *word |= (uint32_t)fields << 10;
      return fields >= 0 && (m->width == 8 || (v >= 0 && v <= UINT32_MAX));
    }
    case 'm':
      *word |= u << 5 | (uint32_t)o->amount / 16 << 21;
      return v >= 0 && v < 65536 && o->amount < bits && !(o->amount % 16);
    case 'r': *word |= u << 16 | n << 22 | n << 15; return v >= 0 && v < bits;
    case 's': *word |= (uint32_t)(bits - v) << 16 | (uint32_t)(bits - 1 - v) << 10 | n << 22; return v > 0 && v < bits;
    case 'i': *word |= u << 16 | n << 22; return v >= 0 && v < bits;
    case 'j': *word |= u << 10; return v >= 0 && v < bits;
    case 'x': *word |= u << 10 | n << 22; return v >= 0 && v < bits;
    case 'c': *word |= u << 16; return v >= 0 && v < 32;
    case 'n': *word |= u; return v >= 0 && v < 16;
    case 'b': *word |= (u & 31) << 19; return v >= 0 && v < bits && (v >= 32) == (m->width == 8);
    case 'f': *word |= u << 13; return v >= 0 && v < 256;
    case 'F': case '8': *word |= tn_arm64_bits_8(v); return v >= 0 && v < 256;
    case 'v':
      *word |= tn_arm64_bits_8(v) | (uint32_t)o->amount / 8 << 13;
      return v >= 0 && v < 256 && !(o->amount % 8) && o->amount < lane;
    case 'V': {
      int64_t each = 0;
      for (int i = 0; i < 8; i++) each |= (v >> 8 * i & 1) << i;
      *word |= tn_arm64_bits_8(each);
      for (int i = 0; i < 8; i++) if ((v >> 8 * i & 0xFF) != 0xFF * (each >> i & 1)) return 0;
      return 1;
    }
    case 'L': *word += u << 16; return v >= 0 && v < lane;
    case 'R': *word += (uint32_t)(lane - v) << 16; return v > 0 && v <= lane;
    case 'e': *word |= u << 11; return v >= 0 && v < m->nbytes;
    case '5': *word |= u; return v >= 0 && v < 32;
    case 'I': *word |= u << 5; return v >= 0 && v < 65536;
    default: return 0;
  }
}

// ** memory, distances, conditions **

static int tn_arm64_put_memory(const tn_arm64_match *m, uint32_t *word, char what, const tn_arm64_operand *o) {
  const int unit = tn_arm64_access(m->row->word), indexed = o->index != TN_ARM64_NO_REG;
  const int mode = strchr("<P", what) ? TN_ARM64_BEFORE : strchr(">Q", what) ? TN_ARM64_AFTER : TN_ARM64_OFFSET;
  const int64_t v = o->imm, units = v / unit;
  if (o->kind != TN_ARM64_MEM || o->mode != mode || indexed != (what == 'x') || o->reg == TN_ARM64_ZR) return 0;
  *word |= tn_arm64_reg(o->reg) << 5;
  switch (what) {
    case 'b': return v == 0;
    case 'u': *word |= (uint32_t)units << 10; return v >= 0 && units * unit == v && units < 4096;
    case 'x':
      *word |= (uint32_t)o->index << 16 | (uint32_t)(o->shift & 7) << 13 | (uint32_t)(o->amount != 0) << 12;
      return !v && o->shift >= 8 && o->shift & 2 && (!o->amount || o->amount == tn_arm64_log(unit));
    case 'p': case 'P': case 'Q':
      *word |= ((uint32_t)units & 127) << 15;
      return units * unit == v && units >= -64 && units < 64;
    default: *word |= ((uint32_t)v & 511) << 12; return v >= -256 && v < 256;
  }
}
static int tn_arm64_put_distance(uint32_t *word, char what, const tn_arm64_operand *o) {
  const int bits = what == '6' ? 26 : what == '9' ? 19 : what == '4' ? 14 : 21;
  const int shift = what == 'A' ? 0 : what == 'P' ? 12 : 2;
  const int64_t v = o->imm >> shift, half = (int64_t)1 << (bits - 1);
  const uint32_t field = (uint32_t)(uint64_t)v & (((uint32_t)1 << bits) - 1);
  *word |= bits == 26 ? field : bits == 21 ? (field & 3) << 29 | field >> 2 << 5 : field << 5;
  return o->kind == TN_ARM64_IMM && !o->amount && o->imm == (int64_t)((uint64_t)v << shift) && v >= -half && v < half;
}

static int tn_arm64_put(const tn_arm64_match *m, uint32_t *word, char where, char what, const tn_arm64_operand *o) {
  switch (where) {
    case '#': return tn_arm64_put_number(m, word, what, o);
    case '[': return tn_arm64_put_memory(m, word, what, o);
    case 'J': return tn_arm64_put_distance(word, what, o);
    case 'c':                              // the other way round it is told; never and always have none
      *word |= (uint32_t)(o->imm ^ (what == 'i')) << 12;
      return o->kind == TN_ARM64_IMM && !o->amount && o->imm >= 0 && o->imm < (what == 'i' ? 14 : 16);
    case 'd': case 'n': case 'm': case 'a': case 'o': case 'L':
      return (strchr("ljig1248", what) ? tn_arm64_put_lane : tn_arm64_put_vector)(m, word, where, what, o);
    default: return tn_arm64_put_gpr(m, word, where, what, o);
  }
}

// Does the row take it? Its word then.
static int tn_arm64_takes(const tn_arm64_row *r, const tn_arm64_ins *ins, uint32_t *word) {
  tn_arm64_match m = {r, 0, 0, 0};
  if ((int)strlen(r->operands) != 2 * ins->n) return 0;
  tn_arm64_measure(&m, ins);
  if (!tn_arm64_has_element(&m)) return 0;
  *word = r->word | tn_arm64_put_element(&m);
  for (int i = 0; i < ins->n; i++)
    if (!tn_arm64_put(&m, word, r->operands[2 * i], r->operands[2 * i + 1], &ins->o[i])) return 0;
  return 1;
}
// The first row of its name that takes it, and its word. NULL: none does.
static const tn_arm64_row *tn_arm64_encode(const tn_arm64_ins *ins, uint32_t *word) {
  for (int i = ins->op; i < TN_ARM64_COUNT && (i == ins->op || tn_arm64_same_name(i, ins->op)); i++)
    if (tn_arm64_takes(&tn_arm64_rows[i], ins, word)) return &tn_arm64_rows[i];
  return NULL;
}
#endif
