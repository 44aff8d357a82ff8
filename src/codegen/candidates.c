// candidates: schedules worth trying for a kernel, the most promising first, told by their static cost.
//
// In:       a kernel as the scheduler wrote it.
// Out:      candidates: lists of opts, their cost, and what tells equal kernels apart.
// Requires: a context that holds nothing else: nodes that were made on the way are swept as it goes.
//
// tn_candidates_seeds grows lists from the bare kernel opt by opt and keeps those that cost least; nothing is lowered.
// tn_candidates_around makes what differs by one opt from a list that has been timed, the heuristics' own included.
#ifndef TN_CODEGEN_CANDIDATES
#define TN_CODEGEN_CANDIDATES
#ifndef TINY_AMALGAMATED
#include "optimize.c"
#include "cost.c"
#endif

enum { TN_CANDIDATES_MOST = 4096, TN_CANDIDATES_NODES = 1 << 17, TN_CANDIDATES_DEPTH = 8, TN_CANDIDATES_WIDTH = 10,
  TN_CANDIDATES_SEED = 14 };               // opts of a list that is grown from the bare kernel

#define TN_ALIKE 0.003

typedef struct tn_candidate {
  tn_schedule list; tn_cost cost; double expected;       // expected: cycles on the cores that are there
  uint64_t same;                           // equal for equal kernels
  double ns;                               // measured; 0: not yet; HUGE_VAL: it was not to be had, or too slow
  void *kernel;                            // the backend's, for as long as its module is loaded
  int64_t global[3], local[3], tasks; size_t local_nbytes;
  int depth;                               // of the search that found it
} tn_candidate;

typedef struct tn_candidates {
  tiny_ctx *t; tiny_uop *kept, *sink; const tn_target *target;   // kept: another node that has to live
  int64_t serial;                          // of the context before the first opt: every trial begins with it
  tn_candidate *found; int n;
  int depth, cores;
} tn_candidates;

static const int tn_candidates_copies[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
static const int tn_candidates_blocks[] = {4, 8, 16, 32, 64, 128, 256};
enum { TN_CANDIDATES_COPIES = sizeof tn_candidates_copies / sizeof *tn_candidates_copies,
  TN_CANDIDATES_BLOCKS = sizeof tn_candidates_blocks / sizeof *tn_candidates_blocks };

static void tn_candidates_open(tn_candidates *s, tiny_ctx *t, tiny_uop *kept, tiny_uop *sink,
                               const tn_target *target, int cores) {
  memset(s, 0, sizeof *s);
  s->t = t; s->kept = kept; s->sink = sink; s->target = target;
  s->cores = cores; s->serial = t->ir->serial;
  s->found = (tn_candidate *)tn_scratch(t, TN_CANDIDATES_MOST * sizeof *s->found);
}

static void tn_candidates_sweep(tn_candidates *s) {
  tn_list stack = {NULL, 0, 0};
  if (s->t->ir->nodes.n < TN_CANDIDATES_NODES) return;
  s->t->ir->epoch++;
  tn_uop_mark(s->t, &stack, s->kept);
  tn_uop_mark(s->t, &stack, s->sink);
  tn_uop_sweep(s->t);
}

// A hash that does not depend on the ids of ranges, only on the order in which they are met.
static uint64_t tn_candidates_same(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  uint64_t *hash = (uint64_t *)tn_scratch(t, (size_t)all.n * sizeof *hash), ranges = 0;
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    const uint64_t k = u->op == TINY_OP_RANGE ? ++ranges << 8 | (uint64_t)tn_range_kind(u) : (uint64_t)u->k;
    u->seq = (uint32_t)i;
    hash[i] = tn_hash_mix(tn_hash_mix((uint64_t)u->op << 8 | u->dtype, k), (uint64_t)u->lanes << 32 | u->nsrc);
    for (int j = 0; j < u->nv; j++) hash[i] = tn_hash_mix(hash[i], (uint64_t)u->v[j]);
    for (uint32_t j = 0; j < u->nsrc; j++) hash[i] = tn_hash_mix(hash[i], hash[u->src[j]->seq]);
  }
  return hash[all.n - 1];
}

// Adds a list and the kernel it gives, unless that was found before or is unreasonable.
static void tn_candidates_add(tn_candidates *s, const tn_kernel_state *k) {
  tn_cost cost;
  if (!tn_cost_of(s->t, k->sink, s->target->limits, &cost)) return;
  const uint64_t same = tn_candidates_same(s->t, k->sink);
  for (int i = 0; i < s->n; i++) if (s->found[i].same == same) return;
  if (s->n == TN_CANDIDATES_MOST) return;
  tn_candidate *c = &s->found[s->n++];
  memset(c, 0, sizeof *c);
  c->expected = tn_cost_on(&cost, s->cores);
  c->list = k->done; c->cost = cost; c->same = same; c->depth = s->depth;
}

// The kernel after a list; 0: one of its opts is not legal.
static int tn_candidates_apply(tn_candidates *s, const tn_schedule *list, tn_kernel_state *k) {
  s->t->ir->serial = s->serial;
  tn_state_open(k, s->t, s->sink, s->target);
  return tn_schedule_apply(k, list);
}

static void tn_candidates_try(tn_candidates *s, const tn_schedule *list) {
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_kernel_state *k = (tn_kernel_state *)tn_scratch(s->t, sizeof *k);
  if (tn_candidates_apply(s, list, k)) tn_candidates_add(s, k);
  tn_scratch_rewind(s->t, mark);
  tn_candidates_sweep(s);
}

// ** one more opt **

typedef struct tn_candidates_base { tn_kernel_state state; int64_t serial; } tn_candidates_base;

static void tn_candidates_extend(tn_candidates *s, const tn_candidates_base *b, const tn_opt *o) {
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_kernel_state *k = (tn_kernel_state *)memcpy(tn_scratch(s->t, sizeof *k), &b->state, sizeof *k);
  s->t->ir->serial = b->serial;
  if (tn_opt_apply(k, o)) tn_candidates_add(s, k);
  tn_scratch_rewind(s->t, mark);
}
static void tn_candidates_part(tn_candidates *s, const tn_candidates_base *b, int kind, int axis, int64_t amount) {
  tn_opt o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)kind; o.naxes = 1; o.axis[0] = (int16_t)axis; o.amount = amount;
  tn_candidates_extend(s, b, &o);
}

static void tn_candidates_extend_axis(tn_candidates *s, tn_candidates_base *b, const tn_profile *p, int axis) {
  const tiny_uop *r = b->state.axis[axis];
  const int kind = tn_range_kind(r), threads = s->target->limits->threads;
  const int most = threads ? tn_target_lanes(s->target, p) : 0;
  const int64_t n = tn_range_extent(r);
  tn_opt o;
  if (kind != TN_LOOP && kind != TN_REDUCE) return;
  for (int lanes = most; lanes >= 4 && lanes >= most / 2; lanes /= 2)
    tn_candidates_part(s, b, TN_OPT_LANE, axis, lanes);
  for (int i = 0; i < TN_CANDIDATES_COPIES && tn_candidates_copies[i] <= n; i++)
    tn_candidates_part(s, b, kind == TN_LOOP ? TN_OPT_UPCAST : TN_OPT_UNROLL, axis, tn_candidates_copies[i]);
  for (int i = 0; i < TN_CANDIDATES_BLOCKS && tn_candidates_blocks[i] < n; i++)
    tn_candidates_part(s, b, TN_OPT_SPLIT, axis, tn_candidates_blocks[i]);
  if (n > most && most > 1) tn_candidates_part(s, b, TN_OPT_PAD, axis, most);
  if (threads) return;
  for (int i = 0; i < TN_CANDIDATES_BLOCKS && tn_candidates_blocks[i] <= n; i++)
    if (kind == TN_LOOP) tn_candidates_part(s, b, TN_OPT_LOCAL, axis, tn_candidates_blocks[i]);
  if (kind == TN_LOOP) tn_candidates_part(s, b, TN_OPT_GRID, axis, 0);
  for (int j = 0; j < p->nreduce && kind == TN_REDUCE; j++) {
    if (!tn_reduces_over(p->reduce[j], r)) continue;
    memset(&o, 0, sizeof o);
    o.kind = TN_OPT_GROUP; o.naxes = 1; o.axis[0] = (int16_t)axis;
    tn_opt_set_operand(&b->state, &o, p->reduce[j]);
    for (o.amount = 8; o.amount <= 256; o.amount *= 4) tn_candidates_extend(s, b, &o);
  }
}

// Axes of a load from the outermost part of its copy to the innermost: loops, reductions, copies, lanes.
static int tn_panel_order(const tiny_uop *r) {
  const int kind = tn_range_kind(r);
  return kind == TN_VECTOR ? 3 : kind == TN_UPCAST ? 2 : kind == TN_REDUCE || kind == TN_UNROLL ? 1 : 0;
}

// Does r lie within the outermost loops of the store? -1: it is no range of the store or of a reduction, but of a copy.
static int tn_is_within(const tn_profile *p, const tiny_uop *r, int outside) {
  int loops = 0;
  for (int j = 0; j < p->nout; j++) {
    const int kind = tn_range_kind(p->out[j]);
    if (p->out[j] == r) return kind != TN_TASK && kind != TN_GLOBAL && (kind != TN_LOOP || loops >= outside);
    loops += kind == TN_LOOP;
  }
  for (int j = 0; j < p->nreduce; j++) if (tn_reduces_over(p->reduce[j], r)) return 1;
  return -1;
}

// What a load reads within the outermost loops is packed as it will be read.
static void tn_candidates_pack(tn_candidates *s, tn_candidates_base *b, const tn_profile *p, tiny_uop *load,
                               int outside) {
  tiny_uop *inner[TN_OPT_AXES];
  tn_list ranges = {NULL, 0, 0};
  int n = 0;
  int64_t nbytes = tn_dtypes[load->dtype].nbytes;
  if (load->src[0]->src[0]->op != TINY_OP_PARAM) return;
  tn_collect_ranges(s->t, load, &ranges);
  for (int order = 0; order < 4; order++) for (int i = 0; i < ranges.n; i++) {
    const int within = tn_is_within(p, ranges.u[i], outside);
    if (within < 0) return;
    if (!within || tn_panel_order(ranges.u[i]) != order) continue;
    if (n == TN_OPT_AXES) return;
    inner[n++] = ranges.u[i];
    nbytes = tn_clamp_mul(nbytes, tn_range_extent(ranges.u[i]));
  }
  if (n < 2 || nbytes > tn_machine_near(s->target->limits) / 2) return;
  tn_opt o = tn_opt_of(&b->state, TN_OPT_STAGE, n, inner, 0);
  tn_opt_set_operand(&b->state, &o, load);
  o.space = TN_SPACE_LOCAL;
  tn_candidates_extend(s, b, &o);
}

// All lists that are this one and one more opt.
static void tn_candidates_grow(tn_candidates *s, const tn_schedule *list) {
  tn_candidates_base *b = (tn_candidates_base *)tn_scratch(s->t, sizeof *b);
  tn_profile p;
  tn_list loads = {NULL, 0, 0};
  tn_opt o;
  tn_candidates_sweep(s);
  if (!tn_candidates_apply(s, list, &b->state)) return;
  b->serial = s->t->ir->serial;
  p = tn_profile_of(&b->state);
  if (!p.usable) return;
  tn_collect_op(s->t, b->state.sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < b->state.naxes; i++) tn_candidates_extend_axis(s, b, &p, i);
  memset(&o, 0, sizeof o);
  o.kind = TN_OPT_SWAP; o.naxes = 2;
  for (int i = 0; i < b->state.naxes; i++) for (int j = i + 1; j < b->state.naxes; j++) {
    o.axis[0] = (int16_t)i; o.axis[1] = (int16_t)j;
    if (tn_range_kind(b->state.axis[i]) == tn_range_kind(b->state.axis[j])) tn_candidates_extend(s, b, &o);
  }
  for (int i = 0; i < loads.n; i++)
    for (int j = 0; j < p.nout && j < 4; j++) tn_candidates_pack(s, b, &p, loads.u[i], j);
  memset(&o, 0, sizeof o);
  o.kind = TN_OPT_REUSE;
  if (p.row && !list->n) tn_candidates_extend(s, b, &o);
}

// ** seeds **

static int tn_candidates_cheaper(const void *a, const void *b) {
  const tn_candidate *x = (const tn_candidate *)a, *y = (const tn_candidate *)b;
  if (x->expected != y->expected) return x->expected < y->expected ? -1 : 1;
  return x->same < y->same ? -1 : x->same > y->same;
}

// So much alike that timing one of them will do.
static int tn_candidates_alike(const tn_candidate *x, const tn_candidate *y) {
  return fabs(x->cost.core - y->cost.core) <= TN_ALIKE * x->cost.core &&
      fabs(x->cost.memory - y->cost.memory) <= TN_ALIKE * x->cost.memory && x->cost.tasks == y->cost.tasks;
}

// The list, then tasks. What is packed is packed once for each of the outermost loops.
static void tn_candidates_try_tasks(tn_candidates *s, const tn_schedule *list) {
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_kernel_state *k = (tn_kernel_state *)tn_scratch(s->t, sizeof *k);
  tn_profile p;
  int packs = 0;
  tn_profile_kernel(s->t, s->sink, &p);
  const double work = tn_work(&p) * (p.carried ? (double)tn_range_extent(p.carried) : 1);
  for (int i = 0; i < list->n; i++) packs |= list->opt[i].kind == TN_OPT_STAGE;
  if (tn_candidates_apply(s, list, k)) {
    if (s->target->limits->threads) tn_make_tasks(k, work, packs ? 1 : TN_ALL_LOOPS);
    tn_candidates_add(s, k);
  }
  tn_scratch_rewind(s->t, mark);
  tn_candidates_sweep(s);
}

// Lists from the bare kernel, cheapest first, at most n: s->found holds them and nothing else.
static void tn_candidates_seeds(tn_candidates *s, int n) {
  tn_candidates way = *s;
  tn_schedule *next = (tn_schedule *)tn_scratch(s->t, TN_CANDIDATES_WIDTH * sizeof *next);
  int width = 1;
  memset(&next[0], 0, sizeof next[0]);
  s->n = way.n = 0;
  way.found = (tn_candidate *)tn_scratch(s->t, TN_CANDIDATES_MOST * sizeof *way.found);
  for (way.depth = 1; width && way.depth <= TN_CANDIDATES_DEPTH; way.depth++) {
    for (int i = 0; i < width; i++) tn_candidates_grow(&way, &next[i]);
    qsort(way.found, (size_t)way.n, sizeof *way.found, tn_candidates_cheaper);
    width = 0;
    for (int i = 0; i < way.n && width < TN_CANDIDATES_WIDTH; i++)
      if (way.found[i].depth == way.depth && way.found[i].list.n < TN_CANDIDATES_SEED)
        next[width++] = way.found[i].list;
  }
  for (int i = 0; i < way.n && s->n < n; i++) {
    int alike = 0;
    for (int j = 0; j < i && !alike; j++)
      alike = way.found[j].depth < 0 && tn_candidates_alike(&way.found[i], &way.found[j]);
    if (alike) continue;
    way.found[i].depth = -1;               // taken
    tn_candidates_try_tasks(s, &way.found[i].list);
  }
}

// ** what lies around a list **

static int tn_candidates_step(const int *sizes, int n, int64_t from, int by) {
  for (int i = 0; i < n; i++) if (sizes[i] == from) return i + by >= 0 && i + by < n ? sizes[i + by] : 0;
  return 0;
}

// The opt's amount a size up (by 1) or down (by -1); 0: there is none.
static int64_t tn_candidates_amount(const tn_opt *o, int by) {
  int64_t n = 0;
  if (!o->amount) return 0;
  if (o->kind == TN_OPT_UPCAST || o->kind == TN_OPT_UNROLL)
    n = tn_candidates_step(tn_candidates_copies, TN_CANDIDATES_COPIES, o->amount, by);
  else if (o->kind == TN_OPT_SPLIT) n = tn_candidates_step(tn_candidates_blocks, TN_CANDIDATES_BLOCKS, o->amount, by);
  return n ? n : by > 0 ? 2 * o->amount : o->amount / 2;
}

// The list without opt number `without`, nor those that use what it makes. made[i]: axes that there are before opt i.
static void tn_schedule_without(const tn_schedule *list, int without, const int *made, tn_schedule *out) {
  int now[TN_KERNEL_AXES], next = made[0];
  memset(out, 0, sizeof *out);
  for (int i = 0; i < made[0]; i++) now[i] = i;
  for (int i = 0; i < list->n; i++) {
    tn_opt o = list->opt[i];
    int keeps = i != without;
    for (int j = 0; j < o.naxes; j++) if (o.axis[j] >= 0) {
      keeps &= now[o.axis[j]] >= 0;
      o.axis[j] = (int16_t)now[o.axis[j]];
    }
    for (int j = made[i]; j < made[i + 1]; j++) now[j] = keeps ? next++ : -1;
    if (keeps) out->opt[out->n++] = o;
  }
}

static void tn_candidates_around(tn_candidates *s, const tn_schedule *list) {
  tn_schedule *other = (tn_schedule *)tn_scratch(s->t, sizeof *other);
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_kernel_state *k = (tn_kernel_state *)tn_scratch(s->t, sizeof *k);
  int made[TN_SCHEDULE_OPTS + 1];
  s->depth++;
  s->t->ir->serial = s->serial;
  tn_state_open(k, s->t, s->sink, s->target);
  for (int i = 0; i < list->n; i++) {
    made[i] = k->naxes;
    if (!tn_opt_apply(k, &list->opt[i])) { tn_scratch_rewind(s->t, mark); return; }
  }
  made[list->n] = k->naxes;
  tn_scratch_rewind(s->t, mark);
  tn_candidates_sweep(s);
  for (int i = 0; i < list->n; i++) {
    for (int by = -1; by <= 1; by += 2) {
      memcpy(other, list, sizeof *other);
      other->opt[i].amount = tn_candidates_amount(&list->opt[i], by);
      if (other->opt[i].amount) tn_candidates_try(s, other);
    }
    tn_schedule_without(list, i, made, other);
    tn_candidates_try(s, other);
  }
  tn_candidates_grow(s, list);
}
#endif
