// also: ptx-own outside
// norm: softmax, normalisation, norms of vectors: what the vectors cannot show.
#include "nn_test.h"

static void check_softmax(void) {
  const double x[4] = {-HUGE_VAL, -HUGE_VAL, 1, 2}, nothing[2] = {-HUGE_VAL, -HUGE_VAL};
  double y[4];
  read_all(tiny_softmax(given(TINY_F32, TINY_SHAPE(2, 2), x), 1), y);
  CHECK(y[0] != y[0] && is_close(y[2] + y[3], 1, 1e-6));     // as PyTorch: no weights at all are NaN
  is("logsumexp", tiny_logsumexp(given(TINY_F32, TINY_SHAPE(2), nothing), 0, 0), 1, nothing, 0);
  same("softmin", tiny_softmin(numbers(TINY_F32, TINY_SHAPE(2, 3), -2, 2), 0), tiny_softmax(tiny_neg(numbers(TINY_F32, TINY_SHAPE(2, 3), -2, 2)), 0), 0);
  CHECK_EQ(tiny_nelem_of(tiny_softmax(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3)), -1)), 0);
  CHECK_EQ(tiny_dtype_of(tiny_softmax(tiny_zeros(t, TINY_F16, TINY_SHAPE(3)), 0)), TINY_F16);
  CHECK_EQ(tiny_dtype_of(tiny_softmax(tiny_zeros(t, TINY_U8, TINY_SHAPE(3)), 0)), TINY_F32);
  BAD(tiny_softmin(tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 1), TINY_E_ARG, "softmin: axis 1 is out of range for (3,)");
}

static tiny_tensor *soft_sample(tiny_tensor *x) { t->tensors->random = 100; return tiny_gumbel_softmax(x, 0.7, 0, -1); }
static tiny_tensor *hard_sample(tiny_tensor *x) { t->tensors->random = 100; return tiny_gumbel_softmax(x, 0.7, 1, -1); }
static void check_gumbel(void) {
  tiny_tensor *x = numbers(TINY_F64, TINY_SHAPE(3, 4), -1, 1), *g[2];
  double y[12], a[12], b[12];
  read_all(hard_sample(x), y);
  for (int row = 0; row < 3; row++) CHECK(is_close(y[4 * row] + y[4 * row + 1] + y[4 * row + 2] + y[4 * row + 3], 1, 1e-12));
  for (int i = 0; i < 12; i++) CHECK(fabs(y[i]) < 1e-12 || fabs(y[i] - 1) < 1e-12);
  gradient("gumbel_softmax", soft_sample, x);
  CHECK_EQ(tiny_grad(weighed(soft_sample, x), &x, 1, &g[0]), TINY_OK);       // a hard sample has the soft one's gradient
  CHECK_EQ(tiny_grad(weighed(hard_sample, x), &x, 1, &g[1]), TINY_OK);
  read_all(g[0], a); read_all(g[1], b);
  for (int i = 0; i < 12; i++) CHECK(is_close(a[i], b[i], 1e-12));
  // Classes come as often as softmax says: 4000 samples, within five deviations.
  const double logits[2] = {log(3.0), 0};
  tiny_tensor *many = tiny_gumbel_softmax(tiny_expand(given(TINY_F32, TINY_SHAPE(2), logits), TINY_SHAPE(4000, 2)), 1, 1, -1);
  const double share = tiny_item(tiny_sum(tiny_slice(many, 1, 0, 1, 1), TINY_ALL, 0)) / 4000;
  CHECK(fabs(share - 0.75) < 0.035);
  CHECK_EQ(tiny_dtype_of(tiny_gumbel_softmax(tiny_zeros(t, TINY_F16, TINY_SHAPE(3)), 1, 1, 0)), TINY_F16);
  BAD(tiny_gumbel_softmax(x, 0, 0, 0), TINY_E_ARG, "gumbel_softmax: tau is 0");
  BAD(tiny_gumbel_softmax(x, 1, 0, 2), TINY_E_ARG, "gumbel_softmax: axis 2 is out of range for (3,4)");
}

static void check_batch_norm(void) {
  tiny_batch_norm_state s;
  const double x[6] = {1, 10, 2, 20, 6, 60}, mean[2] = {0.3, 3}, var[2] = {0.9 + 0.1 * 7, 0.9 + 0.1 * 700};
  memset(&s, 0, sizeof s);
  tiny_begin(t);
  s.mean = tiny_zeros(t, TINY_F32, TINY_SHAPE(2)); s.var = tiny_ones(t, TINY_F32, TINY_SHAPE(2));
  tiny_tensor *in = given(TINY_F32, TINY_SHAPE(3, 2), x), *y = tiny_batch_norm(in, &s, 1);
  is("running mean", s.mean, 2, mean, 1e-6);
  is("running variance", s.var, 2, var, 1e-6);               // of the unbiased one
  double out[6];
  read_all(tiny_mean(y, 0, 0), out);
  CHECK(fabs(out[0]) < 1e-6 && fabs(out[1]) < 1e-6);
  tiny_tensor *by = tiny_batch_norm(in, &s, 0), *want = tiny_div(tiny_sub(in, s.mean), tiny_sqrt(tiny_add(s.var, tiny_like(s.var, 1e-5))));
  same("batch_norm of use", by, want, 1e-6);
  CHECK_EQ(tiny_end(t), TINY_OK);
  memset(&s, 0, sizeof s);
  BAD(tiny_batch_norm(in = tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 2)), &s, 0), TINY_E_ARG, "batch_norm: running statistics are NULL");
  BAD(tiny_batch_norm(in, NULL, 1), TINY_E_ARG, "batch_norm: state is NULL");
  BAD(tiny_batch_norm(tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), &s, 1), TINY_E_SHAPE, "batch_norm: (3,) has no channels");
  s.weight = tiny_zeros(t, TINY_F32, TINY_SHAPE(3));
  BAD(tiny_batch_norm(in, &s, 1), TINY_E_SHAPE, "batch_norm: (3,2) with weights or statistics (3,)");
}

static void check_errors(void) {
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 6, 3)), *w = tiny_zeros(t, TINY_F32, TINY_SHAPE(4)), *flat = tiny_zeros(t, TINY_F32, TINY_SHAPE(6));
  BAD(tiny_layer_norm(x, 4, NULL, NULL, 1e-5), TINY_E_ARG, "layer_norm: over 4 dims of (2,6,3)");
  BAD(tiny_layer_norm(x, 1, w, NULL, 1e-5), TINY_E_SHAPE, "layer_norm: (2,6,3) with weights or statistics (4,)");
  BAD(tiny_rms_norm(x, 1, NULL, -1), TINY_E_ARG, "rms_norm: eps -1");
  BAD(tiny_rms_norm(x, 0, NULL, 1), TINY_E_ARG, "rms_norm: over 0 dims");
  BAD(tiny_group_norm(x, 4, NULL, NULL, 1e-5), TINY_E_ARG, "group_norm: the channels of (2,6,3) in 4 groups");
  BAD(tiny_group_norm(x, 0, NULL, NULL, 1e-5), TINY_E_ARG, "group_norm: the channels of (2,6,3) in 0 groups");
  BAD(tiny_group_norm(flat, 2, NULL, NULL, 1e-5), TINY_E_SHAPE, "group_norm: (6,) has no channels");
  BAD(tiny_instance_norm(x, w, NULL, 1e-5), TINY_E_SHAPE, "instance_norm: (2,6,3) with weights or statistics (4,)");
  BAD(tiny_local_response_norm(x, 0, 1, 1, 1), TINY_E_ARG, "local_response_norm: a window of 0 channels");
  BAD(tiny_normalize(x, -1, 0, 0), TINY_E_ARG, "normalize: the norm of order -1");
  BAD(tiny_cosine_similarity(x, w, 0, 1e-8), TINY_E_SHAPE, "cosine_similarity: (2,6,3) and (4,) do not broadcast");
  BAD(tiny_pairwise_distance(x, w, 2, 0, 0), TINY_E_SHAPE, "pairwise_distance: (2,6,3) and (4,) do not broadcast");
  BAD(tiny_bilinear(x, x, x, NULL), TINY_E_SHAPE, "bilinear: (2,6,3) and (2,6,3) with weights (2,6,3)");
  BAD(tiny_bilinear(x, NULL, x, NULL), TINY_E_ARG, "bilinear: tensor argument 2 is NULL");
  CHECK(tiny_layer_norm(NULL, 1, NULL, NULL, 0) == NULL);
  CHECK(tiny_cosine_similarity(tn_poison(t), x, 0, 0) == tn_poison(t) && tiny_status(t) == TINY_OK);
  CHECK_EQ(tiny_nelem_of(tiny_group_norm(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 4, 2)), 2, NULL, NULL, 1e-5)), 0);
}

// A norm of 0 has the gradient 0, not NaN.
static tiny_tensor *unit2(tiny_tensor *x) { return tiny_normalize(x, 2, -1, 1e-3); }
static tiny_tensor *unit3(tiny_tensor *x) { return tiny_normalize(x, 3, -1, 1e-3); }
static tiny_tensor *from_zero(tiny_tensor *x) { return tiny_pairwise_distance(x, tiny_like(x, 0), 2, TINY_ZERO, 0); }
static void check_zero(void) {
  tiny_tensor *x = tiny_zeros(t, TINY_F64, TINY_SHAPE(3)), *g;
  const double zero[3] = {0, 0, 0};
  gradient("normalize", unit2, tiny_contiguous(x));
  CHECK_EQ(tiny_grad(weighed(unit3, x), &x, 1, &g), TINY_OK);
  double y[3];
  read_all(g, y);
  CHECK(y[0] == 1000);                     // x / eps
  CHECK_EQ(tiny_grad(weighed(from_zero, x), &x, 1, &g), TINY_OK);
  is("distance of 0", g, 3, zero, 0);
  is("count", tiny_pairwise_distance(given(TINY_F32, TINY_SHAPE(3), (const double[3]){1, 0, -2}), tiny_like(x, 0), 0, TINY_ZERO, 0), 1, (const double[1]){2}, 0);
}

// eps of 0 is each operator's own; TINY_ZERO is none, so that what is constant divides by 0.
static void check_eps(void) {
  const double ones[4] = {1, 1, 1, 1}, zeros[4] = {0, 0, 0, 0};
  tiny_tensor *x = given(TINY_F64, TINY_SHAPE(1, 2, 2), ones), *zero = given(TINY_F64, TINY_SHAPE(4), zeros);
  tiny_tensor *some = numbers(TINY_F64, TINY_SHAPE(1, 4, 2), -1, 1), *row = given(TINY_F64, TINY_SHAPE(4), ones);
  tiny_batch_norm_state s;
  double y[8];
  memset(&s, 0, sizeof s);
  same("layer", tiny_layer_norm(some, 1, NULL, NULL, 0), tiny_layer_norm(some, 1, NULL, NULL, 1e-5), 0);
  same("rms", tiny_rms_norm(some, 1, NULL, 0), tiny_rms_norm(some, 1, NULL, 2.220446049250313e-16), 0);
  same("rms of f32", tiny_rms_norm(tiny_cast(some, TINY_F32), 1, NULL, 0), tiny_rms_norm(tiny_cast(some, TINY_F32), 1, NULL, 1.1920928955078125e-07), 0);
  same("group", tiny_group_norm(some, 2, NULL, NULL, 0), tiny_group_norm(some, 2, NULL, NULL, 1e-5), 0);
  same("instance", tiny_instance_norm(some, NULL, NULL, 0), tiny_instance_norm(some, NULL, NULL, 1e-5), 0);
  same("normalize", tiny_normalize(zero, 2, 0, 0), zero, 0);
  same("cosine", tiny_cosine_similarity(row, zero, 0, 0), tiny_select(zero, 0, 0), 0);
  same("distance", tiny_pairwise_distance(row, row, 2, 0, 0), tiny_pairwise_distance(row, row, 2, 1e-6, 0), 0);
  CHECK(tiny_item(tiny_pairwise_distance(row, row, 2, TINY_ZERO, 0)) == 0);
  tiny_tensor *undefined[] = {tiny_layer_norm(x, 1, NULL, NULL, TINY_ZERO), tiny_rms_norm(zero, 1, NULL, TINY_ZERO), tiny_group_norm(x, 1, NULL, NULL, TINY_ZERO),
                              tiny_instance_norm(x, NULL, NULL, TINY_ZERO), tiny_normalize(zero, 2, 0, TINY_ZERO), tiny_cosine_similarity(zero, zero, 0, TINY_ZERO)};
  for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++) { read_all(undefined[i], y); CHECK(isnan(y[0])); }
  read_all(tiny_batch_norm(x, &s, 1), y);
  CHECK(y[0] == 0);
  s.eps = TINY_ZERO;
  read_all(tiny_batch_norm(x, &s, 1), y);
  CHECK(isnan(y[0]));
  s.eps = 0; s.mean = given(TINY_F64, TINY_SHAPE(2), zeros); s.momentum = TINY_ZERO;
  tiny_batch_norm(x, &s, 1);
  read_all(s.mean, y);
  CHECK(y[0] == 0);                        // as it was
  s.momentum = 0;
  tiny_batch_norm(x, &s, 1);
  read_all(s.mean, y);
  CHECK(y[0] == 0.1);
  s.eps = -1;
  BAD(tiny_batch_norm(x, &s, 1), TINY_E_ARG, "batch_norm: eps -1");
  BAD(tiny_logit(x, -1), TINY_E_ARG, "logit: eps -1");
  read_all(tiny_logit(row, 0), y);
  CHECK(y[0] == HUGE_VAL);
  read_all(tiny_gaussian_nll_loss(row, row, zero, 0, 0, TINY_MEAN), y);
  CHECK(is_close(y[0], log(1e-6) / 2, 1e-12));
  read_all(tiny_gaussian_nll_loss(row, row, zero, 0, TINY_ZERO, TINY_MEAN), y);
  CHECK(!isfinite(y[0]));
  read_all(tiny_poisson_nll_loss(zero, row, 0, 0, 0, TINY_MEAN), y);
  CHECK(is_close(y[0], -log(1e-8), 1e-12));
}

int main(void) {
  open_interp();
  check_softmax();
  check_gumbel();
  check_batch_norm();
  check_zero();
  check_errors();
  check_eps();
  tiny_close(t);
  return test_report();
}
