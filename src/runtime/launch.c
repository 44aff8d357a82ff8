// launch: the steps of a plan, handed to their devices.
//
// In:    a plan, and the leaves and numbers it is run with. Out: memory for its outputs and arenas; launches, copies
//        and what orders devices, in batches; counts, traces and profiles of them.
// Holds: each replay of a plan comes through here, at about a microsecond a kernel: this room is compiled for speed.
#ifndef TN_RUNTIME_LAUNCH
#define TN_RUNTIME_LAUNCH
#ifndef TINY_AMALGAMATED
#include "collect.c"
#endif

enum { TN_COLLECT_NBYTES = 1 << 20 };       // looking for dead buffers is cheaper than this much new memory

// fresh[i]: storage of output i, NULL where it lives in a leaf. kept: of a program, or NULL.
typedef struct tn_run {
  tn_plan *plan; tiny_uop *const *leaf, *const *scalar;
  tn_storage **fresh, *arena[TINY_MAX_DEVICES];
  const tn_kept *kept;
  const int *label;                        // by step; NULL: they have none
} tn_run;

static tn_storage *tn_leaf_storage(const tiny_uop *u) { return (tn_storage *)tn_place(u)->ptr; }

// Launches that are handed to a device together, and what they point to.
enum { TN_BATCH = 64, TN_BATCH_MEM = 512, TN_BATCH_ARGS = 256 };
typedef struct tn_batch {
  struct tn_device *device;                // NULL: none yet
  int n, nmem, narg, most;                 // most: launches before they are handed over
  int observed, timed;                     // is anything looked at; does each launch get waited for?
  tiny_launch l[TN_BATCH]; tiny_mem mem[TN_BATCH_MEM]; int64_t arg[TN_BATCH_ARGS];
} tn_batch;

static TN_COLD tn_observed *tn_run_observe(struct tn_device *d, const tn_run *r, const tn_step *s) {
  tn_observed *l = tn_observe_launch(d, s->exe);
  const int step = (int)(s - r->plan->step);
  if (!l) return NULL;
  l->schedule = r->plan->number; l->step = step;
  l->run = d->t->observer->runs;
  l->label = r->label ? r->label[step] : 0;
  return l;
}
static tn_batch *tn_batch_open(tiny_ctx *t) {
  tn_batch *b = (tn_batch *)tn_scratch_bare(t, sizeof *b);
  b->device = NULL;
  b->n = b->nmem = b->narg = 0;
  b->observed = tn_observing(t);
  b->timed = tn_debug(t, 'k') || tn_debug(t, 't');
  return b;
}
static tiny_code tn_batch_flush(tn_batch *b) {
  const struct tn_device *d = b->device;
  const int n = b->n;
  b->n = b->nmem = b->narg = 0;
  if (n > 1) return d->backend->submit(d->dev, b->l, n);
  return n ? d->backend->launch(d->dev, b->l) : TINY_OK;
}
// A kernel whose code may be replaced, alone.
static tiny_code tn_batch_flush_timed(tiny_ctx *t, tn_batch *b, tn_executable *e) {
  const uint64_t from = tn_os_now();
  const tiny_code code = tn_batch_flush(b);
  tn_tier_ran(t, e, tn_os_now() - from);
  return code;
}
// What comes is for this device.
static tiny_code tn_batch_for(tn_batch *b, struct tn_device *d) {
  if (b->device == d) return TINY_OK;
  const tiny_code code = tn_batch_flush(b);
  b->device = d;
  b->most = d->backend->submit && !b->timed ? TN_BATCH : 1;
  return code;
}
static void tn_count_launch(tiny_stats *s, const tn_executable *e) {
  s->kernels++;
  s->flops += (uint64_t)e->flops;
  s->nbytes_moved += (uint64_t)e->nbytes;
}
// The last launch of the batch, of step s, is complete.
static tiny_code tn_batch_add(tiny_ctx *t, const tn_run *r, tn_batch *b, const tn_step *s) {
  struct tn_device *d = b->device;
  tn_executable *e = s->exe;
  tn_observed *seen = b->observed ? tn_run_observe(d, r, s) : NULL;
  if (seen) b->l[b->n - 1].stamp = seen->stamp;
  tiny_code code = TINY_OK;
  if (e->runs_on_host) {
    const tiny_launch *l = &b->l[--b->n];
    code = tn_batch_flush(b);
    if (code == TINY_OK) code = d->backend->sync(d->dev);
    if (code == TINY_OK) code = tn_fallback->launch(t, l);
  } else if (b->n >= b->most) code = e->tier ? tn_batch_flush_timed(t, b, e) : tn_batch_flush(b);
  tn_count_launch(&t->stats, e);
  tn_count_launch(&d->stats, e);
  if (b->timed && code == TINY_OK) code = d->backend->sync(d->dev);
  if (seen && !b->n) seen->done = tn_os_now();
  if (seen && b->timed && code == TINY_OK) tn_observed_tell(d);
  return code;
}

static void tn_run_memory(const tn_run *r, int place, tiny_mem *m) {
  const tn_place_row *p = &r->plan->place[place];
  const int kept = r->kept && r->kept->at[place] >= 0;
  m->offset = kept ? (size_t)r->kept->at[place] : p->kind == TN_PLACE_TEMP ? (size_t)p->offset : 0;
  m->base = kept ? r->kept->storage[p->device]->mem :
      p->kind == TN_PLACE_LEAF   ? tn_leaf_storage(r->leaf[p->index])->mem :
      p->kind == TN_PLACE_OUTPUT ? r->fresh[p->index]->mem :
                                   r->arena[p->device]->mem;
}

// From memory of one device to that of another.
static TN_COLD tiny_code tn_run_copy(tiny_ctx *t, const tn_run *r, tn_batch *b, const tn_step *s) {
  const tn_plan *p = r->plan;
  tiny_mem to, from;
  const tiny_code code = tn_batch_flush(b);
  tn_run_memory(r, s->mem[0], &to);
  tn_run_memory(r, s->mem[1], &from);
  if (code != TINY_OK) return code;
  return tn_copy_between(t, t->device[s->device], to, t->device[p->place[s->mem[1]].device], from,
                         (size_t)p->place[s->mem[0]].nbytes, s->after);
}

// position: along the axes of the iterations in which the step works.
static tiny_code tn_run_step(tiny_ctx *t, const tn_run *r, tn_batch *b, const tn_step *s, const int64_t *position) {
  if (b->n && (b->nmem + s->nmem > TN_BATCH_MEM || b->narg + s->narg > TN_BATCH_ARGS)) {
    const tiny_code code = tn_batch_flush(b);
    if (code != TINY_OK) return code;
  }
  tiny_mem *m = s->nmem <= TN_BATCH_MEM ? b->mem + b->nmem : (tiny_mem *)tn_scratch(t, (size_t)s->nmem * sizeof *m);
  int64_t *a = s->narg <= TN_BATCH_ARGS ? b->arg + b->narg : (int64_t *)tn_scratch(t, (size_t)s->narg * sizeof *a);
  for (int i = 0; i < s->nmem; i++) tn_run_memory(r, s->mem[i], &m[i]);
  for (int i = 0; i < s->narg; i++) {
    const tiny_uop *u = s->arg[i] < 0 ? NULL : r->scalar[s->arg[i]];
    a[i] = 0;
    if (u) tn_dtype_store(u->dtype, &a[i], u->k);
    else tn_dtype_store(TINY_I64, &a[i], position[-1 - s->arg[i]]);
  }
  tiny_launch *l = &b->l[b->n++];
  if (b->most > 1) {
    b->nmem += s->nmem <= TN_BATCH_MEM ? s->nmem : 0;
    b->narg += s->narg <= TN_BATCH_ARGS ? s->narg : 0;
  }
  l->kernel = tn_tier_kernel(s->exe);      // member by member: cleared before, a launch takes 4 ns more
  l->mem = m; l->nmem = s->nmem; l->args = a; l->nargs = s->narg; l->tasks = s->exe->tasks;
  l->local_nbytes = s->exe->local_nbytes;
  memcpy(l->global, s->exe->global, sizeof l->global);
  memcpy(l->local, s->exe->local, sizeof l->local);
  l->stamp = NULL;
  return tn_batch_add(t, r, b, s);
}

// Bytes of outputs and arena of a device for which no spare memory is at hand.
static size_t tn_run_fresh_nbytes(const struct tn_device *d, const tn_plan *p) {
  size_t fresh = 0;
  int c;
  for (int i = -1; i < p->nplace; i++) {
    if (i >= 0 && (p->place[i].kind != TN_PLACE_OUTPUT || p->place[i].device != d->number)) continue;
    const size_t nbytes = tn_size_class((size_t)(i < 0 ? p->arena[d->number] : p->place[i].nbytes), &c);
    if (!d->spare[tn_storage_spare(d, c)]) fresh += nbytes;
  }
  return fresh;
}
static int tn_is_beyond_cap(const struct tn_device *d, size_t fresh) {
  return d->max_nbytes && d->stats.nbytes_live + fresh > d->max_nbytes;
}

static void tn_kept_drop(tiny_ctx *t, tn_kept *k) {
  for (int i = 0; i < t->ndevice; i++) { tn_storage_drop(t, k->storage[i]); k->storage[i] = NULL; }
  k->done = 0;
}

// Makes room on a device for what the plan needs there. What programs keep goes first where memory is short.
static void tn_run_make_room(struct tn_device *d, const tn_plan *p) {
  tiny_ctx *t = d->t;
  const size_t fresh = tn_run_fresh_nbytes(d, p);
  const int beyond_cap = tn_is_beyond_cap(d, fresh);
  if (beyond_cap || (t->tensors->freed && fresh >= TN_COLLECT_NBYTES)) tn_collect(t);
  if (beyond_cap && tn_is_beyond_cap(d, fresh))
    for (tiny_program *x = t->runtime->programs; x; x = x->next) tn_kept_drop(t, &x->kept);
}
// Storage for outputs and arenas. It is loose until nodes own it.
static tiny_code tn_run_bind(tiny_ctx *t, tn_run *r) {
  const tn_plan *p = r->plan;
  tiny_code code = TINY_OK;
  tn_storage_drop_loose(t);
  for (int i = 0; i < t->ndevice; i++) tn_run_make_room(t->device[i], p);
  for (int i = 0; i < p->nplace && code == TINY_OK; i++) if (p->place[i].kind == TN_PLACE_OUTPUT) {
    tn_storage *s = tn_storage_new(t->device[p->place[i].device], (size_t)p->place[i].nbytes);
    r->fresh[p->place[i].index] = s;
    if (!s) code = t->code;
  }
  for (int i = 0; i < t->ndevice && code == TINY_OK; i++)
    if (p->arena[i] && !(r->arena[i] = tn_storage_new(t->device[i], (size_t)p->arena[i]))) code = t->code;
  if (code != TINY_OK) tn_storage_drop_loose(t);
  return code;
}

// Steps from..to-1, once for every position of their iterations.
static tiny_code tn_run_tiled(tiny_ctx *t, const tn_run *r, tn_batch *b, const tn_tiled_axes *tiled, int from,
                               int to) {
  int64_t all = 1, position[TN_TILED_AXES];
  for (int i = 0; tiled && i < tiled->n; i++) all *= tiled->axis[i].count;
  for (int64_t n = 0; n < all; n++) {
    int64_t left = n;
    for (int i = tiled ? tiled->n - 1 : -1; i >= 0; i--) {
      const tn_tiled_axis *a = &tiled->axis[i];
      position[i] = a->from + a->step * (left % a->count);
      left /= a->count;
    }
    for (int i = from; i < to; i++) {
      const tn_step *s = &r->plan->step[i];
      if (!tn_step_does(s) || (r->kept && r->kept->done && r->kept->step[i])) continue;
      const tn_place_row *to_place = &r->plan->place[s->mem[0]];
      tiny_code code = TINY_OK;
      if (to_place->kind == TN_PLACE_LEAF) {
        tn_leaf_storage(r->leaf[to_place->index])->written++;
        if (t->runtime->ordering) code = tn_ordering_settle(t, s->device);
      }
      if (code == TINY_OK) code = tn_batch_for(b, t->device[s->device]);
      if (code == TINY_OK) code = s->copies ? tn_run_copy(t, r, b, s) : tn_run_step(t, r, b, s, position);
      if (code == TINY_OK && s->event) {
        code = tn_batch_flush(b);
        if (code == TINY_OK) code = tn_ordering_made(t, s->event, s->device);
      }
      if (code != TINY_OK) return code;
    }
  }
  return TINY_OK;
}

// Does the plan read or write memory that the caller may touch as soon as the call is over? That of a device
// (tiny_blob_of) is touched in the device's order, or after tiny_sync.
static int tn_run_is_callers(const tn_run *r) {
  for (int i = 0; i < r->plan->nplace; i++) {
    const tn_place_row *p = &r->plan->place[i];
    const tn_storage *s = p->kind == TN_PLACE_LEAF ? tn_leaf_storage(r->leaf[p->index]) : NULL;
    if (s && tn_storage_is_callers(s) && s->device->limits.host_memory) return 1;
  }
  return 0;
}

// What the steps of a plan are called this time, by the nodes of a walk that found it; NULL: nothing is named.
static TN_COLD const int *tn_run_labels(tiny_ctx *t, const tn_plan *p, const tn_visit *v) {
  if (!t->labels || !t->labels->used) return NULL;
  int *label = (int *)tn_scratch(t, ((size_t)p->nstep + 1) * sizeof *label);
  for (int i = 0; i < p->nstep; i++) for (int j = 0; j < 2 && !label[i]; j++)
    if (p->step[i].named[j]) label[i] = tn_label_of(t, v->all.u[p->step[i].named[j] - 1]);
  return label;
}

// A run that is looked at begins. Returns when.
static TN_COLD uint64_t tn_run_seen(tiny_ctx *t, const tn_run *r) {
  struct tn_observer *o = tn_observer_of(t);
  if (o) o->runs++;
  if (tn_tracing(t)) tn_trace_plan(t, r->plan, r->label);
  tn_trace_live(t);                        // with the arena, which goes as soon as all is launched
  return tn_os_now();
}

// Steps from..end-1; the arena is dropped with the last one.
static tiny_code tn_run_launch(tiny_ctx *t, const tn_run *r, int from, int end) {
  const tn_plan *p = r->plan;
  tn_batch *b = tn_batch_open(t);
  tiny_code code = TINY_OK;
  const uint64_t began = b->observed ? tn_run_seen(t, r) : 0;
  if (t->runtime->ordering) tn_ordering_begin(t, p->nevent);
  for (int i = from, to; i < end && code == TINY_OK; i = to) {
    const int tiled = p->step[i].tiled;
    for (to = i + 1; tiled && to < end && p->step[to].tiled == tiled; to++) {}
    code = tn_run_tiled(t, r, b, tiled ? &p->tiled[tiled - 1] : NULL, i, to);
  }
  if (code == TINY_OK) code = tn_batch_flush(b);
  if (t->runtime->ordering) {              // also after an error: what was launched before it may not have run
    const tiny_code settled = tn_ordering_end(t);
    if (code == TINY_OK) code = settled;
  }
  if (tn_run_is_callers(r)) {
    const tiny_code waited = tn_devices_sync(t);
    if (code == TINY_OK) code = waited;
  }
  for (int i = 0; i < t->ndevice && (end == p->nstep || code != TINY_OK); i++) tn_storage_drop(t, r->arena[i]);
  if (began) tn_trace_run(t, p, began);
  if (code == TINY_OK || t->code != TINY_OK) return code;
  return tiny_fail(t, code, "%s: a kernel failed", b->device ? b->device->title : "run");
}
#endif
