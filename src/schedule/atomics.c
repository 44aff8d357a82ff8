// atomics: which kernels add what they compute to memory that another kernel has cleared.
//
// In:    the kernels of a graph in their order; devices that add atomically (limits.atomics: integers, whose sums are
//        the same in any order, and floats, if the caller allows it).
// Out:   long sums and scatters whose STORE adds (TN_ADDS), each behind a kernel that fills its memory with zeros.
// Holds: the queue keeps the order of the two. Nothing else writes or reads that memory between them.
#ifndef TN_SCHEDULE_ATOMICS
#define TN_SCHEDULE_ATOMICS
#ifndef TINY_AMALGAMATED
#include "masked.c"
#include "sums.c"
#endif

// The sum whose elements a kernel stores, each once; NULL: it stores something else.
static const tiny_uop *tn_stored_sum(const tn_kernel *k) {
  const tiny_uop *u = k->node;
  while (u->op == TINY_OP_CONTIGUOUS || u->op == TINY_OP_RESHAPE || u->op == TINY_OP_PERMUTE) u = u->src[0];
  return u->op == TINY_OP_REDUCE && (u->k & 0xFF) == TINY_OP_ADD && u->dtype == k->node->dtype ? u : NULL;
}

// Are the summands of a scatter sooner sorted out than added to one element, as they are at worst?
static int tn_is_sorted_out(const tiny_limits *limits, const tn_node *n) {
  if (!n->places) return 0;
  const int64_t width = tn_nelem(n->u) / n->places;
  const tn_scatter_size size = tn_scatter_size_of(limits, n->places, width, 1, tn_dtypes[n->u->dtype].nbytes);
  const double summands = n->once / (double)width;
  return size.rows > 1 && tn_scatter_tiles_cost(limits, &size, summands) < summands * TN_SCATTER_ADDED;
}

static int tn_kernel_adds(const tn_graph *g, const tn_kernel *k) {
  const tiny_limits *limits = tn_limits_of(g->targets, k->node);
  const tiny_uop *sum = limits->atomics && k->ast ? tn_stored_sum(k) : NULL;
  if (!sum || !tn_sum_is_added(limits, sum) || k->group || k->ast->nsrc > 1 || k->scans) return 0;
  const tn_node *n = &g->node[sum->seq];
  return tn_kernel_store(k)->op == TINY_OP_STORE && !n->scans &&
      (n->once > 0 ? !tn_is_sorted_out(limits, n) : tn_split_parts(g->t, limits, sum, sum->src[0]) > 1);
}

// The kernel that clears the memory of k.
static tn_kernel tn_kernel_cleared(tn_graph *g, const tn_kernel *k) {
  tiny_ctx *t = g->t;
  tn_kernel zeros;
  memset(&zeros, 0, sizeof zeros);
  zeros.node = k->node;
  const int64_t n = tn_nelem(k->node);
  tiny_uop *range = tn_range(t, n, TN_LOOP), *memory = tn_param(t, k->node->dtype, 0, n),
           *store = tn_store(t, tn_index_of(t, memory, range, NULL), tn_const(t, memory->dtype, 0));
  *TN_PUSH(t, zeros.mem, zeros.nmem, zeros.mem_cap, tiny_uop *) = k->mem[0];
  tn_kernel_number(t, &zeros, tn_sink_of(t, tn_end(t, store, 1, &range)), &g->written);
  return zeros;
}

static void tn_graph_atomics(tn_graph *g, int **order) {
  tiny_ctx *t = g->t;
  const int n = g->nkernel;
  int *now = (int *)tn_scratch(t, 2 * ((size_t)n + 1) * sizeof *now), at = 0, first = g->nfirst;
  for (int i = 0; i < n; i++) {
    const int number = (*order)[i];
    if (tn_kernel_adds(g, &g->kernel[number])) {
      tn_kernel *k = &g->kernel[number];
      tiny_uop *store = (tiny_uop *)(uintptr_t)tn_kernel_store(k),
               *adds = tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, store->src, TN_ADDS, 0, NULL);
      tn_map to = {NULL, 0, 0};
      tn_map_set(t, &to, store, adds);
      k->ast = tn_substitute(t, k->ast, &to);
      const tn_kernel zeros = tn_kernel_cleared(g, k);
      now[at++] = g->nkernel;
      *TN_PUSH(t, g->kernel, g->nkernel, g->kernel_cap, tn_kernel) = zeros;
      g->nfirst += i < first;
    }
    now[at++] = number;
  }
  *order = now;
}
#endif
