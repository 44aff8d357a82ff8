// amd_integer: vector instructions on whole numbers, bits and masks, one number a lane.
//
// Source: AMD, RDNA3 ISA 16.7 to 16.12. Shifts take the low bits of their count; sums and products saturate where clamp
// says so. Included by amd_packed.c.
#ifndef AMD_INTEGER_C
#define AMD_INTEGER_C
#include "amd_float_lanes.c"

// ** 32 bits **

AMD_U32(mov_b32, a) AMD_U32(not_b32, ~a) AMD_U32(and_b32, a &b) AMD_U32(or_b32, a | b) AMD_U32(xor_b32, a ^ b)
AMD_U32(xnor_b32, ~(a ^ b)) AMD_U32(lshlrev_b32, b << (a & 31)) AMD_U32(lshrrev_b32, b >> (a & 31))
AMD_U32(ashrrev_i32, (int32_t)b >> (a & 31)) AMD_U32(bfrev_b32, amd_reverse(a, 32))
static uint32_t amd_saturate(uint64_t x) { return x >> 63 ? 0 : x > UINT32_MAX ? UINT32_MAX : (uint32_t)x; }
static uint32_t amd_saturate_i32(int64_t x) {
  return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x);
}
#define AMD_CLAMPED (x->i->clamp)
AMD_U32(add_u32, AMD_CLAMPED ? amd_saturate((uint64_t)a + b) : a + b)
AMD_U32(sub_u32, AMD_CLAMPED ? (a < b ? 0 : a - b) : a - b)
AMD_U32(subrev_u32, AMD_CLAMPED ? (b < a ? 0 : b - a) : b - a)
AMD_U32(add_i32, AMD_CLAMPED ? amd_saturate_i32((int64_t)(int32_t)a + (int32_t)b) : a + b)
AMD_U32(sub_i32, AMD_CLAMPED ? amd_saturate_i32((int64_t)(int32_t)a - (int32_t)b) : a - b)
AMD_U32(mul_lo_u32, a *b) AMD_U32(mul_hi_u32, (uint64_t)a * b >> 32)
AMD_U32(mul_hi_i32, (uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32)
static int64_t amd_24(uint32_t x) { return (int32_t)(x << 8) >> 8; }
AMD_U32(mul_i32_i24, amd_24(a) * amd_24(b)) AMD_U32(mul_hi_i32_i24, (amd_24(a) * amd_24(b)) >> 32)
AMD_U32(mul_u32_u24, (a & 0xFFFFFF) * (b & 0xFFFFFF))
AMD_U32(mul_hi_u32_u24, (uint64_t)(a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32)
AMD_U32(mad_i32_i24, AMD_CLAMPED ? amd_saturate_i32(amd_24(a) * amd_24(b) + (int32_t)c)
                                 : (uint32_t)(amd_24(a) * amd_24(b) + (int32_t)c))
AMD_U32(mad_u32_u24, AMD_CLAMPED ? amd_saturate((uint64_t)(a & 0xFFFFFF) * (b & 0xFFFFFF) + c)
                                 : (a & 0xFFFFFF) * (b & 0xFFFFFF) + c)
AMD_U32(mad_u32_u16, (a & 0xFFFF) * (b & 0xFFFF) + c)
AMD_U32(mad_i32_i16, (uint32_t)((int16_t)a * (int16_t)b) + c)
AMD_U32(min_i32, (int32_t)a < (int32_t)b ? a : b) AMD_U32(max_i32, (int32_t)a > (int32_t)b ? a : b)
AMD_U32(min_u32, a < b ? a : b) AMD_U32(max_u32, a > b ? a : b)
static uint32_t amd_lesser(uint32_t a, uint32_t b, int greater, int is_signed) {
  const uint32_t flip = is_signed ? 0x80000000 : 0;
  return ((a ^ flip) < (b ^ flip)) != greater ? a : b;
}
// Of three; arg: 1 the first of the two is max, 2 the second, 8 signed.
AMD_U32(three_u32, amd_lesser(amd_lesser(a, b, x->i->rule->arg & 1, x->i->rule->arg >> 3), c, x->i->rule->arg >> 1 & 1,
                              x->i->rule->arg >> 3))
static uint32_t amd_middle(uint32_t a, uint32_t b, uint32_t c, int s) {
  return amd_lesser(amd_lesser(a, b, 0, s), amd_lesser(amd_lesser(a, b, 1, s), c, 0, s), 1, s);
}
AMD_U32(med3_u32, amd_middle(a, b, c, x->i->rule->arg >> 3))
AMD_U32(bfe_u32, (c & 31) ? a >> (b & 31) & ((1u << (c & 31)) - 1) : 0)
AMD_U32(bfe_i32, (c & 31) ? (int32_t)((uint32_t)((int32_t)a >> (b & 31)) << (32 - (c & 31))) >> (32 - (c & 31)) : 0)
AMD_U32(bfi_b32, (a & b) | (~a & c)) AMD_U32(bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))
AMD_U32(alignbit, ((uint64_t)a << 32 | b) >> (c & 31)) AMD_U32(alignbyte, ((uint64_t)a << 32 | b) >> 8 * (c & 3))
AMD_U32(xad_u32, (a ^ b) + c) AMD_U32(lshl_add_u32, (a << (b & 31)) + c) AMD_U32(add_lshl_u32, (a + b) << (c & 31))
AMD_U32(add3_u32, a + b + c) AMD_U32(lshl_or_b32, a << (b & 31) | c) AMD_U32(and_or_b32, (a & b) | c)
AMD_U32(or3_b32, a | b | c) AMD_U32(xor3_b32, a ^ b ^ c)
static uint32_t amd_apart(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static uint32_t amd_sad(uint32_t a, uint32_t b, uint32_t c, int masked) {
  for (int k = 0; k < 32; k += 8)
    if (!masked || (b >> k & 255)) c += amd_apart(a >> k & 255, b >> k & 255);
  return c;
}
AMD_U32(sad_u8, amd_sad(a, b, c, 0)) AMD_U32(msad_u8, amd_sad(a, b, c, 1)) AMD_U32(sad_u32, amd_apart(a, b) + c)
AMD_U32(sad_hi_u8, (amd_sad(a, b, 0, 0) << 16) + c)
AMD_U32(sad_u16, amd_apart(a & 0xFFFF, b & 0xFFFF) + amd_apart(a >> 16, b >> 16) + c)
static uint32_t amd_lerp(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (int k = 0; k < 32; k += 8) r |= ((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1 << k;
  return r;
}
AMD_U32(lerp_u8, amd_lerp(a, b, c))
// Bytes 0 to 3 of b, 4 to 7 of a; 8 to 11: the sign of bytes 1, 3, 5, 7; 12: 0; beyond: 255.
static uint32_t amd_perm(uint32_t a, uint32_t b, uint32_t sel) {
  const uint64_t both = (uint64_t)a << 32 | b;
  uint32_t r = 0;
  for (int k = 0; k < 4; k++) {
    const uint32_t s = sel >> 8 * k & 255;
    const uint32_t byte = s < 8 ? (uint32_t)(both >> 8 * s) & 255
                        : s < 12 ? (both >> (16 * (s - 8) + 15) & 1 ? 255 : 0) : s == 12 ? 0 : 255;
    r |= byte << 8 * k;
  }
  return r;
}
AMD_U32(perm_b32, amd_perm(a, b, c))
AMD_U32(clz_u32, a ? (uint32_t)(31 - amd_highest(a)) : ~0u) AMD_U32(ctz_b32, a ? (uint32_t)amd_lowest(a) : ~0u)
AMD_U32(cls_i32, amd_cls(a)) AMD_U32(bcnt_u32, (uint32_t)amd_popcount(a) + b)
AMD_U32(mbcnt_lo, (uint32_t)amd_popcount(a & (l >= 32 ? ~0u : (1u << l) - 1)) + b)
AMD_U32(mbcnt_hi, (uint32_t)amd_popcount(l >= 32 ? a & ((1u << (l - 32)) - 1) : 0) + b)
AMD_U32(pk_u16_u32, (a > 0xFFFF ? 0xFFFF : a) | (b > 0xFFFF ? 0xFFFF : b) << 16)
static uint32_t amd_short_of(uint32_t a) {
  return (uint32_t)((int32_t)a > 32767 ? 32767 : (int32_t)a < -32768 ? -32768 : (int32_t)a) & 0xFFFF;
}
AMD_U32(pk_i16_i32, amd_short_of(a) | amd_short_of(b) << 16)
AMD_U32(pack_b32, (a & 0xFFFF) | b << 16)
AMD_U32(cndmask_b32, x->carry >> l & 1 ? b : a)
AMD_U32(cvt_i32_i16, (int16_t)a) AMD_U32(cvt_u32_u16, (uint16_t)a)
static uint32_t amd_sat_byte(uint32_t a) { return (int16_t)a < 0 ? 0 : (int16_t)a > 255 ? 255 : a & 255; }
AMD_U32(sat_pk_u8, amd_sat_byte(a) | amd_sat_byte(a >> 16) << 8)
static uint32_t amd_cube_face(float x, float y, float z) {
  const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  return amd_b32((float)(az >= ax && az >= ay ? 4 + (z < 0) : ay >= ax ? 2 + (y < 0) : x < 0));
}
AMD_U32(cubeid, amd_cube_face(amd_f32(a), amd_f32(b), amd_f32(c)))

// ** carries: masks of lanes **

static void amd_carry(amd_lanes *x, int subtracts, int reversed, int takes) {
  AMD_EACH(x) {
    const uint64_t a = reversed ? x->b[l] : x->a[l], b = reversed ? x->a[l] : x->b[l];
    const uint64_t in = takes ? x->carry >> l & 1 : 0, r = subtracts ? a - b - in : a + b + in;
    const int out = (int)(r >> 32 & 1);
    x->r[l] = AMD_CLAMPED && out ? (subtracts ? 0 : ~0u) : (uint32_t)r;
    x->flag |= (uint64_t)out << l;
  }
}
// arg: 1 subtracts, 2 reversed, 4 takes a carry.
static void amd_add_co(amd_lanes *x) {
  const int arg = x->i->rule->arg;
  amd_carry(x, arg & 1, arg >> 1 & 1, arg >> 2);
}
static void amd_mad_u64(amd_lanes *x) {
  AMD_EACH(x) {
    const uint64_t product = (uint64_t)x->a[l] * x->b[l], r = product + x->C[l];
    x->R[l] = r;
    x->flag |= (uint64_t)(r < product) << l;
  }
}
static void amd_mad_i64(amd_lanes *x) {
  AMD_EACH(x) {
    const uint64_t product = (uint64_t)((int64_t)(int32_t)x->a[l] * (int32_t)x->b[l]), r = product + x->C[l];
    x->R[l] = r;
    x->flag |= (((product ^ r) & (x->C[l] ^ r)) >> 63) << l;
  }
}

// ** 64 bits **

AMD_U64(mov_b64, a)
static void amd_lshlrev_b64(amd_lanes *x) { AMD_EACH(x) x->R[l] = x->B[l] << (x->a[l] & 63); }
static void amd_lshrrev_b64(amd_lanes *x) { AMD_EACH(x) x->R[l] = x->B[l] >> (x->a[l] & 63); }
static void amd_ashrrev_i64(amd_lanes *x) { AMD_EACH(x) x->R[l] = (uint64_t)((int64_t)x->B[l] >> (x->a[l] & 63)); }
static void amd_lshl_add_u64(amd_lanes *x) { AMD_EACH(x) x->R[l] = (x->A[l] << (x->b[l] & 7)) + x->C[l]; }

// ** 16 bits **

static uint32_t amd_sat_u16(int32_t v) { return v < 0 ? 0 : v > 65535 ? 65535 : (uint32_t)v; }
static uint32_t amd_sat_i16(int32_t v) { return (uint32_t)(v > 32767 ? 32767 : v < -32768 ? -32768 : v) & 0xFFFF; }
AMD_U32(add_u16, AMD_CLAMPED ? amd_sat_u16((int32_t)(a + b)) : a + b)
AMD_U32(sub_u16, AMD_CLAMPED ? amd_sat_u16((int32_t)(a - b)) : a - b)
AMD_U32(subrev_u16, AMD_CLAMPED ? amd_sat_u16((int32_t)(b - a)) : b - a)
AMD_U32(add_i16, AMD_CLAMPED ? amd_sat_i16((int16_t)a + (int16_t)b) : a + b)
AMD_U32(sub_i16, AMD_CLAMPED ? amd_sat_i16((int16_t)a - (int16_t)b) : a - b)
AMD_U32(mul_lo_u16, a *b) AMD_U32(lshlrev_b16, b << (a & 15)) AMD_U32(lshrrev_b16, (b & 0xFFFF) >> (a & 15))
AMD_U32(ashrrev_i16, (int16_t)b >> (a & 15)) AMD_U32(max_u16, a > b ? a : b) AMD_U32(min_u16, a < b ? a : b)
AMD_U32(max_i16, (int16_t)a > (int16_t)b ? a : b) AMD_U32(min_i16, (int16_t)a < (int16_t)b ? a : b)
static uint32_t amd_wide16(uint32_t a, int is_signed) { return is_signed ? (uint32_t)(int16_t)a : a; }
// Of three; arg as amd_three_u32's.
AMD_U32(three_u16, amd_lesser(amd_lesser(amd_wide16(a, x->i->rule->arg >> 3), amd_wide16(b, x->i->rule->arg >> 3),
                                         x->i->rule->arg & 1, x->i->rule->arg >> 3),
                              amd_wide16(c, x->i->rule->arg >> 3), x->i->rule->arg >> 1 & 1, x->i->rule->arg >> 3))
AMD_U32(med3_u16, amd_middle(amd_wide16(a, x->i->rule->arg >> 3), amd_wide16(b, x->i->rule->arg >> 3),
                             amd_wide16(c, x->i->rule->arg >> 3), x->i->rule->arg >> 3))
AMD_U32(mad_u16, a *b + c)
AMD_U32(mad_i16, (uint32_t)((int16_t)a * (int16_t)b) + c)

// ** comparison: bit 0 less, bit 1 equal, bit 2 greater **

static uint32_t amd_compared(int less, int equal, int condition) {
  return (condition & (less ? 1 : equal ? 2 : 4)) != 0;
}
#define AMD_CMP(name, first, second, type)                                                                             \
  static void amd_cmp_##name(amd_lanes *x) {                                                                           \
    const int condition = x->i->rule->arg >> 4;                                                                        \
    AMD_EACH(x) {                                                                                                      \
      const type a = (type)x->first[l], b = (type)x->second[l];                                                        \
      x->r[l] = amd_compared(a < b, a == b, condition);                                                                \
    }                                                                                                                  \
  }
AMD_CMP(i16, a, b, int16_t) AMD_CMP(u16, a, b, uint16_t) AMD_CMP(i32, a, b, int32_t) AMD_CMP(u32, a, b, uint32_t)
AMD_CMP(i64, A, B, int64_t) AMD_CMP(u64, A, B, uint64_t)
#endif
