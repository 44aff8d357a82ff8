// language_graphs: graphs whose kernels each language has to write: what operators' tests compute (tests/vectors), and
// matmuls, convolutions, rows, attention and what else GPUs are for, in each dtype, layout and odd shape.
#ifndef LANGUAGE_GRAPHS_H
#define LANGUAGE_GRAPHS_H
#include "vectors.h"

enum { GRAPH_OUTPUTS = 8 };
// Makes outputs; how many. variant: 0 .. variants - 1.
typedef int graph_maker(tiny_ctx *t, tiny_dtype d, int variant, tiny_tensor **out);
typedef struct graph { const char *name; graph_maker *make; const tiny_dtype *dtypes; int variants; } graph;

// Values from -2 to 2, positive ones of integers without a sign: multiples of 1/8, which every float holds.
static tiny_tensor *given(tiny_ctx *t, tiny_dtype d, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  char *data = (char *)calloc((size_t)n + 1, tiny_dtype_nbytes(d));
  for (int64_t i = 0; i < n; i++) {
    const double value = tn_is_float((int)d) ? (double)((i * 29 + 7) % 33 - 16) / 8 : (double)((i * 29 + 7) % 5 + 1);
    const int64_t k = tn_dtype_convert((int)d, TINY_F64, tn_from_f64(value));
    tn_dtype_store((int)d, data + i * (int64_t)tiny_dtype_nbytes(d), k);
  }
  tiny_tensor *x = tiny_from(t, data, d, s);
  free(data);
  return x;
}
static tiny_tensor *ids(tiny_ctx *t, tiny_shape s, int below) {
  int32_t data[512];
  for (int i = 0; i < 512; i++) data[i] = (i * 7 + 3) % below;
  return tiny_from(t, data, TINY_I32, s);
}
// The gradients of sum(y * w) by x[0..n-1], behind y. How many outputs.
static int with_gradients(tiny_ctx *t, tiny_tensor *y, tiny_tensor **x, int n, tiny_tensor **out) {
  tiny_tensor *loss = tiny_sum(tiny_mul(y, given(t, tiny_dtype_of(y), tiny_shape_of(y))), TINY_ALL, 0);
  out[0] = y;
  return tiny_grad(loss, x, n, out + 1) == TINY_OK ? n + 1 : 1;
}

// ** elements **

static int g_functions(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  static tiny_tensor *(*const of[])(tiny_tensor *) = {
    tiny_neg, tiny_abs, tiny_exp, tiny_log, tiny_sin, tiny_cos, tiny_sqrt, tiny_rsqrt, tiny_floor, tiny_round,
    tiny_tanh, tiny_sigmoid, tiny_gelu, tiny_silu, tiny_erf, tiny_isnan
  };
  out[0] = of[v](given(t, d, TINY_SHAPE(5, 67)));
  return 1;
}
static int g_pairs(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  static tiny_tensor *(*const of[])(tiny_tensor *, tiny_tensor *) = {
    tiny_add, tiny_sub, tiny_mul, tiny_div, tiny_maximum, tiny_lt, tiny_eq, tiny_remainder, tiny_floor_div, tiny_pow
  };
  out[0] = of[v](given(t, d, TINY_SHAPE(64, 33)), given(t, d, TINY_SHAPE(33)));
  return 1;
}
static int g_bits(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  static tiny_tensor *(*const of[])(tiny_tensor *, tiny_tensor *) = {
    tiny_bitwise_and, tiny_bitwise_or, tiny_bitwise_xor, tiny_shift_left, tiny_shift_right, tiny_gcd
  };
  out[0] = of[v](given(t, d, TINY_SHAPE(77)), given(t, d, TINY_SHAPE(77)));
  return 1;
}
static const tiny_dtype dtypes_all[] = {
  TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F8E4M3, TINY_F8E5M2,
  TINY_F16, TINY_BF16, TINY_F32, TINY_F64, TINY_VOID
};
static const tiny_dtype dtypes_integers[] = {
  TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_VOID
};
static const tiny_dtype dtypes_sums[] = {
  TINY_F8E4M3, TINY_I8, TINY_U8, TINY_I32, TINY_F16, TINY_BF16, TINY_F32, TINY_F64, TINY_VOID
};
static const tiny_dtype dtypes_numbers[] = {
  TINY_I8, TINY_I32, TINY_U32, TINY_I64, TINY_F8E4M3, TINY_F16, TINY_BF16, TINY_F32, TINY_F64, TINY_VOID
};
static const tiny_dtype dtypes_floats[] = {TINY_F16, TINY_BF16, TINY_F32, TINY_F64, TINY_VOID};
static const tiny_dtype dtypes_f32[] = {TINY_F32, TINY_VOID}, dtypes_half[] = {TINY_F16, TINY_F32, TINY_VOID};

static int g_casts(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  out[0] = tiny_cast(given(t, d, TINY_SHAPE(130)), dtypes_all[v]);
  return 1;
}
static int g_moved(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(34, 48)), *both[2] = {x, given(t, d, TINY_SHAPE(5, 48))};
  out[0] = v == 0 ? tiny_contiguous(tiny_transpose(x, 0, 1)) : v == 1 ? tiny_pad(x, TINY_SHAPE(1, 2, 0, 4), 1) :
      v == 2      ? tiny_cat(both, 2, 0) : tiny_contiguous(tiny_flip(tiny_slice(x, 1, 3, 40, 2), TINY_SHAPE(0)));
  return 1;
}

// ** reductions **

static int g_reductions(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *(*const of[])(tiny_tensor *, int, int) = {tiny_sum, tiny_prod, tiny_amax, tiny_argmax, tiny_any};
  tiny_tensor *x = given(t, d, TINY_SHAPE(3, 5, 129));
  if (v == 1) x = tiny_slice(x, 2, 0, 9, 1);
  out[0] = of[v % 5](x, v < 5 ? 2 : v < 10 ? 0 : TINY_ALL, 0);
  return 1;
}
static int g_moments(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(6, 480));
  out[0] = v == 0 ? tiny_mean(x, 1, 0) : v == 1 ? tiny_var(x, 1, 0, 1) : v == 2 ? tiny_logsumexp(x, 1, 0) :
      tiny_norm(x, 2, 0, 0);
  return 1;
}

// ** products **

static tiny_tensor *matrix(tiny_ctx *t, tiny_dtype d, int64_t m, int64_t n, int transposed) {
  return transposed ? tiny_transpose(given(t, d, TINY_SHAPE(n, m)), 0, 1) : given(t, d, TINY_SHAPE(m, n));
}
// v % 4: which operands are transposed; v / 4: the shape.
static int g_matmul(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  static const int64_t shape[][3] = {{64, 64, 64}, {33, 17, 65}, {1, 128, 96}};
  const int64_t *s = shape[v / 4];
  out[0] = tiny_matmul(matrix(t, d, s[0], s[1], v & 1), matrix(t, d, s[1], s[2], v & 2));
  return 1;
}
static int g_linear(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(3, 20, 24)), *w = given(t, d, TINY_SHAPE(28, 24));
  tiny_tensor *in[3] = {x, w, given(t, d, TINY_SHAPE(28))};
  tiny_tensor *y = tiny_linear(in[0], in[1], in[2]);
  if (v < 2) { out[0] = v ? tiny_gelu(y) : tiny_relu(y); return 1; }
  return with_gradients(t, tiny_relu(y), in, 3, out);
}
static int g_batched(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *a = given(t, d, TINY_SHAPE(4, 12, 20)), *b = given(t, d, v ? TINY_SHAPE(20, 9) : TINY_SHAPE(4, 20, 9));
  out[0] = tiny_matmul(a, b);
  return 1;
}
static int g_conv(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_conv_desc c;
  memset(&c, 0, sizeof c);
  if (v == 1) c.stride[0] = c.stride[1] = 2;
  if (v == 1 || v == 4) c.pad[0] = c.pad[1] = 1;
  if (v == 2) c.groups = 2;
  if (v == 3) c.dilation[0] = c.dilation[1] = 2;
  tiny_tensor *x = given(t, d, TINY_SHAPE(2, 4, 11, 13)), *w = given(t, d, TINY_SHAPE(6, v == 2 ? 2 : 4, 3, 3)),
              *b = given(t, d, TINY_SHAPE(6)), *in[3] = {x, w, b};
  if (v == 5) { out[0] = tiny_conv_transpose2d(x, given(t, d, TINY_SHAPE(4, 6, 3, 3)), b, NULL); return 1; }
  tiny_tensor *y = tiny_conv2d(x, w, b, &c);
  out[0] = y;
  return v < 4 ? 1 : with_gradients(t, y, in, 3, out);
}
static int g_pool(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(2, 3, 12, 14));
  tiny_tensor *y = v & 1 ? tiny_avg_pool2d(x, 3, 2, 1) : tiny_max_pool2d(x, 2, 2, 0);
  out[0] = y;
  return v < 2 ? 1 : with_gradients(t, y, &x, 1, out);
}

// ** rows and attention **

static int g_rows(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(12, 200)), *w = given(t, d, TINY_SHAPE(200)), *b = tiny_neg(w);
  tiny_tensor *y = v % 5 == 0 ? tiny_softmax(x, -1) : v % 5 == 1 ? tiny_log_softmax(x, -1) :
      v % 5 == 2              ? tiny_layer_norm(x, 1, w, b, 1e-5) : v % 5 == 3 ? tiny_rms_norm(x, 1, w, 1e-5) :
                                tiny_group_norm(tiny_reshape(x, TINY_SHAPE(4, 6, 100)), 2, NULL, NULL, 1e-5);
  out[0] = y;
  return v < 5 ? 1 : with_gradients(t, y, &x, 1, out);
}
static int g_attention(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  const tiny_shape s = v & 1 ? TINY_SHAPE(2, 17, 16) : TINY_SHAPE(2, 32, 16);
  tiny_attention_desc a;
  memset(&a, 0, sizeof a);
  a.causal = v >> 1 & 1;
  tiny_tensor *in[3] = {given(t, d, s), given(t, d, s), given(t, d, s)};
  tiny_tensor *y = out[0] = tiny_attention(in[0], in[1], in[2], &a);
  return v < 4 ? 1 : with_gradients(t, y, in, 3, out);
}
static int g_loss(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(12, 10)), *loss = tiny_cross_entropy(x, ids(t, TINY_SHAPE(12), 10), NULL);
  out[0] = loss;
  if (v) tiny_grad(loss, &x, 1, out + 1);
  return 1 + v;
}

// ** scans, sorts, positions, random numbers **

static int g_scans(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(3, 40));
  out[0] = v == 0 ? tiny_cumsum(x, 1) : v == 1 ? tiny_cumprod(tiny_slice(x, 1, 0, 6, 1), 1) :
      v == 2      ? tiny_cummax(x, 1, NULL) : tiny_cumsum(x, 0);
  return 1;
}
static int g_sorts(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(3, 21));
  out[0] = v == 0 ? tiny_sort(x, 1, 0, NULL) : v == 1 ? tiny_argsort(x, 1, 1) : tiny_topk(x, 4, 1, 1, NULL);
  return 1;
}
static int g_positions(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = given(t, d, TINY_SHAPE(24, 48)), *src = given(t, d, TINY_SHAPE(40, 48));
  tiny_tensor *rows = ids(t, TINY_SHAPE(40), 24), *at = ids(t, TINY_SHAPE(5, 48), 24);
  switch (v) {
    case 0: out[0] = tiny_embedding(rows, x, -1); return 1;
    case 1: out[0] = tiny_index_add(x, 0, rows, src); return 1;
    case 2: out[0] = tiny_gather(x, 0, at); return 1;
    case 3: out[0] = tiny_scatter_add(x, 0, at, given(t, d, TINY_SHAPE(5, 48))); return 1;
    default: return with_gradients(t, tiny_embedding(rows, x, -1), &x, 1, out);
  }
}
static int g_random(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  out[0] = v == 0 ? tiny_rand(t, TINY_SHAPE(500)) : v == 1 ? tiny_randn(t, TINY_SHAPE(77)) :
      v == 2      ? tiny_randperm(t, 19) : tiny_dropout(given(t, d, TINY_SHAPE(300)), 0.5, 1);
  return 1;
}
static int g_lengths(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *x = tiny_slice_to(given(t, d, TINY_SHAPE(6, 90)), 1, tiny_length(t, 37, 1, 90));
  out[0] = tiny_sum(tiny_whole(x, 1, v), 1, 0);
  return 1;
}

// ** sums that groups add to memory, where they may **

static int g_added(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  tiny_tensor *w = given(t, d, TINY_SHAPE(96, 20));
  if (v == 0) out[0] = tiny_matmul(given(t, d, TINY_SHAPE(20, 1100)), given(t, d, TINY_SHAPE(1100, 24)));
  if (v == 1) out[0] = tiny_sum(given(t, d, TINY_SHAPE(40009)), TINY_ALL, 0);
  if (v == 2) return with_gradients(t, tiny_embedding(ids(t, TINY_SHAPE(500), 96), w, -1), &w, 1, out);
  if (v == 3) out[0] = tiny_index_add(given(t, TINY_I32, TINY_SHAPE(300)), 0, ids(t, TINY_SHAPE(500), 300), given(t, TINY_I32, TINY_SHAPE(500)));
  return 1;
}

static const graph graphs[] = {
  {"functions", g_functions, dtypes_floats, 16}, {"pairs", g_pairs, dtypes_numbers, 10},
  {"bits", g_bits, dtypes_integers, 6}, {"casts", g_casts, dtypes_all, 15}, {"moved", g_moved, dtypes_numbers, 4},
  {"reductions", g_reductions, dtypes_numbers, 15}, {"moments", g_moments, dtypes_floats, 4},
  {"matmul", g_matmul, dtypes_sums, 12}, {"linear", g_linear, dtypes_floats, 3},
  {"batched", g_batched, dtypes_floats, 2},
  {"conv", g_conv, dtypes_floats, 6}, {"pool", g_pool, dtypes_floats, 4}, {"rows", g_rows, dtypes_floats, 10},
  {"attention", g_attention, dtypes_floats, 8}, {"loss", g_loss, dtypes_floats, 2},
  {"scans", g_scans, dtypes_numbers, 4}, {"sorts", g_sorts, dtypes_numbers, 3},
  {"positions", g_positions, dtypes_half, 5}, {"random", g_random, dtypes_f32, 4},
  {"lengths", g_lengths, dtypes_half, 1}, {"added", g_added, dtypes_f32, 4}
};
enum { GRAPHS = sizeof graphs / sizeof *graphs };
#endif
