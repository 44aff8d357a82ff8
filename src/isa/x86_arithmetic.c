// x86_arithmetic: sums, products and divisions, comparisons and choices, conversions, of scalars and of vectors.
//
// In:  a node of an elementwise op. Out: the instructions that write its value, or the part asked for, to a register.
// Holds: an integer of less than 32 bits is extended again after what may leave its type.
// Not here: what vectors have no instruction for (x86_lanes.c); casts of vectors of bools, which are refused.
#ifndef TN_ISA_X86_ARITHMETIC
#define TN_ISA_X86_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "x86_memory.c"
#endif

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
// A shift of lanes of four or eight bytes by a number that is less.
static int tn_x86_shift_by_number(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int rows[3][2] = {{TN_X86_VPSLLD, TN_X86_VPSLLQ}, {TN_X86_VPSRLD, TN_X86_VPSRLQ},
                                 {TN_X86_VPSRAD, TN_X86_VPSRAQ}};
  const int element = tn_x86_element(u), kind = u->op == TINY_OP_SHL ? 0 : tn_is_unsigned(u->dtype) ? 1 : 2;
  if ((u->op != TINY_OP_SHL && u->op != TINY_OP_SHR) || !tn_x86_is_splat(u->src[1]) || element < 4) return 0;
  const int64_t by = u->src[1]->src[0]->k;
  if (by < 0 || by >= 8 * element) return 0;
  const tn_isa_operand a = tn_x86_use(x, u->src[0]);
  tn_x86_3(x, rows[kind][element == 8], tn_x86_vec(to, tn_x86_held(x, u), TN_ISA_DEF), a, tn_isa_number(by));
  return 1;
}
// The last source of an instruction: a load that is read by it alone, from memory; or as x86_values.c has it.
static int tn_x86_is_read(const tn_x86_select *x, const tiny_uop *u) {
  return u->op == TINY_OP_LOAD && x->fused[u->seq];
}
static tn_isa_operand tn_x86_last_source(tn_x86_select *x, const tiny_uop *u, int *broadcast) {
  if (!tn_x86_is_read(x, u)) return tn_x86_source(x, u, broadcast);
  *broadcast = 0;
  return tn_x86_memory(x, u->src[0], tn_x86_nbytes(x, u));
}
// Of two sources of vectors or floats.
static void tn_x86_binary(tn_x86_select *x, const tiny_uop *u, int to) {
  const int row = tn_x86_row_of(u), held = tn_x86_held(x, u), turned = tn_x86_is_read(x, u->src[0]);
  int broadcast;
  if (u->lanes > 1 && tn_x86_shift_by_number(x, u, to)) return;
  const tn_isa_operand a = tn_x86_use(x, u->src[turned]);
  const tn_isa_operand b = tn_x86_last_source(x, u->src[!turned], &broadcast);
  tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), a, b)->broadcast = (uint8_t)broadcast;
}

// Is u read here for the last time, so that its register may be written?
static int tn_x86_ends(const tn_x86_select *x, const tiny_uop *u, const tiny_uop *here) {
  return u->op != TINY_OP_CONST && !tn_x86_is_splat(u) && x->last[u->seq] <= (int)here->seq;
}
// product: a MUL that this sum alone uses; the other source is added to it, or it is taken from that. What is read here
// for the last time, the other source or one of the factors, is what the instruction writes.
static void tn_x86_fuse(tn_x86_select *x, const tiny_uop *u, const tiny_uop *product, int to) {
  static const int rows[2][3][4] = {
    {{TN_X86_VFMADD231PS, TN_X86_VFMADD231PD, TN_X86_VFMADD231SS, TN_X86_VFMADD231SD},
     {TN_X86_VFNMADD231PS, TN_X86_VFNMADD231PD, TN_X86_VFNMADD231SS, TN_X86_VFNMADD231SD},
     {TN_X86_VFMSUB231PS, TN_X86_VFMSUB231PD, TN_X86_VFMSUB231SS, TN_X86_VFMSUB231SD}},
    {{TN_X86_VFMADD213PS, TN_X86_VFMADD213PD, TN_X86_VFMADD213SS, TN_X86_VFMADD213SD},
     {TN_X86_VFNMADD213PS, TN_X86_VFNMADD213PD, TN_X86_VFNMADD213SS, TN_X86_VFNMADD213SD},
     {TN_X86_VFMSUB213PS, TN_X86_VFMSUB213PD, TN_X86_VFMSUB213SS, TN_X86_VFMSUB213SD}}};
  const int turned = tn_x86_is_read(x, product->src[0]);
  const tiny_uop *other = u->src[0] == product ? u->src[1] : u->src[0];
  const tiny_uop *a = product->src[turned], *b = product->src[!turned];
  const int kind = u->op == TINY_OP_ADD ? 0 : product == u->src[1] ? 1 : 2, held = tn_x86_held(x, u);
  const int form = 2 * (u->lanes == 1) + (tn_x86_element(u) == 8);
  const int of_factor = !tn_x86_ends(x, other, u) && (tn_x86_ends(x, a, u) || tn_x86_ends(x, b, u)) &&
      x->reg[other->seq] != to && !tn_x86_is_read(x, b);
  const tiny_uop *written = !of_factor ? other : tn_x86_ends(x, a, u) ? a : b;
  const tiny_uop *second = !of_factor || written == b ? a : b, *third = of_factor ? other : b;
  int broadcast;
  const int from = tn_x86_value(x, written);
  const tn_isa_operand p = tn_x86_use(x, second), q = tn_x86_last_source(x, third, &broadcast);
  tn_x86_copy(x, TN_ISA_VEC, to, from, held);
  tn_x86_3(x, rows[of_factor][kind][form], tn_x86_vec(to, held, TN_ISA_BOTH), p, q)->broadcast = (uint8_t)broadcast;
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
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(rdx, 4, TN_ISA_DEF), tn_isa_number(0));   // its name: it is written here
  if (sign) tn_isa_add(x->c, nbytes == 8 ? TN_X86_CQO : TN_X86_CDQ);
  tn_x86_1(x, sign ? TN_X86_IDIV : TN_X86_DIV, tn_x86_gpr(by, nbytes, TN_ISA_USE));
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, nbytes, TN_ISA_DEF),
           tn_x86_gpr(u->op == TINY_OP_CDIV ? rax : rdx, nbytes, TN_ISA_USE));
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
  static const struct { int op, row; } rows[] = {
    {TINY_OP_ADD, TN_X86_ADD}, {TINY_OP_SUB, TN_X86_SUB}, {TINY_OP_AND, TN_X86_AND}, {TINY_OP_OR, TN_X86_OR},
    {TINY_OP_XOR, TN_X86_XOR}};
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

static void tn_x86_unary(tn_x86_select *x, const tiny_uop *u, int to) {
  const int held = tn_x86_held(x, u), cls = tn_x86_class(u), f64 = tn_x86_element(u) == 8, wide = u->lanes > 1;
  const int a = tn_x86_value(x, u->src[0]);
  if (u->op == TINY_OP_NEG && cls == TN_ISA_GPR) {
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(to, held, TN_ISA_BOTH));
    tn_x86_extend(x, u, to);
  } else if (u->op == TINY_OP_NEG && tn_is_float(u->dtype)) {
    const int sign = tn_x86_splat(x, f64 ? INT64_MIN : INT32_MIN, f64 ? 8 : 4, held);
    tn_x86_3(x, TN_X86_VPXORD, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_vec(a, held, TN_ISA_USE),
             tn_x86_vec(sign, held, TN_ISA_USE));
  } else if (u->op == TINY_OP_NEG) {
    const int zero = tn_x86_new(x, TN_ISA_VEC), row = tn_x86_ops[1].ints[tn_x86_log(tn_x86_element(u))];
    tn_x86_zero(x, zero, held);
    tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_vec(zero, held, TN_ISA_USE),
             tn_x86_vec(a, held, TN_ISA_USE));
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
  const int floats = s->lanes > 1 ? (f64 ? TN_X86_VCMPPD : TN_X86_VCMPPS) : f64 ? TN_X86_VCMPSD : TN_X86_VCMPSS;
  const int row = is_float ? floats : ints[tn_is_unsigned(s->dtype)][tn_x86_log(tn_x86_element(s))];
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
  tn_x86_1(x, u->op == TINY_OP_LT ? below : u->op == TINY_OP_EQ ? TN_X86_SETE : TN_X86_SETNE,
           tn_x86_gpr(flag, 1, TN_ISA_DEF));
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
    const int yes = tn_x86_value(x, u->src[1]), no = tn_x86_value(x, u->src[2]);
    const int a = tn_x86_new(x, cls), b = tn_x86_new(x, cls);
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
    {TINY_I32, TINY_F32, TN_X86_VCVTDQ2PS}, {TINY_U32, TINY_F32, TN_X86_VCVTUDQ2PS},
    {TINY_F32, TINY_I32, TN_X86_VCVTTPS2DQ}, {TINY_F32, TINY_U32, TN_X86_VCVTTPS2UDQ},
    {TINY_I32, TINY_F64, TN_X86_VCVTDQ2PD}, {TINY_U32, TINY_F64, TN_X86_VCVTUDQ2PD},
    {TINY_F64, TINY_I32, TN_X86_VCVTTPD2DQ}, {TINY_F64, TINY_U32, TN_X86_VCVTTPD2UDQ},
    {TINY_F32, TINY_F64, TN_X86_VCVTPS2PD}, {TINY_F64, TINY_F32, TN_X86_VCVTPD2PS},
    {TINY_I64, TINY_F64, TN_X86_VCVTQQ2PD}, {TINY_U64, TINY_F64, TN_X86_VCVTUQQ2PD},
    {TINY_I64, TINY_F32, TN_X86_VCVTQQ2PS}, {TINY_U64, TINY_F32, TN_X86_VCVTUQQ2PS},
    {TINY_F64, TINY_I64, TN_X86_VCVTTPD2QQ}, {TINY_F64, TINY_U64, TN_X86_VCVTTPD2UQQ},
    {TINY_F32, TINY_I64, TN_X86_VCVTTPS2QQ}, {TINY_F32, TINY_U64, TN_X86_VCVTTPS2UQQ}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].from == from && rows[i].to == to) return rows[i].row;
  return 0;
}
// Between integers of different sizes: widening by the source's sign, narrowing by leaving out high bits.
static int tn_x86_resize_row(int from, int from_nbytes, int to_nbytes) {
  static const int widen[2][4][4] = {
    {{0, TN_X86_VPMOVZXBW, TN_X86_VPMOVZXBD, TN_X86_VPMOVZXBQ}, {0, 0, TN_X86_VPMOVZXWD, TN_X86_VPMOVZXWQ},
     {0, 0, 0, TN_X86_VPMOVZXDQ}, {0, 0, 0, 0}},
    {{0, TN_X86_VPMOVSXBW, TN_X86_VPMOVSXBD, TN_X86_VPMOVSXBQ}, {0, 0, TN_X86_VPMOVSXWD, TN_X86_VPMOVSXWQ},
     {0, 0, 0, TN_X86_VPMOVSXDQ}, {0, 0, 0, 0}}};
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
  const int r = tn_x86_value(x, s), u64 = s->dtype == TINY_U64;
  const int wide = u64 || s->dtype == TINY_I64 || s->dtype == TINY_U32;
  const int row = u64 ? (f64 ? TN_X86_VCVTUSI2SD : TN_X86_VCVTUSI2SS) : f64 ? TN_X86_VCVTSI2SD : TN_X86_VCVTSI2SS;
  tn_x86_zero(x, to, 16);                  // whose other lanes it takes
  tn_x86_3(x, row, tn_x86_vec(to, 16, TN_ISA_BOTH), tn_x86_vec(to, 16, TN_ISA_USE),
           tn_x86_gpr(r, wide ? 8 : 4, TN_ISA_USE));
}
static void tn_x86_cast(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (u->lanes > 1) { tn_x86_cast_lanes(x, u, to); return; }
  const int to_float = tn_is_float(u->dtype), from_float = tn_is_float(s->dtype), f64 = tn_x86_element(u) == 8;
  if (to_float && !from_float) { tn_x86_cast_to_float(x, s, f64, to); return; }
  const int r = tn_x86_value(x, s);
  if (to_float) {
    if (tn_x86_element(s) == tn_x86_element(u)) tn_x86_copy(x, TN_ISA_VEC, to, r, 16);
    else tn_x86_3(x, f64 ? TN_X86_VCVTSS2SD : TN_X86_VCVTSD2SS, tn_x86_vec(to, 16, TN_ISA_DEF),
        tn_x86_vec(r, 16, TN_ISA_USE), tn_x86_vec(r, 16, TN_ISA_USE));
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
  if (wider && tn_is_signed(s->dtype))
    tn_x86_2(x, TN_X86_MOVSXD, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  else if (wider || tn_x86_nbytes(x, u) < 8)
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  else tn_x86_copy(x, TN_ISA_GPR, to, r, 8);
  tn_x86_extend(x, u, to);
}
static void tn_x86_bitcast(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int from = tn_x86_class(s), cls = tn_x86_class(u), r = tn_x86_value(x, s), nbytes = tn_x86_nbytes(x, u);
  if (from == TN_ISA_MASK || cls == TN_ISA_MASK || tn_x86_nbytes(x, s) != nbytes) {
    tn_isa_refuse(x->c, "a bitcast of bools");
    return;
  }
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
#endif
