// x86_values: the registers of a kernel's values, what an instruction names of them, and constants.
//
// In:  a node of the list. Out: its register, or that of the part of it that is written now; an operand.
// Holds: a scalar integer or bool is a general register, narrow ones extended to 32 bits as their type says, those of
//        32 with zeros above; a scalar float is the low element of a vector register; a vector of bools is a mask
//        register, whose bits above its lanes are anything. A vector wider than a register is several, whose numbers
//        follow each other. A constant is taken where it is used and lives no longer.
#ifndef TN_ISA_X86_VALUES
#define TN_ISA_X86_VALUES
#ifndef TINY_AMALGAMATED
#include "induction.c"
#include "x86_encode.c"
#endif

enum { TN_X86_RAX = 0, TN_X86_RCX, TN_X86_RDX, TN_X86_RBX, TN_X86_RSP, TN_X86_RBP, TN_X86_RSI, TN_X86_RDI, TN_X86_R8,
  TN_X86_R9, TN_X86_R10, TN_X86_R11 };

enum { TN_X86_SHELF = 512 };               // bytes
typedef struct tn_x86_select {
  tn_isa_code *c; const tiny_listing *k;
  int *reg, *uses, *last;                  // of nodes: register, uses, the place of the last use
  const tiny_uop **user;                   // one of them
  uint8_t *fused, *indexes;                // it is written where it is used; an address takes it, extended:
  int *wide;                               // the register of that, -1: none
  tn_isa_inductions inductions;
  uint8_t *shuffles;                       // it is a STACK of lanes of whole vectors, which it reads
  int **element;                           // of REG memory: its registers
  int *label;                              // of RANGE and IF; of a DEFINE, 1 + its place in the frame, 0: not there
  int mem, args, task, local;              // the entry's arguments
  int from, lanes;                         // of nodes wider than a register: the part that is written; lanes 0: none is
  int64_t local_at, shelf;                 // shelf: of the frame, where lanes are put together or taken apart
} tn_x86_select;

// ** operands and instructions **

static int tn_x86_element(const tiny_uop *u) { return u->dtype == TINY_BOOL ? 1 : tn_dtypes[u->dtype].nbytes; }
// Lanes of the part of u that is written now: all of them, unless u is wider than a register.
static int tn_x86_lanes(const tn_x86_select *x, const tiny_uop *u) {
  return x->lanes && u->lanes > 1 ? x->lanes : u->lanes;
}
static int tn_x86_nbytes(const tn_x86_select *x, const tiny_uop *u) { return tn_x86_lanes(x, u) * tn_x86_element(u); }
static int tn_x86_class(const tiny_uop *u) {
  if (u->lanes > 1) return u->dtype == TINY_BOOL ? TN_ISA_MASK : TN_ISA_VEC;
  return tn_is_float(u->dtype) ? TN_ISA_VEC : TN_ISA_GPR;
}
// Bytes of the register that holds it, as instructions name it.
static int tn_x86_held(const tn_x86_select *x, const tiny_uop *u) {
  const int nbytes = tn_x86_nbytes(x, u), cls = tn_x86_class(u);
  if (cls == TN_ISA_GPR) return nbytes == 8 ? 8 : 4;
  return cls == TN_ISA_VEC ? tn_x86_vector(nbytes) : 0;
}

static tn_isa_operand tn_x86_gpr(int reg, int nbytes, int role) { return tn_isa_reg(TN_ISA_GPR, reg, nbytes, role); }
static tn_isa_operand tn_x86_vec(int reg, int nbytes, int role) { return tn_isa_reg(TN_ISA_VEC, reg, nbytes, role); }
static tn_isa_operand tn_x86_kreg(int reg, int role) { return tn_isa_reg(TN_ISA_MASK, reg, 0, role); }
static tn_isa_operand tn_x86_frame(int64_t at, int nbytes) { return tn_isa_at(TN_ISA_FRAME, nbytes, at); }
static int tn_x86_new(tn_x86_select *x, int cls) { return tn_isa_vreg_new(x->c, cls); }
// A value wider than a register is several, whose numbers follow each other.
static int tn_x86_parts_of(const tiny_uop *u) {
  const int nbytes = u->lanes * tn_x86_element(u);
  return tn_x86_class(u) == TN_ISA_VEC && nbytes > 64 ? (nbytes + 63) / 64 : 1;
}
static int tn_x86_new_for(tn_x86_select *x, const tiny_uop *u) {
  const int first = tn_x86_new(x, tn_x86_class(u));
  for (int i = 1; i < tn_x86_parts_of(u); i++) tn_x86_new(x, tn_x86_class(u));
  return first;
}

static tn_isa_ins *tn_x86_1(tn_x86_select *x, int op, tn_isa_operand a) {
  tn_isa_ins *i = tn_isa_add(x->c, op);
  i->n = 1; i->o[0] = a;
  return i;
}
static tn_isa_ins *tn_x86_2(tn_x86_select *x, int op, tn_isa_operand a, tn_isa_operand b) {
  tn_isa_ins *i = tn_x86_1(x, op, a);
  i->n = 2; i->o[1] = b;
  return i;
}
static tn_isa_ins *tn_x86_3(tn_x86_select *x, int op, tn_isa_operand a, tn_isa_operand b, tn_isa_operand d) {
  tn_isa_ins *i = tn_x86_2(x, op, a, b);
  i->n = 3; i->o[2] = d;
  return i;
}
static tn_isa_ins *tn_x86_4(tn_x86_select *x, int op, tn_isa_operand a, tn_isa_operand b, tn_isa_operand d,
    int64_t imm) {
  tn_isa_ins *i = tn_x86_3(x, op, a, b, d);
  i->n = 4; i->o[3] = tn_isa_number(imm);
  return i;
}
static void tn_x86_place(tn_x86_select *x, int label) { tn_x86_1(x, TN_ISA_PLACE, tn_isa_at(TN_ISA_LABEL, 0, label)); }
static void tn_x86_jump(tn_x86_select *x, int op, int label) { tn_x86_1(x, op, tn_isa_at(TN_ISA_LABEL, 0, label)); }

// A copy of a whole register.
static void tn_x86_copy(tn_x86_select *x, int cls, int to, int from, int nbytes) {
  if (to == from) return;
  if (cls == TN_ISA_GPR) tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_gpr(from, 8, TN_ISA_USE));
  else if (cls == TN_ISA_MASK) tn_x86_2(x, TN_X86_KMOVQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(from, TN_ISA_USE));
  else tn_x86_2(x, TN_X86_VMOVAPS, tn_x86_vec(to, nbytes, TN_ISA_DEF), tn_x86_vec(from, nbytes, TN_ISA_USE));
}
static int tn_x86_moves(const tn_isa_ins *i) {
  if (i->mask != TN_ISA_NO_REG || i->n != 2 || i->o[0].kind != TN_ISA_REG || i->o[1].kind != TN_ISA_REG) return 0;
  if (i->o[0].cls != i->o[1].cls) return 0;
  return (i->op == TN_X86_MOV && i->o[0].nbytes == 8) || i->op == TN_X86_KMOVQ || i->op == TN_X86_VMOVAPS;
}
static void tn_x86_zero(tn_x86_select *x, int vec, int nbytes) {
  // of a register that nothing has written: it is its own source, and what it held does not matter
  const int held = nbytes < 64 ? 16 : 64;
  tn_x86_3(x, TN_X86_VPXORD, tn_x86_vec(vec, held, TN_ISA_DEF), tn_x86_vec(vec, held, 0), tn_x86_vec(vec, held, 0));
}

// ** constants **

static int64_t tn_x86_bits(const tiny_uop *u) {              // of an element, as it lies in memory
  if (!tn_is_float(u->dtype)) return u->k;
  const double v = tn_to_f64(u->k);
  if (u->dtype == TINY_F64) return u->k;
  const float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}
static int64_t tn_x86_pooled(tn_x86_select *x, const tiny_uop *constant) {
  const int64_t bits = tn_x86_bits(constant);
  const int nbytes = tn_x86_element(constant) < 4 ? 4 : tn_x86_element(constant);
  return tn_isa_constant(x->c, &bits, (size_t)nbytes);
}
// The same bits in all lanes of a new register.
static int tn_x86_splat(tn_x86_select *x, int64_t bits, int element, int nbytes) {
  const int v = tn_x86_new(x, TN_ISA_VEC);
  uint64_t all = (uint64_t)bits;
  if (element == 1) all = (all & 0xFF) * 0x01010101u;
  if (element == 2) all = (all & 0xFFFF) * 0x00010001u;
  if (!(element == 8 ? all : all & 0xFFFFFFFF)) { tn_x86_zero(x, v, nbytes); return v; }
  const int wide = element == 8 ? 8 : 4;
  const int64_t at = tn_isa_constant(x->c, &all, (size_t)wide);
  tn_x86_2(x, wide == 8 ? TN_X86_VPBROADCASTQ : TN_X86_VPBROADCASTD, tn_x86_vec(v, nbytes, TN_ISA_DEF),
           tn_isa_at(TN_ISA_POOL, wide, at));
  return v;
}
static int tn_x86_is_splat(const tiny_uop *u) { return u->op == TINY_OP_BROADCAST && u->src[0]->op == TINY_OP_CONST; }

static int tn_x86_constant(tn_x86_select *x, const tiny_uop *u) {
  const int cls = tn_x86_class(u);
  if (cls == TN_ISA_GPR) {
    const int r = tn_x86_new(x, TN_ISA_GPR);
    const int wide = tn_x86_nbytes(x, u) == 8;
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(r, wide ? 8 : 4, TN_ISA_DEF),
             tn_isa_number(wide ? u->k : (int32_t)(uint64_t)u->k));
    return r;
  }
  const int v = tn_x86_new(x, TN_ISA_VEC), element = tn_x86_element(u);
  if (!tn_x86_bits(u)) { tn_x86_zero(x, v, 16); return v; }
  tn_x86_2(x, element == 8 ? TN_X86_VMOVSD : TN_X86_VMOVSS, tn_x86_vec(v, 16, TN_ISA_DEF),
           tn_isa_at(TN_ISA_POOL, element, tn_x86_pooled(x, u)));
  return v;
}
static int tn_x86_all_lanes(tn_x86_select *x, int on) {      // a mask
  const int k = tn_x86_new(x, TN_ISA_MASK);
  const tn_isa_operand self = tn_x86_kreg(k, 0);
  tn_x86_3(x, on ? TN_X86_KXNORQ : TN_X86_KXORQ, tn_x86_kreg(k, TN_ISA_DEF), self, self);
  return k;
}

// Lanes [from, from + n) of a vector that stands in registers from r on.
static int tn_x86_some_lanes(tn_x86_select *x, const tiny_uop *u, int r, int from, int n) {
  const int element = tn_x86_element(u);
  const int each = tn_x86_class(u) == TN_ISA_MASK || 64 / element > u->lanes ? u->lanes : 64 / element;
  const int at = from % each * element, nbytes = n * element;
  r += from / each;
  if (n == each) return r;
  if (tn_x86_class(u) == TN_ISA_MASK) {
    if (!from) return r;
    const int k = tn_x86_new(x, TN_ISA_MASK);
    tn_x86_3(x, TN_X86_KSHIFTRQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(from));
    return k;
  }
  if (!at) return r;
  const int part = tn_x86_new(x, TN_ISA_VEC), held = tn_x86_vector(each * element);
  const tn_isa_operand d = tn_x86_vec(part, tn_x86_vector(nbytes), TN_ISA_DEF), whole = tn_x86_vec(r, held, TN_ISA_USE);
  if (nbytes == 32) tn_x86_3(x, TN_X86_VEXTRACTF64X4, d, whole, tn_isa_number(at / 32));
  else if (nbytes == 16 && held > 16) tn_x86_3(x, TN_X86_VEXTRACTF32X4, d, whole, tn_isa_number(at / 16));
  else if (nbytes == 8 || nbytes == 4)
    tn_x86_4(x, TN_X86_VALIGND, tn_x86_vec(part, held, TN_ISA_DEF), whole, whole, at / 4);
  else tn_isa_refuse(x->c, "a part of a vector");
  return part;
}
// The register of a node's value, or of the part of it that is asked for now.
static int tn_x86_value(tn_x86_select *x, const tiny_uop *u) {
  if (u->op == TINY_OP_CONST) return tn_x86_constant(x, u);
  if (tn_x86_is_splat(u)) {
    if (u->dtype == TINY_BOOL) return tn_x86_all_lanes(x, u->src[0]->k != 0);
    if (x->reg[u->seq] >= 0) return x->reg[u->seq];          // of which any part is as good
    return tn_x86_splat(x, tn_x86_bits(u->src[0]), tn_x86_element(u), tn_x86_held(x, u));
  }
  const int r = x->reg[u->seq];
  if (r < 0) tn_isa_refuse(x->c, "a value that is nowhere");
  if (r < 0) return tn_x86_new(x, tn_x86_class(u));
  return x->lanes && u->lanes > 1 ? tn_x86_some_lanes(x, u, r, x->from, x->lanes) : r;
}
static tn_isa_operand tn_x86_use(tn_x86_select *x, const tiny_uop *u) {
  return tn_isa_reg(tn_x86_class(u), tn_x86_value(x, u), tn_x86_held(x, u), TN_ISA_USE);
}
// The last source of an instruction: a constant in memory where it may be, which *broadcast then says of vectors.
static tn_isa_operand tn_x86_source(tn_x86_select *x, const tiny_uop *u, int *broadcast) {
  const int element = tn_x86_element(u);
  *broadcast = 0;
  if (tn_is_float(u->dtype) && u->op == TINY_OP_CONST && tn_x86_bits(u))
    return tn_isa_at(TN_ISA_POOL, element, tn_x86_pooled(x, u));
  if (tn_x86_is_splat(u) && element >= 4 && tn_x86_bits(u->src[0])) {
    *broadcast = 1;
    return tn_isa_at(TN_ISA_POOL, element, tn_x86_pooled(x, u->src[0]));
  }
  return tn_x86_use(x, u);
}
#endif
