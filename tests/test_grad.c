// grad: gradients of every operator against finite differences in f64, first and second order, and the cases that
// finite differences do not see: ties, zeros, infinities, parameters that do not matter, errors.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;
enum { NA = 24, NB = 4 };
static double weight[64];

static const void *host(tiny_ctx *ctx, tiny_uop *buffer) {    // once what is copied in has come there
  return ctx->device[0]->backend->sync(ctx->device[0]->dev) == TINY_OK ? ((tn_storage *)buffer->ptr)->mem : NULL;
}
static double *memory(const tiny_tensor *x) {                // of a tensor made by tiny_from
  tiny_uop *u = tn_uop_of(x);
  while (u->op != TINY_OP_BUFFER) u = u->src[0];
  return (double *)(uintptr_t)host(t, u);
}
static double value(tiny_tensor *x) {
  double out = NAN;
  if (!tiny_ok(x) || tn_eval_graph(t, tn_uop_of(x), &out, host) != TINY_OK) { printf("%s\n", tiny_error(t)); tiny_clear(t); }
  return out;
}
static void values(tiny_tensor *x, double *out) {
  tn_eval_graph(t, tn_cast(t, tn_uop_of(x), TINY_F64), out, host);
}
// sum of x times fixed weights: every element matters, and differently.
static tiny_tensor *weigh(tiny_tensor *x) {
  const int64_t n = tiny_nelem_of(x);
  if (n > 64) return tiny_sum(tiny_mul(x, tiny_cos(tiny_reshape(tiny_arange(t, 0, (double)n, 1, TINY_F64), tiny_shape_of(x)))), TINY_ALL, 0);
  tiny_tensor *w = tiny_from(t, weight, TINY_F64, TINY_SHAPE(n));
  return tiny_sum(tiny_mul(tiny_flatten(x, 0, -1), w), TINY_ALL, 0);
}

// a (2,3,4) of values between -2 and 2, none near a whole or a half; b (4) of values between 0.3 and 1.9.
#define FLAT       tiny_flatten(a, 0, -1)
#define POS        tiny_add(tiny_abs(a), tiny_like(a, 0.1))
#define PART(n, s) tiny_reshape(tiny_slice(FLAT, 0, 0, n, 1), s)
#define C(x)       tiny_like(a, x)
static int32_t some[3] = {2, 0, 2};
#define IDX        tiny_from(t, some, TINY_I32, TINY_SHAPE(3))
static tiny_conv_desc wide = {.stride = {1, 2}, .pad = {1, 1}}, far = {.pad = {1, 2}, .dilation = {1, 2}}, split = {.groups = 2};
static tiny_tensor *batch_norm(tiny_tensor *a, tiny_tensor *b) {
  tiny_batch_norm_state s;
  memset(&s, 0, sizeof s);
  s.weight = tiny_slice(b, 0, 0, 3, 1); s.bias = tiny_slice(b, 0, 1, 4, 1);
  return tiny_batch_norm(a, &s, 1);
}
static tiny_tensor *cat2(tiny_tensor *x, tiny_tensor *y, int axis, int stack) {
  tiny_tensor *in[2];
  in[0] = x; in[1] = y;
  return stack ? tiny_stack(in, 2, axis) : tiny_cat(in, 2, axis);
}
#define SMOOTH(_) \
  _(add, tiny_add(a, b)) _(sub, tiny_sub(b, a)) _(mul, tiny_mul(a, b)) _(div, tiny_div(a, b)) _(scalar, tiny_mul(tiny_sum(a, TINY_ALL, 0), b)) \
  _(pow, tiny_pow(POS, b)) _(pow3, tiny_pow(a, C(3))) _(pow_third, tiny_pow(POS, C(1.0 / 3))) _(pow_minus2, tiny_pow(POS, C(-2))) \
  _(exp, tiny_exp(a)) _(exp2, tiny_exp2(a)) _(log, tiny_log(POS)) _(log2, tiny_log2(POS)) _(sin, tiny_sin(a)) _(cos, tiny_cos(a)) \
  _(tan, tiny_tan(tiny_mul(a, C(0.5)))) _(tanh, tiny_tanh(a)) _(tanh_far, tiny_tanh(tiny_mul(a, C(9)))) _(sigmoid, tiny_sigmoid(a)) _(silu, tiny_silu(a)) _(gelu, tiny_gelu(a)) \
  _(sqrt, tiny_sqrt(POS)) _(rsqrt, tiny_rsqrt(POS)) _(reciprocal, tiny_reciprocal(POS)) _(square, tiny_square(a)) _(neg, tiny_neg(a)) \
  _(sum0, tiny_square(tiny_sum(a, 0, 0))) _(sum_all, tiny_square(tiny_sum(a, TINY_ALL, 1))) _(mean, tiny_square(tiny_mean(a, 1, 0))) \
  _(var, tiny_var(a, -1, 0, 1)) _(prod, tiny_prod(a, 1, 0)) _(reduce, tiny_square(tiny_reduce(a, TINY_REDUCE_SUM, TINY_SHAPE(0, -1), 0))) \
  _(cumsum, tiny_square(tiny_cumsum(a, 1))) _(cumsum_long, tiny_mul(tiny_cumsum(tiny_flatten(tiny_expand(a, TINY_SHAPE(2, 2, 3, 4)), 0, -1), 0), tiny_arange(t, 0, 48, 1, TINY_F64))) \
  _(softmax, tiny_softmax(a, 1)) _(log_softmax, tiny_log_softmax(a, -1)) _(logsumexp, tiny_logsumexp(a, 2, 1)) \
  _(cross_entropy, tiny_cross_entropy(tiny_reshape(PART(12, TINY_SHAPE(3, 4)), TINY_SHAPE(3, 4)), IDX, NULL)) \
  _(matmul, tiny_matmul(a, tiny_reshape(tiny_slice(FLAT, 0, 3, 11, 1), TINY_SHAPE(4, 2)))) _(matvec, tiny_matmul(a, b)) _(batched, tiny_matmul(a, tiny_transpose(a, 1, 2))) \
  _(linear, tiny_linear(a, tiny_reshape(tiny_slice(FLAT, 0, 0, 16, 1), TINY_SHAPE(4, 4)), b)) \
  _(reshape, tiny_square(tiny_reshape(a, TINY_SHAPE(4, -1)))) _(permute, tiny_square(tiny_permute(a, TINY_SHAPE(2, 0, 1)))) \
  _(expand, tiny_square(tiny_expand(tiny_unsqueeze(a, 1), TINY_SHAPE(2, 3, 3, 4)))) _(pad, tiny_square(tiny_pad(a, TINY_SHAPE(1, 0, -1, 1, 0, 2), 3))) \
  _(shrink, tiny_square(tiny_shrink(a, TINY_SHAPE(0, 1, 1, 3, 2, 4)))) _(flip, tiny_mul(tiny_flip(a, TINY_SHAPE(0, 2)), b)) \
  _(slice, tiny_square(tiny_slice(a, 2, -1, -5, -2))) _(slice3, tiny_square(tiny_slice(a, 1, 0, 3, 2))) _(cat, tiny_square(cat2(a, tiny_exp(a), 1, 0))) _(stack, tiny_square(cat2(a, tiny_exp(a), -1, 1))) \
  _(index_select, tiny_square(tiny_index_select(a, 1, IDX))) _(gather, tiny_square(tiny_gather(PART(3, TINY_SHAPE(3)), 0, IDX))) \
  _(conv, tiny_conv2d(tiny_reshape(a, TINY_SHAPE(1, 2, 3, 4)), PART(16, TINY_SHAPE(2, 2, 2, 2)), tiny_slice(b, 0, 0, 2, 1), NULL)) \
  _(conv_wide, tiny_conv2d(tiny_reshape(a, TINY_SHAPE(2, 1, 3, 4)), PART(9, TINY_SHAPE(1, 1, 3, 3)), NULL, &wide)) \
  _(conv_far, tiny_conv2d(tiny_reshape(a, TINY_SHAPE(2, 1, 3, 4)), PART(9, TINY_SHAPE(1, 1, 3, 3)), NULL, &far)) \
  _(conv_groups, tiny_conv2d(tiny_reshape(a, TINY_SHAPE(1, 2, 3, 4)), PART(16, TINY_SHAPE(4, 1, 2, 2)), b, &split)) \
  _(avg_pool, tiny_square(tiny_avg_pool2d(a, 2, 1, 1))) _(avg_blocks, tiny_square(tiny_avg_pool2d(a, 2, 0, 0))) _(layer_norm, tiny_layer_norm(a, 1, b, b, 1e-3)) _(batch_norm, batch_norm(a, b)) \
  _(contiguous, tiny_square(tiny_contiguous(a))) _(cast, tiny_square(tiny_cast(tiny_cast(a, TINY_F64), TINY_F64)))
#define KINKED(_) \
  _(abs, tiny_abs(a)) _(relu, tiny_relu(a)) _(clamp, tiny_clamp(a, -1, 1)) _(maximum, tiny_maximum(a, tiny_sin(tiny_mul(a, b)))) _(minimum, tiny_minimum(a, b)) \
  _(max, tiny_amax(a, 1, 0)) _(min, tiny_amin(a, 2, 1)) _(max_all, tiny_amax(a, TINY_ALL, 0)) _(where, tiny_where(tiny_lt(a, C(0)), tiny_exp(a), tiny_square(a))) \
  _(max_pool, tiny_max_pool2d(a, 2, 1, 1)) _(max_blocks, tiny_max_pool2d(a, 2, 0, 0)) _(floor, tiny_mul(a, tiny_floor(a))) _(round, tiny_mul(a, tiny_round(a))) _(trunc, tiny_mul(a, tiny_trunc(a))) \
  _(remainder, tiny_remainder(a, b)) _(sign, tiny_mul(a, tiny_sign(a)))
#define FUNCTION(name, expr) static tiny_tensor *f_##name(tiny_tensor *a, tiny_tensor *b) { (void)b; return expr; }
SMOOTH(FUNCTION)
KINKED(FUNCTION)
typedef struct entry { const char *name; tiny_tensor *(*fn)(tiny_tensor *a, tiny_tensor *b); int smooth; } entry;
#define SMOOTH_ENTRY(name, expr) {#name, f_##name, 1},
#define KINKED_ENTRY(name, expr) {#name, f_##name, 0},
static const entry entries[] = { SMOOTH(SMOOTH_ENTRY) KINKED(KINKED_ENTRY) };

// Compares the gradients of loss with finite differences.
static void compare(const char *name, int order, tiny_tensor *loss, tiny_tensor *const *in, tiny_tensor *const *grads) {
  double got[NA];
  double worst = 0;
  for (int p = 0; p < 2; p++) {
    double *x = memory(in[p]);
    values(grads[p], got);
    for (int i = 0; i < (p ? NB : NA); i++) {
      const double old = x[i], h = 1e-5;
      x[i] = old + h;
      const double up = value(loss);
      x[i] = old - h;
      const double down = value(loss);
      x[i] = old;
      const double want = (up - down) / (2 * h), error = fabs(got[i] - want) / (1 + fabs(want));
      if (!(error <= worst)) worst = error;
    }
  }
  const int ok = worst < 2e-6;
  if (!ok) printf("%s, order %d: off by %g\n", name, order, worst);
  CHECK(ok);
}
static void check_entry(const entry *e, tiny_tensor *const *in) {
  tiny_tensor *grads[2], *second[2];
  tiny_begin(t);
  tiny_tensor *loss = weigh(e->fn(in[0], in[1]));
  if (!tiny_ok(loss)) printf("%s: %s\n", e->name, tiny_error(t));
  CHECK(tiny_ok(loss));
  CHECK_EQ(tiny_grad(loss, in, 2, grads), TINY_OK);
  if (tiny_ok(grads[0])) compare(e->name, 1, loss, in, grads);
  if (e->smooth && tiny_ok(grads[0])) {
    tiny_tensor *twice = tiny_add(weigh(grads[0]), weigh(grads[1]));
    CHECK_EQ(tiny_grad(twice, in, 2, second), TINY_OK);
    if (tiny_ok(second[0])) compare(e->name, 2, twice, in, second);
  }
  if (tiny_status(t) != TINY_OK) { printf("%s: %s\n", e->name, tiny_error(t)); tiny_clear(t); }
  tiny_end(t);
}

static void gradient_at(double at, tiny_tensor *(*fn)(tiny_tensor *), double want) {
  tiny_tensor *x = tiny_from(t, &at, TINY_F64, TINY_SHAPE()), *g;
  tiny_tensor *const in[1] = {x};
  CHECK_EQ(tiny_grad(fn(x), in, 1, &g), TINY_OK);
  const double got = value(g);
  if (got != want) printf("at %g: %.17g, wanted %.17g\n", at, got, want);
  CHECK(got == want);
}
static void check_special(void) {
  gradient_at(0, tiny_relu, 0);            // as PyTorch
  gradient_at(0, tiny_abs, 0);
  gradient_at(0, tiny_sigmoid, 0.25);
  gradient_at(-1000, tiny_sigmoid, 0);     // not NaN
  gradient_at(1000, tiny_tanh, 0);
  gradient_at(0, tiny_tanh, 1);
  gradient_at(-1000, tiny_silu, 0);

  const double zeros[4] = {2, 0, 3, 5}, tie[4] = {1, 7, 7, 0};
  double got[4];
  tiny_tensor *x = tiny_from(t, zeros, TINY_F64, TINY_SHAPE(4)), *y = tiny_from(t, tie, TINY_F64, TINY_SHAPE(4)), *g, *both[2];
  CHECK_EQ(tiny_grad(tiny_prod(x, 0, 0), &x, 1, &g), TINY_OK);
  values(g, got);
  CHECK(got[0] == 0 && got[1] == 30 && got[2] == 0 && got[3] == 0);
  CHECK_EQ(tiny_grad(tiny_amax(y, 0, 0), &y, 1, &g), TINY_OK);
  values(g, got);
  CHECK(got[0] == 0 && got[1] == 0.5 && got[2] == 0.5 && got[3] == 0);

  tiny_tensor *const params[2] = {x, y};   // y does not matter
  CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(x, tiny_detach(y)), 0, 0), params, 2, both), TINY_OK);
  values(both[1], got);
  CHECK(got[0] == 0 && got[3] == 0);
  CHECK_EQ(tiny_nelem_of(both[1]), 4);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_cast(tiny_cast(x, TINY_I32), TINY_F64), 0, 0), &x, 1, &g), TINY_OK);
  values(g, got);
  CHECK(got[0] == 0);                      // nothing flows through integers

  // Parameters that are equal are still two.
  tiny_tensor *const ones[2] = {tiny_ones(t, TINY_F64, TINY_SHAPE(2)), tiny_ones(t, TINY_F64, TINY_SHAPE(2))};
  CHECK_EQ(tiny_grad(tiny_sum(tiny_add(ones[0], tiny_mul(ones[1], tiny_like(ones[1], 3))), 0, 0), ones, 2, both), TINY_OK);
  values(both[0], got);
  CHECK(got[0] == 1);
  values(both[1], got);
  CHECK(got[0] == 3);
  // Halves sum broadcast gradients in f32: 4096 ones are 4096.
  tiny_tensor *h = tiny_ones(t, TINY_F16, TINY_SHAPE(1)), *big = tiny_expand(h, TINY_SHAPE(4096));
  CHECK_EQ(tiny_grad(tiny_sum(big, 0, 0), &h, 1, &g), TINY_OK);
  values(g, got);
  CHECK(got[0] == 4096);
}

static void check_errors(void) {
  const float one[2] = {1, 1};
  tiny_tensor *x = tiny_from(t, one, TINY_F32, TINY_SHAPE(2)), *whole = tiny_cast(x, TINY_I32), *g;
  CHECK_EQ(tiny_grad(x, &x, 1, &g), TINY_E_SHAPE);
  CHECK_STR(tiny_error(t), "grad: the loss is (2,), not one element");
  CHECK(!tiny_ok(g));
  tiny_clear(t);
  CHECK_EQ(tiny_grad(tiny_sum(whole, 0, 0), &x, 1, &g), TINY_E_DTYPE);
  tiny_clear(t);
  CHECK_EQ(tiny_grad(tiny_sum(x, 0, 0), &whole, 1, &g), TINY_E_DTYPE);
  CHECK_STR(tiny_error(t), "grad: parameter 0 is i32, not a float");
  tiny_clear(t);
  CHECK_EQ(tiny_grad(NULL, &x, 1, &g), TINY_E_ARG);
  CHECK_EQ(tiny_grad(tiny_sum(x, 0, 0), NULL, 1, &g), TINY_E_ARG);
  tiny_clear(t);
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  t = tiny_open(&d);
  CHECK_STR(tiny_error(t), "");
  double a[NA], b[NB] = {1.9, 0.3, 1.1, 0.7};
  for (int i = 0; i < NA; i++) a[i] = 2 * sin(0.9 + 1.7 * i) + 0.013;
  for (int i = 0; i < 64; i++) weight[i] = cos(0.3 + 0.7 * i) + 0.2;
  tiny_tensor *const in[2] = {tiny_from(t, a, TINY_F64, TINY_SHAPE(2, 3, 4)), tiny_from(t, b, TINY_F64, TINY_SHAPE(4))};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) check_entry(&entries[i], in);
  check_special();
  check_errors();
  tiny_close(t);
  return test_report();
}
