// rows: softmax, layer norm, cross entropy and gelu against a copy of the same arrays, against PyTorch, and softmax
// against oneDNN. A part of bench.c.
//
// The copy is the best of hand-written loops in the same rounds, from an array of x's size to another. What only reads
// (cross entropy) is measured against it all the same: half of its traffic is not there, the exponentials are.
// PyTorch is as it comes: memory of big results is faulted in anew at every pass. The note tells its time without.

typedef struct row_work { const char *name; tiny_tensor *(*build)(tiny_tensor *x, int64_t n); } row_work;

static tiny_tensor *row_softmax(tiny_tensor *x, int64_t n) { (void)n; return tiny_softmax(x, -1); }
static tiny_tensor *row_layer_norm(tiny_tensor *x, int64_t n) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_tensor *w = numbers_tensor(t, TINY_SHAPE(n), 2, 1, 1), *b = numbers_tensor(t, TINY_SHAPE(n), 3, 1, 0);
  return tiny_layer_norm(x, 1, w, b, 1e-5);
}
static tiny_tensor *row_cross_entropy(tiny_tensor *x, int64_t n) {
  const int64_t m = tiny_nelem_of(x) / n;
  int32_t *label = malloc((size_t)m * sizeof *label);
  for (int64_t i = 0; i < m; i++) label[i] = (int32_t)(i * 7 % n);
  tiny_tensor *labels = tiny_from(tiny_ctx_of(x), label, TINY_I32, TINY_SHAPE(m));
  free(label);
  return tiny_cross_entropy(x, labels, NULL);
}
static tiny_tensor *row_gelu(tiny_tensor *x, int64_t n) { (void)n; return tiny_gelu(x); }
static tiny_tensor *row_gelu_tanh(tiny_tensor *x, int64_t n) { (void)n; return tiny_gelu_tanh(x); }

static const row_work row_works[] = {
  {"softmax", row_softmax}, {"layer_norm", row_layer_norm}, {"cross_entropy", row_cross_entropy},
  {"gelu", row_gelu}, {"gelu_tanh", row_gelu_tanh}
};

static void bench_row(const row_work *w, int64_t m, int64_t n, mean *means) {
  char name[64], line[80], what[64];
  const size_t count = (size_t)(m * n);
  const double work = 8e-9 * (double)count;
  snprintf(name, sizeof name, "%s %lld x %lld", w->name, (long long)m, (long long)n);
  if (!wanted(name)) return;
  float *x = big_array(2 * count * 4), *y = x + count;
  if (!x) return;
  for (size_t i = 0; i < count; i++) { x[i] = number((uint32_t)i, 1, 8); y[i] = 0; }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *in = tiny_blob(t, x, TINY_F32, TINY_SHAPE(m, n), NULL), *out = w->build(in, n);
  program ours = {t, tiny_capture(t, &in, 1, &out, 1), &in};
  racer r[RACERS] = {{.name = "tiny", .run = program_run, .arg = &ours}};
  hand_job job[RACERS];
  if (!failed(t)) {
    tiny_tensor *result;
    float first[1000];
    const int64_t got = tiny_nelem_of(out) < 1000 ? tiny_nelem_of(out) : 1000;
    double apart = (double)NAN;
    const int copies = hand_racers(r + 1, job, t, hand_copy, (hand_args){y, x, NULL}, count);
    snprintf(what, sizeof what, "%s %lld %lld", w->name, (long long)m, (long long)n);
    racer *plain = &r[1 + copies], *keeps = plain + 1;
    const int torches = torch_racer(plain, TORCH_PLAIN, what) && torch_racer(keeps, TORCH_KEEPS, what) ? 2 : 0;
    racer *dnn = &r[1 + copies + torches];
    const int peer = w->build == row_softmax && onednn_softmax_racer(dnn, x, m, n);
    tiny_run(ours.p, &in, &result);
    if (got > 1) result = tiny_narrow(tiny_flatten(result, 0, -1), 0, 0, got);
    tiny_read(result, first, (size_t)got * 4);
    if (torches) apart = torch_apart(plain, first, got);
    race(r, 1 + copies + torches + peer, work);
    const racer *copy = fastest(r + 1, copies);
    compare(name, &r[0].rate, &copy->rate, 0.75, "of a copy: %.1f of %.1f GB/s (%s)", median(&r[0].rate),
            median(&copy->rate), copy->name);
    mean_add(&means[0], ratio(&r[0].rate, &copy->rate));
    if (torches) {
      snprintf(line, sizeof line, "%s : PyTorch", name);
      compare(line, &r[0].rate, &plain->rate, 6, "%.2f of %.2f ms (%.2f with memory kept); %.1g apart",
              1e3 * work / median(&r[0].rate), 1e3 * work / median(&plain->rate), 1e3 * work / median(&keeps->rate),
              apart);
      mean_add(&means[1], ratio(&r[0].rate, &plain->rate));
      mean_add(&means[2], ratio(&r[0].rate, &keeps->rate));
      torch_drop(plain);
      torch_drop(keeps);
    }
    if (peer) {
      snprintf(line, sizeof line, "%s : oneDNN", name);
      compare(line, &r[0].rate, &dnn->rate, 0, "%.3f of %.3f ms; %.1g apart", 1e3 * work / median(&r[0].rate),
              1e3 * work / median(&dnn->rate), onednn_softmax_apart(first, got));
      mean_add(&means[3], ratio(&r[0].rate, &dnn->rate));
      onednn_softmax_drop();
    }
  }
  tiny_close(t);
  free_array(x, 2 * count * 4);
}

static void bench_rows(void) {
  static const int64_t sizes[][2] = {{4096, 4096}, {65536, 64}, {512, 768}};
  mean means[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
  heading("rows: against a copy of the same arrays, against PyTorch and oneDNN");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t i = 0; i < sizeof row_works / sizeof *row_works; i++)
      bench_row(&row_works[i], sizes[s][0], sizes[s][1], means);
  report_mean("rows : copy, mean", &means[0], 0.75);
  report_mean("rows : PyTorch, mean", &means[1], 6);
  report_mean("rows : PyTorch, memory kept, mean", &means[2], 0);
  report_mean("softmax : oneDNN, mean", &means[3], 0);
}
