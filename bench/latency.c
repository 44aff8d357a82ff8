// latency: what a graph costs beside its kernels: lowering, starting, replaying; how many kernels it becomes. A
// part of bench.c.

// ** lowering: from a graph to C source. The device NULL takes source as it is and runs nothing **

static tiny_tensor *random_tensor(tiny_ctx *t, tiny_shape shape) {
  int64_t n = 1;
  for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
  float *data = malloc((size_t)n * sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (float)(i * 2654435761u % 1024) / 1024;
  tiny_tensor *x = tiny_from(t, data, TINY_F32, shape);
  free(data);
  return x;
}

static double realize_time(tiny_tensor *y) {
  const double start = seconds();
  tiny_realize(&y, 1);
  return (seconds() - start) * 1e3;
}

static void bench_network_lowering(void), bench_network_first(void);          // networks.c

// Milliseconds of the processor for the gradient of n chained operators, kernels and all, in a context of its own.
static double chain_planning(int n) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NULL", .cache_dir = ""});
  tiny_tensor *x = random_tensor(t, TINY_SHAPE(64)), *y = x, *grad = NULL;
  const clock_t start = clock();
  for (int i = 0; i < n; i++) y = tiny_tanh(y);
  tiny_grad(tiny_sum(y, 0, 0), &x, 1, &grad);
  tiny_realize(&grad, 1);
  const double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
  failed(t);
  tiny_close(t);
  return ms;
}
// The same for n assignments to one tensor, of which nothing is read between: to slices of it, or to all of it.
static double assign_planning(int n, int whole) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NULL", .cache_dir = ""});
  tiny_tensor *x = random_tensor(t, TINY_SHAPE(64)), *part = random_tensor(t, TINY_SHAPE(whole ? 64 : 4));
  const clock_t start = clock();
  tiny_begin(t);
  for (int i = 0; i < n; i++) tiny_assign(whole ? x : tiny_slice(x, 0, i % 60, i % 60 + 4, 1), part);
  tiny_realize(&x, 1);
  tiny_end(t);
  const double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
  failed(t);
  tiny_close(t);
  return ms;
}
static double slice_planning(int n) { return assign_planning(n, 0); }
static double whole_planning(int n) { return assign_planning(n, 1); }

// What grows with the length of a graph must grow in proportion: the exponent is that of the last two rows.
static void bench_slope(const char *format, double (*planning)(int n)) {
  static const int length[] = {1000, 3000, 10000, 30000};
  double ms = 0;
  for (int i = 0; i < 4; i++) {
    char name[64];
    series time = {{0}, 0};
    const double before = ms;
    snprintf(name, sizeof name, format, length[i]);
    add(&time, ms = planning(length[i]));
    if (i < 3) report(name, &time, "ms", 0, "planned once");
    else report(name, &time, "ms", 0, "grows as n^%.2f", log(ms / before) / log((double)length[i] / length[i - 1]));
  }
}

static void bench_lowering(void) {
  series matmul = {{0}, 0}, softmax = {{0}, 0}, norm = {{0}, 0}, first = {{0}, 0};
  heading("lowering: tensor graph -> C source of one new kernel, no compiler (shapes new each round)");
  const tiny_desc desc = {.device = "NULL", .cache_dir = ""};
  for (int i = 0; i < rounds; i++) {
    tiny_ctx *t = tiny_open(&desc);
    tiny_tensor *x = random_tensor(t, TINY_SHAPE(128, 128));
    add(&first, realize_time(tiny_matmul(x, x)));
    tiny_close(t);
  }
  tiny_ctx *t = tiny_open(&desc);
  for (int i = -2; i < 2 * rounds; i++) {
    const int64_t n = 160 + 16 * i;
    tiny_begin(t);
    tiny_tensor *x = random_tensor(t, TINY_SHAPE(n, n + 32));
    tiny_tensor *w = random_tensor(t, TINY_SHAPE(n + 32, n + 64));
    const double times[] = {realize_time(tiny_matmul(x, w)), realize_time(tiny_softmax(x, -1)),
                            realize_time(tiny_layer_norm(x, 1, NULL, NULL, 1e-5))};
    tiny_end(t);
    if (i < 0) continue;                     // the first ones read the rule sets
    add(&matmul, times[0]); add(&softmax, times[1]); add(&norm, times[2]);
  }
  if (!failed(t)) {
    report("matmul", &matmul, "ms", 1, "tinygrad: 137 to 800 ms");
    report("softmax", &softmax, "ms", 1, "");
    report("layer_norm", &norm, "ms", 0, "");
    report("first matmul of a context", &first, "ms", 0, "reads the rule sets, too");
  }
  tiny_close(t);
  bench_slope("gradient of %d tanh", chain_planning);
  bench_slope("%d assignments to slices", slice_planning);
  bench_slope("%d assignments to all", whole_planning);
  bench_network_lowering();
}

// ** hello: from process start to the printed result **

// CPU time of all children so far, in seconds.
static double children_time(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  const double micro = (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * micro;
}

static void remove_folder(char *path) {
  char out[16], *argv[] = {"rm", "-rf", path, NULL};
  run_process(argv, out, sizeof out);
}

static void hello_breakdown(char *folder) {
  series open = {{0}, 0}, lower = {{0}, 0}, compile = {{0}, 0}, all = {{0}, 0};
  for (int i = 0; i < rounds; i++) {
    static float out[512 * 10];
    remove_folder(folder);
    const double start = seconds();
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = device, .cache_dir = folder});
    add(&open, (seconds() - start) * 1e3);
    tiny_tensor *x = tiny_rand(t, TINY_SHAPE(512, 784)), *w = tiny_rand(t, TINY_SHAPE(784, 10));
    tiny_read(tiny_softmax(tiny_matmul(x, w), -1), out, sizeof out);
    add(&all, (seconds() - start) * 1e3);
    const tiny_stats s = tiny_stats_of(t);
    add(&lower, (double)s.lower_ns * 1e-6); add(&compile, (double)s.compile_ns * 1e-6);
    tiny_close(t);
  }
  report("  of it tiny_open", &open, "ms", 0, "");
  report("  of it lowering", &lower, "ms", 0, "");
  report("  of it compiling", &compile, "ms", 0, "all else %.1f ms",
         median(&all) - median(&open) - median(&lower) - median(&compile));
}

// What digits.c prints of its first epoch, whose kernels the library compiles itself.
static void bench_first_epoch(char *folder) {
  char text[4096], *digits[] = {"build/examples/digits", NULL};
  series first = {{0}, 0};
  if (!wanted("digits, first epoch")) return;
  setenv("TINY_CC", "builtin", 1);
  for (int i = 0; i < rounds; i++) {
    remove_folder(folder);
    run_process(digits, text, sizeof text);
    const char *line = strstr(text, "epoch  1/"), *took = line ? strstr(line, " %") : NULL;
    if (took) add(&first, atof(took + 2) * 1e3);
  }
  unsetenv("TINY_CC");
  report("digits, first epoch, empty cache", &first, "ms", 200, "no outside compiler");
}

static void bench_hello(void) {
  char folder[] = "build/bench/cache-XXXXXX", text[4096], *hello[] = {"build/examples/hello", NULL};
  series cold = {{0}, 0}, warm = {{0}, 0}, clang = {{0}, 0}, busy = {{0}, 0};
  char *compiler[] = {"sh", "-c", "echo 'int f(void);' | clang -O2 -x c -c - -o /dev/null && echo", NULL};
  heading("hello: from process start to the printed line");
  if (!mkdtemp(folder)) { printf("  %s cannot be made\n", folder); return; }
  setenv("TINY_CACHE", folder, 1);
  for (int i = 0; i < rounds; i++) {
    remove_folder(folder);
    const double before = children_time();
    add(&cold, run_process(hello, text, sizeof text) * 1e3);
    add(&busy, (children_time() - before) * 1e3);
    add(&warm, run_process(hello, text, sizeof text) * 1e3);
    add(&clang, run_process(compiler, text, sizeof text) * 1e3);
  }
  report("hello, empty cache", &cold, "ms", 8, "%.0f ms of CPU; clang on an empty file %.0f ms",
         median(&busy), median(&clang));
  hello_breakdown(folder);
  report("hello, warm cache", &warm, "ms", 10, "");
  bench_first_epoch(folder);
  bench_network_first();
  unsetenv("TINY_CACHE");
  remove_folder(folder);
}

// ** steps: what a graph costs that was seen before. Kernels of 16 elements take some 20 ns of their own **

// A step of n kernels: state -> state, each of them stored. Returns microseconds.
static double step(tiny_ctx *t, tiny_tensor *state, int n) {
  const double start = seconds();
  tiny_begin(t);
  tiny_tensor *x = state, *one = tiny_like(state, 1);
  for (int i = 0; i < n; i++) {
    x = tiny_add(x, one);
    if (i + 1 < n) x = tiny_contiguous(x);
  }
  tiny_assign(state, x);
  tiny_end(t);
  return (seconds() - start) * 1e6;
}

// A step of training two dense layers with Adam, on a device that runs nothing. Returns microseconds.
static double train(tiny_ctx *t, tiny_tensor *x, tiny_tensor *labels, tiny_tensor *const *param,
                    tiny_optim *adam) {
  const double start = seconds();
  tiny_tensor *grad[4];
  tiny_begin(t);
  tiny_tensor *hidden = tiny_relu(tiny_linear(x, param[0], param[1]));
  tiny_grad(tiny_cross_entropy(tiny_linear(hidden, param[2], param[3]), labels, NULL), param, 4, grad);
  tiny_optim_step(adam, param, grad, 4);
  tiny_end(t);
  return (seconds() - start) * 1e6;
}

static void bench_training(void) {
  enum { BATCH = 64, IN = 784, HIDDEN = 128, OUT = 10 };
  static const int32_t label[BATCH] = {1, 2, 3};
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NULL", .cache_dir = ""});
  tiny_tensor *x = random_tensor(t, TINY_SHAPE(BATCH, IN));
  tiny_tensor *labels = tiny_from(t, label, TINY_I32, TINY_SHAPE(BATCH));
  tiny_tensor *param[] = {random_tensor(t, TINY_SHAPE(HIDDEN, IN)), random_tensor(t, TINY_SHAPE(HIDDEN)),
                          random_tensor(t, TINY_SHAPE(OUT, HIDDEN)), random_tensor(t, TINY_SHAPE(OUT))};
  tiny_optim adam = {.kind = TINY_ADAM, .lr = 1e-3};
  series time = {{0}, 0};
  for (int i = 0; i < 4; i++) train(t, x, labels, param, &adam);
  const uint64_t before = tiny_stats_of(t).kernels;
  for (int i = 0; i < MOST_ROUNDS; i++) add(&time, train(t, x, labels, param, &adam));
  const int n = (int)(tiny_stats_of(t).kernels - before) / MOST_ROUNDS;
  if (!failed(t)) report("training step with gradients and Adam", &time, "us", 10 + 3 * n,
                         "%d kernels, on the NULL device", n);
  tiny_optim_free(&adam);
  tiny_close(t);
}

static void bench_steps(void) {
  static const int sizes[] = {1, 10, 50, 200};
  char name[64];
  heading("steps: a graph that is built anew and was seen before; all of its time is overhead");
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int n = sizes[k];
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
    tiny_tensor *state = random_tensor(t, TINY_SHAPE(16)), *out;
    series rebuilt = {{0}, 0}, replayed = {{0}, 0};
    for (int i = 0; i < 3; i++) step(t, state, n);
    const uint64_t before = tiny_stats_of(t).kernels;
    step(t, state, n);
    const int kernels = (int)(tiny_stats_of(t).kernels - before);
    tiny_tensor *x = tiny_contiguous(state), *y = x;
    tiny_realize(&x, 1);
    y = x;
    for (int i = 0; i < n; i++) y = tiny_contiguous(tiny_add(y, tiny_like(y, 1)));
    tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
    for (int i = 0; i < MOST_ROUNDS; i++) {
      enum { TIMES = 20 };
      double sum = 0;
      for (int j = 0; j < TIMES; j++) sum += step(t, state, n);
      add(&rebuilt, sum / TIMES);
      const double start = seconds();
      for (int j = 0; j < TIMES; j++) { tiny_begin(t); tiny_run(p, &x, &out); tiny_end(t); }
      add(&replayed, (seconds() - start) * 1e6 / TIMES);
    }
    if (!failed(t)) {
      snprintf(name, sizeof name, "rebuilt step of %d kernel%s", kernels, kernels > 1 ? "s" : "");
      report(name, &rebuilt, "us", 10 + 3 * n, "%.2f us per kernel", median(&rebuilt) / n);
      snprintf(name, sizeof name, "tiny_run of %d kernel%s", tiny_program_kernel_count(p), n > 1 ? "s" : "");
      report(name, &replayed, "us", n == 200 ? 3 * n : 0, "%.2f us per kernel", median(&replayed) / n);
    }
    tiny_close(t);
  }
  bench_training();
}

// ** kernels: how many, and what they read **

// Kernels that y needs, and how often the bytes that they name pass through memory per byte of nbytes.
static void count_kernels(tiny_ctx *t, const char *name, tiny_tensor *y, double nbytes, double bar) {
  series kernels = {{0}, 0};
  const tiny_stats before = tiny_stats_of(t);
  tiny_realize(&y, 1);
  const tiny_stats after = tiny_stats_of(t);
  add(&kernels, (double)(after.kernels - before.kernels));
  if (!failed(t)) report(name, &kernels, "kernels", bar, "%.3f x the least bytes",
                         (double)(after.nbytes_moved - before.nbytes_moved) / nbytes);
}

static void bench_kernels(void) {
  enum { M = 512, N = 1024, K = 256 };
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *x = random_tensor(t, TINY_SHAPE(M, N)), *w = random_tensor(t, TINY_SHAPE(N, K));
  tiny_tensor *b = random_tensor(t, TINY_SHAPE(K)), *scale = random_tensor(t, TINY_SHAPE(N));
  heading("kernels: how many, and bytes they name per byte of inputs and outputs (1: nothing passes twice)");
  count_kernels(t, "softmax, last axis", tiny_softmax(x, -1), 8.0 * M * N, 2);
  count_kernels(t, "layer_norm", tiny_layer_norm(x, 1, scale, scale, 1e-5), 8.0 * M * N + 4.0 * N, 2);
  count_kernels(t, "relu(x @ w + b)", tiny_relu(tiny_add(tiny_matmul(x, w), b)),
                4.0 * (M * N + N * K + K + M * K), 1);
  tiny_close(t);
}
