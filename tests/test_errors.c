// errors: a bad call of every operator gives its code and a message that names shapes or values; poison and NULL pass through; the
// host goes on. Failing allocations leave no leak.
#include "../src/all.c"
#include "test.h"
#include "heard.h"

static tiny_ctx *t;

// The call failed with this code and message; the context works again afterwards.
static void refused(const char *file, int line, tiny_tensor *got, tiny_code code, const char *message) {
  const int ok = got == tn_poison(t) && !tiny_ok(got) && tiny_status(t) == code && strstr(tiny_error(t), message);
  if (!ok) printf("%s:%d: %d \"%s\"\n    wanted %d \"%s\"\n", file, line, (int)tiny_status(t), tiny_error(t), (int)code, message);
  CHECK(ok);
  tiny_clear(t);
}
#define BAD(call, code, message) refused(__FILE__, __LINE__, call, code, message)
static void refused_code(const char *file, int line, tiny_code got, tiny_code code, const char *message) {
  const int ok = got == code && tiny_status(t) == code && strstr(tiny_error(t), message);
  if (!ok) printf("%s:%d: %d \"%s\"\n    wanted %d \"%s\"\n", file, line, (int)got, tiny_error(t), (int)code, message);
  CHECK(ok);
  tiny_clear(t);
}
#define BAD_CODE(call, code, message) refused_code(__FILE__, __LINE__, call, code, message)

static tiny_tensor *zeros(tiny_shape s, tiny_dtype dtype) { return tiny_zeros(t, dtype, s); }
static tiny_tensor *cat2(tiny_tensor *a, tiny_tensor *b, int axis, int stack) {
  tiny_tensor *in[2];
  in[0] = a; in[1] = b;
  return stack ? tiny_stack(in, 2, axis) : tiny_cat(in, 2, axis);
}
static tiny_shape shape17(void) { tiny_shape s = TINY_SHAPE(1); s.ndim = 17; return s; }

static void check_creation(void) {
  const float one = 1;
  BAD(tiny_full(t, 1, TINY_F32, TINY_SHAPE(2, -3)), TINY_E_SHAPE, "full: negative size in (2,-3)");
  BAD(tiny_zeros(t, TINY_F32, shape17()), TINY_E_SHAPE, "zeros: 17 dims, but shapes have 0 to 16");
  BAD(tiny_ones(t, TINY_VOID, TINY_SHAPE(2)), TINY_E_DTYPE, "ones: 0 is no dtype");
  BAD(tiny_ones(t, TINY_INDEX, TINY_SHAPE(2)), TINY_E_DTYPE, "ones: 16 is no dtype of tensors");
  BAD(tiny_full(t, 1, TINY_F32, TINY_SHAPE(1 << 30, 1 << 30, 4)), TINY_E_SHAPE, "full: too many elements in (1073741824,1073741824,4)");
  BAD(tiny_arange(t, 0, 5, 0, TINY_F32), TINY_E_ARG, "arange: no way from 0 to 5 in steps of 0");
  BAD(tiny_arange(t, 0, 5, -1, TINY_F32), TINY_E_ARG, "in steps of -1");
  BAD(tiny_arange(t, 0, HUGE_VAL, 1, TINY_F32), TINY_E_ARG, "arange: no way from 0 to inf");
  BAD(tiny_eye(t, -1, TINY_F32), TINY_E_SHAPE, "eye: negative size in (-1,-1)");
  BAD(tiny_scalar(t, 1, (tiny_dtype)99), TINY_E_DTYPE, "scalar: 99 is no dtype");
  BAD(tiny_rand(t, TINY_SHAPE(-1)), TINY_E_SHAPE, "rand: negative size in (-1,)");
  BAD(tiny_randn(t, TINY_SHAPE(1 << 20, 1 << 20)), TINY_E_SHAPE, "randn: 1099511627776 elements, but a call gives at most 2^32");
  BAD(tiny_from(t, &one, TINY_F32, TINY_SHAPE(-1)), TINY_E_SHAPE, "from: negative size");
  BAD(tiny_from(t, NULL, TINY_F32, TINY_SHAPE(1)), TINY_E_ARG, "NULL");
  BAD(tiny_cast(zeros(TINY_SHAPE(2), TINY_F32), TINY_VOID), TINY_E_DTYPE, "cast: 0 is no dtype");
  BAD(tiny_bitcast(zeros(TINY_SHAPE(3), TINY_F32), TINY_I64), TINY_E_SHAPE, "bitcast: the last dim of f32 (3,) does not make whole i64");
  BAD(tiny_bitcast(zeros(TINY_SHAPE(2), TINY_F32), TINY_BOOL), TINY_E_DTYPE, "bitcast: f32 cannot be read as bool");
  CHECK(tiny_zeros(NULL, TINY_F32, TINY_SHAPE(1)) == NULL && tiny_rand(NULL, TINY_SHAPE(1)) == NULL && tiny_arange(NULL, 0, 1, 1, TINY_F32) == NULL);
}

static void check_movement(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(2, 3), TINY_F32), *z = zeros(TINY_SHAPE(), TINY_F32);
  BAD(tiny_reshape(x, TINY_SHAPE(4, 2)), TINY_E_SHAPE, "reshape: (2,3) has 6 elements, (4,2) has 8");
  BAD(tiny_reshape(x, TINY_SHAPE(4, -1)), TINY_E_SHAPE, "reshape: (2,3) cannot become (4,-1)");
  BAD(tiny_reshape(x, TINY_SHAPE(-1, -1)), TINY_E_SHAPE, "reshape: (2,3) cannot become");
  BAD(tiny_permute(x, TINY_SHAPE(0)), TINY_E_ARG, "permute: 1 axes for (2,3)");
  BAD(tiny_permute(x, TINY_SHAPE(0, 0)), TINY_E_ARG, "permute: axis 0 of (2,3) is named twice");
  BAD(tiny_permute(x, TINY_SHAPE(0, 5)), TINY_E_ARG, "permute: axis 5 is out of range for (2,3)");
  BAD(tiny_transpose(x, 0, 2), TINY_E_ARG, "transpose: axis 2 is out of range for (2,3)");
  BAD(tiny_expand(x, TINY_SHAPE(4, 3)), TINY_E_SHAPE, "expand: (2,3) does not broadcast to (4,3)");
  BAD(tiny_expand(x, TINY_SHAPE(3)), TINY_E_SHAPE, "expand: (2,3) does not broadcast to (3,)");
  BAD(tiny_pad(x, TINY_SHAPE(1, 1, 1), 0), TINY_E_ARG, "pad: 3 amounts for (2,3), not pairs for its last axes");
  BAD(tiny_pad(x, TINY_SHAPE(-2, -1, 0, 0), 0), TINY_E_SHAPE, "pad: (2,3) by (-2,-1,0,0)");
  BAD(tiny_shrink(x, TINY_SHAPE(0, 3, 0, 3)), TINY_E_SHAPE, "shrink: (2,3) to (0,3,0,3)");
  BAD(tiny_shrink(x, TINY_SHAPE(0, 1, 0, 1, 0, 1)), TINY_E_ARG, "shrink: 6 bounds for (2,3), not pairs for its last axes");
  BAD(tiny_flip(x, TINY_SHAPE(2)), TINY_E_ARG, "flip: axis 2 is out of range");
  BAD(tiny_slice(x, 0, 0, 1, 0), TINY_E_ARG, "slice: step 0");
  BAD(tiny_slice(x, 3, 0, 1, 1), TINY_E_ARG, "slice: axis 3 is out of range for (2,3)");
  BAD(tiny_slice(z, 0, 0, 1, 1), TINY_E_SHAPE, "slice: a 0-d tensor has no axis 0");
  BAD(tiny_squeeze(x, 4), TINY_E_ARG, "squeeze: axis 4 is out of range");
  BAD(tiny_unsqueeze(x, 4), TINY_E_ARG, "unsqueeze: axis 4 is out of range for (2,3)");
  BAD(tiny_unsqueeze(tiny_reshape(x, TINY_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3)), 0), TINY_E_SHAPE, "has 16 dims already");
  BAD(tiny_flatten(x, 1, 0), TINY_E_ARG, "flatten: axes 1 to 0 of (2,3)");
  BAD(cat2(x, zeros(TINY_SHAPE(2, 4), TINY_F32), 0, 0), TINY_E_SHAPE, "cat: (2,3) and (2,4) along axis 0");
  BAD(cat2(x, x, 2, 0), TINY_E_ARG, "cat: axis 2 is out of range for (2,3)");
  BAD(cat2(x, zeros(TINY_SHAPE(3, 2), TINY_F32), 0, 1), TINY_E_SHAPE, "stack: (2,3) and (3,2) along axis 0");
  BAD(cat2(x, NULL, 0, 0), TINY_E_ARG, "cat: tensor argument 2 is NULL");
  CHECK(tiny_cat(NULL, 0, 0) == NULL);
}

static void check_elementwise(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(2, 3), TINY_F32), *y = zeros(TINY_SHAPE(4), TINY_F32), *m = zeros(TINY_SHAPE(2, 3), TINY_BOOL), *z;
  tiny_tensor *(*const two[])(tiny_tensor *, tiny_tensor *) = {tiny_add, tiny_sub, tiny_mul, tiny_div, tiny_floor_div, tiny_remainder, tiny_pow, tiny_maximum, tiny_minimum,
    tiny_lt, tiny_gt, tiny_le, tiny_ge, tiny_eq, tiny_ne, tiny_bitwise_and, tiny_bitwise_or, tiny_bitwise_xor, tiny_shift_left, tiny_shift_right, tiny_matmul, tiny_assign};
  tiny_tensor *(*const single[])(tiny_tensor *) = {tiny_neg, tiny_abs, tiny_sign, tiny_square, tiny_sqrt, tiny_rsqrt, tiny_reciprocal, tiny_exp, tiny_exp2, tiny_log, tiny_log2, tiny_sin,
    tiny_cos, tiny_tan, tiny_tanh, tiny_sigmoid, tiny_relu, tiny_silu, tiny_gelu, tiny_trunc, tiny_floor, tiny_ceil, tiny_round, tiny_logical_not, tiny_isnan, tiny_contiguous, tiny_detach};
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
    BAD(two[i](x, y), TINY_E_SHAPE, "(2,3)");
    BAD(two[i](NULL, y), TINY_E_ARG, ": tensor argument 1 is NULL");
    BAD(two[i](x, NULL), TINY_E_ARG, ": tensor argument 2 is NULL");
    CHECK(two[i](NULL, NULL) == NULL);
    CHECK(two[i](tn_poison(t), NULL) == tn_poison(t) && two[i](x, tn_poison(t)) == tn_poison(t) && tiny_status(t) == TINY_OK);
  }
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
    CHECK(single[i](NULL) == NULL);
    CHECK(single[i](tn_poison(t)) == tn_poison(t) && tiny_status(t) == TINY_OK);
  }
  BAD(tiny_add(x, y), TINY_E_SHAPE, "add: (2,3) and (4,) do not broadcast");
  BAD(tiny_sub(m, m), TINY_E_DTYPE, "sub: takes numbers, not bool");
  BAD(tiny_neg(m), TINY_E_DTYPE, "neg: takes numbers, not bool");
  BAD(tiny_bitwise_and(x, x), TINY_E_DTYPE, "bitwise_and: takes integers and bools, not f32");
  BAD(tiny_shift_left(m, m), TINY_E_DTYPE, "shift_left: takes integers, not bool");
  BAD(tiny_where(x, x, x), TINY_E_DTYPE, "where: the condition is f32, not bool");
  BAD(tiny_where(m, x, y), TINY_E_SHAPE, "where: (2,3) and (4,) do not broadcast");
  BAD(tiny_where(m, NULL, x), TINY_E_ARG, "where: tensor argument 2 is NULL");
  BAD(tiny_clamp(x, 2, 1), TINY_E_ARG, "clamp: from 2 to 1");
  // A poisoned tensor passes through everything and keeps the first error.
  z = tiny_add(x, y);
  z = tiny_softmax(tiny_sum(tiny_reshape(tiny_exp(tiny_mul(z, x)), TINY_SHAPE(7)), 9, 0), 3);
  BAD(z, TINY_E_SHAPE, "add: (2,3) and (4,) do not broadcast");
  CHECK(!tiny_ok(z) && tiny_nelem_of(z) == 0 && tiny_shape_of(z).ndim == 0 && tiny_dtype_of(z) == TINY_VOID && tiny_uop_of(z) == NULL && tiny_ctx_of(z) == t);
  CHECK(!tiny_ok(NULL) && tiny_nelem_of(NULL) == 0 && tiny_shape_of(NULL).ndim == 0 && tiny_ctx_of(NULL) == NULL && tiny_uop_of(NULL) == NULL);
  CHECK(tiny_keep(NULL) == NULL && tiny_keep(z) == z);
  tiny_free(z);
  // Tensors of two contexts do not mix.
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *other = tiny_open(&d);
  BAD(tiny_add(x, tiny_zeros(other, TINY_F32, TINY_SHAPE(2, 3))), TINY_E_ARG, "add: argument 2 belongs to another context");
  tiny_close(other);
}

static void check_reductions(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(2, 3), TINY_F32), *none = zeros(TINY_SHAPE(0, 3), TINY_F32);
  tiny_tensor *(*const fold[])(tiny_tensor *, int, int) = {tiny_sum, tiny_prod, tiny_amax, tiny_amin, tiny_mean, tiny_argmax, tiny_argmin, tiny_logsumexp};
  for (size_t i = 0; i < sizeof fold / sizeof *fold; i++) {
    BAD(fold[i](x, 2, 0), TINY_E_ARG, ": axis 2 is out of range for (2,3)");
    BAD(fold[i](x, -3, 0), TINY_E_ARG, ": axis -3 is out of range for (2,3)");
    CHECK(fold[i](NULL, 0, 0) == NULL && fold[i](tn_poison(t), 9, 0) == tn_poison(t));
  }
  BAD(tiny_var(x, 2, 0, 1), TINY_E_ARG, "var: axis 2 is out of range for (2,3)");
  BAD(tiny_cumsum(x, 2), TINY_E_ARG, "cumsum: axis 2 is out of range for (2,3)");
  BAD(tiny_amax(none, 0, 0), TINY_E_SHAPE, "amax: there is nothing along the axis of (0,3)");
  BAD(tiny_argmax(none, 0, 0), TINY_E_SHAPE, "argmax: 0 elements along the axis of (0,3)");
  BAD(tiny_reduce(x, TINY_REDUCE_REPLACE, TINY_SHAPE(0), 0), TINY_E_ARG, "reduce: op is 5, not one of TINY_REDUCE_SUM to TINY_REDUCE_MEAN");
  BAD(tiny_reduce(x, (tiny_reduce_op)-1, TINY_SHAPE(0), 0), TINY_E_ARG, "reduce: op is -1, not one of TINY_REDUCE_SUM to TINY_REDUCE_MEAN");
  BAD(tiny_reduce(x, TINY_REDUCE_SUM, TINY_SHAPE(0, -2), 0), TINY_E_ARG, "reduce: axis 0 of (2,3) is named twice");
}

static void check_nn(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(32, 784), TINY_F32), *w = zeros(TINY_SHAPE(512, 10), TINY_F32), *i = zeros(TINY_SHAPE(4), TINY_I32), *z = zeros(TINY_SHAPE(), TINY_F32);
  tiny_tensor *img = zeros(TINY_SHAPE(2, 4, 6, 6), TINY_F32), *k = zeros(TINY_SHAPE(8, 4, 3, 3), TINY_F32);
  tiny_conv_desc d;
  tiny_batch_norm_state s;
  memset(&d, 0, sizeof d);
  memset(&s, 0, sizeof s);
  BAD(tiny_matmul(x, w), TINY_E_SHAPE, "matmul: inner dims differ: (32,784) @ (512,10)");
  BAD(tiny_matmul(x, z), TINY_E_SHAPE, "matmul: 0-d operand: (32,784) @ ()");
  BAD(tiny_matmul(zeros(TINY_SHAPE(2, 3, 4), TINY_F32), zeros(TINY_SHAPE(5, 4, 3), TINY_F32)), TINY_E_SHAPE, "matmul: leading dims do not broadcast: (2,3,4) @ (5,4,3)");
  BAD(tiny_linear(x, w, NULL), TINY_E_SHAPE, "linear: (32,784) with weights (512,10)");
  BAD(tiny_linear(zeros(TINY_SHAPE(3, 10), TINY_F32), w, i), TINY_E_SHAPE, "linear: bias (4,) with weights (512,10)");
  BAD(tiny_softmax(x, 2), TINY_E_ARG, "softmax: axis 2 is out of range for (32,784)");
  BAD(tiny_log_softmax(x, 2), TINY_E_ARG, "log_softmax: axis 2 is out of range for (32,784)");
  BAD(tiny_cross_entropy(x, i, NULL), TINY_E_SHAPE, "cross_entropy: scores (32,784) with labels (4,)");
  BAD(tiny_cross_entropy(x, zeros(TINY_SHAPE(32), TINY_F32), NULL), TINY_E_SHAPE, "cross_entropy: scores (32,784) with probabilities (32,)");
  BAD(tiny_one_hot(x, 3), TINY_E_DTYPE, "one_hot: indices are integers, not f32");
  BAD(tiny_one_hot(i, 0), TINY_E_ARG, "one_hot: 0 classes");
  BAD(tiny_gather(x, 0, i), TINY_E_SHAPE, "gather: (32,784) by indices (4,)");
  BAD(tiny_index_select(x, 2, i), TINY_E_ARG, "index_select: axis 2 is out of range");
  BAD(tiny_index_select(x, 0, x), TINY_E_DTYPE, "index_select: indices are integers, not f32");
  BAD(tiny_index_select(x, 0, zeros(TINY_SHAPE(2, 2), TINY_I32)), TINY_E_SHAPE, "index_select: (32,784) by indices (2,2)");
  BAD(tiny_conv2d(img, zeros(TINY_SHAPE(8, 3, 3, 3), TINY_F32), NULL, NULL), TINY_E_SHAPE, "conv2d: (2,4,6,6) with weights (8,3,3,3) in 1 groups");
  BAD(tiny_conv2d(img, zeros(TINY_SHAPE(8, 4, 7, 3), TINY_F32), NULL, NULL), TINY_E_SHAPE, "conv2d: no window of weights (8,4,7,3) fits (2,4,6,6)");
  BAD(tiny_conv2d(img, k, i, NULL), TINY_E_SHAPE, "conv2d: bias (4,) with weights (8,4,3,3)");
  BAD(tiny_conv2d(NULL, k, NULL, NULL), TINY_E_ARG, "conv2d: tensor argument 1 is NULL");
  d.stride[0] = -1;
  BAD(tiny_conv2d(img, k, NULL, &d), TINY_E_ARG, "conv2d: stride -1, pad 0, dilation 0");
  BAD(tiny_max_pool2d(img, 0, 0, 0), TINY_E_ARG, "max_pool2d: kernel 0, stride 0, pad 0");
  BAD(tiny_max_pool2d(img, 3, 1, 2), TINY_E_ARG, "max_pool2d: kernel 3, stride 1, pad 2");
  BAD(tiny_avg_pool2d(img, 7, 0, 0), TINY_E_SHAPE, "avg_pool2d: no window of (7,7) fits (2,4,6,6)");
  BAD(tiny_layer_norm(x, 3, NULL, NULL, 1e-5), TINY_E_ARG, "layer_norm: over 3 dims of (32,784)");
  BAD(tiny_layer_norm(x, 1, i, NULL, 1e-5), TINY_E_SHAPE, "layer_norm: (32,784) with weights or statistics (4,)");
  BAD(tiny_batch_norm(x, NULL, 1), TINY_E_ARG, "batch_norm: state is NULL");
  BAD(tiny_batch_norm(x, &s, 0), TINY_E_ARG, "batch_norm: running statistics are NULL");
  s.weight = i;
  BAD(tiny_batch_norm(x, &s, 1), TINY_E_SHAPE, "batch_norm: (32,784) with weights or statistics (4,)");
  BAD(tiny_batch_norm(i, &s, 1), TINY_E_SHAPE, "batch_norm: (4,) has no channels");
  BAD(tiny_dropout(x, 1.5, 1), TINY_E_ARG, "dropout: p is 1.5, not in [0,1]");
}

static void check_optimisers(void) {
  tiny_tensor *x = zeros(TINY_SHAPE(2), TINY_F32), *y = zeros(TINY_SHAPE(3), TINY_F32), *i = zeros(TINY_SHAPE(2), TINY_I32), *two[2], *bad = NULL;
  tiny_optim sgd, adam;
  memset(&sgd, 0, sizeof sgd);
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM;
  two[0] = x; two[1] = y;
  BAD_CODE(tiny_optim_step(&sgd, &x, &y, 1), TINY_E_SHAPE, "optim_step: parameter 0 is (2,), its gradient (3,)");
  BAD_CODE(tiny_optim_step(&adam, &i, &x, 1), TINY_E_DTYPE, "optim_step: parameter 0 is i32");
  BAD_CODE(tiny_optim_step(&adam, &x, &bad, 1), TINY_E_ARG, "optim_step: tensor argument 3 is NULL");
  CHECK_EQ(tiny_optim_step(&sgd, NULL, NULL, 1), TINY_E_ARG);
  CHECK_EQ(tiny_optim_step(&sgd, &x, &x, 0), TINY_E_ARG);
  BAD_CODE(tiny_optim_step(NULL, &x, &x, 1), TINY_E_ARG, "optim_step: the optimiser is NULL");
  CHECK_EQ(tiny_optim_step(&adam, &x, &x, 1), TINY_OK);
  BAD_CODE(tiny_optim_step(&adam, two, two, 2), TINY_E_ARG, "optim_step: 2 parameters for an optimiser of 1");
  BAD_CODE(tiny_optim_step(&adam, &y, &y, 1), TINY_E_SHAPE, "optim_step: parameter 0 is (3,), in the steps before it was (2,)");
  tiny_ema ema;
  memset(&ema, 0, sizeof ema);
  CHECK_EQ(tiny_ema_step(&ema, &x, 1), TINY_OK);
  BAD_CODE(tiny_ema_step(&ema, &y, 1), TINY_E_SHAPE, "ema_step: parameter 0 is (3,), in the steps before it was (2,)");
  tiny_ema_free(&ema);
  tiny_tensor *dead = zeros(TINY_SHAPE(2), TINY_F32);
  tiny_free(dead);
  BAD(tiny_checkpoint(dead, &x, 0), TINY_E_STATE, "checkpoint: argument 1 was freed by tiny_free");
  tiny_optim_free(&adam);
  tiny_optim_free(&adam);
  sgd.kind = TINY_MUON;
  BAD_CODE(tiny_optim_step(&sgd, &x, &x, 1), TINY_E_SHAPE, "optim_step: muon moves matrices, but parameter 0 is (2,)");
  sgd.kind = TINY_OPTIM_COUNT;
  BAD_CODE(tiny_optim_step(&sgd, &x, &x, 1), TINY_E_ARG, "optim_step: 10 is no kind of optimiser");
  sgd.kind = TINY_SGD; sgd.when = x;
  BAD_CODE(tiny_optim_step(&sgd, &x, &x, 1), TINY_E_ARG, "optim_step: when is not a 0-d bool of this context");
  tiny_optim_free(NULL);
  tiny_optim_free(&sgd);
  tiny_scaler scaler;
  tiny_tensor *grads[1];
  grads[0] = x;
  memset(&scaler, 0, sizeof scaler);
  BAD_CODE(tiny_scaler_unscale(&scaler, grads, 1), TINY_E_STATE, "scaler_unscale: the loss was not scaled");
  BAD_CODE(tiny_scaler_step(&scaler, &sgd, &x, &x, 1), TINY_E_STATE, "scaler_step: the gradients were not unscaled");
  BAD(tiny_scaler_scale(&scaler, i), TINY_E_DTYPE, "scaler_scale: the loss is i32, not a float");
  BAD(tiny_clip_grad_norm(grads, 1, -1, 0), TINY_E_ARG, "clip_grad_norm: max_norm -1 and p 2; both are positive");
  BAD_CODE(tiny_clip_grad_value(grads, 1, -1), TINY_E_ARG, "clip_grad_value: -1 is negative");
}

static void check_reading(void) {
  float out[6];
  tiny_tensor *x = zeros(TINY_SHAPE(2, 3), TINY_F32), *none = NULL;
  BAD_CODE(tiny_read(x, out, 20), TINY_E_ARG, "read: 20 bytes given, (2,3) of f32 has 24");
  BAD_CODE(tiny_read(x, NULL, 24), TINY_E_ARG, "NULL");
  BAD_CODE(tiny_write(x, out, 20), TINY_E_ARG, "write: 20 bytes given, (2,3) of f32 has 24");
  CHECK_EQ(tiny_read(NULL, out, 4), TINY_E_ARG);
  CHECK_EQ(tiny_realize(&none, 1), TINY_E_ARG);
  CHECK_EQ(tiny_realize(NULL, 1), TINY_E_ARG);
  CHECK(tiny_item(x) != tiny_item(x));     // NaN
  CHECK_EQ(tiny_status(t), TINY_E_SHAPE);
  tiny_clear(t);
  BAD_CODE(tiny_end(t), TINY_E_STATE, "end: no frame is open");
}

static void check_memory(void) {
  static float data[16];
  const int64_t far[2] = {INT64_MAX, 1};
  BAD(tiny_blob(t, NULL, TINY_F32, TINY_SHAPE(2), NULL), TINY_E_ARG, "blob: data is NULL");
  BAD(tiny_blob(t, data, TINY_VOID, TINY_SHAPE(2), NULL), TINY_E_DTYPE, "blob: 0 is no dtype");
  BAD(tiny_blob(t, data, TINY_F32, TINY_SHAPE(-2), NULL), TINY_E_SHAPE, "blob: negative size in (-2,)");
  BAD(tiny_blob(t, data, TINY_F32, TINY_SHAPE(3, 2), far), TINY_E_ARG, "blob: strides reach over");
  BAD_CODE(tiny_reference(zeros(TINY_SHAPE(3), TINY_F32), data, 4), TINY_E_ARG, "reference: 4 bytes given, (3,) of f32 has 12");
  CHECK_EQ(tiny_reference(NULL, data, 4), TINY_E_ARG);
  CHECK(!tiny_like(NULL, 1) && tiny_blob(NULL, data, TINY_F32, TINY_SHAPE(2), NULL) == NULL);
}

static void check_kernels(void) {
  tiny_kernel_desc d;
  tiny_tensor *x = zeros(TINY_SHAPE(4), TINY_F32), *in[1], *out[1];
  in[0] = x;
  memset(&d, 0, sizeof d);
  d.shape = TINY_SHAPE(4); d.dtype = TINY_F32; d.inputs = in; d.n = 1;
  BAD(tiny_kernel(t, NULL), TINY_E_ARG, "kernel: needs source and name, or binary and name, or uops");
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "kernel: needs source and name, or binary and name, or uops");
  d.source = "void f(void) {}"; d.name = "f";
  BAD(tiny_kernel(t, &d), TINY_E_DEVICE, "kernel: INTERP does not take source");
  d.n = 64;
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "kernel: 64 inputs");
  d.n = 1; d.source = NULL;
  d.binary = "f"; d.nbytes = 1;
  BAD(tiny_kernel(t, &d), TINY_E_DEVICE, "kernel: INTERP does not take a binary");
  d.nbytes = 0;
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "kernel: a binary of 0 bytes");
  d.nbytes = 1; d.source = "void f(void) {}";
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "which is it?");
  d.binary = NULL; d.source = NULL;
  d.uops = tiny_uop_parse(t, "4");
  for (int i = 0; i < 6; i++) {
    int64_t *at = i < 3 ? &d.global[i] : &d.local[i - 3];
    *at = -1;
    BAD(tiny_kernel(t, &d), TINY_E_ARG, "neither may be negative");
    *at = INT64_MAX;
    BAD(tiny_kernel(t, &d), TINY_E_ARG, "are more than INTERP runs");
    *at = 0;
  }
  d.global[0] = d.global[1] = d.global[2] = (int64_t)1 << 22;          // a product beyond 64 bits
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "are more than INTERP runs");
  memset(d.global, 0, sizeof d.global);
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "kernel: uops must be a SINK, not CONST");
  d.uops = tiny_uop_parse(t, "(SINK (STORE (INDEX:f32 (PARAM:f32:0 4) 1) (LOAD:f32 (INDEX:f32 (PARAM:f32:2 4) 1))))");
  CHECK(d.uops);
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "kernel: PARAM 2, but there are an output and 1 inputs");
  d.uops = tiny_uop_parse(t, "(SINK (STORE (INDEX:f32 (PARAM:f32:0 4) 1) (LOAD:f32 (INDEX:f32 (PARAM:f32:1 9) 1))))");
  BAD(tiny_kernel(t, &d), TINY_E_ARG, "kernel: PARAM 1 is 9 of f32, its tensor has 4 of f32");
  // Work items are a grid's: on a CPU's tasks they would all be the first one.
  d.uops = tiny_uop_parse(t, "i = (RANGE:1:local 4) (SINK (END (STORE (INDEX:f32 (PARAM:f32:0 4) i) "
                             "(LOAD:f32 (INDEX:f32 (PARAM:f32:1 4) i))) i))");
  CHECK(d.uops && tiny_ok(tiny_kernel(t, &d)));
  tiny_ctx *cpu = tiny_open(NULL);
  tiny_tensor *on_cpu = tiny_zeros(cpu, TINY_F32, TINY_SHAPE(4));
  d.inputs = &on_cpu;
  d.uops = tiny_uop_parse(cpu, "i = (RANGE:1:local 4) (SINK (END (STORE (INDEX:f32 (PARAM:f32:0 4) i) "
                               "(LOAD:f32 (INDEX:f32 (PARAM:f32:1 4) i))) i))");
  CHECK(d.uops && !tiny_ok(tiny_kernel(cpu, &d)));
  CHECK(strstr(tiny_error(cpu), "uops have RANGE, but CPU has tasks, and no work items") != NULL);
  tiny_close(cpu);
  d.inputs = in;
  CHECK(!tiny_capture(t, in, 1, out, -1));
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  tiny_clear(t);
  tiny_tensor *lazy[1] = {tiny_add(x, x)};
  CHECK(!tiny_capture(t, lazy, 1, lazy, 1));
  CHECK(tiny_status(t) == TINY_E_STATE && strstr(tiny_error(t), "capture: input 0 is not realized"));
  tiny_clear(t);
  CHECK_EQ(tiny_run(NULL, in, out), TINY_E_ARG);
  CHECK_EQ(tiny_program_kernel_count(NULL), 0);
  tiny_program_free(NULL);
}

static void check_views_and_ir(void) {
  tiny_views v = tiny_views_of(TINY_SHAPE(2, 3)), before = v;
  tiny_uop *one = tiny_uop_new(t, TINY_OP_CONST, TINY_I32, NULL, 0, 1, NULL, 0), *none = NULL;
  int64_t out = 0;
  const int64_t axes[2] = {0, 0};
  CHECK_EQ(tiny_views_permute(&v, TINY_SHAPE(0)), TINY_E_SHAPE);
  CHECK_EQ(tiny_views_expand(&v, TINY_SHAPE(4, 3)), TINY_E_SHAPE);
  CHECK_EQ(tiny_views_pad(&v, TINY_SHAPE(-1, 0, 0, 0)), TINY_E_SHAPE);
  CHECK_EQ(tiny_views_shrink(&v, TINY_SHAPE(0, 9, 0, 3)), TINY_E_SHAPE);
  CHECK_EQ(tiny_views_flip(&v, TINY_SHAPE(7)), TINY_E_SHAPE);
  CHECK_EQ(tiny_views_reshape(&v, TINY_SHAPE(5)), TINY_E_SHAPE);
  CHECK(!memcmp(&v, &before, sizeof v));
  CHECK_EQ(tiny_views_permute(NULL, TINY_SHAPE(0)), TINY_E_ARG);
  CHECK(!tiny_uop_new(t, 9999, TINY_I32, NULL, 0, 0, NULL, 0));
  CHECK(tiny_status(t) == TINY_E_ARG && strstr(tiny_error(t), "uop_new: op 9999"));
  tiny_clear(t);
  CHECK(!tiny_uop_new(t, TINY_OP_NEG, TINY_I32, &none, 1, 0, NULL, 0));
  CHECK(strstr(tiny_error(t), "source 0 of NEG is NULL"));
  tiny_clear(t);
  CHECK(!tiny_uop_new(t, TINY_OP_PERMUTE, TINY_I32, &one, 1, 0, axes, 2));
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  tiny_clear(t);
  CHECK(!tiny_uop_parse(t, "(ADD 1"));
  CHECK(tiny_status(t) == TINY_E_ARG && strchr(tiny_error(t), '^'));
  tiny_clear(t);
  CHECK(!tiny_uop_parse(NULL, "1") && !tiny_uop_new(NULL, 0, TINY_I32, NULL, 0, 0, NULL, 0) && !tiny_uop_simplify(t, NULL));
  CHECK(tiny_uop_eval(t, NULL, NULL, 0, &out) != TINY_OK);
  tiny_clear(t);
  CHECK_STR(tiny_op_name(-1), "?");
  CHECK_STR(tiny_dtype_name((tiny_dtype)77), "?");
  CHECK_EQ(tiny_dtype_nbytes((tiny_dtype)77), 0);
  CHECK_EQ(tiny_stats_of(NULL).kernels, 0);
  CHECK_STR(tiny_device_name(NULL, 0), "");
  CHECK(tiny_error(NULL)[0] && tiny_status(NULL) == TINY_E_MEMORY);
  CHECK_EQ(tiny_finish(NULL), 1);
  CHECK_EQ(tiny_end(NULL), TINY_E_ARG);
  tiny_begin(NULL); tiny_clear(NULL); tiny_close(NULL); tiny_free(NULL);
  CHECK(!tiny_keep(NULL) && !tiny_ok(NULL) && !tiny_ctx_of(NULL));
}

// The end of main tells the error that stands, and makes it the exit status.
static void check_finish(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.log.fn = hear;
  tiny_ctx *own = tiny_open(&d);
  CHECK(tiny_finish(own) == 0 && !*heard);
  own = tiny_open(&d);
  tiny_reshape(tiny_zeros(own, TINY_F32, TINY_SHAPE(2)), TINY_SHAPE(3));
  CHECK_EQ(tiny_finish(own), 1);
  CHECK(strstr(heard, "reshape: (2,)") != NULL);
  d.device = "NOWHERE";
  *heard = 0;
  CHECK(tiny_finish(tiny_open(&d)) == 1 && strstr(heard, "NOWHERE"));
}

// ** the n-th allocation fails, for n = 1, 2, .. until all goes well **

typedef struct counter { int64_t left; int64_t live, allocations; } counter;
static void *counted(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  counter *c = (counter *)user;
  if (new_nbytes > old_nbytes && c->left-- == 0) { c->left = 0; return NULL; }
  c->live += (int64_t)new_nbytes - (int64_t)old_nbytes;
  if (new_nbytes) return realloc(ptr, new_nbytes);
  free(ptr);
  return NULL;
}
static tiny_code build_much(tiny_ctx *ctx) {
  tiny_batch_norm_state s;
  tiny_conv_desc d;
  tiny_optim adam;
  tiny_tensor *g[2];
  memset(&s, 0, sizeof s);
  memset(&d, 0, sizeof d);
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM;
  d.pad[0] = d.pad[1] = 1;
  static const float data[2 * 2 * 9] = {1, 2, 3};
  tiny_begin(ctx);
  tiny_tensor *x = tiny_rand(ctx, TINY_SHAPE(2, 2, 6, 6)), *w = tiny_keep(tiny_from(ctx, data, TINY_F32, TINY_SHAPE(2, 2, 3, 3)));
  tiny_tensor *v = tiny_keep(tiny_from(ctx, data, TINY_F32, TINY_SHAPE(18, 2))), *params[2];
  s.mean = tiny_zeros(ctx, TINY_F32, TINY_SHAPE(2)); s.var = tiny_ones(ctx, TINY_F32, TINY_SHAPE(2));
  params[0] = w; params[1] = v;
  x = tiny_max_pool2d(tiny_relu(tiny_batch_norm(tiny_conv2d(x, w, NULL, &d), &s, 1)), 2, 0, 0);
  x = tiny_matmul(tiny_dropout(tiny_flatten(x, 1, -1), 0.5, 1), v);
  x = tiny_add(x, tiny_cumsum(tiny_tanh(tiny_slice(x, 0, -1, -5, -1)), 0));
  tiny_tensor *loss = tiny_cross_entropy(x, tiny_argmax(x, 1, 0), NULL);
  tiny_grad(loss, params, 2, g);
  tiny_optim_step(&adam, params, g, 2);
  for (int i = 0; i < 100; i++) loss = tiny_add(loss, tiny_scalar(ctx, i, TINY_F32));
  const tiny_code code = ctx ? (tiny_ok(loss) && tiny_ok(g[1]) ? tiny_status(ctx) : TINY_E_MEMORY) : TINY_E_MEMORY;
  if (ctx && code != TINY_OK) CHECK_EQ(tiny_status(ctx), TINY_E_MEMORY);
  tiny_optim_free(&adam);
  if (ctx) { ctx->tensors->npending = 0; tiny_end(ctx); }    // the graph is built and dropped, not run
  return code;
}
static void check_allocations(void) {
  tiny_code code = TINY_E_MEMORY;
  int64_t tried = 0;
  while (code != TINY_OK && tried < 5000) {
    counter c = {tried++, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "NULL"; d.cache_dir = ""; d.alloc.fn = counted; d.alloc.user = &c;
    tiny_ctx *ctx = tiny_open(&d);
    code = ctx && tiny_status(ctx) == TINY_OK ? build_much(ctx) : TINY_E_MEMORY;
    tiny_close(ctx);
    if (c.live) { printf("allocation %d: %d bytes leak\n", (int)tried, (int)c.live); CHECK_EQ(c.live, 0); break; }
  }
  CHECK_EQ(code, TINY_OK);
  CHECK(tried > 20);
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  t = tiny_open(&d);
  CHECK_STR(tiny_error(t), "");
  check_creation();
  check_movement();
  check_elementwise();
  check_reductions();
  check_nn();
  check_optimisers();
  check_reading();
  check_memory();
  check_kernels();
  check_views_and_ir();
  CHECK(tiny_item(tiny_add(tiny_full(t, 2, TINY_F32, TINY_SHAPE()), tiny_full(t, 3, TINY_F32, TINY_SHAPE()))) == 5);   // the host goes on
  tiny_close(t);
  check_allocations();
  check_finish();
  return test_report();
}
