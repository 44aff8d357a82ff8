// rangeify: decides which nodes of a tensor graph are stored, and writes the kernel of each.
//
// In:  a graph in topological order whose leaves are BUFFERs and realized nodes. Out: one SINK per stored node, over
//      RANGEs, reading PARAMs; a table says which node each PARAM and ARG stands for.
// First pass, from the outputs to the inputs: every node gets its uses, each with the index expressions at which a
// kernel wants it. A node is stored when computing it at its uses would repeat work: a REDUCE that two kernels, two
// indices or a reduce loop want; elementwise work that costs more to repeat than to write and read back.
// Second pass: every stored node pulls its expression through the graph. Movement ops are index arithmetic in both.
// An index list is one node, (GROUP i0 i1 .. valid), so that equal lists are equal pointers.
//
// A REDUCE whose indices are some of a kernel's output ranges (its scope) runs in loops between those ranges and the
// others: softmax and layernorm over rows become one kernel that walks each row several times while it is in cache.
#ifndef TN_SCHEDULE_RANGEIFY
#define TN_SCHEDULE_RANGEIFY
#ifndef TINY_AMALGAMATED
#include "../ir/kernel.c"
#include "../tensor/optim.c"
#include "../rules/reduce.c"
#include "../rules/decompose.c"
#include "../rules/notation_end.c"
#include "../shape/view.c"
#endif

// PAD_REUSE: reads of an element from which a padded copy pays.
enum { TN_MAX_USES = 6, TN_MAX_DEPTH = 160, TN_CUT_DEPTH = 128, TN_MAX_REDUCES = 6,
  TN_ROW_MIN = 64, TN_ROW_MAX_NELEM = 1 << 16,
  TN_ROW_SMALL = 1 << 15, TN_MASK_COST = 16, TN_PAD_REUSE = 4, TN_EFFORT_NODES = 128,
  TN_EFFORT_INPUTS = 12, TN_INPUT_COST = 4, TN_STORE_COST = 24, TN_STORE_APART = 40,
  TN_AT_NODES = 256, TN_KERNEL_COST = 4096, TN_CONTRACTION = 1 << 14 };

typedef struct tn_use { int kernel; tiny_uop *at; double evals; } tn_use;

typedef struct tn_node {                   // what is known of a node of the graph
  tiny_uop *u, *place;                     // place: tn_place(u)
  tn_use *use, first; int nuse;            // first: memory for the only use that most have
  uint8_t leaf, forced, stored, has_reduce, has_iota;
  uint8_t is_mask;                         // cheap, of positions and scalars alone: every kernel makes its own
  double once;                             // of a REDUCE that is a scatter or scan: summands it has; else 0
  int scans, along;                        // 1: a scan, 2: one from the end; its axis
  // Of the expression below: levels, down to leaves; REDUCEs in a row; operations.
  int depth, reduces; double cost;
  int users, seen;                         // sources of nodes that it is; of those that a walk has passed
} tn_node;

// Kernels that work in rounds: what the rounds count, outer axes first. ARGs get the positions (rooms rounds and plan).
enum { TN_ROUNDS_AXES = TINY_MAX_DIMS };
typedef struct tn_round_axis { int64_t from, step, count; } tn_round_axis;
typedef struct tn_round_axes { tn_round_axis axis[TN_ROUNDS_AXES]; int n; } tn_round_axes;

typedef struct tn_kernel {                 // one stored node
  tiny_uop *node, *ast;
  tiny_uop *scope;                         // (GROUP ranges..) of its REDUCEs, NULL: it has none
  int contraction;                         // its REDUCE is one, and remains the only one
  tiny_uop *at; int nrange;                // its output ranges; how many ranges it has, numbered from 1
  tn_pairs reduce_at;                      // REDUCE, list -> the list of its source
  tiny_uop *loop; int scans;               // the one along which scans run, and which way
  tiny_uop **mem; int nmem, mem_cap;       // PARAM slot -> node that is stored there or a leaf; slot 0: the output
  tiny_uop **arg; int narg, arg_cap;       // ARG slot -> SCALAR, or CONST: the position on that axis of the rounds
  int group, rounds;                       // kernels that stay together, 0: alone; number of their rounds, 0: none
} tn_kernel;

typedef struct tn_graph {
  tiny_ctx *t;
  tn_node *node; int n;                    // by seq
  tn_kernel *kernel; int nkernel, kernel_cap;
  tn_pairs pulled; tn_map params, args;    // of the kernel that is written: node, list -> value; node -> 1 + slot
  tn_map written;                          // SINK as it was pulled -> tn_written
  int trial;                               // an expression is pulled to be looked at: REDUCEs are memory
  tn_round_axes *rounds; int nrounds, rounds_cap, ngroup, nmarker;
  tn_map slabs;                            // memory that is written anew in every round
  int first, nfirst;                       // roots that are wanted before the others; kernels that they need
} tn_graph;

static tn_node *tn_graph_node(tn_graph *g, const tiny_uop *u) {
  return &g->node[u->seq];
}

// The memory in which a stored node or leaf lives: an ASSIGN lives in its base.
static tiny_uop *tn_place(const tiny_uop *u) {
  while (u->op == TINY_OP_ASSIGN && !u->realized) u = u->src[0];
  return u->realized ? u->realized : (tiny_uop *)(uintptr_t)u;
}
// The same of many: places of those that were asked for are known, sources are asked for before users.
static tiny_uop *tn_place_known(tiny_ctx *t, tn_map *known, tiny_uop *u) {
  if (u->op != TINY_OP_ASSIGN || u->realized) return tn_place(u);
  tiny_uop *at = (tiny_uop *)tn_map_get(known, u->src[0]);
  if (!at) at = tn_place(u->src[0]);
  tn_map_set(t, known, u, at);
  return at;
}

static tiny_uop *tn_boxed(int i) { return (tiny_uop *)(intptr_t)(i + 1); }     // numbers as elements of lists and maps
static int tn_unboxed(const void *p) { return (int)(intptr_t)p - 1; }           // -1: none

// Which kernels touch a memory, by their slots: 0 is what they store, the others what they read.
typedef struct tn_access { int kernel, slot, next; } tn_access;          // next: 1 + the next of this memory, 0: none
typedef struct tn_accesses { tn_map first; tn_access *row; int n, cap; } tn_accesses;

// Those that store come first, then those that read, each in the order of kernels and slots.
static tn_accesses tn_graph_accesses(tn_graph *g) {
  tn_accesses a;
  memset(&a, 0, sizeof a);
  for (int stores = 0; stores < 2; stores++)
    for (int i = g->nkernel - 1; i >= 0; i--) for (int slot = g->kernel[i].nmem - 1; slot >= 0; slot--) {
      if (stores != !slot) continue;
      tn_access *row = TN_PUSH(g->t, a.row, a.n, a.cap, tn_access);
      row->kernel = i; row->slot = slot;
      row->next = (int)(intptr_t)tn_map_get(&a.first, g->kernel[i].mem[slot]);
      tn_map_set(g->t, &a.first, g->kernel[i].mem[slot], (void *)(intptr_t)a.n);
    }
  return a;
}
static const tn_access *tn_access_at(const tn_accesses *a, int number) { return number ? &a->row[number - 1] : NULL; }
static const tn_access *tn_access_first(const tn_accesses *a, const tiny_uop *memory) {
  return tn_access_at(a, (int)(intptr_t)tn_map_get(&a->first, memory));
}
static const tn_access *tn_access_next(const tn_accesses *a, const tn_access *row) {
  return tn_access_at(a, row->next);
}

static int64_t tn_nelem(const tiny_uop *u) {
  int64_t n = 1;
  for (int i = 0; i < u->ndim; i++) n *= u->dim[i];
  return n;
}

// ** index lists **

static tiny_uop *tn_at(tiny_ctx *t, int n, tiny_uop **index, tiny_uop *valid) {
  index[n] = valid;
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, n + 1, index, 0, 0, NULL);
}
static tiny_uop *tn_at_valid(const tiny_uop *at) { return at->src[at->nsrc - 1]; }

static tiny_uop *tn_at_scalar(tiny_ctx *t, tiny_uop *valid) {
  tiny_uop *index[1];
  return tn_at(t, 0, index, valid);
}

// A range that kernel k has not yet. Each kernel numbers its own, so that those of one structure are made of the same
// nodes.
static tiny_uop *tn_kernel_range(tiny_ctx *t, tn_kernel *k, int64_t extent, int kind) {
  tiny_uop *end = tn_index(t, extent);
  return tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, &end, (int64_t)++k->nrange << 8 | kind, 0, NULL);
}

// Fresh ranges over a shape; dims of 1 are index 0.
static tiny_uop *tn_at_fresh(tiny_ctx *t, tn_kernel *k, const tiny_uop *u) {
  tiny_uop *index[TINY_MAX_DIMS + 1];
  for (int i = 0; i < u->ndim; i++)
    index[i] = u->dim[i] == 1 ? tn_index(t, 0) : tn_kernel_range(t, k, u->dim[i], TN_LOOP);
  return tn_at(t, u->ndim, index, tn_bool(t, 1));
}

static tiny_uop *tn_flat(tiny_ctx *t, int n, tiny_uop *const *index, const int64_t *dim) {
  tiny_uop *flat = tn_index(t, 0);
  for (int i = 0; i < n; i++)
    flat = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, flat, tn_index(t, dim[i])), index[i]);
  return tn_simplify(t, flat);
}

// Index list of a reshaped node -> of its source. Dims are matched in the smallest groups of equal size, so that
// division and modulo appear only where dims really split or join.
static void tn_at_reshape(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *out, tiny_uop **in) {
  const tiny_uop *x = u->src[0];
  int i = 0, o = 0;
  while (i < x->ndim || o < u->ndim) {
    const int i0 = i, o0 = o;
    int64_t ni = i < x->ndim ? x->dim[i++] : 1, no = o < u->ndim ? u->dim[o++] : 1;
    while (ni != no) {
      if (ni < no ? i == x->ndim : o == u->ndim) { tn_stop(t, "rangeify: a RESHAPE to another size"); return; }
      if (ni < no) ni *= x->dim[i++]; else no *= u->dim[o++];
    }
    if (i - i0 == 1 && o - o0 == 1) { in[i0] = out[o0]; continue; }
    tiny_uop *flat = tn_flat(t, o - o0, out + o0, u->dim + o0);
    for (int d = i - 1; d >= i0; d--) {
      in[d] = d == i0 ? flat : tn_simplify(t, tn_u2(t, TINY_OP_MOD, flat, tn_index(t, x->dim[d])));
      if (d > i0) flat = tn_simplify(t, tn_u2(t, TINY_OP_IDIV, flat, tn_index(t, x->dim[d])));
    }
  }
}

static tiny_uop *tn_at_pad(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *out, tiny_uop **in,
                           tiny_uop *valid) {
  const tiny_uop *x = u->src[0];
  for (int i = 0; i < x->ndim; i++) {
    const int64_t before = u->v[2 * i], after = u->v[2 * i + 1];
    in[i] = before ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], tn_index(t, -before))) : out[i];
    if (before > 0)
      valid = tn_u2(t, TINY_OP_AND, valid, tn_not(t, tn_u2(t, TINY_OP_LT, in[i], tn_index(t, 0))));
    if (after > 0) valid = tn_u2(t, TINY_OP_AND, valid, tn_u2(t, TINY_OP_LT, in[i], tn_index(t, x->dim[i])));
  }
  return tn_simplify(t, valid);
}

// The index list at which a movement op's source is wanted when the op itself is wanted at `at`.
static tiny_uop *tn_at_source(tiny_ctx *t, const tiny_uop *u, tiny_uop *at) {
  const tiny_uop *x = u->src[0];
  tiny_uop *in[TINY_MAX_DIMS + 1], *valid = tn_at_valid(at), **out = at->src;
  switch (u->op) {
    case TINY_OP_RESHAPE:
      if (tn_nelem(u) == 0) for (int i = 0; i < x->ndim; i++) in[i] = tn_index(t, 0);
      else tn_at_reshape(t, u, out, in);
      break;
    case TINY_OP_PERMUTE: for (int i = 0; i < u->ndim; i++) in[u->v[i]] = out[i]; break;
    case TINY_OP_EXPAND:
      for (int i = 0; i < u->ndim; i++) in[i] = x->dim[i] == 1 ? tn_index(t, 0) : out[i];
      break;
    case TINY_OP_SHRINK:
      for (int i = 0; i < u->ndim; i++)
        in[i] =
            u->v[2 * i] ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], tn_index(t, u->v[2 * i]))) : out[i];
      break;
    case TINY_OP_PAD: valid = tn_at_pad(t, u, out, in, valid); break;
    case TINY_OP_FLIP:
      for (int i = 0; i < u->ndim; i++)
        in[i] = u->k >> i & 1 ?
            tn_simplify(t,
                        tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, out[i], tn_index(t, -1)),
                              tn_index(t, u->dim[i] - 1))) :
            out[i];
      break;
    case TINY_OP_VIEW: {
      tiny_uop *flat = tn_index(t, u->k);
      for (int i = 0; i < u->ndim; i++)
        flat = tn_u2(t, TINY_OP_ADD, flat, tn_u2(t, TINY_OP_MUL, out[i], tn_index(t, u->v[u->ndim + i])));
      in[0] = tn_simplify(t, flat);
      break;
    }
    default: return at;                    // CONTIGUOUS, DETACH
  }
  return tn_at(t, x->ndim, in, valid);
}

// The list inside of a REDUCE: fresh ranges for the reduced axes, the same for the same (node, list).
static tiny_uop *tn_at_reduce(tiny_ctx *t, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *inner = (tiny_uop *)tn_pairs_get(&k->reduce_at, u, at);
  if (inner) return inner;
  tiny_uop *index[TINY_MAX_DIMS + 1];
  const tiny_uop *x = u->src[0];
  for (int i = 0; i < x->ndim; i++)
    index[i] = !(u->k >> (8 + i) & 1) ? at->src[i] :
        x->dim[i] == 1                ? tn_index(t, 0) :
                                        tn_kernel_range(t, k, x->dim[i], TN_REDUCE);
  inner = tn_at(t, x->ndim, index, tn_at_valid(at));
  tn_pairs_set(t, &k->reduce_at, u, at, inner);
  return inner;
}

// ** first pass: what is stored **

static double tn_op_cost(const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_EXP2: case TINY_OP_LOG2: return 12;
    case TINY_OP_SIN: case TINY_OP_POW: return 30;
    case TINY_OP_THREEFRY: return 80;
    case TINY_OP_FDIV: case TINY_OP_SQRT: return 4;
    case TINY_OP_IDIV: case TINY_OP_MOD: return 6;
    default: return tn_op_is(u->op, TINY_ALU) ? 1 : 0;
  }
}

static int tn_is_passing(const tiny_uop *u) {
  return tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_DETACH || u->op == TINY_OP_AFTER;
}

static tiny_uop *tn_pull_trial(tn_graph *g, tn_kernel *k);

// Finds the REDUCEs whose summands name the element they go to, and those that run along an axis: with loops of
// their own each summand is computed once.
static void tn_node_try_running(tn_graph *g, tn_node *n) {
  tn_scatter scatter;
  tn_scan_fact scan;
  const tiny_uop *x = n->u->src[0];
  const double nelem = (double)tn_nelem(x);
  if (!tn_graph_node(g, x)->has_iota || nelem < (double)TN_SCAN_WORK || tn_nelem(n->u) < TN_SCAN_EXTENT) return;
  tn_kernel k;
  memset(&k, 0, sizeof k);
  k.node = n->u;
  tiny_uop *at = k.at = tn_at_fresh(g->t, &k, n->u), *reduce = tn_pull_trial(g, &k);
  if (tn_find_scatter(g->t, reduce, at->src, (int)at->nsrc - 1, &scatter))
    n->once = nelem / (double)tn_extents(scatter.range, scatter.n);
  else if (tn_find_scan(g->t, reduce, at->src, (int)at->nsrc - 1, &scan)) {
    n->once = nelem / (double)tn_range_extent(scan.loop);
    n->scans = 1 + scan.backward;
    while (at->src[n->along] != scan.loop) n->along++;
  }
}

// The node that a REDUCE folds, below movements and products: what is best stored where a chain of REDUCEs is cut.
static tn_node *tn_node_folded(tn_graph *g, const tiny_uop *reduce) {
  tn_node *n = tn_graph_node(g, reduce->src[0]);
  while (!n->leaf && (tn_is_passing(n->u) || n->u->op == TINY_OP_MUL)) {
    tn_node *next = tn_graph_node(g, n->u->src[0]);
    for (uint32_t i = 1; n->u->op == TINY_OP_MUL && i < n->u->nsrc; i++)
      if (tn_graph_node(g, n->u->src[i])->reduces > next->reduces) next = tn_graph_node(g, n->u->src[i]);
    n = next;
  }
  return n;
}

// A walk from a node down to memory, users before sources. On its way it passes waists: single values of which all that
// it has seen is computed, memory aside.
typedef struct tn_descent {
  tn_graph *g; const tn_node *top; tn_list todo, passed;   // todo: by seq, the last one comes next
  uint32_t epoch; int open, outside;       // open: of todo, what is computed; outside: others want the waist as well
} tn_descent;

static int tn_descent_ends(const tn_descent *d, const tn_node *n) {
  return n != d->top && (n->leaf || n->forced || n->u->op == TINY_OP_REDUCE || !n->u->nsrc);
}
static void tn_descent_add(tn_descent *d, tiny_uop *u) {
  tn_node *n = tn_graph_node(d->g, u);
  if (u->mark == d->epoch) { n->seen++; return; }
  u->mark = d->epoch;
  n->seen = 1;
  d->open += !tn_descent_ends(d, n);
  tn_push(d->g->t, &d->todo, u);
  for (int i = d->todo.n - 1; i && d->todo.u[i - 1]->seq > u->seq; i--) {
    d->todo.u[i] = d->todo.u[i - 1]; d->todo.u[i - 1] = u;
  }
}
static tn_descent tn_descent_open(tn_graph *g, const tn_node *top) {
  tn_descent d = {g, top, {NULL, 0, 0}, {NULL, 0, 0}, ++g->t->ir->epoch, 0, 0};
  tn_descent_add(&d, top->u);
  return d;
}
// The next node, NULL after the last. What it is computed of is added when it is passed.
static tn_node *tn_descent_next(tn_descent *d) {
  if (!d->todo.n) return NULL;
  tn_node *n = tn_graph_node(d->g, d->todo.u[--d->todo.n]);
  if (n != d->top && d->open == 1 && !tn_descent_ends(d, n)) d->outside |= n->users > n->seen;
  return n;
}
static void tn_descent_pass(tn_descent *d, const tn_node *n) {
  if (tn_descent_ends(d, n)) return;
  d->open--;
  tn_push(d->g->t, &d->passed, n->u);
  for (uint32_t i = 0; i < n->u->nsrc; i++) tn_descent_add(d, n->u->src[i]);
}
// Is n, which comes next, a waist that may be stored for the top?
static int tn_descent_waist(const tn_descent *d, const tn_node *n) {
  if (n == d->top || d->open != 1 || tn_descent_ends(d, n) || !tn_op_is(n->u->op, TINY_ALU)) return 0;
  for (uint32_t i = 0; i < n->u->nsrc; i++) if (n->u->src[i]->op == TINY_OP_EXPAND) return 0;
  return n->u->ndim && n->u->dtype != TINY_INDEX && tn_nelem(n->u) <= tn_nelem(d->top->u);
}

// What is known of a node by its sources; of a REDUCE, too, before it is one.
static void tn_node_gather(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  n->cost = tn_op_cost(u);
  n->depth = n->reduces = n->has_reduce = n->has_iota = 0;
  n->is_mask = !n->leaf;
  for (uint32_t i = 0; i < u->nsrc && !n->leaf; i++) {
    const tn_node *s = tn_graph_node(g, u->src[i]);
    const int cut = s->forced || s->leaf || s->once > 0;
    if (!cut && s->depth + 1 > n->depth) n->depth = s->depth + 1;
    if (!cut && s->reduces > n->reduces) n->reduces = s->reduces;
    n->cost += cut ? 0 : s->cost;
    n->has_reduce |= !cut && s->has_reduce;
    n->has_iota |= !cut && s->has_iota;
    n->is_mask &= s->is_mask;
  }
}

static void tn_node_force(tn_node *n) {
  n->forced = 1;
  n->is_mask = 0; n->depth = 0; n->reduces = 0; n->cost = 0;
}

// Keeps the expression of an ALU node within bounds. Operators are many nodes, on paths side by side: of the values of
// which the node is all computed the lowest is stored that is not far below, else the node itself.
static void tn_node_cut(tn_graph *g, tn_node *n) {
  const tn_mark mark = tn_scratch_mark(g->t);
  tn_descent d = tn_descent_open(g, n);
  tn_node *x, *waist = NULL;
  int above = 0;
  while (d.passed.n < TN_EFFORT_NODES && (x = tn_descent_next(&d)) != NULL) {
    if (tn_descent_waist(&d, x) && x->depth >= TN_CUT_DEPTH) { waist = x; above = d.passed.n; }
    tn_descent_pass(&d, x);
  }
  if (waist) {
    tn_node_force(waist);
    while (above--) tn_node_gather(g, tn_graph_node(g, d.passed.u[above]));
  }
  n->forced = n->depth >= TN_MAX_DEPTH;
  tn_scratch_rewind(g->t, mark);
}

// Facts that flow from sources to users.
static void tn_node_summarize(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  int grown = 0;
  tn_node_gather(g, n);
  if (n->leaf) return;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tn_graph_node(g, u->src[i])->users++;
    grown |= u->src[i]->op == TINY_OP_EXPAND;
  }
  if (u->op == TINY_OP_IOTA) n->has_iota = 1;
  if (u->op == TINY_OP_REDUCE) {
    n->has_reduce = 1;
    n->has_iota = 0;
    n->cost = 1;
    n->depth = 0;
    if (++n->reduces > TN_MAX_REDUCES) {   // a value is kept rather than the sum it is made of, never all the summands
      tn_node *folded = tn_node_folded(g, u);
      if (tn_nelem(folded->u) < tn_nelem(u->src[0])) { folded->forced = 1; n->reduces = 1; }
      else n->forced = 1;
    }
    tn_node_try_running(g, n);
  }
  if (u->op == TINY_OP_CONTIGUOUS || u->op == TINY_OP_ASSIGN || u->op == TINY_OP_CUSTOM) n->forced = 1;
  if (u->op == TINY_OP_CUSTOM) for (uint32_t i = 0; i < u->nsrc; i++) tn_graph_node(g, u->src[i])->forced = 1;
  for (uint32_t i = 1; u->op == TINY_OP_AFTER && i < u->nsrc; i++)      // what it waits for is done by a kernel
    tn_graph_node(g, u->src[i])->forced = 1;
  // Not a product that is all outer.
  if (n->depth >= TN_MAX_DEPTH && tn_op_is(u->op, TINY_ALU) && u->ndim && !grown) tn_node_cut(g, n);
  n->is_mask &= !n->forced && !n->has_reduce && n->cost < (double)TN_MASK_COST;
  if (n->forced) tn_node_force(n);
}

static void tn_add_use(tn_graph *g, const tiny_uop *u, int kernel, tiny_uop *at, double evals) {
  tn_node *n = tn_graph_node(g, u);
  if (n->leaf || !u->nsrc || (n->is_mask && !n->forced)) return;
  for (int i = 0; i < n->nuse; i++)
    if (n->use[i].kernel == kernel && n->use[i].at == at) {  // one expression, whoever takes part in its value
      if (evals > n->use[i].evals) n->use[i].evals = evals;
      return;
    }
  if (n->nuse < TN_MAX_USES) {
    const tn_use use = {kernel, at, evals};
    if (n->nuse == 1) n->use = (tn_use *)memcpy(tn_scratch(g->t, TN_MAX_USES * sizeof use), &n->first, sizeof use);
    if (!n->nuse) n->use = &n->first;
    n->use[n->nuse++] = use;
  } else if (!tn_is_passing(n->u)) n->forced = 1;              // wanted in too many ways: once and for all
}

static void tn_collect_ranges(tiny_ctx *t, tiny_uop *u, tn_list *out) {
  tn_collect_op(t, u, TINY_OP_RANGE, out);
}

// A sum of products whose operands are read many times over. Its tile takes all registers, and its loops are its own.
static int tn_is_contraction(const tiny_uop *u) {
  const tiny_uop *x = u->src[0];
  if ((u->k & 0xFF) != TINY_OP_ADD || x->op != TINY_OP_MUL || tn_nelem(x) < TN_CONTRACTION) return 0;
  for (int i = 0; i < 2; i++) {
    const tiny_uop *s = x->src[i];
    while (s->op != TINY_OP_EXPAND && (tn_is_passing(s) || s->op == TINY_OP_CAST)) s = s->src[0];
    if (s->op != TINY_OP_EXPAND) return 0;
  }
  return 1;
}

// May a REDUCE wanted at `at` run inside of the kernel that wants it, without any of it being computed twice?
static int tn_reduce_fits(tn_graph *g, tn_kernel *k, const tn_node *n, tiny_uop *at) {
  tn_list ranges = {NULL, 0, 0}, all = {NULL, 0, 0};
  tn_collect_ranges(g->t, at, &ranges);
  tn_collect_ranges(g->t, k->at, &all);
  double scope_nelem = 1, all_nelem = 1;
  int pure = 1;
  for (int i = 0; i < all.n; i++) all_nelem *= (double)tn_range_extent(all.u[i]);
  for (int i = 0; i < ranges.n; i++) {
    if (tn_range_kind(ranges.u[i]) != TN_LOOP) return 0;
    scope_nelem *= (double)tn_range_extent(ranges.u[i]);
  }
  for (uint32_t i = 0; i + 1 < at->nsrc; i++)
    pure &= at->src[i]->op == TINY_OP_RANGE || tn_is_const(at->src[i]);
  if (scope_nelem > (double)tn_nelem(n->u)) return 0;
  if (ranges.n < all.n) {                  // a row kernel
    const double row = (double)tn_nelem(n->u->src[0]) / (double)tn_nelem(n->u);
    if (!pure || row > (double)TN_ROW_MAX_NELEM ||
        (scope_nelem < (double)TN_ROW_MIN && all_nelem > (double)TN_ROW_SMALL))
      return 0;
  }
  const int contraction = ranges.n == all.n && tn_is_contraction(n->u);
  tiny_uop *scope = tn_uop_make(g->t, TINY_OP_GROUP, TINY_VOID, 1, ranges.n, ranges.u, 2, 0, NULL);
  if (k->scope && (k->scope != scope || k->contraction || contraction)) return 0;
  k->scope = scope;
  k->contraction = contraction;
  return 1;
}

// How often a use evaluates: loops inside of those that its index list names do not repeat it.
static double tn_use_evals(tn_graph *g, const tn_use *use) {
  const tiny_uop *loops = g->kernel[use->kernel].at;
  tn_list ranges = {NULL, 0, 0};
  double nelem = 1;
  int named = 0;
  tn_collect_ranges(g->t, use->at, &ranges);
  for (uint32_t i = 0; i + 1 < loops->nsrc && named < ranges.n; i++) {
    if (loops->src[i]->op != TINY_OP_RANGE) continue;
    int names = 0;
    for (int j = 0; j < ranges.n; j++) names |= ranges.u[j] == loops->src[i];
    if (!names) return use->evals;
    nelem *= (double)tn_range_extent(loops->src[i]);
    named++;
  }
  return named == ranges.n && nelem < use->evals ? nelem : use->evals;
}

// Is an index list made of all of the kernel's ranges, each once?
static int tn_at_is_whole(tn_graph *g, const tn_kernel *k, tiny_uop *at) {
  tn_list ranges = {NULL, 0, 0}, all = {NULL, 0, 0};
  int n = 0;
  tn_collect_ranges(g->t, at, &ranges);
  tn_collect_ranges(g->t, k->at, &all);
  for (uint32_t i = 0; i + 1 < at->nsrc; i++) {
    if (at->src[i]->op == TINY_OP_RANGE) n += tn_range_kind(at->src[i]) == TN_LOOP;
    else if (!tn_is_const(at->src[i])) return 0;
  }
  return n == ranges.n && n == all.n && tn_is_k(tn_at_valid(at), 1);
}

// Does a REDUCE that is a scatter or a scan run inside of the kernel that wants it? A scan does where the kernel
// loops over all of its elements, a scatter where the kernel is that and nothing else.
static int tn_running_fits(tn_graph *g, tn_kernel *k, const tn_node *n, tiny_uop *at) {
  const tiny_uop *x = k->node;
  if (n->nuse > 1 || !tn_at_is_whole(g, k, at)) return 0;
  if (n->scans) {
    tiny_uop *loop = at->src[n->along];
    if ((k->loop && (k->loop != loop || k->scans != n->scans)) || !tn_reduce_fits(g, k, n, at)) return 0;
    k->loop = loop; k->scans = n->scans;
    return 1;
  }
  while (x != n->u && (tn_is_passing(x) || x->op == TINY_OP_CONTIGUOUS)) x = x->src[0];
  return x == n->u;
}

// What one more evaluation of an element of n takes: operations, each shared node once, and inputs that are read,
// down to memory and REDUCEs. spreads: a REDUCE of fewer elements is among the inputs.
typedef struct tn_effort { double ops; int inputs, spreads; } tn_effort;

static void tn_effort_add(tn_effort *e, const tn_descent *d, const tn_node *x) {
  const tiny_uop *u = x->u;
  const int input = x != d->top && (x->leaf || x->forced || u->op == TINY_OP_REDUCE);
  e->inputs += input;
  e->spreads |= input && u->op == TINY_OP_REDUCE && tn_nelem(u) < tn_nelem(d->top->u);
  if (!input) e->ops += tn_op_cost(u);
}
static tn_effort tn_node_effort(tn_graph *g, const tn_node *n) {
  tn_descent d = tn_descent_open(g, n);
  tn_effort e = {0, 0, 0};
  const tn_node *x;
  while (d.passed.n < TN_EFFORT_NODES && (x = tn_descent_next(&d)) != NULL) {
    tn_effort_add(&e, &d, x);
    tn_descent_pass(&d, x);
  }
  return e;
}

// Does it cost more to evaluate n again, `again` times, than to write it to memory and read it back?
static int tn_effort_pays(const tn_effort *e, double again, double store) {
  return e->inputs > TN_EFFORT_INPUTS || again * (e->ops + TN_INPUT_COST * (e->inputs - 1)) > store;
}

// The lowest single value that all of n is computed of, and others as well, from which n costs less to evaluate again
// than to store; NULL: there is none.
static tn_node *tn_effort_waist(tn_graph *g, const tn_node *n, double again, double store) {
  tn_descent d = tn_descent_open(g, n);
  tn_effort e = {0, 1, 0};
  tn_node *x, *waist = NULL;
  while (d.passed.n < TN_EFFORT_NODES && (x = tn_descent_next(&d)) != NULL && !tn_effort_pays(&e, again, store)) {
    if (d.outside && tn_descent_waist(&d, x)) waist = x;
    tn_effort_add(&e, &d, x);
    tn_descent_pass(&d, x);
  }
  return waist;
}

// Has this index list more nodes than one writes out rather than a copy? Reshapes of what was turned make it grow.
static int tn_at_is_long(tiny_ctx *t, tiny_uop *at) {
  const uint32_t seen = ++t->ir->epoch;
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_push(t, &all, at);
  at->mark = seen;
  for (int i = 0; i < all.n && all.n <= TN_AT_NODES; i++)
    for (uint32_t s = 0; s < all.u[i]->nsrc; s++) {
      if (all.u[i]->src[s]->mark == seen) continue;
      all.u[i]->src[s]->mark = seen;
      tn_push(t, &all, all.u[i]->src[s]);
    }
  const int is_long = all.n > TN_AT_NODES;
  tn_scratch_rewind(t, mark);
  return is_long;
}

static int tn_should_store(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  if (u->dtype == TINY_INDEX) return 0;    // positions: no memory holds them
  if (n->forced) return 1;
  if (u->op == TINY_OP_RESHAPE && n->nuse && n->depth > TN_MAX_CHAIN && u->src[0]->op != TINY_OP_EXPAND &&
      tn_at_is_long(g->t, n->use[0].at))
    return 1;
  if (u->op == TINY_OP_PAD && n->nuse == 1 && n->use[0].evals > (double)TN_PAD_REUSE * (double)tn_nelem(u)) return 1;
  if (tn_is_passing(u) || u->op == TINY_OP_CONST || u->op == TINY_OP_SCALAR || u->op == TINY_OP_IOTA ||
      !n->nuse)
    return 0;
  if (n->once > 0) return !tn_running_fits(g, &g->kernel[n->use[0].kernel], n, n->use[0].at);
  int kernels = 1;
  double evals = 0;
  const double nelem = (double)tn_nelem(u);
  for (int i = 0; i < n->nuse; i++) {
    evals += tn_use_evals(g, &n->use[i]);
    kernels += i && n->use[i].kernel != n->use[i - 1].kernel;
  }
  if (n->has_reduce) {
    if (n->nuse > 1 && u->op == TINY_OP_REDUCE) return 1;
    if (kernels > 1) {
      const tn_effort e = tn_node_effort(g, n);
      return u->op == TINY_OP_REDUCE || e.spreads || tn_effort_pays(&e, evals / nelem - 1, TN_STORE_COST);
    }
    if (u->op == TINY_OP_REDUCE) return !tn_reduce_fits(g, &g->kernel[n->use[0].kernel], n, n->use[0].at);
    for (int i = 0; i < n->nuse; i++) {    // store the last elementwise step rather than the REDUCE below it
      tn_list ranges = {NULL, 0, 0};
      tn_collect_ranges(g->t, n->use[i].at, &ranges);
      for (int r = 0; r < ranges.n; r++)
        if (tn_range_kind(ranges.u[r]) == TN_REDUCE && n->use[i].evals > nelem) {
          // Rows that are walked again are fine: their REDUCEs are not.
          tiny_uop *scope = g->kernel[n->use[i].kernel].scope;
          if (!scope || n->nuse == 1) return n->use[i].evals > nelem * 1.5;
        }
    }
    return 0;
  }
  // Masks of positions: algebra may make a lookup of them.
  if (u->ndim == 0 || (n->has_iota && n->cost < (double)TN_MASK_COST)) return 0;
  const double again = evals / (nelem > 0 ? nelem : 1) - 1;
  if (again <= 0.5 || n->cost * again <= (double)TN_STORE_COST || n->cost * again * nelem <= (double)TN_KERNEL_COST)
    return 0;                              // cost counts by path: it is never less than the effort
  const tn_effort e = tn_node_effort(g, n);
  const double store = kernels > 1 ? TN_STORE_COST : TN_STORE_APART;
  tn_node *waist = tn_effort_pays(&e, again, store) ? tn_effort_waist(g, n, again, store) : n;
  if (waist && waist != n) waist->forced = 1;
  return !waist;
}

// Is u a sum over WHERE(index == position, x, 0)? Algebra makes that a load of one element.
static int tn_is_lookup(const tiny_uop *u) {
  const tiny_uop *w = u->src[0], *is = w->nsrc ? w->src[0] : w;
  if ((u->k & 0xFF) != TINY_OP_ADD || w->op != TINY_OP_WHERE || !tn_constant_of(w->src[2])) return 0;
  while (tn_is_passing(is)) is = is->src[0];
  if (is->op != TINY_OP_XOR || is->src[0]->op != TINY_OP_NE) return 0;
  for (int i = 0; i < 2; i++) {
    const tiny_uop *at = is->src[0]->src[i];
    while (tn_is_passing(at) || at->op == TINY_OP_CAST) at = at->src[0];
    if (at->op == TINY_OP_IOTA && at->k * tn_nelem(u) == tn_nelem(w)) return 1;
  }
  return 0;
}

static void tn_node_propagate(tn_graph *g, tn_node *n, int kernel, tiny_uop *at, double evals) {
  tiny_ctx *t = g->t;
  tiny_uop *u = n->u;
  if (u->op == TINY_OP_ASSIGN) { tn_add_use(g, u->src[2], kernel, at, evals); return; }
  if (u->op == TINY_OP_CUSTOM) return;
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS) {
    tn_add_use(g, u->src[0], kernel, tn_at_source(t, u, at), evals);
    return;
  }
  if (u->op == TINY_OP_REDUCE) {
    if (tn_nelem(u->src[0]) == 0) return;
    // Each element once: it was stored or it fits.
    evals = n->once > 0 ? n->once : (double)tn_nelem(tn_is_lookup(u) ? u : u->src[0]);
    tn_add_use(g, u->src[0], kernel, tn_at_reduce(t, &g->kernel[kernel], u, at), evals);
    return;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    tn_add_use(g, s, kernel, s->ndim == u->ndim ? at : tn_at_scalar(t, tn_at_valid(at)), evals);
  }
}

// Walks from users to sources; g->node is in topological order. Outputs are marked forced.
static void tn_choose_stores(tn_graph *g) {
  for (int i = 0; i < g->n; i++) tn_node_summarize(g, &g->node[i]);
  for (int i = g->n - 1; i >= 0; i--) {
    tn_node *n = &g->node[i];
    if (n->leaf || (!n->forced && !n->nuse)) continue;
    const tn_mark mark = tn_scratch_mark(g->t);
    n->stored = (uint8_t)tn_should_store(g, n);
    tn_scratch_rewind(g->t, mark);
    if (!n->stored) {
      for (int j = 0; j < n->nuse; j++)
        tn_node_propagate(g, n, n->use[j].kernel, n->use[j].at, n->use[j].evals);
      continue;
    }
    tn_kernel *k = TN_PUSH(g->t, g->kernel, g->nkernel, g->kernel_cap, tn_kernel);
    memset(k, 0, sizeof *k);
    k->node = n->u;
    k->at = tn_at_fresh(g->t, k, n->u->op == TINY_OP_ASSIGN ? n->u->src[1] : n->u);
    if (tn_nelem(n->u)) tn_node_propagate(g, n, g->nkernel - 1, k->at, (double)tn_nelem(n->u));
  }
}

// ** second pass: the kernel of a stored node **

static void tn_kernel_begin(tn_graph *g) {
  tn_pairs_clear(&g->pulled);
  tn_map_clear(&g->params);
  tn_map_clear(&g->args);
}

static tiny_uop *tn_kernel_param(tn_graph *g, tn_kernel *k, tiny_uop *place) {
  int slot = tn_unboxed(tn_map_get(&g->params, place));
  if (slot < 0) {
    slot = k->nmem;
    *TN_PUSH(g->t, k->mem, k->nmem, k->mem_cap, tiny_uop *) = place;
    tn_map_set(g->t, &g->params, place, tn_boxed(slot));
  }
  return tn_param(g->t, place->dtype, slot, tn_nelem(place));
}

static tiny_uop *tn_kernel_arg(tn_graph *g, tn_kernel *k, tiny_uop *scalar) {
  int slot = tn_unboxed(tn_map_get(&g->args, scalar));
  if (slot < 0) {
    slot = k->narg;
    *TN_PUSH(g->t, k->arg, k->narg, k->arg_cap, tiny_uop *) = scalar;
    tn_map_set(g->t, &g->args, scalar, tn_boxed(slot));
  }
  return tn_uop_make(g->t, TINY_OP_ARG, scalar->dtype, 1, 0, NULL, slot, 0, NULL);
}

static tiny_uop *tn_load_from(tn_graph *g, tn_kernel *k, tiny_uop *place, tiny_uop *flat, tiny_uop *valid) {
  return tn_load(g->t, tn_index_of(g->t, tn_kernel_param(g, k, place), flat, valid), 1);
}

// Does this node's value lie in memory while kernel k runs?
static int tn_in_memory(tn_graph *g, const tn_kernel *k, const tiny_uop *u) {
  const tn_node *n = tn_graph_node(g, u);
  if (n->leaf || u == k->node) return n->leaf;
  return g->trial ? n->forced || u->op == TINY_OP_REDUCE : n->stored;
}

// A chain of movement ops over memory: its views fold before any index arithmetic is written. NULL: u is no such chain.
static tiny_uop *tn_load_view(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *chain[TN_MAX_CHAIN], *x = u, *flat, *valid;
  int n = 0;
  for (; !tn_in_memory(g, k, x); x = x->src[0]) {
    if (!tn_is_passing(x) || n == TN_MAX_CHAIN) return NULL;
    chain[n++] = x;
  }
  tiny_views v = tn_views_over(x->ndim, x->dim);
  while (n--) if (tn_views_move(&v, chain[n]) != TINY_OK) return NULL;
  if (tiny_views_expr(g->t, &v, at->src, &flat, &valid) != TINY_OK) return NULL;
  valid = tn_simplify(g->t, tn_u2(g->t, TINY_OP_AND, tn_at_valid(at), valid));
  return tn_load_from(g, k, tn_graph_node(g, x)->place, tn_simplify(g->t, flat), valid);
}

// A value that is wanted: of node u at an index list. in: the list at which its sources are, NULL: not looked at yet.
typedef struct tn_wanted { tiny_uop *u, *at, *in; } tn_wanted;
typedef struct tn_pulling { tn_graph *g; tn_kernel *k; tn_wanted *stack; int n, cap; } tn_pulling;

// The value of u at a list; NULL: it is wanted.
static tiny_uop *tn_pull_at(tn_pulling *p, tiny_uop *u, tiny_uop *at) {
  tiny_uop *x = (tiny_uop *)tn_pairs_get(&p->g->pulled, u, at);
  if (x) return x;
  const tn_wanted w = {u, at, NULL};
  *TN_PUSH(p->g->t, p->stack, p->n, p->cap, tn_wanted) = w;
  return NULL;
}

// The list of source i, where the node's sources are at `in`.
static tiny_uop *tn_pull_source_at(tiny_ctx *t, const tiny_uop *u, uint32_t i, tiny_uop *in) {
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS || u->op == TINY_OP_REDUCE) return in;
  return u->src[i]->ndim == u->ndim ? in : tn_at_scalar(t, tn_at_valid(in));
}

static tiny_uop *tn_pull_reduce(tn_graph *g, tiny_uop *u, tiny_uop *x, tiny_uop *inner) {
  tiny_uop *ranges[TINY_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < u->src[0]->ndim; i++)
    if ((u->k >> (8 + i) & 1) && inner->src[i]->op == TINY_OP_RANGE) ranges[n++] = inner->src[i];
  return tn_reduce_over(g->t, u->k & 0xFF, x, n, ranges);
}

// What a node's value is at a place where a PAD put zeros.
static tiny_uop *tn_pull_pad(tn_graph *g, tiny_uop *u, tiny_uop *x, tiny_uop *inner) {
  if (x->op == TINY_OP_LOAD && x->src[0]->nsrc == 3 && x->src[0]->src[2] == tn_at_valid(inner)) return x;
  if (tn_is_k(tn_at_valid(inner), 1)) return x;
  return tn_u3(g->t, TINY_OP_WHERE, tn_at_valid(inner), x,
               tn_const(g->t, u->dtype, tn_dtype_value(u->dtype, 0)));
}

// The value of a node that needs no source; NULL: it does.
static tiny_uop *tn_pull_first(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  if (tn_in_memory(g, k, u))
    return tn_load_from(g, k, tn_graph_node(g, u)->place, tn_flat(g->t, (int)at->nsrc - 1, at->src, u->dim),
                        tn_at_valid(at));
  if (u->op == TINY_OP_CONST) return u;
  if (u->op == TINY_OP_SCALAR) return tn_kernel_arg(g, k, u);
  if (u->op == TINY_OP_IOTA) return at->src[0];
  if (u->op == TINY_OP_REDUCE && tn_nelem(u->src[0]) == 0)
    return tn_const(g->t, u->dtype, tn_reduce_identity((int)(u->k & 0xFF), u->dtype));
  return tn_is_passing(u) && tn_nelem(u) ? tn_load_view(g, k, u, at) : NULL;
}

// The list at which the sources of a node are wanted that is wanted at `at` itself.
static tiny_uop *tn_pull_inner(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  if (u->op == TINY_OP_REDUCE) return tn_at_reduce(g->t, k, u, at);
  return tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS ? tn_at_source(g->t, u, at) : at;
}

// The value of what is on top of the stack; NULL: a source has come on top of it, whose value is needed first.
static tiny_uop *tn_pull_top(tn_pulling *p) {
  tn_graph *g = p->g;
  tiny_uop *u = p->stack[p->n - 1].u, *at = p->stack[p->n - 1].at, *in = p->stack[p->n - 1].in, *src[4] = {NULL};
  if (!in) {
    tiny_uop *x = tn_pull_first(g, p->k, u, at);
    if (x) return x;
    in = p->stack[p->n - 1].in = tn_pull_inner(g, p->k, u, at);
  }
  const uint32_t nsrc = tn_is_passing(u) ? 1 : u->nsrc;
  for (uint32_t i = 0; i < nsrc; i++)
    if (!(src[i] = tn_pull_at(p, u->src[i], tn_pull_source_at(g->t, u, i, in)))) return NULL;
  if (u->op == TINY_OP_REDUCE) return tn_pull_reduce(g, u, src[0], in);
  if (u->op == TINY_OP_PAD) return tn_pull_pad(g, u, src[0], in);
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS) return src[0];
  return tn_uop_make(g->t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, u->nv, u->v);
}

// The value of u at an index list, as an expression of kernel k.
static tiny_uop *tn_pull(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tn_pulling p = {g, k, NULL, 0, 0};
  tiny_uop *x = tn_pull_at(&p, u, at);
  while (p.n) {
    const tn_wanted top = p.stack[p.n - 1];
    x = tn_pull_top(&p);
    if (!x) continue;
    tn_pairs_set(g->t, &g->pulled, top.u, top.at, x);
    p.n--;
  }
  return x;
}

// The value of k's node as a kernel of its own would compute it from the nearest memory and REDUCEs, simplified. For
// decisions only: what will be memory is not known yet.
static tiny_uop *tn_pull_trial(tn_graph *g, tn_kernel *k) {
  g->trial = 1;
  tn_kernel_begin(g);
  tiny_uop *x = tn_rewrite(g->t, tn_pull(g, k, k->node, k->at), tn_rules_reduce, NULL);
  g->trial = 0;
  return x;
}

// Where an ASSIGN through a view writes: the view's index list, walked down to its base.
static tiny_uop *tn_assign_at(tiny_ctx *t, const tiny_uop *assign, tiny_uop *at) {
  const tiny_uop *v = assign->src[1], *base = assign->src[0];
  while (v != base && tn_is_passing(v)) { at = tn_at_source(t, v, at); v = v->src[0]; }
  return at;
}

static int tn_range_older(const void *a, const void *b) {
  const int64_t x = (*(tiny_uop *const *)a)->k, y = (*(tiny_uop *const *)b)->k;
  return x < y ? -1 : x > y;
}

// Ranges numbered from 1 in the order they were made: kernels of one structure are one kernel.
static tiny_uop *tn_number_ranges(tiny_ctx *t, tiny_uop *sink) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list r = {NULL, 0, 0};
  tn_map to = {NULL, 0, 0};
  tn_collect_ranges(t, sink, &r);
  if (r.n) qsort(r.u, (size_t)r.n, sizeof *r.u, tn_range_older);
  for (int i = 0; i < r.n; i++)
    tn_map_set(t, &to, r.u[i],
               tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, r.u[i]->src,
                           (int64_t)(i + 1) << 8 | tn_range_kind(r.u[i]), 0, NULL));
  sink = tn_simplify(t, tn_substitute(t, sink, &to));
  tn_scratch_rewind(t, mark);
  return sink;
}

// sign: of how it is indexed, then of all that is computed of it
typedef struct tn_signed_param { uint64_t sign[2]; const tiny_uop *param; } tn_signed_param;
static int tn_param_order(const void *a, const void *b) {
  const tn_signed_param *x = (const tn_signed_param *)a, *y = (const tn_signed_param *)b;
  for (int i = 0; i < 2; i++) if (x->sign[i] != y->sign[i]) return x->sign[i] < y->sign[i] ? -1 : 1;
  return x->param->k < y->param->k ? -1 : x->param->k > y->param->k;
}

// Of a node whose sources have the signs that the map tells: nothing of it names an input's slot, or the order of
// operands that have none.
static uint64_t tn_sign_below(const tn_map *below, const tiny_uop *u) {
  const int slot = u->op == TINY_OP_PARAM && u->k;
  uint64_t h = tn_hash_mix((uint64_t)u->op << 8 | u->dtype, slot ? 0 : (uint64_t)u->k), sum = 0;
  for (int i = 0; i < u->nv; i++) h = tn_hash_mix(h, (uint64_t)u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++)
    sum += tn_hash_mix(tn_op_is(u->op, TINY_COMM) ? 0 : i, (uint64_t)(uintptr_t)tn_map_get(below, u->src[i]));
  return tn_hash_mix(h, sum) | 1;
}
// above[i]: of all that uses all.u[i], which is in topological order.
static void tn_signs_above(tiny_ctx *t, const tn_list *all, uint64_t *above) {
  tn_map below = {NULL, 0, 0}, at = {NULL, 0, 0};
  for (int i = 0; i < all->n; i++) {
    tn_map_set(t, &below, all->u[i], (void *)(uintptr_t)tn_sign_below(&below, all->u[i]));
    tn_map_set(t, &at, all->u[i], tn_boxed(i));
  }
  for (int i = all->n - 1; i >= 0; i--) {
    const tiny_uop *u = all->u[i];
    const uint64_t sign = tn_hash_mix(above[i], (uint64_t)(uintptr_t)tn_map_get(&below, u));
    for (uint32_t j = 0; j < u->nsrc; j++)
      above[tn_unboxed(tn_map_get(&at, u->src[j]))] += tn_hash_mix(sign, tn_op_is(u->op, TINY_COMM) ? 0 : j);
  }
}

// A kernel with its ranges and PARAMs numbered: slot i was from[i].
typedef struct tn_written { tiny_uop *ast; int *from; } tn_written;

// Inputs numbered by how they are indexed and used, so that the order of a graph's operands does not tell either.
static tiny_uop *tn_number_params(tiny_ctx *t, int nmem, tiny_uop *sink, int *from) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_map to = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  uint64_t *indexed = (uint64_t *)tn_scratch(t, (size_t)nmem * sizeof *indexed);
  uint64_t *above = (uint64_t *)tn_scratch(t, (size_t)all.n * sizeof *above);
  tn_signed_param *param = (tn_signed_param *)tn_scratch(t, (size_t)nmem * sizeof *param);
  int n = 0;
  for (int i = 0; i < nmem; i++) from[i] = i;
  if (nmem > 2) tn_signs_above(t, &all, above);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_PARAM && u->k && n + 1 < nmem) { param[n].sign[1] = above[i]; param[n++].param = u; }
    if (u->op == TINY_OP_INDEX && u->src[0]->op == TINY_OP_PARAM)
      indexed[u->src[0]->k] += tn_hash_mix((uint64_t)u->dtype, u->src[1]->hash);
  }
  if (n + 1 == nmem) {
    for (int i = 0; i < n; i++) param[i].sign[0] = indexed[param[i].param->k];
    qsort(param, (size_t)n, sizeof *param, tn_param_order);
    for (int i = 0; i < n; i++) {
      const tiny_uop *p = param[i].param;
      from[i + 1] = (int)p->k;
      tn_map_set(t, &to, p, tn_param(t, p->dtype, i + 1, p->v[0]));
    }
    sink = tn_substitute(t, sink, &to);
  }
  tn_scratch_rewind(t, mark);
  return sink;
}

// Kernel k is `sink`. known: the same for kernels that were written before, which are those of one structure.
static void tn_kernel_number(tiny_ctx *t, tn_kernel *k, tiny_uop *sink, tn_map *known) {
  tiny_uop **mem = (tiny_uop **)tn_scratch(t, (size_t)k->nmem * sizeof *mem);
  tn_written *w = (tn_written *)tn_map_get(known, sink);
  if (!w) {
    w = (tn_written *)tn_scratch(t, sizeof *w);
    w->from = (int *)tn_scratch(t, (size_t)k->nmem * sizeof *w->from);
    w->ast = tn_number_params(t, k->nmem, tn_number_ranges(t, sink), w->from);
    tn_map_set(t, known, sink, w);
  }
  for (int i = 0; i < k->nmem; i++) mem[i] = k->mem[w->from[i]];
  k->mem = mem; k->mem_cap = k->nmem;
  k->ast = w->ast;
}

static void tn_kernel_write(tn_graph *g, tn_kernel *k) {
  tiny_ctx *t = g->t;
  tiny_uop *u = k->node, *value, *at = k->at;
  tn_kernel_begin(g);
  if (u->op == TINY_OP_CUSTOM || tn_nelem(u) == 0 || (u->op == TINY_OP_ASSIGN && tn_nelem(u->src[1]) == 0)) {
    tn_kernel_param(g, k, tn_graph_node(g, u)->place);
    for (uint32_t i = 0; u->op == TINY_OP_CUSTOM && i < u->nsrc; i++)
      tn_kernel_param(g, k, tn_graph_node(g, u->src[i])->place);
    return;
  }
  tiny_uop *memory = tn_kernel_param(g, k, tn_graph_node(g, u)->place);
  value = tn_pull(g, k, u->op == TINY_OP_ASSIGN ? u->src[2] : u, at);
  tiny_uop *to = u->op == TINY_OP_ASSIGN ? tn_assign_at(t, u, at) : at;
  const tiny_uop *shape = u->op == TINY_OP_ASSIGN ? u->src[0] : u;
  tiny_uop *index = tn_index_of(t, memory, tn_flat(t, (int)to->nsrc - 1, to->src, shape->dim), NULL),
           *store = tn_store(t, index, tn_cast(t, value, memory->dtype)), *ranges[TINY_MAX_DIMS];
  int n = 0;
  for (int scoped = 1; scoped >= 0; scoped--)    // ranges of the scope first: the others loop inside of them
    for (uint32_t i = 0; i + 1 < at->nsrc; i++) {
      int in_scope = 0;
      for (uint32_t j = 0; k->scope && j < k->scope->nsrc; j++) in_scope |= k->scope->src[j] == at->src[i];
      if (at->src[i]->op == TINY_OP_RANGE && in_scope == scoped) ranges[n++] = at->src[i];
    }
  tn_kernel_number(t, k, tn_sink_of(t, tn_end(t, store, n, ranges)), &g->written);
}
#endif
