// tensor_map: what the copy unit reads of a tensor, 128 bytes (sm_90 on).
//
// In:  words of a map (render/ptx_maps.c), the address of the memory. Out: the bytes.
#ifndef TN_NV_TENSOR_MAP
#define TN_NV_TENSOR_MAP
#ifndef TINY_AMALGAMATED
#include "../render/ptx_maps.c"
#endif
#include <string.h>

// Elements are moved as they are: integers of their size.
enum { TN_MAP_U8, TN_MAP_U16, TN_MAP_U32, TN_MAP_U64 = 4 };
// The 128 bytes for memory at this address, as ptxas lowers tensormap.replace on what is all zeros (PTX ISA): its
// address, fields, distances / 16, extents - 1, sides - 1; swizzle 3 is that of 128 bytes; beyond extents are zeros.
static void tn_nv_map_encode(const uint64_t *word, uint64_t address, uint32_t *out) {
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
