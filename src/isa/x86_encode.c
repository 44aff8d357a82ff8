// x86_encode: instructions of x86-64 -> bytes.
//
// In:  a tn_x86_ins. Out: its bytes, 15 at most; none where no row of its name takes its operands.
// Holds: of several encodings the one that LLVM's assembler takes: the first row that fits, VEX before EVEX, two bytes
//        of VEX before three, the shortest displacement.
// Source: Intel SDM vol. 2, chapter 2: ModRM and SIB (2.1.5), REX (2.2.1), VEX (2.3), EVEX and disp8*N (2.7).
#ifndef TN_ISA_X86_ENCODE
#define TN_ISA_X86_ENCODE
#ifndef TINY_AMALGAMATED
#include "x86.c"
#endif

enum { TN_X86_LEGACY = 1, TN_X86_VEX = 2, TN_X86_EVEX = 4 };                 // bits of a row's space
// How a row takes an instruction: its width (2, 4, 8; 0: none), vector's length in bytes, and encoding.
typedef struct tn_x86_match { const tn_x86_row *row; int width, length, space; } tn_x86_match;

static int tn_x86_spaces(const tn_x86_row *r) { return (int)(r->form >> 9 & 7); }

// ** does a row take the operands? **

// Bytes of an operand of that size in a row; 0: any.
static int tn_x86_size(const tn_x86_match *m, char size) {
  switch (size) {
    case 'b': case 'k': return 1;
    case 'w': case 'l': return 2;
    case 'd': return 4;
    case 'q': return 8;
    case 'o': return 16;
    case 'v': case 'z': case 'y': return m->width;
    case 'x': return m->length;
    case 'h': return m->length / 2;
    case 'f': return m->length / 4;
    case 'e': return m->length / 8;
    default: return 0;
  }
}
static int tn_x86_fits_width(char size, int nbytes) {
  return size == 'v' ? nbytes >= 2 : size == 'z' ? nbytes == 2 || nbytes == 4 : size != 'y' || nbytes >= 4;
}
static int tn_x86_fits_gpr(const tn_x86_match *m, char size, const tn_x86_operand *o) {
  if (o->kind != TN_X86_GPR) return 0;
  if (size == 'k' || size == 'l') return o->nbytes == 4;
  return tn_x86_fits_width(size, o->nbytes) && o->nbytes == tn_x86_size(m, size);
}
static int tn_x86_vector(int nbytes) { return nbytes < 16 ? 16 : nbytes; }   // of the register that holds so many
static int tn_x86_fits_vector(const tn_x86_match *m, char size, const tn_x86_operand *o) {
  return o->kind == TN_X86_VEC && o->nbytes == tn_x86_vector(tn_x86_size(m, size));
}
static int tn_x86_fits_memory(const tn_x86_match *m, char size, const tn_x86_operand *o, const tn_x86_ins *ins) {
  const int element = (int)TN_X86_ELEMENT(m->row->form);
  if (o->kind != TN_X86_MEM) return 0;
  if (ins->broadcast) return element && strchr("xh", size) && o->nbytes == element;
  return tn_x86_fits_width(size, o->nbytes) && o->nbytes == tn_x86_size(m, size);
}
static int tn_x86_fits_rows(const tn_x86_match *m, char size, const tn_x86_operand *o, const tn_x86_ins *ins) {
  return tn_x86_fits_memory(m, size, o, ins) && !o->wide && o->reg != TN_X86_RIP;
}
static int tn_x86_fits_number(const tn_x86_match *m, char size, const tn_x86_operand *o) {
  const int64_t v = o->imm;
  if (o->kind != TN_X86_IMM) return 0;
  switch (size) {
    case '1': return v == 1;
    case 'b': return v >= -128 && v <= 127;
    case 'u': return v >= 0 && v <= 255;
    case 'z': return m->width == 2 ? v >= INT16_MIN && v <= INT16_MAX : v >= INT32_MIN && v <= INT32_MAX;
    default: return 1;
  }
}
// Vectors of registers 16 to 31 are EVEX's; others are found below 16 everywhere.
static int tn_x86_fits(const tn_x86_match *m, char where, char size, const tn_x86_operand *o, const tn_x86_ins *ins) {
  switch (where) {
    case 'a': return tn_x86_fits_gpr(m, size, o) && o->reg == 0;
    case 'c': return o->kind == TN_X86_GPR && o->nbytes == 1 && o->reg == 1;
    case 'y': return o->kind == TN_X86_VEC && o->reg == 0;
    case 'G': case 'R': case 'B': case 'Z': return tn_x86_fits_gpr(m, size, o);
    case 'E': return tn_x86_fits_gpr(m, size, o) || tn_x86_fits_memory(m, size, o, ins);
    case 'M': return tn_x86_fits_memory(m, size, o, ins) && !o->wide;
    case 'A': case 'C': case 'D': return o->kind == TN_X86_TMM && o->reg < 8;
    case 'Y': return tn_x86_fits_rows(m, size, o, ins);
    case 'X': return tn_x86_fits_memory(m, 'n', o, ins) && o->wide == tn_x86_vector(tn_x86_size(m, size));
    case 'V': case 'U': case 'H': case 'L': return tn_x86_fits_vector(m, size, o);
    case 'W': return tn_x86_fits_vector(m, size, o) || tn_x86_fits_memory(m, size, o, ins);
    case 'P': case 'N': case 'T': return o->kind == TN_X86_MASKREG;
    case 'Q': return o->kind == TN_X86_MASKREG || tn_x86_fits_memory(m, size, o, ins);
    default: return tn_x86_fits_number(m, size, o);
  }
}

// The width of general registers and the vector's length that operands tell.
static void tn_x86_measure(tn_x86_match *m, const tn_x86_ins *ins) {
  const int lens = (int)TN_X86_LENS(m->row->form);
  m->width = 0;
  m->length = lens == 4 ? 64 : lens == 2 ? 32 : 16;
  for (int i = 0; i < ins->n; i++) {
    const char *p = m->row->operands + 2 * i;
    const tn_x86_operand *o = &ins->o[i];
    const int sized = o->kind == TN_X86_GPR || (o->kind == TN_X86_MEM && !ins->broadcast);
    if (strchr("vzy", p[1]) && *p != 'I' && *p != 'J' && sized && !m->width) m->width = o->nbytes;
    if (p[1] == 'x' && *p == 'X') m->length = o->wide;
    else if (p[1] == 'x' && (o->kind == TN_X86_VEC || sized)) m->length = o->nbytes;
  }
}

// A product of tiles is of three (Intel SDM vol. 2, TDPBSSD: #UD where two are one).
static int tn_x86_tiles_differ(const tn_x86_ins *ins) {
  for (int i = 1; i < ins->n; i++)
    for (int j = 0; j < i; j++)
      if (ins->o[i].kind == TN_X86_TMM && ins->o[j].kind == TN_X86_TMM && ins->o[i].reg == ins->o[j].reg) return 0;
  return 1;
}

// Which encoding the row has for it; 0: none.
static int tn_x86_space(const tn_x86_match *m, const tn_x86_ins *ins) {
  const int spaces = tn_x86_spaces(m->row), k = (int)TN_X86_K(m->row->form), r = (int)TN_X86_ROUND(m->row->form);
  int evex = ins->mask || ins->zero || ins->round || ins->broadcast || m->length == 64, top = 0;
  for (int i = 0; i < ins->n; i++) {
    const tn_x86_operand *o = &ins->o[i];
    if (o->kind == TN_X86_VEC && o->reg > top) top = o->reg;
    if (o->kind == TN_X86_MEM && m->row->operands[2 * i] == 'X' && o->index > top) top = o->index;
  }
  evex |= top > 15;
  if (spaces & TN_X86_LEGACY) return evex ? 0 : TN_X86_LEGACY;
  if (!evex && spaces & TN_X86_VEX) return TN_X86_VEX;
  if (!(spaces & TN_X86_EVEX) || (ins->mask && !k) || (ins->zero && (k != 2 || !ins->mask))) return 0;
  if (k == 3 && !ins->mask) return 0;
  return ins->round && (!r || (r == 2) != (ins->round == TN_X86_SAE)) ? 0 : TN_X86_EVEX;
}

static int tn_x86_takes(tn_x86_match *m, const tn_x86_ins *ins) {
  const tn_x86_row *r = m->row;
  int memory = 0;
  if ((int)strlen(r->operands) != 2 * ins->n) return 0;
  tn_x86_measure(m, ins);
  for (int i = 0; i < ins->n; i++) {
    if (!tn_x86_fits(m, r->operands[2 * i], r->operands[2 * i + 1], &ins->o[i], ins)) return 0;
    memory |= ins->o[i].kind == TN_X86_MEM;
  }
  const int lens = (int)TN_X86_LENS(r->form);
  if (!tn_x86_tiles_differ(ins)) return 0;
  if (lens && !(lens & (m->length == 64 ? 4 : m->length == 32 ? 2 : 1))) return 0;
  if (ins->round && (memory || (strchr(r->operands, 'x') && m->length != 64))) return 0;
  // nothing is zeroed
  if (ins->zero && memory && strchr("WMX", *r->operands) && ins->o[0].kind == TN_X86_MEM) return 0;
  m->space = tn_x86_space(m, ins);
  return m->space != 0;
}

// VEX of two bytes has no bit for a register above 7 in r/m: the row that has the operands the other way round may.
static int tn_x86_reversed(const tn_x86_match *m, const tn_x86_ins *ins) {
  const int sources = ins->n - 1;
  return m->space == TN_X86_VEX && TN_X86_REVERSES(m->row->form) && ins->o[sources].kind == TN_X86_VEC &&
         ins->o[sources].reg > 7 && ins->o[0].reg < 8;
}
// The first row of its name that takes it. 0: none does.
static int tn_x86_find(const tn_x86_ins *ins, tn_x86_match *m) {
  for (int i = ins->op; i < TN_X86_COUNT && (i == ins->op || tn_x86_same_name(i, ins->op)); i++) {
    m->row = &tn_x86_rows[i];
    if (!tn_x86_takes(m, ins)) continue;
    if (tn_x86_reversed(m, ins)) m->row++;
    return 1;
  }
  return 0;
}

// ** bytes **

// The parts of an encoding, before they are put together. Registers are numbers of five bits.
typedef struct tn_x86_parts {
  int reg, rm, vvvv, index, base, opreg;   // rm: a register's; opreg: in the opcode
  const tn_x86_operand *memory;            // NULL: rm is a register
  int unit;                                // bytes that EVEX's short displacement counts
  int rows;                                // memory has a SIB, whatever it is
  int byte_rex;                            // spl, bpl, sil, dil: REX there must be
  uint8_t number[8]; int numbers;          // immediates
} tn_x86_parts;

static void tn_x86_put_number(tn_x86_parts *p, int64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) p->number[p->numbers++] = (uint8_t)((uint64_t)v >> 8 * i);
}
static void tn_x86_take_number(const tn_x86_match *m, tn_x86_parts *p, char where, char size, const tn_x86_operand *o) {
  if (where == 'L') tn_x86_put_number(p, o->reg << 4, 1);
  else if (size == 'b' || size == 'u') tn_x86_put_number(p, o->imm, 1);
  else if (size == 'q') tn_x86_put_number(p, o->imm, 8);
  else if (size == 'z') tn_x86_put_number(p, o->imm, where == 'I' && m->width == 2 ? 2 : 4);
}
static void tn_x86_take(const tn_x86_match *m, tn_x86_parts *p, char where, char size, const tn_x86_operand *o,
                        const tn_x86_ins *ins) {
  if (o->kind == TN_X86_GPR && o->nbytes == 1 && o->reg > 3) p->byte_rex = 1;
  switch (where) {
    case 'G': case 'V': case 'P': case 'A': p->reg = o->reg; return;
    case 'B': case 'H': case 'T': case 'D': p->vvvv = o->reg; return;
    case 'Z': p->opreg = o->reg; return;
    case 'I': case 'J': case 'L': tn_x86_take_number(m, p, where, size, o); return;
    case 'a': case 'c': case 'y': return;
    default: break;
  }
  if (o->kind != TN_X86_MEM) { p->rm = o->reg; return; }
  p->memory = o;
  p->rows = where == 'Y';
  p->index = o->index == TN_X86_NO_REG ? 0 : o->index;
  p->base = o->reg >= TN_X86_RIP ? 0 : o->reg;
  p->unit = m->space != TN_X86_EVEX ? 1 : ins->broadcast || where == 'X' ? (int)TN_X86_ELEMENT(m->row->form)
                                                                         : tn_x86_size(m, size);
}

static int tn_x86_put_displacement(uint8_t *out, int64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) out[i] = (uint8_t)((uint64_t)v >> 8 * i);
  return nbytes;
}
// ModRM, SIB and displacement; reg: the low three bits of its field.
static int tn_x86_put_memory(const tn_x86_parts *p, int reg, uint8_t *out) {
  const tn_x86_operand *o = p->memory;
  const int unit = p->unit ? p->unit : 1, indexed = o->index != TN_X86_NO_REG, low = p->base & 7;
  const int scale = o->scale == 8 ? 3 : o->scale == 4 ? 2 : o->scale == 2 ? 1 : 0;
  int n = 0;
  if (o->reg == TN_X86_RIP) {
    out[n++] = (uint8_t)(reg << 3 | 5);
    return n + tn_x86_put_displacement(out + n, o->imm, 4);
  }
  const int absolute = o->reg == TN_X86_NO_REG, sib = indexed || absolute || low == 4 || p->rows;
  const int64_t units = o->imm / unit;
  const int brief = units * unit == o->imm && units >= -128 && units <= 127;
  const int mod = absolute || (!o->imm && low != 5) ? 0 : brief ? 1 : 2;
  out[n++] = (uint8_t)(mod << 6 | reg << 3 | (sib ? 4 : low));
  if (sib) out[n++] = (uint8_t)(scale << 6 | (indexed ? p->index & 7 : 4) << 3 | (absolute ? 5 : low));
  return n + tn_x86_put_displacement(out + n, mod == 1 ? units : o->imm, absolute || mod == 2 ? 4 : mod);
}

static int tn_x86_put_legacy(const tn_x86_match *m, const tn_x86_parts *p, uint8_t *out) {
  static const uint8_t prefix[4] = {0, 0x66, 0xF3, 0xF2};
  const uint32_t form = m->row->form;
  const int w = TN_X86_W(form) || (m->width == 8 && strpbrk(m->row->operands, "vyz")), pp = (int)TN_X86_PP(form);
  const int high = p->reg >> 3 << 2 | p->index >> 3 << 1 | (p->memory ? p->base : p->rm | p->opreg) >> 3;
  int n = 0;
  if (m->width == 2 && pp != 1) out[n++] = 0x66;
  if (pp) out[n++] = prefix[pp];
  if (w || high || p->byte_rex) out[n++] = (uint8_t)(0x40 | w << 3 | high);
  if (TN_X86_MAP(form)) out[n++] = 0x0F;
  if (TN_X86_MAP(form) > 1) out[n++] = TN_X86_MAP(form) == 2 ? 0x38 : 0x3A;
  return n;
}
static int tn_x86_vex_w(const tn_x86_match *m) {
  const int w = (int)TN_X86_W(m->row->form), by_width = strchr(m->row->operands, 'y') && m->width == 8;
  return by_width || w == 1 || (w == 2 && m->space == TN_X86_EVEX);
}
static int tn_x86_put_vex(const tn_x86_match *m, const tn_x86_parts *p, uint8_t *out) {
  const uint32_t form = m->row->form;
  const int r = ~p->reg >> 3 & 1, x = ~p->index >> 3 & 1, b = ~(p->memory ? p->base : p->rm) >> 3 & 1,
            w = tn_x86_vex_w(m), last = (~p->vvvv & 15) << 3 | (m->length == 32) << 2 | (int)TN_X86_PP(form);
  if (x && b && !w && TN_X86_MAP(form) == 1) {
    out[0] = 0xC5; out[1] = (uint8_t)(r << 7 | last);
    return 2;
  }
  out[0] = 0xC4;
  out[1] = (uint8_t)(r << 7 | x << 6 | b << 5 | (int)TN_X86_MAP(form));
  out[2] = (uint8_t)(w << 7 | last);
  return 3;
}
// The fifth bit of a register: of reg R', of one in r/m X, of vvvv or a vector's index V'.
static int tn_x86_put_evex(const tn_x86_match *m, const tn_x86_parts *p, const tn_x86_ins *ins, uint8_t *out) {
  const uint32_t form = m->row->form;
  const int rm = p->memory ? p->base : p->rm, x = p->memory ? p->index >> 3 & 1 : p->rm >> 4 & 1;
  const int v = (p->memory ? p->index | p->vvvv : p->vvvv) >> 4 & 1, b = ins->broadcast || ins->round;
  const int whole = m->length == 64 ? 2 : m->length == 32;
  const int length = ins->round == TN_X86_SAE ? 0 : ins->round ? ins->round - TN_X86_RN : whole;
  out[0] = 0x62;
  out[1] = (uint8_t)((~p->reg >> 3 & 1) << 7 | !x << 6 | (~rm >> 3 & 1) << 5 | (~p->reg >> 4 & 1) << 4 |
                     (int)TN_X86_MAP(form));
  out[2] = (uint8_t)(tn_x86_vex_w(m) << 7 | (~p->vvvv & 15) << 3 | 4 | (int)TN_X86_PP(form));
  out[3] = (uint8_t)(ins->zero << 7 | length << 5 | b << 4 | !v << 3 | ins->mask);
  return 4;
}

// Has the row a ModRM byte? Does an operand stand in its r/m field, which is 0 else?
static int tn_x86_has_rm(const tn_x86_row *r) { return strpbrk(r->operands, "ERMWUQNXCY") != NULL; }
static int tn_x86_has_modrm(const tn_x86_row *r) {
  return TN_X86_EXT(r->form) || tn_x86_has_rm(r) || strpbrk(r->operands, "GVPHA");
}

// Writes the bytes and says how many; 0: there is no such instruction.
static int tn_x86_encode(const tn_x86_ins *ins, uint8_t out[TN_X86_LONGEST]) {
  tn_x86_match m;
  tn_x86_parts p;
  if (!tn_x86_find(ins, &m)) return 0;
  memset(&p, 0, sizeof p);
  for (int i = 0; i < ins->n; i++)
    tn_x86_take(&m, &p, m.row->operands[2 * i], m.row->operands[2 * i + 1], &ins->o[i], ins);
  const int digit = (int)TN_X86_EXT(m.row->form);
  const int reg = digit ? digit & 7 : p.reg & 7;
  int n = m.space == TN_X86_LEGACY ? tn_x86_put_legacy(&m, &p, out) :
          m.space == TN_X86_VEX    ? tn_x86_put_vex(&m, &p, out) : tn_x86_put_evex(&m, &p, ins, out);
  out[n++] = (uint8_t)(m.row->opcode | (p.opreg & 7));
  if (p.memory) n += tn_x86_put_memory(&p, reg, out + n);
  else if (tn_x86_has_modrm(m.row)) out[n++] = (uint8_t)(0xC0 | reg << 3 | (p.rm & 7));
  memcpy(out + n, p.number, (size_t)p.numbers);
  return n + p.numbers;
}
#endif
