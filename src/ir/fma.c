// fma: x * y + z, rounded once, by integers: some C libraries round twice (mingw's do).
//
// In:    three f64, or three f32 as f64. Out: their FMA as IEEE 754-2019 has it, to nearest, ties to even.
// Holds: the product and the addend are 128 bits of one unit, leading bits below the top two. What is shifted out of
//        one of them leaves a bit behind, as SoftFloat has it ("shift right jam"): it cannot cancel, as then the other
//        one is some bits larger.
#ifndef TN_IR_FMA
#define TN_IR_FMA
#ifndef TINY_AMALGAMATED
#include "dtype.c"
#endif
#include <math.h>

typedef struct tn_u128 { uint64_t high, low; } tn_u128;

static tn_u128 tn_u128_product(uint64_t x, uint64_t y) {
  const uint64_t a = x >> 32, b = x & UINT32_MAX, c = y >> 32, d = y & UINT32_MAX;
  const uint64_t bd = b * d, middle = a * d + (bd >> 32), other = b * c + (middle & UINT32_MAX);
  const tn_u128 w = {a * c + (middle >> 32) + (other >> 32), other << 32 | (bd & UINT32_MAX)};
  return w;
}
static tn_u128 tn_u128_left(tn_u128 x, int n) {               // 0 to 127
  const tn_u128 words = {n < 64 ? 0 : x.low << (n - 64), 0},
                bits = {n > 0 && n < 64 ? x.high << n | x.low >> (64 - n) : x.high, n < 64 ? x.low << n : 0};
  return n < 64 ? bits : words;
}
// *lost: is something of it shifted out?
static tn_u128 tn_u128_right(tn_u128 x, int n, int *lost) {
  tn_u128 y = {0, 0};
  if (n > 127) { *lost = x.high || x.low; return y; }
  if (n >= 64) { y.low = x.high >> (n - 64); *lost = x.low || (n > 64 && x.high << (128 - n)); return y; }
  y.high = x.high >> n;
  y.low = n ? x.low >> n | x.high << (64 - n) : x.low;
  *lost = n && x.low << (64 - n);
  return y;
}
static int tn_u128_below(tn_u128 x, tn_u128 y) { return x.high < y.high || (x.high == y.high && x.low < y.low); }
static tn_u128 tn_u128_sum(tn_u128 x, tn_u128 y) {
  const tn_u128 w = {x.high + y.high + (x.low + y.low < x.low), x.low + y.low};
  return w;
}
static tn_u128 tn_u128_less(tn_u128 x, tn_u128 y) {
  const tn_u128 w = {x.high - y.high - (x.low < y.low), x.low - y.low};
  return w;
}
static int tn_u128_leading(tn_u128 x) {                       // the number of its highest bit
  const uint64_t word = x.high ? x.high : x.low;
  int n = x.high ? 64 : 0;
  for (int half = 32; half; half /= 2) if (word >> (n & 63) >> half) n += half;
  return n;
}

// 53 bits of x and their unit: x = m 2^unit, x neither 0 nor special.
static uint64_t tn_fma_parts(double x, int *unit) {
  int exponent;
  const double half = frexp(x < 0 ? -x : x, &exponent);
  *unit = exponent - 53;
  return (uint64_t)ldexp(half, 53);
}
// s 2^unit to so many bits, the last of which is not below that unit; s is not 0, and odd where it was cut.
static double tn_fma_rounded(tn_u128 s, int unit, int bits, int last) {
  const int keeps = tn_u128_leading(s) - bits + 1, least = last - unit, shift = keeps > least ? keeps : least;
  int lost;
  if (shift <= 0) return ldexp((double)tn_u128_left(s, -shift).low, unit + shift);
  const tn_u128 q = tn_u128_right(s, shift, &lost), half = tn_u128_right(s, shift - 1, &lost);
  const uint64_t up = half.low & 1 && (lost || q.low & 1);
  return ldexp((double)(q.low + up), unit + shift);
}
static int tn_fma_is_finite(double x) { return (tn_float_bits(x) >> 52 & 0x7FF) != 0x7FF; }
// Of f32 (IEEE 754-2019, table 3.5: 24 bits, the least 2^-149) or f64.
static double tn_fma(int d, double a, double b, double c) {
  const double p = tn_dtype_round(d, a * b);
  const int f64 = d == TINY_F64;
  int ua, ub, uc, lost = 0;
  if (!tn_fma_is_finite(a) || !tn_fma_is_finite(b) || a == 0 || b == 0) return p + c;      // or special
  if (!tn_fma_is_finite(c)) return c + 0.0;
  if (c == 0) return p;
  const uint64_t ma = tn_fma_parts(a, &ua), mb = tn_fma_parts(b, &ub), mc = tn_fma_parts(c, &uc);
  const tn_u128 addend = {0, mc};
  tn_u128 x = tn_u128_left(tn_u128_product(ma, mb), 20), y = tn_u128_left(addend, 73);
  const int ux = ua + ub - 20, uy = uc - 73, unit = ux > uy ? ux : uy, negative = (a < 0) != (b < 0);
  if (ux < unit) { x = tn_u128_right(x, unit - ux, &lost); x.low |= (uint64_t)lost; }
  if (uy < unit) { y = tn_u128_right(y, unit - uy, &lost); y.low |= (uint64_t)lost; }
  const int apart = negative != (c < 0), less = apart && tn_u128_below(x, y);
  const tn_u128 s = !apart ? tn_u128_sum(x, y) : less ? tn_u128_less(y, x) : tn_u128_less(x, y);
  if (!s.high && !s.low) return 0;
  const double r = tn_dtype_round(d, tn_fma_rounded(s, unit, f64 ? 53 : 24, f64 ? -1074 : -149));
  return negative != less ? -r : r;
}
#endif
