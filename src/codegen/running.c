// running: kernels whose loops carry their result from one round to the next.
//
// Scatters: in: a kernel that stores a REDUCE of which rules/reduce.c has found that each summand goes to one
//   element only. Out: one that first fills its output with the identity, then loops over the summands in order
//   and folds each into the element it names. What lies beside each other and goes to one place together (a row)
//   loops inside; only other ranges of the output are ever shared between tasks or work items: no two of them
//   meet in one element, and the order of additions never depends on who does them.
// Scans: in: a kernel with REDUCEs whose summands go to all elements from their own on. Out: they are running
//   REDUCEs: the fold of one value over the rounds so far of a loop of the kernel, which comes inside of all
//   others and is neither split nor shared. Before the kernel is linear they become accumulators.
#ifndef TN_CODEGEN_RUNNING
#define TN_CODEGEN_RUNNING
#ifndef TINY_AMALGAMATED
#include "linearize.c"
#endif

// Does the output range loop outside of the filling? Those before the first target do, and what tasks share.
static int tn_scatter_is_outer(const tn_profile *p, const tn_scatter *c, int i) {
  const int kind = tn_range_kind(p->out[i]);
  for (int j = 0; j <= i; j++) for (int k = 0; k < c->n; k++) if (p->out[j] == c->range[k])
    return kind == TN_TASK || kind == TN_GLOBAL;
  return 1;
}

// The kernel of p as a scatter. *row and *fill_row: its last inner range and the one that fills it, NULL: none.
static void tn_write_scatter(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c, tiny_uop **row,
                             tiny_uop **fill_row) {
  tiny_ctx *t = s->t;
  tiny_uop *reduce = p->end->src[0]->src[1], *memory = p->store->src[0], *flat = p->store->src[1];
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0}, outer = {NULL, 0, 0}, inner = {NULL, 0, 0};
  *row = *fill_row = NULL;
  for (int i = 0; i < p->nout; i++) {
    int target = 0;
    for (int k = 0; k < c->n; k++) target |= p->out[i] == c->range[k];
    if (tn_scatter_is_outer(p, c, i)) { tn_push(t, &outer, p->out[i]); continue; }
    tn_push(t, &from, p->out[i]);
    tn_push(t, &to, tn_range(t, tn_range_extent(p->out[i]), TN_LOOP));
    if (target) continue;
    tn_push(t, &inner, *row = p->out[i]);
    *fill_row = to.u[to.n - 1];
  }
  tiny_uop *identity = tn_const(t, reduce->dtype, tn_reduce_identity((int)reduce->k, reduce->dtype)),
           *store = tn_store(t, tn_index_of(t, memory, tn_replace(t, flat, from.n, from.u, to.u), NULL), identity),
           *filled = tn_after(t, memory, tn_node_over(t, TINY_OP_END, TINY_VOID, 1, store, to.n, to.u, 0));
  flat = tn_simplify(t, tn_replace(t, flat, c->n, c->range, c->at));
  to.n = 0;
  tiny_uop *index = tn_index_of(t, filled, flat, c->valid);
  tn_push(t, &to, tn_store(t, index, tn_u2(t, (int)reduce->k, tn_load(t, index, 1), c->value)));
  for (int i = 0; i < outer.n; i++) tn_push(t, &to, outer.u[i]);
  for (uint32_t i = 1; i < reduce->nsrc; i++) tn_push(t, &to, reduce->src[i]);
  for (int i = 0; i < inner.n; i++) tn_push(t, &to, inner.u[i]);
  s->sink = tn_sink_of(t, tn_node_of(t, TINY_OP_END, TINY_VOID, &to));
}

// ** scans **

static int tn_is_any(const tiny_uop *r) { (void)r; return 1; }

// Has u nothing open around it but ranges of the kernel?
static int tn_is_of_kernel(tiny_ctx *t, tiny_uop *u, const tiny_uop *end) {
  tn_list open = {NULL, 0, 0};
  tn_open_ranges(t, u, tn_is_any, &open);
  for (int i = 0; i < open.n; i++) if (!tn_closes(end, open.u[i])) return 0;
  return 1;
}

// One more scan of the kernel along *round (NULL: any range) as a running REDUCE; NULL: there is none.
static tiny_uop *tn_write_scan(tiny_ctx *t, tiny_uop *sink, tiny_uop **loop, tiny_uop **round, int *backward) {
  const tiny_uop *end = sink->src[0];
  tn_list reduces = {NULL, 0, 0};
  tn_scan_fact f;
  tn_collect_op(t, sink, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i];
    if (tn_is_running(u) || !tn_find_scan(t, u, end->src + 1, (int)end->nsrc - 1, &f)) continue;
    if ((*round && (f.loop != *loop || f.backward != *backward)) || !tn_is_of_kernel(t, u, end)) continue;
    if (!*round) {
      *loop = f.loop; *backward = f.backward;
      *round = f.backward ? tn_range(t, tn_range_extent(f.loop), TN_LOOP) : f.loop;
    }
    tiny_uop *scan = tn_reduce_over(t, u->k | TN_RUNNING, tn_replace(t, f.value, 1, loop, round), 1, round);
    return tn_replace(t, sink, 1, &u, &scan);
  }
  return NULL;
}

// The kernel with its scans as running REDUCEs; their loop becomes the innermost of the kernel's.
static tiny_uop *tn_write_scans(tiny_ctx *t, tiny_uop *sink) {
  tiny_uop *loop = NULL, *round = NULL, *next, *end = sink->src[0];
  int backward = 0;
  if (sink->nsrc != 1 || end->op != TINY_OP_END) return sink;
  while ((next = tn_write_scan(t, sink, &loop, &round, &backward))) sink = next;
  if (!round) return sink;
  if (backward) {
    tiny_uop *turned = tn_u2(t, TINY_OP_MUL, round, tn_index(t, -1));
    turned = tn_u2(t, TINY_OP_ADD, turned, tn_index(t, tn_range_extent(round) - 1));
    sink = tn_replace(t, sink, 1, &loop, &turned);
  }
  tn_list src = {NULL, 0, 0};
  end = sink->src[0];
  for (uint32_t i = 0; i < end->nsrc; i++) if (end->src[i] != round) tn_push(t, &src, end->src[i]);
  tn_push(t, &src, round);
  tiny_uop *last = tn_node_of(t, TINY_OP_END, TINY_VOID, &src);
  return tn_simplify(t, tn_replace(t, sink, 1, &end, &last));
}
#endif
