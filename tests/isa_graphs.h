// isa_graphs: kernels of all kinds, of sizes that leave edges, whose answers a code generator is held to: what
// test_isa.c runs on this machine, and test_wasm.c in an engine of WebAssembly.
#ifndef ISA_GRAPHS_H
#define ISA_GRAPHS_H

enum { MOST = 1 << 15 };

// ** graphs: x and y f32 (m,n), i i32 (m,n), of small numbers **

typedef struct inputs { tiny_tensor *x, *y, *i, *w; int m, n; } inputs;
typedef tiny_tensor *(*graph_fn)(const inputs *in);
#define GRAPH(name, value) static tiny_tensor *g_##name(const inputs *in) { return value; }
GRAPH(add, tiny_add(in->x, in->y))
GRAPH(fused, tiny_add(tiny_mul(in->x, in->y), tiny_sub(in->y, tiny_mul(in->x, in->x))))
GRAPH(divide, tiny_div(in->x, tiny_add_scalar(tiny_abs(in->y), 0.5)))
GRAPH(sqrt, tiny_sqrt(tiny_abs(in->x)))
GRAPH(floor, tiny_floor(tiny_mul_scalar(in->x, 7)))
GRAPH(exp, tiny_exp(in->x))
GRAPH(log, tiny_log(tiny_add_scalar(tiny_abs(in->x), 0.1)))
GRAPH(sin, tiny_sin(in->x))
GRAPH(tanh, tiny_tanh(in->x))
GRAPH(relu, tiny_relu(in->x))
GRAPH(where, tiny_where(tiny_lt(in->x, in->y), in->x, tiny_neg(in->y)))
GRAPH(both, tiny_cast(tiny_logical_and(tiny_lt(in->x, in->y), tiny_ne_scalar(in->i, 3)), TINY_I32))
GRAPH(sum, tiny_sum(in->x, -1, 0))
GRAPH(sum0, tiny_sum(in->x, 0, 0))
GRAPH(max, tiny_max(in->x, -1, 0, NULL))
GRAPH(argmax, tiny_argmax(in->x, 1, 0))
GRAPH(softmax, tiny_softmax(in->x, -1))
GRAPH(matmul, tiny_matmul(in->x, in->w))
GRAPH(turned, tiny_contiguous(tiny_transpose(in->x, 0, 1)))
GRAPH(cumsum, tiny_cumsum(in->x, 1))
GRAPH(flip, tiny_flip(in->x, TINY_SHAPE(1)))
GRAPH(iadd, tiny_add_scalar(tiny_mul(in->i, in->i), 7))
GRAPH(idiv, tiny_floor_div(in->i, tiny_add_scalar(tiny_abs(in->i), 3)))
GRAPH(imod, tiny_remainder_scalar(in->i, 5))
GRAPH(rest_i32, tiny_remainder_scalar(tiny_mul_scalar(in->i, 48271113), 7))
GRAPH(rest_least, tiny_remainder_scalar(tiny_mul_scalar(in->i, -2147483648.0), 7))
GRAPH(rest_u32, tiny_cast(tiny_remainder_scalar(tiny_cast(tiny_mul_scalar(in->i, 48271113), TINY_U32), 10), TINY_I32))
GRAPH(isum, tiny_sum(in->i, -1, 0))
GRAPH(ior, tiny_bitwise_or(in->i, tiny_add_scalar(in->i, 12)))
GRAPH(shift, tiny_shift_right(tiny_shift_left(in->i, tiny_remainder_scalar(in->i, 9)), tiny_remainder_scalar(in->i, 7)))
#define OF_U32(x) tiny_cast(x, TINY_U32)
GRAPH(shift_u32, tiny_cast(tiny_shift_right(
    tiny_shift_left(OF_U32(tiny_mul_scalar(in->i, 48271113)), OF_U32(tiny_remainder_scalar(in->i, 32))),
    OF_U32(tiny_remainder_scalar(tiny_add_scalar(in->i, 5), 32))), TINY_I32))
GRAPH(to_f32, tiny_cast(in->i, TINY_F32))
GRAPH(to_i32, tiny_cast(tiny_mul_scalar(in->x, 50), TINY_I32))
GRAPH(to_u8, tiny_cast(tiny_remainder_scalar(in->i, 256), TINY_U8))
GRAPH(to_i64, tiny_cast(in->i, TINY_I64))
GRAPH(to_f64, tiny_exp(tiny_cast(in->x, TINY_F64)))
GRAPH(to_f16, tiny_cast(tiny_add(tiny_cast(in->x, TINY_F16), tiny_cast(in->y, TINY_F16)), TINY_F32))
GRAPH(picked, tiny_index_select(in->x, 0, tiny_remainder_scalar(tiny_select(in->i, 0, 0), 3)))
GRAPH(padded, tiny_pad(in->x, TINY_SHAPE(1, 2, 3, 1), 0.5))
GRAPH(normed, tiny_layer_norm(in->x, 1, NULL, NULL, 1e-5))
GRAPH(argmax0, tiny_argmax(in->x, 0, 0))
#define OF_ROWS(k) tiny_unsqueeze(tiny_select(in->w, 0, k), 1)
GRAPH(scaled0, tiny_sub(tiny_sum(tiny_mul(tiny_add(in->x, OF_ROWS(0)), OF_ROWS(1)), 0, 0),
                        tiny_amax(tiny_add(tiny_mul(in->x, OF_ROWS(1)), OF_ROWS(0)), 0, 0)))
GRAPH(amax0, tiny_amax(in->x, 0, 0))
GRAPH(amin, tiny_amin(in->x, -1, 0))
GRAPH(less, tiny_minimum(tiny_maximum(in->x, in->y), tiny_mul_scalar(in->y, 2)))
GRAPH(nans, tiny_amax(tiny_sqrt(in->x), 0, 0))
GRAPH(nans_along, tiny_amax(tiny_log(in->x), 1, 0))
GRAPH(chosen, tiny_where(tiny_logical_or(tiny_lt(in->x, in->y), tiny_ne(in->y, in->y)), in->i, tiny_neg(in->i)))
GRAPH(imax, tiny_maximum(in->i, tiny_neg(tiny_flip(in->i, TINY_SHAPE(0)))))
GRAPH(imin0, tiny_amin(in->i, 0, 0))
GRAPH(umax, tiny_cast(tiny_maximum(tiny_cast(in->i, TINY_U8), tiny_cast(tiny_neg(in->i), TINY_U8)), TINY_I32))
GRAPH(max_f64, tiny_amax(tiny_cast(in->x, TINY_F64), 1, 0))
GRAPH(sum_f64, tiny_sum(tiny_cast(in->x, TINY_F64), 1, 0))
GRAPH(turned_f64, tiny_contiguous(tiny_transpose(tiny_cast(in->x, TINY_F64), 0, 1)))
GRAPH(turned_f16, tiny_contiguous(tiny_transpose(tiny_cast(in->x, TINY_F16), 0, 1)))
GRAPH(turned_u8, tiny_contiguous(tiny_transpose(tiny_cast(in->i, TINY_U8), 0, 1)))
#define HALF(x) tiny_cast(x, TINY_F16)
GRAPH(attention_f16, tiny_attention(HALF(in->x), HALF(in->y), HALF(tiny_transpose(in->w, 0, 1)), NULL))
GRAPH(matmul_f16, tiny_matmul(HALF(in->x), HALF(in->w)))
GRAPH(cumsum_f16, tiny_cumsum(HALF(in->x), 1))
GRAPH(pooled_f16, tiny_max_pool2d(HALF(tiny_reshape(in->x, TINY_SHAPE(1, 1, in->m, in->n))), 3, 2, 1))
GRAPH(gathered_u8, tiny_gather(tiny_cast(in->i, TINY_U8), 1, tiny_remainder_scalar(in->i, in->n)))
GRAPH(every_third_f16, tiny_add_scalar(tiny_slice(HALF(tiny_flatten(in->x, 0, -1)), 0, 0, in->m * in->n, 3), 1))
#undef HALF
GRAPH(sorted, tiny_sort(in->x, 1, 0, NULL))
GRAPH(square, tiny_add(tiny_matmul(in->x, tiny_transpose(in->x, 0, 1)),
                       tiny_mul_scalar(tiny_eye(tiny_ctx_of(in->x), in->m, TINY_F32), 8 * in->n)))
#define NARROW(x, dtype) tiny_cast(tiny_cast(x, dtype), TINY_I32)            // products of such a kind are DOTs
GRAPH(dot_u8_i8, tiny_matmul(NARROW(in->i, TINY_U8), NARROW(tiny_mul_scalar(in->w, 90), TINY_I8)))
GRAPH(dot_i16, tiny_matmul(NARROW(in->i, TINY_I16), NARROW(tiny_mul_scalar(in->w, 90), TINY_I16)))
GRAPH(dot_bf16, tiny_matmul(tiny_cast(in->x, TINY_BF16), tiny_cast(in->w, TINY_BF16)))
#undef NARROW
GRAPH(cholesky, tiny_cholesky(g_square(in), 0))
GRAPH(picture, tiny_reshape(in->x, TINY_SHAPE(1, 1, in->m, in->n)))
GRAPH(pooled, tiny_max_pool2d(g_picture(in), 3, 2, 1))
GRAPH(conv, tiny_conv2d(g_picture(in), tiny_reshape(tiny_narrow(tiny_flatten(in->w, 0, -1), 0, 0, 9),
                                                    TINY_SHAPE(1, 1, 3, 3)), NULL, NULL))
GRAPH(gathered, tiny_gather(in->x, 1, tiny_remainder_scalar(in->i, in->n)))
GRAPH(scattered, tiny_scatter_add(in->y, 1, tiny_remainder_scalar(in->i, in->n), in->x))
GRAPH(embedded, tiny_embedding(tiny_remainder_scalar(tiny_select(in->i, 0, 0), in->m), in->x, -1))
GRAPH(attention, tiny_attention(in->x, in->y, tiny_transpose(in->w, 0, 1), NULL))
static tiny_tensor *product_of_bytes(const inputs *in, tiny_dtype dtype, double least) {
  tiny_tensor *x = tiny_cast(tiny_add_scalar(tiny_remainder_scalar(in->i, 256), least), dtype);
  return tiny_matmul(tiny_cast(x, TINY_I32), tiny_cast(tiny_transpose(x, 0, 1), TINY_I32));
}
GRAPH(product_i8, product_of_bytes(in, TINY_I8, -128))
GRAPH(product_u8, product_of_bytes(in, TINY_U8, 0))
#undef GRAPH
#define G(name) {#name, g_##name}
static const struct { const char *name; graph_fn fn; } graphs[] = {
  G(add), G(fused), G(divide), G(sqrt), G(floor), G(exp), G(log), G(sin), G(tanh), G(relu), G(where), G(both),
  G(sum), G(sum0), G(max), G(argmax), G(softmax), G(matmul), G(turned), G(cumsum), G(flip), G(iadd), G(idiv),
  G(imod), G(rest_i32), G(rest_least), G(rest_u32), G(isum), G(ior), G(shift), G(shift_u32), G(to_f32), G(to_i32), G(to_u8),
  G(to_i64), G(to_f64), G(to_f16), G(picked),
  G(padded), G(normed), G(argmax0), G(scaled0), G(amax0), G(amin), G(less), G(nans), G(nans_along), G(chosen), G(imax),
  G(imin0), G(umax), G(max_f64), G(sum_f64), G(turned_f64), G(sorted),
  G(dot_u8_i8), G(dot_i16), G(dot_bf16), G(cholesky), G(pooled), G(conv), G(gathered), G(scattered), G(embedded),
  G(attention), G(product_i8), G(product_u8), G(turned_f16), G(turned_u8), G(attention_f16), G(matmul_f16),
  G(cumsum_f16), G(pooled_f16), G(gathered_u8), G(every_third_f16)
};
#undef G
enum { GRAPHS = sizeof graphs / sizeof *graphs };

static const int sizes[][2] = {{3, 5}, {16, 64}, {33, 37}, {64, 128}};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct answer { double of[MOST]; int n; tiny_dtype dtype; tiny_code code; } answer;

static inputs make_inputs(tiny_ctx *t, int m, int n) {
  static float x[MOST], y[MOST], w[MOST];
  static int32_t i[MOST];
  rng = (uint64_t)(m * 1000 + n);
  for (int k = 0; k < m * n; k++) {
    x[k] = (float)rnd(2001) / 500 - 2; y[k] = (float)rnd(2001) / 1000 - 1; i[k] = rnd(2000) - 1000;
  }
  for (int k = 0; k < n * m; k++) w[k] = (float)rnd(2001) / 1000 - 1;
  const inputs in = {tiny_from(t, x, TINY_F32, TINY_SHAPE(m, n)), tiny_from(t, y, TINY_F32, TINY_SHAPE(m, n)),
                     tiny_from(t, i, TINY_I32, TINY_SHAPE(m, n)), tiny_from(t, w, TINY_F32, TINY_SHAPE(n, m)), m, n};
  return in;
}
static void compute(tiny_ctx *t, graph_fn fn, int m, int n, answer *a) {
  tiny_begin(t);
  const inputs in = make_inputs(t, m, n);
  tiny_tensor *r = fn(&in);
  a->dtype = tiny_dtype_of(r);
  tiny_tensor *d = tiny_cast(tiny_contiguous(r), TINY_F64);
  a->n = (int)tiny_nelem_of(d);
  a->code = tiny_read(d, a->of, sizeof a->of[0] * (size_t)a->n);
  if (a->code != TINY_OK) fprintf(stderr, "    %s\n", tiny_error(t));
  tiny_end(t);
}
static void compare(const answer *want, const answer *got) {
  CHECK_EQ(got->code, TINY_OK);
  CHECK_EQ(got->n, want->n);
  double worst = 0, size = 1e-6;
  for (int k = 0; k < got->n; k++) {
    const int same = got->of[k] == want->of[k] || (isnan(got->of[k]) && isnan(want->of[k]));     // infinities, too
    const double e = same ? 0 : fabs(got->of[k] - want->of[k]);
    if (!(e <= worst)) worst = e;
    if (isfinite(want->of[k]) && fabs(want->of[k]) > size) size = fabs(want->of[k]);
  }
  const double eps = got->dtype == TINY_F32 ? 4e-6 : got->dtype == TINY_F64 ? 1e-13 : got->dtype == TINY_BF16 ? 8e-3 :
      got->dtype == TINY_F16 ? 1e-3 : 0;
  CHECK(worst <= eps * size);
  if (!(worst <= eps * size)) fprintf(stderr, "    off by %g of %g\n", worst, size);
}
#endif
