// elementwise: elements and rows on a CPU: arithmetic, softmax, layer_norm, copies.
//
// In:  a kernel that no tile suits. Out: lanes along what is contiguous in the output, or in the passes over a row;
//      what a row costs to compute is kept for the passes that come after (REUSE); tasks; rows asked for ahead of time.
#ifndef TN_CODEGEN_ELEMENTWISE
#define TN_CODEGEN_ELEMENTWISE
#ifndef TINY_AMALGAMATED
#include "strided.c"
#include "row_blocks.c"
#include "prefetch_rows.c"
#endif

enum { TN_COLUMN_VECTORS = 4 };            // side by side, down the columns

// Does one REDUCE close range red[i] and one of those in `taken`?
static int tn_is_reduced_with(const tn_profile *p, int i, const tn_list *taken) {
  for (int j = 0; j < p->nreduce; j++)
    for (int k = 0; k < taken->n && tn_reduces_over(p->reduce[j], p->red[i]); k++)
      if (tn_reduces_over(p->reduce[j], taken->u[k])) return 1;
  return 0;
}

// May elements of red[i] be reduced twice? By MAX, AND, OR.
static int tn_is_idempotent(const tn_profile *p, int i) {
  for (int j = 0; j < p->nreduce; j++)
    for (uint32_t n = 1; n < p->reduce[j]->nsrc; n++)
      if (p->reduce[j]->src[n] == p->red[i] && p->reduce[j]->k != TINY_OP_MAX && p->reduce[j]->k != TINY_OP_AND &&
          p->reduce[j]->k != TINY_OP_OR)
        return 0;
  return 1;
}

// A pass over a row gets lanes, and several vectors at once, so that the accumulator does not wait for itself.
static int tn_row_pass(tn_kernel_state *s, const tn_profile *p, int i, int most, int64_t copies) {
  static const int64_t together[] = {4, 8, 7, 6, 5, 3, 2};
  tiny_uop *r = p->red[i], *rest = NULL;
  const int64_t n = tn_range_extent(r), width = 4 * most;
  if (most < 2) return 0;
  if (n > width && n % width && tn_is_idempotent(p, i)) {
    r = tn_do_split(s, TN_OPT_SPLIT, r, width, NULL);
    tn_do_split(s, TN_OPT_LANE, r, most, &rest);
    tn_do_kind(s, TN_OPT_UNROLL, rest);
    return 1;
  }
  if (n >= width && n % most) r = tn_do_pad(s, r, most);
  const int64_t lanes = tn_lanes_for(tn_range_extent(r), most, 0);
  if (lanes < 2) return 0;
  tn_do_split(s, TN_OPT_LANE, r, lanes, &rest);
  for (size_t f = 0; rest && f < sizeof together / sizeof *together; f++)
    if (together[f] <= copies && tn_range_extent(rest) % together[f] == 0) {
      tn_do_split(s, TN_OPT_UNROLL, rest, together[f], NULL);
      break;
    }
  return 1;
}

// Columns are walked down several vectors at a time: what is read in a row of them lies in one page.
static void tn_widen_columns(tn_kernel_state *s, tiny_uop *columns) {
  int64_t f = TN_COLUMN_VECTORS;
  while (tn_range_extent(columns) % f) f--;
  if (f > 1) tn_do_split(s, TN_OPT_UPCAST, columns, f, NULL);
}

static void tn_optimize_elementwise(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  const double work = tn_work(p);
  tiny_uop *rows = tn_block_rows(s, p, tn_target_lanes(target, p));
  if (p->row && tn_do_reuse(s, rows)) *p = tn_profile_of(s);
  if (rows) tn_stage_reduces(s, rows);
  if (rows) tn_stage_numbers(s, rows, tn_target_lanes(target, p));
  if (rows) *p = tn_profile_of(s);
  const int most = tn_target_lanes(target, p);               // what is staged may be wider than all that was read
  tiny_uop *best = NULL;
  double score = 0.5;
  for (int i = 0; i < p->nout; i++) {
    const double now = tn_lanes_score(t, p, p->out[i], 1);
    if (tn_lanes_for(tn_range_extent(p->out[i]), most, p->repeats) < 2 || now < score) continue;
    if (rows && tn_opt_is_around_stage(s, p->out[i])) continue;
    best = p->out[i];
    score = now;
  }
  int v_in_scope = 0;
  tn_list taken = {NULL, 0, 0};            // ranges of reductions that became lanes
  for (int j = 0; best && j < p->nreduce; j++) v_in_scope |= tn_depends(t, p->reduce[j], best);
  tiny_uop *across = best ? tn_find_across(t, p, best) : NULL;
  if (across) best = tn_walk_across(s, p, best, across, most);
  tiny_uop *columns = NULL;
  if (best)
    tn_do_split(s, TN_OPT_LANE, best, tn_lanes_for(tn_range_extent(best), most, p->repeats), &columns);
  if (v_in_scope && columns && !p->row) tn_widen_columns(s, columns);
  if (!v_in_scope) for (int i = 0; i < p->nred; i++) {   // rows: every pass over the row gets lanes, once
    if (tn_lanes_score(t, p, p->red[i], 0) < 0.5 || tn_is_reduced_with(p, i, &taken)) continue;
    if (tn_opt_meets_lanes(s, p->red[i])) continue;          // of rows that lie together
    if (tn_row_pass(s, p, i, most, rows ? 1 : 8)) tn_push(t, &taken, p->red[i]);
  }
  tn_make_tasks(s, work, TN_ALL_LOOPS);
  *p = tn_profile_of(s);
  tn_fetch_next_row(s, p);
  tn_fetch_named_rows(s, p);
}
#endif
