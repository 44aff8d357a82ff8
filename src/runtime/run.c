// run: nodes to realize -> kernels launched: plans are made or found, memory is bound, handles move on to the results.
//
// In:    nodes that are wanted. Out: node->realized of each; a run works on nodes, not handles, so whatever was built
//        from a node finds its value.
// Holds: before a state is overwritten, every other live tensor that was built from it is realized in the same
//        schedule. When an update has run, handles move to a new BUFFER node over the same storage: old nodes can
//        never name new contents. Nodes and buffers that nothing refers to are collected between runs.
#ifndef TN_RUNTIME_RUN
#define TN_RUNTIME_RUN
#ifndef TINY_AMALGAMATED
#include "budget.c"
#endif

// ** planning **

static void tn_log_schedule(tiny_ctx *t, const tn_plan *p, const int *label) {
  tn_log(t, "schedule of %d kernels, arena %lld bytes", p->nstep, (long long)p->arena_nbytes);
  for (int i = 0; i < p->nstep; i++) {
    char line[512];
    const tn_step *s = &p->step[i];
    size_t at = (size_t)snprintf(line, sizeof line, "  %s%s%s(", t->ndevice > 1 ? t->device[s->device]->title : "",
                                 t->ndevice > 1 ? " " : "", s->exe ? s->exe->name : s->copies ? "copy" : "(empty)");
    for (int j = 0; j < p->step[i].nmem && at < sizeof line; j++) {
      const tn_place_row *place = &p->place[p->step[i].mem[j]];
      at += (size_t)snprintf(line + at, sizeof line - at, "%s%c%lld", j ? " " : "", "LOT"[place->kind],
                             (long long)(place->kind == TN_PLACE_TEMP ? place->offset : place->index));
    }
    const int tiled = p->step[i].tiled;
    const int64_t times = tn_step_times(p, s);
    const char *name = tn_label_text(t, label ? label[i] : 0), *gap = *name ? "  " : "";
    if (tiled) tn_log(t, "%s) x %lld%s%s", line, (long long)times, gap, name);
    else tn_log(t, "%s)%s%s", line, gap, name);
  }
}

// What is remembered stays within bounds, and `newest` in memory.
static void tn_plans_trim(tiny_ctx *t, const tn_plan *newest) {
  while (t->schedules->n > TN_MOST_PLANS) {
    tn_plan *p = tn_plan_oldest(t, newest);
    if (!p) break;
    for (int i = 0; i < p->nstep; i++) if (p->step[i].exe) p->step[i].exe->steps--;
    tn_plan_drop(t, p);
  }
  for (int i = 0; i < t->ndevice; i++) tn_executables_trim(t->device[i]->programs);
}

static tn_targets tn_context_targets(const tiny_ctx *t) {
  tn_targets all;
  memset(&all, 0, sizeof all);
  all.n = t->ndevice; all.here = t->here;
  for (int i = 0; i < t->ndevice; i++) all.limits[i] = &t->device[i]->plans;
  return all;
}

static tn_build tn_build_of(const tn_kernel *k, struct tn_programs *at) {
  const tn_custom *c = k->node->op == TINY_OP_CUSTOM ? (const tn_custom *)k->node->ptr : NULL;
  tn_build b;
  memset(&b, 0, sizeof b);
  b.at = at;
  b.ast = c ? c->uops : k->ast;
  if (b.ast) return b;
  b.custom = c->source;
  b.binary = c->compiled ? c->source_nbytes : 0;
  b.key = c->key;
  b.entry = c->name;
  memcpy(b.low.global, c->global, sizeof c->global);
  memcpy(b.low.local, c->local, sizeof c->local);
  b.low.tasks = c->global[0] * c->global[1] * c->global[2];
  return b;
}
// Executables for the steps that run on devices which share `at`; or all that takes time is begun.
static tiny_code tn_plan_build(tiny_ctx *t, tn_draft *d, const tn_kernel *const *kernels, struct tn_programs *at) {
  tn_build *builds = (tn_build *)tn_scratch(t, ((size_t)d->plan.nstep + 1) * sizeof *builds);
  int *step = (int *)tn_scratch(t, ((size_t)d->plan.nstep + 1) * sizeof *step), n = 0;
  for (int i = 0; i < d->plan.nstep; i++) {
    if (t->device[d->plan.step[i].device]->programs != at) continue;
    if (!kernels[i]->ast && kernels[i]->node->op != TINY_OP_CUSTOM) continue;
    builds[n] = tn_build_of(kernels[i], at);
    step[n++] = i;
  }
  if (!n) return TINY_OK;
  if (t->runtime->ahead) return tn_build_all(t, at, builds, tn_beam_leave_out(t, at, builds, n), 1);
  if (!tn_beam_all(t, at, builds, n) || tn_build_all(t, at, builds, n, 0) != TINY_OK) return t->code;
  for (int i = 0; i < n; i++) {
    d->plan.step[step[i]].exe = builds[i].exe;
    tn_executable_keep_kernel(t, builds[i].exe, builds[i].ast);
  }
  return TINY_OK;
}

// *out: NULL where nothing is to run. *parts: can the first roots run by themselves?
static tiny_code tn_plan_make(tiny_ctx *t, const tn_visit *v, tiny_uop *const *roots, int n, tn_plan **out,
                              int *parts) {
  tn_draft d;
  const tn_kernel **kernels = NULL;
  const uint64_t from = tn_tracing(t) ? tn_os_now() : 0;
  if (tn_verify_nodes(t, v->all.u, v->all.n) != TINY_OK) return t->code;
  const tn_targets targets = tn_context_targets(t);
  if (tn_draft_plan(t, &targets, v, roots, n, &d, &kernels) != TINY_OK) return t->code;
  if (tn_tracing(t)) tn_trace_span_of(t, "plan", d.plan.number, from);
  for (int i = 0; i < t->ndevice; i++) {
    struct tn_programs *at = t->device[i]->programs;
    if (at->device == t->device[i] && tn_plan_build(t, &d, kernels, at) != TINY_OK) return t->code;
  }
  *parts = d.plan.nfirst != 0;
  if (t->runtime->ahead) return TINY_OK;
  if (tn_debug(t, 's')) tn_log_schedule(t, &d.plan, tn_run_labels(t, &d.plan, v));
  if ((uint64_t)d.plan.arena_nbytes > t->stats.nbytes_arena) {
    t->stats.nbytes_arena = (uint64_t)d.plan.arena_nbytes;
    t->stats.nbytes_arena_least = (uint64_t)d.plan.alive_nbytes;
  }
  *out = tn_plan_keep(t, &d, v);
  for (int i = 0; i < d.plan.nstep; i++) if ((*out)->step[i].exe) (*out)->step[i].exe->steps++;
  tn_plans_trim(t, *out);
  t->stats.schedules++;
  return TINY_OK;
}

// ** settling: handles and nodes after a run **

// The value of u's dims over a BUFFER node.
static tiny_uop *tn_realized_view(tiny_ctx *t, tiny_uop *u) {
  return tn_firsts_of(t, tn_reshape(t, u->realized, u->ndim, u->dim), u);
}

// Is x, which was computed, the newest state of its memory, whose handles move on to that?
static int tn_is_updated(const tiny_uop *x) {
  if (x->op == TINY_OP_BUFFER || !tn_is_memory(x) || !x->realized || (x->op == TINY_OP_CONTIGUOUS && x->k)) return 0;
  return x->realized->k >= ((const tn_storage *)x->realized->ptr)->since;
}
// The same movement of the new BUFFER where u is one of memory that was updated, else u. now: of long movements, what
// is known, as each of them may have a handle. A view of memory stays one when it was read.
enum { TN_SHORT_MOVEMENT = 8 };
static tiny_uop *tn_realized_moved(tiny_ctx *t, tn_map *now, tiny_uop *u) {
  tn_list path = {NULL, 0, 0};
  tiny_uop *x = u, *y;
  while (!(y = (tiny_uop *)tn_map_get(now, x)) && tn_is_movement(x)) { tn_push(t, &path, x); x = x->src[0]; }
  const int is_long = path.n > TN_SHORT_MOVEMENT;
  if (!y) y = tn_is_updated(x) ? tn_realized_view(t, x) : x;
  for (const int same = y == x; path.n;) {
    const tiny_uop *m = x = path.u[--path.n];
    if (same) y = x;
    else if (m->op != TINY_OP_DETACH) y = tn_move_as(t, m, y);
    if (is_long) tn_map_set(t, now, x, y);
  }
  return y;
}

// Handles whose memory was updated move to the new BUFFER; chains of updates would otherwise grow without end.
static void tn_realized_handles(tiny_ctx *t) {
  tn_map now = {NULL, 0, 0};
  for (tn_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
    tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
    const tn_shard_parts of = tn_parts_of(&x->uop);
    for (int i = 0; i < of.n; i++) part[i] = tn_realized_moved(t, &now, of.u[i]);
    tn_tensor_set(x, tn_parts_with(t, x->uop, part));
  }
  tn_pending_drop(t->tensors, 0, 0);
}

// BUFFER nodes for the outputs, made before anything runs: once memory is overwritten, nothing may fail.
static tiny_uop **tn_realized_nodes(tiny_ctx *t, const tn_run *r, const tn_visit *v) {
  const tn_plan *p = r->plan;
  tiny_uop **node = (tiny_uop **)tn_scratch(t, ((size_t)p->noutput + 1) * sizeof *node);
  for (int i = 0; i < p->noutput; i++) {
    const tiny_uop *u = v->all.u[p->output[i].node];
    const tn_place_row *place = &p->place[p->output[i].place];
    node[i] = place->kind == TN_PLACE_OUTPUT
                  ? tn_buffer_node(t, r->fresh[place->index], u->dtype, tn_nelem(u))
                  : tn_buffer_unnamed(t, tn_leaf_storage(v->leaves.u[place->index]), u->dtype, tn_nelem(u));
  }
  return node;
}

// What is computed from memory that others write is not found again: the same operators are asked for anew each time.
static void tn_realized_once(tiny_ctx *t, const tn_visit *v, const tn_plan *p) {
  int any = 0;
  for (int i = 0; i < v->leaves.n && !any; i++) any = tn_storage_changes(tn_leaf_storage(v->leaves.u[i]));
  if (!any) return;
  const uint32_t seen = ++t->ir->epoch;
  for (int i = 0; i < v->all.n; i++) {     // sources come before users
    tiny_uop *u = v->all.u[i];
    int reads = tn_is_leaf(u) && tn_storage_changes(tn_leaf_storage(u));
    for (uint32_t j = 0; j < u->nsrc && !reads && !tn_is_leaf(u); j++) reads = u->src[j]->mark == seen;
    if (reads) u->mark = seen;
  }
  for (int i = 0; i < p->noutput; i++) {
    tiny_uop *u = v->all.u[p->output[i].node];
    if (u->mark == seen) u->flags |= TN_NODE_ONCE;
  }
}

// output[i] has its value in node[i]. moved: nodes that handles have, each followed by what was computed for it.
static void tn_realized_outputs(tiny_ctx *t, int n, tiny_uop *const *output, tiny_uop *const *node,
                                const tn_list *moved) {
  int updates = 0;
  for (int i = 0; i < n; i++) {
    tiny_uop *u = output[i];
    u->realized = node[i];
    node[i]->flags |= (uint8_t)(u->flags & TN_NODE_ONCE);    // an assignment that has it as its base may be pending
    if (u->op == TINY_OP_ASSIGN) tn_buffer_next(node[i]);
    updates |= u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr);
  }
  for (int i = 0; moved && i < moved->n; i += 2)
    if (moved->u[i + 1]->realized) moved->u[i]->realized = moved->u[i + 1]->realized;
  if (updates) tn_realized_handles(t);
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

// Is u nothing but movements of memory that the caller writes? It shows what that holds whenever it is read.
static int tn_shows_callers(const tiny_uop *u) {
  while (!u->realized && (tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_DETACH)) u = u->src[0];
  return u->op == TINY_OP_BUFFER && tn_storage_is_callers((const tn_storage *)u->ptr);
}

// What is computed for u: of a tensor on several devices, its parts.
static void tn_push_wanted(tiny_ctx *t, tn_list *roots, tiny_uop *u) {
  const tn_shard_parts of = tn_parts_of(&u);
  for (int i = 0; i < of.n; i++) tn_push(t, roots, of.u[i]);
}

// Live tensors that were built from states which the schedule overwrites join it; what those need may be overwritten
// in turn. Tensors of frame `dying` need not join. The states that are overwritten go to bases.
static void tn_join_readers(tiny_ctx *t, tn_list *roots, int dying, tn_map *bases) {
  tn_map joined = {NULL, 0, 0};
  for (int i = 0; i < roots->n; i++) tn_map_set(t, &joined, roots->u[i], roots->u[i]);
  for (int before = -1; before != roots->n;) {
    tn_visit v;
    tn_map updates = {NULL, 0, 0};
    memset(&v, 0, sizeof v);
    before = roots->n;
    tn_visit_graph(t, &v, roots->u, roots->n);
    for (int i = 0; i < v.all.n; i++) if (v.all.u[i]->op == TINY_OP_ASSIGN && !v.all.u[i]->realized) {
      tn_map_set(t, bases, tn_state_of(v.all.u[i]->src[0]), v.all.u[i]);
      tn_map_set(t, &updates, v.all.u[i], v.all.u[i]);
    }
    if (!bases->n) return;
    const uint32_t seen = ++t->ir->epoch;
    for (tn_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
      if (x->frame >= dying || tn_is_leaf(x->uop) || tn_shows_callers(x->uop) || tn_map_has(&joined, x->uop)) continue;
      if (!tn_needs_old_state(t, x->uop, seen, bases, &updates)) continue;
      tn_map_set(t, &joined, x->uop, x->uop);
      tn_push_wanted(t, roots, x->uop);
    }
    for (int i = 0; i < t->tensors->npending; i++) {       // of tensors that were freed, too
      tiny_uop *u = t->tensors->pending[i];
      if (tn_is_leaf(u) || tn_map_has(&joined, u) || !tn_needs_old_state(t, u, seen, bases, &updates)) continue;
      tn_map_set(t, &joined, u, u);
      tn_push(t, roots, u);
    }
  }
}

// Are u's elements those of its source, in order?
static int tn_is_in_order(const tiny_uop *u) {
  return u->op == TINY_OP_RESHAPE || u->op == TINY_OP_DETACH || u->op == TINY_OP_PREFIX;
}
// The node whose elements in order are u's: a reshape is not stored for its own sake, unless what it shows is
// overwritten; nor what is meant of memory.
static int tn_is_memory_view(const tiny_uop *u) {
  while (!u->realized && tn_is_in_order(u)) u = u->src[0];
  return tn_is_leaf(u);
}
static tiny_uop *tn_root_of(tiny_uop *u, const tn_map *bases) {
  tiny_uop *x = u;
  while (!x->realized && tn_is_in_order(x) && (x->op != TINY_OP_PREFIX || tn_is_memory_view(x)) &&
         (x->src[0]->nsrc || tn_is_leaf(x->src[0])))
    x = x->src[0];
  return tn_map_has(bases, tn_state_of(x)) ? u : x;
}

// The nodes that are to be computed for the roots, and for those that must run with them.
static void tn_roots_wanted(tiny_ctx *t, tn_list *roots, int dying, tn_list *all) {
  tn_map seen = {NULL, 0, 0}, bases = {NULL, 0, 0};
  tn_join_readers(t, roots, dying, &bases);
  for (int i = 0; i < roots->n; i++) {
    tiny_uop *u = tn_root_of(roots->u[i], &bases);
    if (tn_is_leaf(u) || tn_map_has(&seen, u)) continue;
    tn_map_set(t, &seen, u, u);
    tn_push(t, all, u);
  }
}

// ** a run in two parts: what a frame reads before it ends, then what its assignments need besides **

// Waits with all that the second part needs. uop[0..nuop): its roots, then outputs, their BUFFERs, leaves, scalars.
typedef struct tn_paused { tn_run run; tiny_uop **uop; int nuop, nroot, noutput; size_t nbytes; } tn_paused;

static void tn_paused_roots(tiny_ctx *t, tn_list *roots) {
  const tn_paused *p = t->runtime->paused;
  for (int i = 0; p && i < p->nuop; i++) tn_push(t, roots, p->uop[i]);
}

// What has run is forgotten: the assignments are pending as they were.
static void tn_paused_drop(tiny_ctx *t) {
  tn_paused *p = t->runtime ? t->runtime->paused : NULL;
  if (!p) return;
  t->runtime->paused = NULL;
  p->run.plan->holders--;
  for (int i = 0; i < t->ndevice; i++) tn_storage_drop(t, p->run.arena[i]);
  tn_release(t, p, p->nbytes);
}

// The first part of r: the roots wanted[0..first-1] have their values then.
static tiny_code tn_run_first(tiny_ctx *t, tn_run *r, const tn_visit *v, const tn_list *wanted, tiny_uop *const *node) {
  const tn_plan *plan = r->plan;
  const tiny_code code = tn_run_launch(t, r, 0, plan->nfirst);
  if (code != TINY_OK) return code;
  tn_list output[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, made[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, uops = {NULL, 0, 0};
  for (int i = 0; i < plan->noutput; i++) {
    tiny_uop *u = v->all.u[plan->output[i].node];
    int later = 1;
    for (int j = 0; j < v->first; j++) later &= wanted->u[j] != u;
    tn_push(t, &output[later], u);
    tn_push(t, &made[later], node[i]);
  }
  for (int i = v->first; i < wanted->n; i++) tn_push(t, &uops, wanted->u[i]);
  for (int i = 0; i < output[1].n; i++) tn_push(t, &uops, output[1].u[i]);
  for (int i = 0; i < output[1].n; i++) tn_push(t, &uops, made[1].u[i]);
  for (int i = 0; i < v->leaves.n; i++) tn_push(t, &uops, v->leaves.u[i]);
  for (int i = 0; i < v->scalars.n; i++) tn_push(t, &uops, v->scalars.u[i]);
  const size_t nuop = (size_t)uops.n * sizeof *uops.u, nfresh = (size_t)plan->noutput * sizeof *r->fresh;
  const size_t nlabel = r->label ? (size_t)plan->nstep * sizeof *r->label : 0;
  tn_paused *p = (tn_paused *)tn_alloc(t, sizeof *p + nuop + nfresh + nlabel);
  p->nbytes = sizeof *p + nuop + nfresh + nlabel;
  p->nuop = uops.n; p->nroot = wanted->n - v->first; p->noutput = output[1].n;
  p->uop = (tiny_uop **)(p + 1);
  p->run = *r;
  p->run.fresh = (tn_storage **)(p->uop + uops.n);
  if (uops.n) memcpy(p->uop, uops.u, nuop);
  if (nfresh) memcpy(p->run.fresh, r->fresh, nfresh);
  if (nlabel) p->run.label = (const int *)memcpy(p->run.fresh + plan->noutput, r->label, nlabel);
  p->run.leaf = p->uop + p->nroot + 2 * p->noutput;
  p->run.scalar = p->run.leaf + v->leaves.n;
  for (int i = 0; i < t->ndevice; i++) tn_storage_hold(r->arena[i]);
  r->plan->holders++;
  t->runtime->paused = p;
  tn_realized_outputs(t, output[0].n, output[0].u, made[0].u, NULL);
  return TINY_OK;
}

// The second part, if the frame wants at its end what was expected; *done: it ran.
static tiny_code tn_run_second(tiny_ctx *t, const tn_list *wanted, int *done) {
  tn_paused *p = t->runtime->paused;
  tiny_code code = TINY_OK;
  *done = p && wanted->n == p->nroot && !memcmp(wanted->u, p->uop, (size_t)p->nroot * sizeof *p->uop);
  if (!*done) return TINY_OK;
  if (t->runtime->unfinished && (code = tn_unfinished_meet_plan(t, p->run.plan, p->run.leaf)) != TINY_OK) return code;
  code = tn_run_launch(t, &p->run, p->run.plan->nfirst, p->run.plan->nstep);
  memset(p->run.arena, 0, sizeof p->run.arena);
  if (code != TINY_OK) tn_paused_drop(t);  // a call that was cancelled may be made again
  if (code == TINY_OK) tn_realized_outputs(t, p->noutput, p->uop + p->nroot, p->uop + p->nroot + p->noutput, NULL);
  return code;
}

// A gradient may reach down to what lay behind its loss; is that still there? What is assigned to need not be.
static tiny_code tn_visit_check(tiny_ctx *t, const tn_visit *v, const tn_list *wanted) {
  char text[TN_DIMS_TEXT];
  int gone = 0;
  for (int i = 0; i < v->leaves.n && !gone; i++) gone = tn_buffer_is_gone(tn_place(v->leaves.u[i]));
  if (!gone) return TINY_OK;
  uint8_t *read = (uint8_t *)tn_scratch(t, (size_t)v->all.n);    // by seq
  for (int i = 0; i < wanted->n; i++) read[wanted->u[i]->seq] = 1;
  for (int i = v->all.n - 1; i >= 0; i--) {                      // users before sources
    const tiny_uop *u = v->all.u[i];
    for (uint32_t s = 0; s < u->nsrc && !tn_is_leaf(u); s++)
      read[u->src[s]->seq] |= u->op == TINY_OP_ASSIGN ? s == 2 : read[i];
  }
  for (int i = 0; i < v->leaves.n; i++) {
    const tiny_uop *u = v->leaves.u[i];
    if (read[u->seq] && tn_buffer_is_gone(tn_place(u)))
      return tiny_fail(t, TINY_E_STATE, "realize: a value needs what %s held before an assignment overwrote it; take "
                       "gradients before that runs", tn_text_of(u, text));
  }
  return TINY_OK;
}

// Computes the wanted nodes; first: how many of them now, the others when the frame ends, 0: all now.
static tiny_code tn_run_wanted(tiny_ctx *t, const tn_list *roots, int first) {
  tn_list all = *roots, moved = {NULL, 0, 0};
  const tn_list *const wanted = &all;
  tn_visit v;
  tn_plan *plan = NULL;
  if (!all.n) return TINY_OK;
  tn_place_roots(t, &all, &moved);
  if (moved.n && first) { all.n = first; first = 0; }        // what was moved is settled at once
  for (;; all.n = first, first = 0) {      // where nothing can wait, now is all there is
    memset(&v, 0, sizeof v);
    v.first = first;
    tn_visit_graph(t, &v, all.u, all.n);
    if (v.captured)
      return tiny_fail(t, TINY_E_STATE, "realize: a tensor needs an assignment that a captured program makes; take it "
                       "from the outputs of tiny_run");
    if (tn_visit_check(t, &v, &all) != TINY_OK) return t->code;
    plan = tn_plan_find(t, &v);
    int parts = plan && plan->nfirst;
    if (plan) t->stats.replays++;
    else if (tn_plan_make(t, &v, all.u, all.n, &plan, &parts) != TINY_OK) return t->code;
    if (!first || parts) break;
  }
  if (t->runtime->ahead) return TINY_OK;
  tn_tiers_poll(t);
  for (int i = 0; i < v.all.n && !first; i++) if (v.all.u[i]->op == TINY_OP_ASSIGN) tn_paused_drop(t);
  tn_run r;
  memset(&r, 0, sizeof r);
  r.plan = plan; r.leaf = v.leaves.u; r.scalar = v.scalars.u;
  r.fresh = (tn_storage **)tn_scratch(t, ((size_t)plan->noutput + 1) * sizeof *r.fresh);
  r.label = tn_observing(t) ? tn_run_labels(t, plan, &v) : NULL;
  tiny_code code = t->runtime->unfinished ? tn_unfinished_meet_plan(t, plan, r.leaf) : TINY_OK;
  if (code == TINY_OK) code = tn_run_bind(t, &r);
  if (code != TINY_OK) return code;
  tiny_uop **node = tn_realized_nodes(t, &r, &v);
  tn_realized_once(t, &v, plan);
  if (first) return tn_run_first(t, &r, &v, wanted, node);
  code = tn_run_launch(t, &r, 0, plan->nstep);
  tn_list output = {NULL, 0, 0};
  for (int i = 0; i < plan->noutput; i++) tn_push(t, &output, v.all.u[plan->output[i].node]);
  if (code == TINY_OK) tn_realized_outputs(t, output.n, output.u, node, &moved);
  return code;
}

// Do the roots need sums that pending assignments need as well, but none of the assignments?
static int tn_shares_sums(tiny_ctx *t, const tn_list *roots, const tn_list *pending) {
  tn_visit v, w;
  tn_map sums = {NULL, 0, 0};
  int shared = 0;
  memset(&v, 0, sizeof v);
  memset(&w, 0, sizeof w);
  tn_visit_graph(t, &v, roots->u, roots->n);
  for (int i = 0; i < v.all.n; i++) {
    tiny_uop *u = v.all.u[i];
    if (u->realized) continue;
    if (u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr)) return 0;
    if (u->op == TINY_OP_REDUCE) tn_map_set(t, &sums, u, u);
  }
  if (!sums.n) return 0;
  tn_visit_graph(t, &w, pending->u, pending->n);
  for (int i = 0; i < w.all.n && !shared; i++) shared = tn_map_has(&sums, w.all.u[i]);
  return shared;
}

static void tn_pending_roots(tiny_ctx *t, tn_list *roots) {
  for (int i = 0; i < t->tensors->npending; i++) tn_push(t, roots, t->tensors->pending[i]);
}

// Realizes the roots. In a frame whose assignments are pending, what these need as well is kept for them.
static tiny_code tn_realize_roots(tiny_ctx *t, tn_list *roots) {
  tn_list wanted = {NULL, 0, 0}, pending = {NULL, 0, 0}, all = {NULL, 0, 0};
  tn_pending_roots(t, &pending);
  if (!t->tensors->depth || !pending.n || t->runtime->paused || !tn_shares_sums(t, roots, &pending)) {
    tn_roots_wanted(t, roots, INT_MAX, &wanted);
    return tn_run_wanted(t, &wanted, 0);
  }
  tn_roots_wanted(t, roots, INT_MAX, &wanted);
  const int first = wanted.n;
  for (int i = 0; i < first; i++) tn_push(t, &all, wanted.u[i]);
  for (int i = 0; i < pending.n; i++) tn_push(t, &all, pending.u[i]);
  wanted.n = 0;
  tn_roots_wanted(t, &all, t->tensors->depth, &wanted);
  return tn_run_wanted(t, &wanted, first);
}

// Runs the assignments that are pending.
static tiny_code tn_realize_pending(tiny_ctx *t) {
  tn_list roots = {NULL, 0, 0}, wanted = {NULL, 0, 0};
  int done;
  tn_pending_roots(t, &roots);
  if (!roots.n) return TINY_OK;
  tn_roots_wanted(t, &roots, t->tensors->depth, &wanted);
  const tiny_code code = tn_run_second(t, &wanted, &done);
  return done ? code : tn_run_wanted(t, &wanted, 0);
}
#endif
