// ptx_float: floats of every width, and arithmetic that is rounded as an instruction says.
//
// Source: PTX ISA, "Floating Point Instructions", "cvt". A narrow float is computed in double, whose last bit is set
// where the sum was not exact (rounded to odd), so that rounding again is right (Boldo, Melquiond, "Emulation of FMA
// and correctly rounded sums: proved algorithms using rounding to odd", 2008). Included by ptx_machine.c.
#ifndef PTX_FLOAT_C
#define PTX_FLOAT_C
#include "ptx_parse.c"
#include <fenv.h>

static float ptx_f32(uint64_t bits) { const uint32_t b = (uint32_t)bits; float x; memcpy(&x, &b, 4); return x; }
static double ptx_f64(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static uint64_t ptx_raw32(float x) { uint32_t b; memcpy(&b, &x, 4); return b; }
// NaNs of f32 are one: 0x7FFFFFFF.
static uint64_t ptx_b32(float x) { return x != x ? 0x7FFFFFFF : ptx_raw32(x); }
static uint64_t ptx_b64(double x) { uint64_t b; memcpy(&b, &x, 8); return b; }
static float ptx_flush(float x) { return fabsf(x) < 1.17549435e-38f ? copysignf(0, x) : x; }

// mantissa: bits; bias; top: the greatest finite code; nan.
typedef struct ptx_format { int mantissa, bias; uint32_t top, nan, infinity, sign; } ptx_format;
static const ptx_format ptx_f16_format = {10, 15, 0x7BFF, 0x7FFF, 0x7C00, 0x8000},
  ptx_bf16_format = {7, 127, 0x7F7F, 0x7FFF, 0x7F80, 0x8000},
  ptx_f32_format = {23, 127, 0x7F7FFFFF, 0x7FFFFFFF, 0x7F800000, 0x80000000},
  ptx_tf32_format = {10, 127, 0x3FBFF, 0x3FFFF, 0x3FC00, 0x40000},   // without the 13 bits that it leaves
  ptx_e4m3_format = {3, 7, 0x7E, 0x7F, 0x7F, 0x80},                   // no infinity: NaN
  ptx_e5m2_format = {2, 15, 0x7B, 0x7F, 0x7C, 0x80};

// The code of x in a format. sat 2: what is too great becomes the greatest finite.
static uint32_t ptx_encode(double x, const ptx_format *f, int rnd, int sat) {
  int e;
  if (x != x) return f->nan;
  const uint32_t sign = signbit(x) ? f->sign : 0;
  const double a = fabs(x);
  const int toward_zero = rnd == PTX_W_rz || (rnd == PTX_W_rp && sign) || (rnd == PTX_W_rm && !sign);
  if (a == 0) return sign;
  if (isinf(a)) return sign | (sat == 2 ? f->top : f->infinity);
  frexp(a, &e);
  e--;
  const int least = 1 - f->bias, at = e < least ? least : e;
  const double scaled = ldexp(a, f->mantissa - at), whole = floor(scaled), rest = scaled - whole;
  int up = rnd == PTX_W_rna ? rest >= 0.5 : rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
  if (rnd == PTX_W_rz || rnd == PTX_W_rp || rnd == PTX_W_rm) up = !toward_zero && rest > 0;
  if (e > f->bias + 1) return sign | (sat == 2 || toward_zero ? f->top : f->infinity);
  const uint32_t code = ((uint32_t)(at + f->bias - 1) << f->mantissa) + (uint32_t)whole + (uint32_t)up;
  return sign | (code <= f->top ? code : sat == 2 || toward_zero ? f->top : f->infinity);
}
static double ptx_decode_float(uint32_t code, const ptx_format *f) {
  const uint32_t magnitude = code & (f->sign - 1);
  const int e = (int)(magnitude >> f->mantissa);
  const double m = (double)(magnitude & ((1u << f->mantissa) - 1));
  double x;
  if (magnitude > f->top) x = magnitude == f->infinity && f->infinity != f->nan ? (double)INFINITY : (double)NAN;
  else x = e ? ldexp(m + (double)(1u << f->mantissa), e - f->bias - f->mantissa) : ldexp(m, 1 - f->bias - f->mantissa);
  return code & f->sign ? -x : x;
}
static const ptx_format *ptx_format_of(int type) {
  switch (type) {
    case PTX_F16: case PTX_F16X2: return &ptx_f16_format;
    case PTX_BF16: case PTX_BF16X2: return &ptx_bf16_format;
    case PTX_TF32: return &ptx_tf32_format;
    case PTX_E4M3: case PTX_E4M3X2: return &ptx_e4m3_format;
    case PTX_E5M2: case PTX_E5M2X2: return &ptx_e5m2_format;
    default: return &ptx_f32_format;
  }
}
static float ptx_of_f16(uint32_t h) {
  const uint32_t e = h >> 10 & 31, m = h & 1023, sign = (h & 0x8000) << 16;
  if (e == 31) return ptx_f32(sign | 0x7F800000 | m << 13);
  if (e) return ptx_f32(sign | (e + 112) << 23 | m << 13);
  return sign ? -(float)m * 5.9604644775390625e-8f : (float)m * 5.9604644775390625e-8f;
}
// To nearest: the bits of an f32, of which 13 are rounded off; below 2^-14 a sum with 1/2 rounds at 2^-24.
static uint32_t ptx_to_f16(float x) {
  const uint32_t b = (uint32_t)ptx_raw32(x), sign = b >> 16 & 0x8000, a = b & 0x7FFFFFFF;
  if (a >= 0x47800000) return ptx_encode((double)x, &ptx_f16_format, PTX_W_rn, 0);
  if (a < 0x38800000) return sign | (uint32_t)(ptx_raw32(ptx_f32(a) + 0.5f) - 0x3F000000);
  return sign | (a - 0x38000000 + 0xFFF + (a >> 13 & 1)) >> 13;
}
// A value of a float type of these bits.
static double ptx_value(uint64_t bits, int type) {
  switch (type) {
    case PTX_F64: return ptx_f64(bits);
    case PTX_F32: case PTX_F32X2: return ptx_f32(bits);
    case PTX_TF32: return ptx_f32(bits & 0xFFFFE000);
    case PTX_F16: case PTX_F16X2: return ptx_of_f16((uint32_t)bits & 0xFFFF);
    case PTX_BF16: case PTX_BF16X2: return ptx_f32(bits << 16);
    default: return ptx_decode_float((uint32_t)bits & 0xFF, ptx_format_of(type));
  }
}
static uint64_t ptx_of_value(double x, int type, int rnd, int sat) {
  if (type == PTX_F64) return ptx_b64(x);
  if ((type == PTX_F32 || type == PTX_F32X2) && (rnd == PTX_W_rn || rnd == 0xFFFF)) return ptx_b32((float)x);
  if (type == PTX_TF32) return (uint64_t)ptx_encode(x, &ptx_tf32_format, rnd, sat) << 13;
  if ((type == PTX_BF16 || type == PTX_BF16X2) && (rnd == PTX_W_rn || rnd == 0xFFFF) && (double)(float)x == x) {
    const uint32_t b = (uint32_t)ptx_raw32((float)x);      // of an f32, which most are
    return x != x ? 0x7FFF : (b + 0x7FFF + (b >> 16 & 1)) >> 16;
  }
  if ((type == PTX_F16 || type == PTX_F16X2) && rnd == PTX_W_rn && sat != 2 && (double)(float)x == x)
    return ptx_to_f16((float)x);
  return ptx_encode(x, ptx_format_of(type), rnd, sat);
}

// x * y + z, or x + z (y 1), rounded as said; the compiler must not move it over the change of the mode.
static int ptx_mode(int rnd) {
  return rnd == PTX_W_rz || rnd == PTX_W_rzi ? FE_TOWARDZERO : rnd == PTX_W_rm || rnd == PTX_W_rmi ? FE_DOWNWARD :
    rnd == PTX_W_rp || rnd == PTX_W_rpi ? FE_UPWARD : FE_TONEAREST;
}
enum { PTX_SUM, PTX_PRODUCT, PTX_FMA, PTX_QUOTIENT, PTX_ROOT, PTX_WHOLE, PTX_OF_S64, PTX_OF_U64, PTX_NARROWER };
static double ptx_rounded(int what, double x, double y, double z, int rnd, int wide) {
  volatile double a = x, b = y, c = z, out = 0;
  volatile float fa = (float)x, fb = (float)y, fc = (float)z, fout = 0;
  fesetround(ptx_mode(rnd));
  if (wide) switch (what) {
    case PTX_SUM: out = a + b; break;
    case PTX_PRODUCT: out = a * b; break;
    case PTX_FMA: out = fma(a, b, c); break;
    case PTX_QUOTIENT: out = a / b; break;
    case PTX_ROOT: out = sqrt(a); break;
    case PTX_NARROWER: fout = (float)a; break;
    default: out = nearbyint(a); break;
  } else switch (what) {
    case PTX_SUM: fout = fa + fb; break;
    case PTX_PRODUCT: fout = fa * fb; break;
    case PTX_FMA: fout = fmaf(fa, fb, fc); break;
    case PTX_QUOTIENT: fout = fa / fb; break;
    case PTX_ROOT: fout = sqrtf(fa); break;
    default: fout = nearbyintf(fa); break;
  }
  fesetround(FE_TONEAREST);
  return wide && what != PTX_NARROWER ? out : (double)fout;
}
static double ptx_of_integer(uint64_t x, int is_signed, int rnd, int wide) {
  volatile uint64_t u = x;
  volatile double out = 0;
  volatile float fout = 0;
  fesetround(ptx_mode(rnd));
  if (wide) { if (is_signed) out = (double)(int64_t)u; else out = (double)u; }
  else { if (is_signed) fout = (float)(int64_t)u; else fout = (float)u; }
  fesetround(FE_TONEAREST);
  return wide ? out : (double)fout;
}
// x * y + z to odd, of narrow x, y, z, whose product is exact.
static double ptx_odd_fma(double x, double y, double z) {
  const double p = x * y, s = p + z;
  if (!(fabs(s) <= 1.7e308) || p == 0) return s;
  const double t = s - p, rest = (p - (s - t)) + (z - t);
  uint64_t b = ptx_b64(s);
  if (rest == 0 || (b & 1)) return s;
  return ptx_f64((rest > 0) == (s > 0) ? b | 1 : b - 1);
}

// A number in [-1, 1] that depends on the seed and on these.
static double ptx_chance(uint64_t seed, uint64_t a) {
  uint64_t x = seed * 0x9E3779B97F4A7C15u ^ a;
  x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 29) * 0x94D049BB133111EBu;
  return (double)(int64_t)((x ^ x >> 32) >> 11) / 4503599627370496.0 - 1;
}
// What an instruction of SFU may answer: PTX ISA, "ex2", "lg2", "sin", "cos", "tanh", "rcp", "sqrt", "rsqrt": bounds of
// the error, relative, or absolute where that is said. seed 0: the nearest; else anywhere within the bound.
static float ptx_approximate(int op, float x, int ftz, uint32_t seed) {
  double y = 0, bound = 0, absolute = 0, d;
  if (ftz) x = ptx_flush(x);
  d = (double)x;
  switch (op) {
    case PTX_ex2_: y = exp2(d); bound = 0x1p-22; break;
    case PTX_lg2_: y = log2(d); if (x > 0.5f && x < 2) absolute = 0x1p-22; else bound = 0x1p-22; break;
    case PTX_sin_: y = sin(d); absolute = 0x1p-20; break;
    case PTX_cos_: y = cos(d); absolute = 0x1p-20; break;
    case PTX_tanh_: y = tanh(d); bound = 0x1p-11; break;
    case PTX_rcp_: y = 1 / d; bound = 0x1p-23; break;
    case PTX_sqrt_: y = sqrt(d); bound = 0x1p-23; break;
    default: y = 1 / sqrt(d); bound = 0x1.0p-22; break;
  }
  float out = (float)y;
  if (seed && out == out && fabsf(out) < 3e38f && x != 0) {
    const double by = ptx_chance(seed, ptx_raw32(x) + (uint64_t)op * 7919) * 0.98;
    out = (float)(y + by * (absolute + bound * fabs(y)));
    if (op == PTX_tanh_ && fabsf(out) > 1) out = copysignf(1, out);
  }
  return ftz ? ptx_flush(out) : out;
}
#endif
