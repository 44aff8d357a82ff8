// amd_float_lanes: vector instructions on f32, f64 and f16, one number a lane: arithmetic, comparison, conversion,
// division.
//
// Sources: AMD, RDNA3 ISA 16.7 to 16.10; what a manual leaves open is said where it stands. The special functions are
// the double function, rounded once: the hardware's last bit is not documented. Included by amd_integer.c.
#ifndef AMD_FLOAT_LANES_C
#define AMD_FLOAT_LANES_C
#include "amd_scalar.c"

// ** f32 **

AMD_F32(add_f32, a + b) AMD_F32(sub_f32, a - b) AMD_F32(subrev_f32, b - a) AMD_F32(mul_f32, a *b)
static void amd_fma_f32(amd_lanes *x) {
  if (x->round != AMD_NEAREST) {
    AMD_EACH(x) x->r[l] = amd_b32(fmaf(amd_f32(x->a[l]), amd_f32(x->b[l]), amd_f32(x->c[l])));
    return;
  }
  AMD_EACH(x) x->r[l] = amd_b32(amd_fma_near(amd_f32(x->a[l]), amd_f32(x->b[l]), amd_f32(x->c[l])));
}
// 0 times anything is 0.
AMD_F32(mul_zero_f32, a == 0 || b == 0 ? 0 : a * b)
AMD_F32(fma_zero_f32, a == 0 || b == 0 ? c : amd_fma_near(a, b, c))
static void amd_min_f32(amd_lanes *x) { AMD_EACH(x) x->r[l] = amd_less32(x->a[l], x->b[l], 0, x->ieee); }
static void amd_max_f32(amd_lanes *x) { AMD_EACH(x) x->r[l] = amd_less32(x->a[l], x->b[l], 1, x->ieee); }
// Of three: arg & 1: the first of the two is max; & 2: the second; & 4: NaNs go on (minimum, maximum).
static void amd_three_f32(amd_lanes *x) {
  const int arg = x->i->rule->arg, first = arg & 1, second = arg >> 1 & 1;
  AMD_EACH(x) {
    if (arg & 4) x->r[l] = amd_less32_nan(amd_less32_nan(x->a[l], x->b[l], first), x->c[l], second);
    else x->r[l] = amd_less32(amd_less32(x->a[l], x->b[l], first, x->ieee), x->c[l], second, x->ieee);
  }
}
static void amd_med3_f32(amd_lanes *x) {
  AMD_EACH(x) {
    const uint32_t a = x->a[l], b = x->b[l], c = x->c[l];
    const int e = x->ieee, nan = amd_is_nan32(a) || amd_is_nan32(b) || amd_is_nan32(c);
    const uint32_t least = amd_less32(amd_less32(a, b, 0, e), c, 0, e);
    const uint32_t ab = amd_less32(a, b, 0, e), most = amd_less32(a, b, 1, e);
    x->r[l] = nan ? least : amd_less32(ab, amd_less32(most, c, 0, e), 1, e);
  }
}
static void amd_minimum_f32(amd_lanes *x) { AMD_EACH(x) x->r[l] = amd_less32_nan(x->a[l], x->b[l], x->i->rule->arg); }

// ** special functions: denormals are 0, whatever MODE says **

#define AMD_SPECIAL(name, e)                                                                                           \
  static void amd_##name(amd_lanes *x) {                                                                               \
    AMD_EACH(x) {                                                                                                      \
      const double a = (double)amd_f32(amd_flush32(x->a[l]));                                                          \
      x->r[l] = amd_flush32(amd_b32((float)(e)));                                                                      \
    }                                                                                                                  \
  }
AMD_SPECIAL(exp_f32, exp2(a)) AMD_SPECIAL(log_f32, log2(a)) AMD_SPECIAL(rcp_f32, 1 / a)
AMD_SPECIAL(rsq_f32, 1 / sqrt(a))
AMD_SPECIAL(sqrt_f32, sqrt(a))
// In turns; beyond 256 of them: sin 0, cos 1 (the manual's domain).
static double amd_turns(double a, int cosine) {
  const double pi2 = 6.283185307179586476925;
  if (!(fabs(a) <= 256)) return isinf(a) || a != a ? (double)NAN : cosine;
  const double part = a - rint(a);
  return cosine ? cos(part * pi2) : sin(part * pi2);
}
AMD_SPECIAL(sin_f32, amd_turns(a, 0)) AMD_SPECIAL(cos_f32, amd_turns(a, 1))
AMD_F16(exp_f16, exp2(a)) AMD_F16(log_f16, log2(a)) AMD_F16(rcp_f16, 1 / a) AMD_F16(rsq_f16, 1 / sqrt(a))
AMD_F16(sqrt_f16, sqrt(a)) AMD_F16(sin_f16, amd_turns(a, 0)) AMD_F16(cos_f16, amd_turns(a, 1))
// About 2^-29 of relative error on the hardware: results keep 29 bits here, so that nobody relies on more.
static double amd_rough(double x) { return x != x || isinf(x) ? x : amd_f64(amd_b64(x) & ~0x7FFFFFull); }
AMD_F64(rcp_f64, amd_rough(1 / a)) AMD_F64(rsq_f64, amd_rough(1 / sqrt(a))) AMD_F64(sqrt_f64, amd_rough(sqrt(a)))

// ** whole numbers and parts **

AMD_F32(trunc_f32, truncf(a)) AMD_F32(ceil_f32, ceilf(a)) AMD_F32(floor_f32, floorf(a)) AMD_F32(rndne_f32, rintf(a))
// a - floor(a), and less than 1.
AMD_F32(fract_f32, isinf(a) ? (float)NAN : fminf(a - floorf(a), 0.99999994f))
AMD_F64(trunc_f64, trunc(a)) AMD_F64(ceil_f64, ceil(a)) AMD_F64(floor_f64, floor(a)) AMD_F64(rndne_f64, rint(a))
AMD_F64(fract_f64, isinf(a) ? (double)NAN : fmin(a - floor(a), 0.99999999999999989))
AMD_F16(trunc_f16, trunc(a)) AMD_F16(ceil_f16, ceil(a)) AMD_F16(floor_f16, floor(a)) AMD_F16(rndne_f16, rint(a))
AMD_F16(fract_f16, isinf(a) ? (double)NAN : fmin(a - floor(a), 0.99951171875))
static double amd_parts(double a, int *e) {
  *e = 0;
  return a == 0 || a != a || isinf(a) ? a : frexp(a, e);
}
#define AMD_FREXP(name, get, as32)                                                                                     \
  static void amd_frexp_exp_##name(amd_lanes *x) {                                                                     \
    AMD_EACH(x) { int e; amd_parts(get, &e); x->r[l] = (uint32_t)e as32; }                                             \
  }
AMD_FREXP(f32, (double)amd_f32(x->a[l]), ) AMD_FREXP(f64, amd_f64(x->A[l]), )
AMD_FREXP(f16, (double)amd_of_f16(x->a[l]), & 0xFFFF)
static void amd_frexp_mant_f32(amd_lanes *x) {
  AMD_EACH(x) { int e; x->r[l] = amd_b32((float)amd_parts((double)amd_f32(x->a[l]), &e)); }
}
static void amd_frexp_mant_f64(amd_lanes *x) {
  AMD_EACH(x) { int e; x->R[l] = amd_b64(amd_parts(amd_f64(x->A[l]), &e)); }
}
static void amd_frexp_mant_f16(amd_lanes *x) {
  AMD_EACH(x) { int e; x->r[l] = amd_to_f16(amd_parts((double)amd_of_f16(x->a[l]), &e), AMD_NEAREST); }
}
static int amd_exponent(int32_t e) { return e > 5000 ? 5000 : e < -5000 ? -5000 : e; }
static void amd_ldexp_f32(amd_lanes *x) {
  AMD_EACH(x) x->r[l] = amd_b32(ldexpf(amd_f32(x->a[l]), amd_exponent((int32_t)x->b[l])));
}
static void amd_ldexp_f64(amd_lanes *x) {
  AMD_EACH(x) x->R[l] = amd_b64(ldexp(amd_f64(x->A[l]), amd_exponent((int32_t)x->b[l])));
}
static void amd_ldexp_f16(amd_lanes *x) {
  AMD_EACH(x) x->r[l] = amd_to_f16(ldexp((double)amd_of_f16(x->a[l]), amd_exponent((int16_t)x->b[l])), x->round16);
}

// ** f64, f16 **

AMD_F64(add_f64, a + b) AMD_F64(mul_f64, a *b) AMD_F64(fma_f64, fma(a, b, c))
static void amd_min_f64(amd_lanes *x) { AMD_EACH(x) x->R[l] = amd_less64(x->A[l], x->B[l], x->i->rule->arg, x->ieee); }
AMD_F16(add_f16, a + b) AMD_F16(sub_f16, a - b) AMD_F16(subrev_f16, b - a) AMD_F16(mul_f16, a *b)
static void amd_fma16(amd_lanes *x) { AMD_EACH(x) x->r[l] = amd_fma_f16(x->a[l], x->b[l], x->c[l], x->round16); }
static uint32_t amd_lesser16(uint32_t a, uint32_t b, int greater, int ieee) {
  return amd_less16((uint16_t)a, (uint16_t)b, greater, ieee);
}
static void amd_min_f16(amd_lanes *x) {
  AMD_EACH(x) x->r[l] = amd_lesser16(x->a[l], x->b[l], x->i->rule->arg, x->ieee);
}
static void amd_minimum_f16(amd_lanes *x) {
  AMD_EACH(x) x->r[l] = amd_less16_nan((uint16_t)x->a[l], (uint16_t)x->b[l], x->i->rule->arg);
}
static void amd_three_f16(amd_lanes *x) {
  const int first = x->i->rule->arg & 1, second = x->i->rule->arg >> 1 & 1;
  AMD_EACH(x) x->r[l] = amd_lesser16(amd_lesser16(x->a[l], x->b[l], first, x->ieee), x->c[l], second, x->ieee);
}
static void amd_three_nan_f16(amd_lanes *x) {
  const int first = x->i->rule->arg & 1, second = x->i->rule->arg >> 1 & 1;
  AMD_EACH(x)
    x->r[l] = amd_less16_nan(amd_less16_nan((uint16_t)x->a[l], (uint16_t)x->b[l], first), (uint16_t)x->c[l], second);
}
static void amd_minimum_f64(amd_lanes *x) { AMD_EACH(x) x->R[l] = amd_less64_nan(x->A[l], x->B[l], x->i->rule->arg); }
// A product that is rounded before the sum.
AMD_F16(mad_f16, (double)amd_of_f16(amd_to_f16(a * b, x->round16)) + c)
static void amd_med3_f16(amd_lanes *x) {
  AMD_EACH(x) {
    const uint32_t a = x->a[l], b = x->b[l], c = x->c[l];
    const int e = x->ieee, nan = amd_is_nan16(a) || amd_is_nan16(b) || amd_is_nan16(c);
    const uint32_t ab = amd_lesser16(a, b, 0, e), most = amd_lesser16(a, b, 1, e);
    x->r[l] = nan ? amd_lesser16(ab, c, 0, e) : amd_lesser16(ab, amd_lesser16(most, c, 0, e), 1, e);
  }
}

// ** conversions **

AMD_U32(cvt_f32_i32, amd_b32((float)(int32_t)a)) AMD_U32(cvt_f32_u32, amd_b32((float)a))
AMD_U32(cvt_f32_ubyte, amd_b32((float)(a >> 8 * x->i->rule->arg & 255)))
AMD_U32(cvt_i32_f32, (uint32_t)amd_to_i32((double)amd_f32(a))) AMD_U32(cvt_u32_f32, amd_to_u32((double)amd_f32(a)))
AMD_U32(cvt_near_i32_f32, (uint32_t)amd_to_i32(floor((double)amd_f32(a) + 0.5)))
AMD_U32(cvt_floor_i32_f32, (uint32_t)amd_to_i32(floor((double)amd_f32(a))))
AMD_U32(cvt_off_f32_i4, amd_b32((float)((int)((a & 15) ^ 8) - 8) / 16))
AMD_U32(cvt_f16_f32, amd_to_f16((double)amd_f32(a), x->round16))
AMD_U32(cvt_f32_f16, amd_b32(amd_of_f16(a)))
AMD_U32(cvt_f16_u16, amd_to_f16((double)(uint16_t)a, x->round16))
AMD_U32(cvt_f16_i16, amd_to_f16((double)(int16_t)a, x->round16))
AMD_U32(cvt_u16_f16, amd_to_u16((double)amd_of_f16(a)))
AMD_U32(cvt_i16_f16, (uint32_t)amd_to_i16((double)amd_of_f16(a)))
static void amd_cvt_i32_f64(amd_lanes *x) { AMD_EACH(x) x->r[l] = (uint32_t)amd_to_i32(amd_f64(x->A[l])); }
static void amd_cvt_u32_f64(amd_lanes *x) { AMD_EACH(x) x->r[l] = amd_to_u32(amd_f64(x->A[l])); }
static void amd_cvt_f32_f64(amd_lanes *x) { AMD_EACH(x) x->r[l] = amd_b32((float)amd_f64(x->A[l])); }
static void amd_cvt_f64_i32(amd_lanes *x) { AMD_EACH(x) x->R[l] = amd_b64((double)(int32_t)x->a[l]); }
static void amd_cvt_f64_u32(amd_lanes *x) { AMD_EACH(x) x->R[l] = amd_b64((double)x->a[l]); }
static void amd_cvt_f64_f32(amd_lanes *x) { AMD_EACH(x) x->R[l] = amd_b64((double)amd_f32(x->a[l])); }
AMD_U32(cvt_pk_rtz, amd_to_f16((double)amd_f32(a), AMD_ZERO) | amd_to_f16((double)amd_f32(b), AMD_ZERO) << 16)
static uint32_t amd_norm(double x, int is_signed) {
  if (x != x) return 0;
  if (!is_signed) return (uint32_t)rint((x < 0 ? 0 : x > 1 ? 1 : x) * 65535);
  return (uint32_t)(int32_t)rint((x < -1 ? -1 : x > 1 ? 1 : x) * 32767) & 0xFFFF;
}
AMD_U32(cvt_norm_i16_f16, amd_norm((double)amd_of_f16(a), 1))
AMD_U32(cvt_norm_u16_f16, amd_norm((double)amd_of_f16(a), 0))
AMD_U32(cvt_pk_norm_i16, amd_norm((double)amd_f32(a), 1) | amd_norm((double)amd_f32(b), 1) << 16)
AMD_U32(cvt_pk_norm_u16, amd_norm((double)amd_f32(a), 0) | amd_norm((double)amd_f32(b), 0) << 16)
AMD_U32(cvt_pk_norm_i16_f16, amd_norm((double)amd_of_f16(a), 1) | amd_norm((double)amd_of_f16(b), 1) << 16)
AMD_U32(cvt_pk_norm_u16_f16, amd_norm((double)amd_of_f16(a), 0) | amd_norm((double)amd_of_f16(b), 0) << 16)
AMD_U32(cvt_pk_i16_f32,
    ((uint32_t)amd_to_i16((double)amd_f32(a)) & 0xFFFF) | (uint32_t)amd_to_i16((double)amd_f32(b)) << 16)
AMD_U32(cvt_pk_u16_f32, amd_to_u16((double)amd_f32(a)) | amd_to_u16((double)amd_f32(b)) << 16)
static uint32_t amd_byte_of(float x) { return x != x || x <= 0 ? 0 : x >= 255 ? 255 : (uint32_t)rintf(x); }
AMD_U32(cvt_pk_u8_f32, (c & ~(255u << 8 * (b & 3))) | amd_byte_of(amd_f32(a)) << 8 * (b & 3))

// ** comparison **

static void amd_cmp_f32(amd_lanes *x) {
  const int condition = x->i->rule->arg >> 4;
  AMD_EACH(x) x->r[l] = amd_ordered((double)amd_f32(x->a[l]), (double)amd_f32(x->b[l]), condition);
}
static void amd_cmp_f16(amd_lanes *x) {
  const int condition = x->i->rule->arg >> 4;
  AMD_EACH(x) x->r[l] = amd_ordered((double)amd_of_f16(x->a[l]), (double)amd_of_f16(x->b[l]), condition);
}
static void amd_cmp_f64(amd_lanes *x) {
  const int condition = x->i->rule->arg >> 4;
  AMD_EACH(x) x->r[l] = amd_ordered(amd_f64(x->A[l]), amd_f64(x->B[l]), condition);
}
AMD_U32(class_f32, (amd_class(a, 23, 32) & b) != 0) AMD_U32(class_f16, (amd_class(a, 10, 16) & b) != 0)
static void amd_class_f64(amd_lanes *x) { AMD_EACH(x) x->r[l] = (amd_class(x->A[l], 52, 64) & x->b[l]) != 0; }

// ** division: AMD's steps, as tinygrad's tests on hardware have corrected the manual's formulas **

static int amd_biased32(uint32_t b) { return (int)(b >> 23 & 255); }
static int amd_biased64(uint64_t b) { return (int)(b >> 52 & 2047); }
// Scaled by 2^n; what is not denormal stays exact.
static uint32_t amd_scaled32(uint32_t b, int n) { return amd_b32(ldexpf(amd_f32(b), n)); }
static uint64_t amd_scaled64(uint64_t b, int n) { return amd_b64(ldexp(amd_f64(b), n)); }
static void amd_div_scale_f32(amd_lanes *x) {
  AMD_EACH(x) {
    const uint32_t s0 = x->a[l], s1 = x->b[l], s2 = x->c[l];
    const int apart = amd_biased32(s2) - amd_biased32(s1);
    const double quotient = fabs((double)amd_f32(s2) / (double)amd_f32(s1));
    uint32_t r = s0;
    int flag = 0;
    if (!(s1 << 1) || !(s2 << 1)) { r = 0x7FC00000; flag = 1; }
    else if (apart >= 96) { flag = 1; if (s0 == s1) r = amd_scaled32(s0, 64); }
    else if (amd_biased32(s1) == 0) r = amd_scaled32(s0, 64);
    else if (1 / fabs((double)amd_f32(s1)) < 1.1754943508222875e-38 && quotient < 1.1754943508222875e-38) {
      flag = 1;
      if (s0 == s1) r = amd_scaled32(s0, -64);
    } else if (1 / fabs((double)amd_f32(s1)) < 1.1754943508222875e-38) r = amd_scaled32(s0, -64);
    else if (quotient < 1.1754943508222875e-38) { flag = 1; if (s0 == s2) r = amd_scaled32(s0, 64); }
    else if (amd_biased32(s2) <= 23) { r = amd_scaled32(s0, 64); }
    x->r[l] = r;
    x->flag |= (uint64_t)flag << l;
  }
}
static void amd_div_scale_f64(amd_lanes *x) {
  AMD_EACH(x) {
    const uint64_t s0 = x->A[l], s1 = x->B[l], s2 = x->C[l];
    const int apart = amd_biased64(s2) - amd_biased64(s1);
    const double quotient = fabs(amd_f64(s2) / amd_f64(s1)), inverse = fabs(1 / amd_f64(s1)),
        least = 2.2250738585072014e-308;
    uint64_t r = s0;
    int flag = 0;
    if (!(s1 << 1) || !(s2 << 1)) { r = 0x7FF8000000000000; flag = 1; }
    else if (apart >= 768) { flag = 1; if (s0 == s1) r = amd_scaled64(s0, 128); }
    else if (amd_biased64(s1) == 0) r = amd_scaled64(s0, 128);
    else if (inverse < least && quotient < least) { flag = 1; if (s0 == s1) r = amd_scaled64(s0, -128); }
    else if (inverse < least) r = amd_scaled64(s0, -128);
    else if (quotient < least) { flag = 1; if (s0 == s2) r = amd_scaled64(s0, 128); }
    else if (amd_biased64(s2) <= 53) r = amd_scaled64(s0, 128);
    x->R[l] = r;
    x->flag |= (uint64_t)flag << l;
  }
}
// fma, and the scale that v_div_scale took is given back where the lane's bit of VCC says so, all rounded once, as the
// division that it ends is right to the last bit for denormals, too.
static void amd_div_fmas_f32(amd_lanes *x) {
  AMD_EACH(x) {
    const double f = amd_add_odd((double)amd_f32(x->a[l]) * (double)amd_f32(x->b[l]), (double)amd_f32(x->c[l]));
    const int up = amd_biased32(x->c[l]) > 127;
    x->r[l] = amd_b32((float)(x->carry >> l & 1 ? ldexp(f, up ? 64 : -64) : f));
  }
}
// r * 2^n, where r is a rounded result that `rest` was lost from.
static double amd_scaled_once(double r, double rest, int n) {
  const double scaled = ldexp(r, n);
  int e;
  if (r == 0 || r != r || isinf(r) || fabs(scaled) >= 2.2250738585072014e-308 || !frexp(r, &e)) return scaled;
  const uint64_t m = (uint64_t)ldexp(fabs(r), 53 - e);
  const int shift = -1021 - (e + n);               // places that a denormal has fewer
  if (shift < 1 || shift > 53) return scaled;
  const uint64_t whole = m >> shift, low = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  const int more = r > 0 ? rest > 0 : rest < 0,
      up = low > half || (low == half && (rest == 0 ? (int)(whole & 1) : more));
  return copysign(ldexp((double)(whole + (uint64_t)up), -1074), r);
}
static void amd_div_fmas_f64(amd_lanes *x) {
  AMD_EACH(x) {
    const double a = amd_f64(x->A[l]), b = amd_f64(x->B[l]), c = amd_f64(x->C[l]), f = fma(a, b, c);
    const double p = a * b, s = p + c, t = s - p, lost = (p - (s - t)) + (c - t);
    const double rest = (s - f) + (lost + fma(a, b, -p));
    const int up = amd_biased64(x->C[l]) > 1023;
    x->R[l] = amd_b64(x->carry >> l & 1 ? amd_scaled_once(f, rest, up ? 128 : -128) : f);
  }
}
// The quotient's cases: NaNs, 0/0, infinities, overflow, underflow; else the quotient with the sign of both.
static double amd_fixup(double q, double y, double x, int underflows, int overflows, double tiny, double huge) {
  const int negative = (signbit(x) != 0) != (signbit(y) != 0);
  double r;
  if (x != x) return x;
  if (y != y) return y;
  if ((x == 0 && y == 0) || (isinf(x) && isinf(y))) return -(double)NAN;
  if (y == 0 || isinf(x)) r = (double)INFINITY;
  else if (isinf(y) || x == 0) r = 0;
  else if (underflows) r = tiny;
  else if (overflows) r = huge;
  else if (q != q) r = (double)INFINITY;
  else r = fabs(q);
  return negative ? -r : r;
}
static void amd_div_fixup_f32(amd_lanes *x) {
  AMD_EACH(x) {
    const int apart = amd_biased32(x->c[l]) - amd_biased32(x->b[l]);
    const double r = amd_fixup((double)amd_f32(x->a[l]), (double)amd_f32(x->b[l]), (double)amd_f32(x->c[l]),
                               apart < -150, amd_biased32(x->b[l]) == 255, 0, (double)INFINITY);
    x->r[l] = r == r ? amd_b32((float)r) : amd_is_nan32(x->c[l]) ? x->c[l] | 0x400000
            : amd_is_nan32(x->b[l]) ? x->b[l] | 0x400000 : 0xFFC00000;
  }
}
static void amd_div_fixup_f64(amd_lanes *x) {
  AMD_EACH(x) {
    const int apart = amd_biased64(x->C[l]) - amd_biased64(x->B[l]);
    x->R[l] = amd_b64(amd_fixup(amd_f64(x->A[l]), amd_f64(x->B[l]), amd_f64(x->C[l]), apart < -1075,
                                amd_biased64(x->B[l]) == 2047, 0, (double)INFINITY));
  }
}
static void amd_div_fixup_f16(amd_lanes *x) {
  AMD_EACH(x) {
    const double q = (double)amd_of_f16(x->a[l]), y = (double)amd_of_f16(x->b[l]), n = (double)amd_of_f16(x->c[l]);
    x->r[l] = amd_to_f16(amd_fixup(q, y, n, 0, 0, 0, 0), AMD_NEAREST);
  }
}
#endif
