// address: what of an index an access of memory adds by itself, whatever the processor.
//
// In:  an INDEX. Out: what of it is computed.
#ifndef TN_ISA_ADDRESS
#define TN_ISA_ADDRESS
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#include "../ir/uop.c"
#endif

// The sum with a constant that an address takes as its displacement, as neither it nor the index leaves its type; NULL.
static const tiny_uop *tn_isa_folded(const tiny_uop *index) {
  const tiny_uop *at = index->src[1];
  if (index->lanes > 1 || tn_is_reg(index->src[0])) return NULL;
  if (at->op != TINY_OP_ADD || at->src[1]->op != TINY_OP_CONST || at->dtype != TINY_I32) return NULL;
  const int64_t k = at->src[1]->k, nbytes = k * tn_dtypes[index->dtype].nbytes;
  const int64_t least = INT32_MIN - (k < 0 ? k : 0), most = INT32_MAX - (k > 0 ? k : 0);
  const int stays = at->src[0]->vmin >= least && at->src[0]->vmax <= most;
  return stays && nbytes <= INT32_MAX / 2 && nbytes >= INT32_MIN / 2 ? at : NULL;
}
#endif
