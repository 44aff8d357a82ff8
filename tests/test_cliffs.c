// cliffs: long chains, and operators that are made of many others, take work in proportion. Counted are nodes, kernels,
// what their text asks of a compiler, and the tensors that assignments look at. Times are compared with others of the same
// run only, where a cliff is far beyond the bound. For a reader:
//
//   test_cliffs DEVICE        prints a table of what the operators cost to plan there; bench/planning.md keeps one
#include "nn_test.h"

static int choices, constant_choices;
// Integer values that are choices, and those of them that are constants: clang tries both arms of each where it is named.
static void read_line(void *user, const char *line) {
  (void)user;
  for (const char *at = line, *next; at; at = next) {
    const size_t n = strcspn(at, "\n");
    next = at[n] ? at + n + 1 : NULL;
    const char *is = strstr(at, "u64 x"), *ask = (const char *)memchr(at, '?', n);
    if (!is || is > at + 10 || !ask) continue;
    choices++;
    constant_choices += strncmp(at + strspn(at, " "), "const ", 6) == 0;
  }
}
static void open_null(const char *debug) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = ""; d.debug = debug;
  d.log.fn = read_line;
  t = tiny_open(&d);
}

static void test_choices(void) {
  open_null("c");
  tiny_tensor *g = tiny_gcd(tiny_scalar(t, 12, TINY_I64), tiny_scalar(t, 18, TINY_I64));
  const uint64_t before = tiny_stats_of(t).kernels;
  CHECK_EQ(tiny_realize(&g, 1), TINY_OK);
  CHECK_EQ(tiny_stats_of(t).kernels - before, 1);
  CHECK(choices > 50);
  CHECK_EQ(constant_choices, 0);
  tiny_close(t);
}

// Kernels of the gradient of n chained operators.
static double chain(int n) {
  open_null("");
  tiny_tensor *x = numbers(TINY_F32, TINY_SHAPE(8), -1, 1), *y = x, *grad = NULL;
  const uint64_t before = tiny_stats_of(t).kernels;
  for (int i = 0; i < n; i++) y = tiny_tanh(y);
  CHECK_EQ(tiny_grad(tiny_sum(y, 0, 0), &x, 1, &grad), TINY_OK);
  CHECK_EQ(tiny_realize(&grad, 1), TINY_OK);
  const double kernels = (double)(tiny_stats_of(t).kernels - before);
  tiny_close(t);
  return kernels;
}

// Assignments look at the tensors that are the same memory, however many were assigned to before and however many live.
typedef struct updates { double looked, ns; } updates;     // for one of them: tensors in the index; time of the calls
static updates assign_slices(int n, int live) {
  updates u = {0, INFINITY};
  for (int round = 0; round < 5; round++) {
    open_null("");
    tiny_tensor *x = tiny_from(t, (float[8]){0}, TINY_F32, TINY_SHAPE(8));
    tiny_tensor *part = tiny_from(t, (float[2]){1, 2}, TINY_F32, TINY_SHAPE(2));
    for (int i = 0; i < live; i++) tiny_scalar(t, i, TINY_F32);
    double looked = 0;
    uint64_t ns = 0;
    for (int i = 0; i < n; i++) {
      tiny_tensor *slice = tiny_slice(x, 0, i % 7, i % 7 + 2, 1);
      const uint64_t from = tn_os_now();
      tiny_assign(slice, part);
      ns += tn_os_now() - from;
      const tn_tensor *next = tn_index_first(t, tn_index_key(tn_uop_of(x)));
      for (; next; next = next->after) looked++;
    }
    CHECK_EQ(tiny_status(t), TINY_OK);
    u.looked = looked / n;
    if ((double)ns / n < u.ns) u.ns = (double)ns / n;
    tiny_close(t);
  }
  return u;
}
static void test_assignments(void) {
  const updates few = assign_slices(1000, 0), many = assign_slices(20000, 0), crowded = assign_slices(1000, 10000);
  CHECK(few.looked < 4 && many.looked < 4 && crowded.looked < 4);
  CHECK(many.ns < 8 * few.ns);
  CHECK(crowded.ns < 8 * few.ns);
}

// ** operators that are made of many others **

static int N;                              // of what they are of, a multiple of 4: elements, or the side of a matrix
static tiny_tensor *steps_of(int features) { return tiny_zeros(t, TINY_F32, TINY_SHAPE(N, 2, features)); }
static tiny_tensor *through(tiny_recurrent_kind kind) {
  tiny_recurrent_layer l = tiny_recurrent_layer_new(t, kind, 4, 4, NULL, 1);
  tiny_tensor *y = tiny_recurrent_layer_forward(&l, steps_of(4), NULL, NULL, 1, NULL, NULL);
  tiny_recurrent_layer_free(&l);
  return y;
}
static tiny_tensor *aligned(void) {
  const int32_t targets[8] = {1, 2, 3, 4, 2, 3, 4, 5}, steps[2] = {N, N}, lengths[2] = {4, 4};
  tiny_tensor *of = tiny_from(t, steps, TINY_I32, TINY_SHAPE(2)), *to = tiny_from(t, lengths, TINY_I32, TINY_SHAPE(2));
  return tiny_ctc_loss(tiny_log_softmax(steps_of(8), -1), tiny_from(t, targets, TINY_I32, TINY_SHAPE(2, 4)), of, to, 0,
                       0, TINY_MEAN);
}
static tiny_tensor *singular(tiny_tensor *m) {
  tiny_tensor *s, *vt;
  return tiny_svd(m, &s, &vt);
}
static tiny_tensor *angles(tiny_tensor *m) {
  tiny_tensor *r;
  return tiny_qr(m, 0, &r);
}
static tiny_tensor *own_vectors(tiny_tensor *m) {
  tiny_tensor *vectors;
  tiny_eigh(m, &vectors);
  return vectors;
}
#define OPERATOR(name, of) static tiny_tensor *name(tiny_tensor *x) { (void)x; return of; }
OPERATOR(o_sort, tiny_sort(x, 0, 0, NULL)) OPERATOR(o_topk, tiny_topk(x, 8, 0, 1, NULL))
OPERATOR(o_searchsorted, tiny_searchsorted(x, x, 0)) OPERATOR(o_cumsum, tiny_cumsum(x, 0))
OPERATOR(o_logcumsumexp, tiny_logcumsumexp(x, 0)) OPERATOR(o_cummax, tiny_cummax(x, 0, NULL))
OPERATOR(o_median, tiny_median(x, 0, 0, NULL)) OPERATOR(o_mode, tiny_mode(x, 0, 0, NULL))
OPERATOR(o_quantile, tiny_quantile(x, tiny_scalar(t, 0.5, TINY_F32), 0, 0))
OPERATOR(o_unique, tiny_unique(x, NULL, NULL))
OPERATOR(o_histogram, tiny_histogram(x, tiny_arange(t, 0, 17, 1, TINY_F32), NULL, 0))
OPERATOR(o_fft, tiny_fft(tiny_complex(x, x), N, -1, TINY_FFT_BACKWARD)) OPERATOR(o_ctc, aligned())
OPERATOR(o_rnn, through(TINY_RNN)) OPERATOR(o_lstm, through(TINY_LSTM)) OPERATOR(o_gru, through(TINY_GRU))
OPERATOR(o_det, tiny_det(x)) OPERATOR(o_solve, tiny_solve(x, x)) OPERATOR(o_qr, angles(x)) OPERATOR(o_svd, singular(x))
OPERATOR(o_cholesky, tiny_cholesky(x, 0)) OPERATOR(o_eigh, own_vectors(x)) OPERATOR(o_exp, tiny_matrix_exp(x))

// Nodes and kernels, and those more for each of N. Sorts take log^2 of N stages, which the numbers allow up to 4096.
// most: the greatest N; square: of matrices.
static const struct composed {
  const char *name;
  tiny_tensor *(*of)(tiny_tensor *x);
  int most, square, nodes, kernels, each_nodes, each_kernels;
} composed[] = {
  {"sort", o_sort, 4096, 0, 900, 56, 0, 0}, {"topk", o_topk, 4096, 0, 160, 8, 0, 0},
  {"median", o_median, 4096, 0, 920, 56, 0, 0}, {"mode", o_mode, 4096, 0, 950, 60, 0, 0},
  {"quantile", o_quantile, 4096, 0, 950, 56, 0, 0}, {"unique", o_unique, 4096, 0, 6000, 120, 0, 0},
  {"searchsorted", o_searchsorted, 4096, 0, 250, 28, 0, 0}, {"histogram", o_histogram, 4096, 0, 160, 6, 0, 0},
  {"cumsum", o_cumsum, 4096, 0, 24, 2, 0, 0}, {"cummax", o_cummax, 4096, 0, 60, 3, 0, 0},
  {"logcumsumexp", o_logcumsumexp, 4096, 0, 260, 10, 0, 0}, {"fft", o_fft, 4096, 0, 600, 24, 0, 0},
  {"ctc_loss", o_ctc, 1024, 0, 200, 12, 48, 2}, {"rnn", o_rnn, 1024, 0, 200, 12, 90, 5},
  {"lstm", o_lstm, 1024, 0, 200, 12, 120, 5}, {"gru", o_gru, 1024, 0, 200, 12, 90, 4},
  {"det", o_det, 256, 1, 300, 6, 0, 0}, {"solve", o_solve, 256, 1, 300, 16, 0, 0},
  {"qr", o_qr, 256, 1, 400, 6, 0, 0}, {"cholesky", o_cholesky, 256, 1, 260, 6, 0, 0},
  {"eigh", o_eigh, 256, 1, 500, 12, 0, 0}, {"svd", o_svd, 256, 1, 700, 20, 0, 0},
  {"matrix_exp", o_exp, 256, 1, 540, 96, 0, 0}};

// What building costs, and planning with the first run.
static void measure(const struct composed *c, const char *device, int prints) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.debug = "";
  t = tiny_open(&d);
  tiny_tensor *x = tiny_contiguous(c->square ? tiny_eye(t, N, TINY_F32) : tiny_arange(t, 0, N, 1, TINY_F32));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  const tiny_stats before = tiny_stats_of(t);
  const uint64_t start = tn_os_now();
  tiny_tensor *y = c->of(x);
  const uint64_t built = tn_os_now();
  const int nodes = (int)(tiny_stats_of(t).nodes - before.nodes);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  const uint64_t end = tn_os_now();
  const int kernels = (int)(tiny_stats_of(t).kernels - before.kernels);
  const int ok = nodes <= c->nodes + c->each_nodes * N && kernels <= c->kernels + c->each_kernels * N;
  if (prints)
    printf("| %s | %d | %d | %d | %d | %.1f | %.1f |\n", c->name, N, nodes, kernels,
           (int)(tiny_stats_of(t).compiled - before.compiled), (double)(built - start) * 1e-6,
           (double)(end - built) * 1e-6);
  else if (!ok) printf("%s of %d: %d nodes, %d kernels\n", c->name, N, nodes, kernels);
  CHECK(ok);
  tiny_close(t);
}
static void measure_all(const char *device, int prints) {
  if (prints) printf("| operator | n | nodes | kernels | compiled | built, ms | first run, ms |\n");
  if (prints) printf("|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
    for (N = 16; N <= (prints || composed[i].most > 1024 ? composed[i].most : 256); N *= 4)
      measure(&composed[i], device, prints);
}

int main(int argc, char **argv) {
  if (argc > 1) { measure_all(argv[1], 1); return 0; }
  measure_all("NULL", 0);
  test_assignments();
  test_choices();
  const double few = chain(300), many = chain(1200);
  CHECK(few > 0 && many < 4.4 * few + 10);
  return test_report();
}
