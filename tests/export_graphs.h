// export_graphs: programs that are exported as C: networks, a training step, random numbers, every dtype, and a device
// that interprets the lists that the exported kernels are written from.
#ifndef EXPORT_GRAPHS_H
#define EXPORT_GRAPHS_H

enum { GRAPH_MOST = 12 };
typedef struct graph {
  tiny_ctx *t;
  tiny_tensor *in[GRAPH_MOST], *out[GRAPH_MOST], *named[GRAPH_MOST]; int n, m, nnamed;
  int salt;
} graph;
static const char *const graph_names[GRAPH_MOST] = {"first \"one\"", "b", "c", "d", "e", "f", "g", "h", "i", "j",
    "k", "l"};

// Numbers between -scale and scale.
static tiny_tensor *graph_numbers(graph *g, tiny_dtype dtype, tiny_shape s, double scale) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *v = (float *)malloc((size_t)(n + 1) * sizeof *v);
  g->salt++;
  for (int64_t i = 0; i < n; i++) v[i] = (float)(((double)((i * 7919 + g->salt * 104729) % 4093) / 2046.5 - 1) * scale);
  tiny_tensor *x = tiny_from(g->t, v, TINY_F32, s), *y = dtype == TINY_F32 ? x : tiny_cast(x, dtype);
  free(v);
  tiny_realize(&y, 1);
  return y;
}
static tiny_tensor *graph_weight(graph *g, tiny_shape s, double scale) {
  return tiny_keep(graph_numbers(g, TINY_F32, s, scale));
}
static tiny_tensor *graph_takes(graph *g, tiny_dtype dtype, tiny_shape s, double scale) {
  return g->in[g->n++] = graph_numbers(g, dtype, s, scale);
}
static void graph_gives(graph *g, tiny_tensor *x) { g->out[g->m++] = x; }
static tiny_tensor *graph_named(graph *g, tiny_shape s, double scale) {
  return g->named[g->nnamed++] = graph_weight(g, s, scale);
}

// ** networks **

static tiny_tensor *graph_conv(graph *g, tiny_tensor *x, int64_t out, int kernel, int stride) {
  const int64_t in = tiny_shape_of(x).dim[1];
  const tiny_conv_desc d = {.stride = {stride, stride}, .pad = {kernel / 2, kernel / 2}};
  tiny_tensor *w = graph_weight(g, TINY_SHAPE(out, in, kernel, kernel), sqrt(6 / (double)(in * kernel * kernel)));
  const tiny_shape c = TINY_SHAPE(out);
  tiny_batch_norm_state s = {.mean = NULL};
  s.weight = tiny_keep(tiny_add(graph_weight(g, c, 0.2), tiny_ones(g->t, TINY_F32, c)));
  s.bias = graph_weight(g, c, 0.2); s.mean = graph_weight(g, c, 0.2);
  s.var = tiny_keep(tiny_add(tiny_abs(graph_weight(g, c, 0.5)), tiny_ones(g->t, TINY_F32, c)));
  tiny_realize(&s.weight, 1);
  tiny_realize(&s.var, 1);
  return tiny_batch_norm(tiny_conv2d(x, w, NULL, &d), &s, 0);
}
static void graph_resnet(graph *g, int64_t size, int64_t base, int64_t classes) {
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(1, 3, size, size), 1);
  x = tiny_max_pool2d(tiny_relu(graph_conv(g, x, base, 7, 2)), 3, 2, 1);
  for (int stage = 0; stage < 4; stage++) for (int block = 0; block < 2; block++) {
    const int64_t width = base << stage;
    const int stride = stage && !block ? 2 : 1;
    tiny_tensor *y = graph_conv(g, tiny_relu(graph_conv(g, x, width, 3, stride)), width, 3, 1);
    if (stride > 1) x = graph_conv(g, x, width, 1, stride);
    x = tiny_relu(tiny_add(y, x));
  }
  tiny_tensor *w = graph_weight(g, TINY_SHAPE(classes, base * 8), sqrt(6 / (double)(base * 8)));
  graph_gives(g, tiny_linear(tiny_mean(tiny_flatten(x, 2, 3), 2, 0), w, graph_weight(g, TINY_SHAPE(classes), 0.1)));
}
static void graph_small_resnet(graph *g) { graph_resnet(g, 32, 8, 10); }

// A step of a recurrent network, which keeps its state, and a sequence.
static tiny_recurrent_weights graph_lstm_weights(graph *g, int64_t in, int64_t hidden) {
  tiny_recurrent_weights w;
  memset(&w, 0, sizeof w);
  w.w_ih = graph_weight(g, TINY_SHAPE(4 * hidden, in), 0.3); w.w_hh = graph_weight(g, TINY_SHAPE(4 * hidden,
      hidden), 0.3);
  w.b_ih = graph_weight(g, TINY_SHAPE(4 * hidden), 0.1); w.b_hh = graph_weight(g, TINY_SHAPE(4 * hidden), 0.1);
  return w;
}
static void graph_recurrent(graph *g) {
  tiny_recurrent_weights w = graph_lstm_weights(g, 12, 24);
  tiny_tensor *h = graph_named(g, TINY_SHAPE(24), 0), *c = graph_named(g, TINY_SHAPE(24), 0.5), *cn;
  tiny_tensor *hn = tiny_lstm_cell(graph_takes(g, TINY_F32, TINY_SHAPE(12), 1), h, c, &w, &cn);
  graph_gives(g, tiny_softmax(hn, -1));
  tiny_assign(h, hn);
  tiny_assign(c, cn);
}
static void graph_sequence(graph *g) {
  tiny_recurrent_weights w[2];
  tiny_recurrent_desc d;
  tiny_tensor *hn, *cn;
  memset(&d, 0, sizeof d);
  d.layers = 2;
  w[0] = graph_lstm_weights(g, 8, 16); w[1] = graph_lstm_weights(g, 16, 16);
  graph_gives(g, tiny_lstm(graph_takes(g, TINY_F32, TINY_SHAPE(7, 2, 8), 1), NULL, NULL, w, &d, &hn, &cn));
  graph_gives(g, hn);
}
static tiny_tensor *graph_block(graph *g, tiny_tensor *x, int64_t length, int64_t width, int64_t heads) {
  tiny_tensor *ones = tiny_ones(g->t, TINY_F32, TINY_SHAPE(width)), *part[3];
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = 1;
  tiny_tensor *y = tiny_layer_norm(x, 1, ones, graph_weight(g, TINY_SHAPE(width), 0.1), 1e-5);
  for (int i = 0; i < 3; i++) {
    part[i] = tiny_linear(y, graph_weight(g, TINY_SHAPE(width, width), 0.2), graph_weight(g, TINY_SHAPE(width), 0.1));
    part[i] = tiny_transpose(tiny_reshape(part[i], TINY_SHAPE(1, length, heads, width / heads)), 1, 2);
  }
  y = tiny_attention(part[0], part[1], part[2], &d);
  y = tiny_reshape(tiny_transpose(y, 1, 2), TINY_SHAPE(1, length, width));
  x = tiny_add(x, tiny_linear(y, graph_weight(g, TINY_SHAPE(width, width), 0.2), NULL));
  y = tiny_rms_norm(x, 1, ones, 1e-5);
  y = tiny_gelu(tiny_linear(y, graph_weight(g, TINY_SHAPE(4 * width, width), 0.2), NULL));
  return tiny_add(x, tiny_linear(y, graph_weight(g, TINY_SHAPE(width, 4 * width), 0.1), NULL));
}
static void graph_transformer_of(graph *g, int64_t length, int64_t width, int64_t heads, int layers, int64_t words) {
  tiny_tensor *ids = graph_takes(g, TINY_I32, TINY_SHAPE(1, length), (double)words - 1);
  tiny_tensor *table = graph_weight(g, TINY_SHAPE(words, width), 0.5);
  tiny_tensor *x = tiny_add(tiny_embedding(tiny_abs(ids), table, -1), graph_weight(g, TINY_SHAPE(1, length, width),
      0.2));
  for (int i = 0; i < layers; i++) x = graph_block(g, x, length, width, heads);
  graph_gives(g, tiny_matmul(x, tiny_transpose(table, 0, 1)));
}
static void graph_transformer(graph *g) { graph_transformer_of(g, 12, 32, 4, 2, 40); }

// ** what is kept and drawn **

static void graph_step(graph *g) {         // it trains, with momentum
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(16, 10), 1), *y = graph_takes(g, TINY_F32, TINY_SHAPE(16, 3), 1);
  tiny_tensor *w = graph_named(g, TINY_SHAPE(10, 20), 0.3), *v = graph_named(g, TINY_SHAPE(20, 3), 0.3), *grad[2];
  tiny_tensor *speed[2] = {graph_named(g, TINY_SHAPE(10, 20), 0), graph_named(g, TINY_SHAPE(20, 3), 0)},
      *both[2] = {w, v};
  tiny_tensor *error = tiny_sub(tiny_matmul(tiny_tanh(tiny_matmul(x, w)), v), y);
  tiny_tensor *loss = tiny_mean(tiny_mean(tiny_square(error), 1, 0), 0, 0);
  tiny_grad(loss, both, 2, grad);
  for (int i = 0; i < 2; i++) {
    tiny_tensor *next = tiny_add(tiny_mul_scalar(speed[i], 0.9), grad[i]);
    tiny_assign(speed[i], next);
    tiny_assign(both[i], tiny_sub(both[i], tiny_mul_scalar(next, 0.1)));
  }
  graph_gives(g, loss);
}
static void graph_random(graph *g) {
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(50), 1);
  graph_gives(g, tiny_add(x, tiny_rand(g->t, TINY_SHAPE(50))));
  graph_gives(g, tiny_mul(x, tiny_randn(g->t, TINY_SHAPE(50))));
}
static void graph_scalars(graph *g) {
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(9), 4), *i = graph_takes(g, TINY_I32, TINY_SHAPE(9), 50);
  g->in[g->n++] = tiny_scalar(g->t, 1.25, TINY_F32);
  g->in[g->n++] = tiny_scalar(g->t, -7, TINY_I32);
  g->in[g->n++] = tiny_scalar(g->t, 0.375, TINY_F16);
  graph_gives(g, tiny_mul(x, g->in[2]));
  graph_gives(g, tiny_mul(i, g->in[3]));
  graph_gives(g, tiny_mul(tiny_cast(x, TINY_F16), g->in[4]));
}
static void graph_bare(graph *g) {         // an input as it is, a result twice, and nothing at all
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(3, 2), 1), *y = tiny_neg(x);
  graph_gives(g, x);
  graph_gives(g, y);
  graph_gives(g, y);
  graph_gives(g, tiny_sum(graph_takes(g, TINY_F32, TINY_SHAPE(0, 4), 1), 1, 0));
}

// ** dtypes **

static void graph_integers(graph *g) {
  static const tiny_dtype dtypes[] = {TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64};
  tiny_tensor *x = graph_takes(g, TINY_I64, TINY_SHAPE(40), 4e9), *y = graph_takes(g, TINY_I64, TINY_SHAPE(40), 9);
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    tiny_tensor *a = tiny_cast(x, dtypes[i]), *b = tiny_cast(y, dtypes[i]);
    tiny_tensor *c = tiny_sub(tiny_mul(a, a), tiny_mul(b, tiny_add(a, b)));
    c = tiny_add(c, tiny_bitwise_xor(tiny_shift_left(a, tiny_bitwise_and(b, tiny_like(b, 3))), tiny_shift_right(a,
        tiny_bitwise_and(b, tiny_like(b, 3)))));
    c = tiny_add(c, tiny_floor_div(a, b));
    graph_gives(g, tiny_add(c, tiny_remainder(a, b)));
  }
  graph_gives(g, tiny_cumsum(tiny_cast(x, TINY_I32), 0));
  graph_gives(g, tiny_argmax(tiny_reshape(x, TINY_SHAPE(5, 8)), 1, 0));
}
static void graph_floats(graph *g) {
  static const tiny_dtype dtypes[] = {TINY_F16, TINY_BF16, TINY_F8E4M3, TINY_F8E5M2, TINY_F64};
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(64), 40), *h = graph_takes(g, TINY_F16, TINY_SHAPE(64), 3);
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    tiny_tensor *a = tiny_cast(x, dtypes[i]), *b = tiny_cast(h, dtypes[i]);
    graph_gives(g, tiny_add(tiny_mul(a, b), tiny_sqrt(tiny_abs(b))));
  }
  graph_gives(g, tiny_add(tiny_exp(tiny_cast(h, TINY_F64)), tiny_sin(tiny_cast(x, TINY_F64))));
  graph_gives(g, tiny_div(tiny_log(x), tiny_trunc(tiny_cast(h, TINY_F32))));       // NaN, infinities, zeros
  graph_gives(g, tiny_cast(tiny_mul_scalar(x, 1e9), TINY_I32));
  graph_gives(g, tiny_lt(x, tiny_cast(h, TINY_F32)));
}
static void graph_gather(graph *g) {
  tiny_tensor *at = graph_takes(g, TINY_I32, TINY_SHAPE(6), 49);
  graph_gives(g, tiny_embedding(tiny_abs(at), graph_weight(g, TINY_SHAPE(50, 8), 1), -1));
  graph_gives(g, tiny_sort(graph_takes(g, TINY_F32, TINY_SHAPE(3, 17), 5), -1, 0, NULL));
}

static void graph_tasks(graph *g) {        // enough work for several threads
  tiny_tensor *x = graph_takes(g, TINY_F32, TINY_SHAPE(32, 512), 1);
  graph_gives(g, tiny_tanh(tiny_matmul(x, graph_weight(g, TINY_SHAPE(512, 128), 0.1))));
}

typedef void graph_maker(graph *g);
static const struct { const char *name; graph_maker *make; } graphs[] = {
  {"resnet", graph_small_resnet}, {"recurrent", graph_recurrent}, {"sequence", graph_sequence},
  {"transformer", graph_transformer}, {"step", graph_step}, {"random", graph_random}, {"scalars", graph_scalars},
  {"bare", graph_bare}, {"integers", graph_integers}, {"floats", graph_floats}, {"gather", graph_gather}, {"tasks",
      graph_tasks}
};
enum { GRAPHS = sizeof graphs / sizeof *graphs };
static tiny_program *graph_capture(tiny_ctx *t, graph_maker *make, graph *g) {
  memset(g, 0, sizeof *g);
  g->t = t;
  make(g);
  tiny_program *p = tiny_capture(t, g->in, g->n, g->out, g->m);
  if (!p) fprintf(stderr, "  %s\n", tiny_error(t));
  return p;
}

// ** the device PLAIN: kernels are lowered as for export, and interpreted **

static tiny_ctx *plain_ctx;
static int plain_vectors;                  // bytes
static void *plain_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  tn_export_limits(limits, plain_vectors);
  return plain_ctx = t;
}
// The "text" of a kernel is where the interpreter's module is.
static tiny_code plain_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
    uint64_t *uses) {
  (void)r;
  void *module = tn_interp_load_uops(t, k->list, k->n);
  *uses = 0;
  if (module) tn_text_add(out, "%p", module);
  return t->code;
}
static void plain_renderer(void *dev, tiny_renderer *r) {
  (void)dev;
  tn_lang_plain(r, 0);
  if (plain_vectors >= 0) tn_lang_plain_lanes(r);
  tn_cstyle(r);
  r->kernel = plain_kernel;
  r->flags |= TINY_TARGET_ALONE;
}
static tiny_code plain_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
    tiny_bytes *out) {
  (void)r;
  for (int i = 0; i < n; i++) tiny_bytes_add(out, kernels[i].data, kernels[i].n);
  return t->code;
}
static void plain_renderer_whole(void *dev, tiny_renderer *r) { plain_renderer(dev, r); r->module = plain_module; }
static tiny_code plain_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  (void)dev; (void)log;
  for (int i = 0; i < n; i++) tiny_bytes_add(&binary[i], source[i].data, source[i].n);
  return TINY_OK;
}
static void *plain_load(void *dev, const void *binary, size_t nbytes) {
  char text[40] = "";
  void *module = NULL;
  (void)dev;
  memcpy(text, binary, nbytes < 39 ? nbytes : 39);
  return sscanf(text, "%p", &module) == 1 ? module : NULL;
}
static tiny_backend plain_backend;
static const tiny_backend *plain_device(void) {
  plain_backend = tn_interp_backend;
  plain_backend.name = "PLAIN"; plain_backend.open = plain_open; plain_backend.renderer = plain_renderer_whole;
  plain_backend.compile = plain_compile; plain_backend.load = plain_load; plain_backend.load_uops = NULL;
  return &plain_backend;
}
#endif
