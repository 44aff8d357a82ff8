// api.h: the backend METAL, and how a host that uses Metal itself shares with it.
//
// Objects of Metal are void * here, (__bridge void *)object, so that C and C++ can name them; none is retained beyond
// what is said.
#ifndef TINY_API
  #include "tiny.h"
#endif

// What stands in front of each of these: tiny_metal.m has them, also where tiny.h is private to a file.
#ifdef __cplusplus
  #define TINY_METAL_API extern "C" TINY_EXPORT
#else
  #define TINY_METAL_API extern TINY_EXPORT
#endif

// Apple's GPUs, and AMD's in Macs: for tiny_desc.backends. The manual above says what may stand behind "METAL:".
TINY_METAL_API const tiny_backend tiny_metal;

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_metal_name { char text[48]; } tiny_metal_name;

// The device of an id<MTLCommandQueue> of the host's: what the library does goes to that queue, in order with what the
// host commits there itself. It is retained until tiny_close.
//     tiny_metal_name name = tiny_metal_host((__bridge void *)queue);
//     tiny_desc desc = {.device = name.text, .backends = {&tiny_metal}};
TINY_METAL_API tiny_metal_name tiny_metal_host(void *queue);

// The calls below are for the device that tiny_use_device names, which is to be METAL: TINY_E_ARG if it is not. Those
// that return a tensor poison it after an error.

// Elements of an id<MTLBuffer> of the device's, from `offset` bytes on, row-major, without a copy: read where it is
// used, and written by assignment and tiny_write. The buffer outlives the tensor and what is computed from it, and no
// two tensors are over the same bytes. A program may retain it, until it runs with another one or is freed.
// TINY_E_ARG: the buffer is too short, or offset is no multiple of an element.
TINY_METAL_API tiny_tensor *tiny_metal_blob(tiny_ctx *t, void *buffer, size_t offset, tiny_dtype dtype,
                                            tiny_shape shape);
// The same over whole pages of the host's memory (data and nbytes are multiples of the page's size: mmap,
// posix_memalign), where the GPU shares the host's: TINY_E_DEVICE where it does not. It outlives t.
TINY_METAL_API tiny_tensor *tiny_metal_pages(tiny_ctx *t, void *data, size_t nbytes, tiny_dtype dtype,
                                             tiny_shape shape);
// A tensor (H,W,C) with what an id<MTLTexture> (2D, its first level and slice) holds at this place of the order: u8
// for 8-bit formats, 16 bit and 32 bit integers and floats as they are; channels in the order of memory (bgra8: blue
// first). TINY_E_ARG: another format or kind.
TINY_METAL_API tiny_tensor *tiny_metal_texture(tiny_ctx *t, void *texture);
// x, (H,W,C) of the texture's size and dtype as above, into the texture at this place of the order. TINY_E_SHAPE,
// TINY_E_DTYPE: it does not fit.
TINY_METAL_API tiny_code tiny_metal_write(tiny_tensor *x, void *texture);

// From now on work is encoded into the host's id<MTLCommandBuffer>, which has no encoder open, until the call with
// NULL; after that the host goes on encoding, and commits it. Nothing of it is waited for meanwhile: tiny_read and
// tiny_sync are TINY_E_STATE until it is committed. On another queue of the GPU than the library's events order it.
TINY_METAL_API tiny_code tiny_metal_encode(tiny_ctx *t, void *command_buffer);
// What is asked for from now on waits until the id<MTLSharedEvent> or id<MTLEvent> has this value.
TINY_METAL_API tiny_code tiny_metal_wait(tiny_ctx *t, void *event, uint64_t value);
// The event gets this value when everything that was asked for before has happened.
TINY_METAL_API tiny_code tiny_metal_signal(tiny_ctx *t, void *event, uint64_t value);
