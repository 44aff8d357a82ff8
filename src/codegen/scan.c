// scan: reductions of all elements up to each, as loop-carried ones.
//
// In:    a kernel with REDUCEs whose summands go to all elements from their own on.
// Out:   they are carried REDUCEs: the reduction of one value over the iterations so far of a loop of the kernel, which
//        comes inside of all others and is neither split nor shared.
// Holds: before the kernel is linear they become accumulators.
#ifndef TN_CODEGEN_SCAN
#define TN_CODEGEN_SCAN
#ifndef TINY_AMALGAMATED
#include "linearize.c"
#endif

// Has u nothing open around it but ranges of the kernel?
static int tn_is_of_kernel(tiny_ctx *t, tiny_uop *u, const tiny_uop *end) {
  tn_list open = {NULL, 0, 0};
  tn_open_ranges(t, u, tn_is_any, &open);
  for (int i = 0; i < open.n; i++) if (!tn_closes(end, open.u[i])) return 0;
  return 1;
}

// One more scan of the kernel along *carried (NULL: any range) as a carried REDUCE; NULL: there is none.
static tiny_uop *tn_write_scan(tiny_ctx *t, tiny_uop *sink, tiny_uop **loop, tiny_uop **carried, int *backward) {
  const tiny_uop *end = sink->src[0];
  tn_list reduces = {NULL, 0, 0};
  tn_scan_fact f;
  tn_collect_op(t, sink, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i];
    if (tn_is_carried(u) || !tn_find_scan(t, u, end->src + 1, (int)end->nsrc - 1, &f)) continue;
    if ((*carried && (f.loop != *loop || f.backward != *backward)) || !tn_is_of_kernel(t, u, end)) continue;
    if (!*carried) {
      *loop = f.loop; *backward = f.backward;
      *carried = f.backward ? tn_range(t, tn_range_extent(f.loop), TN_LOOP) : f.loop;
    }
    tiny_uop *scan = tn_reduce_over(t, u->k | TN_CARRIED, tn_replace(t, f.value, 1, loop, carried), 1, carried);
    return tn_replace(t, sink, 1, &u, &scan);
  }
  return NULL;
}

// Does MASKED u say that the last iterations of a loop of the kernel store what nobody reads?
static int tn_ends_early(const tiny_uop *u, const tiny_uop *sink) {
  tn_affine x;
  tn_affine_start(&x, TINY_INDEX);
  if (u->k || u->nsrc != 2 || !tn_closes(sink->src[0], u->src[1]) || !tn_affine_add(&x, u->src[0], 1, 0)) return 0;
  for (int i = 0; i < x.n; i++) if (x.term[i].x == u->src[1]) return x.term[i].c > 0;
  return 0;
}

// The kernel with its scans as carried REDUCEs; their loop becomes the innermost of the kernel's.
static tiny_uop *tn_write_scans(tiny_ctx *t, tiny_uop *sink) {
  tiny_uop *loop = NULL, *carried = NULL, *next, *end = sink->src[0];
  int backward = 0;
  if (sink->nsrc != 1 || end->op != TINY_OP_END) return sink;
  while ((next = tn_write_scan(t, sink, &loop, &carried, &backward))) sink = next;
  if (!carried) return sink;
  if (backward) {
    tiny_uop *turned = tn_u2(t, TINY_OP_MUL, carried, tn_index(t, -1));
    turned = tn_u2(t, TINY_OP_ADD, turned, tn_index(t, tn_range_extent(carried) - 1));
    sink = tn_replace(t, sink, 1, &loop, &turned);
  }
  tn_list src = {NULL, 0, 0};
  end = sink->src[0];
  for (uint32_t i = 0; i < end->nsrc; i++) if (end->src[i] != carried) tn_push(t, &src, end->src[i]);
  tn_push(t, &src, carried);
  tiny_uop *last = tn_node_of(t, TINY_OP_END, TINY_VOID, &src);
  return tn_simplify(t, tn_replace(t, sink, 1, &end, &last));
}
#endif
