// kernel: builders of what kernels are made of: memory and its elements, loops and what they close, vectors.
//
// In:  sources. Out: the node, with the dtype and lanes that follow from them. What needs no node is given back as it
//      is: END, REDUCE and AFTER of nothing are what they would be of. Sources of more than these are tn_like's.
#ifndef TN_IR_KERNEL
#define TN_IR_KERNEL
#ifndef TINY_AMALGAMATED
#include "build.c"
#endif

// u with other sources, however many, and other lanes.
static tiny_uop *tn_like(tiny_ctx *t, const tiny_uop *u, int lanes, int n, tiny_uop *const *src) {
  return tn_uop_make_with(t, u->op, u->dtype, lanes, n, src, u->k, u->nv, u->v, u->ptr);
}
// A node of a list of sources, one lane.
static tiny_uop *tn_node_of(tiny_ctx *t, int op, int dtype, const tn_list *src) {
  return tn_uop_make(t, op, dtype, 1, src->n, src->u, 0, 0, NULL);
}
// first and the n nodes of list, as sources of one node.
static tiny_uop *tn_node_over(tiny_ctx *t, int op, int dtype, int lanes, tiny_uop *first, int n, tiny_uop *const *list,
                              int64_t k) {
  tiny_uop *few[TINY_MAX_DIMS + 2], **src = few;
  if (n > TINY_MAX_DIMS + 1) src = (tiny_uop **)tn_scratch_bare(t, ((size_t)n + 1) * sizeof *src);
  src[0] = first;
  for (int i = 0; i < n; i++) src[i + 1] = list[i];
  return tn_uop_make(t, op, dtype, lanes, n + 1, src, k, 0, NULL);
}

// ** memory **

// The memory of a kernel's argument.
static tiny_uop *tn_param(tiny_ctx *t, int dtype, int64_t slot, int64_t nelem) {
  return tn_uop_make(t, TINY_OP_PARAM, dtype, 1, 0, NULL, slot, 1, &nelem);
}
// New memory of the kernel's own, in TN_SPACE_ ..; of accumulators with lanes.
static tiny_uop *tn_define(tiny_ctx *t, int dtype, int lanes, int space, int64_t nelem) {
  const int64_t v[2] = {space, nelem};
  return tn_uop_make(t, TINY_OP_DEFINE, dtype, lanes, 0, NULL, ++t->ir->serial, 2, v);
}
// Of a STAGE's k: rows of so many elements with a pad behind each; without a pad there are no rows.
static int64_t tn_stage_rows(int64_t row, int64_t pad) {
  return pad ? pad << TN_STAGE_PAD | row << TN_STAGE_ROW : 0;
}
// What x is for every value of the ranges, in memory of the space, row by row of the first range, pad elements between.
static tiny_uop *tn_stage(tiny_ctx *t, int space, int64_t pad, tiny_uop *x, int n, tiny_uop *const *ranges) {
  int64_t row = pad != 0;
  for (int i = 1; i < n && pad; i++) row *= tn_range_extent(ranges[i]);
  return tn_node_over(t, TINY_OP_STAGE, x->dtype, x->lanes, x, n, ranges, space | tn_stage_rows(row, pad));
}
// Elements that a stage takes.
static int64_t tn_stage_nelem(const tiny_uop *u) {
  int64_t n = 1;
  for (uint32_t i = 1; i < u->nsrc; i++) n = tn_clamp_mul(n, tn_range_extent(u->src[i]));
  return tn_stage_pad(u) ? tn_clamp_add(n, tn_clamp_mul(n / tn_stage_row(u), tn_stage_pad(u))) : n;
}
// Which of them belongs to these values of its ranges. Rows stay as they were made when a range is split.
static tiny_uop *tn_stage_element(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *values) {
  tiny_uop *element = tn_index(t, 0);
  for (uint32_t i = 1; i < u->nsrc; i++) {
    tiny_uop *extent = tn_index(t, tn_range_extent(u->src[i]));
    element = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, element, extent), values[i - 1]);
  }
  if (!tn_stage_pad(u)) return element;
  tiny_uop *row = tn_u2(t, TINY_OP_IDIV, element, tn_index(t, tn_stage_row(u)));
  return tn_u2(t, TINY_OP_ADD, element, tn_u2(t, TINY_OP_MUL, row, tn_index(t, tn_stage_pad(u))));
}
// x, not before `done`.
static tiny_uop *tn_after(tiny_ctx *t, tiny_uop *x, tiny_uop *done) {
  return tn_node_over(t, TINY_OP_AFTER, x->dtype, x->lanes, x, 1, &done, 0);
}
static tiny_uop *tn_after_all(tiny_ctx *t, tiny_uop *x, const tn_list *done) {
  return done->n ? tn_node_over(t, TINY_OP_AFTER, x->dtype, x->lanes, x, done->n, done->u, 0) : x;
}

// The element of memory at `at`, which is touched where `valid` holds; NULL: always.
static tiny_uop *tn_index_of(tiny_ctx *t, tiny_uop *memory, tiny_uop *at, tiny_uop *valid) {
  tiny_uop *src[3] = {memory, at, valid};
  return tn_uop_make(t, TINY_OP_INDEX, memory->dtype, 1, valid && !tn_is_k(valid, 1) ? 3 : 2, src, 0, 0, NULL);
}
// Another element of the same memory, where the same holds.
static tiny_uop *tn_index_with(tiny_ctx *t, const tiny_uop *index, tiny_uop *at, int lanes) {
  tiny_uop *src[3] = {index->src[0], at, index->nsrc == 3 ? index->src[2] : NULL};
  return tn_like(t, index, lanes, (int)index->nsrc, src);
}
static tiny_uop *tn_load(tiny_ctx *t, tiny_uop *index, int lanes) {
  return tn_uop_make(t, TINY_OP_LOAD, index->dtype, lanes, 1, &index, 0, 0, NULL);
}
static tiny_uop *tn_load_at(tiny_ctx *t, tiny_uop *memory, tiny_uop *at) {
  return tn_load(t, tn_index_of(t, memory, at, NULL), 1);
}
static tiny_uop *tn_store(tiny_ctx *t, tiny_uop *index, tiny_uop *value) {
  tiny_uop *src[2] = {index, value};
  return tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, src, 0, 0, NULL);
}
// The same, at any time before a BARRIER that waits for it.
static tiny_uop *tn_store_later(tiny_ctx *t, tiny_uop *index, tiny_uop *value) {
  tiny_uop *src[2] = {index, value};
  return tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, src, TN_LATER, 0, NULL);
}
// The same as another store does it: what that adds, this adds.
static tiny_uop *tn_store_as(tiny_ctx *t, const tiny_uop *store, tiny_uop *index, tiny_uop *value) {
  tiny_uop *src[2] = {index, value};
  return tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, src, store->k, 0, NULL);
}
// The box of a tensor from these coordinates on. v, k: as a BULK has them.
static tiny_uop *tn_bulk(tiny_ctx *t, tiny_uop *to, tiny_uop *from, tiny_uop *slot, int dims, tiny_uop *const *at,
                         const int64_t *v, int64_t k) {
  tiny_uop *src[3 + TN_BOX_DIMS] = {to, from, slot};
  for (int i = 0; i < dims; i++) src[3 + i] = at[i];
  return tn_uop_make(t, TINY_OP_BULK, TINY_VOID, 1, 3 + dims, src, k, 3 * dims, v);
}
// A box of LOCAL memory from this INDEX on to the tensor.
static tiny_uop *tn_bulk_store(tiny_ctx *t, tiny_uop *from, tiny_uop *to, int dims, tiny_uop *const *at,
                               const int64_t *v) {
  tiny_uop *src[2 + TN_BOX_DIMS] = {from, to};
  for (int i = 0; i < dims; i++) src[2 + i] = at[i];
  return tn_uop_make(t, TINY_OP_BULKSTORE, TINY_VOID, 1, 2 + dims, src, 0, 3 * dims, v);
}
static tiny_uop *tn_prefetch(tiny_ctx *t, tiny_uop *index) {
  return tn_uop_make(t, TINY_OP_PREFETCH, TINY_VOID, 1, 1, &index, 0, 0, NULL);
}
static tiny_uop *tn_barrier(tiny_ctx *t, tiny_uop *done) {
  return tn_uop_make(t, TINY_OP_BARRIER, TINY_VOID, 1, 1, &done, 0, 0, NULL);
}
// That waits for STOREs that may happen later, but for those since the last n of its kind.
static tiny_uop *tn_barrier_wait(tiny_ctx *t, const tn_list *done, int64_t n) {
  return tn_uop_make(t, TINY_OP_BARRIER, TINY_VOID, 1, done->n, done->u, 1 + n, 0, NULL);
}

// That waits for the boxes of a slot, and of STOREs as k of a BARRIER says.
static tiny_uop *tn_barrier_boxes(tiny_ctx *t, tiny_uop *slot, const tn_list *done, int64_t k) {
  return tn_node_over(t, TINY_OP_BARRIER, TINY_VOID, 1, slot, done->n, done->u, TN_BOXES | k);
}

// ** loops **

// r as another kind of range.
static tiny_uop *tn_with_kind(tiny_ctx *t, const tiny_uop *r, int kind) {
  return tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, r->src, (r->k & ~(int64_t)0xFF) | kind, 0, NULL);
}
// What is done, for every value of the ranges.
static tiny_uop *tn_end(tiny_ctx *t, tiny_uop *done, int n, tiny_uop *const *ranges) {
  return n ? tn_node_over(t, TINY_OP_END, TINY_VOID, 1, done, n, ranges, 0) : done;
}
// x folded by op over the ranges.
static tiny_uop *tn_reduce_over(tiny_ctx *t, int64_t op, tiny_uop *x, int n, tiny_uop *const *ranges) {
  return n ? tn_node_over(t, TINY_OP_REDUCE, x->dtype, x->lanes, x, n, ranges, op) : x;
}
static tiny_uop *tn_sink_of(tiny_ctx *t, tiny_uop *end) {
  return tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, 1, &end, 0, 0, NULL);
}

// ** vectors **

// `lanes` lanes of x from `first` on.
static tiny_uop *tn_pick(tiny_ctx *t, tiny_uop *x, int64_t first, int lanes) {
  return tn_uop_make(t, TINY_OP_PICK, x->dtype, lanes, 1, &x, first, 0, NULL);
}
// n values of one lane, side by side.
static tiny_uop *tn_stack(tiny_ctx *t, int n, tiny_uop *const *x) {
  return tn_uop_make(t, TINY_OP_STACK, x[0]->dtype, n, n, x, 0, 0, NULL);
}
static tiny_uop *tn_lanes_of(tiny_ctx *t, tiny_uop *x, int lanes) {
  return x->lanes == lanes ? x : tn_uop_make(t, TINY_OP_BROADCAST, x->dtype, lanes, 1, &x, 0, 0, NULL);
}
#endif
