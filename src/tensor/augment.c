// augment: batches of pictures (N,C,H,W), changed at random while a network learns.
//
// In:    a batch; numbers of the context's counter, a call for each thing that is drawn, an element for each item.
//        Out: the batch, as a graph without a loop over items: elementwise, or weighted taps at places that differ from
//        item to item (pool.c's tn_taps), or a grid (image.c). Numbers are drawn on the device, so that captured
//        programs draw them anew.
// A chance of p is `drawn < p`, with drawn in [0,1): 0 is never, 1 is always.
#ifndef TN_TENSOR_AUGMENT
#define TN_TENSOR_AUGMENT
#ifndef TINY_AMALGAMATED
#include "image.c"
#include "random.c"
#endif

// ** what all of them share **

enum { TN_PICTURES_ANY, TN_PICTURES_FLOATS };
// Is x a batch of pictures, of floats if that is wanted? *out is what the operator returns if not.
static int tn_is_pictures(const char *name, tiny_tensor *x, int takes, tiny_tensor **out) {
  char a[TN_DIMS_TEXT];
  if (!tn_usable(name, 1, &x, out)) return 0;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  if (takes == TN_PICTURES_FLOATS && !tn_taken(t, name, TN_FLOATS, u->dtype)) return 0;
  if (u->ndim == 4) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %s is no batch of pictures (N,C,H,W)", name, tn_text_of(u, a));
  return 0;
}
static int tn_augment_wrong(tiny_ctx *t, const char *name, const char *what, double a, double b) {
  tiny_fail(t, TINY_E_ARG, "%s: %s: %g, %g", name, what, a, b);
  return 0;
}
// A number for each of n items, uniform in [low,high): f32 (n,1,1,1).
static tiny_uop *tn_drawn(tiny_ctx *t, int64_t n, double low, double high) {
  const int64_t dim[4] = {n, 1, 1, 1};
  tiny_uop *u = tn_uniform(t, 4, dim);
  return low == 0 && high == 1 ? u : tn_plus(t, tn_times(t, u, high - low), low);
}
static tiny_uop *tn_chance(tiny_ctx *t, int64_t n, double p) {
  tiny_uop *u = tn_drawn(t, n, 0, 1);
  return tn_lt(t, u, tn_k(t, u, p));
}
static int tn_is_chance(tiny_ctx *t, const char *name, double p) {
  return (p >= 0 && p <= 1) || tn_augment_wrong(t, name, "a chance is from 0 to 1", p, p);
}
// Whole numbers from 0 to below `width` (f32 (n,1,1,1), at least 1) for each item.
static tiny_uop *tn_drawn_whole(tiny_ctx *t, int64_t n, tiny_uop *width) {
  tiny_uop *at = tn_floor(t, tn_mul(t, tn_drawn(t, n, 0, 1), width));
  return tn_min(t, at, tn_plus(t, width, -1));               // the product may have been rounded up
}
// The result of an operator that computes in f32, or f64 for f64.
static tiny_tensor *tn_picture_new(tiny_tensor *x, tiny_uop *u) {
  tiny_ctx *t = tn_ctx_of(x);
  return tn_value_new(t, tn_bad(t, u) ? u : tn_cast(t, u, tn_uop_of(x)->dtype), 1, &x);
}

// ** dtypes and channels **

static double tn_image_full(int dtype) { return dtype == TINY_U8 ? 255 : dtype == TINY_U16 ? 65535 : 1; }
static int tn_is_image_dtype(int dtype) { return dtype == TINY_U8 || dtype == TINY_U16 || tn_is_float(dtype); }
TINY_API tiny_tensor *tiny_convert_image_dtype(tiny_tensor *x, tiny_dtype dtype) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_usable("convert_image_dtype", 1, &x, &out) || !tn_dtype_check(tn_ctx_of(x), "convert_image_dtype", dtype))
    return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  const int from = u->dtype, real = tn_is_float(dtype);
  if (!tn_is_image_dtype(from) || !tn_is_image_dtype((int)dtype))
    return tn_wrong(t, TINY_E_DTYPE, "convert_image_dtype: %s to %s", tn_dtypes[from].name, tiny_dtype_name(dtype));
  if (from == (int)dtype || (tn_is_float(from) && real)) return tiny_cast(x, dtype);
  const double full = tn_image_full((int)dtype), was = tn_image_full(from);
  u = tn_cast(t, u, real ? tn_computed_in((int)dtype) : tn_is_float(from) ? tn_computed_in(from) : (int)TINY_F32);
  if (tn_bad(t, u)) return tn_poison(t);
  if (real) u = tn_fdiv(t, u, tn_k(t, u, was));
  else {
    u = tn_times(t, u, full / was);
    u = tn_floor(t, tn_plus(t, tn_within(t, u, 0, tn_k(t, u, full)), 0.5));
  }
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, (int)dtype));
}

enum { TN_CHANNELS_TOLD = 64 };

// A number for each channel (1,n,1,1).
static tiny_uop *tn_channel_numbers(tiny_ctx *t, const tiny_uop *like, int n, const double *c, int inverse) {
  tiny_uop *v = tn_k(t, like, inverse ? 1 / c[0] : c[0]);
  for (int i = 1; i < n; i++) {
    tiny_uop *at = tn_iota(t, TINY_INDEX, n, 1, 4);
    v = tn_where(t, tn_eq(t, at, tn_k(t, at, i)), tn_k(t, like, inverse ? 1 / c[i] : c[i]), v);
  }
  return v;
}
TINY_API tiny_tensor *tiny_normalize_image(tiny_tensor *x, const double *mean, const double *std, int n) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_is_pictures("normalize_image", x, TN_PICTURES_FLOATS, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (n > TN_CHANNELS_TOLD)
    return tn_wrong(t, TINY_E_ARG, "normalize_image: %d channels; at most %d have numbers of their own", n,
                    (int)TN_CHANNELS_TOLD);
  if (!mean || !std || n < 1 || (n != 1 && n != u->dim[1]))
    return tn_wrong(t, TINY_E_ARG, "normalize_image: %d means and deviations for %lld channels", n,
                    (long long)u->dim[1]);
  for (int i = 0; i < n; i++)
    if (!(fabs(mean[i]) < HUGE_VAL && std[i] != 0 && fabs(std[i]) < HUGE_VAL))
      return tn_wrong(t, TINY_E_ARG, "normalize_image: channel %d: mean %g, deviation %g", i, mean[i], std[i]);
  u = tn_wide(t, u);
  if (tn_bad(t, u)) return tn_poison(t);
  u = tn_mul(t, tn_sub(t, u, tn_channel_numbers(t, u, n, mean, 0)), tn_channel_numbers(t, u, n, std, 1));
  return tn_picture_new(x, u);
}

// Rec. 601's weights, to four digits, as PyTorch has them; of one channel, it.
static tiny_uop *tn_grey(tiny_ctx *t, tiny_uop *u) {
  static const double weight[3] = {0.2989, 0.587, 0.114};
  if (tn_bad(t, u) || u->dim[1] == 1) return u;
  tiny_uop *sum = NULL;
  for (int c = 0; c < 3; c++) {
    tiny_uop *one = tn_times(t, tn_cut(t, u, 1, c, c + 1), weight[c]);
    sum = sum ? tn_add(t, sum, one) : one;
  }
  return sum;
}
static int tn_has_channels(const char *name, const tiny_tensor *x, int one_too) {
  char a[TN_DIMS_TEXT];
  const tiny_uop *u = tn_uop_of(x);
  if (u->dim[1] == 3 || (one_too && u->dim[1] == 1)) return 1;
  tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s has not 3 channels", name, tn_text_of(u, a));
  return 0;
}
TINY_API tiny_tensor *tiny_rgb_to_grayscale(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_is_pictures("rgb_to_grayscale", x, TN_PICTURES_FLOATS, &out) || !tn_has_channels("rgb_to_grayscale", x, 0))
    return out;
  return tn_picture_new(x, tn_grey(tn_ctx_of(x), tn_wide(tn_ctx_of(x), tn_uop_of(x))));
}

// ** sizes **

static int tn_is_size(tiny_ctx *t, const char *name, int64_t height, int64_t width) {
  return (height >= 1 && width >= 1 && height < INT32_MAX / 2 && width < INT32_MAX / 2) ||
         tn_augment_wrong(t, name, "no size", (double)height, (double)width);
}
TINY_API tiny_tensor *tiny_resize(tiny_tensor *x, int64_t height, int64_t width) {
  tiny_interpolate_desc d;
  tiny_tensor *out;
  if (!tn_usable("resize", 1, &x, &out) || !tn_is_size(tn_ctx_of(x), "resize", height, width)) return out;
  memset(&d, 0, sizeof d);
  d.mode = TINY_LINEAR;
  d.size[0] = height; d.size[1] = width;
  tiny_tensor *y = tiny_interpolate(x, &d);
  if (tn_is_float(tn_uop_of(x)->dtype) || !tiny_ok(y)) return y;
  tiny_uop *u = tn_round(tn_ctx_of(x), tn_uop_of(y));
  tiny_free(y);
  return tn_picture_new(x, u);
}
TINY_API tiny_tensor *tiny_center_crop(tiny_tensor *x, int64_t height, int64_t width) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("center_crop", 1, &x, &out) || !tn_is_size(tn_ctx_of(x), "center_crop", height, width)) return out;
  const tiny_uop *u = tn_uop_of(x);
  if (u->ndim < 2)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "center_crop: %s has no height and width", tn_text_of(u, a));
  const int64_t h = height - u->dim[u->ndim - 2], w = width - u->dim[u->ndim - 1];
  // of an odd number the half before is the one that rounding to even gives, as in PyTorch's (h - height) / 2
  const int64_t top = h < 0 ? -(-h / 2 + (-h % 4 == 3)) : h / 2, left = w < 0 ? -(-w / 2 + (-w % 4 == 3)) : w / 2;
  return tiny_pad(x, TINY_SHAPE(top, h - top, left, w - left), 0);
}

// ** blur **

// x along spatial dim `axis` (2 or 3), which has size - 1 elements more than the result, by weights.
static tiny_uop *tn_blurred(tiny_ctx *t, tiny_uop *u, int axis, int size, const double *weight) {
  tiny_uop *sum = NULL;
  for (int i = 0; i < size && !tn_bad(t, u); i++) {
    tiny_uop *one = tn_times(t, tn_cut(t, u, axis, i, u->dim[axis] - size + 1 + i), weight[i]);
    sum = sum ? tn_add(t, sum, one) : one;
  }
  return sum ? sum : u;
}
enum { TN_BLUR_MOST = 63 };
TINY_API tiny_tensor *tiny_gaussian_blur(tiny_tensor *x, int size, double sigma) {
  TN_FLOAT_MODE;
  double weight[TN_BLUR_MOST], sum = 0;
  tiny_tensor *out;
  if (!tn_is_pictures("gaussian_blur", x, TN_PICTURES_FLOATS, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (size < 1 || size > TN_BLUR_MOST || size % 2 == 0 || !(sigma >= 0 && sigma < 1e6))
    return tn_wrong(t, TINY_E_ARG, "gaussian_blur: size %d, deviation %g", size, sigma);
  if (sigma == 0) sigma = 0.3 * ((size - 1) * 0.5 - 1) + 0.8;
  for (int i = 0; i < size; i++) {
    const double at = (i - size / 2) / sigma;
    sum += weight[i] = exp(-0.5 * at * at);
  }
  for (int i = 0; i < size; i++) weight[i] /= sum;
  const int64_t pad = size / 2;
  tiny_tensor *padded = tiny_pad_mode(x, TINY_SHAPE(pad, pad, pad, pad), TINY_PAD_REFLECT);
  if (!tiny_ok(padded)) return out;
  tiny_uop *u = tn_wide(t, tn_uop_of(padded));
  u = tn_blurred(t, tn_blurred(t, u, 3, size, weight), 2, size, weight);
  tiny_free(padded);
  return tn_picture_new(x, u);
}

// ** flips **

static tiny_tensor *tn_random_flip(const char *name, tiny_tensor *x, double p, int axis) {
  tiny_tensor *out;
  if (!tn_is_pictures(name, x, TN_PICTURES_ANY, &out) || !tn_is_chance(tn_ctx_of(x), name, p)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  return tn_picture_new(x, tn_where(t, tn_chance(t, u->dim[0], p), tn_flip(t, u, (int64_t)1 << axis), u));
}
TINY_API tiny_tensor *tiny_random_horizontal_flip(tiny_tensor *x, double p) {
  return tn_random_flip("random_horizontal_flip", x, p, 3);
}
TINY_API tiny_tensor *tiny_random_vertical_flip(tiny_tensor *x, double p) {
  return tn_random_flip("random_vertical_flip", x, p, 2);
}

// ** crops: places that differ from item to item **

// Taps over the pictures u (N,C,H,W), one an axis for now, for a result of height x width.
static tn_taps tn_crop_taps(const tiny_uop *u, int64_t height, int64_t width) {
  tn_taps p;
  memset(&p, 0, sizeof p);
  p.n = 2;
  p.L = u->dim[0] * u->dim[1];
  p.S[0] = u->dim[2]; p.S[1] = u->dim[3];
  p.O[0] = height; p.O[1] = width;
  p.T[0] = p.T[1] = 1;
  return p;
}
// Numbers (N,1,O,T) of axis i for every channel, as tn_taps has them.
static tiny_uop *tn_crop_axis(tiny_ctx *t, tiny_uop *v, const tn_taps *p, int64_t C, int i) {
  int64_t all[TN_MAX_DIMS] = {0}, dim[TN_MAX_DIMS] = {p->L, 1, 1, 1, 1, 1, 1};
  if (tn_bad(t, v)) return v;
  all[0] = v->dim[0]; all[1] = C; all[2] = p->O[i]; all[3] = p->T[i];
  dim[tn_tap_axis(p, TN_TAP_O, i)] = p->O[i];
  dim[tn_tap_axis(p, TN_TAP_T, i)] = p->T[i];
  return tn_reshape(t, tn_expand(t, v, 4, all), tn_tap_dims(p), dim);
}
static tiny_uop *tn_crop_take(tiny_ctx *t, tiny_uop *u, const tn_taps *p) {
  const int64_t dim[4] = {u->dim[0], u->dim[1], p->O[0], p->O[1]}, L[3] = {p->L, u->dim[2], u->dim[3]};
  tiny_uop *y = tn_take_taps(t, tn_reshape(t, u, 3, L), p);
  return tn_reshape(t, y, 4, dim);
}

TINY_API tiny_tensor *tiny_random_crop(tiny_tensor *x, int64_t height, int64_t width, int64_t padding) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_is_pictures("random_crop", x, TN_PICTURES_ANY, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!tn_is_size(t, "random_crop", height, width)) return out;
  if (padding < 0 || padding > 1 << 20 || u->dim[2] > INT32_MAX / 4 || u->dim[3] > INT32_MAX / 4 ||
      height > u->dim[2] + 2 * padding || width > u->dim[3] + 2 * padding)
    return tn_wrong(t, TINY_E_SHAPE, "random_crop: %lld x %lld from %s with %lld around it", (long long)height,
                    (long long)width, tn_text_of(u, a), (long long)padding);
  tn_taps p = tn_crop_taps(u, height, width);
  for (int i = 0; i < 2; i++) {
    const double choices = (double)(p.S[i] + 2 * padding - p.O[i] + 1);
    tiny_uop *first = tn_drawn_whole(t, u->dim[0], tn_constant(t, TINY_F32, choices));
    if (tn_bad(t, first)) return tn_poison(t);
    first = tn_plus(t, tn_cast(t, first, TINY_I32), (double)-padding);
    tiny_uop *at = tn_stored_place(t, tn_add(t, first, tn_iota(t, TINY_I32, p.O[i], 2, 4)), 0);
    p.at[i] = tn_crop_axis(t, at, &p, u->dim[1], i);
  }
  return tn_picture_new(x, tn_crop_take(t, u, &p));
}

// A rectangle of a random part of the area and a random quotient of its sides, for each item: sides as parts of `size`,
// f32 (n,1,1,1), where both fit 1, else held there.
typedef struct tn_rectangle { tiny_uop *height, *width; } tn_rectangle;

static tn_rectangle tn_drawn_rectangle(tiny_ctx *t, const tiny_uop *u, const double *scale, const double *quotient) {
  tn_rectangle r;
  const double H = (double)u->dim[2], W = (double)u->dim[3];
  tiny_uop *area = tn_drawn(t, u->dim[0], scale[0] * H * W, scale[1] * H * W);
  tiny_uop *ratio = tn_drawn(t, u->dim[0], log(quotient[0]), log(quotient[1]));
  ratio = tn_bad(t, ratio) ? ratio : tn_exp(t, ratio);       // width / height
  r.width = tn_round(t, tn_sqrt(t, tn_mul(t, area, ratio)));
  r.height = tn_round(t, tn_sqrt(t, tn_fdiv(t, area, ratio)));
  r.width = tn_within(t, r.width, 1, tn_k(t, ratio, W));
  r.height = tn_within(t, r.height, 1, tn_k(t, ratio, H));
  return r;
}
// low and high as given, or as they are by default where both are 0; 0: they are no bounds.
static int tn_bounds_of(tiny_ctx *t, const char *name, const char *what, const double *given, double low, double high,
                        double most, double *out) {
  const int none = given[0] == 0 && given[1] == 0;
  out[0] = none ? low : given[0]; out[1] = none ? high : given[1];
  return (out[0] > 0 && out[0] <= out[1] && out[1] <= most) || tn_augment_wrong(t, name, what, given[0], given[1]);
}

// Where (N,1,1,1) begins, from 0 to all - size.
static tiny_uop *tn_drawn_begin(tiny_ctx *t, int64_t n, double all, tiny_uop *size) {
  return tn_drawn_whole(t, n, tn_plus(t, tn_neg(t, size), all + 1));
}

TINY_API tiny_tensor *tiny_random_resized_crop(tiny_tensor *x, int64_t height, int64_t width,
                                               const tiny_random_crop_desc *desc) {
  TN_FLOAT_MODE;
  static const char name[] = "random_resized_crop";
  tiny_tensor *out;
  tiny_random_crop_desc d;
  double scale[2], quotient[2];
  if (!tn_is_pictures(name, x, TN_PICTURES_FLOATS, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_wide(t, tn_uop_of(x));
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  if (tn_bad(t, u) || !tn_is_size(t, name, height, width) || !tn_is_size(t, name, u->dim[2], u->dim[3]) ||
      !tn_bounds_of(t, name, "scale", d.scale, 0.08, 1, 1, scale) ||
      !tn_bounds_of(t, name, "ratio", d.ratio, 3.0 / 4, 4.0 / 3, 1e6, quotient))
    return out;
  const tn_rectangle r = tn_drawn_rectangle(t, u, scale, quotient);
  tiny_uop *const side[2] = {r.height, r.width};
  tn_taps p = tn_crop_taps(u, height, width);
  for (int i = 0; i < 2; i++) {
    if (tn_bad(t, side[i])) return tn_poison(t);
    p.T[i] = 2;
    tiny_uop *size = tn_u1(t, TINY_OP_CONTIGUOUS, side[i]);
    tiny_uop *first = tn_u1(t, TINY_OP_CONTIGUOUS, tn_drawn_begin(t, u->dim[0], (double)p.S[i], size));
    if (tn_bad(t, first)) return tn_poison(t);
    // element o lies (o + 1/2) size / O - 1/2 past the first, held within the rectangle
    tiny_uop *o = tn_plus(t, tn_iota(t, TINY_F32, p.O[i], 2, 4), 0.5), *k = tn_iota(t, TINY_F32, 2, 3, 4);
    tiny_uop *last = tn_plus(t, size, -1);
    tiny_uop *past = tn_plus(t, tn_mul(t, o, tn_times(t, size, 1 / (double)p.O[i])), -0.5);
    past = tn_min(t, tn_max(t, past, tn_k(t, past, 0)), last);
    tiny_uop *whole = tn_floor(t, past), *part = tn_sub(t, past, whole);
    tiny_uop *place = tn_add(t, first, tn_min(t, tn_add(t, whole, k), last));
    tiny_uop *weight = tn_where(t, tn_eq(t, k, tn_k(t, k, 0)), tn_plus(t, tn_neg(t, part), 1), part);
    if (tn_bad(t, place) || tn_bad(t, weight)) return tn_poison(t);
    p.at[i] = tn_crop_axis(t, tn_stored_place(t, place, 0), &p, u->dim[1], i);
    p.weight[i] = tn_crop_axis(t, tn_cast(t, weight, u->dtype), &p, u->dim[1], i);
  }
  return tn_picture_new(x, tn_crop_take(t, u, &p));
}

// ** turned, scaled, sheared, moved **

// The map of a result's positions to the picture's, (N,2,3): torchvision's inverse affine matrix, for a shift of
// `move` (in elements), in grid_sample's units: halves of the height and the width.
static tiny_uop *tn_affine_theta(tiny_ctx *t, tiny_uop *angle, tiny_uop *const *move, tiny_uop *scale,
                                 tiny_uop *const *shear, double H, double W) {
  const int64_t rows[3] = {angle->dim[0], 2, 3};
  tiny_uop *const a = tn_cos(t, tn_sub(t, angle, shear[1])), *b = tn_sin(t, tn_sub(t, angle, shear[1]));
  tiny_uop *const cy = tn_cos(t, shear[1]), *tx = tn_fdiv(t, tn_sin(t, shear[0]), tn_cos(t, shear[0]));
  // the forward matrix R(angle) of both shears, without the scale, which is of determinant 1
  tiny_uop *m[4];
  m[0] = tn_fdiv(t, a, cy);
  m[1] = tn_sub(t, tn_neg(t, tn_mul(t, m[0], tx)), tn_sin(t, angle));
  m[2] = tn_fdiv(t, b, cy);
  m[3] = tn_sub(t, tn_cos(t, angle), tn_mul(t, m[2], tx));
  // its inverse, over the scale
  tiny_uop *inverse[4] = {m[3], tn_neg(t, m[1]), tn_neg(t, m[2]), m[0]};
  for (int i = 0; i < 4; i++) inverse[i] = tn_fdiv(t, inverse[i], scale);
  const double ratio[2] = {H / W, W / H}, half[2] = {2 / W, 2 / H};
  tiny_uop *theta = NULL;
  for (int i = 0; i < 2; i++) {            // row i: of x, then of y
    tiny_uop *own = inverse[3 * i], *other = inverse[i ? 2 : 1];
    tiny_uop *shift = tn_neg(t, tn_add(t, tn_mul(t, own, move[i]), tn_mul(t, other, move[1 - i])));
    tiny_uop *entry[3];
    entry[i] = own; entry[1 - i] = tn_times(t, other, ratio[i]); entry[2] = tn_times(t, shift, half[i]);
    for (int j = 0; j < 3; j++) {
      const int64_t place[2] = {angle->dim[0], 1};
      tiny_uop *one = tn_reshape(t, entry[j], 2, place);
      if (tn_bad(t, one)) return one;
      theta = tn_lay(t, theta, one, 1, 3 * i + j, 6);
    }
  }
  return tn_u1(t, TINY_OP_CONTIGUOUS, tn_reshape(t, theta, 3, rows));
}
TINY_API tiny_tensor *tiny_random_affine(tiny_tensor *x, const tiny_random_affine_desc *desc) {
  TN_FLOAT_MODE;
  static const char name[] = "random_affine";
  tiny_random_affine_desc d;
  double scale[2];
  tiny_tensor *out;
  if (!tn_is_pictures(name, x, TN_PICTURES_FLOATS, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  if (!(fabs(d.degrees) < 1e6) || !(d.translate[0] >= 0 && d.translate[0] <= 1) ||
      !(d.translate[1] >= 0 && d.translate[1] <= 1) || !(fabs(d.shear[0]) < 90) || !(fabs(d.shear[1]) < 90))
    return tn_wrong(t, TINY_E_ARG, "random_affine: degrees %g, translate %g, %g, shear %g, %g", d.degrees,
                    d.translate[0], d.translate[1], d.shear[0], d.shear[1]);
  if (!tn_bounds_of(t, name, "scale", d.scale, 1, 1, 1e6, scale)) return out;
  const int64_t N = u->dim[0];
  const double H = (double)u->dim[2], W = (double)u->dim[3], degree = TN_PI / 180;
  const double most[2] = {d.translate[0] * W, d.translate[1] * H};
  // the angle counts against the clock, where rows go down
  tiny_uop *angle = tn_drawn(t, N, d.degrees * degree, -d.degrees * degree);
  tiny_uop *factor = tn_drawn(t, N, scale[0], scale[1]);
  tiny_uop *move[2], *shear[2];
  for (int i = 0; i < 2; i++) {
    move[i] = tn_round(t, tn_drawn(t, N, -most[i], most[i]));
    shear[i] = tn_drawn(t, N, -d.shear[i] * degree, d.shear[i] * degree);
  }
  if (tn_bad(t, angle) || tn_bad(t, factor) || tn_bad(t, move[0]) || tn_bad(t, move[1]) || tn_bad(t, shear[0]) ||
      tn_bad(t, shear[1]))
    return tn_poison(t);
  tiny_tensor *theta = tn_tensor_new(t, tn_affine_theta(t, angle, move, factor, shear, H, W));
  tiny_tensor *grid = tiny_affine_grid(theta, tiny_shape_of(x), 0);
  tiny_tensor *y = tiny_grid_sample(x, grid, &d.sample);
  tiny_free(theta);
  tiny_free(grid);
  return y;
}
TINY_API tiny_tensor *tiny_random_rotation(tiny_tensor *x, double degrees) {
  tiny_random_affine_desc d;
  memset(&d, 0, sizeof d);
  d.degrees = degrees;
  return tiny_random_affine(x, &d);
}

// ** colours **

// r a + (1 - r) b, held within 0..1.
static tiny_uop *tn_blended(tiny_ctx *t, tiny_uop *a, tiny_uop *b, tiny_uop *r) {
  tiny_uop *u = tn_add(t, tn_mul(t, r, a), tn_mul(t, tn_plus(t, tn_neg(t, r), 1), b));
  return tn_bad(t, u) ? u : tn_within(t, u, 0, tn_k(t, u, 1));
}
static tiny_uop *tn_brighter(tiny_ctx *t, tiny_uop *u, tiny_uop *r) {
  u = tn_mul(t, u, r);
  return tn_bad(t, u) ? u : tn_within(t, u, 0, tn_k(t, u, 1));
}
static tiny_uop *tn_contrasted(tiny_ctx *t, tiny_uop *u, tiny_uop *r) {
  if (tn_bad(t, u)) return u;
  u = tn_once(t, u);
  tiny_uop *mean = tn_times(t, tn_sum(t, tn_grey(t, u), 14, 1), 1 / ((double)u->dim[2] * (double)u->dim[3]));
  return tn_blended(t, u, mean, r);
}
static tiny_uop *tn_saturated(tiny_ctx *t, tiny_uop *u, tiny_uop *r) { return tn_blended(t, u, tn_grey(t, u), r); }
// Turned by a part r of the circle of hues. The hexagon of colours (Smith, "Color gamut transform pairs", 1978): with
// value v and chroma c, channel n of hue h (0..6) is v - c max(0, min(k, 4 - k, 1)), k = (n + h) mod 6, n = 5, 3, 1.
static tiny_uop *tn_hued(tiny_ctx *t, tiny_uop *u, tiny_uop *r) {
  static const double first[3] = {5, 3, 1};
  tiny_uop *rgb[3], *out = NULL;
  if (tn_bad(t, u)) return u;
  for (int i = 0; i < 3; i++) rgb[i] = tn_cut(t, u, 1, i, i + 1);
  tiny_uop *v = tn_max(t, tn_max(t, rgb[0], rgb[1]), rgb[2]), *low = tn_min(t, tn_min(t, rgb[0], rgb[1]), rgb[2]);
  tiny_uop *c = tn_sub(t, v, low), *none = tn_eq(t, c, tn_k(t, c, 0)), *by = tn_where(t, none, tn_k(t, c, 1), c);
  tiny_uop *of_red = tn_fdiv(t, tn_sub(t, rgb[1], rgb[2]), by);
  tiny_uop *of_green = tn_plus(t, tn_fdiv(t, tn_sub(t, rgb[2], rgb[0]), by), 2);
  tiny_uop *of_blue = tn_plus(t, tn_fdiv(t, tn_sub(t, rgb[0], rgb[1]), by), 4);
  tiny_uop *h = tn_where(t, tn_eq(t, v, rgb[0]), of_red, tn_where(t, tn_eq(t, v, rgb[1]), of_green, of_blue));
  h = tn_add(t, h, tn_times(t, r, 6));
  for (int i = 0; i < 3; i++) {
    tiny_uop *k = tn_plus(t, h, first[i]);
    k = tn_sub(t, k, tn_times(t, tn_floor(t, tn_times(t, k, 1.0 / 6)), 6));
    tiny_uop *part = tn_min(t, tn_min(t, k, tn_plus(t, tn_neg(t, k), 4)), tn_k(t, k, 1));
    part = tn_max(t, part, tn_k(t, k, 0));
    out = tn_lay(t, out, tn_sub(t, v, tn_mul(t, c, part)), 1, i, 3);
  }
  return out;
}

typedef tiny_uop *(*tn_recolor)(tiny_ctx *t, tiny_uop *u, tiny_uop *r);
// By a factor (N) or of no dims.
static tiny_tensor *tn_adjust(const char *name, tn_recolor how, int channels, tiny_tensor *x, tiny_tensor *factor) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, factor};
  if (!tn_usable(name, 2, in, &out) || !tn_is_pictures(name, x, TN_PICTURES_FLOATS, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x), *r = tn_uop_of(factor);
  if (channels && !tn_has_channels(name, x, channels < 3)) return out;
  if (!tn_taken(t, name, TN_FLOATS, r->dtype)) return out;
  if (r->ndim > 1 || (r->ndim && r->dim[0] != u->dim[0]))
    return tn_wrong(t, TINY_E_SHAPE, "%s: %s by %s", name, tn_text_of(u, a), tn_text_of(r, b));
  const int64_t dim[4] = {r->ndim ? r->dim[0] : 1, 1, 1, 1};
  u = tn_wide(t, u);
  r = tn_bad(t, u) ? u : tn_cast(t, tn_reshape(t, r, 4, dim), u->dtype);
  return tn_bad(t, r) ? tn_poison(t) : tn_picture_new(x, how(t, u, r));
}
TINY_API tiny_tensor *tiny_adjust_brightness(tiny_tensor *x, tiny_tensor *factor) {
  return tn_adjust("adjust_brightness", tn_brighter, 0, x, factor);
}
TINY_API tiny_tensor *tiny_adjust_contrast(tiny_tensor *x, tiny_tensor *factor) {
  return tn_adjust("adjust_contrast", tn_contrasted, 1, x, factor);
}
TINY_API tiny_tensor *tiny_adjust_saturation(tiny_tensor *x, tiny_tensor *factor) {
  return tn_adjust("adjust_saturation", tn_saturated, 3, x, factor);
}
TINY_API tiny_tensor *tiny_adjust_hue(tiny_tensor *x, tiny_tensor *factor) {
  return tn_adjust("adjust_hue", tn_hued, 3, x, factor);
}

TINY_API tiny_tensor *tiny_color_jitter(tiny_tensor *x, const tiny_color_jitter_desc *desc) {
  TN_FLOAT_MODE;
  static const char name[] = "color_jitter";
  static const tn_recolor how[3] = {tn_brighter, tn_contrasted, tn_saturated};
  tiny_color_jitter_desc d;
  tiny_tensor *out;
  if (!tn_is_pictures(name, x, TN_PICTURES_FLOATS, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  const double most[3] = {d.brightness, d.contrast, d.saturation};
  if (!tn_has_channels(name, x, d.saturation == 0 && d.hue == 0)) return out;
  if (!(d.hue >= 0 && d.hue <= 0.5)) return tn_wrong(t, TINY_E_ARG, "color_jitter: hue %g", d.hue);
  tiny_uop *u = tn_wide(t, tn_uop_of(x));
  for (int i = 0; i < 3; i++) {
    if (!(most[i] >= 0 && most[i] < 1e6)) return tn_wrong(t, TINY_E_ARG, "color_jitter: a factor of 1 + %g", most[i]);
    if (most[i] == 0 || tn_bad(t, u)) continue;
    tiny_uop *r = tn_drawn(t, u->dim[0], most[i] < 1 ? 1 - most[i] : 0, 1 + most[i]);
    u = tn_bad(t, r) ? r : how[i](t, u, tn_cast(t, r, u->dtype));
  }
  if (d.hue > 0 && !tn_bad(t, u)) {
    tiny_uop *r = tn_drawn(t, u->dim[0], -d.hue, d.hue);
    u = tn_bad(t, r) ? r : tn_hued(t, u, tn_cast(t, r, u->dtype));
  }
  return tn_picture_new(x, u);
}

// ** rectangles **

// Is an element of (1,1,H,W) within a rectangle whose sides begin at `begin` and end before `end`, (N,1,1,1) each?
static tiny_uop *tn_in_rectangle(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *begin, tiny_uop *const *end) {
  tiny_uop *in = NULL;
  for (int i = 0; i < 2; i++) {
    tiny_uop *at = tn_iota(t, TINY_F32, u->dim[2 + i], 2 + i, 4);
    tiny_uop *one = tn_and(t, tn_not(t, tn_lt(t, at, begin[i])), tn_lt(t, at, end[i]));
    in = in ? tn_and(t, in, one) : one;
  }
  return in;
}
TINY_API tiny_tensor *tiny_random_erasing(tiny_tensor *x, const tiny_random_erasing_desc *desc) {
  TN_FLOAT_MODE;
  static const char name[] = "random_erasing";
  tiny_random_erasing_desc d;
  double scale[2], ratio[2];
  tiny_tensor *out;
  if (!tn_is_pictures(name, x, TN_PICTURES_ANY, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  if (d.p == 0) d.p = 0.5;
  if (!tn_is_chance(t, name, d.p) || !tn_bounds_of(t, name, "scale", d.scale, 0.02, 0.33, 1, scale) ||
      !tn_bounds_of(t, name, "ratio", d.ratio, 0.3, 3.3, 1e6, ratio) || !tn_is_size(t, name, u->dim[2], u->dim[3]))
    return out;
  const double quotient[2] = {1 / ratio[1], 1 / ratio[0]};   // width / height
  const tn_rectangle r = tn_drawn_rectangle(t, u, scale, quotient);
  if (tn_bad(t, r.height) || tn_bad(t, r.width)) return tn_poison(t);
  tiny_uop *begin[2], *end[2], *const side[2] = {r.height, r.width};
  for (int i = 0; i < 2; i++) {
    begin[i] = tn_drawn_begin(t, u->dim[0], (double)u->dim[2 + i], side[i]);
    end[i] = tn_add(t, begin[i], side[i]);
  }
  tiny_uop *in = tn_and(t, tn_chance(t, u->dim[0], d.p), tn_in_rectangle(t, u, begin, end));
  return tn_picture_new(x, tn_where(t, in, tn_k(t, u, d.value), u));
}

// ** mixtures **

// Beta(alpha,alpha) for each of n items, by one formula: Devroye, "Random variate generation in one line of code",
// 1996, section 4: (1 + s / sqrt(1 + 1 / ((u^(-1/alpha) - 1) cos^2(2 pi v)))) / 2, s the sign of the cosine.
static tiny_uop *tn_drawn_beta(tiny_ctx *t, int64_t n, double alpha) {
  tiny_uop *u = tn_plus(t, tn_neg(t, tn_drawn(t, n, 0, 1)), 1);        // (0,1]
  if (tn_bad(t, u)) return u;
  tiny_uop *c = tn_cos(t, tn_drawn(t, n, 0, 2 * TN_PI));
  // u^(-1/alpha) - 1, of which 2^100 is as good as more
  tiny_uop *w = tn_times(t, tn_logarithm(t, u), -1 / alpha);
  w = tn_plus(t, tn_exp(t, tn_min(t, w, tn_k(t, u, 69))), -1);
  tiny_uop *square = tn_mul(t, w, tn_square(t, c));
  tiny_uop *part = tn_sqrt(t, tn_fdiv(t, square, tn_plus(t, square, 1)));
  part = tn_where(t, tn_below_zero(t, c), tn_neg(t, part), part);
  return tn_times(t, tn_plus(t, part, 1), 0.5);
}
// What mixup and cutmix check; 0: *out is what they return.
static int tn_mixes(const char *name, tiny_tensor *x, tiny_tensor *labels, int64_t classes, double alpha,
                    tiny_tensor **targets, tiny_tensor **out) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *in[2] = {x, labels};
  const int usable = tn_usable(name, 2, in, out);
  if (targets) *targets = *out;
  if (!usable || !tn_is_pictures(name, x, TN_PICTURES_FLOATS, out)) return 0;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x), *l = tn_uop_of(labels);
  if (!targets) { tiny_fail(t, TINY_E_ARG, "%s: targets is NULL", name); return 0; }
  if (!tn_taken(t, name, TN_WHOLE, l->dtype)) return 0;
  if (l->ndim != 1 || l->dim[0] != u->dim[0]) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %s with labels %s", name, tn_text_of(u, a), tn_text_of(l, b));
    return 0;
  }
  if (classes < 1 || classes > INT32_MAX || !(alpha > 1e-3 && alpha < 1e6))
    return tn_augment_wrong(t, name, "classes, alpha", (double)classes, alpha);
  return 1;
}
// f32 (N,classes): the labels' own parts r (N,1,1,1), the rest their neighbours'.
static tiny_tensor *tn_mixed_labels(tiny_ctx *t, tiny_tensor *labels, int64_t classes, tiny_uop *r) {
  tiny_tensor *hot = tiny_one_hot(labels, classes);
  if (!tiny_ok(hot) || tn_bad(t, r)) return tn_poison(t);
  const int64_t dim[2] = {r->dim[0], 1};
  tiny_uop *u = tn_cast(t, tn_uop_of(hot), TINY_F32), *part = tn_reshape(t, r, 2, dim);
  tiny_free(hot);
  if (tn_bad(t, u)) return tn_poison(t);
  tiny_uop *other = tn_mul(t, tn_plus(t, tn_neg(t, part), 1), tn_roll(t, u, 0, 1));
  return tn_tensor_new(t, tn_add(t, tn_mul(t, part, u), other));
}
TINY_API tiny_tensor *tiny_mixup(tiny_tensor *x, tiny_tensor *labels, int64_t classes, double alpha,
                                 tiny_tensor **targets) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_mixes("mixup", x, labels, classes, alpha, targets, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_wide(t, tn_uop_of(x)), *r = tn_drawn_beta(t, tn_uop_of(x)->dim[0], alpha);
  if (tn_bad(t, u) || tn_bad(t, r)) return tn_poison(t);
  *targets = tn_mixed_labels(t, labels, classes, r);
  r = tn_cast(t, r, u->dtype);
  if (tn_bad(t, r)) return tn_poison(t);
  tiny_uop *other = tn_mul(t, tn_plus(t, tn_neg(t, r), 1), tn_roll(t, u, 0, 1));
  return tn_picture_new(x, tn_add(t, tn_mul(t, r, u), other));
}
TINY_API tiny_tensor *tiny_cutmix(tiny_tensor *x, tiny_tensor *labels, int64_t classes, double alpha,
                                  tiny_tensor **targets) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  if (!tn_mixes("cutmix", x, labels, classes, alpha, targets, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  tiny_uop *r = tn_drawn_beta(t, u->dim[0], alpha);
  if (tn_bad(t, r)) return tn_poison(t);
  tiny_uop *half = tn_times(t, tn_sqrt(t, tn_plus(t, tn_neg(t, r), 1)), 0.5), *begin[2], *end[2], *area = NULL;
  for (int i = 0; i < 2; i++) {            // around a middle anywhere, cut off at the borders
    const double all = (double)u->dim[2 + i];
    tiny_uop *middle = tn_floor(t, tn_drawn(t, u->dim[0], 0, all)), *reach = tn_floor(t, tn_times(t, half, all));
    if (tn_bad(t, middle) || tn_bad(t, reach)) return tn_poison(t);
    begin[i] = tn_max(t, tn_sub(t, middle, reach), tn_k(t, middle, 0));
    end[i] = tn_min(t, tn_add(t, middle, reach), tn_k(t, middle, all));
    tiny_uop *side = tn_sub(t, end[i], begin[i]);
    area = area ? tn_mul(t, area, side) : side;
  }
  const double all = (double)u->dim[2] * (double)u->dim[3];
  *targets = tn_mixed_labels(t, labels, classes, tn_plus(t, tn_times(t, area, all > 0 ? -1 / all : 0), 1));
  return tn_picture_new(x, tn_where(t, tn_in_rectangle(t, u, begin, end), tn_roll(t, u, 0, 1), u));
}
#endif
