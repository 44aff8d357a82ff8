// lengths: operators that lay together, look up, measure, order and pool dims of which a length is meant.
// also: asan
#include "../src/all.c"
#include "lengths.h"

// ** of a (n, WIDE) **

static tiny_tensor *x_by(tiny_tensor *x) { return tiny_matmul(x, weights); }
static tiny_tensor *labels_of(tiny_tensor *x) { return tiny_cast(tiny_mul(x, tiny_like(x, 4)), TINY_I32); }   // -3 to 3
static tiny_tensor *rows_of(tiny_tensor *x) { return tiny_select(x, 1, 0); }
static tiny_tensor *joined(tiny_tensor *a, tiny_tensor *b, tiny_tensor *c, int axis) {
  tiny_tensor *xs[3] = {a, b, c};
  return tiny_cat(xs, c ? 3 : 2, axis);
}
static tiny_tensor *stacked(tiny_tensor *x, int axis) {
  tiny_tensor *xs[3] = {x, tiny_exp(x), weights ? tiny_neg(x) : x};
  return tiny_stack(xs, 3, axis);
}

static tiny_tensor *f_cat_columns(tiny_tensor *x) { return joined(x, tiny_mul(x, x), x_by(x), 1); }
static tiny_tensor *f_cat_behind(tiny_tensor *x) { return joined(x, queries, NULL, 0); }
static tiny_tensor *f_cat_before(tiny_tensor *x) { return joined(queries, x, NULL, 0); }
static tiny_tensor *f_cat_between(tiny_tensor *x) { return joined(queries, x, weights, 0); }
static tiny_tensor *f_cat_twice(tiny_tensor *x) { return joined(x, tiny_exp(x), NULL, 0); }
static tiny_tensor *f_cat_thrice(tiny_tensor *x) { return tiny_cumsum(joined(x, queries, tiny_neg(x), 0), 0); }
static tiny_tensor *f_cat_turned(tiny_tensor *x) { return joined(turned(x), turned(queries), turned(x), 1); }
static tiny_tensor *f_cat_softmax(tiny_tensor *x) { return tiny_softmax(joined(x, queries, NULL, 0), 0); }
static tiny_tensor *f_cat_attention(tiny_tensor *x) {
  tiny_tensor *keys = joined(x, queries, NULL, 0);
  return tiny_attention(queries, keys, keys, NULL);
}
static tiny_tensor *f_stack_first(tiny_tensor *x) { return stacked(x, 0); }
static tiny_tensor *f_stack_middle(tiny_tensor *x) { return stacked(x, 1); }
static tiny_tensor *f_stack_last(tiny_tensor *x) { return tiny_sum(stacked(x, -1), 0, 0); }
static tiny_tensor *f_repeat(tiny_tensor *x) { return tiny_repeat(x, TINY_SHAPE(2, 1, 3)); }
static tiny_tensor *f_repeat_interleave(tiny_tensor *x) { return tiny_repeat_interleave(x, 3, 0); }
static tiny_tensor *f_repeat_columns(tiny_tensor *x) { return tiny_repeat_interleave(tiny_reshape(x, TINY_SHAPE(-1, 3, FEW)), 2, 1); }
static tiny_tensor *f_pad_columns(tiny_tensor *x) { return tiny_pad(x, TINY_SHAPE(1, 2), 3); }
static tiny_tensor *f_pad_rows(tiny_tensor *x) { return tiny_pad(x, TINY_SHAPE(2, 3, 0, 1), 0); }
static tiny_tensor *f_pad_value(tiny_tensor *x) { return tiny_pad(x, TINY_SHAPE(2, 3, 0, 1), -1.5); }
static tiny_tensor *f_pad_before(tiny_tensor *x) { return tiny_cumsum(tiny_pad(x, TINY_SHAPE(2, 0, 0, 0), 1), 0); }
static tiny_tensor *f_pad_mode(tiny_tensor *x) { return tiny_pad_mode(tiny_pad_mode(x, TINY_SHAPE(2, 1), TINY_PAD_REFLECT), TINY_SHAPE(1, 2), TINY_PAD_REPLICATE); }
static tiny_tensor *f_masked_fill(tiny_tensor *x) { return tiny_masked_fill(x, tiny_lt(x, tiny_like(x, 0)), 2); }
static tiny_tensor *f_triu(tiny_tensor *x) { return tiny_triu(tiny_matmul(x, turned(x)), 1); }

static tiny_tensor *f_one_hot(tiny_tensor *x) { return tiny_one_hot(labels_of(x), 3); }
static tiny_tensor *f_one_hot_counts(tiny_tensor *x) { return tiny_sum(tiny_one_hot(labels_of(x), 3), 0, 0); }
static tiny_tensor *f_embedding(tiny_tensor *x) { return tiny_embedding(labels_of(x), weights, -1); }
static tiny_tensor *f_embedding_rows(tiny_tensor *x) { return tiny_embedding(labels_of(rows_of(x)), weights, -1); }
static tiny_tensor *f_index_select(tiny_tensor *x) { return tiny_index_select(weights, 0, labels_of(rows_of(x))); }
static tiny_tensor *f_index_select_columns(tiny_tensor *x) { return tiny_index_select(weights, 1, labels_of(rows_of(x))); }
static tiny_tensor *f_index_select_of(tiny_tensor *x) { return tiny_index_select(x, 0, labels_of(rows_of(weights))); }   // -1: the last row that is meant
static tiny_tensor *f_index_select_both(tiny_tensor *x) { return tiny_index_select(x, 0, labels_of(rows_of(x))); }
static tiny_tensor *f_gather(tiny_tensor *x) { return tiny_gather(x, 1, labels_of(x)); }
static tiny_tensor *f_gather_rows(tiny_tensor *x) { return tiny_gather(x, 0, labels_of(queries)); }
static tiny_tensor *f_gather_column(tiny_tensor *x) { return tiny_gather(x, 1, tiny_unsqueeze(labels_of(rows_of(x)), 1)); }
static tiny_tensor *f_take_along(tiny_tensor *x) { return tiny_take_along_axis(x, 0, labels_of(x)); }
static tiny_tensor *f_take_along_row(tiny_tensor *x) { return tiny_take_along_axis(x, 0, tiny_unsqueeze(labels_of(tiny_select(weights, 0, 0)), 0)); }
static tiny_tensor *f_take(tiny_tensor *x) { return tiny_take(x, labels_of(weights)); }
static tiny_tensor *f_take_by(tiny_tensor *x) { return tiny_take(weights, labels_of(x)); }

static tiny_tensor *classes(tiny_tensor *x) { return tiny_abs(labels_of(rows_of(x))); }
static tiny_tensor *entropy(tiny_tensor *x, tiny_reduction r, double smoothing, tiny_tensor *weight, int ignores) {
  tiny_cross_entropy_desc d;
  memset(&d, 0, sizeof d);
  d.reduction = r; d.label_smoothing = smoothing; d.weight = weight; d.ignores = ignores; d.ignore_index = 2;
  return tiny_cross_entropy(x, classes(x), &d);
}
static tiny_tensor *f_cross_entropy(tiny_tensor *x) { return tiny_cross_entropy(x, classes(x), NULL); }
static tiny_tensor *f_cross_entropy_each(tiny_tensor *x) { return entropy(x, TINY_NONE, 0.1, NULL, 0); }
static tiny_tensor *f_cross_entropy_weighted(tiny_tensor *x) { return entropy(x, TINY_MEAN, 0.1, tiny_exp(tiny_select(weights, 0, 0)), 1); }
static tiny_tensor *f_cross_entropy_sum(tiny_tensor *x) { return entropy(x, TINY_SUM, 0, NULL, 1); }
static tiny_tensor *f_cross_entropy_batch(tiny_tensor *x) { return entropy(x, TINY_BATCH_MEAN, 0, NULL, 0); }
static tiny_tensor *f_cross_entropy_likely(tiny_tensor *x) { return tiny_cross_entropy(x, tiny_softmax(x_by(x), 1), NULL); }
static tiny_tensor *f_nll_loss(tiny_tensor *x) { return tiny_nll_loss(tiny_log_softmax(x, 1), classes(x), NULL); }
static tiny_tensor *f_mse_loss(tiny_tensor *x) { return tiny_mse_loss(x, x_by(x), TINY_MEAN); }
static tiny_tensor *f_mse_loss_batch(tiny_tensor *x) { return tiny_mse_loss(x, tiny_select(weights, 0, 1), TINY_BATCH_MEAN); }
static tiny_tensor *f_l1_loss(tiny_tensor *x) { return tiny_l1_loss(x, x_by(x), TINY_SUM); }
static tiny_tensor *f_smooth_l1_loss(tiny_tensor *x) { return tiny_smooth_l1_loss(x, x_by(x), 0.5, TINY_MEAN); }
static tiny_tensor *f_huber_loss(tiny_tensor *x) { return tiny_huber_loss(x, x_by(x), 0.5, TINY_MEAN); }
static tiny_tensor *f_bce(tiny_tensor *x) { return tiny_binary_cross_entropy(tiny_sigmoid(x), tiny_square(x), NULL, TINY_MEAN); }
static tiny_tensor *f_bce_logits(tiny_tensor *x) { return tiny_binary_cross_entropy_with_logits(x, tiny_square(x), NULL, NULL, TINY_MEAN); }
static tiny_tensor *f_kl_div(tiny_tensor *x) { return tiny_kl_div(tiny_log_softmax(x, 1), tiny_softmax(x_by(x), 1), 0, TINY_BATCH_MEAN); }

static tiny_tensor *summed(const char *how, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *xs[2] = {a, b};
  return tiny_einsum(how, xs, b ? 2 : 1);
}
static tiny_tensor *f_einsum(tiny_tensor *x) { return summed("nd,de->en", x, weights); }
static tiny_tensor *f_einsum_along(tiny_tensor *x) { return summed("nd,ne->de", x, tiny_exp(x)); }
static tiny_tensor *f_einsum_one(tiny_tensor *x) { return summed("nd->d", x, NULL); }
static tiny_tensor *f_einsum_pairs(tiny_tensor *x) { return summed("id,jd->ij", x, x); }
static tiny_tensor *f_einsum_diagonal(tiny_tensor *x) { return summed("nn->n", tiny_matmul(x, turned(x)), NULL); }
static tiny_tensor *f_bmm(tiny_tensor *x) {
  tiny_tensor *y = tiny_reshape(x, TINY_SHAPE(-1, 3, FEW));
  return tiny_matmul(y, tiny_transpose(y, 1, 2));
}

static tiny_tensor *f_grad_cat(tiny_tensor *x) { return of_loss(tiny_cumsum(joined(x_by(x), queries, tiny_exp(x_by(x)), 0), 0), weights); }
static tiny_tensor *f_grad_cat_fixed(tiny_tensor *x) { return of_loss(tiny_cumsum(joined(x, queries, NULL, 0), 0), queries); }
static tiny_tensor *f_grad_stack(tiny_tensor *x) { return of_loss(tiny_sum(stacked(x_by(x), 1), 1, 0), weights); }
static tiny_tensor *f_grad_pad(tiny_tensor *x) { return of_loss(tiny_cumsum(tiny_pad(x_by(x), TINY_SHAPE(2, 3, 0, 1), 1), 0), weights); }
static tiny_tensor *f_grad_repeat(tiny_tensor *x) { return of_loss(tiny_repeat_interleave(x_by(x), 2, 0), weights); }
static tiny_tensor *f_grad_embedding(tiny_tensor *x) { return of_loss(tiny_embedding(labels_of(x), weights, -1), weights); }
static tiny_tensor *f_grad_index_select(tiny_tensor *x) { return of_loss(tiny_index_select(weights, 1, labels_of(rows_of(x))), weights); }
static tiny_tensor *f_grad_index_select_of(tiny_tensor *x) { return of_loss(tiny_index_select(x_by(x), 0, labels_of(rows_of(weights))), weights); }
static tiny_tensor *f_grad_gather(tiny_tensor *x) { return of_loss(tiny_gather(x_by(x), 1, labels_of(x)), weights); }
static tiny_tensor *f_grad_cross_entropy(tiny_tensor *x) { return of_loss(tiny_cross_entropy(x_by(x), classes(x), NULL), weights); }
static tiny_tensor *f_grad_mse(tiny_tensor *x) { return of_loss(tiny_mse_loss(x_by(x), x, TINY_MEAN), weights); }
static tiny_tensor *f_grad_bce(tiny_tensor *x) { return of_loss(tiny_binary_cross_entropy_with_logits(x_by(x), tiny_square(x), NULL, NULL, TINY_BATCH_MEAN), weights); }
static tiny_tensor *f_grad_einsum(tiny_tensor *x) { return of_loss(summed("nd,de->en", x, weights), weights); }

#define OPERATORS(_) _(cat_columns) _(cat_behind) _(cat_before) _(cat_between) _(cat_twice) _(cat_thrice) _(cat_turned) \
  _(cat_softmax) _(cat_attention) _(stack_first) _(stack_middle) _(stack_last) _(repeat) _(repeat_interleave) \
  _(repeat_columns) _(pad_columns) _(pad_rows) _(pad_value) _(pad_before) _(pad_mode) _(masked_fill) _(triu) _(one_hot) \
  _(one_hot_counts) _(embedding) _(embedding_rows) _(index_select) _(index_select_columns) _(index_select_of) \
  _(index_select_both) _(gather) _(gather_rows) _(gather_column) _(take_along) _(take_along_row) _(take) _(take_by) \
  _(cross_entropy) _(cross_entropy_each) _(cross_entropy_weighted) _(cross_entropy_sum) _(cross_entropy_batch) \
  _(cross_entropy_likely) _(nll_loss) _(mse_loss) _(mse_loss_batch) _(l1_loss) _(smooth_l1_loss) _(huber_loss) _(bce) \
  _(bce_logits) _(kl_div) _(einsum) _(einsum_along) _(einsum_one) _(einsum_pairs) _(einsum_diagonal) _(bmm) \
  _(grad_cat) _(grad_cat_fixed) _(grad_stack) _(grad_pad) _(grad_repeat) _(grad_embedding) _(grad_index_select) \
  _(grad_index_select_of) _(grad_gather) _(grad_cross_entropy) _(grad_mse) _(grad_bce) _(grad_einsum)
static const struct { const char *name; operator_of f; } operators[] = {
#define ROW(name) {#name, f_##name},
  OPERATORS(ROW)
};

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  t = tiny_open(&d);
  weights = made(TINY_SHAPE(WIDE, WIDE)); queries = made(TINY_SHAPE(FEW, WIDE));
  tiny_tensor *all[2] = {weights, queries};
  CHECK(tiny_realize(all, 2) == TINY_OK);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) check_operator(operators[i].name, operators[i].f);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
