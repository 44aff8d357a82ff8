// lengths of 1 to 4,096: one plan and one kernel for all, the values of definitions in double, and of fixed shapes.
// also: asan
//
// What lies behind a length is NaN here, so that whoever reads it shows. test_lengths.c has every operator, of few rows.
#include "../src/all.c"
#include "test.h"
#include "golden.h"

enum { MOST = 4096, WIDE = 16, FEW = 4 };
static tiny_ctx *t;
static float memory[MOST * WIDE], weight[WIDE * WIDE], query[FEW * WIDE], filter_of[FEW * WIDE * 3];
static double want[MOST * WIDE];           // NAN: is not looked at
static tiny_tensor *weights, *queries, *filter;

static uint32_t lots = 1;
static int draw(int n) { return (int)(((lots = lots * 1664525u + 1013904223u) >> 8) % (uint32_t)n); }
static void fill(float *data, int n) { for (int i = 0; i < n; i++) data[i] = (float)(draw(2001) - 1000) / 1000; }
static float at(int row, int column) { return memory[row * WIDE + column]; }

// ** operators of (n, WIDE), and what they are by definition **

static tiny_tensor *turned(tiny_tensor *x) { return tiny_transpose(x, 0, 1); }

static tiny_tensor *f_cumsum(tiny_tensor *x) { return tiny_cumsum(x, 0); }
static void d_cumsum(int n) {
  for (int i = 0; i < n * WIDE; i++) want[i] = memory[i] + (i < WIDE ? 0 : want[i - WIDE]);
}
static tiny_tensor *f_sum(tiny_tensor *x) { return tiny_sum(x, TINY_ALL, 0); }
static void d_sum(int n) {
  want[0] = 0;
  for (int i = 0; i < n * WIDE; i++) want[0] += memory[i];
}
static tiny_tensor *f_matmul_rows(tiny_tensor *x) { return tiny_matmul(x, weights); }
static void d_matmul_rows(int n) {
  for (int i = 0; i < n * WIDE; i++) {
    want[i] = 0;
    for (int k = 0; k < WIDE; k++) want[i] += at(i / WIDE, k) * (double)weight[k * WIDE + i % WIDE];
  }
}
static tiny_tensor *f_matmul_columns(tiny_tensor *x) { return tiny_matmul(weights, turned(x)); }
static void d_matmul_columns(int n) {
  for (int i = 0; i < n * WIDE; i++) {
    want[i] = 0;
    for (int k = 0; k < WIDE; k++) want[i] += weight[i / n * WIDE + k] * (double)at(i % n, k);
  }
}
static tiny_tensor *f_matmul_summed(tiny_tensor *x) { return tiny_matmul(turned(x), x); }
static void d_matmul_summed(int n) {
  for (int i = 0; i < WIDE * WIDE; i++) {
    want[i] = 0;
    for (int k = 0; k < n; k++) want[i] += at(k, i / WIDE) * (double)at(k, i % WIDE);
  }
}
static tiny_tensor *f_softmax(tiny_tensor *x) { return tiny_softmax(x, 0); }
static void d_softmax(int n) {
  for (int k = 0; k < WIDE; k++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += exp(at(i, k));
    for (int i = 0; i < n; i++) want[i * WIDE + k] = exp(at(i, k)) / sum;
  }
}
static tiny_tensor *f_layer_norm(tiny_tensor *x) { return tiny_layer_norm(x, 1, NULL, NULL, 1e-5); }
static tiny_tensor *f_layer_norm_along(tiny_tensor *x) { return turned(tiny_layer_norm(turned(x), 1, NULL, NULL, 1e-5)); }
static void normalize(int n, int first, int step) {          // n elements
  double mean = 0, var = 0;
  for (int i = 0; i < n; i++) mean += memory[first + i * step] / (double)n;
  for (int i = 0; i < n; i++) var += (memory[first + i * step] - mean) * (memory[first + i * step] - mean) / n;
  for (int i = 0; i < n; i++) want[first + i * step] = (memory[first + i * step] - mean) / sqrt(var + 1e-5);
}
static void d_layer_norm(int n) { for (int i = 0; i < n; i++) normalize(WIDE, i * WIDE, 1); }
static void d_layer_norm_along(int n) { for (int k = 0; k < WIDE; k++) normalize(n, k, WIDE); }
static tiny_tensor *f_conv(tiny_tensor *x) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.pad[0] = 1;
  return tiny_conv(turned(x), filter, NULL, &d);
}
static void d_conv(int n) {
  for (int c = 0; c < FEW; c++) for (int i = 0; i < n; i++) {
    want[c * n + i] = 0;
    for (int k = 0; k < WIDE; k++) for (int j = 0; j < 3; j++)
      if (i + j > 0 && i + j <= n) want[c * n + i] += filter_of[(c * WIDE + k) * 3 + j] * (double)at(i + j - 1, k);
  }
}
// Row i of want: what a query finds in the first n rows, its keys and values.
static void attend(const float *q, int n, int i) {
  static double score[MOST];
  double sum = 0;
  for (int j = 0; j < n; j++) {
    score[j] = 0;
    for (int k = 0; k < WIDE; k++) score[j] += q[k] * (double)at(j, k);
    sum += score[j] = exp(score[j] / sqrt(WIDE));
  }
  for (int k = 0; k < WIDE; k++) {
    want[i * WIDE + k] = 0;
    for (int j = 0; j < n; j++) want[i * WIDE + k] += score[j] / sum * at(j, k);
  }
}
static tiny_tensor *f_attention(tiny_tensor *x) { return tiny_attention(queries, x, x, NULL); }
static void d_attention(int n) { for (int i = 0; i < FEW; i++) attend(query + i * WIDE, n, i); }
static tiny_tensor *f_causal(tiny_tensor *x) {
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = 1;
  return tiny_attention(x, x, x, &d);
}
static void d_causal(int n) {              // of some rows
  for (int i = 0; i < n * WIDE; i++) want[i] = NAN;
  for (int i = 0; i < n; i += 1 + n / 9) attend(memory + i * WIDE, i + 1, i);
  attend(memory + (n - 1) * WIDE, n, n - 1);
}

static const struct { const char *name; tiny_tensor *(*f)(tiny_tensor *x); void (*define)(int n); } operators[] = {
#define ROW(name) {#name, f_##name, d_##name},
  ROW(cumsum) ROW(sum) ROW(matmul_rows) ROW(matmul_columns) ROW(matmul_summed) ROW(softmax) ROW(layer_norm)
  ROW(layer_norm_along) ROW(conv) ROW(attention) ROW(causal)
};
enum { OPERATORS = sizeof operators / sizeof *operators };

// ** checks **

static float got[MOST * WIDE], fixed[MOST * WIDE];
// The greatest difference from want, in parts of the greatest element.
static double error_of(int64_t n) {
  double most = 0, error = 0;
  for (int64_t i = 0; i < n; i++) if (want[i] == want[i]) most = fmax(most, fabs(want[i]));
  for (int64_t i = 0; i < n; i++) if (want[i] == want[i]) {
    const double e = fabs(got[i] - want[i]);
    error = e <= error ? error : e == e ? e : INFINITY;      // NaN: worst of all
  }
  return error / (1 + most);
}
static void set_rows(int n) {
  lots = (uint32_t)n;
  fill(memory, n * WIDE);
  for (int i = n * WIDE; i < MOST * WIDE; i++) memory[i] = (float)NAN;
}

static int lengths[32] = {MOST, 1, 2, 3, 63, 64, 65, 1000, MOST - 1, MOST / 2};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void check_operator(int o) {
  tiny_stats first;
  memset(&first, 0, sizeof first);
  if (!case_named("%s", operators[o].name)) return;
  for (int i = 0; i < LENGTHS; i++) {
    const int n = lengths[i];
    set_rows(n);
    operators[o].define(n);
    tiny_begin(t);
    tiny_tensor *x = tiny_from(t, memory, TINY_F32, TINY_SHAPE(MOST, WIDE));
    tiny_tensor *y = operators[o].f(tiny_slice_to(x, 0, tiny_length(t, n, 0, MOST)));
    const tiny_shape s = tiny_shape_now(y);
    const int64_t nelem = tn_dims_nelem(s.ndim, s.dim);
    CHECK(tiny_read(y, got, (size_t)nelem * sizeof *got) == TINY_OK);
    const double error = error_of(nelem);
    CHECK(error < 2e-5);
    if (!(error < 2e-5) && test_shown()) fprintf(stderr, "    length %d: %g\n", n, error);
    tiny_end(t);
    if (!i) first = tiny_stats_of(t);
  }
  const tiny_stats last = tiny_stats_of(t);
  CHECK_EQ(last.schedules, first.schedules);
  CHECK_EQ(last.compiled, first.compiled);
  CHECK_EQ(last.cache_hits, first.cache_hits);
  case_end();
}

// All operators of n rows at once, as their kernels are compiled together.
static void check_fixed(int n) {
  if (!case_named("fixed %d", n)) return;
  set_rows(n);
  tiny_begin(t);
  tiny_tensor *x = tiny_from(t, memory, TINY_F32, TINY_SHAPE(MOST, WIDE)), *of_fixed[OPERATORS], *of_length[OPERATORS];
  for (int o = 0; o < OPERATORS; o++) {
    of_fixed[o] = operators[o].f(tiny_from(t, memory, TINY_F32, TINY_SHAPE(n, WIDE)));
    of_length[o] = operators[o].f(tiny_slice_to(x, 0, tiny_length(t, n, 0, MOST)));
  }
  CHECK(tiny_realize(of_fixed, OPERATORS) == TINY_OK && tiny_realize(of_length, OPERATORS) == TINY_OK);
  for (int o = 0; o < OPERATORS; o++) {
    const tiny_shape s = tiny_shape_of(of_fixed[o]), now = tiny_shape_now(of_length[o]);
    const int64_t nelem = tn_dims_nelem(s.ndim, s.dim);
    CHECK(s.ndim == now.ndim && !memcmp(s.dim, now.dim, sizeof s.dim));
    CHECK(tiny_read(of_fixed[o], fixed, (size_t)nelem * sizeof *fixed) == TINY_OK);
    CHECK(tiny_read(of_length[o], got, (size_t)nelem * sizeof *got) == TINY_OK);
    for (int64_t i = 0; i < nelem; i++) want[i] = fixed[i] == fixed[i] ? fixed[i] : INFINITY;
    CHECK(error_of(nelem) < 2e-5);
  }
  tiny_end(t);
  case_end();
}

// A row is added at a time and looked for at once: by a query of the length it has then.
static void check_cache(void) {
  if (!case_named("cache")) return;
  tiny_tensor *cache = tiny_keep(tiny_from(t, memory, TINY_F32, TINY_SHAPE(MOST, WIDE)));
  tiny_stats before;
  int wrong = 0;
  memset(&before, 0, sizeof before);
  set_rows(MOST);
  CHECK(tiny_write(cache, memory, sizeof memory) == TINY_OK);
  for (int i = 0; i < LENGTHS; i++) {
    const int n = lengths[i];
    tiny_begin(t);
    float row[WIDE];
    fill(row, WIDE);
    memcpy(memory + (n - 1) * WIDE, row, sizeof row);
    tiny_tensor *end = tiny_length(t, n, 1, MOST), *last = tiny_sub(end, tiny_like(end, 1));
    tiny_assign(tiny_slice_at(cache, 0, last, 1), tiny_from(t, row, TINY_F32, TINY_SHAPE(1, WIDE)));
    tiny_tensor *rows = tiny_slice_to(cache, 0, end);
    CHECK(tiny_read(tiny_attention(queries, rows, rows, NULL), got, FEW * WIDE * sizeof *got) == TINY_OK);
    d_attention(n);
    wrong += !(error_of(FEW * WIDE) < 2e-5);
    tiny_end(t);
    if (!i) before = tiny_stats_of(t);
  }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(tiny_stats_of(t).schedules, before.schedules);
  CHECK_EQ(tiny_stats_of(t).compiled, before.compiled);
  tiny_free(cache);
  case_end();
}

// ** what a length costs **

// A sum reads whole tiles without a mask, and the last one with it.
static void check_edge(void) {
  golden log = {NULL, 0, 0};
  tiny_ctx *c = golden_open("CPU", &log, "c");
  tiny_tensor *x = tiny_zeros(c, TINY_F32, TINY_SHAPE(MOST, WIDE * WIDE));
  CHECK(tiny_realize(&x, 1) == TINY_OK);
  const size_t before = log.n;
  tiny_tensor *sum = tiny_sum(tiny_slice_to(x, 0, tiny_length(c, 70, 0, MOST)), TINY_ALL, 0);
  CHECK(tiny_item(sum) == 0);
  const char *kernel = strstr(log.text + before, "long long *args, long long task");         // NULL: it is not in C
  const int in_c = kernel != NULL;
  int whole = 0, masked = 0, loops = 0;
  for (const char *end = kernel ? strstr(kernel, "\n}") : NULL; end && kernel < end; kernel++) {
    loops += !strncmp(kernel, "for (", 5);
    if (!strncmp(kernel, "LOAD(", 5)) { whole += kernel[-2] != '?'; masked += kernel[-2] == '?'; }
  }
  CHECK(!in_c || (loops > 2 && whole > 0 && masked == whole));
  tiny_close(c);
  golden_free(&log);
}

// A block of a transformer and its gradients are as many kernels by a length as of a fixed shape.
static int kernels_of(int by_length) {
  enum { ROWS = 512, COLUMNS = 64, WEIGHTS = 6 };
  tiny_desc desc;
  tiny_attention_desc d;
  memset(&desc, 0, sizeof desc);
  memset(&d, 0, sizeof d);
  desc.device = "NULL";
  desc.cache_dir = "";
  d.causal = 1;
  tiny_ctx *c = tiny_open(&desc);
  tiny_tensor *w[WEIGHTS], *g[WEIGHTS], *x = tiny_ones(c, TINY_F32, TINY_SHAPE(ROWS, COLUMNS));
  for (int i = 0; i < WEIGHTS; i++) w[i] = tiny_full(c, i, TINY_F32, TINY_SHAPE(COLUMNS, COLUMNS));
  CHECK(tiny_realize(&x, 1) == TINY_OK && tiny_realize(w, WEIGHTS) == TINY_OK);
  const uint64_t before = tiny_stats_of(c).kernels;
  if (by_length) x = tiny_slice_to(x, 0, tiny_length(c, ROWS, 0, ROWS));
  tiny_tensor *h = tiny_layer_norm(x, 1, NULL, NULL, 1e-5);
  h = tiny_attention(tiny_matmul(h, w[0]), tiny_matmul(h, w[1]), tiny_matmul(h, w[2]), &d);
  x = tiny_add(x, tiny_matmul(h, w[3]));
  h = tiny_layer_norm(x, 1, NULL, NULL, 1e-5);
  x = tiny_add(x, tiny_matmul(tiny_gelu(tiny_matmul(h, w[4])), w[5]));
  CHECK(tiny_grad(tiny_mean(tiny_square(x), TINY_ALL, 0), w, WEIGHTS, g) == TINY_OK);
  CHECK(tiny_realize(g, WEIGHTS) == TINY_OK);
  const int kernels = (int)(tiny_stats_of(c).kernels - before);
  tiny_close(c);
  return kernels;
}

int main(void) {
  t = tiny_open(NULL);
  fill(weight, WIDE * WIDE); fill(query, FEW * WIDE); fill(filter_of, FEW * WIDE * 3);
  weights = tiny_from(t, weight, TINY_F32, TINY_SHAPE(WIDE, WIDE));
  queries = tiny_from(t, query, TINY_F32, TINY_SHAPE(FEW, WIDE));
  filter = tiny_from(t, filter_of, TINY_F32, TINY_SHAPE(FEW, WIDE, 3));
  lots = 12;
  for (int i = 10; i < LENGTHS; i++) lengths[i] = 1 + draw(MOST);
  for (int o = 0; o < OPERATORS; o++) check_operator(o);
  check_fixed(65);
  check_fixed(MOST - 1);
  check_cache();
  check_edge();
  CHECK_EQ(kernels_of(1), kernels_of(0));
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
