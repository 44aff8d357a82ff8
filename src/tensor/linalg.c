// linalg: determinants, inverses, systems of equations and factorisations of matrices, with gradients.
//
// In:  tensors (.., n, m); integers count as f32, halves are computed in f32. Inside, matrices are (B, n, m).
// factor.c gives values through which no gradient flows: differentiating its loops would cost as much memory
// as steps, and is unstable where pivots are small. The derivative comes from one formula behind the loop
// instead, a Taylor polynomial in D = x - detach(x). D is 0, so the value stays the factorisation's, but D
// varies as x does. Of a factorisation at x0 we know how it changes under x0 + D as a series in D: taken to
// second order, first and second derivatives are exact. An inverse, for instance, is X (I - D X + D X D X ..)
// with X the detached inverse. Inverses and solutions take I - x X for -D X: the same to that order, and
// where x X is not quite I the value gets better, too.
// Where a series divides by a difference that is 0 (equal eigenvalues) or by a singular value of 0, that term
// is left out.
#ifndef TN_TENSOR_LINALG
#define TN_TENSOR_LINALG
#ifndef TINY_AMALGAMATED
#include "factor.c"
#endif

// ** arguments and results **

typedef struct tn_matrices {
  tiny_ctx *t;
  int dtype, nlead;                        // of the result; dims of the batch
  int64_t lead[TN_MAX_DIMS], count, n, m;
} tn_matrices;

// x as (B, n, m), wide; NULL after an error.
static tiny_uop *tn_matrices_in(const char *name, tiny_tensor *x, int square, tn_matrices *b) {
  char a[TN_DIMS_TEXT];
  tiny_uop *u = tn_uop_of(x);
  const int lead = u->ndim - 2;
  if (lead < 0 || lead > TINY_MAX_DIMS - 4 || (square && u->dim[lead] != u->dim[lead + 1])) {
    tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s is no %smatrix", name, tn_text_of(u, a), square ? "square " : "");
    return NULL;
  }
  b->t = tn_ctx_of(x); b->dtype = tn_real(u->dtype); b->nlead = lead;
  for (int i = 0; i < lead; i++) b->lead[i] = u->dim[i];
  b->count = tn_dims_nelem(lead, u->dim);
  b->n = u->dim[lead]; b->m = u->dim[lead + 1];
  const int64_t dim[3] = {b->count, b->n, b->m};
  return tn_reshape(tn_ctx_of(x), tn_wide(tn_ctx_of(x), u), 3, dim);
}
// (B, ..) with the batch as it came and n dims of the result behind it.
static tiny_tensor *tn_matrices_out(const tn_matrices *b, tiny_uop *u, int n, int64_t d0, int64_t d1) {
  int64_t dim[TN_MAX_DIMS];
  memcpy(dim, b->lead, sizeof dim);
  dim[b->nlead] = d0; dim[b->nlead + 1] = d1;
  return tn_tensor_new(b->t, tn_narrow(b->t, tn_reshape(b->t, u, b->nlead + n, dim), b->dtype));
}
static void tn_set(tiny_tensor **to, tiny_tensor *x) { if (to) *to = x; }

// x without its value: 0, but it varies as x does.
static tiny_uop *tn_variation(tiny_ctx *t, tiny_uop *x) { return tn_sub(t, x, tn_detached(t, x)); }
// The values of one tensor, the derivatives of another, which is computed for gradients only.
static tiny_uop *tn_varying(tiny_ctx *t, tiny_uop *value, tiny_uop *x) {
  return tn_sloped(t, TN_SLOPE_SAME, value, tn_stored(t, x));
}
static tiny_uop *tn_plus_identity(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_add(t, x, tn_identity_matrix(t, x, x->dim[1], x->dim[2]));
}
static tiny_uop *tn_diagonal_of(tiny_ctx *t, tiny_uop *x) {  // (B, n, n) -> (B, 1, n)
  if (tn_bad(t, x)) return x;
  tiny_uop *is = tn_eq(t, tn_row(t, x->dim[1]), tn_column(t, x->dim[2]));
  return tn_sum(t, tn_where(t, is, x, tn_k(t, x, 0)), 2, 1);
}
static tiny_uop *tn_trace_of(tiny_ctx *t, tiny_uop *x) { return tn_sum(t, tn_diagonal_of(t, x), 4, 1); }

// ** inverses and what follows from them **

// x varies around the matrix whose inverse is v.
static tiny_uop *tn_inverse_near(tiny_ctx *t, tiny_uop *x, tiny_uop *v) {
  tiny_uop *e = tn_stored(t, tn_plus_identity(t, tn_neg(t, tn_product(t, x, v))));
  return tn_add(t, v, tn_product(t, v, tn_add(t, e, tn_product(t, e, e))));
}
// The inverse's value; infinite where there is none.
static tiny_uop *tn_inverse_value(tiny_ctx *t, tiny_uop *x) {
  const tn_inverse v = tn_invert_matrix(t, tn_detached(t, x));
  if (tn_bad(t, v.x) || tn_bad(t, v.pivot)) return &t->ir->bad;
  tiny_uop *zeros = tn_sum(t, tn_cast(t, tn_is_zero(t, v.pivot), TINY_I32), 2, 1);
  return tn_stored(t, tn_where(t, tn_is_zero(t, zeros), v.x, tn_k(t, v.x, HUGE_VAL)));
}
static tiny_uop *tn_inverse_of(tiny_ctx *t, tiny_uop *x) {
  return tn_inverse_near(t, x, tn_inverse_value(t, x));
}
TINY_API tiny_tensor *tiny_inv(tiny_tensor *x) {
  tiny_tensor *out;
  tn_matrices b;
  if (!tn_usable("inv", 1, &x, &out)) return out;
  tiny_uop *u = tn_matrices_in("inv", x, 1, &b);
  return u ? tn_matrices_out(&b, tn_inverse_of(tn_ctx_of(x), u), 2, b.n, b.n) : out;
}

// det(x0 + D) = det(x0) det(I + E), E = x0^-1 D: det(I + E) = 1 + tr E + ((tr E)^2 - tr E^2) / 2 ..,
// and its logarithm is tr E - tr E^2 / 2 ..
typedef struct tn_det { tiny_uop *pivot, *sign, *trace, *trace2; } tn_det;
static tn_det tn_determinant(tiny_ctx *t, tiny_uop *x) {
  const tn_inverse v = tn_invert_matrix(t, tn_detached(t, x));
  tiny_uop *e = tn_product(t, v.x, tn_variation(t, x));
  tn_det d;
  d.pivot = v.pivot; d.sign = v.sign;
  d.trace = tn_trace_of(t, e);
  d.trace2 = tn_bad(t, e) ? e : tn_sum(t, tn_mul(t, e, tn_turned(t, e)), 6, 1);
  return d;
}
TINY_API tiny_tensor *tiny_det(tiny_tensor *x) {
  tiny_tensor *out;
  tn_matrices b;
  if (!tn_usable("det", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_matrices_in("det", x, 1, &b);
  if (!u) return out;
  const tn_det d = tn_determinant(t, u);
  tiny_uop *value = tn_mul(t, tn_stored(t, tn_reduce(t, TINY_OP_MUL, d.pivot, 2, 1)), d.sign);
  tiny_uop *second = tn_times(t, tn_sub(t, tn_square(t, d.trace), d.trace2), 0.5);
  tiny_uop *change = tn_plus(t, tn_add(t, d.trace, second), 1);
  return tn_matrices_out(&b, tn_varying(t, value, tn_mul(t, value, change)), 0, 0, 0);
}
TINY_API tiny_tensor *tiny_slogdet(tiny_tensor *x, tiny_tensor **logabsdet) {
  tiny_tensor *out;
  tn_matrices b;
  const int usable = tn_usable("slogdet", 1, &x, &out);
  tn_set(logabsdet, out);
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_matrices_in("slogdet", x, 1, &b);
  if (!u) return out;
  const tn_det d = tn_determinant(t, u);
  tiny_uop *sign = tn_mul(t, tn_stored(t, tn_reduce(t, TINY_OP_MUL, tn_sign(t, d.pivot), 2, 1)), d.sign);
  tiny_uop *logs = tn_stored(t, tn_sum(t, tn_logarithm(t, tn_abs(t, d.pivot)), 2, 1));
  logs = tn_varying(t, logs, tn_sub(t, d.trace, tn_times(t, d.trace2, 0.5)));
  tn_set(logabsdet, tn_matrices_out(&b, logs, 0, 0, 0));
  return tn_matrices_out(&b, sign, 0, 0, 0);
}

// ** systems of equations **

// (B, n, m) of one batch repeated to the dims of another that it broadcasts to.
static tiny_uop *tn_batch_to(const tn_matrices *b, tiny_uop *u, int nlead, const int64_t *lead) {
  if (tn_bad(b->t, u)) return u;
  int64_t dim[TINY_MAX_DIMS + 2], to[TINY_MAX_DIMS + 2];
  const int64_t n = u->dim[1], m = u->dim[2], whole[3] = {tn_dims_nelem(nlead, lead), n, m};
  for (int i = 0; i < b->nlead; i++) dim[i] = b->lead[i];
  for (int i = 0; i < nlead; i++) to[i] = lead[i];
  dim[b->nlead] = to[nlead] = n; dim[b->nlead + 1] = to[nlead + 1] = m;
  u = tn_expand(b->t, tn_reshape(b->t, u, b->nlead + 2, dim), nlead + 2, to);
  return tn_reshape(b->t, u, 3, whole);
}

typedef struct tn_system { tn_matrices a, b; tiny_uop *x, *y; int is_vector; } tn_system;
// a (.., n, m), y (.., n, k), or (.., n) which is_vector tells.
static int tn_system_in(const char *name, tiny_tensor *a, tiny_tensor *y, int square, tn_system *s) {
  char p[TN_DIMS_TEXT], q[TN_DIMS_TEXT];
  const tiny_uop *u = tn_uop_of(a), *w = tn_uop_of(y);
  tiny_tensor *right = y;
  if (!(s->x = tn_matrices_in(name, a, square, &s->a))) return 0;
  s->is_vector = w->ndim == 1 || (w->ndim == u->ndim - 1 && tn_dims_same(w->ndim, w->dim, u->dim));
  if (s->is_vector) right = tiny_unsqueeze(y, -1);
  if (!tiny_ok(right) || !(s->y = tn_matrices_in(name, right, 0, &s->b))) return 0;
  int n = s->b.nlead;
  int64_t lead[TN_MAX_DIMS];
  memcpy(lead, s->b.lead, sizeof lead);
  if (s->b.n != s->a.n || !tn_broadcast_dims(s->a.nlead, s->a.lead, &n, lead)) {
    tn_wrong(tn_ctx_of(a), TINY_E_SHAPE, "%s: %s with right sides %s", name, tn_text_of(u, p), tn_text_of(w, q));
    return 0;
  }
  const int dtype = tn_real(tiny_promote((tiny_dtype)u->dtype, (tiny_dtype)w->dtype));
  s->x = tn_cast(tn_ctx_of(a), s->x, tn_computed_in(dtype));
  s->y = tn_batch_to(&s->b, tn_cast(tn_ctx_of(a), s->y, tn_computed_in(dtype)), n, lead);
  memcpy(s->b.lead, lead, sizeof lead);
  s->b.nlead = n; s->b.count = tn_dims_nelem(n, lead); s->b.dtype = dtype;
  return 1;
}
static tiny_tensor *tn_system_out(const tn_system *s, tiny_uop *u) {
  return tn_matrices_out(&s->b, u, s->is_vector ? 1 : 2, s->a.m, s->b.m);
}
// The solution of a x = y near v y: two steps of iterative refinement, each of which adds an order of
// exactness.
static tiny_uop *tn_refined(tiny_ctx *t, tiny_uop *a, tiny_uop *v, tiny_uop *y) {
  tiny_uop *x = tn_product(t, v, y);
  for (int i = 0; i < 2; i++) x = tn_add(t, x, tn_product(t, v, tn_sub(t, y, tn_product(t, a, x))));
  return x;
}
static tiny_uop *tn_system_solve(tn_system *s, tiny_uop *a, tiny_uop *v) {
  a = tn_batch_to(&s->a, a, s->b.nlead, s->b.lead);
  v = tn_batch_to(&s->a, v, s->b.nlead, s->b.lead);
  return tn_refined(s->a.t, a, v, s->y);
}
TINY_API tiny_tensor *tiny_solve(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  tn_system s;
  if (!tn_usable("solve", 2, in, &out) || !tn_system_in("solve", a, b, 1, &s)) return out;
  return tn_system_out(&s, tn_system_solve(&s, s.x, tn_inverse_value(tn_ctx_of(a), s.x)));
}
// The part of a that a triangular system looks at; unit: with ones on the diagonal.
static tiny_uop *tn_triangle_of(tiny_ctx *t, tiny_uop *a, int upper, int unit) {
  a = tn_triangle(t, a, !upper, unit ? (upper ? 1 : -1) : 0);
  return tn_stored(t, unit ? tn_plus_identity(t, a) : a);
}
TINY_API tiny_tensor *tiny_triangular_solve(tiny_tensor *a, tiny_tensor *b, int upper, int unit) {
  tiny_tensor *out, *in[2] = {a, b};
  tn_system s;
  if (!tn_usable("triangular_solve", 2, in, &out) || !tn_system_in("triangular_solve", a, b, 1, &s))
    return out;
  tiny_uop *x = tn_triangle_of(tn_ctx_of(a), s.x, upper, unit);
  tiny_uop *v = tn_invert_triangle(tn_ctx_of(a), tn_detached(tn_ctx_of(a), x), !upper);
  return tn_system_out(&s, tn_system_solve(&s, x, v));
}

// ** triangular factors **

// The lower l for which l + l^T = e.
static tiny_uop *tn_half(tiny_ctx *t, tiny_uop *e) {
  if (tn_bad(t, e)) return e;
  tiny_uop *on = tn_eq(t, tn_row(t, e->dim[1]), tn_column(t, e->dim[2]));
  return tn_triangle(t, tn_where(t, on, tn_times(t, e, 0.5), e), 1, 0);
}
// l of I + l, the Cholesky factor of I + e for a small symmetric e: l + l^T = e - l l^T, to second order.
static tiny_uop *tn_cholesky_near(tiny_ctx *t, tiny_uop *e) {
  tiny_uop *l = tn_stored(t, tn_half(t, e));
  return tn_stored(t, tn_half(t, tn_sub(t, e, tn_product(t, l, tn_turned(t, l)))));
}
// The inverse of I + s for a small s, less I.
static tiny_uop *tn_inverse_small(tiny_ctx *t, tiny_uop *s) { return tn_sub(t, tn_product(t, s, s), s); }
static tiny_uop *tn_symmetric(tiny_ctx *t, tiny_uop *x) {    // the mean of x and x^T
  return tn_times(t, tn_add(t, x, tn_turned(t, x)), 0.5);
}
static tiny_uop *tn_mirrored(tiny_ctx *t, tiny_uop *x) {     // symmetric, as the lower triangle says
  return tn_stored(t, tn_add(t, tn_triangle(t, x, 1, 0), tn_turned(t, tn_triangle(t, x, 1, -1))));
}

TINY_API tiny_tensor *tiny_cholesky(tiny_tensor *x, int upper) {
  tiny_tensor *out;
  tn_matrices b;
  if (!tn_usable("cholesky", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_matrices_in("cholesky", x, 1, &b), *v;
  if (!u) return out;
  tiny_uop *l = tn_factor_cholesky(t, tn_mirrored(t, tn_detached(t, u)), &v);
  tiny_uop *d = tn_symmetric(t, tn_variation(t, u));
  tiny_uop *e = tn_symmetric(t, tn_product(t, tn_product(t, v, d), tn_turned(t, v)));
  l = tn_varying(t, l, tn_add(t, l, tn_product(t, l, tn_cholesky_near(t, e))));
  return tn_matrices_out(&b, upper ? tn_turned(t, l) : l, 2, b.n, b.n);
}

// (I + a) (I + b) = I + e, a strictly lower, b upper: to second order.
static void tn_lu_near(tiny_ctx *t, tiny_uop *e, tiny_uop **a, tiny_uop **b) {
  e = tn_sub(t, e, tn_product(t, tn_triangle(t, e, 1, -1), tn_triangle(t, e, 0, 0)));
  e = tn_stored(t, e);
  *a = tn_triangle(t, e, 1, -1);
  *b = tn_triangle(t, e, 0, 0);
}
// The square part by tn_lu_near; what is below or beside it by the inverse of the other factor.
static void tn_lu_vary(tiny_ctx *t, tn_lu *f, tiny_uop *d) {
  if (tn_bad(t, f->l) || tn_bad(t, f->u)) return;
  const int64_t n = f->l->dim[1], m = f->u->dim[2], least = f->u->dim[1];
  tiny_uop *l = tn_cut(t, f->l, 1, 0, least), *u = tn_cut(t, f->u, 2, 0, least), *a, *b;
  tiny_uop *li = tn_invert_triangle(t, l, 1), *ui = tn_invert_triangle(t, u, 0);
  tiny_uop *top = tn_cut(t, d, 1, 0, least), *square = tn_cut(t, top, 2, 0, least);
  tn_lu_near(t, tn_product(t, tn_product(t, li, square), ui), &a, &b);
  tiny_uop *more = tn_product(t, tn_cut(t, tn_cut(t, d, 1, least, n), 2, 0, least), ui);   // one of these is empty
  tiny_uop *below = tn_add(t, tn_cut(t, f->l, 1, least, n), more);
  tiny_uop *beside = tn_add(t, tn_cut(t, f->u, 2, least, m), tn_product(t, li, tn_cut(t, top, 2, least, m)));
  below = tn_add(t, below, tn_product(t, below, tn_inverse_small(t, b)));
  beside = tn_add(t, beside, tn_product(t, tn_inverse_small(t, a), beside));
  l = tn_add(t, l, tn_product(t, l, a));
  u = tn_add(t, u, tn_product(t, b, u));
  f->l = tn_varying(t, f->l, n > least ? tn_concat2(t, l, below, 1) : l);
  f->u = tn_varying(t, f->u, m > least ? tn_concat2(t, u, beside, 2) : u);
}
TINY_API tiny_tensor *tiny_lu(tiny_tensor *x, tiny_tensor **l, tiny_tensor **u) {
  tiny_tensor *out;
  tn_matrices b;
  const int usable = tn_usable("lu", 1, &x, &out);
  tn_set(l, out); tn_set(u, out);
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *w = tn_matrices_in("lu", x, 0, &b);
  if (!w) return out;
  const int64_t least = b.n < b.m ? b.n : b.m;
  tn_lu f = tn_factor_lu(t, tn_detached(t, w));
  tiny_uop *turned = tn_eq(t, tn_column(t, b.n), f.order);   // P^T: row k has its 1 where row k came from
  turned = tn_stored(t, tn_where(t, turned, tn_k(t, w, 1), tn_k(t, w, 0)));
  tn_lu_vary(t, &f, tn_product(t, turned, tn_variation(t, w)));
  tn_set(l, tn_matrices_out(&b, f.l, 2, b.n, least));
  tn_set(u, tn_matrices_out(&b, f.u, 2, least, b.m));
  return tn_matrices_out(&b, tn_turned(t, turned), 2, b.n, b.n);
}
// Factors that are known already: p l u x = b, and l l^T x = b or u^T u x = b.
TINY_API tiny_tensor *tiny_lu_solve(tiny_tensor *p, tiny_tensor *l, tiny_tensor *u, tiny_tensor *b) {
  tiny_tensor *out, *in[4] = {p, l, u, b};
  tn_system s;
  tn_matrices q, v;
  if (!tn_usable("lu_solve", 4, in, &out) || !tn_system_in("lu_solve", l, b, 1, &s)) return out;
  tiny_ctx *t = tn_ctx_of(p);
  tiny_uop *order = tn_matrices_in("lu_solve", p, 1, &q), *upper = tn_matrices_in("lu_solve", u, 1, &v);
  if (!order || !upper) return out;
  if (!tn_dims_same(tn_uop_of(l)->ndim, tn_uop_of(l)->dim, tn_uop_of(p)->dim) ||
      tn_uop_of(l)->ndim != tn_uop_of(p)->ndim ||
      !tn_dims_same(tn_uop_of(l)->ndim, tn_uop_of(l)->dim, tn_uop_of(u)->dim) ||
          tn_uop_of(l)->ndim != tn_uop_of(u)->ndim)
    return tn_wrong(t, TINY_E_SHAPE, "lu_solve: p, l and u are of different shapes");
  const int dtype = tn_computed_in(s.b.dtype);
  tiny_uop *lower = tn_triangle_of(t, s.x, 0, 1);
  order = tn_batch_to(&s.a, tn_turned(t, tn_cast(t, order, dtype)), s.b.nlead, s.b.lead);
  upper = tn_triangle_of(t, tn_cast(t, upper, dtype), 1, 0);
  s.y = tn_product(t, order, s.y);
  s.y = tn_stored(t, tn_system_solve(&s, lower, tn_invert_triangle(t, tn_detached(t, lower), 1)));
  return tn_system_out(&s, tn_system_solve(&s, upper, tn_invert_triangle(t, tn_detached(t, upper), 0)));
}
TINY_API tiny_tensor *tiny_cholesky_solve(tiny_tensor *b, tiny_tensor *l, int upper) {
  tiny_tensor *out, *in[2] = {l, b};
  tn_system s;
  if (!tn_usable("cholesky_solve", 2, in, &out) || !tn_system_in("cholesky_solve", l, b, 1, &s)) return out;
  tiny_ctx *t = tn_ctx_of(b);
  tiny_uop *f = tn_triangle_of(t, s.x, upper, 0);
  if (upper) f = tn_stored(t, tn_turned(t, f));
  tiny_uop *v = tn_invert_triangle(t, tn_detached(t, f), 1);
  s.y = tn_stored(t, tn_system_solve(&s, f, v));
  return tn_system_out(&s, tn_system_solve(&s, tn_turned(t, f), tn_turned(t, v)));
}

// ** orthogonal factors **

// q (B, n, least) and r (B, least, least) of the first columns, of which d is the variation. b = q + d r^-1
// is nearly orthonormal: b^T b = I + e = s^T s with s upper, so q becomes b s^-1 and r becomes s r.
static void tn_qr_vary(tiny_ctx *t, tiny_uop **q, tiny_uop **r, tiny_uop *d) {
  tiny_uop *b = tn_add(t, *q, tn_product(t, d, tn_invert_triangle(t, *r, 0)));
  tiny_uop *e = tn_variation(t, tn_product(t, tn_turned(t, b), b));
  tiny_uop *s = tn_turned(t, tn_cholesky_near(t, e));
  *q = tn_varying(t, *q, tn_add(t, b, tn_product(t, b, tn_inverse_small(t, s))));
  *r = tn_varying(t, *r, tn_add(t, *r, tn_product(t, s, *r)));
}
// x (B, n, m) = q r, q (B, n, columns).
static void tn_qr_of(tiny_ctx *t, tiny_uop *x, int64_t columns, tiny_uop **q, tiny_uop **r) {
  if (tn_bad(t, x)) { *q = *r = x; return; }
  const int64_t n = x->dim[1], m = x->dim[2], least = n < m ? n : m;
  tiny_uop *square, *first;
  *q = tn_factor_qr(t, tn_detached(t, x), columns, r);
  first = tn_cut(t, *q, 2, 0, least);
  square = tn_cut(t, tn_cut(t, *r, 1, 0, least), 2, 0, least);
  tn_qr_vary(t, &first, &square, tn_cut(t, tn_variation(t, x), 2, 0, least));
  tiny_uop *beside = tn_cut(t, tn_cut(t, *r, 1, 0, least), 2, least, m);
  if (m > least) {
    beside = tn_varying(t, beside, tn_product(t, tn_turned(t, first), tn_cut(t, x, 2, least, m)));
    square = tn_concat2(t, square, beside, 2);
  }
  *r = tn_extend(t, square, 1, 0, columns - least);
  *q = columns > least ? tn_concat2(t, first, tn_cut(t, *q, 2, least, columns), 2) : first;
}
TINY_API tiny_tensor *tiny_qr(tiny_tensor *x, int complete, tiny_tensor **r) {
  tiny_tensor *out;
  tn_matrices b;
  tiny_uop *q, *p;
  const int usable = tn_usable("qr", 1, &x, &out);
  tn_set(r, out);
  if (!usable) return out;
  tiny_uop *u = tn_matrices_in("qr", x, 0, &b);
  if (!u) return out;
  const int64_t columns = complete || b.n < b.m ? b.n : b.m;
  tn_qr_of(tn_ctx_of(x), u, columns, &q, &p);
  tn_set(r, tn_matrices_out(&b, p, 2, columns, b.m));
  return tn_matrices_out(&b, q, 2, b.n, columns);
}

// Perturbation of eigenvectors (Kato, Perturbation Theory for Linear Operators, II.2): v becomes v (I +
// *change) and w becomes w + *shift when v^T x v becomes diag(w) + e. gap: w_i - w_k at [k, i]. *second: the
// part of shift beyond e's own diagonal.
static tiny_uop *tn_eigen_near(tiny_ctx *t, tiny_uop *e, tiny_uop *gap, tiny_uop **second) {
  tiny_uop *equal = tn_is_zero(t, gap), *zero = tn_k(t, e, 0);
  tiny_uop *f = tn_reciprocal(t, tn_where(t, equal, tn_k(t, e, 1), gap));
  f = tn_stored(t, tn_where(t, equal, zero, f));
  tiny_uop *first = tn_stored(t, tn_mul(t, f, e)), *p = tn_product(t, e, first);
  if (tn_bad(t, first) || tn_bad(t, p)) return *second = &t->ir->bad;
  *second = tn_diagonal_of(t, p);
  tiny_uop *off = tn_mul(t, f, tn_sub(t, p, tn_mul(t, first, tn_diagonal_of(t, e))));
  tiny_uop *on = tn_eq(t, tn_row(t, e->dim[1]), tn_column(t, e->dim[1]));
  tiny_uop *shrink = tn_times(t, tn_sum(t, tn_square(t, first), 2, 1), -0.5);
  return tn_stored(t, tn_add(t, tn_add(t, first, off), tn_where(t, on, shrink, zero)));
}
TINY_API tiny_tensor *tiny_eigh(tiny_tensor *x, tiny_tensor **vectors) {
  tiny_tensor *out;
  tn_matrices b;
  const int usable = tn_usable("eigh", 1, &x, &out);
  tn_set(vectors, out);
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_matrices_in("eigh", x, 1, &b), *w, *second;
  if (!u) return out;
  tiny_uop *v = tn_factor_eigh(t, tn_mirrored(t, tn_detached(t, u)), &w), *row = tn_turned(t, w);
  tiny_uop *d = tn_symmetric(t, tn_variation(t, u));
  tiny_uop *e = tn_symmetric(t, tn_product(t, tn_turned(t, v), tn_product(t, d, v)));
  tiny_uop *change = tn_eigen_near(t, tn_stored(t, e), tn_sub(t, row, w), &second);
  row = tn_varying(t, row, tn_add(t, row, tn_add(t, tn_diagonal_of(t, e), second)));
  v = tn_varying(t, v, tn_add(t, v, tn_product(t, v, change)));
  tn_set(vectors, tn_matrices_out(&b, v, 2, b.n, b.n));
  return tn_matrices_out(&b, row, 1, b.n, 0);
}

typedef struct tn_svd { tiny_uop *u, *s, *v; } tn_svd;       // s (B, 1, least)
// With h = D v and k = u^T h, v^T x^T x v becomes diag(s^2) + (s k + (s k)^T + h^T h): eigenvectors of that
// give v, and u = x v / s.
static void tn_svd_vary(tiny_ctx *t, tn_svd *f, tiny_uop *d) {
  tiny_uop *row = f->s, *column = tn_turned(t, row), *second, *none = tn_is_zero(t, row);
  tiny_uop *safe = tn_where(t, none, tn_k(t, row, 1), row), *zero = tn_k(t, row, 0);
  tiny_uop *h = tn_product(t, d, f->v), *k = tn_product(t, tn_turned(t, f->u), h), *sk = tn_mul(t, column, k);
  if (tn_bad(t, h) || tn_bad(t, sk)) { f->s = f->u = f->v = &t->ir->bad; return; }
  tiny_uop *e = tn_add(t, tn_add(t, sk, tn_turned(t, sk)), tn_product(t, tn_turned(t, h), h));
  tiny_uop *gap = tn_mul(t, tn_sub(t, row, column), tn_add(t, row, column));
  tiny_uop *change = tn_eigen_near(t, tn_stored(t, e), gap, &second), *own = tn_diagonal_of(t, k);
  tiny_uop *beyond = tn_add(t, tn_sum(t, tn_square(t, h), 2, 1), tn_sub(t, second, tn_square(t, own)));
  beyond = tn_where(t, none, zero, tn_fdiv(t, beyond, tn_times(t, safe, 2)));
  f->s = tn_varying(t, row, tn_add(t, row, tn_add(t, own, beyond)));
  tiny_uop *xv = tn_add(t, tn_mul(t, f->u, row), h);
  xv = tn_add(t, xv, tn_product(t, xv, change));
  f->u = tn_varying(t, f->u, tn_fdiv(t, xv, tn_where(t, none, safe, f->s)));
  f->v = tn_varying(t, f->v, tn_add(t, f->v, tn_product(t, f->v, change)));
}
static void tn_svd_of(tiny_ctx *t, tiny_uop *x, tn_svd *f) {
  if (tn_bad(t, x)) { f->u = f->s = f->v = x; return; }
  const int wide = x->dim[1] < x->dim[2];
  if (wide) x = tn_turned(t, x);
  if (tn_bad(t, x)) { f->u = f->s = f->v = x; return; }
  f->u = tn_factor_svd(t, tn_detached(t, x), &f->s, &f->v);
  f->s = tn_turned(t, f->s);
  tn_svd_vary(t, f, tn_variation(t, x));
  if (wide) { tiny_uop *u = f->u; f->u = f->v; f->v = u; }
}
TINY_API tiny_tensor *tiny_svd(tiny_tensor *x, tiny_tensor **s, tiny_tensor **vt) {
  tiny_tensor *out;
  tn_matrices b;
  tn_svd f;
  const int usable = tn_usable("svd", 1, &x, &out);
  tn_set(s, out); tn_set(vt, out);
  if (!usable) return out;
  tiny_uop *u = tn_matrices_in("svd", x, 0, &b);
  if (!u) return out;
  tn_svd_of(tn_ctx_of(x), u, &f);
  const int64_t least = b.n < b.m ? b.n : b.m;
  tn_set(s, tn_matrices_out(&b, f.s, 1, least, 0));
  tn_set(vt, tn_matrices_out(&b, tn_turned(tn_ctx_of(x), f.v), 2, least, b.m));
  return tn_matrices_out(&b, f.u, 2, b.n, least);
}

// ** by singular values and least squares **

// A singular value that is not above atol, nor above rtol times the greatest, is 0; rtol 0: as PyTorch chooses it.
typedef struct tn_tolerance { double atol, rtol; } tn_tolerance;
static tn_tolerance tn_tolerance_of(const tn_matrices *b, double atol, double rtol) {
  TN_FLOAT_MODE;
  const double most = (double)(b->n > b->m ? b->n : b->m) * tn_epsilon(b->dtype);
  const tn_tolerance all = {tn_or_default(atol, 0), tn_or_default(rtol, atol > 0 ? 0 : most)};
  return all;
}
static int tn_tolerances_fit(tiny_ctx *t, const char *name, double atol, double rtol) {
  if (atol >= 0 && rtol >= 0) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: tolerances %g and %g", name, atol, rtol);
  return 0;
}
// Which of s (B, 1, n), descending, count.
static tiny_uop *tn_singular(tiny_ctx *t, tiny_uop *s, tn_tolerance least) {
  tiny_uop *most = tn_times(t, tn_reduce(t, TINY_OP_MAX, s, 4, 1), least.rtol);
  return tn_lt(t, least.atol > 0 ? tn_max(t, most, tn_k(t, most, least.atol)) : most, s);
}
TINY_API tiny_tensor *tiny_matrix_rank(tiny_tensor *x, double rtol) { return tiny_matrix_rank_within(x, 0, rtol); }
TINY_API tiny_tensor *tiny_matrix_rank_within(tiny_tensor *x, double atol, double rtol) {
  tiny_tensor *out;
  tn_matrices b;
  tn_svd f;
  if (!tn_usable("matrix_rank", 1, &x, &out)) return out;
  tiny_uop *u = tn_matrices_in("matrix_rank", x, 0, &b);
  if (!u || !tn_tolerances_fit(tn_ctx_of(x), "matrix_rank", atol, rtol)) return out;
  tn_svd_of(tn_ctx_of(x), u, &f);
  tiny_uop *counts = tn_singular(tn_ctx_of(x), tn_stored(tn_ctx_of(x), tn_detached(tn_ctx_of(x), f.s)),
      tn_tolerance_of(&b, atol, rtol));
  if (tn_bad(tn_ctx_of(x), counts)) return out;
  counts = tn_sum(tn_ctx_of(x), tn_cast(tn_ctx_of(x), counts, TINY_I32), 4, 1);
  return tn_tensor_new(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), counts, b.nlead, b.lead));
}

// p = v s^-1 u^T. It varies as (x^T x)^-1 x^T or x^T (x x^T)^-1 do; the inverses are p p^T and p^T p.
static tiny_uop *tn_pinv_of(tiny_ctx *t, tiny_uop *x, const tn_matrices *b, tn_tolerance least) {
  tn_svd f;
  tn_svd_of(t, tn_detached(t, x), &f);
  tiny_uop *s = tn_stored(t, f.s), *counts = tn_singular(t, s, least);
  tiny_uop *inverse = tn_reciprocal(t, tn_where(t, counts, s, tn_k(t, s, 1)));
  inverse = tn_where(t, counts, inverse, tn_k(t, s, 0));
  tiny_uop *p = tn_product(t, tn_mul(t, f.v, inverse), tn_turned(t, f.u)), *xt = tn_turned(t, x);
  tiny_uop *square = b->n < b->m ? tn_product(t, x, xt) : tn_product(t, xt, x);
  tiny_uop *pp = b->n < b->m ? tn_product(t, tn_turned(t, p), p) : tn_product(t, p, tn_turned(t, p));
  tiny_uop *e = tn_stored(t, tn_neg(t, tn_product(t, tn_variation(t, square), pp)));
  pp = tn_add(t, pp, tn_product(t, pp, tn_add(t, e, tn_product(t, e, e))));
  return tn_varying(t, p, b->n < b->m ? tn_product(t, xt, pp) : tn_product(t, pp, xt));
}
TINY_API tiny_tensor *tiny_pinv(tiny_tensor *x, double rtol) { return tiny_pinv_within(x, 0, rtol); }
TINY_API tiny_tensor *tiny_pinv_within(tiny_tensor *x, double atol, double rtol) {
  tiny_tensor *out;
  tn_matrices b;
  if (!tn_usable("pinv", 1, &x, &out)) return out;
  tiny_uop *u = tn_matrices_in("pinv", x, 0, &b);
  if (!u || !tn_tolerances_fit(tn_ctx_of(x), "pinv", atol, rtol)) return out;
  return tn_matrices_out(&b, tn_pinv_of(tn_ctx_of(x), u, &b, tn_tolerance_of(&b, atol, rtol)), 2, b.m, b.n);
}

// a = q r gives r x = q^T y; a^T = q r, for the shortest of many solutions, x = q r^-T y.
TINY_API tiny_tensor *tiny_lstsq(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  tn_system s;
  tiny_uop *q, *r;
  if (!tn_usable("lstsq", 2, in, &out) || !tn_system_in("lstsq", a, b, 0, &s)) return out;
  tiny_ctx *t = tn_ctx_of(a);
  const int wide = s.a.n < s.a.m;
  tiny_uop *x = tn_batch_to(&s.a, s.x, s.b.nlead, s.b.lead);
  tn_qr_of(t, wide ? tn_turned(t, x) : x, wide ? s.a.n : s.a.m, &q, &r);
  r = tn_stored(t, wide ? tn_turned(t, r) : r);
  tiny_uop *v = tn_invert_triangle(t, tn_detached(t, r), wide);
  tiny_uop *y = wide ? tn_product(t, q, tn_refined(t, r, v, s.y)) :
                       tn_refined(t, r, v, tn_product(t, tn_turned(t, q), s.y));
  return tn_system_out(&s, y);
}

// ** norms and powers **

// The greatest along an axis, or the least.
static tiny_uop *tn_norm_extreme(tiny_ctx *t, tiny_uop *x, int bits, int least) {
  return least ? tn_neg(t, tn_reduce(t, TINY_OP_MAX, tn_neg(t, x), bits, 1)) : tn_reduce(t, TINY_OP_MAX, x, bits, 1);
}
// Of (B, n, m) -> (B, 1, 1).
static tiny_uop *tn_matrix_norm(tiny_ctx *t, tiny_uop *x, tiny_norm_order order) {
  tn_svd f;
  if (tn_bad(t, x)) return x;
  const int64_t whole[3] = {x->dim[0], 1, x->dim[1] * x->dim[2]}, one[3] = {x->dim[0], 1, 1};
  const int least = order >= TINY_NORM_MIN_1;
  switch (order) {
    case TINY_NORM_FRO: return tn_reshape(t, tn_vector_norm(t, tn_reshape(t, x, 3, whole), 2), 3, one);
    case TINY_NORM_1: case TINY_NORM_MIN_1: return tn_norm_extreme(t, tn_sum(t, tn_abs(t, x), 2, 1), 4, least);
    case TINY_NORM_INF: case TINY_NORM_MIN_INF: return tn_norm_extreme(t, tn_sum(t, tn_abs(t, x), 4, 1), 2, least);
    default:
      tn_svd_of(t, x, &f);
      return order == TINY_NORM_NUC ? tn_sum(t, f.s, 4, 1) : tn_norm_extreme(t, f.s, 4, least);
  }
}
static int tn_norm_known(tiny_ctx *t, const char *name, tiny_norm_order order, const tn_matrices *b) {
  if ((unsigned)order > TINY_NORM_MIN_2) {
    tn_wrong(t, TINY_E_ARG, "%s: order is %d, not one of tiny_norm_order", name, (int)order);
    return 0;
  }
  // of how many an order takes the greatest or the least
  const int64_t of[] = {1, 1, b->m, b->n, b->n * b->m, b->m, b->n, b->n * b->m};
  if (of[order]) return 1;
  tn_wrong(t, TINY_E_SHAPE, "%s: there is no maximum of nothing", name);
  return 0;
}
TINY_API tiny_tensor *tiny_matrix_norm(tiny_tensor *x, tiny_norm_order order) {
  tiny_tensor *out;
  tn_matrices b;
  if (!tn_usable("matrix_norm", 1, &x, &out)) return out;
  tiny_uop *u = tn_matrices_in("matrix_norm", x, 0, &b);
  if (!u || !tn_norm_known(tn_ctx_of(x), "matrix_norm", order, &b)) return out;
  return tn_matrices_out(&b, tn_matrix_norm(tn_ctx_of(x), u, order), 0, 0, 0);
}
TINY_API tiny_tensor *tiny_cond(tiny_tensor *x, tiny_norm_order order) {
  tiny_tensor *out;
  tn_matrices b;
  tn_svd f;
  if (!tn_usable("cond", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int inverted = order == TINY_NORM_MIN_2, singular = inverted || order == TINY_NORM_2;
  tiny_uop *u = tn_matrices_in("cond", x, !singular, &b);
  if (!u || !tn_norm_known(t, "cond", order, &b)) return out;
  if (!singular) {
    tiny_uop *other = tn_matrix_norm(t, tn_stored(t, tn_inverse_of(t, u)), order);
    return tn_matrices_out(&b, tn_mul(t, tn_matrix_norm(t, u, order), other), 0, 0, 0);
  }
  tn_svd_of(t, u, &f);
  if (tn_bad(t, f.s)) return out;
  const int64_t least = b.n < b.m ? b.n : b.m;
  tiny_uop *s = tn_stored(t, f.s), *first = tn_cut(t, s, 2, 0, 1), *last = tn_cut(t, s, 2, least - 1, least);
  return tn_matrices_out(&b, inverted ? tn_fdiv(t, last, first) : tn_fdiv(t, first, last), 0, 0, 0);
}

TINY_API tiny_tensor *tiny_matrix_power(tiny_tensor *x, int64_t n) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("matrix_power", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  if (u->ndim < 2 || u->dim[u->ndim - 1] != u->dim[u->ndim - 2])
    return tn_wrong(t, TINY_E_SHAPE, "matrix_power: %s is no square matrix", tn_text_of(u, a));
  if (n == INT64_MIN) return tn_wrong(t, TINY_E_ARG, "matrix_power: the exponent is too small");
  if (n == 0) {
    tiny_tensor *eye = tiny_eye(t, u->dim[u->ndim - 1], (tiny_dtype)u->dtype);
    return tiny_ok(eye) ? tn_tensor_new(t, tn_expand(t, tn_uop_of(eye), u->ndim, u->dim)) : out;
  }
  tiny_tensor *base = n < 0 ? tiny_inv(x) : x, *y = NULL;
  for (uint64_t left = (uint64_t)(n < 0 ? -n : n); left; left >>= 1) {
    if (left & 1) y = y ? tn_matmul("matrix_power", y, base) : base;
    if (left > 1) base = tn_matmul("matrix_power", base, base);
  }
  return tn_tensor_new(t, tn_uop_of(y));
}

// ** exponentials **

// e^x = (e^(x / 2^s))^(2^s): a Taylor polynomial where the norm is at most 1, then as many squarings as a matrix
// needs (Moler and Van Loan, Nineteen Dubious Ways, method 3). The number of products does not depend on the values.
enum { TN_EXP_TERMS = 18, TN_EXP_STEP = 3, TN_EXP_SQUARINGS = 24 };
// The polynomial in powers of x^3 (Paterson and Stockmeyer).
static tiny_uop *tn_exp_polynomial(tiny_ctx *t, tiny_uop *x) {
  TN_FLOAT_MODE;
  double factor[TN_EXP_TERMS + 1] = {1};
  tiny_uop *power[TN_EXP_STEP + 1], *y = NULL;
  for (int i = 1; i <= TN_EXP_TERMS; i++) factor[i] = factor[i - 1] / i;
  power[0] = tn_identity_matrix(t, x, x->dim[1], x->dim[1]);
  power[1] = x;
  for (int i = 2; i <= TN_EXP_STEP; i++) power[i] = tn_product(t, power[i - 1], x);
  for (int k = TN_EXP_TERMS; k >= 0; k -= TN_EXP_STEP) {
    tiny_uop *part = tn_times(t, power[0], factor[k]);
    for (int i = 1; i < TN_EXP_STEP && k + i <= TN_EXP_TERMS; i++)
      part = tn_add(t, part, tn_times(t, power[i], factor[k + i]));
    y = tn_stored(t, y ? tn_add(t, tn_product(t, y, power[TN_EXP_STEP]), part) : part);
  }
  return y;
}
static tiny_uop *tn_exp_matrix(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x) || tn_is_empty(x)) return x;
  tiny_uop *norm = tn_reduce(t, TINY_OP_MAX, tn_sum(t, tn_abs(t, tn_detached(t, x)), 2, 1), 4, 1);
  tiny_uop *bound = tn_u1(t, TINY_OP_EXP2, tn_iota(t, x->dtype, TN_EXP_SQUARINGS, 2, 3));
  tiny_uop *over = tn_lt(t, bound, norm), *half = tn_where(t, over, tn_k(t, x, 0.5), tn_k(t, x, 1));
  tiny_uop *scale = tn_stored(t, tn_reduce(t, TINY_OP_MUL, half, 4, 1));     // 2^-s
  tiny_uop *y = tn_exp_polynomial(t, tn_stored(t, tn_mul(t, x, scale)));
  for (int i = 0; i < TN_EXP_SQUARINGS; i++) {               // the same kernels each time
    tiny_uop *more = tn_lt(t, scale, tn_k(t, scale, 0.75));
    y = tn_stored(t, tn_where(t, more, tn_product(t, y, y), y));
    scale = tn_stored(t, tn_times(t, scale, 2));
  }
  return y;
}
TINY_API tiny_tensor *tiny_matrix_exp(tiny_tensor *x) {
  tiny_tensor *out;
  tn_matrices b;
  if (!tn_usable("matrix_exp", 1, &x, &out)) return out;
  tiny_uop *u = tn_matrices_in("matrix_exp", x, 1, &b);
  return u ? tn_matrices_out(&b, tn_exp_matrix(tn_ctx_of(x), u), 2, b.n, b.n) : out;
}

// ** covariance **

// Weights of m observations as (1, 1, m) of x's dtype; NULL: none. 0: they do not fit.
static int tn_weights_in(const tiny_uop *x, tiny_tensor *weights, tiny_uop **w) {
  char a[TN_DIMS_TEXT];
  *w = NULL;
  if (!weights) return 1;
  const tiny_uop *u = tn_uop_of(weights);
  if (u->ndim != 1 || u->dim[0] != x->dim[2]) {
    tn_wrong(tn_ctx_of(weights), TINY_E_SHAPE, "cov: weights %s of %lld observations", tn_text_of(u, a),
        (long long)x->dim[2]);
    return 0;
  }
  const int64_t dim[3] = {1, 1, x->dim[2]};
  *w = tn_reshape(tn_ctx_of(weights), tn_cast(tn_ctx_of(weights), tn_uop_of(weights), x->dtype), 3, dim);
  return 1;
}
// (1, n, n) of x (1, n, m). Frequencies f and weights a may be NULL.
static tiny_uop *tn_covariance(tiny_ctx *t, tiny_uop *x, double correction, tiny_uop *f, tiny_uop *a) {
  tiny_uop *w = f && a ? tn_mul(t, f, a) : f ? f : a, *all = tn_k(t, x, (double)x->dim[2]), *freedom;
  if (w) all = tn_sum(t, w, 4, 1);
  tiny_uop *mean = tn_fdiv(t, tn_sum(t, w ? tn_mul(t, x, w) : x, 4, 1), all);
  if (a && correction != 0) {
    tiny_uop *squares = tn_sum(t, tn_mul(t, w, a), 4, 1);
    freedom = tn_sub(t, all, tn_times(t, tn_fdiv(t, squares, all), correction));
  } else freedom = tn_plus(t, all, -correction);
  freedom = tn_max(t, freedom, tn_k(t, freedom, 0));
  tiny_uop *d = tn_stored(t, tn_sub(t, x, mean));
  return tn_stored(t, tn_fdiv(t, tn_product(t, w ? tn_mul(t, d, w) : d, tn_turned(t, d)), freedom));
}
// x (m) or (n, m) as (1, n, m), wide; NULL after an error.
static tiny_uop *tn_variables_in(const char *name, tiny_tensor *x) {
  char a[TN_DIMS_TEXT];
  const tiny_uop *u = tn_uop_of(x);
  if (u->ndim > 2) {
    tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s has more than 2 dims", name, tn_text_of(u, a));
    return NULL;
  }
  const int64_t dim[3] = {1, u->ndim == 2 ? u->dim[0] : 1, u->ndim ? u->dim[u->ndim - 1] : 1};
  return tn_reshape(tn_ctx_of(x), tn_wide(tn_ctx_of(x), tn_uop_of(x)), 3, dim);
}
static tiny_tensor *tn_variables_out(tiny_tensor *x, tiny_uop *u) {
  const int64_t n = tn_bad(tn_ctx_of(x), u) ? 0 : u->dim[1], dim[2] = {n, n};
  return tn_tensor_new(tn_ctx_of(x), tn_narrow(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), u, n == 1 ? 0 :
      2, dim), tn_uop_of(x)->dtype));
}
TINY_API tiny_tensor *tiny_cov(tiny_tensor *x, int correction, tiny_tensor *fweights, tiny_tensor *aweights) {
  tiny_tensor *out, *in[3] = {x, fweights, aweights};
  tiny_uop *f, *a;
  if (!tn_usable_some("cov", 1, 3, in, &out)) return out;
  tiny_uop *u = tn_variables_in("cov", x);
  if (!u || tn_bad(tn_ctx_of(x), u) || !tn_weights_in(u, fweights, &f) || !tn_weights_in(u, aweights, &a)) return out;
  return tn_variables_out(x, tn_covariance(tn_ctx_of(x), u, correction, f, a));
}
TINY_API tiny_tensor *tiny_corrcoef(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("corrcoef", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_variables_in("corrcoef", x);
  if (!u || tn_bad(t, u)) return out;
  tiny_uop *c = tn_covariance(t, u, 1, NULL, NULL), *d = tn_stored(t, tn_sqrt(t, tn_diagonal_of(t, c)));
  c = tn_fdiv(t, tn_fdiv(t, c, d), tn_turned(t, d));
  c = tn_where(t, tn_lt(t, tn_k(t, c, 1), c), tn_k(t, c, 1), c);
  return tn_variables_out(x, tn_where(t, tn_lt(t, c, tn_k(t, c, -1)), tn_k(t, c, -1), c));
}
#endif
