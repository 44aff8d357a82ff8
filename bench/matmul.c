// matmul: products of matrices against OpenBLAS on as many threads. A part of bench.c.
//
// OpenBLAS runs as the fastest core type that this machine allows. Batches of small products are shared among the
// threads, one product a call, which is the best that can be made of its interface.

typedef void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                      const float *b, int ldb, float beta, float *c, int ldc);
typedef void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                      const double *b, int ldb, double beta, double *c, int ldc);
typedef struct blas { sgemm s; dgemm d; void (*threads)(int n); } blas;

static blas load_blas(void) {
  static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"};
  static const char *const functions[] = {"cblas_sgemm", "cblas_dgemm", "openblas_set_num_threads"};
  blas b = {NULL, NULL, NULL};
  void *symbol[3], *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  for (int i = 0; i < 3; i++) if (!(symbol[i] = library ? dlsym(library, functions[i]) : NULL)) return b;
  memcpy(&b.s, &symbol[0], sizeof b.s);
  memcpy(&b.d, &symbol[1], sizeof b.d);
  memcpy(&b.threads, &symbol[2], sizeof b.threads);
  return b;
}

// c (m,n) = a (m,k) @ b (k,n), batch times; ta, tb: stored transposed.
typedef struct product {
  const char *name; int m, k, n, ta, tb, batch, is_double; double bar; const char *mean;
} product;
typedef struct product_job { tiny_ctx *t; blas f; const product *p; const void *a, *b; void *c; } product_job;

static void blas_call(const product_job *j, int i) {
  enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };
  const product *p = j->p;
  const int ta = p->ta ? TRANSPOSE : NO_TRANSPOSE, tb = p->tb ? TRANSPOSE : NO_TRANSPOSE;
  const int lda = p->ta ? p->m : p->k, ldb = p->tb ? p->k : p->n;
  const size_t a = (size_t)i * p->m * p->k, b = (size_t)i * p->k * p->n, c = (size_t)i * p->m * p->n;
  if (p->is_double)
    j->f.d(ROW_MAJOR, ta, tb, p->m, p->n, p->k, 1, (const double *)j->a + a, lda, (const double *)j->b + b, ldb, 0,
           (double *)j->c + c, p->n);
  else
    j->f.s(ROW_MAJOR, ta, tb, p->m, p->n, p->k, 1, (const float *)j->a + a, lda, (const float *)j->b + b, ldb, 0,
           (float *)j->c + c, p->n);
}
static void blas_part(void *arg, int part) {
  const product_job *j = (const product_job *)arg;
  const int from = part * j->p->batch / 8, to = (part + 1) * j->p->batch / 8;
  for (int i = from; i < to; i++) blas_call(j, i);
}
// A batch is shared among the threads of j->t.
static double blas_time(void *arg) {
  product_job *j = arg;
  const double start = seconds();
  if (j->p->batch == 1) blas_call(j, 0);
  else tiny_parallel(j->t, 8, blas_part, j);
  return seconds() - start;
}

// A child of this program for every core type: prints how fast matmuls of 768 and 2048 are there, on average.
static int blas_self_test(void) {
  double speed[2];
  for (int i = 0; i < 2; i++) {
    const int n = i ? 2048 : 768;
    const product p = {"", n, n, n, 0, 0, 1, 0, 0, NULL};
    float *m = calloc((size_t)3 * n * n, sizeof *m);
    product_job j = {NULL, load_blas(), &p, m, m + n * n, m + 2 * n * n};
    double best = HUGE_VAL;
    if (!j.f.s || !m) return 1;
    for (int k = 0; k < (i ? 4 : 32); k++) best = fmin(best, blas_time(&j));
    speed[i] = 2.0 * n * n * n / best * 1e-9;
    free(m);
  }
  printf("%.1f\n", sqrt(speed[0] * speed[1]));
  return 0;
}

// OpenBLAS guesses the processor when it is loaded, low on virtual machines: the fastest of its types is set, for
// PyTorch as well, which calls it.
static void choose_core_type(void) {
  static char *const types[] = {"", "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids"};
  static int chosen;
  char threads[16], out[64], *argv[] = {self, "--blas", NULL}, *best = "";
  const int given = getenv("OPENBLAS_CORETYPE") != NULL;
  double speed = 0;
  if (chosen++) return;
  snprintf(threads, sizeof threads, "%d", cores());
  setenv("OPENBLAS_NUM_THREADS", threads, 1);
  setenv("OMP_NUM_THREADS", threads, 1);
  for (size_t i = 0; i < sizeof types / sizeof *types && !given; i++) {
    if (*types[i]) setenv("OPENBLAS_CORETYPE", types[i], 1);
    if (!(run_process(argv, out, sizeof out) > 0) || atof(out) < speed * 1.02) continue;
    speed = atof(out);
    best = types[i];
  }
  if (given) return;
  if (*best) setenv("OPENBLAS_CORETYPE", best, 1);
  else unsetenv("OPENBLAS_CORETYPE");
  if (speed > 0) printf("  OpenBLAS as %s: %.0f GFLOPS by itself\n", *best ? best : "it chooses", speed);
}

static const product products[] = {
  {"sgemm 512", 512, 512, 512, 0, 0, 1, 0, 0.92, "square"},
  {"sgemm 768", 768, 768, 768, 0, 0, 1, 0, 0.92, "square"},
  {"sgemm 1024", 1024, 1024, 1024, 0, 0, 1, 0, 0.92, "square"},
  {"sgemm 2048", 2048, 2048, 2048, 0, 0, 1, 0, 0.92, "square"},
  {"sgemm 4096", 4096, 4096, 4096, 0, 0, 1, 0, 0.92, "square"},
  {"sgemm 777", 777, 777, 777, 0, 0, 1, 0, 0, "odd"},
  {"sgemm 1000x3x1000", 1000, 3, 1000, 0, 0, 1, 0, 0, "odd"},
  {"sgemm 1x4096x4096", 1, 4096, 4096, 0, 0, 1, 0, 0, "odd"},
  {"sgemm 4096x1x4096", 4096, 1, 4096, 0, 0, 1, 0, 0, "odd"},
  {"sgemm 64x4096x64", 64, 4096, 64, 0, 0, 1, 0, 0, "odd"},
  {"sgemm 31x33x35, 512 of them", 31, 33, 35, 0, 0, 512, 0, 0, "odd"},
  {"sgemm 1024, a transposed", 1024, 1024, 1024, 1, 0, 1, 0, 0, "odd"},
  {"sgemm 1024, b transposed", 1024, 1024, 1024, 0, 1, 1, 0, 0, "odd"},
  {"sgemm 1024, both transposed", 1024, 1024, 1024, 1, 1, 1, 0, 0, "odd"},
  {"sgemm 777, b transposed", 777, 777, 777, 0, 1, 1, 0, 0, "odd"},
  {"sgemm 4096x4096x1", 4096, 4096, 1, 0, 0, 1, 0, 0, "odd"},
  {"dgemm 1024", 1024, 1024, 1024, 0, 0, 1, 1, 0.85, "double"},
  {"dgemm 2048", 2048, 2048, 2048, 0, 0, 1, 1, 0.85, "double"},
};

static void *numbers(size_t n, int is_double, int step) {
  float *f = malloc(n * (is_double ? 8 : 4));
  double *d = (double *)(void *)f;
  for (size_t i = 0; f && i < n; i++) {
    const double x = (double)(i * 7 % (size_t)step) * 0.1 - 1;
    if (is_double) d[i] = x;
    else f[i] = (float)x;
  }
  return f;
}
static tiny_tensor *operand(tiny_ctx *t, const product *p, void *data, int rows, int columns, int transposed) {
  tiny_shape s = TINY_SHAPE(p->batch, transposed ? columns : rows, transposed ? rows : columns);
  return tiny_from(t, data, p->is_double ? TINY_F64 : TINY_F32, s);
}

// GFLOPS of both; how far apart the results are.
static void bench_product(tiny_ctx *t, const blas *f, const product *p, racer *r, double *off) {
  const double work = 2.0 * p->batch * p->m * p->k * p->n * 1e-9;
  const size_t item = p->is_double ? 8 : 4, nc = (size_t)p->batch * p->m * p->n;
  void *a = numbers((size_t)p->batch * p->m * p->k, p->is_double, 37);
  void *b = numbers((size_t)p->batch * p->k * p->n, p->is_double, 23);
  void *c = calloc(nc, item), *d = calloc(nc, item);
  tiny_tensor *in[2] = {operand(t, p, a, p->m, p->k, p->ta), operand(t, p, b, p->k, p->n, p->tb)}, *out;
  tiny_tensor *x = p->ta ? tiny_transpose(in[0], 1, 2) : in[0], *w = p->tb ? tiny_transpose(in[1], 1, 2) : in[1];
  tiny_tensor *y = tiny_matmul(x, w);
  program ours = {t, tiny_capture(t, in, 2, &y, 1), in};
  product_job theirs = {t, *f, p, a, b, c};
  r[0] = (racer){.name = "tiny", .run = program_run, .arg = &ours};
  r[1] = (racer){.name = "OpenBLAS", .run = blas_time, .arg = &theirs, .foreign = 1};
  *off = 0;
  if (!failed(t)) {
    tiny_run(ours.p, in, &out);
    tiny_read(out, d, nc * item);
    if (f->s && p->batch > 1) f->threads(1);
    race(r, f->s ? 2 : 1, work);
    if (f->s && p->batch > 1) f->threads(cores());
  }
  for (size_t i = 0; i < nc && f->s; i++) {
    const double u = p->is_double ? ((double *)c)[i] : (double)((float *)c)[i];
    const double v = p->is_double ? ((double *)d)[i] : (double)((float *)d)[i];
    *off = fmax(*off, fabs(u - v) / (1 + fabs(u)));
  }
  free(a); free(b); free(c); free(d);
}

static void bench_matmul(void) {
  static const struct { const char *name; double bar; } means[3] = {{"square", 1}, {"odd", 0.85}, {"double", 0.85}};
  mean m[3] = {{0, 0}, {0, 0}, {0, 0}};
  heading("matmul: against OpenBLAS on as many threads");
  choose_core_type();
  const blas f = load_blas();
  if (!f.s) printf("  OpenBLAS is not installed (tools/setup.sh bench): times alone\n");
  for (size_t k = 0; k < sizeof products / sizeof *products; k++) {
    const product *p = &products[k];
    if (!wanted(p->name)) continue;
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
    racer r[2];
    double off;
    bench_product(t, &f, p, r, &off);
    const double share = median(&r[0].rate) / limits.gflops * (p->is_double ? 2 : 1);
    if (failed(t)) {}
    else if (!f.s) report(p->name, &r[0].rate, "GFLOPS", 0, "%.2f of the FMA peak", share);
    else compare(p->name, &r[0].rate, &r[1].rate, p->bar, "%.1f of %.1f GFLOPS; %.2f of the FMA peak; %.1g apart",
                 median(&r[0].rate), median(&r[1].rate), share, off);
    for (int i = 0; i < 3 && f.s; i++)
      if (!strcmp(means[i].name, p->mean)) mean_add(&m[i], ratio(&r[0].rate, &r[1].rate));
    tiny_close(t);
  }
  for (int i = 0; i < 3; i++) report_mean(means[i].name, &m[i], means[i].bar);
}
