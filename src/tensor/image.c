// image: resizing, sampling at computed positions, and channels that trade places with pixels.
//
// A resized or sampled element is a weighted sum of a few taps along each axis (pool.c's tn_taps). In
// resizing, positions are fractions of whole numbers, in sampling floats; weights have gradients, what is
// whole has none. Conventions of coordinates are PyTorch's (ATen/native/UpSample.h, GridSampler.h), so that
// models give the same images.
#ifndef TN_TENSOR_IMAGE
#define TN_TENSOR_IMAGE
#ifndef TINY_AMALGAMATED
#include "pool.c"
#endif

// ** taps **

// Positions are computed in f32, f64 for f64.
static int tn_position_dtype(int dtype) { return dtype == TINY_F64 ? (int)TINY_F64 : (int)TINY_F32; }
static int tn_taps_of_mode(int mode) { return mode == TINY_LINEAR ? 2 : mode == TINY_CUBIC ? 4 : 1; }

// Keys, "Cubic convolution interpolation for digital image processing" (1981), eq. 15, with a = -0.75: the
// weights of elements at distances s and 1 + s. The second is a (s^3 - 2 s^2 + s), as a product: nothing
// cancels.
static tiny_uop *tn_cubic_near(tiny_ctx *t, tiny_uop *s) {
  static const double c[4] = {1.25, -2.25, 0, 1};
  return tn_polynomial(t, s, 4, c);
}
static tiny_uop *tn_cubic_far(tiny_ctx *t, tiny_uop *s) {
  return tn_times(t, tn_mul(t, s, tn_square(t, tn_plus(t, s, -1))), -0.75);
}
// The weight of tap k (an iota) at a position `part` past its floor, 0 <= part < 1.
static tiny_uop *tn_tap_weight(tiny_ctx *t, int mode, tiny_uop *part, tiny_uop *k) {
  tiny_uop *rest = tn_plus(t, tn_neg(t, part), 1);
  if (mode == TINY_LINEAR) return tn_where(t, tn_eq(t, k, tn_k(t, k, 0)), rest, part);
  // to the inner tap of this side
  tiny_uop *left = tn_lt(t, k, tn_k(t, k, 2)), *s = tn_where(t, left, part, rest);
  tiny_uop *outer = tn_or(t, tn_eq(t, k, tn_k(t, k, 0)), tn_eq(t, k, tn_k(t, k, 3)));
  return tn_where(t, outer, tn_cubic_far(t, s), tn_cubic_near(t, s));
}

// ** interpolate **

// Element o of the result lies at (o * step + first) / unit in the source: whole numbers, so that whole part
// and fraction are exact. A scale that was given is taken as a multiple of a power of two, rounded up: what
// should reach a whole number must not stay below.
typedef struct tn_resize_map { double step, first, unit; } tn_resize_map;
static tn_resize_map tn_resize_map_of(const tn_taps *p, int i, int mode, int align, double scale) {
  TN_FLOAT_MODE;
  double from = (double)p->S[i], to = (double)p->O[i];
  if (align) { const tn_resize_map m = {to > 1 ? from - 1 : 0, 0, to > 1 ? to - 1 : 1}; return m; }
  if (scale > 0) {
    const double room = ldexp(1, 60) / (2 * to + 1);
    to = ldexp(1, 40);
    while (to > 1 && (to / scale > room || to > room)) to /= 2;
    from = ceil(to / scale);
  }
  const int centred = mode != TINY_NEAREST;
  const double first = mode == TINY_NEAREST ? 0 : mode == TINY_NEAREST_EXACT ? from : from - to;
  const tn_resize_map m = {from * (1 + centred), first, to * (1 + centred)};
  return m;
}
static tiny_uop *tn_resize(tiny_ctx *t, tiny_uop *x, tn_taps *p, const tiny_interpolate_desc *d) {
  TN_FLOAT_MODE;
  int64_t dim[1 + TN_SPATIAL] = {p->L};
  for (int i = 0; i < p->n; i++) {
    const tn_resize_map m = tn_resize_map_of(p, i, d->mode, d->align_corners, d->scale[i]);
    tiny_uop *o = tn_tap_iota(t, p, TINY_INDEX, TN_TAP_O, i), *k = tn_tap_iota(t, p, TINY_INDEX, TN_TAP_T, i),
             *at = tn_plus(t, tn_times(t, o, m.step), m.first), *unit = tn_k(t, o, m.unit);
    if (d->mode == TINY_LINEAR) at = tn_max(t, at, tn_k(t, o, 0));
    tiny_uop *place = tn_add(t, tn_idiv(t, at, unit), k), *part = tn_mod(t, at, unit);
    if (tn_bad(t, place) || tn_bad(t, part)) return &t->ir->bad;
    if (d->mode == TINY_LINEAR || d->mode == TINY_CUBIC)
      p->weight[i] = tn_tap_weight(t, d->mode, tn_times(t, tn_cast(t, part, x->dtype), 1 / m.unit), k);
    if (d->mode == TINY_CUBIC) place = tn_max(t, tn_plus(t, place, -1), tn_k(t, k, 0));
    p->at[i] = tn_stored_place(t, tn_lesser(t, place, tn_k(t, k, (double)(p->S[i] - 1))), p->S[i]);
    dim[1 + i] = p->O[i];
  }
  x = tn_take_taps(t, x, p);
  return tn_reshape(t, x, 1 + p->n, dim);
}
// Every element `factor` times: sizes that nearest multiplies by whole numbers.
static tiny_uop *tn_repeat_each(tiny_ctx *t, tiny_uop *x, const tn_taps *p) {
  int64_t one[TN_MAX_DIMS] = {p->L}, dim[TN_MAX_DIMS] = {p->L}, flat[1 + TN_SPATIAL] = {p->L};
  for (int i = 0; i < p->n; i++) {
    one[1 + 2 * i] = dim[1 + 2 * i] = p->S[i];
    one[2 + 2 * i] = 1; dim[2 + 2 * i] = p->O[i] / p->S[i];
    flat[1 + i] = p->O[i];
  }
  return tn_reshape(t, tn_expand(t, tn_reshape(t, x, 1 + 2 * p->n, one), 1 + 2 * p->n, dim), 1 + p->n, flat);
}

// Sizes before and after, one tap an axis for now; 0: an error was recorded. *repeats: each is a multiple.
static int tn_resize_of(tiny_tensor *x, const tiny_interpolate_desc *d, tn_taps *p, tiny_shape *s,
                        int *repeats) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(x);
  memset(p, 0, sizeof *p);
  *s = tiny_shape_of(x);
  *repeats = 1;
  while (p->n < TN_SPATIAL && (d->size[p->n] || d->scale[p->n] != 0)) p->n++;
  const int n = p->n, lead = s->ndim - n;
  if (!n || lead < 0) {
    tiny_fail(t, TINY_E_SHAPE, "interpolate: %d sizes or scales for %s", n, tn_text_of(tn_uop_of(x), a));
    return 0;
  }
  p->L = tn_dims_nelem(lead, s->dim);
  for (int i = 0; i < n; i++) {
    if (!tn_axis_whole_for(t, "interpolate", tn_uop_of(x), lead + i,
                           "where its elements go depends on how many there are"))
      return 0;
    const int64_t from = p->S[i] = s->dim[lead + i];
    const double to = d->size[i] ? (double)d->size[i] : floor((double)from * d->scale[i]);
    if (!(to >= 1 && to < INT32_MAX) || (d->size[i] && d->scale[i] != 0) || from < 1 || from >= INT32_MAX) {
      tiny_fail(t, TINY_E_ARG, "interpolate: spatial dim %d of %s to size %lld or by %g", i,
                tn_text_of(tn_uop_of(x), a), (long long)d->size[i], d->scale[i]);
      return 0;
    }
    p->O[i] = s->dim[lead + i] = (int64_t)to;
    p->T[i] = 1;
    *repeats &= p->O[i] % from == 0 && (d->size[i] || d->scale[i] == floor(d->scale[i]));
  }
  return tn_shape_valid(t, "interpolate", s);
}
TINY_API tiny_tensor *tiny_interpolate(tiny_tensor *x, const tiny_interpolate_desc *desc) {
  tiny_tensor *out;
  tiny_interpolate_desc d;
  tn_taps p;
  tiny_shape s;
  int repeats;
  if (!tn_usable("interpolate", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  if (!d.mode) d.mode = TINY_NEAREST;
  const int weighs = d.mode == TINY_LINEAR || d.mode == TINY_CUBIC;
  if ((unsigned)d.mode > TINY_AREA || (d.align_corners && !weighs))
    return tn_wrong(t, TINY_E_ARG, "interpolate: mode %d, align_corners %d", (int)d.mode, d.align_corners);
  if (!tn_resize_of(x, &d, &p, &s, &repeats)) return out;
  if (d.mode == TINY_AREA) {
    tiny_shape size = {p.n, {0}};
    for (int i = 0; i < p.n; i++) size.dim[i] = p.O[i];
    return tiny_adaptive_avg_pool(x, size);
  }
  for (int i = 0; i < p.n; i++) p.T[i] = tn_taps_of_mode(d.mode);
  tiny_uop *u = weighs ? tn_wide(t, tn_uop_of(x)) : tn_uop_of(x);
  if (tn_bad(t, u)) return tn_poison(t);
  u = tn_reshape(t, repeats && !weighs ? tn_repeat_each(t, u, &p) : tn_resize(t, u, &p, &d), s.ndim, s.dim);
  return tn_tensor_new(t, weighs ? tn_narrow(t, u, tn_uop_of(x)->dtype) : u);
}

// ** grid_sample **

// One number for each element of the last axis, of n, of (.., .., n); a constant where n is 1.
static tiny_uop *tn_numbers(tiny_ctx *t, const tiny_uop *like, int n, const double *c) {
  tiny_uop *v = tn_k(t, like, c[0]);
  for (int i = 1; i < n; i++) {
    tiny_uop *at = tn_iota(t, TINY_INDEX, n, 2, 3);
    v = tn_where(t, tn_eq(t, at, tn_k(t, at, i)), tn_k(t, like, c[i]), v);
  }
  return v;
}
// lo <= x <= hi. x decides alone strictly between them: at the bounds nothing flows back. NaN becomes lo.
static tiny_uop *tn_within(tiny_ctx *t, tiny_uop *x, double lo, tiny_uop *hi) {
  tiny_uop *low = tn_k(t, x, lo);
  return tn_where(t, tn_lt(t, low, x), tn_where(t, tn_lt(t, x, hi), x, hi), low);
}
// A position reflected between lo and lo + span until it lies there.
static tiny_uop *tn_reflect(tiny_ctx *t, tiny_uop *x, double lo, tiny_uop *span) {
  tiny_uop *from = tn_plus(t, x, -lo);
  from = tn_where(t, tn_below_zero(t, from), tn_neg(t, from), from);
  tiny_uop *turns = tn_floor(t, tn_fdiv(t, from, span)), *half = tn_times(t, turns, 0.5);
  tiny_uop *over = tn_sub(t, from, tn_mul(t, turns, span)), *odd = tn_ne(t, tn_floor(t, half), half);
  return tn_plus(t, tn_where(t, odd, tn_sub(t, span, over), over), lo);
}
// Positions moved to where an image of these n sizes is. With zeros, far enough outside to find nothing, and
// near enough to be counted.
static tiny_uop *tn_grid_pad(tiny_ctx *t, tiny_uop *x, int n, const int64_t *size, const tiny_grid_desc *d) {
  double outer[TN_SPATIAL], last[TN_SPATIAL], span[TN_SPATIAL];
  for (int i = 0; i < n; i++) {
    outer[i] = (double)size[i] + 8;
    last[i] = (double)size[i] - 1;
    span[i] = !d->align_corners ? (double)size[i] : last[i] > 0 ? last[i] : 1;
  }
  if (d->padding == TINY_PAD_ZEROS) return tn_within(t, x, -8, tn_numbers(t, x, n, outer));
  if (d->padding == TINY_PAD_REFLECT)
    x = tn_reflect(t, x, d->align_corners ? 0 : -0.5, tn_numbers(t, x, n, span));
  return tn_within(t, x, 0, tn_numbers(t, x, n, last));
}
// Positions of a grid (B,P,n) of -1..1, innermost first, in elements, outermost first.
static tiny_uop *tn_grid_positions(tiny_ctx *t, tiny_uop *g, const tn_taps *p, const tiny_grid_desc *d) {
  double scale[TN_SPATIAL];
  for (int i = 0; i < p->n; i++) scale[i] = 0.5 * (double)(p->S[i] - (d->align_corners != 0));
  g = tn_plus(t, tn_flip(t, g, 4), 1);
  tiny_uop *x = tn_mul(t, g, tn_numbers(t, g, p->n, scale));
  if (!d->align_corners) x = tn_plus(t, x, -0.5);
  return d->mode == TINY_CUBIC ? tn_within(t, x, -1e6, tn_k(t, x, 1e6)) : tn_grid_pad(t, x, p->n, p->S, d);
}
// Samples of u (B,C,S..) at positions x (B,P,n). Taps are read first and weighted then, so that gradients of
// the weights, of which there are several, need no lookup. Positions and their floors are stored: masks and
// weights stay cheap.
static tiny_uop *tn_grid_samples(tiny_ctx *t, tiny_uop *u, tiny_uop *x, tn_taps *p, const tiny_grid_desc *d) {
  const int n = p->n, all = tn_tap_dims(p), nearest = d->mode == TINY_NEAREST, sums = 1 + 2 * n;
  int64_t place[TN_MAX_DIMS] = {p->L, 1, p->O[1]};
  if (tn_bad(t, u) || tn_bad(t, x)) return &t->ir->bad;
  x = tn_u1(t, TINY_OP_CONTIGUOUS, x);
  tiny_uop *whole = tn_stored_place(t, nearest ? tn_round(t, x) : tn_floor(t, x), 0), *weight = NULL;
  if (tn_bad(t, whole)) return whole;
  tiny_uop *part = tn_sub(t, x, tn_cast(t, whole, x->dtype));
  for (int i = 3; i < all; i++) place[i] = 1;
  for (int i = 0; i < n; i++) {
    tiny_uop *at = tn_add(t, tn_reshape(t, tn_cut(t, whole, 2, i, i + 1), all, place),
                          tn_tap_iota(t, p, TINY_I32, TN_TAP_T, i));
    if (tn_bad(t, at)) return at;
    if (d->mode == TINY_CUBIC) {           // taps are padded one by one; reflection may lose a bit
      at = tn_round(t, tn_grid_pad(t, tn_plus(t, tn_cast(t, at, x->dtype), -1), 1, &p->S[i], d));
      at = tn_stored_place(t, at, 0);
    }
    p->at[i] = at;
    if (nearest) continue;
    tiny_uop *w = tn_tap_weight(t, d->mode, tn_reshape(t, tn_cut(t, part, 2, i, i + 1), sums, place),
                                tn_iota(t, TINY_I32, p->T[i], 1 + n + i, sums));
    weight = weight ? tn_mul(t, weight, w) : w;
  }
  tiny_uop *y = tn_take_taps(t, u, p);
  if (weight) y = tn_bad(t, weight) ? weight : tn_mul(t, y, tn_cast(t, weight, u->dtype));
  return tn_sum(t, y, ((1 << n) - 1) << (1 + n), 0);
}

TINY_API tiny_tensor *tiny_grid_sample(tiny_tensor *x, tiny_tensor *grid, const tiny_grid_desc *desc) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, grid};
  tiny_grid_desc d;
  if (!tn_usable("grid_sample", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x), *g = tn_uop_of(grid);
  const int n = u->ndim - 2;
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  if (!d.mode) d.mode = TINY_LINEAR;
  if ((unsigned)d.mode > TINY_CUBIC || d.mode == TINY_NEAREST_EXACT ||
      (unsigned)d.padding > TINY_PAD_REPLICATE ||
      (d.mode == TINY_CUBIC && n != 2))
    return tn_wrong(t, TINY_E_ARG, "grid_sample: mode %d, padding %d, %d spatial dims", (int)d.mode,
                    (int)d.padding, n);
  if (!tn_is_float(u->dtype) || !tn_is_float(g->dtype))
    return tn_wrong(t, TINY_E_DTYPE, "grid_sample: %s at %s", tn_dtypes[u->dtype].name,
                    tn_dtypes[g->dtype].name);
  if (n < 2 || n > TN_SPATIAL || g->ndim != u->ndim || g->dim[n + 1] != n || g->dim[0] != u->dim[0] ||
      !tn_dims_nelem(n, u->dim + 2))
    return tn_wrong(t, TINY_E_SHAPE, "grid_sample: %s at %s", tn_text_of(u, a), tn_text_of(g, b));
  const int64_t B = u->dim[0], C = u->dim[1], P = tn_dims_nelem(n, g->dim + 1);
  const int wide = tn_computed_in(u->dtype), dtype = tn_position_dtype(g->dtype);
  int64_t points[3] = {B, P, n}, ys[TN_SPATIAL + 2] = {B, C};
  tn_taps p;
  memset(&p, 0, sizeof p);
  p.n = n;
  p.L = B;
  for (int i = 0; i < n; i++) {            // the axes of the result: channels, points, nothing
    p.O[i] = i == 0 ? C : i == 1 ? P : 1;
    p.S[i] = u->dim[2 + i];
    p.T[i] = tn_taps_of_mode(d.mode);
    ys[2 + i] = g->dim[1 + i];
  }
  p.own[0] = C;
  g = tn_cast(t, tn_reshape(t, g, 3, points), dtype);
  g = tn_bad(t, g) ? g : tn_grid_positions(t, g, &p, &d);
  tiny_uop *y = tn_cast(t, u, wide);
  if (C) y = tn_grid_samples(t, y, g, &p, &d);
  y = tn_reshape(t, y, n + 2, ys);
  return tn_tensor_new(t, tn_bad(t, y) ? y : tn_cast(t, y, u->dtype));
}

TINY_API tiny_tensor *tiny_affine_grid(tiny_tensor *theta, tiny_shape size, int align_corners) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("affine_grid", 1, &theta, &out)) return out;
  tiny_ctx *t = tn_ctx_of(theta);
  tiny_uop *u = tn_uop_of(theta);
  const int n = size.ndim - 2, all = n + 2;
  if (!tn_is_float(u->dtype))
    return tn_wrong(t, TINY_E_DTYPE, "affine_grid: %s", tn_dtypes[u->dtype].name);
  if (!tn_shape_valid(t, "affine_grid", &size)) return out;
  const int64_t wanted[3] = {size.dim[0], n, n + 1};
  if (n < 2 || n > TN_SPATIAL || !tn_has_dims(u, 3, wanted))
    return tn_wrong(t, TINY_E_SHAPE, "affine_grid: %s for %s", tn_text_of(u, a),
                    tn_dims_text(b, sizeof b, size.ndim, size.dim));
  int64_t column[TN_MAX_DIMS] = {u->dim[0], 1, 1, 1, 1}, grid[TN_MAX_DIMS] = {u->dim[0]};
  column[n + 1] = grid[n + 1] = n;
  for (int i = 0; i < n; i++) grid[1 + i] = size.dim[2 + i];
  const int inside = tn_computed_in(u->dtype), dtype = u->dtype;
  u = tn_cast(t, u, inside);
  tiny_uop *sum = tn_reshape(t, tn_cut(t, u, 2, n, n + 1), all, column);
  for (int k = 0; k < n; k++) {            // coordinate k runs along the k-th dim from the end
    const int64_t S = size.dim[1 + n - k];
    const double first = align_corners ? -1 : 1.0 / (double)S - 1;
    const double step = 2.0 / (double)(align_corners ? S - 1 : S);
    tiny_uop *at = tn_iota(t, inside, S, n - k, all);
    at = S > 1 ? tn_plus(t, tn_times(t, at, step), first) : tn_times(t, at, 0);
    sum = tn_add(t, sum, tn_mul(t, tn_reshape(t, tn_cut(t, u, 2, k, k + 1), all, column), at));
  }
  sum = tn_expand(t, sum, all, grid);
  return tn_tensor_new(t, tn_bad(t, sum) ? sum : tn_cast(t, sum, dtype));
}

// ** channels and pixels **

// (.., C * f * f, H, W) <-> (.., C, H * f, W * f).
static tiny_tensor *tn_shuffle_pixels(const char *name, tiny_tensor *x, int f, int back) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  const int lead = u->ndim - 3;
  if (f < 1 || f > 1 << 15) return tn_wrong(t, TINY_E_ARG, "%s: factor %d", name, f);
  if (lead < 0 || u->ndim > TINY_MAX_DIMS - 3 || (!back && u->dim[lead] % ((int64_t)f * f)) ||
      (back && (u->dim[lead + 1] % f || u->dim[lead + 2] % f)))
    return tn_wrong(t, TINY_E_SHAPE, "%s: %s by %d", name, tn_text_of(u, a), f);
  const int64_t ff = (int64_t)f * f, C = back ? u->dim[lead] : u->dim[lead] / ff;
  const int64_t H = back ? u->dim[lead + 1] / f : u->dim[lead + 1];
  const int64_t W = back ? u->dim[lead + 2] / f : u->dim[lead + 2];
  const int64_t L = tn_dims_nelem(lead, u->dim);
  const int64_t split[6] = {L, C, f, f, H, W}, joined[6] = {L, C, H, f, W, f};
  static const int64_t forth[6] = {0, 1, 4, 2, 5, 3}, home[6] = {0, 1, 3, 5, 2, 4};
  tiny_shape s = tiny_shape_of(x);
  s.dim[lead] = back ? C * ff : C;
  s.dim[lead + 1] = back ? H : H * f;
  s.dim[lead + 2] = back ? W : W * f;
  u = tn_permute(t, tn_reshape(t, u, 6, back ? joined : split), back ? home : forth);
  return tn_tensor_new(t, tn_reshape(t, u, s.ndim, s.dim));
}
TINY_API tiny_tensor *tiny_pixel_shuffle(tiny_tensor *x, int factor) {
  return tn_shuffle_pixels("pixel_shuffle", x, factor, 0);
}
TINY_API tiny_tensor *tiny_pixel_unshuffle(tiny_tensor *x, int factor) {
  return tn_shuffle_pixels("pixel_unshuffle", x, factor, 1);
}
TINY_API tiny_tensor *tiny_channel_shuffle(tiny_tensor *x, int groups) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("channel_shuffle", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  if (u->ndim < 2 || u->ndim == TINY_MAX_DIMS || groups < 1 || u->dim[1] % groups)
    return tn_wrong(t, TINY_E_SHAPE, "channel_shuffle: %s in %d groups", tn_text_of(u, a), groups);
  tiny_uop *y = tn_swap(t, tn_split(t, tn_uop_of(x), 1, groups, u->dim[1] / groups), 1, 2);
  return tn_tensor_new(t, tn_merge(t, y, 1));
}
#endif
