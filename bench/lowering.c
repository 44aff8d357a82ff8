// lowering: what a kernel takes on its way from the tensor graph to text: planned, scheduled, lowered, linearized,
// rendered; no compiler. The kernels are those of bench/count.c, for a GPU that need not be here, and for this CPU.
//   build/bench/lowering [-v] [-k TEXT] [TARGET..]   sm_90 and cpu; -v: each kernel; -k: graphs whose name has TEXT
// A graph is lowered so often that its least time is no accident of this machine, each time in a context of its own
// that has lowered another one before: rules are parsed by then, and nothing of this graph is known. A kernel's share
// of the plan is an equal part of it.
#define BENCH_COUNT_PART
#include "count.c"

enum { RUNS = 7, KERNELS_MOST = 256 };

// Of this process: what others do on the machine counts less.
static uint64_t processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

typedef struct lowering { const char *name; double us; } lowering;
typedef struct lowerings { lowering of[KERNELS_MOST]; int n; } lowerings;

typedef struct lowering_run {
  const tiny_limits *limits; const tiny_renderer *renderer;
  tiny_uop *root;
  double plan_us, us[KERNELS]; int n; size_t nbytes;
} lowering_run;

static tiny_code lower_kernel(tiny_ctx *t, const tn_kernel *kernel, const tn_target *target, lowering_run *x) {
  const uint64_t from = processor_ns();
  tn_lowered low;
  memset(&low, 0, sizeof low);
  const tiny_code code = tn_pipeline_run(t, tn_nodes_enter(t, kernel->ast), target, NULL, 0, &low);
  tiny_bytes out = {t, NULL, 0, 0};
  uint64_t uses = 0;
  const tiny_listing k = {"kernel", low.list, low.n, low.hints, low.local, low.local_nbytes};
  if (code == TINY_OK && target->renderer->kernel(t, target->renderer, &k, &out, &uses) == TINY_OK) x->nbytes += out.n;
  tn_nodes_leave(t);
  x->us[x->n++] = (double)(processor_ns() - from) * 1e-3;
  return t->code;
}

static tiny_code lower_graph(tiny_ctx *t, void *arg) {
  lowering_run *x = (lowering_run *)arg;
  tn_visit v;
  tn_draft d;
  const tn_kernel **kernels;
  tn_targets targets;
  tiny_uop *root = x->root;
  while (root->op == TINY_OP_RESHAPE) root = root->src[0];
  memset(&v, 0, sizeof v); memset(&targets, 0, sizeof targets);
  targets.limits[0] = x->limits; targets.n = 1;
  const tn_target target = {x->renderer, x->limits};
  const uint64_t from = processor_ns();
  tn_visit_graph(t, &v, &root, 1);
  if (tn_draft_plan(t, &targets, &v, &root, 1, &d, &kernels) != TINY_OK) return t->code;
  x->plan_us = (double)(processor_ns() - from) * 1e-3;
  for (int i = 0; i < d.plan.nstep && i < KERNELS; i++)
    if (lower_kernel(t, kernels[i], &target, x) != TINY_OK) return t->code;
  return TINY_OK;
}

// What is lowered for: this CPU, or a GPU by its description and CUDA C.
static int lowering_target(tiny_ctx *t, const char *name, tiny_limits *limits, tiny_renderer *renderer) {
  if (!strcmp(name, "cpu")) {
    *limits = t->device[0]->limits;
    *renderer = t->device[0]->renderer;
    return 1;
  }
  return write_target("cu", name, limits, renderer);
}

// A graph's kernels, in their least times. 1: something went wrong.
static int lower_subject(int i, const char *name, int verbose, lowerings *all) {
  lowering_run best;
  memset(&best, 0, sizeof best);
  for (int run = 0; run < RUNS; run++) {
    tiny_limits limits;
    tiny_renderer renderer;
    lowering_run x;
    memset(&x, 0, sizeof x);
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CPU", .cache_dir = "", .debug = ""});
    if (!lowering_target(t, name, &limits, &renderer)) { printf("no target %s\n", name); tiny_close(t); return 1; }
    lowering_run other;
    tiny_tensor *y = subjects[i ? 0 : 1].make(t);
    memset(&other, 0, sizeof other);
    other.limits = &limits; other.renderer = &renderer; other.root = tn_uop_of(y);
    tn_guard(t, lower_graph, &other);
    y = subjects[i].make(t);
    x.limits = &limits; x.renderer = &renderer; x.root = tn_uop_of(y);
    const int wrong = tiny_error(t)[0] || tn_guard(t, lower_graph, &x) != TINY_OK;
    if (wrong) printf("%-22s %s\n", subjects[i].name, tiny_error(t));
    tiny_close(t);
    if (wrong) return 1;
    if (!run) { best = x; continue; }
    if (x.plan_us < best.plan_us) best.plan_us = x.plan_us;
    for (int k = 0; k < x.n; k++) if (x.us[k] < best.us[k]) best.us[k] = x.us[k];
  }
  for (int k = 0; k < best.n && all->n < KERNELS_MOST; k++) {
    all->of[all->n++] = (lowering){subjects[i].name, best.us[k] + best.plan_us / best.n};
    if (verbose)
      printf("  %-22s %d of %d  plan %7.1f us, its own %7.1f us\n", subjects[i].name, k + 1, best.n,
             best.plan_us / best.n, best.us[k]);
  }
  return 0;
}

static int lowering_longest(const void *a, const void *b) {
  const lowering *x = (const lowering *)a, *y = (const lowering *)b;
  return x->us < y->us ? 1 : x->us > y->us ? -1 : 0;
}
static int lower_target(const char *name, options *o) {
  static lowerings all;
  int wrong = 0;
  all.n = 0;
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    if (!o->only || strstr(subjects[i].name, o->only)) wrong += lower_subject((int)i, name, o->verbose, &all);
  if (!all.n) return 1;
  qsort(all.of, (size_t)all.n, sizeof *all.of, lowering_longest);
  printf("%-8s %3d kernels, median %.3f ms, worst %.3f ms: %s\n", name, all.n, all.of[all.n / 2].us * 1e-3,
         all.of[0].us * 1e-3, all.of[0].name);
  return wrong;
}

int main(int argc, char **argv) { return each_target(argc, argv, lower_target, "sm_90", "cpu"); }
