// amd_casts: conversions of elements between dtypes, and their bits as those of another, on AMD's GPUs.
//
// In:  an operand of one element. Out: the operand of the result.
// Holds: floats to integers are cut, saturate, and NaN is 0; what becomes narrower is rounded once, to nearest and
//        even; integers wrap.
// Source: AMD's ISA guides (amd.c), "VOP1": v_cvt_*; of fp8 that of gfx12 alone is OCP's (gfx942 has another).
#ifndef TN_ISA_AMD_CASTS
#define TN_ISA_AMD_CASTS
#ifndef TINY_AMALGAMATED
#include "amd_floats.c"
#endif

static int tn_amd_is_fp8(int d) { return d == TINY_F8E4M3 || d == TINY_F8E5M2; }
static int tn_amd_holds(int dtype, const tiny_uop *u) {
  if (tn_amd_bits_of(dtype) >= 64) return 1;
  return tn_amd_is_within(u, tn_amd_least(dtype), tn_amd_most(dtype));
}

// ** integers **

static tn_amd_operand tn_amd_extended(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  if (!tn_amd_is_signed(u->dtype) || u->vmin >= 0) return tn_amd_joined(x, o, tn_amd_int(0));
  return tn_amd_joined(x, o, tn_amd_shifted(x, TINY_OP_SHR, 1, o, tn_amd_int(31)));
}
static tn_amd_operand tn_amd_integer_cast(tn_amd_selection *x, const tiny_uop *u, int to, tn_amd_operand o) {
  const int wide = tn_amd_bits_of(to) == 64, was = tn_amd_bits_of(u->dtype) == 64;
  if (wide) return was ? o : tn_amd_extended(x, u, o);
  if (was) o = tn_amd_half(u, o, 0);
  return tn_amd_bits_of(to) == 32 || tn_amd_holds(to, u) ? o : tn_amd_wrapped(x, to, o);
}

// ** integers to floats **

// The leading one goes to the top of 32 bits, of which the last tells whether there were more: one rounding.
static tn_amd_operand tn_amd_f32_of_u64(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand zeros = tn_amd_v1(x, TN_AMD_V_CLZ_I32_U32, tn_amd_slice(o, 1, 1)),
                       by = tn_amd_v2(x, TN_AMD_V_MIN_U32, tn_amd_int(32), zeros),    // -1 of 0
                       top = tn_amd_wide2(x, TN_AMD_V_LSHLREV_B64, by, o),
                       more = tn_amd_v2(x, TN_AMD_V_MIN_U32, tn_amd_int(1), tn_amd_slice(top, 0, 1)),
                       all = tn_amd_v2(x, TN_AMD_V_OR_B32, more, tn_amd_slice(top, 1, 1));
  return tn_amd_v2(x, TN_AMD_V_LDEXP_F32, tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, all),
                   tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, tn_amd_int(32), by));
}
static tn_amd_operand tn_amd_f32_of_i64(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand high = tn_amd_slice(o, 1, 1), sign = tn_amd_shifted(x, TINY_OP_SHR, 1, high, tn_amd_int(31)),
                       size = tn_amd_f32_of_u64(x, tn_amd_size64(x, o, sign));
  return tn_amd_v3(x, TN_AMD_V_AND_OR_B32, sign, tn_amd_k32(0x80000000), size);
}
static tn_amd_operand tn_amd_f64_of_i64(tn_amd_selection *x, int is_signed, tn_amd_operand o) {
  if (!is_signed) return tn_amd_f64_of_u64(x, o);
  const tn_amd_operand high = tn_amd_wide1(x, TN_AMD_V_CVT_F64_I32, tn_amd_slice(o, 1, 1)),
                       low = tn_amd_wide1(x, TN_AMD_V_CVT_F64_U32, tn_amd_slice(o, 0, 1));
  return tn_amd_wide2(x, TN_AMD_V_ADD_F64, tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, high, tn_amd_int(32)), low);
}
static tn_amd_operand tn_amd_f32_of_integer(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  const int is_signed = tn_amd_is_signed(u->dtype);
  if (tn_amd_bits_of(u->dtype) == 64) return is_signed ? tn_amd_f32_of_i64(x, o) : tn_amd_f32_of_u64(x, o);
  if (tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&o))
    return tn_amd_s1(x, is_signed ? TN_AMD_S_CVT_F32_I32 : TN_AMD_S_CVT_F32_U32, o);
  if (u->dtype == TINY_U8) return tn_amd_v1(x, TN_AMD_V_CVT_F32_UBYTE0, o);
  return tn_amd_v1(x, is_signed ? TN_AMD_V_CVT_F32_I32 : TN_AMD_V_CVT_F32_U32, o);
}
static tn_amd_operand tn_amd_f64_of_integer(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  const int is_signed = tn_amd_is_signed(u->dtype);
  if (tn_amd_bits_of(u->dtype) == 64) return tn_amd_f64_of_i64(x, is_signed, o);
  return tn_amd_wide1(x, is_signed ? TN_AMD_V_CVT_F64_I32 : TN_AMD_V_CVT_F64_U32, o);
}

// ** floats to integers **

// The upper half saturates; the lower one is what is left of the upper one within its bounds, and saturates too.
static tn_amd_operand tn_amd_integer64_of(tn_amd_selection *x, int is_signed, tn_amd_operand f) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2), whole = tn_amd_wide1(x, TN_AMD_V_TRUNC_F64, f),
                       part = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, whole, tn_amd_int(-32)),
                       high = tn_amd_wide1(x, TN_AMD_V_FLOOR_F64, part),
                       least = is_signed ? tn_amd_k64(x, UINT64_C(0xC1E0000000000000)) : tn_amd_int(0),
                       most = tn_amd_k64(x, is_signed ? UINT64_C(0x41DFFFFFFFC00000) : UINT64_C(0x41EFFFFFFFE00000)),
                       minus = tn_amd_k64(x, UINT64_C(0xC1F0000000000000)),          // -2^32
                       within = tn_amd_wide2(x, TN_AMD_V_MIN_F64, tn_amd_wide2(x, TN_AMD_V_MAX_F64, high, least), most),
                       low = tn_amd_wide3(x, TN_AMD_V_FMA_F64, within, minus, whole);
  tn_amd_do2(x->l, TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 0, 1), low);
  tn_amd_do2(x->l, is_signed ? TN_AMD_V_CVT_I32_F64 : TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 1, 1), high);
  return d;
}
static tn_amd_operand tn_amd_integer_of_float(tn_amd_selection *x, int from, int to, tn_amd_operand o) {
  const int bits = tn_amd_bits_of(to), is_signed = tn_amd_is_signed(to), wide = from == TINY_F64;
  if (bits == 64) return tn_amd_integer64_of(x, is_signed, wide ? o : tn_amd_wide1(x, TN_AMD_V_CVT_F64_F32, o));
  if (!wide && bits == 32 && tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&o))
    return tn_amd_s1(x, is_signed ? TN_AMD_S_CVT_I32_F32 : TN_AMD_S_CVT_U32_F32, o);
  const tn_amd_operand y = tn_amd_v1(x, wide ? (is_signed ? TN_AMD_V_CVT_I32_F64 : TN_AMD_V_CVT_U32_F64) :
                                               (is_signed ? TN_AMD_V_CVT_I32_F32 : TN_AMD_V_CVT_U32_F32), o);
  const tn_amd_operand top = tn_amd_k32((uint32_t)tn_amd_most(to));
  if (bits == 32) return y;
  if (!is_signed) return tn_amd_v2(x, TN_AMD_V_MIN_U32, top, y);
  return tn_amd_v3(x, TN_AMD_V_MED3_I32, y, tn_amd_k32((uint32_t)tn_amd_least(to)), top);
}

// ** floats to floats **

// An f32 that any narrower float is rounded of as it is of the f64: cut, and odd where something was lost (Boldo and
// Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
static tn_amd_operand tn_amd_odd_f32(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand f = tn_amd_v1(x, TN_AMD_V_CVT_F32_F64, o), beyond = tn_amd_new_mask(x->l),
                       differs = tn_amd_new_mask(x->l), cut = tn_amd_new_v(x->l, 1);
  tn_amd_operand back = tn_amd_wide1(x, TN_AMD_V_CVT_F64_F32, f), size = o;
  tn_amd_do3(x->l, TN_AMD_V_CMP_LG_F64, differs, back, o);
  back.abs = size.abs = 1;
  tn_amd_do3(x->l, TN_AMD_V_CMP_GT_F64, beyond, back, size);
  tn_amd_do5(x->l, TN_AMD_V_SUBREV_CO_CI_U32, cut, tn_amd_new_mask(x->l), tn_amd_int(0), f, beyond);
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, f, tn_amd_v2(x, TN_AMD_V_OR_B32, tn_amd_int(1), cut), differs);
}
// f32 of which the upper half is the bf16, but for NaN.
static tn_amd_operand tn_amd_rounded_bf16(tn_amd_selection *x, tn_amd_operand f) {
  const tn_amd_operand odd = tn_amd_v3(x, TN_AMD_V_BFE_U32, f, tn_amd_int(16), tn_amd_int(1)),
                       sum = tn_amd_v3(x, TN_AMD_V_ADD3_U32, f, odd, tn_amd_k32(0x7FFF)),
                       nan = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, TN_AMD_V_CMP_U_F32, nan, f, f);
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, sum, tn_amd_k32(0x7FC00000), nan);
}
static tn_amd_operand tn_amd_narrow_float(tn_amd_selection *x, int to, tn_amd_operand f) {
  if (to == TINY_F16) {
    if (tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&f)) return tn_amd_s1(x, TN_AMD_S_CVT_F16_F32, f);
    return tn_amd_v1(x, TN_AMD_V_CVT_F16_F32, f);
  }
  if (to == TINY_BF16) return tn_amd_v2(x, TN_AMD_V_LSHRREV_B32, tn_amd_int(16), tn_amd_rounded_bf16(x, f));
  return tn_amd_v2(x, to == TINY_F8E4M3 ? TN_AMD_V_CVT_PK_FP8_F32 : TN_AMD_V_CVT_PK_BF8_F32, f, f);
}
static tn_amd_operand tn_amd_f32_of_narrow(tn_amd_selection *x, int from, tn_amd_operand o) {
  switch (from) {
    case TINY_F16:
      if (tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&o)) return tn_amd_s1(x, TN_AMD_S_CVT_F32_F16, o);
      return tn_amd_v1(x, TN_AMD_V_CVT_F32_F16, o);
    case TINY_BF16: return tn_amd_shifted(x, TINY_OP_SHL, 0, o, tn_amd_int(16));
    default: return tn_amd_v1(x, from == TINY_F8E4M3 ? TN_AMD_V_CVT_F32_FP8 : TN_AMD_V_CVT_F32_BF8, o);
  }
}
static tn_amd_operand tn_amd_float_cast(tn_amd_selection *x, int from, int to, tn_amd_operand o) {
  const int narrow = tn_amd_bits_of(to) < 32;
  if (tn_amd_bits_of(from) < 32) { o = tn_amd_f32_of_narrow(x, from, o); from = TINY_F32; }
  if (from == to) return o;
  if (from == TINY_F64) o = narrow ? tn_amd_odd_f32(x, o) : tn_amd_v1(x, TN_AMD_V_CVT_F32_F64, o);
  else if (to == TINY_F64) return tn_amd_wide1(x, TN_AMD_V_CVT_F64_F32, o);
  return narrow ? tn_amd_narrow_float(x, to, o) : o;
}

// ** all of them **

static tn_amd_operand tn_amd_bool_cast(tn_amd_selection *x, const tiny_uop *from, int to, tn_amd_operand o);
static tn_amd_operand tn_amd_to_bool(tn_amd_selection *x, const tiny_uop *from, tn_amd_operand o);

static tn_amd_operand tn_amd_cast(tn_amd_selection *x, const tiny_uop *from, int to, tn_amd_operand o) {
  const int d = from->dtype;
  if ((tn_amd_is_fp8(d) || tn_amd_is_fp8(to)) && x->family != TN_AMD_GFX12) {
    tn_amd_list_refuse(x->l, "the GPU has no fp8");
    return o;
  }
  if (d == to) return o;
  if (d == TINY_BOOL) return tn_amd_bool_cast(x, from, to, o);
  if (to == TINY_BOOL) return tn_amd_to_bool(x, from, o);
  if (!tn_amd_is_float(d)) {
    if (!tn_amd_is_float(to)) return tn_amd_integer_cast(x, from, to, o);
    if (to == TINY_F64) return tn_amd_f64_of_integer(x, from, o);
    return tn_amd_float_cast(x, TINY_F32, to, tn_amd_f32_of_integer(x, from, o));
  }
  if (tn_amd_is_float(to)) return tn_amd_float_cast(x, d, to, o);
  if (tn_amd_bits_of(d) < 32) return tn_amd_integer_of_float(x, TINY_F32, to, tn_amd_f32_of_narrow(x, d, o));
  return tn_amd_integer_of_float(x, d, to, o);
}
// The same bits; above those of a narrow integer stands its sign.
static tn_amd_operand tn_amd_bits_as(tn_amd_selection *x, int from, int to, tn_amd_operand o) {
  return from == to || tn_amd_is_float(to) ? o : tn_amd_wrapped(x, to, o);
}
#endif
