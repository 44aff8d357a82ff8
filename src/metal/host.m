// host: what a host that uses Metal itself shares: buffers, pages, textures, its command buffer, its events.
//
// In:    a context whose device is METAL, and objects of the host's. Out: tensors over them, and work in their order.
// Holds: a texture goes by way of a buffer of the library's, row after row, without gaps.
#ifndef TN_METAL_HOST_ROOM
#define TN_METAL_HOST_ROOM
#ifndef TINY_AMALGAMATED
#include "open.m"
#endif

// ** whose device **

// The device that tiny_use_device names, or NULL after TINY_E_ARG.
static tn_metal *tn_metal_of(tiny_ctx *t, const char *call) {
  if (!t || tiny_status(t) != TINY_OK) return NULL;
  const int here = tiny_use_device(t, 0);
  tiny_use_device(t, here);
  const char *name = tiny_device_name(t, here);
  if (!strncmp(name, "METAL", 5) && (!name[5] || name[5] == ':')) return (tn_metal *)tiny_device_handle(t, here);
  tiny_fail(t, TINY_E_ARG, "%s: device %d is %s; tiny_use_device is to name one of METAL", call, here, name);
  return NULL;
}
// A poisoned tensor, of what is wrong.
static tiny_tensor *tn_metal_poison(tiny_ctx *t) { return tiny_blob_of(t, NULL, TINY_F32, TINY_SHAPE()); }
static int64_t tn_metal_nelem(tiny_shape shape) {
  int64_t n = 1;
  for (int i = 0; i < shape.ndim; i++) {
    if (shape.dim[i] < 0 || (shape.dim[i] && n > INT64_MAX / shape.dim[i])) return -1;
    n *= shape.dim[i];
  }
  return n;
}

// ** buffers **

static tiny_tensor *tn_metal_blob_at(tiny_ctx *t, id<MTLBuffer> buffer, size_t offset, tiny_dtype dtype,
                                     tiny_shape shape) {
  const size_t each = tiny_dtype_nbytes(dtype), length = (size_t)[buffer length];
  const int64_t n = tn_metal_nelem(shape);
  if (!each || n < 0 || offset > length || (uint64_t)n > (length - offset) / each || offset % each) {
    tiny_fail(t, TINY_E_ARG, "metal_blob: %lld elements of %u bytes from byte %llu on are not in a buffer of %llu, or "
              "begin within an element", (long long)n, (unsigned)each, (unsigned long long)offset,
              (unsigned long long)length);
    return tn_metal_poison(t);
  }
  const int64_t first = (int64_t)(offset / each);
  if (!first) return tiny_blob_of(t, TN_POINTER(buffer), dtype, shape);
  tiny_tensor *all = tiny_blob_of(t, TN_POINTER(buffer), dtype, TINY_SHAPE(first + n));
  return tiny_reshape(tiny_shrink(all, TINY_SHAPE(first, first + n)), shape);
}
TINY_API tiny_tensor *tiny_metal_blob(tiny_ctx *t, void *buffer, size_t offset, tiny_dtype dtype, tiny_shape shape) {
  tiny_tensor *x;
  if (!tn_metal_of(t, "metal_blob")) return tn_metal_poison(t);
  if (!buffer) {
    tiny_fail(t, TINY_E_ARG, "metal_blob: buffer is NULL");
    return tn_metal_poison(t);
  }
  TN_POOL x = tn_metal_blob_at(t, TN_OBJECT(id<MTLBuffer>, buffer), offset, dtype, shape); TN_POOL_END
  return x;
}
#endif
