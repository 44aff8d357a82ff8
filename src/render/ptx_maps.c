// ptx_maps: which tensors a kernel in PTX copies boxes of, as numbers in its module, and what the device is told.
//
// In:  a BULK. Out: words of a map, which the host reads from the module's variable NAME_maps; of those, and of an
//      address, the 128 bytes that the copy unit reads.
// Word 0 is the PARAM, 1 the dtype, 2 the dims; then extents, distances in bytes (that of dim 0 is not told) and sides
// of the box, of five dims each: those that are not there are 0.
#ifndef TN_RENDER_PTX_MAPS
#define TN_RENDER_PTX_MAPS
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif
#include <string.h>

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

// Elements are moved as they are: integers of their size.
enum { TN_MAP_U8, TN_MAP_U16, TN_MAP_U32, TN_MAP_U64 = 4 };
// The 128 bytes for memory at this address, as ptxas lowers tensormap.replace on what is all zeros (PTX ISA): its
// address, fields, distances / 16, extents - 1, sides - 1; swizzle 3 is that of 128 bytes; beyond extents are zeros.
static void tn_ptx_map_encode(const uint64_t *word, uint64_t address, uint32_t *out) {
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)word[TN_MAP_DTYPE]), dims = (int)word[TN_MAP_DIMS];
  const uint32_t type = nbytes == 1 ? TN_MAP_U8 : nbytes == 2 ? TN_MAP_U16 : nbytes == 4 ? TN_MAP_U32 : TN_MAP_U64;
  memset(out, 0, TN_PTX_MAP_NBYTES);
  out[0] = (uint32_t)address; out[1] = (uint32_t)(address >> 32);
  out[2] = (uint32_t)(dims - 1) << 4 | type << 7 | 3u << 13;
  for (int i = 0; i < dims; i++) {
    const uint64_t stride = word[TN_MAP_STRIDE + i] >> 4, box = word[TN_MAP_BOX + i] - 1;
    out[8 + i] = (uint32_t)(word[TN_MAP_EXTENT + i] - 1);
    if (i) { out[2 + i] = (uint32_t)stride; out[7] |= (uint32_t)(stride >> 32) << 4 * (i - 1); }
    if (i) out[14] |= (uint32_t)box << 8 * (i - 1); else out[13] |= (uint32_t)box << 24;
  }
}
#endif
