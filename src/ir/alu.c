// alu: the meaning of every arithmetic op, once. Constant folding and the interpreter both come here.
//
// Integers wrap to the dtype's width through unsigned arithmetic, division by zero gives 0
// (remainder: the dividend), shifts beyond the width give 0 (or the sign). Floats are computed in
// f64 and rounded once to the dtype, which is exact for + - * / sqrt of f32 and narrower
// (Figueroa, "When is double rounding innocuous?", 1995). MAX is NaN if either operand is;
// of zeros it is either, beside a constant the operand that is none: relu of -0 is -0.
#ifndef TN_IR_ALU
#define TN_IR_ALU
#ifndef TINY_AMALGAMATED
#include "fma.c"
#endif

// Threefry-2x32 with 20 rounds: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11, section 4.2.
static const int tn_threefry_rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
static uint32_t tn_threefry(uint32_t c0, uint32_t c1, uint32_t k0, uint32_t k1, int word) {
  const uint32_t key[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  uint32_t a = c0 + key[0], b = c1 + key[1];
  for (int group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      const int r = tn_threefry_rotations[group & 1][i];
      a += b;
      b = (b << r | b >> (32 - r)) ^ a;
    }
    a += key[(group + 1) % 3];
    b += key[(group + 2) % 3] + (uint32_t)group + 1;
  }
  return word ? b : a;
}

// Bits of EXP2's k: e^x; x is not above 0, or NaN; nor what it gives below 2^-184; few of its bits are looked at
// (codegen/rounded.c): what a device has of its own may be off by TN_EXP_ULPS, and by 2^-18 for e^x.
enum { TN_EXP_NATURAL = 1, TN_EXP_FALLING = 2, TN_EXP_BOUNDED = 4, TN_EXP_ROUNDED = 8, TN_EXP_BITS = 15 };
enum { TN_EXP_ULPS = 64 };                 // 2^-23 each

static double tn_alu_float(int op, int64_t k, double a, double b) {
  switch (op) {
    case TINY_OP_NEG: return -a;
    case TINY_OP_EXP2: return k & TN_EXP_NATURAL ? exp(a) : exp2(a);
    case TINY_OP_LOG2: return log2(a);
    case TINY_OP_SIN: return k ? cos(a) : sin(a);
    case TINY_OP_SQRT: return sqrt(a);
    case TINY_OP_TRUNC: return trunc(a);
    case TINY_OP_ADD: return a + b;
    case TINY_OP_SUB: return a - b;
    case TINY_OP_MUL: return a * b;
    case TINY_OP_FDIV: return a / b;
    case TINY_OP_IDIV: return floor(a / b);
    case TINY_OP_MOD: { const double r = fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
    case TINY_OP_CDIV: return trunc(a / b);
    case TINY_OP_CMOD: return fmod(a, b);
    case TINY_OP_MAX: return b > a || b != b ? b : a;
    case TINY_OP_POW: return pow(a, b);
    default: return (double)NAN;
  }
}

static TN_NOINLINE int64_t tn_alu_cdiv(int d, int64_t a, int64_t b, int remainder) {
  if (b == 0) return remainder ? a : 0;
  if (d == TINY_U64) return (int64_t)(remainder ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
  if (b == -1) return remainder ? 0 : (int64_t)(0 - (uint64_t)a);   // INT64_MIN / -1 traps in C
  return remainder ? a % b : a / b;
}

static int64_t tn_alu_int(int op, int d, int64_t a, int64_t b) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  const int narrow = tn_bits(d);
  switch (op) {
    case TINY_OP_NEG: return (int64_t)(0 - x);
    case TINY_OP_ADD: return d == TINY_BOOL ? a | b : (int64_t)(x + y);
    case TINY_OP_SUB: return (int64_t)(x - y);
    case TINY_OP_MUL: return (int64_t)(x * y);
    case TINY_OP_CDIV: return tn_alu_cdiv(d, a, b, 0);
    case TINY_OP_CMOD: return tn_alu_cdiv(d, a, b, 1);
    case TINY_OP_IDIV: case TINY_OP_MOD: {
      int64_t r = tn_alu_cdiv(d, a, b, 1);
      const int adjust = !tn_is_unsigned(d) && b && r && (r < 0) != (b < 0);
      return op == TINY_OP_MOD ? r + (adjust ? b : 0) : tn_alu_cdiv(d, a, b, 0) - adjust;
    }
    case TINY_OP_MAX: return d == TINY_U64 ? (x > y ? a : b) : a > b ? a : b;
    case TINY_OP_AND: return a & b;
    case TINY_OP_OR: return a | b;
    case TINY_OP_XOR: return a ^ b;
    case TINY_OP_SHL: return y >= (uint64_t)narrow ? 0 : (int64_t)(x << y);
    case TINY_OP_SHR:
      if (tn_is_unsigned(d)) return y >= (uint64_t)narrow ? 0 : (int64_t)(x >> y);
      return y >= (uint64_t)narrow ? (a < 0 ? -1 : 0) : a >= 0 ? a >> y : ~(~a >> y);
    case TINY_OP_POW: {
      uint64_t r = 1, base = x;
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
      for (uint64_t e = y; e; e >>= 1) {
        if (e & 1) r *= base;
        base *= base;
      }
      return (int64_t)r;
    }
    case TINY_OP_TRUNC: return a;
    default: return 0;
  }
}

static int64_t tn_alu_compare(int op, int d, int64_t a, int64_t b) {
  if (tn_is_float(d)) {
    const double x = tn_to_f64(a), y = tn_to_f64(b);
    return op == TINY_OP_LT ? x < y : op == TINY_OP_NE ? x != y : x == y;
  }
  return op == TINY_OP_LT ? (d == TINY_U64 ? (uint64_t)a < (uint64_t)b : a < b) :
      op == TINY_OP_NE    ? a != b :
                            a == b;
}

// How many values share a word of a DOT.
static int tn_dot_values(int64_t k) { return k == TINY_DOT_BF16 || k == TINY_DOT_I16 ? 2 : 4; }

// c plus the products of the neighbours that the words a and b hold.
static int64_t tn_alu_dot(int64_t k, uint32_t a, uint32_t b, int64_t c) {
  if (k == TINY_DOT_I16) {
    uint32_t sum = (uint32_t)c;
    for (int i = 0; i < 32; i += 16)
      sum += (uint32_t)((int32_t)((a >> i & 65535) ^ 32768) - 32768) * (((b >> i & 65535) ^ 32768) - 32768);
    return tn_dtype_wrap(TINY_I32, sum);
  }
  if (tn_dot_values(k) == 4) {
    const uint32_t x = k == TINY_DOT_I8 ? 128 : 0, y = k == TINY_DOT_U8 ? 0 : 128;     // the signs
    uint32_t sum = (uint32_t)c;
    for (int i = 0; i < 32; i += 8) sum += (((a >> i & 255) ^ x) - x) * (((b >> i & 255) ^ y) - y);
    return tn_dtype_wrap(TINY_I32, sum);
  }
  double sum = tn_to_f64(c);
  for (int i = 0; i < 32; i += 16) {
    const uint16_t x = (uint16_t)(a >> i), y = (uint16_t)(b >> i);
    sum += tn_to_f64(tn_dtype_load(TINY_BF16, &x)) * tn_to_f64(tn_dtype_load(TINY_BF16, &y));
  }
  return tn_from_f64(tn_dtype_round(TINY_F32, sum));
}

// The value of op on constants. from: dtype of the first source (of the operands of comparisons; of what a cast
// converts); d: dtype of the result; k: the node's own k; v: values of the sources.
static int64_t tn_alu(int op, int d, int from, int64_t k, const int64_t *v, int nsrc) {
  const int64_t a = v[0], b = nsrc > 1 ? v[1] : 0, c = nsrc > 2 ? v[2] : 0;
  switch (op) {
    case TINY_OP_CAST: return tn_dtype_convert(d, from, a);
    case TINY_OP_BITCAST: {
      unsigned char raw[8] = {0};
      tn_dtype_store(from, raw, a);
      return tn_dtype_load(d, raw);
    }
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: return tn_alu_compare(op, from, a, b);
    case TINY_OP_WHERE: return a ? b : c;
    case TINY_OP_FMA: return tn_from_f64(tn_fma(d, tn_to_f64(a), tn_to_f64(b), tn_to_f64(c)));
    case TINY_OP_DOT: return tn_alu_dot(k, (uint32_t)a, (uint32_t)b, c);
    case TINY_OP_THREEFRY: return tn_threefry((uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)v[3], (int)k);
    default: break;
  }
  if (!tn_is_float(d)) return tn_dtype_wrap(d, tn_alu_int(op, d, a, b));
  return tn_from_f64(tn_dtype_round(d, tn_alu_float(op, k, tn_to_f64(a), tn_to_f64(b))));
}
#endif
