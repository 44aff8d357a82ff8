// amd_integers: arithmetic of whole numbers on AMD's GPUs: of 32 bits, of fewer, of 64, and quotients.
//
// In:  operands of elements (amd_values.c). Out: the operand of the result.
// Holds: what is uniform is done by scalar instructions where there are some. Numbers of 8 and 16 bits are computed in
//        32 and wrapped, unless bounds say that they need not be. Shifts are below the width.
// Source: AMD's ISA guides (amd.c), "SOP2", "VOP2", "VOP3".
#ifndef TN_ISA_AMD_INTEGERS
#define TN_ISA_AMD_INTEGERS
#ifndef TINY_AMALGAMATED
#include "amd_values.c"
#endif

// ** operands, lines **

static int tn_amd_are_uniform(const tn_amd_operand *o, int n) {
  for (int i = 0; i < n; i++) if (!tn_amd_is_uniform(&o[i])) return 0;
  return 1;
}
// Of a scalar instruction: it has room for one literal.
static tn_amd_operand tn_amd_uniform2(tn_amd_selection *x, int op, int dwords, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, dwords);
  if (a.kind == TN_AMD_LITERAL && b.kind == TN_AMD_LITERAL) b = tn_amd_in_sgprs(x->l, b);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}
static tn_amd_operand tn_amd_either(tn_amd_selection *x, int scalar, int vector, tn_amd_operand a, tn_amd_operand b) {
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b)) return tn_amd_uniform2(x, scalar, 1, a, b);
  return tn_amd_v2(x, vector, a, b);
}
// Two dwords of vector registers.
static tn_amd_operand tn_amd_wide1(tn_amd_selection *x, int op, tn_amd_operand a) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do2(x->l, op, d, a);
  return d;
}
static tn_amd_operand tn_amd_wide2(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}
static tn_amd_operand tn_amd_wide3(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do4(x->l, op, d, a, b, c);
  return d;
}
// d, of two dwords, a * b + c of two.
static tn_amd_operand tn_amd_wide_product(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b,
                                          tn_amd_operand c) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do5(x->l, op, d, tn_amd_new_mask(x->l), a, b, c);
  return d;
}
static tn_amd_operand tn_amd_joined(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  const int uniform = tn_amd_is_uniform(&low) && tn_amd_is_uniform(&high);
  const tn_amd_operand d = uniform ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
  tn_amd_copy(x->l, tn_amd_slice(d, 0, 1), low);
  tn_amd_copy(x->l, tn_amd_slice(d, 1, 1), high);
  return d;
}
// A number that every lane has, by a vector instruction: back into a scalar register.
static tn_amd_operand tn_amd_first_lane(tn_amd_selection *x, tn_amd_operand v) {
  const tn_amd_operand d = tn_amd_new_s(x->l, v.dwords);
  for (int i = 0; i < v.dwords; i++)
    tn_amd_do2(x->l, TN_AMD_V_READFIRSTLANE_B32, tn_amd_slice(d, i, 1), tn_amd_slice(v, i, 1));
  return d;
}

// ** what nodes tell **

static int tn_amd_is_number(const tiny_uop *u, int64_t *k) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  if (u->op != TINY_OP_CONST) return 0;
  *k = u->k;
  return 1;
}
static int tn_amd_is_within(const tiny_uop *u, int64_t low, int64_t top) {
  return u->dtype != TINY_U64 && u->vmin >= low && u->vmax <= top;
}
// Are the bits of a number of 64 from 32 on zeros?
static int tn_amd_is_low(const tiny_uop *u) {
  int64_t k = 0;
  if (tn_amd_is_number(u, &k)) return k >= 0 && k <= UINT32_MAX;
  if (u->op == TINY_OP_CAST && u->src[0]->dtype == TINY_U32) return 1;
  if (u->op == TINY_OP_SHR && u->dtype == TINY_U64 && tn_amd_is_number(u->src[1], &k)) return k >= 32 && k < 64;
  return tn_amd_is_within(u, 0, UINT32_MAX);
}
static int64_t tn_amd_least(int dtype) {
  return tn_amd_is_signed(dtype) ? -((int64_t)1 << (tn_amd_bits_of(dtype) - 1)) : 0;
}
static int64_t tn_amd_most(int dtype) {
  return ((int64_t)1 << (tn_amd_bits_of(dtype) - tn_amd_is_signed(dtype))) - 1;
}
// Half i of an element of 64 bits.
static tn_amd_operand tn_amd_half(const tiny_uop *u, tn_amd_operand o, int i) {
  int64_t k;
  if (tn_amd_is_number(u, &k)) return tn_amd_k32((uint32_t)((uint64_t)k >> 32 * i));
  return tn_amd_slice(o, i, 1);
}
static int tn_amd_power_of(uint64_t k) {                     // its exponent; -1: it is no power of two
  int n = 0;
  if (!k || (k & (k - 1))) return -1;
  while (k >> n != 1) n++;
  return n;
}

// ** of 32 bits, and of fewer **

static tn_amd_operand tn_amd_wrapped(tn_amd_selection *x, int dtype, tn_amd_operand o) {
  const int bits = tn_amd_bits_of(dtype), uniform = tn_amd_is_uniform(&o);
  if (bits >= 32 || tn_amd_is_float(dtype)) return o;
  const tn_amd_operand ones = tn_amd_k32((1u << bits) - 1);
  if (!tn_amd_is_signed(dtype)) return tn_amd_either(x, TN_AMD_S_AND_B32, TN_AMD_V_AND_B32, ones, o);
  if (uniform) return tn_amd_s1(x, bits == 8 ? TN_AMD_S_SEXT_I32_I8 : TN_AMD_S_SEXT_I32_I16, o);
  return tn_amd_v3(x, TN_AMD_V_BFE_I32, o, tn_amd_int(0), tn_amd_int(bits));
}
// Can what 32 bits give of a narrow op be beyond the dtype?
static int tn_amd_may_wrap(const tiny_uop *u) {
  const int d = u->dtype;
  if (tn_amd_bits_of(d) >= 32 || !tn_amd_bits_of(d)) return 0;
  const tiny_uop *const a = u->src[0], *const b = u->src[u->nsrc > 1];
  const int64_t low = tn_amd_least(d), top = tn_amd_most(d);
  switch (u->op) {
    case TINY_OP_ADD: return a->vmin + b->vmin < low || a->vmax + b->vmax > top;
    case TINY_OP_SUB: return a->vmin - b->vmax < low || a->vmax - b->vmin > top;
    case TINY_OP_MUL: return a->vmin < 0 || b->vmin < 0 || a->vmax * b->vmax > top;
    case TINY_OP_NEG: return -a->vmax < low || -a->vmin > top;
    case TINY_OP_SHL: return a->vmin < 0 || b->vmin < 0 || b->vmax > 15 || a->vmax << b->vmax > top;
    case TINY_OP_CDIV: return a->vmin <= low && b->vmin < 0 && tn_amd_is_signed(d);
    default: return 0;
  }
}

static tn_amd_operand tn_amd_times(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  int64_t k = 0;
  const int known = tn_amd_is_number(q, &k), shift = known ? tn_amd_power_of((uint32_t)k) : -1;
  if (shift >= 0) return tn_amd_is_uniform(&a) ? tn_amd_uniform2(x, TN_AMD_S_LSHL_B32, 1, a, tn_amd_int(shift)) :
                                                 tn_amd_v2(x, TN_AMD_V_LSHLREV_B32, tn_amd_int(shift), a);
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b)) return tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a, b);
  const int more = known ? tn_amd_power_of((uint32_t)k - 1) : -1;              // 2^n + 1
  if (more > 0) return tn_amd_v3(x, TN_AMD_V_LSHL_ADD_U32, a, tn_amd_int(more), a);
  const int64_t end = (int64_t)1 << 24;
  if (tn_amd_is_within(p, 0, end - 1) && tn_amd_is_within(q, 0, end - 1))
    return tn_amd_v2(x, TN_AMD_V_MUL_U32_U24, a, b);
  if (tn_amd_is_within(p, -end / 2, end / 2 - 1) && tn_amd_is_within(q, -end / 2, end / 2 - 1))
    return tn_amd_v2(x, TN_AMD_V_MUL_I32_I24, a, b);
  return tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, a, b);
}
static tn_amd_operand tn_amd_shifted(tn_amd_selection *x, int op, int is_signed, tn_amd_operand a, tn_amd_operand by) {
  const int left = op == TINY_OP_SHL;
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&by))
    return tn_amd_uniform2(x, left ? TN_AMD_S_LSHL_B32 : is_signed ? TN_AMD_S_ASHR_I32 : TN_AMD_S_LSHR_B32, 1, a, by);
  return tn_amd_v2(x, left ? TN_AMD_V_LSHLREV_B32 : is_signed ? TN_AMD_V_ASHRREV_I32 : TN_AMD_V_LSHRREV_B32, by, a);
}
// By a reciprocal that is off by 1 at most, of numbers below 2^24: the quotient of floats, put right where the rest is
// as much as the divisor.
static tn_amd_operand tn_amd_quotient24(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand n = tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, a), d = tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, b),
                       one_over = tn_amd_v1(x, TN_AMD_V_RCP_IFLAG_F32, d),
                       q = tn_amd_v1(x, TN_AMD_V_TRUNC_F32, tn_amd_v2(x, TN_AMD_V_MUL_F32, n, one_over)),
                       more = tn_amd_new_mask(x->l), result = tn_amd_new_v(x->l, 1);
  tn_amd_operand minus = q, size, of = d;
  minus.neg = 1;
  size = tn_amd_v3(x, TN_AMD_V_FMA_F32, minus, d, n);
  size.abs = of.abs = 1;
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_F32, more, size, of);
  const tn_amd_operand whole = tn_amd_v1(x, TN_AMD_V_CVT_U32_F32, q);
  tn_amd_do5(x->l, TN_AMD_V_ADD_CO_CI_U32, result, tn_amd_new_mask(x->l), tn_amd_int(0), whole, more);
  return result;
}
// q + 1 and r - b where r is b or more.
static void tn_amd_quotient_step(tn_amd_selection *x, tn_amd_operand *q, tn_amd_operand *r, tn_amd_operand b) {
  const tn_amd_operand more = tn_amd_new_mask(x->l), next = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(1), *q),
                       rest = tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, *r, b);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_U32, more, *r, b);
  *q = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, *q, next, more);
  *r = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, *r, rest, more);
}
// By a reciprocal of 32 bits, 2^32 / b scaled by a little less than 2^32 (0x4F7FFFFE), which a step of Newton's brings
// near enough: what is left is twice the divisor at most.
static tn_amd_operand tn_amd_quotient32(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand scale = tn_amd_bits(0x4F7FFFFE), f = tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, b),
                       one_over = tn_amd_v1(x, TN_AMD_V_RCP_IFLAG_F32, f),
                       first = tn_amd_v1(x, TN_AMD_V_CVT_U32_F32, tn_amd_v2(x, TN_AMD_V_MUL_F32, scale, one_over)),
                       minus = tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, tn_amd_int(0), b),
                       error = tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, minus, first),
                       more = tn_amd_v2(x, TN_AMD_V_MUL_HI_U32, first, error),
                       z = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, first, more);
  tn_amd_operand q = tn_amd_v2(x, TN_AMD_V_MUL_HI_U32, a, z),
                 r = tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, a, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, q, b));
  tn_amd_quotient_step(x, &q, &r, b);
  const tn_amd_operand last = tn_amd_new_mask(x->l), next = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(1), q);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_U32, last, r, b);
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, q, next, last);
}
// |o|, by its sign: all ones or zeros.
static tn_amd_operand tn_amd_size(tn_amd_selection *x, tn_amd_operand o, tn_amd_operand sign) {
  const tn_amd_operand bits = tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, o, sign);
  return tn_amd_either(x, TN_AMD_S_SUB_I32, TN_AMD_V_SUB_NC_U32, bits, sign);
}
static tn_amd_operand tn_amd_quotient_of_32(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a,
                                           tn_amd_operand b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  const int64_t end = (int64_t)1 << 24;
  if (tn_amd_is_within(p, 0, end - 1) && tn_amd_is_within(q, 0, end - 1)) return tn_amd_quotient24(x, a, b);
  if (p->vmin >= 0 && q->vmin >= 0) return tn_amd_quotient32(x, a, b);
  const tn_amd_operand last = tn_amd_int(31), s = tn_amd_shifted(x, TINY_OP_SHR, 1, a, last),
                       t = tn_amd_shifted(x, TINY_OP_SHR, 1, b, last),
                       size = tn_amd_quotient32(x, tn_amd_size(x, a, s), tn_amd_size(x, b, t));
  return tn_amd_size(x, size, tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, s, t));
}
// A quotient and a remainder of the same two are divided once, in the same loop.
static tn_amd_operand *tn_amd_quotient_at(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_division now = {a.reg, b.reg, a.kind, b.kind, a.sub, b.sub, (uint8_t)u->dtype, 1, x->depth, x->serial};
  for (int i = 0; i < TN_AMD_DIVIDED; i++)
    if (!memcmp(&x->divided[i], &now, sizeof now)) return &x->quotient[i];
  tn_amd_division none = now;
  const int same = x->at == x->depth && tn_amd_is_register(&a) && tn_amd_is_register(&b), i = x->ndivided;
  if (!same) none.is_there = 0;
  x->ndivided = (i + 1) % TN_AMD_DIVIDED;
  x->divided[i] = none;
  x->quotient[i].kind = TN_AMD_NONE;
  return &x->quotient[i];
}
static tn_amd_operand tn_amd_quotient(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  tn_amd_operand *const q = tn_amd_quotient_at(x, u, a, b);
  if (q->kind == TN_AMD_NONE) *q = tn_amd_quotient_of_32(x, u, a, b);
  return *q;
}
static tn_amd_operand tn_amd_remainder(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand q = tn_amd_quotient(x, u, a, b);
  return tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, a, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, q, b));
}

static tn_amd_operand tn_amd_integer32(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const int is_signed = tn_amd_is_signed(u->dtype), uniform = tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b);
  switch (u->op) {
    case TINY_OP_NEG: return tn_amd_either(x, TN_AMD_S_SUB_I32, TN_AMD_V_SUB_NC_U32, tn_amd_int(0), a);
    case TINY_OP_ADD: return tn_amd_either(x, TN_AMD_S_ADD_I32, TN_AMD_V_ADD_NC_U32, a, b);
    case TINY_OP_SUB:
      if (!uniform && b.kind != TN_AMD_VGPR) return tn_amd_v2(x, TN_AMD_V_SUBREV_NC_U32, b, a);
      return tn_amd_either(x, TN_AMD_S_SUB_I32, TN_AMD_V_SUB_NC_U32, a, b);
    case TINY_OP_MUL: return tn_amd_times(x, u, a, b);
    case TINY_OP_AND: return tn_amd_either(x, TN_AMD_S_AND_B32, TN_AMD_V_AND_B32, a, b);
    case TINY_OP_OR: return tn_amd_either(x, TN_AMD_S_OR_B32, TN_AMD_V_OR_B32, a, b);
    case TINY_OP_XOR: return tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, a, b);
    case TINY_OP_SHL: case TINY_OP_SHR: return tn_amd_shifted(x, u->op, is_signed, a, b);
    case TINY_OP_MAX: return is_signed ? tn_amd_either(x, TN_AMD_S_MAX_I32, TN_AMD_V_MAX_I32, a, b) :
                                         tn_amd_either(x, TN_AMD_S_MAX_U32, TN_AMD_V_MAX_U32, a, b);
    case TINY_OP_CDIV: case TINY_OP_CMOD: {
      const tn_amd_operand v = u->op == TINY_OP_CDIV ? tn_amd_quotient(x, u, a, b) : tn_amd_remainder(x, u, a, b);
      return uniform ? tn_amd_first_lane(x, v) : v;
    }
    case TINY_OP_TRUNC: return a;
    default: tn_amd_refuse_node(x, u); return a;
  }
}

// ** of 64 bits **

// Sums and differences, with a carry from half to half: SCC of scalars, which nothing stands between.
static tn_amd_operand tn_amd_sum64_uniform(tn_amd_selection *x, int subtracts, const tn_amd_operand *a,
                                           const tn_amd_operand *b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 2);
  tn_amd_operand of[2] = {b[0], b[1]};
  for (int i = 0; i < 2; i++) if (a[i].kind == TN_AMD_LITERAL) of[i] = tn_amd_as_s(x, b[i]);
  tn_amd_do3(x->l, subtracts ? TN_AMD_S_SUB_U32 : TN_AMD_S_ADD_U32, tn_amd_slice(d, 0, 1), a[0], of[0]);
  tn_amd_do3(x->l, subtracts ? TN_AMD_S_SUBB_U32 : TN_AMD_S_ADDC_U32, tn_amd_slice(d, 1, 1), a[1], of[1]);
  return d;
}
static tn_amd_operand tn_amd_sum64(tn_amd_selection *x, int subtracts, const tn_amd_operand *a,
                                   const tn_amd_operand *b) {
  if (tn_amd_are_uniform(a, 2) && tn_amd_are_uniform(b, 2)) return tn_amd_sum64_uniform(x, subtracts, a, b);
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  if (tn_amd_is_zero(&b[0])) {             // nothing is carried
    tn_amd_copy(x->l, tn_amd_slice(d, 0, 1), a[0]);
    tn_amd_do3(x->l, subtracts ? TN_AMD_V_SUB_NC_U32 : TN_AMD_V_ADD_NC_U32, tn_amd_slice(d, 1, 1), a[1], b[1]);
    return d;
  }
  const tn_amd_operand carry = tn_amd_new_mask(x->l);
  tn_amd_do4(x->l, subtracts ? TN_AMD_V_SUB_CO_U32 : TN_AMD_V_ADD_CO_U32, tn_amd_slice(d, 0, 1), carry, a[0], b[0]);
  tn_amd_do5(x->l, subtracts ? TN_AMD_V_SUB_CO_CI_U32 : TN_AMD_V_ADD_CO_CI_U32, tn_amd_slice(d, 1, 1),
             tn_amd_new_mask(x->l), a[1], b[1], carry);
  return d;
}
// The same of operands that are registers.
static tn_amd_operand tn_amd_sum64_of(tn_amd_selection *x, int subtracts, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand p[2] = {tn_amd_slice(a, 0, 1), tn_amd_slice(a, 1, 1)},
                       q[2] = {tn_amd_slice(b, 0, 1), tn_amd_slice(b, 1, 1)};
  return tn_amd_sum64(x, subtracts, p, q);
}
static tn_amd_operand tn_amd_product64(tn_amd_selection *x, const tn_amd_operand *a, const tn_amd_operand *b) {
  const tn_amd_operand low = tn_amd_wide_product(x, TN_AMD_V_MAD_U64_U32, a[0], b[0], tn_amd_int(0));
  const int one = tn_amd_is_zero(&a[1]) ? 1 : tn_amd_is_zero(&b[1]) ? 2 : 0;   // whose half is none
  if (one == 1 && tn_amd_is_zero(&b[1])) return low;
  const tn_amd_operand left = tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, a[one == 2], b[one != 2]);
  if (one) return tn_amd_joined(x, tn_amd_slice(low, 0, 1),
                                tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_slice(low, 1, 1), left));
  const tn_amd_operand right = tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, a[1], b[0]);
  return tn_amd_joined(x, tn_amd_slice(low, 0, 1),
                       tn_amd_v3(x, TN_AMD_V_ADD3_U32, tn_amd_slice(low, 1, 1), left, right));
}
static tn_amd_operand tn_amd_product64_of(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand p[2] = {tn_amd_slice(a, 0, 1), tn_amd_slice(a, 1, 1)},
                       q[2] = {tn_amd_slice(b, 0, 1), tn_amd_slice(b, 1, 1)};
  return tn_amd_product64(x, p, q);
}
static tn_amd_operand tn_amd_product64_uniform(tn_amd_selection *x, const tn_amd_operand *a, const tn_amd_operand *b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 2), high = tn_amd_uniform2(x, TN_AMD_S_MUL_HI_U32, 1, a[0], b[0]),
                       left = tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a[0], b[1]),
                       right = tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a[1], b[0]),
                       sum = tn_amd_uniform2(x, TN_AMD_S_ADD_I32, 1, high, left);
  tn_amd_copy(x->l, tn_amd_slice(d, 0, 1), tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a[0], b[0]));
  tn_amd_do3(x->l, TN_AMD_S_ADD_I32, tn_amd_slice(d, 1, 1), sum, right);
  return d;
}
static tn_amd_operand tn_amd_times64(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o,
                                     const tn_amd_operand *a, const tn_amd_operand *b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  int64_t k = 0;
  const int shift = tn_amd_is_number(q, &k) ? tn_amd_power_of((uint64_t)k) : -1, uniform = tn_amd_are_uniform(o, 2);
  if (shift >= 0 && uniform) return tn_amd_uniform2(x, TN_AMD_S_LSHL_B64, 2, o[0], tn_amd_int(shift));
  if (shift >= 0) return tn_amd_wide2(x, TN_AMD_V_LSHLREV_B64, tn_amd_int(shift), o[0]);
  if (uniform && x->family == TN_AMD_GFX12) return tn_amd_uniform2(x, TN_AMD_S_MUL_U64, 2, o[0], o[1]);
  if (uniform) return tn_amd_product64_uniform(x, a, b);
  if (tn_amd_is_within(p, INT32_MIN, INT32_MAX) && tn_amd_is_within(q, INT32_MIN, INT32_MAX) &&
      !(tn_amd_is_low(p) && tn_amd_is_low(q)))
    return tn_amd_wide_product(x, TN_AMD_V_MAD_I64_I32, a[0], b[0], tn_amd_int(0));
  const tn_amd_operand c[2] = {a[0], tn_amd_is_low(p) ? tn_amd_int(0) : a[1]},
                       d[2] = {b[0], tn_amd_is_low(q) ? tn_amd_int(0) : b[1]};
  return tn_amd_product64(x, c, d);
}
static tn_amd_operand tn_amd_bits64(tn_amd_selection *x, int op, const tn_amd_operand *o, const tn_amd_operand *a,
                                    const tn_amd_operand *b) {
  const int is_and = op == TINY_OP_AND, is_or = op == TINY_OP_OR;
  if (tn_amd_are_uniform(o, 2))
    return tn_amd_uniform2(x, is_and ? TN_AMD_S_AND_B64 : is_or ? TN_AMD_S_OR_B64 : TN_AMD_S_XOR_B64, 2, o[0], o[1]);
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  for (int i = 0; i < 2; i++)
    if (tn_amd_is_zero(&a[i]) || tn_amd_is_zero(&b[i]))
      tn_amd_copy(x->l, tn_amd_slice(d, i, 1), is_and ? tn_amd_int(0) : tn_amd_is_zero(&a[i]) ? b[i] : a[i]);
    else tn_amd_do3(x->l, is_and ? TN_AMD_V_AND_B32 : is_or ? TN_AMD_V_OR_B32 : TN_AMD_V_XOR_B32, tn_amd_slice(d, i, 1),
               a[i], b[i]);
  return d;
}
static tn_amd_operand tn_amd_shifted64(tn_amd_selection *x, int op, int is_signed, tn_amd_operand a,
                                       tn_amd_operand by) {
  const int left = op == TINY_OP_SHL;
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&by))
    return tn_amd_uniform2(x, left ? TN_AMD_S_LSHL_B64 : is_signed ? TN_AMD_S_ASHR_I64 : TN_AMD_S_LSHR_B64, 2, a, by);
  return tn_amd_wide2(x, left ? TN_AMD_V_LSHLREV_B64 : is_signed ? TN_AMD_V_ASHRREV_I64 : TN_AMD_V_LSHRREV_B64, by, a);
}
// a where the mask is 1, else b; of one dword or two.
static tn_amd_operand tn_amd_chosen(tn_amd_selection *x, int dwords, tn_amd_operand mask, const tn_amd_operand *a,
                                    const tn_amd_operand *b) {
  const tn_amd_operand d = tn_amd_new_v(x->l, dwords);
  for (int i = 0; i < dwords; i++)
    tn_amd_do4(x->l, TN_AMD_V_CNDMASK_B32, tn_amd_slice(d, i, 1), b[i], a[i], mask);
  return d;
}
static tn_amd_operand tn_amd_greater64(tn_amd_selection *x, int is_signed, tn_amd_operand p, tn_amd_operand q,
                                       const tn_amd_operand *a, const tn_amd_operand *b) {
  const tn_amd_operand more = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, is_signed ? TN_AMD_V_CMP_GT_I64 : TN_AMD_V_CMP_GT_U64, more, p, q);
  return tn_amd_chosen(x, 2, more, a, b);
}

// ** quotients of 64 bits, by those of f64 **

static tn_amd_operand tn_amd_f64_of_u64(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand high = tn_amd_wide1(x, TN_AMD_V_CVT_F64_U32, tn_amd_slice(o, 1, 1)),
                       low = tn_amd_wide1(x, TN_AMD_V_CVT_F64_U32, tn_amd_slice(o, 0, 1));
  return tn_amd_wide2(x, TN_AMD_V_ADD_F64, tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, high, tn_amd_int(32)), low);
}
// Of a float that is not negative, nor as much as 2^64: without its fraction.
static tn_amd_operand tn_amd_u64_of_f64(tn_amd_selection *x, tn_amd_operand f) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2), whole = tn_amd_wide1(x, TN_AMD_V_TRUNC_F64, f),
                       part = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, whole, tn_amd_int(-32)),
                       high = tn_amd_wide1(x, TN_AMD_V_FLOOR_F64, part),
                       minus = tn_amd_k64(x, UINT64_C(0xC1F0000000000000)),          // -2^32
                       low = tn_amd_wide3(x, TN_AMD_V_FMA_F64, high, minus, whole);
  tn_amd_do2(x->l, TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 0, 1), low);
  tn_amd_do2(x->l, TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 1, 1), high);
  return d;
}
// 1 / f, to some units of the last place: the instruction has half of the bits.
static tn_amd_operand tn_amd_reciprocal64(tn_amd_selection *x, tn_amd_operand f) {
  tn_amd_operand y = tn_amd_wide1(x, TN_AMD_V_RCP_F64, f), minus = f;
  minus.neg = 1;
  for (int i = 0; i < 2; i++) {
    const tn_amd_operand error = tn_amd_wide3(x, TN_AMD_V_FMA_F64, minus, y, tn_amd_bits(0x3F800000));
    y = tn_amd_wide3(x, TN_AMD_V_FMA_F64, error, y, y);
  }
  return y;
}
// A quotient by a reciprocal that is a little too low, by 2^-49, is too low by 2^15 at most, and so is the rest's by
// 1, as the rest is below 2^16 divisors.
static tn_amd_operand tn_amd_quotient64_plain(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand less = tn_amd_k64(x, UINT64_C(0x3FEFFFFFFFFFFFF0)),         // 1 - 2^-49
                       exact = tn_amd_reciprocal64(x, tn_amd_f64_of_u64(x, b)),
                       y = tn_amd_wide2(x, TN_AMD_V_MUL_F64, exact, less);
  tn_amd_operand q = a, r = a;
  for (int i = 0; i < 2; i++) {
    const tn_amd_operand part = tn_amd_wide2(x, TN_AMD_V_MUL_F64, tn_amd_f64_of_u64(x, r), y),
                         n = tn_amd_u64_of_f64(x, part);
    r = tn_amd_sum64_of(x, 1, r, tn_amd_product64_of(x, n, b));
    q = i ? tn_amd_sum64_of(x, 0, q, n) : n;
  }
  const tn_amd_operand more = tn_amd_new_mask(x->l), carry = tn_amd_new_mask(x->l), d = tn_amd_new_v(x->l, 2);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_U64, more, r, b);
  tn_amd_do5(x->l, TN_AMD_V_ADD_CO_CI_U32, tn_amd_slice(d, 0, 1), carry, tn_amd_int(0), tn_amd_slice(q, 0, 1), more);
  tn_amd_do5(x->l, TN_AMD_V_ADD_CO_CI_U32, tn_amd_slice(d, 1, 1), tn_amd_new_mask(x->l), tn_amd_int(0),
             tn_amd_slice(q, 1, 1), carry);
  return d;
}
// |o|, by its sign: a dword of ones or zeros.
static tn_amd_operand tn_amd_size64(tn_amd_selection *x, tn_amd_operand o, tn_amd_operand sign) {
  const tn_amd_operand s[2] = {sign, sign};
  tn_amd_operand bits[2];
  for (int i = 0; i < 2; i++)
    bits[i] = tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, tn_amd_slice(o, i, 1), sign);
  return tn_amd_sum64(x, 1, bits, s);
}
static tn_amd_operand tn_amd_quotient_of_64(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a,
                                           tn_amd_operand b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  if (tn_amd_is_within(p, 0, UINT32_MAX) && tn_amd_is_within(q, 0, UINT32_MAX)) {
    const tn_amd_operand low = tn_amd_quotient32(x, tn_amd_slice(a, 0, 1), tn_amd_slice(b, 0, 1));
    return tn_amd_joined(x, low, tn_amd_int(0));
  }
  if (!tn_amd_is_signed(u->dtype) || (p->vmin >= 0 && q->vmin >= 0)) return tn_amd_quotient64_plain(x, a, b);
  const tn_amd_operand last = tn_amd_int(31), s = tn_amd_shifted(x, TINY_OP_SHR, 1, tn_amd_slice(a, 1, 1), last),
                       t = tn_amd_shifted(x, TINY_OP_SHR, 1, tn_amd_slice(b, 1, 1), last),
                       size = tn_amd_quotient64_plain(x, tn_amd_size64(x, a, s), tn_amd_size64(x, b, t));
  return tn_amd_size64(x, size, tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, s, t));
}
static tn_amd_operand tn_amd_quotient64(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  tn_amd_operand *const q = tn_amd_quotient_at(x, u, a, b);
  if (q->kind == TN_AMD_NONE) *q = tn_amd_quotient_of_64(x, u, a, b);
  return *q;
}

static tn_amd_operand tn_amd_integer64(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int is_signed = tn_amd_is_signed(u->dtype), n = (int)u->nsrc;
  const tn_amd_operand zeros[2] = {tn_amd_int(0), tn_amd_int(0)};
  tn_amd_operand a[2], b[2];
  int64_t k;
  for (int i = 0; i < 2; i++) {
    a[i] = tn_amd_half(u->src[0], o[0], i);
    b[i] = tn_amd_half(u->src[n - 1], o[n - 1], i);
  }
  switch (u->op) {
    case TINY_OP_NEG: return tn_amd_sum64(x, 1, zeros, a);
    case TINY_OP_ADD:
      if (x->family == TN_AMD_GFX9 && o[0].kind == TN_AMD_VGPR && o[1].kind == TN_AMD_VGPR)
        return tn_amd_wide3(x, TN_AMD_V_LSHL_ADD_U64, o[0], tn_amd_int(0), o[1]);
      return tn_amd_sum64(x, 0, a, b);
    case TINY_OP_SUB: return tn_amd_sum64(x, 1, a, b);
    case TINY_OP_MUL: return tn_amd_times64(x, u, o, a, b);
    case TINY_OP_AND: case TINY_OP_OR: case TINY_OP_XOR: return tn_amd_bits64(x, u->op, o, a, b);
    case TINY_OP_SHL: case TINY_OP_SHR:
      return tn_amd_shifted64(x, u->op, is_signed, o[0],
                              tn_amd_is_number(u->src[1], &k) ? tn_amd_int((int)k & 63) : b[0]);
    case TINY_OP_MAX: return tn_amd_greater64(x, is_signed, o[0], o[1], a, b);
    case TINY_OP_CDIV: case TINY_OP_CMOD: {
      const tn_amd_operand q = tn_amd_quotient64(x, u, o[0], o[1]), v = u->op == TINY_OP_CDIV ? q :
          tn_amd_sum64_of(x, 1, o[0], tn_amd_product64_of(x, q, o[1]));
      return tn_amd_are_uniform(o, 2) ? tn_amd_first_lane(x, v) : v;
    }
    case TINY_OP_TRUNC: return o[0];
    default: tn_amd_refuse_node(x, u); return o[0];
  }
}
#endif
