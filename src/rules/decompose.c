// decompose: from what the IR means to what a target can do. Late: the last algebra before linearising.
//
// In:  a lowered kernel and a tn_target. Out: the same values in ops that the target has (renderer->ops[op] is not 0),
//      in dtypes that it has, without traps and without what C leaves undefined:
//  - no INDEX dtype: every node of it became I32 where its bounds and those of its sources fit, else I64
//  - bools only from comparisons, logic, WHERE and CONST: in memory, casts and lane ops they are u8
//  - fp8, f16 and bf16 without arithmetic: computed in f32 and rounded after every op, as tn_alu does; not even
//    stored (not in renderer->dtypes): u8 or u16 bits everywhere; of renderer->casts values are between a BITCAST of
//    those and a CAST
//  - floats to integers saturate, shifts stay below the width, divisors are not 0, the least integer is not
//    divided by -1; each unless bounds or the target's flags say that there is nothing to guard
//  - sources of ALU ops have as many lanes as the op, but for the condition of WHERE, which may have one
// A renderer of NULL (the interpreter) takes everything as it is.
#ifndef TN_RULES_DECOMPOSE
#define TN_RULES_DECOMPOSE
#ifndef TINY_AMALGAMATED
#include "../ir/kernel.c"
#include "../ir/target.c"
#include "transcendental.c"
#endif

static int tn_lacks(const void *target, int op) { return !((const tn_target *)target)->renderer->ops[op]; }
static int tn_does(const void *target, uint32_t flag) { return tn_target_has((const tn_target *)target, flag); }
static int tn_has_dtype(const void *target, int d) {
  return (int)(((const tn_target *)target)->renderer->dtypes >> d & 1);
}
static int tn_lacks_dtype(const void *target, int d) {                     // its arithmetic
  const tiny_limits *limits = ((const tn_target *)target)->limits;
  return tn_is_narrow(d) && (!tn_has_dtype(target, d) || (limits->dtypes && !(limits->dtypes >> d & 1)));
}
// The op of narrow floats that a target has: it gives what rounding f32's gives, which has more than twice the bits
// (Figueroa, "When is double rounding innocuous?", SIGNUM 30, 1995). Of zeros of two signs MAX by a constant has the
// first, as wide ones have.
static int tn_computes_narrow(const void *target, const tiny_uop *r) {
  const int known = r->op == TINY_OP_ADD || r->op == TINY_OP_SUB || r->op == TINY_OP_MUL || r->op == TINY_OP_NEG ||
      (r->op == TINY_OP_MAX && !tn_is_constants(r->src[0]) && !tn_is_constants(r->src[1]));
  return known && ((const tn_target *)target)->renderer->narrow >> r->dtype & 1;
}
static int tn_casts_narrow(const void *target, int d) {      // those that it does not store
  return (int)(((const tn_target *)target)->renderer->casts >> d & 1);
}
static int tn_is_stored(const void *target, int d) {
  return d != TINY_BOOL && (!tn_is_narrow(d) || tn_has_dtype(target, d));
}
static int tn_storage_dtype(const void *target, int d) {                         // what a dtype is in memory
  return tn_is_stored(target, d) ? d : tn_bits(d) == 8 ? (int)TINY_U8 : (int)TINY_U16;
}

// ** index arithmetic in a real integer type **

// now.u[u->seq]: what u is now; most: the widest integer that there is
typedef struct tn_widths { tiny_ctx *t; tn_list now; int most; } tn_widths;

static tiny_uop *tn_index_source(tn_widths *w, tiny_uop *x, int dtype) {
  tiny_uop *now = w->now.u[x->seq];
  if (x->dtype != TINY_INDEX || now->dtype == dtype || dtype == TINY_VOID) return now;
  return tn_is_const(now) ? tn_int(w->t, dtype, now->k) : tn_cast(w->t, now, dtype);
}

static int tn_fits_i32(const tiny_uop *u) { return u->vmin >= INT32_MIN && u->vmax <= INT32_MAX; }

// The dtype in which u's INDEX sources meet: I64 when u or one of them does not fit. Where there is none they wrap: no
// element of memory that such a device has is so far out, only what numbers from memory name and is not there.
static int tn_index_width(tn_widths *w, const tiny_uop *u) {
  int wide = u->dtype == TINY_INDEX && (!tn_fits_i32(u) || u->op == TINY_OP_DEFINE ||
      u->op == TINY_OP_PARAM || u->op == TINY_OP_LOAD);
  for (uint32_t i = 0; i < u->nsrc; i++)
    if (u->src[i]->dtype == TINY_INDEX)
      wide |= w->now.u[u->src[i]->seq]->dtype == TINY_I64;
  return wide ? w->most : (int)TINY_I32;
}

static tiny_uop *tn_index_node(tn_widths *w, tiny_uop *u) {
  const int meets = tn_op_is(u->op, TINY_ALU) || u->op == TINY_OP_STACK || u->op == TINY_OP_RANGE ||
      u->op == TINY_OP_SPECIAL;
  const int width = tn_index_width(w, u), dtype = u->dtype == TINY_INDEX ? width : u->dtype;
  tiny_uop **src = (tiny_uop **)tn_scratch(w->t, (u->nsrc + 1) * sizeof *src);
  const int common = meets || u->dtype == TINY_INDEX ? width : (int)TINY_VOID;
  for (uint32_t i = 0; i < u->nsrc; i++) src[i] = tn_index_source(w, u->src[i], common);
  if (u->op == TINY_OP_CAST) return tn_cast(w->t, src[0], dtype);
  if (u->op == TINY_OP_CONST && dtype == TINY_I32 && !tn_fits_i32(u))
    tiny_fail(w->t, TINY_E_COMPILE, "an index of %lld, but the device has no i64", (long long)u->k);
  if (u->op == TINY_OP_CONST) return tn_int(w->t, dtype, u->k);
  return tn_uop_make_with(w->t, u->op, dtype, u->lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
}

// ** bits of narrow floats, as u32 **

// f32 -> a float of fewer exponents and m bits of fraction, to nearest even. Below its normals the sum with a power of
// two rounds at the unit of its subnormals. Beyond its numbers: inf, or NaN where there is none.
static tiny_uop *tn_pack_float(tiny_ctx *t, tiny_uop *x, int dtype) {
  const tn_dtype_row *row = &tn_dtypes[dtype];
  const int drop = 23 - row->mantissa, bias = 126 + row->least, lift = row->least + drop;
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *size = and_(bits, K(bits, 0x7FFFFFFF)), *by = K(bits, drop);
  tiny_uop *sign = and_(shr(bits, K(bits, 32 - tn_bits(dtype))), K(bits, tn_code_sign(dtype)));
  tiny_uop *round = K(bits, (1 << (drop - 1)) - 1 - (bias << 23));
  tiny_uop *normal = shr(add(size, add(and_(shr(size, by), K(bits, 1)), round)), by);
  tiny_uop *lifted = add(tn_bitcast(t, size, TINY_F32), N(x, ldexp(1, lift))),
      *tiny = sub(tn_bitcast(t, lifted, TINY_U32), K(bits, (int64_t)(127 + lift) << 23));
  tiny_uop *special = where(lt(K(bits, 0x7F800000), size), K(bits, tn_code_nan(dtype)), K(bits, tn_code_end(dtype)));
  const int64_t last = ((int64_t)tn_code_end(dtype) << drop) + ((int64_t)bias << 23);    // rounds to the end or above
  return or_(sign, where(lt(size, K(bits, (int64_t)(bias + 1) << 23)), tiny,
      where(lt(size, K(bits, last)), normal, special)));
}
static tiny_uop *tn_unpack_float(tiny_ctx *t, tiny_uop *h, int dtype) {
  const int drop = 23 - tn_dtypes[dtype].mantissa;
  tiny_uop *size = shl(and_(h, K(h, tn_code_sign(dtype) - 1)), K(h, drop)),
      *sign = shl(and_(h, K(h, tn_code_sign(dtype))), K(h, 32 - tn_bits(dtype)));
  tiny_uop *number = tn_bitcast(t, size, TINY_F32);
  // exact, of subnormals too
  tiny_uop *finite = tn_bitcast(t, mul(number, N(number, ldexp(1, 126 + tn_dtypes[dtype].least))), TINY_U32);
  tiny_uop *is_number = lt(size, K(h, (int64_t)tn_code_end(dtype) << drop));
  return tn_bitcast(t, or_(sign, where(is_number, finite, or_(size, K(h, 0x7F800000)))), TINY_F32);
}
static tiny_uop *tn_pack_bf16(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *half = K(bits, 16);
  tiny_uop *rounded = shr(add(bits, add(and_(shr(bits, half), K(bits, 1)), K(bits, 0x7FFF))), half);
  return where(lt(K(bits, 0x7F800000), and_(bits, K(bits, 0x7FFFFFFF))), K(bits, 0x7FC0), rounded);
}
static tiny_uop *tn_unpack_bf16(tiny_ctx *t, tiny_uop *h) { return tn_bitcast(t, shl(h, K(h, 16)), TINY_F32);
    }

// f64 -> f32 "to odd": an inexact result has its last bit set, so that rounding it again to a narrow float is
// as good as rounding once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008, theorem 1).
static tiny_uop *tn_round_odd(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *y = cast(x, TINY_F32), *back = cast(y, TINY_F64), *bits = tn_bitcast(t, y, TINY_U32);
  tiny_uop *away = lt(tn_float_abs(t, x), tn_float_abs(t, back));
  tiny_uop *odd = or_(sub(bits, where(away, K(bits, 1), K(bits, 0))), K(bits, 1));
  return where(ne(back, x), where(ne(x, x), y, tn_bitcast(t, odd, TINY_F32)), y);
}
// The same of integers, for targets without f64. Beyond the integers the cast back saturates, which is as far away.
static tiny_uop *tn_round_odd_integer(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *y = cast(x, TINY_F32), *back = cast(y, x->dtype), *bits = tn_bitcast(t, y, TINY_U32);
  tiny_uop *away = where(lt(x, K(x, 0)), lt(back, x), lt(x, back));
  tiny_uop *odd = or_(sub(bits, where(away, K(bits, 1), K(bits, 0))), K(bits, 1));
  return where(ne(back, x), tn_bitcast(t, odd, TINY_F32), y);
}

static tiny_uop *tn_pack_narrow(tiny_ctx *t, tiny_uop *x, int dtype) {
  return dtype == TINY_BF16 ? tn_pack_bf16(t, x) : tn_pack_float(t, x, dtype);
}
static tiny_uop *tn_unpack_narrow(tiny_ctx *t, tiny_uop *h, int dtype) {
  return dtype == TINY_BF16 ? tn_unpack_bf16(t, h) : tn_unpack_float(t, h, dtype);
}

// A value as memory holds it, and the other way.
static tiny_uop *tn_to_storage(tiny_ctx *t, const void *target, tiny_uop *x) {
  const int d = tn_storage_dtype(target, x->dtype);
  if (x->dtype == TINY_BOOL) return where(x, tn_int(t, d, 1), tn_int(t, d, 0));
  return d == x->dtype ? x : tn_bitcast(t, x, d);
}
static tiny_uop *tn_from_storage(tiny_ctx *t, tiny_uop *x, int dtype) {
  if (dtype == TINY_BOOL) return ne(x, K(x, 0));
  return x->dtype == dtype ? x : tn_bitcast(t, x, dtype);
}

// The same op on stored values, and its result as the value it stands for. k may differ (folds of bools).
static tiny_uop *tn_in_storage(tiny_ctx *t, const void *target, const tiny_uop *r, int64_t k) {
  const int d = tn_storage_dtype(target, r->dtype);
  if (d == r->dtype) return NULL;
  tiny_uop **src = (tiny_uop **)tn_scratch(t, (r->nsrc + 1) * sizeof *src);
  for (uint32_t i = 0; i < r->nsrc; i++) {
    const int condition = r->op == TINY_OP_WHERE && i == 0;
    src[i] = r->src[i]->dtype == r->dtype && !condition ? tn_to_storage(t, target, r->src[i]) : r->src[i];
  }
  return tn_from_storage(t, tn_uop_make(t, r->op, d, r->lanes, (int)r->nsrc, src, k, r->nv, r->v), r->dtype);
}

static tiny_uop *tn_with_dtype(tiny_ctx *t, const tiny_uop *r, int dtype) {
  return tn_uop_make_with(t, r->op, dtype, r->lanes, (int)r->nsrc, r->src, r->k, r->nv, r->v, r->ptr);
}

RULES(tn_rules_storage, x, y, z)
  RULE("(PARAM|DEFINE)") {
    const int d = tn_storage_dtype(ctx, r->dtype);
    return d == r->dtype ? NULL : tn_with_dtype(t, r, d);
  }
  RULE("(ARG)") {
    const int d = tn_storage_dtype(ctx, r->dtype);
    return d == r->dtype ? NULL : tn_from_storage(t, tn_with_dtype(t, r, d), r->dtype);
  }
  RULE("(INDEX|AFTER x ...)")              return r->dtype == x->dtype || r->dtype == TINY_VOID ? NULL
      : tn_with_dtype(t, r, x->dtype);
  RULE("(LOAD x ...)") {
    if (x->dtype == r->dtype || x->op != TINY_OP_INDEX) return NULL;
    tiny_uop *src[2] = {x, r->nsrc > 1 ? tn_to_storage(t, ctx, r->src[1]) : NULL};
    return tn_from_storage(t, tn_uop_make(t, TINY_OP_LOAD, x->dtype, r->lanes, (int)r->nsrc, src, r->k, 0,
        NULL), r->dtype);
  }
  RULE("(STORE x y)") {
    tiny_uop *src[2] = {x, x->dtype == y->dtype ? y : tn_to_storage(t, ctx, y)};
    return src[1] == y ? NULL : tn_uop_make(t, TINY_OP_STORE, TINY_VOID, r->lanes, 2, src, r->k, 0, NULL);
  }
  RULE("(BROADCAST x:b)")                  return tn_is_const(x) ? NULL : tn_in_storage(t, ctx, r, r->k);
  RULE("(BROADCAST x:f)")                  return tn_in_storage(t, ctx, r, r->k);
  RULE("(STACK|PICK|SHUFFLE x ...)")       return tn_in_storage(t, ctx, r, r->k);
  RULE("(HREDUCE x:b)")                    return tn_in_storage(t, ctx, r, r->k == TINY_OP_MUL ||
      r->k == TINY_OP_AND ? TINY_OP_AND : TINY_OP_OR);
  RULE("(WHERE x y:f z)")                  return tn_in_storage(t, ctx, r, r->k);
  // ** the values themselves **
  RULE("(BITCAST (BITCAST x))")            return x->dtype == r->dtype ? x : tn_bitcast(t, x, r->dtype);
  RULE("(BITCAST:i (CAST:f x:f32))") {
    const int d = r->src[0]->dtype;
    return tn_is_stored(ctx, d) || tn_casts_narrow(ctx, d) ? NULL : cast(tn_pack_narrow(t, x, d), r->dtype);
  }
  RULE("(CAST:f32 x:f)")                   return tn_is_stored(ctx, x->dtype) || tn_casts_narrow(ctx, x->dtype) ? NULL
      : tn_unpack_narrow(t, cast(tn_to_storage(t, ctx, x), TINY_U32), x->dtype);
  RULE("(CAST x:f)")                       return tn_lacks_dtype(ctx, x->dtype) && r->dtype != TINY_F32
      ? cast(cast(x, TINY_F32), r->dtype) : NULL;
  RULE("(CAST:f x)") {
    if (x->dtype == TINY_F32 || x->dtype == TINY_BOOL || !tn_lacks_dtype(ctx, r->dtype)) return NULL;
    if (x->dtype == TINY_F64) return cast(tn_round_odd(t, x), r->dtype);
    if (tn_is_int(x->dtype) && tn_bits(x->dtype) > 16 && !tn_has_dtype(ctx, TINY_F64))
      return cast(tn_round_odd_integer(t, x), r->dtype);
    return cast(cast(x, tn_is_int(x->dtype) && tn_bits(x->dtype) > 16 ? TINY_F64 : TINY_F32), r->dtype);
  }
  RULE("(HREDUCE x:f)") {
    if (!tn_lacks_dtype(ctx, x->dtype)) return NULL;
    tiny_uop *wide = cast(x, TINY_F32);
    return cast(tn_uop_make(t, TINY_OP_HREDUCE, TINY_F32, 1, 1, &wide, r->k, 0, NULL), r->dtype);
  }
  RULE("(ALU x ...)") {                    // narrow floats compute in f32
    tiny_uop *src[4];
    int changed = 0;
    if (r->op == TINY_OP_WHERE || tn_computes_narrow(ctx, r)) return NULL;
    for (uint32_t i = 0; i < r->nsrc; i++) {
      const int lacks = tn_lacks_dtype(ctx, r->src[i]->dtype);
      src[i] = lacks ? cast(r->src[i], TINY_F32) : r->src[i];
      changed |= lacks;
    }
    if (!changed) return NULL;
    return cast(tn_uop_make(t, r->op, r->dtype == TINY_BOOL ? (int)TINY_BOOL : (int)TINY_F32, r->lanes,
        (int)r->nsrc, src, r->k, 0, NULL), r->dtype);
  }
RULES_END

// ** bools are logic **

RULES(tn_rules_logic, x, y)
  RULE("(ADD|MAX x:b y)")                  return or_(x, y);
  RULE("(MUL x:b y)")                      return and_(x, y);
  RULE("(LT x:b y)")                       return and_(not_(x), y);
  RULE("(NE x:b y)")                       return xor_(x, y);
  RULE("(EQ x:b y)")                       return not_(xor_(x, y));
  RULE("(CAST|BITCAST:b x)")               return ne(x, N(x, 0));
  RULE("(CAST|BITCAST x:b)")               return where(x, N(r, 1), N(r, 0));
RULES_END

// ** division **

static int tn_is_negative_free(const tiny_uop *x) { return tn_is_unsigned(x->dtype) || x->vmin >= 0; }
static int tn_log2_of(int64_t k) {         // -1: no power of two
  int n = 0;
  while (n < 62 && (int64_t)1 << n < k) n++;
  return k > 0 && (int64_t)1 << n == k ? n : -1;
}

// x / c by a multiplication, 0 <= x <= most, c > 2 no power of two: M = ceil(2^s / c) and x M >> s is right
// while
// x (M c - 2^s) < 2^s (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI
// 1994, theorem 4.2).
static tiny_uop *tn_magic(tiny_ctx *t, tiny_uop *x, uint64_t most, uint64_t c) {
  const int bits = tn_bits(x->dtype);
  if (most >> 32 || c > most) return most < c ? K(x, 0) : NULL;
  for (int s = 0; s < 63; s++) {
    const uint64_t m = (((uint64_t)1 << s) + c - 1) / c, over = m * c - ((uint64_t)1 << s);
    if (most && over > (((uint64_t)1 << s) - 1) / most) continue;
    const uint64_t room = bits == 64 || most * m >> 31 == 0 ? INT64_MAX : UINT64_MAX;
    if (most && m > room / most) break;
    const int d = bits >= 32 && most * m <= (tn_is_unsigned(x->dtype) ? UINT32_MAX : (uint64_t)INT32_MAX)
        ? x->dtype
                : most * m <= UINT32_MAX ? (int)TINY_U32 : (int)TINY_U64;
    tiny_uop *wide = cast(x, d);
    return cast(shr(mul(wide, K(wide, (int64_t)m)), K(wide, s)), x->dtype);
  }
  // 33 bits of M: the upper half of x (M - 2^32) and x are added without their carry
  int s = 33;
  while ((uint64_t)1 << (s - 32) < c) s++;
  const uint64_t low = (uint64_t)((double)(((uint64_t)1 << (s - 32)) - c) * 4294967296.0 / (double)c);
  uint64_t m = low;                        // floor(2^32 (2^l - c) / c) + 1, made exact below
  const uint64_t n = ((uint64_t)1 << (s - 32)) - c;
  while ((m + 1) * c <= n << 32) m++;
  while (m * c > n << 32) m--;
  m++;
  tiny_uop *wide = cast(x, TINY_U64), *y = cast(x, TINY_U32),
      *high = cast(shr(mul(wide, K(wide, (int64_t)m)), K(wide, 32)), TINY_U32);
  return cast(shr(add(shr(sub(y, high), K(y, 1)), high), K(y, s - 33)), x->dtype);
}

// x may be the least integer and y -1.
static int tn_divide_wraps(const tiny_uop *x, const tiny_uop *y) {
  return tn_is_signed(x->dtype) && x->vmin <= tn_dtype_min(x->dtype) && y->vmin <= -1 && y->vmax >= -1;
}

// y where it is safe to divide x by it, else 1.
static tiny_uop *tn_divisor(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  if (tn_divide_wraps(x, y)) y = where(ne(y, K(y, -1)), y, K(y, 1));
  return where(ne(y, K(y, 0)), y, K(y, 1));
}
static int tn_is_safe(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  const int wraps = tn_divide_wraps(x, y);
  if (tn_is_const(y) && y->k != 0 && !(y->k == -1 && wraps)) return 1;
  if (y->dtype != TINY_U64 && !wraps && (y->vmin > 0 || y->vmax < 0)) return 1;
  return y->op == TINY_OP_WHERE && tn_is_k(y->src[2], 1) && y->src[0] == ne(y->src[1], K(y, 0)) &&
         (!wraps || y->src[1]->op == TINY_OP_WHERE || tn_is_const(y->src[1]));
}
static tiny_uop *tn_safe_divide(tiny_ctx *t, int op, tiny_uop *x, tiny_uop *y) {
  tiny_uop *q = op2(op, x, tn_divisor(t, x, y));
  tiny_uop *by_minus_one = op == TINY_OP_CDIV ? mul(x, K(x, -1)) : K(x, 0);
  if (tn_is_signed(x->dtype) && y->vmin <= -1 && y->vmax >= -1) q = where(ne(y, K(y, -1)), q, by_minus_one);
  return where(ne(y, K(y, 0)), q, op == TINY_OP_CDIV ? K(x, 0) : x);
}

// Truncating division of x by a constant, c > 1.
static tiny_uop *tn_divide_by_positive(tiny_ctx *t, const void *target, tiny_uop *x, int64_t c) {
  const int k = tn_log2_of(c), bits = tn_bits(x->dtype);
  const int plain = tn_is_unsigned(x->dtype) || x->vmin >= 0;
  if (k >= 0 && plain) return shr(x, K(x, k));
  if (k >= 0) return shr(add(x, and_(shr(x, K(x, bits - 1)), K(x, c - 1))), K(x, k));
  if (tn_does(target, TINY_TARGET_OPTIMIZES)) return NULL;
  if (plain) return x->dtype == TINY_U64 ? NULL : tn_magic(t, x, (uint64_t)x->vmax, (uint64_t)c);
  if (bits == 64) return NULL;
  // the unsigned dtype of the same width: |x| of the least integer fits
  const int u = x->dtype + 1;
  tiny_uop *sign = shr(x, K(x, bits - 1));
  tiny_uop *q = tn_magic(t, tn_cast(t, sub(xor_(x, sign), sign), u), (uint64_t)1 << (bits - 1), (uint64_t)c);
  return q ? sub(xor_(cast(q, x->dtype), sign), sign) : NULL;
}
// The same where c may be less than -1.
static tiny_uop *tn_divide_by(tiny_ctx *t, const void *target, tiny_uop *x, int64_t c) {
  if (c > 0) return tn_divide_by_positive(t, target, x, c);
  if (tn_is_unsigned(x->dtype) || c <= tn_dtype_min(x->dtype)) return NULL;
  tiny_uop *q = tn_divide_by_positive(t, target, x, -c);
  return q ? mul(q, K(x, -1)) : NULL;
}

// The part that floor division takes away from truncation: quotient and remainder disagree in sign.
static tiny_uop *tn_floors(tiny_ctx *t, tiny_uop *rest, tiny_uop *y) {
  if (tn_is_k(y, 0)) return B(0);
  tiny_uop *differ = tn_is_const(y) ? (y->k < 0 ? lt(K(y, 0), rest) : lt(rest, K(y, 0)))
                   : and_(ne(rest, K(y, 0)), lt(xor_(rest, y), K(y, 0)));
  return tn_is_const(y) || y->vmin > 0 || y->vmax < 0 ? differ : and_(ne(y, K(y, 0)), differ);
}

RULES(tn_rules_division, x, y, c)
  RULE("(IDIV|CDIV x:i 1)")                return x;
  RULE("(MOD|CMOD x:i 1)")                 return K(x, 0);
  RULE("(IDIV x:i c)") {                   // ~(~x / c) floors where x is negative
    const int k = tn_log2_of(c->k);
    if (!tn_lacks(ctx, TINY_OP_IDIV) || c->k <= 0) return NULL;
    if (k >= 0) return shr(x, K(x, k));
    if (tn_is_negative_free(x)) return op2(TINY_OP_CDIV, x, c);
    tiny_uop *sign = shr(x, K(x, tn_bits(x->dtype) - 1)), *size = xor_(x, sign);
    tiny_uop *q = tn_does(ctx, TINY_TARGET_OPTIMIZES) || tn_bits(x->dtype) == 64
        ? op2(TINY_OP_CDIV, size, c)
                : tn_magic(t, size, ((uint64_t)1 << (tn_bits(x->dtype) - 1)) - 1, (uint64_t)c->k);
    return xor_(q, sign);
  }
  RULE("(MOD x:i c)") {
    const int k = tn_log2_of(c->k);
    if (!tn_lacks(ctx, TINY_OP_MOD) || c->k <= 0) return NULL;
    if (k >= 0) return and_(x, K(x, c->k - 1));
    return tn_is_negative_free(x) ? op2(TINY_OP_CMOD, x, c) : NULL;
  }
  RULE("(IDIV|MOD x:i y)") {
    if (!tn_lacks(ctx, r->op)) return NULL;
    tiny_uop *rest = op2(TINY_OP_CMOD, x, y), *quotient = op2(TINY_OP_CDIV, x, y);
    if (tn_is_negative_free(x) && tn_is_negative_free(y)) return r->op == TINY_OP_MOD ? rest : quotient;
    tiny_uop *down = tn_floors(t, rest, y);
    return r->op == TINY_OP_MOD ? add(rest, where(down, y, K(y, 0)))
        : add(quotient, where(down, K(x, -1), K(x, 0)));
  }
  RULE("(CDIV x:i c)")                     return c->k > 1 || c->k < -1 ? tn_divide_by(t, ctx, x, c->k)
      : NULL;
  RULE("(CMOD x:i c)") {
    if (tn_log2_of(c->k) >= 0 && tn_is_negative_free(x)) return and_(x, K(x, c->k - 1));
    tiny_uop *q = c->k > 1 || c->k < -1 ? tn_divide_by(t, ctx, x, c->k) : NULL;
    return q ? sub(x, mul(q, c)) : NULL;
  }
  RULE("(CDIV|CMOD x:i y)") {
    if (tn_does(ctx, TINY_TARGET_DIVIDES) || tn_is_safe(t, x, y)) return NULL;
    return tn_safe_divide(t, r->op, x, y);
  }
  RULE("(CMOD x:i y)") {
    if (!tn_lacks(ctx, TINY_OP_CMOD)) return NULL;
    return sub(x, mul(op2(TINY_OP_CDIV, x, y), y));
  }
  // ** of floats: no language has them; exact while the product of quotient and divisor is **
  RULE("(CDIV x:f y)")                     return tn_u1(t, TINY_OP_TRUNC, fdiv(x, y));
  RULE("(CMOD x:f y)")                     return sub(x, mul(tn_u1(t, TINY_OP_TRUNC, fdiv(x, y)), y));
  RULE("(IDIV x:f y)") {
    tiny_uop *q = fdiv(x, y), *whole = tn_u1(t, TINY_OP_TRUNC, q);
    return where(lt(q, whole), add(whole, N(x, -1)), whole);
  }
  RULE("(MOD x:f y)") {
    tiny_uop *rest = op2(TINY_OP_CMOD, x, y), *zero = N(x, 0);
    return where(and_(ne(rest, zero), xor_(lt(rest, zero), lt(y, zero))), add(rest, y), rest);
  }
RULES_END

// ** what C leaves undefined **

// x where the cast to an integer dtype is defined, else 0.
static tiny_uop *tn_castable(tiny_ctx *t, tiny_uop *x, int dtype) {
  const int bits = tn_bits(dtype) - tn_is_signed(dtype);
  tiny_uop *low = N(x, tn_is_signed(dtype) ? -ldexp(1, bits) : 0), *top = N(x, ldexp(1, bits));
  return where(and_(not_(lt(x, low)), lt(x, top)), x, N(x, 0));
}
static tiny_uop *tn_saturate(tiny_ctx *t, tiny_uop *x, int dtype) {
  if (x->op == TINY_OP_WHERE && tn_castable(t, x->src[1], dtype) == x) return NULL;
  tiny_uop *safe = tn_castable(t, x, dtype), *zero = N(x, 0);
  const int64_t low = tn_is_signed(dtype) && tn_bits(dtype) == 64 ? INT64_MIN : tn_dtype_min(dtype),
      top = dtype == TINY_U64 ? -1 : tn_dtype_max(dtype);
  tiny_uop *beyond = where(lt(zero, x), tn_int(t, dtype, top),
      where(lt(x, zero), tn_int(t, dtype, low), tn_int(t, dtype, 0)));
  return where(safe->src[0], cast(safe, dtype), beyond);
}

static int tn_is_shift(const tiny_uop *y, int bits) {
  if (tn_is_const(y)) return y->k >= 0 && y->k < bits;
  if (y->op == TINY_OP_AND && tn_is_const(y->src[1])) return y->src[1]->k >= 0 && y->src[1]->k < bits;
  if (y->op == TINY_OP_SUB && tn_is_const(y->src[0]) &&
      y->src[1]->op == TINY_OP_AND) return y->src[0]->k < bits && y->src[1]->src[1] == y->src[0];
  return y->dtype != TINY_U64 && y->vmin >= 0 && y->vmax < bits;
}

RULES(tn_rules_defined, x, y)
  RULE("(CAST:i x:f)") {
    if (tn_does(ctx, TINY_TARGET_SATURATES)) return NULL;
    return tn_is_narrow(x->dtype) ? cast(cast(x, TINY_F32), r->dtype) : tn_saturate(t, x, r->dtype);
  }
  RULE("(SHL|SHR x:i y)") {
    const int bits = tn_bits(x->dtype);
    if (tn_does(ctx, TINY_TARGET_SHIFTS) || tn_is_shift(y, bits)) return NULL;
    tiny_uop *by = and_(y, K(y, bits - 1)), *beyond = r->op == TINY_OP_SHR && tn_is_signed(x->dtype)
        ? shr(x, K(y, bits - 1)) : K(x, 0);
    return where(ne(by, y), beyond, op2(r->op, x, by));
  }
RULES_END

// ** ops that the language lacks **

static tiny_uop *tn_threefry_words(tiny_ctx *t, const tiny_uop *r) {
  tiny_uop *k0 = r->src[2], *k1 = r->src[3], *key[3] = {k0, k1, xor_(xor_(k0, k1), K(k0, 0x1BD11BDA))};
  tiny_uop *a = add(r->src[0], key[0]), *b = add(r->src[1], key[1]);
  for (int group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      const int by = tn_threefry_rotations[group & 1][i];
      a = add(a, b);
      b = xor_(or_(shl(b, K(b, by)), shr(b, K(b, 32 - by))), a);
    }
    a = add(a, key[(group + 1) % 3]);
    b = add(b, add(key[(group + 2) % 3], K(b, group + 1)));
  }
  return r->k ? b : a;
}

static tiny_uop *tn_minus_one(tiny_ctx *t, int dtype) {
  return tn_is_float(dtype) ? tn_number(t, dtype, -1) : tn_int(t, dtype, -1);
}

static tiny_uop *tn_max_of(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  if (!tn_is_float(x->dtype)) return where(lt(x, y), y, x);
  if (tn_is_const(y) && tn_to_f64(y->k) == tn_to_f64(y->k)) return where(lt(x, y), y, x);  // false for NaN: x
  return where(ne(x, x), N(x, (double)NAN), where(lt(y, x), x, y));         // the inner one is an instruction of x86
}

static tiny_uop *tn_trunc_of(tiny_ctx *t, tiny_uop *x) {
  const int d = x->dtype == TINY_F64 ? TINY_I64 : TINY_I32;
  tiny_uop *sign = tn_bitcast(t, x, d), *whole = tn_bitcast(t, cast(tn_castable(t, x, d), d), d);
  sign = and_(sign, K(sign, d == TINY_I64 ? INT64_MIN : INT32_MIN));
  tiny_uop *y = tn_bitcast(t, or_(tn_bitcast(t, tn_float_abs(t, cast(whole, x->dtype)), d), sign), x->dtype);
  return where(lt(tn_float_abs(t, x), N(x, ldexp(1, tn_float_facts_of(x->dtype)->mantissa))), y, x);
}

static tiny_uop *tn_transcend(tiny_ctx *t, const void *target, const tiny_uop *r) {
  tiny_uop *x = r->src[0];
  if (tn_is_narrow(x->dtype)) {
    tiny_uop *wide = cast(x, TINY_F32);
    tiny_uop *src[2] = {wide, r->nsrc > 1 ? cast(r->src[1], TINY_F32) : NULL};
    return cast(tn_uop_make(t, r->op, TINY_F32, r->lanes, (int)r->nsrc, src, r->k, 0, NULL), x->dtype);
  }
  switch (r->op) {
    case TINY_OP_EXP2:
      return r->k & TN_EXP_FALLING ? tn_exp_falling_of(t, x, (int)r->k) : tn_exp_of(t, x, (int)r->k & TN_EXP_NATURAL);
    case TINY_OP_LOG2: return tn_log2_value(t, x);
    case TINY_OP_SIN: return tn_sin_of(t, x, (int)r->k, tn_has_dtype(target, TINY_F64));
    case TINY_OP_TRUNC: return tn_trunc_of(t, x);
    default: return tn_pow_of(t, x, r->src[1], tn_has_dtype(target, TINY_F64));
  }
}

// Is the target's own 2^x near enough?
static int tn_lacks_function(const void *target, const tiny_uop *r) {
  const uint32_t ulps = ((const tn_target *)target)->renderer->exp2_ulps;
  if (tn_lacks(target, r->op) || r->op != TINY_OP_EXP2 || !ulps) return tn_lacks(target, r->op);
  if (r->dtype != TINY_F32) return 1;
  return r->k & TN_EXP_ROUNDED ? ulps > TN_EXP_ULPS : ulps > 1 || r->k & TN_EXP_NATURAL;
}
// e^x and cos x of a language that has 2^x and sin. x log2(e) of 128 is off by 2^-18.
static tiny_uop *tn_by_sibling(tiny_ctx *t, const tiny_uop *r) {
  tiny_uop *x = r->src[0];
  if (r->op == TINY_OP_EXP2) {
    if (r->k & TN_EXP_NATURAL) x = mul(x, N(x, 1.4426950408889634));
    const int64_t k = r->k & TN_EXP_ROUNDED;
    return k == r->k ? NULL : tn_uop_make(t, TINY_OP_EXP2, r->dtype, r->lanes, 1, &x, k, 0, NULL);
  }
  tiny_uop *s = tn_u1(t, TINY_OP_SIN, mul(x, N(x, 0.5)));
  return add(mul(mul(s, s), N(x, -2)), N(x, 1));             // no rounding of the argument, as sin(x + pi/2) has
}

RULES(tn_rules_missing, x, y, z)
  RULE("(EXP2|LOG2|SIN|POW|TRUNC x:f ...)") return tn_lacks_function(ctx, r) ? tn_transcend(t, ctx, r)
      : r->k ? tn_by_sibling(t, r) : NULL;
  RULE("(MAX x y)")                        return tn_lacks(ctx, r->op) ? tn_max_of(t, x, y) : NULL;
  RULE("(TRUNC x:i)")                      return x;
  RULE("(THREEFRY ...)")                   return tn_lacks(ctx, r->op) ? tn_threefry_words(t, r) : NULL;
  RULE("(NEG x)")                          return tn_lacks(ctx, r->op) ? mul(x, tn_minus_one(t, x->dtype))
      : NULL;
  RULE("(SUB x y)")                        return tn_lacks(ctx, r->op)
      ? add(x, mul(y, tn_minus_one(t, y->dtype))) : NULL;
  RULE("(EQ x y)")                         return tn_lacks(ctx, r->op) ? not_(ne(x, y)) : NULL;
RULES_END

RULES(tn_rules_decompose, x)
  USE(tn_rules_fold)
  USE(tn_rules_logic)
  USE(tn_rules_storage)
  USE(tn_rules_division)
  USE(tn_rules_defined)
  USE(tn_rules_missing)
RULES_END

// ** spelling: the shortest form that the language has; every source as wide as its op **

static tiny_uop *tn_lanes_copied(tiny_ctx *t, tiny_uop *x, int lanes) {
  return x->lanes == lanes ? x : tn_uop_make(t, TINY_OP_BROADCAST, x->dtype, lanes, 1, &x, 0, 0, NULL);
}
static tiny_uop *tn_lanes_to(tiny_ctx *t, tiny_uop *x, int lanes) {
  if (x->lanes == lanes || x->dtype != TINY_BOOL || tn_is_const(x)) return tn_lanes_copied(t, x, lanes);
  tiny_uop *one = tn_int(t, TINY_U8, 1), *zero = tn_int(t, TINY_U8, 0);      // bools become lanes as u8
  return ne(tn_lanes_copied(t, where(x, one, zero), lanes), tn_lanes_copied(t, zero, lanes));
}

RULES(tn_rules_spell, x, y, z, p, c)
  RULE("(ADD x (MUL y c))")                return tn_lacks(ctx, TINY_OP_SUB) ||
      c != tn_minus_one(t, c->dtype) ? NULL : sub(x, y);
  RULE("(ADD x (NEG y))")                  return tn_lacks(ctx, TINY_OP_SUB) ? NULL : sub(x, y);
  RULE("(MUL x c)")                        return tn_lacks(ctx, TINY_OP_NEG) ||
      c != tn_minus_one(t, c->dtype) ? NULL : tn_u1(t, TINY_OP_NEG, x);
  RULE("(XOR (NE x y) 1)")                 return tn_lacks(ctx, TINY_OP_EQ) ? NULL : op2(TINY_OP_EQ, x, y);
  RULE("(XOR (LT x:i c) 1)") {
    if (c->dtype == TINY_U64 || c->k <= tn_dtype_min(c->dtype)) return NULL;
    return lt(K(c, c->k - 1), x);
  }
  RULE("(MUL x:i c)") {
    const int k = tn_log2_of(c->k);
    return k > 0 && tn_does(ctx, TINY_TARGET_PREFERS_SHIFTS) ? shl(x, K(x, k)) : NULL;
  }
  RULE("(ADD (DOT x y c) z)") {
    tiny_uop *const src[3] = {x, y, z};
    if (tn_is_const(c) && c->k == 0)
      return tn_uop_make(t, TINY_OP_DOT, r->dtype, r->lanes, 3, src, r->src[r->src[1]->op == TINY_OP_DOT]->k, 0, NULL);
    return NULL;
  }
  RULE("(ADD (WHERE p x:f 0) (WHERE p y 0))") {              // exact, as 0 + 0 is; products under a condition are added
    const tiny_uop *none = r->src[0]->src[2], *zero = r->src[1]->src[2];
    return tn_lacks(ctx, TINY_OP_FMA) || none->k || zero->k ? NULL : where(p, add(x, y), N(x, 0));
  }
RULES_END

RULES(tn_rules_lanes, x, y, z)
  RULE("(ALU x ...)") {
    tiny_uop *src[4];
    int changed = 0;
    for (uint32_t i = 0; i < r->nsrc; i++) {
      src[i] = r->op == TINY_OP_WHERE && i == 0 ? r->src[0] : tn_lanes_to(t, r->src[i], r->lanes);
      changed |= src[i] != r->src[i];
    }
    return changed ? tn_uop_make(t, r->op, r->dtype, r->lanes, (int)r->nsrc, src, r->k, r->nv, r->v) : NULL;
  }
  RULE("(DOT x y z)") {                    // two lanes are less than any vector of words: one by one
    tiny_uop *one[2], *src[3];
    for (int i = 0; i < 2 && r->lanes == 2; i++) {
      for (int j = 0; j < 3; j++) src[j] = r->src[j]->lanes == 1 ? r->src[j] : tn_pick(t, r->src[j], i, 1);
      one[i] = tn_uop_make(t, TINY_OP_DOT, r->dtype, 1, 3, src, r->k, 0, NULL);
    }
    return r->lanes == 2 ? tn_stack(t, 2, one) : NULL;
  }
  RULE("(LOAD x y)") {
    tiny_uop *src[2] = {x, tn_lanes_to(t, y, r->lanes)};
    return src[1] == y ? NULL : tn_uop_make(t, TINY_OP_LOAD, r->dtype, r->lanes, 2, src, r->k, 0, NULL);
  }
RULES_END

// ** vectors in memory that the target does not take: an element at a time **

enum { TN_MEMORY_LANES = 64 };             // more are the tiles of matrix units

// Place i of a vector's INDEX, whose elements lie together where it has one lane.
static tiny_uop *tn_element_index(tiny_ctx *t, const tiny_uop *index, int i) {
  tiny_uop *element = index->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  element = element->lanes > 1 ? tn_pick(t, element, i, 1) : tn_u2(t, TINY_OP_ADD, element, tn_index(t, i));
  if (valid && valid->lanes > 1) valid = tn_pick(t, valid, i, 1);
  return tn_index_of(t, index->src[0], tn_simplify(t, element), valid);
}
static int tn_takes_memory(const void *ctx, const tiny_uop *access, int lanes) {
  if (access->op == TINY_OP_STORE && access->k == TN_ADDS && lanes > 1) return 0;        // atomic is one element
  return lanes == 1 || lanes > TN_MEMORY_LANES || tn_target_memory(((const tn_target *)ctx)->renderer, access, lanes);
}
// Does it take any vector in memory, do its warps exchange none, and does nothing add to memory?
static int tn_takes_all_memory(const tn_target *target) {
  enum { ALL = TINY_ON_VECTORS | TINY_ON_MASKED | TINY_ON_APART | TINY_ON_APART_MASKED };
  const uint8_t *ops = target->renderer->ops;
  return (ops[TINY_OP_LOAD] & ops[TINY_OP_STORE] & ALL) == ALL && !tn_target_exchanges(target) &&
      !target->renderer->atomics;
}
static tiny_uop *tn_load_elements(tiny_ctx *t, const tiny_uop *load) {
  tiny_uop *one[TN_MEMORY_LANES], *src[2];
  for (int i = 0; i < load->lanes; i++) {
    src[0] = tn_element_index(t, load->src[0], i);
    if (load->nsrc == 2) src[1] = load->src[1]->lanes > 1 ? tn_pick(t, load->src[1], i, 1) : load->src[1];
    one[i] = tn_uop_make(t, TINY_OP_LOAD, load->dtype, 1, (int)load->nsrc, src, load->k, 0, NULL);
  }
  return tn_stack(t, load->lanes, one);
}

RULES(tn_rules_memory, x, y)
  RULE("(SHUFFLE x)") {
    tiny_uop *one[TN_MEMORY_LANES];
    if (r->lanes == 1) return NULL;
    for (int i = 0; i < r->lanes; i++) {
      tiny_uop *lane = tn_pick(t, x, i, 1);
      one[i] = tn_uop_make(t, TINY_OP_SHUFFLE, r->dtype, 1, 1, &lane, r->k, 0, NULL);
    }
    return tn_stack(t, r->lanes, one);
  }
  RULE("(LOAD x)")                         return tn_takes_memory(ctx, r, r->lanes) ? NULL : tn_load_elements(t, r);
  RULE("(LOAD x y)")                       return tn_takes_memory(ctx, r, r->lanes) ? NULL : tn_load_elements(t, r);
  RULE("(STORE x y)") {
    tn_list one = {NULL, 0, 0};
    if (tn_takes_memory(ctx, r, y->lanes)) return NULL;
    for (int i = 0; i < y->lanes; i++)
      tn_push(t, &one, tn_store_as(t, r, tn_element_index(t, x, i), tn_pick(t, y, i, 1)));
    return tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &one);
  }
RULES_END

// ** all of it **

typedef struct tn_decomposing { void *target; tn_map done[3]; } tn_decomposing;        // by each set
// last: nothing comes after it, and what a set leaves alone needs not be known.
static tiny_uop *tn_decomposed(tiny_ctx *t, tn_decomposing *d, tiny_uop *u, int last) {
  static const tn_rules_fn sets[3] = {tn_rules_decompose, tn_rules_spell, tn_rules_lanes};
  for (int i = 0; i < 3; i++)
    u = tn_rewrite_walk(t, &d->done[i], last ? ++t->ir->epoch : 0, u, sets[i], d->target);
  return u;
}
// Where a loop begins and ends, and where in memory something is, if that is computed, is decomposed before what stands
// upon it: with another end it would be another loop, and all that depends on it would be made again, by each set.
static tiny_uop *tn_decomposed_first(tiny_ctx *t, tn_decomposing *d, tiny_uop *u) {
  tiny_uop *src[3];
  int changed = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    src[i] = tn_is_const(u->src[i]) || (u->op == TINY_OP_INDEX && !i) ? u->src[i] : tn_decomposed(t, d, u->src[i], 0);
    for (int set = 0; set < 3 && src[i] != u->src[i]; set++)
      if (!tn_map_has(&d->done[set], src[i])) tn_map_set(t, &d->done[set], src[i], src[i]);
    changed |= src[i] != u->src[i];
  }
  return changed ? tn_uop_with(t, u, src) : u;
}
// Rules of decompositions number no nodes.
static tiny_uop *tn_lower_index(tiny_ctx *t, tiny_uop *sink, tn_decomposing *d) {
  tn_widths w = {t, {NULL, 0, 0}, tn_has_dtype(d->target, TINY_I64) ? TINY_I64 : TINY_I32};
  tn_toposort(t, sink, &w.now);
  for (int i = 0; i < w.now.n; i++) {
    tiny_uop *u = w.now.u[i], *now = u;
    int same = u->dtype != TINY_INDEX;
    for (uint32_t j = 0; j < u->nsrc; j++) same &= w.now.u[u->src[j]->seq] == u->src[j];
    if (!same) now = tn_index_node(&w, u);
    if (now->op == TINY_OP_RANGE || now->op == TINY_OP_INDEX) now = tn_decomposed_first(t, d, now);
    u->seq = (uint32_t)i;
    w.now.u[i] = now;
  }
  return w.now.u[w.now.n - 1];
}

static tiny_uop *tn_decompose(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_decomposing d;
  memset(&d, 0, sizeof d);
  d.target = (void *)(uintptr_t)target;
  if (target->renderer) {
    tn_map memory = {NULL, 0, 0};
    if (!tn_takes_all_memory(target))
      sink = tn_rewrite_walk(t, &memory, ++t->ir->epoch, sink, tn_rules_memory, d.target);
    sink = tn_decomposed(t, &d, tn_lower_index(t, sink, &d), 1);
  }
  tn_scratch_rewind(t, mark);
  return sink;
}
#endif
