// candidates: schedules worth trying for a kernel, the most promising first, told by their static cost.
//
// In:       a kernel as the scheduler wrote it.
// Out:      candidates: lists of opts, their cost, and what tells equal kernels apart.
// Requires: a context that holds nothing else: nodes that were made on the way are swept as it goes.
//
// tn_candidates_seeds grows lists from the bare kernel opt by opt and keeps those that cost least; nothing is lowered.
// For a grid, where an idea takes a dozen opts before it pays, it writes them down at once, in several sizes.
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
  int family;                              // of schedules of one idea: some of each are tried
  int ahead;                               // iterations that STAGEs are copied ahead, and by whom: no price tells it
  double ns;                               // measured; 0: not yet; HUGE_VAL: it was not to be had, or too slow
  void *kernel;                            // the backend's, for as long as its module is loaded
  int64_t global[3], local[3], tasks; size_t local_nbytes;
  int depth;                               // of the search that found it
} tn_candidate;

typedef struct tn_candidates {
  tiny_ctx *t; tiny_uop *kept, *sink; const tn_target *target;   // kept: another node that has to live
  int64_t serial;                          // of the context before the first opt: every trial begins with it
  tn_candidate *found; int n;
  int depth, cores, family;
} tn_candidates;

static const int tn_candidates_copies[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16};
static const int tn_candidates_blocks[] = {4, 8, 16, 32, 64, 128, 256};
enum { TN_CANDIDATES_COPIES = sizeof tn_candidates_copies / sizeof *tn_candidates_copies,
  TN_CANDIDATES_BLOCKS = sizeof tn_candidates_blocks / sizeof *tn_candidates_blocks,
  TN_CANDIDATES_AHEAD = 4,                 // iterations that STAGEs are copied ahead
  TN_CANDIDATES_PRODUCED = 1 << 8,         // of tn_candidate.ahead: by warps that only copy
  TN_CANDIDATES_RESIDENT = 2 };            // persistent groups of a unit

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
  tn_list stages = {NULL, 0, 0};
  tn_cost cost;
  if (!tn_cost_of(s->t, k->sink, s->target->limits, &cost)) return;
  const uint64_t same = tn_candidates_same(s->t, k->sink);
  for (int i = 0; i < s->n; i++) if (s->found[i].same == same) return;
  if (s->n == TN_CANDIDATES_MOST) return;
  tn_candidate *c = &s->found[s->n++];
  memset(c, 0, sizeof *c);
  c->expected = tn_cost_on(&cost, s->cores);
  c->list = k->done; c->cost = cost; c->same = same; c->depth = s->depth; c->family = s->family;
  tn_collect_op(s->t, k->sink, TINY_OP_STAGE, &stages);
  for (int i = 0; i < stages.n; i++)
    c->ahead += (int)tn_stage_ahead(stages.u[i]) + (tn_stage_is_produced(stages.u[i]) ? TN_CANDIDATES_PRODUCED : 0);
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
  const int kind = tn_range_kind(r);
  const int most = tn_target_lanes(s->target, p);
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
  if (!tn_machine_grid(s->target->limits)) return;
  for (int i = 0; i < TN_CANDIDATES_BLOCKS && tn_candidates_blocks[i] <= n; i++)
    if (kind == TN_LOOP) tn_candidates_part(s, b, TN_OPT_LOCAL, axis, tn_candidates_blocks[i]);
  if (kind == TN_LOOP) tn_candidates_part(s, b, TN_OPT_GRID, axis, 0);
  for (int i = 0; p->adds && kind == TN_REDUCE && i < TN_CANDIDATES_COPIES; i++)
    tn_candidates_part(s, b, TN_OPT_ATOMIC, axis, tn_candidates_copies[i]);
  if (kind == TN_LOOP) tn_candidates_part(s, b, TN_OPT_SHARE, axis, 0);
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

// What a group holds is copied ahead of the iterations that read it.
static void tn_candidates_ahead(tn_candidates *s, tn_candidates_base *b) {
  const tn_list stages = tn_kernel_collect(&b->state, TINY_OP_STAGE);
  for (int i = 0; i < stages.n; i++) {
    tiny_uop *loop = tn_stage_loop(s->t, b->state.sink, stages.u[i]);
    if (!loop || tn_axis_of(&b->state, loop) < 0) continue;
    tn_opt o = tn_opt_of(&b->state, TN_OPT_PREFETCH, 1, &loop, 0);
    tn_opt_set_operand(&b->state, &o, stages.u[i]);
    for (o.amount = 1; o.amount <= TN_CANDIDATES_AHEAD; o.amount++) tn_candidates_extend(s, b, &o);
  }
  const tn_opt producer = tn_opt_of(&b->state, TN_OPT_PRODUCER, 0, NULL, 0);
  tn_candidates_extend(s, b, &producer);
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
  if (tn_machine_grid(s->target->limits)) tn_candidates_ahead(s, b);
  memset(&o, 0, sizeof o);
  o.kind = TN_OPT_REUSE;
  if (p.row && !list->n) tn_candidates_extend(s, b, &o);
}

// ** on a grid: families, each an idea in several sizes, from the bare kernel **

enum { TN_FAMILY_GROWN, TN_FAMILY_FLAT, TN_FAMILY_SUMS, TN_FAMILY_GROUPS, TN_FAMILY_ROWS, TN_FAMILY_TILES,
  TN_FAMILY_STAGED, TN_FAMILY_TURNED, TN_FAMILY_UNITS, TN_FAMILY_ONLINE, TN_FAMILY_NESTED, TN_FAMILY_ADDED,
  TN_FAMILY_AHEAD, TN_FAMILIES };

// A kernel to which opts are done as long as they are legal.
typedef struct tn_trial { tn_kernel_state *s; int legal; } tn_trial;

// A part of r of extent f as the kind has it; *rest: what is left, NULL: nothing. f 1: all of r is left.
static tiny_uop *tn_trial_split(tn_trial *x, int kind, tiny_uop *r, int64_t f, tiny_uop **rest) {
  *rest = r;
  if (!x->legal || !r || f < 2) return NULL;
  const int64_t n = tn_range_extent(r), covered = tn_range_kind(r) == TN_REDUCE ? n - n % f : n;
  const int number = tn_axis_of(x->s, r), part = x->s->naxes;
  if (f == n) *rest = NULL;
  if (f == n && kind == TN_OPT_SPLIT) return r;
  const tn_opt o = tn_opt_of(x->s, kind, 1, &r, f == n ? 0 : f);
  if (f > n || !tn_opt_apply(x->s, &o)) { x->legal = 0; return NULL; }
  *rest = covered == f ? NULL : x->s->axis[number];
  return covered == f ? x->s->axis[number] : x->s->axis[part];
}
// All of r as the kind has it; NULL is left as it is, and so is what has one value.
static void tn_trial_kind(tn_trial *x, int kind, tiny_uop *r) {
  tiny_uop *rest;
  if (x->legal && r && tn_range_extent(r) > 1) tn_trial_split(x, kind, r, tn_range_extent(r), &rest);
}
static tiny_uop *tn_trial_pad(tn_trial *x, tiny_uop *r, int64_t m) {
  if (!x->legal || !r || m < 2 || tn_range_extent(r) % m == 0) return r;
  const int number = tn_axis_of(x->s, r);
  const tn_opt o = tn_opt_of(x->s, TN_OPT_PAD, 1, &r, m);
  x->legal = tn_opt_apply(x->s, &o);
  return x->legal ? x->s->axis[number] : r;
}
// What is copied to memory of the group by all of its items; the ranges that x moves with among inner[0..n-1].
static void tn_trial_share(tn_trial *x, tiny_uop *node, int n, tiny_uop *const *inner, int64_t pad) {
  tiny_uop *moves[TN_OPT_AXES], *copy[TN_OPT_AXES];
  int m = 0;
  for (int i = 0; i < n; i++) if (inner[i] && node && tn_depends(x->s->t, node, inner[i])) moves[m++] = inner[i];
  if (!x->legal || !m) { x->legal = 0; return; }
  tn_opt o = tn_opt_of(x->s, TN_OPT_STAGE, m, moves, pad);
  const int first = x->s->naxes;
  tn_opt_set_operand(x->s, &o, node);
  o.space = TN_SPACE_LOCAL;
  x->legal = tn_opt_apply(x->s, &o);
  for (int i = 0; i < m && x->legal; i++) copy[i] = x->s->axis[first + i];
  for (int i = 0; i < m && x->legal; i++) tn_trial_kind(x, TN_OPT_SHARE, copy[i]);
}
// Loops of the store that are left, in which no sum of the kernel stays the same, are groups.
static void tn_trial_groups(tn_trial *x) {
  const tn_profile p = tn_profile_of(x->s);
  for (int i = 0; i < p.nout; i++)
    if (tn_range_kind(p.out[i]) == TN_LOOP && tn_grid_is_outer(x->s, &p, p.out[i]))
      tn_trial_kind(x, TN_OPT_GRID, p.out[i]);
}

// A state for a trial of the bare kernel, and back.
typedef struct tn_trial_at { tn_candidates *s; tn_mark mark; tn_trial x; tn_profile p; } tn_trial_at;
static int tn_trial_open(tn_trial_at *a, tn_candidates *s) {
  tn_candidates_sweep(s);
  a->s = s;
  a->mark = tn_scratch_mark(s->t);
  a->x.s = (tn_kernel_state *)tn_scratch(s->t, sizeof *a->x.s);
  a->x.legal = 1;
  s->t->ir->serial = s->serial;
  tn_state_open(a->x.s, s->t, s->sink, s->target);
  a->p = tn_profile_of(a->x.s);
  return a->p.usable;
}
// What it stages, copied ahead: each depth is a candidate, and by whom.
static void tn_trial_ahead(tn_trial_at *a) {
  tiny_ctx *t = a->s->t;
  const int64_t serial = t->ir->serial;
  const tn_list stages = tn_kernel_collect(a->x.s, TINY_OP_STAGE);
  tiny_uop *loop = NULL;
  for (int i = 0; i < stages.n && !loop; i++)
    if (!tn_stage_ahead(stages.u[i]) && tn_opt_is_plain_copy(a->x.s, stages.u[i]))
      loop = tn_stage_loop(t, a->x.s->sink, stages.u[i]);
  if (!loop || tn_axis_of(a->x.s, loop) < 0) return;
  tn_kernel_state *k = (tn_kernel_state *)tn_scratch(t, sizeof *k);
  a->s->family = TN_FAMILY_AHEAD;
  for (int ahead = 1; ahead <= TN_CANDIDATES_AHEAD && ahead < tn_range_extent(loop); ahead++) {
    *k = *a->x.s;
    t->ir->serial = serial;
    if (!tn_grid_copy_ahead(k, loop, ahead)) continue;
    tn_candidates_add(a->s, k);
    if (tn_do_plain(k, TN_OPT_PRODUCER)) tn_candidates_add(a->s, k);
  }
}
static void tn_trial_close(tn_trial_at *a, int family) {
  a->s->family = family;
  if (a->x.legal && a->x.s->done.n) tn_candidates_add(a->s, a->x.s);
  if (a->x.legal && a->x.s->done.n) tn_trial_ahead(a);
  a->s->family = TN_FAMILY_GROWN;
  tn_scratch_rewind(a->s->t, a->mark);
}

// An item has so many elements, which lie beside each other or a group's width apart. lanes: they are a vector's.
static void tn_candidates_flat(tn_candidates *s, int64_t items, int64_t each, int apart, int lanes) {
  tn_trial_at a;
  tiny_uop *rest = NULL, *part = NULL, *item = NULL;
  if (tn_trial_open(&a, s) && a.p.nout) {
    tiny_uop *last = tn_trial_pad(&a.x, a.p.out[a.p.nout - 1], items * each);
    if (apart) item = tn_trial_split(&a.x, TN_OPT_LOCAL, last, items, &rest);
    part = tn_trial_split(&a.x, lanes ? TN_OPT_LANE : TN_OPT_UPCAST, apart ? rest : last, each, &rest);
    if (!apart) item = tn_trial_split(&a.x, TN_OPT_LOCAL, rest, items, &rest);
    a.x.legal &= (part || each == 1) && item;
    tn_trial_groups(&a.x);
  }
  tn_trial_close(&a, TN_FAMILY_FLAT);
}
// g items share the kernel's sum.
static void tn_trial_group(tn_trial *x, int64_t g) {
  if (!x->legal || g < 2) return;
  const tn_profile p = tn_profile_of(x->s);
  tiny_uop *r = tn_trial_pad(x, tn_grid_summed(p.reduce[0]), g);
  tn_opt o = tn_opt_of(x->s, TN_OPT_GROUP, 1, &r, g);
  tn_opt_set_operand(x->s, &o, tn_profile_of(x->s).reduce[0]);
  x->legal = x->legal && tn_opt_apply(x->s, &o);
}
// g items share each sum, and add up u elements at once; a group has so many outputs beside each other.
static void tn_candidates_sums(tn_candidates *s, int64_t outputs, int64_t g, int64_t u) {
  tn_trial_at a;
  tiny_uop *rest;
  a.x.legal = tn_trial_open(&a, s) && a.p.nreduce == 1 && !a.p.row && a.p.nout;
  tiny_uop *last = a.x.legal ? tn_trial_pad(&a.x, a.p.out[a.p.nout - 1], outputs) : NULL;
  tn_trial_split(&a.x, TN_OPT_LOCAL, last, outputs, &rest);
  tn_trial_group(&a.x, g);
  if (a.x.legal) tn_trial_groups(&a.x);
  const tn_profile p = tn_profile_of(a.x.s);
  for (int i = 0; i < p.nreduce && a.x.legal; i++) {
    tiny_uop *r = tn_grid_summed(p.reduce[i]);
    if (tn_range_kind(r) != TN_REDUCE || tn_axis_of(a.x.s, r) < 0) continue;
    tn_trial_split(&a.x, TN_OPT_UNROLL, r, tn_grid_divisor(tn_range_extent(r), u), &rest);
  }
  tn_trial_close(&a, g > 1 ? TN_FAMILY_GROUPS : TN_FAMILY_SUMS);
}
// A row is a group's, whose g items share what is summed along it.
static void tn_candidates_rows(tn_candidates *s, int64_t g, int64_t each) {
  tn_trial_at a;
  tiny_uop *row = NULL, *rest = NULL;
  if (tn_trial_open(&a, s) && !a.p.carried && !a.p.filled)
    for (int i = 0; i < a.p.nout; i++) if (!tn_grid_is_outer(a.x.s, &a.p, a.p.out[i])) row = a.p.out[i];
  tiny_uop *item = row ? tn_grid_items(a.x.s, row, g, &rest) : NULL;
  a.x.legal = item != NULL;
  if (item) {
    tn_grid_share_sums(a.x.s, item, tn_range_extent(item));
    tn_trial_groups(&a.x);
    tn_grid_unroll(a.x.s, TN_GRID_UNROLL);
    tiny_uop *left;
    if (rest && tn_axis_of(a.x.s, rest) >= 0)
      tn_trial_split(&a.x, TN_OPT_UPCAST, rest, tn_grid_divisor(tn_range_extent(rest), each), &left);
  }
  tn_trial_close(&a, TN_FAMILY_ROWS);
}

// A tile of a product: of side i a group has items[i] times each[i], of K it has k at a time in memory of the group,
// or 0: it reads where the operands lie. apart: an item's elements of side 1 lie a group's width apart.
typedef struct tn_grid_sizes { int items[2], each[2], k, apart; int64_t pad; } tn_grid_sizes;
typedef struct tn_tile_side { tiny_uop *r, *item, *each, *rest; } tn_tile_side;

static void tn_tile_split_side(tn_trial *x, tn_tile_side *side, int items, int each, int apart) {
  tiny_uop *r = tn_trial_pad(x, side->r, (int64_t)items * each);
  side->rest = r;
  if (apart) side->item = tn_trial_split(x, TN_OPT_SPLIT, r, items, &side->rest);
  side->each = tn_trial_split(x, TN_OPT_SPLIT, side->rest, each, &side->rest);
  if (!apart) side->item = tn_trial_split(x, TN_OPT_SPLIT, side->rest, items, &side->rest);
}
// The sides of the kernel's product, the one that is stored together last, and what it sums along; 0: it is none.
static int tn_tile_sides(tn_trial_at *a, tn_tile_side *side, tiny_uop **k) {
  tiny_ctx *t = a->s->t;
  const tn_profile *p = &a->p;
  tn_contraction fact;
  if (p->row || p->carried || p->filled || !tn_contraction_of_kernel(t, p, &fact) || fact.inside) return 0;
  for (int i = 0; i < 2; i++) side[i].r = tn_core_range(p, &fact, i);
  if (side[0].r && tn_stride_in(t, p->store->src[1], side[0].r) == 1) {
    const tn_tile_side last = side[0];
    side[0] = side[1]; side[1] = last;
  }
  for (int i = 0; i < p->nred; i++)
    if (!*k || tn_range_extent(p->red[i]) > tn_range_extent(*k)) *k = p->red[i];
  return side[0].r && side[1].r && side[0].r != side[1].r && *k;
}
// Both operands, copied to memory of the group: what a K block of a tile reads. next: of K, unrolled.
static void tn_tile_stage(tn_trial *x, const tn_tile_side *side, tiny_uop *part, tiny_uop *next, int64_t pad) {
  for (int i = 0; i < 2 && x->legal; i++) {
    tiny_uop *const inner[4] = {part, next, side[i].each, side[i].item};
    const tiny_uop *moves = side[i].item ? side[i].item : side[i].each;
    tn_trial_share(x, moves ? tn_grid_operand(x->s, moves) : NULL, 4, inner, pad);
  }
}
static void tn_candidates_tile(tn_candidates *s, const tn_grid_sizes *z) {
  enum { NEXT = 4 };                       // of K, unrolled
  tn_trial_at a;
  tn_tile_side side[2];
  tiny_uop *k = NULL, *part, *next = NULL, *rest;
  memset(side, 0, sizeof side);
  a.x.legal = tn_trial_open(&a, s) && tn_tile_sides(&a, side, &k);
  if (z->k) k = tn_trial_pad(&a.x, k, z->k);
  for (int i = 0; i < 2 && a.x.legal; i++)
    tn_tile_split_side(&a.x, &side[i], z->items[i], z->each[i], i && z->apart);
  part = z->k ? tn_trial_split(&a.x, TN_OPT_SPLIT, k, z->k, &rest) : k;
  if (part && z->k) next = tn_trial_split(&a.x, TN_OPT_SPLIT, part, NEXT, &part);
  if (z->k) tn_tile_stage(&a.x, side, part, next, z->pad);
  for (int i = 0; i < 2 && a.x.legal; i++) {
    tn_trial_kind(&a.x, TN_OPT_LOCAL, side[i].item);
    tn_trial_kind(&a.x, TN_OPT_GRID, side[i].rest);
    tn_trial_kind(&a.x, TN_OPT_UPCAST, side[i].each);
  }
  if (z->k) tn_trial_kind(&a.x, TN_OPT_UNROLL, next);
  else if (part) tn_trial_split(&a.x, TN_OPT_UNROLL, part, tn_grid_divisor(tn_range_extent(part), NEXT), &rest);
  if (a.x.legal) tn_trial_groups(&a.x);
  tn_trial_close(&a, z->k ? TN_FAMILY_STAGED : TN_FAMILY_TILES);
}
static void tn_candidates_tiles(tn_candidates *s) {
  static const uint8_t items[][2] = {{16, 16}, {8, 8}, {8, 16}, {8, 32}, {4, 8}, {1, 16}, {1, 64}},
                       each[][2] = {{4, 4}, {8, 8}, {4, 8}, {8, 4}, {2, 2}, {8, 1}, {1, 1}}, ks[] = {0, 8, 16, 32};
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
    for (size_t j = 0; j < sizeof each / sizeof *each; j++)
      for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
        for (int apart = 0; apart <= 1; apart++) {
          const tn_grid_sizes z = {{items[i][0], items[i][1]}, {each[j][0], each[j][1]}, ks[k], apart,
                                   ks[k] ? TN_GRID_PAD : 0};
          if (!apart || each[j][1] > 1) tn_candidates_tile(s, &z);
        }
}

// A tile of two axes, of which one lies together where the kernel reads and the other where it writes: side elements
// of each, rows of them at a time. pad: between rows of a copy in memory of the group; -1: there is none.
static void tn_candidates_turned(tn_candidates *s, int64_t side, int64_t rows, int64_t pad) {
  tn_trial_at a;
  tiny_uop *row = NULL, *last = NULL, *tile[2] = {NULL, NULL}, *rest, *left;
  if (tn_trial_open(&a, s) && a.p.nout > 1 && !a.p.nreduce && !a.p.carried && !a.p.filled) {
    last = a.p.out[a.p.nout - 1];
    for (int d = 0; d < a.p.nout - 1; d++)
      for (int i = 0; i < a.p.nload && !row; i++)
        if (tn_range_extent(a.p.out[d]) >= side && tn_grid_is_turned(a.x.s, a.p.load[i], a.p.out[d], last))
          row = a.p.out[d];
  }
  a.x.legal = row != NULL;
  tiny_uop *const axes[2] = {last, row};
  for (int i = 0; i < 2 && a.x.legal; i++)
    tile[i] = tn_trial_split(&a.x, TN_OPT_SPLIT, tn_trial_pad(&a.x, axes[i], side), side, &rest);
  for (int more = pad >= 0; more && a.x.legal;) {
    const tn_list loads = tn_kernel_collect(a.x.s, TINY_OP_LOAD);
    more = 0;
    for (int i = 0; i < loads.n && !more; i++) {
      const tiny_uop *index = loads.u[i]->src[0];
      more = index->src[0]->op == TINY_OP_PARAM && tn_grid_is_turned(a.x.s, index, tile[1], tile[0]);
      if (more) tn_trial_share(&a.x, loads.u[i], 2, tile, pad);
    }
  }
  tn_trial_kind(&a.x, TN_OPT_LOCAL, tile[0]);
  tn_trial_split(&a.x, TN_OPT_LOCAL, tile[1], rows, &left);
  tn_trial_kind(&a.x, TN_OPT_UPCAST, left);
  tn_trial_groups(&a.x);
  tn_trial_close(&a, TN_FAMILY_TURNED);
}

// A product by a unit of warps, so many along each side of a group, each of which has so many rows and columns; how:
// what may be boxes, as WMMA has it.
typedef struct tn_unit_sizes { uint8_t warps[2], side[2]; } tn_unit_sizes;
static void tn_candidates_unit(tn_candidates *s, const tn_unit_sizes *z, int64_t how) {
  tn_trial_at a;
  tn_unit_plan plan;
  tiny_uop *axis[3], *part[2 * TN_UNIT_SIDES], *rest;
  int number = 0;
  const int usable = tn_trial_open(&a, s);
  const tiny_warp_unit *unit = usable ? tn_warp_find(a.x.s, &a.p, axis, &number) : NULL;
  a.x.legal = unit && tn_unit_plan_of(unit, &plan);
  if (a.x.legal) tn_trial_pad(&a.x, axis[2], tn_unit_k(&plan));
  for (int i = 0; i < TN_UNIT_SIDES && a.x.legal; i++) {
    const int64_t group = (int64_t)z->warps[i] * z->side[i];
    tiny_uop *block = tn_trial_split(&a.x, TN_OPT_SPLIT, tn_trial_pad(&a.x, axis[i], group), group, &rest);
    part[2 * i + 1] = tn_trial_split(&a.x, TN_OPT_SPLIT, block, z->side[i], &part[2 * i]);
  }
  if (a.x.legal) {
    tn_opt o = tn_opt_of(a.x.s, TN_OPT_WMMA, 2 * TN_UNIT_SIDES, part, how);
    o.number = (int16_t)number;
    a.x.legal = tn_opt_apply(a.x.s, &o);
  }
  if (a.x.legal) tn_trial_groups(&a.x);
  tn_trial_close(&a, TN_FAMILY_UNITS);
}
static void tn_candidates_units(tn_candidates *s) {
  static const uint8_t warps[][2] = {{2, 2}, {4, 2}, {2, 4}, {1, 4}, {4, 1}, {1, 2}, {2, 1}, {1, 1}},
                       side[][2] = {{64, 64}, {32, 32}, {64, 32}, {32, 64}, {16, 64}, {64, 16}, {16, 16}};
  static const uint8_t how[] = {0, 1, 1 + TN_UNIT_BOXES, 1 + TN_UNIT_BOXES + TN_UNIT_BOX_ALL};
  const size_t ways = tn_target_copies_boxes(s->target) ? sizeof how : 1;
  for (size_t i = 0; i < sizeof warps / sizeof *warps; i++)
    for (size_t j = 0; j < sizeof side / sizeof *side; j++) {
      const tn_unit_sizes z = {{warps[i][0], warps[i][1]}, {side[j][0], side[j][1]}};
      for (size_t k = 0; k < ways; k++) tn_candidates_unit(s, &z, how[k]);
    }
}

// Sums that go on with a maximum, of all that it scales. *axes: of the kernel then. 0: they do not.
static int tn_trial_online(tn_trial_at *a, tn_online_axes *axes) {
  const tn_profile *p = &a->p;
  tn_kernel_state *k = a->x.s;
  if (p->carried || p->filled || p->nreduce < 3 || p->end->op != TINY_OP_END ||
      !tn_online_axes_of(k->t, k->sink, p->nout, p->out, axes) || !tn_grid_online_sums(k, p, axes->max))
    return 0;
  a->p = tn_profile_of(k);
  return tn_online_axes_of(k->t, k->sink, a->p.nout, a->p.out, axes);
}
// With blocks of keys, of tile number i; TN_ONLINE_TILES: each item has an element of the result, and all keys.
static void tn_candidates_online(tn_candidates *s, int i) {
  tn_trial_at a;
  tn_online_axes axes;
  tn_online_tile tile;
  a.x.legal = tn_trial_open(&a, s) && tn_trial_online(&a, &axes);
  if (a.x.legal && i == TN_ONLINE_TILES) tn_grid_elements(a.x.s, &a.p);
  else if (a.x.legal) {
    a.x.legal = tn_online_tile_at(s->target->limits, &axes, i, &tile) &&
        tn_opt_fits(a.x.s, 1, tile.row_items * tile.column_items);
    if (a.x.legal) tn_grid_blocks(a.x.s, &axes, &tile);
  }
  tn_trial_close(&a, TN_FAMILY_ONLINE);
}
// Products within a sum, by unit number `unit`.
static void tn_candidates_nested(tn_candidates *s, const tn_warp_nested_tile *tile, int unit) {
  tn_trial_at a;
  tn_online_axes axes;
  tn_nested nested;
  int n = 0;
  const tiny_warp_unit *units = tn_target_units(s->target, &n);
  a.x.legal = tn_trial_open(&a, s) && a.p.nreduce > 1 && !a.p.carried && !a.p.filled && unit < n;
  if (a.x.legal) {
    const int online = tn_trial_online(&a, &axes);
    a.x.legal = (online || !a.x.s->done.n) && tn_warp_nested_find(a.x.s, &a.p, online ? &axes : NULL, &nested) &&
        tn_unit_nests(a.x.s->target->limits, &units[unit], nested.dtype) &&
        tn_warp_nested_try(a.x.s, &nested, tile, &units[unit], unit);
  }
  if (a.x.legal) tn_trial_groups(&a.x);
  tn_trial_close(&a, TN_FAMILY_NESTED);
}
static void tn_candidates_nests(tn_candidates *s) {
  static const tn_warp_nested_tile tiles[] = {{4, 16, 1, 64}, {4, 16, 1, 32}, {2, 32, 2, 64}, {2, 16, 2, 64},
    {4, 16, 1, 128}, {2, 16, 1, 128}, {8, 16, 1, 64}, {2, 32, 1, 64}, {4, 32, 1, 64}, {1, 16, 1, 64}, {2, 16, 1, 32}};
  int n = 0;
  tn_target_units(s->target, &n);
  for (int i = 0; i < n; i++)
    for (size_t j = 0; j < sizeof tiles / sizeof *tiles; j++) tn_candidates_nested(s, &tiles[j], i);
}
// A sum that is added to memory in so many parts, then as the heuristics have it.
static void tn_candidates_added(tn_candidates *s, int64_t parts) {
  tn_trial_at a;
  a.x.legal = tn_trial_open(&a, s) && a.p.adds && tn_grid_add_parts(a.x.s, &a.p, parts);
  if (a.x.legal && !tn_grid_products(a.x.s, &a.p) && !tn_grid_sums(a.x.s, &a.p)) tn_grid_elements(a.x.s, &a.p);
  tn_trial_close(&a, TN_FAMILY_ADDED);
}

// All of them. Returns how many families there are.
static int tn_candidates_of_grid(tn_candidates *s) {
  const int64_t most = tn_machine_items(s->target->limits);
  s->depth = TN_CANDIDATES_DEPTH + 1;
  tn_candidates_units(s);
  tn_candidates_nests(s);
  for (int i = 0; i <= TN_ONLINE_TILES; i++) tn_candidates_online(s, i);
  for (int64_t parts = 2; parts <= TN_SPLIT_PARTS; parts *= 2) tn_candidates_added(s, parts);
  for (int64_t items = 16; items <= 256 && items <= most; items *= 2)
    for (int each = 1; each <= 8; each *= 2)
      for (int how = 0; how < 3; how++)
        if (each > 1 || !how) tn_candidates_flat(s, items, each, how == 1, how == 2);
  for (int64_t outputs = 1; outputs <= 128; outputs *= outputs > 1 ? 2 : 8)
    for (int64_t g = 1; g <= 256 && g * outputs <= most; g *= g > 1 ? 2 : 4)
      for (int u = 1; u <= 16; u *= 4) tn_candidates_sums(s, outputs, g, u);
  for (int64_t g = 16; g <= 512 && g <= most; g *= 2)
    for (int each = 1; each <= 8; each *= 2) tn_candidates_rows(s, g, each);
  tn_candidates_tiles(s);
  for (int64_t side = 8; side <= 64; side *= 2)
    for (int64_t rows = 2; rows <= side && rows <= 16; rows *= 2)
      for (int pad = -1; pad <= 1; pad++) if (side * rows <= most) tn_candidates_turned(s, side, rows, pad);
  return TN_FAMILIES;
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
      fabs(x->cost.memory - y->cost.memory) <= TN_ALIKE * x->cost.memory && x->cost.tasks == y->cost.tasks &&
      x->ahead == y->ahead;
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
    if (!tn_machine_grid(s->target->limits)) tn_make_tasks(k, work, packs ? 1 : TN_ALL_LOOPS);
    tn_candidates_add(s, k);
  }
  tn_scratch_rewind(s->t, mark);
  tn_candidates_sweep(s);
}

// Has one that is much alike been taken? Those that were are of depth -1.
static int tn_candidates_has_alike(const tn_candidates *way, int i) {
  for (int j = 0; j < way->n; j++)
    if (way->found[j].depth < 0 && tn_candidates_alike(&way->found[i], &way->found[j])) return 1;
  return 0;
}
// The cheapest of a family that has not been taken, and is like none that was; -1: there is none.
static int tn_candidates_next(const tn_candidates *way, int family) {
  for (int i = 0; i < way->n; i++)
    if (way->found[i].family == family && way->found[i].depth >= 0 && !tn_candidates_has_alike(way, i)) return i;
  return -1;
}

// Lists from the bare kernel, at most n, one of each family in turn, its cheapest first: s->found holds them and
// nothing else. A price that is wrong about an idea thus costs that idea's place alone.
static void tn_candidates_seeds(tn_candidates *s, int n) {
  tn_candidates way = *s;
  tn_schedule *next = (tn_schedule *)tn_scratch(s->t, TN_CANDIDATES_WIDTH * sizeof *next);
  int width = 1, families = 1;
  memset(&next[0], 0, sizeof next[0]);
  s->n = way.n = 0;
  way.found = (tn_candidate *)tn_scratch(s->t, TN_CANDIDATES_MOST * sizeof *way.found);
  if (tn_machine_grid(s->target->limits)) families = tn_candidates_of_grid(&way);      // before others fill it
  for (way.depth = 1; width && way.depth <= TN_CANDIDATES_DEPTH; way.depth++) {
    for (int i = 0; i < width; i++) tn_candidates_grow(&way, &next[i]);
    qsort(way.found, (size_t)way.n, sizeof *way.found, tn_candidates_cheaper);
    width = 0;
    for (int i = 0; i < way.n && width < TN_CANDIDATES_WIDTH; i++)
      if (way.found[i].depth == way.depth && way.found[i].list.n < TN_CANDIDATES_SEED)
        next[width++] = way.found[i].list;
  }
  qsort(way.found, (size_t)way.n, sizeof *way.found, tn_candidates_cheaper);
  for (int left = 1; left && s->n < n;) {
    left = 0;
    for (int f = families - 1; f >= 0 && s->n < n; f--) {
      const int i = tn_candidates_next(&way, f);
      if (i < 0) continue;
      left = 1;
      way.found[i].depth = -1;             // taken
      s->family = f;
      tn_candidates_try_tasks(s, &way.found[i].list);
    }
  }
  s->family = 0;
}

// ** what lies around a list **

static int tn_candidates_step(const int *sizes, int n, int64_t from, int by) {
  for (int i = 0; i < n; i++) if (sizes[i] == from) return i + by >= 0 && i + by < n ? sizes[i + by] : 0;
  return 0;
}

// The opt's amount a size up (by 1) or down (by -1); 0: there is none.
static int64_t tn_candidates_amount(const tn_opt *o, int by) {
  int64_t n = 0;
  if (o->kind == TN_OPT_STAGE && !o->amount && by > 0) return 1;           // rows a word further apart
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

// Of an axis that is all GRID, so many groups that all of the kernel's fill the units once: persistent blocks, which
// walk over what is left of it. 0: there are no more groups than that.
static int64_t tn_candidates_persistent(const tn_kernel_state *k, const tn_opt *o) {
  int64_t groups = 1;
  if (o->kind != TN_OPT_GRID || o->amount) return 0;
  for (int i = 0; i < k->naxes; i++)
    if (tn_range_kind(k->axis[i]) == TN_GLOBAL) groups = tn_clamp_mul(groups, tn_range_extent(k->axis[i]));
  const int64_t part = tn_clamp_mul(tn_machine_units(k->target->limits), tn_range_extent(k->axis[o->axis[0]])) / groups;
  return part > 1 && part < tn_range_extent(k->axis[o->axis[0]]) ? part : 0;
}

// The list with so much of the axis of opt i. Its part is an axis more, before those that later opts make.
static void tn_schedule_part(const tn_schedule *list, int i, int64_t amount, int made, tn_schedule *out) {
  memcpy(out, list, sizeof *out);
  out->opt[i].amount = amount;
  for (int j = i + 1; j < out->n; j++)
    for (int a = 0; a < out->opt[j].naxes; a++) if (out->opt[j].axis[a] >= made) out->opt[j].axis[a]++;
}

static void tn_candidates_around(tn_candidates *s, const tn_schedule *list) {
  tn_schedule *other = (tn_schedule *)tn_scratch(s->t, sizeof *other);
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_kernel_state *k = (tn_kernel_state *)tn_scratch(s->t, sizeof *k);
  int made[TN_SCHEDULE_OPTS + 1];
  int64_t persistent[TN_SCHEDULE_OPTS];
  s->depth++;
  s->t->ir->serial = s->serial;
  tn_state_open(k, s->t, s->sink, s->target);
  for (int i = 0; i < list->n; i++) {
    made[i] = k->naxes;
    if (!tn_opt_apply(k, &list->opt[i])) { tn_scratch_rewind(s->t, mark); return; }
  }
  made[list->n] = k->naxes;
  for (int i = 0; i < list->n; i++) persistent[i] = tn_candidates_persistent(k, &list->opt[i]);
  tn_scratch_rewind(s->t, mark);
  tn_candidates_sweep(s);
  for (int i = 0; i < list->n; i++) {
    for (int by = -1; by <= 1; by += 2) {
      memcpy(other, list, sizeof *other);
      other->opt[i].amount = tn_candidates_amount(&list->opt[i], by);
      if (other->opt[i].amount) tn_candidates_try(s, other);
    }
    for (int times = 1; persistent[i] && times <= TN_CANDIDATES_RESIDENT; times *= 2) {
      tn_schedule_part(list, i, times * persistent[i], made[i + 1], other);
      tn_candidates_try(s, other);
    }
    tn_schedule_without(list, i, made, other);
    tn_candidates_try(s, other);
  }
  tn_candidates_grow(s, list);
}
#endif
