// linalg: residuals, orthogonality and reconstruction of factorisations at many sizes, gradients of first and second
// order by finite differences, batches, edge shapes, dtypes, singular matrices, errors, and how many kernels it takes.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;
enum { ROOM = 1 << 17 };
static double got[ROOM];

static int64_t read_all(tiny_tensor *x) {
  const int64_t n = tiny_nelem_of(x);
  tiny_tensor *wide = tiny_cast(x, TINY_F64);
  if (!tiny_ok(x) || n > ROOM || tiny_read(wide, got, (size_t)n * 8) != TINY_OK) {
    printf("  %s\n", tiny_error(t));
    tiny_clear(t);
    return -1;
  }
  return n;
}
// The greatest element of |x|, NaN if one is.
static double most(tiny_tensor *x) {
  double worst = 0;
  const int64_t n = read_all(x);
  for (int64_t i = 0; i < n; i++) if (!(fabs(got[i]) <= worst)) worst = fabs(got[i]);
  return n < 0 ? (double)NAN : worst;
}
static double apart(tiny_tensor *a, tiny_tensor *b) { return most(tiny_sub(a, b)); }
static int below(const char *what, int n, int m, double error, double limit) {
  const int ok = error <= limit;
  if (!ok) printf("%s of (%d,%d): off by %g, at most %g\n", what, n, m, error, limit);
  CHECK(ok);
  return ok;
}

static double noise(int i) { return sin(0.9 + 1.7 * i + 0.013 * i * i); }
static tiny_tensor *matrix(int batch, int n, int m, tiny_dtype dtype) {
  static double data[ROOM];
  for (int i = 0; i < batch * n * m; i++) data[i] = noise(i);
  tiny_tensor *x = tiny_from(t, data, TINY_F64, batch > 1 ? TINY_SHAPE(batch, n, m) : TINY_SHAPE(n, m));
  return tiny_cast(x, dtype);
}
static tiny_tensor *turned(tiny_tensor *x) { return tiny_transpose(x, -1, -2); }
static tiny_tensor *plus_eye(tiny_tensor *x, double k) {
  const tiny_shape s = tiny_shape_of(x);
  return tiny_add(x, tiny_mul(tiny_eye(t, s.dim[s.ndim - 1], tiny_dtype_of(x)), tiny_like(x, k)));
}
static tiny_tensor *positive(tiny_tensor *x) { return plus_eye(tiny_matmul(x, turned(x)), 0.5); }
static tiny_tensor *symmetric(tiny_tensor *x) { return tiny_add(x, turned(x)); }
static tiny_tensor *upper(tiny_tensor *x) { return tn_tensor_new(t, tn_triangle(t, tn_insert(t, tn_uop_of(x), 0), 0, 0)); }

// ** values **

static void check_values(int batch, int n, tiny_dtype dtype) {
  const double eps = dtype == TINY_F64 ? 2.2e-16 : 1.2e-7, limit = 40 * eps * n + 8 * eps;
  tiny_begin(t);
  tiny_tensor *a = tiny_contiguous(matrix(batch, n, n, dtype)), *well = tiny_contiguous(plus_eye(a, 2 + sqrt((double)n)));
  tiny_tensor *none = plus_eye(tiny_mul(a, tiny_like(a, 0)), 0);
  tiny_tensor *eye = plus_eye(none, 1), *l, *u, *r, *s, *v;
  below("inverse", n, n, apart(tiny_matmul(well, tiny_inv(well)), eye), limit);
  tiny_tensor *known = tiny_lu(well, &l, &u);
  below("solve by LU", n, n, apart(tiny_matmul(well, tiny_lu_solve(known, l, u, a)), a), limit * 8);
  below("solve", n, n, apart(tiny_matmul(well, tiny_solve(well, a)), a), limit * 8);
  tiny_tensor *pd = tiny_contiguous(positive(a)), *c = tiny_cholesky(pd, 0);
  below("cholesky", n, n, apart(tiny_matmul(c, turned(c)), pd), limit * (n + 1));
  tiny_tensor *p = tiny_lu(a, &l, &u);
  below("lu", n, n, apart(tiny_matmul(p, tiny_matmul(l, u)), a), limit * 2);
  tiny_tensor *q = tiny_qr(a, 0, &r);
  below("q^T q", n, n, apart(tiny_matmul(turned(q), q), eye), limit);
  below("qr", n, n, apart(tiny_matmul(q, r), a), limit * 2);
  tiny_tensor *e = tiny_contiguous(symmetric(a)), *w = tiny_eigh(e, &v);
  below("eigenvectors", n, n, apart(tiny_matmul(turned(v), v), eye), limit);
  below("eigh", n, n, apart(tiny_matmul(tiny_mul(v, tiny_unsqueeze(w, -2)), turned(v)), e), limit * 4);
  tiny_tensor *left = tiny_svd(a, &s, &v);
  below("left vectors", n, n, apart(tiny_matmul(turned(left), left), eye), limit);
  below("right vectors", n, n, apart(tiny_matmul(v, turned(v)), eye), limit);
  below("svd", n, n, apart(tiny_matmul(tiny_mul(left, tiny_unsqueeze(s, -2)), v), a), limit * 4);
  below("det", n, n, fabs(log(fabs(tiny_item(tiny_reshape(tiny_shrink(tiny_flatten(tiny_det(well), 0, -1), TINY_SHAPE(0, 1)), TINY_SHAPE())))) -
        tiny_item(tiny_reshape(tiny_shrink(tiny_flatten(tiny_sum(tiny_log(tiny_abs(tiny_eigh(tiny_matmul(turned(well), well), NULL))), -1, 0), 0, -1), TINY_SHAPE(0, 1)), TINY_SHAPE())) / 2), limit * 40);
  tiny_end(t);
}
static void check_rectangular(int n, int m) {
  const double limit = 1e-13;
  tiny_begin(t);
  tiny_tensor *a = tiny_contiguous(matrix(3, n, m, TINY_F64)), *l, *u, *r, *s, *v;
  const int k = n < m ? n : m;
  tiny_tensor *one = plus_eye(tiny_zeros(t, TINY_F64, TINY_SHAPE(3, k, k)), 1);
  tiny_tensor *p = tiny_lu(a, &l, &u);
  below("lu", n, m, apart(tiny_matmul(p, tiny_matmul(l, u)), a), limit);
  tiny_tensor *q = tiny_qr(a, 0, &r);
  CHECK(tiny_shape_of(q).dim[2] == k && tiny_shape_of(r).dim[1] == k);
  below("qr", n, m, apart(tiny_matmul(q, r), a), limit);
  below("q^T q", n, m, apart(tiny_matmul(turned(q), q), one), limit);
  q = tiny_qr(a, 1, &r);
  CHECK(tiny_shape_of(q).dim[2] == n && tiny_shape_of(r).dim[1] == n);
  below("complete qr", n, m, apart(tiny_matmul(q, r), a), limit);
  below("complete q^T q", n, m, apart(tiny_matmul(turned(q), q), plus_eye(tiny_zeros(t, TINY_F64, TINY_SHAPE(3, n, n)), 1)), limit);
  tiny_tensor *left = tiny_svd(a, &s, &v);
  below("svd", n, m, apart(tiny_matmul(tiny_mul(left, tiny_unsqueeze(s, -2)), v), a), limit);
  below("left vectors", n, m, apart(tiny_matmul(turned(left), left), one), limit);
  below("right vectors", n, m, apart(tiny_matmul(v, turned(v)), one), limit);
  tiny_tensor *g = tiny_pinv(a, 0);
  below("pinv", n, m, apart(tiny_matmul(tiny_matmul(a, g), a), a), limit * 10);
  tiny_tensor *b = matrix(3, n, 2, TINY_F64);
  below("lstsq", n, m, apart(tiny_lstsq(a, b), tiny_matmul(g, b)), limit * 10);
  tiny_end(t);
}

// ** gradients: f64, by central differences **

typedef tiny_tensor *(*function)(tiny_tensor *x);
static tiny_tensor *weigh(tiny_tensor *x) {
  const int64_t n = tiny_nelem_of(x);
  tiny_tensor *i = tiny_arange(t, 0, (double)n, 1, TINY_F64);
  return tiny_sum(tiny_mul(tiny_flatten(x, 0, -1), tiny_cos(tiny_add(i, tiny_like(i, 0.3)))), TINY_ALL, 0);
}
static tiny_tensor *loss_of(function f, tiny_tensor *x, int order) {
  tiny_tensor *y = weigh(f(x)), *g;
  for (; order > 0; order--) {
    if (tiny_grad(y, &x, 1, &g) != TINY_OK) return g;
    y = weigh(g);
  }
  return y;
}
static void check_gradient(const char *name, function f, int n, int m, int orders) {
  static double data[64], grad[64];
  const int size = n * m;
  for (int i = 0; i < size; i++) data[i] = noise(i + 5);
  for (int order = 0; order < orders; order++) {
    tiny_tensor *g;
    double worst = 0;
    tiny_begin(t);
    tiny_tensor *x = tiny_from(t, data, TINY_F64, TINY_SHAPE(n, m));
    CHECK_EQ(tiny_grad(loss_of(f, x, order), &x, 1, &g), TINY_OK);
    CHECK_EQ(tiny_read(g, grad, (size_t)size * 8), TINY_OK);
    tiny_end(t);
    for (int i = 0; i < size; i++) {
      double at[2];
      const double old = data[i], h = 1e-5;
      for (int k = 0; k < 2; k++) {
        tiny_begin(t);
        data[i] = old + (k ? -h : h);
        at[k] = tiny_item(loss_of(f, tiny_from(t, data, TINY_F64, TINY_SHAPE(n, m)), order));
        tiny_end(t);
      }
      data[i] = old;
      const double want = (at[0] - at[1]) / (2 * h), error = fabs(grad[i] - want) / (1 + fabs(want));
      if (!(error <= worst)) worst = error;
    }
    if (!(worst < 1e-6)) printf("%s of (%d,%d), order %d: off by %g; %s\n", name, n, m, order + 1, worst, tiny_error(t));
    CHECK(worst < 1e-6);
    tiny_clear(t);
  }
}
static tiny_tensor *f_inverse(tiny_tensor *x) { return tiny_inv(x); }
static tiny_tensor *f_solve(tiny_tensor *x) { return tiny_solve(x, tiny_sin(tiny_slice(x, 1, 0, 2, 1))); }
static tiny_tensor *f_solve_vector(tiny_tensor *x) { return tiny_solve(x, tiny_sum(tiny_exp(x), 1, 0)); }
static tiny_tensor *f_det(tiny_tensor *x) { return tiny_det(x); }
static tiny_tensor *f_slogdet(tiny_tensor *x) { tiny_tensor *y; tiny_slogdet(x, &y); return y; }
static tiny_tensor *f_cholesky(tiny_tensor *x) { return tiny_cholesky(positive(x), 0); }
static tiny_tensor *f_cholesky_upper(tiny_tensor *x) { return tiny_cholesky(positive(x), 1); }
static tiny_tensor *f_triangular(tiny_tensor *x) { return tiny_triangular_solve(plus_eye(x, 2), tiny_exp(x), 1, 0); }
static tiny_tensor *f_triangular_unit(tiny_tensor *x) { return tiny_triangular_solve(x, tiny_exp(x), 0, 1); }
static tiny_tensor *both(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *all[2] = {tiny_flatten(a, 0, -1), tiny_flatten(b, 0, -1)};
  return tiny_cat(all, 2, 0);
}
static tiny_tensor *f_lu(tiny_tensor *x) { tiny_tensor *l, *u; tiny_lu(x, &l, &u); return both(l, u); }
static tiny_tensor *f_qr(tiny_tensor *x) { tiny_tensor *r, *q = tiny_qr(x, 0, &r); return both(q, r); }
static tiny_tensor *f_complete(tiny_tensor *x) { tiny_tensor *r; tiny_qr(x, 1, &r); return r; }
static tiny_tensor *f_eigh(tiny_tensor *x) { tiny_tensor *v, *w = tiny_eigh(symmetric(x), &v); return both(w, tiny_square(v)); }
static tiny_tensor *f_svd(tiny_tensor *x) {
  tiny_tensor *s, *v, *u = tiny_svd(x, &s, &v);
  return both(both(tiny_square(u), s), tiny_square(v));
}
static tiny_tensor *f_products(tiny_tensor *x) {             // signs cancel where vectors meet
  tiny_tensor *s, *v, *u = tiny_svd(x, &s, &v);
  return tiny_matmul(u, v);
}
static tiny_tensor *f_pinv(tiny_tensor *x) { return tiny_pinv(x, 0); }
static tiny_tensor *f_lstsq(tiny_tensor *x) { return tiny_lstsq(x, tiny_exp(x)); }
static tiny_tensor *f_nuclear(tiny_tensor *x) { return tiny_matrix_norm(x, TINY_NORM_NUC); }
static tiny_tensor *f_spectral(tiny_tensor *x) { return tiny_matrix_norm(x, TINY_NORM_2); }
static tiny_tensor *f_cond(tiny_tensor *x) { return tiny_cond(x, TINY_NORM_2); }
static tiny_tensor *f_cond1(tiny_tensor *x) { return tiny_cond(x, TINY_NORM_1); }
static tiny_tensor *f_power(tiny_tensor *x) { return tiny_matrix_power(x, -3); }
static tiny_tensor *f_cross(tiny_tensor *x) { return tiny_cross(x, tiny_exp(x), -1); }
static tiny_tensor *f_cdist(tiny_tensor *x) { return tiny_cdist(x, tiny_exp(x), 2); }
static tiny_tensor *f_cdist3(tiny_tensor *x) { return tiny_cdist(x, tiny_exp(x), 3); }

static void check_gradients(void) {
  static const struct { const char *name; function f; int n, m, orders; } all[] = {
    {"inverse", f_inverse, 3, 3, 2}, {"solve", f_solve, 3, 3, 2}, {"solve, vector", f_solve_vector, 3, 3, 2}, {"det", f_det, 3, 3, 2},
    {"slogdet", f_slogdet, 3, 3, 2}, {"cholesky", f_cholesky, 3, 3, 2}, {"cholesky, upper", f_cholesky_upper, 2, 2, 2},
    {"triangular", f_triangular, 3, 3, 2}, {"triangular, unit", f_triangular_unit, 3, 3, 2}, {"lu", f_lu, 3, 3, 2},
    {"lu", f_lu, 4, 2, 2}, {"lu", f_lu, 2, 4, 2}, {"qr", f_qr, 3, 3, 2}, {"qr", f_qr, 4, 2, 2}, {"qr", f_qr, 2, 4, 2},
    {"complete r", f_complete, 4, 2, 2}, {"eigh", f_eigh, 3, 3, 2}, {"svd", f_svd, 3, 3, 2}, {"svd", f_svd, 4, 2, 2}, {"svd", f_svd, 2, 4, 2},
    {"u @ vt", f_products, 3, 2, 2}, {"pinv", f_pinv, 4, 2, 2}, {"pinv", f_pinv, 2, 3, 2}, {"lstsq", f_lstsq, 4, 2, 2}, {"lstsq", f_lstsq, 2, 3, 2},
    {"nuclear norm", f_nuclear, 3, 2, 2}, {"spectral norm", f_spectral, 2, 3, 2}, {"cond", f_cond, 3, 3, 1}, {"cond 1", f_cond1, 3, 3, 1},
    {"matrix_power", f_power, 2, 2, 2}, {"cross", f_cross, 2, 3, 2}, {"cdist", f_cdist, 3, 2, 2}, {"cdist 3", f_cdist3, 3, 2, 1},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_gradient(all[i].name, all[i].f, all[i].n, all[i].m, all[i].orders);
}

// ** special matrices **

static tiny_tensor *given(int n, int m, const double *data) { return tiny_from(t, data, TINY_F64, TINY_SHAPE(n, m)); }
static void check_special(void) {
  static const double singular[4] = {1, 2, 2, 4}, exchange[4] = {0, 1, 1, 0}, indefinite[4] = {1, 2, 2, 1}, zeros[6] = {0};
  tiny_tensor *x = given(2, 2, singular), *l, *u, *s, *v, *logs, *g;
  CHECK(tiny_item(tiny_det(x)) == 0);
  CHECK(tiny_item(tiny_slogdet(x, &logs)) == 0);
  CHECK(tiny_item(logs) == -HUGE_VAL);
  read_all(tiny_inv(x));
  for (int i = 0; i < 4; i++) CHECK(!(fabs(got[i]) <= 1e300));
  CHECK_EQ(tiny_grad(tiny_det(x), &x, 1, &g), TINY_OK);
  CHECK(most(g) == 0);                     // not NaN
  CHECK(tiny_item(tiny_det(given(2, 2, exchange))) == -1);
  tiny_tensor *p = tiny_lu(x, &l, &u);
  CHECK(apart(tiny_matmul(p, tiny_matmul(l, u)), x) < 1e-15);
  CHECK(most(tiny_cholesky(given(2, 2, indefinite), 0)) != most(x));             // NaN
  tiny_tensor *left = tiny_svd(given(3, 2, zeros), &s, &v);
  CHECK(most(s) == 0);
  CHECK(apart(tiny_matmul(turned(left), left), tiny_eye(t, 2, TINY_F64)) < 1e-15);
  left = tiny_svd(x, &s, &v);              // of rank 1: u is orthonormal all the same
  CHECK(apart(tiny_matmul(turned(left), left), tiny_eye(t, 2, TINY_F64)) < 1e-14);
  CHECK(tiny_item(tiny_cast(tiny_matrix_rank(x, 0), TINY_F64)) == 1);
  tiny_tensor *q = tiny_qr(given(3, 2, zeros), 0, &u);
  CHECK(apart(tiny_matmul(turned(q), q), tiny_eye(t, 2, TINY_F64)) == 0);
  tiny_tensor *eye = tiny_contiguous(tiny_eye(t, 3, TINY_F64));                  // equal eigenvalues
  CHECK(apart(tiny_eigh(eye, &v), tiny_full(t, 1, TINY_F64, TINY_SHAPE(3))) == 0);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_eigh(eye, NULL), TINY_ALL, 0), &eye, 1, &g), TINY_OK);
  CHECK(apart(g, eye) == 0);
  tiny_clear(t);
}
static void check_empty(void) {
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 0)), *many = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3, 3)), *l, *u, *s, *v;
  CHECK(tiny_item(tiny_det(x)) == 1);
  CHECK_EQ(read_all(tiny_inv(x)), 0);
  CHECK_EQ(read_all(tiny_inv(many)), 0);
  CHECK_EQ(read_all(tiny_det(many)), 0);
  CHECK_EQ(read_all(tiny_cholesky(x, 0)), 0);
  CHECK_EQ(read_all(tiny_lu(x, &l, &u)), 0);
  tiny_tensor *order = tiny_lu(many, &l, &u), *sides = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3, 2));
  CHECK_EQ(read_all(tiny_transpose(order, -1, -2)), 0);
  CHECK_EQ(read_all(tiny_lu_solve(order, l, u, sides)), 0);
  CHECK(tiny_item(tiny_matrix_norm(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), TINY_NORM_1)) == 0);
  CHECK(tiny_item(tiny_matrix_norm(tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 0)), TINY_NORM_MIN_INF)) == 0);
  CHECK_EQ(read_all(tiny_eigh(many, &v)), 0);
  CHECK_EQ(read_all(tiny_svd(x, &s, &v)), 0);
  CHECK_EQ(read_all(tiny_svd(tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 0)), &s, &v)), 0);
  CHECK_EQ(read_all(tiny_qr(tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 0)), 1, &u)), 9);
  CHECK(tiny_item(tiny_matrix_norm(x, TINY_NORM_FRO)) == 0);
  CHECK_STR(tiny_error(t), "");
  tiny_clear(t);
}
static void check_dtypes(void) {
  tiny_tensor *x = plus_eye(matrix(1, 3, 3, TINY_F16), 4), *whole = tiny_cast(x, TINY_I32), *v;
  CHECK_EQ(tiny_dtype_of(tiny_inv(x)), TINY_F16);
  CHECK_EQ(tiny_dtype_of(tiny_inv(whole)), TINY_F32);
  CHECK_EQ(tiny_dtype_of(tiny_eigh(tiny_cast(x, TINY_BF16), &v)), TINY_BF16);
  CHECK_EQ(tiny_dtype_of(v), TINY_BF16);
  CHECK_EQ(tiny_dtype_of(tiny_solve(x, matrix(1, 3, 1, TINY_F64))), TINY_F64);
  CHECK_EQ(tiny_dtype_of(tiny_matrix_rank(x, 0)), TINY_I32);
  below("inverse of f16", 3, 3, apart(tiny_matmul(x, tiny_inv(x)), tiny_eye(t, 3, TINY_F16)), 4e-3);
}
static void expect_error(tiny_tensor *x, const char *message) {
  CHECK(!tiny_ok(x));
  CHECK_STR(tiny_error(t), message);
  tiny_clear(t);
}
static void check_errors(void) {
  tiny_tensor *x = matrix(1, 2, 3, TINY_F32), *y = matrix(1, 3, 3, TINY_F32), *vector = tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), *l = y, *u = y;
  expect_error(tiny_inv(x), "inv: (2,3) is no square matrix");
  expect_error(tiny_svd(vector, &l, &u), "svd: (3,) is no matrix");
  CHECK(!tiny_ok(l) && !tiny_ok(u));
  expect_error(tiny_solve(y, x), "solve: (3,3) with right sides (2,3)");
  expect_error(tiny_solve(matrix(2, 3, 3, TINY_F32), matrix(3, 3, 1, TINY_F32)), "solve: (2,3,3) with right sides (3,3,1)");
  expect_error(tiny_matrix_norm(y, (tiny_norm_order)8), "matrix_norm: order is 8, not one of tiny_norm_order");
  expect_error(tiny_lu_solve(y, y, x, y), "lu_solve: (2,3) is no square matrix");
  expect_error(tiny_cov(y, 1, tiny_zeros(t, TINY_I64, TINY_SHAPE(2)), NULL), "cov: weights (2,) of 3 observations");
  expect_error(tiny_corrcoef(tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3, 3))), "corrcoef: (2,3,3) has more than 2 dims");
  expect_error(tiny_cond(x, TINY_NORM_1), "cond: (2,3) is no square matrix");
  expect_error(tiny_matrix_norm(tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 0)), TINY_NORM_1), "matrix_norm: there is no maximum of nothing");
  expect_error(tiny_matrix_power(x, 2), "matrix_power: (2,3) is no square matrix");
  CHECK(tiny_inv(NULL) == NULL);
  CHECK(tiny_lu(NULL, &l, &u) == NULL && l == NULL && u == NULL);
  tiny_tensor *bad = tiny_inv(x);
  CHECK(tiny_lu(bad, NULL, NULL) == bad && tiny_eigh(bad, NULL) == bad && tiny_qr(bad, 0, NULL) == bad);
  tiny_clear(t);
}
// Kernels do not depend on the number of steps: a step's number is an argument.
static int compiled_by(tiny_tensor *x) {
  const tiny_stats before = tiny_stats_of(t);
  tiny_tensor *const all[1] = {x};
  CHECK_EQ(tiny_realize(all, 1), TINY_OK);
  const tiny_stats after = tiny_stats_of(t);                // those that another flavour of this test has compiled count
  return (int)(after.compiled - before.compiled + after.cache_hits - before.cache_hits);
}
static void check_kernels(void) {
  for (int n = 9; n <= 36; n += 27) {      // sizes that no test above has compiled
    CHECK(compiled_by(tiny_inv(plus_eye(matrix(1, n, n, TINY_F32), 5))) <= 24);
    CHECK(compiled_by(tiny_lu(matrix(1, n, n, TINY_F32), NULL, NULL)) <= 32);
    CHECK(compiled_by(tiny_cholesky(positive(matrix(1, n, n, TINY_F32)), 0)) <= 24);
    CHECK(compiled_by(tiny_eigh(symmetric(matrix(1, n, n, TINY_F32)), NULL)) <= 32);
  }
}

// ** how much is built: the number of nodes and kernels does not depend on the size **

typedef struct factored { tiny_tensor *out[3]; int n; } factored;
static factored f_one(tiny_tensor *x) { factored f = {{x, NULL, NULL}, 1}; return f; }
static factored d_svd(tiny_tensor *x) { factored f = {{NULL, NULL, NULL}, 3}; f.out[0] = tiny_svd(x, &f.out[1], &f.out[2]); return f; }
static factored d_eigh(tiny_tensor *x) { factored f = {{NULL, NULL, NULL}, 2}; f.out[0] = tiny_eigh(x, &f.out[1]); return f; }
static factored d_lu(tiny_tensor *x) { factored f = {{NULL, NULL, NULL}, 3}; f.out[0] = tiny_lu(x, &f.out[1], &f.out[2]); return f; }
static factored d_qr(tiny_tensor *x) { factored f = {{NULL, NULL, NULL}, 2}; f.out[0] = tiny_qr(x, 1, &f.out[1]); return f; }
static factored d_cholesky(tiny_tensor *x) { return f_one(tiny_cholesky(x, 0)); }
static factored d_inverse(tiny_tensor *x) { return f_one(tiny_inv(x)); }
static factored d_solve(tiny_tensor *x) { return f_one(tiny_solve(x, tiny_exp(x))); }
static factored d_triangular(tiny_tensor *x) { return f_one(tiny_triangular_solve(x, tiny_exp(x), 1, 0)); }
static factored d_det(tiny_tensor *x) { return f_one(tiny_det(x)); }
static factored d_slogdet(tiny_tensor *x) { factored f = {{NULL, NULL, NULL}, 2}; f.out[0] = tiny_slogdet(x, &f.out[1]); return f; }
static factored d_pinv(tiny_tensor *x) { return f_one(tiny_pinv(x, 0)); }
static factored d_lstsq(tiny_tensor *x) { return f_one(tiny_lstsq(x, tiny_exp(x))); }
static factored d_rank(tiny_tensor *x) { return f_one(tiny_matrix_rank(x, 0)); }
static factored d_nuclear(tiny_tensor *x) { return f_one(tiny_matrix_norm(x, TINY_NORM_NUC)); }
static factored d_exp(tiny_tensor *x) { return f_one(tiny_matrix_exp(x)); }

// The squarings of an exponential are one kernel for a compiler, however many there are.
static void check_exp_compiled(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = "";
  tiny_ctx *t0 = t;
  t = tiny_open(&d);
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(32, 32)), *y = tiny_matrix_exp(x);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  CHECK(tiny_stats_of(t).compiled < 24);
  tiny_close(t);
  t = t0;
}
static void check_built(void) {
  static const struct { const char *name; factored (*of)(tiny_tensor *x); int nodes, kernels, smooth; } all[] = {
    {"svd", d_svd, 700, 24, 1}, {"eigh", d_eigh, 500, 16, 1}, {"lu", d_lu, 500, 12, 1}, {"qr", d_qr, 500, 12, 1}, {"cholesky", d_cholesky, 400, 8, 1},
    {"inverse", d_inverse, 400, 16, 1}, {"solve", d_solve, 500, 24, 1}, {"triangular_solve", d_triangular, 400, 20, 1}, {"det", d_det, 400, 12, 1},
    {"slogdet", d_slogdet, 400, 12, 1}, {"pinv", d_pinv, 900, 28, 1}, {"lstsq", d_lstsq, 700, 32, 1}, {"matrix_rank", d_rank, 800, 20, 0},
    {"matrix_norm", d_nuclear, 800, 20, 1}, {"matrix_exp", d_exp, 520, 96, 1},
  };
  static const int sizes[] = {8, 64, 256};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = "";
  tiny_ctx *t0 = t;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) for (int k = 0; k < 3; k++) for (int batch = 1; batch < 3; batch++) {
    t = tiny_open(&d);
    tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(batch, sizes[k], sizes[k])), *g;
    tiny_realize(&x, 1);
    uint64_t nodes = tiny_stats_of(t).nodes, kernels = tiny_stats_of(t).kernels;
    const factored f = all[i].of(x);
    nodes = tiny_stats_of(t).nodes - nodes;
    CHECK_EQ(tiny_realize(f.out, f.n), TINY_OK);
    kernels = tiny_stats_of(t).kernels - kernels;
    const int ok = nodes <= (uint64_t)all[i].nodes && kernels <= (uint64_t)all[i].kernels;
    if (!ok) printf("%s of (%d,%d,%d): %d nodes, %d kernels\n", all[i].name, batch, sizes[k], sizes[k], (int)nodes, (int)kernels);
    CHECK(ok);
    if (all[i].smooth && k == 2) {         // and of its gradient
      nodes = tiny_stats_of(t).nodes; kernels = tiny_stats_of(t).kernels;
      CHECK_EQ(tiny_grad(tiny_sum(f.out[f.n - 1], TINY_ALL, 0), &x, 1, &g), TINY_OK);
      nodes = tiny_stats_of(t).nodes - nodes;
      CHECK_EQ(tiny_realize(&g, 1), TINY_OK);
      kernels = tiny_stats_of(t).kernels - kernels;
      if (nodes > 2500 || kernels > 200) printf("gradient of %s: %d nodes, %d kernels\n", all[i].name, (int)nodes, (int)kernels);
      CHECK(nodes <= 2500 && kernels <= 200);
    }
    tiny_close(t);
  }
  t = t0;
}

// The same bits whatever the number of threads; the interpreter runs the same kernels; NaN ends.
static void check_devices(void) {
  static const struct { const char *device; int threads; } on[] = {{"CPU", 1}, {"CPU", 3}, {"INTERP", 1}};
  static unsigned char bits[3][4096];
  size_t n[3] = {0, 0, 0};
  tiny_ctx *t0 = t;
  for (int i = 0; i < 3; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = on[i].device; d.threads = on[i].threads;
    t = tiny_open(&d);
    tiny_tensor *x = tiny_contiguous(matrix(4, 6, 6, TINY_F32)), *out[5], *eye = plus_eye(tiny_mul(x, tiny_like(x, 0)), 1);
    out[0] = tiny_svd(x, &out[1], &out[2]);
    out[3] = tiny_eigh(tiny_add(x, turned(x)), &out[4]);
    for (int k = 0; k < 5; k++) {
      const size_t nbytes = (size_t)tiny_nelem_of(out[k]) * 4;
      CHECK_EQ(tiny_read(out[k], bits[i] + n[i], nbytes), TINY_OK);
      n[i] += nbytes;
    }
    below("svd", 6, 6, apart(tiny_matmul(tiny_mul(out[0], tiny_unsqueeze(out[1], -2)), out[2]), x), 1e-5);
    below("eigenvectors", 6, 6, apart(tiny_matmul(turned(out[4]), out[4]), eye), 1e-5);
    static const float holes[2] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++) {
      float data[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
      data[4] = holes[k];
      tiny_tensor *bad = tiny_from(t, data, TINY_F32, TINY_SHAPE(3, 3)), *s;
      tiny_svd(bad, &s, NULL);
      CHECK_EQ(read_all(s), 3);
      for (int j = 0; j < 3; j++) CHECK(got[j] != got[j]);
      CHECK_EQ(read_all(tiny_eigh(bad, NULL)), 3);
      for (int j = 0; j < 3; j++) CHECK(got[j] != got[j]);
      read_all(tiny_qr(bad, 0, NULL)); read_all(tiny_lu(bad, NULL, NULL)); read_all(tiny_inv(bad));
    }
    tiny_tensor *twice[2] = {x, x}, *rows = tiny_cat(twice, 2, -1), *sv, *vt;         // of rank 6, exactly: sweeps end
    tiny_tensor *left = tiny_svd(turned(rows), &sv, &vt);
    below("svd of rank 6", 12, 6, apart(tiny_matmul(tiny_mul(left, tiny_unsqueeze(sv, -2)), vt), turned(rows)), 2e-5);
    tiny_tensor *both_rows[2] = {rows, rows};
    tiny_tensor *folded = tiny_svd(tiny_cat(both_rows, 2, -2), &sv, &vt);
    below("svd of (12,12) of rank 6", 12, 12, apart(tiny_matmul(turned(folded), folded), tiny_eye(t, 12, TINY_F32)), 1e-5);
    const float small[4] = {1e-30f, 2e-30f, 3e-30f, 4.5e-30f};                   // squares of which vanish
    tiny_tensor *s;
    tiny_svd(tiny_from(t, small, TINY_F32, TINY_SHAPE(2, 2)), &s, NULL);
    CHECK_EQ(read_all(s), 2);
    CHECK(fabs(got[0] - 5.84672e-30) < 1e-34 && fabs(got[1] - 2.565541e-31) < 1e-34);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  t = t0;
  CHECK(n[0] == n[1] && !memcmp(bits[0], bits[1], n[0]));
}

int main(void) {
  t = tiny_open(NULL);
  static const int wide[] = {1, 2, 5}, narrow[] = {3, 4, 16};
  for (int i = 0; i < 3; i++) check_values(1, wide[i], TINY_F64);
  for (int i = 0; i < 3; i++) check_values(2, narrow[i], TINY_F32);
  check_rectangular(5, 3);
  check_rectangular(2, 4);
  check_rectangular(1, 3);
  check_special();
  check_empty();
  check_dtypes();
  check_errors();
  check_gradients();
  check_kernels();
  check_exp_compiled();
  check_built();
  check_devices();
  tiny_close(t);
  return test_report();
}
