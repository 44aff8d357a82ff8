// x86_arithmetic: sums, products and divisions, comparisons and choices, of scalars and of vectors.
//
// In:  a node of an elementwise op. Out: the instructions that write its value, or the part asked for, to a register.
// Holds: an integer of less than 32 bits is extended again after what may leave its type.
// Not here: what the level has no instruction for: x86_rules.c says it by other nodes, or x86_lanes.c goes by elements.
#ifndef TN_ISA_X86_ARITHMETIC
#define TN_ISA_X86_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "x86_memory.c"
#endif

// ** of two sources of vectors or floats **

// The op of the tables for a node; -1: none. Shifts by one number for all lanes are by an immediate.
static int tn_x86_do_of(const tiny_uop *u) {
  const int sign = tn_is_signed(u->dtype), splat = u->nsrc > 1 && tn_x86_is_splat(u->src[1]);
  const int by_number = splat && u->src[1]->src[0]->k >= 0 && u->src[1]->src[0]->k < tn_bits(u->dtype);
  switch (u->op) {
    case TINY_OP_ADD: return TN_X86_DO_ADD;   case TINY_OP_SUB: return TN_X86_DO_SUB;
    case TINY_OP_MUL: return TN_X86_DO_MUL;   case TINY_OP_FDIV: return TN_X86_DO_FDIV;
    case TINY_OP_AND: return TN_X86_DO_AND;   case TINY_OP_OR: return TN_X86_DO_OR;
    case TINY_OP_XOR: return TN_X86_DO_XOR;
    case TINY_OP_SHL: return by_number ? TN_X86_DO_SHLI : TN_X86_DO_SHL;
    case TINY_OP_SHR: return by_number ? (sign ? TN_X86_DO_SHRI : TN_X86_DO_SHRUI) :
                                         sign ? TN_X86_DO_SHR : TN_X86_DO_SHRU;
    case TINY_OP_EQ: return TN_X86_DO_EQ;     case TINY_OP_LT: return TN_X86_DO_LT;
    case TINY_OP_NE: return TN_X86_DO_NE;     case TINY_OP_SQRT: return TN_X86_DO_SQRT;
    case TINY_OP_TRUNC: return TN_X86_DO_TRUNC;
    default: return -1;
  }
}
static int tn_x86_row_of(const tn_x86_select *x, const tiny_uop *u) {
  const int what = tn_x86_do_of(u);
  return what < 0 ? 0 : tn_x86_choose(x->level, what, tn_x86_type(x, u));
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
static int tn_x86_is_register(const tiny_uop *u) { return u->op != TINY_OP_CONST && !tn_x86_is_splat(u); }
// Is u read here for the last time, so that its register may be written?
static int tn_x86_ends(const tn_x86_select *x, const tiny_uop *u, const tiny_uop *here) {
  return tn_x86_is_register(u) && x->last[u->seq] <= (int)here->seq;
}
// Where an instruction overwrites its first source: is that to be the second of u, as it is `to`, or ends here?
static int tn_x86_is_better_turned(const tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *a = u->src[0], *b = u->src[1];
  const int commutes = u->op == TINY_OP_ADD || u->op == TINY_OP_MUL || u->op == TINY_OP_AND || u->op == TINY_OP_OR ||
      u->op == TINY_OP_XOR;
  if (!commutes || tn_x86_level_has(x->level, TN_X86_VADDPS) || !tn_x86_is_register(b)) return 0;
  if (!tn_x86_is_register(a) || x->reg[b->seq] == to) return 1;
  return x->reg[a->seq] != to && tn_x86_ends(x, b, u) && !tn_x86_ends(x, a, u);
}
// Is it 1 where a bool of a vector is set, else 0, so that it is added by subtracting the vector of 0 and -1?
static int tn_x86_is_count(const tn_x86_select *x, const tiny_uop *u) {
  return u->op == TINY_OP_WHERE && u->lanes > 1 && u->src[0]->lanes > 1 && !x->level->masks && tn_is_int(u->dtype) &&
      tn_x86_is_splat(u->src[1]) && u->src[1]->src[0]->k == 1 && tn_x86_is_splat(u->src[2]) && !u->src[2]->src[0]->k;
}
// Which source is one, that is written here; -1: none.
static int tn_x86_counts(const tn_x86_select *x, const tiny_uop *u) {
  for (int i = 0; u->op == TINY_OP_ADD && i < 2; i++)
    if (x->fused[u->src[i]->seq] && tn_x86_is_count(x, u->src[i])) return i;
  return -1;
}
static void tn_x86_binary(tn_x86_select *x, const tiny_uop *u, int to) {
  const int what = tn_x86_do_of(u), row = tn_x86_row_of(x, u), held = tn_x86_held(x, u);
  const int by_number = what == TN_X86_DO_SHLI || what == TN_X86_DO_SHRI || what == TN_X86_DO_SHRUI;
  const int turned = tn_x86_is_read(x, u->src[0]) || tn_x86_is_better_turned(x, u, to), count = tn_x86_counts(x, u);
  int broadcast = 0;
  if (count >= 0) {
    const int other = tn_x86_value(x, u->src[!count]);
    tn_x86_do_3(x, TN_X86_DO_SUB, tn_x86_type(x, u), held, to, other,
                tn_x86_mask_as(x, u->src[count]->src[0], tn_x86_element(x, u)));
    return;
  }
  const tn_isa_operand a = tn_x86_use(x, u->src[turned]);
  const tn_isa_operand b = by_number ? tn_isa_number(u->src[1]->src[0]->k) :
      tn_x86_last_source(x, u->src[!turned], &broadcast);
  tn_x86_3(x, row, tn_x86_vec(to, held, TN_ISA_DEF), a, b)->broadcast = (uint8_t)broadcast;
}
// Bools of vectors: AND, OR, XOR and what else says the same of them.
static int tn_x86_is_logic(const tiny_uop *u) {
  return u->op == TINY_OP_AND || u->op == TINY_OP_OR || u->op == TINY_OP_XOR || u->op == TINY_OP_NE;
}
static void tn_x86_logic(tn_x86_select *x, const tiny_uop *u, int to) {
  const int element = tn_x86_element(x, u), held = tn_x86_held(x, u);
  const int a = tn_x86_mask_as(x, u->src[0], element), b = tn_x86_mask_as(x, u->src[1], element);
  if (x->level->masks) {
    tn_x86_3(x, u->op == TINY_OP_AND ? TN_X86_KANDQ : u->op == TINY_OP_OR ? TN_X86_KORQ : TN_X86_KXORQ,
             tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(a, TN_ISA_USE), tn_x86_kreg(b, TN_ISA_USE));
    return;
  }
  tn_x86_do_3(x, u->op == TINY_OP_AND ? TN_X86_DO_AND : u->op == TINY_OP_OR ? TN_X86_DO_OR : TN_X86_DO_XOR, TN_X86_I32,
              held, to, a, b);
}
// Products of integers of 64 bits by those of their halves: low * low + ((high * low + low * high) << 32), of which
// what is known to be 0 is left out.
static int tn_x86_is_high(const tiny_uop *u) {
  if (u->op == TINY_OP_BROADCAST) return tn_x86_is_high(u->src[0]);
  if (u->op == TINY_OP_CAST && tn_is_unsigned(u->src[0]->dtype)) return tn_bits(u->src[0]->dtype) > 32;
  return u->op == TINY_OP_CONST ? u->k < 0 || u->k > (int64_t)UINT32_MAX : u->vmin < 0 || u->vmax > (int64_t)UINT32_MAX;
}
static int tn_x86_high_by_low(tn_x86_select *x, int a, int b, int held) {
  const int high = tn_x86_new(x, TN_ISA_VEC), product = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_do_imm(x, TN_X86_DO_SHRUI, TN_X86_I64, held, high, a, 32);
  tn_x86_do_3(x, TN_X86_DO_PRODUCT, TN_X86_I64, held, product, high, b);
  return product;
}
static void tn_x86_multiply_64(tn_x86_select *x, const tiny_uop *u, int to) {
  const int held = tn_x86_held(x, u), type = TN_X86_I64;
  const int a = tn_x86_value(x, u->src[0]), b = tn_x86_value(x, u->src[1]);
  const int first = tn_x86_is_high(u->src[0]) ? tn_x86_high_by_low(x, a, b, held) : -1;
  const int second = tn_x86_is_high(u->src[1]) ? tn_x86_high_by_low(x, b, a, held) : -1;
  if (first < 0 && second < 0) { tn_x86_do_3(x, TN_X86_DO_PRODUCT, type, held, to, a, b); return; }
  int high = first < 0 ? second : first;
  if (first >= 0 && second >= 0) {
    high = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_do_3(x, TN_X86_DO_ADD, type, held, high, first, second);
  }
  const int up = tn_x86_new(x, TN_ISA_VEC), low = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_do_imm(x, TN_X86_DO_SHLI, type, held, up, high, 32);
  tn_x86_do_3(x, TN_X86_DO_PRODUCT, type, held, low, a, b);
  tn_x86_do_3(x, TN_X86_DO_ADD, type, held, to, up, low);
}

// The upper halves of the products of a vector of 32 bits and a number, shifted to the right: what a division by a
// constant is made of. NULL: u is none of that; else the vector.
static const tiny_uop *tn_x86_high_product_of(const tiny_uop *u) {
  const tiny_uop *shift = u->op == TINY_OP_CAST && u->lanes > 1 && tn_is_int(u->dtype) && tn_bits(u->dtype) == 32 ?
      u->src[0] : NULL;
  if (!shift || shift->op != TINY_OP_SHR || shift->dtype != TINY_U64 || !tn_x86_is_splat(shift->src[1])) return NULL;
  const tiny_uop *product = shift->src[0], *wide = product->op == TINY_OP_MUL ? product->src[0] : NULL;
  const int64_t by = shift->src[1]->src[0]->k;
  if (!wide || by < 32 || by > 63 || wide->op != TINY_OP_CAST || wide->src[0]->dtype != TINY_U32) return NULL;
  const int by_word = tn_x86_is_splat(product->src[1]) && !tn_x86_is_high(product->src[1]);
  return by_word && !tn_x86_is_splat(wide->src[0]) ? wide->src[0] : NULL;
}
static int tn_x86_are(const tiny_uop *u, int op, const tiny_uop *a, const tiny_uop *b) {
  return u->op == op && ((u->src[0] == a && u->src[1] == b) || (u->src[0] == b && u->src[1] == a));
}
// Such a quotient with its sign: (s ^ q) - s, where q is of (s ^ x) - s, and s is x >> 31. NULL: u is none; else x. By
// products with signs it is ((x * number) >> shift) - s, as no product but 0 has all that is shifted out 0.
static const tiny_uop *tn_x86_quotient_of(const tiny_uop *u) {
  const tiny_uop *sign = u->op == TINY_OP_SUB && u->dtype == TINY_I32 && u->lanes > 1 ? u->src[1] : NULL;
  if (!sign || sign->op != TINY_OP_SHR || sign->dtype != TINY_I32 || !tn_x86_is_splat(sign->src[1]) ||
      sign->src[1]->src[0]->k != 31 || u->src[0]->op != TINY_OP_XOR) return NULL;
  const tiny_uop *x = sign->src[0], *turned = u->src[0], *q = turned->src[turned->src[0] == sign];
  if (!tn_x86_are(turned, TINY_OP_XOR, sign, q) || q->op != TINY_OP_CAST || q->src[0]->dtype != TINY_U32) return NULL;
  const tiny_uop *size = tn_x86_high_product_of(q->src[0]);
  const tiny_uop *of = size && size->op == TINY_OP_CAST ? size->src[0] : NULL;
  if (!of || of->op != TINY_OP_SUB || of->dtype != TINY_I32 || of->src[1] != sign) return NULL;
  const int64_t number = q->src[0]->src[0]->src[0]->src[1]->src[0]->k;
  return number & 1 && number <= INT32_MAX && tn_x86_are(of->src[0], TINY_OP_XOR, sign, x) ? x : NULL;
}
// The lanes of b where the number is odd, of a where it is even, 4 bytes each.
static void tn_x86_odd_lanes(tn_x86_select *x, int to, int held, int a, int b) {
  const tn_isa_operand d = tn_x86_vec(to, held, TN_ISA_DEF), even = tn_x86_vec(a, held, TN_ISA_USE);
  const tn_isa_operand odd = tn_x86_vec(b, held, TN_ISA_USE);
  const int row = tn_x86_choose(x->level, TN_X86_DO_BLEND_4, TN_X86_I32);
  if (x->level->masks) {
    const int r = tn_x86_new(x, TN_ISA_GPR), k = tn_x86_new(x, TN_ISA_MASK);
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(r, 4, TN_ISA_DEF), tn_isa_number(0xAAAA));
    tn_x86_2(x, TN_X86_KMOVD, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
    tn_x86_3(x, TN_X86_VPBLENDMD, d, even, odd)->mask = k;
  } else if (row) tn_x86_4(x, row, d, even, odd, held == 16 ? 0xA : 0xAA);
  else {
    const int upper = tn_x86_new(x, TN_ISA_VEC);             // even ones have nothing there
    tn_x86_3(x, tn_x86_best(x, TN_X86_DO_AND, TN_X86_I32), tn_x86_vec(upper, held, TN_ISA_DEF), odd,
             tn_x86_pool_of(x, (int64_t)((uint64_t)UINT32_MAX << 32), 8, held));
    tn_x86_do_3(x, TN_X86_DO_OR, TN_X86_I32, held, to, a, upper);
  }
}
static void tn_x86_high_product(tn_x86_select *x, const tiny_uop *u, int to) {
  const int sign = u->op == TINY_OP_SUB, what = sign ? TN_X86_DO_PRODUCT_SIGNED : TN_X86_DO_PRODUCT;
  const tiny_uop *high = sign ? u->src[0]->src[u->src[0]->src[0] == u->src[1]]->src[0] : u, *shift = high->src[0];
  const int held = tn_x86_held(x, u), a = tn_x86_value(x, x->factor[u->seq]), more = (int)shift->src[1]->src[0]->k - 32;
  const int by = tn_x86_splat(x, shift->src[0]->src[1]->src[0]->k, 8, held), up = tn_x86_new(x, TN_ISA_VEC);
  const int even = tn_x86_new(x, TN_ISA_VEC), odd = tn_x86_new(x, TN_ISA_VEC), low = tn_x86_new(x, TN_ISA_VEC);
  const int both = sign || more ? tn_x86_new(x, TN_ISA_VEC) : to, shifted = sign ? tn_x86_new(x, TN_ISA_VEC) : to;
  tn_x86_do_imm(x, TN_X86_DO_SHRUI, TN_X86_I64, held, up, a, 32);
  tn_x86_do_3(x, what, TN_X86_I64, held, odd, up, by);
  tn_x86_do_3(x, what, TN_X86_I64, held, even, a, by);
  tn_x86_do_imm(x, TN_X86_DO_SHRUI, TN_X86_I64, held, low, even, 32);
  tn_x86_odd_lanes(x, both, held, low, odd);
  if (more) tn_x86_do_imm(x, sign ? TN_X86_DO_SHRI : TN_X86_DO_SHRUI, TN_X86_I32, held, shifted, both, more);
  if (!sign) return;
  const int below = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_do_imm(x, TN_X86_DO_SHRI, TN_X86_I32, held, below, a, 31);
  tn_x86_do_3(x, TN_X86_DO_SUB, TN_X86_I32, held, to, more ? shifted : both, below);
}

// Where the level shifts all lanes by one number alone: by products with powers of two, the upper halves of which are
// those of shifts to the right. Of SSE4.1, 4 bytes each.
static int tn_x86_shifts_by_products(const tn_x86_select *x, const tiny_uop *u) {
  const int left = u->op == TINY_OP_SHL, right = u->op == TINY_OP_SHR && !tn_is_signed(u->dtype);
  return (left || right) && u->lanes > 1 && tn_x86_element(x, u) == 4 && !tn_x86_row_of(x, u) &&
      tn_x86_level_has(x->level, TN_X86_PMULLD);
}
// 2^y, or 2^(31 - y): as a float, whose exponent that is. 2^31 is none of the integers with a sign, and becomes the one
// of which only the top bit is set (Intel SDM vol. 2, CVTTPS2DQ: integer indefinite).
static int tn_x86_powers(tn_x86_select *x, int y, int held, int down) {
  const int up = tn_x86_new(x, TN_ISA_VEC), bits = tn_x86_new(x, TN_ISA_VEC), power = tn_x86_new(x, TN_ISA_VEC);
  const int one = tn_x86_splat(x, (int64_t)(127 + (down ? 31 : 0)) << 23, 4, held);
  tn_x86_do_imm(x, TN_X86_DO_SHLI, TN_X86_I32, held, up, y, 23);
  tn_x86_do_3(x, down ? TN_X86_DO_SUB : TN_X86_DO_ADD, TN_X86_I32, held, bits, one, up);
  tn_x86_2(x, tn_x86_conversion_row(x->level, TINY_F32, TINY_I32), tn_x86_vec(power, held, TN_ISA_DEF),
           tn_x86_vec(bits, held, TN_ISA_USE));
  return power;
}
static void tn_x86_shift_by_products(tn_x86_select *x, const tiny_uop *u, int to) {
  const int held = tn_x86_held(x, u), left = u->op == TINY_OP_SHL, a = tn_x86_value(x, u->src[0]);
  const int power = tn_x86_powers(x, tn_x86_value(x, u->src[1]), held, !left);
  if (left) { tn_x86_do_3(x, TN_X86_DO_MUL, TN_X86_I32, held, to, a, power); return; }
  const int odd_power = tn_x86_new(x, TN_ISA_VEC), even = tn_x86_new(x, TN_ISA_VEC);
  const int low = tn_x86_new(x, TN_ISA_VEC), high = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_do_imm(x, TN_X86_DO_SHRUI, TN_X86_I64, held, odd_power, power, 32);
  const int odd = tn_x86_high_by_low(x, a, odd_power, held);
  tn_x86_do_3(x, TN_X86_DO_PRODUCT, TN_X86_I64, held, even, a, power);
  tn_x86_do_imm(x, TN_X86_DO_SHRUI, TN_X86_I64, held, low, even, 31);
  tn_x86_do_imm(x, TN_X86_DO_SHLI, TN_X86_I64, held, high, odd, 1);
  tn_x86_odd_lanes(x, to, held, low, high);
}

// Sources 0 * 1 + 2, of which a NEG that is fused is the instruction's: factors, and what is added, may be negated.
// What is read here for the last time, the sum or one of the factors, is what the instruction writes.
static void tn_x86_multiply_add(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int kinds[2][4] = {
    {TN_X86_DO_FMADD, TN_X86_DO_FNMADD, TN_X86_DO_FMSUB, TN_X86_DO_FNMSUB},
    {TN_X86_DO_FMADD_213, TN_X86_DO_FNMADD_213, TN_X86_DO_FMSUB_213, TN_X86_DO_FNMSUB_213}};
  const tiny_uop *s[3];
  int minus[3], broadcast;
  for (int i = 0; i < 3; i++) {
    minus[i] = u->src[i]->op == TINY_OP_NEG && x->fused[u->src[i]->seq];
    s[i] = minus[i] ? u->src[i]->src[0] : u->src[i];
  }
  if (tn_x86_is_read(x, s[0])) { const tiny_uop *read = s[0]; s[0] = s[1]; s[1] = read; }
  const int held = tn_x86_held(x, u), first = tn_x86_ends(x, s[0], u);
  const int of_factor = !tn_x86_is_read(x, s[1]) && !tn_x86_ends(x, s[2], u) && (first || tn_x86_ends(x, s[1], u)) &&
      (s[2]->op == TINY_OP_CONST || x->reg[s[2]->seq] != to);
  const tiny_uop *written = !of_factor ? s[2] : first ? s[0] : s[1];
  const tiny_uop *second = !of_factor || written == s[1] ? s[0] : s[1], *third = of_factor ? s[2] : s[1];
  const int from = tn_x86_value(x, written), kind = (minus[0] ^ minus[1]) + 2 * minus[2];
  const tn_isa_operand a = tn_x86_use(x, second), b = tn_x86_last_source(x, third, &broadcast);
  tn_x86_copy(x, TN_ISA_VEC, to, from, held);
  tn_x86_3(x, tn_x86_best(x, kinds[of_factor][kind], tn_x86_type(x, u)), tn_x86_vec(to, held, TN_ISA_BOTH), a, b)
      ->broadcast = (uint8_t)broadcast;
}

// ** scalar integers **

// An integer of a narrow type is extended again.
static void tn_x86_extend(tn_x86_select *x, const tiny_uop *u, int r) {
  const int nbytes = tn_x86_element(x, u);
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
  const int nbytes = tn_x86_element(x, u) == 8 ? 8 : 4, sign = tn_is_signed(u->dtype);
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
  } else if (!tn_x86_level_has(x->level, TN_X86_SHLX)) {     // by cl
    const int by = tn_x86_value(x, u->src[1]), into = by == to ? tn_x86_new(x, TN_ISA_GPR) : to;
    tn_x86_copy(x, TN_ISA_GPR, into, a, 8);
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(-1 - TN_X86_RCX, 8, TN_ISA_DEF), tn_x86_gpr(by, 8, TN_ISA_USE));
    tn_x86_2(x, left ? TN_X86_SHL : sign ? TN_X86_SAR : TN_X86_SHR, tn_x86_gpr(into, nbytes, TN_ISA_BOTH),
             tn_x86_gpr(-1 - TN_X86_RCX, 1, TN_ISA_USE));
    tn_x86_copy(x, TN_ISA_GPR, to, into, 8);
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
  const int held = tn_x86_held(x, u), cls = tn_x86_class(x, u), element = tn_x86_element(x, u);
  const int a = tn_x86_value(x, u->src[0]);
  const tn_isa_operand d = tn_x86_vec(to, held, TN_ISA_DEF), s = tn_x86_vec(a, held, TN_ISA_USE);
  if (u->op == TINY_OP_NEG && cls == TN_ISA_GPR) {
    tn_x86_copy(x, TN_ISA_GPR, to, a, 8);
    tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(to, held, TN_ISA_BOTH));
    tn_x86_extend(x, u, to);
  } else if (u->op == TINY_OP_NEG && tn_is_float(u->dtype)) {
    const int sign = tn_x86_splat(x, element == 8 ? INT64_MIN : INT32_MIN, element, held);
    tn_x86_do_3(x, TN_X86_DO_XOR, TN_X86_I32, held, to, a, sign);
  } else if (u->op == TINY_OP_NEG) {
    const int zero = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_zero(x, zero, held);
    tn_x86_do_3(x, TN_X86_DO_SUB, tn_x86_type(x, u), held, to, zero, a);
  } else {                                 // SQRT; TRUNC by 11: towards zero, silently
    const int row = tn_x86_row_of(x, u), trunc = u->op == TINY_OP_TRUNC;
    if (u->lanes == 1 && trunc) tn_x86_4(x, row, d, s, s, 11);
    else if (u->lanes == 1) tn_x86_3(x, row, d, s, s);
    else if (trunc) tn_x86_3(x, row, d, s, tn_isa_number(11));
    else tn_x86_2(x, row, d, s);
  }
}

// ** comparisons, choices **

// Predicates, as Intel SDM vol. 2 has them for CMPPS and VPCMPD: EQ 0, LT 1, NE 4.
static int tn_x86_predicate(const tiny_uop *u) { return u->op == TINY_OP_EQ ? 0 : u->op == TINY_OP_NE ? 4 : 1; }
// Of vectors, or of scalar floats, to a mask.
static void tn_x86_compare_to_mask(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int ints[2][4] = {{TN_X86_VPCMPB, TN_X86_VPCMPW, TN_X86_VPCMPD, TN_X86_VPCMPQ},
                                 {TN_X86_VPCMPUB, TN_X86_VPCMPUW, TN_X86_VPCMPUD, TN_X86_VPCMPUQ}};
  const tiny_uop *s = u->src[0];
  const int row = tn_is_float(s->dtype) ? tn_x86_best(x, TN_X86_DO_LT, tn_x86_type(x, s)) :
                                          ints[tn_is_unsigned(s->dtype)][tn_x86_log(tn_x86_element(x, s))];
  int broadcast;
  const tn_isa_operand a = tn_x86_use(x, s), b = tn_x86_source(x, u->src[1], &broadcast);
  tn_x86_4(x, row, tn_x86_kreg(to, TN_ISA_DEF), a, b, tn_x86_predicate(u))->broadcast = (uint8_t)broadcast;
}
// To a vector of 0 and -1 as wide as what is compared; of scalars of which only the lowest element counts.
static void tn_x86_compare_to_vector(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0], *other = u->src[1];
  const int what = tn_x86_do_of(u), row = tn_x86_best(x, what, tn_x86_type(x, s)), held = tn_x86_held(x, s);
  const tn_isa_operand d = tn_x86_vec(to, held, TN_ISA_DEF);
  int broadcast;
  if (tn_is_float(s->dtype)) {
    const tn_isa_operand a = tn_x86_use(x, s), b = tn_x86_source(x, other, &broadcast);
    tn_x86_4(x, row, d, a, b, tn_x86_predicate(u));
    return;
  }
  const int swap = u->op == TINY_OP_LT;    // PCMPGT
  const tn_isa_operand a = tn_x86_use(x, swap ? other : s), b = tn_x86_source(x, swap ? s : other, &broadcast);
  tn_x86_3(x, row, d, a, b);
}
static void tn_x86_compare(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (s->lanes > 1 && x->level->masks) { tn_x86_compare_to_mask(x, u, to); return; }
  if (s->lanes > 1) { tn_x86_compare_to_vector(x, u, to); return; }
  if (tn_is_float(s->dtype) && x->level->masks) {
    const int k = tn_x86_new(x, TN_ISA_MASK);
    tn_x86_compare_to_mask(x, u, k);
    tn_x86_2(x, TN_X86_KMOVD, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_kreg(k, TN_ISA_USE));
    return;
  }
  if (tn_is_float(s->dtype)) {
    const int v = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_compare_to_vector(x, u, v);
    tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I32), tn_x86_gpr(to, 4, TN_ISA_DEF),
             tn_x86_vec(v, 16, TN_ISA_USE));
    tn_x86_2(x, TN_X86_AND, tn_x86_gpr(to, 4, TN_ISA_BOTH), tn_isa_number(1));
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

static void tn_x86_where_scalar(tn_x86_select *x, const tiny_uop *u, int to) {
  const int yes = tn_x86_value(x, u->src[1]), no = tn_x86_value(x, u->src[2]), r = tn_x86_value(x, u->src[0]);
  const int held = tn_x86_held(x, u), nbytes = held < 4 ? 4 : held;
  tn_x86_copy(x, TN_ISA_GPR, to, no, 8);
  tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(r, 4, TN_ISA_USE), tn_x86_gpr(r, 4, TN_ISA_USE));
  tn_x86_2(x, TN_X86_CMOVNE, tn_x86_gpr(to, nbytes, TN_ISA_BOTH), tn_x86_gpr(yes, nbytes, TN_ISA_USE));
}
static void tn_x86_where_masks(tn_x86_select *x, const tiny_uop *u, int k, int to) {         // (k & yes) | (~k & no)
  const int yes = tn_x86_value(x, u->src[1]), no = tn_x86_value(x, u->src[2]);
  const int a = tn_x86_new(x, TN_ISA_MASK), b = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_3(x, TN_X86_KANDQ, tn_x86_kreg(a, TN_ISA_DEF), tn_x86_kreg(k, TN_ISA_USE), tn_x86_kreg(yes, TN_ISA_USE));
  tn_x86_3(x, TN_X86_KANDNQ, tn_x86_kreg(b, TN_ISA_DEF), tn_x86_kreg(k, TN_ISA_USE), tn_x86_kreg(no, TN_ISA_USE));
  tn_x86_3(x, TN_X86_KORQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(a, TN_ISA_USE), tn_x86_kreg(b, TN_ISA_USE));
}
static int tn_x86_is_zero(const tiny_uop *u) {
  const tiny_uop *one = tn_x86_is_splat(u) ? u->src[0] : u;
  return one->op == TINY_OP_CONST && !tn_x86_bits(one);
}
// Where one of both is 0, the mask, or what it has not, has the other; 0: none is.
static int tn_x86_where_zero(tn_x86_select *x, const tiny_uop *u, int k, int to) {
  const int held = tn_x86_held(x, u), yes = tn_x86_is_zero(u->src[1]);
  int broadcast;
  if (!yes && !tn_x86_is_zero(u->src[2])) return 0;
  const tn_isa_operand mask = tn_x86_vec(k, held, TN_ISA_USE), other = u->lanes == 1 ? tn_x86_use(x, u->src[1 + yes]) :
      tn_x86_source(x, u->src[1 + yes], &broadcast);
  tn_x86_3(x, tn_x86_best(x, yes ? TN_X86_DO_ANDN : TN_X86_DO_AND, TN_X86_I32), tn_x86_vec(to, held, TN_ISA_DEF), mask,
           other);
  return 1;
}
static void tn_x86_where(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int blends[4] = {TN_X86_VPBLENDMB, TN_X86_VPBLENDMW, TN_X86_VPBLENDMD, TN_X86_VPBLENDMQ};
  const tiny_uop *c = u->src[0];
  const int cls = tn_x86_class(x, u), held = tn_x86_held(x, u), element = tn_x86_element(x, u), scalar = u->lanes == 1;
  if (cls == TN_ISA_GPR) { tn_x86_where_scalar(x, u, to); return; }
  const int k = c->lanes > 1 ? tn_x86_mask_as(x, c, element) :
      tn_x86_lanes_of_bool(x, tn_x86_value(x, c), tn_x86_nbytes(x, u), u->lanes);
  if (cls == TN_ISA_MASK) { tn_x86_where_masks(x, u, k, to); return; }
  int broadcast = 0;
  if (tn_x86_is_lanes_of_bool(u)) {
    const int yes = tn_x86_mask_as(x, u->src[1], element), no = tn_x86_mask_as(x, u->src[2], element);
    tn_x86_blend(x, to, held, k, tn_x86_vec(yes, held, TN_ISA_USE), no);
    return;
  }
  if (!x->level->masks && tn_x86_where_zero(x, u, k, to)) return;
  const int no = tn_x86_value(x, u->src[2]);
  const tn_isa_operand yes = scalar ? tn_x86_use(x, u->src[1]) : tn_x86_source(x, u->src[1], &broadcast);
  if (!x->level->masks) { tn_x86_blend(x, to, held, k, yes, no); return; }
  tn_isa_ins *i = tn_x86_3(x, blends[tn_x86_log(element)], tn_x86_vec(to, held, TN_ISA_DEF),
                           tn_x86_vec(no, held, TN_ISA_USE), yes);
  i->mask = k; i->broadcast = (uint8_t)broadcast;
}

// ** conversions **

// Can the level convert vectors so in one step, or by widths?
static int tn_x86_casts(const tn_x86_select *x, int from, int to) {
  if (from == TINY_BOOL || to == TINY_BOOL) return 0;
  return (!tn_is_float(from) && !tn_is_float(to)) || tn_x86_conversion_row(x->level, from, to);
}
static void tn_x86_cast_lanes(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int a = tn_x86_element(x, s), b = tn_x86_element(x, u), r = tn_x86_value(x, s), lanes = tn_x86_lanes(x, u);
  if (!tn_is_float(s->dtype) && !tn_is_float(u->dtype)) {
    tn_x86_resize(x, to, r, lanes, a, b, tn_is_signed(s->dtype), 0);
    return;
  }
  tn_x86_cast_row(x, tn_x86_conversion_row(x->level, s->dtype, u->dtype), lanes, to, b, r, a);
}
// Of a scalar integer: those of less than 64 bits, without a sign of 32, are signed ones there.
static void tn_x86_cast_to_float(tn_x86_select *x, const tiny_uop *s, int f64, int to) {
  const int r = tn_x86_value(x, s), u64 = s->dtype == TINY_U64, vex = tn_x86_level_has(x->level, TN_X86_VCVTSI2SS);
  const int wide = u64 || s->dtype == TINY_I64 || s->dtype == TINY_U32;
  const int plain = vex ? (f64 ? TN_X86_VCVTSI2SD : TN_X86_VCVTSI2SS) : f64 ? TN_X86_CVTSI2SD : TN_X86_CVTSI2SS;
  const int row = !u64 ? plain : f64 ? TN_X86_VCVTUSI2SD : TN_X86_VCVTUSI2SS;
  tn_x86_zero(x, to, 16);                  // whose other lanes it takes
  tn_x86_3(x, row, tn_x86_vec(to, 16, TN_ISA_BOTH), tn_x86_vec(to, 16, TN_ISA_USE),
           tn_x86_gpr(r, wide ? 8 : 4, TN_ISA_USE));
}
static void tn_x86_cast_from_float(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int rows[3][2] = {{TN_X86_CVTTSS2SI, TN_X86_CVTTSD2SI}, {TN_X86_VCVTTSS2SI, TN_X86_VCVTTSD2SI},
                                 {TN_X86_VCVTTSS2USI, TN_X86_VCVTTSD2USI}};
  const int f64 = tn_x86_element(x, u->src[0]) == 8, r = tn_x86_value(x, u->src[0]);
  const int without = u->dtype == TINY_U32 || u->dtype == TINY_U64, masks = x->level->masks;
  const int row = rows[without && masks ? 2 : tn_x86_level_has(x->level, TN_X86_VCVTTSS2SI)][f64];
  const int nbytes = without && !masks ? 8 : tn_x86_held(x, u);                // U32 by signed ones of 64 bits
  tn_x86_2(x, row, tn_x86_gpr(to, nbytes, TN_ISA_DEF), tn_x86_vec(r, 16, TN_ISA_USE));
  if (nbytes > tn_x86_held(x, u)) tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_gpr(to, 4, TN_ISA_USE));
  tn_x86_extend(x, u, to);
}
// Has the integer type all values of the other?
static int tn_x86_holds(int dtype, int of) {
  return tn_is_unsigned(of) ? tn_bits(dtype) > tn_bits(of) : tn_is_signed(dtype) && tn_bits(dtype) >= tn_bits(of);
}
static void tn_x86_cast(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (x->factor[u->seq]) { tn_x86_high_product(x, u, to); return; }
  if (u->lanes > 1 || u->dtype == TINY_F16 || s->dtype == TINY_F16) { tn_x86_cast_lanes(x, u, to); return; }
  const int to_float = tn_is_float(u->dtype), from_float = tn_is_float(s->dtype), f64 = tn_x86_element(x, u) == 8;
  if (to_float && !from_float) { tn_x86_cast_to_float(x, s, f64, to); return; }
  if (from_float && !to_float) { tn_x86_cast_from_float(x, u, to); return; }
  const int r = tn_x86_value(x, s), vex = tn_x86_level_has(x->level, TN_X86_VCVTSS2SD);
  if (to_float) {
    const int row = vex ? (f64 ? TN_X86_VCVTSS2SD : TN_X86_VCVTSD2SS) : f64 ? TN_X86_CVTSS2SD : TN_X86_CVTSD2SS;
    if (tn_x86_element(x, s) == tn_x86_element(x, u)) tn_x86_copy(x, TN_ISA_VEC, to, r, 16);
    else tn_x86_3(x, row, tn_x86_vec(to, 16, TN_ISA_DEF), tn_x86_vec(r, 16, TN_ISA_USE), tn_x86_vec(r, 16, TN_ISA_USE));
    return;
  }
  const int wider = tn_x86_nbytes(x, u) == 8 && tn_x86_nbytes(x, s) < 8;
  if (wider && tn_is_signed(s->dtype))
    tn_x86_2(x, TN_X86_MOVSXD, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  else if (tn_x86_nbytes(x, u) < 8 && tn_x86_nbytes(x, s) == 8)
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  else tn_x86_copy(x, TN_ISA_GPR, to, r, 8);
  if (!tn_x86_holds(u->dtype, s->dtype)) tn_x86_extend(x, u, to);
}
static void tn_x86_bitcast(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int from = tn_x86_class(x, s), cls = tn_x86_class(x, u), r = tn_x86_value(x, s), nbytes = tn_x86_nbytes(x, u);
  if (s->dtype == TINY_BOOL || u->dtype == TINY_BOOL) { tn_isa_refuse(x->c, "a bitcast of bools"); return; }
  if (from == cls) {
    tn_x86_copy(x, cls, to, r, tn_x86_held(x, u));
    if (cls == TN_ISA_GPR) tn_x86_extend(x, u, to);
    return;
  }
  const int row = tn_x86_best(x, TN_X86_DO_GPR, nbytes == 8 ? TN_X86_I64 : TN_X86_I32), moved = nbytes == 8 ? 8 : 4;
  if (cls == TN_ISA_VEC) tn_x86_2(x, row, tn_x86_vec(to, 16, TN_ISA_DEF), tn_x86_gpr(r, moved, TN_ISA_USE));
  else tn_x86_2(x, row, tn_x86_gpr(to, moved, TN_ISA_DEF), tn_x86_vec(r, 16, TN_ISA_USE));
  if (cls == TN_ISA_GPR) tn_x86_extend(x, u, to);
}
#endif
