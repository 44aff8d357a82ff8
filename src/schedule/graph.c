// graph: what scheduling knows of a tensor graph: its nodes, its kernels, and which of them touch a memory.
//
// In:  nodes in topological order, numbered by seq. Out: a row for each (tn_node), a row for each that is stored
//      (tn_kernel), and the memory in which a value lives (tn_place).
#ifndef TN_SCHEDULE_GRAPH
#define TN_SCHEDULE_GRAPH
#ifndef TINY_AMALGAMATED
#include "../ir/kernel.c"
#include "../machine/costs.c"
#include "../shape/contraction.c"
#include "../tensor/optim.c"
#endif

// The devices that a graph is computed on, by number; here: of what names none.
typedef struct tn_targets { const tiny_limits *limits[TINY_MAX_DEVICES]; int n, here; } tn_targets;

// The number of the device on which u is computed.
static int tn_target_of(const tn_targets *all, const tiny_uop *u) { return u->device ? u->device - 1 : all->here; }
static const tiny_limits *tn_limits_of(const tn_targets *all, const tiny_uop *u) {
  return all->limits[tn_target_of(all, u)];
}
// Does u copy from one device to another? Where x names no device, (COPY x) is x, computed there.
static int tn_is_copy(const tiny_uop *u) {
  return u->op == TINY_OP_COPY && u->src[0]->device && u->src[0]->device != u->device;
}

typedef struct tn_use { int kernel; tiny_uop *at; double evals; } tn_use;

enum { TN_FORCED_CHAIN = 2 };              // forced: to cut a chain of REDUCEs, not because its value is wanted

typedef struct tn_node {                   // what is known of a node of the graph
  tiny_uop *u, *place;                     // place: tn_place(u)
  tn_use *use, first; int nuse;            // first: memory for the only use that most have
  uint8_t leaf, forced, stored, has_reduce, has_iota;
  uint8_t online;                          // computed by the kernels that want it, whatever it costs (online.c)
  uint8_t nested;                          // a REDUCE whose kernel computes products again for it (recompute.c)
  uint8_t is_mask;                         // cheap, of positions and scalars alone: every kernel makes its own
  double once;                             // of a REDUCE that is a scatter or scan: summands it has; else 0
  int64_t places;                          // that those of a scatter name along one axis; 0: along several
  int scans, along;                        // 1: a scan, 2: one from the end; its axis
  // Of the expression below: levels, down to leaves; REDUCEs in a row; operations.
  int depth, reduces; double cost;
  int users, seen;                         // sources of nodes that it is; of those that a walk has passed
} tn_node;

// Kernels that work tile by tile: what their loops count, outer axes first. ARGs get the positions (rooms tiled, plan).
enum { TN_TILED_AXES = TINY_MAX_DIMS };
typedef struct tn_tiled_axis { int64_t from, step, count; } tn_tiled_axis;
typedef struct tn_tiled_axes { tn_tiled_axis axis[TN_TILED_AXES]; int n; } tn_tiled_axes;

typedef struct tn_kernel {                 // one stored node
  tiny_uop *node, *ast;
  tiny_uop *scope;                         // (GROUP ranges..) of its REDUCEs, NULL: it has none
  int contraction;                         // its REDUCE is one, and remains the only one
  tiny_uop *at; int nrange;                // its output ranges; how many ranges it has, numbered from 1
  tn_pairs reduce_at;                      // REDUCE, list -> the list of its source
  tiny_uop *loop; int scans;               // the one along which scans run, and which way
  tiny_uop **mem; int nmem, mem_cap;       // PARAM slot -> node that is stored there or a leaf; slot 0: the output
  tiny_uop **arg; int narg, arg_cap;       // ARG slot -> SCALAR, or CONST: the position on that axis of the iterations
  int group, tiled;                        // kernels that stay together, 0: alone; number of their iterations, 0: none
} tn_kernel;

typedef struct tn_graph {
  tiny_ctx *t; const tn_targets *targets;
  tn_node *node; int n;                    // by seq
  tn_kernel *kernel; int nkernel, kernel_cap;
  tn_pairs pulled; tn_map params, args;    // of the kernel that is written: node, list -> value; node -> 1 + slot
  tn_map written;                          // SINK as it was pulled -> tn_written
  int positions;                           // are there SCALARs that have bounds?
  int trial;                               // an expression is pulled to be looked at: REDUCEs are memory
  tn_tiled_axes *tiled; int ntiled, tiled_cap, ngroup, nmarker;
  tn_map slabs;                            // memory that is written anew in every iteration
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

// Is u no expression but something that is done with memory: a kernel from outside, a copy between devices?
static int tn_is_launched(const tiny_uop *u) { return u->op == TINY_OP_CUSTOM || tn_is_copy(u); }

static int64_t tn_nelem(const tiny_uop *u) {
  int64_t n = 1;
  for (int i = 0; i < u->ndim; i++) n *= u->dim[i];
  return n;
}

static int tn_is_passing(const tiny_uop *u) {
  return tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_DETACH || u->op == TINY_OP_AFTER ||
         (u->op == TINY_OP_COPY && !tn_is_copy(u));
}
// Has u no arithmetic, but places for what is computed below it, or zeros behind a length? Then that is stored, not u.
static int tn_is_laid(const tiny_uop *u) { return tn_is_passing(u) || u->op == TINY_OP_WHOLE; }

// Is it an exponential, perhaps a copy or a part of one?
static int tn_is_exponential(const tiny_uop *x) {
  while (x->nsrc && (tn_is_passing(x) || x->op == TINY_OP_CAST || x->op == TINY_OP_WHERE || x->op == TINY_OP_MUL ||
                     x->op == TINY_OP_FDIV))
    x = x->src[x->op == TINY_OP_WHERE ? 1 : 0];
  return x->op == TINY_OP_EXP2;
}

// FLOPs that matrix units do while memory moves a byte: half of what they could at best, of the least of those that are
// known (bench/gpu.h: 64 of 128 of an RX 7900 XTX; H100: 295). Products on other units do not pay: theirs are 20. An
// element of four bytes is written, and read.
enum { TN_RECOMPUTE_FLOPS = 64, TN_RECOMPUTE_NBYTES = 8, TN_RECOMPUTE_LEAST = 1 << 14 };

// Is u a sum of products that costs less by a unit than what is moved for it: an element that is read?
static int tn_is_thin_product(const tiny_limits *limits, const tiny_uop *u) {
  const int64_t n = tn_nelem(u);
  tn_contraction c;
  if (!tn_machine_grid(limits) || !limits->nunits || u->dtype != TINY_F32 || n < TN_RECOMPUTE_LEAST ||
      !tn_contraction_of(u, &c) || !c.own[0] || !c.own[1])
    return 0;
  const int64_t k = tn_nelem(u->src[0]) / n;
  return 2 * k <= (int64_t)TN_RECOMPUTE_FLOPS * TN_RECOMPUTE_NBYTES && tn_contraction_reads(&c, 0) >= k &&
      tn_contraction_reads(&c, 1) >= k;
}
#endif
