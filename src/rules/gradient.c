// gradient: reverse-mode differentiation as rules: what flows into the sources of a node, given
// what flows into the node.
//
// In:  a float node r; ctx: tn_gradient with g, the gradient of r (r's shape and dtype), and which sources want theirs.
// Out: (GROUP d0 d1 ..), the sources' gradients before broadcasting is undone; (GROUP) stands for
//      none. A node that no rule matches has no gradient. The formulas are built like any others,
//      so they can be differentiated again.
// WHERE keeps what is infinite or NaN in one branch out of the other: 0 * inf must not happen.
#ifndef TN_RULES_GRADIENT
#define TN_RULES_GRADIENT
#ifndef TINY_AMALGAMATED
#include "../ir/match.c"
#include "../ir/special.c"
#endif

#define TN_2_SQRT_PI 1.12837916709551257390
typedef struct tn_gradient { tiny_uop *g; int wants; } tn_gradient;

static tiny_uop *tn_gradient_none(tiny_ctx *t) {
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 0, NULL, 0, 0, NULL);
}
static tiny_uop *tn_gradient_group(tiny_ctx *t, int n, tiny_uop *a, tiny_uop *b, tiny_uop *c) {
  tiny_uop *d[3] = {a, b, c};
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, n, d, 0, 0, NULL);
}

// x summed over what broadcasting to its shape from dim had added; halves in f32.
static tiny_uop *tn_unbroadcast(tiny_ctx *t, tiny_uop *x, int n, const int64_t *dim) {
  if (tn_bad(t, x) || tn_has_dims(x, n, dim)) return x;
  const int lead = x->ndim - n, dtype = x->dtype;
  int bits = 0;
  for (int i = 0; i < x->ndim; i++) if (i < lead || (dim[i - lead] == 1 && x->dim[i] != 1)) bits |= 1 << i;
  if (bits)
    x = tn_sum(t, tn_cast(t, x, tn_is_narrow(dtype) ? (int)TINY_F32 : dtype), bits, 1);
  return tn_bad(t, x) ? x : tn_reshape(t, tn_cast(t, x, dtype), n, dim);
}

// Formulas of sources a, b, c; what is not wanted is not built.
#define g              (((const tn_gradient *)ctx)->g)
#define a              (r->src[0])
#define b              (r->src[1])
#define c              (r->src[2])
#define none           tn_gradient_none(t)
#define wanted(i, d)   (((const tn_gradient *)ctx)->wants >> (i) & 1 ? (d) : none)
#define one(d)         tn_gradient_group(t, 1, wanted(0, d), NULL, NULL)
#define two(d, e)      tn_gradient_group(t, 2, wanted(0, d), wanted(1, e), NULL)
#define three(d, e, f) tn_gradient_group(t, 3, wanted(0, d), wanted(1, e), wanted(2, f))
#define neg(x)         tn_neg(t, x)
#define add(x, y)      tn_add(t, x, y)
#define mul(x, y)      tn_mul(t, x, y)
#define div(x, y)      tn_fdiv(t, x, y)
#define lt(x, y)       tn_lt(t, x, y)
#define eq(x, y)       tn_eq(t, x, y)
#define le(x, y)       tn_or(t, lt(x, y), eq(x, y))
#define times(x, k)    tn_times(t, x, k)
#define number(k)      tn_k(t, r, k)
#define where(p, x, y) tn_where(t, p, x, y)
#define like(x, y)     tn_expand(t, x, (y)->ndim, (y)->dim)

static tiny_uop *tn_gradient_permute(tiny_ctx *t, const tiny_uop *r, tiny_uop *d) {
  int64_t inverse[TN_MAX_DIMS];
  for (int i = 0; i < r->ndim; i++) inverse[r->v[i]] = i;
  return tn_permute(t, d, inverse);
}
static tiny_uop *tn_gradient_pad(tiny_ctx *t, const tiny_uop *r, tiny_uop *d) {
  int64_t v[2 * TN_MAX_DIMS];
  for (int i = 0; i < r->ndim; i++) { v[2 * i] = r->v[2 * i]; v[2 * i + 1] = r->dim[i] - r->v[2 * i + 1]; }
  return tn_shrink(t, d, v);
}
static tiny_uop *tn_gradient_shrink(tiny_ctx *t, const tiny_uop *r, const tiny_uop *x, tiny_uop *d) {
  int64_t v[2 * TN_MAX_DIMS];
  int cut = 0;
  for (int i = 0; i < r->ndim; i++) {
    v[2 * i] = r->v[2 * i]; v[2 * i + 1] = x->dim[i] - r->v[2 * i + 1];
    cut |= (v[2 * i] || v[2 * i + 1]) << i;
  }
  return tn_pad(t, tn_wholes(t, d, cut, 0), v);
}
// Back to the device of x, where x is on one; past a copy that a part of a SHARD got goes one of its own.
static tiny_uop *tn_gradient_copy(tiny_ctx *t, const tiny_uop *r, const tiny_uop *x, tiny_uop *d) {
  if (!x->device) return d;
  return r->nv ? tn_sent_to(t, d, x->device, ~r->v[0]) : tn_copy_to(t, d, x->device);
}
// Shared equally by all maxima, or by all NaN where there is one: those of x as it is stored, among which the maximum
// is found again; r may have been computed from an x that was another in its last bits.
static tiny_uop *tn_gradient_max(tiny_ctx *t, tiny_uop *r, tiny_uop *x, tiny_uop *d) {
  const int axes = (int)(r->k >> 8);
  tiny_uop *stored = tn_once(t, x), *is = eq(stored, tn_reduce(t, TINY_OP_MAX, stored, axes, 1));
  if (tn_bad(t, is)) return is;
  is = tn_or(t, is, tn_isnan(t, stored));
  tiny_uop *count = tn_sum(t, tn_cast(t, is, x->dtype), axes, 1);
  return where(is, like(div(d, count), x), number(0));
}
// Equal operands share; beside a NaN each gets all of it, as in PyTorch. Both know of one comparison who is greater.
static tiny_uop *tn_gradient_greater(tiny_ctx *t, tiny_uop *r, void *ctx) {
  const int wants = ((const tn_gradient *)ctx)->wants;
  tiny_uop *x = r->src[0], *y = r->src[1], *part[2];
  tiny_uop *above = tn_cast(t, le(y, x), TINY_I8), *below = tn_cast(t, le(x, y), TINY_I8);
  tiny_uop *is = tn_add(t, above, times(below, 2));          // 1: x is greater, 2: y, 3: equal, 0: NaN
  if (wants == 3) is = tn_once(t, is);
  for (int i = 0; i < 2; i++)
    part[i] = !(wants >> i & 1) ? tn_gradient_none(t) :
        where(eq(is, tn_k(t, is, 2 - i)), number(0), where(eq(is, tn_k(t, is, 3)), times(g, 0.5), g));
  return tn_gradient_group(t, 2, part[0], part[1], NULL);
}
// The product of the others: r / x; where x is the only zero, the product of what is not zero.
static tiny_uop *tn_gradient_product(tiny_ctx *t, tiny_uop *r, tiny_uop *x, tiny_uop *d) {
  const int axes = (int)(r->k >> 8);
  x = tn_once(t, x);                       // what is 0 is 0 wherever it is asked for
  tiny_uop *zero = eq(x, number(0)), *safe = where(zero, number(1), x);
  if (tn_bad(t, zero)) return zero;
  tiny_uop *zeros = tn_sum(t, tn_cast(t, zero, x->dtype), axes, 1),
           *rest = mul(d, tn_reduce(t, TINY_OP_MUL, safe, axes, 1));
  tiny_uop *of_zero = where(eq(zeros, number(1)), rest, number(0)),
           *of_others = where(eq(zeros, number(0)), rest, number(0));
  return where(zero, like(of_zero, x), div(like(of_others, x), safe));
}

// sigmoid'(x) = e / (1 + e)^2, e = exp(-|x|)
static tiny_uop *tn_bell(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *e = tn_decay(t, x), *d = tn_plus(t, e, 1);
  return div(e, mul(d, d));
}
// The derivative of y as a function of x that a DETACH names.
static tiny_uop *tn_slope(tiny_ctx *t, int slope, tiny_uop *x, tiny_uop *y) {
  switch (slope & 255) {
    case TN_SLOPE_TAN:     return tn_plus(t, mul(y, y), 1);
    case TN_SLOPE_TANH:    return times(tn_bell(t, times(x, 2)), 4);          // 1 - y^2 would cancel
    case TN_SLOPE_SIGMOID: return tn_bell(t, x);
    case TN_SLOPE_EXPM1:   return tn_plus(t, y, 1);
    case TN_SLOPE_LOG1P:   return tn_reciprocal(t, tn_plus(t, x, 1));
    case TN_SLOPE_CBRT:    return tn_reciprocal(t, times(mul(y, y), 3));
    case TN_SLOPE_ASIN:    return tn_rsqrt(t, mul(tn_plus(t, neg(x), 1), tn_plus(t, x, 1)));
    case TN_SLOPE_ACOS:    return neg(tn_rsqrt(t, mul(tn_plus(t, neg(x), 1), tn_plus(t, x, 1))));
    case TN_SLOPE_ATAN:    return tn_reciprocal(t, tn_plus(t, mul(x, x), 1));
    case TN_SLOPE_ASINH:   return tn_rsqrt(t, tn_plus(t, mul(x, x), 1));
    case TN_SLOPE_ACOSH:   return mul(tn_rsqrt(t, tn_plus(t, x, -1)), tn_rsqrt(t, tn_plus(t, x, 1)));
    case TN_SLOPE_ATANH:   return tn_reciprocal(t, mul(tn_plus(t, neg(x), 1), tn_plus(t, x, 1)));
    case TN_SLOPE_ERF:     return times(tn_exp_falling(t, neg(mul(x, x))), TN_2_SQRT_PI);
    case TN_SLOPE_ERFC:    return times(tn_exp_falling(t, neg(mul(x, x))), -TN_2_SQRT_PI);
    case TN_SLOPE_NORMAL:  return times(tn_exp_falling(t, times(mul(x, x), -0.5)), 0.39894228040143267794);
    case TN_SLOPE_ABS:     return tn_sign(t, x);
    case TN_SLOPE_ERFINV:  return times(tn_exp(t, mul(y, y)), 1 / TN_2_SQRT_PI);
    case TN_SLOPE_SAME:    return tn_k(t, y, 1);
    case TN_SLOPE_I0:      return tn_i1(t, x);
    case TN_SLOPE_I1:      return tn_i1_slope(t, x, y);
    case TN_SLOPE_I0E:     return tn_i0e_slope(t, x, y);
    case TN_SLOPE_I1E:     return tn_i1e_slope(t, x, y);
    case TN_SLOPE_POLYGAMMA: return tn_polygamma(t, (slope >> 8) + 1, x);
    default:               return tn_digamma(t, x);          // TN_SLOPE_LGAMMA
  }
}

RULES(tn_rules_gradient, x)
  // ** arithmetic **
  RULE("(ADD _ _)")        return two(g, g);
  RULE("(MUL _ _)")        return two(mul(g, b), mul(g, a));
  RULE("(FDIV _ _)")       return two(div(g, b), neg(div(mul(g, r), b)));
  RULE("(SQRT _)")         return one(div(times(g, 0.5), r));
  RULE("(EXP2 _)")         return one(r->k & TN_EXP_NATURAL ? mul(g, r) : times(mul(g, r), TN_LN_2));
  RULE("(LOG2 _)")         return one(div(times(g, TN_LOG2_E), a));
  RULE("(SIN _)")          return one(r->k ? neg(mul(g, tn_sin(t, a))) : mul(g, tn_cos(t, a)));
  RULE("(TRUNC _)")        return one(none);
  RULE("(POW _ _)") {                                        // y x^(y-1), and x^y ln x, with their limits at 0
    tiny_uop *base_zero = eq(a, number(0)), *at_zero = where(lt(b, number(0)), number(-HUGE_VAL), number(0));
    return two(mul(g,
                   where(eq(b, number(0)), number(0),
                         mul(b, tn_binary(t, TINY_OP_POW, a, tn_plus(t, b, -1))))),
               mul(g, where(base_zero, at_zero, mul(r, tn_logarithm(t, where(base_zero, number(1), a))))));
  }
  RULE("(MAX _ 0)")        return two(where(le(a, b), number(0), g), none);               // relu's is 0 at 0
  RULE("(MAX _ _)")        return tn_gradient_greater(t, r, ctx);
  RULE("(WHERE _ _ _)")    return three(none, where(a, g, number(0)), where(a, number(0), g));
  RULE("(CAST _)")         return one(tn_cast(t, g, a->dtype));
  RULE("(BITCAST _)")      return one(none);
  // ** movement: the inverse movement **
  RULE("(RESHAPE _)")      return one(tn_reshape(t, g, a->ndim, a->dim));
  RULE("(EXPAND _)")       return one(tn_unbroadcast(t, g, a->ndim, a->dim));
  RULE("(PERMUTE _)")      return one(tn_gradient_permute(t, r, g));
  RULE("(PAD _)")          return one(tn_gradient_pad(t, r, g));
  RULE("(SHRINK _)")       return one(tn_gradient_shrink(t, r, a, g));
  RULE("(FLIP _)")         return one(tn_flip(t, g, r->k));
  RULE("(SLICE _ _)")      return two(tn_place_at(t, g, (int)r->k, b, a->dim[r->k]), none);
  RULE("(PREFIX _ _)")     return two(tn_whole(t, g, (int)r->k, b, 0), none);
  RULE("(WHOLE _ _)")      return two(tn_whole(t, g, (int)r->k, b, 0), none);
  // ** reductions: k is the op and, from bit 8 on, the axes **
  RULE("(REDUCE x)") {
    switch (r->k & 0xFF) {
      case TINY_OP_ADD: return one(like(g, x));
      case TINY_OP_MAX: return one(tn_gradient_max(t, r, x, g));
      default:          return one(tn_gradient_product(t, r, x, g));
    }
  }
  // ** identities **
  RULE("(CONTIGUOUS _)")   return one(g);
  RULE("(COPY _)")         return one(tn_gradient_copy(t, r, a, g));
  RULE("(DETACH _)")       return one(none);
  RULE("(AFTER x ...)")    return one(g);                    // checkpoints: tensor/grad.c
  RULE("(DETACH _ _)")     return two(none, mul(g, tn_slope(t, (int)r->k, b, r)));
  RULE("(DETACH _ _ _)") {                                   // incomplete gamma functions
    tiny_uop *d = mul(g, tn_igamma_slope(t, b, c));
    return three(none, r->k == TN_SLOPE_IGAMMAC ? neg(d) : d, none);
  }
RULES_END

#undef g
#undef a
#undef b
#undef c
#undef none
#undef wanted
#undef one
#undef two
#undef three
#undef neg
#undef add
#undef mul
#undef div
#undef lt
#undef eq
#undef le
#undef times
#undef number
#undef where
#undef like
#endif
