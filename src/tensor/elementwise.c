// elementwise: unary, binary and comparison operators: a table of names, the dtypes they take, and a formula each.
//
// A formula gets nodes of one dtype and gives a node. What surrounds it is here once: arguments,
// promotion, broadcasting. Formulas are chosen so that they are accurate where a textbook's
// cancels, and so that their gradients hold no inf*0.
#ifndef TN_TENSOR_ELEMENTWISE
#define TN_TENSOR_ELEMENTWISE
#ifndef TINY_AMALGAMATED
#include "movement.c"
#endif

// What dtypes an operator takes. TN_REAL: floats; integers and bools become f32; f16 and bf16 compute in f32.
enum { TN_ANY, TN_REAL, TN_NUMBER, TN_WHOLE, TN_BITS };      // any; floats; not bool; integers; integers and bool
static const char *const tn_takes[] = {"anything", "anything", "numbers", "integers", "integers and bools"};

typedef tiny_uop *(*tn_formula1)(tiny_ctx *t, tiny_uop *x);
typedef tiny_uop *(*tn_formula2)(tiny_ctx *t, tiny_uop *a, tiny_uop *b);

static int tn_is_half(int dtype) { return dtype == TINY_F16 || dtype == TINY_BF16; }
static int tn_taken(tiny_ctx *t, const char *name, int takes, int dtype) {
  if ((takes == TN_NUMBER && dtype == TINY_BOOL) || (takes == TN_WHOLE && !tn_is_int(dtype)) ||
      (takes == TN_BITS && tn_is_float(dtype))) {
    tiny_fail(t, TINY_E_DTYPE, "%s: takes %s, not %s", name, tn_takes[takes], tn_dtypes[dtype].name);
    return 0;
  }
  return 1;
}
static int tn_real(int dtype) { return tn_is_float(dtype) ? dtype : (int)TINY_F32; }
static int tn_computed_in(int dtype) { return tn_is_half(dtype) ? (int)TINY_F32 : dtype; }

// ** formulas of one operand **

#define TN_PI 3.14159265358979323846

static tiny_uop *tn_reciprocal(tiny_ctx *t, tiny_uop *x) { return tn_fdiv(t, tn_k(t, x, 1), x); }
static tiny_uop *tn_square(tiny_ctx *t, tiny_uop *x) { return tn_mul(t, x, x); }
static tiny_uop *tn_sqrt(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_SQRT, x); }
static tiny_uop *tn_rsqrt(tiny_ctx *t, tiny_uop *x) { return tn_reciprocal(t, tn_sqrt(t, x)); }
static tiny_uop *tn_exp2(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_EXP2, x); }
static tiny_uop *tn_log2(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_LOG2, x); }
static tiny_uop *tn_exp(tiny_ctx *t, tiny_uop *x) { return tn_exp2(t, tn_times(t, x, TN_LOG2_E)); }
static tiny_uop *tn_tan(tiny_ctx *t, tiny_uop *x) { return tn_fdiv(t, tn_sin(t, x), tn_cos(t, x)); }
static tiny_uop *tn_relu(tiny_ctx *t, tiny_uop *x) { return tn_max(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_below_zero(tiny_ctx *t, tiny_uop *x) { return tn_lt(t, x, tn_k(t, x, 0)); }

// exp(-|x|), never more than 1. |x| by WHERE: its derivative at 0 is 1, so that sigmoid's there is 1/4.
static tiny_uop *tn_decay(tiny_ctx *t, tiny_uop *x) {
  return tn_exp(t, tn_where(t, tn_below_zero(t, x), x, tn_neg(t, x)));
}
static tiny_uop *tn_sigmoid(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *e = tn_decay(t, x);
  return tn_fdiv(t, tn_where(t, tn_below_zero(t, x), e, tn_k(t, x, 1)), tn_plus(t, e, 1));
}
static tiny_uop *tn_silu(tiny_ctx *t, tiny_uop *x) { return tn_mul(t, x, tn_sigmoid(t, x)); }
// 0.5 x (1 + tanh(u)) = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3): Hendrycks and Gimpel, arXiv:1606.08415.
static tiny_uop *tn_gelu(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *cubic = tn_plus(t, tn_times(t, tn_square(t, x), 0.044715), 1);
  return tn_mul(t, x, tn_sigmoid(t, tn_times(t, tn_mul(t, x, cubic), 1.59576912160573071176)));
}
static tiny_uop *tn_polynomial(tiny_ctx *t, tiny_uop *x, int n, const double *c) {
  tiny_uop *y = tn_k(t, x, c[0]);
  for (int i = 1; i < n; i++) y = tn_plus(t, tn_mul(t, y, x), c[i]);
  return y;
}
// Near 0 the rational approximation of Cephes (Moshier, tanh.c), elsewhere (1 - e) / (1 + e) with e = exp(-2|x|).
static tiny_uop *tn_tanh(tiny_ctx *t, tiny_uop *x) {
  static const double p[3] = {-9.64399179425052238628E-1, -9.92877231001918586564E1,
                              -1.61468768441708447952E3};
  static const double q[4] = {1, 1.12811678491632931402E2, 2.23548839060100448583E3,
                              4.84406305325125486048E3};
  tiny_uop *z = tn_square(t, x), *e = tn_decay(t, tn_times(t, x, 2)), *negative = tn_below_zero(t, x);
  tiny_uop *outer = tn_fdiv(t, tn_plus(t, tn_neg(t, e), 1), tn_plus(t, e, 1));
  tiny_uop *is_small = tn_lt(t, z, tn_k(t, z, 0.390625));
  tiny_uop *zs = tn_where(t, is_small, z, tn_k(t, z, 0));       // keeps inf out of the branch that is not taken
  tiny_uop *inner =
      tn_mul(t, x,
             tn_plus(t, tn_fdiv(t, tn_mul(t, zs, tn_polynomial(t, zs, 3, p)), tn_polynomial(t, zs, 4, q)),
                     1));
  return tn_where(t, is_small, inner, tn_where(t, negative, tn_neg(t, outer), outer));
}

static tiny_uop *tn_abs(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || tn_is_unsigned(x->dtype) || x->dtype == TINY_BOOL ? x : tn_max(t, x, tn_neg(t, x));
}
static tiny_uop *tn_sign(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x) || x->dtype == TINY_BOOL) return x;
  tiny_uop *above = tn_gt(t, x, tn_k(t, x, 0)), *below = tn_below_zero(t, x);
  if (tn_bad(t, above) || tn_bad(t, below)) return &t->ir->bad;
  return tn_sub(t, tn_cast(t, above, x->dtype), tn_cast(t, below, x->dtype));
}
static tiny_uop *tn_trunc(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || !tn_is_float(x->dtype) ? x : tn_u1(t, TINY_OP_TRUNC, x);
}
static tiny_uop *tn_floor(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  return whole == x ? x : tn_where(t, tn_lt(t, x, whole), tn_plus(t, whole, -1), whole);
}
static tiny_uop *tn_ceil(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  return whole == x ? x : tn_where(t, tn_lt(t, whole, x), tn_plus(t, whole, 1), whole);
}
// Away from zero past a half, at a half if the whole part is odd.
static tiny_uop *tn_round(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  if (whole == x) return x;
  tiny_uop *part = tn_abs(t, tn_sub(t, x, whole)), *half = tn_times(t, whole, 0.5), *limit = tn_k(t, x, 0.5);
  tiny_uop *odd = tn_ne(t, tn_trunc(t, half), half);
  tiny_uop *away = tn_or(t, tn_gt(t, part, limit), tn_and(t, tn_eq(t, part, limit), odd));
  return tn_add(t, whole, tn_where(t, away, tn_sign(t, x), tn_k(t, x, 0)));
}
static tiny_uop *tn_is_zero(tiny_ctx *t, tiny_uop *x) { return tn_eq(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_isnan(tiny_ctx *t, tiny_uop *x) { return tn_ne(t, x, x); }

static tiny_tensor *tn_unary(const char *name, int takes, tn_formula1 formula, tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out) || !tn_taken(x->t, name, takes, x->uop->dtype)) return out;
  if (takes != TN_REAL) return tn_tensor_new(x->t, formula(x->t, x->uop));
  const int dtype = tn_real(x->uop->dtype);
  tiny_uop *u = tn_cast(x->t, x->uop, tn_computed_in(dtype));
  u = tn_bad(x->t, u) ? u : formula(x->t, u);
  return tn_tensor_new(x->t, tn_bad(x->t, u) ? u : tn_cast(x->t, u, dtype));
}

#define TN_UNARY(_) \
  _(neg, TN_NUMBER) _(abs, TN_ANY) _(sign, TN_ANY) _(square, TN_ANY) _(trunc, TN_ANY) _(floor, TN_ANY) \
  _(ceil, TN_ANY) _(round, TN_ANY) \
  _(sqrt, TN_REAL) _(rsqrt, TN_REAL) _(reciprocal, TN_REAL) _(exp, TN_REAL) _(exp2, TN_REAL) _(log2, TN_REAL) \
  _(sin, TN_REAL) _(cos, TN_REAL) _(tan, TN_REAL) _(tanh, TN_REAL) _(sigmoid, TN_REAL) \
  _(silu, TN_REAL) _(gelu, TN_REAL) _(relu, TN_NUMBER) _(isnan, TN_ANY)
#define TN_UNARY_OPERATOR(name, takes) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *x) { return tn_unary(#name, takes, tn_##name, x); }
TN_UNARY(TN_UNARY_OPERATOR)
TINY_API tiny_tensor *tiny_log(tiny_tensor *x) { return tn_unary("log", TN_REAL, tn_logarithm, x); }
TINY_API tiny_tensor *tiny_logical_not(tiny_tensor *x) {
  return tn_unary("logical_not", TN_ANY, tn_is_zero, x);
}

// The gradient is that of x within the bounds, both included; NaN stays.
TINY_API tiny_tensor *tiny_clamp(tiny_tensor *x, double lo, double hi) {
  tiny_tensor *out;
  if (!tn_usable("clamp", 1, &x, &out)) return out;
  if (!(lo <= hi)) return tn_wrong(x->t, TINY_E_ARG, "clamp: from %g to %g", lo, hi);
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop, *low = tn_k(t, u, lo), *high = tn_k(t, u, hi);
  return tn_tensor_new(t, tn_where(t, tn_lt(t, u, low), low, tn_where(t, tn_gt(t, u, high), high, u)));
}

// ** formulas of two operands **

static tiny_uop *tn_floor_divide(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_bad(t, a) || !tn_is_float(a->dtype) ? tn_idiv(t, a, b) : tn_floor(t, tn_fdiv(t, a, b));
}
// a - b floor(a/b), put right where the quotient was rounded over a whole number. (inf as b gives NaN.)
static tiny_uop *tn_remainder(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (tn_bad(t, a) || !tn_is_float(a->dtype)) return tn_mod(t, a, b);
  tiny_uop *r = tn_sub(t, a, tn_mul(t, b, tn_floor_divide(t, a, b))), *zero = tn_k(t, a, 0);
  tiny_uop *wrong_sign = tn_and(t, tn_ne(t, r, zero), tn_ne(t, tn_lt(t, r, zero), tn_lt(t, b, zero)));
  return tn_where(t, wrong_sign, tn_add(t, r, b), r);
}
static tiny_uop *tn_le(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {            // not b < a would be true for NaN
  if (tn_bad(t, a) || !tn_is_float(a->dtype)) return tn_not(t, tn_lt(t, b, a));
  return tn_or(t, tn_lt(t, a, b), tn_eq(t, a, b));
}
static tiny_uop *tn_ge(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_le(t, b, a); }

// The dtype that a and b meet in. As in PyTorch, a 0-d operand matters only if its kind (bool,
// integer, float) is higher.
static int tn_dtype_rank(int d) { return tn_is_float(d) ? 2 : d != TINY_BOOL; }
static tiny_dtype tn_meet(const tiny_uop *a, const tiny_uop *b) {
  if (!a->ndim == !b->ndim) return tiny_promote((tiny_dtype)a->dtype, (tiny_dtype)b->dtype);
  const tiny_uop *main = a->ndim ? a : b, *other = a->ndim ? b : a;
  if (tn_dtype_rank(other->dtype) <= tn_dtype_rank(main->dtype)) return (tiny_dtype)main->dtype;
  return tiny_promote((tiny_dtype)a->dtype, (tiny_dtype)b->dtype);
}

// Do the shapes of x[0..n-1] broadcast?
static int tn_shapes_meet(const char *name, int n, tiny_tensor *const *x) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t dim[TINY_MAX_DIMS];
  int ndim = 0;
  for (int i = 0; i < n; i++) {
    tn_dims_text(a, sizeof a, i ? ndim : 0, dim);
    if (tn_broadcast_dims(x[i]->uop->ndim, x[i]->uop->dim, &ndim, dim)) continue;
    tiny_fail(x[0]->t, TINY_E_SHAPE, "%s: %s and %s do not broadcast", name, a, tn_text_of(x[i]->uop, b));
    return 0;
  }
  return 1;
}

static tiny_tensor *tn_binary_operator(const char *name, int takes, tn_formula2 formula, tiny_tensor *a,
                                       tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable(name, 2, in, &out) || !tn_shapes_meet(name, 2, in)) return out;
  tiny_ctx *t = a->t;
  int dtype = tn_meet(a->uop, b->uop);
  if (!tn_taken(t, name, takes, dtype)) return out;
  if (takes == TN_REAL) dtype = tn_real(dtype);
  const int inside = takes == TN_REAL ? tn_computed_in(dtype) : dtype;
  tiny_uop *x = tn_cast(t, a->uop, inside), *y = tn_cast(t, b->uop, inside);
  tn_broadcast(t, &x, &y);
  x = tn_bad(t, x) || tn_bad(t, y) ? &t->ir->bad : formula(t, x, y);
  return tn_tensor_new(t, takes == TN_REAL && !tn_bad(t, x) ? tn_cast(t, x, dtype) : x);
}

// What a node's elements all are, if they are one constant; else NULL.
static const tiny_uop *tn_constant_of(const tiny_uop *u) {
  while (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_EXPAND || u->op == TINY_OP_PERMUTE ||
         u->op == TINY_OP_CAST)
    u = u->src[0];
  return tn_is_const(u) ? u : NULL;
}
static tiny_uop *tn_power(tiny_ctx *t, tiny_uop *x, int64_t n) {           // n >= 1, by squaring
  tiny_uop *y = NULL;
  for (; n; n >>= 1) {
    if (n & 1) y = y ? tn_mul(t, y, x) : x;
    if (n > 1) x = tn_square(t, x);
  }
  return y;
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
  const tiny_uop *c = tn_constant_of(b);
  tiny_uop *one = tn_expand(t, tn_k(t, a, 1), a->ndim, a->dim);
  if (!tn_is_float(a->dtype))
    return c && c->k >= 0 && !tn_is_float(c->dtype) ? (c->k ? tn_power(t, a, c->k) : one) :
                                                      tn_pow_whole(t, a, b);
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

#define TN_BINARY(_) \
  _(add, TN_ANY, tn_add) _(sub, TN_NUMBER, tn_sub) _(mul, TN_ANY, tn_mul) _(div, TN_REAL, tn_fdiv) \
  _(floor_div, TN_NUMBER, tn_floor_divide) _(remainder, TN_NUMBER, tn_remainder) \
  _(maximum, TN_ANY, tn_max) _(minimum, TN_ANY, tn_min) \
  _(lt, TN_ANY, tn_lt) _(gt, TN_ANY, tn_gt) _(le, TN_ANY, tn_le) _(ge, TN_ANY, tn_ge) \
  _(eq, TN_ANY, tn_eq) _(ne, TN_ANY, tn_ne) \
  _(bitwise_and, TN_BITS, tn_and) _(bitwise_or, TN_BITS, tn_or) _(bitwise_xor, TN_BITS, tn_xor) \
  _(shift_left, TN_WHOLE, tn_shl) _(shift_right, TN_WHOLE, tn_shr)
#define TN_BINARY_OPERATOR(name, takes, formula) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *a, tiny_tensor *b) { \
    return tn_binary_operator(#name, takes, formula, a, b); \
  }
TN_BINARY(TN_BINARY_OPERATOR)

// Halves are computed in f32; integers stay integers.
TINY_API tiny_tensor *tiny_pow(tiny_tensor *a, tiny_tensor *b) {
  const int real = tiny_ok(a) && tiny_ok(b) && tn_is_float(tn_meet(a->uop, b->uop));
  return tn_binary_operator("pow", real ? TN_REAL : TN_NUMBER, tn_pow, a, b);
}

TINY_API tiny_tensor *tiny_where(tiny_tensor *cond, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[3] = {cond, a, b};
  if (!tn_usable("where", 3, in, &out)) return out;
  tiny_ctx *t = cond->t;
  if (cond->uop->dtype != TINY_BOOL)
    return tn_wrong(t, TINY_E_DTYPE, "where: the condition is %s, not bool",
                    tn_dtypes[cond->uop->dtype].name);
  if (!tn_shapes_meet("where", 3, in)) return out;
  const int dtype = tn_meet(a->uop, b->uop);
  return tn_tensor_new(t, tn_where(t, cond->uop, tn_cast(t, a->uop, dtype), tn_cast(t, b->uop, dtype)));
}
#endif
