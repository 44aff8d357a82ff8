// api.h: the backend NV, and how tests and hosts stand between it and the kernel driver.
#ifndef TINY_API
  #include "tiny.h"
#endif
#ifndef TINY_NV_API                        // in development files include it beside each other
#define TINY_NV_API

// NVIDIA GPUs by the kernel driver alone: for tiny_desc.backends. Devices are "NV", "NV:1" ...
#ifdef TINY_STATIC                          // then it is defined below, in the file that has the implementation
#elif defined(__cplusplus)
extern "C" TINY_EXPORT const tiny_backend tiny_nv;
#else
extern TINY_EXPORT const tiny_backend tiny_nv;
#endif

// How the kernel driver is reached, and what makes machine code of PTX. NULL members are the system's own. Calls come
// from the thread that uses the device. Results below 0 are -errno.
typedef struct tiny_nv_system {
  void *user;
  int   (*open)(void *user, const char *path, int flags);
  int   (*close)(void *user, int fd);
  int   (*ioctl)(void *user, int fd, unsigned long request, void *argument);
  // 0, and the address in *at, which comes in as a wish (flags has MAP_FIXED: as an order).
  int   (*mmap)(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset);
  int   (*munmap)(void *user, void *at, size_t nbytes);
  // Called after the store to the doorbell; hardware needs no such call.
  void  (*doorbell)(void *user, uint32_t token);
  // A cubin of this PTX for sm_<sm>, by malloc, to *cubin; what is wrong in log, which is cut to log_nbytes.
  int   (*assemble)(void *user, const char *ptx, int sm, void **cubin, size_t *nbytes, char *log, size_t log_nbytes);
} tiny_nv_system;

// A GPU as the driver tells of it. 0 and "": it does not tell.
typedef struct tiny_nv_gpu {
  char name[72], target[16], uuid[48], pci[16], driver[64];    // target: "sm_90a"
  int minor;                               // of /dev/nvidia<minor>
  int processors, warps;                   // SMs; warps that one of them holds
  int partitioned;                         // 1: MIG is on, and it cannot be opened
  size_t shared_nbytes;                    // of a group
  uint64_t nbytes, free_nbytes, l2_nbytes;
  uint32_t compute, channel, copy, doorbell;   // classes
  char error[320];                         // why it cannot be used; "": it can
} tiny_nv_gpu;
// Tells of up to n GPUs, without a tiny_ctx, and returns how many the driver has. 0: there is none, or no driver, and
// out->error says why. It takes some milliseconds; a GPU that sleeps is woken.
TINY_API int tiny_nv_gpus(const tiny_nv_system *system, tiny_nv_gpu *out, int n);

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_nv_name { char text[48]; } tiny_nv_name;
// The device of this number behind a system of the caller's, which outlives the tiny_ctx. NULL: the machine's own.
TINY_API tiny_nv_name tiny_nv_on(const tiny_nv_system *system, int number);

// Memory by a file. dev: tiny_device_handle of a device NV; results are for tiny_blob_of on that device, and NULL after
// an error, which is the context's.

// nbytes of the GPU's memory, zeros, that others see too: *fd is a file, the caller's to close, that tiny_nv_import
// takes in another context or process (by a socket's SCM_RIGHTS). TINY_E_DEVICE: the driver does not export it.
TINY_API void *tiny_nv_share(void *dev, size_t nbytes, int *fd);
// What a file stands for: of tiny_nv_share, nbytes as there, or the first nbytes of a dma-buf (of a camera, a network
// card, another GPU's driver) where the driver takes it. The file may be closed then. Who writes when is the caller's
// affair: tiny_sync before another looks. TINY_E_DEVICE: the driver takes it neither so nor so, as the message says.
TINY_API void *tiny_nv_import(void *dev, int fd, size_t nbytes);
// Gives back what one of these returned, when the device has done what it was given: no tensor may be over it any more.
// NULL is allowed; tiny_close does it too.
TINY_API void  tiny_nv_release(void *dev, void *mem);

#ifndef TINY_NO_IO
// Kernels for GPUs that are not here: their machine code, to be run where there is no assembler of PTX.
typedef struct tiny_nv_export_desc {
  const char *path;                        // of a file, as tiny_cache_export writes it: what it has of others stays
  const char *const *targets; int n;       // "sm_80", "sm_90a" .., as tiny_nv_gpu.target has it
  // Makes in t what the program runs and captures it (tiny_capture, tiny_warm). Called once for each target, with
  // tensors of a device that is not there: kernels are compiled for it, none runs, and tiny_read is TINY_E_DEVICE.
  // Other codes than TINY_OK end the export.
  tiny_code (*build)(tiny_ctx *t, void *user); void *user;
  const tiny_desc *desc;                   // of these t, but for device and backends; NULL: all defaults
  const tiny_nv_system *system;            // NULL, or one whose assemble is called
} tiny_nv_export_desc;
// Writes the kernels of what build makes for every target into one file, which tiny_desc.cache_file takes on machines
// with such GPUs, by the same release of tiny.h. It needs an assembler, no GPU and no driver. Takes as long as
// compiling the program n times. The codes of what went wrong, and a sentence in error, cut to error_nbytes (NULL and
// 0: none): TINY_E_ARG for a target that is not known, TINY_E_COMPILE without an assembler, TINY_E_IO; the file then
// holds the targets before.
TINY_API tiny_code tiny_nv_export(const tiny_nv_export_desc *e, char *error, size_t error_nbytes);
#endif
#endif // TINY_NV_API
