// amd_values: values of a kernel's nodes in registers of an AMD GPU, an operand for each element.
//
// In:  nodes, operands. Out: operands; lines that make one form of a vector of another.
// Holds:
//  - A value that is the same for all lanes lies in scalar registers or is a constant where an instruction could make
//    it so: what an operand is tells whether it is uniform. Nothing else keeps account of that.
//  - Elements: 1 dword, of 64 bits 2; integers of 8 and 16 bits with their sign or zeros above; f16, bf16 and fp8 their
//    bits in the low ones, what is above is anything; bools masks of lanes, of constants 0 and -1. Bits of a mask mean
//    nothing for lanes that are off.
//  - Vectors of 8 and 16 bits are elements, words of 32 bits as they lie in memory, or both: as their users ask.
#ifndef TN_ISA_AMD_VALUES
#define TN_ISA_AMD_VALUES
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

enum { TN_AMD_ELEMENTS = 1, TN_AMD_WORDS = 2 };              // what users want of a vector
enum { TN_AMD_DEEP = 72 };                 // loops and IFs inside each other
// What was divided by what, in which loop.
enum { TN_AMD_DIVIDED = 16 };
typedef struct tn_amd_division {
  uint16_t a, b; uint8_t a_kind, b_kind, a_sub, b_sub, dtype, is_there; int depth, serial;
} tn_amd_division;

struct tn_amd_level; struct tn_amd_step;
typedef struct tn_amd_selection {
  tiny_ctx *t; const tiny_listing *k; tn_amd_list *l; int family;
  tn_amd_operand *pool; int npool, poolcap;
  int *elements, *words;                   // of nodes: where in the pool, -1: nowhere
  // written: of a PARAM: it is stored to; buffer: it is reached by a buffer's descriptor; zeros: low bits
  uint8_t *wants, *needed, *zeros, *written, *buffer;
  struct tn_amd_level *level; int depth, at, serial;         // loops and IFs that are open; where lines go
  uint8_t *inside; struct tn_amd_step *step;                 // inside: of nodes, how deep they stand (amd_address.c)
  // A RANGE whose body stands there several times, which copy is written, and the iteration of the first of them
  const tiny_uop *copied; int copy; tn_amd_operand counter;
  int64_t *place;                          // of DEFINEs: where in LDS or scratch, -1: in registers
  uint8_t *uses;                           // of nodes: by how many sources, 255 and more are 255
  uint8_t *tuple;                          // of REG memory: an element's lanes lie beside each other
  int *ends;                               // of a RANGE or IF: where its END or ENDIF is
  tn_amd_operand args, item, group[3];     // what comes with the launch
  int64_t lds, scratch;                    // bytes so far
  tn_amd_division divided[TN_AMD_DIVIDED]; tn_amd_operand quotient[TN_AMD_DIVIDED]; int ndivided;
} tn_amd_selection;

static void tn_amd_refuse_node(tn_amd_selection *x, const tiny_uop *u) {
  if (!x->l->refused) x->l->refused = tiny_op_name(u->op);
}

// ** dtypes **

static int tn_amd_is_float(int d) { return d >= TINY_F8E4M3 && d <= TINY_F64; }
static int tn_amd_is_signed(int d) { return d == TINY_I8 || d == TINY_I16 || d == TINY_I32 || d == TINY_I64; }
static int tn_amd_bits_of(int d) { return 8 * (int)tiny_dtype_nbytes((tiny_dtype)d); }
// Of an element's register.
static int tn_amd_element_dwords(const tn_amd_selection *x, int d) {
  return d == TINY_BOOL ? x->l->mask : tn_amd_bits_of(d) > 32 ? 2 : 1;
}

// ** constants **

// 32 bits as they are.
static tn_amd_operand tn_amd_k32(uint32_t bits) {
  const int32_t v = (int32_t)bits;
  return v >= -16 && v <= 64 ? tn_amd_int(v) : tn_amd_bits(bits);
}
// 64 bits in two registers: scalar ones.
static tn_amd_operand tn_amd_k64(tn_amd_selection *x, uint64_t bits) {
  const tn_amd_operand to = tn_amd_new_s(x->l, 2);
  tn_amd_copy(x->l, tn_amd_slice(to, 0, 1), tn_amd_k32((uint32_t)bits));
  tn_amd_copy(x->l, tn_amd_slice(to, 1, 1), tn_amd_k32((uint32_t)(bits >> 32)));
  return to;
}
static tn_amd_operand tn_amd_constant(tn_amd_selection *x, int dtype, int64_t k) {
  if (dtype == TINY_BOOL) {
    tn_amd_operand o = tn_amd_int(k ? -1 : 0);
    o.dwords = (uint8_t)x->l->mask;
    return o;
  }
  if (tn_amd_bits_of(dtype) == 64) return tn_amd_k64(x, (uint64_t)k);
  if (!tn_amd_is_float(dtype)) return tn_amd_k32((uint32_t)k);
  return tn_amd_k32(dtype == TINY_F32 ? tn_const_f32(k) : tn_const_narrow(dtype, k));
}
static int tn_amd_is_zero(const tn_amd_operand *o) {
  return o->kind == TN_AMD_INLINE && o->value == 0 && o->reg == 128;
}

// ** the pool **

static int tn_amd_take(tn_amd_selection *x, int n) {
  for (int i = 0; i < n; i++) {
    tn_amd_operand *const all = (tn_amd_operand *)tn_amd_grown(x->l, x->pool, x->npool, &x->poolcap, sizeof *all);
    if (!all) return 0;
    x->pool = all;
    memset(&x->pool[x->npool++], 0, sizeof *all);
  }
  return x->npool - n;
}
// Element i of a node; of what has one for all lanes that one.
static tn_amd_operand tn_amd_element(const tn_amd_selection *x, const tiny_uop *u, int i) {
  const int at = x->elements[u->seq];
  return at < 0 ? tn_amd_off() : x->pool[at + (u->lanes > 1 ? i : 0)];
}
static int tn_amd_is_uniform(const tn_amd_operand *o) { return o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR; }

// ** lines that give a value **

// In vector registers, in a scalar one: copied unless it is there.
static tn_amd_operand tn_amd_as_v(tn_amd_selection *x, tn_amd_operand o) {
  return o.kind == TN_AMD_VGPR && !o.neg && !o.abs ? o : tn_amd_in_vgprs(x->l, o);
}
static tn_amd_operand tn_amd_as_s(tn_amd_selection *x, tn_amd_operand o) {
  return o.kind == TN_AMD_SGPR ? o : tn_amd_in_sgprs(x->l, o);
}
static tn_amd_operand tn_amd_v1(tn_amd_selection *x, int op, tn_amd_operand a) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_do2(x->l, op, d, a);
  return d;
}
static tn_amd_operand tn_amd_v2(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}
static tn_amd_operand tn_amd_v3(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_do4(x->l, op, d, a, b, c);
  return d;
}
static tn_amd_operand tn_amd_s1(tn_amd_selection *x, int op, tn_amd_operand a) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 1);
  tn_amd_do2(x->l, op, d, a);
  return d;
}
static tn_amd_operand tn_amd_s2(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 1);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}

// ** vectors: elements and words **

static int tn_amd_nbytes(const tiny_uop *u) { return u->lanes * (int)tiny_dtype_nbytes((tiny_dtype)u->dtype); }
// Are there words of it, apart from its elements?
static int tn_amd_packs(const tiny_uop *u) {
  const int bits = tn_amd_bits_of(u->dtype);
  return u->lanes > 1 && bits < 32 && u->dtype != TINY_BOOL && u->dtype != TINY_VOID && u->lanes * bits % 32 == 0;
}
static int tn_amd_nwords(const tiny_uop *u) { return u->lanes * tn_amd_bits_of(u->dtype) / 32; }

// Element i of the vector that the word is part of.
static tn_amd_operand tn_amd_unpacked(tn_amd_selection *x, int dtype, tn_amd_operand word, int i) {
  const int bits = tn_amd_bits_of(dtype), at = i * bits % 32, is_signed = tn_amd_is_signed(dtype);
  const int uniform = tn_amd_is_uniform(&word), half = bits == 16 && tn_amd_is_float(dtype);
  if (!at && (half || bits == 32)) return word;
  if (at + bits == 32 && uniform) return tn_amd_s2(x, is_signed ? TN_AMD_S_ASHR_I32 : TN_AMD_S_LSHR_B32,
                                                   tn_amd_as_s(x, word), tn_amd_int(at));
  if (at + bits == 32)
    return tn_amd_v2(x, is_signed ? TN_AMD_V_ASHRREV_I32 : TN_AMD_V_LSHRREV_B32, tn_amd_int(at), word);
  if (uniform) return tn_amd_s2(x, is_signed ? TN_AMD_S_BFE_I32 : TN_AMD_S_BFE_U32, tn_amd_as_s(x, word),
                                tn_amd_k32((uint32_t)(at | bits << 16)));
  if (!at && !is_signed) return tn_amd_v2(x, TN_AMD_V_AND_B32, tn_amd_k32((1u << bits) - 1), word);
  return tn_amd_v3(x, is_signed ? TN_AMD_V_BFE_I32 : TN_AMD_V_BFE_U32, word, tn_amd_int(at), tn_amd_int(bits));
}
static void tn_amd_unpack_all(tn_amd_selection *x, const tiny_uop *u) {
  const int first = tn_amd_take(x, u->lanes), words = x->words[u->seq];
  x->elements[u->seq] = first;
  for (int i = 0; i < u->lanes && !x->l->refused; i++) {
    const tn_amd_operand word = x->pool[words + i * tn_amd_bits_of(u->dtype) / 32];
    const tn_amd_operand o = tn_amd_unpacked(x, u->dtype, word, i);
    x->pool[first + i] = o;
  }
}
// The low halves of two; their low bytes (v_perm_b32: bytes 0 to 3 are of the second source, 4 to 7 of the first).
static tn_amd_operand tn_amd_packed_halves(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  if (tn_amd_is_constant(&low) && tn_amd_is_constant(&high)) return tn_amd_k32((low.value & 0xFFFF) | high.value << 16);
  if (tn_amd_is_uniform(&low) && tn_amd_is_uniform(&high)) return tn_amd_s2(x, TN_AMD_S_PACK_LL_B32_B16, low, high);
  return tn_amd_v3(x, TN_AMD_V_PERM_B32, high, low, tn_amd_k32(0x05040100));
}
static tn_amd_operand tn_amd_packed_bytes(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  if (tn_amd_is_constant(&low) && tn_amd_is_constant(&high))
    return tn_amd_k32((low.value & 0xFF) | (high.value & 0xFF) << 8);
  return tn_amd_v3(x, TN_AMD_V_PERM_B32, high, low, tn_amd_k32(0x0C0C0400));
}
// One word of 32 / bits elements.
static tn_amd_operand tn_amd_packed(tn_amd_selection *x, int dtype, const tn_amd_operand *o) {
  if (dtype == TINY_F16 && (o[0].kind == TN_AMD_VGPR || o[1].kind == TN_AMD_VGPR))
    return tn_amd_v2(x, TN_AMD_V_PACK_B32_F16, o[0], o[1]);
  if (tn_amd_bits_of(dtype) == 16) return tn_amd_packed_halves(x, o[0], o[1]);
  const tn_amd_operand low = tn_amd_packed_bytes(x, o[0], o[1]), high = tn_amd_packed_bytes(x, o[2], o[3]);
  return tn_amd_packed_halves(x, low, high);
}
static void tn_amd_pack_all(tn_amd_selection *x, const tiny_uop *u) {
  const int n = tn_amd_nwords(u), each = u->lanes / n, first = tn_amd_take(x, n);
  x->words[u->seq] = first;
  for (int i = 0; i < n && !x->l->refused; i++) {
    tn_amd_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_amd_element(x, u, i * each + j);
    const tn_amd_operand word = tn_amd_packed(x, u->dtype, o);
    x->pool[first + i] = word;
  }
}
// The other form as well, where a user wants it.
static void tn_amd_complete(tn_amd_selection *x, const tiny_uop *u) {
  if (!tn_amd_packs(u)) return;
  const int wants = x->wants[u->seq];
  if (x->words[u->seq] < 0 && x->elements[u->seq] >= 0 && (wants & TN_AMD_WORDS)) tn_amd_pack_all(x, u);
  if (x->elements[u->seq] < 0 && x->words[u->seq] >= 0 && (wants & TN_AMD_ELEMENTS)) tn_amd_unpack_all(x, u);
}
// Dword i of a vector's bits, as they lie in memory; of one element, too.
static tn_amd_operand tn_amd_bits_at(const tn_amd_selection *x, const tiny_uop *u, int i) {
  if (tn_amd_packs(u)) return x->words[u->seq] < 0 ? tn_amd_off() : x->pool[x->words[u->seq] + i];
  if (tn_amd_bits_of(u->dtype) < 64) return tn_amd_element(x, u, i);
  const tn_amd_operand o = tn_amd_element(x, u, i / 2);
  return tn_amd_is_register(&o) ? tn_amd_slice(o, i & 1, 1) : o;
}
#endif
