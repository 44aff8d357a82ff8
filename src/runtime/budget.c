// budget: runs of programs that stop when their time is over and go on with the next call.
//
// In:    a run that is bound to its memory; when it is to be over. Out: as many tasks of it as fit; at its end,
//        outputs.
// Holds: a run under way holds all that it needs: plan, arena, outputs, memory of its inputs, scalars by value. What
//        others see is as if it had run where it began: who is about to write memory that it reads or writes, or to
//        read what it writes, goes on with it to its end before. So two runs that are under way never meet in memory,
//        and may go on in any order.
// Where a device runs tasks of the host's threads, a launch ends between two of them: each thread looks at the clock
// before it takes the next one. Elsewhere, and for a launch that has one task, steps are what is cut; each is waited
// for. What a task takes is measured: of each step the longest of late, which grows by half at most where one
// was interrupted, and fades by a sixteenth. A call runs one task at least, whatever it takes.
#ifndef TN_RUNTIME_BUDGET
#define TN_RUNTIME_BUDGET
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

// Where it stands: at tasks that are left of a step's work at one position of the steps that are tiled with it.
typedef struct tn_run_at { int step; int64_t position, task; } tn_run_at;

struct tn_unfinished {
  tn_run run;
  tn_run_at at;
  int bound, done;                         // it has its memory; it has run, and its outputs wait
  tiny_uop **leaf, **output, *scalar, **scalars;             // by number of the program's; scalar: the nodes themselves
  int drew; uint32_t random;               // calls of random numbers when it had taken its own, once it has
  void *kernel; uint64_t kernel_ns;        // of the launch that is under way; NULL: its code was replaced
  size_t nbytes;
};

static void tn_unfinished_roots(tiny_ctx *t, const tiny_program *p, tn_list *roots) {
  const struct tn_unfinished *u = p->unfinished;
  for (int i = 0; i < p->nleaf; i++) if (u->leaf[i]) tn_push(t, roots, u->leaf[i]);
  for (int i = 0; i < p->noutput; i++) if (u->output[i]) tn_push(t, roots, u->output[i]);
}

// Memory for a run of p, which holds nothing yet.
static struct tn_unfinished *tn_unfinished_new(tiny_ctx *t, tiny_program *p) {
  const size_t nfresh = p->plan ? (size_t)p->plan->noutput : 0, nleaf = (size_t)p->nleaf, nout = (size_t)p->noutput;
  const size_t nscalar = (size_t)p->nscalar;
  const size_t nbytes = sizeof(struct tn_unfinished) + nscalar * sizeof(tiny_uop) +
                        (nfresh + nleaf + nout + nscalar) * sizeof(void *);
  struct tn_unfinished *u = (struct tn_unfinished *)tn_alloc(t, nbytes);
  u->nbytes = nbytes;
  u->scalar = (tiny_uop *)(void *)(u + 1);
  u->scalars = (tiny_uop **)(void *)(u->scalar + nscalar);
  u->leaf = u->scalars + nscalar;
  u->output = u->leaf + nleaf;
  u->run.fresh = (tn_storage **)(void *)(u->output + nout);
  u->run.plan = p->plan;
  u->run.label = p->label;
  u->run.leaf = u->leaf;
  u->run.scalar = u->scalars;
  p->unfinished = u;
  return u;
}
// Its memory is bound: it stays until the run is dropped. What was held before a refusal is held all the same.
static void tn_unfinished_hold(tiny_ctx *t, tiny_program *p) {
  struct tn_unfinished *u = p->unfinished;
  for (int i = 0; i < t->ndevice; i++) tn_storage_hold(u->run.arena[i]);
  for (int i = 0; p->plan && i < p->plan->noutput; i++) tn_storage_hold(u->run.fresh[i]);
  u->bound = 1;
  t->runtime->unfinished++;
}
static void tn_unfinished_release(tiny_ctx *t, tiny_program *p) {
  struct tn_unfinished *u = p->unfinished;
  if (!u->bound) return;
  for (int i = 0; i < t->ndevice; i++) tn_storage_drop(t, u->run.arena[i]);
  for (int i = 0; p->plan && i < p->plan->noutput; i++) tn_storage_drop(t, u->run.fresh[i]);
  memset(u->leaf, 0, (size_t)p->nleaf * sizeof *u->leaf);
  u->bound = 0;
  t->runtime->unfinished--;
}
// The run is over. One that is not done has not drawn its random numbers, unless others drew some since.
static void tn_unfinished_drop(tiny_ctx *t, tiny_program *p) {
  struct tn_unfinished *u = p->unfinished;
  if (!u) return;
  if (u->drew && !u->done && t->tensors->random == u->random) t->tensors->random -= p->ndraw;
  if (u->bound && !u->done) p->kept.done = 0;
  tn_unfinished_release(t, p);
  tn_release(t, u, u->nbytes);
  p->unfinished = NULL;
}

// ** going on **

typedef struct tn_budget {
  tiny_ctx *t; tiny_program *p; tn_batch *b;
  uint64_t until; int must;                // when it is to be over; nothing has run in this call yet
  uint64_t *longest; int threads;          // for tn_cpu_part
} tn_budget;

// What a part of a launch was: so many tasks of n from `first` on.
static void tn_budget_seen(tn_observed *seen, int64_t first, int64_t tasks, int64_t n) {
  if (!seen) return;
  seen->share = (double)tasks / (double)n;
  seen->rest = first > 0;
  seen->done = tn_os_now();
}
// A launch is complete, of which a part ran now.
static void tn_budget_launched(tiny_ctx *t, struct tn_unfinished *u, struct tn_device *d, tn_executable *e) {
  if (e->tier && u->kernel == tn_tier_kernel(e)) tn_tier_ran(t, e, u->kernel_ns);
  tn_count_launch(&t->stats, e);
  tn_count_launch(&d->stats, e);
  u->at.task = 0;
}
// As many tasks of a step as fit. *more: some are left.
static tiny_code tn_budget_cut(tn_budget *g, const tn_step *s, const int64_t *position, int *more) {
  tiny_ctx *t = g->t;
  struct tn_unfinished *u = g->p->unfinished;
  struct tn_device *d = t->device[s->device];
  uint64_t *expected = &g->p->expected[s - g->p->plan->step];
  const int64_t first = u->at.task, n = s->exe->tasks;
  tiny_code code = first ? tn_batch_for(g->b, d) : tn_run_ready(t, &u->run, g->b, s);
  if (code != TINY_OK) return code;
  tiny_launch *l = tn_run_give(t, &u->run, g->b, s, position);
  g->b->n = g->b->nmem = g->b->narg = 0;
  tn_observed *seen = g->b->observed ? tn_run_observe(d, &u->run, s) : NULL;
  if (seen) l->stamp = seen->stamp;
  if (!first) { u->kernel = l->kernel; u->kernel_ns = 0; }
  else if (u->kernel != l->kernel) u->kernel = NULL;
  tn_cpu_part part;
  memset(&part, 0, sizeof part);
  part.at = first; part.n = n; part.until = g->until; part.expected = *expected; part.must = g->must;
  part.longest = g->longest; part.threads = g->threads;
  const uint64_t from = tn_os_now();
  code = tn_cpu_launch_now((tn_cpu *)d->dev, l, &part);
  u->kernel_ns += tn_os_now() - from;
  if (code != TINY_OK) return code;
  tn_budget_seen(seen, first, part.at - first, n);
  if (part.at > first) { tn_cpu_part_learn(expected, part.expected); g->must = 0; }
  u->at.task = part.at;
  *more = part.at < n;
  if (!*more) tn_budget_launched(t, u, d, s->exe);
  if (seen && g->b->timed) tn_observed_tell(d);
  return TINY_OK;
}
// All of a step, if it is expected to fit, else *more.
static tiny_code tn_budget_whole(tn_budget *g, const tn_step *s, const int64_t *position, int *more) {
  tiny_ctx *t = g->t;
  uint64_t *expected = &g->p->expected[s - g->p->plan->step];
  const uint64_t from = tn_os_now();
  if (!g->must && from + *expected > g->until) { *more = 1; return TINY_OK; }
  const struct tn_device *d = t->device[s->device];
  g->must = 0;
  tiny_code code = tn_run_one(t, &g->p->unfinished->run, g->b, s, position);
  if (code == TINY_OK) code = tn_batch_flush(g->b);
  if (code == TINY_OK) code = d->backend->sync(d->dev);
  if (code == TINY_OK) tn_cpu_part_learn(expected, tn_os_now() - from);
  return code;
}

// From where the run stands until its time is over, *more, or it is done.
static tiny_code tn_budget_steps(tn_budget *g, int *more) {
  const tn_plan *p = g->p->plan;
  struct tn_unfinished *u = g->p->unfinished;
  tn_run_at *at = &u->at;
  int64_t position[TN_TILED_AXES];
  for (int from = at->step, to; from < p->nstep; from = to) {
    while (from && p->step[from].tiled && p->step[from - 1].tiled == p->step[from].tiled) from--;
    const tn_tiled_axes *tiled = tn_run_group(p, from, p->nstep, &to);
    const int64_t all = tn_tiled_times(tiled);
    for (; at->position < all; at->position++, at->step = from) {
      tn_tiled_position(tiled, at->position, position);
      for (; at->step < to; at->step++) {
        const tn_step *s = &p->step[at->step];
        if (!tn_run_does(&u->run, at->step)) continue;
        const struct tn_device *d = g->t->device[s->device];
        const int parts = s->exe && s->exe->tasks > 1 && s->exe->tasks <= INT_MAX && !s->exe->runs_on_host &&
                          !s->event && tn_cpu_takes_parts(d->backend, d->dev);
        const tiny_code code = (parts ? tn_budget_cut : tn_budget_whole)(g, s, position, more);
        if (code != TINY_OK) return code;
        if (tn_is_cancelled(g->t)) return TINY_E_CANCELLED;
        if (*more) return TINY_OK;
      }
    }
    at->position = 0; at->step = to;
  }
  return TINY_OK;
}

// Goes on with the run of p until then, or to its end: TINY_MORE where something is left. After an error the run is
// over: who called drops it.
static tiny_code tn_unfinished_go(tiny_ctx *t, tiny_program *p, uint64_t until) {
  struct tn_unfinished *u = p->unfinished;
  tn_budget g = {t, p, NULL, until, 1, NULL, tn_pool_most(t)};
  int more = 0;
  if (u->done) return TINY_OK;
  if (tn_is_cancelled(t)) return TINY_E_CANCELLED;
  g.b = tn_batch_open(t);
  g.longest = (uint64_t *)tn_scratch(t, (size_t)g.threads * sizeof *g.longest);
  const int queued = t->cancellable && t->ndevice > 1;
  if (queued) tn_queues_may_cancel(t, 1);
  const uint64_t began = g.b->observed ? tn_run_seen(t, &u->run) : 0;
  if (began && t->observer && !u->run.number) u->run.number = t->observer->runs;
  if (t->runtime->ordering) tn_ordering_begin(t, p->plan->nevent);
  tiny_code code = tn_budget_steps(&g, &more);
  if (t->runtime->ordering) {
    const tiny_code settled = tn_ordering_end(t);
    if (code == TINY_OK) code = settled;
  }
  const tiny_code waited = tn_devices_sync(t);
  if (code == TINY_OK) code = waited;
  if (queued || code == TINY_E_CANCELLED) code = tn_cancelled_end(t, code);
  if (began) tn_trace_run(t, p->plan, began);
  if (code == TINY_OK && more) return TINY_MORE;
  if (code != TINY_OK) return tn_run_failed(t, code, g.b->device);
  if (u->run.kept) p->kept.done = 1;
  u->done = 1;
  tn_unfinished_release(t, p);
  return TINY_OK;
}

// ** who needs the memory of a run that is under way, and who cancels it **

// Ends the run of p for another call. If that goes wrong, the next tiny_run_for of p tells it, too.
static tiny_code tn_unfinished_end(tiny_ctx *t, tiny_program *p) {
  if (!p->unfinished || !p->unfinished->bound) return TINY_OK;
  const tiny_code code = tn_unfinished_go(t, p, UINT64_MAX);
  if (code == TINY_OK) return code;
  p->ended = code;
  tn_unfinished_drop(t, p);
  return code;
}
// All that are under way were cancelled.
static void tn_unfinished_cancel(tiny_ctx *t) {
  for (tiny_program *p = t->runtime->programs; p; p = p->next) if (p->unfinished && !p->unfinished->done) {
    p->ended = TINY_E_CANCELLED;
    tn_unfinished_drop(t, p);
  }
}

// Heavy code that tiny_cancel may end: its caller is told so, and may make the same call again.
static tiny_code tn_guard_cancellable(tiny_ctx *t, tiny_code (*fn)(tiny_ctx *t, void *arg), void *arg) {
  if (t->trap || t->cancellable) return tn_guard(t, fn, arg);
  t->cancellable = TN_CANCELLABLE;
  const tiny_code code = tn_guard(t, fn, arg);
  const int cancelled = t->cancellable == TN_CANCELLED;
  t->cancellable = TN_NOT_CANCELLABLE;
  if (t->ndevice > 1) tn_queues_may_cancel(t, 0);            // an error may have unwound
  if (!cancelled) return code;
  tn_os_atomic_store(&t->cancel, 0);
  tn_unfinished_cancel(t);
  return code;
}
TINY_API void tiny_cancel(tiny_ctx *t) { if (t) tn_os_atomic_store(&t->cancel, 1); }

// Does the run of p read or write a storage whose `seen` is stamp, of which those whose `read` is stamp, too, are about
// to be written? Two that read do not meet.
static int tn_unfinished_meets(const tiny_program *p, uint32_t stamp) {
  for (int i = 0; i < p->nleaf; i++) {
    const tn_storage *s = p->unfinished->leaf[i] ? tn_leaf_storage(p->unfinished->leaf[i]) : NULL;
    if (s && s->seen == stamp && (p->leaf[i].updated || s->read == stamp)) return 1;
  }
  return 0;
}
static tiny_code tn_unfinished_met(tiny_ctx *t, uint32_t stamp) {
  tiny_code code = TINY_OK;
  for (tiny_program *p = t->runtime->programs; p && code == TINY_OK; p = p->next)
    if (p->unfinished && p->unfinished->bound && tn_unfinished_meets(p, stamp)) code = tn_unfinished_end(t, p);
  return code;
}
// s is about to be read, or written.
static tiny_code tn_unfinished_meet(tiny_ctx *t, tn_storage *s, int writes) {
  if (!t->runtime->unfinished) return TINY_OK;
  const uint32_t stamp = ++t->ir->epoch;
  s->seen = stamp;
  s->read = writes ? stamp : 0;
  return tn_unfinished_met(t, stamp);
}
// s is about to get other contents, and `memory`, a BUFFER that names it now, to keep the old ones: who reads them by
// that BUFFER alone need not be done.
static tiny_code tn_unfinished_meet_replaced(tiny_ctx *t, tn_storage *s, const tiny_uop *memory) {
  int meets = 0;
  for (tiny_program *p = t->runtime->unfinished ? t->runtime->programs : NULL; p; p = p->next)
    for (int i = 0; p->unfinished && p->unfinished->bound && i < p->nleaf; i++) {
      const tiny_uop *u = p->unfinished->leaf[i];
      meets |= u && tn_leaf_storage(u) == s && (p->leaf[i].updated || tn_place(u) != memory);
    }
  return meets ? tn_unfinished_meet(t, s, 1) : TINY_OK;
}
// Steps from.. of a plan are about to run over these leaves.
static TN_COLD tiny_code tn_unfinished_meet_plan(tiny_ctx *t, const tn_plan *p, tiny_uop *const *leaf) {
  const uint32_t stamp = ++t->ir->epoch;
  for (int i = 0; i < p->nplace; i++) if (p->place[i].kind == TN_PLACE_LEAF) {
    tn_storage *s = tn_leaf_storage(leaf[p->place[i].index]);
    if (s->seen != stamp) s->read = 0;
    s->seen = stamp;
  }
  for (int i = 0; i < p->nstep; i++) if (tn_step_does(&p->step[i])) {
    const tn_place_row *to = &p->place[p->step[i].mem[0]];
    if (to->kind == TN_PLACE_LEAF) tn_leaf_storage(leaf[to->index])->read = stamp;
  }
  return tn_unfinished_met(t, stamp);
}
#endif
