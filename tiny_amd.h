/* tiny_amd.h 0.1.0, source 3fd9b405b66e88ad7d779946525b1377df55de7ab82c427ef0a296c02f029b54

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/amd/manual.txt ----
tiny_amd.h: AMD GPUs for tiny.h, by the kernel driver alone: no ROCm, no HIP runtime.

WHAT IT IS
  A device for tiny.h on Linux machines with the kernel's driver amdgpu. It talks to /dev/kfd and /dev/dri/renderD128
  itself.

      #define TINY_IMPLEMENTATION
      #include "tiny.h"
      #include "tiny_amd.h"

      tiny_ctx *t = tiny_open(&(tiny_desc){.device = "AMD", .backends = {&tiny_amd}});

  "AMD" is the first GPU that opens, "AMD:1" the second. Without .device the first backend that opens is taken, and the
  CPU where none does: the same program runs where there is no GPU.

WHAT IT NEEDS
  Linux 5.14 or later with amdgpu (KFD 1.6 or later); the right to open the two files, which the group render usually
  has. A GPU of RDNA3 (gfx1100 to gfx1103, gfx1150, gfx1151), RDNA4 (gfx1200, gfx1201) or CDNA3 (gfx942).
  For kernels that are not in the cache yet a clang that knows these targets, 17 or later (19 for RDNA4): that of ROCm
  (/opt/rocm/llvm/bin/clang), from PATH, or TINY_AMD_CLANG. No linker, no library and no header of ROCm is used. Debug
  letter p tells which was found.

WITHOUT A COMPILER
  tiny_cache_export writes the kernels that a program has compiled; tiny_desc.cache_file takes them where there is no
  clang.

WHAT IT DOES NOT DO
  Other GPUs; kernels with a stack of unknown size. Nothing of this has run on a GPU yet: it was built beside a mock of
  the driver and an emulator of the GPUs that are strict. `make test-amd-device` looks at all that a GPU alone can tell.

WAITS
  A wait looks at a signal in memory for about a millisecond, then sleeps until the GPU interrupts. The driver keeps a
  page of 32 KiB for that until the process ends, and a process has one: a second context, and one beside ROCm, sleep
  and look by turns. TINY_AMD_INTERRUPTS=0 leaves the page to ROCm where that is opened later in the process.

KERNELS OF YOUR OWN
  tiny_kernel takes HIP C as source, which includes nothing: extern "C" __attribute__((global)) void name(..).
  Parameters are the output, then the inputs, each an address; a number is an input of one element. Or .binary: a code
  object for this GPU, linked or not.
  Or assembly, as LLVM's assembler and clang -S spell it, which needs no compiler here: what begins with .amdgcn_target
  is. What a kernel needs stands in .amdhsa_kernel NAME .. .end_amdhsa_kernel; values are numbers; denormals are kept,
  whatever a mode leaves out; data, and jumps to other kernels, are refused. An error tells line and column.
  tiny_amd_disassemble writes such a text of a code object.

ORDER
  What the library gives to a device happens in one order. Bytes from the host and to it go by the GPU's copy engines
  (SDMA), beside kernels that do not need them. Kernels that are launched together again are a list of packets that was
  prepared: of it only parameters that have changed are written. Between GPUs of a context ("AMD:0,AMD:1") bytes go from
  one's memory to the other's, and one waits for the other without the host, where the driver lets them; else by way of
  the host.

MEMORY OF OTHERS
  tiny_amd_share gives memory of the GPU as a dma-buf, tiny_amd_import takes one, tiny_amd_wrap has the GPU use pages of
  the host in place.

WHEN THE GPU IS LOST
  After a kernel that faults, after a reset, and after TINY_AMD_TIMEOUT_MS (60000) without any progress, each call on
  that device is TINY_E_DEVICE and says why, until the tiny_ctx is closed. A fault takes the GPU's queues from all
  contexts of the process; other GPUs go on.

IN A PROCESS WITH ROCM, OR SEVERAL CONTEXTS
  A process has one address space of a GPU, by one open file: a second context, or this one beside ROCm, uses the file
  that is open already.

A SYSTEM OF YOUR OWN
  tiny_amd_on names a device behind a tiny_amd_system: functions in the place of open, ioctl and mmap, and a compiler.
  tiny_amd_gpus tells of all GPUs without a context.
---- end src/amd/manual.txt ----
*/
#ifndef TINY_AMD_H
#define TINY_AMD_H
// ---- begin src/amd/api.h ----
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
// ---- end src/amd/api.h ----
#endif // TINY_AMD_H

// The implementation, for the one file that defines TINY_IMPLEMENTATION. It compiles as C and as C++; the
// functions above are extern "C" there, so both kinds of files link with it. (TINY_STATIC: all is static.)
#if defined(TINY_IMPLEMENTATION) && !defined(TINY_AMD_IMPLEMENTATION_DONE)
#define TINY_AMD_IMPLEMENTATION_DONE
#ifndef TINY_AMALGAMATED
  #define TINY_AMALGAMATED
#endif
#define TN_AMD_SOURCE_ID "3fd9b405b66e88ad7d779946525b1377df55de7ab82c427ef0a296c02f029b54"
// ---- begin src/amd/all.c ----
// all: the implementation of tiny_amd.h, one #include a room. Of the library it uses what tiny.h shows to everyone.
// ---- begin src/amd/../base/digits.c ----
// digits: whole numbers in text without a sign: of devices, of versions, of addresses.
//
// In:  text. Out: what its first digits say, and what stands behind them.
// Holds: it stands in companion headers, as library.c does, and uses nothing of the other rooms; the host's locale
//        changes nothing.
#ifndef TN_BASE_DIGITS
#define TN_BASE_DIGITS
#include <stdint.h>
#include <string.h>

// What the digits that text begins with say in base 10 or 16. 0: there are none; UINT64_MAX: that, or more. *end:
// behind them; end may be NULL.
static uint64_t tn_digits_value(const char *text, uint64_t base, const char **end) {
  static const char digits[] = "0123456789abcdef";
  uint64_t k = 0;
  for (; *text; text++) {
    const char *digit = strchr(digits, *text >= 'A' && *text <= 'F' ? *text - 'A' + 'a' : *text);
    if (!digit || (uint64_t)(digit - digits) >= base) break;
    const uint64_t d = (uint64_t)(digit - digits);
    k = k > (UINT64_MAX - d) / base ? UINT64_MAX : k * base + d;
  }
  if (end) *end = text;
  return k;
}
#endif
// ---- end src/amd/../base/digits.c ----
// ---- begin src/amd/../base/driver.c ----
// driver: files of kernel drivers: opened, controlled, mapped; a clock; what two sides of a bus see in order.
//
// In:    paths, requests, addresses. Out: results as they come from the kernel: below 0 -errno.
// Holds: only here is it known which system this is. Elsewhere than on Linux there are no such drivers, and opening one
//        says so. It stands in companion headers, as library.c does, and uses nothing of the other rooms.
#ifndef TN_BASE_DRIVER
#define TN_BASE_DRIVER
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __GNUC__
  #define TN_DRIVER_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_DRIVER_PRINTF(at, args)
#endif

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

// With -std=c11 the C library hides what is not ISO C (base/os.c): declared as POSIX has it. Numbers: asm-generic.
#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
  extern int clock_gettime(int clock, struct timespec *out);
  extern int nanosleep(const struct timespec *wanted, struct timespec *left);
  extern ssize_t readlink(const char *path, char *out, size_t nbytes);
#endif
enum { TN_DRIVER_LINUX = 1, TN_DRIVER_CLOEXEC = 02000000, TN_DRIVER_ANONYMOUS = 0x20, TN_DRIVER_NORESERVE = 0x4000,
       TN_DRIVER_RESERVED = TN_DRIVER_ANONYMOUS | TN_DRIVER_NORESERVE, TN_DRIVER_MONOTONIC = 1 };
static int tn_driver_open(void *user, const char *path, int flags) {
  (void)user;
  const int fd = open(path, flags | TN_DRIVER_CLOEXEC);
  return fd < 0 ? -errno : fd;
}
static int tn_driver_close(void *user, int fd) { (void)user; return close(fd) ? -errno : 0; }
static int tn_driver_ioctl(void *user, int fd, unsigned long request, void *argument) {
  int result;
  (void)user;
  do result = ioctl(fd, request, argument); while (result < 0 && (errno == EINTR || errno == EAGAIN));
  return result < 0 ? -errno : result;
}
static int tn_driver_mmap(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset) {
  (void)user;
  void *const p = mmap(*at, nbytes, protection, flags, fd, (off_t)offset);
  if (p == MAP_FAILED) return -errno;
  *at = p;
  return 0;
}
static int tn_driver_munmap(void *user, void *at, size_t nbytes) {
  (void)user;
  return munmap(at, nbytes) ? -errno : 0;
}
static uint64_t tn_driver_clock_ns(void) {
  struct timespec now;
  clock_gettime(TN_DRIVER_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
// Others run: the first spins are for what comes at once, later ones sleep for 50 us.
static void tn_driver_pause(int spins) {
  const struct timespec some = {0, 50000};
  if (spins < 2000) return;
  if (spins < 4000) sched_yield(); else nanosleep(&some, NULL);
}
// What was written before is seen, by the GPU too, before what is written after.
static void tn_driver_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static uint64_t tn_driver_load(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
static void tn_driver_store(uint64_t *p, uint64_t value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }
enum { TN_DRIVER_MAP_FIXED = MAP_SHARED | MAP_FIXED, TN_DRIVER_MAP_SHARED = MAP_SHARED,
       TN_DRIVER_RESERVE = MAP_PRIVATE | TN_DRIVER_RESERVED, TN_DRIVER_READ = PROT_READ, TN_DRIVER_WRITE = PROT_WRITE,
       TN_DRIVER_OPEN = O_RDWR | TN_DRIVER_CLOEXEC };
#else
enum { TN_DRIVER_LINUX = 0, TN_DRIVER_NOT_HERE = -2 };
static int tn_driver_open(void *user, const char *path, int flags) {
  (void)user; (void)path; (void)flags;
  return TN_DRIVER_NOT_HERE;
}
static int tn_driver_close(void *user, int fd) { (void)user; (void)fd; return 0; }
static int tn_driver_ioctl(void *user, int fd, unsigned long request, void *argument) {
  (void)user; (void)fd; (void)request; (void)argument;
  return TN_DRIVER_NOT_HERE;
}
static int tn_driver_mmap(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset) {
  (void)user; (void)at; (void)nbytes; (void)protection; (void)flags; (void)fd; (void)offset;
  return TN_DRIVER_NOT_HERE;
}
static int tn_driver_munmap(void *user, void *at, size_t nbytes) { (void)user; (void)at; (void)nbytes; return 0; }
static uint64_t tn_driver_clock_ns(void) { return 0; }
static void tn_driver_pause(int spins) { (void)spins; }
static void tn_driver_fence(void) {}
static uint64_t tn_driver_load(const uint64_t *p) { return *p; }
static void tn_driver_store(uint64_t *p, uint64_t value) { *p = value; }
enum { TN_DRIVER_MAP_FIXED, TN_DRIVER_MAP_SHARED, TN_DRIVER_RESERVE, TN_DRIVER_READ, TN_DRIVER_WRITE, TN_DRIVER_OPEN };
#endif

// ** errno, as a sentence goes on **

static const char *tn_driver_errno_text(int error) {
  static const struct { int error; const char *says; } known[] = {
    {1, "not permitted (EPERM)"}, {2, "there is no such file (ENOENT)"}, {4, "interrupted (EINTR)"},
    {5, "the driver does not answer (EIO)"}, {6, "there is no such device (ENXIO)"}, {12, "no memory (ENOMEM)"},
    {13, "you may not open it (EACCES): its owner, group or mode forbid it"}, {14, "a bad address (EFAULT)"},
    {16, "it is in use (EBUSY)"}, {19, "there is no such device (ENODEV)"},
    {22, "the driver does not take it (EINVAL): its release is not one that is known here"},
    {24, "too many open files (EMFILE)"}, {25, "it is no device of this driver (ENOTTY)"}
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) if (known[i].error == error) return known[i].says;
  return "refused by the system";
}
#endif
// ---- end src/amd/../base/driver.c ----
// ---- begin src/amd/../base/tool.c ----
// tool: programs of others, run as processes that read and write memory: nothing of it has a name in a folder.
//
// In:    a path, words, a text. Out: how the process ended; what it made of the text, by malloc, and what it said.
// Holds: it stands in companion headers, as library.c does, and uses driver.c alone. Elsewhere than on Linux there is
//        no such memory: no program is found.
// What is what: Linux, memfd_create(2); POSIX, posix_spawn.
#ifndef TN_BASE_TOOL
#define TN_BASE_TOOL
#ifndef TINY_AMALGAMATED
#include "driver.c"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#endif

typedef struct tn_tool_made { void *bytes; size_t nbytes; char log[2048]; } tn_tool_made;       // bytes by malloc
enum { TN_TOOL_WORDS = 24 };

#ifdef __linux__
#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern long syscall(long number, ...);
extern int ftruncate(int fd, off_t nbytes);
#endif
#ifndef __cplusplus
extern char **environ;
#endif
// A file in memory alone, which a child inherits. Below 0: the kernel has none (Linux 3.17).
static int tn_tool_file(const char *name) {
#ifdef SYS_memfd_create
  return (int)syscall(SYS_memfd_create, name, 0u);
#else
  (void)name;
  return -1;
#endif
}
static int tn_tool_write(int fd, const char *data, size_t nbytes) {
  for (size_t at = 0; at < nbytes; ) {
    const ssize_t n = write(fd, data + at, nbytes - at);
    if (n < 0 && errno != EINTR) return 0;
    if (n > 0) at += (size_t)n;
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}
// By malloc; *nbytes of it, and a 0. NULL: nothing is there, or no memory.
static char *tn_tool_read(int fd, size_t *nbytes) {
  const off_t end = lseek(fd, 0, SEEK_END);
  char *data = end > 0 && lseek(fd, 0, SEEK_SET) == 0 ? (char *)malloc((size_t)end + 1) : NULL;
  *nbytes = 0;
  while (data && *nbytes < (size_t)end) {
    const ssize_t n = read(fd, data + *nbytes, (size_t)end - *nbytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    *nbytes += (size_t)n;
  }
  if (data) data[*nbytes] = 0;
  return data;
}
// 0: it ended well. What it says goes to the file `said`.
static int tn_tool_run(const char *path, char *const *words, int said) {
  posix_spawn_file_actions_t actions;
  pid_t pid = 0;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  posix_spawn_file_actions_adddup2(&actions, said, 1);
  posix_spawn_file_actions_adddup2(&actions, said, 2);
  const int failed = posix_spawn(&pid, path, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno == EINTR) continue;
    return errno == ECHILD ? 0 : -1;       // the host ignores SIGCHLD: what was written tells
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
// words, ended by NULL: "<" is the file that holds the text, ">" the one that is to be written. 0: it was.
static int tn_tool_make(const char *path, const char *const *words, const char *text, tn_tool_made *made) {
  const int in = tn_tool_file("in"), out = tn_tool_file("out"), said = tn_tool_file("said");
  char from[32], to[32], *word[TN_TOOL_WORDS + 1];
  int n = 0, result = -1;
  snprintf(from, sizeof from, "/proc/self/fd/%d", in);
  snprintf(to, sizeof to, "/proc/self/fd/%d", out);
  for (; words[n] && n < TN_TOOL_WORDS; n++) {
    const char *one = !strcmp(words[n], "<") ? from : !strcmp(words[n], ">") ? to : words[n];
    memcpy(&word[n], &one, sizeof one);    // posix_spawn writes none of them
  }
  word[n] = NULL;
  if (in >= 0 && out >= 0 && said >= 0 && tn_tool_write(in, text, strlen(text))) {
    result = tn_tool_run(path, word, said);
    if (!result) made->bytes = tn_tool_read(out, &made->nbytes);
    if (!made->bytes) {
      size_t nbytes;
      char *log = tn_tool_read(said, &nbytes);
      if (log) snprintf(made->log, sizeof made->log, "%s", log);
      free(log);
      if (!result) result = -1;
    }
  }
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (said >= 0) close(said);
  return result;
}
static int tn_tool_is_program(const char *path) { return *path == '/' && access(path, X_OK) == 0; }
#else
static int tn_tool_make(const char *path, const char *const *words, const char *text, tn_tool_made *made) {
  (void)path; (void)words; (void)text; (void)made;
  return -1;
}
static int tn_tool_is_program(const char *path) { (void)path; return 0; }
#endif
// The first of `names`, ended by NULL, that a folder of PATH has which is absolute. 0: none has.
static int tn_tool_find(const char *const *names, char *out, size_t nbytes) {
  for (; *names; names++)
    for (const char *path = getenv("PATH"); path && *path; ) {
      const size_t n = strcspn(path, ":");
      if (*path == '/' && n < 250) {
        snprintf(out, nbytes, "%.*s/%s", (int)n, path, *names);
        if (tn_tool_is_program(out)) return 1;
      }
      path += n + (path[n] == ':');
    }
  return 0;
}
#endif
// ---- end src/amd/../base/tool.c ----
// ---- begin src/amd/../base/blocks.c ----
// blocks: a device's memory, given out in blocks of larger regions, which are the driver's.
//
// In:    sizes. Out: blocks, which is what tiny_mem.base is.
// Holds: a region is kept when all of it is free, until memory runs out. Of each block is known which submission used
//        it last. It stands in companion headers, as library.c does, and uses what tiny.h shows to everyone.
#ifndef TN_BASE_BLOCKS
#define TN_BASE_BLOCKS
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

typedef struct tn_device_block {
  struct tn_device_block *next, *before;          // neighbours in the region, by address
  struct tn_device_region *region;
  uint64_t va, nbytes, used;               // used: submission of launches
  int taken;
} tn_device_block;
typedef struct tn_device_region {
  struct tn_device_region *next; void *memory; uint64_t va, nbytes; tn_device_block *first;
} tn_device_region;
typedef struct tn_device_blocks {
  tiny_ctx *t; void *user; tn_device_region *regions;
  // Memory, where it begins and what it has at least; NULL: there is none, and `user` knows why. drop gives it back.
  void *(*make)(void *user, uint64_t nbytes, uint64_t *va, uint64_t *got);
  void (*drop)(void *user, void *memory);
} tn_device_blocks;
enum { TN_DEVICE_BLOCK_LEAST = 256, TN_DEVICE_REGION_NBYTES = 32 << 20 };

static tn_device_block *tn_device_block_new(tn_device_blocks *p, tn_device_region *r, uint64_t va, uint64_t nbytes) {
  tn_device_block *b = (tn_device_block *)tiny_realloc(p->t, NULL, 0, sizeof *b);
  if (!b) return NULL;
  memset(b, 0, sizeof *b);
  b->region = r; b->va = va; b->nbytes = nbytes;
  return b;
}
static void tn_device_region_free(tn_device_blocks *p, tn_device_region *r) {
  for (tn_device_block *b; (b = r->first) != NULL; ) { r->first = b->next; tiny_realloc(p->t, b, sizeof *b, 0); }
  if (r->memory) p->drop(p->user, r->memory);
  tiny_realloc(p->t, r, sizeof *r, 0);
}
// A region of this memory, which is given back where it is not made. NULL: no memory.
static tn_device_region *tn_device_region_of(tn_device_blocks *p, void *memory, uint64_t va, uint64_t nbytes) {
  tn_device_region *r = (tn_device_region *)tiny_realloc(p->t, NULL, 0, sizeof *r);
  if (!r) { p->drop(p->user, memory); return NULL; }
  memset(r, 0, sizeof *r);
  r->memory = memory; r->va = va; r->nbytes = nbytes;
  r->first = tn_device_block_new(p, r, va, nbytes);
  if (!r->first) { tn_device_region_free(p, r); return NULL; }
  r->next = p->regions;
  return p->regions = r;
}
static tn_device_region *tn_device_region_make(tn_device_blocks *p, uint64_t nbytes) {
  uint64_t va = 0, got = 0;
  void *const memory =
      p->make(p->user, nbytes > TN_DEVICE_REGION_NBYTES / 2 ? nbytes : (uint64_t)TN_DEVICE_REGION_NBYTES, &va, &got);
  return memory ? tn_device_region_of(p, memory, va, got) : NULL;
}
// The one block of a region of its own. NULL: no memory, which is given back.
static tn_device_block *tn_device_block_alone(tn_device_blocks *p, void *memory, uint64_t va, uint64_t nbytes) {
  tn_device_region *r = tn_device_region_of(p, memory, va, nbytes);
  if (r) r->first->taken = 1;
  return r ? r->first : NULL;
}
static void tn_device_region_close(tn_device_blocks *p, tn_device_region *r) {
  for (tn_device_region **at = &p->regions; *at; at = &(*at)->next) if (*at == r) { *at = r->next; break; }
  tn_device_region_free(p, r);
}
static void tn_device_regions_close(tn_device_blocks *p, int all) {
  for (tn_device_region *r = p->regions, *next; r; r = next) {
    next = r->next;
    if (all || !(r->first->taken || r->first->next)) tn_device_region_close(p, r);
  }
}
// The first nbytes of a free block; the rest stays free.
static tn_device_block *tn_device_block_take(tn_device_blocks *p, tn_device_block *b, uint64_t nbytes) {
  if (b->nbytes > nbytes) {
    tn_device_block *rest = tn_device_block_new(p, b->region, b->va + nbytes, b->nbytes - nbytes);
    if (!rest) return NULL;
    rest->next = b->next; rest->before = b; rest->used = b->used;
    if (b->next) b->next->before = rest;
    b->next = rest;
    b->nbytes = nbytes;
  }
  b->taken = 1;
  return b;
}
static tn_device_block *tn_device_block_of(tn_device_blocks *p, size_t nbytes) {
  const uint64_t least = TN_DEVICE_BLOCK_LEAST, n = ((nbytes ? nbytes : 1) + least - 1) & ~(least - 1);
  if (n < nbytes) return NULL;
  for (tn_device_region *r = p->regions; r; r = r->next)
    for (tn_device_block *b = r->first; b; b = b->next)
      if (!b->taken && b->nbytes >= n) return tn_device_block_take(p, b, n);
  tn_device_region *r = tn_device_region_make(p, n);
  return r ? tn_device_block_take(p, r->first, n) : NULL;
}
// The one behind it becomes part of it.
static void tn_device_block_join(tn_device_blocks *p, tn_device_block *b) {
  tn_device_block *n = b->next;
  b->nbytes += n->nbytes;
  b->next = n->next;
  if (n->next) n->next->before = b;
  if (n->used > b->used) b->used = n->used;
  tiny_realloc(p->t, n, sizeof *n, 0);
}
static void tn_device_block_give(tn_device_blocks *p, tn_device_block *b) {
  b->taken = 0;
  if (b->next && !b->next->taken) tn_device_block_join(p, b);
  if (b->before && !b->before->taken) tn_device_block_join(p, b->before);
}
#endif
// ---- end src/amd/../base/blocks.c ----
// ---- begin src/amd/../base/prepared.c ----
// prepared: launches that are handed over together again and again, as a list of commands that was prepared.
//
// In:    the launches of a submit. Out: the list of commands; of parameters only what has changed is written.
// Holds: the same kernels in the same grids are the same list, whatever memory and numbers they are given. It is made
//        when they come for the second time. There are two copies of what the GPU reads, so that one may be written
//        while the other is in use. A list goes before the module of one of its kernels does. It stands in companion
//        headers, as library.c does, and uses what tiny.h shows to everyone.
#ifndef TN_BASE_PREPARED
#define TN_BASE_PREPARED
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// graphs that are kept; launches that are worth one; how often they come before; copies
enum { TN_PREPARED_GRAPHS = 16, TN_PREPARED_LEAST = 2, TN_PREPARED_AFTER = 2, TN_PREPARED_COPIES = 2 };

typedef struct tn_prepared_step {
  const void *kernel; int64_t global[3], local[3]; size_t local_nbytes, at, value; int nmem, nargs;
} tn_prepared_step;
// What the GPU reads: arguments, then words of commands. busy: the last submission of it.
typedef struct tn_prepared_list {
  void *memory; char *cpu; uint64_t va, busy; uint64_t *value; size_t nwords;
} tn_prepared_list;
typedef struct tn_prepared_graph {
  uint64_t hash, last; int n, seen;
  tn_prepared_step *step; size_t nvalue, nbytes;             // nbytes: of arguments
  tn_prepared_list list[TN_PREPARED_COPIES];
} tn_prepared_graph;
// What a device knows of its launches. args: where a launch's arguments are; codes and NULL: an error of the context's.
typedef struct tn_prepared_calls {
  size_t words;                            // of commands of a launch, at most
  const void *(*module)(const void *kernel);
  size_t (*args_nbytes)(const void *kernel);
  uint64_t (*value)(const tiny_launch *l, int i);            // of parameter i of nmem + nargs
  tiny_code (*ready)(void *user, const tiny_launch *l);      // does it fit? what it needs beside its memory is there
  void (*write)(void *user, const tiny_launch *l, char *args, uint64_t va);
  void (*put)(const tiny_launch *l, int i, uint64_t value, char *args);
  void (*bound)(const tiny_launch *l, char *args);           // parameters of it were put; NULL: nothing to do
  size_t (*command)(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at);     // how many words
  void *(*make)(void *user, size_t nbytes, char **cpu, uint64_t *va);
  void (*drop)(void *user, void *memory);
  uint64_t (*done)(void *user);
  tiny_code (*wait)(void *user, uint64_t number);
} tn_prepared_calls;
typedef struct tn_prepared {
  tiny_ctx *t; void *user; const tn_prepared_calls *calls;
  uint64_t count; tn_prepared_graph *graph[TN_PREPARED_GRAPHS];
} tn_prepared;

static uint64_t tn_prepared_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}
static uint64_t tn_prepared_hash(const tiny_launch *l, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    h = tn_prepared_mix(h, (uint64_t)(uintptr_t)l[i].kernel);
    for (int k = 0; k < 3; k++)
      h = tn_prepared_mix(tn_prepared_mix(h, (uint64_t)l[i].global[k]), (uint64_t)l[i].local[k]);
    h = tn_prepared_mix(tn_prepared_mix(h, l[i].local_nbytes), (uint64_t)(l[i].nmem + l[i].nargs));
  }
  return h;
}

// Waits for what still uses it.
static void tn_prepared_close(tn_prepared *p, int i) {
  tn_prepared_graph *g = p->graph[i];
  if (!g) return;
  for (int k = 0; k < TN_PREPARED_COPIES; k++) {
    tn_prepared_list *l = &g->list[k];
    if (l->memory) { p->calls->wait(p->user, l->busy); p->calls->drop(p->user, l->memory); }
    if (l->value) tiny_realloc(p->t, l->value, g->nvalue * sizeof *l->value, 0);
  }
  if (g->step) tiny_realloc(p->t, g->step, (size_t)g->n * sizeof *g->step, 0);
  tiny_realloc(p->t, g, sizeof *g, 0);
  p->graph[i] = NULL;
}
static void tn_prepared_close_all(tn_prepared *p) {
  for (int i = 0; i < TN_PREPARED_GRAPHS; i++) tn_prepared_close(p, i);
}
// Those that launch a kernel of the module, or came before kernels that stand where one of its stood.
static void tn_prepared_leave(tn_prepared *p, const void *module) {
  for (int i = 0; i < TN_PREPARED_GRAPHS; i++) {
    const tn_prepared_graph *g = p->graph[i];
    int uses = 0;
    for (int k = 0; g && k < g->n && !uses; k++) uses = p->calls->module(g->step[k].kernel) == module;
    if (uses) tn_prepared_close(p, i);
  }
}

static void tn_prepared_steps(tn_prepared *p, tn_prepared_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    tn_prepared_step *s = &g->step[i];
    s->kernel = l[i].kernel;
    memcpy(s->global, l[i].global, sizeof s->global);
    memcpy(s->local, l[i].local, sizeof s->local);
    s->local_nbytes = l[i].local_nbytes; s->nmem = l[i].nmem; s->nargs = l[i].nargs;
    s->at = g->nbytes; s->value = g->nvalue;
    g->nbytes += p->calls->args_nbytes(s->kernel);
    g->nvalue += (size_t)(s->nmem + s->nargs);
  }
  g->nvalue += !g->nvalue;
}
// The graph of these launches, perhaps one that is not made yet, in the place of the one that came longest ago. NULL:
// memory was refused.
static tn_prepared_graph *tn_prepared_find(tn_prepared *p, const tiny_launch *l, int n) {
  const uint64_t hash = tn_prepared_hash(l, n);
  int oldest = 0;
  for (int i = 0; i < TN_PREPARED_GRAPHS; i++) {
    tn_prepared_graph *g = p->graph[i];
    if (g && g->hash == hash && g->n == n) return g;
    if (!g || (p->graph[oldest] && g->last < p->graph[oldest]->last)) oldest = i;
  }
  tn_prepared_close(p, oldest);
  tn_prepared_graph *g = (tn_prepared_graph *)tiny_realloc(p->t, NULL, 0, sizeof *g);
  if (!g) return NULL;
  memset(g, 0, sizeof *g);
  g->hash = hash; g->n = n;
  g->step = (tn_prepared_step *)tiny_realloc(p->t, NULL, 0, (size_t)n * sizeof *g->step);
  if (!g->step) { tiny_realloc(p->t, g, sizeof *g, 0); return NULL; }
  tn_prepared_steps(p, g, l);
  return p->graph[oldest] = g;
}
// Is it the graph of these launches, and not one whose hash is the same?
static int tn_prepared_fits(const tn_prepared_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    const tn_prepared_step *s = &g->step[i];
    if (s->kernel != l[i].kernel || s->local_nbytes != l[i].local_nbytes || s->nmem != l[i].nmem ||
        s->nargs != l[i].nargs || memcmp(s->global, l[i].global, sizeof s->global) ||
        memcmp(s->local, l[i].local, sizeof s->local))
      return 0;
  }
  return 1;
}
static int tn_prepared_wanted(const tiny_launch *l, int n) {
  for (int i = 0; i < n; i++)
    if (l[i].stamp || l[i].global[0] < 1 || l[i].global[1] < 1 || l[i].global[2] < 1) return 0;
  return n >= TN_PREPARED_LEAST;
}
// NULL: these launches are to be given one by one.
static tn_prepared_graph *tn_prepared_of(tn_prepared *p, const tiny_launch *l, int n) {
  tn_prepared_graph *g = tn_prepared_wanted(l, n) ? tn_prepared_find(p, l, n) : NULL;
  if (!g || !tn_prepared_fits(g, l)) return NULL;
  g->last = ++p->count;
  return g->seen < TN_PREPARED_AFTER && ++g->seen < TN_PREPARED_AFTER ? NULL : g;
}

// ** lists **

static void tn_prepared_write(tn_prepared *p, const tn_prepared_graph *g, tn_prepared_list *list,
                              const tiny_launch *l) {
  uint32_t *at = (uint32_t *)(void *)(list->cpu + g->nbytes);
  for (int i = 0; i < g->n; i++) {
    p->calls->write(p->user, &l[i], list->cpu + g->step[i].at, list->va + g->step[i].at);
    at += p->calls->command(p->user, &l[i], !i, list->va + g->step[i].at, at);
    for (int k = 0; k < l[i].nmem + l[i].nargs; k++)
      list->value[g->step[i].value + (size_t)k] = p->calls->value(&l[i], k);
  }
  list->nwords = (size_t)(at - (uint32_t *)(void *)(list->cpu + g->nbytes));
}
// 0: not made, which is the context's error.
static int tn_prepared_make(tn_prepared *p, const tn_prepared_graph *g, tn_prepared_list *list, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) if (p->calls->ready(p->user, &l[i]) != TINY_OK) return 0;
  list->value = (uint64_t *)tiny_realloc(p->t, NULL, 0, g->nvalue * sizeof *list->value);
  if (!list->value) {
    tiny_fail(p->t, TINY_E_MEMORY, "no memory for a list of commands");
    return 0;
  }
  list->memory = p->calls->make(p->user, g->nbytes + (size_t)g->n * p->calls->words * 4, &list->cpu, &list->va);
  if (list->memory) { tn_prepared_write(p, g, list, l); return 1; }
  tiny_realloc(p->t, list->value, g->nvalue * sizeof *list->value, 0);
  list->value = NULL;
  return 0;
}
// Does the list have other parameters than these?
static int tn_prepared_differs(tn_prepared *p, const tn_prepared_graph *g, const tn_prepared_list *list,
                               const tiny_launch *l) {
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < l[i].nmem + l[i].nargs; k++)
      if (list->value[g->step[i].value + (size_t)k] != p->calls->value(&l[i], k)) return 1;
  return 0;
}
// Parameters that differ, and what is made of them.
static void tn_prepared_bind(tn_prepared *p, const tn_prepared_step *s, const tn_prepared_list *list,
                             const tiny_launch *l) {
  int changed = 0;
  for (int k = 0; k < l->nmem + l->nargs; k++) {
    uint64_t *was = &list->value[s->value + (size_t)k];
    const uint64_t value = p->calls->value(l, k);
    if (value == *was) continue;
    *was = value;
    changed = 1;
    p->calls->put(l, k, value, list->cpu + s->at);
  }
  if (changed && p->calls->bound) p->calls->bound(l, list->cpu + s->at);
}
// One with these parameters already, or one that nothing uses, or a second one, or the one that is free first. NULL
// after an error.
static tn_prepared_list *tn_prepared_list_of(tn_prepared *p, tn_prepared_graph *g, const tiny_launch *l) {
  const uint64_t done = p->calls->done(p->user);
  tn_prepared_list *best = NULL;
  for (int i = 0; i < TN_PREPARED_COPIES; i++) {
    tn_prepared_list *x = &g->list[i];
    if (x->memory && !tn_prepared_differs(p, g, x, l)) return x;
    if (!x->memory && (!best || best->busy > done)) return tn_prepared_make(p, g, x, l) ? x : NULL;
    if (x->memory && (!best || x->busy < best->busy)) best = x;
  }
  if (p->calls->wait(p->user, best->busy) != TINY_OK) return NULL;
  for (int i = 0; i < g->n; i++) tn_prepared_bind(p, &g->step[i], best, &l[i]);
  return best;
}
#endif
// ---- end src/amd/../base/prepared.c ----
// ---- begin src/amd/../render/lang_cuda.c ----
// lang_cuda: the descriptor of CUDA C, and of HIP C, which is the same but for the words below: an element at a time or
// vectors of 2, 4, 8 or 16.
//
// Out: tn_lang_cuda and tn_lang_hip fill a tiny_renderer. A kernel has one parameter: 128 words of 64 bits, memory of
//      PARAM k the k-th, ARG k the k-th from the end: kernels use some of their PARAMs and ARGs, in any order. A
//      module of such kernels has a variable tiny_values; in others, which people write, parameters are addresses, then
//      numbers. CUDA's items of a group are numbered in dim 0 alone, as it allows 64 in dim 2; HIP's in three.
// Holds:
//  - No header is included: NVRTC and hiprtc compile the text alone, and so do nvcc and clang -x hip -nogpuinc
//    -nogpulib.
//  - f16 and, from sm_80 on, bf16 are two bytes in memory and f32 in arithmetic: limits.dtypes is to be
//    TN_CUDA_ARITHMETIC. Where types have no name (bf16 of HIP and of sm_75, fp8), rules/decompose.c makes
//    integers of them.
//  - Integers wrap: sums and products are of unsigned types, unless their bounds say that they need not.
//  - exp2, log2 and sin are decomposed, as this library promises 1 ulp, but for 2^x that is rounded to a narrow
//    float: ex2.approx is within 2^-22 of the value, 4 ulp (PTX ISA, ex2), v_exp_f32 within 1 where that is normal
//    (AMD, RDNA3 ISA, V_EXP_F32), and is of 2^(x + 64) below. Quotients and roots are rounded correctly, as both
//    compilers have it unless they are told otherwise (-prec-div, -prec-sqrt;
//    -fhip-fp32-correctly-rounded-divide-sqrt).
//  - A bool is 0 or 1, also as a lane. Vectors lie in memory at the alignment of an element: one whose place is known
//    to be a multiple of its size, or of 16 bytes, is read at once; of others CUDA asks the address.
#ifndef TN_RENDER_LANG_CUDA
#define TN_RENDER_LANG_CUDA
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

enum { TN_CUDA_VALUES = 128 };
// limits.dtypes: all but narrow floats.
#define TN_CUDA_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                              (uint64_t)1 << TINY_F8E5M2))

// Units of warps, by their names: PTX ISA, mma.sync; LLVM, AMDGPU builtins. A host that compiles the text for tests
// defines TINY_MATRIX.
#define TN_CUDA_UNITS \
  "#ifdef __HIP__", \
  "  #define WORDS(T, n) typedef T T##x##n __attribute__((ext_vector_type(n)));", \
  "  WORDS(f16, 4) WORDS(f16, 8) WORDS(f16, 16) WORDS(short, 4) WORDS(short, 8) WORDS(short, 16)", \
  "  WORDS(int, 2) WORDS(int, 4) WORDS(int, 8) WORDS(float, 4) WORDS(float, 8)", \
  "  #define MATRIX(name, T, n, words, product) \\", \
  "    FN lanes<T, n> matrix_##name(lanes<unsigned, words> x, lanes<unsigned, words> y, lanes<T, n> z) { \\", \
  "      const T##x##n c = bits_as<T##x##n>(z); return bits_as<lanes<T, n>>(product); }", \
  "  #define A(T) bits_as<T>(x)", "  #define B(T) bits_as<T>(y)", \
  "  #ifdef __GFX11__", \
  "    #define WMMA(name) __builtin_amdgcn_wmma_##name##_w32", \
  "    MATRIX(gfx11_16x16x16_f16, float, 8, 8, WMMA(f32_16x16x16_f16)(A(f16x16), B(f16x16), c))", \
  "    MATRIX(gfx11_16x16x16_bf16, float, 8, 8, WMMA(f32_16x16x16_bf16)(A(shortx16), B(shortx16), c))", \
  "    MATRIX(gfx11_16x16x16_i8, int, 8, 4, WMMA(i32_16x16x16_iu8)(true, A(intx4), true, B(intx4), c, false))", \
  "  #endif", \
  "  #ifdef __GFX12__", \
  "    #define WMMA(name) __builtin_amdgcn_wmma_##name##_w32_gfx12", \
  "    MATRIX(gfx12_16x16x16_f16, float, 8, 4, WMMA(f32_16x16x16_f16)(A(f16x8), B(f16x8), c))", \
  "    MATRIX(gfx12_16x16x16_bf16, float, 8, 4, WMMA(f32_16x16x16_bf16)(A(shortx8), B(shortx8), c))", \
  "    MATRIX(gfx12_16x16x16_i8, int, 8, 2, WMMA(i32_16x16x16_iu8)(true, A(intx2), true, B(intx2), c, false))", \
  "    MATRIX(gfx12_16x16x16_e4m3, float, 8, 2, WMMA(f32_16x16x16_fp8_fp8)(A(intx2), B(intx2), c))", \
  "    MATRIX(gfx12_16x16x16_e5m2, float, 8, 2, WMMA(f32_16x16x16_bf8_bf8)(A(intx2), B(intx2), c))", \
  "  #endif", \
  "  #if defined(__gfx942__) || defined(__gfx950__)", \
  "    #define MFMA(name) __builtin_amdgcn_mfma_##name", \
  "    MATRIX(gfx942_16x16x16_f16, float, 4, 2, MFMA(f32_16x16x16f16)(A(f16x4), B(f16x4), c, 0, 0, 0))", \
  "    MATRIX(gfx942_16x16x16_bf16, float, 4, 2, MFMA(f32_16x16x16bf16_1k)(A(shortx4), B(shortx4), c, 0, 0, 0))", \
  "    MATRIX(gfx942_16x16x32_i8, int, 4, 2, MFMA(i32_16x16x32_i8)(A(long), B(long), c, 0, 0, 0))", \
  "  #endif", \
  "#else", \
  "  #ifdef __CUDA_ARCH__", \
  "    #define PTX(...) asm volatile(__VA_ARGS__);", \
  "  #else", \
  "    #define PTX(...)", \
  "  #endif", \
  "  #ifndef TINY_MATRIX", \
  "    #define MMA(shape, a, b) \"mma.sync.aligned.\" shape \" {%0,%1,%2,%3}, \" a \", \" b \", {%0,%1,%2,%3};\"", \
  "    #define SUMS(r) r(c.at[0]), r(c.at[1]), r(c.at[2]), r(c.at[3])", \
  "    #define TINY_MATRIX(name, shape, kind, T, reg) \\", \
  "      FN lanes<T, 4> matrix_##name(lanes<unsigned, 4> a, lanes<unsigned, 2> b, lanes<T, 4> c) { \\", \
  "        PTX(MMA(shape, \"{%4, %5, %6, %7}\", \"{%8, %9}\") : SUMS(reg) : \"r\"(a.at[0]), \"r\"(a.at[1]), \\", \
  "            \"r\"(a.at[2]), \"r\"(a.at[3]), \"r\"(b.at[0]), \"r\"(b.at[1])) \\", \
  "        return c; }", \
  "    #define TINY_MATRIX_2(name, shape, kind, T, reg) \\", \
  "      FN lanes<T, 4> matrix_##name(lanes<unsigned, 2> a, unsigned b, lanes<T, 4> c) { \\", \
  "        PTX(MMA(shape, \"{%4,%5}\", \"{%6}\") : SUMS(reg) : \"r\"(a.at[0]), \"r\"(a.at[1]), \"r\"(b)) return c; }", \
  "  #endif", \
  "  #ifndef TINY_ROWS", \
  "    #define TINY_ROWS(name, how) \\", \
  "      template <typename V, typename T> FN V name(const T *p) { \\", \
  "        lanes<unsigned, 4> v; \\", \
  "        PTX(\"{ .reg .u64 at; .reg .u32 near; cvta.to.shared.u64 at, %4; cvt.u32.u64 near, at; \" \\", \
  "            \"ldmatrix.sync.aligned.m8n8.x4\" how \".shared.b16 {%0, %1, %2, %3}, [near]; }\" \\", \
  "            : \"=r\"(v.at[0]), \"=r\"(v.at[1]), \"=r\"(v.at[2]), \"=r\"(v.at[3]) : \"l\"(p) : \"memory\") \\", \
  "        return bits_as<V>(v); }", \
  "    TINY_ROWS(load_turned, \".trans\") TINY_ROWS(load_rows, \"\")", \
  "  #endif", \
  "  TINY_MATRIX_2(sm75_m16n8k8_f16, \"m16n8k8.row.col.f32.f16.f16.f32\", f16, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k16_f16, \"m16n8k16.row.col.f32.f16.f16.f32\", f16, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k16_bf16, \"m16n8k16.row.col.f32.bf16.bf16.f32\", bf16, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k8_tf32, \"m16n8k8.row.col.f32.tf32.tf32.f32\", tf32, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k32_i8, \"m16n8k32.row.col.s32.s8.s8.s32\", i8, int, \"+r\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e4m3, \"m16n8k32.row.col.f32.e4m3.e4m3.f32\", e4m3, float, \"+f\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e5m2, \"m16n8k32.row.col.f32.e5m2.e5m2.f32\", e5m2, float, \"+f\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e4m3_e5m2, \"m16n8k32.row.col.f32.e4m3.e5m2.f32\", e4m3_e5m2, float, \"+f\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e5m2_e4m3, \"m16n8k32.row.col.f32.e5m2.e4m3.f32\", e5m2_e4m3, float, \"+f\")", \
  "#endif"

// Copies to shared memory that items do not wait for: PTX ISA, cp.async, from sm_80 on. What is no 16 bytes is kept in
// L1, as the instruction wants it.
#define TN_CUDA_COPIES \
  "#ifndef __HIP__", \
  "  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800", \
  "    #define COPY(how, n) asm volatile(\"{ .reg .u64 at; .reg .u32 to; cvta.to.shared.u64 at, %0; \" \\", \
  "      \"cvt.u32.u64 to, at; cp.async.\" how \".shared.global [to], [%1], \" #n \", %2; }\" \\", \
  "      :: \"l\"(to), \"l\"(from), \"r\"(there ? n : 0) : \"memory\")", \
  "    template <int n> FN void wait_copies() {", \
  "      asm volatile(\"cp.async.commit_group; cp.async.wait_group %0;\" :: \"n\"(n) : \"memory\");", "    }", \
  "  #else", \
  "    #define COPY(how, n) EACH(n / sizeof(U)) to[i] = bits_as<T>(there ? from[i] : U())", \
  "    template <int n> FN void wait_copies() {}", \
  "  #endif", \
  "  template <typename V, typename T, typename U> FN void copy_later(T *to, const U *from, bool there) {", \
  "    if (sizeof(V) == 16) COPY(\"cg\", 16);", "    else if (sizeof(V) == 8) COPY(\"ca\", 8);", \
  "    else COPY(\"ca\", 4);", "  }", \
  "#endif"

// One text for both compilers: what they spell differently, and what each has of its own, stands in the first two #ifs.
// Tests compile it on the host, which has no PTX, and defines TINY_AT and TINY_SHARED. wrap(x) is x as its sums wrap.
// PTX ISA, cvt: .bf16 from sm_80 on. AMD's GPUs read vectors at any address that elements may have (LLVM, User Guide
// for AMDGPU, unaligned-access-mode). Launch bounds name one group: where they name none ptxas spills for a third.
static const char *const tn_cuda_prelude[] = {
  "#ifdef __HIP__",
  "  #ifndef __global__",
  "    #define __global__ __attribute__((global))", "    #define __device__ __attribute__((device))",
  "    #define __shared__ __attribute__((shared))",
  "  #endif",
  "  #define FN __device__ inline __attribute__((always_inline))",
  "  #define GROUP_0 __builtin_amdgcn_workgroup_id_x()", "  #define GROUP_1 __builtin_amdgcn_workgroup_id_y()",
  "  #define GROUP_2 __builtin_amdgcn_workgroup_id_z()", "  #define ITEM_0 __builtin_amdgcn_workitem_id_x()",
  "  #define ITEM_1 __builtin_amdgcn_workitem_id_y()", "  #define ITEM_2 __builtin_amdgcn_workitem_id_z()",
  "  #define ITEMS(n0, n1)",
  "  #define VALUES tiny_words v", "  #define BOUNDS(n) __attribute__((amdgpu_flat_work_group_size(n, n)))",
  "  #define TINY_AT(type, word) (type *)(__attribute__((address_space(1))) type *)(word)",     // global, not flat
  "  #define AS_FLOAT(x) __builtin_bit_cast(float, x)",
  "  #define TINY_ADD(p, x) __hip_atomic_fetch_add(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)",
  "  #define root32 __builtin_sqrtf", "  #define root64 __builtin_sqrt",
  "  #if __has_builtin(__builtin_amdgcn_exp2f)", "    #define normal_power2 __builtin_amdgcn_exp2f",
  "  #else", "    #define normal_power2 __builtin_exp2f", "  #endif",
  "  FN float power2(float x) { return normal_power2(x < -126 ? x + 64 : x) * (x < -126 ? 5.42101086e-20f : 1); }",
  "  #define whole32 __builtin_truncf", "  #define whole64 __builtin_trunc",
  // LLVM 19 leaves the wait of a fence out where nothing is on its way when a loop is entered, but is when it comes
  // round (SIInsertWaitcnts); what is asked for stays. The numbers: lgkmcnt 0, no wait for others.
  "  #if defined(__GFX12__) && __clang_major__ >= 19",
  "    __device__ void wait_shared(unsigned short) __asm(\"llvm.amdgcn.s.wait.dscnt\");",
  "  #elif defined(__GFX12__)", "    #define wait_shared(n) asm volatile(\"s_wait_dscnt 0x0\" ::: \"memory\")",
  "  #elif defined(__GFX11__)", "    #define wait_shared(n) __builtin_amdgcn_s_waitcnt(0xFC07)",
  "  #else", "    #define wait_shared(n) __builtin_amdgcn_s_waitcnt(0xC07F)", "  #endif",
  "  FN void meet() {",
  "    __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");", "    wait_shared(0);",
  "    __builtin_amdgcn_s_barrier();",
  "    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");", "  }",
  "  FN int lane_word(int x, int mask) {",
  "    const int lane = (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));",
  "    return __builtin_amdgcn_ds_bpermute((lane ^ mask) * 4, x);", "  }",
  "#else",
  "  #define FN __device__ __forceinline__",
  "  #define GROUP_0 blockIdx.x", "  #define GROUP_1 blockIdx.y", "  #define GROUP_2 blockIdx.z",
  "  #define ITEMS(n0, n1) const unsigned ITEM_0 = threadIdx.x % (n0), ITEM_1 = threadIdx.x / (n0) % (n1), \\",
  "    ITEM_2 = threadIdx.x / ((n0) * (n1));",
  "  #define VALUES const __grid_constant__ tiny_words v", "  #define BOUNDS(n) __launch_bounds__(n, 1)",
  "  #define AS_FLOAT(x) __int_as_float(x)", "  #define lane_word(x, mask) __shfl_xor_sync(0xFFFFFFFFu, x, mask)",
  "  #ifndef TINY_ADD",
  "    #define TINY_ADD(p, x) atomicAdd(p, x)",
  "  #endif",
  "  #define root32 sqrtf", "  #define root64 sqrt", "  #define whole32 truncf", "  #define whole64 trunc",
  "  #ifdef __CUDA_ARCH__",
  "    FN float power2(float x) { float y; asm(\"ex2.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x)); return y; }",
  "  #else", "    FN float power2(float x) { return __builtin_exp2f(x); }", "  #endif",
  "#endif",
  "#define EACH(n) _Pragma(\"unroll\") for (int i = 0; i < (int)(n); i++)",
  "template <typename to, typename from> FN to bits_as(from x) { union { from f; to t; } u; u.f = x; return u.t; }",
  "#ifdef __HIP__",
  "  typedef _Float16 f16;", "  FN f16 wrap(f16 x) { return x; }",
  "  template <typename V, typename T> struct __attribute__((packed, aligned(alignof(T)))) placed { V v; };",
  "  template <typename V, typename T> FN V load(const T *p) { return ((const placed<V, T> *)p)->v; }",
  "  template <typename V, typename T> FN void store(T *p, V v) { ((placed<V, T> *)p)->v = v; }",
  "  FN float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }",
  "  FN double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }",
  "#else",
  "  #ifdef __CUDA_ARCH__",
  "    FN unsigned short f16_bits(float x) {",
  "      unsigned short y; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y;", "    }",
  "    FN float f16_value(unsigned short x) {",
  "      float y; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x)); return y;", "    }",
  "  #else",
  "    FN unsigned short f16_bits(float x) { return bits_as<unsigned short>((_Float16)x); }",
  "    FN float f16_value(unsigned short x) { return (float)bits_as<_Float16>(x); }",
  "  #endif",
  "  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800",
  "    FN unsigned short bf16_bits(float x) {",
  "      unsigned short y; asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y;", "    }",
  "  #else",
  "    FN unsigned short bf16_bits(float x) {", "      const unsigned bits = bits_as<unsigned>(x);",
  "      return x != x ? 0x7FC0 : (unsigned short)((bits + (bits >> 16 & 1) + 0x7FFF) >> 16);", "    }",
  "  #endif",
  "  FN float bf16_value(unsigned short x) { return AS_FLOAT((int)x << 16); }",
  "  #define NARROW(T) struct T { unsigned short bits; T() = default; FN explicit T(float x) : bits(T##_bits(x)) {} \\",
  "    FN operator float() const { return T##_value(bits); } \\",
  "    FN T operator-() const { T y; y.bits = bits ^ 0x8000; return y; } }; FN float wrap(T x) { return x; }",
  "  NARROW(f16) NARROW(bf16)",
  "  #define ALIGNED(p, V) ((unsigned long long)(p) % alignof(V) == 0)",
  "  template <typename V, typename T> FN V load(const T *p) {",
  "    if (ALIGNED(p, V)) return *(const V *)p;", "    V v; EACH(V::count) v.at[i] = p[i]; return v;", "  }",
  "  template <typename V, typename T> FN void store(T *p, V v) {",
  "    if (ALIGNED(p, V)) *(V *)p = v; else EACH(V::count) p[i] = v.at[i];", "  }",
  "#endif",
  "#ifndef TINY_AT",
  "  #define TINY_AT(type, word) (type *)(word)",
  "#endif",
  "struct tiny_words { unsigned long long word[128]; };",
  "extern \"C\" { __device__ int tiny_values = 128; }",
  "#ifndef TINY_SHARED",
  "  extern __attribute__((aligned(16))) __shared__ double tiny_shared[];",
  "  #define TINY_SHARED tiny_shared",
  "#endif",
  "FN unsigned wrap(signed char x) { return (unsigned)x; }", "FN unsigned wrap(unsigned char x) { return x; }",
  "FN unsigned wrap(short x) { return (unsigned)x; }", "FN unsigned wrap(unsigned short x) { return x; }",
  "FN unsigned wrap(int x) { return (unsigned)x; }", "FN unsigned wrap(unsigned x) { return x; }",
  "FN unsigned long long wrap(long long x) { return (unsigned long long)x; }",
  "FN unsigned long long wrap(unsigned long long x) { return x; }",
  "FN float wrap(float x) { return x; }", "FN double wrap(double x) { return x; }",
  "FN float root(float x) { return root32(x); }", "FN double root(double x) { return root64(x); }",
  "FN float whole(float x) { return whole32(x); }", "FN double whole(double x) { return whole64(x); }",
  // x of the lane whose number is this one's ^ mask, in words of 32 bits
  "template <typename T> FN T exchanged(T x, int mask) {",
  "  union { T value; int word[(sizeof(T) + 3) / 4]; } u; u.word[0] = 0; u.value = x;",
  "  EACH((sizeof(T) + 3) / 4) u.word[i] = lane_word(u.word[i], mask);", "  return u.value;", "}",
  "template <typename to> FN to value_of(unsigned long long word) { return bits_as<to>(word); }",
  // sums of elements that others add to as well
  "FN void add_to(int *p, int x) { TINY_ADD(p, x); }", "FN void add_to(unsigned *p, unsigned x) { TINY_ADD(p, x); }",
  "FN void add_to(float *p, float x) { TINY_ADD(p, x); }", "FN void add_to(double *p, double x) { TINY_ADD(p, x); }",
  "FN void add_to(unsigned long long *p, unsigned long long x) { TINY_ADD(p, x); }",
  "FN void add_to(long long *p, long long x) { add_to((unsigned long long *)p, (unsigned long long)x); }",
  // vectors: loops that compilers unroll
  "template <typename T, int n> struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) lanes {",
  "  typedef T element; enum { count = n }; T at[n];", "};",
  "#define VECTORS template <typename T, int n> FN",
  "#define LANES1(name, value) VECTORS lanes<T, n> name(lanes<T, n> x) { \\",
  "  lanes<T, n> z; EACH(n) z.at[i] = (T)(value); return z; }",
  "#define LANES2(name, value) VECTORS lanes<T, n> name(lanes<T, n> x, lanes<T, n> y) { \\",
  "  lanes<T, n> z; EACH(n) z.at[i] = (T)(value); return z; }",
  "#define COMPARE(op) VECTORS lanes<bool, n> operator op(lanes<T, n> x, lanes<T, n> y) { \\",
  "  lanes<bool, n> z; EACH(n) z.at[i] = x.at[i] op y.at[i]; return z; }",
  "LANES2(operator+, wrap(x.at[i]) + wrap(y.at[i])) LANES2(operator-, wrap(x.at[i]) - wrap(y.at[i]))",
  "LANES2(operator*, wrap(x.at[i]) * wrap(y.at[i])) LANES2(operator/, x.at[i] / y.at[i])",
  "LANES2(operator%, x.at[i] % y.at[i]) LANES2(operator&, x.at[i] & y.at[i]) LANES2(operator|, x.at[i] | y.at[i])",
  "LANES2(operator^, x.at[i] ^ y.at[i]) LANES2(operator<<, wrap(x.at[i]) << y.at[i])",
  "LANES2(operator>>, x.at[i] >> y.at[i]) LANES1(operator-, -wrap(x.at[i])) LANES1(root, root(x.at[i]))",
  "LANES1(whole, whole(x.at[i])) LANES1(power2, power2(x.at[i])) COMPARE(<) COMPARE(!=) COMPARE(==)",
  "VECTORS lanes<T, n> choose(lanes<bool, n> m, lanes<T, n> x, lanes<T, n> y) {",
  "  EACH(n) x.at[i] = m.at[i] ? x.at[i] : y.at[i]; return x;", "}",
  "#ifdef __HIP__",
  "  VECTORS lanes<T, n> fused(lanes<T, n> x, lanes<T, n> y, lanes<T, n> z) {",
  "    EACH(n) z.at[i] = fused(x.at[i], y.at[i], z.at[i]); return z;", "  }",
  "#endif",
  "template <typename V, typename W> FN V converted(W x) {",
  "  V y; EACH(V::count) y.at[i] = (typename V::element)x.at[i]; return y;", "}",
  "template <typename V, typename T> FN V spread(T x) {",
  "  V y; EACH(V::count) y.at[i] = (typename V::element)x; return y;", "}",
  "template <typename H, typename V> FN H half_of(V v, int from) {",
  "  H h; EACH(H::count) h.at[i] = v.at[from + i]; return h;", "}",
  "template <typename V, typename T, typename M> FN V load_masked(const T *p, M m, V y) {",
  "  EACH(V::count) if (m.at[i]) y.at[i] = p[i]; return y;", "}",
  "template <typename V, typename T, typename M> FN void store_masked(T *p, V v, M m) {",
  "  EACH(V::count) if (m.at[i]) p[i] = v.at[i];", "}",
  "template <typename V, typename T, typename I> FN V gather(const T *p, I k) {",
  "  V v; EACH(V::count) v.at[i] = p[k.at[i]]; return v;", "}",
  "template <typename V, typename T, typename I, typename M> FN V gather_masked(const T *p, I k, M m, V y) {",
  "  EACH(V::count) if (m.at[i]) y.at[i] = p[k.at[i]]; return y;", "}",
  "template <typename V, typename T, typename I> FN void scatter(T *p, I k, V v) {",
  "  EACH(V::count) p[k.at[i]] = v.at[i];", "}",
  "template <typename V, typename T, typename I, typename M> FN void scatter_masked(T *p, I k, V v, M m) {",
  "  EACH(V::count) if (m.at[i]) p[k.at[i]] = v.at[i];", "}",
  TN_CUDA_COPIES,
  TN_CUDA_UNITS,
  NULL
};

// exact: of what cannot wrap; vector NULL: as scalar.
static const struct { int op; const char *scalar, *exact, *vector; } tn_cuda_ops[] = {
  {TINY_OP_NEG, "(%t)(-wrap(%0))", "-%0", "-%0"}, {TINY_OP_ADD, "(%t)(wrap(%0) + wrap(%1))", "%0 + %1", "%0 + %1"},
  {TINY_OP_SUB, "(%t)(wrap(%0) - wrap(%1))", "%0 - %1", "%0 - %1"},
  {TINY_OP_MUL, "(%t)(wrap(%0) * wrap(%1))", "%0 * %1", "%0 * %1"},
  {TINY_OP_FDIV, "(%t)(%0 / %1)", "%0 / %1", "%0 / %1"},
  {TINY_OP_CDIV, "(%t)(%0 / %1)", "%0 / %1", "%0 / %1"}, {TINY_OP_CMOD, "(%t)(%0 %% %1)", "%0 %% %1", "%0 %% %1"},
  {TINY_OP_AND, "(%t)(%0 & %1)", "%0 & %1", "%0 & %1"}, {TINY_OP_OR, "(%t)(%0 | %1)", "%0 | %1", "%0 | %1"},
  {TINY_OP_XOR, "(%t)(%0 ^ %1)", "%0 ^ %1", "%0 ^ %1"}, {TINY_OP_SHL, "(%t)(wrap(%0) << %1)", NULL, "%0 << %1"},
  {TINY_OP_SHR, "(%t)(%0 >> %1)", "%0 >> %1", "%0 >> %1"}, {TINY_OP_LT, "%0 < %1", NULL, NULL},
  {TINY_OP_NE, "%0 != %1", NULL, NULL}, {TINY_OP_EQ, "%0 == %1", NULL, NULL},
  {TINY_OP_WHERE, "%0 ? %1 : %2", NULL, "choose(%0, %1, %2)"},
  {TINY_OP_SQRT, "(%t)root(%0)", "root(%0)", "root(%0)"}, {TINY_OP_TRUNC, "(%t)whole(%0)", "whole(%0)", "whole(%0)"},
  {TINY_OP_EXP2, "power2(%0)", NULL, NULL},
  {TINY_OP_CAST, "(%t)%0", NULL, "converted<%t>(%0)"}, {TINY_OP_BITCAST, "bits_as<%t>(%0)", NULL, NULL},
  {TINY_OP_BROADCAST, "%0", NULL, "spread<%t>(%0)"}, {TINY_OP_PICK, "%0.at[%k]", NULL, NULL},
  {TINY_OP_STACK, "%t{{%a}}", NULL, NULL}, {TINY_OP_SHUFFLE, "exchanged(%0, %k)", NULL, NULL},
  {TINY_OP_LOAD, "*(%0)", NULL, NULL}, {TINY_OP_STORE, "*(%0) = %1", NULL, NULL},
  {TINY_OP_WMMA, "matrix_%n(%0, %1, %2)", NULL, NULL}
};

// arch: from which on there is one; of other GPUs than NVIDIA's 0.
static const struct { int dtype, arch; const char *type, *literal; } tn_cuda_types[] = {
  {TINY_VOID, 0, "void", NULL}, {TINY_BOOL, 0, "bool", "(bool)%k"}, {TINY_I8, 0, "signed char", NULL},
  {TINY_U8, 0, "unsigned char", NULL}, {TINY_I16, 0, "short", NULL}, {TINY_U16, 0, "unsigned short", NULL},
  {TINY_I32, 0, "int", "%k"}, {TINY_U32, 0, "unsigned", "%ku"}, {TINY_I64, 0, "long long", "%kll"},
  {TINY_U64, 0, "unsigned long long", "%kull"}, {TINY_F16, 0, "f16", "(f16)%kf"},
  {TINY_BF16, 80, "bf16", "(bf16)%kf"}, {TINY_F32, 0, "float", "%kf"}, {TINY_F64, 0, "double", "%k"}
};

// limits.atomics: CUDA C++ Programming Guide, atomicAdd, of doubles from 6.0 on; clang's __hip_atomic_fetch_add, which
// is a loop of exchanges where a GPU has no such instruction.
#define TN_CUDA_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_I64 | \
                         (uint64_t)1 << TINY_U64 | (uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)

static void tn_lang_cuda(tiny_renderer *r, int arch) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "CUDA C"; r->file = "cu";
  r->flags = TINY_TARGET_OPTIMIZES | TINY_TARGET_ALIGNED; r->exp2_ulps = 4;
  l->prelude = tn_cuda_prelude;
  l->kernel = "extern \"C\" __global__ void BOUNDS(%0 * %1 * %2) %n(VALUES) {\n  ITEMS(%0, %1)";
  l->end = "}";
  l->open_buffer = "%t *const %n = TINY_AT(%t, v.word[%k]);";
  l->open_scalar = "const %t %n = value_of<%t>(v.word[127 - %k]);";
  l->local = "alignas(16) __shared__ %t %n[%k];";
  l->local_given = "%t *const %n = (%t *)((char *)TINY_SHARED + %k);";
  l->barrier = "__syncthreads();";
  l->global_id = "(%t)GROUP_%d"; l->local_id = "(%t)ITEM_%d";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->infinity = "(%t)AS_FLOAT(0x7F800000)"; l->nan = "(%t)AS_FLOAT(0x7FC00000)"; l->zero = "spread<%t>(0)";
  l->vector = "lanes<%e, %l>";
  l->address = "%0 + %1";
  l->load_aligned = "*(const %t *)(%0)"; l->store_aligned = "*(%t *)(%0) = %1";
  l->load_turned = "load_turned<%t>(%0)"; l->load_rows = "load_rows<%t>(%0)";
  if (arch >= 80) { l->copy = "copy_later<%t>(%0, %1, %2)"; l->wait = "wait_copies<%k>();"; }
  l->load = "load<%t>(%0)"; l->load_masked = "load_masked(%0, %1, %2)";
  l->gather = "gather<%t>(%0, %1)"; l->gather_masked = "gather_masked(%0, %1, %2, %3)";
  l->store = "store(%0, %1)"; l->store_masked = "store_masked(%0, %1, %2)";
  l->scatter = "scatter(%0, %1, %2)"; l->scatter_masked = "scatter_masked(%0, %1, %2, %3)";
  l->low = "half_of<%t>(%0, 0)"; l->high = "half_of<%t>(%0, %l)";
  for (size_t i = 0; i < sizeof tn_cuda_types / sizeof *tn_cuda_types; i++) {
    if (tn_cuda_types[i].arch > arch) continue;
    l->types[tn_cuda_types[i].dtype] = tn_cuda_types[i].type;
    l->literals[tn_cuda_types[i].dtype] = tn_cuda_types[i].literal;
    if (TN_CUDA_ATOMICS >> tn_cuda_types[i].dtype & 1) l->atomics[tn_cuda_types[i].dtype] = "add_to(%0, %1)";
  }
  for (size_t i = 0; i < sizeof tn_cuda_ops / sizeof *tn_cuda_ops; i++) {
    l->ops[tn_cuda_ops[i].op] = tn_cuda_ops[i].scalar;
    l->eops[tn_cuda_ops[i].op] = tn_cuda_ops[i].exact;
    l->vops[tn_cuda_ops[i].op] = tn_cuda_ops[i].vector;
  }
}
#endif
// ---- end src/amd/../render/lang_cuda.c ----
// ---- begin src/amd/../render/lang_hip.c ----
// lang_hip: the descriptor of HIP C: that of CUDA C (lang_cuda.c) but for what AMD's GPUs and clang have otherwise.
//
// Out: tn_lang_hip fills a tiny_renderer.
#ifndef TN_RENDER_LANG_HIP
#define TN_RENDER_LANG_HIP
#ifndef TINY_AMALGAMATED
#include "lang_cuda.c"
#endif

// gfx: "gfx1100". All of them take one text.
static void tn_lang_hip(tiny_renderer *r, const char *gfx) {
  (void)gfx;
  tn_lang_cuda(r, 0);
  r->name = "HIP C"; r->file = "hip"; r->exp2_ulps = 1;
  r->language.load_turned = r->language.load_rows = NULL;
  r->language.barrier = "meet();";
  // It is compiled with -ffp-contract=off: what is one operation is what the list says (codegen/fuse.c).
  r->language.ops[TINY_OP_FMA] = r->language.vops[TINY_OP_FMA] = "fused(%0, %1, %2)";
  // Copies of iterations are the schedule's to make: clang makes them of all whose number is known, up to 256 registers
  // and beyond (HIP's programming guide, "Unrolling loops").
  r->language.range = "_Pragma(\"nounroll\") for (%t %n = %1; %n < %0; %n++) {";
}
#endif
// ---- end src/amd/../render/lang_hip.c ----
// ---- begin src/amd/structs.c ----
// structs: what amdgpu's compute interface (KFD) takes: own declarations.
//
// Holds: the compiler asserts their sizes. KFD takes a call by its number, and fills what is missing with zeros: a
//        newer driver takes an older struct.
// What is what: Linux, include/uapi/linux/kfd_ioctl.h (names there stand behind ours); ROCR-Runtime,
// core/inc/amd_hsa_queue.h, amd_hsa_signal.h, HSA Runtime Programmer's Reference Manual (AQL).
#ifndef TN_KFD_STRUCTS
#define TN_KFD_STRUCTS
#include <stddef.h>
#include <stdint.h>

enum {                                     // AMDKFD_IOC_*, and which way an argument goes
  TN_KFD_READ = 2, TN_KFD_WRITE = 1, TN_KFD_BOTH = 3,
  TN_KFD_GET_VERSION = 0x01, TN_KFD_CREATE_QUEUE = 0x02, TN_KFD_DESTROY_QUEUE = 0x03, TN_KFD_CREATE_EVENT = 0x08,
  TN_KFD_DESTROY_EVENT = 0x09, TN_KFD_WAIT_EVENTS = 0x0C, TN_KFD_ACQUIRE_VM = 0x15, TN_KFD_ALLOC = 0x16,
  TN_KFD_FREE = 0x17, TN_KFD_MAP = 0x18, TN_KFD_UNMAP = 0x19, TN_KFD_IMPORT = 0x1D, TN_KFD_AVAILABLE = 0x23,
  TN_KFD_EXPORT = 0x24
};
#define TN_KFD_REQUEST(way, number, nbytes) \
  ((unsigned long)(way) << 30 | (unsigned long)(nbytes) << 16 | 0x4B00ul | (unsigned long)(number))

typedef struct tn_kfd_version { uint32_t major, minor; } tn_kfd_version;
typedef struct tn_kfd_create_queue {       // kfd_ioctl_create_queue_args
  uint64_t ring, wptr, rptr, doorbell; uint32_t ring_nbytes, gpu, type, percentage, priority, id;
  uint64_t eop, eop_nbytes, save; uint32_t save_nbytes, control_nbytes, sdma_engine, unused;
} tn_kfd_create_queue;
enum { TN_KFD_QUEUE_COMPUTE = 0, TN_KFD_QUEUE_SDMA = 1, TN_KFD_QUEUE_AQL = 2 };
typedef struct tn_kfd_destroy_queue { uint32_t id, unused; } tn_kfd_destroy_queue;
typedef struct tn_kfd_create_event {       // kfd_ioctl_create_event_args
  uint64_t page; uint32_t trigger, type, auto_reset, node, id, slot;
} tn_kfd_create_event;
enum { TN_KFD_EVENT_SIGNAL = 0, TN_KFD_EVENT_HW_EXCEPTION = 3, TN_KFD_EVENT_MEMORY = 8,
  TN_KFD_EVENT_PAGE = 4096 * 8 };          // KFD_SIGNAL_EVENT_LIMIT slots of 8 bytes
typedef struct tn_kfd_destroy_event { uint32_t id, unused; } tn_kfd_destroy_event;
// kfd_event_data: of a memory fault {not present, read only, no execute, imprecise}, the address, the GPU; of a
// hardware exception {kind of reset, cause, memory lost, the GPU}.
typedef struct tn_kfd_event_data {
  union {
    struct { uint32_t missing, read_only, no_execute, imprecise; uint64_t va; uint32_t gpu, kind; } memory;
    struct { uint32_t reset, cause, memory_lost, gpu; } exception;
  } of;
  uint64_t next; uint32_t id, unused;
} tn_kfd_event_data;
typedef struct tn_kfd_wait_events {        // kfd_ioctl_wait_events_args
  uint64_t events; uint32_t n, all, timeout_ms, result;
} tn_kfd_wait_events;
enum { TN_KFD_WAIT_COMPLETE = 0, TN_KFD_WAIT_TIMEOUT = 1, TN_KFD_WAIT_FAIL = 2 };
typedef struct tn_kfd_acquire_vm { uint32_t fd, gpu; } tn_kfd_acquire_vm;
typedef struct tn_kfd_alloc {              // kfd_ioctl_alloc_memory_of_gpu_args
  uint64_t va, nbytes, handle, mmap_offset; uint32_t gpu, flags;
} tn_kfd_alloc;
enum {                                     // KFD_IOC_ALLOC_MEM_FLAGS_*
  TN_KFD_VRAM = 1 << 0, TN_KFD_GTT = 1 << 1, TN_KFD_USERPTR = 1 << 2, TN_KFD_UNCACHED = 1 << 25,
  TN_KFD_COHERENT = 1 << 26, TN_KFD_NO_SUBSTITUTE = 1 << 28, TN_KFD_PUBLIC = 1 << 29, TN_KFD_EXECUTABLE = 1 << 30
};
#define TN_KFD_WRITABLE (1u << 31)
typedef struct tn_kfd_free { uint64_t handle; } tn_kfd_free;
typedef struct tn_kfd_map { uint64_t handle, gpus; uint32_t n, done; } tn_kfd_map;       // of MAP and UNMAP
typedef struct tn_kfd_import { uint64_t va, handle; uint32_t gpu, fd; } tn_kfd_import;
typedef struct tn_kfd_export { uint64_t handle; uint32_t flags, fd; } tn_kfd_export;
typedef struct tn_kfd_available { uint64_t nbytes; uint32_t gpu, unused; } tn_kfd_available;

// ** what firmware reads **

// amd_signal_t: value counts down; times are of the GPU's clock.
typedef struct tn_kfd_signal {
  int64_t kind, value; uint64_t mailbox; uint32_t event, unused; uint64_t begin, end, queue, unused2;
} tn_kfd_signal;
// amd_queue_t, of which firmware takes the fields with names. hsa: type, features, ring, doorbell, size, id.
typedef struct tn_kfd_queue_page {
  uint64_t hsa[5]; uint64_t unused0[2], write; uint32_t group_aperture, private_aperture, most_unit, most_wave;
  uint64_t legacy_doorbell; uint32_t legacy_lock, unused1[9]; uint64_t read; uint32_t read_base, tmpring, srd[4];
  uint64_t scratch, scratch_nbytes; uint32_t lane_nbytes, properties, unused2[2]; uint64_t inactive;
    uint32_t unused3[14];
} tn_kfd_queue_page;
enum { TN_KFD_QUEUE_IS_64 = 2, TN_KFD_QUEUE_PROFILES = 8 };
typedef struct tn_kfd_aql_dispatch {       // hsa_kernel_dispatch_packet_t
  uint16_t header, setup, local[3], unused0; uint32_t items[3], scratch, shared; uint64_t kernel, args, unused1, signal;
} tn_kfd_aql_dispatch;
typedef struct tn_kfd_aql_words {          // amd_aql_pm4_ib
  uint16_t header, vendor; uint32_t jump[4], left, unused[8]; uint64_t signal;
} tn_kfd_aql_words;
enum {                                     // hsa_packet_header_t: type, barrier, acquire and release of the system
  TN_AQL_VENDOR = 0, TN_AQL_INVALID = 1, TN_AQL_DISPATCH = 2, TN_AQL_BARRIER_AND = 3,
  TN_AQL_BARRIER = 1 << 8, TN_AQL_ACQUIRE_AGENT = 1 << 9, TN_AQL_ACQUIRE = 2 << 9, TN_AQL_RELEASE_AGENT = 1 << 11,
  TN_AQL_RELEASE = 2 << 11, TN_AQL_WORDS = 1 /* AMD_AQL_FORMAT_PM4_IB */
};

#ifdef __cplusplus
#define TN_KFD_SIZE(type, nbytes) static_assert(sizeof(type) == nbytes, #type)
#define TN_KFD_AT(type, member, offset) static_assert(offsetof(type, member) == offset, #type)
#else
#define TN_KFD_SIZE(type, nbytes) _Static_assert(sizeof(type) == nbytes, #type)
#define TN_KFD_AT(type, member, offset) _Static_assert(offsetof(type, member) == offset, #type)
#endif
TN_KFD_SIZE(tn_kfd_version, 8); TN_KFD_SIZE(tn_kfd_create_queue, 96); TN_KFD_AT(tn_kfd_create_queue, doorbell, 0x18);
TN_KFD_AT(tn_kfd_create_queue, id, 0x34); TN_KFD_AT(tn_kfd_create_queue, save_nbytes, 0x50);
TN_KFD_SIZE(tn_kfd_destroy_queue, 8); TN_KFD_SIZE(tn_kfd_create_event, 32); TN_KFD_AT(tn_kfd_create_event, id, 0x18);
TN_KFD_SIZE(tn_kfd_event_data, 48); TN_KFD_AT(tn_kfd_event_data, of.memory.va, 0x10);
TN_KFD_AT(tn_kfd_event_data, id, 0x28); TN_KFD_SIZE(tn_kfd_wait_events, 24); TN_KFD_SIZE(tn_kfd_acquire_vm, 8);
TN_KFD_SIZE(tn_kfd_alloc, 40); TN_KFD_AT(tn_kfd_alloc, flags, 0x24); TN_KFD_SIZE(tn_kfd_free, 8);
TN_KFD_SIZE(tn_kfd_map, 24); TN_KFD_SIZE(tn_kfd_import, 24); TN_KFD_SIZE(tn_kfd_export, 16);
TN_KFD_SIZE(tn_kfd_available, 16);
TN_KFD_SIZE(tn_kfd_signal, 64); TN_KFD_AT(tn_kfd_signal, begin, 0x20);
TN_KFD_SIZE(tn_kfd_queue_page, 0x100); TN_KFD_AT(tn_kfd_queue_page, write, 0x38);
TN_KFD_AT(tn_kfd_queue_page, read, 0x80); TN_KFD_AT(tn_kfd_queue_page, tmpring, 0x8C);
TN_KFD_AT(tn_kfd_queue_page, scratch, 0xA0); TN_KFD_AT(tn_kfd_queue_page, properties, 0xB4);
TN_KFD_SIZE(tn_kfd_aql_dispatch, 64); TN_KFD_AT(tn_kfd_aql_dispatch, kernel, 0x20);
TN_KFD_SIZE(tn_kfd_aql_words, 64); TN_KFD_AT(tn_kfd_aql_words, signal, 0x38);
#undef TN_KFD_SIZE
#undef TN_KFD_AT
#endif
// ---- end src/amd/structs.c ----
// ---- begin src/amd/files.c ----
// files: what the kernel's files say of GPUs, and files of this process that are open.
//
// In:  a path. Out: the beginning of the file; a descriptor of what is open already; below 0 -errno.
#ifndef TN_KFD_FILES
#define TN_KFD_FILES
#ifndef TINY_AMALGAMATED
#include "../base/driver.c"
#endif

#ifdef __linux__
// The beginning of a file, such as sysfs has, and a 0 behind it: how many bytes.
static int tn_kfd_read(void *user, const char *path, char *out, size_t nbytes) {
  (void)user;
  const int fd = open(path, O_RDONLY | TN_DRIVER_CLOEXEC);
  size_t n = 0;
  if (fd < 0) return -errno;
  while (n + 1 < nbytes) {
    const ssize_t got = read(fd, out + n, nbytes - 1 - n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    n += (size_t)got;
  }
  close(fd);
  out[n] = 0;
  return (int)n;
}
// A new descriptor of the k-th of this process's open files of this path. -2 (ENOENT): there are no more.
static int tn_kfd_again(void *user, const char *path, int k) {
  enum { MOST = 4096, DUPFD_CLOEXEC = 1030 };              // asm-generic, F_DUPFD_CLOEXEC
  char name[40], to[256];
  (void)user;
  for (int fd = 0; fd < MOST; fd++) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(name, to, sizeof to - 1);
    if (n < 0) continue;
    to[n] = 0;
    if (strcmp(to, path) || k--) continue;
    const int again = fcntl(fd, DUPFD_CLOEXEC, 0);
    return again < 0 ? -errno : again;
  }
  return -2;
}
#else
static int tn_kfd_read(void *user, const char *path, char *out, size_t nbytes) {
  (void)user; (void)path; (void)out; (void)nbytes;
  return TN_DRIVER_NOT_HERE;
}
static int tn_kfd_again(void *user, const char *path, int k) {
  (void)user; (void)path; (void)k;
  return TN_DRIVER_NOT_HERE;
}
#endif
#endif
// ---- end src/amd/files.c ----
// ---- begin src/amd/system.c ----
// system: open, ioctl, mmap: the system's own (base/driver.c, files.c), or what a tiny_amd_system has in their place.
//
// In:    a tiny_amd_system, or NULL. Out: results as they come from the kernel: below 0 -errno; names of devices.
#ifndef TN_KFD_SYSTEM
#define TN_KFD_SYSTEM
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/digits.c"
#include "files.c"
#endif
#include <stdlib.h>

// All members but doorbell and compile, which may be NULL, are there.
static tiny_amd_system tn_kfd_system_of(const tiny_amd_system *given) {
  tiny_amd_system s;
  memset(&s, 0, sizeof s);
  if (given) s = *given;
  if (!s.open) s.open = tn_driver_open;
  if (!s.close) s.close = tn_driver_close;
  if (!s.ioctl) s.ioctl = tn_driver_ioctl;
  if (!s.mmap) s.mmap = tn_driver_mmap;
  if (!s.munmap) s.munmap = tn_driver_munmap;
  if (!s.read) s.read = tn_kfd_read;
  if (!s.again) s.again = tn_kfd_again;
  return s;
}
// Do both reach one driver?
static int tn_kfd_same_system(const tiny_amd_system *a, const tiny_amd_system *b) {
  return a->user == b->user && a->ioctl == b->ioctl;
}

// ** names of devices **

TINY_API tiny_amd_name tiny_amd_on(const tiny_amd_system *system, int number) {
  tiny_amd_name name;
  if (system) snprintf(name.text, sizeof name.text, "AMD:on-%llx-%d", (unsigned long long)(uintptr_t)system, number);
  else snprintf(name.text, sizeof name.text, "AMD:%d", number);
  return name;
}
// Of what stands behind "AMD:" the system and the number. 0: it names no device.
static int tn_kfd_which(const char *which, const tiny_amd_system **system, uint64_t *number) {
  const char *end = which;
  *system = NULL;
  if (!strncmp(which, "on-", 3)) {
    *system = (const tiny_amd_system *)(uintptr_t)tn_digits_value(which + 3, 16, &end);
    if (*end++ != '-') return 0;
  }
  *number = tn_digits_value(end, 10, &end);
  return !*end;
}
#endif
// ---- end src/amd/system.c ----
// ---- begin src/amd/kfd.c ----
// kfd: what amdgpu's compute interface is asked: calls, memory, events; what went wrong as a sentence.
//
// In:    a tn_kfd_driver, which tn_kfd_driver_open filled. Out: codes; in driver->why which call, and why.
// Holds: KFD's objects belong to the process, not to a file: what is made here is given back here, in the order that
//        KFD asks for, whoever else in the process uses the GPU.
#ifndef TN_KFD_DRIVER
#define TN_KFD_DRIVER
#ifndef TINY_AMALGAMATED
#include "structs.c"
#include "system.c"
#endif
#include <stdarg.h>

typedef struct tn_kfd_driver {
  tiny_amd_system sys;
  int kfd;                                 // file; -1: closed
  tn_kfd_version version;
  tiny_code code; char why[320];           // of what went wrong last
} tn_kfd_driver;

// ** what went wrong **

static tiny_code tn_kfd_wrong(tn_kfd_driver *k, tiny_code code, const char *format, ...) TN_DRIVER_PRINTF(3, 4);
static tiny_code tn_kfd_wrong(tn_kfd_driver *k, tiny_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(k->why, sizeof k->why, format, args);
  va_end(args);
  return k->code = code;
}
static tiny_code tn_kfd_errno(tn_kfd_driver *k, int result, const char *what) {
  if (result >= 0) return TINY_OK;
  return tn_kfd_wrong(k, result == -12 ? TINY_E_MEMORY : TINY_E_DEVICE, "%s: errno %d: %s", what, -result,
                      tn_driver_errno_text(-result));
}

// ** calls **

static int tn_kfd_ask(tn_kfd_driver *k, int way, int number, void *argument, size_t nbytes) {
  return k->sys.ioctl(k->sys.user, k->kfd, TN_KFD_REQUEST(way, number, nbytes), argument);
}
static tiny_code tn_kfd_call(tn_kfd_driver *k, int way, int number, void *argument, size_t nbytes, const char *what) {
  return tn_kfd_errno(k, tn_kfd_ask(k, way, number, argument, nbytes), what);
}
static uint64_t tn_kfd_pointer(const void *p) { return (uint64_t)(uintptr_t)p; }

// ** opened and closed **

static tiny_code tn_kfd_driver_open_file(tn_kfd_driver *k) {
  if (!TN_DRIVER_LINUX && k->sys.open == tn_driver_open)
    return tn_kfd_wrong(k, TINY_E_DEVICE, "AMD's kernel driver is used on Linux alone");
  k->kfd = k->sys.open(k->sys.user, "/dev/kfd", TN_DRIVER_OPEN);
  if (k->kfd == -2 || k->kfd == -6 || k->kfd == -19)
    return tn_kfd_wrong(k, TINY_E_DEVICE, "there is no driver of AMD's GPUs here (amdgpu): /dev/kfd: errno %d: %s",
                        -k->kfd, tn_driver_errno_text(-k->kfd));
  if (k->kfd == -13)
    return tn_kfd_wrong(k, TINY_E_DEVICE, "/dev/kfd: errno 13: you may not open it (EACCES): join its group, which is "
                        "render or video (usermod -aG render NAME)");
  return tn_kfd_errno(k, k->kfd, "/dev/kfd");
}
static tiny_code tn_kfd_driver_open(tn_kfd_driver *k, const tiny_amd_system *system) {
  memset(k, 0, sizeof *k);
  k->kfd = -1;
  k->sys = tn_kfd_system_of(system);
  tiny_code code = tn_kfd_driver_open_file(k);
  if (code == TINY_OK)
    code = tn_kfd_call(k, TN_KFD_READ, TN_KFD_GET_VERSION, &k->version, sizeof k->version,
                       "the driver's version (AMDKFD_IOC_GET_VERSION)");
  if (code != TINY_OK || (k->version.major == 1 && k->version.minor >= 6)) return code;
  return tn_kfd_wrong(k, TINY_E_DEVICE, "the kernel's interface for AMD's GPUs (KFD) is %u.%u; 1.6 to 1.x is wanted: "
                      "Linux 5.14 or later", (unsigned)k->version.major, (unsigned)k->version.minor);
}
static void tn_kfd_driver_close(tn_kfd_driver *k) {
  if (k->kfd >= 0) k->sys.close(k->sys.user, k->kfd);
  k->kfd = -1;
}
#endif
// ---- end src/amd/kfd.c ----
// ---- begin src/amd/chip.c ----
// chip: what differs between AMD's GPUs from CDNA3 and RDNA3 on, a row for each target.
//
// Holds: the row is chosen by gfx_target_version, which the driver tells, never by a name.
// What is what: targets, waves, registers, LDS: LLVM, User Guide for AMDGPU Backend, and AMDGPUBaseInfo.cpp. Bytes that
// a unit's state takes: Linux, drivers/gpu/drm/amd/amdkfd/kfd_queue.c, kfd_queue_ctx_save_restore_size. L2, and the
// last cache before memory: AMD, data sheets, and ISA guides of MI300, RDNA3 and RDNA4.
#ifndef TN_KFD_CHIP
#define TN_KFD_CHIP
#include <stddef.h>
#include <stdint.h>

typedef struct tn_kfd_chip {
  uint32_t version;                        // 110000: gfx1100
  const char *name, *card;
  int family, warp, waves;                 // of instructions: 9, 11, 12; lanes of a wave; waves of a SIMD
  uint32_t registers;                      // bytes of a unit's vector registers that are saved
  uint16_t cache_mib;                      // the last cache before memory
  int registers_most;                      // of a lane
} tn_kfd_chip;
static const tn_kfd_chip tn_kfd_chips[] = {
  {90402, "gfx942", "Instinct MI300", 9, 64, 8, 0x80000, 256, 512},
  {110000, "gfx1100", "Radeon RX 7900", 11, 32, 16, 0x60000, 96, 256},
  {110001, "gfx1101", "Radeon RX 7800", 11, 32, 16, 0x60000, 64, 256},
  {110002, "gfx1102", "Radeon RX 7600", 11, 32, 16, 0x40000, 32, 256},
  {110003, "gfx1103", "Radeon 780M", 11, 32, 16, 0x40000, 2, 256},
  {110500, "gfx1150", "Radeon 890M", 11, 32, 16, 0x40000, 2, 256},
  {110501, "gfx1151", "Radeon 8060S", 11, 32, 16, 0x60000, 32, 256},
  {120000, "gfx1200", "Radeon RX 9060", 12, 32, 16, 0x60000, 32, 256},
  {120001, "gfx1201", "Radeon RX 9070", 12, 32, 16, 0x60000, 64, 256}
};
enum { TN_KFD_CHIPS = sizeof tn_kfd_chips / sizeof *tn_kfd_chips };

// NULL: it is not known here.
static const tn_kfd_chip *tn_kfd_chip_of(uint32_t version) {
  for (int i = 0; i < TN_KFD_CHIPS; i++) if (tn_kfd_chips[i].version == version) return &tn_kfd_chips[i];
  return NULL;
}

// ** what is saved of waves when another queue has its turn (CWSR) **

typedef struct tn_kfd_save { uint64_t control, save, all; } tn_kfd_save;   // bytes; all: for every die, page by page

static uint64_t tn_kfd_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
// kfd_queue.c: CUs, arrays and engines are a die's; 0x28 bytes of a header; 32 bytes of a wave for debuggers.
static tn_kfd_save tn_kfd_save_of(const tn_kfd_chip *c, uint32_t units, uint32_t engines, uint32_t dies) {
  enum { PAGE = 4096, HEADER = 0x28, SCALARS = 0x4000, SHARED = 0x10000, STATE = 0x1000 };
  const uint64_t most9 = (uint64_t)engines * 512;
  uint64_t waves = (uint64_t)units * (c->family == 9 ? 40 : 32);
  if (c->family == 9 && waves > most9) waves = most9;
  tn_kfd_save s;
  s.control = tn_kfd_up(HEADER + waves * (c->family == 9 ? 8 : 12) + 8, PAGE);
  s.save = s.control + tn_kfd_up((uint64_t)units * (c->registers + SCALARS + SHARED + STATE), PAGE);
  s.all = tn_kfd_up((s.save + tn_kfd_up(waves * 32, 64)) * dies, PAGE);
  return s;
}
#endif
// ---- end src/amd/chip.c ----
// ---- begin src/amd/topology.c ----
// topology: which GPUs there are, as /sys/devices/virtual/kfd/kfd/topology tells.
//
// In:    a driver. Out: a tn_kfd_node for each node with a GPU that this process may see.
// What is what: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c (a node that a container hides reads as gpu_id 0 or
// not at all).
#ifndef TN_KFD_TOPOLOGY
#define TN_KFD_TOPOLOGY
#ifndef TINY_AMALGAMATED
#include "kfd.c"
#include "chip.c"
#endif

enum { TN_KFD_NODES = 64, TN_KFD_GPUS = 32, TN_KFD_FIRST_MINOR = 128 };

typedef struct tn_kfd_node {
  char name[64];
  int number;
  uint32_t gpu, version, minor;            // gpu: KFD's id; minor: of /dev/dri/renderD<minor>
  uint32_t simds, simds_per_unit, arrays, arrays_per_engine, waves, scratch_slots, dies, shared_kib;
  uint64_t nbytes;
  const tn_kfd_chip *chip;                 // NULL: it is not known here
} tn_kfd_node;
static uint32_t tn_kfd_units(const tn_kfd_node *n) { return n->simds / n->simds_per_unit; }
static uint32_t tn_kfd_engines(const tn_kfd_node *n) { return n->arrays / n->arrays_per_engine; }

// Of lines "name value" the value; 0: there is no such line.
static uint64_t tn_kfd_property(const char *text, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = text; *at; ) {
    if (!strncmp(at, name, n) && at[n] == ' ') return tn_digits_value(at + n + 1, 10, NULL);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  return 0;
}
static int tn_kfd_node_read(tn_kfd_driver *k, int number, const char *file, char *out, size_t nbytes) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/virtual/kfd/kfd/topology/nodes/%d/%s", number, file);
  out[0] = 0;
  return k->sys.read(k->sys.user, path, out, nbytes);
}
static uint32_t tn_kfd_at_least_1(uint64_t x) { return x ? (uint32_t)x : 1; }
static void tn_kfd_node_take(tn_kfd_node *n, const char *text) {
  static const char *const of_arrays[] = {"array_count", "simd_arrays_per_engine"};
  n->version = (uint32_t)tn_kfd_property(text, "gfx_target_version");
  n->minor = (uint32_t)tn_kfd_property(text, "drm_render_minor");
  n->simds = (uint32_t)tn_kfd_property(text, "simd_count");
  n->simds_per_unit = tn_kfd_at_least_1(tn_kfd_property(text, "simd_per_cu"));
  n->arrays = tn_kfd_at_least_1(tn_kfd_property(text, of_arrays[0]));
  n->arrays_per_engine = tn_kfd_at_least_1(tn_kfd_property(text, of_arrays[1]));
  n->waves = tn_kfd_at_least_1(tn_kfd_property(text, "max_waves_per_simd"));
  n->scratch_slots = tn_kfd_at_least_1(tn_kfd_property(text, "max_slots_scratch_cu"));
  n->dies = tn_kfd_at_least_1(tn_kfd_property(text, "num_xcc"));
  n->shared_kib = (uint32_t)tn_kfd_property(text, "lds_size_in_kb");
  n->nbytes = tn_kfd_property(text, "local_mem_size");
  n->chip = tn_kfd_chip_of(n->version);
}
// 1: it is a GPU's. 0: it is a CPU's, or hidden. Below 0: there is no node of this number.
static int tn_kfd_node_of(tn_kfd_driver *k, int number, tn_kfd_node *n) {
  char text[4096];
  memset(n, 0, sizeof *n);
  n->number = number;
  const int there = tn_kfd_node_read(k, number, "gpu_id", text, sizeof text);
  if (there == -1 || there == -13) return 0;
  if (there < 0) return there;
  n->gpu = (uint32_t)tn_digits_value(text, 10, NULL);
  if (!n->gpu || tn_kfd_node_read(k, number, "properties", text, sizeof text) <= 0) return 0;
  tn_kfd_node_take(n, text);
  if (tn_kfd_node_read(k, number, "mem_banks/0/properties", text, sizeof text) > 0 && !n->nbytes)
    n->nbytes = tn_kfd_property(text, "size_in_bytes");
  if (tn_kfd_node_read(k, number, "name", n->name, sizeof n->name) > 0) n->name[strcspn(n->name, "\n")] = 0;
  if (!n->name[0] && n->chip) snprintf(n->name, sizeof n->name, "%s", n->chip->card);
  return n->minor >= TN_KFD_FIRST_MINOR && n->simds ? 1 : 0;
}
// How many there are; the first n to out.
static int tn_kfd_nodes(tn_kfd_driver *k, tn_kfd_node *out, int n) {
  int found = 0;
  tn_kfd_node node;
  for (int i = 0; i < TN_KFD_NODES; i++) {
    const int there = tn_kfd_node_of(k, i, &node);
    if (there < 0) break;
    if (!there) continue;
    if (found < n) out[found] = node;
    found++;
  }
  return found;
}
// TINY_OK: kernels are made for it.
static tiny_code tn_kfd_known(tn_kfd_driver *k, const tn_kfd_node *n) {
  if (n->chip) return TINY_OK;
  return tn_kfd_wrong(k, TINY_E_DEVICE, "the GPU is gfx%u%u%x, which is not known here; known are gfx942, gfx1100 to "
                      "gfx1103, gfx1150, gfx1151, gfx1200, gfx1201", (unsigned)(n->version / 10000),
                      (unsigned)(n->version / 100 % 100), (unsigned)(n->version % 100));
}
#endif
// ---- end src/amd/topology.c ----
// ---- begin src/amd/device.c ----
// device: a GPU: found, its address space, memory of its own, of the host and of others in it; what it is lost by.
//
// In:    a driver, a number. Out: a tn_kfd with its memory.
// Holds: what the GPU has lies at one address for the host and for every GPU: addresses are reserved of the process,
//        and the host reaches those alone that have cpu. A memory is unmapped from every GPU before it is given back.
// What is what: Linux, drivers/gpu/drm/amd/amdkfd/kfd_chardev.c (a process has one file of a GPU for its address space:
// another is refused with EBUSY), kfd_events.c (each event of faults tells of every GPU of the process).
#ifndef TN_KFD_DEVICE
#define TN_KFD_DEVICE
#ifndef TINY_AMALGAMATED
#include "topology.c"
#include "../base/blocks.c"
#include "../base/prepared.c"
#endif

enum { TN_KFD_COMPUTE, TN_KFD_IN, TN_KFD_OUT, TN_KFD_QUEUES };             // what a queue is for
enum { TN_KFD_PARTS = 8, TN_KFD_OUTSTANDING = 256, TN_KFD_PAGE = 4096 };

typedef struct tn_kfd_memory {
  struct tn_kfd_memory *next;
  uint64_t handle, va, nbytes; char *cpu; int borrowed;    // borrowed: the host's own pages, which stay
  uint32_t gpus[TN_KFD_GPUS]; int ngpu;                    // that it is mapped for
} tn_kfd_memory;
// Memory in parts, which are used one after the other, and again when the queue has come so far.
typedef struct tn_kfd_ring {
  tn_kfd_memory *memory; size_t part, fill; int now, queue; uint64_t busy[TN_KFD_PARTS];
} tn_kfd_ring;
// A unit of a ring is what its pointers count: words of PM4, bytes of SDMA, packets of AQL.
typedef struct tn_kfd_queue {
  int type, open; uint32_t id, unit;       // unit: bytes
  tn_kfd_memory *ring, *page, *eop, *save; volatile uint64_t *doorbell;
  uint64_t put, from, size;                // units: written; not submitted from here on; of the ring
  uint64_t given, seen[TN_KFD_QUEUES];     // submissions; those of others that it has waited for
  uint64_t end[TN_KFD_OUTSTANDING];        // where a submission ended
  tn_kfd_signal *signal;                   // how far it is: the lower half of value, up or (of AQL) down from the top
} tn_kfd_queue;
typedef struct tn_kfd_stamp { uint64_t *out; } tn_kfd_stamp;
// Another device of the context, and up to which of its submissions this one waits, of each queue.
typedef struct tn_kfd_peer { struct tn_kfd *of; uint64_t value[TN_KFD_QUEUES]; int refused; } tn_kfd_peer;

typedef struct tn_kfd {
  tiny_ctx *t;
  tn_kfd_driver k;
  tn_kfd_node node;
  char name[40];
  int drm, lost;
  uint64_t free_nbytes;
  uint32_t memory_event, exception_event;
  // what wakes the host: an event's number, and the page with its slot; NULL: not yet, or (wake_state below 0) never
  uint32_t wake_event; int wake_state, wake_missed, spins; tn_kfd_memory *wake_page;
  tn_kfd_memory *memory;                   // all of it
  tn_device_blocks blocks;
  char *bells; uint64_t bells_at;          // the pages with doorbells
  tn_kfd_memory *signals;                  // of queues, then of stamps
  tn_kfd_queue queue[TN_KFD_QUEUES];
  tn_kfd_ring args, stage_in, stage_out;
  tn_kfd_memory *scratch; uint64_t scratch_item; uint32_t tmpring;         // bytes of it that an item has
  int code_is_new;                         // instructions were written since the last launch
  struct tn_kfd_module *gone;
  tn_prepared prepared;
  tn_kfd_stamp *stamp; int nstamp, stamp_cap;
  uint64_t timeout_ns;
  tn_kfd_peer peer[TINY_MAX_DEVICES]; int npeer;
  char compiler[300]; int compiler_asked;
} tn_kfd;

static tiny_code tn_kfd_failed(tn_kfd *d) { return tiny_fail(d->t, d->k.code, "%s: %s", d->name, d->k.why); }
static tiny_code tn_kfd_check(tn_kfd *d, tiny_code code) { return code == TINY_OK ? code : tn_kfd_failed(d); }
static int tn_kfd_is_aql(const tn_kfd_queue *q) { return q->type == TN_KFD_QUEUE_AQL; }

// ** which GPU **

// Containers show some of the GPUs: numbers count those whose files open.
static tiny_code tn_kfd_choose(tn_kfd *d, uint64_t number) {
  tn_kfd_node nodes[TN_KFD_GPUS];
  char path[40] = "";
  const int n = tn_kfd_nodes(&d->k, nodes, TN_KFD_GPUS);
  int seen = 0, refused = 0;
  for (int i = 0; i < n && i < TN_KFD_GPUS; i++) {
    snprintf(path, sizeof path, "/dev/dri/renderD%u", (unsigned)nodes[i].minor);
    const int file = d->k.sys.open(d->k.sys.user, path, TN_DRIVER_OPEN);
    if (file < 0) { refused = file; tn_kfd_errno(&d->k, file, path); continue; }
    if ((uint64_t)seen++ != number) { d->k.sys.close(d->k.sys.user, file); continue; }
    d->drm = file;
    d->node = nodes[i];
    return tn_kfd_known(&d->k, &d->node);
  }
  if (refused && !seen) return d->k.code;  // why it does not open, stands there
  if (!n) return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the driver (KFD %u.%u) finds no GPU that computes",
                              (unsigned)d->k.version.major, (unsigned)d->k.version.minor);
  return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "there is no GPU of this number; there are %d, counted from 0", seen);
}
static int tn_kfd_try_vm(tn_kfd *d, int file) {
  tn_kfd_acquire_vm a = {(uint32_t)file, d->node.gpu};
  return tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_ACQUIRE_VM, &a, sizeof a);
}
// Another context of the process, or ROCm in it, may have the address space by a file of its own: it is used then.
static tiny_code tn_kfd_open_vm(tn_kfd *d) {
  enum { IN_USE = -16 };
  char path[40];
  int result = tn_kfd_try_vm(d, d->drm);
  snprintf(path, sizeof path, "/dev/dri/renderD%u", (unsigned)d->node.minor);
  for (int i = 0; result == IN_USE; i++) {
    const int file = d->k.sys.again(d->k.sys.user, path, i);
    if (file < 0) break;
    result = tn_kfd_try_vm(d, file);
    const int unused = result < 0 ? file : d->drm;
    if (result >= 0) d->drm = file;
    d->k.sys.close(d->k.sys.user, unused);
  }
  return tn_kfd_errno(&d->k, result, "an address space (AMDKFD_IOC_ACQUIRE_VM)");
}

// ** addresses and memory **

// Of the process: nothing else gets them. NULL: there are none left.
static char *tn_kfd_reserve(tn_kfd *d, uint64_t nbytes, uint64_t align) {
  void *at = NULL;
  const size_t all = (size_t)(nbytes + align - TN_KFD_PAGE);
  if (tn_kfd_errno(&d->k, d->k.sys.mmap(d->k.sys.user, &at, all, 0, TN_DRIVER_RESERVE, -1, 0),
                   "reserving addresses (ulimit -v?)") != TINY_OK) return NULL;
  const uint64_t from = tn_kfd_pointer(at), to = tn_kfd_up(from, align);
  if (to > from) d->k.sys.munmap(d->k.sys.user, at, (size_t)(to - from));
  const uint64_t rest = from + all - (to + nbytes);
  if (rest) d->k.sys.munmap(d->k.sys.user, (char *)(uintptr_t)(to + nbytes), (size_t)rest);
  return (char *)(uintptr_t)to;
}
static tiny_code tn_kfd_map_for(tn_kfd *d, tn_kfd_memory *m, uint32_t gpu) {
  tn_kfd_map a = {m->handle, tn_kfd_pointer(&gpu), 1, 0};
  if (m->ngpu == TN_KFD_GPUS) return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "memory is mapped for too many GPUs");
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_MAP, &a, sizeof a,
                                     "mapping memory for the GPU (AMDKFD_IOC_MAP_MEMORY_TO_GPU)");
  if (code == TINY_OK) m->gpus[m->ngpu++] = gpu;
  return code;
}
// What is known of it goes; the memory stays.
static void tn_kfd_memory_forget(tn_kfd *d, tn_kfd_memory *m) {
  for (tn_kfd_memory **at = &d->memory; *at; at = &(*at)->next) if (*at == m) { *at = m->next; break; }
  tiny_realloc(d->t, m, sizeof *m, 0);
}
// What is known of it goes, too.
static void tn_kfd_memory_free(tn_kfd *d, tn_kfd_memory *m) {
  if (!m) return;
  tn_kfd_map u = {m->handle, tn_kfd_pointer(m->gpus), (uint32_t)m->ngpu, 0};
  tn_kfd_free f = {m->handle};
  if (m->ngpu) tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_UNMAP, &u, sizeof u);
  if (m->handle) tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_FREE, &f, sizeof f);
  if (m->va && !m->borrowed) d->k.sys.munmap(d->k.sys.user, (void *)(uintptr_t)m->va, (size_t)m->nbytes);
  tn_kfd_memory_forget(d, m);
}
static tn_kfd_memory *tn_kfd_memory_new(tn_kfd *d, uint64_t nbytes) {
  tn_kfd_memory *m = (tn_kfd_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) { tn_kfd_wrong(&d->k, TINY_E_MEMORY, "no memory for what is known of memory"); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = nbytes;
  m->next = d->memory;
  return d->memory = m;
}
// At m->va. offset: what the host maps it by, in the GPU's file.
static tiny_code tn_kfd_memory_alloc(tn_kfd *d, tn_kfd_memory *m, uint32_t flags, uint64_t *offset) {
  tn_kfd_alloc a;
  memset(&a, 0, sizeof a);
  a.va = m->va; a.nbytes = m->nbytes; a.gpu = d->node.gpu; a.mmap_offset = *offset;
  a.flags = flags | TN_KFD_WRITABLE | TN_KFD_EXECUTABLE | TN_KFD_NO_SUBSTITUTE;
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_ALLOC, &a, sizeof a,
                                     flags & TN_KFD_VRAM ? "memory of the GPU (AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)"
                                                         : "memory of the host (AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)");
  if (code == TINY_OK) { m->handle = a.handle; *offset = a.mmap_offset; }
  return code;
}
static tiny_code tn_kfd_memory_show(tn_kfd *d, tn_kfd_memory *m, uint64_t offset) {
  void *at = (void *)(uintptr_t)m->va;
  const int result = d->k.sys.mmap(d->k.sys.user, &at, (size_t)m->nbytes, TN_DRIVER_READ | TN_DRIVER_WRITE,
                                   TN_DRIVER_MAP_FIXED, d->drm, (int64_t)offset);
  if (result >= 0) m->cpu = (char *)at;
  return tn_kfd_errno(&d->k, result, "mapping memory for the host");
}
static uint64_t tn_kfd_pages(uint64_t nbytes) { return tn_kfd_up(nbytes ? nbytes : 1, TN_KFD_PAGE); }
static uint64_t tn_kfd_alignment(uint64_t nbytes) { return nbytes >= 2u << 20 ? 2u << 20 : 4096u; }
// Of the GPU, or (host) of the host, zeros that both see as they are written. NULL, and why in d->k.why.
static tn_kfd_memory *tn_kfd_memory_make(tn_kfd *d, uint64_t nbytes, int host) {
  uint64_t offset = 0;
  tn_kfd_memory *m = tn_kfd_memory_new(d, tn_kfd_pages(nbytes));
  if (!m) return NULL;
  m->va = tn_kfd_pointer(tn_kfd_reserve(d, m->nbytes, tn_kfd_alignment(nbytes)));
  tiny_code code = m->va ? TINY_OK : d->k.code;
  const uint32_t of_host = TN_KFD_GTT | TN_KFD_COHERENT | TN_KFD_UNCACHED | TN_KFD_PUBLIC;
  if (code == TINY_OK) code = tn_kfd_memory_alloc(d, m, host ? of_host : (uint32_t)TN_KFD_VRAM, &offset);
  if (code == TINY_OK && host) code = tn_kfd_memory_show(d, m, offset);
  if (code == TINY_OK) code = tn_kfd_map_for(d, m, d->node.gpu);
  if (code == TINY_OK) { if (host) memset(m->cpu, 0, (size_t)m->nbytes); return m; }
  tn_kfd_memory_free(d, m);
  return NULL;
}

// ** what it is lost by **

static tiny_code tn_kfd_open_event(tn_kfd *d, uint32_t type, uint32_t *id) {
  tn_kfd_create_event e;
  memset(&e, 0, sizeof e);
  e.type = type; e.auto_reset = 1; e.node = (uint32_t)d->node.number;
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_CREATE_EVENT, &e, sizeof e,
                                     "an event of faults (AMDKFD_IOC_CREATE_EVENT)");
  if (code == TINY_OK) *id = e.id;
  return code;
}
static void tn_kfd_close_event(tn_kfd *d, uint32_t *id) {
  tn_kfd_destroy_event e = {*id, 0};
  if (*id) tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_DESTROY_EVENT, &e, sizeof e);
  *id = 0;
}
static tiny_code tn_kfd_open_events(tn_kfd *d) {
  const tiny_code code = tn_kfd_open_event(d, TN_KFD_EVENT_MEMORY, &d->memory_event);
  return code == TINY_OK ? tn_kfd_open_event(d, TN_KFD_EVENT_HW_EXCEPTION, &d->exception_event) : code;
}
static void tn_kfd_memory_fault(tn_kfd *d, const tn_kfd_event_data *e) {
  tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the device is lost: a kernel used the address 0x%llx, which %s%s; close the "
               "context, or go on with another device", (unsigned long long)e->of.memory.va,
               e->of.memory.missing ? "is no memory" : e->of.memory.read_only ? "may not be written"
               : e->of.memory.no_execute ? "holds no instructions" : "may not be used",
               e->of.memory.imprecise ? " (or one near it)" : "");
}
static void tn_kfd_exception(tn_kfd *d, const tn_kfd_event_data *e) {
  static const char *const causes[] = {"a hang", "an error of its memory that cannot be corrected"};
  tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the device is lost: the driver resets the GPU after %s%s; close the context, or "
               "go "
               "on with another device", causes[e->of.exception.cause != 0],
               e->of.exception.memory_lost ? ", and what its memory held is gone" : "");
}
// Has the driver told of a fault of this GPU? Then it is lost, and k.why says why. It is waited for that, or for what
// wakes the host, up to ms; *woken: was it something at all?
static int tn_kfd_listen(tn_kfd *d, uint32_t ms, int *woken) {
  tn_kfd_event_data e[3];
  memset(e, 0, sizeof e);
  e[0].id = d->memory_event; e[1].id = d->exception_event; e[2].id = d->wake_event;
  tn_kfd_wait_events w = {tn_kfd_pointer(e), ms ? 3u : 2u, 0, ms, 0};
  *woken = 0;
  if (d->lost || !d->memory_event || !d->exception_event) return d->lost;
  if (tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_WAIT_EVENTS, &w, sizeof w) < 0 ||
      w.result != TN_KFD_WAIT_COMPLETE) return 0;
  *woken = 1;
  if (e[0].of.memory.gpu == d->node.gpu) { d->lost = 1; tn_kfd_memory_fault(d, &e[0]); }
  else if (e[1].of.exception.gpu == d->node.gpu) { d->lost = 1; tn_kfd_exception(d, &e[1]); }
  return d->lost;
}
static int tn_kfd_faulted(tn_kfd *d) {
  int woken;
  return tn_kfd_listen(d, 0, &woken);
}
// k.why says why, from the first time on.
static tiny_code tn_kfd_enter(tn_kfd *d) { return d->lost ? tn_kfd_failed(d) : TINY_OK; }
#endif
// ---- end src/amd/device.c ----
// ---- begin src/amd/packets.c ----
// packets: the words that command processors read: PM4 of each generation, SDMA, AQL.
//
// In:    addresses, values, registers of a kernel. Out: words, behind those that there are.
// What is what: Linux, drivers/gpu/drm/amd/include: amdgpu/nvd.h, soc15d.h (PM4), gc_11_0_0_offset.h and gc_9_4_3 (of
// registers), navi10_sdma_pkt_open.h, vega10_sdma_pkt_open.h (SDMA); Mesa, src/amd/common/sid.h; ROCR-Runtime,
// core/runtime/amd_aql_queue.cpp and amd_blit_sdma.cpp.
#ifndef TN_KFD_PACKETS
#define TN_KFD_PACKETS
#ifndef TINY_AMALGAMATED
#include "structs.c"
#endif
#include <string.h>

enum { TN_KFD_WORDS = 192 };
typedef struct tn_kfd_words { uint32_t at[TN_KFD_WORDS]; int n; } tn_kfd_words;

static void tn_kfd_word(tn_kfd_words *w, uint64_t word) { if (w->n < TN_KFD_WORDS) w->at[w->n++] = (uint32_t)word; }
static void tn_kfd_address(tn_kfd_words *w, uint64_t address) {
  tn_kfd_word(w, address);
  tn_kfd_word(w, address >> 32);
}

// What a struct of whole words holds.
static void tn_kfd_struct(tn_kfd_words *w, const void *p, size_t nbytes) {
  for (size_t i = 0; i < nbytes / 4; i++) {
    uint32_t word;
    memcpy(&word, (const char *)p + 4 * i, sizeof word);
    tn_kfd_word(w, word);
  }
}

// ** PM4: type 3 **

enum {
  TN_PM4_DISPATCH_DIRECT = 0x15, TN_PM4_WAIT_REG_MEM = 0x3C, TN_PM4_INDIRECT_BUFFER = 0x3F, TN_PM4_EVENT_WRITE = 0x46,
  TN_PM4_RELEASE_MEM = 0x49, TN_PM4_ACQUIRE_MEM = 0x58, TN_PM4_SET_SH_REG = 0x76
};
enum {                                     // registers of compute, from SET_SH_REG's base (0x2C00) on
  TN_SH_SCRATCH_BASE = 0x210, TN_SH_PGM_LO = 0x20C, TN_SH_RSRC1 = 0x212, TN_SH_LIMITS = 0x215, TN_SH_TMPRING = 0x218,
  TN_SH_RESTART = 0x21B, TN_SH_RSRC3 = 0x228, TN_SH_RSRC3_GFX9 = 0x22D, TN_SH_START = 0x204, TN_SH_USER_DATA = 0x240
};
enum { TN_KFD_AT_MOST = 2, TN_KFD_AT_LEAST = 5 };          // functions of waits
enum { TN_KFD_DATA_32 = 1, TN_KFD_DATA_CLOCK = 3 };        // what is written at the end

// n words follow.
static void tn_pm4(tn_kfd_words *w, int op, int n) {
  tn_kfd_word(w, 3u << 30 | (uint32_t)(n - 1) << 16 | (uint32_t)op << 8);
}
static void tn_pm4_registers(tn_kfd_words *w, int first, int n) {
  tn_pm4(w, TN_PM4_SET_SH_REG, n + 1);
  tn_kfd_word(w, (uint32_t)first);
}
static void tn_pm4_register(tn_kfd_words *w, int at, uint32_t value) {
  tn_pm4_registers(w, at, 1);
  tn_kfd_word(w, value);
}
// Until the word there is as wanted.
static void tn_pm4_wait(tn_kfd_words *w, uint64_t address, uint32_t value, int function) {
  enum { MEMORY = 1 << 4, INTERVAL = 4 };
  tn_pm4(w, TN_PM4_WAIT_REG_MEM, 6);
  tn_kfd_word(w, (uint32_t)(function | MEMORY));
  tn_kfd_address(w, address);
  tn_kfd_word(w, value);
  tn_kfd_word(w, UINT32_MAX);
  tn_kfd_word(w, INTERVAL);
}
// Kernels that come after see what others wrote, and (code) instructions that are new. from_far: also what was written
// past the GPU's last cache.
static void tn_pm4_acquire(tn_kfd_words *w, int family, int code, int from_far) {
  enum { GLI_INV = 1, GLM_WB = 0x10, GLM_INV = 0x20, GLK_WB = 0x40, GLK_INV = 0x80, GLV_INV = 0x100, GL1_INV = 0x200,
         GL2_INV = 0x4000, GL2_WB = 0x8000 };
  enum { SH_ICACHE = 1 << 29, SH_KCACHE = 1 << 27, TC_ACTION = 1 << 23, TCL1 = 1 << 22, TC_WB = 1 << 18,
      INTERVAL = 10 };
  const int caches = GLM_WB | GLM_INV | GLK_WB | GLK_INV | GLV_INV | GL1_INV;
  const int gfx9 = SH_KCACHE | TCL1 | (code ? SH_ICACHE : 0) | (from_far ? TC_ACTION | TC_WB : 0);
  tn_pm4(w, TN_PM4_ACQUIRE_MEM, family == 9 ? 6 : 7);
  tn_kfd_word(w, family == 9 ? (uint32_t)gfx9 : 0);
  tn_kfd_word(w, UINT32_MAX);              // all addresses
  tn_kfd_word(w, family == 9 ? 0xFFFFFFu : UINT32_MAX);
  tn_kfd_address(w, 0);
  tn_kfd_word(w, family == 9 ? (uint32_t)INTERVAL : 0);
  if (family != 9) tn_kfd_word(w, (uint32_t)(caches | (code ? GLI_INV : 0) | (from_far ? GL2_INV | GL2_WB : 0)));
}
// When kernels before have ended and what they wrote is seen by all, the value, or the time (data: DATA_CLOCK).
static void tn_pm4_release(tn_kfd_words *w, int family, uint64_t address, uint32_t value, int data) {
  enum { CACHE_FLUSH_AND_INV_TS = 0x14, END_OF_PIPE = 5 << 8, GLM_WB = 1 << 12, GLM_INV = 1 << 13, GLV_INV = 1 << 14,
         GL1_INV = 1 << 15, GL2_INV = 1 << 20, GL2_WB = 1 << 21, SEQ = 1 << 22, TC_WB = 1 << 15, TC_NC = 1 << 19 };
  const int caches = family == 9 ? TC_WB | TC_NC : GLM_WB | GLM_INV | GLV_INV | GL1_INV | GL2_INV | GL2_WB | SEQ;
  tn_pm4(w, TN_PM4_RELEASE_MEM, 7);
  tn_kfd_word(w, (uint32_t)(CACHE_FLUSH_AND_INV_TS | END_OF_PIPE | caches));
  tn_kfd_word(w, (uint32_t)data << 29);
  tn_kfd_address(w, address);
  tn_kfd_address(w, value);
  tn_kfd_word(w, 0);
}
// The same without caches, and the host is woken: the driver looks for the event's number in its slot, and in the
// interrupt (kfd_int_process_v11.c, kfd_events.c).
static void tn_pm4_wake(tn_kfd_words *w, int family, uint64_t slot, uint32_t event) {
  enum { DATA_CLOCK_SHIFT = 29, AND_INTERRUPT = 2 << 24 };
  const int at = w->n;
  tn_pm4_release(w, family, slot, event, 1);
  w->at[at + 2] |= (uint32_t)AND_INTERRUPT;
  w->at[at + 7] = event;
}
// Until kernels before have ended.
static void tn_pm4_idle(tn_kfd_words *w) {
  enum { CS_PARTIAL_FLUSH = 7, OF_SHADERS = 4 << 8 };
  tn_pm4(w, TN_PM4_EVENT_WRITE, 1);
  tn_kfd_word(w, CS_PARTIAL_FLUSH | OF_SHADERS);
}
// The words of a list that lies in memory.
static void tn_pm4_list(tn_kfd_words *w, uint64_t address, size_t nwords) {
  enum { VALID = 0x800000 };
  tn_pm4(w, TN_PM4_INDIRECT_BUFFER, 3);
  tn_kfd_address(w, address);
  tn_kfd_word(w, (uint32_t)nwords | VALID);
}

// ** SDMA **

// COPY_MOST: bytes of one copy, whose count has 30 bits.
enum { TN_SDMA_COPY = 1, TN_SDMA_FENCE = 5, TN_SDMA_POLL = 8, TN_SDMA_COPY_MOST = 1 << 28 };

static void tn_sdma_copy(tn_kfd_words *w, uint64_t to, uint64_t from, size_t nbytes) {
  tn_kfd_word(w, TN_SDMA_COPY);
  tn_kfd_word(w, nbytes - 1);
  tn_kfd_word(w, 0);
  tn_kfd_address(w, from);
  tn_kfd_address(w, to);
}
static void tn_sdma_fence(tn_kfd_words *w, int family, uint64_t address, uint32_t value) {
  enum { UNCACHED = 3 << 16 };
  tn_kfd_word(w, (uint32_t)(TN_SDMA_FENCE | (family == 9 ? 0 : UNCACHED)));
  tn_kfd_address(w, address);
  tn_kfd_word(w, value);
}
static void tn_sdma_wake(tn_kfd_words *w, int family, uint64_t slot, uint32_t event) {
  enum { TRAP = 6, NUMBER = 0xFFFFFFF };
  tn_sdma_fence(w, family, slot, event);
  tn_kfd_word(w, TRAP);
  tn_kfd_word(w, event & NUMBER);
}
static void tn_sdma_wait(tn_kfd_words *w, uint64_t address, uint32_t value, int function) {
  enum { INTERVAL = 4, RETRY = 0xFFF << 16 };
  tn_kfd_word(w, 1u << 31 | (uint32_t)function << 28 | TN_SDMA_POLL);      // of memory
  tn_kfd_address(w, address);
  tn_kfd_word(w, value);
  tn_kfd_word(w, UINT32_MAX);
  tn_kfd_word(w, INTERVAL | RETRY);
}

// ** AQL **

static void tn_aql_words(tn_kfd_words *w, uint64_t address, size_t nwords) {
  enum { LEFT = 10 };                      // words of the packet that are no command
  tn_kfd_aql_words p;
  tn_kfd_words jump;
  jump.n = 0;
  tn_pm4_list(&jump, address, nwords);
  memset(&p, 0, sizeof p);
  p.header = TN_AQL_VENDOR | TN_AQL_BARRIER | TN_AQL_ACQUIRE | TN_AQL_RELEASE;
  p.vendor = TN_AQL_WORDS; p.left = LEFT;
  memcpy(p.jump, jump.at, sizeof p.jump);
  tn_kfd_struct(w, &p, sizeof p);
}
// A packet that does nothing but count a signal down, when all before it have ended.
static void tn_aql_signal(tn_kfd_words *w, uint64_t signal) {
  tn_kfd_word(w, TN_AQL_BARRIER_AND | TN_AQL_BARRIER | TN_AQL_ACQUIRE | TN_AQL_RELEASE);
  for (int i = 1; i < 14; i++) tn_kfd_word(w, 0);
  tn_kfd_address(w, signal);
}
#endif
// ---- end src/amd/packets.c ----
// ---- begin src/amd/queue.c ----
// queue: what a GPU is told: packets in a ring, a doorbell; how far it is, and waiting for that.
//
// In:    words. Out: submissions, numbered for each queue; waits for a number, with an end.
// Holds: behind each submission its number is in the queue's signal, when all before it has happened. A ring's part is
//        written again when what used it has happened. Signals have the lower 32 bits of a number: nothing is compared
//        across the turn from 2^32 - 1 to 0, as the host waits for all that is under way before and after it. What
//        waits is ended after timeout_ns without progress: the GPU is lost then, for this context alone.
// What is what: Linux, drivers/gpu/drm/amd/amdkfd/kfd_queue.c (sizes of what a queue is made with), kfd_doorbell.c,
// kfd_events.c (pages of events, their slots).
#ifndef TN_KFD_QUEUE
#define TN_KFD_QUEUE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "packets.c"
#endif

enum {
  TN_KFD_RING_NBYTES = 1 << 20, TN_KFD_EOP_NBYTES = 4096, TN_KFD_DOORBELLS = 0x2000, TN_KFD_PRIORITY = 7,
  TN_KFD_SIGNALS = 2048, TN_KFD_STAMPS = TN_KFD_SIGNALS - TN_KFD_QUEUES, TN_KFD_TOP = -1,
  TN_KFD_SPINS = 4000                      // that a wait looks, about a millisecond, before it sleeps
};

// ** how far **

static uint64_t tn_kfd_done(const tn_kfd_queue *q) {
  if (!q->signal) return 0;
  uint32_t low = (uint32_t)tn_driver_load((const uint64_t *)(const void *)&q->signal->value);
  if (tn_kfd_is_aql(q)) low = UINT32_MAX - low;
  return q->given - (uint32_t)((uint32_t)q->given - low);
}
static uint32_t tn_kfd_signal_value(const tn_kfd_queue *q, uint64_t number) {
  return tn_kfd_is_aql(q) ? UINT32_MAX - (uint32_t)number : (uint32_t)number;
}
static uint64_t tn_kfd_signal_at(const tn_kfd *d, int i) {
  return d->signals->va + (uint64_t)i * sizeof(tn_kfd_signal) + offsetof(tn_kfd_signal, value);
}
// A device that is lost: those who wait for its signals go on.
static void tn_kfd_let_go(tn_kfd *d) {
  for (int i = 0; i < TN_KFD_QUEUES; i++) {
    tn_kfd_queue *q = &d->queue[i];
    if (d->lost && q->signal)
      tn_driver_store((uint64_t *)(void *)&q->signal->value, tn_kfd_signal_value(q, q->given));
  }
}
static void tn_kfd_ring_bell(tn_kfd *d, const tn_kfd_queue *q) {
  *q->doorbell = tn_kfd_is_aql(q) ? q->from - 1 : q->from;
  if (d->k.sys.doorbell) d->k.sys.doorbell(d->k.sys.user, q->doorbell);
}
// ** packets in the ring **

// Of PM4 words may stand on both sides of the ring's end; of SDMA no packet does, and zeros do nothing.
static void tn_kfd_push(tn_kfd_queue *q, const tn_kfd_words *w) {
  const uint64_t mask = TN_KFD_RING_NBYTES - 1, nbytes = (uint64_t)w->n * 4;
  uint64_t at = q->put * q->unit & mask;
  for (; q->type == TN_KFD_QUEUE_SDMA && at + nbytes > TN_KFD_RING_NBYTES && at; at = q->put * q->unit & mask) {
    memset(q->ring->cpu + at, 0, 4);
    q->put += 4;
  }
  for (int i = 0; i < w->n; i++) memcpy(q->ring->cpu + ((at + (uint64_t)i * 4) & mask), &w->at[i], 4);
  q->put += nbytes / q->unit;
}
static void tn_kfd_push_end(tn_kfd *d, int queue) {
  tn_kfd_queue *q = &d->queue[queue];
  const uint64_t at = tn_kfd_signal_at(d, queue);
  tn_kfd_words w;
  w.n = 0;
  if (tn_kfd_is_aql(q)) tn_aql_signal(&w, at - offsetof(tn_kfd_signal, value));
  else if (q->type == TN_KFD_QUEUE_SDMA) tn_sdma_fence(&w, d->node.chip->family, at, (uint32_t)(q->given + 1));
  else tn_pm4_release(&w, d->node.chip->family, at, (uint32_t)(q->given + 1), TN_KFD_DATA_32);
  tn_kfd_push(q, &w);
}
static void tn_kfd_give(tn_kfd *d, tn_kfd_queue *q) {
  q->end[++q->given % TN_KFD_OUTSTANDING] = q->from = q->put;
  tn_driver_fence();
  *(volatile uint64_t *)&((tn_kfd_queue_page *)(void *)q->page->cpu)->write = q->put;
  tn_driver_fence();
  tn_kfd_ring_bell(d, q);
}
// ** woken by an interrupt **
//
// A wait that is long has the queue write to the slot of an event, and interrupt: the driver then wakes who waits for
// the event. It keeps the page with slots until the process ends, and takes one of a process: where another has it, the
// host sleeps and looks, by turns.

static void tn_kfd_wake_open(tn_kfd *d) {
  const char *given = getenv("TINY_AMD_INTERRUPTS");
  tn_kfd_create_event e;
  memset(&e, 0, sizeof e);
  d->wake_state = -1;
  if (given && !strcmp(given, "0")) return;
  tn_kfd_memory *m = tn_kfd_memory_make(d, TN_KFD_EVENT_PAGE, 1);
  if (!m) return;
  e.page = m->handle; e.type = TN_KFD_EVENT_SIGNAL; e.auto_reset = 1; e.node = (uint32_t)d->node.number;
  if (tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_CREATE_EVENT, &e, sizeof e) < 0) { tn_kfd_memory_free(d, m); return; }
  d->wake_page = m; d->wake_event = e.id;
  d->wake_state = 1;
}
static void tn_kfd_wake_close(tn_kfd *d) {
  tn_kfd_destroy_event e = {d->wake_event, 0};
  if (!d->wake_page) return;
  tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_DESTROY_EVENT, &e, sizeof e);
  tn_kfd_memory_forget(d, d->wake_page);
  d->wake_page = NULL;
  d->wake_state = -1;
}
static uint64_t tn_kfd_wake_slot(const tn_kfd *d) { return d->wake_page->va + (uint64_t)d->wake_event * 8; }
// Of AQL a signal tells of itself, once it counts, where it is told where to.
static void tn_kfd_wake_by_signal(tn_kfd *d, tn_kfd_queue *q, int on) {
  if (q->signal->event != d->wake_event) q->signal->event = d->wake_event;   // the GPU reads it where a mailbox is
  tn_driver_store(&q->signal->mailbox, on ? tn_kfd_wake_slot(d) : 0);
}
// The submission that wakes the host, behind all of this queue; 0: none does, for want of room, or as words are not
// submitted yet.
static uint64_t tn_kfd_wake_after(tn_kfd *d, int queue) {
  enum { ROOM = 512 };                     // bytes
  tn_kfd_queue *q = &d->queue[queue];
  tn_kfd_words w;
  w.n = 0;
  if (!d->wake_state) tn_kfd_wake_open(d);
  if (d->wake_state < 0 || d->lost) return 0;
  if (tn_kfd_is_aql(q)) { tn_kfd_wake_by_signal(d, q, 1); return q->given; }
  const uint64_t done = tn_kfd_done(q), used = q->put - (done ? q->end[done % TN_KFD_OUTSTANDING] : 0);
  if (q->put != q->from || q->given - done > TN_KFD_OUTSTANDING - 4 || used + ROOM / q->unit > q->size) return 0;
  if ((uint32_t)(q->given + 2) < 2) return 0;              // where numbers turn
  if (queue == TN_KFD_COMPUTE) tn_pm4_wake(&w, d->node.chip->family, tn_kfd_wake_slot(d), d->wake_event);
  else tn_sdma_wake(&w, d->node.chip->family, tn_kfd_wake_slot(d), d->wake_event);
  tn_kfd_push(q, &w);
  tn_kfd_push_end(d, queue);
  tn_kfd_give(d, q);
  return q->given;
}
// Until the host is woken, or some time. Interrupts that do not come, three in a row, are not waited for again.
static void tn_kfd_nap(tn_kfd *d, const tn_kfd_queue *q, uint64_t number) {
  enum { MS = 10, MISSED = 3 };
  int woken;
  if (tn_kfd_listen(d, MS, &woken)) tn_kfd_let_go(d);
  if (woken) d->wake_missed = 0;
  else if (tn_kfd_done(q) >= number && ++d->wake_missed == MISSED) {
    d->wake_state = -1;
    tiny_log_line(d->t, 'p', "%s: interrupts do not come; waits look by themselves", d->name);
  }
}

// ** waiting **

static tiny_code tn_kfd_too_long(tn_kfd *d) {
  d->lost = 1;
  tn_kfd_let_go(d);
  return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the device is lost: nothing has happened for %llu s; a kernel may never "
                      "end (TINY_AMD_TIMEOUT_MS); close the context, or go on with another device",
                      (unsigned long long)(d->timeout_ns / 1000000000u));
}
// How far all are that this wait may wait for: what grows is progress. Of others it is looked at whether they are lost.
static uint64_t tn_kfd_progress(tn_kfd *d) {
  uint64_t all = 0;
  for (int i = 0; i < TN_KFD_QUEUES; i++) all += tn_kfd_done(&d->queue[i]);
  for (int k = 0; k < d->npeer; k++) {
    tn_kfd *o = d->peer[k].of;
    if (tn_kfd_faulted(o)) tn_kfd_let_go(o);
    all += (uint64_t)(o->lost != 0);
    for (int i = 0; i < TN_KFD_QUEUES; i++) all += tn_kfd_done(&o->queue[i]);
  }
  return all;
}
// The device of this context that d waits for in vain; else d itself.
static tn_kfd *tn_kfd_culprit(tn_kfd *d) {
  for (int k = 0; k < d->npeer; k++) for (int i = 0; i < TN_KFD_QUEUES; i++)
    if (!d->peer[k].of->lost && tn_kfd_done(&d->peer[k].of->queue[i]) < d->peer[k].value[i]) return d->peer[k].of;
  return d;
}
static int tn_kfd_is_lost(tn_kfd *d) {
  if (!d->lost && tn_kfd_faulted(d)) tn_kfd_let_go(d);
  return d->lost;
}
// The time counts from the last progress of any queue. TINY_E_DEVICE: d is lost.
typedef struct tn_kfd_patience { uint64_t since, seen; } tn_kfd_patience;
static tiny_code tn_kfd_have_patience(tn_kfd *d, tn_kfd_patience *p) {
  if (tn_kfd_is_lost(d)) return TINY_E_DEVICE;
  const uint64_t all = tn_kfd_progress(d), now = tn_driver_clock_ns();
  if (all != p->seen) { p->seen = all; p->since = now; }
  if (now - p->since <= d->timeout_ns) return TINY_OK;
  tn_kfd *const slow = tn_kfd_culprit(d);
  tn_kfd_too_long(slow);
  return slow == d ? TINY_E_DEVICE : TINY_OK;
}
// Until the queue's submission `value` has happened: the host looks, then sleeps.
static tiny_code tn_kfd_wait_for(tn_kfd *d, int queue, uint64_t value) {
  tn_kfd_queue *q = &d->queue[queue];
  tn_kfd_patience p = {0, UINT64_MAX};
  uint64_t wakes = 0;
  tiny_code code = TINY_OK;
  for (int spins = 0; tn_kfd_done(q) < value && code == TINY_OK; spins++) {
    if (!wakes && spins >= d->spins && (spins - d->spins) % 64 == 0) wakes = tn_kfd_wake_after(d, queue);
    if (wakes && d->wake_state > 0) tn_kfd_nap(d, q, wakes);
    else {
      tn_driver_pause(spins);
      if (spins < 1000 || spins % 64) continue;
    }
    code = tn_kfd_have_patience(d, &p);
    if (d->k.sys.doorbell && code == TINY_OK) tn_kfd_ring_bell(d, q);
  }
  if (wakes && tn_kfd_is_aql(q)) tn_kfd_wake_by_signal(d, q, 0);
  return code == TINY_OK && d->lost ? TINY_E_DEVICE : code;
}
static tiny_code tn_kfd_wait_all(tn_kfd *d) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < TN_KFD_QUEUES && code == TINY_OK; i++) code = tn_kfd_wait_for(d, i, d->queue[i].given);
  return code == TINY_OK && tn_kfd_is_lost(d) ? TINY_E_DEVICE : code;
}

// ** submissions **

// Nobody waits for a number of before the turn when the signal has gone round.
static tiny_code tn_kfd_before_turn(tn_kfd *d) {
  tiny_code code = tn_kfd_wait_all(d);
  for (int k = 0; k < d->npeer && code == TINY_OK; k++) if (!d->peer[k].of->lost) tn_kfd_wait_all(d->peer[k].of);
  return code;
}
// What was written since the last one.
static tiny_code tn_kfd_submit_words(tn_kfd *d, int queue) {
  tn_kfd_queue *q = &d->queue[queue];
  if (q->put == q->from) return TINY_OK;
  const int turns = (uint32_t)(q->given + 1) == 0;
  tiny_code code = turns ? tn_kfd_before_turn(d) : TINY_OK;
  if (code == TINY_OK && q->given >= TN_KFD_OUTSTANDING - 1)
    code = tn_kfd_wait_for(d, queue, q->given - (TN_KFD_OUTSTANDING - 2));
  if (code != TINY_OK) return code;
  tn_kfd_push_end(d, queue);
  tn_kfd_give(d, q);
  return turns ? tn_kfd_wait_for(d, queue, q->given) : TINY_OK;
}
static uint64_t tn_kfd_consumed(const tn_kfd_queue *q) {
  const uint64_t done = tn_kfd_done(q);
  return done ? q->end[done % TN_KFD_OUTSTANDING] : 0;
}
// Room for n words and what ends a submission, both of which may skip the ring's end.
static tiny_code tn_kfd_room(tn_kfd *d, int queue, int n) {
  enum { END = 256 };                      // bytes
  tn_kfd_queue *q = &d->queue[queue];
  const uint64_t need = ((uint64_t)n * 8 + END) / q->unit;
  tiny_code code = TINY_OK;
  while (code == TINY_OK && q->put + need - tn_kfd_consumed(q) > q->size) {
    if (tn_kfd_done(q) == q->given) code = tn_kfd_submit_words(d, queue);
    else code = tn_kfd_wait_for(d, queue, tn_kfd_done(q) + 1);
  }
  return code;
}

// ** memory in parts **

static tiny_code tn_kfd_ring_make(tn_kfd *d, tn_kfd_ring *r, int queue, size_t part) {
  r->memory = tn_kfd_memory_make(d, part * TN_KFD_PARTS, 1);
  r->part = part; r->queue = queue;
  return r->memory ? TINY_OK : d->k.code;
}
// nbytes, up to a part's; NULL after an error. They are free again when what is submitted next has happened.
static char *tn_kfd_ring_take(tn_kfd *d, tn_kfd_ring *r, size_t nbytes, size_t align) {
  const tn_kfd_queue *q = &d->queue[r->queue];
  size_t at = (r->fill + align - 1) / align * align;
  if (at + nbytes > r->part) {
    r->busy[r->now] = q->given + 1;
    r->now = (r->now + 1) % TN_KFD_PARTS;
    if (r->busy[r->now] > q->given && tn_kfd_submit_words(d, r->queue) != TINY_OK) return NULL;
    if (tn_kfd_wait_for(d, r->queue, r->busy[r->now]) != TINY_OK) return NULL;
    at = 0;
  }
  r->fill = at + nbytes;
  return r->memory->cpu + (size_t)r->now * r->part + at;
}
static uint64_t tn_kfd_ring_va(const tn_kfd_ring *r, const char *at) {
  return r->memory->va + (uint64_t)(at - r->memory->cpu);
}

// ** waits of queues **

// Words of PM4 for a queue of AQL lie in memory, and a packet tells where.
static tiny_code tn_kfd_push_pm4(tn_kfd *d, const tn_kfd_words *w) {
  tn_kfd_queue *q = &d->queue[TN_KFD_COMPUTE];
  tn_kfd_words packet;
  if (!tn_kfd_is_aql(q)) { tn_kfd_push(q, w); return TINY_OK; }
  char *const at = tn_kfd_ring_take(d, &d->args, (size_t)w->n * 4, 64);
  if (!at) return TINY_E_DEVICE;
  memcpy(at, w->at, (size_t)w->n * 4);
  packet.n = 0;
  tn_aql_words(&packet, tn_kfd_ring_va(&d->args, at), (size_t)w->n);
  tn_kfd_push(q, &packet);
  return TINY_OK;
}
// What `queue` does next comes after number `value` of a queue whose signal lies at `signal` for this GPU.
static tiny_code tn_kfd_push_wait(tn_kfd *d, int queue, const tn_kfd_queue *of, uint64_t signal, uint64_t value) {
  const int function = tn_kfd_is_aql(of) ? TN_KFD_AT_MOST : TN_KFD_AT_LEAST;
  const tiny_code code = tn_kfd_room(d, queue, 32);
  tn_kfd_words w;
  w.n = 0;
  if (code != TINY_OK) return code;
  if (queue == TN_KFD_COMPUTE) {
    tn_pm4_wait(&w, signal, tn_kfd_signal_value(of, value), function);
    return tn_kfd_push_pm4(d, &w);
  }
  tn_sdma_wait(&w, signal, tn_kfd_signal_value(of, value), function);
  tn_kfd_push(&d->queue[queue], &w);
  return TINY_OK;
}
static tiny_code tn_kfd_after(tn_kfd *d, int queue, int other, uint64_t value) {
  tn_kfd_queue *q = &d->queue[queue], *o = &d->queue[other];
  if (value <= q->seen[other] || value <= tn_kfd_done(o)) return TINY_OK;
  q->seen[other] = value;
  return tn_kfd_push_wait(d, queue, o, tn_kfd_signal_at(d, other), value);
}

// ** opened and closed **

static tiny_code tn_kfd_queue_memory(tn_kfd *d, tn_kfd_queue *q, const tn_kfd_save *save) {
  q->ring = tn_kfd_memory_make(d, TN_KFD_RING_NBYTES, 1);
  if (q->ring) q->page = tn_kfd_memory_make(d, TN_KFD_PAGE, 1);
  if (!q->page) return d->k.code;
  if (q->type == TN_KFD_QUEUE_SDMA) return TINY_OK;
  q->eop = tn_kfd_memory_make(d, TN_KFD_EOP_NBYTES, 0);
  if (q->eop) q->save = tn_kfd_memory_make(d, save->all, 0);
  return q->save ? TINY_OK : d->k.code;
}
static void tn_kfd_queue_describe(tn_kfd *d, tn_kfd_queue *q) {
  tn_kfd_queue_page *p = (tn_kfd_queue_page *)(void *)q->page->cpu;
  const uint16_t none = TN_AQL_INVALID;
  for (uint64_t i = 0; i < q->size; i++) memcpy(q->ring->cpu + i * q->unit, &none, sizeof none);
  p->properties = TN_KFD_QUEUE_IS_64 | TN_KFD_QUEUE_PROFILES;
  p->read_base = (uint32_t)offsetof(tn_kfd_queue_page, read);
  p->most_unit = tn_kfd_units(&d->node) - 1;
  p->most_wave = d->node.waves * d->node.simds_per_unit - 1;
}
static tiny_code tn_kfd_queue_bell(tn_kfd *d, tn_kfd_queue *q, uint64_t doorbell) {
  const uint64_t page = doorbell & ~(uint64_t)(TN_KFD_DOORBELLS - 1);
  void *at = NULL;
  if (!d->bells) {
    const int result = d->k.sys.mmap(d->k.sys.user, &at, TN_KFD_DOORBELLS, TN_DRIVER_READ | TN_DRIVER_WRITE,
                                     TN_DRIVER_MAP_SHARED, d->k.kfd, (int64_t)page);
    if (result < 0) return tn_kfd_errno(&d->k, result, "mapping doorbells");
    d->bells = (char *)at; d->bells_at = page;
  }
  if (page != d->bells_at) return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the driver has doorbells in several places");
  q->doorbell = (volatile uint64_t *)(void *)(d->bells + (doorbell - page));
  return TINY_OK;
}
static tiny_code tn_kfd_queue_create(tn_kfd *d, tn_kfd_queue *q, const tn_kfd_save *save) {
  tn_kfd_create_queue c;
  memset(&c, 0, sizeof c);
  c.ring = q->ring->va; c.ring_nbytes = TN_KFD_RING_NBYTES; c.gpu = d->node.gpu; c.type = (uint32_t)q->type;
  c.wptr = q->page->va + offsetof(tn_kfd_queue_page, write);
  c.rptr = q->page->va + offsetof(tn_kfd_queue_page, read);
  c.percentage = 100; c.priority = TN_KFD_PRIORITY;
  if (q->eop) { c.eop = q->eop->va; c.eop_nbytes = TN_KFD_EOP_NBYTES; }
  if (q->save) { c.save = q->save->va; c.save_nbytes = (uint32_t)save->save;
    c.control_nbytes = (uint32_t)save->control; }
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_CREATE_QUEUE, &c, sizeof c,
                                     "a queue (AMDKFD_IOC_CREATE_QUEUE)");
  if (code != TINY_OK) return code;
  q->id = c.id;
  q->open = 1;
  return tn_kfd_queue_bell(d, q, c.doorbell);
}
static tiny_code tn_kfd_open_queue(tn_kfd *d, int i) {
  const tn_kfd_node *n = &d->node;
  const tn_kfd_save save = tn_kfd_save_of(n->chip, tn_kfd_units(n) / n->dies, tn_kfd_engines(n), n->dies);
  static const uint32_t units[] = {4, 1, 64};
  tn_kfd_queue *q = &d->queue[i];
  q->type = i != TN_KFD_COMPUTE ? TN_KFD_QUEUE_SDMA : n->dies > 1 ? TN_KFD_QUEUE_AQL : TN_KFD_QUEUE_COMPUTE;
  q->unit = units[q->type];
  q->size = TN_KFD_RING_NBYTES / q->unit;
  q->signal = (tn_kfd_signal *)(void *)d->signals->cpu + i;
  q->signal->kind = 1;                     // AMD_SIGNAL_KIND_USER
  tn_driver_store((uint64_t *)(void *)&q->signal->value, tn_kfd_signal_value(q, 0));
  tiny_code code = tn_kfd_queue_memory(d, q, &save);
  if (code != TINY_OK) return code;
  if (tn_kfd_is_aql(q)) tn_kfd_queue_describe(d, q);
  return tn_kfd_queue_create(d, q, &save);
}
static tiny_code tn_kfd_open_queues(tn_kfd *d) {
  d->signals = tn_kfd_memory_make(d, TN_KFD_SIGNALS * sizeof(tn_kfd_signal), 1);
  tiny_code code = d->signals ? TINY_OK : d->k.code;
  for (int i = 0; i < TN_KFD_QUEUES && code == TINY_OK; i++) code = tn_kfd_open_queue(d, i);
  return code;
}
// The driver ends what is still running there.
static void tn_kfd_close_queues(tn_kfd *d) {
  for (int i = TN_KFD_QUEUES - 1; i >= 0; i--) {
    tn_kfd_queue *q = &d->queue[i];
    tn_kfd_destroy_queue q_id = {q->id, 0};
    if (q->open) tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_DESTROY_QUEUE, &q_id, sizeof q_id);
    q->open = 0;
  }
  if (d->bells) d->k.sys.munmap(d->k.sys.user, d->bells, TN_KFD_DOORBELLS);
  d->bells = NULL;
}
#endif
// ---- end src/amd/queue.c ----
// ---- begin src/amd/peer.c ----
// peer: other GPUs of the context: their memory, mapped for this one, and the order between them.
//
// In:    memory of another device; a place in another device's order. Out: is it reached; words that have queues wait.
// Holds: memory has one address for all GPUs. Where the driver does not map it for another one, the host carries and
//        waits. A device that is lost lets those go on that wait for it, and is not what they report.
#ifndef TN_KFD_PEER
#define TN_KFD_PEER
#ifndef TINY_AMALGAMATED
#include "queue.c"
#endif

static tn_kfd_peer *tn_kfd_peer_of(tn_kfd *d, const tn_kfd *o) {
  for (int i = 0; i < d->npeer; i++) if (d->peer[i].of == o) return &d->peer[i];
  return NULL;
}
// NULL: there are too many.
static tn_kfd_peer *tn_kfd_meet(tn_kfd *d, tn_kfd *o) {
  tn_kfd *const two[2] = {o, d};
  tn_kfd_peer *p = NULL;
  for (int i = 0; i < 2; i++) {
    tn_kfd *const one = two[i], *const other = two[!i];
    p = tn_kfd_peer_of(one, other);
    if (p || one->npeer == TINY_MAX_DEVICES) continue;
    p = &one->peer[one->npeer++];
    memset(p, 0, sizeof *p);
    p->of = other;
  }
  return p;
}
// Memory of another device of this context, or of the host's that it has: may this one read it? 0 is no error.
static int tn_kfd_reaches(tn_kfd *d, tn_kfd *o, tn_kfd_memory *m) {
  tn_kfd_peer *p = tn_kfd_meet(d, o);
  for (int i = 0; i < m->ngpu; i++) if (m->gpus[i] == d->node.gpu) return 1;
  if (!p || !tn_kfd_same_system(&d->k.sys, &o->k.sys) || (p->refused && !m->cpu)) return 0;
  if (tn_kfd_map_for(d, m, d->node.gpu) == TINY_OK) return 1;
  p->refused |= !m->cpu;
  tiny_log_line(d->t, 'p', "%s: another GPU's memory is not reached (%s): the host carries it", d->name, d->k.why);
  d->k.code = TINY_OK;
  return 0;
}
// Before memory of d's is given back: others have done what they were given.
static void tn_kfd_unshare(tn_kfd *d) {
  for (int i = 0; i < d->npeer; i++) {
    tn_kfd *o = d->peer[i].of;
    for (int q = 0; q < TN_KFD_QUEUES && !o->lost; q++)
      if (tn_kfd_submit_words(o, q) == TINY_OK) tn_kfd_wait_for(o, q, o->queue[q].given);
  }
}
// Before d is closed.
static void tn_kfd_part(tn_kfd *d) {
  tn_kfd_unshare(d);
  for (int i = 0; i < d->npeer; i++) {
    tn_kfd *o = d->peer[i].of;
    tn_kfd_peer *p = tn_kfd_peer_of(o, d);
    if (p) *p = o->peer[--o->npeer];
  }
  d->npeer = 0;
}

// ** order between devices **

// A place in a device's order: of the queues whose work others see, compute and copies to the GPU. of and t are looked
// into on t's thread alone.
typedef struct tn_kfd_event {
  tn_kfd *of; tiny_ctx *t; const uint64_t *signal[2]; uint64_t value[2]; int aql[2];
} tn_kfd_event;

// What it waits for itself is submitted, so that those who wait for the event wait for that, too.
static void *tn_kfd_event_new(void *dev) {
  tn_kfd *d = (tn_kfd *)dev;
  if (tn_kfd_enter(d) != TINY_OK) return NULL;
  for (int i = 0; i < 2; i++) if (tn_kfd_check(d, tn_kfd_submit_words(d, i)) != TINY_OK) return NULL;
  tn_kfd_event *e = (tn_kfd_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name); return NULL; }
  e->of = d; e->t = d->t;
  for (int i = 0; i < 2; i++) {
    e->signal[i] = (const uint64_t *)(const void *)&d->queue[i].signal->value;
    e->value[i] = d->queue[i].given;
    e->aql[i] = tn_kfd_is_aql(&d->queue[i]);
  }
  return e;
}
// By what a thread may see that has nothing else of the device: numbers within 2^31 of each other.
static int tn_kfd_happened(const tn_kfd_event *e, int i) {
  const uint32_t low = (uint32_t)tn_driver_load(e->signal[i]), done = e->aql[i] ? UINT32_MAX - low : low;
  return (int32_t)(done - (uint32_t)e->value[i]) >= 0;
}
// The host waits: what goes wrong there, or takes too long, the other device tells.
static void tn_kfd_wait_by_host(const tn_kfd *d, const tn_kfd_event *e) {
  const uint64_t since = tn_driver_clock_ns();
  for (int i = 0; i < 2; i++)
    for (int spins = 0; !tn_kfd_happened(e, i); spins++) {
      tn_driver_pause(spins);
      if (spins % 64 == 63 && tn_driver_clock_ns() - since > d->timeout_ns) return;
    }
}
// All queues wait, from their next words on.
static tiny_code tn_kfd_wait_by_queues(tn_kfd *d, const tn_kfd_event *e) {
  tn_kfd *o = e->of;
  tn_kfd_peer *p = tn_kfd_peer_of(d, o);
  for (int i = 0; i < 2; i++) {
    if (p && p->value[i] < e->value[i]) p->value[i] = e->value[i];
    for (int q = 0; q < TN_KFD_QUEUES && !tn_kfd_happened(e, i); q++) {
      const tiny_code code = tn_kfd_push_wait(d, q, &o->queue[i], tn_kfd_signal_at(o, i), e->value[i]);
      if (code != TINY_OK) return tn_kfd_failed(d);
    }
  }
  return TINY_OK;
}
// Of another context the host waits: its memory is not this one's to map.
static tiny_code tn_kfd_wait(void *dev, void *event) {
  tn_kfd *d = (tn_kfd *)dev;
  const tn_kfd_event *e = (const tn_kfd_event *)event;
  if (e->of == d || d->lost || (tn_kfd_happened(e, 0) && tn_kfd_happened(e, 1))) return TINY_OK;
  if (e->t == d->t && tn_kfd_reaches(d, e->of, e->of->signals)) return tn_kfd_wait_by_queues(d, e);
  tn_kfd_wait_by_host(d, e);
  return TINY_OK;
}
static void tn_kfd_event_free(void *dev, void *event) {
  tiny_realloc(((const tn_kfd *)dev)->t, event, sizeof(tn_kfd_event), 0);
}
#endif
// ---- end src/amd/peer.c ----
// ---- begin src/amd/memory.c ----
// memory: bytes to the GPU's memory and from it, by its copy engines; from other GPUs.
//
// In:    what the backend is asked. Out: blocks, which is what tiny_mem.base is; submissions on the queues of copies.
// Holds: bytes go to a block that no submission of launches uses any more while kernels before them run. Bytes from the
//        host are in memory of both when the call returns.
#ifndef TN_KFD_MEMORY
#define TN_KFD_MEMORY
#ifndef TINY_AMALGAMATED
#include "peer.c"
#endif

enum { TN_KFD_STAGE = 2 << 20 };           // bytes of a chunk

static uint64_t tn_kfd_at(tiny_mem m) { return ((const tn_device_block *)m.base)->va + m.offset; }
static void tn_kfd_use(tn_kfd *d, tiny_mem m) {
  ((tn_device_block *)m.base)->used = d->queue[TN_KFD_COMPUTE].given + 1;
}

// ** blocks **

static void *tn_kfd_blocks_make(void *user, uint64_t nbytes, uint64_t *va, uint64_t *got) {
  tn_kfd_memory *m = tn_kfd_memory_make((tn_kfd *)user, nbytes, 0);
  if (m) { *va = m->va; *got = m->nbytes; }
  return m;
}
static void tn_kfd_blocks_drop(void *user, void *memory) {
  tn_kfd_memory *m = (tn_kfd_memory *)memory;
  if (m->ngpu > 1) tn_kfd_unshare((tn_kfd *)user);
  tn_kfd_memory_free((tn_kfd *)user, m);
}
// When memory has run out, what is free goes back to the driver and it is tried again.
static void *tn_kfd_alloc_block(void *dev, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  if (tn_kfd_enter(d) != TINY_OK) return NULL;
  tn_device_block *b = tn_device_block_of(&d->blocks, nbytes);
  if (!b && tn_kfd_wait_all(d) == TINY_OK) {
    tn_device_regions_close(&d->blocks, 0);
    b = tn_device_block_of(&d->blocks, nbytes);
  }
  if (!b) { if (d->k.code != TINY_E_MEMORY) tn_kfd_failed(d); return NULL; }
  const uint64_t now = d->queue[TN_KFD_COMPUTE].given;
  if (b->used < now) b->used = now;        // what launches before did with it
  return b;
}
static void tn_kfd_free_block(void *dev, void *mem, size_t nbytes) {
  (void)nbytes;
  tn_device_block_give(&((tn_kfd *)dev)->blocks, (tn_device_block *)mem);
}

// ** copies **

static tiny_code tn_kfd_copy_words(tn_kfd *d, int queue, uint64_t to, uint64_t from, size_t nbytes) {
  const tiny_code code = tn_kfd_room(d, queue, 8);
  tn_kfd_words w;
  w.n = 0;
  tn_sdma_copy(&w, to, from, nbytes);
  if (code == TINY_OK) tn_kfd_push(&d->queue[queue], &w);
  return code;
}
// A chunk of staging is on its way to the block.
static tiny_code tn_kfd_copy_in_some(tn_kfd *d, uint64_t to, const char *src, size_t nbytes, uint64_t used) {
  char *const at = tn_kfd_ring_take(d, &d->stage_in, nbytes, 64);
  if (!at) return TINY_E_DEVICE;
  memcpy(at, src, nbytes);
  tiny_code code = tn_kfd_after(d, TN_KFD_IN, TN_KFD_COMPUTE, used);
  if (code == TINY_OK) code = tn_kfd_copy_words(d, TN_KFD_IN, to, tn_kfd_ring_va(&d->stage_in, at), nbytes);
  return code == TINY_OK ? tn_kfd_submit_words(d, TN_KFD_IN) : code;
}
static tiny_code tn_kfd_copy_in_at(tn_kfd *d, uint64_t to, const void *src, size_t nbytes, uint64_t used) {
  tiny_code code = TINY_OK;
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < TN_KFD_STAGE ? nbytes - at : (size_t)TN_KFD_STAGE;
    code = tn_kfd_copy_in_some(d, to + at, (const char *)src + at, n, used);
  }
  return code;
}
static tiny_code tn_kfd_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  const tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  return tn_kfd_check(d, tn_kfd_copy_in_at(d, tn_kfd_at(dst), src, nbytes, ((const tn_device_block *)dst.base)->used));
}

// A piece on its way to the host: what the queue's submission `value` brings.
typedef struct tn_kfd_piece { char *at, *to; size_t nbytes; uint64_t value; } tn_kfd_piece;
static tiny_code tn_kfd_copy_out_begin(tn_kfd *d, tn_kfd_piece *p, uint64_t from) {
  p->at = tn_kfd_ring_take(d, &d->stage_out, p->nbytes, 64);
  if (!p->at) return TINY_E_DEVICE;
  tiny_code code = tn_kfd_after(d, TN_KFD_OUT, TN_KFD_COMPUTE, d->queue[TN_KFD_COMPUTE].given);
  if (code == TINY_OK) code = tn_kfd_after(d, TN_KFD_OUT, TN_KFD_IN, d->queue[TN_KFD_IN].given);
  if (code == TINY_OK) code = tn_kfd_copy_words(d, TN_KFD_OUT, tn_kfd_ring_va(&d->stage_out, p->at), from, p->nbytes);
  if (code == TINY_OK) code = tn_kfd_submit_words(d, TN_KFD_OUT);
  p->value = d->queue[TN_KFD_OUT].given;
  return code;
}
static tiny_code tn_kfd_copy_out_end(tn_kfd *d, const tn_kfd_piece *p) {
  const tiny_code code = tn_kfd_wait_for(d, TN_KFD_OUT, p->value);
  if (code == TINY_OK) memcpy(p->to, p->at, p->nbytes);
  return code;
}
// One is on its way while the host empties the one before.
static tiny_code tn_kfd_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  tn_kfd_piece before = {NULL, NULL, 0, 0};
  tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  for (size_t at = 0; at < nbytes && code == TINY_OK; ) {
    tn_kfd_piece p = {NULL, (char *)dst + at, nbytes - at < TN_KFD_STAGE ? nbytes - at : (size_t)TN_KFD_STAGE, 0};
    code = tn_kfd_copy_out_begin(d, &p, tn_kfd_at(src) + at);
    if (code == TINY_OK && before.nbytes) code = tn_kfd_copy_out_end(d, &before);
    at += p.nbytes;
    before = p;
  }
  if (code == TINY_OK) code = before.nbytes ? tn_kfd_copy_out_end(d, &before) : tn_kfd_wait_all(d);
  if (code == TINY_OK && tn_kfd_is_lost(d)) code = TINY_E_DEVICE;
  return tn_kfd_check(d, code);
}

// ** from another device **

static tiny_code tn_kfd_copy_by_host(tn_kfd *d, tiny_mem dst, tn_kfd *from, tiny_mem src, size_t nbytes) {
  const size_t most = nbytes < TN_KFD_STAGE ? nbytes : (size_t)TN_KFD_STAGE;
  char *between = (char *)tiny_realloc(d->t, NULL, 0, most + !most);
  tiny_code code = TINY_OK;
  if (!between) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a copy between devices", d->name);
  for (size_t n; nbytes && code == TINY_OK; nbytes -= n, dst.offset += n, src.offset += n) {
    n = nbytes < most ? nbytes : most;
    code = tn_kfd_copy_out(from, between, src, n);
    if (code == TINY_OK) code = tn_kfd_copy_in(d, dst, between, n);
  }
  tiny_realloc(d->t, between, most + !most, 0);
  return code;
}
static tiny_code tn_kfd_copy_between(tn_kfd *d, uint64_t to, uint64_t from, size_t nbytes, uint64_t used) {
  tiny_code code = tn_kfd_after(d, TN_KFD_IN, TN_KFD_COMPUTE, used);
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < TN_SDMA_COPY_MOST ? nbytes - at : (size_t)TN_SDMA_COPY_MOST;
    code = tn_kfd_copy_words(d, TN_KFD_IN, to + at, from + at, n);
  }
  return code == TINY_OK ? tn_kfd_submit_words(d, TN_KFD_IN) : code;
}
// By this GPU's copy engine, which reads the other's memory where it is let.
static tiny_code tn_kfd_copy_from(void *dev, tiny_mem dst, void *other, tiny_mem src, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev, *from = (tn_kfd *)other;
  const tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  if (!tn_kfd_reaches(d, from, (tn_kfd_memory *)((const tn_device_block *)src.base)->region->memory))
    return tn_kfd_copy_by_host(d, dst, from, src, nbytes);
  return tn_kfd_check(d, tn_kfd_copy_between(d, tn_kfd_at(dst), tn_kfd_at(src), nbytes,
                                             ((const tn_device_block *)dst.base)->used));
}
#endif
// ---- end src/amd/memory.c ----
// ---- begin src/amd/share.c ----
// share: memory that goes from one program or driver to another as a dma-buf; the host's pages, used in place.
//
// In:    a device; a size, a file, or pages. Out: blocks, as tiny_blob_of takes them, each in memory of its own; a
//        file.
// Holds: nothing else lies in such memory, and what is free of it is given back at once.
// What is what: Linux, drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd_gpuvm.c (export, import, user pointers).
#ifndef TN_KFD_SHARE
#define TN_KFD_SHARE
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

static void *tn_kfd_share_failed(tn_kfd *d, tiny_code code, const char *says) {
  tiny_fail(d->t, code, "%s: %s", d->name, says);
  return NULL;
}
// The one block of this memory, which goes where code says so.
static void *tn_kfd_alone(tn_kfd *d, tn_kfd_memory *m, tiny_code code, const char *call) {
  if (code == TINY_OK) {
    tn_device_block *b = tn_device_block_alone(&d->blocks, m, m->va, m->nbytes);
    if (b) return b;
    tiny_fail(d->t, TINY_E_MEMORY, "%s: %s: no memory for what is known of it", d->name, call);
    return NULL;
  }
  tiny_fail(d->t, code, "%s: %s: %s", d->name, call, d->k.why);
  tn_kfd_memory_free(d, m);
  return NULL;
}

// ** out **

static tiny_code tn_kfd_clear(tn_kfd *d, uint64_t va, uint64_t nbytes) {
  const size_t most = nbytes < TN_KFD_STAGE ? (size_t)nbytes : (size_t)TN_KFD_STAGE;
  char *zeros = (char *)tiny_realloc(d->t, NULL, 0, most);
  tiny_code code = zeros ? TINY_OK : tn_kfd_wrong(&d->k, TINY_E_MEMORY, "no memory to clear memory with");
  if (zeros) memset(zeros, 0, most);
  for (uint64_t at = 0; at < nbytes && code == TINY_OK; at += most)
    code = tn_kfd_copy_in_at(d, va + at, zeros, nbytes - at < most ? (size_t)(nbytes - at) : most, 0);
  if (zeros) tiny_realloc(d->t, zeros, most, 0);
  return code == TINY_OK ? tn_kfd_wait_for(d, TN_KFD_IN, d->queue[TN_KFD_IN].given) : code;
}
static tiny_code tn_kfd_to_file(tn_kfd *d, const tn_kfd_memory *m, int *fd) {
  tn_kfd_export e = {m->handle, TN_DRIVER_OPEN, 0};
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_EXPORT, &e, sizeof e,
                                     "memory as a dma-buf (AMDKFD_IOC_EXPORT_DMABUF)");
  if (code == TINY_OK) *fd = (int)e.fd;
  return code;
}
TINY_API void *tiny_amd_share(void *dev, size_t nbytes, int *fd) {
  tn_kfd *d = (tn_kfd *)dev;
  *fd = -1;
  if (!d || tn_kfd_enter(d) != TINY_OK) return NULL;
  if (!nbytes) return tn_kfd_share_failed(d, TINY_E_ARG, "amd_share: there are no bytes");
  tn_kfd_memory *m = tn_kfd_memory_make(d, nbytes, 0);
  if (!m) return tn_kfd_share_failed(d, d->k.code, d->k.why);
  tiny_code code = tn_kfd_clear(d, m->va, m->nbytes);
  if (code == TINY_OK) code = tn_kfd_to_file(d, m, fd);
  void *const b = tn_kfd_alone(d, m, code, "amd_share");
  if (!b && *fd >= 0) { d->k.sys.close(d->k.sys.user, *fd); *fd = -1; }
  return b;
}

// ** in **

static tiny_code tn_kfd_from_file(tn_kfd *d, tn_kfd_memory *m, int fd) {
  tn_kfd_import i = {m->va, 0, d->node.gpu, (uint32_t)fd};
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_IMPORT, &i, sizeof i,
                                     "a dma-buf (AMDKFD_IOC_IMPORT_DMABUF)");
  if (code == TINY_OK) m->handle = i.handle;
  return code;
}
TINY_API void *tiny_amd_import(void *dev, int fd, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!d || tn_kfd_enter(d) != TINY_OK) return NULL;
  if (!nbytes || fd < 0) return tn_kfd_share_failed(d, TINY_E_ARG, "amd_import: there are no bytes, or no file");
  tn_kfd_memory *m = tn_kfd_memory_new(d, tn_kfd_pages(nbytes));
  if (!m) return tn_kfd_share_failed(d, TINY_E_MEMORY, d->k.why);
  m->va = tn_kfd_pointer(tn_kfd_reserve(d, m->nbytes, tn_kfd_alignment(nbytes)));
  tiny_code code = m->va ? tn_kfd_from_file(d, m, fd) : d->k.code;
  if (code == TINY_OK) code = tn_kfd_map_for(d, m, d->node.gpu);
  return tn_kfd_alone(d, m, code, "amd_import");
}
TINY_API void *tiny_amd_wrap(void *dev, void *at, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!d || tn_kfd_enter(d) != TINY_OK) return NULL;
  if (!nbytes || nbytes % TN_KFD_PAGE || tn_kfd_pointer(at) % TN_KFD_PAGE || !at)
    return tn_kfd_share_failed(d, TINY_E_ARG, "amd_wrap: there are no bytes, or they are no whole pages of 4096");
  tn_kfd_memory *m = tn_kfd_memory_new(d, nbytes);
  if (!m) return tn_kfd_share_failed(d, TINY_E_MEMORY, d->k.why);
  uint64_t offset = tn_kfd_pointer(at);
  m->va = offset;
  m->borrowed = 1;
  tiny_code code = tn_kfd_memory_alloc(d, m, TN_KFD_USERPTR | TN_KFD_COHERENT | TN_KFD_UNCACHED | TN_KFD_PUBLIC,
                                       &offset);
  if (code == TINY_OK) code = tn_kfd_map_for(d, m, d->node.gpu);
  return tn_kfd_alone(d, m, code, "amd_wrap");
}
TINY_API void tiny_amd_release(void *dev, void *mem) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!mem) return;
  if (!d->lost) tn_kfd_wait_all(d);
  tn_device_region_close(&d->blocks, ((tn_device_block *)mem)->region);
}
#endif
// ---- end src/amd/share.c ----
// ---- begin src/amd/../isa/amd.c ----
// amd: the machine instructions of AMD's GPUs, of three families: their chips, and what an instruction is made of.
//
// In:  nothing. Out: types that amd_table.c (rows), amd_layout.c (bits), amd_code.c (words), amd_text.c and amd_parse.c
//      (text, as LLVM spells it) share.
// Holds: an instruction of 0 bytes everywhere is none. Operands stand in the assembler's order; what is not an operand
//      (offsets, caches, lanes) is a modifier, by number. On gfx11 and gfx12 masks are those of wave32.
// Source: AMD's "RDNA3", "RDNA4" and "CDNA3 Instruction Set Architecture" reference guides; LLVM's AMDGPU user guide.
// What is taken where several encodings would do is what LLVM's assembler takes: tests/test_amd_isa.c compares all.
#ifndef TN_ISA_AMD
#define TN_ISA_AMD
#include <stdint.h>
#include <string.h>

// ** chips **

enum { TN_AMD_GFX11, TN_AMD_GFX12, TN_AMD_GFX9, TN_AMD_FAMILIES };     // RDNA3, RDNA4, CDNA3
// Families as bits.
enum { TN_AMD_ON_11 = 1 << TN_AMD_GFX11, TN_AMD_ON_12 = 1 << TN_AMD_GFX12, TN_AMD_ON_9 = 1 << TN_AMD_GFX9,
  TN_AMD_ON_RDNA = TN_AMD_ON_11 | TN_AMD_ON_12, TN_AMD_ON_ALL = TN_AMD_ON_RDNA | TN_AMD_ON_9 };

// vgprs: of a SIMD for a lane of the narrowest wave; granule: in which a wave is given them, of wave: 32 or 64 lanes;
// waves: that a SIMD holds; simds: of a unit that shares LDS (a CU; on RDNA half a WGP); sgprs: that a wave may name
typedef struct tn_amd_chip {
  char name[8]; uint8_t family, elf, wave, waves, simds, granule; uint16_t vgprs, sgprs; uint32_t lds;
} tn_amd_chip;
// elf: the processor in e_flags (LLVM, AMDGPUUsage, "AMDGPU Machine Codes"); limits: LLVM's AMDGPUBaseInfo
static const tn_amd_chip tn_amd_chips[] = {
  {"gfx1100", TN_AMD_GFX11, 0x41, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1101", TN_AMD_GFX11, 0x46, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1102", TN_AMD_GFX11, 0x47, 32, 16, 2, 16, 1024, 106, 65536},
  {"gfx1103", TN_AMD_GFX11, 0x44, 32, 16, 2, 16, 1024, 106, 65536},
  {"gfx1150", TN_AMD_GFX11, 0x43, 32, 16, 2, 16, 1024, 106, 65536},
  {"gfx1151", TN_AMD_GFX11, 0x4A, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1200", TN_AMD_GFX12, 0x48, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1201", TN_AMD_GFX12, 0x4E, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx942",  TN_AMD_GFX9,  0x4C, 64,  8, 4,  8,  512, 102, 65536}
};
enum { TN_AMD_CHIPS = sizeof tn_amd_chips / sizeof *tn_amd_chips };

// ** formats: of an opcode; a row says which in each family **

enum { TN_AMD_NO_FORMAT, TN_AMD_SOP2, TN_AMD_SOP1, TN_AMD_SOPC, TN_AMD_SOPK, TN_AMD_SOPP, TN_AMD_SMEM, TN_AMD_VOP1,
  TN_AMD_VOP2, TN_AMD_VOPC, TN_AMD_VOP3, TN_AMD_VOP3SD, TN_AMD_VOP3P, TN_AMD_MFMA, TN_AMD_VOPD, TN_AMD_DS, TN_AMD_FLAT,
  TN_AMD_SCRATCH, TN_AMD_GLOBAL, TN_AMD_MUBUF, TN_AMD_FORMATS };

// ** instructions **

// Kinds of operands. VGPR, AGPR: reg is the number. SGPR: reg is a code below; a pair by its first. SPECIAL: a scalar
// that is only read. INLINE: the constant of code reg, 128 to 208 whole numbers, 240 to 248 floats. LITERAL: value, 32
// bits, of f64 the upper ones. NUMBER: value of simm16. OFF: no register stands where one could.
enum { TN_AMD_NONE, TN_AMD_VGPR, TN_AMD_AGPR, TN_AMD_SGPR, TN_AMD_SPECIAL, TN_AMD_INLINE, TN_AMD_LITERAL,
  TN_AMD_NUMBER, TN_AMD_OFF };
// Codes of SGPR from 102 on, the same of all families in an instruction (gfx9's own words say 124 for M0).
enum { TN_AMD_FLAT_SCRATCH = 102, TN_AMD_XNACK_MASK = 104,             // gfx9 alone
  TN_AMD_VCC = 106, TN_AMD_TTMP = 108, TN_AMD_NULL = 124, TN_AMD_M0 = 125, TN_AMD_EXEC = 126 };
enum { TN_AMD_SHARED_BASE = 235, TN_AMD_SHARED_LIMIT, TN_AMD_PRIVATE_BASE, TN_AMD_PRIVATE_LIMIT,
  TN_AMD_POPS_ID, TN_AMD_VCCZ = 251, TN_AMD_EXECZ, TN_AMD_SCC };                       // of SPECIAL

// Modifiers of a whole instruction.
enum {
  TN_AMD_CLAMP, TN_AMD_OMOD,               // OMOD: result times 1, 2, 4, 1/2
  TN_AMD_OFFSET, TN_AMD_OFFSET1,           // bytes; of ds_*2*: elements, OFFSET of the first
  TN_AMD_GLC, TN_AMD_SLC, TN_AMD_DLC,      // gfx11
  TN_AMD_SCOPE, TN_AMD_TH, TN_AMD_NV,      // gfx12: 0 to 3, CU SE DEV SYS; temporal hint
  TN_AMD_SC0, TN_AMD_SC1, TN_AMD_NT,       // gfx9
  TN_AMD_TFE, TN_AMD_OFFEN, TN_AMD_IDXEN,  // of buffers; TFE: another dword says which loads failed
  TN_AMD_CBSZ, TN_AMD_ABID, TN_AMD_BLGP,   // of MFMA; BLGP of f64: which operands are negated
  TN_AMD_BYTE_SEL, TN_AMD_INDEX_KEY,       // of gfx12: which byte of fp8, which half of the indices of SWMMAC
  TN_AMD_DPP_CTRL, TN_AMD_BOUND_CTRL, TN_AMD_FI, TN_AMD_ROW_MASK, TN_AMD_BANK_MASK,
  TN_AMD_LANES_8,                          // of DPP8: eight lanes of 3 bits
  TN_AMD_DST_SEL, TN_AMD_DST_UNUSED, TN_AMD_SRC0_SEL, TN_AMD_SRC1_SEL, // of SDWA
  TN_AMD_MODIFIERS
};
enum { TN_AMD_PLAIN, TN_AMD_DPP16, TN_AMD_DPP8, TN_AMD_SDWA };         // how src0 passes from lane to lane

enum { TN_AMD_MOST_OPERANDS = 5, TN_AMD_MOST_WORDS = 4 };
// neg, abs: of packed operands of the low and of the high half. op_sel, op_sel_hi: which half is taken for the low and
// the high half; op_sel of what is written: into which. sext: of SDWA. sub: of virtual registers (amd_list.c).
typedef struct tn_amd_operand {
  uint8_t kind, dwords, neg, abs, op_sel, op_sel_hi, sext, sub;
  uint16_t reg;
  uint32_t value;
} tn_amd_operand;
// long_form: VOP1, VOP2 and VOPC as VOP3. A pair that is issued as one (VOPD): op and o are the first of it, op_y and y
// the second, 0: it is none.
typedef struct tn_amd_ins {
  uint16_t op, op_y;
  uint8_t family, n, n_y, long_form, lanes;
  tn_amd_operand o[TN_AMD_MOST_OPERANDS], y[4];
  int32_t m[TN_AMD_MODIFIERS];
} tn_amd_ins;
#endif
// ---- end src/amd/../isa/amd.c ----
// ---- begin src/amd/../isa/amd_scalars.c ----
// amd_scalars: rows of the table of AMD's instructions: scalar ones, scalar memory, branches, waits.
//
// In:  a macro. Out: it, called for each row. What the columns are stands in amd_table.c, which includes this room.
#ifndef TN_ISA_AMD_SCALARS
#define TN_ISA_AMD_SCALARS

// ** scalars **

#define TN_AMD_SCALAR_ROWS(_) \
  TN_AMD_OF(_, SOP2, S_ADD_U32, "s_add_u32|12:s_add_co_u32", "D10111", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOP2, S_SUB_U32, "s_sub_u32|12:s_sub_co_u32", "D10111", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SOP2, S_ADD_I32, "s_add_i32|12:s_add_co_i32", "D10111", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SOP2, S_SUB_I32, "s_sub_i32|12:s_sub_co_i32", "D10111", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SOP2, S_ADDC_U32, "s_addc_u32|12:s_add_co_ci_u32", "D10111", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, SOP2, S_SUBB_U32, "s_subb_u32|12:s_sub_co_ci_u32", "D10111", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, SOP2, S_ABSDIFF_I32, "s_absdiff_i32", "D10111", 0x06, 0x06, 0x2A) \
  TN_AMD_OF(_, SOP2, S_LSHL_B32, "s_lshl_b32", "D10111", 0x08, 0x08, 0x1C) \
  TN_AMD_OF(_, SOP2, S_LSHL_B64, "s_lshl_b64", "D20211", 0x09, 0x09, 0x1D) \
  TN_AMD_OF(_, SOP2, S_LSHR_B32, "s_lshr_b32", "D10111", 0x0A, 0x0A, 0x1E) \
  TN_AMD_OF(_, SOP2, S_LSHR_B64, "s_lshr_b64", "D20211", 0x0B, 0x0B, 0x1F) \
  TN_AMD_OF(_, SOP2, S_ASHR_I32, "s_ashr_i32", "D10111", 0x0C, 0x0C, 0x20) \
  TN_AMD_OF(_, SOP2, S_ASHR_I64, "s_ashr_i64", "D20211", 0x0D, 0x0D, 0x21) \
  TN_AMD_OF(_, SOP2, S_LSHL1_ADD_U32, "s_lshl1_add_u32", "D10111", 0x0E, 0x0E, 0x2E) \
  TN_AMD_OF(_, SOP2, S_LSHL2_ADD_U32, "s_lshl2_add_u32", "D10111", 0x0F, 0x0F, 0x2F) \
  TN_AMD_OF(_, SOP2, S_LSHL3_ADD_U32, "s_lshl3_add_u32", "D10111", 0x10, 0x10, 0x30) \
  TN_AMD_OF(_, SOP2, S_LSHL4_ADD_U32, "s_lshl4_add_u32", "D10111", 0x11, 0x11, 0x31) \
  TN_AMD_OF(_, SOP2, S_MIN_I32, "s_min_i32", "D10111", 0x12, 0x12, 0x06) \
  TN_AMD_OF(_, SOP2, S_MIN_U32, "s_min_u32", "D10111", 0x13, 0x13, 0x07) \
  TN_AMD_OF(_, SOP2, S_MAX_I32, "s_max_i32", "D10111", 0x14, 0x14, 0x08) \
  TN_AMD_OF(_, SOP2, S_MAX_U32, "s_max_u32", "D10111", 0x15, 0x15, 0x09) \
  TN_AMD_OF(_, SOP2, S_AND_B32, "s_and_b32", "D10111", 0x16, 0x16, 0x0C) \
  TN_AMD_OF(_, SOP2, S_AND_B64, "s_and_b64", "D20212", 0x17, 0x17, 0x0D) \
  TN_AMD_OF(_, SOP2, S_OR_B32, "s_or_b32", "D10111", 0x18, 0x18, 0x0E) \
  TN_AMD_OF(_, SOP2, S_OR_B64, "s_or_b64", "D20212", 0x19, 0x19, 0x0F) \
  TN_AMD_OF(_, SOP2, S_XOR_B32, "s_xor_b32", "D10111", 0x1A, 0x1A, 0x10) \
  TN_AMD_OF(_, SOP2, S_XOR_B64, "s_xor_b64", "D20212", 0x1B, 0x1B, 0x11) \
  TN_AMD_OF(_, SOP2, S_NAND_B32, "s_nand_b32", "D10111", 0x1C, 0x1C, 0x16) \
  TN_AMD_OF(_, SOP2, S_NAND_B64, "s_nand_b64", "D20212", 0x1D, 0x1D, 0x17) \
  TN_AMD_OF(_, SOP2, S_NOR_B32, "s_nor_b32", "D10111", 0x1E, 0x1E, 0x18) \
  TN_AMD_OF(_, SOP2, S_NOR_B64, "s_nor_b64", "D20212", 0x1F, 0x1F, 0x19) \
  TN_AMD_OF(_, SOP2, S_XNOR_B32, "s_xnor_b32", "D10111", 0x20, 0x20, 0x1A) \
  TN_AMD_OF(_, SOP2, S_XNOR_B64, "s_xnor_b64", "D20212", 0x21, 0x21, 0x1B) \
  TN_AMD_OF(_, SOP2, S_AND_NOT1_B32, "s_and_not1_b32|9:s_andn2_b32", "D10111", 0x22, 0x22, 0x12) \
  TN_AMD_OF(_, SOP2, S_AND_NOT1_B64, "s_and_not1_b64|9:s_andn2_b64", "D20212", 0x23, 0x23, 0x13) \
  TN_AMD_OF(_, SOP2, S_OR_NOT1_B32, "s_or_not1_b32|9:s_orn2_b32", "D10111", 0x24, 0x24, 0x14) \
  TN_AMD_OF(_, SOP2, S_OR_NOT1_B64, "s_or_not1_b64|9:s_orn2_b64", "D20212", 0x25, 0x25, 0x15) \
  TN_AMD_OF(_, SOP2, S_BFE_U32, "s_bfe_u32", "D10111", 0x26, 0x26, 0x25) \
  TN_AMD_OF(_, SOP2, S_BFE_I32, "s_bfe_i32", "D10111", 0x27, 0x27, 0x26) \
  TN_AMD_OF(_, SOP2, S_BFE_U64, "s_bfe_u64", "D20211", 0x28, 0x28, 0x27) \
  TN_AMD_OF(_, SOP2, S_BFE_I64, "s_bfe_i64", "D20211", 0x29, 0x29, 0x28) \
  TN_AMD_OF(_, SOP2, S_BFM_B32, "s_bfm_b32", "D10111", 0x2A, 0x2A, 0x22) \
  TN_AMD_OF(_, SOP2, S_BFM_B64, "s_bfm_b64", "D20111", 0x2B, 0x2B, 0x23) \
  TN_AMD_OF(_, SOP2, S_MUL_I32, "s_mul_i32", "D10111", 0x2C, 0x2C, 0x24) \
  TN_AMD_OF(_, SOP2, S_MUL_HI_U32, "s_mul_hi_u32", "D10111", 0x2D, 0x2D, 0x2C) \
  TN_AMD_OF(_, SOP2, S_MUL_HI_I32, "s_mul_hi_i32", "D10111", 0x2E, 0x2E, 0x2D) \
  TN_AMD_OF(_, SOP2, S_CSELECT_B32, "s_cselect_b32", "D10111", 0x30, 0x30, 0x0A) \
  TN_AMD_OF(_, SOP2, S_CSELECT_B64, "s_cselect_b64", "D20212", 0x31, 0x31, 0x0B) \
  TN_AMD_OF(_, SOP2, S_PACK_LL_B32_B16, "s_pack_ll_b32_b16", "D10111", 0x32, 0x32, 0x32) \
  TN_AMD_OF(_, SOP2, S_PACK_LH_B32_B16, "s_pack_lh_b32_b16", "D10111", 0x33, 0x33, 0x33) \
  TN_AMD_OF(_, SOP2, S_PACK_HH_B32_B16, "s_pack_hh_b32_b16", "D10111", 0x34, 0x34, 0x34) \
  TN_AMD_OF(_, SOP2, S_PACK_HL_B32_B16, "s_pack_hl_b32_b16", "D10111", 0x35, 0x35, -1) \
  TN_AMD_OF(_, SOP2, S_ADD_F32, "s_add_f32", "D10111", -1, 0x40, -1) \
  TN_AMD_OF(_, SOP2, S_SUB_F32, "s_sub_f32", "D10111", -1, 0x41, -1) \
  TN_AMD_OF(_, SOP2, S_MIN_NUM_F32, "s_min_num_f32", "D10111", -1, 0x42, -1) \
  TN_AMD_OF(_, SOP2, S_MAX_NUM_F32, "s_max_num_f32", "D10111", -1, 0x43, -1) \
  TN_AMD_OF(_, SOP2, S_MUL_F32, "s_mul_f32", "D10111", -1, 0x44, -1) \
  TN_AMD_OF(_, SOP2, S_FMAAK_F32, "s_fmaak_f32", "D10111K1", -1, 0x45, -1) \
  TN_AMD_OF(_, SOP2, S_FMAMK_F32, "s_fmamk_f32", "D101K111", -1, 0x46, -1) \
  TN_AMD_OF(_, SOP2, S_FMAC_F32, "s_fmac_f32", "D10111", -1, 0x47, -1) \
  TN_AMD_OF(_, SOP2, S_CVT_PK_RTZ_F16_F32, "s_cvt_pk_rtz_f16_f32", "D10111", -1, 0x48, -1) \
  TN_AMD_OF(_, SOP2, S_ADD_F16, "s_add_f16", "D10111", -1, 0x49, -1) \
  TN_AMD_OF(_, SOP2, S_SUB_F16, "s_sub_f16", "D10111", -1, 0x4A, -1) \
  TN_AMD_OF(_, SOP2, S_MIN_NUM_F16, "s_min_num_f16", "D10111", -1, 0x4B, -1) \
  TN_AMD_OF(_, SOP2, S_MAX_NUM_F16, "s_max_num_f16", "D10111", -1, 0x4C, -1) \
  TN_AMD_OF(_, SOP2, S_MUL_F16, "s_mul_f16", "D10111", -1, 0x4D, -1) \
  TN_AMD_OF(_, SOP2, S_FMAC_F16, "s_fmac_f16", "D10111", -1, 0x4E, -1) \
  TN_AMD_OF(_, SOP2, S_MINIMUM_F32, "s_minimum_f32", "D10111", -1, 0x4F, -1) \
  TN_AMD_OF(_, SOP2, S_MAXIMUM_F32, "s_maximum_f32", "D10111", -1, 0x50, -1) \
  TN_AMD_OF(_, SOP2, S_MINIMUM_F16, "s_minimum_f16", "D10111", -1, 0x51, -1) \
  TN_AMD_OF(_, SOP2, S_MAXIMUM_F16, "s_maximum_f16", "D10111", -1, 0x52, -1) \
  TN_AMD_OF(_, SOP2, S_ADD_NC_U64, "s_add_nc_u64", "D20212", -1, 0x53, -1) \
  TN_AMD_OF(_, SOP2, S_SUB_NC_U64, "s_sub_nc_u64", "D20212", -1, 0x54, -1) \
  TN_AMD_OF(_, SOP2, S_MUL_U64, "s_mul_u64", "D20212", -1, 0x55, -1) \
  TN_AMD_OF(_, SOP1, S_MOV_B32, "s_mov_b32", "D101", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOP1, S_MOV_B64, "s_mov_b64", "D202", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SOP1, S_CMOV_B32, "s_cmov_b32", "D101", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SOP1, S_CMOV_B64, "s_cmov_b64", "D202", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SOP1, S_BREV_B32, "s_brev_b32", "D101", 0x04, 0x04, 0x08) \
  TN_AMD_OF(_, SOP1, S_BREV_B64, "s_brev_b64", "D202", 0x05, 0x05, 0x09) \
  TN_AMD_OF(_, SOP1, S_CTZ_I32_B32, "s_ctz_i32_b32|9:s_ff1_i32_b32", "D101", 0x08, 0x08, 0x10) \
  TN_AMD_OF(_, SOP1, S_CTZ_I32_B64, "s_ctz_i32_b64|9:s_ff1_i32_b64", "D102", 0x09, 0x09, 0x11) \
  TN_AMD_OF(_, SOP1, S_CLZ_I32_U32, "s_clz_i32_u32|9:s_flbit_i32_b32", "D101", 0x0A, 0x0A, 0x12) \
  TN_AMD_OF(_, SOP1, S_CLZ_I32_U64, "s_clz_i32_u64|9:s_flbit_i32_b64", "D102", 0x0B, 0x0B, 0x13) \
  TN_AMD_OF(_, SOP1, S_CLS_I32, "s_cls_i32|9:s_flbit_i32", "D101", 0x0C, 0x0C, 0x14) \
  TN_AMD_OF(_, SOP1, S_CLS_I32_I64, "s_cls_i32_i64|9:s_flbit_i32_i64", "D102", 0x0D, 0x0D, 0x15) \
  TN_AMD_OF(_, SOP1, S_SEXT_I32_I8, "s_sext_i32_i8", "D101", 0x0E, 0x0E, 0x16) \
  TN_AMD_OF(_, SOP1, S_SEXT_I32_I16, "s_sext_i32_i16", "D101", 0x0F, 0x0F, 0x17) \
  TN_AMD_OF(_, SOP1, S_BITSET0_B32, "s_bitset0_b32", "D101", 0x10, 0x10, 0x18) \
  TN_AMD_OF(_, SOP1, S_BITSET0_B64, "s_bitset0_b64", "D201", 0x11, 0x11, 0x19) \
  TN_AMD_OF(_, SOP1, S_BITSET1_B32, "s_bitset1_b32", "D101", 0x12, 0x12, 0x1A) \
  TN_AMD_OF(_, SOP1, S_BITSET1_B64, "s_bitset1_b64", "D201", 0x13, 0x13, 0x1B) \
  TN_AMD_OF(_, SOP1, S_BITREPLICATE_B64_B32, "s_bitreplicate_b64_b32", "D201", 0x14, 0x14, 0x37) \
  TN_AMD_OF(_, SOP1, S_ABS_I32, "s_abs_i32", "D101", 0x15, 0x15, 0x30) \
  TN_AMD_OF(_, SOP1, S_BCNT0_I32_B32, "s_bcnt0_i32_b32", "D101", 0x16, 0x16, 0x0A) \
  TN_AMD_OF(_, SOP1, S_BCNT0_I32_B64, "s_bcnt0_i32_b64", "D102", 0x17, 0x17, 0x0B) \
  TN_AMD_OF(_, SOP1, S_BCNT1_I32_B32, "s_bcnt1_i32_b32", "D101", 0x18, 0x18, 0x0C) \
  TN_AMD_OF(_, SOP1, S_BCNT1_I32_B64, "s_bcnt1_i32_b64", "D102", 0x19, 0x19, 0x0D) \
  TN_AMD_OF(_, SOP1, S_QUADMASK_B32, "s_quadmask_b32", "D101", 0x1A, 0x1A, 0x28) \
  TN_AMD_OF(_, SOP1, S_QUADMASK_B64, "s_quadmask_b64", "D202", 0x1B, 0x1B, 0x29) \
  TN_AMD_OF(_, SOP1, S_WQM_B32, "s_wqm_b32", "D101", 0x1C, 0x1C, 0x06) \
  TN_AMD_OF(_, SOP1, S_WQM_B64, "s_wqm_b64", "D202", 0x1D, 0x1D, 0x07) \
  TN_AMD_OF(_, SOP1, S_NOT_B32, "s_not_b32", "D101", 0x1E, 0x1E, 0x04) \
  TN_AMD_OF(_, SOP1, S_NOT_B64, "s_not_b64", "D202", 0x1F, 0x1F, 0x05) \
  TN_AMD_OF(_, SOP1, S_AND_SAVEEXEC_B32, "s_and_saveexec_b32", "D101", 0x20, 0x20, -1) \
  TN_AMD_OF(_, SOP1, S_AND_SAVEEXEC_B64, "s_and_saveexec_b64", "D202", 0x21, 0x21, 0x20) \
  TN_AMD_OF(_, SOP1, S_OR_SAVEEXEC_B32, "s_or_saveexec_b32", "D101", 0x22, 0x22, -1) \
  TN_AMD_OF(_, SOP1, S_OR_SAVEEXEC_B64, "s_or_saveexec_b64", "D202", 0x23, 0x23, 0x21) \
  TN_AMD_OF(_, SOP1, S_XOR_SAVEEXEC_B32, "s_xor_saveexec_b32", "D101", 0x24, 0x24, -1) \
  TN_AMD_OF(_, SOP1, S_XOR_SAVEEXEC_B64, "s_xor_saveexec_b64", "D202", 0x25, 0x25, 0x22) \
  TN_AMD_OF(_, SOP1, S_NAND_SAVEEXEC_B32, "s_nand_saveexec_b32", "D101", 0x26, 0x26, -1) \
  TN_AMD_OF(_, SOP1, S_NAND_SAVEEXEC_B64, "s_nand_saveexec_b64", "D202", 0x27, 0x27, 0x25) \
  TN_AMD_OF(_, SOP1, S_NOR_SAVEEXEC_B32, "s_nor_saveexec_b32", "D101", 0x28, 0x28, -1) \
  TN_AMD_OF(_, SOP1, S_NOR_SAVEEXEC_B64, "s_nor_saveexec_b64", "D202", 0x29, 0x29, 0x26) \
  TN_AMD_OF(_, SOP1, S_XNOR_SAVEEXEC_B32, "s_xnor_saveexec_b32", "D101", 0x2A, 0x2A, -1) \
  TN_AMD_OF(_, SOP1, S_XNOR_SAVEEXEC_B64, "s_xnor_saveexec_b64", "D202", 0x2B, 0x2B, 0x27) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_SAVEEXEC_B32, "s_and_not0_saveexec_b32", "D101", 0x2C, 0x2C, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_SAVEEXEC_B64, \
    "s_and_not0_saveexec_b64|9:s_andn1_saveexec_b64", "D202", 0x2D, 0x2D, 0x33) \
  TN_AMD_OF(_, SOP1, S_OR_NOT0_SAVEEXEC_B32, "s_or_not0_saveexec_b32", "D101", 0x2E, 0x2E, -1) \
  TN_AMD_OF(_, SOP1, S_OR_NOT0_SAVEEXEC_B64, \
    "s_or_not0_saveexec_b64|9:s_orn1_saveexec_b64", "D202", 0x2F, 0x2F, 0x34) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_SAVEEXEC_B32, "s_and_not1_saveexec_b32", "D101", 0x30, 0x30, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_SAVEEXEC_B64, \
    "s_and_not1_saveexec_b64|9:s_andn2_saveexec_b64", "D202", 0x31, 0x31, 0x23) \
  TN_AMD_OF(_, SOP1, S_OR_NOT1_SAVEEXEC_B32, "s_or_not1_saveexec_b32", "D101", 0x32, 0x32, -1) \
  TN_AMD_OF(_, SOP1, S_OR_NOT1_SAVEEXEC_B64, \
    "s_or_not1_saveexec_b64|9:s_orn2_saveexec_b64", "D202", 0x33, 0x33, 0x24) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_WREXEC_B32, "s_and_not0_wrexec_b32", "D101", 0x34, 0x34, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT0_WREXEC_B64, "s_and_not0_wrexec_b64|9:s_andn1_wrexec_b64", "D202", 0x35, 0x35, 0x35) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_WREXEC_B32, "s_and_not1_wrexec_b32", "D101", 0x36, 0x36, -1) \
  TN_AMD_OF(_, SOP1, S_AND_NOT1_WREXEC_B64, "s_and_not1_wrexec_b64|9:s_andn2_wrexec_b64", "D202", 0x37, 0x37, 0x36) \
  TN_AMD_OF(_, SOP1, S_MOVRELS_B32, "s_movrels_b32", "D1X1", 0x40, 0x40, 0x2A) \
  TN_AMD_OF(_, SOP1, S_MOVRELS_B64, "s_movrels_b64", "D2X2", 0x41, 0x41, 0x2B) \
  TN_AMD_OF(_, SOP1, S_MOVRELD_B32, "s_movreld_b32", "D101", 0x42, 0x42, 0x2C) \
  TN_AMD_OF(_, SOP1, S_MOVRELD_B64, "s_movreld_b64", "D202", 0x43, 0x43, 0x2D) \
  TN_AMD_OF(_, SOP1, S_GETPC_B64, "s_getpc_b64", "D2", 0x47, 0x47, 0x1C) \
  TN_AMD_OF(_, SOP1, S_SETPC_B64, "s_setpc_b64", "X2", 0x48, 0x48, 0x1D) \
  TN_AMD_OF(_, SOP1, S_SWAPPC_B64, "s_swappc_b64", "D202", 0x49, 0x49, 0x1E) \
  TN_AMD_OF(_, SOP1, S_SENDMSG_RTN_B32, "s_sendmsg_rtn_b32", "D1M1", 0x4C, 0x4C, -1) \
  TN_AMD_OF(_, SOP1, S_SENDMSG_RTN_B64, "s_sendmsg_rtn_b64", "D2M1", 0x4D, 0x4D, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_SIGNAL, "s_barrier_signal", "01", -1, 0x4E, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_SIGNAL_ISFIRST, "s_barrier_signal_isfirst", "01", -1, 0x4F, -1) \
  TN_AMD_OF(_, SOP1, S_GET_BARRIER_STATE, "s_get_barrier_state", "D101", -1, 0x50, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_INIT, "s_barrier_init", "01", -1, 0x51, -1) \
  TN_AMD_OF(_, SOP1, S_BARRIER_JOIN, "s_barrier_join", "01", -1, 0x52, -1) \
  TN_AMD_OF(_, SOP1, S_WAKEUP_BARRIER, "s_wakeup_barrier", "01", -1, 0x57, -1) \
  TN_AMD_OF(_, SOP1, S_SLEEP_VAR, "s_sleep_var", "01", -1, 0x58, -1) \
  TN_AMD_OF(_, SOP1, S_CEIL_F32, "s_ceil_f32", "D101", -1, 0x60, -1) \
  TN_AMD_OF(_, SOP1, S_FLOOR_F32, "s_floor_f32", "D101", -1, 0x61, -1) \
  TN_AMD_OF(_, SOP1, S_TRUNC_F32, "s_trunc_f32", "D101", -1, 0x62, -1) \
  TN_AMD_OF(_, SOP1, S_RNDNE_F32, "s_rndne_f32", "D101", -1, 0x63, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F32_I32, "s_cvt_f32_i32", "D101", -1, 0x64, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F32_U32, "s_cvt_f32_u32", "D101", -1, 0x65, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_I32_F32, "s_cvt_i32_f32", "D101", -1, 0x66, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_U32_F32, "s_cvt_u32_f32", "D101", -1, 0x67, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F16_F32, "s_cvt_f16_f32", "D101", -1, 0x68, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_F32_F16, "s_cvt_f32_f16", "D101", -1, 0x69, -1) \
  TN_AMD_OF(_, SOP1, S_CVT_HI_F32_F16, "s_cvt_hi_f32_f16", "D101", -1, 0x6A, -1) \
  TN_AMD_OF(_, SOP1, S_CEIL_F16, "s_ceil_f16", "D101", -1, 0x6B, -1) \
  TN_AMD_OF(_, SOP1, S_FLOOR_F16, "s_floor_f16", "D101", -1, 0x6C, -1) \
  TN_AMD_OF(_, SOP1, S_TRUNC_F16, "s_trunc_f16", "D101", -1, 0x6D, -1) \
  TN_AMD_OF(_, SOP1, S_RNDNE_F16, "s_rndne_f16", "D101", -1, 0x6E, -1) \
  TN_AMD_OF(_, SOP1, S_FF0_I32_B32, "s_ff0_i32_b32", "D101", -1, -1, 0x0E) \
  TN_AMD_OF(_, SOP1, S_FF0_I32_B64, "s_ff0_i32_b64", "D102", -1, -1, 0x0F) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_I32, "s_cmp_eq_i32", "0111", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_I32, "s_cmp_lg_i32", "0111", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_I32, "s_cmp_gt_i32", "0111", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_I32, "s_cmp_ge_i32", "0111", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_I32, "s_cmp_lt_i32", "0111", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_I32, "s_cmp_le_i32", "0111", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_U32, "s_cmp_eq_u32", "0111", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_U32, "s_cmp_lg_u32", "0111", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_U32, "s_cmp_gt_u32", "0111", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_U32, "s_cmp_ge_u32", "0111", 0x09, 0x09, 0x09) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_U32, "s_cmp_lt_u32", "0111", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_U32, "s_cmp_le_u32", "0111", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, SOPC, S_BITCMP0_B32, "s_bitcmp0_b32", "0111", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, SOPC, S_BITCMP1_B32, "s_bitcmp1_b32", "0111", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, SOPC, S_BITCMP0_B64, "s_bitcmp0_b64", "0211", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, SOPC, S_BITCMP1_B64, "s_bitcmp1_b64", "0211", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_U64, "s_cmp_eq_u64", "0212", 0x10, 0x10, 0x12) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_U64, "s_cmp_lg_u64", "0212", 0x11, 0x11, 0x13) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_F32, "s_cmp_lt_f32", "0111", -1, 0x41, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_F32, "s_cmp_eq_f32", "0111", -1, 0x42, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_F32, "s_cmp_le_f32", "0111", -1, 0x43, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_F32, "s_cmp_gt_f32", "0111", -1, 0x44, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_F32, "s_cmp_lg_f32", "0111", -1, 0x45, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_F32, "s_cmp_ge_f32", "0111", -1, 0x46, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_O_F32, "s_cmp_o_f32", "0111", -1, 0x47, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_U_F32, "s_cmp_u_f32", "0111", -1, 0x48, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGE_F32, "s_cmp_nge_f32", "0111", -1, 0x49, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLG_F32, "s_cmp_nlg_f32", "0111", -1, 0x4A, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGT_F32, "s_cmp_ngt_f32", "0111", -1, 0x4B, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLE_F32, "s_cmp_nle_f32", "0111", -1, 0x4C, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NEQ_F32, "s_cmp_neq_f32", "0111", -1, 0x4D, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLT_F32, "s_cmp_nlt_f32", "0111", -1, 0x4E, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LT_F16, "s_cmp_lt_f16", "0w1w", -1, 0x51, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_EQ_F16, "s_cmp_eq_f16", "0w1w", -1, 0x52, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LE_F16, "s_cmp_le_f16", "0w1w", -1, 0x53, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GT_F16, "s_cmp_gt_f16", "0w1w", -1, 0x54, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_LG_F16, "s_cmp_lg_f16", "0w1w", -1, 0x55, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_GE_F16, "s_cmp_ge_f16", "0w1w", -1, 0x56, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_O_F16, "s_cmp_o_f16", "0w1w", -1, 0x57, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_U_F16, "s_cmp_u_f16", "0w1w", -1, 0x58, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGE_F16, "s_cmp_nge_f16", "0w1w", -1, 0x59, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLG_F16, "s_cmp_nlg_f16", "0w1w", -1, 0x5A, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NGT_F16, "s_cmp_ngt_f16", "0w1w", -1, 0x5B, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLE_F16, "s_cmp_nle_f16", "0w1w", -1, 0x5C, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NEQ_F16, "s_cmp_neq_f16", "0w1w", -1, 0x5D, -1) \
  TN_AMD_OF(_, SOPC, S_CMP_NLT_F16, "s_cmp_nlt_f16", "0w1w", -1, 0x5E, -1) \
  TN_AMD_OF(_, SOPK, S_MOVK_I32, "s_movk_i32", "D1#h", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOPK, S_CMOVK_I32, "s_cmovk_i32", "D1#h", 0x02, 0x02, 0x01) \
  TN_AMD_OF(_, SOPK, S_CMPK_EQ_I32, "s_cmpk_eq_i32", "S1#h", 0x03, -1, 0x02) \
  TN_AMD_OF(_, SOPK, S_CMPK_LG_I32, "s_cmpk_lg_i32", "S1#h", 0x04, -1, 0x03) \
  TN_AMD_OF(_, SOPK, S_CMPK_GT_I32, "s_cmpk_gt_i32", "S1#h", 0x05, -1, 0x04) \
  TN_AMD_OF(_, SOPK, S_CMPK_GE_I32, "s_cmpk_ge_i32", "S1#h", 0x06, -1, 0x05) \
  TN_AMD_OF(_, SOPK, S_CMPK_LT_I32, "s_cmpk_lt_i32", "S1#h", 0x07, -1, 0x06) \
  TN_AMD_OF(_, SOPK, S_CMPK_LE_I32, "s_cmpk_le_i32", "S1#h", 0x08, -1, 0x07) \
  TN_AMD_OF(_, SOPK, S_CMPK_EQ_U32, "s_cmpk_eq_u32", "S1#h", 0x09, -1, 0x08) \
  TN_AMD_OF(_, SOPK, S_CMPK_LG_U32, "s_cmpk_lg_u32", "S1#h", 0x0A, -1, 0x09) \
  TN_AMD_OF(_, SOPK, S_CMPK_GT_U32, "s_cmpk_gt_u32", "S1#h", 0x0B, -1, 0x0A) \
  TN_AMD_OF(_, SOPK, S_CMPK_GE_U32, "s_cmpk_ge_u32", "S1#h", 0x0C, -1, 0x0B) \
  TN_AMD_OF(_, SOPK, S_CMPK_LT_U32, "s_cmpk_lt_u32", "S1#h", 0x0D, -1, 0x0C) \
  TN_AMD_OF(_, SOPK, S_CMPK_LE_U32, "s_cmpk_le_u32", "S1#h", 0x0E, -1, 0x0D) \
  TN_AMD_OF(_, SOPK, S_ADDK_I32, "s_addk_i32|12:s_addk_co_i32", "D1#h", 0x0F, 0x0F, 0x0E) \
  TN_AMD_OF(_, SOPK, S_MULK_I32, "s_mulk_i32", "D1#h", 0x10, 0x10, 0x0F) \
  TN_AMD_OF(_, SOPK, S_GETREG_B32, "s_getreg_b32", "D1#g", 0x11, 0x11, 0x11) \
  TN_AMD_OF(_, SOPK, S_SETREG_B32, "s_setreg_b32", "#gS1", 0x12, 0x12, 0x12) \
  TN_AMD_OF(_, SOPK, S_SETREG_IMM32_B32, "s_setreg_imm32_b32", "#gK1", 0x13, 0x13, 0x14) \
  TN_AMD_OF(_, SOPK, S_CALL_B64, "s_call_b64", "D2#b", 0x14, 0x14, 0x15) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_VSCNT, "s_waitcnt_vscnt", "S1#h", 0x18, -1, -1) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_VMCNT, "s_waitcnt_vmcnt", "S1#h", 0x19, -1, -1) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_EXPCNT, "s_waitcnt_expcnt", "S1#h", 0x1A, -1, -1) \
  TN_AMD_OF(_, SOPK, S_WAITCNT_LGKMCNT, "s_waitcnt_lgkmcnt", "S1#h", 0x1B, -1, -1) \
  TN_AMD_OF(_, SOPP, S_NOP, "s_nop", "#d", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SOPP, S_SETHALT, "s_sethalt", "#d", 0x02, 0x02, 0x0D) \
  TN_AMD_OF(_, SOPP, S_SLEEP, "s_sleep", "#d", 0x03, 0x03, 0x0E) \
  TN_AMD_OF(_, SOPP, S_SET_INST_PREFETCH_DISTANCE, "s_set_inst_prefetch_distance", "#h", 0x04, -1, -1) \
  TN_AMD_OF(_, SOPP, S_CLAUSE, "s_clause", "#h", 0x05, 0x05, -1) \
  TN_AMD_OF(_, SOPP, S_DELAY_ALU, "s_delay_alu", "#y", 0x07, 0x07, -1) \
  TN_AMD_OF(_, SOPP, S_WAITCNT_DEPCTR, "s_waitcnt_depctr|12:s_wait_alu", "#c", 0x08, 0x08, -1) \
  TN_AMD_OF(_, SOPP, S_WAITCNT, "s_waitcnt", "#w", 0x09, 0x09, 0x0C) \
  TN_AMD_OF(_, SOPP, S_WAIT_IDLE, "s_wait_idle", "", 0x0A, 0x0A, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_EVENT, "s_wait_event", "#h", 0x0B, 0x0B, -1) \
  TN_AMD_OF(_, SOPP, S_TRAP, "s_trap", "#d", 0x10, 0x10, 0x12) \
  TN_AMD_OF(_, SOPP, S_ROUND_MODE, "s_round_mode", "#h", 0x11, 0x11, -1) \
  TN_AMD_OF(_, SOPP, S_DENORM_MODE, "s_denorm_mode", "#d", 0x12, 0x12, -1) \
  TN_AMD_OF(_, SOPP, S_CODE_END, "s_code_end", "", 0x1F, 0x1F, -1) \
  TN_AMD_OF(_, SOPP, S_BRANCH, "s_branch", "#b", 0x20, 0x20, 0x02) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_SCC0, "s_cbranch_scc0", "#b", 0x21, 0x21, 0x04) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_SCC1, "s_cbranch_scc1", "#b", 0x22, 0x22, 0x05) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_VCCZ, "s_cbranch_vccz", "#b", 0x23, 0x23, 0x06) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_VCCNZ, "s_cbranch_vccnz", "#b", 0x24, 0x24, 0x07) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_EXECZ, "s_cbranch_execz", "#b", 0x25, 0x25, 0x08) \
  TN_AMD_OF(_, SOPP, S_CBRANCH_EXECNZ, "s_cbranch_execnz", "#b", 0x26, 0x26, 0x09) \
  TN_AMD_OF(_, SOPP, S_ENDPGM, "s_endpgm", "#e", 0x30, 0x30, 0x01) \
  TN_AMD_OF(_, SOPP, S_ENDPGM_SAVED, "s_endpgm_saved", "", 0x31, 0x31, 0x1B) \
  TN_AMD_OF(_, SOPP, S_WAKEUP, "s_wakeup", "", 0x34, 0x34, 0x03) \
  TN_AMD_OF(_, SOPP, S_SETPRIO, "s_setprio", "#d", 0x35, 0x35, 0x0F) \
  TN_AMD_OF(_, SOPP, S_SENDMSG, "s_sendmsg", "#s", 0x36, 0x36, 0x10) \
  TN_AMD_OF(_, SOPP, S_SENDMSGHALT, "s_sendmsghalt", "#s", 0x37, 0x37, 0x11) \
  TN_AMD_OF(_, SOPP, S_TTRACEDATA, "s_ttracedata", "", 0x3A, 0x3A, 0x16) \
  TN_AMD_OF(_, SOPP, S_ICACHE_INV, "s_icache_inv", "", 0x3C, 0x3C, 0x13) \
  TN_AMD_OF(_, SOPP, S_BARRIER, "s_barrier", "", 0x3D, -1, 0x0A) \
  TN_AMD_OF(_, SOPP, S_BARRIER_WAIT, "s_barrier_wait", "#d", -1, 0x14, -1) \
  TN_AMD_OF(_, SOPP, S_BARRIER_LEAVE, "s_barrier_leave", "", -1, 0x15, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_LOADCNT, "s_wait_loadcnt", "#h", -1, 0x40, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_STORECNT, "s_wait_storecnt", "#h", -1, 0x41, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_SAMPLECNT, "s_wait_samplecnt", "#h", -1, 0x42, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_BVHCNT, "s_wait_bvhcnt", "#h", -1, 0x43, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_EXPCNT, "s_wait_expcnt", "#h", -1, 0x44, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_DSCNT, "s_wait_dscnt", "#h", -1, 0x46, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_KMCNT, "s_wait_kmcnt", "#h", -1, 0x47, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_LOADCNT_DSCNT, "s_wait_loadcnt_dscnt", "#h", -1, 0x48, -1) \
  TN_AMD_OF(_, SOPP, S_WAIT_STORECNT_DSCNT, "s_wait_storecnt_dscnt", "#h", -1, 0x49, -1) \
  TN_AMD_OF(_, SOPP, S_SET_GPR_IDX_OFF, "s_set_gpr_idx_off", "", -1, -1, 0x1C) \
  TN_AMD_OF(_, SOPP, S_ENDPGM_ORDERED_PS_DONE, "s_endpgm_ordered_ps_done", "", -1, -1, 0x1E) \
  TN_AMD_OF(_, SMEM, S_LOAD_B32, "s_load_b32|9:s_load_dword", "D1B2o1", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, SMEM, S_LOAD_B64, "s_load_b64|9:s_load_dwordx2", "D2B2o1", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, SMEM, S_LOAD_B128, "s_load_b128|9:s_load_dwordx4", "D4B2o1", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, SMEM, S_LOAD_B256, "s_load_b256|9:s_load_dwordx8", "D8B2o1", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, SMEM, S_LOAD_B512, "s_load_b512|9:s_load_dwordx16", "DxB2o1", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B32, "s_buffer_load_b32|9:s_buffer_load_dword", "D1B4o1", 0x08, 0x10, 0x08) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B64, "s_buffer_load_b64|9:s_buffer_load_dwordx2", "D2B4o1", 0x09, 0x11, 0x09) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B128, "s_buffer_load_b128|9:s_buffer_load_dwordx4", "D4B4o1", 0x0A, 0x12, 0x0A) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B256, "s_buffer_load_b256|9:s_buffer_load_dwordx8", "D8B4o1", 0x0B, 0x13, 0x0B) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B512, "s_buffer_load_b512|9:s_buffer_load_dwordx16", "DxB4o1", 0x0C, 0x14, 0x0C) \
  TN_AMD_OF(_, SMEM, S_GL1_INV, "s_gl1_inv", "", 0x20, -1, -1) \
  TN_AMD_OF(_, SMEM, S_DCACHE_INV, "s_dcache_inv", "", 0x21, 0x21, 0x20) \
  TN_AMD_OF(_, SMEM, S_LOAD_B96, "s_load_b96", "D3B2o1", -1, 0x05, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_I8, "s_load_i8", "D1B2o1", -1, 0x08, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_U8, "s_load_u8", "D1B2o1", -1, 0x09, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_I16, "s_load_i16", "D1B2o1", -1, 0x0A, -1) \
  TN_AMD_OF(_, SMEM, S_LOAD_U16, "s_load_u16", "D1B2o1", -1, 0x0B, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_B96, "s_buffer_load_b96", "D3B4o1", -1, 0x15, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_I8, "s_buffer_load_i8", "D1B4o1", -1, 0x18, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_U8, "s_buffer_load_u8", "D1B4o1", -1, 0x19, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_I16, "s_buffer_load_i16", "D1B4o1", -1, 0x1A, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_LOAD_U16, "s_buffer_load_u16", "D1B4o1", -1, 0x1B, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_INST, "s_prefetch_inst", "B2i1o1n1", -1, 0x24, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_INST_PC_REL, "s_prefetch_inst_pc_rel", "i1o1n1", -1, 0x25, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_DATA, "s_prefetch_data", "B2i1o1n1", -1, 0x26, -1) \
  TN_AMD_OF(_, SMEM, S_BUFFER_PREFETCH_DATA, "s_buffer_prefetch_data", "B4i1o1n1", -1, 0x27, -1) \
  TN_AMD_OF(_, SMEM, S_PREFETCH_DATA_PC_REL, "s_prefetch_data_pc_rel", "i1o1n1", -1, 0x28, -1) \
  TN_AMD_OF(_, SMEM, S_DCACHE_WB, "s_dcache_wb", "", -1, -1, 0x21) \
  TN_AMD_OF(_, SMEM, S_MEMTIME, "s_memtime", "D2", -1, -1, 0x24) \
  TN_AMD_OF(_, SMEM, S_MEMREALTIME, "s_memrealtime", "D2", -1, -1, 0x25)
#endif
// ---- end src/amd/../isa/amd_scalars.c ----
// ---- begin src/amd/../isa/amd_vectors.c ----
// amd_vectors: rows of the table of AMD's instructions: vectors, comparisons, packed ones, dot products, matrices.
//
// In:  a macro. Out: it, called for each row. What the columns are stands in amd_table.c, which includes this room.
#ifndef TN_ISA_AMD_VECTORS
#define TN_ISA_AMD_VECTORS

// ** vectors: short forms **

#define TN_AMD_VECTOR_ROWS(_) \
  TN_AMD_OF(_, VOP1, V_NOP, "v_nop", "/!-", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, VOP1, V_MOV_B32, "v_mov_b32", "d101", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, VOP1, V_READFIRSTLANE_B32, "v_readfirstlane_b32", "D1x1/!-=", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, VOP1, V_CVT_I32_F64, "v_cvt_i32_f64", "d10F/co", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, VOP1, V_CVT_F64_I32, "v_cvt_f64_i32", "d201/co", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_I32, "v_cvt_f32_i32", "d101/co", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_U32, "v_cvt_f32_u32", "d101/co", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, VOP1, V_CVT_U32_F32, "v_cvt_u32_f32", "d10f/co", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, VOP1, V_CVT_I32_F32, "v_cvt_i32_f32", "d10f/co", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, VOP1, V_CVT_F16_F32, "v_cvt_f16_f32", "dh0f/co", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_F16, "v_cvt_f32_f16", "d10h/co", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, VOP1, V_CVT_NEAREST_I32_F32, "v_cvt_nearest_i32_f32|9:v_cvt_rpi_i32_f32", "d10f/c", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, VOP1, V_CVT_FLOOR_I32_F32, "v_cvt_floor_i32_f32|9:v_cvt_flr_i32_f32", "d10f/c", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, VOP1, V_CVT_OFF_F32_I4, "v_cvt_off_f32_i4", "d101/co", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_F64, "v_cvt_f32_f64", "d10F/co", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, VOP1, V_CVT_F64_F32, "v_cvt_f64_f32", "d20f/co", 0x10, 0x10, 0x10) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE0, "v_cvt_f32_ubyte0", "d101/co", 0x11, 0x11, 0x11) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE1, "v_cvt_f32_ubyte1", "d101/co", 0x12, 0x12, 0x12) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE2, "v_cvt_f32_ubyte2", "d101/co", 0x13, 0x13, 0x13) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_UBYTE3, "v_cvt_f32_ubyte3", "d101/co", 0x14, 0x14, 0x14) \
  TN_AMD_OF(_, VOP1, V_CVT_U32_F64, "v_cvt_u32_f64", "d10F/co", 0x15, 0x15, 0x15) \
  TN_AMD_OF(_, VOP1, V_CVT_F64_U32, "v_cvt_f64_u32", "d201/co", 0x16, 0x16, 0x16) \
  TN_AMD_OF(_, VOP1, V_TRUNC_F64, "v_trunc_f64", "d20F/co", 0x17, 0x17, 0x17) \
  TN_AMD_OF(_, VOP1, V_CEIL_F64, "v_ceil_f64", "d20F/co", 0x18, 0x18, 0x18) \
  TN_AMD_OF(_, VOP1, V_RNDNE_F64, "v_rndne_f64", "d20F/co", 0x19, 0x19, 0x19) \
  TN_AMD_OF(_, VOP1, V_FLOOR_F64, "v_floor_f64", "d20F/co", 0x1A, 0x1A, 0x1A) \
  TN_AMD_OF(_, VOP1, V_FRACT_F32, "v_fract_f32", "d10f/co", 0x20, 0x20, 0x1B) \
  TN_AMD_OF(_, VOP1, V_TRUNC_F32, "v_trunc_f32", "d10f/co", 0x21, 0x21, 0x1C) \
  TN_AMD_OF(_, VOP1, V_CEIL_F32, "v_ceil_f32", "d10f/co", 0x22, 0x22, 0x1D) \
  TN_AMD_OF(_, VOP1, V_RNDNE_F32, "v_rndne_f32", "d10f/co", 0x23, 0x23, 0x1E) \
  TN_AMD_OF(_, VOP1, V_FLOOR_F32, "v_floor_f32", "d10f/co", 0x24, 0x24, 0x1F) \
  TN_AMD_OF(_, VOP1, V_EXP_F32, "v_exp_f32", "d10f/co", 0x25, 0x25, 0x20) \
  TN_AMD_OF(_, VOP1, V_LOG_F32, "v_log_f32", "d10f/co", 0x27, 0x27, 0x21) \
  TN_AMD_OF(_, VOP1, V_RCP_F32, "v_rcp_f32", "d10f/co", 0x2A, 0x2A, 0x22) \
  TN_AMD_OF(_, VOP1, V_RCP_IFLAG_F32, "v_rcp_iflag_f32", "d10f/co", 0x2B, 0x2B, 0x23) \
  TN_AMD_OF(_, VOP1, V_RSQ_F32, "v_rsq_f32", "d10f/co", 0x2E, 0x2E, 0x24) \
  TN_AMD_OF(_, VOP1, V_RCP_F64, "v_rcp_f64", "d20F/co", 0x2F, 0x2F, 0x25) \
  TN_AMD_OF(_, VOP1, V_RSQ_F64, "v_rsq_f64", "d20F/co", 0x31, 0x31, 0x26) \
  TN_AMD_OF(_, VOP1, V_SQRT_F32, "v_sqrt_f32", "d10f/co", 0x33, 0x33, 0x27) \
  TN_AMD_OF(_, VOP1, V_SQRT_F64, "v_sqrt_f64", "d20F/co", 0x34, 0x34, 0x28) \
  TN_AMD_OF(_, VOP1, V_SIN_F32, "v_sin_f32", "d10f/co", 0x35, 0x35, 0x29) \
  TN_AMD_OF(_, VOP1, V_COS_F32, "v_cos_f32", "d10f/co", 0x36, 0x36, 0x2A) \
  TN_AMD_OF(_, VOP1, V_NOT_B32, "v_not_b32", "d101", 0x37, 0x37, 0x2B) \
  TN_AMD_OF(_, VOP1, V_BFREV_B32, "v_bfrev_b32", "d101", 0x38, 0x38, 0x2C) \
  TN_AMD_OF(_, VOP1, V_CLZ_I32_U32, "v_clz_i32_u32|9:v_ffbh_u32", "d101", 0x39, 0x39, 0x2D) \
  TN_AMD_OF(_, VOP1, V_CTZ_I32_B32, "v_ctz_i32_b32|9:v_ffbl_b32", "d101", 0x3A, 0x3A, 0x2E) \
  TN_AMD_OF(_, VOP1, V_CLS_I32, "v_cls_i32|9:v_ffbh_i32", "d101", 0x3B, 0x3B, 0x2F) \
  TN_AMD_OF(_, VOP1, V_FREXP_EXP_I32_F64, "v_frexp_exp_i32_f64", "d10F/co", 0x3C, 0x3C, 0x30) \
  TN_AMD_OF(_, VOP1, V_FREXP_MANT_F64, "v_frexp_mant_f64", "d20F/co", 0x3D, 0x3D, 0x31) \
  TN_AMD_OF(_, VOP1, V_FRACT_F64, "v_fract_f64", "d20F/co", 0x3E, 0x3E, 0x32) \
  TN_AMD_OF(_, VOP1, V_FREXP_EXP_I32_F32, "v_frexp_exp_i32_f32", "d10f/c", 0x3F, 0x3F, 0x33) \
  TN_AMD_OF(_, VOP1, V_FREXP_MANT_F32, "v_frexp_mant_f32", "d10f/co", 0x40, 0x40, 0x34) \
  TN_AMD_OF(_, VOP1, V_MOVRELD_B32, "v_movreld_b32", "d101", 0x42, 0x42, -1) \
  TN_AMD_OF(_, VOP1, V_MOVRELS_B32, "v_movrels_b32", "d1x1", 0x43, 0x43, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_F16_U16, "v_cvt_f16_u16", "dh0w/co", 0x50, 0x50, 0x39) \
  TN_AMD_OF(_, VOP1, V_CVT_F16_I16, "v_cvt_f16_i16", "dh0w/co", 0x51, 0x51, 0x3A) \
  TN_AMD_OF(_, VOP1, V_CVT_U16_F16, "v_cvt_u16_f16", "dh0h/co", 0x52, 0x52, 0x3B) \
  TN_AMD_OF(_, VOP1, V_CVT_I16_F16, "v_cvt_i16_f16", "dh0h/co", 0x53, 0x53, 0x3C) \
  TN_AMD_OF(_, VOP1, V_RCP_F16, "v_rcp_f16", "dh0h/co", 0x54, 0x54, 0x3D) \
  TN_AMD_OF(_, VOP1, V_SQRT_F16, "v_sqrt_f16", "dh0h/co", 0x55, 0x55, 0x3E) \
  TN_AMD_OF(_, VOP1, V_RSQ_F16, "v_rsq_f16", "dh0h/co", 0x56, 0x56, 0x3F) \
  TN_AMD_OF(_, VOP1, V_LOG_F16, "v_log_f16", "dh0h/co", 0x57, 0x57, 0x40) \
  TN_AMD_OF(_, VOP1, V_EXP_F16, "v_exp_f16", "dh0h/co", 0x58, 0x58, 0x41) \
  TN_AMD_OF(_, VOP1, V_FREXP_MANT_F16, "v_frexp_mant_f16", "dh0h/co", 0x59, 0x59, 0x42) \
  TN_AMD_OF(_, VOP1, V_FREXP_EXP_I16_F16, "v_frexp_exp_i16_f16", "dh0h/co", 0x5A, 0x5A, 0x43) \
  TN_AMD_OF(_, VOP1, V_FLOOR_F16, "v_floor_f16", "dh0h/co", 0x5B, 0x5B, 0x44) \
  TN_AMD_OF(_, VOP1, V_CEIL_F16, "v_ceil_f16", "dh0h/co", 0x5C, 0x5C, 0x45) \
  TN_AMD_OF(_, VOP1, V_TRUNC_F16, "v_trunc_f16", "dh0h/co", 0x5D, 0x5D, 0x46) \
  TN_AMD_OF(_, VOP1, V_RNDNE_F16, "v_rndne_f16", "dh0h/co", 0x5E, 0x5E, 0x47) \
  TN_AMD_OF(_, VOP1, V_FRACT_F16, "v_fract_f16", "dh0h/co", 0x5F, 0x5F, 0x48) \
  TN_AMD_OF(_, VOP1, V_SIN_F16, "v_sin_f16", "dh0h/co", 0x60, 0x60, 0x49) \
  TN_AMD_OF(_, VOP1, V_COS_F16, "v_cos_f16", "dh0h/co", 0x61, 0x61, 0x4A) \
  TN_AMD_OF(_, VOP1, V_SAT_PK_U8_I16, "v_sat_pk_u8_i16", "dh01", 0x62, 0x62, 0x4F) \
  TN_AMD_OF(_, VOP1, V_CVT_NORM_I16_F16, "v_cvt_norm_i16_f16", "dh0h/co", 0x63, 0x63, 0x4D) \
  TN_AMD_OF(_, VOP1, V_CVT_NORM_U16_F16, "v_cvt_norm_u16_f16", "dh0h/co", 0x64, 0x64, 0x4E) \
  TN_AMD_OF(_, VOP1, V_SWAP_B32, "v_swap_b32", "d1x1/!-=", 0x65, 0x65, 0x51) \
  TN_AMD_OF(_, VOP1, V_PERMLANE64_B32, "v_permlane64_b32", "d1x1/!-", 0x67, 0x67, -1) \
  TN_AMD_OF(_, VOP1, V_SWAPREL_B32, "v_swaprel_b32", "d1x1/!-", 0x68, 0x68, -1) \
  TN_AMD_OF(_, VOP1, V_NOT_B16, "v_not_b16", "dh0w", 0x69, 0x69, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_I32_I16, "v_cvt_i32_i16", "d10w", 0x6A, 0x6A, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_U32_U16, "v_cvt_u32_u16", "d10w", 0x6B, 0x6B, -1) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_FP8, "v_cvt_f32_fp8", "d101/b|9:d101/co", -1, 0x6C, 0x54) \
  TN_AMD_OF(_, VOP1, V_CVT_F32_BF8, "v_cvt_f32_bf8", "d101/b|9:d101/co", -1, 0x6D, 0x55) \
  TN_AMD_OF(_, VOP1, V_CVT_PK_F32_FP8, "v_cvt_pk_f32_fp8", "d201/cos|9:d201/co", -1, 0x6E, 0x56) \
  TN_AMD_OF(_, VOP1, V_CVT_PK_F32_BF8, "v_cvt_pk_f32_bf8", "d201/cos|9:d201/co", -1, 0x6F, 0x57) \
  TN_AMD_OF(_, VOP1, V_MOV_B64, "v_mov_b64", "d202", -1, -1, 0x38) \
  TN_AMD_OF(_, VOP1, V_EXP_LEGACY_F32, "v_exp_legacy_f32", "d10f/co", -1, -1, 0x4B) \
  TN_AMD_OF(_, VOP1, V_LOG_LEGACY_F32, "v_log_legacy_f32", "d10f/co", -1, -1, 0x4C) \
  TN_AMD_OF(_, VOP1, V_ACCVGPR_MOV_B32, "v_accvgpr_mov_b32", "g1A1/!-=", -1, -1, 0x52) \
  TN_AMD_OF(_, VOP2, V_CNDMASK_B32, "v_cndmask_b32", "d10f1fmm", 0x01, 0x01, 0x00) \
  TN_AMD_OF(_, VOP2, V_DOT2ACC_F32_F16, "v_dot2acc_f32_f16", "d10111/!", 0x02, -1, -1) \
  TN_AMD_OF(_, VOP2, V_ADD_F32, "v_add_f32", "d10f1f/co", 0x03, 0x03, 0x01) \
  TN_AMD_OF(_, VOP2, V_SUB_F32, "v_sub_f32", "d10f1f/co", 0x04, 0x04, 0x02) \
  TN_AMD_OF(_, VOP2, V_SUBREV_F32, "v_subrev_f32", "d10f1f/co", 0x05, 0x05, 0x03) \
  TN_AMD_OF(_, VOP2, V_FMAC_DX9_ZERO_F32, "v_fmac_dx9_zero_f32", "d10f1f/co-", 0x06, -1, -1) \
  TN_AMD_OF(_, VOP2, V_MUL_DX9_ZERO_F32, "v_mul_dx9_zero_f32", "d10f1f/co", 0x07, 0x07, -1) \
  TN_AMD_OF(_, VOP2, V_MUL_F32, "v_mul_f32", "d10f1f/co", 0x08, 0x08, 0x05) \
  TN_AMD_OF(_, VOP2, V_MUL_I32_I24, "v_mul_i32_i24", "d10111/c", 0x09, 0x09, 0x06) \
  TN_AMD_OF(_, VOP2, V_MUL_HI_I32_I24, "v_mul_hi_i32_i24", "d10111", 0x0A, 0x0A, 0x07) \
  TN_AMD_OF(_, VOP2, V_MUL_U32_U24, "v_mul_u32_u24", "d10111/c", 0x0B, 0x0B, 0x08) \
  TN_AMD_OF(_, VOP2, V_MUL_HI_U32_U24, "v_mul_hi_u32_u24", "d10111", 0x0C, 0x0C, 0x09) \
  TN_AMD_OF(_, VOP2, V_MIN_F32, "v_min_f32|12:v_min_num_f32", "d10f1f/co", 0x0F, 0x15, 0x0A) \
  TN_AMD_OF(_, VOP2, V_MAX_F32, "v_max_f32|12:v_max_num_f32", "d10f1f/co", 0x10, 0x16, 0x0B) \
  TN_AMD_OF(_, VOP2, V_MIN_I32, "v_min_i32", "d10111", 0x11, 0x11, 0x0C) \
  TN_AMD_OF(_, VOP2, V_MAX_I32, "v_max_i32", "d10111", 0x12, 0x12, 0x0D) \
  TN_AMD_OF(_, VOP2, V_MIN_U32, "v_min_u32", "d10111", 0x13, 0x13, 0x0E) \
  TN_AMD_OF(_, VOP2, V_MAX_U32, "v_max_u32", "d10111", 0x14, 0x14, 0x0F) \
  TN_AMD_OF(_, VOP2, V_LSHLREV_B32, "v_lshlrev_b32", "d10111", 0x18, 0x18, 0x12) \
  TN_AMD_OF(_, VOP2, V_LSHRREV_B32, "v_lshrrev_b32", "d10111", 0x19, 0x19, 0x10) \
  TN_AMD_OF(_, VOP2, V_ASHRREV_I32, "v_ashrrev_i32", "d10111", 0x1A, 0x1A, 0x11) \
  TN_AMD_OF(_, VOP2, V_AND_B32, "v_and_b32", "d10111", 0x1B, 0x1B, 0x13) \
  TN_AMD_OF(_, VOP2, V_OR_B32, "v_or_b32", "d10111", 0x1C, 0x1C, 0x14) \
  TN_AMD_OF(_, VOP2, V_XOR_B32, "v_xor_b32", "d10111", 0x1D, 0x1D, 0x15) \
  TN_AMD_OF(_, VOP2, V_XNOR_B32, "v_xnor_b32", "d10111", 0x1E, 0x1E, 0x3D) \
  TN_AMD_OF(_, VOP2, V_ADD_CO_CI_U32, "v_add_co_ci_u32|9:v_addc_co_u32", "d1cm0111mm/c", 0x20, 0x20, 0x1C) \
  TN_AMD_OF(_, VOP2, V_SUB_CO_CI_U32, "v_sub_co_ci_u32|9:v_subb_co_u32", "d1cm0111mm/c", 0x21, 0x21, 0x1D) \
  TN_AMD_OF(_, VOP2, V_SUBREV_CO_CI_U32, "v_subrev_co_ci_u32|9:v_subbrev_co_u32", "d1cm0111mm/c", 0x22, 0x22, 0x1E) \
  TN_AMD_OF(_, VOP2, V_ADD_NC_U32, "v_add_nc_u32|9:v_add_u32", "d10111/c", 0x25, 0x25, 0x34) \
  TN_AMD_OF(_, VOP2, V_SUB_NC_U32, "v_sub_nc_u32|9:v_sub_u32", "d10111/c", 0x26, 0x26, 0x35) \
  TN_AMD_OF(_, VOP2, V_SUBREV_NC_U32, "v_subrev_nc_u32|9:v_subrev_u32", "d10111/c", 0x27, 0x27, 0x36) \
  TN_AMD_OF(_, VOP2, V_FMAC_F32, "v_fmac_f32", "d10f1f/co=", 0x2B, 0x2B, 0x3B) \
  TN_AMD_OF(_, VOP2, V_FMAMK_F32, "v_fmamk_f32", "d101K111/!-", 0x2C, 0x2C, 0x17) \
  TN_AMD_OF(_, VOP2, V_FMAAK_F32, "v_fmaak_f32", "d10111K1/!-", 0x2D, 0x2D, 0x18) \
  TN_AMD_OF(_, VOP2, V_CVT_PK_RTZ_F16_F32, "v_cvt_pk_rtz_f16_f32", "d10f1f/co", 0x2F, 0x2F, -1) \
  TN_AMD_OF(_, VOP2, V_ADD_F16, "v_add_f16", "dh0h1h/co", 0x32, 0x32, 0x1F) \
  TN_AMD_OF(_, VOP2, V_SUB_F16, "v_sub_f16", "dh0h1h/co", 0x33, 0x33, 0x20) \
  TN_AMD_OF(_, VOP2, V_SUBREV_F16, "v_subrev_f16", "dh0h1h/co", 0x34, 0x34, 0x21) \
  TN_AMD_OF(_, VOP2, V_MUL_F16, "v_mul_f16", "dh0h1h/co", 0x35, 0x35, 0x22) \
  TN_AMD_OF(_, VOP2, V_FMAC_F16, "v_fmac_f16", "dh0h1h/cost", 0x36, 0x36, -1) \
  TN_AMD_OF(_, VOP2, V_FMAMK_F16, "v_fmamk_f16", "dh0hKh1h/!-", 0x37, 0x37, -1) \
  TN_AMD_OF(_, VOP2, V_FMAAK_F16, "v_fmaak_f16", "dh0h1hKh/!-", 0x38, 0x38, -1) \
  TN_AMD_OF(_, VOP2, V_MAX_F16, "v_max_f16|12:v_max_num_f16", "dh0h1h/co", 0x39, 0x31, 0x2D) \
  TN_AMD_OF(_, VOP2, V_MIN_F16, "v_min_f16|12:v_min_num_f16", "dh0h1h/co", 0x3A, 0x30, 0x2E) \
  TN_AMD_OF(_, VOP2, V_LDEXP_F16, "v_ldexp_f16", "dh0h1h/co|9:d10h11/co", 0x3B, 0x3B, 0x33) \
  TN_AMD_OF(_, VOP2, V_PK_FMAC_F16, "v_pk_fmac_f16", "d10f1f/!=|9:d10f1f/!-=", 0x3C, 0x3C, 0x3C) \
  TN_AMD_OF(_, VOP2, V_FMAC_F64, "v_fmac_f64", "d20F1F/co", -1, -1, 0x04) \
  TN_AMD_OF(_, VOP2, V_MAC_F16, "v_mac_f16", "d10h1h/co=", -1, -1, 0x23) \
  TN_AMD_OF(_, VOP2, V_MADMK_F16, "v_madmk_f16", "d1x1K111/!-=", -1, -1, 0x24) \
  TN_AMD_OF(_, VOP2, V_MADAK_F16, "v_madak_f16", "d1x111K1/!-=", -1, -1, 0x25) \
  TN_AMD_OF(_, VOP2, V_ADD_U16, "v_add_u16", "d10w1w/c", -1, -1, 0x26) \
  TN_AMD_OF(_, VOP2, V_SUB_U16, "v_sub_u16", "d10w1w/c", -1, -1, 0x27) \
  TN_AMD_OF(_, VOP2, V_SUBREV_U16, "v_subrev_u16", "d10w1w/c", -1, -1, 0x28) \
  TN_AMD_OF(_, VOP2, V_DOT2C_F32_F16, "v_dot2c_f32_f16", "d10f1f/co=", -1, -1, 0x37) \
  TN_AMD_OF(_, VOP2, V_DOT2C_I32_I16, "v_dot2c_i32_i16", "d10111/c=", -1, -1, 0x38) \
  TN_AMD_OF(_, VOP2, V_DOT4C_I32_I8, "v_dot4c_i32_i8", "d10111/c=", -1, -1, 0x39) \
  TN_AMD_OF(_, VOP2, V_DOT8C_I32_I4, "v_dot8c_i32_i4", "d10111/c=", -1, -1, 0x3A)

// ** comparisons: of a type, by condition; with and without writing EXEC, which on gfx9 writes the mask, too **

#define TN_AMD_X80(a) ((a) < 0 ? -1 : (a) + 0x80)
#define TN_AMD_X10(a) ((a) + 0x10)
#define TN_AMD_COMPARE(_, id, name, name9, operands, a, b, c) \
  TN_AMD_OF(_, VOPC, V_CMP_##id, "v_cmp_" name "|9:v_cmp_" name9, "em" operands, a, b, c) \
  TN_AMD_OF(_, VOPC, V_CMPX_##id, "v_cmpx_" name "|9:v_cmpx_" name9, operands "|9:em" operands, \
            TN_AMD_X80(a), TN_AMD_X80(b), TN_AMD_X10(c))
#define TN_AMD_SAME(_, id, name, operands, a, c) TN_AMD_COMPARE(_, id, name, name, operands, a, a, c)
#define TN_AMD_COMPARE_FLOAT(_, id, name, ops, a, c) \
  TN_AMD_COMPARE(_, F_##id, "f_" name, "f_" name, ops, a, -1, c) \
  TN_AMD_SAME(_, LT_##id, "lt_" name, ops, a + 1, c + 1) TN_AMD_SAME(_, EQ_##id, "eq_" name, ops, a + 2, c + 2) \
  TN_AMD_SAME(_, LE_##id, "le_" name, ops, a + 3, c + 3) TN_AMD_SAME(_, GT_##id, "gt_" name, ops, a + 4, c + 4) \
  TN_AMD_SAME(_, LG_##id, "lg_" name, ops, a + 5, c + 5) TN_AMD_SAME(_, GE_##id, "ge_" name, ops, a + 6, c + 6) \
  TN_AMD_SAME(_, O_##id, "o_" name, ops, a + 7, c + 7) TN_AMD_SAME(_, U_##id, "u_" name, ops, a + 8, c + 8) \
  TN_AMD_SAME(_, NGE_##id, "nge_" name, ops, a + 9, c + 9) \
  TN_AMD_SAME(_, NLG_##id, "nlg_" name, ops, a + 10, c + 10) \
  TN_AMD_SAME(_, NGT_##id, "ngt_" name, ops, a + 11, c + 11) \
  TN_AMD_SAME(_, NLE_##id, "nle_" name, ops, a + 12, c + 12) \
  TN_AMD_SAME(_, NEQ_##id, "neq_" name, ops, a + 13, c + 13) \
  TN_AMD_SAME(_, NLT_##id, "nlt_" name, ops, a + 14, c + 14) \
  TN_AMD_COMPARE(_, T_##id, "t_" name, "tru_" name, ops, a + 15, -1, c + 15)
// never: of F and T on gfx11
#define TN_AMD_COMPARE_INT(_, id, name, ops, a, c, never) \
  TN_AMD_COMPARE(_, F_##id, "f_" name, "f_" name, ops, never ? -1 : a, -1, c) \
  TN_AMD_SAME(_, LT_##id, "lt_" name, ops, a + 1, c + 1) TN_AMD_SAME(_, EQ_##id, "eq_" name, ops, a + 2, c + 2) \
  TN_AMD_SAME(_, LE_##id, "le_" name, ops, a + 3, c + 3) TN_AMD_SAME(_, GT_##id, "gt_" name, ops, a + 4, c + 4) \
  TN_AMD_SAME(_, NE_##id, "ne_" name, ops, a + 5, c + 5) TN_AMD_SAME(_, GE_##id, "ge_" name, ops, a + 6, c + 6) \
  TN_AMD_COMPARE(_, T_##id, "t_" name, "t_" name, ops, never ? -1 : a + 7, -1, c + 7)

#define TN_AMD_COMPARE_ROWS(_) \
  TN_AMD_COMPARE_FLOAT(_, F16, "f16", "0h1h/c", 0x00, 0x20) TN_AMD_COMPARE_FLOAT(_, F32, "f32", "0f1f/c", 0x10, 0x40) \
  TN_AMD_COMPARE_FLOAT(_, F64, "f64", "0F1F/c", 0x20, 0x60) \
  TN_AMD_COMPARE_INT(_, I16, "i16", "0w1w", 0x30, 0xA0, 1) TN_AMD_COMPARE_INT(_, U16, "u16", "0w1w", 0x38, 0xA8, 1) \
  TN_AMD_COMPARE_INT(_, I32, "i32", "0111", 0x40, 0xC0, 0) TN_AMD_COMPARE_INT(_, U32, "u32", "0111", 0x48, 0xC8, 0) \
  TN_AMD_COMPARE_INT(_, I64, "i64", "0212", 0x50, 0xE0, 0) TN_AMD_COMPARE_INT(_, U64, "u64", "0212", 0x58, 0xE8, 0)

#define TN_AMD_CLASS_ROWS(_) \
  TN_AMD_OF(_, VOPC, V_CMP_CLASS_F16, "v_cmp_class_f16", "em0h1v", 0x7D, 0x7D, 0x14) \
  TN_AMD_OF(_, VOPC, V_CMP_CLASS_F32, "v_cmp_class_f32", "em0f11", 0x7E, 0x7E, 0x10) \
  TN_AMD_OF(_, VOPC, V_CMP_CLASS_F64, "v_cmp_class_f64", "em0F11", 0x7F, 0x7F, 0x12) \
  TN_AMD_OF(_, VOPC, V_CMPX_CLASS_F16, "v_cmpx_class_f16", "0h1v|9:em0h1v", 0xFD, 0xFD, 0x15) \
  TN_AMD_OF(_, VOPC, V_CMPX_CLASS_F32, "v_cmpx_class_f32", "0f11|9:em0f11", 0xFE, 0xFE, 0x11) \
  TN_AMD_OF(_, VOPC, V_CMPX_CLASS_F64, "v_cmpx_class_f64", "0F11|9:em0F11", 0xFF, 0xFF, 0x13)

// ** vectors: long forms alone **

#define TN_AMD_LONG_ROWS(_) \
  TN_AMD_OF(_, VOP3, V_FMA_DX9_ZERO_F32, "v_fma_dx9_zero_f32", "d10f1f2f/co-", 0x209, 0x209, -1) \
  TN_AMD_OF(_, VOP3, V_MAD_I32_I24, "v_mad_i32_i24", "d1011121/c", 0x20A, 0x20A, 0x1C2) \
  TN_AMD_OF(_, VOP3, V_MAD_U32_U24, "v_mad_u32_u24", "d1011121/c", 0x20B, 0x20B, 0x1C3) \
  TN_AMD_OF(_, VOP3, V_CUBEID_F32, "v_cubeid_f32", "d10f1f2f/co", 0x20C, 0x20C, 0x1C4) \
  TN_AMD_OF(_, VOP3, V_CUBESC_F32, "v_cubesc_f32", "d10f1f2f/co", 0x20D, 0x20D, 0x1C5) \
  TN_AMD_OF(_, VOP3, V_CUBETC_F32, "v_cubetc_f32", "d10f1f2f/co", 0x20E, 0x20E, 0x1C6) \
  TN_AMD_OF(_, VOP3, V_CUBEMA_F32, "v_cubema_f32", "d10f1f2f/co", 0x20F, 0x20F, 0x1C7) \
  TN_AMD_OF(_, VOP3, V_BFE_U32, "v_bfe_u32", "d1011121", 0x210, 0x210, 0x1C8) \
  TN_AMD_OF(_, VOP3, V_BFE_I32, "v_bfe_i32", "d1011121", 0x211, 0x211, 0x1C9) \
  TN_AMD_OF(_, VOP3, V_BFI_B32, "v_bfi_b32", "d1011121", 0x212, 0x212, 0x1CA) \
  TN_AMD_OF(_, VOP3, V_FMA_F32, "v_fma_f32", "d10f1f2f/co", 0x213, 0x213, 0x1CB) \
  TN_AMD_OF(_, VOP3, V_FMA_F64, "v_fma_f64", "d20F1F2F/co", 0x214, 0x214, 0x1CC) \
  TN_AMD_OF(_, VOP3, V_LERP_U8, "v_lerp_u8", "d1011121", 0x215, 0x215, 0x1CD) \
  TN_AMD_OF(_, VOP3, V_ALIGNBIT_B32, "v_alignbit_b32", "d1011121", 0x216, 0x216, 0x1CE) \
  TN_AMD_OF(_, VOP3, V_ALIGNBYTE_B32, "v_alignbyte_b32", "d1011121", 0x217, 0x217, 0x1CF) \
  TN_AMD_OF(_, VOP3, V_MULLIT_F32, "v_mullit_f32", "d10f1f2f/co", 0x218, 0x218, -1) \
  TN_AMD_OF(_, VOP3, V_MIN3_F32, "v_min3_f32|12:v_min3_num_f32", "d10f1f2f/co", 0x219, 0x229, 0x1D0) \
  TN_AMD_OF(_, VOP3, V_MIN3_I32, "v_min3_i32", "d1011121", 0x21A, 0x21A, 0x1D1) \
  TN_AMD_OF(_, VOP3, V_MIN3_U32, "v_min3_u32", "d1011121", 0x21B, 0x21B, 0x1D2) \
  TN_AMD_OF(_, VOP3, V_MAX3_F32, "v_max3_f32|12:v_max3_num_f32", "d10f1f2f/co", 0x21C, 0x22A, 0x1D3) \
  TN_AMD_OF(_, VOP3, V_MAX3_I32, "v_max3_i32", "d1011121", 0x21D, 0x21D, 0x1D4) \
  TN_AMD_OF(_, VOP3, V_MAX3_U32, "v_max3_u32", "d1011121", 0x21E, 0x21E, 0x1D5) \
  TN_AMD_OF(_, VOP3, V_MED3_F32, "v_med3_f32|12:v_med3_num_f32", "d10f1f2f/co", 0x21F, 0x231, 0x1D6) \
  TN_AMD_OF(_, VOP3, V_MED3_I32, "v_med3_i32", "d1011121", 0x220, 0x220, 0x1D7) \
  TN_AMD_OF(_, VOP3, V_MED3_U32, "v_med3_u32", "d1011121", 0x221, 0x221, 0x1D8) \
  TN_AMD_OF(_, VOP3, V_SAD_U8, "v_sad_u8", "d1011121/c", 0x222, 0x222, 0x1D9) \
  TN_AMD_OF(_, VOP3, V_SAD_HI_U8, "v_sad_hi_u8", "d1011121/c", 0x223, 0x223, 0x1DA) \
  TN_AMD_OF(_, VOP3, V_SAD_U16, "v_sad_u16", "d1011121/c", 0x224, 0x224, 0x1DB) \
  TN_AMD_OF(_, VOP3, V_SAD_U32, "v_sad_u32", "d1011121/c", 0x225, 0x225, 0x1DC) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_U8_F32, "v_cvt_pk_u8_f32", "d10f1121/c", 0x226, 0x226, 0x1DD) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_F32, "v_div_fixup_f32", "d10f1f2f/co-", 0x227, 0x227, 0x1DE) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_F64, "v_div_fixup_f64", "d20F1F2F/co", 0x228, 0x228, 0x1DF) \
  TN_AMD_OF(_, VOP3, V_DIV_FMAS_F32, "v_div_fmas_f32", "d10f1f2f/co-", 0x237, 0x237, 0x1E2) \
  TN_AMD_OF(_, VOP3, V_DIV_FMAS_F64, "v_div_fmas_f64", "d20F1F2F/co", 0x238, 0x238, 0x1E3) \
  TN_AMD_OF(_, VOP3, V_MSAD_U8, "v_msad_u8", "d1011121/c", 0x239, 0x239, 0x1E4) \
  TN_AMD_OF(_, VOP3, V_QSAD_PK_U16_U8, "v_qsad_pk_u16_u8", "d2021122/c", 0x23A, 0x23A, 0x1E5) \
  TN_AMD_OF(_, VOP3, V_MQSAD_PK_U16_U8, "v_mqsad_pk_u16_u8", "d2021122/c", 0x23B, 0x23B, 0x1E6) \
  TN_AMD_OF(_, VOP3, V_MQSAD_U32_U8, "v_mqsad_u32_u8", "d40211z4/c", 0x23D, 0x23D, 0x1E7) \
  TN_AMD_OF(_, VOP3, V_XOR3_B32, "v_xor3_b32", "d1011121", 0x240, 0x240, -1) \
  TN_AMD_OF(_, VOP3, V_MAD_U16, "v_mad_u16", "d10w1w2w/cs", 0x241, 0x241, 0x204) \
  TN_AMD_OF(_, VOP3, V_PERM_B32, "v_perm_b32", "d1011121", 0x244, 0x244, 0x1ED) \
  TN_AMD_OF(_, VOP3, V_XAD_U32, "v_xad_u32", "d1011121", 0x245, 0x245, 0x1F3) \
  TN_AMD_OF(_, VOP3, V_LSHL_ADD_U32, "v_lshl_add_u32", "d1011121", 0x246, 0x246, 0x1FD) \
  TN_AMD_OF(_, VOP3, V_ADD_LSHL_U32, "v_add_lshl_u32", "d1011121", 0x247, 0x247, 0x1FE) \
  TN_AMD_OF(_, VOP3, V_FMA_F16, "v_fma_f16", "d10h1h2h/cos", 0x248, 0x248, 0x206) \
  TN_AMD_OF(_, VOP3, V_MIN3_F16, "v_min3_f16|12:v_min3_num_f16", "d10h1h2h/cos", 0x249, 0x22B, 0x1F4) \
  TN_AMD_OF(_, VOP3, V_MIN3_I16, "v_min3_i16", "d10w1w2w/cs", 0x24A, 0x24A, 0x1F5) \
  TN_AMD_OF(_, VOP3, V_MIN3_U16, "v_min3_u16", "d10w1w2w/cs", 0x24B, 0x24B, 0x1F6) \
  TN_AMD_OF(_, VOP3, V_MAX3_F16, "v_max3_f16|12:v_max3_num_f16", "d10h1h2h/cos", 0x24C, 0x22C, 0x1F7) \
  TN_AMD_OF(_, VOP3, V_MAX3_I16, "v_max3_i16", "d10w1w2w/cs", 0x24D, 0x24D, 0x1F8) \
  TN_AMD_OF(_, VOP3, V_MAX3_U16, "v_max3_u16", "d10w1w2w/cs", 0x24E, 0x24E, 0x1F9) \
  TN_AMD_OF(_, VOP3, V_MED3_F16, "v_med3_f16|12:v_med3_num_f16", "d10h1h2h/cos", 0x24F, 0x232, 0x1FA) \
  TN_AMD_OF(_, VOP3, V_MED3_I16, "v_med3_i16", "d10w1w2w/cs", 0x250, 0x250, 0x1FB) \
  TN_AMD_OF(_, VOP3, V_MED3_U16, "v_med3_u16", "d10w1w2w/cs", 0x251, 0x251, 0x1FC) \
  TN_AMD_OF(_, VOP3, V_MAD_I16, "v_mad_i16", "d10w1w2w/cs", 0x253, 0x253, 0x205) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_F16, "v_div_fixup_f16", "d10h1h2h/cos", 0x254, 0x254, 0x207) \
  TN_AMD_OF(_, VOP3, V_ADD3_U32, "v_add3_u32", "d1011121", 0x255, 0x255, 0x1FF) \
  TN_AMD_OF(_, VOP3, V_LSHL_OR_B32, "v_lshl_or_b32", "d1011121", 0x256, 0x256, 0x200) \
  TN_AMD_OF(_, VOP3, V_AND_OR_B32, "v_and_or_b32", "d1011121", 0x257, 0x257, 0x201) \
  TN_AMD_OF(_, VOP3, V_OR3_B32, "v_or3_b32", "d1011121", 0x258, 0x258, 0x202) \
  TN_AMD_OF(_, VOP3, V_MAD_U32_U16, "v_mad_u32_u16", "d10w1w21/cs", 0x259, 0x259, 0x1F1) \
  TN_AMD_OF(_, VOP3, V_MAD_I32_I16, "v_mad_i32_i16", "d10w1w21/cs", 0x25A, 0x25A, 0x1F2) \
  TN_AMD_OF(_, VOP3, V_PERMLANE16_B32, "v_permlane16_b32", "d1x1Y1Z1/p-", 0x25B, 0x25B, -1) \
  TN_AMD_OF(_, VOP3, V_PERMLANEX16_B32, "v_permlanex16_b32", "d1x1Y1Z1/p-", 0x25C, 0x25C, -1) \
  TN_AMD_OF(_, VOP3, V_CNDMASK_B16, "v_cndmask_b16", "d10w1wmm", 0x25D, 0x25D, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_F32, "v_maxmin_f32|12:v_maxmin_num_f32", "d10f1f2f/co", 0x25E, 0x269, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_F32, "v_minmax_f32|12:v_minmax_num_f32", "d10f1f2f/co", 0x25F, 0x268, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_F16, "v_maxmin_f16|12:v_maxmin_num_f16", "d10h1h2h/co", 0x260, 0x26B, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_F16, "v_minmax_f16|12:v_minmax_num_f16", "d10h1h2h/co", 0x261, 0x26A, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_U32, "v_maxmin_u32", "d1011121", 0x262, 0x262, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_U32, "v_minmax_u32", "d1011121", 0x263, 0x263, -1) \
  TN_AMD_OF(_, VOP3, V_MAXMIN_I32, "v_maxmin_i32", "d1011121", 0x264, 0x264, -1) \
  TN_AMD_OF(_, VOP3, V_MINMAX_I32, "v_minmax_i32", "d1011121", 0x265, 0x265, -1) \
  TN_AMD_OF(_, VOP3, V_DOT2_F16_F16, "v_dot2_f16_f16", "d10f1f2h/S", 0x266, 0x266, -1) \
  TN_AMD_OF(_, VOP3, V_DOT2_BF16_BF16, "v_dot2_bf16_bf16", "d10f1f2f/S", 0x267, 0x267, -1) \
  TN_AMD_OF(_, VOP3, V_ADD_NC_U16, "v_add_nc_u16", "d10w1w/cs", 0x303, 0x303, -1) \
  TN_AMD_OF(_, VOP3, V_SUB_NC_U16, "v_sub_nc_u16", "d10w1w/cs", 0x304, 0x304, -1) \
  TN_AMD_IN(_, V_MUL_LO_U16, "v_mul_lo_u16", "d10w1w", VOP3, 0x305, VOP3, 0x305, VOP2, 0x29) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_I16_F32, "v_cvt_pk_i16_f32", "d10f1f/c", 0x306, 0x306, -1) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_U16_F32, "v_cvt_pk_u16_f32", "d10f1f/c", 0x307, 0x307, -1) \
  TN_AMD_IN(_, V_MAX_U16, "v_max_u16", "d10w1w", VOP3, 0x309, VOP3, 0x309, VOP2, 0x2F) \
  TN_AMD_IN(_, V_MAX_I16, "v_max_i16", "d10w1w", VOP3, 0x30A, VOP3, 0x30A, VOP2, 0x30) \
  TN_AMD_IN(_, V_MIN_U16, "v_min_u16", "d10w1w", VOP3, 0x30B, VOP3, 0x30B, VOP2, 0x31) \
  TN_AMD_IN(_, V_MIN_I16, "v_min_i16", "d10w1w", VOP3, 0x30C, VOP3, 0x30C, VOP2, 0x32) \
  TN_AMD_OF(_, VOP3, V_ADD_NC_I16, "v_add_nc_i16|9:v_add_i16", "d10w1w/cs", 0x30D, 0x30D, 0x29E) \
  TN_AMD_OF(_, VOP3, V_SUB_NC_I16, "v_sub_nc_i16|9:v_sub_i16", "d10w1w/cs", 0x30E, 0x30E, 0x29F) \
  TN_AMD_OF(_, VOP3, V_PACK_B32_F16, "v_pack_b32_f16", "d10h1h/cs", 0x311, 0x311, 0x2A0) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_I16_F16, \
    "v_cvt_pk_norm_i16_f16|9:v_cvt_pknorm_i16_f16", "d10h1h/cs", 0x312, 0x312, 0x299) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_U16_F16, \
    "v_cvt_pk_norm_u16_f16|9:v_cvt_pknorm_u16_f16", "d10h1h/cs", 0x313, 0x313, 0x29A) \
  TN_AMD_OF(_, VOP3, V_LDEXP_F32, "v_ldexp_f32", "d10f11/co", 0x31C, 0x31C, 0x288) \
  TN_AMD_OF(_, VOP3, V_BFM_B32, "v_bfm_b32", "d10111", 0x31D, 0x31D, 0x293) \
  TN_AMD_OF(_, VOP3, V_BCNT_U32_B32, "v_bcnt_u32_b32", "d10111", 0x31E, 0x31E, 0x28B) \
  TN_AMD_OF(_, VOP3, V_MBCNT_LO_U32_B32, "v_mbcnt_lo_u32_b32", "d10111", 0x31F, 0x31F, 0x28C) \
  TN_AMD_OF(_, VOP3, V_MBCNT_HI_U32_B32, "v_mbcnt_hi_u32_b32", "d10111", 0x320, 0x320, 0x28D) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_I16_F32, \
    "v_cvt_pk_norm_i16_f32|9:v_cvt_pknorm_i16_f32", "d10f1f/c", 0x321, 0x321, 0x294) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_NORM_U16_F32, \
    "v_cvt_pk_norm_u16_f32|9:v_cvt_pknorm_u16_f32", "d10f1f/c", 0x322, 0x322, 0x295) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_U16_U32, "v_cvt_pk_u16_u32", "d10111", 0x323, 0x323, 0x297) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_I16_I32, "v_cvt_pk_i16_i32", "d10111", 0x324, 0x324, 0x298) \
  TN_AMD_OF(_, VOP3, V_SUB_NC_I32, "v_sub_nc_i32|9:v_sub_i32", "d10111/c", 0x325, 0x325, 0x29D) \
  TN_AMD_OF(_, VOP3, V_ADD_NC_I32, "v_add_nc_i32|9:v_add_i32", "d10111/c", 0x326, 0x326, 0x29C) \
  TN_AMD_IN(_, V_ADD_F64, "v_add_f64", "d20F1F/co", VOP3, 0x327, VOP2, 0x02, VOP3, 0x280) \
  TN_AMD_IN(_, V_MUL_F64, "v_mul_f64", "d20F1F/co", VOP3, 0x328, VOP2, 0x06, VOP3, 0x281) \
  TN_AMD_IN(_, V_MIN_F64, "v_min_f64|12:v_min_num_f64", "d20F1F/co", VOP3, 0x329, VOP2, 0x0D, VOP3, 0x282) \
  TN_AMD_IN(_, V_MAX_F64, "v_max_f64|12:v_max_num_f64", "d20F1F/co", VOP3, 0x32A, VOP2, 0x0E, VOP3, 0x283) \
  TN_AMD_OF(_, VOP3, V_LDEXP_F64, "v_ldexp_f64", "d20F11/co", 0x32B, 0x32B, 0x284) \
  TN_AMD_OF(_, VOP3, V_MUL_LO_U32, "v_mul_lo_u32", "d10111/-", 0x32C, 0x32C, 0x285) \
  TN_AMD_OF(_, VOP3, V_MUL_HI_U32, "v_mul_hi_u32", "d10111/-", 0x32D, 0x32D, 0x286) \
  TN_AMD_OF(_, VOP3, V_MUL_HI_I32, "v_mul_hi_i32", "d10111/-", 0x32E, 0x32E, 0x287) \
  TN_AMD_OF(_, VOP3, V_TRIG_PREOP_F64, "v_trig_preop_f64", "d20F11/co", 0x32F, 0x32F, 0x292) \
  TN_AMD_IN(_, V_LSHLREV_B16, "v_lshlrev_b16", "d10w1w", VOP3, 0x338, VOP3, 0x338, VOP2, 0x2A) \
  TN_AMD_IN(_, V_LSHRREV_B16, "v_lshrrev_b16", "d10w1w", VOP3, 0x339, VOP3, 0x339, VOP2, 0x2B) \
  TN_AMD_IN(_, V_ASHRREV_I16, "v_ashrrev_i16", "d10w1w", VOP3, 0x33A, VOP3, 0x33A, VOP2, 0x2C) \
  TN_AMD_IN(_, V_LSHLREV_B64, "v_lshlrev_b64", "d20112", VOP3, 0x33C, VOP2, 0x1F, VOP3, 0x28F) \
  TN_AMD_OF(_, VOP3, V_LSHRREV_B64, "v_lshrrev_b64", "d20112", 0x33D, 0x33D, 0x290) \
  TN_AMD_OF(_, VOP3, V_ASHRREV_I64, "v_ashrrev_i64", "d20112", 0x33E, 0x33E, 0x291) \
  TN_AMD_OF(_, VOP3, V_READLANE_B32, "v_readlane_b32", "D1x1Y1/-", 0x360, 0x360, 0x289) \
  TN_AMD_OF(_, VOP3, V_WRITELANE_B32, "v_writelane_b32", "d1X1Y1/-", 0x361, 0x361, 0x28A) \
  TN_AMD_OF(_, VOP3, V_AND_B16, "v_and_b16", "d10w1w", 0x362, 0x362, -1) \
  TN_AMD_OF(_, VOP3, V_OR_B16, "v_or_b16", "d10w1w", 0x363, 0x363, -1) \
  TN_AMD_OF(_, VOP3, V_XOR_B16, "v_xor_b16", "d10w1w", 0x364, 0x364, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM3_F32, "v_minimum3_f32", "d10f1f2f/co", -1, 0x22D, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM3_F32, "v_maximum3_f32", "d10f1f2f/co", -1, 0x22E, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM3_F16, "v_minimum3_f16", "d10h1h2h/cos", -1, 0x22F, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM3_F16, "v_maximum3_f16", "d10h1h2h/cos", -1, 0x230, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUMMAXIMUM_F32, "v_minimummaximum_f32", "d10f1f2f/co", -1, 0x26C, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUMMINIMUM_F32, "v_maximumminimum_f32", "d10f1f2f/co", -1, 0x26D, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUMMAXIMUM_F16, "v_minimummaximum_f16", "d10h1h2h/cos", -1, 0x26E, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUMMINIMUM_F16, "v_maximumminimum_f16", "d10h1h2h/cos", -1, 0x26F, -1) \
  TN_AMD_OF(_, VOP3, V_S_EXP_F32, "v_s_exp_f32", "D1Xf/co-", -1, 0x280, -1) \
  TN_AMD_OF(_, VOP3, V_S_EXP_F16, "v_s_exp_f16", "D1Xh/co-", -1, 0x281, -1) \
  TN_AMD_OF(_, VOP3, V_S_LOG_F32, "v_s_log_f32", "D1Xf/co-", -1, 0x282, -1) \
  TN_AMD_OF(_, VOP3, V_S_LOG_F16, "v_s_log_f16", "D1Xh/co-", -1, 0x283, -1) \
  TN_AMD_OF(_, VOP3, V_S_RCP_F32, "v_s_rcp_f32", "D1Xf/co-", -1, 0x284, -1) \
  TN_AMD_OF(_, VOP3, V_S_RCP_F16, "v_s_rcp_f16", "D1Xh/co-", -1, 0x285, -1) \
  TN_AMD_OF(_, VOP3, V_S_RSQ_F32, "v_s_rsq_f32", "D1Xf/co-", -1, 0x286, -1) \
  TN_AMD_OF(_, VOP3, V_S_RSQ_F16, "v_s_rsq_f16", "D1Xh/co-", -1, 0x287, -1) \
  TN_AMD_OF(_, VOP3, V_S_SQRT_F32, "v_s_sqrt_f32", "D1Xf/co-", -1, 0x288, -1) \
  TN_AMD_OF(_, VOP3, V_S_SQRT_F16, "v_s_sqrt_f16", "D1Xh/co-", -1, 0x289, -1) \
  TN_AMD_OF(_, VOP3, V_PERMLANE16_VAR_B32, "v_permlane16_var_b32", "d1x1y1/p-", -1, 0x30F, -1) \
  TN_AMD_OF(_, VOP3, V_PERMLANEX16_VAR_B32, "v_permlanex16_var_b32", "d1x1y1/p-", -1, 0x310, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM_F64, "v_minimum_f64", "d20F1F/co", -1, 0x341, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM_F64, "v_maximum_f64", "d20F1F/co", -1, 0x342, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM_F32, "v_minimum_f32", "d10f1f/co", -1, 0x365, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM_F32, "v_maximum_f32", "d10f1f/co", -1, 0x366, -1) \
  TN_AMD_OF(_, VOP3, V_MINIMUM_F16, "v_minimum_f16", "d10h1h/co", -1, 0x367, -1) \
  TN_AMD_OF(_, VOP3, V_MAXIMUM_F16, "v_maximum_f16", "d10h1h/co", -1, 0x368, -1) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_FP8_F32, "v_cvt_pk_fp8_f32", "d10f1f/s", -1, 0x369, 0x2A2) \
  TN_AMD_OF(_, VOP3, V_CVT_PK_BF8_F32, "v_cvt_pk_bf8_f32", "d10f1f/s", -1, 0x36A, 0x2A3) \
  TN_AMD_OF(_, VOP3, V_CVT_SR_FP8_F32, "v_cvt_sr_fp8_f32", "d10f11/b|9:d10f11/T", -1, 0x36B, 0x2A4) \
  TN_AMD_OF(_, VOP3, V_CVT_SR_BF8_F32, "v_cvt_sr_bf8_f32", "d10f11/b|9:d10f11/T", -1, 0x36C, 0x2A5) \
  TN_AMD_OF(_, VOP3, V_MAD_LEGACY_F16, "v_mad_legacy_f16", "d10f1f2f/co", -1, -1, 0x1EA) \
  TN_AMD_OF(_, VOP3, V_MAD_LEGACY_U16, "v_mad_legacy_u16", "d10w1w2w/c", -1, -1, 0x1EB) \
  TN_AMD_OF(_, VOP3, V_MAD_LEGACY_I16, "v_mad_legacy_i16", "d10w1w2w/c", -1, -1, 0x1EC) \
  TN_AMD_OF(_, VOP3, V_FMA_LEGACY_F16, "v_fma_legacy_f16", "d10f1f2f/co", -1, -1, 0x1EE) \
  TN_AMD_OF(_, VOP3, V_DIV_FIXUP_LEGACY_F16, "v_div_fixup_legacy_f16", "d10f1f2f/co", -1, -1, 0x1EF) \
  TN_AMD_OF(_, VOP3, V_CVT_PKACCUM_U8_F32, "v_cvt_pkaccum_u8_f32", "d10f11/c", -1, -1, 0x1F0) \
  TN_AMD_OF(_, VOP3, V_MAD_F16, "v_mad_f16", "d10f1f2f/cos", -1, -1, 0x203) \
  TN_AMD_OF(_, VOP3, V_LSHL_ADD_U64, "v_lshl_add_u64", "d2021122", -1, -1, 0x208) \
  TN_AMD_OF(_, VOP3, V_CVT_PKRTZ_F16_F32, "v_cvt_pkrtz_f16_f32", "d10f1f/co", -1, -1, 0x296) \
  TN_AMD_OF(_, VOP3, V_MUL_LEGACY_F32, "v_mul_legacy_f32", "d10f1f/co", -1, -1, 0x2A1) \
  TN_AMD_OF(_, VOP3SD, V_DIV_SCALE_F32, "v_div_scale_f32", "d1cm0f1f2f/co-", 0x2FC, 0x2FC, 0x1E0) \
  TN_AMD_OF(_, VOP3SD, V_DIV_SCALE_F64, "v_div_scale_f64", "d2cm0F1F2F/co", 0x2FD, 0x2FD, 0x1E1) \
  TN_AMD_OF(_, VOP3SD, V_MAD_U64_U32, "v_mad_u64_u32|12:v_mad_co_u64_u32", "d2cm011122/c", 0x2FE, 0x2FE, 0x1E8) \
  TN_AMD_OF(_, VOP3SD, V_MAD_I64_I32, "v_mad_i64_i32|12:v_mad_co_i64_i32", "d2cm011122/c", 0x2FF, 0x2FF, 0x1E9) \
  TN_AMD_IN(_, V_ADD_CO_U32, "v_add_co_u32", "d1cm0111/c", VOP3SD, 0x300, VOP3SD, 0x300, VOP2, 0x19) \
  TN_AMD_IN(_, V_SUB_CO_U32, "v_sub_co_u32", "d1cm0111/c", VOP3SD, 0x301, VOP3SD, 0x301, VOP2, 0x1A) \
  TN_AMD_IN(_, V_SUBREV_CO_U32, "v_subrev_co_u32", "d1cm0111/c", VOP3SD, 0x302, VOP3SD, 0x302, VOP2, 0x1B)

// ** packed, dot products, matrices **

#define TN_AMD_PACKED_ROWS(_) \
  TN_AMD_OF(_, VOP3P, V_PK_MAD_I16, "v_pk_mad_i16", "d1011121/csnNq", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, VOP3P, V_PK_MUL_LO_U16, "v_pk_mul_lo_u16", "d10111/csnNq", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_I16, "v_pk_add_i16", "d10111/csnNq", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, VOP3P, V_PK_SUB_I16, "v_pk_sub_i16", "d10111/csnNq", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, VOP3P, V_PK_LSHLREV_B16, "v_pk_lshlrev_b16", "d10111/csnNq", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, VOP3P, V_PK_LSHRREV_B16, "v_pk_lshrrev_b16", "d10111/csnNq", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, VOP3P, V_PK_ASHRREV_I16, "v_pk_ashrrev_i16", "d10111/csnNq", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, VOP3P, V_PK_MAX_I16, "v_pk_max_i16", "d10111/csnNq", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, VOP3P, V_PK_MIN_I16, "v_pk_min_i16", "d10111/csnNq", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, VOP3P, V_PK_MAD_U16, "v_pk_mad_u16", "d1011121/csnNq", 0x09, 0x09, 0x09) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_U16, "v_pk_add_u16", "d10111/csnNq", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, VOP3P, V_PK_SUB_U16, "v_pk_sub_u16", "d10111/csnNq", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, VOP3P, V_PK_MAX_U16, "v_pk_max_u16", "d10111/csnNq", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, VOP3P, V_PK_MIN_U16, "v_pk_min_u16", "d10111/csnNq", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, VOP3P, V_PK_FMA_F16, "v_pk_fma_f16", "d1011121/csnNq", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_F16, "v_pk_add_f16", "d10111/csnNq", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, VOP3P, V_PK_MUL_F16, "v_pk_mul_f16", "d10111/csnNq", 0x10, 0x10, 0x10) \
  TN_AMD_OF(_, VOP3P, V_PK_MIN_F16, "v_pk_min_f16|12:v_pk_min_num_f16", "d10111/csnNq", 0x11, 0x1B, 0x11) \
  TN_AMD_OF(_, VOP3P, V_PK_MAX_F16, "v_pk_max_f16|12:v_pk_max_num_f16", "d10111/csnNq", 0x12, 0x1C, 0x12) \
  TN_AMD_OF(_, VOP3P, V_DOT2_F32_F16, "v_dot2_f32_f16", "d1011121/csnNqD", 0x13, 0x13, 0x23) \
  TN_AMD_OF(_, VOP3P, V_DOT4_I32_IU8, "v_dot4_i32_iu8", "d1011121/csnNq", 0x16, 0x16, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_U32_U8, "v_dot4_u32_u8", "d1011121/csnNq", 0x17, 0x17, 0x29) \
  TN_AMD_OF(_, VOP3P, V_DOT8_I32_IU4, "v_dot8_i32_iu4", "d1011121/csnNq", 0x18, 0x18, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT8_U32_U4, "v_dot8_u32_u4", "d1011121/csnNq", 0x19, 0x19, 0x2B) \
  TN_AMD_OF(_, VOP3P, V_DOT2_F32_BF16, "v_dot2_f32_bf16", "d1011121/csnNq", 0x1A, 0x1A, -1) \
  TN_AMD_OF(_, VOP3P, V_FMA_MIX_F32, "v_fma_mix_f32", "d10f1f2f/csD", 0x20, 0x20, 0x20) \
  TN_AMD_OF(_, VOP3P, V_FMA_MIXLO_F16, "v_fma_mixlo_f16", "d10f1f2f/csD", 0x21, 0x21, 0x21) \
  TN_AMD_OF(_, VOP3P, V_FMA_MIXHI_F16, "v_fma_mixhi_f16", "d10f1f2f/csD", 0x22, 0x22, 0x22) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_F16, \
    "v_wmma_f32_16x16x16_f16", "d8x8y8C8/nNq|12:d8x4y4C8/nNq", 0x40, 0x40, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_BF16, \
    "v_wmma_f32_16x16x16_bf16", "d8x8y8C8/nNq|12:d8x4y4C8/nNq", 0x41, 0x41, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F16_16X16X16_F16, \
    "v_wmma_f16_16x16x16_f16", "d8x8y8C8/snNq|12:d4x4y4C4/nNq", 0x42, 0x42, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_BF16_16X16X16_BF16, \
    "v_wmma_bf16_16x16x16_bf16", "d8x8y8C8/snNq|12:d4x4y4C4/nNq", 0x43, 0x43, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_I32_16X16X16_IU8, \
    "v_wmma_i32_16x16x16_iu8", "d8x4y4C8/cnNq|12:d8x2y2C8/cn", 0x44, 0x44, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_I32_16X16X16_IU4, \
    "v_wmma_i32_16x16x16_iu4", "d8x2y2C8/cnNq|12:d8x1y1C8/cn", 0x45, 0x45, -1) \
  TN_AMD_OF(_, VOP3P, V_PK_MINIMUM_F16, "v_pk_minimum_f16", "d10111/csnNq", -1, 0x1D, -1) \
  TN_AMD_OF(_, VOP3P, V_PK_MAXIMUM_F16, "v_pk_maximum_f16", "d10111/csnNq", -1, 0x1E, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_FP8_BF8, "v_dot4_f32_fp8_bf8", "d1011121/qD", -1, 0x24, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_BF8_FP8, "v_dot4_f32_bf8_fp8", "d1011121/qD", -1, 0x25, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_FP8_FP8, "v_dot4_f32_fp8_fp8", "d1011121/qD", -1, 0x26, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT4_F32_BF8_BF8, "v_dot4_f32_bf8_bf8", "d1011121/qD", -1, 0x27, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_FP8_FP8, "v_wmma_f32_16x16x16_fp8_fp8", "d8x2y2C8/q", -1, 0x46, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_FP8_BF8, "v_wmma_f32_16x16x16_fp8_bf8", "d8x2y2C8/q", -1, 0x47, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_BF8_FP8, "v_wmma_f32_16x16x16_bf8_fp8", "d8x2y2C8/q", -1, 0x48, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_F32_16X16X16_BF8_BF8, "v_wmma_f32_16x16x16_bf8_bf8", "d8x2y2C8/q", -1, 0x49, -1) \
  TN_AMD_OF(_, VOP3P, V_WMMA_I32_16X16X32_IU4, "v_wmma_i32_16x16x32_iu4", "d8x2y2C8/cn", -1, 0x4A, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_F16, "v_swmmac_f32_16x16x32_f16", "d8x4y8z1/knN", -1, 0x50, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_BF16, "v_swmmac_f32_16x16x32_bf16", "d8x4y8z1/knN", -1, 0x51, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F16_16X16X32_F16, "v_swmmac_f16_16x16x32_f16", "d4x4y8z1/knN", -1, 0x52, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_BF16_16X16X32_BF16, "v_swmmac_bf16_16x16x32_bf16", "d4x4y8z1/knN", -1, 0x53, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_I32_16X16X32_IU8, "v_swmmac_i32_16x16x32_iu8", "d8x2y4z1/ckn", -1, 0x54, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_I32_16X16X32_IU4, "v_swmmac_i32_16x16x32_iu4", "d8x1y2z1/ckn", -1, 0x55, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_I32_16X16X64_IU4, "v_swmmac_i32_16x16x64_iu4", "d8x2y4z1/cn", -1, 0x56, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_FP8_FP8, "v_swmmac_f32_16x16x32_fp8_fp8", "d8x2y4z1/k", -1, 0x57, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_FP8_BF8, "v_swmmac_f32_16x16x32_fp8_bf8", "d8x2y4z1/k", -1, 0x58, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_BF8_FP8, "v_swmmac_f32_16x16x32_bf8_fp8", "d8x2y4z1/k", -1, 0x59, -1) \
  TN_AMD_OF(_, VOP3P, V_SWMMAC_F32_16X16X32_BF8_BF8, "v_swmmac_f32_16x16x32_bf8_bf8", "d8x2y4z1/k", -1, 0x5A, -1) \
  TN_AMD_OF(_, VOP3P, V_DOT2_I32_I16, "v_dot2_i32_i16", "d1011121/csnNq", -1, -1, 0x26) \
  TN_AMD_OF(_, VOP3P, V_DOT2_U32_U16, "v_dot2_u32_u16", "d1011121/csnNq", -1, -1, 0x27) \
  TN_AMD_OF(_, VOP3P, V_DOT4_I32_I8, "v_dot4_i32_i8", "d1011121/csnNq", -1, -1, 0x28) \
  TN_AMD_OF(_, VOP3P, V_DOT8_I32_I4, "v_dot8_i32_i4", "d1011121/csnNq", -1, -1, 0x2A) \
  TN_AMD_OF(_, VOP3P, V_PK_FMA_F32, "v_pk_fma_f32", "d2021222/csnNq", -1, -1, 0x30) \
  TN_AMD_OF(_, VOP3P, V_PK_MUL_F32, "v_pk_mul_f32", "d20212/csnNq", -1, -1, 0x31) \
  TN_AMD_OF(_, VOP3P, V_PK_ADD_F32, "v_pk_add_f32", "d20212/csnNq", -1, -1, 0x32) \
  TN_AMD_OF(_, VOP3P, V_PK_MOV_B32, "v_pk_mov_b32", "d20212/csnNq", -1, -1, 0x33) \
  TN_AMD_OF(_, VOP3P, V_ACCVGPR_READ_B32, "v_accvgpr_read_b32", "d1A1", -1, -1, 0x58) \
  TN_AMD_OF(_, VOP3P, V_ACCVGPR_WRITE_B32, "v_accvgpr_write_b32", "g101", -1, -1, 0x59) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X8_XF32, "v_mfma_f32_16x16x8_xf32", "d4x2y2C4/m", -1, -1, 0x3E) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X4_XF32, "v_mfma_f32_32x32x4_xf32", "dxx2y2Cx/m", -1, -1, 0x3F) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X1_2B_F32, "v_mfma_f32_32x32x1_2b_f32", "dyx1y1Cy/m", -1, -1, 0x40) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X1_4B_F32, "v_mfma_f32_16x16x1_4b_f32", "dxx1y1Cx/m", -1, -1, 0x41) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_4X4X1_16B_F32, "v_mfma_f32_4x4x1_16b_f32", "d4x1y1C4/m", -1, -1, 0x42) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X2_F32, "v_mfma_f32_32x32x2_f32", "dxx1y1Cx/m", -1, -1, 0x44) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X4_F32, "v_mfma_f32_16x16x4_f32", "d4x1y1C4/m", -1, -1, 0x45) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X4_2B_F16, "v_mfma_f32_32x32x4_2b_f16", "dyx2y2Cy/m", -1, -1, 0x48) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X4_4B_F16, "v_mfma_f32_16x16x4_4b_f16", "dxx2y2Cx/m", -1, -1, 0x49) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_4X4X4_16B_F16, "v_mfma_f32_4x4x4_16b_f16", "d4x2y2C4/m", -1, -1, 0x4A) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X8_F16, "v_mfma_f32_32x32x8_f16", "dxx2y2Cx/m", -1, -1, 0x4C) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X16_F16, "v_mfma_f32_16x16x16_f16", "d4x2y2C4/m", -1, -1, 0x4D) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_32X32X4_2B_I8, "v_mfma_i32_32x32x4_2b_i8", "dyx1y1Cy/m", -1, -1, 0x50) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_16X16X4_4B_I8, "v_mfma_i32_16x16x4_4b_i8", "dxx1y1Cx/m", -1, -1, 0x51) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_4X4X4_16B_I8, "v_mfma_i32_4x4x4_16b_i8", "d4x1y1C4/m", -1, -1, 0x52) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_32X32X16_I8, "v_mfma_i32_32x32x16_i8", "dxx2y2Cx/m", -1, -1, 0x56) \
  TN_AMD_OF(_, MFMA, V_MFMA_I32_16X16X32_I8, "v_mfma_i32_16x16x32_i8", "d4x2y2C4/m", -1, -1, 0x57) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X4_2B_BF16, "v_mfma_f32_32x32x4_2b_bf16", "dyx2y2Cy/m", -1, -1, 0x5D) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X4_4B_BF16, "v_mfma_f32_16x16x4_4b_bf16", "dxx2y2Cx/m", -1, -1, 0x5E) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_4X4X4_16B_BF16, "v_mfma_f32_4x4x4_16b_bf16", "d4x2y2C4/m", -1, -1, 0x5F) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X8_BF16, "v_mfma_f32_32x32x8_bf16", "dxx2y2Cx/m", -1, -1, 0x60) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X16_BF16, "v_mfma_f32_16x16x16_bf16", "d4x2y2C4/m", -1, -1, 0x61) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X32_F16, "v_smfmac_f32_16x16x32_f16", "d4x2y4z1/M", -1, -1, 0x62) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X16_F16, "v_smfmac_f32_32x32x16_f16", "dxx2y4z1/M", -1, -1, 0x64) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X32_BF16, "v_smfmac_f32_16x16x32_bf16", "d4x2y4z1/M", -1, -1, 0x66) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X16_BF16, "v_smfmac_f32_32x32x16_bf16", "dxx2y4z1/M", -1, -1, 0x68) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_I32_16X16X64_I8, "v_smfmac_i32_16x16x64_i8", "d4x2y4z1/M", -1, -1, 0x6A) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_I32_32X32X32_I8, "v_smfmac_i32_32x32x32_i8", "dxx2y4z1/M", -1, -1, 0x6C) \
  TN_AMD_OF(_, MFMA, V_MFMA_F64_16X16X4_F64, "v_mfma_f64_16x16x4_f64", "d8x2y2C8/e", -1, -1, 0x6E) \
  TN_AMD_OF(_, MFMA, V_MFMA_F64_4X4X4_4B_F64, "v_mfma_f64_4x4x4_4b_f64", "d2x2y2C2/e", -1, -1, 0x6F) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_BF8_BF8, "v_mfma_f32_16x16x32_bf8_bf8", "d4x2y2C4/m", -1, -1, 0x70) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_BF8_FP8, "v_mfma_f32_16x16x32_bf8_fp8", "d4x2y2C4/m", -1, -1, 0x71) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_FP8_BF8, "v_mfma_f32_16x16x32_fp8_bf8", "d4x2y2C4/m", -1, -1, 0x72) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_16X16X32_FP8_FP8, "v_mfma_f32_16x16x32_fp8_fp8", "d4x2y2C4/m", -1, -1, 0x73) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_BF8_BF8, "v_mfma_f32_32x32x16_bf8_bf8", "dxx2y2Cx/m", -1, -1, 0x74) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_BF8_FP8, "v_mfma_f32_32x32x16_bf8_fp8", "dxx2y2Cx/m", -1, -1, 0x75) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_FP8_BF8, "v_mfma_f32_32x32x16_fp8_bf8", "dxx2y2Cx/m", -1, -1, 0x76) \
  TN_AMD_OF(_, MFMA, V_MFMA_F32_32X32X16_FP8_FP8, "v_mfma_f32_32x32x16_fp8_fp8", "dxx2y2Cx/m", -1, -1, 0x77) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_BF8_BF8, "v_smfmac_f32_16x16x64_bf8_bf8", "d4x2y4z1/M", -1, -1, 0x78) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_BF8_FP8, "v_smfmac_f32_16x16x64_bf8_fp8", "d4x2y4z1/M", -1, -1, 0x79) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_FP8_BF8, "v_smfmac_f32_16x16x64_fp8_bf8", "d4x2y4z1/M", -1, -1, 0x7A) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_16X16X64_FP8_FP8, "v_smfmac_f32_16x16x64_fp8_fp8", "d4x2y4z1/M", -1, -1, 0x7B) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_BF8_BF8, "v_smfmac_f32_32x32x32_bf8_bf8", "dxx2y4z1/M", -1, -1, 0x7C) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_BF8_FP8, "v_smfmac_f32_32x32x32_bf8_fp8", "dxx2y4z1/M", -1, -1, 0x7D) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_FP8_BF8, "v_smfmac_f32_32x32x32_fp8_bf8", "dxx2y4z1/M", -1, -1, 0x7E) \
  TN_AMD_OF(_, MFMA, V_SMFMAC_F32_32X32X32_FP8_FP8, "v_smfmac_f32_32x32x32_fp8_fp8", "dxx2y4z1/M", -1, -1, 0x7F)
#endif
// ---- end src/amd/../isa/amd_vectors.c ----
// ---- begin src/amd/../isa/amd_accesses.c ----
// amd_accesses: rows of the table of AMD's instructions: LDS, and memory by flat, scratch, global and buffer addresses.
//
// In:  a macro. Out: it, called for each row. What the columns are stands in amd_table.c, which includes this room.
#ifndef TN_ISA_AMD_ACCESSES
#define TN_ISA_AMD_ACCESSES

// ** LDS **

#define TN_AMD_LOCAL_ROWS(_) \
  TN_AMD_OF(_, DS, DS_ADD_U32, "ds_add_u32", "a1b1", 0x00, 0x00, 0x00) \
  TN_AMD_OF(_, DS, DS_SUB_U32, "ds_sub_u32", "a1b1", 0x01, 0x01, 0x01) \
  TN_AMD_OF(_, DS, DS_RSUB_U32, "ds_rsub_u32", "a1b1", 0x02, 0x02, 0x02) \
  TN_AMD_OF(_, DS, DS_INC_U32, "ds_inc_u32", "a1b1", 0x03, 0x03, 0x03) \
  TN_AMD_OF(_, DS, DS_DEC_U32, "ds_dec_u32", "a1b1", 0x04, 0x04, 0x04) \
  TN_AMD_OF(_, DS, DS_MIN_I32, "ds_min_i32", "a1b1", 0x05, 0x05, 0x05) \
  TN_AMD_OF(_, DS, DS_MAX_I32, "ds_max_i32", "a1b1", 0x06, 0x06, 0x06) \
  TN_AMD_OF(_, DS, DS_MIN_U32, "ds_min_u32", "a1b1", 0x07, 0x07, 0x07) \
  TN_AMD_OF(_, DS, DS_MAX_U32, "ds_max_u32", "a1b1", 0x08, 0x08, 0x08) \
  TN_AMD_OF(_, DS, DS_AND_B32, "ds_and_b32", "a1b1", 0x09, 0x09, 0x09) \
  TN_AMD_OF(_, DS, DS_OR_B32, "ds_or_b32", "a1b1", 0x0A, 0x0A, 0x0A) \
  TN_AMD_OF(_, DS, DS_XOR_B32, "ds_xor_b32", "a1b1", 0x0B, 0x0B, 0x0B) \
  TN_AMD_OF(_, DS, DS_MSKOR_B32, "ds_mskor_b32", "a1b1c1", 0x0C, 0x0C, 0x0C) \
  TN_AMD_OF(_, DS, DS_STORE_B32, "ds_store_b32|9:ds_write_b32", "a1b1", 0x0D, 0x0D, 0x0D) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_B32, "ds_store_2addr_b32|9:ds_write2_b32", "a1b1c1/2", 0x0E, 0x0E, 0x0E) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_STRIDE64_B32, \
    "ds_store_2addr_stride64_b32|9:ds_write2st64_b32", "a1b1c1/2", 0x0F, 0x0F, 0x0F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_B32, "ds_cmpstore_b32|9:ds_cmpst_b32", "a1b1c1", 0x10, 0x10, 0x10) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_F32, "ds_cmpstore_f32|9:ds_cmpst_f32", "a1b1c1", 0x11, -1, 0x11) \
  TN_AMD_OF(_, DS, DS_MIN_F32, "ds_min_f32|12:ds_min_num_f32", "a1b1", 0x12, 0x12, 0x12) \
  TN_AMD_OF(_, DS, DS_MAX_F32, "ds_max_f32|12:ds_max_num_f32", "a1b1", 0x13, 0x13, 0x13) \
  TN_AMD_OF(_, DS, DS_NOP, "ds_nop", "", 0x14, 0x14, 0x14) \
  TN_AMD_OF(_, DS, DS_ADD_F32, "ds_add_f32", "a1b1", 0x15, 0x15, 0x15) \
  TN_AMD_OF(_, DS, DS_STORE_B8, "ds_store_b8|9:ds_write_b8", "a1b1", 0x1E, 0x1E, 0x1E) \
  TN_AMD_OF(_, DS, DS_STORE_B16, "ds_store_b16|9:ds_write_b16", "a1b1", 0x1F, 0x1F, 0x1F) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_U32, "ds_add_rtn_u32", "d1a1b1", 0x20, 0x20, 0x20) \
  TN_AMD_OF(_, DS, DS_SUB_RTN_U32, "ds_sub_rtn_u32", "d1a1b1", 0x21, 0x21, 0x21) \
  TN_AMD_OF(_, DS, DS_RSUB_RTN_U32, "ds_rsub_rtn_u32", "d1a1b1", 0x22, 0x22, 0x22) \
  TN_AMD_OF(_, DS, DS_INC_RTN_U32, "ds_inc_rtn_u32", "d1a1b1", 0x23, 0x23, 0x23) \
  TN_AMD_OF(_, DS, DS_DEC_RTN_U32, "ds_dec_rtn_u32", "d1a1b1", 0x24, 0x24, 0x24) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_I32, "ds_min_rtn_i32", "d1a1b1", 0x25, 0x25, 0x25) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_I32, "ds_max_rtn_i32", "d1a1b1", 0x26, 0x26, 0x26) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_U32, "ds_min_rtn_u32", "d1a1b1", 0x27, 0x27, 0x27) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_U32, "ds_max_rtn_u32", "d1a1b1", 0x28, 0x28, 0x28) \
  TN_AMD_OF(_, DS, DS_AND_RTN_B32, "ds_and_rtn_b32", "d1a1b1", 0x29, 0x29, 0x29) \
  TN_AMD_OF(_, DS, DS_OR_RTN_B32, "ds_or_rtn_b32", "d1a1b1", 0x2A, 0x2A, 0x2A) \
  TN_AMD_OF(_, DS, DS_XOR_RTN_B32, "ds_xor_rtn_b32", "d1a1b1", 0x2B, 0x2B, 0x2B) \
  TN_AMD_OF(_, DS, DS_MSKOR_RTN_B32, "ds_mskor_rtn_b32", "d1a1b1c1", 0x2C, 0x2C, 0x2C) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_RTN_B32, "ds_storexchg_rtn_b32|9:ds_wrxchg_rtn_b32", "d1a1b1", 0x2D, 0x2D, 0x2D) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_RTN_B32, \
    "ds_storexchg_2addr_rtn_b32|9:ds_wrxchg2_rtn_b32", "d2a1b1c1/2", 0x2E, 0x2E, 0x2E) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_STRIDE64_RTN_B32, \
    "ds_storexchg_2addr_stride64_rtn_b32|9:ds_wrxchg2st64_rtn_b32", "d2a1b1c1/2", 0x2F, 0x2F, 0x2F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_B32, "ds_cmpstore_rtn_b32", "d1a1b1c1", 0x30, 0x30, -1) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_F32, "ds_cmpstore_rtn_f32|9:ds_cmpst_rtn_f32", "d1a1b1c1", 0x31, -1, 0x31) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_F32, "ds_min_rtn_f32|12:ds_min_num_rtn_f32", "d1a1b1", 0x32, 0x32, 0x32) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_F32, "ds_max_rtn_f32|12:ds_max_num_rtn_f32", "d1a1b1", 0x33, 0x33, 0x33) \
  TN_AMD_OF(_, DS, DS_WRAP_RTN_B32, "ds_wrap_rtn_b32", "d1a1b1c1", 0x34, -1, 0x34) \
  TN_AMD_OF(_, DS, DS_SWIZZLE_B32, "ds_swizzle_b32", "d1a1", 0x35, 0x35, 0x3D) \
  TN_AMD_OF(_, DS, DS_LOAD_B32, "ds_load_b32|9:ds_read_b32", "d1a1", 0x36, 0x36, 0x36) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_B32, "ds_load_2addr_b32|9:ds_read2_b32", "d2a1/2", 0x37, 0x37, 0x37) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_STRIDE64_B32, \
    "ds_load_2addr_stride64_b32|9:ds_read2st64_b32", "d2a1/2", 0x38, 0x38, 0x38) \
  TN_AMD_OF(_, DS, DS_LOAD_I8, "ds_load_i8|9:ds_read_i8", "d1a1", 0x39, 0x39, 0x39) \
  TN_AMD_OF(_, DS, DS_LOAD_U8, "ds_load_u8|9:ds_read_u8", "d1a1", 0x3A, 0x3A, 0x3A) \
  TN_AMD_OF(_, DS, DS_LOAD_I16, "ds_load_i16|9:ds_read_i16", "d1a1", 0x3B, 0x3B, 0x3B) \
  TN_AMD_OF(_, DS, DS_LOAD_U16, "ds_load_u16|9:ds_read_u16", "d1a1", 0x3C, 0x3C, 0x3C) \
  TN_AMD_OF(_, DS, DS_CONSUME, "ds_consume", "d1", 0x3D, 0x3D, 0xBD) \
  TN_AMD_OF(_, DS, DS_APPEND, "ds_append", "d1", 0x3E, 0x3E, 0xBE) \
  TN_AMD_OF(_, DS, DS_ADD_U64, "ds_add_u64", "a1b2", 0x40, 0x40, 0x40) \
  TN_AMD_OF(_, DS, DS_SUB_U64, "ds_sub_u64", "a1b2", 0x41, 0x41, 0x41) \
  TN_AMD_OF(_, DS, DS_RSUB_U64, "ds_rsub_u64", "a1b2", 0x42, 0x42, 0x42) \
  TN_AMD_OF(_, DS, DS_INC_U64, "ds_inc_u64", "a1b2", 0x43, 0x43, 0x43) \
  TN_AMD_OF(_, DS, DS_DEC_U64, "ds_dec_u64", "a1b2", 0x44, 0x44, 0x44) \
  TN_AMD_OF(_, DS, DS_MIN_I64, "ds_min_i64", "a1b2", 0x45, 0x45, 0x45) \
  TN_AMD_OF(_, DS, DS_MAX_I64, "ds_max_i64", "a1b2", 0x46, 0x46, 0x46) \
  TN_AMD_OF(_, DS, DS_MIN_U64, "ds_min_u64", "a1b2", 0x47, 0x47, 0x47) \
  TN_AMD_OF(_, DS, DS_MAX_U64, "ds_max_u64", "a1b2", 0x48, 0x48, 0x48) \
  TN_AMD_OF(_, DS, DS_AND_B64, "ds_and_b64", "a1b2", 0x49, 0x49, 0x49) \
  TN_AMD_OF(_, DS, DS_OR_B64, "ds_or_b64", "a1b2", 0x4A, 0x4A, 0x4A) \
  TN_AMD_OF(_, DS, DS_XOR_B64, "ds_xor_b64", "a1b2", 0x4B, 0x4B, 0x4B) \
  TN_AMD_OF(_, DS, DS_MSKOR_B64, "ds_mskor_b64", "a1b2c2", 0x4C, 0x4C, 0x4C) \
  TN_AMD_OF(_, DS, DS_STORE_B64, "ds_store_b64|9:ds_write_b64", "a1b2", 0x4D, 0x4D, 0x4D) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_B64, "ds_store_2addr_b64|9:ds_write2_b64", "a1b2c2/2", 0x4E, 0x4E, 0x4E) \
  TN_AMD_OF(_, DS, DS_STORE_2ADDR_STRIDE64_B64, \
    "ds_store_2addr_stride64_b64|9:ds_write2st64_b64", "a1b2c2/2", 0x4F, 0x4F, 0x4F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_B64, "ds_cmpstore_b64|9:ds_cmpst_b64", "a1b2c2", 0x50, 0x50, 0x50) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_F64, "ds_cmpstore_f64|9:ds_cmpst_f64", "a1b2c2", 0x51, -1, 0x51) \
  TN_AMD_OF(_, DS, DS_MIN_F64, "ds_min_f64|12:ds_min_num_f64", "a1b2", 0x52, 0x52, 0x52) \
  TN_AMD_OF(_, DS, DS_MAX_F64, "ds_max_f64|12:ds_max_num_f64", "a1b2", 0x53, 0x53, 0x53) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_U64, "ds_add_rtn_u64", "d2a1b2", 0x60, 0x60, 0x60) \
  TN_AMD_OF(_, DS, DS_SUB_RTN_U64, "ds_sub_rtn_u64", "d2a1b2", 0x61, 0x61, 0x61) \
  TN_AMD_OF(_, DS, DS_RSUB_RTN_U64, "ds_rsub_rtn_u64", "d2a1b2", 0x62, 0x62, 0x62) \
  TN_AMD_OF(_, DS, DS_INC_RTN_U64, "ds_inc_rtn_u64", "d2a1b2", 0x63, 0x63, 0x63) \
  TN_AMD_OF(_, DS, DS_DEC_RTN_U64, "ds_dec_rtn_u64", "d2a1b2", 0x64, 0x64, 0x64) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_I64, "ds_min_rtn_i64", "d2a1b2", 0x65, 0x65, 0x65) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_I64, "ds_max_rtn_i64", "d2a1b2", 0x66, 0x66, 0x66) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_U64, "ds_min_rtn_u64", "d2a1b2", 0x67, 0x67, 0x67) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_U64, "ds_max_rtn_u64", "d2a1b2", 0x68, 0x68, 0x68) \
  TN_AMD_OF(_, DS, DS_AND_RTN_B64, "ds_and_rtn_b64", "d2a1b2", 0x69, 0x69, 0x69) \
  TN_AMD_OF(_, DS, DS_OR_RTN_B64, "ds_or_rtn_b64", "d2a1b2", 0x6A, 0x6A, 0x6A) \
  TN_AMD_OF(_, DS, DS_XOR_RTN_B64, "ds_xor_rtn_b64", "d2a1b2", 0x6B, 0x6B, 0x6B) \
  TN_AMD_OF(_, DS, DS_MSKOR_RTN_B64, "ds_mskor_rtn_b64", "d2a1b2c2", 0x6C, 0x6C, 0x6C) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_RTN_B64, "ds_storexchg_rtn_b64|9:ds_wrxchg_rtn_b64", "d2a1b2", 0x6D, 0x6D, 0x6D) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_RTN_B64, \
    "ds_storexchg_2addr_rtn_b64|9:ds_wrxchg2_rtn_b64", "d4a1b2c2/2", 0x6E, 0x6E, 0x6E) \
  TN_AMD_OF(_, DS, DS_STOREXCHG_2ADDR_STRIDE64_RTN_B64, \
    "ds_storexchg_2addr_stride64_rtn_b64|9:ds_wrxchg2st64_rtn_b64", "d4a1b2c2/2", 0x6F, 0x6F, 0x6F) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_B64, "ds_cmpstore_rtn_b64|9:ds_cmpst_rtn_b64", "d2a1b2c2", 0x70, 0x70, 0x70) \
  TN_AMD_OF(_, DS, DS_CMPSTORE_RTN_F64, "ds_cmpstore_rtn_f64|9:ds_cmpst_rtn_f64", "d2a1b2c2", 0x71, -1, 0x71) \
  TN_AMD_OF(_, DS, DS_MIN_RTN_F64, "ds_min_rtn_f64|12:ds_min_num_rtn_f64", "d2a1b2", 0x72, 0x72, 0x72) \
  TN_AMD_OF(_, DS, DS_MAX_RTN_F64, "ds_max_rtn_f64|12:ds_max_num_rtn_f64", "d2a1b2", 0x73, 0x73, 0x73) \
  TN_AMD_OF(_, DS, DS_LOAD_B64, "ds_load_b64|9:ds_read_b64", "d2a1", 0x76, 0x76, 0x76) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_B64, "ds_load_2addr_b64|9:ds_read2_b64", "d4a1/2", 0x77, 0x77, 0x77) \
  TN_AMD_OF(_, DS, DS_LOAD_2ADDR_STRIDE64_B64, \
    "ds_load_2addr_stride64_b64|9:ds_read2st64_b64", "d4a1/2", 0x78, 0x78, 0x78) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_F32, "ds_add_rtn_f32", "d1a1b1", 0x79, 0x79, 0x35) \
  TN_AMD_OF(_, DS, DS_CONDXCHG32_RTN_B64, "ds_condxchg32_rtn_b64", "d2a1b2", 0x7E, 0x7E, 0x7E) \
  TN_AMD_OF(_, DS, DS_STORE_B8_D16_HI, "ds_store_b8_d16_hi|9:ds_write_b8_d16_hi", "a1b1", 0xA0, 0xA0, 0x54) \
  TN_AMD_OF(_, DS, DS_STORE_B16_D16_HI, "ds_store_b16_d16_hi|9:ds_write_b16_d16_hi", "a1b1", 0xA1, 0xA1, 0x55) \
  TN_AMD_OF(_, DS, DS_LOAD_U8_D16, "ds_load_u8_d16|9:ds_read_u8_d16", "d1a1", 0xA2, 0xA2, 0x56) \
  TN_AMD_OF(_, DS, DS_LOAD_U8_D16_HI, "ds_load_u8_d16_hi|9:ds_read_u8_d16_hi", "d1a1", 0xA3, 0xA3, 0x57) \
  TN_AMD_OF(_, DS, DS_LOAD_I8_D16, "ds_load_i8_d16|9:ds_read_i8_d16", "d1a1", 0xA4, 0xA4, 0x58) \
  TN_AMD_OF(_, DS, DS_LOAD_I8_D16_HI, "ds_load_i8_d16_hi|9:ds_read_i8_d16_hi", "d1a1", 0xA5, 0xA5, 0x59) \
  TN_AMD_OF(_, DS, DS_LOAD_U16_D16, "ds_load_u16_d16|9:ds_read_u16_d16", "d1a1", 0xA6, 0xA6, 0x5A) \
  TN_AMD_OF(_, DS, DS_LOAD_U16_D16_HI, "ds_load_u16_d16_hi|9:ds_read_u16_d16_hi", "d1a1", 0xA7, 0xA7, 0x5B) \
  TN_AMD_OF(_, DS, DS_PERMUTE_B32, "ds_permute_b32", "d1a1b1", 0xB2, 0xB2, 0x3E) \
  TN_AMD_OF(_, DS, DS_BPERMUTE_B32, "ds_bpermute_b32", "d1a1b1", 0xB3, 0xB3, 0x3F) \
  TN_AMD_OF(_, DS, DS_STORE_B96, "ds_store_b96|9:ds_write_b96", "a1b3", 0xDE, 0xDE, 0xDE) \
  TN_AMD_OF(_, DS, DS_STORE_B128, "ds_store_b128|9:ds_write_b128", "a1b4", 0xDF, 0xDF, 0xDF) \
  TN_AMD_OF(_, DS, DS_LOAD_B96, "ds_load_b96|9:ds_read_b96", "d3a1", 0xFE, 0xFE, 0xFE) \
  TN_AMD_OF(_, DS, DS_LOAD_B128, "ds_load_b128|9:ds_read_b128", "d4a1", 0xFF, 0xFF, 0xFF) \
  TN_AMD_OF(_, DS, DS_COND_SUB_U32, "ds_cond_sub_u32", "a1b1", -1, 0x98, -1) \
  TN_AMD_OF(_, DS, DS_SUB_CLAMP_U32, "ds_sub_clamp_u32", "a1b1", -1, 0x99, -1) \
  TN_AMD_OF(_, DS, DS_PK_ADD_F16, "ds_pk_add_f16", "a1b1", -1, 0x9A, 0x17) \
  TN_AMD_OF(_, DS, DS_PK_ADD_BF16, "ds_pk_add_bf16", "a1b1", -1, 0x9B, 0x18) \
  TN_AMD_OF(_, DS, DS_COND_SUB_RTN_U32, "ds_cond_sub_rtn_u32", "d1a1b1", -1, 0xA8, -1) \
  TN_AMD_OF(_, DS, DS_SUB_CLAMP_RTN_U32, "ds_sub_clamp_rtn_u32", "d1a1b1", -1, 0xA9, -1) \
  TN_AMD_OF(_, DS, DS_PK_ADD_RTN_F16, "ds_pk_add_rtn_f16", "d1a1b1", -1, 0xAA, 0xB7) \
  TN_AMD_OF(_, DS, DS_PK_ADD_RTN_BF16, "ds_pk_add_rtn_bf16", "d1a1b1", -1, 0xAB, 0xB8) \
  TN_AMD_OF(_, DS, DS_CMPST_RTN_B32, "ds_cmpst_rtn_b32", "d1a1b1c1", -1, -1, 0x30) \
  TN_AMD_OF(_, DS, DS_ADD_F64, "ds_add_f64", "a1b2", -1, -1, 0x5C) \
  TN_AMD_OF(_, DS, DS_ADD_RTN_F64, "ds_add_rtn_f64", "d2a1b2", -1, -1, 0x7C)

// ** memory: names behind flat_, scratch_, global_ and buffer_ on gfx11, gfx12, gfx9; dwords; opcodes **

#define TN_AMD_AT(_, format, id, prefix, n11, n12, n9, operands, a, b, c) \
  TN_AMD_OF(_, format, id, prefix n11 "|12:" prefix n12 "|9:" prefix n9, operands, a, b, c)
#define TN_AMD_LOAD(_, id, n11, n12, n9, w, a, b, c) \
  TN_AMD_AT(_, FLAT, FLAT_##id, "flat_", n11, n12, n9, "d" w "aa", a, b, c) \
  TN_AMD_AT(_, SCRATCH, SCRATCH_##id, "scratch_", n11, n12, n9, "d" w "aas2", a, b, c) \
  TN_AMD_AT(_, GLOBAL, GLOBAL_##id, "global_", n11, n12, n9, "d" w "aas2", a, b, c) \
  TN_AMD_AT(_, MUBUF, BUFFER_##id, "buffer_", n11, n12, n9, "b" w "aaR4o1", a, b, c)
#define TN_AMD_STORE(_, id, n11, n12, n9, w, a, b, c) \
  TN_AMD_AT(_, FLAT, FLAT_##id, "flat_", n11, n12, n9, "aab" w, a, b, c) \
  TN_AMD_AT(_, SCRATCH, SCRATCH_##id, "scratch_", n11, n12, n9, "aab" w "s2", a, b, c) \
  TN_AMD_AT(_, GLOBAL, GLOBAL_##id, "global_", n11, n12, n9, "aab" w "s2", a, b, c) \
  TN_AMD_AT(_, MUBUF, BUFFER_##id, "buffer_", n11, n12, n9, "b" w "aaR4o1", a, b, c)
// r, w: dwords of what is returned, and of the data: {new, compare} of cmpswap
#define TN_AMD_ATOMIC(_, id, n11, n12, n9, r, w, a, b, c) \
  TN_AMD_AT(_, FLAT, FLAT_##id, "flat_", n11, n12, n9, "r" r "aab" w, a, b, c) \
  TN_AMD_AT(_, GLOBAL, GLOBAL_##id, "global_", n11, n12, n9, "r" r "aab" w "s2", a, b, c) \
  TN_AMD_AT(_, MUBUF, BUFFER_##id, "buffer_", n11, n12, n9, "b" w "aaR4o1", a, b, c)

#define TN_AMD_MEMORY_ROWS(_) \
  TN_AMD_LOAD(_, LOAD_U8, "load_u8", "load_u8", "load_ubyte", "1", 0x10, 0x10, 0x10) \
  TN_AMD_LOAD(_, LOAD_I8, "load_i8", "load_i8", "load_sbyte", "1", 0x11, 0x11, 0x11) \
  TN_AMD_LOAD(_, LOAD_U16, "load_u16", "load_u16", "load_ushort", "1", 0x12, 0x12, 0x12) \
  TN_AMD_LOAD(_, LOAD_I16, "load_i16", "load_i16", "load_sshort", "1", 0x13, 0x13, 0x13) \
  TN_AMD_LOAD(_, LOAD_B32, "load_b32", "load_b32", "load_dword", "1", 0x14, 0x14, 0x14) \
  TN_AMD_LOAD(_, LOAD_B64, "load_b64", "load_b64", "load_dwordx2", "2", 0x15, 0x15, 0x15) \
  TN_AMD_LOAD(_, LOAD_B96, "load_b96", "load_b96", "load_dwordx3", "3", 0x16, 0x16, 0x16) \
  TN_AMD_LOAD(_, LOAD_B128, "load_b128", "load_b128", "load_dwordx4", "4", 0x17, 0x17, 0x17) \
  TN_AMD_LOAD(_, LOAD_D16_U8, "load_d16_u8", "load_d16_u8", "load_ubyte_d16", "1", 0x1E, 0x1E, 0x20) \
  TN_AMD_LOAD(_, LOAD_D16_I8, "load_d16_i8", "load_d16_i8", "load_sbyte_d16", "1", 0x1F, 0x1F, 0x22) \
  TN_AMD_LOAD(_, LOAD_D16_B16, "load_d16_b16", "load_d16_b16", "load_short_d16", "1", 0x20, 0x20, 0x24) \
  TN_AMD_LOAD(_, LOAD_D16_HI_U8, "load_d16_hi_u8", "load_d16_hi_u8", "load_ubyte_d16_hi", "1", 0x21, 0x21, 0x21) \
  TN_AMD_LOAD(_, LOAD_D16_HI_I8, "load_d16_hi_i8", "load_d16_hi_i8", "load_sbyte_d16_hi", "1", 0x22, 0x22, 0x23) \
  TN_AMD_LOAD(_, LOAD_D16_HI_B16, "load_d16_hi_b16", "load_d16_hi_b16", "load_short_d16_hi", "1", 0x23, 0x23, 0x25) \
  TN_AMD_STORE(_, STORE_B8, "store_b8", "store_b8", "store_byte", "1", 0x18, 0x18, 0x18) \
  TN_AMD_STORE(_, STORE_B16, "store_b16", "store_b16", "store_short", "1", 0x19, 0x19, 0x1A) \
  TN_AMD_STORE(_, STORE_B32, "store_b32", "store_b32", "store_dword", "1", 0x1A, 0x1A, 0x1C) \
  TN_AMD_STORE(_, STORE_B64, "store_b64", "store_b64", "store_dwordx2", "2", 0x1B, 0x1B, 0x1D) \
  TN_AMD_STORE(_, STORE_B96, "store_b96", "store_b96", "store_dwordx3", "3", 0x1C, 0x1C, 0x1E) \
  TN_AMD_STORE(_, STORE_B128, "store_b128", "store_b128", "store_dwordx4", "4", 0x1D, 0x1D, 0x1F) \
  TN_AMD_STORE(_, STORE_D16_HI_B8, "store_d16_hi_b8", "store_d16_hi_b8", "store_byte_d16_hi", "1", 0x24, 0x24, 0x19) \
  TN_AMD_STORE(_, STORE_D16_HI_B16, \
    "store_d16_hi_b16", "store_d16_hi_b16", "store_short_d16_hi", "1", 0x25, 0x25, 0x1B) \
  TN_AMD_ATOMIC(_, ATOMIC_SWAP_B32, "atomic_swap_b32", "atomic_swap_b32", "atomic_swap", "1", "1", 0x33, 0x33, 0x40) \
  TN_AMD_ATOMIC(_, ATOMIC_CMPSWAP_B32, \
    "atomic_cmpswap_b32", "atomic_cmpswap_b32", "atomic_cmpswap", "1", "2", 0x34, 0x34, 0x41) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_U32, "atomic_add_u32", "atomic_add_u32", "atomic_add", "1", "1", 0x35, 0x35, 0x42) \
  TN_AMD_ATOMIC(_, ATOMIC_SUB_U32, "atomic_sub_u32", "atomic_sub_u32", "atomic_sub", "1", "1", 0x36, 0x36, 0x43) \
  TN_AMD_ATOMIC(_, ATOMIC_SUB_CLAMP_U32, \
    "atomic_sub_clamp_u32", "atomic_sub_clamp_u32", "atomic_sub_clamp_u32", "1", "1", -1, 0x37, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_I32, "atomic_min_i32", "atomic_min_i32", "atomic_smin", "1", "1", 0x38, 0x38, 0x44) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_U32, "atomic_min_u32", "atomic_min_u32", "atomic_umin", "1", "1", 0x39, 0x39, 0x45) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_I32, "atomic_max_i32", "atomic_max_i32", "atomic_smax", "1", "1", 0x3A, 0x3A, 0x46) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_U32, "atomic_max_u32", "atomic_max_u32", "atomic_umax", "1", "1", 0x3B, 0x3B, 0x47) \
  TN_AMD_ATOMIC(_, ATOMIC_AND_B32, "atomic_and_b32", "atomic_and_b32", "atomic_and", "1", "1", 0x3C, 0x3C, 0x48) \
  TN_AMD_ATOMIC(_, ATOMIC_OR_B32, "atomic_or_b32", "atomic_or_b32", "atomic_or", "1", "1", 0x3D, 0x3D, 0x49) \
  TN_AMD_ATOMIC(_, ATOMIC_XOR_B32, "atomic_xor_b32", "atomic_xor_b32", "atomic_xor", "1", "1", 0x3E, 0x3E, 0x4A) \
  TN_AMD_ATOMIC(_, ATOMIC_INC_U32, "atomic_inc_u32", "atomic_inc_u32", "atomic_inc", "1", "1", 0x3F, 0x3F, 0x4B) \
  TN_AMD_ATOMIC(_, ATOMIC_DEC_U32, "atomic_dec_u32", "atomic_dec_u32", "atomic_dec", "1", "1", 0x40, 0x40, 0x4C) \
  TN_AMD_ATOMIC(_, ATOMIC_SWAP_B64, \
    "atomic_swap_b64", "atomic_swap_b64", "atomic_swap_x2", "2", "2", 0x41, 0x41, 0x60) \
  TN_AMD_ATOMIC(_, ATOMIC_CMPSWAP_B64, \
    "atomic_cmpswap_b64", "atomic_cmpswap_b64", "atomic_cmpswap_x2", "2", "4", 0x42, 0x42, 0x61) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_U64, "atomic_add_u64", "atomic_add_u64", "atomic_add_x2", "2", "2", 0x43, 0x43, 0x62) \
  TN_AMD_ATOMIC(_, ATOMIC_SUB_U64, "atomic_sub_u64", "atomic_sub_u64", "atomic_sub_x2", "2", "2", 0x44, 0x44, 0x63) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_I64, "atomic_min_i64", "atomic_min_i64", "atomic_smin_x2", "2", "2", 0x45, 0x45, 0x64) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_U64, "atomic_min_u64", "atomic_min_u64", "atomic_umin_x2", "2", "2", 0x46, 0x46, 0x65) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_I64, "atomic_max_i64", "atomic_max_i64", "atomic_smax_x2", "2", "2", 0x47, 0x47, 0x66) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_U64, "atomic_max_u64", "atomic_max_u64", "atomic_umax_x2", "2", "2", 0x48, 0x48, 0x67) \
  TN_AMD_ATOMIC(_, ATOMIC_AND_B64, "atomic_and_b64", "atomic_and_b64", "atomic_and_x2", "2", "2", 0x49, 0x49, 0x68) \
  TN_AMD_ATOMIC(_, ATOMIC_OR_B64, "atomic_or_b64", "atomic_or_b64", "atomic_or_x2", "2", "2", 0x4A, 0x4A, 0x69) \
  TN_AMD_ATOMIC(_, ATOMIC_XOR_B64, "atomic_xor_b64", "atomic_xor_b64", "atomic_xor_x2", "2", "2", 0x4B, 0x4B, 0x6A) \
  TN_AMD_ATOMIC(_, ATOMIC_INC_U64, "atomic_inc_u64", "atomic_inc_u64", "atomic_inc_x2", "2", "2", 0x4C, 0x4C, 0x6B) \
  TN_AMD_ATOMIC(_, ATOMIC_DEC_U64, "atomic_dec_u64", "atomic_dec_u64", "atomic_dec_x2", "2", "2", 0x4D, 0x4D, 0x6C) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_F64, "atomic_add_f64", "atomic_add_f64", "atomic_add_f64", "2", "2", -1, -1, 0x4F) \
  TN_AMD_ATOMIC(_, ATOMIC_CMPSWAP_F32, \
    "atomic_cmpswap_f32", "atomic_cmpswap_f32", "atomic_cmpswap_f32", "1", "2", 0x50, -1, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_COND_SUB_U32, \
    "atomic_cond_sub_u32", "atomic_cond_sub_u32", "atomic_cond_sub_u32", "1", "1", -1, 0x50, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_F64, "atomic_min_f64", "atomic_min_f64", "atomic_min_f64", "2", "2", -1, -1, 0x50) \
  TN_AMD_ATOMIC(_, ATOMIC_MIN_F32, \
    "atomic_min_f32", "atomic_min_num_f32", "atomic_min_f32", "1", "1", 0x51, 0x51, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_F64, "atomic_max_f64", "atomic_max_f64", "atomic_max_f64", "2", "2", -1, -1, 0x51) \
  TN_AMD_ATOMIC(_, ATOMIC_MAX_F32, \
    "atomic_max_f32", "atomic_max_num_f32", "atomic_max_f32", "1", "1", 0x52, 0x52, -1) \
  TN_AMD_ATOMIC(_, ATOMIC_ADD_F32, "atomic_add_f32", "atomic_add_f32", "atomic_add_f32", "1", "1", 0x56, 0x56, 0x4D) \
  TN_AMD_ATOMIC(_, ATOMIC_PK_ADD_F16, \
    "atomic_pk_add_f16", "atomic_pk_add_f16", "atomic_pk_add_f16", "1", "1", -1, 0x59, 0x4E) \
  TN_AMD_OF(_, FLAT, FLAT_ATOMIC_PK_ADD_BF16, "flat_atomic_pk_add_bf16", "r1aab1", -1, 0x5A, 0x52) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_ATOMIC_PK_ADD_BF16, "global_atomic_pk_add_bf16", "r1aab1s2", -1, 0x5A, 0x52) \
  TN_AMD_OF(_, MUBUF, BUFFER_ATOMIC_PK_ADD_BF16, "buffer_atomic_pk_add_bf16", "b1aaR4o1", -1, 0x5A, -1) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_BLOCK, "scratch_load_block", "dyaas2", -1, 0x53, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_BLOCK, "global_load_block", "dyaas2", -1, 0x53, -1) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_STORE_BLOCK, "scratch_store_block", "aabys2", -1, 0x54, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_STORE_BLOCK, "global_store_block", "aabys2", -1, 0x54, -1) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_LDS_SBYTE, "scratch_load_lds_sbyte", "aas2", -1, -1, 0x27) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_SBYTE, "global_load_lds_sbyte", "aas2", -1, -1, 0x27) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_LDS_SSHORT, "scratch_load_lds_sshort", "aas2", -1, -1, 0x29) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_SSHORT, "global_load_lds_sshort", "aas2", -1, -1, 0x29) \
  TN_AMD_OF(_, SCRATCH, SCRATCH_LOAD_LDS_DWORD, "scratch_load_lds_dword", "aas2", -1, -1, 0x2A) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_DWORD, "global_load_lds_dword", "aas2", -1, -1, 0x2A) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_ATOMIC_CSUB_U32, "global_atomic_csub_u32", "r1aab1s2", 0x37, -1, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_ATOMIC_CSUB_U32, "buffer_atomic_csub_u32", "b1aaR4o1", 0x37, -1, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_INV, "global_inv", "", -1, 0x2B, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_INV, "buffer_inv", "", -1, -1, 0x29) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_WB, "global_wb", "", -1, 0x2C, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_WBINV, "global_wbinv", "", -1, 0x4F, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_TR_B128, "global_load_tr_b128", "d4aas2", -1, 0x57, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_TR_B64, "global_load_tr_b64", "d2aas2", -1, 0x58, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_ATOMIC_ORDERED_ADD_B64, "global_atomic_ordered_add_b64", "r2aab2s2", -1, 0x73, -1) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_USHORT, "global_load_lds_ushort", "aas2", -1, -1, 0x28) \
  TN_AMD_OF(_, GLOBAL, GLOBAL_LOAD_LDS_UBYTE, "global_load_lds_ubyte", "aas2", -1, -1, 0x26) \
  TN_AMD_OF(_, MUBUF, BUFFER_GL0_INV, "buffer_gl0_inv", "", 0x2B, -1, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_GL1_INV, "buffer_gl1_inv", "", 0x2C, -1, -1) \
  TN_AMD_OF(_, MUBUF, BUFFER_WBL2, "buffer_wbl2", "", -1, -1, 0x28)
#endif
// ---- end src/amd/../isa/amd_accesses.c ----
// ---- begin src/amd/../isa/amd_table.c ----
// amd_table: the instructions of AMD's GPUs, a row each: names, operands, and where each family has them.
//
// In:  rows of scalars, vectors and accesses, a room each. Out: TN_AMD_V_ADD_F32 .., tn_amd_rows. A row is an operation,
//      by the name that the first family has for it that has it, of gfx11, gfx12, gfx9; "|12:", "|9:" say what another
//      has instead, operands, too.
// Operands stand in the assembler's order, two letters each, where and what; behind / what else the instruction takes.
//   d g  vector register that is written, of AGPRs     r  the same, if an atomic returns what was there
//   D    scalar register that is written               S  scalar register that is read, in its place
//   e c  mask that is written: a comparison's; a carry: VCC in a short form
//   0 1 2  source: vector or scalar register, constant (in short forms 1 is a vector register)
//     x y z  vector register alone   X Y Z  no vector register   A  AGPR   C  vector register or constant
//     m  mask, VCC in a short form
//   K  literal    #  number of 16 bits: d decimal h hexadecimal e left out if 0, b distance, s message, w counters,
//                    y delays, c s_wait_alu, g hardware register     M  message as a source
//   a b c  of memory: address, data, second data       s  scalar address      B R o  its base, descriptor, offset
//   i n  offset and count as operands of their own
//   what: dwords 1 2 3 4 5 6 8, x 16, y 32   f F  1, 2 dwords with neg and abs   h  f16, the same   w  i16
//     v  1 dword beside f16   i  packed i16   m  a mask of wave32 or, on gfx9, wave64
//     a  address: 2 dwords, 1 beside a scalar address
//   c clamp   o omod   s op_sel   b byte_sel, in its place   k index_key   n N  neg_lo, neg_hi of the first two sources
//   q  both of the third   m M  cbsz, abid and blgp; without blgp   e  neg in the place of blgp   2  two offsets
//   !  no long form   -  no DPP, though it has operands of 32 bits   D  DPP, though it is packed
//   =  no parts of operands (SDWA) on gfx9, though it has a short form
// Source: AMD's ISA guides (amd.c); what a modifier is taken by was asked of LLVM 19's assembler, opcode by opcode.
#ifndef TN_ISA_AMD_TABLE
#define TN_ISA_AMD_TABLE
#ifndef TINY_AMALGAMATED
#include "amd.c"
#include "amd_scalars.c"
#include "amd_vectors.c"
#include "amd_accesses.c"
#endif

// ** columns: id, names, operands, then format and opcode on gfx11, gfx12, gfx9 **

enum { TN_AMD_NA = 0x3FF };                // opcode -1: the family has it not
#define TN_AMD_OF(_, format, id, names, operands, a, b, c) \
  _(id, names, operands, format, a, format, b, format, c)
#define TN_AMD_IN(_, id, names, operands, f, a, g, b, h, c) _(id, names, operands, f, a, g, b, h, c)

#define TN_AMD_TABLE(_) \
  TN_AMD_SCALAR_ROWS(_) TN_AMD_VECTOR_ROWS(_) TN_AMD_COMPARE_ROWS(_) TN_AMD_CLASS_ROWS(_) TN_AMD_LONG_ROWS(_) \
  TN_AMD_PACKED_ROWS(_) TN_AMD_LOCAL_ROWS(_) TN_AMD_MEMORY_ROWS(_)

enum {
  TN_AMD_NO_INS,
#define TN_AMD_ENUM(id, ...) TN_AMD_##id,
  TN_AMD_TABLE(TN_AMD_ENUM)
#undef TN_AMD_ENUM
  TN_AMD_COUNT
};

// code: of a family, format << 10 | opcode
typedef struct tn_amd_row { const char *names, *operands; uint16_t code[TN_AMD_FAMILIES]; } tn_amd_row;
static const tn_amd_row tn_amd_rows[TN_AMD_COUNT] = {
  {"", "", {TN_AMD_NA, TN_AMD_NA, TN_AMD_NA}},
#define TN_AMD_CODE(format, op) (TN_AMD_##format << 10 | ((op) & TN_AMD_NA))
#define TN_AMD_ROW(id, names, operands, f, a, g, b, h, c) \
  {names, operands, {TN_AMD_CODE(f, a), TN_AMD_CODE(g, b), TN_AMD_CODE(h, c)}},
  TN_AMD_TABLE(TN_AMD_ROW)
#undef TN_AMD_ROW
#undef TN_AMD_CODE
};

// TN_AMD_NO_FORMAT: the family has it not.
static int tn_amd_format(int op, int family) {
  const int code = tn_amd_rows[op].code[family];
  return (code & TN_AMD_NA) == TN_AMD_NA ? TN_AMD_NO_FORMAT : code >> 10;
}
static int tn_amd_opcode(int op, int family) { return tn_amd_rows[op].code[family] & TN_AMD_NA; }

// What is written for a family in a text of alternatives: where it begins, and its length.
static const char *tn_amd_alternative(const char *text, int family, size_t *n) {
  const char *const mark = family == TN_AMD_GFX12 ? "|12:" : family == TN_AMD_GFX9 ? "|9:" : NULL;
  const char *own = mark ? strstr(text, mark) : NULL;
  if (own) text = own + strlen(mark);
  const char *const end = strchr(text, '|');
  *n = end ? (size_t)(end - text) : strlen(text);
  return text;
}
static const char *tn_amd_name(int op, int family, size_t *n) {
  return tn_amd_alternative(tn_amd_rows[op].names, family, n);
}

// The operands of a row in a family, and what else it takes.
typedef struct tn_amd_form { const char *operands, *takes; int n, ntakes; } tn_amd_form;
static tn_amd_form tn_amd_form_of(int op, int family) {
  size_t n;
  tn_amd_form f;
  f.operands = tn_amd_alternative(tn_amd_rows[op].operands, family, &n);
  const char *const slash = (const char *)memchr(f.operands, '/', n);
  f.n = (int)(slash ? (size_t)(slash - f.operands) : n) / 2;
  f.takes = slash ? slash + 1 : f.operands + n;
  f.ntakes = (int)(f.operands + n - f.takes);
  return f;
}
static int tn_amd_takes(const tn_amd_form *f, char what) { return memchr(f->takes, what, (size_t)f->ntakes) != NULL; }
#endif
// ---- end src/amd/../isa/amd_table.c ----
// ---- begin src/amd/../isa/amd_layout.c ----
// amd_layout: where the fields of AMD's instructions lie in their words, a row for each format of each family.
//
// In:  nothing. Out: tn_amd_layouts, and what stands behind an instruction: lanes (DPP16, DPP8) and parts (SDWA).
// Holds: the row that an instruction's first word matches first says its format; VOP3 has the opcodes of VOP3SD and of
//        the long forms, too; VOP3P those of MFMA.
// Source: amd.c's guides, chapter "Microcode Formats".
#ifndef TN_ISA_AMD_LAYOUT
#define TN_ISA_AMD_LAYOUT
#ifndef TINY_AMALGAMATED
#include "amd_table.c"
#endif

// What a field holds. SRC: a source's code; V: a vector register's number; S: a scalar register's code; IMM: simm16.
// Below TN_AMD_F_BITS one operand, of the letters that tn_amd_slot gives this key.
enum { TN_AMD_F_NONE, TN_AMD_F_SRC0, TN_AMD_F_SRC1, TN_AMD_F_SRC2, TN_AMD_F_VSRC1, TN_AMD_F_DST, TN_AMD_F_SDST,
  TN_AMD_F_CARRY, TN_AMD_F_IMM, TN_AMD_F_ADDRESS, TN_AMD_F_DATA, TN_AMD_F_DATA1, TN_AMD_F_SADDR, TN_AMD_F_BASE,
  TN_AMD_F_DESCRIPTOR, TN_AMD_F_SOFFSET,
  // bits of operands: from source `first` on; ACC: sources in AGPRs; ACC_DST: result and src2; ACC_DATA: of memory
  TN_AMD_F_BITS, TN_AMD_F_NEG = TN_AMD_F_BITS, TN_AMD_F_ABS, TN_AMD_F_SEL, TN_AMD_F_SEL_HI, TN_AMD_F_SEXT, TN_AMD_F_ACC,
  TN_AMD_F_ACC_DST, TN_AMD_F_ACC_DATA, TN_AMD_F_OFFSETS,       // OFFSETS: one of 16 bits, or two of 8
  TN_AMD_F_SVE,                            // scratch has an address in a vector register
  TN_AMD_F_SGPR_OFFSET, TN_AMD_F_HAS_OFFSET,                   // of gfx9's SMEM: how the offset is told
  TN_AMD_F_UNTYPED, TN_AMD_F_ZERO,         // 1: elements of a buffer have no format; 0: LDS, GDS, which nobody asks for
  TN_AMD_F_VGPR0, TN_AMD_F_IS_SGPR, TN_AMD_F_MASK, TN_AMD_F_HAS_MASK,  // behind: the source, is it an SGPR; SDWA's mask
  TN_AMD_F_M = 0x80, TN_AMD_F_SIGNED = 0xC0 };                 // + modifier; of two's complement
typedef struct tn_amd_field { uint8_t key, lo, width, first; } tn_amd_field;

enum { TN_AMD_MOST_FIELDS = 16 };
typedef struct tn_amd_layout {
  uint8_t format, families, dwords, op_lo, op_width; uint32_t match, mask;
  tn_amd_field field[TN_AMD_MOST_FIELDS];
} tn_amd_layout;

#define TN_AMD_AT_FIELD(key, lo, width) {TN_AMD_F_##key, lo, width, 0}
#define TN_AMD_AT_FIRST(key, lo, width, first) {TN_AMD_F_##key, lo, width, first}
#define TN_AMD_AT_M(key, lo, width) {TN_AMD_F_M + TN_AMD_##key, lo, width, 0}
#define TN_AMD_AT_SIGNED(key, lo, width) {TN_AMD_F_SIGNED + TN_AMD_##key, lo, width, 0}
#define TN_A_F TN_AMD_AT_FIELD
#define TN_A_M TN_AMD_AT_M
#define TN_A_SOURCES TN_A_F(SRC0, 32, 9), TN_A_F(SRC1, 41, 9), TN_A_F(SRC2, 50, 9)
#define TN_A_LONG TN_A_F(DST, 0, 8), TN_A_F(ABS, 8, 3), TN_A_F(SEL, 11, 4), TN_A_M(CLAMP, 15, 1), TN_A_SOURCES, \
  TN_A_M(OMOD, 59, 2), TN_A_F(NEG, 61, 3)
#define TN_A_LONG_SD TN_A_F(DST, 0, 8), TN_A_F(CARRY, 8, 7), TN_A_M(CLAMP, 15, 1), TN_A_SOURCES, \
  TN_A_M(OMOD, 59, 2), TN_A_F(NEG, 61, 3)
#define TN_A_PACKED TN_A_F(DST, 0, 8), TN_A_F(ABS, 8, 3), TN_AMD_AT_FIRST(SEL, 11, 3, 0), \
  TN_AMD_AT_FIRST(SEL_HI, 14, 1, 2), TN_A_M(CLAMP, 15, 1), TN_A_SOURCES, TN_A_F(SEL_HI, 59, 2), TN_A_F(NEG, 61, 3)
#define TN_A_LDS TN_A_F(OFFSETS, 0, 16), TN_A_F(ADDRESS, 32, 8), TN_A_F(DATA, 40, 8), TN_A_F(DATA1, 48, 8), \
  TN_A_F(DST, 56, 8)
#define TN_A_FLAT_11 TN_A_M(DLC, 13, 1), TN_A_M(GLC, 14, 1), TN_A_M(SLC, 15, 1), TN_A_F(ADDRESS, 32, 8), \
  TN_A_F(DATA, 40, 8), TN_A_F(SADDR, 48, 7), TN_A_F(DST, 56, 8)
#define TN_A_FLAT_9 TN_A_M(SC0, 16, 1), TN_A_M(NT, 17, 1), TN_A_M(SC1, 25, 1), TN_A_F(ADDRESS, 32, 8), \
  TN_A_F(DATA, 40, 8), TN_A_F(ACC_DATA, 55, 1), TN_A_F(DST, 56, 8)
#define TN_A_FLAT_12 TN_A_F(SADDR, 0, 7), TN_A_M(NV, 7, 1), TN_A_F(DST, 32, 8), TN_A_F(SVE, 49, 1), \
  TN_A_M(SCOPE, 50, 2), TN_A_M(TH, 52, 3), TN_A_F(DATA, 55, 8), TN_A_F(ADDRESS, 64, 8), \
  TN_AMD_AT_SIGNED(OFFSET, 72, 24)
#define TN_A_OFFSET_13 TN_AMD_AT_SIGNED(OFFSET, 0, 13)

static const tn_amd_layout tn_amd_layouts[] = {
  {TN_AMD_SOP1, TN_AMD_ON_ALL, 1, 8, 8, 0xBE800000, 0xFF800000, {TN_A_F(SDST, 16, 7), TN_A_F(SRC0, 0, 8)}},
  {TN_AMD_SOPC, TN_AMD_ON_ALL, 1, 16, 7, 0xBF000000, 0xFF800000, {TN_A_F(SRC0, 0, 8), TN_A_F(SRC1, 8, 8)}},
  {TN_AMD_SOPP, TN_AMD_ON_ALL, 1, 16, 7, 0xBF800000, 0xFF800000, {TN_A_F(IMM, 0, 16)}},
  {TN_AMD_SOPK, TN_AMD_ON_ALL, 1, 23, 5, 0xB0000000, 0xF0000000, {TN_A_F(SDST, 16, 7), TN_A_F(IMM, 0, 16)}},
  {TN_AMD_SOP2, TN_AMD_ON_ALL, 1, 23, 7, 0x80000000, 0xC0000000, {TN_A_F(SDST, 16, 7), TN_A_F(SRC0, 0, 8),
   TN_A_F(SRC1, 8, 8)}},
  {TN_AMD_VOP1, TN_AMD_ON_ALL, 1, 9, 8, 0x7E000000, 0xFE000000, {TN_A_F(DST, 17, 8), TN_A_F(SRC0, 0, 9)}},
  {TN_AMD_VOPC, TN_AMD_ON_ALL, 1, 17, 8, 0x7C000000, 0xFE000000, {TN_A_F(SRC0, 0, 9), TN_A_F(VSRC1, 9, 8)}},
  {TN_AMD_VOP2, TN_AMD_ON_ALL, 1, 25, 6, 0x00000000, 0x80000000, {TN_A_F(DST, 17, 8), TN_A_F(SRC0, 0, 9),
   TN_A_F(VSRC1, 9, 8)}},
  {TN_AMD_VOP3P, TN_AMD_ON_RDNA, 2, 16, 7, 0xCC000000, 0xFF800000, {TN_A_PACKED}},
  {TN_AMD_VOP3P, TN_AMD_ON_9, 2, 16, 7, 0xD3800000, 0xFF800000, {TN_A_PACKED}},
  {TN_AMD_MFMA, TN_AMD_ON_9, 2, 16, 7, 0xD3800000, 0xFF800000, {TN_A_F(DST, 0, 8), TN_A_M(CBSZ, 8, 3),
   TN_A_M(ABID, 11, 4), TN_A_F(ACC_DST, 15, 1), TN_A_SOURCES, TN_A_F(ACC, 59, 2), TN_A_M(BLGP, 61, 3)}},
  {TN_AMD_VOP3, TN_AMD_ON_RDNA, 2, 16, 10, 0xD4000000, 0xFC000000, {TN_A_LONG}},
  {TN_AMD_VOP3SD, TN_AMD_ON_RDNA, 2, 16, 10, 0xD4000000, 0xFC000000, {TN_A_LONG_SD}},
  {TN_AMD_VOP3, TN_AMD_ON_9, 2, 16, 10, 0xD0000000, 0xFC000000, {TN_A_LONG}},
  {TN_AMD_VOP3SD, TN_AMD_ON_9, 2, 16, 10, 0xD0000000, 0xFC000000, {TN_A_LONG_SD}},
  {TN_AMD_VOPD, TN_AMD_ON_RDNA, 2, 22, 4, 0xC8000000, 0xFC000000, {{0, 0, 0, 0}}},          // amd_code.c reads it
  {TN_AMD_SMEM, TN_AMD_ON_11, 2, 18, 8, 0xF4000000, 0xFC000000, {TN_A_F(BASE, 0, 6), TN_A_F(SDST, 6, 7),
   TN_A_M(DLC, 13, 1), TN_A_M(GLC, 14, 1), TN_AMD_AT_SIGNED(OFFSET, 32, 21), TN_A_F(SOFFSET, 57, 7)}},
  {TN_AMD_SMEM, TN_AMD_ON_12, 2, 13, 6, 0xF4000000, 0xFC000000, {TN_A_F(BASE, 0, 6), TN_A_F(SDST, 6, 7),
   TN_A_M(NV, 20, 1), TN_A_M(SCOPE, 21, 2), TN_A_M(TH, 23, 2), TN_AMD_AT_SIGNED(OFFSET, 32, 24),
   TN_A_F(SOFFSET, 57, 7)}},
  {TN_AMD_SMEM, TN_AMD_ON_9, 2, 18, 8, 0xC0000000, 0xFC000000, {TN_A_F(BASE, 0, 6), TN_A_F(SDST, 6, 7),
   TN_A_F(SGPR_OFFSET, 14, 1), TN_A_M(NV, 15, 1), TN_A_M(GLC, 16, 1), TN_A_F(HAS_OFFSET, 17, 1),
   TN_AMD_AT_SIGNED(OFFSET, 32, 21), TN_A_F(SOFFSET, 57, 7)}},
  {TN_AMD_DS, TN_AMD_ON_11, 2, 18, 8, 0xD8000000, 0xFC000000, {TN_A_LDS, TN_A_F(ZERO, 17, 1)}},
  {TN_AMD_DS, TN_AMD_ON_12, 2, 18, 8, 0xD8000000, 0xFC000000, {TN_A_LDS}},
  {TN_AMD_DS, TN_AMD_ON_9, 2, 17, 8, 0xD8000000, 0xFC000000, {TN_A_LDS, TN_A_F(ACC_DATA, 25, 1)}},
  {TN_AMD_FLAT, TN_AMD_ON_11, 2, 18, 7, 0xDC000000, 0xFC030000, {TN_A_M(OFFSET, 0, 12), TN_A_FLAT_11}},
  {TN_AMD_SCRATCH, TN_AMD_ON_11, 2, 18, 7, 0xDC010000, 0xFC030000, {TN_A_OFFSET_13, TN_A_FLAT_11,
   TN_A_F(SVE, 55, 1)}},
  {TN_AMD_GLOBAL, TN_AMD_ON_11, 2, 18, 7, 0xDC020000, 0xFC030000, {TN_A_OFFSET_13, TN_A_FLAT_11}},
  {TN_AMD_FLAT, TN_AMD_ON_9, 2, 18, 7, 0xDC000000, 0xFC00C000, {TN_A_M(OFFSET, 0, 12), TN_A_FLAT_9}},
  {TN_AMD_SCRATCH, TN_AMD_ON_9, 2, 18, 7, 0xDC004000, 0xFC00C000, {TN_A_OFFSET_13, TN_A_F(SVE, 13, 1),
   TN_A_F(SADDR, 48, 7), TN_A_FLAT_9}},
  {TN_AMD_GLOBAL, TN_AMD_ON_9, 2, 18, 7, 0xDC008000, 0xFC00C000, {TN_A_OFFSET_13, TN_A_F(SADDR, 48, 7), TN_A_FLAT_9}},
  {TN_AMD_FLAT, TN_AMD_ON_12, 3, 14, 8, 0xEC000000, 0xFF000000, {TN_A_FLAT_12}},
  {TN_AMD_SCRATCH, TN_AMD_ON_12, 3, 14, 8, 0xED000000, 0xFF000000, {TN_A_FLAT_12}},
  {TN_AMD_GLOBAL, TN_AMD_ON_12, 3, 14, 8, 0xEE000000, 0xFF000000, {TN_A_FLAT_12}},
  {TN_AMD_MUBUF, TN_AMD_ON_11, 2, 18, 8, 0xE0000000, 0xFC000000, {TN_A_M(OFFSET, 0, 12), TN_A_M(SLC, 12, 1),
   TN_A_M(DLC, 13, 1), TN_A_M(GLC, 14, 1), TN_A_M(TFE, 53, 1), TN_A_M(OFFEN, 54, 1), TN_A_M(IDXEN, 55, 1),
   TN_A_F(ADDRESS, 32, 8), TN_A_F(DATA, 40, 8), TN_A_F(DESCRIPTOR, 48, 5), TN_A_F(SOFFSET, 56, 8)}},
  {TN_AMD_MUBUF, TN_AMD_ON_9, 2, 18, 7, 0xE0000000, 0xFC000000, {TN_A_M(OFFSET, 0, 12), TN_A_M(OFFEN, 12, 1),
   TN_A_M(IDXEN, 13, 1), TN_A_M(SC0, 14, 1), TN_A_M(SC1, 15, 1), TN_A_F(ZERO, 16, 1), TN_A_M(NT, 17, 1),
   TN_A_F(ADDRESS, 32, 8), TN_A_F(DATA, 40, 8), TN_A_F(DESCRIPTOR, 48, 5), TN_A_F(ACC_DATA, 55, 1),
   TN_A_F(SOFFSET, 56, 8)}},
  {TN_AMD_MUBUF, TN_AMD_ON_12, 3, 14, 8, 0xC4000000, 0xFC000000, {TN_A_F(SOFFSET, 0, 7), TN_A_M(NV, 7, 1),
   TN_A_M(TFE, 22, 1), TN_A_M(SCOPE, 50, 2), TN_A_M(TH, 52, 3), TN_A_F(UNTYPED, 55, 7), TN_A_M(OFFEN, 62, 1),
   TN_A_M(IDXEN, 63, 1), TN_A_F(DATA, 32, 8), TN_A_F(DESCRIPTOR, 41, 9), TN_A_F(ADDRESS, 64, 8),
   TN_AMD_AT_SIGNED(OFFSET, 72, 24)}}
};
enum { TN_AMD_LAYOUTS = sizeof tn_amd_layouts / sizeof *tn_amd_layouts };

// The word behind a short form whose src0 says so: by TN_AMD_DPP16 .., and TN_AMD_SDWA + 1 of comparisons.
#define TN_A_FIRST TN_AMD_AT_FIRST
#define TN_A_PARTS TN_A_F(VGPR0, 0, 8), TN_A_M(SRC0_SEL, 16, 3), TN_A_F(SEXT, 19, 1), TN_A_F(NEG, 20, 1), \
  TN_A_F(ABS, 21, 1), TN_A_F(IS_SGPR, 23, 1), TN_A_M(SRC1_SEL, 24, 3), TN_A_FIRST(SEXT, 27, 1, 1), \
  TN_A_FIRST(NEG, 28, 1, 1), TN_A_FIRST(ABS, 29, 1, 1), TN_A_FIRST(IS_SGPR, 31, 1, 1)
static const tn_amd_field tn_amd_behind[5][TN_AMD_MOST_FIELDS] = {
  {{0, 0, 0, 0}},
  {TN_A_F(VGPR0, 0, 8), TN_A_M(DPP_CTRL, 8, 9), TN_A_M(FI, 18, 1), TN_A_M(BOUND_CTRL, 19, 1), TN_A_F(NEG, 20, 1),
   TN_A_F(ABS, 21, 1), TN_A_FIRST(NEG, 22, 1, 1), TN_A_FIRST(ABS, 23, 1, 1), TN_A_M(BANK_MASK, 24, 4),
   TN_A_M(ROW_MASK, 28, 4)},
  {TN_A_F(VGPR0, 0, 8), TN_A_M(LANES_8, 8, 24)},
  {TN_A_PARTS, TN_A_M(DST_SEL, 8, 3), TN_A_M(DST_UNUSED, 11, 2), TN_A_M(CLAMP, 13, 1), TN_A_M(OMOD, 14, 2)},
  {TN_A_PARTS, TN_A_F(MASK, 8, 7), TN_A_F(HAS_MASK, 15, 1)}
};
#undef TN_A_F
#undef TN_A_M
#undef TN_A_SOURCES
#undef TN_A_LONG
#undef TN_A_LONG_SD
#undef TN_A_PACKED
#undef TN_A_LDS
#undef TN_A_FLAT_11
#undef TN_A_FLAT_9
#undef TN_A_FLAT_12
#undef TN_A_OFFSET_13
#undef TN_A_FIRST
#undef TN_A_PARTS

// The layout of a format in a family. NULL: it has none.
static const tn_amd_layout *tn_amd_layout_of(int format, int family) {
  for (int i = 0; i < TN_AMD_LAYOUTS; i++)
    if (tn_amd_layouts[i].format == format && tn_amd_layouts[i].families >> family & 1) return &tn_amd_layouts[i];
  return NULL;
}

// ** letters of operands **

static int tn_amd_is_memory(int format) { return format >= TN_AMD_DS; }
// Which field a letter's operand goes to; TN_AMD_F_NONE: a literal, or no field.
static int tn_amd_slot(int format, char where) {
  switch (where) {
    case '0': case 'x': case 'X': case 'A': case 'M': return TN_AMD_F_SRC0;
    case '1': case 'y': case 'Y': return TN_AMD_F_SRC1;
    case '2': case 'z': case 'Z': case 'C': case 'm': return TN_AMD_F_SRC2;
    case 'd': case 'g': case 'r': case 'e': return TN_AMD_F_DST;
    case 'D': return format >= TN_AMD_VOP1 ? TN_AMD_F_DST : TN_AMD_F_SDST;
    case 'S': case 'n': return TN_AMD_F_SDST;
    case 'c': return tn_amd_is_memory(format) ? TN_AMD_F_DATA1 : TN_AMD_F_CARRY;
    case '#': return TN_AMD_F_IMM;
    case 'a': return TN_AMD_F_ADDRESS;
    case 'b': return TN_AMD_F_DATA;
    case 's': return TN_AMD_F_SADDR;
    case 'B': return TN_AMD_F_BASE;
    case 'R': return TN_AMD_F_DESCRIPTOR;
    case 'o': return TN_AMD_F_SOFFSET;
    default: return TN_AMD_F_NONE;
  }
}
// Dwords of what a letter says; of an address that stands alone.
static int tn_amd_dwords(int family, char what) {
  switch (what) {
    case 'F': case 'a': return 2;
    case 'm': return family == TN_AMD_GFX9 ? 2 : 1;
    case 'x': return 16;
    case 'y': return 32;
    default: return what >= '1' && what <= '8' ? what - '0' : 1;
  }
}
#endif
// ---- end src/amd/../isa/amd_layout.c ----
// ---- begin src/amd/../isa/amd_code.c ----
// amd_code: AMD's instructions -> words, and words -> instructions.
//
// In:  a tn_amd_ins, or words. Out: words, or the instruction; 0 where there is none.
// Holds: one walk over a layout's fields serves both ways, so that what is written is what is read. Decoding passes
//        over bits that an instruction has no use for; encoding leaves them 0.
#ifndef TN_ISA_AMD_CODE
#define TN_ISA_AMD_CODE
#ifndef TINY_AMALGAMATED
#include "amd_layout.c"
#endif

enum { TN_AMD_CODE_SDWA = 249, TN_AMD_CODE_DPP16 = 250, TN_AMD_CODE_DPP8 = 233, TN_AMD_CODE_DPP8_FI = 234,
  TN_AMD_CODE_LITERAL = 255, TN_AMD_CODE_VGPR = 256 };

// ** codes of operands **

static int tn_amd_last_sgpr(int family) { return family == TN_AMD_GFX9 ? 101 : 105; }
// Is there a register, pair or tuple that begins at this code? Pairs are even, longer ones begin at multiples of 4.
static int tn_amd_sgprs(int family, int code, int dwords) {
  const int last = code + dwords - 1, nine = family == TN_AMD_GFX9;
  if (dwords == 2 && code % 2) return 0;
  if (dwords > 2 && code % 4) return 0;
  if (last <= tn_amd_last_sgpr(family)) return 1;
  if (code >= TN_AMD_TTMP && last < TN_AMD_TTMP + 16) return 1;
  if (dwords > 2) return 0;
  if (nine && code >= TN_AMD_FLAT_SCRATCH && last < TN_AMD_VCC) return 1;
  if (code == TN_AMD_VCC || code == TN_AMD_EXEC) return 1;
  if (code == TN_AMD_VCC + 1 || code == TN_AMD_EXEC + 1) return dwords == 1;
  return code == TN_AMD_NULL ? !nine : code == TN_AMD_M0 && dwords == 1;
}
static int tn_amd_is_inline(int code) { return (code >= 128 && code <= 208) || (code >= 240 && code <= 248); }
static int tn_amd_is_special(int code) {
  return (code >= TN_AMD_SHARED_BASE && code <= TN_AMD_POPS_ID) || (code >= TN_AMD_VCCZ && code <= TN_AMD_SCC);
}
// gfx9 has M0 where the others have NULL: an instruction says TN_AMD_M0 on all.
static int tn_amd_swap_m0(int family, int code) {
  if (family != TN_AMD_GFX9 || (code != TN_AMD_NULL && code != TN_AMD_M0)) return code;
  return TN_AMD_NULL + TN_AMD_M0 - code;
}

static int tn_amd_code_of(int family, const tn_amd_operand *o) {             // -1: it has none
  switch (o->kind) {
    case TN_AMD_VGPR: case TN_AMD_AGPR: return TN_AMD_CODE_VGPR + o->reg;
    case TN_AMD_SGPR: return tn_amd_sgprs(family, o->reg, o->dwords) ? tn_amd_swap_m0(family, o->reg) : -1;
    case TN_AMD_SPECIAL: return tn_amd_is_special(o->reg) ? o->reg : -1;
    case TN_AMD_INLINE: return tn_amd_is_inline(o->reg) ? o->reg : -1;
    case TN_AMD_LITERAL: return TN_AMD_CODE_LITERAL;
    default: return -1;
  }
}
static int tn_amd_operand_of(int family, int code, int dwords, tn_amd_operand *o) {
  o->dwords = (uint8_t)dwords;
  o->reg = (uint16_t)code;
  if (code >= TN_AMD_CODE_VGPR) {
    o->kind = TN_AMD_VGPR;
    o->reg = (uint16_t)(code - TN_AMD_CODE_VGPR);
  } else if (code < 128) {
    o->kind = TN_AMD_SGPR;
    o->reg = (uint16_t)tn_amd_swap_m0(family, code);
    return tn_amd_sgprs(family, o->reg, dwords);
  } else if (code == TN_AMD_CODE_LITERAL) o->kind = TN_AMD_LITERAL;
  else if (tn_amd_is_inline(code)) o->kind = TN_AMD_INLINE;
  else if (tn_amd_is_special(code)) o->kind = TN_AMD_SPECIAL;
  else return 0;
  return 1;
}
// Vector registers: within 256, and on gfx9 tuples are even.
static int tn_amd_vgprs(int family, const tn_amd_operand *o) {
  return o->reg + o->dwords <= 256 && (family != TN_AMD_GFX9 || o->dwords < 2 || o->reg % 2 == 0);
}

// ** fields: a walk that reads or writes **

// w: the first words; behind: the word of lanes or parts; literal: the word behind them, where has_literal; format: the
// row's, where the layout is that of its long form; marker: the code of src0 that says what is behind
typedef struct tn_amd_coder {
  tn_amd_ins *ins; const tn_amd_layout *layout; tn_amd_form form;
  uint32_t w[3], behind, literal; int writes, bad, has_literal;
  uint64_t told; int bits, agprs;          // modifiers, how many bits of operands, and AGPRs that have been written
  int format, returns, sve, sgpr_offset, has_offset, marker, in_behind;
} tn_amd_coder;

static uint32_t tn_amd_field_mask(const tn_amd_field *f) { return f->width >= 32 ? ~0u : (1u << f->width) - 1; }
static uint32_t *tn_amd_word(tn_amd_coder *c, const tn_amd_field *f) {
  return c->in_behind ? &c->behind : &c->w[f->lo / 32];
}
static uint32_t tn_amd_read(tn_amd_coder *c, const tn_amd_field *f) {
  return *tn_amd_word(c, f) >> f->lo % 32 & tn_amd_field_mask(f);
}
static void tn_amd_write(tn_amd_coder *c, const tn_amd_field *f, uint32_t v) {
  *tn_amd_word(c, f) |= (v & tn_amd_field_mask(f)) << f->lo % 32;
}
// A number that goes through a field; bad where it does not fit.
static void tn_amd_number(tn_amd_coder *c, const tn_amd_field *f, int32_t *v, int is_signed) {
  const uint32_t mask = tn_amd_field_mask(f), sign = is_signed ? mask / 2 + 1 : 0;
  if (!c->writes) { *v = (int32_t)((tn_amd_read(c, f) ^ sign) - sign); return; }
  tn_amd_write(c, f, (uint32_t)*v);
  if ((int32_t)((((uint32_t)*v & mask) ^ sign) - sign) != *v) c->bad = 1;
}

// The operand that goes to a field, and its two letters. NULL: the instruction has none there.
static tn_amd_operand *tn_amd_operand_at(tn_amd_coder *c, int key, const char **letters) {
  for (int i = 0; i < c->form.n; i++) {
    const char *const p = c->form.operands + 2 * i;
    if (tn_amd_slot(c->format, *p) != key) continue;
    *letters = p;
    return &c->ins->o[i];
  }
  return NULL;
}
// Source 0, 1 or 2, if there is one.
static int tn_amd_source_at(tn_amd_coder *c, int number, const char **letters, tn_amd_operand **o) {
  *o = tn_amd_operand_at(c, TN_AMD_F_SRC0 + number, letters);
  return *o != NULL;
}

// May a source of this letter be of this kind?
static int tn_amd_is_taken(const tn_amd_coder *c, char where, int kind) {
  const int vector = kind == TN_AMD_VGPR || kind == TN_AMD_AGPR;
  switch (where) {
    case 'x': case 'y': case 'z': return vector;
    case 'X': return c->format == TN_AMD_SOP1 ? kind == TN_AMD_SGPR : !vector;
    case 'Y': case 'Z': return !vector;
    case 'A': return vector;
    case 'C': return vector || kind == TN_AMD_INLINE;
    case 'm': return kind == TN_AMD_SGPR;
    default: return 1;
  }
}
// Of 16 bits; v is not, but stands in a short form beside what is, and has no register above 127 there either.
static int tn_amd_is_half(char what) { return what == 'h' || what == 'w'; }
// A vector register in a field of 8 bits. Of a short form on gfx11 and gfx12 the half of 16 bits is bit 7.
static void tn_amd_vector(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, char what, int dwords) {
  const int has = c->ins->family != TN_AMD_GFX9 && c->format <= TN_AMD_VOPC && !c->ins->long_form;
  const int halves = has && (tn_amd_is_half(what) || what == 'v');
  if (c->writes) {
    if ((o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR) || (halves && o->reg > 127)) c->bad = 1;
    tn_amd_write(c, f, (uint32_t)(o->reg | (halves && o->op_sel ? 128 : 0)));
    c->bits += halves && o->op_sel;
  } else {
    o->kind = TN_AMD_VGPR; o->dwords = (uint8_t)dwords; o->reg = (uint16_t)tn_amd_read(c, f);
    if (halves) { o->op_sel = o->reg > 127; o->reg &= 127; }
  }
  if (halves && what == 'v' && o->op_sel) c->bad = 1;
  if (o->dwords != dwords || !tn_amd_vgprs(c->ins->family, o)) c->bad = 1;
}
static void tn_amd_scalar(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, int dwords, int unit) {
  const int family = c->ins->family;
  if (c->writes) {
    const int code = tn_amd_code_of(family, o);
    const int other = code < 0 || o->kind > TN_AMD_INLINE || (o->dwords != dwords && o->kind == TN_AMD_SGPR);
    if (other || code % unit || (uint32_t)(code / unit) > tn_amd_field_mask(f)) c->bad = 1;
    else tn_amd_write(c, f, (uint32_t)(code / unit));
  } else {
    const int known = tn_amd_operand_of(family, (int)tn_amd_read(c, f) * unit, dwords, o);
    if (!known || o->kind > TN_AMD_INLINE) c->bad = 1;
  }
  if (unit > 1 && o->kind != TN_AMD_SGPR) c->bad = 1;
}
static void tn_amd_source_code(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, const char *letters) {
  const int dwords = tn_amd_dwords(c->ins->family, letters[1]), family = c->ins->family;
  tn_amd_field low = *f;
  low.width = 8;
  if (letters[0] == 'M') { tn_amd_number(c, f, (int32_t *)&o->value, 0); o->kind = TN_AMD_NUMBER; return; }
  if (c->marker && f->key == TN_AMD_F_SRC0) {
    if (c->writes) tn_amd_write(c, f, (uint32_t)c->marker);
    return;
  }
  if (!c->writes && !tn_amd_operand_of(family, (int)tn_amd_read(c, f), dwords, o)) c->bad = 1;
  if (o->kind == TN_AMD_VGPR || o->kind == TN_AMD_AGPR) {
    if (f->width < 9) c->bad = 1;
    tn_amd_vector(c, &low, o, letters[1], dwords);
    if (c->writes) *tn_amd_word(c, f) |= 256u << f->lo % 32;
  } else if (c->writes) {
    const int code = tn_amd_code_of(family, o);
    if (code < 0 || (o->kind == TN_AMD_SGPR && o->dwords != dwords)) c->bad = 1;
    else tn_amd_write(c, f, (uint32_t)code);
  }
  if (o->kind == TN_AMD_LITERAL) {
    if (c->writes && c->has_literal && c->literal != o->value) c->bad = 1;
    c->literal = o->value; c->has_literal = 1;
  }
  if (letters[0] == 'A') {
    if (c->writes && o->kind != TN_AMD_AGPR) c->bad = 1;
    if (o->kind == TN_AMD_VGPR) o->kind = TN_AMD_AGPR;
    c->agprs++;
  }
  if (c->marker && f->key == TN_AMD_F_SRC1 && family == TN_AMD_GFX11 && o->kind != TN_AMD_VGPR) c->bad = 1;
  if (!tn_amd_is_taken(c, letters[0], o->kind)) c->bad = 1;
}

// ** operands by field **

static int tn_amd_off_code(int family) { return family == TN_AMD_GFX9 ? 127 : TN_AMD_NULL; }
static void tn_amd_or_off(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, int dwords) {
  const uint32_t off = (uint32_t)tn_amd_off_code(c->ins->family);
  if (c->writes && o->kind == TN_AMD_OFF) tn_amd_write(c, f, off);
  else if (!c->writes && tn_amd_read(c, f) == off) o->kind = TN_AMD_OFF;
  else {
    tn_amd_scalar(c, f, o, dwords, 1);
    const int high = o->reg == TN_AMD_EXEC + 1 && c->layout->format != TN_AMD_SMEM;
    if (o->kind != TN_AMD_SGPR || o->reg == TN_AMD_NULL || high) c->bad = 1;
  }
}
// Dwords of the address in vector registers; 0: there is none.
static int tn_amd_address_dwords(tn_amd_coder *c) {
  const char *letters;
  const tn_amd_operand *s = tn_amd_operand_at(c, TN_AMD_F_SADDR, &letters);
  switch (c->layout->format) {
    case TN_AMD_FLAT: return 2;
    case TN_AMD_GLOBAL: return s && s->kind != TN_AMD_OFF ? 1 : 2;
    case TN_AMD_SCRATCH: return c->sve;
    case TN_AMD_MUBUF: return c->ins->m[TN_AMD_OFFEN] + c->ins->m[TN_AMD_IDXEN];
    default: return 1;
  }
}
static void tn_amd_smem_offset(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o) {
  const int nine = c->ins->family == TN_AMD_GFX9;
  tn_amd_field low = {TN_AMD_F_SOFFSET, 32, 7, 0};
  if (!nine) { tn_amd_or_off(c, f, o, 1); return; }
  if (c->writes ? o->kind == TN_AMD_OFF : !c->sgpr_offset && c->has_offset) { o->kind = TN_AMD_OFF; return; }
  if (!c->writes && !c->has_offset) c->ins->m[TN_AMD_OFFSET] = 0;
  tn_amd_scalar(c, c->sgpr_offset ? f : &low, o, 1, 1);
  if (o->kind != TN_AMD_SGPR) c->bad = 1;
}
static void tn_amd_destination(tn_amd_coder *c, const tn_amd_field *f, tn_amd_operand *o, const char *letters) {
  const int dwords = tn_amd_dwords(c->ins->family, letters[1]);
  if (letters[0] == 'r' && !c->returns) { if (c->writes && o->kind) c->bad = 1; return; }
  if (letters[0] != 'D' && letters[0] != 'e') {
    tn_amd_vector(c, f, o, letters[1], dwords);
    if (letters[0] != 'g') return;
    c->bad |= c->writes && o->kind != TN_AMD_AGPR;
    o->kind = TN_AMD_AGPR;
    c->agprs++;
    return;
  }
  tn_amd_scalar(c, f, o, dwords, 1);
  if (o->kind != TN_AMD_SGPR) c->bad = 1;
}

static void tn_amd_operand_field(tn_amd_coder *c, const tn_amd_field *f) {
  const int key = f->key == TN_AMD_F_VSRC1 ? (int)TN_AMD_F_SRC1 : f->key, family = c->ins->family;
  const char *l = NULL;
  tn_amd_operand *const o = tn_amd_operand_at(c, key, &l);
  const int dwords = o ? tn_amd_dwords(family, l[1]) : 0;
  if (!o) {                                // what stands in a field that the instruction has not
    const int off = key == TN_AMD_F_SADDR, cmpx = key == TN_AMD_F_DST && c->format == TN_AMD_VOPC;
    if (c->writes && (off || cmpx)) tn_amd_write(c, f, (uint32_t)(cmpx ? (int)TN_AMD_EXEC : tn_amd_off_code(family)));
    return;
  }
  switch (key) {
    case TN_AMD_F_SRC0: case TN_AMD_F_SRC1: case TN_AMD_F_SRC2:
      if (f->key != TN_AMD_F_VSRC1) tn_amd_source_code(c, f, o, l);
      else if (c->writes && c->ins->lanes == TN_AMD_SDWA && o->kind != TN_AMD_VGPR) tn_amd_scalar(c, f, o, 1, 1);
      else tn_amd_vector(c, f, o, l[1], dwords);
      break;
    case TN_AMD_F_DST: tn_amd_destination(c, f, o, l); break;
    case TN_AMD_F_SDST: case TN_AMD_F_CARRY:
      if (*l == 'n') {
        tn_amd_number(c, f, (int32_t *)&o->value, 0);
        o->kind = TN_AMD_NUMBER;
        if (o->value > 31) c->bad = 1;
        break;
      }
      tn_amd_scalar(c, f, o, dwords, 1);
      if (o->kind != TN_AMD_SGPR || (c->format == TN_AMD_SMEM && o->reg > TN_AMD_NULL)) c->bad = 1;
      break;
    case TN_AMD_F_IMM: tn_amd_number(c, f, (int32_t *)&o->value, 0); o->kind = TN_AMD_NUMBER; break;
    case TN_AMD_F_DATA: case TN_AMD_F_DATA1: tn_amd_vector(c, f, o, l[1], dwords + c->ins->m[TN_AMD_TFE]); break;
    case TN_AMD_F_SADDR: tn_amd_or_off(c, f, o, c->layout->format == TN_AMD_SCRATCH ? 1 : dwords); break;
    case TN_AMD_F_BASE: tn_amd_scalar(c, f, o, dwords, 2); break;
    case TN_AMD_F_DESCRIPTOR:
      tn_amd_scalar(c, f, o, dwords, f->width == 5 ? 4 : 1);
      if (o->kind != TN_AMD_SGPR) c->bad = 1;
      break;
    case TN_AMD_F_SOFFSET:
      if (c->layout->format == TN_AMD_SMEM) tn_amd_smem_offset(c, f, o);
      else tn_amd_scalar(c, f, o, dwords, 1);
      break;
    case TN_AMD_F_ADDRESS: {
      const int n = tn_amd_address_dwords(c);
      if (n) tn_amd_vector(c, f, o, l[1], n);
      else if (!c->writes) o->kind = TN_AMD_OFF;
      else if (o->kind != TN_AMD_OFF) c->bad = 1;
      break;
    }
    default: break;
  }
}

// ** bits of operands **

static void tn_amd_bit(tn_amd_coder *c, const tn_amd_field *f, int i, uint8_t *bit, int has) {
  const tn_amd_field one = {f->key, (uint8_t)(f->lo + i), 1, 0};
  if (c->writes) {
    tn_amd_write(c, &one, *bit);
    c->bad |= *bit > 1 || (*bit && !has);
    c->bits += *bit;
  }
  else if (has) *bit = (uint8_t)tn_amd_read(c, &one);
}
// Does a source take neg or abs? Of packed instructions: of its low and high half.
static int tn_amd_takes_sign(const tn_amd_coder *c, int source, char what, int abs) {
  const int parts = c->ins->lanes == TN_AMD_SDWA || c->ins->lanes == TN_AMD_DPP16;
  if (strchr("fFh", what)) return 1;
  if (c->format != TN_AMD_VOP3P || parts) return 0;
  return tn_amd_takes(&c->form, source == 2 ? 'q' : abs ? 'N' : 'n');
}
// op_sel of sources and result; of some instructions of the first two, or of the third source and the result alone.
static int tn_amd_selects(const tn_amd_form *f) {
  return tn_amd_takes(f, 's') || tn_amd_takes(f, 'S') || tn_amd_takes(f, 'p') || tn_amd_takes(f, 'T');
}
static int tn_amd_selects_at(const tn_amd_form *f, int i) {
  return tn_amd_takes(f, 's') || (i < 2 ? tn_amd_takes(f, 'p') || tn_amd_takes(f, 'T') : tn_amd_takes(f, 'S'));
}
static void tn_amd_select(tn_amd_coder *c, const tn_amd_field *f) {
  const int b = tn_amd_takes(&c->form, 'b') || tn_amd_takes(&c->form, 'T'), k = tn_amd_takes(&c->form, 'k');
  const char *l;
  tn_amd_operand *o;
  if (k) {
    const tn_amd_field one = {f->key, f->lo, 1, 0};
    tn_amd_number(c, &one, &c->ins->m[TN_AMD_INDEX_KEY], 0);
    c->told |= (uint64_t)1 << TN_AMD_INDEX_KEY;
    return;
  }
  if (b) {                                 // of v_cvt_sr_* bits 3:2; of a source bits 0:1, the lower of them the higher
    const int high = c->form.n == 3;
    const tn_amd_field two = {f->key, (uint8_t)(f->lo + (high ? 2 : 0)), 2, 0};
    int32_t v = c->ins->m[TN_AMD_BYTE_SEL], turned = v >> 1 | (v & 1) << 1;
    tn_amd_number(c, &two, high ? &v : &turned, 0);
    c->told |= (uint64_t)1 << TN_AMD_BYTE_SEL;
    c->ins->m[TN_AMD_BYTE_SEL] = high || c->writes ? v : (turned >> 1 | (turned & 1) << 1);
    if (!tn_amd_takes(&c->form, 'T')) return;
  }
  for (int i = 0; i < 3; i++)
    if (tn_amd_source_at(c, i, &l, &o)) tn_amd_bit(c, f, i, &o->op_sel, tn_amd_selects_at(&c->form, i));
  if (f->width < 4 || !c->form.n || *c->form.operands != 'd' || b) return;
  tn_amd_bit(c, f, 3, &c->ins->o[0].op_sel, tn_amd_selects_at(&c->form, 3));
}
static void tn_amd_select_hi(tn_amd_coder *c, const tn_amd_field *f) {
  const int has = tn_amd_takes(&c->form, 's');
  const char *l;
  tn_amd_operand *o;
  for (int i = 0; i < f->width; i++) {
    uint8_t one = 1;
    const int there = tn_amd_source_at(c, f->first + i, &l, &o);
    if (!c->writes && there) o->op_sel_hi = 1;
    tn_amd_bit(c, f, i, there && has ? &o->op_sel_hi : &one, c->writes || has);
    c->bits -= c->writes && (there && has ? o->op_sel_hi : 1);             // it is 1 by itself
  }
}
static void tn_amd_accumulator(tn_amd_coder *c, const tn_amd_field *f, int i, tn_amd_operand *o) {
  uint8_t bit = o->kind == TN_AMD_AGPR;
  c->bits -= c->writes && bit;             // it is no modifier
  c->agprs += c->writes && bit;
  if (!c->writes && o->kind != TN_AMD_VGPR) return;
  tn_amd_bit(c, f, i, &bit, 1);
  if (bit) o->kind = TN_AMD_AGPR;
}
static void tn_amd_accumulators(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l;
  tn_amd_operand *o;
  if (f->key == TN_AMD_F_ACC) {
    for (int i = 0; i < 2; i++) if (tn_amd_source_at(c, i, &l, &o)) tn_amd_accumulator(c, f, i, o);
    return;
  }
  const int data = f->key == TN_AMD_F_ACC_DATA;
  int agprs = 0, vgprs = 0;
  for (int i = 0; i < c->form.n; i++) {
    const char where = c->form.operands[2 * i];
    o = &c->ins->o[i];
    if (!strchr(data ? "bcdr" : "dC", where)) continue;
    if (o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR) continue;
    tn_amd_accumulator(c, f, 0, o);
    agprs += o->kind == TN_AMD_AGPR; vgprs += o->kind == TN_AMD_VGPR;
  }
  if (agprs && vgprs) c->bad = 1;
}
static void tn_amd_behind_source(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l = "";
  tn_amd_operand *o;
  if (!tn_amd_source_at(c, f->key == TN_AMD_F_VGPR0 ? 0 : f->first, &l, &o)) return;
  if (f->key == TN_AMD_F_VGPR0) {
    const int sgpr = c->ins->lanes == TN_AMD_SDWA && (c->writes ? o->kind != TN_AMD_VGPR : c->behind >> 23 & 1);
    if (sgpr) tn_amd_scalar(c, f, o, 1, 1);
    else tn_amd_vector(c, f, o, l[1], tn_amd_dwords(c->ins->family, l[1]));
    return;
  }
  uint8_t bit = o->kind != TN_AMD_VGPR;
  c->bits -= c->writes && bit;             // it is no modifier
  tn_amd_bit(c, f, 0, &bit, 1);
  if (!c->writes && bit && f->first) {     // src1 was read as a vector register
    c->bad |= !tn_amd_operand_of(c->ins->family, o->reg, 1, o) || o->kind == TN_AMD_LITERAL;
  }
}

// ** the walk **

static void tn_amd_bits_field(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l;
  tn_amd_operand *o;
  switch (f->key) {
    case TN_AMD_F_NEG: case TN_AMD_F_ABS: case TN_AMD_F_SEXT:
      if (c->in_behind && c->layout->dwords > 1) break;      // a long form has its own
      for (int i = 0; i < f->width; i++) {
        if (!tn_amd_source_at(c, f->first + i, &l, &o)) continue;
        if (f->key == TN_AMD_F_SEXT) tn_amd_bit(c, f, i, &o->sext, !strchr("fFhm", l[1]));
        else tn_amd_bit(c, f, i, f->key == TN_AMD_F_NEG ? &o->neg : &o->abs,
                        tn_amd_takes_sign(c, f->first + i, l[1], f->key == TN_AMD_F_ABS));
      }
      break;
    case TN_AMD_F_SEL: tn_amd_select(c, f); break;
    case TN_AMD_F_SEL_HI: tn_amd_select_hi(c, f); break;
    case TN_AMD_F_ACC: case TN_AMD_F_ACC_DST: case TN_AMD_F_ACC_DATA: tn_amd_accumulators(c, f); break;
    case TN_AMD_F_ZERO: c->bad |= !c->writes && tn_amd_read(c, f); break;
    case TN_AMD_F_UNTYPED: if (c->writes) tn_amd_write(c, f, 1); break;
    case TN_AMD_F_VGPR0: case TN_AMD_F_IS_SGPR: tn_amd_behind_source(c, f); break;
    case TN_AMD_F_MASK:
      o = &c->ins->o[0];
      if (!c->writes) { o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = 2; }
      if (c->writes ? o->reg != TN_AMD_VCC : c->behind >> 15 & 1) tn_amd_scalar(c, f, o, 2, 1);
      break;
    case TN_AMD_F_HAS_MASK: if (c->writes && c->ins->o[0].reg != TN_AMD_VCC) tn_amd_write(c, f, 1); break;
    default: break;
  }
}
static int32_t *tn_amd_offset(tn_amd_coder *c) {              // an offset may be an operand
  for (int i = 0; i < c->form.n; i++)
    if (c->form.operands[2 * i] == 'i') {
      c->ins->o[i].kind = TN_AMD_NUMBER;
      return (int32_t *)&c->ins->o[i].value;
    }
  return &c->ins->m[TN_AMD_OFFSET];
}
static void tn_amd_modifier_field(tn_amd_coder *c, const tn_amd_field *f) {
  const int key = f->key, m = key & 0x3F;
  int32_t *const v = m == TN_AMD_OFFSET ? tn_amd_offset(c) : &c->ins->m[m];
  if (m == TN_AMD_CLAMP && !tn_amd_takes(&c->form, 'c')) return;
  if (m == TN_AMD_OMOD && !tn_amd_takes(&c->form, 'o')) return;
  if (m == TN_AMD_BLGP && tn_amd_takes(&c->form, 'M')) return;
  const char *l;
  // what only invalidates or waits has no offset and no lanes, but how far it reaches; prefetches have no caches
  const int reaches = m == TN_AMD_SC0 || m == TN_AMD_SC1 || (c->layout->format == TN_AMD_GLOBAL && m == TN_AMD_SCOPE);
  const int hints = c->layout->format == TN_AMD_GLOBAL && m == TN_AMD_TH;
  static const uint8_t most[] = {6, 2, 6, 6};                // of SDWA's parts, and what becomes of the others
  if (!c->form.n && !reaches && !hints) return;
  const int loads = c->form.n == 3 && *c->form.operands == 'D';
  if (c->format == TN_AMD_SMEM && (m == TN_AMD_OFFSET ? !tn_amd_operand_at(c, TN_AMD_F_SOFFSET, &l) : !loads)) return;
  if (m == TN_AMD_SRC1_SEL && !tn_amd_operand_at(c, TN_AMD_F_SRC1, &l)) return;
  tn_amd_number(c, f, v, key >= TN_AMD_F_SIGNED);
  c->told |= (uint64_t)1 << m;
  if (m >= TN_AMD_DST_SEL && *v > most[m - TN_AMD_DST_SEL]) c->bad = 1;
  if (m == TN_AMD_TFE && *v && strstr(tn_amd_rows[c->ins->op].names, "_atomic_")) c->bad = 1;
}
// How the offset is told, and two offsets in the place of one.
static void tn_amd_offset_field(tn_amd_coder *c, const tn_amd_field *f) {
  const char *l;
  const tn_amd_operand *o = tn_amd_operand_at(c, f->key == TN_AMD_F_SVE ? TN_AMD_F_ADDRESS : TN_AMD_F_SOFFSET, &l);
  int32_t *const m = c->ins->m;
  const int sgpr = o && o->kind == TN_AMD_SGPR;
  if (f->key == TN_AMD_F_OFFSETS) {
    const tn_amd_field low = {0, f->lo, 8, 0}, high = {0, (uint8_t)(f->lo + 8), 8, 0};
    const int two = tn_amd_takes(&c->form, '2');
    if (!c->form.n) return;
    tn_amd_number(c, two ? &low : f, &m[TN_AMD_OFFSET], 0);
    if (two) tn_amd_number(c, &high, &m[TN_AMD_OFFSET1], 0);
    c->told |= (uint64_t)1 << TN_AMD_OFFSET | (uint64_t)two << TN_AMD_OFFSET1;
    return;
  }
  int *const to = f->key == TN_AMD_F_SVE ? &c->sve : f->key == TN_AMD_F_SGPR_OFFSET ? &c->sgpr_offset : &c->has_offset;
  if (!c->writes) {
    *to = (int)tn_amd_read(c, f);
    return;
  }
  if (f->key == TN_AMD_F_SVE) *to = c->layout->format == TN_AMD_SCRATCH && o && o->kind != TN_AMD_OFF;
  else if (f->key == TN_AMD_F_SGPR_OFFSET) *to = sgpr && m[TN_AMD_OFFSET];
  else *to = o && (!sgpr || m[TN_AMD_OFFSET]);
  tn_amd_write(c, f, (uint32_t)*to);
}

// Modifiers; registers; the address, which depends on both; bits of operands.
static int tn_amd_phase(int key) {
  if (key >= TN_AMD_F_M || (key >= TN_AMD_F_OFFSETS && key <= TN_AMD_F_HAS_OFFSET)) return 0;
  return key == TN_AMD_F_ADDRESS ? 2 : key < TN_AMD_F_BITS ? 1 : 3;
}
static void tn_amd_walk(tn_amd_coder *c, const tn_amd_field *fields) {
  for (int phase = 0; phase < 4; phase++) {
    for (const tn_amd_field *f = fields; f < fields + TN_AMD_MOST_FIELDS && f->key; f++) {
      if (tn_amd_phase(f->key) != phase) continue;
      if (phase == 3) tn_amd_bits_field(c, f);
      else if (phase) tn_amd_operand_field(c, f);
      else if (f->key >= TN_AMD_F_M) tn_amd_modifier_field(c, f);
      else tn_amd_offset_field(c, f);
    }
    const int32_t *const m = c->ins->m;
    if (!phase) c->returns = m[TN_AMD_GLC] || m[TN_AMD_SC0] || (c->ins->family == TN_AMD_GFX12 && m[TN_AMD_TH] & 1);
  }
}
// What no field holds: VCC in a short form, and the literal of fmaak and fmamk.
static void tn_amd_implied(tn_amd_coder *c) {
  const int short_form = c->layout->format == c->format && c->format <= TN_AMD_VOPC;
  for (int i = 0; i < c->form.n; i++) {
    const char where = c->form.operands[2 * i];
    tn_amd_operand *const o = &c->ins->o[i];
    if (where == 'K') {
      if (c->writes && (o->kind != TN_AMD_LITERAL || (c->has_literal && c->literal != o->value))) c->bad = 1;
      if (c->writes) c->literal = o->value;
      o->kind = TN_AMD_LITERAL; o->dwords = 1;
      c->has_literal = 1;
    } else if (short_form && (where == 'e' ? c->ins->lanes != TN_AMD_SDWA : where == 'c' || where == 'm')) {
      if (c->writes && (o->kind != TN_AMD_SGPR || o->reg != TN_AMD_VCC)) c->bad = 1;
      o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = (uint8_t)tn_amd_dwords(c->ins->family, 'm');
    }
  }
}

// ** lanes and parts **

static int tn_amd_has_wide(const tn_amd_form *f) {
  for (int i = 0; i < f->n; i++) if (strchr("2345678xyF", f->operands[2 * i + 1])) return 1;
  return 0;
}
// Can the instruction take its src0 from other lanes, or parts of its operands, as its word says?
static int tn_amd_takes_lanes(const tn_amd_coder *c) {
  const int nine = c->ins->family == TN_AMD_GFX9, format = c->format;
  const int short_form = c->layout->format <= TN_AMD_VOPC;
  const char *const src0 = c->form.n > 1 ? c->form.operands + (strchr("01xX", *c->form.operands) ? 0 : 2) : "";
  if (format < TN_AMD_VOP1 || format > TN_AMD_VOP3P || !*src0) return 0;
  if (c->ins->lanes == TN_AMD_SDWA)
    return nine && short_form && !tn_amd_takes(&c->form, '=') && !tn_amd_has_wide(&c->form);
  if (tn_amd_takes(&c->form, '-')) return 0;
  if (nine) return c->ins->lanes == TN_AMD_DPP16 && short_form && format != TN_AMD_VOPC;
  return format == TN_AMD_VOP3P ? tn_amd_takes(&c->form, 'D') : !tn_amd_has_wide(&c->form);
}
// Codes of dpp_ctrl that a family has: permutations of quads, shifts and rotations by 1 to 15, mirrors, one lane to all
// of a row; on gfx9 lanes of the whole wave, too; on the others the exclusive or of lanes' numbers.
static int tn_amd_has_ctrl(int family, int ctrl, int wide) {
  const int nine = family == TN_AMD_GFX9, low = ctrl & 15;
  if (wide && ctrl >> 4 != 0x15) return 0;                   // of 64 bits
  switch (ctrl >> 4) {
    case 0x10: case 0x11: case 0x12: return low != 0;
    case 0x13: return nine && low % 4 == 0;
    case 0x14: return low < 2 || (nine && low < 4);
    case 0x15: return 1;
    case 0x16: return !nine;
    default: return ctrl < 0x100;
  }
}
static void tn_amd_walk_behind(tn_amd_coder *c) {
  const int lanes = c->ins->lanes, compares = lanes == TN_AMD_SDWA && c->format == TN_AMD_VOPC;
  c->in_behind = 1;
  tn_amd_walk(c, tn_amd_behind[lanes + compares]);
  c->in_behind = 0;
  if (lanes == TN_AMD_DPP16 && !tn_amd_has_ctrl(c->ins->family, c->ins->m[TN_AMD_DPP_CTRL],
                                                    tn_amd_has_wide(&c->form))) c->bad = 1;
}

// ** two in one (VOPD): mov, add and the like of the first operands, both read before either writes **

// Of X and Y by their opcodes; Y alone has the last three.
static const uint16_t tn_amd_duals[] = {TN_AMD_V_FMAC_F32, TN_AMD_V_FMAAK_F32, TN_AMD_V_FMAMK_F32, TN_AMD_V_MUL_F32,
  TN_AMD_V_ADD_F32, TN_AMD_V_SUB_F32, TN_AMD_V_SUBREV_F32, TN_AMD_V_MUL_DX9_ZERO_F32, TN_AMD_V_MOV_B32,
  TN_AMD_V_CNDMASK_B32, TN_AMD_V_MAX_F32, TN_AMD_V_MIN_F32, TN_AMD_V_DOT2ACC_F32_F16, 0, 0, 0, TN_AMD_V_ADD_NC_U32,
  TN_AMD_V_LSHLREV_B32, TN_AMD_V_AND_B32};
enum { TN_AMD_DUALS = sizeof tn_amd_duals / sizeof *tn_amd_duals, TN_AMD_DUALS_X = 13 };

// The fields of one half: lo, of its sources; the destination is read and written by who calls.
static void tn_amd_dual_half(tn_amd_coder *c, int op, tn_amd_operand *o, int lo) {
  const tn_amd_field src0 = {TN_AMD_F_SRC0, (uint8_t)lo, 9, 0}, src1 = {TN_AMD_F_VSRC1, (uint8_t)(lo + 9), 8, 0};
  c->form = tn_amd_form_of(op, c->ins->family);
  c->format = tn_amd_format(op, c->ins->family);
  for (int i = 0; i < c->form.n; i++, o++) {
    const char *const l = c->form.operands + 2 * i;
    if (c->writes && (o->neg || o->abs || o->op_sel || o->sext)) c->bad = 1;
    if (*l == '0') tn_amd_source_code(c, &src0, o, l);
    else if (*l == '1') tn_amd_vector(c, &src1, o, l[1], 1);
    else if (*l == 'd' && !c->writes) { o->kind = TN_AMD_VGPR; o->dwords = 1; }
    else if (*l == 'm' && !c->writes) { o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = 1; }
    else if (*l == 'm' && (o->kind != TN_AMD_SGPR || o->reg != TN_AMD_VCC)) c->bad = 1;
    else if (*l == 'K') {
      if (c->writes && (o->kind != TN_AMD_LITERAL || (c->has_literal && c->literal != o->value))) c->bad = 1;
      c->literal = o->value; c->has_literal = 1;
      o->kind = TN_AMD_LITERAL; o->dwords = 1;
    }
  }
}
static int tn_amd_dual_code(int family, int op, int most) {
  for (int i = 0; i < most; i++) if (tn_amd_duals[i] == op && tn_amd_format(op, family)) return i;
  return -1;
}
static void tn_amd_dual_walk(tn_amd_coder *c) {
  tn_amd_dual_half(c, c->ins->op, c->ins->o, 0);
  if (c->ins->n != c->form.n) c->bad = 1;
  tn_amd_dual_half(c, c->ins->op_y, c->ins->y, 32);
  if (c->ins->n_y != c->form.n) c->bad = 1;
}
static int tn_amd_encode_dual(tn_amd_ins *ins, uint32_t *words) {
  const int x = tn_amd_dual_code(ins->family, ins->op, TN_AMD_DUALS_X);
  const int y = tn_amd_dual_code(ins->family, ins->op_y, TN_AMD_DUALS);
  const int dx = ins->o[0].reg, dy = ins->y[0].reg;
  tn_amd_coder c;
  memset(&c, 0, sizeof c);
  c.ins = ins; c.writes = 1;
  c.layout = tn_amd_layout_of(TN_AMD_VOPD, ins->family);
  if (!c.layout || x < 0 || y < 0 || dx > 255 || dy > 255 || !((dx ^ dy) & 1)) return 0;
  c.w[0] = c.layout->match | (uint32_t)x << 22 | (uint32_t)y << 17;
  c.w[1] = (uint32_t)dx << 24 | (uint32_t)dy >> 1 << 17;
  tn_amd_dual_walk(&c);
  if (c.bad) return 0;
  words[0] = c.w[0]; words[1] = c.w[1]; words[2] = c.literal;
  return 2 + c.has_literal;
}
static int tn_amd_decode_dual(int family, const uint32_t *words, int n, tn_amd_ins *ins) {
  const int x = (int)(words[0] >> 22 & 15), y = (int)(words[0] >> 17 & 31);
  tn_amd_coder c;
  memset(ins, 0, sizeof *ins);
  if (n < 2 || x >= TN_AMD_DUALS_X || y >= TN_AMD_DUALS || !tn_amd_duals[y]) return 0;
  ins->family = (uint8_t)family; ins->op = tn_amd_duals[x]; ins->op_y = tn_amd_duals[y];
  if (!tn_amd_format(ins->op, family) || !tn_amd_format(ins->op_y, family)) return 0;
  ins->n = (uint8_t)tn_amd_form_of(ins->op, family).n; ins->n_y = (uint8_t)tn_amd_form_of(ins->op_y, family).n;
  memset(&c, 0, sizeof c);
  c.ins = ins;
  c.layout = tn_amd_layout_of(TN_AMD_VOPD, family);
  memcpy(c.w, words, 2 * sizeof *words);
  tn_amd_dual_walk(&c);
  ins->o[0].reg = (uint16_t)(words[1] >> 24);
  ins->y[0].reg = (uint16_t)((words[1] >> 17 & 127) << 1 | (~ins->o[0].reg & 1));
  if (c.bad || (c.has_literal && n < 3)) return 0;
  for (int i = 0; i < 4; i++) {
    if (ins->o[i].kind == TN_AMD_LITERAL) ins->o[i].value = words[2];
    if (ins->y[i].kind == TN_AMD_LITERAL) ins->y[i].value = words[2];
  }
  return 2 + c.has_literal;
}

// ** whole instructions **

static int tn_amd_long_offset(int format, int family) {      // of an opcode, in VOP3
  return format == TN_AMD_VOP2 ? 0x100 : format == TN_AMD_VOP1 ? (family == TN_AMD_GFX9 ? 0x140 : 0x180) : 0;
}
static int tn_amd_has_carry(const tn_amd_form *f) {
  for (int i = 0; i < f->n; i++) if (f->operands[2 * i] == 'c') return 1;
  return 0;
}
static void tn_amd_coder_init(tn_amd_coder *c, tn_amd_ins *ins, int writes) {
  memset(c, 0, sizeof *c);
  c->ins = ins; c->writes = writes;
  c->format = tn_amd_format(ins->op, ins->family);
  c->form = tn_amd_form_of(ins->op, ins->family);
  const int is_long = ins->long_form || c->format == TN_AMD_VOP3SD;
  const int carry = !tn_amd_is_memory(c->format) && tn_amd_has_carry(&c->form);
  c->layout = tn_amd_layout_of(is_long ? (carry ? TN_AMD_VOP3SD : TN_AMD_VOP3) : c->format, ins->family);
}
// Words behind the first ones: lanes or the literal. Is a literal allowed there?
static int tn_amd_takes_literal(const tn_amd_coder *c) {
  const int f = c->layout->format;
  if (c->ins->lanes || f == TN_AMD_MFMA || f >= TN_AMD_DS || f == TN_AMD_SMEM) return 0;
  return c->ins->family != TN_AMD_GFX9 || f < TN_AMD_VOP3;
}

// Is all that an instruction says written?
static int tn_amd_is_told(const tn_amd_coder *c) {
  const tn_amd_ins *const ins = c->ins;
  const uint64_t told = c->told | (uint64_t)(ins->lanes == TN_AMD_DPP8) << TN_AMD_FI;
  int bits = 0, agprs = 0;
  for (int i = 0; i < TN_AMD_MODIFIERS; i++) if (ins->m[i] && !(told >> i & 1)) return 0;
  for (int i = 0; i < ins->n; i++) {
    bits += ins->o[i].neg + ins->o[i].abs + ins->o[i].op_sel + ins->o[i].sext;
    agprs += ins->o[i].kind == TN_AMD_AGPR;
  }
  return bits == c->bits && agprs == c->agprs;
}

// -> how many words (at most TN_AMD_MOST_WORDS); 0: there is no such instruction.
static int tn_amd_encode(int family, const tn_amd_ins *of, uint32_t *words) {
  tn_amd_ins ins = *of;
  tn_amd_coder c;
  static const int markers[] = {0, TN_AMD_CODE_DPP16, TN_AMD_CODE_DPP8, TN_AMD_CODE_SDWA};
  ins.family = (uint8_t)family;
  if (ins.op_y) return tn_amd_encode_dual(&ins, words);
  if (!ins.op || ins.op >= TN_AMD_COUNT || ins.lanes > TN_AMD_SDWA) return 0;
  tn_amd_coder_init(&c, &ins, 1);
  if (!c.format || !c.layout || ins.n != c.form.n) return 0;
  if (ins.long_form && (c.format < TN_AMD_VOP1 || c.format > TN_AMD_VOPC || tn_amd_takes(&c.form, '!'))) return 0;
  if (ins.lanes && !tn_amd_takes_lanes(&c)) return 0;
  c.marker = markers[ins.lanes] + (ins.lanes == TN_AMD_DPP8 && ins.m[TN_AMD_FI]);
  const tn_amd_field op = {0, c.layout->op_lo, c.layout->op_width, 0};
  c.w[0] = c.layout->match;
  const int behind = ins.long_form ? tn_amd_long_offset(c.format, family) : 0;
  tn_amd_write(&c, &op, (uint32_t)(tn_amd_opcode(ins.op, family) + behind));
  tn_amd_walk(&c, c.layout->field);
  if (ins.lanes) tn_amd_walk_behind(&c);
  tn_amd_implied(&c);
  if (c.bad || !tn_amd_is_told(&c) || (c.has_literal && !tn_amd_takes_literal(&c))) return 0;
  int n = c.layout->dwords;
  memcpy(words, c.w, (size_t)n * sizeof *words);
  if (ins.lanes) words[n++] = c.behind;
  if (c.has_literal) words[n++] = c.literal;
  return n;
}

// The row that has this opcode in a format; 0: none has.
static int tn_amd_row_of(int family, int format, int op) {
  const int code = format << 10 | op;
  for (int i = 1; i < TN_AMD_COUNT && op != TN_AMD_NA; i++) if (tn_amd_rows[i].code[family] == code) return i;
  return 0;
}
// The same for the opcode of a layout, which may be that of a long form.
static int tn_amd_row_at(int family, int format, int op, int *long_form) {
  static const uint8_t shorts[] = {TN_AMD_VOPC, TN_AMD_VOP2, TN_AMD_VOP1};
  static const int count[] = {256, 64, 128};
  const int row = tn_amd_row_of(family, format, op);
  *long_form = 0;
  if (row || (format != TN_AMD_VOP3)) return row;
  for (int i = 0; i < 3; i++) {
    const int at = op - tn_amd_long_offset(shorts[i], family);
    const int found = at >= 0 && at < count[i] ? tn_amd_row_of(family, shorts[i], at) : 0;
    const tn_amd_form form = tn_amd_form_of(found, family);
    if (!found || tn_amd_takes(&form, '!')) continue;
    *long_form = 1;
    return found;
  }
  return 0;
}
static int tn_amd_lanes_of(int code) {
  if (code == TN_AMD_CODE_DPP16) return TN_AMD_DPP16;
  if (code == TN_AMD_CODE_DPP8 || code == TN_AMD_CODE_DPP8_FI) return TN_AMD_DPP8;
  return code == TN_AMD_CODE_SDWA ? TN_AMD_SDWA : TN_AMD_PLAIN;
}

// An instruction of this layout: how many of n words it takes; 0: it is none.
static int tn_amd_decode_as(const tn_amd_layout *layout, int family, const uint32_t *words, int n, tn_amd_ins *ins) {
  tn_amd_coder c;
  int long_form, taken = layout->dwords;
  const int op = (int)(words[0] >> layout->op_lo & ((1u << layout->op_width) - 1));
  const int row = tn_amd_row_at(family, layout->format, op, &long_form);
  if (!row || taken > n) return 0;
  memset(ins, 0, sizeof *ins);
  ins->op = (uint16_t)row; ins->family = (uint8_t)family; ins->long_form = (uint8_t)long_form;
  tn_amd_coder_init(&c, ins, 0);
  ins->n = (uint8_t)c.form.n;
  memcpy(c.w, words, (size_t)taken * sizeof *words);
  if (c.format >= TN_AMD_VOP1 && c.format <= TN_AMD_VOP3P) {
    const int code = (int)(c.layout->dwords == 1 ? words[0] & 511 : words[1] & 511);
    ins->lanes = (uint8_t)tn_amd_lanes_of(code);
    if (ins->lanes && !tn_amd_takes_lanes(&c)) return 0;
    c.marker = ins->lanes ? code : 0;
  }
  tn_amd_walk(&c, c.layout->field);
  if (ins->lanes) {
    if (taken >= n) return 0;
    c.behind = words[taken++];
    if (ins->lanes == TN_AMD_DPP8) ins->m[TN_AMD_FI] = c.marker == TN_AMD_CODE_DPP8_FI;
    tn_amd_walk_behind(&c);
  }
  tn_amd_implied(&c);
  if (c.bad || (c.has_literal && (!tn_amd_takes_literal(&c) || taken >= n))) return 0;
  for (int i = 0; i < ins->n; i++) if (ins->o[i].kind == TN_AMD_LITERAL) ins->o[i].value = words[taken];
  return taken + c.has_literal;
}
// -> how many of n words the instruction at the first takes; 0: they are none.
static int tn_amd_decode(int family, const uint32_t *words, int n, tn_amd_ins *ins) {
  for (int i = 0; i < TN_AMD_LAYOUTS && n > 0; i++) {
    const tn_amd_layout *const l = &tn_amd_layouts[i];
    if (!(l->families >> family & 1) || (words[0] & l->mask) != l->match) continue;
    if (l->format == TN_AMD_VOPD) return tn_amd_decode_dual(family, words, n, ins);
    const int taken = tn_amd_decode_as(l, family, words, n, ins);
    if (taken) return taken;
  }
  return 0;
}
#endif
// ---- end src/amd/../isa/amd_code.c ----
// ---- begin src/amd/../isa/amd_rules.c ----
// amd_rules: what an instruction of AMD's GPUs may not do though there are words for it.
//
// In:  a tn_amd_ins that tn_amd_encode takes. Out: NULL, or a sentence.
// Source: AMD's guides: "VALU", constant bus; RDNA's "Dual Issue VALU"; CDNA3's "Matrix Arithmetic Instructions".
#ifndef TN_ISA_AMD_RULES
#define TN_ISA_AMD_RULES
#ifndef TINY_AMALGAMATED
#include "amd_code.c"
#endif

// Scalar registers, and a literal, that vector instructions read: the same one counts once.
typedef struct tn_amd_bus { int n; uint16_t reg[8]; } tn_amd_bus;
static void tn_amd_bus_add(tn_amd_bus *b, const tn_amd_operand *o) {
  const int scalar = (o->kind == TN_AMD_SGPR && o->reg != TN_AMD_NULL) || o->kind == TN_AMD_SPECIAL;
  const uint16_t reg = (uint16_t)(o->kind == TN_AMD_LITERAL ? 0xFFFF : o->reg | (o->dwords > 1) << 12);
  if (!scalar && o->kind != TN_AMD_LITERAL) return;
  for (int i = 0; i < b->n; i++) if (b->reg[i] == reg) return;
  if (b->n < 8) b->reg[b->n++] = reg;
}
static void tn_amd_bus_add_sources(tn_amd_bus *b, int op, int family, const tn_amd_operand *o) {
  const tn_amd_form f = tn_amd_form_of(op, family);
  for (int i = 0; i < f.n; i++) if (strchr("012xyzXYZmK", f.operands[2 * i])) tn_amd_bus_add(b, &o[i]);
}
static int tn_amd_bus_width(const tn_amd_ins *ins) {
  const int op = ins->op, wide = op == TN_AMD_V_LSHLREV_B64 || op == TN_AMD_V_LSHRREV_B64 || op == TN_AMD_V_ASHRREV_I64;
  return ins->family == TN_AMD_GFX9 || wide ? 1 : 2;
}

// Of a pair that is issued as one: operands of the same place come of different banks, which are numbers mod 4; of
// the third, which fmac reads and writes, mod 2. gfx12 lets two movs be.
static const tn_amd_operand *tn_amd_dual_source(int op, int family, const tn_amd_operand *o, int place) {
  const tn_amd_form f = tn_amd_form_of(op, family);
  const int adds = op == TN_AMD_V_FMAC_F32 || op == TN_AMD_V_DOT2ACC_F32_F16;
  const int fmamk = op == TN_AMD_V_FMAMK_F32;
  if (place == 2) return adds ? &o[0] : fmamk ? &o[3] : NULL;
  if (place == 1 && fmamk) return NULL;
  for (int i = 0; i < f.n; i++) if (f.operands[2 * i] == '0' + place && o[i].kind == TN_AMD_VGPR) return &o[i];
  return NULL;
}
static const char *tn_amd_dual_rule(const tn_amd_ins *ins) {
  tn_amd_bus bus = {0, {0}};
  const int movs = ins->family == TN_AMD_GFX12 && ins->op == TN_AMD_V_MOV_B32 && ins->op_y == TN_AMD_V_MOV_B32;
  for (int place = 0; place < 3; place++) {
    const tn_amd_operand *const x = tn_amd_dual_source(ins->op, ins->family, ins->o, place);
    const tn_amd_operand *const y = tn_amd_dual_source(ins->op_y, ins->family, ins->y, place);
    if (x && y && !movs && (x->reg ^ y->reg) % (place == 2 ? 2 : 4) == 0) return "the pair reads one bank twice";
  }
  tn_amd_bus_add_sources(&bus, ins->op, ins->family, ins->o);
  tn_amd_bus_add_sources(&bus, ins->op_y, ins->family, ins->y);
  return bus.n > 2 ? "the pair reads too many scalar registers and literals" : NULL;
}
// What a matrix instruction adds to is its result, or lies apart; of four registers and fewer it may be anywhere.
static const char *tn_amd_matrix_rule(const tn_amd_ins *ins) {
  const tn_amd_operand *const d = &ins->o[0], *const c = &ins->o[3];
  if (d->dwords <= 4 || c->kind != d->kind || c->reg == d->reg || c->dwords != d->dwords) return NULL;
  const int apart = c->reg >= d->reg + d->dwords || d->reg >= c->reg + c->dwords;
  return apart ? NULL : "the result overlaps what is added to";
}
static const char *tn_amd_broken_rule(const tn_amd_ins *ins) {
  const int format = tn_amd_format(ins->op, ins->family);
  tn_amd_bus bus = {0, {0}};
  if (ins->op_y) return tn_amd_dual_rule(ins);
  if (format == TN_AMD_MFMA) return tn_amd_matrix_rule(ins);
  if (format < TN_AMD_VOP1 || format > TN_AMD_VOP3P) return NULL;
  tn_amd_bus_add_sources(&bus, ins->op, ins->family, ins->o);
  const tn_amd_operand vcc = {TN_AMD_SGPR, (uint8_t)tn_amd_dwords(ins->family, 'm'), 0, 0, 0, 0, 0, 0, TN_AMD_VCC, 0};
  if (ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64) tn_amd_bus_add(&bus, &vcc);
  return bus.n > tn_amd_bus_width(ins) ? "it reads too many scalar registers and literals" : NULL;
}
#endif
// ---- end src/amd/../isa/amd_rules.c ----
// ---- begin src/amd/../isa/amd_names.c ----
// amd_names: words of AMD's assembly that stand for numbers: registers, constants, counters, messages, lanes, caches.
//
// In:  nothing. Out: tables that amd_text.c writes from and amd_parse.c reads by, so that neither knows a word alone.
// Source: LLVM's AMDGPU operand syntax (AMDGPUOperandSyntax) and AMD's guides, as amd.c has them.
#ifndef TN_ISA_AMD_NAMES
#define TN_ISA_AMD_NAMES
#ifndef TINY_AMALGAMATED
#include "amd_code.c"
#endif

// families: bits; a name of several values stands once for each family that has it by another
typedef struct tn_amd_word_of { const char *name; uint16_t value; uint8_t families, dwords; } tn_amd_word_of;

// Registers by their codes: one or two dwords, 0: as many as are wanted.
static const tn_amd_word_of tn_amd_registers[] = {
  {"flat_scratch", 102, TN_AMD_ON_9, 2}, {"flat_scratch_lo", 102, TN_AMD_ON_9, 1},
  {"flat_scratch_hi", 103, TN_AMD_ON_9, 1}, {"xnack_mask", 104, TN_AMD_ON_9, 2},
  {"xnack_mask_lo", 104, TN_AMD_ON_9, 1}, {"xnack_mask_hi", 105, TN_AMD_ON_9, 1},
  {"vcc", 106, TN_AMD_ON_ALL, 2}, {"vcc_lo", 106, TN_AMD_ON_ALL, 1}, {"vcc_hi", 107, TN_AMD_ON_ALL, 1},
  {"null", 124, TN_AMD_ON_RDNA, 0}, {"m0", 125, TN_AMD_ON_ALL, 1},
  {"exec", 126, TN_AMD_ON_ALL, 2}, {"exec_lo", 126, TN_AMD_ON_ALL, 1}, {"exec_hi", 127, TN_AMD_ON_ALL, 1},
  {"src_shared_base", 235, TN_AMD_ON_ALL, 0}, {"src_shared_limit", 236, TN_AMD_ON_ALL, 0},
  {"src_private_base", 237, TN_AMD_ON_ALL, 0}, {"src_private_limit", 238, TN_AMD_ON_ALL, 0},
  {"src_pops_exiting_wave_id", 239, TN_AMD_ON_ALL, 0},
  {"src_vccz", 251, TN_AMD_ON_ALL, 0}, {"src_execz", 252, TN_AMD_ON_ALL, 0}, {"src_scc", 253, TN_AMD_ON_ALL, 0}
};
// Constants of codes 240 to 248, and their bits as f16: what is written for them where 16 bits are whole numbers.
static const tn_amd_word_of tn_amd_floats[] = {
  {"0.5", 0x3800, 0, 0}, {"-0.5", 0xB800, 0, 0}, {"1.0", 0x3C00, 0, 0}, {"-1.0", 0xBC00, 0, 0}, {"2.0", 0x4000, 0, 0},
  {"-2.0", 0xC000, 0, 0}, {"4.0", 0x4400, 0, 0}, {"-4.0", 0xC400, 0, 0}, {"0.15915494", 0x3118, 0, 0}
};

// s_wait_alu: value is all ones of the field, dwords where it begins.
static const tn_amd_word_of tn_amd_depctr[] = {
  {"depctr_hold_cnt", 1, 0, 7}, {"depctr_sa_sdst", 1, 0, 0}, {"depctr_va_vdst", 15, 0, 12}, {"depctr_va_sdst", 7, 0, 9},
  {"depctr_va_ssrc", 1, 0, 8}, {"depctr_va_vcc", 1, 0, 1}, {"depctr_vm_vsrc", 7, 0, 2}
};
// s_waitcnt's counters: value all ones of it. vmcnt of gfx9 has its high bits apart.
static const tn_amd_word_of tn_amd_waits[] = {
  {"vmcnt", 63, TN_AMD_ON_RDNA, 10}, {"expcnt", 7, TN_AMD_ON_RDNA, 0}, {"lgkmcnt", 63, TN_AMD_ON_RDNA, 4},
  {"vmcnt", 63, TN_AMD_ON_9, 0}, {"expcnt", 7, TN_AMD_ON_9, 4}, {"lgkmcnt", 15, TN_AMD_ON_9, 8}
};
static unsigned tn_amd_wait_get(const tn_amd_word_of *w, unsigned imm) {
  if (w->families == TN_AMD_ON_9 && w->value == 63) return (imm & 15) | (imm >> 14 & 3) << 4;
  return imm >> w->dwords & w->value;
}
static unsigned tn_amd_wait_set(const tn_amd_word_of *w, unsigned imm, unsigned count) {
  const unsigned at = w->dwords, field = (unsigned)w->value << at;
  if (w->families == TN_AMD_ON_9 && w->value == 63) return (imm & ~0xC00Fu) | (count & 15) | (count >> 4 & 3) << 14;
  return (imm & ~field) | (count << at & field);
}
static const char *const tn_amd_delays[] = {"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4",
  "TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2",
  "SALU_CYCLE_3"};
static const char *const tn_amd_skips[] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
enum { TN_AMD_DELAYS = 12, TN_AMD_SKIPS = 6 };

static const tn_amd_word_of tn_amd_messages[] = {
  {"MSG_INTERRUPT", 1, TN_AMD_ON_ALL, 0}, {"MSG_HS_TESSFACTOR", 2, TN_AMD_ON_RDNA, 0},
  {"MSG_DEALLOC_VGPRS", 3, TN_AMD_ON_RDNA, 0}, {"MSG_SAVEWAVE", 4, TN_AMD_ON_9, 0},
  {"MSG_STALL_WAVE_GEN", 5, TN_AMD_ON_11 | TN_AMD_ON_9, 0}, {"MSG_HALT_WAVES", 6, TN_AMD_ON_11 | TN_AMD_ON_9, 0},
  {"MSG_ORDERED_PS_DONE", 7, TN_AMD_ON_9, 0}, {"MSG_EARLY_PRIM_DEALLOC", 8, TN_AMD_ON_9, 0},
  {"MSG_GS_ALLOC_REQ", 9, TN_AMD_ON_ALL, 0}, {"MSG_GET_DOORBELL", 10, TN_AMD_ON_9, 0},
  {"MSG_RTN_GET_DOORBELL", 128, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_DDID", 129, TN_AMD_ON_RDNA, 0},
  {"MSG_RTN_GET_TMA", 130, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_REALTIME", 131, TN_AMD_ON_RDNA, 0},
  {"MSG_RTN_SAVE_WAVE", 132, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_TBA", 133, TN_AMD_ON_RDNA, 0},
  {"MSG_RTN_GET_TBA_TO_PC", 134, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_SE_AID_ID", 135, TN_AMD_ON_12, 0}
};
// Hardware registers, behind HW_REG_.
static const tn_amd_word_of tn_amd_hwregs[] = {
  {"MODE", 1, TN_AMD_ON_ALL, 0}, {"STATUS", 2, TN_AMD_ON_ALL, 0}, {"TRAPSTS", 3, TN_AMD_ON_11 | TN_AMD_ON_9, 0},
  {"STATE_PRIV", 4, TN_AMD_ON_12, 0}, {"HW_ID", 4, TN_AMD_ON_9, 0}, {"GPR_ALLOC", 5, TN_AMD_ON_ALL, 0},
  {"LDS_ALLOC", 6, TN_AMD_ON_ALL, 0}, {"IB_STS", 7, TN_AMD_ON_ALL, 0}, {"PERF_SNAPSHOT_DATA", 10, TN_AMD_ON_12, 0},
  {"PERF_SNAPSHOT_PC_LO", 11, TN_AMD_ON_12, 0}, {"PERF_SNAPSHOT_PC_HI", 12, TN_AMD_ON_12, 0},
  {"SH_MEM_BASES", 15, TN_AMD_ON_11 | TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_DATA1", 15, TN_AMD_ON_12, 0},
  {"TBA_LO", 16, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_DATA2", 16, TN_AMD_ON_12, 0}, {"TBA_HI", 17, TN_AMD_ON_9, 0},
  {"EXCP_FLAG_PRIV", 17, TN_AMD_ON_12, 0}, {"TMA_LO", 18, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_PC_LO", 18, TN_AMD_ON_11, 0},
  {"EXCP_FLAG_USER", 18, TN_AMD_ON_12, 0}, {"TMA_HI", 19, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_PC_HI", 19, TN_AMD_ON_11, 0},
  {"TRAP_CTRL", 19, TN_AMD_ON_12, 0}, {"XCC_ID", 20, TN_AMD_ON_9, 0}, {"FLAT_SCR_LO", 20, TN_AMD_ON_11, 0},
  {"SCRATCH_BASE_LO", 20, TN_AMD_ON_12, 0}, {"FLAT_SCR_HI", 21, TN_AMD_ON_11, 0},
  {"SCRATCH_BASE_HI", 21, TN_AMD_ON_12, 0}, {"SQ_PERF_SNAPSHOT_DATA", 21, TN_AMD_ON_9, 0},
  {"SQ_PERF_SNAPSHOT_DATA1", 22, TN_AMD_ON_9, 0}, {"HW_ID1", 23, TN_AMD_ON_RDNA, 0},
  {"SQ_PERF_SNAPSHOT_PC_LO", 23, TN_AMD_ON_9, 0}, {"HW_ID2", 24, TN_AMD_ON_RDNA, 0},
  {"SQ_PERF_SNAPSHOT_PC_HI", 24, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_DATA", 27, TN_AMD_ON_11, 0},
  {"SHADER_CYCLES", 29, TN_AMD_ON_11, 0}, {"SHADER_CYCLES_LO", 29, TN_AMD_ON_12, 0},
  {"SHADER_CYCLES_HI", 30, TN_AMD_ON_12, 0}, {"DVGPR_ALLOC_LO", 31, TN_AMD_ON_12, 0},
  {"DVGPR_ALLOC_HI", 32, TN_AMD_ON_12, 0}
};

// dpp_ctrl: value is the first code; dwords how many there are, a number in the text from `from` on; 0: no number.
typedef struct tn_amd_lane_word { const char *name; uint16_t first, count; uint8_t from, families; } tn_amd_lane_word;
static const tn_amd_lane_word tn_amd_lane_words[] = {
  {"row_shl", 0x101, 15, 1, TN_AMD_ON_ALL}, {"row_shr", 0x111, 15, 1, TN_AMD_ON_ALL},
  {"row_ror", 0x121, 15, 1, TN_AMD_ON_ALL}, {"row_mirror", 0x140, 0, 0, TN_AMD_ON_ALL},
  {"row_half_mirror", 0x141, 0, 0, TN_AMD_ON_ALL}, {"row_share", 0x150, 16, 0, TN_AMD_ON_RDNA},
  {"row_xmask", 0x160, 16, 0, TN_AMD_ON_RDNA}, {"row_newbcast", 0x150, 16, 0, TN_AMD_ON_9},
  {"wave_shl", 0x130, 1, 1, TN_AMD_ON_9}, {"wave_rol", 0x134, 1, 1, TN_AMD_ON_9},
  {"wave_shr", 0x138, 1, 1, TN_AMD_ON_9}, {"wave_ror", 0x13C, 1, 1, TN_AMD_ON_9},
  {"row_bcast", 0x142, 1, 15, TN_AMD_ON_9}, {"row_bcast", 0x143, 1, 31, TN_AMD_ON_9}
};
enum { TN_AMD_LANE_WORDS = sizeof tn_amd_lane_words / sizeof *tn_amd_lane_words };
static const char *const tn_amd_parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
static const char *const tn_amd_unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
static const char *const tn_amd_scopes[] = {"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
static const char *const tn_amd_omods[] = {"", "mul:2", "mul:4", "div:2"};

// Modifiers that are words alone, and those that are a word, a colon and a number, in the order they are written.
static const tn_amd_word_of tn_amd_flags[] = {
  {"offen", TN_AMD_OFFEN, 0, 0}, {"glc", TN_AMD_GLC, 0, 0}, {"sc0", TN_AMD_SC0, 0, 0},
  {"slc", TN_AMD_SLC, 0, 0}, {"nt", TN_AMD_NT, 0, 0}, {"dlc", TN_AMD_DLC, 0, 0}, {"sc1", TN_AMD_SC1, 0, 0},
  {"tfe", TN_AMD_TFE, 0, 0}, {"idxen", TN_AMD_IDXEN, 0, 0}, {"clamp", TN_AMD_CLAMP, 0, 0}
};
static const tn_amd_word_of tn_amd_numbers[] = {
  {"cbsz", TN_AMD_CBSZ, 0, 0}, {"abid", TN_AMD_ABID, 0, 0}, {"blgp", TN_AMD_BLGP, 0, 0},
  {"byte_sel", TN_AMD_BYTE_SEL, 0, 0}, {"index_key", TN_AMD_INDEX_KEY, 0, 0}, {"offset", TN_AMD_OFFSET, 0, 0},
  {"offset0", TN_AMD_OFFSET, 0, 0}, {"offset1", TN_AMD_OFFSET1, 0, 0}, {"row_mask", TN_AMD_ROW_MASK, 0, 0},
  {"bank_mask", TN_AMD_BANK_MASK, 0, 0}, {"bound_ctrl", TN_AMD_BOUND_CTRL, 0, 0}, {"fi", TN_AMD_FI, 0, 0}
};
#define TN_AMD_NUMBER_OF(table) ((int)(sizeof(table) / sizeof *(table)))

// Temporal hints of gfx12: of loads, of stores, of atomics (by bits: 1 returns, 2 not temporal, 4 cascades).
static const char *const tn_amd_load_hints[] = {"", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", ""};
static const char *const tn_amd_store_hints[] = {"", "NT", "HT", "RT_WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
static const char *const tn_amd_atomic_hints[] = {"", "RETURN", "NT", "NT_RETURN", "CASCADE_RT", "", "CASCADE_NT", ""};
#endif
// ---- end src/amd/../isa/amd_names.c ----
// ---- begin src/amd/../isa/amd_text.c ----
// amd_text: AMD's instructions as assembly text.
//
// In:  a tn_amd_ins that tn_amd_encode takes. Out: a line as LLVM's assembler reads it and its disassembler writes it;
//      distances of jumps are numbers, counted in dwords from the next instruction.
#ifndef TN_ISA_AMD_TEXT
#define TN_ISA_AMD_TEXT
#ifndef TINY_AMALGAMATED
#include "amd_names.c"
#endif
#include <stdio.h>

// ** a text of limited length **

typedef struct tn_amd_text { char *at; size_t n, cap; } tn_amd_text;      // n: what it would be without the limit
static void tn_amd_put_n(tn_amd_text *t, const char *s, size_t n) {
  for (size_t i = 0; i < n; i++, t->n++) if (t->n + 1 < t->cap) t->at[t->n] = s[i];
}
static void tn_amd_put(tn_amd_text *t, const char *s) { tn_amd_put_n(t, s, strlen(s)); }
static void tn_amd_put_int(tn_amd_text *t, long v) {
  char s[24];
  snprintf(s, sizeof s, "%ld", v);
  tn_amd_put(t, s);
}
static void tn_amd_put_hex(tn_amd_text *t, long v) {         // of negative numbers: -0x1
  char s[24];
  snprintf(s, sizeof s, v < 0 ? "-0x%lx" : "0x%lx", v < 0 ? -v : v);
  tn_amd_put(t, s);
}
static void tn_amd_put_pair(tn_amd_text *t, const char *name, long v) {    // " name:1"
  tn_amd_put(t, " ");
  tn_amd_put(t, name);
  tn_amd_put(t, ":");
  tn_amd_put_int(t, v);
}

// ** operands **

static const char *tn_amd_register_name(int family, int code, int dwords) {  // NULL: it has a number
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_registers); i++) {
    const tn_amd_word_of *const r = &tn_amd_registers[i];
    if (r->value == code && (!r->dwords || r->dwords == dwords) && r->families >> family & 1) return r->name;
  }
  return NULL;
}
static void tn_amd_put_register(tn_amd_text *t, const char *letter, int reg, int dwords) {
  tn_amd_put(t, letter);
  if (dwords > 1) tn_amd_put(t, "[");
  tn_amd_put_int(t, reg);
  if (dwords == 1) return;
  tn_amd_put(t, ":");
  tn_amd_put_int(t, reg + dwords - 1);
  tn_amd_put(t, "]");
}
static void tn_amd_put_sgpr(tn_amd_text *t, int family, const tn_amd_operand *o) {
  const char *const name = tn_amd_register_name(family, o->reg, o->dwords);
  if (name) tn_amd_put(t, name);
  else if (o->reg >= TN_AMD_TTMP) tn_amd_put_register(t, "ttmp", o->reg - TN_AMD_TTMP, o->dwords);
  else tn_amd_put_register(t, "s", o->reg, o->dwords);
}
static void tn_amd_put_inline(tn_amd_text *t, int code, char what) {
  if (code <= 192) tn_amd_put_int(t, code - 128);
  else if (code <= 208) tn_amd_put_int(t, 192 - code);
  else if (what == 'w' || what == 'i') tn_amd_put_hex(t, tn_amd_floats[code - 240].value);
  else if (code == 248 && (what == 'F' || what == '2')) tn_amd_put(t, "0.15915494309189532");
  else tn_amd_put(t, tn_amd_floats[code - 240].name);
}
static void tn_amd_put_plain(tn_amd_text *t, int family, const tn_amd_operand *o, char what) {
  switch (o->kind) {
    case TN_AMD_VGPR: tn_amd_put_register(t, "v", o->reg, o->dwords); break;
    case TN_AMD_AGPR: tn_amd_put_register(t, "a", o->reg, o->dwords); break;
    case TN_AMD_SGPR: tn_amd_put_sgpr(t, family, o); break;
    case TN_AMD_SPECIAL: tn_amd_put(t, tn_amd_register_name(family, o->reg, 0)); break;
    case TN_AMD_INLINE: tn_amd_put_inline(t, o->reg, what); break;
    case TN_AMD_LITERAL: tn_amd_put_hex(t, tn_amd_is_half(what) ? (long)(o->value & 0xFFFF) : (long)o->value); break;
    case TN_AMD_NUMBER: tn_amd_put_int(t, (long)o->value); break;
    default: tn_amd_put(t, "off");
  }
}
static void tn_amd_put_operand(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o, char what) {
  const int packed = tn_amd_format(ins->op, ins->family) == TN_AMD_VOP3P && !strchr("fFh", what);
  const int number = o->kind == TN_AMD_INLINE || o->kind == TN_AMD_LITERAL;
  const int neg = o->neg && !packed, abs = o->abs && !packed, call = neg && !abs && number;
  if (neg) tn_amd_put(t, call ? "neg(" : "-");
  if (abs) tn_amd_put(t, "|");
  if (o->sext) tn_amd_put(t, "sext(");
  tn_amd_put_plain(t, ins->family, o, what);
  // a short form of 16 bits names the half of its register
  const int halves = tn_amd_is_half(what) && o->kind == TN_AMD_VGPR && !ins->long_form && o->op_sel &&
                     tn_amd_format(ins->op, ins->family) <= TN_AMD_VOPC;
  if (halves) tn_amd_put(t, ".h");
  if (o->sext || call) tn_amd_put(t, ")");
  if (abs) tn_amd_put(t, "|");
}

// ** numbers of s_* instructions **

static const char *tn_amd_word_at(const tn_amd_word_of *table, int n, int family, unsigned value) {
  for (int i = 0; i < n; i++) if (table[i].value == value && table[i].families >> family & 1) return table[i].name;
  return NULL;
}
static void tn_amd_put_message(tn_amd_text *t, int family, unsigned v) {
  const char *const name = tn_amd_word_at(tn_amd_messages, TN_AMD_NUMBER_OF(tn_amd_messages), family, v);
  const unsigned most = family == TN_AMD_GFX9 ? 0x37F : 0xFF, id = family == TN_AMD_GFX9 ? v & 15 : v;
  if (v & ~most) { tn_amd_put_int(t, (long)v); return; }
  tn_amd_put(t, "sendmsg(");
  if (name) tn_amd_put(t, name);
  else {
    tn_amd_put_int(t, (long)id);
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, family == TN_AMD_GFX9 ? (long)(v >> 4 & 7) : 0);
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, family == TN_AMD_GFX9 ? (long)(v >> 8) : 0);
  }
  tn_amd_put(t, ")");
}
static void tn_amd_put_hwreg(tn_amd_text *t, int family, unsigned v) {
  const unsigned id = v & 63, at = v >> 6 & 31, bits = (v >> 11) + 1;
  const char *const name = tn_amd_word_at(tn_amd_hwregs, TN_AMD_NUMBER_OF(tn_amd_hwregs), family, id);
  tn_amd_put(t, name ? "hwreg(HW_REG_" : "hwreg(");
  if (name) tn_amd_put(t, name);
  else tn_amd_put_int(t, (long)id);
  if (at || bits != 32) {
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, (long)at);
    tn_amd_put(t, ", ");
    tn_amd_put_int(t, (long)bits);
  }
  tn_amd_put(t, ")");
}
static void tn_amd_put_count(tn_amd_text *t, int *n, const char *name, unsigned v) {
  tn_amd_put(t, (*n)++ ? " " : "");
  tn_amd_put(t, name);
  tn_amd_put(t, "(");
  tn_amd_put_int(t, (long)v);
  tn_amd_put(t, ")");
}
// Counters that are waited for; all of them where none is.
static void tn_amd_put_waits(tn_amd_text *t, int family, unsigned v) {
  int n = 0;
  for (int all = 0; all < 2 && !n; all++)
    for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_waits); i++) {
      const tn_amd_word_of *const w = &tn_amd_waits[i];
      if (!(w->families >> family & 1)) continue;
      const unsigned count = tn_amd_wait_get(w, v);
      if (all || count != w->value) tn_amd_put_count(t, &n, w->name, count);
    }
}
static void tn_amd_put_depctr(tn_amd_text *t, unsigned v) {
  int n = 0;
  if (v & 0x60) { tn_amd_put_hex(t, (long)v); return; }
  for (int all = 0; all < 2 && !n; all++)
    for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_depctr); i++) {
      const tn_amd_word_of *const w = &tn_amd_depctr[i];
      if (all || (v >> w->dwords & w->value) != w->value) tn_amd_put_count(t, &n, w->name, v >> w->dwords & w->value);
    }
}
static void tn_amd_put_delays(tn_amd_text *t, unsigned v) {
  const unsigned first = v & 15, skip = v >> 4 & 7, second = v >> 7 & 15;
  if (first >= TN_AMD_DELAYS || skip >= TN_AMD_SKIPS || second >= TN_AMD_DELAYS || !(v & 0x7FF)) {
    if (v & 0x7FF) tn_amd_put_hex(t, (long)v);
    else tn_amd_put(t, "0");
    return;
  }
  const char *const part[3] = {first ? tn_amd_delays[first] : NULL, skip ? tn_amd_skips[skip] : NULL,
                               second ? tn_amd_delays[second] : NULL};
  static const char *const names[3] = {"instid0(", "instskip(", "instid1("};
  for (int i = 0, n = 0; i < 3; i++) {
    if (!part[i]) continue;
    tn_amd_put(t, n++ ? " | " : "");
    tn_amd_put(t, names[i]);
    tn_amd_put(t, part[i]);
    tn_amd_put(t, ")");
  }
}
static void tn_amd_put_number(tn_amd_text *t, const tn_amd_ins *ins, char what, unsigned v) {
  switch (what) {
    case 's': tn_amd_put_message(t, ins->family, v); break;
    case 'w': tn_amd_put_waits(t, ins->family, v); break;
    case 'c': tn_amd_put_depctr(t, v); break;
    case 'y': tn_amd_put_delays(t, v); break;
    case 'g': tn_amd_put_hwreg(t, ins->family, v); break;
    case 'h': tn_amd_put_hex(t, (long)v); break;
    case 'b': case 'e': tn_amd_put_int(t, (long)v); break;
    default: if (v <= 64) tn_amd_put_int(t, (long)v); else tn_amd_put_hex(t, (long)v);
  }
}

// ** modifiers **

// Has a name of the instruction this word in it?
static int tn_amd_says(const tn_amd_ins *ins, const char *word) {
  return strstr(tn_amd_rows[ins->op].names, word) != NULL;
}

// One bit of each source, and of the result behind them where result is set; nothing where all are as they are by
// themselves. which: op_sel, op_sel_hi, neg, abs.
static void tn_amd_put_bits(tn_amd_text *t, const tn_amd_ins *ins, const char *name, int which, int normal,
                            int result) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  uint8_t bits[5];
  int n = 0, differs = 0;
  for (int i = 0; i <= form.n; i++) {
    const int is_result = i == form.n;
    const tn_amd_operand *const o = &ins->o[is_result ? 0 : i];
    const char where = is_result ? 'R' : form.operands[2 * i];
    if (is_result && result && tn_amd_takes(&form, 't')) bits[n++] = 0;
    if (is_result && result && tn_amd_takes(&form, 'T')) {   // which of the result's bytes
      const int byte = ins->m[TN_AMD_BYTE_SEL];
      bits[n++] = byte & 1;
      bits[n++] = (uint8_t)(byte >> 1);
      differs |= byte;
      continue;
    }
    if (is_result ? !result : !strchr("012xyzXYZC", where) || (n == 2 && tn_amd_takes(&form, 'p'))) continue;
    const uint8_t all[] = {o->op_sel, o->op_sel_hi, o->neg, o->abs};
    bits[n] = all[which];
    differs |= bits[n++] != normal;
  }
  if (!differs) return;
  tn_amd_put(t, " ");
  tn_amd_put(t, name);
  for (int i = 0; i < n; i++) tn_amd_put(t, i ? (bits[i] ? ",1" : ",0") : (bits[i] ? ":[1" : ":[0"));
  tn_amd_put(t, "]");
}
static void tn_amd_put_selects(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int mixes = form->n > 1 && form->operands[3] == 'f';
  const int is_long = format == TN_AMD_VOP3 || ins->long_form;
  if (is_long && tn_amd_selects(form)) tn_amd_put_bits(t, ins, "op_sel", 0, 0, !tn_amd_takes(form, 'p'));
  if (format != TN_AMD_VOP3P) return;
  if (tn_amd_takes(form, 's')) {
    tn_amd_put_bits(t, ins, "op_sel", 0, 0, 0);
    tn_amd_put_bits(t, ins, "op_sel_hi", 1, !mixes, 0);
  }
  if (mixes) return;
  tn_amd_put_bits(t, ins, "neg_lo", 2, 0, 0);
  tn_amd_put_bits(t, ins, "neg_hi", 3, 0, 0);
}
static void tn_amd_put_dpp(tn_amd_text *t, const tn_amd_ins *ins) {
  const int ctrl = ins->m[TN_AMD_DPP_CTRL];
  char s[48];
  if (ctrl < 0x100) {
    snprintf(s, sizeof s, " quad_perm:[%d,%d,%d,%d]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3, ctrl >> 6);
    tn_amd_put(t, s);
  }
  for (int i = 0; i < TN_AMD_LANE_WORDS; i++) {
    const tn_amd_lane_word *const w = &tn_amd_lane_words[i];
    if (!(w->families >> ins->family & 1) || ctrl < w->first || ctrl >= w->first + (w->count ? w->count : 1)) continue;
    if (w->count) tn_amd_put_pair(t, w->name, ctrl - w->first + w->from);
    else { tn_amd_put(t, " "); tn_amd_put(t, w->name); }
  }
  snprintf(s, sizeof s, " row_mask:0x%x bank_mask:0x%x", (unsigned)ins->m[TN_AMD_ROW_MASK],
           (unsigned)ins->m[TN_AMD_BANK_MASK]);
  tn_amd_put(t, s);
  if (ins->m[TN_AMD_BOUND_CTRL]) tn_amd_put(t, " bound_ctrl:1");
}
static void tn_amd_put_lanes(tn_amd_text *t, const tn_amd_ins *ins, int format) {
  if (ins->lanes == TN_AMD_DPP16) tn_amd_put_dpp(t, ins);
  if (ins->lanes == TN_AMD_DPP8) {
    tn_amd_put(t, " dpp8:[");
    for (int i = 0; i < 8; i++) {
      tn_amd_put(t, i ? "," : "");
      tn_amd_put_int(t, ins->m[TN_AMD_LANES_8] >> 3 * i & 7);
    }
    tn_amd_put(t, "]");
  }
  if (ins->lanes && ins->m[TN_AMD_FI] && ins->family != TN_AMD_GFX9) tn_amd_put(t, " fi:1");
  if (ins->lanes != TN_AMD_SDWA) return;
  const int sources = format == TN_AMD_VOP1 ? 1 : 2;
  static const char *const names[] = {" dst_sel:", " dst_unused:", " src0_sel:", " src1_sel:"};
  for (int i = format == TN_AMD_VOPC ? 2 : 0; i < 2 + sources; i++) {
    const int v = ins->m[TN_AMD_DST_SEL + i];
    tn_amd_put(t, names[i]);
    tn_amd_put(t, i == 1 ? tn_amd_unused[v] : tn_amd_parts[v]);
  }
}

// ** caches and offsets **

static void tn_amd_put_swizzle(tn_amd_text *t, unsigned v) {
  const unsigned and_mask = v & 31, or_mask = v >> 5 & 31, xor_mask = v >> 10 & 31, group = 32 - and_mask;
  char s[64];
  tn_amd_put(t, " offset:");
  if ((v & 0xFF00) == 0x8000)
    snprintf(s, sizeof s, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
  else if (v & 0x8000) snprintf(s, sizeof s, "%u", v);
  else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask - 1)))
    snprintf(s, sizeof s, "swizzle(SWAP,%u)", xor_mask);
  else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1)))
    snprintf(s, sizeof s, "swizzle(REVERSE,%u)", xor_mask + 1);
  else if (group > 1 && !(group & (group - 1)) && or_mask < group && !xor_mask)
    snprintf(s, sizeof s, "swizzle(BROADCAST,%u,%u)", group, or_mask);
  else {
    char m[6] = "00000";                   // of a lane's bits from the highest on: kept, inverted, 0, 1
    for (int i = 0; i < 5; i++) {
      const unsigned bit = 16u >> i, zero = (or_mask ^ xor_mask) & bit, one = ((and_mask | or_mask) ^ xor_mask) & bit;
      m[i] = zero == one ? (zero ? '1' : '0') : zero ? 'i' : 'p';
    }
    snprintf(s, sizeof s, "swizzle(BITMASK_PERM,\"%s\")", m);
  }
  tn_amd_put(t, s);
}
static const char *tn_amd_hint(const tn_amd_ins *ins, const char **prefix) {
  const int th = ins->m[TN_AMD_TH] & 7, scope = ins->m[TN_AMD_SCOPE], store = tn_amd_says(ins, "_store_");
  if (tn_amd_says(ins, "_atomic_")) {
    *prefix = "TH_ATOMIC_";
    return th & 4 && scope < 2 ? "" : th & 4 ? (th & 2 ? "CASCADE_NT" : "CASCADE_RT") : tn_amd_atomic_hints[th];
  }
  *prefix = store ? "TH_STORE_" : "TH_LOAD_";
  if (th == 3 && scope == 3) return "BYPASS";
  return (store ? tn_amd_store_hints : tn_amd_load_hints)[th];
}
static void tn_amd_put_caches(tn_amd_text *t, const tn_amd_ins *ins) {
  const char *prefix = "", *hint;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_flags); i++) {
    const int m = tn_amd_flags[i].value;
    if (!ins->m[m] || m < TN_AMD_GLC || m > TN_AMD_NT) continue;
    tn_amd_put(t, " ");
    tn_amd_put(t, tn_amd_flags[i].name);
  }
  if (ins->family != TN_AMD_GFX12) return;
  if (ins->m[TN_AMD_TH]) {
    hint = tn_amd_hint(ins, &prefix);
    tn_amd_put(t, " th:");
    tn_amd_put(t, *hint || strstr(prefix, "ATOMIC") ? prefix : "");
    if (*hint) tn_amd_put(t, hint);
    else tn_amd_put_hex(t, ins->m[TN_AMD_TH]);
  }
  if (ins->m[TN_AMD_SCOPE]) { tn_amd_put(t, " scope:"); tn_amd_put(t, tn_amd_scopes[ins->m[TN_AMD_SCOPE] & 3]); }
}
static void tn_amd_put_memory(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int32_t *const m = ins->m;
  const int two = tn_amd_takes(form, '2');
  if (m[TN_AMD_IDXEN]) tn_amd_put(t, " idxen");
  if (m[TN_AMD_OFFEN]) tn_amd_put(t, " offen");
  if (m[TN_AMD_OFFSET] && format != TN_AMD_SMEM) {
    if (ins->op == TN_AMD_DS_SWIZZLE_B32) tn_amd_put_swizzle(t, (unsigned)m[TN_AMD_OFFSET]);
    else tn_amd_put_pair(t, two ? "offset0" : "offset", m[TN_AMD_OFFSET]);
  }
  if (two && m[TN_AMD_OFFSET1]) tn_amd_put_pair(t, "offset1", m[TN_AMD_OFFSET1]);
  tn_amd_put_caches(t, ins);
  if (m[TN_AMD_TFE]) tn_amd_put(t, " tfe");
}
// The offset of a scalar load: a number, a register, or both.
static void tn_amd_put_soffset(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o) {
  const int32_t offset = ins->m[TN_AMD_OFFSET];
  if (o->kind == TN_AMD_OFF) {
    if (!offset && ins->family == TN_AMD_GFX11) tn_amd_put(t, "null");
    else tn_amd_put_hex(t, offset);
    return;
  }
  tn_amd_put_sgpr(t, ins->family, o);
  if (!offset && ins->family != TN_AMD_GFX12) return;
  tn_amd_put(t, " offset:");
  tn_amd_put_hex(t, offset);
}

// ** the line **

static const char *tn_amd_suffix(const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int shorts = format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC;
  if (ins->lanes == TN_AMD_SDWA) return "_sdwa";
  if (ins->lanes) return ins->long_form || !shorts ? "_e64_dpp" : format == TN_AMD_VOPC ? "" : "_dpp";
  if (!shorts || tn_amd_takes(form, '!')) return "";
  return ins->long_form ? "_e64" : "_e32";
}
static void tn_amd_put_modifiers(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_form *form, int format) {
  const int32_t *const m = ins->m;
  static const uint8_t numbers[] = {TN_AMD_CBSZ, TN_AMD_ABID, TN_AMD_BLGP, TN_AMD_BYTE_SEL};
  if (m[TN_AMD_INDEX_KEY]) tn_amd_put_pair(t, "index_key", m[TN_AMD_INDEX_KEY]);
  tn_amd_put_selects(t, ins, form, format);
  for (int i = 0; i < 4; i++) {
    const int v = m[numbers[i]];
    char s[24];
    if (!v || (numbers[i] == TN_AMD_BYTE_SEL && tn_amd_takes(form, 'T'))) continue;
    snprintf(s, sizeof s, " neg:[%d,%d,%d]", v & 1, v >> 1 & 1, v >> 2 & 1);
    if (numbers[i] == TN_AMD_BLGP && tn_amd_takes(form, 'e')) tn_amd_put(t, s);
    else tn_amd_put_pair(t, tn_amd_numbers[i].name, v);
  }
  if (m[TN_AMD_CLAMP]) tn_amd_put(t, " clamp");
  if (m[TN_AMD_OMOD]) { tn_amd_put(t, " "); tn_amd_put(t, tn_amd_omods[m[TN_AMD_OMOD] & 3]); }
  tn_amd_put_lanes(t, ins, format);
  if (format == TN_AMD_SMEM || tn_amd_is_memory(format)) tn_amd_put_memory(t, ins, form, format);
}
static void tn_amd_put_operands(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o,
                                const tn_amd_form *form) {
  int n = 0, prefetches = 0;               // whose offset is an operand of its own
  for (int i = 0; i < form->n; i++, o++) {
    const char *const l = form->operands + 2 * i;
    if (!o->kind || (l[1] == 'e' && *l == '#' && !o->value) || (ins->op_y && *l == 'm')) continue;
    tn_amd_put(t, n++ ? ", " : " ");
    if (*l == '#') tn_amd_put_number(t, ins, l[1], o->value);
    else if (*l == 'M') tn_amd_put_message(t, ins->family, o->value);
    else if (*l == 'i') { tn_amd_put_hex(t, (int32_t)o->value); prefetches = 1; }
    else if (*l == 'n') tn_amd_put_int(t, (long)o->value);
    else if (*l == 'o' && prefetches && o->kind == TN_AMD_OFF) tn_amd_put(t, "null");
    else if (*l == 'o' && prefetches) tn_amd_put_sgpr(t, ins->family, o);
    else if (*l == 'o' && tn_amd_format(ins->op, ins->family) == TN_AMD_SMEM) tn_amd_put_soffset(t, ins, o);
    else tn_amd_put_operand(t, ins, o, *l == 'K' ? '1' : tn_amd_takes(form, 'e') ? 'F' : l[1]);
  }
}
static void tn_amd_put_half(tn_amd_text *t, const tn_amd_ins *ins, int op, const tn_amd_operand *o) {
  size_t n;
  const char *const name = tn_amd_name(op, ins->family, &n);
  const tn_amd_form form = tn_amd_form_of(op, ins->family);
  tn_amd_put(t, "v_dual_");
  tn_amd_put_n(t, name + 2, n - 2);
  tn_amd_put_operands(t, ins, o, &form);
}
// The line, without its end, of at most cap - 1 bytes and a 0. -> its length without that limit.
static size_t tn_amd_print(const tn_amd_ins *ins, char *out, size_t cap) {
  tn_amd_text t = {out, 0, cap};
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  const int format = tn_amd_format(ins->op, ins->family);
  size_t n;
  if (ins->op_y) {
    tn_amd_put_half(&t, ins, ins->op, ins->o);
    tn_amd_put(&t, " :: ");
    tn_amd_put_half(&t, ins, ins->op_y, ins->y);
  } else {
    const char *const name = tn_amd_name(ins->op, ins->family, &n);
    tn_amd_put_n(&t, name, n);
    tn_amd_put(&t, tn_amd_suffix(ins, &form, format));
    tn_amd_put_operands(&t, ins, ins->o, &form);
    tn_amd_put_modifiers(&t, ins, &form, format);
  }
  if (cap) out[t.n < cap ? t.n : cap - 1] = 0;
  return t.n;
}
#endif
// ---- end src/amd/../isa/amd_text.c ----
// ---- begin src/amd/../isa/amd_descriptor.c ----
// amd_descriptor: what the hardware is told of a kernel before it runs: registers, LDS, scratch, what comes in SGPRs.
//
// In:  a tn_amd_setup. Out: the 64 bytes in front of a kernel's code, and back.
// Source: LLVM's AMDGPU user guide, "Kernel Descriptor" and "Code Object V3 Kernel Descriptor" for each family.
#ifndef TN_ISA_AMD_DESCRIPTOR
#define TN_ISA_AMD_DESCRIPTOR
#ifndef TINY_AMALGAMATED
#include "amd.c"
#endif

enum { TN_AMD_DESCRIPTOR_NBYTES = 64 };
enum { TN_AMD_FROM_DISPATCH = 1 << 1, TN_AMD_FROM_QUEUE = 1 << 2, TN_AMD_FROM_ARGS = 1 << 3, TN_AMD_FROM_ID = 1 << 4,
  TN_AMD_FROM_SCRATCH_NBYTES = 1 << 6, TN_AMD_WAVE32 = 1 << 10 };      // kernel_code_properties

// vgprs, agprs, sgprs: how many it names, VCC not counted. ids: bits of the group's x, y, z that it reads; lanes: how
// many numbers of an item, 1 to 3. from: which pointers come first, TN_AMD_FROM_ARGS ..; user_sgprs: SGPRs before the
// group's numbers, at least those of the pointers. wgp: a group runs on both CUs of a WGP (RDNA).
typedef struct tn_amd_setup {
  uint32_t lds, scratch, args_nbytes;
  uint16_t vgprs, agprs, sgprs, from;
  uint8_t user_sgprs, ids, lanes, wgp, wave;
} tn_amd_setup;
typedef struct tn_amd_descriptor {
  uint32_t lds, scratch, args_nbytes, rsrc1, rsrc2, rsrc3; int64_t entry; uint16_t properties, preload;
} tn_amd_descriptor;                       // entry: of the code, from the descriptor

static uint32_t tn_amd_blocks(uint32_t n, uint32_t each) { return n ? (n + each - 1) / each - 1 : 0; }
// Denormals are kept; rounding is to even; a NaN is clamped to 0 and exceptions follow IEEE, where that can be said.
static tn_amd_descriptor tn_amd_describe(const tn_amd_chip *chip, const tn_amd_setup *s) {
  tn_amd_descriptor d;
  const int nine = chip->family == TN_AMD_GFX9, wave = s->wave ? s->wave : chip->wave;
  const uint32_t own = (uint32_t)(s->vgprs + 3) / 4 * 4, each = !nine && wave == 64 ? 4 : 8;
  memset(&d, 0, sizeof d);
  d.lds = s->lds; d.scratch = s->scratch; d.args_nbytes = s->args_nbytes;
  d.rsrc1 = tn_amd_blocks(nine && s->agprs ? own + s->agprs : s->vgprs, each) | 0xF0000;
  if (chip->family != TN_AMD_GFX12) d.rsrc1 |= 1u << 21 | 1u << 23;
  if (nine) d.rsrc1 |= 2 * tn_amd_blocks((uint32_t)s->sgprs + 6, 16) << 6;   // VCC, FLAT_SCRATCH and XNACK_MASK
  else d.rsrc1 |= 1u << 30 | (uint32_t)(s->wgp != 0) << 29;
  d.rsrc2 = (s->scratch > 0) | (uint32_t)s->user_sgprs << 1 | (uint32_t)(s->ids & 7) << 7;
  if (s->lanes > 1) d.rsrc2 |= (uint32_t)(s->lanes - 1) << 11;
  if (nine) d.rsrc3 = own ? own / 4 - 1 : 0;
  d.properties = (uint16_t)(s->from | (!nine && wave == 32 ? TN_AMD_WAVE32 : 0));
  return d;
}
// How many vector registers of both kinds a wave is given, as rsrc1 says it.
static int tn_amd_described_vgprs(const tn_amd_chip *chip, const tn_amd_descriptor *d) {
  const int each = chip->family != TN_AMD_GFX9 && !(d->properties & TN_AMD_WAVE32) ? 4 : 8;
  return (int)((d->rsrc1 & 63) + 1) * each;
}

static void tn_amd_put_bytes(uint8_t *p, uint64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) p[i] = (uint8_t)(v >> 8 * i);
}
static uint64_t tn_amd_get_bytes(const uint8_t *p, int nbytes) {
  uint64_t v = 0;
  for (int i = nbytes - 1; i >= 0; i--) v = v << 8 | p[i];
  return v;
}
static void tn_amd_descriptor_write(const tn_amd_descriptor *d, uint8_t out[TN_AMD_DESCRIPTOR_NBYTES]) {
  memset(out, 0, TN_AMD_DESCRIPTOR_NBYTES);
  tn_amd_put_bytes(out, d->lds, 4);
  tn_amd_put_bytes(out + 4, d->scratch, 4);
  tn_amd_put_bytes(out + 8, d->args_nbytes, 4);
  tn_amd_put_bytes(out + 16, (uint64_t)d->entry, 8);
  tn_amd_put_bytes(out + 44, d->rsrc3, 4);
  tn_amd_put_bytes(out + 48, d->rsrc1, 4);
  tn_amd_put_bytes(out + 52, d->rsrc2, 4);
  tn_amd_put_bytes(out + 56, d->properties, 2);
  tn_amd_put_bytes(out + 58, d->preload, 2);
}
static tn_amd_descriptor tn_amd_descriptor_read(const uint8_t *p) {
  tn_amd_descriptor d;
  d.lds = (uint32_t)tn_amd_get_bytes(p, 4);
  d.scratch = (uint32_t)tn_amd_get_bytes(p + 4, 4);
  d.args_nbytes = (uint32_t)tn_amd_get_bytes(p + 8, 4);
  d.entry = (int64_t)tn_amd_get_bytes(p + 16, 8);
  d.rsrc3 = (uint32_t)tn_amd_get_bytes(p + 44, 4);
  d.rsrc1 = (uint32_t)tn_amd_get_bytes(p + 48, 4);
  d.rsrc2 = (uint32_t)tn_amd_get_bytes(p + 52, 4);
  d.properties = (uint16_t)tn_amd_get_bytes(p + 56, 2);
  d.preload = (uint16_t)tn_amd_get_bytes(p + 58, 2);
  return d;
}
#endif
// ---- end src/amd/../isa/amd_descriptor.c ----
// ---- begin src/amd/../isa/amd_metadata.c ----
// amd_metadata: what a code object says of its kernels to who launches them, in MessagePack.
//
// In:  any bytes. Out: values by path: a map's value by its key, an array's by its index; and the reverse.
// Holds: nothing is read beyond the end, and nothing deeper than TN_AMD_DEEPEST; what is malformed is not there.
// Source: the MessagePack specification; LLVM's AMDGPU user guide, "Code Object V5 Metadata".
#ifndef TN_ISA_AMD_METADATA
#define TN_ISA_AMD_METADATA
#ifndef TINY_AMALGAMATED
#include "amd_descriptor.c"
#endif
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <stdio.h>

// ** reading: a cursor that stands at a value; p NULL: there is none **

typedef struct tn_amd_value { const uint8_t *p, *end; } tn_amd_value;
enum { TN_AMD_PACK_OTHER, TN_AMD_PACK_UINT, TN_AMD_PACK_TEXT, TN_AMD_PACK_ARRAY, TN_AMD_PACK_MAP };
enum { TN_AMD_DEEPEST = 16 };
typedef struct tn_amd_head { int kind; uint64_t n; const uint8_t *body; } tn_amd_head;     // n: value, bytes or items

static uint64_t tn_amd_big_endian(const uint8_t *p, int nbytes) {
  uint64_t v = 0;
  for (int i = 0; i < nbytes; i++) v = v << 8 | p[i];
  return v;
}
// What the first byte says: kind, and how many bytes of a number are behind; of a little one none, and the number.
static int tn_amd_first_byte(uint8_t b, int *nbytes, uint64_t *n) {
  *nbytes = 0; *n = 0;
  if (b < 0x80) { *n = b; return TN_AMD_PACK_UINT; }
  if (b < 0x90) { *n = b & 15; return TN_AMD_PACK_MAP; }
  if (b < 0xA0) { *n = b & 15; return TN_AMD_PACK_ARRAY; }
  if (b < 0xC0) { *n = b & 31; return TN_AMD_PACK_TEXT; }
  if (b >= 0xCC && b <= 0xCF) { *nbytes = 1 << (b - 0xCC); return TN_AMD_PACK_UINT; }
  if (b >= 0xD9 && b <= 0xDB) { *nbytes = 1 << (b - 0xD9); return TN_AMD_PACK_TEXT; }
  if (b >= 0xC4 && b <= 0xC6) { *nbytes = 1 << (b - 0xC4); return TN_AMD_PACK_TEXT; }
  if (b == 0xDC || b == 0xDD) { *nbytes = b == 0xDC ? 2 : 4; return TN_AMD_PACK_ARRAY; }
  if (b == 0xDE || b == 0xDF) { *nbytes = b == 0xDE ? 2 : 4; return TN_AMD_PACK_MAP; }
  return TN_AMD_PACK_OTHER;
}
static int tn_amd_head_at(tn_amd_value v, tn_amd_head *h) {  // 0: there is none
  int nbytes;
  if (!v.p || v.p >= v.end) return 0;
  h->kind = tn_amd_first_byte(*v.p, &nbytes, &h->n);
  if (nbytes > v.end - v.p - 1) return 0;
  if (nbytes) h->n = tn_amd_big_endian(v.p + 1, nbytes);
  h->body = v.p + 1 + nbytes;
  if (h->kind == TN_AMD_PACK_TEXT && h->n > (uint64_t)(v.end - h->body)) return 0;
  // null, booleans, signed numbers and floats
  static const uint8_t others[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 0, 0, 0, 0, 1, 2, 4, 8};
  if (h->kind == TN_AMD_PACK_OTHER && *v.p < 0xE0) {
    const unsigned at = *v.p - 0xC0u, skip = at < sizeof others ? others[at] : 0;
    if (at == 1 || at >= sizeof others || (at > 3 && at < 10) || skip > (uint64_t)(v.end - h->body)) return 0;
    h->body += skip;
  }
  return 1;
}
// What is behind a value. Items are told from the outside in: at most all bytes are looked at.
static tn_amd_value tn_amd_behind_value(tn_amd_value v) {
  uint64_t left[TN_AMD_DEEPEST];
  int deep = 0;
  static const tn_amd_value none = {NULL, NULL};
  left[0] = 1;
  while (deep >= 0) {
    tn_amd_head h;
    if (!left[deep]) { deep--; continue; }
    left[deep]--;
    if (!tn_amd_head_at(v, &h)) return none;
    v.p = h.body + (h.kind == TN_AMD_PACK_TEXT ? h.n : 0);
    if ((h.kind != TN_AMD_PACK_ARRAY && h.kind != TN_AMD_PACK_MAP) || !h.n) continue;
    if (deep + 1 == TN_AMD_DEEPEST || h.n > (uint64_t)(v.end - v.p)) return none;
    left[++deep] = h.kind == TN_AMD_PACK_MAP ? 2 * h.n : h.n;
  }
  return v;
}
static int tn_amd_is_text(tn_amd_value v, const char *text) {
  tn_amd_head h;
  const size_t n = strlen(text);
  return tn_amd_head_at(v, &h) && h.kind == TN_AMD_PACK_TEXT && h.n == n && !memcmp(h.body, text, n);
}
// The value of a key, or of an index where key is NULL.
static tn_amd_value tn_amd_value_at(tn_amd_value v, const char *key, uint64_t index) {
  tn_amd_head h;
  static const tn_amd_value none = {NULL, NULL};
  if (!tn_amd_head_at(v, &h) || h.kind != (key ? TN_AMD_PACK_MAP : TN_AMD_PACK_ARRAY)) return none;
  v.p = h.body;
  for (uint64_t i = 0; i < h.n && v.p; i++) {
    if (!key && i == index) return v.p < v.end ? v : none;
    if (key) {
      const int found = tn_amd_is_text(v, key);
      v = tn_amd_behind_value(v);
      if (found) return v.p && v.p < v.end ? v : none;
    }
    if (v.p) v = tn_amd_behind_value(v);
  }
  return none;
}
static uint64_t tn_amd_uint_at(tn_amd_value v, const char *key, uint64_t otherwise) {
  tn_amd_head h;
  v = tn_amd_value_at(v, key, 0);
  return tn_amd_head_at(v, &h) && h.kind == TN_AMD_PACK_UINT ? h.n : otherwise;
}
static uint64_t tn_amd_items(tn_amd_value v) {
  tn_amd_head h;
  return tn_amd_head_at(v, &h) && h.kind == TN_AMD_PACK_ARRAY ? h.n : 0;
}

// ** writing **

// A count of up to 65535, behind the first byte of up to `most`, and that of more.
static void tn_amd_pack(tiny_bytes *b, int few, int many, uint64_t most, uint64_t n) {
  const uint8_t one = (uint8_t)(few + (int)n), two[3] = {(uint8_t)many, (uint8_t)(n >> 8), (uint8_t)n};
  if (n <= most) tiny_bytes_add(b, &one, 1);
  else tiny_bytes_add(b, two, 3);
}
static void tn_amd_pack_map(tiny_bytes *b, int n) { tn_amd_pack(b, 0x80, 0xDE, 15, (uint64_t)n); }
static void tn_amd_pack_array(tiny_bytes *b, int n) { tn_amd_pack(b, 0x90, 0xDC, 15, (uint64_t)n); }
static void tn_amd_pack_text(tiny_bytes *b, const char *text) {
  const size_t n = strlen(text);
  tn_amd_pack(b, 0xA0, 0xDA, 31, n);
  tiny_bytes_add(b, text, n);
}
static void tn_amd_pack_uint(tiny_bytes *b, uint32_t n) {
  const uint8_t five[5] = {0xCE, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
  const uint8_t one = (uint8_t)n;
  if (n < 128) tiny_bytes_add(b, &one, 1);
  else tiny_bytes_add(b, five, 5);
}
static void tn_amd_pack_pair(tiny_bytes *b, const char *key, uint32_t n) {
  tn_amd_pack_text(b, key);
  tn_amd_pack_uint(b, n);
}

// A kernel to write, its name without ".kd"; args: where each begins, its bytes, and is it a buffer's address?
typedef struct tn_amd_arg { uint32_t offset, nbytes; int is_buffer; } tn_amd_arg;
typedef struct tn_amd_source {
  const char *name; const void *code; size_t nbytes;
  tn_amd_setup setup; uint32_t most_items;                   // of a group
  const tn_amd_arg *args; int nargs;
} tn_amd_source;

static void tn_amd_pack_args(tiny_bytes *b, const tn_amd_source *k) {
  tn_amd_pack_text(b, ".args");
  tn_amd_pack_array(b, k->nargs);
  for (int i = 0; i < k->nargs; i++) {
    const tn_amd_arg *const a = &k->args[i];
    tn_amd_pack_map(b, a->is_buffer ? 4 : 3);
    if (a->is_buffer) { tn_amd_pack_text(b, ".address_space"); tn_amd_pack_text(b, "global"); }
    tn_amd_pack_pair(b, ".offset", a->offset);
    tn_amd_pack_pair(b, ".size", a->nbytes);
    tn_amd_pack_text(b, ".value_kind");
    tn_amd_pack_text(b, a->is_buffer ? "global_buffer" : "by_value");
  }
}
static void tn_amd_pack_kernel(tiny_bytes *b, const tn_amd_chip *chip, const tn_amd_source *k) {
  const tn_amd_setup *const s = &k->setup;
  const int nine = chip->family == TN_AMD_GFX9, wave = s->wave ? s->wave : chip->wave;
  char symbol[512];
  snprintf(symbol, sizeof symbol, "%s.kd", k->name);
  tn_amd_pack_map(b, 11 + nine);
  if (nine) tn_amd_pack_pair(b, ".agpr_count", s->agprs);
  tn_amd_pack_args(b, k);
  tn_amd_pack_pair(b, ".group_segment_fixed_size", s->lds);
  tn_amd_pack_pair(b, ".kernarg_segment_align", 8);
  tn_amd_pack_pair(b, ".kernarg_segment_size", s->args_nbytes);
  tn_amd_pack_pair(b, ".max_flat_workgroup_size", k->most_items ? k->most_items : 1024);
  tn_amd_pack_text(b, ".name");
  tn_amd_pack_text(b, k->name);
  tn_amd_pack_pair(b, ".private_segment_fixed_size", s->scratch);
  tn_amd_pack_pair(b, ".sgpr_count", (uint32_t)s->sgprs + 2);
  tn_amd_pack_text(b, ".symbol");
  tn_amd_pack_text(b, symbol);
  tn_amd_pack_pair(b, ".vgpr_count", (uint32_t)(s->vgprs + s->agprs));
  tn_amd_pack_pair(b, ".wavefront_size", (uint32_t)wave);
}
static void tn_amd_pack_metadata(tiny_bytes *b, const tn_amd_chip *chip, const tn_amd_source *kernels, int n) {
  char target[48];
  snprintf(target, sizeof target, "amdgcn-amd-amdhsa--%s", chip->name);
  tn_amd_pack_map(b, 3);
  tn_amd_pack_text(b, "amdhsa.kernels");
  tn_amd_pack_array(b, n);
  for (int i = 0; i < n; i++) tn_amd_pack_kernel(b, chip, &kernels[i]);
  tn_amd_pack_text(b, "amdhsa.target");
  tn_amd_pack_text(b, target);
  tn_amd_pack_text(b, "amdhsa.version");
  tn_amd_pack_array(b, 2);
  tn_amd_pack_uint(b, 1);
  tn_amd_pack_uint(b, 2);
}
#endif
// ---- end src/amd/../isa/amd_metadata.c ----
// ---- begin src/amd/../isa/amd_parse.c ----
// amd_parse: assembly text of AMD's GPUs -> instructions, and whole programs with labels -> words.
//
// In:  text as LLVM's assembler takes it: an instruction a line; labels; comments behind // and ;. Out: instructions,
//      or where it goes wrong, line and column from 1 on, and a sentence.
// Holds: what a line says is looked up in the tables that amd_text.c writes from. A name without _e32 or _e64 is a
//        short form where one takes the operands. Numbers from -16 to 64, floats that have codes are inline constants.
#ifndef TN_ISA_AMD_PARSE
#define TN_ISA_AMD_PARSE
#ifndef TINY_AMALGAMATED
#include "amd_rules.c"
#include "amd_text.c"
#include "amd_descriptor.c"
#endif
#ifndef TINY_API
#include "../api/api.h"
#endif

typedef struct tn_amd_error { int line, column; const char *sentence; } tn_amd_error;    // sentence NULL: there is none
typedef struct tn_amd_label { const char *name; size_t n; int at; } tn_amd_label;  // at: dwords from the beginning

// at: of the line; wrong: where sentence was said; place: dwords before the instruction; labels NULL: any name will do
typedef struct tn_amd_parser {
  const char *line, *at, *end, *wrong, *sentence; int family, place, nlabels; const tn_amd_label *labels;
} tn_amd_parser;

static int tn_amd_fail(tn_amd_parser *p, const char *sentence) {           // -> 0
  if (!p->sentence) { p->sentence = sentence; p->wrong = p->at; }
  return 0;
}

// ** words and numbers **

static void tn_amd_space(tn_amd_parser *p) { while (p->at < p->end && (*p->at == ' ' || *p->at == '\t')) p->at++; }
static int tn_amd_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}
static size_t tn_amd_word_length(const tn_amd_parser *p) {
  const char *q = p->at;
  while (q < p->end && tn_amd_is_word(*q)) q++;
  return (size_t)(q - p->at);
}
static int tn_amd_next_is(tn_amd_parser *p, const char *text) {            // and passes it
  const size_t n = strlen(text);
  tn_amd_space(p);
  if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0) return 0;
  p->at += n;
  return 1;
}
static int tn_amd_expect(tn_amd_parser *p, const char *text, const char *sentence) {
  return tn_amd_next_is(p, text) || tn_amd_fail(p, sentence);
}
static int tn_amd_next_word(tn_amd_parser *p, const char *word) {          // a whole one
  const char *const before = p->at;
  const size_t n = strlen(word);
  tn_amd_space(p);
  if (tn_amd_word_length(p) == n && !memcmp(p->at, word, n)) { p->at += n; return 1; }
  p->at = before;
  return 0;
}
static int tn_amd_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
                                         c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99; }
static int tn_amd_is_number_next(tn_amd_parser *p) {
  tn_amd_space(p);
  return p->at < p->end && (*p->at == '-' || tn_amd_digit(*p->at) < 10);
}
// A whole number of at most 64 bits, decimal or hexadecimal, with a sign.
static int tn_amd_read_int(tn_amd_parser *p, int64_t *v) {
  const int minus = tn_amd_next_is(p, "-");
  uint64_t n = 0, base = 10;
  tn_amd_space(p);
  if (p->end - p->at > 2 && p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X')) { base = 16; p->at += 2; }
  if (p->at == p->end || (uint64_t)tn_amd_digit(*p->at) >= base) return tn_amd_fail(p, "a number is missing");
  for (; p->at < p->end && (uint64_t)tn_amd_digit(*p->at) < base; p->at++) {
    if (n > (INT64_MAX - 15) / base) return tn_amd_fail(p, "a number is too large");
    n = n * base + (uint64_t)tn_amd_digit(*p->at);
  }
  *v = minus ? -(int64_t)n : (int64_t)n;
  return 1;
}
static int tn_amd_read_within(tn_amd_parser *p, int64_t least, int64_t most, int32_t *v) {
  const char *const before = p->at;
  int64_t n;
  if (!tn_amd_read_int(p, &n)) return 0;
  *v = (int32_t)(uint32_t)n;
  if (n >= least && n <= most) return 1;
  p->at = before;
  return tn_amd_fail(p, "a number does not fit");
}
// [0,1,..]: -> how many; 0: it is wrong.
static int tn_amd_read_list(tn_amd_parser *p, int most, int value, int32_t *list) {
  int n = 0;
  if (!tn_amd_expect(p, "[", "[ is missing")) return 0;
  do {
    if (n == most) return tn_amd_fail(p, "the list is too long");
    if (!tn_amd_read_within(p, 0, value, &list[n++])) return 0;
  } while (tn_amd_next_is(p, ","));
  return tn_amd_expect(p, "]", "] is missing") ? n : 0;
}
static const tn_amd_word_of *tn_amd_read_name(tn_amd_parser *p, const tn_amd_word_of *table, int n) {
  for (int i = 0; i < n; i++) {
    if (table[i].families && !(table[i].families >> p->family & 1)) continue;
    if (tn_amd_next_word(p, table[i].name)) return &table[i];
  }
  return NULL;
}
static int tn_amd_read_one_of(tn_amd_parser *p, const char *const *names, int n, int32_t *v) {
  for (int i = 0; i < n; i++) if (*names[i] && tn_amd_next_word(p, names[i])) { *v = i; return 1; }
  return tn_amd_fail(p, "a name is not known");
}

// ** registers and constants **

// v5, v[8:11], s.., a.., ttmp..; 0: there is none, and nothing is passed or something is wrong.
static int tn_amd_read_numbered(tn_amd_parser *p, tn_amd_operand *o) {
  static const struct { char name[5]; uint8_t kind, from; } files[] = {
    {"v", TN_AMD_VGPR, 0}, {"s", TN_AMD_SGPR, 0}, {"a", TN_AMD_AGPR, 0}, {"ttmp", TN_AMD_SGPR, TN_AMD_TTMP}};
  const char *const before = p->at;
  int32_t first, last;
  for (int i = 0; i < 4; i++) {
    const size_t n = strlen(files[i].name);
    if ((size_t)(p->end - p->at) <= n || memcmp(p->at, files[i].name, n) != 0) continue;
    if (p->at[n] != '[' && tn_amd_digit(p->at[n]) > 9) continue;
    p->at += n;
    const int tuple = tn_amd_next_is(p, "[");
    const int most = files[i].kind != TN_AMD_SGPR ? 255 : files[i].from ? 15 : tn_amd_last_sgpr(p->family);
    if (!tn_amd_read_within(p, 0, most, &first)) return 0;
    last = first;
    if (tuple && tn_amd_next_is(p, ":") && !tn_amd_read_within(p, first, most, &last)) return 0;
    if (tuple && !tn_amd_expect(p, "]", "] is missing")) return 0;
    o->kind = files[i].kind; o->reg = (uint16_t)(first + files[i].from); o->dwords = (uint8_t)(last - first + 1);
    const int half = p->end - p->at > 1 && *p->at == '.' && (p->at[1] == 'h' || p->at[1] == 'l');
    if (half) { o->op_sel = p->at[1] == 'h'; p->at += 2; }
    if (p->at == p->end || !tn_amd_is_word(*p->at)) return 1;
    p->at = before;
  }
  return 0;
}
static int tn_amd_read_register(tn_amd_parser *p, tn_amd_operand *o) {
  tn_amd_space(p);
  const tn_amd_word_of *const r = tn_amd_read_name(p, tn_amd_registers, TN_AMD_NUMBER_OF(tn_amd_registers));
  if (!r) return tn_amd_read_numbered(p, o);
  o->kind = r->value < 128 ? TN_AMD_SGPR : TN_AMD_SPECIAL;
  o->reg = r->value;
  o->dwords = r->dwords;                   // 0: as many as are wanted
  return 1;
}
static int tn_amd_read_float(tn_amd_parser *p, tn_amd_operand *o) {
  const char *const before = p->at;
  const int minus = tn_amd_next_is(p, "-");
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_floats); i++) {
    const char *const name = tn_amd_floats[i].name;
    if ((*name == '-') != minus || !tn_amd_next_word(p, name + minus)) continue;
    o->kind = TN_AMD_INLINE; o->reg = (uint16_t)(240 + i);
    return 1;
  }
  if (!minus && tn_amd_next_word(p, "0.15915494309189532")) { o->kind = TN_AMD_INLINE; o->reg = 248; return 1; }
  p->at = before;
  return 0;
}
static int tn_amd_read_constant(tn_amd_parser *p, tn_amd_operand *o) {
  const char *const before = p->at;
  int64_t v;
  if (tn_amd_read_float(p, o)) return 1;
  if (!tn_amd_read_int(p, &v)) return 0;
  if (p->at < p->end && *p->at == '.') {
    p->at = before;
    return tn_amd_fail(p, "a float that is no inline constant is written by its bits, as 0x3fc00000");
  }
  if (v < INT32_MIN || v > UINT32_MAX) { p->at = before; return tn_amd_fail(p, "a literal has 32 bits"); }
  o->kind = v >= -16 && v <= 64 ? TN_AMD_INLINE : TN_AMD_LITERAL;
  if (o->kind == TN_AMD_INLINE) o->reg = (uint16_t)(v >= 0 ? 128 + v : 192 - v);
  o->value = (uint32_t)v;
  return 1;
}
// A register or constant with its signs.
static int tn_amd_read_signed(tn_amd_parser *p, tn_amd_operand *o) {
  tn_amd_space(p);
  const int call = tn_amd_next_is(p, "neg(");
  const char next = p->end - p->at > 1 && *p->at == '-' ? p->at[1] : 0;
  if (!call && next && tn_amd_digit(next) > 9) { o->neg = 1; p->at++; }    // -5 is a number, -v5 has a sign, -|5|, too
  else o->neg = (uint8_t)call;
  const int calls = tn_amd_next_is(p, "abs("), bars = !calls && tn_amd_next_is(p, "|");
  const int sext = !calls && !bars && tn_amd_next_is(p, "sext(");
  o->abs = (uint8_t)(calls || bars); o->sext = (uint8_t)sext;
  if (!tn_amd_read_register(p, o)) {
    if (p->sentence) return 0;
    if (!tn_amd_is_number_next(p)) return tn_amd_fail(p, "there is no such register or constant");
    if (!tn_amd_read_constant(p, o)) return 0;
  }
  if ((calls || sext) && !tn_amd_expect(p, ")", ") is missing")) return 0;
  if (bars && !tn_amd_expect(p, "|", "| is missing")) return 0;
  return !call || tn_amd_expect(p, ")", ") is missing");
}

// ** numbers of s_* instructions **

static int tn_amd_read_message(tn_amd_parser *p, uint32_t *v) {
  int32_t id, op = 0, stream = 0;
  if (!tn_amd_expect(p, "sendmsg(", "a message is missing: sendmsg(..) or its number")) return 0;
  const tn_amd_word_of *const m = tn_amd_read_name(p, tn_amd_messages, TN_AMD_NUMBER_OF(tn_amd_messages));
  const int nine = p->family == TN_AMD_GFX9;
  if (m) id = m->value;
  else if (!tn_amd_is_number_next(p)) return tn_amd_fail(p, "there is no such message");
  else if (!tn_amd_read_within(p, 0, nine ? 15 : 255, &id)) return 0;
  if (tn_amd_next_is(p, ",") && !tn_amd_read_within(p, 0, nine ? 7 : 0, &op)) return 0;
  if (tn_amd_next_is(p, ",") && !tn_amd_read_within(p, 0, nine ? 3 : 0, &stream)) return 0;
  *v = (uint32_t)(id | op << 4 | stream << 8);
  return tn_amd_expect(p, ")", ") is missing");
}
static int tn_amd_read_hwreg(tn_amd_parser *p, uint32_t *v) {
  int32_t id, at = 0, bits = 32;
  if (!tn_amd_expect(p, "hwreg(", "a register is missing: hwreg(..) or its number")) return 0;
  if (tn_amd_is_number_next(p)) { if (!tn_amd_read_within(p, 0, 63, &id)) return 0; }
  else {
    (void)tn_amd_next_is(p, "HW_REG_");
    const tn_amd_word_of *const r = tn_amd_read_name(p, tn_amd_hwregs, TN_AMD_NUMBER_OF(tn_amd_hwregs));
    if (!r) return tn_amd_fail(p, "there is no such hardware register");
    id = r->value;
  }
  if (tn_amd_next_is(p, ",")) {
    if (!tn_amd_read_within(p, 0, 31, &at)) return 0;
    if (!tn_amd_expect(p, ",", "the number of bits is missing") || !tn_amd_read_within(p, 1, 32, &bits)) return 0;
  }
  *v = (uint32_t)(id | at << 6 | (bits - 1) << 11);
  return tn_amd_expect(p, ")", ") is missing");
}
// Counters, name(count) after name(count); what is not named is not waited for.
static int tn_amd_read_waits(tn_amd_parser *p, uint32_t *v) {
  unsigned imm = 0;
  int32_t count;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_waits); i++)
    if (tn_amd_waits[i].families >> p->family & 1) imm = tn_amd_wait_set(&tn_amd_waits[i], imm, tn_amd_waits[i].value);
  do {
    const tn_amd_word_of *const w = tn_amd_read_name(p, tn_amd_waits, TN_AMD_NUMBER_OF(tn_amd_waits));
    if (!w) return tn_amd_fail(p, "there is no such counter");
    if (!tn_amd_expect(p, "(", "( is missing") || !tn_amd_read_within(p, 0, w->value, &count)) return 0;
    if (!tn_amd_expect(p, ")", ") is missing")) return 0;
    imm = tn_amd_wait_set(w, imm, (unsigned)count);
    (void)(tn_amd_next_is(p, "&") || tn_amd_next_is(p, ","));
    tn_amd_space(p);
  } while (p->at < p->end);
  *v = imm;
  return 1;
}
static int tn_amd_read_depctr(tn_amd_parser *p, uint32_t *v) {
  unsigned imm = 0;
  int32_t count;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_depctr); i++)
    imm |= (unsigned)tn_amd_depctr[i].value << tn_amd_depctr[i].dwords;
  do {
    const tn_amd_word_of *const w = tn_amd_read_name(p, tn_amd_depctr, TN_AMD_NUMBER_OF(tn_amd_depctr));
    if (!w) return tn_amd_fail(p, "there is no such counter");
    if (!tn_amd_expect(p, "(", "( is missing") || !tn_amd_read_within(p, 0, w->value, &count)) return 0;
    if (!tn_amd_expect(p, ")", ") is missing")) return 0;
    imm = (imm & ~((unsigned)w->value << w->dwords)) | (unsigned)count << w->dwords;
    tn_amd_space(p);
  } while (p->at < p->end);
  *v = imm;
  return 1;
}
static int tn_amd_read_delays(tn_amd_parser *p, uint32_t *v) {
  int32_t part;
  *v = 0;
  do {
    const int first = tn_amd_next_is(p, "instid0("), second = !first && tn_amd_next_is(p, "instid1(");
    if (!first && !second && !tn_amd_expect(p, "instskip(", "instid0, instskip or instid1 is missing")) return 0;
    const int known = first || second ? tn_amd_read_one_of(p, tn_amd_delays, TN_AMD_DELAYS, &part)
                                      : tn_amd_read_one_of(p, tn_amd_skips, TN_AMD_SKIPS, &part);
    if (!known || !tn_amd_expect(p, ")", ") is missing")) return 0;
    *v |= (uint32_t)part << (first ? 0 : second ? 7 : 4);
  } while (tn_amd_next_is(p, "|"));
  return 1;
}
// A distance in dwords, or a label.
static int tn_amd_read_branch(tn_amd_parser *p, uint32_t *v) {
  const size_t n = tn_amd_word_length(p);
  if (!n) return tn_amd_fail(p, "a label is missing");
  for (int i = 0; i < p->nlabels; i++) {
    if (p->labels[i].n != n || memcmp(p->labels[i].name, p->at, n) != 0) continue;
    const int distance = p->labels[i].at - p->place - 1;
    if (distance < INT16_MIN || distance > INT16_MAX) return tn_amd_fail(p, "the label is too far away");
    *v = (uint32_t)distance & 0xFFFF;
    p->at += n;
    return 1;
  }
  if (p->labels) return tn_amd_fail(p, "there is no such label");
  p->at += n;
  *v = 0;
  return 1;
}
static int tn_amd_read_number(tn_amd_parser *p, char what, uint32_t *v) {
  int32_t n = 0;
  if (tn_amd_is_number_next(p)) {
    if (!tn_amd_read_within(p, INT16_MIN, UINT16_MAX, &n)) return 0;
    *v = (uint32_t)n & 0xFFFF;
    return 1;
  }
  switch (what) {
    case 's': return tn_amd_read_message(p, v);
    case 'g': return tn_amd_read_hwreg(p, v);
    case 'w': return tn_amd_read_waits(p, v);
    case 'c': return tn_amd_read_depctr(p, v);
    case 'y': return tn_amd_read_delays(p, v);
    case 'b': return tn_amd_read_branch(p, v);
    default: return tn_amd_fail(p, "a number is missing");
  }
}

// ** modifiers **

// Where the bits of op_sel: and its like go: of the sources, then of the result.
static int tn_amd_give_bits(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form, int which) {
  int32_t bits[4];
  const int n = tn_amd_read_list(p, 4, 1, bits);
  int at = 0;
  if (!n) return 0;
  for (int i = 0; i < form->n; i++) {
    tn_amd_operand *const o = &ins->o[i];
    uint8_t *const to[] = {&o->op_sel, &o->op_sel_hi, &o->neg, &o->abs};
    if (!strchr("012xyzXYZC", form->operands[2 * i]) || at == n) continue;
    *to[which] = (uint8_t)bits[at++];
  }
  if (which || at == n) return at == n ? 1 : tn_amd_fail(p, "the list is too long");
  if (tn_amd_takes(form, 'T')) ins->m[TN_AMD_BYTE_SEL] = n == 4 ? bits[2] | bits[3] << 1 : 0;
  else ins->o[0].op_sel = (uint8_t)bits[n - 1];
  return 1;
}
static int tn_amd_read_bits(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form, int *done) {
  static const char *const names[] = {"op_sel:", "op_sel_hi:", "neg_lo:", "neg_hi:"};
  *done = 1;
  for (int i = 0; i < 4; i++) if (tn_amd_next_is(p, names[i])) return tn_amd_give_bits(p, ins, form, i);
  if (tn_amd_next_is(p, "neg:")) {
    int32_t bits[3] = {0, 0, 0};
    if (!tn_amd_read_list(p, 3, 1, bits)) return 0;
    ins->m[TN_AMD_BLGP] = bits[0] | bits[1] << 1 | bits[2] << 2;
    return 1;
  }
  *done = 0;
  return 1;
}
static int tn_amd_read_swizzle(tn_amd_parser *p, int32_t *v) {
  int32_t n = 0, m = 0, lane[4];
  if (tn_amd_next_is(p, "QUAD_PERM")) {
    for (int i = 0; i < 4; i++)
      if (!tn_amd_expect(p, ",", "a lane is missing") || !tn_amd_read_within(p, 0, 3, &lane[i])) return 0;
    *v = 0x8000 | lane[0] | lane[1] << 2 | lane[2] << 4 | lane[3] << 6;
  } else if (tn_amd_next_is(p, "SWAP,")) {
    if (!tn_amd_read_within(p, 1, 16, &n)) return 0;
    *v = 31 | n << 10;
  } else if (tn_amd_next_is(p, "REVERSE,")) {
    if (!tn_amd_read_within(p, 2, 32, &n)) return 0;
    *v = 31 | (n - 1) << 10;
  } else if (tn_amd_next_is(p, "BROADCAST,")) {
    if (!tn_amd_read_within(p, 2, 32, &n) || !tn_amd_expect(p, ",", "a lane is missing")) return 0;
    if (!tn_amd_read_within(p, 0, n - 1, &m)) return 0;
    *v = (32 - n) | m << 5;
  } else if (tn_amd_next_is(p, "BITMASK_PERM,")) {
    if (!tn_amd_expect(p, "\"", "\" is missing")) return 0;
    for (int i = 4; i >= 0; i--, p->at++) {
      const char c = p->at < p->end ? *p->at : 0;
      if (!strchr("01pi", c) || !c) return tn_amd_fail(p, "a mask is of 0, 1, p and i");
      *v |= c == '1' ? 1 << (5 + i) : c == '0' ? 0 : 1 << i;
      if (c == 'i') *v |= 1 << (10 + i);
    }
    if (!tn_amd_expect(p, "\"", "\" is missing")) return 0;
  } else return tn_amd_fail(p, "there is no such swizzle");
  return tn_amd_expect(p, ")", ") is missing");
}
static int tn_amd_read_hint(tn_amd_parser *p, tn_amd_ins *ins) {
  int32_t *const th = &ins->m[TN_AMD_TH];
  if (tn_amd_is_number_next(p)) return tn_amd_read_within(p, 0, 7, th);
  if (tn_amd_next_is(p, "TH_ATOMIC_")) {
    if (tn_amd_is_number_next(p)) return tn_amd_read_within(p, 0, 7, th);
    return tn_amd_read_one_of(p, tn_amd_atomic_hints, 8, th);
  }
  const int store = tn_amd_next_is(p, "TH_STORE_");
  if (!store && !tn_amd_expect(p, "TH_LOAD_", "there is no such hint")) return 0;
  if (tn_amd_next_word(p, "BYPASS")) { *th = 3; return 1; }
  return tn_amd_read_one_of(p, store ? tn_amd_store_hints : tn_amd_load_hints, 8, th);
}
static int tn_amd_read_lanes(tn_amd_parser *p, tn_amd_ins *ins, int *done) {
  int32_t lane[8], n;
  *done = 1;
  if (tn_amd_next_is(p, "quad_perm:")) {
    if (tn_amd_read_list(p, 4, 3, lane) != 4) return tn_amd_fail(p, "quad_perm has four lanes");
    ins->m[TN_AMD_DPP_CTRL] = lane[0] | lane[1] << 2 | lane[2] << 4 | lane[3] << 6;
    ins->lanes = TN_AMD_DPP16;
    return 1;
  }
  if (tn_amd_next_is(p, "dpp8:")) {
    if (tn_amd_read_list(p, 8, 7, lane) != 8) return tn_amd_fail(p, "dpp8 has eight lanes");
    for (int i = 0; i < 8; i++) ins->m[TN_AMD_LANES_8] |= lane[i] << 3 * i;
    ins->lanes = TN_AMD_DPP8;
    return 1;
  }
  for (int i = 0; i < TN_AMD_LANE_WORDS; i++) {
    const tn_amd_lane_word *const w = &tn_amd_lane_words[i];
    const char *const before = p->at;
    if (!(w->families >> p->family & 1) || !tn_amd_next_word(p, w->name)) continue;
    n = w->from;
    if (w->count && !tn_amd_expect(p, ":", ": is missing")) return 0;
    if (w->count && !tn_amd_read_within(p, 0, 31, &n)) return 0;
    if (n < w->from || n >= w->from + (w->count ? w->count : 1)) { p->at = before; continue; }
    ins->m[TN_AMD_DPP_CTRL] = w->first + n - w->from;
    ins->lanes = TN_AMD_DPP16;
    return 1;
  }
  *done = 0;
  return 1;
}
static int tn_amd_read_parts(tn_amd_parser *p, tn_amd_ins *ins, int *done) {
  static const char *const names[] = {"dst_sel:", "dst_unused:", "src0_sel:", "src1_sel:"};
  *done = 1;
  for (int i = 0; i < 4; i++) {
    if (!tn_amd_next_is(p, names[i])) continue;
    return i == 1 ? tn_amd_read_one_of(p, tn_amd_unused, 3, &ins->m[TN_AMD_DST_UNUSED])
                  : tn_amd_read_one_of(p, tn_amd_parts, 7, &ins->m[TN_AMD_DST_SEL + i]);
  }
  *done = 0;
  return 1;
}
static int tn_amd_read_modifier(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form) {
  int done;
  if (!tn_amd_read_bits(p, ins, form, &done) || done) return done;
  if (!tn_amd_read_lanes(p, ins, &done) || done) return done;
  if (!tn_amd_read_parts(p, ins, &done) || done) return done;
  if (tn_amd_next_is(p, "offset:swizzle(")) return tn_amd_read_swizzle(p, &ins->m[TN_AMD_OFFSET]);
  if (tn_amd_next_is(p, "th:")) return tn_amd_read_hint(p, ins);
  if (tn_amd_next_is(p, "scope:")) return tn_amd_read_one_of(p, tn_amd_scopes, 4, &ins->m[TN_AMD_SCOPE]);
  for (int i = 1; i < 4; i++)
    if (tn_amd_next_is(p, tn_amd_omods[i])) { ins->m[TN_AMD_OMOD] = i; return 1; }
  const tn_amd_word_of *const n = tn_amd_read_name(p, tn_amd_numbers, TN_AMD_NUMBER_OF(tn_amd_numbers));
  if (n) return tn_amd_expect(p, ":", ": is missing") && tn_amd_read_within(p, INT32_MIN, INT32_MAX, &ins->m[n->value]);
  const tn_amd_word_of *const f = tn_amd_read_name(p, tn_amd_flags, TN_AMD_NUMBER_OF(tn_amd_flags));
  if (!f) return tn_amd_fail(p, "there is no such modifier");
  ins->m[f->value] = 1;
  return 1;
}

// ** operands **

static int tn_amd_commas(const tn_amd_parser *p) {           // outside of brackets: operands are one more
  int n = 0, deep = 0;
  for (const char *q = p->at; q < p->end && !(q[0] == ':' && p->end - q > 1 && q[1] == ':'); q++) {
    deep += *q == '[' || *q == '(';
    deep -= *q == ']' || *q == ')';
    n += *q == ',' && !deep;
  }
  return n;
}
static int tn_amd_read_soffset(tn_amd_parser *p, tn_amd_ins *ins, tn_amd_operand *o, int memory) {
  if (memory || !tn_amd_is_number_next(p)) {
    if (!tn_amd_read_signed(p, o)) return 0;
    if (!o->dwords) o->dwords = 1;
    if (!memory && o->kind == TN_AMD_SGPR && o->reg == TN_AMD_NULL) o->kind = TN_AMD_OFF;
    return 1;
  }
  o->kind = TN_AMD_OFF;
  return tn_amd_read_within(p, -(1 << 23), (1 << 23) - 1, &ins->m[TN_AMD_OFFSET]);
}
static int tn_amd_read_operand(tn_amd_parser *p, tn_amd_ins *ins, const char *l, tn_amd_operand *o) {
  const int format = tn_amd_format(ins->op, ins->family);
  int32_t n;
  o->dwords = (uint8_t)tn_amd_dwords(ins->family, l[1]);
  if (format == TN_AMD_VOP3P && !strchr("fFh", l[1])) o->op_sel_hi = 1;
  switch (*l) {
    case '#': o->kind = TN_AMD_NUMBER; return tn_amd_read_number(p, l[1], &o->value);
    case 'M': o->kind = TN_AMD_NUMBER; return tn_amd_read_number(p, 's', &o->value);
    case 'i': case 'n':
      o->kind = TN_AMD_NUMBER;
      if (!tn_amd_read_within(p, -(1 << 23), (1 << 23) - 1, &n)) return 0;
      o->value = (uint32_t)n;
      return 1;
    case 'o': return tn_amd_read_soffset(p, ins, o, format != TN_AMD_SMEM);
    case 's': case 'a': if (tn_amd_next_word(p, "off")) { o->kind = TN_AMD_OFF; return 1; } break;
    default: break;
  }
  const int dwords = o->dwords;
  if (!tn_amd_read_signed(p, o)) return 0;
  if (!o->dwords) o->dwords = (uint8_t)dwords;
  if (*l == 'K' && o->kind == TN_AMD_INLINE) {               // its place is behind, whatever the number
    if (o->reg > 208) return tn_amd_fail(p, "this number is written by its bits");
    o->kind = TN_AMD_LITERAL;
    o->value = (uint32_t)(o->reg <= 192 ? o->reg - 128 : 192 - o->reg);
  }
  return 1;
}
// The operands; what is implied where a family or a form does not write it is filled in.
static int tn_amd_read_operands(tn_amd_parser *p, tn_amd_ins *ins, const tn_amd_form *form, tn_amd_operand *o,
                                int dual) {
  tn_amd_space(p);
  const int there = p->at < p->end && (form->n || tn_amd_is_number_next(p)) ? tn_amd_commas(p) + 1 : 0;
  int n = 0, wanted = 0;
  for (int i = 0; i < form->n; i++) wanted += !dual || form->operands[2 * i] != 'm';
  for (int i = 0; i < form->n; i++, o++) {
    const char *const l = form->operands + 2 * i;
    if (*l == 'r' && there < wanted) continue;
    if (dual && *l == 'm') { o->kind = TN_AMD_SGPR; o->reg = TN_AMD_VCC; o->dwords = 1; continue; }
    if (l[1] == 'e' && *l == '#' && !there) { o->kind = TN_AMD_NUMBER; continue; }
    if (n++ && !tn_amd_expect(p, ",", "an operand is missing")) return 0;
    if (!tn_amd_read_operand(p, ins, l, o)) return 0;
  }
  return 1;
}

// ** names **

enum { TN_AMD_ANY_FORM, TN_AMD_E32, TN_AMD_E64 };
static int tn_amd_row_named(int family, const char *name, size_t n) {
  for (int i = 1; i < TN_AMD_COUNT; i++) {
    size_t own;
    if (!tn_amd_format(i, family)) continue;
    const char *const text = tn_amd_name(i, family, &own);
    if (own == n && !memcmp(text, name, n)) return i;
  }
  return 0;
}
// The row of a name with or without what says its form; 0: there is none.
static int tn_amd_read_row(tn_amd_parser *p, tn_amd_ins *ins, int *form) {
  static const struct { char end[12]; uint8_t form, lanes; } ends[] = {
    {"", TN_AMD_ANY_FORM, TN_AMD_PLAIN}, {"_e32", TN_AMD_E32, TN_AMD_PLAIN}, {"_e64_dpp", TN_AMD_E64, TN_AMD_DPP16},
    {"_e64", TN_AMD_E64, TN_AMD_PLAIN}, {"_dpp", TN_AMD_E32, TN_AMD_DPP16}, {"_sdwa", TN_AMD_E32, TN_AMD_SDWA}};
  tn_amd_space(p);
  const size_t n = tn_amd_word_length(p);
  for (int i = 0; i < 6; i++) {
    const size_t k = strlen(ends[i].end);
    if (n <= k || memcmp(p->at + n - k, ends[i].end, k) != 0) continue;
    const int row = tn_amd_row_named(p->family, p->at, n - k);
    if (!row) continue;
    *form = ends[i].form;
    ins->lanes = ends[i].lanes;
    p->at += n;
    return row;
  }
  return tn_amd_fail(p, n ? "there is no such instruction" : "an instruction is missing");
}

// ** instructions **

static int tn_amd_read_dual(tn_amd_parser *p, tn_amd_ins *ins) {
  for (int half = 0; half < 2; half++) {
    tn_amd_operand *const o = half ? ins->y : ins->o;
    char name[32] = "v_";
    if (half && !tn_amd_expect(p, "::", ":: is missing")) return 0;
    if (!tn_amd_expect(p, "v_dual_", "v_dual_ is missing")) return 0;
    const size_t n = tn_amd_word_length(p);
    if (n < sizeof name - 2) memcpy(name + 2, p->at, n);
    const int row = n < sizeof name - 2 ? tn_amd_row_named(p->family, name, n + 2) : 0;
    if (!row || tn_amd_dual_code(p->family, row, half ? TN_AMD_DUALS : TN_AMD_DUALS_X) < 0)
      return tn_amd_fail(p, "this is not issued with another");
    p->at += n;
    if (half) ins->op_y = (uint16_t)row;
    else ins->op = (uint16_t)row;
    const tn_amd_form form = tn_amd_form_of(row, p->family);
    if (half) ins->n_y = (uint8_t)form.n;
    else ins->n = (uint8_t)form.n;
    if (!tn_amd_read_operands(p, ins, &form, o, 1)) return 0;
  }
  tn_amd_space(p);
  return p->at == p->end || tn_amd_fail(p, "this is too much");
}
static void tn_amd_defaults(tn_amd_ins *ins) {               // of what the text may leave out
  ins->m[TN_AMD_ROW_MASK] = ins->m[TN_AMD_BANK_MASK] = 15;
  ins->m[TN_AMD_DST_SEL] = ins->m[TN_AMD_SRC0_SEL] = ins->m[TN_AMD_SRC1_SEL] = 6;
  ins->m[TN_AMD_DST_UNUSED] = 2;
}
// Which is not said by lanes that are not there: an instruction is 0 where it has nothing.
static void tn_amd_clear(tn_amd_ins *ins, int format) {
  if (ins->lanes != TN_AMD_DPP16) ins->m[TN_AMD_ROW_MASK] = ins->m[TN_AMD_BANK_MASK] = 0;
  const int sdwa = ins->lanes == TN_AMD_SDWA;
  if (!sdwa || format == TN_AMD_VOPC) ins->m[TN_AMD_DST_SEL] = ins->m[TN_AMD_DST_UNUSED] = 0;
  if (!sdwa) ins->m[TN_AMD_SRC0_SEL] = 0;
  if (!sdwa || format == TN_AMD_VOP1) ins->m[TN_AMD_SRC1_SEL] = 0;
}
static int tn_amd_read_ins(tn_amd_parser *p, tn_amd_ins *ins) {
  uint32_t words[TN_AMD_MOST_WORDS];
  int form_wanted = 0;
  memset(ins, 0, sizeof *ins);
  ins->family = (uint8_t)p->family;
  tn_amd_space(p);
  const char *const begin = p->at;
  if (p->end - p->at > 7 && !memcmp(p->at, "v_dual_", 7)) { if (!tn_amd_read_dual(p, ins)) return 0; }
  else {
    const int row = tn_amd_read_row(p, ins, &form_wanted);
    if (!row) return 0;
    ins->op = (uint16_t)row;
    const tn_amd_form form = tn_amd_form_of(row, p->family);
    const int format = tn_amd_format(row, p->family);
    ins->n = (uint8_t)form.n;
    tn_amd_defaults(ins);
    if (!tn_amd_read_operands(p, ins, &form, ins->o, 0)) return 0;
    for (tn_amd_space(p); p->at < p->end; tn_amd_space(p)) if (!tn_amd_read_modifier(p, ins, &form)) return 0;
    tn_amd_clear(ins, format);
    const int shorts = format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC;
    ins->long_form = shorts && form_wanted == TN_AMD_E64;
    if (!ins->long_form && shorts && form_wanted == TN_AMD_ANY_FORM && !tn_amd_encode(p->family, ins, words))
      ins->long_form = !tn_amd_takes(&form, '!');
  }
  const char *const broken = tn_amd_encode(p->family, ins, words) ? tn_amd_broken_rule(ins)
                                                                  : "the instruction does not take these operands";
  if (!broken) return 1;
  p->at = begin;
  return tn_amd_fail(p, broken);
}
// One instruction of n bytes of text. 0, and what is wrong.
static int tn_amd_parse(int family, const char *text, size_t n, tn_amd_ins *ins, tn_amd_error *e) {
  tn_amd_parser p = {text, text, text + n, text, NULL, family, 0, 0, NULL};
  const int done = tn_amd_read_ins(&p, ins);
  e->line = 1; e->column = (int)(p.wrong - text) + 1; e->sentence = done ? NULL : p.sentence;
  return done;
}

// ** programs **

static const char *tn_amd_line_end(const char *at, const char *end, const char **next) {
  const char *q = at, *stop;
  while (q < end && *q != '\n') q++;
  *next = q < end ? q + 1 : end;
  for (stop = at; stop < q && *stop != ';' && !(*stop == '/' && q - stop > 1 && stop[1] == '/'); stop++) { }
  while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
  return stop;
}
// Passes labels, and tells them to known, which may be NULL.
static void tn_amd_pass_labels(tn_amd_parser *p, tiny_bytes *known) {
  for (;;) {
    tn_amd_space(p);
    const size_t n = tn_amd_word_length(p);
    if (!n || p->at + n == p->end || p->at[n] != ':' || (p->end - p->at > (long)n + 1 && p->at[n + 1] == ':')) return;
    const tn_amd_label label = {p->at, n, p->place};
    if (known) tiny_bytes_add(known, &label, sizeof label);
    p->at += n + 1;
  }
}
// Once for the places of labels, once for the words.
static int tn_amd_pass_text(tn_amd_parser *p, const char *text, size_t n, tiny_bytes *known, tiny_bytes *out,
                            tn_amd_error *e) {
  const char *next = text, *const end = text + n;
  p->place = 0;
  for (e->line = 1; next < end; e->line++) {
    uint32_t words[TN_AMD_MOST_WORDS];
    tn_amd_ins ins;
    p->line = p->at = next;
    p->end = tn_amd_line_end(next, end, &next);
    tn_amd_pass_labels(p, known);
    if (p->at == p->end) continue;
    if (!tn_amd_read_ins(p, &ins)) {
      e->column = (int)(p->wrong - p->line) + 1; e->sentence = p->sentence;
      return 0;
    }
    const int nwords = tn_amd_encode(p->family, &ins, words);
    for (int i = 0; i < nwords && out; i++) {
      uint8_t bytes[4];
      tn_amd_put_bytes(bytes, words[i], 4);
      tiny_bytes_add(out, bytes, 4);
    }
    p->place += nwords;
  }
  return 1;
}
// A whole program to the end of out. 0, and what is wrong; refused memory is the context's error.
static int tn_amd_assemble(int family, const char *text, size_t n, tiny_bytes *out, tn_amd_error *e) {
  tn_amd_parser p = {text, text, text, text, NULL, family, 0, 0, NULL};
  static const tn_amd_label nowhere = {"", 0, 0};
  tiny_bytes labels = {out->t, NULL, 0, 0};
  memset(e, 0, sizeof *e);
  if (!tn_amd_pass_text(&p, text, n, &labels, NULL, e)) return 0;
  p.nlabels = (int)(labels.n / sizeof *p.labels);
  p.labels = p.nlabels ? (const tn_amd_label *)(const void *)labels.data : &nowhere;
  return tn_amd_pass_text(&p, text, n, NULL, out, e);
}
#endif
// ---- end src/amd/../isa/amd_parse.c ----
// ---- begin src/amd/../isa/amd_object.c ----
// amd_object: code objects of AMD's GPUs: ELF files of kernels, each a descriptor and code, as HIP and ROCr load them.
//
// In:    any bytes: what a compiler writes (relocatable: there was no linker), or a linker; or kernels' code and what
//        they need. Out: what it is for, its kernels, its image at an address, or a sentence about what is wrong; or an
//        object, linked.
// Holds: nothing outside of the bytes is read, and nothing outside of the image written, whatever they say. Of the
//        image only what the GPU uses is part; each kernel's descriptor and first instruction lie in it.
// Source: System V ABI, Object Files; LLVM's AMDGPU user guide, "Code Object" (ELF header, notes, symbols, relocation
//        records).
#ifndef TN_ISA_AMD_OBJECT
#define TN_ISA_AMD_OBJECT
#ifndef TINY_AMALGAMATED
#include "amd_metadata.c"
#endif

enum { TN_AMD_ELF_MACHINE = 224, TN_AMD_ELF_HSA = 64, TN_AMD_ELF_V5 = 3, TN_AMD_ELF_NOTE = 32, TN_AMD_ELF_HEADER = 64,
  TN_AMD_ELF_SEGMENT = 56, TN_AMD_ELF_SECTION = 64, TN_AMD_ELF_SYMBOL = 24, TN_AMD_ELF_RELOCATION = 24,
  TN_AMD_PAGE = 4096, TN_AMD_TEXT_ALIGN = 256 };
enum { TN_AMD_ET_REL = 1, TN_AMD_ET_DYN = 3, TN_AMD_PT_LOAD = 1, TN_AMD_PT_DYNAMIC, TN_AMD_PT_NOTE = 4,
  TN_AMD_PT_STACK = 0x6474E551, TN_AMD_SHF_ALLOC = 2, TN_AMD_SHF_EXECINSTR = 4, TN_AMD_STT_OBJECT = 1 };
enum { TN_AMD_SHT_PROGBITS = 1, TN_AMD_SHT_SYMTAB, TN_AMD_SHT_STRTAB, TN_AMD_SHT_RELA, TN_AMD_SHT_HASH,
  TN_AMD_SHT_DYNAMIC, TN_AMD_SHT_NOTE, TN_AMD_SHT_NOBITS, TN_AMD_SHT_REL, TN_AMD_SHT_DYNSYM = 11 };
enum { TN_AMD_OBJECT_SECTIONS = 1024 };    // the most

// ** reading **

// chip NULL: it is not known; symbols: the section that has them; where: of each section its place in the image,
// UINT64_MAX: it is no part; image_nbytes: of all of it
typedef struct tn_amd_object {
  const uint8_t *data; size_t nbytes; const tn_amd_chip *chip; uint32_t flags; int relocatable, nsections, symbols;
  uint64_t sections, image_nbytes; const uint64_t *where;
  tn_amd_value metadata;                   // of the kernels: an array, or none
} tn_amd_object;
typedef struct tn_amd_object_section {
  uint32_t type, link, info; uint64_t flags, at, offset, nbytes, align;
} tn_amd_object_section;
// name: n bytes and a 0
typedef struct tn_amd_object_symbol {
  const char *name; size_t n; int type, section; uint64_t value, nbytes;
} tn_amd_object_symbol;
// name: name_n bytes, not ended; at: of the descriptor, entry: of the code, in the image; metadata: its map, or none
typedef struct tn_amd_kernel {
  const char *name; size_t name_n; uint64_t at, entry; tn_amd_descriptor descriptor; tn_amd_value metadata;
} tn_amd_kernel;

static uint64_t tn_amd_aligned(uint64_t n, uint64_t align) { return (n + align - 1) / align * align; }
static int tn_amd_within(uint64_t at, uint64_t nbytes, uint64_t all) { return at <= all && nbytes <= all - at; }
// Zeros stand behind the end.
static uint64_t tn_amd_object_get(const tn_amd_object *o, uint64_t at, int nbytes) {
  return tn_amd_within(at, (uint64_t)nbytes, o->nbytes) ? tn_amd_get_bytes(o->data + at, nbytes) : 0;
}
static tn_amd_object_section tn_amd_object_section_at(const tn_amd_object *o, int i) {
  const uint64_t p = o->sections + (uint64_t)i * TN_AMD_ELF_SECTION;
  tn_amd_object_section s;
  s.type = (uint32_t)tn_amd_object_get(o, p + 4, 4);
  s.flags = tn_amd_object_get(o, p + 8, 8);
  s.at = tn_amd_object_get(o, p + 16, 8);
  s.offset = tn_amd_object_get(o, p + 24, 8);
  s.nbytes = tn_amd_object_get(o, p + 32, 8);
  s.link = (uint32_t)tn_amd_object_get(o, p + 40, 4);
  s.info = (uint32_t)tn_amd_object_get(o, p + 44, 4);
  s.align = tn_amd_object_get(o, p + 48, 8);
  return s;
}
// The text of a table at this place, ended inside it; "": there is none.
static const char *tn_amd_object_text(const tn_amd_object *o, uint32_t table, uint64_t at) {
  if (table >= (uint32_t)o->nsections) return "";
  const tn_amd_object_section s = tn_amd_object_section_at(o, (int)table);
  if (s.type == TN_AMD_SHT_NOBITS || at >= s.nbytes) return "";
  const char *const text = (const char *)o->data + s.offset + at;
  return memchr(text, 0, (size_t)(s.nbytes - at)) ? text : "";
}
// 0: there is none of this number.
static int tn_amd_object_symbol_at(const tn_amd_object *o, uint64_t i, tn_amd_object_symbol *y) {
  const tn_amd_object_section s = tn_amd_object_section_at(o, o->symbols);
  if (i >= s.nbytes / TN_AMD_ELF_SYMBOL) return 0;
  const uint64_t p = s.offset + i * TN_AMD_ELF_SYMBOL;
  y->name = tn_amd_object_text(o, s.link, tn_amd_object_get(o, p, 4));
  y->n = strlen(y->name);
  y->type = (int)tn_amd_object_get(o, p + 4, 1) & 15;
  y->section = (int)tn_amd_object_get(o, p + 6, 2);
  y->value = tn_amd_object_get(o, p + 8, 8);
  y->nbytes = tn_amd_object_get(o, p + 16, 8);
  return 1;
}
// Is a symbol of this name defined in it?
static int tn_amd_object_has(const tn_amd_object *o, const char *name) {
  tn_amd_object_symbol y;
  for (uint64_t i = 0; tn_amd_object_symbol_at(o, i, &y); i++) if (y.section && !strcmp(y.name, name)) return 1;
  return 0;
}

// ** what it is **

// Notes are aligned to 4; that of AMD is a map.
static void tn_amd_object_note(tn_amd_object *o, const tn_amd_object_section *s) {
  const uint64_t end = s->offset + s->nbytes;
  for (uint64_t at = s->offset; at <= end && end - at >= 12; ) {
    const uint64_t name = tn_amd_object_get(o, at, 4), nbytes = tn_amd_object_get(o, at + 4, 4);
    const uint64_t body = at + 12 + (name + 3) / 4 * 4, type = tn_amd_object_get(o, at + 8, 4);
    if (!tn_amd_within(body, nbytes, end)) return;
    if (type == TN_AMD_ELF_NOTE && name == 7 && !memcmp(o->data + at + 12, "AMDGPU", 7)) {
      const tn_amd_value all = {o->data + body, o->data + body + nbytes};
      o->metadata = tn_amd_value_at(all, "amdhsa.kernels", 0);
    }
    at = body + (nbytes + 3) / 4 * 4;
  }
}
static const char *tn_amd_object_header_wrong(tn_amd_object *o) {
  if (o->nbytes < TN_AMD_ELF_HEADER || memcmp(o->data, "\177ELF\2\1", 6) != 0) return "it is no ELF file of 64 bits";
  if (tn_amd_object_get(o, 18, 2) != TN_AMD_ELF_MACHINE) return "it is not for an AMD GPU";
  const uint64_t type = tn_amd_object_get(o, 16, 2);
  if (type != TN_AMD_ET_REL && type != TN_AMD_ET_DYN) return "it is neither an object nor linked";
  o->relocatable = type == TN_AMD_ET_REL;
  o->flags = (uint32_t)tn_amd_object_get(o, 48, 4);
  o->sections = tn_amd_object_get(o, 40, 8); o->nsections = (int)tn_amd_object_get(o, 60, 2);
  if (!o->nsections || o->nsections > TN_AMD_OBJECT_SECTIONS ||
      !tn_amd_within(o->sections, (uint64_t)o->nsections * TN_AMD_ELF_SECTION, o->nbytes))
    return "its table of sections is cut off or none";
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (tn_amd_chips[i].elf == (o->flags & 0xFF)) o->chip = &tn_amd_chips[i];
  return NULL;
}
// NULL, or what is wrong with these bytes, which the object points into.
static const char *tn_amd_object_open(tn_amd_object *o, const void *data, size_t nbytes) {
  memset(o, 0, sizeof *o);
  o->data = (const uint8_t *)data; o->nbytes = nbytes;
  const char *const wrong = tn_amd_object_header_wrong(o);
  if (wrong) return wrong;
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (s.type != TN_AMD_SHT_NOBITS && !tn_amd_within(s.offset, s.nbytes, nbytes)) return "a section is cut off";
    if (s.type == TN_AMD_SHT_SYMTAB || (s.type == TN_AMD_SHT_DYNSYM && !o->symbols)) o->symbols = i;
    if (s.type == TN_AMD_SHT_NOTE) tn_amd_object_note(o, &s);
  }
  return o->symbols ? NULL : "it has no symbols";
}

// ** the image **

static int tn_amd_object_is_used(const tn_amd_object_section *s) {
  return (s->flags & TN_AMD_SHF_ALLOC) && (s->type == TN_AMD_SHT_PROGBITS || s->type == TN_AMD_SHT_NOBITS);
}
// Where each section begins: `where` has room for nsections, and stays. NULL, or what is wrong.
static const char *tn_amd_object_place(tn_amd_object *o, uint64_t *where) {
  enum { MOST = 1 << 30 };
  o->where = where;
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    const uint64_t align = s.align > TN_AMD_TEXT_ALIGN ? s.align : (uint64_t)TN_AMD_TEXT_ALIGN;
    where[i] = UINT64_MAX;
    if (!tn_amd_object_is_used(&s)) continue;
    if (o->relocatable && align > TN_AMD_PAGE) return "a section wants more than a page's alignment";
    where[i] = o->relocatable ? tn_amd_aligned(o->image_nbytes, align) : s.at;
    if (where[i] > MOST || s.nbytes > MOST - where[i]) return "it has a GiB of code or data";
    if (where[i] + s.nbytes > o->image_nbytes) o->image_nbytes = where[i] + s.nbytes;
  }
  return o->image_nbytes ? NULL : "it has no code";
}
// Of a symbol the place in the image; UINT64_MAX: nowhere.
static uint64_t tn_amd_object_in_image(const tn_amd_object *o, const tn_amd_object_symbol *y) {
  if (!y->section || y->section >= o->nsections || o->where[y->section] == UINT64_MAX) return UINT64_MAX;
  const uint64_t at = o->relocatable ? o->where[y->section] + y->value : y->value;
  return at <= o->image_nbytes ? at : UINT64_MAX;
}
static const struct { uint8_t type, nbytes, relative, upper; } tn_amd_relocations[] = {     // R_AMDGPU_*
  {1, 4, 0, 0}, {2, 4, 0, 1}, {3, 8, 0, 0}, {4, 4, 1, 0}, {5, 8, 1, 0}, {6, 4, 0, 0}, {10, 4, 1, 0}, {11, 4, 1, 1},
  {13, 8, 0, 0}
};
// The record at `record`, of a section at `section` of the image.
static const char *tn_amd_object_relocate(const tn_amd_object *o, uint64_t base, uint64_t record, uint64_t section,
                                          uint8_t *image) {
  enum { KINDS = sizeof tn_amd_relocations / sizeof *tn_amd_relocations, RELATIVE = 13 };
  const uint64_t info = tn_amd_object_get(o, record + 8, 8), at = section + tn_amd_object_get(o, record, 8);
  tn_amd_object_symbol y;
  uint64_t value = 0;
  int k = 0;
  while (k < KINDS && tn_amd_relocations[k].type != (uint32_t)info) k++;
  if (k == KINDS) return "it has relocations that are not known here";
  if (!tn_amd_within(at, tn_amd_relocations[k].nbytes, o->image_nbytes)) return "a relocation is outside of it";
  if (tn_amd_relocations[k].type != RELATIVE) {
    if (!tn_amd_object_symbol_at(o, info >> 32, &y)) return "a relocation names no symbol";
    value = tn_amd_object_in_image(o, &y);
    if (value == UINT64_MAX) return "a relocation's symbol is defined elsewhere: link it first";
  }
  uint64_t word = base + value + tn_amd_object_get(o, record + 16, 8);
  if (tn_amd_relocations[k].relative) word -= base + at;
  if (tn_amd_relocations[k].upper) word >>= 32;
  tn_amd_put_bytes(image + at, word, tn_amd_relocations[k].nbytes);
  return NULL;
}
// image_nbytes, zeros before, as they are to lie at `base`. NULL, or what is wrong.
static const char *tn_amd_object_image(const tn_amd_object *o, uint64_t base, uint8_t *image) {
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (o->where[i] != UINT64_MAX && s.type != TN_AMD_SHT_NOBITS)
      memcpy(image + o->where[i], o->data + s.offset, (size_t)s.nbytes);
  }
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (s.type != TN_AMD_SHT_RELA) continue;
    if (o->relocatable && (s.info >= (uint32_t)o->nsections || o->where[s.info] == UINT64_MAX)) continue;
    const uint64_t section = o->relocatable ? o->where[s.info] : 0;
    for (uint64_t k = 0; k < s.nbytes / TN_AMD_ELF_RELOCATION; k++) {
      const char *const wrong = tn_amd_object_relocate(o, base, s.offset + k * TN_AMD_ELF_RELOCATION, section, image);
      if (wrong) return wrong;
    }
  }
  return NULL;
}

// ** kernels **

static tn_amd_value tn_amd_object_metadata(const tn_amd_object *o, const char *symbol, size_t n) {
  static const tn_amd_value none = {NULL, NULL};
  for (uint64_t i = 0; i < tn_amd_items(o->metadata); i++) {
    const tn_amd_value k = tn_amd_value_at(o->metadata, NULL, i);
    tn_amd_head h;
    if (!k.p) break;
    if (!tn_amd_head_at(tn_amd_value_at(k, ".symbol", 0), &h) || h.kind != TN_AMD_PACK_TEXT) continue;
    if (h.n == n && !memcmp(h.body, symbol, n)) return k;
  }
  return none;
}
static int tn_amd_object_executes(const tn_amd_object *o, uint64_t at) {
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (o->where[i] == UINT64_MAX || !(s.flags & TN_AMD_SHF_EXECINSTR) || at < o->where[i]) continue;
    if (tn_amd_within(at - o->where[i], 4, s.nbytes)) return 1;
  }
  return 0;
}
// The next kernel of an image; *i goes on from 0. 0: there is no more, or *wrong says what is wrong with it.
static int tn_amd_object_next(const tn_amd_object *o, const uint8_t *image, uint64_t *i, tn_amd_kernel *k,
                              const char **wrong) {
  tn_amd_object_symbol y;
  *wrong = NULL;
  while (tn_amd_object_symbol_at(o, (*i)++, &y)) {
    if (y.type != TN_AMD_STT_OBJECT || !y.section || y.n < 4 || strcmp(y.name + y.n - 3, ".kd") != 0) continue;
    k->name = y.name; k->name_n = y.n - 3;
    k->at = tn_amd_object_in_image(o, &y);
    *wrong = "a kernel's descriptor is outside of it";
    if (!tn_amd_within(k->at, TN_AMD_DESCRIPTOR_NBYTES, o->image_nbytes) || k->at % TN_AMD_DESCRIPTOR_NBYTES) return 0;
    k->descriptor = tn_amd_descriptor_read(image + k->at);
    k->entry = k->at + (uint64_t)k->descriptor.entry;
    *wrong = "a kernel begins outside of its code";
    if (k->entry % TN_AMD_TEXT_ALIGN || !tn_amd_object_executes(o, k->entry)) return 0;
    k->metadata = tn_amd_object_metadata(o, y.name, y.n);
    *wrong = NULL;
    return 1;
  }
  return 0;
}

// ** writing **

// Sections in their order, and the segments that hold them.
enum { TN_AMD_S_NULL, TN_AMD_S_NOTE, TN_AMD_S_DYNSYM, TN_AMD_S_HASH, TN_AMD_S_DYNSTR, TN_AMD_S_RODATA, TN_AMD_S_TEXT,
  TN_AMD_S_DYNAMIC, TN_AMD_S_NAMES, TN_AMD_SECTIONS };
typedef struct tn_amd_part { uint64_t at, nbytes, offset; } tn_amd_part;
typedef struct tn_amd_writer {
  const tn_amd_chip *chip; const tn_amd_source *kernels; int n;
  tiny_bytes part[TN_AMD_SECTIONS]; tn_amd_part is[TN_AMD_SECTIONS];
} tn_amd_writer;
static const struct { char name[12]; uint8_t type, flags, link, info, align, entry; } tn_amd_sections[] = {
  {"", 0, 0, 0, 0, 0, 0}, {".note", TN_AMD_SHT_NOTE, 2, 0, 0, 4, 0},
  {".dynsym", TN_AMD_SHT_DYNSYM, 2, TN_AMD_S_DYNSTR, 1, 8, 24}, {".hash", TN_AMD_SHT_HASH, 2, TN_AMD_S_DYNSYM, 0, 4, 4},
  {".dynstr", TN_AMD_SHT_STRTAB, 2, 0, 0, 1, 0}, {".rodata", TN_AMD_SHT_PROGBITS, 2, 0, 0, 64, 0},
  {".text", TN_AMD_SHT_PROGBITS, 6, 0, 0, 0, 0}, {".dynamic", TN_AMD_SHT_DYNAMIC, 3, TN_AMD_S_DYNSTR, 0, 8, 16},
  {".shstrtab", TN_AMD_SHT_STRTAB, 0, 0, 0, 1, 0}
};
enum { TN_AMD_SEGMENTS = 6 };

// Refused memory may have kept bytes away, which the context knows: nothing is written outside.
static void tn_amd_patch(tiny_bytes *b, uint64_t at, uint64_t v, int nbytes) {
  if (tn_amd_within(at, (uint64_t)nbytes, b->n)) tn_amd_put_bytes((uint8_t *)b->data + at, v, nbytes);
}
static void tn_amd_add(tiny_bytes *b, uint64_t v, int nbytes) {
  uint8_t p[8];
  tn_amd_put_bytes(p, v, 8);
  tiny_bytes_add(b, p, (size_t)nbytes);
}
static void tn_amd_fill(tiny_bytes *b, size_t to) {
  static const uint8_t zeros[256] = {0};
  while (b->n < to) {
    const size_t before = b->n, more = to - before;
    tiny_bytes_add(b, zeros, more < sizeof zeros ? more : sizeof zeros);
    if (b->n == before) return;
  }
}
// What stops an instruction prefetch that runs on behind the last instruction.
static void tn_amd_add_end(tiny_bytes *text, int family) {
  const int nine = family == TN_AMD_GFX9, nbytes = nine ? 16 * 64 : 3 * 128;
  for (int i = 0; i < nbytes; i += 4) tn_amd_add(text, nine ? 0xBF800000 : 0xBF9F0000, 4);
}
static void tn_amd_add_symbol(tn_amd_writer *w, const char *name, const char *end, int type, int section,
                              uint64_t nbytes) {
  tiny_bytes *const s = &w->part[TN_AMD_S_DYNSYM], *const names = &w->part[TN_AMD_S_DYNSTR];
  tn_amd_add(s, names->n, 4);
  tn_amd_add(s, (uint64_t)(0x10 | type) | 3 << 8 | (uint64_t)section << 16, 4);      // global, protected
  tn_amd_add(s, 0, 8);                     // where it is: tn_amd_place
  tn_amd_add(s, nbytes, 8);
  tiny_bytes_add(names, name, strlen(name));
  tiny_bytes_add(names, end, strlen(end) + 1);
}
// One bucket (System V ABI, "Hash Table"): a chain through all symbols, so that no name is hashed.
static void tn_amd_add_hash(tn_amd_writer *w) {
  const uint64_t n = 2 * (uint64_t)w->n + 1;
  tiny_bytes *const b = &w->part[TN_AMD_S_HASH];
  tn_amd_add(b, 1, 4);
  tn_amd_add(b, n, 4);
  tn_amd_add(b, n > 1, 4);
  for (uint64_t i = 0; i < n; i++) tn_amd_add(b, i && i + 1 < n ? i + 1 : 0, 4);
}
static void tn_amd_add_dynamic(tn_amd_writer *w) {           // tags; where the parts are is written by tn_amd_place
  tiny_bytes *const b = &w->part[TN_AMD_S_DYNAMIC];
  static const uint8_t tags[] = {6, 11, 5, 10, 4, 0};        // SYMTAB, SYMENT, STRTAB, STRSZ, HASH, NULL
  for (int i = 0; i < 6; i++) { tn_amd_add(b, tags[i], 8); tn_amd_add(b, 0, 8); }
}
static void tn_amd_fill_parts(tn_amd_writer *w) {
  tiny_bytes *const part = w->part;
  tiny_bytes *const note = &part[TN_AMD_S_NOTE];
  static const uint8_t note_head[20] = {7, 0, 0, 0, 0, 0, 0, 0, TN_AMD_ELF_NOTE, 0, 0, 0, 'A', 'M', 'D', 'G', 'P', 'U'};
  tiny_bytes_add(note, note_head, sizeof note_head);
  tn_amd_pack_metadata(note, w->chip, w->kernels, w->n);
  tn_amd_patch(note, 4, note->n - sizeof note_head, 4);
  tn_amd_fill(note, (size_t)tn_amd_aligned(note->n, 4));
  tn_amd_fill(&part[TN_AMD_S_DYNSYM], TN_AMD_ELF_SYMBOL);
  tn_amd_add(&part[TN_AMD_S_DYNSTR], 0, 1);
  for (int i = 0; i < w->n; i++) {
    const tn_amd_source *const k = &w->kernels[i];
    const tn_amd_descriptor d = tn_amd_describe(w->chip, &k->setup);
    uint8_t bytes[TN_AMD_DESCRIPTOR_NBYTES];
    tn_amd_descriptor_write(&d, bytes);
    tiny_bytes_add(&part[TN_AMD_S_RODATA], bytes, sizeof bytes);
    tiny_bytes_add(&part[TN_AMD_S_TEXT], k->code, k->nbytes);
    tn_amd_add_end(&part[TN_AMD_S_TEXT], w->chip->family);
    tn_amd_fill(&part[TN_AMD_S_TEXT], (size_t)tn_amd_aligned(part[TN_AMD_S_TEXT].n, TN_AMD_TEXT_ALIGN));
    tn_amd_add_symbol(w, k->name, "", 2, TN_AMD_S_TEXT, k->nbytes);
    tn_amd_add_symbol(w, k->name, ".kd", 1, TN_AMD_S_RODATA, TN_AMD_DESCRIPTOR_NBYTES);
  }
  tn_amd_add_hash(w);
  tn_amd_add_dynamic(w);
  for (int i = 0; i < TN_AMD_SECTIONS; i++)
    tiny_bytes_add(&part[TN_AMD_S_NAMES], tn_amd_sections[i].name, strlen(tn_amd_sections[i].name) + 1);
}
// Offsets in the file, and addresses in the image: a page further from the code on, and another from .dynamic on.
static uint64_t tn_amd_place_parts(tn_amd_writer *w) {
  uint64_t offset = TN_AMD_ELF_HEADER + TN_AMD_SEGMENTS * TN_AMD_ELF_SEGMENT, page = 0;
  for (int i = 1; i < TN_AMD_SECTIONS; i++) {
    const uint64_t align = (uint64_t)(i == TN_AMD_S_TEXT ? (int)TN_AMD_TEXT_ALIGN : tn_amd_sections[i].align);
    offset = tn_amd_aligned(offset, align);
    if (i == TN_AMD_S_TEXT || i == TN_AMD_S_DYNAMIC) page += TN_AMD_PAGE;
    w->is[i].offset = offset;
    w->is[i].at = i == TN_AMD_S_NAMES ? 0 : offset + page;
    w->is[i].nbytes = w->part[i].n;
    offset += w->is[i].nbytes;
  }
  return tn_amd_aligned(offset, 8);
}
// Addresses of kernels, and what .dynamic says.
static void tn_amd_place(tn_amd_writer *w) {
  uint64_t code = w->is[TN_AMD_S_TEXT].at, descriptor = w->is[TN_AMD_S_RODATA].at;
  const uint64_t values[5] = {w->is[TN_AMD_S_DYNSYM].at, TN_AMD_ELF_SYMBOL, w->is[TN_AMD_S_DYNSTR].at,
                              w->is[TN_AMD_S_DYNSTR].nbytes, w->is[TN_AMD_S_HASH].at};
  const uint64_t end = w->chip->family == TN_AMD_GFX9 ? 16 * 64 : 3 * 128;
  for (int i = 0; i < w->n; i++) {
    const uint64_t symbol = (uint64_t)(2 * i + 1) * TN_AMD_ELF_SYMBOL;
    tn_amd_patch(&w->part[TN_AMD_S_DYNSYM], symbol + 8, code, 8);
    tn_amd_patch(&w->part[TN_AMD_S_DYNSYM], symbol + TN_AMD_ELF_SYMBOL + 8, descriptor, 8);
    tn_amd_patch(&w->part[TN_AMD_S_RODATA], (uint64_t)i * TN_AMD_DESCRIPTOR_NBYTES + 16, code - descriptor, 8);
    code += tn_amd_aligned(w->kernels[i].nbytes + end, TN_AMD_TEXT_ALIGN);
    descriptor += TN_AMD_DESCRIPTOR_NBYTES;
  }
  for (int i = 0; i < 5; i++) tn_amd_patch(&w->part[TN_AMD_S_DYNAMIC], (uint64_t)i * 16 + 8, values[i], 8);
}
static void tn_amd_add_segment(tiny_bytes *out, int type, int flags, const tn_amd_part *first, const tn_amd_part *last,
                               uint64_t align) {
  const uint64_t nbytes = last->offset + last->nbytes - first->offset;
  tn_amd_add(out, (uint64_t)type, 4);
  tn_amd_add(out, (uint64_t)flags, 4);
  tn_amd_add(out, first->offset, 8);
  tn_amd_add(out, first->at, 8);
  tn_amd_add(out, first->at, 8);
  tn_amd_add(out, nbytes, 8);
  tn_amd_add(out, nbytes, 8);
  tn_amd_add(out, align, 8);
}
static void tn_amd_add_header(tn_amd_writer *w, tiny_bytes *out, uint64_t sections) {
  static const uint8_t ident[16] = {0x7F, 'E', 'L', 'F', 2, 1, 1, TN_AMD_ELF_HSA, TN_AMD_ELF_V5};
  const uint32_t flags = w->chip->elf | (w->chip->family == TN_AMD_GFX9 ? 0x500u : 0);   // any XNACK, any SRAMECC
  const tn_amd_part whole = {0, 0, 0}, *const is = w->is;
  tiny_bytes_add(out, ident, sizeof ident);
  tn_amd_add(out, 3 | TN_AMD_ELF_MACHINE << 16 | (uint64_t)1 << 32, 8);      // ET_DYN, machine, version
  tn_amd_add(out, 0, 8);
  tn_amd_add(out, TN_AMD_ELF_HEADER, 8);
  tn_amd_add(out, sections, 8);
  tn_amd_add(out, flags | (uint64_t)TN_AMD_ELF_HEADER << 32 | (uint64_t)TN_AMD_ELF_SEGMENT << 48, 8);
  tn_amd_add(out, TN_AMD_SEGMENTS | TN_AMD_ELF_SECTION << 16 | (uint64_t)TN_AMD_SECTIONS << 32 |
                  (uint64_t)TN_AMD_S_NAMES << 48, 8);
  tn_amd_add_segment(out, TN_AMD_PT_LOAD, 4, &whole, &is[TN_AMD_S_RODATA], TN_AMD_PAGE);
  tn_amd_add_segment(out, TN_AMD_PT_LOAD, 5, &is[TN_AMD_S_TEXT], &is[TN_AMD_S_TEXT], TN_AMD_PAGE);
  tn_amd_add_segment(out, TN_AMD_PT_LOAD, 6, &is[TN_AMD_S_DYNAMIC], &is[TN_AMD_S_DYNAMIC], TN_AMD_PAGE);
  tn_amd_add_segment(out, TN_AMD_PT_DYNAMIC, 6, &is[TN_AMD_S_DYNAMIC], &is[TN_AMD_S_DYNAMIC], 8);
  tn_amd_add_segment(out, TN_AMD_PT_NOTE, 4, &is[TN_AMD_S_NOTE], &is[TN_AMD_S_NOTE], 4);
  tn_amd_add_segment(out, TN_AMD_PT_STACK, 6, &whole, &whole, 0);
}
static void tn_amd_add_section(tn_amd_writer *w, tiny_bytes *out, int i, uint64_t *name) {
  const tn_amd_part *const is = &w->is[i];
  tn_amd_add(out, *name, 4);
  tn_amd_add(out, tn_amd_sections[i].type, 4);
  tn_amd_add(out, tn_amd_sections[i].flags, 8);
  tn_amd_add(out, is->at, 8);
  tn_amd_add(out, is->offset, 8);
  tn_amd_add(out, is->nbytes, 8);
  tn_amd_add(out, tn_amd_sections[i].link | (uint64_t)tn_amd_sections[i].info << 32, 8);
  tn_amd_add(out, (uint64_t)(i == TN_AMD_S_TEXT ? (int)TN_AMD_TEXT_ALIGN : tn_amd_sections[i].align), 8);
  tn_amd_add(out, tn_amd_sections[i].entry, 8);
  *name += strlen(tn_amd_sections[i].name) + 1;
}
// An object of n kernels to out, which is empty. Where memory is refused the context has an error, and it is none.
static void tn_amd_object_write(tiny_bytes *out, const tn_amd_chip *chip, const tn_amd_source *kernels, int n) {
  tn_amd_writer w;
  uint64_t name = 0;
  memset(&w, 0, sizeof w);
  w.chip = chip; w.kernels = kernels; w.n = n;
  for (int i = 0; i < TN_AMD_SECTIONS; i++) w.part[i].t = out->t;
  tn_amd_fill_parts(&w);
  const uint64_t sections = tn_amd_place_parts(&w);
  tn_amd_place(&w);
  tn_amd_add_header(&w, out, sections);
  for (int i = 1; i < TN_AMD_SECTIONS; i++) {
    tn_amd_fill(out, (size_t)w.is[i].offset);
    tiny_bytes_add(out, w.part[i].data, w.part[i].n);
  }
  tn_amd_fill(out, (size_t)sections);
  for (int i = 0; i < TN_AMD_SECTIONS; i++) tn_amd_add_section(&w, out, i, &name);
}
#endif
// ---- end src/amd/../isa/amd_object.c ----
// ---- begin src/amd/../isa/amd_assembly.c ----
// amd_assembly: whole kernels in assembly text -> a code object.
//
// In:    text as LLVM's assembler takes it, and as clang -S writes it: ".amdgcn_target" first, which tells it from
//        other languages; a label with each kernel's name; .amdhsa_kernel NAME .. .end_amdhsa_kernel with what it
//        needs. Out: an object, linked; or where it goes wrong, line and column from 1 on, and a sentence.
// Holds: values are numbers. What .amdhsa_ directives leave out is as LLVM has it, but for denormals, which are kept. A
//        kernel goes from its label to the next kernel's and jumps within. Registers that it names are of those that it
//        asks for. Metadata, what is for debuggers and linkers, and data in sections of its own, which no instruction
//        can name, is passed, and so are alignments within a kernel; data between instructions is refused.
// Source: LLVM's AMDGPU user guide, "Assembler", "AMDHSA Kernel Assembler Directives".
#ifndef TN_ISA_AMD_ASSEMBLY
#define TN_ISA_AMD_ASSEMBLY
#ifndef TINY_AMALGAMATED
#include "amd_parse.c"
#include "amd_object.c"
#endif

// ** what a kernel needs **

enum { TN_AMD_ASK_LDS, TN_AMD_ASK_SCRATCH, TN_AMD_ASK_ARGS, TN_AMD_ASK_VGPRS, TN_AMD_ASK_SGPRS, TN_AMD_ASK_ACCUM,
  TN_AMD_ASK_USER, TN_AMD_ASK_DISPATCH, TN_AMD_ASK_QUEUE, TN_AMD_ASK_KERNARG, TN_AMD_ASK_ID, TN_AMD_ASK_SIZE,
  TN_AMD_ASK_X, TN_AMD_ASK_Y, TN_AMD_ASK_Z, TN_AMD_ASK_LANES, TN_AMD_ASK_WAVE32, TN_AMD_ASK_WGP, TN_AMD_ASKED_FIRST,
  TN_AMD_ASKS = TN_AMD_ASKED_FIRST + 27 };
// Behind ".amdhsa_": from, to: what it may be; usual: where it is not said, -1: it has to be
static const struct { char name[40]; uint8_t on; int32_t from, to, usual; } tn_amd_asks[TN_AMD_ASKS] = {
  {"group_segment_fixed_size", TN_AMD_ON_ALL, 0, 65536, 0},
  {"private_segment_fixed_size", TN_AMD_ON_ALL, 0, 1 << 18, 0}, {"kernarg_size", TN_AMD_ON_ALL, 0, 65536, 0},
  {"next_free_vgpr", TN_AMD_ON_ALL, 0, 512, -1}, {"next_free_sgpr", TN_AMD_ON_ALL, 0, 106, -1},
  {"accum_offset", TN_AMD_ON_9, 4, 256, 0}, {"user_sgpr_count", TN_AMD_ON_ALL, 0, 16, -2},
  {"user_sgpr_dispatch_ptr", TN_AMD_ON_ALL, 0, 1, 0}, {"user_sgpr_queue_ptr", TN_AMD_ON_ALL, 0, 1, 0},
  {"user_sgpr_kernarg_segment_ptr", TN_AMD_ON_ALL, 0, 1, 0}, {"user_sgpr_dispatch_id", TN_AMD_ON_ALL, 0, 1, 0},
  {"user_sgpr_private_segment_size", TN_AMD_ON_ALL, 0, 1, 0}, {"system_sgpr_workgroup_id_x", TN_AMD_ON_ALL, 0, 1, 1},
  {"system_sgpr_workgroup_id_y", TN_AMD_ON_ALL, 0, 1, 0}, {"system_sgpr_workgroup_id_z", TN_AMD_ON_ALL, 0, 1, 0},
  {"system_vgpr_workitem_id", TN_AMD_ON_ALL, 0, 2, 0}, {"wavefront_size32", TN_AMD_ON_RDNA, 0, 1, 1},
  {"workgroup_processor_mode", TN_AMD_ON_RDNA, 0, 1, 1},
  // these are as they are here, or change no result
  {"float_round_mode_32", TN_AMD_ON_ALL, 0, 0, 0}, {"float_round_mode_16_64", TN_AMD_ON_ALL, 0, 0, 0},
  {"float_denorm_mode_32", TN_AMD_ON_ALL, 3, 3, 3}, {"float_denorm_mode_16_64", TN_AMD_ON_ALL, 3, 3, 3},
  {"dx10_clamp", TN_AMD_ON_11 | TN_AMD_ON_9, 1, 1, 1}, {"ieee_mode", TN_AMD_ON_11 | TN_AMD_ON_9, 1, 1, 1},
  {"fp16_overflow", TN_AMD_ON_ALL, 0, 0, 0}, {"memory_ordered", TN_AMD_ON_RDNA, 1, 1, 1},
  {"forward_progress", TN_AMD_ON_RDNA, 0, 1, 1}, {"shared_vgpr_count", TN_AMD_ON_11, 0, 0, 0},
  {"round_robin_scheduling", TN_AMD_ON_12, 0, 0, 0}, {"tg_split", TN_AMD_ON_9, 0, 0, 0},
  {"reserve_vcc", TN_AMD_ON_ALL, 0, 1, 1}, {"reserve_xnack_mask", TN_AMD_ON_9, 0, 1, 1},
  {"uses_dynamic_stack", TN_AMD_ON_ALL, 0, 0, 0}, {"enable_private_segment", TN_AMD_ON_ALL, 0, 1, 0},
  {"system_sgpr_workgroup_info", TN_AMD_ON_ALL, 0, 0, 0}, {"user_sgpr_kernarg_preload_length", TN_AMD_ON_9, 0, 0, 0},
  {"user_sgpr_kernarg_preload_offset", TN_AMD_ON_9, 0, 0, 0}, {"inst_pref_size", TN_AMD_ON_RDNA, 0, 255, 0},
  {"exception_fp_ieee_invalid_op", TN_AMD_ON_ALL, 0, 0, 0}, {"exception_fp_denorm_src", TN_AMD_ON_ALL, 0, 0, 0},
  {"exception_fp_ieee_div_zero", TN_AMD_ON_ALL, 0, 0, 0}, {"exception_fp_ieee_overflow", TN_AMD_ON_ALL, 0, 0, 0},
  {"exception_fp_ieee_underflow", TN_AMD_ON_ALL, 0, 0, 0}, {"exception_fp_ieee_inexact", TN_AMD_ON_ALL, 0, 0, 0},
  {"exception_int_div_zero", TN_AMD_ON_ALL, 0, 0, 0}
};
// A kernel on its way: name, and where its directives began.
typedef struct tn_amd_asked { const char *name; size_t n; int line; int32_t v[TN_AMD_ASKS]; } tn_amd_asked;

static tn_amd_setup tn_amd_asked_setup(const tn_amd_asked *k) {
  static const struct { uint8_t ask, from, sgprs; } pointers[] = {
    {TN_AMD_ASK_DISPATCH, TN_AMD_FROM_DISPATCH, 2}, {TN_AMD_ASK_QUEUE, TN_AMD_FROM_QUEUE, 2},
    {TN_AMD_ASK_KERNARG, TN_AMD_FROM_ARGS, 2}, {TN_AMD_ASK_ID, TN_AMD_FROM_ID, 2},
    {TN_AMD_ASK_SIZE, TN_AMD_FROM_SCRATCH_NBYTES, 1}};
  const int32_t *const v = k->v;
  tn_amd_setup s;
  memset(&s, 0, sizeof s);
  s.lds = (uint32_t)v[TN_AMD_ASK_LDS]; s.scratch = (uint32_t)v[TN_AMD_ASK_SCRATCH];
  s.args_nbytes = (uint32_t)v[TN_AMD_ASK_ARGS];
  s.vgprs = (uint16_t)v[TN_AMD_ASK_VGPRS]; s.sgprs = (uint16_t)v[TN_AMD_ASK_SGPRS];
  if (v[TN_AMD_ASK_ACCUM]) {
    s.vgprs = (uint16_t)v[TN_AMD_ASK_ACCUM];
    s.agprs = (uint16_t)(v[TN_AMD_ASK_VGPRS] > s.vgprs ? v[TN_AMD_ASK_VGPRS] - s.vgprs : 0);
  }
  for (int i = 0; i < 5; i++) {
    if (!v[pointers[i].ask]) continue;
    s.from = (uint16_t)(s.from | pointers[i].from);
    s.user_sgprs = (uint8_t)(s.user_sgprs + pointers[i].sgprs);
  }
  if (v[TN_AMD_ASK_USER] >= 0) s.user_sgprs = (uint8_t)v[TN_AMD_ASK_USER];
  s.ids = (uint8_t)(v[TN_AMD_ASK_X] | v[TN_AMD_ASK_Y] << 1 | v[TN_AMD_ASK_Z] << 2);
  s.lanes = (uint8_t)(v[TN_AMD_ASK_LANES] + 1);
  s.wgp = (uint8_t)v[TN_AMD_ASK_WGP]; s.wave = v[TN_AMD_ASK_WAVE32] ? 32 : 64;
  return s;
}

// ** directives **

// lines: the text without directives and data; kernel: the one that is told of now; in_data: in a section of such
typedef struct tn_amd_assembler {
  const tn_amd_chip *chip; tiny_bytes lines, kernels; tn_amd_asked kernel; int line, in_kernel, in_metadata, in_data,
  targets;
} tn_amd_assembler;

static int tn_amd_read_target(tn_amd_assembler *a, tn_amd_parser *p) {
  char target[48];
  const int n = snprintf(target, sizeof target, "\"amdgcn-amd-amdhsa--%s", a->chip->name);
  a->targets++;
  if (!tn_amd_next_is(p, target)) return tn_amd_fail(p, "it is for another target than this GPU");
  const char next = p->at < p->end ? *p->at : 0;
  if (next != '"' && next != ':') { p->at -= n; return tn_amd_fail(p, "it is for another target than this GPU"); }
  return 1;
}
static int tn_amd_begin_kernel(tn_amd_assembler *a, tn_amd_parser *p) {
  enum { MOST = 480 };                     // of a name
  tn_amd_space(p);
  a->kernel.name = p->at; a->kernel.n = tn_amd_word_length(p); a->kernel.line = a->line;
  if (!a->kernel.n || a->kernel.n > MOST) return tn_amd_fail(p, "the name of a kernel is missing, or too long");
  p->at += a->kernel.n;
  for (int i = 0; i < TN_AMD_ASKS; i++) a->kernel.v[i] = tn_amd_asks[i].usual;
  if (a->chip->family == TN_AMD_GFX9) a->kernel.v[TN_AMD_ASK_WAVE32] = a->kernel.v[TN_AMD_ASK_WGP] = 0;
  return a->in_kernel = 1;
}
static int tn_amd_end_kernel(tn_amd_assembler *a, tn_amd_parser *p) {
  const int32_t *const v = a->kernel.v, nine = a->chip->family == TN_AMD_GFX9;
  if (v[TN_AMD_ASK_VGPRS] < 0) return tn_amd_fail(p, ".amdhsa_next_free_vgpr is missing");
  if (v[TN_AMD_ASK_SGPRS] < 0) return tn_amd_fail(p, ".amdhsa_next_free_sgpr is missing");
  if (nine && !v[TN_AMD_ASK_ACCUM]) return tn_amd_fail(p, ".amdhsa_accum_offset is missing");
  if (v[TN_AMD_ASK_ACCUM] % 4) return tn_amd_fail(p, ".amdhsa_accum_offset is no multiple of 4");
  if (!nine && v[TN_AMD_ASK_VGPRS] > 256) return tn_amd_fail(p, ".amdhsa_next_free_vgpr is more than 256");
  tiny_bytes_add(&a->kernels, &a->kernel, sizeof a->kernel);
  a->in_kernel = 0;
  return 1;
}
static int tn_amd_read_ask(tn_amd_assembler *a, tn_amd_parser *p) {
  if (tn_amd_next_word(p, ".end_amdhsa_kernel")) return tn_amd_end_kernel(a, p);
  const size_t n = tn_amd_word_length(p), prefix = strlen(".amdhsa_");
  if (n <= prefix || memcmp(p->at, ".amdhsa_", prefix) != 0) return tn_amd_fail(p, ".amdhsa_ or .end_amdhsa_kernel is "
      "missing");
  for (int i = 0; i < TN_AMD_ASKS; i++) {
    if (strlen(tn_amd_asks[i].name) != n - prefix || memcmp(tn_amd_asks[i].name, p->at + prefix, n - prefix)) continue;
    if (!(tn_amd_asks[i].on >> a->chip->family & 1)) return tn_amd_fail(p, "this GPU has no such thing");
    p->at += n;
    return tn_amd_read_within(p, tn_amd_asks[i].from, tn_amd_asks[i].to, &a->kernel.v[i]);
  }
  return tn_amd_fail(p, "this need of a kernel is not known");
}
static int tn_amd_is_one_of(const tn_amd_parser *p, const char *const *names, size_t n) {
  const size_t length = tn_amd_word_length(p);
  for (size_t i = 0; i < n; i++) if (strlen(names[i]) == length && !memcmp(names[i], p->at, length)) return 1;
  return 0;
}
// Which section follows? 0: this says nothing of it.
static int tn_amd_read_section(tn_amd_assembler *a, tn_amd_parser *p) {
  static const char *const data[] = {".section", ".rodata", ".data", ".bss"};
  const int is_data = tn_amd_is_one_of(p, data, sizeof data / sizeof *data);
  if (!is_data && !tn_amd_next_word(p, ".text")) return 0;
  a->in_data = is_data;
  if (!tn_amd_next_word(p, ".section")) return 1;
  tn_amd_space(p);
  a->in_data = p->end - p->at < 5 || memcmp(p->at, ".text", 5) != 0;
  return 1;
}
// What says nothing that matters here; s_code_end, of gfx9 s_nop, behind all kernels, which are written in any case.
static int tn_amd_is_passed(const tn_amd_parser *p) {
  static const char *const names[] = {".globl", ".global", ".p2align", ".align", ".type", ".size", ".protected",
    ".hidden", ".weak", ".ident", ".file", ".loc", ".addrsig", ".addrsig_sym", ".amdhsa_code_object_version", ".p2alignl"};
  static const char *const fills[] = {", 4, 3214868480", ", 4, 3212836864"};
  if (tn_amd_is_one_of(p, names, sizeof names / sizeof *names)) return 1;
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(fills[i]), all = (size_t)(p->end - p->at);
    if (all > n + 5 && !memcmp(p->at, ".fill", 5) && !memcmp(p->end - n, fills[i], n)) return 1;
  }
  return tn_amd_word_length(p) > 4 && !memcmp(p->at, ".cfi", 4);
}
static int tn_amd_read_outside(tn_amd_assembler *a, tn_amd_parser *p) {
  if (tn_amd_next_word(p, ".amdhsa_kernel")) return tn_amd_begin_kernel(a, p);
  if (tn_amd_next_word(p, ".amdgpu_metadata")) return a->in_metadata = 1;
  const int target = tn_amd_next_word(p, ".amdgcn_target");
  const int passed = target || a->in_data || tn_amd_is_passed(p), section = tn_amd_read_section(a, p);
  if (!passed && !section) return tn_amd_fail(p, "this directive is not known: data is no part of it");
  if (target && !tn_amd_read_target(a, p)) return 0;
  p->at = p->end;
  return 1;
}
// A line that begins with a directive, or stands between two that belong together. 0: it is wrong.
static int tn_amd_read_directive(tn_amd_assembler *a, tn_amd_parser *p) {
  if (a->in_metadata) { a->in_metadata = !tn_amd_next_word(p, ".end_amdgpu_metadata"); return 1; }
  if (!(a->in_kernel ? tn_amd_read_ask(a, p) : tn_amd_read_outside(a, p))) return 0;
  tn_amd_space(p);
  return p->at == p->end || tn_amd_fail(p, "this is too much");
}
static int tn_amd_is_directive(const tn_amd_parser *p) {
  const size_t n = tn_amd_word_length(p);
  return n && *p->at == '.' && (p->at + n == p->end || p->at[n] != ':');
}
// Takes the directives out of the text, line by line.
static int tn_amd_take_directives(tn_amd_assembler *a, const char *text, size_t n, tn_amd_error *e) {
  const char *next = text, *const end = text + n;
  for (a->line = 1; next < end; a->line++) {
    const char *const line = next;
    tn_amd_parser p = {line, line, tn_amd_line_end(line, end, &next), line, NULL, a->chip->family, 0, 0, NULL};
    tn_amd_space(&p);
    const int blank = p.at == p.end, taken = a->in_kernel || a->in_metadata || tn_amd_is_directive(&p);
    if (!blank && taken && !tn_amd_read_directive(a, &p)) {
      e->line = a->line; e->column = (int)(p.wrong - line) + 1; e->sentence = p.sentence;
      return 0;
    }
    if (!taken && !a->in_data) tiny_bytes_add(&a->lines, line, (size_t)(p.end - line));
    tiny_bytes_add(&a->lines, "\n", 1);
  }
  e->line = a->line > 1 ? a->line - 1 : 1; e->column = 1;
  e->sentence = !a->targets ? ".amdgcn_target is missing" : a->in_kernel ? ".end_amdhsa_kernel is missing" :
      a->in_metadata ? ".end_amdgpu_metadata is missing" : a->kernels.n ? NULL : ".amdhsa_kernel is missing";
  return !e->sentence;
}

// ** kernels **

// Of the lines from `at` on the first that begins with a label that is a kernel's; NULL: there is none. which: of which
static const char *tn_amd_next_kernel(const tn_amd_assembler *a, const char *at, const char *end, int *which) {
  const tn_amd_asked *const k = (const tn_amd_asked *)(const void *)a->kernels.data;
  const int n = (int)(a->kernels.n / sizeof *k);
  for (const char *next; at < end; at = next) {
    tn_amd_parser p = {at, at, tn_amd_line_end(at, end, &next), at, NULL, 0, 0, 0, NULL};
    tn_amd_space(&p);
    const size_t length = tn_amd_word_length(&p);
    if (!length || p.at + length == p.end || p.at[length] != ':') continue;
    for (*which = 0; *which < n; ++*which)
      if (k[*which].n == length && !memcmp(k[*which].name, p.at, length)) return at;
  }
  return NULL;
}
static int tn_amd_asked_for(const tn_amd_operand *o, const tn_amd_setup *s) {
  const int last = o->reg + (o->dwords ? o->dwords : 1);
  return o->kind == TN_AMD_VGPR ? last <= s->vgprs : o->kind == TN_AMD_AGPR ? last <= s->agprs
      : o->kind != TN_AMD_SGPR || o->reg >= TN_AMD_FLAT_SCRATCH || last <= s->sgprs;
}
// Does a line name registers that its kernel did not ask for?
static int tn_amd_check_registers(const tn_amd_ins *ins, const tn_amd_setup *s) {
  for (int i = 0; i < ins->n; i++) if (!tn_amd_asked_for(&ins->o[i], s)) return 0;
  for (int i = 0; i < ins->n_y; i++) if (!tn_amd_asked_for(&ins->y[i], s)) return 0;
  return 1;
}
static int tn_amd_check_lines(const tn_amd_assembler *a, const char *at, const char *end, const tn_amd_setup *s,
                              tn_amd_error *e) {
  const char *next = at;
  for (int line = 1; next < end; line++) {
    tn_amd_parser p = {next, next, NULL, next, NULL, a->chip->family, 0, 0, NULL};
    tn_amd_ins ins;
    p.end = tn_amd_line_end(next, end, &next);
    tn_amd_pass_labels(&p, NULL);
    if (p.at == p.end || !tn_amd_parse(a->chip->family, p.at, (size_t)(p.end - p.at), &ins, e)) continue;
    if (tn_amd_check_registers(&ins, s)) continue;
    e->line = line; e->column = (int)(p.at - p.line) + 1;
    e->sentence = "it names a register that .amdhsa_next_free_vgpr or .amdhsa_next_free_sgpr does not ask for";
    return 0;
  }
  return 1;
}
// From `at` to `end`: kernel k's.
static int tn_amd_assemble_kernel(const tn_amd_assembler *a, const tn_amd_asked *k, const char *at, const char *end,
                                  tn_amd_source *out, tn_amd_error *e) {
  tiny_bytes code = {a->lines.t, NULL, 0, 0}, name = {a->lines.t, NULL, 0, 0};
  int first = 0;
  for (const char *q = a->lines.data; q < at; q++) first += *q == '\n';
  memset(out, 0, sizeof *out);
  out->setup = tn_amd_asked_setup(k);
  const int good = tn_amd_assemble(a->chip->family, at, (size_t)(end - at), &code, e) &&
      tn_amd_check_lines(a, at, end, &out->setup, e);
  e->line += first;
  if (!good) return 0;
  tiny_bytes_add(&name, k->name, k->n);
  out->name = name.data ? name.data : ""; out->code = code.data; out->nbytes = code.n;
  if (code.n) return 1;
  e->line = first + 1; e->column = 1; e->sentence = "the kernel has no instructions";
  return 0;
}
static int tn_amd_assemble_kernels(const tn_amd_assembler *a, tiny_bytes *sources, tn_amd_error *e) {
  const tn_amd_asked *const k = (const tn_amd_asked *)(const void *)a->kernels.data;
  const char *const end = a->lines.data + a->lines.n;
  int which, following;
  const char *at = tn_amd_next_kernel(a, a->lines.data, end, &which);
  tiny_bytes before = {a->lines.t, NULL, 0, 0};
  if (!tn_amd_assemble(a->chip->family, a->lines.data, at ? (size_t)(at - a->lines.data) : a->lines.n, &before, e))
    return 0;
  e->line = e->column = 1;
  e->sentence = "instructions stand before the first kernel's label";
  if (before.n) return 0;
  for (const char *next; at; at = next, which = following) {
    const char *behind;
    tn_amd_source source;
    tn_amd_line_end(at, end, &behind);
    next = tn_amd_next_kernel(a, behind, end, &following);
    if (!tn_amd_assemble_kernel(a, &k[which], at, next ? next : end, &source, e)) return 0;
    tiny_bytes_add(sources, &source, sizeof source);
  }
  if (sources->n / sizeof(tn_amd_source) == a->kernels.n / sizeof *k) return 1;
  e->line = k->line; e->column = 1; e->sentence = "a kernel has no label, or two";
  return 0;
}

// ** as it is asked **

// Does it begin with ".amdgcn_target", behind comments?
static int tn_amd_is_assembly(const char *text) {
  const char *next = text, *const end = text + strlen(text);
  while (next < end) {
    tn_amd_parser p = {next, next, NULL, next, NULL, 0, 0, 0, NULL};
    p.end = tn_amd_line_end(next, end, &next);
    tn_amd_space(&p);
    if (p.at < p.end) return tn_amd_next_word(&p, ".amdgcn_target");
  }
  return 0;
}
// An object to out, which is empty. 0, and what is wrong; refused memory is the context's error.
static int tn_amd_assemble_object(tiny_bytes *out, const tn_amd_chip *chip, const char *text, size_t n,
                                  tn_amd_error *e) {
  tn_amd_assembler a;
  tiny_bytes sources = {out->t, NULL, 0, 0};
  memset(&a, 0, sizeof a);
  memset(e, 0, sizeof *e);
  a.chip = chip;
  a.lines.t = a.kernels.t = out->t;
  if (!tn_amd_take_directives(&a, text, n, e)) return 0;
  if (!tn_amd_assemble_kernels(&a, &sources, e)) return 0;
  tn_amd_object_write(out, chip, (const tn_amd_source *)(const void *)sources.data,
                      (int)(sources.n / sizeof(tn_amd_source)));
  return 1;
}
#endif
// ---- end src/amd/../isa/amd_assembly.c ----
// ---- begin src/amd/module.c ----
// module: code objects in the GPU's memory, and the kernels in them.
//
// In:    code objects. Out: modules, kernels; a sentence for those of another GPU.
// Holds: a module's memory goes back when the launches before have happened: at the next sync. Parameters of a module
//        with the symbol tiny_values are words, as generated kernels have them (render/lang_cuda.c).
#ifndef TN_KFD_MODULE
#define TN_KFD_MODULE
#ifndef TINY_AMALGAMATED
#include "memory.c"
#include "../isa/amd_object.c"
#endif

// Words of parameters; bytes that the GPU may fetch behind code; items of a group.
enum { TN_KFD_VALUES = 128, TN_KFD_PREFETCH = 4096, TN_KFD_ITEMS = 1024 };

typedef struct tn_kfd_kernel {
  struct tn_kfd_kernel *next; struct tn_kfd_module *module;
  char *name; uint64_t at, entry, most_items; tn_amd_descriptor is;        // at: of the descriptor
} tn_kfd_kernel;
typedef struct tn_kfd_module {
  struct tn_kfd_module *next;
  tn_device_block *code; tn_kfd_kernel *kernels; int words;
} tn_kfd_module;

static void tn_kfd_module_close(tn_kfd *d, tn_kfd_module *m) {
  for (tn_kfd_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    if (k->name) tiny_realloc(d->t, k->name, strlen(k->name) + 1, 0);
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  if (m->code) tn_device_block_give(&d->blocks, m->code);
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static void tn_kfd_modules_close(tn_kfd *d) {
  for (tn_kfd_module *m; (m = d->gone) != NULL; ) { d->gone = m->next; tn_kfd_module_close(d, m); }
}
static tiny_code tn_kfd_no_room(tn_kfd *d) {
  return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name);
}
static tiny_code tn_kfd_object_wrong(tn_kfd *d, const char *wrong) {
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a code object is refused: %s", d->name, wrong);
}
// What a packet can give a kernel. NULL, or what is wrong.
static const char *tn_kfd_kernel_wrong(const tn_kfd *d, const tn_amd_descriptor *is) {
  enum { USED = 0x47F, DYNAMIC_STACK = 1 << 11, MOST = 65536 };
  if (is->properties & ~(USED | DYNAMIC_STACK)) return "a kernel wants registers that are not known here";
  if (is->properties & DYNAMIC_STACK) return "a kernel has a stack of unknown size";
  if (is->args_nbytes > MOST || is->scratch > MOST * 4)
    return "a kernel wants too many parameters, or too much scratch";
  return (d->node.chip->warp == 64) == !(is->properties & TN_AMD_WAVE32) ? NULL
                                                                          : "a kernel is for waves of another width";
}
static tiny_code tn_kfd_add_kernel(tn_kfd *d, tn_kfd_module *m, const tn_amd_kernel *from) {
  tn_kfd_kernel *k = (tn_kfd_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (!k) return tn_kfd_no_room(d);
  memset(k, 0, sizeof *k);
  k->next = m->kernels; k->module = m;
  m->kernels = k;
  k->name = (char *)tiny_realloc(d->t, NULL, 0, from->name_n + 1);
  if (!k->name) return tn_kfd_no_room(d);
  memcpy(k->name, from->name, from->name_n);
  k->name[from->name_n] = 0;
  k->is = from->descriptor;
  k->at = m->code->va + from->at;
  k->entry = m->code->va + from->entry;
  k->most_items = tn_amd_uint_at(from->metadata, ".max_flat_workgroup_size", TN_KFD_ITEMS);
  const char *wrong = tn_kfd_kernel_wrong(d, &k->is);
  return wrong ? tn_kfd_object_wrong(d, wrong) : TINY_OK;
}
static tiny_code tn_kfd_add_kernels(tn_kfd *d, tn_kfd_module *m, const tn_amd_object *o, const uint8_t *image) {
  tn_amd_kernel k;
  const char *wrong;
  for (uint64_t i = 0; tn_amd_object_next(o, image, &i, &k, &wrong); ) {
    const tiny_code code = tn_kfd_add_kernel(d, m, &k);
    if (code != TINY_OK) return code;
  }
  return wrong ? tn_kfd_object_wrong(d, wrong) : TINY_OK;
}
// The code is copied there behind what the queue of copies has; launches come after it.
static tiny_code tn_kfd_fill_module(tn_kfd *d, tn_kfd_module *m, const tn_amd_object *o) {
  const size_t nbytes = (size_t)o->image_nbytes;
  m->words = tn_amd_object_has(o, "tiny_values");
  m->code = (tn_device_block *)tn_kfd_alloc_block(d, nbytes + TN_KFD_PREFETCH);
  if (!m->code) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory on the GPU for a module", d->name);
  uint8_t *image = (uint8_t *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!image) return tn_kfd_no_room(d);
  memset(image, 0, nbytes);
  const char *wrong = tn_amd_object_image(o, m->code->va, image);
  tiny_code code = wrong ? tn_kfd_object_wrong(d, wrong) : tn_kfd_add_kernels(d, m, o, image);
  if (code == TINY_OK) code = tn_kfd_check(d, tn_kfd_copy_in_at(d, m->code->va, image, nbytes, m->code->used));
  tiny_realloc(d->t, image, nbytes, 0);
  d->code_is_new = 1;
  return code;
}
static tiny_code tn_kfd_is_for_it(tn_kfd *d, const tn_amd_object *o) {
  if (o->chip && !strcmp(o->chip->name, d->node.chip->name)) return TINY_OK;
  return tiny_fail(d->t, TINY_E_DEVICE, "%s: a code object is for %s, but the GPU is %s: compile it for that", d->name,
                   o->chip ? o->chip->name : "a GPU that is not known here", d->node.chip->name);
}
static void *tn_kfd_load(void *dev, const void *binary, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  tn_amd_object o;
  if (tn_kfd_enter(d) != TINY_OK) return NULL;
  const char *wrong = tn_amd_object_open(&o, binary, nbytes);
  if (wrong) { tn_kfd_object_wrong(d, wrong); return NULL; }
  if (tn_kfd_is_for_it(d, &o) != TINY_OK) return NULL;
  const size_t size = (size_t)o.nsections * sizeof(uint64_t);
  uint64_t *where = (uint64_t *)tiny_realloc(d->t, NULL, 0, size);
  tn_kfd_module *m = (tn_kfd_module *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  tiny_code code = where && m ? TINY_OK : tn_kfd_no_room(d);
  if (m) memset(m, 0, sizeof *m);
  if (code == TINY_OK) {
    wrong = tn_amd_object_place(&o, where);
    code = wrong ? tn_kfd_object_wrong(d, wrong) : tn_kfd_fill_module(d, m, &o);
  }
  if (where) tiny_realloc(d->t, where, size, 0);
  if (code != TINY_OK && m) { tn_kfd_module_close(d, m); m = NULL; }
  return m;
}
static void *tn_kfd_find(void *dev, void *module, const char *name) {
  (void)dev;
  for (tn_kfd_kernel *k = ((tn_kfd_module *)module)->kernels; k; k = k->next) if (!strcmp(k->name, name)) return k;
  return NULL;
}
#endif
// ---- end src/amd/module.c ----
// ---- begin src/amd/launch.c ----
// launch: kernels with all that they are called with -> kernel arguments, packets.
//
// In:    tiny_launch. Out: for each its arguments in memory of the host, and packets in the ring.
// Holds: a kernel begins when the one before has ended and what it wrote is seen. The packets of several launches are
//        one submission.
// What is what: LLVM, User Guide for AMDGPU Backend: "Kernel Descriptor", "Initial Kernel Execution State", "Code
// Object V5 Kernel Argument Metadata" (arguments that compilers hide behind those of the source); how much scratch
// there is to be: ROCR-Runtime, amd_gpu_agent.cpp and amd_aql_queue.cpp.
#ifndef TN_KFD_LAUNCH
#define TN_KFD_LAUNCH
#ifndef TINY_AMALGAMATED
#include "module.c"
#endif

enum { TN_KFD_LAUNCH_WORDS = 96, TN_KFD_LDS_GRANULE = 512, TN_KFD_CLOCK_NS = 10 };
enum {                                     // kernel_code_properties: what stands in scalar registers from the first on
  TN_USE_SCRATCH_BUFFER = 1, TN_USE_PACKET = 2, TN_USE_QUEUE = 4, TN_USE_ARGS = 8, TN_USE_ID = 16, TN_USE_SCRATCH = 32,
  TN_USE_SCRATCH_SIZE = 64, TN_USE_WAVE32 = 1 << 10
};

// ** scratch **

static int tn_kfd_is_gfx9(const tn_kfd *d) { return d->node.chip->family == 9; }
// Firmware reads of AQL's queue where it is. Word 3 of what describes it: ROCR-Runtime, amd_aql_queue.cpp,
// FillBufRsrcWord3: words of 4 bytes, of 64 items beside each other, the item's number added.
static void tn_kfd_scratch_tell(tn_kfd *d) {
  enum { SWIZZLE = 1, WORD3 = 0xEA4FAC };
  tn_kfd_queue_page *p = (tn_kfd_queue_page *)(void *)d->queue[TN_KFD_COMPUTE].page->cpu;
  const uint64_t of_die = d->scratch->nbytes / d->node.dies;
  p->scratch = d->scratch->va; p->scratch_nbytes = of_die; p->lane_nbytes = (uint32_t)d->scratch_item;
  p->srd[0] = (uint32_t)d->scratch->va; p->srd[1] = (uint32_t)(d->scratch->va >> 32) | (uint32_t)SWIZZLE << 31;
  p->srd[2] = (uint32_t)of_die; p->srd[3] = WORD3;
  p->tmpring = d->tmpring;
}
// For as many waves as the GPU can hold that have some. What there was before is freed when nothing uses it any more,
// and lists that tell of it go.
static tiny_code tn_kfd_scratch_grow(tn_kfd *d, uint64_t of_item) {
  enum { MOST_WAVES = 0xFFF };
  const tn_kfd_node *n = &d->node;
  const uint64_t granule = tn_kfd_is_gfx9(d) ? 1024 : 256, units = tn_kfd_units(n) / n->dies;
  if (of_item <= d->scratch_item) return TINY_OK;
  of_item = tn_kfd_up(of_item, granule / 64);
  uint64_t waves = units * n->scratch_slots / (tn_kfd_is_gfx9(d) ? 1 : tn_kfd_engines(n));
  if (waves > MOST_WAVES) waves = MOST_WAVES;
  tn_kfd_memory *const was = d->scratch;
  tiny_code code = tn_kfd_submit_words(d, TN_KFD_COMPUTE);
  if (code == TINY_OK) code = tn_kfd_wait_for(d, TN_KFD_COMPUTE, d->queue[TN_KFD_COMPUTE].given);
  tn_kfd_memory *m = code == TINY_OK ? tn_kfd_memory_make(d, of_item * 64 * n->scratch_slots * units * n->dies, 0)
      : NULL;
  if (!m) return code == TINY_OK ? d->k.code : code;
  d->scratch = m;
  d->scratch_item = of_item;
  d->tmpring = (uint32_t)waves | (uint32_t)(of_item * 64 / granule) << 12;
  if (tn_kfd_is_aql(&d->queue[TN_KFD_COMPUTE])) tn_kfd_scratch_tell(d);
  if (was) tn_prepared_close_all(&d->prepared);
  tn_kfd_memory_free(d, was);
  return TINY_OK;
}

// ** what does not fit **

static tiny_code tn_kfd_fits(tn_kfd *d, const tiny_launch *l) {
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  for (int i = 0; i < 3; i++)
    if (l->local[i] < 1 || l->local[i] > 1024 || l->global[i] > UINT32_MAX / 1024)
      return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: dim %d has %lld groups of %lld items; this device takes %lld of "
                       "1024",
                       d->name, k->name, i, (long long)l->global[i], (long long)l->local[i],
                       (long long)(UINT32_MAX / 1024));
  if (items > TN_KFD_ITEMS || (uint64_t)items > k->most_items)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but this %s takes %lld", d->name, k->name,
                     (long long)items, items > TN_KFD_ITEMS ? "device" : "kernel",
                     items > TN_KFD_ITEMS ? (long long)TN_KFD_ITEMS : (long long)k->most_items);
  if (k->is.lds + l->local_nbytes > (uint64_t)d->node.shared_kib << 10)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %llu bytes of shared memory, but a group has %u KiB", d->name,
                     k->name,
                     (unsigned long long)(k->is.lds + l->local_nbytes), (unsigned)d->node.shared_kib);
  if (k->module->words ? l->nmem + l->nargs > TN_KFD_VALUES : (uint32_t)(l->nmem + l->nargs) * 8 > k->is.args_nbytes)
    return tiny_fail(d->t, k->module->words ? TINY_E_DEVICE : TINY_E_ARG,
                     "kernel: %s has %u bytes of parameters, but there are an output and %d inputs, addresses all",
                     k->name, (unsigned)k->is.args_nbytes, l->nmem + l->nargs - 1);
  return TINY_OK;
}

// ** arguments **

static size_t tn_kfd_source_nbytes(const tn_kfd_kernel *k, const tiny_launch *l) {
  return (size_t)(k->module->words ? TN_KFD_VALUES : l->nmem + l->nargs) * 8;
}
// Of a launch: arguments, and the packet that a kernel may look into.
static size_t tn_kfd_args_at_packet(const tn_kfd_kernel *k) {
  return (size_t)tn_kfd_up(k->is.args_nbytes > TN_KFD_VALUES * 8 ? k->is.args_nbytes : TN_KFD_VALUES * 8u, 64);
}
static size_t tn_kfd_args_nbytes(const void *kernel) {
  return tn_kfd_args_at_packet((const tn_kfd_kernel *)kernel) + sizeof(tn_kfd_aql_dispatch);
}
static uint64_t tn_kfd_value_of(const tiny_launch *l, int i) {
  return i < l->nmem ? tn_kfd_at(l->mem[i]) : (uint64_t)l->args[i - l->nmem];
}
// Parameter i of nmem + nargs.
static void tn_kfd_put_param(const tn_kfd_kernel *k, char *args, int i, int nmem, uint64_t value) {
  const int slot = i < nmem || !k->module->words ? i : TN_KFD_VALUES - 1 - (i - nmem);
  memcpy(args + (size_t)slot * 8, &value, sizeof value);
}
// Behind what the source has: groups, items of a group, dims.
static void tn_kfd_put_hidden(const tn_kfd_kernel *k, const tiny_launch *l, char *args) {
  enum { NBYTES = 256, GROUPS = 0, ITEMS = 12, DIMS = 64 };
  const size_t at = tn_kfd_source_nbytes(k, l);
  const uint16_t dims = 3;
  if (k->is.args_nbytes < at + NBYTES) return;
  for (int i = 0; i < 3; i++) {
    const uint32_t groups = (uint32_t)l->global[i];
    const uint16_t items = (uint16_t)l->local[i];
    memcpy(args + at + GROUPS + 4 * i, &groups, sizeof groups);
    memcpy(args + at + ITEMS + 2 * i, &items, sizeof items);
  }
  memcpy(args + at + DIMS, &dims, sizeof dims);
}
static tn_kfd_aql_dispatch tn_kfd_packet_of(const tiny_launch *l, uint64_t args) {
  enum { DIMS = 3 };
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  tn_kfd_aql_dispatch p;
  memset(&p, 0, sizeof p);
  p.header = TN_AQL_DISPATCH | TN_AQL_BARRIER | TN_AQL_ACQUIRE_AGENT | TN_AQL_RELEASE_AGENT;
  p.setup = DIMS; p.scratch = k->is.scratch; p.shared = k->is.lds + (uint32_t)l->local_nbytes;
  p.kernel = k->at; p.args = args;
  for (int i = 0; i < 3; i++) {
    p.local[i] = (uint16_t)l->local[i];
    p.items[i] = (uint32_t)(l->global[i] * l->local[i]);
  }
  return p;
}
// At `at`, which the GPU sees at va.
static void tn_kfd_write_args(const tiny_launch *l, char *at, uint64_t va) {
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  const tn_kfd_aql_dispatch p = tn_kfd_packet_of(l, va);
  const size_t packet = tn_kfd_args_at_packet(k);
  memset(at, 0, packet);
  for (int i = 0; i < l->nmem + l->nargs; i++) tn_kfd_put_param(k, at, i, l->nmem, tn_kfd_value_of(l, i));
  tn_kfd_put_hidden(k, l, at);
  memcpy(at + packet, &p, sizeof p);
}

// ** packets **

static void tn_kfd_user_data(const tn_kfd *d, const tn_kfd_kernel *k, uint64_t args, tn_kfd_words *w) {
  enum { SWIZZLE = 1, WORD3 = 0x20C14000 };                // gfx11, SQ_BUF_RSRC_WORD3 (Mesa, sid.h)
  const uint64_t scratch = d->scratch ? d->scratch->va : 0;
  const int uses = k->is.properties;
  if (uses & TN_USE_SCRATCH_BUFFER) {
    tn_kfd_address(w, scratch | (uint64_t)SWIZZLE << 63);
    tn_kfd_word(w, UINT32_MAX);
    tn_kfd_word(w, WORD3);
  }
  if (uses & TN_USE_PACKET) tn_kfd_address(w, args + tn_kfd_args_at_packet(k));
  if (uses & TN_USE_QUEUE) tn_kfd_address(w, d->queue[TN_KFD_COMPUTE].page->va);
  if (uses & TN_USE_ARGS) tn_kfd_address(w, args);
  if (uses & TN_USE_ID) tn_kfd_address(w, 0);
  if (uses & TN_USE_SCRATCH) tn_kfd_address(w, scratch);
  if (uses & TN_USE_SCRATCH_SIZE) tn_kfd_word(w, k->is.scratch);
}
static void tn_kfd_set_program(const tn_kfd *d, const tiny_launch *l, tn_kfd_words *w) {
  enum { PRIVILEGED = 1 << 20, LDS_AT = 15 };
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  const uint64_t shared = tn_kfd_up(k->is.lds + l->local_nbytes, TN_KFD_LDS_GRANULE) / TN_KFD_LDS_GRANULE;
  tn_pm4_registers(w, TN_SH_PGM_LO, 2);
  tn_kfd_address(w, k->entry >> 8);
  tn_pm4_registers(w, TN_SH_RSRC1, 2);
  // gfx11: waves that are saved in the middle come back right with it alone (tinygrad, runtime/ops_amd.py)
  tn_kfd_word(w, k->is.rsrc1 | (d->node.chip->family == 11 ? (uint32_t)PRIVILEGED : 0));
  tn_kfd_word(w, (k->is.rsrc2 & ~(0x1FFu << LDS_AT)) | (uint32_t)shared << LDS_AT);
  tn_pm4_register(w, tn_kfd_is_gfx9(d) ? TN_SH_RSRC3_GFX9 : TN_SH_RSRC3, k->is.rsrc3);
  tn_pm4_register(w, TN_SH_TMPRING, k->is.scratch ? d->tmpring : 0);
  if (!k->is.scratch) return;
  tn_pm4_registers(w, TN_SH_SCRATCH_BASE, 2);
  tn_kfd_address(w, d->scratch->va >> 8);
}
// The groups of a launch, as words of PM4.
static void tn_kfd_dispatch(const tn_kfd *d, const tiny_launch *l, uint64_t args, tn_kfd_words *w) {
  enum { ENABLE = 1, FROM_0 = 1 << 2, WAVE32 = 1 << 15 };
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  tn_kfd_words user;
  user.n = 0;
  tn_kfd_set_program(d, l, w);
  tn_pm4_registers(w, TN_SH_RESTART, 3);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, 0);
  tn_kfd_user_data(d, k, args, &user);
  if (user.n) tn_pm4_registers(w, TN_SH_USER_DATA, user.n);
  for (int i = 0; i < user.n; i++) tn_kfd_word(w, user.at[i]);
  tn_pm4_register(w, TN_SH_LIMITS, 0);
  tn_pm4_registers(w, TN_SH_START, 8);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, 0);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, (uint64_t)l->local[i]);
  for (int i = 0; i < 2; i++) tn_kfd_word(w, 0);
  tn_pm4(w, TN_PM4_DISPATCH_DIRECT, 4);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, (uint64_t)l->global[i]);
  tn_kfd_word(w, (uint32_t)(ENABLE | FROM_0 | (k->is.properties & TN_USE_WAVE32 ? WAVE32 : 0)));
}
// signal: counted down, with the times in it; 0: none.
static void tn_kfd_aql(const tiny_launch *l, uint64_t args, uint64_t signal, tn_kfd_words *w) {
  tn_kfd_aql_dispatch p = tn_kfd_packet_of(l, args);
  p.signal = signal;
  tn_kfd_struct(w, &p, sizeof p);
}
// What follows kernels before: they have ended, and what they wrote is seen.
static void tn_kfd_between(const tn_kfd *d, tn_kfd_words *w) {
  tn_pm4_idle(w);
  tn_pm4_acquire(w, d->node.chip->family, 0, 0);
}
// Before the first launch of a submission: what was copied is there, and nothing old is in the caches.
static tiny_code tn_kfd_begin_launches(tn_kfd *d) {
  tn_kfd_words w;
  tiny_code code = tn_kfd_after(d, TN_KFD_COMPUTE, TN_KFD_IN, d->queue[TN_KFD_IN].given);
  if (code == TINY_OK) code = tn_kfd_room(d, TN_KFD_COMPUTE, TN_KFD_LAUNCH_WORDS);
  if (code != TINY_OK) return code;
  w.n = 0;
  tn_pm4_idle(&w);
  tn_pm4_acquire(&w, d->node.chip->family, d->code_is_new, 1);
  d->code_is_new = 0;
  return tn_kfd_push_pm4(d, &w);
}

// ** times **

// Below 0: it is not timed.
static int tn_kfd_stamp_new(tn_kfd *d, uint64_t *out) {
  if (!out || d->nstamp == TN_KFD_STAMPS) return -1;
  if (d->nstamp == d->stamp_cap) {
    const size_t cap = (size_t)d->stamp_cap, more = cap ? cap * 2 : 32;
    tn_kfd_stamp *s = (tn_kfd_stamp *)tiny_realloc(d->t, d->stamp, cap * sizeof *s, more * sizeof *s);
    if (!s) return -1;
    d->stamp = s;
    d->stamp_cap = (int)more;
  }
  d->stamp[d->nstamp].out = out;
  return d->nstamp++;
}
static tn_kfd_signal *tn_kfd_stamp_at(const tn_kfd *d, int number) {
  return (tn_kfd_signal *)(void *)d->signals->cpu + TN_KFD_QUEUES + number;
}
static uint64_t tn_kfd_stamp_va(const tn_kfd *d, int number, size_t member) {
  return d->signals->va + (uint64_t)(TN_KFD_QUEUES + number) * sizeof(tn_kfd_signal) + member;
}
static void tn_kfd_stamp_words(const tn_kfd *d, int number, size_t member, tn_kfd_words *w) {
  if (number >= 0)
    tn_pm4_release(w, d->node.chip->family, tn_kfd_stamp_va(d, number, member), 0, TN_KFD_DATA_CLOCK);
}
// After sync. The clock has 100 MHz.
static void tn_kfd_stamps_tell(tn_kfd *d) {
  for (int i = 0; i < d->nstamp; i++) {
    const tn_kfd_signal *s = tn_kfd_stamp_at(d, i);
    d->stamp[i].out[0] = s->begin * TN_KFD_CLOCK_NS;
    d->stamp[i].out[1] = s->end * TN_KFD_CLOCK_NS;
  }
  d->nstamp = 0;
}

// ** launches **

static int tn_kfd_is_empty(const tiny_launch *l) { return l->global[0] < 1 || l->global[1] < 1 || l->global[2] < 1; }
// It may write to any of its memory.
static void tn_kfd_use_all(tn_kfd *d, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++) tn_kfd_use(d, l->mem[i]);
}
// stamp: its number; below 0: it is not timed.
static void tn_kfd_launch_words(const tn_kfd *d, const tiny_launch *l, uint64_t args, int stamp, int first,
                                tn_kfd_words *w) {
  if (tn_kfd_is_aql(&d->queue[TN_KFD_COMPUTE])) {
    tn_kfd_aql(l, args, stamp < 0 ? 0 : tn_kfd_stamp_va(d, stamp, 0), w);
    return;
  }
  if (!first) tn_kfd_between(d, w);
  tn_kfd_stamp_words(d, stamp, offsetof(tn_kfd_signal, begin), w);
  tn_kfd_dispatch(d, l, args, w);
  tn_kfd_stamp_words(d, stamp, offsetof(tn_kfd_signal, end), w);
}
// first: of a submission.
static tiny_code tn_kfd_launch_one(tn_kfd *d, const tiny_launch *l, int first) {
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  tn_kfd_words w;
  tiny_code code = tn_kfd_scratch_grow(d, k->is.scratch);
  if (code == TINY_OK && first) code = tn_kfd_begin_launches(d);
  if (code == TINY_OK) code = tn_kfd_room(d, TN_KFD_COMPUTE, TN_KFD_LAUNCH_WORDS);
  char *const at = code == TINY_OK ? tn_kfd_ring_take(d, &d->args, tn_kfd_args_nbytes(k), 256) : NULL;
  if (!at) return tn_kfd_failed(d);
  tn_kfd_write_args(l, at, tn_kfd_ring_va(&d->args, at));
  w.n = 0;
  tn_kfd_launch_words(d, l, tn_kfd_ring_va(&d->args, at), tn_kfd_stamp_new(d, l->stamp), first, &w);
  tn_kfd_push(&d->queue[TN_KFD_COMPUTE], &w);
  tn_kfd_use_all(d, l);
  return TINY_OK;
}
// What was written of a submission that is refused in its middle, is submitted all the same.
static tiny_code tn_kfd_launch_all(tn_kfd *d, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  int given = 0;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    if (tn_kfd_is_empty(&l[i])) continue;
    code = tn_kfd_fits(d, &l[i]);
    if (code == TINY_OK) code = tn_kfd_launch_one(d, &l[i], !given++);
  }
  const tiny_code submitted = d->lost ? TINY_OK : tn_kfd_submit_words(d, TN_KFD_COMPUTE);
  return code != TINY_OK ? code : tn_kfd_check(d, submitted);
}
static tiny_code tn_kfd_launch(void *dev, const tiny_launch *l) {
  tn_kfd *d = (tn_kfd *)dev;
  const tiny_code code = tn_kfd_enter(d);
  return code == TINY_OK ? tn_kfd_launch_all(d, l, 1) : code;
}
#endif
// ---- end src/amd/launch.c ----
// ---- begin src/amd/graph.c ----
// graph: launches that are handed over together again and again, as packets that were prepared (base/prepared.c).
//
// In:    the launches of a submit. Out: one submission: of PM4 a packet that names the list; of AQL its packets.
// Holds: where scratch lies stands in the packets of PM4: when it moves, all lists go.
#ifndef TN_KFD_GRAPH
#define TN_KFD_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

static const void *tn_kfd_module_of(const void *kernel) { return ((const tn_kfd_kernel *)kernel)->module; }
static tiny_code tn_kfd_ready(void *user, const tiny_launch *l) { return tn_kfd_fits((tn_kfd *)user, l); }
static void tn_kfd_prepared_write(void *user, const tiny_launch *l, char *args, uint64_t va) {
  (void)user;
  tn_kfd_write_args(l, args, va);
}
static void tn_kfd_prepared_put(const tiny_launch *l, int i, uint64_t value, char *args) {
  tn_kfd_put_param((const tn_kfd_kernel *)l->kernel, args, i, l->nmem, value);
}
static size_t tn_kfd_prepared_command(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at) {
  const tn_kfd *d = (const tn_kfd *)user;
  tn_kfd_words w;
  w.n = 0;
  tn_kfd_launch_words(d, l, args, -1, first, &w);
  memcpy(at, w.at, (size_t)w.n * 4);
  return (size_t)w.n;
}
static void *tn_kfd_prepared_make(void *user, size_t nbytes, char **cpu, uint64_t *va) {
  tn_kfd *d = (tn_kfd *)user;
  tn_kfd_memory *m = tn_kfd_memory_make(d, nbytes, 1);
  if (!m) { tn_kfd_failed(d); return NULL; }
  *cpu = m->cpu;
  *va = m->va;
  return m;
}
static void tn_kfd_prepared_drop(void *user, void *memory) {
  tn_kfd_memory_free((tn_kfd *)user, (tn_kfd_memory *)memory);
}
static uint64_t tn_kfd_prepared_done(void *user) { return tn_kfd_done(&((tn_kfd *)user)->queue[TN_KFD_COMPUTE]); }
static tiny_code tn_kfd_prepared_wait(void *user, uint64_t number) {
  tn_kfd *d = (tn_kfd *)user;
  return d->lost ? TINY_E_DEVICE : tn_kfd_check(d, tn_kfd_wait_for(d, TN_KFD_COMPUTE, number));
}
static const tn_prepared_calls tn_kfd_prepared_calls = {
  TN_KFD_LAUNCH_WORDS, tn_kfd_module_of, tn_kfd_args_nbytes, tn_kfd_value_of, tn_kfd_ready, tn_kfd_prepared_write,
  tn_kfd_prepared_put, NULL, tn_kfd_prepared_command, tn_kfd_prepared_make, tn_kfd_prepared_drop, tn_kfd_prepared_done,
  tn_kfd_prepared_wait
};

// Packets of AQL go into the ring themselves: its firmware reads no list of them.
static tiny_code tn_kfd_push_list(tn_kfd *d, const tn_prepared_graph *g, const tn_prepared_list *list) {
  const char *const at = list->cpu + g->nbytes;
  tn_kfd_queue *q = &d->queue[TN_KFD_COMPUTE];
  tiny_code code = TINY_OK;
  tn_kfd_words w;
  w.n = 0;
  if (!tn_kfd_is_aql(q)) {
    code = tn_kfd_room(d, TN_KFD_COMPUTE, TN_KFD_LAUNCH_WORDS);
    tn_pm4_list(&w, list->va + g->nbytes, list->nwords);
    if (code == TINY_OK) tn_kfd_push(q, &w);
    return code;
  }
  for (size_t i = 0; i < list->nwords && code == TINY_OK; i += 16) {
    code = tn_kfd_room(d, TN_KFD_COMPUTE, 16);
    w.n = 0;
    tn_kfd_struct(&w, at + i * 4, 64);
    if (code == TINY_OK) tn_kfd_push(q, &w);
  }
  return code;
}
static tiny_code tn_kfd_graph_submit(tn_kfd *d, tn_prepared_graph *g, const tiny_launch *l) {
  tn_prepared_list *list = tn_prepared_list_of(&d->prepared, g, l);
  if (!list) return tiny_status(d->t);
  for (int i = 0; i < g->n; i++) tn_kfd_use_all(d, &l[i]);
  tiny_code code = tn_kfd_begin_launches(d);
  if (code == TINY_OK) code = tn_kfd_push_list(d, g, list);
  if (code == TINY_OK) code = tn_kfd_submit_words(d, TN_KFD_COMPUTE);
  list->busy = d->queue[TN_KFD_COMPUTE].given;
  return tn_kfd_check(d, code);
}
static tiny_code tn_kfd_submit(void *dev, const tiny_launch *l, int n) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = tn_kfd_enter(d);
  for (int i = 0; i < n && code == TINY_OK; i++)           // before a list is looked for, which would go
    code = tn_kfd_check(d, tn_kfd_scratch_grow(d, ((const tn_kfd_kernel *)l[i].kernel)->is.scratch));
  if (code != TINY_OK) return code;
  tn_prepared_graph *g = tn_prepared_of(&d->prepared, l, n);
  return g ? tn_kfd_graph_submit(d, g, l) : tn_kfd_launch_all(d, l, n);
}
#endif
// ---- end src/amd/graph.c ----
// ---- begin src/amd/compile.c ----
// compile: HIP C -> a code object, by what a tiny_amd_system brings, or clang; assembly -> a code object, here.
//
// In:    HIP C, which includes nothing, or assembly, which begins with .amdgcn_target (amd_assembly.c). Out: a code
//        object for the device, or what the compiler says. They are kept in the library's disk cache.
// Holds: clang alone is run, once for a module: no linker, no library, no header of ROCm. What is found is taken for
//        the device, and told in the log (letter p). Nothing is written to disk.
// What is what: Clang, User's Manual and "HIP Support" (--cuda-device-only, -nogpuinc, -nogpulib); -emit-obj stands
// behind -S, so that cc1 writes the object that the driver would have linked.
#ifndef TN_KFD_COMPILE
#define TN_KFD_COMPILE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../base/tool.c"
#include "../isa/amd_assembly.c"
#endif

// TINY_AMD_CLANG, then ROCm's, then the newest in the folders of PATH that are absolute. 0: it is in none.
static int tn_kfd_find_clang(char *out, size_t nbytes) {
  static const char *const names[] = {"amdclang", "clang-23", "clang-22", "clang-21", "clang-20", "clang-19",
    "clang-18", "clang-17", "clang", NULL};
  const char *named = getenv("TINY_AMD_CLANG");
  if (named && *named) { snprintf(out, nbytes, "%s", named); return tn_tool_is_program(out); }
  snprintf(out, nbytes, "/opt/rocm/llvm/bin/clang");
  return tn_tool_is_program(out) || tn_tool_find(names, out, nbytes);
}
static tiny_code tn_kfd_find_compiler(tn_kfd *d) {
  if (!d->compiler_asked++ && !d->k.sys.compile) {
    if (!tn_kfd_find_clang(d->compiler, sizeof d->compiler)) d->compiler[0] = 0;
    else tiny_log_line(d->t, 'p', "%s: HIP C is compiled by %s", d->name, d->compiler);
  }
  if (d->k.sys.compile || d->compiler[0]) return TINY_OK;
  return tiny_fail(d->t, TINY_E_COMPILE,
                   "%s: a kernel is to be compiled and there is no clang that knows AMD's GPUs: install clang 17 or "
                   "later (or ROCm, whose clang is taken), name it in TINY_AMD_CLANG, or bring the program's kernels "
                   "in tiny_desc.cache_file from a machine that has one (tiny_cache_export)", d->name);
}

// Products and sums are fused where the list says FMA, nowhere else. LLVM 19's vectorizer of straight code loses the
// sign of some negations for gfx942 (tests/test_amd.sh: minima of bf16); lists have their lanes already.
static int tn_kfd_by_clang(const char *path, const char *hip, const char *target, tn_tool_made *out) {
  char arch[48];
  snprintf(arch, sizeof arch, "--offload-arch=%s", target);
  const char *const words[] = {"clang", "-x", "hip", "--cuda-device-only", arch, "-nogpuinc", "-nogpulib", "-O3", "-w",
    "-ffp-contract=off", "-fno-slp-vectorize", "-fno-temp-file", "-S", "-Xclang", "-emit-obj", "<", "-o", ">", NULL};
  return tn_tool_make(path, words, hip, out);
}

// ** as the backend is asked **

typedef struct tn_kfd_batch { tn_kfd *d; const tiny_bytes *source; tn_tool_made *made; int *result; } tn_kfd_batch;
static void tn_kfd_compile_task(void *arg, int i) {
  const tn_kfd_batch *b = (const tn_kfd_batch *)arg;
  const tiny_amd_system *s = &b->d->k.sys;
  tn_tool_made *m = &b->made[i];
  if (tn_amd_is_assembly(b->source[i].data)) return;
  const char *target = b->d->node.chip->name;
  b->result[i] = s->compile ? s->compile(s->user, b->source[i].data, target, &m->bytes, &m->nbytes, m->log,
                                         sizeof m->log)
                            : tn_kfd_by_clang(b->d->compiler, b->source[i].data, target, m);
}
static tiny_code tn_kfd_refused(tn_kfd *d, const tn_tool_made *m, tiny_bytes *log) {
  const size_t n = strlen(m->log);
  tiny_bytes_add(log, m->log, n);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a kernel is not compiled for %s: %.600s", d->name, d->node.chip->name,
                   n ? m->log : "it is not said why");
}
static tiny_code tn_kfd_assemble(tn_kfd *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  const tn_amd_chip *chip = NULL;
  const tiny_code before = tiny_status(d->t);
  tn_tool_made m;
  tn_amd_error e;
  for (int i = 0; i < TN_AMD_CHIPS; i++)
    if (!strcmp(tn_amd_chips[i].name, d->node.chip->name)) chip = &tn_amd_chips[i];
  if (!chip) return tiny_fail(d->t, TINY_E_COMPILE, "%s: there is no assembler for it", d->name);
  if (tn_amd_assemble_object(binary, chip, source->data, source->n, &e))
    return before == TINY_OK ? tiny_status(d->t) : TINY_OK;          // memory may have been refused
  snprintf(m.log, sizeof m.log, "line %d, column %d: %s", e.line, e.column, e.sentence);
  return tn_kfd_refused(d, &m, log);
}
static tiny_code tn_kfd_take(const tn_kfd_batch *b, int i, tiny_bytes *binary, tiny_bytes *log) {
  const tn_tool_made *m = &b->made[i];
  if (tn_amd_is_assembly(b->source[i].data)) return tn_kfd_assemble(b->d, &b->source[i], binary, log);
  if (b->result[i] || !m->bytes) return tn_kfd_refused(b->d, m, log);
  tiny_bytes_add(binary, m->bytes, m->nbytes);
  return TINY_OK;
}
// Processes run beside each other; what a host brings is called on this thread.
static tiny_code tn_kfd_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = TINY_OK;
  int hip = 0;
  for (int i = 0; i < n; i++) hip += !tn_amd_is_assembly(source[i].data);
  if (hip) code = tn_kfd_find_compiler(d);
  if (code != TINY_OK) return code;
  const size_t size = (size_t)n * (sizeof(tn_tool_made) + sizeof(int));
  tn_tool_made *made = (tn_tool_made *)tiny_realloc(d->t, NULL, 0, size);
  if (!made) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for compiled kernels", d->name);
  memset(made, 0, size);
  tn_kfd_batch b = {d, source, made, (int *)(void *)(made + n)};
  if (!d->k.sys.compile) tiny_parallel(d->t, n, tn_kfd_compile_task, &b);
  else for (int i = 0; i < n; i++) tn_kfd_compile_task(&b, i);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK) code = tn_kfd_take(&b, i, &binary[i], log);
    free(made[i].bytes);
  }
  tiny_realloc(d->t, made, size, 0);
  return code;
}
#endif
// ---- end src/amd/compile.c ----
// ---- begin src/amd/disassemble.c ----
// disassemble: code objects -> assembly, which amd_assembly.c takes again.
//
// In:    a code object, linked or not, that the caller may have from anywhere. Out: text of its kernels, jumps by their
//        distances. Nothing is kept.
#ifndef TN_KFD_DISASSEMBLE
#define TN_KFD_DISASSEMBLE
#ifndef TINY_AMALGAMATED
#include "../isa/amd_assembly.c"
#endif
#include <stdlib.h>

typedef struct tn_kfd_text { char *out; size_t n, most; } tn_kfd_text;     // n: what it would have without a limit

static void tn_kfd_put(tn_kfd_text *t, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++, t->n++) if (t->n + 1 < t->most) t->out[t->n] = text[i];
  if (t->most) t->out[t->n < t->most ? t->n : t->most - 1] = 0;
}
static void tn_kfd_put_ask(tn_kfd_text *t, int ask, long value) {
  char line[80];
  if (value == tn_amd_asks[ask].usual) return;
  tn_kfd_put(t, line, (size_t)snprintf(line, sizeof line, "  .amdhsa_%s %ld\n", tn_amd_asks[ask].name, value));
}
// Code of a kernel: as long as its function's symbol says, else to the image's end.
static uint64_t tn_kfd_code_nbytes(const tn_amd_object *o, const tn_amd_kernel *k) {
  const uint64_t rest = (o->image_nbytes - k->entry) / 4 * 4;
  tn_amd_object_symbol y;
  for (uint64_t i = 0; tn_amd_object_symbol_at(o, i, &y); i++)
    if (y.n == k->name_n && !memcmp(y.name, k->name, y.n) && y.nbytes && y.nbytes < rest) return y.nbytes / 4 * 4;
  return rest;
}
static void tn_kfd_put_code(tn_kfd_text *t, const tn_amd_object *o, const tn_amd_kernel *k, const uint8_t *image) {
  const uint64_t nbytes = tn_kfd_code_nbytes(o, k);
  for (uint64_t at = 0; at < nbytes; ) {
    uint32_t words[TN_AMD_MOST_WORDS];
    char line[200];
    tn_amd_ins ins;
    int n = 0;
    while (n < TN_AMD_MOST_WORDS && at + (uint64_t)n * 4 < nbytes) {
      words[n] = (uint32_t)tn_amd_get_bytes(image + k->entry + at + (uint64_t)n * 4, 4);
      n++;
    }
    const int taken = tn_amd_decode(o->chip->family, words, n, &ins);
    if (taken) tn_amd_print(&ins, line, sizeof line);
    else snprintf(line, sizeof line, ".long 0x%08x", (unsigned)words[0]);
    tn_kfd_put(t, "  ", 2);
    tn_kfd_put(t, line, strlen(line));
    tn_kfd_put(t, "\n", 1);
    at += (uint64_t)(taken ? taken : 1) * 4;
  }
}
// What rsrc1 to 3 say, as directives. SGPRs are told on gfx9 alone, with 6 that are reserved.
static void tn_kfd_put_needs(tn_kfd_text *t, const tn_amd_object *o, const tn_amd_descriptor *d) {
  const int nine = o->chip->family == TN_AMD_GFX9, wave32 = (d->properties & TN_AMD_WAVE32) != 0;
  const int sgprs = nine ? (int)((d->rsrc1 >> 6 & 15) / 2 + 1) * 16 - 6 : o->chip->sgprs;
  tn_kfd_put_ask(t, TN_AMD_ASK_LDS, (long)d->lds);
  tn_kfd_put_ask(t, TN_AMD_ASK_SCRATCH, (long)d->scratch);
  tn_kfd_put_ask(t, TN_AMD_ASK_ARGS, (long)d->args_nbytes);
  tn_kfd_put_ask(t, TN_AMD_ASK_VGPRS, tn_amd_described_vgprs(o->chip, d));
  tn_kfd_put_ask(t, TN_AMD_ASK_SGPRS, sgprs < o->chip->sgprs ? sgprs : o->chip->sgprs);
  if (nine) tn_kfd_put_ask(t, TN_AMD_ASK_ACCUM, (long)(d->rsrc3 & 63) * 4 + 4);
  tn_kfd_put_ask(t, TN_AMD_ASK_USER, (long)(d->rsrc2 >> 1 & 31));
  tn_kfd_put_ask(t, TN_AMD_ASK_DISPATCH, (d->properties & TN_AMD_FROM_DISPATCH) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_QUEUE, (d->properties & TN_AMD_FROM_QUEUE) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_KERNARG, (d->properties & TN_AMD_FROM_ARGS) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_ID, (d->properties & TN_AMD_FROM_ID) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_SIZE, (d->properties & TN_AMD_FROM_SCRATCH_NBYTES) != 0);
  for (int i = 0; i < 3; i++) tn_kfd_put_ask(t, TN_AMD_ASK_X + i, (long)(d->rsrc2 >> (7 + i) & 1));
  tn_kfd_put_ask(t, TN_AMD_ASK_LANES, (long)(d->rsrc2 >> 11 & 3));
  if (!nine) tn_kfd_put_ask(t, TN_AMD_ASK_WAVE32, wave32);
  if (!nine) tn_kfd_put_ask(t, TN_AMD_ASK_WGP, (long)(d->rsrc1 >> 29 & 1));
}
static void tn_kfd_put_kernel(tn_kfd_text *t, const tn_amd_object *o, const tn_amd_kernel *k, const uint8_t *image) {
  tn_kfd_put(t, k->name, k->name_n);
  tn_kfd_put(t, ":\n", 2);
  tn_kfd_put_code(t, o, k, image);
  tn_kfd_put(t, ".amdhsa_kernel ", 15);
  tn_kfd_put(t, k->name, k->name_n);
  tn_kfd_put(t, "\n", 1);
  tn_kfd_put_needs(t, o, &k->descriptor);
  tn_kfd_put(t, ".end_amdhsa_kernel\n", 19);
}
// NULL, or what is wrong.
static const char *tn_kfd_put_object(tn_kfd_text *t, tn_amd_object *o, uint64_t *where, uint8_t **image) {
  tn_amd_kernel k;
  char target[64];
  const char *wrong = o->chip ? tn_amd_object_place(o, where) : "it is for a GPU that is not known here";
  if (wrong) return wrong;
  *image = (uint8_t *)calloc(1, (size_t)o->image_nbytes);
  if (!*image) return "there is no memory for it";
  wrong = tn_amd_object_image(o, 0, *image);
  if (wrong) return wrong;
  tn_kfd_put(t, target, (size_t)snprintf(target, sizeof target, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n",
                                         o->chip->name));
  for (uint64_t i = 0; tn_amd_object_next(o, *image, &i, &k, &wrong); ) tn_kfd_put_kernel(t, o, &k, *image);
  return wrong;
}
TINY_API size_t tiny_amd_disassemble(const void *object, size_t nbytes, char *out, size_t out_nbytes) {
  tn_kfd_text t = {out, 0, out_nbytes};
  tn_amd_object o;
  uint8_t *image = NULL;
  const char *wrong = object ? tn_amd_object_open(&o, object, nbytes) : "there is none";
  uint64_t *const where = wrong ? NULL : (uint64_t *)malloc((size_t)o.nsections * sizeof *where);
  if (!wrong) wrong = where ? tn_kfd_put_object(&t, &o, where, &image) : "there is no memory for it";
  free(where);
  free(image);
  if (!wrong) return t.n;
  t.n = 0;
  tn_kfd_put(&t, wrong, strlen(wrong));
  return 0;
}
#endif
// ---- end src/amd/disassemble.c ----
// ---- begin src/amd/info.c ----
// info: what the driver tells of its GPUs, without a context of the library's.
//
// In:    a system, or NULL. Out: a row for each GPU. Nothing is left open.
#ifndef TN_KFD_INFO
#define TN_KFD_INFO
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static void tn_kfd_tell(tn_kfd_driver *k, const tn_kfd_node *n, tiny_amd_gpu *out) {
  tn_kfd_available a = {0, n->gpu, 0};
  char path[40];
  snprintf(out->name, sizeof out->name, "%.63s", n->name);
  snprintf(out->target, sizeof out->target, "gfx%u%u%x", (unsigned)(n->version / 10000 % 1000),
           (unsigned)(n->version / 100 % 100), (unsigned)(n->version % 100));
  out->node = n->number; out->minor = (int)n->minor;
  out->units = (int)tn_kfd_units(n); out->dies = (int)n->dies; out->waves = (int)n->waves;
  out->shared_nbytes = (size_t)n->shared_kib << 10; out->nbytes = n->nbytes;
  out->version[0] = (int)k->version.major; out->version[1] = (int)k->version.minor;
  snprintf(path, sizeof path, "/dev/dri/renderD%u", (unsigned)n->minor);
  const int file = k->sys.open(k->sys.user, path, TN_DRIVER_OPEN);
  if (file >= 0) k->sys.close(k->sys.user, file);
  if (tn_kfd_errno(k, file, path) != TINY_OK || tn_kfd_known(k, n) != TINY_OK)
    snprintf(out->error, sizeof out->error, "%s", k->why);
  if (tn_kfd_ask(k, TN_KFD_BOTH, TN_KFD_AVAILABLE, &a, sizeof a) >= 0) out->free_nbytes = a.nbytes;      // KFD 1.9
}
TINY_API int tiny_amd_gpus(const tiny_amd_system *system, tiny_amd_gpu *out, int n) {
  tn_kfd_driver k;
  tn_kfd_node nodes[TN_KFD_GPUS];
  if (n > 0) memset(out, 0, (size_t)n * sizeof *out);
  const tiny_code code = tn_kfd_driver_open(&k, system);
  const int found = code == TINY_OK ? tn_kfd_nodes(&k, nodes, TN_KFD_GPUS) : 0;
  if (code == TINY_OK && !found)
    tn_kfd_wrong(&k, TINY_E_DEVICE, "the driver (KFD %u.%u) finds no GPU that computes", (unsigned)k.version.major,
                 (unsigned)k.version.minor);
  for (int i = 0; i < found && i < n && i < TN_KFD_GPUS; i++) tn_kfd_tell(&k, &nodes[i], &out[i]);
  if (!found && n > 0) snprintf(out->error, sizeof out->error, "%s", k.why);
  tn_kfd_driver_close(&k);
  return found;
}
#endif
// ---- end src/amd/info.c ----
// ---- begin src/amd/open.c ----
// open: a device as others see it: opened and closed, what schedules ask of it, that all has happened.
//
// In:    calls of the library, one at a time. Out: what the contract of tiny_backend says.
#ifndef TN_KFD_OPEN
#define TN_KFD_OPEN
#ifndef TINY_AMALGAMATED
#include "graph.c"
#include "share.c"
#include "compile.c"
#include "info.c"
#include "../render/lang_hip.c"
#endif

// ** how kernels are written **

static void tn_kfd_renderer(void *dev, tiny_renderer *out) { tn_lang_hip(out, ((const tn_kfd *)dev)->node.chip->name); }

// What schedules ask. A unit is what shares memory: a CU, or RDNA's WGP of two; bytes that an item loads at once: LLVM,
// global_load_b128.
static void tn_kfd_limits(const tn_kfd *d, tiny_limits *out) {
  const tn_kfd_chip *c = d->node.chip;
  out->warp = c->warp;
  out->compute_units = (int)tn_kfd_units(&d->node) / (c->family == 9 ? 1 : 2);
  out->vector_nbytes = 16; out->vector_registers = c->registers_most < 255 ? c->registers_most : 255;
  out->units = tiny_warp_units(c->name, &out->nunits);
  out->dtypes = TN_CUDA_ARITHMETIC; out->atomics = TN_CUDA_ATOMICS;
  out->shared_nbytes = (size_t)d->node.shared_kib << 10;
  out->local_total = 1024;
  out->global_max[0] = UINT32_MAX / 1024; out->global_max[1] = out->global_max[2] = 65535;
  for (int i = 0; i < 3; i++) { out->local_max[i] = 1024; out->memory[i].line = 128; }
  out->memory[0].nbytes = out->memory[1].nbytes = out->cache_nbytes = (size_t)(c->family == 9 ? 32 : 64) << 10;
  out->memory[2].nbytes = (size_t)c->cache_mib << 20;
}

// ** opened and closed **

static uint64_t tn_kfd_timeout(void) {
  enum { USUAL_MS = 60000 };
  const char *given = getenv("TINY_AMD_TIMEOUT_MS");
  const uint64_t ms = given ? tn_digits_value(given, 10, NULL) : 0;
  return (ms && ms < UINT64_C(1) << 32 ? ms : (uint64_t)USUAL_MS) * 1000000u;
}
static tiny_code tn_kfd_open_rings(tn_kfd *d) {
  tiny_code code = tn_kfd_ring_make(d, &d->args, TN_KFD_COMPUTE, 256 << 10);
  if (code == TINY_OK) code = tn_kfd_ring_make(d, &d->stage_in, TN_KFD_IN, TN_KFD_STAGE);
  return code == TINY_OK ? tn_kfd_ring_make(d, &d->stage_out, TN_KFD_OUT, TN_KFD_STAGE) : code;
}
static tiny_code tn_kfd_begin(tn_kfd *d, const char *which) {
  const tiny_amd_system *system;
  uint64_t number;
  if (!tn_kfd_which(which, &system, &number))
    return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "there is no device AMD:%.40s; devices are numbers, AMD:0, AMD:1 ..",
                        which);
  snprintf(d->name, sizeof d->name, "AMD%s%.16s", *which && !system ? ":" : "", system ? "" : which);
  tiny_code code = tn_kfd_driver_open(&d->k, system);
  if (code == TINY_OK) code = tn_kfd_choose(d, number);
  if (code == TINY_OK) code = tn_kfd_open_vm(d);
  if (code == TINY_OK) code = tn_kfd_open_events(d);
  if (code == TINY_OK) code = tn_kfd_open_queues(d);
  return code == TINY_OK ? tn_kfd_open_rings(d) : code;
}
static void tn_kfd_close(void *dev) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!d->lost) tn_kfd_wait_all(d);
  tn_kfd_let_go(d);
  tn_kfd_part(d);
  tn_prepared_close_all(&d->prepared);
  tn_kfd_modules_close(d);
  tn_kfd_close_queues(d);
  tn_kfd_wake_close(d);
  tn_kfd_close_event(d, &d->memory_event);
  tn_kfd_close_event(d, &d->exception_event);
  tn_device_regions_close(&d->blocks, 1);
  while (d->memory) tn_kfd_memory_free(d, d->memory);
  if (d->drm >= 0) d->k.sys.close(d->k.sys.user, d->drm);
  tn_kfd_driver_close(&d->k);
  if (d->stamp) tiny_realloc(d->t, d->stamp, (size_t)d->stamp_cap * sizeof *d->stamp, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static tn_kfd *tn_kfd_new(tiny_ctx *t) {
  tn_kfd *d = (tn_kfd *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "AMD: no memory for a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = d->blocks.t = t;
  d->prepared.t = t; d->prepared.user = d; d->prepared.calls = &tn_kfd_prepared_calls;
  d->blocks.user = d; d->blocks.make = tn_kfd_blocks_make; d->blocks.drop = tn_kfd_blocks_drop;
  d->drm = d->k.kfd = -1;
  d->timeout_ns = tn_kfd_timeout();
  d->spins = TN_KFD_SPINS;
  memcpy(d->name, "AMD", 4);
  return d;
}
static void *tn_kfd_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_kfd *d = tn_kfd_new(t);
  if (!d) return NULL;
  if (tn_kfd_begin(d, which) == TINY_OK) {
    tn_kfd_limits(d, limits);
    tiny_log_line(t, 'p', "%s: %s, %s, KFD %u.%u, %s", d->name, d->node.name, d->node.chip->name,
                  (unsigned)d->k.version.major, (unsigned)d->k.version.minor,
                  tn_kfd_is_aql(&d->queue[TN_KFD_COMPUTE]) ? "AQL" : "PM4");
    return d;
  }
  tn_kfd_failed(d);
  tn_kfd_close(d);
  return NULL;
}
static const char *tn_kfd_target(void *dev) { return ((const tn_kfd *)dev)->node.chip->name; }

// Launches that are given may use it, and lists that are not submitted again would.
static void tn_kfd_unload(void *dev, void *module) {
  tn_kfd *d = (tn_kfd *)dev;
  tn_kfd_module *m = (tn_kfd_module *)module;
  if (!m) return;
  tn_prepared_leave(&d->prepared, m);
  m->next = d->gone;
  d->gone = m;
}
static tiny_code tn_kfd_sync(void *dev) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  code = tn_kfd_check(d, tn_kfd_wait_all(d));
  if (code != TINY_OK) return code;
  tn_kfd_stamps_tell(d);
  tn_kfd_modules_close(d);
  return TINY_OK;
}
#endif
// ---- end src/amd/open.c ----
// ---- begin src/amd/backend.c ----
// backend: the one object of tiny_amd.h.
#ifndef TN_KFD_BACKEND
#define TN_KFD_BACKEND
#ifndef TINY_AMALGAMATED
#include "open.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_amd = {
  TINY_BACKEND_VERSION, "AMD", tn_kfd_open, tn_kfd_close, tn_kfd_target, tn_kfd_renderer, tn_kfd_alloc_block,
  tn_kfd_free_block, tn_kfd_copy_in, tn_kfd_copy_out, tn_kfd_copy_from, NULL, tn_kfd_compile, tn_kfd_load, NULL,
  tn_kfd_unload, tn_kfd_find, tn_kfd_launch, tn_kfd_submit, tn_kfd_event_new, tn_kfd_wait, tn_kfd_event_free,
  tn_kfd_sync, NULL
};
#endif
// ---- end src/amd/backend.c ----
// ---- end src/amd/all.c ----
#endif // TINY_IMPLEMENTATION

/*
---- begin LICENSE ----
MIT License

Copyright (c) 2026 the tiny.h authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
---- end LICENSE ----

Where things stand in tiny_amd.h

    173  src/amd/../base/digits.c         whole numbers in text without a sign: of devices, of versions, of
                                          addresses
    200  src/amd/../base/driver.c         files of kernel drivers: opened, controlled, mapped; a clock; what
                                          two sides of a bus see in order
    318  src/amd/../base/tool.c           programs of others, run as processes that read and write memory:
                                          nothing of it has a name in a folder
    449  src/amd/../base/blocks.c         a device's memory, given out in blocks of larger regions, which are
                                          the driver's
    562  src/amd/../base/prepared.c       launches that are handed over together again and again, as a list of
                                          commands that was prepared
    777  src/amd/../render/lang_cuda.c    the descriptor of CUDA C, and of HIP C, which is the same but for
                                          the words below: an element at a time or vectors of 2, 4, 8 or 16
   1138  src/amd/../render/lang_hip.c     the descriptor of HIP C: that of CUDA C (lang_cuda.c) but for what
                                          AMD's GPUs and clang have otherwise
   1163  src/amd/structs.c                what amdgpu's compute interface (KFD) takes: own declarations
   1277  src/amd/files.c                  what the kernel's files say of GPUs, and files of this process that
                                          are open
   1332  src/amd/system.c                 open, ioctl, mmap: the system's own (base/driver.c, files.c), or
                                          what a tiny_amd_system has in their place
   1388  src/amd/kfd.c                    what amdgpu's compute interface is asked: calls, memory, events;
                                          what went wrong as a sentence
   1467  src/amd/chip.c                   what differs between AMD's GPUs from CDNA3 and RDNA3 on, a row for
                                          each target
   1525  src/amd/topology.c               which GPUs there are, as /sys/devices/virtual/kfd/kfd/topology tells
   1622  src/amd/device.c                 a GPU: found, its address space, memory of its own, of the host and
                                          of others in it; what it is lost by
   1876  src/amd/packets.c                the words that command processors read: PM4 of each generation,
                                          SDMA, AQL
   2050  src/amd/queue.c                  what a GPU is told: packets in a ring, a doorbell; how far it is,
                                          and waiting for that
   2446  src/amd/peer.c                   other GPUs of the context: their memory, mapped for this one, and
                                          the order between them
   2570  src/amd/memory.c                 bytes to the GPU's memory and from it, by its copy engines; from
                                          other GPUs
   2724  src/amd/share.c                  memory that goes from one program or driver to another as a dma-buf;
                                          the host's pages, used in place
   2830  src/amd/../isa/amd.c             the machine instructions of AMD's GPUs, of three families: their
                                          chips, and what an instruction is made of
   2924  src/amd/../isa/amd_scalars.c     rows of the table of AMD's instructions: scalar ones, scalar memory,
                                          branches, waits
   3244  src/amd/../isa/amd_vectors.c     rows of the table of AMD's instructions: vectors, comparisons,
                                          packed ones, dot products, matrices
   3744  src/amd/../isa/amd_accesses.c    rows of the table of AMD's instructions: LDS, and memory by flat,
                                          scratch, global and buffer addresses
   4006  src/amd/../isa/amd_table.c       the instructions of AMD's GPUs, a row each: names, operands, and
                                          where each family has them
   4106  src/amd/../isa/amd_layout.c      where the fields of AMD's instructions lie in their words, a row for
                                          each format of each family
   4290  src/amd/../isa/amd_code.c        AMD's instructions -> words, and words -> instructions
   5064  src/amd/../isa/amd_rules.c       what an instruction of AMD's GPUs may not do though there are words
                                          for it
   5136  src/amd/../isa/amd_names.c       words of AMD's assembly that stand for numbers: registers,
                                          constants, counters, messages, lanes, caches
   5263  src/amd/../isa/amd_text.c        AMD's instructions as assembly text
   5694  src/amd/../isa/amd_descriptor.c  what the hardware is told of a kernel before it runs: registers,
                                          LDS, scratch, what comes in SGPRs
   5780  src/amd/../isa/amd_metadata.c    what a code object says of its kernels to who launches them, in
                                          MessagePack
   5973  src/amd/../isa/amd_parse.c       assembly text of AMD's GPUs -> instructions, and whole programs with
                                          labels -> words
   6646  src/amd/../isa/amd_object.c      code objects of AMD's GPUs: ELF files of kernels, each a descriptor
                                          and code, as HIP and ROCr load them
   7086  src/amd/../isa/amd_assembly.c    whole kernels in assembly text -> a code object
   7404  src/amd/module.c                 code objects in the GPU's memory, and the kernels in them
   7531  src/amd/launch.c                 kernels with all that they are called with -> kernel arguments,
                                          packets
   7844  src/amd/graph.c                  launches that are handed over together again and again, as packets
                                          that were prepared (base/prepared.c)
   7936  src/amd/compile.c                HIP C -> a code object, by what a tiny_amd_system brings, or clang;
                                          assembly -> a code object, here
   8047  src/amd/disassemble.c            code objects -> assembly, which amd_assembly.c takes again
   8160  src/amd/info.c                   what the driver tells of its GPUs, without a context of the
                                          library's
   8203  src/amd/open.c                   a device as others see it: opened and closed, what schedules ask of
                                          it, that all has happened
   8333  src/amd/backend.c                the one object of tiny_amd.h
*/
