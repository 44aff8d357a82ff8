// beam: the fastest schedule for a kernel, found by timing.
//
// In:  kernels that are to be built. Out: their schedules. One that was found before comes from disk, where it lies
//      under a digest of the kernel, the device's target and limits, and this build of the library.
// A search runs in a context of its own, with memory of its own: whatever goes wrong there or is not to be had stays
// there, and the heuristics' choice remains. That choice is the first candidate, so that no search loses; then come
// the seeds that cost least, then what lies around the n fastest, as long as that wins. All candidates of a generation
// compile at once; those that begin slowly are not timed to the end.
// Buffers are as large as the kernel's, filled with small numbers, or with zeros where they tell what else is read.
#ifndef TN_RUNTIME_BEAM
#define TN_RUNTIME_BEAM
#ifndef TINY_AMALGAMATED
#include "builds.c"
#endif

enum { TN_BEAM_MOST = TN_SEARCH_MOST, TN_BEAM_EACH = 8, TN_BEAM_GENERATIONS = 8, TN_BEAM_RUNS = 40, TN_BEAM_DUEL = 8,
  TN_BEAM_FILL = 4096,
  TN_BEAM_ITEMS = 1 << 14 };               // work items that a device runs at a time, about
#define TN_BEAM_WORTH 1000                 // cycles: what takes less is not searched for
#define TN_BEAM_SLOW 2.5                   // times the best: such a candidate is not timed further
#define TN_BEAM_WIN 0.985                  // of the best before: less, and another generation follows
#define TN_BEAM_RUN_NS 15e6                // spent on timing a candidate
#define TN_BEAM_NS 6e9                     // spent on a kernel, for each of the width

typedef struct tn_beam {
  tiny_ctx *t, *asker;                     // whose context the search has; who wants to know
  const tn_list *nodes;                    // of the kernel, in the asker's context
  int width, number, of; const char *name; // of: how many kernels are searched for; name: of this one
  tn_schedule best; double ns, before_ns;    // before: the heuristics' choice
  int timed;
  tn_progress progress;
  // within the search
  tn_candidate *tried; int n, most;
  uint64_t first;                          // what tells the heuristics' choice, tried[0], among those that were sorted
  tiny_uop *ast; tiny_launch launch; uint64_t until;
} tn_beam;

// ** is a kernel fit to be timed? **

static int tn_beam_is_given(const tiny_uop *u) { return u->op == TINY_OP_LOAD || u->op == TINY_OP_ARG; }

// Does the kernel find elements by what it loads? 1: no; 0: yes, and with zeros it stays within its memory; -1: yes.
static int tn_beam_reads_freely(tiny_ctx *t, tiny_uop *ast) {
  tn_list all = {NULL, 0, 0}, stores = {NULL, 0, 0};
  int freely = 1;
  tn_toposort(t, ast, &all);
  tn_collect_op(t, ast, TINY_OP_STORE, &stores);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *index = all.u[i];
    tn_list below = {NULL, 0, 0}, given = {NULL, 0, 0}, zero = {NULL, 0, 0};
    if (index->op != TINY_OP_INDEX || index->src[0]->op != TINY_OP_PARAM) continue;
    for (uint32_t j = 1; j < index->nsrc; j++) tn_toposort(t, index->src[j], &below);
    for (int j = 0; j < below.n; j++) if (tn_beam_is_given(below.u[j])) {
      tn_push(t, &given, below.u[j]);
      tn_push(t, &zero, tn_const(t, below.u[j]->dtype, tn_dtype_value(below.u[j]->dtype, 0)));
      for (int k = 0; k < stores.n && below.u[j]->op == TINY_OP_LOAD; k++)
        if (stores.u[k]->src[0]->src[0] == below.u[j]->src[0]->src[0]) return -1;    // it will not stay zero
    }
    if (!given.n) continue;
    freely = 0;
    const tiny_uop *now = tn_simplify(t, tn_replace(t, index, given.n, given.u, zero.u)), *at = now->src[1];
    const int never = now->nsrc == 3 && tn_is_k(now->src[2], 0);
    if (!never && (at->vmin < 0 || at->vmax >= tn_memory_nelem(index->src[0]))) return -1;
  }
  return freely;
}

static tiny_code tn_beam_fill(struct tn_device *d, tn_storage *s, int dtype, int zeros) {
  char block[TN_BEAM_FILL];
  const size_t nbytes = tn_dtypes[dtype].nbytes;
  memset(block, 0, sizeof block);
  for (size_t i = 0; !zeros && i + nbytes <= sizeof block; i += nbytes) {
    const double x = (double)(i / nbytes % 7);
    tn_dtype_store(dtype, block + i, tn_dtype_value(dtype, tn_is_float(dtype) ? 0.25 + x / 8 : x > 3));
  }
  for (size_t at = 0; at < s->nbytes; at += sizeof block) {
    const size_t n = s->nbytes - at < sizeof block ? s->nbytes - at : sizeof block;
    const tiny_mem dst = {s->mem, at};
    if (d->limits.host_memory) memcpy((char *)s->mem + at, block, n);
    else if (d->backend->copy_in(d->dev, dst, block, n) != TINY_OK) return TINY_E_DEVICE;
  }
  return TINY_OK;
}

// Memory and arguments of a launch; 0: there is no memory, or nobody knows what the kernel would read.
static int tn_beam_bind(tiny_ctx *t, tn_beam *b) {
  tn_list all = {NULL, 0, 0};
  const int freely = tn_beam_reads_freely(t, b->ast);
  if (freely < 0) return 0;
  tn_toposort(t, b->ast, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_PARAM && u->k >= b->launch.nmem) b->launch.nmem = (int)u->k + 1;
    if (u->op == TINY_OP_ARG && u->k >= b->launch.nargs) b->launch.nargs = (int)u->k + 1;
  }
  tiny_mem *mem = (tiny_mem *)tn_scratch(t, ((size_t)b->launch.nmem + 1) * sizeof *mem);
  b->launch.mem = mem;
  int64_t *args = (int64_t *)tn_scratch(t, ((size_t)b->launch.nargs + 1) * sizeof *args);
  b->launch.args = args;
  for (int i = 0; i < all.n; i++)          // a length is timed at its greatest
    if (all.u[i]->op == TINY_OP_ARG && all.u[i]->nv == 2) args[all.u[i]->k] = all.u[i]->vmax;
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_PARAM && !mem[all.u[i]->k].base) {
    const tiny_uop *u = all.u[i];
    tn_storage *s = tn_storage_new(t->device[0], (size_t)u->v[0] * tn_dtypes[u->dtype].nbytes);
    if (!s) return 0;
    mem[u->k].base = s->mem;
    if (tn_beam_fill(t->device[0], s, u->dtype, !freely) != TINY_OK) return 0;
  }
  return 1;
}

// ** timing **

static double tn_beam_run(tn_beam *b, const tn_candidate *c) {
  struct tn_device *d = b->t->device[0];
  tiny_launch l = b->launch;
  l.kernel = c->kernel; l.tasks = c->tasks; l.local_nbytes = c->local_nbytes;
  memcpy(l.global, c->global, sizeof l.global);
  memcpy(l.local, c->local, sizeof l.local);
  tn_stamp_ask(d, &l);
  const uint64_t from = tn_os_now();
  if (d->backend->launch(d->dev, &l) != TINY_OK || d->backend->sync(d->dev) != TINY_OK) return HUGE_VAL;
  return (double)tn_stamp_ns(d, tn_os_now() - from) + 1;
}

static double tn_beam_time(tn_beam *b, const tn_candidate *c, double best) {
  double spent = 0, least = HUGE_VAL;
  for (int i = 0; i < TN_BEAM_RUNS && (i < 3 || spent < TN_BEAM_RUN_NS); i++) {
    const double ns = tn_beam_run(b, c);
    spent += ns;
    if (ns < least) least = ns;
    if (i && least > best * TN_BEAM_SLOW) break;
    if (ns > best * TN_BEAM_SLOW && ns > TN_BEAM_RUN_NS) break;
  }
  return least;
}

static int tn_beam_shows(const tn_beam *b) {
  return !b->asker->log.fn && !b->asker->progress.fn && tn_os_terminal();
}

static void tn_beam_say(const tn_beam *b, int generation, int n) {
  char line[128];
  if (!tn_beam_shows(b)) return;
  tn_number_print(line, sizeof line, "tiny: searching for kernel %d of %d, generation %d, %3d candidates, %.1f us \r",
                  b->number, b->of, generation + 1, n, b->ns < HUGE_VAL ? b->ns * 1e-3 : 0);
  fputs(line, stderr);
}

// Lowers n candidates from tried[from] on; those that do not come out whole are left out.
static int tn_beam_lower(tiny_ctx *t, tn_beam *b, int from, int n, tn_build *builds, tn_build **left) {
  int nleft = 0;
  for (int i = from; i < from + n; i++) {
    tn_build *x = &builds[i - from];
    b->tried[i].ns = HUGE_VAL;
    if (tn_progress_tell(&b->progress, b->number - 1, b->name)) return 0;
    x->at = t->device[0]->programs; x->ast = b->ast;
    x->found = i ? &b->tried[i].list : NULL;
    snprintf(x->name, sizeof x->name, "candidate_%d", i);
    if (tn_build_lower(t, x) == TINY_OK && x->text.data) left[nleft++] = x;
    t->code = TINY_OK;
  }
  return nleft;
}

typedef struct tn_beam_generation { tn_beam *b; int from, n; tn_builds all; } tn_beam_generation;    // n: of them

static void tn_beam_clear(void *arg) { tn_builds_clear(&((tn_beam_generation *)arg)->all); }

static tiny_code tn_beam_compile_generation(tiny_ctx *t, void *arg) {
  const tn_beam_generation *r = (const tn_beam_generation *)arg;
  const struct tn_device *d = t->device[0];
  tn_build *builds = r->all.build;
  tn_build **left = (tn_build **)tn_scratch(t, (size_t)r->n * sizeof *left);
  const int nleft = tn_beam_lower(t, r->b, r->from, r->n, builds, left);
  const int most = d->renderer.flags & TINY_TARGET_ALONE ? nleft : 2 * tn_os_cores();
  const int modules = most < nleft ? most : nleft;
  tiny_bytes *text = (tiny_bytes *)tn_scratch(t, ((size_t)modules + 1) * sizeof *text);
  tiny_bytes *binary = (tiny_bytes *)tn_scratch(t, ((size_t)modules + 1) * sizeof *binary), log = {t, NULL, 0, 0};
  int *first = (int *)tn_scratch(t, ((size_t)modules + 1) * sizeof *first);
  if (!nleft) return TINY_OK;
  tn_build_deal(t, left, nleft, modules, first);
  for (int m = 0; m < modules; m++) {
    text[m] = tn_module_of(t, left + first[m], first[m + 1] - first[m]);
    binary[m].t = t;
  }
  const uint64_t began = tn_os_now();
  const tiny_code code = tn_device_compile(d, modules, text, binary, &log);
  t->stats.compile_ns += tn_os_now() - began;
  for (int m = 0; m < modules && code == TINY_OK; m++) {
    const tn_digest key = tn_bytes_key(d->programs, "module", text[m].data, text[m].n);
    const tn_module *module = tn_module_load(d->programs, &key, binary[m].data, binary[m].n);
    for (int i = first[m]; i < first[m + 1]; i++) {
      tn_candidate *c = &r->b->tried[r->from + (int)(left[i] - builds)];
      c->kernel = module ? d->backend->find(d->dev, module->handle, left[i]->name) : NULL;
      c->tasks = left[i]->low.tasks;
      c->local_nbytes = left[i]->local_nbytes;
      memcpy(c->global, left[i]->low.global, sizeof c->global);
      tn_lowered_threads(&left[i]->low, c->local);
    }
  }
  return code;
}

// Compiles n from tried[from] on. A candidate without a kernel afterwards is out.
static void tn_beam_compile(tiny_ctx *t, tn_beam *b, int from, int n) {
  tn_beam_generation r;
  memset(&r, 0, sizeof r);
  r.b = b; r.from = from; r.n = n;
  r.all.t = t; r.all.at = t->device[0]->programs; r.all.n = r.n;
  if (r.n < 1) return;
  t->watch = b->progress.t ? &b->progress.watch : NULL;
  r.all.build = (tn_build *)tn_scratch(t, (size_t)r.n * sizeof *r.all.build);
  tn_process_protect(t, tn_beam_compile_generation, tn_beam_clear, &r);
  tn_beam_clear(&r);
  t->code = TINY_OK;
}

static void tn_beam_measure(tn_beam *b, int from, int n) {
  for (int i = from; i < from + n && (i == 0 || tn_os_now() < b->until); i++) {
    tn_candidate *c = &b->tried[i];
    if (tn_progress_tell(&b->progress, b->number - 1, b->name)) return;
    tiny_bytes line = {b->asker, NULL, 0, 0};
    if (!c->kernel) continue;
    if (i == from) tn_beam_run(b, c);      // threads wake, memory is mapped
    c->ns = tn_beam_time(b, c, b->ns);
    b->timed++;
    if (c->ns < b->ns) { b->ns = c->ns; b->best = c->list; }
    if (!tn_debug(b->asker, 'b')) continue;
    tn_schedule_print(&line, &c->list);
    tn_log(b->asker, "  %10.1f us  cost %12.0f = core %.0f, memory %.0f, tasks %.0f  %s", c->ns * 1e-3, c->expected,
           c->cost.core, c->cost.memory, c->cost.tasks, line.data);
  }
}

// Those from tried[from] on: all at once where compilers run side by side, as the CPU's do. A driver's takes one text
// after the other, on this thread: one is timed before the next is compiled, as the time may be over then.
static void tn_beam_try(tiny_ctx *t, tn_beam *b, int from) {
  const int each = tn_is_cpu(t->device[0]->backend) ? b->n - from : 1;
  for (int i = from; i < b->n && (i == 0 || tn_os_now() < b->until); i += each) {
    const tn_mark mark = tn_scratch_mark(t);
    tn_beam_compile(t, b, i, each);
    tn_beam_measure(b, i, each);
    tn_scratch_rewind(t, mark);
    if (b->progress.cancelled) return;
  }
}

// ** the search **

// The first n that were found and not tried yet are tried. Returns how many.
static int tn_beam_take(tn_beam *b, const tn_candidates *s, int n) {
  const int from = b->n;
  for (int i = 0; i < s->n && b->n < b->most && b->n - from < n; i++) {
    int known = 0;
    for (int j = 0; j < b->n; j++)
      known |= b->tried[j].same == s->found[i].same || (j >= from && tn_candidates_alike(&b->tried[j], &s->found[i]));
    if (!known) b->tried[b->n++] = s->found[i];
  }
  return b->n - from;
}

static int tn_beam_faster(const void *a, const void *b) {
  const tn_candidate *x = (const tn_candidate *)a, *y = (const tn_candidate *)b;
  return x->ns < y->ns ? -1 : x->ns > y->ns;
}

// The winner against the heuristics' choice, in turns: what is not faster there has won by chance.
static void tn_beam_duel(tn_beam *b) {
  const tn_candidate *first = NULL, *best = NULL;
  double ns[2] = {HUGE_VAL, HUGE_VAL};
  for (int i = 0; i < b->n; i++) {
    if (b->tried[i].same == b->first) first = &b->tried[i];
    if (!memcmp(&b->tried[i].list, &b->best, sizeof b->best)) best = &b->tried[i];
  }
  if (!first || !best || !first->kernel || !best->kernel) return;
  for (int i = 0; i < TN_BEAM_DUEL; i++) for (int k = 0; k < 2; k++) {
    const double now = tn_beam_run(b, k ? best : first);
    if (now < ns[k]) ns[k] = now;
  }
  b->before_ns = ns[0];
  b->ns = ns[1];
  if (ns[1] > ns[0] * TN_BEAM_WIN) { b->best = first->list; b->ns = ns[0]; }
}

static tiny_uop *tn_beam_copy(tiny_ctx *t, const tn_list *nodes) {
  tiny_uop **copy = (tiny_uop **)tn_scratch(t, (size_t)nodes->n * sizeof *copy);
  for (int i = 0; i < nodes->n; i++) {
    const tiny_uop *u = nodes->u[i];
    tiny_uop **src = (tiny_uop **)tn_scratch(t, ((size_t)u->nsrc + 1) * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) src[j] = copy[u->src[j]->seq];
    copy[i] = tn_uop_make(t, u->op, u->dtype, u->lanes, (int)u->nsrc, src, u->k, u->nv, u->v);
  }
  return copy[nodes->n - 1];
}

static tiny_code tn_beam_search(tiny_ctx *t, void *arg) {
  tn_beam *b = (tn_beam *)arg;
  const struct tn_device *d = t->device[0];
  const tn_target target = {&d->renderer, &d->limits};
  const int each = TN_BEAM_EACH * b->width;
  tn_candidates s;
  tn_kernel_state *choice = (tn_kernel_state *)tn_scratch(t, sizeof *choice);
  tn_cost cost = {0, 0, 0, 1, 0};
  b->until = tn_os_now() + (uint64_t)(TN_BEAM_NS * b->width);
  b->ast = tn_beam_copy(t, b->nodes);
  if (b->ast->hash != b->nodes->u[b->nodes->n - 1]->hash) return TINY_OK;
  tiny_uop *sink = tn_prepare(t, b->ast, &target);
  tn_candidates_open(&s, t, b->ast, sink, &target, tn_machine_grid(&d->limits) ? (int)TN_BEAM_ITEMS : tn_os_cores());
  tn_state_open(choice, t, sink, &target);
  tn_optimize(choice);
  const int known = tn_cost_of(t, choice->sink, target.limits, &cost);
  if (tn_is_ordered(t, sink) || (known && cost.cycles < TN_BEAM_WORTH) || !tn_beam_bind(t, b)) return TINY_OK;
  b->most = each * (TN_BEAM_GENERATIONS + 1) + 1;
  b->tried = (tn_candidate *)tn_scratch(t, (size_t)b->most * sizeof *b->tried);
  b->n = 1;                                // tried[0]: the heuristics' choice, whatever it is
  b->tried[0].list = choice->done;
  b->tried[0].same = b->first = tn_candidates_same(t, choice->sink);
  b->tried[0].cost = cost;
  b->tried[0].expected = tn_cost_on(&cost, s.cores);
  for (int generation = 0; generation < TN_BEAM_GENERATIONS && tn_os_now() < b->until; generation++) {
    const tn_mark mark = tn_scratch_mark(t);
    const double before = b->ns;
    const int from = generation ? b->n : 0;
    if (!generation) tn_candidates_seeds(&s, each);
    else {
      s.n = 0;
      qsort(b->tried, (size_t)b->n, sizeof *b->tried, tn_beam_faster);
      for (int i = 0; i < b->width && i < b->n && b->tried[i].ns < HUGE_VAL; i++)
        tn_candidates_around(&s, &b->tried[i].list);
      qsort(s.found, (size_t)s.n, sizeof *s.found, tn_candidates_cheaper);
    }
    if (!tn_beam_take(b, &s, each) && generation) break;
    tn_beam_say(b, generation, b->n - from);
    tn_beam_try(t, b, from);
    tn_scratch_rewind(t, mark);
    tn_candidates_sweep(&s);
    if (b->progress.cancelled) return TINY_OK;
    if (generation && !(b->ns < before * TN_BEAM_WIN)) break;
  }
  tn_beam_duel(b);
  return TINY_OK;
}

// ** what was found before **

static tn_digest tn_beam_key(const tn_build *b) {
  char kernel[TN_DIGEST_TEXT];
  tn_digester d = tn_digest_open();
  tn_digest_add(&d, &b->key, sizeof b->key);
  tn_machine_digest(&d, &b->at->device->limits);
  const tn_digest all = tn_digest_close(&d);
  return tn_text_key(b->at, "opts", tn_digest_print(&all, kernel));
}

static const tn_schedule *tn_beam_keep(tiny_ctx *t, const tn_schedule *list) {
  return (const tn_schedule *)memcpy(tn_scratch(t, sizeof *list), list, sizeof *list);
}

// On disk: the width of the search, a space, the schedule.
static int tn_beam_from_disk(tiny_ctx *t, tn_build *b) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule *list = (tn_schedule *)tn_scratch(t, sizeof *list);
  const tn_digest key = tn_beam_key(b);
  if (!tn_cache_read(t->cache, &key, "opts", &text) || text.n > TN_SCHEDULE_TEXT) return 0;
  const char *at = text.data;
  const int64_t width = tn_opt_number(&at, TN_BEAM_MOST);
  if (width < t->beam || *at++ != ' ' || !tn_schedule_parse(at, list)) return 0;
  b->found = list;
  return 1;
}

static void tn_beam_to_disk(tiny_ctx *t, const tn_build *b) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_text_add(&text, "%d ", t->beam < TN_BEAM_MOST ? t->beam : TN_BEAM_MOST);
  tn_schedule_print(&text, b->found);
  const tn_digest key = tn_beam_key(b);
  tn_cache_write(t->cache, &key, "opts", text.data, text.n);
}

// ** the asker's side **

// 0: the host has cancelled it.
static int tn_beam_one(tiny_ctx *t, tn_build *build, int number, int of) {
  tn_beam b;
  tn_list nodes = {NULL, 0, 0};
  tiny_desc d;
  const uint64_t from = tn_os_now();
  memset(&b, 0, sizeof b); memset(&d, 0, sizeof d);
  const struct tn_device *at = build->at->device;
  if (at->max_nbytes && at->stats.nbytes_live >= at->max_nbytes) return 1;
  tn_toposort(t, build->ast, &nodes);
  for (int i = 0; i < nodes.n; i++) nodes.u[i]->seq = (uint32_t)i;
  b.asker = t; b.nodes = &nodes; b.number = number; b.of = of; b.ns = HUGE_VAL;
  b.name = build->name;
  tn_progress_open(&b.progress, t, TINY_SEARCHING, of);
  b.progress.info.done = number - 1; b.progress.info.name = build->name;
  b.width = t->beam < TN_BEAM_MOST ? t->beam : TN_BEAM_MOST;
  d.device = at->name; d.backends[0] = at->backend;
  d.alloc = t->alloc; d.max_nbytes = at->max_nbytes ? at->max_nbytes - (size_t)at->stats.nbytes_live : 0;
  d.cache_dir = ""; d.debug = ""; d.beam = -1; d.compiler_seconds = t->compiler_seconds;
  d.compiler = t->compiler;
  d.atomics = t->atomics; d.tf32 = t->tf32;                  // what its kernels may do, it is searched with
  tn_pool_describe(t, &d);
  if (tn_debug(t, 'b')) tn_log(t, "search %s", build->name);
  tiny_ctx *own = tiny_open(&d);
  if (!own) return 1;
  b.t = own;
  const int found = tiny_status(own) == TINY_OK && tn_guard(own, tn_beam_search, &b) == TINY_OK && b.timed > 0;
  const uint64_t peak = t->stats.nbytes_live + own->stats.nbytes_peak;
  if (peak > t->stats.nbytes_peak) t->stats.nbytes_peak = peak;
  const uint64_t compile_ns = own->stats.compile_ns;
  t->stats.compile_ns += compile_ns;
  tiny_close(own);
  if (tn_beam_shows(&b)) fprintf(stderr, "%78s\r", "");
  t->stats.search_ns += tn_os_now() - from;
  t->stats.timed += (uint64_t)b.timed;
  if (b.progress.cancelled) return 0;
  if (!found) return 1;
  t->stats.searches++;
  build->found = tn_beam_keep(t, &b.best);
  tn_beam_to_disk(t, build);
  if (!tn_debug(t, 'b')) return 1;
  tiny_bytes line = {t, NULL, 0, 0};
  tn_schedule_print(&line, &b.best);
  tn_log(t, "found %s: %.1f us instead of %.1f; %d candidates in %.1f s, %.1f of them in the compiler", line.data,
         b.ns * 1e-3, b.before_ns * 1e-3, b.timed, (double)(tn_os_now() - from) * 1e-9, (double)compile_ns * 1e-9);
  return 1;
}

static int tn_beam_can(const struct tn_programs *at) {
  const struct tn_device *d = at->device;
  const tiny_ctx *t = at->t;
  return t->beam > 0 && !tn_debug(t, '0') && d->backend->renderer &&
      d->backend->compile && d->backend != &tn_null_backend &&
      (!tn_is_cpu(d->backend) || tn_cpu_compiles(d->dev));
}

// Asks the compiler what it is, of which the host hears. 0: it was cancelled.
static int tn_beam_identify(tiny_ctx *t, struct tn_programs *at, int n) {
  tn_progress p;
  tn_progress_open(&p, t, TINY_SEARCHING, n);
  t->watch = p.t ? &p.watch : NULL;
  tn_compiler_identify(at);
  t->watch = NULL;
  return !p.cancelled;
}

// Leaves out of builds[0..n-1] what has to be searched for. Returns how many are left.
static int tn_beam_leave_out(tiny_ctx *t, struct tn_programs *at, tn_build *builds, int n) {
  int left = 0;
  if (!tn_beam_can(at)) return n;
  if (!tn_beam_identify(t, at, n)) return 0;
  for (int i = 0; i < n; i++) {
    if (!builds[i].custom) tn_build_name(t, &builds[i]);
    if (builds[i].custom || tn_beam_from_disk(t, &builds[i])) builds[left++] = builds[i];
  }
  return left;
}

// Recipes for those of builds[0..n-1] that have none yet, where the caller wants a search. 0: it was cancelled.
static int tn_beam_all(tiny_ctx *t, struct tn_programs *at, tn_build *builds, int n) {
  if (!tn_beam_can(at)) return 1;
  int *todo = (int *)tn_scratch(t, ((size_t)n + 1) * sizeof *todo), left = 0;
  tn_map asked = {NULL, 0, 0};             // equal kernels are one node, and have one key
  for (int i = 0; i < n; i++) {
    tn_build *b = &builds[i];
    if (b->custom || tn_map_has(&asked, b->ast)) continue;
    tn_map_set(t, &asked, b->ast, b);
    tn_build_name(t, b);
    if (tn_executable_find(at, &b->key)) continue;
    tn_build_from_shipped(t, b, t->beam < TN_BEAM_MOST ? t->beam : (int)TN_BEAM_MOST);
    if (!b->exe) todo[left++] = i;
  }
  if (!left) return 1;
  if (!tn_beam_identify(t, at, left)) return 0;
  if (!tn_beam_can(at)) return 1;          // there is none that can be used
  const int unknown = left;
  left = 0;
  for (int i = 0; i < unknown; i++) if (!tn_beam_from_disk(t, &builds[todo[i]])) todo[left++] = todo[i];
  for (int i = 0; i < left; i++) if (!tn_beam_one(t, &builds[todo[i]], i + 1, left)) return 0;
  return 1;
}
#endif
