// amd_code: AMD's instructions -> words, and words -> instructions.
//
// In:  a tn_amd_ins, or words. Out: words, or the instruction; 0 where there is none.
// Holds: one walk over a layout's fields serves both ways, so that what is written is what is read. Decoding passes
//        over bits that an instruction has no use for; encoding leaves them 0.
#ifndef TN_ISA_AMD_CODE
#define TN_ISA_AMD_CODE
#ifndef TINY_AMALGAMATED
#include "amd_layout.c"
#endif

enum { TN_AMD_CODE_SDWA = 249, TN_AMD_CODE_DPP16 = 250, TN_AMD_CODE_DPP8 = 233, TN_AMD_CODE_DPP8_FI = 234,
  TN_AMD_CODE_LITERAL = 255, TN_AMD_CODE_VGPR = 256 };

// ** codes of operands **

static int tn_amd_last_sgpr(int family) { return family == TN_AMD_GFX9 ? 101 : 105; }
// Is there a register, pair or tuple that begins at this code? Pairs are even, longer ones begin at multiples of 4.
static int tn_amd_sgprs(int family, int code, int dwords) {
  const int last = code + dwords - 1, nine = family == TN_AMD_GFX9;
  if (dwords == 2 && code % 2) return 0;
  if (dwords > 2 && code % 4) return 0;
  if (last <= tn_amd_last_sgpr(family)) return 1;
  if (code >= TN_AMD_TTMP && last < TN_AMD_TTMP + 16) return 1;
  if (dwords > 2) return 0;
  if (nine && code >= TN_AMD_FLAT_SCRATCH && last < TN_AMD_VCC) return 1;
  if (code == TN_AMD_VCC || code == TN_AMD_EXEC) return 1;
  if (code == TN_AMD_VCC + 1 || code == TN_AMD_EXEC + 1) return dwords == 1;
  return code == TN_AMD_NULL ? !nine : code == TN_AMD_M0 && dwords == 1;
}
static int tn_amd_is_inline(int code) { return (code >= 128 && code <= 208) || (code >= 240 && code <= 248); }
static int tn_amd_is_special(int code) {
  return (code >= TN_AMD_SHARED_BASE && code <= TN_AMD_POPS_ID) || (code >= TN_AMD_VCCZ && code <= TN_AMD_SCC);
}
// gfx9 has M0 where the others have NULL: an instruction says TN_AMD_M0 on all.
static int tn_amd_swap_m0(int family, int code) {
  if (family != TN_AMD_GFX9 || (code != TN_AMD_NULL && code != TN_AMD_M0)) return code;
  return TN_AMD_NULL + TN_AMD_M0 - code;
}

static int tn_amd_code_of(int family, const tn_amd_operand *o) {             // -1: it has none
  switch (o->kind) {
    case TN_AMD_VGPR: case TN_AMD_AGPR: return TN_AMD_CODE_VGPR + o->reg;
    case TN_AMD_SGPR: return tn_amd_sgprs(family, o->reg, o->dwords) ? tn_amd_swap_m0(family, o->reg) : -1;
    case TN_AMD_SPECIAL: return tn_amd_is_special(o->reg) ? o->reg : -1;
    case TN_AMD_INLINE: return tn_amd_is_inline(o->reg) ? o->reg : -1;
    case TN_AMD_LITERAL: return TN_AMD_CODE_LITERAL;
    default: return -1;
  }
}
static int tn_amd_operand_of(int family, int code, int dwords, tn_amd_operand *o) {
  o->dwords = (uint8_t)dwords;
  o->reg = (uint16_t)code;
  if (code >= TN_AMD_CODE_VGPR) {
    o->kind = TN_AMD_VGPR;
    o->reg = (uint16_t)(code - TN_AMD_CODE_VGPR);
  } else if (code < 128) {
    o->kind = TN_AMD_SGPR;
    o->reg = (uint16_t)tn_amd_swap_m0(family, code);
    return tn_amd_sgprs(family, o->reg, dwords);
  } else if (code == TN_AMD_CODE_LITERAL) o->kind = TN_AMD_LITERAL;
  else if (tn_amd_is_inline(code)) o->kind = TN_AMD_INLINE;
  else if (tn_amd_is_special(code)) o->kind = TN_AMD_SPECIAL;
  else return 0;
  return 1;
}
// Vector registers: within 256, and on gfx9 tuples are even.
static int tn_amd_vgprs(int family, const tn_amd_operand *o) {
  return o->reg + o->dwords <= 256 && (family != TN_AMD_GFX9 || o->dwords < 2 || o->reg % 2 == 0);
}

// ** fields: a walk that reads or writes **

// w: the first words; behind: the word of lanes or parts; literal: the word behind them, where has_literal; format: the
// row's, where the layout is that of its long form; marker: the code of src0 that says what is behind
typedef struct tn_amd_coder {
  tn_amd_ins *ins; const tn_amd_layout *layout; tn_amd_form form;
  uint32_t w[3], behind, literal; int writes, bad, has_literal;
  int format, returns, sve, sgpr_offset, has_offset, marker, in_behind;
} tn_amd_coder;

static uint32_t tn_amd_field_mask(const tn_amd_field *f) { return f->width >= 32 ? ~0u : (1u << f->width) - 1; }
static uint32_t *tn_amd_word(tn_amd_coder *c, const tn_amd_field *f) {
  return c->in_behind ? &c->behind : &c->w[f->lo / 32];
}
static uint32_t tn_amd_read(tn_amd_coder *c, const tn_amd_field *f) {
  return *tn_amd_word(c, f) >> f->lo % 32 & tn_amd_field_mask(f);
}
static void tn_amd_write(tn_amd_coder *c, const tn_amd_field *f, uint32_t v) {
  *tn_amd_word(c, f) |= (v & tn_amd_field_mask(f)) << f->lo % 32;
}
// A number that goes through a field; bad where it does not fit.
static void tn_amd_number(tn_amd_coder *c, const tn_amd_field *f, int32_t *v, int is_signed) {
  const uint32_t mask = tn_amd_field_mask(f), sign = is_signed ? mask / 2 + 1 : 0;
  if (!c->writes) { *v = (int32_t)((tn_amd_read(c, f) ^ sign) - sign); return; }
  tn_amd_write(c, f, (uint32_t)*v);
  if ((int32_t)((((uint32_t)*v & mask) ^ sign) - sign) != *v) c->bad = 1;
}

// The operand that goes to a field, and its two letters. NULL: the instruction has none there.
static tn_amd_operand *tn_amd_operand_at(tn_amd_coder *c, int key, const char **letters) {
  for (int i = 0; i < c->form.n; i++) {
    const char *const p = c->form.operands + 2 * i;
    if (tn_amd_slot(c->format, *p) != key) continue;
    *letters = p;
    return &c->ins->o[i];
  }
  return NULL;
}
// Source 0, 1 or 2, if there is one.
static int tn_amd_source_at(tn_amd_coder *c, int number, const char **letters, tn_amd_operand **o) {
  *o = tn_amd_operand_at(c, TN_AMD_F_SRC0 + number, letters);
  return *o != NULL;
}

// May a source of this letter be of this kind?
static int tn_amd_is_taken(const tn_amd_coder *c, char where, int kind) {
  const int vector = kind == TN_AMD_VGPR || kind == TN_AMD_AGPR;
  switch (where) {
    case 'x': case 'y': case 'z': return vector;
    case 'X': return c->format == TN_AMD_SOP1 ? kind == TN_AMD_SGPR : !vector;
    case 'Y': case 'Z': return !vector;
    case 'A': return vector;
    case 'C': return vector || kind == TN_AMD_INLINE;
    case 'm': return kind == TN_AMD_SGPR;
    default: return 1;
  }
}
// Of 16 bits; v is not, but stands in a short form beside what is, and has no register above 127 there either.
static int tn_amd_is_half(char what) { return what == 'h' || what == 'w'; }
// A vector register in a field of 8 bits. Of a short form on gfx11 and gfx12 the half of 16 bits is bit 7.
static void tn_amd_vector(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, char what, int dwords) {
  const int has = c->ins->family != TN_AMD_GFX9 && c->format <= TN_AMD_VOPC && !c->ins->long_form;
  const int halves = has && (tn_amd_is_half(what) || what == 'v');
  if (c->writes) {
    if ((o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR) || (halves && o->reg > 127)) c->bad = 1;
    tn_amd_write(c, f, (uint32_t)(o->reg | (halves && o->op_sel ? 128 : 0)));
  } else {
    o->kind = TN_AMD_VGPR; o->dwords = (uint8_t)dwords; o->reg = (uint16_t)tn_amd_read(c, f);
    if (halves) { o->op_sel = o->reg > 127; o->reg &= 127; }
  }
  if (halves && what == 'v' && o->op_sel) c->bad = 1;
  if (o->dwords != dwords || !tn_amd_vgprs(c->ins->family, o)) c->bad = 1;
}
static void tn_amd_scalar(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, int dwords, int unit) {
  const int family = c->ins->family;
  if (c->writes) {
    const int code = tn_amd_code_of(family, o);
    const int other = code < 0 || (o->dwords != dwords && o->kind == TN_AMD_SGPR);
    if (other || code % unit || (uint32_t)(code / unit) > tn_amd_field_mask(f)) c->bad = 1;
    else tn_amd_write(c, f, (uint32_t)(code / unit));
  } else {
    const int known = tn_amd_operand_of(family, (int)tn_amd_read(c, f) * unit, dwords, o);
    if (!known || o->kind > TN_AMD_INLINE) c->bad = 1;
  }
  if (unit > 1 && o->kind != TN_AMD_SGPR) c->bad = 1;
}
static void tn_amd_source_code(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, const char *letters) {
  const int dwords = tn_amd_dwords(c->ins->family, letters[1]), family = c->ins->family;
  tn_amd_field low = *f;
  low.width = 8;
  if (letters[0] == 'M') { tn_amd_number(c, f, (int32_t *)&o->value, 0); o->kind = TN_AMD_NUMBER; return; }
  if (c->marker && f->key == TN_AMD_F_SRC0) {
    if (c->writes) tn_amd_write(c, f, (uint32_t)c->marker);
    return;
  }
  if (!c->writes && !tn_amd_operand_of(family, (int)tn_amd_read(c, f), dwords, o)) c->bad = 1;
  if (o->kind == TN_AMD_VGPR || o->kind == TN_AMD_AGPR) {
    if (f->width < 9) c->bad = 1;
    tn_amd_vector(c, &low, o, letters[1], dwords);
    if (c->writes) *tn_amd_word(c, f) |= 256u << f->lo % 32;
  } else if (c->writes) {
    const int code = tn_amd_code_of(family, o);
    if (code < 0 || (o->kind == TN_AMD_SGPR && o->dwords != dwords)) c->bad = 1;
    else tn_amd_write(c, f, (uint32_t)code);
  }
  if (o->kind == TN_AMD_LITERAL) {
    if (c->writes && c->has_literal && c->literal != o->value) c->bad = 1;
    c->literal = o->value; c->has_literal = 1;
  }
  if (letters[0] == 'A') {
    if (c->writes && o->kind != TN_AMD_AGPR) c->bad = 1;
    if (o->kind == TN_AMD_VGPR) o->kind = TN_AMD_AGPR;
  }
  if (c->marker && f->key == TN_AMD_F_SRC1 && family == TN_AMD_GFX11 && o->kind != TN_AMD_VGPR) c->bad = 1;
  if (!tn_amd_is_taken(c, letters[0], o->kind)) c->bad = 1;
}

// ** operands by field **

static int tn_amd_off_code(int family) { return family == TN_AMD_GFX9 ? 127 : TN_AMD_NULL; }
static void tn_amd_or_off(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, int dwords) {
  const uint32_t off = (uint32_t)tn_amd_off_code(c->ins->family);
  if (c->writes && o->kind == TN_AMD_OFF) tn_amd_write(c, f, off);
  else if (!c->writes && tn_amd_read(c, f) == off) o->kind = TN_AMD_OFF;
  else {
    tn_amd_scalar(c, f, o, dwords, 1);
    if (o->kind != TN_AMD_SGPR || o->reg == TN_AMD_NULL || o->reg == TN_AMD_EXEC + 1) c->bad = 1;
  }
}
// Dwords of the address in vector registers; 0: there is none.
static int tn_amd_address_dwords(tn_amd_coder *c) {
  const char *letters;
  const tn_amd_operand *s = tn_amd_operand_at(c, TN_AMD_F_SADDR, &letters);
  switch (c->layout->format) {
    case TN_AMD_FLAT: return 2;
    case TN_AMD_GLOBAL: return s && s->kind != TN_AMD_OFF ? 1 : 2;
    case TN_AMD_SCRATCH: return c->sve;
    case TN_AMD_MUBUF: return c->ins->m[TN_AMD_OFFEN] + c->ins->m[TN_AMD_IDXEN];
    default: return 1;
  }
}
static void tn_amd_smem_offset(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o) {
  const int nine = c->ins->family == TN_AMD_GFX9;
  tn_amd_field low = {TN_AMD_F_SOFFSET, 32, 7, 0};
  if (!nine) { tn_amd_or_off(c, f, o, 1); return; }
  if (c->writes ? o->kind == TN_AMD_OFF : !c->sgpr_offset && c->has_offset) { o->kind = TN_AMD_OFF; return; }
  if (!c->writes && !c->has_offset) c->ins->m[TN_AMD_OFFSET] = 0;
  tn_amd_scalar(c, c->sgpr_offset ? f : &low, o, 1, 1);
  if (o->kind != TN_AMD_SGPR) c->bad = 1;
}
static void tn_amd_destination(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, const char *letters) {
  const int dwords = tn_amd_dwords(c->ins->family, letters[1]);
  if (letters[0] == 'r' && !c->returns) { if (c->writes && o->kind) c->bad = 1; return; }
  if (letters[0] != 'D' && letters[0] != 'e') {
    tn_amd_vector(c, f, o, letters[1], dwords);
    if (letters[0] == 'g') { c->bad |= c->writes && o->kind != TN_AMD_AGPR; o->kind = TN_AMD_AGPR; }
    return;
  }
  tn_amd_scalar(c, f, o, dwords, 1);
  if (o->kind != TN_AMD_SGPR) c->bad = 1;
}

static void tn_amd_operand_field(tn_amd_coder *c, const tn_amd_field *f) {
  const int key = f->key == TN_AMD_F_VSRC1 ? TN_AMD_F_SRC1 : f->key, family = c->ins->family;
  const char *l = NULL;
  tn_amd_operand *const o = tn_amd_operand_at(c, key, &l);
  const int dwords = o ? tn_amd_dwords(family, l[1]) : 0;
  if (!o) {                                // what stands in a field that the instruction has not
    const int off = key == TN_AMD_F_SADDR, cmpx = key == TN_AMD_F_DST && c->format == TN_AMD_VOPC;
    if (c->writes && (off || cmpx)) tn_amd_write(c, f, (uint32_t)(cmpx ? TN_AMD_EXEC : tn_amd_off_code(family)));
    return;
  }
  switch (key) {
    case TN_AMD_F_SRC0: case TN_AMD_F_SRC1: case TN_AMD_F_SRC2:
      if (f->key != TN_AMD_F_VSRC1) tn_amd_source_code(c, f, o, l);
      else if (c->writes && c->ins->lanes == TN_AMD_SDWA && o->kind != TN_AMD_VGPR) tn_amd_scalar(c, f, o, 1, 1);
      else tn_amd_vector(c, f, o, l[1], dwords);
      break;
    case TN_AMD_F_DST: tn_amd_destination(c, f, o, l); break;
    case TN_AMD_F_SDST: case TN_AMD_F_CARRY:
      if (*l == 'n') {
        tn_amd_number(c, f, (int32_t *)&o->value, 0);
        o->kind = TN_AMD_NUMBER;
        if (o->value > 31) c->bad = 1;
        break;
      }
      tn_amd_scalar(c, f, o, dwords, 1);
      if (o->kind != TN_AMD_SGPR || (c->format == TN_AMD_SMEM && o->reg > TN_AMD_NULL)) c->bad = 1;
      break;
    case TN_AMD_F_IMM: tn_amd_number(c, f, (int32_t *)&o->value, 0); o->kind = TN_AMD_NUMBER; break;
    case TN_AMD_F_DATA: case TN_AMD_F_DATA1: tn_amd_vector(c, f, o, l[1], dwords + c->ins->m[TN_AMD_TFE]); break;
    case TN_AMD_F_SADDR: tn_amd_or_off(c, f, o, c->layout->format == TN_AMD_SCRATCH ? 1 : dwords); break;
    case TN_AMD_F_BASE: tn_amd_scalar(c, f, o, dwords, 2); break;
    case TN_AMD_F_DESCRIPTOR:
      tn_amd_scalar(c, f, o, dwords, f->width == 5 ? 4 : 1);
      if (o->kind != TN_AMD_SGPR) c->bad = 1;
      break;
    case TN_AMD_F_SOFFSET:
      if (c->layout->format == TN_AMD_SMEM) tn_amd_smem_offset(c, f, o);
      else tn_amd_scalar(c, f, o, dwords, 1);
      break;
    case TN_AMD_F_ADDRESS: {
      const int n = tn_amd_address_dwords(c);
      if (n) tn_amd_vector(c, f, o, l[1], n);
      else if (!c->writes) o->kind = TN_AMD_OFF;
      else if (o->kind != TN_AMD_OFF) c->bad = 1;
      break;
    }
    default: break;
  }
}

// ** bits of operands **

static void tn_amd_bit(tn_amd_coder *c, const tn_amd_field *f, int i, uint8_t *bit, int has) {
  const tn_amd_field one = {f->key, (uint8_t)(f->lo + i), 1, 0};
  if (c->writes) { tn_amd_write(c, &one, *bit); c->bad |= *bit > 1 || (*bit && !has); }
  else if (has) *bit = (uint8_t)tn_amd_read(c, &one);
}
// Does a source take neg or abs? Of packed instructions: of its low and high half.
static int tn_amd_takes_sign(const tn_amd_coder *c, int source, char what, int abs) {
  const int parts = c->ins->lanes == TN_AMD_SDWA || c->ins->lanes == TN_AMD_DPP16;
  if (strchr("fFh", what)) return 1;
  if (c->format != TN_AMD_VOP3P || parts) return 0;
  return tn_amd_takes(&c->form, source == 2 ? 'q' : abs ? 'N' : 'n');
}
// op_sel of sources and result; of some instructions of the first two, or of the third source and the result alone.
static int tn_amd_selects(const tn_amd_form *f) {
  return tn_amd_takes(f, 's') || tn_amd_takes(f, 'S') || tn_amd_takes(f, 'p') || tn_amd_takes(f, 'T');
}
static int tn_amd_selects_at(const tn_amd_form *f, int i) {
  return tn_amd_takes(f, 's') || (i < 2 ? tn_amd_takes(f, 'p') || tn_amd_takes(f, 'T') : tn_amd_takes(f, 'S'));
}
static void tn_amd_select(tn_amd_coder *c, const tn_amd_field *f) {
  const int b = tn_amd_takes(&c->form, 'b') || tn_amd_takes(&c->form, 'T'), k = tn_amd_takes(&c->form, 'k');
  const char *l;
  tn_amd_operand *o;
  if (k) { tn_amd_field one = *f; one.width = 1; tn_amd_number(c, &one, &c->ins->m[TN_AMD_INDEX_KEY], 0); return; }
  if (b) {                                 // of v_cvt_sr_* bits 3:2; of a source bits 0:1, the lower of them the higher
    const int high = c->form.n == 3;
    const tn_amd_field two = {f->key, (uint8_t)(f->lo + (high ? 2 : 0)), 2, 0};
    int32_t v = c->ins->m[TN_AMD_BYTE_SEL], turned = v >> 1 | (v & 1) << 1;
    tn_amd_number(c, &two, high ? &v : &turned, 0);
    c->ins->m[TN_AMD_BYTE_SEL] = high || c->writes ? v : (turned >> 1 | (turned & 1) << 1);
    if (!tn_amd_takes(&c->form, 'T')) return;
  }
  for (int i = 0; i < 3; i++)
    if (tn_amd_source_at(c, i, &l, &o)) tn_amd_bit(c, f, i, &o->op_sel, tn_amd_selects_at(&c->form, i));
  if (f->width < 4 || !c->form.n || *c->form.operands != 'd' || b) return;
  tn_amd_bit(c, f, 3, &c->ins->o[0].op_sel, tn_amd_selects_at(&c->form, 3));
}
static void tn_amd_select_hi(tn_amd_coder *c, const tn_amd_field *f) {
  const int has = tn_amd_takes(&c->form, 's');
  const char *l;
  tn_amd_operand *o;
  for (int i = 0; i < f->width; i++) {
    uint8_t one = 1;
    const int there = tn_amd_source_at(c, f->first + i, &l, &o);
    if (!c->writes && there) o->op_sel_hi = 1;
    tn_amd_bit(c, f, i, there && has ? &o->op_sel_hi : &one, c->writes || has);
  }
}
static void tn_amd_accumulator(tn_amd_coder *c, const tn_amd_field *f, int i, tn_amd_operand *o) {
  uint8_t bit = o->kind == TN_AMD_AGPR;
  if (!c->writes && o->kind != TN_AMD_VGPR) return;
  tn_amd_bit(c, f, i, &bit, 1);
  if (bit) o->kind = TN_AMD_AGPR;
}
static void tn_amd_accumulators(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l;
  tn_amd_operand *o;
  if (f->key == TN_AMD_F_ACC) {
    for (int i = 0; i < 2; i++) if (tn_amd_source_at(c, i, &l, &o)) tn_amd_accumulator(c, f, i, o);
    return;
  }
  const int data = f->key == TN_AMD_F_ACC_DATA;
  int agprs = 0, vgprs = 0;
  for (int i = 0; i < c->form.n; i++) {
    const char where = c->form.operands[2 * i];
    o = &c->ins->o[i];
    if (!strchr(data ? "bcdr" : "dC", where)) continue;
    if (o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR) continue;
    tn_amd_accumulator(c, f, 0, o);
    agprs += o->kind == TN_AMD_AGPR; vgprs += o->kind == TN_AMD_VGPR;
  }
  if (agprs && vgprs) c->bad = 1;
}
static void tn_amd_behind_source(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l = "";
  tn_amd_operand *o;
  if (!tn_amd_source_at(c, f->key == TN_AMD_F_VGPR0 ? 0 : f->first, &l, &o)) return;
  if (f->key == TN_AMD_F_VGPR0) {
    const int sgpr = c->ins->lanes == TN_AMD_SDWA && (c->writes ? o->kind != TN_AMD_VGPR : c->behind >> 23 & 1);
    if (sgpr) tn_amd_scalar(c, f, o, 1, 1);
    else tn_amd_vector(c, f, o, l[1], tn_amd_dwords(c->ins->family, l[1]));
    return;
  }
  uint8_t bit = o->kind != TN_AMD_VGPR;
  tn_amd_bit(c, f, 0, &bit, 1);
  if (!c->writes && bit && f->first) {     // src1 was read as a vector register
    c->bad |= !tn_amd_operand_of(c->ins->family, o->reg, 1, o) || o->kind == TN_AMD_LITERAL;
  }
}

// ** the walk **

static void tn_amd_bits_field(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l;
  tn_amd_operand *o;
  switch (f->key) {
    case TN_AMD_F_NEG: case TN_AMD_F_ABS: case TN_AMD_F_SEXT:
      if (c->in_behind && c->layout->dwords > 1) break;      // a long form has its own
      for (int i = 0; i < f->width; i++) {
        if (!tn_amd_source_at(c, f->first + i, &l, &o)) continue;
        if (f->key == TN_AMD_F_SEXT) tn_amd_bit(c, f, i, &o->sext, !strchr("fFhm", l[1]));
        else tn_amd_bit(c, f, i, f->key == TN_AMD_F_NEG ? &o->neg : &o->abs,
                        tn_amd_takes_sign(c, f->first + i, l[1], f->key == TN_AMD_F_ABS));
      }
      break;
    case TN_AMD_F_SEL: tn_amd_select(c, f); break;
    case TN_AMD_F_SEL_HI: tn_amd_select_hi(c, f); break;
    case TN_AMD_F_ACC: case TN_AMD_F_ACC_DST: case TN_AMD_F_ACC_DATA: tn_amd_accumulators(c, f); break;
    case TN_AMD_F_ZERO: c->bad |= !c->writes && tn_amd_read(c, f); break;
    case TN_AMD_F_UNTYPED: if (c->writes) tn_amd_write(c, f, 1); break;
    case TN_AMD_F_VGPR0: case TN_AMD_F_IS_SGPR: tn_amd_behind_source(c, f); break;
    case TN_AMD_F_MASK:
      o = &c->ins->o[0];
      if (!c->writes) { o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = 2; }
      if (c->writes ? o->reg != TN_AMD_VCC : c->behind >> 15 & 1) tn_amd_scalar(c, f, o, 2, 1);
      break;
    case TN_AMD_F_HAS_MASK: if (c->writes && c->ins->o[0].reg != TN_AMD_VCC) tn_amd_write(c, f, 1); break;
    default: break;
  }
}
static int32_t *tn_amd_offset(tn_amd_coder *c) {              // an offset may be an operand
  for (int i = 0; i < c->form.n; i++)
    if (c->form.operands[2 * i] == 'i') {
      c->ins->o[i].kind = TN_AMD_NUMBER;
      return (int32_t *)&c->ins->o[i].value;
    }
  return &c->ins->m[TN_AMD_OFFSET];
}
static void tn_amd_modifier_field(tn_amd_coder *c, const tn_amd_field *f) {
  const int key = f->key, m = key & 0x3F;
  int32_t *const v = m == TN_AMD_OFFSET ? tn_amd_offset(c) : &c->ins->m[m];
  if (m == TN_AMD_CLAMP && !tn_amd_takes(&c->form, 'c')) return;
  if (m == TN_AMD_OMOD && !tn_amd_takes(&c->form, 'o')) return;
  if (m == TN_AMD_BLGP && tn_amd_takes(&c->form, 'M')) return;
  const char *l;
  // what only invalidates or waits has no offset and no lanes, but how far it reaches; prefetches have no caches
  const int reaches = m == TN_AMD_SC0 || m == TN_AMD_SC1 || (c->layout->format == TN_AMD_GLOBAL && m == TN_AMD_SCOPE);
  const int hints = c->layout->format == TN_AMD_GLOBAL && m == TN_AMD_TH;
  static const uint8_t most[] = {6, 2, 6, 6};                // of SDWA's parts, and what becomes of the others
  if (!c->form.n && !reaches && !hints) return;
  if (c->format == TN_AMD_SMEM && m != TN_AMD_OFFSET && (c->form.n < 3 || *c->form.operands != 'D')) return;
  if (m == TN_AMD_SRC1_SEL && !tn_amd_operand_at(c, TN_AMD_F_SRC1, &l)) return;
  tn_amd_number(c, f, v, key >= TN_AMD_F_SIGNED);
  if (m >= TN_AMD_DST_SEL && *v > most[m - TN_AMD_DST_SEL]) c->bad = 1;
  if (m == TN_AMD_TFE && *v && strstr(tn_amd_rows[c->ins->op].names, "_atomic_")) c->bad = 1;
}
// How the offset is told, and two offsets in the place of one.
static void tn_amd_offset_field(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l;
  const tn_amd_operand *o = tn_amd_operand_at(c, f->key == TN_AMD_F_SVE ? TN_AMD_F_ADDRESS : TN_AMD_F_SOFFSET, &l);
  int32_t *const m = c->ins->m;
  const int sgpr = o && o->kind == TN_AMD_SGPR;
  if (f->key == TN_AMD_F_OFFSETS) {
    const tn_amd_field low = {0, f->lo, 8, 0}, high = {0, (uint8_t)(f->lo + 8), 8, 0};
    const int two = tn_amd_takes(&c->form, '2');
    if (!c->form.n) return;
    tn_amd_number(c, two ? &low : f, &m[TN_AMD_OFFSET], 0);
    if (two) tn_amd_number(c, &high, &m[TN_AMD_OFFSET1], 0);
    return;
  }
  int *const to = f->key == TN_AMD_F_SVE ? &c->sve : f->key == TN_AMD_F_SGPR_OFFSET ? &c->sgpr_offset : &c->has_offset;
  if (!c->writes) {
    *to = (int)tn_amd_read(c, f);
    return;
  }
  if (f->key == TN_AMD_F_SVE) *to = c->layout->format == TN_AMD_SCRATCH && o && o->kind != TN_AMD_OFF;
  else if (f->key == TN_AMD_F_SGPR_OFFSET) *to = sgpr && m[TN_AMD_OFFSET];
  else *to = o && (!sgpr || m[TN_AMD_OFFSET]);
  tn_amd_write(c, f, (uint32_t)*to);
}

// Modifiers; registers; the address, which depends on both; bits of operands.
static int tn_amd_phase(int key) {
  if (key >= TN_AMD_F_M || (key >= TN_AMD_F_OFFSETS && key <= TN_AMD_F_HAS_OFFSET)) return 0;
  return key == TN_AMD_F_ADDRESS ? 2 : key < TN_AMD_F_BITS ? 1 : 3;
}
static void tn_amd_walk(tn_amd_coder *c, const tn_amd_field *fields) {
  for (int phase = 0; phase < 4; phase++) {
    for (const tn_amd_field *f = fields; f < fields + TN_AMD_MOST_FIELDS && f->key; f++) {
      if (tn_amd_phase(f->key) != phase) continue;
      if (phase == 3) tn_amd_bits_field(c, f);
      else if (phase) tn_amd_operand_field(c, f);
      else if (f->key >= TN_AMD_F_M) tn_amd_modifier_field(c, f);
      else tn_amd_offset_field(c, f);
    }
    const int32_t *const m = c->ins->m;
    if (!phase) c->returns = m[TN_AMD_GLC] || m[TN_AMD_SC0] || (c->ins->family == TN_AMD_GFX12 && m[TN_AMD_TH] & 1);
  }
}
// What no field holds: VCC in a short form, and the literal of fmaak and fmamk.
static void tn_amd_implied(tn_amd_coder *c) {
  const int short_form = c->layout->format == c->format && c->format <= TN_AMD_VOPC;
  for (int i = 0; i < c->form.n; i++) {
    const char where = c->form.operands[2 * i];
    tn_amd_operand *const o = &c->ins->o[i];
    if (where == 'K') {
      if (c->writes && (o->kind != TN_AMD_LITERAL || (c->has_literal && c->literal != o->value))) c->bad = 1;
      if (c->writes) c->literal = o->value;
      o->kind = TN_AMD_LITERAL; o->dwords = 1;
      c->has_literal = 1;
    } else if (short_form && (where == 'e' ? c->ins->lanes != TN_AMD_SDWA : where == 'c' || where == 'm')) {
      if (c->writes && (o->kind != TN_AMD_SGPR || o->reg != TN_AMD_VCC)) c->bad = 1;
      o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = (uint8_t)tn_amd_dwords(c->ins->family, 'm');
    }
  }
}

// ** lanes and parts **

static int tn_amd_has_wide(const tn_amd_form *f) {
  for (int i = 0; i < f->n; i++) if (strchr("2345678xyF", f->operands[2 * i + 1])) return 1;
  return 0;
}
// Can the instruction take its src0 from other lanes, or parts of its operands, as its word says?
static int tn_amd_takes_lanes(const tn_amd_coder *c) {
  const int nine = c->ins->family == TN_AMD_GFX9, format = c->format;
  const int short_form = c->layout->format <= TN_AMD_VOPC;
  const char *const src0 = c->form.n > 1 ? c->form.operands + (strchr("01xX", *c->form.operands) ? 0 : 2) : "";
  if (format < TN_AMD_VOP1 || format > TN_AMD_VOP3P || !*src0) return 0;
  if (c->ins->lanes == TN_AMD_SDWA)
    return nine && short_form && !tn_amd_takes(&c->form, '=') && !tn_amd_has_wide(&c->form);
  if (tn_amd_takes(&c->form, '-')) return 0;
  if (nine) return c->ins->lanes == TN_AMD_DPP16 && short_form && format != TN_AMD_VOPC;
  return format == TN_AMD_VOP3P ? tn_amd_takes(&c->form, 'D') : !tn_amd_has_wide(&c->form);
}
// Codes of dpp_ctrl that a family has: permutations of quads, shifts and rotations by 1 to 15, mirrors, one lane to all
// of a row; on gfx9 lanes of the whole wave, too; on the others the exclusive or of lanes' numbers.
static int tn_amd_has_ctrl(int family, int ctrl, int wide) {
  const int nine = family == TN_AMD_GFX9, low = ctrl & 15;
  if (wide && ctrl >> 4 != 0x15) return 0;                   // of 64 bits
  switch (ctrl >> 4) {
    case 0x10: case 0x11: case 0x12: return low != 0;
    case 0x13: return nine && low % 4 == 0;
    case 0x14: return low < 2 || (nine && low < 4);
    case 0x15: return 1;
    case 0x16: return !nine;
    default: return ctrl < 0x100;
  }
}
static void tn_amd_walk_behind(tn_amd_coder *c) {
  const int lanes = c->ins->lanes, compares = lanes == TN_AMD_SDWA && c->format == TN_AMD_VOPC;
  c->in_behind = 1;
  tn_amd_walk(c, tn_amd_behind[lanes + compares]);
  c->in_behind = 0;
  if (lanes == TN_AMD_DPP16 && !tn_amd_has_ctrl(c->ins->family, c->ins->m[TN_AMD_DPP_CTRL],
                                                    tn_amd_has_wide(&c->form))) c->bad = 1;
}

// ** two in one (VOPD): mov, add and the like of the first operands, both read before either writes **

// Of X and Y by their opcodes; Y alone has the last three.
static const uint16_t tn_amd_duals[] = {TN_AMD_V_FMAC_F32, TN_AMD_V_FMAAK_F32, TN_AMD_V_FMAMK_F32, TN_AMD_V_MUL_F32,
  TN_AMD_V_ADD_F32, TN_AMD_V_SUB_F32, TN_AMD_V_SUBREV_F32, TN_AMD_V_MUL_DX9_ZERO_F32, TN_AMD_V_MOV_B32,
  TN_AMD_V_CNDMASK_B32, TN_AMD_V_MAX_F32, TN_AMD_V_MIN_F32, TN_AMD_V_DOT2ACC_F32_F16, 0, 0, 0, TN_AMD_V_ADD_NC_U32,
  TN_AMD_V_LSHLREV_B32, TN_AMD_V_AND_B32};
enum { TN_AMD_DUALS = sizeof tn_amd_duals / sizeof *tn_amd_duals, TN_AMD_DUALS_X = 13 };

// The fields of one half: lo, of its sources; the destination is read and written by who calls.
static void tn_amd_dual_half(tn_amd_coder *c, int op, tn_amd_operand *o, int lo) {
  const tn_amd_field src0 = {TN_AMD_F_SRC0, (uint8_t)lo, 9, 0}, src1 = {TN_AMD_F_VSRC1, (uint8_t)(lo + 9), 8, 0};
  c->form = tn_amd_form_of(op, c->ins->family);
  c->format = tn_amd_format(op, c->ins->family);
  for (int i = 0; i < c->form.n; i++, o++) {
    const char *const l = c->form.operands + 2 * i;
    if (c->writes && (o->neg || o->abs || o->op_sel || o->sext)) c->bad = 1;
    if (*l == '0') tn_amd_source_code(c, &src0, o, l);
    else if (*l == '1') tn_amd_vector(c, &src1, o, l[1], 1);
    else if (*l == 'd' && !c->writes) { o->kind = TN_AMD_VGPR; o->dwords = 1; }
    else if (*l == 'm' && !c->writes) { o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = 1; }
    else if (*l == 'm' && (o->kind != TN_AMD_SGPR || o->reg != TN_AMD_VCC)) c->bad = 1;
    else if (*l == 'K') {
      if (c->writes && (o->kind != TN_AMD_LITERAL || (c->has_literal && c->literal != o->value))) c->bad = 1;
      c->literal = o->value; c->has_literal = 1;
      o->kind = TN_AMD_LITERAL; o->dwords = 1;
    }
  }
}
static int tn_amd_dual_code(int family, int op, int most) {
  for (int i = 0; i < most; i++) if (tn_amd_duals[i] == op && tn_amd_format(op, family)) return i;
  return -1;
}
static void tn_amd_dual_walk(tn_amd_coder *c) {
  tn_amd_dual_half(c, c->ins->op, c->ins->o, 0);
  if (c->ins->n != c->form.n) c->bad = 1;
  tn_amd_dual_half(c, c->ins->op_y, c->ins->y, 32);
  if (c->ins->n_y != c->form.n) c->bad = 1;
}
static int tn_amd_encode_dual(tn_amd_ins *ins, uint32_t *words) {
  const int x = tn_amd_dual_code(ins->family, ins->op, TN_AMD_DUALS_X);
  const int y = tn_amd_dual_code(ins->family, ins->op_y, TN_AMD_DUALS);
  const int dx = ins->o[0].reg, dy = ins->y[0].reg;
  tn_amd_coder c;
  memset(&c, 0, sizeof c);
  c.ins = ins; c.writes = 1;
  c.layout = tn_amd_layout_of(TN_AMD_VOPD, ins->family);
  if (!c.layout || x < 0 || y < 0 || dx > 255 || dy > 255 || !((dx ^ dy) & 1)) return 0;
  c.w[0] = c.layout->match | (uint32_t)x << 22 | (uint32_t)y << 17;
  c.w[1] = (uint32_t)dx << 24 | (uint32_t)dy >> 1 << 17;
  tn_amd_dual_walk(&c);
  if (c.bad) return 0;
  words[0] = c.w[0]; words[1] = c.w[1]; words[2] = c.literal;
  return 2 + c.has_literal;
}
static int tn_amd_decode_dual(int family, const uint32_t *words, int n, tn_amd_ins *ins) {
  const int x = (int)(words[0] >> 22 & 15), y = (int)(words[0] >> 17 & 31);
  tn_amd_coder c;
  memset(ins, 0, sizeof *ins);
  if (n < 2 || x >= TN_AMD_DUALS_X || y >= TN_AMD_DUALS || !tn_amd_duals[y]) return 0;
  ins->family = (uint8_t)family; ins->op = tn_amd_duals[x]; ins->op_y = tn_amd_duals[y];
  if (!tn_amd_format(ins->op, family) || !tn_amd_format(ins->op_y, family)) return 0;
  ins->n = (uint8_t)tn_amd_form_of(ins->op, family).n; ins->n_y = (uint8_t)tn_amd_form_of(ins->op_y, family).n;
  memset(&c, 0, sizeof c);
  c.ins = ins;
  c.layout = tn_amd_layout_of(TN_AMD_VOPD, family);
  memcpy(c.w, words, 2 * sizeof *words);
  tn_amd_dual_walk(&c);
  ins->o[0].reg = (uint16_t)(words[1] >> 24);
  ins->y[0].reg = (uint16_t)((words[1] >> 17 & 127) << 1 | (~ins->o[0].reg & 1));
  if (c.bad || (c.has_literal && n < 3)) return 0;
  for (int i = 0; i < 4; i++) {
    if (ins->o[i].kind == TN_AMD_LITERAL) ins->o[i].value = words[2];
    if (ins->y[i].kind == TN_AMD_LITERAL) ins->y[i].value = words[2];
  }
  return 2 + c.has_literal;
}

// ** whole instructions **

static int tn_amd_long_offset(int format, int family) {      // of an opcode, in VOP3
  return format == TN_AMD_VOP2 ? 0x100 : format == TN_AMD_VOP1 ? (family == TN_AMD_GFX9 ? 0x140 : 0x180) : 0;
}
static int tn_amd_has_carry(const tn_amd_form *f) {
  for (int i = 0; i < f->n; i++) if (f->operands[2 * i] == 'c') return 1;
  return 0;
}
static void tn_amd_coder_init(tn_amd_coder *c, tn_amd_ins *ins, int writes) {
  memset(c, 0, sizeof *c);
  c->ins = ins; c->writes = writes;
  c->format = tn_amd_format(ins->op, ins->family);
  c->form = tn_amd_form_of(ins->op, ins->family);
  const int is_long = ins->long_form || c->format == TN_AMD_VOP3SD;
  const int carry = !tn_amd_is_memory(c->format) && tn_amd_has_carry(&c->form);
  c->layout = tn_amd_layout_of(is_long ? (carry ? TN_AMD_VOP3SD : TN_AMD_VOP3) : c->format, ins->family);
}
// Words behind the first ones: lanes or the literal. Is a literal allowed there?
static int tn_amd_takes_literal(const tn_amd_coder *c) {
  const int f = c->layout->format;
  if (c->ins->lanes || f == TN_AMD_MFMA || f >= TN_AMD_DS || f == TN_AMD_SMEM) return 0;
  return c->ins->family != TN_AMD_GFX9 || f < TN_AMD_VOP3;
}

// -> how many words (at most TN_AMD_MOST_WORDS); 0: there is no such instruction.
static int tn_amd_encode(int family, const tn_amd_ins *of, uint32_t *words) {
  tn_amd_ins ins = *of;
  tn_amd_coder c;
  static const int markers[] = {0, TN_AMD_CODE_DPP16, TN_AMD_CODE_DPP8, TN_AMD_CODE_SDWA};
  ins.family = (uint8_t)family;
  if (ins.op_y) return tn_amd_encode_dual(&ins, words);
  if (!ins.op || ins.op >= TN_AMD_COUNT || ins.lanes > TN_AMD_SDWA) return 0;
  tn_amd_coder_init(&c, &ins, 1);
  if (!c.format || !c.layout || ins.n != c.form.n) return 0;
  if (ins.long_form && (c.format < TN_AMD_VOP1 || c.format > TN_AMD_VOPC || tn_amd_takes(&c.form, '!'))) return 0;
  if (ins.lanes && !tn_amd_takes_lanes(&c)) return 0;
  c.marker = markers[ins.lanes] + (ins.lanes == TN_AMD_DPP8 && ins.m[TN_AMD_FI]);
  const tn_amd_field op = {0, c.layout->op_lo, c.layout->op_width, 0};
  c.w[0] = c.layout->match;
  const int behind = ins.long_form ? tn_amd_long_offset(c.format, family) : 0;
  tn_amd_write(&c, &op, (uint32_t)(tn_amd_opcode(ins.op, family) + behind));
  tn_amd_walk(&c, c.layout->field);
  if (ins.lanes) tn_amd_walk_behind(&c);
  tn_amd_implied(&c);
  if (c.bad || (c.has_literal && !tn_amd_takes_literal(&c))) return 0;
  int n = c.layout->dwords;
  memcpy(words, c.w, (size_t)n * sizeof *words);
  if (ins.lanes) words[n++] = c.behind;
  if (c.has_literal) words[n++] = c.literal;
  return n;
}

// The row that has this opcode in a format; 0: none has.
static int tn_amd_row_of(int family, int format, int op) {
  const int code = format << 10 | op;
  for (int i = 1; i < TN_AMD_COUNT && op != TN_AMD_NA; i++) if (tn_amd_rows[i].code[family] == code) return i;
  return 0;
}
// The same for the opcode of a layout, which may be that of a long form.
static int tn_amd_row_at(int family, int format, int op, int *long_form) {
  static const uint8_t shorts[] = {TN_AMD_VOPC, TN_AMD_VOP2, TN_AMD_VOP1};
  static const int count[] = {256, 64, 128};
  const int row = tn_amd_row_of(family, format, op);
  *long_form = 0;
  if (row || (format != TN_AMD_VOP3)) return row;
  for (int i = 0; i < 3; i++) {
    const int at = op - tn_amd_long_offset(shorts[i], family);
    const int found = at >= 0 && at < count[i] ? tn_amd_row_of(family, shorts[i], at) : 0;
    const tn_amd_form form = tn_amd_form_of(found, family);
    if (!found || tn_amd_takes(&form, '!')) continue;
    *long_form = 1;
    return found;
  }
  return 0;
}
static int tn_amd_lanes_of(int code) {
  if (code == TN_AMD_CODE_DPP16) return TN_AMD_DPP16;
  if (code == TN_AMD_CODE_DPP8 || code == TN_AMD_CODE_DPP8_FI) return TN_AMD_DPP8;
  return code == TN_AMD_CODE_SDWA ? TN_AMD_SDWA : TN_AMD_PLAIN;
}

// An instruction of this layout: how many of n words it takes; 0: it is none.
static int tn_amd_decode_as(const tn_amd_layout *layout, int family, const uint32_t *words, int n, tn_amd_ins *ins) {
  tn_amd_coder c;
  int long_form, taken = layout->dwords;
  const int op = (int)(words[0] >> layout->op_lo & ((1u << layout->op_width) - 1));
  const int row = tn_amd_row_at(family, layout->format, op, &long_form);
  if (!row || taken > n) return 0;
  memset(ins, 0, sizeof *ins);
  ins->op = (uint16_t)row; ins->family = (uint8_t)family; ins->long_form = (uint8_t)long_form;
  tn_amd_coder_init(&c, ins, 0);
  ins->n = (uint8_t)c.form.n;
  memcpy(c.w, words, (size_t)taken * sizeof *words);
  if (c.format >= TN_AMD_VOP1 && c.format <= TN_AMD_VOP3P) {
    const int code = (int)(c.layout->dwords == 1 ? words[0] & 511 : words[1] & 511);
    ins->lanes = (uint8_t)tn_amd_lanes_of(code);
    if (ins->lanes && !tn_amd_takes_lanes(&c)) return 0;
    c.marker = ins->lanes ? code : 0;
  }
  tn_amd_walk(&c, c.layout->field);
  if (ins->lanes) {
    if (taken >= n) return 0;
    c.behind = words[taken++];
    if (ins->lanes == TN_AMD_DPP8) ins->m[TN_AMD_FI] = c.marker == TN_AMD_CODE_DPP8_FI;
    tn_amd_walk_behind(&c);
  }
  tn_amd_implied(&c);
  if (c.bad || (c.has_literal && (!tn_amd_takes_literal(&c) || taken >= n))) return 0;
  for (int i = 0; i < ins->n; i++) if (ins->o[i].kind == TN_AMD_LITERAL) ins->o[i].value = words[taken];
  return taken + c.has_literal;
}
// -> how many of n words the instruction at the first takes; 0: they are none.
static int tn_amd_decode(int family, const uint32_t *words, int n, tn_amd_ins *ins) {
  for (int i = 0; i < TN_AMD_LAYOUTS && n > 0; i++) {
    const tn_amd_layout *const l = &tn_amd_layouts[i];
    if (!(l->families >> family & 1) || (words[0] & l->mask) != l->match) continue;
    if (l->format == TN_AMD_VOPD) return tn_amd_decode_dual(family, words, n, ins);
    const int taken = tn_amd_decode_as(l, family, words, n, ins);
    if (taken) return taken;
  }
  return 0;
}
#endif
