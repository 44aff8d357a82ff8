// amd_packed: vector instructions on two or more numbers a lane: packed f16 and 16 bits, packed f32 (gfx942), products
// that are summed (dot), f16 among f32 (fma_mix), fp8.
//
// Sources: AMD, RDNA3 ISA 16.11 ("VOP3P"), MI300 ISA 12; OCP 8-bit floating point (gfx12), FNUZ (gfx942). Sums of
// products of f16 are rounded once: what the hardware does between is not documented. Included by amd_memory.c.
#ifndef AMD_PACKED_C
#define AMD_PACKED_C
#include "amd_integer.c"

// ** two halves: an expression of a, b, c of each half **

#define AMD_PK(name, e)                                                                                                \
  static uint32_t amd_pk_##name##_one(const amd_lanes *x, uint32_t a, uint32_t b, uint32_t c) {                        \
    (void)x; (void)a; (void)b; (void)c;                                                                                \
    return (uint32_t)(e) & 0xFFFF;                                                                                     \
  }                                                                                                                    \
  static void amd_pk_##name(amd_lanes *x) {                                                                            \
    AMD_EACH(x) {                                                                                                      \
      const uint32_t a = x->a[l], b = x->b[l], c = x->c[l];                                                            \
      x->r[l] = amd_pk_##name##_one(x, a & 0xFFFF, b & 0xFFFF, c & 0xFFFF) |                                           \
                amd_pk_##name##_one(x, a >> 16, b >> 16, c >> 16) << 16;                                               \
    }                                                                                                                  \
  }
// f16, by MODE's denormals.
#define AMD_H(v) (double)amd_of_f16(x->w->mode >> 6 & 1 ? (v) : amd_flush16(v))
AMD_PK(fma_f16, amd_to_f16(amd_add_odd(AMD_H(a) * AMD_H(b), AMD_H(c)), x->round16))
AMD_PK(add_f16, amd_to_f16(AMD_H(a) + AMD_H(b), x->round16))
AMD_PK(mul_f16, amd_to_f16(AMD_H(a) * AMD_H(b), x->round16))
AMD_PK(min_f16, amd_lesser16(a, b, 0, x->ieee)) AMD_PK(max_f16, amd_lesser16(a, b, 1, x->ieee))
AMD_PK(minimum_f16, amd_less16_nan((uint16_t)a, (uint16_t)b, x->i->rule->arg))
AMD_PK(mad_u16, a *b + c) AMD_PK(mul_lo_u16, a *b)
AMD_PK(add_i16, AMD_CLAMPED ? amd_sat_i16((int16_t)a + (int16_t)b) : a + b)
AMD_PK(sub_i16, AMD_CLAMPED ? amd_sat_i16((int16_t)a - (int16_t)b) : a - b)
AMD_PK(add_u16, AMD_CLAMPED ? amd_sat_u16((int32_t)(a + b)) : a + b)
AMD_PK(sub_u16, AMD_CLAMPED ? amd_sat_u16((int32_t)a - (int32_t)b) : a - b)
AMD_PK(lshlrev_b16, b << (a & 15)) AMD_PK(lshrrev_b16, b >> (a & 15)) AMD_PK(ashrrev_i16, (int16_t)b >> (a & 15))
AMD_PK(max_i16, (int16_t)a > (int16_t)b ? a : b) AMD_PK(min_i16, (int16_t)a < (int16_t)b ? a : b)
AMD_PK(max_u16, a > b ? a : b) AMD_PK(min_u16, a < b ? a : b)

// ** two f32 (gfx942): op_sel and op_sel_hi say which of the pair **

// Half `high` of the source, as f32 bits.
static uint32_t amd_of_pair(const amd_operand *o, const uint64_t *from, int l, int high) {
  const int which = high ? o->high : o->sel, neg = high ? o->abs : o->neg;
  return (uint32_t)(from[l] >> (which && o->where == AMD_V ? 32 : which && o->where == AMD_S ? 32 : 0)) ^
         (neg ? 0x80000000u : 0);
}
static void amd_pk_f32(amd_lanes *x) {
  AMD_EACH(x) {
    uint32_t r[2];
    for (int h = 0; h < 2; h++) {
      const float a = amd_f32(amd_of_pair(&x->i->s[0], x->A, l, h)), b = amd_f32(amd_of_pair(&x->i->s[1], x->B, l, h));
      const float c = amd_f32(amd_of_pair(&x->i->s[2], x->C, l, h));
      r[h] = amd_b32(x->i->rule->arg == 0 ? a + b : x->i->rule->arg == 1 ? a * b : amd_fma_near(a, b, c));
    }
    x->R[l] = r[0] | (uint64_t)r[1] << 32;
  }
}
static void amd_pk_mov(amd_lanes *x) {
  AMD_EACH(x) {
    const uint32_t low = amd_of_pair(&x->i->s[0], x->A, l, 0);
    x->R[l] = low | (uint64_t)(uint32_t)(x->B[l] >> (x->i->s[1].sel ? 32 : 0)) << 32;
  }
}

// ** f16 among f32 **

static void amd_fma_mix(amd_lanes *x) {
  AMD_EACH(x) x->r[l] = amd_b32(amd_fma_near(amd_f32(x->a[l]), amd_f32(x->b[l]), amd_f32(x->c[l])));
}
// To the low or the high half (arg) of the destination, whose old value is what it keeps. Rounded to f32, and that to
// f16 (RDNA3 ISA, V_FMA_MIXLO_F16; LLVM makes it of an fptrunc of an fma that nobody may contract).
static void amd_fma_mix16(amd_lanes *x) {
  const uint32_t *old = amd_v(x->w, x->i->d.reg);
  AMD_EACH(x) {
    double v = (double)amd_fma_near(amd_f32(x->a[l]), amd_f32(x->b[l]), amd_f32(x->c[l]));
    if (x->i->clamp) v = v > 0 ? v < 1 ? v : 1 : 0;
    const uint32_t h = amd_to_f16(v, x->round16);
    x->r[l] = x->i->rule->arg ? (old[l] & 0xFFFF) | h << 16 : (old[l] & 0xFFFF0000) | h;
  }
}

// ** sums of products **

static double amd_dot_f16(uint32_t a, uint32_t b, double c) {
  const double low = (double)amd_of_f16(a & 0xFFFF) * (double)amd_of_f16(b & 0xFFFF);
  return amd_add_odd(amd_add_odd(low, (double)amd_of_f16(a >> 16) * (double)amd_of_f16(b >> 16)), c);
}
static double amd_dot_bf16(uint32_t a, uint32_t b, double c) {
  const double low = (double)amd_of_bf16(a & 0xFFFF) * (double)amd_of_bf16(b & 0xFFFF);
  return amd_add_odd(amd_add_odd(low, (double)amd_of_bf16(a >> 16) * (double)amd_of_bf16(b >> 16)), c);
}
AMD_U32(dot2_f32_f16, amd_b32((float)amd_dot_f16(a, b, (double)amd_f32(c))))
AMD_U32(dot2_f32_bf16, amd_b32((float)amd_dot_bf16(a, b, (double)amd_f32(c))))
AMD_U32(dot2_f16_f16, amd_to_f16(amd_dot_f16(a, b, (double)amd_of_f16(c & 0xFFFF)), x->round16))
AMD_U32(dot2_bf16_bf16, amd_to_bf16(amd_dot_bf16(a, b, (double)amd_of_bf16(c & 0xFFFF))))
// Whole numbers of `bits`: signs of a and b each.
static int64_t amd_field(uint32_t x, int at, int bits, int is_signed) {
  const int64_t v = x >> at & ((1u << bits) - 1);
  return is_signed && v >> (bits - 1) ? v - (1ll << bits) : v;
}
static uint32_t amd_dot_int(uint32_t a, uint32_t b, uint32_t c, int bits, int sa, int sb, int clamp) {
  int64_t sum = sa || sb ? (int64_t)(int32_t)c : (int64_t)c;
  for (int k = 0; k < 32; k += bits) sum += amd_field(a, k, bits, sa) * amd_field(b, k, bits, sb);
  if (!clamp) return (uint32_t)sum;
  return sa || sb ? amd_saturate_i32(sum) : amd_saturate((uint64_t)sum);
}
// arg: the bits of a number; + 64: signed; + 128: neg says which are.
static void amd_dot_ints(amd_lanes *x) {
  const int arg = x->i->rule->arg, bits = arg & 63, both = arg >> 6 & 1, by = arg >> 7 & 1;
  const int sa = by ? x->i->s[0].neg : both, sb = by ? x->i->s[1].neg : both;
  AMD_EACH(x) x->r[l] = amd_dot_int(x->a[l], x->b[l], x->c[l], bits, sa, sb, x->i->clamp);
}

// ** fp8 **

static const amd_format *amd_fp8(const amd_lanes *x, int bf8) {
  if (x->w->family == AMD_9) return bf8 ? &amd_e5m2_fnuz : &amd_e4m3_fnuz;
  return bf8 ? &amd_e5m2_format : &amd_e4m3_format;
}
// gfx12 chooses the byte by byte_sel; gfx942 by SDWA, which has chosen it.
AMD_U32(cvt_f32_fp8, amd_b32((float)amd_decode(a >> 8 * x->i->byte & 255, amd_fp8(x, x->i->rule->arg))))
static void amd_cvt_pk_f32_fp8(amd_lanes *x) {
  const amd_format *f = amd_fp8(x, x->i->rule->arg);
  const int shift = x->i->s[0].sel && !x->i->s[0].sdwa ? 16 : 0;
  AMD_EACH(x) {
    const uint32_t a = x->a[l] >> shift;
    x->R[l] = amd_b32((float)amd_decode(a & 255, f)) | (uint64_t)amd_b32((float)amd_decode(a >> 8 & 255, f)) << 32;
  }
}
// Beyond the range: the greatest finite where MODE has FP16_OVFL, else NaN or infinity (not verified on hardware).
static uint32_t amd_to_fp8(const amd_lanes *x, float v, int bf8) {
  const amd_format *f = amd_fp8(x, bf8);
  const uint32_t code = amd_encode((double)v, f, AMD_NEAREST);
  if (!(x->w->mode >> 23 & 1) || v != v || amd_decode(code, f) == amd_decode(code, f)) return code;
  return f->top | (v < 0 ? 0x80 : 0);
}
static void amd_cvt_pk_fp8(amd_lanes *x) {
  const uint32_t *old = amd_v(x->w, x->i->d.reg);
  AMD_EACH(x) {
    const uint32_t r = amd_to_fp8(x, amd_f32(x->a[l]), x->i->rule->arg) |
                       amd_to_fp8(x, amd_f32(x->b[l]), x->i->rule->arg) << 8;
    x->r[l] = x->i->dsel ? (old[l] & 0xFFFF) | r << 16 : (old[l] & 0xFFFF0000) | r;
  }
}
// Stochastic: bits of b below the last place are added before it is cut.
static uint32_t amd_stochastic(const amd_lanes *x, uint32_t a, uint32_t b, int bf8) {
  const amd_format *f = amd_fp8(x, bf8);
  const int kept = f->mantissa, e = amd_biased32(a) - 127, least = 1 - f->bias;
  const int drop = 23 - kept + (e < least ? least - e : 0);
  if (amd_is_nan32(a) || (a << 1) == 0 || drop > 31) return amd_to_fp8(x, amd_f32(a), bf8);
  const double step = ldexp(1.0, e < least ? least - kept : e - kept), at = fabs((double)amd_f32(a)) / step;
  const double whole = floor(at + (double)(b >> 12) / 1048576.0);
  return amd_to_fp8(x, (float)(whole * step * (a >> 31 ? -1 : 1)), bf8);
}
static void amd_cvt_sr_fp8(amd_lanes *x) {
  const uint32_t *old = amd_v(x->w, x->i->d.reg);
  const int shift = 8 * (x->w->family == AMD_12 ? x->i->byte : 2 * x->i->dsel);    // gfx942: op_sel[3:2]
  AMD_EACH(x) {
    const uint32_t r = amd_stochastic(x, x->a[l], x->b[l], x->i->rule->arg);
    x->r[l] = (old[l] & ~(255u << shift)) | r << shift;
  }
}
static double amd_dot_fp8_one(uint32_t a, uint32_t b, double c, const amd_format *fa, const amd_format *fb) {
  double sum = 0;
  for (int k = 0; k < 32; k += 8) sum += amd_decode(a >> k & 255, fa) * amd_decode(b >> k & 255, fb);
  return amd_add_odd(sum, c);
}
// arg: 1 a is bf8, 2 b is.
static void amd_dot4_fp8(amd_lanes *x) {
  const amd_format *fa = amd_fp8(x, x->i->rule->arg & 1), *fb = amd_fp8(x, x->i->rule->arg >> 1);
  AMD_EACH(x) x->r[l] = amd_b32((float)amd_dot_fp8_one(x->a[l], x->b[l], (double)amd_f32(x->c[l]), fa, fb));
}
#endif
