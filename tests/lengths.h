// lengths: an operator of a dim of which a length is meant, beside the same operator of a dim of that length.
//
// What lies behind a length is NaN here, so that whoever reads it shows.
#include "test.h"

static tiny_ctx *t;
enum { MOST = 96, WIDE = 12, FEW = 4 };
static float memory[MOST * WIDE];
static tiny_tensor *weights, *queries;

static float element(int64_t i) { return (float)sin(0.7 + 1.9 * (double)i); }
static tiny_tensor *made(tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *data = (float *)malloc((size_t)n * sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = element(3 * i + n);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, s);
  free(data);
  return x;
}

typedef tiny_tensor *(*operator_of)(tiny_tensor *x);
static tiny_tensor *turned(tiny_tensor *x) { return tiny_transpose(x, 0, 1); }
static tiny_tensor *of_loss(tiny_tensor *y, tiny_tensor *p) {
  tiny_tensor *g = NULL, *loss = tiny_sum(tiny_square(y), TINY_ALL, 0);
  return tiny_grad(loss, &p, 1, &g) == TINY_OK ? g : NULL;
}

static size_t nbytes_of(tiny_tensor *x) {
  const tiny_shape s = tiny_shape_now(x);
  return (size_t)tn_dims_nelem(s.ndim, s.dim) * tiny_dtype_nbytes(tiny_dtype_of(x));
}
static double number(const char *data, int dtype, size_t i) {
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, data + i * tn_dtypes[dtype].nbytes)));
}
// Are x, computed by read, and y, as it is by definition, the same in shape and elements?
// Chains may make much of the last bits: there what is close is measured by the greatest element.
static double tolerance = 2e-4;
static int same(tiny_tensor *x, tiny_tensor *y, tiny_code (*read)(tiny_tensor *x, void *out, size_t nbytes)) {
  const size_t nbytes = nbytes_of(x), each = tiny_dtype_nbytes(tiny_dtype_of(x));
  char *a = (char *)malloc(nbytes + 1), *b = (char *)malloc(nbytes + 1);
  const tiny_shape p = tiny_shape_now(x), q = tiny_shape_now(y);
  int ok = p.ndim == q.ndim && tn_dims_same(p.ndim, p.dim, q.dim) && read(x, a, nbytes) == TINY_OK && tiny_reference(y, b, nbytes) == TINY_OK;
  double most = 0;
  if (!ok) fprintf(stderr, "    a shape of %lld .. != %lld ..\n", (long long)p.dim[0], (long long)q.dim[0]);
  for (size_t i = 0; ok && tolerance > 1e-3 && i < nbytes / each; i++)
    most = fmax(most, fabs(number(b, tiny_dtype_of(x), i)));
  for (size_t i = 0; ok && i < nbytes / each; i++) {
    const double u = number(a, tiny_dtype_of(x), i), v = number(b, tiny_dtype_of(x), i);
    ok = (u != u && v != v) || u == v || fabs(u - v) <= tolerance * (1 + fmax(most, fabs(v)));
    if (!ok) fprintf(stderr, "    element %d: %g != %g\n", (int)i, u, v);
  }
  free(a); free(b);
  return ok;
}

static const int lengths[] = {MOST, 1, 40, 7, 0, MOST - 1, 64, 33, 2};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
// least: the length from which on it is right; of nothing a mean is NaN, and so is what follows from it.
static void check_operator(const char *name, operator_of f, int least) {
  uint64_t compiled = 0, schedules = 0, hits = 0;
  if (!case_named("%s", name)) return;
  for (int i = 0; i < LENGTHS; i++) {
    const int n = lengths[i];
    if (n < least || (i > 4 && getenv("TEST_BRIEF"))) continue;
    for (int k = 0; k < MOST * WIDE; k++) memory[k] = k < n * WIDE ? element(k) : (float)NAN;
    tiny_begin(t);
    tiny_tensor *x = tiny_from(t, memory, TINY_F32, TINY_SHAPE(MOST, WIDE));
    tiny_tensor *y = f(tiny_slice_to(x, 0, tiny_length(t, n, 0, MOST)));
    CHECK(tiny_ok(y));
    if (!tiny_ok(y)) fprintf(stderr, "    %s\n", tiny_error(t));
    const tiny_stats before = tiny_stats_of(t);
    if (tiny_ok(y)) CHECK(tiny_realize(&y, 1) == TINY_OK);
    const tiny_stats after = tiny_stats_of(t);
    compiled += after.compiled - before.compiled; hits += after.cache_hits - before.cache_hits;
    schedules += after.schedules - before.schedules;
    tiny_tensor *z = f(tiny_from(t, memory, TINY_F32, TINY_SHAPE(n, WIDE)));
    if (!tiny_ok(z)) {                     // of too little there is nothing, or an error where shapes are known
      CHECK(!n || !nbytes_of(y));
      tiny_clear(t);
    }
    if (tiny_ok(y) && tiny_ok(z)) {
      CHECK(same(y, z, tiny_read));
      if (i < 4) CHECK(same(y, z, tiny_reference));
    }
    if (i == 0) compiled = hits = schedules = 0;             // the first one makes the kernels
    tiny_end(t);
    if (*tiny_error(t)) { fprintf(stderr, "    %s\n", tiny_error(t)); CHECK(0); tiny_clear(t); }
  }
  CHECK_EQ(schedules, 0);
  CHECK_EQ(compiled, 0);
  CHECK_EQ(hits, 0);
  case_end();
}

#include "bad.h"
