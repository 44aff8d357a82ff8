// factor: values of factorisations of matrices: elimination, Householder reflections, Jacobi rotations.
//
// In:  x (B, n, m) in f32 or f64. Out: nodes that compute a factorisation of each of the B matrices, without
// gradients:      linalg.c adds these.
// A loop over steps in C builds nodes. Every step is the same few kernels over whole arrays: the step is a
// SCALAR, whose value makes no new kernel, rows and columns are found by comparing positions with it, and
// each step is stored. So a problem of n steps compiles a handful of kernels, whatever n, and launches a few
// n of them.
// Elements at computed positions are sums over masks (tn_look): the scheduler makes loads of them. Each has
// the shape of the whole result, so that it becomes part of the one kernel that wants it.
#ifndef TN_TENSOR_FACTOR
#define TN_TENSOR_FACTOR
#ifndef TINY_AMALGAMATED
#include "einsum.c"
#endif

enum { TN_LINALG_STEP = 12, TN_LINALG_SUM };   // identities of scalars, see tensor.c

static tiny_uop *tn_nth_step(tiny_ctx *t, int k) {
  return tn_cast(t, tn_scalar(t, TINY_I32, k, TN_LINALG_STEP), TINY_INDEX);
}
static tiny_uop *tn_stored(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || x->op == TINY_OP_CONTIGUOUS ? x : tn_u1(t, TINY_OP_CONTIGUOUS, x);
}
static tiny_uop *tn_detached(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_u1(t, TINY_OP_DETACH, x);
}
// Positions along axis 1 or 2 of (B, n, m).
static tiny_uop *tn_row(tiny_ctx *t, int64_t n) { return tn_iota(t, TINY_INDEX, n, 1, 3); }
static tiny_uop *tn_column(tiny_ctx *t, int64_t m) { return tn_iota(t, TINY_INDEX, m, 2, 3); }
// A stored (B, n, 1) or (B, 1, n) of whole numbers as positions.
static tiny_uop *tn_as_index(tiny_ctx *t, tiny_uop *x) {
  return tn_cast(t, tn_bad(t, x) ? x : tn_cast(t, x, TINY_I32), TINY_INDEX);
}

// x (B, n, m) at [row, column] -> (B, rows, columns). Positions are 0-d or broadcast to the result.
static tiny_uop *tn_look(tiny_ctx *t, tiny_uop *x, tiny_uop *row, tiny_uop *column, int64_t rows,
                         int64_t columns) {
  if (tn_bad(t, x) || tn_bad(t, row) || tn_bad(t, column)) return &t->ir->bad;
  const int64_t from[5] = {x->dim[0], 1, 1, x->dim[1], x->dim[2]},
                to[5] = {x->dim[0], rows, columns, x->dim[1], x->dim[2]};
  if (row->ndim) row = tn_insert(t, tn_insert(t, row, 3), 4);
  if (column->ndim) column = tn_insert(t, tn_insert(t, column, 3), 4);
  tiny_uop *is = tn_and(t, tn_eq(t, tn_iota(t, TINY_INDEX, from[3], 3, 5), row),
                        tn_eq(t, tn_iota(t, TINY_INDEX, from[4], 4, 5), column));
  tiny_uop *all = tn_where(t, is, tn_reshape(t, x, 5, from), tn_k(t, x, 0));
  return tn_sum(t, tn_expand(t, all, 5, to), 3 << 3, 0);
}

// Two matrices beside each other, or one above the other: along axis 2 or 1.
static tiny_uop *tn_beside(tiny_ctx *t, tiny_uop *a, tiny_uop *b, int axis) {
  if (tn_bad(t, a) || tn_bad(t, b)) return &t->ir->bad;
  return tn_add(t, tn_extend(t, a, axis, 0, b->dim[axis]), tn_extend(t, b, axis, a->dim[axis], 0));
}
// (B, n, m) of ones on the diagonal, in the dtype of x.
static tiny_uop *tn_identity_matrix(tiny_ctx *t, const tiny_uop *x, int64_t n, int64_t m) {
  if (tn_bad(t, x)) return &t->ir->bad;
  const int64_t dim[3] = {x->dim[0], n, m};
  tiny_uop *is = tn_eq(t, tn_row(t, n), tn_column(t, m));
  return tn_expand(t, tn_where(t, is, tn_k(t, x, 1), tn_k(t, x, 0)), 3, dim);
}
// Elements with column - row >= least or, if below, <= least; others 0.
static tiny_uop *tn_triangle(tiny_ctx *t, tiny_uop *x, int below, int64_t least) {
  if (tn_bad(t, x)) return x;
  tiny_uop *i = tn_row(t, x->dim[1]), *j = tn_column(t, x->dim[2]);
  tiny_uop *inside = below ? tn_lt(t, j, tn_plus(t, i, (double)least + 1)) :
                             tn_lt(t, tn_plus(t, i, (double)least - 1), j);
  return tn_where(t, inside, x, tn_k(t, x, 0));
}
// x @ y of (B, n, k) and (B, k, m), stored.
static tiny_uop *tn_product(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  if (tn_bad(t, x) || tn_bad(t, y)) return &t->ir->bad;
  return tn_stored(t, tn_dot(t, tn_insert(t, x, 2), tn_insert(t, tn_swap(t, y, 1, 2), 1), NULL, 1 << 3,
                             x->dtype));
}
static tiny_uop *tn_turned(tiny_ctx *t, tiny_uop *x) { return tn_bad(t, x) ? x : tn_swap(t, x, 1, 2); }

// ** elimination **

// The row from k on whose element in column k is the greatest.
static tiny_uop *tn_pivot(tiny_ctx *t, tiny_uop *x, tiny_uop *k) {
  const int64_t n = x->dim[1];
  tiny_uop *i = tn_row(t, n), *size = tn_abs(t, tn_look(t, x, i, k, n, 1));
  size = tn_where(t, tn_lt(t, i, k), tn_k(t, x, -1), size);
  return tn_cast(t, tn_stored(t, tn_position(t, size, 1, 1)), TINY_INDEX);
}

// What a step of elimination needs to know at every element, once rows k and p have changed places.
typedef struct tn_stage {
  tiny_uop *i, *j;
  tiny_uop *here, *left, *top, *pivot;     // the element, that of its row in column k, of row k in its column
} tn_stage;
static int tn_stage_at(tiny_ctx *t, tn_stage *s, tiny_uop *x, tiny_uop *k, tiny_uop *p) {
  const int64_t n = x->dim[1], m = x->dim[2];
  s->i = tn_row(t, n); s->j = tn_column(t, m);
  tiny_uop *from = p == k ? s->i :
    tn_where(t, tn_eq(t, s->i, k), p, tn_where(t, tn_eq(t, s->i, p), k, s->i));
  s->here = p == k ? x : tn_look(t, x, from, s->j, n, m);
  s->left = tn_look(t, x, from, k, n, m);
  s->top = tn_look(t, x, p, s->j, n, m);
  s->pivot = tn_look(t, x, p, k, n, m);
  return !tn_bad(t, s->here) && !tn_bad(t, s->pivot);
}
// x with columns behind it: the number of each row, which moves with it, and zeros.
static tiny_uop *tn_numbered(tiny_ctx *t, tiny_uop *x, int zeros) {
  if (tn_bad(t, x)) return x;
  const int64_t dim[3] = {x->dim[0], x->dim[1], 1};
  tiny_uop *number = tn_expand(t, tn_iota(t, x->dtype, x->dim[1], 1, 3), 3, dim);
  return tn_stored(t, tn_extend(t, tn_beside(t, x, number, 2), 2, 0, zeros));
}

// pivot (B, n, 1); sign (B, 1, 1), of the order of rows.
typedef struct tn_inverse { tiny_uop *x, *pivot, *sign; } tn_inverse;
// Gauss and Jordan in place: step k exchanges unknown k with row k (Stiefel's exchange method). A pivot of 0
// is taken as 1: then the inverse is finite but wrong, and tells by its pivots that there is none.
static tiny_uop *tn_exchange(tiny_ctx *t, tiny_uop *x, int64_t n, tiny_uop *k, int pivoting) {
  tn_stage s;
  if (!tn_stage_at(t, &s, x, k, pivoting ? tn_pivot(t, x, k) : k)) return &t->ir->bad;
  tiny_uop *in_row = tn_eq(t, s.i, k), *in_column = tn_eq(t, s.j, k), *one = tn_k(t, x, 1);
  tiny_uop *safe = tn_where(t, tn_is_zero(t, s.pivot), one, s.pivot);
  tiny_uop *row = tn_where(t, in_column, tn_reciprocal(t, safe), tn_neg(t, tn_fdiv(t, s.top, safe)));
  tiny_uop *rest = tn_where(t, in_column, tn_fdiv(t, s.left, safe),
                            tn_sub(t, s.here, tn_mul(t, s.left, tn_fdiv(t, s.top, safe))));
  tiny_uop *is_pivot = tn_and(t, in_row, tn_eq(t, s.j, tn_k(t, s.j, (double)n + 1)));
  tiny_uop *side = tn_where(t, is_pivot, s.pivot, s.here);
  tiny_uop *inside = tn_lt(t, s.j, tn_k(t, s.j, (double)n));
  return tn_stored(t, tn_where(t, inside, tn_where(t, in_row, row, rest), side));
}
// -1 or 1: whether the order of rows, (B, n, 1), is reached by an odd or even number of exchanges.
static tiny_uop *tn_parity(tiny_ctx *t, tiny_uop *order, int dtype) {
  if (tn_bad(t, order)) return order;
  const int64_t n = order->dim[1];
  tiny_uop *after = tn_and(t, tn_lt(t, tn_row(t, n), tn_column(t, n)), tn_lt(t, tn_turned(t, order), order));
  if (tn_bad(t, after)) return after;
  tiny_uop *odd = tn_and(t, tn_sum(t, tn_cast(t, after, TINY_I32), 6, 1), tn_int(t, TINY_I32, 1));
  return tn_bad(t, odd) ? odd : tn_plus(t, tn_times(t, tn_cast(t, odd, dtype), -2), 1);
}
static tn_inverse tn_invert_matrix(tiny_ctx *t, tiny_uop *x, int pivoting) {
  tn_inverse v = {x, x, x};
  if (tn_bad(t, x)) return v;
  const int64_t n = x->dim[1];
  const int dtype = x->dtype;
  x = tn_numbered(t, x, 1);
  for (int k = 0; k < n && !tn_bad(t, x); k++) x = tn_exchange(t, x, n, tn_nth_step(t, k), pivoting);
  tiny_uop *order = tn_cut(t, x, 2, n, n + 1);
  v.pivot = tn_cut(t, x, 2, n + 1, n + 2);
  v.x = tn_cut(t, x, 2, 0, n);
  v.sign = tn_parity(t, order, dtype);
  if (!pivoting || tn_bad(t, v.x)) return v;
  // Column c of the inverse is the one whose row was number c.
  tiny_uop *i = tn_row(t, n), *is = tn_eq(t, tn_as_index(t, order), tn_column(t, n));
  tiny_uop *at = tn_where(t, is, tn_cast(t, i, TINY_I32), tn_int(t, TINY_I32, 0));
  at = tn_cast(t, tn_stored(t, tn_sum(t, at, 2, 1)), TINY_INDEX);
  v.x = tn_stored(t, tn_look(t, v.x, i, at, n, n));
  return v;
}
static tiny_uop *tn_invert_triangle(tiny_ctx *t, tiny_uop *x, int below) {
  return tn_stored(t, tn_triangle(t, tn_invert_matrix(t, x, 0).x, below, 0));
}

typedef struct tn_lu { tiny_uop *l, *u, *order; } tn_lu;     // x[order] = l @ u; order (B, n, 1), positions
static tiny_uop *tn_eliminate(tiny_ctx *t, tiny_uop *x, int64_t m, tiny_uop *k) {
  tn_stage s;
  if (!tn_stage_at(t, &s, x, k, tn_pivot(t, x, k))) return &t->ir->bad;
  tiny_uop *zero = tn_k(t, x, 0), *none = tn_is_zero(t, s.pivot);
  tiny_uop *factor = tn_where(t, none, zero, tn_fdiv(t, s.left, tn_where(t, none, tn_k(t, x, 1), s.pivot)));
  tiny_uop *right = tn_and(t, tn_lt(t, k, s.j), tn_lt(t, s.j, tn_k(t, s.j, (double)m)));
  tiny_uop *inner = tn_where(t, right, tn_sub(t, s.here, tn_mul(t, factor, s.top)), s.here);
  return tn_stored(t, tn_where(t, tn_lt(t, k, s.i), tn_where(t, tn_eq(t, s.j, k), factor, inner), s.here));
}
static tn_lu tn_factor_lu(tiny_ctx *t, tiny_uop *x) {
  tn_lu f = {x, x, x};
  if (tn_bad(t, x)) return f;
  const int64_t n = x->dim[1], m = x->dim[2], least = n < m ? n : m;
  x = tn_numbered(t, x, 0);
  for (int k = 0; k < least && !tn_bad(t, x); k++) x = tn_eliminate(t, x, m, tn_nth_step(t, k));
  f.order = tn_as_index(t, tn_cut(t, x, 2, m, m + 1));
  tiny_uop *l = tn_triangle(t, tn_cut(t, x, 2, 0, least), 1, -1);
  f.l = tn_bad(t, l) ? l : tn_stored(t, tn_add(t, l, tn_identity_matrix(t, x, n, least)));
  f.u = tn_stored(t, tn_triangle(t, tn_cut(t, tn_cut(t, x, 2, 0, m), 1, 0, least), 0, 0));
  return f;
}

// x symmetric -> l, l @ l^T = x, and *inverse of l. Elimination on (x | I) gives (d l^T | l^-1) with d on the
// diagonal of the first: both are divided by the roots of d. A matrix that is not positive definite gives
// NaN.
static tiny_uop *tn_factor_cholesky(tiny_ctx *t, tiny_uop *x, tiny_uop **inverse) {
  if (tn_bad(t, x)) return *inverse = x;
  const int64_t n = x->dim[1];
  x = tn_stored(t, tn_beside(t, x, tn_identity_matrix(t, x, n, n), 2));
  for (int step = 0; step < n && !tn_bad(t, x); step++) {
    tn_stage s;
    tiny_uop *k = tn_nth_step(t, step);
    if (!tn_stage_at(t, &s, x, k, k)) return *inverse = &t->ir->bad;
    tiny_uop *less = tn_sub(t, s.here, tn_mul(t, tn_fdiv(t, s.left, s.pivot), s.top));
    x = tn_stored(t, tn_where(t, tn_lt(t, k, s.i), less, s.here));
  }
  if (tn_bad(t, x)) return *inverse = x;
  tiny_uop *i = tn_row(t, n), *scale = tn_stored(t, tn_rsqrt(t, tn_look(t, x, i, i, n, 1)));
  x = tn_mul(t, x, scale);
  *inverse = tn_stored(t, tn_triangle(t, tn_cut(t, x, 2, n, 2 * n), 1, 0));
  return tn_stored(t, tn_turned(t, tn_triangle(t, tn_cut(t, x, 2, 0, n), 0, 0)));
}

// ** Householder reflections: I - v v^T, v (B, n, 1) **

// The v that makes column k of x zero below row k, as LAPACK's dlarfg chooses its sign; 0 where it is zero
// already.
static tiny_uop *tn_reflector(tiny_ctx *t, tiny_uop *x, tiny_uop *k) {
  const int64_t n = x->dim[1];
  tiny_uop *i = tn_row(t, n), *zero = tn_k(t, x, 0), *one = tn_k(t, x, 1);
  tiny_uop *c = tn_stored(t, tn_where(t, tn_lt(t, i, k), zero, tn_look(t, x, i, k, n, 1)));
  tiny_uop *most = tn_reduce(t, TINY_OP_MAX, tn_abs(t, c), 2, 1);
  c = tn_fdiv(t, c, tn_where(t, tn_is_zero(t, most), one, most));
  tiny_uop *on = tn_eq(t, i, k), *alpha = tn_sum(t, tn_where(t, on, c, zero), 2, 1);
  tiny_uop *tail = tn_sum(t, tn_square(t, tn_where(t, on, zero, c)), 2, 1), *empty = tn_is_zero(t, tail);
  tiny_uop *size = tn_sqrt(t, tn_add(t, tn_square(t, alpha), tail));
  tiny_uop *beta = tn_where(t, tn_below_zero(t, alpha), size, tn_neg(t, size));
  tiny_uop *length = tn_sqrt(t, tn_where(t, empty, one, tn_mul(t, beta, tn_sub(t, beta, alpha))));
  tiny_uop *v = tn_fdiv(t, tn_where(t, on, tn_sub(t, c, beta), c), length);
  return tn_stored(t, tn_where(t, empty, zero, v));
}
static tiny_uop *tn_householder(tiny_ctx *t, tiny_uop *x, tiny_uop *v) {
  if (tn_bad(t, x) || tn_bad(t, v)) return &t->ir->bad;
  tiny_uop *along = tn_stored(t, tn_sum(t, tn_mul(t, x, v), 2, 1));
  return tn_stored(t, tn_sub(t, x, tn_mul(t, along, v)));
}
// x (B, n, m) = q @ r; q (B, n, columns). v: room for the reflectors, min(n, m) of them.
static tiny_uop *tn_factor_qr(tiny_ctx *t, tiny_uop *x, int64_t columns, tiny_uop **v, tiny_uop **r) {
  if (tn_bad(t, x)) return *r = x;
  const int64_t n = x->dim[1], m = x->dim[2], least = n < m ? n : m;
  x = tn_stored(t, x);
  for (int k = 0; k < least && !tn_bad(t, x); k++) {
    v[k] = tn_reflector(t, x, tn_nth_step(t, k));
    x = tn_householder(t, x, v[k]);
  }
  tiny_uop *q = tn_stored(t, tn_identity_matrix(t, x, n, columns));
  for (int64_t k = least; k-- > 0 && !tn_bad(t, q);) q = tn_householder(t, q, v[k]);
  *r = tn_stored(t, tn_triangle(t, tn_cut(t, x, 1, 0, columns), 0, 0));
  return q;
}

// ** Jacobi rotations **

// Rounds of a tournament of n players: everyone meets everyone once. The circle method: in round r players i
// and j meet if i + j = 2r mod circle, and player r, who would meet himself, meets the last, or rests.
static int tn_rounds(int64_t n) { return n < 2 ? 0 : (int)(n + (n & 1)) - 1; }
typedef struct tn_turn { tiny_uop *r, *sum; int64_t n; } tn_turn;        // sum: 2r mod circle
static tn_turn tn_turn_of(tiny_ctx *t, int64_t n, int round) {
  tiny_uop *sum = tn_scalar(t, TINY_I32, 2 * round % tn_rounds(n), TN_LINALG_SUM);
  const tn_turn now = {tn_nth_step(t, round), tn_cast(t, sum, TINY_INDEX), n};
  return now;
}
static tiny_uop *tn_partner(tiny_ctx *t, tiny_uop *i, const tn_turn *now) {
  if (tn_bad(t, i) || tn_bad(t, now->r) || tn_bad(t, now->sum)) return &t->ir->bad;
  tiny_uop *last = tn_k(t, i, (double)tn_rounds(now->n)), *other = tn_sub(t, now->sum, i);
  other = tn_where(t, tn_lt(t, now->sum, i), tn_add(t, other, last), other);
  if (now->n & 1) return other;            // who rests meets himself
  return tn_where(t, tn_eq(t, i, now->r), last, tn_where(t, tn_eq(t, i, last), now->r, other));
}
// Cosine and sine of the rotation that makes q zero in ((a, q), (q, b)): Golub and Van Loan, Matrix
// Computations, 8.5.2.
// Every position computes it for itself, a being its own; first: it is the smaller of the two, which changes
// the sign. Both compute the same bits. Out: (cosine, sine) along an axis.
static tiny_uop *tn_rotation(tiny_ctx *t, tiny_uop *a, tiny_uop *b, tiny_uop *q, tiny_uop *first, int axis) {
  if (tn_bad(t, a) || tn_bad(t, b) || tn_bad(t, q)) return &t->ir->bad;
  tiny_uop *none = tn_is_zero(t, q), *one = tn_k(t, q, 1), *zero = tn_k(t, q, 0);
  tiny_uop *tau = tn_fdiv(t, tn_sub(t, b, a), tn_times(t, tn_where(t, none, one, q), 2));
  tau = tn_where(t, first, tau, tn_neg(t, tau));
  tiny_uop *root = tn_sqrt(t, tn_plus(t, tn_square(t, tau), 1));
  root = tn_where(t, tn_below_zero(t, tau), tn_neg(t, root), root);
  tiny_uop *tangent = tn_reciprocal(t, tn_add(t, tau, root));
  tangent = tn_where(t, none, zero, tangent);
  tiny_uop *cosine = tn_rsqrt(t, tn_plus(t, tn_square(t, tangent), 1)), *sine = tn_mul(t, tangent, cosine);
  tiny_uop *is_own = tn_eq(t, tn_iota(t, TINY_INDEX, 2, axis, 3), tn_int(t, TINY_INDEX, 0));
  return tn_stored(t, tn_where(t, is_own, cosine, tn_where(t, first, tn_neg(t, sine), sine)));
}
// Sweeps until rotations change nothing: convergence is quadratic after about log2 n of them.
static int tn_sweeps(int64_t n, int dtype) {
  int sweeps = dtype == TINY_F64 ? 5 : 4;
  while (n > 2) { sweeps++; n = (n + 1) / 2; }
  return n < 2 ? 0 : sweeps;
}

// Positions in the order of x (B, n, 1), of equals the first first -> (B, 1, n). direction -1: the greatest
// first.
static tiny_uop *tn_sorted_order(tiny_ctx *t, tiny_uop *x, int direction) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1];
  tiny_uop *i = tn_row(t, n), *j = tn_column(t, n), *other = tn_turned(t, x);
  tiny_uop *before = tn_or(t, direction < 0 ? tn_lt(t, x, other) : tn_lt(t, other, x),
                           tn_and(t, tn_eq(t, other, x), tn_lt(t, j, i)));
  if (tn_bad(t, before)) return before;
  tiny_uop *rank = tn_stored(t, tn_sum(t, tn_cast(t, before, TINY_I32), 4, 1));
  tiny_uop *is = tn_eq(t, tn_cast(t, rank, TINY_INDEX), j);
  tiny_uop *at = tn_where(t, is, tn_cast(t, i, TINY_I32), tn_int(t, TINY_I32, 0));
  return tn_cast(t, tn_stored(t, tn_sum(t, at, 2, 1)), TINY_INDEX);
}

// One round on (x; v), (B, 2n, n): x <- J^T x J, v <- v J. Columns first, then the rows of x.
static tiny_uop *tn_jacobi_round(tiny_ctx *t, tiny_uop *x, const tn_turn *now) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[2];
  tiny_uop *i = tn_row(t, 2 * n), *j = tn_column(t, n), *zero = tn_k(t, x, 0);
  tiny_uop *k = tn_row(t, n), *m = tn_partner(t, k, now), *first = tn_lt(t, k, m);
  tiny_uop *q = tn_add(t, tn_look(t, x, k, m, n, 1), tn_look(t, x, m, k, n, 1));   // the same from both sides
  q = tn_where(t, tn_eq(t, k, m), zero, tn_times(t, q, 0.5));
  tiny_uop *turn = tn_rotation(t, tn_look(t, x, k, k, n, 1), tn_look(t, x, m, m, n, 1), q, first, 2);
  tiny_uop *cosine = tn_cut(t, turn, 2, 0, 1), *sine = tn_cut(t, turn, 2, 1, 2);
  tiny_uop *across = tn_look(t, x, i, tn_partner(t, j, now), 2 * n, n);
  x = tn_stored(t, tn_add(t, tn_mul(t, x, tn_turned(t, cosine)), tn_mul(t, across, tn_turned(t, sine))));
  if (tn_bad(t, x)) return x;
  tiny_uop *inside = tn_lt(t, i, tn_k(t, i, (double)n));
  tiny_uop *below = tn_look(t, x, tn_partner(t, i, now), j, 2 * n, n);
  tiny_uop *none = tn_int(t, TINY_INDEX, 0);
  cosine = tn_look(t, cosine, i, none, 2 * n, n); sine = tn_look(t, sine, i, none, 2 * n, n);
  return tn_stored(t, tn_where(t, inside, tn_add(t, tn_mul(t, x, cosine), tn_mul(t, below, sine)), x));
}
// x symmetric = v diag(w) v^T; w (B, n, 1), ascending.
static tiny_uop *tn_factor_eigh(tiny_ctx *t, tiny_uop *x, tiny_uop **w) {
  if (tn_bad(t, x)) return *w = x;
  const int64_t n = x->dim[1];
  x = tn_stored(t, tn_beside(t, x, tn_identity_matrix(t, x, n, n), 1));
  for (int sweep = tn_sweeps(n, x->dtype); sweep-- > 0;)
    for (int round = 0; round < tn_rounds(n); round++) {
      const tn_turn now = tn_turn_of(t, n, round);
      x = tn_jacobi_round(t, x, &now);
    }
  if (tn_bad(t, x)) return *w = x;
  tiny_uop *i = tn_row(t, n), *d = tn_stored(t, tn_look(t, x, i, i, n, 1)), *order = tn_sorted_order(t, d, 1);
  *w = tn_stored(t, tn_turned(t, tn_look(t, tn_turned(t, d), tn_int(t, TINY_INDEX, 0), order, 1, n)));
  return tn_stored(t, tn_look(t, tn_cut(t, x, 1, n, 2 * n), i, order, n, n));
}

// One-sided: columns of (x; v), (B, n+m, m), are turned in pairs until those of x are orthogonal to each
// other (Hestenes).
static tiny_uop *tn_hestenes_round(tiny_ctx *t, tiny_uop *x, int64_t n, const tn_turn *now) {
  if (tn_bad(t, x)) return x;
  const int64_t m = x->dim[2];
  tiny_uop *j = tn_column(t, m), *p = tn_partner(t, j, now), *first = tn_lt(t, j, p);
  tiny_uop *other = tn_stored(t, tn_look(t, x, tn_row(t, x->dim[1]), p, x->dim[1], m));
  tiny_uop *a = tn_cut(t, x, 1, 0, n), *b = tn_cut(t, other, 1, 0, n);
  tiny_uop *aa = tn_sum(t, tn_square(t, a), 2, 1), *bb = tn_sum(t, tn_square(t, b), 2, 1);
  tiny_uop *q = tn_where(t, tn_eq(t, j, p), tn_k(t, x, 0), tn_sum(t, tn_mul(t, a, b), 2, 1));
  tiny_uop *turn = tn_rotation(t, aa, bb, q, first, 1);
  return tn_stored(t, tn_add(t, tn_mul(t, x, tn_cut(t, turn, 1, 0, 1)),
                             tn_mul(t, other, tn_cut(t, turn, 1, 1, 2))));
}
// x (B, n, m), n >= m, = u diag(s) vt^T; s (B, m, 1), descending. reflector: room for m. Columns of u that
// belong to singular values of 0 are what Householder makes of them: orthonormal to the others.
static tiny_uop *tn_factor_svd(tiny_ctx *t, tiny_uop *x, tiny_uop **reflector, tiny_uop **s, tiny_uop **v) {
  if (tn_bad(t, x)) return *s = *v = x;
  const int64_t n = x->dim[1], m = x->dim[2];
  tiny_uop *r;
  x = tn_stored(t, tn_beside(t, x, tn_identity_matrix(t, x, m, m), 1));
  for (int sweep = tn_sweeps(m, x->dtype); sweep-- > 0;)
    for (int round = 0; round < tn_rounds(m); round++) {
      const tn_turn now = tn_turn_of(t, m, round);
      x = tn_hestenes_round(t, x, n, &now);
    }
  if (tn_bad(t, x)) return *s = *v = x;
  tiny_uop *squares = tn_sum(t, tn_square(t, tn_cut(t, x, 1, 0, n)), 2, 1);
  tiny_uop *length = tn_stored(t, tn_turned(t, tn_sqrt(t, squares)));
  tiny_uop *order = tn_sorted_order(t, length, -1), *origin = tn_int(t, TINY_INDEX, 0);
  tiny_uop *sorted = tn_stored(t, tn_look(t, tn_turned(t, length), origin, order, 1, m));
  x = tn_stored(t, tn_look(t, x, tn_row(t, n + m), order, n + m, m));
  *s = tn_turned(t, sorted);
  *v = tn_cut(t, x, 1, n, n + m);
  tiny_uop *none = tn_is_zero(t, sorted), *one = tn_k(t, x, 1);
  tiny_uop *u = tn_fdiv(t, tn_cut(t, x, 1, 0, n), tn_where(t, none, one, sorted));
  u = tn_factor_qr(t, u, m, reflector, &r);
  if (tn_bad(t, u)) return u;
  tiny_uop *i = tn_row(t, m), *d = tn_stored(t, tn_turned(t, tn_look(t, r, i, i, m, 1)));
  return tn_stored(t, tn_mul(t, u, tn_where(t, tn_below_zero(t, d), tn_neg(t, one), one)));
}
#endif
