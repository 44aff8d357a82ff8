// transcendental: EXP2, LOG2, SIN and POW of f32 and f64 from arithmetic, WHERE, casts and integers. EXP2 and SIN have
// k = 1 for e^x and cos, EXP2 + 2 where x is known not to be above 0, + 4 nor 2^x or e^x below 2^-184. Its + 8 is for
// targets that have a 2^x of their own: see tn_by_sibling.
//
// In:  the operands, any number of lanes. Out: an expression without branches, tables in memory or calls.
// Holds: errors stay within 1 ulp (POW in its own dtype: see there) over all inputs: subnormals, infinities, NaN, huge
// arguments of SIN. Narrow floats are computed in f32 by the caller. Largest errors in ulp, found by
// tests/test_transcendental.c against libm; `test_transcendental all` tries all 2^32 values of f32:
//   f32, all values: exp2 0.879, exp 0.892, log2 0.841, sin 0.501; random samples: cos 0.501, pow 0.501
//   f32 on targets without f64, random samples: sin 0.77, cos 0.76, pow 4.7
//   f64, random samples: exp2 0.86, exp 0.88, log2 0.73, sin and cos 1.00 (half of it may be the reference's)
// A MUL may be fused with the ADD or SUB that uses it: codegen/fuse.c does so where the target has FMA, compilers of
// other languages by themselves. Where a step depends on the rounding error of another (x - n*A, y - (x + y)), products
// are exact, since one factor has few bits: fused and not fused are the same. Coefficients come from tools/minimax.py.
#ifndef TN_RULES_TRANSCENDENTAL
#define TN_RULES_TRANSCENDENTAL
#ifndef TINY_AMALGAMATED
#include "symbolic.c"
#endif

// an unevaluated sum, |lo| <= ulp(hi) / 2 or little more
typedef struct tn_pair { tiny_uop *hi, *lo; } tn_pair;

// What the formulas need to know of a float format.
typedef struct tn_float_facts {
  int integer, mantissa;                   // signed integer dtype of the same width; bits of the fraction
  int lift;                                // added to the exponent of results below normal
  int bias;                                // of the exponent field
  double scale; int scale_bits;            // brings subnormal arguments of log2 into the normals
  int64_t half_root;                       // bits of sqrt(1/2)
  double log2e_hi, log2e_lo;               // 1 / ln 2, the first part short
  // leaves so few bits of a number that its product with log2e_hi is exact
  int64_t mask;
  int nlog; const double *log;
} tn_float_facts;

// 2^x or e^x: 0 below low, normal from normal, inf from top; x * per rounds to n, and n times hi + lo is taken from x.
typedef struct tn_exp_facts {
  double low, normal, top, per, hi, lo;
  int n; const double *p;
} tn_exp_facts;

// 2^x = 1 + x P(x), |x| <= 1/2, e^x = 1 + x P(x), |x| <= ln 2 / 2, and log(1 + f) = 2s + s z P(z), s = f / (2
// + f), z = s^2, sqrt(1/2) <= 1 + f
// <= sqrt(2)
static const double tn_exp2_f32[] = {0.693147182, 0.240226448, 0.0555035882, 0.00961883646, 0.0013391308,
    0.00015240116};
static const double tn_exp2_f64[] = {0.69314718055994529, 0.24022650695910133, 0.055504108664822256,
    0.0096181291075934823,
  0.0013333558146382679, 0.00015403530457798738, 1.5252733803515011e-05, 1.3215434978831274e-06,
      1.0178087584512348e-07,
  7.0738306493779122e-09, 4.4498387338802831e-10};
static const double tn_exp_f32[] = {1, 0.499999881, 0.166665182, 0.0416696519, 0.00836895127, 0.00137450406};
static const double tn_exp_f64[] = {1, 0.50000000000000133, 0.16666666666666491, 0.041666666666512191,
  0.0083333333334455872, 0.0013888888947630991, 0.00019841269610495547, 2.480148945087971e-05,
  2.7557494819678554e-06, 2.763142168600706e-07, 2.5028729317919366e-08};
static const double tn_log_f32[] = {0.666666627, 0.400009722, 0.284987926, 0.242788538};
static const double tn_log_f64[] = {0.66666666666667351, 0.39999999999409369, 0.28571428743681204,
    0.22222198429627849,
  0.18183572316858235, 0.15313833229766766, 0.14798247338156145};

static const tn_float_facts *tn_float_facts_of(int dtype) {
  static const tn_float_facts f32 = {TINY_I32, 23, 64, 127, 33554432.0, 25, 0x3F3504F3,
      1.4423828125, 0.00031222838896340733,
                                     -4096, 4, tn_log_f32};
  static const tn_float_facts f64 = {TINY_I64, 52, 128, 1023, 18014398509481984.0, 54,
      0x3FE6A09E667F3BCD,
                                     1.4426950216293335, 1.9259629911266175e-08, -536870912, 7,
                                         tn_log_f64};
  return dtype == TINY_F64 ? &f64 : &f32;
}
static const tn_exp_facts *tn_exp_facts_of(int dtype, int natural) {
  static const tn_exp_facts facts[2][2] = {
    {{-151, -125, 128, 1, 1, 0, 6, tn_exp2_f32},
     {-105, -86.6, 88.722839111673, 1.4426950408889634, 0.693145751953125, 1.4286068203094173e-06, 6, tn_exp_f32}},
    {{-1076, -1021, 1024, 1, 1, 0, 11, tn_exp2_f64},
     {-746, -707.7, 709.78271289338409, 1.4426950408889634, 0.69314718055966296, 2.8235290563031577e-13,
     11, tn_exp_f64}}};
  return &facts[dtype == TINY_F64][natural];
}

// x with those bits of its representation that are set in mask.
static tiny_uop *tn_float_mask(tiny_ctx *t, tiny_uop *x, int64_t mask) {
  tiny_uop *bits = tn_bitcast(t, x, tn_float_facts_of(x->dtype)->integer);
  return tn_bitcast(t, and_(bits, K(bits, mask)), x->dtype);
}
static tiny_uop *tn_float_abs(tiny_ctx *t, tiny_uop *x) { return tn_float_mask(t, x, x->dtype == TINY_F64
    ? INT64_MAX : INT32_MAX); }

// c[0] + c[1] x + .. by Horner's rule
static tiny_uop *tn_horner(tiny_ctx *t, tiny_uop *x, const double *c, int n) {
  tiny_uop *y = N(x, c[n - 1]);
  for (int i = n - 2; i >= 0; i--) y = add(mul(y, x), N(x, c[i]));
  return y;
}

// Nearest integer by adding 1.5 * 2^mantissa: the sum's last bits are the integer + more, in two's complement.
static tiny_uop *tn_round_bits(tiny_ctx *t, tiny_uop *x, int more, tiny_uop **nearest) {
  const tn_float_facts *f = tn_float_facts_of(x->dtype);
  tiny_uop *magic = N(x, ldexp(1.5, f->mantissa) + more), *sum = add(x, magic);
  *nearest = sub(sum, magic);
  return tn_bitcast(t, sum, f->integer);
}

// x = n + r, or n ln 2 + r: 2^r or e^r, in [0.7, 1.42], and n with `more` added, in the last bits of *bits.
static tiny_uop *tn_exp_reduced(tiny_ctx *t, tiny_uop *x, int natural, int more, tiny_uop **bits) {
  const tn_exp_facts *c = tn_exp_facts_of(x->dtype, natural);
  tiny_uop *n;
  *bits = tn_round_bits(t, natural ? mul(x, N(x, c->per)) : x, more, &n);
  tiny_uop *r = natural ? sub(sub(x, mul(n, N(x, c->hi))), mul(n, N(x, c->lo))) : sub(x, n);
  return add(mul(r, tn_horner(t, r, c->p, c->n)), N(x, 1));
}
// n is added to the exponent field. Results below the normals are made 2^lift times as large, and rounded by the
// multiplication that undoes it. What is nothing is multiplied by 0: a product that underflows takes some processors
// more than a hundred cycles, and masked scores are all of that kind.
static tiny_uop *tn_exp_of(tiny_ctx *t, tiny_uop *given, int natural) {
  const tn_float_facts *f = tn_float_facts_of(given->dtype);
  const tn_exp_facts *c = tn_exp_facts_of(given->dtype, natural);
  tiny_uop *bits, *none = lt(given, N(given, c->low)), *x = where(none, N(given, c->low), given);
  tiny_uop *tiny = lt(x, N(x, c->normal));
  tiny_uop *p = tn_exp_reduced(t, x, natural, 0, &bits);
  tiny_uop *e = add(shl(bits, K(bits, f->mantissa)), where(tiny, K(bits, (int64_t)f->lift << f->mantissa),
      K(bits, 0)));
  tiny_uop *y = mul(tn_bitcast(t, add(tn_bitcast(t, p, f->integer), e), x->dtype),
      where(none, N(x, 0), where(tiny, N(x, ldexp(1, -f->lift)), N(x, 1))));
  return where(lt(given, N(x, c->top)), y, add(given, N(x, HUGE_VAL)));      // NaN stays
}
// The same of x <= 0, where all results can be lifted: 2^(n + lift) is a number, and times NaN is NaN. Below low it is
// 0, and nothing underflows.
static tiny_uop *tn_exp_falling_of(tiny_ctx *t, tiny_uop *given, int k) {
  const int natural = k & TN_EXP_NATURAL;
  const tn_float_facts *f = tn_float_facts_of(given->dtype);
  const double low = -(f->bias + f->lift) / tn_exp_facts_of(given->dtype, natural)->per;
  tiny_uop *bits, *x = k & TN_EXP_BOUNDED ? given : where(lt(given, N(given, low)), N(given, low), given);
  tiny_uop *p = tn_exp_reduced(t, x, natural, f->bias + f->lift, &bits);
  tiny_uop *scale = tn_bitcast(t, shl(bits, K(bits, f->mantissa)), x->dtype);
  return mul(mul(p, scale), N(x, ldexp(1, -f->lift)));
}

// log2 of a positive finite number as a sum. x = 2^e (1 + f); log(1 + f) = f - f^2/2 + s (f^2/2 + R), R = z
// P(z): the method of Ng's log in fdlibm. The part that carries the rounding, f - f^2/2, is cut to a few
// bits, so that its product with the short part of 1 / ln 2 is exact; all that was cut is in the second sum.
static tn_pair tn_log2_pair(tiny_ctx *t, tiny_uop *x) {
  const tn_float_facts *c = tn_float_facts_of(x->dtype);
  tiny_uop *is_small = lt(x, N(x, ldexp(1, x->dtype == TINY_F64 ? -1022 : -126)));
  tiny_uop *bits = tn_bitcast(t, where(is_small, mul(x, N(x, c->scale)), x), c->integer);
  tiny_uop *e = shr(sub(bits, K(bits, c->half_root)), K(bits, c->mantissa));
  tiny_uop *f = sub(tn_bitcast(t, sub(bits, shl(e, K(bits, c->mantissa))), x->dtype), N(x, 1));
  tiny_uop *n = cast(sub(e, where(is_small, K(e, c->scale_bits), K(e, 0))), x->dtype);
  tiny_uop *s = fdiv(f, add(f, N(f, 2))), *z = mul(s, s), *half = mul(mul(f, N(f, 0.5)), f);
  tiny_uop *r = mul(s, add(half, mul(z, tn_horner(t, z, c->log, c->nlog))));
  tiny_uop *hi = tn_float_mask(t, sub(f, half), c->mask), *lo = add(sub(sub(f, hi), half), r);
  tiny_uop *y = mul(hi, N(f, c->log2e_hi)), *sum = add(n, y);              // n is 0 or larger than y
  tiny_uop *rest = add(mul(add(lo, hi), N(f, c->log2e_lo)), mul(lo, N(f, c->log2e_hi)));
  const tn_pair p = {sum, add(rest, add(sub(n, sum), y))};
  return p;
}

static tiny_uop *tn_log2_value(tiny_ctx *t, tiny_uop *x) {
  const tn_pair p = tn_log2_pair(t, x);
  tiny_uop *zero = where(ne(x, N(x, 0)), N(x, (double)NAN), N(x, -HUGE_VAL));
  return where(lt(N(x, 0), x), where(lt(x, N(x, HUGE_VAL)), add(p.hi, p.lo), x), zero);
}

// ** sin: x = n * half + r (f32) or n * quarter + r (f64) of a turn's pi **
//
// Up to 2^24 (f32) or 2^18 (f64) n * pi is subtracted in short pieces (Cody and Waite, "Software Manual for
// the Elementary Functions", 1980). Beyond, x = m 2^e with an integer m, and only the bits of 1 / (2 pi)
// matter that give a fraction of a turn: a window of its binary digits that begins at bit e (Payne and Hanek,
// "Radian reduction for trigonometric functions", 1983). The window is moved by its binary digits, whole
// words first, and multiplied modulo 1.

static const uint32_t tn_turns_f32[7] = {0x28BE60DB, 0x9391054A, 0x7F09D5F4, 0x7D4D3770, 0x36D8A566,
    0x4F10E410, 0x7F9458EA};
// 2^-52 / (2 pi): of f64 the exponents from -52 on are needed
static const uint64_t tn_turns_f64[19] = {
  0x000000000000028B, 0xE60DB9391054A7F0, 0x9D5F47D4D377036D, 0x8A5664F10E4107F9,
  0x458EAF7AEF1586DC, 0x91B8E909374B8019, 0x24BBA827464873F8, 0x77AC72C4A69CFBA2,
  0x08D7D4BAED1213A6, 0x71C09AD17DF904E6, 0x4758E60D4CE7D272, 0x117E2EF7E4A0EC7F,
  0xE25FFF7816603FBC, 0xBC462D6829B47DB4, 0xD9FB3C9F2C26DD3D, 0x18FD9A797FA8B5D4,
  0x9EEB1FAF97C5ECF4, 0x1CE7DE294A4BA9AF, 0xED7EC47E35742158};

// window[0..n-1]: bits at.. of a string of n + words words, most significant first; words is a power of two.
static void tn_bit_window(tiny_ctx *t, tiny_uop **word, int n, int words, tiny_uop *at) {
  const int bits = tn_bits(word[0]->dtype);
  for (int step = words / 2, left = n + 1 + words - 1; step; step /= 2) {
    left -= step;
    tiny_uop *on = ne(and_(at, K(at, (int64_t)step * bits)), K(at, 0));
    for (int i = 0; i < left; i++) word[i] = where(on, word[i + step], word[i]);
  }
  tiny_uop *left = and_(at, K(at, bits - 1)), *right = sub(K(at, bits - 1), left);
  for (int i = 0; i < n; i++) word[i] = or_(shl(word[i], left), shr(shr(word[i + 1], K(at, 1)), right));
}

// sin r = r (1 + z P(z)), |r| <= pi / 2, computed in f64 and rounded once
static const double tn_sin_half[] = {-0.16666666625944387, 0.0083333310995919764, -0.00019840866993124309,
    2.7525320227754343e-06,
                                     -2.3887750170295191e-08};
static tiny_uop *tn_sin_f32(tiny_ctx *t, tiny_uop *x, int cosine) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *size = and_(bits, K(bits, 0x7FFFFFFF)),
      *is_small = lt(size, K(bits, 0x4B800000)), *n;
  tiny_uop *y = cast(x, TINY_F64);
  tiny_uop *turns = mul(y, N(y, 0.31830988618379067));
  if (cosine) turns = add(turns, N(y, 0.5));
  tiny_uop *near_sign = shl(cast(tn_round_bits(t, turns, 0, &n), TINY_U64), tn_int(t, TINY_U64, 63));
  if (cosine) n = add(n, N(y, -0.5));      // cos x = sin(x + pi / 2)
  tiny_uop *short_way = sub(sub(sub(y, mul(n, N(y, 3.1415926516056061))),
      mul(n, N(y, 1.9841871479187034e-09))), mul(n, N(y, 1.1442377452219664e-17)));
  tiny_uop *m = or_(and_(bits, K(bits, 0x7FFFFF)), K(bits, 0x800000)), *w[7];
  for (int i = 0; i < 7; i++) w[i] = K(bits, tn_turns_f32[i]);
  tn_bit_window(t, w, 3, 4, sub(shr(size, K(bits, 23)), K(bits, 150)));
  tiny_uop *wide = cast(m, TINY_U64), *by32 = K(wide, 32);
  tiny_uop *turn = add(add(shl(cast(mul(m, w[0]), TINY_U64), by32), mul(wide, cast(w[1], TINY_U64))),
      shr(mul(wide, cast(w[2], TINY_U64)), by32));
  if (cosine) turn = add(turn, K(turn, (int64_t)1 << 62));
  tiny_uop *long_way = mul(cast(tn_bitcast(t, shl(turn, K(turn, 1)), TINY_I64), TINY_F64),
      N(y, ldexp(3.1415926535897931, -64)));
  tiny_uop *far_sign = and_(add(turn, K(turn, (int64_t)1 << 62)), K(turn, INT64_MIN));
  if (!cosine) far_sign = xor_(far_sign, shl(cast(and_(bits, K(bits, 0x80000000)), TINY_U64), by32));
  tiny_uop *r = where(is_small, short_way, long_way), *z = mul(r, r), *one = N(y, 1);
  tiny_uop *s = mul(r, add(mul(z, tn_horner(t, z, tn_sin_half, 5)), one));
  s = tn_bitcast(t, xor_(tn_bitcast(t, s, TINY_U64), where(is_small, near_sign, far_sign)), TINY_F64);
  return where(lt(size, K(bits, 0x7F800000)), cast(s, TINY_F32), N(x, (double)NAN));
}

// The upper half of a product of two u64 (Warren, "Hacker's Delight", 2nd ed., figure 8-2).
static tiny_uop *tn_multiply_high(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *by32 = K(a, 32), *low = K(a, 0xFFFFFFFF);
  tiny_uop *a0 = and_(a, low), *a1 = shr(a, by32), *b0 = and_(b, low), *b1 = shr(b, by32);
  tiny_uop *p = add(mul(a1, b0), shr(mul(a0, b0), by32)), *q = add(mul(a0, b1), and_(p, low));
  return add(mul(a1, b1), add(shr(p, by32), shr(q, by32)));
}

static tn_pair tn_fast_sum(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {        // |a| >= |b| (Dekker, 1971)
  tn_pair p;
  p.hi = add(a, b);
  p.lo = sub(b, sub(p.hi, a));
  return p;
}

static tn_pair tn_reduce_near(tiny_ctx *t, tiny_uop *x, tiny_uop **quarter) {
  tiny_uop *n;
  *quarter = cast(tn_round_bits(t, mul(x, N(x, 0.63661977236758138)), 0, &n), TINY_U64);
  tiny_uop *b = mul(n, N(x, 6.077100506303966e-11)), *c = mul(n, N(x, 2.0222662487111665e-21));
  tiny_uop *r1 = sub(x, mul(n, N(x, 1.5707963267341256))), *r2 = sub(r1, b), *r3 = sub(r2, c);
  tiny_uop *lost = add(sub(sub(r1, r2), b), sub(sub(r2, r3), c));
  return tn_fast_sum(t, r3, sub(lost, mul(n, N(x, 8.4784276603688996e-32))));
}

// 128 bits of the fraction of a turn: u64 hi, lo. Its quarter, and what is left as a signed number of 2^-64
// quarters.
static tn_pair tn_reduce_far(tiny_ctx *t, tiny_uop *x, tiny_uop **quarter) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U64), *size = and_(bits, K(bits, INT64_MAX)), *w[19];
  tiny_uop *m = or_(and_(bits, K(bits, ((int64_t)1 << 52) - 1)), K(bits, (int64_t)1 << 52));
  for (int i = 0; i < 19; i++) w[i] = K(bits, (int64_t)tn_turns_f64[i]);
  tn_bit_window(t, w, 3, 16, and_(sub(shr(size, K(bits, 52)), K(bits, 1023)), K(bits, 1023)));
  tiny_uop *low = mul(m, w[1]), *lo = add(low, tn_multiply_high(t, m, w[2]));
  tiny_uop *hi = add(add(mul(m, w[0]), tn_multiply_high(t, m, w[1])), where(lt(lo, low), K(m, 1), K(m, 0)));
  *quarter = shr(add(hi, K(hi, (int64_t)1 << 61)), K(hi, 62));
  tiny_uop *f = tn_bitcast(t, or_(shl(hi, K(hi, 2)), shr(lo, K(hi, 62))), TINY_I64);
  tiny_uop *a = mul(cast(shr(f, K(f, 32)), TINY_F64), N(x, 4294967296.0)),
      *b = cast(and_(f, K(f, 0xFFFFFFFF)), TINY_F64);
  tn_pair r = tn_fast_sum(t, a, b);
  r.lo = add(r.lo, mul(cast(tn_bitcast(t, shr(shl(lo, K(lo, 2)), K(lo, 12)), TINY_I64), TINY_F64),
      N(x, ldexp(1, -52))));
  // times pi / 2 * 2^-64, whose first part has 26 bits
  tiny_uop *top = tn_float_mask(t, r.hi, -((int64_t)1 << 27)), *rest = add(sub(r.hi, top), r.lo);
  tiny_uop *y = mul(top, N(x, ldexp(1.5707963109016418, -64)));
  return tn_fast_sum(t, y, add(mul(top, N(x, ldexp(1.5893254773528196e-08, -64))),
      mul(rest, N(x, ldexp(1.5707963267948966, -64)))));
}

// sin r = r + r z P(z), cos r = 1 - z / 2 + z^2 Q(z), |r| <= pi / 4; r.lo enters as in fdlibm's __kernel_sin
// and __kernel_cos
static const double tn_sin_quarter[] = {-0.1666666666666663, 0.0083333333333218407, -0.00019841269829358512,
    2.7557313538503625e-06,
                                        -2.5050734386966067e-08, 1.5895433126557831e-10};
static const double tn_cos_quarter[] = {0.041666666666666595, -0.0013888888888873325, 2.4801587288983678e-05,
    -2.7557314210073095e-07,
                                        2.0875704270478359e-09, -1.1358683291426032e-11};
static tiny_uop *tn_sin_f64(tiny_ctx *t, tiny_uop *x, int cosine) {
  tiny_uop *near_quarter, *far_quarter, *bits = tn_bitcast(t, x, TINY_U64), *size = tn_float_abs(t, x),
      *is_small = lt(size, N(x, 262144.0));
  const tn_pair short_way = tn_reduce_near(t, x, &near_quarter), long_way = tn_reduce_far(t, x, &far_quarter);
  tiny_uop *r = where(is_small, short_way.hi, long_way.hi), *lo = where(is_small, short_way.lo, long_way.lo),
      *quarter = where(is_small, near_quarter, far_quarter);
  if (cosine) quarter = add(quarter, K(quarter, 1));
  tiny_uop *z = mul(r, r), *v = mul(z, r), *half = mul(z, N(x, 0.5)), *w = sub(N(x, 1), half);
  tiny_uop *tail = sub(mul(z, sub(mul(lo, N(x, 0.5)), mul(v, tn_horner(t, z, tn_sin_quarter + 1, 5)))), lo);
  tiny_uop *odd = sub(r, sub(tail, mul(v, N(x, tn_sin_quarter[0]))));
  tiny_uop *even = add(w, add(sub(sub(N(x, 1), w), half),
      sub(mul(mul(z, z), tn_horner(t, z, tn_cos_quarter, 6)), mul(r, lo))));
  tiny_uop *y = tn_bitcast(t, where(ne(and_(quarter, K(quarter, 1)), K(quarter, 0)), even, odd), TINY_U64);
  tiny_uop *sign = shl(and_(quarter, K(quarter, 2)), K(quarter, 62));
  if (!cosine) sign = xor_(sign, where(is_small, K(bits, 0), and_(bits, K(bits, INT64_MIN))));
  y = tn_bitcast(t, xor_(y, sign), TINY_F64);
  if (!cosine) y = where(lt(size, N(x, ldexp(1, -27))), x, y);               // sin -0.0 is -0.0
  return where(lt(size, N(x, HUGE_VAL)), y, N(x, (double)NAN));
}

// f32 without f64: as tn_sin_f64, with the fraction of a turn beyond pi / 4 always from the window of digits, which has
// a word of zeros in front: x = m 2^e with e from -24 on. Fractions are of 64 bits, which f32 takes as a pair.
static const double tn_sin_quarter_f32[] = {-0.166666672, 0.0083333794, -0.000198530644, 2.83250984e-06};
static const double tn_cos_quarter_f32[] = {0.0416666456, -0.00138873095, 2.44323273e-05};
static tn_pair tn_reduce_f32(tiny_ctx *t, tiny_uop *bits, int cosine, tiny_uop **quarter) {
  tiny_uop *m = or_(and_(bits, K(bits, 0x7FFFFF)), K(bits, 0x800000)), *w[11];
  for (int i = 0; i < 11; i++) w[i] = K(bits, i >= 1 && i <= 7 ? tn_turns_f32[i - 1] : 0);
  tn_bit_window(t, w, 3, 8, and_(sub(shr(bits, K(bits, 23)), K(bits, 118)), K(bits, 255)));
  tiny_uop *wide = cast(m, TINY_U64), *by32 = K(wide, 32);
  tiny_uop *turn = add(add(shl(cast(mul(m, w[0]), TINY_U64), by32), mul(wide, cast(w[1], TINY_U64))),
      shr(mul(wide, cast(w[2], TINY_U64)), by32));
  if (cosine) turn = add(turn, K(turn, (int64_t)1 << 62));
  tiny_uop *whole = shr(add(turn, K(turn, (int64_t)1 << 61)), K(turn, 62));
  tiny_uop *f = tn_bitcast(t, sub(turn, shl(whole, K(turn, 62))), TINY_I64);
  tiny_uop *hi = cast(f, TINY_F32), *lo = cast(sub(f, cast(hi, TINY_I64)), TINY_F32);
  // times pi * 2^-63, whose first part has 12 bits
  tiny_uop *top = tn_float_mask(t, hi, -4096), *rest = add(sub(hi, top), lo);
  *quarter = cast(whole, TINY_U32);
  tiny_uop *first = mul(top, N(hi, ldexp(3.140625, -63)));
  return tn_fast_sum(t, first, add(mul(top, N(hi, ldexp(0.00096765358979323851, -63))),
      mul(rest, N(hi, ldexp(3.1415926535897931, -63)))));
}
static tiny_uop *tn_sin_alone(tiny_ctx *t, tiny_uop *x, int cosine) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *size = and_(bits, K(bits, 0x7FFFFFFF)), *quarter;
  tiny_uop *is_small = lt(size, K(bits, 0x3F490FDB));      // pi / 4
  const tn_pair far_way = tn_reduce_f32(t, size, cosine, &quarter);
  tiny_uop *r = where(is_small, tn_bitcast(t, size, TINY_F32), far_way.hi), *lo = where(is_small, N(x, 0), far_way.lo);
  quarter = where(is_small, K(bits, cosine), quarter);
  tiny_uop *z = mul(r, r), *v = mul(z, r), *half = mul(z, N(x, 0.5)), *w = sub(N(x, 1), half);
  tiny_uop *tail = sub(mul(z, sub(mul(lo, N(x, 0.5)), mul(v, tn_horner(t, z, tn_sin_quarter_f32 + 1, 3)))), lo);
  tiny_uop *odd = sub(r, sub(tail, mul(v, N(x, tn_sin_quarter_f32[0]))));
  tiny_uop *even = add(w, add(sub(sub(N(x, 1), w), half),
      sub(mul(mul(z, z), tn_horner(t, z, tn_cos_quarter_f32, 3)), mul(r, lo))));
  tiny_uop *y = tn_bitcast(t, where(ne(and_(quarter, K(bits, 1)), K(bits, 0)), even, odd), TINY_U32);
  tiny_uop *sign = shl(and_(quarter, K(bits, 2)), K(bits, 30));
  if (!cosine) sign = xor_(sign, and_(bits, K(bits, (int64_t)0x80000000)));
  return where(lt(size, K(bits, 0x7F800000)), tn_bitcast(t, xor_(y, sign), TINY_F32), N(x, (double)NAN));
}
// has_f64: numbers of 64 bits may be computed with.
static tiny_uop *tn_sin_of(tiny_ctx *t, tiny_uop *x, int cosine, int has_f64) {
  if (x->dtype == TINY_F64) return tn_sin_f64(t, x, cosine);
  return has_f64 ? tn_sin_f32(t, x, cosine) : tn_sin_alone(t, x, cosine);
}

// ** pow **

// |x|^y in the dtype of x. The product y log2|x| is a sum, too: its first part is a product of short numbers. The
// logarithm of f64 is good to 2^-57 of itself or so, which y log2|x| near 1024 makes 2^-47: up to 60 ulp there, 1
// ulp for results near 1. That of f32 is good to 2^-28, and y log2|x| is below 128.
static tiny_uop *tn_pow_abs(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  const int64_t short_mask = x->dtype == TINY_F64 ? -((int64_t)1 << 27) : -4096;
  tiny_uop *plain = mul(y, tn_log2_value(t, x));
  const tn_pair raw = tn_log2_pair(t, x), log = tn_fast_sum(t, raw.hi, raw.lo);
  tiny_uop *yh = tn_float_mask(t, y, short_mask), *lh = tn_float_mask(t, log.hi, short_mask);
  tiny_uop *first = mul(yh, lh), *second = add(add(mul(yh, sub(log.hi, lh)), mul(sub(y, yh), log.hi)),
      mul(y, log.lo));
  const tn_pair e = tn_fast_sum(t, first, second);
  tiny_uop *close = lt(tn_float_abs(t, plain), N(x, 2048));                // also: neither is infinite or NaN
  return mul(tn_exp_of(t, where(close, e.hi, plain), 0), where(close,
      add(mul(e.lo, N(x, 0.69314718055994531)), N(x, 1)), N(x, 1)));
}

// C17 F.10.4.4. f32 is computed in f64 where there is one.
static tiny_uop *tn_pow_of(tiny_ctx *t, tiny_uop *x, tiny_uop *y, int has_f64) {
  tiny_uop *size = tn_float_abs(t, x), *one = N(x, 1), *zero = N(x, 0), *p;
  if (x->dtype == TINY_F64 || !has_f64) p = tn_pow_abs(t, size, y);
  else p = cast(tn_exp_of(t, mul(cast(y, TINY_F64), tn_log2_value(t, cast(size, TINY_F64))), 0), x->dtype);
  tiny_uop *half = mul(y, N(y, 0.5)), *odd = and_(ne(tn_u1(t, TINY_OP_TRUNC, half), half),
      not_(ne(tn_u1(t, TINY_OP_TRUNC, y), y)));
  tiny_uop *fraction = ne(tn_u1(t, TINY_OP_TRUNC, y), y);  // NaN as well
  p = where(and_(lt(x, zero), and_(lt(N(x, -HUGE_VAL), x), fraction)), N(x, (double)NAN), p);
  // also 1^nan, (-1)^inf
  p = where(not_(ne(size, one)), where(and_(fraction, lt(x, zero)), N(x, (double)NAN), one), p);
  const tn_float_facts *f = tn_float_facts_of(x->dtype);
  tiny_uop *sign = and_(tn_bitcast(t, x, f->integer), tn_int(t, f->integer, x->dtype == TINY_F64 ? INT64_MIN
      : INT32_MIN));
  tiny_uop *negative = tn_bitcast(t, or_(tn_bitcast(t, p, f->integer), sign), x->dtype);
  return where(not_(ne(y, zero)), one, where(odd, negative, p));
}
#endif
