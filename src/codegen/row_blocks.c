// row_blocks: short rows, pass by pass over a block of them, so that none waits for its own sums, on a CPU.
//
// In:  a kernel whose REDUCEs are each a pass over a short row. Out: a block of rows by SPLIT, its REDUCEs and what is
//      one number for each row in memory by STAGE, computed for all rows of the block, as copies and lanes.
#ifndef TN_CODEGEN_ROW_BLOCKS
#define TN_CODEGEN_ROW_BLOCKS
#ifndef TINY_AMALGAMATED
#include "tensorcore.c"
#endif

enum {
  TN_SHORT_ROW = 1024, TN_SHORT_ROWS = 16, TN_SHORT_COPIES = 4,
  TN_SHORT_VECTORS = 2,                    // that are reduced beside each other, at least
  TN_NUMBER_DEPTH = 12                     // of what is staged for a row, in nodes
};

// May a block of rows be reduced by one pass after another? Each REDUCE is a pass of its own over a short row.
static int tn_has_short_rows(tiny_ctx *t, const tn_profile *p) {
  for (int i = 0; i < p->nreduce; i++) {
    tn_list open = {NULL, 0, 0};
    if (p->reduce[i]->nsrc != 2 || tn_range_extent(p->reduce[i]->src[1]) > TN_SHORT_ROW) return 0;
    if (!tn_stage_holds(p->reduce[i])) return 0;
    for (int j = 0; j < i; j++) if (p->reduce[j]->src[1] == p->reduce[i]->src[1]) return 0;
    tn_open_loops(t, p->reduce[i], &open);
    for (int j = 0; j < open.n; j++) if (tn_range_kind(open.u[j]) != TN_LOOP) return 0;
  }
  return p->nreduce > 0 && !p->carried;
}

// Do elements of neighbouring rows lie together, as where the rows are columns of memory?
static int tn_rows_lie_together(tiny_ctx *t, const tiny_uop *reduce, tiny_uop *rows) {
  tn_list index = {NULL, 0, 0};
  int together = 0;
  tn_collect_op(t, reduce->src[0], TINY_OP_INDEX, &index);
  for (int i = 0; i < index.n; i++) {
    const int64_t stride = tn_depends(t, index.u[i], rows) ? tn_stride_in(t, index.u[i]->src[1], rows) : 0;
    if (stride != 0 && stride != 1) return 0;
    together |= stride == 1 && index.u[i]->src[0]->op != TINY_OP_STAGE;
  }
  return together;
}

// Splits the innermost range that every REDUCE depends on into blocks of rows. Returns what counts within one; NULL:
// it stays as it is.
static tiny_uop *tn_block_rows(tn_kernel_state *s, tn_profile *p, int most) {
  tiny_uop *rows = NULL;
  int64_t f = TN_SHORT_ROWS, longest = 0;
  int together = 1;
  double cost = 0;
  if (!tn_has_short_rows(s->t, p)) return NULL;
  for (int i = 0; i < p->nout; i++) {
    int in_scope = 1;
    for (int j = 0; j < p->nreduce; j++) in_scope &= tn_depends(s->t, p->reduce[j], p->out[i]);
    if (in_scope) rows = p->out[i];
  }
  for (int j = 0; j < p->nreduce; j++) {
    together &= rows && tn_rows_lie_together(s->t, p->reduce[j], rows);
    const int64_t nbytes = tn_range_extent(p->reduce[j]->src[1]) * tn_dtypes[p->reduce[j]->dtype].nbytes;
    if (nbytes > longest) longest = nbytes;
    cost += tn_expression_cost(s->t, p->reduce[j]->src[0]);
  }
  // Memory is busiest where reading and writing take turns often, nothing else takes long, and no cache holds both.
  if (p->row && cost < (double)TN_REUSE_COST &&
      tn_memory_nelem(p->store->src[0]) * tn_dtypes[p->store->dtype].nbytes >
          tn_machine_share(s->target->limits) / 2)
    return NULL;
  for (int64_t n = TN_SHORT_VECTORS * most; together && n > TN_SHORT_ROWS && f == TN_SHORT_ROWS; n /= 2)
    if (tn_range_extent(rows) >= 4 * n && tn_range_extent(rows) % n == 0) f = n;
  while (p->row && f > 1 && f * longest > tn_machine_nearest(s->target->limits) / 2) f /= 2;
  if (!rows || f < TN_SHORT_COPIES || tn_range_extent(rows) < 4 * f || !tn_tile_fits(rows, f, p->repeats)) return NULL;
  rows = tn_do_split(s, TN_OPT_SPLIT, rows, f, NULL);
  *p = tn_profile_of(s);
  return rows;
}

// Float arithmetic from what u loads to u.
static double tn_cost_since_loads(const tiny_uop *u, int depth) {
  double cost = u->op != TINY_OP_LOAD && tn_is_float(u->dtype) ? tn_op_cost(u) : 0;
  for (uint32_t i = 0; i < u->nsrc && u->op != TINY_OP_LOAD && depth; i++)
    cost += tn_cost_since_loads(u->src[i], depth - 1);
  return cost;
}

// What is one number for each row of a block and costs much, such as a logarithm, is computed for all of them, as
// lanes, where other loops stand within those of the rows.
static void tn_stage_numbers(tn_kernel_state *s, tiny_uop *rows, int most) {
  tiny_ctx *t = s->t;
  for (;;) {
    tn_list all = {NULL, 0, 0};
    tn_profile p;
    tiny_uop *next = NULL;
    p = tn_profile_of(s);
    if (!p.usable || p.out[p.nout - 1] == rows) return;
    tn_toposort(t, p.end->src[0]->src[1], &all);
    for (int i = all.n - 1; i >= 0 && !next; i--) {
      tiny_uop *u = all.u[i];
      int differs = !tn_op_is_elementwise(u->op) || !tn_is_float(u->dtype) || !tn_depends(t, u, rows);
      for (int j = p.nout - 1; p.out[j] != rows && !differs; j--) differs = tn_depends(t, u, p.out[j]);
      if (!differs && tn_cost_since_loads(u, TN_NUMBER_DEPTH) >= (double)TN_NUMBER_COST) next = u;
    }
    if (!next) return;
    tiny_uop **copy = tn_do_stage(s, next, 1, &rows, 0);
    if (!copy) return;
    const int64_t lanes = tn_lanes_for(tn_range_extent(rows), most, 0);
    if (lanes > 1) tn_do_split(s, TN_OPT_LANE, *copy, lanes, NULL);
  }
}

// The REDUCEs of a block, each in memory for all its rows, several rows at a time, as lanes or as copies: what comes
// after them may be lanes then, be it as long as a logarithm.
static void tn_stage_reduces(tn_kernel_state *s, tiny_uop *rows) {
  for (;;) {
    tiny_uop *next = NULL;
    const tn_list all = tn_kernel_collect(s, TINY_OP_REDUCE);
    for (int i = 0; i < all.n && !next; i++) if (tn_depends(s->t, all.u[i], rows)) next = all.u[i];
    if (!next) return;
    const int together = tn_rows_lie_together(s->t, next, rows);
    tiny_uop **copy = tn_do_stage(s, next, 1, &rows, 0);
    if (!copy) return;
    const tn_profile p = tn_profile_of(s);
    const int64_t lanes = together ? tn_lanes_for(tn_range_extent(*copy), tn_target_lanes(s->target, &p), 0) : 1;
    tiny_uop *rest = *copy;
    if (lanes > 1) tn_do_split(s, TN_OPT_LANE, rest, lanes, &rest);
    if (rest) tn_do_split(s, TN_OPT_UPCAST, rest, tn_lanes_for(tn_range_extent(rest), TN_SHORT_COPIES, 0), NULL);
  }
}
#endif
