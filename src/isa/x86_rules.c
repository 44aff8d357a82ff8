// x86_rules: what a level has no instruction for, by other nodes, as algebra.
//
// In:  a node that selection finds no instruction for. Out: what it is instead; NULL: it goes element by element.
// Holds: the value is the same to the bit; every step gives nodes that are nearer to what SSE2 has. Vectors and scalars
//        are alike: which of them a level lacks, selection knows.
// Sources: the sums for conversions are exact but for the last, which rounds once: Hacker's Delight, 2nd ed., 17.
#ifndef TN_ISA_X86_RULES
#define TN_ISA_X86_RULES
#ifndef TINY_AMALGAMATED
#include "../rules/notation.c"
#endif

static tiny_uop *tn_x86_as(tiny_ctx *t, tiny_uop *x, int dtype) {
  return x->dtype == dtype ? x : tn_uop_make(t, TINY_OP_BITCAST, dtype, x->lanes, 1, &x, 0, 0, NULL);
}
static int tn_x86_signed_of(int dtype) {
  switch (tn_dtypes[dtype].nbytes) {
    case 1: return TINY_I8;
    case 2: return TINY_I16;
    case 4: return TINY_I32;
    default: return TINY_I64;
  }
}
// Only the top bit of x's type.
static int64_t tn_x86_top(const tiny_uop *x) {
  return tn_dtype_wrap(x->dtype, (int64_t)((uint64_t)1 << (tn_bits(x->dtype) - 1)));
}
static tiny_uop *tn_x86_flipped(tiny_ctx *t, tiny_uop *x) {
  return tn_x86_as(t, xor_(x, K(x, tn_x86_top(x))), tn_x86_signed_of(x->dtype));
}
static int tn_x86_is_less_than_four(int dtype) { return tn_is_int(dtype) && tn_dtypes[dtype].nbytes < 4; }

RULES(tn_x86_rules, x, y)
  // comparisons
  RULE("(EQ x:b y)")  return not_(xor_(x, y));
  RULE("(LT x:b y)")  return and_(not_(x), y);
  RULE("(NE x y)")    return not_(op2(TINY_OP_EQ, x, y));
  RULE("(LT x:i y)")  {                    // without signs: with the top bits turned round
    if (!tn_is_unsigned(x->dtype)) return NULL;
    return lt(tn_x86_flipped(t, x), tn_x86_flipped(t, y));
  }
  // products and shifts
  RULE("(MUL x:i y)") {
    const int wide = tn_is_signed(x->dtype) ? TINY_I16 : TINY_U16;
    if (tn_dtypes[x->dtype].nbytes != 1) return NULL;
    return cast(mul(cast(x, wide), cast(y, wide)), x->dtype);
  }
  RULE("(SHL|SHR x:i y)") {
    const int wide = tn_is_signed(x->dtype) ? TINY_I32 : TINY_U32;
    if (!tn_x86_is_less_than_four(x->dtype)) return NULL;
    return cast(op2(r->op, cast(x, wide), cast(y, wide)), x->dtype);
  }
  // what is not in between: numbers from 2^23, or 2^52, on are whole; the sign is kept, also that of 0
  RULE("(TRUNC x:f)") {
    const int f64 = x->dtype == TINY_F64, ints = f64 ? TINY_I64 : TINY_I32;
    if (!f64 && x->dtype != TINY_F32) return NULL;
    tiny_uop *const bits = tn_x86_as(t, x, ints), *const top = K(bits, tn_x86_top(bits));
    tiny_uop *const whole = tn_x86_as(t, cast(cast(x, ints), x->dtype), ints);
    tiny_uop *const size = tn_x86_as(t, and_(bits, K(bits, ~tn_x86_top(bits))), x->dtype);
    return where(lt(size, N(x, f64 ? 4503599627370496.0 : 8388608.0)),
                 tn_x86_as(t, or_(whole, and_(bits, top)), x->dtype), x);
  }
  // conversions
  RULE("(CAST x:b)")  return where(x, tn_number(t, r->dtype, 1), tn_number(t, r->dtype, 0));
  RULE("(CAST x:u32)") {
    if (r->dtype == TINY_F64) {
      tiny_uop *const less = cast(tn_x86_flipped(t, x), TINY_F64);
      return add(less, N(less, 2147483648.0));
    }
    if (r->dtype != TINY_F32) return NULL;
    tiny_uop *const high = cast(tn_x86_as(t, shr(x, K(x, 16)), TINY_I32), TINY_F32);
    tiny_uop *const low = cast(tn_x86_as(t, and_(x, K(x, 0xFFFF)), TINY_I32), TINY_F32);
    return add(mul(high, N(high, 65536)), low);
  }
  RULE("(CAST x:i64)") {                   // halves, which f64 has exactly: their sum is rounded once
    if (r->dtype != TINY_F64) return NULL;
    tiny_uop *const bits = tn_x86_as(t, x, TINY_U64);
    tiny_uop *const high = cast(tn_x86_as(t, cast(shr(bits, K(bits, 32)), TINY_U32), TINY_I32), TINY_F64);
    return add(mul(high, N(high, 4294967296.0)), cast(cast(bits, TINY_U32), TINY_F64));
  }
  RULE("(CAST x:u64)") {                   // half of what is too large, whose lowest bit is not forgotten, twice
    if (x->lanes > 1 || !tn_is_float(r->dtype)) return NULL;
    tiny_uop *const whole = tn_x86_as(t, x, TINY_I64), *const halved = or_(shr(x, K(x, 1)), and_(x, K(x, 1)));
    tiny_uop *const half = cast(tn_x86_as(t, halved, TINY_I64), r->dtype);
    return where(lt(whole, K(whole, 0)), add(half, half), cast(whole, r->dtype));
  }
  RULE("(CAST x:i)")  {
    if (!tn_is_float(r->dtype) || !tn_x86_is_less_than_four(x->dtype)) return NULL;
    return cast(cast(x, TINY_I32), r->dtype);
  }
RULES_END

// What holds of lists: a number by which is shifted is below the width, and a float that becomes an integer is one of
// those that the type has (rules/decompose.c).
RULES(tn_x86_rules_of_lists, x, y)
  USE(tn_x86_rules)
  RULE("(SHR x:i64 y)") {                  // by the sign: ((x >> y) ^ m) - m without, m what became of the top bit
    tiny_uop *const bits = tn_x86_as(t, x, TINY_U64), *const by = tn_x86_as(t, y, TINY_U64);
    tiny_uop *const m = shr(K(bits, tn_x86_top(bits)), by);
    return tn_x86_as(t, sub(xor_(shr(bits, by), m), m), TINY_I64);
  }
  RULE("(CAST x:f)")  {
    const int u32 = r->dtype == TINY_U32, u64 = r->dtype == TINY_U64 && r->lanes == 1;
    if (tn_x86_is_less_than_four(r->dtype)) return cast(cast(x, TINY_I32), r->dtype);
    if (!u32 && !u64) return NULL;
    const int ints = u32 ? TINY_I32 : TINY_I64;
    tiny_uop *const half = N(x, u32 ? 2147483648.0 : 9223372036854775808.0);
    tiny_uop *const high = cast(sub(x, half), ints), *const top = K(high, tn_x86_top(high));
    return tn_x86_as(t, where(lt(x, half), cast(x, ints), xor_(high, top)), r->dtype);
  }
RULES_END

// To BOOL a number is whether it is not 0, whatever the number is; a set tells types of results by no pattern.
static tiny_uop *tn_x86_instead(tiny_ctx *t, tiny_uop *u) {
  int fired;
  if (u->op == TINY_OP_CAST && u->dtype == TINY_BOOL) {
    tiny_uop *const x = u->src[0];
    return ne(x, tn_number(t, x->dtype, 0));
  }
  const int set = tn_rules_find(t, tn_x86_rules_of_lists);
  return set < 0 ? NULL : tn_match_apply(t, set, u, NULL, &fired);
}
#endif
