// words: a word that is put together of bytes, or halves, which lie beside each other in memory, is one load.
//
// In:  an OR of a list, whose seq is the place in it. Out: the LOAD of its lowest part; NULL: it is no such word.
// Holds: the parts are loaded unconditionally, from one memory, in its order, by a processor whose lowest byte is the
//        first; no store and no loop stands between the first of the loads and the OR. Such are the words of a DOT
//        (codegen/dot.c).
#ifndef TN_ISA_WORDS
#define TN_ISA_WORDS
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#include "../ir/uop.c"
#endif

enum { TN_ISA_PARTS = 4 };
typedef struct tn_isa_word { const tiny_uop *load[TN_ISA_PARTS]; int nbytes, n; } tn_isa_word;  // by place in the word

// An index as a value and a number that is added to it.
static const tiny_uop *tn_isa_base_of(const tiny_uop *at, int64_t *k) {
  const int is_sum = at->op == TINY_OP_ADD && at->src[1]->op == TINY_OP_CONST, is_number = at->op == TINY_OP_CONST;
  *k = is_sum ? at->src[1]->k : is_number ? at->k : 0;
  return is_sum ? at->src[0] : is_number ? NULL : at;
}
// One part: a LOAD, without its sign, shifted by a number. 0: it is none.
static int tn_isa_part_of(const tiny_uop *u, tn_isa_word *w) {
  int64_t shift = 0;
  if (u->op == TINY_OP_SHL && u->src[1]->op == TINY_OP_CONST) { shift = u->src[1]->k; u = u->src[0]; }
  if (u->op != TINY_OP_CAST || !tn_is_unsigned(u->src[0]->dtype)) return 0;
  u = u->src[0];
  const int casts = u->op == TINY_OP_BITCAST || (u->op == TINY_OP_CAST && tn_is_int(u->src[0]->dtype));
  if (casts && tn_bits(u->src[0]->dtype) == tn_bits(u->dtype)) u = u->src[0];
  const int nbytes = tn_dtypes[u->dtype].nbytes, at = nbytes ? (int)(shift / 8 / nbytes) : 0;
  if (u->op != TINY_OP_LOAD || u->nsrc > 1 || u->k || u->lanes > 1 || u->src[0]->nsrc > 2 || u->dtype == TINY_BOOL)
    return 0;
  if (nbytes > 2 || tn_is_reg(u->src[0]->src[0]) || (w->nbytes && w->nbytes != nbytes)) return 0;
  w->nbytes = nbytes;
  if (shift % (8 * nbytes) || at >= 4 / nbytes || w->load[at]) return 0;
  w->load[at] = u;
  return ++w->n;
}
static int tn_isa_parts_of(const tiny_uop *u, tn_isa_word *w) {
  for (int i = 0; i < TN_ISA_PARTS; i++) {                   // ORs of ORs, whichever source they are
    if (u->op != TINY_OP_OR) return tn_isa_part_of(u, w);
    const int deep = u->src[0]->op == TINY_OP_OR;
    if (!tn_isa_part_of(u->src[deep], w)) return 0;
    u = u->src[!deep];
  }
  return 0;
}
static const tiny_uop *tn_isa_word_of(const tiny_listing *k, const tiny_uop *u, tn_isa_word *w) {
  int64_t first, at;
  memset(w, 0, sizeof *w);
  if (u->op != TINY_OP_OR || u->dtype != TINY_U32 || u->lanes > 1 || !tn_isa_parts_of(u, w)) return NULL;
  if (w->n * w->nbytes != 4) return NULL;
  const tiny_uop *lowest = w->load[0]->src[0], *base = tn_isa_base_of(lowest->src[1], &first);
  uint32_t from = u->seq;
  for (int i = 0; i < w->n; i++) {
    const tiny_uop *index = w->load[i]->src[0];
    if (index->src[0] != lowest->src[0] || index->lanes > 1 || index->src[1]->dtype != lowest->src[1]->dtype ||
        tn_isa_base_of(index->src[1], &at) != base || at != first + i) return NULL;
    if (w->load[i]->seq < from) from = w->load[i]->seq;
  }
  for (; from < u->seq; from++) {
    const tiny_uop *v = k->list[from];
    if (v->op == TINY_OP_RANGE || v->op == TINY_OP_END || v->op == TINY_OP_IF || v->op == TINY_OP_ENDIF ||
        (v->op == TINY_OP_STORE && !tn_is_reg(v->src[0]->src[0]))) return NULL;
  }
  return w->load[0];
}
#endif
