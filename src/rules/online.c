// online: sums whose summands shrink by a common factor when a maximum grows: what lets one loop find both.
//
// In:    a REDUCE that adds, and one that takes a maximum, of which its summands are made.
// Out:   the offset: summands are e^(A + H) w, where H is of the maximum m and of no range of the sum, A and w are not
//        of m. Then a sum of summands for m times e^(H(m') - H(m)) is one for m', and a loop may go on with the maximum
//        so far: Milakov and Gimelshein, "Online normalizer calculation for softmax", arXiv:1805.02867, section 3; Dao
//        et al., "FlashAttention", arXiv:2205.14135, section 3.1.
// Holds: whatever else is a factor of all summands can leave the sum: what a softmax divides by, before its product
//        with anything. That, and the order of sums, are the licences taken: a float is rounded elsewhere, a conversion
//        to a narrower float between two factors is left out, and a factor that a mask makes 0 takes no part.
#ifndef TN_RULES_ONLINE
#define TN_RULES_ONLINE
#ifndef TINY_AMALGAMATED
#include "reduce.c"
#endif

// A summand as factors / divisors, where all masks hold, else 0; times outer / under, which do not move with the range
// and hold a REDUCE.
typedef struct tn_online_product { tn_list factors, divisors, masks, outer, under; } tn_online_product;

static int tn_holds_reduce(tiny_ctx *t, tiny_uop *x) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, x, TINY_OP_REDUCE, &all);
  tn_scratch_rewind(t, mark);
  return all.n > 0;
}
static int tn_is_float_cast(const tiny_uop *x) {
  return x->op == TINY_OP_CAST && tn_is_float(x->dtype) && tn_is_float(x->src[0]->dtype);
}

static tn_online_product tn_online_factors(tiny_ctx *t, tiny_uop *value, const tiny_uop *range) {
  tn_online_product p;
  tn_list todo[2] = {{NULL, 0, 0}, {NULL, 0, 0}};          // what multiplies, what divides
  memset(&p, 0, sizeof p);
  tn_push(t, &todo[0], value);
  while (todo[0].n || todo[1].n) {
    const int divides = !todo[0].n;
    tn_list *from = &todo[divides];
    tiny_uop *x = from->u[--from->n];
    const int zero = x->op != TINY_OP_WHERE || divides ? 0 : tn_is_identity(x->src[2], TINY_OP_ADD) ? 2 :
                     tn_is_identity(x->src[1], TINY_OP_ADD);
    if (!tn_depends(t, x, range) && tn_holds_reduce(t, x)) tn_push(t, divides ? &p.under : &p.outer, x);
    else if (x->op == TINY_OP_MUL || x->op == TINY_OP_FDIV) {
      tn_push(t, &todo[divides ^ (x->op == TINY_OP_FDIV)], x->src[1]);
      tn_push(t, from, x->src[0]);
    } else if (zero) {
      tn_push(t, &p.masks, zero == 2 ? x->src[0] : tn_not(t, x->src[0]));
      tn_push(t, from, x->src[3 - zero]);
    } else if (tn_is_float_cast(x)) tn_push(t, from, x->src[0]);
    else tn_push(t, divides ? &p.divisors : &p.factors, x);
  }
  return p;
}

// x times all factors, divided by all divisors, as x's dtype has it. x NULL: 1, of that dtype.
static tiny_uop *tn_online_times(tiny_ctx *t, tiny_uop *x, int dtype, const tn_list *factors, const tn_list *divisors) {
  for (int i = 0; i < factors->n; i++) {
    tiny_uop *f = tn_cast(t, factors->u[i], dtype);
    x = x ? tn_u2(t, TINY_OP_MUL, x, f) : f;
  }
  if (!x) x = tn_const(t, dtype, tn_dtype_value(dtype, 1));
  for (int i = 0; i < divisors->n; i++) x = tn_u2(t, TINY_OP_FDIV, x, tn_cast(t, divisors->u[i], dtype));
  return x;
}

// A sum along one range, its common factors outside of it; sum itself: it has none.
static tiny_uop *tn_online_factored(tiny_ctx *t, tiny_uop *sum) {
  const tn_online_product p = tn_online_factors(t, sum->src[0], sum->src[1]);
  if (!p.outer.n && !p.under.n) return sum;
  tiny_uop *value = tn_online_times(t, NULL, sum->dtype, &p.factors, &p.divisors);
  for (int i = 0; i < p.masks.n; i++)
    value = tn_u3(t, TINY_OP_WHERE, p.masks.u[i], value, tn_const(t, sum->dtype, tn_dtype_value(sum->dtype, 0)));
  return tn_online_times(t, tn_reduce_over(t, sum->k, value, 1, &sum->src[1]), sum->dtype, &p.outer, &p.under);
}

// The terms of an EXP2's exponent that are of max, added; NULL: there are none, or it is not a sum of such and others.
static tiny_uop *tn_online_exponent(tiny_ctx *t, const tiny_uop *exp2, tiny_uop *max) {
  tn_list todo = {NULL, 0, 0}, scales = {NULL, 0, 0};
  tiny_uop *offset = NULL;
  tn_push(t, &todo, exp2->src[0]);
  tn_push(t, &scales, NULL);
  while (todo.n) {
    tiny_uop *x = todo.u[--todo.n], *scale = scales.u[--scales.n];
    if (!tn_depends(t, x, max)) continue;
    if (x->op == TINY_OP_MUL && tn_is_const(x->src[1])) {
      tn_push(t, &scales, scale ? tn_u2(t, TINY_OP_MUL, scale, x->src[1]) : x->src[1]);
      tn_push(t, &todo, x->src[0]);
      continue;
    }
    for (int i = 0; x->op == TINY_OP_ADD && i < 2; i++) {
      tn_push(t, &scales, scale);
      tn_push(t, &todo, x->src[i]);
    }
    if (x->op == TINY_OP_ADD) continue;
    if (scale) x = tn_u2(t, TINY_OP_MUL, x, scale);
    offset = offset ? tn_u2(t, TINY_OP_ADD, offset, x) : x;
  }
  return offset;
}

// What summand `value` is made of by max, wherever it is computed: the EXP2s that have max in their exponents, which
// all must have it in the same way. (AFTER x exponential): by that one. *k: what they are like. NULL: it is not as
// above.
static tiny_uop *tn_online_offset(tiny_ctx *t, tiny_uop *value, tiny_uop *max, const tiny_uop *range, int64_t *k) {
  tn_list all = {NULL, 0, 0};
  tiny_uop *offset = NULL;
  tn_collect_op(t, value->op == TINY_OP_AFTER ? value->src[1] : value, TINY_OP_EXP2, &all);
  for (int i = 0; i < all.n; i++) {
    if (!tn_depends(t, all.u[i], max)) continue;
    tiny_uop *of = tn_online_exponent(t, all.u[i], max);
    if (!of || (offset && of != offset) || tn_depends(t, of, range)) return NULL;
    offset = of;
    *k = all.u[i]->k;
  }
  return offset;
}

// Is sum, along one range, of summands that are e^(A + H) w, as above?
static int tn_online_fits(tiny_ctx *t, const tiny_uop *sum, tiny_uop *max) {
  tn_online_product p = tn_online_factors(t, sum->src[0], sum->src[1]);
  tn_list *const others[2] = {&p.divisors, &p.masks};
  int64_t k = 0;
  int exponentials = 0;
  for (int l = 0; l < 2; l++)
    for (int i = 0; i < others[l]->n; i++) if (tn_depends(t, others[l]->u[i], max)) return 0;
  for (int i = 0; i < p.factors.n; i++) {
    if (!tn_depends(t, p.factors.u[i], max)) continue;
    if (p.factors.u[i]->op != TINY_OP_EXP2) return 0;
    exponentials++;
    if (!tn_online_offset(t, p.factors.u[i], max, sum->src[1], &k)) return 0;
  }
  return exponentials == 1;
}

// A kernel's maximum along `keys`, a sum of what it scales that moves with `columns` of the output, which the maximum
// does not, and the longest of the `rows` that the maximum moves with and the sum's weights do not; score: the sum of
// products that the maximum is of, NULL: it is none.
typedef struct tn_online_axes { tiny_uop *max, *sum, *keys, *rows, *columns, *score; } tn_online_axes;

// Does the sum's weight, what is not of its scores, stay the same along r?
static int tn_online_is_row(tiny_ctx *t, const tn_online_axes *a, const tiny_uop *r) {
  const tn_online_product f = tn_online_factors(t, a->sum->src[0], a->sum->src[1]);
  for (int i = 0; i < f.factors.n; i++)
    if (!tn_depends(t, f.factors.u[i], a->max) && tn_depends(t, f.factors.u[i], r)) return 0;
  return tn_depends(t, a->max, r);
}

// Of value x for n ranges of the output. 0: it has no such sum.
static int tn_online_axes_of(tiny_ctx *t, tiny_uop *x, int n, tiny_uop *const *out, tn_online_axes *a) {
  tn_list all = {NULL, 0, 0}, scores = {NULL, 0, 0};
  memset(a, 0, sizeof *a);
  tn_collect_op(t, x, TINY_OP_REDUCE, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->k == TINY_OP_MAX) a->max = all.u[i];
  if (!a->max || a->max->nsrc != 2) return 0;
  a->keys = a->max->src[1];
  for (int i = 0; i < all.n; i++) for (int d = 0; d < n; d++) {
    tiny_uop *u = all.u[i];
    if (u->k != TINY_OP_ADD || out[d]->op != TINY_OP_RANGE || !tn_depends(t, u, a->max) ||
        !tn_depends(t, u, out[d]) || tn_depends(t, a->max, out[d]))
      continue;
    if (u->nsrc != 2 || (a->columns && a->columns != out[d])) return 0;
    a->columns = out[d]; a->sum = u;
  }
  for (int d = 0; d < n && a->sum; d++)
    if (out[d]->op == TINY_OP_RANGE && (!a->rows || tn_range_extent(out[d]) > tn_range_extent(a->rows)) &&
        tn_online_is_row(t, a, out[d]))
      a->rows = out[d];
  tn_collect_op(t, a->max->src[0], TINY_OP_REDUCE, &scores);
  for (int i = 0; i < scores.n; i++)
    if (scores.u[i]->k == TINY_OP_ADD && scores.u[i]->nsrc == 2 && tn_depends(t, scores.u[i], a->keys))
      a->score = scores.u[i];
  return a->rows != NULL;
}
#endif
