// nested: a sum of what sums of products are made of: two or three matrix products, one within the other.
//
// In:    the value of a kernel and the ranges of its output. Out: its axes: `rows` of the output and `keys`, along
//        which the outer REDUCE goes, with both of which the products within it move, an operand with each; `columns`,
//        with which only a factor of the outer sum moves; what stands beside that factor, or all of it, is the value.
//        The outer REDUCE may go along others, too, such as the heads that share keys: keys are the longest of them.
// Holds: attention is one such sum when the maxima and the sums of its rows are known, or goes on with them; each of
//        its gradients is another (Dao et al., "FlashAttention", arXiv:2205.14135, appendix B.2). Nothing here knows of
//        either: values may be any function of the products, and the outer REDUCE without a factor any reduction.
#ifndef TN_RULES_NESTED
#define TN_RULES_NESTED
#ifndef TINY_AMALGAMATED
#include "online.c"
#endif

enum { TN_NESTED_PRODUCTS = 4 };           // of one value
typedef struct tn_nested {
  tiny_uop *reduce, *rows, *keys, *columns;                  // columns NULL: there is no factor, value is all of it
  tiny_uop *value, *factor, *scale;        // scale: a constant that sums are multiplied by, NULL: 1
  tiny_uop *product[TN_NESTED_PRODUCTS]; int nproduct;
  int dtype;                               // of the products' operands
  tiny_uop *max;                           // that the outer sum goes on with; NULL: none
} tn_nested;

// The product that is summed; *inside: where a sum that was padded has it, NULL: everywhere.
static tiny_uop *tn_nested_terms(const tiny_uop *sum, tiny_uop **inside) {
  tiny_uop *x = sum->src[0];
  *inside = NULL;
  if (x->op == TINY_OP_WHERE && tn_is_identity(x->src[2], TINY_OP_ADD)) { *inside = x->src[0]; x = x->src[1]; }
  return x->op == TINY_OP_MUL ? x : NULL;
}

// What both factors are converted from: a float of 16 bits; else f32, which units may round to TF32.
static int tn_nested_dtype(const tiny_uop *product) {
  const tiny_uop *x = product->src[0], *y = product->src[1];
  const int narrow = x->op == TINY_OP_CAST && y->op == TINY_OP_CAST && x->src[0]->dtype == y->src[0]->dtype &&
      tn_is_narrow(x->src[0]->dtype) && tn_dtypes[x->src[0]->dtype].nbytes == 2;
  return narrow ? x->src[0]->dtype : (int)TINY_F32;
}
static tiny_uop *tn_nested_operand(const tiny_uop *product, int i) {
  return tn_nested_dtype(product) == TINY_F32 ? product->src[i] : product->src[i]->src[0];
}

// Is u a sum of products of such floats, as all others of the value are?
static int tn_nested_is_product(tn_nested *a, const tiny_uop *u) {
  tiny_uop *inside;
  const tiny_uop *x = u->k == TINY_OP_ADD && u->nsrc == 2 && u->dtype == TINY_F32 ? tn_nested_terms(u, &inside) : NULL;
  if (!x || a->nproduct == TN_NESTED_PRODUCTS) return 0;
  if (!a->nproduct) a->dtype = tn_nested_dtype(x);
  return tn_nested_dtype(x) == a->dtype;
}

// Which operand of a product moves with r and not with the keys, while the other moves with these alone; -1: neither.
static int tn_nested_side(tiny_ctx *t, const tn_nested *a, const tiny_uop *product, const tiny_uop *r) {
  tiny_uop *inside;
  const tiny_uop *x = tn_nested_terms(product, &inside);
  for (int i = 0; x && i < 2; i++)
    if (tn_depends(t, x->src[i], r) && !tn_depends(t, x->src[i], a->keys) && tn_depends(t, x->src[!i], a->keys) &&
        !tn_depends(t, x->src[!i], r))
      return i;
  return -1;
}

static tiny_uop *tn_nested_keys(const tiny_uop *reduce) {
  tiny_uop *keys = reduce->src[1];
  for (uint32_t i = 2; i < reduce->nsrc; i++)
    if (tn_range_extent(reduce->src[i]) > tn_range_extent(keys)) keys = reduce->src[i];
  return keys;
}

// The REDUCEs: one of all others. 0: they are no such.
static int tn_nested_reduces(tiny_ctx *t, tiny_uop *x, tn_nested *a) {
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, x, TINY_OP_REDUCE, &all);
  if (all.n < 2 || all.n > TN_NESTED_PRODUCTS + 1) return 0;
  a->reduce = all.u[all.n - 1];
  if (a->reduce->nsrc < 2 || (a->reduce->k != TINY_OP_ADD && a->reduce->k != TINY_OP_MAX)) return 0;
  a->keys = tn_nested_keys(a->reduce);
  for (int i = 0; i + 1 < all.n; i++) {
    if (!tn_nested_is_product(a, all.u[i]) || !tn_depends(t, a->reduce->src[0], all.u[i])) return 0;
    a->product[a->nproduct++] = all.u[i];
  }
  return 1;
}

// The REDUCEs of a kernel that goes on with a maximum so far, all along the keys: the one that moves with the columns
// is the outer sum.
static int tn_nested_online(tiny_ctx *t, tiny_uop *x, const tiny_uop *columns, tn_nested *a) {
  tn_list all = {NULL, 0, 0};
  memset(a, 0, sizeof *a);
  tn_collect_op(t, x, TINY_OP_REDUCE, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->k == TINY_OP_MAX) {
    if (a->max) return 0;
    a->max = all.u[i];
  }
  a->keys = a->max && a->max->nsrc == 2 ? a->max->src[1] : NULL;
  for (int i = 0; i < all.n && a->keys; i++) {
    tiny_uop *u = all.u[i];
    if (u == a->max) continue;
    if (tn_depends(t, a->max->src[0], u)) {
      if (!tn_nested_is_product(a, u)) return 0;
      a->product[a->nproduct++] = u;
      continue;
    }
    if (u->nsrc != 2 || u->src[1] != a->keys || u->k != TINY_OP_ADD || !tn_depends(t, u->src[0], a->max)) return 0;
    if (!tn_depends(t, u, columns)) continue;
    if (a->reduce) return 0;
    a->reduce = u;
  }
  return a->reduce && a->nproduct;
}

// The ranges of the output. All products move with all of them but one at most.
static int tn_nested_axes(tiny_ctx *t, int n, tiny_uop *const *out, tn_nested *a) {
  for (int d = 0; d < n; d++) {
    int with = 0, sides = 0;
    if (out[d]->op != TINY_OP_RANGE) continue;
    for (int i = 0; i < a->nproduct; i++) {
      with += tn_depends(t, a->product[i], out[d]);
      sides += tn_nested_side(t, a, a->product[i], out[d]) >= 0;
    }
    if (!with && !a->columns && tn_depends(t, a->reduce, out[d])) a->columns = out[d];
    else if (with < a->nproduct) return 0;
    if (sides == a->nproduct && (!a->rows || tn_range_extent(out[d]) > tn_range_extent(a->rows))) a->rows = out[d];
  }
  return a->rows != NULL;
}

// The outer sum's factor that moves with the columns, a narrow float; what is beside it. Values are rounded to that
// without the constants among the factors, such as the scale of scores: small gradients would be lost (f16, dS of 2048
// keys and flows of 1e-3: the error of dQ is 2.0e-2 of it with a scale of 1/8, 2.6e-3 without).
static int tn_nested_factor(tiny_ctx *t, tn_nested *a) {
  tn_online_product p = tn_online_factors(t, a->reduce->src[0], a->keys);
  tn_list others = {NULL, 0, 0};
  if (a->reduce->k != TINY_OP_ADD || p.outer.n || p.under.n) return 0;
  for (int i = 0; i < p.factors.n; i++) {
    tiny_uop *x = p.factors.u[i];
    if (tn_is_const(x)) {
      tiny_uop *by = tn_cast(t, x, a->reduce->dtype);
      a->scale = a->scale ? tn_u2(t, TINY_OP_MUL, a->scale, by) : by;
      continue;
    }
    if (!tn_depends(t, x, a->columns)) { tn_push(t, &others, x); continue; }
    if (a->factor || x->dtype != a->dtype || tn_depends(t, x, a->rows) || !tn_depends(t, x, a->keys)) return 0;
    a->factor = x;
  }
  for (int i = 0; i < p.divisors.n; i++) if (tn_depends(t, p.divisors.u[i], a->columns)) return 0;
  a->value = tn_online_times(t, NULL, a->reduce->dtype, &others, &p.divisors);
  for (int i = 0; i < p.masks.n; i++) {
    if (tn_depends(t, p.masks.u[i], a->columns)) return 0;
    a->value = tn_u3(t, TINY_OP_WHERE, p.masks.u[i], a->value,
                     tn_const(t, a->reduce->dtype, tn_dtype_value(a->reduce->dtype, 0)));
  }
  return a->factor != NULL;
}

// Of value x for n ranges of the output. 0: it is no such sum.
static int tn_nested_of(tiny_ctx *t, tiny_uop *x, int n, tiny_uop *const *out, tn_nested *a) {
  memset(a, 0, sizeof *a);
  if (!tn_nested_reduces(t, x, a) || a->reduce->dtype != TINY_F32 || !tn_nested_axes(t, n, out, a)) return 0;
  if (a->columns) return tn_nested_factor(t, a);
  a->value = a->reduce->src[0];
  return 1;
}
#endif
