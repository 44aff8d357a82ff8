// x86_select: the linear list of a kernel -> instructions of x86-64 with AVX-512 (F, BW, DQ, VL), before registers.
//
// In:  a verified list whose ops the CPU's renderer has. Out: code, or what of it is not known here, in code->refused.
// Holds: a scalar integer or bool is a general register, narrow ones extended to 32 bits as their type says, those of
//        32 with zeros above; a scalar float is the low element of a vector register; a vector of bools is a mask
//        register, whose bits above its lanes are anything. A constant is taken where it is used and lives no longer.
//        REG memory is registers. A product that one sum alone uses is fused with it, as -ffp-contract=fast has it.
// Not here: vectors wider than a register, DOT, WMMA, STACKs of bools, divisions of vectors.
#ifndef TN_ISA_X86_SELECT
#define TN_ISA_X86_SELECT
#ifndef TINY_AMALGAMATED
#include "code.c"
#include "x86_encode.c"
#include "../ir/listing.c"
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
  int **element;                           // of REG memory: its registers
  int *label;                              // of RANGE and IF
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
  tn_x86_3(x, TN_X86_VPXORD, tn_x86_vec(vec, nbytes < 64 ? 16 : 64, TN_ISA_DEF), tn_x86_vec(vec, nbytes < 64 ? 16 : 64,
      0),
           tn_x86_vec(vec, nbytes < 64 ? 16 : 64, 0));
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
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(r, wide ? 8 : 4, TN_ISA_DEF), tn_isa_number(wide ? u->k :
        (int32_t)(uint64_t)u->k));
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
  const int element = tn_x86_element(u), each = tn_x86_class(u) == TN_ISA_MASK || 64 / element > u->lanes ? u->lanes :
      64 / element;
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
  else if (nbytes == 8 || nbytes == 4) {
    tn_x86_2(x, TN_X86_VMOVUPS, tn_isa_at(TN_ISA_FRAME, held, x->shelf), whole);
    tn_x86_2(x, nbytes == 8 ? TN_X86_VMOVSD : TN_X86_VMOVSS, d, tn_isa_at(TN_ISA_FRAME, nbytes, x->shelf + at));
  } else tn_isa_refuse(x->c, "a part of a vector");
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

// ** memory **

// The registers of REG memory; what asks may stand before its DEFINE in the list. 0: they are too many.
static int tn_x86_reg_memory(tn_x86_select *x, const tiny_uop *m) {
  if (m->v[1] > 4096) { tn_isa_refuse(x->c, "REG memory that is no registers"); return 0; }
  x->element[m->seq] = (int *)tn_scratch(x->c->t, (size_t)m->v[1] * sizeof(int));
  for (int64_t i = 0; i < m->v[1]; i++) x->element[m->seq][i] = -1;
  return 1;
}
// Elements of REG memory are registers; NULL: not of one that is known.
static int *tn_x86_reg_element(tn_x86_select *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]), *at = index->src[1];
  if (at->op != TINY_OP_CONST || at->k < 0 || at->k >= m->v[1]) { tn_isa_refuse(x->c,
      "REG memory by a number of the run"); return NULL; }
  if (!x->element[m->seq] && !tn_x86_reg_memory(x, m)) return NULL;
  int *e = &x->element[m->seq][at->k];
  if (*e < 0) *e = tn_x86_new_for(x, m);
  return e;
}

// The sum with a constant that an address takes as its displacement, as neither it nor the index leaves its type; NULL.
static const tiny_uop *tn_x86_folded(const tiny_uop *index) {
  const tiny_uop *at = index->src[1];
  if (index->lanes > 1 || tn_is_reg(index->src[0])) return NULL;
  if (at->op != TINY_OP_ADD || at->src[1]->op != TINY_OP_CONST || at->dtype != TINY_I32) return NULL;
  const int64_t k = at->src[1]->k, nbytes = k * tn_dtypes[index->dtype].nbytes;
  const int64_t least = INT32_MIN - (k < 0 ? k : 0), most = INT32_MAX - (k > 0 ? k : 0);
  const int stays = at->src[0]->vmin >= least && at->src[0]->vmax <= most;
  return stays && nbytes <= INT32_MAX / 2 && nbytes >= INT32_MIN / 2 ? at : NULL;
}
// An index as a whole general register: one that may be negative is extended, where it is made if an address takes it.
static int tn_x86_may_be_negative(const tiny_uop *at) {
  return tn_bits(at->dtype) < 64 && !tn_is_unsigned(at->dtype) && at->vmin < 0;
}
static int tn_x86_extended(tn_x86_select *x, int r) {
  const int wide = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_MOVSXD, tn_x86_gpr(wide, 8, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  return wide;
}
static int tn_x86_index(tn_x86_select *x, const tiny_uop *at) {
  if (x->wide[at->seq] >= 0) return x->wide[at->seq];
  const int r = tn_x86_value(x, at);
  return tn_x86_may_be_negative(at) ? tn_x86_extended(x, r) : r;
}
static tn_isa_operand tn_x86_memory(tn_x86_select *x, const tiny_uop *index, int nbytes) {
  const tiny_uop *folded = tn_x86_folded(index), *at = folded ? folded->src[0] : index->src[1];
  const int element = tn_dtypes[index->dtype].nbytes;
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, folded ? folded->src[1]->k * element : 0);
  o.reg = tn_x86_value(x, tn_memory_behind(index->src[0]));
  o.scale = (uint8_t)element;
  if (x->lanes && nbytes > element) o.imm += (int64_t)x->from * element;    // of a vector, not of what is broadcast
  if (at->op != TINY_OP_CONST) { o.index = tn_x86_index(x, at); return o; }
  const int64_t far_off = o.imm + at->k * element;
  if (far_off <= INT32_MAX && far_off >= INT32_MIN) { o.imm = far_off; return o; }
  o.index = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(o.index, 8, TN_ISA_DEF), tn_isa_number(at->k));
  return o;
}

// A load or store of a scalar, or of a whole vector, at memory o.
static void tn_x86_move_in(tn_x86_select *x, const tiny_uop *u, int to, tn_isa_operand o) {
  const int cls = tn_x86_class(u), nbytes = tn_x86_nbytes(x, u);
  o.nbytes = (uint8_t)nbytes;
  if (cls == TN_ISA_GPR) {
    const int is_signed = tn_is_signed(u->dtype), op = nbytes >= 4 ? TN_X86_MOV : is_signed ? TN_X86_MOVSX :
        TN_X86_MOVZX;
    tn_x86_2(x, op, tn_x86_gpr(to, nbytes == 8 ? 8 : 4, TN_ISA_DEF), o);
    return;
  }
  const int op = nbytes == 4 ? TN_X86_VMOVSS : nbytes == 8 ? TN_X86_VMOVSD : TN_X86_VMOVUPS;
  if (nbytes < 4) tn_isa_refuse(x->c, "a vector of less than four bytes");
  tn_x86_2(x, op, tn_x86_vec(to, tn_x86_vector(nbytes), TN_ISA_DEF), o);
}
static void tn_x86_move_out(tn_x86_select *x, const tiny_uop *u, int from, tn_isa_operand o) {
  const int cls = tn_x86_class(u), nbytes = tn_x86_nbytes(x, u);
  o.nbytes = (uint8_t)nbytes;
  if (cls == TN_ISA_GPR) { tn_x86_2(x, TN_X86_MOV, o, tn_x86_gpr(from, nbytes, TN_ISA_USE)); return; }
  const int op = nbytes == 4 ? TN_X86_VMOVSS : nbytes == 8 ? TN_X86_VMOVSD : TN_X86_VMOVUPS;
  if (nbytes < 4 || cls == TN_ISA_MASK) tn_isa_refuse(x->c, "a store of bools, or of less than four bytes");
  tn_x86_2(x, op, o, tn_x86_vec(from, tn_x86_vector(nbytes), TN_ISA_USE));
}

static const int tn_x86_masked_moves[4] = {TN_X86_VMOVDQU8, TN_X86_VMOVDQU16, TN_X86_VMOVDQU32, TN_X86_VMOVDQU64};
static int tn_x86_log(int nbytes) { return nbytes == 8 ? 3 : nbytes == 4 ? 2 : nbytes == 2 ? 1 : 0; }

// The operand of elements that lie apart, and the row of a gather or scatter. 0: there is none.
static int tn_x86_apart(tn_x86_select *x, const tiny_uop *index, const tiny_uop *value, tn_isa_operand *o,
    const int op[4]) {
  const tiny_uop *at = index->src[1];
  const int element = tn_x86_element(value), wide = tn_bits(at->dtype) == 64;
  const int nbytes = tn_x86_nbytes(x, value);
  *o = tn_isa_at(TN_ISA_MEM, 0, 0);
  o->reg = tn_x86_value(x, tn_memory_behind(index->src[0]));
  o->index = tn_x86_value(x, at);
  o->cls = TN_ISA_VEC; o->scale = (uint8_t)element;
  o->wide = (uint8_t)(wide == (element == 8) ? nbytes : wide ? 2 * nbytes : nbytes / 2 < 16 ? 16 : nbytes / 2);
  if (nbytes < 16 || (element != 4 && element != 8) || tn_bits(at->dtype) < 32 || (tn_is_unsigned(at->dtype) &&
      !wide && at->vmax > INT32_MAX) ||
      tn_x86_lanes(x, value) * (wide ? 8 : 4) > 64) {
    tn_isa_refuse(x->c, "elements apart of this size");
    return 0;
  }
  return op[2 * wide + (element == 8)];
}

static void tn_x86_load_vector(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int gathers[4] = {TN_X86_VPGATHERDD, TN_X86_VPGATHERDQ, TN_X86_VPGATHERQD, TN_X86_VPGATHERQQ};
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  const int held = tn_x86_held(x, u);
  if (index->lanes == 1 && !valid) { tn_x86_move_in(x, u, to, tn_x86_memory(x, index, tn_x86_nbytes(x, u))); return; }
  if (u->nsrc == 2) tn_x86_copy(x, TN_ISA_VEC, to, tn_x86_value(x, u->src[1]), held);
  else tn_x86_zero(x, to, held);
  if (tn_x86_nbytes(x, u) < 16) { tn_isa_refuse(x->c, "a masked vector of less than 16 bytes"); return; }
  if (index->lanes == 1) {
    const int mask = tn_x86_value(x, valid);
    const tn_isa_operand at = tn_x86_memory(x, index, held);
    tn_x86_2(x, tn_x86_masked_moves[tn_x86_log(tn_x86_element(u))], tn_x86_vec(to, held, TN_ISA_BOTH), at)->mask = mask;
    return;
  }
  tn_isa_operand o;
  const int op = tn_x86_apart(x, index, u, &o, gathers), mask = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_copy(x, TN_ISA_MASK, mask, valid ? tn_x86_value(x, valid) : tn_x86_all_lanes(x, 1), 0);
  if (op) tn_x86_2(x, op, tn_x86_vec(to, held, TN_ISA_BOTH), o)->mask = mask;
}

// What one condition decides is written between these two.
static int tn_x86_if(tn_x86_select *x, const tiny_uop *condition) {
  const int label = x->c->labels++, r = tn_x86_value(x, condition);
  tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(r, 4, TN_ISA_USE), tn_x86_gpr(r, 4, TN_ISA_USE));
  tn_x86_jump(x, TN_X86_JE, label);
  return label;
}
static void tn_x86_load(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes == 1 ? index->src[2] : NULL;
  const int cls = tn_x86_class(u);
  int label = -1;
  if (u->k || cls == TN_ISA_MASK) tn_isa_refuse(x->c, "rows of matrices, or bools in memory");
  if (valid) {
    if (u->nsrc == 2) tn_x86_copy(x, cls, to, tn_x86_value(x, u->src[1]), tn_x86_held(x, u));
    else if (cls == TN_ISA_VEC) tn_x86_zero(x, to, tn_x86_held(x, u));
    else tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_isa_number(0));
    label = tn_x86_if(x, valid);
    if (u->lanes > 1 && index->lanes > 1) tn_isa_refuse(x->c, "elements apart under one condition");
  }
  if (u->lanes > 1) tn_x86_load_vector(x, u, to);
  else tn_x86_move_in(x, u, to, tn_x86_memory(x, index, tn_x86_nbytes(x, u)));
  if (valid) tn_x86_place(x, label);
}

static void tn_x86_store(tn_x86_select *x, const tiny_uop *u) {
  static const int scatters[4] = {TN_X86_VPSCATTERDD, TN_X86_VPSCATTERDQ, TN_X86_VPSCATTERQD, TN_X86_VPSCATTERQQ};
  const tiny_uop *index = u->src[0], *value = u->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const int masked = valid && valid->lanes > 1, label = valid && !masked ? tn_x86_if(x, valid) : -1;
  if (u->k == TN_ADDS) tn_isa_refuse(x->c, "atomic additions");
  if (value->lanes == 1 || (index->lanes == 1 && !masked)) {
    const int from = tn_x86_value(x, value);
    tn_x86_move_out(x, value, from, tn_x86_memory(x, index, tn_x86_nbytes(x, value)));
  } else {
    const int held = tn_x86_held(x, value), from = tn_x86_value(x, value);
    const int mask = masked ? tn_x86_value(x, valid) : tn_x86_all_lanes(x, 1);
    if (tn_x86_nbytes(x, value) < 16) tn_isa_refuse(x->c, "a masked vector of less than 16 bytes");
    if (index->lanes == 1) {
      const tn_isa_operand o = tn_x86_memory(x, index, held);
      tn_x86_2(x, tn_x86_masked_moves[tn_x86_log(tn_x86_element(value))], o, tn_x86_vec(from, held,
          TN_ISA_USE))->mask = mask;
    } else {
      tn_isa_operand o;
      const int op = tn_x86_apart(x, index, value, &o, scatters), spent = tn_x86_new(x, TN_ISA_MASK);
      tn_x86_copy(x, TN_ISA_MASK, spent, mask, 0);
      if (op) tn_x86_2(x, op, o, tn_x86_vec(from, held, TN_ISA_USE))->mask = spent;
    }
  }
  if (label >= 0) tn_x86_place(x, label);
}

// ** arithmetic: rows by op, of f32 and f64, scalar and vector, and of integers in vectors by their size **

// uints 0: as ints; 0: none
typedef struct tn_x86_op { int op, scalar[2], packed[2], ints[4], uints[4]; } tn_x86_op;
static const tn_x86_op tn_x86_ops[] = {
  {TINY_OP_ADD, {TN_X86_VADDSS, TN_X86_VADDSD}, {TN_X86_VADDPS, TN_X86_VADDPD},
   {TN_X86_VPADDB, TN_X86_VPADDW, TN_X86_VPADDD, TN_X86_VPADDQ}, {0, 0, 0, 0}},
  {TINY_OP_SUB, {TN_X86_VSUBSS, TN_X86_VSUBSD}, {TN_X86_VSUBPS, TN_X86_VSUBPD},
   {TN_X86_VPSUBB, TN_X86_VPSUBW, TN_X86_VPSUBD, TN_X86_VPSUBQ}, {0, 0, 0, 0}},
  {TINY_OP_MUL, {TN_X86_VMULSS, TN_X86_VMULSD}, {TN_X86_VMULPS, TN_X86_VMULPD},
   {0, TN_X86_VPMULLW, TN_X86_VPMULLD, TN_X86_VPMULLQ}, {0, 0, 0, 0}},
  {TINY_OP_FDIV, {TN_X86_VDIVSS, TN_X86_VDIVSD}, {TN_X86_VDIVPS, TN_X86_VDIVPD}, {0, 0, 0, 0}, {0, 0, 0, 0}},
  {TINY_OP_AND, {0, 0}, {0, 0}, {TN_X86_VPANDD, TN_X86_VPANDD, TN_X86_VPANDD, TN_X86_VPANDQ}, {0, 0, 0, 0}},
  {TINY_OP_OR,  {0, 0}, {0, 0}, {TN_X86_VPORD,  TN_X86_VPORD,  TN_X86_VPORD,  TN_X86_VPORQ},  {0, 0, 0, 0}},
  {TINY_OP_XOR, {0, 0}, {0, 0}, {TN_X86_VPXORD, TN_X86_VPXORD, TN_X86_VPXORD, TN_X86_VPXORQ}, {0, 0, 0, 0}},
  {TINY_OP_SHL, {0, 0}, {0, 0}, {0, TN_X86_VPSLLVW, TN_X86_VPSLLVD, TN_X86_VPSLLVQ}, {0, 0, 0, 0}},
  {TINY_OP_SHR, {0, 0}, {0, 0}, {0, TN_X86_VPSRAVW, TN_X86_VPSRAVD, TN_X86_VPSRAVQ},
   {0, TN_X86_VPSRLVW, TN_X86_VPSRLVD, TN_X86_VPSRLVQ}}
};
enum { TN_X86_OPS = sizeof tn_x86_ops / sizeof *tn_x86_ops };

static int tn_x86_row_of(const tiny_uop *u) {
  const int size = tn_x86_log(tn_x86_element(u));
  for (int i = 0; i < TN_X86_OPS; i++) if (tn_x86_ops[i].op == u->op) {
    const tn_x86_op *o = &tn_x86_ops[i];
    if (tn_is_float(u->dtype)) return u->lanes > 1 ? o->packed[size == 3] : o->scalar[size == 3];
    return tn_is_unsigned(u->dtype) && o->uints[size] ? o->uints[size] : o->ints[size];
  }
  return 0;
}
static void tn_x86_by_lanes(tn_x86_select *x, const tiny_uop *u, int to);
// Of two sources of vectors or floats.
static void tn_x86_binary(tn_x86_select *x, const tiny_uop *u, int to) {
  const int row = tn_x86_row_of(u), held = tn_x86_held(x, u);
  int broadcast;
  if (!row) { tn_x86_by_lanes(x, u, to); return; }
  const tn_isa_operand a = tn_x86_use(x, u->src[0]);
  const tn_isa_operand b = tn_x86_source(x, u->src[1], &broadcast);
  tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), a, b)->broadcast = (uint8_t)broadcast;
}

// product: a MUL that this sum alone uses; the other source is added to it, or it is taken from that.
static void tn_x86_fuse(tn_x86_select *x, const tiny_uop *u, const tiny_uop *product, int to) {
  static const int rows[3][4] = {{TN_X86_VFMADD231PS, TN_X86_VFMADD231PD, TN_X86_VFMADD231SS, TN_X86_VFMADD231SD},
    {TN_X86_VFNMADD231PS, TN_X86_VFNMADD231PD, TN_X86_VFNMADD231SS, TN_X86_VFNMADD231SD},
    {TN_X86_VFMSUB231PS, TN_X86_VFMSUB231PD, TN_X86_VFMSUB231SS, TN_X86_VFMSUB231SD}};
  const tiny_uop *other = u->src[0] == product ? u->src[1] : u->src[0];
  const int kind = u->op == TINY_OP_ADD ? 0 : product == u->src[1] ? 1 : 2, held = tn_x86_held(x, u);
  int broadcast;
  const int addend = tn_x86_value(x, other);
  const tn_isa_operand a = tn_x86_use(x, product->src[0]), b = tn_x86_source(x, product->src[1], &broadcast);
  tn_x86_copy(x, TN_ISA_VEC, to, addend, held);
  tn_x86_3(x, rows[kind][2 * (u->lanes == 1) + (tn_x86_element(u) == 8)], tn_x86_vec(to, held, TN_ISA_BOTH), a,
      b)->broadcast =
      (uint8_t)broadcast;
}

// An integer of a narrow type is extended again.
static void tn_x86_extend(tn_x86_select *x, const tiny_uop *u, int r) {
  const int nbytes = tn_x86_element(u);
  if (u->dtype == TINY_BOOL || nbytes >= 4) return;
  tn_x86_2(x, tn_is_signed(u->dtype) ? TN_X86_MOVSX : TN_X86_MOVZX, tn_x86_gpr(r, 4, TN_ISA_DEF),
           tn_x86_gpr(r, nbytes, TN_ISA_USE));
}
// The second source of a scalar: a number where it is one that fits.
static tn_isa_operand tn_x86_scalar_source(tn_x86_select *x, const tiny_uop *u, int nbytes) {
  if (u->op == TINY_OP_CONST) {
    const int64_t k = nbytes == 8 ? u->k : (int32_t)(uint64_t)u->k;
    if (k >= INT32_MIN && k <= INT32_MAX) return tn_isa_number(k);
  }
  return tn_x86_gpr(tn_x86_value(x, u), nbytes, TN_ISA_USE);
}
static void tn_x86_divide(tn_x86_select *x, const tiny_uop *u, int to, int a, int b) {
  const int nbytes = tn_x86_element(u) == 8 ? 8 : 4, sign = tn_is_signed(u->dtype);
  const int rax = -1 - TN_X86_RAX, rdx = -1 - TN_X86_RDX, by = -1 - TN_X86_R11;
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(by, 8, TN_ISA_DEF), tn_x86_gpr(b, 8, TN_ISA_USE));
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(rax, 8, TN_ISA_DEF), tn_x86_gpr(a, 8, TN_ISA_USE));
  if (sign) tn_isa_add(x->c, nbytes == 8 ? TN_X86_CQO : TN_X86_CDQ);
  else tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(rdx, 4, TN_ISA_DEF), tn_isa_number(0));
  tn_x86_1(x, sign ? TN_X86_IDIV : TN_X86_DIV, tn_x86_gpr(by, nbytes, TN_ISA_USE));
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, nbytes, TN_ISA_DEF), tn_x86_gpr(u->op == TINY_OP_CDIV ? rax : rdx, nbytes,
      TN_ISA_USE));
  tn_x86_extend(x, u, to);
}
static void tn_x86_shift(tn_x86_select *x, const tiny_uop *u, int to) {
  const int nbytes = tn_x86_held(x, u), left = u->op == TINY_OP_SHL, sign = tn_is_signed(u->dtype);
  const int a = tn_x86_value(x, u->src[0]);
  if (u->src[1]->op == TINY_OP_CONST) {
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    tn_x86_2(x, left ? TN_X86_SHL : sign ? TN_X86_SAR : TN_X86_SHR, tn_x86_gpr(to, nbytes, TN_ISA_BOTH),
             tn_isa_number(u->src[1]->k & (8 * nbytes - 1)));
  } else {
    const int by = tn_x86_value(x, u->src[1]);
    tn_x86_3(x, left ? TN_X86_SHLX : sign ? TN_X86_SARX : TN_X86_SHRX, tn_x86_gpr(to, nbytes, TN_ISA_DEF),
             tn_x86_gpr(a, nbytes, TN_ISA_USE), tn_x86_gpr(by, nbytes, TN_ISA_USE));
  }
  tn_x86_extend(x, u, to);
}
static void tn_x86_multiply(tn_x86_select *x, const tiny_uop *u, int to) {
  const int nbytes = tn_x86_held(x, u), a = tn_x86_value(x, u->src[0]);
  const tn_isa_operand b = tn_x86_scalar_source(x, u->src[1], nbytes);
  int shift = 0;
  while (b.kind == TN_ISA_NUMBER && shift < 31 && (int64_t)1 << shift < b.imm) shift++;
  if (b.kind == TN_ISA_NUMBER && (int64_t)1 << shift == b.imm) {
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    if (shift) tn_x86_2(x, TN_X86_SHL, tn_x86_gpr(to, nbytes, TN_ISA_BOTH), tn_isa_number(shift));
    else if (nbytes == 4) tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_gpr(to, 4, TN_ISA_USE));
  } else if (b.kind == TN_ISA_NUMBER)
    tn_x86_3(x, TN_X86_IMUL, tn_x86_gpr(to, nbytes, TN_ISA_DEF), tn_x86_gpr(a, nbytes, TN_ISA_USE), b);
  else {
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    tn_x86_2(x, TN_X86_IMUL, tn_x86_gpr(to, nbytes, TN_ISA_BOTH), b);
  }
  tn_x86_extend(x, u, to);
}
static void tn_x86_integer(tn_x86_select *x, const tiny_uop *u, int to) {
  static const struct { int op, row; } rows[] = {{TINY_OP_ADD, TN_X86_ADD}, {TINY_OP_SUB, TN_X86_SUB}, {TINY_OP_AND,
      TN_X86_AND},
                                                 {TINY_OP_OR, TN_X86_OR}, {TINY_OP_XOR, TN_X86_XOR}};
  const int nbytes = tn_x86_held(x, u);
  switch (u->op) {
    case TINY_OP_CDIV: case TINY_OP_CMOD: {
      const int a = tn_x86_value(x, u->src[0]), b = tn_x86_value(x, u->src[1]);
      tn_x86_divide(x, u, to, a, b);
      return;
    }
    case TINY_OP_SHL: case TINY_OP_SHR: tn_x86_shift(x, u, to); return;
    case TINY_OP_MUL: tn_x86_multiply(x, u, to); return;
    default: break;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) if (rows[i].op == u->op) {
    const int a = tn_x86_value(x, u->src[0]);
    const tn_isa_operand b = tn_x86_scalar_source(x, u->src[1], nbytes);
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    tn_x86_2(x, rows[i].row, tn_x86_gpr(to, nbytes, TN_ISA_BOTH), b);
    tn_x86_extend(x, u, to);
    return;
  }
  tn_isa_refuse(x->c, "an operation of integers");
}

// Element by element, what vectors have no instruction for: divisions, and products and shifts of bytes.
static void tn_x86_by_lanes(tn_x86_select *x, const tiny_uop *u, int to) {
  const int element = tn_x86_element(u), held = tn_x86_held(x, u), nbytes = element == 8 ? 8 : 4, sign =
      tn_is_signed(u->dtype);
  const int a = tn_x86_value(x, u->src[0]), b = tn_x86_value(x, u->src[1]), is_division = u->op == TINY_OP_CDIV ||
      u->op == TINY_OP_CMOD;
  const int row = u->op == TINY_OP_MUL ? TN_X86_IMUL : u->op == TINY_OP_SHL ? TN_X86_SHLX : sign ? TN_X86_SARX :
      TN_X86_SHRX;
  const int in = element >= 4 ? TN_X86_MOV : sign ? TN_X86_MOVSX : TN_X86_MOVZX;
  if (!is_division && element != 1) { tn_isa_refuse(x->c, "an operation of vectors"); return; }
  tn_x86_2(x, TN_X86_VMOVUPS, tn_isa_at(TN_ISA_FRAME, held, x->shelf), tn_x86_vec(a, held, TN_ISA_USE));
  tn_x86_2(x, TN_X86_VMOVUPS, tn_isa_at(TN_ISA_FRAME, held, x->shelf + 64), tn_x86_vec(b, held, TN_ISA_USE));
  for (int i = 0; i < tn_x86_lanes(x, u); i++) {
    const int64_t at = x->shelf + i * element;
    const int p = tn_x86_new(x, TN_ISA_GPR), q = tn_x86_new(x, TN_ISA_GPR), r = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_2(x, in, tn_x86_gpr(p, nbytes, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, element, at));
    tn_x86_2(x, in, tn_x86_gpr(q, nbytes, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, element, at + 64));
    if (is_division) tn_x86_divide(x, u, r, p, q);
    else if (u->op == TINY_OP_MUL) {
      tn_x86_copy(x, TN_ISA_GPR, r, p, 8);
      tn_x86_2(x, row, tn_x86_gpr(r, 4, TN_ISA_BOTH), tn_x86_gpr(q, 4, TN_ISA_USE));
    } else tn_x86_3(x, row, tn_x86_gpr(r, 4, TN_ISA_DEF), tn_x86_gpr(p, 4, TN_ISA_USE), tn_x86_gpr(q, 4, TN_ISA_USE));
    tn_x86_2(x, TN_X86_MOV, tn_isa_at(TN_ISA_FRAME, element, at), tn_x86_gpr(r, element, TN_ISA_USE));
  }
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_vec(to, held, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, held, x->shelf));
}

static void tn_x86_unary(tn_x86_select *x, const tiny_uop *u, int to) {
  const int held = tn_x86_held(x, u), cls = tn_x86_class(u), f64 = tn_x86_element(u) == 8, wide = u->lanes > 1;
  const int a = tn_x86_value(x, u->src[0]);
  if (u->op == TINY_OP_NEG && cls == TN_ISA_GPR) {
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(to, held, TN_ISA_BOTH));
    tn_x86_extend(x, u, to);
  } else if (u->op == TINY_OP_NEG && tn_is_float(u->dtype)) {
    const int sign = tn_x86_splat(x, f64 ? INT64_MIN : INT32_MIN, f64 ? 8 : 4, held);
    tn_x86_3(x, TN_X86_VPXORD, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_vec(a, held, TN_ISA_USE), tn_x86_vec(sign,
        held, TN_ISA_USE));
  } else if (u->op == TINY_OP_NEG) {
    const int zero = tn_x86_new(x, TN_ISA_VEC), row = tn_x86_ops[1].ints[tn_x86_log(tn_x86_element(u))];
    tn_x86_zero(x, zero, held);
    tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_vec(zero, held, TN_ISA_USE), tn_x86_vec(a, held,
        TN_ISA_USE));
  } else if (u->op == TINY_OP_SQRT) {
    const tn_isa_operand d = tn_x86_vec(to, held, TN_ISA_DEF), s = tn_x86_vec(a, held, TN_ISA_USE);
    if (wide) tn_x86_2(x, f64 ? TN_X86_VSQRTPD : TN_X86_VSQRTPS, d, s);
    else tn_x86_3(x, f64 ? TN_X86_VSQRTSD : TN_X86_VSQRTSS, d, s, s);
  } else {                                 // TRUNC; 11: towards zero, silently
    const tn_isa_operand d = tn_x86_vec(to, held, TN_ISA_DEF), s = tn_x86_vec(a, held, TN_ISA_USE);
    if (wide) tn_x86_3(x, f64 ? TN_X86_VRNDSCALEPD : TN_X86_VRNDSCALEPS, d, s, tn_isa_number(11));
    else tn_x86_4(x, f64 ? TN_X86_VRNDSCALESD : TN_X86_VRNDSCALESS, d, s, s, 11);
  }
}

// ** comparisons, choices **

// A mask whose bits are a general register's lowest.
static int tn_x86_mask_of(tn_x86_select *x, int r) {
  const int k = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_2(x, TN_X86_KMOVD, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  return k;
}
static int tn_x86_lanes_of_bool(tn_x86_select *x, int r) {   // all lanes are that bool
  const int all = tn_x86_new(x, TN_ISA_GPR), k = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_copy(x, TN_ISA_GPR, all, r, 8);
  tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(all, 8, TN_ISA_BOTH));
  tn_x86_2(x, TN_X86_KMOVQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_gpr(all, 8, TN_ISA_USE));
  return k;
}
static void tn_x86_compare_masks(tn_x86_select *x, const tiny_uop *u, int to) {
  const tn_isa_operand a = tn_x86_use(x, u->src[0]), b = tn_x86_use(x, u->src[1]);
  tn_x86_3(x, u->op == TINY_OP_LT ? TN_X86_KANDNQ : u->op == TINY_OP_NE ? TN_X86_KXORQ : TN_X86_KXNORQ,
           tn_x86_kreg(to, TN_ISA_DEF), a, b);
}
// Predicates: EQ 0, LT 17 (quietly), NEQ 4 of floats; EQ 0, LT 1, NE 4 of integers (Intel SDM vol. 2, VCMPPS, VPCMPD).
static void tn_x86_compare_lanes(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int ints[2][4] = {{TN_X86_VPCMPB, TN_X86_VPCMPW, TN_X86_VPCMPD, TN_X86_VPCMPQ},
                                 {TN_X86_VPCMPUB, TN_X86_VPCMPUW, TN_X86_VPCMPUD, TN_X86_VPCMPUQ}};
  const tiny_uop *s = u->src[0];
  const int is_float = tn_is_float(s->dtype), f64 = tn_x86_element(s) == 8;
  const int predicate = u->op == TINY_OP_EQ ? 0 : u->op == TINY_OP_NE ? 4 : is_float ? 17 : 1;
  const int row = is_float ? (s->lanes > 1 ? (f64 ? TN_X86_VCMPPD : TN_X86_VCMPPS) : f64 ? TN_X86_VCMPSD :
      TN_X86_VCMPSS) :
      ints[tn_is_unsigned(s->dtype)][tn_x86_log(tn_x86_element(s))];
  int broadcast;
  const tn_isa_operand a = tn_x86_use(x, s), b = tn_x86_source(x, u->src[1], &broadcast);
  tn_x86_4(x, row, tn_x86_kreg(to, TN_ISA_DEF), a, b, predicate)->broadcast = (uint8_t)broadcast;
}
static void tn_x86_compare(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (s->lanes > 1) {
    if (s->dtype == TINY_BOOL) tn_x86_compare_masks(x, u, to);
    else tn_x86_compare_lanes(x, u, to);
    return;
  }
  if (tn_is_float(s->dtype)) {
    const int k = tn_x86_new(x, TN_ISA_MASK);
    tn_x86_compare_lanes(x, u, k);
    tn_x86_2(x, TN_X86_KMOVD, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_kreg(k, TN_ISA_USE));
    return;
  }
  const int nbytes = tn_x86_held(x, s), a = tn_x86_value(x, s), flag = tn_x86_new(x, TN_ISA_GPR);
  const tn_isa_operand b = tn_x86_scalar_source(x, u->src[1], nbytes);
  const int below = tn_is_unsigned(s->dtype) || s->dtype == TINY_BOOL ? TN_X86_SETB : TN_X86_SETL;
  tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(a, nbytes, TN_ISA_USE), b);
  tn_x86_1(x, u->op == TINY_OP_LT ? below : u->op == TINY_OP_EQ ? TN_X86_SETE : TN_X86_SETNE, tn_x86_gpr(flag, 1,
      TN_ISA_DEF));
  tn_x86_2(x, TN_X86_MOVZX, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_gpr(flag, 1, TN_ISA_USE));
}

static void tn_x86_where(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int blends[4] = {TN_X86_VPBLENDMB, TN_X86_VPBLENDMW, TN_X86_VPBLENDMD, TN_X86_VPBLENDMQ};
  const tiny_uop *c = u->src[0];
  const int cls = tn_x86_class(u), held = tn_x86_held(x, u);
  if (cls == TN_ISA_GPR) {
    const int yes = tn_x86_value(x, u->src[1]), no = tn_x86_value(x, u->src[2]), r = tn_x86_value(x, c);
    const int nbytes = held < 4 ? 4 : held;
    tn_x86_copy(x, TN_ISA_GPR, to, no, 8);
    tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(r, 4, TN_ISA_USE), tn_x86_gpr(r, 4, TN_ISA_USE));
    tn_x86_2(x, TN_X86_CMOVNE, tn_x86_gpr(to, nbytes, TN_ISA_BOTH), tn_x86_gpr(yes, nbytes, TN_ISA_USE));
    return;
  }
  const int k = c->lanes > 1 ? tn_x86_value(x, c) : u->lanes == 1 ? tn_x86_mask_of(x, tn_x86_value(x, c)) :
                                                                     tn_x86_lanes_of_bool(x, tn_x86_value(x, c));
  if (cls == TN_ISA_MASK) {                // (k & yes) | (~k & no)
    const int yes = tn_x86_value(x, u->src[1]), no = tn_x86_value(x, u->src[2]), a = tn_x86_new(x, cls), b =
        tn_x86_new(x, cls);
    tn_x86_3(x, TN_X86_KANDQ, tn_x86_kreg(a, TN_ISA_DEF), tn_x86_kreg(k, TN_ISA_USE), tn_x86_kreg(yes, TN_ISA_USE));
    tn_x86_3(x, TN_X86_KANDNQ, tn_x86_kreg(b, TN_ISA_DEF), tn_x86_kreg(k, TN_ISA_USE), tn_x86_kreg(no, TN_ISA_USE));
    tn_x86_3(x, TN_X86_KORQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(a, TN_ISA_USE), tn_x86_kreg(b, TN_ISA_USE));
    return;
  }
  int broadcast;
  const tn_isa_operand no = tn_x86_use(x, u->src[2]);
  const int scalar = u->lanes == 1;
  const tn_isa_operand yes = scalar ? tn_x86_use(x, u->src[1]) : tn_x86_source(x, u->src[1], &broadcast);
  tn_isa_ins *i = tn_x86_3(x, blends[tn_x86_log(tn_x86_element(u))], tn_x86_vec(to, held, TN_ISA_DEF), no, yes);
  i->mask = k; i->broadcast = (uint8_t)(!scalar && broadcast);
}

// ** conversions **

static int tn_x86_convert_row(int from, int to) {
  static const struct { uint8_t from, to; int row; } rows[] = {
    {TINY_I32, TINY_F32, TN_X86_VCVTDQ2PS}, {TINY_U32, TINY_F32, TN_X86_VCVTUDQ2PS}, {TINY_F32, TINY_I32,
        TN_X86_VCVTTPS2DQ},
    {TINY_F32, TINY_U32, TN_X86_VCVTTPS2UDQ}, {TINY_I32, TINY_F64, TN_X86_VCVTDQ2PD}, {TINY_U32, TINY_F64,
        TN_X86_VCVTUDQ2PD},
    {TINY_F64, TINY_I32, TN_X86_VCVTTPD2DQ}, {TINY_F64, TINY_U32, TN_X86_VCVTTPD2UDQ}, {TINY_F32, TINY_F64,
        TN_X86_VCVTPS2PD},
    {TINY_F64, TINY_F32, TN_X86_VCVTPD2PS}, {TINY_I64, TINY_F64, TN_X86_VCVTQQ2PD}, {TINY_U64, TINY_F64,
        TN_X86_VCVTUQQ2PD},
    {TINY_I64, TINY_F32, TN_X86_VCVTQQ2PS}, {TINY_U64, TINY_F32, TN_X86_VCVTUQQ2PS}, {TINY_F64, TINY_I64,
        TN_X86_VCVTTPD2QQ},
    {TINY_F64, TINY_U64, TN_X86_VCVTTPD2UQQ}, {TINY_F32, TINY_I64, TN_X86_VCVTTPS2QQ}, {TINY_F32, TINY_U64,
        TN_X86_VCVTTPS2UQQ}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) if (rows[i].from == from && rows[i].to ==
      to) return rows[i].row;
  return 0;
}
// Between integers of different sizes: widening by the source's sign, narrowing by leaving out high bits.
static int tn_x86_resize_row(int from, int from_nbytes, int to_nbytes) {
  static const int widen[2][4][4] = {
    {{0, TN_X86_VPMOVZXBW, TN_X86_VPMOVZXBD, TN_X86_VPMOVZXBQ}, {0, 0, TN_X86_VPMOVZXWD, TN_X86_VPMOVZXWQ}, {0, 0, 0,
        TN_X86_VPMOVZXDQ}, {0, 0, 0, 0}},
    {{0, TN_X86_VPMOVSXBW, TN_X86_VPMOVSXBD, TN_X86_VPMOVSXBQ}, {0, 0, TN_X86_VPMOVSXWD, TN_X86_VPMOVSXWQ}, {0, 0, 0,
        TN_X86_VPMOVSXDQ}, {0, 0, 0, 0}}};
  static const int narrow[4][4] = {{0, 0, 0, 0}, {TN_X86_VPMOVWB, 0, 0, 0}, {TN_X86_VPMOVDB, TN_X86_VPMOVDW, 0, 0},
                                   {TN_X86_VPMOVQB, TN_X86_VPMOVQW, TN_X86_VPMOVQD, 0}};
  const int a = tn_x86_log(from_nbytes), b = tn_x86_log(to_nbytes);
  return a < b ? widen[tn_is_signed(from)][a][b] : narrow[a][b];
}
// Of vectors the longer side is the instruction's length.
static void tn_x86_cast_row(tn_x86_select *x, int row, int lanes, int to, int to_element, int from, int from_element) {
  const int most = lanes * (to_element > from_element ? to_element : from_element), length = tn_x86_vector(most);
  if (!row || most > 64) { tn_isa_refuse(x->c, "a conversion of vectors"); return; }
  const int a = length * to_element / (to_element > from_element ? to_element : from_element);
  const int b = length * from_element / (to_element > from_element ? to_element : from_element);
  tn_x86_2(x, row, tn_x86_vec(to, tn_x86_vector(a), TN_ISA_DEF), tn_x86_vec(from, tn_x86_vector(b), TN_ISA_USE));
}
static void tn_x86_cast_lanes(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int from = s->dtype, a = tn_x86_element(s), b = tn_x86_element(u), r = tn_x86_value(x, s);
  if (s->dtype == TINY_BOOL || u->dtype == TINY_BOOL) { tn_isa_refuse(x->c, "a cast of bools"); return; }
  if (!tn_is_float(from) && !tn_is_float(u->dtype)) {
    if (a == b) tn_x86_copy(x, TN_ISA_VEC, to, r, tn_x86_held(x, u));
    else tn_x86_cast_row(x, tn_x86_resize_row(from, a, b), tn_x86_lanes(x, u), to, b, r, a);
    return;
  }
  const int narrow_from = a < 4, narrow_to = b < 4, through = tn_x86_new(x, TN_ISA_VEC);
  if (narrow_from) {
    tn_x86_cast_row(x, tn_x86_resize_row(from, a, 4), tn_x86_lanes(x, u), through, 4, r, a);
    tn_x86_cast_row(x, tn_x86_convert_row(TINY_I32, u->dtype), tn_x86_lanes(x, u), to, b, through, 4);
  } else if (narrow_to) {
    tn_x86_cast_row(x, tn_x86_convert_row(from, TINY_I32), tn_x86_lanes(x, u), through, 4, r, a);
    tn_x86_cast_row(x, tn_x86_resize_row(TINY_I32, 4, b), tn_x86_lanes(x, u), to, b, through, 4);
  } else tn_x86_cast_row(x, tn_x86_convert_row(from, u->dtype), tn_x86_lanes(x, u), to, b, r, a);
}
static void tn_x86_cast_to_float(tn_x86_select *x, const tiny_uop *s, int f64, int to) {
  const int r = tn_x86_value(x, s), u64 = s->dtype == TINY_U64, wide = u64 || s->dtype == TINY_I64 || s->dtype ==
      TINY_U32;
  const int row = u64 ? (f64 ? TN_X86_VCVTUSI2SD : TN_X86_VCVTUSI2SS) : f64 ? TN_X86_VCVTSI2SD : TN_X86_VCVTSI2SS;
  tn_x86_zero(x, to, 16);                  // whose other lanes it takes
  tn_x86_3(x, row, tn_x86_vec(to, 16, TN_ISA_BOTH), tn_x86_vec(to, 16, TN_ISA_USE), tn_x86_gpr(r, wide ? 8 : 4,
      TN_ISA_USE));
}
static void tn_x86_cast(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (u->lanes > 1) { tn_x86_cast_lanes(x, u, to); return; }
  const int to_float = tn_is_float(u->dtype), from_float = tn_is_float(s->dtype), f64 = tn_x86_element(u) == 8;
  if (to_float && !from_float) { tn_x86_cast_to_float(x, s, f64, to); return; }
  const int r = tn_x86_value(x, s);
  if (to_float) {
    if (tn_x86_element(s) == tn_x86_element(u)) tn_x86_copy(x, TN_ISA_VEC, to, r, 16);
    else tn_x86_3(x, f64 ? TN_X86_VCVTSS2SD : TN_X86_VCVTSD2SS, tn_x86_vec(to, 16, TN_ISA_DEF), tn_x86_vec(r, 16,
        TN_ISA_USE),
                  tn_x86_vec(r, 16, TN_ISA_USE));
    return;
  }
  if (from_float) {
    const int d = tn_x86_element(s) == 8, sign = u->dtype != TINY_U32 && u->dtype != TINY_U64;
    const int row = sign ? (d ? TN_X86_VCVTTSD2SI : TN_X86_VCVTTSS2SI) : d ? TN_X86_VCVTTSD2USI : TN_X86_VCVTTSS2USI;
    tn_x86_2(x, row, tn_x86_gpr(to, tn_x86_held(x, u), TN_ISA_DEF), tn_x86_vec(r, 16, TN_ISA_USE));
    tn_x86_extend(x, u, to);
    return;
  }
  const int wider = tn_x86_nbytes(x, u) == 8 && tn_x86_nbytes(x, s) < 8;
  if (wider && tn_is_signed(s->dtype)) tn_x86_2(x, TN_X86_MOVSXD, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_gpr(r, 4,
      TN_ISA_USE));
  else if (wider || tn_x86_nbytes(x, u) < 8)
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  else tn_x86_copy(x, TN_ISA_GPR, to, r, 8);
  tn_x86_extend(x, u, to);
}
static void tn_x86_bitcast(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int from = tn_x86_class(s), cls = tn_x86_class(u), r = tn_x86_value(x, s), nbytes = tn_x86_nbytes(x, u);
  if (from == TN_ISA_MASK || cls == TN_ISA_MASK || tn_x86_nbytes(x, s) != nbytes) { tn_isa_refuse(x->c,
      "a bitcast of bools"); return; }
  if (from == cls) {
    tn_x86_copy(x, cls, to, r, tn_x86_held(x, u));
    if (cls == TN_ISA_GPR) tn_x86_extend(x, u, to);
  } else if (nbytes < 4) tn_isa_refuse(x->c, "a bitcast of less than four bytes");
  else {
    const int row = nbytes == 8 ? TN_X86_VMOVQ : TN_X86_VMOVD;
    if (cls == TN_ISA_VEC) tn_x86_2(x, row, tn_x86_vec(to, 16, TN_ISA_DEF), tn_x86_gpr(r, nbytes, TN_ISA_USE));
    else tn_x86_2(x, row, tn_x86_gpr(to, nbytes, TN_ISA_DEF), tn_x86_vec(r, 16, TN_ISA_USE));
  }
}

// ** lanes **

static void tn_x86_broadcast(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int of_gpr[4] = {TN_X86_VPBROADCASTB, TN_X86_VPBROADCASTW, TN_X86_VPBROADCASTD, TN_X86_VPBROADCASTQ};
  const tiny_uop *s = u->src[0];
  const int held = tn_x86_held(x, u), element = tn_x86_element(u);
  if (u->dtype == TINY_BOOL) {
    tn_x86_copy(x, TN_ISA_MASK, to, tn_x86_lanes_of_bool(x, tn_x86_value(x, s)), 0);
    return;
  }
  const int row = tn_is_float(u->dtype) ? (element == 8 && held > 16 ? TN_X86_VBROADCASTSD : element == 8 ?
      TN_X86_VPBROADCASTQ : TN_X86_VBROADCASTSS)
                                        : of_gpr[tn_x86_log(element)];
  if (x->fused[s->seq]) {                  // a load
    tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_memory(x, s->src[0], element));
    return;
  }
  const int r = tn_x86_value(x, s);
  tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_DEF), tn_is_float(u->dtype) ? tn_x86_vec(r, 16, TN_ISA_USE)
                                                                            : tn_x86_gpr(r, element == 8 ? 8 : 4,
                                                                                TN_ISA_USE));
}

static tn_isa_operand tn_x86_frame(int64_t at, int nbytes) { return tn_isa_at(TN_ISA_FRAME, nbytes, at); }

// A STACK of single lanes of one vector or of two, as wide as they are, of 4 or 8 bytes: 1, and it is written.
static int tn_x86_shuffle(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *from[2] = {NULL, NULL};
  const int element = tn_x86_element(u), held = tn_x86_held(x, u);
  int64_t index[16];
  if ((int)u->nsrc != u->lanes || u->lanes > 16 || element < 4 || tn_x86_nbytes(x, u) < 16) return 0;
  for (int i = 0; i < u->lanes; i++) {
    const tiny_uop *one = u->src[i], *vector = one->op == TINY_OP_PICK ? one->src[0] : NULL;
    if (!vector || vector->lanes != u->lanes) return 0;
    const int k = from[0] && from[0] != vector;
    if (from[k] && from[k] != vector) return 0;
    from[k] = vector;
    index[i] = one->k + k * u->lanes;
  }
  int32_t narrow[16];
  for (int i = 0; i < u->lanes; i++) narrow[i] = (int32_t)index[i];
  const int64_t at = tn_isa_constant(x->c, element == 8 ? (const void *)index : narrow, (size_t)tn_x86_nbytes(x, u));
  const int order = tn_x86_new(x, TN_ISA_VEC), a = tn_x86_value(x, from[0]), b = tn_x86_value(x, from[1] ? from[1] :
      from[0]);
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_vec(order, held, TN_ISA_DEF), tn_isa_at(TN_ISA_POOL, held, at));
  tn_x86_copy(x, TN_ISA_VEC, to, a, held);
  tn_x86_3(x, element == 8 ? TN_X86_VPERMT2Q : TN_X86_VPERMT2D, tn_x86_vec(to, held, TN_ISA_BOTH), tn_x86_vec(order,
      held, TN_ISA_USE),
           tn_x86_vec(b, held, TN_ISA_USE));
  return 1;
}
static void tn_x86_stack(tn_x86_select *x, const tiny_uop *u, int to) {
  if (u->dtype == TINY_BOOL) { tn_isa_refuse(x->c, "a STACK of bools"); return; }
  if (tn_x86_parts_of(u) == 1 && u->nsrc && tn_x86_parts_of(u->src[0]) == 1 && tn_x86_shuffle(x, u, to)) return;
  int64_t at = x->shelf;
  if (u->lanes * tn_x86_element(u) > TN_X86_SHELF) { tn_isa_refuse(x->c, "a STACK of very many lanes"); return; }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    for (int part = 0, parts = tn_x86_parts_of(s); part < parts; part++) {
      x->lanes = parts > 1 ? s->lanes / parts : 0;
      x->from = part * x->lanes;
      const int from = tn_x86_value(x, s);
      tn_x86_move_out(x, s, from, tn_x86_frame(at, 0));
      at += tn_x86_nbytes(x, s);
    }
  }
  for (int part = 0, parts = tn_x86_parts_of(u); part < parts; part++) {
    x->lanes = parts > 1 ? u->lanes / parts : 0;
    tn_x86_move_in(x, u, to + part, tn_x86_frame(x->shelf + 64 * part, 0));
  }
  x->lanes = x->from = 0;
}
static void tn_x86_pick_mask(tn_x86_select *x, const tiny_uop *u, int to) {
  const int r = tn_x86_value(x, u->src[0]);
  if (u->lanes > 1) {
    tn_x86_3(x, TN_X86_KSHIFTRQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(u->k));
    return;
  }
  tn_x86_2(x, TN_X86_KMOVQ, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE));
  if (u->k) tn_x86_2(x, TN_X86_SHR, tn_x86_gpr(to, 8, TN_ISA_BOTH), tn_isa_number(u->k));
  tn_x86_2(x, TN_X86_AND, tn_x86_gpr(to, 4, TN_ISA_BOTH), tn_isa_number(1));
}
// Of a vector wider than a register: all of a register, several, or by memory.
static void tn_x86_pick_wide(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_x86_element(s), each = 64 / element, parts = tn_x86_parts_of(u);
  const int known = x->reg[s->seq] >= 0 && !tn_x86_is_splat(s), at = (int)u->k % each * element;
  const int r = known ? x->reg[s->seq] + (int)u->k / each : -1;
  if (r < 0 || at + (parts > 1 ? 64 : tn_x86_nbytes(x, u)) > 64) { tn_isa_refuse(x->c, "lanes across registers");
      return; }
  if (!at && u->lanes * element >= 64) {
    for (int i = 0; i < parts; i++) tn_x86_copy(x, TN_ISA_VEC, to + i, r + i, 64);
    return;
  }
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_frame(x->shelf, 64), tn_x86_vec(r, 64, TN_ISA_USE));
  tn_x86_move_in(x, u, to, tn_x86_frame(x->shelf + at, 0));
}
// Part of a vector: by an instruction where its bytes stand at the beginning or are half of it, else by memory.
static void tn_x86_pick(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (u->dtype == TINY_BOOL) { tn_x86_pick_mask(x, u, to); return; }
  if (tn_x86_parts_of(s) > 1) { tn_x86_pick_wide(x, u, to); return; }
  const int from = tn_x86_nbytes(x, s), nbytes = tn_x86_nbytes(x, u), held = tn_x86_held(x, s), at =
      (int)u->k * tn_x86_element(u);
  const int r = tn_x86_value(x, s), cls = tn_x86_class(u);
  if (!at && cls == TN_ISA_VEC) { tn_x86_copy(x, TN_ISA_VEC, to, r, tn_x86_held(x, u)); return; }
  if (!at && nbytes >= 4 && u->lanes == 1) {
    tn_x86_2(x, nbytes == 8 ? TN_X86_VMOVQ : TN_X86_VMOVD, tn_x86_gpr(to, nbytes, TN_ISA_DEF), tn_x86_vec(r, 16,
        TN_ISA_USE));
    return;
  }
  const tn_isa_operand d = tn_x86_vec(to, tn_x86_vector(nbytes), TN_ISA_DEF), whole = tn_x86_vec(r, held, TN_ISA_USE);
  if (cls == TN_ISA_VEC && 2 * nbytes == from && at == nbytes && nbytes >= 4) {
    if (nbytes == 32) tn_x86_3(x, TN_X86_VEXTRACTF64X4, d, whole, tn_isa_number(1));
    else if (nbytes == 16) tn_x86_3(x, TN_X86_VEXTRACTF32X4, d, whole, tn_isa_number(1));
    else tn_x86_3(x, TN_X86_VPSHUFD, d, whole, tn_isa_number(nbytes == 8 ? 0xEE : 0x55));
    return;
  }
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_frame(x->shelf, held), whole);
  tn_x86_move_in(x, u, to, tn_x86_frame(x->shelf + at, 0));
}
static void tn_x86_lane_numbers(tn_x86_select *x, const tiny_uop *u, int to) {
  uint8_t data[64];
  const int element = tn_x86_element(u), nbytes = tn_x86_nbytes(x, u);
  for (int i = 0; i < tn_x86_lanes(x, u); i++) for (int b = 0; b < element; b++) data[i * element + b] = (uint8_t)(b ?
      0 : x->from + i);
  tn_x86_move_in(x, u, to, tn_isa_at(TN_ISA_POOL, nbytes, tn_isa_constant(x->c, data, (size_t)nbytes)));
}

// ** loops and the entry **

static void tn_x86_range(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *end = u->src[0], *start = u->nsrc > 1 ? u->src[1] : NULL;
  const int r = x->reg[u->seq] = tn_x86_new(x, TN_ISA_GPR), nbytes = tn_x86_held(x, u), label = x->c->labels;
  x->c->labels += 2;
  x->label[u->seq] = label;
  if (start) tn_x86_copy(x, TN_ISA_GPR, r, tn_x86_value(x, start), 8);
  else tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(r, 4, TN_ISA_DEF), tn_isa_number(0));
  if (end->op != TINY_OP_CONST || start || end->k <= 0) {
    const tn_isa_operand n = tn_x86_scalar_source(x, end, nbytes);
    tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(r, nbytes, TN_ISA_USE), n);
    tn_x86_jump(x, tn_is_unsigned(u->dtype) ? TN_X86_JAE : TN_X86_JGE, label + 1);
  }
  TN_PUSH(x->c->t, x->c->loop, x->c->nloop, x->c->caploop, tn_isa_loop)->begin = x->c->n;
  x->c->loop[x->c->nloop - 1].end = -1;
  tn_x86_place(x, label);
}
static void tn_x86_end(tn_x86_select *x, const tiny_uop *range) {
  const int r = x->reg[range->seq], nbytes = tn_x86_held(x, range), label = x->label[range->seq];
  tn_x86_2(x, TN_X86_ADD, tn_x86_gpr(r, nbytes, TN_ISA_BOTH), tn_isa_number(1));
  const tn_isa_operand n = tn_x86_scalar_source(x, range->src[0], nbytes);
  tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(r, nbytes, TN_ISA_USE), n);
  tn_x86_jump(x, tn_is_unsigned(range->dtype) ? TN_X86_JB : TN_X86_JL, label);
  int l = x->c->nloop - 1;
  while (l >= 0 && x->c->loop[l].end >= 0) l--;
  x->c->loop[l].end = x->c->n;
  tn_x86_place(x, label + 1);
}

static tn_isa_operand tn_x86_slot_of(int base, int64_t k, int nbytes) {
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, 8 * k);
  o.reg = base;
  return o;
}
static void tn_x86_define(tn_x86_select *x, const tiny_uop *u) {
  const int64_t nbytes = u->v[1] * u->lanes * tn_dtypes[u->dtype].nbytes;
  if (u->v[0] == TN_SPACE_REG) return;     // known when it is first named
  const int r = x->reg[u->seq] = tn_x86_new(x, TN_ISA_GPR);
  if (!x->k->local_nbytes) {
    x->c->frame = (x->c->frame + 63) / 64 * 64;
    const int64_t at = x->c->frame;
    x->c->frame += (nbytes + 63) / 64 * 64;
    tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(r, 8, TN_ISA_DEF), tn_x86_frame(at, 0));
    return;
  }
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, 0, x->local_at);
  o.reg = x->local;
  tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(r, 8, TN_ISA_DEF), o);
  x->local_at += (nbytes + 63) / 64 * 64;
}

// ** nodes **

static void tn_x86_copy_all(tn_x86_select *x, const tiny_uop *u, int to, int from) {
  const int parts = tn_x86_parts_of(u);
  for (int i = 0; i < parts; i++) tn_x86_copy(x, tn_x86_class(u), to + i, from + i, parts > 1 ? 64 : tn_x86_held(x, u));
}
// Where a value goes that is only stored to REG memory of which nothing is read or written meanwhile: there; or -1.
static int tn_x86_home(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *store = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!store || store->op != TINY_OP_STORE || store->src[1] != u || !tn_is_reg(store->src[0]->src[0])) return -1;
  const int *e = tn_x86_reg_element(x, store->src[0]);
  if (!e) return -1;
  for (uint32_t i = u->seq + 1; i < store->seq; i++) {
    const tiny_uop *other = x->k->list[i];
    if (other->op == TINY_OP_END || other->op == TINY_OP_RANGE || other->op == TINY_OP_IF || other->op ==
        TINY_OP_ENDIF) return -1;
    const int reaches = (other->op == TINY_OP_LOAD || other->op == TINY_OP_STORE) && tn_is_reg(other->src[0]->src[0]);
    if (reaches && tn_x86_reg_element(x, other->src[0]) == e) return -1;
  }
  for (uint32_t i = 0; i < store->seq; i++) {                // loads that stand for the register, and are used later
    const tiny_uop *load = x->k->list[i];
    if (load->op == TINY_OP_LOAD && x->reg[i] == *e && x->last[i] > (int)u->seq) return -1;
  }
  return *e;
}
// Is the value, which is written to that register, made of what the register holds, in more than one step?
static int tn_x86_made_of(const tn_x86_select *x, const tiny_uop *u, int reg, const tiny_uop *allowed) {
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    if (x->fused[s->seq] && tn_x86_made_of(x, s, reg, NULL)) return 1;
    if (s != allowed && x->reg[s->seq] == reg) return 1;
  }
  return 0;
}
// A LOAD of REG memory is its register, unless that is written before the last use.
static void tn_x86_load_reg(tn_x86_select *x, const tiny_uop *u) {
  const int *e = tn_x86_reg_element(x, u->src[0]);
  if (!e) return;
  int stays = 1;
  for (int i = (int)u->seq + 1; i < x->last[u->seq] && stays; i++) {
    const tiny_uop *store = x->k->list[i];
    if (store->op == TINY_OP_STORE && tn_is_reg(store->src[0]->src[0]) && tn_x86_reg_element(x, store->src[0]) ==
        e) stays = 0;
    if (store->op == TINY_OP_END || store->op == TINY_OP_RANGE) stays = 0;
  }
  if (stays) { x->reg[u->seq] = *e; return; }
  x->reg[u->seq] = tn_x86_new_for(x, u);
  tn_x86_copy_all(x, u, x->reg[u->seq], *e);
}

static const tiny_uop *tn_x86_product(const tn_x86_select *x, const tiny_uop *u) {
  if ((u->op != TINY_OP_ADD && u->op != TINY_OP_SUB) || !tn_is_float(u->dtype)) return NULL;
  for (int i = 1; i >= 0; i--) if (u->src[i]->op == TINY_OP_MUL && x->fused[u->src[i]->seq]) return u->src[i];
  return NULL;
}

static void tn_x86_compute(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *product = tn_x86_product(x, u);
  const int cls = tn_x86_class(u);
  switch (u->op) {
    case TINY_OP_LOAD: tn_x86_load(x, u, to); return;
    case TINY_OP_CAST: tn_x86_cast(x, u, to); return;
    case TINY_OP_BITCAST: tn_x86_bitcast(x, u, to); return;
    case TINY_OP_BROADCAST: tn_x86_broadcast(x, u, to); return;
    case TINY_OP_STACK: tn_x86_stack(x, u, to); return;
    case TINY_OP_PICK: tn_x86_pick(x, u, to); return;
    case TINY_OP_LANE: tn_x86_lane_numbers(x, u, to); return;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: tn_x86_compare(x, u, to); return;
    case TINY_OP_WHERE: tn_x86_where(x, u, to); return;
    case TINY_OP_NEG: case TINY_OP_SQRT: case TINY_OP_TRUNC: tn_x86_unary(x, u, to); return;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_AND: case TINY_OP_OR:
        case TINY_OP_XOR:
    case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_CDIV: case TINY_OP_CMOD:
      if (product) tn_x86_fuse(x, u, product, to);
      else if (cls == TN_ISA_GPR) tn_x86_integer(x, u, to);
      else if (cls == TN_ISA_VEC) tn_x86_binary(x, u, to);
      else {
        const tn_isa_operand a = tn_x86_use(x, u->src[0]), b = tn_x86_use(x, u->src[1]);
        if (u->op != TINY_OP_AND && u->op != TINY_OP_OR && u->op != TINY_OP_XOR) tn_isa_refuse(x->c,
            "an operation of bools");
        tn_x86_3(x, u->op == TINY_OP_AND ? TN_X86_KANDQ : u->op == TINY_OP_OR ? TN_X86_KORQ : TN_X86_KXORQ,
                 tn_x86_kreg(to, TN_ISA_DEF), a, b);
      }
      return;
    default: tn_isa_refuse(x->c, tn_ops[u->op].name);
  }
}

// Of the widest of a node and its sources, how many lanes a register holds, if that is not all of them; else 0.
static int tn_x86_lanes_at_once(const tn_x86_select *x, const tiny_uop *u, const tiny_uop *also) {
  int lanes = u->lanes, split = 0;
  for (int i = -2; i < (int)u->nsrc; i++) {
    const tiny_uop *s = i == -2 ? u : i == -1 ? also : u->src[i];
    if (!s || s->lanes == 1 || s->dtype == TINY_VOID) continue;
    if (s->op == TINY_OP_INDEX) continue;
    if (i >= 0 && x->fused[s->seq] && tn_x86_lanes_at_once(x, s, NULL)) split = 1;
    if (tn_x86_parts_of(s) == 1) continue;
    split = 1;
    if (64 / tn_x86_element(s) < lanes || lanes == 1) lanes = 64 / tn_x86_element(s);
  }
  return split ? lanes : 0;
}
static void tn_x86_store_reg(tn_x86_select *x, const tiny_uop *value, int to) {
  const int parts = tn_x86_parts_of(value), each = value->lanes / parts;
  for (int i = 0; i < parts; i++) {
    x->lanes = parts > 1 ? each : 0;
    x->from = i * each;
    const int from = tn_x86_value(x, value);
    tn_x86_copy(x, tn_x86_class(value), to + i, from, tn_x86_held(x, value));
  }
  x->lanes = x->from = 0;
}
static void tn_x86_store_all(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *value = u->src[1], *index = u->src[0];
  const int wide_index = index->lanes > 1 && tn_x86_parts_of(index->src[1]) > 1;
  const int of_value = 64 / tn_x86_element(value);
  const int of_index = wide_index ? 64 / tn_x86_element(index->src[1]) : of_value;
  const int each = of_index < of_value ? of_index : of_value;
  const int split = tn_x86_parts_of(value) > 1 || wide_index;
  for (int from = 0; from < value->lanes; from += split ? each : value->lanes) {
    x->lanes = split ? each : 0;
    x->from = from;
    tn_x86_store(x, u);
  }
  x->lanes = x->from = 0;
}
static void tn_x86_compute(tn_x86_select *x, const tiny_uop *u, int to);
// A value whose parts, or those of what it is made of, are wider than a register: part by part, which stand in
// registers of their own, or as halves of one.
static void tn_x86_compute_parts(tn_x86_select *x, const tiny_uop *u, int to, int lanes) {
  const int element = tn_x86_element(u), cls = tn_x86_class(u), each = cls == TN_ISA_MASK ? u->lanes :
      64 / element < u->lanes ? 64 / element : u->lanes;
  for (int from = 0; from < u->lanes; from += lanes) {
    const int whole = lanes == each, r = whole ? to + from / each : tn_x86_new(x, cls), into = to + from / each;
    x->lanes = lanes; x->from = from;
    tn_x86_compute(x, u, r);
    if (whole) continue;
    const int at = from % each, nbytes = lanes * element;
    if (cls == TN_ISA_MASK) {
      if (!at) { tn_x86_copy(x, cls, into, r, 0); continue; }
      const int k = tn_x86_new(x, cls);
      tn_x86_3(x, TN_X86_KSHIFTLQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(at));
      tn_x86_3(x, TN_X86_KORQ, tn_x86_kreg(into, TN_ISA_DEF), tn_x86_kreg(into, TN_ISA_USE), tn_x86_kreg(k,
          TN_ISA_USE));
      continue;
    }
    const int held = tn_x86_vector(each * element);
    if (!at) tn_x86_copy(x, cls, into, r, tn_x86_vector(nbytes));
    else if (nbytes == 32) tn_x86_4(x, TN_X86_VINSERTF64X4, tn_x86_vec(into, held, TN_ISA_DEF), tn_x86_vec(into, held,
        TN_ISA_USE),
                                    tn_x86_vec(r, 32, TN_ISA_USE), at * element / 32);
    else if (nbytes == 16) tn_x86_4(x, TN_X86_VINSERTF32X4, tn_x86_vec(into, held, TN_ISA_DEF), tn_x86_vec(into, held,
        TN_ISA_USE),
                                    tn_x86_vec(r, 16, TN_ISA_USE), at * element / 16);
    else if (nbytes == 8 && each * element == 16)
      tn_x86_3(x, TN_X86_VMOVLHPS, tn_x86_vec(into, 16, TN_ISA_DEF), tn_x86_vec(into, 16, TN_ISA_USE), tn_x86_vec(r,
          16, TN_ISA_USE));
    else tn_isa_refuse(x->c, "parts of a register");
  }
  x->lanes = x->from = 0;
}

static void tn_x86_node(tn_x86_select *x, const tiny_uop *u) {
  int *reg = &x->reg[u->seq];
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_BARRIER: return;
    case TINY_OP_AFTER: *reg = x->reg[u->src[0]->seq]; return;
    case TINY_OP_PARAM:
      *reg = tn_x86_new(x, TN_ISA_GPR);
      tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*reg, 8, TN_ISA_DEF), tn_x86_slot_of(x->mem, u->k, 8));
      return;
    case TINY_OP_ARG:
      *reg = tn_x86_new(x, tn_x86_class(u));
      tn_x86_move_in(x, u, *reg, tn_x86_slot_of(x->args, u->k, 8));
      return;
    case TINY_OP_SPECIAL:
      *reg = tn_x86_new(x, TN_ISA_GPR);
      tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*reg, tn_x86_held(x, u), TN_ISA_DEF), tn_x86_gpr(x->task, tn_x86_held(x, u),
          TN_ISA_USE));
      if (u->k) tn_isa_refuse(x->c, "a grid");
      return;
    case TINY_OP_DEFINE: tn_x86_define(x, u); return;
    case TINY_OP_RANGE: tn_x86_range(x, u); return;
    case TINY_OP_END: tn_x86_end(x, u->src[1]); return;
    case TINY_OP_IF: x->label[u->seq] = tn_x86_if(x, u->src[0]); return;
    case TINY_OP_ENDIF: tn_x86_place(x, x->label[u->src[0]->seq]); return;
    case TINY_OP_PREFETCH: tn_x86_1(x, TN_X86_PREFETCHT1, tn_x86_memory(x, u->src[0], 1)); return;
    case TINY_OP_STORE:
      if (tn_is_reg(u->src[0]->src[0])) {
        const int *e = tn_x86_reg_element(x, u->src[0]);
        if (e && x->reg[u->src[1]->seq] != *e) tn_x86_store_reg(x, u->src[1], *e);
      } else tn_x86_store_all(x, u);
      return;
    default: break;
  }
  if (!x->uses[u->seq] || x->fused[u->seq]) return;
  if (tn_x86_is_splat(u)) {                // made where it stands, before all loops; zeros cost nothing anywhere
    const int64_t bits = tn_x86_bits(u->src[0]);
    const int nbytes = u->lanes * tn_x86_element(u);
    if (bits && u->dtype != TINY_BOOL)
      *reg = tn_x86_splat(x, bits, tn_x86_element(u), tn_x86_vector(nbytes > 64 ? 64 : nbytes));
    return;
  }
  if (u->lanes & (u->lanes - 1)) { tn_isa_refuse(x->c, "lanes that are no power of two"); return; }
  if (u->op == TINY_OP_LOAD && tn_is_reg(u->src[0]->src[0])) { tn_x86_load_reg(x, u); return; }
  int home = tn_x86_home(x, u);
  const tiny_uop *product = tn_x86_product(x, u);
  const int one_step = tn_x86_class(u) == TN_ISA_VEC && tn_x86_row_of(u) && !product;
  if (home >= 0 && !one_step && tn_x86_made_of(x, u, home, !product ? NULL : u->src[0] == product ? u->src[1] :
      u->src[0])) home = -1;
  const tiny_uop *gathered = u->op == TINY_OP_LOAD && u->src[0]->lanes > 1 ? u->src[0]->src[1] : NULL;
  const int by_itself = u->op == TINY_OP_STACK || u->op == TINY_OP_PICK;
  const int lanes = by_itself ? 0 : tn_x86_lanes_at_once(x, u, gathered);
  if (lanes) home = -1;
  const int to = home >= 0 ? home : tn_x86_new_for(x, u);
  if (lanes) tn_x86_compute_parts(x, u, to, lanes);
  else tn_x86_compute(x, u, to);
  *reg = to;
  if (x->indexes[u->seq]) x->wide[u->seq] = tn_x86_extended(x, to);
}

// Is a LOAD, or a product, used by one other node alone, in its block, with nothing between that changes what it takes?
static int tn_x86_is_fused(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!user || user->lanes < u->lanes) return 0;
  const int product = u->op == TINY_OP_MUL && tn_is_float(u->dtype) && (user->op == TINY_OP_ADD || user->op ==
      TINY_OP_SUB) &&
                      user->src[0] != user->src[1];
  const int load = u->op == TINY_OP_LOAD && u->lanes == 1 && !u->k && u->src[0]->nsrc == 2 &&
      !tn_is_reg(u->src[0]->src[0]) &&
                   user->op == TINY_OP_BROADCAST && user->dtype != TINY_BOOL;
  if (!product && !load) return 0;
  if (product) for (int i = 0; i < 2; i++) {                 // one of two products
    const tiny_uop *other = user->src[i];
    if (other != u && other->op == TINY_OP_MUL && x->fused[other->seq]) return 0;
  }
  for (uint32_t i = u->seq + 1; i < user->seq; i++) {
    const int op = x->k->list[i]->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_END || op == TINY_OP_IF || op == TINY_OP_ENDIF) return 0;
    if (load && op == TINY_OP_STORE && !tn_is_reg(x->k->list[i]->src[0]->src[0])) return 0;
  }
  return 1;
}
// What u reads as its source j.
static const tiny_uop *tn_x86_read_by(const tiny_uop *u, uint32_t j) {
  const tiny_uop *folded = u->op == TINY_OP_INDEX && j == 1 ? tn_x86_folded(u) : NULL;
  return folded ? folded->src[0] : u->src[j];
}
// Is it written for its value alone, which nobody uses?
static int tn_x86_is_dead(const tn_x86_select *x, const tiny_uop *u) {
  const int op = u->op;
  if (x->uses[u->seq] || u->dtype == TINY_VOID) return 0;
  return tn_op_is_elementwise(op) || op == TINY_OP_LOAD || op == TINY_OP_INDEX || op == TINY_OP_BROADCAST ||
         op == TINY_OP_STACK || op == TINY_OP_PICK;
}
static void tn_x86_survey(tn_x86_select *x) {
  for (int i = 0; i < x->k->n; i++) { x->k->list[i]->seq = (uint32_t)i; x->reg[i] = x->wide[i] = -1; }
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (tn_x86_is_dead(x, u)) continue;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = tn_x86_read_by(u, j);
      x->uses[s->seq] += u->op == TINY_OP_INDEX ? 2 : u->op == TINY_OP_GROUP || u->op == TINY_OP_SINK ? 0 : 1;
      x->user[s->seq] = u;
      if (u->op == TINY_OP_INDEX && j == 1 && u->lanes == 1 && tn_x86_may_be_negative(s)) x->indexes[s->seq] = 1;
    }
  }
  for (int i = 0; i < x->k->n; i++) x->fused[i] = (uint8_t)tn_x86_is_fused(x, x->k->list[i]);
  for (int i = x->k->n - 1; i >= 0; i--) {                   // what is fused, or an INDEX, reads where its user stands
    const tiny_uop *u = x->k->list[i];
    const int late = x->fused[i] || u->op == TINY_OP_INDEX, at = late && x->last[i] > i ? x->last[i] : i;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = tn_x86_read_by(u, j);
      if (x->last[s->seq] < at) x->last[s->seq] = at;
    }
  }
}

// The System V and the Windows convention: the entry's arguments are the first four (System V ABI AMD64 1.0, 3.2.3;
// Microsoft, x64 calling convention).
static void tn_x86_entry(tn_x86_select *x) {
#ifdef _WIN32
  static const int regs[4] = {TN_X86_RCX, TN_X86_RDX, TN_X86_R8, TN_X86_R9};
#else
  static const int regs[4] = {TN_X86_RDI, TN_X86_RSI, TN_X86_RDX, TN_X86_RCX};
#endif
  int *const to[4] = {&x->mem, &x->args, &x->task, &x->local};
  // registers that nothing is given: no copy overtakes another
  const int pass[4] = {TN_X86_RAX, TN_X86_R10, TN_X86_R11, TN_X86_RDX};
  for (int i = 0; i < 3; i++) tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(-1 - pass[i], 8, TN_ISA_DEF), tn_x86_gpr(-1 - regs[i],
      8, TN_ISA_USE));
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(-1 - pass[3], 8, TN_ISA_DEF), tn_x86_gpr(-1 - regs[3], 8, TN_ISA_USE));
  for (int i = 0; i < 4; i++) {
    *to[i] = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*to[i], 8, TN_ISA_DEF), tn_x86_gpr(-1 - pass[i], 8, TN_ISA_USE));
  }
}

static void tn_x86_select_list(tn_isa_code *c, const tiny_listing *k) {
  tn_x86_select x;
  const size_t n = (size_t)k->n + 1;
  memset(&x, 0, sizeof x);
  x.c = c; x.k = k;
  x.reg = (int *)tn_scratch(c->t, n * sizeof(int)); x.uses = (int *)tn_scratch(c->t, n * sizeof(int));
  x.last = (int *)tn_scratch(c->t, n * sizeof(int)); x.label = (int *)tn_scratch(c->t, n * sizeof(int));
  x.user = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.user);
  x.element = (int **)tn_scratch(c->t, n * sizeof *x.element);
  x.fused = (uint8_t *)tn_scratch(c->t, n); x.indexes = (uint8_t *)tn_scratch(c->t, n);
  x.wide = (int *)tn_scratch(c->t, n * sizeof(int));
  c->frame = TN_X86_SHELF;                 // at 0
  tn_x86_survey(&x);
  tn_x86_entry(&x);
  for (int i = 0; i < k->n && !c->refused; i++) tn_x86_node(&x, k->list[i]);
}
#endif
