// modules: layers and lists of named parameters.
#define TN_FIRST_NBYTES 256
#define TN_FIRST_SLOTS 4
#include "nn_test.h"

static void check_params(void) {
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_tensor *a = tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), *b = tiny_zeros(t, TINY_F32, TINY_SHAPE(3));
  CHECK_EQ(tiny_params_add(&p, NULL, "a", a, 1), TINY_OK);
  tiny_params_enter(&p, "body");
  tiny_params_enter(&p, "layers.0");
  CHECK_EQ(tiny_params_add(&p, "fc", "weight", b, 1), TINY_OK);
  CHECK_EQ(tiny_params_add(&p, "fc", "bias", NULL, 1), TINY_OK);
  CHECK_EQ(tiny_params_add(&p, "", "tied", a, 1), TINY_OK);
  tiny_params_enter(&p, NULL);
  CHECK_EQ(tiny_params_add(&p, "bn", "running_mean", b, 0), TINY_OK);
  tiny_params_leave(&p);
  tiny_params_leave(&p);
  CHECK_EQ(tiny_params_add(&p, NULL, "c", b, 1), TINY_OK);
  tiny_params_leave(&p);
  tiny_params_leave(&p);
  CHECK_EQ(p.n, 5);
  CHECK_EQ(p.ntrainable, 2);
  CHECK_STR(p.param[1].name, "body.layers.0.fc.weight");
  CHECK_STR(p.param[3].name, "body.layers.0.bn.running_mean");
  CHECK_STR(p.param[4].name, "body.c");
  CHECK(p.trainable[0] == a && p.trainable[1] == b && !p.param[3].trainable);
  CHECK(tiny_params_find(&p, "body.layers.0.tied") == a && !tiny_params_find(&p, "tied"));
  CHECK_EQ(tiny_params_add(&p, NULL, "a", b, 1), TINY_E_ARG);
  CHECK_STR(tiny_error(t), "params_add: two tensors are named a");
  tiny_clear(t);
  for (int i = 0; i < 18; i++) tiny_params_enter(&p, "a_long_name");
  CHECK_EQ(tiny_params_add(&p, NULL, "a", b, 1), TINY_E_ARG);
  CHECK_STR(tiny_error(t), "params_add: the name of a is longer than 127");
  tiny_clear(t);
  for (int i = 0; i < 18; i++) tiny_params_leave(&p);
  for (int i = 0; i < 200; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    CHECK_EQ(tiny_params_add(&p, NULL, name, tiny_zeros(t, TINY_F32, TINY_SHAPE(1)), i & 1), TINY_OK);
  }
  CHECK_EQ(p.n, 205);
  CHECK_EQ(p.ntrainable, 102);
  CHECK_STR(p.param[204].name, "n199");
  tiny_params_free(&p);
  CHECK(!p.n && !p.param);
}


// ** layers **

static void range_of(tiny_tensor *x, double lo, double hi) {
  double least = tiny_item(tiny_amin(x, TINY_ALL, 0)), most = tiny_item(tiny_amax(x, TINY_ALL, 0));
  if (!(least >= lo && most <= hi && least <= lo * 0.8 + hi * 0.2 && most >= hi * 0.8 + lo * 0.2)) printf("from %g to %g, not %g to %g\n", least, most, lo, hi);
  CHECK(least >= lo && most <= hi && least <= lo * 0.8 + hi * 0.2 && most >= hi * 0.8 + lo * 0.2);
}
static void has(const tiny_params *p, int i, const char *name, tiny_shape s, int trainable) {
  CHECK(i < p->n);
  if (i >= p->n) return;
  const tiny_shape have = tiny_shape_of(p->param[i].tensor);
  CHECK_STR(p->param[i].name, name);
  CHECK_EQ(p->param[i].trainable, trainable);
  CHECK(have.ndim == s.ndim && tn_dims_same(s.ndim, have.dim, s.dim));
  CHECK_EQ(tiny_dtype_of(p->param[i].tensor), TINY_F32);
}

static void check_simple_layers(void) {
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.groups = 2; d.stride[0] = d.stride[1] = 2;
  tiny_begin(t);                           // layers outlive frames
  tiny_linear_layer fc = tiny_linear_layer_new(t, 16, 5, 1), plain = tiny_linear_layer_new(t, 16, 5, 0);
  tiny_conv_layer conv = tiny_conv_layer_new(t, 4, 6, TINY_SHAPE(3, 2), &d, 1), back = tiny_conv_transpose_layer_new(t, 6, 4, TINY_SHAPE(3, 2), &d, 0);
  tiny_embedding_layer table = tiny_embedding_layer_new(t, 50, 8, 3);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK_EQ(tiny_linear_layer_params(&fc, &p, "fc"), TINY_OK);
  CHECK_EQ(tiny_linear_layer_params(&plain, &p, "plain"), TINY_OK);
  CHECK_EQ(tiny_conv_layer_params(&conv, &p, "conv"), TINY_OK);
  CHECK_EQ(tiny_conv_layer_params(&back, &p, "back"), TINY_OK);
  CHECK_EQ(tiny_embedding_layer_params(&table, &p, NULL), TINY_OK);
  CHECK_EQ(p.n, 7);
  CHECK_EQ(p.ntrainable, 7);
  has(&p, 0, "fc.weight", TINY_SHAPE(5, 16), 1);
  has(&p, 1, "fc.bias", TINY_SHAPE(5), 1);
  has(&p, 2, "plain.weight", TINY_SHAPE(5, 16), 1);
  has(&p, 3, "conv.weight", TINY_SHAPE(6, 2, 3, 2), 1);
  has(&p, 4, "conv.bias", TINY_SHAPE(6), 1);
  has(&p, 5, "back.weight", TINY_SHAPE(6, 2, 3, 2), 1);
  has(&p, 6, "weight", TINY_SHAPE(50, 8), 1);
  range_of(fc.weight, -0.25, 0.25);
  range_of(conv.weight, -1 / sqrt(12.0), 1 / sqrt(12.0));
  range_of(back.weight, -1 / sqrt(12.0), 1 / sqrt(12.0));
  CHECK(fabs(tiny_item(tiny_mean(table.weight, TINY_ALL, 0))) < 0.2);
  CHECK(fabs(tiny_item(tiny_var(table.weight, TINY_ALL, 0, 1)) - 1) < 0.25);
  CHECK(tiny_item(tiny_sum(tiny_abs(tiny_slice(table.weight, 0, 3, 4, 1)), TINY_ALL, 0)) == 0);
  CHECK(tiny_item(tiny_sum(tiny_abs(tiny_slice(table.weight, 0, 4, 5, 1)), TINY_ALL, 0)) != 0);
  CHECK(tiny_item(tiny_sum(tiny_abs(tiny_sub(fc.weight, plain.weight)), TINY_ALL, 0)) > 0.1);    // not the same numbers
  tiny_tensor *x = numbers(TINY_F32, TINY_SHAPE(3, 16), -1, 1), *img = numbers(TINY_F32, TINY_SHAPE(1, 4, 7, 6), -1, 1);
  same("linear", tiny_linear_layer_forward(&fc, x), tiny_linear(x, fc.weight, fc.bias), 0);
  same("conv", tiny_conv_layer_forward(&conv, img), tiny_conv(img, conv.weight, conv.bias, &d), 0);
  same("transposed", tiny_conv_layer_forward(&back, tiny_conv_layer_forward(&conv, img)),
       tiny_conv_transpose(tiny_conv(img, conv.weight, conv.bias, &d), back.weight, NULL, &d), 0);
  const double at[2] = {3, 49};
  tiny_tensor *ids = given(TINY_I32, TINY_SHAPE(2), at);
  same("embedding", tiny_embedding_layer_forward(&table, ids), tiny_embedding(ids, table.weight, 3), 0);
  tiny_linear_layer_free(&fc); tiny_linear_layer_free(&plain);
  tiny_conv_layer_free(&conv); tiny_conv_layer_free(&back);
  tiny_embedding_layer_free(&table);
  CHECK(!fc.weight && !conv.bias && !table.weight);
  tiny_linear_layer_free(&fc);             // twice is once
  tiny_params_free(&p);
}

static void check_norm_layers(void) {
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_norm_layer m[5];
  tiny_tensor *x = numbers(TINY_F32, TINY_SHAPE(3, 4, 5), -1, 2);
  for (int i = 0; i < 5; i++) {
    const int last = i == TINY_LAYER_NORM || i == TINY_RMS_NORM;
    char name[2] = {(char)('a' + i), 0};
    m[i] = tiny_norm_layer_new(t, (tiny_norm_kind)i, last ? TINY_SHAPE(4, 5) : TINY_SHAPE(4), 2);
    CHECK_EQ(tiny_norm_layer_params(&m[i], &p, name), TINY_OK);
  }
  CHECK_EQ(p.n, 9);
  CHECK_EQ(p.ntrainable, 7);
  has(&p, 0, "a.weight", TINY_SHAPE(4), 1);
  has(&p, 2, "a.running_mean", TINY_SHAPE(4), 0);
  has(&p, 3, "a.running_var", TINY_SHAPE(4), 0);
  has(&p, 5, "b.bias", TINY_SHAPE(4, 5), 1);
  has(&p, 8, "e.weight", TINY_SHAPE(4, 5), 1);
  same("layer", tiny_norm_layer_forward(&m[1], x, 0), tiny_layer_norm(x, 2, NULL, NULL, 1e-5), 1e-6);
  same("group", tiny_norm_layer_forward(&m[2], x, 1), tiny_group_norm(x, 2, NULL, NULL, 1e-5), 1e-6);
  same("instance", tiny_norm_layer_forward(&m[3], x, 1), tiny_instance_norm(x, NULL, NULL, 1e-5), 1e-6);
  same("rms", tiny_norm_layer_forward(&m[4], x, 1), tiny_rms_norm(x, 2, NULL, 1e-7), 1e-6);
  same("batch, unused", tiny_norm_layer_forward(&m[0], x, 0), x, 1e-5);
  for (int i = 0; i < 150; i++) {          // the running mean and variance go to those of the batch
    tiny_begin(t);
    tiny_norm_layer_forward(&m[0], x, 1);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  const tiny_shape axes = TINY_SHAPE(0, 2);
  same("running mean", m[0].mean, tiny_div(tiny_reduce(x, TINY_REDUCE_SUM, axes, 0), tiny_like(x, 15)), 1e-5);
  for (int i = 0; i < 5; i++) tiny_norm_layer_free(&m[i]);
  tiny_params_free(&p);
  BAD(tiny_norm_layer_new(t, TINY_GROUP_NORM, TINY_SHAPE(4, 5), 2).weight, TINY_E_ARG, "norm_layer_new: kind 2 over 2 dims");
  BAD(tiny_norm_layer_new(t, (tiny_norm_kind)7, TINY_SHAPE(4), 2).weight, TINY_E_ARG, "norm_layer_new: kind 7 over 1 dims");
}

static void check_attention_layer(void) {
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_attention_layer m = tiny_attention_layer_new(t, 6, 2, 1);
  CHECK_EQ(tiny_attention_layer_params(&m, &p, "self_attn"), TINY_OK);
  CHECK_EQ(p.n, 4);
  has(&p, 0, "self_attn.in_proj_weight", TINY_SHAPE(18, 6), 1);
  has(&p, 1, "self_attn.in_proj_bias", TINY_SHAPE(18), 1);
  has(&p, 2, "self_attn.out_proj.weight", TINY_SHAPE(6, 6), 1);
  has(&p, 3, "self_attn.out_proj.bias", TINY_SHAPE(6), 1);
  range_of(m.in_proj_weight, -0.5, 0.5);
  tiny_assign(m.in_proj_bias, numbers(TINY_F32, TINY_SHAPE(18), -1, 1));
  tiny_tensor *q = numbers(TINY_F32, TINY_SHAPE(2, 3, 6), -1, 1), *k = numbers(TINY_F32, TINY_SHAPE(2, 4, 6), -1, 1), *v = numbers(TINY_F32, TINY_SHAPE(2, 4, 6), 0, 1), *of[3] = {q, k, v};
  for (int i = 0; i < 3; i++) {            // heads (B,L,2,3) -> (B,2,L,3)
    tiny_tensor *y = tiny_linear(of[i], tiny_slice(m.in_proj_weight, 0, 6 * i, 6 * i + 6, 1), tiny_slice(m.in_proj_bias, 0, 6 * i, 6 * i + 6, 1));
    of[i] = tiny_transpose(tiny_reshape(y, TINY_SHAPE(2, -1, 2, 3)), 1, 2);
  }
  tiny_tensor *y = tiny_reshape(tiny_transpose(tiny_attention(of[0], of[1], of[2], NULL), 1, 2), TINY_SHAPE(2, 3, 6));
  same("attention", tiny_attention_layer_forward(&m, q, k, v, NULL), tiny_linear(y, m.out_proj.weight, m.out_proj.bias), 1e-6);
  tiny_tensor *first[3] = {tiny_squeeze(tiny_slice(q, 0, 0, 1, 1), 0), tiny_squeeze(tiny_slice(k, 0, 0, 1, 1), 0), tiny_squeeze(tiny_slice(v, 0, 0, 1, 1), 0)};
  same("no batch", tiny_attention_layer_forward(&m, first[0], first[1], first[2], NULL), tiny_squeeze(tiny_slice(tiny_attention_layer_forward(&m, q, k, v, NULL), 0, 0, 1, 1), 0), 1e-6);
  BAD(tiny_attention_layer_forward(&m, q, k, tiny_slice(v, 1, 0, 2, 1), NULL), TINY_E_SHAPE, "attention_layer: queries (2,3,6), keys (2,4,6), values (2,2,6) for a layer of 6");
  BAD(tiny_attention_layer_new(t, 6, 4, 1).in_proj_weight, TINY_E_ARG, "attention_layer_new: 6 in 4 heads");
  tiny_attention_layer_free(&m);
  tiny_params_free(&p);
}

static void check_recurrent_layer(void) {
  tiny_params p;
  tiny_recurrent_desc d;
  memset(&p, 0, sizeof p);
  memset(&d, 0, sizeof d);
  d.layers = 2; d.bidirectional = 1; d.dropout = 0.5;
  tiny_recurrent_layer m = tiny_recurrent_layer_new(t, TINY_LSTM, 3, 4, &d, 1);
  CHECK_EQ(tiny_recurrent_layer_params(&m, &p, "rnn"), TINY_OK);
  CHECK_EQ(p.n, 16);
  has(&p, 0, "rnn.weight_ih_l0", TINY_SHAPE(16, 3), 1);
  has(&p, 1, "rnn.weight_hh_l0", TINY_SHAPE(16, 4), 1);
  has(&p, 7, "rnn.bias_hh_l0_reverse", TINY_SHAPE(16), 1);
  has(&p, 8, "rnn.weight_ih_l1", TINY_SHAPE(16, 8), 1);
  range_of(m.w[0].w_hh, -0.5, 0.5);
  tiny_tensor *x = numbers(TINY_F32, TINY_SHAPE(3, 2, 3), -1, 1), *hn, *cn;
  d.dropout = 0;
  same("lstm", tiny_recurrent_layer_forward(&m, x, NULL, NULL, 0, &hn, &cn), tiny_lstm(x, NULL, NULL, m.w, &d, NULL, NULL), 1e-6);
  CHECK_EQ(tiny_shape_of(cn).dim[0], 4);
  tiny_recurrent_layer_free(&m);
  CHECK(!m.w);
  m = tiny_recurrent_layer_new(t, TINY_GRU, 3, 4, NULL, 0);
  CHECK(!m.w[0].b_ih);
  same("gru", tiny_recurrent_layer_forward(&m, x, NULL, NULL, 1, NULL, NULL), tiny_gru(x, NULL, m.w, NULL, NULL), 0);
  tiny_recurrent_layer_free(&m);
  m = tiny_recurrent_layer_new(t, TINY_RNN, 3, 0, NULL, 0);
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  CHECK_STR(tiny_error(t), "recurrent_layer_new: kind 0, 1 layers of 0");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_recurrent_layer_forward(&m, x, NULL, NULL, 1, NULL, NULL)));
  tiny_clear(t);
  tiny_recurrent_layer_free(&m);
  tiny_params_free(&p);
}

// ** a network of layers: an embedding, a block of attention, a classifier; it learns which of its tokens is the largest **

typedef struct block { tiny_norm_layer norm; tiny_attention_layer attention; tiny_linear_layer up, down; } block;
typedef struct network { tiny_embedding_layer table; block body[2]; tiny_linear_layer head; } network;
enum { TOKENS = 8, WIDTH = 16, LENGTH = 4, BATCH = 32 };

static network network_new(void) {
  network n;
  n.table = tiny_embedding_layer_new(t, TOKENS, WIDTH, -1);
  for (int i = 0; i < 2; i++) {
    n.body[i].norm = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(WIDTH), 0);
    n.body[i].attention = tiny_attention_layer_new(t, WIDTH, 2, 1);
    n.body[i].up = tiny_linear_layer_new(t, WIDTH, 2 * WIDTH, 1);
    n.body[i].down = tiny_linear_layer_new(t, 2 * WIDTH, WIDTH, 1);
  }
  n.head = tiny_linear_layer_new(t, WIDTH, TOKENS, 1);
  return n;
}
static tiny_tensor *block_forward(const block *b, tiny_tensor *x) {
  tiny_tensor *y = tiny_norm_layer_forward(&b->norm, x, 1);
  x = tiny_add(x, tiny_attention_layer_forward(&b->attention, y, y, y, NULL));
  return tiny_add(x, tiny_linear_layer_forward(&b->down, tiny_relu(tiny_linear_layer_forward(&b->up, x))));
}
static tiny_tensor *network_forward(const network *n, tiny_tensor *ids) {
  tiny_tensor *x = tiny_embedding_layer_forward(&n->table, ids);
  for (int i = 0; i < 2; i++) x = block_forward(&n->body[i], x);
  return tiny_linear_layer_forward(&n->head, tiny_mean(x, 1, 0));
}
static void block_params(const block *b, tiny_params *p, const char *prefix) {
  tiny_params_enter(p, prefix);
  tiny_norm_layer_params(&b->norm, p, "norm");
  tiny_attention_layer_params(&b->attention, p, "attn");
  tiny_linear_layer_params(&b->up, p, "mlp.0");
  tiny_linear_layer_params(&b->down, p, "mlp.2");
  tiny_params_leave(p);
}
static void check_network(void) {
  network n = network_new();
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_embedding_layer_params(&n.table, &p, "table");
  block_params(&n.body[0], &p, "layers.0");
  block_params(&n.body[1], &p, "layers.1");
  tiny_linear_layer_params(&n.head, &p, "head");
  CHECK_EQ(p.n, 23);
  CHECK_STR(p.param[5].name, "layers.0.attn.out_proj.weight");
  CHECK_STR(p.param[22].name, "head.bias");
  tiny_optim adam;
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM; adam.lr = 3e-3;
  double first = 0, last = 0;
  uint32_t random = 7;
  tiny_stats planned;
  memset(&planned, 0, sizeof planned);
  for (int step = 0; step < 40; step++) {
    int32_t ids[BATCH][LENGTH], most[BATCH];
    for (int i = 0; i < BATCH; i++) {
      most[i] = 0;
      for (int j = 0; j < LENGTH; j++) {
        random = random * 1664525u + 1013904223u;            // Numerical Recipes, section 7.1
        ids[i][j] = (int32_t)(random >> 16) % TOKENS;
        if (ids[i][j] > most[i]) most[i] = ids[i][j];
      }
    }
    tiny_tensor *grads[32];
    tiny_begin(t);
    tiny_tensor *y = network_forward(&n, tiny_from(t, ids, TINY_I32, TINY_SHAPE(BATCH, LENGTH)));
    tiny_tensor *loss = tiny_cross_entropy(y, tiny_from(t, most, TINY_I32, TINY_SHAPE(BATCH)), NULL);
    CHECK_EQ(tiny_grad(loss, p.trainable, p.ntrainable, grads), TINY_OK);
    CHECK_EQ(tiny_optim_step(&adam, p.trainable, grads, p.ntrainable), TINY_OK);
    last = tiny_item(loss);
    if (!step) first = last;
    CHECK_EQ(tiny_end(t), TINY_OK);
    if (step == 1) planned = tiny_stats_of(t);              // every step from now on is one that was planned before
  }
  if (!(last < 0.6 * first)) printf("the loss went from %g to %g\n", first, last);
  CHECK(last < 0.6 * first);
  CHECK_EQ(tiny_stats_of(t).schedules, planned.schedules);
  CHECK_EQ(tiny_stats_of(t).replays, planned.replays + 38);
  tiny_optim_free(&adam);
  tiny_params_free(&p);
}

// Nothing to make layers of, or no memory: poison, a message, no leak (the sanitisers look).
static void check_errors(void) {
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_linear_layer m = tiny_linear_layer_new(t, -1, 2, 1);
  CHECK_EQ(tiny_status(t), TINY_E_SHAPE);
  CHECK_STR(tiny_error(t), "linear_layer_new: negative size in (2,-1)");
  CHECK(tiny_linear_layer_params(&m, &p, "fc") != TINY_OK && !p.n);
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_linear_layer_forward(&m, tiny_zeros(t, TINY_F32, TINY_SHAPE(2)))));
  tiny_linear_layer_free(&m);
  m = tiny_linear_layer_new(NULL, 2, 2, 1);
  CHECK(!m.weight && !m.bias);
  CHECK(tiny_linear_layer_forward(NULL, NULL) == NULL);
  BAD(tiny_conv_layer_new(t, 3, 4, TINY_SHAPE(3), &(tiny_conv_desc){.groups = 2}, 1).weight, TINY_E_ARG, "conv_layer_new: 3 to 4 channels in 2 groups, a kernel of 1 dims");
  CHECK(tiny_recurrent_layer_new(NULL, TINY_GRU, 1, 1, NULL, 1).w == NULL);
  CHECK_EQ(tiny_linear_layer_params(NULL, &p, "x"), TINY_E_ARG);
  CHECK_EQ(tiny_params_add(NULL, "x", "y", NULL, 1), TINY_E_ARG);
  tiny_linear_layer_free(NULL); tiny_conv_layer_free(NULL); tiny_norm_layer_free(NULL); tiny_embedding_layer_free(NULL);
  tiny_attention_layer_free(NULL); tiny_recurrent_layer_free(NULL); tiny_params_free(NULL);
  tiny_clear(t);
}

// ** the n-th allocation fails, for n = 1, 2, .. until all goes well: every operator of these rooms once **

typedef struct counter { int64_t left, live; } counter;
static void *counted(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  counter *c = (counter *)user;
  if (new_nbytes > old_nbytes && c->left-- == 0) { c->left = 0; return NULL; }
  c->live += (int64_t)new_nbytes - (int64_t)old_nbytes;
  if (new_nbytes) return realloc(ptr, new_nbytes);
  free(ptr);
  return NULL;
}
static tiny_tensor *losses(tiny_tensor *x, tiny_tensor *y, tiny_tensor *i) {
  tiny_cross_entropy_desc d;
  memset(&d, 0, sizeof d);
  d.weight = tiny_squeeze(tiny_slice(y, 0, 0, 1, 1), 0); d.label_smoothing = 0.1;
  tiny_tensor *of[] = {tiny_mse_loss(x, y, TINY_MEAN), tiny_l1_loss(x, y, TINY_SUM), tiny_smooth_l1_loss(x, y, 1, TINY_MEAN), tiny_huber_loss(x, y, 1, TINY_MEAN),
    tiny_binary_cross_entropy(x, y, d.weight, TINY_MEAN), tiny_binary_cross_entropy_with_logits(x, y, NULL, d.weight, TINY_MEAN), tiny_soft_margin_loss(x, y, TINY_MEAN),
    tiny_multilabel_soft_margin_loss(x, y, d.weight, TINY_MEAN), tiny_kl_div(x, y, 0, TINY_BATCH_MEAN), tiny_gaussian_nll_loss(x, y, y, 1, 1e-6, TINY_MEAN),
    tiny_poisson_nll_loss(x, y, 0, 1, 1e-6, TINY_MEAN), tiny_hinge_embedding_loss(x, y, 1, TINY_MEAN), tiny_margin_ranking_loss(x, y, x, 1, TINY_MEAN),
    tiny_cosine_embedding_loss(x, y, i, 0, TINY_MEAN), tiny_triplet_margin_loss(x, y, x, 1, 3, 1, TINY_MEAN), tiny_multi_margin_loss(x, i, 2, 1, d.weight, TINY_MEAN),
    tiny_cross_entropy(x, i, &d), tiny_cross_entropy(x, y, &d), tiny_nll_loss(x, i, NULL),
    tiny_ctc_loss(tiny_reshape(x, TINY_SHAPE(4, 2, 2)), tiny_reshape(i, TINY_SHAPE(2, 2)), tiny_slice(i, 0, 0, 2, 1), tiny_slice(i, 0, 0, 2, 1), 0, 1, TINY_MEAN)};
  tiny_tensor *sum = of[0];
  for (size_t k = 1; k < sizeof of / sizeof *of; k++) sum = tiny_add(sum, of[k]);
  return sum;
}
static tiny_tensor *norms(tiny_tensor *x) {
  tiny_tensor *deep = tiny_reshape(x, TINY_SHAPE(2, 4, 2)), *of[] = {tiny_softmin(x, 0), tiny_log_softmax(x, 1), tiny_gumbel_softmax(x, 1, 1, 0), tiny_rms_norm(x, 1, NULL, 1e-5),
    tiny_reshape(tiny_group_norm(deep, 2, NULL, NULL, 1e-5), TINY_SHAPE(4, 4)), tiny_reshape(tiny_instance_norm(deep, NULL, NULL, 1e-5), TINY_SHAPE(4, 4)),
    tiny_local_response_norm(x, 3, 1, 0.75, 1), tiny_normalize(x, 3, 0, 1e-6), tiny_cosine_similarity(x, x, 1, 1e-8), tiny_pairwise_distance(x, x, 2, 1e-6, 0),
    tiny_bilinear(x, x, tiny_reshape(x, TINY_SHAPE(1, 4, 4)), NULL), tiny_rope(x, NULL, NULL), tiny_logsumexp(x, 1, 1), tiny_embedding(tiny_cast(tiny_sum(x, 1, 0), TINY_I32), x, 1),
    tiny_embedding_bag(tiny_cast(x, TINY_I32), x, NULL, NULL, TINY_MAX, -1)};
  tiny_tensor *sum = of[0];
  for (size_t k = 1; k < sizeof of / sizeof *of; k++) sum = tiny_add(sum, of[k]);
  return sum;
}
static int build_much(void) {
  tiny_params p;
  tiny_recurrent_desc d;
  memset(&p, 0, sizeof p);
  memset(&d, 0, sizeof d);
  d.bidirectional = 1;
  tiny_embedding_layer table = tiny_embedding_layer_new(t, 4, 4, 1);
  tiny_attention_layer attention = tiny_attention_layer_new(t, 4, 2, 1);
  tiny_recurrent_layer lstm = tiny_recurrent_layer_new(t, TINY_LSTM, 4, 2, &d, 1), gru = tiny_recurrent_layer_new(t, TINY_GRU, 4, 4, NULL, 1);
  tiny_norm_layer norm = tiny_norm_layer_new(t, TINY_BATCH_NORM, TINY_SHAPE(4), 0);
  tiny_embedding_layer_params(&table, &p, "table"); tiny_attention_layer_params(&attention, &p, "attention");
  tiny_recurrent_layer_params(&lstm, &p, "lstm"); tiny_recurrent_layer_params(&gru, &p, "gru"); tiny_norm_layer_params(&norm, &p, "norm");
  const int32_t ids[4] = {0, 1, 2, 3};
  tiny_tensor *grads[32], *hn, *cn;
  tiny_begin(t);
  tiny_tensor *i = tiny_from(t, ids, TINY_I32, TINY_SHAPE(4)), *x = tiny_embedding_layer_forward(&table, i);
  x = tiny_attention_layer_forward(&attention, x, x, x, NULL);
  x = tiny_recurrent_layer_forward(&lstm, tiny_unsqueeze(x, 1), NULL, NULL, 1, &hn, &cn);
  x = tiny_norm_layer_forward(&norm, tiny_squeeze(tiny_recurrent_layer_forward(&gru, x, NULL, NULL, 1, NULL, NULL), 1), 1);
  tiny_tensor *loss = tiny_add(tiny_sum(norms(x), TINY_ALL, 0), losses(x, table.weight, i));
  loss = tiny_add(loss, tiny_add(tiny_sum(hn, TINY_ALL, 0), tiny_sum(cn, TINY_ALL, 0)));
  const tiny_code code = t && p.ntrainable < 32 ? tiny_grad(loss, p.trainable, p.ntrainable, grads) : TINY_E_MEMORY;
  const int ok = t && tiny_status(t) == TINY_OK && tiny_ok(loss) && code == TINY_OK;
  if (t && !ok && tiny_status(t) != TINY_E_MEMORY) printf("%s\n", tiny_error(t));
  if (t && !ok) CHECK_EQ(tiny_status(t), TINY_E_MEMORY);
  if (t) { t->tensors->npending = 0; tiny_end(t); }          // the graph is built and dropped, not run
  tiny_params_free(&p);
  tiny_embedding_layer_free(&table); tiny_attention_layer_free(&attention); tiny_recurrent_layer_free(&lstm); tiny_recurrent_layer_free(&gru);
  tiny_norm_layer_free(&norm);
  return ok;
}
static void check_allocations(void) {
  int done = 0, tried = 0;
  for (; !done && tried < 30000; tried += tried < 1000 ? 1 : 50) {
    counter c = {tried, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "NULL"; d.cache_dir = ""; d.alloc.fn = counted; d.alloc.user = &c;
    t = tiny_open(&d);
    done = t && tiny_status(t) == TINY_OK && build_much();
    tiny_close(t);
    if (c.live) { printf("allocation %d: %d bytes leak\n", tried, (int)c.live); CHECK_EQ(c.live, 0); break; }
  }
  CHECK(done && tried > 50);
}

int main(void) {
  check_allocations();
  open_interp();
  check_params();
  check_simple_layers();
  check_norm_layers();
  check_attention_layer();
  check_recurrent_layer();
  check_errors();
  tiny_close(t);
  tiny_desc d;                             // compiled, if there is a compiler
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  t = tiny_open(&d);
  check_network();
  tiny_close(t);
  return test_report();
}
