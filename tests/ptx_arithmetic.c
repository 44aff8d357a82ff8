// ptx_arithmetic: instructions of floats, and conversions, 32 lanes at a time.
//
// Source: PTX ISA, "Floating Point Instructions", "Half Precision Floating Point Instructions", "cvt".
// Included by ptx_machine.c.
#ifndef PTX_ARITHMETIC_C
#define PTX_ARITHMETIC_C
#include "ptx_integer.c"

static float ptx_sat(float x) { return x != x ? 0 : x < 0 ? 0 : x > 1 ? 1 : x == 0 ? 0 : x; }
static double ptx_smaller(double x, double y, const ptx_ins *ins) {
  const int least = ins->op == PTX_min_, nan = ptx_has(ins, PTX_W_NaN);
  const double sign = ptx_has(ins, PTX_W_xorsign) ? (signbit(x) != 0) != (signbit(y) != 0) ? -1.0 : 1.0 : 0;
  double z;
  if (ptx_has(ins, PTX_W_abs)) { x = fabs(x); y = fabs(y); }
  if (x != x || y != y) z = nan || (x != x && y != y) ? (double)NAN : x != x ? y : x;
  else if (x == y) z = (signbit(x) != 0) == least ? x : y;  // -0 is below 0
  else z = (x < y) == least ? x : y;
  return sign != 0 ? copysign(z, sign) : z;
}
// f32, rounded to nearest; others by ptx_rounded.
static void ptx_f32_op(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ins->n > 2 ? ptx_row(v, w, &o[2], mask, 1) : ptx_zeros;
  const uint64_t *c = ins->n > 3 ? ptx_row(v, w, &o[3], mask, 2) : ptx_zeros;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  const int ftz = ins->ftz, rnd = ins->rnd, directed = rnd != 0xFFFF && rnd != PTX_W_rn;
  const uint32_t seed = v->l->seed;
#define PTX_A ptx_f32(a[i])
#define PTX_B ptx_f32(b[i])
#define PTX_C ptx_f32(c[i])
  if (!ftz && !ins->sat && !directed) switch (ins->op) {     // what almost all are
    case PTX_add_: PTX_LANES(mask, d[i] = ptx_b32(PTX_A + PTX_B)); return;
    case PTX_sub_: PTX_LANES(mask, d[i] = ptx_b32(PTX_A - PTX_B)); return;
    case PTX_mul_: PTX_LANES(mask, d[i] = ptx_b32(PTX_A * PTX_B)); return;
    case PTX_fma_: case PTX_mad_: PTX_LANES(mask, d[i] = ptx_b32(fmaf(PTX_A, PTX_B, PTX_C))); return;
    default: break;
  }
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    float x = PTX_A, y = PTX_B, z = PTX_C, out;
    if (ftz) { x = ptx_flush(x); y = ptx_flush(y); z = ptx_flush(z); }
    switch (ins->op) {
      case PTX_add_: out = (float)ptx_rounded(PTX_SUM, (double)x, (double)y, 0, rnd, 0); break;
      case PTX_sub_: out = (float)ptx_rounded(PTX_SUM, (double)x, (double)-y, 0, rnd, 0); break;
      case PTX_mul_: out = (float)ptx_rounded(PTX_PRODUCT, (double)x, (double)y, 0, rnd, 0); break;
      case PTX_fma_: case PTX_mad_: out = (float)ptx_rounded(PTX_FMA, (double)x, (double)y, (double)z, rnd, 0); break;
      case PTX_div_:
        if (ins->approx) {                 // within 2 ulp
          out = x / y;
          if (seed && fabsf(out) < 1e38f && fabsf(out) > 1e-37f)
            out = (float)((double)out * (1 + ptx_chance(seed, ptx_raw32(out)) * 0x1p-23));
          if (ins->approx == 1 && fabsf(y) > 0x1p126f && fabsf(y) < (float)INFINITY)
            out = isinf(x) ? (float)NAN : copysignf(0, x * y);
        } else out = (float)ptx_rounded(PTX_QUOTIENT, (double)x, (double)y, 0, rnd, 0);
        break;
      case PTX_rcp_:
        out = ins->approx ? ptx_approximate(ins->op, x, ftz, seed)
                          : (float)ptx_rounded(PTX_QUOTIENT, 1, (double)x, 0, rnd, 0);
        break;
      case PTX_sqrt_:
        out = ins->approx ? ptx_approximate(ins->op, x, ftz, seed)
                          : (float)ptx_rounded(PTX_ROOT, (double)x, 0, 0, rnd, 0);
        break;
      case PTX_rsqrt_: case PTX_ex2_: case PTX_lg2_: case PTX_sin_: case PTX_cos_: case PTX_tanh_:
        out = ptx_approximate(ins->op, x, ftz, seed); break;
      case PTX_min_: case PTX_max_:
        out = (float)ptx_smaller((double)x, (double)y, ins);
        if (ins->n > 3) out = (float)ptx_smaller((double)out, (double)z, ins);
        break;
      case PTX_abs_: d[i] = ptx_raw32(x) & 0x7FFFFFFF; continue;
      case PTX_neg_: d[i] = ptx_raw32(x) ^ 0x80000000; continue;
      case PTX_copysign_: d[i] = (ptx_raw32(y) & 0x7FFFFFFF) | (ptx_raw32(x) & 0x80000000); continue;
      default: ptx_stop(v, i, "'%s.f32' is not known", ptx_ops[ins->op]); return;
    }
    if (ftz) out = ptx_flush(out);
    if (ins->sat) out = ptx_sat(out);
    d[i] = ptx_b32(out);
  }
}
static void ptx_f64_op(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ins->n > 2 ? ptx_row(v, w, &o[2], mask, 1) : ptx_zeros;
  const uint64_t *c = ins->n > 3 ? ptx_row(v, w, &o[3], mask, 2) : ptx_zeros;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  const int rnd = ins->rnd, directed = rnd != 0xFFFF && rnd != PTX_W_rn;
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    const double x = ptx_f64(a[i]), y = ptx_f64(b[i]), z = ptx_f64(c[i]);
    double out;
    switch (ins->op) {
      case PTX_add_: out = directed ? ptx_rounded(PTX_SUM, x, y, 0, rnd, 1) : x + y; break;
      case PTX_sub_: out = directed ? ptx_rounded(PTX_SUM, x, -y, 0, rnd, 1) : x - y; break;
      case PTX_mul_: out = directed ? ptx_rounded(PTX_PRODUCT, x, y, 0, rnd, 1) : x * y; break;
      case PTX_fma_: case PTX_mad_: out = directed ? ptx_rounded(PTX_FMA, x, y, z, rnd, 1) : fma(x, y, z); break;
      case PTX_div_: out = directed ? ptx_rounded(PTX_QUOTIENT, x, y, 0, rnd, 1) : x / y; break;
      case PTX_rcp_: out = directed ? ptx_rounded(PTX_QUOTIENT, 1, x, 0, rnd, 1) : 1 / x; break;
      case PTX_sqrt_: out = directed ? ptx_rounded(PTX_ROOT, x, 0, 0, rnd, 1) : sqrt(x); break;
      case PTX_rsqrt_: out = 1 / sqrt(x); break;
      case PTX_min_: case PTX_max_: out = ptx_smaller(x, y, ins); break;
      case PTX_abs_: d[i] = a[i] & 0x7FFFFFFFFFFFFFFF; continue;
      case PTX_neg_: d[i] = a[i] ^ 0x8000000000000000; continue;
      case PTX_copysign_: d[i] = (b[i] & 0x7FFFFFFFFFFFFFFF) | (a[i] & 0x8000000000000000); continue;
      default: ptx_stop(v, i, "'%s.f64' is not known", ptx_ops[ins->op]); return;
    }
    if (ins->rnd == 0xFFFF && ins->approx && (ins->op == PTX_rcp_ || ins->op == PTX_rsqrt_))
      out = ptx_f64(ptx_b64(out) & 0xFFFFFFFF00000000);      // rcp.approx.ftz.f64: the low word is 0
    d[i] = ptx_b64(out);
  }
}
// One value of f16 or bf16.
static uint32_t ptx_narrow_op(ptx_machine *v, const ptx_ins *ins, int type, uint32_t a, uint32_t b, uint32_t c,
                              int lane) {
  const double x = ptx_value(a, type), y = ptx_value(b, type), z = ptx_value(c, type);
  double out;
  switch (ins->op) {
    case PTX_add_: out = ptx_odd_fma(x, 1, y); break;
    case PTX_sub_: out = ptx_odd_fma(x, 1, -y); break;
    case PTX_mul_: out = x * y; break;
    case PTX_fma_: out = ptx_odd_fma(x, y, z); break;
    case PTX_min_: case PTX_max_:
      out = ptx_smaller(x, y, ins);
      if (ins->n > 3) out = ptx_smaller(out, z, ins);
      break;
    case PTX_abs_: return a & 0x7FFF;
    case PTX_neg_: return a ^ 0x8000;
    case PTX_ex2_: out = exp2(x); break;
    case PTX_tanh_: out = tanh(x); break;
    default: ptx_stop(v, lane, "'%s.%s' is not known", ptx_ops[ins->op], ptx_types[ins->type].text); return 0;
  }
  if (ins->relu && !(out > 0)) out = out != out ? out : 0;
  if (ins->sat == 1) out = out != out ? 0 : out < 0 ? 0 : out > 1 ? 1 : out;
  uint32_t bits = (uint32_t)ptx_of_value(out, type, PTX_W_rn, 0);
  if (ins->ftz && !(bits & 0x7C00)) bits &= 0x8000;
  return bits;
}
static int ptx_part(int type) {
  switch (type) {
    case PTX_F16X2: return PTX_F16;
    case PTX_BF16X2: return PTX_BF16;
    case PTX_F32X2: return PTX_F32;
    case PTX_E4M3X2: return PTX_E4M3;
    case PTX_E5M2X2: return PTX_E5M2;
    default: return type;
  }
}
static void ptx_narrow_ops(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ins->n > 2 ? ptx_row(v, w, &o[2], mask, 1) : ptx_zeros;
  const uint64_t *c = ins->n > 3 ? ptx_row(v, w, &o[3], mask, 2) : ptx_zeros;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  const int type = ptx_part(ins->type), pair = ptx_types[ins->type].parts == 2;
  for (int i = 0; i < PTX_WARP; i++) {
    uint64_t out = 0;
    if (!(mask >> i & 1)) continue;
    for (int half = 0; half <= pair; half++)
      out |= (uint64_t)ptx_narrow_op(v, ins, type, (uint32_t)(a[i] >> 16 * half) & 0xFFFF,
                                     (uint32_t)(b[i] >> 16 * half) & 0xFFFF, (uint32_t)(c[i] >> 16 * half) & 0xFFFF, i)
             << 16 * half;
    d[i] = out;
  }
}
static void ptx_f32x2_op(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ptx_row(v, w, &o[2], mask, 1);
  const uint64_t *c = ins->n > 3 ? ptx_row(v, w, &o[3], mask, 2) : ptx_zeros;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  for (int i = 0; i < PTX_WARP; i++) {
    uint64_t out = 0;
    if (!(mask >> i & 1)) continue;
    for (int half = 0; half < 64; half += 32) {
      const double x = (double)ptx_f32(a[i] >> half), y = (double)ptx_f32(b[i] >> half),
                   z = (double)ptx_f32(c[i] >> half);
      const int what = ins->op == PTX_fma_ ? PTX_FMA : ins->op == PTX_mul_ ? PTX_PRODUCT : PTX_SUM;
      float f = (float)ptx_rounded(what, x, ins->op == PTX_sub_ ? -y : y, z, ins->rnd, 0);
      if (ins->ftz) f = ptx_flush(f);
      out |= ptx_b32(f) << half;
    }
    d[i] = out;
  }
}
// add.f32.f16: of types of two widths (sm_100): not known.
static void ptx_float_op(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  switch (ins->type) {
    case PTX_F32: ptx_f32_op(v, w, ins, o, mask); return;
    case PTX_F64: ptx_f64_op(v, w, ins, o, mask); return;
    case PTX_F32X2: ptx_f32x2_op(v, w, ins, o, mask); return;
    case PTX_F16: case PTX_F16X2: case PTX_BF16: case PTX_BF16X2: ptx_narrow_ops(v, w, ins, o, mask); return;
    default: ptx_stop(v, ptx_lowest(mask), "'%s.%s' is not known", ptx_ops[ins->op], ptx_types[ins->type].text);
  }
}
static void ptx_testp(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0);
  const double least = ins->type == PTX_F64 ? 0x1p-1022 : 0x1p-126;
  uint32_t p = 0;
  for (int i = 0; i < PTX_WARP; i++) {
    const double x = ptx_value(a[i], ins->type), size = fabs(x);
    int is = 0;
    if (!(mask >> i & 1)) continue;
    switch (ins->mode) {
      case PTX_W_finite: is = size < (double)INFINITY; break;
      case PTX_W_infinite: is = isinf(x) != 0; break;
      case PTX_W_number: is = x == x; break;
      case PTX_W_notanumber: is = x != x; break;
      case PTX_W_normal: is = size < (double)INFINITY && size >= least; break;
      default: is = size > 0 && size < least; break;
    }
    p |= (uint32_t)is << i;
  }
  ptx_set_bits(v, w, &o[0], mask, p);
}

// ** cvt **

// Of a float a whole number: NaN and what is beyond the type: PTX ISA, "cvt", "Notes".
static uint64_t ptx_whole(double x, int from, int to, int rnd, int ftz) {
  const int bits = ptx_bits(to), s = ptx_is_signed(to);
  if (ftz && from == PTX_F32) x = (double)ptx_flush((float)x);
  if (x != x) return bits == 64 || from == PTX_F64 ? (uint64_t)1 << (bits - 1) : 0;
  x = rnd == PTX_W_rzi ? trunc(x) : rnd == PTX_W_rmi ? floor(x) : rnd == PTX_W_rpi ? ceil(x) : nearbyint(x);
  const double top = ldexp(1, s ? bits - 1 : bits);
  if (x >= top) return ptx_mask_of(s ? bits - 1 : bits);
  if (x < (s ? -top : 0)) return s ? (uint64_t)1 << (bits - 1) : 0;
  return (s ? (uint64_t)(int64_t)x : (uint64_t)x) & ptx_mask_of(bits);
}
static uint64_t ptx_converted(const ptx_ins *ins, uint64_t x, int to, int from) {
  const int rnd = ins->rnd;
  if (!ptx_is_float(from)) {
    const int s = ptx_is_signed(from), bits = ptx_bits(from);
    const uint64_t y = ptx_wide(x, bits, s);
    if (to == PTX_F64 || to == PTX_F32) {
      const double z = ptx_of_integer(y, s, rnd, to == PTX_F64);
      return to == PTX_F64 ? ptx_b64(z) : ptx_b32((float)z);
    }
    if (ptx_is_float(to)) {                // f16, bf16: doubles hold enough of 64 bits to be rounded again, to odd
      double z = s ? (double)(int64_t)y : (double)y;
      const uint64_t back = fabs(z) < 9e18 ? s ? (uint64_t)(int64_t)z : (uint64_t)z : y;
      if (back != y && !(ptx_b64(z) & 1)) z = ptx_f64(ptx_b64(z) + ((back < y) == !(z < 0) ? 1 : (uint64_t)-1));
      return ptx_of_value(z, to, rnd, ins->sat);
    }
    if (ins->sat) return ptx_clamp(s ? (ptx_s128)(int64_t)y : (ptx_s128)y, ptx_bits(to), ptx_is_signed(to));
    return y & ptx_mask_of(ptx_bits(to));
  }
  double y = ptx_value(x, from);
  if (!ptx_is_float(to)) return ptx_whole(y, from, to, rnd, ins->ftz);
  if (ins->ftz && from == PTX_F32) y = (double)ptx_flush((float)y);
  if (rnd >= PTX_W_rni && rnd <= PTX_W_rpi && rnd != 0xFFFF)
    y = rnd == PTX_W_rzi ? trunc(y) : rnd == PTX_W_rmi ? floor(y) : rnd == PTX_W_rpi ? ceil(y) : nearbyint(y);
  if (ins->relu && y < 0) y = 0;
  if (ins->sat == 1) y = y != y ? 0 : y < 0 ? 0 : y > 1 ? 1 : y == 0 ? 0 : y;
  const int narrow = to == PTX_F32 && from == PTX_F64 && rnd != PTX_W_rn && rnd != 0xFFFF && rnd < PTX_W_rni;
  if (narrow) return ptx_b32((float)ptx_rounded(PTX_NARROWER, y, 0, 0, rnd, 1));
  uint64_t out = ptx_of_value(y, to, rnd >= PTX_W_rni ? PTX_W_rn : rnd, ins->sat);
  if (ins->ftz && to == PTX_F32) out = ptx_raw32(ptx_flush(ptx_f32(out)));
  return out;
}
static void ptx_cvt(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int to = ins->type, from = ins->type2, pair = ptx_types[to].parts == 2;
  if (ins->ntypes < 2) ptx_stop(v, ptx_lowest(mask), "'cvt' of one type");
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), *b = ins->n > 2 ? ptx_row(v, w, &o[2], mask, 1) : NULL;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  const int bits = ptx_bits(to) / (pair ? 2 : 1), part = ptx_part(to);
  if (pair && !b) {                        // e4m3x2 of f16x2, f16x2 of e4m3x2
    const int part_from = ptx_part(from), step = ptx_bits(from) / 2;
    PTX_LANES(mask, d[i] = ptx_converted(ins, a[i] & ptx_mask_of(step), part, part_from) |
                           ptx_converted(ins, a[i] >> step & ptx_mask_of(step), part, part_from) << bits);
    return;
  }
  if (pair) {
    PTX_LANES(mask, d[i] = ptx_converted(ins, a[i], part, from) << bits | ptx_converted(ins, b[i], part, from));
    return;
  }
  const uint64_t m = ptx_mask_of(o[0].bits);                 // into a wider register, with its sign
  if (!ptx_is_float(to) && !ptx_is_float(from) && !ins->sat) {
    const int s = ptx_is_signed(from), s2 = ptx_is_signed(to), n = ptx_bits(from), n2 = ptx_bits(to);
    PTX_LANES(mask, d[i] = ptx_wide(ptx_wide(a[i], n, s), n2, s2) & m);
    return;
  }
  if (ptx_is_float(to)) { PTX_LANES(mask, d[i] = ptx_converted(ins, a[i], to, from)); return; }
  PTX_LANES(mask, d[i] = ptx_wide(ptx_converted(ins, a[i], to, from), ptx_bits(to), ptx_is_signed(to)) & m);
}
#endif
