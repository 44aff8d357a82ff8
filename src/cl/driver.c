// driver: what is used of OpenCL 1.2, by own declarations, and libOpenCL, which is loaded at run time.
//
// In:  nothing but the system. Out: a table of its functions; or which library, or which function of it, is not there.
// Holds: a handle is a void *, whatever it is of. What numbers and functions are is said by Khronos, The OpenCL
//        Specification 1.2, chapters 4 and 5, and their values by its header CL/cl.h.
// The library is not unloaded once its drivers have been asked for devices: they have threads of their own by then.
#ifndef TN_CL_DRIVER
#define TN_CL_DRIVER
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/library.c"
#include "../base/digits.c"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
  #define TN_CL_CALL __stdcall
#else
  #define TN_CL_CALL
#endif

// Errors that are told apart.
enum {
  TN_CL_DEVICE_NOT_AVAILABLE = -2, TN_CL_MEM_ALLOCATION_FAILURE = -4, TN_CL_OUT_OF_RESOURCES = -5,
  TN_CL_OUT_OF_HOST_MEMORY = -6, TN_CL_PROFILING_NOT_AVAILABLE = -7, TN_CL_MISALIGNED = -13,
  TN_CL_EVENTS_FAILED = -14, TN_CL_INVALID_BINARY = -42, TN_CL_INVALID_KERNEL_NAME = -46,
  TN_CL_INVALID_ARG_SIZE = -51, TN_CL_INVALID_WORK_GROUP_SIZE = -54, TN_CL_INVALID_WORK_ITEM_SIZE = -55,
  TN_CL_INVALID_BUFFER_SIZE = -61, TN_CL_INVALID_GLOBAL_SIZE = -63, TN_CL_NO_PLATFORM = -1001
};
// What is asked for.
enum {
  TN_CL_PLATFORM_NAME = 0x0902, TN_CL_DEVICE_TYPE_ALL = -1, TN_CL_DEVICE_TYPE = 0x1000, TN_CL_COMPUTE_UNITS = 0x1002,
  TN_CL_NATIVE_VECTOR_FLOAT = 0x103A,
  TN_CL_MAX_WORK_GROUP_SIZE = 0x1004, TN_CL_MAX_WORK_ITEM_SIZES = 0x1005, TN_CL_ADDRESS_BITS = 0x100D,
  TN_CL_MAX_MEM_ALLOC_SIZE = 0x1010, TN_CL_MEM_BASE_ADDR_ALIGN = 0x1019, TN_CL_SINGLE_FP_CONFIG = 0x101B,
  TN_CL_CACHELINE_SIZE = 0x101D, TN_CL_CACHE_SIZE = 0x101E, TN_CL_GLOBAL_MEM_SIZE = 0x101F,
  TN_CL_LOCAL_MEM_SIZE = 0x1023, TN_CL_ENDIAN_LITTLE = 0x1026, TN_CL_AVAILABLE = 0x1027,
  TN_CL_COMPILER_AVAILABLE = 0x1028, TN_CL_DEVICE_NAME = 0x102B, TN_CL_DRIVER_VERSION = 0x102D,
  TN_CL_DEVICE_VERSION = 0x102F, TN_CL_EXTENSIONS = 0x1030, TN_CL_DOUBLE_FP_CONFIG = 0x1032,
  TN_CL_SUB_GROUP_SIZES_INTEL = 0x4108,    // cl_intel_required_subgroup_size
  TN_CL_WARP_SIZE_NV = 0x4003, TN_CL_WAVEFRONT_WIDTH_AMD = 0x4043,      // cl_nv_device_attribute_query, cl_amd_..
  TN_CL_QUEUE_CONTEXT = 0x1090, TN_CL_QUEUE_DEVICE = 0x1091, TN_CL_QUEUE_PROPERTIES = 0x1093,
  TN_CL_MEM_SIZE = 0x1102, TN_CL_PROGRAM_BINARY_SIZES = 0x1165, TN_CL_PROGRAM_BINARIES = 0x1166,
  TN_CL_BUILD_LOG = 0x1183, TN_CL_KERNEL_NUM_ARGS = 0x1191, TN_CL_EVENT_STATUS = 0x11D3,
  TN_CL_PROFILING_START = 0x1282, TN_CL_PROFILING_END = 0x1283
};
enum {
  TN_CL_TYPE_CPU = 2, TN_CL_TYPE_GPU = 4, TN_CL_TYPE_ACCELERATOR = 8, TN_CL_OUT_OF_ORDER = 1,
  TN_CL_PROFILING = 2, TN_CL_READ_WRITE = 1,
  TN_CL_CORRECTLY_ROUNDED = 1 << 7, TN_CL_REGION = 0x1220, TN_CL_COMPLETE = 0
};

// What it returns, its name, its parameters. Sizes of waiting lists and their events stand last.
#define TN_CL_CALLS(_) \
  _(int, GetPlatformIDs, (uint32_t n, void **platforms, uint32_t *count)) \
  _(int, GetPlatformInfo, (void *platform, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, GetDeviceIDs, (void *platform, uint64_t type, uint32_t n, void **devices, uint32_t *count)) \
  _(int, GetDeviceInfo, (void *device, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(void *, CreateContext, (const intptr_t *properties, uint32_t n, void *const *devices, \
                            void (TN_CL_CALL *notify)(const char *, const void *, size_t, void *), void *user, \
                            int *code)) \
  _(int, RetainContext, (void *context)) \
  _(int, ReleaseContext, (void *context)) \
  _(void *, CreateCommandQueue, (void *context, void *device, uint64_t properties, int *code)) \
  _(int, RetainCommandQueue, (void *queue)) \
  _(int, ReleaseCommandQueue, (void *queue)) \
  _(int, GetCommandQueueInfo, (void *queue, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(void *, CreateBuffer, (void *context, uint64_t flags, size_t nbytes, void *host, int *code)) \
  _(void *, CreateSubBuffer, (void *mem, uint64_t flags, uint32_t type, const void *region, int *code)) \
  _(int, ReleaseMemObject, (void *mem)) \
  _(int, GetMemObjectInfo, (void *mem, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(void *, CreateProgramWithSource, (void *context, uint32_t n, const char **text, const size_t *nbytes, int *code)) \
  _(void *, CreateProgramWithBinary, (void *context, uint32_t n, void *const *devices, const size_t *nbytes, \
                                      const unsigned char **binary, int *status, int *code)) \
  _(int, BuildProgram, (void *program, uint32_t n, void *const *devices, const char *options, \
                        void (TN_CL_CALL *notify)(void *, void *), void *user)) \
  _(int, GetProgramInfo, (void *program, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, GetProgramBuildInfo, (void *program, void *device, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, ReleaseProgram, (void *program)) \
  _(void *, CreateKernel, (void *program, const char *name, int *code)) \
  _(int, ReleaseKernel, (void *kernel)) \
  _(int, GetKernelInfo, (void *kernel, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, SetKernelArg, (void *kernel, uint32_t at, size_t nbytes, const void *value)) \
  _(int, EnqueueNDRangeKernel, (void *queue, void *kernel, uint32_t dims, const size_t *offset, const size_t *global, \
                                const size_t *local, uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueReadBuffer, (void *queue, void *mem, uint32_t blocking, size_t offset, size_t nbytes, void *out, \
                             uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueWriteBuffer, (void *queue, void *mem, uint32_t blocking, size_t offset, size_t nbytes, \
                              const void *src, uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueCopyBuffer, (void *queue, void *src, void *dst, size_t src_offset, size_t dst_offset, size_t nbytes, \
                             uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueMarkerWithWaitList, (void *queue, uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueBarrierWithWaitList, (void *queue, uint32_t n, void *const *waits, void **event)) \
  _(int, WaitForEvents, (uint32_t n, void *const *events)) \
  _(int, GetEventInfo, (void *event, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, GetEventProfilingInfo, (void *event, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, ReleaseEvent, (void *event)) \
  _(int, Flush, (void *queue)) \
  _(int, Finish, (void *queue))

typedef struct tn_cl_calls {
#define TN_CL_MEMBER(type, name, parameters) type (TN_CL_CALL *name) parameters;
  TN_CL_CALLS(TN_CL_MEMBER)
#undef TN_CL_MEMBER
} tn_cl_calls;

static const char *const tn_cl_names[] = {
#define TN_CL_NAME(type, name, parameters) "cl" #name,
  TN_CL_CALLS(TN_CL_NAME)
#undef TN_CL_NAME
};
enum { TN_CL_NCALL = sizeof tn_cl_names / sizeof *tn_cl_names };

static const char *const tn_cl_libraries[] = {
#if defined(_WIN32)
  "OpenCL.dll",
#elif defined(__APPLE__)
  "/System/Library/Frameworks/OpenCL.framework/OpenCL",
#else
  "libOpenCL.so.1", "libOpenCL.so",
#endif
  NULL
};

// TINY_E_DEVICE says what is missing, and what to do.
static tiny_code tn_cl_driver(tiny_ctx *t, tn_cl_calls *out) {
  void *library = tn_library_open(tn_cl_libraries), *address[TN_CL_NCALL];
  if (!library)
    return tiny_fail(t, TINY_E_DEVICE, "CL: there is no %s, which drivers of OpenCL are called by: install the driver "
                     "of the GPU, or for the processor PoCL (apt install pocl-opencl-icd)", tn_cl_libraries[0]);
  for (int i = 0; i < TN_CL_NCALL; i++) {
    address[i] = tn_library_symbol(library, tn_cl_names[i]);
    if (address[i]) continue;
    tn_library_close(library);
    return tiny_fail(t, TINY_E_DEVICE, "CL: %s has no %s: it is older than OpenCL 1.2, update it", tn_cl_libraries[0],
                     tn_cl_names[i]);
  }
  memcpy(out, address, sizeof *out);
  return TINY_OK;
}
#endif
