// networks: ResNet-18 and MobileNetV2 forward against PyTorch and against the sum of oneDNN's layers. A part of
// bench.c.
//
// Weights are random, numbered in the order they are made, and the same in torch_peer.py, which writes the networks
// out alike. Batch norm uses its running statistics. PyTorch's side is the fastest of three: as written, and
// with batch norms folded into weights and everything as oneDNN likes it, or channels last.

static tiny_tensor *net_conv(net *n, tiny_tensor *x, int64_t out, int kernel, int stride, int groups) {
  const tiny_shape s = tiny_shape_of(x);
  const int64_t in = s.dim[1], fan = in / groups * kernel * kernel;
  const tiny_conv_desc d = {.stride = {stride, stride}, .pad = {kernel / 2, kernel / 2}, .groups = groups};
  if (n->nlayer < 64) n->layer[n->nlayer++] = (layer){s.dim[0], in, s.dim[2], out, kernel, stride, groups};
  const tiny_shape shape = TINY_SHAPE(out, in / groups, kernel, kernel);
  return tiny_conv2d(x, numbers_tensor(n->t, shape, n->seed++, sqrtf(24 / (float)fan), 0), NULL, &d);
}
static tiny_tensor *net_norm(net *n, tiny_tensor *x) {
  const tiny_shape c = TINY_SHAPE(tiny_shape_of(x).dim[1]);
  tiny_batch_norm_state s = {.mean = NULL};
  s.weight = numbers_tensor(n->t, c, n->seed++, 0.2f, 1);
  s.bias = numbers_tensor(n->t, c, n->seed++, 0.2f, 0);
  s.mean = numbers_tensor(n->t, c, n->seed++, 0.2f, 0);
  s.var = numbers_tensor(n->t, c, n->seed++, 0.5f, 1);
  return tiny_batch_norm(x, &s, 0);
}
static tiny_tensor *net_head(net *n, tiny_tensor *x, int64_t classes) {
  const int64_t in = tiny_shape_of(x).dim[1];
  tiny_tensor *w = numbers_tensor(n->t, TINY_SHAPE(classes, in), n->seed++, sqrtf(12 / (float)in), 0);
  tiny_tensor *b = numbers_tensor(n->t, TINY_SHAPE(classes), n->seed++, 0.1f, 0);
  return tiny_linear(tiny_mean(tiny_flatten(x, 2, 3), 2, 0), w, b);
}

// x (B,3,224,224) -> (B,1000)
static tiny_tensor *resnet18(net *n, tiny_tensor *x) {
  x = tiny_relu(net_norm(n, net_conv(n, x, 64, 7, 2, 1)));
  x = tiny_max_pool2d(x, 3, 2, 1);
  for (int stage = 0; stage < 4; stage++) for (int block = 0; block < 2; block++) {
    const int64_t width = (int64_t)64 << stage;
    const int stride = stage && !block ? 2 : 1;
    tiny_tensor *y = tiny_relu(net_norm(n, net_conv(n, x, width, 3, stride, 1)));
    y = net_norm(n, net_conv(n, y, width, 3, 1, 1));
    if (stride > 1) x = net_norm(n, net_conv(n, x, width, 1, stride, 1));
    x = tiny_relu(tiny_add(y, x));
  }
  return net_head(n, x, 1000);
}

static tiny_tensor *relu6(tiny_tensor *x) {
  return tiny_minimum(tiny_relu(x), tiny_like(x, 6));
}
// x (B,3,224,224) -> (B,1000). Rows of the table: expansion, channels, blocks, stride of the first.
static tiny_tensor *mobilenet2(net *n, tiny_tensor *x) {
  static const int table[][4] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1},
                                 {6, 160, 3, 2}, {6, 320, 1, 1}};
  x = relu6(net_norm(n, net_conv(n, x, 32, 3, 2, 1)));
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) for (int block = 0; block < table[i][2]; block++) {
    const int64_t in = tiny_shape_of(x).dim[1], inner = in * table[i][0], out = table[i][1];
    const int stride = block ? 1 : table[i][3];
    tiny_tensor *y = x;
    if (inner > in) y = relu6(net_norm(n, net_conv(n, y, inner, 1, 1, 1)));
    y = relu6(net_norm(n, net_conv(n, y, inner, 3, stride, (int)inner)));
    y = net_norm(n, net_conv(n, y, out, 1, 1, 1));
    x = stride == 1 && in == out ? tiny_add(x, y) : y;
  }
  return net_head(n, relu6(net_norm(n, net_conv(n, x, 1280, 1, 1, 1))), 1000);
}

static const struct { const char *name, *word; tiny_tensor *(*build)(net *n, tiny_tensor *x); } networks[] = {
  {"ResNet-18", "resnet18", resnet18}, {"MobileNetV2", "mobilenet2", mobilenet2}
};

static tiny_tensor *network(net *n, int which, int batch, tiny_tensor **x) {
  *x = numbers_tensor(n->t, TINY_SHAPE(batch, 3, 224, 224), 1, 2, 0);
  n->seed = 2;
  return networks[which].build(n, *x);
}

static void bench_network(int which, int batch, mean *all) {
  char name[64], what[64];
  snprintf(name, sizeof name, "%s, batch %d", networks[which].name, batch);
  if (!wanted(name)) return;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  net n = {.t = t};
  tiny_tensor *in, *out = network(&n, which, batch, &in), *result;
  program ours = {t, tiny_capture(t, &in, 1, &out, 1), &in};
  racer r[2] = {{.name = "tiny", .run = program_run, .arg = &ours}};
  float first[1000];
  if (!failed(t)) {
    static const char *const ways[] = {"as written", "folded", "folded, channels last"};
    double rate[3] = {0, 0, 0}, apart = 0;
    int best = 0, torches = 0;
    tiny_run(ours.p, &in, &result);
    tiny_read(tiny_narrow(tiny_flatten(result, 0, -1), 0, 0, 1000), first, sizeof first);
    for (int way = 0; way < 3; way++) {      // which is fastest is found before the race
      snprintf(what, sizeof what, "%s %d %d", networks[which].word, batch, way);
      if (!torch_racer(&r[1], TORCH_KEEPS, what)) continue;
      race(&r[1], 1, 1);
      rate[way] = most(&r[1].rate);
      apart = fmax(apart, torch_apart(&r[1], first, 1000));
      if (rate[way] > rate[best]) best = way;
      torches++;
    }
    snprintf(what, sizeof what, "%s %d %d", networks[which].word, batch, best);
    if (torches && torch_best_racer(&r[1], what, NULL)) {
      race(r, 2, 1);
      compare(name, &r[0].rate, &r[1].rate, 0.85, "%.2f of %.2f ms (%s; %s); %d kernels; %.1g apart",
              1e3 / median(&r[0].rate), 1e3 / median(&r[1].rate), ways[best], r[1].name, tiny_program_kernel_count(ours.p),
              apart);
      mean_add(all, ratio(&r[0].rate, &r[1].rate));
      torch_drop(&r[1]);
    } else {
      race(r, 1, 1);
      state(name, 1e3 / median(&r[0].rate), "ms", 0, 0, "%d kernels", tiny_program_kernel_count(ours.p));
    }
    onednn_network(name, &n, &r[0]);
  }
  tiny_close(t);
}

static void bench_networks(void) {
  mean all = {0, 0};
  heading("networks: forward passes of 224 x 224 images against PyTorch");
  for (int which = 0; which < 2; which++)
    for (int batch = 1; batch <= 8; batch *= 8) bench_network(which, batch, &all);
  report_mean("networks, mean", &all, 0.85);
}

// The first result of a whole network whose kernels the library compiles itself: a part of section h.
static void bench_network_first(void) {
  series time = {{0}, 0};
  static float out[1000];
  if (!wanted("ResNet-18, first result")) return;
  for (int i = 0; i < rounds; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.cache_dir = "", .compiler = "builtin"});
    net n = {.t = t};
    tiny_tensor *x, *y = network(&n, 0, 1, &x);
    const double start = seconds();
    tiny_read(y, out, sizeof out);
    add(&time, (seconds() - start) * 1e3);
    if (failed(t)) i = rounds;
    tiny_close(t);
  }
  report("ResNet-18, first result, empty cache", &time, "ms", 250, "batch 1, no outside compiler");
}

// Lowering of a whole network, without a compiler: a part of section l.
static void bench_network_lowering(void) {
  series time = {{0}, 0}, plan = {{0}, 0};
  int kernels = 0;
  if (!wanted("lowering of ResNet-18")) return;
  for (int i = 0; i < rounds; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NULL", .cache_dir = ""});
    net n = {.t = t};
    tiny_tensor *x, *y = network(&n, 0, 1, &x);
    const double start = seconds();
    tiny_realize(&y, 1);
    add(&time, (seconds() - start) * 1e3);
    const tiny_stats s = tiny_stats_of(t);
    add(&plan, (double)s.lower_ns * 1e-6);
    kernels = (int)s.kernels;
    if (failed(t)) i = rounds;
    tiny_close(t);
  }
  report("lowering of ResNet-18, batch 1", &time, "ms", 60, "%d kernels, all new; %.1f ms of it lowering", kernels,
         median(&plan));
}
