// rows: elementwise work and rows on a CPU: softmax, layer_norm, copies, transpositions.
//
// Lanes run along what is contiguous in the output. What a row costs to compute is kept for the passes that come
// after; what is read across goes in blocks, so that lines of both memories are used whole while they are near.
#ifndef TN_CODEGEN_ROWS
#define TN_CODEGEN_ROWS
#ifndef TINY_AMALGAMATED
#include "tile.c"
#endif

enum { TN_FAR = 16, TN_ACROSS = 64, TN_ROW_COST = 10, TN_ROW_NBYTES = 1 << 16 };

static double tn_expression_cost(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  double cost = 0;
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++)
    if (tn_is_float(all.u[i]->dtype) && all.u[i]->op != TINY_OP_REDUCE) cost += tn_op_cost(all.u[i]);
  return cost;
}

// The greatest expression that the store and a REDUCE over its row both compute, *of_reduce as the REDUCE has
// it; NULL where it costs little.
static tiny_uop *tn_row_shared(tiny_ctx *t, const tn_profile *p, tiny_uop *j, tiny_uop *reduce,
                               tiny_uop **of_reduce) {
  tn_list body = {NULL, 0, 0}, value = {NULL, 0, 0};
  tn_map same = {NULL, 0, 0};
  tiny_uop *r = reduce->src[1];
  tn_toposort(t, reduce->src[0], &body);
  tn_toposort(t, p->end->src[0]->src[1], &value);
  for (int i = 0; i < body.n; i++)
    if (tn_op_is_elementwise(body.u[i]->op) && tn_is_float(body.u[i]->dtype) && tn_depends(t, body.u[i], r))
      tn_map_set(t, &same, tn_replace(t, body.u[i], 1, &r, &j), body.u[i]);
  for (int i = value.n - 1; i >= 0; i--) {
    if (!tn_map_has(&same, value.u[i])) continue;
    *of_reduce = (tiny_uop *)tn_map_get(&same, value.u[i]);
    return tn_expression_cost(t, value.u[i]) >= TN_ROW_COST ? value.u[i] : NULL;
  }
  return NULL;
}

// What a row costs to compute, such as the exponentials of a softmax, is kept for the passes that come after.
static int tn_stage_row(tn_kernel_state *s, const tn_profile *p, int most) {
  tiny_ctx *t = s->t;
  tiny_uop *j = NULL, *from[2], *to[2], *src[3], *at[2];
  for (int i = 0; i < p->nout; i++) {
    int in_scope = 1;
    for (int k = 0; k < p->nreduce; k++) in_scope &= tn_depends(t, p->reduce[k], p->out[i]);
    if (in_scope) continue;
    if (j) return 0;
    j = p->out[i];
  }
  if (!j || p->end->op != TINY_OP_END || tn_stride_in(t, p->store->src[1], j) != 1) return 0;
  const int64_t n = tn_range_extent(j), lanes = tn_lanes_for(n, most, 0);
  for (int k = 0; k < p->nreduce; k++) {
    tiny_uop *reduce = p->reduce[k];
    if (lanes < 2 || reduce->nsrc != 2 || tn_range_extent(reduce->src[1]) != n) continue;
    from[0] = tn_row_shared(t, p, j, reduce, &from[1]);
    if (!from[0] || n * tn_dtypes[from[0]->dtype].nbytes > TN_ROW_NBYTES) continue;
    src[1] = tn_range(t, n / lanes, TN_LOOP);
    src[2] = tn_range(t, lanes, TN_VECTOR);
    at[1] = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, src[1], tn_index(t, lanes)), src[2]);
    if (n == lanes) at[1] = src[2];
    src[0] = tn_replace(t, from[0], 1, &j, &at[1]);
    if (n == lanes) src[1] = src[2];
    const int split = n == lanes ? 2 : 3;
    at[0] = tn_uop_make(t, TINY_OP_STAGE, from[0]->dtype, 1, split, src, TN_SPACE_LOCAL, 0, NULL);
    for (int i = 0; i < 2; i++) {
      at[1] = i ? reduce->src[1] : j;
      tiny_uop *index = tn_uop_make(t, TINY_OP_INDEX, at[0]->dtype, 1, 2, at, 0, 0, NULL);
      to[i] = tn_uop_make(t, TINY_OP_LOAD, at[0]->dtype, 1, 1, &index, 0, 0, NULL);
    }
    s->sink = tn_replace(t, s->sink, 2, from, to);
    return 1;
  }
  return 0;
}

// A transposition: what is contiguous in v is read across, along another output range. Blocks of that range go
// through v together, so that lines of both are used whole while they are near.
static void tn_block_across(tn_kernel_state *s, const tn_profile *p, tiny_uop *v, tiny_uop *columns) {
  for (int i = 0; i < p->nload; i++) {
    const int64_t stride = tn_stride_in(s->t, p->load[i]->src[1], v);
    if (stride == TN_IRREGULAR || (stride < TN_FAR && stride > -TN_FAR)) continue;
    for (int j = 0; j < p->nout; j++) {
      if (p->out[j] == v || tn_stride_in(s->t, p->load[i]->src[1], p->out[j]) != 1) continue;
      tiny_uop *block = p->out[j];
      if (tn_tile_fits(block, TN_ACROSS, p->repeats)) block = tn_move_split(s, block, TN_ACROSS, TN_LOOP, 0, NULL);
      tn_move_swap(s, block, columns);
      return;
    }
  }
}

static int tn_is_reduced_with(const tn_profile *p, int i, uint32_t taken) {
  for (int j = 0; j < p->nreduce; j++) {
    uint32_t folds = 0;
    for (int k = 0; k < p->nred; k++)
      for (uint32_t n = 1; n < p->reduce[j]->nsrc; n++) if (p->reduce[j]->src[n] == p->red[k]) folds |= 1u << k;
    if ((folds >> i & 1) && (folds & taken)) return 1;
  }
  return 0;
}

static void tn_optimize_elementwise(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  if (p->row && tn_stage_row(s, p, tn_target_lanes(target, p))) tn_profile_kernel(t, s->sink, p);
  const int most = tn_target_lanes(target, p);
  const double work = tn_work(p);
  tiny_uop *best = NULL;
  double score = 0.5;
  for (int i = 0; i < p->nout; i++) {
    const double now = tn_lanes_score(t, p, p->out[i], 1);
    if (tn_lanes_for(tn_range_extent(p->out[i]), most, p->repeats) < 2 || now < score) continue;
    best = p->out[i];
    score = now;
  }
  int v_in_scope = 0;
  uint32_t taken = 0;                      // bit i: red[i] became lanes
  for (int j = 0; best && j < p->nreduce; j++) v_in_scope |= tn_depends(t, p->reduce[j], best);
  tiny_uop *columns = NULL;
  if (best)
    tn_move_split(s, best, tn_lanes_for(tn_range_extent(best), most, p->repeats), TN_VECTOR, 0, &columns);
  if (columns && !p->nreduce) tn_block_across(s, p, best, columns);
  if (!v_in_scope) for (int i = 0; i < p->nred; i++) {   // rows: every pass over the row gets lanes, once
    if (tn_lanes_score(t, p, p->red[i], 0) < 0.5 || tn_is_reduced_with(p, i, taken)) continue;
    const int64_t n = tn_range_extent(p->red[i]);
    tiny_uop *rest, *r = n >= 4 * most && n % most ? tn_move_pad(s, p->red[i], most) : p->red[i];
    const int64_t lanes = tn_lanes_for(tn_range_extent(r), most, 0);
    if (lanes < 2) continue;
    taken |= 1u << i;
    tn_move_split(s, r, lanes, TN_VECTOR, 0, &rest);
    if (rest && tn_range_extent(rest) % 4 == 0) tn_move_split(s, rest, 4, TN_UNROLL, 0, NULL);
  }
  s->sink = tn_simplify(t, s->sink);
  tn_make_tasks(s, work, TN_MAX_RANGES);
}
#endif
