// arm64_values: the registers of a kernel's values, what an instruction names of them, and constants.
//
// In:  a node of the list. Out: its register, or that of the lanes of it that are computed now; an operand.
// Holds: a scalar integer or bool is a general register, narrow ones extended to 32 bits as their type says, those of
//        32 with zeros above; a scalar float is lane 0 of a vector register. A vector is as many registers of 16 bytes
//        as it needs, whose numbers follow each other, the last or only one perhaps in part; what stands above its
//        lanes is anything. Lanes of a vector of bools are 0 or -1, each as wide as `mask` says: as wide as what was
//        compared. A constant is taken where it is used and lives no longer, but for splats.
// Of an operand that is a vector register, wide: bytes of an element of its arrangement, 0: it is a scalar; with scale
// 0 it is one lane, number imm. Of a general register, or of an index, wide: how it is shifted or extended, scale: by
// how much.
#ifndef TN_ISA_ARM64_VALUES
#define TN_ISA_ARM64_VALUES
#ifndef TINY_AMALGAMATED
#include "unroll.c"
#include "words.c"
#include "arm64_encode.c"
#endif

enum { TN_ARM64_EQ_ = 0, TN_ARM64_NE_ = 1, TN_ARM64_LO_ = 3, TN_ARM64_MI_ = 4, TN_ARM64_LT_ = 11 };      // conditions
enum { TN_ARM64_ADDRESSES = 32, TN_ARM64_INDUCTIONS = 10 };
// base + index * element; or of a register, base, so many bytes from there: memory NULL.
typedef struct tn_arm64_address {
  const tiny_uop *memory, *at; int element, base, reg; int64_t bytes;
} tn_arm64_address;

// What a processor has beyond what all have: bits of TN_ARM64_HAS_*.
typedef struct tn_arm64_level { const char *name; uint32_t has; } tn_arm64_level;
enum { TN_ARM64_NEON, TN_ARM64_DOTPROD, TN_ARM64_LEVELS };
static const tn_arm64_level tn_arm64_levels[TN_ARM64_LEVELS] = {
  {"neon", 1u << TN_ARM64_HAS_N}, {"dotprod", 1u << TN_ARM64_HAS_N | 1u << TN_ARM64_HAS_DOTPROD}
};
static int tn_arm64_level_has(const tn_arm64_level *l, int row) { return (int)(l->has >> tn_arm64_rows[row].has & 1); }

typedef struct tn_arm64_select {
  tn_isa_code *c; const tiny_listing *k; const tn_arm64_level *level;
  int *reg, *uses, *last;                  // of nodes: register, -1: none; uses, the place of the last use
  const tiny_uop **user;                   // one of them
  uint8_t *fused, *mask;                   // it is written where it is used; bytes of a lane of bools
  uint8_t *in_lane;                        // of LOADs of scalar integers: it goes to a vector register
  const tiny_uop **word;                   // of ORs: the LOAD of the lowest part of the word that it loads, NULL: none
  uint8_t *inverted;                       // of NEs of vectors: the register says where lanes are equal
  int **element;                           // of REG memory: its registers
  int *label;                              // of RANGE and IF
  int *end;                                // of RANGE: the register of where it ends, -1: no number needs one
  tn_isa_inductions inductions;            // each a pointer into its memory
  uint8_t *copies; int copy;               // of RANGE: how often the body stands in the loop; which is written now
  int *outer;                              // of them: how many addresses were known before
  int mem, args, task, local;              // the entry's arguments
  int from, lanes;                         // lanes of vectors that are computed now; lanes 0: all
  int64_t local_at;
  int survey;                              // rules only say what they would fuse
  tn_arm64_address address[TN_ARM64_ADDRESSES]; int addresses;               // that are known
} tn_arm64_select;

// ** sizes **

static int tn_arm64_class(const tiny_uop *u) { return u->lanes > 1 || tn_is_float(u->dtype) ? TN_ISA_VEC : TN_ISA_GPR; }
static int tn_arm64_element(const tn_arm64_select *x, const tiny_uop *u) {   // bytes
  return u->dtype != TINY_BOOL ? tn_dtypes[u->dtype].nbytes : u->lanes > 1 ? x->mask[u->seq] : 1;
}
static int tn_arm64_lanes(const tn_arm64_select *x, const tiny_uop *u) {     // that are computed now
  return x->lanes && u->lanes > 1 ? x->lanes : u->lanes;
}
static int tn_arm64_nbytes(const tn_arm64_select *x, const tiny_uop *u) {
  return tn_arm64_lanes(x, u) * tn_arm64_element(x, u);
}
static int tn_arm64_each(const tn_arm64_select *x, const tiny_uop *u) {      // lanes of one of its registers
  const int each = 16 / tn_arm64_element(x, u);
  return each < u->lanes ? each : u->lanes;
}
static int tn_arm64_parts_of(const tn_arm64_select *x, const tiny_uop *u) {
  return tn_arm64_class(u) == TN_ISA_VEC ? u->lanes / tn_arm64_each(x, u) : 1;
}
static int tn_arm64_wide(const tiny_uop *u) { return tn_bits(u->dtype) == 64 ? 8 : 4; }    // of its general register

// ** operands and instructions **

static tn_isa_operand tn_arm64_gpr(int reg, int nbytes, int role) {
  tn_isa_operand o = tn_isa_reg(TN_ISA_GPR, reg, nbytes, role);
  o.scale = 0;
  return o;
}
static tn_isa_operand tn_arm64_shifted(int reg, int nbytes, int shift, int amount) {
  tn_isa_operand o = tn_arm64_gpr(reg, nbytes, TN_ISA_USE);
  o.wide = (uint8_t)shift; o.scale = (uint8_t)amount;
  return o;
}
static tn_isa_operand tn_arm64_vec(int reg, int nbytes, int element, int role) {
  tn_isa_operand o = tn_isa_reg(TN_ISA_VEC, reg, nbytes, role);
  o.wide = (uint8_t)element;
  return o;
}
// A vector register of so many bytes, by elements; 16 or 8 of them are looked at.
static tn_isa_operand tn_arm64_arranged(int reg, int nbytes, int element, int role) {
  return tn_arm64_vec(reg, nbytes > 8 || element == 8 ? 16 : 8, element, role);
}
static tn_isa_operand tn_arm64_lane(int reg, int element, int lane, int role) {
  tn_isa_operand o = tn_arm64_vec(reg, 16, element, role);
  o.scale = 0; o.imm = lane;
  return o;
}
static tn_isa_operand tn_arm64_zr(int nbytes) { return tn_arm64_gpr(-1 - TN_ARM64_ZR, nbytes, 0); }

static tn_isa_ins *tn_arm64_1(tn_arm64_select *x, int op, tn_isa_operand a) {
  tn_isa_ins *i = tn_isa_add(x->c, op);
  i->n = 1; i->o[0] = a;
  return i;
}
static tn_isa_ins *tn_arm64_2(tn_arm64_select *x, int op, tn_isa_operand a, tn_isa_operand b) {
  tn_isa_ins *i = tn_arm64_1(x, op, a);
  i->n = 2; i->o[1] = b;
  return i;
}
static tn_isa_ins *tn_arm64_3(tn_arm64_select *x, int op, tn_isa_operand a, tn_isa_operand b, tn_isa_operand d) {
  tn_isa_ins *i = tn_arm64_2(x, op, a, b);
  i->n = 3; i->o[2] = d;
  return i;
}
static tn_isa_ins *tn_arm64_4(tn_arm64_select *x, int op, tn_isa_operand a, tn_isa_operand b, tn_isa_operand d,
                              tn_isa_operand e) {
  tn_isa_ins *i = tn_arm64_3(x, op, a, b, d);
  i->n = 4; i->o[3] = e;
  return i;
}
static tn_isa_operand tn_arm64_label(int label) { return tn_isa_at(TN_ISA_LABEL, 0, label); }
static void tn_arm64_place(tn_arm64_select *x, int label) { tn_arm64_1(x, TN_ISA_PLACE, tn_arm64_label(label)); }
static int tn_arm64_new(tn_arm64_select *x, int cls) { return tn_isa_vreg_new(x->c, cls); }
static int tn_arm64_new_for(tn_arm64_select *x, const tiny_uop *u) {
  const int first = tn_arm64_new(x, tn_arm64_class(u));
  for (int i = 1; i < tn_arm64_parts_of(x, u); i++) tn_arm64_new(x, TN_ISA_VEC);
  return first;
}

// A copy of a whole register.
static void tn_arm64_copy(tn_arm64_select *x, int cls, int to, int from) {
  if (to == from) return;
  if (cls == TN_ISA_GPR) tn_arm64_2(x, TN_ARM64_MOV, tn_arm64_gpr(to, 8, TN_ISA_DEF),
      tn_arm64_gpr(from, 8, TN_ISA_USE));
  else tn_arm64_2(x, TN_ARM64_MOV, tn_arm64_vec(to, 16, 1, TN_ISA_DEF), tn_arm64_vec(from, 16, 1, TN_ISA_USE));
}
static void tn_arm64_copy_all(tn_arm64_select *x, const tiny_uop *u, int to, int from) {
  for (int i = 0; i < tn_arm64_parts_of(x, u); i++) tn_arm64_copy(x, tn_arm64_class(u), to + i, from + i);
}
static int tn_arm64_moves(const tn_isa_ins *i) {
  return i->op == TN_ARM64_MOV && i->n == 2 && i->o[0].nbytes >= 8;
}

// ** constants **

// The number that makes those bits a float of eight bits (C2.2.3, VFPExpandImm); -1: there is none.
static int tn_arm64_float_bits(int64_t bits, int element) {
  for (int k = 0; k < 256; k++) {
    const int sign = k >> 7, e = k >> 4 & 7;
    const uint64_t f64 = (uint64_t)sign << 63 | (uint64_t)((e & 4 ? 0x3FC : 0x400) | (e & 3)) << 52 |
        (uint64_t)(k & 15) << 48;
    const uint32_t f32 = (uint32_t)sign << 31 | (uint32_t)((e & 4 ? 0x7C : 0x80) | (e & 3)) << 23 |
        (uint32_t)(k & 15) << 19;
    if (element == 8 ? f64 == (uint64_t)bits : f32 == (uint32_t)(uint64_t)bits) return k;
  }
  return -1;
}
// A number to a general register: by one instruction, so that loops make it once: 16 bits where all others are alike, a
// mask, or from the pool.
static void tn_arm64_number_to(tn_arm64_select *x, int to, int64_t v, int nbytes) {
  const uint64_t all = nbytes == 4 ? 0xFFFFFFFF : ~(uint64_t)0, u = (uint64_t)v & all;
  const tn_isa_operand d = tn_arm64_gpr(to, nbytes, TN_ISA_DEF);
  for (int ones = 0; ones < 2; ones++) for (int i = 0; i < 8 * nbytes; i += 16) {
    const uint64_t rest = ones ? ~u & all : u;
    tn_isa_operand n = tn_isa_number((int64_t)(rest >> i));
    if (rest & ~((uint64_t)0xFFFF << i)) continue;
    n.scale = (uint8_t)i;
    tn_arm64_2(x, ones ? TN_ARM64_MOVN : TN_ARM64_MOVZ, d, n);
    return;
  }
  if (tn_arm64_bitmask(u, nbytes) >= 0)
    tn_arm64_3(x, TN_ARM64_ORR, d, tn_arm64_zr(nbytes), tn_isa_number((int64_t)u));
  else tn_arm64_2(x, TN_ARM64_LDR, d, tn_isa_at(TN_ISA_POOL, nbytes, tn_isa_constant(x->c, &u, (size_t)nbytes)));
}
static int64_t tn_arm64_bits(const tiny_uop *u) {            // of an element, as it lies in memory
  if (!tn_is_float(u->dtype) || u->dtype == TINY_F64) return u->k;
  const float f = (float)tn_to_f64(u->k);
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}
// The same bits in all lanes of 16 bytes: by an instruction, or from the pool.
static void tn_arm64_splat_to(tn_arm64_select *x, int to, int64_t bits, int element) {
  uint64_t all = (uint64_t)bits;
  if (element == 1) all = (all & 0xFF) * 0x0101010101010101u;
  if (element == 2) all = (all & 0xFFFF) * 0x0001000100010001u;
  if (element == 4) all = (all & 0xFFFFFFFF) * 0x0000000100000001u;
  int bytes = 1;
  for (int i = 0; i < 8; i++) bytes &= (all >> 8 * i & 0xFF) == 0 || (all >> 8 * i & 0xFF) == 0xFF;
  const tn_isa_operand d8 = tn_arm64_vec(to, 16, 8, TN_ISA_DEF);
  if (bytes) { tn_arm64_2(x, TN_ARM64_MOVI, d8, tn_isa_number((int64_t)all)); return; }
  const int is_float = element >= 4 ? tn_arm64_float_bits(bits, element) : -1;
  if (is_float >= 0) {
    tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_vec(to, 16, element, TN_ISA_DEF), tn_isa_number(is_float));
    return;
  }
  if (all == (all & 0xFF) * 0x0101010101010101u) {
    tn_arm64_2(x, TN_ARM64_MOVI, tn_arm64_vec(to, 16, 1, TN_ISA_DEF), tn_isa_number((int64_t)(all & 0xFF)));
    return;
  }
  for (int s = 0; s < 32 && all == (all & 0xFFFFFFFF) * 0x0000000100000001u; s += 8)
    if ((all & 0xFFFFFFFF) == (all & (uint64_t)0xFF << s)) {
      tn_isa_operand n = tn_isa_number((int64_t)(all >> s & 0xFF));
      n.scale = (uint8_t)s;
      tn_arm64_2(x, TN_ARM64_MOVI, tn_arm64_vec(to, 16, 4, TN_ISA_DEF), n);
      return;
    }
  const uint64_t pair[2] = {all, all};
  tn_arm64_2(x, TN_ARM64_LDR, tn_arm64_vec(to, 16, 0, TN_ISA_DEF),
      tn_isa_at(TN_ISA_POOL, 16, tn_isa_constant(x->c, pair, 16)));
}
static int tn_arm64_is_splat(const tiny_uop *u) { return u->op == TINY_OP_BROADCAST && u->src[0]->op == TINY_OP_CONST; }
static int tn_arm64_splat(tn_arm64_select *x, int64_t bits, int element) {
  const int v = tn_arm64_new(x, TN_ISA_VEC);
  tn_arm64_splat_to(x, v, bits, element);
  return v;
}
static int tn_arm64_constant(tn_arm64_select *x, const tiny_uop *u) {
  const int r = tn_arm64_new(x, tn_arm64_class(u)), element = tn_arm64_element(x, u);
  if (tn_arm64_class(u) == TN_ISA_GPR) { tn_arm64_number_to(x, r, u->k, tn_arm64_wide(u)); return r; }
  const int64_t bits = tn_arm64_bits(u);
  if (!bits || tn_arm64_float_bits(bits, element) >= 0) { tn_arm64_splat_to(x, r, bits, element); return r; }
  tn_arm64_2(x, TN_ARM64_LDR, tn_arm64_vec(r, element, 0, TN_ISA_DEF),
             tn_isa_at(TN_ISA_POOL, element, tn_isa_constant(x->c, &bits, (size_t)element)));
  return r;
}

// ** values **

// Lanes [from, from + n) of a vector that stands in registers from r on, as the first of one.
static int tn_arm64_some_lanes(tn_arm64_select *x, const tiny_uop *u, int r, int from, int n) {
  const int each = tn_arm64_each(x, u), nbytes = n * tn_arm64_element(x, u), at = from % each * tn_arm64_element(x, u);
  r += from / each;
  if (!at) return r;
  const int part = tn_arm64_new(x, TN_ISA_VEC);
  tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(part, nbytes, 0, TN_ISA_DEF),
      tn_arm64_lane(r, nbytes, at / nbytes, TN_ISA_USE));
  return part;
}
// Lanes [at, at + n) of a register become those of r, its first.
static void tn_arm64_put_lanes(tn_arm64_select *x, int element, int into, int r, int at, int n) {
  const int nbytes = n * element;
  if (!at) { tn_arm64_copy(x, TN_ISA_VEC, into, r); return; }
  tn_arm64_2(x, TN_ARM64_INS, tn_arm64_lane(into, nbytes, at * element / nbytes, TN_ISA_BOTH),
             tn_arm64_lane(r, nbytes, 0, TN_ISA_USE));
}
// The register of a node's value, or of the lanes of it that are asked for now.
static int tn_arm64_value(tn_arm64_select *x, const tiny_uop *u) {
  if (u->op == TINY_OP_CONST) return tn_arm64_constant(x, u);
  if (tn_arm64_is_splat(u)) {              // of which any part is as good
    if (u->dtype == TINY_BOOL) return tn_arm64_splat(x, -(int64_t)(u->src[0]->k != 0), 8);
    if (x->reg[u->seq] >= 0) return x->reg[u->seq];
    return tn_arm64_splat(x, tn_arm64_bits(u->src[0]), tn_arm64_element(x, u));
  }
  const int r = x->reg[u->seq];
  if (r < 0) { tn_isa_refuse(x->c, "a value that is nowhere"); return tn_arm64_new(x, tn_arm64_class(u)); }
  return x->lanes && u->lanes > 1 ? tn_arm64_some_lanes(x, u, r, x->from, x->lanes) : r;
}
static tn_isa_operand tn_arm64_named(const tn_arm64_select *x, const tiny_uop *u, int reg, int role) {
  const int element = tn_arm64_element(x, u);
  if (tn_arm64_class(u) == TN_ISA_GPR) return tn_arm64_gpr(reg, tn_arm64_wide(u), role);
  return u->lanes > 1 ? tn_arm64_arranged(reg, tn_arm64_nbytes(x, u), element, role) :
      tn_arm64_vec(reg, element, 0, role);
}
static tn_isa_operand tn_arm64_use(tn_arm64_select *x, const tiny_uop *u) {
  return tn_arm64_named(x, u, tn_arm64_value(x, u), TN_ISA_USE);
}
static tn_isa_operand tn_arm64_def(const tn_arm64_select *x, const tiny_uop *u, int to) {
  return tn_arm64_named(x, u, to, TN_ISA_DEF);
}

// The register and lane that a scalar is, without being moved; 0: it is none.
static int tn_arm64_is_lane(const tn_arm64_select *x, const tiny_uop *s, int *reg, int *lane) {
  if (x->in_lane[s->seq]) { *reg = x->reg[s->seq]; *lane = 0; return 1; }
  if (s->lanes > 1 || s->op != TINY_OP_PICK || s->dtype == TINY_BOOL || tn_arm64_is_splat(s->src[0])) return 0;
  const int each = tn_arm64_each(x, s->src[0]);
  if (x->reg[s->src[0]->seq] < 0) return 0;
  *reg = x->reg[s->src[0]->seq] + (int)s->k / each;
  *lane = (int)s->k % each;
  return 1;
}
// Integers of n lanes in elements of another size, extended by a sign or zeros, or cut.
static int tn_arm64_resized(tn_arm64_select *x, int r, int from, int to, int sign) {
  while (from != to) {
    const int next = tn_arm64_new(x, TN_ISA_VEC);
    if (from < to) {
      tn_arm64_3(x, sign ? TN_ARM64_SSHLL : TN_ARM64_USHLL, tn_arm64_vec(next, 16, 2 * from, TN_ISA_DEF),
                 tn_arm64_vec(r, 8, from, TN_ISA_USE), tn_isa_number(0));
      from *= 2;
    } else {
      from /= 2;
      tn_arm64_2(x, TN_ARM64_XTN, tn_arm64_vec(next, 8, from, TN_ISA_DEF), tn_arm64_vec(r, 16, 2 * from, TN_ISA_USE));
    }
    r = next;
  }
  return r;
}
// A vector of bools whose lanes have so many bytes.
static int tn_arm64_mask(tn_arm64_select *x, const tiny_uop *u, int element) {
  const int r = tn_arm64_value(x, u);
  return tn_arm64_is_splat(u) ? r : tn_arm64_resized(x, r, x->mask[u->seq], element, 1);
}
// All lanes are that bool of a general register.
static void tn_arm64_lanes_of_bool(tn_arm64_select *x, int to, int r) {
  const int all = tn_arm64_new(x, TN_ISA_GPR);
  tn_arm64_2(x, TN_ARM64_NEG, tn_arm64_gpr(all, 8, TN_ISA_DEF), tn_arm64_gpr(r, 8, TN_ISA_USE));
  tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(to, 16, 8, TN_ISA_DEF), tn_arm64_gpr(all, 8, TN_ISA_USE));
}
#endif
