// amd_corpus: the programs that bench/amd_corpus.c measures: small enough that an emulator runs each in about a second,
// large enough for the schedules that GPUs get.
#ifndef BENCH_AMD_CORPUS_H
#define BENCH_AMD_CORPUS_H

#include "numbers.h"

// Inputs of a case: those that it asks for, computed before anything is counted.
enum { CASE_INPUTS = 8 };
typedef struct case_inputs { tiny_ctx *t; int64_t m, n; int nin; tiny_optim optim; } case_inputs;

static tiny_tensor *case_input(case_inputs *x, tiny_tensor *in) {
  tiny_realize(&in, 1);
  x->nin++;
  return in;
}
static tiny_tensor *of(case_inputs *x, tiny_shape shape, double scale, tiny_dtype dtype) {
  return case_input(x, tiny_cast(numbers_tensor(x->t, shape, (uint32_t)x->nin + 1, (float)scale, 0), dtype));
}
static tiny_tensor *fresh(case_inputs *x, tiny_shape shape) { return of(x, shape, 2, TINY_F32); }
static tiny_tensor *flat(case_inputs *x, tiny_dtype dtype) { return of(x, TINY_SHAPE(x->m, x->n), 4, dtype); }
// a and b (m,n), c (n,m)
static tiny_tensor *a_of(case_inputs *x) { return fresh(x, TINY_SHAPE(x->m, x->n)); }
static tiny_tensor *c_of(case_inputs *x) { return fresh(x, TINY_SHAPE(x->n, x->m)); }
// Whole numbers from 0 to most - 1.
static tiny_tensor *numbers_to(case_inputs *x, tiny_shape shape, int64_t most, tiny_dtype dtype) {
  const float size = (float)most;
  return case_input(x, tiny_cast(numbers_tensor(x->t, shape, (uint32_t)x->nin + 9, size, size / 2), dtype));
}
static tiny_tensor *indices(case_inputs *x, tiny_shape shape, int64_t most) {
  return numbers_to(x, shape, most, TINY_I32);
}

#define CASE(name, value) static tiny_tensor *k_##name(case_inputs *x) { return value; }
#define OF_A(name, value) static tiny_tensor *k_##name(case_inputs *x) { tiny_tensor *a = a_of(x); return value; }
#define OF_AB(name, value) \
  static tiny_tensor *k_##name(case_inputs *x) { tiny_tensor *a = a_of(x), *b = a_of(x); return value; }
#define OF_TYPE(name, dtype, value) \
  static tiny_tensor *k_##name(case_inputs *x) { tiny_tensor *a = flat(x, dtype); return value; }

// ** elementwise **

OF_A(scale, tiny_add_scalar(tiny_mul_scalar(a, 2), 1))
OF_AB(triad, tiny_add(tiny_mul_scalar(a, 2), b))
OF_A(chain, tiny_add(tiny_mul_scalar(tiny_relu(tiny_mul(tiny_add_scalar(tiny_mul_scalar(a, 2), 1),
    tiny_add_scalar(a, -3))), 0.5), a))
OF_AB(div, tiny_div(a, b))
OF_A(sqrt, tiny_sqrt(tiny_abs(a)))
OF_A(exp, tiny_exp(a))
OF_A(log, tiny_log(tiny_add_scalar(tiny_abs(a), 0.1)))
OF_A(sin, tiny_sin(a))
OF_A(tanh, tiny_tanh(a))
OF_A(sigmoid, tiny_sigmoid(a))
OF_A(gelu, tiny_gelu(a))
OF_A(silu, tiny_silu(a))
OF_A(erf, tiny_erf(a))
OF_AB(where, tiny_where(tiny_lt(a, b), a, tiny_neg(b)))
OF_AB(pow, tiny_pow(tiny_add_scalar(tiny_abs(a), 0.1), b))
OF_A(round, tiny_round(tiny_mul_scalar(a, 10)))
OF_A(bias, tiny_relu(tiny_add(a, fresh(x, TINY_SHAPE(x->n)))))
OF_A(to_f64, tiny_cast(a, TINY_F64))
OF_A(to_f16, tiny_cast(a, TINY_F16))
OF_A(to_bf16, tiny_cast(a, TINY_BF16))
OF_A(to_fp8, tiny_cast(a, TINY_F8E4M3))
OF_A(to_i8, tiny_cast(tiny_mul_scalar(a, 100), TINY_I8))
OF_TYPE(from_f16, TINY_F16, tiny_cast(a, TINY_F32))
OF_TYPE(from_bf16, TINY_BF16, tiny_cast(a, TINY_F32))
OF_TYPE(scale_f16, TINY_F16, tiny_add_scalar(tiny_mul_scalar(a, 2), 1))
OF_TYPE(scale_bf16, TINY_BF16, tiny_add_scalar(tiny_mul_scalar(a, 2), 1))
OF_TYPE(scale_f64, TINY_F64, tiny_add_scalar(tiny_mul_scalar(a, 2), 1))
OF_TYPE(gelu_f16, TINY_F16, tiny_gelu(a))
OF_TYPE(exp_f64, TINY_F64, tiny_exp(a))
static tiny_tensor *whole(case_inputs *x, tiny_dtype d) { return numbers_to(x, TINY_SHAPE(x->m, x->n), 1000, d); }
static tiny_tensor *k_int_add(case_inputs *x) {
  tiny_tensor *i = whole(x, TINY_I32);
  return tiny_add_scalar(tiny_mul(i, i), 7);
}
CASE(int_mod, tiny_remainder_scalar(whole(x, TINY_I32), 5))
CASE(int_div, tiny_floor_div(whole(x, TINY_I32), tiny_add_scalar(whole(x, TINY_I32), 1)))
CASE(long_mul, tiny_mul(whole(x, TINY_I64), whole(x, TINY_I64)))
CASE(long_div, tiny_floor_div(whole(x, TINY_I64), tiny_add_scalar(whole(x, TINY_I64), 1)))
static tiny_tensor *k_bits(case_inputs *x) {
  tiny_tensor *i = whole(x, TINY_U32);
  return tiny_bitwise_xor(tiny_shift_left(i, tiny_like(i, 13)), tiny_shift_right(i, tiny_like(i, 3)));
}
static tiny_tensor *k_bytes(case_inputs *x) {
  tiny_tensor *i = numbers_to(x, TINY_SHAPE(x->m, x->n), 200, TINY_U8);
  return tiny_maximum(tiny_add_scalar(i, 3), numbers_to(x, TINY_SHAPE(x->m, x->n), 200, TINY_U8));
}

// ** rows and reductions **

OF_A(softmax, tiny_softmax(a, -1))
OF_A(log_softmax, tiny_log_softmax(a, -1))
OF_A(logsumexp, tiny_logsumexp(a, -1, 0))
OF_A(layer_norm, tiny_layer_norm(a, 1, fresh(x, TINY_SHAPE(x->n)), fresh(x, TINY_SHAPE(x->n)), 1e-5))
OF_A(rms_norm, tiny_rms_norm(a, 1, fresh(x, TINY_SHAPE(x->n)), 1e-5))
OF_TYPE(softmax_f16, TINY_F16, tiny_softmax(a, -1))
OF_TYPE(rms_norm_bf16, TINY_BF16, tiny_rms_norm(a, 1, of(x, TINY_SHAPE(x->n), 2, TINY_BF16), 1e-5))
OF_TYPE(layer_norm_f16, TINY_F16, tiny_layer_norm(a, 1, NULL, NULL, 1e-5))
OF_A(argmax, tiny_argmax(a, 1, 0))
OF_A(max_rows, tiny_amax(a, 1, 0))
OF_A(sum_rows, tiny_sum(a, 1, 0))
OF_A(var_rows, tiny_var(a, 1, 0, 1))
OF_A(cross_entropy, tiny_cross_entropy(a, indices(x, TINY_SHAPE(x->m), x->n), NULL))
static tiny_tensor *k_softmax_grad(case_inputs *x) {
  tiny_tensor *a = a_of(x), *b = a_of(x), *g = a;
  tiny_grad(tiny_sum(tiny_mul(tiny_softmax(a, -1), b), TINY_ALL, 0), &a, 1, &g);
  return g;
}
OF_A(sum, tiny_sum(a, TINY_ALL, 0))
OF_A(sum_down, tiny_sum(a, 0, 0))
OF_A(mean_middle, tiny_mean(tiny_reshape(a, TINY_SHAPE(x->m / 8, 8 * x->n / 16, 16)), 1, 0))
OF_A(prod, tiny_prod(a, 1, 0))
OF_A(argmax_down, tiny_argmax(a, 0, 0))
OF_A(norm, tiny_norm(a, 2, TINY_ALL, 0))
OF_TYPE(sum_f16, TINY_F16, tiny_sum(a, TINY_ALL, 0))
OF_TYPE(sum_f64, TINY_F64, tiny_sum(a, 1, 0))
CASE(sum_i32, tiny_sum(whole(x, TINY_I32), TINY_ALL, 0))
CASE(max_i64, tiny_amax(whole(x, TINY_I64), 1, 0))
OF_A(any, tiny_any(tiny_gt_scalar(a, 0.999), 1, 0))
OF_A(batch_norm, tiny_batch_norm(tiny_reshape(a, TINY_SHAPE(4, x->m / 4, 16, x->n / 16)),
                                 &(tiny_batch_norm_state){.mean = NULL}, 1))

// ** products **

static tiny_tensor *product(case_inputs *x, int64_t m, int64_t k, int64_t n, tiny_dtype in, tiny_dtype out) {
  const double scale = in == TINY_I8 ? 200 : 2;
  tiny_tensor *a = of(x, TINY_SHAPE(m, k), scale, in), *b = of(x, TINY_SHAPE(k, n), scale, in);
  return tiny_matmul(in == out ? a : tiny_cast(a, out), in == out ? b : tiny_cast(b, out));
}
CASE(matmul, product(x, x->m, x->n, x->m, TINY_F32, TINY_F32))
CASE(matmul_f16, product(x, x->m, x->n, x->m, TINY_F16, TINY_F16))
CASE(matmul_f16_f32, product(x, x->m, x->n, x->m, TINY_F16, TINY_F32))
CASE(matmul_bf16, product(x, x->m, x->n, x->m, TINY_BF16, TINY_BF16))
CASE(matmul_i8, product(x, x->m, x->n, x->m, TINY_I8, TINY_I32))
CASE(matmul_f64, product(x, x->m, x->n, x->m, TINY_F64, TINY_F64))
CASE(vector, product(x, 1, x->m, x->n, TINY_F32, TINY_F32))
CASE(vector_f16, product(x, 1, x->m, x->n, TINY_F16, TINY_F16))
CASE(thin, product(x, 16, x->m, x->n, TINY_F32, TINY_F32))
OF_A(linear, tiny_relu(tiny_add(tiny_matmul(a, tiny_transpose(fresh(x, TINY_SHAPE(x->m, x->n)), 0, 1)),
                                fresh(x, TINY_SHAPE(x->m)))))
OF_TYPE(linear_f16, TINY_F16, tiny_gelu(tiny_add(tiny_matmul(a, tiny_transpose(flat(x, TINY_F16), 0, 1)),
                                                 of(x, TINY_SHAPE(x->m), 2, TINY_F16))))
CASE(batched, tiny_matmul(fresh(x, TINY_SHAPE(8, x->m, x->n)), fresh(x, TINY_SHAPE(8, x->n, x->m))))

// ** attention **

static tiny_tensor *attend(case_inputs *x, tiny_dtype d, int causal, int heads, int shared) {
  const tiny_shape s = TINY_SHAPE(1, heads, x->m, x->n), few = TINY_SHAPE(1, heads / shared, x->m, x->n);
  const tiny_attention_desc desc = {.causal = causal};
  return tiny_attention(of(x, s, 2, d), of(x, few, 2, d), of(x, few, 2, d), &desc);
}
CASE(attention, attend(x, TINY_F32, 0, 2, 1))
CASE(causal, attend(x, TINY_F32, 1, 2, 1))
CASE(attention_f16, attend(x, TINY_F16, 0, 2, 1))
CASE(causal_f16, attend(x, TINY_F16, 1, 2, 1))
CASE(causal_bf16, attend(x, TINY_BF16, 1, 2, 1))
CASE(grouped_f16, attend(x, TINY_F16, 1, 4, 2))
static tiny_tensor *k_attention_grad(case_inputs *x) {
  const tiny_shape s = TINY_SHAPE(1, 2, x->m, x->n);
  tiny_tensor *in[3] = {of(x, s, 2, TINY_F16), of(x, s, 2, TINY_F16), of(x, s, 2, TINY_F16)}, *g[3];
  tiny_tensor *y = tiny_attention(in[0], in[1], in[2], NULL);
  if (tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), in, 3, g) != TINY_OK) return y;
  return tiny_add(tiny_add(g[0], g[1]), g[2]);
}
static tiny_tensor *k_decode(case_inputs *x) {               // a query for all keys
  const tiny_shape one = TINY_SHAPE(1, 8, 1, x->n), all = TINY_SHAPE(1, 8, x->m, x->n);
  return tiny_attention(of(x, one, 2, TINY_F16), of(x, all, 2, TINY_F16), of(x, all, 2, TINY_F16), NULL);
}
CASE(rope, tiny_rope(fresh(x, TINY_SHAPE(1, 4, x->m, x->n)), NULL, NULL))

// ** convolutions: m channels, side n **

static tiny_tensor *convolve(case_inputs *x, int64_t out, int side, int groups, tiny_dtype d) {
  const tiny_conv_desc desc = {.pad = {side / 2, side / 2}, .groups = groups};
  return tiny_relu(tiny_conv2d(of(x, TINY_SHAPE(1, x->m, x->n, x->n), 2, d),
                               of(x, TINY_SHAPE(out, x->m / groups, side, side), 2, d), NULL, &desc));
}
CASE(conv3, convolve(x, x->m, 3, 1, TINY_F32))
CASE(conv3_f16, convolve(x, x->m, 3, 1, TINY_F16))
CASE(conv1, convolve(x, x->m, 1, 1, TINY_F32))
CASE(depthwise, convolve(x, x->m, 3, (int)x->m, TINY_F32))
CASE(max_pool, tiny_max_pool2d(fresh(x, TINY_SHAPE(1, x->m, x->n, x->n)), 3, 2, 1))

// ** elements that are moved **

OF_A(transpose, tiny_contiguous(tiny_transpose(a, 0, 1)))
OF_TYPE(transpose_f16, TINY_F16, tiny_contiguous(tiny_transpose(a, 0, 1)))
OF_AB(cat, tiny_cat(((tiny_tensor *[]){a, b}), 2, 1))
OF_A(flip, tiny_contiguous(tiny_flip(a, TINY_SHAPE(1))))
OF_A(pad, tiny_contiguous(tiny_pad(a, TINY_SHAPE(1, 2, 3, 1), 0.5)))
OF_A(embedding, tiny_embedding(indices(x, TINY_SHAPE(x->m), x->m), a, -1))
OF_A(gather, tiny_gather(a, 1, indices(x, TINY_SHAPE(x->m, x->n), x->n)))
OF_AB(scatter_add, tiny_scatter_add(b, 1, indices(x, TINY_SHAPE(x->m, x->n), x->n), a))
OF_A(index_add, tiny_index_add(a, 0, indices(x, TINY_SHAPE(x->m / 2), x->m), fresh(x, TINY_SHAPE(x->m / 2, x->n))))
CASE(bincount, tiny_bincount(indices(x, TINY_SHAPE(x->m * x->n), 64), NULL, 64))
OF_A(cumsum, tiny_cumsum(a, 1))
OF_A(cumsum_down, tiny_cumsum(a, 0))
OF_A(sort, tiny_sort(a, 1, 0, NULL))
OF_A(tril, tiny_tril(a, 0))
CASE(arange, tiny_arange(x->t, 0, (double)(x->m * x->n), 1, TINY_F32))
CASE(rand, tiny_rand(x->t, TINY_SHAPE(x->m, x->n)))
CASE(randn, tiny_randn(x->t, TINY_SHAPE(x->m, x->n)))
OF_A(dropout, tiny_dropout(a, 0.5, 1))

// ** steps of optimisers: the parameter after it **

static tiny_tensor *step_of(case_inputs *x, tiny_optim_kind kind, double momentum) {
  tiny_tensor *p = a_of(x), *g = a_of(x);
  x->optim.kind = kind; x->optim.momentum = momentum;
  tiny_optim_step(&x->optim, &p, &g, 1);
  return p;
}
CASE(sgd, step_of(x, TINY_SGD, 0.9))
CASE(adamw, step_of(x, TINY_ADAMW, 0))

enum { PLAIN, ROWS, REDUCTION, MATMUL, ATTENTION, CONVOLUTION, MOVE, CLASSES };
static const char *const class_names[CLASSES] = {
  "elementwise", "rows", "reductions", "products", "attention", "convolutions", "moves and others"};
static const struct { const char *name; tiny_tensor *(*make)(case_inputs *x); int64_t m, n; int kind; } cases[] = {
  {"x * 2 + 1", k_scale, 256, 256, PLAIN}, {"x * 2 + z", k_triad, 256, 256, PLAIN},
  {"chain", k_chain, 256, 256, PLAIN}, {"x / z", k_div, 128, 256, PLAIN}, {"sqrt", k_sqrt, 128, 256, PLAIN},
  {"exp", k_exp, 128, 256, PLAIN}, {"log", k_log, 128, 256, PLAIN}, {"sin", k_sin, 128, 256, PLAIN},
  {"tanh", k_tanh, 128, 256, PLAIN}, {"sigmoid", k_sigmoid, 128, 256, PLAIN}, {"gelu", k_gelu, 128, 256, PLAIN},
  {"silu", k_silu, 128, 256, PLAIN}, {"erf", k_erf, 128, 256, PLAIN}, {"where", k_where, 128, 256, PLAIN},
  {"pow", k_pow, 64, 256, PLAIN}, {"round", k_round, 128, 256, PLAIN}, {"relu(x + bias)", k_bias, 128, 256, PLAIN},
  {"f32 to f64", k_to_f64, 128, 256, PLAIN}, {"f32 to f16", k_to_f16, 128, 256, PLAIN},
  {"f32 to bf16", k_to_bf16, 128, 256, PLAIN}, {"f32 to fp8", k_to_fp8, 128, 256, PLAIN},
  {"f32 to i8", k_to_i8, 128, 256, PLAIN}, {"f16 to f32", k_from_f16, 128, 256, PLAIN},
  {"bf16 to f32", k_from_bf16, 128, 256, PLAIN}, {"x * 2 + 1 of f16", k_scale_f16, 128, 256, PLAIN},
  {"x * 2 + 1 of bf16", k_scale_bf16, 128, 256, PLAIN}, {"x * 2 + 1 of f64", k_scale_f64, 128, 256, PLAIN},
  {"gelu of f16", k_gelu_f16, 128, 256, PLAIN}, {"exp of f64", k_exp_f64, 64, 256, PLAIN},
  {"i * i + 7", k_int_add, 128, 256, PLAIN}, {"i mod 5", k_int_mod, 128, 256, PLAIN},
  {"i / j", k_int_div, 128, 256, PLAIN}, {"i * j of i64", k_long_mul, 128, 256, PLAIN},
  {"i / j of i64", k_long_div, 64, 256, PLAIN}, {"i << 13 ^ i >> 3", k_bits, 128, 256, PLAIN},
  {"max(i + 3, j) of u8", k_bytes, 128, 256, PLAIN},

  {"softmax 256x256", k_softmax, 256, 256, ROWS}, {"softmax 1024x64", k_softmax, 1024, 64, ROWS},
  {"softmax 32x4096", k_softmax, 32, 4096, ROWS}, {"softmax 100x777", k_softmax, 100, 777, ROWS},
  {"softmax of f16", k_softmax_f16, 128, 1024, ROWS}, {"softmax's gradient", k_softmax_grad, 128, 512, ROWS},
  {"log_softmax", k_log_softmax, 128, 256, ROWS}, {"logsumexp", k_logsumexp, 128, 1024, ROWS},
  {"layer_norm 128x768", k_layer_norm, 128, 768, ROWS}, {"layer_norm of f16", k_layer_norm_f16, 128, 1024, ROWS},
  {"rms_norm 128x1024", k_rms_norm, 128, 1024, ROWS}, {"rms_norm of bf16", k_rms_norm_bf16, 128, 1024, ROWS},
  {"argmax of rows", k_argmax, 128, 512, ROWS}, {"max of rows", k_max_rows, 128, 1024, ROWS},
  {"sum of rows", k_sum_rows, 256, 512, ROWS}, {"variance of rows", k_var_rows, 128, 512, ROWS},
  {"cross_entropy", k_cross_entropy, 128, 512, ROWS},

  {"sum", k_sum, 256, 512, REDUCTION}, {"sum down", k_sum_down, 512, 256, REDUCTION},
  {"mean of the middle", k_mean_middle, 256, 256, REDUCTION}, {"product of rows", k_prod, 128, 64, REDUCTION},
  {"argmax down", k_argmax_down, 256, 128, REDUCTION}, {"norm", k_norm, 256, 256, REDUCTION},
  {"sum of f16", k_sum_f16, 256, 512, REDUCTION}, {"sum of rows of f64", k_sum_f64, 128, 256, REDUCTION},
  {"sum of i32", k_sum_i32, 256, 512, REDUCTION}, {"max of rows of i64", k_max_i64, 128, 256, REDUCTION},
  {"any", k_any, 128, 512, REDUCTION}, {"batch_norm", k_batch_norm, 64, 256, REDUCTION},

  {"matmul 64", k_matmul, 64, 64, MATMUL}, {"matmul 256", k_matmul, 256, 256, MATMUL},
  {"matmul 100x77x100", k_matmul, 100, 77, MATMUL}, {"matmul 64x2048x64", k_matmul, 64, 2048, MATMUL},
  {"matmul f16 128", k_matmul_f16, 128, 128, MATMUL}, {"matmul f16 512", k_matmul_f16, 512, 512, MATMUL},
  {"matmul f16 100x77x100", k_matmul_f16, 100, 77, MATMUL},
  {"matmul f16 to f32 256", k_matmul_f16_f32, 256, 256, MATMUL},
  {"matmul bf16 256", k_matmul_bf16, 256, 256, MATMUL}, {"matmul i8 256", k_matmul_i8, 256, 256, MATMUL},
  {"matmul f64 64", k_matmul_f64, 64, 64, MATMUL}, {"vector x matrix", k_vector, 512, 512, MATMUL},
  {"vector x matrix of f16", k_vector_f16, 1024, 512, MATMUL}, {"16 rows x matrix", k_thin, 512, 256, MATMUL},
  {"linear, relu", k_linear, 128, 256, MATMUL}, {"linear, gelu of f16", k_linear_f16, 256, 256, MATMUL},
  {"8 products of 64", k_batched, 64, 64, MATMUL},

  {"attention f32 128x64", k_attention, 128, 64, ATTENTION}, {"causal f32 128x64", k_causal, 128, 64, ATTENTION},
  {"attention f16 256x64", k_attention_f16, 256, 64, ATTENTION},
  {"causal f16 256x64", k_causal_f16, 256, 64, ATTENTION},
  {"causal bf16 128x128", k_causal_bf16, 128, 128, ATTENTION},
  {"shared heads f16 128x64", k_grouped_f16, 128, 64, ATTENTION},
  {"gradients f16 128x64", k_attention_grad, 128, 64, ATTENTION},
  {"one query f16 512x64", k_decode, 512, 64, ATTENTION},

  {"conv 3x3", k_conv3, 32, 14, CONVOLUTION}, {"conv 3x3 of f16", k_conv3_f16, 32, 14, CONVOLUTION},
  {"conv 1x1", k_conv1, 64, 14, CONVOLUTION}, {"depthwise 3x3", k_depthwise, 64, 28, CONVOLUTION},
  {"max pool", k_max_pool, 32, 28, CONVOLUTION},

  {"transpose", k_transpose, 256, 256, MOVE}, {"transpose of f16", k_transpose_f16, 256, 256, MOVE},
  {"concat of columns", k_cat, 128, 256, MOVE}, {"flip", k_flip, 128, 256, MOVE}, {"pad", k_pad, 128, 256, MOVE},
  {"embedding", k_embedding, 256, 128, MOVE}, {"gather", k_gather, 128, 128, MOVE},
  {"scatter_add", k_scatter_add, 64, 64, MOVE}, {"index_add", k_index_add, 64, 64, MOVE},
  {"bincount", k_bincount, 64, 64, MOVE}, {"cumsum along", k_cumsum, 128, 256, MOVE},
  {"cumsum down", k_cumsum_down, 128, 128, MOVE}, {"sort of rows", k_sort, 32, 64, MOVE},
  {"tril", k_tril, 128, 256, MOVE},
  {"arange", k_arange, 64, 256, MOVE}, {"rand", k_rand, 64, 256, MOVE}, {"randn", k_randn, 64, 256, MOVE},
  {"dropout", k_dropout, 64, 256, MOVE}, {"rope", k_rope, 64, 64, MOVE}, {"SGD, momentum", k_sgd, 128, 256, MOVE},
  {"AdamW", k_adamw, 128, 256, MOVE},
};
enum { CASES = sizeof cases / sizeof *cases };
#endif
