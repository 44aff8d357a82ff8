// mock_cl: a libOpenCL of machines that have none, or a bad one: it names devices and opens none. Which, says the
// environment: tests/test_cl.sh.
//
//   MOCK_CL_DEVICES=1     how many there are
//   MOCK_CL_VERSION="OpenCL 1.2 mock"
//   MOCK_CL_AVAILABLE=1, MOCK_CL_COMPILER=1, MOCK_CL_LITTLE=1
//   MOCK_CL_EXTENSIONS="", MOCK_CL_SUB_GROUPS="8 16 32", MOCK_CL_WARP=0, MOCK_CL_TYPE=4     (a GPU)
//   MOCK_CL_CONTEXT=-6    what clCreateContext fails with; 0: it gives one
//   MOCK_CL_QUEUE=-6      the same of clCreateCommandQueue
#include "../src/api/api.h"
#include "../src/cl/driver.c"

// What driver.c calls, which is here for its names alone.
tiny_code tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...) { (void)t; (void)format; return code; }

static int said(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}
static int give(const void *value, size_t size, size_t nbytes, void *out, size_t *need) {
  if (need) *need = size;
  if (out && nbytes < size) return -30;    // CL_INVALID_VALUE
  if (out) memcpy(out, value, size);
  return 0;
}
static int give_text(const char *text, size_t nbytes, void *out, size_t *need) {
  return give(text, strlen(text) + 1, nbytes, out, need);
}
static int give_int(uint32_t value, size_t nbytes, void *out, size_t *need) {
  return give(&value, sizeof value, nbytes, out, need);
}

static int held;                           // contexts and queues: all of them are given back
static int code_of(const char *name, int *code) {
  *code = said(name, -6);
  held += *code == 0;
  return *code == 0;
}
static int mock_release(void) { held--; return 0; }
static void __attribute__((destructor)) mock_end(void) {
  if (held) fprintf(stderr, "mock_cl: %d objects are left\n", held);
}

int clGetPlatformIDs(uint32_t n, void **platforms, uint32_t *count) {
  static int platform;
  if (n && platforms) platforms[0] = &platform;
  if (count) *count = 1;
  return 0;
}
int clGetDeviceIDs(void *platform, uint64_t type, uint32_t n, void **devices, uint32_t *count) {
  static char device[8];
  const uint32_t has = (uint32_t)said("MOCK_CL_DEVICES", 1);
  (void)platform; (void)type;
  if (!has) return -1;                     // CL_DEVICE_NOT_FOUND
  for (uint32_t i = 0; devices && i < has && i < n; i++) devices[i] = &device[i];
  if (count) *count = has;
  return 0;
}
static int give_sizes(const char *text, size_t nbytes, void *out, size_t *need) {
  size_t sizes[8], n = 0;
  for (char *end; text && n < 8 && *text; text = *end ? end + 1 : end) sizes[n++] = strtoul(text, &end, 10);
  return n ? give(sizes, n * sizeof *sizes, nbytes, out, need) : -30;
}
int clGetDeviceInfo(void *device, uint32_t what, size_t nbytes, void *out, size_t *need) {
  const char *version = getenv("MOCK_CL_VERSION"), *extensions = getenv("MOCK_CL_EXTENSIONS");
  const uint64_t type = (uint64_t)said("MOCK_CL_TYPE", 4);
  (void)device;
  switch (what) {
    case TN_CL_DEVICE_NAME: return give_text("mock of a GPU", nbytes, out, need);
    case TN_CL_DEVICE_VERSION: return give_text(version ? version : "OpenCL 1.2 mock", nbytes, out, need);
    case TN_CL_AVAILABLE: return give_int((uint32_t)said("MOCK_CL_AVAILABLE", 1), nbytes, out, need);
    case TN_CL_COMPILER_AVAILABLE: return give_int((uint32_t)said("MOCK_CL_COMPILER", 1), nbytes, out, need);
    case TN_CL_ENDIAN_LITTLE: return give_int((uint32_t)said("MOCK_CL_LITTLE", 1), nbytes, out, need);
    case TN_CL_EXTENSIONS: return give_text(extensions ? extensions : "", nbytes, out, need);
    case TN_CL_SUB_GROUP_SIZES_INTEL: return give_sizes(getenv("MOCK_CL_SUB_GROUPS"), nbytes, out, need);
    case TN_CL_WAVEFRONT_WIDTH_AMD: return give_int((uint32_t)said("MOCK_CL_WARP", 0), nbytes, out, need);
    case TN_CL_DEVICE_TYPE: return give(&type, sizeof type, nbytes, out, need);
    default: return -30;
  }
}
void *clCreateContext(const intptr_t *properties, uint32_t n, void *const *devices,
                      void (TN_CL_CALL *notify)(const char *, const void *, size_t, void *), void *user, int *code) {
  (void)properties; (void)n; (void)devices; (void)notify; (void)user;
  return code_of("MOCK_CL_CONTEXT", code) ? &held : NULL;
}
void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *code) {
  (void)context; (void)device; (void)properties;
  return code_of("MOCK_CL_QUEUE", code) ? &held : NULL;
}
int clReleaseContext(void *context) { (void)context; return mock_release(); }
int clReleaseCommandQueue(void *queue) { (void)queue; return mock_release(); }

// The others are there, and are not called.
#define NEVER(name) int name(void); int name(void) { fprintf(stderr, "mock_cl: " #name "\n"); return -59; }
NEVER(clGetPlatformInfo) NEVER(clRetainContext) NEVER(clRetainCommandQueue) NEVER(clGetCommandQueueInfo)
NEVER(clCreateBuffer) NEVER(clCreateSubBuffer) NEVER(clReleaseMemObject) NEVER(clGetMemObjectInfo)
NEVER(clCreateProgramWithSource) NEVER(clCreateProgramWithBinary) NEVER(clBuildProgram) NEVER(clGetProgramInfo)
NEVER(clGetProgramBuildInfo) NEVER(clReleaseProgram) NEVER(clCreateKernel) NEVER(clReleaseKernel)
NEVER(clGetKernelInfo) NEVER(clSetKernelArg) NEVER(clEnqueueNDRangeKernel) NEVER(clEnqueueReadBuffer)
NEVER(clEnqueueWriteBuffer) NEVER(clEnqueueCopyBuffer) NEVER(clEnqueueMarkerWithWaitList)
NEVER(clEnqueueBarrierWithWaitList) NEVER(clWaitForEvents) NEVER(clGetEventInfo) NEVER(clGetEventProfilingInfo)
NEVER(clReleaseEvent) NEVER(clFlush) NEVER(clFinish)
