// amd_float: floats of every width as AMD's instructions have them, rounded as MODE says.
//
// What is narrower than f32 is computed in double, with the last bit set where a sum was not exact (rounded to odd), so
// that rounding again is right (Boldo, Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
// rounding to odd", 2008). f32 and f64 are rounded by the host. Included by amd_emulate.c.
#ifndef AMD_FLOAT_C
#define AMD_FLOAT_C
#include "amd_emulator.h"
#include "../src/isa/amd_text.c"
#include <fenv.h>
#include <math.h>
#include <string.h>
#if defined(__clang__)
  #pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__x86_64__)
  #pragma GCC optimize("fp-contract=off")
#endif

static inline float amd_f32(uint32_t b) { float x; memcpy(&x, &b, 4); return x; }
static inline uint32_t amd_b32(float x) { uint32_t b; memcpy(&b, &x, 4); return b; }
static inline double amd_f64(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }
static inline uint64_t amd_b64(double x) { uint64_t b; memcpy(&b, &x, 8); return b; }
static inline uint32_t amd_flush32(uint32_t b) { return (b & 0x7F800000) ? b : b & 0x80000000; }
static inline uint64_t amd_flush64(uint64_t b) { return (b & 0x7FF0000000000000) ? b : b & 0x8000000000000000; }
static inline uint32_t amd_flush16(uint32_t b) { return (b & 0x7C00) ? b : b & 0x8000; }

// MODE[1:0] and [3:2].
enum { AMD_NEAREST, AMD_UP, AMD_DOWN, AMD_ZERO };
static int amd_host_rounding(int round) {
  static const int host[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  return host[round & 3];
}

// mantissa: bits; top: the greatest finite code; nan, infinity: codes (no infinity: top, or nan); sign: the bit of it.
typedef struct amd_format { int mantissa, bias; uint32_t top, nan, infinity, sign; int fnuz; } amd_format;
static const amd_format amd_f16_format = {10, 15, 0x7BFF, 0x7E00, 0x7C00, 0x8000, 0},
  amd_bf16_format = {7, 127, 0x7F7F, 0x7FC0, 0x7F80, 0x8000, 0},
  amd_e4m3_format = {3, 7, 0x7E, 0x7F, 0x7F, 0x80, 0}, amd_e5m2_format = {2, 15, 0x7B, 0x7E, 0x7C, 0x80, 0},
  amd_e4m3_fnuz = {3, 8, 0x7F, 0x80, 0x80, 0x80, 1}, amd_e5m2_fnuz = {2, 16, 0x7F, 0x80, 0x80, 0x80, 1};

// Is the magnitude `whole`, with `rest` of `unit` left over, rounded away from zero?
static inline int amd_rounds_up(uint64_t whole, uint64_t rest, uint64_t half, int sticky, int round, int negative) {
  if (round == AMD_NEAREST) return rest > half || (rest == half && (sticky || (whole & 1)));
  if (round == AMD_ZERO) return 0;
  return (rest || sticky) && (round == AMD_UP) != negative;
}
// The code of x in a format; beyond its range infinity, or the greatest finite where it rounds toward zero.
static inline uint32_t amd_encode(double x, const amd_format *f, int round) {
  const uint64_t bits = amd_b64(x), magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  const int negative = (int)(bits >> 63);
  const uint32_t sign = negative ? f->sign : 0;
  if (magnitude > 0x7FF0000000000000) return f->nan | (f->fnuz ? 0 : sign);
  if (magnitude == 0) return f->fnuz ? 0 : sign;
  if (magnitude == 0x7FF0000000000000) return f->fnuz ? f->nan : f->infinity | sign;
  const int e = (int)(magnitude >> 52) - 1023, least = 1 - f->bias;
  const uint64_t m = e == -1023 ? magnitude & 0xFFFFFFFFFFFFF : (magnitude & 0xFFFFFFFFFFFFF) | 0x10000000000000;
  int shift = 52 - f->mantissa + (e < least ? least - e : 0);
  if (shift > 62) shift = 62;
  const uint64_t whole = m >> shift, rest = m & ((1ull << shift) - 1);
  const uint64_t up = (uint64_t)amd_rounds_up(whole, rest, 1ull << (shift - 1), 0, round, negative);
  const uint64_t code = ((uint64_t)(e < least ? 0 : e - least) << f->mantissa) + whole + up;
  if (code <= f->top) return (uint32_t)code || !f->fnuz ? (uint32_t)code | sign : 0;
  if (round == AMD_ZERO || (round == AMD_UP && negative) || (round == AMD_DOWN && !negative)) return f->top | sign;
  return f->fnuz ? f->nan : f->infinity | sign;
}
// 2^e, -1022 <= e <= 1023.
static inline double amd_power(int e) { return amd_f64((uint64_t)(e + 1023) << 52); }
static inline double amd_decode(uint32_t code, const amd_format *f) {
  const uint32_t magnitude = code & (f->sign - 1), m = magnitude & ((1u << f->mantissa) - 1);
  const int e = (int)(magnitude >> f->mantissa);
  double x;
  if (f->fnuz && code == f->nan) return (double)NAN;
  if (!f->fnuz && magnitude > f->top)
    x = magnitude == f->infinity && f->infinity != f->nan ? (double)INFINITY : (double)NAN;
  else
    x = e ? (double)(m + (1u << f->mantissa)) * amd_power(e - f->bias - f->mantissa)
             : (double)m * amd_power(1 - f->bias - f->mantissa);
  return code & f->sign ? -x : x;
}
static inline float amd_of_f16(uint32_t h) {
  const uint32_t sign = (h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3FF;
  if (e == 31) return amd_f32(sign | 0x7F800000 | m << 13);
  if (e) return amd_f32(sign | (e + 112) << 23 | m << 13);
  return sign ? -((float)m * 5.9604644775390625e-08f) : (float)m * 5.9604644775390625e-08f;      // 2^-24
}
static inline uint32_t amd_to_f16(double x, int round) { return amd_encode(x, &amd_f16_format, round); }
static inline float amd_of_bf16(uint32_t h) { return amd_f32(h << 16); }
static inline uint32_t amd_to_bf16(double x) { return amd_encode(x, &amd_bf16_format, AMD_NEAREST); }

// a + b, rounded to odd: what is lost sets the last bit. Exact sums, infinities and NaNs are as they are.
static inline double amd_add_odd(double a, double b) {
  const double s = a + b, t = s - a, lost = (a - (s - t)) + (b - t);
  uint64_t bits = amd_b64(s);
  if (!(lost == lost) || lost == 0 || (bits & 1)) return s;
  return amd_f64((lost > 0) == (s > 0) ? bits + 1 : bits - 1);
}
// a * b + c, rounded once: the product is exact in double. Round to nearest.
static inline float amd_fma_near(float a, float b, float c) {
  return (float)amd_add_odd((double)a * (double)b, (double)c);
}
static inline uint32_t amd_fma_f16(uint32_t a, uint32_t b, uint32_t c, int round) {
  return amd_to_f16(amd_add_odd((double)amd_of_f16(a) * (double)amd_of_f16(b), (double)amd_of_f16(c)), round);
}

// ** less and greater: NaNs and zeros **

static inline int amd_is_nan32(uint32_t b) { return (b & 0x7FFFFFFF) > 0x7F800000; }
static inline int amd_is_nan64(uint64_t b) { return (b & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000; }
static inline int amd_is_nan16(uint32_t b) { return (b & 0x7FFF) > 0x7C00; }
static inline int amd_is_snan32(uint32_t b) { return amd_is_nan32(b) && !(b & 0x400000); }
static inline int amd_is_snan64(uint64_t b) { return amd_is_nan64(b) && !(b & 0x8000000000000); }
static inline int amd_is_snan16(uint32_t b) { return amd_is_nan16(b) && !(b & 0x200); }

// gfx11, gfx942 with IEEE: a signalling NaN comes out quiet; else what is a number; of two NaNs the second; -0 < +0.
// gfx12, minimumNumber: a NaN only of two NaNs.
#define AMD_MINMAX(name, type, bits, nan, snan, quiet, sign)                                                           \
  static inline bits amd_##name(bits a, bits b, int greater, int ieee) {                                               \
    if (ieee && snan(a)) return a | quiet;                                                                             \
    if (ieee && snan(b)) return b | quiet;                                                                             \
    if (nan(a)) return nan(b) ? (bits)(b | quiet) : b;                                                                 \
    if (nan(b)) return a;                                                                                              \
    const bits ka = (a & sign) ? (bits)~a : (bits)(a | sign), kb = (b & sign) ? (bits)~b : (bits)(b | sign);           \
    return ((type)ka < (type)kb) != greater ? a : b;                                                                   \
  }                                                                                                                    \
  static inline bits amd_##name##_nan(bits a, bits b, int greater) {           /* minimum, maximum: NaNs go on */      \
    if (nan(a)) return a | quiet;                                                                                      \
    if (nan(b)) return b | quiet;                                                                                      \
    return amd_##name(a, b, greater, 0);                                                                               \
  }
AMD_MINMAX(less32, uint32_t, uint32_t, amd_is_nan32, amd_is_snan32, 0x400000, 0x80000000)
AMD_MINMAX(less64, uint64_t, uint64_t, amd_is_nan64, amd_is_snan64, 0x8000000000000, 0x8000000000000000)
AMD_MINMAX(less16, uint16_t, uint16_t, amd_is_nan16, amd_is_snan16, 0x200, 0x8000)

// ** classes and parts: bits of v_cmp_class; e, m of a code with `mantissa` bits **

static inline uint32_t amd_class(uint64_t code, int mantissa, int bits) {
  const uint64_t m = code & ((1ull << mantissa) - 1), top = (1ull << (bits - 1 - mantissa)) - 1;
  const uint64_t e = (code >> mantissa) & top;
  const int negative = (int)(code >> (bits - 1)) & 1;
  if (e == top && m) return m >> (mantissa - 1) ? 1u << 1 : 1u << 0;
  if (e == top) return negative ? 1u << 2 : 1u << 9;
  if (e) return negative ? 1u << 3 : 1u << 8;
  if (m) return negative ? 1u << 4 : 1u << 7;
  return negative ? 1u << 5 : 1u << 6;
}

// ** conversions to integers: toward zero, saturating, NaN 0 **

static inline int32_t amd_to_i32(double x) {
  return x != x ? 0 : x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}
static inline uint32_t amd_to_u32(double x) {
  return x != x || x <= 0 ? 0 : x >= 4294967295.0 ? UINT32_MAX : (uint32_t)x;
}
static inline int32_t amd_to_i16(double x) {
  return x != x ? 0 : x >= 32767 ? 32767 : x <= -32768 ? -32768 : (int32_t)x;
}
static inline uint32_t amd_to_u16(double x) { return x != x || x <= 0 ? 0 : x >= 65535 ? 65535 : (uint32_t)x; }
#endif
