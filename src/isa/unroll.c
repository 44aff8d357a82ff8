// unroll: how often the body of a short innermost loop stands in it, whatever the processor: instructions that only
// count, and jumps that are foreseen wrong where a loop of a few iterations ends, take a good part of its time.
//
// In:    a RANGE of a list, and how many registers' worth of nodes its body is, which the target counts.
// Out:   the copies of the body, 1, 2 or 4. Iteration r + i is that of copy i; if the length of the loop may be no
//        multiple of their number, a second loop of one copy does what is left over, if the target has such.
// Holds: the body has no loop, no condition of its own and no barrier. All copies are written from the same nodes.
// Source: Aho, Lam, Sethi and Ullman, Compilers (2007), 10.5: loop unrolling.
#ifndef TN_ISA_UNROLL
#define TN_ISA_UNROLL
#ifndef TINY_AMALGAMATED
#include "induction.c"
#endif

enum { TN_ISA_SHORT = 6 };                 // nodes of a body of four copies; of two, twice as many
enum { TN_ISA_LEFT_OVER = 16 };            // iterations of a loop of known length that has a rest, at least

// The place of the END of an innermost loop that may have copies; -1: it is none.
static int tn_isa_body_end(const tiny_listing *k, const tiny_uop *range) {
  for (int i = (int)range->seq + 1; i < k->n; i++) {
    const int op = k->list[i]->op;
    if (op == TINY_OP_END) return i;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF || op == TINY_OP_BARRIER || op == TINY_OP_DEFINE) return -1;
  }
  return -1;
}
// Is the number of iterations known, and a multiple of that?
static int tn_isa_is_whole(const tiny_uop *range, int copies) {
  const tiny_uop *end = range->src[0];
  return range->nsrc == 1 && end->op == TINY_OP_CONST && end->k > 0 && end->k % copies == 0;
}
// May there be a loop of what is left over? It begins where the number of the iteration is within `copies` of the end.
static int tn_isa_may_leave(const tiny_uop *range, int copies) {
  const tiny_uop *end = range->src[0];
  const int64_t least = tn_bits(range->dtype) == 64 ? INT64_MIN : INT32_MIN;
  if (tn_is_unsigned(range->dtype)) return 0;
  return end->op == TINY_OP_CONST ? end->k >= TN_ISA_LEFT_OVER : end->vmin >= least + copies;
}
static int tn_isa_copies_of(const tiny_uop *range, int nodes, int rest) {
  int copies = 4;
  while (copies > 1 && (nodes * copies > 4 * TN_ISA_SHORT ||
                        !(tn_isa_is_whole(range, copies) || (rest && tn_isa_may_leave(range, copies))))) copies /= 2;
  return copies;
}
#endif
