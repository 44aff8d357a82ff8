// contraction: a sum of products of two operands as one fact: a matmul, a convolution, a product of vectors.
//
// In:  a REDUCE of a tensor graph; codegen/profile.c tells the same of a kernel. Out: its operands, and which axes are
//      summed, which one operand alone moves with, which both do.
// Whoever wants to know whether something is a matmul asks this: fusion and panels of operands (schedule), packing of
// A and B, DOTs and matrix units (codegen).
#ifndef TN_SHAPE_CONTRACTION
#define TN_SHAPE_CONTRACTION
#ifndef TINY_AMALGAMATED
#include "view.c"
#endif

typedef struct tn_contraction {            // axes: a bit each, of the product's dims or of the kernel's ranges
  tiny_uop *sum, *product, *operand[2];    // product: what two operands are sources of: MUL, DOT
  tiny_uop *inside;                        // of a kernel: the condition of a K that was padded; NULL: none
  uint64_t k, own[2], batch;               // summed; that one operand alone moves with: M, N; that both do
  tiny_view view[2]; int laid[2];          // of a tensor: how an operand lies in memory, where laid says that it does
} tn_contraction;

enum { TN_VIEW_PATH = 32 };                // movements that are looked through

// Where a SLICE begins changes no stride.
static tiny_code tn_strides_move(tiny_views *v, const tiny_uop *m) {
  tiny_shape all;
  if (m->op != TINY_OP_SLICE) return tn_views_move(v, m);
  memset(&all, 0, sizeof all);
  all.ndim = 2 * m->ndim;
  if (all.ndim > TINY_MAX_DIMS) return TINY_E_STATE;
  for (int i = 0; i < m->ndim; i++) all.dim[2 * i + 1] = m->dim[i];
  return tiny_views_shrink(v, all);
}

// How x's elements lie in the memory of the node that its movements start from, or that the first of them that is of
// op `until` makes. 0: not as one view without a mask.
static int tn_strides_from(const tiny_uop *x, int until, tiny_view *out) {
  const tiny_uop *path[TN_VIEW_PATH];
  int n = 0;
  for (; tn_op_is(x->op, TINY_MOVEMENT) || x->op == TINY_OP_WHOLE; x = x->src[0]) {
    if (tn_is_leaf(x) || x->op == until) break;
    if (n == TN_VIEW_PATH) return 0;
    path[n++] = x;
  }
  tiny_views v = tn_views_over(x->ndim, x->dim);
  while (n) if (tn_strides_move(&v, path[--n]) != TINY_OK) return 0;
  *out = v.v[v.n - 1];
  for (int i = 0; i < out->ndim; i++) if (out->begin[i] > 0 || out->end[i] < out->dim[i]) return 0;
  return v.n == 1;
}
static int tn_strides_of(const tiny_uop *x, tiny_view *out) { return tn_strides_from(x, -1, out); }

// The axes along which x repeats itself, as far as can be told below conversions and above what pads.
static uint64_t tn_axes_repeated(const tiny_uop *x) {
  tiny_view v;
  uint64_t axes = 0;
  while (x->op == TINY_OP_CAST && !tn_is_leaf(x)) x = x->src[0];
  const int laid = tn_strides_from(x, TINY_OP_PAD, &v);
  for (int d = 0; d < x->ndim; d++)
    if (x->dim[d] > 1 && (laid ? !v.stride[d] : x->op == TINY_OP_EXPAND && x->src[0]->dim[d] == 1))
      axes |= (uint64_t)1 << d;
  return axes;
}

// 1: REDUCE u of a tensor graph sums products.
static int tn_contraction_of(const tiny_uop *u, tn_contraction *c) {
  memset(c, 0, sizeof *c);
  if ((u->k & 0xFF) != TINY_OP_ADD || u->src[0]->op != TINY_OP_MUL) return 0;
  uint64_t repeats[2], all = 0;
  c->product = u->src[0];
  c->k = (uint64_t)u->k >> 8;
  for (int i = 0; i < 2; i++) {
    c->operand[i] = c->product->src[i];
    c->laid[i] = tn_strides_of(c->operand[i], &c->view[i]);
    repeats[i] = tn_axes_repeated(c->operand[i]);
  }
  for (int d = 0; d < c->product->ndim; d++) all |= (uint64_t)1 << d;
  for (int i = 0; i < 2; i++) c->own[i] = repeats[!i] & ~repeats[i] & ~c->k;
  c->batch = all & ~(repeats[0] | repeats[1] | c->k);
  return 1;
}

// What an operand moves with, K aside.
static uint64_t tn_operand_axes(const tn_contraction *c, int operand) { return c->own[operand] | c->batch; }

// How often each element of an operand is read, at least: for all axes that the other one alone moves with.
static int64_t tn_contraction_reads(const tn_contraction *c, int operand) {
  int64_t n = 1;
  for (int d = 0; d < c->product->ndim; d++) if (c->own[!operand] >> d & 1) n *= c->product->dim[d];
  return n;
}
#endif
