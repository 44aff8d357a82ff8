// factor: values of factorisations of matrices: elimination, Householder reflections, Jacobi rotations.
//
// In:  x (B, n, m) in f32 or f64. Out: nodes that compute a factorisation of each of the B matrices, without
//      gradients: linalg.c adds these.
// Each is one kernel of loops (loops.c), whatever n, in which each matrix of the batch is a task. It copies x to its
// output and works there, along rows; what goes along columns (QR, SVD) works on the transpose. What is done once, as
// the order of eigenvalues, is a graph behind it.
// Rotations go on in sweeps until one has nothing left to do: the loops of the sweeps after it have no iterations.
#ifndef TN_TENSOR_FACTOR
#define TN_TENSOR_FACTOR
#ifndef TINY_AMALGAMATED
#include "loops.c"
#endif

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
static tiny_uop *tn_concat2(tiny_ctx *t, tiny_uop *a, tiny_uop *b, int axis) {
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

static tiny_uop *tn_zero_matrix(tiny_ctx *t, const tiny_uop *x, int64_t n, int64_t m) {
  if (tn_bad(t, x)) return &t->ir->bad;
  const int64_t dim[3] = {x->dim[0], n, m};
  return tn_expand(t, tn_k(t, x, 0), 3, dim);
}
static int tn_is_empty(const tiny_uop *x) { return !x->dim[0] || !x->dim[1] || !x->dim[2]; }
static double tn_epsilon(int dtype) {
  return dtype == TINY_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-7;
}

// What the kernels say: g is a tn_grid, l the loops; values are of x's dtype, positions of INDEX.
#define load(g, i, j)     tn_grid_load(&(g), i, j)
#define store(g, i, j, x) tn_grid_store(&(g), i, j, x)
#define each(i, from, to) TN_LOOP_OVER(&l, i, from, to)
#define at(k)             tn_index(t, k)
#define num(k)            tn_constant(t, dtype, k)
#define add(x, y)         tn_u2(t, TINY_OP_ADD, x, y)
#define mul(x, y)         tn_u2(t, TINY_OP_MUL, x, y)
#define less(x, y)        tn_u2(t, TINY_OP_LT, x, y)
#define over(x, y)        tn_u2(t, TINY_OP_FDIV, x, y)
#define neg(x)            mul(x, tn_k(t, x, -1))
#define sub(x, y)         add(x, neg(y))
#define same(x, y)        tn_not(t, tn_u2(t, TINY_OP_NE, x, y))
#define pick(c, x, y)     tn_u3(t, TINY_OP_WHERE, c, x, y)
#define root(x)           tn_u1(t, TINY_OP_SQRT, x)
#define size(x)           tn_loops_size(t, x)
#define when(c)           each(once_, at(0), pick(c, at(1), at(0)))

static tiny_uop *tn_loops_size(tiny_ctx *t, tiny_uop *x) { return pick(less(x, tn_k(t, x, 0)), neg(x), x); }
static tiny_uop *tn_loops_one(tn_loops *l, int op, tiny_uop *x) {
  tn_loops_reduce(l, op, 1, &x);
  return x;
}

// ** elimination **

// The first row from k on whose element in column k is the greatest; k, where none is (NaN).
static tiny_uop *tn_loops_pivot(const tn_grid *w, tiny_uop *k, int64_t n) {
  tn_loops *l = w->l;
  tiny_ctx *t = l->t;
  tiny_uop *i = tn_loops_sum(l, k, at(n)), *most = tn_loops_one(l, TINY_OP_MAX, size(load(*w, i, k)));
  i = tn_loops_sum(l, k, at(n));
  tiny_uop *is = same(size(load(*w, i, k)), most);
  tiny_uop *left = tn_loops_one(l, TINY_OP_MAX, pick(is, sub(at(n), i), at(0)));
  return pick(less(at(0), left), sub(at(n), left), k);
}
static void tn_loops_swap_rows(const tn_grid *w, tiny_uop *p, tiny_uop *q, int64_t m) {
  tn_loops *l = w->l;
  tiny_ctx *t = l->t;
  TN_LOOP_OVER(l, j, at(0), at(m)) {
    tiny_uop *x = load(*w, p, j), *y = load(*w, q, j);
    store(*w, p, j, y);
    store(*w, q, j, x);
  }
}
// w[i, from..to) += f w[k, from..to)
static void tn_loops_add_row(const tn_grid *w, tiny_uop *i, tiny_uop *k, tiny_uop *f, tiny_uop *from, tiny_uop *to) {
  tiny_ctx *t = w->l->t;
  TN_LOOP_OVER(w->l, j, from, to) store(*w, i, j, add(load(*w, i, j), mul(f, load(*w, k, j))));
}

// pivot (B, n, 1); sign (B, 1, 1), of the order of rows.
typedef struct tn_inverse { tiny_uop *x, *pivot, *sign; } tn_inverse;
// Gauss and Jordan in place: step k exchanges unknown k with row k (Stiefel's exchange method). A pivot of 0
// is taken as 1: then the inverse is finite but wrong, and tells by its pivots that there is none. Behind the
// columns: pivots, and the rows that they came from.
static tiny_uop *tn_exchanged(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1];
  const int dtype = x->dtype;
  tn_loops l;
  tn_loops_open(&l, t, x->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, n, n), w = tn_grid_of(&l, 0, dtype, n, n + 2);
  each(i, at(0), at(n)) each(j, at(0), at(n)) store(w, i, j, load(a, i, j));
  each(k, at(0), at(n)) {
    tiny_uop *p = tn_loops_pivot(&w, k, n);
    tn_loops_swap_rows(&w, k, p, n);
    tiny_uop *pivot = load(w, k, k), *safe = pick(same(pivot, num(0)), num(1), pivot);
    store(w, k, at(n), pivot);
    store(w, k, at(n + 1), tn_cast(t, p, dtype));
    store(w, k, k, num(-1));
    each(j, at(0), at(n)) store(w, k, j, neg(over(load(w, k, j), safe)));
    each(row, at(0), at(n - 1)) {
      tiny_uop *i = add(row, pick(less(row, k), at(0), at(1))), *f = load(w, i, k);
      store(w, i, k, num(0));
      tn_loops_add_row(&w, i, k, f, at(0), at(n));
    }
  }
  each(back, at(0), at(n)) {
    tiny_uop *k = sub(at(n - 1), back), *p = tn_cast(t, load(w, k, at(n + 1)), TINY_INDEX);
    each(i, at(0), at(n)) {
      tiny_uop *u = load(w, i, k), *v = load(w, i, p);
      store(w, i, k, v);
      store(w, i, p, u);
    }
  }
  return tn_loops_run(&l, x, dtype, n, n + 2);
}
static tn_inverse tn_invert_matrix(tiny_ctx *t, tiny_uop *x) {
  tn_inverse v = {x, x, x};
  if (tn_bad(t, x)) return v;
  const int64_t n = x->dim[1];
  tiny_uop *w = tn_is_empty(x) ? tn_zero_matrix(t, x, n, n + 2) : tn_exchanged(t, x);
  if (tn_bad(t, w)) { v.x = v.pivot = v.sign = w; return v; }
  v.x = tn_cut(t, w, 2, 0, n);
  v.pivot = tn_cut(t, w, 2, n, n + 1);
  tiny_uop *stays = tn_eq(t, tn_cut(t, w, 2, n + 1, n + 2), tn_iota(t, w->dtype, n, 1, 3));
  v.sign = tn_reduce(t, TINY_OP_MUL, tn_where(t, stays, tn_k(t, w, 1), tn_k(t, w, -1)), 2, 1);
  return v;
}

// Of lower x, by substitution along rows; 0 on the diagonal counts as 1.
static tiny_uop *tn_inverted_lower(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1];
  const int dtype = x->dtype;
  tn_loops l;
  tn_loops_open(&l, t, x->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, n, n), w = tn_grid_of(&l, 0, dtype, n, n);
  each(i, at(0), at(n)) {
    each(j, at(0), at(n)) store(w, i, j, pick(same(i, j), num(1), num(0)));
    each(k, at(0), i) tn_loops_add_row(&w, i, k, neg(load(a, i, k)), at(0), add(k, at(1)));
    tiny_uop *d = load(a, i, i), *safe = pick(same(d, num(0)), num(1), d);
    each(j, at(0), add(i, at(1))) store(w, i, j, over(load(w, i, j), safe));
  }
  return tn_loops_run(&l, x, dtype, n, n);
}
static tiny_uop *tn_invert_triangle(tiny_ctx *t, tiny_uop *x, int below) {
  if (tn_bad(t, x) || tn_is_empty(x)) return x;
  return below ? tn_inverted_lower(t, x) : tn_turned(t, tn_inverted_lower(t, tn_turned(t, x)));
}

typedef struct tn_lu { tiny_uop *l, *u, *order; } tn_lu;     // x[order] = l @ u; order (B, n, 1), positions
// Factors below and above the diagonal, and behind the columns the number of each row, which moves with it.
static tiny_uop *tn_eliminated(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1], m = x->dim[2], least = n < m ? n : m;
  const int dtype = x->dtype;
  tn_loops l;
  tn_loops_open(&l, t, x->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, n, m), w = tn_grid_of(&l, 0, dtype, n, m + 1);
  each(i, at(0), at(n)) {
    each(j, at(0), at(m)) store(w, i, j, load(a, i, j));
    store(w, i, at(m), tn_cast(t, i, dtype));
  }
  each(k, at(0), at(least)) {
    tn_loops_swap_rows(&w, k, tn_loops_pivot(&w, k, n), m + 1);
    tiny_uop *pivot = load(w, k, k), *none = same(pivot, num(0)), *after = add(k, at(1));
    each(i, after, at(n)) {
      tiny_uop *f = pick(none, num(0), over(load(w, i, k), pick(none, num(1), pivot)));
      store(w, i, k, f);
      each(j, after, at(m)) store(w, i, j, sub(load(w, i, j), mul(f, load(w, k, j))));
    }
  }
  return tn_loops_run(&l, x, dtype, n, m + 1);
}
static tn_lu tn_factor_lu(tiny_ctx *t, tiny_uop *x) {
  tn_lu f = {x, x, x};
  if (tn_bad(t, x)) return f;
  const int64_t n = x->dim[1], m = x->dim[2], least = n < m ? n : m;
  tiny_uop *w = tn_is_empty(x) ? tn_zero_matrix(t, x, n, m + 1) : tn_eliminated(t, x);
  const int64_t rows[3] = {x->dim[0], n, 1};
  if (tn_is_empty(x)) f.order = tn_expand(t, tn_row(t, n), 3, rows);
  else f.order = tn_as_index(t, tn_cut(t, w, 2, m, m + 1));
  tiny_uop *l = tn_triangle(t, tn_cut(t, w, 2, 0, least), 1, -1);
  f.l = tn_bad(t, l) ? l : tn_stored(t, tn_add(t, l, tn_identity_matrix(t, x, n, least)));
  f.u = tn_stored(t, tn_triangle(t, tn_cut(t, tn_cut(t, w, 2, 0, m), 1, 0, least), 0, 0));
  return f;
}

// Of x, of which the lower triangle is looked at: lower l, l @ l^T = x, row by row. NaN from where x is not positive
// definite on.
static tiny_uop *tn_rooted(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1];
  const int dtype = x->dtype;
  tn_loops l;
  tn_loops_open(&l, t, x->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, n, n), w = tn_grid_of(&l, 0, dtype, n, n);
  each(i, at(0), at(n)) {
    each(j, at(0), i) {
      tiny_uop *k = tn_loops_sum(&l, at(0), j);
      tiny_uop *dot = tn_loops_one(&l, TINY_OP_ADD, mul(load(w, i, k), load(w, j, k)));
      store(w, i, j, over(sub(load(a, i, j), dot), load(w, j, j)));
    }
    tiny_uop *k = tn_loops_sum(&l, at(0), i), *u = load(w, i, k), *dot = tn_loops_one(&l, TINY_OP_ADD, mul(u, u));
    tiny_uop *square = sub(load(a, i, i), dot);
    store(w, i, i, pick(less(num(0), square), root(square), num((double)NAN)));
    each(j, add(i, at(1)), at(n)) store(w, i, j, num(0));
  }
  return tn_loops_run(&l, x, dtype, n, n);
}
// x symmetric -> l and *inverse of l.
static tiny_uop *tn_factor_cholesky(tiny_ctx *t, tiny_uop *x, tiny_uop **inverse) {
  if (tn_bad(t, x) || tn_is_empty(x)) return *inverse = x;
  tiny_uop *l = tn_rooted(t, x);
  *inverse = tn_invert_triangle(t, l, 1);
  return l;
}

// ** Householder reflections: I - v v^T **

// Row k becomes the v that makes it zero behind element k, as LAPACK's dlarfg chooses its sign; 0 where it is zero
// already. What element k becomes goes behind the row, to element n.
static void tn_loops_reflector(const tn_grid *w, tiny_uop *k, int64_t n, int dtype) {
  tn_loops *l = w->l;
  tiny_ctx *t = l->t;
  tiny_uop *after = add(k, at(1)), *i = tn_loops_sum(l, k, at(n));
  tiny_uop *most = tn_loops_one(l, TINY_OP_MAX, size(load(*w, k, i))), *own = load(*w, k, k);
  tiny_uop *unit = pick(same(most, num(0)), num(1), most), *alpha = over(own, unit);
  i = tn_loops_sum(l, after, at(n));
  tiny_uop *part = over(load(*w, k, i), unit), *tail = tn_loops_one(l, TINY_OP_ADD, mul(part, part));
  tiny_uop *none = same(tail, num(0)), *norm = root(add(mul(alpha, alpha), tail));
  tiny_uop *beta = pick(less(alpha, num(0)), norm, neg(norm));
  tiny_uop *length = root(pick(none, num(1), mul(beta, sub(beta, alpha))));
  store(*w, k, at(n), pick(none, own, mul(beta, unit)));
  store(*w, k, k, pick(none, num(0), over(sub(alpha, beta), length)));
  TN_LOOP_OVER(l, j, after, at(n)) store(*w, k, j, pick(none, num(0), over(over(load(*w, k, j), unit), length)));
}
// Rows from..to less their part along v, which is row k from element k on.
static void tn_loops_reflect(const tn_grid *w, tiny_uop *k, tiny_uop *from, tiny_uop *to, int64_t n) {
  tn_loops *l = w->l;
  tiny_ctx *t = l->t;
  TN_LOOP_OVER(l, j, from, to) {
    tiny_uop *i = tn_loops_sum(l, k, at(n));
    tiny_uop *along = tn_loops_one(l, TINY_OP_ADD, mul(load(*w, k, i), load(*w, j, i)));
    TN_LOOP_OVER(l, e, k, at(n)) store(*w, j, e, sub(load(*w, j, e), mul(along, load(*w, k, e))));
  }
}
// xt (B, m, n), the columns of x -> rows of n + 1: m of r^T with the reflectors in it, then the columns of q.
static tiny_uop *tn_reflected(tiny_ctx *t, tiny_uop *xt, int64_t columns) {
  if (tn_bad(t, xt)) return xt;
  const int64_t m = xt->dim[1], n = xt->dim[2], least = n < m ? n : m;
  const int dtype = xt->dtype;
  tn_loops l;
  tn_loops_open(&l, t, xt->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, m, n), w = tn_grid_of(&l, 0, dtype, m + columns, n + 1);
  each(j, at(0), at(m)) {
    each(i, at(0), at(n)) store(w, j, i, load(a, j, i));
    store(w, j, at(n), num(0));
  }
  each(j, at(0), at(columns)) each(i, at(0), at(n + 1)) store(w, add(j, at(m)), i, pick(same(i, j), num(1), num(0)));
  each(k, at(0), at(least)) {
    tn_loops_reflector(&w, k, n, dtype);
    tn_loops_reflect(&w, k, add(k, at(1)), at(m), n);
  }
  each(back, at(0), at(least)) {
    tiny_uop *k = sub(at(least - 1), back);
    tn_loops_reflect(&w, k, add(k, at(m)), at(m + columns), n);
  }
  return tn_loops_run(&l, xt, dtype, m + columns, n + 1);
}
// x (B, n, m) = q @ r; q (B, n, columns).
static tiny_uop *tn_factor_qr(tiny_ctx *t, tiny_uop *x, int64_t columns, tiny_uop **r) {
  if (tn_bad(t, x)) return *r = x;
  const int64_t n = x->dim[1], m = x->dim[2];
  if (tn_is_empty(x)) {
    *r = tn_zero_matrix(t, x, columns, m);
    return tn_identity_matrix(t, x, n, columns);
  }
  tiny_uop *w = tn_reflected(t, tn_turned(t, x), columns), *rt = tn_cut(t, w, 1, 0, m);
  tiny_uop *on = tn_eq(t, tn_row(t, m), tn_column(t, n)), *own = tn_cut(t, rt, 2, n, n + 1);
  rt = tn_where(t, on, own, tn_triangle(t, tn_cut(t, rt, 2, 0, n), 1, -1));
  *r = tn_stored(t, tn_cut(t, tn_turned(t, rt), 1, 0, columns));
  return tn_stored(t, tn_turned(t, tn_cut(t, tn_cut(t, w, 1, m, m + columns), 2, 0, n)));
}

// ** Jacobi rotations **

// Cosine and sine of the rotation that makes q zero in ((a, q), (q, b)), and its *tangent: Golub and Van Loan, Matrix
// Computations, 8.5.2.
static void tn_loops_rotation(tiny_ctx *t, tiny_uop *a, tiny_uop *b, tiny_uop *q, tiny_uop **cosine, tiny_uop **sine,
                              tiny_uop **tangent) {
  const int dtype = q->dtype;
  tiny_uop *tau = over(sub(b, a), mul(q, num(2))), *one = root(add(mul(tau, tau), num(1)));
  *tangent = over(num(1), add(tau, pick(less(tau, num(0)), neg(one), one)));
  *cosine = over(num(1), root(add(mul(*tangent, *tangent), num(1))));
  *sine = mul(*tangent, *cosine);
}
static void tn_loops_rotate(const tn_grid *w, tiny_uop *p, tiny_uop *q, int64_t n, tiny_uop *cosine, tiny_uop *sine) {
  tn_loops *l = w->l;
  tiny_ctx *t = l->t;
  TN_LOOP_OVER(l, k, at(0), at(n)) {
    tiny_uop *x = load(*w, p, k), *y = load(*w, q, k);
    store(*w, p, k, sub(mul(cosine, x), mul(sine, y)));
    store(*w, q, k, add(mul(sine, x), mul(cosine, y)));
  }
}
// The power of two below the greatest of n elements, by which squares neither overflow nor vanish, and *poison: 0,
// or NaN where an element is NaN or infinite.
static tiny_uop *tn_loops_scale(const tn_grid *a, int64_t n, tiny_uop **poison) {
  tn_loops *l = a->l;
  tiny_ctx *t = l->t;
  const int dtype = a->memory->dtype, wide = dtype == TINY_F64, bits = wide ? (int)TINY_I64 : (int)TINY_I32;
  tiny_uop *x = load(*a, at(0), tn_loops_sum(l, at(0), at(n))), *all[2] = {size(x), NULL};
  all[1] = size(x);
  tn_loops_reduce(l, TINY_OP_MAX, 1, all);
  tiny_uop *i = tn_loops_sum(l, at(0), at(n));
  *poison = tn_loops_one(l, TINY_OP_ADD, mul(load(*a, at(0), i), num(0)));
  tiny_uop *mask = tn_int(t, bits, wide ? 0x7FF0000000000000ll : 0x7F800000), *none = tn_int(t, bits, 0);
  tiny_uop *power = tn_u2(t, TINY_OP_AND, tn_bits_as(t, all[0], bits), mask);
  tiny_uop *odd = tn_u2(t, TINY_OP_OR, same(power, none), same(power, mask));
  return pick(odd, num(1), tn_bits_as(t, power, dtype));
}
// Sweeps at most: convergence is quadratic after about log2 n of them, so that these are never reached.
enum { TN_MOST_SWEEPS = 40 };

// Positions in the order of x (B, n, 1), of equals the first first -> (B, 1, n). direction -1: the greatest
// first.
static tiny_uop *tn_sorted_order(tiny_ctx *t, tiny_uop *x, int direction) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1];
  tiny_uop *i = tn_row(t, n), *j = tn_column(t, n), *other = tn_turned(t, x);
  tiny_uop *apart = tn_or(t, tn_lt(t, x, other), tn_lt(t, other, x));        // NaN are equals
  tiny_uop *before = tn_or(t, direction < 0 ? tn_lt(t, x, other) : tn_lt(t, other, x),
                           tn_and(t, tn_not(t, apart), tn_lt(t, j, i)));
  if (tn_bad(t, before)) return before;
  tiny_uop *rank = tn_stored(t, tn_sum(t, tn_cast(t, before, TINY_I32), 4, 1));
  tiny_uop *is = tn_eq(t, tn_cast(t, rank, TINY_INDEX), j);
  tiny_uop *at = tn_where(t, is, tn_cast(t, i, TINY_I32), tn_int(t, TINY_I32, 0));
  return tn_cast(t, tn_stored(t, tn_sum(t, at, 2, 1)), TINY_INDEX);
}


// x (B, n, n) symmetric -> (B, 2n+1, n): a diagonal matrix, eigenvectors in rows, and the scale of the first. A sweep
// rotates each pair of rows and columns once. It is over when all that is off the diagonal is less than rounding.
static tiny_uop *tn_diagonalized(tiny_ctx *t, tiny_uop *x) {
  TN_FLOAT_MODE;
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[1];
  const int dtype = x->dtype;
  const double least = tn_epsilon(dtype) * tn_epsilon(dtype) / 64;
  tn_loops l;
  tn_loops_open(&l, t, x->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, n, n), w = tn_grid_of(&l, 0, dtype, 2 * n + 1, n);
  tn_grid v = w;
  v.base = add(w.base, at(n * n));
  tiny_uop *poison, *scale = tn_loops_scale(&a, n * n, &poison), *e, *c, *s, *tangent;
  each(i, at(0), at(n)) each(j, at(0), at(n)) {
    store(w, i, j, add(over(load(a, i, j), scale), poison));
    store(v, i, j, pick(same(i, j), num(1), num(0)));
  }
  store(v, at(n), at(0), scale);
  e = load(w, at(0), tn_loops_sum(&l, at(0), at(n * n)));
  tiny_uop *all = tn_loops_one(&l, TINY_OP_ADD, mul(e, e)), *negligible = mul(all, num(least));
  each(sweep, at(0), at(TN_MOST_SWEEPS)) {
    tiny_uop *k = tn_loops_sum(&l, at(0), at(n * n)), *on = same(tn_u2(t, TINY_OP_MOD, k, at(n + 1)), at(0));
    e = load(w, at(0), k);
    tiny_uop *off = tn_loops_one(&l, TINY_OP_ADD, pick(on, num(0), mul(e, e)));
    each(p, at(0), pick(less(negligible, off), at(n - 1), at(0))) each(q, add(p, at(1)), at(n)) {
      tiny_uop *app = load(w, p, p), *aqq = load(w, q, q), *apq = load(w, p, q);
      when(less(mul(negligible, num(1.0 / (double)(n * n))), mul(apq, apq))) {
        tn_loops_rotation(t, app, aqq, apq, &c, &s, &tangent);
        tn_loops_rotate(&w, p, q, n, c, s);
        each(i, at(0), at(n)) {
          store(w, i, p, load(w, p, i));
          store(w, i, q, load(w, q, i));
        }
        store(w, p, p, sub(app, mul(tangent, apq)));
        store(w, q, q, add(aqq, mul(tangent, apq)));
        store(w, p, q, num(0));
        store(w, q, p, num(0));
        tn_loops_rotate(&v, p, q, n, c, s);
      }
    }
  }
  return tn_loops_run(&l, x, dtype, 2 * n + 1, n);
}
// x symmetric = v diag(w) v^T; w (B, n, 1), ascending.
static tiny_uop *tn_factor_eigh(tiny_ctx *t, tiny_uop *x, tiny_uop **w) {
  if (tn_bad(t, x)) return *w = x;
  const int64_t n = x->dim[1];
  if (tn_is_empty(x)) {
    *w = tn_zero_matrix(t, x, n, 1);
    return x;
  }
  x = tn_diagonalized(t, x);
  if (tn_bad(t, x)) return *w = x;
  tiny_uop *i = tn_row(t, n), *scale = tn_cut(t, tn_cut(t, x, 1, 2 * n, 2 * n + 1), 2, 0, 1);
  tiny_uop *d = tn_stored(t, tn_mul(t, tn_look(t, tn_cut(t, x, 1, 0, n), i, i, n, 1), scale));
  tiny_uop *order = tn_sorted_order(t, d, 1);
  *w = tn_stored(t, tn_turned(t, tn_look(t, tn_turned(t, d), tn_int(t, TINY_INDEX, 0), order, 1, n)));
  return tn_stored(t, tn_look(t, tn_turned(t, tn_cut(t, x, 1, n, 2 * n)), i, order, n, n));
}

// One-sided: rows of (xt | I), (B, m, n+m), are rotated in pairs until those of xt are orthogonal to each other
// (Hestenes). Below them: the scale, and whether the last sweep had anything to do.
static tiny_uop *tn_orthogonalized(tiny_ctx *t, tiny_uop *xt) {
  TN_FLOAT_MODE;
  if (tn_bad(t, xt)) return xt;
  const int64_t m = xt->dim[1], n = xt->dim[2];
  const int dtype = xt->dtype;
  const double least = tn_epsilon(dtype) * sqrt((double)n);
  const double none = pow(tn_epsilon(dtype), 4);             // rows shorter than the square of rounding are 0
  tn_loops l;
  tn_loops_open(&l, t, xt->dim[0]);
  const tn_grid a = tn_grid_of(&l, 1, dtype, m, n), w = tn_grid_of(&l, 0, dtype, m + 1, n + m);
  tiny_uop *poison, *scale = tn_loops_scale(&a, m * n, &poison), *c, *s, *tangent;
  each(j, at(0), at(m)) {
    each(i, at(0), at(n)) store(w, j, i, add(over(load(a, j, i), scale), poison));
    each(i, at(0), at(m)) store(w, j, add(i, at(n)), pick(same(i, j), num(1), num(0)));
  }
  store(w, at(m), at(0), scale);
  store(w, at(m), at(1), num(1));
  each(sweep, at(0), at(TN_MOST_SWEEPS)) {
    tiny_uop *goes = less(num(0), load(w, at(m), at(1)));
    store(w, at(m), at(1), num(0));
    each(p, at(0), pick(goes, at(m - 1), at(0))) each(q, add(p, at(1)), at(m)) {
      tiny_uop *i = tn_loops_sum(&l, at(0), at(n)), *x = load(w, p, i), *y = load(w, q, i);
      tiny_uop *dot[3] = {mul(x, x), mul(y, y), mul(x, y)};
      tn_loops_reduce(&l, TINY_OP_ADD, 3, dot);
      tiny_uop *leans = less(mul(num(least), mul(root(dot[0]), root(dot[1]))), size(dot[2]));
      tiny_uop *counts = less(num(none), pick(less(dot[0], dot[1]), dot[0], dot[1]));
      when(tn_u2(t, TINY_OP_AND, leans, counts)) {
        tn_loops_rotation(t, dot[0], dot[1], dot[2], &c, &s, &tangent);
        tn_loops_rotate(&w, p, q, n + m, c, s);
        store(w, at(m), at(1), num(1));
      }
    }
  }
  return tn_loops_run(&l, xt, dtype, m + 1, n + m);
}
// x (B, n, m), n >= m, = u diag(s) vt^T; s (B, m, 1), descending. Columns of u that belong to singular values of 0
// are what Householder makes of them: orthonormal to the others.
static tiny_uop *tn_factor_svd(tiny_ctx *t, tiny_uop *x, tiny_uop **s, tiny_uop **v) {
  if (tn_bad(t, x)) return *s = *v = x;
  const int64_t n = x->dim[1], m = x->dim[2];
  tiny_uop *r;
  if (tn_is_empty(x)) {
    *s = tn_zero_matrix(t, x, m, 1);
    *v = tn_identity_matrix(t, x, m, m);
    return tn_identity_matrix(t, x, n, m);
  }
  tiny_uop *w = tn_orthogonalized(t, tn_turned(t, x)), *scale = tn_cut(t, tn_cut(t, w, 1, m, m + 1), 2, 0, 1);
  tiny_uop *rows = tn_cut(t, w, 1, 0, m), *xt = tn_cut(t, rows, 2, 0, n);
  if (tn_bad(t, rows) || tn_bad(t, xt)) return *s = *v = &t->ir->bad;
  tiny_uop *length = tn_stored(t, tn_sqrt(t, tn_sum(t, tn_square(t, xt), 4, 1)));
  tiny_uop *order = tn_sorted_order(t, length, -1), *origin = tn_int(t, TINY_INDEX, 0);
  tiny_uop *sorted = tn_stored(t, tn_look(t, tn_turned(t, length), origin, order, 1, m));
  x = tn_stored(t, tn_look(t, tn_turned(t, rows), tn_row(t, n + m), order, n + m, m));
  *s = tn_turned(t, tn_mul(t, sorted, scale));
  *v = tn_cut(t, x, 1, n, n + m);
  tiny_uop *none = tn_is_zero(t, sorted), *one = tn_k(t, x, 1);
  tiny_uop *u = tn_fdiv(t, tn_cut(t, x, 1, 0, n), tn_where(t, none, one, sorted));
  u = tn_factor_qr(t, u, m, &r);
  if (tn_bad(t, u)) return u;
  tiny_uop *i = tn_row(t, m), *d = tn_stored(t, tn_turned(t, tn_look(t, r, i, i, m, 1)));
  return tn_stored(t, tn_mul(t, u, tn_where(t, tn_below_zero(t, d), tn_neg(t, one), one)));
}

#undef load
#undef store
#undef each
#undef at
#undef num
#undef add
#undef mul
#undef less
#undef over
#undef neg
#undef sub
#undef same
#undef pick
#undef root
#undef size
#undef when
#endif
