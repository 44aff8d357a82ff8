// backend: the one object of tiny_cuda.h.
#ifndef TN_CUDA_BACKEND
#define TN_CUDA_BACKEND
#ifndef TINY_AMALGAMATED
#include "stream.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_cuda = {
  TINY_BACKEND_VERSION, "CUDA", tn_cuda_open, tn_cuda_close, tn_cuda_target, tn_cuda_renderer, tn_cuda_alloc,
  tn_cuda_free, tn_cuda_copy_in, tn_cuda_copy_out, tn_cuda_copy_from, NULL, tn_cuda_compile, tn_cuda_load, NULL,
  tn_cuda_unload, tn_cuda_find, tn_cuda_launch, tn_cuda_submit, tn_cuda_event, tn_cuda_wait, tn_cuda_event_free,
  tn_cuda_sync, NULL
};
#endif
