// lengths: operators that lay together, look up, measure, order and pool dims of which a length is meant.
// brief: plain asan
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
static tiny_tensor *f_repeat(tiny_tensor *x) { return tiny_tile(x, TINY_SHAPE(2, 1, 3)); }
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

static tiny_tensor *at_rows(tiny_tensor *x) { return tiny_unsqueeze(labels_of(rows_of(x)), 1); }
static tiny_tensor *f_scatter(tiny_tensor *x) { return tiny_scatter(x, 1, at_rows(x), tiny_like(x, 5)); }
static tiny_tensor *f_scatter_along(tiny_tensor *x) { return tiny_scatter_add(weights, 0, labels_of(x), x); }
static tiny_tensor *f_scatter_last(tiny_tensor *x) { return tiny_scatter(weights, 0, labels_of(x), x); }
static tiny_tensor *f_scatter_max(tiny_tensor *x) { return tiny_scatter_reduce(weights, 0, labels_of(x), x, TINY_REDUCE_AMAX, 1); }
static tiny_tensor *f_scatter_mean(tiny_tensor *x) { return tiny_scatter_reduce(weights, 0, labels_of(x), x, TINY_REDUCE_MEAN, 0); }
static tiny_tensor *f_scatter_to(tiny_tensor *x) { return tiny_scatter_reduce(x, 0, labels_of(queries), queries, TINY_REDUCE_AMIN, 1); }
static tiny_tensor *f_scatter_prod(tiny_tensor *x) { return tiny_scatter_reduce(x, 0, labels_of(queries), queries, TINY_REDUCE_PROD, 0); }
static tiny_tensor *f_index_add(tiny_tensor *x) { return tiny_index_add(weights, 0, labels_of(rows_of(x)), x); }
static tiny_tensor *f_index_add_to(tiny_tensor *x) { return tiny_index_add(x, 0, labels_of(rows_of(weights)), weights); }
static tiny_tensor *f_index_copy(tiny_tensor *x) { return tiny_index_copy(weights, 0, labels_of(rows_of(x)), x); }
static tiny_tensor *f_index_fill(tiny_tensor *x) { return tiny_index_fill(x, 0, labels_of(rows_of(queries)), 9); }
static tiny_tensor *f_index_reduce(tiny_tensor *x) { return tiny_index_reduce(weights, 0, labels_of(rows_of(x)), x, TINY_REDUCE_AMIN, 0); }
static tiny_tensor *f_put(tiny_tensor *x) { return tiny_put(weights, labels_of(x), x, 1); }
static tiny_tensor *f_put_to(tiny_tensor *x) { return tiny_put(x, labels_of(queries), queries, 1); }

static tiny_tensor *f_max_pool(tiny_tensor *x) { return tiny_max_pool1d(turned(x), 3, 2, 1); }
static tiny_tensor *f_max_pool_whole(tiny_tensor *x) { return tiny_max_pool1d(tiny_neg(tiny_exp(turned(x))), 4, 0, 0); }
static tiny_tensor *f_max_pool_batch(tiny_tensor *x) { return tiny_max_pool1d(tiny_reshape(x, TINY_SHAPE(-1, 3, FEW)), 3, 1, 1); }
static tiny_tensor *f_max_pool_places(tiny_tensor *x) {
  tiny_pool_desc d;
  tiny_tensor *places;
  memset(&d, 0, sizeof d);
  d.kernel[0] = 3; d.stride[0] = 2; d.pad[0] = 1;
  tiny_max_pool(turned(x), &d, &places);
  return places;
}
static tiny_tensor *pooled_2d(tiny_tensor *x, int exclude) {  // (3, FEW, n)
  tiny_pool_desc d;
  memset(&d, 0, sizeof d);
  d.kernel[0] = 3; d.stride[0] = 2; d.pad[0] = 1;
  d.kernel[1] = 2; d.stride[1] = 1; d.pad[1] = 1;
  d.exclude_pad = exclude;
  tiny_tensor *places = NULL, *y = tiny_reshape(turned(x), TINY_SHAPE(3, FEW, -1));
  return exclude < 0 ? (tiny_max_pool(y, &d, &places), places) : tiny_avg_pool(y, &d);
}
static tiny_tensor *f_max_pool_places_2d(tiny_tensor *x) { return pooled_2d(x, -1); }
static tiny_tensor *f_avg_pool(tiny_tensor *x) { return tiny_avg_pool1d(turned(x), 3, 2, 1); }
static tiny_tensor *f_avg_pool_2d(tiny_tensor *x) { return pooled_2d(x, 0); }
static tiny_tensor *f_avg_pool_exclude(tiny_tensor *x) { return pooled_2d(x, 1); }
static tiny_tensor *f_lp_pool(tiny_tensor *x) {
  tiny_pool_desc d;
  memset(&d, 0, sizeof d);
  d.kernel[0] = 3; d.stride[0] = 2;
  return tiny_lp_pool(tiny_exp(turned(x)), 2, &d);
}

static tiny_tensor *placed(tiny_tensor *x, int axis, int descending) {
  tiny_tensor *at;
  tiny_sort(x, axis, descending, &at);
  return at;
}
static tiny_tensor *tied(tiny_tensor *x) { return tiny_floor(tiny_mul(x, tiny_like(x, 2))); }                // with equals
static tiny_tensor *f_sort(tiny_tensor *x) { return tiny_sort(x, 0, 0, NULL); }
static tiny_tensor *f_sort_down(tiny_tensor *x) { return tiny_sort(tiny_log(x), 0, 1, NULL); }               // with NaN
static tiny_tensor *f_sort_up(tiny_tensor *x) { return tiny_sort(tiny_div(x, tiny_relu(tied(x))), 0, 0, NULL); }    // with infinities
static tiny_tensor *f_sort_columns(tiny_tensor *x) { return tiny_sort(x, 1, 0, NULL); }
static tiny_tensor *f_sort_middle(tiny_tensor *x) { return tiny_sort(tiny_transpose(tiny_reshape(x, TINY_SHAPE(-1, 3, FEW)), 0, 1), 2, 0, NULL); }
static tiny_tensor *f_sort_places(tiny_tensor *x) { return placed(tied(x), 0, 0); }
static tiny_tensor *f_sort_integers(tiny_tensor *x) { return placed(labels_of(x), 0, 1); }
static tiny_tensor *f_argsort(tiny_tensor *x) { return tiny_argsort(turned(tied(x)), 1, 1); }
static tiny_tensor *f_topk_columns(tiny_tensor *x) { return tiny_topk(x, 3, 1, 1, NULL); }
static tiny_tensor *f_kthvalue_columns(tiny_tensor *x) { return tiny_kthvalue(x, 3, 1, 0, NULL); }
static tiny_tensor *f_cummax(tiny_tensor *x) { return tiny_cummax(x, 0, NULL); }
static tiny_tensor *f_cummin(tiny_tensor *x) { return tiny_cummin(turned(x), 1, NULL); }
static tiny_tensor *f_cummax_places(tiny_tensor *x) {
  tiny_tensor *at;
  tiny_cummax(tied(x), 0, &at);
  return at;
}
static tiny_tensor *f_cumsum_middle(tiny_tensor *x) { return tiny_cumsum(tiny_transpose(tiny_reshape(x, TINY_SHAPE(-1, 3, FEW)), 0, 1), 2); }
static tiny_tensor *f_diff(tiny_tensor *x) { return tiny_diff(x, 1, 0, NULL, NULL); }
static tiny_tensor *f_diff_twice(tiny_tensor *x) { return tiny_diff(joined(x, queries, NULL, 0), 2, 0, queries, NULL); }

static tiny_tensor *volume(tiny_tensor *x) { return tiny_reshape(turned(x), TINY_SHAPE(2, 6, -1)); }       // (2, 6, n)
static tiny_tensor *f_group_norm(tiny_tensor *x) { return tiny_group_norm(volume(x), 3, tiny_slice(tiny_select(weights, 0, 0), 0, 0, 6, 1), NULL, 1e-5); }
static tiny_tensor *f_group_norm_batch(tiny_tensor *x) { return tiny_group_norm(x, 3, tiny_select(weights, 0, 0), tiny_select(weights, 0, 1), 1e-5); }
static tiny_tensor *f_instance_norm(tiny_tensor *x) { return tiny_instance_norm(volume(x), NULL, NULL, 1e-3); }
static tiny_tensor *normed(tiny_tensor *x, int which) {
  tiny_batch_norm_state s;
  memset(&s, 0, sizeof s);
  s.mean = tiny_clone(tiny_select(weights, 0, 0)); s.var = tiny_clone(tiny_exp(tiny_select(weights, 0, 1)));
  s.weight = tiny_select(weights, 0, 2);
  tiny_tensor *y = tiny_batch_norm(x, &s, which < 3);
  return which == 1 ? s.mean : which == 2 ? s.var : y;
}
static tiny_tensor *f_batch_norm(tiny_tensor *x) { return normed(x, 0); }
static tiny_tensor *f_batch_norm_mean(tiny_tensor *x) { return normed(x, 1); }
static tiny_tensor *f_batch_norm_var(tiny_tensor *x) { return normed(x, 2); }
static tiny_tensor *f_batch_norm_running(tiny_tensor *x) { return normed(x, 3); }
static tiny_tensor *f_batch_norm_spatial(tiny_tensor *x) { return normed(tiny_reshape(turned(x), TINY_SHAPE(1, WIDE, -1)), 0); }
static tiny_tensor *f_local_response_norm(tiny_tensor *x) { return tiny_local_response_norm(x, 3, 1, 0.5, 1); }
static tiny_tensor *f_dropout(tiny_tensor *x) {
  tiny_seed(t, 7);
  return tiny_dropout(x, 0.3, 1);
}

static tiny_recurrent_weights recurrent(int gates) {         // WIDE inputs, FEW states
  tiny_tensor *all = tiny_tile(weights, TINY_SHAPE(2, 1));
  tiny_recurrent_weights w;
  w.w_ih = tiny_slice(all, 0, 0, gates * FEW, 1);
  w.w_hh = tiny_slice(tiny_slice(all, 0, 1, 1 + gates * FEW, 1), 1, 0, FEW, 1);
  w.b_ih = tiny_select(w.w_ih, 1, 3); w.b_hh = NULL;
  return w;
}
static tiny_tensor *f_lstm_cell(tiny_tensor *x) {
  const tiny_recurrent_weights w = recurrent(4);
  tiny_tensor *c, *h = tiny_lstm_cell(x, NULL, NULL, &w, &c);
  return tiny_add(h, tiny_lstm_cell(tiny_mul(x, x), h, c, &w, NULL));
}
static tiny_tensor *f_gru_cell(tiny_tensor *x) {
  const tiny_recurrent_weights w = recurrent(3);
  return tiny_gru_cell(x, tiny_slice(x, 1, 0, FEW, 1), &w);
}
static tiny_tensor *steps(tiny_tensor *x) { return stacked(x, 0); }          // (3, n, WIDE)
static tiny_tensor *f_rnn(tiny_tensor *x) {
  const tiny_recurrent_weights w = recurrent(1);
  return tiny_rnn(steps(x), NULL, &w, NULL, NULL);
}
static tiny_tensor *f_gru(tiny_tensor *x) {
  const tiny_recurrent_weights w[2] = {recurrent(3), recurrent(3)};
  tiny_recurrent_desc d;
  memset(&d, 0, sizeof d);
  d.bidirectional = 1; d.batch_first = 1;
  return tiny_gru(stacked(x, 1), NULL, w, &d, NULL);
}
static tiny_tensor *f_lstm(tiny_tensor *x) {
  const tiny_recurrent_weights w = recurrent(4);
  tiny_tensor *hn, *cn, *y = tiny_lstm(steps(x), NULL, NULL, &w, NULL, &hn, &cn);
  return tiny_add(y, tiny_add(hn, cn));
}

static tiny_tensor *heads(tiny_tensor *x) { return tiny_transpose(tiny_reshape(x, TINY_SHAPE(-1, 3, FEW)), 0, 1); }  // (3, n, FEW)
static tiny_tensor *attended(tiny_tensor *q, tiny_tensor *x, tiny_tensor *mask, int causal) {
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.mask = mask; d.causal = causal; d.scale = 0.3;
  return tiny_attention(q, x, tiny_exp(x), &d);
}
static tiny_tensor *f_attention_heads(tiny_tensor *x) { return attended(heads(x), heads(x), NULL, 1); }
static tiny_tensor *f_attention_mask(tiny_tensor *x) { return attended(queries, x, tiny_lt(tiny_matmul(queries, turned(x)), tiny_like(x, 0.5)), 0); }
static tiny_tensor *f_attention_bias(tiny_tensor *x) { return attended(heads(queries), heads(x), tiny_select(turned(x), 0, 1), 0); }
static tiny_tensor *f_attention_rows(tiny_tensor *x) { return attended(x, queries, tiny_tril(tiny_matmul(x, turned(queries)), 1), 1); }

static tiny_tensor *f_cosine(tiny_tensor *x) { return tiny_cosine_similarity(x, tiny_select(weights, 0, 0), 1, 1e-8); }
static tiny_tensor *f_cosine_along(tiny_tensor *x) { return tiny_cosine_similarity(x, tiny_select(weights, 0, 0), 0, 1e-8); }
static tiny_tensor *f_pairwise(tiny_tensor *x) { return tiny_pairwise_distance(x, x_by(x), 2, 1e-6, 0); }
static tiny_tensor *f_cdist(tiny_tensor *x) { return tiny_cdist(x, x_by(x), 2); }
static tiny_tensor *f_cross(tiny_tensor *x) { return tiny_cross(tiny_reshape(x, TINY_SHAPE(-1, FEW, 3)), tiny_reshape(x_by(x), TINY_SHAPE(-1, FEW, 3)), -1); }
static tiny_tensor *f_bilinear(tiny_tensor *x) { return tiny_bilinear(x, x_by(x), tiny_unsqueeze(weights, 0), NULL); }
static tiny_tensor *f_multi_dot(tiny_tensor *x) {
  tiny_tensor *xs[3] = {turned(x), x, weights};
  return tiny_multi_dot(xs, 3);
}
static tiny_tensor *f_soft_margin(tiny_tensor *x) { return tiny_soft_margin_loss(x, x_by(x), TINY_MEAN); }
static tiny_tensor *f_multilabel(tiny_tensor *x) { return tiny_multilabel_soft_margin_loss(x, x_by(x), NULL, TINY_MEAN); }
static tiny_tensor *f_gaussian_nll(tiny_tensor *x) { return tiny_gaussian_nll_loss(x, x_by(x), tiny_exp(x), 1, 1e-6, TINY_MEAN); }
static tiny_tensor *f_poisson_nll(tiny_tensor *x) { return tiny_poisson_nll_loss(x, tiny_exp(x_by(x)), 1, 1, 1e-6, TINY_MEAN); }
static tiny_tensor *f_hinge(tiny_tensor *x) { return tiny_hinge_embedding_loss(x, tiny_sign(x_by(x)), 1, TINY_MEAN); }
static tiny_tensor *f_ranking(tiny_tensor *x) { return tiny_margin_ranking_loss(x, x_by(x), tiny_sign(x), 0.5, TINY_MEAN); }
static tiny_tensor *f_conv_few(tiny_tensor *x) {             // of a length that may have no window
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.stride[0] = 3;
  return tiny_conv1d(turned(x), tiny_reshape(joined(weights, weights, weights, 0), TINY_SHAPE(WIDE, WIDE, 3)), NULL, &d);
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
static tiny_tensor *f_grad_scatter(tiny_tensor *x) { return of_loss(tiny_scatter_add(queries, 0, labels_of(tiny_slice(x, 1, 0, 4, 1)), x_by(x)), weights); }
static tiny_tensor *f_grad_index_add(tiny_tensor *x) { return of_loss(tiny_index_add(weights, 0, labels_of(rows_of(x)), x_by(x)), weights); }
static tiny_tensor *f_grad_max_pool(tiny_tensor *x) { return of_loss(tiny_max_pool1d(turned(x_by(x)), 3, 2, 1), weights); }
static tiny_tensor *f_grad_avg_pool(tiny_tensor *x) { return of_loss(pooled_2d(x_by(x), 1), weights); }
static tiny_tensor *f_grad_sort(tiny_tensor *x) { return of_loss(tiny_cumsum(tiny_sort(x_by(x), 0, 1, NULL), 0), weights); }
static tiny_tensor *f_grad_cummax(tiny_tensor *x) { return of_loss(tiny_cummax(x_by(x), 0, NULL), weights); }
static tiny_tensor *f_grad_diff(tiny_tensor *x) { return of_loss(tiny_diff(x_by(x), 2, 0, queries, NULL), weights); }
static tiny_tensor *f_grad_group_norm(tiny_tensor *x) { return of_loss(tiny_mul(tiny_group_norm(volume(x_by(x)), 3, NULL, NULL, 0.1), tiny_exp(volume(x))), weights); }
static tiny_tensor *f_grad_batch_norm(tiny_tensor *x) { return of_loss(tiny_exp(tiny_tanh(normed(x_by(x), 0))), weights); }
static tiny_tensor *f_grad_dropout(tiny_tensor *x) { return of_loss(f_dropout(x_by(x)), weights); }
static tiny_tensor *f_grad_lstm(tiny_tensor *x) { return of_loss(f_lstm(x_by(x)), weights); }
static tiny_tensor *f_grad_gru(tiny_tensor *x) { return of_loss(f_gru(x), weights); }
static tiny_tensor *f_grad_attention(tiny_tensor *x) { return of_loss(attended(heads(x_by(x)), heads(x), NULL, 1), weights); }
static tiny_tensor *f_grad_cosine(tiny_tensor *x) { return of_loss(tiny_cosine_similarity(x_by(x), x, 0, 1e-8), weights); }
static tiny_tensor *f_grad_cdist(tiny_tensor *x) { return of_loss(tiny_cdist(x_by(x), queries, 2), weights); }

// ** parts, and what is like a tensor **

static tiny_tensor *part_of(tiny_tensor *x, int how) {
  tiny_tensor *out[WIDE];
  const int64_t sizes[3] = {5, 3, 4};
  const int n = how == 0 ? tiny_split(x, 5, 1, out, 3) : how == 1 ? tiny_chunk(x, 3, 1, out) : how == 2 ? tiny_split_sizes(x, sizes, 3, 1, out) : tiny_unbind(x, 1, out, WIDE);
  return n < 3 ? out[0] : tiny_add(how == 3 ? out[2] : tiny_sum(out[2], 1, 1), out[1]);
}
static tiny_tensor *f_split(tiny_tensor *x) { return part_of(x, 0); }
static tiny_tensor *f_chunk(tiny_tensor *x) { return part_of(x, 1); }
static tiny_tensor *f_split_sizes(tiny_tensor *x) { return part_of(x, 2); }
static tiny_tensor *f_unbind(tiny_tensor *x) { return part_of(x, 3); }
static tiny_tensor *f_full_like(tiny_tensor *x) { return tiny_sum(tiny_full_like(x, 3), 0, 0); }
static tiny_tensor *f_zeros_like(tiny_tensor *x) { return tiny_add(tiny_zeros_like(turned(x)), tiny_ones_like(turned(x))); }
static tiny_tensor *f_rand_like(tiny_tensor *x) {
  tiny_seed(t, 9);
  return tiny_add(tiny_rand_like(x), tiny_mul(x, tiny_randn_like(x)));
}
static tiny_tensor *f_bernoulli(tiny_tensor *x) {
  tiny_seed(t, 9);
  return tiny_bernoulli(tiny_sigmoid(x));
}
static tiny_tensor *f_multinomial(tiny_tensor *x) {
  tiny_seed(t, 9);
  return tiny_multinomial(tiny_exp(x), 3, 1);
}
static tiny_tensor *f_multinomial_once(tiny_tensor *x) {
  tiny_seed(t, 9);
  return tiny_multinomial(tiny_exp(x), 3, 0);
}
static tiny_tensor *f_gumbel_softmax(tiny_tensor *x) {
  tiny_seed(t, 9);
  return tiny_gumbel_softmax(x, 0.7, 0, 1);
}
static tiny_tensor *f_glu(tiny_tensor *x) { return tiny_glu(x, 1); }
static tiny_tensor *f_prelu(tiny_tensor *x) { return tiny_prelu(x, tiny_select(weights, 0, 0)); }
static tiny_tensor *f_rrelu(tiny_tensor *x) { return tiny_rrelu(x, 0.1, 0.3); }
static tiny_tensor *f_threshold(tiny_tensor *x) { return tiny_threshold(x, 0.2, 5); }
static tiny_tensor *f_hardshrink(tiny_tensor *x) { return tiny_add(tiny_hardshrink(x, 0.3), tiny_softshrink(x, 0.2)); }
static tiny_tensor *f_round_to(tiny_tensor *x) { return tiny_round_to(x, 1); }
static tiny_tensor *f_logit(tiny_tensor *x) { return tiny_logit(tiny_sigmoid(x), 1e-3); }
static tiny_tensor *f_polygamma(tiny_tensor *x) { return tiny_polygamma(1, tiny_exp(x)); }
static tiny_tensor *f_dist(tiny_tensor *x) { return tiny_dist(x, x_by(x), 2); }
static tiny_tensor *f_renorm(tiny_tensor *x) { return tiny_renorm(x, 2, 0, 1); }
static tiny_tensor *f_renorm_columns(tiny_tensor *x) { return tiny_renorm(x, 2, 1, 1); }
static tiny_tensor *f_inner(tiny_tensor *x) { return tiny_inner(x, weights); }
static tiny_tensor *f_tensordot(tiny_tensor *x) { return tiny_tensordot(x, x_by(x), TINY_SHAPE(0), TINY_SHAPE(0)); }
static tiny_tensor *f_vdot(tiny_tensor *x) { return tiny_vdot(rows_of(x), tiny_select(x, 1, 1)); }
static tiny_tensor *f_bitcast(tiny_tensor *x) { return tiny_bitcast(x, TINY_I32); }

static tiny_tensor *f_searchsorted(tiny_tensor *x) { return tiny_searchsorted(tiny_sort(rows_of(weights), 0, 0, NULL), x, 1); }
static tiny_tensor *f_searchsorted_in(tiny_tensor *x) { return tiny_searchsorted(turned(tiny_cumsum(tiny_abs(x), 0)), tiny_log(tiny_mul(weights, tiny_like(weights, 9))), 1); }
static tiny_tensor *f_bucketize(tiny_tensor *x) { return tiny_bucketize(queries, tiny_sort(rows_of(x), 0, 0, NULL), 0); }
static tiny_tensor *f_bincount(tiny_tensor *x) { return tiny_bincount(classes(x), rows_of(x), 6); }
static tiny_tensor *f_histc(tiny_tensor *x) { return tiny_histc(x, 7, -0.8, 0.9); }
static tiny_tensor *f_histc_all(tiny_tensor *x) { return tiny_histc(rows_of(x), 5, 0, 0); }
static tiny_tensor *f_embedding_bag(tiny_tensor *x) { return tiny_embedding_bag(tiny_abs(labels_of(x)), weights, NULL, NULL, TINY_MEAN, 1); }
static tiny_tensor *f_embedding_bag_along(tiny_tensor *x) { return tiny_embedding_bag(tiny_abs(labels_of(turned(x))), weights, NULL, turned(x), TINY_SUM, -1); }
static tiny_tensor *f_embedding_bag_offsets(tiny_tensor *x) { return tiny_embedding_bag(classes(x), weights, tiny_arange(t, 0, 4, 1, TINY_I32), NULL, TINY_MAX, -1); }
static tiny_tensor *indexed(tiny_tensor *x, tiny_tensor *i, tiny_tensor *j) {
  tiny_tensor *at[2] = {i, j};
  return tiny_index(x, at, 2);
}
static tiny_tensor *f_index_rows(tiny_tensor *x) { return indexed(x, labels_of(queries), NULL); }
static tiny_tensor *f_index_both(tiny_tensor *x) { return indexed(x, labels_of(queries), labels_of(tiny_exp(queries))); }
static tiny_tensor *f_index_by(tiny_tensor *x) { return indexed(weights, labels_of(rows_of(x)), labels_of(tiny_select(x, 1, 1))); }
static tiny_tensor *f_index_columns(tiny_tensor *x) { return indexed(x, NULL, labels_of(rows_of(weights))); }
static tiny_tensor *put_at(tiny_tensor *x, tiny_tensor *i, tiny_tensor *j, tiny_tensor *src, int accumulate) {
  tiny_tensor *at[2] = {i, j};
  return tiny_index_put(x, at, 2, src, accumulate);
}
static tiny_tensor *f_index_put(tiny_tensor *x) { return put_at(x, labels_of(rows_of(queries)), NULL, queries, 1); }
static tiny_tensor *f_index_put_by(tiny_tensor *x) { return put_at(weights, labels_of(rows_of(x)), labels_of(tiny_select(x, 1, 1)), tiny_select(x, 1, 2), 1); }
static tiny_tensor *f_index_put_last(tiny_tensor *x) { return put_at(weights, labels_of(rows_of(x)), NULL, x, 0); }

static tiny_tensor *f_triplet(tiny_tensor *x) { return tiny_triplet_margin_loss(x, x_by(x), tiny_exp(x), 1, 2, 1, TINY_MEAN); }
static tiny_tensor *f_cosine_embedding(tiny_tensor *x) { return tiny_cosine_embedding_loss(x, x_by(x), tiny_sign(rows_of(x)), 0.2, TINY_MEAN); }
static tiny_tensor *f_multi_margin(tiny_tensor *x) { return tiny_multi_margin_loss(x, classes(x), 1, 1, tiny_exp(tiny_select(weights, 0, 0)), TINY_MEAN); }
static tiny_tensor *f_attention_layer(tiny_tensor *x) {
  tiny_attention_layer m;
  memset(&m, 0, sizeof m);
  m.heads = 3;
  m.in_proj_weight = joined(weights, tiny_neg(weights), tiny_exp(weights), 0);
  m.out_proj.weight = weights;
  return tiny_attention_layer_forward(&m, x, x_by(x), x, NULL);
}
static tiny_tensor *f_conv_transpose(tiny_tensor *x) { return tiny_conv_transpose1d(tiny_reshape(x, TINY_SHAPE(-1, FEW, 3)), tiny_reshape(queries, TINY_SHAPE(FEW, FEW, 3)), NULL, NULL); }
static tiny_tensor *f_adaptive_avg_pool(tiny_tensor *x) { return tiny_adaptive_avg_pool(tiny_reshape(x, TINY_SHAPE(-1, 2, 6)), TINY_SHAPE(4)); }
static tiny_tensor *f_adaptive_max_pool(tiny_tensor *x) { return tiny_adaptive_max_pool(tiny_reshape(x, TINY_SHAPE(-1, 2, 6)), TINY_SHAPE(4), NULL); }
static tiny_tensor *f_adaptive_even(tiny_tensor *x) { return tiny_adaptive_avg_pool(tiny_reshape(x, TINY_SHAPE(-1, 2, 6)), TINY_SHAPE(3)); }
static tiny_tensor *resized(tiny_tensor *x, tiny_interpolation mode) {
  tiny_interpolate_desc d;
  memset(&d, 0, sizeof d);
  d.mode = mode; d.size[0] = 9;
  return tiny_interpolate(tiny_reshape(x, TINY_SHAPE(-1, 2, 6)), &d);
}
static tiny_tensor *f_interpolate(tiny_tensor *x) { return resized(x, TINY_LINEAR); }
static tiny_tensor *f_interpolate_nearest(tiny_tensor *x) { return resized(x, TINY_NEAREST); }
static tiny_tensor *f_pixel_shuffle(tiny_tensor *x) { return tiny_pixel_shuffle(tiny_reshape(x, TINY_SHAPE(-1, FEW, 1, 3)), 2); }
static tiny_tensor *f_pixel_unshuffle(tiny_tensor *x) { return tiny_pixel_unshuffle(tiny_reshape(x, TINY_SHAPE(-1, 1, 2, 6)), 2); }
static tiny_tensor *f_channel_shuffle(tiny_tensor *x) { return tiny_channel_shuffle(tiny_reshape(x, TINY_SHAPE(-1, 6, 2)), 3); }
static tiny_tensor *f_sliding_window(tiny_tensor *x) { return tiny_sliding_window(x, 1, 4, 2); }
static tiny_tensor *f_trapezoid(tiny_tensor *x) { return tiny_trapezoid(x, NULL, 0.5, 1); }
static tiny_tensor *f_trapezoid_along(tiny_tensor *x) { return tiny_trapezoid(x, NULL, 0.5, 0); }
static tiny_tensor *f_trapezoid_over(tiny_tensor *x) { return tiny_trapezoid(x_by(x), x, 1, 0); }
static tiny_tensor *f_cumulative_trapezoid(tiny_tensor *x) { return tiny_cumulative_trapezoid(turned(x_by(x)), rows_of(x), 1, 1); }
static tiny_tensor *f_checkpoint(tiny_tensor *x) {           // its gradient computes the segment anew
  tiny_tensor *h = x_by(x), *y = tiny_softmax(tiny_matmul(tiny_tanh(joined(h, queries, NULL, 0)), weights), 0);
  return of_loss(tiny_mul(tiny_checkpoint(y, &h, 1), joined(x, queries, NULL, 0)), weights);
}
static tiny_tensor *f_grad_split(tiny_tensor *x) { return of_loss(part_of(x_by(x), 2), weights); }
static tiny_tensor *f_grad_index(tiny_tensor *x) { return of_loss(f_index_rows(x_by(x)), weights); }
static tiny_tensor *f_grad_index_put(tiny_tensor *x) { return of_loss(f_index_put(x_by(x)), weights); }
static tiny_tensor *f_grad_triplet(tiny_tensor *x) { return of_loss(f_triplet(x_by(x)), weights); }
static tiny_tensor *f_grad_attention_layer(tiny_tensor *x) { return of_loss(f_attention_layer(x), weights); }

#define OPERATORS(_) _(cat_columns) _(cat_behind) _(cat_before) _(cat_between) _(cat_twice) _(cat_thrice) \
  _(cat_turned) _(cat_softmax) _(cat_attention) _(stack_first) _(stack_middle) _(stack_last) _(repeat) \
  _(repeat_interleave) _(repeat_columns) _(pad_columns) _(pad_rows) _(pad_value) _(pad_before) _(pad_mode) \
  _(masked_fill) _(triu) _(one_hot) _(one_hot_counts) _(embedding) _(embedding_rows) _(index_select) \
  _(index_select_columns) _(index_select_of) _(index_select_both) _(gather) _(gather_rows) _(gather_column) \
  _(take_along) _(take_along_row) _(take) _(take_by) _(cross_entropy) _(cross_entropy_each) _(cross_entropy_weighted) \
  _(cross_entropy_sum) _(cross_entropy_batch) _(cross_entropy_likely) _(nll_loss) _(mse_loss) _(mse_loss_batch) \
  _(l1_loss) _(smooth_l1_loss) _(huber_loss) _(bce) _(bce_logits) _(kl_div) _(einsum) _(einsum_along) _(einsum_one) \
  _(einsum_pairs) _(einsum_diagonal) _(bmm) _(scatter) _(scatter_along) _(scatter_last) _(scatter_max) _(scatter_mean) \
  _(scatter_to) _(scatter_prod) _(index_add) _(index_add_to) _(index_copy) _(index_fill) _(index_reduce) _(put) \
  _(put_to) _(max_pool) _(max_pool_whole) _(max_pool_batch) _(max_pool_places) _(max_pool_places_2d) _(avg_pool) \
  _(avg_pool_2d) _(avg_pool_exclude) _(lp_pool) _(sort) _(sort_down) _(sort_up) _(sort_columns) _(sort_middle) \
  _(sort_places) _(sort_integers) _(argsort) _(topk_columns) _(kthvalue_columns) _(cummax) _(cummin) _(cummax_places) \
  _(cumsum_middle) _(diff) _(diff_twice) _(group_norm) _(group_norm_batch) _(instance_norm) _(batch_norm) \
  _(batch_norm_mean) _(batch_norm_var) _(batch_norm_running) _(batch_norm_spatial) _(local_response_norm) _(dropout) \
  _(lstm_cell) _(gru_cell) _(rnn) _(gru) _(lstm) _(attention_heads) _(attention_mask) _(attention_bias) \
  _(attention_rows) _(cosine) _(cosine_along) _(pairwise) _(cdist) _(cross) _(bilinear) _(multi_dot) _(soft_margin) \
  _(multilabel) _(gaussian_nll) _(poisson_nll) _(hinge) _(ranking) _(conv_few) _(grad_cat) _(grad_cat_fixed) \
  _(grad_stack) _(grad_pad) _(grad_repeat) _(grad_embedding) _(grad_index_select) _(grad_index_select_of) \
  _(grad_gather) _(grad_cross_entropy) _(grad_mse) _(grad_bce) _(grad_einsum) _(grad_scatter) _(grad_index_add) \
  _(grad_max_pool) _(grad_avg_pool) _(grad_sort) _(grad_cummax) _(grad_diff) _(grad_group_norm) _(grad_dropout) \
  _(grad_lstm) _(grad_gru) _(grad_attention) _(grad_cosine) _(grad_cdist) _(split) _(chunk) _(split_sizes) _(unbind) \
  _(full_like) _(zeros_like) _(rand_like) _(bernoulli) _(multinomial) _(multinomial_once) _(gumbel_softmax) _(glu) \
  _(prelu) _(rrelu) _(threshold) _(hardshrink) _(round_to) _(logit) _(polygamma) _(dist) _(renorm) _(renorm_columns) \
  _(inner) _(tensordot) _(vdot) _(bitcast) _(searchsorted) _(searchsorted_in) _(bucketize) _(bincount) _(histc) \
  _(histc_all) _(embedding_bag) _(embedding_bag_along) _(embedding_bag_offsets) _(index_rows) _(index_both) \
  _(index_by) _(index_columns) _(index_put) _(index_put_by) _(index_put_last) _(triplet) _(cosine_embedding) \
  _(multi_margin) _(attention_layer) _(conv_transpose) _(adaptive_avg_pool) _(adaptive_max_pool) _(adaptive_even) \
  _(interpolate) _(interpolate_nearest) _(pixel_shuffle) _(pixel_unshuffle) _(channel_shuffle) _(sliding_window) \
  _(trapezoid) _(trapezoid_along) _(trapezoid_over) _(cumulative_trapezoid) _(checkpoint) _(grad_split) _(grad_index) \
  _(grad_index_put) _(grad_triplet) _(grad_attention_layer)
static const struct { const char *name; operator_of f; int least; } operators[] = {
#define ROW(name) {#name, f_##name, 0},
  OPERATORS(ROW)
  {"grad_batch_norm", f_grad_batch_norm, 1},
};

// ** one operand is all of the dim **

// y, of which the first n are meant, is z, which has n.
static void check_same(tiny_tensor *y, tiny_tensor *z) {
  CHECK(tiny_ok(y) && tiny_ok(z));
  if (tiny_ok(y) && tiny_ok(z)) CHECK(same(y, z, tiny_read) && same(y, z, tiny_reference));
  if (*tiny_error(t)) { fprintf(stderr, "    %s\n", tiny_error(t)); tiny_clear(t); }
}
static tiny_tensor *weighted_entropy(tiny_tensor *x, tiny_tensor *labels) {
  tiny_cross_entropy_desc d;
  memset(&d, 0, sizeof d);
  d.weight = tiny_exp(tiny_select(weights, 0, 0));
  return tiny_cross_entropy(x, labels, &d);
}
static void check_whole_operands(void) {
  tiny_tensor *x = made(TINY_SHAPE(MOST, WIDE)), *other = made(TINY_SHAPE(MOST, WIDE));
  for (int n = 1; n < MOST; n += 31) {
    tiny_begin(t);
    tiny_tensor *some = tiny_slice_to(x, 0, tiny_length(t, n, 0, MOST)), *few = tiny_narrow(x, 0, 0, n), *rest = tiny_narrow(other, 0, 0, n);
    check_same(tiny_mse_loss(some, other, TINY_MEAN), tiny_mse_loss(few, rest, TINY_MEAN));
    check_same(tiny_mse_loss(other, some, TINY_BATCH_MEAN), tiny_mse_loss(rest, few, TINY_BATCH_MEAN));
    check_same(tiny_cross_entropy(some, classes(other), NULL), tiny_cross_entropy(few, classes(rest), NULL));
    check_same(tiny_cross_entropy(other, classes(some), NULL), tiny_cross_entropy(rest, classes(few), NULL));
    check_same(weighted_entropy(some, classes(other)), weighted_entropy(few, classes(rest)));
    check_same(tiny_cosine_similarity(some, other, 0, 1e-8), tiny_cosine_similarity(few, rest, 0, 1e-8));
    check_same(tiny_cosine_similarity(other, some, 0, 1e-8), tiny_cosine_similarity(rest, few, 0, 1e-8));
    check_same(tiny_gather(some, 1, labels_of(other)), tiny_gather(few, 1, labels_of(rest)));
    check_same(tiny_scatter_add(other, 1, labels_of(some), some), joined(tiny_scatter_add(rest, 1, labels_of(few), few), tiny_narrow(other, 0, n, MOST - n), NULL, 0));
    check_same(summed("nd,ne->de", some, other), summed("nd,ne->de", few, rest));
    tiny_end(t);
  }
  tiny_free(x); tiny_free(other);
}

// ** programs: what they give has the length of the sum **

static void check_program(void) {
  tiny_tensor *x = made(TINY_SHAPE(MOST, WIDE)), *row = made(TINY_SHAPE(1, WIDE)), *in[3] = {x, tiny_length(t, 5, 0, MOST), row}, *out[3];
  out[0] = joined(tiny_slice_to(x, 0, in[1]), row, NULL, 0);
  out[1] = tiny_sort(out[0], 0, 0, NULL);
  out[2] = tiny_cross_entropy(out[0], classes(out[0]), NULL);
  tiny_program *p = tiny_capture(t, in, 3, out, 3);
  CHECK(p != NULL);
  for (int n = 0; p && n <= MOST; n += 31) {
    tiny_tensor *all = joined(tiny_narrow(x, 0, 0, n), row, NULL, 0);
    in[1] = tiny_length(t, n, 0, MOST);
    CHECK(tiny_run(p, in, out) == TINY_OK);
    check_same(out[0], all);
    check_same(out[1], tiny_sort(all, 0, 0, NULL));
    check_same(out[2], tiny_cross_entropy(all, classes(all), NULL));
    for (int i = 0; i < 3; i++) tiny_free(out[i]);
  }
  tiny_program_free(p);
}

// ** two lengths: a batch (n, m, FEW) of sequences **

static tiny_tensor *of_batch(int what, tiny_tensor *x, tiny_tensor *w) {
  tiny_tensor *both[2] = {x, tiny_exp(x)}, *ids = tiny_abs(tiny_cast(tiny_mul(tiny_select(x, 2, 0), tiny_like(x, 4)), TINY_I32)), *y = tiny_transpose(x, 1, 2), *g = NULL;
  tiny_pool_desc p;
  memset(&p, 0, sizeof p);
  p.kernel[0] = 3; p.stride[0] = 2; p.pad[0] = 1; p.exclude_pad = 1;
  switch (what) {
    case 0: return tiny_attention(x, both[1], x, NULL);
    case 1: return tiny_cat(both, 2, 0);
    case 2: return tiny_cat(both, 2, 1);
    case 3: return tiny_cat(both, 2, 2);
    case 4: return tiny_softmax(x, 1);
    case 5: return tiny_sort(x, 2, 0, NULL);
    case 6: return tiny_sort(x, 1, 1, NULL);
    case 7: return tiny_cumsum(x, 1);
    case 8: return tiny_cumsum(x, 2);
    case 9: return tiny_matmul(x, w);
    case 10: return tiny_mean(x, TINY_ALL, 0);
    case 11: return tiny_cross_entropy(y, ids, NULL);
    case 12: return tiny_embedding(ids, w, -1);
    case 13: return tiny_gather(x, 1, tiny_unsqueeze(ids, 2));
    case 14: return tiny_conv1d(y, tiny_reshape(joined(w, w, w, 0), TINY_SHAPE(FEW, FEW, 3)), NULL, NULL);
    case 15: return tiny_avg_pool(y, &p);
    case 16: return tiny_max_pool(y, &p, NULL);
    case 17: return tiny_group_norm(y, 2, NULL, NULL, 1e-3);
    case 18: return tiny_mse_loss(x, both[1], TINY_BATCH_MEAN);
    case 19: return tiny_one_hot(ids, 3);
    case 20: return tiny_stack(both, 2, 1);
    case 21: return tiny_pad(x, TINY_SHAPE(1, 1, 1, 2, 0, 1), -1);
    case 22: return tiny_argmax(x, 1, 0);
    case 23: return tiny_index_select(x, 1, tiny_cast(tiny_select(w, 0, 0), TINY_I32));
    case 24: return tiny_flip(x, TINY_SHAPE(0, 1));
    case 25: return tiny_std(x, 1, 1, 1);
    case 26: return tiny_scatter_add(x, 1, tiny_unsqueeze(ids, 2), tiny_narrow(both[1], 2, 0, 1));
    case 27: return tiny_layer_norm(y, 1, NULL, NULL, 1e-3);
    case 28: return tiny_repeat_interleave(x, 2, 1);
    case 29: return tiny_cummax(y, 2, NULL);
    case 30: return tiny_diff(x, 1, 1, NULL, NULL);
    case 31: return summed("nmd,nme->nde", x, both[1]);
    default: return tiny_grad(tiny_mse_loss(tiny_attention(tiny_matmul(x, w), x, x, NULL), x, TINY_MEAN), &w, 1, &g) == TINY_OK ? g : NULL;
  }
}
static void check_two(void) {
  enum { B = 9, L = 14 };
  static float data[B * L * FEW];
  tiny_tensor *w = made(TINY_SHAPE(FEW, FEW));
  static const int sizes[][2] = {{B, L}, {1, L}, {4, 5}, {B, 1}, {3, 8}};
  for (int what = 0; what <= 32; what++) {
    uint64_t schedules = 0;
    case_named("two lengths, %d", what);
    for (int i = 0; i < 5; i++) {
      const int n = sizes[i][0], m = sizes[i][1];
      tiny_begin(t);
      for (int k = 0; k < B * L * FEW; k++) data[k] = k / (L * FEW) < n && k / FEW % L < m ? element(k) : (float)NAN;
      tiny_tensor *all = tiny_from(t, data, TINY_F32, TINY_SHAPE(B, L, FEW));
      tiny_tensor *some = tiny_slice_to(tiny_slice_to(all, 0, tiny_length(t, n, 1, B)), 1, tiny_length(t, m, 1, L));
      tiny_tensor *y = of_batch(what, some, w), *z = of_batch(what, tiny_clone(tiny_narrow(tiny_narrow(all, 0, 0, n), 1, 0, m)), w);
      const uint64_t before = tiny_stats_of(t).schedules;
      if (tiny_ok(y)) CHECK(tiny_realize(&y, 1) == TINY_OK);
      if (i) schedules += tiny_stats_of(t).schedules - before;
      if (!tiny_ok(z) && tiny_ok(y)) { CHECK(!nbytes_of(y)); tiny_clear(t); }     // no window
      else check_same(y, z);
      tiny_end(t);
    }
    CHECK_EQ(schedules, 0);
    case_end();
  }
  tiny_free(w);
}

// ** lengths with bounds of their own **

// As computed, both of them: the interpreter takes its time to sort.
static void check_near(tiny_tensor *y, tiny_tensor *z) {
  static float a[MOST * WIDE], b[MOST * WIDE];
  const size_t nbytes = nbytes_of(z);
  const int wide = tiny_dtype_of(z) == TINY_F32;
  CHECK(tiny_ok(y) && tiny_ok(z) && nbytes_of(y) == nbytes && tiny_dtype_of(y) == tiny_dtype_of(z));
  CHECK(tiny_read(y, a, nbytes) == TINY_OK && tiny_read(z, b, nbytes) == TINY_OK);
  if (!wide) CHECK(!memcmp(a, b, nbytes));
  for (size_t i = 0; wide && i < nbytes / 4; i++) CHECK(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]) || fabs((double)a[i] - b[i]) < 1e-5);
}
static void check_ranked(tiny_tensor *some, tiny_tensor *few, tiny_tensor *part) {
  check_near(tiny_median(some, 0, 0, NULL), tiny_median(few, 0, 0, NULL));
  check_near(tiny_nanmedian(turned(some), 1, 1, NULL), tiny_nanmedian(turned(few), 1, 1, NULL));
  check_near(tiny_median(some, TINY_ALL, 0, NULL), tiny_median(few, TINY_ALL, 0, NULL));
  check_near(tiny_nanquantile(some, part, 0, 1), tiny_nanquantile(few, part, 0, 1));
  check_near(tiny_quantile(some, part, 1, 0), tiny_quantile(few, part, 1, 0));
  check_near(tiny_quantile_by(heads(some), part, 1, 0, TINY_QUANTILE_NEAREST), tiny_quantile_by(heads(few), part, 1, 0, TINY_QUANTILE_NEAREST));
  check_near(tiny_quantile(heads(some), part, 2, 1), tiny_quantile(heads(few), part, 2, 1));
  check_near(tiny_quantile(some, tiny_scalar(t, 0.4, TINY_F32), TINY_ALL, 0), tiny_quantile(few, tiny_scalar(t, 0.4, TINY_F32), TINY_ALL, 0));
}
static void check_topk(void) {
  const float parts[3] = {0, 0.3f, 0.75f};
  tiny_tensor *x = made(TINY_SHAPE(MOST, WIDE)), *part = tiny_from(t, parts, TINY_F32, TINY_SHAPE(3));
  uint64_t schedules = 0;
  for (int n = 5; n <= MOST; n += 30) {
    tiny_begin(t);
    tiny_tensor *some = tied(tiny_slice_to(x, 0, tiny_length(t, n, 5, MOST))), *few = tied(tiny_narrow(x, 0, 0, n)), *at = NULL, *of = NULL;
    const uint64_t before = tiny_stats_of(t).schedules;
    tiny_tensor *top = tiny_topk(some, 5, 0, 1, &at), *kth = tiny_kthvalue(some, 3, 0, 0, NULL), *all[3] = {top, kth, at};
    CHECK(tiny_realize(all, 3) == TINY_OK);
    if (n > 5) schedules += tiny_stats_of(t).schedules - before;
    check_same(top, tiny_topk(few, 5, 0, 1, &of));
    check_same(at, of);
    check_same(kth, tiny_kthvalue(few, 3, 0, 0, NULL));
    check_ranked(labels_of(some), labels_of(few), part);
    check_ranked(tiny_log(some), tiny_log(few), part);       // with NaN
    tiny_end(t);
  }
  CHECK_EQ(schedules, 0);
  tiny_free(x);
}
// Long rows are sorted in blocks, and merged; the interpreter would take its time.
static void check_long_sort(void) {
  enum { LONG = 1000 };
  static float got[2 * LONG], want[2 * LONG];
  tiny_tensor *x = made(TINY_SHAPE(LONG, 2));
  for (int n = 1; n <= LONG; n += 333) for (int top = 0; top < 2; top++) {
    tiny_begin(t);
    tiny_tensor *some = tiny_slice_to(x, 0, tiny_length(t, n, 1, LONG)), *few = tiny_narrow(x, 0, 0, n);
    tiny_tensor *y = top ? tiny_topk(some, 1, 0, 0, NULL) : tiny_sort(some, 0, 1, NULL), *z = top ? tiny_topk(few, 1, 0, 0, NULL) : tiny_sort(few, 0, 1, NULL);
    CHECK_EQ(nbytes_of(y), nbytes_of(z));
    CHECK(tiny_read(y, got, nbytes_of(y)) == TINY_OK && tiny_read(z, want, nbytes_of(z)) == TINY_OK);
    CHECK(!memcmp(got, want, nbytes_of(z)));
    tiny_end(t);
  }
  tiny_free(x);
}

// ** what is written: as much as is meant, the rest stays **

static void check_write(void) {
  float all[MOST * 3], some[MOST * 3], got[MOST * 3];
  tiny_tensor *x = tiny_keep(made(TINY_SHAPE(MOST, 3)));
  tiny_read(x, all, sizeof all);
  for (int i = 0; i < LENGTHS; i++) {
    const int n = lengths[i];
    tiny_begin(t);
    tiny_tensor *rows = tiny_slice_to(x, 0, tiny_length(t, n, 0, MOST)), *sum = tiny_sum(rows, 0, 0);
    for (int k = 0; k < n * 3; k++) all[k] = some[k] = (float)(100 * i + k);
    CHECK(tiny_write(rows, some, (size_t)n * 12) == TINY_OK);
    CHECK(tiny_read(x, got, sizeof got) == TINY_OK && !memcmp(got, all, sizeof all));
    CHECK(tiny_read(rows, got, (size_t)n * 12) == TINY_OK && !memcmp(got, some, (size_t)n * 12));
    for (int k = 0; k < n * 3; k++) some[k] = all[k % n * 3 + k / n] = (float)(1000 * i - k);
    CHECK(tiny_write(turned(rows), some, (size_t)n * 12) == TINY_OK);          // (3, n), of which rows are apart
    CHECK(tiny_read(x, got, sizeof got) == TINY_OK && !memcmp(got, all, sizeof all));
    CHECK(tiny_write(sum, some, 12) == TINY_OK);
    tiny_tensor *apart = tiny_exp(rows);                     // is no view: gets what is written, and x does not
    CHECK(tiny_write(apart, some, (size_t)n * 12) == TINY_OK);
    CHECK(tiny_read(apart, got, (size_t)n * 12) == TINY_OK && !memcmp(got, some, (size_t)n * 12));
    CHECK(tiny_read(x, got, sizeof got) == TINY_OK && !memcmp(got, all, sizeof all));
    tiny_end(t);
  }
  tiny_free(x);
}

// ** a cache of keys that grows by cat: the bound of the sum is the sum of the bounds **

static void check_growing(void) {
  float key[WIDE], seen[WIDE];
  uint64_t schedules = 0;
  tiny_tensor *cache = tiny_keep(made(TINY_SHAPE(32, WIDE)));
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < WIDE; k++) key[k] = (float)(i + k);
    tiny_begin(t);
    tiny_tensor *n = tiny_length(t, i, 0, 31), *now = joined(tiny_slice_to(cache, 0, n), tiny_from(t, key, TINY_F32, TINY_SHAPE(1, WIDE)), NULL, 0);
    tiny_tensor *more = tiny_slice_to(cache, 0, tiny_add(n, tiny_like(n, 1)));
    CHECK_EQ(tiny_shape_of(now).dim[0], 32);
    CHECK_EQ(tiny_shape_now(now).dim[0], i + 1);
    const uint64_t before = tiny_stats_of(t).schedules;
    tiny_assign(more, now);                                  // its length is the same number, n + 1
    tiny_tensor *sum = tiny_sum(tiny_slice_to(cache, 0, tiny_add(n, tiny_like(n, 1))), 0, 0);
    CHECK(tiny_read(sum, seen, sizeof seen) == TINY_OK);
    for (int k = 0; k < WIDE; k++) CHECK(seen[k] == (float)(i * (i + 1) / 2 + (i + 1) * k));
    if (i > 1) schedules += tiny_stats_of(t).schedules - before;
    tiny_end(t);
  }
  CHECK_EQ(schedules, 0);
  CHECK_STR(tiny_error(t), "");
  tiny_free(cache);
}

// ** several devices **

static void check_devices(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = ""; d.device = "CPU,CPU:1,INTERP";
  tiny_ctx *one = t;
  t = tiny_open(&d);
  tiny_tensor *x = made(TINY_SHAPE(MOST, WIDE));
  for (int n = 0; n < MOST; n += 31) for (int to = 0; to < 3; to++) {
    tiny_begin(t);
    tiny_tensor *some = tiny_to(tiny_slice_to(x, 0, tiny_length(t, n, 0, MOST)), to), *few = tiny_to(tiny_narrow(x, 0, 0, n), to);
    CHECK_EQ(tiny_device_of(some), to);
    check_same(some, few);
    check_same(tiny_to(tiny_cumsum(some, 0), 2 - to), tiny_to(tiny_cumsum(few, 0), 2 - to));
    tiny_end(t);
  }
  tiny_close(t);
  t = one;
}

// ** what stays refused says what to do **

static void check_refused(void) {
  tiny_begin(t);
  tiny_tensor *x = made(TINY_SHAPE(8, 6)), *n = tiny_length(t, 3, 0, 8), *y = tiny_slice_to(x, 0, n), *z = turned(y);
  const char *const fills = "which this operator does not know about; tiny_whole fills the rest";
  const tiny_recurrent_weights w = {made(TINY_SHAPE(4, 6)), made(TINY_SHAPE(4, 4)), NULL, NULL};
  tiny_pool_desc p;
  memset(&p, 0, sizeof p);
  p.kernel[0] = 3; p.ceil_mode = 1;
  BAD(tiny_tile(y, TINY_SHAPE(2, 1)), TINY_E_SHAPE, "tile: of dim 0 of (8,6) only a length is meant; tiny_cat lays it behind itself");
  BAD(tiny_pad(y, TINY_SHAPE(0, -1, 0, 0), 0), TINY_E_SHAPE, "pad: of dim 0 of (8,6) only a length is meant; take tiny_slice_to or tiny_slice_at");
  BAD(tiny_pad_mode(z, TINY_SHAPE(0, 1), TINY_PAD_REFLECT), TINY_E_SHAPE, "pad_mode: of dim 1 of (6,8) only a length is meant; its own elements do not go behind a length; tiny_pad puts a number there");
  BAD(tiny_gather(y, 1, labels_of(tiny_narrow(x, 0, 0, 4))), TINY_E_SHAPE, "gather: of dim 0 of (8,6) only a length is meant; take tiny_slice_to or tiny_slice_at");
  BAD(tiny_topk(y, 2, 0, 1, NULL), TINY_E_SHAPE, "topk: 2 elements of dim 0 of (8,6), whose length may be 0");
  BAD(tiny_kthvalue(z, 1, 1, 0, NULL), TINY_E_SHAPE, "kthvalue: 1 elements of dim 1 of (6,8), whose length may be 0");
  BAD(tiny_median(y, 0, 0, NULL), TINY_E_SHAPE, "median: 1 elements of dim 0 of (8,6), whose length may be 0");
  BAD(tiny_quantile(y, tiny_like(y, 0.5), 0, 0), TINY_E_SHAPE, "quantile: 1 elements of dim 0 of (8,6), whose length may be 0");
  BAD(tiny_max_pool(z, &p, NULL), TINY_E_SHAPE, "max_pool: of dim 1 of (6,8) only a length is meant; no window hangs over it (ceil_mode)");
  BAD(tiny_group_norm(tiny_unsqueeze(y, 0), 2, NULL, NULL, 1e-5), TINY_E_SHAPE, "group_norm: of dim 1 of (1,8,6) only a length is meant");
  BAD(tiny_local_response_norm(z, 3, 1, 1, 1), TINY_E_SHAPE, "local_response_norm: of dim 1 of (6,8) only a length is meant; the channels have to be whole");
  BAD(tiny_rnn(y, NULL, &w, NULL, NULL), TINY_E_SHAPE, "rnn: of dim 0 of (8,6) only a length is meant; its steps are counted when the graph is built");
  BAD(tiny_roll(y, TINY_SHAPE(1), TINY_SHAPE(0)), TINY_E_SHAPE, "roll: of dim 0 of (8,6) only a length is meant; cut it by tiny_slice_at, tiny_slice_to and join the parts by tiny_cat");
  BAD(joined(tiny_slice_to(x, 0, tiny_length(t, 2, 0, 8)), y, NULL, 1), TINY_E_SHAPE, "WHERE: dim 0 of (8,12) has a length that is known when a kernel is launched; that of another operand is another one");
  BAD(tiny_nonzero(y), TINY_E_SHAPE, "nonzero: of dim 0");
  tiny_tensor *out[8], *mask = tiny_lt(y, tiny_like(y, 0)), *cube = tiny_reshape(z, TINY_SHAPE(1, 6, -1));
  BAD((tiny_split(y, 2, 0, out, 4), out[0]), TINY_E_SHAPE, "split: of dim 0 of (8,6) only a length is meant; take tiny_slice_to or tiny_slice_at");
  BAD((tiny_unbind(z, 1, out, 8), out[0]), TINY_E_SHAPE, "unbind: of dim 1 of (6,8) only a length is meant");
  BAD(tiny_sliding_window(y, 0, 3, 1), TINY_E_SHAPE, "sliding_window: of dim 0 of (8,6) only a length is meant; tiny_conv and the pools have windows along it");
  tiny_tensor *third = tiny_slice_to(made(TINY_SHAPE(4, 3)), 1, tiny_length(t, 2, 0, 3));
  BAD(tiny_cross(third, third, 1), TINY_E_SHAPE, "cross: of dim 1 of (4,3) only a length is meant; vectors have 3 elements");
  BAD(tiny_glu(y, 0), TINY_E_SHAPE, "glu: of dim 0 of (8,6) only a length is meant");
  BAD(tiny_multinomial(tiny_exp(z), 2, 1), TINY_E_SHAPE, "multinomial: of dim 1 of (6,8) only a length is meant; tiny_whole with 0 gives the rest no weight");
  BAD(tiny_bitcast(z, TINY_I16), TINY_E_SHAPE, "bitcast: of dim 1 of (6,8) only a length is meant; its elements stay of one size");
  BAD(tiny_embedding_bag(labels_of(rows_of(x)), weights, labels_of(rows_of(y)), NULL, TINY_SUM, -1), TINY_E_SHAPE, "embedding_bag: of dim 0 of (8,) only a length is meant; the last bag ends where the indices do");
  BAD(tiny_adaptive_avg_pool(cube, TINY_SHAPE(3)), TINY_E_SHAPE, "adaptive_avg_pool: of dim 2 of (1,6,8) only a length is meant; tiny_mean and tiny_amax reduce it to one");
  BAD(tiny_conv_transpose1d(cube, made(TINY_SHAPE(6, 2, 3)), NULL, NULL), TINY_E_SHAPE, "conv_transpose1d: of dim 2 of (1,6,8) only a length is meant; tiny_whole with 0 adds nothing");
  BAD(tiny_index(y, &mask, 1), TINY_E_SHAPE, "index: a mask of a dim of which only a length is meant; tiny_whole fills the rest");
  CHECK(strstr((tiny_fft(y, 0, 0, TINY_FFT_BACKWARD), tiny_error(t)), fills) != NULL);
  tiny_clear(t);
  tiny_end(t);
}

int main(void) {
  t = tiny_open(NULL);
  weights = made(TINY_SHAPE(WIDE, WIDE)); queries = made(TINY_SHAPE(FEW, WIDE));
  tiny_tensor *all[2] = {weights, queries};
  CHECK(tiny_realize(all, 2) == TINY_OK);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) check_operator(operators[i].name, operators[i].f, operators[i].least);
  case_end();
  check_whole_operands();
  check_program();
  check_two();
  check_topk();
  check_long_sort();
  check_write();
  check_growing();
  check_devices();
  check_refused();
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
