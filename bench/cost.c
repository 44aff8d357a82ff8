// cost: how well the static cost of a kernel's candidates ranks them by the time they take.
// make build/bench/cost && build/bench/cost [candidates a kernel] prints Spearman's rank correlation for common
// kernels, and how much slower than the fastest candidate are the one of the least cost and the heuristics' choice.
#include "../src/all.c"

static tiny_tensor *rand2(tiny_ctx *t, int64_t a, int64_t b) { return tiny_rand(t, TINY_SHAPE(a, b)); }
static tiny_tensor *square(tiny_ctx *t, int n, tiny_tensor **in) {
  in[0] = rand2(t, n, n); in[1] = rand2(t, n, n);
  return tiny_matmul(in[0], in[1]);
}
static tiny_tensor *matmul_512(tiny_ctx *t, tiny_tensor **in) { return square(t, 512, in); }
static tiny_tensor *matmul_777(tiny_ctx *t, tiny_tensor **in) { return square(t, 777, in); }
static tiny_tensor *matvec(tiny_ctx *t, tiny_tensor **in) {
  in[0] = rand2(t, 1, 4096); in[1] = rand2(t, 4096, 4096);
  return tiny_matmul(in[0], in[1]);
}
static tiny_tensor *matrix_vector(tiny_ctx *t, tiny_tensor **in) {
  in[0] = rand2(t, 4096, 4096); in[1] = rand2(t, 4096, 1);
  return tiny_matmul(in[0], in[1]);
}
static tiny_tensor *conv(tiny_ctx *t, tiny_tensor **in) {
  in[0] = tiny_rand(t, TINY_SHAPE(1, 64, 56, 56)); in[1] = tiny_rand(t, TINY_SHAPE(64, 64, 3, 3));
  return tiny_conv2d(in[0], in[1], NULL, NULL);
}
static tiny_tensor *softmax(tiny_ctx *t, tiny_tensor **in) { return tiny_softmax(in[0] = rand2(t, 1024, 1024), -1); }
static tiny_tensor *row_sums(tiny_ctx *t, tiny_tensor **in) { return tiny_sum(in[0] = rand2(t, 2048, 2048), 1, 0); }
static tiny_tensor *column_sums(tiny_ctx *t, tiny_tensor **in) { return tiny_sum(in[0] = rand2(t, 2048, 2048), 0, 0); }
static tiny_tensor *transposition(tiny_ctx *t, tiny_tensor **in) {
  return tiny_contiguous(tiny_transpose(in[0] = rand2(t, 2048, 2048), 0, 1));
}
static tiny_tensor *gelu(tiny_ctx *t, tiny_tensor **in) { return tiny_gelu(in[0] = rand2(t, 1024, 1024)); }
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t, tiny_tensor **in); } subjects[] = {
  {"matmul 512", matmul_512}, {"matmul 777", matmul_777}, {"1 x 4096 x 4096", matvec},
  {"4096 x 4096 x 1", matrix_vector}, {"conv 3x3 64 56x56", conv}, {"softmax 1024", softmax},
  {"sum of rows 2048", row_sums}, {"sum of columns 2048", column_sums},
  {"transpose 2048", transposition}, {"gelu 1024", gelu}};

// ** Spearman **

static double by_rank(const double *v, int n, int i) {       // mean rank among equals
  double below = 0, equal = 0;
  for (int j = 0; j < n; j++) { below += v[j] < v[i]; equal += v[j] == v[i]; }
  return below + (equal - 1) / 2;
}
static double correlation(const double *x, const double *y, int n) {
  double xy = 0, xx = 0, yy = 0;
  const double mean = (n - 1) / 2.0;
  for (int i = 0; i < n; i++) {
    const double a = by_rank(x, n, i) - mean, b = by_rank(y, n, i) - mean;
    xy += a * b; xx += a * a; yy += b * b;
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

// ** candidates: from the cheapest to eight times its cost, and the heuristics' choice **

enum { MOST = 512 };
typedef struct subject { const char *name; const tn_list *nodes; tiny_ctx *from; int n; tn_beam b; } subject;

static tiny_code prepare(tiny_ctx *t, void *arg) {
  subject *x = (subject *)arg;
  tn_beam *b = &x->b;
  const tn_target target = {&t->device->lang, &t->device->limits};
  tn_candidates s;
  b->t = t; b->asker = t; b->ns = HUGE_VAL; b->until = UINT64_MAX; b->most = x->n + 1;
  b->ast = tn_beam_copy(t, x->nodes);
  tn_candidates_open(&s, t, b->ast, tn_build_begin(t, b->ast), &target, tn_os_cores());
  tn_beam_bind(t, b);
  tn_candidates_seeds(&s, TN_CANDIDATES_MOST);
  int range = 0;
  qsort(s.found, (size_t)s.n, sizeof *s.found, tn_candidates_cheaper);
  while (range < s.n && s.found[range].expected < 8 * s.found[0].expected) range++;
  b->tried = (tn_candidate *)calloc((size_t)b->most, sizeof *b->tried);
  b->n = 1;
  tn_recipe none;
  memset(&none, 0, sizeof none);
  if (tn_recipe_apply(t, s.sink, &target, &none, &b->tried[0].cost))
    b->tried[0].expected = tn_cost_on(&b->tried[0].cost, s.cores);
  for (int i = 0; i < x->n && i < range; i++)
    b->tried[b->n++] = s.found[range > x->n ? (int)((int64_t)i * range / x->n) : i];
  tn_beam_compile(t, b, 0);
  // what is timed needs these after the scratch memory is gone
  tiny_mem *mem = (tiny_mem *)calloc((size_t)b->launch.nmem + 1, sizeof *mem);
  memcpy(mem, b->launch.mem, (size_t)b->launch.nmem * sizeof *mem);
  b->launch.mem = mem;
  b->launch.args = (int64_t *)calloc((size_t)b->launch.nargs + 1, sizeof *b->launch.args);
  return TINY_OK;
}

static tiny_code kernel_of(tiny_ctx *t, void *arg) {
  tn_visit v;
  tn_draft d;
  const tn_kernel **kernels;
  subject *x = (subject *)arg;
  tiny_uop *root = (tiny_uop *)(uintptr_t)x->nodes;
  while (root->op == TINY_OP_RESHAPE) root = root->src[0];
  memset(&v, 0, sizeof v);
  tn_visit_graph(t, &v, &root, 1);
  if (tn_draft_plan(t, &v, &root, 1, &d, &kernels) != TINY_OK) return t->code;
  tn_list nodes = {NULL, 0, 0};
  tn_toposort(t, kernels[d.plan.nstep - 1]->ast, &nodes);
  for (int i = 0; i < nodes.n; i++) nodes.u[i]->seq = (uint32_t)i;
  tiny_desc own;
  memset(&own, 0, sizeof own);
  own.device = "CPU"; own.cache_dir = ""; own.beam = -1;
  x->nodes = &nodes;
  tiny_ctx *to = tiny_open(&own);
  const tiny_code code = tn_guard(to, prepare, x);
  if (code != TINY_OK) printf("%s: %s\n", x->name, tiny_error(to));
  return code;
}

int main(int argc, char **argv) {
  enum { N = sizeof subjects / sizeof *subjects };
  static subject all[N];
  const int n = argc > 1 ? atoi(argv[1]) : 40;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.beam = -1;
  for (int i = 0; i < N; i++) {
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *in[4] = {NULL}, *x = subjects[i].make(t, in);
    for (int j = 0; j < 4 && in[j]; j++) tiny_realize(&in[j], 1);
    all[i].name = subjects[i].name; all[i].n = n < MOST ? n : MOST;
    all[i].nodes = (const tn_list *)(const void *)x->uop;
    tn_guard(t, kernel_of, &all[i]);
    tiny_close(t);
  }
  printf("%-22s %10s %12s %14s %14s %12s\n", "kernel", "candidates", "correlation", "best us", "least cost",
         "heuristics");
  for (int i = 0; i < N; i++) {
    tn_beam *b = &all[i].b;
    double cost[MOST], ns[MOST], best = HUGE_VAL, least = HUGE_VAL, chosen = HUGE_VAL;
    int m = 0;
    tn_beam_measure(b, 0);
    for (int j = 0; j < b->n; j++) if (b->tried[j].ns < HUGE_VAL) {
      if (b->tried[j].ns < best) best = b->tried[j].ns;
      if (j && b->tried[j].expected < least) { least = b->tried[j].expected; chosen = b->tried[j].ns; }
      if (!j) continue;
      cost[m] = b->tried[j].expected; ns[m++] = b->tried[j].ns;
    }
    printf("%-22s %10d %12.3f %14.1f %13.2fx %11.2fx\n", all[i].name, m, correlation(cost, ns, m),
           best * 1e-3, chosen / best, b->tried[0].ns / best);
  }
  return 0;
}
