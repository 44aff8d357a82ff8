// driver: the CUDA driver and NVRTC as they are called here: own declarations, loaded while the program runs.
//
// In:    libraries that the system finds, or TINY_CUDA_DRIVER and TINY_CUDA_NVRTC name. Out: tables of functions.
// Holds: a function that not every driver has is marked, and NULL where it is missing; without any other one the driver
//        is too old. Once used they stay loaded: they have threads and exit handlers.
// What is what: cuda.h and nvrtc.h of CUDA 11.4 to 13.0, whose numbers and structs stand here.
#ifndef TN_CUDA_DRIVER
#define TN_CUDA_DRIVER
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/library.c"
#include "../base/digits.c"
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
  #define TN_CUDA_CALL __stdcall
#else
  #define TN_CUDA_CALL
#endif

typedef uint64_t tn_cu_ptr;                // CUdeviceptr
enum {                                     // CUresult
  TN_CU_INVALID_VALUE = 1, TN_CU_OUT_OF_MEMORY = 2, TN_CU_STUB_LIBRARY = 34, TN_CU_NO_DEVICE = 100,
  TN_CU_INVALID_DEVICE = 101,
  TN_CU_NOT_READY = 600, TN_CU_ILLEGAL_ADDRESS = 700, TN_CU_TOO_MANY_RESOURCES = 701, TN_CU_TIMEOUT = 702,
  TN_CU_PEER_ENABLED = 704, TN_CU_ASSERT = 710, TN_CU_STACK_ERROR = 714, TN_CU_LAUNCH_FAILED = 719,
  TN_CU_ECC = 214, TN_CU_NVLINK = 220, TN_CU_CONTAINED = 226, TN_CU_DESTROYED = 709, TN_CU_NOT_FOUND = 500
};
enum {                                     // CUdevice_attribute
  TN_CU_MAX_THREADS = 1, TN_CU_MAX_BLOCK_X = 2, TN_CU_MAX_GRID_X = 5, TN_CU_SHARED = 8, TN_CU_WARP = 10,
  TN_CU_PROCESSORS = 16, TN_CU_L2 = 38, TN_CU_MAJOR = 75, TN_CU_MINOR = 76, TN_CU_SHARED_OF_SM = 81,
  TN_CU_SHARED_OPTIN = 97, TN_CU_POOLS = 115
};
enum {                                     // CUfunction_attribute, flags of streams and events, CUjit_option
  TN_CU_FUNC_THREADS = 0, TN_CU_FUNC_DYNAMIC = 8, TN_CU_NON_BLOCKING = 1, TN_CU_NO_TIMING = 2,
  TN_CU_JIT_ERROR_LOG = 5, TN_CU_JIT_ERROR_NBYTES = 6
};
// CUDA_KERNEL_NODE_PARAMS_v1
typedef struct tn_cu_node {
  void *func; unsigned grid[3], block[3], shared; void **params, **extra;
} tn_cu_node;

// result, name in the table, name in the library, parameters; for a driver that need not have it TN_CUDA_MAYBE.
#define TN_CUDA_FUNCTIONS(_, MAYBE) \
  _(init, "cuInit", (unsigned flags)) \
  _(driver_version, "cuDriverGetVersion", (int *out)) \
  _(error_name, "cuGetErrorName", (int code, const char **out)) \
  _(error_text, "cuGetErrorString", (int code, const char **out)) \
  _(device_count, "cuDeviceGetCount", (int *out)) \
  _(device_get, "cuDeviceGet", (int *out, int number)) \
  _(device_name, "cuDeviceGetName", (char *out, int nbytes, int device)) \
  _(device_attribute, "cuDeviceGetAttribute", (int *out, int which, int device)) \
  _(primary_retain, "cuDevicePrimaryCtxRetain", (void **out, int device)) \
  _(primary_release, "cuDevicePrimaryCtxRelease_v2", (int device)) \
  _(ctx_push, "cuCtxPushCurrent_v2", (void *ctx)) \
  _(ctx_pop, "cuCtxPopCurrent_v2", (void **out)) \
  _(ctx_current, "cuCtxGetCurrent", (void **out)) \
  _(ctx_device, "cuCtxGetDevice", (int *out)) \
  _(can_access_peer, "cuDeviceCanAccessPeer", (int *out, int device, int peer)) \
  _(enable_peer, "cuCtxEnablePeerAccess", (void *peer, unsigned flags)) \
  _(stream_new, "cuStreamCreate", (void **out, unsigned flags)) \
  _(stream_free, "cuStreamDestroy_v2", (void *stream)) \
  _(stream_sync, "cuStreamSynchronize", (void *stream)) \
  _(stream_wait, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags)) \
  _(event_new, "cuEventCreate", (void **out, unsigned flags)) \
  _(event_free, "cuEventDestroy_v2", (void *event)) \
  _(event_record, "cuEventRecord", (void *event, void *stream)) \
  _(event_sync, "cuEventSynchronize", (void *event)) \
  _(event_elapsed, "cuEventElapsedTime", (float *ms, void *from, void *to)) \
  _(mem_alloc, "cuMemAlloc_v2", (tn_cu_ptr *out, size_t nbytes)) \
  _(mem_free, "cuMemFree_v2", (tn_cu_ptr p)) \
  _(host_alloc, "cuMemHostAlloc", (void **out, size_t nbytes, unsigned flags)) \
  _(host_free, "cuMemFreeHost", (void *p)) \
  _(copy_in, "cuMemcpyHtoDAsync_v2", (tn_cu_ptr to, const void *from, size_t nbytes, void *stream)) \
  _(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, tn_cu_ptr from, size_t nbytes, void *stream)) \
  _(copy_peer, "cuMemcpyPeerAsync", \
    (tn_cu_ptr to, void *to_ctx, tn_cu_ptr from, void *from_ctx, size_t nbytes, void *stream)) \
  _(module_load, "cuModuleLoadDataEx", (void **out, const void *image, unsigned n, int *options, void **values)) \
  _(module_free, "cuModuleUnload", (void *module)) \
  _(module_function, "cuModuleGetFunction", (void **out, void *module, const char *name)) \
  _(module_global, "cuModuleGetGlobal_v2", (tn_cu_ptr *at, size_t *nbytes, void *module, const char *name)) \
  _(func_attribute, "cuFuncGetAttribute", (int *out, int which, void *func)) \
  _(func_set, "cuFuncSetAttribute", (void *func, int which, int value)) \
  _(launch, "cuLaunchKernel", (void *func, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
    unsigned bz, unsigned shared, void *stream, void **params, void **extra)) \
  _(graph_new, "cuGraphCreate", (void **out, unsigned flags)) \
  _(graph_free, "cuGraphDestroy", (void *graph)) \
  _(graph_kernel, "cuGraphAddKernelNode", \
    (void **out, void *graph, void *const *after, size_t nafter, const tn_cu_node *node)) \
  _(graph_make, "cuGraphInstantiateWithFlags", (void **out, void *graph, unsigned long long flags)) \
  _(graph_set, "cuGraphExecKernelNodeSetParams", (void *exec, void *node, const tn_cu_node *to)) \
  _(graph_launch, "cuGraphLaunch", (void *exec, void *stream)) \
  _(graph_drop, "cuGraphExecDestroy", (void *exec)) \
  MAYBE(tensor_map, "cuTensorMapEncodeTiled", (void *out, int type, unsigned dims, void *address, \
    const uint64_t *extents, const uint64_t *strides, const unsigned *box, const unsigned *each, int interleave, \
    int swizzle, int promotion, int beyond)) \
  MAYBE(func_param, "cuFuncGetParamInfo", (void *func, size_t i, size_t *offset, size_t *nbytes)) \
  MAYBE(pool_alloc, "cuMemAllocAsync", (tn_cu_ptr *out, size_t nbytes, void *stream)) \
  MAYBE(pool_free, "cuMemFreeAsync", (tn_cu_ptr p, void *stream))
#define TN_NVRTC_FUNCTIONS(_, MAYBE) \
  _(version, "nvrtcVersion", (int *major, int *minor)) \
  _(create, "nvrtcCreateProgram", (void **out, const char *source, const char *name, int n, \
    const char *const *headers, const char *const *names)) \
  _(destroy, "nvrtcDestroyProgram", (void **program)) \
  _(compile, "nvrtcCompileProgram", (void *program, int n, const char *const *options)) \
  _(log_nbytes, "nvrtcGetProgramLogSize", (void *program, size_t *out)) \
  _(log, "nvrtcGetProgramLog", (void *program, char *out)) \
  _(ptx_nbytes, "nvrtcGetPTXSize", (void *program, size_t *out)) \
  _(ptx, "nvrtcGetPTX", (void *program, char *out)) \
  MAYBE(cubin_nbytes, "nvrtcGetCUBINSize", (void *program, size_t *out)) \
  MAYBE(cubin, "nvrtcGetCUBIN", (void *program, char *out)) \
  MAYBE(arch_count, "nvrtcGetNumSupportedArchs", (int *out)) \
  MAYBE(archs, "nvrtcGetSupportedArchs", (int *out))

#define TN_CUDA_MEMBER(name, symbol, parameters) int (TN_CUDA_CALL *name) parameters;
typedef struct tn_cuda_driver { TN_CUDA_FUNCTIONS(TN_CUDA_MEMBER, TN_CUDA_MEMBER) } tn_cuda_driver;
typedef struct tn_nvrtc { TN_NVRTC_FUNCTIONS(TN_CUDA_MEMBER, TN_CUDA_MEMBER) } tn_nvrtc;
#undef TN_CUDA_MEMBER

typedef struct tn_cuda_symbol { const char *name; size_t at; int must; } tn_cuda_symbol;

// Addresses into a table. NULL, or the name of what is missing.
static const char *tn_cuda_symbols(void *library, const tn_cuda_symbol *s, size_t n, void *table) {
  for (size_t i = 0; i < n; i++) {
    void *const found = tn_library_symbol(library, s[i].name);
    if (!found && s[i].must) return s[i].name;
    memcpy((char *)table + s[i].at, &found, sizeof found);
  }
  return NULL;
}
// The library that the environment names, or the first of these.
static void *tn_cuda_library(const char *variable, const char *const *names) {
  const char *own = getenv(variable), *const named[2] = {own, NULL};
  return tn_library_open(own && *own ? named : names);
}

#define TN_CUDA_MUST(name, symbol, parameters) {symbol, offsetof(tn_cuda_driver, name), 1},
#define TN_CUDA_MAY(name, symbol, parameters) {symbol, offsetof(tn_cuda_driver, name), 0},
static tiny_code tn_cuda_driver_open(tiny_ctx *t, tn_cuda_driver *cu) {
  static const tn_cuda_symbol symbols[] = {TN_CUDA_FUNCTIONS(TN_CUDA_MUST, TN_CUDA_MAY)};
  static const char *const names[] = {
#ifdef _WIN32
    "nvcuda.dll",
#else
    "libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
#endif
    NULL
  };
  void *const library = tn_cuda_library("TINY_CUDA_DRIVER", names);
  if (!library)
    return tiny_fail(t, TINY_E_DEVICE, "CUDA: there is no driver (%s was not found); install NVIDIA's for this GPU",
                     names[0]);
  const char *missing = tn_cuda_symbols(library, symbols, sizeof symbols / sizeof *symbols, cu);
  if (missing) tn_library_close(library);
  if (missing)
    return tiny_fail(t, TINY_E_DEVICE, "CUDA: the driver is too old, it has no %s; install one of CUDA 11.4 or later",
                     missing);
  return TINY_OK;
}
#undef TN_CUDA_MUST
#undef TN_CUDA_MAY

#define TN_CUDA_MUST(name, symbol, parameters) {symbol, offsetof(tn_nvrtc, name), 1},
#define TN_CUDA_MAY(name, symbol, parameters) {symbol, offsetof(tn_nvrtc, name), 0},
// 0: it is not there.
static int tn_nvrtc_open(tn_nvrtc *rtc) {
  static const tn_cuda_symbol symbols[] = {TN_NVRTC_FUNCTIONS(TN_CUDA_MUST, TN_CUDA_MAY)};
  static const char *const names[] = {
#ifdef _WIN32
    "nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll",
#else
    "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so",
#endif
    NULL
  };
  void *const library = tn_cuda_library("TINY_CUDA_NVRTC", names);
  return library && !tn_cuda_symbols(library, symbols, sizeof symbols / sizeof *symbols, rtc);
}
#undef TN_CUDA_MUST
#undef TN_CUDA_MAY
#endif
