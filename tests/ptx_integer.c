// ptx_integer: instructions of integers, predicates and bits, 32 lanes at a time.
//
// Holds: a row holds values extended with zeros from the width of their register; each function computes in 64 bits and
//        cuts. Source: PTX ISA, "Integer Arithmetic Instructions" .. "Data Movement and Conversion Instructions".
// Included by ptx_machine.c.
#ifndef PTX_INTEGER_C
#define PTX_INTEGER_C
#include "ptx_memory.c"

__extension__ typedef unsigned __int128 ptx_u128;
__extension__ typedef __int128 ptx_s128;
static int64_t ptx_extend(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
static uint64_t ptx_wide(uint64_t x, int bits, int is_signed) {
  return is_signed ? (uint64_t)ptx_extend(x, bits) : x & ptx_mask_of(bits);
}
static uint64_t ptx_clamp(ptx_s128 x, int bits, int is_signed) {
  const ptx_s128 top = is_signed ? ((ptx_s128)1 << (bits - 1)) - 1 : ((ptx_s128)1 << bits) - 1;
  const ptx_s128 bottom = is_signed ? -((ptx_s128)1 << (bits - 1)) : 0;
  return (uint64_t)(x > top ? top : x < bottom ? bottom : x) & ptx_mask_of(bits);
}
static uint64_t ptx_high(uint64_t x, uint64_t y, int bits, int is_signed) {
  if (bits == 64)
    return is_signed ? (uint64_t)((ptx_s128)(int64_t)x * (int64_t)y >> 64) : (uint64_t)((ptx_u128)x * y >> 64);
  return (is_signed ? (uint64_t)((int64_t)x * (int64_t)y >> bits) : x * y >> bits) & ptx_mask_of(bits);
}
static int ptx_leading(uint64_t x, int bits) {
  int n = 0;
  while (n < bits && !(x >> (bits - 1 - n) & 1)) n++;
  return n;
}
static uint64_t ptx_popcount(uint64_t x) { uint64_t n = 0; for (; x; x &= x - 1) n++; return n; }
static uint64_t ptx_reversed(uint64_t x, int bits) {
  uint64_t y = 0;
  for (int i = 0; i < bits; i++) y |= (x >> i & 1) << (bits - 1 - i);
  return y;
}
static uint64_t ptx_prmt(uint32_t a, uint32_t b, uint32_t s, int mode) {
  const uint64_t both = (uint64_t)b << 32 | a;
  uint32_t d = 0;
  if (mode != 0xFFFF) {                    // PTX ISA, "prmt", table of modes: selectors by the low two bits of s
    static const uint16_t table[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210},
      {0x1010, 0x3232, 0x1010, 0x3232}};
    s = table[mode - PTX_W_f4e][s & 3];
  }
  for (int i = 0; i < 4; i++) {
    const uint32_t pick = s >> 4 * i & 15, byte = (uint32_t)(both >> (pick & 7) * 8) & 0xFF;
    d |= (pick & 8 ? byte >> 7 ? 0xFFu : 0u : byte) << 8 * i;
  }
  return d;
}
static uint64_t ptx_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t d = 0;
  for (uint32_t k = 0; k < 8; k++)
    if (table >> k & 1) d |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return d;
}
static uint64_t ptx_dot(const ptx_ins *ins, uint64_t a, uint64_t b, uint64_t c) {
  const int two = ins->op == PTX_dp2a_, high = ins->mode == PTX_W_hi;
  int64_t sum = (int64_t)c;
  for (int i = 0; i < (two ? 2 : 4); i++) {
    const int64_t x = (int64_t)(two ? ptx_wide(a >> 16 * i, 16, ptx_is_signed(ins->type))
                                    : ptx_wide(a >> 8 * i, 8, ptx_is_signed(ins->type)));
    sum += x * (int64_t)ptx_wide(b >> 8 * (two && high ? i + 2 : i), 8, ptx_is_signed(ins->type2));
  }
  return (uint64_t)sum & 0xFFFFFFFF;
}
static uint64_t ptx_bfe(uint64_t a, uint64_t b, uint64_t c, int bits, int is_signed) {
  const int at = (int)(b & 0xFF), n = (int)(c & 0xFF), last = at + n - 1 < bits - 1 ? at + n - 1 : bits - 1;
  const uint64_t sign = !is_signed || !n ? 0 : a >> last & 1;
  uint64_t d = 0;
  for (int i = 0; i < bits; i++) d |= (i < n && at + i < bits ? a >> (at + i) & 1 : sign) << i;
  return d;
}
static uint64_t ptx_bfi(uint64_t a, uint64_t b, uint64_t c, uint64_t n, int bits) {
  const int at = (int)(c & 0xFF);
  uint64_t d = b;
  for (int i = 0; i < (int)(n & 0xFF) && at + i < bits; i++)
    d = (d & ~((uint64_t)1 << (at + i))) | (a >> i & 1) << (at + i);
  return d;
}
static uint64_t ptx_funnel(const ptx_ins *ins, uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t both = (uint64_t)b << 32 | a;
  const uint32_t n = ins->mode == PTX_W_clamp ? c > 32 ? 32 : c : c & 31;
  return ptx_has(ins, PTX_W_l) ? (both << n) >> 32 : (both >> n) & 0xFFFFFFFF;
}
// Two values of 16 bits in a register.
static uint64_t ptx_halves(int op, uint64_t x, uint64_t y, int is_signed) {
  uint64_t d = 0;
  for (int i = 0; i < 2; i++) {
    const int64_t a = (int64_t)ptx_wide(x >> 16 * i, 16, is_signed), b = (int64_t)ptx_wide(y >> 16 * i, 16, is_signed);
    const int64_t z = op == PTX_add_   ? a + b
                      : op == PTX_sub_ ? a - b
                      : op == PTX_min_ ? a < b ? a : b
                      : op == PTX_neg_ ? -a
                      : a > b          ? a
                                       : b;
    d |= ((uint64_t)z & 0xFFFF) << 16 * i;
  }
  return d;
}

// add and sub with carry.
static void ptx_with_carry(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int bits = ptx_bits(ins->type), minus = ins->op == PTX_sub_ || ins->op == PTX_subc_;
  const int uses = ins->op == PTX_addc_ || ins->op == PTX_subc_ || ins->op == PTX_madc_,
            mad = ins->op == PTX_mad_ || ins->op == PTX_madc_;
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ptx_row(v, w, &o[2], mask, 1), m = ptx_mask_of(bits);
  const uint64_t *c = mad ? ptx_row(v, w, &o[3], mask, 2) : NULL;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    uint64_t x = a[i] & m, y = b[i] & m;
    if (mad) {
      const int s = ptx_is_signed(ins->type);
      x = ins->mode == PTX_W_hi ? ptx_high(ptx_wide(x, bits, s), ptx_wide(y, bits, s), bits, s) : (x * y) & m;
      y = c[i] & m;
    }
    if (minus) y = ~y & m;
    const ptx_u128 sum = (ptx_u128)x + y + (uses ? w->carry >> i & 1u : (uint32_t)minus);
    d[i] = (uint64_t)sum & m;
    if (ins->cc) w->carry = (w->carry & ~(1u << i)) | (uint32_t)(sum >> bits & 1) << i;
  }
}

// How a comparison answers: bit 0 for less, 1 equal, 2 greater, 3 where one is no number.
static unsigned ptx_answers(int cmp) {
  switch (cmp) {
    case PTX_W_eq: return 2;
    case PTX_W_ne: return 5;
    case PTX_W_lt: case PTX_W_lo: return 1;
    case PTX_W_le: case PTX_W_ls: return 3;
    case PTX_W_gt: case PTX_W_hi: return 4;
    case PTX_W_ge: case PTX_W_hs: return 6;
    case PTX_W_equ: return 10;
    case PTX_W_neu: return 13;
    case PTX_W_ltu: return 9;
    case PTX_W_leu: return 11;
    case PTX_W_gtu: return 12;
    case PTX_W_geu: return 14;
    case PTX_W_num: return 7;
    default: return 8;
  }
}
static int ptx_compared(uint64_t x, uint64_t y, int type, int ftz) {       // 0 less, 1 equal, 2 greater, 3 no number
  if (ptx_is_float(type)) {
    double a = ptx_value(x, type), b = ptx_value(y, type);
    if (ftz && type == PTX_F32) { a = (double)ptx_flush((float)a); b = (double)ptx_flush((float)b); }
    return a < b ? 0 : a == b ? 1 : a > b ? 2 : 3;
  }
  const int bits = ptx_bits(type);
  if (ptx_is_signed(type)) {
    const int64_t a = ptx_extend(x, bits), b = ptx_extend(y, bits);
    return a < b ? 0 : a == b ? 1 : 2;
  }
  x &= ptx_mask_of(bits); y &= ptx_mask_of(bits);
  return x < y ? 0 : x == y ? 1 : 2;
}
static uint32_t ptx_joined(const ptx_ins *ins, uint32_t p, uint32_t q) {
  return ins->bop == PTX_W_and ? p & q : ins->bop == PTX_W_or ? p | q : ins->bop == PTX_W_xor ? p ^ q : p;
}
static void ptx_setp(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const unsigned answers = ptx_answers(ins->cmp);
  const int set = ins->op == PTX_set_, type = set && ins->ntypes > 1 ? ins->type2 : ins->type,
            pair = ptx_types[type].parts == 2;
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ptx_row(v, w, &o[2], mask, 1);
  const uint32_t with = ins->bop != 0xFFFF ? ptx_bits_of(v, w, &o[3], mask) : 0;
  uint32_t p[2] = {0, 0};
  const int one = type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
  for (int half = 0; half <= pair; half++)
    PTX_LANES(mask, p[half] |= (answers >> ptx_compared(a[i] >> 16 * half, b[i] >> 16 * half, one, ins->ftz) & 1u)
                               << i);
  const ptx_operand *also = o[0].also ? &v->m->operand[o[0].also] : NULL;
  if (!set) {
    ptx_set_bits(v, w, &o[0], mask, ptx_joined(ins, p[0], with));
    if (also) ptx_set_bits(v, w, also, mask, ptx_joined(ins, pair ? p[1] : ~p[0], with));
    return;
  }
  const int to = ins->type;
  const uint64_t yes = to == PTX_F32                      ? 0x3F800000
                       : to == PTX_F16 || to == PTX_F16X2 ? 0x3C00
                       : to == PTX_BF16 || to == PTX_BF16X2
                           ? 0x3F80
                           : ptx_mask_of(pair && ptx_bits(to) == 32 ? 16 : ptx_bits(to));
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  const uint32_t low = ptx_joined(ins, p[0], with), high = ptx_joined(ins, p[1], with);
  PTX_LANES(mask, d[i] = (low >> i & 1 ? yes : 0) | (pair && high >> i & 1 ? yes << 16 : 0));
}
// and, or, xor, not, mov of predicates.
static void ptx_of_bits(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint32_t a = ptx_bits_of(v, w, &o[1], mask), b = ins->n > 2 ? ptx_bits_of(v, w, &o[2], mask) : 0;
  ptx_set_bits(v, w, &o[0], mask,
               ins->op == PTX_and_                           ? a & b
               : ins->op == PTX_or_                          ? a | b
               : ins->op == PTX_xor_                         ? a ^ b
               : ins->op == PTX_not_ || ins->op == PTX_cnot_ ? ~a
                                                             : a);
}

// mov: also of vectors into a register, and back.
static void ptx_mov(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const ptx_operand *list = v->m->operand;
  if (ins->type == PTX_PRED) { ptx_of_bits(v, w, ins, o, mask); return; }
  if (o[1].kind == PTX_LIST) {
    const int bits = ptx_bits(ins->type) / o[1].n;
    uint64_t sum[PTX_WARP] = {0};
    for (int k = 0; k < o[1].n; k++) {
      const uint64_t *a = ptx_row(v, w, &list[o[1].at + k], mask, 0);
      PTX_LANES(mask, sum[i] |= (a[i] & ptx_mask_of(bits)) << bits * k);
    }
    uint64_t *d = ptx_to(v, w, &o[0], mask);
    PTX_LANES(mask, d[i] = sum[i]);
    return;
  }
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), m = ptx_mask_of(ptx_bits(ins->type));
  if (o[0].kind != PTX_LIST) {
    uint64_t *d = ptx_to(v, w, &o[0], mask);
    PTX_LANES(mask, d[i] = a[i] & m);
    return;
  }
  uint64_t whole[PTX_WARP];
  memcpy(whole, a, sizeof whole);
  const int bits = ptx_bits(ins->type) / o[0].n;
  for (int k = 0; k < o[0].n; k++) {
    uint64_t *d = ptx_to(v, w, &list[o[0].at + k], mask);
    PTX_LANES(mask, d[i] = whole[i] >> bits * k & ptx_mask_of(bits));
  }
}

// 1: done. o[0] is the result.
static int ptx_integer(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int type = ins->type, bits = ptx_bits(type), s = ptx_is_signed(type);
  const uint64_t m = ptx_mask_of(bits);
  if (ptx_is_float(type) && ins->op != PTX_selp_ && ins->op != PTX_slct_) return 0;
  if (type == PTX_PRED) { ptx_of_bits(v, w, ins, o, mask); return 1; }
  if (ins->cc || ins->op == PTX_addc_ || ins->op == PTX_subc_ || ins->op == PTX_madc_) {
    ptx_with_carry(v, w, ins, o, mask);
    return 1;
  }
  const uint64_t *a = ins->n > 1 ? ptx_row(v, w, &o[1], mask, 0) : ptx_zeros;
  const uint64_t *b = ins->n > 2 ? ptx_row(v, w, &o[2], mask, 1) : ptx_zeros, *c = ptx_zeros;
  uint32_t p = 0;
  if (ins->n > 3 && ins->op == PTX_selp_) p = ptx_bits_of(v, w, &o[3], mask);
  else if (ins->n > 3) c = ptx_row(v, w, &o[3], mask, 2);
  const uint64_t *e = ins->op == PTX_bfi_ || ins->op == PTX_lop3_ ? ptx_row(v, w, &o[4], mask, 3) : ptx_zeros;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
#define PTX_X ptx_wide(a[i], bits, s)
#define PTX_Y ptx_wide(b[i], bits, s)
#define PTX_SX ptx_extend(a[i], bits)
#define PTX_SY ptx_extend(b[i], bits)
#define PTX_IS(value) PTX_LANES(mask, d[i] = (value)); return 1
  switch (ins->op) {
    case PTX_add_:
      if (ptx_types[type].parts == 2) { PTX_IS(ptx_halves(ins->op, a[i], b[i], s)); }
      if (ins->sat) { PTX_IS(ptx_clamp((ptx_s128)PTX_SX + PTX_SY, bits, 1)); }
      PTX_IS((a[i] + b[i]) & m);
    case PTX_sub_:
      if (ptx_types[type].parts == 2) { PTX_IS(ptx_halves(ins->op, a[i], b[i], s)); }
      if (ins->sat) { PTX_IS(ptx_clamp((ptx_s128)PTX_SX - PTX_SY, bits, 1)); }
      PTX_IS((a[i] - b[i]) & m);
    case PTX_mul_:
      if (ins->mode == PTX_W_hi) { PTX_IS(ptx_high(PTX_X, PTX_Y, bits, s)); }
      if (ins->mode == PTX_W_wide) { PTX_IS((PTX_X * PTX_Y) & ptx_mask_of(2 * bits)); }
      PTX_IS((a[i] * b[i]) & m);
    case PTX_mad_:
      if (ins->mode == PTX_W_hi && ins->sat) {
        PTX_IS(
            ptx_clamp((ptx_s128)ptx_extend(ptx_high(PTX_X, PTX_Y, bits, s), bits) + ptx_extend(c[i], bits), bits, 1));
      }
      if (ins->mode == PTX_W_hi) { PTX_IS((ptx_high(PTX_X, PTX_Y, bits, s) + c[i]) & m); }
      if (ins->mode == PTX_W_wide) { PTX_IS((PTX_X * PTX_Y + c[i]) & ptx_mask_of(2 * bits)); }
      PTX_IS((a[i] * b[i] + c[i]) & m);
    case PTX_mul24_: case PTX_mad24_: {
      const int shift = ins->mode == PTX_W_hi ? 16 : 0;
      PTX_IS(((ptx_wide(a[i], 24, s) * ptx_wide(b[i], 24, s) >> shift) + c[i]) & m);
    }
    case PTX_div_: case PTX_rem_: {
      const int rem = ins->op == PTX_rem_;
      for (int i = 0; i < PTX_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        const uint64_t x = PTX_X, y = PTX_Y;
        if (!y) ptx_stop(v, i, "a division by 0");
        if (s && (int64_t)y == -1) d[i] = (rem ? 0 : 0 - x) & m;
        else if (s) d[i] = (uint64_t)(rem ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y) & m;
        else d[i] = rem ? x % y : x / y;
      }
      return 1;
    }
    case PTX_sad_:
      PTX_IS((c[i] + (s               ? PTX_SX > PTX_SY ? a[i] - b[i] : b[i] - a[i]
                                    : PTX_X > PTX_Y ? a[i] - b[i]
                                      : b[i] - a[i])) &
             m);
    case PTX_min_: case PTX_max_: {
      const int least = ins->op == PTX_min_;
      if (ptx_types[type].parts == 2) { PTX_IS(ptx_halves(ins->op, a[i], b[i], s)); }
      if (s) {
        PTX_IS((uint64_t)((PTX_SX < PTX_SY) == least ? PTX_SX : PTX_SY) &
               (ins->relu && PTX_SX < 0 && PTX_SY < 0 ? 0 : m));
      }
      PTX_IS((PTX_X < PTX_Y) == least ? PTX_X : PTX_Y);
    }
    case PTX_abs_: PTX_IS((uint64_t)(PTX_SX < 0 ? 0 - (uint64_t)PTX_SX : (uint64_t)PTX_SX) & m);
    case PTX_neg_:
      if (ptx_types[type].parts == 2) { PTX_IS(ptx_halves(ins->op, a[i], 0, s)); }
      PTX_IS((0 - a[i]) & m);
    case PTX_and_: PTX_IS(a[i] & b[i] & m);
    case PTX_or_: PTX_IS((a[i] | b[i]) & m);
    case PTX_xor_: PTX_IS((a[i] ^ b[i]) & m);
    case PTX_not_: PTX_IS(~a[i] & m);
    case PTX_cnot_: PTX_IS((a[i] & m) == 0);
    case PTX_shl_: PTX_IS((uint32_t)b[i] >= (uint32_t)bits ? 0 : a[i] << (uint32_t)b[i] & m);
    case PTX_shr_:
      if (s) { PTX_IS((uint64_t)(PTX_SX >> ((uint32_t)b[i] >= (uint32_t)bits ? bits - 1 : (int)b[i])) & m); }
      PTX_IS((uint32_t)b[i] >= (uint32_t)bits ? 0 : (a[i] & m) >> (uint32_t)b[i]);
    case PTX_shf_: PTX_IS(ptx_funnel(ins, (uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i]));
    case PTX_prmt_: PTX_IS(ptx_prmt((uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i], ins->mode));
    case PTX_lop3_: PTX_IS(ptx_lop3((uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i], (uint32_t)e[i]));
    case PTX_bfe_: PTX_IS(ptx_bfe(a[i] & m, b[i], c[i], bits, s));
    case PTX_bfi_: PTX_IS(ptx_bfi(a[i], b[i] & m, c[i], e[i], bits));
    case PTX_brev_: PTX_IS(ptx_reversed(a[i], bits));
    case PTX_popc_: PTX_IS(ptx_popcount(a[i] & m));
    case PTX_clz_: PTX_IS((uint64_t)ptx_leading(a[i] & m, bits));
    case PTX_bfind_: {
      const int amount = ptx_has(ins, PTX_W_shiftamt);
      PTX_LANES(mask, const uint64_t x = s && PTX_SX < 0 ? ~a[i] & m : a[i] & m; const int n = ptx_leading(x, bits);
                d[i] = n == bits ? 0xFFFFFFFF : (uint64_t)(amount ? n : bits - 1 - n));
      return 1;
    }
    case PTX_bmsk_: PTX_IS(ptx_bfi(~(uint64_t)0, 0, a[i] > 255 ? 255 : a[i], b[i] > 32 ? 32 : b[i], 32));
    case PTX_szext_: PTX_IS((b[i] & 31) == 0 ? 0 : ptx_wide(a[i], b[i] > 32 ? 32 : (int)b[i], s) & m);
    case PTX_dp4a_: case PTX_dp2a_: PTX_IS(ptx_dot(ins, a[i], b[i], c[i]));
    case PTX_selp_: PTX_IS((p >> i & 1 ? a[i] : b[i]) & m);
    case PTX_slct_:
      if (ins->type2 == PTX_F32) { PTX_IS((ptx_f32(c[i]) >= 0 ? a[i] : b[i]) & m); }
      PTX_IS(((int32_t)c[i] >= 0 ? a[i] : b[i]) & m);
    default: return 0;
  }
}
#endif
