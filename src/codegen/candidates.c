// candidates: recipes worth trying for a kernel, the most promising first, told by their static cost.
//
// In:  a kernel as the scheduler wrote it. Out: candidates: recipes, their cost, and what tells equal kernels apart.
// tn_candidates_seeds grows recipes from the bare kernel move by move and keeps those that cost least; nothing is
// lowered. tn_candidates_around makes what differs by one move from a recipe that has been timed.
// Nodes that were made on the way are swept as it goes: the context must hold nothing else.
#ifndef TN_CODEGEN_CANDIDATES
#define TN_CODEGEN_CANDIDATES
#ifndef TINY_AMALGAMATED
#include "recipe.c"
#endif

enum { TN_CANDIDATES_MOST = 4096, TN_CANDIDATES_NODES = 1 << 17, TN_CANDIDATES_DEPTH = 8, TN_CANDIDATES_WIDTH = 10 };

#define TN_ALIKE 0.003

typedef struct tn_candidate {
  tn_recipe recipe; tn_cost cost; double expected;       // expected: cycles on the cores that are there
  uint64_t same;                           // equal for equal kernels
  double ns;                               // measured; 0: not yet; HUGE_VAL: it was not to be had, or too slow
  void *kernel;                            // the backend's, for as long as its module is loaded
  int64_t global[3], local[3], tasks; size_t local_nbytes;
  int depth;                               // of the search that found it
} tn_candidate;

typedef struct tn_candidates {
  tiny_ctx *t; tiny_uop *kept, *sink; const tn_target *target;   // kept: another node that has to live
  int64_t serial;                          // of the context before the first move: every trial begins with it
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

// Adds a recipe and the kernel it gives, unless that was found before.
static void tn_candidates_add(tn_candidates *s, const tn_recipe *r, tiny_uop *sink, const tn_cost *cost) {
  const uint64_t same = tn_candidates_same(s->t, sink);
  for (int i = 0; i < s->n; i++) if (s->found[i].same == same) return;
  if (s->n == TN_CANDIDATES_MOST) return;
  tn_candidate *c = &s->found[s->n++];
  memset(c, 0, sizeof *c);
  c->expected = tn_cost_on(cost, s->cores);
  c->recipe = *r; c->cost = *cost; c->same = same; c->depth = s->depth;
}

static void tn_candidates_try(tn_candidates *s, const tn_recipe *r) {
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_cost cost;
  s->t->ir->serial = s->serial;
  tiny_uop *sink = tn_recipe_apply(s->t, s->sink, s->target, r, &cost);
  if (sink) tn_candidates_add(s, r, sink, &cost);
  tn_scratch_rewind(s->t, mark);
  tn_candidates_sweep(s);
}

// ** one more move **

typedef struct tn_candidates_base {
  tn_kernel_state state; int64_t serial; const tn_recipe *recipe;
} tn_candidates_base;

static void tn_candidates_extend(tn_candidates *s, const tn_candidates_base *b, int letter, int at, int by) {
  const tn_mark mark = tn_scratch_mark(s->t);
  tn_recipe r = *b->recipe;
  tn_kernel_state state = b->state;
  tn_cost cost;
  tn_recipe_move *m = &r.move[r.n++];
  m->letter = letter; m->at = at; m->by = by;
  s->t->ir->serial = b->serial;
  if (tn_recipe_move_apply(&state, s->target, m)) {
    state.sink = tn_simplify(s->t, state.sink);
    if (tn_cost_of(s->t, state.sink, s->target->limits, &cost)) tn_candidates_add(s, &r, state.sink, &cost);
  }
  tn_scratch_rewind(s->t, mark);
}

static void tn_candidates_extend_range(tn_candidates *s, const tn_candidates_base *b, const tn_profile *p,
                                       int at) {
  const int out = at < p->nout, most = tn_target_lanes(s->target, p);
  const tiny_uop *r = out ? p->out[at] : p->red[at - p->nout];
  const int64_t n = tn_range_extent(r);
  if (tn_range_kind(r) != (out ? TN_LOOP : TN_REDUCE)) return;
  for (int lanes = most; lanes >= 4 && lanes >= most / 2; lanes /= 2) tn_candidates_extend(s, b, 'v', at, lanes);
  for (int i = 0; i < TN_CANDIDATES_COPIES; i++)
    if (tn_candidates_copies[i] <= n) tn_candidates_extend(s, b, out ? 'u' : 'n', at, tn_candidates_copies[i]);
  for (int i = 0; i < TN_CANDIDATES_BLOCKS; i++)
    if (tn_candidates_blocks[i] < n) tn_candidates_extend(s, b, 'b', at, tn_candidates_blocks[i]);
  if (n > most) tn_candidates_extend(s, b, 'p', at, most);
}

// All recipes that are r and one more move.
static void tn_candidates_grow(tn_candidates *s, const tn_recipe *r) {
  tn_candidates_base b;
  tn_profile p;
  tn_cost cost;
  tn_list loads = {NULL, 0, 0};
  tn_candidates_sweep(s);
  if (r->n == TN_RECIPE_MOVES) return;
  s->t->ir->serial = s->serial;
  b.state.t = s->t; b.recipe = r;
  b.state.sink = tn_recipe_apply(s->t, s->sink, s->target, r, &cost);
  b.serial = s->t->ir->serial;
  if (!b.state.sink) return;
  tn_profile_kernel(s->t, b.state.sink, &p);
  if (!p.usable) return;
  tn_collect_op(s->t, b.state.sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < p.nout + p.nred; i++) tn_candidates_extend_range(s, &b, &p, i);
  for (int i = 0; i < p.nout + p.nred; i++)
    for (int j = i + 1; j < p.nout + p.nred; j++) tn_candidates_extend(s, &b, 's', i, j);
  for (int i = 0; i < loads.n; i++) for (int j = 0; j < p.nout && j < 4; j++) tn_candidates_extend(s, &b, 'k', i, j);
  if (p.row && !r->n) tn_candidates_extend(s, &b, 'r', 0, 0);
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

// Tasks for a recipe whose other moves are made. A panel is packed once for each of the outermost loops.
static void tn_candidates_add_tasks(const tn_candidates *s, tn_recipe *r) {
  tn_profile p;
  int packs = 0;
  tn_profile_kernel(s->t, s->sink, &p);
  const double work = tn_work(&p) * (p.carried ? (double)tn_range_extent(p.carried) : 1);
  const double tasks = work / (double)TN_TASK_WORK;
  const int want = tasks < (double)TN_MAX_TASKS ? (int)tasks : TN_MAX_TASKS;
  for (int i = 0; i < r->n; i++) packs |= r->move[i].letter == 'k';
  if (want < 2 || r->n == TN_RECIPE_MOVES) return;
  tn_recipe_move *m = &r->move[r->n++];
  m->letter = 't'; m->at = packs ? 1 : TN_MAX_RANGES; m->by = want;
}

// Recipes from the bare kernel, cheapest first, at most n: s->found holds them and nothing else.
static void tn_candidates_seeds(tn_candidates *s, int n) {
  tn_candidates way = *s;
  tn_recipe bare, next[TN_CANDIDATES_WIDTH];
  int width = 1;
  memset(&bare, 0, sizeof bare);
  bare.plain = 1;
  next[0] = bare;
  s->n = way.n = 0;
  way.found = (tn_candidate *)tn_scratch(s->t, TN_CANDIDATES_MOST * sizeof *way.found);
  for (way.depth = 1; width && way.depth <= TN_CANDIDATES_DEPTH; way.depth++) {
    for (int i = 0; i < width; i++) tn_candidates_grow(&way, &next[i]);
    qsort(way.found, (size_t)way.n, sizeof *way.found, tn_candidates_cheaper);
    width = 0;
    for (int i = 0; i < way.n && width < TN_CANDIDATES_WIDTH; i++)
      if (way.found[i].depth == way.depth) next[width++] = way.found[i].recipe;
  }
  for (int i = 0; i < way.n && s->n < n; i++) {
    tn_recipe r = way.found[i].recipe;
    int alike = 0;
    for (int j = 0; j < i && !alike; j++)
      alike = way.found[j].depth < 0 && tn_candidates_alike(&way.found[i], &way.found[j]);
    if (alike) continue;
    way.found[i].depth = -1;               // taken
    tn_candidates_add_tasks(s, &r);
    tn_candidates_try(s, &r);
  }
}

// ** what lies around a recipe **

static int tn_candidates_step(const int *sizes, int n, int from, int by) {
  for (int i = 0; i < n; i++) if (sizes[i] == from) return i + by >= 0 && i + by < n ? sizes[i + by] : 0;
  return 0;
}

// The move's factor a size up (by 1) or down (by -1); 0: there is none.
static int tn_candidates_factor(const tn_recipe_move *m, int by) {
  switch (m->letter) {
    case 'u': case 'n': return tn_candidates_step(tn_candidates_copies, TN_CANDIDATES_COPIES, m->by, by);
    case 'b': return tn_candidates_step(tn_candidates_blocks, TN_CANDIDATES_BLOCKS, m->by, by);
    case 'v': case 't': return by > 0 ? m->by * 2 : m->by / 2;
    case 'k': return m->by + by < 0 ? 0 : m->by + by;
    default: return 0;
  }
}

static void tn_candidates_around(tn_candidates *s, const tn_recipe *r) {
  tn_recipe other;
  s->depth++;
  for (int i = 0; i < r->n; i++) {
    for (int by = -1; by <= 1; by += 2) {
      other = *r;
      other.move[i].by = tn_candidates_factor(&r->move[i], by);
      if (other.move[i].by) tn_candidates_try(s, &other);
    }
    other = *r;                            // without the move
    memmove(&other.move[i], &other.move[i + 1], (size_t)(r->n - i - 1) * sizeof *other.move);
    other.n--;
    tn_candidates_try(s, &other);
  }
  if (!r->n || r->move[r->n - 1].letter != 't') { tn_candidates_grow(s, r); return; }
  const int from = s->n;
  other = *r;
  other.n--;                               // tasks stay the last move
  tn_candidates_grow(s, &other);
  const int to = s->n;
  s->n = from;
  for (int i = from; i < to; i++) {
    other = s->found[i].recipe;
    if (other.n == TN_RECIPE_MOVES) continue;
    other.move[other.n++] = r->move[r->n - 1];
    tn_candidates_try(s, &other);
  }
}
#endif
