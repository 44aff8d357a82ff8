// api.h: the backend AMD, and how tests and hosts stand between it and the kernel driver.
#ifndef TINY_API
  #include "tiny.h"
#endif
#ifndef TINY_AMD_API                       // in development files include it beside each other
#define TINY_AMD_API

// AMD GPUs by the kernel driver alone: for tiny_desc.backends. Devices are "AMD", "AMD:1" ...
#ifdef TINY_STATIC                          // then it is defined below, in the file that has the implementation
#elif defined(__cplusplus)
extern "C" TINY_EXPORT const tiny_backend tiny_amd;
#else
extern TINY_EXPORT const tiny_backend tiny_amd;
#endif

// How the kernel driver is reached, and what makes machine code of HIP C. NULL members are the system's own. Calls come
// from the thread that uses the device. Results below 0 are -errno.
typedef struct tiny_amd_system {
  void *user;
  int   (*open)(void *user, const char *path, int flags);
  int   (*close)(void *user, int fd);
  int   (*ioctl)(void *user, int fd, unsigned long request, void *argument);
  // 0, and the address in *at, which comes in as a wish (flags has MAP_FIXED: as an order).
  int   (*mmap)(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset);
  int   (*munmap)(void *user, void *at, size_t nbytes);
  // Of a file of /sys its beginning, and a 0 behind it, to out: how many bytes.
  int   (*read)(void *user, const char *path, char *out, size_t nbytes);
  // A new descriptor of the k-th file (0, 1 ..) of this path that this process has open; -2 (ENOENT): there are no
  // more.
  int   (*again)(void *user, const char *path, int k);
  // Called after the store to the doorbell; hardware needs no such call.
  void  (*doorbell)(void *user, const volatile void *at);
  // A code object of this HIP C for `target` ("gfx1100"), by malloc, to *object; what is wrong in log, which is cut to
  // log_nbytes. Results other than 0: none is made.
  int   (*compile)(void *user, const char *hip, const char *target, void **object, size_t *nbytes, char *log,
                   size_t log_nbytes);
} tiny_amd_system;

// A GPU as the driver tells of it. 0 and "": it does not tell.
typedef struct tiny_amd_gpu {
  char name[64], target[16];               // target: "gfx1100"
  int node, minor;                         // of the topology; of /dev/dri/renderD<minor>
  int units, dies;                         // compute units in all; XCDs that they are on
  int waves;                               // that a SIMD holds
  size_t shared_nbytes;                    // of a group
  uint64_t nbytes, free_nbytes;
  int version[2];                          // of the kernel driver's interface
  char error[320];                         // why it cannot be used; "": it can
} tiny_amd_gpu;
// Tells of up to n GPUs, without a tiny_ctx, and returns how many the driver has. 0: there is none, or no driver, and
// out->error says why. It takes some milliseconds.
TINY_API int tiny_amd_gpus(const tiny_amd_system *system, tiny_amd_gpu *out, int n);

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_amd_name { char text[48]; } tiny_amd_name;
// The device of this number behind a system of the caller's, which outlives the tiny_ctx. NULL: the machine's own.
TINY_API tiny_amd_name tiny_amd_on(const tiny_amd_system *system, int number);

// Memory of others. dev: tiny_device_handle of a device AMD; results are for tiny_blob_of on that device, and NULL
// after an error, which is the context's.

// nbytes of the GPU's memory, zeros, that others see too: *fd is a dma-buf, the caller's to close, that tiny_amd_import
// takes in another context or process (by a socket's SCM_RIGHTS), and other drivers take. TINY_E_DEVICE: the driver
// does not export it.
TINY_API void *tiny_amd_share(void *dev, size_t nbytes, int *fd);
// The first nbytes of a dma-buf: of tiny_amd_share, or of another driver's (a camera, a network card, another GPU's).
// The file may be closed then. Who writes when is the caller's affair: tiny_sync before another looks.
TINY_API void *tiny_amd_import(void *dev, int fd, size_t nbytes);
// The host's own pages, which the GPU then uses in place: `at` is a multiple of 4096 and so is nbytes. They stay the
// caller's, and stay until tiny_amd_release. TINY_E_ARG: they are no pages; TINY_E_DEVICE: the driver does not take
// them.
TINY_API void *tiny_amd_wrap(void *dev, void *at, size_t nbytes);
// Gives back what one of these returned, when the device has done what it was given: no tensor may be over it any more.
// NULL is allowed; tiny_close does it too.
TINY_API void  tiny_amd_release(void *dev, void *mem);

// The kernels of a code object, linked or not, as assembly that tiny_kernel takes as source, to out, which is cut to
// out_nbytes and ended by a 0. Returns how long it is without that limit; 0: it is no code object for a GPU that is
// known, and out says why.
TINY_API size_t tiny_amd_disassemble(const void *object, size_t nbytes, char *out, size_t out_nbytes);
#endif // TINY_AMD_API
