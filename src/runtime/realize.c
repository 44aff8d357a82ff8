// realize: from lazy tensors to bytes: plans are made or found, kernels launched, handles settled;
// contexts open and close.
//
// A realize works on nodes, not handles: it sets node->realized, so whatever was built from a node
// finds its value. Before a state is overwritten, every other live tensor that was built from it
// is realized in the same schedule. When an update has run, handles move to a new BUFFER node over
// the same storage: old nodes can never name new contents.
#ifndef TN_RUNTIME_REALIZE
#define TN_RUNTIME_REALIZE
#ifndef TINY_AMALGAMATED
#include "program.c"
#endif

// ** imported kernels **

typedef struct tn_custom {                 // what the ptr of a CUSTOM node points to; lives as long as the context
  struct tn_custom *next;
  char *source, *name; size_t source_nbytes, name_nbytes;
  tiny_uop *uops;
  int64_t global[3], local[3];
} tn_custom;

struct tn_runtime { tn_custom *customs; tiny_program *programs; };

struct tiny_program {                      // a captured plan and what its blanks are filled with
  tiny_program *prev, *next;
  tiny_ctx *t;
  tn_plan *plan;
  int ninput, noutput, nleaf, nscalar;
  tiny_uop **leaf; int *leaf_input;        // leaf_input[i]: number of the input, -1: leaf[i] itself
  tiny_uop **scalar;
  int *output; tiny_uop **shape;           // output[i]: its row in the plan, -1: leaf output_leaf
  int *output_leaf;
  size_t nbytes;
};

// ** collection: nodes and buffers that nothing refers to any more **

static void tn_collect(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  struct tn_device *d = t->device;
  tn_list roots = {NULL, 0, 0}, stack = {NULL, 0, 0};
  tn_tensors_roots(t, &roots);
  for (tn_custom *c = t->runtime->customs; c; c = c->next) if (c->uops) tn_push(t, &roots, c->uops);
  for (tiny_program *p = t->runtime->programs; p; p = p->next) {
    for (int i = 0; i < p->nleaf; i++) if (p->leaf[i]) tn_push(t, &roots, p->leaf[i]);
    for (int i = 0; i < p->nscalar; i++) tn_push(t, &roots, p->scalar[i]);
    for (int i = 0; i < p->noutput; i++) tn_push(t, &roots, p->shape[i]);
  }
  ir->epoch++;
  for (int i = 0; i < roots.n; i++) tn_uop_mark(t, &stack, roots.u[i]);
  tn_uop_sweep(t);
  ir->collect_at = ir->n * 2 > 1 << 14 ? ir->n * 2 : 1 << 14;
  d->collected_nbytes = t->stats.nbytes_live;
  t->tensors->freed = 0;
}
static void tn_collect_if_due(tiny_ctx *t) {
  if (t->ir->n >= t->ir->collect_at ||
      t->stats.nbytes_live >= 2 * t->device->collected_nbytes + ((size_t)16 << 20))
    tn_collect(t);
}

// ** running a plan **

enum { TN_COLLECT_NBYTES = 1 << 20 };       // looking for dead buffers is cheaper than this much new memory

typedef struct tn_run { tn_plan *plan; tiny_uop *const *leaf, *const *scalar; tn_storage **fresh; } tn_run;

static tn_storage *tn_leaf_storage(const tiny_uop *u) { return (tn_storage *)tn_place(u)->ptr; }

static void tn_log_kernel(tiny_ctx *t, const tn_executable *e, uint64_t ns) {
  const double s = (double)(ns ? ns : 1) * 1e-9;
  tn_log(t, "*** %-4s %6llu  %-44s %9.1f us  %8.2f GFLOPS  %7.2f GB/s  mem %.2f MB", t->device->name,
         (unsigned long long)t->stats.kernels, e->name, s * 1e6, e->flops / s * 1e-9, e->nbytes / s * 1e-9,
         (double)t->stats.nbytes_live * 1e-6);
}

static tiny_code tn_launch(tiny_ctx *t, const tn_executable *e, const tiny_launch *l) {
  struct tn_device *d = t->device;
  const int timed = tn_debug(t, 'k') || tn_debug(t, 't');
  const uint64_t from = timed ? tn_os_now() : 0;
  tiny_code code =
      e->runs_on_host ? tn_fallback->launch(t, e->kernel, l) : d->backend->launch(d->dev, e->kernel, l);
  t->stats.kernels++;
  t->stats.flops += (uint64_t)e->flops;
  t->stats.nbytes_moved += (uint64_t)e->nbytes;
  if (timed && code == TINY_OK) {
    code = d->backend->sync(d->dev);
    const uint64_t ns = tn_os_now() - from;
    t->stats.device_ns += ns;
    if (tn_debug(t, 'k')) tn_log_kernel(t, e, ns);
  }
  return code;
}

static tiny_mem tn_run_memory(const tn_run *r, int place, const tn_storage *arena) {
  const tn_place_row *p = &r->plan->place[place];
  tiny_mem m = {NULL, 0};
  switch (p->kind) {
    case TN_PLACE_LEAF: m.base = tn_leaf_storage(r->leaf[p->index])->mem; break;
    case TN_PLACE_OUTPUT: m.base = r->fresh[p->index]->mem; break;
    default: m.base = arena->mem; m.offset = (size_t)p->offset; break;
  }
  return m;
}

static tiny_code tn_run_step(tiny_ctx *t, const tn_run *r, const tn_step *s, const tn_storage *arena) {
  tiny_mem mem[32], *m = s->nmem <= 32 ? mem : (tiny_mem *)tn_scratch(t, (size_t)s->nmem * sizeof *m);
  int64_t arg[16], *a = s->narg <= 16 ? arg : (int64_t *)tn_scratch(t, (size_t)s->narg * sizeof *a);
  for (int i = 0; i < s->nmem; i++) m[i] = tn_run_memory(r, s->mem[i], arena);
  for (int i = 0; i < s->narg; i++) {
    const tiny_uop *u = r->scalar[s->arg[i]];
    a[i] = 0;
    tn_dtype_store(u->dtype, &a[i], u->k);
  }
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = m; l.nmem = s->nmem; l.args = a; l.nargs = s->narg; l.tasks = s->exe->tasks;
  memcpy(l.global, s->exe->global, sizeof l.global);
  memcpy(l.local, s->exe->local, sizeof l.local);
  return tn_launch(t, s->exe, &l);
}

static void tn_run_abandon(tiny_ctx *t, tn_run *r, tn_storage *arena) {
  for (int i = 0; i < r->plan->noutput; i++) tn_storage_drop(t, r->fresh[i]);
  tn_storage_drop(t, arena);
}

// Bytes of outputs and arena for which no spare memory is at hand.
static size_t tn_run_fresh_nbytes(const tiny_ctx *t, const tn_plan *p) {
  size_t fresh = 0;
  int c;
  for (int i = -1; i < p->nplace; i++) {
    if (i >= 0 && p->place[i].kind != TN_PLACE_OUTPUT) continue;
    const size_t nbytes = tn_size_class((size_t)(i < 0 ? p->arena_nbytes : p->place[i].nbytes), &c);
    if (!t->device->spare[c]) fresh += nbytes;
  }
  return fresh;
}

// Runs a plan; r->fresh[i] receives the storage of output i, NULL where it lives in a leaf. Owned by the caller.
static tiny_code tn_run_plan(tiny_ctx *t, tn_run *r) {
  tn_plan *p = r->plan;
  tn_storage *arena = NULL;
  tiny_code code = TINY_OK;
  if (t->tensors->freed && tn_run_fresh_nbytes(t, p) >= TN_COLLECT_NBYTES) tn_collect(t);
  for (int i = 0; i < p->nplace && code == TINY_OK; i++) if (p->place[i].kind == TN_PLACE_OUTPUT) {
    r->fresh[p->place[i].index] = tn_storage_new(t, (size_t)p->place[i].nbytes);
    if (!r->fresh[p->place[i].index]) code = t->code;
  }
  if (code == TINY_OK && p->arena_nbytes && !(arena = tn_storage_new(t, (size_t)p->arena_nbytes)))
    code = t->code;
  for (int i = 0; i < p->nstep && code == TINY_OK; i++)
    if (p->step[i].exe) code = tn_run_step(t, r, &p->step[i], arena);
  if (code != TINY_OK) {
    tn_run_abandon(t, r, arena);
    return t->code != TINY_OK ? t->code : tiny_fail(t, code, "%s: a kernel failed", t->device->name);
  }
  tn_storage_drop(t, arena);
  return TINY_OK;
}

// ** planning **

static void tn_log_schedule(tiny_ctx *t, const tn_plan *p) {
  tn_log(t, "schedule of %d kernels, arena %lld bytes", p->nstep, (long long)p->arena_nbytes);
  for (int i = 0; i < p->nstep; i++) {
    char line[512];
    size_t at =
        (size_t)snprintf(line, sizeof line, "  %s(", p->step[i].exe ? p->step[i].exe->name : "(empty)");
    for (int j = 0; j < p->step[i].nmem && at < sizeof line; j++) {
      const tn_place_row *place = &p->place[p->step[i].mem[j]];
      at += (size_t)snprintf(line + at, sizeof line - at, "%s%c%lld", j ? " " : "", "LOT"[place->kind],
                             (long long)(place->kind == TN_PLACE_TEMP ? place->offset : place->index));
    }
    tn_log(t, "%s)", line);
  }
}

static tiny_code tn_plan_make(tiny_ctx *t, const tn_visit *v, tiny_uop *const *roots, int n, tn_plan **out) {
  tn_draft d;
  const tn_kernel **kernels;
  if (tn_draft_plan(t, v, roots, n, &d, &kernels) != TINY_OK) return t->code;
  tn_build *builds = (tn_build *)tn_scratch(t, ((size_t)d.plan.nstep + 1) * sizeof *builds);
  int *of = (int *)tn_scratch(t, ((size_t)d.plan.nstep + 1) * sizeof *of), nbuild = 0;
  for (int i = 0; i < d.plan.nstep; i++) {
    const tn_kernel *k = kernels[i];
    of[i] = -1;
    if (k->node->op == TINY_OP_CUSTOM) {
      const tn_custom *c = (const tn_custom *)k->node->ptr;
      tn_build *b = &builds[nbuild];
      if (c->uops) b->ast = c->uops;
      else {
        b->custom = c->source;
        b->entry = c->name;
        memcpy(b->low.global, c->global, sizeof c->global);
        memcpy(b->low.local, c->local, sizeof c->local);
        b->low.tasks = c->global[0] * c->global[1] * c->global[2];
      }
      of[i] = nbuild++;
    } else if (k->ast) { builds[nbuild].ast = k->ast; of[i] = nbuild++; }
  }
  if (tn_build_all(t, builds, nbuild) != TINY_OK) return t->code;
  for (int i = 0; i < d.plan.nstep; i++) d.plan.step[i].exe = of[i] >= 0 ? builds[of[i]].exe : NULL;
  if (tn_debug(t, 's')) tn_log_schedule(t, &d.plan);
  *out = tn_plan_keep(t, &d, v);
  t->stats.schedules++;
  return TINY_OK;
}

// ** settling: handles and nodes after a run **

// The value of u's dims over a BUFFER node.
static tiny_uop *tn_settled(tiny_ctx *t, tiny_uop *u) { return tn_reshape(t, u->realized, u->ndim, u->dim); }

// Handles whose memory was updated move to the new BUFFER; chains of updates would otherwise grow without end.
static void tn_settle_handles(tiny_ctx *t) {
  for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
    tn_chain c;
    if (!tn_chain_of(x->uop, &c)) continue;
    const int memory =
        c.bottom->op == TINY_OP_ASSIGN || (c.bottom->op == TINY_OP_CONTIGUOUS && c.bottom->ptr);
    if (memory && c.bottom->realized) x->uop = tn_chain_apply(t, &c, tn_settled(t, c.bottom));
  }
  struct tn_tensors *all = t->tensors;
  int n = 0;
  for (int i = 0; i < all->npending; i++) if (!all->pending[i]->realized) all->pending[n++] = all->pending[i];
  all->npending = n;
}

static tiny_code tn_settle_outputs(tiny_ctx *t, const tn_run *r, const tn_visit *v) {
  const tn_plan *p = r->plan;
  int updates = 0;
  for (int i = 0; i < p->noutput; i++) {
    tiny_uop *u = v->all.u[p->output[i].node];
    const tn_place_row *place = &p->place[p->output[i].place];
    tn_storage *s =
        place->kind == TN_PLACE_OUTPUT ? r->fresh[place->index] : tn_leaf_storage(v->leaves.u[place->index]);
    s->refs++;                             // the node's own
    u->realized = tn_buffer_node(t, s, u->dtype, tn_nelem(u));
    updates |= u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr);
  }
  for (int i = 0; i < p->noutput; i++) tn_storage_drop(t, r->fresh[i]);
  if (updates) tn_settle_handles(t);
  return TINY_OK;
}

// ** what must run together **

// Does u depend on one of the states that are about to be overwritten, other than through their
// updates? seq: 1 yes, 0 no.
static int tn_needs_old_state(tiny_ctx *t, tiny_uop *u, uint32_t seen, const tn_map *bases,
                              const tn_map *updates) {
  tn_walk *stack = NULL, *top;
  int n = 0, cap = 0;
  if (u->mark == seen) return (int)u->seq;
  top = TN_PUSH(t, stack, n, cap, tn_walk);
  top->u = u; top->next = 0;
  u->mark = seen; u->seq = 0;
  while (n) {
    top = &stack[n - 1];
    tiny_uop *x = top->u;
    const int stop = x->realized || tn_map_has(updates, x);
    if (tn_map_has(bases, tn_state_of(x))) x->seq = 1;
    if (stop || top->next == x->nsrc) {
      if (--n) stack[n - 1].u->seq |= x->seq;
      continue;
    }
    tiny_uop *s = x->src[top->next++];
    if (s->mark == seen) { x->seq |= s->seq; continue; }
    s->mark = seen; s->seq = 0;
    top = TN_PUSH(t, stack, n, cap, tn_walk);
    top->u = s; top->next = 0;
  }
  return (int)u->seq;
}

// Live tensors that were built from states which the schedule overwrites join it; what those need may be overwritten
// in turn. Tensors of frame `dying` need not join. The states that are overwritten go to bases.
static void tn_join_readers(tiny_ctx *t, tn_list *roots, int dying, tn_map *bases) {
  tn_map joined = {NULL, NULL, 0, 0};
  for (int i = 0; i < roots->n; i++) tn_map_set(t, &joined, roots->u[i], roots->u[i]);
  for (int before = -1; before != roots->n;) {
    tn_visit v;
    tn_map updates = {NULL, NULL, 0, 0};
    memset(&v, 0, sizeof v);
    before = roots->n;
    tn_visit_graph(t, &v, roots->u, roots->n);
    for (int i = 0; i < v.all.n; i++) if (v.all.u[i]->op == TINY_OP_ASSIGN && !v.all.u[i]->realized) {
      tn_map_set(t, bases, tn_state_of(v.all.u[i]->src[0]), v.all.u[i]);
      tn_map_set(t, &updates, v.all.u[i], v.all.u[i]);
    }
    if (!bases->n) return;
    const uint32_t seen = ++t->ir->epoch;
    for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
      if (x->frame >= dying || tn_is_leaf(x->uop) || tn_map_has(&joined, x->uop)) continue;
      if (!tn_needs_old_state(t, x->uop, seen, bases, &updates)) continue;
      tn_map_set(t, &joined, x->uop, x->uop);
      tn_push(t, roots, x->uop);
    }
  }
}

// The node whose elements in order are u's: a reshape is not stored for its own sake, unless what
// it shows is overwritten.
static tiny_uop *tn_root_of(tiny_uop *u, const tn_map *bases) {
  tiny_uop *x = u;
  while (!x->realized && (x->op == TINY_OP_RESHAPE || x->op == TINY_OP_DETACH) &&
         (x->src[0]->nsrc || tn_is_leaf(x->src[0])))
    x = x->src[0];
  return tn_map_has(bases, tn_state_of(x)) ? u : x;
}

static tiny_code tn_realize_roots(tiny_ctx *t, tn_list *roots, int dying) {
  tn_list all = {NULL, 0, 0};
  tn_map seen = {NULL, NULL, 0, 0}, bases = {NULL, NULL, 0, 0};
  tn_join_readers(t, roots, dying, &bases);
  for (int i = 0; i < roots->n; i++) {
    tiny_uop *u = tn_root_of(roots->u[i], &bases);
    if (tn_is_leaf(u) || tn_map_has(&seen, u)) continue;
    tn_map_set(t, &seen, u, u);
    tn_push(t, &all, u);
  }
  if (!all.n) return TINY_OK;
  tn_visit v;
  memset(&v, 0, sizeof v);
  tn_visit_graph(t, &v, all.u, all.n);
  tn_plan *plan = tn_plan_find(t, &v);
  if (plan) t->stats.replays++;
  else if (tn_plan_make(t, &v, all.u, all.n, &plan) != TINY_OK) return t->code;
  tn_run r = {plan, v.leaves.u, v.scalars.u,
              (tn_storage **)tn_scratch(t, ((size_t)plan->noutput + 1) * sizeof(tn_storage *))};
  const tiny_code code = tn_run_plan(t, &r);
  return code == TINY_OK ? tn_settle_outputs(t, &r, &v) : code;
}

// ** the calls **

typedef struct tn_realize_call { tiny_tensor *const *x; int n; } tn_realize_call;

static tiny_code tn_realize_guarded(tiny_ctx *t, void *arg) {
  const tn_realize_call *c = (const tn_realize_call *)arg;
  tn_list roots = {NULL, 0, 0};
  for (int i = 0; i < c->n; i++) tn_push(t, &roots, c->x[i]->uop);
  const tiny_code code = tn_realize_roots(t, &roots, INT_MAX);
  if (code == TINY_OK) tn_collect_if_due(t);
  return code;
}

// The context of x[0..n-1], all of them usable; NULL after an error. *code tells which.
static tiny_ctx *tn_realize_check(const char *name, tiny_tensor *const *x, int n, tiny_code *code) {
  tiny_tensor *wrong;
  *code = TINY_E_ARG;
  if (!x || n < 1) return NULL;
  if (!tn_usable(name, n, x, &wrong)) {
    if (wrong && wrong->t->code != TINY_OK) *code = wrong->t->code;
    return NULL;
  }
  return x[0]->t;
}

TINY_API tiny_code tiny_realize(tiny_tensor *const *x, int n) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("realize", x, n, &code);
  tn_realize_call c = {x, n};
  return t ? tn_guard(t, tn_realize_guarded, &c) : code;
}

// Is u its BUFFER's elements in order? Then the BUFFER, else NULL.
static tiny_uop *tn_plain_buffer(const tiny_uop *u) {
  while (!u->realized && (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_DETACH)) u = u->src[0];
  return tn_is_leaf(u) ? tn_place(u) : NULL;
}

typedef struct tn_read_call { tiny_tensor *x; void *out; size_t nbytes; } tn_read_call;

static tiny_code tn_read_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  struct tn_device *d = t->device;
  tiny_uop *from = tn_plain_buffer(c->x->uop);
  if (!from) {
    tn_realize_call all = {&c->x, 1};
    const tiny_code code = tn_realize_guarded(t, &all);
    if (code != TINY_OK) return code;
    from = tn_plain_buffer(c->x->uop);
  }
  if (!from) return tiny_fail(t, TINY_E_INTERNAL, "read: a realized tensor has no buffer");
  const tiny_code code = d->backend->sync(d->dev);
  if (code != TINY_OK || !c->nbytes) return code;
  const tiny_mem m = {((tn_storage *)from->ptr)->mem, 0};
  return d->backend->copy_out(d->dev, c->out, m, c->nbytes);
}

static tiny_code tn_nbytes_check(tiny_ctx *t, const char *name, const tiny_tensor *x, const void *data,
                                 size_t nbytes) {
  const size_t wanted = (size_t)tn_node_nbytes(x->uop);
  char text[TN_DIMS_TEXT];
  if (nbytes != wanted)
    return tiny_fail(t, TINY_E_ARG, "%s: %llu bytes given, %s of %s has %llu", name,
                     (unsigned long long)nbytes, tn_text_of(x->uop, text), tn_dtypes[x->uop->dtype].name,
                     (unsigned long long)wanted);
  if (!data && nbytes) return tiny_fail(t, TINY_E_ARG, "%s: data is NULL", name);
  return TINY_OK;
}

TINY_API tiny_code tiny_read(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("read", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "read", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_read_guarded, &c) : code;
}

#ifndef TINY_NO_INTERP
// The interpreter's view of a BUFFER: its bytes, copied out of the device.
static const void *tn_reference_buffer(tiny_ctx *t, tiny_uop *buffer) {
  struct tn_device *d = t->device;
  const size_t nbytes = (size_t)tn_node_nbytes(buffer);
  void *copy = tn_scratch(t, nbytes + 1);
  const tiny_mem m = {((tn_storage *)buffer->ptr)->mem, 0};
  if (d->backend->sync(d->dev) != TINY_OK ||
      (nbytes && d->backend->copy_out(d->dev, copy, m, nbytes) != TINY_OK))
    return NULL;
  return copy;
}

static tiny_code tn_reference_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  return tn_eval_graph(t, c->x->uop, c->out, tn_reference_buffer);
}

TINY_API tiny_code tiny_reference(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("reference", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "reference", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_reference_guarded, &c) : code;
}
#endif

TINY_API double tiny_item(tiny_tensor *x) {
  unsigned char raw[8];
  if (!tiny_ok(x)) return (double)NAN;
  if (tiny_nelem(x) != 1) {
    char text[TN_DIMS_TEXT];
    tiny_fail(x->t, TINY_E_SHAPE, "item: %s has more or less than one element", tn_text_of(x->uop, text));
    return (double)NAN;
  }
  const int dtype = x->uop->dtype;
  if (tiny_read(x, raw, tn_dtypes[dtype].nbytes) != TINY_OK) return (double)NAN;
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, raw)));
}

// A tensor of dims s over new storage that holds data.
static tiny_uop *tn_upload(tiny_ctx *t, const void *data, int dtype, int ndim, const int64_t *dim) {
  struct tn_device *d = t->device;
  const int64_t nelem = tn_dims_nelem(ndim, dim);
  const size_t nbytes = (size_t)nelem * tn_dtypes[dtype].nbytes;
  tn_storage *s = tn_storage_new(t, nbytes);
  if (!s) return &t->ir->bad;
  const tiny_mem m = {s->mem, 0};
  if (nbytes && d->backend->copy_in(d->dev, m, data, nbytes) != TINY_OK) {
    tn_storage_drop(t, s);
    return &t->ir->bad;
  }
  return tn_reshape(t, tn_buffer_node(t, s, dtype, nelem), ndim, dim);
}

// Does the context run at all? Records why not.
static int tn_runs(tiny_ctx *t) { return t && t->device && t->device->dev && !t->tensors->refuse; }

TINY_API tiny_tensor *tiny_from(tiny_ctx *t, const void *data, tiny_dtype dtype, tiny_shape shape) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "from", dtype) || !tn_shape_valid(t, "from", &shape)) return tn_poison(t);
  if (!data && tn_dims_nelem(shape.ndim, shape.dim)) return tn_wrong(t, TINY_E_ARG, "from: data is NULL");
  return tn_tensor_new(t, tn_upload(t, data, dtype, shape.ndim, shape.dim));
}

TINY_API tiny_code tiny_write(tiny_tensor *x, const void *data, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("write", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "write", x, data, nbytes);
  if (code != TINY_OK) return code;
  tiny_uop *u = tn_upload(t, data, x->uop->dtype, x->uop->ndim, x->uop->dim);
  if (tn_bad(t, u)) return t->code;
  x->uop = u;
  return TINY_OK;
}

#define TN_MAX_NELEM ((int64_t)1 << 60)
TINY_API tiny_tensor *tiny_blob(tiny_ctx *t, void *data, tiny_dtype dtype, tiny_shape shape,
                                const int64_t *strides) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "blob", dtype) || !tn_shape_valid(t, "blob", &shape)) return tn_poison(t);
  if (!data) return tn_wrong(t, TINY_E_ARG, "blob: data is NULL");
  if (!t->device->limits.host_memory)
    return tn_wrong(t, TINY_E_DEVICE, "blob: %s has memory of its own; use tiny_from", t->device->name);
  int64_t low = 0, high = 0, v[2 * TINY_MAX_DIMS];
  for (int i = 0; i < shape.ndim; i++) {
    v[i] = shape.dim[i];
    v[shape.ndim + i] = strides ? strides[i] : 0;
    const int64_t reach = strides && shape.dim[i] > 0 ? tn_clamp_mul(shape.dim[i] - 1, strides[i]) : 0;
    if (reach < 0) low = tn_clamp_add(low, reach); else high = tn_clamp_add(high, reach);
  }
  if (low < -TN_MAX_NELEM || high > TN_MAX_NELEM)
    return tn_wrong(t, TINY_E_ARG, "blob: strides reach over %lld and %lld elements", (long long)low,
                    (long long)high);
  const int64_t nelem = tn_dims_nelem(shape.ndim, shape.dim),
                span = !nelem ? 0 :
      strides                 ? high - low + 1 :
                                nelem;
  tn_storage *s = (tn_storage *)tn_alloc(t, sizeof *s);
  if (!s) return tn_poison(t);
  s->mem = (char *)data + low * (int64_t)tn_dtypes[dtype].nbytes;
  s->nbytes = (size_t)span * tn_dtypes[dtype].nbytes;
  s->refs = s->borrowed = 1;
  tn_storage_link(&t->device->live, s);
  tiny_uop *u = tn_buffer_node(t, s, dtype, span);
  if (!strides) return tn_tensor_new(t, tn_reshape(t, u, shape.ndim, shape.dim));
  return tn_tensor_new(t, tn_uop_make(t, TINY_OP_VIEW, dtype, 1, 1, &u, -low, 2 * shape.ndim, v));
}

static tiny_code tn_end_guarded(tiny_ctx *t, void *arg) {
  tn_list roots = {NULL, 0, 0};
  (void)arg;
  for (int i = 0; i < t->tensors->npending; i++) tn_push(t, &roots, t->tensors->pending[i]);
  return roots.n ? tn_realize_roots(t, &roots, t->tensors->depth) : TINY_OK;
}
static tiny_code tn_collect_guarded(tiny_ctx *t, void *arg) {
  (void)arg;
  tn_collect_if_due(t);
  return TINY_OK;
}

TINY_API tiny_code tiny_end(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  if (!t->tensors) return t->code;
  if (!t->tensors->depth) return tiny_fail(t, TINY_E_STATE, "end: no frame is open");
  const tiny_code code = tn_runs(t) ? tn_guard(t, tn_end_guarded, NULL) : t->code;
  t->tensors->npending = 0;
  tn_frame_close(t);
  if (tn_runs(t)) tn_guard(t, tn_collect_guarded, NULL);
  return code;
}

// ** kernels from outside **

static char *tn_copy_text(tiny_ctx *t, const char *text, size_t *nbytes) {
  *nbytes = strlen(text) + 1;
  char *copy = (char *)tn_realloc(t, NULL, 0, *nbytes);
  if (copy) memcpy(copy, text, *nbytes);
  return copy;
}

static tn_custom *tn_custom_find(tiny_ctx *t, const tiny_kernel_desc *d) {
  for (tn_custom *c = t->runtime->customs; c; c = c->next) {
    if (c->uops != d->uops || memcmp(c->global, d->global, sizeof c->global) ||
        memcmp(c->local, d->local, sizeof c->local))
      continue;
    if (d->uops || (!strcmp(c->source, d->source) && !strcmp(c->name, d->name))) return c;
  }
  tn_custom *c = (tn_custom *)tn_alloc(t, sizeof *c);
  if (!c) return NULL;
  c->next = t->runtime->customs;
  t->runtime->customs = c;
  c->uops = d->uops;
  memcpy(c->global, d->global, sizeof c->global);
  memcpy(c->local, d->local, sizeof c->local);
  if (!d->uops) {
    c->source = tn_copy_text(t, d->source, &c->source_nbytes);
    c->name = c->source ? tn_copy_text(t, d->name, &c->name_nbytes) : NULL;
    if (!c->name) {
      t->runtime->customs = c->next;
      tn_release(t, c->source, c->source_nbytes);
      tn_release(t, c, sizeof *c);
      return NULL;
    }
  }
  return c;
}

// A SINK from outside reads and writes nothing but the memory it is given.
static tiny_code tn_kernel_check(tiny_ctx *t, void *arg) {
  const tiny_kernel_desc *d = (const tiny_kernel_desc *)arg;
  tn_list all = {NULL, 0, 0};
  if (tn_verify(t, d->uops, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  tn_toposort(t, d->uops, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_ARG) return tiny_fail(t, TINY_E_ARG, "kernel: uops take an ARG, but there are none");
    if (u->op != TINY_OP_PARAM) continue;
    if (u->k < 0 || u->k > d->n)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld, but there are an output and %d inputs",
                       (long long)u->k, d->n);
    const int64_t has = u->k ? tiny_nelem(d->inputs[u->k - 1]) : tn_dims_nelem(d->shape.ndim, d->shape.dim);
    const int dtype = u->k ? d->inputs[u->k - 1]->uop->dtype : (int)d->dtype;
    if (u->v[0] > has || u->dtype != dtype)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld is %lld of %s, its tensor has %lld of %s",
                       (long long)u->k, (long long)u->v[0], tn_dtypes[u->dtype].name, (long long)has,
                       tn_dtypes[dtype].name);
  }
  return TINY_OK;
}

TINY_API tiny_tensor *tiny_kernel(tiny_ctx *t, const tiny_kernel_desc *desc) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return tn_poison(t);
  if (!desc || (!desc->uops && (!desc->source || !desc->name)))
    return tn_wrong(t, TINY_E_ARG, "kernel: needs source and name, or uops");
  if (desc->n < 0 || desc->n > 63 || (desc->n && !desc->inputs))
    return tn_wrong(t, TINY_E_ARG, "kernel: %d inputs", desc->n);
  if (desc->n && !tn_usable("kernel", desc->n, desc->inputs, &wrong)) return wrong;
  if (!tn_dtype_check(t, "kernel", desc->dtype) || !tn_shape_valid(t, "kernel", &desc->shape))
    return tn_poison(t);
  if (!desc->uops && !t->device->backend->language)
    return tn_wrong(t, TINY_E_DEVICE, "kernel: %s does not take source", t->device->name);
  tiny_kernel_desc d = *desc;
  for (int i = 0; i < 3; i++) { if (!d.global[i]) d.global[i] = 1; if (!d.local[i]) d.local[i] = 1; }
  if (d.uops && d.uops->op != TINY_OP_SINK)
    return tn_wrong(t, TINY_E_ARG, "kernel: uops must be a SINK, not %s", tn_ops[d.uops->op].name);
  if (d.uops && tn_guard(t, tn_kernel_check, &d) != TINY_OK) return tn_poison(t);
  tn_custom *c = tn_custom_find(t, &d);
  if (!c) return tn_poison(t);
  tiny_uop *src[64];
  for (int i = 0; i < d.n; i++) {          // the kernel sees plain memory
    src[i] = d.inputs[i]->uop;
    if (!tn_is_leaf(src[i]))
      src[i] = tn_plain_buffer(src[i]) ? tn_plain_buffer(src[i]) : tn_u1(t, TINY_OP_CONTIGUOUS, src[i]);
  }
  const tiny_shape *s = &d.shape;
  return tn_tensor_new(t, tn_uop_make_with(t, TINY_OP_CUSTOM, d.dtype, 1, d.n, src, 0, s->ndim, s->dim, c));
}

// ** captured programs **

typedef struct tn_capture_call {
  tiny_tensor *const *in, *const *out;
  int n, m;
  tiny_program *p;
} tn_capture_call;

static tiny_code tn_capture_guarded(tiny_ctx *t, void *arg) {
  tn_capture_call *c = (tn_capture_call *)arg;
  tn_list roots = {NULL, 0, 0};
  tn_visit v;
  tn_plan *plan = NULL;
  memset(&v, 0, sizeof v);
  for (int i = 0; i < c->m; i++) if (!tn_plain_buffer(c->out[i]->uop)) tn_push(t, &roots, c->out[i]->uop);
  tn_visit_graph(t, &v, roots.u, roots.n);
  if (roots.n) plan = tn_plan_find(t, &v);
  if (roots.n && !plan && tn_plan_make(t, &v, roots.u, roots.n, &plan) != TINY_OK) return t->code;
  const size_t nbytes =
      sizeof *c->p + (size_t)(v.leaves.n + v.scalars.n + c->m) * (sizeof(void *) + 2 * sizeof(int)) + 64;
  tiny_program *p = (tiny_program *)tn_alloc(t, nbytes);
  char *at = (char *)(p + 1);
  p->t = t; p->nbytes = nbytes; p->plan = plan;
  p->ninput = c->n; p->noutput = c->m; p->nleaf = v.leaves.n; p->nscalar = v.scalars.n;
  p->leaf = (tiny_uop **)tn_plan_put(&at, v.leaves.u, (size_t)v.leaves.n * sizeof(void *));
  p->scalar = (tiny_uop **)tn_plan_put(&at, v.scalars.u, (size_t)v.scalars.n * sizeof(void *));
  p->shape = (tiny_uop **)(void *)at; at += (size_t)c->m * sizeof(void *);
  p->leaf_input = (int *)(void *)at; at += (size_t)v.leaves.n * sizeof(int);
  p->output = (int *)(void *)at; at += (size_t)c->m * sizeof(int);
  p->output_leaf = (int *)(void *)at;
  for (int i = 0; i < v.leaves.n; i++) {
    p->leaf_input[i] = -1;
    for (int j = 0; j < c->n; j++)
      if (tn_plain_buffer(c->in[j]->uop) == tn_place(v.leaves.u[i])) {
        p->leaf_input[i] = j;
        p->leaf[i] = NULL;
        break;
      }
  }
  for (int i = 0; i < c->m; i++) {
    p->shape[i] = c->out[i]->uop;
    p->output[i] = p->output_leaf[i] = -1;
    for (int j = 0; plan && j < plan->noutput; j++)
      if (v.all.u[plan->output[j].node] == c->out[i]->uop) p->output[i] = j;
    for (int j = 0; j < c->n && p->output[i] < 0; j++)
      if (tn_plain_buffer(c->in[j]->uop) == tn_plain_buffer(c->out[i]->uop)) p->output_leaf[i] = j;
  }
  p->next = t->runtime->programs;
  if (p->next) p->next->prev = p;
  t->runtime->programs = p;
  c->p = p;
  return TINY_OK;
}

TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n,
                                    tiny_tensor *const *outputs, int m) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return NULL;
  if (n < 0 || m < 1 || (n && !inputs) || !outputs) {
    tiny_fail(t, TINY_E_ARG, "capture: %d inputs, %d outputs", n, m);
    return NULL;
  }
  if ((n && !tn_usable("capture", n, inputs, &wrong)) || !tn_usable("capture", m, outputs, &wrong))
    return NULL;
  for (int i = 0; i < n; i++)
    if (!tn_plain_buffer(inputs[i]->uop)) {
      tiny_fail(t, TINY_E_STATE, "capture: input %d is not realized", i);
      return NULL;
    }
  tn_capture_call c = {inputs, outputs, n, m, NULL};
  return tn_guard(t, tn_capture_guarded, &c) == TINY_OK ? c.p : NULL;
}

typedef struct tn_run_call { tiny_program *p; tiny_tensor *const *in; tiny_tensor **out; } tn_run_call;

static tiny_code tn_run_guarded(tiny_ctx *t, void *arg) {
  const tn_run_call *c = (const tn_run_call *)arg;
  const tiny_program *p = c->p;
  tiny_uop **leaf = (tiny_uop **)tn_scratch(t, ((size_t)p->nleaf + 1) * sizeof *leaf);
  for (int i = 0; i < p->nleaf; i++)
    leaf[i] = p->leaf_input[i] < 0 ? p->leaf[i] : tn_plain_buffer(c->in[p->leaf_input[i]]->uop);
  tn_run r = {p->plan, leaf, p->scalar, NULL};
  if (p->plan) {
    r.fresh = (tn_storage **)tn_scratch(t, ((size_t)p->plan->noutput + 1) * sizeof *r.fresh);
    const tiny_code code = tn_run_plan(t, &r);
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < p->noutput; i++) {
    const tiny_uop *s = p->shape[i];
    if (p->output[i] < 0) {
      c->out[i] = p->output_leaf[i] < 0 ? tn_tensor_new(t, p->shape[i]) :
                                          tn_tensor_new(t, c->in[p->output_leaf[i]]->uop);
      continue;
    }
    const tn_place_row *place = &p->plan->place[p->plan->output[p->output[i]].place];
    tn_storage *from =
        place->kind == TN_PLACE_OUTPUT ? r.fresh[place->index] : tn_leaf_storage(leaf[place->index]);
    from->refs++;
    c->out[i] =
        tn_tensor_new(t, tn_reshape(t, tn_buffer_node(t, from, s->dtype, tn_nelem(s)), s->ndim, s->dim));
  }
  for (int i = 0; p->plan && i < p->plan->noutput; i++) tn_storage_drop(t, r.fresh[i]);
  tn_collect_if_due(t);
  return TINY_OK;
}

TINY_API tiny_code tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs) {
  tiny_tensor *wrong;
  if (!p) return TINY_E_ARG;
  tiny_ctx *t = p->t;
  if (!outputs || (p->ninput && !inputs)) return tiny_fail(t, TINY_E_ARG, "run: inputs or outputs are NULL");
  if (p->ninput && !tn_usable("run", p->ninput, inputs, &wrong))
    return t->code != TINY_OK ? t->code : TINY_E_ARG;
  for (int i = 0; i < p->ninput; i++)
    if (!tn_plain_buffer(inputs[i]->uop))
      return tiny_fail(t, TINY_E_STATE, "run: input %d is not realized", i);
  for (int i = 0; i < p->nleaf; i++) if (p->leaf_input[i] >= 0) {
    const tiny_uop *given = tn_plain_buffer(inputs[p->leaf_input[i]]->uop);
    const tn_place_row *place = NULL;
    for (int j = 0; j < p->plan->nplace; j++)
      if (p->plan->place[j].kind == TN_PLACE_LEAF && p->plan->place[j].index == i) place = &p->plan->place[j];
    if (place && tn_node_nbytes(given) != place->nbytes)
      return tiny_fail(t, TINY_E_SHAPE, "run: input %d has %lld bytes, the captured one had %lld",
                       p->leaf_input[i], (long long)tn_node_nbytes(given), (long long)place->nbytes);
  }
  tn_run_call c = {p, inputs, outputs};
  return tn_guard(t, tn_run_guarded, &c);
}

TINY_API int tiny_program_kernels(const tiny_program *p) {
  int n = 0;
  for (int i = 0; p && p->plan && i < p->plan->nstep; i++) n += p->plan->step[i].exe != NULL;
  return n;
}

TINY_API void tiny_program_free(tiny_program *p) {
  if (!p) return;
  tiny_ctx *t = p->t;
  if (p->prev) p->prev->next = p->next; else t->runtime->programs = p->next;
  if (p->next) p->next->prev = p->prev;
  tn_release(t, p, p->nbytes);
}

// ** contexts **

static tiny_code tn_open_guarded(tiny_ctx *t, void *arg) {
  const tiny_desc *d = (const tiny_desc *)arg;
  if (!tn_tensors_open(t) || !tn_schedules_open(t)) return TINY_E_MEMORY;
  t->tensors->refuse = 1;                  // until all is well
  t->runtime = (struct tn_runtime *)tn_alloc(t, sizeof *t->runtime);
  if (!tn_match_open(t) || tn_pool_open(t, d) != TINY_OK || tn_device_open(t, d) != TINY_OK ||
      tn_programs_open(t, d) != TINY_OK)
    return t->code;
  t->tensors->refuse = 0;
  return TINY_OK;
}

TINY_API tiny_ctx *tiny_open(const tiny_desc *d) {
  const tiny_alloc standard = {tn_default_alloc, NULL}, alloc = d && d->alloc.fn ? d->alloc : standard;
  tiny_ctx *t = (tiny_ctx *)alloc.fn(alloc.user, NULL, 0, sizeof *t);
  if (!t) return NULL;
  memset(t, 0, sizeof *t);
  t->alloc = alloc;
  const char *debug = d && d->debug ? d->debug : tn_os_env("TINY_DEBUG");
  snprintf(t->debug, sizeof t->debug, "%s", debug ? debug : "");
  if (d) { t->max_nbytes = d->max_nbytes; t->log = d->log; t->seed = d->seed; }
  if (!tn_ir_open(t)) { tiny_close(t); return NULL; }
  tn_guard(t, tn_open_guarded, (void *)(uintptr_t)d);
  if (!t->tensors) { tiny_close(t); return NULL; }
  return t;
}

static void tn_log_totals(tiny_ctx *t) {
  const tiny_stats *s = &t->stats;
  tn_log(t, "%s: %llu kernels in %.1f ms, %llu compiled in %.1f ms, %llu from disk, lowering %.1f ms, "
      "%llu graphs planned, %llu replayed, peak %.2f MB",
      t->device ? t->device->name : "", (unsigned long long)s->kernels, (double)s->device_ns * 1e-6,
      (unsigned long long)s->compiled, (double)s->compile_ns * 1e-6, (unsigned long long)s->cache_hits,
      (double)s->lower_ns * 1e-6, (unsigned long long)s->schedules, (unsigned long long)s->replays,
      (double)s->nbytes_peak * 1e-6);
}

TINY_API void tiny_close(tiny_ctx *t) {
  if (!t) return;
  if (tn_debug(t, 't')) tn_log_totals(t);
  if (t->device && t->device->dev) t->device->backend->sync(t->device->dev);
  while (t->runtime && t->runtime->programs) tiny_program_free(t->runtime->programs);
  while (t->runtime && t->runtime->customs) {
    tn_custom *c = t->runtime->customs;
    t->runtime->customs = c->next;
    tn_release(t, c->source, c->source_nbytes);
    tn_release(t, c->name, c->name_nbytes);
    tn_release(t, c, sizeof *c);
  }
  tn_release(t, t->runtime, sizeof(struct tn_runtime));
  if (t->programs) tn_programs_close(t);
  tn_tensors_close(t);
  tn_ir_close(t);                          // drops the buffers that nodes hold
  if (t->schedules) tn_schedules_close(t);
  tn_device_close(t);
  tn_pool_close(t);
  tn_match_close(t);
  tn_scratch_reset(t, 1);
  const tiny_alloc alloc = t->alloc;
  alloc.fn(alloc.user, t, sizeof *t, 0);
}

TINY_API const char *tiny_error(const tiny_ctx *t) {
  return !t ? "tiny_open: out of memory" : t->code == TINY_OK ? "" : t->message;
}
TINY_API tiny_code tiny_status(const tiny_ctx *t) { return t ? t->code : TINY_E_MEMORY; }
TINY_API void tiny_clear(tiny_ctx *t) { if (t && !(t->tensors && t->tensors->refuse)) t->code = TINY_OK; }
TINY_API tiny_stats tiny_get_stats(const tiny_ctx *t) {
  tiny_stats none;
  memset(&none, 0, sizeof none);
  return t ? t->stats : none;
}
#endif
