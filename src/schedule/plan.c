// plan: a tensor graph -> the steps that compute it, and the cache that knows a graph again.
//
// In:  nodes to realize, the limits of the device that is to do it. Out: kernels in an order that respects reads,
//      writes and in-place updates; a place in memory for each; for the intermediate ones an offset in one arena,
//      shared when lives do not overlap.
// A graph is written down as words in walk order, with BUFFERs and SCALARs as numbered blanks. Two graphs with the
// same words differ only in what fills the blanks, so a step that is rebuilt every time replays the first one's plan.
#ifndef TN_SCHEDULE_PLAN
#define TN_SCHEDULE_PLAN
#ifndef TINY_AMALGAMATED
#include "masked.c"
#include "place.c"
#include "atomics.c"
#include "../base/trace.c"
#include "../ir/graph_text.c"
#endif

typedef struct tn_custom {                 // what the ptr of a CUSTOM node points to: an imported kernel
  struct tn_custom *next;
  tn_digest key;                           // of all that follows
  char *source, *name; size_t source_nbytes, name_nbytes;
  int compiled;                            // source is a binary
  tiny_uop *uops;
  int64_t global[3], local[3];
  int named;                               // by a node that lives
} tn_custom;

typedef struct tn_step {
  struct tn_executable *exe;               // NULL: nothing to run (no elements)
  int *mem, nmem, *arg, narg;              // PARAM slot -> place; ARG slot -> number of the scalar, -1 - tiled axis
  int tiled;                               // steps in a row that have the same work tile by tile; 0: none
  int device, copies;                      // copies: mem[1] of another device to mem[0]
  int event, after;                        // numbers from 1: of what this step makes that is copied; that it copies
  int dtype, ndim; int64_t *dim;           // of what it stores
  int named[2];                            // nodes it may be named for: 1 + positions in the walk; 0: none
} tn_step;

// Is there anything to do? Not where there are no elements.
static int tn_step_does(const tn_step *s) { return s->exe || s->copies; }

typedef struct tn_output { int node, place; } tn_output;   // node: position in the walk; its value is at place

typedef struct tn_plan {
  struct tn_plan *next;                    // same bucket
  int number, traced;                      // from 1, of those that were made; it is in the trace
  uint64_t hash; int64_t *words; int nwords;
  tn_step *step; int nstep;
  tn_place_row *place; int nplace;
  tn_output *output; int noutput;
  tn_tiled_axes *tiled; int ntiled;        // tiled[n - 1] is number n
  int nfirst;                              // steps that the first roots need; 0: they cannot run by themselves
  int64_t arena[TINY_MAX_DEVICES];         // bytes of TEMPs, packed, by device
  int64_t arena_nbytes, alive_nbytes;      // of all devices; most at one step, less than which no packing needs
  int nevent;                              // results that are copied to other devices
  size_t nbytes;                           // of this allocation
  uint64_t used; int holders;              // when last, in plans found or made; captured programs that need it
} tn_plan;

enum { TN_PLAN_BUCKETS = 256 };
struct tn_schedules { tn_plan *bucket[TN_PLAN_BUCKETS]; int n, made; uint64_t time; };   // made: so many were, ever

// A walk over a graph: what the plan's blanks are filled with this time.
typedef struct tn_visit {
  tn_list all, leaves, scalars;
  tn_map places;                           // memory of a leaf -> 1 + number of the first leaf that has it
  int64_t *words; int nwords, cap;
  uint64_t hash;
  int first;                               // roots that are wanted before the others
  int captured;                            // is there an assignment that a captured program makes?
} tn_visit;


static void tn_visit_word(tiny_ctx *t, tn_visit *v, int64_t w) {
  *TN_PUSH(t, v->words, v->nwords, v->cap, int64_t) = w;
}

static void tn_visit_describe(tiny_ctx *t, tn_visit *v, tiny_uop *u) {
  u->seq = (uint32_t)v->all.n;
  tn_push(t, &v->all, u);
  v->captured |= u->flags & TN_NODE_CAPTURED;
  if (tn_is_leaf(u)) {
    tn_visit_word(t, v, (int64_t)TINY_OP_BUFFER | (int64_t)u->dtype << 8 | (int64_t)u->ndim << 16 |
                            (int64_t)tn_place(u)->device << 24 | (int64_t)(u->extent != NULL) << 32);
    for (int i = 0; i < u->ndim; i++) tn_visit_word(t, v, u->dim[i]);
    tn_push(t, &v->leaves, u);
    if (!tn_map_has(&v->places, tn_place(u)))
      tn_map_set(t, &v->places, tn_place(u), (void *)(intptr_t)v->leaves.n);
    tn_visit_word(t, v, (int64_t)(intptr_t)tn_map_get(&v->places, tn_place(u)));
    for (int i = 0; u->extent && i < u->ndim; i++)
      tn_visit_word(t, v, u->extent[i] ? (int64_t)u->extent[i]->seq : -1);
    return;
  }
  tn_visit_word(t, v,
                (int64_t)u->op | (int64_t)u->dtype << 8 | (int64_t)u->nv << 16 | (int64_t)u->nsrc << 32);
  if (u->op == TINY_OP_SCALAR) tn_push(t, &v->scalars, u);   // of any value within its bounds
  else tn_visit_word(t, v, u->k);
  if (u->op == TINY_OP_CUSTOM) for (int i = 0; i < 8; i++)
    tn_visit_word(t, v, (int64_t)((const tn_custom *)u->ptr)->key.word[i]);
  for (int i = 0; i < u->nv; i++) tn_visit_word(t, v, u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++) tn_visit_word(t, v, u->src[i]->seq);
}

// What a walk goes on to from u: its sources, from a leaf the lengths of its dims. NULL: nothing, more may follow.
static uint32_t tn_visit_nsrc(const tiny_uop *u) { return !tn_is_leaf(u) ? u->nsrc : u->extent ? u->ndim : 0; }
static tiny_uop *tn_visit_src(const tiny_uop *u, uint32_t i) { return tn_is_leaf(u) ? u->extent[i] : u->src[i]; }

// Sources before users from each root in turn; stops at leaves.
static void tn_visit_graph(tiny_ctx *t, tn_visit *v, tiny_uop *const *roots, int nroots) {
  const uint32_t seen = ++t->ir->epoch;
  tn_walk *stack = NULL, *top;
  int n = 0, cap = 0;
  for (int r = 0; r < nroots; r++) {
    if (roots[r]->mark != seen) {
      roots[r]->mark = seen;
      top = TN_PUSH(t, stack, n, cap, tn_walk);
      top->u = roots[r]; top->next = 0;
    }
    while (n) {
      top = &stack[n - 1];
      if (top->next == tn_visit_nsrc(top->u)) { tn_visit_describe(t, v, top->u); n--; continue; }
      tiny_uop *s = tn_visit_src(top->u, top->next++);
      if (!s || s->mark == seen) continue;
      s->mark = seen;
      top = TN_PUSH(t, stack, n, cap, tn_walk);
      top->u = s; top->next = 0;
    }
    tn_visit_word(t, v, ~(int64_t)roots[r]->seq);
  }
  if (v->first) tn_visit_word(t, v, v->first);
  if (t->here) tn_visit_word(t, v, -t->here);
  if (t->labels) tn_visit_word(t, v, INT64_MIN);             // its plan knows what steps are named for
  v->hash = tn_hash_bytes(0, v->words, (size_t)v->nwords * sizeof *v->words);
}

// A graph that is planned, as it is at a stage, into the trace. step: of each node, 1 + the step that computes it, 0:
// none; NULL: nobody knows yet.
static void tn_trace_graph(tiny_ctx *t, const char *stage, const tn_list *nodes, const int *step) {
  if (!tn_tracing(t)) return;
  const tn_mark mark = tn_scratch_mark(t);
  tn_graph_order g = {*nodes, {NULL, 0, 0}, {t, NULL, 0, 0}};
  tiny_bytes row = {t, NULL, 0, 0};
  for (int i = 0; i < nodes->n; i++) tn_map_set(t, &g.place, nodes->u[i], (void *)(intptr_t)(i + 1));
  for (int i = 0; i < nodes->n; i++) {     // before the event: memory may be refused
    if (i) tn_text_put(&row, ",");
    tn_graph_json_node(&g, i, &row);
    if (!step || !step[i]) continue;
    row.n--;                               // the brace
    tn_text_add(&row, ",\"kernel\":%d}", step[i] - 1);
  }
  tn_event_now(t, "i", "graph", "graph");
  tn_event_add(t, "\"schedule\":%d,\"stage\":\"%s\",\"nodes\":[", t->schedules->made, stage);
  tn_event_put(t, row.data, row.n);
  tn_event_put(t, "]", 1);
  tn_event_end(t);
  tn_scratch_rewind(t, mark);
}

// ** the graph that is cut into kernels **

// A copy of x. What repeats, orders or adds zeros is done behind it: less is copied, and memory as it lies. To the same
// device: memory of its own.
static tiny_uop *tn_copy_rewritten(tiny_ctx *t, const tiny_uop *copy) {
  tiny_uop *x = copy->src[0];
  const tiny_uop *links[TINY_MAX_DIMS];
  int n = 0;
  for (; n < TINY_MAX_DIMS && !x->realized && tn_op_is(x->op, TINY_MOVEMENT); x = x->src[0]) {
    if (x->op == TINY_OP_SHRINK || x->op == TINY_OP_VIEW || x->nsrc > 1) break;
    links[n++] = x;
  }
  const int op = x->device == copy->device ? TINY_OP_CONTIGUOUS : TINY_OP_COPY;
  x = tn_uop_make(t, op, x->dtype, 1, 1, &x, op == TINY_OP_COPY ? copy->k : 0, copy->nv, copy->v);
  while (n-- && !tn_bad(t, x)) x = tn_move(t, links[n]->op, x, links[n]->k, links[n]->nv, links[n]->v);
  return x;
}

// The visited nodes as they will be computed; now[i] stands for v->all.u[i]. The states in `copied` are copied before
// anything overwrites them: all but their updates read the copies.
static tiny_uop **tn_visit_rewritten(tiny_ctx *t, const tn_targets *targets, const tn_visit *v, const tn_map *copied) {
  tiny_uop **now = (tiny_uop **)tn_scratch(t, ((size_t)v->all.n + 1) * sizeof *now);
  tn_map map = {NULL, 0, 0};
  for (int i = 0; i < v->all.n; i++) {
    tiny_uop *u = v->all.u[i], *w = u;
    if (!tn_is_leaf(u) && u->nsrc) {
      tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
      int changed = 0;
      for (uint32_t j = 0; j < u->nsrc; j++) {
        src[j] = (tiny_uop *)tn_map_get(&map, u->src[j]);
        if (tn_map_has(copied, u->src[j]) && !(u->op == TINY_OP_ASSIGN && j < 2))
          src[j] = tn_u1(t, TINY_OP_CONTIGUOUS, src[j]);
        changed |= src[j] != u->src[j];
      }
      if (changed) w = tn_uop_with(t, u, src);
      if (w->op == TINY_OP_DETACH && w->nsrc > 1) w = w->src[0];          // only gradients want the others
      if (w->op == TINY_OP_COPY && w->src[0]->device) w = tn_copy_rewritten(t, w);
      if (w->op == TINY_OP_REDUCE) w = tn_sum_rewritten(t, tn_limits_of(targets, w), w);
    }
    tn_map_set(t, &map, u, w);
    now[i] = w;
  }
  return now;
}

// A wanted tensor that is what a CONTIGUOUS or a copy stores in another shape has its memory, where nobody else wants
// that.
static void tn_share_reshaped(tiny_ctx *t, const tn_visit *v, tiny_uop **now, const tn_map *roots) {
  tn_map taken = {NULL, 0, 0};
  for (int i = 0; i < v->all.n; i++) if (tn_map_has(roots, v->all.u[i])) tn_map_set(t, &taken, now[i], now[i]);
  for (int i = 0; i < v->all.n; i++) {
    tiny_uop *w = now[i];
    if (!tn_map_has(roots, v->all.u[i])) continue;
    while (w->op == TINY_OP_RESHAPE && !tn_is_leaf(w)) w = w->src[0];
    if ((w->op != TINY_OP_CONTIGUOUS && !tn_is_copy(w)) || tn_is_leaf(w) || tn_map_has(&taken, w)) continue;
    tn_map_set(t, &taken, w, w);
    now[i] = w;
  }
}

// ** kernels **

// An in-place update whose value reads the old contents elsewhere than where it writes: that value is stored first.
static int tn_update_clashes(tiny_ctx *t, const tn_kernel *k) {
  tn_list all = {NULL, 0, 0};
  int clashes = 0;
  if (k->node->op != TINY_OP_ASSIGN || !k->ast) return 0;
  const tn_mark mark = tn_scratch_mark(t);
  const tiny_uop *end = k->ast->src[0], *store = end->op == TINY_OP_END ? end->src[0] : end,
                 *to = store->src[0];
  tn_toposort(t, k->ast, &all);
  for (int i = 0; i < all.n && !clashes; i++)
    clashes = all.u[i]->op == TINY_OP_INDEX && all.u[i]->src[0] == to->src[0] && all.u[i]->src[1] != to->src[1];
  tn_scratch_rewind(t, mark);
  return clashes;
}

static void tn_graph_open(tn_graph *g, tiny_ctx *t, const tn_targets *targets, const tn_visit *v,
                          tiny_uop *const *roots, int nroots, const tn_list *forced) {
  memset(g, 0, sizeof *g);
  g->t = t; g->targets = targets;
  g->n = v->all.n;
  g->node = (tn_node *)tn_scratch(t, (size_t)(g->n + 1) * sizeof *g->node);
  for (int i = 0; i < v->scalars.n; i++) g->positions |= v->scalars.u[i]->nv;
  for (int i = 0; i < g->n; i++) {
    g->node[i].u = v->all.u[i];
    g->node[i].leaf = (uint8_t)tn_is_leaf(v->all.u[i]);
    g->node[i].place = g->node[i].leaf || v->all.u[i]->op != TINY_OP_ASSIGN ? tn_place(v->all.u[i]) :
                                                            tn_graph_node(g, v->all.u[i]->src[0])->place;
  }
  for (int i = 0; i < nroots; i++) tn_graph_node(g, roots[i])->forced = 1;
  for (int i = 0; i < forced->n; i++) tn_graph_node(g, forced->u[i])->forced = 1;
}

// Kernels of the nodes. Where clashes cannot be helped by storing the value, their bases go to `copied` and 0 is
// returned.
static int tn_graph_kernels(tn_graph *g, tiny_ctx *t, const tn_targets *targets, const tn_visit *v,
                            tiny_uop *const *roots, int nroots, tn_list *copied) {
  tn_list forced = {NULL, 0, 0};
  for (int clashes = 1; clashes;) {
    clashes = 0;
    tn_graph_open(g, t, targets, v, roots, nroots, &forced);
    g->first = v->first;
    tn_choose_stores(g);
    for (int i = 0; i < g->nkernel; i++) {
      tn_kernel_write(g, &g->kernel[i]);
      if (!tn_update_clashes(t, &g->kernel[i])) continue;
      tiny_uop *base = g->kernel[i].node->src[0], *value = g->kernel[i].node->src[2];
      const tn_node *n = tn_graph_node(g, value);
      if (n->leaf || n->stored) { tn_push(t, copied, base); continue; }
      tn_push(t, &forced, value);
      clashes = 1;
    }
    if (copied->n) return 0;
  }
  return 1;
}

typedef struct tn_draft {
  tn_plan plan;
  tn_map place;                            // memory -> 1 + its row
  int cap_place, cap_output;
} tn_draft; // a plan in scratch memory

// at: a place, in memory of that device.
static int tn_draft_place(tiny_ctx *t, tn_draft *d, const tn_visit *v, tiny_uop *at, int device) {
  const int known = (int)(intptr_t)tn_map_get(&d->place, at);
  if (known) return known - 1;
  tn_place_row *row = TN_PUSH(t, d->plan.place, d->plan.nplace, d->cap_place, tn_place_row);
  memset(row, 0, sizeof *row);
  row->kind = TN_PLACE_TEMP;
  row->nbytes = tn_node_nbytes(at);
  row->device = at->device ? at->device - 1 : device;
  if (tn_map_has(&v->places, at)) {
    row->kind = TN_PLACE_LEAF;
    row->index = (int)(intptr_t)tn_map_get(&v->places, at) - 1;
  }
  tn_map_set(t, &d->place, at, (void *)(intptr_t)d->plan.nplace);
  return d->plan.nplace - 1;
}

// The nodes whose value the caller keeps: the roots, and every ASSIGN, which has then happened.
static void tn_draft_outputs(tiny_ctx *t, tn_draft *d, const tn_targets *targets, const tn_visit *v,
                             tiny_uop *const *now, const tn_map *roots) {
  tn_map known = {NULL, 0, 0};
  for (int i = 0; i < v->all.n; i++) {
    tiny_uop *u = v->all.u[i];
    if ((u->op != TINY_OP_ASSIGN && !tn_map_has(roots, u)) || tn_is_leaf(u)) continue;
    const int at = tn_draft_place(t, d, v, tn_place_known(t, &known, now[i]), tn_target_of(targets, now[i]));
    if (d->plan.place[at].kind == TN_PLACE_TEMP) {
      d->plan.place[at].kind = TN_PLACE_OUTPUT;
      d->plan.place[at].index = d->plan.noutput;
    }
    tn_output *o = TN_PUSH(t, d->plan.output, d->plan.noutput, d->cap_output, tn_output);
    o->node = i; o->place = at;
  }
}

// The device of the memory of slot j of k: a copy reads that of another.
static int tn_slot_device(const tn_graph *g, const tn_kernel *k, int slot) {
  return tn_target_of(g->targets, slot && tn_is_copy(k->node) ? k->node->src[0] : k->node);
}

static void tn_draft_step(tiny_ctx *t, tn_draft *d, const tn_visit *v, const tn_graph *g, const tn_kernel *k,
                          const tn_map *scalars, tn_step *s) {
  s->nmem = k->nmem; s->narg = k->narg; s->tiled = k->tiled;
  s->device = tn_target_of(g->targets, k->node);
  s->copies = tn_is_copy(k->node) && tn_nelem(k->node) > 0;
  s->dtype = k->node->dtype; s->ndim = k->node->ndim; s->dim = (int64_t *)(uintptr_t)k->node->dim;
  s->mem = (int *)tn_scratch(t, ((size_t)k->nmem + 1) * sizeof *s->mem);
  s->arg = (int *)tn_scratch(t, ((size_t)k->narg + 1) * sizeof *s->arg);
  for (int j = 0; j < k->nmem; j++) {
    const int device = tn_slot_device(g, k, j);
    s->mem[j] = tn_draft_place(t, d, v, k->mem[j], device);
    if (d->plan.place[s->mem[j]].device != device)
      tiny_fail(t, TINY_E_INTERNAL, "plan: a kernel on device %d would read memory of device %d", device,
                d->plan.place[s->mem[j]].device);
  }
  for (int j = 0; j < k->narg; j++) {
    if (k->arg[j]->op == TINY_OP_CONST) s->arg[j] = -1 - (int)k->arg[j]->k;
    if (tn_map_has(scalars, k->arg[j])) s->arg[j] = tn_unboxed(tn_map_get(scalars, k->arg[j]));
  }
}

// Events: behind steps that make what others copy. What is copied keeps its memory to the end: the device that has it
// waits for copies when the plan has run.
static void tn_draft_events(tiny_ctx *t, tn_draft *d, tn_life *const *life) {
  int *made = (int *)tn_scratch(t, ((size_t)d->plan.nplace + 1) * sizeof *made);   // by place: 1 + the step
  for (int i = 0; i < d->plan.nstep; i++) {
    tn_step *s = &d->plan.step[i];
    made[s->mem[0]] = i + 1;
    if (!s->copies) continue;
    const int from = s->mem[1];
    if (life[from]) life[from]->last = d->plan.nstep - 1;
    if (!made[from]) continue;
    tn_step *maker = &d->plan.step[made[from] - 1];
    if (!maker->event) maker->event = ++d->plan.nevent;
    s->after = maker->event;
  }
}

// Offsets of TEMPs, each device's in an arena of its own.
static void tn_draft_arenas(tiny_ctx *t, tn_draft *d, const tn_targets *targets, const tn_life *life, int nlife) {
  tn_life *own = (tn_life *)tn_scratch(t, ((size_t)nlife + 1) * sizeof *own);
  for (int device = 0; device < targets->n; device++) {
    int n = 0;
    for (int i = 0; i < nlife; i++) if (d->plan.place[life[i].place].device == device) own[n++] = life[i];
    d->plan.arena[device] = tn_pack_arena(t, d->plan.place, own, n, d->plan.nstep);
    d->plan.arena_nbytes += d->plan.arena[device];
    d->plan.alive_nbytes += tn_alive_most(t, d->plan.place, own, n, d->plan.nstep);
  }
}

static void tn_draft_steps(tiny_ctx *t, tn_draft *d, const tn_visit *v, const tn_graph *g, const int *order) {
  tn_map scalars = {NULL, 0, 0};           // SCALAR -> 1 + its number
  for (int n = 0; n < v->scalars.n; n++) tn_map_set(t, &scalars, v->scalars.u[n], tn_boxed(n));
  int nlife = 0, from = 0, to = 0;         // steps of a group
  d->plan.tiled = g->tiled; d->plan.ntiled = g->ntiled;
  d->plan.step = (tn_step *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *d->plan.step);
  d->plan.nstep = g->nkernel;
  d->plan.nfirst = g->nfirst;
  for (int i = 0; i < g->nfirst; i++) if (g->kernel[order[i]].node->op == TINY_OP_ASSIGN) d->plan.nfirst = 0;
  for (int i = 0; i < g->nkernel; i++)
    tn_draft_step(t, d, v, g, &g->kernel[order[i]], &scalars, &d->plan.step[i]);
  tn_life *life = (tn_life *)tn_scratch(t, ((size_t)d->plan.nplace + 1) * sizeof *life);
  tn_life **of = (tn_life **)tn_scratch(t, ((size_t)d->plan.nplace + 1) * sizeof *of);     // by place
  for (int i = 0; i < g->nkernel; i++) {
    const tn_kernel *k = &g->kernel[order[i]];
    const tn_step *s = &d->plan.step[i];
    if (!k->group || i == to) for (from = i, to = i + 1; k->group && to < g->nkernel; to++)
      if (g->kernel[order[to]].group != k->group) break;
    for (int j = 0; j < k->nmem; j++) {
      const int place = s->mem[j], each = !k->group || tn_map_has(&g->slabs, k->mem[j]);
      if (d->plan.place[place].kind != TN_PLACE_TEMP) continue;
      if (!of[place]) { of[place] = &life[nlife++]; of[place]->place = place; of[place]->first = each ? i : from; }
      of[place]->last = each ? i : to - 1;
    }
  }
  tn_draft_events(t, d, of);
  tn_draft_arenas(t, d, g->targets, life, nlife);
}

// Does a step write every output that has elements and memory of its own?
static tiny_code tn_draft_check(tiny_ctx *t, const tn_draft *d) {
  char *written = (char *)tn_scratch(t, (size_t)d->plan.nplace + 1);
  for (int i = 0; i < d->plan.nstep; i++) written[d->plan.step[i].mem[0]] = 1;
  for (int i = 0; i < d->plan.nplace; i++)
    if (d->plan.place[i].kind == TN_PLACE_OUTPUT && d->plan.place[i].nbytes && !written[i])
      return tiny_fail(t, TINY_E_INTERNAL, "plan: no kernel stores output %d", d->plan.place[i].index);
  return TINY_OK;
}

// The nodes of the walk that each step may be named for: the largest of its REDUCEs, and what it stores. What planning
// has made stands for the node that wanted it. now: as in tn_draft_plan.
static void tn_draft_names(tiny_ctx *t, tn_draft *d, const tn_visit *v, tiny_uop *const *now, const tn_graph *g,
                           const int *order) {
  const tn_mark mark = tn_scratch_mark(t);
  int *from = (int *)tn_scratch(t, 2 * ((size_t)g->n + 1) * sizeof *from), *reduce = from + g->n + 1;  // 1 + where
  for (int i = 0; i < v->all.n; i++) {
    const uint32_t at = now[i]->seq;
    if (at < (uint32_t)g->n && g->node[at].u == now[i] && !from[at]) from[at] = i + 1;
  }
  for (int i = g->n - 1; i >= 0; i--) {
    const tiny_uop *u = g->node[i].u;
    for (uint32_t s = 0; s < u->nsrc && !g->node[i].leaf; s++)
      if (!from[u->src[s]->seq]) from[u->src[s]->seq] = from[i];
  }
  for (int i = 0; i < g->n; i++) {
    const tiny_uop *u = g->node[i].u;
    if (u->op == TINY_OP_REDUCE && !g->node[i].leaf) reduce[i] = i + 1;
    for (uint32_t s = 0; s < u->nsrc && !g->node[i].leaf; s++) {
      const int below = g->node[u->src[s]->seq].stored ? 0 : reduce[u->src[s]->seq];
      if (!below) continue;
      if (!reduce[i] || tn_nelem(g->node[below - 1].u->src[0]) > tn_nelem(g->node[reduce[i] - 1].u->src[0]))
        reduce[i] = below;
    }
  }
  for (int i = 0; i < d->plan.nstep; i++) {
    const tiny_uop *u = g->kernel[order[i]].node;
    d->plan.step[i].named[0] = reduce[u->seq] ? from[reduce[u->seq] - 1] : 0;
    d->plan.step[i].named[1] = from[u->seq];
  }
  tn_scratch_rewind(t, mark);
}
// The graph as it was cut, into the trace: each node with the step that stores it, or computes it for the first time.
static void tn_trace_kernels(tiny_ctx *t, const tn_graph *g, const int *order) {
  if (!tn_tracing(t)) return;
  tn_list nodes = {NULL, 0, 0};
  int *step = (int *)tn_scratch(t, ((size_t)g->n + 1) * sizeof *step);
  for (int i = 0; i < g->nkernel; i++) step[g->kernel[order[i]].node->seq] = i + 1;
  for (int i = g->n - 1; i >= 0; i--) {
    const tiny_uop *u = g->node[i].u;
    for (uint32_t s = 0; s < u->nsrc && !g->node[i].leaf; s++) {
      const uint32_t at = u->src[s]->seq;
      if (g->node[at].stored || g->node[at].leaf || !step[i]) continue;
      if (!step[at] || step[i] < step[at]) step[at] = step[i];
    }
  }
  for (int i = 0; i < g->n; i++) tn_push(t, &nodes, g->node[i].u);
  tn_trace_graph(t, "kernels", &nodes, step);
}

// Everything but the executables. (*kernels)[i] belongs to step i.
static tiny_code tn_draft_plan(tiny_ctx *t, const tn_targets *targets, const tn_visit *v, tiny_uop *const *roots,
                               int nroots, tn_draft *d, const tn_kernel ***kernels) {
  tn_graph g;
  tn_map copied = {NULL, 0, 0}, root_at = {NULL, 0, 0};    // of v; root_at: root -> 1 + its number
  tiny_uop **now, **wanted = (tiny_uop **)tn_scratch(t, ((size_t)nroots + 1) * sizeof *wanted);
  int *order;
  memset(d, 0, sizeof *d);
  d->plan.number = ++t->schedules->made;
  tn_trace_graph(t, "asked", &v->all, NULL);
  for (int r = nroots - 1; r >= 0; r--) tn_map_set(t, &root_at, roots[r], tn_boxed(r));
  for (int pass = 0;; pass++) {            // each copies more states
    tn_visit w;
    tn_list more = {NULL, 0, 0}, had = {NULL, 0, 0};       // states to copy: of the rewritten graph
    tn_map states = {NULL, 0, 0};
    memset(&w, 0, sizeof w);
    t->plans = 1;                          // what is made is computed here: the plan knows the visit's memory alone
    now = tn_visit_rewritten(t, targets, v, &copied);
    t->plans = 0;
    tn_share_reshaped(t, v, now, &root_at);
    for (int i = 0; i < v->all.n; i++) {
      const int r = tn_unboxed(tn_map_get(&root_at, v->all.u[i]));
      if (r >= 0) wanted[r] = now[i];
    }
    for (int r = 0; r < nroots; r++) wanted[r] = wanted[tn_unboxed(tn_map_get(&root_at, roots[r]))];
    w.first = v->first;
    tn_visit_graph(t, &w, wanted, nroots);
    tn_trace_graph(t, pass ? "states copied" : "rewritten", &w.all, NULL);
    const int written = tn_graph_kernels(&g, t, targets, &w, wanted, nroots, &more);
    if (t->code != TINY_OK) return t->code;
    if (written) {
      tn_list *reads = tn_graph_reads(&g);
      if (tn_order_tiled(&g, reads, wanted, nroots, &order)) break;
      for (int i = 0; i < v->all.n; i++) if (tn_map_has(&copied, v->all.u[i])) tn_push(t, &had, now[i]);
      tn_find_conflicts(&g, reads, wanted, nroots, &had, &more);
    }
    if (!more.n || pass > v->all.n)
      return tiny_fail(
          t, TINY_E_STATE,
          "assign: values need tensors both before and after they are assigned; realize some of them first");
    for (int i = 0; i < more.n; i++) tn_map_set(t, &states, more.u[i], more.u[i]);
    for (int i = 0; i < v->all.n; i++)
      if (tn_map_has(&states, now[i])) tn_map_set(t, &copied, v->all.u[i], v->all.u[i]);
  }
  tn_graph_masked(&g, order, wanted, nroots);
  tn_graph_atomics(&g, &order);
  tn_trace_kernels(t, &g, order);
  tn_draft_outputs(t, d, targets, v, now, &root_at);
  tn_draft_steps(t, d, v, &g, order);
  if (t->code != TINY_OK || tn_draft_check(t, d) != TINY_OK) return t->code;
  if (t->labels) tn_draft_names(t, d, v, now, &g, order);
  *kernels = (const tn_kernel **)tn_scratch(t, ((size_t)g.nkernel + 1) * sizeof **kernels);
  for (int i = 0; i < g.nkernel; i++) (*kernels)[i] = &g.kernel[order[i]];
  return TINY_OK;
}

// ** the cache of plans **

static int tn_schedules_open(tiny_ctx *t) {
  t->schedules = (struct tn_schedules *)tn_alloc(t, sizeof *t->schedules);
  return t->schedules != NULL;
}
static void tn_schedules_close(tiny_ctx *t) {
  if (!t->schedules) return;
  for (int i = 0; i < TN_PLAN_BUCKETS; i++) while (t->schedules->bucket[i]) {
    tn_plan *p = t->schedules->bucket[i];
    t->schedules->bucket[i] = p->next;
    tn_release(t, p, p->nbytes);
  }
  tn_release(t, t->schedules, sizeof *t->schedules);
  t->schedules = NULL;
}

static tn_plan *tn_plan_find(tiny_ctx *t, const tn_visit *v) {
  for (tn_plan *p = t->schedules->bucket[v->hash % TN_PLAN_BUCKETS]; p; p = p->next)
    if (p->hash == v->hash && p->nwords == v->nwords &&
        !memcmp(p->words, v->words, (size_t)v->nwords * sizeof *v->words)) {
      p->used = ++t->schedules->time;
      return p;
    }
  return NULL;
}

// The plan that was used longest ago, of those that no captured program holds; NULL: there is none but `newest`.
static tn_plan *tn_plan_oldest(tiny_ctx *t, const tn_plan *newest) {
  tn_plan *oldest = NULL;
  for (int i = 0; i < TN_PLAN_BUCKETS; i++)
    for (tn_plan *p = t->schedules->bucket[i]; p; p = p->next)
      if (p != newest && !p->holders && (!oldest || p->used < oldest->used)) oldest = p;
  return oldest;
}

static void tn_plan_drop(tiny_ctx *t, tn_plan *p) {
  tn_plan **at = &t->schedules->bucket[p->hash % TN_PLAN_BUCKETS];
  while (*at != p) at = &(*at)->next;
  *at = p->next;
  t->schedules->n--;
  tn_release(t, p, p->nbytes);
}

static void *tn_plan_put(char **at, const void *data, size_t nbytes) {
  void *to = *at;
  if (nbytes) memcpy(to, data, nbytes);
  *at += (nbytes + 15) & ~(size_t)15;
  return to;
}

// Copies a finished draft into one allocation and remembers it under the visit's words.
static tn_plan *tn_plan_keep(tiny_ctx *t, const tn_draft *d, const tn_visit *v) {
  const tn_plan *p = &d->plan;
  size_t nbytes = sizeof *p + (size_t)v->nwords * 8 + (size_t)p->nplace * sizeof *p->place +
      (size_t)p->noutput * sizeof *p->output + (size_t)p->nstep * sizeof *p->step +
      (size_t)p->ntiled * sizeof *p->tiled + 16 * 6;
  for (int i = 0; i < p->nstep; i++)
    nbytes += (size_t)(p->step[i].nmem + p->step[i].narg) * sizeof(int) + 48 +
        (size_t)p->step[i].ndim * sizeof(int64_t);
  tn_plan *kept = (tn_plan *)tn_alloc(t, nbytes);
  char *at = (char *)kept;
  tn_plan_put(&at, p, sizeof *p);
  kept->nbytes = nbytes; kept->hash = v->hash; kept->nwords = v->nwords;
  kept->words = (int64_t *)tn_plan_put(&at, v->words, (size_t)v->nwords * sizeof *v->words);
  kept->place = (tn_place_row *)tn_plan_put(&at, p->place, (size_t)p->nplace * sizeof *p->place);
  kept->output = (tn_output *)tn_plan_put(&at, p->output, (size_t)p->noutput * sizeof *p->output);
  kept->tiled = (tn_tiled_axes *)tn_plan_put(&at, p->tiled, (size_t)p->ntiled * sizeof *p->tiled);
  kept->step = (tn_step *)tn_plan_put(&at, p->step, (size_t)p->nstep * sizeof *p->step);
  for (int i = 0; i < p->nstep; i++) {
    kept->step[i].mem = (int *)tn_plan_put(&at, p->step[i].mem, (size_t)p->step[i].nmem * sizeof(int));
    kept->step[i].dim = (int64_t *)tn_plan_put(&at, p->step[i].dim, (size_t)p->step[i].ndim * sizeof(int64_t));
    kept->step[i].arg = (int *)tn_plan_put(&at, p->step[i].arg, (size_t)p->step[i].narg * sizeof(int));
  }
  tn_plan **slot = &t->schedules->bucket[v->hash % TN_PLAN_BUCKETS];
  kept->next = *slot;
  kept->used = ++t->schedules->time;
  t->schedules->n++;
  return *slot = kept;
}
#endif
