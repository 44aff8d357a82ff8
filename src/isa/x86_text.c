// x86_text: instructions of x86-64 as Intel's assembly text, and bytes -> instructions.
//
// In:  a tn_x86_ins, or bytes. Out: a line as LLVM's assembler reads it under .intel_syntax noprefix; the instruction,
//      of which encoding gives the same bytes again where they are as x86_encode.c chooses them.
#ifndef TN_ISA_X86_TEXT
#define TN_ISA_X86_TEXT
#ifndef TINY_AMALGAMATED
#include "x86_encode.c"
#endif

// ** text **

static void tn_x86_gpr_text(tiny_bytes *out, int reg, int nbytes) {
  static const char *const low[8] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
  static const char *const byte[8] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
  if (reg > 7) tn_text_add(out, "r%d%s", reg, nbytes == 8 ? "" : nbytes == 4 ? "d" : nbytes == 2 ? "w" : "b");
  else if (nbytes == 1) tn_text_put(out, byte[reg & 7]);
  else tn_text_add(out, "%s%s", nbytes == 8 ? "r" : nbytes == 4 ? "e" : "", low[reg & 7]);
}
static const char *tn_x86_pointer_text(int nbytes) {
  return nbytes == 1 ? "byte ptr " : nbytes == 2 ? "word ptr " : nbytes == 4 ? "dword ptr " :
         nbytes == 8 ? "qword ptr " : nbytes == 16 ? "xmmword ptr " : nbytes == 32 ? "ymmword ptr " :
         nbytes == 64 ? "zmmword ptr " : "";
}
static void tn_x86_vector_text(tiny_bytes *out, int reg, int nbytes) {
  tn_text_add(out, "%cmm%d", nbytes == 64 ? 'z' : nbytes == 32 ? 'y' : 'x', reg);
}
static void tn_x86_memory_text(tiny_bytes *out, const tn_x86_operand *o) {
  const char *sign = o->imm < 0 ? "-" : "+";
  tn_text_add(out, "%s[", tn_x86_pointer_text(o->nbytes));
  if (o->reg == TN_X86_RIP) tn_text_put(out, "rip");
  else if (o->reg != TN_X86_NO_REG) tn_x86_gpr_text(out, o->reg, 8);
  if (o->index != TN_X86_NO_REG) {
    if (o->reg != TN_X86_NO_REG) tn_text_put(out, " + ");
    if (o->wide) tn_x86_vector_text(out, o->index, o->wide);
    else tn_x86_gpr_text(out, o->index, 8);
    tn_text_add(out, "*%d", o->scale);
  }
  if (o->reg == TN_X86_NO_REG && o->index == TN_X86_NO_REG) tn_text_add(out, "%lld", (long long)o->imm);
  else if (o->imm) tn_text_add(out, " %s %lld", sign, (long long)(o->imm < 0 ? -o->imm : o->imm));
  tn_text_put(out, "]");
}

static void tn_x86_jump_text(tiny_bytes *out, int64_t to) {
  tn_text_add(out, ". %s %lld", to < 0 ? "-" : "+", (long long)(to < 0 ? -to : to));
}
static void tn_x86_operand_text(tiny_bytes *out, const tn_x86_match *m, const tn_x86_ins *ins, int i, int nbytes) {
  const tn_x86_operand *o = &ins->o[i];
  const char where = m->row->operands[2 * i], size = m->row->operands[2 * i + 1];
  const int element = (int)TN_X86_ELEMENT(m->row->form);
  switch (o->kind) {
    case TN_X86_GPR: tn_x86_gpr_text(out, o->reg, o->nbytes); break;
    case TN_X86_VEC: tn_x86_vector_text(out, o->reg, o->nbytes); break;
    case TN_X86_MASKREG: tn_text_add(out, "k%d", o->reg); break;
    case TN_X86_TMM: tn_text_add(out, "tmm%d", o->reg); break;
    case TN_X86_MEM:
      tn_x86_memory_text(out, o);
      if (ins->broadcast) tn_text_add(out, "{1to%d}", tn_x86_size(m, size) / element);
      break;
    default:
      if (where == 'J') tn_x86_jump_text(out, o->imm + nbytes);
      else tn_text_add(out, "%lld", (long long)o->imm);
  }
  if (i == 0 && ins->mask) tn_text_add(out, " {k%d}%s", ins->mask, ins->zero ? " {z}" : "");
}

// nbytes: of its encoding, from whose end jumps are counted.
static void tn_x86_print(tiny_bytes *out, const tn_x86_ins *ins, int nbytes) {
  static const char *const round[6] = {"", "{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}", "{sae}"};
  tn_x86_match m;
  if (!tn_x86_find(ins, &m)) { tn_text_put(out, "(bad)"); return; }
  tn_text_put(out, m.row->name);
  const int number = ins->n && ins->o[ins->n - 1].kind == TN_X86_IMM;
  for (int i = 0; i < ins->n; i++) {
    if (ins->round && number && i == ins->n - 1) tn_text_add(out, ", %s", round[ins->round]);
    tn_text_put(out, i ? ", " : " ");
    tn_x86_operand_text(out, &m, ins, i, nbytes);
  }
  if (ins->round && !number) tn_text_add(out, ", %s", round[ins->round]);
}

// ** bytes -> instructions **

typedef struct tn_x86_reader {
  const uint8_t *at; size_t n, i;          // i: how far it has read; beyond n there are zeros
  int space, pp, map, w, width16, rex, length, mask, zero, b, rep;
  int r, x, bb, vvvv;                      // high bits of registers, as they are added to low ones
} tn_x86_reader;

static int tn_x86_next(tn_x86_reader *d) {
  const int v = d->i < d->n ? d->at[d->i] : 0;
  d->i++;
  return v;
}
static int64_t tn_x86_read_number(tn_x86_reader *d, int nbytes) {
  uint64_t v = 0;
  for (int i = 0; i < nbytes; i++) v |= (uint64_t)tn_x86_next(d) << 8 * i;
  return nbytes == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * nbytes)) >> (64 - 8 * nbytes);
}

static void tn_x86_read_vex(tn_x86_reader *d, int first) {
  const int two = first == 0xC5;
  d->space = TN_X86_VEX;
  const int a = two ? 0 : tn_x86_next(d), c = tn_x86_next(d), high = two ? c & 0x80 : a & 0x80;
  d->r = high ? 0 : 8;
  d->x = two || a & 0x40 ? 0 : 8;
  d->bb = two || a & 0x20 ? 0 : 8;
  d->map = two ? 1 : a & 31;
  d->w = two ? 0 : c >> 7;
  d->vvvv = ~c >> 3 & 15; d->length = c & 4 ? 32 : 16; d->pp = c & 3;
}
static void tn_x86_read_evex(tn_x86_reader *d) {
  d->space = TN_X86_EVEX;
  const int a = tn_x86_next(d), c = tn_x86_next(d), e = tn_x86_next(d);
  d->r = (a & 0x80 ? 0 : 8) | (a & 0x10 ? 0 : 16);
  d->x = a & 0x40 ? 0 : 8;
  d->bb = a & 0x20 ? 0 : 8;
  d->map = a & 7; d->w = c >> 7; d->pp = c & 3;
  d->vvvv = (~c >> 3 & 15) | (e & 8 ? 0 : 16);
  d->zero = e >> 7; d->b = e >> 4 & 1; d->mask = e & 7;
  d->length = 16 << (e >> 5 & 3);
  d->rep = e >> 5 & 3;                     // if it is a rounding
}
static void tn_x86_read_legacy(tn_x86_reader *d, int first) {
  d->space = TN_X86_LEGACY;
  for (; first == 0x66 || first == 0xF2 || first == 0xF3; first = tn_x86_next(d)) {
    if (first == 0x66) d->width16 = 1;
    else d->pp = first == 0xF3 ? 2 : 3;
  }
  if ((first & 0xF0) == 0x40) {
    d->rex = 1; d->w = first >> 3 & 1; d->r = (first & 4) << 1; d->x = (first & 2) << 2; d->bb = (first & 1) << 3;
    first = tn_x86_next(d);
  }
  if (first == 0x0F) {
    const int second = tn_x86_next(d);
    d->map = second == 0x38 ? 2 : second == 0x3A ? 3 : 1;
    if (d->map == 1) d->i--;
  } else d->i--;
}

// Does the row have this opcode? The byte after it, ModRM, is not passed.
static int tn_x86_is_row(const tn_x86_reader *d, const tn_x86_row *r, int opcode, int modrm) {
  const uint32_t form = r->form;
  const int sized = strpbrk(r->operands, "vzy") && *r->operands != 'J';
  const int pp = (int)TN_X86_PP(form), w = (int)TN_X86_W(form);
  if (!(tn_x86_spaces(r) & d->space) || (int)TN_X86_MAP(form) != d->map) return 0;
  if ((r->operands[0] == 'Z' ? opcode & ~7 : opcode) != r->opcode) return 0;
  if (d->space == TN_X86_LEGACY) {
    const int has = d->pp ? d->pp : d->width16 && pp == 1;
    if (has != pp || (d->width16 && pp != 1 && !(sized && strpbrk(r->operands, "vz")))) return 0;
    if ((!sized && w != d->w) || (d->w && !strncmp(r->operands, "Zz", 2))) return 0;
  } else {
    if (d->pp != pp) return 0;
    if (!strchr(r->operands, 'y') && (w == 1 || (w == 2 && d->space == TN_X86_EVEX)) != d->w) return 0;
  }
  const int reg_form = modrm >> 6 == 3;
  if (tn_x86_has_modrm(r)) {
    if (TN_X86_EXT(form) && (int)(TN_X86_EXT(form) & 7) != (modrm >> 3 & 7)) return 0;
    if (strpbrk(r->operands, "RUNC") && !reg_form) return 0;
    if (strpbrk(r->operands, "MXY") && reg_form) return 0;
    if (strchr(r->operands, 'Y') && (modrm & 7) != 4) return 0;
    if (!tn_x86_has_rm(r) && (!reg_form || modrm & 7)) return 0;
  }
  return 1;
}

static tn_x86_operand tn_x86_register(int kind, int reg, int nbytes) {
  tn_x86_operand o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)kind; o.reg = (uint8_t)reg; o.nbytes = (uint8_t)nbytes;
  return o;
}
static tn_x86_operand tn_x86_number(int64_t v) {
  tn_x86_operand o = tn_x86_register(TN_X86_IMM, 0, 0);
  o.imm = v;
  return o;
}

// ModRM has been read. unit: of short displacements; wide: bytes of an index that is a vector.
static tn_x86_operand tn_x86_read_memory(tn_x86_reader *d, int modrm, int nbytes, int unit, int wide) {
  tn_x86_operand o = tn_x86_register(TN_X86_MEM, 0, nbytes);
  const int mod = modrm >> 6, rm = modrm & 7, sib = rm == 4 ? tn_x86_next(d) : -1;
  o.index = TN_X86_NO_REG; o.scale = 1; o.wide = (uint8_t)wide;
  o.reg = (uint8_t)((sib < 0 ? rm : sib & 7) | d->bb);
  if (sib >= 0) {
    const int index = (sib >> 3 & 7) | d->x | (wide ? d->vvvv & 16 : 0);
    if (wide || index != 4) { o.index = (uint8_t)index; o.scale = (uint8_t)(1 << (sib >> 6)); }
  }
  const int none = mod == 0 && (o.reg & 7) == 5;
  if (none) o.reg = sib < 0 ? TN_X86_RIP : TN_X86_NO_REG;
  o.imm = mod == 1 ? tn_x86_read_number(d, 1) * unit : mod == 2 || none ? tn_x86_read_number(d, 4) : 0;
  return o;
}

static int tn_x86_read_operand(tn_x86_reader *d, const tn_x86_match *m, int modrm, char where, char size, int opcode,
                               int vsib_mask, tn_x86_operand *o) {
  const int nbytes = tn_x86_size(m, size), wide = tn_x86_vector(nbytes), element = (int)TN_X86_ELEMENT(m->row->form);
  const int gpr = size == 'k' || size == 'l' ? 4 : nbytes, reg_form = modrm >> 6 == 3;
  const int reg = (modrm >> 3 & 7) | d->r, rm = (modrm & 7) | d->bb;
  const int access = d->b && !reg_form ? element : nbytes;
  const int unit = d->space != TN_X86_EVEX ? 1 : where == 'X' ? element : access;
  switch (where) {
    case 'a': *o = tn_x86_register(TN_X86_GPR, 0, nbytes); return 1;
    case 'c': *o = tn_x86_register(TN_X86_GPR, 1, 1); return 1;
    case 'y': *o = tn_x86_register(TN_X86_VEC, 0, 16); return 1;
    case 'G': *o = tn_x86_register(TN_X86_GPR, reg & 15, gpr); return 1;
    case 'B': *o = tn_x86_register(TN_X86_GPR, d->vvvv, gpr); return 1;
    case 'Z': *o = tn_x86_register(TN_X86_GPR, (opcode & 7) | d->bb, gpr); return 1;
    case 'V': *o = tn_x86_register(TN_X86_VEC, reg, wide); return 1;
    case 'H': *o = tn_x86_register(TN_X86_VEC, vsib_mask ? d->vvvv & 15 : d->vvvv, wide); return 1;
    case 'L': *o = tn_x86_register(TN_X86_VEC, tn_x86_next(d) >> 4, wide); return 1;
    case 'P': *o = tn_x86_register(TN_X86_MASKREG, reg & 7, 0); return 1;
    case 'T': *o = tn_x86_register(TN_X86_MASKREG, d->vvvv & 7, 0); return 1;
    case 'A': *o = tn_x86_register(TN_X86_TMM, reg, 0); return 1;
    case 'C': *o = tn_x86_register(TN_X86_TMM, rm, 0); return 1;
    case 'D': *o = tn_x86_register(TN_X86_TMM, d->vvvv, 0); return 1;
    case 'J': *o = tn_x86_number(tn_x86_read_number(d, size == 'b' ? 1 : 4)); return 1;
    case 'I':
      *o = tn_x86_number(size == '1' ? 1 : size == 'u' ? tn_x86_next(d) :
          tn_x86_read_number(d, size == 'b' ? 1 : size == 'q' ? 8 : m->width == 2 ? 2 : 4));
      return 1;
    default: break;
  }
  if (reg_form) {
    const int is_vector = where == 'W' || where == 'U', is_mask = where == 'Q' || where == 'N';
    *o = is_vector ? tn_x86_register(TN_X86_VEC, rm | (d->space == TN_X86_EVEX ? d->x << 1 : 0), wide) :
         is_mask   ? tn_x86_register(TN_X86_MASKREG, rm & 7, 0) : tn_x86_register(TN_X86_GPR, rm, gpr);
    return 1;
  }
  *o = tn_x86_read_memory(d, modrm, where == 'X' ? 0 : access, unit ? unit : 1, where == 'X' ? wide : 0);
  return 1;
}

// What the prefixes of EVEX say beside its operands. 0: the row has no such thing.
static int tn_x86_read_marks(const tn_x86_reader *d, tn_x86_match *m, int modrm, tn_x86_ins *ins) {
  const int k = (int)TN_X86_K(m->row->form), r = (int)TN_X86_ROUND(m->row->form), lens = (int)TN_X86_LENS(m->row->form);
  if (d->space != TN_X86_EVEX) return 1;
  ins->mask = (uint8_t)d->mask; ins->zero = (uint8_t)d->zero;
  if ((d->mask && !k) || (k == 3 && !d->mask) || (d->zero && k != 2)) return 0;
  if (!d->b) return 1;
  if (modrm >> 6 != 3) { ins->broadcast = 1; return TN_X86_ELEMENT(m->row->form) != 0; }
  m->length = lens & 4 ? 64 : 16;          // its bits are the rounding's
  ins->round = (uint8_t)(r == 2 ? TN_X86_SAE : TN_X86_RN + d->rep);
  return r != 0;
}

static int tn_x86_read_row(tn_x86_reader *d, const tn_x86_row *r, int opcode, tn_x86_ins *ins) {
  tn_x86_match m = {r, d->width16 ? 2 : d->w ? 8 : 4, d->length ? d->length : 16, d->space};
  const int modrm = tn_x86_has_modrm(r) ? tn_x86_next(d) : 0xC0, n = (int)strlen(r->operands) / 2;
  if (TN_X86_PP(r->form) == 1) m.width = d->w ? 8 : 4;       // 66 is no width there
  memset(ins, 0, sizeof *ins);
  if (!tn_x86_read_marks(d, &m, modrm, ins)) return 0;
  const int lens = (int)TN_X86_LENS(r->form);
  if (d->space != TN_X86_LEGACY && lens && !(lens & (m.length == 64 ? 4 : m.length == 32 ? 2 : 1))) return 0;
  ins->n = (uint8_t)n;
  const char *vsib = strchr(r->operands, 'X');
  // memory stands before immediates in the bytes, and is read first
  for (int pass = 0; pass < 2; pass++) for (int i = 0; i < n; i++) {
    const char *p = r->operands + 2 * i;
    if ((*p == 'I' || *p == 'J' || *p == 'L') == pass)
      tn_x86_read_operand(d, &m, modrm, p[0], p[1], opcode, vsib != NULL, &ins->o[i]);
  }
  for (int i = 0; i < n; i++) {            // there are eight tiles
    const char *p = r->operands + 2 * i;
    if (strchr("ACD", *p) && !tn_x86_fits(&m, p[0], p[1], &ins->o[i], ins)) return 0;
  }
  return d->i <= d->n && tn_x86_tiles_differ(ins);
}

// Reads one instruction and says of how many bytes; 0: they are none of the table's.
static int tn_x86_decode(const uint8_t *bytes, size_t n, tn_x86_ins *ins) {
  tn_x86_reader d;
  memset(&d, 0, sizeof d);
  d.at = bytes; d.n = n;
  const int first = tn_x86_next(&d);
  if (first == 0x62) tn_x86_read_evex(&d);
  else if (first == 0xC4 || first == 0xC5) tn_x86_read_vex(&d, first);
  else tn_x86_read_legacy(&d, first);
  const int opcode = tn_x86_next(&d);
  for (int i = 0, name = 0; i < TN_X86_COUNT; i++) {
    if (tn_x86_rows[i].name != tn_x86_rows[name].name && !tn_x86_same_name(i, name)) name = i;
    tn_x86_reader at = d;
    if (!tn_x86_is_row(&d, &tn_x86_rows[i], opcode, d.i < n ? bytes[d.i] : 0)) continue;
    if (!tn_x86_read_row(&at, &tn_x86_rows[i], opcode, ins)) continue;
    ins->op = (uint16_t)name;
    return (int)at.i;
  }
  return 0;
}
#endif
