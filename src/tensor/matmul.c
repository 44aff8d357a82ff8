// matmul: products of matrices and vectors: sums of products over one axis, with batches in front.
//
// Everything here ends in one broadcast product that is summed over its last axes, x (.., M, 1, K) * w (..,
// 1, N, K): the shape in which code generation recognises a product of matrices and tiles it. Halves are
// multiplied and added in f32.
#ifndef TN_TENSOR_MATMUL
#define TN_TENSOR_MATMUL
#ifndef TINY_AMALGAMATED
#include "random.c"
#endif

// The sum over some axes of x * w, plus bias if there is one.
static tiny_uop *tn_dot(tiny_ctx *t, tiny_uop *x, tiny_uop *w, tiny_uop *bias, int axis_bits, int dtype) {
  if (tn_bad(t, x) || tn_bad(t, w)) return &t->ir->bad;
  const int inside = tn_computed_in(dtype);
  tiny_uop *y = tn_sum(t, tn_mul(t, tn_cast(t, x, inside), tn_cast(t, w, inside)), axis_bits, 0);
  if (bias) y = tn_bad(t, bias) ? bias : tn_add(t, y, tn_cast(t, bias, inside));
  return tn_bad(t, y) ? y : tn_cast(t, y, dtype);
}

// The dtype of a product, once it is clear that the operands fit; -1 after an error.
static int tn_product_fits(const char *name, tiny_tensor *a, tiny_tensor *b, int fits) {
  char p[TN_DIMS_TEXT], q[TN_DIMS_TEXT];
  if (fits) return tn_meet(tn_uop_of(a), tn_uop_of(b));
  tn_wrong(tn_ctx_of(a), TINY_E_SHAPE, "%s: %s and %s", name, tn_text_of(tn_uop_of(a), p),
           tn_text_of(tn_uop_of(b), q));
  return -1;
}

static tiny_tensor *tn_matmul(const char *name, tiny_tensor *x, tiny_tensor *w) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, w};
  if (!tn_usable(name, 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *p = tn_uop_of(x), *q = tn_uop_of(w);
  const int row = p->ndim == 1, column = q->ndim == 1;
  if (!p->ndim || !q->ndim)
    return tn_wrong(t, TINY_E_SHAPE, "%s: 0-d operand: %s @ %s", name, tn_text_of(p, a), tn_text_of(q, b));
  if (p->ndim == TINY_MAX_DIMS || q->ndim == TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "%s: too many dims: %s @ %s", name, tn_text_of(p, a), tn_text_of(q, b));
  if (p->dim[p->ndim - 1] != q->dim[column ? 0 : q->ndim - 2])
    return tn_wrong(t, TINY_E_SHAPE, "%s: inner dims differ: %s @ %s", name, tn_text_of(p, a),
                    tn_text_of(q, b));
  int64_t lead[TN_MAX_DIMS];
  int n = 0;
  tn_broadcast_dims(column ? 0 : q->ndim - 2, q->dim, &n, lead);
  if (!tn_broadcast_dims(row ? 0 : p->ndim - 2, p->dim, &n, lead))
    return tn_wrong(t, TINY_E_SHAPE, "%s: leading dims do not broadcast: %s @ %s", name, tn_text_of(p, a),
                    tn_text_of(q, b));
  const int dtype = tn_meet(p, q);
  if (row) p = tn_insert(t, p, 0);         // (.., M, K) -> (.., M, 1, K)
  p = tn_bad(t, p) ? p : tn_insert(t, p, p->ndim - 1);
  if (column) q = tn_insert(t, q, 1);      // (.., K, N) -> (.., 1, N, K)
  q = tn_bad(t, q) ? q : tn_swap(t, q, q->ndim - 2, q->ndim - 1);
  q = tn_bad(t, q) ? q : tn_insert(t, q, q->ndim - 2);
  tiny_uop *y = tn_dot(t, p, q, NULL, 1 << (n + 2), dtype);
  if (tn_bad(t, y)) return tn_poison(t);
  if (column) y = tn_reshape(t, y, n + 1, y->dim);
  if (row && !tn_bad(t, y)) { if (!column) lead[n++] = y->dim[y->ndim - 1]; y = tn_reshape(t, y, n, lead); }
  return tn_tensor_new(t, y);
}
TINY_API tiny_tensor *tiny_matmul(tiny_tensor *x, tiny_tensor *w) { return tn_matmul("matmul", x, w); }

// ** products of vectors **

// Products of two vectors; whole: of all elements of both, whatever their shapes.
static tiny_tensor *tn_vectors(const char *name, tiny_tensor *a, tiny_tensor *b, int whole) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable(name, 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  const int64_t n = tiny_nelem_of(a);
  const int dtype = tn_product_fits(name, a, b, n == tiny_nelem_of(b) &&
                                    (whole || (tn_uop_of(a)->ndim == 1 && tn_uop_of(b)->ndim == 1)));
  if (dtype < 0) return out;
  return tn_tensor_new(t, tn_dot(t, tn_reshape(t, tn_uop_of(a), 1, &n), tn_reshape(t, tn_uop_of(b), 1, &n), NULL, 1,
                                 dtype));
}
TINY_API tiny_tensor *tiny_dot(tiny_tensor *a, tiny_tensor *b) { return tn_vectors("dot", a, b, 0); }
TINY_API tiny_tensor *tiny_vdot(tiny_tensor *a, tiny_tensor *b) { return tn_vectors("vdot", a, b, 1); }

TINY_API tiny_tensor *tiny_vecdot(tiny_tensor *a, tiny_tensor *b, int axis) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("vecdot", 2, in, &out) || !tn_shapes_meet("vecdot", 2, in)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  tiny_uop *x = tn_uop_of(a), *y = tn_uop_of(b);
  const int dtype = tn_meet(x, y);
  tn_broadcast(t, &x, &y);
  if (tn_bad(t, x) || tn_bad(t, y)) return tn_poison(t);
  if (!x->ndim || !y->ndim) { tn_product_fits("vecdot", a, b, 0); return out; }
  if ((axis = tn_axis(t, "vecdot", x, axis)) < 0) return out;
  return tn_tensor_new(t, tn_dot(t, x, y, NULL, 1 << axis, dtype));
}

TINY_API tiny_tensor *tiny_outer(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("outer", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  const int64_t column[2] = {tiny_nelem_of(a), 1}, row[1] = {tiny_nelem_of(b)};
  const int dtype = tn_meet(tn_uop_of(a), tn_uop_of(b));
  tiny_uop *x = tn_cast(t, tn_reshape(t, tn_uop_of(a), 2, column), dtype);
  return tn_tensor_new(t, tn_mul(t, x, tn_cast(t, tn_reshape(t, tn_uop_of(b), 1, row), dtype)));
}

// (.., a0, 1, a1, 1 ..) * (b0, 1, b1, ..): every dim of a beside that of b, then each pair as one.
TINY_API tiny_tensor *tiny_kron(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("kron", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  const tiny_uop *p = tn_uop_of(a), *q = tn_uop_of(b);
  const int n = p->ndim > q->ndim ? p->ndim : q->ndim;
  const int dtype = tn_product_fits("kron", a, b, 2 * n <= TINY_MAX_DIMS);
  int64_t x[TN_MAX_DIMS], y[TN_MAX_DIMS], both[TN_MAX_DIMS];
  if (dtype < 0) return out;
  for (int i = 0; i < n; i++) {
    x[2 * i] = i < n - p->ndim ? 1 : p->dim[i - (n - p->ndim)];
    y[2 * i + 1] = i < n - q->ndim ? 1 : q->dim[i - (n - q->ndim)];
    x[2 * i + 1] = y[2 * i] = 1;
    both[i] = tn_clamp_mul(x[2 * i], y[2 * i + 1]);
  }
  tiny_uop *u = tn_cast(t, tn_reshape(t, tn_uop_of(a), 2 * n, x), dtype),
           *w = tn_cast(t, tn_reshape(t, tn_uop_of(b), 2 * n, y), dtype);
  return tn_tensor_new(t, tn_reshape(t, tn_mul(t, u, w), n, both));
}

// ** sums over chosen axes **

// The axes of x that bits leave out, then those of the list: (free.., summed..) as (M, K).
static tiny_uop *tn_matrix_of(tiny_ctx *t, tiny_uop *x, int bits, const tiny_shape *axes, int *nkept,
                              int64_t *kept) {
  int64_t order[TN_MAX_DIMS], dim[2] = {1, 1};
  int n = 0;
  for (int i = 0; i < x->ndim; i++) if (!(bits >> i & 1)) {
    order[n++] = i;
    dim[0] *= x->dim[i];
    kept[(*nkept)++] = x->dim[i];
  }
  for (int i = 0; i < axes->ndim; i++) {
    order[n] = axes->dim[i] < 0 ? axes->dim[i] + x->ndim : axes->dim[i];
    dim[1] *= x->dim[order[n++]];
  }
  return tn_reshape(t, tn_permute(t, x, order), 2, dim);
}
TINY_API tiny_tensor *tiny_tensordot(tiny_tensor *a, tiny_tensor *b, tiny_shape axes_a, tiny_shape axes_b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("tensordot", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  tiny_uop *x = tn_uop_of(a), *y = tn_uop_of(b);
  const int xbits = tn_axis_bits(t, "tensordot", x, &axes_a),
            ybits = xbits < 0 ? -1 : tn_axis_bits(t, "tensordot", y, &axes_b);
  if (ybits < 0) return out;
  int fits = axes_a.ndim == axes_b.ndim && x->ndim + y->ndim - 2 * axes_a.ndim <= TINY_MAX_DIMS;
  for (int i = 0; fits && i < axes_a.ndim; i++) {
    const int64_t i0 = axes_a.dim[i], i1 = axes_b.dim[i];
    fits = i0 != TINY_ALL && i1 != TINY_ALL &&
      x->dim[i0 < 0 ? i0 + x->ndim : i0] == y->dim[i1 < 0 ? i1 + y->ndim : i1];
  }
  const int dtype = tn_product_fits("tensordot", a, b, fits);
  int64_t kept[2 * TN_MAX_DIMS];
  int nkept = 0;
  if (dtype < 0) return out;
  x = tn_matrix_of(t, x, xbits, &axes_a, &nkept, kept);
  y = tn_matrix_of(t, y, ybits, &axes_b, &nkept, kept);
  tiny_uop *z = tn_dot(t, tn_insert(t, x, 1), y, NULL, 4, dtype);
  return tn_tensor_new(t, tn_reshape(t, z, nkept, kept));
}

TINY_API tiny_tensor *tiny_inner(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("inner", 2, in, &out)) return out;
  if (!tn_uop_of(a)->ndim || !tn_uop_of(b)->ndim) return tiny_mul(a, b);
  const tiny_shape last = {1, {-1}};
  return tiny_tensordot(a, b, last, last);
}

// The cheapest order of a chain of products by dynamic programming: Cormen et al., Introduction to
// Algorithms, 15.2.
// cost[i][j]: of multiplying matrices i..j; split[i][j]: where the last product stands.
enum { TN_MAX_CHAIN_DOT = 32 };
typedef struct tn_chain_plan {
  double cost[TN_MAX_CHAIN_DOT][TN_MAX_CHAIN_DOT], size[TN_MAX_CHAIN_DOT + 1];
  uint8_t split[TN_MAX_CHAIN_DOT][TN_MAX_CHAIN_DOT];
} tn_chain_plan;
static tiny_tensor *tn_chain_dot(tiny_tensor *const *xs, const tn_chain_plan *p, int i, int j) {
  if (i == j) return xs[i];
  tiny_tensor *left = tn_chain_dot(xs, p, i, p->split[i][j]),
              *right = tn_chain_dot(xs, p, p->split[i][j] + 1, j);
  return tn_matmul("multi_dot", left, right);
}
static void tn_chain_order(tn_chain_plan *p, int n) {
  for (int length = 1; length < n; length++) for (int i = 0, j = length; j < n; i++, j++) {
    p->cost[i][j] = HUGE_VAL;
    for (int s = i; s < j; s++) {
      const double all = p->cost[i][s] + p->cost[s + 1][j] + p->size[i] * p->size[s + 1] * p->size[j + 1];
      if (all < p->cost[i][j]) { p->cost[i][j] = all; p->split[i][j] = (uint8_t)s; }
    }
  }
}
TINY_API tiny_tensor *tiny_multi_dot(tiny_tensor *const *xs, int n) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (n <= 0 || !xs) return NULL;
  if (!tn_usable("multi_dot", n, xs, &out)) return out;
  if (n > TN_MAX_CHAIN_DOT)
    return tn_wrong(tn_ctx_of(xs[0]), TINY_E_ARG, "multi_dot: %d operands, at most %d", n, TN_MAX_CHAIN_DOT);
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = tn_uop_of(xs[i]);
    char a[TN_DIMS_TEXT];
    if (u->ndim != 2 && !(u->ndim == 1 && (i == 0 || i == n - 1)))
      return tn_wrong(tn_ctx_of(xs[0]), TINY_E_SHAPE, "multi_dot: operand %d is %s, not a matrix", i + 1,
                      tn_text_of(u, a));
  }
  tiny_ctx *t = tn_ctx_of(xs[0]);
  const tn_mark mark = tn_scratch_mark(t);
  tn_chain_plan *p = (tn_chain_plan *)tn_scratch(t, sizeof *p);
  if (!p) return tn_poison(t);
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = tn_uop_of(xs[i]);
    p->size[i] = u->ndim == 2 || i ? (double)u->dim[0] : 1;
    p->size[i + 1] = u->ndim == 2 || !i ? (double)u->dim[u->ndim - 1] : 1;
  }
  tn_chain_order(p, n);
  out = n == 1 ? tn_tensor_new(t, tn_uop_of(xs[0])) : tn_chain_dot(xs, p, 0, n - 1);
  tn_scratch_rewind(t, mark);
  return out;
}

// ** traces, crosses, distances **

// Where the last two axes, both of which iota counts, are equal.
static tiny_uop *tn_on_diagonal(tiny_ctx *t, int64_t n, int64_t m) {
  return tn_eq(t, tn_iota(t, TINY_INDEX, n, 0, 2), tn_iota(t, TINY_INDEX, m, 1, 2));
}
TINY_API tiny_tensor *tiny_trace(tiny_tensor *x) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("trace", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  const int n = u->ndim;
  if (n < 2) return tn_wrong(t, TINY_E_SHAPE, "trace: %s is no matrix", tn_text_of(u, a));
  u = tn_where(t, tn_on_diagonal(t, u->dim[n - 2], u->dim[n - 1]), u, tn_k(t, u, 0));
  return tn_tensor_new(t, tn_accumulate(t, TINY_OP_ADD, u, 3 << (n - 2), 0));
}

// (a1 b2 - a2 b1, a2 b0 - a0 b2, a0 b1 - a1 b0) along an axis of 3: a rotated by one and by two places.
static tiny_uop *tn_rotated(tiny_ctx *t, tiny_uop *x, int axis, int64_t by) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[axis];
  return tn_add(t, tn_extend(t, tn_cut(t, x, axis, by, n), axis, 0, by),
                tn_extend(t, tn_cut(t, x, axis, 0, by), axis, n - by, 0));
}
TINY_API tiny_tensor *tiny_cross(tiny_tensor *a, tiny_tensor *b, int axis) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("cross", 2, in, &out) || !tn_shapes_meet("cross", 2, in)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  const int dtype = tn_meet(tn_uop_of(a), tn_uop_of(b));
  tiny_uop *x = tn_cast(t, tn_uop_of(a), dtype), *y = tn_cast(t, tn_uop_of(b), dtype);
  tn_broadcast(t, &x, &y);
  if (tn_bad(t, x) || tn_bad(t, y)) return tn_poison(t);
  if (!tn_taken(t, "cross", TN_NUMBER, dtype) || (axis = tn_axis(t, "cross", x, axis)) < 0) return out;
  for (int i = 0; i < 2; i++) {
    const tiny_uop *u = i ? y : x;
    if (u->ndim && !tn_axis_whole_for(t, "cross", u, axis, "vectors have 3 elements")) return out;
  }
  if (!x->ndim || !y->ndim || x->dim[axis] != 3) { tn_product_fits("cross", a, b, 0); return out; }
  return tn_tensor_new(t, tn_sub(t, tn_mul(t, tn_rotated(t, x, axis, 1), tn_rotated(t, y, axis, 2)),
                                 tn_mul(t, tn_rotated(t, x, axis, 2), tn_rotated(t, y, axis, 1))));
}

// The p-norm of the last axis. Where it is 0, so is its gradient: the root of 0 is taken of 1 instead.
static tiny_uop *tn_vector_norm(tiny_ctx *t, tiny_uop *x, double p) {
  TN_FLOAT_MODE;
  if (tn_bad(t, x)) return x;
  const int bit = 1 << (x->ndim - 1);
  tiny_uop *size = tn_abs(t, x), *zero = tn_k(t, x, 0);
  if (p == 0) return tn_sum(t, tn_where(t, tn_is_zero(t, x), zero, tn_k(t, x, 1)), bit, 0);
  if (p == 1) return tn_sum(t, size, bit, 0);
  if (p > 1e300) return tn_reduce(t, TINY_OP_MAX, size, bit, 0);
  tiny_uop *none = tn_is_zero(t, x);
  tiny_uop *powers = p == 2 ? tn_square(t, x) :
    tn_where(t, none, zero, tn_binary(t, TINY_OP_POW, tn_where(t, none, tn_k(t, x, 1), size), tn_k(t, x, p)));
  tiny_uop *sum = tn_sum(t, powers, bit, 0), *empty = tn_is_zero(t, sum);
  tiny_uop *safe = tn_where(t, empty, tn_k(t, x, 1), sum);
  tiny_uop *root = p == 2 ? tn_sqrt(t, safe) : tn_binary(t, TINY_OP_POW, safe, tn_k(t, x, 1 / p));
  return tn_where(t, empty, zero, root);
}
TINY_API tiny_tensor *tiny_cdist(tiny_tensor *a, tiny_tensor *b, double p) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("cdist", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  tiny_uop *x = tn_uop_of(a), *y = tn_uop_of(b);
  if (!(p >= 0)) return tn_wrong(t, TINY_E_ARG, "cdist: p is %g", p);
  int n = 0;
  int64_t lead[TN_MAX_DIMS];
  int fits = x->ndim >= 2 && y->ndim >= 2 && x->ndim < TINY_MAX_DIMS && y->ndim < TINY_MAX_DIMS &&
    x->dim[x->ndim - 1] == y->dim[y->ndim - 1];
  fits = fits && tn_broadcast_dims(x->ndim - 2, x->dim, &n, lead) &&
    tn_broadcast_dims(y->ndim - 2, y->dim, &n, lead);
  const int dtype = tn_product_fits("cdist", a, b, fits);
  if (dtype < 0) return out;
  const int inside = tn_computed_in(tn_real(dtype));
  x = tn_insert(t, tn_cast(t, x, inside), x->ndim - 1);      // (.., M, 1, K) - (.., 1, N, K)
  y = tn_insert(t, tn_cast(t, y, inside), y->ndim - 2);
  return tn_tensor_new(t, tn_narrow(t, tn_vector_norm(t, tn_sub(t, x, y), p), dtype));
}

TINY_API tiny_tensor *tiny_linear(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, bias};
  if (!tn_usable_some("linear", 2, 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *p = tn_uop_of(x), *q = tn_uop_of(w);
  if (!p->ndim || p->ndim == TINY_MAX_DIMS || q->ndim != 2 || p->dim[p->ndim - 1] != q->dim[1])
    return tn_wrong(t, TINY_E_SHAPE, "linear: %s with weights %s", tn_text_of(p, a), tn_text_of(q, b));
  if (bias && (tn_uop_of(bias)->ndim != 1 || tn_uop_of(bias)->dim[0] != q->dim[0]))
    return tn_wrong(t, TINY_E_SHAPE, "linear: bias %s with weights %s", tn_text_of(tn_uop_of(bias), a),
                    tn_text_of(q, b));
  const int n = p->ndim;
  tiny_uop *const rows = tn_insert(t, p, n - 1);
  return tn_tensor_new(t, tn_dot(t, rows, q, bias ? tn_uop_of(bias) : NULL, 1 << n, tn_meet(p, q)));
}
#endif
