// movement, join: errors of every operator, results in the caller's array, shapes at the limits, and that nothing is copied.
#include "operator_test.h"

static tiny_tensor *count(tiny_shape s) {      // 0, 1, 2 .. of a shape
  return tiny_reshape(tiny_arange(t, 0, (double)tn_dims_nelem(s.ndim, s.dim), 1, TINY_F32), s);
}
static int has(tiny_tensor *x, tiny_shape s, int n, const double *want) {
  const tiny_shape is = tiny_shape_of(x);
  int ok = tiny_ok(x) && is.ndim == s.ndim && tn_dims_same(s.ndim, is.dim, s.dim) && values(x) >= n;
  for (int i = 0; i < n && ok; i++) ok = got[i] == want[i];
  return ok;
}

// ** errors **

static void check_errors(void) {
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3)), *z = tiny_zeros(t, TINY_F32, TINY_SHAPE()), *big = tiny_zeros(t, TINY_U8, TINY_SHAPE(1 << 30, 1 << 20));
  BAD(tiny_unflatten(x, 1, TINY_SHAPE(2, 2)), TINY_E_SHAPE, "unflatten: axis 1 of (2,3) into (2,2)");
  BAD(tiny_unflatten(x, 1, TINY_SHAPE(2, -1)), TINY_E_SHAPE, "unflatten: axis 1 of (2,3)");
  BAD(tiny_unflatten(x, 1, TINY_SHAPE()), TINY_E_SHAPE, "unflatten: axis 1 of (2,3) into 0");
  BAD(tiny_unflatten(z, 0, TINY_SHAPE(1)), TINY_E_SHAPE, "unflatten: axis 0 of ()");
  BAD(tiny_squeeze(x, TINY_AXES(0, -2)), TINY_E_ARG, "squeeze: axis 0 of (2,3) is named twice");
  BAD(tiny_squeeze(x, TINY_AXES(0, 2)), TINY_E_ARG, "squeeze: axis 2 is out of range for (2,3)");
  BAD(tiny_movedim(x, 2, 0), TINY_E_ARG, "movedim: axis 2 is out of range for (2,3)");
  BAD(tiny_movedim(x, 0, -3), TINY_E_ARG, "movedim: axis -3 is out of range for (2,3)");
  BAD(tiny_expand_as(x, tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 4))), TINY_E_SHAPE, "expand_as: (2,3) does not broadcast to (2,4)");
  BAD(tiny_expand_as(x, NULL), TINY_E_ARG, "expand_as: tensor argument 2 is NULL");
  BAD(tiny_tile(x, TINY_SHAPE(2, -1)), TINY_E_SHAPE, "tile: negative size in (2,-1)");
  BAD(tiny_repeat(x, TINY_SHAPE(2)), TINY_E_SHAPE, "repeat: (2,3) by (2,): a number for each axis");
  BAD(tiny_repeat(x, TINY_SHAPE(2, -1)), TINY_E_SHAPE, "repeat: negative size in (2,-1)");
  BAD(tiny_tile(big, TINY_SHAPE(1 << 20, 1)), TINY_E_SHAPE, "tile: too many elements");
  BAD(tiny_repeat_interleave(x, -1, 0), TINY_E_ARG, "repeat_interleave: (2,3) -1 times");
  BAD(tiny_repeat_interleave(x, 2, 2), TINY_E_ARG, "repeat_interleave: axis 2 is out of range for (2,3)");
  BAD(tiny_roll(x, TINY_SHAPE(1, 2), TINY_SHAPE(0)), TINY_E_ARG, "roll: 2 amounts for 1 axes");
  BAD(tiny_roll(x, TINY_SHAPE(1), TINY_SHAPE(2)), TINY_E_ARG, "roll: axis 2 is out of range for (2,3)");
  BAD(tiny_roll(x, TINY_SHAPE(1, 1), TINY_SHAPE(0, TINY_ALL)), TINY_E_ARG, "roll: axis");
  BAD(tiny_rot90(x, 1, 0, -2), TINY_E_ARG, "rot90: axis 0 of (2,3) is named twice");
  BAD(tiny_rot90(z, 1, 0, 1), TINY_E_ARG, "rot90: axis 1 is out of range for ()");
  BAD(tiny_narrow(x, 1, 1, 3), TINY_E_ARG, "narrow: 3 from 1 on along axis 1 of (2,3)");
  BAD(tiny_narrow(x, 1, -4, 1), TINY_E_ARG, "narrow: 1 from -4 on");
  BAD(tiny_narrow(x, 1, 0, -1), TINY_E_ARG, "narrow: -1 from 0 on");
  BAD(tiny_narrow(x, 1, INT64_MAX, INT64_MAX), TINY_E_ARG, "narrow: ");
  BAD(tiny_narrow(z, 0, 0, 0), TINY_E_ARG, "narrow: 0 from 0 on along axis 0 of ()");
  BAD(tiny_select(x, 0, 2), TINY_E_ARG, "select: element 2 of axis 0 of (2,3)");
  BAD(tiny_select(x, 0, -3), TINY_E_ARG, "select: element -3 of axis 0 of (2,3)");
  BAD(tiny_select(z, 0, 0), TINY_E_ARG, "select: element 0 of axis 0 of ()");
  BAD(tiny_sliding_window(x, 1, 4, 1), TINY_E_ARG, "sliding_window: 4 every 1 along axis 1 of (2,3)");
  BAD(tiny_sliding_window(x, 1, 2, 0), TINY_E_ARG, "sliding_window: 2 every 0");
  BAD(tiny_diagonal(x, 0, 1, -1), TINY_E_ARG, "diagonal: axis 1 of (2,3) is named twice");
  BAD(tiny_diagonal(tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 0, 0, 1), TINY_E_ARG, "diagonal: axis 1 is out of range for (3,)");
  BAD(tiny_diag_embed(x, 0, 0, 0), TINY_E_ARG, "diag_embed: axes 0 and 0 of a result of (2,3)");
  BAD(tiny_diag_embed(x, 0, 0, 3), TINY_E_ARG, "diag_embed: axes 0 and 3");
  BAD(tiny_diag_embed(z, 0, 0, 1), TINY_E_ARG, "diag_embed: axes 0 and 1 of a result of ()");
  BAD(tiny_diag_embed(x, INT64_MIN, 0, 1), TINY_E_SHAPE, "diag_embed: too many elements");
  BAD(tiny_diag(z, 0), TINY_E_SHAPE, "diag: () is no list or matrix");
  BAD(tiny_pad(x, TINY_SHAPE(1), 0), TINY_E_ARG, "pad: 1 amounts for (2,3), not pairs for its last axes");
  BAD(tiny_pad_mode(x, TINY_SHAPE(1, 1, 1, 1, 1, 1), TINY_PAD_REFLECT), TINY_E_ARG, "pad_mode: 6 amounts for (2,3)");
  BAD(tiny_pad_mode(x, TINY_SHAPE(0, 3), TINY_PAD_REFLECT), TINY_E_SHAPE, "pad_mode: reflect of axis 1 of (2,3) by 0 and 3");
  BAD(tiny_pad_mode(x, TINY_SHAPE(4, 0), TINY_PAD_CIRCULAR), TINY_E_SHAPE, "pad_mode: circular of axis 1 of (2,3) by 4 and 0");
  BAD(tiny_pad_mode(x, TINY_SHAPE(1, 3, 0, 0), TINY_PAD_SYMMETRIC), TINY_E_SHAPE, "pad_mode: symmetric of axis 0 of (2,3) by 1 and 3");
  BAD(tiny_pad_mode(tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 0)), TINY_SHAPE(1, 0), TINY_PAD_REPLICATE), TINY_E_SHAPE, "pad_mode: replicate of axis 1 of (2,0)");
  BAD(tiny_pad_mode(x, TINY_SHAPE(1, 0), (tiny_padding)9), TINY_E_ARG, "pad_mode: no mode 9");
  CHECK(tiny_movedim(NULL, 0, 0) == NULL && tiny_diag(tn_poison(t), 0) == tn_poison(t) && tiny_pad_mode(NULL, TINY_SHAPE(), TINY_PAD_REFLECT) == NULL);
  CHECK_STR(tiny_error(t), "");
}

// ** several results: a count, or poison in every place **

static int all_poison(tiny_tensor **out, int n, tiny_code code, const char *message) {
  for (int i = 0; i < n; i++) if (out[i] != tn_poison(t)) { tiny_clear(t); return 0; }
  return bad(tn_poison(t), code, message);
}
static void check_results(void) {
  tiny_tensor *x = count(TINY_SHAPE(2, 5)), *z = tiny_zeros(t, TINY_F32, TINY_SHAPE()), *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 0)), *out[6], *two[2];
  const int64_t sizes[3] = {1, 4, 0}, wrong[3] = {1, 4, 1}, minus[3] = {6, -1, 0};
  CHECK_EQ(tiny_split(x, 2, 1, out, 6), 3);
  CHECK(has(out[2], TINY_SHAPE(2, 1), 2, (const double[]){4, 9}) && out[3] == NULL && out[5] == NULL);
  CHECK_EQ(tiny_split(x, 2, 1, out, 3), 3);
  CHECK_EQ(tiny_split(x, 100, 0, out, 1), 1);
  CHECK_EQ(tiny_split(none, 0, 1, out, 6), 1);
  CHECK_EQ(tiny_split(x, 2, 1, out, 2), 0);
  CHECK(all_poison(out, 2, TINY_E_ARG, "split: (2,5) has 3 parts along axis 1, but there is room for 2"));
  CHECK_EQ(tiny_split(x, 0, 1, out, 6), 0);
  CHECK(all_poison(out, 6, TINY_E_ARG, "split: (2,5) in parts of 0"));
  CHECK_EQ(tiny_split(x, 1, 2, out, 6), 0);
  CHECK(all_poison(out, 6, TINY_E_ARG, "split: axis 2 is out of range for (2,5)"));
  CHECK_EQ(tiny_split(z, 1, 0, out, 6), 0);
  CHECK(all_poison(out, 6, TINY_E_SHAPE, "split: a 0-d tensor has no axis 0"));
  CHECK_EQ(tiny_split(x, 1, 0, NULL, 6), 0);
  BAD(tn_poison(t), TINY_E_ARG, "split: room for 6 results at NULL");
  CHECK_EQ(tiny_split(x, 1, 0, out, -1), 0);
  BAD(tn_poison(t), TINY_E_ARG, "split: room for -1 results");
  out[0] = x;
  CHECK_EQ(tiny_split(NULL, 1, 0, out, 6), 0);
  CHECK(out[0] == NULL && out[5] == NULL);
  CHECK_EQ(tiny_split(tn_poison(t), 1, 0, out, 6), 0);
  CHECK(all_poison(out, 6, TINY_OK, ""));
  CHECK_EQ(tiny_split_sizes(x, sizes, 3, -1, out), 3);
  CHECK(has(out[1], TINY_SHAPE(2, 4), 5, (const double[]){1, 2, 3, 4, 6}) && tiny_nelem_of(out[2]) == 0 && tiny_ok(out[2]));
  CHECK_EQ(tiny_split_sizes(x, wrong, 3, -1, out), 0);
  CHECK(all_poison(out, 3, TINY_E_SHAPE, "split_sizes: the 3 sizes do not add up to axis 1 of (2,5)"));
  CHECK_EQ(tiny_split_sizes(x, minus, 3, -1, out), 0);
  CHECK(all_poison(out, 3, TINY_E_SHAPE, "split_sizes: the 3 sizes"));
  CHECK_EQ(tiny_split_sizes(x, NULL, 3, -1, out), 0);
  CHECK(all_poison(out, 3, TINY_E_SHAPE, "split_sizes: the 3 sizes"));
  CHECK_EQ(tiny_split_sizes(none, NULL, 0, 1, NULL), 0);
  CHECK_EQ(tiny_chunk(x, 6, 1, out), 5);
  CHECK(out[5] == NULL && has(out[4], TINY_SHAPE(2, 1), 2, (const double[]){4, 9}));
  CHECK_EQ(tiny_chunk(x, 0, 1, out), 0);
  BAD(tn_poison(t), TINY_E_ARG, "chunk: in 0 parts");
  CHECK_EQ(tiny_unbind(x, 0, out, 2), 2);
  CHECK(has(out[1], TINY_SHAPE(5), 2, (const double[]){5, 6}));
  CHECK_EQ(tiny_unbind(none, 1, NULL, 0), 0);
  CHECK_EQ(tiny_unbind(x, 1, out, 4), 0);
  CHECK(all_poison(out, 4, TINY_E_ARG, "unbind: (2,5) has 5 parts along axis 1, but there is room for 4"));
  two[0] = count(TINY_SHAPE(2)); two[1] = x;
  CHECK_EQ(tiny_meshgrid(two, 2, 0, out), 0);
  CHECK(all_poison(out, 2, TINY_E_SHAPE, "meshgrid: argument 2 is (2,5), not a list"));
  two[1] = NULL;
  CHECK_EQ(tiny_meshgrid(two, 2, 0, out), 0);
  CHECK(all_poison(out, 2, TINY_E_ARG, "meshgrid: tensor argument 2 is NULL"));
  CHECK_EQ(tiny_meshgrid(NULL, 2, 0, out), 0);
  CHECK_EQ(tiny_meshgrid(two, 0, 0, out), 0);
  CHECK_STR(tiny_error(t), "");
}

// ** 16 dims **

static void check_limits(void) {
  const tiny_shape s = TINY_SHAPE(1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 2);
  tiny_tensor *x = count(s);
  CHECK(has(tiny_tile(x, TINY_SHAPE(2)), TINY_SHAPE(1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 4), 5, (const double[]){0, 1, 0, 1, 2}));
  CHECK(has(tiny_repeat_interleave(x, 2, 12), TINY_SHAPE(1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 6, 1, 1, 2), 5, (const double[]){0, 1, 0, 1, 2}));
  CHECK(has(tiny_roll(x, TINY_SHAPE(1), TINY_SHAPE(3)), s, 1, (const double[]){6}));
  CHECK(has(tiny_pad(x, TINY_SHAPE(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 7), TINY_SHAPE(1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1, 1, 2), 7, (const double[]){7, 7, 7, 7, 7, 7, 0}));
  CHECK(has(tiny_pad_mode(x, TINY_SHAPE(0, 1), TINY_PAD_REFLECT), TINY_SHAPE(1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 3), 4, (const double[]){0, 1, 0, 2}));
  CHECK(has(tiny_shrink(x, TINY_SHAPE(1, 2)), TINY_SHAPE(1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1), 2, (const double[]){1, 3}));
  CHECK(has(tiny_diagonal(x, 1, 3, 12), TINY_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2), 4, (const double[]){2, 10, 3, 11}));
  CHECK(has(tiny_movedim(x, -1, 0), TINY_SHAPE(2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1), 3, (const double[]){0, 2, 4}));
  CHECK(has(tiny_sum(x, TINY_AXES(3, -1), 0), TINY_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1), 3, (const double[]){14, 22, 30}));
  BAD(tiny_diag_embed(x, 0, -1, -2), TINY_E_SHAPE, "diag_embed: 17 dims, but shapes have 0 to 16");
  BAD(tiny_unflatten(x, 12, TINY_SHAPE(1, 3)), TINY_E_SHAPE, "unflatten: axis 12 of");
  BAD(tiny_sliding_window(x, 12, 2, 1), TINY_E_ARG, "sliding_window: 2 every 1");
  BAD(tiny_tile(x, TINY_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)), TINY_E_SHAPE, "tile: 17 dims");
}

// Lists of axes in the place of one.
static void check_axes(void) {
  CHECK(TINY_AXES(0, 1) == TINY_AXES(1, 0) && TINY_AXES(0, -1) != TINY_AXES(0, 1));
  CHECK(TINY_AXES(3, 3) < TINY_ALL && TINY_AXES(-15) < TINY_ALL && TINY_AXES(16) < TINY_ALL);
  tiny_tensor *x = count(TINY_SHAPE(2, 3, 2));
  CHECK(has(tiny_sum(x, TINY_AXES(), 0), TINY_SHAPE(2, 3, 2), 2, (const double[]){0, 1}));
  CHECK(has(tiny_sum(x, TINY_AXES(1), 0), TINY_SHAPE(2, 2), 2, (const double[]){6, 9}));
  CHECK(has(tiny_amax(x, TINY_AXES(-1, -2), 1), TINY_SHAPE(2, 1, 1), 2, (const double[]){5, 11}));
  BAD(tiny_sum(x, TINY_AXES(0, -3), 0), TINY_E_ARG, "sum: axis 0 of (2,3,2) is named twice");
  BAD(tiny_sum(x, TINY_AXES(0, 0), 0), TINY_E_ARG, "sum: axis -1001 is out of range for (2,3,2)");
  BAD(tiny_sum(x, TINY_AXES(3), 0), TINY_E_ARG, "sum: axis 3 is out of range for (2,3,2)");
  BAD(tiny_argmax(x, TINY_AXES(0, 1), 0), TINY_E_ARG, "argmax: axis ");
  CHECK(has(tiny_sum(tiny_zeros(t, TINY_F32, TINY_SHAPE()), TINY_AXES(-1), 0), TINY_SHAPE(), 1, (const double[]){0}));
}

// ** cost: movement fuses into what uses it **

static uint64_t kernels(tiny_tensor *x) {
  const uint64_t before = tiny_stats_of(t).kernels;
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  return tiny_stats_of(t).kernels - before;
}
static void check_fusion(void) {
  static float data[64 * 64];
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(64, 64)), *out[4];
  CHECK_EQ(kernels(tiny_exp(tiny_roll(tiny_flip(x, TINY_SHAPE(0)), TINY_SHAPE(3, -2), TINY_SHAPE(0, 1)))), 1);
  CHECK_EQ(kernels(tiny_add(tiny_pad_mode(x, TINY_SHAPE(1, 1, 1, 1), TINY_PAD_REFLECT), tiny_like(x, 1))), 1);
  CHECK_EQ(kernels(tiny_sum(tiny_diagonal(tiny_exp(x), 0, 0, 1), 0, 0)), 1);
  CHECK_EQ(kernels(tiny_tile(tiny_repeat_interleave(x, 2, 0), TINY_SHAPE(3, 1))), 1);
  CHECK_EQ(kernels(tiny_sum(tiny_sliding_window(x, 1, 5, 2), 2, 0)), 1);
  CHECK_EQ(tiny_chunk(x, 4, 0, out), 4);
  CHECK_EQ(kernels(tiny_mul(out[0], out[3])), 1);
  // A diagonal reads its elements and nothing else.
  const uint64_t before = tiny_stats_of(t).flops;
  CHECK_EQ(kernels(tiny_exp(tiny_diagonal(x, 0, 0, 1))), 1);
  CHECK(tiny_stats_of(t).flops - before < 64 * 64);
}

// Parts come through to the bit: -0 stays -0.
static void check_zeros(void) {
  const double zeros[3] = {-0.0, 0.0, -0.0};
  tiny_tensor *x = tiny_from(t, zeros, TINY_F64, TINY_SHAPE(3)), *both[2] = {x, x};
  tiny_tensor *y[] = {tiny_cat(both, 2, 0), tiny_flatten(tiny_stack(both, 2, 0), 0, 1), tiny_roll(x, TINY_SHAPE(1), TINY_SHAPE(0)), tiny_pad_mode(x, TINY_SHAPE(2, 1), TINY_PAD_CIRCULAR)};
  static const int negative[4][6] = {{1, 0, 1, 1, 0, 1}, {1, 0, 1, 1, 0, 1}, {1, 1, 0}, {0, 1, 1, 0, 1, 1}};
  for (int i = 0; i < 4; i++) {
    const int64_t n = values(y[i]);
    CHECK_EQ(n, i == 2 ? 3 : 6);
    for (int64_t k = 0; k < n; k++) CHECK_EQ(signbit(got[k]) != 0, negative[i][k]);
  }
}

// ** bounds left out, arrays of tensors **

static void check_ends(void) {
  tiny_tensor *x = count(TINY_SHAPE(5)), *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0));
  CHECK(has(tiny_slice(x, 0, 2, TINY_END, 1), TINY_SHAPE(3), 3, (const double[]){2, 3, 4}));                    // x[2:]
  CHECK(has(tiny_slice(x, 0, TINY_END, 2, 1), TINY_SHAPE(2), 2, (const double[]){0, 1}));                       // x[:2]
  CHECK(has(tiny_slice(x, 0, -2, TINY_END, 1), TINY_SHAPE(2), 2, (const double[]){3, 4}));                      // x[-2:]
  CHECK(has(tiny_slice(x, 0, TINY_END, TINY_END, 2), TINY_SHAPE(3), 3, (const double[]){0, 2, 4}));             // x[::2]
  CHECK(has(tiny_slice(x, 0, TINY_END, TINY_END, -1), TINY_SHAPE(5), 5, (const double[]){4, 3, 2, 1, 0}));      // x[::-1]
  CHECK(has(tiny_slice(x, 0, TINY_END, TINY_END, -3), TINY_SHAPE(2), 2, (const double[]){4, 1}));               // x[::-3]
  CHECK(has(tiny_slice(x, 0, 2, TINY_END, -1), TINY_SHAPE(3), 3, (const double[]){2, 1, 0}));                   // x[2::-1]
  CHECK(has(tiny_slice(x, 0, TINY_END, 2, -1), TINY_SHAPE(2), 2, (const double[]){4, 3}));                      // x[:2:-1]
  CHECK(has(tiny_slice(x, 0, TINY_END, TINY_END, INT64_MAX), TINY_SHAPE(1), 1, (const double[]){0}));
  CHECK(has(tiny_slice(x, 0, TINY_END, TINY_END, -INT64_MAX), TINY_SHAPE(1), 1, (const double[]){4}));
  CHECK(has(tiny_slice(none, 0, TINY_END, TINY_END, -1), TINY_SHAPE(0), 0, NULL));
  CHECK(has(tiny_slice_scatter(x, tiny_neg(tiny_narrow(x, 0, 0, 2)), 0, TINY_END, TINY_END, -3), TINY_SHAPE(5), 5, (const double[]){0, -1, 2, 3, 0}));
}
static void check_arrays(void) {
  tiny_tensor *x = count(TINY_SHAPE(2)), *y[3];
  CHECK(has(tiny_repeat(x, TINY_SHAPE(2)), TINY_SHAPE(4), 4, (const double[]){0, 1, 0, 1}));
  CHECK(has(tiny_repeat(x, TINY_SHAPE(2, 1)), TINY_SHAPE(2, 2), 4, (const double[]){0, 1, 0, 1}));
  CHECK(has(tiny_cat(TINY_ARRAY(x, tiny_neg(x), x), 0), TINY_SHAPE(6), 6, (const double[]){0, 1, 0, -1, 0, 1}));
  CHECK(has(tiny_stack(TINY_ARRAY(x), 0), TINY_SHAPE(1, 2), 2, (const double[]){0, 1}));
  CHECK(tiny_cat(TINY_ARRAY(), 0) == NULL);                            // as of no tensors
  CHECK_EQ(tiny_realize(TINY_ARRAY(x, x)), TINY_OK);
  CHECK(has(tiny_index(count(TINY_SHAPE(2, 2)), TINY_ARRAY(NULL, tiny_full(t, 1, TINY_I32, TINY_SHAPE()))), TINY_SHAPE(2), 2, (const double[]){1, 3}));
  CHECK(has(tiny_einsum("i,i->", TINY_ARRAY(x, x)), TINY_SHAPE(), 1, (const double[]){1}));
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(x), TINY_ALL, 0), TINY_ARRAY(x), y), TINY_OK);
  CHECK(has(y[0], TINY_SHAPE(2), 2, (const double[]){0, 2}));
#define TEN x, x, x, x, x, x, x, x, x, x
  tiny_tensor *const all = tiny_cat(TINY_ARRAY(TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN, TEN), 0);       // 100
  CHECK_EQ(tiny_nelem_of(all), 200);
  CHECK(tiny_item(tiny_sum(all, TINY_ALL, 0)) == 100);
}

int main(void) {
  const tiny_desc d = {.cache_dir = ""};
  t = tiny_open(&d);
  check_errors();
  check_results();
  check_limits();
  check_axes();
  check_fusion();
  check_zeros();
  check_ends();
  check_arrays();
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
