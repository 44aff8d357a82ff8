// elementwise: arithmetic, comparisons, bits and logic, and what all operators of one value a place share.
//
// In:  tensors; an operator is a row of a table: its name, the dtypes it takes, and a formula. A formula gets
// nodes of one
//      dtype and gives a node. Out: a tensor. What surrounds a formula is here once: arguments, promotion,
//      broadcasting, the dtype it is computed in.
// Formulas are chosen so that they are accurate where a textbook's cancels, and so that their gradients hold no inf*0.
#ifndef TN_TENSOR_ELEMENTWISE
#define TN_TENSOR_ELEMENTWISE
#ifndef TINY_AMALGAMATED
#include "../ir/special.c"
#include "join.c"
#include "../ir/special.c"
#endif

// What dtypes an operator takes, and which it computes in. TN_REAL: integers and bools become f32, narrow floats are
// computed in f32; TN_WIDE: narrow floats are, integers stay.
enum { TN_ANY, TN_REAL, TN_WIDE, TN_NUMBER, TN_WHOLE, TN_BITS, TN_FLOATS };
static const char *const tn_takes[] = {"anything", "anything", "numbers", "numbers", "integers",
                                       "integers and bools", "floats"};

typedef tiny_uop *(*tn_formula1)(tiny_ctx *t, tiny_uop *x);
typedef tiny_uop *(*tn_formula2)(tiny_ctx *t, tiny_uop *a, tiny_uop *b);

static int tn_taken(tiny_ctx *t, const char *name, int takes, int dtype) {
  const int number = dtype != TINY_BOOL, whole = tn_is_int(dtype), real = tn_is_float(dtype);
  const int fits[] = {1, 1, number, number, whole, !real, real};
  if (!fits[takes])
    tiny_fail(t, TINY_E_DTYPE, "%s: takes %s, not %s", name, tn_takes[takes], tn_dtypes[dtype].name);
  return fits[takes];
}
static int tn_real(int dtype) { return tn_is_float(dtype) ? dtype : (int)TINY_F32; }
// What an operator gives for dtype, and what its formula gets.
static int tn_result(int takes, int dtype) { return takes == TN_REAL ? tn_real(dtype) : dtype; }
static int tn_computed_in(int dtype) { return tn_is_narrow(dtype) ? (int)TINY_F32 : dtype; }
static int tn_inside(int takes, int dtype) {
  dtype = tn_result(takes, dtype);
  return takes == TN_REAL || takes == TN_WIDE ? tn_computed_in(dtype) : dtype;
}
// u, of which as much is meant as of the operands x[0..n-1]: a formula may have needed none of their elements.
static tiny_uop *tn_as_long(tiny_ctx *t, tiny_uop *u, int n, tiny_tensor *const *x) {
  for (int i = 0; i < n && !tn_bad(t, u); i++) {
    const tiny_uop *v = tn_uop_of(x[i]);
    for (int d = 0; v->extent && d < v->ndim && !tn_bad(t, u); d++) {
      const int axis = u->ndim - v->ndim + d;
      if (v->extent[d] && axis >= 0 && u->dim[axis] == v->dim[d]) u = tn_first_of(t, u, axis, v->extent[d]);
    }
  }
  return u;
}
static tiny_tensor *tn_give(tiny_uop *u, int dtype, int n, tiny_tensor *const *x) {
  tiny_ctx *t = tn_ctx_of(x[0]);
  return tn_value_new(t, tn_bad(t, u) ? u : tn_as_long(t, tn_cast(t, u, dtype), n, x), n, x);
}

// ** operators of one operand **

// The node that x's formula gets; NULL: *out is what the operator returns.
static tiny_uop *tn_enter(const char *name, int takes, tiny_tensor *x, tiny_tensor **out) {
  if (!tn_usable(name, 1, &x, out) || !tn_taken(tn_ctx_of(x), name, takes, tn_uop_of(x)->dtype)) return NULL;
  return tn_cast(tn_ctx_of(x), tn_uop_of(x), tn_inside(takes, tn_uop_of(x)->dtype));
}
static tiny_tensor *tn_leave(int takes, tiny_tensor *x, tiny_uop *u) {
  return tn_give(u, tn_result(takes, tn_uop_of(x)->dtype), 1, &x);
}
static tiny_tensor *tn_unary(const char *name, int takes, tn_formula1 formula, tiny_tensor *x) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter(name, takes, x, &out);
  return u ? tn_leave(takes, x, formula(tn_ctx_of(x), u)) : out;
}
// Of a question: bool whatever x is.
static tiny_tensor *tn_asked(const char *name, tn_formula1 formula, tiny_tensor *x) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter(name, TN_ANY, x, &out);
  return u ? tn_tensor_new(tn_ctx_of(x), tn_as_long(tn_ctx_of(x), formula(tn_ctx_of(x), u), 1, &x)) : out;
}

static tiny_uop *tn_frac(tiny_ctx *t, tiny_uop *x) { return tn_sub(t, x, tn_trunc(t, x)); }
static tiny_uop *tn_all_false(tiny_ctx *t, const tiny_uop *x) { return tn_expand(t, tn_bool(t, 0), x->ndim, x->dim); }
static tiny_uop *tn_isfinite(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  return tn_is_float(x->dtype) ? tn_is_zero(t, tn_sub(t, x, x)) : tn_not(t, tn_all_false(t, x));
}
static tiny_uop *tn_isinf(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  if (!tn_is_float(x->dtype)) return tn_all_false(t, x);
  return tn_not(t, tn_or(t, tn_isfinite(t, x), tn_isnan(t, x)));
}
static tiny_uop *tn_isposinf(tiny_ctx *t, tiny_uop *x) { return tn_and(t, tn_isinf(t, x), tn_gt(t, x, tn_k(t, x, 0))); }
static tiny_uop *tn_isneginf(tiny_ctx *t, tiny_uop *x) { return tn_and(t, tn_isinf(t, x), tn_below_zero(t, x)); }
static tiny_uop *tn_signbit(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_is_float(x->dtype) ? tn_minus(t, x) : tn_below_zero(t, x);
}

#define TN_UNARY(_) \
  _(neg, TN_NUMBER) _(abs, TN_ANY) _(sign, TN_ANY) _(square, TN_ANY) _(trunc, TN_ANY) _(floor, TN_ANY) _(ceil, TN_ANY) \
  _(round, TN_ANY) _(frac, TN_FLOATS)
#define TN_UNARY_OPERATOR(name, takes) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *x) { return tn_unary(#name, takes, tn_##name, x); }
TN_UNARY(TN_UNARY_OPERATOR)
#define TN_QUESTIONS(_) _(isnan) _(isinf) _(isposinf) _(isneginf) _(isfinite) _(signbit)
#define TN_QUESTION_OPERATOR(name) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *x) { return tn_asked(#name, tn_##name, x); }
TN_QUESTIONS(TN_QUESTION_OPERATOR)
TINY_API tiny_tensor *tiny_logical_not(tiny_tensor *x) { return tn_asked("logical_not", tn_is_zero, x); }
TINY_API tiny_tensor *tiny_bitwise_not(tiny_tensor *x) { return tn_unary("bitwise_not", TN_BITS, tn_invert, x); }

TINY_API tiny_tensor *tiny_round_to(tiny_tensor *x, int decimals) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  tiny_uop *u = tn_enter("round_to", TN_WIDE, x, &out);
  if (!u) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (tn_bad(t, u) || (!tn_is_float(u->dtype) && decimals >= 0)) return tn_tensor_new(t, u);
  if (!tn_is_float(u->dtype))
    return tn_wrong(t, TINY_E_DTYPE, "round_to: %d decimals of %s", decimals, tn_dtypes[u->dtype].name);
  tiny_uop *unit = tn_k(t, u, pow(10, fabs((double)decimals)));
  u = decimals < 0 ? tn_mul(t, tn_round(t, tn_fdiv(t, u, unit)), unit) :
                     tn_fdiv(t, tn_round(t, tn_mul(t, u, unit)), unit);
  return tn_leave(TN_WIDE, x, u);
}

// x, through which a gradient flows where p holds. As a value it is x, and costs nothing.
static tiny_uop *tn_flows_where(tiny_ctx *t, tiny_uop *p, tiny_uop *x) {
  return tn_bad(t, x) || !tn_is_float(x->dtype) ? x : tn_where(t, p, x, tn_u1(t, TINY_OP_DETACH, x));
}
// The gradient is that of x within the bounds, both included; NaN stays, and has none.
TINY_API tiny_tensor *tiny_clamp(tiny_tensor *x, double lo, double hi) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter("clamp", TN_ANY, x, &out);
  if (!u) return out;
  if (!(lo <= hi)) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "clamp: from %g to %g", lo, hi);
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *low = tn_limit(t, u, lo), *high = tn_limit(t, u, hi);
  tiny_uop *inner = tn_flows_where(t, tn_not(t, tn_isnan(t, u)), u);
  return tn_tensor_new(t, tn_where(t, tn_lt(t, u, low), low, tn_where(t, tn_gt(t, u, high), high, inner)));
}

TINY_API tiny_tensor *tiny_nan_to_num(tiny_tensor *x, double nan, double posinf, double neginf) {
  tiny_tensor *out;
  tiny_uop *u = tn_enter("nan_to_num", TN_ANY, x, &out);
  if (!u) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (!tn_is_float(u->dtype)) return tn_tensor_new(t, u);
  const double top = tn_float_top(u->dtype);
  tiny_uop *high = tn_k(t, u, posinf != posinf ? top : posinf), *low = tn_k(t, u, neginf != neginf ? -top : neginf);
  tiny_uop *y = tn_where(t, tn_isposinf(t, u), high, tn_where(t, tn_isneginf(t, u), low, u));
  return tn_tensor_new(t, tn_where(t, tn_isnan(t, u), tn_k(t, u, nan), y));
}

// ** formulas of two operands **

static int tn_are_floats(tiny_ctx *t, const tiny_uop *a) { return !tn_bad(t, a) && tn_is_float(a->dtype); }
static tiny_uop *tn_le(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {            // not b < a would be true for NaN
  if (!tn_are_floats(t, a)) return tn_not(t, tn_lt(t, b, a));
  return tn_or(t, tn_lt(t, a, b), tn_eq(t, a, b));
}
static tiny_uop *tn_ge(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_le(t, b, a); }

// Is r, a remainder, not 0 and of another sign than x?
static tiny_uop *tn_crosses(tiny_ctx *t, tiny_uop *r, tiny_uop *x) {
  return tn_and(t, tn_ne(t, r, tn_k(t, r, 0)), tn_ne(t, tn_below_zero(t, r), tn_below_zero(t, x)));
}
// The first half of a float's bits, so that its product with a number as short is exact.
static tiny_uop *tn_first_bits(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  tiny_uop *bits = tn_bitcast(t, x, tn_integer_of(x->dtype));
  bits = tn_and(t, bits, tn_k(t, bits, -(double)((int64_t)1 << (tn_dtypes[x->dtype].mantissa / 2 + 1))));
  return tn_bitcast(t, bits, x->dtype);
}
// A positive f32 as m 2^(e - 150), 2^23 <= m < 2^24, both i32; of one that is not finite, m and e of some number.
typedef struct tn_scaled { tiny_uop *m, *e; } tn_scaled;
static tn_scaled tn_scaled_of(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *is_small = tn_lt(t, x, tn_k(t, x, ldexp(1, -126)));            // below the normals
  tiny_uop *bits = tn_bitcast(t, tn_where(t, is_small, tn_times(t, x, ldexp(1, 24)), x), TINY_I32);
  tiny_uop *e = tn_shr(t, bits, tn_k(t, bits, 23));
  const tn_scaled s = {tn_or(t, tn_and(t, bits, tn_k(t, bits, 0x7fffff)), tn_k(t, bits, 0x800000)),
                       tn_where(t, is_small, tn_plus(t, e, -24), e)};
  return s;
}
static tiny_uop *tn_two_to(tiny_ctx *t, tiny_uop *e) {                     // 2^e as f32, -127 < e < 128
  return tn_bitcast(t, tn_shl(t, tn_plus(t, e, 127), tn_k(t, e, 23)), TINY_F32);
}
// rest 2^k mod m, give or take m: less the nearest whole number to their quotient, as f32 has it, times m. The f32 is
// wrong by less than 3/8: of at most 20 bits (rest < 2 m, k <= 19), by a division within 2.5 units of the last place
// (OpenCL, WGSL) and one product. So |result| < m. Both products wrap; their difference does not.
enum { TN_FMOD_BITS = 19, TN_FMOD_STEPS = 15 };              // 2^128 / 2^-149 has 277 bits
static tiny_uop *tn_fmod_step(tiny_ctx *t, tiny_uop *rest, tiny_uop *k, tiny_uop *m, tiny_uop *inverse) {
  tiny_uop *q = tn_mul(t, tn_mul(t, tn_cast(t, rest, TINY_F32), inverse), tn_two_to(t, k));
  q = tn_bitcast(t, tn_plus(t, q, ldexp(1.5, 23)), TINY_I32);      // whose last bits are the whole number
  return tn_sub(t, tn_shl(t, rest, k), tn_mul(t, tn_plus(t, q, -0x4b400000), m));
}
// a mod b of f32 that are not negative, b no infinity, exact, as C's fmodf: a 2^n mod b of whole numbers, so many bits
// of n in each step, which needs neither f64 nor a division of integers. Its gradient is that of a - q b.
static tiny_uop *tn_fmod_in_steps(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (tn_bad(t, a) || tn_bad(t, b)) return &t->ir->bad;
  const tn_scaled x = tn_scaled_of(t, a), y = tn_scaled_of(t, b);
  tiny_uop *inverse = tn_reciprocal(t, tn_cast(t, y.m, TINY_F32)), *rest = x.m, *zero = tn_k(t, x.m, 0);
  tiny_uop *left = tn_neg(t, tn_max(t, tn_sub(t, x.e, y.e), zero));        // -n; so is what a step takes
  for (int i = 0; i < TN_FMOD_STEPS; i++) {
    tiny_uop *taken = tn_max(t, left, tn_k(t, left, -TN_FMOD_BITS));
    rest = tn_fmod_step(t, rest, tn_neg(t, taken), y.m, inverse);
    left = tn_sub(t, left, taken);
  }
  rest = tn_where(t, tn_below_zero(t, rest), tn_add(t, rest, y.m), rest);
  tiny_uop *e = tn_plus(t, y.e, -150), *half = tn_shr(t, e, tn_k(t, e, 1));       // 2^e may be no f32
  tiny_uop *r = tn_mul(t, tn_mul(t, tn_cast(t, rest, TINY_F32), tn_two_to(t, half)), tn_two_to(t, tn_sub(t, e, half)));
  tiny_uop *defined = tn_and(t, tn_isfinite(t, a), tn_gt(t, b, tn_k(t, b, 0)));
  r = tn_where(t, defined, tn_where(t, tn_lt(t, a, b), a, r), tn_k(t, a, (double)NAN));
  tiny_uop *q = tn_trunc(t, tn_plus(t, tn_fdiv(t, tn_sub(t, a, r), b), 0.5));     // a / b may be rounded up to it
  return tn_sloped(t, TN_SLOPE_SAME, r, tn_sub(t, a, tn_mul(t, q, b)));
}
// The same of f64, at once. The product is taken in two parts that are exact up to quotients of 2^26; a quotient that
// was rounded up to a whole number is put right. 0 where the quotient is beyond all numbers.
static tiny_uop *tn_fmod_at_once(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *q = tn_trunc(t, tn_fdiv(t, a, b)), *first = tn_first_bits(t, b), *rest = tn_sub(t, b, first);
  tiny_uop *r = tn_sub(t, tn_sub(t, a, tn_mul(t, q, first)), tn_mul(t, q, rest));
  r = tn_where(t, tn_below_zero(t, r), tn_add(t, r, b), r);
  tiny_uop *beyond = tn_and(t, tn_isinf(t, q), tn_and(t, tn_isfinite(t, a), tn_gt(t, b, tn_k(t, b, 0))));
  return tn_where(t, beyond, tn_k(t, r, 0), r);
}
// a - b trunc(a/b) with the sign of a, that of 0 too.
static tiny_uop *tn_fmod(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (!tn_are_floats(t, a)) {
    tiny_uop *r = tn_mod(t, a, b);
    return tn_where(t, tn_crosses(t, r, a), tn_sub(t, r, b), r);
  }
  tiny_uop *below = tn_minus(t, a), *whole = tn_isinf(t, b), *size = tn_negate(t, below, a);
  tiny_uop *finite = tn_where(t, whole, tn_k(t, b, 1), tn_abs(t, b));
  tiny_uop *r = tn_is_f64(t, a) ? tn_fmod_at_once(t, size, finite) : tn_fmod_in_steps(t, size, finite);
  return tn_negate(t, below, tn_where(t, tn_and(t, whole, tn_isfinite(t, a)), size, r));
}
static tiny_uop *tn_remainder(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (!tn_are_floats(t, a)) return tn_mod(t, a, b);
  tiny_uop *r = tn_fmod(t, a, b);
  return tn_where(t, tn_crosses(t, r, b), tn_add(t, r, b), r);
}
// What fmod leaves is a multiple of b. A quotient of 0 has the sign of a/b.
static tiny_uop *tn_floor_divide(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (!tn_are_floats(t, a)) return tn_idiv(t, a, b);
  tiny_uop *r = tn_fmod(t, a, b), *q = tn_round(t, tn_fdiv(t, tn_sub(t, a, r), b)), *zero = tn_k(t, a, 0);
  q = tn_where(t, tn_crosses(t, r, b), tn_plus(t, q, -1), q);
  q = tn_where(t, tn_is_zero(t, q), tn_negate(t, tn_ne(t, tn_minus(t, a), tn_minus(t, b)), zero), q);
  return tn_where(t, tn_is_zero(t, b), tn_fdiv(t, a, b), q);
}
static tiny_uop *tn_trunc_divide(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (tn_are_floats(t, a)) return tn_trunc(t, tn_fdiv(t, a, b));
  tiny_uop *q = tn_idiv(t, a, b);
  return tn_where(t, tn_crosses(t, tn_mod(t, a, b), a), tn_plus(t, q, 1), q);
}
// Of equal ones the first, which gets the gradient, as in PyTorch.
static tiny_uop *tn_fmax(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (!tn_are_floats(t, a)) return tn_max(t, a, b);
  return tn_where(t, tn_or(t, tn_ge(t, a, b), tn_isnan(t, b)), a, b);
}
static tiny_uop *tn_fmin(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_are_floats(t, a) ? tn_where(t, tn_or(t, tn_le(t, a, b), tn_isnan(t, b)), a, b) : tn_min(t, a, b);
}
static tiny_uop *tn_copysign(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_negate(t, tn_ne(t, tn_minus(t, a), tn_minus(t, b)), a);
}
// By remainders of the least size, of unsigned numbers: two of them are less than (1 + sqrt 2)^-n of the greatest after
// n steps (Knuth, The Art of Computer Programming 2, 4.5.3, exercise 30), so a step for each 1.27 bits is enough.
static tiny_uop *tn_common_divisor(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (tn_bad(t, a) || tn_bad(t, b)) return &t->ir->bad;
  const int dtype = a->dtype, bits = tn_bits(dtype), wide = bits == 64 ? TINY_U64 : TINY_U32;
  tiny_uop *x = tn_cast(t, tn_abs(t, a), dtype == TINY_U64 ? dtype : (int)wide), *y = tn_cast(t, tn_abs(t, b), wide);
  if (tn_is_signed(dtype) && bits < 32) {    // |-128| of i8 is 128 in what is wider
    x = tn_cast(t, tn_abs(t, tn_cast(t, a, TINY_I32)), wide);
    y = tn_cast(t, tn_abs(t, tn_cast(t, b, TINY_I32)), wide);
  }
  for (int step = 0; step < bits * 4 / 5 + 2; step++) {
    tiny_uop *none = tn_is_zero(t, y), *r = tn_mod(t, x, y), *left = tn_sub(t, y, r);
    r = tn_where(t, tn_lt(t, left, r), left, r);
    x = tn_where(t, none, x, y);
    y = tn_where(t, none, y, r);
  }
  return tn_bad(t, x) ? x : tn_cast(t, x, dtype);
}
// |a / gcd b|, wrapped; 0 where one is 0.
static tiny_uop *tn_common_multiple(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *g = tn_common_divisor(t, a, b), *none = tn_is_zero(t, g);
  tiny_uop *part = tn_idiv(t, tn_abs(t, a), tn_where(t, none, tn_k(t, a, 1), g));
  return tn_mul(t, part, tn_abs(t, b));
}
static tiny_uop *tn_heaviside(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_where(t, tn_is_zero(t, a), b, tn_where(t, tn_gt(t, a, tn_k(t, a, 0)), tn_k(t, a, 1), tn_k(t, a, 0)));
}

// The dtype that a and b meet in. As in PyTorch, a 0-d operand matters only if its kind (bool,
// integer, float) is higher.
static int tn_dtype_rank(int d) { return tn_is_float(d) ? 2 : d != TINY_BOOL; }
static int tn_meet_all(int n, const tiny_uop *const *u) {
  int main = TINY_VOID, other = TINY_VOID;             // of the operands with dims, of those without
  for (int i = 0; i < n; i++) {
    int *of = u[i]->ndim ? &main : &other;
    *of = (int)tiny_promote((tiny_dtype)*of, (tiny_dtype)u[i]->dtype);
  }
  if (main != TINY_VOID && (other == TINY_VOID || tn_dtype_rank(other) <= tn_dtype_rank(main))) return main;
  return (int)tiny_promote((tiny_dtype)main, (tiny_dtype)other);
}
static tiny_dtype tn_meet(const tiny_uop *a, const tiny_uop *b) {
  const tiny_uop *u[2] = {a, b};
  return (tiny_dtype)tn_meet_all(2, u);
}

// Do the shapes of x[0..n-1] broadcast?
static int tn_shapes_meet(const char *name, int n, tiny_tensor *const *x) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t dim[TN_MAX_DIMS];
  int ndim = 0;
  for (int i = 0; i < n; i++) {
    tn_dims_text(a, sizeof a, i ? ndim : 0, dim);
    if (tn_broadcast_dims(tn_uop_of(x[i])->ndim, tn_uop_of(x[i])->dim, &ndim, dim)) continue;
    tiny_fail(tn_ctx_of(x[0]), TINY_E_SHAPE, "%s: %s and %s do not broadcast", name, a,
              tn_text_of(tn_uop_of(x[i]), b));
    return 0;
  }
  tiny_shape s = {ndim, {0}};
  memcpy(s.dim, dim, (size_t)ndim * sizeof *dim);
  return tn_shape_valid(tn_ctx_of(x[0]), name, &s);
}

// Operands x[0..n-1] as a formula gets them, broadcast to each other. -1: *out is what the operator returns; else the
// dtype of the result.
static int tn_enter_all(const char *name, int takes, int n, tiny_tensor *const *x, tiny_uop **u, tiny_tensor **out) {
  if (!tn_usable(name, n, x, out) || !tn_shapes_meet(name, n, x)) return -1;
  tiny_ctx *t = tn_ctx_of(x[0]);
  const tiny_uop *v[3] = {NULL, NULL, NULL};
  for (int i = 0; i < n; i++) v[i] = tn_uop_of(x[i]);
  const int dtype = tn_meet_all(n, v);
  if (!tn_taken(t, name, takes, dtype)) return -1;
  for (int i = 0; i < n; i++) u[i] = tn_cast(t, tn_uop_of(x[i]), tn_inside(takes, dtype));
  for (int i = 1; i < n; i++) tn_broadcast(t, &u[0], &u[i]);
  for (int i = 1; i < n; i++) tn_broadcast(t, &u[0], &u[i]);
  for (int i = 0; i < n; i++) if (tn_bad(t, u[i])) for (int j = 0; j < n; j++) u[j] = &t->ir->bad;
  return tn_result(takes, dtype);
}
static tiny_tensor *tn_binary_operator(const char *name, int takes, tn_formula2 formula, tiny_tensor *a,
                                       tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  tiny_uop *u[2];
  const int dtype = tn_enter_all(name, takes, 2, in, u, &out);
  return dtype < 0 ? out : tn_give(formula(tn_ctx_of(a), u[0], u[1]), dtype, 2, in);
}
// Of a question: bool whatever the operands are.
static tiny_tensor *tn_compare(const char *name, tn_formula2 formula, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  tiny_uop *u[2];
  tiny_ctx *t = tn_ctx_of(a);
  return tn_enter_all(name, TN_ANY, 2, in, u, &out) < 0 ? out : tn_tensor_new(t, formula(t, u[0], u[1]));
}
// Each operand is true where it is not 0.
static tiny_tensor *tn_logic(const char *name, tn_formula2 formula, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable(name, 2, in, &out) || !tn_shapes_meet(name, 2, in)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  return tn_tensor_new(t, formula(t, tn_cast(t, tn_uop_of(a), TINY_BOOL), tn_cast(t, tn_uop_of(b), TINY_BOOL)));
}

// What a node's elements all are, if they are one constant; else NULL.
static const tiny_uop *tn_constant_of(const tiny_uop *u) {
  while (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_EXPAND || u->op == TINY_OP_PERMUTE ||
         u->op == TINY_OP_CAST)
    u = u->src[0];
  return tn_is_const(u) ? u : NULL;
}
// Integer powers that wrap, with exponents known only at run time: a step for every bit of the exponent.
static tiny_uop *tn_pow_whole(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *one = tn_k(t, a, 1), *zero = tn_k(t, a, 0), *y = one, *x = a;
  for (int bit = 0; !tn_bad(t, x) && !tn_bad(t, y) && bit < tn_bits(a->dtype) - tn_is_signed(a->dtype);
       bit++) {
    tiny_uop *has = tn_ne(t, tn_and(t, tn_shr(t, b, tn_k(t, b, bit)), one), zero);
    y = tn_where(t, has, tn_mul(t, y, x), y);
    x = tn_square(t, x);
  }
  if (!tn_is_signed(a->dtype)) return y;
  tiny_uop *odd = tn_ne(t, tn_and(t, b, one), zero), *unit = tn_where(t, odd, tn_k(t, a, -1), one);
  tiny_uop *inverse =
      tn_where(t, tn_eq(t, a, one), one, tn_where(t, tn_eq(t, a, tn_k(t, a, -1)), unit, zero));
  return tn_where(t, tn_below_zero(t, b), inverse, y);
}
static tiny_uop *tn_pow(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  TN_FLOAT_MODE;
  const tiny_uop *c = tn_constant_of(b);
  tiny_uop *one = tn_expand(t, tn_k(t, a, 1), a->ndim, a->dim);
  if (!tn_is_float(a->dtype)) {
    const int64_t k = c && !tn_is_float(c->dtype) ? tn_dtype_wrap(b->dtype, c->k) : -1;
    return k < 0 ? tn_pow_whole(t, a, b) : k ? tn_power(t, a, k) : one;
  }
  const double e = !c ? (double)NAN : tn_is_float(c->dtype) ? tn_to_f64(c->k) : (double)c->k;
  if (e == 0) return one;
  if (e == 0.5) return tn_sqrt(t, a);
  if (e == -0.5) return tn_rsqrt(t, a);
  if (e == floor(e) && fabs(e) <= 32) {
    tiny_uop *y = tn_power(t, a, (int64_t)fabs(e));
    return e < 0 ? tn_reciprocal(t, y) : y;
  }
  return tn_binary(t, TINY_OP_POW, a, b);
}

// Those that also take a number in the place of b, and of these those that also take one in the place of a.
#define TN_ORDERED(_) \
  _(sub, TN_NUMBER, tn_sub) _(div, TN_REAL, tn_fdiv) _(pow, TN_WIDE, tn_pow) \
  _(floor_div, TN_WIDE, tn_floor_divide) _(remainder, TN_WIDE, tn_remainder)
#define TN_ARITHMETIC(_) \
  _(add, TN_ANY, tn_add) _(mul, TN_ANY, tn_mul) _(maximum, TN_ANY, tn_max) _(minimum, TN_ANY, tn_min) TN_ORDERED(_)
#define TN_BINARY(_) \
  TN_ARITHMETIC(_) \
  _(trunc_div, TN_WIDE, tn_trunc_divide) _(fmod, TN_WIDE, tn_fmod) _(fmax, TN_ANY, tn_fmax) _(fmin, TN_ANY, tn_fmin) \
  _(bitwise_and, TN_BITS, tn_and) _(bitwise_or, TN_BITS, tn_or) _(bitwise_xor, TN_BITS, tn_xor) \
  _(gcd, TN_WHOLE, tn_common_divisor) _(lcm, TN_WHOLE, tn_common_multiple) \
  _(shift_left, TN_WHOLE, tn_shl) _(shift_right, TN_WHOLE, tn_shr) \
  _(copysign, TN_REAL, tn_copysign) _(heaviside, TN_NUMBER, tn_heaviside)
#define TN_BINARY_OPERATOR(name, takes, formula) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *a, tiny_tensor *b) { \
    return tn_binary_operator(#name, takes, formula, a, b); \
  }
TN_BINARY(TN_BINARY_OPERATOR)
#define TN_COMPARISONS(_) _(lt) _(gt) _(le) _(ge) _(eq) _(ne)
#define TN_COMPARISON_OPERATOR(name) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *a, tiny_tensor *b) { return tn_compare(#name, tn_##name, a, b); }
TN_COMPARISONS(TN_COMPARISON_OPERATOR)
#define TN_LOGIC(_) _(logical_and, tn_and) _(logical_or, tn_or) _(logical_xor, tn_ne)
#define TN_LOGIC_OPERATOR(name, formula) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *a, tiny_tensor *b) { return tn_logic(#name, formula, a, b); }
TN_LOGIC(TN_LOGIC_OPERATOR)

// ** a tensor and a number **

#define TN_TWO_63 9223372036854775808.0
// Is value a whole number of 64 bits, with dtype's sign? tn_whole_bits: those.
static int tn_is_whole(int dtype, double value) {
  return value == floor(value) && value >= -TN_TWO_63 && value < (dtype == TINY_U64 ? 2 * TN_TWO_63 : TN_TWO_63);
}
static int64_t tn_whole_bits(double value) { return value < TN_TWO_63 ? (int64_t)value : (int64_t)(uint64_t)value; }
// The dtype that x and a number meet in, as PyTorch's with a number of Python's: a whole number takes part as an
// integer, others as f32, and neither is wider than x where the kind is the same.
static int tn_meet_number(int dtype, double value) {
  if (tn_is_float(dtype)) return dtype;
  return !tn_is_whole(dtype, value) ? (int)TINY_F32 : dtype == TINY_BOOL ? (int)TINY_I64 : dtype;
}
// The same of questions: no integer is taken for another. A number that x's dtype has not meets it in f64, which has
// all that lie around a fraction; what lies beyond the dtype becomes infinite, as f64 takes 2^64 - 1 for 2^64.
static int tn_meet_number_exactly(int dtype, double *value) {
  if (tn_is_float(dtype)) return dtype;
  const double end = dtype == TINY_BOOL ? 2 : ldexp(1, tn_bits(dtype) - !tn_is_unsigned(dtype));
  if (*value >= end) *value = HUGE_VAL;
  if (*value < (double)tn_dtype_min(dtype)) *value = -HUGE_VAL;
  return tn_is_whole(dtype, *value) ? dtype : (int)TINY_F64;
}
// formula(x, value), or of value first: formula(value, x), computed as takes says of dtype. What is computed as a float
// takes value as it is (u8 / 256 is not by 0), and as a bound it is the nearest that dtype has; other integers wrap.
static tiny_uop *tn_with_number(int takes, tn_formula2 formula, tiny_tensor *x, double value, int first, int dtype) {
  tiny_ctx *t = tn_ctx_of(x);
  const int inside = tn_inside(takes, dtype), met = tn_is_float(dtype) ? dtype : inside;
  const int bound = formula == tn_max || formula == tn_min;
  tiny_uop *u = tn_cast(t, tn_uop_of(x), inside), *v;
  v = tn_is_float(met) || bound ? tn_number(t, met, value) : tn_int(t, met, tn_whole_bits(value));
  if (!tn_bad(t, v)) v = tn_cast(t, v, inside);
  tn_broadcast(t, &u, &v);
  return tn_bad(t, u) ? u : first ? formula(t, v, u) : formula(t, u, v);
}
static tiny_tensor *tn_number_operator(const char *name, int takes, tn_formula2 formula, tiny_tensor *x, double value,
                                       int first) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int dtype = tn_meet_number(tn_uop_of(x)->dtype, value);
  if (!tn_taken(tn_ctx_of(x), name, takes, dtype)) return out;
  return tn_give(tn_with_number(takes, formula, x, value, first, dtype), tn_result(takes, dtype), 1, &x);
}
static tiny_tensor *tn_compare_number(const char *name, tn_formula2 formula, tiny_tensor *x, double value) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int dtype = tn_meet_number_exactly(tn_uop_of(x)->dtype, &value);
  return tn_tensor_new(tn_ctx_of(x), tn_with_number(TN_ANY, formula, x, value, 0, dtype));
}
#define TN_NUMBER_OPERATOR(name, takes, formula) \
  TINY_API tiny_tensor *tiny_##name##_scalar(tiny_tensor *x, double value) { \
    return tn_number_operator(#name "_scalar", takes, formula, x, value, 0); \
  }
#define TN_NUMBER_FIRST_OPERATOR(name, takes, formula) \
  TINY_API tiny_tensor *tiny_r##name##_scalar(tiny_tensor *x, double value) { \
    return tn_number_operator("r" #name "_scalar", takes, formula, x, value, 1); \
  }
#define TN_NUMBER_COMPARISON(name) \
  TINY_API tiny_tensor *tiny_##name##_scalar(tiny_tensor *x, double value) { \
    return tn_compare_number(#name "_scalar", tn_##name, x, value); \
  }
TN_ARITHMETIC(TN_NUMBER_OPERATOR)
TN_ORDERED(TN_NUMBER_FIRST_OPERATOR)
TN_COMPARISONS(TN_NUMBER_COMPARISON)

// Equal infinities are close; what is infinite is close to nothing else. Integers are compared as f64.
static tiny_uop *tn_isclose(const char *name, tiny_tensor *a, tiny_tensor *b, double rtol, double atol, int equal_nan,
                            tiny_tensor **out) {
  tiny_tensor *in[2] = {a, b};
  tiny_uop *u[2];
  if (tn_enter_all(name, TN_ANY, 2, in, u, out) < 0) return NULL;
  tiny_ctx *t = tn_ctx_of(a);
  if (!(rtol >= 0 && atol >= 0)) {
    tiny_fail(t, TINY_E_ARG, "%s: tolerances %g and %g", name, rtol, atol);
    return NULL;
  }
  if (tn_bad(t, u[0])) return u[0];
  const int dtype = tn_is_float(u[0]->dtype) ? tn_computed_in(u[0]->dtype) : (int)TINY_F64;
  tiny_uop *x = tn_cast(t, u[0], dtype), *y = tn_cast(t, u[1], dtype);
  tiny_uop *room = tn_plus(t, tn_times(t, tn_abs(t, y), rtol), atol), *apart = tn_abs(t, tn_sub(t, x, y));
  tiny_uop *close = tn_and(t, tn_le(t, apart, room), tn_isfinite(t, apart));
  close = tn_or(t, tn_eq(t, u[0], u[1]), close);
  return equal_nan ? tn_or(t, close, tn_and(t, tn_isnan(t, x), tn_isnan(t, y))) : close;
}
TINY_API tiny_tensor *tiny_isclose(tiny_tensor *a, tiny_tensor *b, double rtol, double atol, int equal_nan) {
  tiny_tensor *out;
  tiny_uop *close = tn_isclose("isclose", a, b, rtol, atol, equal_nan, &out);
  return close ? tn_tensor_new(tn_ctx_of(a), close) : out;
}
TINY_API tiny_tensor *tiny_allclose(tiny_tensor *a, tiny_tensor *b, double rtol, double atol, int equal_nan) {
  tiny_tensor *out;
  tiny_uop *close = tn_isclose("allclose", a, b, rtol, atol, equal_nan, &out);
  if (!close || tn_bad(tn_ctx_of(a), close)) return close ? tn_poison(tn_ctx_of(a)) : out;
  tiny_uop *const apart = tn_reduce(tn_ctx_of(a), TINY_OP_MAX, tn_not(tn_ctx_of(a), close), (1 << close->ndim) - 1, 0);
  return tn_tensor_new(tn_ctx_of(a), tn_not(tn_ctx_of(a), apart));
}

// ** of three operands **

TINY_API tiny_tensor *tiny_where(tiny_tensor *cond, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[3] = {cond, a, b};
  if (!tn_usable("where", 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(cond);
  if (tn_uop_of(cond)->dtype != TINY_BOOL)
    return tn_wrong(t, TINY_E_DTYPE, "where: the condition is %s, not bool",
                    tn_dtypes[tn_uop_of(cond)->dtype].name);
  if (!tn_shapes_meet("where", 3, in)) return out;
  const int dtype = tn_meet(tn_uop_of(a), tn_uop_of(b));
  return tn_tensor_new(t,
                       tn_where(t, tn_uop_of(cond), tn_cast(t, tn_uop_of(a), dtype),
                                tn_cast(t, tn_uop_of(b), dtype)));
}

// NaN in a bound gives NaN, as in PyTorch. Where lo > hi: hi.
TINY_API tiny_tensor *tiny_clamp_to(tiny_tensor *x, tiny_tensor *lo, tiny_tensor *hi) {
  tiny_tensor *out, *in[3] = {x, lo ? lo : x, hi ? hi : x};
  tiny_uop *u[3];
  const int dtype = tn_enter_all("clamp_to", TN_ANY, 3, in, u, &out);
  if (dtype < 0) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *y = u[0];
  if (lo) y = tn_where(t, tn_or(t, tn_lt(t, y, u[1]), tn_isnan(t, u[1])), u[1], y);
  if (hi) y = tn_where(t, tn_or(t, tn_gt(t, y, u[2]), tn_isnan(t, u[2])), u[2], y);
  return tn_tensor_new(t, y);
}
// From the nearer end, so that weight 1 gives b.
TINY_API tiny_tensor *tiny_lerp(tiny_tensor *a, tiny_tensor *b, tiny_tensor *weight) {
  tiny_tensor *out, *in[3] = {a, b, weight};
  tiny_uop *u[3];
  const int dtype = tn_enter_all("lerp", TN_REAL, 3, in, u, &out);
  if (dtype < 0) return out;
  tiny_ctx *t = tn_ctx_of(a);
  tiny_uop *way = tn_sub(t, u[1], u[0]), *left = tn_plus(t, tn_neg(t, u[2]), 1);
  tiny_uop *inner = tn_add(t, u[0], tn_mul(t, u[2], way)), *outer = tn_sub(t, u[1], tn_mul(t, way, left));
  return tn_give(tn_where(t, tn_lt(t, tn_abs(t, u[2]), tn_k(t, u[2], 0.5)), inner, outer), dtype, 3, in);
}
static tiny_tensor *tn_addc(const char *name, int takes, tn_formula2 formula, tiny_tensor *x, tiny_tensor *a,
                            tiny_tensor *b, double value) {
  tiny_tensor *out, *in[3] = {x, a, b};
  tiny_uop *u[3];
  const int dtype = tn_enter_all(name, takes, 3, in, u, &out);
  if (dtype < 0) return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_give(tn_add(t, u[0], formula(t, tn_times(t, u[1], value), u[2])), dtype, 3, in);
}
TINY_API tiny_tensor *tiny_addcmul(tiny_tensor *x, tiny_tensor *a, tiny_tensor *b, double value) {
  return tn_addc("addcmul", TN_WIDE, tn_mul, x, a, b, value);
}
TINY_API tiny_tensor *tiny_addcdiv(tiny_tensor *x, tiny_tensor *a, tiny_tensor *b, double value) {
  return tn_addc("addcdiv", TN_REAL, tn_fdiv, x, a, b, value);
}
#endif
