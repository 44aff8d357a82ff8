// cuda: CUDA in the place of INTERP, for any test: make test-gpu.
// Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef CUDA_H
#define CUDA_H
#include "../src/cuda/stream.c"

// INTERP:7 is the same device.
static void *cuda_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  return tn_cuda_open(t, "", limits);
}
static const tiny_backend cuda_backend = {
  TINY_BACKEND_VERSION, "INTERP", cuda_open, tn_cuda_close, tn_cuda_target, tn_cuda_renderer, tn_cuda_alloc,
  tn_cuda_free, tn_cuda_copy_in, tn_cuda_copy_out, tn_cuda_copy_from, NULL, tn_cuda_compile, tn_cuda_load, NULL,
  tn_cuda_unload, tn_cuda_find, tn_cuda_launch, tn_cuda_submit, tn_cuda_event, tn_cuda_wait, tn_cuda_event_free,
  tn_cuda_sync, NULL
};
#define TN_INTERP &cuda_backend
#endif
