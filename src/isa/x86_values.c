// x86_values: the registers of a kernel's values, what an instruction names of them, and constants.
//
// In:  a node of the list. Out: its register, or that of the part of it that is written now; an operand.
// Holds: a scalar integer or bool is a general register, narrow ones extended to 32 bits as their type says, those of
//        32 with zeros above; a scalar float is the low element of a vector register; a vector of bools is a mask
//        register, whose bits above its lanes are anything, or where the level has none a vector of elements of 0 and
//        -1, as wide as what was compared. A vector wider than a register is several, whose numbers follow each other.
//        A tile of a matrix unit is a register of a class of its own (x86_tiles.c).
//        A constant is taken where it is used and lives no longer. What stands above a vector's elements in its
//        register is anything.
#ifndef TN_ISA_X86_VALUES
#define TN_ISA_X86_VALUES
#ifndef TINY_AMALGAMATED
#include "unroll.c"
#include "words.c"
#include "x86_levels.c"
#endif

enum { TN_X86_RAX = 0, TN_X86_RCX, TN_X86_RDX, TN_X86_RBX, TN_X86_RSP, TN_X86_RBP, TN_X86_RSI, TN_X86_RDI, TN_X86_R8,
  TN_X86_R9, TN_X86_R10, TN_X86_R11 };

// Bytes of the frame where lanes are put together or taken apart; parts of a register stand behind them.
enum { TN_X86_SHELF = 512, TN_X86_PARTS_AT = TN_X86_SHELF, TN_X86_SHELVES = TN_X86_SHELF + 128 };
enum { TN_X86_SPARE = 256 };               // nodes that are none of the list's, at a time
enum { TN_X86_INDUCTIONS = 5 };            // of a loop
enum { TN_X86_STEP_MOST = INT32_MAX / 256 };                 // of one whose loop has copies of its body, elements
typedef struct tn_x86_select {
  tn_isa_code *c; const tiny_listing *k; const tn_x86_level *level;
  int *reg, *uses, *last;                  // of nodes: register, uses, the place of the last use
  const tiny_uop **user;                   // one of them
  uint8_t *fused, *indexes, *bools;        // it is written where it is used; an address takes it, extended:
  int *wide;                               // the register of that, -1: none; bools: bytes of an element of a bool's
  tn_isa_inductions inductions;
  uint8_t *shuffles;                       // it is a STACK of lanes of whole vectors, which it reads
  const tiny_uop **packed;                 // the LOAD that it begins with, if it puts together what stands there
  const tiny_uop **factor;                 // the vector whose products with a number it has the upper halves of
  int **element;                           // of REG memory: its registers
  int *label;                              // of RANGE and IF; of a DEFINE, 1 + its place in the frame, 0: not there
  uint8_t *tile; int tiles, stride;        // it is in a tile; are there any; the register of their stride
  uint8_t *copies;                         // of RANGE: how often the body stands in the loop
  const tiny_uop *unrolled; int copy;      // the RANGE whose copies are written now, NULL: none; which of them
  int spare;                               // nodes that are none of the list's so far
  int depth;                               // expansions of nodes that are being written, one in another
  int mem, args, task, local;              // the entry's arguments
  int from, lanes;                         // of nodes wider than a register: the part that is written; lanes 0: none is
  int64_t local_at, shelf;                 // shelf: of the frame, where lanes are put together or taken apart
} tn_x86_select;

// ** operands and instructions **

static int tn_x86_is_lanes_of_bool(const tiny_uop *u) { return u->lanes > 1 && u->dtype == TINY_BOOL; }
static int tn_x86_element(const tn_x86_select *x, const tiny_uop *u) {
  if (u->dtype != TINY_BOOL) return tn_dtypes[u->dtype].nbytes;
  return u->lanes > 1 && !x->level->masks ? x->bools[u->seq] : 1;
}
// Lanes of the part of u that is written now: all of them, unless u is wider than a register.
static int tn_x86_lanes(const tn_x86_select *x, const tiny_uop *u) {
  return x->lanes && u->lanes > 1 ? x->lanes : u->lanes;
}
static int tn_x86_nbytes(const tn_x86_select *x, const tiny_uop *u) {
  return tn_x86_lanes(x, u) * tn_x86_element(x, u);
}
static int tn_x86_class(const tn_x86_select *x, const tiny_uop *u) {
  if (x->tile[u->seq]) return TN_ISA_TILE;
  if (u->lanes > 1) return u->dtype == TINY_BOOL && x->level->masks ? TN_ISA_MASK : TN_ISA_VEC;
  return tn_is_float(u->dtype) ? TN_ISA_VEC : TN_ISA_GPR;
}
// Bytes of the register that holds it, as instructions name it.
static int tn_x86_held(const tn_x86_select *x, const tiny_uop *u) {
  const int nbytes = tn_x86_nbytes(x, u), cls = tn_x86_class(x, u);
  if (cls == TN_ISA_GPR) return nbytes == 8 ? 8 : 4;
  return cls == TN_ISA_VEC ? tn_x86_vector(nbytes) : 0;
}
static int tn_x86_log(int nbytes) { return nbytes == 8 ? 3 : nbytes == 4 ? 2 : nbytes == 2 ? 1 : 0; }
// Its type among those of the tables.
static int tn_x86_type(const tn_x86_select *x, const tiny_uop *u) {
  const int element = tn_x86_element(x, u);
  if (!tn_is_float(u->dtype)) return TN_X86_I8 + tn_x86_log(element);
  return (u->lanes > 1 ? TN_X86_V32 : TN_X86_S32) + (element == 8);
}
static int tn_x86_int_type(int element) { return TN_X86_I8 + tn_x86_log(element); }

static tn_isa_operand tn_x86_gpr(int reg, int nbytes, int role) { return tn_isa_reg(TN_ISA_GPR, reg, nbytes, role); }
static tn_isa_operand tn_x86_vec(int reg, int nbytes, int role) { return tn_isa_reg(TN_ISA_VEC, reg, nbytes, role); }
static tn_isa_operand tn_x86_kreg(int reg, int role) { return tn_isa_reg(TN_ISA_MASK, reg, 0, role); }
static tn_isa_operand tn_x86_frame(int64_t at, int nbytes) { return tn_isa_at(TN_ISA_FRAME, nbytes, at); }
static int tn_x86_new(tn_x86_select *x, int cls) { return tn_isa_vreg_new(x->c, cls); }
// A value wider than a register is several, whose numbers follow each other.
static int tn_x86_parts_of(const tn_x86_select *x, const tiny_uop *u) {
  const int nbytes = u->lanes * tn_x86_element(x, u), most = x->level->nbytes;
  return tn_x86_class(x, u) == TN_ISA_VEC && nbytes > most ? (nbytes + most - 1) / most : 1;
}
// Lanes of it that a register holds.
static int tn_x86_lanes_of_register(const tn_x86_select *x, const tiny_uop *u) {
  return tn_x86_parts_of(x, u) > 1 ? x->level->nbytes / tn_x86_element(x, u) : u->lanes;
}
static int tn_x86_new_for(tn_x86_select *x, const tiny_uop *u) {
  const int first = tn_x86_new(x, tn_x86_class(x, u));
  for (int i = 1; i < tn_x86_parts_of(x, u); i++) tn_x86_new(x, tn_x86_class(x, u));
  return first;
}

// Does u's only user stand in its block, with no store between that changes what it loads?
static int tn_x86_stays(const tn_x86_select *x, const tiny_uop *u, int load) {
  for (uint32_t i = u->seq + 1; i < x->user[u->seq]->seq; i++) {
    const int op = x->k->list[i]->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_END || op == TINY_OP_IF || op == TINY_OP_ENDIF) return 0;
    if (load && op == TINY_OP_STORE && !tn_is_reg(x->k->list[i]->src[0]->src[0])) return 0;
  }
  return 1;
}

static void tn_x86_copy(tn_x86_select *x, int cls, int to, int from, int nbytes);
static tn_isa_ins *tn_x86_add(tn_x86_select *x, int op, int n, const tn_isa_operand *o) {
  tn_isa_ins *i = tn_isa_add(x->c, op);
  i->n = (uint8_t)n;
  memcpy(i->o, o, (size_t)n * sizeof *o);
  return i;
}
// A row with an operand less than is given overwrites its first source, which is copied to the result before.
static int tn_x86_is_tied(int op, int n, const tn_isa_operand *o) {
  if (n < 3 || op == TN_ISA_PLACE || o->kind != TN_ISA_REG || o->cls != TN_ISA_VEC || o[1].kind != TN_ISA_REG) return 0;
  return tn_x86_spaces(&tn_x86_rows[op]) == TN_X86_LEGACY && (int)strlen(tn_x86_rows[op].operands) == 2 * (n - 1);
}
static tn_isa_ins *tn_x86_n(tn_x86_select *x, int op, int n, const tn_isa_operand *o) {
  if (!tn_x86_is_tied(op, n, o)) return tn_x86_add(x, op, n, o);
  const int to = o->reg, overtaken = o[2].kind == TN_ISA_REG && o[2].cls == TN_ISA_VEC && o[2].reg == to &&
      o[1].reg != to;
  const int into = overtaken ? tn_x86_new(x, TN_ISA_VEC) : to;
  tn_isa_operand tied[4];
  tn_x86_copy(x, TN_ISA_VEC, into, o[1].reg, 16);
  memcpy(tied + 1, o + 2, (size_t)(n - 2) * sizeof *o);
  if (o[2].kind == TN_ISA_REG && o[2].cls == TN_ISA_VEC && o[2].reg == o[1].reg) tied[1].reg = into;   // a square
  tied[0] = tn_x86_vec(into, 16, TN_ISA_BOTH);
  tn_isa_ins *i = tn_x86_add(x, op, n - 1, tied);
  if (overtaken) tn_x86_copy(x, TN_ISA_VEC, to, into, 16);
  return overtaken ? &x->c->ins[x->c->n - 1] : i;
}
static tn_isa_ins *tn_x86_1(tn_x86_select *x, int op, tn_isa_operand a) { return tn_x86_add(x, op, 1, &a); }
static tn_isa_ins *tn_x86_2(tn_x86_select *x, int op, tn_isa_operand a, tn_isa_operand b) {
  const tn_isa_operand o[2] = {a, b};
  return tn_x86_add(x, op, 2, o);
}
static tn_isa_ins *tn_x86_3(tn_x86_select *x, int op, tn_isa_operand a, tn_isa_operand b, tn_isa_operand d) {
  const tn_isa_operand o[3] = {a, b, d};
  return tn_x86_n(x, op, 3, o);
}
static tn_isa_ins *tn_x86_4(tn_x86_select *x, int op, tn_isa_operand a, tn_isa_operand b, tn_isa_operand d,
    int64_t imm) {
  const tn_isa_operand o[4] = {a, b, d, tn_isa_number(imm)};
  return tn_x86_n(x, op, 4, o);
}
static void tn_x86_place(tn_x86_select *x, int label) { tn_x86_1(x, TN_ISA_PLACE, tn_isa_at(TN_ISA_LABEL, 0, label)); }
static void tn_x86_jump(tn_x86_select *x, int op, int label) { tn_x86_1(x, op, tn_isa_at(TN_ISA_LABEL, 0, label)); }

// What the level has for one of the tables' ops; it must be there.
static int tn_x86_best(tn_x86_select *x, int what, int type) {
  const int row = tn_x86_choose(x->level, what, type);
  if (!row) tn_isa_refuse(x->c, "an instruction that the level has not");
  return row;
}
static void tn_x86_do_3(tn_x86_select *x, int what, int type, int nbytes, int to, int a, int b) {
  tn_x86_3(x, tn_x86_best(x, what, type), tn_x86_vec(to, nbytes, TN_ISA_DEF), tn_x86_vec(a, nbytes, TN_ISA_USE),
           tn_x86_vec(b, nbytes, TN_ISA_USE));
}
static void tn_x86_do_imm(tn_x86_select *x, int what, int type, int nbytes, int to, int a, int64_t imm) {
  tn_x86_3(x, tn_x86_best(x, what, type), tn_x86_vec(to, nbytes, TN_ISA_DEF), tn_x86_vec(a, nbytes, TN_ISA_USE),
           tn_isa_number(imm));
}

// A copy of a whole register.
static void tn_x86_copy(tn_x86_select *x, int cls, int to, int from, int nbytes) {
  if (to == from) return;
  if (cls == TN_ISA_GPR) tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_gpr(from, 8, TN_ISA_USE));
  else if (cls == TN_ISA_MASK) tn_x86_2(x, TN_X86_KMOVQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(from, TN_ISA_USE));
  else tn_x86_2(x, tn_x86_best(x, TN_X86_DO_COPY, TN_X86_V32), tn_x86_vec(to, nbytes, TN_ISA_DEF),
                tn_x86_vec(from, nbytes, TN_ISA_USE));
}
static int tn_x86_moves(const tn_isa_ins *i) {
  if (i->mask != TN_ISA_NO_REG || i->n != 2 || i->o[0].kind != TN_ISA_REG || i->o[1].kind != TN_ISA_REG) return 0;
  if (i->o[0].cls != i->o[1].cls) return 0;
  return (i->op == TN_X86_MOV && i->o[0].nbytes == 8) || i->op == TN_X86_KMOVQ || i->op == TN_X86_VMOVAPS ||
      i->op == TN_X86_MOVAPS;
}
// All bits 0, or by a comparison with itself 1: of a register that nothing has written, what it held does not matter.
static void tn_x86_of_itself(tn_x86_select *x, int row, int vec, int nbytes) {
  tn_isa_operand o[3];
  for (int i = 0; i < 3; i++) o[i] = tn_x86_vec(vec, nbytes, i ? 0 : TN_ISA_DEF);
  tn_x86_add(x, row, tn_x86_spaces(&tn_x86_rows[row]) == TN_X86_LEGACY ? 2 : 3, o);
}
static void tn_x86_zero(tn_x86_select *x, int vec, int nbytes) {
  tn_x86_of_itself(x, tn_x86_best(x, TN_X86_DO_XOR, TN_X86_I32), vec, nbytes < 64 ? 16 : 64);
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
  const int nbytes = tn_x86_element(x, constant) < 4 ? 4 : tn_x86_element(x, constant);
  return tn_isa_constant(x->c, &bits, (size_t)nbytes);
}
// The same bits again and again: nbytes of the pool.
static tn_isa_operand tn_x86_pool_of(tn_x86_select *x, int64_t bits, int element, int nbytes) {
  uint8_t all[64];
  for (int i = 0; i < nbytes; i++) all[i] = (uint8_t)((uint64_t)bits >> 8 * (i % element));
  return tn_isa_at(TN_ISA_POOL, nbytes, tn_isa_constant(x->c, all, (size_t)nbytes));
}
// The same bits in all lanes of a new register.
static int tn_x86_splat(tn_x86_select *x, int64_t bits, int element, int nbytes) {
  const int v = tn_x86_new(x, TN_ISA_VEC), wide = element == 8 ? 8 : 4;
  uint64_t low = (uint64_t)bits;
  if (element < 8) low &= ((uint64_t)1 << 8 * element) - 1;
  if (!low) { tn_x86_zero(x, v, nbytes); return v; }
  const int row = tn_x86_choose(x->level, TN_X86_DO_SPLAT, tn_x86_int_type(wide));
  const tn_isa_operand d = tn_x86_vec(v, nbytes, TN_ISA_DEF);
  if (row) tn_x86_2(x, row, d, tn_x86_pool_of(x, bits, element, wide));
  else tn_x86_2(x, tn_x86_best(x, TN_X86_DO_MOVE, TN_X86_V32), d, tn_x86_pool_of(x, bits, element, nbytes));
  return v;
}
static int tn_x86_is_splat(const tiny_uop *u) { return u->op == TINY_OP_BROADCAST && u->src[0]->op == TINY_OP_CONST; }

static int tn_x86_constant(tn_x86_select *x, const tiny_uop *u) {
  const int cls = tn_x86_class(x, u);
  if (cls == TN_ISA_GPR) {
    const int r = tn_x86_new(x, TN_ISA_GPR);
    const int wide = tn_x86_nbytes(x, u) == 8;
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(r, wide ? 8 : 4, TN_ISA_DEF),
             tn_isa_number(wide ? u->k : (int32_t)(uint64_t)u->k));
    return r;
  }
  const int v = tn_x86_new(x, TN_ISA_VEC), element = tn_x86_element(x, u);
  if (!tn_x86_bits(u)) { tn_x86_zero(x, v, 16); return v; }
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_MOVE, tn_x86_type(x, u)), tn_x86_vec(v, 16, TN_ISA_DEF),
           tn_isa_at(TN_ISA_POOL, element, tn_x86_pooled(x, u)));
  return v;
}
static int tn_x86_all_lanes(tn_x86_select *x, int on) {      // a mask, or a vector of 0 or -1
  if (!x->level->masks) {
    const int v = tn_x86_new(x, TN_ISA_VEC);
    if (on) tn_x86_of_itself(x, tn_x86_best(x, TN_X86_DO_EQ, TN_X86_I32), v, x->level->nbytes);
    else tn_x86_zero(x, v, x->level->nbytes);
    return v;
  }
  const int k = tn_x86_new(x, TN_ISA_MASK);
  const tn_isa_operand self = tn_x86_kreg(k, 0);
  tn_x86_3(x, on ? TN_X86_KXNORQ : TN_X86_KXORQ, tn_x86_kreg(k, TN_ISA_DEF), self, self);
  return k;
}

// ** parts **

// A register whose lowest nbytes are those of r, which holds `held`, from byte `at` on.
static int tn_x86_bytes_at(tn_x86_select *x, int r, int held, int at, int nbytes) {
  if (!at) return r;
  if (x->level->masks && nbytes < 16 && at >= 16 && at % 4 == 0) {
    const int low = tn_x86_new(x, TN_ISA_VEC);
    const tn_isa_operand whole = tn_x86_vec(r, held, TN_ISA_USE);
    tn_x86_4(x, TN_X86_VALIGND, tn_x86_vec(low, held, TN_ISA_DEF), whole, whole, at / 4);
    return low;
  }
  if (nbytes == 32 || at >= 16) {
    const int block = tn_x86_new(x, TN_ISA_VEC), of_32 = nbytes == 32;
    const int of_16 = x->level->masks ? TN_X86_VEXTRACTF32X4 : TN_X86_VEXTRACTF128;
    tn_x86_3(x, of_32 ? TN_X86_VEXTRACTF64X4 : of_16, tn_x86_vec(block, of_32 ? 32 : 16, TN_ISA_DEF),
             tn_x86_vec(r, held, TN_ISA_USE), tn_isa_number(of_32 ? at / 32 : at / 16));
    if (of_32) return block;
    r = block;
  }
  if (!(at % 16)) return r;
  const int low = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_do_imm(x, TN_X86_DO_BYTES_DOWN, TN_X86_I8, 16, low, r, at % 16);
  return low;
}
// Lanes [from, from + n) of a vector that stands in registers from r on.
static int tn_x86_some_lanes(tn_x86_select *x, const tiny_uop *u, int r, int from, int n) {
  const int element = tn_x86_element(x, u), each = tn_x86_lanes_of_register(x, u), at = from % each;
  r += from / each;
  if (n == each || !at) return r;
  if (tn_x86_class(x, u) == TN_ISA_MASK) {
    const int k = tn_x86_new(x, TN_ISA_MASK);
    tn_x86_3(x, TN_X86_KSHIFTRQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(at));
    return k;
  }
  return tn_x86_bytes_at(x, r, tn_x86_vector(each * element), at * element, n * element);
}
// The register of a node's value, or of the part of it that is asked for now.
static int tn_x86_value(tn_x86_select *x, const tiny_uop *u) {
  if (u->op == TINY_OP_CONST) return tn_x86_constant(x, u);
  if (tn_x86_is_splat(u)) {
    if (u->dtype == TINY_BOOL) return tn_x86_all_lanes(x, u->src[0]->k != 0);
    if (x->reg[u->seq] >= 0) return x->reg[u->seq];          // of which any part is as good
    return tn_x86_splat(x, tn_x86_bits(u->src[0]), tn_x86_element(x, u), tn_x86_held(x, u));
  }
  const int r = x->reg[u->seq];
  if (r < 0) tn_isa_refuse(x->c, "a value that is nowhere");
  if (r < 0) return tn_x86_new(x, tn_x86_class(x, u));
  return x->lanes && u->lanes > 1 ? tn_x86_some_lanes(x, u, r, x->from, x->lanes) : r;
}
static tn_isa_operand tn_x86_use(tn_x86_select *x, const tiny_uop *u) {
  return tn_isa_reg(tn_x86_class(x, u), tn_x86_value(x, u), tn_x86_held(x, u), TN_ISA_USE);
}
// The last source of an instruction: a constant in memory where it may be, of AVX-512 one element of it that
// *broadcast says of vectors.
static tn_isa_operand tn_x86_source(tn_x86_select *x, const tiny_uop *u, int *broadcast) {
  const int element = tn_x86_element(x, u), is_splat = tn_x86_is_splat(u) && u->dtype != TINY_BOOL;
  *broadcast = 0;
  if (tn_is_float(u->dtype) && u->op == TINY_OP_CONST && tn_x86_bits(u))
    return tn_isa_at(TN_ISA_POOL, element, tn_x86_pooled(x, u));
  if (is_splat && !x->level->masks && tn_x86_bits(u->src[0]))
    return tn_x86_pool_of(x, tn_x86_bits(u->src[0]), element, tn_x86_held(x, u));
  if (is_splat && x->level->masks && element >= 4 && tn_x86_bits(u->src[0])) {
    *broadcast = 1;
    return tn_isa_at(TN_ISA_POOL, element, tn_x86_pooled(x, u->src[0]));
  }
  return tn_x86_use(x, u);
}
#endif
