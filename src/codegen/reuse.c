// reuse: what a row costs to compute is stored by the reduction that needs it first, for the passes that come after.
//
// In:  a kernel of rows, such as a softmax. Out: the same, its exponentials computed once.
#ifndef TN_CODEGEN_REUSE
#define TN_CODEGEN_REUSE
#ifndef TINY_AMALGAMATED
#include "transform.c"
#endif

enum { TN_REUSE_NBYTES = 1 << 16 };        // of all rows

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
    return tn_expression_cost(t, value.u[i]) >= (double)TN_REUSE_COST ? value.u[i] : NULL;
  }
  return NULL;
}

// Where element j of a row lies in memory for all rows of a block; rows NULL: for one.
static tiny_uop *tn_place_in_rows(tiny_ctx *t, tiny_uop *rows, int64_t n, tiny_uop *j) {
  return rows ? tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, rows, tn_index(t, n)), j) : j;
}

// What a row costs to compute, such as the exponentials of a softmax, is kept for the passes that come after: the
// REDUCE that needs it first stores it on its way. rows: of a block, or NULL.
static int tn_transform_reuse(tn_kernel_state *s, const tn_profile *p, tiny_uop *rows) {
  tiny_ctx *t = s->t;
  tiny_uop *j = NULL, *value[2];
  for (int i = 0; i < p->nout; i++) {
    int in_scope = 1;
    for (int k = 0; k < p->nreduce; k++) in_scope &= tn_depends(t, p->reduce[k], p->out[i]);
    if (in_scope) continue;
    if (j) return 0;
    j = p->out[i];
  }
  if (!j || p->end->op != TINY_OP_END || tn_stride_in(t, p->store->src[1], j) != 1) return 0;
  for (int k = 0; k < p->nreduce; k++) {
    tiny_uop *reduce = p->reduce[k];
    const int64_t n = tn_range_extent(j), nelem = rows ? n * tn_range_extent(rows) : n;
    if (reduce->nsrc != 2 || tn_range_extent(reduce->src[1]) != n) continue;
    value[0] = tn_row_shared(t, p, j, reduce, &value[1]);
    if (!value[0] || nelem * tn_dtypes[value[0]->dtype].nbytes > TN_REUSE_NBYTES) continue;
    tiny_uop *memory = tn_define(t, value[0]->dtype, 1, TN_SPACE_LOCAL, nelem),
             *first = tn_index_of(t, memory, tn_place_in_rows(t, rows, n, reduce->src[1]), NULL),
             *stored = tn_after(t, value[1], tn_store(t, first, value[1])),
             *filling = tn_replace(t, reduce, 1, &value[1], &stored),
             *again = tn_load_at(t, tn_after(t, memory, filling), tn_place_in_rows(t, rows, n, j)),
             *from[2] = {value[0], reduce}, *to[2] = {again, filling};
    s->sink = tn_replace(t, s->sink, 2, from, to);
    return 1;
  }
  return 0;
}
#endif
