/* tiny_amd.h 0.1.0, source 7e2479f18cb4effb18c9895f08eab21f072c6292d349c2884746063e9733c73f

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
  No compiler: machine code is written here. HIP C, your own or by choice, is compiled by a clang that knows these
  targets, 17 or later (19 for RDNA4): that of ROCm (/opt/rocm/llvm/bin/clang), from PATH, or TINY_AMD_CLANG. No linker,
  no library and no header of ROCm is used. Where there is no clang: by ROCm's COMGR, which is clang in a library
  (libamd_comgr.so.3 or .so.2, TINY_AMD_COMGR). Debug letter p tells which was found.

WHO COMPILES
  tiny_desc.compiler, else TINY_AMD_COMPILER. "both", or nothing: the library itself; a kernel that has no form there,
  and it alone, is HIP C, if there is a clang, else TINY_E_COMPILE. "builtin": the library alone. "outside": HIP C by
  the clang that is found, else COMGR. A name or path with clang in it: HIP C by that one. "comgr", or a name or path
  with that in it: HIP C by COMGR. Debug letter d shows the instructions of each kernel, and what was refused.
  tiny_cache_export writes the kernels that a program has compiled; tiny_desc.cache_file takes them.

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
#define TN_AMD_SOURCE_ID "7e2479f18cb4effb18c9895f08eab21f072c6292d349c2884746063e9733c73f"
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
// ---- begin src/amd/../base/library.c ----
// library: shared libraries that are loaded while the program runs: drivers, which a program is not linked with.
//
// In:  names, as the system's loader takes them. Out: a handle, and addresses of what it exports; NULL where it is not.
// Holds: it stands in companion headers, which may be compiled where tiny.h's implementation is not, and in several of
//        them: it uses nothing of the other rooms and changes nothing process-wide. Before glibc 2.34 it wants -ldl.
#ifndef TN_BASE_LIBRARY
#define TN_BASE_LIBRARY
#include <stddef.h>
#include <string.h>
#ifdef _WIN32
  #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
  #endif
  #ifndef NOMINMAX
    #define NOMINMAX
  #endif
  #include <windows.h>
#else
  #include <dlfcn.h>
#endif

static void *tn_library_load(const char *name) {
#ifdef _WIN32
  enum { SEARCH_DEFAULT_DIRS = 0x1000 };   // of the program, of the system; not where the process happens to be
  return (void *)LoadLibraryExA(name, NULL, SEARCH_DEFAULT_DIRS);
#else
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}
// The first of these that is there; NULL ends them, and is the answer where none is.
static void *tn_library_open(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++) library = tn_library_load(*names);
  return library;
}
// An address of data or code, which the caller copies into a pointer of its type; NULL: it is not in there.
static void *tn_library_symbol(void *library, const char *name) {
#ifdef _WIN32
  const FARPROC found = GetProcAddress((HMODULE)library, name);
  void *address;
  memcpy(&address, &found, sizeof address);
  return address;
#else
  return dlsym(library, name);
#endif
}
static void tn_library_close(void *library) {
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
}
#endif
// ---- end src/amd/../base/library.c ----
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
  // of numbers of which few bits are looked at (codegen/rounded.c): the same steps as those of isa/amd_floats.c
  "  FN float power2(float x) { return normal_power2(x < -126 ? x + 64 : x) * (x < -126 ? 5.42101086e-20f : 1); }",
  "  FN float power2_8(float x) { const float root = normal_power2(0.5f * x); return root * root; }",
  "  #define power2_0 power2",
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
  "  LANES1(power2_8, power2_8(x.at[i]))",
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
  r->language.ops[TINY_OP_EXP2] = "power2_%k(%0)";
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
// ---- begin src/amd/comgr.c ----
// comgr: HIP C -> a code object, by AMD's Code Object Manager, which is clang in a library, loaded at run time.
//
// In:    a text, a target (gfx1100), options of clang. Out: a relocatable object, or what the compiler says.
// Holds: two steps, to LLVM's bitcode and to an object, which every version has: no linker is run, and no library of
//        ROCm's is linked with. The library stays loaded: LLVM in it is not made to leave before the process does.
//        It may be called by several threads, each with handles of its own.
// What is what: ROCm/llvm-project, amd/comgr/include/amd_comgr.h.in: declarations of our own. Version 3 dropped a
// language and several actions, and counts those behind anew; a data set holds what is added to it, by a count.
#ifndef TN_KFD_COMGR
#define TN_KFD_COMGR
#ifndef TINY_AMALGAMATED
#include "../base/library.c"
#include "../base/tool.c"
#endif
#ifdef __cplusplus
typedef bool tn_comgr_bool;
#else
typedef _Bool tn_comgr_bool;
#endif

// Handles are structures there, which some systems hand over in other ways than numbers.
typedef struct tn_comgr_data { uint64_t handle; } tn_comgr_data;
typedef struct tn_comgr_set { uint64_t handle; } tn_comgr_set;
typedef struct tn_comgr_action { uint64_t handle; } tn_comgr_action;

enum { TN_COMGR_SOURCE = 1, TN_COMGR_LOG = 5, TN_COMGR_BITCODE = 6, TN_COMGR_RELOCATABLE = 7 };        // kinds of data
enum { TN_COMGR_INVALID_ARGUMENT = 2 };                                    // a status; 0: well

// member, parameters; in the library amd_comgr_member. They return a status.
#define TN_COMGR_FUNCTIONS(F) \
  F(create_data, (unsigned kind, tn_comgr_data *out)) \
  F(release_data, (tn_comgr_data data)) \
  F(set_data, (tn_comgr_data data, size_t nbytes, const char *bytes)) \
  F(set_data_name, (tn_comgr_data data, const char *name)) \
  F(get_data, (tn_comgr_data data, size_t *nbytes, char *out)) \
  F(create_data_set, (tn_comgr_set *out)) \
  F(destroy_data_set, (tn_comgr_set set)) \
  F(data_set_add, (tn_comgr_set set, tn_comgr_data data)) \
  F(action_data_count, (tn_comgr_set set, unsigned kind, size_t *out)) \
  F(action_data_get_data, (tn_comgr_set set, unsigned kind, size_t i, tn_comgr_data *out)) \
  F(create_action_info, (tn_comgr_action *out)) \
  F(destroy_action_info, (tn_comgr_action action)) \
  F(action_info_set_language, (tn_comgr_action action, unsigned language)) \
  F(action_info_set_isa_name, (tn_comgr_action action, const char *name)) \
  F(action_info_set_option_list, (tn_comgr_action action, const char **options, size_t n)) \
  F(action_info_set_logging, (tn_comgr_action action, tn_comgr_bool logging)) \
  F(do_action, (unsigned kind, tn_comgr_action action, tn_comgr_set input, tn_comgr_set result))

// library: NULL where there is none that can be used; `why` tells then.
#define TN_COMGR_MEMBER(name, parameters) unsigned (*name) parameters;
typedef struct tn_comgr {
  void *library;
  size_t major, minor;
  char why[200];
  TN_COMGR_FUNCTIONS(TN_COMGR_MEMBER)
} tn_comgr;
#undef TN_COMGR_MEMBER

// ** found **

typedef struct tn_comgr_symbol { const char *name; size_t at; } tn_comgr_symbol;
#define TN_COMGR_SYMBOL(name, parameters) {"amd_comgr_" #name, offsetof(tn_comgr, name)},
static int tn_comgr_link(tn_comgr *c, void *library) {
  static const tn_comgr_symbol symbols[] = {TN_COMGR_FUNCTIONS(TN_COMGR_SYMBOL)};
  void (*version)(size_t *, size_t *);
  void *found = tn_library_symbol(library, "amd_comgr_get_version");
  memcpy(&version, &found, sizeof found);
  if (found) version(&c->major, &c->minor);
  if (c->major != 2 && c->major != 3) {
    snprintf(c->why, sizeof c->why, "which is of version %d here, and 2 and 3 are known", (int)c->major);
    return 0;
  }
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    found = tn_library_symbol(library, symbols[i].name);
    if (!found) snprintf(c->why, sizeof c->why, "which has no %s here", symbols[i].name);
    if (!found) return 0;
    memcpy((char *)c + symbols[i].at, &found, sizeof found);
  }
  return 1;
}
#undef TN_COMGR_SYMBOL
// The file that is named, else the one of TINY_AMD_COMGR, else what the system's loader finds, or ROCm's. 0: none.
static int tn_comgr_open(tn_comgr *c, const char *named) {
  static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "/opt/rocm/lib/libamd_comgr.so.3",
    "/opt/rocm/lib/libamd_comgr.so.2", NULL};
  if (!*named) named = getenv("TINY_AMD_COMGR");
  const char *const one[] = {named, NULL};
  void *const library = tn_library_open(named && *named ? one : names);
  if (!library) snprintf(c->why, sizeof c->why, "and there is no %.100s", named && *named ? named
                         : "libamd_comgr.so.3 or .so.2");
  else if (tn_comgr_link(c, library)) c->library = library;
  else tn_library_close(library);
  return c->library != NULL;
}

// ** compiled **

enum { TN_COMGR_TEXT, TN_COMGR_BETWEEN, TN_COMGR_MADE, TN_COMGR_SETS };
typedef struct tn_comgr_job {
  const tn_comgr *c;
  const char *target;
  tn_comgr_action action; int has_action;
  tn_comgr_set set[TN_COMGR_SETS]; int nsets;
  tn_tool_made *out;
} tn_comgr_job;

// -> the status is good; else it is said why not, if it is not yet.
static int tn_comgr_check(tn_comgr_job *j, unsigned status, const char *what) {
  if (status && !j->out->log[0])
    snprintf(j->out->log, sizeof j->out->log, "COMGR %d.%d: %s: status %u", (int)j->c->major, (int)j->c->minor, what,
             status);
  return !status;
}
static int tn_comgr_begin(tn_comgr_job *j) {
  for (; j->nsets < TN_COMGR_SETS; j->nsets++)
    if (!tn_comgr_check(j, j->c->create_data_set(&j->set[j->nsets]), "a data set")) return 0;
  j->has_action = tn_comgr_check(j, j->c->create_action_info(&j->action), "an action");
  return j->has_action;
}
static void tn_comgr_end(tn_comgr_job *j) {
  while (j->nsets) j->c->destroy_data_set(j->set[--j->nsets]);
  if (j->has_action) j->c->destroy_action_info(j->action);
}
// Bitcode and objects get its name, with .bc and .o in the place of .hip, by which clang knows what they are.
static int tn_comgr_give(tn_comgr_job *j, const char *hip) {
  tn_comgr_data source;
  if (!tn_comgr_check(j, j->c->create_data(TN_COMGR_SOURCE, &source), "data")) return 0;
  unsigned status = j->c->set_data(source, strlen(hip), hip);
  if (!status) status = j->c->set_data_name(source, "kernels.hip");
  if (!status) status = j->c->data_set_add(j->set[TN_COMGR_TEXT], source);
  j->c->release_data(source);
  return tn_comgr_check(j, status, "the source");
}
static int tn_comgr_describe(tn_comgr_job *j, const char *const *options, size_t n) {
  enum { HIP_2 = 4, HIP_3 = 3, MOST = 16 };
  const char *option[MOST];
  char isa[80];
  for (size_t i = 0; i < n && i < MOST; i++) option[i] = options[i];
  snprintf(isa, sizeof isa, "amdgcn-amd-amdhsa--%s", j->target);
  const unsigned known = j->c->action_info_set_isa_name(j->action, isa);
  if (known == TN_COMGR_INVALID_ARGUMENT)
    snprintf(j->out->log, sizeof j->out->log, "COMGR %d.%d does not know it: install a newer ROCm's", (int)j->c->major,
             (int)j->c->minor);
  unsigned status = known;
  if (!status) status = j->c->action_info_set_language(j->action, j->c->major == 2 ? HIP_2 : HIP_3);
  if (!status) status = j->c->action_info_set_option_list(j->action, option, n < MOST ? n : (size_t)MOST);
  if (!status) status = j->c->action_info_set_logging(j->action, 1);
  return tn_comgr_check(j, status, "an action's description");
}
// Data of a set: at most `most` bytes, into out, or (out NULL) by malloc with a 0 behind. NULL: it is not there.
static char *tn_comgr_take(tn_comgr_job *j, int set, unsigned kind, char *out, size_t most, size_t *nbytes) {
  size_t n = 0;
  tn_comgr_data data;
  char *taken = NULL;
  if (j->c->action_data_count(j->set[set], kind, &n) || !n) return NULL;
  if (j->c->action_data_get_data(j->set[set], kind, 0, &data)) return NULL;
  if (!j->c->get_data(data, &n, NULL) && n) {
    if (out && n > most) n = most;
    taken = out ? out : (char *)malloc(n + 1);
    if (taken && j->c->get_data(data, &n, taken)) { if (!out) free(taken); taken = NULL; }         // n bytes of it
    if (taken) { taken[n] = 0; *nbytes = n; }
  }
  j->c->release_data(data);
  return taken;
}
static int tn_comgr_act(tn_comgr_job *j, unsigned kind, int from, int to, const char *what) {
  const unsigned status = j->c->do_action(kind, j->action, j->set[from], j->set[to]);
  tn_tool_made *const out = j->out;
  size_t n;
  if (status && !tn_comgr_take(j, to, TN_COMGR_LOG, out->log, sizeof out->log - 1, &n)) out->log[0] = 0;
  return tn_comgr_check(j, status, what);
}
// 0: out->bytes by malloc; else out->log says why not.
static int tn_comgr_compile(const tn_comgr *c, const char *hip, const char *target, const char *const *options,
                            size_t n, tn_tool_made *out) {
  enum { SOURCE_TO_BITCODE = 2, BITCODE_TO_RELOCATABLE_2 = 6, BITCODE_TO_RELOCATABLE_3 = 4 };
  const unsigned second = c->major == 2 ? BITCODE_TO_RELOCATABLE_2 : BITCODE_TO_RELOCATABLE_3;
  tn_comgr_job j;
  memset(&j, 0, sizeof j);
  j.c = c; j.target = target; j.out = out;
  if (tn_comgr_begin(&j) && tn_comgr_give(&j, hip) && tn_comgr_describe(&j, options, n) &&
      tn_comgr_act(&j, SOURCE_TO_BITCODE, TN_COMGR_TEXT, TN_COMGR_BETWEEN, "to bitcode") &&
      tn_comgr_act(&j, second, TN_COMGR_BETWEEN, TN_COMGR_MADE, "to an object"))
    out->bytes = tn_comgr_take(&j, TN_COMGR_MADE, TN_COMGR_RELOCATABLE, NULL, 0, &out->nbytes);
  if (!out->bytes) tn_comgr_check(&j, 1, "it gives no object");
  tn_comgr_end(&j);
  return !out->bytes;
}
#endif
// ---- end src/amd/comgr.c ----
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
#include "comgr.c"
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
  // builtin: kernels are machine code; alone: what has no form there is no HIP C; compiler: a clang, by_comgr: a COMGR,
  // "": any, or none
  int builtin, alone, by_comgr, compiler_asked; char compiler[300];
  tn_comgr comgr;                          // where it compiles HIP C
  tiny_renderer hip;
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
// In:  rows of scalars, vectors and accesses, a room each. Out: TN_AMD_V_ADD_F32 .., tn_amd_rows. A row is an
//      operation, by the name that the first family has for it that has it, of gfx11, gfx12, gfx9; "|12:", "|9:" say
//      what another has instead, operands, too.
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
  const char *end = text;
  while (*end && *end != '|') end++;
  for (const char *other = end; *other && family != TN_AMD_GFX11;) {           // "|12:.." or "|9:.."
    const int of = other[1] == '9' ? TN_AMD_GFX9 : TN_AMD_GFX12;
    const char *const begin = other + (of == TN_AMD_GFX9 ? 3 : 4);
    for (other = begin; *other && *other != '|';) other++;
    if (of == family) { text = begin; end = other; break; }
  }
  *n = (size_t)(end - text);
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
  size_t slash = 0;
  while (slash < n && f.operands[slash] != '/') slash++;
  f.n = (int)slash / 2;
  f.takes = f.operands + (slash < n ? slash + 1 : n);
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
#define TN_AMD_AT_M(key, lo, width) {TN_AMD_F_M + (int)TN_AMD_##key, lo, width, 0}
#define TN_AMD_AT_SIGNED(key, lo, width) {TN_AMD_F_SIGNED + (int)TN_AMD_##key, lo, width, 0}
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
  enum { KINDS = sizeof tn_amd_relocations / sizeof *tn_amd_relocations, BY_BASE = 13 };
  const uint64_t info = tn_amd_object_get(o, record + 8, 8), at = section + tn_amd_object_get(o, record, 8);
  tn_amd_object_symbol y;
  uint64_t value = 0;
  int k = 0;
  while (k < KINDS && tn_amd_relocations[k].type != (uint32_t)info) k++;
  if (k == KINDS) return "it has relocations that are not known here";
  if (!tn_amd_within(at, tn_amd_relocations[k].nbytes, o->image_nbytes)) return "a relocation is outside of it";
  if (tn_amd_relocations[k].type != BY_BASE) {
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
  const tn_amd_chip *chip; const tn_amd_source *kernels; int n; const char *mark;
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
  const uint64_t n = 2 * (uint64_t)w->n + 1 + (w->mark != NULL);
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
  if (w->mark) tn_amd_add_symbol(w, w->mark, "", TN_AMD_STT_OBJECT, TN_AMD_S_RODATA, 0);
  tn_amd_add_hash(w);
  tn_amd_add_dynamic(w);
  for (int i = 0; i < TN_AMD_SECTIONS; i++)
    tiny_bytes_add(&part[TN_AMD_S_NAMES], tn_amd_sections[i].name, strlen(tn_amd_sections[i].name) + 1);
}
// Offsets in the file, and addresses in the image: a page further from the code on, and another from .dynamic on.
static uint64_t tn_amd_place_parts(tn_amd_writer *w) {
  uint64_t offset = (uint64_t)TN_AMD_ELF_HEADER + (uint64_t)TN_AMD_SEGMENTS * TN_AMD_ELF_SEGMENT, page = 0;
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
  if (w->mark) tn_amd_patch(&w->part[TN_AMD_S_DYNSYM], (uint64_t)(2 * w->n + 1) * TN_AMD_ELF_SYMBOL + 8, descriptor, 8);
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
// An object of n kernels to out, which is empty. mark: a symbol that says something of all of them, NULL: none. Where
// memory is refused the context has an error, and it is none.
static void tn_amd_object_write(tiny_bytes *out, const tn_amd_chip *chip, const tn_amd_source *kernels, int n,
                                const char *mark) {
  tn_amd_writer w;
  uint64_t name = 0;
  memset(&w, 0, sizeof w);
  w.chip = chip; w.kernels = kernels; w.n = n; w.mark = mark;
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
    ".hidden", ".weak", ".ident", ".file", ".loc", ".addrsig", ".addrsig_sym", ".amdhsa_code_object_version",
    ".p2alignl"};
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
                      (int)(sources.n / sizeof(tn_amd_source)), NULL);
  return 1;
}
#endif
// ---- end src/amd/../isa/amd_assembly.c ----

// ** the generator: lists of kernels -> machine code **
// instructions with virtual registers, what a line reads and writes, and its text
// ---- begin src/amd/../ir/listing.c ----
// listing: what the nodes of a kernel's list say, by what tiny.h shows to everyone: renderers stand in companion
// headers, too, and those see nothing else of the library.
//
// In:  nodes, public structs. Out: answers. What k, v and sources of an op mean: ir/uop.c.
#ifndef TN_IR_LISTING
#define TN_IR_LISTING
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// Where a DEFINE or STAGE lives.
enum { TN_SPACE_GLOBAL, TN_SPACE_LOCAL, TN_SPACE_REG };
enum { TN_LATER = 1, TN_ADDS = 2 };        // k of a STORE: a BARRIER waits for it; it adds
enum { TN_BOXES = 64 };                    // of k of a BARRIER: it waits for copies of boxes to its slot, source 0
enum { TN_WMMA_UNIT = 48 };                // of a WMMA: bits of k below 1 + the number of a row of tn_warp_units

// Of a LOAD of matrices, eight rows of 16 bytes: how a lane gets them, elements from one to the next along k, and from
// every second to the next ones' columns. Steps of 0: lanes have an address each, of four matrices.
// SWIZZLED: they lie in boxes. SIDE: the address is that of 64 rows that four warps have, 16 each.
enum { TN_TURNED = 1, TN_AS_ROWS = 2, TN_SWIZZLED = 4, TN_SIDE = 8 };
enum { TN_MATRIX_ALONG = 4, TN_MATRIX_NEXT = 28 };           // bits below the steps
enum { TN_TURNED_LANES = 32, TN_TURNED_ROW = 8 };            // of its warp; elements of a turned matrix's row
static inline int tn_load_kind(const tiny_uop *u) { return (int)(u->k & 3); }
static inline int64_t tn_load_along(const tiny_uop *u) { return u->k >> TN_MATRIX_ALONG & 0xFFFFFF; }
static inline int64_t tn_load_next(const tiny_uop *u) { return u->k >> TN_MATRIX_NEXT & 0xFFFFFF; }

// ** boxes: tiles of memory that the device copies by itself, as its matrix units read them **
//
// A BULK copies a box of a tensor, rows of 128 bytes, one after the other, whose pieces of 16 bytes are turned by the
// number of their row, so that eight rows of one piece lie in eight different places (PTX ISA, "Swizzling Modes", 128B;
// "Strides", "Shared Memory Matrix Layout"). Memory of boxes begins at a multiple of eight rows.
enum { TN_BOX_ROW = 128, TN_BOX_PIECE = 16, TN_BOX_ALIGN = 1024,           // bytes
  TN_BOX_ROWS = 64,                        // of a box whose rows go on in the next one
  TN_BOX_MOST = 256,                       // rows of a box (CUDA driver API, cuTensorMapEncodeTiled: boxDim)
  TN_BOX_DIMS = 5, TN_BOX_SLOTS = 32,
  TN_BOX_NBYTES = 8 * TN_BOX_SLOTS };      // of LOCAL memory, at its end, for what counts copies to slots
// Of a BULK: dims of the tensor; v: so many extents, strides in elements, and sides of the box.
static inline int tn_bulk_dims(const tiny_uop *u) { return u->nv / 3; }
// k: how many copies fill its slot, which is one of first .. end - 1 (tn_bulk_k).
static inline int tn_bulk_copies(int64_t k) { return (int)(k & 0xFF); }
static inline int tn_bulk_first(int64_t k) { return (int)(k >> 8 & 0xFF); }
static inline int tn_bulk_end(int64_t k) { return (int)(k >> 16 & 0xFF); }
// Warps of their own begin it, a warp group beside those of the items: a launch has so many threads more.
enum { TN_BULK_PRODUCED = 1 << 24, TN_PRODUCER_THREADS = 128 };
static inline int tn_bulk_is_produced(const tiny_uop *u) { return u->op == TINY_OP_BULK && (u->k & TN_BULK_PRODUCED); }
static inline int tn_producer_threads(tiny_uop *const *list, int n) {
  for (int i = 0; i < n; i++) if (tn_bulk_is_produced(list[i])) return TN_PRODUCER_THREADS;
  return 0;
}

// ** memory **

static inline const tiny_uop *tn_memory_behind(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m;
}
static inline int tn_is_reg(const tiny_uop *memory) {
  const tiny_uop *m = tn_memory_behind(memory);
  return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_REG;
}

// What a STORE stores, as it was loaded: bits do not change.
static inline tiny_uop *tn_copied(const tiny_uop *store) {
  tiny_uop *x = store->src[1];
  while (x->op == TINY_OP_BITCAST && x->src[0]->lanes == x->lanes) x = x->src[0];
  return x;
}
// Is a STORE that happens later no more than a copy of memory outside of the kernel, of 4, 8 or 16 bytes that lie
// together, zeros where they are not there? (PTX ISA, cp.async)
static inline int tn_copies_later(const tiny_uop *store) {
  const tiny_uop *to = store->src[0], *load = tn_copied(store), *from = load->nsrc ? load->src[0] : NULL;
  if (store->k != TN_LATER || load->op != TINY_OP_LOAD || load->k || load->nsrc > 1 || to->lanes > 1 ||
      from->lanes > 1 ||
      tn_memory_behind(from->src[0])->op != TINY_OP_PARAM || (to->nsrc == 3 && to->src[2]->lanes > 1) ||
      (from->nsrc == 3 && from->src[2]->lanes > 1))
    return 0;
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)load->dtype) * load->lanes;
  return nbytes == 4 || nbytes == 8 || nbytes == 16;
}

// How many low bits of an integer are 0 whatever else it is made of; zeros: the answers for its sources, by seq.
static inline int tn_low_zeros(const tiny_uop *u, const uint8_t *zeros) {
  enum { MOST = 16 };
  const int a = u->nsrc ? zeros[u->src[0]->seq] : 0, b = u->nsrc > 1 ? zeros[u->src[1]->seq] : 0;
  int n = 0;
  if (u->dtype < TINY_I8 || u->dtype > TINY_U64 || u->lanes > 1) return 0;
  switch (u->op) {
    case TINY_OP_CONST: while (n < MOST && !(u->k >> n & 1)) n++; return n;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MAX: case TINY_OP_OR: case TINY_OP_XOR: return a < b ? a : b;
    case TINY_OP_MUL: return a + b < MOST ? a + b : MOST;
    case TINY_OP_AND: return a > b ? a : b;
    case TINY_OP_SHL:
      return u->src[1]->op == TINY_OP_CONST && u->src[1]->k >= 0 && u->src[1]->k < MOST - a ? a + (int)u->src[1]->k : a;
    case TINY_OP_CAST: return u->src[0]->dtype >= TINY_I8 && u->src[0]->dtype <= TINY_U64 ? a : 0;
    default: return 0;
  }
}

// ** what an index is the sum of **

// Is what an ADD, a SUB, or a MUL or SHL by a number gives, the sum or product it stands for, as elements of memory are
// counted, modulo 2^64?
static inline int tn_is_sum_exact(const tiny_uop *u) {
  const tiny_uop *a = u->src[0], *b = u->src[1];
  const int64_t least = u->dtype == TINY_I32 ? INT32_MIN : 0, most = u->dtype == TINY_I32 ? INT32_MAX : UINT32_MAX;
  const int wide = u->dtype == TINY_I64 || u->dtype == TINY_U64, adds = u->op == TINY_OP_ADD || u->op == TINY_OP_SUB;
  if (u->op == TINY_OP_SHL && (b->op != TINY_OP_CONST || b->k < 0 || b->k >= (wide ? 64 : 31))) return 0;
  if (wide) return adds || b->op == TINY_OP_CONST;
  if ((u->dtype != TINY_I32 && u->dtype != TINY_U32) || a->vmin < INT32_MIN || a->vmax > UINT32_MAX ||
      b->vmin < INT32_MIN || b->vmax > UINT32_MAX)
    return 0;
  if (u->op == TINY_OP_ADD) return a->vmin + b->vmin >= least && a->vmax + b->vmax <= most;
  if (u->op == TINY_OP_SUB) return a->vmin - b->vmax >= least && a->vmax - b->vmin <= most;
  const int64_t k = u->op == TINY_OP_SHL ? (int64_t)1 << b->k : b->k;
  if (b->op != TINY_OP_CONST || k < 0 || k > INT32_MAX) return 0;
  return a->vmin * k >= least && a->vmax * k <= most;
}
// Modulo 2^64.
static inline int64_t tn_wrapped_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t tn_wrapped_product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
// What such a MUL or SHL multiplies by.
static inline int64_t tn_factor_of(const tiny_uop *u) {
  return u->op == TINY_OP_MUL ? u->src[1]->k : (int64_t)((uint64_t)1 << u->src[1]->k);
}

// ** constants: bits of the float that k of a CONST holds **

static inline uint32_t tn_const_f32(int64_t k) {
  double v;
  uint32_t bits;
  memcpy(&v, &k, sizeof v);
  const float f = (float)v;
  memcpy(&bits, &f, sizeof bits);
  return v != v ? 0x7FC00000 : bits;
}
// Of f16, bf16 and fp8, which hold it exactly. least: the exponent of the least normal, as an f32 has it.
static inline uint32_t tn_const_narrow(int dtype, int64_t k) {
  const uint32_t bits = tn_const_f32(k), size = bits & 0x7FFFFFFF;
  if (dtype == TINY_BF16) return bits >> 16;
  const int half = dtype == TINY_F16, finite = dtype == TINY_F8E4M3, mantissa = half ? 10 : finite ? 3 : 2;
  const uint32_t sign = bits >> 31 << (half ? 15 : 7), least = finite ? 121 : 113,
                 infinity = half ? 0x7C00 : finite ? 0x7F : 0x7C;
  if (size > 0x7F800000) return sign | infinity | (finite ? 0 : 1u << (mantissa - 1));
  if (size == 0x7F800000) return sign | infinity;
  if (size >= least << 23) return sign | ((size - ((least - 1) << 23)) >> (23 - mantissa));
  const uint32_t drop = (uint32_t)(23 - mantissa) + least - (size >> 23);  // below the normals
  return sign | (drop < 32 ? ((size & 0x7FFFFF) | 0x800000) >> drop : 0);
}
#endif
// ---- end src/amd/../ir/listing.c ----
// ---- begin src/amd/../isa/amd_operands.c ----
// amd_operands: operands of instructions: registers, constants, numbers.
//
// In:  what they are. Out: a tn_amd_operand each.
#ifndef TN_ISA_AMD_OPERANDS
#define TN_ISA_AMD_OPERANDS
#ifndef TINY_AMALGAMATED
#include "amd_rules.c"
#include "amd_descriptor.c"
#endif

static tn_amd_operand tn_amd_register(int kind, int reg, int dwords) {
  tn_amd_operand o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)kind; o.reg = (uint16_t)reg; o.dwords = (uint8_t)dwords;
  return o;
}
static tn_amd_operand tn_amd_v(int reg, int dwords) { return tn_amd_register(TN_AMD_VGPR, reg, dwords); }
static tn_amd_operand tn_amd_s(int reg, int dwords) { return tn_amd_register(TN_AMD_SGPR, reg, dwords); }
static tn_amd_operand tn_amd_off(void) { return tn_amd_register(TN_AMD_OFF, 0, 0); }
// A whole number as a source: -16 to 64 are free, others are a literal.
static tn_amd_operand tn_amd_int(int32_t v) {
  const int inline_code = v >= 0 ? 128 + v : 192 - v, is_inline = v >= -16 && v <= 64;
  tn_amd_operand o = tn_amd_register(is_inline ? TN_AMD_INLINE : TN_AMD_LITERAL, is_inline ? inline_code : 0, 1);
  o.value = (uint32_t)v;
  return o;
}
// A float of 32 bits by its bits.
static tn_amd_operand tn_amd_bits(uint32_t bits) {
  static const uint32_t codes[] = {0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40800000,
                                   0xC0800000, 0x3E22F983};
  tn_amd_operand o = tn_amd_register(TN_AMD_LITERAL, 0, 1);
  o.value = bits;
  for (int i = 0; i < 9; i++) if (codes[i] == bits) { o.kind = TN_AMD_INLINE; o.reg = (uint16_t)(240 + i); }
  return o;
}
static tn_amd_operand tn_amd_imm(int v) {                    // of s_* instructions
  tn_amd_operand o = tn_amd_register(TN_AMD_NUMBER, 0, 0);
  o.value = (uint32_t)v & 0xFFFF;
  return o;
}
#endif
// ---- end src/amd/../isa/amd_operands.c ----
// ---- begin src/amd/../isa/amd_list.c ----
// amd_list: the machine instructions of a kernel on their way from selection to bytes.
//
// In:  what selection says: operations of amd_table.c, operands, labels. Out: a list that passes take, in the order
//      that amd_generate.c has.
// Holds: registers from TN_AMD_VIRTUAL on are virtual: a virtual register is a tuple of up to 32 dwords, of which an
//        operand names `dwords` from dword `sub` on. Before amd_waits.c a result is there at once. Conditions are masks
//        of a wave's lanes in scalar registers, whose bits mean nothing for lanes that are not in EXEC.
//        What cannot be selected is said once, in `refused`; then nothing of the list is used.
#ifndef TN_ISA_AMD_LIST
#define TN_ISA_AMD_LIST
#ifndef TINY_AMALGAMATED
#include "amd_operands.c"
#include "../ir/listing.c"
#endif

enum { TN_AMD_VIRTUAL = 1024, TN_AMD_MOST_VIRTUAL = 64000, TN_AMD_MOST_TUPLE = 32, TN_AMD_ROOM = 1 << 16,
  TN_AMD_ROOM_PART = 4 };                  // of the room that is for lines at first

// kind: of registers, TN_AMD_VGPR, TN_AMD_SGPR or TN_AMD_AGPR; fixed: where its first dword has to be, -1: anywhere;
// hint: a virtual register whose dword `at` its first one had best be, -1: none; reg: where it is, -1: not known yet
typedef struct tn_amd_vreg { uint8_t kind, dwords, at; int16_t fixed, reg; int32_t hint; } tn_amd_vreg;

// What stands in a list. COPY: o[0] = o[1], as many dwords, of registers of any kinds, or of a constant, whose dwords
// are all the same. LOOP .. LOOP_END: what is executed again and again, by a branch in front of LOOP_END to a label
// behind LOOP; it is entered and left there alone, or by a branch to a label behind LOOP_END.
enum { TN_AMD_LINE_INS, TN_AMD_LINE_COPY, TN_AMD_LINE_LABEL, TN_AMD_LINE_LOOP, TN_AMD_LINE_LOOP_END };
// label: which, or where a branch goes to; of an access: memory: 1 + the slot of a PARAM, TN_AMD_OF_LDS + the id of a
// DEFINE, TN_AMD_OF_SCRATCH; 0: any; index: by which it is reached, NULL: not known; align: its place is a multiple of
// as many bytes, 0: not known; times: of a LOOP, 0: not known
enum { TN_AMD_OF_LDS = 1 << 16, TN_AMD_OF_SCRATCH = 1 << 24 };
typedef struct tn_amd_line {
  tn_amd_ins ins; uint8_t kind, align; int32_t label, memory, times; const tiny_uop *index;
} tn_amd_line;

typedef struct tn_amd_list {
  tiny_ctx *t; const tn_amd_chip *chip; int family, mask;    // mask: dwords of one
  const char *refused;                     // NULL: all of it could be selected
  tn_amd_line *line; int n, cap;
  tn_amd_vreg *vreg; int nvreg, vregcap;
  int labels, items;                       // items: of a group
  tn_amd_setup setup;                      // what the kernel needs, as far as it is known
  tn_amd_line *spare; int spare_cap;       // lines that a pass had, for the next one
  char *room; size_t room_begin, room_end; // memory that is free
} tn_amd_list;

static void tn_amd_list_refuse(tn_amd_list *l, const char *why) { if (!l->refused) l->refused = why; }

// ** memory of one call, by what everyone may call **

// n elements of zeros; NULL: refused, which the context tells.
static void *tn_amd_scratch(tiny_ctx *t, size_t n, size_t each) {
  tiny_bytes b = {t, NULL, 0, 0};
  const size_t nbytes = n * each + 16;
  tiny_bytes_add(&b, NULL, nbytes);
  return b.n >= nbytes ? b.data : NULL;
}
// Room of a list, as it was left: what stays with the list comes from its end, what one pass needs from its begin.
static char *tn_amd_room_of(tn_amd_list *l, size_t nbytes, int stays) {
  const size_t all = (nbytes + 15) / 16 * 16;
  if (!l->room || l->room_end - l->room_begin < all) {
    const size_t more = all > (size_t)TN_AMD_ROOM ? all : (size_t)TN_AMD_ROOM;
    char *const room = (char *)tn_amd_scratch(l->t, more, 1);
    if (!room) { tn_amd_list_refuse(l, "there is no memory for it"); return NULL; }
    l->room = room; l->room_begin = 0; l->room_end = more;
  }
  if (stays) return l->room + (l->room_end -= all);
  l->room_begin += all;
  return l->room + l->room_begin - all;
}
// n elements of zeros until tn_amd_pass_ends; NULL: refused.
static void *tn_amd_room(tn_amd_list *l, size_t n, size_t each) {
  char *const room = tn_amd_room_of(l, n * each, 0);
  return room ? memset(room, 0, n * each) : NULL;
}
static void tn_amd_pass_ends(tn_amd_list *l) { l->room_begin = 0; }
// An array of n elements that has room for one more; NULL: refused. stays: behind the pass, too.
static void *tn_amd_grown_in(tn_amd_list *l, void *array, int n, int *cap, size_t each, int stays) {
  if (n < *cap) return array;
  char *const more = tn_amd_room_of(l, (2 * (size_t)*cap + 64) * each, stays);
  if (!more) return NULL;
  if (n) memcpy(more, array, (size_t)n * each);
  *cap = 2 * *cap + 64;
  return more;
}
static void *tn_amd_grown(tn_amd_list *l, void *array, int n, int *cap, size_t each) {
  return tn_amd_grown_in(l, array, n, cap, each, 0);
}
// Lines that a pass writes anew: those of the list before, where there are as many; and the list's, when it is done.
static tn_amd_line *tn_amd_other_lines(tn_amd_list *l, int n, int *cap) {
  if (l->spare_cap < n) {
    l->spare_cap = n + n / 4 + 64;
    l->spare = (tn_amd_line *)(void *)tn_amd_room_of(l, (size_t)l->spare_cap * sizeof *l->line, 1);
    if (!l->spare) l->spare_cap = 0;
  }
  *cap = l->spare_cap;
  return l->spare;
}
static void tn_amd_lines_are(tn_amd_list *l, tn_amd_line *line, int n, int cap) {
  l->spare = l->line; l->spare_cap = l->cap;
  l->line = line; l->n = n; l->cap = cap;
}

// ** registers **

// A new virtual register; its number without TN_AMD_VIRTUAL.
static int tn_amd_vreg_new(tn_amd_list *l, int kind, int dwords) {
  if (l->nvreg == TN_AMD_MOST_VIRTUAL) { tn_amd_list_refuse(l, "it has too many values"); return 0; }
  tn_amd_vreg *const all = (tn_amd_vreg *)tn_amd_grown_in(l, l->vreg, l->nvreg, &l->vregcap, sizeof *all, 1);
  if (!all) return 0;
  const tn_amd_vreg fresh = {(uint8_t)kind, (uint8_t)dwords, 0, -1, -1, -1};
  l->vreg = all;
  l->vreg[l->nvreg] = fresh;
  return l->nvreg++;
}
static tn_amd_operand tn_amd_new(tn_amd_list *l, int kind, int dwords) {
  return tn_amd_register(kind, TN_AMD_VIRTUAL + tn_amd_vreg_new(l, kind, dwords), dwords);
}
static tn_amd_operand tn_amd_new_v(tn_amd_list *l, int dwords) { return tn_amd_new(l, TN_AMD_VGPR, dwords); }
static tn_amd_operand tn_amd_new_s(tn_amd_list *l, int dwords) { return tn_amd_new(l, TN_AMD_SGPR, dwords); }
static tn_amd_operand tn_amd_new_mask(tn_amd_list *l) { return tn_amd_new_s(l, l->mask); }
// Dwords [at, at + dwords) of an operand.
static tn_amd_operand tn_amd_slice(tn_amd_operand o, int at, int dwords) {
  if (o.reg >= TN_AMD_VIRTUAL) o.sub = (uint8_t)(o.sub + at);
  else if (o.kind == TN_AMD_VGPR || o.kind == TN_AMD_SGPR || o.kind == TN_AMD_AGPR) o.reg = (uint16_t)(o.reg + at);
  o.dwords = (uint8_t)dwords;
  return o;
}
static int tn_amd_is_register(const tn_amd_operand *o) {
  return o->kind == TN_AMD_VGPR || o->kind == TN_AMD_SGPR || o->kind == TN_AMD_AGPR;
}
static int tn_amd_is_virtual(const tn_amd_operand *o) { return tn_amd_is_register(o) && o->reg >= TN_AMD_VIRTUAL; }

// ** lines **

static tn_amd_line *tn_amd_line_room(tn_amd_list *l) {
  tn_amd_line *const all = (tn_amd_line *)tn_amd_grown_in(l, l->line, l->n, &l->cap, sizeof *all, 1);
  if (all) { l->line = all; l->n++; }      // else the last one is lost, as nothing of a refused list is used
  return &l->line[l->n - 1];
}
static void tn_amd_line_again(tn_amd_list *l, const tn_amd_line *line) { *tn_amd_line_room(l) = *line; }
static tn_amd_line *tn_amd_line_new(tn_amd_list *l, int kind, int label) {
  tn_amd_line *const line = tn_amd_line_room(l);
  memset(line, 0, sizeof *line);
  line->kind = (uint8_t)kind; line->label = label; line->ins.family = (uint8_t)l->family;
  return line;
}
static int tn_amd_label_new(tn_amd_list *l) { return l->labels++; }
// Empty, with memory for what comes, which it is lent; room NULL: it sees to it itself. 0: there is no memory for it.
static int tn_amd_list_open_in(tn_amd_list *l, tiny_ctx *t, const tn_amd_chip *chip, char *room, size_t nbytes) {
  memset(l, 0, sizeof *l);
  l->room = room; l->room_end = nbytes / 16 * 16;
  l->cap = (int)(nbytes / TN_AMD_ROOM_PART / sizeof *l->line);
  l->t = t; l->chip = chip; l->family = chip->family; l->mask = chip->wave / 32;
  l->line = (tn_amd_line *)(void *)tn_amd_room_of(l, (size_t)l->cap * sizeof *l->line, 1);
  if (!l->cap) l->line = (tn_amd_line *)tn_amd_grown_in(l, NULL, 0, &l->cap, sizeof *l->line, 1);
  if (l->line) tn_amd_line_new(l, TN_AMD_LINE_LABEL, tn_amd_label_new(l));
  return l->line != NULL;
}
static int tn_amd_list_open(tn_amd_list *l, tiny_ctx *t, const tn_amd_chip *chip) {
  return tn_amd_list_open_in(l, t, chip, NULL, 0);
}
static void tn_amd_copy(tn_amd_list *l, tn_amd_operand to, tn_amd_operand from) {
  tn_amd_line *const line = tn_amd_line_new(l, TN_AMD_LINE_COPY, -1);
  line->ins.n = 2; line->ins.o[0] = to; line->ins.o[1] = from;
}

// ** instructions: operands that do not fit are put into registers before **

static int tn_amd_is_vector_format(int format) { return format >= TN_AMD_VOP1 && format <= TN_AMD_MFMA; }
static int tn_amd_is_constant(const tn_amd_operand *o) { return o->kind == TN_AMD_INLINE || o->kind == TN_AMD_LITERAL; }
static tn_amd_operand tn_amd_in_vgprs(tn_amd_list *l, tn_amd_operand from) {
  tn_amd_operand to = tn_amd_new_v(l, from.dwords), plain = from;
  plain.neg = plain.abs = plain.op_sel = plain.op_sel_hi = 0;
  tn_amd_copy(l, to, plain);
  to.neg = from.neg; to.abs = from.abs; to.op_sel = from.op_sel; to.op_sel_hi = from.op_sel_hi;
  return to;
}
static tn_amd_operand tn_amd_in_sgprs(tn_amd_list *l, tn_amd_operand from) {
  tn_amd_operand to = tn_amd_new_s(l, from.dwords), plain = from;
  plain.neg = plain.abs = plain.op_sel = plain.op_sel_hi = 0;
  tn_amd_copy(l, to, plain);
  to.neg = from.neg; to.abs = from.abs; to.op_sel = from.op_sel; to.op_sel_hi = from.op_sel_hi;
  return to;
}
// Is it known of a line that nothing comes there from elsewhere, and that EXEC stays?
static int tn_amd_keeps_on(const tn_amd_list *l, const tn_amd_line *line) {
  const int format = tn_amd_format(line->ins.op, l->family);
  if (line->kind == TN_AMD_LINE_COPY) return line->ins.o[0].reg != TN_AMD_EXEC || line->ins.o[0].kind != TN_AMD_SGPR;
  if (line->kind != TN_AMD_LINE_INS || format == TN_AMD_SOPP || format == TN_AMD_SOP1 || format == TN_AMD_SOPK)
    return 0;
  if (line->ins.n && line->ins.o[0].kind == TN_AMD_SGPR && line->ins.o[0].reg == TN_AMD_EXEC) return 0;
  return format != TN_AMD_VOPC || tn_amd_form_of(line->ins.op, l->family).operands[0] == 'e';
}
// A constant in a register that nobody writes to otherwise, for the lines that follow: what has it already, not long
// before, has it still.
enum { TN_AMD_SAME_CONSTANT = 64, TN_AMD_MARK = -2 };        // lines; label of such a copy
static tn_amd_operand tn_amd_constant_in(tn_amd_list *l, int kind, tn_amd_operand from) {
  const int last = from.dwords == 1 && tn_amd_is_constant(&from);
  tn_amd_operand to = from;
  for (int i = l->n - 1; last && i >= 0 && i > l->n - TN_AMD_SAME_CONSTANT && tn_amd_keeps_on(l, &l->line[i]); i--) {
    const tn_amd_operand *const o = l->line[i].ins.o;
    if (l->line[i].label != TN_AMD_MARK || o[0].kind != kind || o[1].kind != from.kind || o[1].value != from.value ||
        o[1].reg != from.reg) continue;
    to = o[0];
    to.neg = from.neg; to.abs = from.abs; to.op_sel = from.op_sel; to.op_sel_hi = from.op_sel_hi;
    return to;
  }
  to = kind == TN_AMD_SGPR ? tn_amd_in_sgprs(l, from) : tn_amd_in_vgprs(l, from);
  if (last) l->line[l->n - 1].label = TN_AMD_MARK;
  return to;
}
// How many scalars and literals of their own are read, o as well; parts of a virtual register are its own each, and of
// literals there may be one: a second one counts as more than there may be.
static int tn_amd_bus_with(tn_amd_operand *bus, int n, const tn_amd_operand *o) {
  const int literal = o->kind == TN_AMD_LITERAL;
  if (!literal && o->kind != TN_AMD_SPECIAL && (o->kind != TN_AMD_SGPR || o->reg == TN_AMD_NULL)) return n;
  for (int i = 0; i < n; i++) {
    const int same = bus[i].reg == o->reg && bus[i].sub == o->sub && bus[i].dwords == o->dwords;
    if (literal && bus[i].kind == TN_AMD_LITERAL) return bus[i].value == o->value ? n : TN_AMD_MOST_OPERANDS;
    if (!literal && bus[i].kind == o->kind && same) return n;
  }
  bus[n] = *o;
  return n + 1;
}
// Masks of short forms are VCC, second sources are vector registers, and nothing is negated.
static int tn_amd_may_be_short(const tn_amd_form *f, int format, const tn_amd_ins *ins) {
  int may = format < TN_AMD_VOP3;
  for (int i = 0; i < f->n && i < ins->n; i++) {
    const char where = f->operands[2 * i];
    if (strchr("ecm", where)) may &= ins->o[i].reg == TN_AMD_VCC;
    if (where == '1') may &= ins->o[i].kind == TN_AMD_VGPR;
    may &= !ins->o[i].neg && !ins->o[i].abs;
  }
  return may;
}
// Scalars and literals that it reads beyond what the family takes (amd_rules.c) come of vector registers; so do
// scalars where it wants vector registers. A literal that its form does not take comes of a scalar one.
static void tn_amd_legalize_vector(tn_amd_list *l, const tn_amd_form *f, int format, tn_amd_ins *ins) {
  const int packed = format == TN_AMD_VOP3P || format == TN_AMD_MFMA;
  const int is_long = !tn_amd_may_be_short(f, format, ins), nine = l->family == TN_AMD_GFX9;
  const int most = tn_amd_bus_width(ins);
  const tn_amd_operand vcc = tn_amd_s(TN_AMD_VCC, l->mask);
  tn_amd_operand bus[TN_AMD_MOST_OPERANDS + 1];
  int n = 0;
  for (int i = 0; i < f->n; i++)           // what has to be a scalar counts first
    if (f->operands[2 * i] == 'm' || f->operands[2 * i] == 'S') n = tn_amd_bus_with(bus, n, &ins->o[i]);
  if (ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64) n = tn_amd_bus_with(bus, n, &vcc);
  for (int i = 0; i < f->n; i++) {
    tn_amd_operand *const o = &ins->o[i];
    const char where = f->operands[2 * i];
    if (!strchr("012xyzC", where)) continue;
    const int alone = strchr("xyz", where) != NULL || (format == TN_AMD_MFMA && where != 'C');
    const int unfit = o->kind == TN_AMD_LITERAL && (packed || (nine && (is_long || where != '0' || o->neg || o->abs)));
    if (unfit && !alone && format != TN_AMD_MFMA && o->dwords == 1 && n < most)
      *o = tn_amd_constant_in(l, TN_AMD_SGPR, *o);
    const int literal = o->kind == TN_AMD_LITERAL;
    const int refused = (alone && o->kind != TN_AMD_VGPR) || (where == 'C' && o->kind == TN_AMD_SGPR) ||
        (literal && (unfit || o->dwords > 1));
    const int with = refused ? n : tn_amd_bus_with(bus, n, o);
    if (refused || with > most) *o = tn_amd_constant_in(l, TN_AMD_VGPR, *o);
    else n = with;
  }
}
static void tn_amd_legalize_access(tn_amd_list *l, const tn_amd_form *f, tn_amd_ins *ins) {
  for (int i = 0; i < f->n; i++) {
    tn_amd_operand *const o = &ins->o[i];
    if (strchr("abc", f->operands[2 * i]) && o->kind != TN_AMD_VGPR && o->kind != TN_AMD_OFF && o->kind != TN_AMD_AGPR)
      *o = tn_amd_constant_in(l, TN_AMD_VGPR, *o);
  }
}
// Which operands of a commutative operation stand better the other way: its short form has a register in src1.
static int tn_amd_commutes(int op) {
  switch (op) {
    case TN_AMD_V_ADD_F32: case TN_AMD_V_MUL_F32: case TN_AMD_V_MAX_F32: case TN_AMD_V_MIN_F32: case TN_AMD_V_ADD_F16:
    case TN_AMD_V_MUL_F16: case TN_AMD_V_MAX_F16: case TN_AMD_V_MIN_F16: case TN_AMD_V_ADD_NC_U32:
    case TN_AMD_V_AND_B32: case TN_AMD_V_OR_B32: case TN_AMD_V_XOR_B32: case TN_AMD_V_MAX_I32: case TN_AMD_V_MIN_I32:
    case TN_AMD_V_MAX_U32: case TN_AMD_V_MIN_U32: case TN_AMD_V_MUL_I32_I24: case TN_AMD_V_MUL_U32_U24: return 1;
    default: return 0;
  }
}
// The line of an instruction, which its modifiers may be written to. What is copied stands in front of it.
static tn_amd_line *tn_amd_do(tn_amd_list *l, int op, int n, const tn_amd_operand *o) {
  const int format = tn_amd_format(op, l->family);
  const tn_amd_form f = tn_amd_form_of(op, l->family);
  tn_amd_ins ins;
  if (!format || n > TN_AMD_MOST_OPERANDS) { tn_amd_list_refuse(l, "the GPU has no such instruction"); return l->line; }
  memset(&ins, 0, sizeof ins);
  ins.op = (uint16_t)op; ins.family = (uint8_t)l->family; ins.n = (uint8_t)n;
  if (n) memcpy(ins.o, o, (size_t)n * sizeof *o);
  if (tn_amd_commutes(op) && ins.o[2].kind != TN_AMD_VGPR && ins.o[1].kind == TN_AMD_VGPR) {
    ins.o[1] = o[2]; ins.o[2] = o[1];
  }
  for (int i = 0; i < n && i < f.n; i++) {
    if (tn_amd_is_constant(&ins.o[i])) ins.o[i].dwords = (uint8_t)tn_amd_dwords(l->family, f.operands[2 * i + 1]);
    if (format == TN_AMD_VOP3P && !strchr("fFh", f.operands[2 * i + 1])) ins.o[i].op_sel_hi = 1;
  }
  if (tn_amd_is_vector_format(format)) tn_amd_legalize_vector(l, &f, format, &ins);
  if (format >= TN_AMD_DS && format <= TN_AMD_MUBUF) tn_amd_legalize_access(l, &f, &ins);
  tn_amd_line *const line = tn_amd_line_new(l, TN_AMD_LINE_INS, -1);
  line->ins = ins;
  return line;
}
static tn_amd_line *tn_amd_do0(tn_amd_list *l, int op) { return tn_amd_do(l, op, 0, NULL); }
static tn_amd_line *tn_amd_do1(tn_amd_list *l, int op, tn_amd_operand a) { return tn_amd_do(l, op, 1, &a); }
static tn_amd_line *tn_amd_do2(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand o[] = {a, b};
  return tn_amd_do(l, op, 2, o);
}
static tn_amd_line *tn_amd_do3(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c) {
  const tn_amd_operand o[] = {a, b, c};
  return tn_amd_do(l, op, 3, o);
}
static tn_amd_line *tn_amd_do4(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c,
                               tn_amd_operand d) {
  const tn_amd_operand o[] = {a, b, c, d};
  return tn_amd_do(l, op, 4, o);
}
static tn_amd_line *tn_amd_do5(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c,
                               tn_amd_operand d, tn_amd_operand e) {
  const tn_amd_operand o[] = {a, b, c, d, e};
  return tn_amd_do(l, op, 5, o);
}
static void tn_amd_branch_to(tn_amd_list *l, int op, int label) {
  tn_amd_line *const line = tn_amd_do1(l, op, tn_amd_imm(0));
  line->label = label;
}
#endif
// ---- end src/amd/../isa/amd_list.c ----
// ---- begin src/amd/../isa/amd_uses.c ----
// amd_uses: what a line of a list reads and writes, beside what it names: SCC, VCC, EXEC; and which unit does it.
//
// In:  a line. Out: registers and roles, as passes ask for them. SCC is TN_AMD_SPECIAL, reg TN_AMD_SCC.
// Source: AMD's ISA guides (amd.c), "Scalar ALU Operations", "Vector ALU Operations".
#ifndef TN_ISA_AMD_USES
#define TN_ISA_AMD_USES
#ifndef TINY_AMALGAMATED
#include "amd_list.c"
#endif

// ** which unit **

enum { TN_AMD_U_OTHER, TN_AMD_U_SALU, TN_AMD_U_SMEM, TN_AMD_U_VALU, TN_AMD_U_TRANS, TN_AMD_U_MATRIX, TN_AMD_U_LDS,
  TN_AMD_U_VMEM, TN_AMD_U_BRANCH, TN_AMD_U_WAIT, TN_AMD_UNITS };

static int tn_amd_is_trans(int op) {
  switch (op) {
    case TN_AMD_V_EXP_F32: case TN_AMD_V_LOG_F32: case TN_AMD_V_RCP_F32: case TN_AMD_V_RCP_IFLAG_F32:
    case TN_AMD_V_RSQ_F32: case TN_AMD_V_SQRT_F32: case TN_AMD_V_SIN_F32: case TN_AMD_V_COS_F32: case TN_AMD_V_RCP_F64:
    case TN_AMD_V_RSQ_F64: case TN_AMD_V_SQRT_F64: case TN_AMD_V_RCP_F16: case TN_AMD_V_RSQ_F16: case TN_AMD_V_SQRT_F16:
    case TN_AMD_V_LOG_F16: case TN_AMD_V_EXP_F16: case TN_AMD_V_SIN_F16: case TN_AMD_V_COS_F16: return 1;
    default: return 0;
  }
}
static int tn_amd_is_matrix(int op, int family) {
  const int format = tn_amd_format(op, family);
  const char *const name = tn_amd_rows[op].names;            // of all families
  return format == TN_AMD_MFMA || (format == TN_AMD_VOP3P && (!strncmp(name, "v_wmma", 6) ||
                                                              !strncmp(name, "v_swmmac", 8)));
}
static int tn_amd_is_branch(int op) {
  switch (op) {
    case TN_AMD_S_BRANCH: case TN_AMD_S_CBRANCH_SCC0: case TN_AMD_S_CBRANCH_SCC1: case TN_AMD_S_CBRANCH_VCCZ:
    case TN_AMD_S_CBRANCH_VCCNZ: case TN_AMD_S_CBRANCH_EXECZ: case TN_AMD_S_CBRANCH_EXECNZ: case TN_AMD_S_ENDPGM:
      return 1;
    default: return 0;
  }
}
static int tn_amd_unit(const tn_amd_line *line) {
  const int op = line->ins.op, family = line->ins.family;
  if (line->kind == TN_AMD_LINE_COPY) return line->ins.o[0].kind == TN_AMD_SGPR ? TN_AMD_U_SALU : TN_AMD_U_VALU;
  if (line->kind != TN_AMD_LINE_INS) return TN_AMD_U_OTHER;
  switch (tn_amd_format(op, family)) {
    case TN_AMD_SOP2: case TN_AMD_SOP1: case TN_AMD_SOPC: case TN_AMD_SOPK: return TN_AMD_U_SALU;
    case TN_AMD_SOPP: return tn_amd_is_branch(op) ? TN_AMD_U_BRANCH : TN_AMD_U_WAIT;
    case TN_AMD_SMEM: return TN_AMD_U_SMEM;
    case TN_AMD_DS: return TN_AMD_U_LDS;
    case TN_AMD_FLAT: case TN_AMD_SCRATCH: case TN_AMD_GLOBAL: case TN_AMD_MUBUF: return TN_AMD_U_VMEM;
    default: break;
  }
  return tn_amd_is_matrix(op, family) ? TN_AMD_U_MATRIX : tn_amd_is_trans(op) ? TN_AMD_U_TRANS : TN_AMD_U_VALU;
}
// Instructions whose effect nobody names: what is before and behind them stays there. Of accesses: what has no operands
// writes caches back, or says what they no longer are.
static int tn_amd_stands(const tn_amd_line *line) {
  static const char *const names[] = {"s_barrier", "s_setreg", "s_getreg", "s_call", "s_setpc", "s_swappc", "s_rfe",
    "s_movrel", "v_movrel", "v_swaprel", "s_sendmsg", "s_sleep", "s_mem", "s_get_barrier"};
  const int unit = tn_amd_unit(line), op = line->ins.op;
  if (line->kind == TN_AMD_LINE_COPY) return 0;
  if (unit == TN_AMD_U_OTHER || unit == TN_AMD_U_BRANCH || unit == TN_AMD_U_WAIT) return 1;
  if ((unit == TN_AMD_U_SMEM || unit == TN_AMD_U_VMEM) && !line->ins.n) return 1;
  if (unit != TN_AMD_U_SALU && unit != TN_AMD_U_SMEM && unit != TN_AMD_U_VALU) return 0;
  const char *const name = tn_amd_rows[op].names;            // those of all families begin so
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (name[2] == names[i][2] && name[3] == names[i][3] && !strncmp(name, names[i], strlen(names[i]))) return 1;
  return 0;
}

// ** SCC **

static int tn_amd_writes_scc(int op, int family) {
  switch (op) {
    case TN_AMD_S_MUL_I32: case TN_AMD_S_MUL_HI_U32: case TN_AMD_S_MUL_HI_I32: case TN_AMD_S_CSELECT_B32:
    case TN_AMD_S_CSELECT_B64: case TN_AMD_S_PACK_LL_B32_B16: case TN_AMD_S_PACK_LH_B32_B16:
    case TN_AMD_S_PACK_HH_B32_B16: case TN_AMD_S_PACK_HL_B32_B16: case TN_AMD_S_BFM_B32: case TN_AMD_S_BFM_B64:
    case TN_AMD_S_ADD_F32: case TN_AMD_S_SUB_F32: case TN_AMD_S_MUL_F32: case TN_AMD_S_FMAC_F32:
    case TN_AMD_S_FMAAK_F32: case TN_AMD_S_FMAMK_F32: case TN_AMD_S_MIN_NUM_F32: case TN_AMD_S_MAX_NUM_F32:
    case TN_AMD_S_CVT_PK_RTZ_F16_F32: case TN_AMD_S_ADD_F16: case TN_AMD_S_SUB_F16: case TN_AMD_S_MUL_F16:
    case TN_AMD_S_FMAC_F16: case TN_AMD_S_MIN_NUM_F16: case TN_AMD_S_MAX_NUM_F16: case TN_AMD_S_MINIMUM_F32:
    case TN_AMD_S_MAXIMUM_F32: case TN_AMD_S_MINIMUM_F16: case TN_AMD_S_MAXIMUM_F16: case TN_AMD_S_ADD_NC_U64:
    case TN_AMD_S_SUB_NC_U64: case TN_AMD_S_MUL_U64: return 0;
    case TN_AMD_S_ABS_I32: case TN_AMD_S_BCNT0_I32_B32: case TN_AMD_S_BCNT0_I32_B64: case TN_AMD_S_BCNT1_I32_B32:
    case TN_AMD_S_BCNT1_I32_B64: case TN_AMD_S_QUADMASK_B32: case TN_AMD_S_QUADMASK_B64: case TN_AMD_S_WQM_B32:
    case TN_AMD_S_WQM_B64: case TN_AMD_S_NOT_B32: case TN_AMD_S_NOT_B64: case TN_AMD_S_ADDK_I32: return 1;
    default: break;
  }
  const int format = tn_amd_format(op, family);
  size_t n;
  if (format == TN_AMD_SOP2 || format == TN_AMD_SOPC) return 1;
  if (format != TN_AMD_SOPK && format != TN_AMD_SOP1) return 0;
  const char *const name = tn_amd_name(op, family, &n);
  if (format == TN_AMD_SOPK) return n > 6 && !memcmp(name, "s_cmpk", 6);
  return n > 14 && (!memcmp(name + n - 12, "saveexec_b32", 12) ||
      !memcmp(name + n - 12, "saveexec_b64", 12) || !memcmp(name + n - 10, "wrexec_b32", 10) ||
      !memcmp(name + n - 10, "wrexec_b64", 10));
}
static int tn_amd_reads_scc(int op) {
  switch (op) {
    case TN_AMD_S_ADDC_U32: case TN_AMD_S_SUBB_U32: case TN_AMD_S_CSELECT_B32: case TN_AMD_S_CSELECT_B64:
    case TN_AMD_S_CMOV_B32: case TN_AMD_S_CMOV_B64: case TN_AMD_S_CMOVK_I32: case TN_AMD_S_CBRANCH_SCC0:
    case TN_AMD_S_CBRANCH_SCC1: return 1;
    default: return 0;
  }
}
static int tn_amd_writes_exec(int op, int family) {
  const int format = tn_amd_format(op, family);
  size_t n;
  if (format != TN_AMD_VOPC && format != TN_AMD_SOP1) return 0;
  const char *const name = tn_amd_name(op, family, &n);
  if (format == TN_AMD_VOPC) return n > 7 && !memcmp(name, "v_cmpx_", 7);
  return n > 12 && (!memcmp(name + n - 12, "saveexec_b32", 12) || !memcmp(name + n - 12, "saveexec_b64", 12) ||
                    !memcmp(name + n - 10, "wrexec_b32", 10) || !memcmp(name + n - 10, "wrexec_b64", 10));
}
// Has the instruction's name these letters?
static int tn_amd_is_named(const tn_amd_ins *ins, const char *letters) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  const size_t k = strlen(letters);
  for (size_t i = 0; i + k <= n; i++) if (name[i] == *letters && !memcmp(name + i, letters, k)) return 1;
  return 0;
}
// What is written is read before: it is added to, or part of it stays.
static int tn_amd_adds_to_result(int op, int family) {
  switch (op) {
    case TN_AMD_V_FMAC_F32: case TN_AMD_V_FMAC_F16: case TN_AMD_V_FMAC_F64: case TN_AMD_V_FMAC_DX9_ZERO_F32:
    case TN_AMD_V_PK_FMAC_F16: case TN_AMD_V_MAC_F16: case TN_AMD_V_DOT2ACC_F32_F16: case TN_AMD_V_DOT2C_F32_F16:
    case TN_AMD_V_DOT2C_I32_I16: case TN_AMD_V_DOT4C_I32_I8: case TN_AMD_V_DOT8C_I32_I4: case TN_AMD_V_WRITELANE_B32:
    case TN_AMD_S_FMAC_F32: case TN_AMD_S_FMAC_F16: case TN_AMD_S_CMOV_B32: case TN_AMD_S_CMOV_B64:
    case TN_AMD_S_CMOVK_I32: case TN_AMD_S_ADDK_I32: case TN_AMD_S_MULK_I32: case TN_AMD_S_BITSET0_B32:
    case TN_AMD_S_BITSET1_B32: case TN_AMD_S_BITSET0_B64: case TN_AMD_S_BITSET1_B64: case TN_AMD_V_FMA_MIXLO_F16:
    case TN_AMD_V_FMA_MIXHI_F16: case TN_AMD_V_SWAP_B32: return 1;
    default: break;
  }
  const int format = tn_amd_format(op, family);
  size_t n;
  if (format != TN_AMD_VOP3P && format != TN_AMD_MFMA && !tn_amd_is_memory(format)) return 0;
  const char *const name = tn_amd_name(op, family, &n);
  if (format == TN_AMD_VOP3P || format == TN_AMD_MFMA)
    return n > 8 && (!memcmp(name, "v_swmmac", 8) || !memcmp(name, "v_smfmac", 8));
  for (size_t i = 0; i + 4 <= n; i++) if (!memcmp(name + i, "_d16", 4)) return 1;
  return 0;
}
static int tn_amd_reads_result(const tn_amd_ins *ins) {
  if (tn_amd_adds_to_result(ins->op, ins->family)) return 1;
  const int partial = ins->lanes && (!ins->m[TN_AMD_BOUND_CTRL] || ins->m[TN_AMD_ROW_MASK] != 15);
  return ins->n && ins->o[0].kind == TN_AMD_VGPR && (ins->o[0].op_sel || partial);
}
// Loads of buffers name what they write as stores name their data.
static int tn_amd_writes_data(int op, int family) {
  size_t n;
  if (tn_amd_format(op, family) != TN_AMD_MUBUF) return 0;
  return strncmp(tn_amd_name(op, family, &n), "buffer_store", 12) != 0;
}

// ** all of a line **

enum { TN_AMD_READS = 1, TN_AMD_WRITES = 2, TN_AMD_MOST_USES = 16 };
typedef struct tn_amd_use { uint8_t kind, role, sub, dwords; uint16_t reg; } tn_amd_use;
typedef struct tn_amd_uses { int n; tn_amd_use of[TN_AMD_MOST_USES]; } tn_amd_uses;

static void tn_amd_uses_add(tn_amd_uses *u, int kind, int reg, int sub, int dwords, int role) {
  const tn_amd_use use = {(uint8_t)kind, (uint8_t)role, (uint8_t)sub, (uint8_t)dwords, (uint16_t)reg};
  if (u->n < TN_AMD_MOST_USES) u->of[u->n++] = use;
}
// A pair of f32 (gfx942) of which one half is taken twice.
static int tn_amd_reads_half(int op, const tn_amd_operand *o) {
  const int pairs = op == TN_AMD_V_PK_FMA_F32 || op == TN_AMD_V_PK_MUL_F32 || op == TN_AMD_V_PK_ADD_F32;
  return pairs && o->op_sel == o->op_sel_hi;
}
// Letters of what is written (amd_table.c); c is of memory its second data.
static int tn_amd_is_result(char where) {
  switch (where) {
    case 'd': case 'g': case 'D': case 'e': case 'c': case 'r': return 1;
    default: return 0;
  }
}
// Does it read or write operand i, or both?
static int tn_amd_role(const tn_amd_ins *ins, int op, const tn_amd_form *f, int i, int adds) {
  const char where = i < f->n ? f->operands[2 * i] : '0';
  const int loads = !i && where == 'b' && tn_amd_is_named(ins, "load");        // of a buffer
  const int data = where == 'c' && tn_amd_is_memory(tn_amd_format(op, ins->family));       // no carry
  const int writes = loads || (tn_amd_is_result(where) && !data);
  if ((where == 'b' && !loads && tn_amd_writes_data(op, ins->family)) || op == TN_AMD_V_SWAP_B32)
    return TN_AMD_READS | TN_AMD_WRITES;
  return !writes ? TN_AMD_READS : !i && adds ? TN_AMD_READS | TN_AMD_WRITES : TN_AMD_WRITES;
}
static void tn_amd_uses_of_half(tn_amd_uses *u, const tn_amd_ins *ins, int op, int n, const tn_amd_operand *o) {
  const tn_amd_form f = tn_amd_form_of(op, ins->family);
  const int adds = o == ins->o ? tn_amd_reads_result(ins) : tn_amd_adds_to_result(op, ins->family);
  for (int i = 0; i < n; i++) {
    const int role = tn_amd_role(ins, op, &f, i, adds);
    const tn_amd_operand r = i && tn_amd_reads_half(op, &o[i]) ? tn_amd_slice(o[i], o[i].op_sel, 1) : o[i];
    if (tn_amd_is_register(&r)) tn_amd_uses_add(u, r.kind, r.reg, r.sub, r.dwords, role);
    else if (o[i].kind == TN_AMD_SPECIAL) tn_amd_uses_add(u, TN_AMD_SPECIAL, o[i].reg, 0, 1, role);
  }
}
// Of a VOPD both halves. What is written stands first of each half.
static void tn_amd_uses_of(const tn_amd_line *line, tn_amd_uses *u) {
  const tn_amd_ins *const ins = &line->ins;
  const int family = ins->family, mask = family == TN_AMD_GFX9 ? 2 : 1, unit = tn_amd_unit(line);
  u->n = 0;
  if (line->kind == TN_AMD_LINE_COPY) {
    tn_amd_uses_add(u, ins->o[0].kind, ins->o[0].reg, ins->o[0].sub, ins->o[0].dwords, TN_AMD_WRITES);
    if (tn_amd_is_register(&ins->o[1]))
      tn_amd_uses_add(u, ins->o[1].kind, ins->o[1].reg, ins->o[1].sub, ins->o[1].dwords, TN_AMD_READS);
  } else if (line->kind == TN_AMD_LINE_INS) {
    tn_amd_uses_of_half(u, ins, ins->op, ins->n, ins->o);
    if (ins->op_y) tn_amd_uses_of_half(u, ins, ins->op_y, ins->n_y, ins->y);
    if (tn_amd_writes_scc(ins->op, family)) tn_amd_uses_add(u, TN_AMD_SPECIAL, TN_AMD_SCC, 0, 1, TN_AMD_WRITES);
    if (tn_amd_reads_scc(ins->op)) tn_amd_uses_add(u, TN_AMD_SPECIAL, TN_AMD_SCC, 0, 1, TN_AMD_READS);
    if (tn_amd_writes_exec(ins->op, family))
      tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_EXEC, 0, mask, TN_AMD_READS | TN_AMD_WRITES);
    if (ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64 || ins->op == TN_AMD_S_CBRANCH_VCCZ ||
        ins->op == TN_AMD_S_CBRANCH_VCCNZ) tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_VCC, 0, mask, TN_AMD_READS);
    if (ins->op == TN_AMD_S_CBRANCH_EXECZ || ins->op == TN_AMD_S_CBRANCH_EXECNZ)
      tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_EXEC, 0, mask, TN_AMD_READS);
  }
  if (unit >= TN_AMD_U_VALU && unit <= TN_AMD_U_VMEM)
    tn_amd_uses_add(u, TN_AMD_SGPR, TN_AMD_EXEC, 0, mask, TN_AMD_READS);
}
#endif
// ---- end src/amd/../isa/amd_uses.c ----
// ---- begin src/amd/../isa/amd_show.c ----
// amd_show: a list of machine instructions as text, with registers that are virtual: v%12 is one dword, v%12:4 are all
// four of a tuple, v%12+1 its second.
//
// In:  a list, before or behind any pass. Out: lines of the context's log, letter d.
#ifndef TN_ISA_AMD_SHOW
#define TN_ISA_AMD_SHOW
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#include "amd_text.c"
#endif

static int tn_amd_shows_virtual(const tn_amd_line *line) {
  if (line->kind == TN_AMD_LINE_COPY) return 1;
  for (int i = 0; i < line->ins.n; i++) if (tn_amd_is_virtual(&line->ins.o[i])) return 1;
  for (int i = 0; i < line->ins.n_y; i++) if (tn_amd_is_virtual(&line->ins.y[i])) return 1;
  return 0;
}
static void tn_amd_put_virtual(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o, char what) {
  char s[32];
  if (!tn_amd_is_virtual(o)) { tn_amd_put_operand(t, ins, o, what); return; }
  const char file = o->kind == TN_AMD_VGPR ? 'v' : o->kind == TN_AMD_SGPR ? 's' : 'a';
  snprintf(s, sizeof s, "%s%c%%%d", o->neg ? "-" : "", file, o->reg - TN_AMD_VIRTUAL);
  tn_amd_put(t, s);
  if (o->sub) { snprintf(s, sizeof s, "+%d", o->sub); tn_amd_put(t, s); }
  if (o->dwords != 1) { snprintf(s, sizeof s, ":%d", o->dwords); tn_amd_put(t, s); }
}
static void tn_amd_put_virtual_operands(tn_amd_text *t, const tn_amd_ins *ins) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  for (int i = 0, n = 0; i < ins->n; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    if (o->kind == TN_AMD_NONE) continue;
    tn_amd_put(t, n++ ? ", " : " ");
    if (o->kind == TN_AMD_OFF) tn_amd_put(t, "off");
    else if (o->kind == TN_AMD_NUMBER) tn_amd_put_int(t, (long)(int16_t)o->value);
    else tn_amd_put_virtual(t, ins, o, i < form.n ? form.operands[2 * i + 1] : '1');
  }
}
// A line, without its end, of at most cap - 1 bytes and a 0.
static void tn_amd_line_text(const tn_amd_line *line, char *out, size_t cap) {
  tn_amd_text t = {out, 0, cap};
  const tn_amd_ins *const ins = &line->ins;
  size_t n;
  if (line->kind == TN_AMD_LINE_LABEL) snprintf(out, cap, "L%d:", (int)line->label);
  else if (line->kind == TN_AMD_LINE_LOOP) snprintf(out, cap, "loop of %d", (int)line->times);
  else if (line->kind == TN_AMD_LINE_LOOP_END) snprintf(out, cap, "end of loop");
  else if (line->kind == TN_AMD_LINE_INS && line->label >= 0 && tn_amd_is_branch(ins->op)) {
    const char *const name = tn_amd_name(ins->op, ins->family, &n);
    snprintf(out, cap, "%.*s L%d", (int)n, name, (int)line->label);
  } else if (!tn_amd_shows_virtual(line)) tn_amd_print(ins, out, cap);
  else {
    const char *const name = line->kind == TN_AMD_LINE_COPY ? "copy" : tn_amd_name(ins->op, ins->family, &n);
    tn_amd_put_n(&t, name, line->kind == TN_AMD_LINE_COPY ? 4 : n);
    tn_amd_put_virtual_operands(&t, ins);
    out[t.n < cap ? t.n : cap - 1] = 0;
  }
}
static void tn_amd_show(const tn_amd_list *l, const char *title) {
  if (!tiny_log_line(l->t, 'd', "%s: %d lines", title, l->n)) return;
  for (int i = 0; i < l->n; i++) {
    char text[400];
    tn_amd_line_text(&l->line[i], text, sizeof text);
    tiny_log_line(l->t, 'd', "%s%s", l->line[i].kind == TN_AMD_LINE_LABEL ? "" : "  ", text);
  }
}
#endif
// ---- end src/amd/../isa/amd_show.c ----
// selection
// ---- begin src/amd/../isa/amd_values.c ----
// amd_values: values of a kernel's nodes in registers of an AMD GPU, an operand for each element.
//
// In:  nodes, operands. Out: operands; lines that make one form of a vector of another.
// Holds:
//  - A value that is the same for all lanes lies in scalar registers or is a constant where an instruction could make
//    it so: what an operand is tells whether it is uniform. Nothing else keeps account of that.
//  - Elements: 1 dword, of 64 bits 2; integers of 8 and 16 bits with their sign or zeros above; f16, bf16 and fp8 their
//    bits in the low ones, what is above is anything; bools masks of lanes, of constants 0 and -1. Bits of a mask mean
//    nothing for lanes that are off.
//  - Vectors of 8 and 16 bits are elements, words of 32 bits as they lie in memory, or both: as their users ask.
#ifndef TN_ISA_AMD_VALUES
#define TN_ISA_AMD_VALUES
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

enum { TN_AMD_ELEMENTS = 1, TN_AMD_WORDS = 2 };              // what users want of a vector
enum { TN_AMD_DEEP = 72 };                 // loops and IFs inside each other
// What was divided by what, in which loop.
enum { TN_AMD_DIVIDED = 16 };
typedef struct tn_amd_division {
  uint16_t a, b; uint8_t a_kind, b_kind, a_sub, b_sub, dtype, is_there; int depth, serial;
} tn_amd_division;

struct tn_amd_level; struct tn_amd_step;
typedef struct tn_amd_selection {
  tiny_ctx *t; const tiny_listing *k; tn_amd_list *l; int family;
  tn_amd_operand *pool; int npool, poolcap;
  int *elements, *words;                   // of nodes: where in the pool, -1: nowhere
  // written: of a PARAM: it is stored to; buffer: it is reached by a buffer's descriptor; zeros: low bits
  uint8_t *wants, *needed, *zeros, *written, *buffer;
  struct tn_amd_level *level; int depth, at, serial;         // loops and IFs that are open; where lines go
  uint8_t *inside; struct tn_amd_step *step;                 // inside: of nodes, how deep they stand (amd_address.c)
  // A RANGE whose body stands there several times, which copy is written, and the iteration of the first of them
  const tiny_uop *copied; int copy; tn_amd_operand counter;
  int64_t *place;                          // of DEFINEs: where in LDS or scratch, -1: in registers
  uint8_t *uses;                           // of nodes: by how many sources, 255 and more are 255
  uint8_t *tuple;                          // of REG memory: an element's lanes lie beside each other
  int *ends;                               // of a RANGE or IF: where its END or ENDIF is
  tn_amd_operand args, item, group[3];     // what comes with the launch
  int64_t lds, scratch;                    // bytes so far
  tn_amd_division divided[TN_AMD_DIVIDED]; tn_amd_operand quotient[TN_AMD_DIVIDED]; int ndivided;
} tn_amd_selection;

static void tn_amd_refuse_node(tn_amd_selection *x, const tiny_uop *u) {
  if (!x->l->refused) x->l->refused = tiny_op_name(u->op);
}

// ** dtypes **

static int tn_amd_is_float(int d) { return d >= TINY_F8E4M3 && d <= TINY_F64; }
static int tn_amd_is_signed(int d) { return d == TINY_I8 || d == TINY_I16 || d == TINY_I32 || d == TINY_I64; }
static int tn_amd_bits_of(int d) { return 8 * (int)tiny_dtype_nbytes((tiny_dtype)d); }
// Of an element's register.
static int tn_amd_element_dwords(const tn_amd_selection *x, int d) {
  return d == TINY_BOOL ? x->l->mask : tn_amd_bits_of(d) > 32 ? 2 : 1;
}

// ** constants **

// 32 bits as they are.
static tn_amd_operand tn_amd_k32(uint32_t bits) {
  const int32_t v = (int32_t)bits;
  return v >= -16 && v <= 64 ? tn_amd_int(v) : tn_amd_bits(bits);
}
// 64 bits in two registers: scalar ones.
static tn_amd_operand tn_amd_k64(tn_amd_selection *x, uint64_t bits) {
  const tn_amd_operand to = tn_amd_new_s(x->l, 2);
  tn_amd_copy(x->l, tn_amd_slice(to, 0, 1), tn_amd_k32((uint32_t)bits));
  tn_amd_copy(x->l, tn_amd_slice(to, 1, 1), tn_amd_k32((uint32_t)(bits >> 32)));
  return to;
}
static tn_amd_operand tn_amd_constant(tn_amd_selection *x, int dtype, int64_t k) {
  if (dtype == TINY_BOOL) {
    tn_amd_operand o = tn_amd_int(k ? -1 : 0);
    o.dwords = (uint8_t)x->l->mask;
    return o;
  }
  if (tn_amd_bits_of(dtype) == 64) return tn_amd_k64(x, (uint64_t)k);
  if (!tn_amd_is_float(dtype)) return tn_amd_k32((uint32_t)k);
  return tn_amd_k32(dtype == TINY_F32 ? tn_const_f32(k) : tn_const_narrow(dtype, k));
}
static int tn_amd_is_zero(const tn_amd_operand *o) {
  return o->kind == TN_AMD_INLINE && o->value == 0 && o->reg == 128;
}

// ** the pool **

static int tn_amd_take(tn_amd_selection *x, int n) {
  for (int i = 0; i < n; i++) {
    tn_amd_operand *const all = (tn_amd_operand *)tn_amd_grown(x->l, x->pool, x->npool, &x->poolcap, sizeof *all);
    if (!all) return 0;
    x->pool = all;
    memset(&x->pool[x->npool++], 0, sizeof *all);
  }
  return x->npool - n;
}
// Element i of a node; of what has one for all lanes that one.
static tn_amd_operand tn_amd_element(const tn_amd_selection *x, const tiny_uop *u, int i) {
  const int at = x->elements[u->seq];
  return at < 0 ? tn_amd_off() : x->pool[at + (u->lanes > 1 ? i : 0)];
}
static int tn_amd_is_uniform(const tn_amd_operand *o) { return o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR; }

// ** lines that give a value **

// In vector registers, in a scalar one: copied unless it is there.
static tn_amd_operand tn_amd_as_v(tn_amd_selection *x, tn_amd_operand o) {
  return o.kind == TN_AMD_VGPR && !o.neg && !o.abs ? o : tn_amd_in_vgprs(x->l, o);
}
static tn_amd_operand tn_amd_as_s(tn_amd_selection *x, tn_amd_operand o) {
  return o.kind == TN_AMD_SGPR ? o : tn_amd_in_sgprs(x->l, o);
}
static tn_amd_operand tn_amd_v1(tn_amd_selection *x, int op, tn_amd_operand a) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_do2(x->l, op, d, a);
  return d;
}
static tn_amd_operand tn_amd_v2(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}
static tn_amd_operand tn_amd_v3(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_do4(x->l, op, d, a, b, c);
  return d;
}
static tn_amd_operand tn_amd_s1(tn_amd_selection *x, int op, tn_amd_operand a) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 1);
  tn_amd_do2(x->l, op, d, a);
  return d;
}
static tn_amd_operand tn_amd_s2(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 1);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}

// ** vectors: elements and words **

static int tn_amd_nbytes(const tiny_uop *u) { return u->lanes * (int)tiny_dtype_nbytes((tiny_dtype)u->dtype); }
// Are there words of it, apart from its elements?
static int tn_amd_packs(const tiny_uop *u) {
  const int bits = tn_amd_bits_of(u->dtype);
  return u->lanes > 1 && bits < 32 && u->dtype != TINY_BOOL && u->dtype != TINY_VOID && u->lanes * bits % 32 == 0;
}
static int tn_amd_nwords(const tiny_uop *u) { return u->lanes * tn_amd_bits_of(u->dtype) / 32; }

// Element i of the vector that the word is part of.
static tn_amd_operand tn_amd_unpacked(tn_amd_selection *x, int dtype, tn_amd_operand word, int i) {
  const int bits = tn_amd_bits_of(dtype), at = i * bits % 32, is_signed = tn_amd_is_signed(dtype);
  const int uniform = tn_amd_is_uniform(&word), half = bits == 16 && tn_amd_is_float(dtype);
  if (!at && (half || bits == 32)) return word;
  if (at + bits == 32 && uniform) return tn_amd_s2(x, is_signed ? TN_AMD_S_ASHR_I32 : TN_AMD_S_LSHR_B32,
                                                   tn_amd_as_s(x, word), tn_amd_int(at));
  if (at + bits == 32)
    return tn_amd_v2(x, is_signed ? TN_AMD_V_ASHRREV_I32 : TN_AMD_V_LSHRREV_B32, tn_amd_int(at), word);
  if (uniform) return tn_amd_s2(x, is_signed ? TN_AMD_S_BFE_I32 : TN_AMD_S_BFE_U32, tn_amd_as_s(x, word),
                                tn_amd_k32((uint32_t)(at | bits << 16)));
  if (!at && !is_signed) return tn_amd_v2(x, TN_AMD_V_AND_B32, tn_amd_k32((1u << bits) - 1), word);
  return tn_amd_v3(x, is_signed ? TN_AMD_V_BFE_I32 : TN_AMD_V_BFE_U32, word, tn_amd_int(at), tn_amd_int(bits));
}
static void tn_amd_unpack_all(tn_amd_selection *x, const tiny_uop *u) {
  const int first = tn_amd_take(x, u->lanes), words = x->words[u->seq];
  x->elements[u->seq] = first;
  for (int i = 0; i < u->lanes && !x->l->refused; i++) {
    const tn_amd_operand word = x->pool[words + i * tn_amd_bits_of(u->dtype) / 32];
    const tn_amd_operand o = tn_amd_unpacked(x, u->dtype, word, i);
    x->pool[first + i] = o;
  }
}
// The low halves of two; their low bytes (v_perm_b32: bytes 0 to 3 are of the second source, 4 to 7 of the first).
static tn_amd_operand tn_amd_packed_halves(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  if (tn_amd_is_constant(&low) && tn_amd_is_constant(&high)) return tn_amd_k32((low.value & 0xFFFF) | high.value << 16);
  if (tn_amd_is_uniform(&low) && tn_amd_is_uniform(&high)) return tn_amd_s2(x, TN_AMD_S_PACK_LL_B32_B16, low, high);
  return tn_amd_v3(x, TN_AMD_V_PERM_B32, high, low, tn_amd_k32(0x05040100));
}
static tn_amd_operand tn_amd_packed_bytes(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  if (tn_amd_is_constant(&low) && tn_amd_is_constant(&high))
    return tn_amd_k32((low.value & 0xFF) | (high.value & 0xFF) << 8);
  return tn_amd_v3(x, TN_AMD_V_PERM_B32, high, low, tn_amd_k32(0x0C0C0400));
}
// One word of 32 / bits elements.
static tn_amd_operand tn_amd_packed(tn_amd_selection *x, int dtype, const tn_amd_operand *o) {
  if (dtype == TINY_F16 && (o[0].kind == TN_AMD_VGPR || o[1].kind == TN_AMD_VGPR))
    return tn_amd_v2(x, TN_AMD_V_PACK_B32_F16, o[0], o[1]);
  if (tn_amd_bits_of(dtype) == 16) return tn_amd_packed_halves(x, o[0], o[1]);
  const tn_amd_operand low = tn_amd_packed_bytes(x, o[0], o[1]), high = tn_amd_packed_bytes(x, o[2], o[3]);
  return tn_amd_packed_halves(x, low, high);
}
static void tn_amd_pack_all(tn_amd_selection *x, const tiny_uop *u) {
  const int n = tn_amd_nwords(u), each = u->lanes / n, first = tn_amd_take(x, n);
  x->words[u->seq] = first;
  for (int i = 0; i < n && !x->l->refused; i++) {
    tn_amd_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_amd_element(x, u, i * each + j);
    const tn_amd_operand word = tn_amd_packed(x, u->dtype, o);
    x->pool[first + i] = word;
  }
}
// The other form as well, where a user wants it.
static void tn_amd_complete(tn_amd_selection *x, const tiny_uop *u) {
  if (!tn_amd_packs(u)) return;
  const int wants = x->wants[u->seq];
  if (x->words[u->seq] < 0 && x->elements[u->seq] >= 0 && (wants & TN_AMD_WORDS)) tn_amd_pack_all(x, u);
  if (x->elements[u->seq] < 0 && x->words[u->seq] >= 0 && (wants & TN_AMD_ELEMENTS)) tn_amd_unpack_all(x, u);
}
// Dword i of a vector's bits, as they lie in memory; of one element, too.
static tn_amd_operand tn_amd_bits_at(const tn_amd_selection *x, const tiny_uop *u, int i) {
  if (tn_amd_packs(u)) return x->words[u->seq] < 0 ? tn_amd_off() : x->pool[x->words[u->seq] + i];
  if (tn_amd_bits_of(u->dtype) < 64) return tn_amd_element(x, u, i);
  const tn_amd_operand o = tn_amd_element(x, u, i / 2);
  return tn_amd_is_register(&o) ? tn_amd_slice(o, i & 1, 1) : o;
}
#endif
// ---- end src/amd/../isa/amd_values.c ----
// ---- begin src/amd/../isa/amd_integers.c ----
// amd_integers: arithmetic of whole numbers on AMD's GPUs: of 32 bits, of fewer, of 64, and quotients.
//
// In:  operands of elements (amd_values.c). Out: the operand of the result.
// Holds: what is uniform is done by scalar instructions where there are some. Numbers of 8 and 16 bits are computed in
//        32 and wrapped, unless bounds say that they need not be. Shifts are below the width.
// Source: AMD's ISA guides (amd.c), "SOP2", "VOP2", "VOP3".
#ifndef TN_ISA_AMD_INTEGERS
#define TN_ISA_AMD_INTEGERS
#ifndef TINY_AMALGAMATED
#include "amd_values.c"
#endif

// ** operands, lines **

static int tn_amd_are_uniform(const tn_amd_operand *o, int n) {
  for (int i = 0; i < n; i++) if (!tn_amd_is_uniform(&o[i])) return 0;
  return 1;
}
// Of a scalar instruction: it has room for one literal.
static tn_amd_operand tn_amd_uniform2(tn_amd_selection *x, int op, int dwords, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, dwords);
  if (a.kind == TN_AMD_LITERAL && b.kind == TN_AMD_LITERAL) b = tn_amd_in_sgprs(x->l, b);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}
static tn_amd_operand tn_amd_either(tn_amd_selection *x, int scalar, int vector, tn_amd_operand a, tn_amd_operand b) {
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b)) return tn_amd_uniform2(x, scalar, 1, a, b);
  return tn_amd_v2(x, vector, a, b);
}
// Two dwords of vector registers.
static tn_amd_operand tn_amd_wide1(tn_amd_selection *x, int op, tn_amd_operand a) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do2(x->l, op, d, a);
  return d;
}
static tn_amd_operand tn_amd_wide2(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do3(x->l, op, d, a, b);
  return d;
}
static tn_amd_operand tn_amd_wide3(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do4(x->l, op, d, a, b, c);
  return d;
}
// d, of two dwords, a * b + c of two.
static tn_amd_operand tn_amd_wide_product(tn_amd_selection *x, int op, tn_amd_operand a, tn_amd_operand b,
                                          tn_amd_operand c) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  tn_amd_do5(x->l, op, d, tn_amd_new_mask(x->l), a, b, c);
  return d;
}
static tn_amd_operand tn_amd_joined(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  const int uniform = tn_amd_is_uniform(&low) && tn_amd_is_uniform(&high);
  const tn_amd_operand d = uniform ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
  tn_amd_copy(x->l, tn_amd_slice(d, 0, 1), low);
  tn_amd_copy(x->l, tn_amd_slice(d, 1, 1), high);
  return d;
}
// A number that every lane has, by a vector instruction: back into a scalar register.
static tn_amd_operand tn_amd_first_lane(tn_amd_selection *x, tn_amd_operand v) {
  const tn_amd_operand d = tn_amd_new_s(x->l, v.dwords);
  for (int i = 0; i < v.dwords; i++)
    tn_amd_do2(x->l, TN_AMD_V_READFIRSTLANE_B32, tn_amd_slice(d, i, 1), tn_amd_slice(v, i, 1));
  return d;
}

// ** what nodes tell **

static int tn_amd_is_number(const tiny_uop *u, int64_t *k) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  if (u->op != TINY_OP_CONST) return 0;
  *k = u->k;
  return 1;
}
static int tn_amd_is_within(const tiny_uop *u, int64_t low, int64_t top) {
  return u->dtype != TINY_U64 && u->vmin >= low && u->vmax <= top;
}
// Are the bits of a number of 64 from 32 on zeros?
static int tn_amd_is_low(const tiny_uop *u) {
  int64_t k = 0;
  if (tn_amd_is_number(u, &k)) return k >= 0 && k <= UINT32_MAX;
  if (u->op == TINY_OP_CAST && u->src[0]->dtype == TINY_U32) return 1;
  if (u->op == TINY_OP_SHR && u->dtype == TINY_U64 && tn_amd_is_number(u->src[1], &k)) return k >= 32 && k < 64;
  return tn_amd_is_within(u, 0, UINT32_MAX);
}
static int64_t tn_amd_least(int dtype) {
  return tn_amd_is_signed(dtype) ? -((int64_t)1 << (tn_amd_bits_of(dtype) - 1)) : 0;
}
static int64_t tn_amd_most(int dtype) {
  return ((int64_t)1 << (tn_amd_bits_of(dtype) - tn_amd_is_signed(dtype))) - 1;
}
// Half i of an element of 64 bits.
static tn_amd_operand tn_amd_half(const tiny_uop *u, tn_amd_operand o, int i) {
  int64_t k;
  if (tn_amd_is_number(u, &k)) return tn_amd_k32((uint32_t)((uint64_t)k >> 32 * i));
  return tn_amd_slice(o, i, 1);
}
static int tn_amd_power_of(uint64_t k) {                     // its exponent; -1: it is no power of two
  int n = 0;
  if (!k || (k & (k - 1))) return -1;
  while (k >> n != 1) n++;
  return n;
}

// ** of 32 bits, and of fewer **

static tn_amd_operand tn_amd_wrapped(tn_amd_selection *x, int dtype, tn_amd_operand o) {
  const int bits = tn_amd_bits_of(dtype), uniform = tn_amd_is_uniform(&o);
  if (bits >= 32 || tn_amd_is_float(dtype)) return o;
  const tn_amd_operand ones = tn_amd_k32((1u << bits) - 1);
  if (!tn_amd_is_signed(dtype)) return tn_amd_either(x, TN_AMD_S_AND_B32, TN_AMD_V_AND_B32, ones, o);
  if (uniform) return tn_amd_s1(x, bits == 8 ? TN_AMD_S_SEXT_I32_I8 : TN_AMD_S_SEXT_I32_I16, o);
  return tn_amd_v3(x, TN_AMD_V_BFE_I32, o, tn_amd_int(0), tn_amd_int(bits));
}
// Can what 32 bits give of a narrow op be beyond the dtype?
static int tn_amd_may_wrap(const tiny_uop *u) {
  const int d = u->dtype;
  if (tn_amd_bits_of(d) >= 32 || !tn_amd_bits_of(d)) return 0;
  const tiny_uop *const a = u->src[0], *const b = u->src[u->nsrc > 1];
  const int64_t low = tn_amd_least(d), top = tn_amd_most(d);
  switch (u->op) {
    case TINY_OP_ADD: return a->vmin + b->vmin < low || a->vmax + b->vmax > top;
    case TINY_OP_SUB: return a->vmin - b->vmax < low || a->vmax - b->vmin > top;
    case TINY_OP_MUL: return a->vmin < 0 || b->vmin < 0 || a->vmax * b->vmax > top;
    case TINY_OP_NEG: return -a->vmax < low || -a->vmin > top;
    case TINY_OP_SHL: return a->vmin < 0 || b->vmin < 0 || b->vmax > 15 || a->vmax << b->vmax > top;
    case TINY_OP_CDIV: return a->vmin <= low && b->vmin < 0 && tn_amd_is_signed(d);
    default: return 0;
  }
}

static tn_amd_operand tn_amd_times(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  int64_t k = 0;
  const int known = tn_amd_is_number(q, &k), shift = known ? tn_amd_power_of((uint32_t)k) : -1;
  if (shift >= 0) return tn_amd_is_uniform(&a) ? tn_amd_uniform2(x, TN_AMD_S_LSHL_B32, 1, a, tn_amd_int(shift)) :
                                                 tn_amd_v2(x, TN_AMD_V_LSHLREV_B32, tn_amd_int(shift), a);
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b)) return tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a, b);
  const int more = known ? tn_amd_power_of((uint32_t)k - 1) : -1;              // 2^n + 1
  if (more > 0) return tn_amd_v3(x, TN_AMD_V_LSHL_ADD_U32, a, tn_amd_int(more), a);
  const int64_t end = (int64_t)1 << 24;
  if (tn_amd_is_within(p, 0, end - 1) && tn_amd_is_within(q, 0, end - 1))
    return tn_amd_v2(x, TN_AMD_V_MUL_U32_U24, a, b);
  if (tn_amd_is_within(p, -end / 2, end / 2 - 1) && tn_amd_is_within(q, -end / 2, end / 2 - 1))
    return tn_amd_v2(x, TN_AMD_V_MUL_I32_I24, a, b);
  return tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, a, b);
}
static tn_amd_operand tn_amd_shifted(tn_amd_selection *x, int op, int is_signed, tn_amd_operand a, tn_amd_operand by) {
  const int left = op == TINY_OP_SHL;
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&by))
    return tn_amd_uniform2(x, left ? TN_AMD_S_LSHL_B32 : is_signed ? TN_AMD_S_ASHR_I32 : TN_AMD_S_LSHR_B32, 1, a, by);
  return tn_amd_v2(x, left ? TN_AMD_V_LSHLREV_B32 : is_signed ? TN_AMD_V_ASHRREV_I32 : TN_AMD_V_LSHRREV_B32, by, a);
}
// By a reciprocal that is off by 1 at most, of numbers below 2^24: the quotient of floats, put right where the rest is
// as much as the divisor.
static tn_amd_operand tn_amd_quotient24(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand n = tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, a), d = tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, b),
                       one_over = tn_amd_v1(x, TN_AMD_V_RCP_IFLAG_F32, d),
                       q = tn_amd_v1(x, TN_AMD_V_TRUNC_F32, tn_amd_v2(x, TN_AMD_V_MUL_F32, n, one_over)),
                       more = tn_amd_new_mask(x->l), result = tn_amd_new_v(x->l, 1);
  tn_amd_operand minus = q, size, of = d;
  minus.neg = 1;
  size = tn_amd_v3(x, TN_AMD_V_FMA_F32, minus, d, n);
  size.abs = of.abs = 1;
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_F32, more, size, of);
  const tn_amd_operand whole = tn_amd_v1(x, TN_AMD_V_CVT_U32_F32, q);
  tn_amd_do5(x->l, TN_AMD_V_ADD_CO_CI_U32, result, tn_amd_new_mask(x->l), tn_amd_int(0), whole, more);
  return result;
}
// q + 1 and r - b where r is b or more.
static void tn_amd_quotient_step(tn_amd_selection *x, tn_amd_operand *q, tn_amd_operand *r, tn_amd_operand b) {
  const tn_amd_operand more = tn_amd_new_mask(x->l), next = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(1), *q),
                       rest = tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, *r, b);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_U32, more, *r, b);
  *q = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, *q, next, more);
  *r = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, *r, rest, more);
}
// By a reciprocal of 32 bits, 2^32 / b scaled by a little less than 2^32 (0x4F7FFFFE), which a step of Newton's brings
// near enough: what is left is twice the divisor at most.
static tn_amd_operand tn_amd_quotient32(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand scale = tn_amd_bits(0x4F7FFFFE), f = tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, b),
                       one_over = tn_amd_v1(x, TN_AMD_V_RCP_IFLAG_F32, f),
                       first = tn_amd_v1(x, TN_AMD_V_CVT_U32_F32, tn_amd_v2(x, TN_AMD_V_MUL_F32, scale, one_over)),
                       minus = tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, tn_amd_int(0), b),
                       error = tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, minus, first),
                       more = tn_amd_v2(x, TN_AMD_V_MUL_HI_U32, first, error),
                       z = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, first, more);
  tn_amd_operand q = tn_amd_v2(x, TN_AMD_V_MUL_HI_U32, a, z),
                 r = tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, a, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, q, b));
  tn_amd_quotient_step(x, &q, &r, b);
  const tn_amd_operand last = tn_amd_new_mask(x->l), next = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(1), q);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_U32, last, r, b);
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, q, next, last);
}
// |o|, by its sign: all ones or zeros.
static tn_amd_operand tn_amd_size(tn_amd_selection *x, tn_amd_operand o, tn_amd_operand sign) {
  const tn_amd_operand bits = tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, o, sign);
  return tn_amd_either(x, TN_AMD_S_SUB_I32, TN_AMD_V_SUB_NC_U32, bits, sign);
}
static tn_amd_operand tn_amd_quotient_of_32(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a,
                                           tn_amd_operand b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  const int64_t end = (int64_t)1 << 24;
  if (tn_amd_is_within(p, 0, end - 1) && tn_amd_is_within(q, 0, end - 1)) return tn_amd_quotient24(x, a, b);
  if (p->vmin >= 0 && q->vmin >= 0) return tn_amd_quotient32(x, a, b);
  const tn_amd_operand last = tn_amd_int(31), s = tn_amd_shifted(x, TINY_OP_SHR, 1, a, last),
                       t = tn_amd_shifted(x, TINY_OP_SHR, 1, b, last),
                       size = tn_amd_quotient32(x, tn_amd_size(x, a, s), tn_amd_size(x, b, t));
  return tn_amd_size(x, size, tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, s, t));
}
// A quotient and a remainder of the same two are divided once, in the same loop.
static tn_amd_operand *tn_amd_quotient_at(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_division now = {a.reg, b.reg, a.kind, b.kind, a.sub, b.sub, (uint8_t)u->dtype, 1, x->depth, x->serial};
  for (int i = 0; i < TN_AMD_DIVIDED; i++)
    if (!memcmp(&x->divided[i], &now, sizeof now)) return &x->quotient[i];
  tn_amd_division none = now;
  const int same = x->at == x->depth && tn_amd_is_register(&a) && tn_amd_is_register(&b), i = x->ndivided;
  if (!same) none.is_there = 0;
  x->ndivided = (i + 1) % TN_AMD_DIVIDED;
  x->divided[i] = none;
  x->quotient[i].kind = TN_AMD_NONE;
  return &x->quotient[i];
}
static tn_amd_operand tn_amd_quotient(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  tn_amd_operand *const q = tn_amd_quotient_at(x, u, a, b);
  if (q->kind == TN_AMD_NONE) *q = tn_amd_quotient_of_32(x, u, a, b);
  return *q;
}
static tn_amd_operand tn_amd_remainder(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand q = tn_amd_quotient(x, u, a, b);
  return tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, a, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, q, b));
}

static tn_amd_operand tn_amd_integer32(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const int is_signed = tn_amd_is_signed(u->dtype), uniform = tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b);
  switch (u->op) {
    case TINY_OP_NEG: return tn_amd_either(x, TN_AMD_S_SUB_I32, TN_AMD_V_SUB_NC_U32, tn_amd_int(0), a);
    case TINY_OP_ADD: return tn_amd_either(x, TN_AMD_S_ADD_I32, TN_AMD_V_ADD_NC_U32, a, b);
    case TINY_OP_SUB:
      if (!uniform && b.kind != TN_AMD_VGPR) return tn_amd_v2(x, TN_AMD_V_SUBREV_NC_U32, b, a);
      return tn_amd_either(x, TN_AMD_S_SUB_I32, TN_AMD_V_SUB_NC_U32, a, b);
    case TINY_OP_MUL: return tn_amd_times(x, u, a, b);
    case TINY_OP_AND: return tn_amd_either(x, TN_AMD_S_AND_B32, TN_AMD_V_AND_B32, a, b);
    case TINY_OP_OR: return tn_amd_either(x, TN_AMD_S_OR_B32, TN_AMD_V_OR_B32, a, b);
    case TINY_OP_XOR: return tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, a, b);
    case TINY_OP_SHL: case TINY_OP_SHR: return tn_amd_shifted(x, u->op, is_signed, a, b);
    case TINY_OP_MAX: return is_signed ? tn_amd_either(x, TN_AMD_S_MAX_I32, TN_AMD_V_MAX_I32, a, b) :
                                         tn_amd_either(x, TN_AMD_S_MAX_U32, TN_AMD_V_MAX_U32, a, b);
    case TINY_OP_CDIV: case TINY_OP_CMOD: {
      const tn_amd_operand v = u->op == TINY_OP_CDIV ? tn_amd_quotient(x, u, a, b) : tn_amd_remainder(x, u, a, b);
      return uniform ? tn_amd_first_lane(x, v) : v;
    }
    case TINY_OP_TRUNC: return a;
    default: tn_amd_refuse_node(x, u); return a;
  }
}

// ** of 64 bits **

// Sums and differences, with a carry from half to half: SCC of scalars, which nothing stands between.
static tn_amd_operand tn_amd_sum64_uniform(tn_amd_selection *x, int subtracts, const tn_amd_operand *a,
                                           const tn_amd_operand *b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 2);
  tn_amd_operand of[2] = {b[0], b[1]};
  for (int i = 0; i < 2; i++) if (a[i].kind == TN_AMD_LITERAL) of[i] = tn_amd_as_s(x, b[i]);
  tn_amd_do3(x->l, subtracts ? TN_AMD_S_SUB_U32 : TN_AMD_S_ADD_U32, tn_amd_slice(d, 0, 1), a[0], of[0]);
  tn_amd_do3(x->l, subtracts ? TN_AMD_S_SUBB_U32 : TN_AMD_S_ADDC_U32, tn_amd_slice(d, 1, 1), a[1], of[1]);
  return d;
}
static tn_amd_operand tn_amd_sum64(tn_amd_selection *x, int subtracts, const tn_amd_operand *a,
                                   const tn_amd_operand *b) {
  if (tn_amd_are_uniform(a, 2) && tn_amd_are_uniform(b, 2)) return tn_amd_sum64_uniform(x, subtracts, a, b);
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  if (tn_amd_is_zero(&b[0])) {             // nothing is carried
    tn_amd_copy(x->l, tn_amd_slice(d, 0, 1), a[0]);
    tn_amd_do3(x->l, subtracts ? TN_AMD_V_SUB_NC_U32 : TN_AMD_V_ADD_NC_U32, tn_amd_slice(d, 1, 1), a[1], b[1]);
    return d;
  }
  const tn_amd_operand carry = tn_amd_new_mask(x->l);
  tn_amd_do4(x->l, subtracts ? TN_AMD_V_SUB_CO_U32 : TN_AMD_V_ADD_CO_U32, tn_amd_slice(d, 0, 1), carry, a[0], b[0]);
  tn_amd_do5(x->l, subtracts ? TN_AMD_V_SUB_CO_CI_U32 : TN_AMD_V_ADD_CO_CI_U32, tn_amd_slice(d, 1, 1),
             tn_amd_new_mask(x->l), a[1], b[1], carry);
  return d;
}
// The same of operands that are registers.
static tn_amd_operand tn_amd_sum64_of(tn_amd_selection *x, int subtracts, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand p[2] = {tn_amd_slice(a, 0, 1), tn_amd_slice(a, 1, 1)},
                       q[2] = {tn_amd_slice(b, 0, 1), tn_amd_slice(b, 1, 1)};
  return tn_amd_sum64(x, subtracts, p, q);
}
static tn_amd_operand tn_amd_product64(tn_amd_selection *x, const tn_amd_operand *a, const tn_amd_operand *b) {
  const tn_amd_operand low = tn_amd_wide_product(x, TN_AMD_V_MAD_U64_U32, a[0], b[0], tn_amd_int(0));
  const int one = tn_amd_is_zero(&a[1]) ? 1 : tn_amd_is_zero(&b[1]) ? 2 : 0;   // whose half is none
  if (one == 1 && tn_amd_is_zero(&b[1])) return low;
  const tn_amd_operand left = tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, a[one == 2], b[one != 2]);
  if (one) return tn_amd_joined(x, tn_amd_slice(low, 0, 1),
                                tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_slice(low, 1, 1), left));
  const tn_amd_operand right = tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, a[1], b[0]);
  return tn_amd_joined(x, tn_amd_slice(low, 0, 1),
                       tn_amd_v3(x, TN_AMD_V_ADD3_U32, tn_amd_slice(low, 1, 1), left, right));
}
static tn_amd_operand tn_amd_product64_of(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand p[2] = {tn_amd_slice(a, 0, 1), tn_amd_slice(a, 1, 1)},
                       q[2] = {tn_amd_slice(b, 0, 1), tn_amd_slice(b, 1, 1)};
  return tn_amd_product64(x, p, q);
}
static tn_amd_operand tn_amd_product64_uniform(tn_amd_selection *x, const tn_amd_operand *a, const tn_amd_operand *b) {
  const tn_amd_operand d = tn_amd_new_s(x->l, 2), high = tn_amd_uniform2(x, TN_AMD_S_MUL_HI_U32, 1, a[0], b[0]),
                       left = tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a[0], b[1]),
                       right = tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a[1], b[0]),
                       sum = tn_amd_uniform2(x, TN_AMD_S_ADD_I32, 1, high, left);
  tn_amd_copy(x->l, tn_amd_slice(d, 0, 1), tn_amd_uniform2(x, TN_AMD_S_MUL_I32, 1, a[0], b[0]));
  tn_amd_do3(x->l, TN_AMD_S_ADD_I32, tn_amd_slice(d, 1, 1), sum, right);
  return d;
}
static tn_amd_operand tn_amd_times64(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o,
                                     const tn_amd_operand *a, const tn_amd_operand *b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  int64_t k = 0;
  const int shift = tn_amd_is_number(q, &k) ? tn_amd_power_of((uint64_t)k) : -1, uniform = tn_amd_are_uniform(o, 2);
  if (shift >= 0 && uniform) return tn_amd_uniform2(x, TN_AMD_S_LSHL_B64, 2, o[0], tn_amd_int(shift));
  if (shift >= 0) return tn_amd_wide2(x, TN_AMD_V_LSHLREV_B64, tn_amd_int(shift), o[0]);
  if (uniform && x->family == TN_AMD_GFX12) return tn_amd_uniform2(x, TN_AMD_S_MUL_U64, 2, o[0], o[1]);
  if (uniform) return tn_amd_product64_uniform(x, a, b);
  if (tn_amd_is_within(p, INT32_MIN, INT32_MAX) && tn_amd_is_within(q, INT32_MIN, INT32_MAX) &&
      !(tn_amd_is_low(p) && tn_amd_is_low(q)))
    return tn_amd_wide_product(x, TN_AMD_V_MAD_I64_I32, a[0], b[0], tn_amd_int(0));
  const tn_amd_operand c[2] = {a[0], tn_amd_is_low(p) ? tn_amd_int(0) : a[1]},
                       d[2] = {b[0], tn_amd_is_low(q) ? tn_amd_int(0) : b[1]};
  return tn_amd_product64(x, c, d);
}
static tn_amd_operand tn_amd_bits64(tn_amd_selection *x, int op, const tn_amd_operand *o, const tn_amd_operand *a,
                                    const tn_amd_operand *b) {
  const int is_and = op == TINY_OP_AND, is_or = op == TINY_OP_OR;
  if (tn_amd_are_uniform(o, 2))
    return tn_amd_uniform2(x, is_and ? TN_AMD_S_AND_B64 : is_or ? TN_AMD_S_OR_B64 : TN_AMD_S_XOR_B64, 2, o[0], o[1]);
  const tn_amd_operand d = tn_amd_new_v(x->l, 2);
  for (int i = 0; i < 2; i++)
    if (tn_amd_is_zero(&a[i]) || tn_amd_is_zero(&b[i]))
      tn_amd_copy(x->l, tn_amd_slice(d, i, 1), is_and ? tn_amd_int(0) : tn_amd_is_zero(&a[i]) ? b[i] : a[i]);
    else tn_amd_do3(x->l, is_and ? TN_AMD_V_AND_B32 : is_or ? TN_AMD_V_OR_B32 : TN_AMD_V_XOR_B32, tn_amd_slice(d, i, 1),
               a[i], b[i]);
  return d;
}
static tn_amd_operand tn_amd_shifted64(tn_amd_selection *x, int op, int is_signed, tn_amd_operand a,
                                       tn_amd_operand by) {
  const int left = op == TINY_OP_SHL;
  if (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&by))
    return tn_amd_uniform2(x, left ? TN_AMD_S_LSHL_B64 : is_signed ? TN_AMD_S_ASHR_I64 : TN_AMD_S_LSHR_B64, 2, a, by);
  return tn_amd_wide2(x, left ? TN_AMD_V_LSHLREV_B64 : is_signed ? TN_AMD_V_ASHRREV_I64 : TN_AMD_V_LSHRREV_B64, by, a);
}
// a where the mask is 1, else b; of one dword or two.
static tn_amd_operand tn_amd_chosen(tn_amd_selection *x, int dwords, tn_amd_operand mask, const tn_amd_operand *a,
                                    const tn_amd_operand *b) {
  const tn_amd_operand d = tn_amd_new_v(x->l, dwords);
  for (int i = 0; i < dwords; i++)
    tn_amd_do4(x->l, TN_AMD_V_CNDMASK_B32, tn_amd_slice(d, i, 1), b[i], a[i], mask);
  return d;
}
static tn_amd_operand tn_amd_greater64(tn_amd_selection *x, int is_signed, tn_amd_operand p, tn_amd_operand q,
                                       const tn_amd_operand *a, const tn_amd_operand *b) {
  const tn_amd_operand more = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, is_signed ? TN_AMD_V_CMP_GT_I64 : TN_AMD_V_CMP_GT_U64, more, p, q);
  return tn_amd_chosen(x, 2, more, a, b);
}

// ** quotients of 64 bits, by those of f64 **

static tn_amd_operand tn_amd_f64_of_u64(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand high = tn_amd_wide1(x, TN_AMD_V_CVT_F64_U32, tn_amd_slice(o, 1, 1)),
                       low = tn_amd_wide1(x, TN_AMD_V_CVT_F64_U32, tn_amd_slice(o, 0, 1));
  return tn_amd_wide2(x, TN_AMD_V_ADD_F64, tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, high, tn_amd_int(32)), low);
}
// Of a float that is not negative, nor as much as 2^64: without its fraction.
static tn_amd_operand tn_amd_u64_of_f64(tn_amd_selection *x, tn_amd_operand f) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2), whole = tn_amd_wide1(x, TN_AMD_V_TRUNC_F64, f),
                       part = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, whole, tn_amd_int(-32)),
                       high = tn_amd_wide1(x, TN_AMD_V_FLOOR_F64, part),
                       minus = tn_amd_k64(x, UINT64_C(0xC1F0000000000000)),          // -2^32
                       low = tn_amd_wide3(x, TN_AMD_V_FMA_F64, high, minus, whole);
  tn_amd_do2(x->l, TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 0, 1), low);
  tn_amd_do2(x->l, TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 1, 1), high);
  return d;
}
// 1 / f, to some units of the last place: the instruction has half of the bits.
static tn_amd_operand tn_amd_reciprocal64(tn_amd_selection *x, tn_amd_operand f) {
  tn_amd_operand y = tn_amd_wide1(x, TN_AMD_V_RCP_F64, f), minus = f;
  minus.neg = 1;
  for (int i = 0; i < 2; i++) {
    const tn_amd_operand error = tn_amd_wide3(x, TN_AMD_V_FMA_F64, minus, y, tn_amd_bits(0x3F800000));
    y = tn_amd_wide3(x, TN_AMD_V_FMA_F64, error, y, y);
  }
  return y;
}
// A quotient by a reciprocal that is a little too low, by 2^-49, is too low by 2^15 at most, and so is the rest's by
// 1, as the rest is below 2^16 divisors.
static tn_amd_operand tn_amd_quotient64_plain(tn_amd_selection *x, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand less = tn_amd_k64(x, UINT64_C(0x3FEFFFFFFFFFFFF0)),         // 1 - 2^-49
                       exact = tn_amd_reciprocal64(x, tn_amd_f64_of_u64(x, b)),
                       y = tn_amd_wide2(x, TN_AMD_V_MUL_F64, exact, less);
  tn_amd_operand q = a, r = a;
  for (int i = 0; i < 2; i++) {
    const tn_amd_operand part = tn_amd_wide2(x, TN_AMD_V_MUL_F64, tn_amd_f64_of_u64(x, r), y),
                         n = tn_amd_u64_of_f64(x, part);
    r = tn_amd_sum64_of(x, 1, r, tn_amd_product64_of(x, n, b));
    q = i ? tn_amd_sum64_of(x, 0, q, n) : n;
  }
  const tn_amd_operand more = tn_amd_new_mask(x->l), carry = tn_amd_new_mask(x->l), d = tn_amd_new_v(x->l, 2);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GE_U64, more, r, b);
  tn_amd_do5(x->l, TN_AMD_V_ADD_CO_CI_U32, tn_amd_slice(d, 0, 1), carry, tn_amd_int(0), tn_amd_slice(q, 0, 1), more);
  tn_amd_do5(x->l, TN_AMD_V_ADD_CO_CI_U32, tn_amd_slice(d, 1, 1), tn_amd_new_mask(x->l), tn_amd_int(0),
             tn_amd_slice(q, 1, 1), carry);
  return d;
}
// |o|, by its sign: a dword of ones or zeros.
static tn_amd_operand tn_amd_size64(tn_amd_selection *x, tn_amd_operand o, tn_amd_operand sign) {
  const tn_amd_operand s[2] = {sign, sign};
  tn_amd_operand bits[2];
  for (int i = 0; i < 2; i++)
    bits[i] = tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, tn_amd_slice(o, i, 1), sign);
  return tn_amd_sum64(x, 1, bits, s);
}
static tn_amd_operand tn_amd_quotient_of_64(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a,
                                           tn_amd_operand b) {
  const tiny_uop *const p = u->src[0], *const q = u->src[1];
  if (tn_amd_is_within(p, 0, UINT32_MAX) && tn_amd_is_within(q, 0, UINT32_MAX)) {
    const tn_amd_operand low = tn_amd_quotient32(x, tn_amd_slice(a, 0, 1), tn_amd_slice(b, 0, 1));
    return tn_amd_joined(x, low, tn_amd_int(0));
  }
  if (!tn_amd_is_signed(u->dtype) || (p->vmin >= 0 && q->vmin >= 0)) return tn_amd_quotient64_plain(x, a, b);
  const tn_amd_operand last = tn_amd_int(31), s = tn_amd_shifted(x, TINY_OP_SHR, 1, tn_amd_slice(a, 1, 1), last),
                       t = tn_amd_shifted(x, TINY_OP_SHR, 1, tn_amd_slice(b, 1, 1), last),
                       size = tn_amd_quotient64_plain(x, tn_amd_size64(x, a, s), tn_amd_size64(x, b, t));
  return tn_amd_size64(x, size, tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, s, t));
}
static tn_amd_operand tn_amd_quotient64(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  tn_amd_operand *const q = tn_amd_quotient_at(x, u, a, b);
  if (q->kind == TN_AMD_NONE) *q = tn_amd_quotient_of_64(x, u, a, b);
  return *q;
}

static tn_amd_operand tn_amd_integer64(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int is_signed = tn_amd_is_signed(u->dtype), n = (int)u->nsrc;
  const tn_amd_operand zeros[2] = {tn_amd_int(0), tn_amd_int(0)};
  tn_amd_operand a[2], b[2];
  int64_t k;
  for (int i = 0; i < 2; i++) {
    a[i] = tn_amd_half(u->src[0], o[0], i);
    b[i] = tn_amd_half(u->src[n - 1], o[n - 1], i);
  }
  switch (u->op) {
    case TINY_OP_NEG: return tn_amd_sum64(x, 1, zeros, a);
    case TINY_OP_ADD:
      if (x->family == TN_AMD_GFX9 && o[0].kind == TN_AMD_VGPR && o[1].kind == TN_AMD_VGPR)
        return tn_amd_wide3(x, TN_AMD_V_LSHL_ADD_U64, o[0], tn_amd_int(0), o[1]);
      return tn_amd_sum64(x, 0, a, b);
    case TINY_OP_SUB: return tn_amd_sum64(x, 1, a, b);
    case TINY_OP_MUL: return tn_amd_times64(x, u, o, a, b);
    case TINY_OP_AND: case TINY_OP_OR: case TINY_OP_XOR: return tn_amd_bits64(x, u->op, o, a, b);
    case TINY_OP_SHL: case TINY_OP_SHR:
      return tn_amd_shifted64(x, u->op, is_signed, o[0],
                              tn_amd_is_number(u->src[1], &k) ? tn_amd_int((int)k & 63) : b[0]);
    case TINY_OP_MAX: return tn_amd_greater64(x, is_signed, o[0], o[1], a, b);
    case TINY_OP_CDIV: case TINY_OP_CMOD: {
      const tn_amd_operand q = tn_amd_quotient64(x, u, o[0], o[1]), v = u->op == TINY_OP_CDIV ? q :
          tn_amd_sum64_of(x, 1, o[0], tn_amd_product64_of(x, q, o[1]));
      return tn_amd_are_uniform(o, 2) ? tn_amd_first_lane(x, v) : v;
    }
    case TINY_OP_TRUNC: return o[0];
    default: tn_amd_refuse_node(x, u); return o[0];
  }
}
#endif
// ---- end src/amd/../isa/amd_integers.c ----
// ---- begin src/amd/../isa/amd_floats.c ----
// amd_floats: arithmetic of floats on AMD's GPUs: f16, f32, f64; 2^x, roots and quotients.
//
// In:  operands of elements (amd_values.c). Out: the operand of the result.
// Holds: each is rounded once, to nearest and even, denormals are kept; 2^x is off by 1 ulp, or by some where few bits
//        are looked at. What is uniform is done by scalar instructions where there are some (f32 of gfx12).
// Source: AMD's ISA guides (amd.c): v_div_scale, v_div_fmas, v_div_fixup; v_exp_f32, v_sqrt_f32, v_rcp_f32, whose
//         denormals are 0. Markstein, "Software division and square root using Goldschmidt's algorithms", 2004.
#ifndef TN_ISA_AMD_FLOATS
#define TN_ISA_AMD_FLOATS
#ifndef TINY_AMALGAMATED
#include "amd_integers.c"
#endif

static int tn_amd_has_scalar_floats(const tn_amd_selection *x) { return x->family == TN_AMD_GFX12; }
static tn_amd_operand tn_amd_negated(tn_amd_operand o) { o.neg ^= 1; return o; }

// ** of two operands **

// Instructions of a type; 0: there is none.
typedef struct tn_amd_float_row { uint8_t op; uint16_t f16, f32, f64, scalar; } tn_amd_float_row;
static const tn_amd_float_row tn_amd_float_rows[] = {
  {TINY_OP_ADD, TN_AMD_V_ADD_F16, TN_AMD_V_ADD_F32, TN_AMD_V_ADD_F64, TN_AMD_S_ADD_F32},
  {TINY_OP_SUB, TN_AMD_V_SUB_F16, TN_AMD_V_SUB_F32, TN_AMD_V_ADD_F64, TN_AMD_S_SUB_F32},
  {TINY_OP_MUL, TN_AMD_V_MUL_F16, TN_AMD_V_MUL_F32, TN_AMD_V_MUL_F64, TN_AMD_S_MUL_F32},
  {TINY_OP_TRUNC, TN_AMD_V_TRUNC_F16, TN_AMD_V_TRUNC_F32, TN_AMD_V_TRUNC_F64, TN_AMD_S_TRUNC_F32},
  {TINY_OP_FMA, TN_AMD_V_FMA_F16, TN_AMD_V_FMA_F32, TN_AMD_V_FMA_F64, 0}
};
static int tn_amd_float_row_of(int op) {
  for (int i = 0; i < (int)(sizeof tn_amd_float_rows / sizeof *tn_amd_float_rows); i++)
    if (tn_amd_float_rows[i].op == op) return i;
  return -1;
}
// In registers of their own: constants of 64 bits are scalars already, those of fewer fit as they are.
static tn_amd_operand tn_amd_plain_float(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->dtype, n = (int)u->nsrc, at = tn_amd_float_row_of(u->op), dwords = d == TINY_F64 ? 2 : 1;
  tn_amd_operand all[4];
  const tn_amd_float_row *const row = &tn_amd_float_rows[at < 0 ? 0 : at];
  int op = d == TINY_F64 ? row->f64 : d == TINY_F32 ? row->f32 : row->f16;
  if (at < 0 || d == TINY_BF16) { tn_amd_refuse_node(x, u); return o[0]; }
  if (d == TINY_F32 && row->scalar && tn_amd_has_scalar_floats(x) && tn_amd_are_uniform(o, n))
    return n == 1 ? tn_amd_s1(x, row->scalar, o[0]) : tn_amd_uniform2(x, row->scalar, 1, o[0], o[1]);
  memcpy(all + 1, o, (size_t)n * sizeof *o);
  if (u->op == TINY_OP_SUB && d == TINY_F64) all[2] = tn_amd_negated(all[2]);
  else if (u->op == TINY_OP_SUB && o[0].kind == TN_AMD_VGPR && o[1].kind != TN_AMD_VGPR) {
    op = d == TINY_F32 ? TN_AMD_V_SUBREV_F32 : TN_AMD_V_SUBREV_F16;
    all[1] = o[1]; all[2] = o[0];
  }
  all[0] = tn_amd_new_v(x->l, dwords);
  tn_amd_do(x->l, op, n + 1, all);
  return all[0];
}
static tn_amd_operand tn_amd_minus(tn_amd_selection *x, int d, tn_amd_operand o) {
  const tn_amd_operand sign = tn_amd_k32(tn_amd_bits_of(d) < 32 ? 1u << (tn_amd_bits_of(d) - 1) : 0x80000000);
  if (d != TINY_F64) return tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, sign, o);
  return tn_amd_joined(x, tn_amd_slice(o, 0, 1),
                       tn_amd_either(x, TN_AMD_S_XOR_B32, TN_AMD_V_XOR_B32, sign, tn_amd_slice(o, 1, 1)));
}

// ** MAX: NaN if one of them is; of zeros either, beside a constant what is none (src/ir/alu.c) **

static int tn_amd_compare_less(int d) {
  return d == TINY_F64 ? TN_AMD_V_CMP_LT_F64 : d == TINY_F32 ? TN_AMD_V_CMP_LT_F32 : TN_AMD_V_CMP_LT_F16;
}
static int tn_amd_compare_unordered(int d) {
  return d == TINY_F64 ? TN_AMD_V_CMP_U_F64 : d == TINY_F32 ? TN_AMD_V_CMP_U_F32 : TN_AMD_V_CMP_U_F16;
}
static tn_amd_operand tn_amd_chosen_of(tn_amd_selection *x, int dwords, tn_amd_operand mask, tn_amd_operand a,
                                       tn_amd_operand b) {
  const tn_amd_operand p[2] = {dwords > 1 ? tn_amd_slice(a, 0, 1) : a, tn_amd_slice(a, 1, 1)},
                       q[2] = {dwords > 1 ? tn_amd_slice(b, 0, 1) : b, tn_amd_slice(b, 1, 1)};
  return tn_amd_chosen(x, dwords, mask, p, q);
}
// a is no constant, k is: k where it is more, which it never is of NaN.
static tn_amd_operand tn_amd_most_and_number(tn_amd_selection *x, int d, tn_amd_operand a, tn_amd_operand k) {
  const tn_amd_operand less = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, tn_amd_compare_less(d), less, a, k);
  return tn_amd_chosen_of(x, d == TINY_F64 ? 2 : 1, less, k, a);
}
static tn_amd_operand tn_amd_greatest(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  const int d = u->dtype, wide = d == TINY_F64, half = d == TINY_F16;
  int64_t k;
  double v;
  for (int i = 0; i < 2; i++) {
    if (!tn_amd_is_number(u->src[i], &k) || tn_amd_is_number(u->src[!i], &k)) continue;
    memcpy(&v, &k, sizeof v);
    if (v == v && (x->family != TN_AMD_GFX12 || v == 0)) return tn_amd_most_and_number(x, d, i ? a : b, i ? b : a);
  }
  const int nan = wide ? TN_AMD_V_MAXIMUM_F64 : half ? TN_AMD_V_MAXIMUM_F16 : TN_AMD_V_MAXIMUM_F32,
            num = wide ? TN_AMD_V_MAX_F64 : half ? TN_AMD_V_MAX_F16 : TN_AMD_V_MAX_F32;
  if (x->family == TN_AMD_GFX12) {
    if (!wide && !half && tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))
      return tn_amd_uniform2(x, TN_AMD_S_MAXIMUM_F32, 1, a, b);
    return wide ? tn_amd_wide2(x, nan, a, b) : tn_amd_v2(x, nan, a, b);
  }
  const tn_amd_operand most = wide ? tn_amd_wide2(x, num, a, b) : tn_amd_v2(x, num, a, b), is = tn_amd_new_mask(x->l);
  const tn_amd_operand p[2] = {tn_amd_k32(wide ? 0 : half ? 0x7E00 : 0x7FC00000), tn_amd_k32(0x7FF80000)},
                       q[2] = {wide ? tn_amd_slice(most, 0, 1) : most, tn_amd_slice(most, 1, 1)};
  tn_amd_do3(x->l, tn_amd_compare_unordered(d), is, a, b);
  return tn_amd_chosen(x, wide ? 2 : 1, is, p, q);
}

// ** 2^x **

// What is below the normals is computed 64 binary places up. Where few bits are looked at, of half of x, and squared:
// no denormals come or go, and errors add up to 3 ulp.
static tn_amd_operand tn_amd_power_of_two(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  if (u->k) {
    const tn_amd_operand half = tn_amd_v2(x, TN_AMD_V_MUL_F32, tn_amd_bits(0x3F000000), o),
                         root = tn_amd_v1(x, TN_AMD_V_EXP_F32, half);
    return tn_amd_v2(x, TN_AMD_V_MUL_F32, root, root);
  }
  const tn_amd_operand low = tn_amd_new_mask(x->l), zero = tn_amd_int(0), up = tn_amd_k32(0x42800000);
  tn_amd_do3(x->l, TN_AMD_V_CMP_GT_F32, low, tn_amd_k32(0xC2FC0000), o);     // -126
  const tn_amd_operand moved = tn_amd_v2(x, TN_AMD_V_ADD_F32, tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, up, low), o),
                       back = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_k32((uint32_t)-64), low);
  return tn_amd_v2(x, TN_AMD_V_LDEXP_F32, tn_amd_v1(x, TN_AMD_V_EXP_F32, moved), back);
}

// ** roots **

// The instruction is off by 1 ulp; which of its neighbours is right tells the sign of x minus the product of it and
// the neighbour. Below 2^-96 of x * 2^32, as the instruction takes denormals for 0 and errors may be none.
static tn_amd_operand tn_amd_root32(tn_amd_selection *x, tn_amd_operand o) {
  tn_amd_list *const l = x->l;
  const tn_amd_operand low = tn_amd_new_mask(l), down = tn_amd_new_mask(l), up = tn_amd_new_mask(l),
                       same = tn_amd_new_mask(l), zero = tn_amd_int(0);
  tn_amd_do3(l, TN_AMD_V_CMP_GT_F32, low, tn_amd_k32(0x0F800000), o);        // 2^-96
  const tn_amd_operand by = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_int(32), low),
                       v = tn_amd_v2(x, TN_AMD_V_LDEXP_F32, o, by), s = tn_amd_v1(x, TN_AMD_V_SQRT_F32, v),
                       less = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(-1), s),
                       more = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_int(1), s);
  tn_amd_do3(l, TN_AMD_V_CMP_GE_F32, down, zero, tn_amd_v3(x, TN_AMD_V_FMA_F32, tn_amd_negated(less), s, v));
  tn_amd_do3(l, TN_AMD_V_CMP_LT_F32, up, zero, tn_amd_v3(x, TN_AMD_V_FMA_F32, tn_amd_negated(more), s, v));
  const tn_amd_operand first = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, s, less, down),
                       root = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, first, more, up),
                       back = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_int(-16), low),
                       scaled = tn_amd_v2(x, TN_AMD_V_LDEXP_F32, root, back);
  tn_amd_do3(l, TN_AMD_V_CMP_CLASS_F32, same, v, tn_amd_as_v(x, tn_amd_k32(0x260)));   // zeros and infinity
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, scaled, v, same);
}
// Goldschmidt's iteration from v_rsq_f64, then two steps of Newton's. Below 2^-767 of x * 2^256.
static tn_amd_operand tn_amd_root64(tn_amd_selection *x, tn_amd_operand o) {
  tn_amd_list *const l = x->l;
  const tn_amd_operand low = tn_amd_new_mask(l), same = tn_amd_new_mask(l), half = tn_amd_bits(0x3F000000),
                       zero = tn_amd_int(0);
  tn_amd_do3(l, TN_AMD_V_CMP_GT_F64, low, tn_amd_k64(x, UINT64_C(0x1000000000000000)), o);
  const tn_amd_operand by = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_k32(256), low),
                       v = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, o, by), y = tn_amd_wide1(x, TN_AMD_V_RSQ_F64, v),
                       h0 = tn_amd_wide2(x, TN_AMD_V_MUL_F64, y, half), g0 = tn_amd_wide2(x, TN_AMD_V_MUL_F64, v, y),
                       r = tn_amd_wide3(x, TN_AMD_V_FMA_F64, tn_amd_negated(h0), g0, half),
                       h = tn_amd_wide3(x, TN_AMD_V_FMA_F64, h0, r, h0);
  tn_amd_operand g = tn_amd_wide3(x, TN_AMD_V_FMA_F64, g0, r, g0);
  for (int i = 0; i < 2; i++) {
    const tn_amd_operand rest = tn_amd_wide3(x, TN_AMD_V_FMA_F64, tn_amd_negated(g), g, v);
    g = tn_amd_wide3(x, TN_AMD_V_FMA_F64, rest, h, g);
  }
  const tn_amd_operand back = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, zero, tn_amd_k32((uint32_t)-128), low),
                       root = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, g, back);
  tn_amd_do3(l, TN_AMD_V_CMP_CLASS_F64, same, v, tn_amd_as_v(x, tn_amd_k32(0x260)));
  return tn_amd_chosen_of(x, 2, same, v, root);
}

// ** quotients **

// n / d: v_div_scale keeps both away from denormals, and tells in VCC whether v_div_fmas has to undo it; between them a
// reciprocal and a quotient are made exact by what is left; v_div_fixup has the special cases. What the reciprocal of
// f64 is off by is taken one unit too large: that of a divisor of all ones were a tie, which goes the wrong way
// (Markstein: the one case in which such a reciprocal is not the right one).
static tn_amd_operand tn_amd_divided(tn_amd_selection *x, int wide, tn_amd_operand n, tn_amd_operand d) {
  tn_amd_list *const l = x->l;
  const int dwords = wide ? 2 : 1, fma = wide ? TN_AMD_V_FMA_F64 : TN_AMD_V_FMA_F32,
            scale = wide ? TN_AMD_V_DIV_SCALE_F64 : TN_AMD_V_DIV_SCALE_F32;
  const tn_amd_operand one = tn_amd_bits(0x3F800000), b = tn_amd_new_v(l, dwords), a = tn_amd_new_v(l, dwords),
                       scaled = tn_amd_new_mask(l), q = tn_amd_new_v(l, dwords), y = tn_amd_new_v(l, dwords);
  tn_amd_operand r[8];
  for (int i = 0; i < 8; i++) r[i] = tn_amd_new_v(l, dwords);
  tn_amd_do5(l, scale, b, tn_amd_new_mask(l), d, d, n);
  tn_amd_do5(l, scale, a, scaled, n, d, n);
  tn_amd_do2(l, wide ? TN_AMD_V_RCP_F64 : TN_AMD_V_RCP_F32, r[0], b);
  tn_amd_do4(l, fma, r[1], tn_amd_negated(b), r[0], one);
  tn_amd_do4(l, fma, r[2], r[1], r[0], r[0]);
  if (wide) {
    const tn_amd_operand error = tn_amd_new_v(l, 2);
    tn_amd_do4(l, fma, error, tn_amd_negated(b), r[2], one);
    tn_amd_do4(l, fma, r[3], error, tn_amd_k64(x, UINT64_C(0x3CB0000000000000)), error);   // 2^-52 of it
    tn_amd_do4(l, fma, r[4], r[2], r[3], r[2]);
  }
  const tn_amd_operand inverse = wide ? r[4] : r[2];
  tn_amd_do3(l, wide ? TN_AMD_V_MUL_F64 : TN_AMD_V_MUL_F32, r[5], a, inverse);
  if (!wide) {
    tn_amd_do4(l, fma, r[3], tn_amd_negated(b), r[5], a);
    tn_amd_do4(l, fma, r[6], r[3], inverse, r[5]);
  }
  const tn_amd_operand quotient = wide ? r[5] : r[6];
  tn_amd_do4(l, fma, r[7], tn_amd_negated(b), quotient, a);
  tn_amd_copy(l, tn_amd_s(TN_AMD_VCC, l->mask), scaled);
  tn_amd_do4(l, wide ? TN_AMD_V_DIV_FMAS_F64 : TN_AMD_V_DIV_FMAS_F32, q, r[7], inverse, quotient);
  tn_amd_do4(l, wide ? TN_AMD_V_DIV_FIXUP_F64 : TN_AMD_V_DIV_FIXUP_F32, y, q, d, n);
  return y;
}

static tn_amd_operand tn_amd_float(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->dtype, wide = d == TINY_F64;
  if (u->op == TINY_OP_NEG) return tn_amd_minus(x, d, o[0]);
  if (u->op == TINY_OP_MAX && d >= TINY_F16 && d != TINY_BF16) return tn_amd_greatest(x, u, o[0], o[1]);
  if (d == TINY_F32 || wide)
    switch (u->op) {
      case TINY_OP_SQRT: return wide ? tn_amd_root64(x, o[0]) : tn_amd_root32(x, o[0]);
      case TINY_OP_FDIV: return tn_amd_divided(x, wide, o[0], o[1]);
      case TINY_OP_EXP2: if (!wide) return tn_amd_power_of_two(x, u, o[0]); // fall through
      default: break;
    }
  return tn_amd_plain_float(x, u, o);
}
#endif
// ---- end src/amd/../isa/amd_floats.c ----
// ---- begin src/amd/../isa/amd_casts.c ----
// amd_casts: conversions of elements between dtypes, and their bits as those of another, on AMD's GPUs.
//
// In:  an operand of one element. Out: the operand of the result.
// Holds: floats to integers are cut, saturate, and NaN is 0; what becomes narrower is rounded once, to nearest and
//        even; integers wrap.
// Source: AMD's ISA guides (amd.c), "VOP1": v_cvt_*; of fp8 that of gfx12 alone is OCP's (gfx942 has another).
#ifndef TN_ISA_AMD_CASTS
#define TN_ISA_AMD_CASTS
#ifndef TINY_AMALGAMATED
#include "amd_floats.c"
#endif

static int tn_amd_is_fp8(int d) { return d == TINY_F8E4M3 || d == TINY_F8E5M2; }
static int tn_amd_holds(int dtype, const tiny_uop *u) {
  if (tn_amd_bits_of(dtype) >= 64) return 1;
  return tn_amd_is_within(u, tn_amd_least(dtype), tn_amd_most(dtype));
}

// ** integers **

static tn_amd_operand tn_amd_extended(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  if (!tn_amd_is_signed(u->dtype) || u->vmin >= 0) return tn_amd_joined(x, o, tn_amd_int(0));
  return tn_amd_joined(x, o, tn_amd_shifted(x, TINY_OP_SHR, 1, o, tn_amd_int(31)));
}
static tn_amd_operand tn_amd_integer_cast(tn_amd_selection *x, const tiny_uop *u, int to, tn_amd_operand o) {
  const int wide = tn_amd_bits_of(to) == 64, was = tn_amd_bits_of(u->dtype) == 64;
  if (wide) return was ? o : tn_amd_extended(x, u, o);
  if (was) o = tn_amd_half(u, o, 0);
  return tn_amd_bits_of(to) == 32 || tn_amd_holds(to, u) ? o : tn_amd_wrapped(x, to, o);
}

// ** integers to floats **

// The leading one goes to the top of 32 bits, of which the last tells whether there were more: one rounding.
static tn_amd_operand tn_amd_f32_of_u64(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand zeros = tn_amd_v1(x, TN_AMD_V_CLZ_I32_U32, tn_amd_slice(o, 1, 1)),
                       by = tn_amd_v2(x, TN_AMD_V_MIN_U32, tn_amd_int(32), zeros),    // -1 of 0
                       top = tn_amd_wide2(x, TN_AMD_V_LSHLREV_B64, by, o),
                       more = tn_amd_v2(x, TN_AMD_V_MIN_U32, tn_amd_int(1), tn_amd_slice(top, 0, 1)),
                       all = tn_amd_v2(x, TN_AMD_V_OR_B32, more, tn_amd_slice(top, 1, 1));
  return tn_amd_v2(x, TN_AMD_V_LDEXP_F32, tn_amd_v1(x, TN_AMD_V_CVT_F32_U32, all),
                   tn_amd_v2(x, TN_AMD_V_SUB_NC_U32, tn_amd_int(32), by));
}
static tn_amd_operand tn_amd_f32_of_i64(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand high = tn_amd_slice(o, 1, 1), sign = tn_amd_shifted(x, TINY_OP_SHR, 1, high, tn_amd_int(31)),
                       size = tn_amd_f32_of_u64(x, tn_amd_size64(x, o, sign));
  return tn_amd_v3(x, TN_AMD_V_AND_OR_B32, sign, tn_amd_k32(0x80000000), size);
}
static tn_amd_operand tn_amd_f64_of_i64(tn_amd_selection *x, int is_signed, tn_amd_operand o) {
  if (!is_signed) return tn_amd_f64_of_u64(x, o);
  const tn_amd_operand high = tn_amd_wide1(x, TN_AMD_V_CVT_F64_I32, tn_amd_slice(o, 1, 1)),
                       low = tn_amd_wide1(x, TN_AMD_V_CVT_F64_U32, tn_amd_slice(o, 0, 1));
  return tn_amd_wide2(x, TN_AMD_V_ADD_F64, tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, high, tn_amd_int(32)), low);
}
static tn_amd_operand tn_amd_f32_of_integer(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  const int is_signed = tn_amd_is_signed(u->dtype);
  if (tn_amd_bits_of(u->dtype) == 64) return is_signed ? tn_amd_f32_of_i64(x, o) : tn_amd_f32_of_u64(x, o);
  if (tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&o))
    return tn_amd_s1(x, is_signed ? TN_AMD_S_CVT_F32_I32 : TN_AMD_S_CVT_F32_U32, o);
  if (u->dtype == TINY_U8) return tn_amd_v1(x, TN_AMD_V_CVT_F32_UBYTE0, o);
  return tn_amd_v1(x, is_signed ? TN_AMD_V_CVT_F32_I32 : TN_AMD_V_CVT_F32_U32, o);
}
static tn_amd_operand tn_amd_f64_of_integer(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand o) {
  const int is_signed = tn_amd_is_signed(u->dtype);
  if (tn_amd_bits_of(u->dtype) == 64) return tn_amd_f64_of_i64(x, is_signed, o);
  return tn_amd_wide1(x, is_signed ? TN_AMD_V_CVT_F64_I32 : TN_AMD_V_CVT_F64_U32, o);
}

// ** floats to integers **

// The upper half saturates; the lower one is what is left of the upper one within its bounds, and saturates too.
static tn_amd_operand tn_amd_integer64_of(tn_amd_selection *x, int is_signed, tn_amd_operand f) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 2), whole = tn_amd_wide1(x, TN_AMD_V_TRUNC_F64, f),
                       part = tn_amd_wide2(x, TN_AMD_V_LDEXP_F64, whole, tn_amd_int(-32)),
                       high = tn_amd_wide1(x, TN_AMD_V_FLOOR_F64, part),
                       least = is_signed ? tn_amd_k64(x, UINT64_C(0xC1E0000000000000)) : tn_amd_int(0),
                       most = tn_amd_k64(x, is_signed ? UINT64_C(0x41DFFFFFFFC00000) : UINT64_C(0x41EFFFFFFFE00000)),
                       minus = tn_amd_k64(x, UINT64_C(0xC1F0000000000000)),          // -2^32
                       within = tn_amd_wide2(x, TN_AMD_V_MIN_F64, tn_amd_wide2(x, TN_AMD_V_MAX_F64, high, least), most),
                       low = tn_amd_wide3(x, TN_AMD_V_FMA_F64, within, minus, whole);
  tn_amd_do2(x->l, TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 0, 1), low);
  tn_amd_do2(x->l, is_signed ? TN_AMD_V_CVT_I32_F64 : TN_AMD_V_CVT_U32_F64, tn_amd_slice(d, 1, 1), high);
  return d;
}
static tn_amd_operand tn_amd_integer_of_float(tn_amd_selection *x, int from, int to, tn_amd_operand o) {
  const int bits = tn_amd_bits_of(to), is_signed = tn_amd_is_signed(to), wide = from == TINY_F64;
  if (bits == 64) return tn_amd_integer64_of(x, is_signed, wide ? o : tn_amd_wide1(x, TN_AMD_V_CVT_F64_F32, o));
  if (!wide && bits == 32 && tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&o))
    return tn_amd_s1(x, is_signed ? TN_AMD_S_CVT_I32_F32 : TN_AMD_S_CVT_U32_F32, o);
  const tn_amd_operand y = tn_amd_v1(x, wide ? (is_signed ? TN_AMD_V_CVT_I32_F64 : TN_AMD_V_CVT_U32_F64) :
                                               (is_signed ? TN_AMD_V_CVT_I32_F32 : TN_AMD_V_CVT_U32_F32), o);
  const tn_amd_operand top = tn_amd_k32((uint32_t)tn_amd_most(to));
  if (bits == 32) return y;
  if (!is_signed) return tn_amd_v2(x, TN_AMD_V_MIN_U32, top, y);
  return tn_amd_v3(x, TN_AMD_V_MED3_I32, y, tn_amd_k32((uint32_t)tn_amd_least(to)), top);
}

// ** floats to floats **

// An f32 that any narrower float is rounded of as it is of the f64: cut, and odd where something was lost (Boldo and
// Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
static tn_amd_operand tn_amd_odd_f32(tn_amd_selection *x, tn_amd_operand o) {
  const tn_amd_operand f = tn_amd_v1(x, TN_AMD_V_CVT_F32_F64, o), beyond = tn_amd_new_mask(x->l),
                       differs = tn_amd_new_mask(x->l), cut = tn_amd_new_v(x->l, 1);
  tn_amd_operand back = tn_amd_wide1(x, TN_AMD_V_CVT_F64_F32, f), size = o;
  tn_amd_do3(x->l, TN_AMD_V_CMP_LG_F64, differs, back, o);
  back.abs = size.abs = 1;
  tn_amd_do3(x->l, TN_AMD_V_CMP_GT_F64, beyond, back, size);
  tn_amd_do5(x->l, TN_AMD_V_SUBREV_CO_CI_U32, cut, tn_amd_new_mask(x->l), tn_amd_int(0), f, beyond);
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, f, tn_amd_v2(x, TN_AMD_V_OR_B32, tn_amd_int(1), cut), differs);
}
// f32 of which the upper half is the bf16, but for NaN.
static tn_amd_operand tn_amd_rounded_bf16(tn_amd_selection *x, tn_amd_operand f) {
  const tn_amd_operand odd = tn_amd_v3(x, TN_AMD_V_BFE_U32, f, tn_amd_int(16), tn_amd_int(1)),
                       sum = tn_amd_v3(x, TN_AMD_V_ADD3_U32, f, odd, tn_amd_k32(0x7FFF)),
                       nan = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, TN_AMD_V_CMP_U_F32, nan, f, f);
  return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, sum, tn_amd_k32(0x7FC00000), nan);
}
static tn_amd_operand tn_amd_narrow_float(tn_amd_selection *x, int to, tn_amd_operand f) {
  if (to == TINY_F16) {
    if (tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&f)) return tn_amd_s1(x, TN_AMD_S_CVT_F16_F32, f);
    return tn_amd_v1(x, TN_AMD_V_CVT_F16_F32, f);
  }
  if (to == TINY_BF16) return tn_amd_v2(x, TN_AMD_V_LSHRREV_B32, tn_amd_int(16), tn_amd_rounded_bf16(x, f));
  return tn_amd_v2(x, to == TINY_F8E4M3 ? TN_AMD_V_CVT_PK_FP8_F32 : TN_AMD_V_CVT_PK_BF8_F32, f, f);
}
static tn_amd_operand tn_amd_f32_of_narrow(tn_amd_selection *x, int from, tn_amd_operand o) {
  switch (from) {
    case TINY_F16:
      if (tn_amd_has_scalar_floats(x) && tn_amd_is_uniform(&o)) return tn_amd_s1(x, TN_AMD_S_CVT_F32_F16, o);
      return tn_amd_v1(x, TN_AMD_V_CVT_F32_F16, o);
    case TINY_BF16: return tn_amd_shifted(x, TINY_OP_SHL, 0, o, tn_amd_int(16));
    default: return tn_amd_v1(x, from == TINY_F8E4M3 ? TN_AMD_V_CVT_F32_FP8 : TN_AMD_V_CVT_F32_BF8, o);
  }
}
static tn_amd_operand tn_amd_float_cast(tn_amd_selection *x, int from, int to, tn_amd_operand o) {
  const int narrow = tn_amd_bits_of(to) < 32;
  if (tn_amd_bits_of(from) < 32) { o = tn_amd_f32_of_narrow(x, from, o); from = TINY_F32; }
  if (from == to) return o;
  if (from == TINY_F64) o = narrow ? tn_amd_odd_f32(x, o) : tn_amd_v1(x, TN_AMD_V_CVT_F32_F64, o);
  else if (to == TINY_F64) return tn_amd_wide1(x, TN_AMD_V_CVT_F64_F32, o);
  return narrow ? tn_amd_narrow_float(x, to, o) : o;
}

// ** all of them **

static tn_amd_operand tn_amd_bool_cast(tn_amd_selection *x, const tiny_uop *from, int to, tn_amd_operand o);
static tn_amd_operand tn_amd_to_bool(tn_amd_selection *x, const tiny_uop *from, tn_amd_operand o);

static tn_amd_operand tn_amd_cast(tn_amd_selection *x, const tiny_uop *from, int to, tn_amd_operand o) {
  const int d = from->dtype;
  if ((tn_amd_is_fp8(d) || tn_amd_is_fp8(to)) && x->family != TN_AMD_GFX12) {
    tn_amd_list_refuse(x->l, "the GPU has no fp8");
    return o;
  }
  if (d == to) return o;
  if (d == TINY_BOOL) return tn_amd_bool_cast(x, from, to, o);
  if (to == TINY_BOOL) return tn_amd_to_bool(x, from, o);
  if (!tn_amd_is_float(d)) {
    if (!tn_amd_is_float(to)) return tn_amd_integer_cast(x, from, to, o);
    if (to == TINY_F64) return tn_amd_f64_of_integer(x, from, o);
    return tn_amd_float_cast(x, TINY_F32, to, tn_amd_f32_of_integer(x, from, o));
  }
  if (tn_amd_is_float(to)) return tn_amd_float_cast(x, d, to, o);
  if (tn_amd_bits_of(d) < 32) return tn_amd_integer_of_float(x, TINY_F32, to, tn_amd_f32_of_narrow(x, d, o));
  return tn_amd_integer_of_float(x, d, to, o);
}
// The same bits; above those of a narrow integer stands its sign.
static tn_amd_operand tn_amd_bits_as(tn_amd_selection *x, int from, int to, tn_amd_operand o) {
  return from == to || tn_amd_is_float(to) ? o : tn_amd_wrapped(x, to, o);
}
#endif
// ---- end src/amd/../isa/amd_casts.c ----
// ---- begin src/amd/../isa/amd_arithmetic.c ----
// amd_arithmetic: what an element of an ALU op, a cast or a comparison is on AMD's GPUs.
//
// In:  a node, operands of one element of each of its sources. Out: the operand of its result.
// Holds: a bool is a mask of lanes, of which those that are off mean nothing; only a constant is known to be the same
//        for all lanes.
#ifndef TN_ISA_AMD_ARITHMETIC
#define TN_ISA_AMD_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "amd_casts.c"
#endif

// ** bools **

static tn_amd_operand tn_amd_masks(tn_amd_selection *x, int one, int two, tn_amd_operand a, tn_amd_operand b) {
  return tn_amd_uniform2(x, x->l->mask > 1 ? two : one, x->l->mask, a, b);
}
static tn_amd_operand tn_amd_logic(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand a, tn_amd_operand b) {
  switch (u->op) {
    case TINY_OP_AND: case TINY_OP_MUL: return tn_amd_masks(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64, a, b);
    case TINY_OP_OR: case TINY_OP_ADD: case TINY_OP_MAX: return tn_amd_masks(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64, a, b);
    case TINY_OP_XOR: case TINY_OP_NE: return tn_amd_masks(x, TN_AMD_S_XOR_B32, TN_AMD_S_XOR_B64, a, b);
    case TINY_OP_EQ: return tn_amd_masks(x, TN_AMD_S_XNOR_B32, TN_AMD_S_XNOR_B64, a, b);
    case TINY_OP_LT: return tn_amd_masks(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64, b, a);
    default: tn_amd_refuse_node(x, u); return a;
  }
}

// ** comparisons **

// swapped: of the operands the other way around; scalar: 0: there is none
typedef struct tn_amd_compare_row { uint8_t op, dtype; uint16_t vector, swapped, scalar; } tn_amd_compare_row;
static const tn_amd_compare_row tn_amd_compare_rows[] = {
  {TINY_OP_LT, TINY_I32, TN_AMD_V_CMP_LT_I32, TN_AMD_V_CMP_GT_I32, TN_AMD_S_CMP_LT_I32},
  {TINY_OP_NE, TINY_I32, TN_AMD_V_CMP_NE_U32, TN_AMD_V_CMP_NE_U32, TN_AMD_S_CMP_LG_U32},
  {TINY_OP_EQ, TINY_I32, TN_AMD_V_CMP_EQ_U32, TN_AMD_V_CMP_EQ_U32, TN_AMD_S_CMP_EQ_U32},
  {TINY_OP_LT, TINY_U32, TN_AMD_V_CMP_LT_U32, TN_AMD_V_CMP_GT_U32, TN_AMD_S_CMP_LT_U32},
  {TINY_OP_NE, TINY_U32, TN_AMD_V_CMP_NE_U32, TN_AMD_V_CMP_NE_U32, TN_AMD_S_CMP_LG_U32},
  {TINY_OP_EQ, TINY_U32, TN_AMD_V_CMP_EQ_U32, TN_AMD_V_CMP_EQ_U32, TN_AMD_S_CMP_EQ_U32},
  {TINY_OP_LT, TINY_I64, TN_AMD_V_CMP_LT_I64, TN_AMD_V_CMP_GT_I64, 0},
  {TINY_OP_NE, TINY_I64, TN_AMD_V_CMP_NE_U64, TN_AMD_V_CMP_NE_U64, TN_AMD_S_CMP_LG_U64},
  {TINY_OP_EQ, TINY_I64, TN_AMD_V_CMP_EQ_U64, TN_AMD_V_CMP_EQ_U64, TN_AMD_S_CMP_EQ_U64},
  {TINY_OP_LT, TINY_U64, TN_AMD_V_CMP_LT_U64, TN_AMD_V_CMP_GT_U64, 0},
  {TINY_OP_NE, TINY_U64, TN_AMD_V_CMP_NE_U64, TN_AMD_V_CMP_NE_U64, TN_AMD_S_CMP_LG_U64},
  {TINY_OP_EQ, TINY_U64, TN_AMD_V_CMP_EQ_U64, TN_AMD_V_CMP_EQ_U64, TN_AMD_S_CMP_EQ_U64},
  {TINY_OP_LT, TINY_F16, TN_AMD_V_CMP_LT_F16, TN_AMD_V_CMP_GT_F16, 0},
  {TINY_OP_NE, TINY_F16, TN_AMD_V_CMP_NEQ_F16, TN_AMD_V_CMP_NEQ_F16, 0},
  {TINY_OP_EQ, TINY_F16, TN_AMD_V_CMP_EQ_F16, TN_AMD_V_CMP_EQ_F16, 0},
  {TINY_OP_LT, TINY_F32, TN_AMD_V_CMP_LT_F32, TN_AMD_V_CMP_GT_F32, TN_AMD_S_CMP_LT_F32},
  {TINY_OP_NE, TINY_F32, TN_AMD_V_CMP_NEQ_F32, TN_AMD_V_CMP_NEQ_F32, TN_AMD_S_CMP_NEQ_F32},
  {TINY_OP_EQ, TINY_F32, TN_AMD_V_CMP_EQ_F32, TN_AMD_V_CMP_EQ_F32, TN_AMD_S_CMP_EQ_F32},
  {TINY_OP_LT, TINY_F64, TN_AMD_V_CMP_LT_F64, TN_AMD_V_CMP_GT_F64, 0},
  {TINY_OP_NE, TINY_F64, TN_AMD_V_CMP_NEQ_F64, TN_AMD_V_CMP_NEQ_F64, 0},
  {TINY_OP_EQ, TINY_F64, TN_AMD_V_CMP_EQ_F64, TN_AMD_V_CMP_EQ_F64, 0}
};
// Integers of 8 and 16 bits are compared as those of 32.
static const tn_amd_compare_row *tn_amd_compare_row_of(int op, int dtype) {
  if (!tn_amd_is_float(dtype) && tn_amd_bits_of(dtype) < 32) dtype = tn_amd_is_signed(dtype) ? TINY_I32 : TINY_U32;
  for (size_t i = 0; i < sizeof tn_amd_compare_rows / sizeof *tn_amd_compare_rows; i++)
    if (tn_amd_compare_rows[i].op == op && tn_amd_compare_rows[i].dtype == dtype) return &tn_amd_compare_rows[i];
  return NULL;
}
static int tn_amd_compares_scalars(const tn_amd_selection *x, const tn_amd_compare_row *row, const tn_amd_operand *o) {
  return row->scalar && tn_amd_format(row->scalar, x->family) && tn_amd_are_uniform(o, 2);
}
// Into SCC.
static void tn_amd_scalar_compare(tn_amd_selection *x, const tn_amd_compare_row *row, const tn_amd_operand *o) {
  const int two = o[0].kind == TN_AMD_LITERAL && o[1].kind == TN_AMD_LITERAL;
  tn_amd_do2(x->l, row->scalar, o[0], two ? tn_amd_in_sgprs(x->l, o[1]) : o[1]);
}
static tn_amd_operand tn_amd_comparison(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(u->op, u->src[0]->dtype);
  const tn_amd_operand mask = tn_amd_new_mask(x->l);
  tn_amd_operand ones = tn_amd_int(-1), zeros = tn_amd_int(0);
  if (!row) { tn_amd_refuse_node(x, u); return mask; }
  if (tn_amd_compares_scalars(x, row, o)) {
    tn_amd_scalar_compare(x, row, o);
    tn_amd_do3(x->l, x->l->mask > 1 ? TN_AMD_S_CSELECT_B64 : TN_AMD_S_CSELECT_B32, mask, ones, zeros);
  } else if (o[1].kind != TN_AMD_VGPR && o[0].kind == TN_AMD_VGPR) tn_amd_do3(x->l, row->swapped, mask, o[1], o[0]);
  else tn_amd_do3(x->l, row->vector, mask, o[0], o[1]);
  return mask;
}
static tn_amd_operand tn_amd_to_bool(tn_amd_selection *x, const tiny_uop *from, tn_amd_operand o) {
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(TINY_OP_NE, from->dtype);
  const tn_amd_operand mask = tn_amd_new_mask(x->l);
  if (!row) { tn_amd_refuse_node(x, from); return mask; }
  tn_amd_do3(x->l, row->vector, mask, tn_amd_int(0), o);
  return mask;
}

// ** choices **

static tn_amd_operand tn_amd_choice(tn_amd_selection *x, int d, tn_amd_operand c, const tn_amd_operand *a,
                                    const tn_amd_operand *b) {
  if (tn_amd_is_constant(&c)) return tn_amd_is_zero(&c) ? *b : *a;
  if (d != TINY_BOOL) return tn_amd_chosen_of(x, tn_amd_bits_of(d) == 64 ? 2 : 1, c, *a, *b);
  const tn_amd_operand yes = tn_amd_masks(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64, *a, c),
                       no = tn_amd_masks(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64, *b, c);
  return tn_amd_masks(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64, yes, no);
}
static tn_amd_operand tn_amd_bool_cast(tn_amd_selection *x, const tiny_uop *from, int to, tn_amd_operand o) {
  double one = 1;
  int64_t k = 1;
  (void)from;
  if (tn_amd_is_float(to)) memcpy(&k, &one, sizeof k);
  const tn_amd_operand yes = tn_amd_constant(x, to, k), no = tn_amd_constant(x, to, 0);
  return tn_amd_choice(x, to, o, &yes, &no);
}

// ** sums of products of neighbours, which words hold **

// How src0 and src1 are negated, as v_dot4_i32_iu8 has it, tells that they have signs (RDNA3 ISA, "VOP3P").
static tn_amd_operand tn_amd_dot(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int nine = x->family == TN_AMD_GFX9, kind = (int)u->k;
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  const int op = kind == TINY_DOT_BF16 ? TN_AMD_V_DOT2_F32_BF16 : kind == TINY_DOT_U8 ? TN_AMD_V_DOT4_U32_U8 :
      kind == TINY_DOT_I16 ? TN_AMD_V_DOT2_I32_I16 : nine ? TN_AMD_V_DOT4_I32_I8 : TN_AMD_V_DOT4_I32_IU8;
  tn_amd_operand a = o[0], b = o[1];
  if (op == TN_AMD_V_DOT4_I32_IU8) { a.neg = kind == TINY_DOT_I8; b.neg = 1; }
  if (nine && kind == TINY_DOT_U8_I8) tn_amd_refuse_node(x, u);
  tn_amd_do4(x->l, op, d, a, b, o[2]);
  return d;
}

// One element of u, an elementwise op (CAST and BITCAST with as many lanes, too). o: of its sources.
static tn_amd_operand tn_amd_alu(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->nsrc ? u->src[0]->dtype : u->dtype;
  switch (u->op) {
    case TINY_OP_CAST: return tn_amd_cast(x, u->src[0], u->dtype, o[0]);
    case TINY_OP_BITCAST: return tn_amd_bits_as(x, d, u->dtype, o[0]);
    case TINY_OP_WHERE: return tn_amd_choice(x, u->dtype, o[0], &o[1], &o[2]);
    case TINY_OP_DOT: return tn_amd_dot(x, u, o);
    default: break;
  }
  if (d == TINY_BOOL) return tn_amd_logic(x, u, o[0], o[1]);
  if (u->op == TINY_OP_LT || u->op == TINY_OP_NE || u->op == TINY_OP_EQ) return tn_amd_comparison(x, u, o);
  if (tn_amd_is_float(d)) return tn_amd_float(x, u, o);
  if (tn_amd_bits_of(d) == 64) return tn_amd_integer64(x, u, o);
  const tn_amd_operand y = tn_amd_integer32(x, u, o[0], o[u->nsrc > 1]);
  const int in_words = tn_amd_packs(u) && x->wants && x->wants[u->seq] == TN_AMD_WORDS;      // which have the low bits
  return tn_amd_may_wrap(u) && !in_words ? tn_amd_wrapped(x, u->dtype, y) : y;
}
#endif
// ---- end src/amd/../isa/amd_arithmetic.c ----
// ---- begin src/amd/../isa/amd_pairs.c ----
// amd_pairs: ops on words of vectors, two or four elements an instruction, on AMD's GPUs.
//
// In:  a vector's op. Out: its words, or its elements of words of its source; which form it takes of its sources.
// Holds: of f16 each is rounded once, as that of an element is; of 16 bits there is nothing to wrap. A cast takes words
//        of a source that comes as words, and gives words where they are wanted.
// Source: AMD's ISA guides (amd.c), "VOP3P": v_pk_*, v_fma_mix_f32; v_perm_b32.
#ifndef TN_ISA_AMD_PAIRS
#define TN_ISA_AMD_PAIRS
#ifndef TINY_AMALGAMATED
#include "amd_arithmetic.c"
#endif

// ** of which ops **

// f16: of two f16; whole: of two integers of 16 bits, of those with a sign the second
typedef struct tn_amd_pair_row { uint8_t op; uint16_t f16, whole, with_sign; } tn_amd_pair_row;
static const tn_amd_pair_row tn_amd_pair_rows[] = {
  {TINY_OP_ADD, TN_AMD_V_PK_ADD_F16, TN_AMD_V_PK_ADD_U16, TN_AMD_V_PK_ADD_U16},
  {TINY_OP_SUB, TN_AMD_V_PK_ADD_F16, TN_AMD_V_PK_SUB_U16, TN_AMD_V_PK_SUB_U16},
  {TINY_OP_MUL, TN_AMD_V_PK_MUL_F16, TN_AMD_V_PK_MUL_LO_U16, TN_AMD_V_PK_MUL_LO_U16},
  {TINY_OP_MAX, TN_AMD_V_PK_MAXIMUM_F16, TN_AMD_V_PK_MAX_U16, TN_AMD_V_PK_MAX_I16},
  {TINY_OP_SHL, 0, TN_AMD_V_PK_LSHLREV_B16, TN_AMD_V_PK_LSHLREV_B16},
  {TINY_OP_SHR, 0, TN_AMD_V_PK_LSHRREV_B16, TN_AMD_V_PK_ASHRREV_I16}
};
// The instruction of all words of u; 0: there is none.
static int tn_amd_pair_op(const tn_amd_selection *x, const tiny_uop *u) {
  const int d = u->dtype, half = d == TINY_F16, whole = d == TINY_I16 || d == TINY_U16;
  int op = 0;
  if (!tn_amd_packs(u) || (u->nsrc && u->src[0]->dtype != d)) return 0;
  if (!tn_amd_is_float(d)) {
    if (u->op == TINY_OP_AND) return TN_AMD_V_AND_B32;
    if (u->op == TINY_OP_OR) return TN_AMD_V_OR_B32;
    if (u->op == TINY_OP_XOR) return TN_AMD_V_XOR_B32;
  }
  if (half && u->op == TINY_OP_NEG) return TN_AMD_V_XOR_B32;
  for (size_t i = 0; i < sizeof tn_amd_pair_rows / sizeof *tn_amd_pair_rows; i++)
    if (tn_amd_pair_rows[i].op == u->op)
      op = half ? tn_amd_pair_rows[i].f16 : !whole ? 0 : d == TINY_I16 ? tn_amd_pair_rows[i].with_sign :
                                                                       tn_amd_pair_rows[i].whole;
  return op && tn_amd_format(op, x->family) ? op : 0;
}
// Does a source come as words, as far as its op tells?
static int tn_amd_comes_as_words(const tn_amd_selection *x, const tiny_uop *s) {
  if (!tn_amd_packs(s)) return 0;
  if (s->op == TINY_OP_BITCAST && s->lanes == s->src[0]->lanes) return tn_amd_comes_as_words(x, s->src[0]);
  return s->op == TINY_OP_LOAD || s->op == TINY_OP_BITCAST || s->op == TINY_OP_PICK || tn_amd_pair_op(x, s);
}
static int tn_amd_cast_takes_words(const tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int known = s->dtype == TINY_F16 || s->dtype == TINY_BF16 || s->dtype == TINY_U8 ||
      (x->family == TN_AMD_GFX12 && tn_amd_is_fp8(s->dtype));
  return u->op == TINY_OP_CAST && u->dtype == TINY_F32 && known && u->lanes == s->lanes && tn_amd_comes_as_words(x, s);
}
static int tn_amd_cast_gives_words(const tn_amd_selection *x, const tiny_uop *u) {
  const int known = u->dtype == TINY_BF16 || (x->family == TN_AMD_GFX12 && tn_amd_is_fp8(u->dtype));
  return u->op == TINY_OP_CAST && u->src[0]->dtype == TINY_F32 && known && tn_amd_packs(u);
}
// Does u, of several lanes, take words of its sources that have them?
static int tn_amd_takes_words(const tn_amd_selection *x, const tiny_uop *u) {
  return tn_amd_pair_op(x, u) != 0 || tn_amd_cast_takes_words(x, u);
}

// ** words of words **

static tn_amd_operand tn_amd_pair(tn_amd_selection *x, const tiny_uop *u, int op, int i) {
  tn_amd_operand a = tn_amd_bits_at(x, u->src[0], i), b = a;
  const int from_right = u->op == TINY_OP_SHL || u->op == TINY_OP_SHR;
  const int packed = tn_amd_format(op, x->family) == TN_AMD_VOP3P;
  if (u->nsrc > 1) b = tn_amd_bits_at(x, u->src[1], i);
  else b = tn_amd_k32(0x80008000);         // of NEG
  if (!packed && tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))
    return tn_amd_uniform2(x, op == TN_AMD_V_AND_B32 ? TN_AMD_S_AND_B32 :
                              op == TN_AMD_V_OR_B32 ? TN_AMD_S_OR_B32 : TN_AMD_S_XOR_B32, 1, a, b);
  if (packed && tn_amd_is_constant(&a) && a.value) a = tn_amd_in_sgprs(x->l, a);
  if (packed && tn_amd_is_constant(&b) && b.value) b = tn_amd_in_sgprs(x->l, b);
  if (u->op == TINY_OP_SUB && u->dtype == TINY_F16) b.neg = b.abs = 1;       // of both halves
  return from_right ? tn_amd_v2(x, op, b, a) : tn_amd_v2(x, op, a, b);
}

// ** elements of words **

// 1 * v - 0, of the upper half of f16.
static tn_amd_operand tn_amd_upper_f16(tn_amd_selection *x, tn_amd_operand word) {
  word.op_sel = word.op_sel_hi = 1;
  return tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, word, tn_amd_bits(0x3F800000), tn_amd_negated(tn_amd_int(0)));
}
static void tn_amd_pair_of_fp8(tn_amd_selection *x, int from, tn_amd_operand word, int upper, int at) {
  const tn_amd_operand both = tn_amd_new_v(x->l, 2);
  word.op_sel = (uint8_t)upper;
  tn_amd_do2(x->l, from == TINY_F8E4M3 ? TN_AMD_V_CVT_PK_F32_FP8 : TN_AMD_V_CVT_PK_F32_BF8, both, word);
  for (int k = 0; k < 2; k++) x->pool[at + k] = tn_amd_slice(both, k, 1);
}
static tn_amd_operand tn_amd_f32_of_word(tn_amd_selection *x, int from, tn_amd_operand word, int at) {
  if (from == TINY_U8) return tn_amd_v1(x, at == 0 ? TN_AMD_V_CVT_F32_UBYTE0 : at == 1 ? TN_AMD_V_CVT_F32_UBYTE1 :
                                           at == 2 ? TN_AMD_V_CVT_F32_UBYTE2 : TN_AMD_V_CVT_F32_UBYTE3, word);
  if (!at) return tn_amd_f32_of_narrow(x, from, word);
  if (from == TINY_F16) return tn_amd_upper_f16(x, word);
  return tn_amd_either(x, TN_AMD_S_AND_B32, TN_AMD_V_AND_B32, tn_amd_k32(0xFFFF0000), word);
}
static void tn_amd_cast_words(tn_amd_selection *x, const tiny_uop *u) {
  const int from = u->src[0]->dtype, each = 32 / tn_amd_bits_of(from), fp8 = tn_amd_is_fp8(from),
            first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->l->refused; i += fp8 ? 2 : 1) {
    const tn_amd_operand word = tn_amd_bits_at(x, u->src[0], i / each);
    if (fp8) { tn_amd_pair_of_fp8(x, from, word, i % each / 2, first + i); continue; }
    const tn_amd_operand f = tn_amd_f32_of_word(x, from, word, i % each);
    x->pool[first + i] = f;
  }
}

// ** words of elements **

// Two f32 as two bf16: their upper halves, rounded.
static tn_amd_operand tn_amd_two_bf16(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high) {
  const tn_amd_operand a = tn_amd_rounded_bf16(x, low), b = tn_amd_rounded_bf16(x, high);
  return tn_amd_v3(x, TN_AMD_V_PERM_B32, b, a, tn_amd_k32(0x07060302));
}
// Four f32 as four codes: the second two go into the upper half of what has the first two.
static tn_amd_operand tn_amd_four_fp8(tn_amd_selection *x, int to, const tn_amd_operand *o) {
  const int op = to == TINY_F8E4M3 ? TN_AMD_V_CVT_PK_FP8_F32 : TN_AMD_V_CVT_PK_BF8_F32;
  const tn_amd_operand low = tn_amd_v2(x, op, o[0], o[1]), high = tn_amd_v2(x, op, o[2], o[3]);
  return tn_amd_packed_halves(x, low, high);
}
static void tn_amd_cast_to_words(tn_amd_selection *x, const tiny_uop *u) {
  const int n = tn_amd_nwords(u), each = u->lanes / n, first = x->words[u->seq] = tn_amd_take(x, n);
  for (int i = 0; i < n && !x->l->refused; i++) {
    tn_amd_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_amd_element(x, u->src[0], i * each + j);
    const tn_amd_operand word = each == 2 ? tn_amd_two_bf16(x, o[0], o[1]) : tn_amd_four_fp8(x, u->dtype, o);
    x->pool[first + i] = word;
  }
}

// ** two f32 by one instruction (gfx942) **

static int tn_amd_is_beside(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s) {
  return !x->inside || x->inside[u->seq] == x->inside[s->seq];
}
static int tn_amd_wide_pair_op(const tn_amd_selection *x, const tiny_uop *u) {
  const int op = u->op, fits = u->dtype == TINY_F32 && u->lanes > 1 && u->lanes % 2 == 0 && x->family == TN_AMD_GFX9;
  if (!fits) return 0;
  return op == TINY_OP_FMA ? TN_AMD_V_PK_FMA_F32 : op == TINY_OP_MUL ? TN_AMD_V_PK_MUL_F32 :
      op == TINY_OP_ADD || op == TINY_OP_SUB ? TN_AMD_V_PK_ADD_F32 : 0;
}
// Elements i and i + 1 of s as a pair of registers of which halves are taken: two beside each other, or one of a tuple
// twice. 0: they are none.
static int tn_amd_wide_pair_of(const tn_amd_selection *x, const tiny_uop *s, int i, tn_amd_operand *o) {
  const tn_amd_operand a = tn_amd_element(x, s, i), b = tn_amd_element(x, s, i + 1);
  if (a.kind != TN_AMD_VGPR || b.kind != a.kind || a.reg != b.reg || a.reg < TN_AMD_VIRTUAL) return 0;
  if ((b.sub | 1) != (a.sub | 1) || a.sub > b.sub || (a.sub | 1) >= x->l->vreg[a.reg - TN_AMD_VIRTUAL].dwords) return 0;
  *o = a;
  o->sub = (uint8_t)(a.sub & ~1); o->dwords = 2;
  o->op_sel = a.sub & 1; o->op_sel_hi = b.sub & 1;
  return 1;
}
static int tn_amd_wide_pairs_are(const tn_amd_selection *x, const tiny_uop *s) {
  tn_amd_operand o;
  for (int i = 0; i < s->lanes; i += 2) if (!tn_amd_wide_pair_of(x, s, i, &o)) return 0;
  return 1;
}
// Is it the same for all elements?
static int tn_amd_wide_pair_same(const tn_amd_selection *x, const tiny_uop *s) {
  const tn_amd_operand first = tn_amd_element(x, s, 0);
  int same = first.kind != TN_AMD_OFF;
  for (int i = 1; i < s->lanes && same; i++) {
    const tn_amd_operand o = tn_amd_element(x, s, i);
    same = o.kind == first.kind && o.reg == first.reg && o.sub == first.sub && o.value == first.value;
  }
  return same;
}
// Of a source: its pairs; what all elements are; registers apart, which can be brought together.
enum { TN_AMD_NO_PAIRS, TN_AMD_PAIRS, TN_AMD_ONE, TN_AMD_APART };
static int tn_amd_wide_kind(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s) {
  int apart = tn_amd_is_beside(x, u, s) && s->lanes == u->lanes;
  if (tn_amd_wide_pairs_are(x, s)) return TN_AMD_PAIRS;
  if (tn_amd_wide_pair_same(x, s)) return TN_AMD_ONE;
  for (int i = 0; i < s->lanes && apart; i++) {
    const tn_amd_operand o = tn_amd_element(x, s, i);
    apart = o.kind == TN_AMD_VGPR && !o.sub && tn_amd_is_virtual(&o) && x->l->vreg[o.reg - TN_AMD_VIRTUAL].dwords == 1;
  }
  return apart ? TN_AMD_APART : TN_AMD_NO_PAIRS;
}
// From here on the elements of s lie beside each other; where they were nobody asks any more.
static void tn_amd_bring_together(tn_amd_selection *x, const tiny_uop *s) {
  for (int i = 0; i < s->lanes; i += 2) {
    const tn_amd_operand pair = tn_amd_joined(x, tn_amd_element(x, s, i), tn_amd_element(x, s, i + 1));
    for (int k = 0; k < 2; k++) x->pool[x->elements[s->seq] + i + k] = tn_amd_slice(pair, k, 1);
  }
}
// The first of a pair, which is taken twice. One scalar pair may be read; others come of vector registers.
static tn_amd_operand tn_amd_wide_one(tn_amd_selection *x, const tiny_uop *s, int *scalars) {
  const tn_amd_operand one = tn_amd_element(x, s, 0);
  const int scalar = tn_amd_is_uniform(&one) && !(*scalars)++;
  const tn_amd_operand pair = scalar ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
  tn_amd_copy(x->l, tn_amd_slice(pair, 0, 1), one);
  return pair;
}
// Is a source the cast of an f16 that nobody else wants? It is none by v_fma_mix_f32 (amd_fused.c).
static int tn_amd_mixes(const tn_amd_selection *x, const tiny_uop *u) {
  for (uint32_t j = 0; j < u->nsrc; j++) {
    const tiny_uop *const s = u->src[j];
    if (s->op == TINY_OP_CAST && s->src[0]->dtype == TINY_F16 && x->uses && x->uses[s->seq] == 1) return 1;
  }
  return 0;
}
static int tn_amd_wide_pairs(tn_amd_selection *x, const tiny_uop *u) {
  const int op = tn_amd_wide_pair_op(x, u), n = (int)u->nsrc;
  tn_amd_operand same[3], o[4];
  int scalars = 0, kind[3] = {0, 0, 0}, pairs = 0;
  if (!op || tn_amd_mixes(x, u)) return 0;
  for (int j = 0; j < n; j++) {
    kind[j] = tn_amd_wide_kind(x, u, u->src[j]);
    pairs += kind[j] != TN_AMD_ONE;
    if (kind[j] == TN_AMD_NO_PAIRS) return 0;
  }
  if (!pairs) return 0;
  for (int j = 0; j < n; j++) {
    if (kind[j] == TN_AMD_ONE) same[j] = tn_amd_wide_one(x, u->src[j], &scalars);
    if (kind[j] == TN_AMD_APART && !tn_amd_wide_pairs_are(x, u->src[j])) tn_amd_bring_together(x, u->src[j]);
  }
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->l->refused; i += 2) {
    o[0] = tn_amd_new_v(x->l, 2);
    for (int j = 0; j < n; j++)
      if (kind[j] == TN_AMD_ONE) o[1 + j] = same[j];
      else tn_amd_wide_pair_of(x, u->src[j], i, &o[1 + j]);
    if (u->op == TINY_OP_SUB) o[2].neg = o[2].abs = 1;
    tn_amd_line *const line = tn_amd_do(x->l, op, n + 1, o);
    for (int j = 1; j <= n; j++) {         // which halves, whatever a packed one has by itself
      line->ins.o[j].op_sel = o[j].op_sel; line->ins.o[j].op_sel_hi = o[j].op_sel_hi;
    }
    for (int k = 0; k < 2; k++) x->pool[first + i + k] = tn_amd_slice(o[0], k, 1);
  }
  return 1;
}

// Memory of registers whose elements had best lie beside each other: sums of such pairs.
static int tn_amd_keeps_pairs(const tn_amd_selection *x, const tiny_uop *u) {
  return x->family == TN_AMD_GFX9 && u->dtype == TINY_F32 && u->lanes % 2 == 0 && u->lanes <= TN_AMD_MOST_TUPLE;
}

// 1: u is done, of words or as words; 0: it is to be done an element at a time.
static int tn_amd_alu_words(tn_amd_selection *x, const tiny_uop *u) {
  const int op = u->lanes > 1 ? tn_amd_pair_op(x, u) : 0;
  if (u->lanes < 2) return 0;
  if (tn_amd_wide_pairs(x, u)) return 1;
  if (tn_amd_cast_takes_words(x, u) && x->words[u->src[0]->seq] >= 0) { tn_amd_cast_words(x, u); return 1; }
  if (tn_amd_cast_gives_words(x, u) && x->wants[u->seq] == TN_AMD_WORDS) { tn_amd_cast_to_words(x, u); return 1; }
  for (uint32_t j = 0; op && j < u->nsrc; j++) if (x->words[u->src[j]->seq] < 0) return 0;
  if (!op) return 0;
  const int n = tn_amd_nwords(u), first = x->words[u->seq] = tn_amd_take(x, n);
  for (int i = 0; i < n && !x->l->refused; i++) {
    const tn_amd_operand word = tn_amd_pair(x, u, op, i);
    x->pool[first + i] = word;
  }
  return 1;
}
#endif
// ---- end src/amd/../isa/amd_pairs.c ----
// ---- begin src/amd/../isa/amd_abilities.c ----
// amd_abilities: what a chip of AMD has of the ops, dtypes and flags that codegen asks for.
//
// In:  a chip. Out: tiny_renderer's ops, dtypes, narrow, atomics, dots, flags and exp2_ulps.
// Source: AMD's ISA guides (amd.c): atomics of f64 are gfx942's alone, fp8 of gfx942 is not OCP's; v_dot2, v_dot4.
#ifndef TN_ISA_AMD_ABILITIES
#define TN_ISA_AMD_ABILITIES
#ifndef TINY_AMALGAMATED
#include "amd_pairs.c"
#endif

static void tn_amd_abilities(tiny_renderer *r, const tn_amd_chip *chip) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  static const uint8_t ops[] = {TINY_OP_NEG, TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_FDIV, TINY_OP_CDIV,
    TINY_OP_CMOD, TINY_OP_MAX, TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_SHL, TINY_OP_SHR, TINY_OP_LT, TINY_OP_NE,
    TINY_OP_EQ, TINY_OP_WHERE, TINY_OP_SQRT, TINY_OP_TRUNC, TINY_OP_EXP2, TINY_OP_FMA, TINY_OP_DOT, TINY_OP_CAST,
    TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK, TINY_OP_LOAD, TINY_OP_STORE, TINY_OP_WMMA};
  static const uint8_t added[] = {TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F32};
  const int nine = chip->family == TN_AMD_GFX9;
  for (size_t i = 0; i < sizeof ops; i++) r->ops[ops[i]] = on;
  r->ops[TINY_OP_SHUFFLE] = TINY_ON_ELEMENTS;
  for (int d = TINY_BOOL; d <= TINY_F64; d++)
    r->dtypes |= (uint64_t)(!tn_amd_is_fp8(d) || chip->family == TN_AMD_GFX12) << d;
  for (size_t i = 0; i < sizeof added; i++) r->atomics |= (uint64_t)1 << added[i];
  if (nine) r->atomics |= (uint64_t)1 << TINY_F64;
  r->narrow = (uint64_t)1 << TINY_F16;
  r->dots = 1u << TINY_DOT_I8 | 1u << TINY_DOT_U8 | 1u << (nine ? TINY_DOT_I16 : TINY_DOT_U8_I8);
  if (!nine) r->dots |= 1u << TINY_DOT_BF16;
  r->exp2_ulps = 1;
  r->flags = TINY_TARGET_SATURATES | TINY_TARGET_ALIGNED;
}
#endif
// ---- end src/amd/../isa/amd_abilities.c ----
// ---- begin src/amd/../isa/amd_fused.c ----
// amd_fused: two ops by one instruction of AMD's GPUs.
//
// In:  a node, the number of one of its elements; the node's sources, and theirs, are done. Out: the operand of the
//      result; what stays behind is left out where nobody else reads it (amd_dead.c).
// Holds: values are those of the ops one by one, each rounded once. Both ops stand in the same loop and IF, so that no
//        source has to be kept longer than the op's result had to.
// Source: AMD's ISA guides (amd.c), "VOP3", "VOP3P": v_fma_mix_f32; how sources are negated.
#ifndef TN_ISA_AMD_FUSED
#define TN_ISA_AMD_FUSED
#ifndef TINY_AMALGAMATED
#include "amd_pairs.c"
#endif

// Has nobody else a use for it?
static int tn_amd_is_alone(const tn_amd_selection *x, const tiny_uop *u) { return x->uses && x->uses[u->seq] == 1; }
static void tn_amd_count_uses(tn_amd_selection *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *const u = x->k->list[i];
    for (uint32_t j = 0; j < u->nsrc; j++) if (x->uses[u->src[j]->seq] < 255) x->uses[u->src[j]->seq]++;
  }
}
// Is the element of s, a source of u, one that a vector instruction made?
static int tn_amd_is_own(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s, int i) {
  const tn_amd_operand o = tn_amd_element(x, s, i);
  return o.kind == TN_AMD_VGPR && tn_amd_is_beside(x, u, s);
}
static tn_amd_operand tn_amd_inner(const tn_amd_selection *x, const tiny_uop *s, int j, int i) {
  return tn_amd_element(x, s->src[j], i);
}

// ** integers of 32 bits **

// By how much s shifts something to the left; -1: it does not.
static int tn_amd_shift_of(const tiny_uop *s) {
  int64_t k = 0;
  if ((s->op != TINY_OP_SHL && s->op != TINY_OP_MUL) || !tn_amd_is_number(s->src[1], &k)) return -1;
  return s->op == TINY_OP_SHL ? (k >= 0 && k < 32 ? (int)k : -1) : tn_amd_power_of((uint32_t)k);
}
// The instruction of s and then of u; 0: there is none. Both want that nobody else reads s, but where it is a shift.
static int tn_amd_integer_pair(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s) {
  const int alone = tn_amd_is_alone(x, s), adds = u->op == TINY_OP_ADD, ors = u->op == TINY_OP_OR;
  const int64_t end = (int64_t)1 << 24;
  if (adds && tn_amd_shift_of(s) >= 0) return TN_AMD_V_LSHL_ADD_U32;
  if (ors && tn_amd_shift_of(s) >= 0) return TN_AMD_V_LSHL_OR_B32;
  if (!alone) return 0;
  if (adds && s->op == TINY_OP_ADD) return TN_AMD_V_ADD3_U32;
  if (adds && s->op == TINY_OP_XOR) return TN_AMD_V_XAD_U32;
  if (ors && s->op == TINY_OP_AND) return TN_AMD_V_AND_OR_B32;
  if (ors && s->op == TINY_OP_OR) return TN_AMD_V_OR3_B32;
  if (u->op == TINY_OP_XOR && s->op == TINY_OP_XOR && x->family != TN_AMD_GFX9) return TN_AMD_V_XOR3_B32;
  if (!adds || s->op != TINY_OP_MUL) return 0;
  const tiny_uop *const p = s->src[0], *const q = s->src[1];
  if (tn_amd_is_within(p, 0, end - 1) && tn_amd_is_within(q, 0, end - 1)) return TN_AMD_V_MAD_U32_U24;
  const int both = tn_amd_is_within(p, -end / 2, end / 2 - 1) && tn_amd_is_within(q, -end / 2, end / 2 - 1);
  return both ? TN_AMD_V_MAD_I32_I24 : 0;
}
static int tn_amd_fused_sum(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 1; j >= 0; j--) {
    const tiny_uop *const s = u->src[j];
    const int op = s->nsrc == 2 && s->dtype == u->dtype ? tn_amd_integer_pair(x, u, s) : 0;
    if (!op || !tn_amd_is_own(x, u, s, i)) continue;
    const int shifts = op == TN_AMD_V_LSHL_ADD_U32 || op == TN_AMD_V_LSHL_OR_B32;
    const tn_amd_operand b = shifts ? tn_amd_int(tn_amd_shift_of(s)) : tn_amd_inner(x, s, 1, i);
    *y = tn_amd_v3(x, op, tn_amd_inner(x, s, 0, i), b, tn_amd_element(x, u->src[!j], i));
    return 1;
  }
  return 0;
}
// Bits of two words side by side, as of a rotation: a << k | b >> 32 - k.
static int tn_amd_fused_words(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const left = u->src[j], *const right = u->src[!j];
    const int k = tn_amd_shift_of(left);
    int64_t by = 0;
    if (k < 1 || right->op != TINY_OP_SHR || right->dtype != TINY_U32 || left->dtype != TINY_U32) continue;
    if (!tn_amd_is_number(right->src[1], &by) || by != 32 - k) continue;
    if (!tn_amd_is_own(x, u, left, i) || !tn_amd_is_own(x, u, right, i)) continue;
    *y = tn_amd_v3(x, TN_AMD_V_ALIGNBIT_B32, tn_amd_inner(x, left, 0, i), tn_amd_inner(x, right, 0, i),
                   tn_amd_int((int)by));
    return 1;
  }
  return 0;
}
// a & ~b: bits of a where b has none.
static int tn_amd_fused_without(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const s = u->src[j];
    int64_t k = 0;
    if (s->op != TINY_OP_XOR || !tn_amd_is_number(s->src[1], &k) || (uint32_t)k != UINT32_MAX) continue;
    if (!tn_amd_is_own(x, u, s, i) || !tn_amd_is_alone(x, s)) continue;
    *y = tn_amd_v3(x, TN_AMD_V_BFI_B32, tn_amd_inner(x, s, 0, i), tn_amd_int(0), tn_amd_element(x, u->src[!j], i));
    return 1;
  }
  return 0;
}
// (a + b) << k, and a >> k & 2^n - 1.
static int tn_amd_fused_shift(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const s = u->src[0];
  int64_t k = 0, by = 0;
  if (s->nsrc != 2 || s->dtype != u->dtype || !tn_amd_is_own(x, u, s, i)) return 0;
  const tn_amd_operand a = tn_amd_inner(x, s, 0, i);
  const int shift = tn_amd_shift_of(u);
  if (shift >= 0 && s->op == TINY_OP_ADD && tn_amd_is_alone(x, s)) {
    *y = tn_amd_v3(x, TN_AMD_V_ADD_LSHL_U32, a, tn_amd_inner(x, s, 1, i), tn_amd_int(shift));
    return 1;
  }
  if (u->op != TINY_OP_AND || s->op != TINY_OP_SHR || !tn_amd_is_number(u->src[1], &k) ||
      !tn_amd_is_number(s->src[1], &by) || by < 0 || by > 31) return 0;
  const int bits = tn_amd_power_of((uint64_t)(uint32_t)k + 1);
  if (bits < 1 || bits + (int)by > 32) return 0;
  *y = tn_amd_v3(x, TN_AMD_V_BFE_U32, a, tn_amd_int((int)by), tn_amd_int(bits));
  return 1;
}

// ** bools **

// 0 <= v < n asked at once: v, as numbers have no sign.
static const tiny_uop *tn_amd_is_below(const tiny_uop *u, const tiny_uop **n) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const least = u->src[j], *const most = u->src[!j];
    int64_t k = 0;
    if (least->op != TINY_OP_LT || most->op != TINY_OP_LT || least->src[1] != most->src[0]) continue;
    if (most->src[0]->dtype != TINY_I32 || !tn_amd_is_number(least->src[0], &k) || k != -1) continue;
    if (most->src[1]->vmin < 0) continue;
    *n = most->src[1];
    return most->src[0];
  }
  return NULL;
}
// The comparison that is so where another is not, and with its operands the other way around.
static int tn_amd_opposite(int op) {
  switch (op) {
    case TN_AMD_V_CMP_LT_I32: return TN_AMD_V_CMP_GE_I32; case TN_AMD_V_CMP_GT_I32: return TN_AMD_V_CMP_LE_I32;
    case TN_AMD_V_CMP_LT_U32: return TN_AMD_V_CMP_GE_U32; case TN_AMD_V_CMP_GT_U32: return TN_AMD_V_CMP_LE_U32;
    case TN_AMD_V_CMP_LT_I64: return TN_AMD_V_CMP_GE_I64; case TN_AMD_V_CMP_GT_I64: return TN_AMD_V_CMP_LE_I64;
    case TN_AMD_V_CMP_LT_U64: return TN_AMD_V_CMP_GE_U64; case TN_AMD_V_CMP_GT_U64: return TN_AMD_V_CMP_LE_U64;
    case TN_AMD_V_CMP_LT_F32: return TN_AMD_V_CMP_NLT_F32; case TN_AMD_V_CMP_GT_F32: return TN_AMD_V_CMP_NGT_F32;
    case TN_AMD_V_CMP_LT_F64: return TN_AMD_V_CMP_NLT_F64; case TN_AMD_V_CMP_GT_F64: return TN_AMD_V_CMP_NGT_F64;
    case TN_AMD_V_CMP_NE_U32: return TN_AMD_V_CMP_EQ_U32; case TN_AMD_V_CMP_EQ_U32: return TN_AMD_V_CMP_NE_U32;
    case TN_AMD_V_CMP_NE_U64: return TN_AMD_V_CMP_EQ_U64; case TN_AMD_V_CMP_EQ_U64: return TN_AMD_V_CMP_NE_U64;
    case TN_AMD_V_CMP_NEQ_F32: return TN_AMD_V_CMP_EQ_F32; case TN_AMD_V_CMP_EQ_F32: return TN_AMD_V_CMP_NEQ_F32;
    case TN_AMD_V_CMP_NEQ_F64: return TN_AMD_V_CMP_EQ_F64; case TN_AMD_V_CMP_EQ_F64: return TN_AMD_V_CMP_NEQ_F64;
    default: return 0;
  }
}
static int tn_amd_compares(const tiny_uop *u) {
  return (u->op == TINY_OP_LT || u->op == TINY_OP_NE || u->op == TINY_OP_EQ) && u->src[0]->dtype != TINY_BOOL;
}
static int tn_amd_fused_bool(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *n = NULL, *const below = u->op == TINY_OP_AND ? tn_amd_is_below(u, &n) : NULL, *const s = u->src[0];
  const tn_amd_operand mask = below ? tn_amd_element(x, below, i) : tn_amd_int(0);
  int64_t k = 0;
  if (below && !tn_amd_is_uniform(&mask) && tn_amd_is_beside(x, u, s) && tn_amd_is_beside(x, u, u->src[1])) {
    *y = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, TN_AMD_V_CMP_GT_U32, *y, tn_amd_element(x, n, i), mask);
    return 1;
  }
  if (u->op != TINY_OP_XOR || !tn_amd_compares(s) || !tn_amd_is_number(u->src[1], &k) || !k) return 0;
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(s->op, s->src[0]->dtype);
  const tn_amd_operand a = tn_amd_inner(x, s, 0, i), b = tn_amd_inner(x, s, 1, i);
  if (!row || !tn_amd_is_beside(x, u, s) || (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))) return 0;
  const int swap = b.kind != TN_AMD_VGPR, op = tn_amd_opposite(swap ? row->swapped : row->vector);
  if (!op) return 0;
  *y = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, op, *y, swap ? b : a, swap ? a : b);
  return 1;
}

// ** sources that are negated, or without their sign **

// *s, a source of u, without what the operand says of it.
static tn_amd_operand tn_amd_float_source(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop **s, int i) {
  int64_t k = 0;
  int neg = 0, size = 0;
  const tiny_uop *v = *s;
  if (!tn_amd_is_beside(x, u, v)) return tn_amd_element(x, v, i);
  if (v->op == TINY_OP_NEG) { neg = 1; v = v->src[0]; }
  const tiny_uop *const bits = v->op == TINY_OP_BITCAST && v->dtype == TINY_F32 ? v->src[0] : NULL,
                 *const of = bits && bits->op == TINY_OP_AND ? bits->src[0] : NULL;
  if (of && of->op == TINY_OP_BITCAST && of->src[0]->dtype == TINY_F32 && tn_amd_is_number(bits->src[1], &k) &&
      (uint32_t)k == 0x7FFFFFFF) { size = 1; v = of->src[0]; }
  tn_amd_operand o = tn_amd_element(x, v, i);
  if (!tn_amd_is_register(&o)) return tn_amd_element(x, *s, i);
  *s = v;
  o.neg = (uint8_t)neg; o.abs = (uint8_t)size;
  return o;
}
// A choice of what is negated, or without its sign.
static int tn_amd_fused_signs(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *a = u->src[1], *b = u->src[2];
  if (u->dtype != TINY_F32) return 0;
  const tn_amd_operand yes = tn_amd_float_source(x, u, &a, i), no = tn_amd_float_source(x, u, &b, i);
  const tn_amd_operand mask = tn_amd_element(x, u->src[0], i);
  if (!(yes.neg | yes.abs | no.neg | no.abs) || mask.kind != TN_AMD_SGPR) return 0;
  *y = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, no, yes, mask);
  return 1;
}

// ** choices by a comparison **

// The lesser or the greater of two integers.
static int tn_amd_fused_least(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const c = u->src[0];
  const int d = u->dtype, is_signed = tn_amd_is_signed(d);
  if (c->op != TINY_OP_LT || tn_amd_is_float(d) || d == TINY_BOOL || tn_amd_bits_of(d) == 64) return 0;
  const int least = c->src[0] == u->src[1] && c->src[1] == u->src[2],
            most = c->src[0] == u->src[2] && c->src[1] == u->src[1];
  const tn_amd_operand a = tn_amd_inner(x, c, 0, i), b = tn_amd_inner(x, c, 1, i);
  if ((!least && !most) || !tn_amd_is_beside(x, u, c)) return 0;
  if (is_signed) *y = tn_amd_either(x, most ? TN_AMD_S_MAX_I32 : TN_AMD_S_MIN_I32,
                                    most ? TN_AMD_V_MAX_I32 : TN_AMD_V_MIN_I32, a, b);
  else *y = tn_amd_either(x, most ? TN_AMD_S_MAX_U32 : TN_AMD_S_MIN_U32,
                          most ? TN_AMD_V_MAX_U32 : TN_AMD_V_MIN_U32, a, b);
  return 1;
}
// Of scalars: SCC instead of a mask.
static int tn_amd_fused_choice(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const c = u->src[0];
  const tn_amd_compare_row *const row = tn_amd_compares(c) ? tn_amd_compare_row_of(c->op, c->src[0]->dtype) : NULL;
  const int wide = tn_amd_bits_of(u->dtype) == 64;
  if (tn_amd_fused_least(x, u, i, y) || tn_amd_fused_signs(x, u, i, y)) return 1;
  if (!row || u->dtype == TINY_BOOL || !tn_amd_is_beside(x, u, c)) return 0;
  tn_amd_operand of[2], o[2];
  for (int j = 0; j < 2; j++) { of[j] = tn_amd_inner(x, c, j, i); o[j] = tn_amd_element(x, u->src[1 + j], i); }
  if (!tn_amd_compares_scalars(x, row, of) || !tn_amd_are_uniform(o, 2)) return 0;
  if (o[0].kind == TN_AMD_LITERAL && o[1].kind == TN_AMD_LITERAL) o[1] = tn_amd_in_sgprs(x->l, o[1]);
  *y = tn_amd_new_s(x->l, wide ? 2 : 1);
  tn_amd_scalar_compare(x, row, of);
  tn_amd_do3(x->l, wide ? TN_AMD_S_CSELECT_B64 : TN_AMD_S_CSELECT_B32, *y, o[0], o[1]);
  return 1;
}

// ** floats; f16 among them **

// The f16 that s is a cast of, which nobody else wants: in its word, or by itself.
static int tn_amd_mixed_source(const tn_amd_selection *x, const tiny_uop *s, int i, tn_amd_operand *o) {
  const int neg = o->neg, size = o->abs;
  if (s->op != TINY_OP_CAST || s->src[0]->dtype != TINY_F16 || s->dtype != TINY_F32 || !tn_amd_is_alone(x, s)) return 0;
  const tiny_uop *const h = s->src[0];
  const int packs = tn_amd_packs(h) && x->words[h->seq] >= 0 && h->lanes == s->lanes;
  const tn_amd_operand from = packs ? x->pool[x->words[h->seq] + i / 2] : tn_amd_element(x, h, i);
  if (from.kind != TN_AMD_VGPR) return 0;
  *o = from;
  o->op_sel_hi = 1; o->op_sel = (uint8_t)(packs && (i & 1));
  o->neg = (uint8_t)neg; o->abs = (uint8_t)size;
  return 1;
}
static int tn_amd_mixed(tn_amd_selection *x, const tiny_uop *u, tn_amd_operand *o, tn_amd_operand *y) {
  const tn_amd_operand one = tn_amd_bits(0x3F800000), zero = tn_amd_negated(tn_amd_int(0));
  switch (u->op) {
    case TINY_OP_FMA: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], o[1], o[2]); return 1;
    case TINY_OP_MUL: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], o[1], zero); return 1;
    case TINY_OP_ADD: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], one, o[1]); return 1;
    case TINY_OP_SUB: *y = tn_amd_v3(x, TN_AMD_V_FMA_MIX_F32, o[0], one, tn_amd_negated(o[1])); return 1;
    default: return 0;
  }
}
// The line that gives o by a move from another lane, not long before; NULL: there is none.
static const tn_amd_line *tn_amd_lane_move(const tn_amd_selection *x, const tn_amd_operand *o) {
  const tn_amd_list *const l = x->l;
  for (int i = l->n - 1; i >= 0 && i > l->n - 8; i--) {
    const tn_amd_line *const line = &l->line[i];
    const tn_amd_ins *const ins = &line->ins;
    if (line->kind != TN_AMD_LINE_INS) return NULL;
    if (ins->n && ins->o[0].kind == o->kind && ins->o[0].reg == o->reg && ins->o[0].sub == o->sub)
      return ins->op == TN_AMD_V_MOV_B32 && ins->lanes == TN_AMD_DPP16 ? line : NULL;
  }
  return NULL;
}
// A sum with another lane's value.
static int tn_amd_fused_lanes(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  for (int j = 0; j < 2; j++) {
    const tiny_uop *const s = u->src[j];
    const tn_amd_operand from = tn_amd_element(x, s, i), other = tn_amd_element(x, u->src[!j], i);
    if (s->op != TINY_OP_SHUFFLE || !tn_amd_is_own(x, u, s, i) || other.kind != TN_AMD_VGPR) continue;
    const tn_amd_line *const move = tn_amd_lane_move(x, &from);
    if (!move) continue;
    const tn_amd_ins ins = move->ins;
    *y = tn_amd_new_v(x->l, 1);
    tn_amd_line *const line = tn_amd_do3(x->l, TN_AMD_V_ADD_F32, *y, ins.o[1], other);
    line->ins.lanes = ins.lanes;
    memcpy(line->ins.m, ins.m, sizeof ins.m);
    return 1;
  }
  return 0;
}
static int tn_amd_fused_float(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const int at = tn_amd_float_row_of(u->op), n = (int)u->nsrc;
  int mixed = 0, says = 0, scalar = 1;
  tn_amd_operand o[4];
  if (at < 0 || n < 2 || u->dtype != TINY_F32) return 0;
  if (u->op == TINY_OP_ADD && u->lanes == 1 && tn_amd_fused_lanes(x, u, i, y)) return 1;
  for (int j = 0; j < n; j++) {
    const tiny_uop *s = u->src[j];
    o[1 + j] = tn_amd_float_source(x, u, &s, i);
    mixed |= tn_amd_is_beside(x, u, s) && tn_amd_mixed_source(x, s, i, &o[1 + j]);
    says |= o[1 + j].neg | o[1 + j].abs;
    scalar &= tn_amd_is_uniform(&o[1 + j]);
  }
  if (scalar || (!mixed && !says)) return 0;
  if (mixed) return tn_amd_mixed(x, u, o + 1, y);
  *y = o[0] = tn_amd_new_v(x->l, 1);
  tn_amd_do(x->l, tn_amd_float_rows[at].f32, n + 1, o);
  return 1;
}
static int tn_amd_fused_compare(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tn_amd_compare_row *const row = tn_amd_compare_row_of(u->op, TINY_F32);
  const tiny_uop *p = u->src[0], *q = u->src[1];
  const tn_amd_operand a = tn_amd_float_source(x, u, &p, i), b = tn_amd_float_source(x, u, &q, i);
  if (!(a.neg | a.abs | b.neg | b.abs) || (tn_amd_is_uniform(&a) && tn_amd_is_uniform(&b))) return 0;
  *y = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, row->vector, *y, a, b);
  return 1;
}
// 2^(x k) where few bits are looked at, of x k/2: it is squared.
static int tn_amd_fused_power(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const tiny_uop *const s = u->src[0];
  int64_t k = 0;
  double v;
  float half;
  uint32_t bits;
  if (!u->k || s->op != TINY_OP_MUL || !tn_amd_is_beside(x, u, s) || !tn_amd_is_number(s->src[1], &k)) return 0;
  memcpy(&v, &k, sizeof v);
  half = (float)(v / 2);
  memcpy(&bits, &half, sizeof bits);
  const tiny_uop *v_of = s->src[0];
  const tn_amd_operand part = tn_amd_v2(x, TN_AMD_V_MUL_F32, tn_amd_k32(bits), tn_amd_float_source(x, u, &v_of, i)),
                       root = tn_amd_v1(x, TN_AMD_V_EXP_F32, part);
  *y = tn_amd_v2(x, TN_AMD_V_MUL_F32, root, root);
  return 1;
}

// ** the greatest of several: NaN if one of them is **

enum { TN_AMD_LEAVES = 9 };
static void tn_amd_leaves(const tn_amd_selection *x, const tiny_uop *u, const tiny_uop *s, const tiny_uop **leaf,
                          int *n) {
  const int inner = s == u || (s->op == TINY_OP_MAX && tn_amd_is_alone(x, s) && tn_amd_is_beside(x, u, s));
  int64_t k;
  for (int j = 0; inner && j < 2; j++) if (tn_amd_is_number(s->src[j], &k)) { *n = TN_AMD_LEAVES + 1; return; }
  if (!inner) { if (*n < TN_AMD_LEAVES) leaf[*n] = s; ++*n; return; }
  for (int j = 0; j < 2; j++) tn_amd_leaves(x, u, s->src[j], leaf, n);
}
// Who is no number of two at a time, all masks together.
static tn_amd_operand tn_amd_any_nan(tn_amd_selection *x, const tn_amd_operand *o, int n) {
  tn_amd_operand any = tn_amd_int(0);
  for (int i = 0; i < n; i += 2) {
    const tn_amd_operand is = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, TN_AMD_V_CMP_U_F32, is, o[i], o[i + 1 < n ? i + 1 : i]);
    any = i ? tn_amd_masks(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64, any, is) : is;
  }
  return any;
}
static int tn_amd_fused_most(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const int twelve = x->family == TN_AMD_GFX12, three = twelve ? TN_AMD_V_MAXIMUM3_F32 : TN_AMD_V_MAX3_F32,
            two = twelve ? TN_AMD_V_MAXIMUM_F32 : TN_AMD_V_MAX_F32;
  const tiny_uop *leaf[TN_AMD_LEAVES];
  tn_amd_operand o[TN_AMD_LEAVES], most;
  int n = 0;
  tn_amd_leaves(x, u, u, leaf, &n);
  if (n < 3 || n > TN_AMD_LEAVES) return 0;
  for (int j = 0; j < n; j++) o[j] = tn_amd_element(x, leaf[j], i);
  for (int j = 0; j < n; j++) if (o[j].kind != TN_AMD_VGPR) return 0;
  most = tn_amd_v3(x, three, o[0], o[1], o[2]);
  for (int j = 3; j < n; j += 2)
    most = j + 1 < n ? tn_amd_v3(x, three, most, o[j], o[j + 1]) : tn_amd_v2(x, two, most, o[j]);
  *y = twelve ? most : tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, most, tn_amd_k32(0x7FC00000), tn_amd_any_nan(x, o, n));
  return 1;
}

static int tn_amd_fuse(tn_amd_selection *x, const tiny_uop *u, int i, tn_amd_operand *y) {
  const int d = u->nsrc ? (int)u->src[0]->dtype : (int)TINY_VOID;
  if (u->op == TINY_OP_WHERE) return tn_amd_fused_choice(x, u, i, y);
  if (u->op == TINY_OP_EXP2) return tn_amd_fused_power(x, u, i, y);
  if (d == TINY_F32 && tn_amd_compares(u)) return tn_amd_fused_compare(x, u, i, y);
  if (u->dtype != d) return 0;
  if (d == TINY_BOOL) return tn_amd_fused_bool(x, u, i, y);
  if (d == TINY_F32 && u->op == TINY_OP_MAX) return tn_amd_fused_most(x, u, i, y);
  if (d == TINY_F32) return tn_amd_fused_float(x, u, i, y);
  if ((d != TINY_I32 && d != TINY_U32) || u->nsrc != 2) return 0;
  if (u->op == TINY_OP_OR && tn_amd_fused_words(x, u, i, y)) return 1;
  if (u->op == TINY_OP_ADD || u->op == TINY_OP_OR || u->op == TINY_OP_XOR) return tn_amd_fused_sum(x, u, i, y);
  if (u->op == TINY_OP_AND && tn_amd_fused_without(x, u, i, y)) return 1;
  return tn_amd_fused_shift(x, u, i, y);
}
// Element i of u, an elementwise op.
static tn_amd_operand tn_amd_alu_at(tn_amd_selection *x, const tiny_uop *u, int i) {
  tn_amd_operand o[4], y;
  if (tn_amd_fuse(x, u, i, &y)) return y;
  for (uint32_t j = 0; j < u->nsrc && j < 4; j++) o[j] = tn_amd_element(x, u->src[j], i);
  return tn_amd_alu(x, u, o);
}
#endif
// ---- end src/amd/../isa/amd_fused.c ----
// ---- begin src/amd/../isa/amd_address.c ----
// amd_address: where an element of memory is, in what an access of AMD's GPUs adds by itself.
//
// In:  an INDEX. Out: a buffer's descriptor, or an address, an offset in a vector register, one in a scalar register,
//      and a number; of memory of 2 GiB and more an address of 64 bits.
// Holds:
//  - Offsets are bytes modulo 2^32: a valid element's is exact, as memory is smaller. The vector register's alone is no
//    less than 0, so that the bounds of a buffer, which it and the number are compared with, pass what is valid.
//  - What is masked is given an offset beyond the bounds: loads give 0, stores are left out.
//  - Sums begin with what is outermost; a sum stands in the innermost loop in which something of it changes.
// Source: AMD's ISA guides (amd.c), "Memory Buffer Instructions", "Memory Buffer Load Data Formats", addressing.
#ifndef TN_ISA_AMD_ADDRESS
#define TN_ISA_AMD_ADDRESS
#ifndef TINY_AMALGAMATED
#include "amd_fused.c"
#endif

enum { TN_AMD_TERMS = 8 };
enum { TN_AMD_STEPS = 1 << 10 };           // of sums that are remembered
typedef struct tn_amd_term { const tiny_uop *u; int64_t k; } tn_amd_term;
// offset and k times u, each
typedef struct tn_amd_sum { int64_t offset; int n; tn_amd_term term[TN_AMD_TERMS + 1]; } tn_amd_sum;
// A sum that is there: `from` and k times u.
typedef struct tn_amd_step {
  tn_amd_operand from, to; const tiny_uop *u; int64_t k; int level, serial;
} tn_amd_step;

// ** levels: loops and IFs that are open, whose lines are put together when they end **

// opened: RANGE or IF; counter: of a RANGE; kept: EXEC as it was; body: where its nodes begin in the list
typedef struct tn_amd_level {
  tn_amd_line *line; int n, cap, serial, again, end;
  const tiny_uop *opened; tn_amd_operand counter, kept;
} tn_amd_level;

// Lines go to that level from now on; the one they went to.
static int tn_amd_go_to(tn_amd_selection *x, int depth) {
  tn_amd_list *const l = x->l;
  const int before = x->at;
  tn_amd_level *const from = &x->level[before], *const to = &x->level[depth];
  from->line = l->line; from->n = l->n; from->cap = l->cap;
  l->line = to->line; l->n = to->n; l->cap = to->cap;
  x->at = depth;
  return before;
}

// ** what an index is the sum of **

static int tn_amd_is_in_32(const tiny_uop *u) {
  return u->dtype != TINY_U64 && u->vmin >= INT32_MIN && u->vmax <= INT32_MAX;
}
static int tn_amd_widens(const tiny_uop *u) {
  const tiny_uop *s = u->nsrc ? u->src[0] : u;
  return u->op == TINY_OP_CAST && (u->dtype == TINY_I64 || u->dtype == TINY_I32) && u->lanes == 1 &&
      (s->dtype == TINY_I32 || (s->dtype == TINY_I64 && tn_amd_is_in_32(s)));
}
// Of a RANGE whose body stands there several times the iterations that this copy is ahead.
static int64_t tn_amd_ahead(const tn_amd_selection *x, const tiny_uop *u) { return u == x->copied ? x->copy : 0; }
static void tn_amd_flatten(const tn_amd_selection *x, const tiny_uop *u, int64_t k, int depth, tn_amd_sum *s) {
  const int op = u->op, number = u->nsrc == 2 && u->src[1]->op == TINY_OP_CONST;
  const tn_amd_operand known = tn_amd_element(x, u, 0);
  if (op == TINY_OP_CONST) { s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, u->k)); return; }
  if (op == TINY_OP_RANGE && known.kind == TN_AMD_INLINE) {
    s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, (int32_t)known.value));
    return;
  }
  if (s->n > TN_AMD_TERMS) return;
  if (depth < 2 * TN_AMD_TERMS && tn_amd_widens(u)) tn_amd_flatten(x, u->src[0], k, depth + 1, s);
  else if (depth < 2 * TN_AMD_TERMS && (op == TINY_OP_ADD || op == TINY_OP_SUB) && tn_is_sum_exact(u)) {
    tn_amd_flatten(x, u->src[0], k, depth + 1, s);
    tn_amd_flatten(x, u->src[1], op == TINY_OP_ADD ? k : tn_wrapped_product(k, -1), depth + 1, s);
  } else if (depth < 2 * TN_AMD_TERMS && (op == TINY_OP_MUL || op == TINY_OP_SHL) && number && tn_is_sum_exact(u))
    tn_amd_flatten(x, u->src[0], tn_wrapped_product(k, tn_factor_of(u)), depth + 1, s);
  else {
    s->term[s->n].u = u; s->term[s->n++].k = k;
    s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, tn_amd_ahead(x, u)));
  }
}
// Outermost first. An index of more terms than are known is its own only one.
static void tn_amd_sum_of(const tn_amd_selection *x, const tiny_uop *u, int64_t size, tn_amd_sum *s) {
  s->n = 0; s->offset = 0;
  tn_amd_flatten(x, u, size, 0, s);
  if (s->n > TN_AMD_TERMS) { s->n = 1; s->offset = 0; s->term[0].u = u; s->term[0].k = size; }
  for (int i = 1; i < s->n; i++)
    for (int j = i; j > 0 && x->inside[s->term[j - 1].u->seq] > x->inside[s->term[j].u->seq]; j--) {
      const tn_amd_term a = s->term[j - 1];
      s->term[j - 1] = s->term[j]; s->term[j] = a;
    }
}

// ** steps **

static tn_amd_step *tn_amd_step_at(tn_amd_selection *x, tn_amd_operand from, const tiny_uop *u, int64_t k) {
  const uint64_t key = ((uint64_t)from.reg << 16 ^ (uint64_t)from.kind << 8 ^ from.sub) * 0x9E3779B97F4A7C15u ^
      (uint64_t)k * 0xC2B2AE3D27D4EB4Fu ^ (u ? (uint64_t)u->seq + 1 : 0) * 0x165667B19E3779F9u;
  const uint32_t first = (uint32_t)(key >> 32 ^ key);
  for (uint32_t i = 0; i < 8; i++) {
    tn_amd_step *const s = &x->step[(first + i) % TN_AMD_STEPS];
    const int same = s->from.kind == from.kind && s->from.reg == from.reg && s->from.sub == from.sub && s->u == u &&
        s->k == k;
    const int free = !s->serial || s->level > x->depth || x->level[s->level].serial != s->serial;
    if (!same && !free) continue;
    if (!same) s->serial = 0;
    s->from = from; s->u = u; s->k = k;
    return s;
  }
  tn_amd_step *const s = &x->step[first % TN_AMD_STEPS];      // what was remembered there is made anew
  s->from = from; s->u = u; s->k = k; s->serial = 0;
  return s;
}
static int tn_amd_is_there(const tn_amd_selection *x, const tn_amd_step *s) {
  return s->serial && s->level <= x->depth && x->level[s->level].serial == s->serial;
}
static int tn_amd_log2(int64_t k) {        // -1: it is no power of two
  int n = 0;
  while (n < 31 && (int64_t)1 << n < k) n++;
  return k > 0 && (int64_t)1 << n == k ? n : -1;
}
static tn_amd_operand tn_amd_no_sum(void) { return tn_amd_register(TN_AMD_NONE, 0, 0); }
// o times k, and `from`, which may be no sum, modulo 2^32.
static tn_amd_operand tn_amd_times_plus(tn_amd_selection *x, tn_amd_operand o, const tiny_uop *u, int64_t k,
                                        tn_amd_operand from) {
  const int uniform = tn_amd_is_uniform(&o) && (from.kind == TN_AMD_NONE || tn_amd_is_uniform(&from));
  const int shift = tn_amd_log2(k), few = u->vmin >= 0 && u->vmax < 1 << 24 && k >= 0 && k < 1 << 24;
  const tn_amd_operand by = tn_amd_k32((uint32_t)k);
  if (uniform) {
    const tn_amd_operand product = k == 1 ? o : shift > 0 ? tn_amd_s2(x, TN_AMD_S_LSHL_B32, o, tn_amd_int(shift)) :
                                                            tn_amd_s2(x, TN_AMD_S_MUL_I32, o, by);
    return from.kind == TN_AMD_NONE ? product : tn_amd_s2(x, TN_AMD_S_ADD_U32, from, product);
  }
  if (from.kind == TN_AMD_NONE) {
    if (k == 1) return o;
    if (shift > 0) return tn_amd_v2(x, TN_AMD_V_LSHLREV_B32, tn_amd_int(shift), o);
    return tn_amd_v2(x, few ? TN_AMD_V_MUL_U32_U24 : TN_AMD_V_MUL_LO_U32, by, o);
  }
  if (k == 1) return tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, from, o);
  if (tn_amd_is_uniform(&o)) {             // its product is scalar
    const tn_amd_operand product = shift > 0 ? tn_amd_s2(x, TN_AMD_S_LSHL_B32, o, tn_amd_int(shift)) :
                                               tn_amd_s2(x, TN_AMD_S_MUL_I32, o, by);
    return tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, product, from);
  }
  if (shift > 0) return tn_amd_v3(x, TN_AMD_V_LSHL_ADD_U32, o, tn_amd_int(shift), from);
  if (few) return tn_amd_v3(x, TN_AMD_V_MAD_U32_U24, o, by, from);
  return tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, from, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, o, by));
}
static int tn_amd_level_of(const tn_amd_selection *x, const tiny_uop *u, int level) {
  const int inside = u ? x->inside[u->seq] : 0;
  return inside > level ? inside : level;
}
static tn_amd_operand tn_amd_step_on(tn_amd_selection *x, tn_amd_operand from, int *level, const tiny_uop *u,
                                     int64_t k) {
  tn_amd_step *const s = tn_amd_step_at(x, from, u, k);
  if (!tn_amd_is_there(x, s)) {
    s->level = tn_amd_level_of(x, u, *level);
    s->serial = x->level[s->level].serial;
    const int at = tn_amd_go_to(x, s->level);
    const tn_amd_operand o = !u ? tn_amd_no_sum() : u == x->copied ? x->counter : tn_amd_element(x, u, 0);
    if (u) s->to = tn_amd_times_plus(x, tn_amd_slice(o, 0, 1), u, k, from);
    else if (from.kind == TN_AMD_NONE) s->to = tn_amd_in_sgprs(x->l, tn_amd_k32((uint32_t)k));
    else if (tn_amd_is_uniform(&from)) s->to = tn_amd_s2(x, TN_AMD_S_ADD_U32, from, tn_amd_k32((uint32_t)k));
    else s->to = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_k32((uint32_t)k), from);
    tn_amd_go_to(x, at);
  }
  *level = s->level;
  return s->to;
}

// A constant in a vector register, once for the whole kernel.
static tn_amd_operand tn_amd_held(tn_amd_selection *x, uint32_t bits) {
  const int64_t key = (int64_t)1 << 40 | bits;               // as no sum is
  tn_amd_step *const s = tn_amd_step_at(x, tn_amd_no_sum(), NULL, key);
  if (tn_amd_is_there(x, s)) return s->to;
  s->level = 0; s->serial = x->level[0].serial;
  const int at = tn_amd_go_to(x, 0);
  s->to = tn_amd_in_vgprs(x->l, tn_amd_k32(bits));
  tn_amd_go_to(x, at);
  return s->to;
}

// ** an address **

// base: a buffer's descriptor, 4 scalar registers, or its address, 2; of LDS and scratch NONE. v: bytes in a vector
// register, NONE: 0, or an address of 64 bits; s: in a scalar one, NONE: 0
typedef struct tn_amd_address { tn_amd_operand base, v, s; int64_t offset; int level; } tn_amd_address;

// How many bytes an instruction adds: of buffers, of LDS.
static int64_t tn_amd_most_offset(const tn_amd_selection *x, int lds) {
  return lds ? 65535 : x->family == TN_AMD_GFX12 ? (1 << 23) - 1 : 4095;
}
// The least and the most of the sum of terms in vector registers, or of the others.
typedef struct tn_amd_bounds { double least, most; } tn_amd_bounds;
static tn_amd_bounds tn_amd_bounds_of(const tn_amd_selection *x, const tn_amd_sum *s, int uniform) {
  tn_amd_bounds b = {0, 0};
  for (int i = 0; i < s->n; i++) {
    const tn_amd_term *t = &s->term[i];
    const tn_amd_operand o = tn_amd_element(x, t->u, 0);
    if (tn_amd_is_uniform(&o) != uniform) continue;
    const double p = (double)t->k * (double)t->u->vmin, q = (double)t->k * (double)t->u->vmax;
    b.least += p < q ? p : q;
    b.most += p < q ? q : p;
  }
  return b;
}
// What of the sum is no number: vector parts into v, scalar ones into s, or all into v.
static void tn_amd_add_terms(tn_amd_selection *x, const tn_amd_sum *s, int apart, tn_amd_address *a) {
  int levels[2] = {0, 0};
  for (int pass = 0; pass < 2; pass++)     // scalars last where they are added to v, unless they are outermost
    for (int i = 0; i < s->n; i++) {
      const tn_amd_operand o = tn_amd_element(x, s->term[i].u, 0);
      const int scalar = tn_amd_is_uniform(&o) && apart;
      if (scalar != pass) continue;
      tn_amd_operand *const to = scalar ? &a->s : &a->v;
      *to = tn_amd_step_on(x, *to, &levels[scalar], s->term[i].u, s->term[i].k);
    }
  a->level = levels[0] > levels[1] ? levels[0] : levels[1];
}
// An offset that the instruction does not take: what it does stays, the rest is added to one of the sums.
static void tn_amd_add_rest(tn_amd_selection *x, tn_amd_operand *to, int64_t most, tn_amd_address *a) {
  int level = a->level;
  const int64_t rest = a->offset >= 0 ? a->offset / (most + 1) * (most + 1) : a->offset;
  if (!rest) return;
  *to = tn_amd_step_on(x, *to, &level, NULL, rest);
  a->offset -= rest;
  a->level = level;
}
static int64_t tn_amd_memory_nbytes(const tiny_uop *m) {
  return m->nv ? m->v[m->op == TINY_OP_DEFINE] * (int64_t)tiny_dtype_nbytes((tiny_dtype)m->dtype) * m->lanes :
                 (int64_t)1 << 62;
}
// at + low * k, of 64 bits; high: of what low is the low half of.
static tn_amd_operand tn_amd_wide_times(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high, int64_t k,
                                        tn_amd_operand at) {
  const tn_amd_operand by = tn_amd_k32((uint32_t)k), more = tn_amd_k32((uint32_t)((uint64_t)k >> 32));
  const tn_amd_operand sum = tn_amd_wide_product(x, TN_AMD_V_MAD_U64_U32, low, tn_amd_in_vgprs(x->l, by), at);
  tn_amd_operand top = tn_amd_slice(sum, 1, 1);
  if (!tn_amd_is_zero(&more))
    top = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, top, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, more, low));
  if (!tn_amd_is_zero(&high))
    top = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, top, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, by, high));
  return tn_amd_joined(x, tn_amd_slice(sum, 0, 1), top);
}
// at + u * k, of 64 bits. One instruction, where both are of 32.
static tn_amd_operand tn_amd_wide_step(tn_amd_selection *x, const tiny_uop *u, int64_t k, tn_amd_operand at) {
  const tn_amd_operand o = tn_amd_element(x, u, 0), low = tn_amd_slice(o, 0, 1);
  const int in_32 = tn_amd_is_in_32(u), narrow = u->dtype == TINY_U32;
  if (in_32 && k == (int32_t)k)
    return tn_amd_wide_product(x, TN_AMD_V_MAD_I64_I32, low, tn_amd_in_vgprs(x->l, tn_amd_k32((uint32_t)k)), at);
  if (o.dwords == 2) return tn_amd_wide_times(x, low, tn_amd_slice(o, 1, 1), k, at);
  if (narrow) return tn_amd_wide_times(x, low, tn_amd_int(0), k, at);
  return tn_amd_wide_times(x, low, tn_amd_v2(x, TN_AMD_V_ASHRREV_I32, tn_amd_int(31), low), k, at);
}
static void tn_amd_wide_address(tn_amd_selection *x, const tiny_uop *m, const tn_amd_sum *s, tn_amd_address *a) {
  tn_amd_operand at = tn_amd_slice(tn_amd_element(x, m, 0), 0, 2);
  for (int i = 0; i < s->n; i++) at = tn_amd_wide_step(x, s->term[i].u, s->term[i].k, at);
  if (s->offset == (int32_t)s->offset)
    at = tn_amd_wide_product(x, TN_AMD_V_MAD_I64_I32, tn_amd_int(1),
                             tn_amd_in_vgprs(x->l, tn_amd_k32((uint32_t)s->offset)), at);
  else at = tn_amd_wide_times(x, tn_amd_in_vgprs(x->l, tn_amd_int(1)), tn_amd_int(0), s->offset, at);
  a->v = at; a->base = tn_amd_no_sum();
}
// All of it in one register, beside the memory's address; scalars alone stay apart, for scalar loads.
static void tn_amd_plain_address(tn_amd_selection *x, const tn_amd_sum *s, int exact, tn_amd_address *a) {
  int scalar = 1;
  for (int i = 0; i < s->n; i++) {
    const tn_amd_operand o = tn_amd_element(x, s->term[i].u, 0);
    scalar &= tn_amd_is_uniform(&o);
  }
  a->base = tn_amd_slice(a->base, 0, 2);
  tn_amd_add_terms(x, s, scalar, a);
  tn_amd_operand *const to = scalar ? &a->s : &a->v;
  int level = a->level;
  if (exact && a->offset >= 0 && a->offset <= tn_amd_most_offset(x, 0)) return;
  *to = tn_amd_step_on(x, *to, &level, NULL, a->offset);
  a->offset = 0; a->level = level;
}
static tn_amd_address tn_amd_address_of(tn_amd_selection *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int param = m->op == TINY_OP_PARAM, size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype);
  tn_amd_sum sum;
  tn_amd_address a;
  tn_amd_sum_of(x, index->src[1], (int64_t)size * (param ? 1 : m->lanes), &sum);
  a.base = a.v = a.s = tn_amd_no_sum();
  a.level = 0;
  a.offset = sum.offset;
  if (!param) {                            // LDS and scratch: one sum, and where the memory begins
    tn_amd_add_terms(x, &sum, 0, &a);
    const tn_amd_bounds some = tn_amd_bounds_of(x, &sum, 0), others = tn_amd_bounds_of(x, &sum, 1);
    const int local = m->v[0] == TN_SPACE_LOCAL, whole = !local && some.least + others.least < 0;
    a.offset += x->place[m->seq];
    if (whole && a.offset) {               // of scratch the register alone is no less than 0
      a.v = tn_amd_step_on(x, a.v, &a.level, NULL, a.offset);
      a.offset = 0;
    } else if (a.offset < 0 || a.offset > tn_amd_most_offset(x, local))
      tn_amd_add_rest(x, &a.v, tn_amd_most_offset(x, local), &a);
    return a;
  }
  if (tn_amd_memory_nbytes(m) >= INT32_MAX) { tn_amd_wide_address(x, m, &sum, &a); a.offset = 0; return a; }
  a.base = tn_amd_element(x, m, 0);
  const tn_amd_bounds v = tn_amd_bounds_of(x, &sum, 0), u = tn_amd_bounds_of(x, &sum, 1);
  const int64_t most = tn_amd_most_offset(x, 0);
  if (!x->buffer[m->seq]) { tn_amd_plain_address(x, &sum, v.least + u.least >= 0, &a); return a; }
  const int apart = v.least >= 0 && v.most < 2147483648.0 && u.least + (double)a.offset >= 0;
  tn_amd_add_terms(x, &sum, apart, &a);
  tn_amd_operand *const to = apart || a.v.kind == TN_AMD_NONE ? &a.s : &a.v;
  if (!apart || u.least < 0 || a.offset < 0) {               // right only as a whole
    int level = a.level;
    if (a.offset) *to = tn_amd_step_on(x, *to, &level, NULL, a.offset);
    a.offset = 0; a.level = level;
  } else if (a.offset > most) tn_amd_add_rest(x, &a.s, most, &a);
  return a;
}
#endif
// ---- end src/amd/../isa/amd_address.c ----
// ---- begin src/amd/../isa/amd_loads.c ----
// amd_loads: LOADs and STOREs on AMD's GPUs: memory by buffers, LDS, scratch, and memory in registers.
//
// In:  nodes, addresses (amd_address.c). Out: operands of what is loaded; lines.
// Holds: what is the same for all lanes, and nobody stores, is loaded by scalar loads. Where an access may not be done
//        its lanes are beyond a buffer's bounds; of LDS and memory without a buffer they are off.
// Source: AMD's ISA guides (amd.c), "Scalar Memory", "Memory Buffer Instructions", "Data Share Operations".
#ifndef TN_ISA_AMD_LOADS
#define TN_ISA_AMD_LOADS
#ifndef TINY_AMALGAMATED
#include "amd_address.c"
#endif

// ** pieces: how much an access moves at once **

enum { TN_AMD_MOST_PIECES = 64 };          // of a node

// Bytes: of accesses that are at least 4, dwords; of a vector in memory, n of them in all.
typedef struct tn_amd_pieces { int nbytes, n, words; } tn_amd_pieces;
static int tn_amd_is_lds(const tiny_uop *m) { return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_LOCAL; }

// The largest power of two that the place of an INDEX is known to be a multiple of, in bytes, 16 at most.
static int tn_amd_alignment(const tn_amd_selection *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype) * (m->op == TINY_OP_DEFINE ? m->lanes : 1);
  int n = 16;
  while (n > 1 && ((int64_t)size << x->zeros[index->src[1]->seq]) % n) n /= 2;
  return n;
}
// Dwords of memory may lie anywhere at a multiple of 4; in LDS an access of 8 or 16 bytes is as aligned as large.
static tn_amd_pieces tn_amd_pieces_of(const tn_amd_selection *x, const tiny_uop *index, const tiny_uop *value) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)value->dtype), all = tn_amd_nbytes(value);
  const int align = tn_amd_alignment(x, index), own = tn_amd_is_lds(m) || m->op == TINY_OP_DEFINE;
  tn_amd_pieces p = {size, value->lanes, 0};
  if (value->dtype == TINY_BOOL || all % 4 || (align < 4 && size < 4) || (size < 4 && value->lanes == 1)) return p;
  int most = own ? (align < 4 ? 4 : align) : 16;
  while (all % most) most -= 4;
  if (own && most == 12) most = 4;
  if (size == 8 && most % 8) most = 8;     // a pair is not divided
  p.nbytes = most; p.n = all / most; p.words = 1;
  return p;
}

// ** instructions **

static const struct { uint8_t nbytes, sign; uint16_t buffer, global, lds, scratch; } tn_amd_loads[] = {
  {1, 0, TN_AMD_BUFFER_LOAD_U8, TN_AMD_GLOBAL_LOAD_U8, TN_AMD_DS_LOAD_U8, TN_AMD_SCRATCH_LOAD_U8},
  {1, 1, TN_AMD_BUFFER_LOAD_I8, TN_AMD_GLOBAL_LOAD_I8, TN_AMD_DS_LOAD_I8, TN_AMD_SCRATCH_LOAD_I8},
  {2, 0, TN_AMD_BUFFER_LOAD_U16, TN_AMD_GLOBAL_LOAD_U16, TN_AMD_DS_LOAD_U16, TN_AMD_SCRATCH_LOAD_U16},
  {2, 1, TN_AMD_BUFFER_LOAD_I16, TN_AMD_GLOBAL_LOAD_I16, TN_AMD_DS_LOAD_I16, TN_AMD_SCRATCH_LOAD_I16},
  {4, 0, TN_AMD_BUFFER_LOAD_B32, TN_AMD_GLOBAL_LOAD_B32, TN_AMD_DS_LOAD_B32, TN_AMD_SCRATCH_LOAD_B32},
  {8, 0, TN_AMD_BUFFER_LOAD_B64, TN_AMD_GLOBAL_LOAD_B64, TN_AMD_DS_LOAD_B64, TN_AMD_SCRATCH_LOAD_B64},
  {12, 0, TN_AMD_BUFFER_LOAD_B96, TN_AMD_GLOBAL_LOAD_B96, TN_AMD_DS_LOAD_B96, TN_AMD_SCRATCH_LOAD_B96},
  {16, 0, TN_AMD_BUFFER_LOAD_B128, TN_AMD_GLOBAL_LOAD_B128, TN_AMD_DS_LOAD_B128, TN_AMD_SCRATCH_LOAD_B128}
};
static const struct { uint8_t nbytes; uint16_t buffer, global, lds, scratch; } tn_amd_stores[] = {
  {1, TN_AMD_BUFFER_STORE_B8, TN_AMD_GLOBAL_STORE_B8, TN_AMD_DS_STORE_B8, TN_AMD_SCRATCH_STORE_B8},
  {2, TN_AMD_BUFFER_STORE_B16, TN_AMD_GLOBAL_STORE_B16, TN_AMD_DS_STORE_B16, TN_AMD_SCRATCH_STORE_B16},
  {4, TN_AMD_BUFFER_STORE_B32, TN_AMD_GLOBAL_STORE_B32, TN_AMD_DS_STORE_B32, TN_AMD_SCRATCH_STORE_B32},
  {8, TN_AMD_BUFFER_STORE_B64, TN_AMD_GLOBAL_STORE_B64, TN_AMD_DS_STORE_B64, TN_AMD_SCRATCH_STORE_B64},
  {12, TN_AMD_BUFFER_STORE_B96, TN_AMD_GLOBAL_STORE_B96, TN_AMD_DS_STORE_B96, TN_AMD_SCRATCH_STORE_B96},
  {16, TN_AMD_BUFFER_STORE_B128, TN_AMD_GLOBAL_STORE_B128, TN_AMD_DS_STORE_B128, TN_AMD_SCRATCH_STORE_B128}
};
// Which way an access goes. WIDE: by an address of 64 bits in vector registers; PLAIN: an offset beside a scalar one.
enum { TN_AMD_BY_BUFFER, TN_AMD_BY_WIDE, TN_AMD_BY_PLAIN, TN_AMD_BY_LDS, TN_AMD_BY_SCRATCH };
static int tn_amd_way(const tiny_uop *m, const tn_amd_address *a) {
  if (m->op == TINY_OP_DEFINE) return m->v[0] == TN_SPACE_LOCAL ? TN_AMD_BY_LDS : TN_AMD_BY_SCRATCH;
  return a->base.kind == TN_AMD_NONE ? TN_AMD_BY_WIDE : a->base.dwords == 2 ? TN_AMD_BY_PLAIN : TN_AMD_BY_BUFFER;
}
static int tn_amd_load_op(int way, int nbytes, int sign) {
  for (size_t i = 0; i < sizeof tn_amd_loads / sizeof *tn_amd_loads; i++)
    if (tn_amd_loads[i].nbytes == nbytes && tn_amd_loads[i].sign == (nbytes < 4 && sign))
      return way == TN_AMD_BY_BUFFER ? tn_amd_loads[i].buffer : way == TN_AMD_BY_LDS ? tn_amd_loads[i].lds :
             way == TN_AMD_BY_SCRATCH ? tn_amd_loads[i].scratch : tn_amd_loads[i].global;
  return 0;
}
static int tn_amd_store_op(int way, int nbytes) {
  for (size_t i = 0; i < sizeof tn_amd_stores / sizeof *tn_amd_stores; i++)
    if (tn_amd_stores[i].nbytes == nbytes)
      return way == TN_AMD_BY_BUFFER ? tn_amd_stores[i].buffer : way == TN_AMD_BY_LDS ? tn_amd_stores[i].lds :
             way == TN_AMD_BY_SCRATCH ? tn_amd_stores[i].scratch : tn_amd_stores[i].global;
  return 0;
}
static int32_t tn_amd_memory_number(const tiny_uop *m) {
  if (m->op == TINY_OP_PARAM) return (int32_t)(1 + m->k);
  return (int32_t)((m->v[0] == TN_SPACE_LOCAL ? TN_AMD_OF_LDS : TN_AMD_OF_SCRATCH) + (m->k & 0xFFFF));
}
// Loads to data, or stores it.
static void tn_amd_put_access(tn_amd_selection *x, int op, const tiny_uop *index, const tn_amd_address *a, int64_t more,
                          tn_amd_operand data, int stores) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int way = tn_amd_way(m, a);
  const tn_amd_operand v = a->v.kind == TN_AMD_NONE ? tn_amd_off() : tn_amd_as_v(x, a->v);
  const tn_amd_operand none = x->family == TN_AMD_GFX12 ? tn_amd_s(TN_AMD_NULL, 1) : tn_amd_int(0);
  const tn_amd_operand s = a->s.kind == TN_AMD_NONE ? none : a->s;
  tn_amd_line *line;
  if (way == TN_AMD_BY_BUFFER) {
    line = tn_amd_do4(x->l, op, data, v, a->base, s);
    line->ins.m[TN_AMD_OFFEN] = v.kind == TN_AMD_VGPR;
  } else if (way == TN_AMD_BY_LDS || way == TN_AMD_BY_PLAIN) {
    const tn_amd_operand at = v.kind == TN_AMD_VGPR ? v : a->s.kind == TN_AMD_NONE ? tn_amd_held(x, 0) :
                                                                                   tn_amd_as_v(x, a->s);
    if (way == TN_AMD_BY_LDS) line = stores ? tn_amd_do2(x->l, op, at, data) : tn_amd_do2(x->l, op, data, at);
    else line = stores ? tn_amd_do3(x->l, op, at, data, a->base) : tn_amd_do3(x->l, op, data, at, a->base);
  } else if (*tn_amd_form_of(op, x->family).operands == 'r')   // an atomic one, of which nothing comes back
    line = tn_amd_do4(x->l, op, tn_amd_no_sum(), v, data, tn_amd_off());
  else line = stores ? tn_amd_do3(x->l, op, v, data, tn_amd_off()) : tn_amd_do3(x->l, op, data, v, tn_amd_off());
  line->ins.m[TN_AMD_OFFSET] = (int32_t)(a->offset + more);
  line->memory = tn_amd_memory_number(m);
  line->index = index;
  line->align = (uint8_t)tn_amd_alignment(x, index);
  while (more % line->align) line->align /= 2;
}
// The offset of the last piece is one that the instruction takes.
static void tn_amd_make_room(tn_amd_selection *x, const tiny_uop *m, tn_amd_address *a, int64_t more) {
  const int own = m->op == TINY_OP_DEFINE;
  const int64_t most = a->base.kind == TN_AMD_NONE && !own ? 0 : tn_amd_most_offset(x, tn_amd_is_lds(m));
  int level = a->level;
  if (a->offset + more <= most || (a->base.kind == TN_AMD_NONE && !own && more <= 4095)) return;
  const int plain = a->base.dwords == 2 && a->v.kind != TN_AMD_NONE;
  tn_amd_operand *const to = own || plain || a->s.kind == TN_AMD_NONE ? &a->v : &a->s;
  *to = tn_amd_step_on(x, *to, &level, NULL, a->offset);
  a->offset = 0;
}

// ** what may not be there **

static tn_amd_operand tn_amd_condition(const tn_amd_selection *x, const tiny_uop *index) {
  const tn_amd_operand o = index->nsrc == 3 ? tn_amd_element(x, index->src[2], 0) : tn_amd_no_sum();
  return tn_amd_is_constant(&o) && o.value ? tn_amd_no_sum() : o;
}
static int tn_amd_scalar_op(const tn_amd_selection *x, int narrow, int wide) { return x->l->mask == 1 ? narrow : wide; }
// v where the mask is on, else what is beyond all bounds; once for each mask and offset.
static tn_amd_operand tn_amd_masked_offset(tn_amd_selection *x, const tiny_uop *condition, tn_amd_operand mask,
                                           tn_amd_operand v, int level) {
  enum { BEYOND = INT32_MIN };
  const int64_t key = (int64_t)1 << 41;                      // as no sum is
  const tn_amd_operand beyond = tn_amd_held(x, (uint32_t)BEYOND), at = v.kind == TN_AMD_NONE ? tn_amd_int(0) : v;
  tn_amd_step *const s = tn_amd_step_at(x, v, condition, key);
  if (tn_amd_is_there(x, s)) return s->to;
  s->level = tn_amd_level_of(x, condition, level);
  s->serial = x->level[s->level].serial;
  const int here = tn_amd_go_to(x, s->level);
  s->to = tn_amd_is_constant(&mask) ? beyond : tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, beyond, at, mask);
  tn_amd_go_to(x, here);
  return s->to;
}
// Of a buffer: lanes that are off are beyond its bounds. EXEC else, as it was in `kept`.
static tn_amd_operand tn_amd_mask_access(tn_amd_selection *x, const tiny_uop *index, tn_amd_address *a) {
  const tn_amd_operand mask = tn_amd_condition(x, index);
  if (mask.kind == TN_AMD_NONE) return mask;
  if (tn_amd_way(tn_memory_behind(index->src[0]), a) != TN_AMD_BY_BUFFER) {
    const tn_amd_operand kept = tn_amd_new_mask(x->l);
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_SAVEEXEC_B32, TN_AMD_S_AND_SAVEEXEC_B64), kept, mask);
    return kept;
  }
  a->v = tn_amd_masked_offset(x, index->src[2], mask, a->v, a->level);
  return tn_amd_no_sum();
}
static void tn_amd_unmask(tn_amd_selection *x, tn_amd_operand kept) {
  tn_amd_operand exec = tn_amd_s(TN_AMD_EXEC, x->l->mask);
  if (kept.kind == TN_AMD_SGPR)
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_MOV_B32, TN_AMD_S_MOV_B64), exec, kept);
}
// Element i of what is there otherwise, or word i.
static tn_amd_operand tn_amd_otherwise(tn_amd_selection *x, const tiny_uop *u, int words, int i) {
  const tiny_uop *other = u->src[1];
  if (!words || other->lanes > 1) return words ? tn_amd_bits_at(x, other, i) : tn_amd_element(x, other, i);
  const tn_amd_operand one = tn_amd_element(x, other, 0), four[4] = {one, one, one, one};
  return tn_amd_packed(x, u->dtype, four);
}
static int tn_amd_is_zero_otherwise(const tn_amd_selection *x, const tiny_uop *u, int words, int n) {
  int zero = 1;
  if (u->nsrc < 2) return 1;
  if (u->src[1]->lanes == 1) n = 1;
  for (int i = 0; i < n; i++) {
    const tn_amd_operand o = words && u->src[1]->lanes > 1 ? tn_amd_bits_at(x, u->src[1], i) :
                                                             tn_amd_element(x, u->src[1], i);
    zero &= tn_amd_is_zero(&o);
  }
  return zero;
}
// What memory has under the mask, `other` else. Masks of lanes are 0 where nothing was loaded.
static tn_amd_operand tn_amd_else_other(tn_amd_selection *x, int dtype, tn_amd_operand mask, tn_amd_operand memory,
                                        tn_amd_operand other) {
  if (tn_amd_is_constant(&mask)) return other;
  if (dtype == TINY_BOOL) {
    const tn_amd_operand to = tn_amd_new_mask(x->l), rest = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64), rest, other, mask);
    tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64), to, memory, rest);
    return to;
  }
  const int n = memory.dwords;
  const tn_amd_operand to = tn_amd_new_v(x->l, n);
  for (int i = 0; i < n; i++)
    tn_amd_do4(x->l, TN_AMD_V_CNDMASK_B32, tn_amd_slice(to, i, 1), n > 1 ? tn_amd_slice(other, i, 1) : other,
               tn_amd_slice(memory, i, 1), mask);
  return to;
}
// n elements or words of memory; they are there under the mask alone, else what is otherwise.
static void tn_amd_choose_otherwise(tn_amd_selection *x, const tiny_uop *u, int words, int first, int n) {
  const tn_amd_operand mask = tn_amd_condition(x, u->src[0]);
  if (mask.kind == TN_AMD_NONE || tn_amd_is_zero_otherwise(x, u, words, n)) return;
  for (int i = 0; i < n; i++) {
    const tn_amd_operand other = tn_amd_otherwise(x, u, words, i);
    const tn_amd_operand chosen = tn_amd_else_other(x, u->dtype, mask, x->pool[first + i], other);
    x->pool[first + i] = chosen;
  }
}

// ** LOAD **

static int tn_amd_reg_at(const tn_amd_selection *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  return x->elements[m->seq] + (int)index->src[1]->k * m->lanes;
}
static int tn_amd_in_registers(const tn_amd_selection *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && x->place[tn_memory_behind(index->src[0])->seq] < 0;
}
static tn_amd_operand tn_amd_copied(tn_amd_selection *x, tn_amd_operand from) {
  const tn_amd_operand to = tn_amd_new(x->l, from.kind, from.dwords);
  tn_amd_copy(x->l, to, from);
  return to;
}
// Memory in registers of a tuple is copied as one.
static void tn_amd_load_register(tn_amd_selection *x, const tiny_uop *u) {
  const int from = tn_amd_reg_at(x, u->src[0]), first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  const tn_amd_operand *const r = &x->pool[from];
  const int each = r->dwords, tuple = u->lanes > 1 && r[0].reg == r[1].reg;
  tn_amd_operand all = r[0];
  if (tuple) {
    all.dwords = (uint8_t)(each * u->lanes);
    all = tn_amd_copied(x, all);
  }
  for (int i = 0; i < u->lanes; i++) {
    const tn_amd_operand one = tuple ? tn_amd_slice(all, i * each, each) : tn_amd_copied(x, x->pool[from + i]);
    x->pool[first + i] = one;
  }
}
// A sum of scalars stands in the scalar's place.
static void tn_amd_move_scalar(tn_amd_address *a) {
  if (a->v.kind != TN_AMD_SGPR || a->base.kind == TN_AMD_NONE || a->s.kind != TN_AMD_NONE) return;
  a->s = a->v;
  a->v = tn_amd_no_sum();
}
// Of one value for all lanes, in memory that nobody stores to: dwords, by a base and an offset.
static int tn_amd_is_scalar_load(const tn_amd_selection *x, const tiny_uop *u, const tn_amd_address *a,
                                 const tn_amd_pieces *p) {
  const tiny_uop *m = tn_memory_behind(u->src[0]->src[0]);
  const int nbytes = tn_amd_nbytes(u);
  return m->op == TINY_OP_PARAM && !x->written[m->seq] && a->base.kind != TN_AMD_NONE && a->v.kind == TN_AMD_NONE &&
      u->src[0]->nsrc < 3 && tn_amd_alignment(x, u->src[0]) >= 4 && nbytes % 4 == 0 && nbytes <= 64 &&
      (p->words || nbytes == 4) && (nbytes & (nbytes - 1)) == 0;
}
static void tn_amd_load_scalar(tn_amd_selection *x, const tiny_uop *u, const tn_amd_address *a) {
  const int n = tn_amd_nbytes(u) / 4, words = tn_amd_packs(u), wide = tn_amd_bits_of(u->dtype) == 64;
  const int op = n == 1 ? TN_AMD_S_LOAD_B32 : n == 2 ? TN_AMD_S_LOAD_B64 : n == 4 ? TN_AMD_S_LOAD_B128 :
                 n == 8 ? TN_AMD_S_LOAD_B256 : TN_AMD_S_LOAD_B512;
  const tn_amd_operand to = tn_amd_new_s(x->l, n);
  // gfx9 and gfx11 add 20 bits and a sign, gfx12 23 and a sign (SMEM, OFFSET)
  tn_amd_operand s = a->s;
  int64_t offset = a->offset;
  if (s.kind == TN_AMD_NONE && offset >= 1 << 20) {
    s = tn_amd_in_sgprs(x->l, tn_amd_k32((uint32_t)offset));
    offset = 0;
  }
  tn_amd_line *const line = tn_amd_do3(x->l, op, to, tn_amd_slice(a->base, 0, 2),
                                       s.kind == TN_AMD_NONE ? tn_amd_off() : s);
  line->ins.m[TN_AMD_OFFSET] = (int32_t)offset;
  line->memory = tn_amd_memory_number(tn_memory_behind(u->src[0]->src[0]));
  line->index = u->src[0];
  const int count = words ? n : u->lanes, first = tn_amd_take(x, count);
  for (int i = 0; i < count; i++) x->pool[first + i] = wide ? tn_amd_slice(to, 2 * i, 2) : tn_amd_slice(to, i, 1);
  if (words) x->words[u->seq] = first;
  else x->elements[u->seq] = first;
}
// Registers for pieces of what is loaded. EXEC will be narrowed: lanes that are off have zeros.
static void tn_amd_load_registers(tn_amd_selection *x, int n, int dwords, int narrows, tn_amd_operand *to) {
  for (int i = 0; i < n; i++) {
    to[i] = tn_amd_new_v(x->l, dwords);
    if (narrows) tn_amd_copy(x->l, to[i], tn_amd_int(0));
  }
}
static void tn_amd_masks_of_bytes(tn_amd_selection *x, int first, int n) {
  for (int i = 0; i < n; i++) {
    const tn_amd_operand mask = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, TN_AMD_V_CMP_NE_U32, mask, tn_amd_int(0), x->pool[first + i]);
    x->pool[first + i] = mask;
  }
}
static void tn_amd_load(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *m = tn_memory_behind(index->src[0]);
  const tn_amd_pieces p = tn_amd_pieces_of(x, index, u);
  const int each = tn_amd_bits_of(u->dtype) == 64 ? 2 : 1, words = p.words && tn_amd_packs(u);
  const int count = words ? tn_amd_nwords(u) : u->lanes, dwords = p.nbytes < 4 ? 1 : p.nbytes / 4;
  tn_amd_operand to[TN_AMD_MOST_PIECES];
  tn_amd_address a = tn_amd_address_of(x, index);
  tn_amd_move_scalar(&a);
  if (tn_amd_is_scalar_load(x, u, &a, &p)) { tn_amd_load_scalar(x, u, &a); return; }
  if (p.n > TN_AMD_MOST_PIECES) { tn_amd_refuse_node(x, u); return; }
  tn_amd_make_room(x, m, &a, (int64_t)(p.n - 1) * p.nbytes);
  const int way = tn_amd_way(m, &a), op = tn_amd_load_op(way, p.nbytes, tn_amd_is_signed(u->dtype));
  const tn_amd_operand mask = tn_amd_condition(x, index);
  tn_amd_load_registers(x, p.n, dwords, mask.kind != TN_AMD_NONE && way != TN_AMD_BY_BUFFER, to);
  const tn_amd_operand kept = tn_amd_mask_access(x, index, &a);
  for (int i = 0; i < p.n; i++) tn_amd_put_access(x, op, index, &a, (int64_t)i * p.nbytes, to[i], 0);
  tn_amd_unmask(x, kept);
  const int first = tn_amd_take(x, count);
  for (int i = 0; i < count; i++)
    x->pool[first + i] = tn_amd_slice(to[i * each / dwords], i * each % dwords, each);
  if (words) x->words[u->seq] = first;
  else x->elements[u->seq] = first;
  if (u->dtype == TINY_BOOL) tn_amd_masks_of_bytes(x, first, count);
  tn_amd_choose_otherwise(x, u, words, first, count);
}

// ** STORE **

// May lanes be off that go on later: in an IF, in a loop that lanes leave one by one?
static int tn_amd_may_be_off(const tn_amd_selection *x) {
  for (int i = 1; i <= x->depth; i++) {
    const tiny_uop *u = x->level[i].opened;
    if (u->op == TINY_OP_IF || x->pool[x->elements[u->seq]].kind == TN_AMD_VGPR) return 1;
  }
  return 0;
}
// A mask keeps its bits of lanes that are off.
static void tn_amd_store_mask(tn_amd_selection *x, tn_amd_operand to, tn_amd_operand from) {
  const tn_amd_operand exec = tn_amd_s(TN_AMD_EXEC, x->l->mask);
  const tn_amd_operand on = tn_amd_new_mask(x->l), off = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64), on, from, exec);
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64), off, to, exec);
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64), to, on, off);
}
static void tn_amd_store_register(tn_amd_selection *x, const tiny_uop *u) {
  const int to = tn_amd_reg_at(x, u->src[0]), n = u->src[1]->lanes;
  const tn_amd_operand first = tn_amd_element(x, u->src[1], 0), last = tn_amd_element(x, u->src[1], n - 1);
  const tn_amd_operand r = x->pool[to];
  const int each = r.dwords;
  if (n > 1 && r.reg == x->pool[to + 1].reg && first.kind == r.kind && first.reg == last.reg && first.dwords == each &&
      last.sub == first.sub + (n - 1) * each) {              // from one tuple to another
    tn_amd_operand all = r, from = first;
    all.dwords = from.dwords = (uint8_t)(each * n);
    tn_amd_copy(x->l, all, from);
    return;
  }
  const int keeps = u->src[1]->dtype == TINY_BOOL && tn_amd_may_be_off(x);
  for (int i = 0; i < n; i++) {
    if (keeps) tn_amd_store_mask(x, x->pool[to + i], tn_amd_element(x, u->src[1], i));
    else tn_amd_copy(x->l, x->pool[to + i], tn_amd_element(x, u->src[1], i));
  }
}
static int tn_amd_atomic_op(int dtype, int way) {            // of memory that is the kernel's, there are none
  const int buffer = way == TN_AMD_BY_BUFFER;
  if (!buffer && way != TN_AMD_BY_WIDE) return 0;
  switch (dtype) {
    case TINY_I32: case TINY_U32: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_U32 : TN_AMD_GLOBAL_ATOMIC_ADD_U32;
    case TINY_I64: case TINY_U64: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_U64 : TN_AMD_GLOBAL_ATOMIC_ADD_U64;
    case TINY_F32: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_F32 : TN_AMD_GLOBAL_ATOMIC_ADD_F32;
    case TINY_F64: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_F64 : TN_AMD_GLOBAL_ATOMIC_ADD_F64;
    default: return 0;
  }
}
// Dwords [at, at + n) of what is stored, in registers beside each other.
static tn_amd_operand tn_amd_stored(tn_amd_selection *x, const tiny_uop *value, const tn_amd_pieces *p, int i) {
  const int wide = tn_amd_bits_of(value->dtype) == 64, n = p->nbytes < 4 ? 1 : p->nbytes / 4;
  if (value->dtype == TINY_BOOL) {
    const tn_amd_operand mask = tn_amd_element(x, value, i);
    if (tn_amd_is_constant(&mask)) return tn_amd_in_vgprs(x->l, tn_amd_int(mask.value != 0));
    return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, tn_amd_int(0), tn_amd_int(1), mask);
  }
  if (n == 1) return tn_amd_as_v(x, p->words ? tn_amd_bits_at(x, value, i) : tn_amd_element(x, value, i));
  if (wide && n == 2) return tn_amd_as_v(x, tn_amd_element(x, value, i));
  tn_amd_operand first = tn_amd_bits_at(x, value, i * n);
  int beside = first.kind == TN_AMD_VGPR;
  for (int j = 1; j < n && beside; j++) {
    const tn_amd_operand o = tn_amd_bits_at(x, value, i * n + j);
    beside = o.kind == TN_AMD_VGPR && o.reg == first.reg && o.sub == first.sub + j;
  }
  if (beside) { first.dwords = (uint8_t)n; return first; }
  const tn_amd_operand to = tn_amd_new_v(x->l, n);
  for (int j = 0; j < n; j++) tn_amd_copy(x->l, tn_amd_slice(to, j, 1), tn_amd_bits_at(x, value, i * n + j));
  return to;
}
static void tn_amd_store(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1], *m = tn_memory_behind(index->src[0]);
  const tn_amd_pieces p = tn_amd_pieces_of(x, index, value);
  tn_amd_address a = tn_amd_address_of(x, index);
  tn_amd_operand data[TN_AMD_MOST_PIECES];
  tn_amd_move_scalar(&a);
  for (int i = 0; i < p.n && i < TN_AMD_MOST_PIECES; i++) data[i] = tn_amd_stored(x, value, &p, i);
  tn_amd_make_room(x, m, &a, (int64_t)(p.n - 1) * p.nbytes);
  const tn_amd_operand kept = tn_amd_mask_access(x, index, &a);
  const int way = tn_amd_way(m, &a), adds = u->k == TN_ADDS;
  const int op = adds ? tn_amd_atomic_op(value->dtype, way) : tn_amd_store_op(way, p.nbytes);
  if (!op || p.n > TN_AMD_MOST_PIECES || (adds && p.n > 1)) { tn_amd_refuse_node(x, u); return; }
  for (int i = 0; i < p.n; i++) tn_amd_put_access(x, op, index, &a, (int64_t)i * p.nbytes, data[i], 1);
  tn_amd_unmask(x, kept);
}
#endif
// ---- end src/amd/../isa/amd_loads.c ----
// ---- begin src/amd/../isa/amd_control.c ----
// amd_control: loops, conditions, barriers, and what comes with the launch, on AMD's GPUs.
//
// In:  RANGE, END, IF, ENDIF, BARRIER, SPECIAL, PARAM, ARG, DEFINE. Out: lines and operands of them.
// Holds:
//  - A loop whose bounds are the same for all lanes counts in a scalar register; else lanes leave it one by one, and
//    EXEC says which are still in it.
//  - The body of a short innermost loop stands there several times (copies), as many as divide its iterations.
//  - Registers at the start: s[0:1] the address of the parameters, then the group's numbers (gfx12: ttmp9, ttmp7), v0
//    an item's numbers, 10 bits each. Parameters are as lang_cuda.c has them: 128 words, PARAM k the k-th, ARG k the
//    k-th from the end.
// Source: LLVM, User Guide for AMDGPU Backend: "Initial Kernel Execution State". Words 2 and 3 of a raw buffer's
// descriptor: AMD's ISA guides (amd.c), "Buffer Resource Descriptor".
#ifndef TN_ISA_AMD_CONTROL
#define TN_ISA_AMD_CONTROL
#ifndef TINY_AMALGAMATED
#include "amd_loads.c"
#endif

enum { TN_AMD_WORDS_OF_CALL = 128 };
// An IF's body, a loop's: lines of both are put behind those around them when they end.
static void tn_amd_open(tn_amd_selection *x, const tiny_uop *u) {
  if (x->depth + 1 == TN_AMD_DEEP) { tn_amd_list_refuse(x->l, "loops that nest so deep"); return; }
  tn_amd_level *const to = &x->level[++x->depth];
  memset(to, 0, sizeof *to);
  to->opened = u; to->serial = ++x->serial;
  to->again = tn_amd_label_new(x->l); to->end = tn_amd_label_new(x->l);
  to->line = (tn_amd_line *)tn_amd_grown_in(x->l, NULL, 0, &to->cap, sizeof *to->line, 1);
  tn_amd_go_to(x, x->depth);
  if (to->line) tn_amd_line_new(x->l, TN_AMD_LINE_LABEL, tn_amd_label_new(x->l));
}
static void tn_amd_close(tn_amd_selection *x) {
  const tn_amd_line *const line = x->l->line;
  const int n = x->l->n;
  x->depth--;
  tn_amd_go_to(x, x->depth);
  for (int i = 0; i < n && !x->l->refused; i++) tn_amd_line_again(x->l, &line[i]);
}

static tn_amd_operand tn_amd_exec(const tn_amd_selection *x) { return tn_amd_s(TN_AMD_EXEC, x->l->mask); }
static void tn_amd_put_label(tn_amd_selection *x, int label) { tn_amd_line_new(x->l, TN_AMD_LINE_LABEL, label); }

// ** loops **

enum { TN_AMD_MOST_COPIES = 8, TN_AMD_MOST_COPIED = 128 };
// How often a body of so many nodes stands there.
static int tn_amd_copies_of(const tn_amd_selection *x, int begin, int end) {
  const tiny_uop *u = x->k->list[begin];
  int nodes = 0;
  if (u->nsrc > 1 || u->src[0]->op != TINY_OP_CONST || u->src[0]->k < 2) return 1;
  for (int i = begin + 1; i < end; i++) {
    const tiny_uop *v = x->k->list[i];
    const int op = v->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF || op == TINY_OP_BARRIER || op == TINY_OP_DEFINE) return 1;
    if (x->needed[i]) nodes += op == TINY_OP_WMMA ? 8 : v->op == TINY_OP_LOAD || v->op == TINY_OP_STORE ? 1 : v->lanes;
  }
  for (int n = TN_AMD_MOST_COPIES; n > 1; n--) if (u->src[0]->k % n == 0 && nodes * n <= TN_AMD_MOST_COPIED) return n;
  return 1;
}
// What was reckoned of nodes inside of the loop is that of another copy.
static void tn_amd_forget(tn_amd_selection *x) {
  for (int i = 0; i < TN_AMD_STEPS; i++) {
    const tiny_uop *u = x->step[i].u;
    if (u && u != x->copied && x->inside[u->seq] >= x->depth) x->step[i].serial = 0;
  }
}
static void tn_amd_nodes(tn_amd_selection *x, int from, int to);
// The counter of a copy that is so many iterations ahead.
static tn_amd_operand tn_amd_counted_on(tn_amd_selection *x, tn_amd_operand counter, int by) {
  if (tn_amd_is_constant(&counter)) return tn_amd_int((int32_t)counter.value + by);
  if (counter.dwords == 1) return tn_amd_s2(x, TN_AMD_S_ADD_I32, counter, tn_amd_int(by));
  const tn_amd_operand to = tn_amd_new_s(x->l, 2);
  tn_amd_do3(x->l, TN_AMD_S_ADD_U32, tn_amd_slice(to, 0, 1), tn_amd_slice(counter, 0, 1), tn_amd_int(by));
  tn_amd_do3(x->l, TN_AMD_S_ADDC_U32, tn_amd_slice(to, 1, 1), tn_amd_slice(counter, 1, 1), tn_amd_int(0));
  return to;
}
static void tn_amd_body(tn_amd_selection *x, const tiny_uop *u, int copies, int from, int to) {
  const tiny_uop *const copied = x->copied;
  const int copy = x->copy, at = x->elements[u->seq];
  const tn_amd_operand counter = x->pool[at], outer = x->counter;
  if (copies > 1) { x->copied = u; x->counter = counter; }
  for (int i = 0; i < copies && !x->l->refused; i++) {
    x->copy = i;
    if (i) tn_amd_forget(x);
    if (i) {
      const tn_amd_operand ahead = tn_amd_counted_on(x, counter, i);
      x->pool[at] = ahead;
    }
    tn_amd_nodes(x, from, to);
  }
  x->pool[at] = counter;
  x->copied = copied; x->copy = copy; x->counter = outer;
}
static void tn_amd_count_up(tn_amd_selection *x, const tn_amd_level *l, int copies) {
  const tn_amd_operand end = tn_amd_element(x, l->opened->src[0], 0), low = tn_amd_slice(l->counter, 0, 1);
  if (l->counter.dwords == 1) {
    tn_amd_do3(x->l, TN_AMD_S_ADD_I32, low, low, tn_amd_int(copies));
    tn_amd_do2(x->l, tn_amd_is_signed(l->opened->dtype) ? TN_AMD_S_CMP_LT_I32 : TN_AMD_S_CMP_LT_U32, low, end);
  } else {
    const tn_amd_operand high = tn_amd_slice(l->counter, 1, 1);
    tn_amd_do3(x->l, TN_AMD_S_ADD_U32, low, low, tn_amd_int(copies));
    tn_amd_do3(x->l, TN_AMD_S_ADDC_U32, high, high, tn_amd_int(0));
    tn_amd_do2(x->l, TN_AMD_S_CMP_LG_U64, l->counter, tn_amd_as_s(x, end));
  }
  tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_SCC1, l->again);
}
// SCC: is a below b, of 64 bits? The borrow of a - b; signed ones are moved to where unsigned ones are.
static void tn_amd_compare_wide(tn_amd_selection *x, int is_signed, tn_amd_operand a, tn_amd_operand b) {
  tn_amd_operand high[2] = {tn_amd_slice(a, 1, 1), tn_amd_slice(b, 1, 1)};
  for (int i = 0; i < 2 && is_signed; i++) high[i] = tn_amd_s2(x, TN_AMD_S_XOR_B32, high[i], tn_amd_k32(0x80000000u));
  tn_amd_s2(x, TN_AMD_S_SUB_U32, tn_amd_slice(a, 0, 1), tn_amd_slice(b, 0, 1));
  tn_amd_s2(x, TN_AMD_S_SUBB_U32, high[0], high[1]);
}
// A counter that a register holds, of which copies may be ahead.
static void tn_amd_range_scalar(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand from = u->nsrc > 1 ? tn_amd_element(x, u->src[1], 0) : tn_amd_int(0);
  const int copies = tn_amd_copies_of(x, begin, end), wide = tn_amd_bits_of(u->dtype) == 64;
  const int once = u->nsrc == 1 && u->src[0]->op == TINY_OP_CONST && u->src[0]->k == copies;
  const int runs = u->nsrc == 1 && u->src[0]->vmin > 0 && u->dtype != TINY_U64;
  const int first = x->elements[u->seq] = tn_amd_take(x, 1);
  tn_amd_operand counter = tn_amd_int(0);
  if (!once) {
    counter = tn_amd_new_s(x->l, wide ? 2 : 1);
    if (wide && u->nsrc == 1)
      for (int i = 0; i < 2; i++) tn_amd_copy(x->l, tn_amd_slice(counter, i, 1), tn_amd_int(0));
    else tn_amd_copy(x->l, counter, from);
  }
  if (once && wide) counter = tn_amd_k64(x, 0);
  x->pool[first] = counter;
  tn_amd_open(x, u);
  tn_amd_level *const l = &x->level[x->depth];
  l->counter = counter;
  if (!runs && !once) {
    const tn_amd_operand last = tn_amd_element(x, u->src[0], 0);
    if (wide) tn_amd_compare_wide(x, tn_amd_is_signed(u->dtype), counter, tn_amd_as_s(x, last));
    else tn_amd_do2(x->l, tn_amd_is_signed(u->dtype) ? TN_AMD_S_CMP_LT_I32 : TN_AMD_S_CMP_LT_U32, counter, last);
    tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_SCC0, l->end);
  }
  if (!once) {
    tn_amd_line *const loop = tn_amd_line_new(x->l, TN_AMD_LINE_LOOP, -1);
    if (u->nsrc == 1 && u->src[0]->op == TINY_OP_CONST) loop->times = (int32_t)(u->src[0]->k / copies);
    tn_amd_put_label(x, l->again);
  }
  tn_amd_body(x, u, copies, begin + 1, end);
  if (!once) {
    tn_amd_count_up(x, l, copies);
    tn_amd_line_new(x->l, TN_AMD_LINE_LOOP_END, -1);
    tn_amd_put_label(x, l->end);
  }
  tn_amd_close(x);
}
// Lanes leave the loop one by one.
static void tn_amd_range_vector(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand from = u->nsrc > 1 ? tn_amd_element(x, u->src[1], 0) : tn_amd_int(0);
  const tn_amd_operand counter = tn_amd_new_v(x->l, 1), kept = tn_amd_new_mask(x->l), mask = tn_amd_new_mask(x->l);
  const int mov = tn_amd_scalar_op(x, TN_AMD_S_MOV_B32, TN_AMD_S_MOV_B64), first = tn_amd_take(x, 1);
  x->elements[u->seq] = first;
  x->pool[first] = counter;
  if (tn_amd_bits_of(u->dtype) == 64) { tn_amd_refuse_node(x, u); return; }
  tn_amd_copy(x->l, counter, from);
  tn_amd_open(x, u);
  tn_amd_level *const l = &x->level[x->depth];
  tn_amd_do2(x->l, mov, kept, tn_amd_exec(x));
  tn_amd_line_new(x->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_put_label(x, l->again);
  tn_amd_do3(x->l, tn_amd_is_signed(u->dtype) ? TN_AMD_V_CMP_LT_I32 : TN_AMD_V_CMP_LT_U32, mask, counter,
             tn_amd_element(x, u->src[0], 0));
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64), tn_amd_exec(x), tn_amd_exec(x), mask);
  tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_EXECZ, l->end);
  tn_amd_body(x, u, 1, begin + 1, end);
  tn_amd_do3(x->l, TN_AMD_V_ADD_NC_U32, counter, tn_amd_int(1), counter);
  tn_amd_branch_to(x->l, TN_AMD_S_BRANCH, l->again);
  tn_amd_line_new(x->l, TN_AMD_LINE_LOOP_END, -1);
  tn_amd_put_label(x, l->end);
  tn_amd_do2(x->l, mov, tn_amd_exec(x), kept);
  tn_amd_close(x);
}
static void tn_amd_range(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand last = tn_amd_element(x, u->src[0], 0);
  const tn_amd_operand from = u->nsrc > 1 ? tn_amd_element(x, u->src[1], 0) : tn_amd_int(0);
  if (tn_amd_is_uniform(&last) && tn_amd_is_uniform(&from)) tn_amd_range_scalar(x, u, begin, end);
  else tn_amd_range_vector(x, u, begin, end);
}

// ** conditions and barriers **

static void tn_amd_if(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand on = tn_amd_element(x, u->src[0], 0), kept = tn_amd_new_mask(x->l);
  if (tn_amd_is_constant(&on) && !on.value) return;
  tn_amd_open(x, u);
  tn_amd_level *const l = &x->level[x->depth];
  l->kept = kept;
  const int branches = !tn_amd_is_constant(&on);
  if (branches) {
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_SAVEEXEC_B32, TN_AMD_S_AND_SAVEEXEC_B64), kept, on);
    tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_EXECZ, l->end);
  }
  tn_amd_nodes(x, begin + 1, end);
  if (branches) {
    tn_amd_put_label(x, l->end);
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_MOV_B32, TN_AMD_S_MOV_B64), tn_amd_exec(x), kept);
  }
  tn_amd_close(x);
}
static void tn_amd_barrier(tn_amd_selection *x) {
  if (x->family != TN_AMD_GFX12) { tn_amd_do0(x->l, TN_AMD_S_BARRIER); return; }
  tn_amd_do1(x->l, TN_AMD_S_BARRIER_SIGNAL, tn_amd_int(-1));
  tn_amd_do1(x->l, TN_AMD_S_BARRIER_WAIT, tn_amd_imm(-1));
}

// ** what comes with the launch **

static tn_amd_operand tn_amd_launched(tn_amd_selection *x, int kind, int reg, int dwords) {
  const tn_amd_operand o = tn_amd_new(x->l, kind, dwords);
  x->l->vreg[o.reg - TN_AMD_VIRTUAL].fixed = (int16_t)reg;
  return o;
}
static void tn_amd_load_word(tn_amd_selection *x, tn_amd_operand to, int64_t word) {
  tn_amd_line *const line = tn_amd_do3(x->l, to.dwords == 2 ? TN_AMD_S_LOAD_B64 : TN_AMD_S_LOAD_B32, to, x->args,
                                       tn_amd_off());
  line->ins.m[TN_AMD_OFFSET] = (int32_t)(8 * word);
}
static uint32_t tn_amd_raw_buffer(int family) { return family == TN_AMD_GFX9 ? 0x00020000u : 0x31004000u; }
// Its address; or a buffer of 2 GiB there: nothing that is valid is beyond its bounds.
static void tn_amd_parameter(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, 1);
  const tn_amd_operand to = tn_amd_new_s(x->l, x->buffer[u->seq] ? 4 : 2);
  tn_amd_load_word(x, tn_amd_slice(to, 0, 2), u->k);
  x->pool[first] = to;
  if (!x->buffer[u->seq]) return;
  tn_amd_copy(x->l, tn_amd_slice(to, 2, 1), tn_amd_k32(0x80000000u));
  tn_amd_copy(x->l, tn_amd_slice(to, 3, 1), tn_amd_k32(tn_amd_raw_buffer(x->family)));
}
static void tn_amd_argument(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, 1), bits = tn_amd_bits_of(u->dtype);
  tn_amd_operand o = tn_amd_new_s(x->l, bits == 64 ? 2 : 1);
  tn_amd_load_word(x, o, TN_AMD_WORDS_OF_CALL - 1 - u->k);
  if (u->dtype == TINY_BOOL) {
    const tn_amd_operand mask = tn_amd_new_mask(x->l), low = tn_amd_s2(x, TN_AMD_S_AND_B32, o, tn_amd_int(1));
    tn_amd_do2(x->l, TN_AMD_S_CMP_LG_U32, low, tn_amd_int(0));
    tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_CSELECT_B32, TN_AMD_S_CSELECT_B64), mask, tn_amd_int(-1),
               tn_amd_int(0));
    o = mask;
  } else if (bits < 32 && !tn_amd_is_float(u->dtype))
    o = tn_amd_s2(x, tn_amd_is_signed(u->dtype) ? TN_AMD_S_BFE_I32 : TN_AMD_S_BFE_U32, o,
                  tn_amd_k32((uint32_t)bits << 16));
  x->pool[first] = o;
}
static tn_amd_operand tn_amd_item_of(tn_amd_selection *x, int dim) {
  const int64_t *n = x->k->local;
  if (n[dim] == 1) return tn_amd_int(0);
  if (n[0] * n[1] * n[2] == n[dim] && dim == 0) return x->item;
  return tn_amd_v3(x, TN_AMD_V_BFE_U32, x->item, tn_amd_int(10 * dim), tn_amd_int(10));
}
static void tn_amd_special(tn_amd_selection *x, const tiny_uop *u) {
  const int dim = (int)(u->k & 15), first = x->elements[u->seq] = tn_amd_take(x, 1);
  tn_amd_operand o = u->k & 16 ? tn_amd_item_of(x, dim) : x->group[dim];
  if (tn_amd_bits_of(u->dtype) == 64) {
    const tn_amd_operand pair = tn_amd_is_uniform(&o) ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
    tn_amd_copy(x->l, tn_amd_slice(pair, 0, 1), o);
    tn_amd_copy(x->l, tn_amd_slice(pair, 1, 1), tn_amd_int(0));
    o = pair;
  }
  x->pool[first] = o;
}
// Which of the group's numbers the kernel reads; where they are.
static void tn_amd_begin(tn_amd_selection *x) {
  tn_amd_setup *const s = &x->l->setup;
  int64_t params = 0, args = 0;
  int ids = 0;
  x->args = tn_amd_launched(x, TN_AMD_SGPR, 0, 2);
  x->item = tn_amd_launched(x, TN_AMD_VGPR, 0, 1);
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_SPECIAL && x->needed[i] && !(u->k & 16)) ids |= 1 << (u->k & 15);
    if (u->op == TINY_OP_PARAM && u->k >= params) params = u->k + 1;
    if (u->op == TINY_OP_ARG && u->k >= args) args = u->k + 1;
  }
  if (params + args > TN_AMD_WORDS_OF_CALL) tn_amd_list_refuse(x->l, "more parameters than a call has");
  s->from = TN_AMD_FROM_ARGS; s->user_sgprs = 2; s->ids = (uint8_t)ids;
  s->args_nbytes = 8 * TN_AMD_WORDS_OF_CALL;
  s->lanes = (uint8_t)(x->k->local[2] > 1 ? 3 : x->k->local[1] > 1 ? 2 : 1);
  for (int dim = 0, reg = 2; dim < 3; dim++) {
    if (!(ids >> dim & 1)) continue;
    if (x->family != TN_AMD_GFX12) { x->group[dim] = tn_amd_launched(x, TN_AMD_SGPR, reg++, 1); continue; }
    const tn_amd_operand at = tn_amd_s(TN_AMD_TTMP + (dim ? 7 : 9), 1);
    const tn_amd_operand field = tn_amd_k32(dim == 1 ? 16u << 16 : 16u << 16 | 16u);
    if (dim) x->group[dim] = tn_amd_s2(x, TN_AMD_S_BFE_U32, at, field);
    else { x->group[0] = tn_amd_new_s(x->l, 1); tn_amd_copy(x->l, x->group[0], at); }
  }
}
// REG memory whose elements are known lies in registers: where products of matrices are kept, each in one tuple.
static void tn_amd_define(tn_amd_selection *x, const tiny_uop *u) {
  const int each = tn_amd_element_dwords(x, u->dtype), n = (int)u->v[1] * u->lanes;
  const int kind = u->dtype == TINY_BOOL ? TN_AMD_SGPR : TN_AMD_VGPR, tuple = x->tuple[u->seq];
  if (u->v[0] == TN_SPACE_REG && x->place[u->seq] < 0) {
    const int first = x->elements[u->seq] = tn_amd_take(x, n);
    tn_amd_operand all = tn_amd_no_sum();
    for (int i = 0; i < n && !x->l->refused; i++) {
      if (tuple && i % u->lanes == 0) all = tn_amd_new(x->l, kind, each * u->lanes);
      const tn_amd_operand one = tuple ? tn_amd_slice(all, i % u->lanes * each, each) : tn_amd_new(x->l, kind, each);
      x->pool[first + i] = one;
    }
    return;
  }
  const int64_t nbytes = (u->v[1] * tn_amd_nbytes(u) + 15) / 16 * 16;
  int64_t *const at = u->v[0] == TN_SPACE_REG ? &x->scratch : &x->lds;
  x->place[u->seq] = *at;
  *at += nbytes;
}
#endif
// ---- end src/amd/../isa/amd_control.c ----
// ---- begin src/amd/../isa/amd_select.c ----
// amd_select: the list of a kernel -> machine instructions of an AMD GPU with virtual registers.
//
// In:       the list of a lowered kernel, verified, of what amd_abilities.c says can be done. Out: a tn_amd_list.
// Requires: nodes stand behind their sources; loops and IFs nest.
// Holds:    a node is done once, where it stands; but for copies of iterations, and sums of addresses, which stand as
//           far outside as they can. Vectors of elements are an instruction each, but for what amd_pairs.c has.
#ifndef TN_ISA_AMD_SELECT
#define TN_ISA_AMD_SELECT
#ifndef TINY_AMALGAMATED
#include "amd_control.c"
#endif

// ** vectors **

static void tn_amd_pool_put(tn_amd_selection *x, int at, tn_amd_operand o) { x->pool[at] = o; }
static void tn_amd_pick(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (x->elements[s->seq] >= 0) x->elements[u->seq] = x->elements[s->seq] + (s->lanes > 1 ? (int)u->k : 0);
  if (x->words[s->seq] >= 0 && u->lanes > 1 && tn_amd_packs(u) && u->k * tn_amd_bits_of(u->dtype) % 32 == 0)
    x->words[u->seq] = x->words[s->seq] + (int)u->k * tn_amd_bits_of(u->dtype) / 32;
}
static void tn_amd_stack(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes), all = u->op != TINY_OP_STACK;
  for (int n = 0; all && n < u->lanes; n++)
    tn_amd_pool_put(x, first + n, u->op == TINY_OP_LANE ? tn_amd_int(n) :
                                                          tn_amd_element(x, u->src[0], n % u->src[0]->lanes));
  for (int n = 0, j = 0; !all && j < (int)u->nsrc; j++)
    for (int i = 0; i < u->src[j]->lanes && n < u->lanes; i++)
      tn_amd_pool_put(x, first + n++, tn_amd_element(x, u->src[j], i));
}
// Words of another width are the same words.
static void tn_amd_bitcast(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int wide = tn_amd_bits_of(u->dtype) == 64;
  if (s->lanes == u->lanes && !(tn_amd_packs(u) && x->words[s->seq] >= 0 && x->elements[s->seq] < 0)) {
    const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) {
      const tn_amd_operand o = tn_amd_element(x, s, i);
      tn_amd_pool_put(x, first + i, tn_amd_alu(x, u, &o));
    }
    return;
  }
  if (tn_amd_packs(u) && tn_amd_packs(s)) { x->words[u->seq] = x->words[s->seq]; return; }
  const int n = tn_amd_nwords(u), words = tn_amd_take(x, n);
  for (int i = 0; i < n; i++) tn_amd_pool_put(x, words + i, tn_amd_bits_at(x, s, i));
  if (tn_amd_packs(u)) { x->words[u->seq] = words; return; }
  if (!wide) { x->elements[u->seq] = words; return; }
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes; i++) {
    const tn_amd_operand pair = tn_amd_new_v(x->l, 2);
    for (int j = 0; j < 2; j++) tn_amd_copy(x->l, tn_amd_slice(pair, j, 1), x->pool[words + 2 * i + j]);
    tn_amd_pool_put(x, first + i, pair);
  }
}
static void tn_amd_elementwise(tn_amd_selection *x, const tiny_uop *u) {
  if (tn_amd_alu_words(x, u)) return;
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->l->refused; i++) {
    tn_amd_pool_put(x, first + i, tn_amd_alu_at(x, u, i));
  }
}
static void tn_amd_constants(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  const tn_amd_operand o = tn_amd_constant(x, u->dtype, u->k);
  for (int i = 0; i < u->lanes; i++) tn_amd_pool_put(x, first + i, o);
}

// ** what lanes of a wave do together **

enum { TN_AMD_ROW_XMASK = 0x160, TN_AMD_ROW_MIRROR = 0x140, TN_AMD_HALF_MIRROR = 0x141, TN_AMD_QUAD_PERM = 0 };
static int tn_amd_quad_perm(int64_t mask) {                  // lane i of four has that of i ^ mask
  int control = TN_AMD_QUAD_PERM;
  for (int i = 0; i < 4; i++) control |= (int)((i ^ mask) & 3) << 2 * i;
  return control;
}
static tn_amd_operand tn_amd_lanes_moved(tn_amd_selection *x, tn_amd_operand from, int control) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_line *const line = tn_amd_do2(x->l, TN_AMD_V_MOV_B32, d, from);
  line->ins.lanes = TN_AMD_DPP16;
  line->ins.m[TN_AMD_DPP_CTRL] = control;
  line->ins.m[TN_AMD_ROW_MASK] = line->ins.m[TN_AMD_BANK_MASK] = 15;
  line->ins.m[TN_AMD_BOUND_CTRL] = 1;
  return d;
}
// Within 16 lanes of gfx9: 15 - i is i ^ 15, of eight lanes 7 - i is i ^ 7.
static tn_amd_operand tn_amd_exchanged_by_mirrors(tn_amd_selection *x, tn_amd_operand o, int64_t mask) {
  if (mask & 8) { o = tn_amd_lanes_moved(x, o, TN_AMD_ROW_MIRROR); mask ^= 15; }
  if (mask & 4) { o = tn_amd_lanes_moved(x, o, TN_AMD_HALF_MIRROR); mask ^= 7; }
  return mask ? tn_amd_lanes_moved(x, o, tn_amd_quad_perm(mask)) : o;
}
// With the other 16 lanes of gfx11 and gfx12: which of them, four bits a lane.
static tn_amd_operand tn_amd_exchanged_rows(tn_amd_selection *x, tn_amd_operand from, int64_t mask) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  uint32_t lanes[2] = {0, 0};
  for (uint32_t i = 0; i < 16; i++) lanes[i / 8] |= ((i ^ (uint32_t)mask) & 15) << 4 * (i % 8);
  const tn_amd_operand low = tn_amd_constant_in(x->l, TN_AMD_SGPR, tn_amd_k32(lanes[0])),
                       high = tn_amd_constant_in(x->l, TN_AMD_SGPR, tn_amd_k32(lanes[1]));
  tn_amd_line *const line = tn_amd_do4(x->l, TN_AMD_V_PERMLANEX16_B32, d, from, low, high);
  line->ins.o[2].op_sel = 1;               // lanes that are off give 0
  return d;
}
// Dword of the lane whose number is this one's ^ mask. Within 16 lanes by DPP; within 32 by another instruction, gfx9:
// ds_swizzle; else by what is at four times a lane's number.
static tn_amd_operand tn_amd_exchanged(tn_amd_selection *x, tn_amd_operand o, int64_t mask) {
  const tn_amd_operand from = tn_amd_as_v(x, o);
  const int nine = x->family == TN_AMD_GFX9;
  if (mask < 16 && nine) return tn_amd_exchanged_by_mirrors(x, from, mask);
  if (mask < 16) return tn_amd_lanes_moved(x, from, mask < 4 ? tn_amd_quad_perm(mask) : TN_AMD_ROW_XMASK + (int)mask);
  if (mask < 32 && !nine) return tn_amd_exchanged_rows(x, from, mask);
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  if (mask < 32) {
    tn_amd_line *const line = tn_amd_do2(x->l, TN_AMD_DS_SWIZZLE_B32, d, from);
    line->ins.m[TN_AMD_OFFSET] = (int32_t)mask << 10 | 0x1F;  // and_mask 31, or_mask 0, xor_mask
  } else {
    const tn_amd_operand lo = tn_amd_v2(x, TN_AMD_V_MBCNT_LO_U32_B32, tn_amd_int(-1), tn_amd_int(0));
    const tn_amd_operand lane = tn_amd_v2(x, TN_AMD_V_MBCNT_HI_U32_B32, tn_amd_int(-1), lo);
    const tn_amd_operand at = tn_amd_v2(x, TN_AMD_V_XOR_B32, tn_amd_k32((uint32_t)mask), lane);
    tn_amd_do3(x->l, TN_AMD_DS_BPERMUTE_B32, d, tn_amd_v2(x, TN_AMD_V_LSHLREV_B32, tn_amd_int(2), at), from);
  }
  return d;
}
static void tn_amd_shuffle(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, 1), wide = tn_amd_bits_of(u->dtype) == 64;
  tn_amd_operand o = tn_amd_element(x, u->src[0], 0);
  if (u->dtype == TINY_BOOL) {
    const tn_amd_operand mask = tn_amd_new_mask(x->l);
    o = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, tn_amd_int(0), tn_amd_int(1), o);
    o = tn_amd_exchanged(x, o, u->k);
    tn_amd_do3(x->l, TN_AMD_V_CMP_NE_U32, mask, tn_amd_int(0), o);
    o = mask;
  } else if (wide) {
    const tn_amd_operand pair = tn_amd_new_v(x->l, 2);
    for (int i = 0; i < 2; i++)
      tn_amd_copy(x->l, tn_amd_slice(pair, i, 1), tn_amd_exchanged(x, tn_amd_slice(o, i, 1), u->k));
    o = pair;
  } else o = tn_amd_exchanged(x, o, u->k);
  tn_amd_pool_put(x, first, o);
}

// Units of waves by the names that WMMAs have (tiny_warp_units): dwords of what a lane holds of a, b and c.
static const struct { char name[24]; uint16_t op; uint8_t a, b, c, integers; } tn_amd_units[] = {
  {"gfx11_16x16x16_f16", TN_AMD_V_WMMA_F32_16X16X16_F16, 8, 8, 8, 0},
  {"gfx11_16x16x16_bf16", TN_AMD_V_WMMA_F32_16X16X16_BF16, 8, 8, 8, 0},
  {"gfx11_16x16x16_i8", TN_AMD_V_WMMA_I32_16X16X16_IU8, 4, 4, 8, 1},
  {"gfx12_16x16x16_f16", TN_AMD_V_WMMA_F32_16X16X16_F16, 4, 4, 8, 0},
  {"gfx12_16x16x16_bf16", TN_AMD_V_WMMA_F32_16X16X16_BF16, 4, 4, 8, 0},
  {"gfx12_16x16x16_i8", TN_AMD_V_WMMA_I32_16X16X16_IU8, 2, 2, 8, 1},
  {"gfx12_16x16x16_e4m3", TN_AMD_V_WMMA_F32_16X16X16_FP8_FP8, 2, 2, 8, 0},
  {"gfx12_16x16x16_e5m2", TN_AMD_V_WMMA_F32_16X16X16_BF8_BF8, 2, 2, 8, 0},
  {"gfx942_16x16x16_f16", TN_AMD_V_MFMA_F32_16X16X16_F16, 2, 2, 4, 0},
  {"gfx942_16x16x16_bf16", TN_AMD_V_MFMA_F32_16X16X16_BF16, 2, 2, 4, 0},
  {"gfx942_16x16x32_i8", TN_AMD_V_MFMA_I32_16X16X32_I8, 2, 2, 4, 0}
};
static int tn_amd_unit_of(const tiny_uop *u) {               // -1: it is none of them
  int n;
  const tiny_warp_unit *first = tiny_warp_units("sm_75", &n), *unit = first + (u->k >> TN_WMMA_UNIT) - 1;
  for (int i = 0; first && i < (int)(sizeof tn_amd_units / sizeof *tn_amd_units); i++)
    if (!strcmp(tn_amd_units[i].name, unit->name)) return i;
  return -1;
}
// n dwords of a node in registers beside each other.
static tn_amd_operand tn_amd_tuple_of(tn_amd_selection *x, const tiny_uop *u, int n) {
  tn_amd_operand first = tn_amd_bits_at(x, u, 0);
  int beside = first.kind == TN_AMD_VGPR;
  for (int i = 1; i < n && beside; i++) {
    const tn_amd_operand o = tn_amd_bits_at(x, u, i);
    beside = o.kind == first.kind && o.reg == first.reg && o.sub == first.sub + i;
  }
  if (beside) { first.dwords = (uint8_t)n; return first; }
  const tn_amd_operand to = tn_amd_new_v(x->l, n);
  for (int i = 0; i < n; i++) tn_amd_copy(x->l, tn_amd_slice(to, i, 1), tn_amd_bits_at(x, u, i));
  return to;
}
static void tn_amd_matrix(tn_amd_selection *x, const tiny_uop *u) {
  const int which = tn_amd_unit_of(u);
  if (which < 0 || u->lanes != tn_amd_units[which].c) { tn_amd_refuse_node(x, u); return; }
  tn_amd_operand a = tn_amd_tuple_of(x, u->src[0], tn_amd_units[which].a),
                 b = tn_amd_tuple_of(x, u->src[1], tn_amd_units[which].b);
  const tn_amd_operand c = tn_amd_tuple_of(x, u->src[2], u->lanes), d = tn_amd_new_v(x->l, u->lanes);
  if (tn_amd_units[which].integers) a.neg = b.neg = 1;       // they have signs
  tn_amd_do4(x->l, tn_amd_units[which].op, d, a, b, c);
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes; i++) tn_amd_pool_put(x, first + i, tn_amd_slice(d, i, 1));
}

// ** nodes **

static void tn_amd_select_node(tn_amd_selection *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_PARAM: tn_amd_parameter(x, u); return;
    case TINY_OP_ARG: tn_amd_argument(x, u); return;
    case TINY_OP_CONST: tn_amd_constants(x, u); return;
    case TINY_OP_SPECIAL: tn_amd_special(x, u); return;
    case TINY_OP_DEFINE: tn_amd_define(x, u); return;
    case TINY_OP_AFTER:
      x->elements[u->seq] = x->elements[u->src[0]->seq];
      x->words[u->seq] = x->words[u->src[0]->seq];
      return;
    case TINY_OP_LOAD:
      if (u->k) tn_amd_refuse_node(x, u);
      else if (tn_amd_in_registers(x, u->src[0])) tn_amd_load_register(x, u);
      else tn_amd_load(x, u);
      return;
    case TINY_OP_STORE:
      if (tn_amd_in_registers(x, u->src[0])) tn_amd_store_register(x, u);
      else tn_amd_store(x, u);
      return;
    case TINY_OP_PICK: tn_amd_pick(x, u); return;
    case TINY_OP_LANE: case TINY_OP_BROADCAST: case TINY_OP_STACK: tn_amd_stack(x, u); return;
    case TINY_OP_SHUFFLE: tn_amd_shuffle(x, u); return;
    case TINY_OP_WMMA: tn_amd_matrix(x, u); return;
    case TINY_OP_BITCAST: tn_amd_bitcast(x, u); return;
    case TINY_OP_PREFETCH: return;
    default: tn_amd_elementwise(x, u);
  }
}
// [from, to) of the list.
static void tn_amd_nodes(tn_amd_selection *x, int from, int to) {
  for (int i = from; i < to && !x->l->refused; i++) {
    const tiny_uop *u = x->k->list[i];
    switch (u->op) {
      case TINY_OP_RANGE: tn_amd_range(x, u, i, x->ends[i]); i = x->ends[i]; continue;
      case TINY_OP_IF: tn_amd_if(x, u, i, x->ends[i]); i = x->ends[i]; continue;
      case TINY_OP_BARRIER: tn_amd_barrier(x); continue;
      case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_END: case TINY_OP_ENDIF: continue;
      default: break;
    }
    if (!x->needed[i]) continue;
    x->elements[i] = x->words[i] = -1;
    tn_amd_select_node(x, u);
    if (u->dtype != TINY_VOID && u->op != TINY_OP_DEFINE && u->op != TINY_OP_AFTER) tn_amd_complete(x, u);
  }
}

// ** what is to be known before **

static void tn_amd_survey_places(tn_amd_selection *x) {
  int open[TN_AMD_DEEP], depth = 0;
  for (int i = 0; i < x->k->n && depth < TN_AMD_DEEP - 1; i++) {
    tiny_uop *u = x->k->list[i];
    u->seq = (uint32_t)i;
    x->elements[i] = x->words[i] = -1;
    x->place[i] = -1;
    x->zeros[i] = (uint8_t)tn_low_zeros(u, x->zeros);
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) x->ends[open[depth--]] = i;
    x->inside[i] = (uint8_t)depth;
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_IF) open[++depth] = i;
    if (u->op == TINY_OP_RANGE) x->inside[i] = (uint8_t)depth;
    if (u->op == TINY_OP_STORE) x->written[tn_memory_behind(u->src[0]->src[0])->seq] = 1;
    if (u->op == TINY_OP_INDEX && tn_is_reg(u->src[0]) && u->src[1]->op != TINY_OP_CONST)
      x->place[tn_memory_behind(u->src[0])->seq] = 0;
  }
  if (depth) tn_amd_list_refuse(x->l, "loops that nest so deep");
}
// Where an access may not be done, goes on with a loop, or adds, a buffer's descriptor is worth its four registers.
static void tn_amd_survey_buffer(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *index = u->op == TINY_OP_STORE || u->op == TINY_OP_LOAD ? u->src[0] : NULL;
  if (!index || index->op != TINY_OP_INDEX) return;
  const int loops = x->inside[index->src[1]->seq] > 0 || x->inside[u->seq] > 0;
  if (index->nsrc == 3 || loops || (u->op == TINY_OP_STORE && u->k == TN_ADDS))
    x->buffer[tn_memory_behind(index->src[0])->seq] = 1;
}
static void tn_amd_need_sum(tn_amd_selection *x, const tiny_uop *u, int depth) {
  const int op = u->op;
  x->needed[u->seq] = 1;
  if (depth < 2 * TN_AMD_TERMS && (op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_SHL ||
                                   op == TINY_OP_CAST))
    for (uint32_t j = 0; j < u->nsrc; j++) tn_amd_need_sum(x, u->src[j], depth + 1);
}
// Whether u wants words of its source j, or elements.
static int tn_amd_wanted(const tn_amd_selection *x, const tiny_uop *u, uint32_t j) {
  const tiny_uop *s = u->src[j];
  const int as_u = x->wants[u->seq];
  switch (u->op) {
    case TINY_OP_AFTER: return as_u;
    case TINY_OP_WMMA: return TN_AMD_WORDS;
    case TINY_OP_BITCAST: return tn_amd_packs(u) ? as_u : u->lanes == s->lanes ? TN_AMD_ELEMENTS : TN_AMD_WORDS;
    case TINY_OP_PICK:
      return u->lanes > 1 && u->k * tn_amd_bits_of(s->dtype) % 32 == 0 && tn_amd_packs(u) ? as_u : TN_AMD_ELEMENTS;
    case TINY_OP_LOAD: return tn_amd_pieces_of(x, u->src[0], u).words ? TN_AMD_WORDS : TN_AMD_ELEMENTS;
    case TINY_OP_STORE:
      return !tn_amd_in_registers(x, u->src[0]) && tn_amd_pieces_of(x, u->src[0], s).words ? TN_AMD_WORDS :
                                                                                              TN_AMD_ELEMENTS;
    default: return tn_amd_packs(s) && tn_amd_takes_words(x, u) ? TN_AMD_WORDS : TN_AMD_ELEMENTS;
  }
}
static void tn_amd_survey(tn_amd_selection *x) {
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op;
    if (op == TINY_OP_STORE || op == TINY_OP_RANGE || op == TINY_OP_IF) x->needed[i] = 1;
    if (op == TINY_OP_WMMA && u->src[2]->op == TINY_OP_LOAD && tn_is_reg(u->src[2]->src[0]->src[0]))
      x->tuple[tn_memory_behind(u->src[2]->src[0]->src[0])->seq] = 1;
    if (op == TINY_OP_DEFINE && tn_amd_keeps_pairs(x, u)) x->tuple[i] = 1;
    if (!x->needed[i] || op == TINY_OP_GROUP) continue;
    tn_amd_survey_buffer(x, u);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = u->src[j];
      if (op == TINY_OP_INDEX && j == 1) { tn_amd_need_sum(x, s, 0); continue; }
      x->needed[s->seq] = 1;
      if (s->lanes > 1) x->wants[s->seq] |= (uint8_t)tn_amd_wanted(x, u, j);
    }
  }
}
static int tn_amd_tables(tn_amd_selection *x) {
  const size_t n = (size_t)x->k->n + 1;
  x->elements = (int *)tn_amd_room(x->l, n, sizeof(int));
  x->words = (int *)tn_amd_room(x->l, n, sizeof(int));
  x->ends = (int *)tn_amd_room(x->l, n, sizeof(int));
  x->place = (int64_t *)tn_amd_room(x->l, n, sizeof(int64_t));
  x->wants = (uint8_t *)tn_amd_room(x->l, 8 * n, 1);
  x->step = (struct tn_amd_step *)tn_amd_room(x->l, TN_AMD_STEPS, sizeof *x->step);
  x->level = (struct tn_amd_level *)tn_amd_room(x->l, TN_AMD_DEEP, sizeof *x->level);
  if (!x->elements || !x->words || !x->ends || !x->place || !x->wants || !x->step || !x->level) return 0;
  x->needed = x->wants + n; x->zeros = x->needed + n; x->written = x->zeros + n; x->inside = x->written + n;
  x->tuple = x->inside + n; x->uses = x->tuple + n; x->buffer = x->uses + n;
  return 1;
}
// Bytes that a group has, and that an item is given: gfx9's waves of 64 have 8 MiB at most, spilled registers with it.
enum { TN_AMD_MOST_LDS = 1 << 16, TN_AMD_MOST_SCRATCH = 1 << 16 };
// The whole list, to l, which is open.
static void tn_amd_select_list(tn_amd_list *l, const tiny_listing *k) {
  tn_amd_selection x;
  memset(&x, 0, sizeof x);
  x.t = l->t; x.k = k; x.l = l; x.family = l->family;
  l->items = (int)(k->local[0] * k->local[1] * k->local[2]);
  if (!tn_amd_tables(&x)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  x.level[0].serial = ++x.serial;
  tn_amd_survey_places(&x);
  if (l->refused) return;
  tn_amd_survey(&x);
  tn_amd_count_uses(&x);
  tn_amd_begin(&x);
  tn_amd_nodes(&x, 0, k->n);
  if (x.lds > TN_AMD_MOST_LDS) tn_amd_list_refuse(l, "LOCAL memory beyond 64 KiB");
  if (x.scratch > TN_AMD_MOST_SCRATCH) tn_amd_list_refuse(l, "REG memory beyond 64 KiB");
  if (l->refused) return;
  l->setup.lds = (uint32_t)x.lds; l->setup.scratch = (uint32_t)x.scratch;
}
#endif
// ---- end src/amd/../isa/amd_select.c ----
// what nobody reads, loads for the next iteration, order
// ---- begin src/amd/../isa/amd_dead.c ----
// amd_dead: lines whose results nobody reads are left out.
//
// In:  a list of virtual registers. Out: the same, without lines that only compute what is not read.
// Holds: a line stays that writes memory, or a register of the processor; that somebody behind it reads SCC of, too.
#ifndef TN_ISA_AMD_DEAD
#define TN_ISA_AMD_DEAD
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

// Does it but compute, or load, what it names?
static int tn_amd_only_gives(const tn_amd_line *line) {
  switch (tn_amd_unit(line)) {
    case TN_AMD_U_SALU: case TN_AMD_U_SMEM: case TN_AMD_U_VALU: case TN_AMD_U_TRANS: case TN_AMD_U_MATRIX: return 1;
    case TN_AMD_U_LDS: case TN_AMD_U_VMEM:
      return tn_amd_is_named(&line->ins, "load") || tn_amd_is_named(&line->ins, "_read") ||
          line->ins.op == TN_AMD_DS_SWIZZLE_B32 || line->ins.op == TN_AMD_DS_BPERMUTE_B32;
    default: return 0;
  }
}
// scc: does somebody read it behind the line? *live: how often each virtual register is read by lines that stay.
static int tn_amd_is_dead(const tn_amd_line *line, const tn_amd_uses *u, const int *live, int scc) {
  int writes = 0;
  if (!tn_amd_only_gives(line) || tn_amd_stands(line)) return 0;
  for (int i = 0; i < u->n; i++) {
    if (!(u->of[i].role & TN_AMD_WRITES)) continue;
    writes = 1;
    if (u->of[i].kind == TN_AMD_SPECIAL && u->of[i].reg == TN_AMD_SCC) { if (scc) return 0; continue; }
    if (u->of[i].reg < TN_AMD_VIRTUAL || live[u->of[i].reg - TN_AMD_VIRTUAL]) return 0;
  }
  return writes;
}
static void tn_amd_remove_dead(tn_amd_list *l) {
  tn_amd_uses u;
  int *const live = (int *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *live), scc = 0, kept = l->n;
  if (!live) return;
  for (int i = 0; i < l->n; i++) {
    tn_amd_uses_of(&l->line[i], &u);
    const int own = tn_amd_only_gives(&l->line[i]) ? TN_AMD_WRITES : 0;         // what it adds to keeps nobody alive
    for (int k = 0; k < u.n; k++)
      if (u.of[k].role & TN_AMD_READS && !(u.of[k].role & own) && u.of[k].reg >= TN_AMD_VIRTUAL)
        live[u.of[k].reg - TN_AMD_VIRTUAL]++;
  }
  for (int i = l->n - 1; i >= 0; i--) {
    tn_amd_uses_of(&l->line[i], &u);
    const int dead = tn_amd_is_dead(&l->line[i], &u, live, scc);
    for (int k = 0; k < u.n; k++) {
      const int is_scc = u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC;
      if (dead && u.of[k].role == TN_AMD_READS && u.of[k].reg >= TN_AMD_VIRTUAL) live[u.of[k].reg - TN_AMD_VIRTUAL]--;
      if (!dead && is_scc) scc = u.of[k].role == TN_AMD_READS;
    }
    for (int k = 0; k < u.n && !dead; k++)
      if (u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC && u.of[k].role & TN_AMD_READS) scc = 1;
    if (!dead) l->line[--kept] = l->line[i];
  }
  memmove(l->line, l->line + kept, (size_t)(l->n - kept) * sizeof *l->line);
  l->n -= kept;
}
#endif
// ---- end src/amd/../isa/amd_dead.c ----
// ---- begin src/amd/../isa/amd_common.c ----
// amd_common: what is computed twice is computed once, and constants of loops stand in front of them.
//
// In:  a list of virtual registers. Out: the same, without lines that compute again what is there.
// Holds: a line may be left out if it but computes, its operands are constants and registers that are written once, SCC
//        is not read behind it, and one like it stands in front of it on every way there, with all lanes that are on
//        now. What is skipped by a branch, a loop, and lanes that are off end what is remembered.
// Source: Aho, Lam, Sethi and Ullman, Compilers (2007), 8.5.2: local common subexpressions; 9.5: code motion.
#ifndef TN_ISA_AMD_COMMON
#define TN_ISA_AMD_COMMON
#ifndef TINY_AMALGAMATED
#include "amd_dead.c"
#endif

enum { TN_AMD_HOISTED = 24 };              // constants of a loop in front of it, of each kind of registers, at most
// What may end: a label; the end of a loop; EXEC as it was; how many lines were remembered before.
enum { TN_AMD_TO_LABEL, TN_AMD_TO_LOOP_END, TN_AMD_TO_EXEC };
typedef struct tn_amd_region { int kind, label, n; } tn_amd_region;
typedef struct tn_amd_common {
  tn_amd_list *l;
  int *writes, *alias;                     // of virtual registers: how often written; another that is the same, -1
  uint8_t *scc;                            // of lines: is SCC read behind it?
  int *bucket, *next, *known, nknown;      // lines that are remembered, by hash; known: their places in `out`
  int nbucket;
  tn_amd_region *region; int nregion, regioncap;
  tn_amd_line *out; int n, cap;
  tn_amd_line *front; int nfront, frontcap, hoisted[2], loop, depth;       // in front of the outermost loop, at `loop`
} tn_amd_common;

// ** which lines **

static int tn_amd_is_once(const tn_amd_common *c, const tn_amd_operand *o) {
  if (!tn_amd_is_register(o)) return o->kind != TN_AMD_SPECIAL;
  return o->reg >= TN_AMD_VIRTUAL && c->writes[o->reg - TN_AMD_VIRTUAL] == 1;
}
static int tn_amd_is_all_of(const tn_amd_common *c, const tn_amd_operand *o) {
  return tn_amd_is_virtual(o) && !o->sub && o->dwords == c->l->vreg[o->reg - TN_AMD_VIRTUAL].dwords &&
      c->l->vreg[o->reg - TN_AMD_VIRTUAL].fixed < 0;
}
static int tn_amd_is_common(const tn_amd_common *c, const tn_amd_line *line, int i) {
  const int unit = tn_amd_unit(line), ins = line->kind == TN_AMD_LINE_INS;
  if (!ins && line->kind != TN_AMD_LINE_COPY) return 0;
  if (unit != TN_AMD_U_SALU && unit != TN_AMD_U_VALU && unit != TN_AMD_U_TRANS) return 0;
  if (line->ins.n < 2 || !tn_amd_is_all_of(c, &line->ins.o[0]) || !tn_amd_is_once(c, &line->ins.o[0])) return 0;
  if (ins && (line->ins.lanes || tn_amd_reads_result(&line->ins) || tn_amd_reads_scc(line->ins.op) ||
              tn_amd_writes_exec(line->ins.op, line->ins.family) || tn_amd_is_named(&line->ins, "lane"))) return 0;
  if (ins && tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_SOPK) return 0;
  if (ins && (line->ins.op == TN_AMD_V_DIV_FMAS_F32 || line->ins.op == TN_AMD_V_DIV_FMAS_F64)) return 0;
  if (ins && tn_amd_writes_scc(line->ins.op, line->ins.family) && c->scc[i]) return 0;
  const tn_amd_form f = tn_amd_form_of(ins ? line->ins.op : 0, line->ins.family);
  for (int k = 1; k < line->ins.n; k++) {
    if (k < f.n && tn_amd_is_result(f.operands[2 * k])) return 0;              // a second result
    if (!tn_amd_is_once(c, &line->ins.o[k])) return 0;
  }
  return 1;
}
static int tn_amd_is_same_operand(const tn_amd_operand *a, const tn_amd_operand *b) {
  return a->kind == b->kind && a->dwords == b->dwords && a->neg == b->neg && a->abs == b->abs &&
      a->op_sel == b->op_sel && a->op_sel_hi == b->op_sel_hi && a->sub == b->sub && a->reg == b->reg &&
      a->value == b->value;
}
static int tn_amd_is_same_line(const tn_amd_line *a, const tn_amd_line *b) {
  int same = a->kind == b->kind && a->ins.op == b->ins.op && a->ins.n == b->ins.n &&
      a->ins.o[0].kind == b->ins.o[0].kind && a->ins.o[0].dwords == b->ins.o[0].dwords &&
      !memcmp(a->ins.m, b->ins.m, sizeof a->ins.m);
  for (int k = 1; k < a->ins.n && same; k++) same = tn_amd_is_same_operand(&a->ins.o[k], &b->ins.o[k]);
  return same;
}
static uint32_t tn_amd_line_hash(const tn_amd_line *line) {
  uint32_t h = 2166136261u ^ line->ins.op ^ (uint32_t)line->kind << 12;
  for (int k = 0; k < line->ins.n; k++) {
    const tn_amd_operand *const o = &line->ins.o[k];
    h = (h ^ o->kind ^ (uint32_t)o->dwords << 4) * 16777619u;
    if (k) h = (h ^ o->reg ^ o->value ^ (uint32_t)o->sub << 20) * 16777619u;
  }
  return h ^ h >> 15;
}

// ** what is remembered **

static void tn_amd_forget_from(tn_amd_common *c, int n) {
  while (c->nknown > n) {
    const int at = c->known[--c->nknown];
    if (at < 0) continue;
    int *p = &c->bucket[tn_amd_line_hash(&c->out[at]) & (uint32_t)(c->nbucket - 1)];
    while (*p != at + 1 && *p) p = &c->next[*p - 1];
    if (*p) *p = c->next[at];
  }
}
static void tn_amd_region_begin(tn_amd_common *c, int kind, int label) {
  tn_amd_region *const all = (tn_amd_region *)tn_amd_grown(c->l, c->region, c->nregion, &c->regioncap, sizeof *all);
  if (!all) return;
  c->region = all;
  const tn_amd_region r = {kind, label, c->nknown};
  c->region[c->nregion++] = r;
}
// All regions from the last one of this kind on end.
static void tn_amd_region_end(tn_amd_common *c, int kind, int label) {
  int at = c->nregion - 1;
  while (at >= 0 && (c->region[at].kind != kind || c->region[at].label != label)) at--;
  if (at < 0) { if (kind == TN_AMD_TO_EXEC) tn_amd_forget_from(c, 0); return; }
  tn_amd_forget_from(c, c->region[at].n);
  c->nregion = at;
}
// EXEC is narrowed, or what it was before.
static void tn_amd_region_exec(tn_amd_common *c, const tn_amd_line *line) {
  const int op = line->ins.op;
  if (op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64) tn_amd_region_end(c, TN_AMD_TO_EXEC, -1);
  else tn_amd_region_begin(c, TN_AMD_TO_EXEC, -1);
}

// ** the list **

static void tn_amd_rename_known(const tn_amd_common *c, tn_amd_line *line) {
  for (int k = 0; k < line->ins.n; k++) {
    tn_amd_operand *const o = &line->ins.o[k];
    if (tn_amd_is_virtual(o) && c->alias[o->reg - TN_AMD_VIRTUAL] >= 0)
      o->reg = (uint16_t)(TN_AMD_VIRTUAL + c->alias[o->reg - TN_AMD_VIRTUAL]);
  }
}
// A constant of a loop goes in front of the outermost one.
static int tn_amd_hoists(tn_amd_common *c, const tn_amd_line *line) {
  const int scalar = line->ins.o[0].kind == TN_AMD_SGPR;
  if (!c->depth || line->kind != TN_AMD_LINE_COPY || !tn_amd_is_constant(&line->ins.o[1])) return 0;
  if (c->hoisted[scalar] == TN_AMD_HOISTED) return 0;
  tn_amd_line *const all = (tn_amd_line *)tn_amd_grown(c->l, c->front, c->nfront, &c->frontcap, sizeof *all);
  if (!all) return 0;
  c->hoisted[scalar]++;
  c->front = all;
  c->front[c->nfront++] = *line;
  return 1;
}
static int tn_amd_is_known(tn_amd_common *c, const tn_amd_line *line) {        // a register; -1
  for (int k = 0; k < c->nfront; k++)
    if (tn_amd_is_same_line(&c->front[k], line)) return c->front[k].ins.o[0].reg - TN_AMD_VIRTUAL;
  for (int at = c->bucket[tn_amd_line_hash(line) & (uint32_t)(c->nbucket - 1)]; at; at = c->next[at - 1])
    if (tn_amd_is_same_line(&c->out[at - 1], line)) return c->out[at - 1].ins.o[0].reg - TN_AMD_VIRTUAL;
  return -1;
}
static void tn_amd_remember(tn_amd_common *c, int at) {
  int *const bucket = &c->bucket[tn_amd_line_hash(&c->out[at]) & (uint32_t)(c->nbucket - 1)];
  c->next[at] = *bucket;
  *bucket = at + 1;
  c->known[c->nknown++] = at;
}
static void tn_amd_loop_begins(tn_amd_common *c) {
  if (!c->depth++) { c->loop = c->n; c->nfront = c->hoisted[0] = c->hoisted[1] = 0; }
  tn_amd_region_begin(c, TN_AMD_TO_LOOP_END, c->depth);
}
// What goes in front of the loop is moved there.
static void tn_amd_loop_ends(tn_amd_common *c) {
  tn_amd_region_end(c, TN_AMD_TO_LOOP_END, c->depth);
  if (--c->depth || !c->nfront) return;
  memmove(c->out + c->loop + c->nfront, c->out + c->loop, (size_t)(c->n - c->loop) * sizeof *c->out);
  memcpy(c->out + c->loop, c->front, (size_t)c->nfront * sizeof *c->out);
  c->n += c->nfront;
  c->nfront = 0;
}
static void tn_amd_common_line(tn_amd_common *c, int i) {
  tn_amd_line line = c->l->line[i];
  tn_amd_rename_known(c, &line);
  if (line.kind == TN_AMD_LINE_LABEL) tn_amd_region_end(c, TN_AMD_TO_LABEL, line.label);
  if (line.kind == TN_AMD_LINE_LOOP) tn_amd_loop_begins(c);
  if (tn_amd_is_common(c, &line, i)) {
    const int known = tn_amd_is_known(c, &line);
    if (known >= 0) { c->alias[line.ins.o[0].reg - TN_AMD_VIRTUAL] = known; return; }
    if (tn_amd_hoists(c, &line)) return;
    c->out[c->n] = line;
    tn_amd_remember(c, c->n++);
    return;
  }
  c->out[c->n++] = line;
  if (line.kind == TN_AMD_LINE_LOOP_END) tn_amd_loop_ends(c);
  if (line.kind != TN_AMD_LINE_INS) return;
  if (tn_amd_is_branch(line.ins.op) && line.label >= 0) tn_amd_region_begin(c, TN_AMD_TO_LABEL, line.label);
  const tn_amd_operand *const to = &line.ins.o[0];
  const int moves = to->kind == TN_AMD_SGPR && to->reg == TN_AMD_EXEC &&
      tn_amd_format(line.ins.op, line.ins.family) < TN_AMD_SOPC;
  if (moves || tn_amd_writes_exec(line.ins.op, line.ins.family)) tn_amd_region_exec(c, &line);
}
static int tn_amd_common_open(tn_amd_common *c, tn_amd_list *l) {
  tn_amd_uses u;
  memset(c, 0, sizeof *c);
  c->l = l;
  c->nbucket = 64;
  while (c->nbucket < l->n) c->nbucket *= 2;
  const size_t n = (size_t)l->n + 1;
  c->writes = (int *)tn_amd_room(l, 2 * (size_t)l->nvreg + 2, sizeof(int));
  c->bucket = (int *)tn_amd_room(l, (size_t)c->nbucket + 2 * n, sizeof(int));
  c->scc = (uint8_t *)tn_amd_room(l, n, 1);
  c->out = tn_amd_other_lines(l, l->n + 1, &c->cap);
  if (!c->writes || !c->bucket || !c->scc || !c->out) return 0;
  c->alias = c->writes + l->nvreg + 1; c->next = c->bucket + c->nbucket; c->known = c->next + n;
  for (int i = 0; i < l->nvreg; i++) c->alias[i] = -1;
  for (int i = l->n - 1, scc = 0; i >= 0; i--) {
    tn_amd_uses_of(&l->line[i], &u);
    c->scc[i] = (uint8_t)scc;
    for (int k = 0; k < u.n; k++) {
      if (u.of[k].role & TN_AMD_WRITES && u.of[k].reg >= TN_AMD_VIRTUAL) c->writes[u.of[k].reg - TN_AMD_VIRTUAL]++;
      if (u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC) scc = u.of[k].role == TN_AMD_READS;
    }
    for (int k = 0; k < u.n; k++)
      if (u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC && u.of[k].role & TN_AMD_READS) scc = 1;
  }
  return 1;
}
static void tn_amd_remove_common(tn_amd_list *l) {
  tn_amd_common c;
  if (!tn_amd_common_open(&c, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  for (int i = 0; i < l->n && !l->refused; i++) tn_amd_common_line(&c, i);
  tn_amd_lines_are(l, c.out, c.n, c.cap);
}
#endif
// ---- end src/amd/../isa/amd_common.c ----
// ---- begin src/amd/../isa/amd_depend.c ----
// amd_depend: what must stay in front of what among the lines of a basic block, and for how many cycles.
//
// In:    a list and a block of it: lines that tn_amd_stands is not true of. Out: edges from lines to later ones.
// Holds: - registers are counted in dwords, one number each; virtual ones that have a place are that place.
//        - SCC that nobody reads may be written in any order, but not between a writer and its readers.
//        - loads pass loads; others of one memory stay in order, unless one address and two offsets lie apart.
//        - a copy of what is made in the block into a register that nobody names between comes for nothing where
//          amd_registers.c joins the two: what makes it is taken to write that register, too, so that nobody will.
// Source: cycles: LLVM, SISchedule.td, GFX11SpeedModel; AMD, matrix instruction calculator. gfx942's, in fours, come to
//         the same.
#ifndef TN_ISA_AMD_DEPEND
#define TN_ISA_AMD_DEPEND
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

// ** cycles **

enum { TN_AMD_SALU_CYCLES = 2, TN_AMD_VALU_CYCLES = 5, TN_AMD_TRANS_CYCLES = 10, TN_AMD_LDS_CYCLES = 20,
  TN_AMD_SMEM_CYCLES = 20, TN_AMD_VMEM_CYCLES = 320 };

static int tn_amd_has_word(const char *text, size_t n, const char *word) {
  const size_t k = strlen(word);
  for (size_t i = 0; i + k <= n; i++) if (text[i] == *word && !memcmp(text + i, word, k)) return 1;
  return 0;
}
static int tn_amd_matrix_cycles(const tn_amd_ins *ins) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  const int wide = !tn_amd_has_word(name, n, "16x16_iu4"), whole = !tn_amd_has_word(name, n, "p8_") &&
      !tn_amd_has_word(name, n, "bf8_") && !tn_amd_has_word(name, n, "x32_iu4");
  if (ins->family == TN_AMD_GFX11) return wide ? 32 : 16;
  if (ins->family == TN_AMD_GFX12) return wide && whole ? 16 : 8;
  const int slow = tn_amd_has_word(name, n, "x4_f32") || tn_amd_has_word(name, n, "x2_f32") ||
      tn_amd_has_word(name, n, "f64");
  return (ins->o[0].dwords >= 16 ? 32 : 16) << slow;
}
// From a line of a unit to those that read what it writes.
static int tn_amd_unit_cycles(int unit, const tn_amd_ins *ins) {
  switch (unit) {
    case TN_AMD_U_SALU: return TN_AMD_SALU_CYCLES;
    case TN_AMD_U_SMEM: return TN_AMD_SMEM_CYCLES;
    case TN_AMD_U_TRANS: return TN_AMD_TRANS_CYCLES;
    case TN_AMD_U_MATRIX: return tn_amd_matrix_cycles(ins);
    case TN_AMD_U_LDS: return TN_AMD_LDS_CYCLES;
    case TN_AMD_U_VMEM: return TN_AMD_VMEM_CYCLES;
    default: return TN_AMD_VALU_CYCLES;
  }
}
// To the next line: a SIMD has 32 lanes, of gfx942 16; transcendentals take four times as long.
static int tn_amd_unit_issue(int unit, int family) {
  const int passes = family == TN_AMD_GFX9 ? 4 : 1;
  return unit == TN_AMD_U_VALU ? passes : unit == TN_AMD_U_TRANS ? 4 * passes : 1;
}
// What need not be asked for again and again.
typedef struct tn_amd_trait { uint8_t unit, stands, issue; uint16_t cycles; } tn_amd_trait;
static void tn_amd_trait_of(const tn_amd_line *line, tn_amd_trait *t) {
  const int unit = tn_amd_unit(line);
  t->unit = (uint8_t)unit;
  t->stands = (uint8_t)tn_amd_stands(line);
  t->issue = (uint8_t)tn_amd_unit_issue(unit, line->ins.family);
  t->cycles = (uint16_t)tn_amd_unit_cycles(unit, &line->ins);
}

// ** memory **

enum { TN_AMD_IN_ANY, TN_AMD_IN_LDS, TN_AMD_IN_SCRATCH, TN_AMD_IN_GLOBAL };
// at: which n operands say the address; low, end: bytes behind it, both 0: not known
typedef struct tn_amd_access { int line, space, memory, stores, low, end; uint8_t n, at[4]; } tn_amd_access;

// 0: the line accesses no memory.
static int tn_amd_access_of(const tn_amd_line *line, tn_amd_access *a) {
  const int unit = tn_amd_unit(line), format = tn_amd_format(line->ins.op, line->ins.family);
  size_t n;
  memset(a, 0, sizeof *a);
  if (unit != TN_AMD_U_LDS && unit != TN_AMD_U_VMEM && unit != TN_AMD_U_SMEM) return 0;
  const char *const name = tn_amd_name(line->ins.op, line->ins.family, &n);
  if (tn_amd_has_word(name, n, "permute") || tn_amd_has_word(name, n, "swizzle")) return 0;
  if (tn_amd_has_word(name, n, "prefetch")) return 0;
  const int lds = tn_amd_has_word(name, n, "_load_lds"), loads = tn_amd_has_word(name, n, "load_") ||
      tn_amd_has_word(name, n, "_read");
  a->space = lds || format == TN_AMD_FLAT ? TN_AMD_IN_ANY : unit == TN_AMD_U_LDS ? TN_AMD_IN_LDS
           : format == TN_AMD_SCRATCH ? TN_AMD_IN_SCRATCH : TN_AMD_IN_GLOBAL;
  a->memory = lds ? 0 : line->memory;
  a->stores = lds || !loads;
  return 1;
}
// Bytes behind an address in registers: of a work item's own; what others write is another's.
static void tn_amd_access_place(const tn_amd_line *line, tn_amd_access *a) {
  const tn_amd_form f = tn_amd_form_of(line->ins.op, line->ins.family);
  int dwords = 0, known = a->space == TN_AMD_IN_GLOBAL || a->space == TN_AMD_IN_SCRATCH;
  for (int i = 0; i < f.n && i < line->ins.n && known; i++) {
    const char where = f.operands[2 * i];
    if (strchr("asRo", where) && a->n < 4) a->at[a->n++] = (uint8_t)i;
    else if (where == 'd' || where == 'b') dwords = line->ins.o[i].dwords;
    else known = 0;                        // of a form that is not looked into
  }
  if (!known || !dwords) return;
  a->low = line->ins.m[TN_AMD_OFFSET];
  a->end = a->low + 4 * dwords;
}
static int tn_amd_same_address(const tn_amd_ins *x, const tn_amd_access *a, const tn_amd_ins *y,
                               const tn_amd_access *b) {
  for (int i = 0; i < a->n; i++) {
    const tn_amd_operand *const p = &x->o[a->at[i]], *const q = &y->o[b->at[i]];
    if (p->kind != q->kind || p->reg != q->reg || p->sub != q->sub || p->dwords != q->dwords || p->value != q->value)
      return 0;
  }
  return a->n == b->n && tn_amd_format(x->op, x->family) == tn_amd_format(y->op, y->family);
}
static int tn_amd_access_elsewhere(const tn_amd_access *a, const tn_amd_access *b) {
  if (a->space != b->space && a->space != TN_AMD_IN_ANY && b->space != TN_AMD_IN_ANY) return 1;
  return a->memory && b->memory && a->memory != b->memory;
}
// Registers of an address that were written between keep the two in order anyway.
static int tn_amd_access_apart(const tn_amd_line *lines, const tn_amd_access *a, const tn_amd_access *b) {
  const tn_amd_ins *const x = &lines[a->line].ins, *const y = &lines[b->line].ins;
  if (tn_amd_access_elsewhere(a, b)) return 1;
  if (a->low == a->end || b->low == b->end || !tn_amd_same_address(x, a, y, b)) return 0;
  return a->end <= b->low || b->end <= a->low;
}

// ** the graph **

enum { TN_AMD_DWORD_AGPR = 256, TN_AMD_DWORD_SGPR = 512, TN_AMD_DWORD_SCC = 640, TN_AMD_DWORD_VIRTUAL = 641 };
enum { TN_AMD_MOST_ACCESSES = 128 };       // that one is compared with; beyond, what came before comes before

typedef struct tn_amd_edge { int to, next, cycles; } tn_amd_edge;
// edge: its first, -1: none; preds: edges to it, left: of lines that are not issued yet; earliest: as blocks before let
// it, soon: as lines that are issued do, too; cycles: until what it writes is there; joins: it comes for nothing
typedef struct tn_amd_node {
  int edge, preds, left, height, earliest, soon, cycles, stamp; uint8_t joins, done;
} tn_amd_node;
// Of a dword: the line that wrote it last, the readers since, the line that named it last; how many name it in all; the
// cycle from which it is there, if blocks before this one wrote it.
typedef struct tn_amd_dword { int writer, reader, named, count, there; } tn_amd_dword;
typedef struct tn_amd_reader { int line, next; } tn_amd_reader;
typedef struct tn_amd_graph {
  tn_amd_list *l; tn_amd_uses *uses; tn_amd_node *node; tn_amd_trait *trait;    // of all lines
  int *first; tn_amd_dword *dword;                           // of virtual registers: their first dword's number
  tn_amd_edge *edge; int nedges, edgecap;
  tn_amd_reader *reader; int nreaders, readercap;
  int begin, end, now;                     // now: the cycle in which the block begins
  tn_amd_access stores[TN_AMD_MOST_ACCESSES], loads[TN_AMD_MOST_ACCESSES]; int nstores, nloads, fence;
  int *dead, ndead, scc, scc_read;         // SCC: writers that nobody reads, since its writer; its readers
  int *joined;                             // of a line: the copy that joins it, -1: none
  int *chain;                              // of a copy: the next one that joins the same line
} tn_amd_graph;

static void tn_amd_edge_add(tn_amd_graph *g, int from, int to, int cycles) {
  tn_amd_node *const n = &g->node[from];
  if (from < g->begin || from == to) return;
  if (n->stamp == to && n->edge >= 0 && g->edge[n->edge].to == to) {
    if (g->edge[n->edge].cycles < cycles) g->edge[n->edge].cycles = cycles;
    return;
  }
  tn_amd_edge *const all = (tn_amd_edge *)tn_amd_grown(g->l, g->edge, g->nedges, &g->edgecap, sizeof *all);
  if (!all) return;
  g->edge = all;
  const tn_amd_edge e = {to, n->edge, cycles};
  g->edge[g->nedges] = e;
  n->edge = g->nedges++;
  n->stamp = to;
  g->node[to].preds++;
}

// The first dword's number, and how many; -1: nobody waits for it.
static int tn_amd_dword_of(const tn_amd_graph *g, const tn_amd_use *u, int *n) {
  int kind = u->kind, reg = u->reg + (u->reg < TN_AMD_VIRTUAL ? u->sub : 0);
  *n = u->dwords ? u->dwords : 1;
  if (kind == TN_AMD_SPECIAL) {
    if (u->reg == TN_AMD_SCC) return TN_AMD_DWORD_SCC;
    if (u->reg != TN_AMD_VCCZ && u->reg != TN_AMD_EXECZ) return -1;
    kind = TN_AMD_SGPR; reg = u->reg == TN_AMD_VCCZ ? TN_AMD_VCC : TN_AMD_EXEC; *n = 2;
  }
  if (u->reg >= TN_AMD_VIRTUAL && kind != TN_AMD_SPECIAL) {
    const int v = u->reg - TN_AMD_VIRTUAL, fixed = g->l->vreg[v].fixed;
    if (fixed < 0) return TN_AMD_DWORD_VIRTUAL + g->first[v] + u->sub;
    reg = fixed + u->sub;
  }
  if (kind == TN_AMD_SGPR && reg == TN_AMD_NULL) return -1;
  return reg + (kind == TN_AMD_SGPR ? TN_AMD_DWORD_SGPR : kind == TN_AMD_AGPR ? TN_AMD_DWORD_AGPR : 0);
}
static void tn_amd_reader_add(tn_amd_graph *g, int *head, int line) {
  tn_amd_reader *const all = (tn_amd_reader *)tn_amd_grown(g->l, g->reader, g->nreaders, &g->readercap, sizeof *all);
  if (!all) return;
  g->reader = all;
  const tn_amd_reader r = {line, *head};
  g->reader[g->nreaders] = r;
  *head = g->nreaders++;
}
static void tn_amd_depend_reads(tn_amd_graph *g, int line, int first, int n) {
  for (tn_amd_dword *d = &g->dword[first]; d < &g->dword[first + n]; d++) {
    const int joins = g->node[line].joins, late = d->there - g->now;
    if (d->writer >= g->begin) tn_amd_edge_add(g, d->writer, line, joins ? 1 : g->node[d->writer].cycles);
    else if (late > g->node[line].earliest) g->node[line].earliest = late;
    tn_amd_reader_add(g, &d->reader, line);
  }
}
static void tn_amd_depend_writes(tn_amd_graph *g, int line, int first, int n) {
  for (tn_amd_dword *d = &g->dword[first]; d < &g->dword[first + n]; d++) {
    for (int r = d->reader; r >= 0; r = g->reader[r].next) tn_amd_edge_add(g, g->reader[r].line, line, 0);
    if (d->writer >= g->begin) tn_amd_edge_add(g, d->writer, line, 1);
    d->writer = line;
    d->reader = -1;
  }
}

// ** SCC **

// Does anyone read what the line writes there? The last of a block is read by whoever comes behind it.
static int tn_amd_scc_is_read(const tn_amd_graph *g, int line) {
  for (int i = line + 1; i < g->end; i++) {
    int writes = 0;
    for (int k = 0; k < g->uses[i].n; k++) {
      const tn_amd_use *const u = &g->uses[i].of[k];
      if (u->kind != TN_AMD_SPECIAL || u->reg != TN_AMD_SCC) continue;
      if (u->role & TN_AMD_READS) return 1;
      writes = 1;
    }
    if (writes) return 0;
  }
  return 1;
}
static void tn_amd_depend_scc(tn_amd_graph *g, int line, int role) {
  if (role & TN_AMD_READS) {
    if (g->scc >= 0) tn_amd_edge_add(g, g->scc, line, g->node[g->scc].cycles);
    tn_amd_reader_add(g, &g->scc_read, line);
  }
  if (!(role & TN_AMD_WRITES)) return;
  for (int r = g->scc_read; r >= 0; r = g->reader[r].next) tn_amd_edge_add(g, g->reader[r].line, line, 0);
  if (g->scc >= 0) tn_amd_edge_add(g, g->scc, line, 0);
  if (!tn_amd_scc_is_read(g, line)) { g->dead[g->ndead++] = line; return; }
  for (int i = 0; i < g->ndead; i++) tn_amd_edge_add(g, g->dead[i], line, 0);
  g->ndead = 0;
  g->scc = line;
  g->scc_read = -1;
}

// ** accesses **

static void tn_amd_depend_on(tn_amd_graph *g, const tn_amd_access *a, const tn_amd_access *of, int n) {
  for (int i = 0; i < n; i++)
    if (!tn_amd_access_apart(g->l->line, &of[i], a)) tn_amd_edge_add(g, of[i].line, a->line, of[i].stores);
}
// All that came before stays before it, and it before all that comes.
static void tn_amd_depend_fence(tn_amd_graph *g, int line) {
  for (int i = 0; i < g->nstores; i++) tn_amd_edge_add(g, g->stores[i].line, line, 1);
  for (int i = 0; i < g->nloads; i++) tn_amd_edge_add(g, g->loads[i].line, line, 0);
  g->nstores = g->nloads = 0;
  g->fence = line;
}
static void tn_amd_depend_memory(tn_amd_graph *g, int line) {
  tn_amd_access a;
  if (!tn_amd_access_of(&g->l->line[line], &a)) return;
  a.line = line;
  tn_amd_access_place(&g->l->line[line], &a);
  if (g->fence >= 0) tn_amd_edge_add(g, g->fence, line, 1);
  tn_amd_depend_on(g, &a, g->stores, g->nstores);
  if (a.stores) tn_amd_depend_on(g, &a, g->loads, g->nloads);
  if ((a.stores ? g->nstores : g->nloads) == TN_AMD_MOST_ACCESSES) tn_amd_depend_fence(g, line);
  if (a.stores) g->stores[g->nstores++] = a;
  else g->loads[g->nloads++] = a;
}

// ** copies that come for nothing **

// What makes all that a copy copies; -1: it is not one line of the block, or the copy's register is named since.
static int tn_amd_joins(const tn_amd_graph *g, int copy) {
  const tn_amd_uses *const u = &g->uses[copy];
  int n, line = -1;
  if (g->l->line[copy].kind != TN_AMD_LINE_COPY || u->n < 2 || u->of[0].kind != u->of[1].kind) return -1;
  if (u->of[0].reg < TN_AMD_VIRTUAL || u->of[1].reg < TN_AMD_VIRTUAL) return -1;
  const int to = tn_amd_dword_of(g, &u->of[0], &n), from = tn_amd_dword_of(g, &u->of[1], &n);
  for (int i = 0; i < n; i++) {
    const tn_amd_dword *const t = &g->dword[from + i];
    if (t->writer < g->begin || (i && t->writer != line)) return -1;
    line = t->writer;
    if (g->dword[to + i].named > line || g->dword[to + i].writer == line) return -1;
    if (g->trait[line].cycles >= TN_AMD_LDS_CYCLES && t->count > 2) return -1;     // else all wait here
  }
  return line;
}
static void tn_amd_find_joined(tn_amd_graph *g) {
  for (int i = g->begin; i < g->end; i++) {
    const int line = tn_amd_joins(g, i);
    g->joined[i] = -1;
    if (line >= 0) {
      g->chain[i] = g->joined[line];
      g->joined[line] = i;
      g->node[i].joins = 1;
      g->node[i].cycles = g->node[line].cycles;
    }
    for (int k = 0; k < g->uses[i].n; k++) {
      const tn_amd_use *const u = &g->uses[i].of[k];
      int n;
      const int first = tn_amd_dword_of(g, u, &n);
      for (int d = first; first >= 0 && d < first + n; d++) {
        g->dword[d].named = i;
        if (u->role & TN_AMD_WRITES) g->dword[d].writer = i;
      }
    }
  }
}

// ** all **

static void tn_amd_depend_line(tn_amd_graph *g, int line) {
  const tn_amd_uses *const u = &g->uses[line];
  int n, scc = 0;
  for (int k = 0; k < u->n; k++) {
    const int first = tn_amd_dword_of(g, &u->of[k], &n);
    if (first == TN_AMD_DWORD_SCC) scc |= u->of[k].role;
    else if (first >= 0 && u->of[k].role & TN_AMD_READS) tn_amd_depend_reads(g, line, first, n);
  }
  tn_amd_depend_memory(g, line);
  if (scc) tn_amd_depend_scc(g, line, scc);
  for (int k = 0; k < u->n; k++) {
    const int first = tn_amd_dword_of(g, &u->of[k], &n);
    if (first >= 0 && first != TN_AMD_DWORD_SCC && u->of[k].role & TN_AMD_WRITES)
      tn_amd_depend_writes(g, line, first, n);
  }
  for (int copy = g->joined[line]; copy >= 0; copy = g->chain[copy]) {
    const int first = tn_amd_dword_of(g, &g->uses[copy].of[0], &n);
    tn_amd_depend_writes(g, line, first, n);
  }
}
static int tn_amd_graph_dwords(const tn_amd_graph *g) {
  const int v = g->l->nvreg;
  return TN_AMD_DWORD_VIRTUAL + (v ? g->first[v - 1] + g->l->vreg[v - 1].dwords : 0);
}
// Of the whole list. 0: there is no memory for it.
static int tn_amd_graph_open(tn_amd_graph *g, tn_amd_list *l) {
  const size_t n = (size_t)l->n;
  memset(g, 0, sizeof *g);
  g->l = l;
  g->uses = (tn_amd_uses *)tn_amd_room(l, n, sizeof *g->uses);
  g->node = (tn_amd_node *)tn_amd_room(l, n, sizeof *g->node);
  g->trait = (tn_amd_trait *)tn_amd_room(l, n, sizeof *g->trait);
  g->first = (int *)tn_amd_room(l, (size_t)l->nvreg, sizeof *g->first);
  g->dead = (int *)tn_amd_room(l, 3 * n, sizeof *g->dead);
  if (!g->uses || !g->node || !g->trait || !g->first || !g->dead) return 0;
  g->joined = g->dead + n;
  g->chain = g->joined + n;
  for (int v = 1; v < l->nvreg; v++) g->first[v] = g->first[v - 1] + l->vreg[v - 1].dwords;
  g->dword = (tn_amd_dword *)tn_amd_room(l, (size_t)tn_amd_graph_dwords(g), sizeof *g->dword);
  for (int i = 0; i < l->n && g->dword; i++) {
    tn_amd_uses_of(&l->line[i], &g->uses[i]);
    tn_amd_trait_of(&l->line[i], &g->trait[i]);
    for (int k = 0; k < g->uses[i].n; k++) {
      int many;
      const int first = tn_amd_dword_of(g, &g->uses[i].of[k], &many);
      for (int d = first; first >= 0 && d < first + many; d++) g->dword[d].count++;
    }
  }
  return g->dword != NULL;
}
// What was said of another block is forgotten: lines of others are in front of begin, and readers go with their dwords.
static void tn_amd_graph_forget(tn_amd_graph *g) {
  for (int i = g->begin; i < g->end; i++) {
    for (int k = 0; k < g->uses[i].n; k++) {
      int n;
      const int first = tn_amd_dword_of(g, &g->uses[i].of[k], &n);
      for (int d = first; first >= 0 && d < first + n; d++) {
        g->dword[d].reader = g->dword[d].writer = g->dword[d].named = -1;
      }
    }
  }
}
static void tn_amd_graph_of(tn_amd_graph *g, int begin, int end) {
  g->begin = begin; g->end = end;
  g->nedges = g->nreaders = g->nstores = g->nloads = g->ndead = 0;
  g->fence = g->scc = g->scc_read = -1;
  tn_amd_graph_forget(g);
  for (int i = begin; i < end; i++) {
    memset(&g->node[i], 0, sizeof g->node[i]);
    g->node[i].edge = g->node[i].stamp = -1;
    g->node[i].cycles = g->trait[i].cycles;
  }
  tn_amd_find_joined(g);
  tn_amd_graph_forget(g);
  for (int i = begin; i < end; i++) tn_amd_depend_line(g, i);
}
// Until what it loads is there; stores are done when they are issued.
static int tn_amd_load_cycles(const tn_amd_graph *g, int line) {
  for (int k = 0; k < g->uses[line].n; k++) if (g->uses[line].of[k].role & TN_AMD_WRITES) return g->node[line].cycles;
  return 1;
}
// The longest way from a line to the end of its block, in cycles. What is loaded for others is waited for there.
static void tn_amd_graph_heights(tn_amd_graph *g) {
  for (int i = g->end - 1; i >= g->begin; i--) {
    tn_amd_node *const n = &g->node[i];
    const int unit = g->trait[i].unit;
    n->height = unit == TN_AMD_U_SMEM || unit >= TN_AMD_U_LDS ? tn_amd_load_cycles(g, i) : 1;
    for (int e = n->edge; e >= 0; e = g->edge[e].next) {
      const int way = g->edge[e].cycles + g->node[g->edge[e].to].height;
      if (way > n->height) n->height = way;
    }
  }
}
#endif
// ---- end src/amd/../isa/amd_depend.c ----
// ---- begin src/amd/../isa/amd_tail.c ----
// amd_tail: waves that have nothing left to store end behind the last barrier.
//
// In:  a list with virtual registers. Out: the same, with a branch to its end behind the last barrier.
// Holds: all that is stored behind it is masked by one mask (amd_loads.c), which is there, or is a comparison that may
//        be made, before; the barrier stands in no loop; nothing branches over it; a group has several waves.
#ifndef TN_ISA_AMD_TAIL
#define TN_ISA_AMD_TAIL
#ifndef TINY_AMALGAMATED
#include "amd_dead.c"
#include "amd_depend.c"
#endif

enum { TN_AMD_TAIL_LINES = 12 };           // as many lines at least: a branch is worth it
typedef struct tn_amd_tail {
  tn_amd_list *l; int *writer;             // of virtual registers: the line that writes it, -1: none, -2: several
  int barrier;
} tn_amd_tail;

static int tn_amd_tail_writer(const tn_amd_tail *t, const tn_amd_operand *o) {
  return tn_amd_is_virtual(o) ? t->writer[o->reg - TN_AMD_VIRTUAL] : -1;
}
// The mask of a store to a buffer; NONE: it has none, or is of another kind.
static tn_amd_operand tn_amd_tail_mask(const tn_amd_tail *t, const tn_amd_line *line) {
  const tn_amd_operand none = tn_amd_register(TN_AMD_NONE, 0, 0);
  const int buffer = tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_MUBUF;
  const int at = buffer ? tn_amd_tail_writer(t, &line->ins.o[1]) : -1;
  const tn_amd_line *const chosen = at < 0 ? NULL : &t->l->line[at];
  if (!chosen || chosen->kind != TN_AMD_LINE_INS || chosen->ins.op != TN_AMD_V_CNDMASK_B32) return none;
  const tn_amd_operand *beyond = &chosen->ins.o[1];
  const int copy = tn_amd_tail_writer(t, beyond);
  if (copy >= 0 && t->l->line[copy].kind == TN_AMD_LINE_COPY) beyond = &t->l->line[copy].ins.o[1];
  return tn_amd_is_constant(beyond) && beyond->value == 0x80000000u ? chosen->ins.o[3] : none;
}
// The mask of all that is stored behind the barrier.
static tn_amd_operand tn_amd_tail_find(const tn_amd_tail *t) {
  tn_amd_operand mask = tn_amd_register(TN_AMD_NONE, 0, 0);
  for (int i = t->barrier + 1; i < t->l->n; i++) {
    tn_amd_access a;
    if (!tn_amd_access_of(&t->l->line[i], &a) || !a.stores) continue;
    const tn_amd_operand m = tn_amd_tail_mask(t, &t->l->line[i]);
    if (m.kind != TN_AMD_SGPR || (mask.kind == TN_AMD_SGPR && (m.reg != mask.reg || m.sub != mask.sub)))
      return tn_amd_register(TN_AMD_NONE, 0, 0);
    mask = m;
  }
  return mask;
}
// A line behind the barrier that writes the mask may be moved there: all that it reads is written before.
static int tn_amd_tail_moves(const tn_amd_tail *t, int line) {
  const tn_amd_ins *const ins = &t->l->line[line].ins;
  if (t->l->line[line].kind != TN_AMD_LINE_INS || tn_amd_format(ins->op, ins->family) != TN_AMD_VOPC) return 0;
  for (int k = 1; k < ins->n; k++) {
    const int by = tn_amd_tail_writer(t, &ins->o[k]);
    if (!tn_amd_is_constant(&ins->o[k]) && (by < 0 || by > t->barrier)) return 0;
  }
  return 1;
}
// The last barrier, if it stands in no loop, nothing branches over it, and enough stands behind it; -1.
static int tn_amd_tail_barrier(const tn_amd_list *l) {
  int at = -1, depth = 0;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    depth += (line->kind == TN_AMD_LINE_LOOP) - (line->kind == TN_AMD_LINE_LOOP_END);
    const int op = line->kind == TN_AMD_LINE_INS ? line->ins.op : 0;
    if (op == TN_AMD_S_BARRIER || op == TN_AMD_S_BARRIER_WAIT) at = depth ? -1 : i;
  }
  for (int i = at < 0 ? l->n : 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    const int jumps = line->kind == TN_AMD_LINE_INS && line->label >= 0 && tn_amd_is_branch(line->ins.op);
    if (jumps && i > at) return -1;
    for (int k = at + 1; k < l->n && jumps; k++)
      if (l->line[k].kind == TN_AMD_LINE_LABEL && l->line[k].label == line->label) return -1;
  }
  return at + TN_AMD_TAIL_LINES < l->n ? at : -1;
}
static void tn_amd_tail_writers(tn_amd_tail *t) {
  tn_amd_uses u;
  for (int v = 0; v < t->l->nvreg; v++) t->writer[v] = -1;
  for (int i = 0; i < t->l->n; i++) {
    tn_amd_uses_of(&t->l->line[i], &u);
    for (int k = 0; k < u.n; k++) {
      if (!(u.of[k].role & TN_AMD_WRITES) || u.of[k].reg < TN_AMD_VIRTUAL) continue;
      int *const w = &t->writer[u.of[k].reg - TN_AMD_VIRTUAL];
      *w = *w == -1 ? i : -2;
    }
  }
}
// In front of what is behind the barrier: the comparison, if it is not there yet, a branch; at the end its label.
static void tn_amd_tail_branch(tn_amd_tail *t, tn_amd_operand mask, int moved) {
  tn_amd_list *const l = t->l;
  tn_amd_line *const old = l->line;
  const int n = l->n, end = tn_amd_label_new(l), wide = l->mask == 2;
  l->line = NULL; l->n = l->cap = 0;
  for (int i = 0; i < n && !l->refused; i++) {
    if (i != moved) *tn_amd_line_new(l, 0, -1) = old[i];
    if (i != t->barrier) continue;
    if (moved >= 0) *tn_amd_line_new(l, 0, -1) = old[moved];
    tn_amd_do2(l, wide ? TN_AMD_S_CMP_EQ_U64 : TN_AMD_S_CMP_EQ_U32, mask, tn_amd_int(0));
    tn_amd_branch_to(l, TN_AMD_S_CBRANCH_SCC1, end);
  }
  if (!l->refused) tn_amd_line_new(l, TN_AMD_LINE_LABEL, end);
}
static void tn_amd_end_early(tn_amd_list *l) {
  tn_amd_tail t;
  t.l = l; t.barrier = l->items > 32 * l->mask ? tn_amd_tail_barrier(l) : -1;
  if (t.barrier < 0) return;
  t.writer = (int *)tn_amd_scratch(l->t, (size_t)l->nvreg + 1, sizeof *t.writer);
  if (!t.writer) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  tn_amd_tail_writers(&t);
  const tn_amd_operand mask = tn_amd_tail_find(&t);
  const int by = tn_amd_tail_writer(&t, &mask), behind = by > t.barrier;
  if (mask.kind != TN_AMD_SGPR || by < 0 || (behind && !tn_amd_tail_moves(&t, by))) return;
  tn_amd_tail_branch(&t, mask, behind ? by : -1);
}
#endif
// ---- end src/amd/../isa/amd_tail.c ----
// ---- begin src/amd/../isa/amd_merge.c ----
// amd_merge: accesses of places beside each other become one; two of LDS that lie apart, one of two offsets.
//
// In:  a list with virtual registers. Out: the same, with fewer accesses; what is loaded is part of a tuple.
// Holds: of a basic block, by one operation, one address and of one memory; where the first stands for loads, where the
//        last does for stores, and nothing between writes what they name, or may access what stores do. LDS: 8 and 16
//        bytes are as aligned as large. What is loaded is a register of its own, written once, and not copied in a
//        tuple, where it has a place already.
// Source: AMD's ISA guides (amd.c), "LDS Instruction Details", offsets of accesses of two addresses.
#ifndef TN_ISA_AMD_MERGE
#define TN_ISA_AMD_MERGE
#ifndef TINY_AMALGAMATED
#include "amd_dead.c"
#include "amd_loads.c"
#include "amd_depend.c"
#endif

enum { TN_AMD_MERGE_LINES = 400, TN_AMD_MERGE_MOST = 64 };   // how far lines are looked at; of one address
typedef struct tn_amd_merge {
  tn_amd_list *l; int nvreg; uint8_t *once, *gone;           // of registers: 2: copied to part of one; of lines
  int *into, *at;                                            // of registers: the tuple, -1, and its dword
  int line[TN_AMD_MERGE_MOST], n;                            // accesses of one address, by offsets
} tn_amd_merge;

// ** which lines **

static int tn_amd_merge_offset(const tn_amd_merge *m, int k) { return m->l->line[m->line[k]].ins.m[TN_AMD_OFFSET]; }
static int tn_amd_merge_is_lds(const tn_amd_line *line) {
  return tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_DS;
}
// Which operand the data is, for loads and stores that are merged; -1: it is none of them.
static int tn_amd_merge_data(const tn_amd_line *line) {
  const int op = line->ins.op;
  if (line->kind != TN_AMD_LINE_INS || tn_amd_unit(line) < TN_AMD_U_LDS || tn_amd_unit(line) > TN_AMD_U_VMEM) return -1;
  if (op == TN_AMD_DS_STORE_B32 || op == TN_AMD_DS_STORE_B64) return 1;
  for (size_t i = 4; i < sizeof tn_amd_loads / sizeof *tn_amd_loads; i++)      // of dwords
    if (op == tn_amd_loads[i].buffer || op == tn_amd_loads[i].global || op == tn_amd_loads[i].lds) return 0;
  return -1;
}
static int tn_amd_merge_may(const tn_amd_merge *m, int i) {
  const tn_amd_line *const line = &m->l->line[i];
  const int data = tn_amd_merge_data(line);
  if (m->gone[i] || data < 0 || !line->memory || line->ins.o[data].dwords > 2) return 0;
  for (int k = 0; k < line->ins.n; k++) {                    // so nothing between writes it
    const tn_amd_operand *const o = &line->ins.o[k];
    if (!tn_amd_is_register(o) || (o->kind == TN_AMD_SGPR && o->reg == TN_AMD_NULL)) continue;
    const int v = o->reg - TN_AMD_VIRTUAL;
    if (v < 0 || v >= m->nvreg || !m->once[v]) return 0;
  }
  if (data) return 1;
  const tn_amd_operand *const to = &line->ins.o[0];
  const tn_amd_vreg *const v = &m->l->vreg[to->reg - TN_AMD_VIRTUAL];
  return m->once[to->reg - TN_AMD_VIRTUAL] == 1 && !to->sub && to->dwords == v->dwords && v->fixed < 0;
}
static int tn_amd_merge_is_like(const tn_amd_line *a, const tn_amd_line *b) {
  const int data = tn_amd_merge_data(a), lds = tn_amd_merge_is_lds(a);
  int same = data == tn_amd_merge_data(b) && a->memory == b->memory && a->ins.n == b->ins.n &&
      tn_amd_format(a->ins.op, a->ins.family) == tn_amd_format(b->ins.op, b->ins.family) &&
      (!data || a->ins.op == b->ins.op) && (!lds || a->ins.o[data].dwords == b->ins.o[data].dwords);
  for (int k = 0; k < a->ins.n && same; k++) {
    const tn_amd_operand *const p = &a->ins.o[k], *const q = &b->ins.o[k];
    same = k == data || (p->kind == q->kind && p->reg == q->reg && p->sub == q->sub && p->value == q->value);
  }
  for (int k = 0; k < TN_AMD_MODIFIERS && same; k++) same = k == TN_AMD_OFFSET || a->ins.m[k] == b->ins.m[k];
  return same;
}
// May what an access does be done on the other side of the line? EXEC is what it was.
static int tn_amd_merge_passes(const tn_amd_line *line, const tn_amd_line *by, int stores) {
  tn_amd_access a, b;
  tn_amd_uses u;
  if (tn_amd_stands(line)) return 0;
  tn_amd_uses_of(line, &u);
  for (int k = 0; k < u.n; k++)
    if (u.of[k].kind == TN_AMD_SGPR && u.of[k].reg / 2 == TN_AMD_EXEC / 2 && u.of[k].role & TN_AMD_WRITES) return 0;
  if (!tn_amd_access_of(line, &a) || !tn_amd_access_of(by, &b)) return 1;
  return (!a.stores && !stores) || tn_amd_access_elsewhere(&a, &b);
}
// Those like a line behind it, as far as they can be done together, by offsets.
static void tn_amd_merge_find(tn_amd_merge *m, int first) {
  const tn_amd_line *const line = m->l->line, *const by = &line[first];
  const int stores = tn_amd_merge_data(by) != 0;
  m->line[0] = first; m->n = 1;
  for (int i = first + 1; i < m->l->n && i < first + TN_AMD_MERGE_LINES && m->n < TN_AMD_MERGE_MOST; i++) {
    if (tn_amd_merge_may(m, i) && tn_amd_merge_is_like(by, &line[i])) {
      int k = m->n++;
      for (; k && tn_amd_merge_offset(m, k - 1) > line[i].ins.m[TN_AMD_OFFSET]; k--) m->line[k] = m->line[k - 1];
      m->line[k] = i;
    } else if (!m->gone[i] && !tn_amd_merge_passes(&line[i], by, stores)) break;
  }
}

// ** one of many **

// Of what is at [k, ..) of them, how many one access takes that lie beside each other.
static int tn_amd_merge_beside(const tn_amd_merge *m, int k) {
  const tn_amd_line *const first = &m->l->line[m->line[k]];
  const int lds = tn_amd_merge_is_lds(first), low = tn_amd_merge_offset(m, k);
  int best = 1, end = low;
  for (int j = k; j < m->n && tn_amd_merge_offset(m, j) == end; j++) {
    end += 4 * m->l->line[m->line[j]].ins.o[0].dwords;
    if (end - low > 16) break;
    if (!lds || (end - low != 12 && first->align >= end - low)) best = j - k + 1;
  }
  return best;
}
// The operation of two offsets, which are numbers then; 0: it has none.
static int tn_amd_merge_two(const tn_amd_merge *m, int a, int b, int32_t *offsets) {
  const tn_amd_line *const x = &m->l->line[m->line[a]], *const y = &m->l->line[m->line[b]];
  const int data = tn_amd_merge_data(x), nbytes = 4 * x->ins.o[data].dwords;
  const int low = tn_amd_merge_offset(m, a), high = tn_amd_merge_offset(m, b);
  const int dense = low % nbytes == 0 && high % nbytes == 0 && high / nbytes < 256;
  const int step = dense ? nbytes : 64 * nbytes;
  if (x->align < nbytes || y->align < nbytes || low == high || low % step || high % step || high / step > 255) return 0;
  offsets[0] = low / step; offsets[1] = high / step;
  if (nbytes == 4 && data) return dense ? TN_AMD_DS_STORE_2ADDR_B32 : TN_AMD_DS_STORE_2ADDR_STRIDE64_B32;
  if (nbytes == 8 && data) return dense ? TN_AMD_DS_STORE_2ADDR_B64 : TN_AMD_DS_STORE_2ADDR_STRIDE64_B64;
  if (nbytes == 4) return dense ? TN_AMD_DS_LOAD_2ADDR_B32 : TN_AMD_DS_LOAD_2ADDR_STRIDE64_B32;
  return dense ? TN_AMD_DS_LOAD_2ADDR_B64 : TN_AMD_DS_LOAD_2ADDR_STRIDE64_B64;
}
// A tuple for what n of them load, which are gone but the one in front, which is returned.
static tn_amd_line *tn_amd_merge_loads(tn_amd_merge *m, const int *which, int n, int dwords) {
  const tn_amd_operand all = tn_amd_new_v(m->l, dwords);
  int front = which[0], at = 0;
  for (int k = 0; k < n; k++) {
    const tn_amd_operand *const to = &m->l->line[which[k]].ins.o[0];
    m->into[to->reg - TN_AMD_VIRTUAL] = all.reg - TN_AMD_VIRTUAL;
    m->at[to->reg - TN_AMD_VIRTUAL] = at;
    at += to->dwords;
    m->gone[which[k]] = 1;
    if (which[k] < front) front = which[k];
  }
  tn_amd_line *const line = &m->l->line[front];
  m->gone[front] = 0;
  line->ins.o[0] = all;
  return line;
}
static void tn_amd_merge_pair(tn_amd_merge *m, int a, int b, int op, const int32_t *offsets) {
  const int which[] = {m->line[a], m->line[b]}, last = which[0] > which[1] ? which[0] : which[1];
  tn_amd_line *line = &m->l->line[last];
  if (tn_amd_merge_data(line)) {
    const tn_amd_operand low = m->l->line[which[0]].ins.o[1], high = m->l->line[which[1]].ins.o[1];
    m->gone[which[0]] = m->gone[which[1]] = 1;
    m->gone[last] = 0;
    line->ins.o[1] = low; line->ins.o[2] = high; line->ins.n = 3;
  } else line = tn_amd_merge_loads(m, which, 2, 2 * line->ins.o[0].dwords);
  line->ins.op = (uint16_t)op;
  line->ins.m[TN_AMD_OFFSET] = offsets[0]; line->ins.m[TN_AMD_OFFSET1] = offsets[1];
}
static int tn_amd_merge_op(int op, int dwords) {
  for (size_t i = 4; i < sizeof tn_amd_loads / sizeof *tn_amd_loads; i++) {
    const int way = op == tn_amd_loads[i].buffer ? TN_AMD_BY_BUFFER : op == tn_amd_loads[i].lds ? TN_AMD_BY_LDS :
                                                                                               TN_AMD_BY_WIDE;
    if (way != TN_AMD_BY_WIDE || op == tn_amd_loads[i].global) return tn_amd_load_op(way, 4 * dwords, 0);
  }
  return 0;
}
// Those beside each other first; of LDS what is left by twos.
static void tn_amd_merge_all(tn_amd_merge *m) {
  const int stores = tn_amd_merge_data(&m->l->line[m->line[0]]), lds = tn_amd_merge_is_lds(&m->l->line[m->line[0]]);
  int left = 0, n;
  for (int k = 0; k < m->n; k += n) {
    n = stores ? 1 : tn_amd_merge_beside(m, k);
    if (n == 1) { m->line[left++] = m->line[k]; continue; }
    const tn_amd_line *const end = &m->l->line[m->line[k + n - 1]];
    const int low = tn_amd_merge_offset(m, k), op = end->ins.op, align = m->l->line[m->line[k]].align;
    const int dwords = (end->ins.m[TN_AMD_OFFSET] - low) / 4 + end->ins.o[0].dwords;
    tn_amd_line *const line = tn_amd_merge_loads(m, &m->line[k], n, dwords);
    line->ins.op = (uint16_t)tn_amd_merge_op(op, dwords);
    line->ins.m[TN_AMD_OFFSET] = low;
    line->align = (uint8_t)align;
  }
  m->n = left;
  for (int k = 0; k + 1 < left && lds; k++) {
    int32_t offsets[2];
    const int op = tn_amd_merge_two(m, k, k + 1, offsets);
    if (op) tn_amd_merge_pair(m, k, k + 1, op, offsets);
    k += op != 0;
  }
}

// ** the list **

static int tn_amd_merge_open(tn_amd_merge *m, tn_amd_list *l) {
  tn_amd_uses u;
  m->l = l; m->nvreg = l->nvreg;
  m->once = (uint8_t *)tn_amd_scratch(l->t, (size_t)l->nvreg + (size_t)l->n, 1);
  m->into = (int *)tn_amd_scratch(l->t, 2 * (size_t)l->nvreg, sizeof *m->into);
  if (!m->once || !m->into) return 0;
  m->gone = m->once + l->nvreg; m->at = m->into + l->nvreg;
  for (int v = 0; v < l->nvreg; v++) m->into[v] = -1;
  for (int i = 0; i < l->n; i++) {
    tn_amd_uses_of(&l->line[i], &u);
    for (int k = 0; k < u.n; k++)
      if (u.of[k].role & TN_AMD_WRITES && u.of[k].reg >= TN_AMD_VIRTUAL)
        m->at[u.of[k].reg - TN_AMD_VIRTUAL]++;
  }
  for (int v = 0; v < l->nvreg; v++) m->once[v] = m->at[v] == 1;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_operand *const o = l->line[i].ins.o;
    if (l->line[i].kind != TN_AMD_LINE_COPY || !tn_amd_is_virtual(&o[1]) || !tn_amd_is_virtual(&o[0])) continue;
    const int v = o[1].reg - TN_AMD_VIRTUAL, whole = l->vreg[o[0].reg - TN_AMD_VIRTUAL].dwords == o[0].dwords;
    if (!whole && m->once[v]) m->once[v] = 2;
  }
  return 1;
}
static void tn_amd_merge_accesses(tn_amd_list *l) {
  tn_amd_merge m;
  int kept = 0;
  if (!tn_amd_merge_open(&m, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  for (int i = 0; i < l->n && !l->refused; i++) {
    if (!tn_amd_merge_may(&m, i)) continue;
    tn_amd_merge_find(&m, i);
    if (m.n > 1) tn_amd_merge_all(&m);
  }
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < l->line[i].ins.n; k++) {
      tn_amd_operand *const o = &l->line[i].ins.o[k];
      const int v = tn_amd_is_virtual(o) ? o->reg - TN_AMD_VIRTUAL : m.nvreg;
      if (v >= m.nvreg || m.into[v] < 0) continue;
      o->reg = (uint16_t)(TN_AMD_VIRTUAL + m.into[v]); o->sub = (uint8_t)(o->sub + m.at[v]);
    }
    if (!m.gone[i]) l->line[kept++] = l->line[i];
  }
  l->n = kept;
}
#endif
// ---- end src/amd/../isa/amd_merge.c ----
// ---- begin src/amd/../isa/amd_pipeline.c ----
// amd_pipeline: loads of a loop's next iteration are issued in this one, between what reads those of this one.
//
// In:    a list with virtual registers. Out: the list; of an innermost loop that is one block: L: A B C, back to L,
//        where A are the loads with their addresses, C counts and compares and B is the rest, becomes
//            A, L: C, out if done, B A, back to L, out: B
//        so that amd_schedule.c has B and the next A in one block. A register is loaded anew as soon as it has been
//        read: it takes no others, and A is done as often as before, with the same numbers.
// Holds: what A and C read, only they write in the loop; B reads what A wrote last, or C; A reads what C writes as it
//        was before; SCC stays within each; no store of B may be to what A loads behind it; EXEC does not change. Else
//        the loop stays as it is. Values that do not leave A or B get registers of their own outside of the loop.
// Source: Lam, "Software pipelining: an effective scheduling technique for VLIW machines", PLDI 1988.
#ifndef TN_ISA_AMD_PIPELINE
#define TN_ISA_AMD_PIPELINE
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#endif

enum { TN_AMD_PIPE_REST = 1, TN_AMD_PIPE_LOADS = 2, TN_AMD_PIPE_COUNTS = 4, TN_AMD_PIPE_COUNTED = 64,
  TN_AMD_PIPE_LOADED = 128, TN_AMD_PIPE_MOST = 600, TN_AMD_PIPE_DWORDS = 128, TN_AMD_PIPE_TIMES = 3 };
// Of a dword: which parts read and write it, as bits; wanted: by which part that writers are looked for, and whether it
// is loaded; carried: it is read before it is written in its part; named: how often in the loop; first, last: lines
// that write it
typedef struct tn_amd_pipe_dword { uint8_t reads, writes, wanted, carried; int named, first, last; } tn_amd_pipe_dword;
typedef struct tn_amd_pipe {
  tn_amd_graph g; tn_amd_list *l;
  tn_amd_pipe_dword *dword; uint8_t *part; int *scc;         // of lines: its part; who wrote the SCC that it reads
  int *clone;                                                // of virtual registers, -1: none
  int loop, begin, end;                                      // LOOP; lines of the block, without its branch
  tn_amd_line *out; int n, cap;
} tn_amd_pipe;

// Calls do(p, line, first dword, dwords, role) for what a line names, but SCC; 0 as soon as one says so.
typedef int (*tn_amd_pipe_do)(tn_amd_pipe *p, int line, int first, int n, int role);
static int tn_amd_pipe_each(tn_amd_pipe *p, int line, tn_amd_pipe_do what) {
  for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++) {               // first what it reads
    for (int k = 0; k < p->g.uses[line].n; k++) {
      int n;
      const int first = tn_amd_dword_of(&p->g, &p->g.uses[line].of[k], &n);
      if (first < 0 || first == TN_AMD_DWORD_SCC || !(p->g.uses[line].of[k].role & role)) continue;
      if (!what(p, line, first, n, role)) return 0;
    }
  }
  return 1;
}

// ** the loop's block **

static int tn_amd_pipe_turned(int op) {
  switch (op) {
    case TN_AMD_S_CBRANCH_SCC0: return TN_AMD_S_CBRANCH_SCC1;
    case TN_AMD_S_CBRANCH_SCC1: return TN_AMD_S_CBRANCH_SCC0;
    case TN_AMD_S_CBRANCH_VCCZ: return TN_AMD_S_CBRANCH_VCCNZ;
    case TN_AMD_S_CBRANCH_VCCNZ: return TN_AMD_S_CBRANCH_VCCZ;
    default: return 0;
  }
}
static int tn_amd_pipe_is_block(tn_amd_pipe *p, int loop) {
  const tn_amd_list *const l = p->l;
  p->loop = loop; p->begin = p->end = loop + 2;
  if (l->line[loop].kind != TN_AMD_LINE_LOOP || loop + 1 >= l->n || l->line[loop + 1].kind != TN_AMD_LINE_LABEL)
    return 0;
  while (p->end < l->n && !p->g.trait[p->end].stands) p->end++;
  if (p->end + 1 >= l->n || p->end - p->begin > TN_AMD_PIPE_MOST) return 0;
  const tn_amd_line *const back = &l->line[p->end];
  if (l->line[loop].times && l->line[loop].times < TN_AMD_PIPE_TIMES) return 0;
  return back->kind == TN_AMD_LINE_INS && tn_amd_pipe_turned(back->ins.op) && back->label == l->line[loop + 1].label &&
      l->line[p->end + 1].kind == TN_AMD_LINE_LOOP_END;
}
static int tn_amd_scc_role(const tn_amd_uses *u) {
  int role = 0;
  for (int k = 0; k < u->n; k++)
    if (u->of[k].kind == TN_AMD_SPECIAL && u->of[k].reg == TN_AMD_SCC) role |= u->of[k].role;
  return role;
}
// Who wrote the SCC that each line reads: -2: it reads none; -1: nobody in the loop. 0: EXEC is written.
static int tn_amd_pipe_flags(tn_amd_pipe *p) {
  int last = -1;
  for (int i = p->begin; i <= p->end; i++) {
    const tn_amd_uses *const u = &p->g.uses[i];
    const int role = tn_amd_scc_role(u);
    p->part[i] = TN_AMD_PIPE_REST;
    p->scc[i] = role & TN_AMD_READS ? last : -2;
    if (role & TN_AMD_WRITES) last = i;
    for (int k = 0; k < u->n; k++)
      if (u->of[k].kind == TN_AMD_SGPR && u->of[k].role & TN_AMD_WRITES && u->of[k].reg / 2 == TN_AMD_EXEC / 2)
        return 0;
  }
  return 1;
}

// ** parts **

static int tn_amd_pipe_forget(tn_amd_pipe *p, int line, int first, int n, int role) {
  const tn_amd_pipe_dword none = {0, 0, 0, 0, 0, -1, -1};
  for (int d = first; d < first + n; d++) p->dword[d] = none;
  (void)line; (void)role;
  return 1;
}
static int tn_amd_pipe_wants(tn_amd_pipe *p, int line, int first, int n, int role) {
  for (int d = first; d < first + n && role == TN_AMD_READS; d++) p->dword[d].wanted |= p->part[line];
  return 1;
}
static void tn_amd_pipe_put(tn_amd_pipe *p, int line, int part) {
  p->part[line] = (uint8_t)part;
  tn_amd_pipe_each(p, line, tn_amd_pipe_wants);
  if (p->scc[line] >= 0 && p->part[p->scc[line]] == TN_AMD_PIPE_REST) tn_amd_pipe_put(p, p->scc[line], part);
}
// 0: it writes something that part wants.
static int tn_amd_pipe_unwanted(tn_amd_pipe *p, int line, int first, int n, int role) {
  const int part = p->part[p->end];        // of the branch: which is looked for
  for (int d = first; d < first + n && role == TN_AMD_WRITES; d++) if (p->dword[d].wanted & part) return 0;
  (void)line;
  return 1;
}
// All that writes what the part reads is of the part, too.
static void tn_amd_pipe_close(tn_amd_pipe *p, int part) {
  p->part[p->end] = (uint8_t)part;
  for (int more = 1; more;) {
    more = 0;
    for (int i = p->end - 1; i >= p->begin; i--) {
      if (p->part[i] != TN_AMD_PIPE_REST || tn_amd_pipe_each(p, i, tn_amd_pipe_unwanted)) continue;
      tn_amd_pipe_put(p, i, part);
      more = 1;
    }
  }
}
// A copy that joins what is loaded.
static int tn_amd_pipe_joins(const tn_amd_pipe *p, int line) {
  const tn_amd_ins *const ins = &p->l->line[line].ins;
  if (p->l->line[line].kind != TN_AMD_LINE_COPY || !tn_amd_is_virtual(&ins->o[1]) || !tn_amd_is_virtual(&ins->o[0]))
    return 0;
  const int first = TN_AMD_DWORD_VIRTUAL + p->g.first[ins->o[1].reg - TN_AMD_VIRTUAL] + ins->o[1].sub;
  for (int d = first; d < first + ins->o[1].dwords; d++)
    if (!(p->dword[d].wanted & TN_AMD_PIPE_LOADED) || p->g.dword[d].count != 2) return 0;
  return ins->o[0].kind == ins->o[1].kind;
}
static int tn_amd_pipe_loaded(tn_amd_pipe *p, int line, int first, int n, int role) {
  for (int d = first; d < first + n && role == TN_AMD_WRITES; d++) p->dword[d].wanted |= TN_AMD_PIPE_LOADED;
  (void)line;
  return 1;
}
// 0: there is nothing to gain.
static int tn_amd_pipe_parts(tn_amd_pipe *p) {
  int loads = 0, rest = 0;
  for (int i = p->begin; i <= p->end; i++) tn_amd_pipe_each(p, i, tn_amd_pipe_forget);
  tn_amd_pipe_put(p, p->end, TN_AMD_PIPE_COUNTS);
  tn_amd_pipe_close(p, TN_AMD_PIPE_COUNTS);
  for (int i = p->begin; i < p->end; i++) {
    tn_amd_access a;
    const int accesses = tn_amd_access_of(&p->l->line[i], &a);
    if (!accesses || a.stores) continue;
    if (p->part[i] == TN_AMD_PIPE_COUNTS) return 0;
    tn_amd_pipe_put(p, i, TN_AMD_PIPE_LOADS);
    tn_amd_pipe_each(p, i, tn_amd_pipe_loaded);
    loads++;
  }
  tn_amd_pipe_close(p, TN_AMD_PIPE_LOADS);
  for (int i = p->begin; i < p->end; i++) {
    if (p->part[i] == TN_AMD_PIPE_REST && tn_amd_pipe_joins(p, i)) p->part[i] = TN_AMD_PIPE_LOADS;
    rest += p->part[i] == TN_AMD_PIPE_REST;
  }
  p->part[p->end] = TN_AMD_PIPE_COUNTS;
  return loads && rest;
}

// ** what holds **

static int tn_amd_pipe_names(tn_amd_pipe *p, int line, int first, int n, int role) {
  const int part = p->part[line];
  for (tn_amd_pipe_dword *d = &p->dword[first]; d < &p->dword[first + n]; d++) {
    if (role == TN_AMD_READS) { d->reads |= (uint8_t)part; if (!(d->writes & part)) d->carried |= (uint8_t)part; }
    else {
      d->writes |= (uint8_t)part;
      if (part != TN_AMD_PIPE_REST && d->first < 0) d->first = line;
      if (part != TN_AMD_PIPE_REST) d->last = line;
    }
  }
  return 1;
}
static int tn_amd_pipe_holds(tn_amd_pipe *p, int line, int first, int n, int role) {
  const int part = p->part[line], others = TN_AMD_PIPE_LOADS | TN_AMD_PIPE_COUNTS;
  for (const tn_amd_pipe_dword *d = &p->dword[first]; d < &p->dword[first + n]; d++) {
    const int by = d->writes, counts = by & TN_AMD_PIPE_COUNTS;
    if (by & TN_AMD_PIPE_REST && (by | d->reads) & others) return 0;
    if (by == others) return 0;
    if (role == TN_AMD_WRITES || !(by & others)) continue;
    if (part == TN_AMD_PIPE_LOADS && counts && line >= d->first) return 0;
    if (part == TN_AMD_PIPE_REST && line <= d->last) return 0;
    if (part == TN_AMD_PIPE_COUNTS && !counts) return 0;
  }
  return 1;
}
// A load that comes behind a store of the rest comes before it then.
static int tn_amd_pipe_memory(tn_amd_pipe *p) {
  for (int i = p->begin; i < p->end; i++) {
    tn_amd_access store, load;
    if (!tn_amd_access_of(&p->l->line[i], &store) || !store.stores) continue;
    if (p->part[i] != TN_AMD_PIPE_REST) return 0;
    for (int k = i + 1; k < p->end; k++)
      if (p->part[k] == TN_AMD_PIPE_LOADS && tn_amd_access_of(&p->l->line[k], &load) &&
          !tn_amd_access_elsewhere(&store, &load)) return 0;
  }
  return 1;
}
// Of vectors, from the loads to the rest; each is marked when it is counted.
static int tn_amd_pipe_dwords(tn_amd_pipe *p) {
  int sum = 0;
  for (int i = p->begin; i < p->end; i++) {
    for (int k = 0; k < p->g.uses[i].n; k++) {
      const tn_amd_use *const u = &p->g.uses[i].of[k];
      int n;
      const int first = tn_amd_dword_of(&p->g, u, &n);
      const int counts = p->part[i] == TN_AMD_PIPE_LOADS && u->kind == TN_AMD_VGPR;
      for (int d = first; d >= 0 && d < first + n && counts && u->role & TN_AMD_WRITES; d++) {
        sum += p->dword[d].reads & TN_AMD_PIPE_REST && !(p->dword[d].wanted & TN_AMD_PIPE_COUNTED);
        p->dword[d].wanted |= TN_AMD_PIPE_COUNTED;
      }
    }
  }
  return sum;
}
static int tn_amd_pipe_count(tn_amd_pipe *p, int line, int first, int n, int role) {
  (void)line; (void)role;
  for (int d = first; d < first + n; d++) p->dword[d].named++;
  return 1;
}
static int tn_amd_pipe_may(tn_amd_pipe *p) {
  if (!tn_amd_pipe_flags(p) || !tn_amd_pipe_parts(p)) return 0;
  for (int i = p->begin; i <= p->end; i++) {
    if (p->scc[i] == -1 || (p->scc[i] >= 0 && p->part[p->scc[i]] != p->part[i])) return 0;
    tn_amd_pipe_each(p, i, tn_amd_pipe_names);
    tn_amd_pipe_each(p, i, tn_amd_pipe_count);
  }
  for (int i = p->begin; i <= p->end; i++) if (!tn_amd_pipe_each(p, i, tn_amd_pipe_holds)) return 0;
  return tn_amd_pipe_memory(p) && tn_amd_pipe_dwords(p) <= TN_AMD_PIPE_DWORDS;
}

// ** the list anew **

static tn_amd_line *tn_amd_pipe_line(tn_amd_pipe *p) {
  tn_amd_line *const all = (tn_amd_line *)tn_amd_grown_in(p->l, p->out, p->n, &p->cap, sizeof *all, 1);
  if (!all) return NULL;
  p->out = all;
  memset(&p->out[p->n], 0, sizeof *all);
  return &p->out[p->n++];
}
static void tn_amd_pipe_lines(tn_amd_pipe *p, int from, int to) {
  for (int i = from; i < to; i++) {
    tn_amd_line *const line = tn_amd_pipe_line(p);
    if (line) *line = p->l->line[i];
  }
}
static void tn_amd_pipe_branch(tn_amd_pipe *p, int op, int label) {
  tn_amd_line *const line = tn_amd_pipe_line(p);
  if (!line) return;
  line->ins.op = (uint16_t)op; line->ins.family = (uint8_t)p->l->family; line->ins.n = 1;
  line->ins.o[0] = tn_amd_imm(0);
  line->label = label;
}
// Does a register lie in a part alone, and begin anew in each iteration? Its dwords are named as often as in all lines.
static int tn_amd_pipe_is_own(const tn_amd_pipe *p, int v, int part) {
  for (int k = 0; k < p->l->vreg[v].dwords; k++) {
    const int at = TN_AMD_DWORD_VIRTUAL + p->g.first[v] + k;
    const tn_amd_pipe_dword *const d = &p->dword[at];
    if (d->named != p->g.dword[at].count || (d->reads | d->writes) & ~part || d->carried) return 0;
  }
  return p->l->vreg[v].fixed < 0;
}
static void tn_amd_pipe_rename(tn_amd_pipe *p, tn_amd_operand *o, int part) {
  if (!tn_amd_is_virtual(o)) return;
  const int v = o->reg - TN_AMD_VIRTUAL;
  if (p->clone[v] < 0 && tn_amd_pipe_is_own(p, v, part)) {
    p->clone[v] = tn_amd_vreg_new(p->l, p->l->vreg[v].kind, p->l->vreg[v].dwords);
    p->l->vreg[p->clone[v]].hint = p->l->vreg[v].hint < 0 ? p->l->vreg[v].hint : -1;
  }
  if (p->clone[v] >= 0) o->reg = (uint16_t)(TN_AMD_VIRTUAL + p->clone[v]);
}
// Lines of a part; outside: those beside the loop.
static void tn_amd_pipe_part(tn_amd_pipe *p, int part, int outside) {
  for (int i = p->begin; i < p->end; i++) {
    if (p->part[i] != part) continue;
    tn_amd_line *const line = tn_amd_pipe_line(p);
    if (!line) return;
    *line = p->l->line[i];
    for (int k = 0; k < line->ins.n && outside; k++) tn_amd_pipe_rename(p, &line->ins.o[k], part);
  }
}
static void tn_amd_pipe_loop(tn_amd_pipe *p) {
  const tn_amd_line *const line = p->l->line;
  const int out = tn_amd_label_new(p->l), again = line[p->loop + 1].label;
  tn_amd_pipe_part(p, TN_AMD_PIPE_LOADS, 1);
  tn_amd_pipe_lines(p, p->loop, p->begin);
  tn_amd_pipe_part(p, TN_AMD_PIPE_COUNTS, 0);
  tn_amd_pipe_branch(p, tn_amd_pipe_turned(line[p->end].ins.op), out);
  tn_amd_pipe_part(p, TN_AMD_PIPE_REST, 0);
  tn_amd_pipe_part(p, TN_AMD_PIPE_LOADS, 0);
  tn_amd_pipe_branch(p, TN_AMD_S_BRANCH, again);
  tn_amd_pipe_lines(p, p->end + 1, p->end + 2);
  tn_amd_line *const label = tn_amd_pipe_line(p);
  if (label) { label->kind = TN_AMD_LINE_LABEL; label->label = out; label->ins.family = (uint8_t)p->l->family; }
  tn_amd_pipe_part(p, TN_AMD_PIPE_REST, 1);
}

static int tn_amd_pipe_open(tn_amd_pipe *p, tn_amd_list *l) {
  memset(p, 0, sizeof *p);
  p->l = l;
  if (!tn_amd_graph_open(&p->g, l)) return 0;
  p->dword = (tn_amd_pipe_dword *)tn_amd_room(l, (size_t)tn_amd_graph_dwords(&p->g), sizeof *p->dword);
  p->part = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  p->scc = (int *)tn_amd_room(l, (size_t)l->n, sizeof *p->scc);
  p->clone = (int *)tn_amd_room(l, (size_t)l->nvreg, sizeof *p->clone);
  for (int v = 0; v < l->nvreg && p->clone; v++) p->clone[v] = -1;
  return p->dword && p->part && p->scc && p->clone;
}
static void tn_amd_pipeline(tn_amd_list *l) {
  tn_amd_pipe p;
  int done = 0, loops = 0;
  for (int i = 0; i < l->n; i++) loops += l->line[i].kind == TN_AMD_LINE_LOOP;
  if (l->refused || !loops) return;
  if (!tn_amd_pipe_open(&p, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  const int n = l->n;
  p.out = tn_amd_other_lines(l, n + n / 2, &p.cap);
  for (int i = 0; i < n && p.out; i++) {
    if (!tn_amd_pipe_is_block(&p, i)) continue;
    if (tn_amd_pipe_may(&p)) {
      tn_amd_pipe_lines(&p, done, i);
      tn_amd_pipe_loop(&p);
      done = p.end + 2;
    }
    for (int k = p.begin; k <= p.end; k++) tn_amd_pipe_each(&p, k, tn_amd_pipe_forget);      // of other loops nothing
  }
  if (!done || l->refused) return;
  tn_amd_pipe_lines(&p, done, n);
  if (l->refused) return;
  tn_amd_lines_are(l, p.out, p.n, p.cap);
}
#endif
// ---- end src/amd/../isa/amd_pipeline.c ----
// ---- begin src/amd/../isa/amd_schedule.c ----
// amd_schedule: the order of lines in basic blocks: loads early, what waits for them late, few registers at a time.
//
// In:    a list with virtual registers. Out: the list; within a block lines have another order.
// Holds: a line is issued when all that it waits for is there, of blocks before, too, as far as there is a line so; of
//        several the one from which the way to the end of the block is longest. Where registers are short, what takes
//        none goes first, then what stood first: the order before is the order of least registers that is known. Short
//        is what the list took before, or what as many waves of a SIMD have. A block that came to more keeps its order.
// Source: Gibbons and Muchnick, "Efficient instruction scheduling for a pipelined architecture", PLDI 1986; Goodman and
//         Hsu, "Code scheduling and register allocation in large basic blocks", ICS 1988.
#ifndef TN_ISA_AMD_SCHEDULE
#define TN_ISA_AMD_SCHEDULE
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#endif

// ** registers that are live, by kind **

enum { TN_AMD_LIVE_V, TN_AMD_LIVE_S, TN_AMD_LIVE_A, TN_AMD_LIVES };
// Of a virtual register: lines from which to which it is live, and in the block: how many uses are left; is it live?
typedef struct tn_amd_life { int first, last, left, block; uint8_t live; } tn_amd_life;
typedef struct tn_amd_pressure { int of[TN_AMD_LIVES]; } tn_amd_pressure;
// The least key first; its low half is a line.
typedef struct tn_amd_heap { int64_t *key; int n; } tn_amd_heap;
typedef struct tn_amd_order {
  tn_amd_graph g; tn_amd_life *life;
  tn_amd_pressure *at;                     // in front of a line
  tn_amd_pressure now, most, limit;
  tn_amd_heap greedy, modest, later;       // lines that may be next: what takes registers, others; and not yet
  int *order, n, lowest, cycle, block;
} tn_amd_order;

static int tn_amd_live_kind(const tn_amd_vreg *v) {
  return v->kind == TN_AMD_SGPR ? TN_AMD_LIVE_S : v->kind == TN_AMD_AGPR ? TN_AMD_LIVE_A : TN_AMD_LIVE_V;
}
static void tn_amd_lives_named(tn_amd_order *o) {
  const tn_amd_list *const l = o->g.l;
  for (int v = 0; v < l->nvreg; v++) o->life[v].first = o->life[v].last = o->life[v].block = -1;
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < o->g.uses[i].n; k++) {
      if (o->g.uses[i].of[k].reg < TN_AMD_VIRTUAL || o->g.uses[i].of[k].kind == TN_AMD_SPECIAL) continue;
      tn_amd_life *const life = &o->life[o->g.uses[i].of[k].reg - TN_AMD_VIRTUAL];
      if (life->first < 0) life->first = i;
      life->last = i;
    }
  }
}
// What is live when a loop begins and is named in it is live to the loop's end. loop: of a line, the innermost loop's
// LOOP, -1: none; of a LOOP the one around it; end: of a LOOP.
static int tn_amd_lives_loops(tn_amd_order *o) {
  tn_amd_list *const l = o->g.l;
  int *const loop = (int *)tn_amd_room(l, 2 * (size_t)l->n, sizeof *loop), *const end = loop + l->n, in = -1;
  if (!loop) return 0;
  for (int i = 0; i < l->n; i++) {
    loop[i] = in;
    if (l->line[i].kind == TN_AMD_LINE_LOOP) in = i;
    else if (l->line[i].kind == TN_AMD_LINE_LOOP_END && in >= 0) { end[in] = i; in = loop[in]; }
  }
  for (int v = 0; v < l->nvreg; v++) {
    tn_amd_life *const life = &o->life[v];
    for (int at = life->last < 0 ? -1 : loop[life->last]; at >= 0 && life->first < at; at = loop[at])
      if (end[at] > life->last) life->last = end[at];
  }
  return 1;
}
static void tn_amd_lives_count(tn_amd_order *o) {
  const tn_amd_list *const l = o->g.l;
  for (int v = 0; v < l->nvreg; v++) {
    const tn_amd_life *const life = &o->life[v];
    const int kind = tn_amd_live_kind(&l->vreg[v]);
    if (life->first < 0) continue;
    o->at[life->first + 1].of[kind] += l->vreg[v].dwords;
    o->at[life->last + 1].of[kind] -= l->vreg[v].dwords;
  }
  for (int i = 1; i <= l->n; i++)
    for (int k = 0; k < TN_AMD_LIVES; k++) o->at[i].of[k] += o->at[i - 1].of[k];
}

// The block begins: which are live, and how often each is named in it.
static void tn_amd_block_begins(tn_amd_order *o) {
  o->now = o->most = o->at[o->g.begin];
  o->block++;
  for (int i = o->g.begin; i < o->g.end; i++) {
    for (int k = 0; k < o->g.uses[i].n; k++) {
      if (o->g.uses[i].of[k].reg < TN_AMD_VIRTUAL || o->g.uses[i].of[k].kind == TN_AMD_SPECIAL) continue;
      tn_amd_life *const life = &o->life[o->g.uses[i].of[k].reg - TN_AMD_VIRTUAL];
      if (life->block != o->block) { life->block = o->block; life->left = 0; life->live = life->first < o->g.begin; }
      life->left++;
    }
  }
}
// Dwords that a line adds to what is live; does: it is issued.
static tn_amd_pressure tn_amd_line_adds(tn_amd_order *o, int line, int does) {
  const tn_amd_uses *const u = &o->g.uses[line];
  tn_amd_pressure adds = {{0, 0, 0}};
  for (int k = 0; k < u->n; k++) {
    if (u->of[k].reg < TN_AMD_VIRTUAL || u->of[k].kind == TN_AMD_SPECIAL) continue;
    const tn_amd_vreg *const v = &o->g.l->vreg[u->of[k].reg - TN_AMD_VIRTUAL];
    tn_amd_life *const life = &o->life[u->of[k].reg - TN_AMD_VIRTUAL];
    int before = 0, uses = 0;
    for (int i = 0; i < u->n; i++) if (u->of[i].reg == u->of[k].reg) { uses++; before += i < k; }
    if (before) continue;
    const int dies = life->left == uses && life->last < o->g.end;
    adds.of[tn_amd_live_kind(v)] += (!life->live - dies) * v->dwords;
    if (does) { life->left -= uses; life->live = (uint8_t)!dies; }
  }
  return adds;
}
static void tn_amd_line_lives(tn_amd_order *o, int line) {
  const tn_amd_pressure adds = tn_amd_line_adds(o, line, 1);
  for (int k = 0; k < TN_AMD_LIVES; k++) {
    o->now.of[k] += adds.of[k];
    if (o->now.of[k] > o->most.of[k]) o->most.of[k] = o->now.of[k];
  }
}
static int tn_amd_line_fits(tn_amd_order *o, int line) {
  const tn_amd_pressure adds = tn_amd_line_adds(o, line, 0);
  for (int k = 0; k < TN_AMD_LIVES; k++) if (adds.of[k] > 0 && o->now.of[k] + adds.of[k] > o->limit.of[k]) return 0;
  return 1;
}

// ** heaps **

static void tn_amd_heap_push(tn_amd_heap *h, int64_t key) {
  int at = h->n++;
  for (; at && h->key[(at - 1) / 2] > key; at = (at - 1) / 2) h->key[at] = h->key[(at - 1) / 2];
  h->key[at] = key;
}
static int tn_amd_heap_pop(tn_amd_heap *h) {
  const int top = (int)(h->key[0] & 0x7FFFFFFF);
  const int64_t last = h->key[--h->n];
  int at = 0;
  for (int next = 1; next < h->n; at = next, next = 2 * at + 1) {
    if (next + 1 < h->n && h->key[next + 1] < h->key[next]) next++;
    if (h->key[next] >= last) break;
    h->key[at] = h->key[next];
  }
  h->key[at] = last;
  return top;
}
// Lines that have been issued out of turn are dropped.
static int tn_amd_heap_top(const tn_amd_order *o, tn_amd_heap *h) {
  while (h->n && o->g.node[h->key[0] & 0x7FFFFFFF].done) tn_amd_heap_pop(h);
  return h->n ? (int)(h->key[0] & 0x7FFFFFFF) : -1;
}

// ** the order of a block **

// Does it take more dwords of a kind than it names?
static int tn_amd_is_greedy(const tn_amd_order *o, int line) {
  const tn_amd_uses *const u = &o->g.uses[line];
  int sum = 0;
  for (int k = 0; k < u->n; k++) {
    if (u->of[k].reg < TN_AMD_VIRTUAL || u->of[k].kind == TN_AMD_SPECIAL) continue;
    sum += u->of[k].role & TN_AMD_WRITES ? u->of[k].dwords : -u->of[k].dwords;
  }
  return sum > 0;
}
// Of two lines from which the way is as long, loads go first: what they wait for is read.
static int64_t tn_amd_line_key(const tn_amd_order *o, int line) {
  const int unit = o->g.trait[line].unit, loads = unit == TN_AMD_U_SMEM || unit >= TN_AMD_U_LDS;
  return (int64_t)(0x3FFFFFFF - 2 * o->g.node[line].height - loads) << 31 | line;
}
static void tn_amd_line_ready(tn_amd_order *o, int line) {
  if (o->g.node[line].joins) tn_amd_heap_push(&o->modest, line);                // before all others
  else tn_amd_heap_push(&o->later, (int64_t)o->g.node[line].soon << 31 | line);
}
static void tn_amd_lines_arrive(tn_amd_order *o) {
  for (int line; (line = tn_amd_heap_top(o, &o->later)) >= 0 && o->g.node[line].soon <= o->cycle;) {
    tn_amd_heap_pop(&o->later);
    tn_amd_heap_push(tn_amd_is_greedy(o, line) ? &o->greedy : &o->modest, tn_amd_line_key(o, line));
  }
}
// Of what could be issued now what fits; -1: nothing does.
static int tn_amd_line_modest(tn_amd_order *o) {
  enum { TRIES = 8 };
  int64_t tried[TRIES];
  int n = 0, line, found = -1;
  while (found < 0 && n < TRIES && (line = tn_amd_heap_top(o, &o->modest)) >= 0) {
    tried[n++] = o->modest.key[0];
    tn_amd_heap_pop(&o->modest);
    if (o->g.node[line].joins || tn_amd_line_fits(o, line)) found = line;
  }
  for (int i = 0; i < n; i++) if ((int)(tried[i] & 0x7FFFFFFF) != found) tn_amd_heap_push(&o->modest, tried[i]);
  return found;
}
static int tn_amd_line_now(tn_amd_order *o) {
  const int greedy = tn_amd_heap_top(o, &o->greedy), modest = tn_amd_heap_top(o, &o->modest);
  if (greedy >= 0 && (modest < 0 || o->greedy.key[0] < o->modest.key[0]) && tn_amd_line_fits(o, greedy)) {
    tn_amd_heap_pop(&o->greedy);
    return greedy;
  }
  const int line = tn_amd_line_modest(o);
  if (line >= 0 || greedy < 0 || !tn_amd_line_fits(o, greedy)) return line;
  tn_amd_heap_pop(&o->greedy);
  return greedy;
}
// Time passes until something fits; where nothing ever will, what stood first.
static int tn_amd_line_next(tn_amd_order *o) {
  for (;;) {
    tn_amd_lines_arrive(o);
    const int line = tn_amd_line_now(o);
    if (line >= 0) return line;
    const int later = tn_amd_heap_top(o, &o->later);
    if (later < 0) break;
    o->cycle = o->g.node[later].soon;
  }
  while (o->g.node[o->lowest].done) o->lowest++;
  return o->lowest;
}
static void tn_amd_line_issue(tn_amd_order *o, int line) {
  tn_amd_graph *const g = &o->g;
  tn_amd_node *const n = &g->node[line];
  n->done = 1;
  o->order[o->n++] = line;
  tn_amd_line_lives(o, line);
  if (n->soon > o->cycle && !n->joins) o->cycle = n->soon;
  for (int e = n->edge; e >= 0; e = g->edge[e].next) {
    tn_amd_node *const to = &g->node[g->edge[e].to];
    const int there = o->cycle + g->edge[e].cycles;
    if (there > to->soon) to->soon = there;
    if (!--to->left) tn_amd_line_ready(o, g->edge[e].to);
  }
  if (!n->joins) o->cycle += g->trait[line].issue;
}
static void tn_amd_block_order(tn_amd_order *o) {
  tn_amd_graph *const g = &o->g;
  tn_amd_block_begins(o);
  o->greedy.n = o->modest.n = o->later.n = o->n = o->cycle = 0;
  o->lowest = g->begin;
  for (int i = g->begin; i < g->end; i++) {
    tn_amd_node *const n = &g->node[i];
    n->left = n->preds; n->soon = n->earliest; n->done = 0;
    if (!n->preds) tn_amd_line_ready(o, i);
  }
  while (o->n < g->end - g->begin) tn_amd_line_issue(o, tn_amd_line_next(o));
}

// The block has been passed, in the order that it has now: what is under way behind it? A loop is taken to be gone
// through once.
static void tn_amd_block_passes(tn_amd_order *o) {
  tn_amd_graph *const g = &o->g;
  for (int i = 0; i < o->n; i++) {
    const int line = o->order[i];
    int there[2] = {g->now, 0};
    for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++) {
      for (int k = 0; k < g->uses[line].n; k++) {
        int n;
        const int first = g->uses[line].of[k].role & role ? tn_amd_dword_of(g, &g->uses[line].of[k], &n) : -1;
        for (int d = first; first >= 0 && d < first + n; d++) {
          if (role == TN_AMD_WRITES) g->dword[d].there = there[1];
          else if (g->dword[d].there > there[0]) there[0] = g->dword[d].there;
        }
      }
      if (role == TN_AMD_READS) there[1] = g->node[line].joins ? there[0] : there[0] + g->trait[line].cycles;
    }
    if (!g->node[line].joins) g->now = there[0] + g->trait[line].issue;
  }
}

// ** limits **

// What the block takes as it is.
static tn_amd_pressure tn_amd_block_takes(tn_amd_order *o) {
  tn_amd_block_begins(o);
  for (int i = o->g.begin; i < o->g.end; i++) tn_amd_line_lives(o, i);
  return o->most;
}
// Registers that as many waves have as have n; some are left for what tuples leave between them. Matrix units are kept
// busy by fewer waves, which have more that does not wait for each other.
static int tn_amd_waves_limit(const tn_amd_chip *chip, int n, int matrices) {
  enum { MOST = 200, LEFT = 4 };
  const int granule = chip->granule, taken = (n + granule - 1) / granule * granule;
  int waves = taken ? chip->vgprs / taken : chip->waves;
  if (waves > chip->waves) waves = chip->waves;
  if (matrices && waves > 4) waves -= waves / 4;
  const int each = waves ? chip->vgprs / waves / granule * granule - LEFT : MOST;
  const int limit = each < MOST ? each : MOST;
  return n > limit ? n : limit;
}
// -> the first line behind the block that begins there.
static int tn_amd_block_end(const tn_amd_graph *g, int begin) {
  while (begin < g->l->n && !g->trait[begin].stands) begin++;
  return begin;
}
static void tn_amd_limits(tn_amd_order *o) {
  enum { SGPRS = 80, MOST_SGPRS = 96, AGPRS = 256, MOST_VGPRS = 240 };
  const tn_amd_list *const l = o->g.l;
  tn_amd_pressure most = {{0, 0, 0}};
  int matrices = 0;
  for (int i = 0; i < l->n; i++) matrices |= o->g.trait[i].unit == TN_AMD_U_MATRIX;
  for (int i = 0; i < l->n; i = o->g.end + 1) {
    o->g.begin = i; o->g.end = tn_amd_block_end(&o->g, i);
    const tn_amd_pressure takes = tn_amd_block_takes(o);
    for (int k = 0; k < TN_AMD_LIVES; k++) if (takes.of[k] > most.of[k]) most.of[k] = takes.of[k];
  }
  const int v = most.of[TN_AMD_LIVE_V], s = most.of[TN_AMD_LIVE_S];
  o->limit.of[TN_AMD_LIVE_V] = tn_amd_waves_limit(l->chip, v < MOST_VGPRS ? v : MOST_VGPRS, matrices);
  o->limit.of[TN_AMD_LIVE_S] = s < SGPRS ? SGPRS : s < MOST_SGPRS ? s : MOST_SGPRS;
  o->limit.of[TN_AMD_LIVE_A] = AGPRS;
}

// ** all **

static int tn_amd_order_open(tn_amd_order *o, tn_amd_list *l) {
  const size_t n = (size_t)l->n;
  int longest = 1;
  memset(o, 0, sizeof *o);
  if (!tn_amd_graph_open(&o->g, l)) return 0;
  for (int i = 0; i < l->n; i++) {
    const int end = tn_amd_block_end(&o->g, i);
    if (end - i > longest) longest = end - i;
    i = end;
  }
  o->life = (tn_amd_life *)tn_amd_room(l, (size_t)l->nvreg, sizeof *o->life);
  o->at = (tn_amd_pressure *)tn_amd_room(l, n + 2, sizeof *o->at);
  o->order = (int *)tn_amd_room(l, n, sizeof *o->order);
  o->greedy.key = (int64_t *)tn_amd_room(l, 3 * (size_t)longest, sizeof *o->greedy.key);
  if (!o->life || !o->at || !o->order || !o->greedy.key) return 0;
  o->modest.key = o->greedy.key + longest;
  o->later.key = o->modest.key + longest;
  tn_amd_lives_named(o);
  if (!tn_amd_lives_loops(o)) return 0;
  tn_amd_lives_count(o);
  return 1;
}
// More than the limit, and more than before?
static int tn_amd_takes_more(const tn_amd_order *o, const tn_amd_pressure *limit, const tn_amd_pressure *before) {
  for (int k = 0; k < TN_AMD_LIVES; k++)
    if (o->most.of[k] > limit->of[k] && o->most.of[k] > before->of[k]) return 1;
  return 0;
}
// Lines of the ring that one of the order is in go to their places.
static void tn_amd_block_moves(tn_amd_order *o, int at) {
  tn_amd_line *const lines = &o->g.l->line[o->g.begin];
  const tn_amd_line first = lines[at];
  int to = at;
  for (int from = o->order[to] - o->g.begin; from != at && from != to; from = o->order[to] - o->g.begin) {
    lines[to] = lines[from];
    o->order[to] = o->g.begin + to;
    to = from;
  }
  if (to == at) return;
  lines[to] = first;
  o->order[to] = o->g.begin + to;
}
static void tn_amd_schedule_block(tn_amd_order *o, int begin, int end) {
  enum { TRIES = 4, TUPLE = 4 };
  tn_amd_list *const l = o->g.l;
  const tn_amd_pressure limit = o->limit;
  o->g.begin = begin; o->g.end = end;
  const tn_amd_pressure before = tn_amd_block_takes(o);
  int more = 1;
  tn_amd_graph_of(&o->g, begin, end);
  tn_amd_graph_heights(&o->g);
  for (int i = 0; i < TRIES && more && !l->refused; i++) {
    tn_amd_block_order(o);
    more = tn_amd_takes_more(o, &limit, &before);
    for (int k = 0; k < TN_AMD_LIVES; k++)                   // of what came to too much there is less to begin with
      if (o->most.of[k] > limit.of[k]) o->limit.of[k] -= (o->most.of[k] - limit.of[k] + TUPLE) << i;
  }
  o->limit = limit;
  if (l->refused) return;
  for (int i = 0; i < o->n && more; i++) o->order[i] = begin + i;
  tn_amd_block_passes(o);
  for (int i = 0; i < o->n; i++) tn_amd_block_moves(o, i);
}
// Labels that nobody goes to begin no block.
static int tn_amd_labels_dropped(tn_amd_list *l) {
  uint8_t *const used = (uint8_t *)tn_amd_room(l, (size_t)l->labels, 1);
  int n = 1;
  if (!used) return 0;
  for (int i = 0; i < l->n; i++)
    if (l->line[i].kind == TN_AMD_LINE_INS && l->line[i].label >= 0) used[l->line[i].label] = 1;
  for (int i = 1; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (line->kind == TN_AMD_LINE_LABEL && line->label >= 0 && !used[line->label]) continue;
    if (n != i) l->line[n] = *line;
    n++;
  }
  l->n = n;
  return 1;
}
static void tn_amd_schedule(tn_amd_list *l) {
  tn_amd_order o;
  if (l->refused) return;
  if (!tn_amd_labels_dropped(l) || !tn_amd_order_open(&o, l)) {
    tn_amd_list_refuse(l, "there is no memory for it");
    return;
  }
  tn_amd_limits(&o);
  for (int begin = 0; begin < l->n;) {
    const int end = tn_amd_block_end(&o.g, begin);
    if (end > begin) tn_amd_schedule_block(&o, begin, end);
    begin = end + 1;
  }
}
#endif
// ---- end src/amd/../isa/amd_schedule.c ----
// registers
// ---- begin src/amd/../isa/amd_ranges.c ----
// amd_ranges: where each dword of virtual registers holds a value that is read later, and who writes it.
//
// In:  a list with virtual registers. Out: tn_amd_ranges: what lines touch, blocks, and for each unit, a dword of a
//      register, its spans in order and its writes. Units below TN_AMD_REAL_UNITS are the GPU's registers.
// Holds: line i reads at 2 i and writes at 2 i + 1. A span [start, end) begins at a write, ends behind the last read;
//        what nobody reads has a span of one position. A write ends what was there only if it reaches all lanes that
//        are read later: it does if all others who touch the unit do so with lanes of EXEC at its first write.
//        Else the write is a read, too, since what other lanes hold has to stay.
// Source: Cooper and Torczon, "Engineering a Compiler", 8.6.1 (liveness by blocks).
#ifndef TN_ISA_AMD_RANGES
#define TN_ISA_AMD_RANGES
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

// Units of SGPRs up to VCC, of VGPRs and of AGPRs; TN_AMD_EXEC has none.
enum { TN_AMD_UNIT_VGPR = 128, TN_AMD_UNIT_AGPR = 384, TN_AMD_REAL_UNITS = 640 };
enum { TN_AMD_EARLY = 4 };                 // of a role: it is read until after the line has written

// What a line reads or writes: dwords of units from `unit` on; from: the unit that a COPY reads for the first, or -1
typedef struct tn_amd_live_touch { int32_t unit, from; uint8_t dwords, role; } tn_amd_live_touch;
// next: the list's next one, 0: none; owner: of a register's spans: the virtual register that has it, -1: the list does
typedef struct tn_amd_live_span { int32_t start, end, next, owner; } tn_amd_live_span;
typedef struct tn_amd_live_write { int32_t at, from, next; } tn_amd_live_write;
typedef struct tn_amd_live_block { int32_t first, end, to[2]; } tn_amd_live_block;   // lines; blocks behind it, -1
// Whose lanes are on: parent: those of this one were all on there, too, -1: nobody knows
typedef struct tn_amd_live_lanes { int32_t parent; } tn_amd_live_lanes;

typedef struct tn_amd_ranges {
  tn_amd_list *l; int nunits;
  int32_t *unit_of, *vreg_of;              // of virtual registers, their first unit; of units, the register
  int32_t *touches; tn_amd_live_touch *touch; int ntouch, captouch;      // of line i: touches[i] .. touches[i + 1]
  int32_t *lanes_of, *saved; tn_amd_live_lanes *lanes; int nlanes, caplanes; // of lines; of registers that hold EXEC
  tn_amd_live_block *block; int nblocks;
  int32_t *spans, *writes;                 // of units, the first one, 0: none
  tn_amd_live_span *span; int nspan, capspan;
  tn_amd_live_write *write; int nwrite, capwrite;
  uint8_t *depth;                          // of lines: how many loops are around it
} tn_amd_ranges;

static int tn_amd_live_unit_at(const tn_amd_ranges *r, int kind, int reg, int sub) {        // -1: none
  if (reg >= TN_AMD_VIRTUAL) return r->unit_of[reg - TN_AMD_VIRTUAL] + sub;
  if (reg > 255) return -1;
  if (kind == TN_AMD_VGPR) return TN_AMD_UNIT_VGPR + reg;
  if (kind == TN_AMD_AGPR) return TN_AMD_UNIT_AGPR + reg;
  return kind == TN_AMD_SGPR && reg < TN_AMD_VCC + 2 ? reg : -1;
}
static int tn_amd_live_is_scalar_unit(const tn_amd_ranges *r, int unit) {
  if (unit < TN_AMD_REAL_UNITS) return unit < TN_AMD_UNIT_VGPR;
  return r->l->vreg[r->vreg_of[unit]].kind == TN_AMD_SGPR;
}

// ** what lines touch **

// Does it write before it has read all? Matrices larger than four registers, sums of products of 64 bits on gfx11
// (LLVM, FeatureMADIntraFwdBug), sums of differences; loads of gfx9, which are done again after a page was missing.
static int tn_amd_live_is_early(const tn_amd_line *line) {
  const int family = line->ins.family;
  if (line->kind != TN_AMD_LINE_INS) return 0;
  switch (line->ins.op) {
    case TN_AMD_V_MAD_U64_U32: case TN_AMD_V_MAD_I64_I32: return family == TN_AMD_GFX11;
    case TN_AMD_V_QSAD_PK_U16_U8: case TN_AMD_V_MQSAD_PK_U16_U8: case TN_AMD_V_MQSAD_U32_U8: return 1;
    default: break;
  }
  const int format = tn_amd_format(line->ins.op, family);
  if (format == TN_AMD_SMEM || (format >= TN_AMD_FLAT && format <= TN_AMD_MUBUF)) return family == TN_AMD_GFX9;
  if (format != TN_AMD_MFMA && format != TN_AMD_VOP3P) return 0;
  return tn_amd_is_matrix(line->ins.op, family) && (family != TN_AMD_GFX9 || line->ins.o[0].dwords > 4);
}
static void tn_amd_live_touch_add(tn_amd_ranges *r, int unit, int from, int dwords, int role) {
  typedef tn_amd_live_touch touches;
  touches *const all = (touches *)tn_amd_grown(r->l, r->touch, r->ntouch, &r->captouch, sizeof *all);
  const tn_amd_live_touch touch = {unit, from, (uint8_t)dwords, (uint8_t)role};
  if (!all) return;
  r->touch = all;
  r->touch[r->ntouch++] = touch;
}
// What is added to by a matrix instruction may be its result: amd_registers.c sees to it that it is, or lies apart.
static void tn_amd_live_touch_line(tn_amd_ranges *r, int i) {
  const tn_amd_line *const line = &r->l->line[i];
  const int early = tn_amd_live_is_early(line), matrix = early && line->ins.n > 3 && line->ins.o[0].kind != TN_AMD_SGPR;
  tn_amd_uses u;
  tn_amd_uses_of(line, &u);
  for (int k = 0; k < u.n; k++) {
    const tn_amd_use *const use = &u.of[k];
    const int unit = tn_amd_live_unit_at(r, use->kind, use->reg, use->sub);
    int role = use->role, from = -1;
    if (unit < 0 || use->kind == TN_AMD_SPECIAL) continue;
    const tn_amd_operand *const c = &line->ins.o[3];
    const int adds = matrix && c->kind == use->kind && c->reg == use->reg && c->sub == use->sub &&
        tn_amd_is_matrix(line->ins.op, line->ins.family);
    if (early && role == TN_AMD_READS && !adds) role |= TN_AMD_EARLY;
    if (line->kind == TN_AMD_LINE_COPY && !k && line->ins.o[1].kind == use->kind)
      from = tn_amd_live_unit_at(r, line->ins.o[1].kind, line->ins.o[1].reg, line->ins.o[1].sub);
    tn_amd_live_touch_add(r, unit, from, use->dwords, role);
  }
}
static void tn_amd_live_touch_all(tn_amd_ranges *r) {
  tn_amd_list *const l = r->l;
  r->nunits = TN_AMD_REAL_UNITS;
  r->unit_of = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *r->unit_of);
  if (!r->unit_of) return;
  for (int v = 0; v < l->nvreg; v++) { r->unit_of[v] = r->nunits; r->nunits += l->vreg[v].dwords; }
  r->vreg_of = (int32_t *)tn_amd_room(l, (size_t)r->nunits, sizeof *r->vreg_of);
  r->touches = (int32_t *)tn_amd_room(l, (size_t)l->n + 1, sizeof *r->touches);
  r->depth = (uint8_t *)tn_amd_room(l, (size_t)l->n + 1, 1);
  if (l->refused) return;
  for (int v = 0; v < l->nvreg; v++) for (int k = 0; k < l->vreg[v].dwords; k++) r->vreg_of[r->unit_of[v] + k] = v;
  for (int i = 0, depth = 0; i < l->n && !l->refused; i++) {
    if (l->line[i].kind == TN_AMD_LINE_LOOP && depth < 255) depth++;
    if (l->line[i].kind == TN_AMD_LINE_LOOP_END && depth) depth--;
    r->depth[i] = (uint8_t)depth;
    r->touches[i] = r->ntouch;
    tn_amd_live_touch_line(r, i);
  }
  r->touches[l->n] = r->ntouch;
}

// ** blocks **

static int tn_amd_live_ends_block(const tn_amd_line *line) {
  return line->kind == TN_AMD_LINE_INS && tn_amd_is_branch(line->ins.op);
}
static void tn_amd_live_blocks_cut(tn_amd_ranges *r) {
  const tn_amd_list *const l = r->l;
  for (int i = 0; i < l->n; i++) {
    const int begins = !i || l->line[i].kind == TN_AMD_LINE_LABEL || tn_amd_live_ends_block(&l->line[i - 1]);
    if (begins) r->block[r->nblocks++].first = i;
    r->block[r->nblocks - 1].end = i + 1;
  }
}
static void tn_amd_live_blocks_join(tn_amd_ranges *r, const int32_t *block_of_label) {
  const tn_amd_list *const l = r->l;
  for (int b = 0; b < r->nblocks; b++) {
    tn_amd_live_block *const block = &r->block[b];
    const tn_amd_line *const last = &l->line[block->end - 1];
    const int branches = tn_amd_live_ends_block(last), leaves = branches && last->ins.op == TN_AMD_S_ENDPGM;
    const int follows = b + 1 < r->nblocks && !leaves && !(branches && last->ins.op == TN_AMD_S_BRANCH);
    const int known = branches && !leaves && last->label >= 0 && last->label < l->labels;
    block->to[0] = follows ? b + 1 : -1;
    block->to[1] = known ? block_of_label[last->label] - 1 : -1;
    if (branches && !leaves && block->to[1] < 0) tn_amd_list_refuse(r->l, "a branch goes nowhere");
  }
}
static void tn_amd_live_blocks_find(tn_amd_ranges *r) {
  tn_amd_list *const l = r->l;
  int32_t *const of_label = (int32_t *)tn_amd_room(l, (size_t)l->labels + 1, sizeof *of_label);
  int most = 1;
  for (int i = 0; i < l->n; i++) most += (l->line[i].kind == TN_AMD_LINE_LABEL) + tn_amd_live_ends_block(&l->line[i]);
  r->block = (tn_amd_live_block *)tn_amd_room(l, (size_t)most, sizeof *r->block);
  if (!r->block || !of_label) return;
  tn_amd_live_blocks_cut(r);
  for (int b = 0; b < r->nblocks; b++) {
    const tn_amd_line *const line = &l->line[r->block[b].first];
    if (line->kind == TN_AMD_LINE_LABEL && line->label >= 0 && line->label < l->labels) of_label[line->label] = b + 1;
  }
  tn_amd_live_blocks_join(r, of_label);
}

// ** lanes: whose bits of EXEC are set **

static int tn_amd_live_lanes_new(tn_amd_ranges *r, int parent) {
  typedef tn_amd_live_lanes lanes;
  lanes *const all = (lanes *)tn_amd_grown(r->l, r->lanes, r->nlanes, &r->caplanes, sizeof *all);
  if (!all) return 0;
  r->lanes = all;
  r->lanes[r->nlanes].parent = parent;
  return r->nlanes++;
}
static int tn_amd_live_lanes_within(const tn_amd_ranges *r, int lanes, int whole) {
  while (lanes >= 0 && lanes != whole) lanes = r->lanes[lanes].parent;
  return lanes >= 0;
}
static int tn_amd_live_is_exec(const tn_amd_operand *o) { return o->kind == TN_AMD_SGPR && o->reg == TN_AMD_EXEC; }
// What lanes were on when this register took EXEC, + 1; 0: it did not.
static int tn_amd_live_lanes_saved(const tn_amd_ranges *r, const tn_amd_operand *o) {
  return o->kind == TN_AMD_SGPR && o->reg >= TN_AMD_VIRTUAL ? r->saved[o->reg - TN_AMD_VIRTUAL] : 0;
}
static int tn_amd_live_keeps_some(int op) {     // EXEC and something, and the like
  switch (op) {
    case TN_AMD_S_AND_SAVEEXEC_B32: case TN_AMD_S_AND_SAVEEXEC_B64: case TN_AMD_S_AND_NOT0_SAVEEXEC_B32:
    case TN_AMD_S_AND_NOT0_SAVEEXEC_B64: case TN_AMD_S_AND_NOT0_WREXEC_B32: case TN_AMD_S_AND_NOT0_WREXEC_B64: return 1;
    default: return 0;
  }
}
// What lanes are on behind a line that writes EXEC, where `now` were on before.
static int tn_amd_live_lanes_behind(tn_amd_ranges *r, const tn_amd_line *line, int now) {
  const tn_amd_ins *const ins = &line->ins;
  const int op = ins->op, moves = line->kind == TN_AMD_LINE_COPY || op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64;
  const int joins = op == TN_AMD_S_OR_B32 || op == TN_AMD_S_OR_B64;
  const int ands = op == TN_AMD_S_AND_B32 || op == TN_AMD_S_AND_B64;
  const int nots = op == TN_AMD_S_AND_NOT1_B32 || op == TN_AMD_S_AND_NOT1_B64;
  const int xors = op == TN_AMD_S_XOR_B32 || op == TN_AMD_S_XOR_B64;
  if (tn_amd_live_keeps_some(op) || tn_amd_format(op, ins->family) == TN_AMD_VOPC) return tn_amd_live_lanes_new(r, now);
  if (moves) {
    const int saved = tn_amd_live_lanes_saved(r, &ins->o[1]);
    return saved ? saved - 1 : tn_amd_live_lanes_new(r, -1);
  }
  for (int i = 1; i < 3 && (joins || ands || nots || xors) && tn_amd_live_is_exec(&ins->o[0]); i++) {
    const int saved = tn_amd_live_lanes_saved(r, &ins->o[i]), other = tn_amd_live_is_exec(&ins->o[3 - i]);
    const int within = ands || (nots && i == 1), part = saved && other && tn_amd_live_lanes_within(r, now, saved - 1);
    if (within && tn_amd_live_is_exec(&ins->o[i])) return tn_amd_live_lanes_new(r, now);
    if (joins && part) return saved - 1;
    if ((saved && within) || (xors && part)) return tn_amd_live_lanes_new(r, saved - 1);
  }
  return tn_amd_live_lanes_new(r, -1);
}
// A register that takes EXEC, and is written once.
static void tn_amd_live_lanes_save(tn_amd_ranges *r, const tn_amd_line *line, const uint8_t *nwrites, int now) {
  const tn_amd_operand *const to = &line->ins.o[0];
  const int op = line->ins.op, whole = to->kind == TN_AMD_SGPR && to->reg >= TN_AMD_VIRTUAL && to->dwords == r->l->mask;
  const int saves = line->kind == TN_AMD_LINE_INS && tn_amd_format(op, line->ins.family) == TN_AMD_SOP1 &&
      tn_amd_writes_exec(op, line->ins.family) && !(op >= TN_AMD_S_AND_NOT0_WREXEC_B32 &&
                                                    op <= TN_AMD_S_AND_NOT1_WREXEC_B64);
  const int moves = (line->kind == TN_AMD_LINE_COPY || op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64) &&
      tn_amd_live_is_exec(&line->ins.o[1]);
  if (whole && (saves || moves) && nwrites[to->reg - TN_AMD_VIRTUAL] == 1) r->saved[to->reg - TN_AMD_VIRTUAL] = now + 1;
}
// Which lines write EXEC. 0: none does.
static int tn_amd_live_lanes_events(tn_amd_ranges *r, uint8_t *event, uint8_t *nwrites) {
  const tn_amd_list *const l = r->l;
  int n = 0;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (line->kind > TN_AMD_LINE_COPY) continue;
    const int named = line->ins.n && tn_amd_live_is_exec(&line->ins.o[0]) && tn_amd_unit(line) == TN_AMD_U_SALU;
    event[i] = named || (line->kind == TN_AMD_LINE_INS && tn_amd_writes_exec(line->ins.op, line->ins.family));
    n += event[i];
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      if (r->touch[k].unit < TN_AMD_REAL_UNITS || !(r->touch[k].role & TN_AMD_WRITES)) continue;
      uint8_t *const times = &nwrites[r->vreg_of[r->touch[k].unit]];
      if (*times < 2) ++*times;
    }
  }
  return n;
}
// Labels that branches with other lanes go to: SOME: lanes of those that were on in front of it; ANY: nobody knows.
enum { TN_AMD_LIVE_SOME = 1, TN_AMD_LIVE_ANY };
// What a label is, to which a branch goes whose lanes are these; 1: not what it was taken for.
static int tn_amd_live_lanes_join(const tn_amd_ranges *r, uint8_t *mixed, int at_label, int at_branch) {
  const int was = *mixed;
  if (was == TN_AMD_LIVE_ANY || at_label == at_branch) return 0;
  if (!was) *mixed = TN_AMD_LIVE_SOME;
  else if (!tn_amd_live_lanes_within(r, at_branch, r->lanes[at_label].parent)) *mixed = TN_AMD_LIVE_ANY;
  return *mixed != was;
}
// One walk. How many labels were found to be other than they were taken for.
static int tn_amd_live_lanes_walk(tn_amd_ranges *r, const uint8_t *event, const uint8_t *nwrites, uint8_t *mixed,
                                  int32_t *of_label) {
  const tn_amd_list *const l = r->l;
  int found = 0;
  r->nlanes = 0;
  memset(r->saved, 0, (size_t)l->nvreg * sizeof *r->saved);
  for (int i = 0, now = tn_amd_live_lanes_new(r, -1); i < l->n && !l->refused; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (line->kind == TN_AMD_LINE_LABEL) {
      const int how = mixed[line->label];
      if (how) now = tn_amd_live_lanes_new(r, how == TN_AMD_LIVE_SOME ? now : -1);
      of_label[line->label] = now;
    }
    r->lanes_of[i] = now;
    if (line->kind <= TN_AMD_LINE_COPY) tn_amd_live_lanes_save(r, line, nwrites, now);
    if (event[i]) now = tn_amd_live_lanes_behind(r, line, now);
  }
  for (int i = 0; i < l->n && !l->refused; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (!tn_amd_live_ends_block(line) || line->ins.op == TN_AMD_S_ENDPGM) continue;
    found += tn_amd_live_lanes_join(r, &mixed[line->label], of_label[line->label], r->lanes_of[i]);
  }
  return found;
}
static int tn_amd_live_lanes_find(tn_amd_ranges *r) {             // 0: EXEC stays as it is
  tn_amd_list *const l = r->l;
  uint8_t *const event = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  uint8_t *const nwrites = (uint8_t *)tn_amd_room(l, (size_t)l->nvreg + 1, 1);
  if (!event || !nwrites || !tn_amd_live_lanes_events(r, event, nwrites)) return 0;
  uint8_t *const mixed = (uint8_t *)tn_amd_room(l, (size_t)l->labels + 1, 1);
  int32_t *const of_label = (int32_t *)tn_amd_room(l, (size_t)l->labels + 1, sizeof *of_label);
  r->lanes_of = (int32_t *)tn_amd_room(l, (size_t)l->n, sizeof *r->lanes_of);
  r->saved = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *r->saved);
  if (l->refused) return 0;
  while (tn_amd_live_lanes_walk(r, event, nwrites, mixed, of_label) && !l->refused) {}
  return 1;
}

// ** which writes are whole **

// Of units of vector registers: where they are first written, + 1, and whether all that touch them have lanes of there.
typedef struct tn_amd_live_whole { int32_t *first; uint8_t *parts; } tn_amd_live_whole;
static void tn_amd_live_whole_line(tn_amd_ranges *r, tn_amd_live_whole *w, int i, int role) {
  for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
    const tn_amd_live_touch *const t = &r->touch[k];
    if (!(t->role & role) || t->unit < TN_AMD_UNIT_VGPR || tn_amd_live_is_scalar_unit(r, t->unit)) continue;
    for (int u = t->unit; u < t->unit + t->dwords; u++) {
      if (role == TN_AMD_WRITES && !w->first[u]) { w->first[u] = i + 1; continue; }
      if (!w->first[u] || !tn_amd_live_lanes_within(r, r->lanes_of[i], r->lanes_of[w->first[u] - 1])) w->parts[u] = 1;
    }
  }
}
// Writes that reach some lanes alone become reads, too: all but the first where that is not in a loop.
static void tn_amd_live_whole_mark(tn_amd_ranges *r, const tn_amd_live_whole *w) {
  for (int i = 0; i < r->l->n; i++)
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      tn_amd_live_touch *const t = &r->touch[k];
      if (!(t->role & TN_AMD_WRITES) || t->unit < TN_AMD_UNIT_VGPR || tn_amd_live_is_scalar_unit(r, t->unit)) continue;
      for (int u = t->unit; u < t->unit + t->dwords; u++) {
        const int first = w->first[u] - 1, same = r->lanes_of[i] == r->lanes_of[first];
        const int whole = w->parts[u] ? first == i && !r->depth[i] : same;
        if (!whole) t->role |= TN_AMD_READS;
      }
    }
}
static void tn_amd_live_whole_find(tn_amd_ranges *r) {
  tn_amd_live_whole w;
  w.first = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *w.first);
  w.parts = (uint8_t *)tn_amd_room(r->l, (size_t)r->nunits, 1);
  if (r->l->refused) return;
  for (int i = 0; i < r->l->n; i++) {
    tn_amd_live_whole_line(r, &w, i, TN_AMD_READS);
    tn_amd_live_whole_line(r, &w, i, TN_AMD_WRITES);
  }
  tn_amd_live_whole_mark(r, &w);
}

// ** results that keep part of what was there: nothing was, where a unit is first written, and lives in one block **

static void tn_amd_live_fresh_find(tn_amd_ranges *r) {
  int32_t *const home = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *home); // block + 1, -1: several
  tn_amd_live_touch **const first = (tn_amd_live_touch **)tn_amd_room(r->l, (size_t)r->nunits, sizeof *first);
  if (!home || !first) return;
  for (int b = 0; b < r->nblocks; b++)
    for (int k = r->touches[r->block[b].first]; k < r->touches[r->block[b].end]; k++) {
      tn_amd_live_touch *const t = &r->touch[k];
      for (int u = t->unit; u < t->unit + t->dwords; u++) {
        home[u] = !home[u] || home[u] == b + 1 ? b + 1 : -1;
        if (!first[u]) first[u] = t;
      }
    }
  for (int u = TN_AMD_REAL_UNITS; u < r->nunits; u++) {
    const int both = TN_AMD_READS | TN_AMD_WRITES;
    if (home[u] > 0 && (first[u]->role & both) == both && first[u]->dwords == 1)
      first[u]->role = (uint8_t)(first[u]->role & ~TN_AMD_READS);
  }
}

// ** what is live between blocks **

// Of units that some block reads before it writes them, numbers; of blocks, sets of those: live at its begin, written.
typedef struct tn_amd_live_flow { int32_t *number, *unit; int n, words; uint64_t *in, *kill; } tn_amd_live_flow;

static void tn_amd_live_flow_number(tn_amd_ranges *r, tn_amd_live_flow *f) {
  int32_t *const written = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *written);     // block + 1
  f->number = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *f->number);
  f->unit = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *f->unit);
  if (r->l->refused) return;
  for (int b = 0; b < r->nblocks; b++)
    for (int i = r->block[b].first; i < r->block[b].end; i++)
      for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++)
        for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
          const tn_amd_live_touch *const t = &r->touch[k];
          if (!(t->role & role)) continue;
          for (int u = t->unit; u < t->unit + t->dwords; u++) {
            if (role == TN_AMD_WRITES) { written[u] = b + 1; continue; }
            if (written[u] == b + 1 || f->number[u]) continue;
            f->unit[f->n] = u;
            f->number[u] = ++f->n;
          }
        }
}
static void tn_amd_live_flow_block(tn_amd_ranges *r, tn_amd_live_flow *f, int b) {
  uint64_t *const in = f->in + (size_t)b * (size_t)f->words, *const kill = f->kill + (size_t)b * (size_t)f->words;
  for (int i = r->block[b].first; i < r->block[b].end; i++)
    for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++)
      for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
        const tn_amd_live_touch *const t = &r->touch[k];
        if (!(t->role & role)) continue;
        for (int u = t->unit; u < t->unit + t->dwords; u++) {
          const int number = f->number[u] - 1;
          if (number < 0) continue;
          const uint64_t bit = (uint64_t)1 << number % 64;
          if (role == TN_AMD_WRITES) kill[number / 64] |= bit;
          else if (!(kill[number / 64] & bit)) in[number / 64] |= bit;
        }
      }
}
static int tn_amd_live_flow_step(const tn_amd_ranges *r, tn_amd_live_flow *f, int b) {        // 1: more is live
  uint64_t *const in = f->in + (size_t)b * (size_t)f->words, *const kill = f->kill + (size_t)b * (size_t)f->words;
  int more = 0;
  for (int side = 0; side < 2; side++) {
    const int to = r->block[b].to[side];
    const uint64_t *const out = f->in + (size_t)(to < 0 ? 0 : to) * (size_t)f->words;
    for (int w = 0; to >= 0 && w < f->words; w++) {
      const uint64_t all = in[w] | (out[w] & ~kill[w]);
      more |= all != in[w];
      in[w] = all;
    }
  }
  return more;
}
static void tn_amd_live_flow_find(tn_amd_ranges *r, tn_amd_live_flow *f) {
  memset(f, 0, sizeof *f);
  tn_amd_live_flow_number(r, f);
  f->words = (f->n + 63) / 64;
  f->in = (uint64_t *)tn_amd_room(r->l, (size_t)r->nblocks * (size_t)f->words, sizeof *f->in);
  f->kill = (uint64_t *)tn_amd_room(r->l, (size_t)r->nblocks * (size_t)f->words, sizeof *f->kill);
  if (r->l->refused || !f->n) return;
  for (int b = 0; b < r->nblocks; b++) tn_amd_live_flow_block(r, f, b);
  for (int more = 1; more;) {
    more = 0;
    for (int b = r->nblocks - 1; b >= 0; b--) more |= tn_amd_live_flow_step(r, f, b);
  }
}

// ** spans: blocks from the last one, lines from the last one **

static int tn_amd_live_span_new(tn_amd_ranges *r, int start, int end, int next, int owner) {
  tn_amd_live_span *const all = (tn_amd_live_span *)tn_amd_grown(r->l, r->span, r->nspan, &r->capspan, sizeof *all);
  const tn_amd_live_span span = {start, end, next, owner};
  if (!all) return 0;
  r->span = all;
  r->span[r->nspan] = span;
  return r->nspan++;
}
// In front of all others of its unit.
static void tn_amd_live_span_put(tn_amd_ranges *r, int unit, int start, int end) {
  tn_amd_live_span *const head = &r->span[r->spans[unit]];
  if (r->spans[unit] && head->start <= end) { head->start = start; return; }
  r->spans[unit] = tn_amd_live_span_new(r, start, end, r->spans[unit], -1);
}
static void tn_amd_live_write_put(tn_amd_ranges *r, int unit, int at, int from) {
  typedef tn_amd_live_write writes;
  writes *const all = (writes *)tn_amd_grown(r->l, r->write, r->nwrite, &r->capwrite, sizeof *all);
  const tn_amd_live_write write = {at, from, r->writes[unit]};
  if (!all) return;
  r->write = all;
  r->write[r->nwrite] = write;
  r->writes[unit] = r->nwrite++;
}
static void tn_amd_live_spans_written(tn_amd_ranges *r, const tn_amd_live_touch *t, int at, int32_t *open) {
  for (int k = 0; k < t->dwords; k++) {
    const int u = t->unit + k;
    if (!open[u]) open[u] = at + 1;
    tn_amd_live_write_put(r, u, at, t->from < 0 ? -1 : t->from + k);
    if (t->role & TN_AMD_READS) continue;
    tn_amd_live_span_put(r, u, at, open[u]);
    open[u] = 0;
  }
}
static void tn_amd_live_spans_line(tn_amd_ranges *r, int i, int32_t *open) {
  for (int k = r->touches[i]; k < r->touches[i + 1]; k++)
    if (r->touch[k].role & TN_AMD_WRITES) tn_amd_live_spans_written(r, &r->touch[k], 2 * i + 1, open);
  for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
    const tn_amd_live_touch *const t = &r->touch[k];
    const int end = 2 * i + 1 + (t->role & TN_AMD_EARLY ? 1 : 0);
    if (!(t->role & TN_AMD_READS)) continue;
    for (int u = t->unit; u < t->unit + t->dwords; u++) if (open[u] < end) open[u] = end;
  }
}
static void tn_amd_live_spans_find(tn_amd_ranges *r, const tn_amd_live_flow *f) {
  int32_t *const open = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *open);      // where it ends
  r->spans = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *r->spans);
  r->writes = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *r->writes);
  if (r->l->refused) return;
  tn_amd_live_span_new(r, 0, 0, 0, -1);         // number 0 is none
  tn_amd_live_write_put(r, 0, 0, -1);
  r->writes[0] = 0;
  for (int b = r->nblocks - 1; b >= 0 && !r->l->refused; b--) {
    const tn_amd_live_block *const block = &r->block[b];
    for (int w = 0; w < f->words; w++) {
      uint64_t bits = 0;
      for (int side = 0; side < 2; side++) if (block->to[side] >= 0) bits |= f->in[block->to[side] * f->words + w];
      for (int k = 64 * w; bits; bits >>= 1, k++) if (bits & 1) open[f->unit[k]] = 2 * block->end;
    }
    for (int i = block->end - 1; i >= block->first; i--) tn_amd_live_spans_line(r, i, open);
    for (int w = 0; w < f->words; w++) {
      uint64_t bits = f->in[b * f->words + w];
      for (int k = 64 * w; bits; bits >>= 1, k++) {
        if (!(bits & 1)) continue;
        tn_amd_live_span_put(r, f->unit[k], 2 * block->first, open[f->unit[k]]);
        open[f->unit[k]] = 0;
      }
    }
  }
}
static void tn_amd_ranges_find(tn_amd_ranges *r, tn_amd_list *l) {
  tn_amd_live_flow flow;
  memset(r, 0, sizeof *r);
  r->l = l;
  tn_amd_live_touch_all(r);
  if (!l->refused) tn_amd_live_blocks_find(r);
  if (!l->refused) tn_amd_live_fresh_find(r);
  if (!l->refused && tn_amd_live_lanes_find(r)) tn_amd_live_whole_find(r);
  if (!l->refused) tn_amd_live_flow_find(r, &flow);
  if (!l->refused) tn_amd_live_spans_find(r, &flow);
}
#endif
// ---- end src/amd/../isa/amd_ranges.c ----
// ---- begin src/amd/../isa/amd_tuples.c ----
// amd_tuples: which virtual registers are one: what a copy joins becomes one tuple, or a part of one.
//
// In:  ranges. Out: of virtual registers, which tuple each is a part of and where in it; of tuples, spans, by their
//      first register; wishes: copies that stay, whose ends had best be one register, too.
// Holds: two are joined where one lies within the other and no write of one changes what the other still holds: a copy
//        of one to the other does not. Innermost loops come first; after copies come sums that are added to again
//        (fma, matrix instructions). Fixed registers stay alone. What a matrix instruction adds to, and is not joined
//        with its result, lives until that is written.
// Source: Chaitin, "Register allocation and spilling via graph coloring", SIGPLAN (1982): copies do not interfere.
#ifndef TN_ISA_AMD_TUPLES
#define TN_ISA_AMD_TUPLES
#ifndef TINY_AMALGAMATED
#include "amd_ranges.c"
#endif

// into: which register's tuple it is a part of, itself: of none; shift: where; align, phase: number of its first dword
// mod align is phase; wish: its first one, 0: none
typedef struct tn_amd_tuple { int32_t into, wish; int16_t shift; uint8_t align, phase; } tn_amd_tuple;
typedef struct tn_amd_wish { int32_t mine, other, next; } tn_amd_wish;       // units
typedef struct tn_amd_join { int32_t line, to, from; uint8_t dwords, sums, done; } tn_amd_join;
typedef struct tn_amd_tuples {
  tn_amd_list *l; tn_amd_ranges *r;
  tn_amd_tuple *tuple;
  int32_t *span_at, *write_at;             // of units: where a list was walked last
  tn_amd_join *join; int njoin, capjoin;
  tn_amd_wish *wish; int nwish, capwish;
} tn_amd_tuples;

// ** which tuple **

static int tn_amd_tuple_find(tn_amd_tuples *t, int v, int *shift) {
  int root = v, sum = 0;
  while (t->tuple[root].into != root) { sum += t->tuple[root].shift; root = t->tuple[root].into; }
  *shift = sum;
  while (t->tuple[v].into != root && v != root) {
    const int next = t->tuple[v].into, by = t->tuple[v].shift;
    t->tuple[v].into = root; t->tuple[v].shift = (int16_t)sum;
    sum -= by; v = next;
  }
  return root;
}
// The unit that stands for this one; of the tuple's first register.
static int tn_amd_tuple_unit(tn_amd_tuples *t, int unit) {
  int shift;
  if (unit < TN_AMD_REAL_UNITS) return unit;
  const int v = t->r->vreg_of[unit], root = tn_amd_tuple_find(t, v, &shift);
  return t->r->unit_of[root] + shift + unit - t->r->unit_of[v];
}

// ** where tuples may begin **

// x mod align = phase as well. 0: that cannot be.
static int tn_amd_tuple_align(tn_amd_tuple *t, int align, int phase) {
  const int less = align < t->align ? align : t->align;
  if ((phase ^ t->phase) & (less - 1)) return 0;
  if (align > t->align) { t->align = (uint8_t)align; t->phase = (uint8_t)(phase & (align - 1)); }
  return 1;
}
static void tn_amd_tuple_wants(tn_amd_tuples *t, const tn_amd_operand *o) {
  if (!tn_amd_is_virtual(o) || o->dwords < 2) return;
  const int scalar = o->kind == TN_AMD_SGPR, nine = t->l->family == TN_AMD_GFX9;
  const int align = scalar ? o->dwords > 2 ? 4 : 2 : nine ? 2 : 1;
  const int taken = tn_amd_tuple_align(&t->tuple[o->reg - TN_AMD_VIRTUAL], align, (align - o->sub % align) % align);
  if (!taken) tn_amd_list_refuse(t->l, "parts of a tuple want to begin at numbers that cannot be");
}
static void tn_amd_tuple_begin(tn_amd_tuples *t) {
  tn_amd_list *const l = t->l;
  t->tuple = (tn_amd_tuple *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *t->tuple);
  t->span_at = (int32_t *)tn_amd_room(l, (size_t)t->r->nunits, sizeof *t->span_at);
  t->write_at = (int32_t *)tn_amd_room(l, (size_t)t->r->nunits, sizeof *t->write_at);
  if (l->refused) return;
  for (int v = 0; v < l->nvreg; v++) { t->tuple[v].into = v; t->tuple[v].align = 1; }
  for (int i = 0; i < l->n; i++) {
    if (l->line[i].kind != TN_AMD_LINE_INS) continue;
    for (int k = 0; k < l->line[i].ins.n; k++) tn_amd_tuple_wants(t, &l->line[i].ins.o[k]);
  }
}

// ** may two be one? **

// Lists are walked from where they were walked last, if that is before: lines come in order, and lists get long.
// The last span of a unit that ends before p, 0: none.
static int tn_amd_tuple_span_before(tn_amd_tuples *t, int unit, int p) {
  const tn_amd_live_span *const span = t->r->span;
  int at = t->span_at[unit];
  if (at && span[at].end >= p) at = 0;
  for (int next = at ? span[at].next : t->r->spans[unit]; next && span[next].end < p; next = span[next].next) at = next;
  return t->span_at[unit] = at;
}
static int tn_amd_tuple_write_before(tn_amd_tuples *t, int unit, int p) {
  const tn_amd_live_write *const write = t->r->write;
  int at = t->write_at[unit];
  if (at && write[at].at >= p) at = 0;
  for (int next = at ? write[at].next : t->r->writes[unit]; next && write[next].at < p; next = write[next].next)
    at = next;
  return t->write_at[unit] = at;
}
// Does a write of x change what y holds?
static int tn_amd_tuple_changes(tn_amd_tuples *t, int x, int y) {
  const tn_amd_ranges *const r = t->r;
  if (!r->writes[x] || !r->spans[y]) return 0;
  const int before = tn_amd_tuple_write_before(t, x, r->span[r->spans[y]].start);
  int w = before ? r->write[before].next : r->writes[x];
  const int ended = w ? tn_amd_tuple_span_before(t, y, r->write[w].at) : 0;
  for (int s = ended ? r->span[ended].next : r->spans[y]; w; w = r->write[w].next) {
    const int at = r->write[w].at;
    while (s && r->span[s].end <= at) s = r->span[s].next;
    if (!s) return 0;
    if (r->span[s].start > at) continue;
    const int from = r->write[w].from < 0 ? -1 : tn_amd_tuple_unit(t, r->write[w].from);
    if (from != x && from != y) return 1;
  }
  return 0;
}
// A list of spans becomes part of a unit's; what overlaps becomes one.
static void tn_amd_tuple_spans(tn_amd_tuples *t, int unit, int list) {
  tn_amd_ranges *const r = t->r;
  if (!list) return;
  int last = tn_amd_tuple_span_before(t, unit, r->span[list].start), first = 1;
  int rest = last ? r->span[last].next : r->spans[unit];
  while (list || (rest && r->span[rest].start <= r->span[last].end)) {
    int *const least = !list || (rest && r->span[rest].start <= r->span[list].start) ? &rest : &list;
    const int s = *least;
    *least = r->span[s].next;
    if (!first && r->span[s].start <= r->span[last].end) {
      if (r->span[s].end > r->span[last].end) r->span[last].end = r->span[s].end;
      continue;
    }
    if (last) r->span[last].next = s; else r->spans[unit] = s;
    last = s; first = 0;
  }
  r->span[last].next = rest;
}
static void tn_amd_tuple_writes(tn_amd_tuples *t, int unit, int list) {
  tn_amd_ranges *const r = t->r;
  int last = list ? tn_amd_tuple_write_before(t, unit, r->write[list].at) : 0;
  int rest = last ? r->write[last].next : r->writes[unit];
  while (list) {
    int *const least = rest && r->write[rest].at <= r->write[list].at ? &rest : &list;
    const int w = *least;
    *least = r->write[w].next;
    if (last) r->write[last].next = w; else r->writes[unit] = w;
    last = w;
  }
  if (last) r->write[last].next = rest;
}
// The tuple of `in` as dwords from d on of that of `out`. 1: they are one.
static int tn_amd_tuple_put(tn_amd_tuples *t, int in, int out, int d) {
  tn_amd_ranges *const r = t->r;
  const tn_amd_vreg *const vreg = t->l->vreg;
  const tn_amd_tuple *const part = &t->tuple[in];
  tn_amd_tuple whole = t->tuple[out];
  if (d < 0 || d + vreg[in].dwords > vreg[out].dwords) return 0;
  if (!tn_amd_tuple_align(&whole, part->align, (part->phase - d) & (part->align - 1))) return 0;
  for (int k = 0; k < vreg[in].dwords; k++) {
    const int x = r->unit_of[in] + k, y = r->unit_of[out] + d + k;
    if (tn_amd_tuple_changes(t, x, y) || tn_amd_tuple_changes(t, y, x)) return 0;
  }
  for (int k = 0; k < vreg[in].dwords; k++) {
    const int x = r->unit_of[in] + k, y = r->unit_of[out] + d + k;
    tn_amd_tuple_spans(t, y, r->spans[x]);
    tn_amd_tuple_writes(t, y, r->writes[x]);
  }
  t->tuple[out] = whole;
  t->tuple[in].into = out; t->tuple[in].shift = (int16_t)d;
  return 1;
}
static int tn_amd_tuple_join(tn_amd_tuples *t, int to, int from) {
  int to_shift, from_shift;
  const int a = tn_amd_tuple_find(t, t->r->vreg_of[to], &to_shift);
  const int b = tn_amd_tuple_find(t, t->r->vreg_of[from], &from_shift);
  const int to_at = to - t->r->unit_of[t->r->vreg_of[to]] + to_shift;
  const int d = to_at - (from - t->r->unit_of[t->r->vreg_of[from]] + from_shift);
  if (a == b) return d == 0;
  if (t->l->vreg[a].fixed >= 0 || t->l->vreg[b].fixed >= 0) return 0;
  return tn_amd_tuple_put(t, b, a, d) || tn_amd_tuple_put(t, a, b, -d);
}

// ** what is joined **

static void tn_amd_join_add(tn_amd_tuples *t, int line, const tn_amd_operand *to, const tn_amd_operand *from,
                            int sums) {
  const int a = tn_amd_live_unit_at(t->r, to->kind, to->reg, to->sub);
  const int b = tn_amd_live_unit_at(t->r, from->kind, from->reg, from->sub);
  if (!tn_amd_is_register(to) || to->kind != from->kind || to->dwords != from->dwords || a < 0 || b < 0) return;
  tn_amd_join *const all = (tn_amd_join *)tn_amd_grown(t->l, t->join, t->njoin, &t->capjoin, sizeof *all);
  const tn_amd_join join = {line, a, b, to->dwords, (uint8_t)sums, 0};
  if (!all) return;
  t->join = all;
  t->join[t->njoin++] = join;
}
// Is its result best its third source? What adds has a shorter form where it is, and half of a pair.
static int tn_amd_join_sums(const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  if (line->kind != TN_AMD_LINE_INS || ins->n < 4) return 0;
  return ins->op == TN_AMD_V_FMA_F32 || ins->op == TN_AMD_V_FMA_F16 || ins->op == TN_AMD_V_PK_FMA_F16 ||
      ins->op == TN_AMD_V_DOT2_F32_F16 || tn_amd_is_matrix(ins->op, ins->family);
}
static void tn_amd_join_find(tn_amd_tuples *t) {
  for (int i = 0; i < t->l->n; i++) {
    const tn_amd_line *const line = &t->l->line[i];
    if (line->kind == TN_AMD_LINE_COPY) tn_amd_join_add(t, i, &line->ins.o[0], &line->ins.o[1], 0);
    else if (tn_amd_join_sums(line)) tn_amd_join_add(t, i, &line->ins.o[0], &line->ins.o[3], 1);
  }
}
static void tn_amd_join_try(tn_amd_tuples *t, int sums, int depth) {
  for (int k = 0; k < t->njoin; k++) {
    tn_amd_join *const join = &t->join[k];
    if (join->sums != sums || t->r->depth[join->line] != depth) continue;
    if (join->to < TN_AMD_REAL_UNITS || join->from < TN_AMD_REAL_UNITS) continue;
    join->done = (uint8_t)tn_amd_tuple_join(t, join->to, join->from);
  }
}
static void tn_amd_join_all(tn_amd_tuples *t) {
  int deepest = 0;
  for (int k = 0; k < t->njoin; k++) if (t->r->depth[t->join[k].line] > deepest) deepest = t->r->depth[t->join[k].line];
  for (int sums = 0; sums < 2; sums++)
    for (int depth = deepest; depth >= 0; depth--) tn_amd_join_try(t, sums, depth);
}

// ** wishes **

static void tn_amd_wish_side(tn_amd_tuples *t, int mine, int other) {
  tn_amd_wish *const all = (tn_amd_wish *)tn_amd_grown(t->l, t->wish, t->nwish, &t->capwish, sizeof *all);
  if (!all) return;
  t->wish = all;
  if (!t->nwish) t->nwish++;               // number 0 is none
  tn_amd_tuple *const tuple = &t->tuple[t->r->vreg_of[mine]];
  const tn_amd_wish wish = {mine, other, tuple->wish};
  tuple->wish = t->nwish;
  t->wish[t->nwish++] = wish;
}
static void tn_amd_wish_add(tn_amd_tuples *t, int to, int from) {
  const int a = tn_amd_tuple_unit(t, to), b = tn_amd_tuple_unit(t, from);
  if (a >= TN_AMD_REAL_UNITS) tn_amd_wish_side(t, a, b);
  if (b >= TN_AMD_REAL_UNITS) tn_amd_wish_side(t, b, a);
}
static void tn_amd_wish_find(tn_amd_tuples *t) {
  const tn_amd_list *const l = t->l;
  for (int k = 0; k < t->njoin; k++) if (!t->join[k].done) tn_amd_wish_add(t, t->join[k].to, t->join[k].from);
  for (int v = 0; v < l->nvreg; v++) {
    const int hint = l->vreg[v].hint;
    if (hint >= 0 && l->vreg[hint].kind == l->vreg[v].kind)
      tn_amd_wish_add(t, t->r->unit_of[v], t->r->unit_of[hint] + l->vreg[v].at);
  }
}

// ** matrices that are added to, and are not the result **

static void tn_amd_tuple_apart(tn_amd_tuples *t) {
  for (int k = 0; k < t->njoin && !t->l->refused; k++) {
    const tn_amd_join *const join = &t->join[k];
    if (!join->sums || join->done || !tn_amd_live_is_early(&t->l->line[join->line])) continue;
    const int to = tn_amd_tuple_unit(t, join->to), from = tn_amd_tuple_unit(t, join->from), at = 2 * join->line + 1;
    for (int i = 0; to != from && i < join->dwords; i++) {
      const int one = tn_amd_live_span_new(t->r, at, at + 1, 0, -1);
      if (from >= TN_AMD_REAL_UNITS) tn_amd_tuple_spans(t, from + i, one);
    }
  }
}
static void tn_amd_tuples_find(tn_amd_tuples *t, tn_amd_ranges *r) {
  memset(t, 0, sizeof *t);
  t->l = r->l; t->r = r;
  tn_amd_tuple_begin(t);
  if (t->l->refused) return;
  tn_amd_join_find(t);
  tn_amd_join_all(t);
  tn_amd_wish_find(t);
  tn_amd_tuple_apart(t);
}
#endif
// ---- end src/amd/../isa/amd_tuples.c ----
// ---- begin src/amd/../isa/amd_spill.c ----
// amd_spill: values that found no register live elsewhere, and visit one at each use.
//
// In:  a list, its ranges and tuples, and which tuples to spill. Out: the list, with loads in front of what reads them
//      and stores behind what writes them; virtual registers that live for a line alone, and may not be spilled.
// Holds: constants are made anew. Scalars lie in lanes of vector registers. Vector registers lie in AGPRs on gfx9, as
//        long as those are not many, else in scratch, which is every lane's own: a store of some lanes keeps others.
//        Scratch needs no set-up: its base is there when a wave begins (LLVM's AMDGPU user guide, "Initial Kernel
//        Execution State", architected flat scratch). None of this touches SCC.
#ifndef TN_ISA_AMD_SPILL
#define TN_ISA_AMD_SPILL
#ifndef TINY_AMALGAMATED
#include "amd_tuples.c"
#endif

enum { TN_AMD_STAYS = -2 };                // hint of a virtual register that may not be spilled
enum { TN_AMD_SPILL_ACCUMULATORS = 6 };    // rounds in which AGPRs are taken

// lanes: virtual registers whose lanes hold scalars, and how many hold one
typedef struct tn_amd_spill {
  tn_amd_list *l; int rounds;
  int32_t *lanes; int nlanes, caplanes, scalars;
} tn_amd_spill;
// Of a tuple that is spilled: home: of AGPRs, a virtual register + 1, of scalars, the first lane + 1, of scratch, the
// byte + 1; made: its dwords are constants
enum { TN_AMD_SPILL_NOT, TN_AMD_SPILL_MADE, TN_AMD_SPILL_LANES, TN_AMD_SPILL_AGPRS, TN_AMD_SPILL_SCRATCH };
typedef struct tn_amd_spill_home { int32_t at; uint8_t where; } tn_amd_spill_home;
typedef struct tn_amd_spill_job {
  tn_amd_spill *s; tn_amd_list *l; tn_amd_tuples *t;
  tn_amd_spill_home *home;                 // of tuples
  const tn_amd_line *old; int nold;
} tn_amd_spill_job;

// The constant that a unit is; NULL: it is none.
static const tn_amd_operand *tn_amd_spill_constant(const tn_amd_line *line, const tn_amd_ranges *r, int unit) {
  const int w = r->writes[unit];
  if (!w || r->write[w].next) return NULL;
  line += r->write[w].at / 2;
  const int moves = line->kind == TN_AMD_LINE_COPY || (line->kind == TN_AMD_LINE_INS && !line->ins.lanes &&
      (line->ins.op == TN_AMD_V_MOV_B32 || line->ins.op == TN_AMD_S_MOV_B32));
  return moves && tn_amd_is_constant(&line->ins.o[1]) ? &line->ins.o[1] : NULL;
}

// ** lines **

static tn_amd_operand tn_amd_spill_fresh(tn_amd_list *l, int kind, int dwords) {
  const tn_amd_operand o = tn_amd_new(l, kind, dwords);
  if (!l->refused) l->vreg[o.reg - TN_AMD_VIRTUAL].hint = TN_AMD_STAYS;
  return o;
}
// An empty list of lines, with room for as many again as there were.
static int tn_amd_spill_open(tn_amd_list *l) {
  int cap;
  tn_amd_line *const line = tn_amd_other_lines(l, l->n + l->n / 2 + 64, &cap);
  if (!line) return 0;
  tn_amd_lines_are(l, line, 0, cap);
  return 1;
}
static tn_amd_line *tn_amd_spill_push(tn_amd_list *l, const tn_amd_line *line) {
  tn_amd_line *const to = tn_amd_line_new(l, line->kind, line->label);
  *to = *line;
  return to;
}
// Accesses of 4, 2 or 1 dwords. What an instruction cannot say of the place stands in a scalar register.
static void tn_amd_spill_access(tn_amd_list *l, tn_amd_operand o, int byte, int stores) {
  const int most = l->family == TN_AMD_GFX12 ? 0x7FFFFF : 0xFFF;
  for (int at = 0, n = 0; at < o.dwords; at += n) {
    const int left = o.dwords - at, place = byte + 4 * at, low = place + 15 > most ? place & 0xF : place;
    tn_amd_operand base = tn_amd_off(), part;
    n = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    part = tn_amd_slice(o, at, n);
    if (low != place) {
      base = tn_amd_spill_fresh(l, TN_AMD_SGPR, 1);
      tn_amd_copy(l, base, tn_amd_int(place - low));
    }
    const int load = n == 4 ? TN_AMD_SCRATCH_LOAD_B128 : n == 2 ? TN_AMD_SCRATCH_LOAD_B64 : TN_AMD_SCRATCH_LOAD_B32;
    const int store = n == 4 ? TN_AMD_SCRATCH_STORE_B128 : n == 2 ? TN_AMD_SCRATCH_STORE_B64 : TN_AMD_SCRATCH_STORE_B32;
    tn_amd_line *const line = stores ? tn_amd_do3(l, store, tn_amd_off(), part, base) :
        tn_amd_do3(l, load, part, tn_amd_off(), base);
    line->ins.m[TN_AMD_OFFSET] = low;
    line->memory = TN_AMD_OF_SCRATCH;
  }
}
static void tn_amd_spill_lanes(tn_amd_spill *s, tn_amd_operand o, int first, int stores) {
  const int wave = s->l->chip->wave;
  for (int k = 0; k < o.dwords; k++) {
    const int holder = s->lanes[(first + k) / wave];
    const tn_amd_operand v = tn_amd_v(TN_AMD_VIRTUAL + holder, 1), lane = tn_amd_int((first + k) % wave);
    if (stores) tn_amd_do3(s->l, TN_AMD_V_WRITELANE_B32, v, tn_amd_slice(o, k, 1), lane);
    else tn_amd_do3(s->l, TN_AMD_V_READLANE_B32, tn_amd_slice(o, k, 1), v, lane);
  }
}
// Between a register and dwords of a tuple from `unit` on, where those live.
static void tn_amd_spill_move(const tn_amd_spill_job *j, int root, int unit, tn_amd_operand o, int stores) {
  const tn_amd_spill_home *const home = &j->home[root];
  const int sub = unit - j->t->r->unit_of[root];
  if (home->where == TN_AMD_SPILL_LANES) tn_amd_spill_lanes(j->s, o, home->at + sub, stores);
  else if (home->where == TN_AMD_SPILL_SCRATCH) tn_amd_spill_access(j->l, o, home->at + 4 * sub, stores);
  else if (home->where == TN_AMD_SPILL_AGPRS) {
    const tn_amd_operand there =
        tn_amd_slice(tn_amd_register(TN_AMD_AGPR, TN_AMD_VIRTUAL + home->at, o.dwords), sub, o.dwords);
    tn_amd_copy(j->l, stores ? there : o, stores ? o : there);
  } else for (int k = 0; k < o.dwords && !stores; k++) {
    const tn_amd_operand *const made = tn_amd_spill_constant(j->old, j->t->r, unit + k);
    tn_amd_operand one = *made;
    one.dwords = 1;
    tn_amd_copy(j->l, tn_amd_slice(o, k, 1), one);
  }
}

// ** homes **

static int tn_amd_spill_holders(tn_amd_spill *s, int dwords) {               // the first lane
  const int first = s->scalars, wave = s->l->chip->wave;
  s->scalars += dwords;
  while (s->nlanes * wave < s->scalars && !s->l->refused) {
    int32_t *const all = (int32_t *)tn_amd_grown(s->l, s->lanes, s->nlanes, &s->caplanes, sizeof *all);
    if (!all) return 0;
    s->lanes = all;
    s->lanes[s->nlanes++] = tn_amd_spill_fresh(s->l, TN_AMD_VGPR, 1).reg - TN_AMD_VIRTUAL;
  }
  return first;
}
static void tn_amd_spill_settle(const tn_amd_spill_job *j, int v) {
  tn_amd_list *const l = j->l;
  const tn_amd_ranges *const r = j->t->r;
  const int dwords = l->vreg[v].dwords, kind = l->vreg[v].kind;
  tn_amd_spill_home *const home = &j->home[v];
  int made = 1;
  for (int k = 0; k < dwords; k++)
    made &= !r->spans[r->unit_of[v] + k] || tn_amd_spill_constant(j->old, r, r->unit_of[v] + k) != NULL;
  if (made) { home->where = TN_AMD_SPILL_MADE; return; }
  if (kind == TN_AMD_SGPR) {
    home->where = TN_AMD_SPILL_LANES;
    home->at = tn_amd_spill_holders(j->s, dwords);
  } else if (kind == TN_AMD_VGPR && l->family == TN_AMD_GFX9 && j->s->rounds < TN_AMD_SPILL_ACCUMULATORS) {
    home->where = TN_AMD_SPILL_AGPRS;
    home->at = tn_amd_vreg_new(l, TN_AMD_AGPR, dwords);
  } else {
    home->where = TN_AMD_SPILL_SCRATCH;
    home->at = (int32_t)((l->setup.scratch + 3) & ~3u);
    l->setup.scratch = (uint32_t)home->at + 4 * (uint32_t)dwords;
  }
}

// ** the list, line by line **

static int tn_amd_spill_role(const tn_amd_line *line, int i) {
  if (line->kind == TN_AMD_LINE_COPY) return i ? TN_AMD_READS : TN_AMD_WRITES;
  const tn_amd_form f = tn_amd_form_of(line->ins.op, line->ins.family);
  return tn_amd_role(&line->ins, line->ins.op, &f, i, tn_amd_reads_result(&line->ins));
}
// The tuple that an operand is a part of, if it is spilled, and which unit; -1: it is not.
static int tn_amd_spill_root(const tn_amd_spill_job *j, const tn_amd_operand *o, int *unit) {
  const tn_amd_ranges *const r = j->t->r;
  if (!tn_amd_is_virtual(o)) return -1;
  *unit = tn_amd_tuple_unit(j->t, r->unit_of[o->reg - TN_AMD_VIRTUAL] + o->sub);
  const int root = r->vreg_of[*unit];
  return j->home[root].where ? root : -1;
}
// Is all that a line does to make a constant which is made anew where it is used?
static int tn_amd_spill_is_gone(const tn_amd_spill_job *j, const tn_amd_line *line) {
  int unit;
  if (line->kind > TN_AMD_LINE_COPY || line->ins.n != 2 || !tn_amd_is_constant(&line->ins.o[1])) return 0;
  const int copies = line->kind == TN_AMD_LINE_COPY;
  const int moves = copies || line->ins.op == TN_AMD_V_MOV_B32 || line->ins.op == TN_AMD_S_MOV_B32;
  const int root = moves ? tn_amd_spill_root(j, &line->ins.o[0], &unit) : -1;
  return root >= 0 && j->home[root].where == TN_AMD_SPILL_MADE;
}
static void tn_amd_spill_line(const tn_amd_spill_job *j, const tn_amd_line *old) {
  tn_amd_line line = *old;
  int role[TN_AMD_MOST_OPERANDS], root[TN_AMD_MOST_OPERANDS], unit[TN_AMD_MOST_OPERANDS] = {0, 0, 0, 0, 0};
  if (tn_amd_spill_is_gone(j, old)) return;
  for (int i = 0; i < line.ins.n; i++) {
    tn_amd_operand *const o = &line.ins.o[i];
    int same = -1;
    root[i] = tn_amd_spill_root(j, o, &unit[i]);
    if (root[i] < 0) continue;
    role[i] = tn_amd_spill_role(old, i);
    for (int k = 0; k < i; k++)
      if (root[k] == root[i] && unit[k] == unit[i] && o->dwords == line.ins.o[k].dwords) same = k;
    const tn_amd_operand fresh = same < 0 ? tn_amd_spill_fresh(j->l, o->kind, o->dwords) : line.ins.o[same];
    o->reg = fresh.reg; o->sub = fresh.sub;
    if (same >= 0) { if (role[i] & TN_AMD_READS) role[same] |= TN_AMD_READS; root[i] = -2; }
  }
  for (int i = 0; i < line.ins.n; i++) {
    const tn_amd_operand plain = tn_amd_register(line.ins.o[i].kind, line.ins.o[i].reg, line.ins.o[i].dwords);
    if (root[i] >= 0 && role[i] & TN_AMD_READS) tn_amd_spill_move(j, root[i], unit[i], plain, 0);
  }
  tn_amd_spill_push(j->l, &line);
  for (int i = 0; i < line.ins.n; i++) {
    const tn_amd_operand plain = tn_amd_register(line.ins.o[i].kind, line.ins.o[i].reg, line.ins.o[i].dwords);
    if (root[i] >= 0 && role[i] & TN_AMD_WRITES) tn_amd_spill_move(j, root[i], unit[i], plain, 1);
  }
}
// What the launch puts into registers is stored first.
static void tn_amd_spill_inputs(const tn_amd_spill_job *j, int nvreg) {
  for (int v = 0; v < nvreg; v++) {
    const int kind = j->l->vreg[v].kind, dwords = j->l->vreg[v].dwords;
    if (!j->home[v].where || j->l->vreg[v].fixed < 0) continue;
    const tn_amd_operand in = tn_amd_spill_fresh(j->l, kind, dwords);
    j->l->vreg[in.reg - TN_AMD_VIRTUAL].fixed = j->l->vreg[v].fixed;
    j->l->vreg[v].fixed = -1;
    tn_amd_spill_move(j, v, j->t->r->unit_of[v], in, 1);
  }
}
// Registers that no line names any more are forgotten, so that there are numbers for others.
static void tn_amd_spill_renumber(tn_amd_spill *s) {
  tn_amd_list *const l = s->l;
  int32_t *const number = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *number);
  int n = 0;
  if (!number) return;
  for (int k = 0; k < s->nlanes; k++) number[s->lanes[k]] = 1;
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->line[i].ins.n; k++) {
      const tn_amd_operand *const o = &l->line[i].ins.o[k];
      if (tn_amd_is_virtual(o)) number[o->reg - TN_AMD_VIRTUAL] = 1;
    }
  for (int v = 0; v < l->nvreg; v++) if (number[v]) { l->vreg[n] = l->vreg[v]; number[v] = ++n; }
  for (int v = 0; v < n; v++) {
    const int hint = l->vreg[v].hint;
    if (hint >= 0) l->vreg[v].hint = number[hint] ? number[hint] - 1 : -1;
  }
  l->nvreg = n;
  for (int k = 0; k < s->nlanes; k++) s->lanes[k] = number[s->lanes[k]] - 1;
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->line[i].ins.n; k++) {
      tn_amd_operand *const o = &l->line[i].ins.o[k];
      if (tn_amd_is_virtual(o)) o->reg = (uint16_t)(TN_AMD_VIRTUAL + number[o->reg - TN_AMD_VIRTUAL] - 1);
    }
}
static void tn_amd_spill_rewrite(tn_amd_spill *s, tn_amd_tuples *t, const uint8_t *spilled) {
  tn_amd_list *const l = s->l;
  tn_amd_spill_job j = {s, l, t, NULL, l->line, l->n};
  const int nvreg = l->nvreg;
  j.home = (tn_amd_spill_home *)tn_amd_room(l, (size_t)nvreg + 1, sizeof *j.home);
  if (!j.home || !tn_amd_spill_open(l)) return;
  for (int v = 0; v < nvreg && !l->refused; v++) if (spilled[v]) tn_amd_spill_settle(&j, v);
  if (!l->refused) tn_amd_spill_inputs(&j, nvreg);
  for (int i = 0; i < j.nold && !l->refused; i++) tn_amd_spill_line(&j, &j.old[i]);
  if (!l->refused) tn_amd_spill_renumber(s);
  s->rounds++;
}

// ** copies that need a vector register between **

static int tn_amd_spill_between(const tn_amd_line *line) {
  const tn_amd_operand *const to = &line->ins.o[0], *const from = &line->ins.o[1];
  if (line->kind != TN_AMD_LINE_COPY) return 0;
  if (to->kind == TN_AMD_SGPR) return from->kind == TN_AMD_AGPR;
  return to->kind == TN_AMD_AGPR && (from->kind == TN_AMD_LITERAL || from->kind == TN_AMD_SPECIAL);
}
static void tn_amd_spill_begin(tn_amd_spill *s, tn_amd_list *l) {
  const tn_amd_line *const old = l->line;
  const int n = l->n;
  int found = 0;
  memset(s, 0, sizeof *s);
  s->l = l;
  if (l->refused) return;
  for (int i = 0; i < n; i++) found += tn_amd_spill_between(&old[i]);
  if (!found || !tn_amd_spill_open(l)) return;
  for (int i = 0; i < n && !l->refused; i++) {
    if (!tn_amd_spill_between(&old[i])) { tn_amd_spill_push(l, &old[i]); continue; }
    const tn_amd_operand between = tn_amd_spill_fresh(l, TN_AMD_VGPR, old[i].ins.o[0].dwords);
    tn_amd_copy(l, between, old[i].ins.o[1]);
    tn_amd_copy(l, old[i].ins.o[0], between);
  }
}
#endif
// ---- end src/amd/../isa/amd_spill.c ----
// ---- begin src/amd/../isa/amd_registers.c ----
// amd_registers: virtual registers get the GPU's.
//
// In:  a list with virtual registers. Out: the same without: operands name real registers, copies are moves, or gone;
//      l->setup says how many registers are named, and scratch for what found none (amd_spill.c).
// Holds: tuples are placed in the order in which they begin, each where all its dwords are free in all their spans, so
//        that holes are filled. First a place that a copy or hint wishes, masks of comparisons in VCC where it is free,
//        then the lowest one. If that worked, vector registers are placed anew: numbers that keep as many waves on a
//        SIMD are there to be used, and what is one dword goes round in them, so that what follows each other does not
//        share a register, and lies in other banks (VOPD wants both). Where there is none free, what is worth
//        least gives its place up: touches, as often as their loops run, over how long it is there.
// Source: Poletto and Sarkar, "Linear scan register allocation", TOPLAS 21 (1999).
#ifndef TN_ISA_AMD_REGISTERS
#define TN_ISA_AMD_REGISTERS
#ifndef TINY_AMALGAMATED
#include "amd_spill.c"
#endif

// used: of real units: spans that have begun, and those behind; cursor: of what goes round; most: SGPRs, VGPRs, AGPRs
// there are; masks: of virtual registers, what only comparisons write
typedef struct tn_amd_scan {
  tn_amd_list *l; tn_amd_ranges *r; tn_amd_tuples *t;
  int32_t used[TN_AMD_REAL_UNITS];
  tn_amd_live_span *span; int nspan, capspan;
  int32_t *begin, *next;                   // tuples that begin at a position, and the next one that does; -1: none
  int32_t *place;                          // of tuples: the unit of the first dword, -1: none
  uint8_t *spilled, *masks; float *worth;
  int most[3], rounds, cursor, nspilled;
} tn_amd_scan;

static int tn_amd_file_of(int kind) { return kind == TN_AMD_SGPR ? 0 : kind == TN_AMD_VGPR ? 1 : 2; }
static int tn_amd_file_base(int kind) {
  return kind == TN_AMD_SGPR ? 0 : kind == TN_AMD_VGPR ? TN_AMD_UNIT_VGPR : TN_AMD_UNIT_AGPR;
}

// ** spans of registers **

static int tn_amd_scan_span(tn_amd_scan *s, int start, int end, int next, int owner) {
  tn_amd_live_span *const all = (tn_amd_live_span *)tn_amd_grown(s->l, s->span, s->nspan, &s->capspan, sizeof *all);
  const tn_amd_live_span span = {start, end, next, owner};
  if (!all) return 0;
  s->span = all;
  s->span[s->nspan] = span;
  return s->nspan++;
}
static void tn_amd_scan_put(tn_amd_scan *s, int phys, int list, int owner) {
  int32_t last = 0, at = s->used[phys];
  for (; list; list = s->r->span[list].next) {
    const int start = s->r->span[list].start;
    while (at && s->span[at].start < start) { last = at; at = s->span[at].next; }
    const int fresh = tn_amd_scan_span(s, start, s->r->span[list].end, at, owner);
    if (last) s->span[last].next = fresh; else s->used[phys] = fresh;
    last = fresh;
  }
}
static void tn_amd_scan_drop(tn_amd_scan *s, int phys, int owner) {
  int32_t last = 0;
  for (int at = s->used[phys]; at; at = s->span[at].next) {
    if (s->span[at].owner != owner) { last = at; continue; }
    if (last) s->span[last].next = s->span[at].next; else s->used[phys] = s->span[at].next;
  }
}
// The first span of a register that meets a list's; 0: none. What ended before `now` is forgotten.
static int tn_amd_scan_meets(tn_amd_scan *s, int phys, int list, int now) {
  const tn_amd_live_span *const a = s->span, *const b = s->r->span;
  while (s->used[phys] && a[s->used[phys]].end <= now) s->used[phys] = a[s->used[phys]].next;
  int at = s->used[phys];
  while (at && list) {
    if (a[at].end <= b[list].start) at = a[at].next;
    else if (b[list].end <= a[at].start) list = b[list].next;
    else return at;
  }
  return 0;
}

// ** places **

static int tn_amd_scan_fits(const tn_amd_scan *s, int v, int phys) {
  const int kind = s->l->vreg[v].kind, number = phys - tn_amd_file_base(kind), align = s->t->tuple[v].align;
  return number >= 0 && number + s->l->vreg[v].dwords <= s->most[tn_amd_file_of(kind)] &&
      ((number ^ s->t->tuple[v].phase) & (align - 1)) == 0;
}
static int tn_amd_scan_free(tn_amd_scan *s, int v, int phys, int now) {
  for (int k = 0; k < s->l->vreg[v].dwords; k++)
    if (tn_amd_scan_meets(s, phys + k, s->r->spans[s->r->unit_of[v] + k], now)) return 0;
  return 1;
}
static void tn_amd_scan_take(tn_amd_scan *s, int v, int phys) {
  s->place[v] = phys;
  for (int k = 0; k < s->l->vreg[v].dwords; k++)
    tn_amd_scan_put(s, phys + k, s->r->spans[s->r->unit_of[v] + k], v);
}
// Where a copy's other end is, if this one can be there, too; -1: nowhere.
static int tn_amd_scan_wish(tn_amd_scan *s, int v, int now) {
  for (int w = s->t->tuple[v].wish; w; w = s->t->wish[w].next) {
    const tn_amd_wish *const wish = &s->t->wish[w];
    int phys = wish->other;
    if (phys >= TN_AMD_REAL_UNITS) {
      const int other = s->r->vreg_of[phys];
      if (s->place[other] < 0) continue;
      phys = s->place[other] + phys - s->r->unit_of[other];
    }
    phys -= wish->mine - s->r->unit_of[v];
    if (tn_amd_scan_fits(s, v, phys) && tn_amd_scan_free(s, v, phys, now)) return phys;
  }
  return -1;
}
static int tn_amd_scan_find(tn_amd_scan *s, int v, int now) {                          // -1: there is none
  const int kind = s->l->vreg[v].kind, base = tn_amd_file_base(kind), dwords = s->l->vreg[v].dwords;
  const int last = s->most[tn_amd_file_of(kind)] - dwords, wish = tn_amd_scan_wish(s, v, now);
  const int round = s->rounds && kind == TN_AMD_VGPR && dwords == 1 ? s->cursor : 0;
  if (wish >= 0) return wish;
  if (s->masks[v] && tn_amd_scan_free(s, v, TN_AMD_VCC, now)) return TN_AMD_VCC;
  const int wrong = s->t->tuple[v].align - 1, phase = s->t->tuple[v].phase;
  for (int i = 0; i <= last; i++) {
    const int number = i + round > last ? i + round - last - 1 : i + round;
    if ((number ^ phase) & wrong || !tn_amd_scan_free(s, v, base + number, now)) continue;
    if (kind == TN_AMD_VGPR && dwords == 1) s->cursor = number + 1;
    return base + number;
  }
  return -1;
}

// ** no place: who gives up his **

// What those are worth that are in the way at a place; a negative number: some may not leave.
static float tn_amd_scan_price(tn_amd_scan *s, int v, int phys, int now, float most) {
  float sum = 0;
  int32_t seen[TN_AMD_MOST_TUPLE];
  int nseen = 0;
  for (int k = 0; k < s->l->vreg[v].dwords && sum < most; k++) {
    const int list = s->r->spans[s->r->unit_of[v] + k];
    tn_amd_scan_meets(s, phys + k, list, now);
    for (int at = s->used[phys + k], b = list; at && b;) {
      if (s->span[at].end <= s->r->span[b].start) { at = s->span[at].next; continue; }
      if (s->r->span[b].end <= s->span[at].start) { b = s->r->span[b].next; continue; }
      const int owner = s->span[at].owner;
      if (owner < 0 || s->worth[owner] < 0) return -1;
      int known = 0;
      for (int i = 0; i < nseen; i++) known |= seen[i] == owner;
      if (!known) sum += s->worth[owner];
      if (!known && nseen < TN_AMD_MOST_TUPLE) seen[nseen++] = owner;
      at = s->span[at].next;
    }
  }
  return sum;
}
static void tn_amd_scan_spill(tn_amd_scan *s, int v) {
  if (s->spilled[v]) return;
  s->spilled[v] = 1; s->nspilled++;
  for (int k = 0; s->place[v] >= 0 && k < s->l->vreg[v].dwords; k++) tn_amd_scan_drop(s, s->place[v] + k, v);
  s->place[v] = -1;
}
static void tn_amd_scan_evict(tn_amd_scan *s, int v, int phys, int now) {
  for (int k = 0; k < s->l->vreg[v].dwords; k++) {
    const int list = s->r->spans[s->r->unit_of[v] + k];
    for (int at; (at = tn_amd_scan_meets(s, phys + k, list, now)) != 0;) tn_amd_scan_spill(s, s->span[at].owner);
  }
}
static void tn_amd_scan_force(tn_amd_scan *s, int v, int now) {
  const int kind = s->l->vreg[v].kind, base = tn_amd_file_base(kind);
  float least = s->worth[v] < 0 ? 1e30f : s->worth[v];
  int best = -1;
  for (int i = 0; i < s->most[tn_amd_file_of(kind)]; i++) {
    if (!tn_amd_scan_fits(s, v, base + i)) continue;
    const float price = tn_amd_scan_price(s, v, base + i, now, least);
    if (price >= 0 && price < least) { least = price; best = base + i; }
  }
  if (best < 0 && s->worth[v] < 0) tn_amd_list_refuse(s->l, "an instruction wants more registers than there are");
  if (best < 0) { tn_amd_scan_spill(s, v); return; }
  tn_amd_scan_evict(s, v, best, now);
  tn_amd_scan_take(s, v, best);
}

// ** what spilling one saves and costs **

// Of tuples: below 0: all of it has to stay.
static void tn_amd_scan_weigh(tn_amd_scan *s) {
  static const float often[] = {1, 8, 64, 512, 4096, 32768};
  const tn_amd_ranges *const r = s->r;
  int shift;
  for (int i = 0; i < s->l->n; i++)
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      const tn_amd_live_touch *const touch = &r->touch[k];
      if (touch->unit < TN_AMD_REAL_UNITS) continue;
      const int v = r->vreg_of[tn_amd_tuple_unit(s->t, touch->unit)];
      s->worth[v] += often[r->depth[i] < 5 ? r->depth[i] : 5] * (float)touch->dwords;
    }
  for (int v = 0; v < s->l->nvreg; v++) {
    float length = 1;
    int made = 1;
    for (int k = 0; k < s->l->vreg[v].dwords; k++) {
      for (int at = r->spans[r->unit_of[v] + k]; at; at = r->span[at].next)
        length += (float)(r->span[at].end - r->span[at].start);
      made &= tn_amd_spill_constant(s->l->line, r, r->unit_of[v] + k) != NULL;
    }
    s->worth[v] = s->l->vreg[v].hint == TN_AMD_STAYS ? -1 - s->worth[v] : s->worth[v] * (made ? 0.25f : 1) / length;
  }
  for (int v = 0; v < s->l->nvreg; v++) {
    float *const whole = &s->worth[tn_amd_tuple_find(s->t, v, &shift)];
    if (*whole < 0 && s->l->vreg[v].hint != TN_AMD_STAYS) *whole = -1 - *whole;
  }
}

// ** the scan **

// Comparisons, and sums with a carry: forms that are shorter where a mask is VCC.
static int tn_amd_scan_is_shorter(const tn_amd_line *line) {
  const int op = line->ins.op, format = line->kind == TN_AMD_LINE_INS ? tn_amd_format(op, line->ins.family) : 0;
  return format == TN_AMD_VOPC || format == TN_AMD_VOP2 || op == TN_AMD_V_ADD_CO_U32 || op == TN_AMD_V_SUB_CO_U32 ||
      op == TN_AMD_V_SUBREV_CO_U32;
}
// Masks that those write and nobody else, and which do not live long.
static void tn_amd_scan_masks(tn_amd_scan *s) {
  const tn_amd_ranges *const r = s->r;
  for (int i = 0; i < s->l->n; i++)
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      if (r->touch[k].unit < TN_AMD_REAL_UNITS || !(r->touch[k].role & TN_AMD_WRITES)) continue;
      uint8_t *const mask = &s->masks[r->vreg_of[tn_amd_tuple_unit(s->t, r->touch[k].unit)]];
      if (*mask < 2) *mask = (uint8_t)(tn_amd_scan_is_shorter(&s->l->line[i]) ? 1 : 2);
    }
  for (int v = 0; v < s->l->nvreg; v++) {
    const int first = r->spans[r->unit_of[v]], whole = first && !r->span[first].next;
    s->masks[v] = s->masks[v] == 1 && s->l->vreg[v].kind == TN_AMD_SGPR && s->l->vreg[v].dwords == s->l->mask &&
        s->l->vreg[v].fixed < 0 && whole && r->span[first].end - r->span[first].start < 128;
  }
}
// By where they begin; what is fixed, first of all.
static void tn_amd_scan_sort(tn_amd_scan *s) {
  const tn_amd_ranges *const r = s->r;
  for (int i = 0; i <= 2 * s->l->n + 1; i++) s->begin[i] = -1;
  for (int v = s->l->nvreg - 1; v >= 0; v--) {
    int start = INT32_MAX;
    if (s->t->tuple[v].into != v) continue;
    for (int k = 0; k < s->l->vreg[v].dwords; k++) {
      const int at = r->spans[r->unit_of[v] + k];
      if (at && r->span[at].start < start) start = r->span[at].start;
    }
    if (start == INT32_MAX || s->l->vreg[v].fixed >= 0) continue;
    s->next[v] = s->begin[start];
    s->begin[start] = v;
  }
}
static void tn_amd_scan_fixed(tn_amd_scan *s) {
  for (int u = 0; u < TN_AMD_REAL_UNITS; u++) { s->used[u] = 0; tn_amd_scan_put(s, u, s->r->spans[u], -1); }
  for (int v = 0; v < s->l->nvreg; v++) {
    s->place[v] = -1;
    if (s->l->vreg[v].fixed >= 0 && !s->spilled[v])
      tn_amd_scan_take(s, v, tn_amd_file_base(s->l->vreg[v].kind) + s->l->vreg[v].fixed);
  }
}
static void tn_amd_scan_pass(tn_amd_scan *s) {
  s->nspan = 0; s->cursor = 0; s->nspilled = 0;
  tn_amd_scan_span(s, 0, 0, 0, -1);        // number 0 is none
  tn_amd_scan_fixed(s);
  for (int now = 0; now <= 2 * s->l->n + 1 && !s->l->refused; now++)
    for (int v = s->begin[now]; v >= 0 && !s->l->refused; v = s->next[v]) {
      const int phys = tn_amd_scan_find(s, v, now);
      if (phys >= 0) tn_amd_scan_take(s, v, phys);
      else if (s->rounds) { s->nspilled = 1; return; }
      else {
        if (!s->worth) s->worth = (float *)tn_amd_room(s->l, (size_t)s->l->nvreg + 1, sizeof *s->worth);
        if (s->worth && !s->nspilled) tn_amd_scan_weigh(s);
        if (s->worth) tn_amd_scan_force(s, v, now);
      }
    }
}
// How many registers of a kind are named.
static int tn_amd_scan_named(const tn_amd_scan *s, int kind) {
  const int base = tn_amd_file_base(kind), end = base + (kind == TN_AMD_SGPR ? TN_AMD_VCC : 256);
  int most = 0;
  for (int u = base; u < end; u++) if (s->r->spans[u] && u - base + 1 > most) most = u - base + 1;
  for (int v = 0; v < s->l->nvreg; v++) {
    const int first = s->place[v] - base, last = first + s->l->vreg[v].dwords;
    if (s->l->vreg[v].kind == kind && s->place[v] >= 0 && last <= end - base && last > most) most = last;
  }
  return most;
}
// The most vector registers that leave as many waves on a SIMD as n of them do.
static int tn_amd_scan_round(const tn_amd_chip *chip, int n, int others) {
  const int granule = chip->granule, all = (n + others + granule - 1) / granule * granule;
  int waves = all ? chip->vgprs / all : chip->waves;
  if (waves > chip->waves) waves = chip->waves;
  if (waves < 1) waves = 1;
  const int most = chip->vgprs / waves / granule * granule - others;
  return most > 256 ? 256 : most < n ? n : most;
}
// gfx9 gives VGPRs by 4, before AGPRs.
static void tn_amd_scan_spread(tn_amd_scan *s) {
  const int n = tn_amd_scan_named(s, TN_AMD_VGPR), agprs = tn_amd_scan_named(s, TN_AMD_AGPR);
  int32_t *const place = s->place;
  int32_t *const other = (int32_t *)tn_amd_room(s->l, (size_t)s->l->nvreg + 1, sizeof *other);
  if (!other) return;
  s->place = other; s->rounds = 1;
  s->most[1] = tn_amd_scan_round(s->l->chip, n, agprs ? agprs : 0);
  tn_amd_scan_pass(s);
  if (s->nspilled) s->place = place;
  s->nspilled = 0;
}
static void tn_amd_scan_all(tn_amd_scan *s, tn_amd_tuples *t) {
  tn_amd_list *const l = t->l;
  memset(s, 0, sizeof *s);
  s->l = l; s->r = t->r; s->t = t;
  s->most[0] = tn_amd_last_sgpr(l->family) + 1; s->most[1] = 256; s->most[2] = l->family == TN_AMD_GFX9 ? 256 : 0;
  s->begin = (int32_t *)tn_amd_room(l, 2 * (size_t)l->n + 2, sizeof *s->begin);
  s->next = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *s->next);
  s->place = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *s->place);
  s->spilled = (uint8_t *)tn_amd_room(l, (size_t)l->nvreg + 1, 1);
  s->masks = (uint8_t *)tn_amd_room(l, (size_t)l->nvreg + 1, 1);
  if (l->refused) return;
  tn_amd_scan_masks(s);
  tn_amd_scan_sort(s);
  tn_amd_scan_pass(s);
  if (!s->nspilled && !l->refused) tn_amd_scan_spread(s);
}

// ** operands and copies **

static void tn_amd_rename(const tn_amd_list *l, tn_amd_operand *o) {
  if (!tn_amd_is_virtual(o)) return;
  const int reg = l->vreg[o->reg - TN_AMD_VIRTUAL].reg;
  o->reg = (uint16_t)((reg < 0 ? 0 : reg) + o->sub);
  o->sub = 0;
}
static int tn_amd_move_is_none(const tn_amd_ins *ins) {
  return ins->o[0].kind == ins->o[1].kind && ins->o[0].reg == ins->o[1].reg && tn_amd_is_register(&ins->o[0]);
}
static int tn_amd_move_op(int family, int to, const tn_amd_operand *from, int pair) {
  if (to == TN_AMD_SGPR && from->kind == TN_AMD_VGPR) return TN_AMD_V_READFIRSTLANE_B32;
  if (to == TN_AMD_SGPR) return pair ? TN_AMD_S_MOV_B64 : TN_AMD_S_MOV_B32;
  if (to == TN_AMD_AGPR) return from->kind == TN_AMD_AGPR ? TN_AMD_V_ACCVGPR_MOV_B32 : TN_AMD_V_ACCVGPR_WRITE_B32;
  if (from->kind == TN_AMD_AGPR) return TN_AMD_V_ACCVGPR_READ_B32;
  return pair && family == TN_AMD_GFX9 ? TN_AMD_V_MOV_B64 : TN_AMD_V_MOV_B32;
}
// May two dwords be one move? Of constants 0 and -1 alone, whose halves are the same.
static int tn_amd_move_pairs(const tn_amd_ins *ins, int family) {
  const tn_amd_operand *const to = &ins->o[0], *const from = &ins->o[1];
  const int halves = from->kind == TN_AMD_INLINE && (from->reg == 128 || from->reg == 193);
  if (to->reg % 2 || (to->kind != TN_AMD_SGPR && (to->kind != TN_AMD_VGPR || family != TN_AMD_GFX9))) return 0;
  return halves || (from->kind == to->kind && from->reg % 2 == 0);
}
static int tn_amd_move_lines(const tn_amd_line *line, int family) {
  if (line->kind != TN_AMD_LINE_COPY) return 1;
  if (tn_amd_move_is_none(&line->ins)) return 0;
  const int n = line->ins.o[0].dwords;
  return n > 1 && tn_amd_move_pairs(&line->ins, family) ? (n + 1) / 2 : n;
}
// Dword by dword, from the last one where what is written would be read later.
static void tn_amd_move_expand(const tn_amd_line *line, int family, tn_amd_line *out) {
  const tn_amd_operand *const to = &line->ins.o[0], *const from = &line->ins.o[1];
  const int pair = to->dwords > 1 && tn_amd_move_pairs(&line->ins, family), step = 1 + pair;
  const int n = (to->dwords + step - 1) / step, back = to->kind == from->kind && to->reg > from->reg;
  for (int i = 0; i < n; i++) {
    const int at = (back ? n - 1 - i : i) * step, dwords = at + step > to->dwords ? 1 : step;
    tn_amd_line *const move = &out[i];
    *move = *line;
    move->kind = TN_AMD_LINE_INS;
    move->ins.op = (uint16_t)tn_amd_move_op(family, to->kind, from, dwords > 1);
    move->ins.o[0] = tn_amd_slice(*to, at, dwords);
    move->ins.o[1] = tn_amd_is_register(from) ? tn_amd_slice(*from, at, dwords) : *from;
    move->ins.o[1].dwords = (uint8_t)dwords;
    if (tn_amd_format(move->ins.op, family) == TN_AMD_VOP3P) move->ins.o[0].op_sel_hi = move->ins.o[1].op_sel_hi = 1;
  }
}
// Into the same lines, if what comes of the first ones never takes more room than they did.
static void tn_amd_rename_all(tn_amd_list *l) {
  int n = 0, at = 0, fits = 1;
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < l->line[i].ins.n; k++) tn_amd_rename(l, &l->line[i].ins.o[k]);
    for (int k = 0; k < l->line[i].ins.n_y; k++) tn_amd_rename(l, &l->line[i].ins.y[k]);
    n += tn_amd_move_lines(&l->line[i], l->family);
    fits &= n <= i + 1;
  }
  int cap = l->cap;
  tn_amd_line *const out = fits ? l->line : tn_amd_other_lines(l, n + 1, &cap);
  if (!out) return;
  for (int i = 0; i < l->n; i++) {
    if (l->line[i].kind != TN_AMD_LINE_COPY) {
      if (&out[at] != &l->line[i]) out[at] = l->line[i];
      at++;
      continue;
    }
    const tn_amd_line copy = l->line[i];
    const int moves = tn_amd_move_lines(&copy, l->family);
    if (moves) tn_amd_move_expand(&copy, l->family, &out[at]);
    at += moves;
  }
  l->n = n;
  if (!fits) tn_amd_lines_are(l, out, n, cap);
}

// ** all of it **

static void tn_amd_place_all(tn_amd_scan *s) {
  tn_amd_list *const l = s->l;
  for (int v = 0; v < l->nvreg; v++) {
    int shift;
    const int root = tn_amd_tuple_find(s->t, v, &shift), place = s->place[root];
    if (place >= 0) l->vreg[v].reg = (int16_t)(place - tn_amd_file_base(l->vreg[v].kind) + shift);
  }
  const int sgprs = tn_amd_scan_named(s, TN_AMD_SGPR), given = l->setup.user_sgprs + (l->setup.ids & 1) +
      (l->setup.ids >> 1 & 1) + (l->setup.ids >> 2 & 1);
  l->setup.vgprs = (uint16_t)tn_amd_scan_named(s, TN_AMD_VGPR);
  l->setup.agprs = (uint16_t)tn_amd_scan_named(s, TN_AMD_AGPR);
  l->setup.sgprs = (uint16_t)(sgprs > given ? sgprs : given);
}
enum { TN_AMD_MOST_ROUNDS = 40 };
static void tn_amd_allocate(tn_amd_list *l) {
  tn_amd_spill spill;
  tn_amd_spill_begin(&spill, l);
  for (int round = 0; !l->refused; round++) {
    tn_amd_ranges ranges;
    tn_amd_tuples tuples;
    tn_amd_scan scan;
    tn_amd_ranges_find(&ranges, l);
    if (!l->refused) tn_amd_tuples_find(&tuples, &ranges);
    if (l->refused) return;
    tn_amd_scan_all(&scan, &tuples);
    if (l->refused) return;
    if (!scan.nspilled) { tn_amd_place_all(&scan); break; }
    if (round == TN_AMD_MOST_ROUNDS) tn_amd_list_refuse(l, "it has more values at a time than there are registers");
    else tn_amd_spill_rewrite(&spill, &tuples, scan.spilled);
  }
  if (!l->refused) tn_amd_rename_all(l);
}
#endif
// ---- end src/amd/../isa/amd_registers.c ----
// pairs, waits, hazards, bytes
// ---- begin src/amd/../isa/amd_dual.c ----
// amd_dual: pairs of vector instructions that RDNA issues as one (VOPD).
//
// In:    a list of real registers, copies expanded, on gfx11 or gfx12. Out: the list, with fewer lines.
// Holds: the second of a pair moves up to the first, past few lines of its block that neither touch what it writes nor
//        write what it reads; both read before either writes. It does not where the first would have to wait for it
//        for more than two cycles. What stands in each half is of short forms: operands change sides, and a product
//        that is added to its own result is an fmac, where that makes a pair.
// Source: AMD, RDNA3 ISA, "Dual Issue VALU"; what a pair may be is amd_code.c's and amd_rules.c's.
#ifndef TN_ISA_AMD_DUAL
#define TN_ISA_AMD_DUAL
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#endif

enum { TN_AMD_DUAL_FAR = 20, TN_AMD_DUAL_LATE = 2, TN_AMD_DUAL_WORDS = TN_AMD_DWORD_VIRTUAL / 32 + 1 };
// One of a pair, in its short form; n: 0: it cannot be one.
typedef struct tn_amd_dual_side { int op, n; tn_amd_operand o[4]; } tn_amd_dual_side;
typedef struct tn_amd_touched { uint32_t reads[TN_AMD_DUAL_WORDS], writes[TN_AMD_DUAL_WORDS]; } tn_amd_touched;
typedef struct tn_amd_pairs {
  tn_amd_list *l; tn_amd_uses *uses; tn_amd_trait *trait; tn_amd_dual_side *half;    // of lines
  uint8_t *gone;                           // of a line: it is the second of a pair
  int ready[TN_AMD_DWORD_VIRTUAL], now;    // of registers: the cycle from which they are there
} tn_amd_pairs;

// ** halves **

static int tn_amd_half_is_plain(const tn_amd_ins *ins) {
  for (int i = 0; i < ins->n; i++)
    if (ins->o[i].neg || ins->o[i].abs || ins->o[i].op_sel || ins->o[i].sext) return 0;
  for (int i = 0; i < TN_AMD_MODIFIERS; i++) if (ins->m[i]) return 0;
  return !ins->lanes && !ins->op_y;
}
static int tn_amd_half_is_vector(const tn_amd_operand *o) { return o->kind == TN_AMD_VGPR; }
// d = a * b + c as what VOPD has of it: c is d, or a constant is one of them, which stands behind the words then.
static void tn_amd_half_of_fma(const tn_amd_ins *ins, tn_amd_dual_side *h) {
  const tn_amd_operand *const o = ins->o;
  const int a = tn_amd_is_constant(&o[1]) ? 2 : 1, b = 3 - a;         // b: a constant, if one is
  memcpy(h->o, o, 4 * sizeof *o);
  if (tn_amd_is_constant(&o[3])) {
    h->op = TN_AMD_V_FMAAK_F32;
    h->o[3].kind = TN_AMD_LITERAL;
  } else if (tn_amd_is_constant(&o[b]) && tn_amd_half_is_vector(&o[3])) {
    h->op = TN_AMD_V_FMAMK_F32;
    h->o[1] = o[a]; h->o[2] = o[b];
    h->o[2].kind = TN_AMD_LITERAL;
  } else if (tn_amd_half_is_vector(&o[3]) && o[3].reg == o[0].reg) { h->op = TN_AMD_V_FMAC_F32; h->n = 3; }
  else h->n = 0;
}
static int tn_amd_half_swaps(int op) {
  switch (op) {
    case TN_AMD_V_ADD_F32: case TN_AMD_V_MUL_F32: case TN_AMD_V_MUL_DX9_ZERO_F32: case TN_AMD_V_MAX_F32:
    case TN_AMD_V_MIN_F32: case TN_AMD_V_FMAC_F32: case TN_AMD_V_FMAAK_F32: case TN_AMD_V_ADD_NC_U32:
    case TN_AMD_V_AND_B32: case TN_AMD_V_DOT2ACC_F32_F16: return op;
    case TN_AMD_V_SUB_F32: return TN_AMD_V_SUBREV_F32;
    case TN_AMD_V_SUBREV_F32: return TN_AMD_V_SUB_F32;
    default: return 0;
  }
}
// The same with its first two sources changed. 0: it has no such form.
static int tn_amd_half_swapped(const tn_amd_dual_side *h, tn_amd_dual_side *to) {
  const int op = tn_amd_half_swaps(h->op);
  if (!op || !tn_amd_half_is_vector(&h->o[1])) return 0;
  *to = *h;
  to->op = op;
  to->o[1] = h->o[2]; to->o[2] = h->o[1];
  return 1;
}
static void tn_amd_half_of(const tn_amd_line *line, tn_amd_dual_side *h) {
  const tn_amd_ins *const ins = &line->ins;
  memset(h, 0, sizeof *h);
  if (line->kind != TN_AMD_LINE_INS || ins->n > 4) return;
  const int is_fma = ins->op == TN_AMD_V_FMA_F32;
  if ((!is_fma && tn_amd_dual_code(ins->family, ins->op, TN_AMD_DUALS) < 0) || !tn_amd_half_is_plain(ins)) return;
  h->op = ins->op; h->n = ins->n;
  memcpy(h->o, ins->o, (size_t)ins->n * sizeof *ins->o);
  if (is_fma) tn_amd_half_of_fma(ins, h);
  const int alone = h->op == TN_AMD_V_MOV_B32 || h->op == TN_AMD_V_FMAMK_F32;
  if (!h->n || alone || tn_amd_half_is_vector(&h->o[2])) return;
  const tn_amd_dual_side as_is = *h;
  if (!tn_amd_half_swapped(&as_is, h)) h->n = 0;
}

// ** pairs **

static int tn_amd_pair_of(const tn_amd_dual_side *x, const tn_amd_dual_side *y, int family, tn_amd_ins *pair) {
  uint32_t words[TN_AMD_MOST_WORDS];
  if (tn_amd_dual_code(family, x->op, TN_AMD_DUALS_X) < 0) return 0;
  pair->op = (uint16_t)x->op; pair->n = (uint8_t)x->n;
  pair->op_y = (uint16_t)y->op; pair->n_y = (uint8_t)y->n;
  memcpy(pair->o, x->o, sizeof x->o);
  memcpy(pair->y, y->o, sizeof y->o);
  return !tn_amd_dual_rule(pair) && tn_amd_encode(family, pair, words) > 0;
}
// Either may be the first half, and each may change its sources.
static int tn_amd_pair_some(const tn_amd_dual_side *a, const tn_amd_dual_side *b, int family, tn_amd_ins *pair) {
  tn_amd_dual_side as[2], bs[2];
  as[0] = *a; bs[0] = *b;
  const int na = 1 + tn_amd_half_swapped(a, &as[1]), nb = 1 + tn_amd_half_swapped(b, &bs[1]);
  if (!((a->o[0].reg ^ b->o[0].reg) & 1)) return 0;
  memset(pair, 0, sizeof *pair);
  pair->family = (uint8_t)family;
  for (int i = 0; i < na; i++) {
    for (int k = 0; k < nb; k++) {
      if (tn_amd_pair_of(&as[i], &bs[k], family, pair)) return 1;
      if (tn_amd_pair_of(&bs[k], &as[i], family, pair)) return 1;
    }
  }
  return 0;
}

// ** who touches what **

static int tn_amd_touch_of(const tn_amd_use *u) {            // -1: nobody waits for it
  const int at = u->reg + u->sub;
  if (u->kind == TN_AMD_SPECIAL)
    return u->reg == TN_AMD_SCC ? TN_AMD_DWORD_SCC : u->reg == TN_AMD_VCCZ ? TN_AMD_DWORD_SGPR + (int)TN_AMD_VCC
         : u->reg == TN_AMD_EXECZ ? TN_AMD_DWORD_SGPR + (int)TN_AMD_EXEC : -1;
  if (u->kind == TN_AMD_SGPR) return at == TN_AMD_NULL || at > 127 ? -1 : TN_AMD_DWORD_SGPR + at;
  return at > 255 ? -1 : u->kind == TN_AMD_AGPR ? TN_AMD_DWORD_AGPR + at : at;
}
static void tn_amd_touch(tn_amd_touched *t, const tn_amd_uses *uses) {
  for (int k = 0; k < uses->n; k++) {
    const int first = tn_amd_touch_of(&uses->of[k]), n = uses->of[k].dwords ? uses->of[k].dwords : 1;
    for (int d = first; first >= 0 && d < first + n; d++) {
      if (uses->of[k].role & TN_AMD_READS) t->reads[d / 32] |= 1u << d % 32;
      if (uses->of[k].role & TN_AMD_WRITES) t->writes[d / 32] |= 1u << d % 32;
    }
  }
}
// Does nothing that was touched keep the line from going past?
static int tn_amd_may_pass(const tn_amd_touched *t, const tn_amd_uses *uses) {
  for (int k = 0; k < uses->n; k++) {
    const int first = tn_amd_touch_of(&uses->of[k]), n = uses->of[k].dwords ? uses->of[k].dwords : 1;
    for (int d = first; first >= 0 && d < first + n; d++) {
      const uint32_t reads = t->reads[d / 32] >> d % 32 & 1, writes = t->writes[d / 32] >> d % 32 & 1;
      if (writes || (reads && uses->of[k].role & TN_AMD_WRITES)) return 0;
    }
  }
  return 1;
}

// ** time **

static int tn_amd_there(const tn_amd_pairs *p, int line) {
  int there = 0;
  for (int k = 0; k < p->uses[line].n; k++) {
    const tn_amd_use *const u = &p->uses[line].of[k];
    const int first = tn_amd_touch_of(u), n = u->dwords ? u->dwords : 1;
    for (int d = first; first >= 0 && d < first + n; d++) if (p->ready[d] > there) there = p->ready[d];
  }
  return there;
}
static void tn_amd_passes(tn_amd_pairs *p, int line) {
  const int there = tn_amd_there(p, line);
  if (there > p->now) p->now = there;
  for (int k = 0; k < p->uses[line].n; k++) {
    const tn_amd_use *const u = &p->uses[line].of[k];
    const int first = tn_amd_touch_of(u), n = u->dwords ? u->dwords : 1;
    for (int d = first; first >= 0 && d < first + n && u->role & TN_AMD_WRITES; d++)
      p->ready[d] = p->now + p->trait[line].cycles;
  }
  p->now += p->trait[line].issue;
}

// ** all **

// The line that is issued with this one: the first that may be. -1: none is.
static int tn_amd_partner(tn_amd_pairs *p, int line, tn_amd_ins *pair) {
  const int there = tn_amd_there(p, line), issued = there > p->now ? there : p->now;
  tn_amd_touched first, between;
  memset(&first, 0, sizeof first);
  memset(&between, 0, sizeof between);
  tn_amd_touch(&first, &p->uses[line]);
  memset(first.reads, 0, sizeof first.reads);                // which the second may write
  for (int i = line + 1, far_away = 1; i < p->l->n && far_away < TN_AMD_DUAL_FAR; i++) {
    if (p->gone[i]) continue;
    if (p->trait[i].stands) return -1;
    const int soon = p->half[i].n && tn_amd_there(p, i) <= issued + TN_AMD_DUAL_LATE;
    if (soon && tn_amd_may_pass(&first, &p->uses[i]) && tn_amd_may_pass(&between, &p->uses[i]) &&
        tn_amd_pair_some(&p->half[line], &p->half[i], p->l->family, pair)) return i;
    tn_amd_touch(&between, &p->uses[i]);
    far_away++;
  }
  return -1;
}
static int tn_amd_pairs_open(tn_amd_pairs *p, tn_amd_list *l) {
  memset(p, 0, sizeof *p);
  p->l = l;
  p->uses = (tn_amd_uses *)tn_amd_room(l, (size_t)l->n, sizeof *p->uses);
  p->half = (tn_amd_dual_side *)tn_amd_room(l, (size_t)l->n, sizeof *p->half);
  p->trait = (tn_amd_trait *)tn_amd_room(l, (size_t)l->n, sizeof *p->trait);
  p->gone = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  if (!p->uses || !p->half || !p->trait || !p->gone) return 0;
  for (int i = 0; i < l->n; i++) {
    tn_amd_uses_of(&l->line[i], &p->uses[i]);
    tn_amd_trait_of(&l->line[i], &p->trait[i]);
    tn_amd_half_of(&l->line[i], &p->half[i]);
  }
  return 1;
}
static void tn_amd_pair_lines(tn_amd_list *l) {
  tn_amd_pairs p;
  tn_amd_ins pair;
  int n = 0;
  if (l->refused || l->family == TN_AMD_GFX9 || l->chip->wave != 32) return;
  if (!tn_amd_pairs_open(&p, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  for (int i = 0; i < l->n; i++) {
    if (p.gone[i]) continue;
    const int second = p.half[i].n ? tn_amd_partner(&p, i, &pair) : -1;
    if (second >= 0) {
      l->line[i].ins = pair;
      p.gone[second] = 1;
      tn_amd_uses_of(&l->line[i], &p.uses[i]);
    }
    tn_amd_passes(&p, i);
    if (n != i) l->line[n] = l->line[i];
    n++;
  }
  l->n = n;
}
#endif
// ---- end src/amd/../isa/amd_dual.c ----
// ---- begin src/amd/../isa/amd_flow.c ----
// amd_flow: what holds at each line of a list, over all ways that lead there; and a list that is written anew with it.
//
// In:  a list whose registers are real, a state of a pass, of bytes, all 0 where the kernel begins. Out: the states at
//      labels, at which nothing changes any more; then the list, with what the pass puts in front of its lines.
// Holds: step changes the state by a line, and is called with the same line and state in the last walk, in which it
//      may put lines in front (tn_amd_flow_put); join makes `to` hold of both, and only ever says more, so walks end.
// Source: Kildall, "A unified approach to global program optimization", POPL 1973.
#ifndef TN_ISA_AMD_FLOW
#define TN_ISA_AMD_FLOW
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

typedef struct tn_amd_flow tn_amd_flow;
// line, n, uses: the lines as they were; at: states of labels; has: which of them have one; passed: in this walk
struct tn_amd_flow {
  tn_amd_list *l; void *pass; size_t nbytes;
  int (*join)(void *to, const void *from);               // 1: `to` says more than before
  void (*step)(tn_amd_flow *f, void *state, int line);
  const tn_amd_line *line; int n, writes; tn_amd_uses *uses;
  char *at, *now; uint8_t *has, *passed;
};

static int tn_amd_flow_open(tn_amd_flow *f, tn_amd_list *l, size_t nbytes, void *pass) {
  const size_t labels = (size_t)l->labels + 1;
  memset(f, 0, sizeof *f);
  f->l = l; f->nbytes = nbytes; f->pass = pass; f->line = l->line; f->n = l->n;
  f->uses = (tn_amd_uses *)(void *)tn_amd_room_of(l, (size_t)l->n * sizeof *f->uses, 0);
  f->at = tn_amd_room_of(l, (labels + 1) * nbytes, 0);                         // of labels that have a state alone
  f->has = (uint8_t *)tn_amd_room(l, 2 * labels, 1);
  if (l->refused) return 0;
  f->now = f->at + labels * nbytes;
  f->passed = f->has + labels;
  for (int i = 0; i < l->n; i++) tn_amd_uses_of(&l->line[i], &f->uses[i]);
  return 1;
}
// Nothing is known of labels.
static void tn_amd_flow_forget(tn_amd_flow *f) { memset(f->has, 0, (size_t)f->l->labels); }
static char *tn_amd_flow_label(const tn_amd_flow *f, int label) { return f->at + (size_t)label * f->nbytes; }
// The state comes to a label. 1: one that the walk is past has changed.
static int tn_amd_flow_arrive(tn_amd_flow *f, int label) {
  int changed = !f->has[label];
  if (changed) memcpy(tn_amd_flow_label(f, label), f->now, f->nbytes);
  else changed = f->join(tn_amd_flow_label(f, label), f->now);
  f->has[label] = 1;
  return changed && f->passed[label];
}
static int tn_amd_goes_on(const tn_amd_line *line) {
  const int op = line->ins.op;
  return line->kind != TN_AMD_LINE_INS || (op != TN_AMD_S_BRANCH && op != TN_AMD_S_ENDPGM && op != TN_AMD_S_SETPC_B64);
}
static int tn_amd_goes_to(const tn_amd_line *line) {         // a label; -1: none
  return line->kind == TN_AMD_LINE_INS && tn_amd_is_branch(line->ins.op) && line->ins.op != TN_AMD_S_ENDPGM
       ? line->label : -1;
}
static void tn_amd_flow_copy(tn_amd_flow *f, int line) {
  if (!f->writes) return;
  tn_amd_line_again(f->l, &f->line[line]);
}
// All lines once. 1: states of labels have changed that it was past.
static int tn_amd_flow_walk(tn_amd_flow *f) {
  int changed = 0, reached = 1;
  memset(f->now, 0, f->nbytes);
  memset(f->passed, 0, (size_t)f->l->labels);
  for (int i = 0; i < f->n; i++) {
    const tn_amd_line *const line = &f->line[i];
    if (line->kind == TN_AMD_LINE_LABEL) {
      if (reached) tn_amd_flow_arrive(f, line->label);
      f->passed[line->label] = 1;
      reached = f->has[line->label];
      if (reached) memcpy(f->now, tn_amd_flow_label(f, line->label), f->nbytes);
    } else f->step(f, f->now, i);
    tn_amd_flow_copy(f, i);
    const int to = tn_amd_goes_to(line);
    if (to >= 0 && reached) changed |= tn_amd_flow_arrive(f, to);
    if (tn_amd_goes_on(line)) continue;
    reached = 0;
    memset(f->now, 0, f->nbytes);
  }
  return changed;
}
static void tn_amd_flow_settle(tn_amd_flow *f) { while (tn_amd_flow_walk(f)) continue; }
// The last walk, which writes the list. Its lines before are kept for those of the next pass.
static void tn_amd_flow_write(tn_amd_flow *f) {
  tn_amd_list *const l = f->l;
  int cap;
  tn_amd_line *const line = tn_amd_other_lines(l, l->n, &cap);
  if (!line) return;
  tn_amd_lines_are(l, line, 0, cap);
  f->writes = 1;
  tn_amd_flow_walk(f);
}
// A line in front of the one that is stepped over; NULL: nothing is written yet.
static tn_amd_line *tn_amd_flow_put(tn_amd_flow *f, int op, int n, const tn_amd_operand *o) {
  if (!f->writes) return NULL;
  tn_amd_line *const line = tn_amd_line_new(f->l, TN_AMD_LINE_INS, -1);
  line->ins.op = (uint16_t)op; line->ins.n = (uint8_t)n;
  if (n) memcpy(line->ins.o, o, (size_t)n * sizeof *o);
  return line;
}
static void tn_amd_flow_put_number(tn_amd_flow *f, int op, unsigned number) {
  const tn_amd_operand o = tn_amd_imm((int)number);
  tn_amd_flow_put(f, op, 1, &o);
}

// ** registers, numbered on: VGPRs, AGPRs, scalars by their codes **

enum { TN_AMD_FLOW_AGPR = 256, TN_AMD_FLOW_VECTORS = 512, TN_AMD_FLOW_SCALARS = 128 };
static int tn_amd_flow_vector(int kind, int reg) { return kind == TN_AMD_AGPR ? TN_AMD_FLOW_AGPR + reg : reg; }
#endif
// ---- end src/amd/../isa/amd_flow.c ----
// ---- begin src/amd/../isa/amd_waits.c ----
// amd_waits: waits for what is under way: loads, LDS, scalar loads; as late as possible, and for no more than needed.
//
// In:  a list whose registers are real, without waits. Out: the list, with s_waitcnt, or gfx12's s_wait_*, in front of
//      lines that read or write a register that a load will write, and of barriers.
// Requires: setup.wgp is 0: a group is on one CU, whose caches keep the order of a group's accesses of memory by
//      themselves (LLVM, AMDGPUUsage, memory models, "CU wavefront execution mode"), so barriers wait for LDS alone.
// Holds: of each register, for each counter, how many operations are behind the one that writes it, at least: so many
//      may be left. What comes in any order (SMEM; flat) is waited for by 0, and is not counted: an operation that is
//      not done leaves those behind it undone, too, whatever else the counter counts. Nothing waits for stores, which
//      read their registers as they are issued. What is loaded in front of a loop and used in it, but is not under way
//      where the loop goes round, is waited for in front, not each time.
// Source: AMD's guides (amd.c), "Data Dependency Resolution"; LLVM, SIInsertWaitcnts.cpp: which counter is whose.
#ifndef TN_ISA_AMD_WAITS
#define TN_ISA_AMD_WAITS
#ifndef TINY_AMALGAMATED
#include "amd_flow.c"
#include "amd_names.c"
#endif

// ** states: 0: not under way; 64 - n: n operations are behind it, at least; IN_ANY_ORDER **

enum { TN_AMD_NEWEST = 64, TN_AMD_IN_ANY_ORDER = 255, TN_AMD_LDS_ITSELF = TN_AMD_FLOW_VECTORS,
  TN_AMD_PENDING = TN_AMD_FLOW_VECTORS + 16 };             // of whole vectors, as compilers like them
// by loads, by LDS; LDS_ITSELF: LDS is read or written, by loads: written. scalar: by SMEM
typedef struct tn_amd_pending {
  uint8_t load[TN_AMD_PENDING], lds[TN_AMD_PENDING], scalar[TN_AMD_FLOW_SCALARS];
} tn_amd_pending;
// What is waited for, the same way.
typedef struct tn_amd_needs { int load, lds, scalar; } tn_amd_needs;

static int tn_amd_pending_join(void *to, const void *from) {
  uint8_t *const a = (uint8_t *)to;
  const uint8_t *const b = (const uint8_t *)from;
  uint8_t more = 0;
  for (size_t i = 0; i < sizeof(tn_amd_pending); i++) {
    more |= b[i] > a[i];
    a[i] = b[i] > a[i] ? b[i] : a[i];
  }
  return more;
}
// One more operation of a counter. The counter has so many bits that none is `most` behind and not done.
static void tn_amd_pending_pass(uint8_t *of, int most) {
  const uint8_t oldest = (uint8_t)(TN_AMD_NEWEST - most + 1);
  for (int i = 0; i < TN_AMD_PENDING; i++)
    of[i] = (uint8_t)(of[i] - ((of[i] > oldest) & (of[i] != TN_AMD_IN_ANY_ORDER)));
}
static int tn_amd_lds_most(int family) { return family == TN_AMD_GFX9 ? 15 : 63; }
static int tn_amd_left(int need) { return need == TN_AMD_IN_ANY_ORDER ? 0 : TN_AMD_NEWEST - need; }
static void tn_amd_pending_done(uint8_t *of, int need) {
  const int left = tn_amd_left(need);
  const uint8_t done = (uint8_t)(left ? TN_AMD_NEWEST - left : TN_AMD_IN_ANY_ORDER);
  for (int i = 0; i < TN_AMD_PENDING && need; i++) of[i] = of[i] <= done ? 0 : of[i];
}

// ** what a line begins **

enum { TN_AMD_A_NONE, TN_AMD_A_LOAD, TN_AMD_A_STORE, TN_AMD_A_LDS, TN_AMD_A_SMEM, TN_AMD_A_FLAT, TN_AMD_A_INTO_LDS };
// Is there a result in registers?
static int tn_amd_access_returns(const tn_amd_ins *ins) {
  const int32_t *const m = ins->m;
  if (tn_amd_format(ins->op, ins->family) == TN_AMD_MUBUF && tn_amd_is_named(ins, "atomic"))
    return ins->family == TN_AMD_GFX11 ? m[TN_AMD_GLC] : ins->family == TN_AMD_GFX12 ? m[TN_AMD_TH] & 1 : m[TN_AMD_SC0];
  if (tn_amd_format(ins->op, ins->family) == TN_AMD_MUBUF) return ins->n && tn_amd_is_named(ins, "_load_");
  const tn_amd_form f = tn_amd_form_of(ins->op, ins->family);
  return f.n && (*f.operands == 'd' || (*f.operands == 'r' && ins->o[0].kind != TN_AMD_NONE));
}
static int tn_amd_access_kind(const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  if (line->kind != TN_AMD_LINE_INS) return TN_AMD_A_NONE;
  if (ins->op == TN_AMD_S_SENDMSG_RTN_B32 || ins->op == TN_AMD_S_SENDMSG_RTN_B64) return TN_AMD_A_SMEM;
  switch (tn_amd_format(ins->op, ins->family)) {
    case TN_AMD_SMEM: return *tn_amd_form_of(ins->op, ins->family).operands == 'D' ? TN_AMD_A_SMEM : TN_AMD_A_NONE;
    case TN_AMD_DS: return TN_AMD_A_LDS;
    case TN_AMD_FLAT: return TN_AMD_A_FLAT;
    case TN_AMD_SCRATCH: case TN_AMD_GLOBAL: case TN_AMD_MUBUF: break;
    default: return TN_AMD_A_NONE;
  }
  if (!ins->n) return TN_AMD_A_NONE;                         // caches: never counted here
  if (tn_amd_is_named(ins, "load_lds")) return TN_AMD_A_INTO_LDS;
  return tn_amd_access_returns(ins) ? TN_AMD_A_LOAD : TN_AMD_A_STORE;
}
static void tn_amd_pending_mark(tn_amd_pending *p, const tn_amd_uses *u, int access) {
  const int flat = access == TN_AMD_A_FLAT, newest = flat ? TN_AMD_IN_ANY_ORDER : TN_AMD_NEWEST;
  for (int k = 0; k < u->n; k++) {
    const tn_amd_use *const use = &u->of[k];
    if (!(use->role & TN_AMD_WRITES)) continue;
    for (int r = use->reg; r < use->reg + use->dwords; r++) {
      const int at = tn_amd_flow_vector(use->kind, r);
      const int vector = use->kind == TN_AMD_VGPR || use->kind == TN_AMD_AGPR;
      if (vector && (access == TN_AMD_A_LOAD || flat)) p->load[at] = (uint8_t)newest;
      if (vector && (access == TN_AMD_A_LDS || flat)) p->lds[at] = (uint8_t)newest;
      if (use->kind == TN_AMD_SGPR && access == TN_AMD_A_SMEM && r < TN_AMD_NULL) p->scalar[r] = TN_AMD_IN_ANY_ORDER;
    }
  }
}
static void tn_amd_pending_begin(tn_amd_pending *p, const tn_amd_uses *u, int access, int family) {
  const int in_loads = access == TN_AMD_A_LOAD || access == TN_AMD_A_INTO_LDS ||
                       (access == TN_AMD_A_STORE && family == TN_AMD_GFX9);
  if (in_loads) tn_amd_pending_pass(p->load, 63);
  if (access == TN_AMD_A_LDS) tn_amd_pending_pass(p->lds, tn_amd_lds_most(family));
  tn_amd_pending_mark(p, u, access);
  if (access == TN_AMD_A_LDS) p->lds[TN_AMD_LDS_ITSELF] = TN_AMD_NEWEST;
  if (access == TN_AMD_A_FLAT) p->lds[TN_AMD_LDS_ITSELF] = p->load[TN_AMD_LDS_ITSELF] = TN_AMD_IN_ANY_ORDER;
  if (access == TN_AMD_A_INTO_LDS) p->load[TN_AMD_LDS_ITSELF] = TN_AMD_NEWEST;
}

// ** what a line needs **

static void tn_amd_need(int *most, int one) { if (one > *most) *most = one; }
// A load that overwrites what another of its kind will have written comes behind it.
static void tn_amd_needs_of(tn_amd_needs *needs, const tn_amd_pending *p, const tn_amd_uses *u, int access) {
  for (int k = 0; k < u->n; k++) {
    const tn_amd_use *const use = &u->of[k];
    const int vector = use->kind == TN_AMD_VGPR || use->kind == TN_AMD_AGPR, writes = use->role == TN_AMD_WRITES;
    for (int r = use->reg; r < use->reg + use->dwords; r++) {
      if (use->kind == TN_AMD_SGPR && r < TN_AMD_FLOW_SCALARS) tn_amd_need(&needs->scalar, p->scalar[r]);
      if (!vector) continue;
      const int load = p->load[tn_amd_flow_vector(use->kind, r)], lds = p->lds[tn_amd_flow_vector(use->kind, r)];
      if (!(writes && access == TN_AMD_A_LOAD && load != TN_AMD_IN_ANY_ORDER)) tn_amd_need(&needs->load, load);
      if (!(writes && access == TN_AMD_A_LDS && lds != TN_AMD_IN_ANY_ORDER)) tn_amd_need(&needs->lds, lds);
    }
  }
}
static int tn_amd_is_barrier(const tn_amd_line *line) {
  const int op = line->ins.op;
  return line->kind == TN_AMD_LINE_INS && (op == TN_AMD_S_BARRIER || op == TN_AMD_S_BARRIER_SIGNAL ||
                                           op == TN_AMD_S_BARRIER_SIGNAL_ISFIRST);
}
// Permutations of lanes go by LDS's counter, and touch nothing of it.
static int tn_amd_touches_lds(const tn_amd_line *line, int access) {
  const int op = line->ins.op;
  return access == TN_AMD_A_LDS && op != TN_AMD_DS_PERMUTE_B32 && op != TN_AMD_DS_BPERMUTE_B32 &&
         op != TN_AMD_DS_SWIZZLE_B32;
}
static void tn_amd_put_wait_12(tn_amd_flow *f, const tn_amd_needs *needs) {
  const unsigned load = (unsigned)tn_amd_left(needs->load), lds = (unsigned)tn_amd_left(needs->lds);
  if (needs->load && needs->lds) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_LOADCNT_DSCNT, load << 8 | lds);
  else if (needs->load) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_LOADCNT, load);
  else if (needs->lds) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_DSCNT, lds);
  if (needs->scalar) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_KMCNT, 0);
}
// s_waitcnt: counters that nobody waits for are all ones.
static void tn_amd_put_wait_of(tn_amd_flow *f, const tn_amd_needs *needs) {
  unsigned imm = 0;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_waits); i++) {
    const tn_amd_word_of *const w = &tn_amd_waits[i];
    const int need = *w->name == 'v' ? needs->load : *w->name == 'l' ? needs->lds : 0;
    if (w->families >> f->l->family & 1) imm = tn_amd_wait_set(w, imm, need ? (unsigned)tn_amd_left(need) : w->value);
  }
  tn_amd_flow_put_number(f, TN_AMD_S_WAITCNT, imm);
}
static void tn_amd_put_wait(tn_amd_flow *f, tn_amd_pending *p, tn_amd_needs needs) {
  const int one_counter = f->l->family != TN_AMD_GFX12;      // of LDS and SMEM
  if (!needs.load && !needs.lds && !needs.scalar) return;
  if (one_counter && needs.scalar) needs.lds = TN_AMD_IN_ANY_ORDER;
  if (one_counter) tn_amd_put_wait_of(f, &needs);
  else tn_amd_put_wait_12(f, &needs);
  tn_amd_pending_done(p->load, needs.load);
  tn_amd_pending_done(p->lds, needs.lds);
  if (needs.scalar || (one_counter && needs.lds && !tn_amd_left(needs.lds))) memset(p->scalar, 0, sizeof p->scalar);
}

// ** loops **

// loop: of LOOP and the branch at its end: which, from 1 on; end: of LOOP: where it ends; back: what is under way where
// a loop goes round, but for what comes in from in front; in_front: wait there
typedef struct tn_amd_waiting {
  int *loop, *end, loops, in_front; uint8_t *access; tn_amd_pending *back;
} tn_amd_waiting;

static int tn_amd_waiting_open(tn_amd_waiting *w, tn_amd_list *l) {
  int *const stack = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int)), depth = 0;
  memset(w, 0, sizeof *w);
  w->loop = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int));
  w->end = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int));
  w->access = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  if (!stack || !w->loop || !w->end || !w->access) return 0;
  for (int i = 0; i < l->n; i++) {
    w->access[i] = (uint8_t)tn_amd_access_kind(&l->line[i]);
    if (l->line[i].kind == TN_AMD_LINE_LOOP) { w->loop[i] = ++w->loops; stack[depth++] = i; }
    if (l->line[i].kind != TN_AMD_LINE_LOOP_END || !depth) continue;
    const int from = stack[--depth];
    w->end[from] = i;
    w->loop[i - 1] = w->loop[from];
  }
  w->back = (tn_amd_pending *)tn_amd_room(l, (size_t)w->loops + 1, sizeof *w->back);
  return w->back != NULL;
}
// What is under way in front of the loop, is used in it and is not under way where it goes round.
static void tn_amd_needs_of_loop(tn_amd_flow *f, tn_amd_needs *needs, const tn_amd_pending *p, int line) {
  const tn_amd_waiting *const w = (const tn_amd_waiting *)f->pass;
  const uint8_t *const back = (const uint8_t *)&w->back[w->loop[line]];
  tn_amd_pending entry = *p;
  uint8_t *const all = (uint8_t *)&entry;
  for (size_t i = 0; i < sizeof entry; i++) if (back[i]) all[i] = 0;
  for (int i = line + 1; i < w->end[line]; i++)
    tn_amd_needs_of(needs, &entry, &f->uses[i], w->access[i]);
}
static void tn_amd_wait_step(tn_amd_flow *f, void *state, int i) {
  tn_amd_waiting *const w = (tn_amd_waiting *)f->pass;
  tn_amd_pending *const p = (tn_amd_pending *)state;
  const tn_amd_line *const line = &f->line[i];
  const int access = w->access[i];
  tn_amd_needs needs = {0, 0, 0};
  tn_amd_needs_of(&needs, p, &f->uses[i], access);
  if (line->kind == TN_AMD_LINE_LOOP && w->in_front) tn_amd_needs_of_loop(f, &needs, p, i);
  if (tn_amd_is_barrier(line)) tn_amd_need(&needs.lds, p->lds[TN_AMD_LDS_ITSELF]);
  if (tn_amd_is_barrier(line) || tn_amd_touches_lds(line, access))
    tn_amd_need(&needs.load, p->load[TN_AMD_LDS_ITSELF]);
  tn_amd_put_wait(f, p, needs);
  if (access) tn_amd_pending_begin(p, &f->uses[i], access, f->l->family);
  if (w->loop[i] && line->kind == TN_AMD_LINE_INS && !w->in_front) w->back[w->loop[i]] = *p;
}

static void tn_amd_wait(tn_amd_list *l) {
  tn_amd_waiting w;
  tn_amd_flow f;
  if (l->refused || !tn_amd_flow_open(&f, l, sizeof(tn_amd_pending), &w)) return;
  if (!tn_amd_waiting_open(&w, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  f.join = tn_amd_pending_join; f.step = tn_amd_wait_step;
  tn_amd_flow_settle(&f);
  w.in_front = 1;
  if (w.loops) { tn_amd_flow_forget(&f); tn_amd_flow_settle(&f); }
  tn_amd_flow_write(&f);
}
#endif
// ---- end src/amd/../isa/amd_waits.c ----
// ---- begin src/amd/../isa/amd_states.c ----
// amd_states: wait states of gfx942: how many instructions, or cycles of s_nop, lie between one that writes a register
// and one that comes too soon behind it, where the hardware does not see to that.
//
// In:  lines, by tn_amd_hazards. Out: for a line how many are missing in front of it; the state behind it.
// Holds: of each vector register, for each kind of who comes next, how many states are left until it may; of each
//        scalar one the same until an access of memory may read it, who wait longest for them.
// Source: AMD's CDNA3 guide, "Manually Inserted Wait States"; LLVM, GCNHazardRecognizer.cpp, checkMAIHazards90A,
//         checkMAIVALUHazards, createsVALUHazard, for what a count is.
#ifndef TN_ISA_AMD_STATES
#define TN_ISA_AMD_STATES
#ifndef TINY_AMALGAMATED
#include "amd_flow.c"
#endif

// Who comes next. As AB, as C: of a matrix instruction; as a C that is not what another one has written, register by
// register; over: who overwrites it.
enum { TN_AMD_NEXT_VALU, TN_AMD_NEXT_TRANS, TN_AMD_NEXT_DPP, TN_AMD_NEXT_LANE, TN_AMD_NEXT_AB, TN_AMD_NEXT_C,
  TN_AMD_NEXT_OTHER_C, TN_AMD_NEXT_MEMORY, TN_AMD_NEXT_OVER, TN_AMD_NEXT_MATRIX_OVER, TN_AMD_NEXTS };
enum { TN_AMD_SCALAR_MEMORY = 5, TN_AMD_SCALAR_LANE = 4, TN_AMD_SCALAR_FMAS = 4, TN_AMD_SCALAR_VALU = 2,
  TN_AMD_EXEC_DPP = 5, TN_AMD_EXEC_LANE = 4 };
// most: of each kind of left, at least what is there; MOST: of all; MODE, M0: until they may be used. part, of: which
// of so many registers it is that a matrix instruction wrote, from 1 on; 255: it depends on the way; scalar:
// SCALAR_MEMORY where a vector instruction was right before
enum { TN_AMD_LEFT_MOST, TN_AMD_LEFT_MODE, TN_AMD_LEFT_M0, TN_AMD_LEFTS = 8 };
typedef struct tn_amd_states {
  uint8_t left[TN_AMD_NEXTS][TN_AMD_FLOW_VECTORS], scalar[TN_AMD_FLOW_SCALARS], last[TN_AMD_LEFTS], most[16];
  uint8_t part[TN_AMD_FLOW_VECTORS], of[TN_AMD_FLOW_VECTORS];
} tn_amd_states;
// Vector registers of each kind that the list names.
typedef struct tn_amd_files { int vgprs, agprs; } tn_amd_files;

static void tn_amd_files_of(const tn_amd_flow *f, tn_amd_files *files) {
  files->vgprs = files->agprs = 0;
  for (int i = 0; i < f->n; i++) {
    for (int k = 0; k < f->uses[i].n; k++) {
      const tn_amd_use *const u = &f->uses[i].of[k];
      const int end = u->reg + u->dwords;
      if (u->kind == TN_AMD_VGPR && end > files->vgprs) files->vgprs = end;
      if (u->kind == TN_AMD_AGPR && end > files->agprs) files->agprs = end;
    }
  }
}

// ** ways that meet, and time **

static int tn_amd_states_join(void *to, const void *from) {
  tn_amd_states *const a = (tn_amd_states *)to;
  const tn_amd_states *const b = (const tn_amd_states *)from;
  uint8_t *const all = (uint8_t *)a;
  const uint8_t *const other = (const uint8_t *)b;
  const size_t first = b->last[TN_AMD_LEFT_MOST] ? 0 : offsetof(tn_amd_states, scalar);
  int more = 0;
  for (int r = 0; r < TN_AMD_FLOW_VECTORS && !first; r++) {
    const int same = a->part[r] == b->part[r] && a->of[r] == b->of[r], own = a->left[TN_AMD_NEXT_OTHER_C][r];
    if (!b->left[TN_AMD_NEXT_OTHER_C][r] || same || (own && a->part[r] == 255)) continue;
    a->part[r] = own ? 255 : b->part[r];
    a->of[r] = own ? 255 : b->of[r];
    more = 1;
  }
  for (size_t i = first; i < offsetof(tn_amd_states, part); i++) if (other[i] > all[i]) { all[i] = other[i]; more = 1; }
  return more;
}
// In eights, whose lanes compilers put side by side.
static void tn_amd_states_pass_over(uint8_t *of, int n, int states) {
  const uint8_t passed = (uint8_t)states;
  for (uint8_t *end = of + n; of < end; of += 8)
    for (int i = 0; i < 8; i++) of[i] = (uint8_t)(of[i] - (of[i] < passed ? of[i] : passed));
}
static void tn_amd_states_pass(tn_amd_states *s, const tn_amd_files *files, int states) {
  for (int k = 0; k < TN_AMD_NEXTS && s->last[TN_AMD_LEFT_MOST]; k++) {
    if (!s->most[k]) continue;
    tn_amd_states_pass_over(s->left[k], files->vgprs, states);
    tn_amd_states_pass_over(s->left[k] + TN_AMD_FLOW_AGPR, files->agprs, states);
  }
  tn_amd_states_pass_over(s->scalar, TN_AMD_FLOW_SCALARS, states);
  tn_amd_states_pass_over(s->last, TN_AMD_LEFTS, states);
  tn_amd_states_pass_over(s->most, TN_AMD_NEXTS, states);
}

// ** what is missing in front of a line **

static int tn_amd_is_of_lane(int op) {
  return op == TN_AMD_V_READLANE_B32 || op == TN_AMD_V_WRITELANE_B32 || op == TN_AMD_V_READFIRSTLANE_B32;
}
static int tn_amd_is_src0(char letter) { return letter == '0' || letter == 'x' || letter == 'X'; }
static int tn_amd_is_written(const tn_amd_ins *ins, int i, char letter) {
  if (tn_amd_is_memory(tn_amd_format(ins->op, ins->family))) return strchr("dr", letter) || (!i && letter == 'b' &&
      tn_amd_format(ins->op, ins->family) == TN_AMD_MUBUF && tn_amd_is_named(ins, "load"));
  return strchr("dgDec", letter) != NULL;
}
// Who the line is to a vector register that it names; -1: nobody who would have to wait.
static int tn_amd_next_of(const tn_amd_ins *ins, int unit, int i, char letter) {
  const int memory = unit == TN_AMD_U_LDS || unit == TN_AMD_U_VMEM;
  if (tn_amd_is_written(ins, i, letter)) {
    return memory ? -1 : unit == TN_AMD_U_MATRIX ? TN_AMD_NEXT_MATRIX_OVER : TN_AMD_NEXT_OVER;
  }
  if (memory) return TN_AMD_NEXT_MEMORY;
  if (unit == TN_AMD_U_MATRIX) return letter == 'C' ? TN_AMD_NEXT_C : TN_AMD_NEXT_AB;
  if (ins->lanes == TN_AMD_DPP16 && tn_amd_is_src0(letter)) return TN_AMD_NEXT_DPP;
  if (tn_amd_is_of_lane(ins->op) && i == 1) return TN_AMD_NEXT_LANE;
  return unit == TN_AMD_U_TRANS ? TN_AMD_NEXT_TRANS : TN_AMD_NEXT_VALU;
}
static void tn_amd_states_more(int *most, int n) { if (n > *most) *most = n; }
static int tn_amd_states_left(const tn_amd_states *s, int next, int reg, int dwords) {
  int most = 0;
  for (int r = reg; r < reg + dwords; r++) tn_amd_states_more(&most, s->left[next][r]);
  return most;
}
// Is what is added to exactly what one matrix instruction has written?
static int tn_amd_is_whole(const tn_amd_states *s, int reg, int dwords) {
  for (int k = 0; k < dwords; k++) if (s->part[reg + k] != k + 1 || s->of[reg + k] != dwords) return 0;
  return 1;
}
static int tn_amd_states_of_vector(const tn_amd_states *s, const tn_amd_ins *ins, int unit, int i, char letter) {
  const tn_amd_operand *const o = &ins->o[i];
  const int reg = tn_amd_flow_vector(o->kind, o->reg), next = tn_amd_next_of(ins, unit, i, letter);
  int most = next < 0 ? 0 : tn_amd_states_left(s, next, reg, o->dwords);
  const int adds = next >= TN_AMD_NEXT_OVER && tn_amd_reads_result(ins);
  if (adds && next == TN_AMD_NEXT_OVER) tn_amd_states_more(&most, tn_amd_states_left(s, 0, reg, o->dwords));
  const int is_c = next == TN_AMD_NEXT_C || (adds && next == TN_AMD_NEXT_MATRIX_OVER);
  if (is_c) tn_amd_states_more(&most, tn_amd_states_left(s, TN_AMD_NEXT_C, reg, o->dwords));
  if (is_c && !tn_amd_is_whole(s, reg, o->dwords))
    tn_amd_states_more(&most, tn_amd_states_left(s, TN_AMD_NEXT_OTHER_C, reg, o->dwords));
  return most;
}
// until: which of TN_AMD_SCALAR_.. the reader is.
static int tn_amd_states_of_scalar(const tn_amd_states *s, int reg, int dwords, int until) {
  int most = 0;
  for (int r = reg; r < reg + dwords && r < TN_AMD_FLOW_SCALARS; r++)
    if (s->scalar[r]) tn_amd_states_more(&most, until - (TN_AMD_SCALAR_MEMORY - s->scalar[r]));
  return most;
}
static int tn_amd_scalar_until(const tn_amd_ins *ins, int unit, int i) {
  switch (unit) {
    case TN_AMD_U_SMEM: case TN_AMD_U_LDS: case TN_AMD_U_VMEM: return TN_AMD_SCALAR_MEMORY;
    case TN_AMD_U_VALU: case TN_AMD_U_TRANS: case TN_AMD_U_MATRIX: break;
    default: return 0;
  }
  return i == 2 && tn_amd_is_of_lane(ins->op) ? TN_AMD_SCALAR_LANE : TN_AMD_SCALAR_VALU;
}
// What stands in no operand: EXEC, VCC of v_div_fmas; M0, and MODE.
static int tn_amd_states_of_others(const tn_amd_states *s, const tn_amd_ins *ins, int unit) {
  const int fmas = ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64;
  const int lanes = ins->lanes == TN_AMD_DPP16 ? TN_AMD_EXEC_DPP
                  : unit == TN_AMD_U_MATRIX || tn_amd_is_of_lane(ins->op) ? TN_AMD_EXEC_LANE : 0;
  int most = fmas ? tn_amd_states_of_scalar(s, TN_AMD_VCC, 2, TN_AMD_SCALAR_FMAS) : 0;
  tn_amd_states_more(&most, tn_amd_states_of_scalar(s, TN_AMD_EXEC, 2, lanes));
  if (s->last[TN_AMD_LEFT_M0] &&
      (ins->op == TN_AMD_S_SENDMSG || tn_amd_is_named(ins, "movrel") || tn_amd_is_named(ins, "load_lds")))
    tn_amd_states_more(&most, s->last[TN_AMD_LEFT_M0]);
  if (s->last[TN_AMD_LEFT_MODE] && (tn_amd_is_named(ins, "s_setreg") || tn_amd_is_named(ins, "s_getreg")))
    tn_amd_states_more(&most, s->last[TN_AMD_LEFT_MODE]);
  return most;
}
static int tn_amd_states_missing(const tn_amd_states *s, const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  const int unit = tn_amd_unit(line);
  int most = tn_amd_states_of_others(s, ins, unit);
  for (int i = 0; i < ins->n && i < form.n; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    const char letter = form.operands[2 * i];
    if (o->kind == TN_AMD_VGPR || o->kind == TN_AMD_AGPR)
      tn_amd_states_more(&most, tn_amd_states_of_vector(s, ins, unit, i, letter));
    else if (o->kind == TN_AMD_SGPR && !tn_amd_is_written(ins, i, letter))
      tn_amd_states_more(&most, tn_amd_states_of_scalar(s, o->reg, o->dwords, tn_amd_scalar_until(ins, unit, i)));
  }
  return most;
}

// ** what a line leaves **

// Passes of a matrix instruction, of four cycles: by its result, but for those of few steps (CDNA3 guide, "MFMA").
static int tn_amd_hazard_passes(const tn_amd_ins *ins) {
  const int dwords = ins->o[0].dwords;
  if (ins->op == TN_AMD_V_MFMA_F32_16X16X4_F32) return 8;
  if (ins->op == TN_AMD_V_MFMA_F32_32X32X2_F32) return 16;
  if (dwords == 4 && tn_amd_is_named(ins, "_4x4x")) return 2;
  return dwords <= 4 ? 4 : dwords <= 16 ? 8 : 16;
}
static void tn_amd_after_matrix(const tn_amd_ins *ins, uint8_t row[TN_AMD_NEXTS]) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  const int passes = tn_amd_hazard_passes(ins), f64 = !memcmp(name + n - 4, "_f64", 4), few = passes <= 4;
  const int xdl = !f64 && memcmp(name + n - 4, "_f32", 4) != 0;
  const int use = f64 ? (few ? 6 : 11) : passes + (xdl ? 3 : 2);
  memset(row, use, TN_AMD_NEXTS);
  row[TN_AMD_NEXT_C] = passes == 2 ? 2 : 0;
  row[TN_AMD_NEXT_OTHER_C] = (uint8_t)(f64 ? (few ? 4 : 9) : passes + xdl);
  if (f64) row[TN_AMD_NEXT_MEMORY] = few ? 9 : 18;
  row[TN_AMD_NEXT_MATRIX_OVER] = 0;
}
static int tn_amd_is_half_written(const tn_amd_ins *ins) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  return ins->o[0].op_sel || (ins->lanes == TN_AMD_SDWA && ins->m[TN_AMD_DST_SEL] != 6) ||
         (ins->m[TN_AMD_BYTE_SEL] && tn_amd_takes(&form, 'T'));
}
static void tn_amd_after_vector(const tn_amd_ins *ins, int unit, uint8_t row[TN_AMD_NEXTS]) {
  memset(row, 0, TN_AMD_NEXTS);
  row[TN_AMD_NEXT_DPP] = row[TN_AMD_NEXT_AB] = row[TN_AMD_NEXT_C] = 2;
  row[TN_AMD_NEXT_LANE] = 1;
  if (unit == TN_AMD_U_TRANS) row[TN_AMD_NEXT_VALU] = 1;
  if (tn_amd_is_half_written(ins))
    row[TN_AMD_NEXT_VALU] = row[TN_AMD_NEXT_TRANS] = row[TN_AMD_NEXT_MEMORY] = 1;
  if (!strncmp(tn_amd_rows[ins->op].names, "v_dot", 5)) {
    memset(row, 3, TN_AMD_NEXTS);
    row[TN_AMD_NEXT_MATRIX_OVER] = row[TN_AMD_NEXT_OTHER_C] = 0;
  }
  if (unit == TN_AMD_U_MATRIX) tn_amd_after_matrix(ins, row);
}
static void tn_amd_states_set(tn_amd_states *s, int reg, int dwords, const uint8_t row[TN_AMD_NEXTS], int matrix) {
  for (int k = 0; k < TN_AMD_NEXTS; k++) {
    for (int r = reg; r < reg + dwords; r++) s->left[k][r] = row[k];
    if (row[k] > s->last[TN_AMD_LEFT_MOST]) s->last[TN_AMD_LEFT_MOST] = row[k];
    if (row[k] > s->most[k]) s->most[k] = row[k];
  }
  for (int r = reg; r < reg + dwords; r++) {
    s->part[r] = (uint8_t)(matrix ? r - reg + 1 : 0);
    s->of[r] = (uint8_t)(matrix ? dwords : 0);
  }
}
// Registers that are read late, and may not be overwritten until then.
static void tn_amd_states_keep(tn_amd_states *s, const tn_amd_operand *o, int states, int from_matrix) {
  const int reg = tn_amd_flow_vector(o->kind, o->reg);
  for (int r = reg; r < reg + o->dwords; r++) {
    if (s->left[TN_AMD_NEXT_OVER][r] < states) s->left[TN_AMD_NEXT_OVER][r] = (uint8_t)states;
    if (from_matrix && s->left[TN_AMD_NEXT_MATRIX_OVER][r] < states)
      s->left[TN_AMD_NEXT_MATRIX_OVER][r] = (uint8_t)states;
  }
  if (s->last[TN_AMD_LEFT_MOST] < states) s->last[TN_AMD_LEFT_MOST] = (uint8_t)states;
  if (s->most[TN_AMD_NEXT_OVER] < states) s->most[TN_AMD_NEXT_OVER] = (uint8_t)states;
  if (from_matrix && s->most[TN_AMD_NEXT_MATRIX_OVER] < states) s->most[TN_AMD_NEXT_MATRIX_OVER] = (uint8_t)states;
}
static void tn_amd_states_after_scalars(tn_amd_states *s, const tn_amd_uses *uses, int unit) {
  const int vector = unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS || unit == TN_AMD_U_MATRIX;
  for (int k = 0; k < uses->n; k++) {
    const tn_amd_use *const u = &uses->of[k];
    if (u->kind != TN_AMD_SGPR || !(u->role & TN_AMD_WRITES)) continue;
    for (int r = u->reg; r < u->reg + u->dwords && r < TN_AMD_FLOW_SCALARS; r++)
      s->scalar[r] = vector ? TN_AMD_SCALAR_MEMORY : 0;
    if (u->reg == TN_AMD_M0 && unit == TN_AMD_U_SALU) s->last[TN_AMD_LEFT_M0] = 1;
  }
}
static void tn_amd_states_after(tn_amd_states *s, const tn_amd_line *line, const tn_amd_uses *uses) {
  const tn_amd_ins *const ins = &line->ins;
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  const int unit = tn_amd_unit(line), vector = unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS;
  uint8_t row[TN_AMD_NEXTS];
  tn_amd_states_after_scalars(s, uses, unit);
  if (unit == TN_AMD_U_SALU && tn_amd_is_named(ins, "s_setreg")) s->last[TN_AMD_LEFT_MODE] = 2;
  if (vector || unit == TN_AMD_U_MATRIX) tn_amd_after_vector(ins, unit, row);
  for (int i = 0; i < ins->n && i < form.n; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    const int written = tn_amd_is_written(ins, i, form.operands[2 * i]);
    if (o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR) continue;
    if (unit == TN_AMD_U_MATRIX && form.operands[2 * i] == 'C')
      tn_amd_states_keep(s, o, tn_amd_hazard_passes(ins) - 1, 0);
    if (unit == TN_AMD_U_VMEM && form.operands[2 * i] == 'b' && !written && o->dwords > 2)
      tn_amd_states_keep(s, o, 2, 1);                        // of a store
    if (written && (vector || unit == TN_AMD_U_MATRIX))
      tn_amd_states_set(s, tn_amd_flow_vector(o->kind, o->reg), o->dwords, row, unit == TN_AMD_U_MATRIX);
    if (ins->op == TN_AMD_V_SWAP_B32)
      tn_amd_states_set(s, tn_amd_flow_vector(o->kind, o->reg), o->dwords, row, 0);
  }
}
static void tn_amd_states_step(tn_amd_flow *f, void *state, int i) {
  const tn_amd_files *const files = (const tn_amd_files *)f->pass;
  tn_amd_states *const s = (tn_amd_states *)state;
  const tn_amd_line *const line = &f->line[i];
  if (line->kind != TN_AMD_LINE_INS) return;
  const int missing = tn_amd_states_missing(s, line);
  for (int left = missing; left > 0; left -= 16)             // s_nop has four bits (CDNA3 guide, "S_NOP")
    tn_amd_flow_put_number(f, TN_AMD_S_NOP, (unsigned)(left > 16 ? 15 : left - 1));
  const int itself = line->ins.op == TN_AMD_S_NOP ? (int)(line->ins.o[0].value & 15) + 1 : 1;
  tn_amd_states_pass(s, files, missing + itself);
  tn_amd_states_after(s, line, &f->uses[i]);
}
#endif
// ---- end src/amd/../isa/amd_states.c ----
// ---- begin src/amd/../isa/amd_hazards.c ----
// amd_hazards: instructions in front of those that would read too soon, or what is not there, where the hardware does
// not see to that.
//
// In:  a list with its waits. Out: the list, with s_nop (gfx942: amd_states.c), v_nop, s_waitcnt_depctr, s_wait_alu.
// Holds: gfx11: a transcendental's result is read 6 vector instructions, or 2 transcendentals, or an access of memory
//        later, or its unit is waited for. gfx12: a scalar that a vector instruction has read, and that was written
//        since, is waited for before it is read. Both: what matrix instructions multiply is not written by the one
//        right before; lanes are not permuted right behind v_cmpx. Of waves of 32 lanes there is no other.
// Source: LLVM, GCNHazardRecognizer.cpp (fixVALUTransUseHazard, fixWMMAHazards, fixVcmpxPermlaneHazards) and
//         AMDGPUWaitSGPRHazards.cpp of LLVM 20; AMD's guides, "s_wait_alu".
#ifndef TN_ISA_AMD_HAZARDS
#define TN_ISA_AMD_HAZARDS
#ifndef TINY_AMALGAMATED
#include "amd_states.c"
#endif

// Fields of s_waitcnt_depctr that are 0: results of vector instructions in VGPRs, in SGPRs, in VCC; of scalar ones.
enum { TN_AMD_WAIT_VGPR = 0xF000, TN_AMD_WAIT_VALU_SGPR = 0x0E00, TN_AMD_WAIT_VALU_VCC = 0x0002,
  TN_AMD_WAIT_SALU = 0x0001 };
enum { TN_AMD_WAS_READ = 1, TN_AMD_BY_SALU = 2, TN_AMD_BY_VALU = 4 };
// valu, trans: of a transcendental's result, how many more of those until it may be read; scalar: WAS_READ by a vector
// instruction, and written since; from, end: what the vector instruction before wrote, a matrix one; cmpx: it was one
typedef struct tn_amd_risks {
  uint8_t valu[TN_AMD_FLOW_AGPR], trans[TN_AMD_FLOW_AGPR], scalar[TN_AMD_FLOW_SCALARS], cmpx, results;
  uint16_t from, end;
} tn_amd_risks;
enum { TN_AMD_VALU_UNTIL = 6, TN_AMD_TRANS_UNTIL = 2 };

static int tn_amd_risks_join(void *to, const void *from) {
  tn_amd_risks *const a = (tn_amd_risks *)to;
  const tn_amd_risks *const b = (const tn_amd_risks *)from;
  uint8_t *const all = (uint8_t *)a;
  const uint8_t *const other = (const uint8_t *)b;
  const size_t scalars = offsetof(tn_amd_risks, scalar), cmpx = offsetof(tn_amd_risks, cmpx);
  int more = 0;
  for (size_t i = 0; i < offsetof(tn_amd_risks, from); i++) {
    const int both = i >= scalars && i < cmpx ? all[i] | other[i] : all[i] > other[i] ? all[i] : other[i];
    more |= both != all[i];
    all[i] = (uint8_t)both;
  }
  if (!b->end) return more;
  if (!a->end || b->from < a->from) { a->from = b->from; more = 1; }
  if (b->end > a->end) { a->end = b->end; more = 1; }
  return more;
}
static int tn_amd_is_vector(int unit) {
  return unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS || unit == TN_AMD_U_MATRIX;
}
// A vector instruction has been issued.
static void tn_amd_risks_pass(tn_amd_risks *s, int trans) {
  s->cmpx = 0;
  s->from = s->end = 0;
  if (!s->results) return;
  s->results--;
  for (int r = 0; r < TN_AMD_FLOW_AGPR; r++) {
    s->valu[r] = (uint8_t)(s->valu[r] ? s->valu[r] - 1 : 0);
    s->trans[r] = (uint8_t)(s->trans[r] && trans ? s->trans[r] - 1 : s->trans[r]);
  }
}
static void tn_amd_results_are_there(tn_amd_risks *s) {
  if (!s->results) return;
  memset(s->valu, 0, sizeof s->valu);
  memset(s->trans, 0, sizeof s->trans);
  s->results = 0;
}

// ** in front of a line **

// gfx11: fields of s_waitcnt_depctr that the line needs.
static unsigned tn_amd_risk_of_trans(const tn_amd_risks *s, const tn_amd_uses *uses) {
  for (int k = 0; k < uses->n && s->results; k++) {
    const tn_amd_use *const u = &uses->of[k];
    if (u->kind != TN_AMD_VGPR || !(u->role & TN_AMD_READS)) continue;
    for (int r = u->reg; r < u->reg + u->dwords; r++) if (s->valu[r] && s->trans[r]) return TN_AMD_WAIT_VGPR;
  }
  return 0;
}
// gfx12: the same. Scalar instructions see to what vector instructions write.
static unsigned tn_amd_risk_of_scalars(const tn_amd_risks *s, const tn_amd_uses *uses, int unit) {
  const int vector = unit >= TN_AMD_U_SMEM && unit <= TN_AMD_U_VMEM;
  unsigned fields = 0;
  for (int k = 0; k < uses->n; k++) {
    const tn_amd_use *const u = &uses->of[k];
    if (u->kind != TN_AMD_SGPR || !(u->role & TN_AMD_READS)) continue;
    for (int r = u->reg; r < u->reg + u->dwords && r < TN_AMD_NULL; r++) {         // not M0, EXEC
      const int vcc = r == TN_AMD_VCC || r == TN_AMD_VCC + 1;
      if (s->scalar[r] & TN_AMD_BY_SALU) fields |= TN_AMD_WAIT_SALU;
      if (s->scalar[r] & TN_AMD_BY_VALU && vector) fields |= vcc ? TN_AMD_WAIT_VALU_VCC : TN_AMD_WAIT_VALU_SGPR;
    }
  }
  return fields;
}
static void tn_amd_flow_put_fields(tn_amd_flow *f, tn_amd_risks *s, unsigned fields) {
  if (!fields) return;
  tn_amd_flow_put_number(f, TN_AMD_S_WAITCNT_DEPCTR, 0xFFFFu & ~fields);
  if (fields & TN_AMD_WAIT_VGPR) tn_amd_results_are_there(s);
  for (int r = 0; r < TN_AMD_FLOW_SCALARS; r++) {
    const int vcc = r == TN_AMD_VCC || r == TN_AMD_VCC + 1;
    int is = s->scalar[r];
    if (fields & TN_AMD_WAIT_SALU) is &= ~TN_AMD_BY_SALU;
    if (fields & (unsigned)(vcc ? TN_AMD_WAIT_VALU_VCC : TN_AMD_WAIT_VALU_SGPR)) is &= ~TN_AMD_BY_VALU;
    s->scalar[r] = (uint8_t)is;
  }
}
static int tn_amd_permutes_lanes(int op) {
  return op == TN_AMD_V_PERMLANE16_B32 || op == TN_AMD_V_PERMLANEX16_B32 || op == TN_AMD_V_PERMLANE64_B32 ||
         op == TN_AMD_V_PERMLANE16_VAR_B32 || op == TN_AMD_V_PERMLANEX16_VAR_B32;
}
// A register that is moved to itself: v_nop is passed over (LLVM, fixVcmpxPermlaneHazards).
static void tn_amd_put_move(tn_amd_flow *f, tn_amd_risks *s, const tn_amd_ins *ins) {
  if (!s->cmpx || !tn_amd_permutes_lanes(ins->op)) return;
  const tn_amd_operand o[] = {tn_amd_v(ins->o[1].reg, 1), tn_amd_v(ins->o[1].reg, 1)};
  tn_amd_flow_put(f, TN_AMD_V_MOV_B32, 2, o);
  tn_amd_risks_pass(s, 0);
}
// What is multiplied, and of sparse matrices their indices, was written right before.
static void tn_amd_put_nop(tn_amd_flow *f, tn_amd_risks *s, const tn_amd_ins *ins) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  for (int i = 1; i < ins->n && i < form.n && s->end; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    const int apart = o->reg >= s->end || o->reg + o->dwords <= s->from;
    if (o->kind != TN_AMD_VGPR || form.operands[2 * i] == 'C' || apart) continue;
    tn_amd_flow_put(f, TN_AMD_V_NOP, 0, NULL);
    tn_amd_risks_pass(s, 0);
  }
}

// ** behind it **

static void tn_amd_risks_after(tn_amd_risks *s, const tn_amd_line *line, int unit) {
  const tn_amd_ins *const ins = &line->ins;
  if (unit == TN_AMD_U_LDS || unit == TN_AMD_U_VMEM) tn_amd_results_are_there(s);
  if (!tn_amd_is_vector(unit)) return;
  tn_amd_risks_pass(s, unit == TN_AMD_U_TRANS);
  s->cmpx = (uint8_t)(tn_amd_format(ins->op, ins->family) == TN_AMD_VOPC && tn_amd_writes_exec(ins->op, ins->family));
  if (unit == TN_AMD_U_MATRIX) { s->from = ins->o[0].reg; s->end = (uint16_t)(ins->o[0].reg + ins->o[0].dwords); }
  if (unit != TN_AMD_U_TRANS || ins->family != TN_AMD_GFX11) return;
  for (int r = ins->o[0].reg; r < ins->o[0].reg + ins->o[0].dwords; r++) {
    s->valu[r] = TN_AMD_VALU_UNTIL;
    s->trans[r] = TN_AMD_TRANS_UNTIL;
  }
  s->results = TN_AMD_VALU_UNTIL;
}
// gfx12: who has read and written scalars.
static void tn_amd_risks_after_scalars(tn_amd_risks *s, const tn_amd_uses *uses, int unit) {
  const int reader = unit >= TN_AMD_U_SMEM && unit <= TN_AMD_U_VMEM;
  for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++) {
    for (int k = 0; k < uses->n; k++) {
      const tn_amd_use *const u = &uses->of[k];
      if (u->kind != TN_AMD_SGPR || !(u->role & role)) continue;
      for (int r = u->reg; r < u->reg + u->dwords && r < TN_AMD_NULL; r++) {
        if (role == TN_AMD_READS && reader) s->scalar[r] |= TN_AMD_WAS_READ;
        if (role == TN_AMD_WRITES && s->scalar[r])
          s->scalar[r] = (uint8_t)(TN_AMD_WAS_READ | (tn_amd_is_vector(unit) ? TN_AMD_BY_VALU : TN_AMD_BY_SALU));
      }
    }
  }
}
static void tn_amd_risks_step(tn_amd_flow *f, void *state, int i) {
  tn_amd_risks *const s = (tn_amd_risks *)state;
  const tn_amd_line *const line = &f->line[i];
  const tn_amd_uses *const uses = &f->uses[i];
  const int unit = tn_amd_unit(line), twelve = f->l->family == TN_AMD_GFX12;
  if (line->kind != TN_AMD_LINE_INS) return;
  if (twelve) tn_amd_flow_put_fields(f, s, tn_amd_risk_of_scalars(s, uses, unit));
  else if (tn_amd_is_vector(unit)) tn_amd_flow_put_fields(f, s, tn_amd_risk_of_trans(s, uses));
  tn_amd_put_move(f, s, &line->ins);
  if (unit == TN_AMD_U_MATRIX) tn_amd_put_nop(f, s, &line->ins);
  tn_amd_risks_after(s, line, unit);
  if (twelve) tn_amd_risks_after_scalars(s, uses, unit);
}

static void tn_amd_hazards(tn_amd_list *l) {
  const int nine = l->family == TN_AMD_GFX9;
  tn_amd_files files;
  tn_amd_flow f;
  if (l->refused || !tn_amd_flow_open(&f, l, nine ? sizeof(tn_amd_states) : sizeof(tn_amd_risks), &files)) return;
  tn_amd_files_of(&f, &files);
  f.join = nine ? tn_amd_states_join : tn_amd_risks_join;
  f.step = nine ? tn_amd_states_step : tn_amd_risks_step;
  tn_amd_flow_settle(&f);
  tn_amd_flow_write(&f);
}
#endif
// ---- end src/amd/../isa/amd_hazards.c ----
// ---- begin src/amd/../isa/amd_delays.c ----
// amd_delays: hints of gfx11 and gfx12 that cost nothing but their place: s_delay_alu, by which a wave leaves its unit
// to others until a result is there, and s_clause, by which a run of loads stays together.
//
// In:  a list with its waits and hazards. Out: the list with them. It is right without.
// Holds: what is known of results ends at labels, and where the line waits for vector results by itself. A hint that is
//        not full takes the next one, too, up to five instructions on. A clause has at most 32 instructions.
// Source: AMD's RDNA3 guide, "S_DELAY_ALU", "S_CLAUSE"; LLVM, AMDGPUInsertDelayAlu.cpp, SIInsertHardClauses.cpp.
#ifndef TN_ISA_AMD_DELAYS
#define TN_ISA_AMD_DELAYS
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#include "amd_waits.c"
#endif

// Codes before those of a kind; bits where the second one and how far it is stand.
enum { TN_AMD_DEP_VALU = 0, TN_AMD_DEP_TRANS = 4, TN_AMD_DEP_SALU = 8, TN_AMD_MOST_DEPS = 3 };
enum { TN_AMD_DELAY_SECOND = 7, TN_AMD_DELAY_SKIP = 4, TN_AMD_MOST_SKIP = 5, TN_AMD_MOST_CLAUSE = 32 };

// Who makes a register: a unit, U_OTHER: nobody lately; how many of its kind, and cycles, had been issued before.
typedef struct tn_amd_maker { uint8_t unit; int number, cycle; } tn_amd_maker;
// hint: the line of the list that is written, + 1, that may take another
typedef struct tn_amd_delays_of {
  tn_amd_maker vector[TN_AMD_FLOW_AGPR], scalar[TN_AMD_FLOW_SCALARS];
  int valus, transes, cycle, hint, clause;
} tn_amd_delays_of;

static void tn_amd_delays_forget(tn_amd_delays_of *d) {
  memset(d->vector, 0, sizeof d->vector);
  memset(d->scalar, 0, sizeof d->scalar);
}
static tn_amd_maker *tn_amd_maker_of(tn_amd_delays_of *d, const tn_amd_use *u, int r) {
  if (u->kind == TN_AMD_VGPR) return &d->vector[r];
  return u->kind == TN_AMD_SGPR && r < TN_AMD_NULL ? &d->scalar[r] : NULL;
}
// How near the result's maker is: of vector units which before, of scalars how many cycles are left; 0: far enough.
static int tn_amd_delay_of(const tn_amd_delays_of *d, const tn_amd_maker *m) {
  const int cycles = d->cycle - m->cycle, valu = d->valus - m->number, trans = d->transes - m->number;
  switch (m->unit) {
    case TN_AMD_U_VALU: return valu <= 4 && cycles < TN_AMD_VALU_CYCLES ? TN_AMD_DEP_VALU + valu : 0;
    case TN_AMD_U_TRANS: return trans <= 3 && cycles < TN_AMD_TRANS_CYCLES ? TN_AMD_DEP_TRANS + trans : 0;
    case TN_AMD_U_SALU: return cycles < TN_AMD_SALU_CYCLES ? TN_AMD_DEP_SALU + (int)TN_AMD_SALU_CYCLES - cycles : 0;
    default: return 0;
  }
}
static int tn_amd_kind_of_delay(int code) {
  return code <= TN_AMD_DEP_TRANS ? 0 : code <= TN_AMD_DEP_SALU ? 1 : 2;
}
// The nearest of each kind that the line reads.
static void tn_amd_delays_of_line(tn_amd_delays_of *d, const tn_amd_uses *uses, int named, int *nearest) {
  for (int k = 0; k < named; k++) {
    const tn_amd_use *const u = &uses->of[k];
    for (int r = u->reg; u->role & TN_AMD_READS && r < u->reg + u->dwords; r++) {
      const tn_amd_maker *const m = tn_amd_maker_of(d, u, r);
      const int code = m ? tn_amd_delay_of(d, m) : 0, kind = tn_amd_kind_of_delay(code), salu = kind == 2;
      if (code && (!nearest[kind] || (salu ? code > nearest[kind] : code < nearest[kind]))) nearest[kind] = code;
    }
  }
}
static void tn_amd_put_delay(tn_amd_flow *f, tn_amd_delays_of *d, const int nearest[TN_AMD_MOST_DEPS]) {
  static const int order[] = {1, 0, 2};                      // who takes longest
  int codes[2] = {0, 0}, n = 0;
  for (int i = 0; i < TN_AMD_MOST_DEPS && n < 2; i++) if (nearest[order[i]]) codes[n++] = nearest[order[i]];
  if (!n) return;
  const int skip = f->l->n - d->hint;
  if (d->hint && n == 1 && skip <= TN_AMD_MOST_SKIP) {
    f->l->line[d->hint - 1].ins.o[0].value |= (uint32_t)(codes[0] << TN_AMD_DELAY_SECOND | skip << TN_AMD_DELAY_SKIP);
    d->hint = 0;
    return;
  }
  tn_amd_flow_put_number(f, TN_AMD_S_DELAY_ALU, (unsigned)(codes[0] | codes[1] << TN_AMD_DELAY_SECOND));
  d->hint = n == 1 ? f->l->n : 0;
}
static void tn_amd_delays_after(tn_amd_delays_of *d, const tn_amd_uses *uses, int unit) {
  const int trans = unit == TN_AMD_U_TRANS, matrix = unit == TN_AMD_U_MATRIX;
  const tn_amd_maker m = {(uint8_t)(matrix ? TN_AMD_U_VALU : unit), trans ? d->transes : d->valus, d->cycle};
  for (int k = 0; k < uses->n; k++) {
    const tn_amd_use *const u = &uses->of[k];
    for (int r = u->reg; u->role & TN_AMD_WRITES && r < u->reg + u->dwords; r++)
      if (tn_amd_maker_of(d, u, r)) *tn_amd_maker_of(d, u, r) = m;
  }
  d->transes += trans;
  d->valus += unit == TN_AMD_U_VALU || matrix;
}

// ** clauses **

// Kinds of accesses that may stand in one clause; 0: none.
static int tn_amd_clause_of(const tn_amd_line *line) {
  const int access = tn_amd_access_kind(line);
  return access == TN_AMD_A_SMEM || access == TN_AMD_A_LOAD
       ? access << 8 | tn_amd_format(line->ins.op, line->ins.family) : 0;
}
static void tn_amd_put_clause(tn_amd_flow *f, tn_amd_delays_of *d, int i) {
  const int kind = tn_amd_clause_of(&f->line[i]);
  int n = 0;
  if (d->clause) { d->clause--; return; }
  while (kind && n < TN_AMD_MOST_CLAUSE && i + n < f->n && tn_amd_clause_of(&f->line[i + n]) == kind) n++;
  if (n < 2) return;
  tn_amd_flow_put_number(f, TN_AMD_S_CLAUSE, (unsigned)n - 1);
  d->clause = n - 1;
}
static void tn_amd_delay_step(tn_amd_flow *f, void *state, int i) {
  tn_amd_delays_of *const d = (tn_amd_delays_of *)f->pass;
  const tn_amd_line *const line = &f->line[i];
  const tn_amd_uses *const uses = &f->uses[i];
  const int unit = tn_amd_unit(line), lanes = unit >= TN_AMD_U_VALU && unit <= TN_AMD_U_VMEM;
  int nearest[TN_AMD_MOST_DEPS] = {0, 0, 0};
  (void)state;
  if (i && f->line[i - 1].kind == TN_AMD_LINE_LABEL) { tn_amd_delays_forget(d); d->hint = 0; }
  if (line->kind != TN_AMD_LINE_INS) return;
  tn_amd_put_clause(f, d, i);
  const int waits = unit == TN_AMD_U_LDS || unit == TN_AMD_U_VMEM || line->ins.op == TN_AMD_S_WAITCNT_DEPCTR;
  if (waits) tn_amd_delays_forget(d);
  if (unit == TN_AMD_U_SALU || unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS || unit == TN_AMD_U_MATRIX) {
    tn_amd_delays_of_line(d, uses, uses->n - lanes, nearest);
    tn_amd_put_delay(f, d, nearest);
    tn_amd_delays_after(d, uses, unit);
  }
  d->cycle++;
}

static int tn_amd_delay_join(void *to, const void *from) { (void)to; (void)from; return 0; }
static void tn_amd_delay(tn_amd_list *l) {
  tn_amd_flow f;
  if (l->refused || l->family == TN_AMD_GFX9) return;
  tn_amd_delays_of *const d = (tn_amd_delays_of *)tn_amd_room(l, 1, sizeof *d);
  if (!d) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  if (!tn_amd_flow_open(&f, l, 1, d)) return;
  f.step = tn_amd_delay_step;
  f.join = tn_amd_delay_join;
  tn_amd_flow_write(&f);
}
#endif
// ---- end src/amd/../isa/amd_delays.c ----
// ---- begin src/amd/../isa/amd_finish.c ----
// amd_finish: a list of machine instructions to bytes.
//
// In:  a list whose registers are real, without copies. Out: bytes behind those of out, of the shortest forms that say
//      the same, with s_endpgm at the end; or what could not be written, in refused.
// Holds: branches go to labels by distances of words, from the instruction behind. A kernel that stores, and has so
//      many registers that others wait for them, gives them back before its stores are done (gfx11, gfx12).
#ifndef TN_ISA_AMD_FINISH
#define TN_ISA_AMD_FINISH
#ifndef TINY_AMALGAMATED
#include "amd_show.c"
#include "amd_waits.c"
#endif

// ** shorter instructions that do the same **

static int tn_amd_is_plain(const tn_amd_ins *ins) {
  int bits = ins->lanes | ins->long_form | ins->op_y;
  for (int i = 0; i < ins->n; i++) bits |= ins->o[i].neg | ins->o[i].abs | ins->o[i].op_sel;
  return !bits && !ins->m[TN_AMD_CLAMP] && !ins->m[TN_AMD_OMOD];
}
static int tn_amd_is_same(const tn_amd_operand *a, const tn_amd_operand *b) {
  return a->kind == b->kind && a->reg == b->reg && a->dwords == b->dwords;
}
static int tn_amd_is_signed_16(uint32_t v) { return (int32_t)v >= INT16_MIN && (int32_t)v <= INT16_MAX; }
// A vector register as the second operand, and if there is one, the literal that is not added as the first.
static void tn_amd_turn(tn_amd_ins *ins) {
  const tn_amd_operand first = ins->o[1];
  if (ins->o[2].kind == TN_AMD_VGPR || first.kind != TN_AMD_VGPR) return;
  ins->o[1] = ins->o[2];
  ins->o[2] = first;
}
// d = a * b + c: c is d (fmac); c is a literal (fmaak); a is (fmamk).
static void tn_amd_shorten_fma(tn_amd_ins *ins) {
  const int family = ins->family;
  const int fmac = ins->op == TN_AMD_V_FMA_F32 ? TN_AMD_V_FMAC_F32
                 : ins->op == TN_AMD_V_FMA_F64 ? TN_AMD_V_FMAC_F64 : TN_AMD_V_FMAC_F16;
  const tn_amd_operand *const o = ins->o;
  tn_amd_turn(ins);
  if (tn_amd_is_same(&o[0], &o[3]) && o[2].kind == TN_AMD_VGPR && tn_amd_format(fmac, family) == TN_AMD_VOP2) {
    ins->op = (uint16_t)fmac;
    ins->n = 3;
    memset(&ins->o[3], 0, sizeof ins->o[3]);
  } else if (ins->op == TN_AMD_V_FMA_F32 && o[3].kind == TN_AMD_LITERAL && o[2].kind == TN_AMD_VGPR) {
    ins->op = TN_AMD_V_FMAAK_F32;
  } else if (ins->op == TN_AMD_V_FMA_F32 && o[1].kind == TN_AMD_LITERAL && o[3].kind == TN_AMD_VGPR) {
    const tn_amd_operand literal = o[1];
    ins->op = TN_AMD_V_FMAMK_F32;
    ins->o[1] = o[2];
    ins->o[2] = literal;
  }
}
static void tn_amd_shorten_scalar(tn_amd_ins *ins) {
  const int last = ins->n - 1, literal = last > 0 && ins->o[last].kind == TN_AMD_LITERAL;
  const uint32_t v = last > 0 ? ins->o[last].value : 0;
  const int compares = ins->op >= TN_AMD_S_CMP_EQ_I32 && ins->op <= TN_AMD_S_CMP_LE_U32;
  const int updates = literal && last == 2 && tn_amd_is_same(&ins->o[0], &ins->o[1]);
  int op = 0;
  if (!literal) return;
  if (ins->op == TN_AMD_S_MOV_B32 && tn_amd_is_signed_16(v)) op = TN_AMD_S_MOVK_I32;
  if (ins->op == TN_AMD_S_ADD_I32 && updates && tn_amd_is_signed_16(v)) op = TN_AMD_S_ADDK_I32;
  if (ins->op == TN_AMD_S_MUL_I32 && updates && tn_amd_is_signed_16(v)) op = TN_AMD_S_MULK_I32;
  if (compares && ins->o[0].kind == TN_AMD_SGPR &&
      (ins->op >= TN_AMD_S_CMP_EQ_U32 ? v <= UINT16_MAX : tn_amd_is_signed_16(v)))
    op = ins->op - TN_AMD_S_CMP_EQ_I32 + TN_AMD_S_CMPK_EQ_I32;
  if (!op || !tn_amd_format(op, ins->family)) return;
  ins->op = (uint16_t)op;
  ins->o[compares ? 1 : last == 2 ? 1 : last] = tn_amd_imm((int)v);
  ins->n = 2;
}
// The words of a shorter instruction; 0: there is none.
static int tn_amd_encode_shorter(const tn_amd_ins *of, uint32_t *words) {
  tn_amd_ins ins = *of;
  const int fma = ins.op == TN_AMD_V_FMA_F32 || ins.op == TN_AMD_V_FMA_F64 ||
                  (ins.op == TN_AMD_V_FMA_F16 && ins.family != TN_AMD_GFX9);
  if (fma && tn_amd_is_plain(&ins)) tn_amd_shorten_fma(&ins);
  else if (tn_amd_format(ins.op, ins.family) <= TN_AMD_SOPC) tn_amd_shorten_scalar(&ins);
  if (ins.op == of->op) return 0;
  const int n = tn_amd_encode(ins.family, &ins, words);
  return n && !tn_amd_broken_rule(&ins) ? n : 0;
}

// ** words **

static void tn_amd_finish_refuse(tn_amd_list *l, const tn_amd_line *line, const char *why) {
  tiny_bytes b = {l->t, NULL, 0, 0};
  size_t n;
  char text[400];
  const char *const name = tn_amd_name(line->ins.op, line->ins.family, &n);
  if (l->refused) return;
  tn_amd_line_text(line, text, sizeof text);
  tiny_log_line(l->t, 'd', "%s: %s", text, why);
  tiny_bytes_add(&b, name, n);
  tiny_bytes_add(&b, why, strlen(why) + 1);
  tn_amd_list_refuse(l, b.n > n ? b.data : "there is no memory for it");
}
static int tn_amd_encode_line(tn_amd_list *l, const tn_amd_line *line, uint32_t *words) {
  tn_amd_ins ins = line->ins;
  const int format = tn_amd_format(ins.op, ins.family);
  const int shorter = tn_amd_encode_shorter(&ins, words);
  if (shorter) return shorter;
  int n = tn_amd_encode(ins.family, &ins, words);
  if (!n && !ins.op_y && format >= TN_AMD_VOP1 && format <= TN_AMD_VOPC && !ins.long_form) {
    ins.long_form = 1;
    n = tn_amd_encode(ins.family, &ins, words);
  }
  if (!n || tn_amd_broken_rule(&ins)) { tn_amd_finish_refuse(l, line, " does not take these operands"); return 0; }
  return n;
}
static void tn_amd_add_words(tiny_bytes *out, const uint32_t *words, int n) {
  for (int i = 0; i < n; i++) {
    uint8_t bytes[4];
    tn_amd_put_bytes(bytes, words[i], 4);
    tiny_bytes_add(out, bytes, 4);
  }
}
static int tn_amd_words_of(const tiny_bytes *out, size_t from) { return (int)((out->n - from) / 4); }

// ** the end **

static int tn_amd_gives_registers_back(const tn_amd_list *l) {
  int stores = 0;
  if (l->family == TN_AMD_GFX9 || l->setup.scratch || l->setup.vgprs <= l->chip->vgprs / l->chip->waves) return 0;
  for (int i = 0; i < l->n; i++) {
    stores |= tn_amd_access_kind(&l->line[i]) == TN_AMD_A_STORE;
    if (tn_amd_format(l->line[i].ins.op, l->family) == TN_AMD_SCRATCH) return 0;
  }
  return stores;
}
static int tn_amd_ends(const tn_amd_list *l) {
  const tn_amd_line *const last = &l->line[l->n - 1];
  return l->n && last->kind == TN_AMD_LINE_INS && last->ins.op == TN_AMD_S_ENDPGM;
}
// gfx11 wants s_nop in front of the message (LLVM, SIInsertWaitcnts.cpp, "dealloc VGPRs").
static void tn_amd_finish_end(tn_amd_list *l) {
  if (tn_amd_ends(l)) return;
  if (tn_amd_gives_registers_back(l)) {
    const tn_amd_operand zero = tn_amd_imm(0), message = tn_amd_imm(3);
    const tn_amd_operand o[2] = {zero, message};
    for (int i = 0; i < 2; i++) {
      tn_amd_line *const line = tn_amd_line_new(l, TN_AMD_LINE_INS, -1);
      line->ins.op = (uint16_t)(i ? TN_AMD_S_SENDMSG : TN_AMD_S_NOP);
      line->ins.n = 1; line->ins.o[0] = o[i];
    }
  }
  tn_amd_line *const end = tn_amd_line_new(l, TN_AMD_LINE_INS, -1);
  end->ins.op = TN_AMD_S_ENDPGM; end->ins.n = 1; end->ins.o[0] = tn_amd_imm(0);
}

// ** branches **

static void tn_amd_finish_branches(tn_amd_list *l, tiny_bytes *out, size_t from, const int *at, const int *label) {
  for (int i = 0; i < l->n && !l->refused; i++) {
    const int to = tn_amd_goes_to(&l->line[i]);
    if (to < 0) continue;
    const int distance = label[to] - 1 - (at[i] + 1);
    if (!label[to]) tn_amd_list_refuse(l, "a label is nowhere");
    else if (distance < INT16_MIN || distance > INT16_MAX) tn_amd_list_refuse(l, "a label is too far away");
    else tn_amd_put_bytes((uint8_t *)out->data + from + 4 * (size_t)at[i], (uint64_t)distance, 2);
  }
}
// 1: out has all of it.
static int tn_amd_finish_list(tn_amd_list *l, tiny_bytes *out) {
  const size_t from = out->n;
  size_t nbytes = from;
  if (l->refused) return 0;
  tn_amd_finish_end(l);
  int *const at = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int));
  int *const label = (int *)tn_amd_room(l, (size_t)l->labels + 1, sizeof(int));       // + 1; 0: nowhere
  if (!at || !label) tn_amd_list_refuse(l, "there is no memory for it");
  for (int i = 0; i < l->n && !l->refused; i++) {
    const tn_amd_line *const line = &l->line[i];
    uint32_t words[TN_AMD_MOST_WORDS];
    at[i] = tn_amd_words_of(out, from);
    if (line->kind == TN_AMD_LINE_LABEL) label[line->label] = at[i] + 1;
    if (line->kind == TN_AMD_LINE_COPY) tn_amd_list_refuse(l, "a copy has no registers yet");
    if (line->kind != TN_AMD_LINE_INS) continue;
    const int n = tn_amd_encode_line(l, line, words);
    tn_amd_add_words(out, words, n);
    nbytes += 4 * (size_t)n;
    if (out->n != nbytes) tn_amd_list_refuse(l, "there is no memory for it");
  }
  if (!l->refused) tn_amd_finish_branches(l, out, from, at, label);
  return !l->refused;
}
#endif
// ---- end src/amd/../isa/amd_finish.c ----
// ---- begin src/amd/../isa/amd_generate.c ----
// amd_generate: the renderer of machine code for AMD's GPUs: lists of kernels -> a code object, without any compiler.
//
// In:  the lists of lowered kernels. Out: of each its code and what it needs; of them a code object, as amd_object.c
//      writes it. The passes of a kernel are those of tn_amd_passes, in order.
// Holds: what has no form is refused with its reason: nothing is written then. A kernel that is written begins as an
//        object does: runtime/builds.c knows by that what no outside compiler has to make. Parameters are words, as
//        render/lang_cuda.c says: the object has the symbol tiny_values.
#ifndef TN_ISA_AMD_GENERATE
#define TN_ISA_AMD_GENERATE
#ifndef TINY_AMALGAMATED
#include "amd_select.c"
#include "amd_common.c"
#include "amd_tail.c"
#include "amd_merge.c"
#include "amd_pipeline.c"
#include "amd_schedule.c"
#include "amd_registers.c"
#include "amd_dual.c"
#include "amd_waits.c"
#include "amd_hazards.c"
#include "amd_delays.c"
#include "amd_finish.c"
#include "amd_object.c"
#include "amd_abilities.c"
#include "amd_show.c"
#endif

enum { TN_AMD_ROOM_EACH = 8192 };          // bytes of a node: what most kernels take, and some
// What stands in front of a kernel's code, and its name, among kernels that are rendered. mark: tn_amd_mark.
typedef struct tn_amd_rendered { char mark[4]; tn_amd_setup setup; uint32_t most_items, name, code; } tn_amd_rendered;
static const char tn_amd_mark[5] = "\177ELF";

static void tn_amd_pad(tiny_bytes *out, size_t align) {
  static const char zeros[16] = {0};
  if (out->n % align) tiny_bytes_add(out, zeros, align - out->n % align);
}
// The code of a list; NULL, or why there is none.
static const char *tn_amd_code_of_list(tn_amd_list *l, const tiny_listing *k, tiny_bytes *code) {
  static void (*const passes[])(tn_amd_list *l) = {tn_amd_remove_common, tn_amd_remove_dead, tn_amd_end_early,
    tn_amd_merge_accesses, tn_amd_pipeline, tn_amd_schedule, tn_amd_allocate, tn_amd_pair_lines, tn_amd_wait,
    tn_amd_hazards, tn_amd_delay};
  tn_amd_select_list(l, k);
  for (size_t i = 0; i < sizeof passes / sizeof *passes && !l->refused; i++) {
    tn_amd_pass_ends(l);
    passes[i](l);
  }
  if (!l->refused) { tn_amd_show(l, k->name); tn_amd_finish_list(l, code); }
  return l->refused;
}
// A kernel to out, which is empty. NULL, or why there is none.
static const char *tn_amd_render(tiny_ctx *t, const tn_amd_chip *chip, const tiny_listing *k, tiny_bytes *out) {
  tn_amd_list l;
  tiny_bytes code = {t, NULL, 0, 0};
  tn_amd_rendered head;
  memset(&head, 0, sizeof head);
  const size_t room = TN_AMD_ROOM + (size_t)k->n * TN_AMD_ROOM_EACH;
  char *const all = (char *)tiny_realloc(t, NULL, 0, room);
  const int opened = all ? tn_amd_list_open_in(&l, t, chip, all, room) : tn_amd_list_open(&l, t, chip);
  const char *const refused = opened ? tn_amd_code_of_list(&l, k, &code) : l.refused;
  if (all) tiny_realloc(t, all, room, 0);
  if (refused) return refused;
  memcpy(head.mark, tn_amd_mark, sizeof head.mark);
  head.setup = l.setup;
  head.most_items = (uint32_t)(k->local[0] * k->local[1] * k->local[2]);
  head.name = (uint32_t)strlen(k->name); head.code = (uint32_t)code.n;
  tiny_bytes_add(out, &head, sizeof head);
  tiny_bytes_add(out, k->name, head.name + 1);
  tn_amd_pad(out, 8);
  tiny_bytes_add(out, code.data, code.n);
  tn_amd_pad(out, 8);
  return NULL;
}
static int tn_amd_is_rendered(const void *data, size_t n) { return n > 4 && !memcmp(data, tn_amd_mark, 4); }
// Kernels that were rendered -> a code object; none of them: for the cache's key.
static tiny_code tn_amd_bind(tiny_ctx *t, const tn_amd_chip *chip, const tiny_rendered *kernels, int n,
                             tiny_bytes *out) {
  tn_amd_source *const source = (tn_amd_source *)tn_amd_scratch(t, (size_t)n + 1, sizeof *source);
  if (!source) return TINY_E_MEMORY;
  for (int i = 0; i < n; i++) {
    tn_amd_rendered head;
    const char *const at = kernels[i].data;
    memcpy(&head, at, sizeof head);
    source[i].setup = head.setup; source[i].most_items = head.most_items;
    source[i].name = at + sizeof head;
    source[i].code = at + (sizeof head + head.name + 1 + 7) / 8 * 8; source[i].nbytes = head.code;
  }
  tn_amd_object_write(out, chip, source, n, "tiny_values");
  return tiny_status(t);
}

// ** a renderer that does nothing else **

static tiny_code tn_amd_kernel_of(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                  uint64_t *uses) {
  const tn_amd_chip *const chip = (const tn_amd_chip *)r->own;
  const char *const refused = tn_amd_render(t, chip, k, out);
  *uses = 0;
  if (!refused) return tiny_status(t);
  return tiny_fail(t, TINY_E_COMPILE, "%s: %s has no form in the code of %s", k->name, refused, chip->name);
}
static tiny_code tn_amd_module_of(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                  tiny_bytes *out) {
  return tn_amd_bind(t, (const tn_amd_chip *)r->own, kernels, n, out);
}
// target: "gfx1100". 0: it is none of the chips.
static int tn_lang_amd(tiny_renderer *r, const char *target) {
  memset(r, 0, sizeof *r);
  r->name = "AMD"; r->file = "hsaco";
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(target, tn_amd_chips[i].name)) r->own = &tn_amd_chips[i];
  if (!r->own) return 0;
  tn_amd_abilities(r, (const tn_amd_chip *)r->own);
  r->kernel = tn_amd_kernel_of;
  r->module = tn_amd_module_of;
  return 1;
}
#endif
// ---- end src/amd/../isa/amd_generate.c ----

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
// compile: kernels -> code objects: the library's own by the generator of isa/amd_generate.c; HIP C by what a
// tiny_amd_system brings, clang, or COMGR; assembly by amd_assembly.c.
//
// In:    lists; HIP C, which includes nothing; assembly, which begins with .amdgcn_target. Out: a code object for the
//        device, or what the compiler says. What clang made is kept in the library's disk cache.
// Holds: what the generator refuses is HIP C, that kernel alone, where there is a clang and tiny_desc.compiler lets it;
//        else an error. Of others clang alone is run, once for a module: no linker, no library, no header of ROCm; or
//        COMGR, which is clang in a library, where it is chosen, or there is no clang. What is found is taken for the
//        device, and told in the log (letter p). Nothing is written to disk here.
// What is what: Clang, User's Manual and "HIP Support" (--cuda-device-only, -nogpuinc, -nogpulib); -emit-obj stands
// behind -S, so that cc1 writes the object that the driver would have linked.
#ifndef TN_KFD_COMPILE
#define TN_KFD_COMPILE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../base/tool.c"
#include "../isa/amd_assembly.c"
#include "../isa/amd_generate.c"
#include "../render/lang_hip.c"
#endif

// ** who compiles **

// tiny_desc.compiler, else TINY_AMD_COMPILER: "builtin", "outside", "both", a clang, or a COMGR. Another name is one
// of a compiler for processors.
static void tn_kfd_choose_compilers(tn_kfd *d) {
  const char *asked = tiny_compiler_of(d->t);
  if (!asked) asked = getenv("TINY_AMD_COMPILER");
  if (!asked) asked = "both";
  const char *const slash = strrchr(asked, '/'), *const name = slash ? slash : asked;
  const int is_clang = strstr(name, "clang") != NULL;
  d->by_comgr = !is_clang && strstr(name, "comgr") != NULL;
  d->alone = !strcmp(asked, "builtin");
  d->builtin = !is_clang && !d->by_comgr && strcmp(asked, "outside") != 0;
  if (is_clang || (d->by_comgr && strcmp(asked, "comgr") != 0)) snprintf(d->compiler, sizeof d->compiler, "%s", asked);
}
// The clang that was chosen; else TINY_AMD_CLANG, then ROCm's, then the newest in the folders of PATH that are
// absolute. 0: it is in none.
static int tn_kfd_find_clang(const char *chosen, char *out, size_t nbytes) {
  static const char *const names[] = {"amdclang", "clang-23", "clang-22", "clang-21", "clang-20", "clang-19",
    "clang-18", "clang-17", "clang", NULL};
  char name[300];
  const char *named = getenv("TINY_AMD_CLANG"), *const one[] = {name, NULL};
  snprintf(name, sizeof name, "%s", chosen);
  if (*chosen && *chosen != '/') return tn_tool_find(one, out, nbytes);
  if (*chosen || (named && *named)) {
    snprintf(out, nbytes, "%s", *chosen ? name : named);
    return tn_tool_is_program(out);
  }
  snprintf(out, nbytes, "/opt/rocm/llvm/bin/clang");
  return tn_tool_is_program(out) || tn_tool_find(names, out, nbytes);
}
// A clang, else COMGR, where a program did not choose between them.
static void tn_kfd_look_for_compiler(tn_kfd *d) {
  char found[sizeof d->compiler];
  const int is = !d->by_comgr && tn_kfd_find_clang(d->compiler, found, sizeof found);
  if (is) tiny_log_line(d->t, 'p', "%s: HIP C is compiled by %s", d->name, found);
  else if ((d->by_comgr || !d->compiler[0]) && tn_comgr_open(&d->comgr, d->compiler))
    tiny_log_line(d->t, 'p', "%s: HIP C is compiled by COMGR %d.%d", d->name, (int)d->comgr.major, (int)d->comgr.minor);
  snprintf(d->compiler, sizeof d->compiler, "%s", is ? found : "");
}
static int tn_kfd_has_compiler(tn_kfd *d) {
  if (!d->compiler_asked++ && !d->k.sys.compile) tn_kfd_look_for_compiler(d);
  return d->k.sys.compile || d->compiler[0] || d->comgr.library;
}
#define TN_KFD_INSTALL "install clang 17 or later (or ROCm, whose clang is taken), name it in TINY_AMD_CLANG, or " \
  "bring the program's kernels in tiny_desc.cache_file from a machine that has one (tiny_cache_export)"
static tiny_code tn_kfd_find_compiler(tn_kfd *d) {
  if (tn_kfd_has_compiler(d)) return TINY_OK;
  if (d->by_comgr)
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: HIP C is to be compiled by COMGR, %s: install ROCm's (amd-comgr), or "
                     "name the file in TINY_AMD_COMGR", d->name, d->comgr.why);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: HIP C is to be compiled and there is no clang that knows AMD's GPUs, nor "
                   "COMGR: " TN_KFD_INSTALL, d->name);
}

// ** kernels that the library writes: machine code (isa/amd_generate.c); HIP C, where that refuses one **

// The greater of two, which HIP C writes as a choice elsewhere: lists for machine code have it as one operation.
static const char tn_kfd_greatest[] =
  "template <typename T> FN T greatest(T x, T y) { return y > x || y != y ? y : x; }\n"
  "LANES2(greatest, greatest(x.at[i], y.at[i]))\n";
// Can HIP C say what this list says? It is lowered for what the GPU has and the language may not have: products of
// words, floats that it has no type of.
static int tn_kfd_in_hip(const tiny_renderer *own, const tiny_renderer *hip, const tiny_listing *k) {
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *const u = k->list[i];
    if (own->ops[u->op] && !hip->ops[u->op]) return 0;
    if (u->op == TINY_OP_DOT && !(hip->dots >> u->k & 1)) return 0;
    if (u->dtype && !(hip->dtypes >> u->dtype & 1)) return 0;
  }
  return 1;
}
static const tn_amd_chip *tn_kfd_machine(const tn_kfd *d) {
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(tn_amd_chips[i].name, d->node.chip->name)) return &tn_amd_chips[i];
  return NULL;
}
static tiny_code tn_kfd_write_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                     uint64_t *uses) {
  tn_kfd *const d = (tn_kfd *)(uintptr_t)r->own;
  const char *const why = tn_amd_render(t, tn_kfd_machine(d), k, out);
  *uses = 0;
  if (!why || tiny_status(t) != TINY_OK) return tiny_status(t);
  const int sayable = tn_kfd_in_hip(r, &d->hip, k);
  tiny_log_line(t, 'd', "%s: the built-in compiler refuses %s: %s", d->name, k->name, why);
  if (!d->alone && sayable && tn_kfd_has_compiler(d)) return d->hip.kernel(t, &d->hip, k, out, uses);
  return tiny_fail(t, TINY_E_COMPILE, "%s: %s: %s has no form in the code of %s%s", d->name, k->name, why,
                   d->node.chip->name, d->alone || !sayable ? "" : "; with a clang it is HIP C: " TN_KFD_INSTALL);
}
static tiny_code tn_kfd_write_hip(const tn_kfd *d, const tiny_rendered *kernels, int n, tiny_bytes *out) {
  tiny_rendered *const all = (tiny_rendered *)tn_amd_scratch(d->t, (size_t)n + 1, sizeof *all);
  if (!all) return TINY_E_MEMORY;
  all[0].data = tn_kfd_greatest; all[0].n = sizeof tn_kfd_greatest - 1;
  memcpy(all + 1, kernels, (size_t)n * sizeof *all);
  return d->hip.module(d->t, &d->hip, all, n + 1, out);
}
static tiny_code tn_kfd_write_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                     tiny_bytes *out) {
  const tn_kfd *const d = (const tn_kfd *)r->own;
  if (n && !tn_amd_is_rendered(kernels->data, kernels->n)) return tn_kfd_write_hip(d, kernels, n, out);
  const tiny_code code = tn_amd_bind(t, tn_kfd_machine(d), kernels, n, out);
  return n || code != TINY_OK ? code : d->hip.module(t, &d->hip, NULL, 0, out);
}
static void tn_kfd_renderer(void *dev, tiny_renderer *out) {
  tn_kfd *const d = (tn_kfd *)dev;
  if (!d->builtin || !tn_lang_amd(out, d->node.chip->name)) { tn_lang_hip(out, d->node.chip->name); return; }
  tn_lang_hip(&d->hip, d->node.chip->name);
  d->hip.language.ops[TINY_OP_MAX] = "greatest(%0, %1)";
  tiny_renderer_of_language(&d->hip);
  out->own = d;
  out->kernel = tn_kfd_write_kernel;
  out->module = tn_kfd_write_module;
}

// ** clang, COMGR **

// Products and sums are fused where the list says FMA, nowhere else. LLVM 19's vectorizer of straight code loses the
// sign of some negations for gfx942 (tests/test_amd.sh: minima of bf16); lists have their lanes already.
#define TN_KFD_OPTIONS "-nogpuinc", "-nogpulib", "-O3", "-w", "-ffp-contract=off", "-fno-slp-vectorize"
static int tn_kfd_by_clang(const char *path, const char *hip, const char *target, tn_tool_made *out) {
  char arch[48];
  snprintf(arch, sizeof arch, "--offload-arch=%s", target);
  const char *const words[] = {"clang", "-x", "hip", "--cuda-device-only", arch, TN_KFD_OPTIONS,
    "-fno-temp-file", "-S", "-Xclang", "-emit-obj", "<", "-o", ">", NULL};
  return tn_tool_make(path, words, hip, out);
}
static int tn_kfd_by_comgr(const tn_comgr *c, const char *hip, const char *target, tn_tool_made *out) {
  static const char *const options[] = {TN_KFD_OPTIONS};
  return tn_comgr_compile(c, hip, target, options, sizeof options / sizeof *options, out);
}
#undef TN_KFD_OPTIONS

// ** as the backend is asked **

// Neither an object, which is taken as it is, nor assembly.
static int tn_kfd_is_object(const tiny_bytes *source) { return tn_amd_is_rendered(source->data, source->n); }
static int tn_kfd_is_hip(const tiny_bytes *source) {
  return !tn_kfd_is_object(source) && !tn_amd_is_assembly(source->data);
}
typedef struct tn_kfd_batch { tn_kfd *d; const tiny_bytes *source; tn_tool_made *made; int *result; } tn_kfd_batch;
static void tn_kfd_compile_task(void *arg, int i) {
  const tn_kfd_batch *b = (const tn_kfd_batch *)arg;
  const tiny_amd_system *s = &b->d->k.sys;
  tn_tool_made *m = &b->made[i];
  if (!tn_kfd_is_hip(&b->source[i])) return;
  const char *target = b->d->node.chip->name;
  b->result[i] = s->compile ? s->compile(s->user, b->source[i].data, target, &m->bytes, &m->nbytes, m->log,
                                         sizeof m->log)
               : b->d->comgr.library ? tn_kfd_by_comgr(&b->d->comgr, b->source[i].data, target, m)
               : tn_kfd_by_clang(b->d->compiler, b->source[i].data, target, m);
}
static tiny_code tn_kfd_refused(tn_kfd *d, const tn_tool_made *m, tiny_bytes *log) {
  const size_t n = strlen(m->log);
  tiny_bytes_add(log, m->log, n);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a kernel is not compiled for %s: %.600s", d->name, d->node.chip->name,
                   n ? m->log : "it is not said why");
}
static tiny_code tn_kfd_assemble(tn_kfd *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  const tn_amd_chip *const chip = tn_kfd_machine(d);
  const tiny_code before = tiny_status(d->t);
  tn_tool_made m;
  tn_amd_error e;
  if (!chip) return tiny_fail(d->t, TINY_E_COMPILE, "%s: there is no assembler for it", d->name);
  if (tn_amd_assemble_object(binary, chip, source->data, source->n, &e))
    return before == TINY_OK ? tiny_status(d->t) : TINY_OK;          // memory may have been refused
  snprintf(m.log, sizeof m.log, "line %d, column %d: %s", e.line, e.column, e.sentence);
  return tn_kfd_refused(d, &m, log);
}
static tiny_code tn_kfd_take(const tn_kfd_batch *b, int i, tiny_bytes *binary, tiny_bytes *log) {
  const tn_tool_made *m = &b->made[i];
  if (tn_kfd_is_object(&b->source[i])) {
    tiny_bytes_add(binary, b->source[i].data, b->source[i].n);
    return TINY_OK;
  }
  if (tn_amd_is_assembly(b->source[i].data)) return tn_kfd_assemble(b->d, &b->source[i], binary, log);
  if (b->result[i] || !m->bytes) return tn_kfd_refused(b->d, m, log);
  tiny_bytes_add(binary, m->bytes, m->nbytes);
  return TINY_OK;
}
// Processes run beside each other; what a host brings, and COMGR, are called on this thread.
static tiny_code tn_kfd_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = TINY_OK;
  int hip = 0;
  for (int i = 0; i < n; i++) hip += tn_kfd_is_hip(&source[i]);
  if (hip) code = tn_kfd_find_compiler(d);
  if (code != TINY_OK) return code;
  const size_t size = (size_t)n * (sizeof(tn_tool_made) + sizeof(int));
  tn_tool_made *made = (tn_tool_made *)tiny_realloc(d->t, NULL, 0, size);
  if (!made) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for compiled kernels", d->name);
  memset(made, 0, size);
  tn_kfd_batch b = {d, source, made, (int *)(void *)(made + n)};
  if (!d->k.sys.compile && !d->comgr.library) tiny_parallel(d->t, n, tn_kfd_compile_task, &b);
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
#endif

// ** what it is **

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
  tn_kfd_choose_compilers(d);
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

    177  src/amd/../base/digits.c         whole numbers in text without a sign: of devices, of versions, of
                                          addresses
    204  src/amd/../base/driver.c         files of kernel drivers: opened, controlled, mapped; a clock; what
                                          two sides of a bus see in order
    322  src/amd/../base/tool.c           programs of others, run as processes that read and write memory:
                                          nothing of it has a name in a folder
    453  src/amd/../base/library.c        shared libraries that are loaded while the program runs: drivers,
                                          which a program is not linked with
    509  src/amd/../base/blocks.c         a device's memory, given out in blocks of larger regions, which are
                                          the driver's
    622  src/amd/../base/prepared.c       launches that are handed over together again and again, as a list of
                                          commands that was prepared
    837  src/amd/../render/lang_cuda.c    the descriptor of CUDA C, and of HIP C, which is the same but for
                                          the words below: an element at a time or vectors of 2, 4, 8 or 16
   1202  src/amd/../render/lang_hip.c     the descriptor of HIP C: that of CUDA C (lang_cuda.c) but for what
                                          AMD's GPUs and clang have otherwise
   1228  src/amd/structs.c                what amdgpu's compute interface (KFD) takes: own declarations
   1342  src/amd/files.c                  what the kernel's files say of GPUs, and files of this process that
                                          are open
   1397  src/amd/system.c                 open, ioctl, mmap: the system's own (base/driver.c, files.c), or
                                          what a tiny_amd_system has in their place
   1453  src/amd/kfd.c                    what amdgpu's compute interface is asked: calls, memory, events;
                                          what went wrong as a sentence
   1532  src/amd/chip.c                   what differs between AMD's GPUs from CDNA3 and RDNA3 on, a row for
                                          each target
   1590  src/amd/topology.c               which GPUs there are, as /sys/devices/virtual/kfd/kfd/topology tells
   1687  src/amd/comgr.c                  HIP C -> a code object, by AMD's Code Object Manager, which is clang
                                          in a library, loaded at run time
   1878  src/amd/device.c                 a GPU: found, its address space, memory of its own, of the host and
                                          of others in it; what it is lost by
   2137  src/amd/packets.c                the words that command processors read: PM4 of each generation,
                                          SDMA, AQL
   2311  src/amd/queue.c                  what a GPU is told: packets in a ring, a doorbell; how far it is,
                                          and waiting for that
   2707  src/amd/peer.c                   other GPUs of the context: their memory, mapped for this one, and
                                          the order between them
   2831  src/amd/memory.c                 bytes to the GPU's memory and from it, by its copy engines; from
                                          other GPUs
   2985  src/amd/share.c                  memory that goes from one program or driver to another as a dma-buf;
                                          the host's pages, used in place
   3091  src/amd/../isa/amd.c             the machine instructions of AMD's GPUs, of three families: their
                                          chips, and what an instruction is made of
   3185  src/amd/../isa/amd_scalars.c     rows of the table of AMD's instructions: scalar ones, scalar memory,
                                          branches, waits
   3505  src/amd/../isa/amd_vectors.c     rows of the table of AMD's instructions: vectors, comparisons,
                                          packed ones, dot products, matrices
   4005  src/amd/../isa/amd_accesses.c    rows of the table of AMD's instructions: LDS, and memory by flat,
                                          scratch, global and buffer addresses
   4267  src/amd/../isa/amd_table.c       the instructions of AMD's GPUs, a row each: names, operands, and
                                          where each family has them
   4372  src/amd/../isa/amd_layout.c      where the fields of AMD's instructions lie in their words, a row for
                                          each format of each family
   4556  src/amd/../isa/amd_code.c        AMD's instructions -> words, and words -> instructions
   5330  src/amd/../isa/amd_rules.c       what an instruction of AMD's GPUs may not do though there are words
                                          for it
   5402  src/amd/../isa/amd_names.c       words of AMD's assembly that stand for numbers: registers,
                                          constants, counters, messages, lanes, caches
   5529  src/amd/../isa/amd_text.c        AMD's instructions as assembly text
   5960  src/amd/../isa/amd_descriptor.c  what the hardware is told of a kernel before it runs: registers,
                                          LDS, scratch, what comes in SGPRs
   6046  src/amd/../isa/amd_metadata.c    what a code object says of its kernels to who launches them, in
                                          MessagePack
   6239  src/amd/../isa/amd_parse.c       assembly text of AMD's GPUs -> instructions, and whole programs with
                                          labels -> words
   6912  src/amd/../isa/amd_object.c      code objects of AMD's GPUs: ELF files of kernels, each a descriptor
                                          and code, as HIP and ROCr load them
   7356  src/amd/../isa/amd_assembly.c    whole kernels in assembly text -> a code object
   7678  src/amd/../ir/listing.c          what the nodes of a kernel's list say, by what tiny.h shows to
                                          everyone: renderers stand in companion headers, too, and those see
                                          nothing else of the library
   7830  src/amd/../isa/amd_operands.c    operands of instructions: registers, constants, numbers
   7873  src/amd/../isa/amd_list.c        the machine instructions of a kernel on their way from selection to
                                          bytes
   8202  src/amd/../isa/amd_uses.c        what a line of a list reads and writes, beside what it names: SCC,
                                          VCC, EXEC; and which unit does it
   8425  src/amd/../isa/amd_show.c        a list of machine instructions as text, with registers that are
                                          virtual: v%12 is one dword, v%12:4 are all four of a tuple, v%12+1
                                          its second
   8493  src/amd/../isa/amd_values.c      values of a kernel's nodes in registers of an AMD GPU, an operand
                                          for each element
   8711  src/amd/../isa/amd_integers.c    arithmetic of whole numbers on AMD's GPUs: of 32 bits, of fewer, of
                                          64, and quotients
   9187  src/amd/../isa/amd_floats.c      arithmetic of floats on AMD's GPUs: f16, f32, f64; 2^x, roots and
                                          quotients
   9404  src/amd/../isa/amd_casts.c       conversions of elements between dtypes, and their bits as those of
                                          another, on AMD's GPUs
   9579  src/amd/../isa/amd_arithmetic.c  what an element of an ALU op, a cast or a comparison is on AMD's
                                          GPUs
   9723  src/amd/../isa/amd_pairs.c       ops on words of vectors, two or four elements an instruction, on
                                          AMD's GPUs
   9983  src/amd/../isa/amd_abilities.c   what a chip of AMD has of the ops, dtypes and flags that codegen
                                          asks for
  10016  src/amd/../isa/amd_fused.c       two ops by one instruction of AMD's GPUs
  10411  src/amd/../isa/amd_address.c     where an element of memory is, in what an access of AMD's GPUs adds
                                          by itself
  10724  src/amd/../isa/amd_loads.c       LOADs and STOREs on AMD's GPUs: memory by buffers, LDS, scratch, and
                                          memory in registers
  11126  src/amd/../isa/amd_control.c     loops, conditions, barriers, and what comes with the launch, on
                                          AMD's GPUs
  11438  src/amd/../isa/amd_select.c      the list of a kernel -> machine instructions of an AMD GPU with
                                          virtual registers
  11781  src/amd/../isa/amd_dead.c        lines whose results nobody reads are left out
  11842  src/amd/../isa/amd_common.c      what is computed twice is computed once, and constants of loops
                                          stand in front of them
  12056  src/amd/../isa/amd_depend.c      what must stay in front of what among the lines of a basic block,
                                          and for how many cycles
  12459  src/amd/../isa/amd_tail.c        waves that have nothing left to store end behind the last barrier
  12575  src/amd/../isa/amd_merge.c       accesses of places beside each other become one; two of LDS that lie
                                          apart, one of two offsets
  12802  src/amd/../isa/amd_pipeline.c    loads of a loop's next iteration are issued in this one, between
                                          what reads those of this one
  13141  src/amd/../isa/amd_schedule.c    the order of lines in basic blocks: loads early, what waits for them
                                          late, few registers at a time
  13541  src/amd/../isa/amd_ranges.c      where each dword of virtual registers holds a value that is read
                                          later, and who writes it
  14039  src/amd/../isa/amd_tuples.c      which virtual registers are one: what a copy joins becomes one
                                          tuple, or a part of one
  14312  src/amd/../isa/amd_spill.c       values that found no register live elsewhere, and visit one at each
                                          use
  14582  src/amd/../isa/amd_registers.c   virtual registers get the GPU's
  15010  src/amd/../isa/amd_dual.c        pairs of vector instructions that RDNA issues as one (VOPD)
  15233  src/amd/../isa/amd_flow.c        what holds at each line of a list, over all ways that lead there;
                                          and a list that is written anew with it
  15345  src/amd/../isa/amd_waits.c       waits for what is under way: loads, LDS, scalar loads; as late as
                                          possible, and for no more than needed
  15573  src/amd/../isa/amd_states.c      wait states of gfx942: how many instructions, or cycles of s_nop,
                                          lie between one that writes a register and one that comes too soon
                                          behind it, where the hardware does not see to that
  15853  src/amd/../isa/amd_hazards.c     instructions in front of those that would read too soon, or what is
                                          not there, where the hardware does not see to that
  16039  src/amd/../isa/amd_delays.c      hints of gfx11 and gfx12 that cost nothing but their place:
                                          s_delay_alu, by which a wave leaves its unit to others until a
                                          result is there, and s_clause, by which a run of loads stays
                                          together
  16174  src/amd/../isa/amd_finish.c      a list of machine instructions to bytes
  16361  src/amd/../isa/amd_generate.c    the renderer of machine code for AMD's GPUs: lists of kernels -> a
                                          code object, without any compiler
  16480  src/amd/module.c                 code objects in the GPU's memory, and the kernels in them
  16607  src/amd/launch.c                 kernels with all that they are called with -> kernel arguments,
                                          packets
  16920  src/amd/graph.c                  launches that are handed over together again and again, as packets
                                          that were prepared (base/prepared.c)
  17012  src/amd/compile.c                kernels -> code objects: the library's own by the generator of
                                          isa/amd_generate.c; HIP C by what a tiny_amd_system brings, clang,
                                          or COMGR; assembly by amd_assembly.c
  17236  src/amd/disassemble.c            code objects -> assembly, which amd_assembly.c takes again
  17349  src/amd/info.c                   what the driver tells of its GPUs, without a context of the
                                          library's
  17392  src/amd/open.c                   a device as others see it: opened and closed, what schedules ask of
                                          it, that all has happened
  17520  src/amd/backend.c                the one object of tiny_amd.h
*/
