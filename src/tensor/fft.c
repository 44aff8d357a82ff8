// fft: discrete Fourier transforms of any length, and arithmetic of complex numbers as pairs in a last dim of
// 2.
//
// Inside, numbers lie in planes: (R, 2, n), rows of real parts and of imaginary parts. A length up to 64 is
// one product with a dense matrix (its sums run over planes and elements alike). A length a * b is b
// transforms of length a, factors, then a transforms of length b (Cooley and Tukey, 1965); a is chosen so
// that the stages are few and alike. A length whose prime factors are big is a convolution with a chirp
// (Bluestein, 1970).
// Roots of unity come from counters: their index is reduced to the first quadrant in integers, so that the
// only rounding is that of one small angle.
#ifndef TN_TENSOR_FFT
#define TN_TENSOR_FFT
#ifndef TINY_AMALGAMATED
#include "linalg.c"
#endif

// Lengths that are one product; primes up to which that pays.
enum { TN_DFT_DENSE = 64, TN_DFT_PRIME = 192 };

// ** roots of unity **

// sin(2 pi q / 4n) for q >= 0 counted in quarters of a step.
static tiny_uop *tn_quarter_sine(tiny_ctx *t, tiny_uop *q, int64_t n, int dtype) {
  TN_FLOAT_MODE;
  if (tn_bad(t, q)) return q;
  tiny_uop *size = tn_k(t, q, (double)n), *two = tn_k(t, q, 2);
  q = tn_mod(t, q, tn_k(t, q, 4 * (double)n));
  tiny_uop *quadrant = tn_idiv(t, q, size), *r = tn_mod(t, q, size);
  r = tn_where(t, tn_eq(t, tn_mod(t, quadrant, two), tn_k(t, q, 1)), tn_sub(t, size, r), r);
  tiny_uop *angle = tn_bad(t, r) ? r : tn_times(t, tn_cast(t, r, dtype), TN_PI / 2 / (double)n);
  tiny_uop *s = tn_sin(t, angle);
  return tn_where(t, tn_lt(t, quadrant, two), s, tn_neg(t, s));
}
// What plane `from` of a number adds to plane `to` of its product with exp(sign 2 pi i m / n). Planes are
// positions.
static tiny_uop *tn_root(tiny_ctx *t, tiny_uop *m, int64_t n, int sign, tiny_uop *to, tiny_uop *from,
                         int dtype) {
  tiny_uop *none = tn_int(t, TINY_INDEX, 0), *quarter = tn_int(t, TINY_INDEX, n),
           *half = tn_int(t, TINY_INDEX, 2 * n);
  tiny_uop *sine = tn_where(t, tn_eq(t, to, none), sign < 0 ? none : half, sign < 0 ? half : none);
  tiny_uop *q = tn_add(t, tn_times(t, m, 4), tn_where(t, tn_eq(t, to, from), quarter, sine));
  return tn_quarter_sine(t, q, n, dtype);
}
// (2, 2, ..): tn_root for planes (to, from) in front of a (.., ) of exponents with two dims of 1 in front.
static tiny_uop *tn_roots(tiny_ctx *t, tiny_uop *m, int64_t n, int sign, int dtype) {
  if (tn_bad(t, m)) return m;
  return tn_stored(t, tn_root(t, m, n, sign, tn_iota(t, TINY_INDEX, 2, 0, m->ndim),
                              tn_iota(t, TINY_INDEX, 2, 1, m->ndim), dtype));
}

// x (R, 2, n) times roots (2, 2, n).
static tiny_uop *tn_planes_times(tiny_ctx *t, tiny_uop *x, tiny_uop *roots) {
  if (tn_bad(t, x) || tn_bad(t, roots)) return &t->ir->bad;
  const int64_t from[4] = {x->dim[0], 1, x->dim[1], x->dim[2]};
  roots = tn_cut(t, roots, 1, 0, x->dim[1]);
  return tn_stored(t, tn_sum(t, tn_mul(t, tn_reshape(t, x, 4, from), roots), 4, 0));
}
// (2, n) of numbers as the (2, 2, n) that multiplies by them.
static tiny_uop *tn_multiplier(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  tiny_uop *to = tn_iota(t, TINY_INDEX, 2, 0, 3), *from = tn_iota(t, TINY_INDEX, 2, 1, 3);
  tiny_uop *re = tn_cut(t, x, 0, 0, 1), *im = tn_cut(t, x, 0, 1, 2), *zero = tn_int(t, TINY_INDEX, 0);
  re = tn_insert(t, re, 0); im = tn_insert(t, im, 0);
  im = tn_where(t, tn_eq(t, to, zero), tn_neg(t, im), im);
  return tn_stored(t, tn_where(t, tn_eq(t, to, from), re, im));
}

// ** transforms of (R, planes, n) -> (R, 2, n), unscaled; one plane: real numbers **

// The sum over j and planes of x (R, planes, n, m) times roots (2, k, planes, j) -> (R, 2, n, m).
static tiny_uop *tn_dft_dense(tiny_ctx *t, tiny_uop *x, int sign) {
  if (tn_bad(t, x)) return x;
  const int64_t R = x->dim[0], planes = x->dim[1], n = x->dim[2], m = x->dim[3];
  const int64_t xs[6] = {R, 1, 1, planes, n, m}, ws[6] = {1, 2, n, planes, n, 1}, order[4] = {0, 2, 1, 3};
  tiny_uop *turns = tn_mod(t, tn_mul(t, tn_iota(t, TINY_INDEX, n, 2, 4), tn_iota(t, TINY_INDEX, n, 3, 4)),
                           tn_int(t, TINY_INDEX, n));
  tiny_uop *w = tn_permute(t, tn_cut(t, tn_roots(t, turns, n, sign, x->dtype), 1, 0, planes), order);
  return tn_dot(t, tn_reshape(t, x, 6, xs), tn_reshape(t, w, 6, ws), NULL, 3 << 3, x->dtype);
}

// A divisor of n up to 64 that makes all stages about as long; 0: there is none.
static int64_t tn_dft_factor(int64_t n) {
  TN_FLOAT_MODE;
  int stages = 1;
  double target = (double)n;
  while (target > (double)TN_DFT_DENSE) target = pow((double)n, 1.0 / ++stages);
  for (int64_t f = (int64_t)ceil(target - 1e-9); f <= TN_DFT_DENSE; f++) if (n % f == 0) return f;
  for (int64_t f = (int64_t)target; f > 1; f--) if (n % f == 0) return f;
  return 0;
}

static tiny_uop *tn_dft(tiny_ctx *t, tiny_uop *x, int sign);

// Element a b-row: j = j1 * b + j2, k = k1 + a * k2.
static tiny_uop *tn_dft_split(tiny_ctx *t, tiny_uop *x, int64_t a, int sign) {
  const int64_t R = x->dim[0], n = x->dim[2], b = n / a;
  const int64_t in[4] = {R, x->dim[1], a, b}, flat[3] = {R, 2, n}, order[4] = {0, 2, 1, 3};
  const int64_t rows[3] = {R * a, 2, b}, back[4] = {R, a, 2, b}, turn[4] = {0, 2, 3, 1};
  tiny_uop *y = tn_stored(t, tn_dft_dense(t, tn_reshape(t, x, 4, in), sign));
  tiny_uop *turns = tn_mul(t, tn_iota(t, TINY_INDEX, a, 2, 4), tn_iota(t, TINY_INDEX, b, 3, 4));
  const int64_t twiddle[3] = {2, 2, n};
  tiny_uop *w = tn_reshape(t, tn_roots(t, turns, n, sign, x->dtype), 3, twiddle);
  y = tn_reshape(t, tn_planes_times(t, tn_reshape(t, y, 3, flat), w), 4, tn_bad(t, y) ? flat : y->dim);
  y = tn_dft(t, tn_reshape(t, tn_permute(t, y, order), 3, rows), sign);
  return tn_reshape(t, tn_permute(t, tn_reshape(t, y, 4, back), turn), 3, flat);
}

// jk = (j^2 + k^2 - (k - j)^2) / 2: factors, a convolution by way of a power of two, factors.
static tiny_uop *tn_dft_chirp(tiny_ctx *t, tiny_uop *x, int sign) {
  TN_FLOAT_MODE;
  const int64_t n = x->dim[2];
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  const int64_t one[3] = {1, 2, size}, planes[2] = {2, size};
  tiny_uop *k = tn_iota(t, TINY_INDEX, n, 2, 3), *j = tn_iota(t, TINY_INDEX, size, 1, 2);
  tiny_uop *period = tn_int(t, TINY_INDEX, 2 * n);
  tiny_uop *chirp = tn_roots(t, tn_mod(t, tn_mul(t, k, k), period), 2 * n, sign, x->dtype);
  // The filter: the conjugate chirp of j and, from the end, of -j.
  tiny_uop *last = tn_sub(t, tn_int(t, TINY_INDEX, size), j);
  tiny_uop *away = tn_where(t, tn_lt(t, j, last), j, last);
  tiny_uop *inside = tn_lt(t, away, tn_int(t, TINY_INDEX, n));
  away = tn_where(t, inside, away, tn_int(t, TINY_INDEX, 0));
  tiny_uop *filter = tn_root(t, tn_mod(t, tn_mul(t, away, away), period), 2 * n, -sign,
                             tn_iota(t, TINY_INDEX, 2, 0, 2), tn_int(t, TINY_INDEX, 0), x->dtype);
  filter = tn_stored(t, tn_where(t, inside, filter, tn_k(t, x, 0)));
  filter = tn_multiplier(t, tn_reshape(t, tn_dft(t, tn_reshape(t, filter, 3, one), -1), 2, planes));
  x = tn_extend(t, tn_planes_times(t, x, chirp), 2, 0, size - n);
  x = tn_planes_times(t, tn_stored(t, tn_dft(t, tn_stored(t, x), -1)), filter);
  x = tn_times(t, tn_cut(t, tn_stored(t, tn_dft(t, x, 1)), 2, 0, n), 1 / (double)size);
  return tn_planes_times(t, x, chirp);
}

static tiny_uop *tn_dft(tiny_ctx *t, tiny_uop *x, int sign) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[2], whole[4] = {x->dim[0], x->dim[1], n, 1}, flat[3] = {x->dim[0], 2, n};
  const int64_t a = n > TN_DFT_DENSE ? tn_dft_factor(n) : 0;
  if (a) return tn_dft_split(t, x, a, sign);
  if (n > TN_DFT_PRIME) return tn_dft_chirp(t, x, sign);
  return tn_reshape(t, tn_dft_dense(t, tn_reshape(t, x, 4, whole), sign), 3, flat);
}

// ** arguments: real (.., n, ..) or complex (.., n, .., 2) along an axis **

typedef struct tn_transform {
  const char *name;
  int from_real, to_real, sign, norm;
  int axis; int64_t n;                     // of the transform: what n was given, or -1
  int ndim; int64_t dim[TN_MAX_DIMS];    // of the rows, the axis last and left out
} tn_transform;

static int tn_is_complex(const char *name, tiny_tensor *x) {
  char a[TN_DIMS_TEXT];
  const tiny_uop *u = tn_uop_of(x);
  if (u->ndim && u->dim[u->ndim - 1] == 2) return 1;
  tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s does not end in a dim of 2, the real and imaginary parts", name,
           tn_text_of(u, a));
  return 0;
}
// x cut or filled with zeros along an axis.
static tiny_uop *tn_fit(tiny_ctx *t, tiny_uop *x, int axis, int64_t n) {
  if (tn_bad(t, x)) return x;
  const int64_t have = x->dim[axis];
  return n < have ? tn_cut(t, x, axis, 0, n) : tn_extend(t, x, axis, 0, n - have);
}
static double tn_transform_scale(const tn_transform *f) {
  TN_FLOAT_MODE;
  const int inverse = f->sign > 0;
  if (f->norm == TINY_FFT_ORTHO) return 1 / sqrt((double)f->n);
  return (f->norm == TINY_FFT_FORWARD) != inverse ? 1 / (double)f->n : 1;
}
// (R, 2, n/2 + 1) of numbers whose mirror images are their conjugates -> (R, 2, n).
static tiny_uop *tn_from_hermitian(tiny_ctx *t, tiny_uop *x, int64_t n) {
  if (tn_bad(t, x)) return x;
  const int64_t half = x->dim[2];
  if (n <= half) return tn_fit(t, x, 2, n);
  tiny_uop *mirrored = tn_flip(t, tn_cut(t, x, 2, 1, n - half + 1), 1 << 2);
  tiny_uop *is_real = tn_eq(t, tn_iota(t, TINY_INDEX, 2, 1, 3), tn_int(t, TINY_INDEX, 0));
  mirrored = tn_where(t, is_real, mirrored, tn_neg(t, mirrored));
  return tn_add(t, tn_extend(t, x, 2, 0, n - half), tn_extend(t, mirrored, 2, half, 0));
}
// One axis of u, complex or real numbers as f says, wide.
static tiny_uop *tn_transform_axis(tiny_ctx *t, const tn_transform *f, tiny_uop *u) {
  if (tn_bad(t, u)) return u;
  const int n = u->ndim - !f->from_real;   // dims of numbers
  const int64_t half = f->n / 2 + 1;
  u = tn_fit(t, u, f->axis, f->to_real ? half : f->n);
  u = tn_swap(t, u, f->axis, n - 1);
  if (!f->from_real) u = tn_swap(t, u, n - 1, n);
  if (tn_bad(t, u)) return u;
  int64_t dim[TINY_MAX_DIMS + 1], rows[3] = {1, f->from_real ? 1 : 2, u->dim[u->ndim - 1]};
  for (int i = 0; i < n - 1; i++) rows[0] *= dim[i] = u->dim[i];
  u = tn_reshape(t, u, 3, rows);
  if (f->to_real) u = tn_from_hermitian(t, u, f->n);
  tiny_uop *y = tn_dft(t, tn_stored(t, u), f->sign);
  if (f->to_real) y = tn_cut(t, y, 1, 0, 1);
  else if (f->from_real) y = tn_cut(t, y, 2, 0, half);
  y = tn_times(t, y, tn_transform_scale(f));
  if (tn_bad(t, y)) return y;
  const int paired = !f->to_real;
  if (paired) dim[n - 1] = 2;
  dim[n - 1 + paired] = y->dim[2];
  y = tn_reshape(t, y, n + paired, dim);
  if (paired) y = tn_swap(t, y, n - 1, n);
  return tn_swap(t, y, f->axis, n - 1);
}

// All of a transform's arguments checked; f->axis and f->n set. 0 after an error.
static int tn_transform_fits(tiny_tensor *x, tn_transform *f, int64_t n, int axis) {
  char a[TN_DIMS_TEXT];
  tiny_uop *u = tn_uop_of(x);
  if (!f->from_real && !tn_is_complex(f->name, x)) return 0;
  const int ndim = u->ndim - !f->from_real, at = axis < 0 ? axis + ndim : axis;
  if (at < 0 || at >= ndim || u->ndim + f->from_real > TINY_MAX_DIMS) {
    tn_wrong(tn_ctx_of(x), TINY_E_ARG, "%s: axis %d is out of range for %s", f->name, axis, tn_text_of(u, a));
    return 0;
  }
  if (n <= 0) n = f->to_real ? 2 * (u->dim[at] - 1) : u->dim[at];
  f->axis = at; f->n = n;
  if (n >= 1 && u->dim[at] >= 1 && n < (int64_t)1 << 30)
    return tn_taken(tn_ctx_of(x), f->name, TN_NUMBER, u->dtype);
  tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %lld points from %s", f->name, (long long)n, tn_text_of(u, a));
  return 0;
}
static tiny_tensor *tn_transform_along(tiny_tensor *x, tn_transform f, int64_t n, int axis) {
  tiny_tensor *out;
  if (!tn_usable(f.name, 1, &x, &out) || !tn_transform_fits(x, &f, n, axis)) return out;
  tiny_uop *u = tn_transform_axis(tn_ctx_of(x), &f, tn_wide(tn_ctx_of(x), tn_uop_of(x)));
  return tn_tensor_new(tn_ctx_of(x), tn_narrow(tn_ctx_of(x), u, tn_uop_of(x)->dtype));
}
static tn_transform tn_transform_of(const char *name, int from_real, int to_real, int sign, int norm) {
  tn_transform f;
  memset(&f, 0, sizeof f);
  f.name = name; f.from_real = from_real; f.to_real = to_real; f.sign = sign; f.norm = norm;
  return f;
}
TINY_API tiny_tensor *tiny_fft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm) {
  return tn_transform_along(x, tn_transform_of("fft", 0, 0, -1, norm), n, axis);
}
TINY_API tiny_tensor *tiny_ifft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm) {
  return tn_transform_along(x, tn_transform_of("ifft", 0, 0, 1, norm), n, axis);
}
TINY_API tiny_tensor *tiny_rfft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm) {
  return tn_transform_along(x, tn_transform_of("rfft", 1, 0, -1, norm), n, axis);
}
TINY_API tiny_tensor *tiny_irfft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm) {
  return tn_transform_along(x, tn_transform_of("irfft", 0, 1, 1, norm), n, axis);
}

// ** several axes **

// Complex transforms along all axes of a list; the last of them real where the first or last step is.
static tiny_tensor *tn_transform_axes(tiny_tensor *x, const char *name, tiny_shape axes, int sign, int real,
                                      int64_t last, tiny_fft_norm norm) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int from_real = real && sign < 0, to_real = real && sign > 0;
  const int ndim = tn_uop_of(x)->ndim - !from_real;
  int seen = 0;
  if (axes.ndim == 1 && axes.dim[0] == TINY_ALL) {
    axes.ndim = ndim < 0 ? 0 : ndim;
    for (int i = 0; i < axes.ndim; i++) axes.dim[i] = i;
  }
  for (int i = 0; i < axes.ndim && i < TINY_MAX_DIMS; i++) {
    if (axes.dim[i] < 0) axes.dim[i] += ndim;
    if (axes.dim[i] < 0 || axes.dim[i] >= ndim || seen >> axes.dim[i] & 1) axes.ndim = -1;
    else seen |= 1 << axes.dim[i];
  }
  if (axes.ndim < 1 || axes.ndim > TINY_MAX_DIMS)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "%s: the axes are none, repeated or out of range for %s", name,
                    tn_text_of(tn_uop_of(x), a));
  const int n = axes.ndim - 1;
  if (from_real) x = tn_transform_along(x, tn_transform_of(name, 1, 0, sign, norm), 0, (int)axes.dim[n]);
  for (int i = 0; i < n + !real && tiny_ok(x); i++)
    x = tn_transform_along(x, tn_transform_of(name, 0, 0, sign, norm), 0, (int)axes.dim[i]);
  if (to_real && tiny_ok(x))
    x = tn_transform_along(x, tn_transform_of(name, 0, 1, sign, norm), last, (int)axes.dim[n]);
  return x;
}
TINY_API tiny_tensor *tiny_fftn(tiny_tensor *x, tiny_shape axes, tiny_fft_norm norm) {
  return tn_transform_axes(x, "fftn", axes, -1, 0, 0, norm);
}
TINY_API tiny_tensor *tiny_ifftn(tiny_tensor *x, tiny_shape axes, tiny_fft_norm norm) {
  return tn_transform_axes(x, "ifftn", axes, 1, 0, 0, norm);
}
TINY_API tiny_tensor *tiny_rfftn(tiny_tensor *x, tiny_shape axes, tiny_fft_norm norm) {
  return tn_transform_axes(x, "rfftn", axes, -1, 1, 0, norm);
}
TINY_API tiny_tensor *tiny_irfftn(tiny_tensor *x, int64_t last, tiny_shape axes, tiny_fft_norm norm) {
  return tn_transform_axes(x, "irfftn", axes, 1, 1, last, norm);
}

// ** frequencies and their order **

static tiny_tensor *tn_shifted(const char *name, tiny_tensor *x, tiny_shape axes, int back) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  tiny_uop *u = tn_uop_of(x);
  const int bits = tn_axis_bits(tn_ctx_of(x), name, u, &axes);
  if (bits < 0) return out;
  for (int i = 0; i < tn_uop_of(x)->ndim && !tn_bad(tn_ctx_of(x), u); i++) {
    const int64_t n = u->dim[i];
    if (bits >> i & 1 && n > 1) u = tn_rotated(tn_ctx_of(x), u, i, back ? n / 2 : n - n / 2);
  }
  return tn_tensor_new(tn_ctx_of(x), u);
}
TINY_API tiny_tensor *tiny_fftshift(tiny_tensor *x, tiny_shape axes) {
  return tn_shifted("fftshift", x, axes, 0);
}
TINY_API tiny_tensor *tiny_ifftshift(tiny_tensor *x, tiny_shape axes) {
  return tn_shifted("ifftshift", x, axes, 1);
}

static tiny_tensor *tn_frequencies(tiny_ctx *t, const char *name, int64_t n, int64_t count, double step,
                                   tiny_dtype dtype) {
  TN_FLOAT_MODE;
  const tiny_shape s = {1, {count}};
  if (!tn_creatable(t, name, dtype, &s)) return tn_poison(t);
  if (n < 1 || !tn_is_float(dtype))
    return tn_wrong(t, TINY_E_ARG, "%s: %lld points in %s", name, (long long)n, tn_dtypes[dtype].name);
  tiny_uop *k = tn_iota(t, TINY_INDEX, count, 0, 1), *size = tn_int(t, TINY_INDEX, n);
  if (count == n) k = tn_where(t, tn_lt(t, tn_times(t, k, 2), size), k, tn_sub(t, k, size));
  tiny_uop *f = tn_bad(t, k) ? k : tn_times(t, tn_cast(t, k, tn_computed_in(dtype)), 1 / ((double)n * step));
  return tn_tensor_new(t, tn_bad(t, f) ? f : tn_cast(t, f, dtype));
}
TINY_API tiny_tensor *tiny_fftfreq(tiny_ctx *t, int64_t n, double step, tiny_dtype dtype) {
  return tn_frequencies(t, "fftfreq", n, n, step, dtype);
}
TINY_API tiny_tensor *tiny_rfftfreq(tiny_ctx *t, int64_t n, double step, tiny_dtype dtype) {
  return tn_frequencies(t, "rfftfreq", n, n < 0 ? 0 : n / 2 + 1, step, dtype);
}

// ** complex numbers **

static tiny_uop *tn_part(tiny_ctx *t, tiny_uop *x, int part) {             // (.., 2) -> (..)
  if (tn_bad(t, x)) return x;
  const int n = x->ndim - 1;
  return tn_reshape(t, tn_cut(t, x, n, part, part + 1), n, x->dim);
}
static tiny_uop *tn_paired(tiny_ctx *t, tiny_uop *re, tiny_uop *im) {
  tn_broadcast_whole(t, &re, &im);
  if (tn_bad(t, re) || tn_bad(t, im)) return &t->ir->bad;
  const int n = re->ndim;
  return tn_add(t, tn_extend(t, tn_insert(t, re, n), n, 0, 1), tn_extend(t, tn_insert(t, im, n), n, 1, 0));
}
TINY_API tiny_tensor *tiny_complex(tiny_tensor *re, tiny_tensor *im) {
  tiny_tensor *out, *in[2] = {re, im ? im : re};
  if (!tn_usable("complex", 2, in, &out) || !tn_shapes_meet("complex", 2, in)) return out;
  tiny_ctx *t = tn_ctx_of(re);
  const int dtype = tn_real(tn_meet(tn_uop_of(re), tn_uop_of(in[1])));
  tiny_uop *x = tn_cast(t, tn_uop_of(re), dtype), *y = im ? tn_cast(t, tn_uop_of(im), dtype) : tn_k(t, x, 0);
  if (!tn_bad(t, x) && x->ndim == TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "complex: no room for a dim behind %d", TINY_MAX_DIMS);
  if (!im && !tn_bad(t, x)) y = tn_expand(t, y, x->ndim, x->dim);
  return tn_tensor_new(t, tn_paired(t, x, y));
}
static tiny_tensor *tn_complex_part(const char *name, tiny_tensor *x, int part) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out) || !tn_is_complex(name, x)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_part(tn_ctx_of(x), tn_uop_of(x), part));
}
TINY_API tiny_tensor *tiny_real(tiny_tensor *x) { return tn_complex_part("real", x, 0); }
TINY_API tiny_tensor *tiny_imag(tiny_tensor *x) { return tn_complex_part("imag", x, 1); }
TINY_API tiny_tensor *tiny_conj(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("conj", 1, &x, &out) || !tn_is_complex("conj", x)) return out;
  tiny_uop *re = tn_part(tn_ctx_of(x), tn_uop_of(x), 0), *im = tn_part(tn_ctx_of(x), tn_uop_of(x), 1);
  return tn_tensor_new(tn_ctx_of(x), tn_paired(tn_ctx_of(x), re, tn_neg(tn_ctx_of(x), im)));
}
TINY_API tiny_tensor *tiny_complex_mul(tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable("complex_mul", 2, in, &out) || !tn_is_complex("complex_mul", a) ||
      !tn_is_complex("complex_mul", b) || !tn_shapes_meet("complex_mul", 2, in))
    return out;
  tiny_ctx *t = tn_ctx_of(a);
  const int dtype = tn_real(tiny_promote((tiny_dtype)tn_uop_of(a)->dtype, (tiny_dtype)tn_uop_of(b)->dtype));
  tiny_uop *x = tn_cast(t, tn_uop_of(a), tn_computed_in(dtype)),
      *y = tn_cast(t, tn_uop_of(b), tn_computed_in(dtype));
  tiny_uop *xr = tn_part(t, x, 0), *xi = tn_part(t, x, 1), *yr = tn_part(t, y, 0), *yi = tn_part(t, y, 1);
  tiny_uop *re = tn_sub(t, tn_mul(t, xr, yr), tn_mul(t, xi, yi)),
           *im = tn_add(t, tn_mul(t, xr, yi), tn_mul(t, xi, yr));
  return tn_tensor_new(t, tn_narrow(t, tn_paired(t, re, im), dtype));
}
TINY_API tiny_tensor *tiny_complex_abs(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("complex_abs", 1, &x, &out) || !tn_is_complex("complex_abs", x)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_tensor_new(t, tn_narrow(t, tn_vector_norm(t, tn_wide(t, tn_uop_of(x)), 2), tn_uop_of(x)->dtype));
}
TINY_API tiny_tensor *tiny_polar(tiny_tensor *size, tiny_tensor *angle) {
  tiny_tensor *out, *in[2] = {size, angle};
  if (!tn_usable("polar", 2, in, &out) || !tn_shapes_meet("polar", 2, in)) return out;
  tiny_ctx *t = tn_ctx_of(size);
  const int dtype = tn_real(tn_meet(tn_uop_of(size), tn_uop_of(angle)));
  tiny_uop *r = tn_cast(t, tn_uop_of(size), tn_computed_in(dtype)),
           *phi = tn_cast(t, tn_uop_of(angle), tn_computed_in(dtype));
  tiny_uop *y = tn_paired(t, tn_mul(t, r, tn_cos(t, phi)), tn_mul(t, r, tn_sin(t, phi)));
  return tn_tensor_new(t, tn_narrow(t, y, dtype));
}
#endif
