// loops: kernels that are written as loops over memory, in the IR: what no graph of whole arrays says in few nodes,
// because each of n steps reads what the one before has written.
//
// In:  calls in the order in which things happen: load, store, loop, sum. Out: a SINK, and the CUSTOM node of its
//      kernel, so that it runs on every device, in one launch.
// Holds: loads and stores happen in the order of the calls. Each is AFTER the last store or loop before it and the
//      loops that it stands in, a store also after the loads since then, so that no pass can change their order.
// Memory 0 is the output, and room to work in; 1 is the input. Bounds of loops are values as others are: a loop of
// `goes ? n : 0` iterations is a condition, and a search that has ended costs nothing. The matrices of a batch are
// TASKs.
#ifndef TN_TENSOR_LOOPS
#define TN_TENSOR_LOOPS
#ifndef TINY_AMALGAMATED
#include "einsum.c"
#endif

enum { TN_LOOPS_READS = 32, TN_LOOPS_DEPTH = 16 };

typedef struct tn_loops {
  tiny_ctx *t;
  tiny_uop *batch;                         // number of the matrix
  tiny_uop *done;                          // the last store or loop; NULL: none
  tiny_uop *open[TN_LOOPS_DEPTH]; int nopen;   // ranges of the loops that are open
  struct { tiny_uop *u, *sum; } read[TN_LOOPS_READS]; int nread;   // since done; sum: the range that it is summed over
  tiny_uop *sum;                           // the range that is summed over now
  int64_t ids, count;
} tn_loops;

// The same ids for the same calls: kernels are known again by what is in them.
static tiny_uop *tn_loops_range(tn_loops *l, tiny_uop *from, tiny_uop *to, int kind) {
  tiny_uop *src[2] = {to, from};
  const int starts = !tn_is_k(from, 0);
  return tn_uop_make(l->t, TINY_OP_RANGE, TINY_INDEX, 1, 1 + starts, src, ++l->ids << 8 | kind, 0, NULL);
}
static void tn_loops_open(tn_loops *l, tiny_ctx *t, int64_t batch) {
  memset(l, 0, sizeof *l);
  l->t = t; l->count = batch;
  l->batch = batch == 1 ? tn_index(t, 0) : tn_loops_range(l, tn_index(t, 0), tn_index(t, batch), TN_TASK);
}

// ** memory: matrices in one of the kernel's parameters **

typedef struct tn_grid { tn_loops *l; tiny_uop *memory, *base; int64_t pitch; } tn_grid;

// Number slot of the parameters: (rows, columns) for each of the batch.
static tn_grid tn_grid_of(tn_loops *l, int slot, int dtype, int64_t rows, int64_t columns) {
  const int64_t nelem = l->count * rows * columns;
  tn_grid g = {l, tn_uop_make(l->t, TINY_OP_PARAM, dtype, 1, 0, NULL, slot, 1, &nelem), NULL, columns};
  g.base = tn_u2(l->t, TINY_OP_MUL, l->batch, tn_index(l->t, rows * columns));
  return g;
}
static tiny_uop *tn_grid_index(const tn_grid *g, tiny_uop *i, tiny_uop *j, int stores) {
  tn_loops *l = g->l;
  tiny_ctx *t = l->t;
  tiny_uop *after[TN_LOOPS_READS + TN_LOOPS_DEPTH + 2] = {g->memory}, *src[2] = {g->memory, NULL};
  int n = 1;
  if (l->done) after[n++] = l->done;
  for (int r = 0; r < l->nopen; r++) after[n++] = l->open[r];
  for (int r = 0; stores && r < l->nread; r++) after[n++] = l->read[r].u;
  if (n > 1) src[0] = tn_uop_make(t, TINY_OP_AFTER, g->memory->dtype, 1, n, after, 0, 0, NULL);
  src[1] = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, i, tn_index(t, g->pitch)), j);
  src[1] = tn_u2(t, TINY_OP_ADD, g->base, src[1]);
  return tn_uop_make(t, TINY_OP_INDEX, g->memory->dtype, 1, 2, src, 0, 0, NULL);
}
static void tn_loops_note(tn_loops *l, tiny_uop *u) {
  if (l->nread == TN_LOOPS_READS) { tiny_fail(l->t, TINY_E_INTERNAL, "loops: too many loads at once"); return; }
  l->read[l->nread].u = u;
  l->read[l->nread++].sum = l->sum;
}
static tiny_uop *tn_grid_load(const tn_grid *g, tiny_uop *i, tiny_uop *j) {
  tiny_uop *index = tn_grid_index(g, i, j, 0);
  tiny_uop *u = tn_uop_make(g->l->t, TINY_OP_LOAD, g->memory->dtype, 1, 1, &index, 0, 0, NULL);
  tn_loops_note(g->l, u);
  return u;
}
static void tn_grid_store(const tn_grid *g, tiny_uop *i, tiny_uop *j, tiny_uop *value) {
  tiny_uop *src[2] = {tn_grid_index(g, i, j, 1), value};
  g->l->done = tn_uop_make(g->l->t, TINY_OP_STORE, TINY_VOID, 1, 2, src, 0, 0, NULL);
  g->l->nread = 0;
}

// ** loops and sums **

static tiny_uop *tn_loops_begin(tn_loops *l, tiny_uop *from, tiny_uop *to) {
  return l->open[l->nopen++] = tn_loops_range(l, from, to, TN_LOOP);
}
static tiny_uop *tn_loops_end(tn_loops *l) {
  tiny_uop *src[2] = {l->done, l->open[--l->nopen]};
  l->done = tn_uop_make(l->t, TINY_OP_END, TINY_VOID, 1, 2, src, 0, 0, NULL);
  l->nread = 0;
  return NULL;
}
// for (i = from; i < to; i++), around the statement that follows; it stores something.
#define TN_LOOP_OVER(l, i, from, to) \
  for (tiny_uop *i = tn_loops_begin(l, from, to); i; i = tn_loops_end(l))

// A range to sum over. What is loaded until tn_loops_reduce belongs to the sum.
static tiny_uop *tn_loops_sum(tn_loops *l, tiny_uop *from, tiny_uop *to) {
  return l->sum = tn_loops_range(l, from, to, TN_REDUCE);
}
// x[0..n-1], each reduced over the range.
static void tn_loops_reduce(tn_loops *l, int op, int n, tiny_uop **x) {
  tiny_uop *range = l->sum;
  int kept = 0;
  for (int i = 0; i < l->nread; i++) if (l->read[i].sum != range) l->read[kept++] = l->read[i];
  l->nread = kept;
  l->sum = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *src[2] = {x[i], range};
    x[i] = tn_uop_make(l->t, TINY_OP_REDUCE, x[i]->dtype, 1, 2, src, op, 0, NULL);
    tn_loops_note(l, x[i]);
  }
}

// ** the kernel **

// What it makes of x: dtype, (batch, rows, columns).
static tiny_uop *tn_loops_run(tn_loops *l, tiny_uop *x, int dtype, int64_t rows, int64_t columns) {
  tiny_ctx *t = l->t;
  tiny_uop *src[2] = {l->done, l->batch}, *end = l->done, *y = &t->ir->bad;
  if (l->count != 1) end = tn_uop_make(t, TINY_OP_END, TINY_VOID, 1, 2, src, 0, 0, NULL);
  end = tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, 1, &end, 0, 0, NULL);
  if (tn_bad(t, end) || tn_bad(t, x)) return y;
  tiny_tensor *in = tn_tensor_new(t, x), *out = in;
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.uops = end; d.inputs = &in; d.n = 1;
  d.shape = TINY_SHAPE(l->count, rows, columns); d.dtype = (tiny_dtype)dtype;
  if (tiny_ok(in)) out = tiny_kernel(t, &d);
  if (tiny_ok(out)) y = tn_uop_of(out);
  tiny_free(in);
  tiny_free(out);
  return y;
}
#endif
