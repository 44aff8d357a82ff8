// operators: each of them once, on a few numbers: the call and what it gives. docs/operators/ shows the same.
//   cc -std=c11 -I. examples/operators.c -o operators -lm -lpthread && ./operators [part of a name]
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *wanted = "";            // calls that have this in them are shown
static const char *section = "";           // of the header; told before its first call

// Elements from *at on, as nested as their shape.
static void print_dim(const tiny_shape *s, int dim, const double **at) {
  if (dim == s->ndim) { printf("%.4g", *(*at)++); return; }
  for (int64_t i = 0; i < s->dim[dim]; i++) {
    printf("%s", i ? " " : "[");
    print_dim(s, dim + 1, at);
  }
  printf("%s", s->dim[dim] ? "]" : "[]");
}
static void print(tiny_tensor *x) {
  static double element[4096];
  const tiny_shape s = tiny_shape_now(x);
  const double *at = element;
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++) n *= (size_t)s.dim[i];
  const int well = n <= 4096 && tiny_read(tiny_cast(x, TINY_F64), element, n * sizeof *element) == TINY_OK;
  if (well) print_dim(&s, 0, &at);
  else printf("%s", tiny_error(tiny_ctx_of(x)));
}
// 1: the call is wanted, and stands there.
static int told(const char *call) {
  if (!strstr(call, wanted)) return 0;
  if (*section) printf("%s\n", section);
  section = "";
  printf("  %s = ", call);
  return 1;
}
static void show(const char *call, tiny_tensor *x, tiny_tensor *const *more, int n) {
  if (!told(call)) return;
  print(x);
  for (int i = 0; i < n; i++) { printf(", "); print(more[i]); }
  puts("");
}
static void show_parts(const char *call, int n, tiny_tensor *const *part) {
  if (told(call)) printf("%d: ", n);
  for (int i = 0; i < n && strstr(call, wanted); i++) { print(part[i]); printf("%s", i < n - 1 ? ", " : "\n"); }
}
static void show_number(const char *call, double number) { if (told(call)) printf("%.4g\n", number); }

#define SHOW(...) show(#__VA_ARGS__, __VA_ARGS__, NULL, 0)
#define SHOW_TWO(more, ...) do { tiny_tensor *x_ = __VA_ARGS__; show(#__VA_ARGS__, x_, &(more), 1); } while (0)
#define SHOW_THREE(more, ...) do { tiny_tensor *x_ = __VA_ARGS__; show(#__VA_ARGS__, x_, more, 2); } while (0)
#define SHOW_PARTS(part, ...) do { const int n_ = __VA_ARGS__; show_parts(#__VA_ARGS__, n_, part); } while (0)
#define SHOW_NUMBER(...) show_number(#__VA_ARGS__, (double)(__VA_ARGS__))
// A tensor of these numbers, and its shape.
#define NUMBERS(type, dtype, ...) \
  tiny_from(t, (type[]){__VA_ARGS__}, dtype, TINY_SHAPE((int64_t)(sizeof((type[]){__VA_ARGS__}) / sizeof(type))))
#define FLOATS(...) NUMBERS(float, TINY_F32, __VA_ARGS__)
#define INTS(...) NUMBERS(int32_t, TINY_I32, __VA_ARGS__)
#define BOOLS(...) tiny_cast(INTS(__VA_ARGS__), TINY_BOOL)

// What every section finds.
typedef struct given {
  tiny_tensor *x, *y;                      // (2,3): 1 to 6, and 6 to 1
  tiny_tensor *v, *w;                      // (4): -1.5 -0.5 0.5 2, and 2 3 -1 0.5
  tiny_tensor *u;                          // (4): 0.1 0.4 0.7 0.9
  tiny_tensor *m, *s;                      // (2,2): 4 1, 2 3, and 2 1, 1 2
  tiny_tensor *a, *b;                      // i32 (4): 12 7 -5 3, and 5 2 2 3
  tiny_tensor *p, *q;                      // bool (4): 1 0 1 1, and 1 1 0 0
  tiny_tensor *odd;                        // (4): 1 NaN inf -inf
  tiny_tensor *image;                      // (1,1,4,4): 0 to 15
} given;

static void show_tensors(tiny_ctx *t, const given *g) {
  section = "tensors: x (2,3) 1 to 6, v (4) -1.5 -0.5 0.5 2";
  tiny_tensor *x = g->x, *v = g->v;
  SHOW(tiny_from(t, (float[]){1, 2}, TINY_F32, TINY_SHAPE(2)));
  SHOW(tiny_scalar(t, 0.5, TINY_F32));
  SHOW(tiny_clone(x));
  SHOW(tiny_contiguous(tiny_transpose(x, 0, 1)));
  SHOW(tiny_detach(x));
  SHOW(tiny_cast(v, TINY_I32));
  SHOW(tiny_bitcast(v, TINY_I32));
  SHOW(tiny_assign(tiny_clone(x), tiny_neg(x)));
  SHOW_NUMBER(tiny_item(tiny_sum(x, TINY_ALL, 0)));
  SHOW_NUMBER(tiny_item_i64(tiny_argmax(v, 0, 0)));
  SHOW_NUMBER(tiny_nelem_of(x));
  SHOW_NUMBER(tiny_shape_of(x).dim[1]);
  SHOW_NUMBER(tiny_dtype_of(x) == TINY_F32);
  SHOW_NUMBER(tiny_dtype_nbytes(TINY_F64));
  SHOW_NUMBER(tiny_promote(TINY_I32, TINY_F16) == TINY_F16);
  SHOW_NUMBER(tiny_ok(x));
}

static void show_creation(tiny_ctx *t, const given *g) {
  section = "creation: x (2,3) 1 to 6";
  tiny_tensor *x = g->x;
  SHOW(tiny_full(t, 7, TINY_F32, TINY_SHAPE(2)));
  SHOW(tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 2)));
  SHOW(tiny_ones(t, TINY_I32, TINY_SHAPE(3)));
  SHOW(tiny_full_like(x, 7));
  SHOW(tiny_zeros_like(x));
  SHOW(tiny_ones_like(x));
  SHOW(tiny_like(x, 2));
  SHOW(tiny_arange(t, 0, 10, 3, TINY_I32));
  SHOW(tiny_linspace(t, 0, 1, 5, TINY_F32));
  SHOW(tiny_logspace(t, 0, 3, 4, 10, TINY_F32));
  SHOW(tiny_eye(t, 2, TINY_F32));
  SHOW(tiny_eye_nm(t, 2, 3, 1, TINY_F32));
  SHOW(tiny_tri(t, 2, 3, 0, TINY_F32));
  SHOW(tiny_tril(x, 0));
  SHOW(tiny_triu(x, 0));
}

static void show_random(tiny_ctx *t, const given *g) {
  section = "random: x (2,3) 1 to 6, u (4) 0.1 0.4 0.7 0.9; after tiny_seed(t, 1)";
  tiny_tensor *x = g->x, *u = g->u;
  tiny_seed(t, 1);
  SHOW(tiny_rand(t, TINY_SHAPE(3)));
  SHOW(tiny_randn(t, TINY_SHAPE(3)));
  SHOW(tiny_rand_like(u));
  SHOW(tiny_randn_like(u));
  SHOW(tiny_uniform(t, -1, 1, TINY_F32, TINY_SHAPE(3)));
  SHOW(tiny_normal(t, 10, 2, TINY_F32, TINY_SHAPE(3)));
  SHOW(tiny_randint(t, 1, 7, TINY_I32, TINY_SHAPE(5)));
  SHOW(tiny_randperm(t, 5));
  SHOW(tiny_bernoulli(u));
  SHOW(tiny_multinomial(u, 3, 0));
  SHOW(tiny_xavier_uniform(t, TINY_SHAPE(2, 2)));
  SHOW(tiny_xavier_normal(t, TINY_SHAPE(2, 2)));
  SHOW(tiny_kaiming_uniform(t, 0, TINY_SHAPE(2, 2)));
  SHOW(tiny_kaiming_normal(t, 0, TINY_SHAPE(2, 2)));
  SHOW(tiny_dropout(x, 0.5, 1));
}

static void show_movement(tiny_ctx *t, const given *g) {
  section = "movement: x (2,3) 1 to 6, y (2,3) 6 to 1, v (4) -1.5 -0.5 0.5 2, n a length of 2, up to 4";
  tiny_tensor *x = g->x, *y = g->y, *v = g->v, *n = tiny_length(t, 2, 0, 4), *part[4], *both[2] = {x, y};
  SHOW(tiny_reshape(x, TINY_SHAPE(3, -1)));
  SHOW(tiny_flatten(x, 0, -1));
  SHOW(tiny_unflatten(v, 0, TINY_SHAPE(2, 2)));
  SHOW(tiny_squeeze(tiny_unsqueeze(v, 0), 0));
  SHOW(tiny_unsqueeze(v, 0));
  SHOW(tiny_permute(x, TINY_SHAPE(1, 0)));
  SHOW(tiny_transpose(x, 0, 1));
  SHOW(tiny_movedim(x, 0, 1));
  SHOW(tiny_expand(tiny_slice(v, 0, 0, 1, 1), TINY_SHAPE(3)));
  SHOW(tiny_expand_as(tiny_slice(x, 0, 0, 1, 1), x));
  SHOW(tiny_tile(x, TINY_SHAPE(2)));
  SHOW(tiny_repeat(v, TINY_SHAPE(2, 1)));
  SHOW(tiny_repeat_interleave(v, 2, 0));
  SHOW(tiny_flip(x, TINY_SHAPE(1)));
  SHOW(tiny_roll(v, TINY_SHAPE(1), TINY_SHAPE(0)));
  SHOW(tiny_rot90(x, 1, 0, 1));
  SHOW(tiny_shrink(x, TINY_SHAPE(0, 1, 1, 3)));
  SHOW(tiny_slice(v, 0, 1, -1, 1));
  SHOW(tiny_slice_to(v, 0, n));
  SHOW(tiny_with_length(tiny_slice(v, 0, 0, 2, 1), 0, n));
  SHOW(tiny_whole(tiny_slice_to(v, 0, n), 0, 9));
  SHOW(tiny_length_of(tiny_slice_to(v, 0, n), 0));
  SHOW(tiny_mask_to(v, 0, n));
  SHOW(tiny_slice_at(v, 0, tiny_length(t, 1, 0, 2), 2));
  SHOW(tiny_narrow(x, 1, 1, 2));
  SHOW(tiny_select(x, 0, 1));
  SHOW(tiny_sliding_window(v, 0, 2, 1));
  SHOW(tiny_diagonal(x, 0, 0, 1));
  SHOW(tiny_diag_embed(tiny_slice(v, 0, 0, 2, 1), 0, 0, 1));
  SHOW(tiny_diag(tiny_slice(v, 0, 0, 2, 1), 0));
  SHOW_PARTS(part, tiny_split(v, 3, 0, part, 4));
  SHOW_PARTS(part, tiny_split_sizes(v, (int64_t[]){1, 3}, 2, 0, part));
  SHOW_PARTS(part, tiny_chunk(v, 2, 0, part));
  SHOW_PARTS(part, tiny_unbind(x, 0, part, 4));
  SHOW_PARTS(part, tiny_meshgrid((tiny_tensor *[]){tiny_select(x, 0, 0), tiny_select(y, 0, 0)}, 2, 0, part));
  SHOW(tiny_select_scatter(x, tiny_select(y, 0, 0), 0, 1));
  SHOW(tiny_slice_scatter(v, tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), 0, 1, 3, 1));
  SHOW(tiny_diagonal_scatter(x, tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), 0, 0, 1));
  SHOW(tiny_cat(both, 2, 1));
  SHOW(tiny_stack(both, 2, 0));
  SHOW(tiny_pad(v, TINY_SHAPE(1, 2), 9));
  SHOW(tiny_pad_mode(v, TINY_SHAPE(1, 2), TINY_PAD_REFLECT));
}

static void show_elementwise(tiny_ctx *t, const given *g) {
  section = "elementwise: v (4) -1.5 -0.5 0.5 2, w (4) 2 3 -1 0.5, a (4) 12 7 -5 3, b (4) 5 2 2 3, p (4) 1 0 1 1, q (4) 1 1 0 0, "
            "odd (4) 1 NaN inf -inf";
  tiny_tensor *v = g->v, *w = g->w, *a = g->a, *b = g->b, *p = g->p, *q = g->q, *odd = g->odd;
  SHOW(tiny_add(v, w));
  SHOW(tiny_sub(v, w));
  SHOW(tiny_mul(v, w));
  SHOW(tiny_div(v, w));
  SHOW(tiny_floor_div(a, b));
  SHOW(tiny_trunc_div(a, b));
  SHOW(tiny_remainder(a, b));
  SHOW(tiny_fmod(a, b));
  SHOW(tiny_pow(w, b));
  SHOW(tiny_maximum(v, w));
  SHOW(tiny_minimum(v, w));
  SHOW(tiny_add_scalar(v, 2));
  SHOW(tiny_sub_scalar(v, 2));
  SHOW(tiny_rsub_scalar(v, 2));
  SHOW(tiny_mul_scalar(v, 2));
  SHOW(tiny_div_scalar(v, 2));
  SHOW(tiny_rdiv_scalar(v, 2));
  SHOW(tiny_floor_div_scalar(a, 2));
  SHOW(tiny_rfloor_div_scalar(a, 50));
  SHOW(tiny_remainder_scalar(a, 5));
  SHOW(tiny_rremainder_scalar(a, 50));
  SHOW(tiny_pow_scalar(v, 2));
  SHOW(tiny_rpow_scalar(v, 2));
  SHOW(tiny_maximum_scalar(v, 0));
  SHOW(tiny_minimum_scalar(v, 0));
  SHOW(tiny_lt_scalar(v, 0.5));
  SHOW(tiny_gt_scalar(v, 0.5));
  SHOW(tiny_le_scalar(v, 0.5));
  SHOW(tiny_ge_scalar(v, 0.5));
  SHOW(tiny_eq_scalar(v, 0.5));
  SHOW(tiny_ne_scalar(v, 0.5));
  SHOW(tiny_fmax(odd, w));
  SHOW(tiny_fmin(odd, w));
  SHOW(tiny_lt(v, w));
  SHOW(tiny_gt(v, w));
  SHOW(tiny_le(a, b));
  SHOW(tiny_ge(a, b));
  SHOW(tiny_eq(a, b));
  SHOW(tiny_ne(a, b));
  SHOW(tiny_isclose(v, tiny_mul(v, tiny_like(v, 1.000001)), 1e-5, 0, 0));
  SHOW(tiny_allclose(v, w, 1e-5, 1e-8, 0));
  SHOW(tiny_logical_and(p, q));
  SHOW(tiny_logical_or(p, q));
  SHOW(tiny_logical_xor(p, q));
  SHOW(tiny_logical_not(p));
  SHOW(tiny_bitwise_and(a, b));
  SHOW(tiny_bitwise_or(a, b));
  SHOW(tiny_bitwise_xor(a, b));
  SHOW(tiny_bitwise_not(a));
  SHOW(tiny_shift_left(a, b));
  SHOW(tiny_shift_right(a, b));
  SHOW(tiny_gcd(a, b));
  SHOW(tiny_lcm(a, b));
  SHOW(tiny_where(p, v, w));
  SHOW(tiny_clamp(v, -1, 1));
  SHOW(tiny_clamp_to(v, tiny_like(v, -1), w));
  SHOW(tiny_lerp(v, w, tiny_like(v, 0.5)));
  SHOW(tiny_addcmul(v, w, w, 2));
  SHOW(tiny_addcdiv(v, w, b, 2));
  SHOW(tiny_neg(v));
  SHOW(tiny_abs(v));
  SHOW(tiny_sign(v));
  SHOW(tiny_square(v));
  SHOW(tiny_trunc(v));
  SHOW(tiny_floor(v));
  SHOW(tiny_ceil(v));
  SHOW(tiny_round(v));
  SHOW(tiny_round_to(tiny_div(v, tiny_like(v, 3)), 1));
  SHOW(tiny_frac(v));
  SHOW(tiny_copysign(v, w));
  SHOW(tiny_heaviside(v, w));
  SHOW(tiny_nan_to_num(odd, 0, 100, -100));
  SHOW(tiny_isnan(odd));
  SHOW(tiny_isinf(odd));
  SHOW(tiny_isposinf(odd));
  SHOW(tiny_isneginf(odd));
  SHOW(tiny_isfinite(odd));
  SHOW(tiny_signbit(v));
  (void)t;
}

static void show_math(tiny_ctx *t, const given *g) {
  section = "math: v (4) -1.5 -0.5 0.5 2, u (4) 0.1 0.4 0.7 0.9, w (4) 2 3 -1 0.5";
  tiny_tensor *v = g->v, *u = g->u, *w = g->w;
  SHOW(tiny_sqrt(u));
  SHOW(tiny_rsqrt(u));
  SHOW(tiny_cbrt(v));
  SHOW(tiny_reciprocal(v));
  SHOW(tiny_exp(v));
  SHOW(tiny_exp2(v));
  SHOW(tiny_expm1(v));
  SHOW(tiny_log(u));
  SHOW(tiny_log2(u));
  SHOW(tiny_log10(u));
  SHOW(tiny_log1p(u));
  SHOW(tiny_sin(v));
  SHOW(tiny_cos(v));
  SHOW(tiny_tan(v));
  SHOW(tiny_asin(u));
  SHOW(tiny_acos(u));
  SHOW(tiny_atan(v));
  SHOW(tiny_atan2(v, w));
  SHOW(tiny_sinh(v));
  SHOW(tiny_cosh(v));
  SHOW(tiny_tanh(v));
  SHOW(tiny_asinh(v));
  SHOW(tiny_acosh(tiny_exp(u)));
  SHOW(tiny_atanh(u));
  SHOW(tiny_hypot(v, w));
  SHOW(tiny_logaddexp(v, w));
  SHOW(tiny_logaddexp2(v, w));
  SHOW(tiny_xlogy(v, u));
  SHOW(tiny_xlog1py(v, u));
  SHOW(tiny_logit(u, 0));
  SHOW(tiny_sinc(v));
  SHOW(tiny_deg2rad(FLOATS(0, 90, 180)));
  SHOW(tiny_rad2deg(v));
  SHOW(tiny_erf(v));
  SHOW(tiny_erfc(v));
  SHOW(tiny_erfinv(u));
  SHOW(tiny_lgamma(u));
  SHOW(tiny_digamma(u));
  SHOW(tiny_polygamma(1, u));
  SHOW(tiny_i0(v));
  SHOW(tiny_i0e(v));
  SHOW(tiny_i1(v));
  SHOW(tiny_i1e(v));
  SHOW(tiny_igamma(u, u));
  SHOW(tiny_igammac(u, u));
}

static void show_activations(tiny_ctx *t, const given *g) {
  section = "activations: v (4) -1.5 -0.5 0.5 2";
  tiny_tensor *v = g->v;
  SHOW(tiny_relu(v));
  SHOW(tiny_relu6(v));
  SHOW(tiny_sigmoid(v));
  SHOW(tiny_silu(v));
  SHOW(tiny_mish(v));
  SHOW(tiny_gelu(v));
  SHOW(tiny_gelu_tanh(v));
  SHOW(tiny_elu(v, 1));
  SHOW(tiny_selu(v));
  SHOW(tiny_celu(v, 1));
  SHOW(tiny_leaky_relu(v, 0.01));
  SHOW(tiny_prelu(v, FLOATS(0.25)));
  SHOW(tiny_rrelu(v, 0.1, 0.1));
  SHOW(tiny_hardtanh(v, -1, 1));
  SHOW(tiny_hardsigmoid(v));
  SHOW(tiny_hardswish(v));
  SHOW(tiny_threshold(v, 0, 9));
  SHOW(tiny_hardshrink(v, 0.5));
  SHOW(tiny_softshrink(v, 0.5));
  SHOW(tiny_tanhshrink(v));
  SHOW(tiny_softsign(v));
  SHOW(tiny_softplus(v, 1, 20));
  SHOW(tiny_logsigmoid(v));
  SHOW(tiny_glu(v, 0));
}

static void show_reductions(tiny_ctx *t, const given *g) {
  section = "reductions: x (2,3) 1 to 6, y (2,3) 6 to 1, v (4) -1.5 -0.5 0.5 2, p (4) 1 0 1 1, odd (4) 1 NaN inf "
            "-inf";
  tiny_tensor *x = g->x, *y = g->y, *v = g->v, *p = g->p, *odd = g->odd, *more;
  SHOW(tiny_sum(x, 1, 0));
  SHOW(tiny_sum(x, TINY_ALL, 0));
  SHOW(tiny_sum(x, TINY_AXES(0, 1), 1));
  SHOW(tiny_prod(x, 1, 0));
  SHOW(tiny_amax(x, 1, 0));
  SHOW(tiny_amin(x, 1, 0));
  SHOW_TWO(more, tiny_aminmax(x, 1, 0, &more));
  SHOW(tiny_mean(x, 1, 0));
  SHOW(tiny_var(x, 1, 0, 1));
  SHOW(tiny_std(x, 1, 0, 1));
  SHOW_TWO(more, tiny_var_mean(x, 1, 0, 1, &more));
  SHOW_TWO(more, tiny_std_mean(x, 1, 0, 1, &more));
  SHOW(tiny_nansum(tiny_slice(odd, 0, 0, 2, 1), 0, 0));
  SHOW(tiny_nanmean(tiny_slice(odd, 0, 0, 2, 1), 0, 0));
  SHOW(tiny_any(p, 0, 0));
  SHOW(tiny_all(p, 0, 0));
  SHOW(tiny_count_nonzero(p, 0, 0));
  SHOW(tiny_norm(x, 2, 1, 0));
  SHOW(tiny_renorm(x, 2, 0, 1));
  SHOW(tiny_dist(x, y, 2));
  SHOW(tiny_reduce(x, TINY_REDUCE_MEAN, TINY_SHAPE(0, 1), 0));
  SHOW(tiny_argmax(v, 0, 0));
  SHOW(tiny_argmin(v, 0, 0));
  SHOW_TWO(more, tiny_max(x, 1, 0, &more));
  SHOW_TWO(more, tiny_min(x, 1, 0, &more));
  SHOW(tiny_cumsum(x, 1));
  SHOW(tiny_cumprod(x, 1));
  SHOW(tiny_logcumsumexp(x, 1));
  SHOW_TWO(more, tiny_cummax(v, 0, &more));
  SHOW_TWO(more, tiny_cummin(v, 0, &more));
  SHOW(tiny_diff(v, 1, 0, NULL, NULL));
  SHOW(tiny_trapezoid(v, NULL, 1, 0));
  SHOW(tiny_cumulative_trapezoid(v, NULL, 1, 0));
  (void)t;
}

static void show_indexing(tiny_ctx *t, const given *g) {
  section = "indexing: x (2,3) 1 to 6, v (4) -1.5 -0.5 0.5 2, w (4) 2 3 -1 0.5, p (4) 1 0 1 1, i (2) 2 0";
  tiny_tensor *x = g->x, *v = g->v, *w = g->w, *p = g->p, *i = INTS(2, 0), *two = FLOATS(10, 20);
  tiny_tensor *rows = tiny_reshape(i, TINY_SHAPE(2, 1));
  SHOW(tiny_one_hot(i, 3));
  SHOW(tiny_gather(x, 1, rows));
  SHOW(tiny_take_along_axis(x, 1, rows));
  SHOW(tiny_index_select(x, 1, i));
  SHOW(tiny_take(x, i));
  SHOW(tiny_index(x, (tiny_tensor *[]){NULL, i}, 2));
  SHOW(tiny_scatter(v, 0, i, two));
  SHOW(tiny_scatter_add(v, 0, i, two));
  SHOW(tiny_scatter_reduce(v, 0, i, two, TINY_REDUCE_MEAN, 1));
  SHOW(tiny_index_reduce(v, 0, i, two, TINY_REDUCE_AMAX, 1));
  SHOW(tiny_index_add(v, 0, i, two));
  SHOW(tiny_index_copy(v, 0, i, two));
  SHOW(tiny_index_fill(v, 0, i, 9));
  SHOW(tiny_put(v, i, two, 0));
  SHOW(tiny_index_put(v, &i, 1, two, 0));
  SHOW(tiny_masked_fill(v, p, 9));
  SHOW(tiny_masked_select(v, p));
  SHOW(tiny_repeat_interleave_by(two, INTS(1, 3), 0));
  SHOW(tiny_masked_scatter(v, p, w));
  SHOW(tiny_nonzero(p));
  SHOW(tiny_bincount(INTS(0, 2, 2, 1), NULL, 0));
  SHOW(tiny_histc(v, 2, -2, 2));
}

static void show_sorting(tiny_ctx *t, const given *g) {
  section = "sorting: w (4) 2 3 -1 0.5, odd (4) 1 NaN inf -inf, i (5) 1 3 3 1 1";
  tiny_tensor *w = g->w, *odd = g->odd, *i = INTS(1, 3, 3, 1, 1), *half = tiny_scalar(t, 0.5, TINY_F32), *more, *two[2];
  SHOW_TWO(more, tiny_sort(w, 0, 0, &more));
  SHOW(tiny_argsort(w, 0, 1));
  SHOW_TWO(more, tiny_topk(w, 2, 0, 1, &more));
  SHOW_TWO(more, tiny_kthvalue(w, 2, 0, 0, &more));
  SHOW_TWO(more, tiny_median(w, 0, 0, &more));
  SHOW(tiny_nanmedian(odd, 0, 0, NULL));
  SHOW(tiny_quantile(w, half, 0, 0));
  SHOW(tiny_nanquantile(tiny_slice(odd, 0, 0, 2, 1), half, 0, 0));
  SHOW(tiny_quantile_by(w, half, 0, 0, TINY_QUANTILE_LOWER));
  SHOW(tiny_nanquantile_by(tiny_slice(odd, 0, 0, 2, 1), half, 0, 0, TINY_QUANTILE_LOWER));
  SHOW_TWO(more, tiny_mode(i, 0, 0, &more));
  SHOW_THREE(two, tiny_unique(i, &two[0], &two[1]));
  SHOW_THREE(two, tiny_unique_consecutive(i, &two[0], &two[1]));
  SHOW(tiny_unique_along(tiny_reshape(i, TINY_SHAPE(5, 1)), 0, NULL, NULL));
  SHOW(tiny_unique_consecutive_along(tiny_reshape(i, TINY_SHAPE(5, 1)), 0, NULL, NULL));
  SHOW(tiny_searchsorted(FLOATS(0, 1, 2), w, 0));
  SHOW(tiny_bucketize(w, FLOATS(0, 1, 2), 1));
  SHOW(tiny_histogram(w, FLOATS(-1, 0, 3), NULL, 0));
  SHOW_TWO(more, tiny_histogram_bins(w, 2, -1, 3, NULL, 0, &more));
  SHOW(tiny_isin(i, INTS(3)));
}

static void show_linalg(tiny_ctx *t, const given *g) {
  section = "linalg: x (2,3) 1 to 6, y (2,3) 6 to 1, m (2,2) 4 1, 2 3, s (2,2) 2 1, 1 2, b (2) 1 2";
  tiny_tensor *x = g->x, *y = g->y, *m = g->m, *s = g->s, *b = FLOATS(1, 2), *more, *two[2], *pair[2] = {m, s};
  tiny_tensor *b1 = tiny_reshape(b, TINY_SHAPE(2, 1)), *a3 = tiny_select(x, 0, 0), *b3 = tiny_select(y, 0, 0), *perm;
  SHOW(tiny_matmul(m, s));
  SHOW(tiny_linear(b, m, FLOATS(10, 20)));
  SHOW(tiny_dot(a3, b3));
  SHOW(tiny_vdot(a3, b3));
  SHOW(tiny_vecdot(x, y, -1));
  SHOW(tiny_inner(x, y));
  SHOW(tiny_outer(b, b));
  SHOW(tiny_kron(b, b));
  SHOW(tiny_tensordot(x, y, TINY_SHAPE(0, 1), TINY_SHAPE(0, 1)));
  SHOW(tiny_multi_dot(pair, 2));
  SHOW(tiny_einsum("ij,kj->ik", pair, 2));
  SHOW(tiny_trace(m));
  SHOW(tiny_cross(a3, b3, 0));
  SHOW(tiny_cdist(m, s, 2));
  SHOW(tiny_det(m));
  SHOW_TWO(more, tiny_slogdet(m, &more));
  SHOW(tiny_inv(m));
  SHOW(tiny_solve(m, b1));
  SHOW(tiny_triangular_solve(m, b1, 1, 0));
  SHOW(tiny_cholesky(s, 0));
  SHOW_THREE(two, tiny_lu(m, &two[0], &two[1]));
  SHOW_TWO(more, tiny_qr(m, 0, &more));
  SHOW_THREE(two, tiny_svd(s, &two[0], &two[1]));
  SHOW_TWO(more, tiny_eigh(s, &more));
  perm = tiny_lu(m, &two[0], &two[1]);
  SHOW(tiny_lu_solve(perm, two[0], two[1], b1));
  SHOW(tiny_cholesky_solve(b1, tiny_cholesky(s, 0), 0));
  SHOW(tiny_pinv(x, 0));
  SHOW(tiny_pinv_within(x, 1e-6, 0));
  SHOW(tiny_lstsq(m, b1));
  SHOW(tiny_matrix_rank(x, 0));
  SHOW(tiny_matrix_rank_within(x, 1e-6, 0));
  SHOW(tiny_matrix_norm(m, TINY_NORM_FRO));
  SHOW(tiny_cond(m, TINY_NORM_2));
  SHOW(tiny_matrix_power(m, 3));
  SHOW(tiny_matrix_exp(tiny_zeros_like(m)));
  SHOW(tiny_cov(x, 1, NULL, NULL));
  SHOW(tiny_corrcoef(x));
}

static void show_fft(tiny_ctx *t, const given *g) {
  section = "fft: v (4) -1.5 -0.5 0.5 2, w (4) 2 3 -1 0.5, c v as complex numbers: a last dim of (real, "
            "imaginary), half = tiny_rfft(v, ..), d a hop of 2";
  tiny_tensor *v = g->v, *w = g->w, *c = tiny_complex(v, tiny_zeros_like(v)), *half = tiny_rfft(v, 0, -1, TINY_FFT_BACKWARD);
  const tiny_stft_desc d = {.hop = 2};
  SHOW(c);
  SHOW(tiny_fft(c, 0, -1, TINY_FFT_BACKWARD));
  SHOW(tiny_ifft(c, 0, -1, TINY_FFT_BACKWARD));
  SHOW(tiny_rfft(v, 0, -1, TINY_FFT_BACKWARD));
  SHOW(tiny_irfft(half, 4, -1, TINY_FFT_BACKWARD));
  SHOW(tiny_fftn(c, TINY_SHAPE(0), TINY_FFT_BACKWARD));
  SHOW(tiny_ifftn(c, TINY_SHAPE(0), TINY_FFT_BACKWARD));
  SHOW(tiny_rfftn(v, TINY_SHAPE(0), TINY_FFT_BACKWARD));
  SHOW(tiny_irfftn(half, 4, TINY_SHAPE(0), TINY_FFT_BACKWARD));
  SHOW(tiny_fftshift(v, TINY_SHAPE(0)));
  SHOW(tiny_ifftshift(v, TINY_SHAPE(0)));
  SHOW(tiny_fftfreq(t, 4, 1, TINY_F32));
  SHOW(tiny_rfftfreq(t, 4, 1, TINY_F32));
  SHOW(tiny_stft(tiny_tile(v, TINY_SHAPE(2)), 4, &d));
  SHOW(tiny_istft(tiny_stft(tiny_tile(v, TINY_SHAPE(2)), 4, &d), 4, &d));
  SHOW(tiny_complex(v, w));
  SHOW(tiny_polar(FLOATS(1, 2), FLOATS(0, 1.5708f)));
  SHOW(tiny_real(half));
  SHOW(tiny_imag(half));
  SHOW(tiny_conj(half));
  SHOW(tiny_complex_mul(half, half));
  SHOW(tiny_complex_abs(half));
}

static void show_norms(tiny_ctx *t, const given *g) {
  section = "norms: x (2,3) 1 to 6, y (2,3) 6 to 1, v (4) -1.5 -0.5 0.5 2, m (2,2) 4 1, 2 3, state: means 0, "
            "variances 1";
  tiny_tensor *x = g->x, *y = g->y, *v = g->v, *m = g->m;
  tiny_batch_norm_state state = {tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), tiny_ones(t, TINY_F32, TINY_SHAPE(3)), NULL, NULL, 0, 0};
  SHOW(tiny_softmax(v, 0));
  SHOW(tiny_log_softmax(v, 0));
  SHOW(tiny_softmin(v, 0));
  SHOW(tiny_logsumexp(v, 0, 0));
  SHOW(tiny_sum(tiny_gumbel_softmax(v, 1, 1, 0), 0, 0));
  SHOW(tiny_layer_norm(x, 1, NULL, NULL, 1e-5));
  SHOW(tiny_rms_norm(x, 1, NULL, 1e-5));
  SHOW(tiny_group_norm(tiny_unsqueeze(x, 0), 2, NULL, NULL, 1e-5));
  SHOW(tiny_instance_norm(tiny_unsqueeze(x, 0), NULL, NULL, 1e-5));
  SHOW(tiny_batch_norm(x, &state, 0));
  SHOW(tiny_local_response_norm(x, 2, 1e-4, 0.75, 1));
  SHOW(tiny_normalize(x, 2, 1, 1e-12));
  SHOW(tiny_cosine_similarity(x, y, 1, 1e-8));
  SHOW(tiny_pairwise_distance(x, y, 2, 1e-6, 0));
  SHOW(tiny_bilinear(FLOATS(1, 2), FLOATS(3, 4), tiny_unsqueeze(m, 0), NULL));
}

static void show_losses(tiny_ctx *t, const given *g) {
  section = "losses: x (2,3) 1 to 6, y (2,3) 6 to 1, v (4) -1.5 -0.5 0.5 2, w (4) 2 3 -1 0.5, u (4) 0.1 0.4 0.7 0.9, "
            "p (4) 1 0 1 1, labels (2) 2 0, sign (4) 1 -1 1 1";
  tiny_tensor *x = g->x, *y = g->y, *v = g->v, *w = g->w, *u = g->u, *labels = INTS(2, 0);
  tiny_tensor *p = tiny_cast(g->p, TINY_F32), *sign = FLOATS(1, -1, 1, 1), *signs = FLOATS(1, -1);
  tiny_tensor *logp = tiny_log_softmax(tiny_reshape(tiny_arange(t, 0, 8, 1, TINY_F32), TINY_SHAPE(4, 1, 2)), -1);
  SHOW(tiny_mse_loss(v, w, TINY_MEAN));
  SHOW(tiny_l1_loss(v, w, TINY_MEAN));
  SHOW(tiny_smooth_l1_loss(v, w, 1, TINY_MEAN));
  SHOW(tiny_huber_loss(v, w, 1, TINY_MEAN));
  SHOW(tiny_binary_cross_entropy(u, p, NULL, TINY_MEAN));
  SHOW(tiny_binary_cross_entropy_with_logits(v, p, NULL, NULL, TINY_MEAN));
  SHOW(tiny_soft_margin_loss(v, sign, TINY_MEAN));
  SHOW(tiny_multilabel_soft_margin_loss(tiny_unsqueeze(v, 0), tiny_unsqueeze(p, 0), NULL, TINY_MEAN));
  SHOW(tiny_kl_div(tiny_log_softmax(v, 0), tiny_softmax(w, 0), 0, TINY_SUM));
  SHOW(tiny_gaussian_nll_loss(v, w, u, 0, 1e-6, TINY_MEAN));
  SHOW(tiny_poisson_nll_loss(v, u, 1, 0, 1e-8, TINY_MEAN));
  SHOW(tiny_hinge_embedding_loss(v, sign, 1, TINY_MEAN));
  SHOW(tiny_margin_ranking_loss(v, w, sign, 0, TINY_MEAN));
  SHOW(tiny_cosine_embedding_loss(x, y, signs, 0, TINY_MEAN));
  SHOW(tiny_triplet_margin_loss(x, y, tiny_neg(x), 1, 2, 0, TINY_MEAN));
  SHOW(tiny_cross_entropy(x, labels, NULL));
  SHOW(tiny_nll_loss(tiny_log_softmax(x, 1), labels, NULL));
  SHOW(tiny_multi_margin_loss(x, labels, 1, 1, NULL, TINY_MEAN));
  SHOW(tiny_ctc_loss(logp, tiny_reshape(INTS(1, 1), TINY_SHAPE(1, 2)), INTS(4), INTS(2), 0, 0, TINY_SUM));
}

static void show_attention(tiny_ctx *t, const given *g) {
  section = "attention: x (2,3) 1 to 6, y (2,3) 6 to 1, m (2,2) 4 1, 2 3, ids (3) 1 0 1";
  tiny_tensor *x = g->x, *y = g->y, *m = g->m, *ids = INTS(1, 0, 1);
  SHOW(tiny_embedding(ids, x, -1));
  SHOW(tiny_embedding_max_norm(ids, tiny_clone(x), -1, 1, 2));
  SHOW(tiny_embedding_bag(ids, x, INTS(0, 2), NULL, TINY_SUM, -1));
  SHOW(tiny_attention(x, y, y, NULL));
  SHOW(tiny_attention(x, y, y, &(tiny_attention_desc){.causal = 1}));
  SHOW(tiny_rope(m, NULL, NULL));
}

static void show_recurrent(tiny_ctx *t, const given *g) {
  section = "recurrent: x (3,2) 1 to 6, h (1,1) 0.5; weights are 0.1, of one unit";
  tiny_tensor *x = tiny_reshape(g->x, TINY_SHAPE(3, 2)), *h = tiny_full(t, 0.5, TINY_F32, TINY_SHAPE(1, 1)), *more, *two[2];
  tiny_recurrent_weights w1, w3, w4;
  for (int n = 1; n <= 4; n++) {
    tiny_recurrent_weights *to = n == 1 ? &w1 : n == 3 ? &w3 : &w4;
    to->w_ih = tiny_full(t, 0.1, TINY_F32, TINY_SHAPE(n, 2));
    to->w_hh = tiny_full(t, 0.1, TINY_F32, TINY_SHAPE(n, 1));
    to->b_ih = to->b_hh = NULL;
  }
  tiny_tensor *step = tiny_slice(x, 0, 0, 1, 1);
  SHOW(tiny_rnn_cell(step, h, &w1, 0));
  SHOW(tiny_gru_cell(step, h, &w3));
  SHOW_TWO(more, tiny_lstm_cell(step, h, h, &w4, &more));
  SHOW_TWO(more, tiny_rnn(x, NULL, &w1, NULL, &more));
  SHOW_TWO(more, tiny_gru(x, NULL, &w3, NULL, &more));
  SHOW_THREE(two, tiny_lstm(x, NULL, NULL, &w4, NULL, &two[0], &two[1]));
}

static void show_convolution(tiny_ctx *t, const given *g) {
  section = "convolution: image (1,1,4,4) 0 to 15, line (1,1,4) 0 to 3, cube (1,1,2,2,2) 0 to 7; kernels are ones";
  tiny_tensor *image = g->image, *line = tiny_reshape(tiny_arange(t, 0, 4, 1, TINY_F32), TINY_SHAPE(1, 1, 4)), *more;
  tiny_tensor *cube = tiny_reshape(tiny_arange(t, 0, 8, 1, TINY_F32), TINY_SHAPE(1, 1, 2, 2, 2));
  tiny_tensor *k1 = tiny_ones(t, TINY_F32, TINY_SHAPE(1, 1, 2)), *k2 = tiny_ones(t, TINY_F32, TINY_SHAPE(1, 1, 2, 2));
  tiny_tensor *k3 = tiny_ones(t, TINY_F32, TINY_SHAPE(1, 1, 2, 2, 2));
  const tiny_pool_desc two = {.kernel = {2, 2}};
  SHOW(tiny_conv(image, k2, NULL, &(tiny_conv_desc){.stride = {2, 2}}));
  SHOW(tiny_conv1d(line, k1, NULL, NULL));
  SHOW(tiny_conv2d(image, k2, NULL, NULL));
  SHOW(tiny_conv3d(cube, k3, NULL, NULL));
  SHOW(tiny_conv_transpose(line, k1, NULL, &(tiny_conv_desc){.stride = {2}}));
  SHOW(tiny_conv_transpose1d(line, k1, NULL, NULL));
  SHOW(tiny_sum(tiny_conv_transpose2d(image, k2, NULL, NULL), TINY_ALL, 0));
  SHOW(tiny_sum(tiny_conv_transpose3d(cube, k3, NULL, NULL), TINY_ALL, 0));
  SHOW_TWO(more, tiny_max_pool(image, &two, &more));
  SHOW(tiny_max_pool1d(line, 2, 0, 0));
  SHOW(tiny_max_pool2d(image, 2, 0, 0));
  SHOW(tiny_max_pool3d(cube, 2, 0, 0));
  SHOW(tiny_max_unpool(tiny_max_pool(image, &two, &more), more, &two, TINY_SHAPE()));
  SHOW(tiny_avg_pool(image, &two));
  SHOW(tiny_avg_pool1d(line, 2, 0, 0));
  SHOW(tiny_avg_pool2d(image, 2, 0, 0));
  SHOW(tiny_avg_pool3d(cube, 2, 0, 0));
  SHOW(tiny_lp_pool(image, 2, &two));
  SHOW(tiny_adaptive_avg_pool(image, TINY_SHAPE(1, 2)));
  SHOW_TWO(more, tiny_adaptive_max_pool(image, TINY_SHAPE(1, 2), &more));
  SHOW(tiny_unfold(image, &(tiny_pool_desc){.kernel = {2, 2}, .stride = {2, 2}}));
  SHOW(tiny_fold(tiny_unfold(image, &(tiny_pool_desc){.kernel = {2, 2}, .stride = {2, 2}}), TINY_SHAPE(4, 4),
                 &(tiny_pool_desc){.kernel = {2, 2}, .stride = {2, 2}}));
}

static void show_images(tiny_ctx *t, const given *g) {
  section = "images: small (1,1,2,2) 4 1, 2 3, image (1,1,4,4) 0 to 15";
  tiny_tensor *small = tiny_reshape(g->m, TINY_SHAPE(1, 1, 2, 2)), *image = g->image;
  tiny_tensor *turned = tiny_reshape(FLOATS(0, -1, 0, 1, 0, 0), TINY_SHAPE(1, 2, 3));
  SHOW(tiny_interpolate(small, &(tiny_interpolate_desc){.size = {2, 4}}));
  SHOW(tiny_interpolate(small, &(tiny_interpolate_desc){.size = {2, 4}, .mode = TINY_LINEAR}));
  SHOW(tiny_affine_grid(turned, TINY_SHAPE(1, 1, 2, 2), 0));
  SHOW(tiny_grid_sample(small, tiny_affine_grid(turned, TINY_SHAPE(1, 1, 2, 2), 0), NULL));
  SHOW(tiny_pixel_unshuffle(image, 2));
  SHOW(tiny_pixel_shuffle(tiny_pixel_unshuffle(image, 2), 2));
  SHOW(tiny_channel_shuffle(tiny_reshape(tiny_arange(t, 0, 4, 1, TINY_F32), TINY_SHAPE(1, 4, 1)), 2));
}

static void show_augmentation(tiny_ctx *t, const given *g) {
  section = "augmentation: grey (1,1,2,2) 0.4 0.1, 0.2 0.3, colour (1,3,1,1) 0.8 0.4 0.2, image (1,1,4,4) 0 to "
            "15, half (1) 0.5";
  tiny_tensor *grey = tiny_div_scalar(tiny_reshape(g->m, TINY_SHAPE(1, 1, 2, 2)), 10), *image = g->image, *half = FLOATS(0.5f), *mixed;
  tiny_tensor *colour = tiny_reshape(FLOATS(0.8f, 0.4f, 0.2f), TINY_SHAPE(1, 3, 1, 1)), *pair = tiny_cat(TINY_ARRAY(grey, tiny_neg(grey)), 0);
  const double mean = 0.25, deviation = 0.5;
  SHOW(tiny_convert_image_dtype(grey, TINY_U8));
  SHOW(tiny_normalize_image(grey, &mean, &deviation, 1));
  SHOW(tiny_rgb_to_grayscale(colour));
  SHOW(tiny_resize(grey, 1, 2));
  SHOW(tiny_center_crop(image, 2, 2));
  SHOW(tiny_gaussian_blur(grey, 3, 1));
  SHOW(tiny_random_horizontal_flip(grey, 1));
  SHOW(tiny_random_vertical_flip(grey, 1));
  SHOW(tiny_random_crop(image, 2, 2, 0));
  SHOW(tiny_random_resized_crop(image, 2, 2, NULL));
  SHOW(tiny_random_affine(grey, &(tiny_random_affine_desc){.degrees = 0}));
  SHOW(tiny_random_rotation(grey, 0));
  SHOW(tiny_color_jitter(colour, &(tiny_color_jitter_desc){.brightness = 0.5}));
  SHOW(tiny_adjust_brightness(colour, half));
  SHOW(tiny_adjust_contrast(colour, half));
  SHOW(tiny_adjust_saturation(colour, half));
  SHOW(tiny_adjust_hue(colour, half));
  SHOW(tiny_random_erasing(image, NULL));
  SHOW_TWO(mixed, tiny_mixup(pair, INTS(0, 1), 2, 1, &mixed));
  SHOW_TWO(mixed, tiny_cutmix(pair, INTS(0, 1), 2, 1, &mixed));
}

static void show_training(tiny_ctx *t, const given *g) {
  section = "training: v (4) -1.5 -0.5 0.5 2";
  tiny_tensor *v = g->v, *grad;
  tiny_plateau plateau = {0, 0, 0, 0, 0, 0, 0};
  SHOW_NUMBER(tiny_grad(tiny_sum(tiny_square(v), TINY_ALL, 0), &v, 1, &grad));
  SHOW(grad);
  SHOW_NUMBER(tiny_grad(tiny_sum(tiny_checkpoint(tiny_exp(tiny_sin(v)), &v, 1), TINY_ALL, 0), &v, 1, &grad));
  SHOW(grad);
  SHOW(tiny_clip_grad_norm(&grad, 1, 1, 0));
  SHOW(grad);
  SHOW_NUMBER(tiny_clip_grad_value(&grad, 1, 0.25));
  SHOW(grad);
  SHOW_NUMBER(tiny_lr_step(0.1, 25, 10, 0.5));
  SHOW_NUMBER(tiny_lr_multistep(0.1, 25, (int64_t[]){10, 20}, 2, 0.5));
  SHOW_NUMBER(tiny_lr_exponential(0.1, 10, 0.9));
  SHOW_NUMBER(tiny_lr_cosine(0.1, 50, 100, 0));
  SHOW_NUMBER(tiny_lr_cosine_restarts(0.1, 15, 10, 2, 0));
  SHOW_NUMBER(tiny_lr_linear(0.1, 5, 10, 0.01, 1));
  SHOW_NUMBER(tiny_lr_one_cycle(0.1, 30, 100));
  SHOW_NUMBER(tiny_lr_polynomial(0.1, 50, 100, 2));
  SHOW_NUMBER(tiny_lr_plateau(&plateau, 0.1, 1));
  (void)t;
}

int main(int argc, char **argv) {
  static void (*const sections[])(tiny_ctx *t, const given *g) = {
    show_tensors, show_creation, show_random, show_movement, show_elementwise, show_math, show_activations, show_reductions,
    show_indexing, show_sorting, show_linalg, show_fft, show_norms, show_losses, show_attention, show_recurrent,
    show_convolution, show_images, show_augmentation, show_training
  };
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP"});  // a kernel for each line: the interpreter has it at once
  if (argc > 1) wanted = argv[1];
  const given g = {
    .x = tiny_reshape(FLOATS(1, 2, 3, 4, 5, 6), TINY_SHAPE(2, 3)), .y = tiny_reshape(FLOATS(6, 5, 4, 3, 2, 1), TINY_SHAPE(2, 3)),
    .v = FLOATS(-1.5f, -0.5f, 0.5f, 2), .w = FLOATS(2, 3, -1, 0.5f), .u = FLOATS(0.1f, 0.4f, 0.7f, 0.9f),
    .m = tiny_reshape(FLOATS(4, 1, 2, 3), TINY_SHAPE(2, 2)), .s = tiny_reshape(FLOATS(2, 1, 1, 2), TINY_SHAPE(2, 2)),
    .a = INTS(12, 7, -5, 3), .b = INTS(5, 2, 2, 3), .p = BOOLS(1, 0, 1, 1), .q = BOOLS(1, 1, 0, 0),
    .odd = FLOATS(1, NAN, INFINITY, -INFINITY),
    .image = tiny_reshape(tiny_arange(t, 0, 16, 1, TINY_F32), TINY_SHAPE(1, 1, 4, 4))
  };
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) sections[i](t, &g);
  const tiny_code code = tiny_status(t);
  if (code != TINY_OK) printf("%s\n", tiny_error(t));
  tiny_close(t);
  return code != TINY_OK;
}
