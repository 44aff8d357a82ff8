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
    tiny_fail(t, TINY_E_ARG, "metal_blob: %lld elements of %u bytes from offset %llu on are not in a buffer of %llu, "
              "or begin within an element", (long long)n, (unsigned)each, (unsigned long long)offset,
              (unsigned long long)length);
    return tn_metal_poison(t);
  }
  const int64_t first = (int64_t)(offset / each);
  if (!first) return tiny_blob_of(t, TN_POINTER(buffer), dtype, shape);
  tiny_tensor *all = tiny_blob_of(t, TN_POINTER(buffer), dtype, TINY_SHAPE(first + n));
  return tiny_reshape(tiny_shrink(all, TINY_SHAPE(first, first + n)), shape);
}
TINY_METAL_API tiny_tensor *tiny_metal_blob(tiny_ctx *t, void *buffer, size_t offset, tiny_dtype dtype,
                                            tiny_shape shape) {
  tiny_tensor *x;
  if (!tn_metal_of(t, "metal_blob")) return tn_metal_poison(t);
  if (!buffer) {
    tiny_fail(t, TINY_E_ARG, "metal_blob: buffer is NULL");
    return tn_metal_poison(t);
  }
  TN_POOL x = tn_metal_blob_at(t, TN_OBJECT(id<MTLBuffer>, buffer), offset, dtype, shape); TN_POOL_END
  return x;
}

// Pages of the host's as a buffer; the same pages are the same buffer. nil after an error.
static id<MTLBuffer> tn_metal_pages_of(tn_metal *d, void *data, size_t nbytes) {
  for (const tn_metal_pages *p = d->pages; p; p = p->next)
    if (p->data == data && p->nbytes == nbytes) return p->buffer;
  tn_metal_pages *p = (tn_metal_pages *)tiny_realloc(d->t, NULL, 0, sizeof *p);
  if (!p) { tiny_fail(d->t, TINY_E_MEMORY, "metal_pages: no memory for what is known of them"); return nil; }
  p->data = data; p->nbytes = nbytes;
  p->buffer = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithBytesNoCopy:data length:nbytes
      options:MTLResourceStorageModeShared deallocator:nil]);
  if (!p->buffer) {
    tiny_realloc(d->t, p, sizeof *p, 0);
    tiny_fail(d->t, TINY_E_ARG, "metal_pages: Metal takes no %llu bytes there: are they whole pages (on Apple's chips "
              "of 16384 bytes), mapped for reading and writing?", (unsigned long long)nbytes);
    return nil;
  }
  tn_metal_residency_add(d, p->buffer);
  p->next = d->pages;
  d->pages = p;
  return p->buffer;
}
TINY_METAL_API tiny_tensor *tiny_metal_pages(tiny_ctx *t, void *data, size_t nbytes, tiny_dtype dtype,
                                             tiny_shape shape) {
  enum { PAGE = 4096 };                    // the smallest that there are
  tn_metal *d = tn_metal_of(t, "metal_pages");
  tiny_tensor *x = NULL;
  if (!d) return tn_metal_poison(t);
  if (!d->unified)
    tiny_fail(t, TINY_E_DEVICE, "metal_pages: %s has memory of its own: use tiny_from", d->name);
  else if (!data || !nbytes || (uintptr_t)data % PAGE || nbytes % PAGE)
    tiny_fail(t, TINY_E_ARG, "metal_pages: data and nbytes are to be whole pages: mmap, or posix_memalign");
  else {
    TN_POOL
      id<MTLBuffer> buffer = tn_metal_pages_of(d, data, nbytes);
      if (buffer) x = tn_metal_blob_at(t, buffer, 0, dtype, shape);
    TN_POOL_END
  }
  return x ? x : tn_metal_poison(t);
}

// ** textures **

// MTLPixelFormat, of which a tensor has the channels as they lie in memory.
typedef struct tn_metal_pixel_format { int first, last, dtype, channels; } tn_metal_pixel_format;
static const tn_metal_pixel_format tn_metal_pixel_formats[] = {
  {1, 1, TINY_U8, 1}, {10, 11, TINY_U8, 1}, {12, 12, TINY_I8, 1}, {13, 13, TINY_U8, 1}, {14, 14, TINY_I8, 1},
  {20, 20, TINY_U16, 1}, {22, 22, TINY_I16, 1}, {23, 23, TINY_U16, 1}, {24, 24, TINY_I16, 1}, {25, 25, TINY_F16, 1},
  {30, 31, TINY_U8, 2}, {32, 32, TINY_I8, 2}, {33, 33, TINY_U8, 2}, {34, 34, TINY_I8, 2},
  {53, 53, TINY_U32, 1}, {54, 54, TINY_I32, 1}, {55, 55, TINY_F32, 1},
  {60, 60, TINY_U16, 2}, {62, 62, TINY_I16, 2}, {63, 63, TINY_U16, 2}, {64, 64, TINY_I16, 2}, {65, 65, TINY_F16, 2},
  {70, 71, TINY_U8, 4}, {72, 72, TINY_I8, 4}, {73, 73, TINY_U8, 4}, {74, 74, TINY_I8, 4}, {80, 81, TINY_U8, 4},
  {103, 103, TINY_U32, 2}, {104, 104, TINY_I32, 2}, {105, 105, TINY_F32, 2},
  {110, 110, TINY_U16, 4}, {112, 112, TINY_I16, 4}, {113, 113, TINY_U16, 4}, {114, 114, TINY_I16, 4},
  {115, 115, TINY_F16, 4}, {123, 123, TINY_U32, 4}, {124, 124, TINY_I32, 4}, {125, 125, TINY_F32, 4}
};
// A texture, and the buffer that its pixels go by: mem of nbytes.
typedef struct tn_metal_image {
  TN_UNOWNED id<MTLTexture> texture; tiny_dtype dtype; tiny_shape shape; size_t row, nbytes; void *mem;
} tn_metal_image;
static tiny_code tn_metal_image_of(tn_metal *d, const char *call, id<MTLTexture> texture, tn_metal_image *out) {
  const tn_metal_pixel_format *f = NULL;
  const int format = (int)[texture pixelFormat];
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < sizeof tn_metal_pixel_formats / sizeof *tn_metal_pixel_formats && !f; i++) {
    const tn_metal_pixel_format *row = &tn_metal_pixel_formats[i];
    if (format >= row->first && format <= row->last) f = row;
  }
  if (!f || [texture textureType] != MTLTextureType2D || [texture storageMode] == MTLStorageModeMemoryless)
    return tiny_fail(d->t, TINY_E_ARG, "%s: textures are 2D, with memory, of a format with 1, 2 or 4 channels of 8, 16 "
                     "or 32 bits; this one has MTLPixelFormat %d, MTLTextureType %d", call, format,
                     (int)[texture textureType]);
  out->texture = texture;
  out->dtype = (tiny_dtype)f->dtype;
  out->shape = TINY_SHAPE((int64_t)[texture height], (int64_t)[texture width], f->channels);
  out->row = (size_t)[texture width] * (size_t)f->channels * tiny_dtype_nbytes(out->dtype);
  out->nbytes = (out->row * (size_t)[texture height] + TN_METAL_WORD - 1) / TN_METAL_WORD * TN_METAL_WORD;
  out->mem = tn_metal_alloc_now(d, out->nbytes);
  return out->mem ? TINY_OK :
      tiny_fail(d->t, TINY_E_MEMORY, "%s: the GPU has no %llu bytes left", call, (unsigned long long)out->nbytes);
}
static tiny_code tn_metal_image_use(tn_metal *d, const tn_metal_image *i) {
  const tiny_mem mem = {i->mem, 0};
  const tiny_code code = tn_metal_blit(d);
  return code == TINY_OK ? tn_metal_use(d, mem) : code;
}
static MTLSize tn_metal_image_size(const tn_metal_image *i) {
  return MTLSizeMake((NSUInteger)i->shape.dim[1], (NSUInteger)i->shape.dim[0], 1);
}

// The pixels, in memory that the library gives out itself, as tensors live longer than what they came by.
static tiny_tensor *tn_metal_texture_now(tn_metal *d, id<MTLTexture> texture) {
  tn_metal_image i;
  tiny_tensor *copy = NULL;
  if (tn_metal_image_of(d, "metal_texture", texture, &i) != TINY_OK) return NULL;
  if (tn_metal_image_use(d, &i) == TINY_OK) {
    [d->blit copyFromTexture:texture sourceSlice:0 sourceLevel:0 sourceOrigin:MTLOriginMake(0, 0, 0)
                  sourceSize:tn_metal_image_size(&i) toBuffer:tn_metal_buffer(i.mem) destinationOffset:0
      destinationBytesPerRow:i.row destinationBytesPerImage:i.row * (size_t)i.shape.dim[0]];
    tiny_tensor *pixels = tiny_blob_of(d->t, i.mem, i.dtype, i.shape);
    copy = tiny_clone(pixels);
    tiny_realize(&copy, 1);
    tiny_free(pixels);
  }
  tn_metal_free(d, i.mem, i.nbytes);
  return copy;
}
TINY_METAL_API tiny_tensor *tiny_metal_texture(tiny_ctx *t, void *texture) {
  tn_metal *d = tn_metal_of(t, "metal_texture");
  tiny_tensor *x = NULL;
  if (d && !texture) tiny_fail(t, TINY_E_ARG, "metal_texture: texture is NULL");
  else if (d) { TN_POOL x = tn_metal_texture_now(d, TN_OBJECT(id<MTLTexture>, texture)); TN_POOL_END }
  return x ? x : tn_metal_poison(t);
}

static tiny_code tn_metal_write_now(tn_metal *d, tiny_tensor *x, id<MTLTexture> texture) {
  tn_metal_image i;
  tiny_code code = tn_metal_image_of(d, "metal_write", texture, &i);
  if (code != TINY_OK) return code;
  const tiny_shape has = tiny_shape_of(x), *want = &i.shape;
  if (tiny_dtype_of(x) != i.dtype)
    code = tiny_fail(d->t, TINY_E_DTYPE, "metal_write: the texture has another dtype than x: use tiny_cast");
  else if (has.ndim != 3 || memcmp(has.dim, want->dim, 3 * sizeof *has.dim) != 0)
    code = tiny_fail(d->t, TINY_E_SHAPE, "metal_write: the texture is of (%lld,%lld,%lld), which x is not",
                     (long long)want->dim[0], (long long)want->dim[1], (long long)want->dim[2]);
  if (code == TINY_OK) {
    tiny_tensor *pixels = tiny_blob_of(d->t, i.mem, i.dtype, i.shape);
    tiny_assign(pixels, x);
    code = tiny_realize(&pixels, 1);
    tiny_free(pixels);
  }
  if (code == TINY_OK) code = tn_metal_image_use(d, &i);
  if (code == TINY_OK)
    [d->blit copyFromBuffer:tn_metal_buffer(i.mem) sourceOffset:0 sourceBytesPerRow:i.row
        sourceBytesPerImage:i.row * (size_t)i.shape.dim[0] sourceSize:tn_metal_image_size(&i) toTexture:texture
           destinationSlice:0 destinationLevel:0 destinationOrigin:MTLOriginMake(0, 0, 0)];
  tn_metal_free(d, i.mem, i.nbytes);
  return code;
}
TINY_METAL_API tiny_code tiny_metal_write(tiny_tensor *x, void *texture) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_code code;
  if (!tiny_ok(x)) return t && tiny_status(t) != TINY_OK ? tiny_status(t) : TINY_E_ARG;
  tn_metal *d = tn_metal_of(t, "metal_write");
  if (!d) return tiny_status(t);
  if (!texture) return tiny_fail(t, TINY_E_ARG, "metal_write: texture is NULL");
  TN_POOL code = tn_metal_write_now(d, x, TN_OBJECT(id<MTLTexture>, texture)); TN_POOL_END
  return code;
}

// ** the host's command buffer **

static tiny_code tn_metal_encode_begin(tn_metal *d, id<MTLCommandBuffer> buffer) {
  if (d->into_host)
    return tiny_fail(d->t, TINY_E_STATE, "metal_encode: another command buffer is encoded into: end it by NULL");
  if ([buffer status] >= MTLCommandBufferStatusCommitted)
    return tiny_fail(d->t, TINY_E_STATE, "metal_encode: the command buffer is committed already; make another");
  if ([buffer device] != d->gpu)
    return tiny_fail(d->t, TINY_E_ARG, "metal_encode: the command buffer is of another GPU than %s", d->name);
  const int apart = [buffer commandQueue] != d->queue;
  tiny_code code = apart ? tn_metal_signal_next(d) : TINY_OK;
  if (code == TINY_OK) code = tn_metal_commit(d);
  if (code == TINY_OK && d->number - d->done > TN_METAL_FLIGHT - 1)
    code = tn_metal_wait_for(d, d->number - (TN_METAL_FLIGHT - 1));
  if (code != TINY_OK) return code;
  if (apart) [buffer encodeWaitForEvent:d->event value:d->event_value];
  if (d->hosts) TN_DROP(d->hosts);
  d->hosts = TN_RETAINED(id<MTLCommandBuffer>, buffer);
  d->hosts_apart = apart;
  tn_metal_slot_of(d, d->number)->buffer = TN_RETAINED(id<MTLCommandBuffer>, buffer);
  d->into_host = 1;
  return TINY_OK;
}
static tiny_code tn_metal_encode_end(tn_metal *d) {
  if (!d->into_host) return TINY_OK;
  tn_metal_end(d);
  tn_metal_residency_commit(d);
  if (d->hosts_apart) [d->hosts encodeSignalEvent:d->event value:++d->event_value];
  d->into_host = 0;
  d->number++;
  d->ndispatch = 0;
  return d->hosts_apart ? tn_metal_wait_event(d, d->event, d->event_value) : TINY_OK;
}
TINY_METAL_API tiny_code tiny_metal_encode(tiny_ctx *t, void *command_buffer) {
  tn_metal *d = tn_metal_of(t, "metal_encode");
  tiny_code code;
  if (!d) return t ? tiny_status(t) : TINY_E_ARG;
  TN_POOL
    code = command_buffer ? tn_metal_encode_begin(d, TN_OBJECT(id<MTLCommandBuffer>, command_buffer))
                          : tn_metal_encode_end(d);
  TN_POOL_END
  return code;
}

// ** the host's events **

static tiny_code tn_metal_signal_event(tn_metal *d, id<MTLEvent> event, uint64_t value) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK) return code;
  tn_metal_end(d);
  [tn_metal_now(d) encodeSignalEvent:event value:value];
  tn_metal_later(d, TN_RETAINED(id, event), d->number, 0);
  return d->into_host ? TINY_OK : tn_metal_commit(d);
}
static tiny_code tn_metal_order_by(tiny_ctx *t, const char *call, void *event, uint64_t value,
                                   tiny_code (*encode)(tn_metal *d, id<MTLEvent> event, uint64_t value)) {
  tn_metal *d = tn_metal_of(t, call);
  tiny_code code;
  if (!d) return t ? tiny_status(t) : TINY_E_ARG;
  if (!event) return tiny_fail(t, TINY_E_ARG, "%s: event is NULL", call);
  TN_POOL code = encode(d, TN_OBJECT(id<MTLEvent>, event), value); TN_POOL_END
  return code;
}
TINY_METAL_API tiny_code tiny_metal_wait(tiny_ctx *t, void *event, uint64_t value) {
  return tn_metal_order_by(t, "metal_wait", event, value, tn_metal_wait_event);
}
TINY_METAL_API tiny_code tiny_metal_signal(tiny_ctx *t, void *event, uint64_t value) {
  return tn_metal_order_by(t, "metal_signal", event, value, tn_metal_signal_event);
}
#endif
