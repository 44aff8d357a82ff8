// loss: what the vectors cannot show: labels that do not count, ends of ranges, gradients by differences, errors.
#include "nn_test.h"

static void check_labels(void) {
  tiny_cross_entropy_desc d;
  const double none[3] = {-100, -100, 99}, zero[3] = {0, 0, 0}, some[3] = {1, -100, 3};
  tiny_tensor *x = numbers(TINY_F32, TINY_SHAPE(3, 4), -2, 2), *g;
  memset(&d, 0, sizeof d);
  d.reduction = TINY_NONE;
  tiny_tensor *y = given(TINY_I32, TINY_SHAPE(3), none);
  is("labels that are no class", tiny_cross_entropy(x, y, &d), 3, zero, 0);
  CHECK(isnan(tiny_item(tiny_cross_entropy(x, y, NULL))));   // 0 / 0, as PyTorch
  d.reduction = TINY_SUM;
  CHECK(tiny_item(tiny_cross_entropy(x, y, &d)) == 0);
  y = given(TINY_I64, TINY_SHAPE(3), some);
  CHECK_EQ(tiny_grad(tiny_cross_entropy(x, y, NULL), &x, 1, &g), TINY_OK);
  double out[12];
  read_all(g, out);
  CHECK(out[4] == 0 && out[7] == 0 && out[0] != 0);
  // The mean is that of the labels that count.
  tiny_tensor *two = tiny_cross_entropy(tiny_slice(x, 0, 0, 3, 2), tiny_slice(y, 0, 0, 3, 2), NULL);
  same("mean of two", tiny_cross_entropy(x, y, NULL), two, 1e-6);
  // Scores far apart: nothing overflows, and the label's probability may be 0.
  const double far[2] = {1e4, -1e4}, second = 1;
  CHECK(tiny_item(tiny_cross_entropy(given(TINY_F32, TINY_SHAPE(2), far), given(TINY_I32, TINY_SHAPE(), &second), NULL)) == 2e4);
  CHECK_EQ(tiny_dtype_of(tiny_cross_entropy(tiny_zeros(t, TINY_BF16, TINY_SHAPE(2, 3)), tiny_zeros(t, TINY_U8, TINY_SHAPE(2)), NULL)), TINY_BF16);
}

static tiny_tensor *target(void) { return numbers(TINY_F64, TINY_SHAPE(2, 3), 0.1, 0.9); }
static tiny_tensor *ones_apart(void) { const double y[6] = {1, -1, 1, -1, -1, 1}; return given(TINY_F64, TINY_SHAPE(2, 3), y); }
static tiny_tensor *labels(void) { const double y[2] = {2, 0}; return given(TINY_I32, TINY_SHAPE(2), y); }
static tiny_tensor *weights(void) { return numbers(TINY_F64, TINY_SHAPE(3), 0.5, 2); }
#define UNIT tiny_sigmoid(x)
#define FORMULAS(_) \
  _(mse, tiny_mse_loss(x, target(), TINY_NONE)) _(smooth, tiny_smooth_l1_loss(x, target(), 0.8, TINY_MEAN)) _(huber, tiny_huber_loss(x, target(), 0.8, TINY_SUM)) \
  _(bce, tiny_binary_cross_entropy(UNIT, target(), weights(), TINY_MEAN)) _(logits, tiny_binary_cross_entropy_with_logits(x, target(), weights(), weights(), TINY_NONE)) \
  _(target_too, tiny_binary_cross_entropy_with_logits(target(), UNIT, NULL, NULL, TINY_NONE)) _(soft, tiny_soft_margin_loss(x, ones_apart(), TINY_BATCH_MEAN)) \
  _(multi, tiny_multilabel_soft_margin_loss(x, target(), weights(), TINY_NONE)) _(kl, tiny_kl_div(tiny_log_softmax(x, 1), target(), 0, TINY_BATCH_MEAN)) \
  _(kl_target, tiny_kl_div(target(), UNIT, 0, TINY_NONE)) _(gauss, tiny_gaussian_nll_loss(target(), x, UNIT, 1, 1e-6, TINY_NONE)) _(poisson, tiny_poisson_nll_loss(UNIT, target(), 0, 1, 1e-8, TINY_NONE)) \
  _(hinge, tiny_hinge_embedding_loss(x, ones_apart(), 0.7, TINY_NONE)) _(ranking, tiny_margin_ranking_loss(x, target(), ones_apart(), 0.3, TINY_NONE)) \
  _(cosine, tiny_cosine_embedding_loss(x, target(), tiny_reshape(tiny_slice(tiny_flatten(ones_apart(), 0, -1), 0, 0, 2, 1), TINY_SHAPE(2)), -0.9, TINY_NONE)) \
  _(triplet, tiny_triplet_margin_loss(x, target(), ones_apart(), 3, 2, 0, TINY_NONE)) _(margin, tiny_multi_margin_loss(x, labels(), 2, 1.5, weights(), TINY_NONE)) \
  _(entropy, entropy(x, labels())) _(likely, entropy(x, target())) _(likely_target, entropy(target(), UNIT))
static tiny_tensor *entropy(tiny_tensor *x, tiny_tensor *y) {
  tiny_cross_entropy_desc d;
  memset(&d, 0, sizeof d);
  d.weight = weights(); d.label_smoothing = 0.2;
  return tiny_cross_entropy(x, y, &d);
}
#define FUNCTION(name, expr) static tiny_tensor *f_##name(tiny_tensor *x) { return expr; }
FORMULAS(FUNCTION)
#define TRY(name, expr) gradient(#name, f_##name, x);
static void check_gradients(void) {
  tiny_tensor *x = numbers(TINY_F64, TINY_SHAPE(2, 3), -1.7, 1.8);
  FORMULAS(TRY)
}

static void check_ends(void) {
  const double ends[4] = {0, 1, 0, 1}, wanted[4] = {0, 1, 1, 0}, loss[4] = {0, 0, 100, 100};
  tiny_tensor *x = given(TINY_F32, TINY_SHAPE(4), ends), *y = given(TINY_F32, TINY_SHAPE(4), wanted), *g;
  is("binary_cross_entropy", tiny_binary_cross_entropy(x, y, NULL, TINY_NONE), 4, loss, 1e-6);
  CHECK_EQ(tiny_grad(tiny_binary_cross_entropy(x, y, NULL, TINY_SUM), &x, 1, &g), TINY_OK);
  double out[4];
  read_all(g, out);
  for (int i = 0; i < 4; i++) CHECK(isfinite(out[i]));
  const double far[4] = {-200, 200, -200, 200}, apart[4] = {0, 0, 200, 200};
  x = given(TINY_F32, TINY_SHAPE(4), far);
  is("with logits", tiny_binary_cross_entropy_with_logits(x, y, NULL, NULL, TINY_NONE), 4, apart, 1e-6);
  const double kink[3] = {-1, 0, 1}, slope[3] = {0, 1, 1};   // as torch.clamp: 1 at the kink
  x = given(TINY_F32, TINY_SHAPE(3), kink);
  CHECK_EQ(tiny_grad(tiny_margin_ranking_loss(tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), x, tiny_ones(t, TINY_F32, TINY_SHAPE(3)), 0, TINY_SUM), &x, 1, &g), TINY_OK);
  is("slope at the kink", g, 3, slope, 0);
  CHECK(isnan(tiny_item(tiny_mse_loss(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 2)), tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), TINY_MEAN))));
  CHECK(tiny_item(tiny_mse_loss(tiny_zeros(t, TINY_F32, TINY_SHAPE(0)), tiny_zeros(t, TINY_F32, TINY_SHAPE(0)), TINY_SUM)) == 0);
  CHECK_EQ(tiny_dtype_of(tiny_mse_loss(tiny_zeros(t, TINY_F16, TINY_SHAPE(2)), tiny_zeros(t, TINY_F32, TINY_SHAPE()), TINY_MEAN)), TINY_F16);
  CHECK_EQ(tiny_dtype_of(tiny_l1_loss(tiny_zeros(t, TINY_I32, TINY_SHAPE(2)), tiny_zeros(t, TINY_U8, TINY_SHAPE(2)), TINY_MEAN)), TINY_F32);
}

static tiny_tensor *ctc(tiny_tensor *x) {
  const double y[6] = {1, 2, 0, 2, 2, 0}, frames[2] = {4, 3}, length[2] = {2, 1};
  return tiny_ctc_loss(tiny_log_softmax(x, -1), given(TINY_I32, TINY_SHAPE(2, 3), y), given(TINY_I32, TINY_SHAPE(2), frames),
                       given(TINY_I32, TINY_SHAPE(2), length), 0, 0, TINY_NONE);
}
static tiny_tensor *ctc_alone(tiny_tensor *x) {              // also a gradient of what is no log_softmax
  const double y[2] = {1, 1}, frames = 4, length = 2;
  return tiny_ctc_loss(x, given(TINY_I64, TINY_SHAPE(2), y), given(TINY_U8, TINY_SHAPE(), &frames), given(TINY_I32, TINY_SHAPE(), &length), 0, 0, TINY_SUM);
}
static void check_ctc(void) {
  gradient("ctc_loss", ctc, numbers(TINY_F64, TINY_SHAPE(4, 2, 3), -1, 1));
  gradient("ctc_loss of one", ctc_alone, numbers(TINY_F64, TINY_SHAPE(4, 3), -2, 0));
  // By hand: two frames, target (1): paths 11, 01, 10.
  const double p[4] = {0.3, 0.7, 0.6, 0.4}, y = 1, two = 2, one = 1, none = 0;
  tiny_tensor *logp = tiny_log(given(TINY_F64, TINY_SHAPE(2, 2), p));
#define INT(v) given(TINY_I32, TINY_SHAPE(), &v)
#define LABEL given(TINY_I32, TINY_SHAPE(1), &y)
  CHECK(is_close(tiny_item(tiny_ctc_loss(logp, LABEL, INT(two), INT(one), 0, 0, TINY_SUM)), -log(0.7 * 0.4 + 0.3 * 0.4 + 0.7 * 0.6), 1e-12));
  CHECK(is_close(tiny_item(tiny_ctc_loss(logp, LABEL, INT(two), INT(none), 0, 0, TINY_SUM)), -log(0.3 * 0.6), 1e-12));
  CHECK(is_close(tiny_item(tiny_ctc_loss(logp, tiny_zeros(t, TINY_I32, TINY_SHAPE(0)), INT(two), INT(none), 0, 0, TINY_SUM)), -log(0.3 * 0.6), 1e-12));
  CHECK(tiny_item(tiny_ctc_loss(logp, LABEL, INT(none), INT(one), 0, 0, TINY_SUM)) == HUGE_VAL);
  CHECK(tiny_item(tiny_ctc_loss(logp, LABEL, INT(none), INT(one), 0, 1, TINY_SUM)) == 0);
  // What is impossible, and log(0) among the inputs, leave gradients finite.
  tiny_tensor *x = given(TINY_F64, TINY_SHAPE(2, 2), (const double[4]){0, -HUGE_VAL, -HUGE_VAL, 0}), *g;
  CHECK_EQ(tiny_grad(tiny_ctc_loss(x, LABEL, INT(two), INT(one), 0, 0, TINY_SUM), &x, 1, &g), TINY_OK);
  double out[4];
  read_all(g, out);
  for (int i = 0; i < 4; i++) CHECK(isfinite(out[i]));
  CHECK(out[0] == -1 && out[3] == -1);
  BAD(tiny_ctc_loss(logp, LABEL, INT(two), INT(one), 2, 0, TINY_SUM), TINY_E_ARG, "ctc_loss: class 2 of (2,2) as blank");
  BAD(tiny_ctc_loss(logp, INT(y), INT(two), INT(one), 0, 0, TINY_SUM), TINY_E_SHAPE, "ctc_loss: (2,2) with targets () of lengths () and ()");
  BAD(tiny_ctc_loss(logp, logp, INT(two), INT(one), 0, 0, TINY_SUM), TINY_E_DTYPE, "ctc_loss: indices are integers, not f64");
}

static void check_errors(void) {
  tiny_cross_entropy_desc d;
  memset(&d, 0, sizeof d);
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3)), *y = tiny_zeros(t, TINY_F32, TINY_SHAPE(4)), *i = tiny_zeros(t, TINY_I32, TINY_SHAPE(2));
  BAD(tiny_mse_loss(x, y, TINY_MEAN), TINY_E_SHAPE, "mse_loss: (2,3) and (4,) do not broadcast");
  BAD(tiny_mse_loss(x, x, TINY_MAX), TINY_E_ARG, "mse_loss: reduction 4");
  BAD(tiny_mse_loss(x, NULL, TINY_MEAN), TINY_E_ARG, "mse_loss: tensor argument 2 is NULL");
  BAD(tiny_binary_cross_entropy(x, x, y, TINY_MEAN), TINY_E_SHAPE, "binary_cross_entropy: (2,3) and (4,) do not broadcast");
  BAD(tiny_huber_loss(x, x, 0, TINY_MEAN), TINY_E_ARG, "huber_loss: delta is 0");
  BAD(tiny_smooth_l1_loss(x, x, -1, TINY_MEAN), TINY_E_ARG, "smooth_l1_loss: beta is -1");
  BAD(tiny_gaussian_nll_loss(x, x, x, 0, -1, TINY_MEAN), TINY_E_ARG, "gaussian_nll_loss: eps -1");
  BAD(tiny_triplet_margin_loss(x, x, x, 1, -1, 0, TINY_MEAN), TINY_E_ARG, "triplet_margin_loss: the norm of order -1");
  BAD(tiny_cosine_embedding_loss(x, x, y, 0, TINY_MEAN), TINY_E_SHAPE, "cosine_embedding_loss: (2,3) and (2,3) with (4,)");
  BAD(tiny_multi_margin_loss(x, i, 3, 1, NULL, TINY_MEAN), TINY_E_ARG, "multi_margin_loss: p is 3, not 1 or 2");
  BAD(tiny_multi_margin_loss(x, i, 1, 1, y, TINY_MEAN), TINY_E_SHAPE, "multi_margin_loss: scores (2,3) with class weights (4,)");
  BAD(tiny_cross_entropy(x, y, NULL), TINY_E_SHAPE, "cross_entropy: scores (2,3) with probabilities (4,)");
  BAD(tiny_nll_loss(x, x, NULL), TINY_E_SHAPE, "nll_loss: scores (2,3) with labels (2,3)");
  d.label_smoothing = 2;
  BAD(tiny_cross_entropy(x, i, &d), TINY_E_ARG, "cross_entropy: label smoothing 2");
  d.label_smoothing = 0; d.weight = y;
  BAD(tiny_cross_entropy(x, i, &d), TINY_E_SHAPE, "cross_entropy: scores (2,3) with class weights (4,)");
  BAD(tiny_cross_entropy(tiny_zeros(t, TINY_F32, TINY_SHAPE()), i, NULL), TINY_E_SHAPE, "cross_entropy: scores () with labels (2,)");
  CHECK(tiny_mse_loss(NULL, NULL, TINY_MEAN) == NULL);
  CHECK(tiny_cross_entropy(tn_poison(t), i, NULL) == tn_poison(t) && tiny_status(t) == TINY_OK);
}

int main(void) {
  open_interp();
  check_labels();
  check_gradients();
  check_ends();
  check_ctc();
  check_errors();
  tiny_close(t);
  return test_report();
}
