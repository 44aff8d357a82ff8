// dtype: what the element types are: sizes, names, classes, promotion, and the one form that values have in the IR.
//
// A value travels as an int64 "k": bools and integers as themselves (u64 by its bits), floats as
// the bits of an f64 that the dtype can hold exactly. tn_dtype_wrap and tn_dtype_round bring any
// result back into a dtype; tn_dtype_load and tn_dtype_store go between k and memory.
#ifndef TN_IR_DTYPE
#define TN_IR_DTYPE
#ifndef TINY_AMALGAMATED
#include "../base/text.c"
#endif

// name, bytes, class ('b'ool, 's'igned, 'u'nsigned, 'f'loat); of floats: mantissa bits, least normal exponent, and 1
// if there is no infinity and the code of all ones alone is NaN (Micikevicius et al., "FP8 formats for deep learning",
// arXiv:2209.05433, table 1).
typedef struct tn_dtype_row {
  const char *name;
  uint8_t nbytes;
  char kind;
  uint8_t mantissa;
  int16_t least;
  uint8_t finite;
} tn_dtype_row;
static const tn_dtype_row tn_dtypes[] = {
  {"void", 0, 'v', 0, 0, 0}, {"bool", 1, 'b', 0, 0, 0},
  {"i8", 1, 's', 0, 0, 0}, {"u8", 1, 'u', 0, 0, 0}, {"i16", 2, 's', 0, 0, 0}, {"u16", 2, 'u', 0, 0, 0},
  {"i32", 4, 's', 0, 0, 0}, {"u32", 4, 'u', 0, 0, 0}, {"i64", 8, 's', 0, 0, 0}, {"u64", 8, 'u', 0, 0, 0},
  {"f8e4m3", 1, 'f', 3, -6, 1}, {"f8e5m2", 1, 'f', 2, -14, 0},
  {"f16", 2, 'f', 10, -14, 0}, {"bf16", 2, 'f', 7, -126, 0},
  {"f32", 4, 'f', 23, -126, 0}, {"f64", 8, 'f', 52, -1022, 0},
  {"index", 8, 's', 0, 0, 0},
};
typedef char tn_dtypes_has_all[sizeof tn_dtypes / sizeof *tn_dtypes == (size_t)TINY_DTYPE_COUNT ? 1 : -1];

static int tn_dtype_valid(int d) { return d > TINY_VOID && d < TINY_INDEX; }
static int tn_is_float(int d) { return tn_dtypes[d].kind == 'f'; }
// A float that is computed in f32: fp8, f16, bf16.
static int tn_is_narrow(int d) { return tn_is_float(d) && tn_dtypes[d].nbytes < 4; }
static int tn_is_signed(int d) { return tn_dtypes[d].kind == 's'; }
static int tn_is_unsigned(int d) { return tn_dtypes[d].kind == 'u'; }
static int tn_is_int(int d) { return tn_is_signed(d) || tn_is_unsigned(d); }
static int tn_bits(int d) { return tn_dtypes[d].nbytes * 8; }
static int tn_integer_of(int d) {          // the signed integer of its width
  switch (tn_bits(d)) {
    case 8: return TINY_I8;
    case 16: return TINY_I16;
    case 64: return TINY_I64;
    default: return TINY_I32;
  }
}

TINY_API size_t tiny_dtype_nbytes(tiny_dtype d) {
  return (unsigned)d < TINY_DTYPE_COUNT ? tn_dtypes[d].nbytes : 0;
}
TINY_API const char *tiny_dtype_name(tiny_dtype d) {
  return (unsigned)d < TINY_DTYPE_COUNT ? tn_dtypes[d].name : "?";
}

#ifndef TINY_RUNTIME_ONLY
// PyTorch's lattice (torch.promote_types): bool < integers < floats; signed with unsigned gives the next wider signed,
// u64 with signed f32; f16 with bf16 gives f32. The two kinds of fp8, which PyTorch does not promote, give f16, which
// holds both; fp8 with a wider float gives that.
TINY_API tiny_dtype tiny_promote(tiny_dtype a, tiny_dtype b) {
  if ((unsigned)a >= TINY_DTYPE_COUNT || (unsigned)b >= TINY_DTYPE_COUNT) return TINY_VOID;
  if (a == b) return a;
  if (a > b) { const tiny_dtype c = a; a = b; b = c; }
  if (a == TINY_VOID || a == TINY_BOOL || b == TINY_INDEX) return b;
  if (tn_is_float(b))
    return a == TINY_F16 && b == TINY_BF16 ? TINY_F32 : tn_is_float(a) && tn_bits(b) == 8 ? TINY_F16 : b;
  if (tn_is_signed(b) || tn_is_unsigned(a)) return b;    // b is at least as wide, and holds a
  if (b == TINY_U64) return TINY_F32;
  return tn_bits(a) > tn_bits(b) ? a : (tiny_dtype)(b + 1);   // the signed type after an unsigned one is the next wider
}
#endif

// ** values **

static double tn_to_f64(int64_t k) { return tn_float_of_bits((uint64_t)k); }
static int64_t tn_from_f64(double d) {
  const uint64_t bits = tn_float_bits(d), nan = (uint64_t)0x7FF8 << 48;
  return (int64_t)(bits << 1 > (uint64_t)0xFFE << 52 ? nan : bits);   // one NaN: equal constants are one node
}

static int64_t tn_dtype_wrap(int d, int64_t k) {
  switch (d) {
    case TINY_BOOL: return k != 0;
    case TINY_I8: return (int64_t)(((uint64_t)k & 0xFF) ^ 0x80) - 0x80;
    case TINY_U8: return k & 0xFF;
    case TINY_I16: return (int64_t)(((uint64_t)k & 0xFFFF) ^ 0x8000) - 0x8000;
    case TINY_U16: return k & 0xFFFF;
    case TINY_I32: return (int64_t)(((uint64_t)k & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000ll;
    case TINY_U32: return k & 0xFFFFFFFF;
    default: return k;
  }
}

// The greatest number of a float dtype, and what numbers beyond it become.
static double tn_float_top(int d) {
  const tn_dtype_row *r = &tn_dtypes[d];
  return ldexp(2 - ldexp(1, r->finite - r->mantissa), 1 + r->finite - r->least);
}
static double tn_float_beyond(int d) { return tn_dtypes[d].finite ? (double)NAN : HUGE_VAL; }

// Round to nearest, ties to even, into a float dtype; overflow gives inf, or NaN where there is no inf. On bits: a
// carry out of the fraction goes into the exponent, as it should.
static double tn_dtype_round(int d, double x) {
  const tn_dtype_row *r = &tn_dtypes[d];
  const uint64_t sign = tn_float_bits(x) & (uint64_t)1 << 63, inf = (uint64_t)2047 << 52;
  uint64_t size = tn_float_bits(x) ^ sign;
  if (d == TINY_F64 || size > inf) return x;
  if (size == inf) return r->finite ? (double)NAN : x;
  const int e = (int)(size >> 52) - 1023, drop = 52 - r->mantissa + (e < r->least ? r->least - e : 0);
  if (drop > 53) size = 0;                 // below half of the least number
  else if (drop == 53) size = size << 12 ? (uint64_t)(e + 1024) << 52 : 0;         // from half of it on
  else {
    const uint64_t odd = drop == 52 ? 1 : size >> drop & 1;  // the leading bit is not written
    size = (size + ((uint64_t)1 << (drop - 1)) - 1 + odd) >> drop << drop;
  }
  if ((int)(size >> 52) - 1023 > -r->least && size > tn_float_bits(tn_float_top(d)))
    return sign ? -tn_float_beyond(d) : tn_float_beyond(d);
  return tn_float_of_bits(sign | size);
}

// Codes of a narrow float: its sign bit, the first code above all numbers, and NaN.
static int tn_code_sign(int d) { return 1 << (tn_bits(d) - 1); }
static int tn_code_end(int d) {
  const int m = tn_dtypes[d].mantissa, ones = tn_code_sign(d) - 1;
  return tn_dtypes[d].finite ? ones : (ones >> m) << m;
}
static int tn_code_nan(int d) {
  return tn_code_end(d) | (tn_dtypes[d].finite ? 0 : 1 << (tn_dtypes[d].mantissa - 1));
}
// The code of a value that a narrow float can hold.
static uint16_t tn_dtype_pack(int d, double x) {
  const tn_dtype_row *r = &tn_dtypes[d];
  const int sign = tn_float_bits(x) >> 63 ? tn_code_sign(d) : 0;
  if (x != x) return (uint16_t)tn_code_nan(d);
  x = fabs(x);
  if (x == HUGE_VAL) return (uint16_t)(sign | tn_code_end(d));
  if (x < ldexp(1.0, r->least)) return (uint16_t)(sign | (int)ldexp(x, r->mantissa - r->least));
  const int e = ilogb(x), fraction = (int)(ldexp(x, r->mantissa - e) - ldexp(1.0, r->mantissa));
  return (uint16_t)(sign | (e - r->least + 1) << r->mantissa | fraction);
}
static double tn_dtype_unpack(int d, uint16_t code) {
  const tn_dtype_row *r = &tn_dtypes[d];
  const int size = code & (tn_code_sign(d) - 1), end = tn_code_end(d), e = size >> r->mantissa,
            fraction = size & ((1 << r->mantissa) - 1);
  const double x = size >= end ? (size > end ? (double)NAN : tn_float_beyond(d)) :
      e                        ? ldexp(fraction + (1 << r->mantissa), e - 1 + r->least - r->mantissa) :
                                 ldexp(fraction, r->least - r->mantissa);
  return code & tn_code_sign(d) ? -x : x;
}

static int64_t tn_dtype_load(int d, const void *p) {
  if (tn_is_narrow(d)) {
    uint16_t code = *(const uint8_t *)p;
    if (tn_bits(d) == 16) memcpy(&code, p, 2);
    return tn_from_f64(tn_dtype_unpack(d, code));
  }
  switch (d) {
    case TINY_BOOL: return *(const uint8_t *)p != 0;
    case TINY_U8: return *(const uint8_t *)p;
    case TINY_I8: return *(const int8_t *)p;
    case TINY_F32: { float f; memcpy(&f, p, 4); return tn_from_f64(f); }
    case TINY_F64: { double f; memcpy(&f, p, 8); return tn_from_f64(f); }
    case TINY_I16: case TINY_U16: { uint16_t b; memcpy(&b, p, 2); return tn_dtype_wrap(d, b); }
    case TINY_I32: case TINY_U32: { uint32_t b; memcpy(&b, p, 4); return tn_dtype_wrap(d, b); }
    default: { int64_t k; memcpy(&k, p, 8); return k; }
  }
}
static void tn_dtype_store(int d, void *p, int64_t k) {
  if (tn_is_narrow(d)) k = tn_dtype_pack(d, tn_to_f64(k));
  if (d == TINY_F32) {
    const float f = (float)tn_to_f64(k);
    memcpy(p, &f, 4);
  } else if (tn_bits(d) == 8) {
    const uint8_t b = (uint8_t)k;
    memcpy(p, &b, 1);
  } else if (tn_bits(d) == 16) {
    const uint16_t b = (uint16_t)k;
    memcpy(p, &b, 2);
  } else if (tn_bits(d) == 32) {
    const uint32_t b = (uint32_t)k;
    memcpy(p, &b, 4);
  } else memcpy(p, &k, 8);
}

// Conversion of a value between dtypes: floats to integers truncate and saturate, NaN gives 0; integers wrap.
static int64_t tn_dtype_convert(int to, int from, int64_t k) {
  if (to == from) return k;
  if (tn_is_float(from)) {
    const double x = tn_to_f64(k);
    if (tn_is_float(to)) return tn_from_f64(tn_dtype_round(to, x));
    if (to == TINY_BOOL) return x != 0;
    if (x != x) return 0;
    const int bits = tn_bits(to) - (tn_is_unsigned(to) ? 0 : 1);
    const double top = ldexp(1.0, bits), low = tn_is_unsigned(to) ? 0.0 : -top;
    if (x >= top) return tn_is_unsigned(to) ? tn_dtype_wrap(to, -1) : (int64_t)(((uint64_t)1 << bits) - 1);
    if (x <= low) return tn_is_unsigned(to) ? 0 : (int64_t)(0 - ((uint64_t)1 << bits));
    return to == TINY_U64 ? (int64_t)(uint64_t)x : (int64_t)x;
  }
  if (tn_is_float(to)) {
    if (to == TINY_F32) return tn_from_f64(from == TINY_U64 ? (float)(uint64_t)k : (float)k);   // one rounding, not two
    return tn_from_f64(tn_dtype_round(to, from == TINY_U64 ? (double)(uint64_t)k : (double)k));
  }
  return tn_dtype_wrap(to, k);
}

// A C double as a value of dtype d, in whatever mode the thread is.
static int64_t tn_dtype_value(int d, double x) {
  if (tn_is_float(d)) return tn_from_f64(tn_dtype_round(d, x));
  TN_FLOAT_MODE;
  return tn_dtype_convert(d, TINY_F64, tn_from_f64(x));
}

// The least and greatest value of an integer dtype, as far as int64 can tell (u64 ends at INT64_MAX here).
static int64_t tn_dtype_min(int d) {
  return d == TINY_BOOL || tn_is_unsigned(d) ? 0 :
      tn_is_int(d) && tn_bits(d) < 64        ? -((int64_t)1 << (tn_bits(d) - 1)) :
                                               INT64_MIN;
}
static int64_t tn_dtype_max(int d) {
  if (d == TINY_BOOL) return 1;
  const int bits = tn_bits(d) - (tn_is_unsigned(d) ? 0 : 1);
  return tn_is_int(d) && bits < 63 ? ((int64_t)1 << bits) - 1 : INT64_MAX;
}
// What no value of d is below, the identity of MAX: -inf of floats that have it.
static int64_t tn_lowest(int d) {
  if (!tn_is_float(d)) return tn_dtype_min(d);
  return tn_from_f64(tn_dtypes[d].finite ? -tn_float_top(d) : -HUGE_VAL);
}
#endif
