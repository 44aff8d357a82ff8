// transformer: 6 layers, 384 wide, batch 8 x 128, and a step of Adam. A part of bench.c and gpu.c.
enum { BLOCKS = 6, WIDTH = 384, SCORE_HEADS = 6, BATCH = 8, WINDOW = 128, LETTERS = 256 };
enum { STEP_PARAMS = 5 + 12 * BLOCKS };

// Parameters in the order of torch_peer.py, which numbers them alike.
typedef struct transformer {
  tiny_ctx *t; tiny_tensor *param[STEP_PARAMS]; int n; tiny_tensor *ids, *wanted; tiny_optim adam; double loss;
} transformer;

static tiny_tensor *weight_of(transformer *m, tiny_shape shape, float scale, float shift) {
  tiny_tensor *w = tiny_keep(numbers_tensor(m->t, shape, (uint32_t)m->n + 1, scale, shift));
  return m->param[m->n++] = w;
}
static void transformer_new(transformer *m, tiny_ctx *t) {
  int32_t id[BATCH * WINDOW], next[BATCH * WINDOW];
  memset(m, 0, sizeof *m);
  m->t = t;
  m->adam = (tiny_optim){.kind = TINY_ADAM, .lr = 1e-4};
  for (int i = 0; i < BATCH * WINDOW; i++) { id[i] = i * 7919 % 251; next[i] = (i + 1) * 7919 % 251; }
  m->ids = tiny_keep(tiny_from(t, id, TINY_I32, TINY_SHAPE(BATCH, WINDOW)));
  m->wanted = tiny_keep(tiny_from(t, next, TINY_I32, TINY_SHAPE(BATCH * WINDOW)));
  weight_of(m, TINY_SHAPE(LETTERS, WIDTH), 0.1f, 0);
  weight_of(m, TINY_SHAPE(WINDOW, WIDTH), 0.1f, 0);
  for (int i = 0; i < BLOCKS; i++) {
    weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 1); weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 0);
    weight_of(m, TINY_SHAPE(3 * WIDTH, WIDTH), 0.1f, 0); weight_of(m, TINY_SHAPE(3 * WIDTH), 0.1f, 0);
    weight_of(m, TINY_SHAPE(WIDTH, WIDTH), 0.1f, 0); weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 0);
    weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 1); weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 0);
    weight_of(m, TINY_SHAPE(4 * WIDTH, WIDTH), 0.1f, 0); weight_of(m, TINY_SHAPE(4 * WIDTH), 0.1f, 0);
    weight_of(m, TINY_SHAPE(WIDTH, 4 * WIDTH), 0.05f, 0); weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 0);
  }
  weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 1); weight_of(m, TINY_SHAPE(WIDTH), 0.1f, 0);
  weight_of(m, TINY_SHAPE(LETTERS, WIDTH), 0.1f, 0);
}

// (B,W,384) -> (B,heads,W,64): part 0, 1 or 2 of queries, keys and values side by side.
static tiny_tensor *heads_of(tiny_tensor *x, int part) {
  x = tiny_narrow(x, -1, part * WIDTH, WIDTH);
  return tiny_transpose(tiny_reshape(x, TINY_SHAPE(BATCH, WINDOW, SCORE_HEADS, WIDTH / SCORE_HEADS)), 1, 2);
}
static tiny_tensor *transformer_loss(const transformer *m) {
  const tiny_attention_desc past = {.causal = 1};
  tiny_tensor *const *w = m->param + 2;
  tiny_tensor *x = tiny_add(tiny_embedding(m->ids, m->param[0], -1), m->param[1]);
  for (int i = 0; i < BLOCKS; i++, w += 12) {
    tiny_tensor *y = tiny_linear(tiny_layer_norm(x, 1, w[0], w[1], 1e-5), w[2], w[3]);
    y = tiny_attention(heads_of(y, 0), heads_of(y, 1), heads_of(y, 2), &past);
    y = tiny_reshape(tiny_transpose(y, 1, 2), TINY_SHAPE(BATCH, WINDOW, WIDTH));
    x = tiny_add(x, tiny_linear(y, w[4], w[5]));
    y = tiny_gelu(tiny_linear(tiny_layer_norm(x, 1, w[6], w[7], 1e-5), w[8], w[9]));
    x = tiny_add(x, tiny_linear(y, w[10], w[11]));
  }
  tiny_tensor *scores = tiny_linear(tiny_layer_norm(x, 1, w[0], w[1], 1e-5), w[2], NULL);
  return tiny_cross_entropy(tiny_flatten(scores, 0, 1), m->wanted, NULL);
}
// One step: seconds.
static double transformer_step(void *arg) {
  transformer *m = arg;
  tiny_tensor *grad[STEP_PARAMS];
  const double start = seconds();
  tiny_begin(m->t);
  tiny_tensor *loss = transformer_loss(m);
  tiny_grad(loss, m->param, m->n, grad);
  tiny_optim_step(&m->adam, m->param, grad, m->n);
  m->loss = tiny_item(loss);
  tiny_end(m->t);
  return seconds() - start;
}

// Operations of the matmuls of a step: forward, and twice that for the gradients.
static double transformer_flops(void) {
  const double tokens = BATCH * WINDOW, dense = 12.0 * WIDTH * WIDTH * BLOCKS + (double)LETTERS * WIDTH;
  return 3 * (2 * tokens * dense + 4 * tokens * WINDOW * WIDTH * BLOCKS);
}
