// attention: what each query makes of values, by how well their keys fit; and positions as rotations.
//
// Scores are computed in f32 (f64 for f64) from the product of queries and keys to the weights. Groups of
// heads that share keys and values are a dim of their own, so keys and values are not repeated in memory. A
// query that may see nothing gets zeros, and no NaN reaches a gradient.
#ifndef TN_TENSOR_ATTENTION
#define TN_TENSOR_ATTENTION
#ifndef TINY_AMALGAMATED
#include "norm.c"
#endif

// softmax over the last axis; rows of nothing but -inf are 0.
static tiny_uop *tn_softmax_some(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int bits = 1 << (x->ndim - 1);
  tiny_uop *max = tn_u1(t, TINY_OP_DETACH, tn_reduce(t, TINY_OP_MAX, x, bits, 1));
  tiny_uop *off = tn_where(t, tn_eq(t, max, tn_k(t, max, -HUGE_VAL)), tn_k(t, max, 0), max);
  tiny_uop *e = tn_exp_falling(t, tn_sub(t, x, off)), *sum = tn_sum(t, e, bits, 1);
  return tn_fdiv(t, e, tn_where(t, tn_is_zero(t, sum), tn_k(t, x, 1), sum));
}

typedef struct tn_heads { int n; int64_t H, K, L, S, E, V; } tn_heads;   // n: leading dims; K: heads of keys

// Do q (..,H,L,E), k (..,K,S,E), v (..,K,S,V) fit? Two dims are one head.
static int tn_heads_fit(const tiny_uop *q, const tiny_uop *k, const tiny_uop *v, tn_heads *h) {
  const int n = q->ndim;
  if (n < 2 || n > TINY_MAX_DIMS - 2 || k->ndim != n || v->ndim != n) return 0;
  h->n = n > 2 ? n - 3 : 0;
  h->H = n > 2 ? q->dim[n - 3] : 1; h->K = n > 2 ? k->dim[n - 3] : 1;
  h->L = q->dim[n - 2]; h->E = q->dim[n - 1]; h->S = k->dim[n - 2]; h->V = v->dim[n - 1];
  return tn_dims_same(h->n, q->dim, k->dim) && tn_dims_same(n - 1, k->dim, v->dim) && k->dim[n - 1] == h->E &&
      (h->K ? h->H % h->K == 0 : !h->H);
}
// The leading dims of u followed by a, b, c, d.
static tiny_uop *tn_heads_as(tiny_ctx *t, tiny_uop *u, const tiny_uop *q, int n, int64_t a, int64_t b,
                             int64_t c, int64_t d) {
  int64_t dim[TN_MAX_DIMS];
  for (int i = 0; i < n; i++) dim[i] = q->dim[i];
  dim[n] = a; dim[n + 1] = b; dim[n + 2] = c; dim[n + 3] = d;
  return tn_reshape(t, u, n + 4, dim);
}
// (..,H,L,S) of scores with what may not be seen at -inf.
static tiny_uop *tn_masked(tiny_ctx *t, tiny_uop *scores, tiny_uop *mask, int causal) {
  if (tn_bad(t, scores)) return scores;
  const int n = scores->ndim;
  tiny_uop *never = tn_k(t, scores, -HUGE_VAL);
  if (mask && mask->dtype == TINY_BOOL) scores = tn_where(t, mask, scores, never);
  else if (mask) scores = tn_add(t, scores, tn_cast(t, mask, scores->dtype));
  if (!causal || tn_bad(t, scores)) return scores;
  tiny_uop *query = tn_iota(t, TINY_INDEX, scores->dim[n - 2], 0, 2),
           *key = tn_iota(t, TINY_INDEX, scores->dim[n - 1], 1, 2);
  return tn_where(t, tn_lt(t, query, key), never, scores);
}

static int tn_mask_fits(tiny_ctx *t, const tiny_tensor *mask, int n, const int64_t *dim) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t both[TN_MAX_DIMS];
  int m = n;
  if (!mask) return 1;
  const tiny_uop *u = tn_uop_of(mask);
  memcpy(both, dim, (size_t)n * sizeof *dim);
  if (!tn_broadcast_dims(u->ndim, u->dim, &m, both) || m != n || !tn_dims_same(n, both, dim))
    tiny_fail(t, TINY_E_SHAPE, "attention: mask %s for scores %s", tn_text_of(u, a),
              tn_dims_text(b, sizeof b, n, dim));
  else if (u->dtype == TINY_BOOL || tn_is_float(u->dtype)) return 1;
  else tiny_fail(t, TINY_E_DTYPE, "attention: the mask is %s, not bool or a float", tn_dtypes[u->dtype].name);
  return 0;
}

TINY_API tiny_tensor *tiny_attention(tiny_tensor *q, tiny_tensor *k, tiny_tensor *v,
                                     const tiny_attention_desc *desc) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], c[TN_DIMS_TEXT];
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  tiny_tensor *out, *in[4] = {q, k, v, d.mask};
  if (!tn_usable_some("attention", 3, 4, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(q);
  tn_heads h;
  if (!tn_heads_fit(tn_uop_of(q), tn_uop_of(k), tn_uop_of(v), &h))
    return tn_wrong(t, TINY_E_SHAPE, "attention: queries %s, keys %s, values %s", tn_text_of(tn_uop_of(q), a),
                    tn_text_of(tn_uop_of(k), b), tn_text_of(tn_uop_of(v), c));
  for (int i = 0; i < 2 && d.scale == 0; i++)              // 1 / sqrt(E)
    if (!tn_axis_whole_for(t, "attention", tn_uop_of(in[i]), tn_uop_of(q)->ndim - 1, "say what scale is")) return out;
  if (!(d.dropout >= 0 && d.dropout <= 1))
    return tn_wrong(t, TINY_E_ARG, "attention: dropout is %g, not in [0,1]", d.dropout);
  const int n = tn_uop_of(q)->ndim, grouped = h.n + 4,
            dtype = tn_real(tiny_promote((tiny_dtype)tn_meet(tn_uop_of(q), tn_uop_of(k)),
                                         (tiny_dtype)tn_uop_of(v)->dtype));
  int64_t dim[TN_MAX_DIMS];
  memcpy(dim, tn_uop_of(q)->dim, (size_t)n * sizeof *dim);
  dim[n - 1] = h.S;
  if (!tn_mask_fits(t, d.mask, n, dim)) return out;
  const int64_t group = h.K ? h.H / h.K : 1;
  const double scale = tn_or_default(d.scale, h.E ? 1 / sqrt((double)h.E) : 1);
  const int inside = tn_computed_in(dtype);
  tiny_uop *x = tn_heads_as(t, tn_uop_of(q), tn_uop_of(q), h.n, h.K, group, h.L, h.E),
           *y = tn_heads_as(t, tn_uop_of(k), tn_uop_of(q), h.n, h.K, 1, h.S, h.E);
  tiny_uop *z = tn_heads_as(t, tn_uop_of(v), tn_uop_of(q), h.n, h.K, 1, h.S, h.V);
  x = tn_insert(t, x, grouped - 1);        // (..,K,G,L,1,E) with (..,K,1,1,S,E) -> (..,K,G,L,S)
  y = tn_insert(t, y, grouped - 2);
  tiny_uop *scores = tn_dot(t, x, y, NULL, 1 << grouped, inside);
  scores =
      tn_masked(t, tn_reshape(t, tn_times(t, scores, scale), n, dim), d.mask ? tn_uop_of(d.mask) : NULL, d.causal);
  tiny_uop *p = tn_softmax_some(t, scores);
  if (d.dropout > 0) p = tn_dropped(t, p, d.dropout);
  p = tn_bad(t, p) ? p : tn_heads_as(t, p, tn_uop_of(q), h.n, h.K, group, h.L, h.S);
  p = tn_insert(t, p, grouped - 1);        // (..,K,G,L,1,S) with (..,K,1,1,V,S) -> (..,K,G,L,V)
  z = tn_bad(t, z) ? z : tn_insert(t, tn_swap(t, z, grouped - 2, grouped - 1), grouped - 2);
  dim[n - 1] = h.V;
  return tn_tensor_new(t, tn_reshape(t, tn_dot(t, p, z, NULL, 1 << grouped, dtype), n, dim));
}

// Su et al., "RoFormer", arXiv:2104.09864, section 3.2.2: the pair i of E/2 turns by position * base^(-2i/E).
TINY_API tiny_tensor *tiny_rope(tiny_tensor *x, tiny_tensor *positions, const tiny_rope_desc *d) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, positions};
  if (!tn_usable_some("rope", 1, 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  const int n = u->ndim;
  const int64_t E = n ? u->dim[n - 1] : 1, half = E / 2;
  const double base = d && d->base > 0 ? d->base : 1e4;
  if (n < 2 || n == TINY_MAX_DIMS || E % 2)
    return tn_wrong(t, TINY_E_SHAPE, "rope: %s has no pairs", tn_text_of(u, a));
  int64_t dim[TN_MAX_DIMS];
  int m = n - 1;
  memcpy(dim, u->dim, (size_t)n * sizeof *dim);
  if (positions && (!tn_broadcast_dims(tn_uop_of(positions)->ndim, tn_uop_of(positions)->dim, &m, dim) ||
                    m != n - 1 ||
                    !tn_dims_same(m, dim, u->dim)))
    return tn_wrong(t, TINY_E_SHAPE, "rope: positions %s for %s", tn_text_of(tn_uop_of(positions), b),
                    tn_text_of(u, a));
  tiny_uop *wide = tn_wide(t, u);
  if (tn_bad(t, wide)) return tn_poison(t);
  const int dtype = wide->dtype, pairs = d && d->interleaved;
  tiny_uop *at = positions ? tn_cast(t, tn_uop_of(positions), dtype) : tn_iota(t, dtype, u->dim[n - 2], 0, 1);
  tiny_uop *rate = tn_times(t, tn_iota(t, dtype, half, 0, 1), -2 * log2(base) / (double)(E ? E : 1));
  at = tn_bad(t, at) ? at : tn_insert(t, at, at->ndim);
  tiny_uop *angle = tn_mul(t, at, tn_exp2(t, rate)), *sine = tn_sin(t, angle), *cosine = tn_cos(t, angle);
  // (..,E) as (..,E/2,2) or (..,2,E/2): the parts of pairs are elements 0 and 1 of axis `axis`
  const int axis = pairs ? n : n - 1;
  dim[n - 1] = pairs ? half : 2; dim[n] = pairs ? 2 : half;
  tiny_uop *w = tn_reshape(t, wide, n + 1, dim);
  dim[axis] = 1;
  tiny_uop *p = tn_cut(t, w, axis, 0, 1), *q = tn_cut(t, w, axis, 1, 2);
  if (tn_bad(t, sine) || tn_bad(t, cosine)) return tn_poison(t);
  sine = tn_insert(t, sine, pairs ? sine->ndim : sine->ndim - 1);
  cosine = tn_insert(t, cosine, pairs ? cosine->ndim : cosine->ndim - 1);
  tiny_uop *first = tn_sub(t, tn_mul(t, p, cosine), tn_mul(t, q, sine));
  tiny_uop *second = tn_add(t, tn_mul(t, q, cosine), tn_mul(t, p, sine));
  if (tn_bad(t, first) || tn_bad(t, second)) return tn_poison(t);
  tiny_uop *y = tn_add(t, tn_extend(t, first, axis, 0, 1), tn_extend(t, second, axis, 1, 0));
  return tn_tensor_new(t, tn_narrow(t, tn_reshape(t, y, n, u->dim), u->dtype));
}
#endif
