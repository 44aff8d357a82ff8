// ptx_maps: which tensors a kernel in PTX copies boxes of, as numbers in its module.
//
// In:  a BULK. Out: words of a map, which the host reads from the module's variable NAME_maps.
// Word 0 is the PARAM, 1 the dtype, 2 the dims; then extents, distances in bytes (that of dim 0 is not told) and sides
// of the box, of five dims each: those that are not there are 0.
#ifndef TN_RENDER_PTX_MAPS
#define TN_RENDER_PTX_MAPS
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif

enum { TN_PTX_MAP_WORDS = 3 + 3 * TN_BOX_DIMS, TN_PTX_MAP_NBYTES = 128, TN_PTX_MAPS = 8 };       // of a kernel at most
enum { TN_MAP_PARAM, TN_MAP_DTYPE, TN_MAP_DIMS, TN_MAP_EXTENT, TN_MAP_STRIDE = TN_MAP_EXTENT + TN_BOX_DIMS,
  TN_MAP_BOX = TN_MAP_STRIDE + TN_BOX_DIMS };

// Do a launch with so many memories and the copy unit take it? A module may be a stranger's.
static int tn_ptx_map_is_sound(const uint64_t *word, int nmem) {
  const uint64_t dims = word[TN_MAP_DIMS];
  if (word[TN_MAP_PARAM] >= (uint64_t)nmem || word[TN_MAP_DTYPE] >= TINY_DTYPE_COUNT || dims < 2 || dims > TN_BOX_DIMS)
    return 0;
  for (uint64_t i = 0; i < dims; i++)
    if (!word[TN_MAP_EXTENT + i] || word[TN_MAP_EXTENT + i] > INT32_MAX || word[TN_MAP_STRIDE + i] % 16 ||
        word[TN_MAP_STRIDE + i] >> 40 || !word[TN_MAP_BOX + i] || word[TN_MAP_BOX + i] > TN_BOX_MOST)
      return 0;
  return 1;
}
// parts: of its rows, of which each copy has one.
static int64_t tn_ptx_map_word(const tiny_uop *bulk, int parts, int k) {
  const tiny_uop *from = tn_memory_behind(bulk->src[1]);
  const int dims = tn_bulk_dims(bulk), list = (k - TN_MAP_EXTENT) / TN_BOX_DIMS, d = (k - TN_MAP_EXTENT) % TN_BOX_DIMS;
  if (k == TN_MAP_PARAM) return from->k;
  if (k == TN_MAP_DTYPE) return from->dtype;
  if (k == TN_MAP_DIMS) return dims;
  if (d >= dims || (list == 1 && !d)) return 0;
  if (list == 2 && d == 1) return bulk->v[list * dims + d] / parts;
  return bulk->v[list * dims + d] * (list == 1 ? (int64_t)tiny_dtype_nbytes((tiny_dtype)from->dtype) : 1);
}
#endif
