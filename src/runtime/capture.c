// capture: programs: kernels captured once, to be replayed with other inputs (replay.c).
//
// In:    inputs and outputs of a graph. Out: a tiny_program.
// Holds: a program computes what the graph would have: it is bound to the memory that its inputs and updates have, and
//        TINY_E_STATE says so where that is gone or cannot be told apart.
#ifndef TN_RUNTIME_CAPTURE
#define TN_RUNTIME_CAPTURE
#ifndef TINY_AMALGAMATED
#include "custom.c"
#endif

// ** what a captured program computes once **

// Does the step depend on scalars that change from run to run?
static int tn_step_changes(const tiny_program *p, const tn_step *s) {
  for (int i = 0; i < s->narg; i++) if (s->arg[i] >= 0 && p->scalar[s->arg[i]].kind != TN_SCALAR_FIXED) return 1;
  return 0;
}

// Marks the steps whose results are kept: those that read plain memory of the program's own, which the plan does not
// write, and results of such steps; each the only writer of an intermediate. Those that other steps read need memory.
static void tn_kept_find(tiny_ctx *t, tiny_program *p) {
  const tn_plan *plan = p->plan;
  tn_kept *k = &p->kept;
  int *writers = (int *)tn_scratch(t, ((size_t)plan->nplace + 1) * sizeof *writers);
  uint8_t *made = (uint8_t *)tn_scratch(t, (size_t)plan->nplace + 1);      // by a step that is kept
  for (int i = 0; i < plan->nplace; i++) k->at[i] = -1;
  for (int i = 0; i < plan->nstep; i++) if (tn_step_does(&plan->step[i])) writers[plan->step[i].mem[0]]++;
  for (int i = 0; i < plan->nstep; i++) {
    const tn_step *s = &plan->step[i];
    if (!tn_step_does(s)) continue;
    int keeps = !s->tiled && writers[s->mem[0]] == 1 && plan->place[s->mem[0]].kind == TN_PLACE_TEMP &&
        !tn_step_changes(p, s);
    for (int j = 1; j < s->nmem && keeps; j++) {
      const tn_place_row *from = &plan->place[s->mem[j]];
      keeps = made[s->mem[j]];
      if (from->kind != TN_PLACE_LEAF || writers[s->mem[j]] || p->leaf[from->index].input >= 0) continue;
      keeps = !tn_storage_is_callers(tn_leaf_storage(p->leaf[from->index].memory));
    }
    k->step[i] = made[s->mem[0]] = (uint8_t)keeps;
    for (int j = 1; j < s->nmem; j++) {
      const tn_place_row *from = &plan->place[s->mem[j]];
      if (keeps && from->kind == TN_PLACE_LEAF) k->leaf[from->index] = 1;
      if (keeps || !made[s->mem[j]] || k->at[s->mem[j]] >= 0) continue;
      k->at[s->mem[j]] = k->nbytes[from->device];
      k->nbytes[from->device] += (from->nbytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
    }
  }
}

// Memory for what the program keeps, if the caps leave any, and whether it must be computed in this run.
static tiny_code tn_kept_bind(tiny_ctx *t, tiny_program *p, tn_run *r) {
  tn_kept *k = &p->kept;
  uint64_t written = 0;
  int any = 0;
  for (int i = 0; i < t->ndevice; i++) if (k->nbytes[i]) {
    const struct tn_device *d = t->device[i];
    if (!k->storage[i] && d->max_nbytes && d->stats.nbytes_live + (size_t)k->nbytes[i] > d->max_nbytes / 2)
      return TINY_OK;
    any = 1;
  }
  if (!any) return TINY_OK;
  for (int i = 0; i < t->ndevice; i++) if (k->nbytes[i] && !k->storage[i]) {
    k->storage[i] = tn_storage_new(t->device[i], (size_t)k->nbytes[i]);
    k->done = 0;
    if (!k->storage[i]) {
      tn_storage_drop_loose(t);
      return t->code;
    }
    tn_storage_hold(k->storage[i]);
  }
  for (int i = 0; i < p->nleaf; i++) if (k->leaf[i]) written += tn_leaf_storage(p->leaf[i].memory)->written;
  k->done &= written == k->written;
  k->written = written;
  r->kept = k;
  return TINY_OK;
}

// ** capturing: what the program is bound to **

// hidden[0..n): computed nodes that depend on an input, on random numbers of the frame, or were asked for again.
// While the program is planned they count as not computed, so that it computes them from what it is given.
typedef struct tn_hidden { tiny_uop *u, *realized; } tn_hidden;
typedef struct tn_capture_call {
  tiny_tensor *const *in, *const *out;
  int n, m;
  tn_hidden *hidden; int nhidden, caphidden;
  tiny_uop **root;                         // what is planned for each output; NULL: it is an input as it is
  // to plan: outputs, then assignments; assignments that it makes, sources first
  tn_list roots, updates;
  int ahead;                               // nothing is made: what would be is planned, and compiled meanwhile
  tiny_program *p;
} tn_capture_call;

// The number of the input whose memory u is; -1: none.
static int tn_input_of(const tn_capture_call *c, const tiny_uop *u) {
  for (int i = 0; i < c->n; i++)
    if (tn_plain_buffer(tn_uop_of(c->in[i])) && tn_plain_buffer(tn_uop_of(c->in[i])) == tn_place(u)) return i;
  return -1;
}
static void tn_hide(tiny_ctx *t, tn_capture_call *c, tiny_uop *u) {
  if (c->nhidden == c->caphidden) {
    const int cap = c->caphidden ? 2 * c->caphidden : TN_FIRST_SLOTS;
    c->hidden = (tn_hidden *)tn_realloc(t, c->hidden, (size_t)c->caphidden * sizeof *c->hidden,
                                        (size_t)cap * sizeof *c->hidden);
    c->caphidden = cap;
  }
  c->hidden[c->nhidden].u = u;
  c->hidden[c->nhidden++].realized = u->realized;
}
static void tn_hidden_show(tn_capture_call *c) {
  for (int i = 0; i < c->nhidden; i++) c->hidden[i].u->realized = c->hidden[i].realized;
  c->nhidden = 0;
}
static void tn_hidden_close(tiny_ctx *t, tn_capture_call *c) {
  tn_hidden_show(c);
  tn_release(t, c->hidden, (size_t)c->caphidden * sizeof *c->hidden);
}
// Calls of random numbers since the frame was opened; *draw: those before. Outside of frames there are none.
static uint32_t tn_frame_draws(const tiny_ctx *t, uint32_t *draw) {
  const struct tn_tensors *all = t->tensors;
  const int depth = all->depth < TN_FRAMES ? all->depth : TN_FRAMES;
  *draw = depth ? all->begun[depth - 1] : all->random;
  return all->random - *draw;
}
// Is u the number of such a call?
static int tn_is_frame_draw(const tiny_ctx *t, const tiny_uop *u) {
  uint32_t draw;
  const uint32_t n = tn_frame_draws(t, &draw);
  return u->op == TINY_OP_SCALAR && (uintptr_t)u->ptr == TN_RANDOM_CALL && (uint32_t)u->k - draw - 1 < n;
}
// Was u, which is computed, asked for again in the frame, or outside of frames?
static int tn_is_recomputed(const tiny_ctx *t, const tiny_uop *u) {
  const uint32_t frame = tn_frame_number(t->tensors);
  return !tn_is_memory(u) && (frame ? u->asked >= frame && u->asked != TN_ASKED_OUTSIDE : u->asked == TN_ASKED_OUTSIDE);
}
// What u depends on, in seq: inputs and random numbers; contents that are gone, without which it cannot be computed.
enum { TN_OF_INPUT = 1, TN_OF_GONE = 2 };
static void tn_hide_dependent(tiny_ctx *t, tn_capture_call *c, tiny_uop *u) {
  const tiny_uop *place = tn_is_memory(u) ? tn_place(u) : u;
  if (place->op == TINY_OP_BUFFER && tn_buffer_is_gone(place)) u->seq |= TN_OF_GONE;
  if (!u->realized) return;
  if (u->seq & TN_OF_INPUT || (tn_is_recomputed(t, u) && !(u->seq & TN_OF_GONE))) tn_hide(t, c, u);
  else u->seq &= ~(uint32_t)TN_OF_GONE;    // its value is there
}
// Walks past computed values, but not past inputs and memory.
static void tn_hide_dependents(tiny_ctx *t, tn_capture_call *c) {
  const uint32_t seen = ++t->ir->epoch;
  tn_walk *stack = NULL, *top;
  int n = 0, cap = 0;
  for (int r = 0; r < c->roots.n; r++) {
    if (c->roots.u[r]->mark == seen) continue;
    top = TN_PUSH(t, stack, n, cap, tn_walk);
    top->u = c->roots.u[r]; top->next = 0;
    top->u->mark = seen; top->u->seq = 0;
    while (n) {
      top = &stack[n - 1];
      tiny_uop *u = top->u;
      const int input = tn_is_leaf(u) && tn_input_of(c, u) >= 0;
      if (input || tn_is_frame_draw(t, u)) u->seq = TN_OF_INPUT;
      if (input || (u->realized && tn_is_memory(u)) || top->next == u->nsrc) {
        if (!input) tn_hide_dependent(t, c, u);
        if (--n) stack[n - 1].u->seq |= u->seq;
        continue;
      }
      tiny_uop *s = u->src[top->next++];
      if (s->mark == seen) { u->seq |= s->seq; continue; }
      s->mark = seen; s->seq = 0;
      top = TN_PUSH(t, stack, n, cap, tn_walk);
      top->u = s; top->next = 0;
    }
  }
  for (int i = 0; i < c->nhidden; i++) c->hidden[i].u->realized = NULL;
}

// Is u, an assignment that is pending, what a tensor from outside of the frame stands for?
static int tn_outlives_frame(tiny_ctx *t, const tiny_uop *u) {
  tn_chain c;
  for (tn_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
    const tn_shard_parts of = tn_parts_of(&x->uop);
    for (int i = 0; i < of.n && x->frame < t->tensors->depth; i++)
      if (tn_chain_of(t, of.u[i], &c) && c.bottom == u) return 1;
  }
  return 0;
}
// Assignments that were pending when the frame was opened are no part of its step: they happen now.
static tiny_code tn_capture_earlier(tiny_ctx *t) {
  const struct tn_tensors *all = t->tensors;
  const int depth = all->depth < TN_FRAMES ? all->depth : TN_FRAMES;
  tn_list roots = {NULL, 0, 0}, wanted = {NULL, 0, 0};
  for (int i = 0; depth && i < all->earlier[depth - 1]; i++) tn_push(t, &roots, all->pending[i]);
  if (!roots.n) return TINY_OK;
  tn_paused_drop(t);
  tn_roots_wanted(t, &roots, INT_MAX, &wanted);
  return tn_run_wanted(t, &wanted, 0);
}
// What is to be planned: the outputs, and in a frame the assignments that are pending.
static tiny_code tn_capture_roots(tiny_ctx *t, tn_capture_call *c) {
  const struct tn_tensors *all = t->tensors;
  char text[TN_DIMS_TEXT];
  c->root = (tiny_uop **)tn_scratch(t, (size_t)c->m * sizeof *c->root);
  for (int i = 0; i < c->m; i++) {
    tiny_uop *u = tn_uop_of(c->out[i]);
    if (tn_plain_buffer(u) && tn_input_of(c, tn_plain_buffer(u)) >= 0) continue;
    tn_push(t, &c->roots, c->root[i] = u);
  }
  for (int i = 0; all->depth && i < all->npending; i++) {
    tiny_uop *u = all->pending[i];
    if (tn_place(u)->op == TINY_OP_BUFFER) { tn_push(t, &c->roots, u); continue; }
    if (tn_outlives_frame(t, u))
      return tiny_fail(t, TINY_E_STATE, "capture: a tensor %s is assigned that was not computed before the frame; "
                       "tiny_realize it first", tn_text_of(u, text));
  }
  return TINY_OK;
}

// Outputs are values: those that are memory, or assigned, are copied when they have been.
static void tn_capture_copies(tiny_ctx *t, tn_capture_call *c) {
  int n = 0;
  for (int i = 0; i < c->m; i++) if (c->root[i]) {
    tiny_uop *u = c->root[i];
    while (!tn_is_leaf(u) && tn_is_in_order(u)) u = u->src[0];
    if (tn_is_leaf(u) || u->op == TINY_OP_ASSIGN) c->root[i] = tn_u1(t, TINY_OP_CONTIGUOUS, c->root[i]);
    c->roots.u[n++] = c->root[i];
  }
}

// Each root as it is computed on its device.
static void tn_capture_place(tiny_ctx *t, tn_capture_call *c, tn_list *moved) {
  int n = 0;
  tn_place_roots(t, &c->roots, moved);
  for (int i = 0; i < c->m; i++) if (c->root[i]) c->root[i] = c->roots.u[n++];
}

// Every input must reach what the program computes, and what it reads must still be there.
static tiny_code tn_capture_check(tiny_ctx *t, const tn_capture_call *c, const tn_visit *v) {
  if (v->captured)
    return tiny_fail(t, TINY_E_STATE, "capture: an output needs an assignment that another captured program makes");
  for (int i = 0; i < v->leaves.n; i++) {
    if (tn_buffer_is_gone(tn_place(v->leaves.u[i])))
      return tiny_fail(t, TINY_E_STATE, "capture: an output was computed from contents of a tensor that were "
                       "overwritten since; build it anew");
  }
  for (int i = 0; i < v->all.n; i++) {
    const int input = v->all.u[i]->op == TINY_OP_ASSIGN && !v->all.u[i]->realized ? tn_input_of(c, v->all.u[i]) : -1;
    if (input >= 0)
      return tiny_fail(t, TINY_E_STATE, "capture: input %d lies in memory that the program assigns to; give it a "
                       "tiny_clone, or leave it to the program", input);
  }
  for (int i = 0; i < c->n; i++) {
    int reaches = 0;
    for (int j = 0; j < v->leaves.n && !reaches; j++) reaches = tn_input_of(c, v->leaves.u[j]) == i;
    for (int j = 0; j < v->scalars.n && !reaches; j++) reaches = v->scalars.u[j] == tn_uop_of(c->in[i]);
    for (int j = 0; j < c->m && !reaches; j++) {
      const tiny_uop *b = tn_plain_buffer(tn_uop_of(c->out[j]));
      reaches = b && tn_input_of(c, b) == i;
    }
    if (!reaches)
      return tiny_fail(t, TINY_E_STATE, "capture: input %d reaches no output: it is not used, was written or assigned "
                       "since, or is the memory of another input", i);
  }
  return TINY_OK;
}

// ** building the program **

static void tn_bind_inputs(tiny_program *p, const tn_capture_call *c) {
  for (int i = 0; i < c->n; i++) {
    p->input[i].shape = tiny_shape_of(c->in[i]);
    p->input[i].dtype = tn_uop_of(c->in[i])->dtype;
    p->input[i].scalar = tn_uop_of(c->in[i])->op == TINY_OP_SCALAR;
    const int bounded = p->input[i].scalar && tn_uop_of(c->in[i])->nv;
    p->input[i].least = bounded ? tn_uop_of(c->in[i])->v[0] : INT64_MIN;
    p->input[i].most = bounded ? tn_uop_of(c->in[i])->v[1] : INT64_MAX;
  }
}
// What the steps of the program write is told to those who read it.
static void tn_bind_updates(tiny_program *p) {
  for (int i = 0; p->plan && i < p->plan->nstep; i++) {
    if (!p->plan->step[i].exe) continue;
    const tn_place_row *to = &p->plan->place[p->plan->step[i].mem[0]];
    if (to->kind == TN_PLACE_LEAF) p->updates = p->leaf[to->index].updated = 1;
  }
  for (int i = 0; i < p->nleaf; i++) if (p->leaf[i].updated) tn_leaf_storage(p->leaf[i].memory)->updated++;
}
static void tn_bind_leaves(tiny_program *p, const tn_capture_call *c, const tn_visit *v, tiny_uop *const *memory) {
  for (int i = 0; i < p->nleaf; i++) {
    p->leaf[i].input = tn_input_of(c, v->leaves.u[i]);
    p->leaf[i].memory = memory[i];
    if (memory[i]) p->leaf[i].left = tn_leaf_storage(memory[i])->left;
  }
  tn_bind_updates(p);
}
// Random numbers that were drawn in the frame go on from run to run.
static void tn_bind_scalars(tiny_ctx *t, tiny_program *p, const tn_capture_call *c, const tn_visit *v) {
  const uint32_t drawn = tn_frame_draws(t, &p->draw);
  p->seed = t->seed;
  for (int i = 0; i < p->nscalar; i++) {
    tn_bound_scalar *s = &p->scalar[i];
    s->u = v->scalars.u[i];
    s->kind = TN_SCALAR_FIXED;
    for (int j = 0; j < c->n; j++) if (tn_uop_of(c->in[j]) == s->u) { s->kind = TN_SCALAR_INPUT; s->input = j; }
    if ((uintptr_t)s->u->ptr != TN_RANDOM_CALL) continue;
    if (!tn_is_frame_draw(t, s->u)) { p->draws_fixed = 1; continue; }
    s->kind = TN_SCALAR_CALL;
    p->ndraw = drawn;
  }
  for (int i = 0; i < p->nscalar && p->ndraw; i++) {
    const uintptr_t id = (uintptr_t)p->scalar[i].u->ptr;
    if (id == TN_SEED_LOW || id == TN_SEED_HIGH) p->scalar[i].kind = TN_SCALAR_SEED;
  }
}
// The extents of each output, as a GROUP of its dims: lengths, and what is no node of dtype INDEX where there is none.
static tiny_uop **tn_outputs_meant(tiny_ctx *t, const tn_capture_call *c) {
  tiny_uop **meant = (tiny_uop **)tn_scratch(t, (size_t)c->m * sizeof *meant);
  for (int i = 0; i < c->m; i++) {
    const tiny_uop *u = tn_uop_of(c->out[i]);
    tiny_uop *extent[TINY_MAX_DIMS];
    for (int d = 0; u->extent && d < u->ndim; d++)
      extent[d] = u->extent[d] ? u->extent[d] : tn_int(t, TINY_I64, u->dim[d]);
    if (u->extent) meant[i] = tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, u->ndim, extent, 0, 0, NULL);
  }
  return meant;
}
static void tn_bind_outputs(tiny_program *p, const tn_capture_call *c, const tn_visit *v, tiny_uop *const *meant) {
  for (int i = 0; i < c->m; i++) {
    const tiny_uop *u = tn_uop_of(c->out[i]);
    tn_bound_output *o = &p->output[i];
    o->row = o->input = -1;
    o->dtype = u->dtype;
    o->shape = tiny_shape_of(c->out[i]);
    o->meant = meant[i];
    if (!c->root[i]) o->input = tn_input_of(c, tn_plain_buffer(u));
    for (int j = 0; c->root[i] && j < p->plan->noutput; j++)
      if (v->all.u[p->plan->output[j].node] == c->root[i]) o->row = j;
  }
}

static tiny_program *tn_program_new(tiny_ctx *t, const tn_capture_call *c, const tn_visit *v, tn_plan *plan) {
  const int nplace = plan ? plan->nplace : 0, nstep = plan ? plan->nstep : 0;
  const size_t part[] = {(size_t)c->n * sizeof(tn_bound_input),             (size_t)c->m * sizeof(tn_bound_output),
                         (size_t)v->leaves.n * sizeof(tn_bound_leaf),       (size_t)nplace * sizeof(int64_t),
                         (size_t)v->scalars.n * sizeof(tn_bound_scalar),    (size_t)c->m * sizeof(tiny_tensor *),
                         (size_t)nstep * sizeof(uint64_t)};
  size_t nbytes = sizeof(tiny_program) + (size_t)nstep * (1 + sizeof(int)) + (size_t)v->leaves.n;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) nbytes += part[i];
  tiny_program *p = (tiny_program *)tn_alloc(t, nbytes);
  char *at = (char *)(p + 1);
  p->t = t; p->nbytes = nbytes; p->plan = plan;
  p->ninput = c->n; p->noutput = c->m; p->nleaf = v->leaves.n; p->nscalar = v->scalars.n;
  p->input = (tn_bound_input *)(void *)at; at += part[0];
  p->output = (tn_bound_output *)(void *)at; at += part[1];
  p->leaf = (tn_bound_leaf *)(void *)at; at += part[2];
  p->kept.at = (int64_t *)(void *)at; at += part[3];
  p->scalar = (tn_bound_scalar *)(void *)at; at += part[4];
  p->made = (tiny_tensor **)(void *)at; at += part[5];
  p->expected = (uint64_t *)(void *)at; at += part[6];
  p->label = (int *)(void *)at; at += (size_t)nstep * sizeof(int);
  p->kept.step = (uint8_t *)at; at += nstep;
  p->kept.leaf = (uint8_t *)at;
  return p;
}

static void tn_program_link(tiny_ctx *t, tiny_program *p) {
  p->next = t->runtime->programs;
  if (p->next) p->next->prev = p;
  t->runtime->programs = p;
}

// ** what was captured has not happened: tensors that were assigned are as they were, until the program runs **

typedef struct tn_rollback { tn_tensor **x; tiny_uop **to, **once; int n, nonce; } tn_rollback;

// The assignments of the graph that have memory to happen in; in a frame, and those alone that outputs need outside.
static int tn_is_update(const tn_capture_call *c, const tiny_uop *u) {
  for (int i = 0; i < c->updates.n; i++) if (c->updates.u[i] == u) return 1;
  return 0;
}
static void tn_capture_updates(tiny_ctx *t, tn_capture_call *c, const tn_visit *v, const tn_list *moved) {
  for (int i = 0; i < v->all.n; i++) {
    tiny_uop *u = v->all.u[i];
    if (u->op == TINY_OP_ASSIGN && !u->realized && tn_place(u)->op == TINY_OP_BUFFER) tn_push(t, &c->updates, u);
  }
  for (int i = 0; i < moved->n; i += 2)    // handles have the node that another stands for
    if (tn_is_update(c, moved->u[i + 1])) tn_push(t, &c->updates, moved->u[i]);
}
// Nodes that were computed from what the program will overwrite are not to be found again.
static void tn_rollback_once(tiny_ctx *t, const tn_capture_call *c, tn_rollback *back) {
  const tn_nodes *nodes = &t->ir->nodes;
  tn_map bases = {NULL, 0, 0}, none = {NULL, 0, 0};
  tn_list once = {NULL, 0, 0};
  for (int i = 0; i < c->updates.n; i++) tn_map_set(t, &bases, tn_place(c->updates.u[i]), c->updates.u[i]);
  const uint32_t seen = ++t->ir->epoch;
  for (uint32_t i = 0; i < nodes->cap; i++) {
    tiny_uop *u = tn_nodes_has(nodes, i) ? nodes->table[i].u : NULL;
    if (!u || !u->realized || u->op == TINY_OP_BUFFER) continue;
    int reads = 0;
    for (uint32_t j = 0; j < u->nsrc && !reads; j++) reads = tn_needs_old_state(t, u->src[j], seen, &bases, &none);
    if (reads) tn_push(t, &once, u);
  }
  back->once = once.u; back->nonce = once.n;
}
static void tn_rollback_make(tiny_ctx *t, const tn_capture_call *c, tn_rollback *back) {
  tn_list x = {NULL, 0, 0}, to = {NULL, 0, 0};
  memset(back, 0, sizeof *back);
  if (!c->updates.n) return;
  for (tn_tensor *h = tn_tensor_next(t, NULL); h; h = tn_tensor_next(t, h)) {
    tn_chain chain;
    tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
    const tn_shard_parts of = tn_parts_of(&h->uop);
    int updated = 0;
    for (int i = 0; i < of.n; i++) {
      part[i] = of.u[i];
      if (!tn_chain_of(t, of.u[i], &chain) || !tn_is_update(c, chain.bottom)) continue;
      part[i] = tn_chain_apply(t, &chain, tn_place(chain.bottom));
      updated = 1;
    }
    if (!updated) continue;
    tn_push(t, &x, (tiny_uop *)(void *)h);
    tn_push(t, &to, tn_parts_with(t, h->uop, part));
  }
  back->x = (tn_tensor **)(void *)x.u; back->to = to.u; back->n = x.n;
  tn_rollback_once(t, c, back);
}
static void tn_rollback_do(tiny_ctx *t, const tn_capture_call *c, const tn_rollback *back) {
  for (int i = 0; i < back->n; i++) tn_tensor_set(back->x[i], back->to[i]);
  for (int i = 0; i < back->nonce; i++) back->once[i]->flags |= TN_NODE_ONCE;
  for (int i = 0; i < c->updates.n; i++) c->updates.u[i]->flags |= TN_NODE_CAPTURED;
  tn_pending_drop(t->tensors, TN_NODE_CAPTURED, 0);
}

static tiny_code tn_capture_guarded(tiny_ctx *t, void *arg) {
  tn_capture_call *c = (tn_capture_call *)arg;
  tn_visit v;
  tn_plan *plan = NULL;
  tn_rollback back;
  tn_list moved = {NULL, 0, 0};
  memset(&v, 0, sizeof v);
  tiny_code code = tn_capture_earlier(t);
  t->runtime->ahead = c->ahead;
  if (code == TINY_OK) code = tn_capture_roots(t, c);
  if (code != TINY_OK) return code;
  tn_hide_dependents(t, c);
  tn_capture_copies(t, c);
  tn_capture_place(t, c, &moved);
  tn_visit_graph(t, &v, c->roots.u, c->roots.n);
  if ((code = tn_capture_check(t, c, &v)) != TINY_OK) return code;
  if (c->roots.n) plan = tn_plan_find(t, &v);
  int parts;
  if (c->roots.n && !plan && tn_plan_make(t, &v, c->roots.u, c->roots.n, &plan, &parts) != TINY_OK) return t->code;
  if (t->runtime->ahead) return TINY_OK;
  tiny_uop **memory = (tiny_uop **)tn_scratch(t, ((size_t)v.leaves.n + 1) * sizeof *memory);
  for (int i = 0; i < v.leaves.n; i++) if (tn_input_of(c, v.leaves.u[i]) < 0) {
    const tiny_uop *b = tn_place(v.leaves.u[i]);
    memory[i] = tn_buffer_bound(t, (tn_storage *)b->ptr, b->dtype, b->dim[0]);
  }
  tn_capture_updates(t, c, &v, &moved);
  tn_hidden_show(c);
  tn_rollback_make(t, c, &back);
  tiny_uop **meant = tn_outputs_meant(t, c);
  const int *label = plan ? tn_run_labels(t, plan, &v) : NULL;
  tiny_program *p = tn_program_new(t, c, &v, plan);      // nothing fails from here on but tn_kept_find
  tn_bind_inputs(p, c);
  tn_bind_leaves(p, c, &v, memory);
  tn_bind_scalars(t, p, c, &v);
  tn_bind_outputs(p, c, &v, meant);
  if (label) memcpy(p->label, label, (size_t)plan->nstep * sizeof *label);
  if (plan) plan->holders++;
  tn_program_link(t, p);
  c->p = p;
  if (plan) tn_kept_find(t, p);
  tn_rollback_do(t, c, &back);
  if (p->ndraw) t->tensors->random = p->draw;
  return TINY_OK;
}

static tiny_program *tn_capture_parts(tiny_ctx *t, tiny_tensor *const *inputs, int n, tiny_tensor *const *outputs,
                                      int m, int ahead) {
  for (int i = 0; i < n; i++)
    if (!tn_plain_buffer(tn_uop_of(inputs[i])) && tn_uop_of(inputs[i])->op != TINY_OP_SCALAR) {
      tiny_fail(t, TINY_E_STATE, "capture: input %d is not realized%s", i,
                tn_shows_callers(tn_uop_of(inputs[i])) ? ", but a view of memory; give its tiny_contiguous" : "");
      return NULL;
    }
  tn_capture_call c;
  memset(&c, 0, sizeof c);
  c.in = inputs; c.n = n; c.out = outputs; c.m = m; c.ahead = ahead;
  const tiny_code code = tn_guard(t, tn_capture_guarded, &c);
  t->runtime->ahead = 0;
  tn_hidden_close(t, &c);
  if (code == TINY_OK) return c.p;
  tiny_program_free(c.p);
  return NULL;
}

// Handles of the parts of x[0..n-1], one after the other, to be freed; at: how many there are already.
static int tn_parts_take(tiny_tensor *const *x, int n, tiny_tensor **part, int at) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < tiny_shard_count(x[i]); k++) {
      tiny_uop *u = tn_uop_of(x[i]);
      part[at++] = tn_tensor_new(tn_ctx_of(x[i]), tn_is_shard(u) ? u->src[k] : u);
    }
  return at;
}
static int tn_parts_count(tiny_tensor *const *x, int n) {
  int parts = 0;
  for (int i = 0; i < n; i++) parts += tiny_shard_count(x[i]);
  return parts;
}
static void tn_parts_free(tiny_ctx *t, tiny_tensor **part, int n) {
  for (int i = 0; i < n; i++) tiny_free(part[i]);
  tn_release(t, part, (size_t)n * sizeof *part);
}
// Captures inputs and outputs of which some are split: their parts.
static tiny_program *tn_capture_split(tiny_ctx *t, tiny_tensor *const *in, int n, tiny_tensor *const *out, int m,
                                      int ahead) {
  const int nin = tn_parts_count(in, n), all = nin + tn_parts_count(out, m);
  tiny_tensor **part = (tiny_tensor **)tn_alloc(t, (size_t)all * sizeof *part);
  tn_bound_group *group = part ? (tn_bound_group *)tn_alloc(t, (size_t)(n + m) * sizeof *group) : NULL;
  tiny_program *p = NULL;
  if (group) {
    for (int i = 0; i < n + m; i++) {
      const tiny_tensor *x = i < n ? in[i] : out[i - n];
      group[i].parts = tiny_shard_count(x);
      group[i].axis = tiny_shard_axis(x);
    }
    tn_parts_take(out, m, part, tn_parts_take(in, n, part, 0));
    p = tn_capture_parts(t, part, nin, part + nin, all - nin, ahead);
  }
  if (part) tn_parts_free(t, part, all);
  if (p) { p->group = group; p->ngive = n; p->ntake = m; }
  else tn_release(t, group, (size_t)(n + m) * sizeof *group);
  return p;
}

// ahead: what it would compile is compiled meanwhile, and there is no program.
static tiny_program *tn_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n, tiny_tensor *const *outputs, int m,
                                int ahead) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return NULL;
  if (n < 0 || m < 0 || (n && !inputs) || (m && !outputs)) {
    tiny_fail(t, TINY_E_ARG, "capture: %d inputs, %d outputs", n, m);
    return NULL;
  }
  if (!m && !t->tensors->npending) {
    tiny_fail(t, TINY_E_ARG, "capture: there are neither outputs nor pending assignments");
    return NULL;
  }
  if ((n && !tn_usable_in(t, "capture", n, inputs, &wrong)) || (m && !tn_usable_in(t, "capture", m, outputs, &wrong)))
    return NULL;
  const int split = tn_parts_count(inputs, n) != n || tn_parts_count(outputs, m) != m;
  return split ? tn_capture_split(t, inputs, n, outputs, m, ahead) : tn_capture_parts(t, inputs, n, outputs, m, ahead);
}
TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n,
                                    tiny_tensor *const *outputs, int m) {
  return tn_capture(t, inputs, n, outputs, m, 0);
}
TINY_API tiny_code tiny_warm_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n,
                                     tiny_tensor *const *outputs, int m) {
  if (!t) return TINY_E_ARG;
  if (t->code != TINY_OK) return t->code;
  tn_capture(t, inputs, n, outputs, m, 1);
  return t->code;
}
#endif
