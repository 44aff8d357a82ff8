// test_random: random tensor programs, the same on every device, against the interpreter of graphs.
//
// A program is made by a seed: up to 40 operators, each on tensors made before. With every tensor go a bound of its magnitude,
// the unit that its values are multiples of (0: none), and a bound of the rounding error: sums of small multiples of
// 1/4 are exact, so whatever jumps (comparisons, floor, argmax) takes only tensors without error.
// TEST_ROUNDS=n: n batches instead of the usual. TEST_SEED=s: one program alone. TEST_FROM=s: start there.
// TEST_DEBUG: letters as in TINY_DEBUG. A failure is made shorter and printed.
#ifndef TINY_ALL
#include "../src/all.c"
#endif
#include "test.h"

#if defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #define SANITIZED 1
  #endif
#endif
#ifdef SANITIZED
  enum { BATCHES = 4 };                    // most of the time is the compiler's
#else
  enum { BATCHES = 12 };
#endif
enum { MAX_OPS = 40, MAX_ITEMS = 160, MAX_ROOTS = 24, BATCH = 25, MOST = 4000 };

typedef struct item { tiny_tensor *x; double mag, unit, err; int memory, used, dtype; tiny_shape s; } item;
typedef struct gen { tiny_ctx *t; uint64_t rng; item item[MAX_ITEMS]; int n, memories; } gen;

static uint32_t rnd(gen *g, uint32_t n) {  // splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014
  uint64_t z = (g->rng += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 16) % n;
}
static int chance(gen *g, uint32_t percent) { return rnd(g, 100) < percent; }

// ** what is known of a tensor **

static double eps_of(int d) { return d == TINY_F16 ? ldexp(1, -11) : d == TINY_BF16 ? ldexp(1, -8) : d == TINY_F64 ? ldexp(1, -53) : ldexp(1, -24); }
static int is_real(const item *a) { return tn_is_float(a->dtype); }
static int exact(const item *a) { return a->err == 0; }
static int is_half(int d) { return d == TINY_F16 || d == TINY_BF16; }

// Adds a tensor. unit 0: it has rounding errors, err of them from before and a few of its own.
static item *put(gen *g, tiny_tensor *x, double mag, double unit, double err) {
  if (!tiny_ok(x) || g->n == MAX_ITEMS) return NULL;
  item *a = &g->item[g->n];
  memset(a, 0, sizeof *a);
  a->x = x; a->s = tiny_shape_get(x); a->dtype = tiny_dtype_get(x);
  if (!tn_is_float(a->dtype)) { const double top = a->dtype == TINY_BOOL ? 1 : ldexp(1, tn_bits(a->dtype)); a->mag = mag < top ? mag : top; a->unit = 1; g->n++; return a; }
  const double eps = eps_of(a->dtype);
  if (!(mag < (a->dtype == TINY_F16 ? 2e3 : 1e9)) || !(err < 0.05 * (1 + mag))) return NULL;
  a->mag = mag;
  if (err == 0 && unit > 0 && mag / unit <= 0.5 / eps) a->unit = unit;
  else a->err = err + 2 * eps * mag + 1e-30;
  g->n++;
  return a;
}
static item *pick(gen *g) { return &g->item[rnd(g, (uint32_t)g->n)]; }
static item *pick_real(gen *g) {
  for (int i = 0; i < 12; i++) { item *a = pick(g); if (is_real(a)) return a; }
  return NULL;
}
static item *use(item *a) { a->used = 1; return a; }
static int64_t nelem(const item *a) { return tn_dims_nelem(a->s.ndim, a->s.dim); }

// ** inputs **

static const int dtypes[] = {TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_I32, TINY_I32, TINY_F64, TINY_F16, TINY_BF16,
                             TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_U32, TINY_I64, TINY_U64};

static tiny_shape shape_of(gen *g) {
  static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17};
  tiny_shape s = TINY_SHAPE();
  s.ndim = (int)rnd(g, 5);
  int64_t n = 1;
  for (int i = 0; i < s.ndim; i++) {
    s.dim[i] = sizes[rnd(g, 12)];
    if (i == s.ndim - 1 && chance(g, 25)) { static const int wide[] = {32, 33, 64, 100, 128, 129, 256}; s.dim[i] = wide[rnd(g, 7)]; }
    if (n * s.dim[i] > MOST) s.dim[i] = 1;
    n *= s.dim[i];
  }
  if (s.ndim && chance(g, 2)) s.dim[rnd(g, (uint32_t)s.ndim)] = 0;
  return s;
}

static item *input(gen *g, int dtype, tiny_shape s) {
  unsigned char *data = (unsigned char *)calloc((size_t)tn_dims_nelem(s.ndim, s.dim) + 1, 8);
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  const int low = tn_is_unsigned(dtype) || dtype == TINY_BOOL ? 0 : -6, high = dtype == TINY_BOOL ? 1 : 6;
  const int full = !tn_is_float(dtype) && dtype != TINY_BOOL && chance(g, 20);
  for (int64_t i = 0; i < n; i++) {
    const int64_t v = low + (int64_t)rnd(g, (uint32_t)(high - low + 1));
    const int64_t wide = (int64_t)((uint64_t)rnd(g, UINT32_MAX) << 32 | rnd(g, UINT32_MAX));
    const int64_t k = tn_is_float(dtype) ? tn_from_f64((double)v * 0.25) : full ? tn_dtype_wrap(dtype, wide) : v;
    tn_dtype_store(dtype, data + i * tn_dtypes[dtype].nbytes, k);
  }
  item *a = put(g, tiny_from(g->t, data, (tiny_dtype)dtype, s), tn_is_float(dtype) ? 1.5 : full ? 1e30 : 6, tn_is_float(dtype) ? 0.25 : 1, 0);
  free(data);
  if (a) a->memory = ++g->memories;
  return a;
}

static int make_leaf(gen *g) {
  const int dtype = dtypes[rnd(g, sizeof dtypes / sizeof *dtypes)];
  const tiny_shape s = shape_of(g);
  switch (rnd(g, 9)) {
    case 0: return put(g, tiny_full(g->t, (double)rnd(g, 4), (tiny_dtype)dtype, s), 4, 1, 0) != NULL;
    case 1: return put(g, tiny_arange(g->t, (double)rnd(g, 3), 3 + rnd(g, 40), 1 + rnd(g, 3), (tiny_dtype)(dtype == TINY_BOOL ? TINY_I32 : dtype)), 45, 1, 0) != NULL;
    case 2: return put(g, tiny_eye(g->t, 1 + rnd(g, 9), (tiny_dtype)dtype), 1, 1, 0) != NULL;
    case 3: return put(g, tiny_rand(g->t, s), 1, ldexp(1, -24), 0) != NULL;
    case 4: return put(g, tiny_randn(g->t, s), 6, 0, 1e-5) != NULL;
    case 5: return put(g, tiny_scalar(g->t, (double)rnd(g, 5), (tiny_dtype)dtype), 5, 1, 0) != NULL;
    default: return input(g, dtype, s) != NULL;
  }
}

// Something to combine a with: its shape, broadcast either way, and its dtype.
static item *partner(gen *g, const item *a) {
  for (int i = 0; i < 10; i++) {
    item *b = pick(g);
    int ok = b->dtype == a->dtype || chance(g, 4);
    int64_t dim[TINY_MAX_DIMS];
    int n = a->s.ndim;
    memcpy(dim, a->s.dim, sizeof dim);
    ok = ok && tn_broadcast_dims(b->s.ndim, b->s.dim, &n, dim) && tn_dims_nelem(n, dim) <= MOST;
    if (ok) return b;
  }
  tiny_shape s = a->s;
  const int at = (int)(a - g->item);
  for (int i = 0; i < s.ndim; i++) if (chance(g, 30)) s.dim[i] = 1;
  if (s.ndim && chance(g, 20)) { s.ndim--; memmove(s.dim, s.dim + 1, (size_t)s.ndim * sizeof *s.dim); }
  item *b = input(g, g->item[at].dtype, s);
  return b;
}

// ** movement: a view's values are those of its source **

static item *put_view(gen *g, item *a, tiny_tensor *x) {
  item *v = put(g, x, a->mag, a->unit, a->err);
  if (v) { v->err = a->err; v->unit = a->unit; v->memory = a->memory; a->used = 1; }
  return v;
}
// One movement op; only: 1 those through which can be assigned.
static tiny_tensor *moved(gen *g, const item *a, int assignable) {
  tiny_shape s = a->s, p = TINY_SHAPE();
  const int n = s.ndim;
  switch (rnd(g, assignable ? 5 : 8)) {
    case 0: {                              // reshape: split a dim or join two
      if (!n) return tiny_reshape(a->x, TINY_SHAPE(1, 1));
      const int d = (int)rnd(g, (uint32_t)n);
      if (chance(g, 50) && d + 1 < n) { s.dim[d] *= s.dim[d + 1]; memmove(s.dim + d + 1, s.dim + d + 2, (size_t)(n - d - 2) * sizeof *s.dim); s.ndim--; }
      else if (n < 6) {
        int64_t f = 1;
        for (int64_t k = 2; k <= s.dim[d]; k++) if (s.dim[d] % k == 0 && chance(g, 60)) { f = k; break; }
        memmove(s.dim + d + 1, s.dim + d, (size_t)(n - d) * sizeof *s.dim);
        s.dim[d] = s.dim[d + 1] / f; s.dim[d + 1] = f; s.ndim++;
      }
      if (chance(g, 15)) { p.ndim = 1; p.dim[0] = nelem(a); return tiny_reshape(a->x, p); }
      return tiny_reshape(a->x, s);
    }
    case 1:
      p.ndim = n;
      for (int i = 0; i < n; i++) p.dim[i] = i;
      for (int i = n - 1; i > 0; i--) { const int j = (int)rnd(g, (uint32_t)i + 1); const int64_t x = p.dim[i]; p.dim[i] = p.dim[j]; p.dim[j] = x; }
      return tiny_permute(a->x, p);
    case 2:
      p.ndim = 2 * n;
      for (int i = 0; i < n; i++) { p.dim[2 * i] = 0; p.dim[2 * i + 1] = s.dim[i]; if (s.dim[i] > 1 && chance(g, 50)) { p.dim[2 * i] = rnd(g, (uint32_t)s.dim[i]); p.dim[2 * i + 1] = p.dim[2 * i] + 1 + rnd(g, (uint32_t)(s.dim[i] - p.dim[2 * i])); } }
      return tiny_shrink(a->x, p);
    case 3:
      for (int i = 0; i < n; i++) if (chance(g, 50)) p.dim[p.ndim++] = i;
      return tiny_flip(a->x, p);
    case 4: {
      static const int steps[] = {1, 2, 3, -1, -2};
      if (!n) return tiny_unsqueeze(a->x, 0);
      const int d = (int)rnd(g, (uint32_t)n), step = steps[rnd(g, 5)];
      return step > 0 ? tiny_slice(a->x, d, rnd(g, 3), s.dim[d], step) : tiny_slice(a->x, d, s.dim[d] - 1, chance(g, 50) ? -1000 : 0, step);
    }
    case 5: {
      for (int i = 0; i < n; i++) if (s.dim[i] == 1 && chance(g, 60)) s.dim[i] = 1 + rnd(g, 6);
      if (n < 5 && chance(g, 40)) { memmove(s.dim + 1, s.dim, (size_t)n * sizeof *s.dim); s.dim[0] = 1 + rnd(g, 3); s.ndim++; }
      return tn_dims_nelem(s.ndim, s.dim) <= MOST ? tiny_expand(a->x, s) : NULL;
    }
    case 6:
      p.ndim = 2 * n;
      for (int i = 0; i < 2 * n; i++) p.dim[i] = chance(g, 35) ? rnd(g, 3) : 0;
      for (int i = 0; i < n; i++) s.dim[i] += p.dim[2 * i] + p.dim[2 * i + 1];
      return tn_dims_nelem(n, s.dim) <= MOST ? tiny_pad(a->x, p, chance(g, 70) ? 0 : 1) : NULL;
    default: return n > 1 ? tiny_transpose(a->x, 0, n - 1) : tiny_unsqueeze(a->x, 0);
  }
}
static int make_moved(gen *g) {
  item *a = pick(g);
  tiny_tensor *x = moved(g, a, 0);
  item *v = tiny_ok(x) ? put_view(g, a, x) : NULL;
  if (v && v->mag < 1) v->mag = 1;
  if (v && v->unit > 1) v->unit = 1;
  return v != NULL;
}
static int make_cat(gen *g) {
  item *a = pick(g);
  tiny_tensor *x[3] = {a->x, a->x, a->x};
  if (!a->s.ndim || nelem(a) * 3 > MOST || a->s.ndim > 5) return 0;
  for (int i = 0; i < 8; i++) { item *b = pick(g); if (b->dtype == a->dtype && !memcmp(&a->s, &b->s, sizeof a->s) && b->mag <= a->mag && b->unit >= a->unit && b->err <= a->err) { x[rnd(g, 3)] = b->x; b->used = 1; } }
  item *v = put(g, chance(g, 50) ? tiny_cat(x, 2 + (int)rnd(g, 2), (int)rnd(g, (uint32_t)a->s.ndim)) : tiny_stack(x, 2, 0), a->mag, a->unit, a->err);
  if (v) { v->err = a->err; v->unit = a->unit; }
  return v != NULL;
}

// ** elementwise **

static int make_unary(gen *g) {
  item *a = pick(g);
  if (a->dtype == TINY_BOOL) return put(g, tiny_logical_not(use(a)->x), 1, 1, 0) != NULL;
  if (!is_real(a)) {
    tiny_tensor *(*const op[])(tiny_tensor *) = {tiny_neg, tiny_abs, tiny_sign, tiny_square, tiny_relu, tiny_logical_not, tiny_floor};
    return put(g, op[rnd(g, 7)](use(a)->x), 1e30, 1, 0) != NULL;
  }
  const double m = a->mag, e = a->err, u = a->unit, own = 16 * eps_of(a->dtype);
  tiny_tensor *positive = tiny_add(tiny_abs(a->x), tiny_like(a->x, 0.5));
  a->used = 1;
  switch (rnd(g, exact(a) ? 24 : 15)) {
    case 0: return put(g, tiny_neg(a->x), m, u, e) != NULL;
    case 1: return put(g, tiny_abs(a->x), m, u, e) != NULL;
    case 2: return put(g, tiny_square(a->x), m * m, u * u, 2 * m * e) != NULL;
    case 3: return put(g, tiny_relu(a->x), m, u, e) != NULL;
    case 4: return put(g, tiny_sqrt(positive), sqrt(m + 1), 0, e + own * (1 + m)) != NULL;
    case 5: return put(g, tiny_rsqrt(positive), 2, 0, 2 * e + own * (1 + m)) != NULL;
    case 6: return put(g, tiny_reciprocal(positive), 2, 0, 4 * e + own * (1 + m)) != NULL;
    case 7: return put(g, tiny_exp(tiny_clamp(a->x, -4, 4)), 55, 0, 55 * (e + 4 * own)) != NULL;
    case 8: return put(g, tiny_log(positive), 2 + log(m + 1), 0, 2 * e + own * (1 + m)) != NULL;
    case 9: return m < 100 && put(g, chance(g, 50) ? tiny_sin(a->x) : tiny_cos(a->x), 1, 0, e + own * (1 + m)) != NULL;
    case 10: return put(g, tiny_tanh(a->x), 1, 0, e + own * (1 + m)) != NULL;
    case 11: return put(g, tiny_sigmoid(a->x), 1, 0, e + own * (1 + m)) != NULL;
    case 12: return m < 1e3 && put(g, chance(g, 50) ? tiny_silu(a->x) : tiny_gelu(a->x), m + 1, 0, 1.2 * e + own * (1 + m)) != NULL;
    case 13: return put(g, tiny_clamp(a->x, -1, 1.5), 1.5, u < 0.5 ? u : 0.5, e) != NULL;
    case 14: return put(g, tiny_exp2(tiny_clamp(a->x, -5, 5)), 32, 0, 32 * (e + 4 * own)) != NULL;
    case 15: return put(g, tiny_floor(a->x), m + 1, 1, 0) != NULL;
    case 16: return put(g, tiny_ceil(a->x), m + 1, 1, 0) != NULL;
    case 17: return put(g, tiny_round(a->x), m + 1, 1, 0) != NULL;
    case 18: return put(g, tiny_trunc(a->x), m, 1, 0) != NULL;
    case 19: return put(g, tiny_sign(a->x), 1, 1, 0) != NULL;
    case 20: return put(g, tiny_isnan(a->x), 1, 1, 0) != NULL;
    case 21: return put(g, tiny_logical_not(a->x), 1, 1, 0) != NULL;
    case 22: return m < 1.2 && put(g, tiny_tan(a->x), 3, 0, 16 * own) != NULL;
    default: return put(g, tiny_log2(positive), 2 + log(m + 1), 0, own * (1 + m)) != NULL;
  }
}

static int make_binary(gen *g) {
  item *a = pick(g);
  const int at = (int)(a - g->item);
  item *b = partner(g, a);
  if (!b) return 0;
  a = &g->item[at];
  a->used = b->used = 1;
  if (a->dtype == TINY_BOOL && b->dtype == TINY_BOOL) {
    tiny_tensor *(*const op[])(tiny_tensor *, tiny_tensor *) = {tiny_add, tiny_mul, tiny_maximum, tiny_minimum, tiny_lt, tiny_eq, tiny_ne, tiny_bitwise_and, tiny_bitwise_or, tiny_bitwise_xor};
    return put(g, op[rnd(g, 10)](a->x, b->x), 1, 1, 0) != NULL;
  }
  if (!is_real(a) && !is_real(b)) {
    tiny_tensor *(*const op[])(tiny_tensor *, tiny_tensor *) = {tiny_add, tiny_sub, tiny_mul, tiny_floor_div, tiny_remainder, tiny_maximum, tiny_minimum,
      tiny_lt, tiny_gt, tiny_le, tiny_ge, tiny_eq, tiny_ne, tiny_bitwise_and, tiny_bitwise_or, tiny_bitwise_xor, tiny_shift_left, tiny_shift_right};
    const int which = (int)rnd(g, 18);
    if (tn_is_float(tiny_promote((tiny_dtype)a->dtype, (tiny_dtype)b->dtype))) return 0;
    if (which >= 16 && (a->dtype == TINY_BOOL || b->dtype == TINY_BOOL)) return 0;
    if (a->dtype == TINY_BOOL || b->dtype == TINY_BOOL) return put(g, op[rnd(g, 3)](a->x, b->x), 1e30, 1, 0) != NULL;
    return put(g, which >= 16 ? op[which](a->x, tiny_bitwise_and(b->x, tiny_like(b->x, 7))) : op[which](a->x, b->x), 1e30, 1, 0) != NULL;
  }
  if (a->mag > 1e6 || b->mag > 1e6) return 0;
  const double m = a->mag + b->mag, p = a->mag * b->mag, e = a->err + b->err, u = a->unit < b->unit ? a->unit : b->unit;
  const int d = tiny_dtype_get(tiny_add(a->x, b->x));
  const double own = 4 * eps_of(d);
  if (u == 0 || e > 0) switch (rnd(g, 6)) {
    case 0: return put(g, tiny_add(a->x, b->x), m, 0, e + own * m) != NULL;
    case 1: return put(g, tiny_sub(a->x, b->x), m, 0, e + own * m) != NULL;
    case 2: return put(g, tiny_maximum(a->x, b->x), m, 0, e + own * m) != NULL;
    case 3: return put(g, tiny_div(a->x, tiny_add(tiny_abs(b->x), tiny_like(b->x, 1))), a->mag, 0, a->err + a->mag * b->err + 2 * own * m) != NULL;
    default: return put(g, tiny_mul(a->x, b->x), p, 0, a->mag * b->err + b->mag * a->err + own * p) != NULL;
  }
  switch (rnd(g, 16)) {
    case 0: case 1: return put(g, tiny_add(a->x, b->x), m, u, 0) != NULL;
    case 2: return put(g, tiny_sub(a->x, b->x), m, u, 0) != NULL;
    case 3: case 4: return put(g, tiny_mul(a->x, b->x), p, a->unit * b->unit, 0) != NULL;
    case 5: return put(g, tiny_maximum(a->x, b->x), m, u, 0) != NULL;
    case 6: return put(g, tiny_minimum(a->x, b->x), m, u, 0) != NULL;
    case 7: return put(g, tiny_lt(a->x, b->x), 1, 1, 0) != NULL;
    case 8: return put(g, tiny_gt(a->x, b->x), 1, 1, 0) != NULL;
    case 9: return put(g, tiny_le(a->x, b->x), 1, 1, 0) != NULL;
    case 10: return put(g, tiny_eq(a->x, b->x), 1, 1, 0) != NULL;
    case 11: return put(g, tiny_ne(a->x, b->x), 1, 1, 0) != NULL;
    case 12: return is_real(a) && put(g, tiny_floor_div(a->x, tiny_like(a->x, 2)), a->mag, 1, 0) != NULL;
    case 13: return is_real(a) && put(g, tiny_remainder(a->x, tiny_like(a->x, 2)), 2, a->unit, 0) != NULL;
    case 14: return m < 8 && put(g, tiny_pow(tiny_add(tiny_abs(a->x), tiny_like(a->x, 0.5)), tiny_clamp(b->x, -2, 2)), 81, 0, 81 * 60 * own) != NULL;
    default: return put(g, tiny_div(a->x, tiny_add(tiny_abs(b->x), tiny_like(b->x, 1))), a->mag, 0, 2 * own * m) != NULL;
  }
}

static int make_where(gen *g) {
  item *a = pick(g), *c = NULL;
  int at = (int)(a - g->item);
  for (int i = 0; i < 20 && !c; i++) {
    c = pick(g);
    int64_t dim[TINY_MAX_DIMS];
    int n = a->s.ndim;
    memcpy(dim, a->s.dim, sizeof dim);
    if (c->dtype != TINY_BOOL || !tn_broadcast_dims(c->s.ndim, c->s.dim, &n, dim) || tn_dims_nelem(n, dim) > MOST) c = NULL;
  }
  tiny_tensor *cond = c ? use(c)->x : NULL;
  if (!cond) {
    if (!is_real(a) || !exact(a)) return 0;
    cond = tiny_gt(a->x, tiny_like(a->x, 0.5));
  }
  item *b = partner(g, a);
  a = &g->item[at];
  if (!b) return 0;
  tiny_shape s = tiny_shape_get(cond);
  int64_t dim[TINY_MAX_DIMS];
  int n = s.ndim;
  memcpy(dim, s.dim, sizeof dim);
  if (!tn_broadcast_dims(a->s.ndim, a->s.dim, &n, dim) || !tn_broadcast_dims(b->s.ndim, b->s.dim, &n, dim) || tn_dims_nelem(n, dim) > MOST || b->dtype != a->dtype) return 0;
  a->used = b->used = 1;
  return put(g, tiny_where(cond, a->x, b->x), fmax(a->mag, b->mag), fmin(a->unit, b->unit), fmax(a->err, b->err)) != NULL;
}

static int make_cast(gen *g) {
  item *a = pick(g);
  const int to = dtypes[rnd(g, sizeof dtypes / sizeof *dtypes)];
  if (tn_is_float(to)) {
    if (a->mag > 1000) return 0;
    return put(g, tiny_cast(use(a)->x, (tiny_dtype)to), a->mag, a->unit, a->err) != NULL;
  }
  if (to == TINY_BOOL && !exact(a)) return 0;
  if (is_real(a) && (!exact(a) || a->mag > 100 || (tn_is_unsigned(to) && to != TINY_BOOL))) return 0;
  return put(g, tiny_cast(use(a)->x, (tiny_dtype)to), is_real(a) ? a->mag : 1e30, 1, 0) != NULL;
}

// ** reductions **

static int axis_of(gen *g, const item *a) { return !a->s.ndim || chance(g, 15) ? TINY_ALL : (int)rnd(g, (uint32_t)a->s.ndim); }
static double along(const item *a, int axis) { return axis == TINY_ALL ? (double)nelem(a) : (double)a->s.dim[axis]; }

static int make_reduce(gen *g) {
  item *a = pick(g);
  const int axis = axis_of(g, a), keep = (int)rnd(g, 2);
  const double n = along(a, axis), m = a->mag, e = a->err, own = eps_of(is_half(a->dtype) ? TINY_F32 : a->dtype);
  if (nelem(a) == 0 && chance(g, 80)) return 0;
  a->used = 1;
  if (!is_real(a)) switch (rnd(g, 6)) {
    case 0: return put(g, tiny_prod(a->x, axis, keep), 1e30, 1, 0) != NULL;
    case 1: return nelem(a) && put(g, tiny_max(a->x, axis, keep), m, 1, 0) != NULL;
    case 2: return nelem(a) && put(g, tiny_min(a->x, axis, keep), m, 1, 0) != NULL;
    case 3: return nelem(a) && put(g, tiny_argmax(a->x, axis, keep), n, 1, 0) != NULL;
    case 4: return put(g, tiny_cumsum(a->x, axis == TINY_ALL ? 0 : axis), 1e30, 1, 0) != NULL;
    default: return put(g, tiny_sum(a->x, axis, keep), 1e30, 1, 0) != NULL;
  }
  switch (rnd(g, 14)) {
    case 0: return n <= 4 && m < 20 && put(g, tiny_prod(a->x, axis, keep), pow(m, n) + 1, pow(a->unit, n), n * pow(m + 1, n) * (e + (exact(a) ? 0 : own))) != NULL;
    case 1: return nelem(a) && put(g, tiny_max(a->x, axis, keep), m, a->unit, e) != NULL;
    case 2: return nelem(a) && put(g, tiny_min(a->x, axis, keep), m, a->unit, e) != NULL;
    case 3: return nelem(a) && exact(a) && put(g, chance(g, 50) ? tiny_argmax(a->x, axis, keep) : tiny_argmin(a->x, axis, keep), n, 1, 0) != NULL;
    case 4: return nelem(a) && put(g, tiny_mean(a->x, axis, keep), m, 0, e + own * m * 16) != NULL;
    case 5: return nelem(a) && n > 1 && m < 100 && put(g, tiny_var(a->x, axis, keep, 0), m * m, 0, 8 * m * e + 64 * own * m * m) != NULL;
    case 6: return a->s.ndim && nelem(a) && put(g, tiny_softmax(a->x, axis == TINY_ALL ? -1 : axis), 1, 0, 4 * e + 32 * own * (1 + m)) != NULL;
    case 7: return a->s.ndim && nelem(a) && put(g, tiny_log_softmax(a->x, axis == TINY_ALL ? -1 : axis), 2 * m + log(n + 1), 0, 4 * e + 32 * own * (1 + m)) != NULL;
    case 8: return a->s.ndim && nelem(a) && put(g, tiny_logsumexp(a->x, axis == TINY_ALL ? -1 : axis, keep), m + log(n + 1), 0, 4 * e + 32 * own * (1 + m)) != NULL;
    case 9: return put(g, tiny_cumsum(a->x, axis == TINY_ALL ? 0 : axis), n * m, a->unit, n * (e + (a->unit && n * m / a->unit < 0.25 / own ? 0 : 4 * own * m))) != NULL;
    case 10: return m < 30 && a->s.ndim && put(g, tiny_layer_norm(a->x, 1 + (int)rnd(g, (uint32_t)a->s.ndim), NULL, NULL, 0.1), 7 * m, 0, 20 * (1 + m * m) * (e + 16 * own * (1 + m))) != NULL;
    default: return put(g, tiny_sum(a->x, axis, keep), n * m, a->unit, n * (e + (a->unit && n * m / a->unit < 0.25 / own ? 0 : 4 * own * m))) != NULL;
  }
}

// ** products, windows, lookups **

static int put_dot(gen *g, tiny_tensor *x, const item *a, const item *b, double n) {
  const double p = a->mag * b->mag * n, u = a->unit * b->unit, own = eps_of(is_half(a->dtype) ? TINY_F32 : a->dtype);
  if (is_real(a) && u && p / u < 0.25 / own) return put(g, x, p, u, 0) != NULL;
  return put(g, x, p, 0, n * (a->mag * b->err + b->mag * a->err + 4 * own * a->mag * b->mag)) != NULL;
}
static int make_matmul(gen *g) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33, 64};
  item *a = pick(g);
  if (a->dtype == TINY_BOOL || !a->s.ndim || a->s.ndim > 4 || nelem(a) == 0 || a->mag > 1e3) return 0;
  const int at = (int)(a - g->item);
  const int64_t k = a->s.dim[a->s.ndim - 1], n = sizes[rnd(g, 12)];
  if (nelem(a) * n > 40 * MOST || nelem(a) / (k ? k : 1) * n > MOST) return 0;
  item *b = input(g, a->dtype, TINY_SHAPE(k, n));
  a = &g->item[at];
  if (!b) return 0;
  a->used = b->used = 1;
  if (chance(g, 30)) return put_dot(g, tiny_linear(a->x, tiny_transpose(b->x, 0, 1), NULL), a, b, (double)k);
  return put_dot(g, tiny_matmul(a->x, b->x), a, b, (double)k);
}
static int make_conv(gen *g) {
  item *a = pick_real(g);
  if (!a || a->mag > 1e3 || nelem(a) == 0) return 0;
  const int at = (int)(a - g->item);
  tiny_tensor *x = a->x;
  if (a->s.ndim != 4) {
    const int64_t n = nelem(a);
    if (n < 9) return 0;
    const int64_t h = 3, w = n / 3;
    x = tiny_reshape(tiny_slice(tiny_reshape(a->x, TINY_SHAPE(n)), 0, 0, h * w, 1), TINY_SHAPE(1, 1, h, w));
  }
  const tiny_shape s = tiny_shape_get(x);
  tiny_conv2d_desc d;
  memset(&d, 0, sizeof d);
  const int64_t kh = 1 + rnd(g, 3), kw = 1 + rnd(g, 3), o = 1 + rnd(g, 5);
  for (int i = 0; i < 2; i++) { d.stride[i] = 1 + (int)rnd(g, 2); d.pad[i] = (int)rnd(g, 2); d.dilation[i] = chance(g, 20) ? 2 : 1; }
  d.groups = chance(g, 20) ? (int)s.dim[1] : 1;
  const int64_t out = d.groups == 1 ? o : d.groups * (1 + rnd(g, 2));
  if (s.dim[0] * out * s.dim[2] * s.dim[3] > MOST) return 0;
  if (s.dim[2] + 2 * d.pad[0] < d.dilation[0] * (kh - 1) + 1 || s.dim[3] + 2 * d.pad[1] < d.dilation[1] * (kw - 1) + 1) return 0;
  item *w = input(g, g->item[at].dtype, TINY_SHAPE(out, s.dim[1] / d.groups, kh, kw));
  if (!w) return 0;
  a = &g->item[at];
  a->used = w->used = 1;
  return put_dot(g, tiny_conv2d(x, w->x, NULL, &d), a, w, (double)(s.dim[1] / d.groups * kh * kw));
}
static int make_pool(gen *g) {
  item *a = pick_real(g);
  if (!a || a->s.ndim < 2 || a->s.ndim > 6) return 0;
  const int kernel = 1 + (int)rnd(g, 3), stride = (int)rnd(g, 3), pad = chance(g, 30) ? kernel / 2 : 0;
  const int64_t h = a->s.dim[a->s.ndim - 2], w = a->s.dim[a->s.ndim - 1];
  if (h + 2 * pad < kernel || w + 2 * pad < kernel || nelem(a) == 0) return 0;
  a->used = 1;
  if (chance(g, 50)) return put(g, tiny_max_pool2d(a->x, kernel, stride, pad), a->mag, a->unit, a->err) != NULL;
  return put(g, tiny_avg_pool2d(a->x, kernel, stride, pad), a->mag, 0, a->err + 8 * eps_of(is_half(a->dtype) ? TINY_F32 : a->dtype) * a->mag) != NULL;
}
static int make_lookup(gen *g) {
  item *a = pick(g);
  const int at = (int)(a - g->item);
  if (!a->s.ndim || a->s.ndim > 4 || nelem(a) == 0) return 0;
  const int axis = (int)rnd(g, (uint32_t)a->s.ndim), which = (int)rnd(g, 3);
  tiny_shape s = a->s;
  const int64_t n = 1 + rnd(g, 8);
  if (which == 0) s.dim[axis] = n;
  else { s.ndim = 1; s.dim[0] = n; }
  if (tn_dims_nelem(s.ndim, s.dim) > MOST || nelem(a) / a->s.dim[axis] * n > MOST) return 0;
  item *index = input(g, chance(g, 70) ? TINY_I32 : TINY_I64, s);
  a = &g->item[at];
  if (!index) return 0;
  a->used = index->used = 1;
  index->mag = 1e30;
  item *v = which == 2 ? put(g, tiny_one_hot(index->x, 7), 1, 1, 0) : put(g, which ? tiny_index_select(a->x, axis, index->x) : tiny_gather(a->x, axis, index->x), a->mag, a->unit, a->err);
  if (v && which != 2) { v->err = a->err; v->unit = a->unit; }
  return v != NULL;
}
static int make_contiguous(gen *g) {
  item *a = pick(g), *v = put(g, chance(g, 70) ? tiny_contiguous(a->x) : tiny_detach(a->x), a->mag, a->unit, a->err);
  if (v) { v->err = a->err; v->unit = a->unit; a->used = 1; }
  return v != NULL;
}

// ** assignment: tensors that share memory with the assigned one may move on to its new state **

static int make_assign(gen *g) {
  item *a = NULL;
  for (int i = 0; i < 30 && !a; i++) { a = pick(g); if (!a->memory || nelem(a) == 0) a = NULL; }
  if (!a) return 0;
  int at = (int)(a - g->item);
  const int memory = a->memory;
  tiny_tensor *to = NULL;
  for (int i = 0; i < g->n; i++) if (g->item[i].memory == memory) { at = i; break; }   // the one that was made from data
  a = &g->item[at];
  to = a->x;
  for (int i = (int)rnd(g, 4); i > 0; i--) {
    item v = *a;
    v.x = to; v.s = tiny_shape_get(to);
    tiny_tensor *x = moved(g, &v, 1);
    if (tiny_ok(x) && tiny_nelem(x)) to = x;
  }
  item view = *a, *b = NULL;
  view.x = to; view.s = tiny_shape_get(to);
  double e = 0, m = 0, u = 0;
  tiny_tensor *value = NULL;
  for (int i = 0; i < 12 && !value; i++) { // the value: of the same shape, or from the tensor itself
    b = pick(g);
    int64_t dim[TINY_MAX_DIMS];
    int n = view.s.ndim;
    memcpy(dim, view.s.dim, sizeof dim);
    if (b->dtype == a->dtype && tn_broadcast_dims(b->s.ndim, b->s.dim, &n, dim) && tn_has_dims(to->uop, n, dim)) { value = use(b)->x; e = b->err; m = b->mag; u = b->unit; }
  }
  if (!value || chance(g, 30)) {
    if (a->dtype == TINY_BOOL) value = tiny_logical_not(to), m = 1, u = 1, e = 0;
    else if (chance(g, 50)) value = tiny_flip(to, tiny_shape_get(to).ndim ? TINY_SHAPE(0) : TINY_SHAPE()), m = a->mag, u = a->unit, e = a->err;
    else value = tiny_add(to, tiny_like(to, 1)), m = is_real(a) ? a->mag + 1 : 1e30, u = fmin(a->unit, 1), e = a->err ? a->err + 4 * eps_of(a->dtype) * (a->mag + 1) : 0;
  }
  if (!tiny_ok(value) || !tiny_ok(tiny_assign(to, value))) return 0;
  for (int i = 0; i < g->n; i++) {
    item *x = &g->item[i];
    if (x->memory != memory) continue;
    x->mag = fmax(x->mag, m); x->err = fmax(x->err, e);
    x->unit = is_real(x) ? fmin(x->unit, u) : 1;
    x->used = 0;                           // its new state is looked at
    if (is_real(x) && x->mag / (x->unit ? x->unit : 1e-30) > 0.5 / eps_of(x->dtype) && !x->err) x->err = 4 * eps_of(x->dtype) * x->mag + 1e-30;
  }
  item *v = put(g, to, fmax(a->mag, m), a->unit, a->err);
  if (v) { v->err = a->err; v->unit = a->unit; v->memory = memory; }
  return 1;
}

typedef struct maker { const char *name; int (*make)(gen *g); int weight; } maker;
static const maker makers[] = {
  {"leaf", make_leaf, 6}, {"moved", make_moved, 30}, {"cat", make_cat, 5}, {"unary", make_unary, 16}, {"binary", make_binary, 28}, {"where", make_where, 7},
  {"cast", make_cast, 6}, {"reduce", make_reduce, 22}, {"matmul", make_matmul, 6}, {"conv", make_conv, 4}, {"pool", make_pool, 4}, {"lookup", make_lookup, 6},
  {"contiguous", make_contiguous, 4}, {"assign", make_assign, 8}};
enum { MAKERS = sizeof makers / sizeof *makers };

// Makes the program of a seed in a context; nops bounds its length. The generator never looks at values.
static int make_program(gen *g, tiny_ctx *t, uint64_t seed, int nops) {
  int total = 0;
  memset(g, 0, sizeof *g);
  g->t = t; g->rng = seed * 0x9E3779B97F4A7C15u + 1;
  t->tensors->random = (uint32_t)seed << 8;                  // random numbers depend on the seed alone
  for (int i = 0; i < MAKERS; i++) total += makers[i].weight;
  make_leaf(g);
  while (!g->n) make_leaf(g);
  const int most = 3 + (int)rnd(g, MAX_OPS - 3);
  for (int i = 0; i < most && i < nops; i++)
    for (int tries = 0; tries < 20; tries++) {
      int at = (int)rnd(g, (uint32_t)total), k = 0;
      while (at >= makers[k].weight) at -= makers[k++].weight;
      if (makers[k].make(g)) break;
    }
  if (tiny_status(t) != TINY_OK) { fprintf(stderr, "seed %llu: the program is wrong: %s\n", (unsigned long long)seed, tiny_error(t)); tiny_clear(t); return 0; }
  return 1;
}

// What is compared: what nothing uses, and some of the rest.
static int roots_of(gen *g, item **root) {
  int n = 0;
  for (int i = g->n - 1; i >= 0 && n < MAX_ROOTS; i--) if (!g->item[i].used || chance(g, 15)) root[n++] = &g->item[i];
  return n;
}

// ** running and comparing **

static const void *data_of(tiny_ctx *t, tiny_uop *buffer) { (void)t; return ((tn_storage *)buffer->ptr)->mem; }
static size_t nbytes_of(const item *a) { return (size_t)nelem(a) * tn_dtypes[a->dtype].nbytes; }

static tiny_ctx *open_device(const char *device, const char *debug) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  char letters[32];
  snprintf(letters, sizeof letters, "%s%s", debug, getenv("TEST_DEBUG") ? getenv("TEST_DEBUG") : "");
  d.device = device; d.cache_dir = ""; d.debug = letters;
  return tiny_open(&d);
}

// Position of the first element that differs, -1: none.
static int64_t differs(const item *a, const char *got, const char *want) {
  for (int64_t i = 0; i < nelem(a); i++) {
    const int nb = tn_dtypes[a->dtype].nbytes;
    const int64_t x = tn_dtype_load(a->dtype, got + i * nb), y = tn_dtype_load(a->dtype, want + i * nb);
    if (!is_real(a)) { if (x != y) return i; continue; }
    const double p = tn_to_f64(x), q = tn_to_f64(y);
    if (p == q || (p != p && q != q)) continue;
    if (!(fabs(p - q) <= 3 * a->err)) return i;
  }
  return -1;
}
static double shown(int dtype, const char *p, int64_t i) { return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, p + i * tn_dtypes[dtype].nbytes))); }

typedef struct device { const char *name, *device, *debug; } device;
static const device devices[] = {{"INTERP", "INTERP", ""}, {"CPU", "CPU", ""}, {"CPU without moves", "CPU", "0"}};
enum { DEVICES = 3 };

static void print_root(tiny_ctx *t, tiny_uop *u) {
  const size_t n = tiny_uop_print(t, u, NULL, 0) + 1;
  char *text = (char *)malloc(n);
  tiny_uop_print(t, u, text, n);
  fprintf(stderr, "%s\n", text);
  free(text);
}

// The programs of seeds first..first+n-1, cut to nops, in one context each device. Returns the first seed that is wrong, 0: none.
typedef struct batch { gen g[BATCH]; item *root[BATCH][MAX_ROOTS]; int nroot[BATCH]; char *want[BATCH][MAX_ROOTS]; } batch;
static uint64_t run_batch(batch *b, uint64_t first, int n, int nops, const device *d, int loud) {
  uint64_t bad = 0;
  tiny_ctx *t = open_device(d->device, d->debug);
  tiny_uop *graph[BATCH][MAX_ROOTS];
  memset(b, 0, sizeof *b);
  for (int i = 0; i < n; i++) {
    if (!make_program(&b->g[i], t, first + (uint64_t)i, nops) && !bad) bad = first + (uint64_t)i;
    b->nroot[i] = roots_of(&b->g[i], b->root[i]);
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) {    // before anything runs: updates change memory
    const item *a = b->root[i][j];
    b->want[i][j] = (char *)calloc(1, nbytes_of(a) + 1);
    graph[i][j] = a->x->uop;
    if (tn_eval_graph(t, a->x->uop, b->want[i][j], data_of) != TINY_OK && loud) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)(first + (uint64_t)i), tiny_error(t));
  }
  static tiny_tensor *all[BATCH * MAX_ROOTS];
  for (int part = 0; part < 2; part++) {   // half of the roots first: the others need what updates overwrite
    int m = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) if (((first + (uint64_t)i + (uint64_t)j) % 3 == 0) == part) all[m++] = b->root[i][j]->x;
    if (m && tiny_realize(all, m) != TINY_OK) {
      if (loud) fprintf(stderr, "%s, seed %llu..%llu: %s\n", d->name, (unsigned long long)first, (unsigned long long)first + (unsigned)n - 1, tiny_error(t));
      if (loud && n == 1) for (int i = 0; i < m; i++) print_root(t, graph[0][i]);
      bad = first;
      goto done;
    }
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) {
    const item *a = b->root[i][j];
    char *got = (char *)calloc(1, nbytes_of(a) + 1);
    const int ok = tiny_read(a->x, got, nbytes_of(a)) == TINY_OK;
    const int64_t at = ok ? differs(a, got, b->want[i][j]) : 0;
    if (at >= 0) {
      if (!bad) bad = first + (uint64_t)i;
      if (loud) {
        fprintf(stderr, "%s, seed %llu, root %d, element %lld of %lld: got %.9g, want %.9g, tolerance %.3g %s\n", d->name, (unsigned long long)(first + (uint64_t)i), j, (long long)at,
                (long long)nelem(a), nelem(a) ? shown(a->dtype, got, at) : 0, nelem(a) ? shown(a->dtype, b->want[i][j], at) : 0, 3 * a->err, tiny_error(t));
        if (n == 1) print_root(t, graph[i][j]);
      }
    }
    free(got);
  }
done:
  for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) free(b->want[i][j]);
  tiny_close(t);
  return bad;
}

// The shortest wrong program of a seed is printed.
static void shrink(batch *b, uint64_t seed, const device *d) {
  int nops = 0;
  while (nops <= MAX_OPS && !run_batch(b, seed, 1, nops, d, 0)) nops++;
  fprintf(stderr, "-- seed %llu on %s is wrong with %d operators:\n", (unsigned long long)seed, d->name, nops);
  run_batch(b, seed, 1, nops, d, 1);
}

// ** networks: values and gradients of what people build **

static tiny_tensor *weights(tiny_ctx *t, tiny_shape s) { return tiny_mul(tiny_sub(tiny_rand(t, s), tiny_full(t, 0.5, TINY_F32, TINY_SHAPE())), tiny_full(t, 0.8, TINY_F32, TINY_SHAPE())); }
static tiny_tensor *labels_of(tiny_ctx *t, int n, int classes) {
  int32_t v[64];
  for (int i = 0; i < n; i++) v[i] = i * 7 % classes;
  return tiny_from(t, v, TINY_I32, TINY_SHAPE(n));
}
static tiny_tensor *convolutions(tiny_ctx *t, tiny_tensor **p, int *n) {
  tiny_conv2d_desc pad;
  tiny_batch_norm_state bn;
  memset(&pad, 0, sizeof pad);
  memset(&bn, 0, sizeof bn);
  pad.pad[0] = pad.pad[1] = 1;
  tiny_tensor *x = weights(t, TINY_SHAPE(4, 1, 8, 8));
  p[0] = weights(t, TINY_SHAPE(6, 1, 3, 3)); p[1] = weights(t, TINY_SHAPE(6)); p[2] = weights(t, TINY_SHAPE(8, 6, 3, 3)); p[3] = weights(t, TINY_SHAPE(32, 5));
  p[4] = tiny_add(weights(t, TINY_SHAPE(6)), tiny_full(t, 1, TINY_F32, TINY_SHAPE()));
  *n = 5;
  tiny_realize(p, *n);
  bn.mean = tiny_zeros(t, TINY_F32, TINY_SHAPE(6)); bn.var = tiny_ones(t, TINY_F32, TINY_SHAPE(6)); bn.weight = p[4];
  x = tiny_max_pool2d(tiny_relu(tiny_batch_norm(tiny_conv2d(x, p[0], p[1], &pad), &bn, 1)), 2, 0, 0);
  x = tiny_avg_pool2d(tiny_silu(tiny_conv2d(x, p[2], NULL, &pad)), 2, 0, 0);
  return tiny_cross_entropy(tiny_matmul(tiny_flatten(x, 1, 3), p[3]), labels_of(t, 4, 5));
}
static tiny_tensor *attention(tiny_ctx *t, tiny_tensor **p, int *n) {
  tiny_tensor *x = weights(t, TINY_SHAPE(2, 6, 8)), *qkv[3];
  for (int i = 0; i < 3; i++) p[i] = weights(t, TINY_SHAPE(8, 8));
  p[3] = weights(t, TINY_SHAPE(8)); p[4] = weights(t, TINY_SHAPE(16, 8));
  *n = 5;
  tiny_realize(p, *n);
  x = tiny_add(x, tiny_index_select(p[4], 0, labels_of(t, 6, 16)));
  tiny_tensor *y = tiny_layer_norm(x, 1, p[3], NULL, 1e-2);
  for (int i = 0; i < 3; i++) qkv[i] = tiny_permute(tiny_reshape(tiny_matmul(y, p[i]), TINY_SHAPE(2, 6, 2, 4)), TINY_SHAPE(0, 2, 1, 3));
  tiny_tensor *scores = tiny_matmul(qkv[0], tiny_transpose(qkv[1], 2, 3)), *row = tiny_arange(t, 0, 6, 1, TINY_I32);
  scores = tiny_where(tiny_lt(tiny_reshape(row, TINY_SHAPE(6, 1)), row), tiny_like(scores, -1e9), scores);
  y = tiny_add(x, tiny_reshape(tiny_permute(tiny_matmul(tiny_softmax(scores, -1), qkv[2]), TINY_SHAPE(0, 2, 1, 3)), TINY_SHAPE(2, 6, 8)));
  return tiny_mean(tiny_square(tiny_gelu(y)), TINY_ALL, 0);
}
static tiny_tensor *dense(tiny_ctx *t, tiny_tensor **p, int *n) {
  tiny_tensor *x = weights(t, TINY_SHAPE(16, 12));
  for (int i = 0; i < 3; i++) p[i] = weights(t, TINY_SHAPE(12, 12));
  p[3] = weights(t, TINY_SHAPE(12));
  *n = 4;
  tiny_realize(p, *n);
  for (int i = 0; i < 3; i++) x = tiny_tanh(tiny_linear(x, p[i], p[3]));
  x = tiny_add(tiny_logsumexp(x, 1, 0), tiny_sum(tiny_cumsum(tiny_mul(x, x), 1), 1, 0));
  return tiny_add(tiny_var(x, 0, 0, 1), tiny_max(x, 0, 0));
}

static void test_net(const device *d, tiny_tensor *(*net)(tiny_ctx *t, tiny_tensor **p, int *n), const char *name) {
  tiny_tensor *p[8], *out[9];
  static float got[1024], want[9][1024];
  int n = 0, bad = 0;
  tiny_ctx *t = open_device(d->device, d->debug);
  out[0] = net(t, p, &n);
  tiny_grad(out[0], p, n, out + 1);
  for (int i = 0; i <= n; i++) CHECK_EQ(tn_eval_graph(t, out[i]->uop, want[i], data_of), TINY_OK);
  CHECK_EQ(tiny_realize(out, n + 1), TINY_OK);
  for (int i = 0; i <= n; i++) {
    const int64_t m = tiny_nelem(out[i]);
    double most = 0.1;                    // what cancels leaves noise
    CHECK_EQ(tiny_read(out[i], got, (size_t)m * 4), TINY_OK);
    for (int64_t j = 0; j < m; j++) most = fmax(most, fabs((double)want[i][j]));
    for (int64_t j = 0; j < m; j++) bad += !(fabs((double)got[j] - (double)want[i][j]) <= 2e-5 * most);
  }
  if (bad) fprintf(stderr, "%s on %s: %d values differ; %s\n", name, d->name, bad, tiny_error(t));
  CHECK_EQ(bad, 0);
  tiny_close(t);
}

static batch work;

int main(void) {
  const char *rounds = getenv("TEST_ROUNDS"), *one = getenv("TEST_SEED"), *from = getenv("TEST_FROM");
  const int batches = rounds ? atoi(rounds) : BATCHES;
  int nbad = 0;
  if (one) {
    for (int k = 0; k < DEVICES; k++) if (run_batch(&work, (uint64_t)atoll(one), 1, MAX_OPS, &devices[k], 1)) { shrink(&work, (uint64_t)atoll(one), &devices[k]); nbad++; }
    CHECK(!nbad);
    return test_report();
  }
  for (int r = 0; r < batches && nbad < 5; r++) {
    const uint64_t first = (from ? (uint64_t)atoll(from) : 1) + (uint64_t)r * BATCH;
    for (int k = 0; k < DEVICES; k++) {
      if (k == 2 && r % 3 && !rounds) continue;              // compilers are slow
      const uint64_t bad = run_batch(&work, first, BATCH, MAX_OPS, &devices[k], 0);
      CHECK(!bad);
      if (!bad) continue;
      nbad++;
      int alone = 0;
      for (uint64_t s = first; s < first + BATCH; s++) if (run_batch(&work, s, 1, MAX_OPS, &devices[k], 0)) { shrink(&work, s, &devices[k]); alone++; }
      if (!alone) { fprintf(stderr, "-- seeds %llu.. on %s are wrong only together:\n", (unsigned long long)first, devices[k].name); run_batch(&work, first, BATCH, MAX_OPS, &devices[k], 1); }
    }
  }
  for (int k = 0; k < DEVICES; k++) {
    test_net(&devices[k], convolutions, "convolutions");
    test_net(&devices[k], attention, "attention");
    test_net(&devices[k], dense, "dense");
  }
  return test_report();
}
