// combine: a word of 32 bits that is put together of bytes, or halves, which lie beside each other in memory.
//
// In:  an OR. Out: the LOADs of its parts, by their place in the word; 0: it is no such word.
// Holds: the parts are loaded unconditionally, from one memory, in its order, the lowest first, as a processor whose
//        lowest byte is the first reads the word at once. They may be widened, all alike: bytes that become halves.
//        Such are the words of a DOT (codegen/dot.c).
#ifndef TN_IR_COMBINE
#define TN_IR_COMBINE
#ifndef TINY_AMALGAMATED
#include "listing.c"
#include "uop.c"
#endif

enum { TN_COMBINED_PARTS = 4 };
typedef struct tn_combined {
  tiny_uop *load[TN_COMBINED_PARTS];
  int n, from, dtype;                      // how many there are; what is loaded, and what it is in the word
} tn_combined;

// An index as a value and a number that is added to it.
static const tiny_uop *tn_combined_base(const tiny_uop *at, int64_t *k) {
  const int is_sum = at->op == TINY_OP_ADD && at->src[1]->op == TINY_OP_CONST, is_number = at->op == TINY_OP_CONST;
  *k = is_sum ? at->src[1]->k : is_number ? at->k : 0;
  return is_sum ? at->src[0] : is_number ? NULL : at;
}
// One part: a LOAD, without its sign, shifted by a number. 0: it is none.
static int tn_combined_part(tiny_uop *u, tn_combined *w) {
  int64_t shift = 0;
  if (u->op == TINY_OP_SHL && u->src[1]->op == TINY_OP_CONST) { shift = u->src[1]->k; u = u->src[0]; }
  if (u->op != TINY_OP_CAST || !tn_is_unsigned(u->src[0]->dtype)) return 0;
  u = u->src[0];
  if (u->op == TINY_OP_BITCAST && tn_bits(u->src[0]->dtype) == tn_bits(u->dtype)) u = u->src[0];
  const int dtype = u->dtype, nbytes = tn_dtypes[dtype].nbytes, at = nbytes ? (int)(shift / 8 / nbytes) : 0;
  if (u->op == TINY_OP_CAST && tn_is_int(dtype) && tn_is_int(u->src[0]->dtype)) u = u->src[0];
  if (u->op != TINY_OP_LOAD || u->nsrc > 1 || u->k || u->lanes > 1 || u->src[0]->nsrc > 2 || u->dtype == TINY_BOOL)
    return 0;
  if (nbytes > 2 || tn_is_reg(u->src[0]->src[0]) || (w->n && (w->dtype != dtype || w->from != u->dtype))) return 0;
  if (shift % (8 * nbytes) || at >= 4 / nbytes || w->load[at]) return 0;
  w->dtype = dtype; w->from = u->dtype;
  w->load[at] = u;
  return ++w->n;
}
static int tn_combined_parts(tiny_uop *u, tn_combined *w) {
  for (int i = 0; i < TN_COMBINED_PARTS; i++) {              // ORs of ORs, whichever source they are
    if (u->op != TINY_OP_OR) return tn_combined_part(u, w);
    const int deep = u->src[0]->op == TINY_OP_OR;
    if (!tn_combined_part(u->src[deep], w)) return 0;
    u = u->src[!deep];
  }
  return 0;
}
static int tn_combined_of(const tiny_uop *u, tn_combined *w) {
  int64_t first, at;
  memset(w, 0, sizeof *w);
  if (u->op != TINY_OP_OR || u->dtype != TINY_U32 || u->lanes > 1 || !tn_combined_parts((tiny_uop *)u, w)) return 0;
  if (!w->n || w->n * tn_dtypes[w->dtype].nbytes != 4) return 0;
  const tiny_uop *lowest = w->load[0]->src[0], *base = tn_combined_base(lowest->src[1], &first);
  for (int i = 0; i < w->n; i++) {
    const tiny_uop *index = w->load[i]->src[0];
    if (index->src[0] != lowest->src[0] || index->lanes > 1 || index->src[1]->dtype != lowest->src[1]->dtype ||
        tn_combined_base(index->src[1], &at) != base || at != first + i) return 0;
  }
  return w->n;
}
#endif
