// api.h: the backend CL, and how a host that uses OpenCL itself shares with it.
//
// Handles of OpenCL (cl_context, cl_command_queue, cl_mem) are void * here, so that no header of it is needed.
#ifndef TINY_API
  #include "tiny.h"
#endif

// OpenCL 1.2 and later: for tiny_desc.backends. The manual above says what names of devices may stand behind "CL:".
#ifdef TINY_STATIC                          // then it is defined below, in the file that has the implementation
#elif defined(__cplusplus)
extern "C" TINY_EXPORT const tiny_backend tiny_cl;
#else
extern TINY_EXPORT const tiny_backend tiny_cl;
#endif

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_cl_name { char text[48]; } tiny_cl_name;

// The device of a cl_command_queue of the host's, which executes in order: what the library does goes to that queue,
// in order with what the host puts there itself, and memory belongs to its cl_context. The queue outlives the tiny_ctx,
// and belongs to its thread while a call of the library runs. Without CL_QUEUE_PROFILING_ENABLE profiles show the
// host's time. Errors when it is opened: TINY_E_DEVICE.
//     tiny_cl_name name = tiny_cl_host(queue);
//     tiny_desc desc = {.device = name.text, .backends = {&tiny_cl}};
// A cl_mem of that context is a tensor without a copy by tiny_blob_of(t, mem, dtype, shape).
TINY_API tiny_cl_name tiny_cl_host(void *queue);
