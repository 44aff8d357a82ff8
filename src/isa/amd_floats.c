// amd_floats: arithmetic of floats on AMD's GPUs: f16, f32, f64; 2^x, roots and quotients.
//
// In:  operands of elements (amd_values.c). Out: the operand of the result.
// Holds: each is rounded once, to nearest and even, denormals are kept; 2^x is off by 1 ulp, or by some where few bits
//        are looked at. What is uniform is done by scalar instructions where there are some (f32 of gfx12).
// Source: AMD's ISA guides (amd.c): v_div_scale, v_div_fmas, v_div_fixup; v_exp_f32, v_sqrt_f32, v_rcp_f32, whose
//         denormals are 0. Markstein, "Software division and square root using Goldschmidt's algorithms", 2004.
#ifndef TN_ISA_AMD_FLOATS
#define TN_ISA_AMD_FLOATS
#ifndef TINY_AMALGAMATED
#include "amd_integers.c"
#endif

static int tn_amd_has_scalar_floats(const tn_amd_selection *x) { return x->family == TN_AMD_GFX12; }
static tn_amd_operand tn_amd_negated(tn_amd_operand o) { o.neg ^= 1; return o; }

// ** of two operands **

// Instructions of a type; 0: there is none.
typedef struct tn_amd_float_row { uint8_t op; uint16_t f16, f32, f64, scalar; } tn_amd_float_row;
static const tn_amd_float_row tn_amd_float_rows[] = {
  {TINY_OP_ADD, TN_AMD_V_ADD_F16, TN_AMD_V_ADD_F32, TN_AMD_V_ADD_F64, TN_AMD_S_ADD_F32},
  {TINY_OP_SUB, TN_AMD_V_SUB_F16, TN_AMD_V_SUB_F32, TN_AMD_V_ADD_F64, TN_AMD_S_SUB_F32},
  {TINY_OP_MUL, TN_AMD_V_MUL_F16, TN_AMD_V_MUL_F32, TN_AMD_V_MUL_F64, TN_AMD_S_MUL_F32},
  {TINY_OP_TRUNC, TN_AMD_V_TRUNC_F16, TN_AMD_V_TRUNC_F32, TN_AMD_V_TRUNC_F64, TN_AMD_S_TRUNC_F32},
  {TINY_OP_FMA, TN_AMD_V_FMA_F16, TN_AMD_V_FMA_F32, TN_AMD_V_FMA_F64, 0}
};
static int tn_amd_float_row_of(int op) {
  for (int i = 0; i < (int)(sizeof tn_amd_float_rows / sizeof *tn_amd_float_rows); i++)
    if (tn_amd_float_rows[i].op == op) return i;
  return -1;
}
// In registers of their own: constants of 64 bits are scalars already, those of fewer fit as they are.
static tn_amd_operand tn_amd_plain_float(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->dtype, n = (int)u->nsrc, at = tn_amd_float_row_of(u->op), dwords = d == TINY_F64 ? 2 : 1;
  tn_amd_operand all[4];
  const tn_amd_float_row *const row = &tn_amd_float_rows[at < 0 ? 0 : at];
  int op = d == TINY_F64 ? row->f64 : d == TINY_F32 ? row->f32 : row->f16;
  if (at < 0 || d == TINY_BF16) { tn_amd_refuse_node(x, u); return o[0]; }
  if (d == TINY_F32 && row->scalar && tn_amd_has_scalar_floats(x) && tn_amd_are_uniform(o, n))
    return n == 1 ? tn_amd_s1(x, row->scalar, o[0]) : tn_amd_uniform2(x, row->scalar, 1, o[0], o[1]);
  memcpy(all + 1, o, (size_t)n * sizeof *o);
  if (u->op == TINY_OP_SUB && d == TINY_F64) all[2] = tn_amd_negated(all[2]);
  else if (u->op == TINY_OP_SUB && o[0].kind == TN_AMD_VGPR && o[1].kind != TN_AMD_VGPR) {
    op = d == TINY_F32 ? TN_AMD_V_SUBREV_F32 : TN_AMD_V_SUBREV_F16;
    all[1] = o[1]; all[2] = o[0];
  }
  all[0] = tn_amd_new_v(x->l, dwords);
  tn_amd_do(x->l, op, n + 1, all);
  return all[0];
}
static tn_amd_operand tn_amd_minus(tn_amd_selection *x, int d, tn_amd_operand o) {
  const tn_amd_operand sign = tn_amd_k32(tn_amd_bits_of(d) < 32 ? 1u << (tn_amd_bits_of(d) - 1) : 0x80000000);
  if (d != TINY_F64) return tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, sign, o);
  return tn_amd_joined(x, tn_amd_slice(o, 0, 1),
                       tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, sign, tn_amd_slice(o, 1, 1)));
}

// ** MAX: NaN if one of them is; of zeros either, beside a constant what is none (src/ir/alu.c) **

static int tn_amd_compare_less(int d) {
  return d == TINY_F64 ? TN_AMD_V_CMP_LT_F64 : d == TINY_F32 ? TN_AMD_V_CMP_LT_F32 : TN_AMD_V_CMP_LT_F16;
}
static int tn_amd_compare_unordered(int d) {
  return d == TINY_F64 ? TN_AMD_V_CMP_U_F64 : d == TINY_F32 ? TN_AMD_V_CMP_U_F32 : TN_AMD_V_CMP_U_F16;
}
static tn_amd_operand tn_amd_chosen_of(tn_amd_selection *x, int dwords, tn_amd_operand mask, tn_amd_operand a,
                                       tn_amd_operand b) {
  const tn_amd_operand p[2] = {dwords > 1 ? tn_amd_slice(a, 0, 1) : a, tn_amd_slice(a, 1, 1)},
                       q[2] = {dwords > 1 ? tn_amd_slice(b, 0, 1) : b, tn_amd_slice(b, 1, 1)};
  return tn_amd_chosen(x, dwords, mask, p, q);
}
// a is no constant, k is: k where it is more, which it never is of NaN.
static tn_amd_operand tn_amd_most_and_number(tn_amd_selection *x, int d, tn_amd_operand a, tn_amd_operand k) {
  const tn_amd_operand less = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, tn_amd_compare_less(d), less, a, k);
  return tn_amd_chosen_of(x, d == TINY_F64 ? 2 : 1, less, k, a);
}
static tn_amd_operand tn_amd_greatest(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const int d = u->dtype, wide = d == TINY_F64, half = d == TINY_F16;
  int64_t k;
  double v;
  for (int i = 0; i < 2; i++) {
    if (!tn_amd_is_number(u->src[i], &k) || tn_amd_is_number(u->src[!i], &k)) continue;
    memcpy(&v, &k, sizeof v);
    if (v == v && (x->family != TN_AMD_GFX12 || v == 0)) return tn_amd_most_and_number(x, d, i ? a : b, i ? b : a);
  }
  const int nan = wide ? TN_AMD_V_MAXIMUM_F64 : half ? TN_AMD_V_MAXIMUM_F16 : TN_AMD_V_MAXIMUM_F32,
            num = wide ? TN_AMD_V_MAX_F64 : half ? TN_AMD_V_MAX_F16 : TN_AMD_V_MAX_F32;
  if (x->family == TN_AMD_GFX12) {
    if (!wide && !half && tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))
      return tn_amd_uniform2(x, TN_AMD_S_MAXIMUM_F32, 1, a, b);
    return wide ? tn_amd_wide2(x, nan, a, b) : tn_amd_v2(x, nan, a, b);
  }
  const tn_amd_operand most = wide ? tn_amd_wide2(x, num, a, b) : tn_amd_v2(x, num, a, b), is = tn_amd_new_mask(x->l);
  const tn_amd_operand p[2] = {tn_amd_k32(wide ? 0 : half ? 0x7E00 : 0x7FC00000), tn_amd_k32(0x7FF80000)},
                       q[2] = {wide ? tn_amd_slice(most, 0, 1) : most, tn_amd_slice(most, 1, 1)};
  tn_amd_do3(x->l, tn_amd_compare_unordered(d), is, a, b);
  return tn_amd_chosen(x, wide ? 2 : 1, is, p, q);
}

// ** 2^x **

// What is below the normals is computed 64 binary places up. Where few bits are looked at, of half of x, and squared:
// no denormals come or go, and errors add up to 3 ulp.
static tn_amd_operand tn_amd_power_of_two(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  if (u->k) {
    const tn_amd_operand half = tn_amd_v2(x, TN_AMD_V_MUL_F32, tn_amd_bits(0x3F000000), o),
                         root = tn_amd_v1(x, TN_AMD_V_EXP_F32, half);
    return tn_amd_v2(x, TN_AMD_V_MUL_F32, root, root);
  }
  const tn_amd_operand low = tn_amd_new_mask(x->l), zero = tn_amd_int(0), up = tn_amd_k32(0x42800000);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GT_F32, low, tn_amd_k32(0xC2FC0000), o);     // -126
  const tn_amd_operand moved = tn_amd_v2(x, TN_AMD_V_ADD_F32, tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, up, low), o),
                       back = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_k32((uint32_t)-64), low);
  return tn_amd_v2(x, TN_AMD_V_LDEXP_F32, tn_amd_v1(x, TN_AMD_V_EXP_F32, moved), back);
}

// ** roots **

// The instruction is off by 1 ulp; which of its neighbours is right tells the sign of x minus the product of it and
// the neighbour. Below 2^-96 of x * 2^32, as the instruction takes denormals for 0 and errors may be none.
static tn_amd_operand tn_amd_root32(tn_amd_selection *x, tn_amd_operand o) {
  tn_amd_list *const l = x->l;
  const tn_amd_operand low = tn_amd_new_mask(l), down = tn_amd_new_mask(l), up = tn_amd_new_mask(l),
                       same = tn_amd_new_mask(l), zero = tn_amd_int(0);
  tn_amd_do3(l, TN_AMD_V_CMP_GT_F32, low, tn_amd_k32(0x0F800000), o);        // 2^-96
  const tn_amd_operand by = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_int(32), low),
                       v = tn_amd_v2(x, TN_AMD_V_LDEXP_F32, o, by), s = tn_amd_v1(x, TN_AMD_V_SQRT_F32, v),
                       less = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(-1), s),
                       more = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(1), s);
  tn_amd_do3(l, TN_AMD_V_CMP_GE_F32, down, zero, tn_amd_v3(x, TN_AMD_V_FMA_F32, tn_amd_negated(less), s, v));
  tn_amd_do3(l, TN_AMD_V_CMP_LT_F32, up, zero, tn_amd_v3(x, TN_AMD_V_FMA_F32, tn_amd_negated(more), s, v));
  const tn_amd_operand first = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, s, less, down),
                       root = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, first, more, up),
                       back = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_int(-16), low),
                       scaled = tn_amd_v2(x, TN_AMD_V_LDEXP_F32, root, back);
  tn_amd_do3(l, TN_AMD_V_CMP_CLASS_F32, same, v, tn_amd_as_v(x, tn_amd_k32(0x260)));   // zeros and infinity
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, scaled, v, same);
}
// Goldschmidt's iteration from v_rsq_f64, then two steps of Newton's. Below 2^-767 of x * 2^256.
static tn_amd_operand tn_amd_root64(tn_amd_selection *x, tn_amd_operand o) {
  tn_amd_list *const l = x->l;
  const tn_amd_operand low = tn_amd_new_mask(l), same = tn_amd_new_mask(l), half = tn_amd_bits(0x3F000000),
                       zero = tn_amd_int(0);
  tn_amd_do3(l, TN_AMD_V_CMP_GT_F64, low, tn_amd_k64(x, UINT64_C(0x1000000000000000)), o);
  const tn_amd_operand by = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_k32(256), low),
                       v = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, o, by), y = tn_amd_wide1(x, TN_AMD_V_RSQ_F64, v),
                       h0 = tn_amd_wide2(x, TN_AMD_V_MUL_F64, y, half), g0 = tn_amd_wide2(x, TN_AMD_V_MUL_F64, v, y),
                       r = tn_amd_wide3(x, TN_AMD_V_FMA_F64, tn_amd_negated(h0), g0, half),
                       h = tn_amd_wide3(x, TN_AMD_V_FMA_F64, h0, r, h0);
  tn_amd_operand g = tn_amd_wide3(x, TN_AMD_V_FMA_F64, g0, r, g0);
  for (int i = 0; i < 2; i++) {
    const tn_amd_operand rest = tn_amd_wide3(x, TN_AMD_V_FMA_F64, tn_amd_negated(g), g, v);
    g = tn_amd_wide3(x, TN_AMD_V_FMA_F64, rest, h, g);
  }
  const tn_amd_operand back = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_k32((uint32_t)-128), low),
                       root = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, g, back);
  tn_amd_do3(l, TN_AMD_V_CMP_CLASS_F64, same, v, tn_amd_as_v(x, tn_amd_k32(0x260)));
  return tn_amd_chosen_of(x, 2, same, v, root);
}

// ** quotients **

// n / d: v_div_scale keeps both away from denormals, and tells in VCC whether v_div_fmas has to undo it; between them a
// reciprocal and a quotient are made exact by what is left; v_div_fixup has the special cases. What the reciprocal of
// f64 is off by is taken one unit too large: that of a divisor of all ones were a tie, which goes the wrong way
// (Markstein: the one case in which such a reciprocal is not the right one).
static tn_amd_operand tn_amd_divided(tn_amd_selection *x, int wide, tn_amd_operand n, tn_amd_operand d) {
  tn_amd_list *const l = x->l;
  const int dwords = wide ? 2 : 1, fma = wide ? TN_AMD_V_FMA_F64 : TN_AMD_V_FMA_F32,
            scale = wide ? TN_AMD_V_DIV_SCALE_F64 : TN_AMD_V_DIV_SCALE_F32;
  const tn_amd_operand one = tn_amd_bits(0x3F800000), b = tn_amd_new_v(l, dwords), a = tn_amd_new_v(l, dwords),
                       scaled = tn_amd_new_mask(l), q = tn_amd_new_v(l, dwords), y = tn_amd_new_v(l, dwords);
  tn_amd_operand r[8];
  for (int i = 0; i < 8; i++) r[i] = tn_amd_new_v(l, dwords);
  tn_amd_do5(l, scale, b, tn_amd_new_mask(l), d, d, n);
  tn_amd_do5(l, scale, a, scaled, n, d, n);
  tn_amd_do2(l, wide ? TN_AMD_V_RCP_F64 : TN_AMD_V_RCP_F32, r[0], b);
  tn_amd_do4(l, fma, r[1], tn_amd_negated(b), r[0], one);
  tn_amd_do4(l, fma, r[2], r[1], r[0], r[0]);
  if (wide) {
    const tn_amd_operand error = tn_amd_new_v(l, 2);
    tn_amd_do4(l, fma, error, tn_amd_negated(b), r[2], one);
    tn_amd_do4(l, fma, r[3], error, tn_amd_k64(x, UINT64_C(0x3CB0000000000000)), error);   // 2^-52 of it
    tn_amd_do4(l, fma, r[4], r[2], r[3], r[2]);
  }
  const tn_amd_operand inverse = wide ? r[4] : r[2];
  tn_amd_do3(l, wide ? TN_AMD_V_MUL_F64 : TN_AMD_V_MUL_F32, r[5], a, inverse);
  if (!wide) {
    tn_amd_do4(l, fma, r[3], tn_amd_negated(b), r[5], a);
    tn_amd_do4(l, fma, r[6], r[3], inverse, r[5]);
  }
  const tn_amd_operand quotient = wide ? r[5] : r[6];
  tn_amd_do4(l, fma, r[7], tn_amd_negated(b), quotient, a);
  tn_amd_copy(l, tn_amd_s(TN_AMD_VCC, l->mask), scaled);
  tn_amd_do4(l, wide ? TN_AMD_V_DIV_FMAS_F64 : TN_AMD_V_DIV_FMAS_F32, q, r[7], inverse, quotient);
  tn_amd_do4(l, wide ? TN_AMD_V_DIV_FIXUP_F64 : TN_AMD_V_DIV_FIXUP_F32, y, q, d, n);
  return y;
}

static tn_amd_operand tn_amd_float(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->dtype, wide = d == TINY_F64;
  if (u->op == TINY_OP_NEG) return tn_amd_minus(x, d, o[0]);
  if (u->op == TINY_OP_MAX && d >= TINY_F16 && d != TINY_BF16) return tn_amd_greatest(x, u, o[0], o[1]);
  if (d == TINY_F32 || wide)
    switch (u->op) {
      case TINY_OP_SQRT: return wide ? tn_amd_root64(x, o[0]) : tn_amd_root32(x, o[0]);
      case TINY_OP_FDIV: return tn_amd_divided(x, wide, o[0], o[1]);
      case TINY_OP_EXP2: if (!wide) return tn_amd_power_of_two(x, u, o[0]); // fall through
      default: break;
    }
  return tn_amd_plain_float(x, u, o);
}
#endif
