// words: a word that is put together of bytes, or halves, which lie beside each other in memory, is one load.
//
// In:  an OR of a list, whose seq is the place in it. Out: the LOAD of its lowest part; NULL: it is no such word.
// Holds: no store and no loop stands between the first of the loads and the OR.
#ifndef TN_ISA_WORDS
#define TN_ISA_WORDS
#ifndef TINY_AMALGAMATED
#include "../ir/combine.c"
#endif

static const tiny_uop *tn_isa_word_of(const tiny_listing *k, const tiny_uop *u, tn_combined *w) {
  uint32_t from = u->seq;
  if (!tn_combined_of(u, w) || tn_bits(w->from) != tn_bits(w->dtype)) return NULL;
  for (int i = 0; i < w->n; i++) if (w->load[i]->seq < from) from = w->load[i]->seq;
  for (; from < u->seq; from++) {
    const tiny_uop *v = k->list[from];
    if (v->op == TINY_OP_RANGE || v->op == TINY_OP_END || v->op == TINY_OP_IF || v->op == TINY_OP_ENDIF ||
        (v->op == TINY_OP_STORE && !tn_is_reg(v->src[0]->src[0]))) return NULL;
  }
  return w->load[0];
}
#endif
