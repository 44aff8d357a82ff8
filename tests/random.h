// random: the generator of test_random: tensor programs by a seed, and what is known of their tensors.
//
// A program is up to 40 operators, each on tensors made before. With every tensor go a bound of its magnitude,
// the unit that its values are multiples of (0: none), and a bound of the rounding error: sums of small multiples of
// 1/4 are exact, so whatever jumps (comparisons, floor, argmax, sorting) takes only tensors without error. Functions
// stand in tables with their bounds; a maker returns 0 where it found nothing to work on. Left out is what tells -0
// from 0 (signbit, copysign, atan2): folds may change that sign.
#ifndef RANDOM_H
#define RANDOM_H

enum { MAX_OPS = 40, MAX_ITEMS = 240, MAX_ROOTS = 24, BATCH = 25, MOST = 4000 };

typedef struct item { tiny_tensor *x; double mag, unit, err; int memory, used, dtype; tiny_shape s; } item;
typedef struct gen { tiny_ctx *t; uint64_t rng; item item[MAX_ITEMS]; int n, memories, device; } gen;     // device: of this operator

static uint32_t rnd(gen *g, uint32_t n) {  // splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014
  uint64_t z = (g->rng += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (uint32_t)((z ^ z >> 31) >> 16) % n;
}
static int chance(gen *g, uint32_t percent) { return rnd(g, 100) < percent; }

// ** what is known of a tensor **

static double eps_of(int d) { return ldexp(1, -1 - tn_dtypes[d].mantissa); }
static int is_real(const item *a) { return tn_is_float(a->dtype); }
static int exact(const item *a) { return a->err == 0; }
static int is_half(int d) { return tn_is_narrow(d); }

// Adds a tensor. unit 0: it has rounding errors, err of them from before and a few of its own.
static item *put(gen *g, tiny_tensor *x, double mag, double unit, double err) {
  if (!tiny_ok(x) || g->n == MAX_ITEMS) return NULL;
  item *a = &g->item[g->n];
  memset(a, 0, sizeof *a);
  a->x = x; a->s = tiny_shape_of(x); a->dtype = tiny_dtype_of(x);
  if (!tn_is_float(a->dtype)) { const double top = a->dtype == TINY_BOOL ? 1 : ldexp(1, tn_bits(a->dtype)); a->mag = mag < top ? mag : top; a->unit = 1; g->n++; return a; }
  const double eps = eps_of(a->dtype);
  if (!(mag < (tn_is_narrow(a->dtype) ? tn_float_top(a->dtype) / 32 : 1e9)) || !(err < 0.05 * (1 + mag))) return NULL;
  a->mag = mag;
  if (err == 0 && unit > 0 && mag / unit <= 0.5 / eps) a->unit = unit;
  else a->err = err + 2 * eps * mag + 1e-30;
  g->n++;
  return a;
}
// An item on the device of this operator: memory stays where it is, what is picked is a copy.
static item *pick(gen *g) {
  item *a = &g->item[rnd(g, (uint32_t)g->n)];
  const int device = tiny_device_of(a->x);
  if (device < 0 || device == g->device) return a;
  if (a->memory && g->n < MAX_ITEMS) { a->used = 1; g->item[g->n] = *a; a = &g->item[g->n++]; }
  a->x = tiny_to(a->x, g->device);
  a->memory = 0;
  return a;
}
// The next operator works on this device.
static void work_on(gen *g, int device) {
  g->device = device < 0 ? 0 : device;
  tiny_use_device(g->t, g->device);
}
static item *pick_real(gen *g) {
  for (int i = 0; i < 12; i++) { item *a = pick(g); if (is_real(a)) return a; }
  return NULL;
}
static item *use(item *a) { a->used = 1; return a; }
static int64_t nelem(const item *a) { return tn_dims_nelem(a->s.ndim, a->s.dim); }

// ** inputs **

static const int dtypes[] = {TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_I32, TINY_I32, TINY_F64, TINY_F16, TINY_BF16, TINY_F8E4M3, TINY_F8E5M2,
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
// More of them, made of those. NULL: the tensor has not what it takes.
static int gives(int n, tiny_tensor **out) { return n > 0 && tiny_ok(out[0]); }
static tiny_tensor *moved_more(gen *g, const item *a) {
  const tiny_shape s = a->s;
  const int n = s.ndim, d = n ? (int)rnd(g, (uint32_t)n) : 0, e = n ? (int)rnd(g, (uint32_t)n) : 0;
  const int64_t size = n ? s.dim[d] : 1, all = nelem(a), some = size ? rnd(g, (uint32_t)size) : 0, slant = (int64_t)rnd(g, 5) - 2;
  tiny_shape p = TINY_SHAPE();
  tiny_tensor *out[64];
  memset(out, 0, sizeof out);
  if (!n || n > 5 || all == 0) return NULL;
  const int part = (int)rnd(g, (uint32_t)(size < 8 ? size : 8));
  switch (rnd(g, 20)) {
    case 0:
      p.ndim = n + (int)rnd(g, 2);
      for (int i = 0; i < p.ndim; i++) p.dim[i] = 1 + rnd(g, 3);
      return all * tn_dims_nelem(p.ndim, p.dim) <= MOST ? tiny_tile(a->x, p) : NULL;
    case 1: return all * 3 <= MOST ? tiny_repeat_interleave(a->x, 1 + rnd(g, 3), chance(g, 20) ? TINY_ALL : d) : NULL;
    case 2: return chance(g, 20) ? tiny_roll(a->x, TINY_SHAPE(slant), TINY_SHAPE(TINY_ALL)) : d == e ? tiny_roll(a->x, TINY_SHAPE(slant), TINY_SHAPE(d)) : tiny_roll(a->x, TINY_SHAPE(slant, some), TINY_SHAPE(d, e));
    case 3: case 4: {
      const tiny_padding how = (tiny_padding)rnd(g, 5);
      p.ndim = 2 * (1 + (int)rnd(g, 2));
      if (p.ndim > 2 * n) p.ndim = 2;
      int64_t grown = all;
      for (int i = 0; i < p.ndim; i++) { const int64_t have = s.dim[n - 1 - i / 2]; p.dim[i] = have > 1 ? rnd(g, have < 3 ? 2 : 3) : 0; grown += grown * p.dim[i] / have; }
      for (int i = 0, j = p.ndim - 2; i < j; i += 2, j -= 2) { const int64_t x = p.dim[i], y = p.dim[i + 1]; p.dim[i] = p.dim[j]; p.dim[i + 1] = p.dim[j + 1]; p.dim[j] = x; p.dim[j + 1] = y; }
      return grown * 2 <= MOST ? tiny_pad_mode(a->x, p, how) : NULL;
    }
    case 5: return d != e ? tiny_diagonal(a->x, slant, d, e) : NULL;
    case 6: return s.dim[n - 1] <= 12 && all * (s.dim[n - 1] + 2) <= MOST ? tiny_diag_embed(a->x, slant, -2, -1) : NULL;
    case 7: { const int64_t window = 1 + some; return (size - window + 1) * window * (all / size) <= MOST ? tiny_sliding_window(a->x, d, window, 1 + rnd(g, 3)) : NULL; }
    case 8: return n > 1 ? tiny_tril(a->x, slant) : NULL;
    case 9: return n > 1 ? tiny_triu(a->x, slant) : NULL;
    case 10: { const int k = tiny_chunk(a->x, part + 1, d, out); return gives(k, out) ? out[rnd(g, (uint32_t)k)] : NULL; }
    case 11: if (size > 64) return NULL; else { const int k = tiny_split(a->x, 1 + part, d, out, 64); return gives(k, out) ? out[rnd(g, (uint32_t)k)] : NULL; }
    case 12: if (size > 64) return NULL; else { const int k = tiny_unbind(a->x, d, out, 64); return gives(k, out) ? out[rnd(g, (uint32_t)k)] : NULL; }
    case 13: return d != e ? tiny_rot90(a->x, (int)slant, d, e) : NULL;
    case 14: return tiny_movedim(a->x, d, e);
    case 15: return tiny_select(a->x, d, chance(g, 50) ? some : some - size);
    case 16: return tiny_narrow(a->x, d, some, size - some);
    case 17: return d <= e ? tiny_flatten(a->x, d, e) : NULL;
    case 18: return tiny_squeeze(a->x, chance(g, 50) ? d : TINY_ALL);
    default: return size % 3 == 0 ? tiny_unflatten(a->x, d, TINY_SHAPE(-1, 3)) : size % 2 == 0 ? tiny_unflatten(a->x, d, TINY_SHAPE(2, -1)) : NULL;
  }
}
static int make_moved_more(gen *g) {
  item *a = pick(g);
  tiny_tensor *x = moved_more(g, a);
  return tiny_ok(x) && tiny_nelem_of(x) <= MOST && put_view(g, a, x);
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

// ** elementwise: tables of functions with their bounds **

// A tensor of real numbers: slope times the error that comes in, and ulps of its own.
static item *put_real(gen *g, tiny_tensor *x, double mag, double slope, double err, double ulps) {
  return tiny_ok(x) && put(g, x, mag, 0, slope * err + ulps * eps_of(tiny_dtype_of(x)) * (1 + mag) + 1e-30) ? &g->item[g->n - 1] : NULL;
}

// A smooth function on lo..hi, |f| <= mag (0: 1.1 |x| + 1), |f'| <= slope, |f''| <= 8 max(slope, 1).
typedef struct smooth { const char *name; tiny_tensor *(*f)(tiny_tensor *x); double lo, hi, mag, slope; } smooth;
static const smooth smooths[] = {
  {"sqrt", tiny_sqrt, 0.25, 64, 8, 1}, {"rsqrt", tiny_rsqrt, 0.25, 64, 2, 4}, {"cbrt", tiny_cbrt, 0.25, 64, 4, 1}, {"reciprocal", tiny_reciprocal, 0.5, 64, 2, 4},
  {"exp", tiny_exp, -4, 4, 55, 55}, {"exp2", tiny_exp2, -5, 5, 32, 23}, {"expm1", tiny_expm1, -4, 4, 54, 55},
  {"log", tiny_log, 0.5, 1000, 7, 2}, {"log2", tiny_log2, 0.5, 1000, 10, 3}, {"log10", tiny_log10, 0.5, 1000, 3, 1}, {"log1p", tiny_log1p, -0.5, 1000, 7, 2},
  {"sin", tiny_sin, -100, 100, 1, 1}, {"cos", tiny_cos, -100, 100, 1, 1}, {"tan", tiny_tan, -1, 1, 1.6, 3.5},
  {"asin", tiny_asin, -0.75, 0.75, 1, 1.6}, {"acos", tiny_acos, -0.75, 0.75, 2.5, 1.6}, {"atan", tiny_atan, -1000, 1000, 1.6, 1},
  {"sinh", tiny_sinh, -4, 4, 28, 28}, {"cosh", tiny_cosh, -4, 4, 28, 28}, {"tanh", tiny_tanh, -1000, 1000, 1, 1},
  {"asinh", tiny_asinh, -1000, 1000, 8, 1}, {"acosh", tiny_acosh, 1.25, 1000, 8, 1.4}, {"atanh", tiny_atanh, -0.75, 0.75, 1, 2.3},
  {"sinc", tiny_sinc, -8, 8, 1, 2}, {"deg2rad", tiny_deg2rad, -1000, 1000, 18, 0.02}, {"rad2deg", tiny_rad2deg, -16, 16, 920, 58},
  {"erf", tiny_erf, -1000, 1000, 1, 1.2}, {"erfc", tiny_erfc, -1000, 1000, 2, 1.2}, {"erfinv", tiny_erfinv, -0.75, 0.75, 1, 2},
  {"lgamma", tiny_lgamma, 1, 32, 80, 3.5}, {"digamma", tiny_digamma, 1, 32, 3.5, 1.7},
  {"sigmoid", tiny_sigmoid, -1000, 1000, 1, 1}, {"logsigmoid", tiny_logsigmoid, -1000, 1000, 0, 1}, {"softsign", tiny_softsign, -1000, 1000, 1, 1},
  {"silu", tiny_silu, -1000, 1000, 0, 1.2}, {"mish", tiny_mish, -1000, 1000, 0, 1.2}, {"gelu", tiny_gelu, -1000, 1000, 0, 1.2},
  {"gelu_tanh", tiny_gelu_tanh, -1000, 1000, 0, 1.2}, {"tanhshrink", tiny_tanhshrink, -1000, 1000, 0, 1}, {"square", tiny_square, -8, 8, 64, 16}};
enum { SMOOTHS = sizeof smooths / sizeof *smooths };
static double mag_of(const smooth *f, double m) { return f->mag != 0 ? f->mag : 1.1 * m + 1; }
static int within(const smooth *f, double m) { return -m >= f->lo && m <= f->hi; }

// Functions with joints, continuous: |f'| <= slope, |f(x)| <= slope |x| + 6; f is exact where unit (times x's) is not 0.
static tiny_tensor *leaky(tiny_tensor *x) { return tiny_leaky_relu(x, 0.25); }
static tiny_tensor *hardtanh(tiny_tensor *x) { return tiny_hardtanh(x, -1, 2); }
static tiny_tensor *softshrink(tiny_tensor *x) { return tiny_softshrink(x, 0.5); }
static tiny_tensor *rrelu(tiny_tensor *x) { return tiny_rrelu(x, 0.25, 0.75); }
static tiny_tensor *clamped(tiny_tensor *x) { return tiny_clamp(x, -1, 1.5); }
static tiny_tensor *elu(tiny_tensor *x) { return tiny_elu(x, 0.5); }
static tiny_tensor *celu(tiny_tensor *x) { return tiny_celu(x, 1.5); }
static tiny_tensor *softplus(tiny_tensor *x) { return tiny_softplus(x, 2, 20); }
typedef struct jointed { const char *name; tiny_tensor *(*f)(tiny_tensor *x); double slope, unit; } jointed;
static const jointed jointeds[] = {
  {"neg", tiny_neg, 1, 1}, {"abs", tiny_abs, 1, 1}, {"relu", tiny_relu, 1, 1}, {"relu6", tiny_relu6, 1, 1}, {"leaky_relu", leaky, 1, 0.25},
  {"hardtanh", hardtanh, 1, 1}, {"softshrink", softshrink, 1, 0.5}, {"rrelu", rrelu, 1, 0.5}, {"clamp", clamped, 1, 0.5},
  {"elu", elu, 1, 0}, {"celu", celu, 1, 0}, {"selu", tiny_selu, 1.8, 0}, {"softplus", softplus, 1, 0},
  {"hardsigmoid", tiny_hardsigmoid, 1, 0}, {"hardswish", tiny_hardswish, 1.6, 0}};
enum { JOINTEDS = sizeof jointeds / sizeof *jointeds };

// Functions that jump: exact, of exact tensors; |f(x)| <= |x| + 1; multiples of unit, 0: of what x is.
static tiny_tensor *threshold(tiny_tensor *x) { return tiny_threshold(x, 0.25, -1); }
static tiny_tensor *hardshrink(tiny_tensor *x) { return tiny_hardshrink(x, 0.5); }
static tiny_tensor *to_tens(tiny_tensor *x) { return tiny_mul(tiny_round(tiny_mul(x, tiny_like(x, 0.25))), tiny_like(x, 2)); }
static tiny_tensor *made_finite(tiny_tensor *x) { return tiny_nan_to_num(x, 0, NAN, NAN); }
static tiny_tensor *twoway(tiny_tensor *x) { return tiny_heaviside(x, tiny_like(x, 0.5)); }
typedef struct jump { const char *name; tiny_tensor *(*f)(tiny_tensor *x); double unit; } jump;
static const jump jumps[] = {
  {"floor", tiny_floor, 1}, {"ceil", tiny_ceil, 1}, {"round", tiny_round, 1}, {"trunc", tiny_trunc, 1}, {"sign", tiny_sign, 1}, {"frac", tiny_frac, 0},
  {"isnan", tiny_isnan, 1}, {"isinf", tiny_isinf, 1}, {"isposinf", tiny_isposinf, 1}, {"isneginf", tiny_isneginf, 1}, {"isfinite", tiny_isfinite, 1},
  {"logical_not", tiny_logical_not, 1}, {"threshold", threshold, 0}, {"hardshrink", hardshrink, 0}, {"tens", to_tens, 1}, {"nan_to_num", made_finite, 0}, {"heaviside", twoway, 0.5}};
enum { JUMPS = sizeof jumps / sizeof *jumps };

static int make_smooth(gen *g) {
  item *a = pick(g);
  const smooth *f = &smooths[rnd(g, SMOOTHS)];
  if (!is_real(a) && (a->mag > 1e6 || tn_bits(a->dtype) == 64)) return 0;
  tiny_tensor *x = use(a)->x;
  if (!within(f, a->mag)) x = tiny_clamp(is_real(a) ? x : tiny_cast(x, TINY_F32), f->lo, f->hi);
  return put_real(g, f->f(x), mag_of(f, a->mag), f->slope, a->err, 24) != NULL;
}
static int make_jointed(gen *g) {
  item *a = pick_real(g);
  const jointed *f = &jointeds[rnd(g, JOINTEDS)];
  if (!a) return 0;
  a->used = 1;
  if (f->unit != 0) return put(g, f->f(a->x), f->slope * a->mag + 6, fmin(0.5, a->unit * f->unit), f->slope * a->err) != NULL;
  return put_real(g, f->f(a->x), f->slope * a->mag + 6, f->slope, a->err, 24) != NULL;
}
static int make_jump(gen *g) {
  item *a = pick(g);
  const jump *f = &jumps[rnd(g, JUMPS)];
  if (!exact(a) || (!is_real(a) && f->f != tiny_sign && f->f != tiny_floor && f->f != tiny_logical_not)) return 0;
  if (a->dtype == TINY_BOOL && f->f != tiny_logical_not) return 0;
  return put(g, f->f(use(a)->x), a->mag + 1, f->unit != 0 ? fmin(f->unit, 1) : fmin(a->unit, 0.25), 0) != NULL;
}
static int make_integer(gen *g) {
  tiny_tensor *(*const op[])(tiny_tensor *) = {tiny_neg, tiny_abs, tiny_sign, tiny_square, tiny_relu, tiny_logical_not, tiny_floor, tiny_bitwise_not};
  static const uint8_t same[][2] = {{TINY_I8, TINY_U8}, {TINY_I16, TINY_U16}, {TINY_I32, TINY_U32}, {TINY_I64, TINY_U64}};
  item *a = NULL;
  for (int i = 0; i < 12 && !a; i++) { a = pick(g); if (is_real(a)) a = NULL; }
  if (!a) return 0;
  a->used = 1;
  if (a->dtype == TINY_BOOL) return put(g, chance(g, 50) ? tiny_logical_not(a->x) : tiny_bitwise_not(a->x), 1, 1, 0) != NULL;
  if (chance(g, 20)) for (int i = 0; i < 4; i++) if (tn_bits(same[i][0]) == tn_bits(a->dtype)) return put(g, tiny_bitcast(a->x, (tiny_dtype)same[i][rnd(g, 2)]), 1e30, 1, 0) != NULL;
  return put(g, op[rnd(g, 8)](a->x), 1e30, 1, 0) != NULL;
}

typedef tiny_tensor *(*binary)(tiny_tensor *a, tiny_tensor *b);
static const binary of_bools[] = {tiny_add, tiny_mul, tiny_maximum, tiny_minimum, tiny_lt, tiny_eq, tiny_ne, tiny_bitwise_and, tiny_bitwise_or, tiny_bitwise_xor,
  tiny_logical_and, tiny_logical_or, tiny_logical_xor};
static const binary of_integers[] = {tiny_add, tiny_sub, tiny_mul, tiny_floor_div, tiny_trunc_div, tiny_remainder, tiny_fmod, tiny_maximum, tiny_minimum, tiny_fmax, tiny_fmin,
  tiny_lt, tiny_gt, tiny_le, tiny_ge, tiny_eq, tiny_ne, tiny_logical_and, tiny_logical_or, tiny_logical_xor, tiny_pow,
  tiny_bitwise_and, tiny_bitwise_or, tiny_bitwise_xor, tiny_shift_left, tiny_shift_right};
static const binary questions[] = {tiny_lt, tiny_gt, tiny_le, tiny_ge, tiny_eq, tiny_ne, tiny_logical_and, tiny_logical_or, tiny_logical_xor};
#define ANY_OF(g, list) (list)[rnd(g, sizeof(list) / sizeof *(list))]

static tiny_tensor *above(tiny_tensor *x, double least) { return tiny_add(tiny_abs(x), tiny_like(x, least)); }
static int make_binary(gen *g) {
  item *a = pick(g);
  const int at = (int)(a - g->item);
  item *b = partner(g, a);
  if (!b) return 0;
  a = &g->item[at];
  a->used = b->used = 1;
  if (a->dtype == TINY_BOOL && b->dtype == TINY_BOOL) return put(g, ANY_OF(g, of_bools)(a->x, b->x), 1, 1, 0) != NULL;
  if (!is_real(a) && !is_real(b)) {
    if (tn_is_float(tiny_promote((tiny_dtype)a->dtype, (tiny_dtype)b->dtype))) return 0;
    if (a->dtype == TINY_BOOL || b->dtype == TINY_BOOL) return put(g, of_integers[rnd(g, 3)](a->x, b->x), 1e30, 1, 0) != NULL;
    return put(g, ANY_OF(g, of_integers)(a->x, b->x), 1e30, 1, 0) != NULL;
  }
  if (a->mag > 1e6 || b->mag > 1e6) return 0;
  const double m = a->mag + b->mag, p = a->mag * b->mag, e = a->err + b->err, u = a->unit < b->unit ? a->unit : b->unit;
  const double most = fmax(a->mag, b->mag);
  const int known = u != 0 && e == 0;
  tiny_tensor *x = a->x, *y = b->x;
  switch (rnd(g, known ? 26 : 15)) {
    case 0: case 1: return put(g, tiny_add(x, y), m, known ? u : 0, e) != NULL;
    case 2: return put(g, tiny_sub(x, y), m, known ? u : 0, e) != NULL;
    case 3: case 4: return put(g, tiny_mul(x, y), p, known ? a->unit * b->unit : 0, a->mag * b->err + b->mag * a->err) != NULL;
    case 5: return put(g, chance(g, 50) ? tiny_maximum(x, y) : tiny_fmax(x, y), most, known ? u : 0, e) != NULL;
    case 6: return put(g, chance(g, 50) ? tiny_minimum(x, y) : tiny_fmin(x, y), most, known ? u : 0, e) != NULL;
    case 7: return put_real(g, tiny_div(x, above(y, 1)), a->mag, 1 + a->mag, e, 8 * (1 + most)) != NULL;
    case 8: return put_real(g, tiny_hypot(x, y), m, 1, e, 16) != NULL;
    case 9: return put_real(g, tiny_logaddexp(x, y), most + 1, 1, e, 16) != NULL;
    case 10: return put_real(g, tiny_logaddexp2(x, y), most + 1, 1, e, 16) != NULL;
    case 11: return put_real(g, tiny_xlogy(x, above(y, 0.5)), a->mag * (1 + log(b->mag + 2)), 1 + log(b->mag + 2) + 2 * a->mag, e, 16 * (1 + a->mag)) != NULL;
    case 12: return put_real(g, tiny_lerp(x, y, tiny_like(x, 0.3)), m, 1, e, 8 * (1 + most)) != NULL;
    case 13: return put_real(g, tiny_addcmul(x, x, y, 0.5), a->mag + p, 1 + m, e, 8 * (1 + p)) != NULL;
    case 14: return put_real(g, tiny_addcdiv(x, y, above(x, 1), -2), a->mag + 2 * b->mag, 3 + 2 * m, e, 8 * (1 + m)) != NULL;
    case 15: return is_real(b) && put(g, tiny_clamp_to(x, tiny_neg(tiny_abs(y)), tiny_abs(y)), m, u, 0) != NULL;
    case 16: return is_real(a) && put(g, tiny_floor_div(x, tiny_like(x, 2)), a->mag + 1, 1, 0) != NULL;
    case 17: return is_real(a) && put(g, chance(g, 50) ? tiny_remainder(x, tiny_like(x, 2)) : tiny_fmod(x, tiny_like(x, -2)), 2, fmin(2, a->unit), 0) != NULL;
    case 18: return is_real(a) && put(g, tiny_trunc_div(x, tiny_like(x, 2)), a->mag + 1, 1, 0) != NULL;
    case 19: return m < 8 && put_real(g, tiny_pow(above(x, 0.5), tiny_clamp(y, -2, 2)), 81, 0, 0, 256) != NULL;
    default: return put(g, ANY_OF(g, questions)(x, y), 1, 1, 0) != NULL;
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
  tiny_shape s = tiny_shape_of(cond);
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
  if (!exact(a)) return 0;                 // it saturates, and wraps from integers
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
    case 1: return nelem(a) && put(g, tiny_amax(a->x, axis, keep), m, 1, 0) != NULL;
    case 2: return nelem(a) && put(g, tiny_amin(a->x, axis, keep), m, 1, 0) != NULL;
    case 3: return nelem(a) && put(g, tiny_argmax(a->x, axis, keep), n, 1, 0) != NULL;
    case 4: return put(g, tiny_cumsum(a->x, axis == TINY_ALL ? 0 : axis), 1e30, 1, 0) != NULL;
    default: return put(g, tiny_sum(a->x, axis, keep), 1e30, 1, 0) != NULL;
  }
  switch (rnd(g, 14)) {
    case 0: return n <= 4 && m < 20 && put(g, tiny_prod(a->x, axis, keep), pow(m, n) + 1, pow(a->unit, n), n * pow(m + 1, n) * (e + (exact(a) ? 0 : own))) != NULL;
    case 1: return nelem(a) && put(g, tiny_amax(a->x, axis, keep), m, a->unit, e) != NULL;
    case 2: return nelem(a) && put(g, tiny_amin(a->x, axis, keep), m, a->unit, e) != NULL;
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

// What is exact of exact tensors: questions, positions, orders. out[1]: positions.
static item *put_exact(gen *g, tiny_tensor *x, const item *a) { return put(g, x, a->mag, a->unit, 0); }
static int make_order(gen *g) {
  item *a = pick(g);
  if (!exact(a) || !a->s.ndim || nelem(a) == 0) return 0;
  const int d = (int)rnd(g, (uint32_t)a->s.ndim), axis = chance(g, 50) ? d : d - a->s.ndim, keep = (int)rnd(g, 2);
  const int64_t size = a->s.dim[d], k = 1 + rnd(g, (uint32_t)size);
  const int both = chance(g, 60);
  tiny_tensor *out[2] = {NULL, NULL}, *x = use(a)->x, **index = both ? &out[1] : NULL;
  if (size > 64) return 0;
  switch (rnd(g, 13)) {
    case 0: out[0] = tiny_sort(x, axis, keep, index); break;
    case 1: return put(g, tiny_argsort(x, axis, keep), (double)size, 1, 0) != NULL;
    case 2: out[0] = tiny_topk(x, k, axis, keep, index); break;
    case 3: out[0] = tiny_kthvalue(x, k, axis, keep, index); break;
    case 4: out[0] = tiny_median(x, axis, keep, index); break;
    case 5: out[0] = tiny_mode(x, axis, keep, index); break;
    case 6: case 7: out[0] = tiny_cummax(x, axis, index); break;
    case 8: out[0] = tiny_cummin(x, axis, index); break;
    case 9: out[0] = tiny_max(x, axis, keep, &out[1]); break;
    case 10: out[0] = tiny_min(x, axis, keep, &out[1]); break;
    case 11: {
      item edges = *a;
      edges.x = tiny_sort(x, -1, 0, NULL);
      tiny_tensor *values = chance(g, 50) ? x : tiny_flip(x, TINY_SHAPE(-1));
      return put(g, tiny_searchsorted(edges.x, values, keep), 1e4, 1, 0) != NULL;
    }
    default: out[0] = tiny_aminmax(x, axis, keep, &out[1]); return put_exact(g, out[0], a) && put_exact(g, out[1], a);
  }
  const item was = *a;
  return put_exact(g, out[0], &was) && (!out[1] || put(g, out[1], (double)size, 1, 0));
}
static int make_reduce_more(gen *g) {
  item *a = pick(g);
  if (nelem(a) == 0 || !a->s.ndim) return 0;
  const int d = (int)rnd(g, (uint32_t)a->s.ndim), two = a->s.ndim > 1 && chance(g, 30), keep = (int)rnd(g, 2), e = (d + 1) % a->s.ndim;
  const int axis = two ? TINY_AXES(d, e) : chance(g, 30) ? d - a->s.ndim : d;
  const double n = (double)a->s.dim[d] * (two ? (double)a->s.dim[e] : 1), m = a->mag, err = a->err;
  const double ulps = 4 * n + 16;
  tiny_tensor *x = use(a)->x, *mean = NULL;
  switch (rnd(g, exact(a) ? 11 : 8)) {
    case 0: case 1: return is_real(a) && put(g, tiny_sum(x, axis, keep), n * m, a->unit, n * (err + (exact(a) && n * m / a->unit < 0.25 / eps_of(a->dtype) ? 0 : 4 * eps_of(a->dtype) * m))) != NULL;
    case 2: return put(g, tiny_amax(x, axis, keep), m, a->unit, err) != NULL;
    case 3: return put(g, tiny_amin(x, axis, keep), m, a->unit, err) != NULL;
    case 4: return is_real(a) && n <= 1024 && put_real(g, tiny_norm(x, 1, axis, keep), n * m, n, err, ulps) != NULL;
    case 5: return is_real(a) && put_real(g, tiny_norm(x, HUGE_VAL, axis, keep), m, 1, err, 4) != NULL;
    case 6: {
      if (!is_real(a) || n < 2 || m > 100) return 0;
      tiny_tensor *var = tiny_var_mean(x, axis, keep, 1, &mean);
      return put_real(g, var, 2 * m * m, 8 * m, err, 4 * ulps) && put_real(g, mean, m, 1, err, ulps);
    }
    case 7: return is_real(a) && !two && m <= 100 && put_real(g, tiny_logcumsumexp(x, axis), m + log(n + 1), 1, err, 4 * ulps) != NULL;
    case 8: return put(g, tiny_any(x, axis, keep), 1, 1, 0) != NULL;
    case 9: return put(g, tiny_all(x, axis, keep), 1, 1, 0) != NULL;
    default:
      if (chance(g, 50)) return put(g, tiny_count_nonzero(x, axis, keep), n, 1, 0) != NULL;
      if (two || (is_real(a) && n > 4)) return 0;
      return put(g, tiny_cumprod(x, axis), is_real(a) ? pow(m + 1, n) : 1e30, is_real(a) ? pow(fmin(a->unit, 1), n) : 1, 0) != NULL;
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
  const tiny_shape s = tiny_shape_of(x);
  tiny_conv_desc d;
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
// Positions of a shape: made before, or new ones, some of them out of range.
static item *positions(gen *g, tiny_shape s) {
  static const int kinds[] = {TINY_I32, TINY_I32, TINY_I64, TINY_I8, TINY_U8, TINY_U16};
  for (int i = 0; i < 6; i++) { item *a = pick(g); if (tn_is_int(a->dtype) && tn_has_dims(tn_uop_of(a->x), s.ndim, s.dim)) return use(a); }
  item *a = input(g, ANY_OF(g, kinds), s);
  return a ? use(a) : NULL;
}
// A tensor of a's dtype and another shape.
static item *source_of(gen *g, const item *a, tiny_shape s) {
  for (int i = 0; i < 10; i++) { item *b = pick(g); if (b->dtype == a->dtype && tn_has_dims(tn_uop_of(b->x), s.ndim, s.dim)) return use(b); }
  item *b = input(g, a->dtype, s);
  return b ? use(b) : NULL;
}
// What is put into a by a mode of tiny_scatter_reduce, at most n elements into one.
static int put_scattered(gen *g, tiny_tensor *x, const item *a, const item *b, tiny_reduce_op mode, double n) {
  const double m = fmax(a->mag, b->mag), u = fmin(a->unit, b->unit), e = fmax(a->err, b->err);
  if (!is_real(a) || mode == TINY_REDUCE_REPLACE || mode == TINY_REDUCE_AMAX || mode == TINY_REDUCE_AMIN) return put(g, x, is_real(a) ? m : 1e30, u, e) != NULL;
  if (mode == TINY_REDUCE_MEAN) return put_real(g, x, m, 1, e, n + 8) != NULL;
  if (mode == TINY_REDUCE_SUM) return put(g, x, a->mag + n * b->mag, u, a->err + n * (b->err + (u != 0 && e == 0 ? 0 : eps_of(a->dtype) * (m + 1)))) != NULL;
  return n <= 3 && m < 20 && put(g, x, pow(m + 1, n + 1), e == 0 ? pow(u, n + 1) : 0, e == 0 ? 0 : (n + 1) * pow(m + 1, n) * (e + 8 * eps_of(a->dtype) * (m + 1))) != NULL;
}
static int make_scatter(gen *g) {
  item *a = pick(g);
  if (!a->s.ndim || a->s.ndim > 4 || nelem(a) == 0) return 0;
  const int axis = (int)rnd(g, (uint32_t)a->s.ndim);
  const int64_t n = 1 + rnd(g, 6), size = a->s.dim[axis];
  static const tiny_reduce_op modes[] = {TINY_REDUCE_REPLACE, TINY_REDUCE_REPLACE, TINY_REDUCE_SUM, TINY_REDUCE_SUM, TINY_REDUCE_PROD, TINY_REDUCE_AMAX, TINY_REDUCE_AMIN, TINY_REDUCE_MEAN};
  const tiny_reduce_op mode = a->dtype == TINY_BOOL ? TINY_REDUCE_REPLACE : modes[rnd(g, 8)];
  tiny_shape s = a->s, row = TINY_SHAPE(n), at = a->s;
  s.dim[axis] = n;
  const int whole = chance(g, 50);         // slices at positions of the axis, or each element at a place of its own
  for (int i = 0; i < at.ndim; i++) if (!whole && i != axis && chance(g, 20)) at.dim[i] = 1 + rnd(g, (uint32_t)at.dim[i]);
  at.dim[axis] = n;
  if (nelem(a) / size * n > MOST || nelem(a) * n > 10 * MOST) return 0;
  item *index = positions(g, whole ? row : at), *src = index ? source_of(g, a, s) : NULL;
  const int self = chance(g, 70);
  if (!src) return 0;
  a->used = 1;
  tiny_tensor *x = a->x, *i = index->x, *y = src->x;
  if (!self || mode == TINY_REDUCE_PROD || mode == TINY_REDUCE_AMAX || mode == TINY_REDUCE_AMIN || mode == TINY_REDUCE_MEAN)
    return put_scattered(g, whole ? tiny_index_reduce(x, axis, i, y, mode, self) : tiny_scatter_reduce(x, axis, i, y, mode, self), a, src, mode, (double)n);
  if (mode == TINY_REDUCE_SUM) return put_scattered(g, whole ? tiny_index_add(x, axis, i, y) : tiny_scatter_add(x, axis, i, y), a, src, mode, (double)n);
  return put_scattered(g, whole ? tiny_index_copy(x, axis, i, y) : tiny_scatter(x, axis, i, y), a, src, mode, (double)n);
}
static int make_index(gen *g) {
  item *a = pick(g), *b = NULL;
  const tiny_shape s = a->s;
  const int n = s.ndim, d = n ? (int)rnd(g, (uint32_t)n) : 0, more = (int)rnd(g, 2);
  if (!n || n > 4 || nelem(a) == 0) return 0;
  const int64_t k = 1 + rnd(g, 6), least = nelem(a) / s.dim[d];
  tiny_tensor *index[4] = {NULL, NULL, NULL, NULL}, *x = a->x;
  switch (rnd(g, 9)) {
    case 0: { item *i = positions(g, chance(g, 50) ? TINY_SHAPE(k) : TINY_SHAPE(k, 2)); return i && put_view(g, a, tiny_take(x, i->x)); }
    case 1: {
      tiny_shape at = s;
      for (int i = 0; i < n; i++) if (chance(g, 40)) at.dim[i] = 1;
      at.dim[d] = k;
      item *i = positions(g, at);
      return i && least * k <= MOST && put_view(g, a, tiny_take_along_axis(x, d, i->x));
    }
    case 2: case 3: {                      // one or two lists of positions
      item *i = positions(g, TINY_SHAPE(k)), *j = n > 1 && more ? positions(g, chance(g, 50) ? TINY_SHAPE(k) : TINY_SHAPE(3, 1)) : NULL;
      index[d] = i ? i->x : NULL;
      index[(d + 1) % n] = j ? j->x : NULL;
      if (!i || least * k * 3 > MOST) return 0;
      if (chance(g, 50)) return put_view(g, a, tiny_index(x, index, n)) != NULL;
      tiny_tensor *part = tiny_index(x, index, n);
      if (!tiny_ok(part) || nelem(a) * 3 * k > 10 * MOST || (b = source_of(g, a, tiny_shape_of(part))) == NULL) return 0;
      a->used = 1;
      const int add = a->dtype != TINY_BOOL && chance(g, 50);
      return put_scattered(g, tiny_index_put(x, index, n, b->x, add), a, b, add ? TINY_REDUCE_SUM : TINY_REDUCE_REPLACE, (double)(3 * k));
    }
    case 4: { item *i = positions(g, TINY_SHAPE(k)); return i && put(g, tiny_index_fill(use(a)->x, d, i->x, 1), fmax(a->mag, 1), fmin(a->unit, 1), a->err); }
    case 5: {
      item *i = positions(g, TINY_SHAPE(k));
      if (!i || nelem(a) * k > 10 * MOST || (b = source_of(g, a, TINY_SHAPE(k))) == NULL) return 0;
      a->used = 1;
      const int add = a->dtype != TINY_BOOL && more;
      return put_scattered(g, tiny_put(x, i->x, b->x, add), a, b, add ? TINY_REDUCE_SUM : TINY_REDUCE_REPLACE, (double)k);
    }
    case 6: case 7: {
      if (!exact(a)) return 0;
      tiny_tensor *mask = a->dtype == TINY_BOOL ? x : tiny_gt(x, tiny_like(x, 0));
      b = partner(g, a);
      if (!b || !tn_has_dims(tn_uop_of(b->x), n, s.dim) || nelem(a) > 256) return 0;
      a->used = b->used = 1;
      if (more) return put(g, tiny_masked_fill(b->x, mask, 1), fmax(b->mag, 1), fmin(b->unit, 1), b->err) != NULL;
      return put(g, tiny_masked_scatter(b->x, mask, tiny_flip(b->x, TINY_SHAPE(d))), b->mag, fmin(b->unit, 1), b->err) != NULL;
    }
    default: {
      if (!exact(a) || a->dtype == TINY_BOOL || nelem(a) > 512) return 0;
      b = source_of(g, a, TINY_SHAPE(k));
      if (!b || !exact(b)) return 0;
      a->used = 1;
      return more ? put(g, tiny_isin(x, b->x), 1, 1, 0) != NULL : put(g, tiny_bucketize(x, tiny_sort(b->x, 0, 0, NULL), (int)(k & 1)), 6, 1, 0) != NULL;
    }
  }
}
static int make_product(gen *g) {
  item *a = pick(g);
  const int64_t n = nelem(a), k = 1 + rnd(g, 9);
  if (a->dtype == TINY_BOOL || a->s.ndim != 2 || n == 0 || a->mag > 1e3) return 0;
  const int64_t rows = a->s.dim[0], columns = a->s.dim[1];
  if (n * k > 10 * MOST || (rows + columns) * k > MOST) return 0;
  item *b = source_of(g, a, TINY_SHAPE(columns, k));
  if (!b) return 0;
  a->used = 1;
  tiny_tensor *xs[2] = {a->x, b->x};
  switch (rnd(g, 6)) {
    case 0: return put_dot(g, tiny_einsum("ij,jk->ki", xs, 2), a, b, (double)columns);
    case 1: return put_dot(g, tiny_einsum("ij,jk->j", xs, 2), a, b, (double)(rows * k));
    case 2: return put_dot(g, tiny_tensordot(a->x, b->x, TINY_SHAPE(1), TINY_SHAPE(0)), a, b, (double)columns);
    case 3: return put_dot(g, tiny_inner(a->x, tiny_transpose(b->x, 0, 1)), a, b, (double)columns);
    case 4: return n * columns * k <= MOST && put_dot(g, chance(g, 50) ? tiny_kron(a->x, b->x) : tiny_outer(a->x, b->x), a, b, 1);
    default: return is_real(a) && put(g, tiny_trace(a->x), (double)rows * a->mag, a->unit, (double)rows * (a->err + (exact(a) ? 0 : 4 * eps_of(a->dtype) * a->mag))) != NULL;
  }
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
  work_on(g, tiny_device_of(to));
  for (int i = (int)rnd(g, 4); i > 0; i--) {
    item v = *a;
    v.x = to; v.s = tiny_shape_of(to);
    tiny_tensor *x = moved(g, &v, 1);
    if (tiny_ok(x) && tiny_nelem_of(x)) to = x;
  }
  item view = *a, *b = NULL;
  view.x = to; view.s = tiny_shape_of(to);
  double e = 0, m = 0, u = 0;
  tiny_tensor *value = NULL;
  for (int i = 0; i < 12 && !value; i++) { // the value: of the same shape, or from the tensor itself
    b = pick(g);
    int64_t dim[TINY_MAX_DIMS];
    int n = view.s.ndim;
    memcpy(dim, view.s.dim, sizeof dim);
    if (b->dtype == a->dtype && tn_broadcast_dims(b->s.ndim, b->s.dim, &n, dim) && tn_has_dims(tn_uop_of(to), n, dim)) { value = use(b)->x; e = b->err; m = b->mag; u = b->unit; }
  }
  if (!value || chance(g, 30)) {
    if (a->dtype == TINY_BOOL) value = tiny_logical_not(to), m = 1, u = 1, e = 0;
    else if (chance(g, 50)) value = tiny_flip(to, tiny_shape_of(to).ndim ? TINY_SHAPE(0) : TINY_SHAPE()), m = a->mag, u = a->unit, e = a->err;
    else value = tiny_add(to, tiny_like(to, 1)), m = is_real(a) ? a->mag + 1 : 1e30, u = fmin(a->unit, 1), e = a->err ? a->err + 4 * eps_of(a->dtype) * (a->mag + 1) : 0;
  }
  tiny_uop *before[MAX_ITEMS];
  for (int i = 0; i < g->n; i++) before[i] = tn_uop_of(g->item[i].x);
  if (!tiny_ok(value) || !tiny_ok(tiny_assign(to, value))) return 0;
  for (int i = 0; i < g->n; i++) {
    item *x = &g->item[i];
    if (x->memory != memory && tn_uop_of(x->x) == before[i]) continue;       // neither a view of it, nor moved on with it
    x->mag = fmax(x->mag, m); x->err = fmax(x->err, e);
    x->unit = is_real(x) ? fmin(x->unit, u) : 1;
    x->used = 0;                           // its new state is looked at
    if (is_real(x) && x->mag / (x->unit ? x->unit : 1e-30) > 0.5 / eps_of(x->dtype) && !x->err) x->err = 4 * eps_of(x->dtype) * x->mag + 1e-30;
  }
  item *v = put(g, to, fmax(a->mag, m), a->unit, a->err);
  if (v) { v->err = a->err; v->unit = a->unit; v->memory = memory; }
  return 1;
}

// ** gradients of a chain of operators: every step tells by how much it can amplify a change **

// x: what the chain has made; mag, err: of it. gain: of the greatest sum of |slopes| from one element of a parameter.
// rough: what the slopes may be wrong by, as a part of gain.
typedef struct chain { item at; double gain, rough; item *param[3]; int nparam; } chain;

static int chain_to(chain *c, tiny_tensor *x, double mag, double err, double gain) {
  if (!tiny_ok(x) || tiny_nelem_of(x) == 0 || tiny_nelem_of(x) > MOST || mag > 1e6) return 0;
  const double eps = eps_of(c->at.dtype);
  c->rough += 8 * (c->at.err + err) + 64 * eps;
  c->at.x = x; c->at.s = tiny_shape_of(x); c->at.mag = fmax(mag, 1); c->at.err = err + 4 * eps * (1 + mag); c->at.unit = 0;
  c->gain *= fmax(gain, 1);
  return 1;
}
static item *parameter(gen *g, chain *c, tiny_shape s) {
  item *p = input(g, c->at.dtype, s);
  if (p && c->nparam < 3 && chance(g, 70)) c->param[c->nparam++] = p;
  return p;
}
static int chain_step(gen *g, chain *c) {
  const item *a = &c->at;
  const int n = a->s.ndim, axis = n ? (int)rnd(g, (uint32_t)n) : 0, keep = (int)rnd(g, 2);
  const double m = a->mag, e = a->err, eps = eps_of(a->dtype), count = (double)nelem(a), size = n ? (double)a->s.dim[axis] : 1;
  tiny_tensor *x = a->x;
  switch (rnd(g, n ? 16 : 5)) {
    case 0: case 1: case 2: {              // brought into the range of a function
      const smooth *f = &smooths[rnd(g, SMOOTHS)];
      const double scale = within(f, m) ? 1 : (f->hi - f->lo) / (2 * m);
      if (scale != 1) x = tiny_add(tiny_mul(x, tiny_like(x, scale)), tiny_like(x, (f->hi + f->lo) / 2));
      return chain_to(c, f->f(x), mag_of(f, m), f->slope * (scale * e + 4 * eps * fmax(fabs(f->lo), f->hi > 100 ? m : f->hi)) + 24 * eps, f->slope * scale);
    }
    case 3: {                              // products with a parameter
      item *p = parameter(g, c, a->s);
      return p && chain_to(c, tiny_mul(x, p->x), m * 1.5, e * 1.5, fmax(m, 1.5));
    }
    case 4: { item *p = parameter(g, c, TINY_SHAPE()); return p && chain_to(c, tiny_div(tiny_add(x, p->x), above(tiny_square(p->x), 1)), m + 1.5, e + eps * m, count * (3 + m)); }
    case 5: case 6: {
      tiny_tensor *y = moved(g, a, 0);
      return tiny_ok(y) && chain_to(c, y, m, e, (double)tiny_nelem_of(y) / count);
    }
    case 7: case 8: {
      tiny_tensor *y = moved_more(g, a);
      return tiny_ok(y) && chain_to(c, y, m, e, 9 * fmax(1, (double)tiny_nelem_of(y) / count));
    }
    case 9: return chain_to(c, tiny_sum(x, axis, keep), size * m, size * (e + 4 * eps * m), 1);
    case 10: return chain_to(c, tiny_cumsum(x, axis), size * m, size * (e + 4 * eps * m), size);
    case 11: return m < 50 && chain_to(c, tiny_softmax(x, axis), 1, 2 * e + 32 * eps * (1 + m), 2);
    case 12: return m < 50 && chain_to(c, tiny_logsumexp(x, axis, keep), m + log(size + 1), e + 32 * eps * (1 + m), 1);
    case 13: {
      const int64_t k = a->s.dim[n - 1], out = 1 + rnd(g, 8);
      item *w = nelem(a) * out / k <= MOST ? parameter(g, c, TINY_SHAPE(k, out)) : NULL;
      return w && chain_to(c, tiny_matmul(x, w->x), 1.5 * m * (double)k, 1.5 * (double)k * (e + 4 * eps * m), fmax(1.5 * (double)out, m * count / (double)k));
    }
    case 14: {
      const int64_t k = 1 + rnd(g, 6);
      item *i = count / size * (double)k <= MOST ? positions(g, TINY_SHAPE(k)) : NULL;
      return i && chain_to(c, tiny_index_select(x, axis, i->x), m, e, (double)k);
    }
    default: {
      const int64_t k = 1 + rnd(g, 6);
      tiny_shape s = a->s;
      s.dim[axis] = k;
      item *i = count / size * (double)k <= MOST && count * (double)k < 10 * MOST ? positions(g, TINY_SHAPE(k)) : NULL, *p = i ? parameter(g, c, s) : NULL;
      return p && chain_to(c, keep ? tiny_index_add(x, axis, i->x, p->x) : tiny_index_copy(x, axis, i->x, p->x), m + 1.5 * (double)k, e + (double)k * eps * m, 1);
    }
  }
}
static int make_grad(gen *g) {
  item *a = NULL;
  for (int i = 0; i < 20 && !a; i++) { a = pick(g); if (!is_real(a) || !exact(a) || a->mag > 16 || nelem(a) == 0 || nelem(a) > 1024 || (is_half(a->dtype) && !chance(g, 10)) || a->dtype < TINY_F16) a = NULL; }
  if (!a) return 0;
  chain c;
  memset(&c, 0, sizeof c);
  c.at = *a; c.at.mag = fmax(a->mag, 1); c.gain = 1; c.param[c.nparam++] = a;
  if (chance(g, 20)) {                     // joints and orders only of what is exact
    tiny_tensor *x = a->s.ndim && a->s.dim[a->s.ndim - 1] <= 32 && chance(g, 50) ? tiny_sort(a->x, -1, 0, NULL) : jointeds[rnd(g, 9)].f(a->x);
    if (!chain_to(&c, x, a->mag + 6, 0, 2)) return 0;
  }
  for (int i = 1 + (int)rnd(g, 4); i > 0; i--) chain_step(g, &c);
  item *w = input(g, c.at.dtype, c.at.s);
  tiny_tensor *grad[3], *params[3];
  if (!w) return 0;
  for (int i = 0; i < c.nparam; i++) { params[i] = c.param[i]->x; c.param[i]->used = 1; }
  if (tiny_grad(tiny_sum(tiny_mul(c.at.x, use(w)->x), TINY_ALL, 0), params, c.nparam, grad) != TINY_OK) return 0;
  const double mag = 1.5 * c.gain * (1 + 0.5 * c.nparam);
  int made = 0;
  for (int i = 0; i < c.nparam; i++) made += put(g, grad[i], mag, 0, mag * (c.rough + eps_of(a->dtype) * (64 + (double)nelem(w)))) != NULL;
  return made > 0;
}

typedef struct maker { const char *name; int (*make)(gen *g); int weight; } maker;
static const maker makers[] = {
  {"leaf", make_leaf, 6}, {"moved", make_moved, 30}, {"cat", make_cat, 5}, {"moved more", make_moved_more, 20},
  {"smooth", make_smooth, 9}, {"jointed", make_jointed, 5}, {"jump", make_jump, 10}, {"integer", make_integer, 4}, {"binary", make_binary, 28}, {"where", make_where, 7},
  {"cast", make_cast, 8}, {"reduce", make_reduce, 14}, {"reduce more", make_reduce_more, 10}, {"order", make_order, 7},
  {"product", make_product, 8}, {"matmul", make_matmul, 6}, {"conv", make_conv, 4}, {"pool", make_pool, 4}, {"lookup", make_lookup, 5}, {"scatter", make_scatter, 8}, {"index", make_index, 8},
  {"contiguous", make_contiguous, 4}, {"assign", make_assign, 8}, {"grad", make_grad, 9}};
enum { MAKERS = sizeof makers / sizeof *makers };
static int made_by[MAKERS];                // how many operators of each there were: none is out of use

// Makes the program of a seed in a context; nops bounds its length. The generator never looks at values.
static int make_program(gen *g, tiny_ctx *t, uint64_t seed, int nops) {
  int total = 0;
  memset(g, 0, sizeof *g);
  g->t = t; g->rng = seed * 0x9E3779B97F4A7C15u + 1;
  t->tensors->random = (uint32_t)seed << 8;                  // random numbers depend on the seed alone
  for (int i = 0; i < MAKERS; i++) total += makers[i].weight;
  make_leaf(g);
  while (!g->n && tiny_status(t) == TINY_OK) make_leaf(g);
  const int most = 3 + (int)rnd(g, MAX_OPS - 3);
  for (int i = 0; g->n && i < most && i < nops; i++)
    for (int tries = 0; tries < 20; tries++) {
      int at = (int)rnd(g, (uint32_t)total), k = 0;
      while (at >= makers[k].weight) at -= makers[k++].weight;
      if (tiny_device_count(t) > 1) work_on(g, (int)rnd(g, (uint32_t)tiny_device_count(t)));
      if (makers[k].make(g)) { made_by[k]++; break; }
    }
  work_on(g, 0);
  if (tiny_status(t) != TINY_OK) { fprintf(stderr, "seed %llu: the program is wrong: %s\n", (unsigned long long)seed, tiny_error(t)); tiny_clear(t); return 0; }
  return 1;
}

// What is compared: what nothing uses, and some of the rest.
static int roots_of(gen *g, item **root) {
  int n = 0;
  for (int i = g->n - 1; i >= 0 && n < MAX_ROOTS; i--) if (!g->item[i].used || chance(g, 15)) root[n++] = &g->item[i];
  return n;
}
static size_t nbytes_of(const item *a) { return (size_t)nelem(a) * tn_dtypes[a->dtype].nbytes; }

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
#endif
