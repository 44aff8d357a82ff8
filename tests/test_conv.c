// conv: convolution, pooling and images: what the vectors of PyTorch cannot show: errors, kernels, adjoints, empty
// batches, second derivatives, indices on request.
// also: levels
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

// ** errors **

static void refused(const char *file, int line, tiny_tensor *got, tiny_code code, const char *message) {
  const int ok = !tiny_ok(got) && tiny_status(t) == code && strstr(tiny_error(t), message);
  if (!ok) printf("%s:%d: \"%s\"\n    wanted %d \"%s\"\n", file, line, tiny_error(t), (int)code, message);
  CHECK(ok);
  tiny_clear(t);
}
#define BAD(call, code, message) refused(__FILE__, __LINE__, call, code, message)
#define CONV(...) &(tiny_conv_desc){__VA_ARGS__}
#define POOL(...) &(tiny_pool_desc){__VA_ARGS__}
#define SIZED(...) &(tiny_interpolate_desc){__VA_ARGS__}
#define GRID(...) &(tiny_grid_desc){__VA_ARGS__}
static tiny_tensor *zeros(tiny_shape s) { return tiny_zeros(t, TINY_F32, s); }

static void test_errors(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(2, 4, 6, 6)), *w = zeros(TINY_SHAPE(8, 4, 3, 3)), *line = zeros(TINY_SHAPE(2, 3, 7)), *i = tiny_zeros(t, TINY_I32, TINY_SHAPE(2, 4, 3, 3));
  BAD(tiny_conv(x, zeros(TINY_SHAPE(8, 3, 3, 3)), NULL, NULL), TINY_E_SHAPE, "conv: (2,4,6,6) with weights (8,3,3,3) in 1 groups");
  BAD(tiny_conv1d(x, w, NULL, NULL), TINY_E_SHAPE, "conv1d: (2,4,6,6) with weights (8,4,3,3)");
  BAD(tiny_conv3d(x, w, NULL, NULL), TINY_E_SHAPE, "conv3d: (2,4,6,6) with weights (8,4,3,3)");
  BAD(tiny_conv(zeros(TINY_SHAPE(2, 3)), zeros(TINY_SHAPE(2, 3)), NULL, NULL), TINY_E_SHAPE, "conv: (2,3) with weights (2,3)");
  BAD(tiny_conv2d(x, w, NULL, CONV(.groups = 3)), TINY_E_SHAPE, "in 3 groups");
  BAD(tiny_conv2d(x, w, NULL, CONV(.groups = -1)), TINY_E_SHAPE, "in -1 groups");
  BAD(tiny_conv2d(x, w, NULL, CONV(.pad = {0, -1})), TINY_E_ARG, "conv2d: stride 0, pad -1, dilation 0");
  BAD(tiny_conv2d(x, w, NULL, CONV(.pad = {1, 1}, .pad_after = {0, -2})), TINY_E_ARG, "pad_after -2");
  BAD(tiny_conv2d(x, w, NULL, CONV(.same = 1, .stride = {2, 1})), TINY_E_ARG, "conv2d: same with stride 2");
  BAD(tiny_conv2d(x, w, NULL, CONV(.pad = {6, 0}, .padding = TINY_PAD_REFLECT)), TINY_E_SHAPE, "conv2d: no 6 and 6 to pad (2,4,6,6) with");
  BAD(tiny_conv2d(x, w, NULL, CONV(.padding = (tiny_padding)7)), TINY_E_ARG, "conv2d: padding 7");
  BAD(tiny_conv2d(x, zeros(TINY_SHAPE(8, 4, 0, 3)), NULL, NULL), TINY_E_SHAPE, "no window of weights (8,4,0,3)");
  BAD(tiny_conv2d(x, w, line, NULL), TINY_E_SHAPE, "conv2d: bias (2,3,7) with weights (8,4,3,3)");
  BAD(tiny_conv_transpose2d(x, w, NULL, NULL), TINY_E_SHAPE, "conv_transpose2d: (2,4,6,6) with weights (8,4,3,3)");
  BAD(tiny_conv_transpose(x, zeros(TINY_SHAPE(4, 2, 3, 3)), zeros(TINY_SHAPE(4)), NULL), TINY_E_SHAPE, "conv_transpose: bias (4,) with weights (4,2,3,3)");
  BAD(tiny_conv_transpose2d(x, zeros(TINY_SHAPE(4, 2, 3, 3)), NULL, CONV(.output_pad = {1, 0})), TINY_E_ARG, "output_pad 1 with stride 1 and dilation 1");
  BAD(tiny_conv_transpose2d(x, zeros(TINY_SHAPE(4, 2, 3, 3)), NULL, CONV(.same = 1)), TINY_E_ARG, "conv_transpose2d: padding 0, same 1");
  BAD(tiny_conv_transpose2d(x, zeros(TINY_SHAPE(4, 2, 1, 1)), NULL, CONV(.pad = {3, 3})), TINY_E_SHAPE, "nothing is left of (2,4,6,6) with weights (4,2,1,1)");
  BAD(tiny_unfold(x, POOL(.kernel = {7, 2})), TINY_E_SHAPE, "unfold: no window of (7,2) fits (2,4,6,6)");
  BAD(tiny_unfold(zeros(TINY_SHAPE(3, 3)), POOL(.kernel = {2, 2})), TINY_E_SHAPE, "unfold: (3,3) has not 2 spatial dims and channels");
  BAD(tiny_unfold(x, NULL), TINY_E_ARG, "unfold: the descriptor is NULL");
  BAD(tiny_fold(line, TINY_SHAPE(4, 4), POOL(.kernel = {2, 2})), TINY_E_SHAPE, "fold: (2,3,7) is not 4 rows a channel by 9 windows of (4,4)");
  BAD(tiny_fold(line, TINY_SHAPE(4), POOL(.kernel = {2, 2})), TINY_E_ARG, "fold: 1 sizes, 2 kernels");
  tiny_tensor *index = x;
  BAD(tiny_max_pool(x, POOL(.kernel = {0}), &index), TINY_E_ARG, "max_pool: kernel 0");
  CHECK(!tiny_ok(index));
  BAD(tiny_max_pool(x, POOL(.kernel = {3, 3}, .pad = {2}), NULL), TINY_E_ARG, "max_pool: kernel 3, stride 0, pad 2 (at most half of the kernel)");
  BAD(tiny_max_pool1d(line, 8, 0, 0), TINY_E_SHAPE, "max_pool1d: no window of (8,) fits (2,3,7)");
  BAD(tiny_avg_pool3d(zeros(TINY_SHAPE(4, 4)), 2, 0, 0), TINY_E_SHAPE, "avg_pool3d: no window of (2,2,2) fits (4,4)");
  BAD(tiny_avg_pool(x, POOL(.kernel = {2, 2}, .dilation = {2})), TINY_E_ARG, "avg_pool: dilation 2");
  BAD(tiny_lp_pool(x, 0, POOL(.kernel = {2})), TINY_E_ARG, "lp_pool: p is 0");
  BAD(tiny_lp_pool(x, 2, POOL(.kernel = {2}, .pad = {1})), TINY_E_ARG, "lp_pool: pad 1");
  BAD(tiny_adaptive_avg_pool(x, TINY_SHAPE(1, 2, 3, 4)), TINY_E_SHAPE, "adaptive_avg_pool: (2,4,6,6) to (1,2,3,4)");
  BAD(tiny_adaptive_max_pool(x, TINY_SHAPE(2, -3), &index), TINY_E_SHAPE, "adaptive_max_pool: (2,4,6,6) to (2,-3)");
  BAD(tiny_max_unpool(x, i, POOL(.kernel = {2, 2}), TINY_SHAPE()), TINY_E_SHAPE, "max_unpool: (2,4,6,6) with indices (2,4,3,3)");
  BAD(tiny_max_unpool(x, x, POOL(.kernel = {2, 2}), TINY_SHAPE()), TINY_E_DTYPE, "max_unpool: indices are integers, not f32");
  BAD(tiny_max_unpool(tiny_cast(i, TINY_F32), i, POOL(.kernel = {2, 2}), TINY_SHAPE(6, 9)), TINY_E_SHAPE, "max_unpool: (2,4,3,3) cannot come from 9 along spatial dim 1");
  BAD(tiny_interpolate(x, NULL), TINY_E_SHAPE, "interpolate: 0 sizes or scales for (2,4,6,6)");
  BAD(tiny_interpolate(x, SIZED(.size = {-1, 2})), TINY_E_ARG, "interpolate: spatial dim 0 of (2,4,6,6) to size -1");
  BAD(tiny_interpolate(x, SIZED(.scale = {2, 0.1})), TINY_E_ARG, "spatial dim 1 of (2,4,6,6) to size 0 or by 0.1");
  BAD(tiny_interpolate(x, SIZED(.size = {2, 2}, .align_corners = 1)), TINY_E_ARG, "interpolate: mode 1, align_corners 1");
  BAD(tiny_grid_sample(x, line, NULL), TINY_E_SHAPE, "grid_sample: (2,4,6,6) at (2,3,7)");
  BAD(tiny_grid_sample(x, zeros(TINY_SHAPE(2, 3, 3, 2)), GRID(.padding = TINY_PAD_CIRCULAR)), TINY_E_ARG, "grid_sample: mode 3, padding 3");
  BAD(tiny_grid_sample(i, zeros(TINY_SHAPE(2, 3, 3, 2)), NULL), TINY_E_DTYPE, "grid_sample: i32 at f32");
  BAD(tiny_affine_grid(line, TINY_SHAPE(2, 1, 3, 3), 0), TINY_E_SHAPE, "affine_grid: (2,3,7) for (2,1,3,3)");
  BAD(tiny_pixel_shuffle(x, 3), TINY_E_SHAPE, "pixel_shuffle: (2,4,6,6) by 3");
  BAD(tiny_pixel_unshuffle(x, 4), TINY_E_SHAPE, "pixel_unshuffle: (2,4,6,6) by 4");
  BAD(tiny_pixel_shuffle(x, 0), TINY_E_ARG, "pixel_shuffle: factor 0");
  BAD(tiny_channel_shuffle(x, 3), TINY_E_SHAPE, "channel_shuffle: (2,4,6,6) in 3 groups");
  BAD(tiny_conv(NULL, w, NULL, NULL), TINY_E_ARG, "conv: tensor argument 1 is NULL");
  CHECK(tiny_max_pool(tn_poison(t), POOL(.kernel = {2}), &index) == tn_poison(t) && index == tn_poison(t));
}

// ** shapes **

static int is(tiny_tensor *x, tiny_shape want) {
  const tiny_shape s = tiny_shape_of(x);
  const int ok = tiny_ok(x) && tiny_realize(&x, 1) == TINY_OK && s.ndim == want.ndim && tn_dims_same(s.ndim, s.dim, want.dim);
  if (!ok) printf("  %s\n", tiny_error(t));
  tiny_clear(t);
  return ok;
}
static void test_empty(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(0, 4, 6, 6)), *w = zeros(TINY_SHAPE(8, 4, 3, 3)), *index = NULL;
  CHECK(is(tiny_conv2d(x, w, zeros(TINY_SHAPE(8)), CONV(.pad = {1, 1}, .padding = TINY_PAD_REFLECT)), TINY_SHAPE(0, 8, 6, 6)));
  CHECK(is(tiny_conv2d(zeros(TINY_SHAPE(2, 0, 6, 6)), zeros(TINY_SHAPE(8, 0, 3, 3)), NULL, NULL), TINY_SHAPE(2, 8, 4, 4)));      // sums of nothing
  CHECK(is(tiny_conv2d(zeros(TINY_SHAPE(2, 4, 0, 3)), w, NULL, CONV(.pad = {2, 0})), TINY_SHAPE(2, 8, 2, 1)));
  CHECK(is(tiny_conv_transpose2d(x, zeros(TINY_SHAPE(4, 2, 3, 3)), NULL, CONV(.stride = {2, 2})), TINY_SHAPE(0, 2, 13, 13)));
  CHECK(is(tiny_max_pool(x, POOL(.kernel = {2, 2}), &index), TINY_SHAPE(0, 4, 3, 3)) && is(index, TINY_SHAPE(0, 4, 3, 3)));
  CHECK(is(tiny_avg_pool(x, POOL(.kernel = {3, 3}, .pad = {1, 1}, .exclude_pad = 1)), TINY_SHAPE(0, 4, 2, 2)));
  CHECK(is(tiny_adaptive_avg_pool(x, TINY_SHAPE(4, 5)), TINY_SHAPE(0, 4, 4, 5)));
  CHECK(is(tiny_adaptive_max_pool(x, TINY_SHAPE(4, 5), NULL), TINY_SHAPE(0, 4, 4, 5)));
  CHECK(is(tiny_max_unpool(zeros(TINY_SHAPE(0, 4, 3, 3)), tiny_zeros(t, TINY_I32, TINY_SHAPE(0, 4, 3, 3)), POOL(.kernel = {3, 3}, .stride = {2, 2}), TINY_SHAPE()), TINY_SHAPE(0, 4, 7, 7)));
  CHECK(is(tiny_unfold(x, POOL(.kernel = {2, 2})), TINY_SHAPE(0, 16, 25)));
  CHECK(is(tiny_fold(zeros(TINY_SHAPE(0, 16, 25)), TINY_SHAPE(6, 6), POOL(.kernel = {2, 2})), TINY_SHAPE(0, 4, 6, 6)));
  CHECK(is(tiny_interpolate(x, SIZED(.size = {3, 9}, .mode = TINY_LINEAR)), TINY_SHAPE(0, 4, 3, 9)));
  CHECK(is(tiny_interpolate(zeros(TINY_SHAPE(2, 0, 3, 3)), SIZED(.size = {6, 9})), TINY_SHAPE(2, 0, 6, 9)));
  CHECK(is(tiny_grid_sample(zeros(TINY_SHAPE(2, 0, 3, 3)), zeros(TINY_SHAPE(2, 4, 5, 2)), NULL), TINY_SHAPE(2, 0, 4, 5)));
  CHECK(is(tiny_pixel_shuffle(x, 2), TINY_SHAPE(0, 1, 12, 12)));
  CHECK(is(tiny_max_pool2d(zeros(TINY_SHAPE(6, 6)), 2, 0, 0), TINY_SHAPE(3, 3)));                                                  // no batch, no channels
}

// ** values **

// <f(x), y> == <x, g(y)>: one operator is the transpose of the other.
static void adjoint(const char *name, tiny_tensor *fx, tiny_tensor *y, tiny_tensor *x, tiny_tensor *gy) {
  const double a = tiny_item(tiny_sum(tiny_mul(fx, y), TINY_ALL, 0)), b = tiny_item(tiny_sum(tiny_mul(x, gy), TINY_ALL, 0));
  const int ok = fabs(a - b) <= 1e-9 * (1 + fabs(a));
  if (!ok) printf("%s: %.12g is not %.12g; %s\n", name, a, b, tiny_error(t));
  CHECK(ok);
  tiny_clear(t);
}
static tiny_tensor *noise(tiny_shape s) { return tiny_cast(tiny_contiguous(tiny_rand(t, s)), TINY_F64); }
static void test_adjoint(void) {
  tiny_tensor *x = noise(TINY_SHAPE(2, 4, 7, 8)), *w = noise(TINY_SHAPE(6, 2, 3, 2));
  const tiny_conv_desc d = {.stride = {2, 3}, .pad = {1, 0}, .dilation = {2, 1}, .groups = 2, .output_pad = {0, 0}};
  tiny_tensor *y = tiny_conv2d(x, w, NULL, &d), *v = noise(tiny_shape_of(y));
  tiny_tensor *back = tiny_conv_transpose2d(v, w, NULL, &d);                 // misses the last column, which no window saw
  adjoint("conv", y, v, x, tiny_pad(back, TINY_SHAPE(0, 0, 0, 0, 0, 7 - tiny_shape_of(back).dim[2], 0, 8 - tiny_shape_of(back).dim[3]), 0));
  tiny_tensor *g[1];
  CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(y, v), TINY_ALL, 0), &x, 1, g), TINY_OK);
  adjoint("conv's gradient", y, v, x, g[0]);
  const tiny_pool_desc p = {.kernel = {3, 2}, .stride = {2, 1}, .pad = {2, 1}, .dilation = {1, 3}};
  tiny_tensor *columns = tiny_unfold(x, &p), *c = noise(tiny_shape_of(columns));
  adjoint("unfold", columns, c, x, tiny_fold(c, TINY_SHAPE(7, 8), &p));
}

// Gradients of gradients, by finite differences of first ones.
static tiny_tensor *first_gradient(tiny_tensor *(*f)(tiny_tensor *x), tiny_tensor *x) {
  tiny_tensor *g[1], *y = f(x);
  tiny_tensor *w = tiny_cos(tiny_reshape(tiny_arange(t, 0, (double)tiny_nelem_of(y), 1, TINY_F64), tiny_shape_of(y)));
  CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(tiny_square(y), w), TINY_ALL, 0), &x, 1, g), TINY_OK);
  return tiny_sum(tiny_mul(g[0], tiny_sin(tiny_reshape(tiny_arange(t, 0, (double)tiny_nelem_of(x), 1, TINY_F64), tiny_shape_of(x)))), TINY_ALL, 0);
}
static tiny_tensor *the_weights, *the_grid;
static tiny_tensor *f_conv(tiny_tensor *x) { return tiny_conv2d(x, the_weights, NULL, CONV(.stride = {2, 1}, .pad = {1, 1}, .padding = TINY_PAD_CIRCULAR)); }
static tiny_tensor *f_transpose(tiny_tensor *x) { return tiny_conv_transpose2d(x, the_weights, NULL, CONV(.stride = {2, 2}, .output_pad = {1, 0})); }
static tiny_tensor *f_lp(tiny_tensor *x) { return tiny_lp_pool(x, 3, POOL(.kernel = {2, 2}, .stride = {1, 1})); }
static tiny_tensor *f_adaptive(tiny_tensor *x) { return tiny_adaptive_avg_pool(x, TINY_SHAPE(3, 3)); }
static tiny_tensor *f_cubic(tiny_tensor *x) { return tiny_interpolate(x, SIZED(.size = {3, 5}, .mode = TINY_CUBIC)); }
static tiny_tensor *f_sample(tiny_tensor *x) { return tiny_grid_sample(x, the_grid, NULL); }
static tiny_tensor *f_places(tiny_tensor *x) {     // the positions themselves
  return tiny_grid_sample(the_weights, tiny_mul(tiny_reshape(x, TINY_SHAPE(2, 2, 4, 2)), tiny_like(x, 0.9)), GRID(.mode = TINY_CUBIC));
}
static void test_second(void) {
  static tiny_tensor *(*const f[])(tiny_tensor *x) = {f_conv, f_transpose, f_lp, f_adaptive, f_cubic, f_sample, f_places};
  the_weights = noise(TINY_SHAPE(2, 2, 3, 3));
  the_grid = tiny_sub(tiny_mul(noise(TINY_SHAPE(1, 2, 3, 2)), tiny_full(t, 2, TINY_F64, TINY_SHAPE(1))), tiny_ones(t, TINY_F64, TINY_SHAPE(1)));
  for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
    double data[32], up[32], down[32];
    tiny_tensor *x = tiny_add(noise(TINY_SHAPE(1, 2, 4, 4)), tiny_full(t, 0.1, TINY_F64, TINY_SHAPE(1))), *g[1];
    CHECK_EQ(tiny_read(x, data, sizeof data), TINY_OK);
    x = tiny_from(t, data, TINY_F64, TINY_SHAPE(1, 2, 4, 4));
    CHECK_EQ(tiny_grad(first_gradient(f[i], x), &x, 1, g), TINY_OK);
    double want = 0, dot = 0, second[32];
    const double h = 1e-5;
    for (int k = 0; k < 32; k++) { up[k] = data[k] + h * (k % 5 - 2); down[k] = data[k] - h * (k % 5 - 2); }
    want = (tiny_item(first_gradient(f[i], tiny_from(t, up, TINY_F64, TINY_SHAPE(1, 2, 4, 4)))) - tiny_item(first_gradient(f[i], tiny_from(t, down, TINY_F64, TINY_SHAPE(1, 2, 4, 4))))) / (2 * h);
    CHECK_EQ(tiny_read(g[0], second, sizeof second), TINY_OK);
    for (int k = 0; k < 32; k++) dot += second[k] * (k % 5 - 2);
    if (!(fabs(dot - want) <= 1e-6 * (1 + fabs(want)))) printf("%d: %.9g, wanted %.9g; %s\n", (int)i, dot, want, tiny_error(t));
    CHECK(fabs(dot - want) <= 1e-6 * (1 + fabs(want)));
  }
}

static void test_values(void) {
  const float data[9] = {1, NAN, 3, -INFINITY, -INFINITY, 2, 2, 0, 5};
  float y[16];
  int32_t at[16];
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(1, 9)), *i;
  tiny_tensor *m = tiny_max_pool(x, POOL(.kernel = {2}, .stride = {1}), &i);
  CHECK_EQ(tiny_read(m, y, 8 * sizeof *y), TINY_OK);
  CHECK_EQ(tiny_read(i, at, 8 * sizeof *at), TINY_OK);
  const int32_t want[8] = {1, 1, 2, 3, 5, 5, 6, 8};          // the first of equals; NaN is the greatest
  for (int k = 0; k < 8; k++) { CHECK_EQ(at[k], want[k]); CHECK(y[k] == data[want[k]] || (y[k] != y[k] && want[k] == 1)); }
  // halves add up in f32: 4096 times 0.1 is 409.6, not what f16 sums get stuck at
  tiny_tensor *half = tiny_full(t, 0.1, TINY_F16, TINY_SHAPE(1, 1, 64, 64));
  const double sum = tiny_item(tiny_conv2d(half, tiny_ones(t, TINY_F16, TINY_SHAPE(1, 1, 64, 64)), NULL, NULL));
  CHECK(fabs(sum - 409.5) < 0.3);
  CHECK(fabs(tiny_item(tiny_avg_pool2d(half, 64, 0, 0)) - 0.1) < 1e-4);
  // infinities far from a sample do not touch it
  const float wild[4] = {INFINITY, 7, 7, 7}, place[2] = {1, 1};
  CHECK_EQ((int)tiny_item(tiny_grid_sample(tiny_from(t, wild, TINY_F32, TINY_SHAPE(1, 1, 2, 2)), tiny_from(t, place, TINY_F32, TINY_SHAPE(1, 1, 1, 2)), GRID(.padding = TINY_PAD_REPLICATE))), 7);
  const float nowhere[2] = {NAN, 0.5f};
  CHECK_EQ((int)tiny_item(tiny_grid_sample(tiny_from(t, wild + 1, TINY_F32, TINY_SHAPE(1, 1, 1, 1)), tiny_from(t, nowhere, TINY_F32, TINY_SHAPE(1, 1, 1, 2)), NULL)), 0);
}

// ** kernels **

static int kernels_of(tiny_tensor *x) {
  const tiny_stats before = tiny_stats_of(tiny_ctx_of(x));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  return (int)(tiny_stats_of(tiny_ctx_of(x)).kernels - before.kernels);
}
static void test_kernels(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL";
  tiny_ctx *null = tiny_open(&d);
  tiny_tensor *in[4] = {tiny_rand(null, TINY_SHAPE(2, 8, 16, 16)), tiny_rand(null, TINY_SHAPE(8, 8, 3, 3)), tiny_rand(null, TINY_SHAPE(8)), tiny_rand(null, TINY_SHAPE(2, 8, 8, 2))};
  CHECK_EQ(tiny_realize(in, 4), TINY_OK);
  tiny_tensor *x = in[0], *w = in[1], *b = in[2], *grid = in[3], *index;
  CHECK_EQ(kernels_of(tiny_relu(tiny_conv2d(x, w, b, NULL))), 1);
  CHECK(kernels_of(tiny_relu(tiny_conv2d(x, w, b, CONV(.stride = {2, 2}, .dilation = {2, 1})))) <= 2);   // rows too short for lanes: weights in panels
  CHECK(kernels_of(tiny_relu(tiny_conv2d(x, w, b, CONV(.pad = {1, 1})))) <= 2);               // a padded copy, read often
  CHECK(kernels_of(tiny_relu(tiny_conv_transpose2d(x, w, b, CONV(.stride = {2, 2})))) <= 3);   // padded: the image, the taps
  CHECK_EQ(kernels_of(tiny_relu(tiny_max_pool2d(x, 3, 2, 1))), 1);
  CHECK(kernels_of(tiny_relu(tiny_avg_pool(x, POOL(.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1}, .ceil_mode = 1, .exclude_pad = 1)))) <= 2);      // counts
  tiny_max_pool(x, POOL(.kernel = {2, 2}), &index);
  CHECK(kernels_of(index) <= 2);
  CHECK_EQ(kernels_of(tiny_relu(tiny_adaptive_avg_pool(x, TINY_SHAPE(4, 2)))), 1);
  CHECK_EQ(kernels_of(tiny_relu(tiny_interpolate(x, SIZED(.scale = {2, 2})))), 1);
  CHECK_EQ(kernels_of(tiny_relu(tiny_pixel_shuffle(x, 2))), 1);
  CHECK_EQ(kernels_of(tiny_relu(tiny_unfold(x, POOL(.kernel = {3, 3})))), 1);
  CHECK_EQ(kernels_of(tiny_relu(tiny_fold(tiny_reshape(x, TINY_SHAPE(2, 32, 64)), TINY_SHAPE(16, 16), POOL(.kernel = {2, 2}, .stride = {2, 2})))), 1);
  CHECK_EQ(kernels_of(tiny_relu(tiny_max_unpool(x, tiny_zeros(null, TINY_I32, tiny_shape_of(x)), POOL(.kernel = {2, 2}), TINY_SHAPE()))), 1);
  // one kernel over the image; those of places and weights along one axis are small
  CHECK(kernels_of(tiny_relu(tiny_adaptive_avg_pool(x, TINY_SHAPE(5, 7)))) <= 7);
  CHECK(kernels_of(tiny_relu(tiny_interpolate(x, SIZED(.size = {20, 24}, .mode = TINY_LINEAR)))) <= 5);
  CHECK(kernels_of(tiny_relu(tiny_interpolate(x, SIZED(.size = {20, 24}, .mode = TINY_CUBIC)))) <= 7);
  CHECK(kernels_of(tiny_relu(tiny_grid_sample(x, grid, NULL))) <= 8);
  // gradients store nothing of every place times every element
  const uint64_t before = tiny_stats_of(null).nbytes_live;
  tiny_tensor *y[3] = {tiny_adaptive_avg_pool(x, TINY_SHAPE(5, 7)), tiny_interpolate(x, SIZED(.size = {20, 24}, .mode = TINY_LINEAR)), tiny_grid_sample(x, grid, NULL)};
  for (int i = 0; i < 3; i++) {
    tiny_tensor *to[2] = {x, grid}, *g[2];
    CHECK_EQ(tiny_grad(tiny_sum(tiny_exp(tiny_relu(y[i])), TINY_ALL, 0), to, 2, g), TINY_OK);
    CHECK_EQ(tiny_realize(g, 2), TINY_OK);
  }
  CHECK(tiny_stats_of(null).nbytes_peak - before < 1 << 20);
  tiny_close(null);
}

// ** layers: lanes along rows and along channels, edges of tiles, gradients; small whole numbers: every order is exact **

typedef struct layer { int B, C, H, W, O, K, stride, pad, dilation, groups; } layer;

static tiny_tensor *whole(tiny_ctx *c, tiny_shape s) {
  tiny_tensor *x = tiny_floor(tiny_sub(tiny_mul(tiny_rand(c, s), tiny_full(c, 7, TINY_F32, TINY_SHAPE())), tiny_full(c, 3, TINY_F32, TINY_SHAPE())));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  return x;
}
// What flows into x and w of the same convolution, written as a product with columns.
static void by_columns(const layer *l, tiny_tensor *x, tiny_tensor *w, tiny_tensor *seed, tiny_tensor **g) {
  const int64_t G = l->groups, windows = tiny_nelem_of(seed) / (l->B * l->O);
  tiny_tensor *to[2] = {x, w};
  tiny_tensor *columns = tiny_unfold(x, POOL(.kernel = {l->K, l->K}, .stride = {l->stride, l->stride}, .pad = {l->pad, l->pad}, .dilation = {l->dilation, l->dilation}));
  columns = tiny_reshape(columns, TINY_SHAPE(l->B, G, l->C / G * l->K * l->K, windows));
  tiny_tensor *y = tiny_matmul(tiny_reshape(w, TINY_SHAPE(1, G, l->O / G, l->C / G * l->K * l->K)), columns);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(y, tiny_reshape(seed, tiny_shape_of(y))), TINY_ALL, 0), to, 2, g), TINY_OK);
}
static void test_layers(void) {
  static const layer layers[] = {
    {1, 16, 7, 7, 64, 3, 1, 1, 1, 1}, {2, 8, 7, 5, 32, 3, 2, 1, 1, 1}, {1, 64, 9, 13, 16, 1, 1, 0, 1, 1}, {3, 5, 14, 14, 48, 5, 3, 2, 1, 1},
    {2, 32, 6, 11, 32, 3, 1, 2, 2, 2}, {1, 3, 23, 17, 96, 7, 2, 3, 1, 1}, {2, 24, 10, 9, 24, 3, 2, 1, 1, 24}, {1, 80, 1, 1, 64, 3, 1, 1, 1, 1},
    {1, 7, 8, 19, 17, 2, 2, 0, 1, 1}, {2, 64, 4, 4, 128, 1, 2, 0, 1, 1}, {1, 1, 33, 40, 1, 3, 4, 0, 1, 1}, {4, 16, 3, 20, 32, 3, 1, 1, 1, 1}};
  tiny_ctx *c[2];
  for (int threads = 1; threads <= 2; threads++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.threads = threads; d.seed = 5;
    c[threads - 1] = tiny_open(&d);
  }
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    const layer *l = &layers[i];
    float *got[2][5];
    size_t nbytes[5];
    for (int k = 0; k < 2; k++) {
      tiny_tensor *x = whole(c[k], TINY_SHAPE(l->B, l->C, l->H, l->W)), *w = whole(c[k], TINY_SHAPE(l->O, l->C / l->groups, l->K, l->K)), *b = whole(c[k], TINY_SHAPE(l->O));
      tiny_tensor *y = tiny_conv2d(x, w, NULL, CONV(.stride = {l->stride, l->stride}, .pad = {l->pad, l->pad}, .dilation = {l->dilation, l->dilation}, .groups = l->groups));
      tiny_tensor *seed = whole(c[k], tiny_shape_of(y)), *to[2] = {x, w}, *out[5];
      out[0] = tiny_relu(tiny_add(tiny_add(y, tiny_reshape(b, TINY_SHAPE(l->O, 1, 1))), seed));        // bias, residual
      CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(y, seed), TINY_ALL, 0), to, 2, out + 1), TINY_OK);
      by_columns(l, x, w, seed, out + 3);
      CHECK_EQ(tiny_realize(out, 5), TINY_OK);
      for (int o = 0; o < 5; o++) {
        nbytes[o] = (size_t)tiny_nelem_of(out[o]) * sizeof(float);
        got[k][o] = (float *)malloc(nbytes[o]);
        CHECK_EQ(tiny_read(out[o], got[k][o], nbytes[o]), TINY_OK);
      }
      if (k) continue;
      float *want = (float *)malloc(nbytes[0]);
      tiny_tensor *again = tiny_conv2d(x, w, b, CONV(.stride = {l->stride, l->stride}, .pad = {l->pad, l->pad}, .dilation = {l->dilation, l->dilation}, .groups = l->groups));
      CHECK_EQ(tiny_reference(tiny_relu(tiny_add(again, seed)), want, nbytes[0]), TINY_OK);
      CHECK(!memcmp(got[0][0], want, nbytes[0]));
      free(want);
    }
    for (int o = 0; o < 5; o++) CHECK(!memcmp(got[0][o], got[1][o], nbytes[o]));
    for (int o = 1; o < 3; o++) for (size_t e = 0; e < nbytes[o] / sizeof(float); e++) if (got[0][o][e] != got[0][o + 2][e]) { CHECK_EQ((int)i * 10 + o, -1); break; }
    for (int k = 0; k < 2; k++) for (int o = 0; o < 5; o++) free(got[k][o]);
  }
  tiny_close(c[0]);
  tiny_close(c[1]);
}

// Both gradients of a convolution hold less than its columns would.
static void test_memory(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL";
  tiny_ctx *null = tiny_open(&d);
  for (int stride = 1; stride < 3; stride++) {
    tiny_tensor *in[2] = {tiny_rand(null, TINY_SHAPE(2, 16, 32, 32)), tiny_rand(null, TINY_SHAPE(32, 16, 3, 3))}, *g[2];
    CHECK_EQ(tiny_realize(in, 2), TINY_OK);
    const uint64_t before = tiny_stats_of(null).nbytes_live;
    tiny_tensor *y = tiny_relu(tiny_conv2d(in[0], in[1], NULL, CONV(.stride = {stride, stride}, .pad = {1, 1})));
    CHECK_EQ(tiny_grad(tiny_sum(y, TINY_ALL, 0), in, 2, g), TINY_OK);
    CHECK_EQ(tiny_realize(g, 2), TINY_OK);
    CHECK(tiny_stats_of(null).nbytes_peak - before < 2 * 16 * 9 * 32 * 32 * sizeof(float));
  }
  tiny_close(null);
}

// ** tiles of channels, which lie apart in what is written: every width of a row, steps, batches, residuals **

static void tiles_against_sums(int64_t batch, int64_t in, int64_t size, int64_t out, int k, int step, int residual) {
  const int64_t o = (size + 2 * (k / 2) - k) / step + 1, n = batch * out * o * o;
  float *xs = (float *)malloc((size_t)(batch * in * size * size) * 4), *ws = (float *)malloc((size_t)(out * in * k * k) * 4);
  float *got = (float *)malloc((size_t)n * 4);
  int bad = 0;
  for (int64_t i = 0; i < batch * in * size * size; i++) xs[i] = (float)(i * 7 % 11) - 5;      // sums are exact
  for (int64_t i = 0; i < out * in * k * k; i++) ws[i] = (float)(i * 5 % 7) - 3;
  tiny_tensor *x = tiny_from(t, xs, TINY_F32, TINY_SHAPE(batch, in, size, size));
  tiny_tensor *y = tiny_conv2d(x, tiny_from(t, ws, TINY_F32, TINY_SHAPE(out, in, k, k)), NULL,
                               CONV(.stride = {step, step}, .pad = {k / 2, k / 2}));
  if (residual) y = tiny_relu(tiny_add(y, tiny_reshape(tiny_arange(t, 0, (double)n, 1, TINY_F32), tiny_shape_of(y))));
  CHECK_EQ(tiny_read(y, got, (size_t)n * 4), TINY_OK);
  for (int64_t i = 0; i < n; i++) {
    const int64_t w = i % o * step - k / 2, h = i / o % o * step - k / 2, c = i / (o * o) % out, b = i / (o * o * out);
    float sum = 0;
    for (int64_t m = 0; m < in * k * k; m++) {
      const int64_t r = h + m / k % k, s = w + m % k;
      if (r >= 0 && r < size && s >= 0 && s < size) sum += xs[((b * in + m / k / k) * size + r) * size + s] * ws[c * in * k * k + m];
    }
    if (residual) sum = sum + (float)i > 0 ? sum + (float)i : 0;
    bad += sum != got[i];
  }
  CHECK_EQ(bad, 0);
  if (bad) printf("  %lld x %lld of %lld to %lld, kernel %d, step %d\n", (long long)batch, (long long)in, (long long)size, (long long)out, k, step);
  free(xs); free(ws); free(got);
}
static void test_tiles(void) {
  for (int64_t size = 5; size < 19; size++) tiles_against_sums(1, 8, size, 32, 3, 1, (int)size & 1);
  for (int64_t size = 24; size < 60; size += 7) tiles_against_sums(1, 7, size, 64, 3, 2, 1);
  tiles_against_sums(3, 64, 14, 64, 1, 2, 0);
  tiles_against_sums(2, 3, 56, 32, 7, 2, 0);
  tiles_against_sums(2, 32, 7, 96, 3, 1, 1);
}

int main(void) {
  t = tiny_open(NULL);
  test_errors();
  test_empty();
  test_adjoint();
  test_second();
  test_values();
  test_kernels();
  test_tiles();
  test_layers();
  test_memory();
  tiny_close(t);
  return test_report();
}
