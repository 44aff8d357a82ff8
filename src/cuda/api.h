// api.h: the backend CUDA, and how a host that uses CUDA itself shares with it.
//
// Handles of CUDA (CUcontext, CUstream, CUdeviceptr) are void * here, so that no header of it is needed.
#ifndef TINY_API
  #include "tiny.h"
#endif

// NVIDIA GPUs: for tiny_desc.backends. Devices are "CUDA", "CUDA:1" .., and what tiny_cuda_host names.
#ifdef TINY_STATIC                          // then it is defined below, in the file that has the implementation
#elif defined(__cplusplus)
extern "C" TINY_EXPORT const tiny_backend tiny_cuda;
#else
extern TINY_EXPORT const tiny_backend tiny_cuda;
#endif

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_cuda_name { char text[48]; } tiny_cuda_name;

// The device of a CUcontext of the host's, with a CUstream of it that all launches go to, in order with what the host
// puts there itself (NULL: CUDA's default stream). Both outlive the tiny_ctx. context NULL: the one that is current on
// the thread that opens it.
TINY_API tiny_cuda_name tiny_cuda_host(void *context, void *stream);
