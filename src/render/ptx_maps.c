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
