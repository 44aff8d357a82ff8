// rows: elementwise work and rows on a CPU: softmax, layer_norm, copies, transpositions.
//
// Lanes run along what is contiguous in the output. What a row costs to compute is kept for the passes that come
// after; what is read across goes in blocks, so that lines of both memories are used whole while they are near.
#ifndef TN_CODEGEN_ROWS
#define TN_CODEGEN_ROWS
#ifndef TINY_AMALGAMATED
#include "tensorcore.c"
#endif

enum {
  TN_FAR = 16, TN_ROW_AHEAD = 4096, TN_COLUMN_VECTORS = 4, TN_ROW_FETCHES = 8,
  TN_ACROSS_ROWS = 128, TN_ACROSS_COLUMNS = 256,   // of a block, in bytes of what is written and of what is read
  TN_SHORT_ROW = 1024, TN_SHORT_ROWS = 16, TN_SHORT_COPIES = 4, TN_SHORT_NBYTES = 16 << 10,
  TN_SHORT_CACHED = 8 << 20,               // of what is written: with what is read, caches hold it all
  TN_NUMBER_COST = 4, TN_NUMBER_DEPTH = 12         // of what is staged for a row, in instructions; in nodes
};

// Does a pass of a kernel that another one waits for read u? Those are REDUCEs without REDUCEs inside.
static int tn_in_first_pass(tiny_ctx *t, const tn_profile *p, const tiny_uop *u) {
  for (int i = 0; i < p->nreduce; i++) {
    int inner = 0;
    for (int j = 0; j < p->nreduce; j++) inner |= j != i && tn_depends(t, p->reduce[i], p->reduce[j]);
    if (!inner && tn_depends(t, p->reduce[i], u)) return 1;
  }
  return 0;
}

// Rows ahead that are fetched: the next one, or several short ones.
static int64_t tn_rows_ahead(int64_t nbytes) { return nbytes < TN_ROW_AHEAD ? TN_ROW_AHEAD / nbytes : 1; }

// What a load reads in one iteration of the output range number `rows`, in bytes.
static int64_t tn_iteration_nbytes(tiny_ctx *t, const tn_profile *p, tiny_uop *load, int rows) {
  tn_list ranges = {NULL, 0, 0};
  int64_t n = tn_dtypes[load->dtype].nbytes;
  tn_collect_ranges(t, load, &ranges);
  for (int i = 0; i < ranges.n; i++) {
    int outside = 0;
    for (int j = 0; j <= rows; j++) outside |= p->out[j] == ranges.u[i];
    if (!outside) n *= tn_range_extent(ranges.u[i]);
  }
  return n;
}

// Rows that are walked more than once: while a later pass works on what the caches hold, the next row comes nearer.
static void tn_fetch_next_row(tn_kernel_state *s, const tn_profile *p) {
  int rows = -1;
  tn_list loads = {NULL, 0, 0}, fetched = {NULL, 0, 0}, memory = {NULL, 0, 0};
  for (int i = 0; i < p->nout; i++) {
    int around = tn_range_kind(p->out[i]) == TN_LOOP && p->nreduce > 1;
    for (int j = 0; j < p->nreduce; j++) around &= tn_depends(s->t, p->reduce[j], p->out[i]);
    if (around) rows = i;
  }
  if (rows < 0) return;
  tn_collect_op(s->t, s->sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *u = loads.u[i], *at = u->src[0];
    const int64_t stride = tn_stride_in(s->t, at->src[1], p->out[rows]);
    int again = 0;
    if (at->src[0]->op != TINY_OP_PARAM || stride == TN_IRREGULAR) continue;
    if (stride * tn_dtypes[u->dtype].nbytes < tn_machine_line(s->target->limits)) continue;
    if (tn_in_first_pass(s->t, p, u)) continue;
    for (int j = 0; j < loads.n; j++)
      again |= loads.u[j]->src[0]->src[0] == at->src[0] && tn_in_first_pass(s->t, p, loads.u[j]);
    for (int j = 0; j < memory.n; j++) again &= memory.u[j] != at->src[0];
    if (!again) continue;
    tn_push(s->t, &memory, at->src[0]);
    tn_push(s->t, &fetched, u);
  }
  for (int i = 0; i < fetched.n; i++)
    tn_do_prefetch(s, fetched.u[i], p->out[rows], tn_rows_ahead(tn_iteration_nbytes(s->t, p, fetched.u[i], rows)));
}

// Rows that are named by numbers from memory: no processor can tell which one comes next, but the kernel can.
static void tn_fetch_named_rows(tn_kernel_state *s, const tn_profile *p) {
  tiny_ctx *t = s->t;
  int64_t ahead[TN_ROW_FETCHES];
  tn_list loads = {NULL, 0, 0}, fetched = {NULL, 0, 0}, along = {NULL, 0, 0};
  tn_collect_op(t, s->sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n && !p->nreduce; i++) {
    tiny_uop *u = loads.u[i], *element = u->src[0]->src[1];
    int rows = p->nout - 1;
    while (rows >= 0 && (tn_range_kind(p->out[rows]) != TN_LOOP || !tn_is_named_in_order(t, element, p->out[rows])))
      rows--;
    if (rows < 0 || u->src[0]->src[0]->op != TINY_OP_PARAM || u->src[0]->src[0] == p->store->src[0]) continue;
    if (tn_stride_in(t, element, p->out[p->nout - 1]) != 1) continue;
    const int64_t nbytes = tn_iteration_nbytes(t, p, u, rows);
    if (nbytes < tn_machine_line(s->target->limits)) continue;
    tn_push(t, &fetched, u);
    tn_push(t, &along, p->out[rows]);
    ahead[fetched.n - 1] = tn_rows_ahead(nbytes);
    if (fetched.n == TN_ROW_FETCHES) break;
  }
  for (int i = 0; i < fetched.n; i++) tn_do_prefetch(s, fetched.u[i], along.u[i], ahead[i]);
}

// Is what e names read across when v advances, but in a row when j does?
static int tn_is_across(tiny_ctx *t, tiny_uop *e, const tiny_uop *v, const tiny_uop *j) {
  const int64_t stride = tn_stride_in(t, e, v);
  return stride != TN_IRREGULAR && (stride >= TN_FAR || stride <= -TN_FAR) && tn_stride_in(t, e, j) == 1;
}

// The output range that a load is contiguous in, while it is read across in v; NULL: none.
static tiny_uop *tn_find_across(tiny_ctx *t, const tn_profile *p, const tiny_uop *v) {
  for (int i = 0; i < p->nload; i++)
    for (int j = 0; j < p->nout && !p->nreduce; j++)
      if (p->out[j] != v && p->load[i]->nsrc == 2 && tn_is_across(t, p->load[i]->src[1], v, p->out[j]))
        return p->out[j];
  return NULL;
}

// A part of r's extent that is a power of two, at most `most`.
static int64_t tn_part_across(const tn_profile *p, const tiny_uop *r, int64_t most) {
  while (most > 1 && !tn_tile_fits(r, most, p->repeats)) most /= 2;
  return most;
}

// Copies what a load reads over the block rows x columns to the stack, as it will be read: in squares that are turned
// in registers.
static void tn_stage_block(tn_kernel_state *s, tiny_uop *load, tiny_uop *rows, tiny_uop *columns, int64_t most) {
  tiny_uop *inner[2] = {columns, rows};
  while (most > tn_range_extent(rows) || most > tn_range_extent(columns)) most /= 2;
  tiny_uop **copy = tn_do_stage(s, load, 2, inner);
  if (!copy) return;
  tiny_uop *over[2] = {copy[0], copy[1]};
  tn_do_split(s, TN_OPT_UPCAST, over[0], most, NULL);
  tn_do_split(s, TN_OPT_LANE, over[1], most, NULL);
}

// A transposition: j is contiguous in what is read, v in what is written. A few rows of what is read are walked along
// together, as many as the processor follows ahead of their reading; what is written gets whole lines, block by block.
// Returns what of v is left for lanes.
static tiny_uop *tn_walk_across(tn_kernel_state *s, const tn_profile *p, tiny_uop *v, tiny_uop *j, int most) {
  const int nbytes = tn_dtypes[p->store->dtype].nbytes;
  const int64_t rows = tn_part_across(p, v, TN_ACROSS_ROWS / nbytes);
  const int64_t columns = tn_part_across(p, j, TN_ACROSS_COLUMNS / nbytes);
  tiny_uop *strips, *blocks, *first = NULL;
  tn_list loads = {NULL, 0, 0};
  if (rows < TN_SQUARE_LEAST || columns < TN_SQUARE_LEAST) return v;
  for (int i = 0; i < p->nout; i++) if (!first && (p->out[i] == v || p->out[i] == j)) first = p->out[i];
  tiny_uop *row = tn_do_split(s, TN_OPT_SPLIT, v, rows, &strips);
  tiny_uop *column = tn_do_split(s, TN_OPT_SPLIT, j, columns, &blocks);
  if (first == j && strips) tn_do_swap(s, column, strips);    // strips, blocks, then columns and rows of a block
  if (first == j && strips && blocks) tn_do_swap(s, blocks, strips);
  if (first == v && blocks) tn_do_swap(s, row, blocks);
  tn_collect_op(s->t, s->sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    const tiny_uop *index = loads.u[i]->src[0];
    if (index->nsrc != 2 || !tn_is_across(s->t, index->src[1], row, column)) continue;
    tn_stage_block(s, loads.u[i], row, column, most);
  }
  return row;
}

// Does one REDUCE fold range red[i] and one of those in `taken`?
static int tn_is_reduced_with(const tn_profile *p, int i, const tn_list *taken) {
  for (int j = 0; j < p->nreduce; j++)
    for (int k = 0; k < taken->n && tn_folds_over(p->reduce[j], p->red[i]); k++)
      if (tn_folds_over(p->reduce[j], taken->u[k])) return 1;
  return 0;
}

// May elements of red[i] be folded twice? By MAX, AND, OR.
static int tn_folds_again(const tn_profile *p, int i) {
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
  if (n > width && n % width && tn_folds_again(p, i)) {
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

// ** short rows: pass by pass over a block of them, so that none waits for its own folds **

// May a block of rows be folded by one pass after another? Each REDUCE is a pass of its own over a short row.
static int tn_has_short_rows(tiny_ctx *t, const tn_profile *p) {
  for (int i = 0; i < p->nreduce; i++) {
    tn_list open = {NULL, 0, 0};
    if (p->reduce[i]->nsrc != 2 || tn_range_extent(p->reduce[i]->src[1]) > TN_SHORT_ROW) return 0;
    for (int j = 0; j < i; j++) if (p->reduce[j]->src[1] == p->reduce[i]->src[1]) return 0;
    tn_open_loops(t, p->reduce[i], &open);
    for (int j = 0; j < open.n; j++) if (tn_range_kind(open.u[j]) != TN_LOOP) return 0;
  }
  return p->nreduce > 0 && !p->carried;
}

// Splits the innermost range that every REDUCE depends on into blocks of rows. Returns what counts within one; NULL:
// it stays as it is.
static tiny_uop *tn_block_rows(tn_kernel_state *s, tn_profile *p) {
  tiny_uop *rows = NULL;
  int64_t f = TN_SHORT_ROWS, longest = 0;
  double cost = 0;
  if (!tn_has_short_rows(s->t, p)) return NULL;
  for (int i = 0; i < p->nout; i++) {
    int in_scope = 1;
    for (int j = 0; j < p->nreduce; j++) in_scope &= tn_depends(s->t, p->reduce[j], p->out[i]);
    if (in_scope) rows = p->out[i];
  }
  for (int j = 0; j < p->nreduce; j++) {
    const int64_t nbytes = tn_range_extent(p->reduce[j]->src[1]) * tn_dtypes[p->reduce[j]->dtype].nbytes;
    if (nbytes > longest) longest = nbytes;
    cost += tn_expression_cost(s->t, p->reduce[j]->src[0]);
  }
  // Memory is busiest where reading and writing take turns often, and nothing else takes long.
  if (p->row && cost < (double)TN_REUSE_COST &&
      tn_memory_nelem(p->store->src[0]) * tn_dtypes[p->store->dtype].nbytes > TN_SHORT_CACHED)
    return NULL;
  while (p->row && f > 1 && f * longest > TN_SHORT_NBYTES) f /= 2;
  if (!rows || f < TN_SHORT_COPIES || tn_range_extent(rows) < 4 * f || !tn_tile_fits(rows, f, p->repeats)) return NULL;
  rows = tn_do_split(s, TN_OPT_SPLIT, rows, f, NULL);
  tn_profile_kernel(s->t, s->sink, p);
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
    tn_profile_kernel(t, s->sink, &p);
    if (!p.usable || p.out[p.nout - 1] == rows) return;
    tn_toposort(t, p.end->src[0]->src[1], &all);
    for (int i = all.n - 1; i >= 0 && !next; i--) {
      tiny_uop *u = all.u[i];
      int differs = !tn_op_is_elementwise(u->op) || !tn_is_float(u->dtype) || !tn_depends(t, u, rows);
      for (int j = p.nout - 1; p.out[j] != rows && !differs; j--) differs = tn_depends(t, u, p.out[j]);
      if (!differs && tn_cost_since_loads(u, TN_NUMBER_DEPTH) >= (double)TN_NUMBER_COST) next = u;
    }
    if (!next) return;
    tiny_uop **copy = tn_do_stage(s, next, 1, &rows);
    if (!copy) return;
    tn_do_split(s, TN_OPT_LANE, *copy, tn_lanes_for(tn_range_extent(rows), most, 0), NULL);
  }
}

// The REDUCEs of a block, each in memory for all its rows, several rows at a time: what comes after them may be
// lanes then, be it as long as a logarithm.
static void tn_stage_folds(tn_kernel_state *s, tiny_uop *rows) {
  for (;;) {
    tn_list all = {NULL, 0, 0};
    tiny_uop *next = NULL;
    tn_collect_op(s->t, s->sink, TINY_OP_REDUCE, &all);
    for (int i = 0; i < all.n && !next; i++) if (tn_depends(s->t, all.u[i], rows)) next = all.u[i];
    if (!next) return;
    tiny_uop **copy = tn_do_stage(s, next, 1, &rows);
    if (!copy) return;
    tn_do_split(s, TN_OPT_UPCAST, *copy, TN_SHORT_COPIES, NULL);
  }
}

static void tn_optimize_elementwise(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  const double work = tn_work(p);
  tiny_uop *rows = tn_block_rows(s, p);
  if (p->row && tn_do_reuse(s, rows)) tn_profile_kernel(t, s->sink, p);
  if (rows) tn_stage_folds(s, rows);
  const int most = tn_target_lanes(target, p);
  if (rows) tn_stage_numbers(s, rows, most);
  if (rows) tn_profile_kernel(t, s->sink, p);
  tiny_uop *best = NULL;
  double score = 0.5;
  for (int i = 0; i < p->nout; i++) {
    const double now = tn_lanes_score(t, p, p->out[i], 1);
    if (tn_lanes_for(tn_range_extent(p->out[i]), most, p->repeats) < 2 || now < score) continue;
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
    if (tn_row_pass(s, p, i, most, rows ? 1 : 8)) tn_push(t, &taken, p->red[i]);
  }
  tn_make_tasks(s, work, TN_ALL_LOOPS);
  tn_profile_kernel(t, s->sink, p);
  tn_fetch_next_row(s, p);
  tn_fetch_named_rows(s, p);
}
#endif
