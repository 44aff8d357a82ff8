// cost: what the static cost of kernels is worth, and what a search and the compiler's flags win. One mode a run:
//   build/bench/cost [-k TEXT] [-v] rank [40]    so many candidates of each kernel: Spearman's rank correlation of cost
//                                                and time; how much slower than the fastest are the one of the least
//                                                cost and the heuristics' choice. -v: all of them
//   build/bench/cost [-k TEXT] [-v] beam [4]     a search of that width: microseconds of the heuristics' choice and of
//                                                its winner
//   build/bench/cost [-k TEXT] race LIST...       kernels by those schedules ("-": no opts), in turns
//   build/bench/cost [-k TEXT] flags             the heuristics' choice by flags of clang: time to compile, and to run
#define _GNU_SOURCE
#include "../src/all.c"
#include <sys/stat.h>

static tiny_tensor *rand2(tiny_ctx *t, int64_t a, int64_t b) { return tiny_rand(t, TINY_SHAPE(a, b)); }
static tiny_tensor *rand3(tiny_ctx *t, int64_t a, int64_t b, int64_t c) { return tiny_rand(t, TINY_SHAPE(a, b, c)); }
static tiny_tensor *product(tiny_tensor **in, tiny_tensor *a, tiny_tensor *b) {
  return tiny_matmul(in[0] = a, in[1] = b);
}
static tiny_tensor *across(tiny_tensor *x) { return tiny_transpose(x, -2, -1); }
static tiny_tensor *square(tiny_ctx *t, int n, tiny_tensor **in) { return product(in, rand2(t, n, n), rand2(t, n, n)); }
static tiny_tensor *matmul_512(tiny_ctx *t, tiny_tensor **in) { return square(t, 512, in); }
static tiny_tensor *matmul_777(tiny_ctx *t, tiny_tensor **in) { return square(t, 777, in); }
static tiny_tensor *matvec(tiny_ctx *t, tiny_tensor **in) {
  return product(in, rand2(t, 1, 4096), rand2(t, 4096, 4096));
}
static tiny_tensor *matrix_vector(tiny_ctx *t, tiny_tensor **in) {
  return product(in, rand2(t, 4096, 4096), rand2(t, 4096, 1));
}
static tiny_tensor *batched(tiny_ctx *t, tiny_tensor **in) {
  return product(in, rand3(t, 256, 32, 32), rand3(t, 256, 32, 32));
}
static tiny_tensor *forward(tiny_ctx *t, tiny_tensor **in) {
  return product(in, rand2(t, 1024, 384), rand2(t, 384, 1536));
}
static tiny_tensor *of_weight(tiny_ctx *t, tiny_tensor **in) {       // x.T @ dy
  in[0] = rand2(t, 1024, 384); in[1] = rand2(t, 1024, 1536);
  return tiny_matmul(across(in[0]), in[1]);
}
static tiny_tensor *of_input(tiny_ctx *t, tiny_tensor **in) {        // dy @ w.T
  in[0] = rand2(t, 1024, 1536); in[1] = rand2(t, 384, 1536);
  return tiny_matmul(in[0], across(in[1]));
}
static tiny_tensor *scores(tiny_ctx *t, tiny_tensor **in) {
  in[0] = rand3(t, 12, 512, 64); in[1] = rand3(t, 12, 512, 64);
  return tiny_matmul(in[0], across(in[1]));
}
static tiny_tensor *mixture(tiny_ctx *t, tiny_tensor **in) {
  return product(in, rand3(t, 12, 512, 512), rand3(t, 12, 512, 64));
}
static tiny_tensor *convolution(tiny_ctx *t, tiny_tensor **in, int out, int each, int k, int64_t groups) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.groups = groups;
  in[0] = tiny_rand(t, TINY_SHAPE(1, 64, 56, 56)); in[1] = tiny_rand(t, TINY_SHAPE(out, each, k, k));
  return tiny_conv2d(in[0], in[1], NULL, &d);
}
static tiny_tensor *conv(tiny_ctx *t, tiny_tensor **in) { return convolution(t, in, 64, 64, 3, 1); }
static tiny_tensor *conv_1x1(tiny_ctx *t, tiny_tensor **in) { return convolution(t, in, 256, 64, 1, 1); }
static tiny_tensor *depthwise(tiny_ctx *t, tiny_tensor **in) { return convolution(t, in, 64, 1, 3, 64); }
static tiny_tensor *softmax(tiny_ctx *t, tiny_tensor **in) { return tiny_softmax(in[0] = rand2(t, 1024, 1024), -1); }
static tiny_tensor *layer_norm(tiny_ctx *t, tiny_tensor **in) {
  return tiny_layer_norm(in[0] = rand2(t, 1024, 1024), 1, NULL, NULL, 1e-5);
}
static tiny_tensor *row_sums(tiny_ctx *t, tiny_tensor **in) { return tiny_sum(in[0] = rand2(t, 2048, 2048), 1, 0); }
static tiny_tensor *column_sums(tiny_ctx *t, tiny_tensor **in) { return tiny_sum(in[0] = rand2(t, 2048, 2048), 0, 0); }
static tiny_tensor *long_columns(tiny_ctx *t, tiny_tensor **in) {
  return tiny_sum(in[0] = rand2(t, 1 << 20, 64), 0, 0);
}
static tiny_tensor *transposition(tiny_ctx *t, tiny_tensor **in) {
  return tiny_contiguous(across(in[0] = rand2(t, 2048, 2048)));
}
static tiny_tensor *gelu(tiny_ctx *t, tiny_tensor **in) { return tiny_gelu(in[0] = rand2(t, 1024, 1024)); }
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t, tiny_tensor **in); } subjects[] = {
  {"matmul 512", matmul_512}, {"matmul 777", matmul_777}, {"matvec 1x4096x4096", matvec},
  {"matvec 4096x4096x1", matrix_vector}, {"matmul 256 of 32", batched}, {"matmul 1024x384x1536", forward},
  {"matmul transposed x", of_weight}, {"matmul transposed w", of_input}, {"attention scores", scores},
  {"attention mixture", mixture}, {"conv 3x3 64 56x56", conv}, {"conv 1x1 256 56x56", conv_1x1},
  {"conv depthwise 56x56", depthwise}, {"softmax 1024", softmax}, {"layer_norm 1024", layer_norm},
  {"sum of rows 2048", row_sums}, {"sum of columns 2048", column_sums}, {"sum of columns 1M", long_columns},
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

// ** a kernel in a context of its own **

enum { MOST = 512, TURNS = 12 };
typedef struct subject {
  const char *name; const tn_list *nodes; int n; tn_beam b;
  tiny_code (*prepare)(tiny_ctx *t, void *subject);
} subject;
static int verbose;

static void begin(tiny_ctx *t, subject *x) {
  tn_beam *b = &x->b;
  memset(b, 0, sizeof *b);
  b->t = t; b->asker = t; b->nodes = x->nodes; b->width = x->n; b->ns = HUGE_VAL; b->until = UINT64_MAX;
  b->most = x->n + 1; b->n = 1;
  b->ast = tn_beam_copy(t, x->nodes);
  b->tried = (tn_candidate *)calloc((size_t)b->most, sizeof *b->tried);
}

// What is timed needs these after the scratch memory is gone.
static void keep_launch(tn_beam *b) {
  tiny_mem *mem = (tiny_mem *)calloc((size_t)b->launch.nmem + 1, sizeof *mem);
  if (b->launch.nmem) memcpy(mem, b->launch.mem, (size_t)b->launch.nmem * sizeof *mem);
  b->launch.mem = mem;
  b->launch.args = (int64_t *)calloc((size_t)b->launch.nargs + 1, sizeof *b->launch.args);
}

// Candidates from the cheapest to eight times its cost; the first is the heuristics' choice.
static tiny_code prepare_candidates(tiny_ctx *t, void *arg) {
  subject *x = (subject *)arg;
  tn_beam *b = &x->b;
  const tn_target target = {&t->device[0]->renderer, &t->device[0]->limits};
  tn_candidates s;
  tn_kernel_state *choice = (tn_kernel_state *)tn_scratch(t, sizeof *choice);
  int range = 0;
  begin(t, x);
  tn_candidates_open(&s, t, b->ast, tn_prepare(t, b->ast, &target), &target, tn_os_cores());
  tn_beam_bind(t, b);
  tn_candidates_seeds(&s, TN_CANDIDATES_MOST);
  qsort(s.found, (size_t)s.n, sizeof *s.found, tn_candidates_cheaper);
  while (range < s.n && s.found[range].expected < 8 * s.found[0].expected) range++;
  tn_state_open(choice, t, s.sink, &target);
  tn_optimize(choice);
  b->tried[0].list = choice->done;
  if (tn_cost_of(t, choice->sink, target.limits, &b->tried[0].cost))
    b->tried[0].expected = tn_cost_on(&b->tried[0].cost, s.cores);
  for (int i = 0; i < x->n && i < range; i++)
    b->tried[b->n++] = s.found[range > x->n ? (int)((int64_t)i * range / x->n) : i];
  tn_beam_compile(t, b, 0, b->n);
  keep_launch(b);
  return TINY_OK;
}

static char **schedules;

static tiny_code prepare_schedules(tiny_ctx *t, void *arg) {
  subject *x = (subject *)arg;
  const tn_target target = {&t->device[0]->renderer, &t->device[0]->limits};
  begin(t, x);
  tn_beam_bind(t, &x->b);
  for (int i = 0; i < x->n; i++) {
    tn_candidate *c = &x->b.tried[i];
    tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
    tn_schedule_parse(schedules[i], &c->list);
    tn_state_open(s, t, tn_prepare(t, x->b.ast, &target), &target);
    if (!tn_schedule_apply(s, &c->list)) fprintf(stderr, "%s: not legal for %s\n", schedules[i], x->name);
    else if (tn_cost_of(t, s->sink, target.limits, &c->cost)) c->expected = tn_cost_on(&c->cost, tn_os_cores());
  }
  x->b.n = x->n;
  tn_beam_compile(t, &x->b, 0, x->b.n);
  keep_launch(&x->b);
  return TINY_OK;
}

static tiny_code prepare_heuristics(tiny_ctx *t, void *arg) {
  subject *x = (subject *)arg;
  begin(t, x);
  tn_beam_bind(t, &x->b);
  tn_beam_compile(t, &x->b, 0, x->b.n);
  keep_launch(&x->b);
  return TINY_OK;
}

static tiny_code prepare_search(tiny_ctx *t, void *arg) {
  subject *x = (subject *)arg;
  begin(t, x);
  const tiny_code code = tn_beam_search(t, &x->b);
  x->b.launch.mem = NULL; x->b.launch.args = NULL;         // they lay in scratch memory
  return code;
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
  const tn_targets targets = tn_context_targets(t);
  if (tn_draft_plan(t, &targets, &v, &root, 1, &d, &kernels) != TINY_OK) return t->code;
  tn_list nodes = {NULL, 0, 0};
  tn_toposort(t, kernels[d.plan.nstep - 1]->ast, &nodes);
  for (int i = 0; i < nodes.n; i++) nodes.u[i]->seq = (uint32_t)i;
  tiny_desc own;
  memset(&own, 0, sizeof own);
  own.device = "CPU"; own.cache_dir = ""; own.beam = -1;
  x->nodes = &nodes;
  tiny_ctx *to = tiny_open(&own);
  const tiny_code code = tn_guard(to, x->prepare, x);
  if (code != TINY_OK) printf("%s: %s\n", x->name, tiny_error(to));
  return code;
}

static void prepare(int i, subject *x, int n, tiny_code (*how)(tiny_ctx *t, void *subject)) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.beam = -1;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *in[4] = {NULL}, *y = subjects[i].make(t, in);
  for (int j = 0; j < 4 && in[j]; j++) tiny_realize(&in[j], 1);
  memset(x, 0, sizeof *x);
  x->name = subjects[i].name; x->n = n; x->prepare = how;
  x->nodes = (const tn_list *)(const void *)tn_uop_of(y);
  tn_guard(t, kernel_of, x);
  tiny_close(t);
}

static void finish(subject *x) {
  free((void *)(uintptr_t)x->b.launch.mem); free((void *)(uintptr_t)x->b.launch.args);
  x->b.launch.mem = NULL;
  tiny_close(x->b.t);
}

// The least nanoseconds of each of c[0..n-1], which run in turn; b[i]: the search that c[i] comes from.
static void race(int n, tn_beam *const *b, const tn_candidate *const *c, double *ns) {
  for (int i = 0; i < n; i++) ns[i] = HUGE_VAL;
  for (int turn = 0; turn < TURNS; turn++) for (int i = 0; i < n; i++) for (int again = 0; again < 3; again++) {
    const double now = tn_beam_run(b[i], c[i]);
    if (now < ns[i]) ns[i] = now;
  }
}

// ** modes **

static int by_expected(const void *a, const void *b) {
  const tn_candidate *x = (const tn_candidate *)a, *y = (const tn_candidate *)b;
  return x->expected < y->expected ? -1 : x->expected > y->expected;
}

static const char *text_of(const tn_schedule *list) {        // until the next call
  static char line[TN_SCHEDULE_TEXT];
  tiny_ctx *t = tiny_open(NULL);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, list);
  snprintf(line, sizeof line, "%s", text.data);
  tiny_close(t);
  return line;
}

static void print_candidate(const char *what, const tn_candidate *c) {
  printf("  %-10s %9.1f us  cost %9.1f k = core %9.1f, memory %9.1f; %4.0f tasks  %s\n", what, c->ns * 1e-3,
         c->expected * 1e-3, c->cost.core * 1e-3, c->cost.memory * 1e-3, c->cost.tasks, text_of(&c->list));
}

static double rank_sum[2];
static int ranked;

static void rank(subject *x) {
  tn_beam *b = &x->b, *same[3] = {b, b, b};
  double cost[MOST], time[MOST], ns[3];
  const tn_candidate *best = NULL, *least = NULL;
  int m = 0;
  tn_beam_measure(b, 0, b->n);
  qsort(b->tried + 1, (size_t)(b->n - 1), sizeof *b->tried, by_expected);
  for (int j = 0; j < b->n; j++) if (b->tried[j].kernel && b->tried[j].ns < HUGE_VAL) {
    if (!best || b->tried[j].ns < best->ns) best = &b->tried[j];
    if (!j) continue;
    if (!least) least = &b->tried[j];
    cost[m] = b->tried[j].expected; time[m++] = b->tried[j].ns;
  }
  if (!m || !b->tried[0].kernel) { printf("%-22s no candidates\n", x->name); return; }
  const tn_candidate *finalists[3] = {best, least, &b->tried[0]};
  race(3, same, finalists, ns);
  const double first = fmin(ns[0], fmin(ns[1], ns[2]));
  printf("%-22s %10d %12.3f %12.1f %11.2fx %11.2fx\n", x->name, m, correlation(cost, time, m), first * 1e-3,
         ns[1] / first, ns[2] / first);
  rank_sum[0] += log(ns[1] / first); rank_sum[1] += log(ns[2] / first);
  ranked++;
  if (!verbose) return;
  print_candidate("heuristics", &b->tried[0]);
  print_candidate("best", best);
  for (int j = 1; j < b->n; j++) if (b->tried[j].kernel) print_candidate("", &b->tried[j]);
}

static void beam(subject *x) {
  printf("%-22s %12.1f %12.1f %7.2fx %8d  %s\n", x->name, x->b.before_ns * 1e-3, x->b.ns * 1e-3,
         x->b.before_ns / x->b.ns, x->b.timed, text_of(&x->b.best));
}

static void race_schedules(subject *x) {
  tn_beam *b[MOST];
  const tn_candidate *c[MOST];
  double ns[MOST];
  int n = 0;
  for (int i = 0; i < x->n; i++) if (x->b.tried[i].kernel) { b[n] = &x->b; c[n++] = &x->b.tried[i]; }
  race(n, b, c, ns);
  puts(x->name);
  for (int i = 0; i < n; i++) { x->b.tried[c[i] - x->b.tried].ns = ns[i]; print_candidate("", c[i]); }
}

static const char *const flag_sets[] = {"-O2", "-O1", "-O2 -fno-unroll-loops", "-O3"};
enum { SETS = sizeof flag_sets / sizeof *flag_sets };

// A compiler of that name adds the flags to all others: clang takes the last.
static void use_flags(const char *flags) {
  char path[] = "/tmp/tiny-bench-clang-XXXXXX", line[256];
  const int fd = mkstemp(path), n = snprintf(line, sizeof line, "#!/bin/sh\nexec clang \"$@\" %s\n", flags);
  if (fd < 0 || write(fd, line, (size_t)n) != n || fchmod(fd, 0700) || close(fd)) perror(path);
  setenv("TINY_CC", path, 1);
}

static double compile_sum[SETS], run_sum[SETS];

static void compare_flags(int i) {
  static subject all[SETS];
  tn_beam *b[SETS];
  const tn_candidate *c[SETS];
  double compile[SETS], ns[SETS];
  for (int k = 0; k < SETS; k++) {
    use_flags(flag_sets[k]);
    prepare(i, &all[k], 1, prepare_heuristics);
    b[k] = &all[k].b; c[k] = all[k].b.tried;
    compile[k] = (double)b[k]->t->stats.compile_ns;
    remove(getenv("TINY_CC"));
    if (!c[k]->kernel) { printf("%-22s does not compile with %s\n", all[k].name, flag_sets[k]); return; }
  }
  race(SETS, b, c, ns);
  printf("%-22s", all[0].name);
  for (int k = 0; k < SETS; k++) printf(" %9.1f ms %9.1f us", compile[k] * 1e-6, ns[k] * 1e-3);
  puts("");
  for (int k = 0; k < SETS; k++) {
    compile_sum[k] += compile[k] * 1e-6;
    run_sum[k] += log(ns[k] / ns[0]);
    finish(&all[k]);
  }
  ranked++;
}

int main(int argc, char **argv) {
  enum { N = sizeof subjects / sizeof *subjects };
  const char *mode = "rank", *only = "";
  static subject all[N];
  int n = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "race")) { mode = argv[i]; schedules = argv + i + 1; n = argc - i - 1; break; }
    if (!strcmp(argv[i], "-v")) verbose = 1;
    else if (!strcmp(argv[i], "-k") && i + 1 < argc) only = argv[++i];
    else if (argv[i][0] >= '0' && argv[i][0] <= '9') n = atoi(argv[i]);
    else mode = argv[i];
  }
  const int flags = !strcmp(mode, "flags"), search = !strcmp(mode, "beam"), racing = !strcmp(mode, "race");
  if (!n) n = search ? 4 : 40;
  if (n > MOST) n = MOST;
  for (int i = 0; racing && i < n; i++) {
    tn_schedule s;
    if (!tn_schedule_parse(schedules[i], &s)) { fprintf(stderr, "%s: not a schedule\n", schedules[i]); return 2; }
  }
  if (flags) {
    printf("%-22s", "compiled, and run");
    for (int k = 0; k < SETS; k++) printf(" %25s", flag_sets[k]);
    puts("");
  } else if (search) 
    printf("%-22s %12s %12s %8s %8s  schedule\n", "kernel", "before us", "found us", "faster", "timed");
  else if (!racing)
    printf("%-22s %10s %12s %12s %12s %12s\n", "kernel", "candidates", "correlation", "best us", "least cost",
              "heuristics");
  for (int i = 0; i < N; i++) {
    if (!strstr(subjects[i].name, only)) continue;
    if (flags) { compare_flags(i); continue; }
    prepare(i, &all[i], n, search ? prepare_search : racing ? prepare_schedules : prepare_candidates);
    if (search) beam(&all[i]);
    else if (racing) race_schedules(&all[i]);
    else rank(&all[i]);
    fflush(stdout);
    finish(&all[i]);
  }
  if (!ranked) return 0;
  if (!flags)
    printf("%-22s %36s %11.2fx %11.2fx\n", "geometric mean", "", exp(rank_sum[0] / ranked), exp(rank_sum[1] / ranked));
  else {
    printf("%-22s", "sum, and mean ratio");
    for (int k = 0; k < SETS; k++) printf(" %9.1f ms %8.2fx ", compile_sum[k], exp(run_sum[k] / ranked));
    puts("");
  }
  return 0;
}
