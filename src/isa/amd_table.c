// amd_table: the instructions of AMD's GPUs, a row each: names, operands, and where each family has them.
//
// In:  rows of scalars, vectors and accesses, a room each. Out: TN_AMD_V_ADD_F32 .., tn_amd_rows. A row is an
//      operation, by the name that the first family has for it that has it, of gfx11, gfx12, gfx9; "|12:", "|9:" say
//      what another has instead, operands, too.
// Operands stand in the assembler's order, two letters each, where and what; behind / what else the instruction takes.
//   d g  vector register that is written, of AGPRs     r  the same, if an atomic returns what was there
//   D    scalar register that is written               S  scalar register that is read, in its place
//   e c  mask that is written: a comparison's; a carry: VCC in a short form
//   0 1 2  source: vector or scalar register, constant (in short forms 1 is a vector register)
//     x y z  vector register alone   X Y Z  no vector register   A  AGPR   C  vector register or constant
//     m  mask, VCC in a short form
//   K  literal    #  number of 16 bits: d decimal h hexadecimal e left out if 0, b distance, s message, w counters,
//                    y delays, c s_wait_alu, g hardware register     M  message as a source
//   a b c  of memory: address, data, second data       s  scalar address      B R o  its base, descriptor, offset
//   i n  offset and count as operands of their own
//   what: dwords 1 2 3 4 5 6 8, x 16, y 32   f F  1, 2 dwords with neg and abs   h  f16, the same   w  i16
//     v  1 dword beside f16   i  packed i16   m  a mask of wave32 or, on gfx9, wave64
//     a  address: 2 dwords, 1 beside a scalar address
//   c clamp   o omod   s op_sel   b byte_sel, in its place   k index_key   n N  neg_lo, neg_hi of the first two sources
//   q  both of the third   m M  cbsz, abid and blgp; without blgp   e  neg in the place of blgp   2  two offsets
//   !  no long form   -  no DPP, though it has operands of 32 bits   D  DPP, though it is packed
//   =  no parts of operands (SDWA) on gfx9, though it has a short form
// Source: AMD's ISA guides (amd.c); what a modifier is taken by was asked of LLVM 19's assembler, opcode by opcode.
#ifndef TN_ISA_AMD_TABLE
#define TN_ISA_AMD_TABLE
#ifndef TINY_AMALGAMATED
#include "amd.c"
#include "amd_scalars.c"
#include "amd_vectors.c"
#include "amd_accesses.c"
#endif

// ** columns: id, names, operands, then format and opcode on gfx11, gfx12, gfx9 **

enum { TN_AMD_NA = 0x3FF };                // opcode -1: the family has it not
#define TN_AMD_OF(_, format, id, names, operands, a, b, c) \
  _(id, names, operands, format, a, format, b, format, c)
#define TN_AMD_IN(_, id, names, operands, f, a, g, b, h, c) _(id, names, operands, f, a, g, b, h, c)

#define TN_AMD_TABLE(_) \
  TN_AMD_SCALAR_ROWS(_) TN_AMD_VECTOR_ROWS(_) TN_AMD_COMPARE_ROWS(_) TN_AMD_CLASS_ROWS(_) TN_AMD_LONG_ROWS(_) \
  TN_AMD_PACKED_ROWS(_) TN_AMD_LOCAL_ROWS(_) TN_AMD_MEMORY_ROWS(_)

enum {
  TN_AMD_NO_INS,
#define TN_AMD_ENUM(id, ...) TN_AMD_##id,
  TN_AMD_TABLE(TN_AMD_ENUM)
#undef TN_AMD_ENUM
  TN_AMD_COUNT
};

// code: of a family, format << 10 | opcode
typedef struct tn_amd_row { const char *names, *operands; uint16_t code[TN_AMD_FAMILIES]; } tn_amd_row;
static const tn_amd_row tn_amd_rows[TN_AMD_COUNT] = {
  {"", "", {TN_AMD_NA, TN_AMD_NA, TN_AMD_NA}},
#define TN_AMD_CODE(format, op) (TN_AMD_##format << 10 | ((op) & TN_AMD_NA))
#define TN_AMD_ROW(id, names, operands, f, a, g, b, h, c) \
  {names, operands, {TN_AMD_CODE(f, a), TN_AMD_CODE(g, b), TN_AMD_CODE(h, c)}},
  TN_AMD_TABLE(TN_AMD_ROW)
#undef TN_AMD_ROW
#undef TN_AMD_CODE
};

// TN_AMD_NO_FORMAT: the family has it not.
static int tn_amd_format(int op, int family) {
  const int code = tn_amd_rows[op].code[family];
  return (code & TN_AMD_NA) == TN_AMD_NA ? TN_AMD_NO_FORMAT : code >> 10;
}
static int tn_amd_opcode(int op, int family) { return tn_amd_rows[op].code[family] & TN_AMD_NA; }

// What is written for a family in a text of alternatives: where it begins, and its length.
static const char *tn_amd_alternative(const char *text, int family, size_t *n) {
  const char *end = text;
  while (*end && *end != '|') end++;
  for (const char *other = end; *other && family != TN_AMD_GFX11;) {           // "|12:.." or "|9:.."
    const int of = other[1] == '9' ? TN_AMD_GFX9 : TN_AMD_GFX12;
    const char *const begin = other + (of == TN_AMD_GFX9 ? 3 : 4);
    for (other = begin; *other && *other != '|';) other++;
    if (of == family) { text = begin; end = other; break; }
  }
  *n = (size_t)(end - text);
  return text;
}
static const char *tn_amd_name(int op, int family, size_t *n) {
  return tn_amd_alternative(tn_amd_rows[op].names, family, n);
}

// The operands of a row in a family, and what else it takes.
typedef struct tn_amd_form { const char *operands, *takes; int n, ntakes; } tn_amd_form;
static tn_amd_form tn_amd_form_of(int op, int family) {
  size_t n;
  tn_amd_form f;
  f.operands = tn_amd_alternative(tn_amd_rows[op].operands, family, &n);
  size_t slash = 0;
  while (slash < n && f.operands[slash] != '/') slash++;
  f.n = (int)slash / 2;
  f.takes = f.operands + (slash < n ? slash + 1 : n);
  f.ntakes = (int)(f.operands + n - f.takes);
  return f;
}
static int tn_amd_takes(const tn_amd_form *f, char what) { return memchr(f->takes, what, (size_t)f->ntakes) != NULL; }
#endif
