/* tiny_nv.h 0.1.0, source 188f0ffd938cea828118dd0e303f4fa6f8a9b5ba95e6d87db03de1b25c7b0e22

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/nv/manual.txt ----
tiny_nv.h: NVIDIA GPUs for tiny.h, by the kernel driver alone: no libcuda, no toolkit.

WHAT IT IS
  A device for tiny.h on Linux machines with NVIDIA's kernel driver. It talks to /dev/nvidiactl, /dev/nvidia0 and
  /dev/nvidia-uvm itself.

      #define TINY_IMPLEMENTATION
      #include "tiny.h"
      #include "tiny_nv.h"

      tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NV", .backends = {&tiny_nv}});

  "NV" is the first GPU that opens, "NV:1" the second. Without .device the first backend that opens is taken, and the
  CPU where none does: the same program runs where there is no GPU.

WHAT IT NEEDS
  A driver of release 535 or later, open or proprietary; one that is newer than the newest known here is tried, and a
  line of debug letter p says so. A GPU of Turing, Ampere, Ada, Hopper or Blackwell. No rights beyond those to open the
  three files, which usually all have.
  For kernels that are not in the cache yet an assembler of PTX: ptxas, from PATH, TINY_NV_PTXAS or /usr/local/cuda
  (pip install nvidia-cuda-nvcc has it); or libnvptxcompiler or nvJitLink. Debug letter p tells which was found.

WITHOUT AN ASSEMBLER
  tiny_nv_export compiles what a function makes of a context for every target that is named, on a machine that has an
  assembler and need not have a GPU; the program takes the file, and needs the driver alone:

      static tiny_code build(tiny_ctx *t, void *user) { .. return tiny_capture(t, ..) ? TINY_OK : tiny_status(t); }
      const char *targets[] = {"sm_80", "sm_90a", "sm_120a"};
      tiny_nv_export_desc e = {.path = "model.kernels", .targets = targets, .n = 3, .build = build};
      tiny_nv_export(&e, error, sizeof error);

      tiny_desc d = {.device = "NV", .backends = {&tiny_nv}, .cache_file = "model.kernels"};    // in the program

WHAT IT DOES NOT DO
  GPUs that are partitioned (MIG) or in confidential computing; kernels in clusters of groups. Of memory that others
  bring tiny_blob_of takes what tiny_nv_import makes of a file: memory that this device shared, or a dma-buf.

KERNELS OF YOUR OWN
  tiny_kernel takes PTX as source: .visible .entry name(.param .u64 out, .param .u64 in, ..). Parameters are the output,
  then the inputs, each an address; a number is an input of one element. Or .binary: a cubin for this GPU, or PTX.

ORDER
  What the library gives to a device happens in one order. Bytes from the host and to it go by the GPU's copy engines,
  beside kernels that do not need them. Kernels that are launched together again are a list of commands that was
  prepared: of it only parameters that have changed are written. Between GPUs ("NV:0,NV:1") bytes go from one's memory
  to the other's, and one waits for the other without the host, where the driver lets them (NVLink, or PCIe peers);
  else by way of the host.

WHEN THE GPU IS LOST
  After a kernel that faults, and after TINY_NV_TIMEOUT_MS (60000) without any progress, the context's channels are lost:
  each call on that device is TINY_E_DEVICE and says why, until the tiny_ctx is closed. Other contexts, also on the same
  GPU, go on.

A SYSTEM OF YOUR OWN
  tiny_nv_on names a device behind a tiny_nv_system: functions in the place of open, ioctl and mmap, and an assembler.
  tiny_nv_gpus tells of all GPUs without a context.
---- end src/nv/manual.txt ----
*/
#ifndef TINY_NV_H
#define TINY_NV_H
// ---- begin src/nv/api.h ----
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
// ---- end src/nv/api.h ----
#endif // TINY_NV_H

// The implementation, for the one file that defines TINY_IMPLEMENTATION. It compiles as C and as C++; the
// functions above are extern "C" there, so both kinds of files link with it. (TINY_STATIC: all is static.)
#if defined(TINY_IMPLEMENTATION) && !defined(TINY_NV_IMPLEMENTATION_DONE)
#define TINY_NV_IMPLEMENTATION_DONE
#ifndef TINY_AMALGAMATED
  #define TINY_AMALGAMATED
#endif
#define TN_NV_SOURCE_ID "188f0ffd938cea828118dd0e303f4fa6f8a9b5ba95e6d87db03de1b25c7b0e22"
// ---- begin src/nv/all.c ----
// all: the implementation of tiny_nv.h, one #include a room. Of the library it uses what tiny.h shows to everyone.
// ---- begin src/nv/../base/library.c ----
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
// ---- end src/nv/../base/library.c ----
// ---- begin src/nv/../base/digits.c ----
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
// ---- end src/nv/../base/digits.c ----
// ---- begin src/nv/../base/driver.c ----
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
// ---- end src/nv/../base/driver.c ----
// ---- begin src/nv/../base/tool.c ----
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
// ---- end src/nv/../base/tool.c ----
// ---- begin src/nv/../base/blocks.c ----
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
// ---- end src/nv/../base/blocks.c ----
// ---- begin src/nv/../base/prepared.c ----
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
// ---- end src/nv/../base/prepared.c ----
// ---- begin src/nv/../ir/listing.c ----
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
// ---- end src/nv/../ir/listing.c ----
// ---- begin src/nv/../render/ptx_values.c ----
// ptx_values: values of PTX: registers, numbers, and what is computed of them, an element at a time.
//
// In:  nodes that compute, operands for their sources. Out: lines of text, an operand for each element.
// Holds:
//  - A register is written once, but for those of accumulators, counters and addresses that a loop goes on with; ptxas
//    gives registers to machine code. Integers of 8 and 16 bits are held in 32, with the sign or zeros above.
//  - f16 and bf16 are two bytes in memory and, but for what ptx_pairs.c has, f32 in arithmetic, fp8 one: a code in 32
//    bits. Vectors of 8 and 16 bits are elements, words of 32 bits as they lie in memory, or both: whichever their
//    users ask for.
//  - Products and sums without .rn may be contracted by ptxas, as nvcc has it by default (-fmad).
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX_VALUES
#define TN_RENDER_PTX_VALUES
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef __GNUC__
  #define TN_PTX_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_PTX_PRINTF(at, args)
#endif

// kind: of registers 'p' predicate, 'h' 16 bits, 'r' 32, 'd' 64, 'f' f32, 'g' f64; 'i' integer, 'F' and 'G' bits of an
// f32 and an f64; 's' the address of the n-th memory that is declared, 'S' of that which a launch brings; 0: none.
typedef struct tn_ptx_operand { char kind; int64_t n; } tn_ptx_operand;
typedef struct tn_ptx_list { tn_ptx_operand *of; int n, cap; } tn_ptx_list;

enum { TN_PTX_CLASSES = 6, TN_PTX_DEPTH = 72, TN_PTX_VECTOR = 64 };
enum { TN_PTX_ALL, TN_PTX_CONSUMES, TN_PTX_PRODUCES };       // roles of warps
enum { TN_PTX_ELEMENTS = 1, TN_PTX_WORDS = 2 };              // what users want of a vector

typedef struct tn_ptx_level {              // of a loop or an IF that is open, and of the kernel itself
  tiny_bytes body, tail;                   // tail: what goes on with addresses, behind an iteration
  const tiny_uop *opened; tn_ptx_operand counter, skips;
  int label, serial;
} tn_ptx_level;

// mbarriers that products arrive at, 1 << bits of 8 bytes; how many were told of so far, each of its own register.
typedef struct tn_ptx_ring { tn_ptx_operand at, count; int bits; } tn_ptx_ring;

struct tn_ptx_sum; struct tn_ptx_step;
typedef struct tn_ptx {
  tiny_ctx *t; const tiny_listing *k;
  int sm, version, failed, labels, depth, serial, at;        // at: the level that lines are written to
  int by_unit, fences;                     // 1: units read shared memory themselves, and what items have written
  // Of units that keep sums (ptx_tcgen05.c): columns of those of four warps, in all and given so far; four warps; are
  // products not waited for (TN_PTX_STARTED, ..), have threads met since the last wait?
  int tensor, tensor_given, groups, tensor_open, met;
  // Who allocates, who starts products and who does not; what was allocated, what of it is for these warps, and the
  // warp's lanes. Products that all threads wait for, and those that only who starts them does
  tn_ptx_operand manages, starts, rests, tensor_all, tensor_at, tensor_lane;
  tn_ptx_ring done, empty, *ring;          // ring: of the loop whose products go on
  tn_ptx_level *level;
  tn_ptx_list pool;
  int *elements, *words;                   // of nodes: where in the pool; -1: nowhere
  // Of nodes: the form that is wanted of a vector; low bits that are 0; is it wanted at all; the level it stands at;
  // constant: of a PARAM, nothing is stored there; of REG memory, its elements are known; of a LOAD of it, it stays
  // partial: it is there only under its condition
  uint8_t *wants, *zeros, *needed, *inside, *constant, *partial;
  // under: the condition of all that wants it, the node itself where there is not one
  const tiny_uop **block, **under; int *last; struct tn_ptx_sum *sum;
  struct tn_ptx_step *step; int nstep;
  int64_t registers[TN_PTX_CLASSES];
  int64_t local_at, box_at; int memories;  // box_at: of memory of boxes, which lies first
  // BULKs, one for each tensor of theirs, slots; what thread 0 is known by, parities of slots, the first one's mbarrier
  const tiny_uop **bulk, **map; int nbulk, nmap, slots;
  tn_ptx_operand first, phases, slot_at, map_at[8];
  // Of a loop whose products go on while the next ones are begun: its RANGE; copies that wait for the items to meet
  const tiny_uop *overlaps; tiny_bytes copies;
  int box_stores, leaves;                  // BULKSTOREs; are some begun, and not waited for?
  int cluster; tn_ptx_operand rank, everyone;                // groups that copy for each other; which is this; all bits
  // Of warps that only copy, and the others (ptx_producer.c): who this is written for; what those leave out, of nodes;
  // threads beside the items; of the other warps, the slot whose products are under way, of whom this lane tells that a
  // slot is empty, and whether it does; a slot was told of in this iteration
  int role, beside, told; uint8_t *idle;
  tn_ptx_operand before, empties, tells, slot;
  tiny_bytes declares, batch;              // batch: products of warps that wait (ptx_wgmma.c)
  tn_ptx_operand guard; int unless;        // of the next lines
} tn_ptx;

// ** scratch memory, which the library gives in runs of bytes **

// Zeros. NULL: refused, which is recorded.
static void *tn_ptx_scratch(tiny_ctx *t, size_t nbytes) {
  static const char zeros[4096] = {0};
  tiny_bytes b = {t, NULL, 0, 0};
  for (size_t at = 0; at <= nbytes; at += sizeof zeros) {
    const size_t n = nbytes + 16 - at < sizeof zeros ? nbytes + 16 - at : sizeof zeros;
    tiny_bytes_add(&b, zeros, n);
  }
  return b.n >= nbytes ? b.data : NULL;
}
static void tn_ptx_fail(tn_ptx *x, const char *what) {
  if (!x->failed) tiny_fail(x->t, TINY_E_INTERNAL, "render: %s has no form in PTX", what);
  x->failed = 1;
}
static void tn_ptx_wants_version(tn_ptx *x, int version) { if (x->version < version) x->version = version; }
// Where in the pool n operands stand; it may move.
static int tn_ptx_take(tn_ptx *x, int n) {
  tn_ptx_list *p = &x->pool;
  if (p->n + n > p->cap) {
    const int cap = 2 * p->cap + n + 256;
    tn_ptx_operand *grown = (tn_ptx_operand *)tn_ptx_scratch(x->t, (size_t)cap * sizeof *grown);
    if (!grown) { x->failed = 1; return 0; }
    if (p->n) memcpy(grown, p->of, (size_t)p->n * sizeof *grown);
    p->of = grown; p->cap = cap;
  }
  p->n += n;
  return p->n - n;
}

// ** dtypes **

static int tn_ptx_is_float(int d) { return d >= TINY_F8E4M3 && d <= TINY_F64; }
static int tn_ptx_is_signed(int d) { return d == TINY_I8 || d == TINY_I16 || d == TINY_I32 || d == TINY_I64; }
static int tn_ptx_is_fp8(int d) { return d == TINY_F8E4M3 || d == TINY_F8E5M2; }
static int tn_ptx_bits(int d) { return 8 * (int)tiny_dtype_nbytes((tiny_dtype)d); }
// Of the register that an element is held in.
static char tn_ptx_class(int d) {
  if (d == TINY_BOOL) return 'p';
  if (d == TINY_F32 || d == TINY_F64) return d == TINY_F32 ? 'f' : 'g';
  return d == TINY_F16 || d == TINY_BF16 ? 'h' : tn_ptx_bits(d) == 64 ? 'd' : 'r';
}
// How instructions name the dtype, in arithmetic: narrow integers as those of 32 bits.
static const char *tn_ptx_type(int d) {
  switch (d) {
    case TINY_BOOL: return "pred";
    case TINY_F16: case TINY_BF16: return d == TINY_F16 ? "f16" : "bf16";
    case TINY_F32: case TINY_F64: return d == TINY_F32 ? "f32" : "f64";
    case TINY_I64: case TINY_U64: return d == TINY_I64 ? "s64" : "u64";
    default: return tn_ptx_is_signed(d) ? "s32" : "u32";
  }
}
// In memory and conversions; with the sign of integers.
static const char *tn_ptx_stored(int d) {
  switch (d) {
    case TINY_I8: return "s8";
    case TINY_U8: case TINY_F8E4M3: case TINY_F8E5M2: return "u8";
    case TINY_I16: return "s16";
    case TINY_U16: return "u16";
    case TINY_F16: case TINY_BF16: return "b16";
    default: return tn_ptx_type(d);
  }
}
static const char *tn_ptx_bare(char kind) {
  return kind == 'p' ? "pred" : kind == 'h' ? "b16" : kind == 'r' ? "b32" : kind == 'd' ? "b64" : kind == 'f' ? "f32" :
      "f64";
}

// ** text **

static void tn_ptx_text(tiny_bytes *out, const char *format, ...) TN_PTX_PRINTF(2, 3);
static void tn_ptx_text(tiny_bytes *out, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n > 0) tiny_bytes_add(out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void tn_ptx_operand_text(tiny_bytes *out, tn_ptx_operand o) {
  static const struct { char kind; const char *name; } registers[TN_PTX_CLASSES] = {
    {'p', "%p"}, {'h', "%h"}, {'r', "%r"}, {'d', "%d"}, {'f', "%f"}, {'g', "%g"}};
  for (int i = 0; i < TN_PTX_CLASSES; i++) if (registers[i].kind == o.kind) {
    tn_ptx_text(out, "%s%lld", registers[i].name, (long long)o.n);
    return;
  }
  switch (o.kind) {
    case 'F': tn_ptx_text(out, "0f%08X", (unsigned)o.n); return;
    case 'G': tn_ptx_text(out, "0d%016llX", (unsigned long long)o.n); return;
    case 's': tn_ptx_text(out, "m%lld", (long long)o.n); return;
    case 'S': tn_ptx_text(out, "tiny_shared"); return;
    default:
      if (o.n >= INT32_MIN && o.n <= UINT32_MAX) tn_ptx_text(out, "%lld", (long long)o.n);
      else tn_ptx_text(out, "0x%llX", (unsigned long long)o.n);
  }
}
static tiny_bytes *tn_ptx_body(tn_ptx *x) { return &x->level[x->at].body; }

// All items do; not those beside them.
static void tn_ptx_meet(const tn_ptx *x, tiny_bytes *out) {
  const int64_t *n = x->k->local;
  if (x->beside) tn_ptx_text(out, "\tbar.sync 1, %lld;\n", (long long)(n[0] * n[1] * n[2]));
  else tn_ptx_text(out, "\tbar.sync 0;\n");
}

// A line's beginning, with the guard that holds.
static void tn_ptx_begin(tn_ptx *x, const char *op) {
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "\t");
  if (x->guard.kind) {
    tn_ptx_text(out, x->unless ? "@!" : "@");
    tn_ptx_operand_text(out, x->guard);
    tn_ptx_text(out, " ");
  }
  tn_ptx_text(out, "%s ", op);
}
static void tn_ptx_line(tn_ptx *x, const char *op, const tn_ptx_operand *o, int n) {
  tn_ptx_begin(x, op);
  for (int i = 0; i < n; i++) {
    if (i) tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_operand_text(tn_ptx_body(x), o[i]);
  }
  tn_ptx_text(tn_ptx_body(x), ";\n");
}
// {%r1, %r2}; one alone stands without braces.
static void tn_ptx_group(tiny_bytes *out, const tn_ptx_operand *o, int n) {
  if (n > 1) tn_ptx_text(out, "{");
  for (int i = 0; i < n; i++) { if (i) tn_ptx_text(out, ", "); tn_ptx_operand_text(out, o[i]); }
  if (n > 1) tn_ptx_text(out, "}");
}

// op {a, b}, whole
static void tn_ptx_split(tn_ptx *x, const char *op, const tn_ptx_operand *half, tn_ptx_operand whole) {
  tn_ptx_begin(x, op);
  tn_ptx_group(tn_ptx_body(x), half, 2);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_operand_text(tn_ptx_body(x), whole);
  tn_ptx_text(tn_ptx_body(x), ";\n");
}

// ** registers and lines that give one **

static tn_ptx_operand tn_ptx_register(tn_ptx *x, char kind) {
  static const char kinds[] = "phrdfg";
  const tn_ptx_operand o = {kind, ++x->registers[strchr(kinds, kind) - kinds]};
  return o;
}
// op whole, {a, b}
static tn_ptx_operand tn_ptx_join(tn_ptx *x, char kind, const char *op, const tn_ptx_operand *half) {
  const tn_ptx_operand whole = tn_ptx_register(x, kind);
  tn_ptx_begin(x, op);
  tn_ptx_operand_text(tn_ptx_body(x), whole);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_group(tn_ptx_body(x), half, 2);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  return whole;
}
static tn_ptx_operand tn_ptx_k(int64_t k) { const tn_ptx_operand o = {'i', k}; return o; }
static const tn_ptx_operand tn_ptx_none = {0, 0};

static tn_ptx_operand tn_ptx_do(tn_ptx *x, char kind, const char *op, tn_ptx_operand a, tn_ptx_operand b,
                                tn_ptx_operand c) {
  const tn_ptx_operand o[4] = {tn_ptx_register(x, kind), a, b, c};
  tn_ptx_line(x, op, o, !a.kind ? 1 : !b.kind ? 2 : !c.kind ? 3 : 4);
  return o[0];
}
static tn_ptx_operand tn_ptx_do1(tn_ptx *x, char kind, const char *op, tn_ptx_operand a) {
  return tn_ptx_do(x, kind, op, a, tn_ptx_none, tn_ptx_none);
}
static tn_ptx_operand tn_ptx_do2(tn_ptx *x, char kind, const char *op, tn_ptx_operand a, tn_ptx_operand b) {
  return tn_ptx_do(x, kind, op, a, b, tn_ptx_none);
}
// op.type
static const char *tn_ptx_name(char *out, size_t nbytes, const char *op, const char *type) {
  snprintf(out, nbytes, "%s.%s", op, type);
  return out;
}
#define TN_PTX_NAME(op, type) tn_ptx_name(tn_ptx_names, sizeof tn_ptx_names, op, type)

static int tn_ptx_is_number(tn_ptx_operand o) { return o.kind == 'i' || o.kind == 'F' || o.kind == 'G'; }

// In a register, where a number will not do.
static tn_ptx_operand tn_ptx_held(tn_ptx *x, tn_ptx_operand o, char kind) {
  char tn_ptx_names[16];
  if (!tn_ptx_is_number(o)) return o;
  if (kind == 'p') return tn_ptx_do2(x, 'p', "setp.ne.s32", o, tn_ptx_k(0));
  return tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), o);
}

static tn_ptx_operand tn_ptx_number(int dtype, int64_t k) {
  tn_ptx_operand o = {'i', k};
  if (dtype == TINY_F64) o.kind = 'G';
  else if (dtype == TINY_F32) { o.kind = 'F'; o.n = tn_const_f32(k); }
  else if (tn_ptx_bits(dtype) <= 32 && dtype == TINY_U32) o.n = (int64_t)(uint32_t)k;
  return o;
}

// ** conversions **

// Brings what was computed in 32 bits back into a narrow dtype, unless bounds say that it is in there.
static tn_ptx_operand tn_ptx_wrapped(tn_ptx *x, int dtype, tn_ptx_operand o) {
  char tn_ptx_names[16];
  if (tn_ptx_is_number(o) || tn_ptx_is_float(dtype) || tn_ptx_bits(dtype) >= 32) return o;
  if (!tn_ptx_is_signed(dtype))
    return tn_ptx_do2(x, 'r', "and.b32", o, tn_ptx_k(tn_ptx_bits(dtype) == 8 ? 0xFF : 0xFFFF));
  return tn_ptx_do1(x, 'r', TN_PTX_NAME("cvt.s32", tn_ptx_stored(dtype)), o);
}
static int tn_ptx_holds(int dtype, const tiny_uop *u) {
  const int bits = tn_ptx_bits(dtype), is_signed = tn_ptx_is_signed(dtype);
  if (bits >= 64) return dtype == TINY_I64 || u->vmin >= 0;
  const int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0, top = ((int64_t)1 << (bits - is_signed)) - 1;
  return u->dtype != TINY_U64 && u->vmin >= low && u->vmax <= top;
}

static tn_ptx_operand tn_ptx_int_to_int(tn_ptx *x, const tiny_uop *u, int to, tn_ptx_operand o) {
  const int from = u->dtype, wide = tn_ptx_bits(to) == 64;
  if (tn_ptx_class(from) == tn_ptx_class(to)) return wide || tn_ptx_holds(to, u) ? o : tn_ptx_wrapped(x, to, o);
  if (wide) return tn_ptx_do1(x, 'd', tn_ptx_is_signed(from) ? "cvt.s64.s32" : "cvt.u64.u32", o);
  o = tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
  return tn_ptx_holds(to, u) ? o : tn_ptx_wrapped(x, to, o);
}

static tn_ptx_operand tn_ptx_float_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o);

static tn_ptx_operand tn_ptx_int_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  const int half = to == TINY_F16 || (to == TINY_BF16 && x->sm >= 90);
  if ((tn_ptx_class(to) == 'h' && !half) || tn_ptx_is_fp8(to))
    return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_int_to_float(x, from, TINY_F32, o));
  snprintf(name, sizeof name, "cvt.rn.%s.%s", tn_ptx_type(to), tn_ptx_type(from));
  return tn_ptx_do1(x, tn_ptx_class(to), name, o);
}

// Conversions saturate, and give 0 of NaN where they give 32 bits; of 64 GPUs do not ("cvt" is silent; CUDA Math API,
// __float2ll_rz: 0x8000000000000000).
static tn_ptx_operand tn_ptx_float_to_int(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  const int bits = tn_ptx_bits(to), wide = bits == 64, is_signed = tn_ptx_is_signed(to);
  if (tn_ptx_class(from) == 'h') { o = tn_ptx_float_to_float(x, from, TINY_F32, o); from = TINY_F32; }
  snprintf(name, sizeof name, "cvt.rzi.%s.%s", tn_ptx_type(to), tn_ptx_type(from));
  tn_ptx_operand y = tn_ptx_do1(x, wide ? 'd' : 'r', name, o);
  if (wide) {
    const tn_ptx_operand is = tn_ptx_do2(x, 'p', from == TINY_F64 ? "setp.num.f64" : "setp.num.f32", o, o);
    return tn_ptx_do(x, 'd', "selp.b64", y, tn_ptx_k(0), is);
  }
  if (bits == 32) return y;
  y = tn_ptx_do2(x, 'r', is_signed ? "min.s32" : "min.u32", y, tn_ptx_k(((int64_t)1 << (bits - is_signed)) - 1));
  return is_signed ? tn_ptx_do2(x, 'r', "max.s32", y, tn_ptx_k(-((int64_t)1 << (bits - 1)))) : y;
}

static tn_ptx_operand tn_ptx_half_held(tn_ptx *x, tn_ptx_operand o) { return tn_ptx_held(x, o, 'h'); }

// To nearest, ties to even, where no instruction does it: on bits.
static tn_ptx_operand tn_ptx_to_bf16(tn_ptx *x, tn_ptx_operand f) {
  const tn_ptx_operand b = tn_ptx_do1(x, 'r', "mov.b32", f), is = tn_ptx_do2(x, 'p', "setp.num.f32", f, f),
                       odd = tn_ptx_do(x, 'r', "bfe.u32", b, tn_ptx_k(16), tn_ptx_k(1)),
                       up = tn_ptx_do2(x, 'r', "add.s32", odd, tn_ptx_k(0x7FFF)),
                       sum = tn_ptx_do2(x, 'r', "add.s32", b, up),
                       high = tn_ptx_do2(x, 'r', "shr.u32", sum, tn_ptx_k(16));
  return tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_do(x, 'r', "selp.b32", high, tn_ptx_k(0x7FC0), is));
}
static tn_ptx_operand tn_ptx_of_bf16(tn_ptx *x, tn_ptx_operand h) {
  tn_ptx_operand r = tn_ptx_do1(x, 'r', "cvt.u32.u16", tn_ptx_half_held(x, h));
  r = tn_ptx_do2(x, 'r', "shl.b32", r, tn_ptx_k(16));
  return tn_ptx_do1(x, 'f', "mov.b32", r);
}

// ** fp8, from sm_89 on, there of PTX 8.1 (PTX ISA, cvt) **

// What rounds beyond the numbers is NaN, of e5m2 infinity; the conversion would saturate (PTX ISA, cvt, .satfinite). Of
// e4m3 it gets a NaN; of e5m2, whose infinity it does not give, the code is put right.
static tn_ptx_operand tn_ptx_beyond_fp8(tn_ptx *x, int to, tn_ptx_operand f) {
  tn_ptx_wants_version(x, 81);
  const tn_ptx_operand size = tn_ptx_do1(x, 'f', "abs.f32", f), e4m3 = {'F', 0x43E80000}, e5m2 = {'F', 0x47700000};
  return to == TINY_F8E4M3 ? tn_ptx_do2(x, 'p', "setp.gt.f32", size, e4m3) :          // 464: 448 is even
                             tn_ptx_do2(x, 'p', "setp.ge.f32", size, e5m2);           // 61440: 57344 is odd
}
static tn_ptx_operand tn_ptx_infinite_e5m2(tn_ptx *x, tn_ptx_operand f) {
  const tn_ptx_operand bits = tn_ptx_do2(x, 'r', "shr.u32", tn_ptx_do1(x, 'r', "mov.b32", f), tn_ptx_k(24));
  return tn_ptx_do2(x, 'r', "or.b32", tn_ptx_do2(x, 'r', "and.b32", bits, tn_ptx_k(0x80)), tn_ptx_k(0x7C));
}
static tn_ptx_operand tn_ptx_to_fp8(tn_ptx *x, int to, tn_ptx_operand f) {
  const tn_ptx_operand nan = {'F', 0x7FC00000}, zero = {'F', 0}, held = tn_ptx_held(x, f, 'f'),
                       is = tn_ptx_beyond_fp8(x, to, held);
  const int e4m3 = to == TINY_F8E4M3;
  const tn_ptx_operand low = e4m3 ? tn_ptx_do(x, 'f', "selp.f32", nan, held, is) : held,
                       pair = tn_ptx_do2(x, 'h', e4m3 ? "cvt.rn.satfinite.e4m3x2.f32" : "cvt.rn.satfinite.e5m2x2.f32",
                                         zero, low),
                       code = tn_ptx_do1(x, 'r', "cvt.u32.u16", pair);
  return e4m3 ? code : tn_ptx_do(x, 'r', "selp.b32", tn_ptx_infinite_e5m2(x, held), code, is);
}
// Two at a time, f16 of two codes.
static tn_ptx_operand tn_ptx_halves_of_fp8(tn_ptx *x, int from, tn_ptx_operand pair) {
  tn_ptx_wants_version(x, 81);
  return tn_ptx_do1(x, 'r', from == TINY_F8E4M3 ? "cvt.rn.f16x2.e4m3x2" : "cvt.rn.f16x2.e5m2x2", pair);
}
static tn_ptx_operand tn_ptx_of_fp8(tn_ptx *x, int from, tn_ptx_operand code) {
  const tn_ptx_operand pair = tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_held(x, code, 'r'));
  return tn_ptx_do1(x, 'f', "cvt.f32.f16", tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_halves_of_fp8(x, from, pair)));
}

static tn_ptx_operand tn_ptx_float_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  if (from == to) return o;
  if (tn_ptx_is_fp8(from)) return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_of_fp8(x, from, o));
  if (tn_ptx_is_fp8(to)) return tn_ptx_to_fp8(x, to, tn_ptx_float_to_float(x, from, TINY_F32, o));
  if (from == TINY_BF16) return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_of_bf16(x, o));
  if (to == TINY_BF16 && from != TINY_F32)
    return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_float_to_float(x, from, TINY_F32, o));
  if (to == TINY_BF16 && x->sm < 80) return tn_ptx_to_bf16(x, o);
  const int narrows = tn_ptx_bits(to) < tn_ptx_bits(from);
  snprintf(name, sizeof name, "cvt.%s%s.%s", narrows ? "rn." : "", tn_ptx_type(to), tn_ptx_type(from));
  return tn_ptx_do1(x, tn_ptx_class(to), name, tn_ptx_class(from) == 'h' ? tn_ptx_half_held(x, o) : o);
}

static tn_ptx_operand tn_ptx_cast(tn_ptx *x, const tiny_uop *from, int to, tn_ptx_operand o) {
  const int d = from->dtype;
  if (d == to) return o;
  if (tn_ptx_is_float(d))
    return tn_ptx_is_float(to) ? tn_ptx_float_to_float(x, d, to, o) : tn_ptx_float_to_int(x, d, to, o);
  return tn_ptx_is_float(to) ? tn_ptx_int_to_float(x, d, to, o) : tn_ptx_int_to_int(x, from, to, o);
}

// The same bits in a register of another class; of narrow integers with the sign that the dtype has.
static tn_ptx_operand tn_ptx_bits_as(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  const char a = tn_ptx_class(from), b = tn_ptx_class(to);
  if (tn_ptx_is_fp8(from)) from = TINY_U8;                   // codes
  if (tn_ptx_is_fp8(to)) to = TINY_U8;
  if (a == 'r' && b == 'r') return from == to ? o : tn_ptx_wrapped(x, to, o);
  if (a == b) return o;
  if (a == 'h') o = tn_ptx_do1(x, 'r', to == TINY_I16 ? "cvt.s32.s16" : "cvt.u32.u16", tn_ptx_half_held(x, o));
  else if (b == 'h') o = tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_held(x, o, 'r'));
  else o = tn_ptx_do1(x, b, b == 'r' || b == 'f' ? "mov.b32" : "mov.b64", o);
  return o;
}

// ** arithmetic **

static tn_ptx_operand tn_ptx_element(const tn_ptx *x, const tiny_uop *u, int i) {
  const int at = x->elements[u->seq];
  return at < 0 ? tn_ptx_none : x->pool.of[at + (u->lanes > 1 ? i : 0)];
}

// Forms of ops: of integers, of floats; the type follows.
static const struct { uint8_t op; const char *integer, *real; } tn_ptx_forms[] = {
  {TINY_OP_NEG, "neg", "neg"}, {TINY_OP_ADD, "add", "add"}, {TINY_OP_SUB, "sub", "sub"}, {TINY_OP_MUL, "mul.lo", "mul"},
  {TINY_OP_FDIV, NULL, "div.rn"}, {TINY_OP_CDIV, "div", NULL}, {TINY_OP_CMOD, "rem", NULL},
  {TINY_OP_MAX, "max", "max"}, {TINY_OP_AND, "and", NULL}, {TINY_OP_OR, "or", NULL}, {TINY_OP_XOR, "xor", NULL},
  {TINY_OP_SHL, "shl", NULL}, {TINY_OP_SHR, "shr", NULL}, {TINY_OP_LT, "setp.lt", "setp.lt"},
  {TINY_OP_NE, "setp.ne", "setp.neu"}, {TINY_OP_EQ, "setp.eq", "setp.eq"}, {TINY_OP_WHERE, "selp", "selp"},
  {TINY_OP_SQRT, NULL, "sqrt.rn"}, {TINY_OP_TRUNC, NULL, "cvt.rzi"}, {TINY_OP_EXP2, NULL, "ex2.approx"},
  {TINY_OP_FMA, NULL, "fma.rn"}, {TINY_OP_DOT, "dp4a", NULL}
};
enum { TN_PTX_FORMS = sizeof tn_ptx_forms / sizeof *tn_ptx_forms };

static const char *tn_ptx_form(int op, int real) {
  for (int i = 0; i < TN_PTX_FORMS; i++)
    if (tn_ptx_forms[i].op == op) return real ? tn_ptx_forms[i].real : tn_ptx_forms[i].integer;
  return NULL;
}
// Bits have no sign in these.
static int tn_ptx_is_bitwise(int op) {
  return op == TINY_OP_AND || op == TINY_OP_OR || op == TINY_OP_XOR || op == TINY_OP_SHL || op == TINY_OP_WHERE;
}
static int tn_ptx_may_wrap(const tiny_uop *u) {
  const int op = u->op;
  return (op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_SHL || op == TINY_OP_NEG ||
          op == TINY_OP_CDIV);
}

// Shifts by so much: of 64 bits what is beyond 32 of them is as good as 64.
static tn_ptx_operand tn_ptx_shift(tn_ptx *x, int dtype, tn_ptx_operand by) {
  if (tn_ptx_is_number(by) || tn_ptx_bits(dtype) < 64) return by;
  return tn_ptx_do1(x, 'r', "cvt.u32.u64", tn_ptx_do2(x, 'd', "min.u64", by, tn_ptx_k(64)));
}
static int tn_ptx_is_nan(tn_ptx_operand o) {
  const uint64_t size = (uint64_t)o.n & (o.kind == 'F' ? UINT64_C(0x7FFFFFFF) : UINT64_C(0x7FFFFFFFFFFFFFFF));
  return (o.kind == 'F' && size > 0x7F800000) || (o.kind == 'G' && size > UINT64_C(0x7FF0000000000000));
}
// NaN if one of them is. Of zeros of two signs the first, where one is a number; of values max takes +0 (PTX ISA, max),
// and in which order a sum has them is nobody's.
static tn_ptx_operand tn_ptx_max(tn_ptx *x, int dtype, tn_ptx_operand a, tn_ptx_operand b) {
  const int wide = dtype == TINY_F64;
  const char kind = wide ? 'g' : 'f';
  if (tn_ptx_is_number(b) != tn_ptx_is_number(a) && !tn_ptx_is_nan(a) && !tn_ptx_is_nan(b)) {
    const char *const more = tn_ptx_is_number(b) ? (wide ? "setp.gt.f64" : "setp.gt.f32") :
                                                   (wide ? "setp.gtu.f64" : "setp.gtu.f32");
    const tn_ptx_operand is = tn_ptx_do2(x, 'p', more, b, a);
    return tn_ptx_do(x, kind, wide ? "selp.f64" : "selp.f32", b, a, is);
  }
  if (!wide && x->sm >= 80) return tn_ptx_do2(x, 'f', "max.NaN.f32", a, b);
  const tn_ptx_operand most = tn_ptx_do2(x, kind, wide ? "max.f64" : "max.f32", a, b),
                       is = tn_ptx_do2(x, 'p', wide ? "setp.num.f64" : "setp.num.f32", a, b), nan = {wide ? 'G' : 'F',
                       wide ? (int64_t)0x7FF8 << 48 : 0x7FC00000};
  return tn_ptx_do(x, kind, wide ? "selp.f64" : "selp.f32", most, nan, is);
}
static tn_ptx_operand tn_ptx_logic(tn_ptx *x, const tiny_uop *u, tn_ptx_operand a, tn_ptx_operand b) {
  if (tn_ptx_is_number(b) && u->op == TINY_OP_XOR && b.n) return tn_ptx_do1(x, 'p', "not.pred", a);
  a = tn_ptx_held(x, a, 'p'); b = tn_ptx_held(x, b, 'p');
  return tn_ptx_do2(x, 'p', u->op == TINY_OP_AND ? "and.pred" : u->op == TINY_OP_OR ? "or.pred" : "xor.pred", a, b);
}
// 0 <= x < n asked at once: x, as numbers have no sign.
static const tiny_uop *tn_ptx_is_below(const tiny_uop *u, const tiny_uop **n) {
  for (int i = 0; i < 2 && u->op == TINY_OP_AND; i++) {
    const tiny_uop *least = u->src[i], *most = u->src[!i];
    if (least->op != TINY_OP_LT || most->op != TINY_OP_LT || least->src[1] != most->src[0]) continue;
    const tiny_uop *x = most->src[0], *k = least->src[0];
    if (x->dtype != TINY_I32 || k->op != TINY_OP_CONST || k->k != -1 || most->src[1]->vmin < 0) continue;
    *n = most->src[1];
    return x;
  }
  return NULL;
}
static tn_ptx_operand tn_ptx_choice(tn_ptx *x, int dtype, tn_ptx_operand c, tn_ptx_operand a, tn_ptx_operand b) {
  char tn_ptx_names[16];
  const char kind = tn_ptx_class(dtype);
  if (tn_ptx_is_number(c)) return c.n ? a : b;
  if (kind == 'p') {
    const tn_ptx_operand yes = tn_ptx_do2(x, 'p', "and.pred", c, tn_ptx_held(x, a, 'p')),
        no = tn_ptx_do2(x, 'p', "and.pred", tn_ptx_do1(x, 'p', "not.pred", c), tn_ptx_held(x, b, 'p'));
    return tn_ptx_do2(x, 'p', "or.pred", yes, no);
  }
  return tn_ptx_do(x, kind, TN_PTX_NAME("selp", tn_ptx_bare(kind)), a, b, c);
}

static int tn_ptx_is_one(const tiny_uop *u) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  return u->op == TINY_OP_CONST && u->k == (int64_t)0x3FF << 52;
}

// One element of what an ALU op gives. o: of its sources.
static tn_ptx_operand tn_ptx_alu(tn_ptx *x, const tiny_uop *u, const tn_ptx_operand *o) {
  char tn_ptx_names[32];
  const int from = u->nsrc ? u->src[u->op == TINY_OP_WHERE]->dtype : u->dtype, real = tn_ptx_is_float(from), op = u->op;
  const char *form = tn_ptx_form(op, real), *type = tn_ptx_type(from);
  const char kind = tn_ptx_class(u->dtype);
  if (!form || !o[0].kind || (tn_ptx_class(from) == 'h' && op != TINY_OP_WHERE)) {
    tn_ptx_fail(x, tiny_op_name(op));
    return o[0];
  }
  if (op == TINY_OP_WHERE) return tn_ptx_choice(x, u->dtype, o[0], o[1], o[2]);
  const tiny_uop *most = NULL, *below = u->lanes == 1 ? tn_ptx_is_below(u, &most) : NULL;
  if (below) return tn_ptx_do2(x, 'p', "setp.lt.u32", tn_ptx_element(x, below, 0), tn_ptx_element(x, most, 0));
  if (from == TINY_BOOL) return tn_ptx_logic(x, u, o[0], o[1]);
  if (op == TINY_OP_MAX && real) return tn_ptx_max(x, from, o[0], o[1]);
  if (op == TINY_OP_FDIV && tn_ptx_is_one(u->src[0])) return tn_ptx_do1(x, kind, TN_PTX_NAME("rcp.rn", type), o[1]);
  if (op == TINY_OP_DOT) return tn_ptx_do(x, 'r', "dp4a.u32.s32", o[0], o[1], o[2]);
  if (op == TINY_OP_TRUNC) {
    if (!real) return o[0];
    return tn_ptx_do1(x, kind, from == TINY_F64 ? "cvt.rzi.f64.f64" : "cvt.rzi.f32.f32", o[0]);
  }
  if (op == TINY_OP_NEG && !real) type = tn_ptx_bits(from) == 64 ? "s64" : "s32";
  if (tn_ptx_is_bitwise(op)) type = tn_ptx_bits(from) == 64 ? "b64" : "b32";
  tn_ptx_operand b = u->nsrc > 1 ? o[1] : tn_ptx_none;
  if (op == TINY_OP_SHL || op == TINY_OP_SHR) b = tn_ptx_shift(x, from, b);
  const tn_ptx_operand a = (op == TINY_OP_SHL || op == TINY_OP_SHR) ? tn_ptx_held(x, o[0], tn_ptx_class(from)) : o[0],
                       y = tn_ptx_do(x, kind, TN_PTX_NAME(form, type), a, b, u->nsrc > 2 ? o[2] : tn_ptx_none);
  return kind == 'r' && tn_ptx_may_wrap(u) ? tn_ptx_wrapped(x, u->dtype, y) : y;
}

// ** vectors: elements and words **

static int tn_ptx_nwords(const tiny_uop *u) { return u->lanes * tn_ptx_bits(u->dtype) / 32; }
// Are there words of it, apart from its elements?
static int tn_ptx_packs(const tiny_uop *u) {
  const int bits = tn_ptx_bits(u->dtype);
  return u->lanes > 1 && bits && bits < 32 && u->dtype != TINY_BOOL && u->lanes * bits % 32 == 0;
}
static void tn_ptx_put(tn_ptx *x, int at, tn_ptx_operand o) { if (!x->failed) x->pool.of[at] = o; }

// Element i of words.
static tn_ptx_operand tn_ptx_unpack(tn_ptx *x, int dtype, tn_ptx_operand word, int i) {
  const int bits = tn_ptx_bits(dtype), at = i * bits % 32;
  const int is_signed = tn_ptx_is_signed(dtype);
  if (bits == 16 && at) return tn_ptx_do2(x, 'r', is_signed ? "shr.s32" : "shr.u32", word, tn_ptx_k(16));
  if (bits == 16) return tn_ptx_wrapped(x, dtype, word);
  return tn_ptx_do(x, 'r', is_signed ? "bfe.s32" : "bfe.u32", word, tn_ptx_k(at), tn_ptx_k(bits));
}
static void tn_ptx_unpack_all(tn_ptx *x, const tiny_uop *u) {
  const int first = tn_ptx_take(x, u->lanes), words = x->words[u->seq];
  x->elements[u->seq] = first;
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    const tn_ptx_operand word = x->pool.of[words + i * tn_ptx_bits(u->dtype) / 32];
    if (tn_ptx_class(u->dtype) != 'h') { tn_ptx_put(x, first + i, tn_ptx_unpack(x, u->dtype, word, i)); continue; }
    if (i & 1) continue;
    const tn_ptx_operand half[2] = {tn_ptx_register(x, 'h'), tn_ptx_register(x, 'h')};
    tn_ptx_split(x, "mov.b32", half, word);
    tn_ptx_put(x, first + i, half[0]);
    tn_ptx_put(x, first + i + 1, half[1]);
  }
}

// One word of 32 / bits elements.
static tn_ptx_operand tn_ptx_pack(tn_ptx *x, int dtype, const tn_ptx_operand *o) {
  tn_ptx_operand a[4];
  const int n = 32 / tn_ptx_bits(dtype);
  for (int i = 0; i < n; i++) a[i] = tn_ptx_held(x, o[i], tn_ptx_class(dtype));
  if (tn_ptx_class(dtype) == 'h') return tn_ptx_join(x, 'r', "mov.b32", a);
  if (n == 2) return tn_ptx_do(x, 'r', "prmt.b32", a[0], a[1], tn_ptx_k(0x5410));
  const tn_ptx_operand low = tn_ptx_do(x, 'r', "prmt.b32", a[0], a[1], tn_ptx_k(0x3340)),
                       high = tn_ptx_do(x, 'r', "prmt.b32", a[2], a[3], tn_ptx_k(0x3340));
  return tn_ptx_do(x, 'r', "prmt.b32", low, high, tn_ptx_k(0x5410));
}
static void tn_ptx_pack_all(tn_ptx *x, const tiny_uop *u) {
  const int n = tn_ptx_nwords(u), each = u->lanes / n, first = tn_ptx_take(x, n);
  x->words[u->seq] = first;
  for (int i = 0; i < n && !x->failed; i++) {
    tn_ptx_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_ptx_element(x, u, i * each + j);
    tn_ptx_put(x, first + i, tn_ptx_pack(x, u->dtype, o));
  }
}
// The other form as well, where a user wants it.
static void tn_ptx_complete(tn_ptx *x, const tiny_uop *u) {
  if (x->failed || !tn_ptx_packs(u)) return;
  const int wants = x->wants[u->seq];
  if (x->words[u->seq] < 0 && (wants & TN_PTX_WORDS)) tn_ptx_pack_all(x, u);
  if (x->elements[u->seq] < 0 && (wants & TN_PTX_ELEMENTS)) tn_ptx_unpack_all(x, u);
}

// Word i of a vector's bits; of one element, too.
static tn_ptx_operand tn_ptx_word(tn_ptx *x, const tiny_uop *u, int i) {
  if (tn_ptx_packs(u)) return x->words[u->seq] < 0 ? tn_ptx_none : x->pool.of[x->words[u->seq] + i];
  const char kind = tn_ptx_class(u->dtype);
  if (kind == 'r' || kind == 'f') {
    const tn_ptx_operand o = tn_ptx_element(x, u, i);
    return kind == 'f' ? tn_ptx_do1(x, 'r', "mov.b32", o) : tn_ptx_held(x, o, 'r');
  }
  const tn_ptx_operand half[2] = {tn_ptx_register(x, 'r'), tn_ptx_register(x, 'r')};
  tn_ptx_split(x, "mov.b64", half, tn_ptx_held(x, tn_ptx_element(x, u, i / 2), kind));
  return half[i & 1];
}
static tn_ptx_operand tn_ptx_of_words(tn_ptx *x, int dtype, tn_ptx_operand low, tn_ptx_operand high) {
  const char kind = tn_ptx_class(dtype);
  if (kind == 'r') return low;
  if (kind == 'f') return tn_ptx_do1(x, 'f', "mov.b32", low);
  const tn_ptx_operand both[2] = {low, high};
  return tn_ptx_join(x, kind, "mov.b64", both);
}
#endif
// ---- end src/nv/../render/ptx_values.c ----
// ---- begin src/nv/../render/ptx_pairs.c ----
// ptx_pairs: two elements by one instruction.
//
// In:  a sum, a difference, a product of vectors of an even number of lanes. Out: its lines.
// Holds: f16 and bf16 are pairs in the words of memory, and f32 are joined and split again, which is no instruction:
//        ptxas gives both halves registers side by side, and an element that stands twice one of them. What is narrow
//        is rounded once, by .rn, so that nothing is contracted: the bits are those of f32 rounded after each op.
// What is what: PTX ISA, "Half Precision Floating Point Instructions"; add, sub, mul and fma of .f32x2 (sm_100 on).
#ifndef TN_RENDER_PTX_PAIRS
#define TN_RENDER_PTX_PAIRS
#ifndef TINY_AMALGAMATED
#include "ptx_values.c"
#endif

// narrow: of f16 and bf16; wide: of f32
static const struct { uint8_t op; const char *narrow, *wide; } tn_ptx_pairs[] = {
  {TINY_OP_ADD, "add.rn", "add"}, {TINY_OP_SUB, "sub.rn", "sub"}, {TINY_OP_MUL, "mul.rn", "mul"},
  {TINY_OP_NEG, "neg", NULL}, {TINY_OP_MAX, "max.NaN", NULL}, {TINY_OP_FMA, NULL, "fma.rn"}};

static const char *tn_ptx_pair_form(int op, int narrow) {
  for (size_t i = 0; i < sizeof tn_ptx_pairs / sizeof *tn_ptx_pairs; i++)
    if (tn_ptx_pairs[i].op == op) return narrow ? tn_ptx_pairs[i].narrow : tn_ptx_pairs[i].wide;
  return NULL;
}
// The dtypes of tiny_renderer.narrow: max.NaN of f16 and sums of bf16 (PTX ISA).
static uint64_t tn_ptx_narrow_dtypes(int sm) {
  return (uint64_t)(sm >= 80) << TINY_F16 | (uint64_t)(sm >= 90) << TINY_BF16;
}
// Of elements by themselves, too.
static int tn_ptx_is_narrow(const tiny_uop *u) {
  return tn_ptx_class(u->dtype) == 'h' && tn_ptx_pair_form(u->op, 1) != NULL;
}

static void tn_ptx_narrow_all(tn_ptx *x, const tiny_uop *u) {
  char op[32];
  const int packs = tn_ptx_packs(u), n = packs ? tn_ptx_nwords(u) : u->lanes, first = tn_ptx_take(x, n);
  const char kind = packs ? 'r' : 'h';
  snprintf(op, sizeof op, "%s.%s%s", tn_ptx_pair_form(u->op, 1), tn_ptx_type(u->dtype), packs ? "x2" : "");
  for (int i = 0; i < n && !x->failed; i++) {
    tn_ptx_operand o[2] = {{0, 0}, {0, 0}};
    for (uint32_t j = 0; j < u->nsrc && j < 2; j++)
      o[j] = tn_ptx_held(x, packs ? tn_ptx_word(x, u->src[j], i) : tn_ptx_element(x, u->src[j], i), kind);
    tn_ptx_put(x, first + i, u->nsrc == 1 ? tn_ptx_do1(x, kind, op, o[0]) : tn_ptx_do2(x, kind, op, o[0], o[1]));
  }
  *(packs ? &x->words[u->seq] : &x->elements[u->seq]) = first;
}

static int tn_ptx_is_paired(const tn_ptx *x, const tiny_uop *u) {
  return x->sm >= 100 && u->dtype == TINY_F32 && u->lanes > 1 && u->lanes % 2 == 0 &&
      tn_ptx_pair_form(u->op, 0) != NULL;
}
static void tn_ptx_paired_all(tn_ptx *x, const tiny_uop *u) {
  char op[32];
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  snprintf(op, sizeof op, "%s.f32x2", tn_ptx_pair_form(u->op, 0));
  for (int i = 0; i < u->lanes && !x->failed; i += 2) {
    tn_ptx_operand o[3] = {{0, 0}, {0, 0}, {0, 0}}, half[2];
    for (uint32_t j = 0; j < u->nsrc && j < 3; j++) {
      for (int k = 0; k < 2; k++) half[k] = tn_ptx_held(x, tn_ptx_element(x, u->src[j], i + k), 'f');
      o[j] = tn_ptx_join(x, 'd', "mov.b64", half);
    }
    for (int k = 0; k < 2; k++) half[k] = tn_ptx_register(x, 'f');
    tn_ptx_split(x, "mov.b64", half, tn_ptx_do(x, 'd', op, o[0], o[1], o[2]));
    for (int k = 0; k < 2; k++) tn_ptx_put(x, first + i + k, half[k]);
  }
}
#endif
// ---- end src/nv/../render/ptx_pairs.c ----
// ---- begin src/nv/../render/ptx_memory.c ----
// ptx_memory: what PTX reads and writes: addresses, loads, stores and copies; and what is to be known before.
//
// In:  a list, and of values what ptx_values.c holds. Out: lines of text.
// Holds:
//  - An address is what lies outside of loops, then what a loop goes on with by an addition at its end, then a
//    constant, which costs nothing. Lines for it stand in the outermost loop in which their sources are.
//  - Memory that a kernel reads alone is read past coherence (.nc): PARAMs of a kernel do not overlap where one is
//    written. One memory is one PARAM, also where several states of it are read (schedule/plan.c: rows by tn_place);
//    outputs are fresh, temporaries that live in one step lie apart (schedule/order.c), a captured program's input
//    that it writes is copied (runtime/replay.c); and what callers bring overlaps nothing that is written
//    (tiny_blob_of). The tests' machine for PTX looks at each byte.
//  - What may not be there is read and written under a predicate, without a branch.
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX_MEMORY
#define TN_RENDER_PTX_MEMORY
#ifndef TINY_AMALGAMATED
#include "ptx_pairs.c"
#endif

enum { TN_PTX_TERMS = 8, TN_PTX_OFFSET = 1 << 23 };           // bytes that an instruction adds
enum { TN_PTX_TAKEN = 2 };                 // of a LOAD of REG memory: it stays until it is stored again, in its block
enum { TN_PTX_LINE = 64 };                 // LOCAL memory that a launch brings is given out in so many bytes

typedef struct tn_ptx_term { const tiny_uop *u; int64_t k; } tn_ptx_term;
// The element of an INDEX: offset and k times u, each.
typedef struct tn_ptx_sum { int64_t offset; int n; tn_ptx_term term[TN_PTX_TERMS]; } tn_ptx_sum;
// An address that is there: `from` and k times u; u NULL: and k. level, serial: of the loop it was written to.
typedef struct tn_ptx_step {
  tn_ptx_operand from, to; const tiny_uop *u; int64_t k; int level, serial;
} tn_ptx_step;

// ** before a line is written: where nodes stand, what addresses are made of, what is wanted **

// Does a loop go on with it by an addition?
static int tn_ptx_advances(const tiny_uop *u) { return u->op == TINY_OP_RANGE; }

// Terms from `first` on that lie in one place are one: u, if they hold all of it.
static void tn_ptx_gather(const tn_ptx *x, const tiny_uop *u, int64_t k, int64_t offset, int first, tn_ptx_sum *s) {
  if (s->offset != offset || s->n - first < 2) return;
  for (int i = first; i < s->n; i++)
    if (tn_ptx_advances(s->term[i].u) || x->inside[s->term[i].u->seq] != x->inside[u->seq]) return;
  s->n = first + 1;
  s->term[first].u = u; s->term[first].k = k;
}
static void tn_ptx_flatten(const tn_ptx *x, const tiny_uop *u, int64_t k, int depth, tn_ptx_sum *s) {
  const int64_t offset = s->offset;
  const int first = s->n, op = u->op, number = u->nsrc == 2 && u->src[1]->op == TINY_OP_CONST;
  const int widens = op == TINY_OP_CAST && (u->dtype == TINY_I64 || u->dtype == TINY_I32) &&
      (u->src[0]->dtype == TINY_I32 || (u->src[0]->dtype == TINY_I64 && tn_ptx_holds(TINY_I32, u->src[0])));
  if (op == TINY_OP_CONST) { s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, u->k)); return; }
  if (s->n > TN_PTX_TERMS) return;
  const int deep = depth == 2 * TN_PTX_TERMS;
  if (!deep && widens) tn_ptx_flatten(x, u->src[0], k, depth + 1, s);
  else if (!deep && (op == TINY_OP_ADD || op == TINY_OP_SUB) && tn_is_sum_exact(u)) {
    tn_ptx_flatten(x, u->src[0], k, depth + 1, s);
    tn_ptx_flatten(x, u->src[1], op == TINY_OP_ADD ? k : tn_wrapped_product(k, -1), depth + 1, s);
  } else if (!deep && (op == TINY_OP_MUL || op == TINY_OP_SHL) && number && tn_is_sum_exact(u))
    tn_ptx_flatten(x, u->src[0], tn_wrapped_product(k, tn_factor_of(u)), depth + 1, s);
  else if (first < TN_PTX_TERMS) { s->term[s->n].u = u; s->term[s->n++].k = k; }
  else s->n = TN_PTX_TERMS + 1;
  if (s->n <= TN_PTX_TERMS) tn_ptx_gather(x, u, k, offset, first, s);
  else if (first < TN_PTX_TERMS) {         // more than are known: u as it is
    s->n = first + 1; s->offset = offset;
    s->term[first].u = u; s->term[first].k = k;
  }
}
// Outermost first; a loop's own number before what else is computed in it.
static void tn_ptx_sum_of(const tn_ptx *x, const tiny_uop *u, tn_ptx_sum *s) {
  s->n = 0; s->offset = 0;
  tn_ptx_flatten(x, u, 1, 0, s);
  for (int i = 1; i < s->n; i++)
    for (int j = i; j > 0; j--) {
      const tn_ptx_term a = s->term[j - 1], b = s->term[j];
      const int from = 2 * x->inside[a.u->seq] + !tn_ptx_advances(a.u),
                to = 2 * x->inside[b.u->seq] + !tn_ptx_advances(b.u);
      if (from <= to) break;
      s->term[j - 1] = b; s->term[j] = a;
    }
}
static tn_ptx_sum *tn_ptx_sum_at(const tn_ptx *x, const tiny_uop *index) { return &x->sum[x->elements[index->seq]]; }

// A vector of n bytes there is read or written by so many at once: as its place is aligned, 16 at most.
static int tn_ptx_chunk(const tn_ptx *x, const tiny_uop *index, int nbytes) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype), each = size * (m->op == TINY_OP_DEFINE ? m->lanes : 1);
  int n = 16;
  while (n > size && (nbytes % n || (((int64_t)each << x->zeros[index->src[1]->seq]) % n && each % n))) n /= 2;
  return n < size ? size : n;
}
static int tn_ptx_nbytes(const tiny_uop *u) { return u->lanes * (int)tiny_dtype_nbytes((tiny_dtype)u->dtype); }
// Does a STORE to LOCAL memory copy, without a register between?
static int tn_ptx_copies(const tn_ptx *x, const tiny_uop *store) {
  if (x->sm < 80 || !tn_copies_later(store)) return 0;
  const tiny_uop *load = tn_copied(store);
  const int n = tn_ptx_nbytes(load);
  return tn_ptx_chunk(x, store->src[0], n) >= n && tn_ptx_chunk(x, load->src[0], n) >= n;
}

// What a STORE stores, in whichever register its bits are.
static const tiny_uop *tn_ptx_value_of(const tiny_uop *store) {
  const tiny_uop *value = store->src[1], *bits = value->op == TINY_OP_BITCAST ? value->src[0] : value;
  const int same = value->lanes == 1 && bits->lanes == 1 && bits->dtype != TINY_BOOL &&
      tn_ptx_bits(bits->dtype) == tn_ptx_bits(value->dtype);
  return same && store->k != TN_ADDS && !tn_is_reg(store->src[0]->src[0]) ? bits : value;
}
static void tn_ptx_need(tn_ptx *x, const tiny_uop *u) { x->needed[u->seq] = 1; }
// One that wants u does so under a condition; NULL: always.
static void tn_ptx_want_under(tn_ptx *x, const tiny_uop *u, const tiny_uop *condition) {
  const tiny_uop *before = x->under[u->seq];
  const int known = condition && condition->lanes == 1 && condition->seq < u->seq && u->lanes == 1;
  x->under[u->seq] = known && (!before || before == condition) ? condition : u;
}
// The condition under which u wants its source j.
static const tiny_uop *tn_ptx_condition(const tn_ptx *x, const tiny_uop *u, uint32_t j) {
  if (u->op == TINY_OP_STORE) return j == 1 && u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
  const int computes = u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST ||
      tn_ptx_form(u->op, tn_ptx_is_float(u->dtype)) != NULL;
  return computes && x->under[u->seq] != u ? x->under[u->seq] : NULL;
}
// For addresses and conditions: whenever.
static void tn_ptx_need_index(tn_ptx *x, const tiny_uop *index) {
  const tn_ptx_sum *s = tn_ptx_sum_at(x, index);
  for (int i = 0; i < s->n; i++) {
    tn_ptx_need(x, s->term[i].u);
    tn_ptx_want_under(x, s->term[i].u, NULL);
    x->last[s->term[i].u->seq] = x->k->n;
  }
  tn_ptx_need(x, index->src[0]);
  if (index->nsrc < 3) return;
  tn_ptx_need(x, index->src[2]);
  tn_ptx_want_under(x, index->src[2], NULL);
  x->last[index->src[2]->seq] = x->k->n;
}
// Whether u wants words of its source j, or elements.
static uint8_t tn_ptx_wanted(const tn_ptx *x, const tiny_uop *u, uint32_t j) {
  const tiny_uop *s = u->src[j];
  const uint8_t elements = TN_PTX_ELEMENTS, words = TN_PTX_WORDS, as_u = x->wants[u->seq];
  switch (u->op) {
    case TINY_OP_AFTER: return as_u;
    case TINY_OP_BITCAST: return tn_ptx_packs(u) ? as_u : u->lanes == s->lanes ? elements : words;
    case TINY_OP_LOAD: return tn_ptx_chunk(x, u->src[0], tn_ptx_nbytes(u)) >= 4 ? words : elements;
    case TINY_OP_CAST: return s->dtype == TINY_BF16 || tn_ptx_is_fp8(s->dtype) ? words : elements;
    case TINY_OP_PICK:
      return u->lanes > 1 && u->k * tn_ptx_bits(s->dtype) % 32 == 0 && tn_ptx_packs(u) ? as_u : elements;
    case TINY_OP_STORE:
      return tn_is_reg(u->src[0]->src[0]) || tn_ptx_chunk(x, u->src[0], tn_ptx_nbytes(s)) < 4 ? elements : words;
    default: return tn_ptx_is_narrow(u) && tn_ptx_packs(u) ? words : elements;
  }
}

// Is u what its source is, in no register of its own?
static int tn_ptx_is_alias(const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_AFTER: case TINY_OP_PICK: case TINY_OP_STACK: case TINY_OP_BROADCAST: case TINY_OP_CAST:
    case TINY_OP_BITCAST: case TINY_OP_WHERE: case TINY_OP_TRUNC: return 1;
    default: return 0;
  }
}
// The last place where u's registers are read; x->k->n: they are wanted in another loop, or for an address.
static void tn_ptx_read_by(tn_ptx *x, const tiny_uop *u, const tiny_uop *by) {
  int last = (int)by->seq;
  if (x->block[by->seq] != x->block[u->seq]) last = x->k->n;
  else if (tn_ptx_is_alias(by) && x->last[by->seq] > last) last = x->last[by->seq];
  if (last > x->last[u->seq]) x->last[u->seq] = last;
}

static void tn_ptx_place(tn_ptx *x) {
  const tiny_uop *open[TN_PTX_DEPTH] = {NULL};
  int depth = 0, sums = 0;
  for (int i = 0; i < x->k->n && depth < TN_PTX_DEPTH - 1; i++) {
    tiny_uop *u = x->k->list[i];
    u->seq = (uint32_t)i;
    x->elements[i] = x->words[i] = -1;
    x->zeros[i] = (uint8_t)tn_low_zeros(u, x->zeros);
    if (u->op == TINY_OP_INDEX) x->elements[i] = sums++;
    if (u->op == TINY_OP_RANGE) open[++depth] = u;
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) depth--;
    x->inside[i] = (uint8_t)depth;
    x->block[i] = open[depth];
    if (u->op == TINY_OP_IF) open[++depth] = u;
  }
  if (depth) x->failed = tiny_fail(x->t, TINY_E_INTERNAL, "render: loops nest too deep for PTX") != TINY_OK;
}
static void tn_ptx_survey(tn_ptx *x) {
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op, copies = op == TINY_OP_STORE && tn_ptx_copies(x, u);
    if (x->idle[i]) continue;
    if (op == TINY_OP_STORE || op == TINY_OP_PREFETCH || op == TINY_OP_RANGE || op == TINY_OP_IF ||
        op == TINY_OP_BULK || op == TINY_OP_BULKSTORE)
      tn_ptx_need(x, u);
    if (op == TINY_OP_BARRIER && u->k & TN_BOXES) {
      tn_ptx_need(x, u->src[0]);
      tn_ptx_read_by(x, u->src[0], u);
    }
    if (op == TINY_OP_STORE && tn_memory_behind(u->src[0]->src[0])->op == TINY_OP_PARAM)
      x->constant[tn_memory_behind(u->src[0]->src[0])->seq] = 0;
    if (op == TINY_OP_BULKSTORE) x->constant[tn_memory_behind(u->src[1])->seq] = 0;
    if (!x->needed[i] || op == TINY_OP_INDEX || op == TINY_OP_GROUP) continue;
    const tiny_uop *most = NULL, *below = tn_ptx_is_below(u, &most);
    if (below) { tn_ptx_read_by(x, below, u); tn_ptx_read_by(x, most, u); }
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = op == TINY_OP_STORE && j == 1 ? tn_ptx_value_of(u) : u->src[j];
      if (copies && j) { tn_ptx_need_index(x, tn_copied(u)->src[0]); continue; }
      if (s->op == TINY_OP_INDEX) { tn_ptx_need_index(x, s); continue; }
      tn_ptx_need(x, s);
      tn_ptx_want_under(x, s, tn_ptx_condition(x, u, j));
      if (s->lanes > 1) x->wants[s->seq] |= tn_ptx_wanted(x, u, j);
      tn_ptx_read_by(x, s, u);
    }
  }
}
// Memory in registers is memory where its elements are not known; a value in it is read where it lies if nothing is
// stored before it is read for the last time.
static void tn_ptx_survey_registers(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_INDEX && tn_is_reg(u->src[0]) && u->src[1]->op != TINY_OP_CONST)
      x->constant[tn_memory_behind(u->src[0])->seq] = 0;
  }
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if ((u->op != TINY_OP_STORE && u->op != TINY_OP_LOAD) || !tn_is_reg(u->src[0]->src[0])) continue;
    int *stored = &x->words[tn_memory_behind(u->src[0]->src[0])->seq];         // the next place; -1: none
    if (u->op == TINY_OP_STORE) *stored = i;
    else if (x->last[i] >= (*stored < 0 ? x->k->n : *stored)) x->constant[i] = 0;
    else if (*stored >= 0 && x->block[*stored] == x->block[i]) x->constant[i] = TN_PTX_TAKEN;
  }
}

// ** addresses **

static tn_ptx_step *tn_ptx_step_at(tn_ptx *x, tn_ptx_operand from, const tiny_uop *u, int64_t k) {
  const uint64_t key = ((uint64_t)from.n << 8 ^ (uint64_t)from.kind) * 0x9E3779B97F4A7C15u ^
      (uint64_t)k * 0xC2B2AE3D27D4EB4Fu ^ (u ? (uint64_t)u->seq + 1 : 0) * 0x165667B19E3779F9u;
  for (uint32_t i = (uint32_t)(key >> 32 ^ key);; i++) {
    tn_ptx_step *s = &x->step[i & (uint32_t)(x->nstep - 1)];
    if (!s->from.kind) { s->from = from; s->u = u; s->k = k; s->serial = -1; }
    if (s->from.kind == from.kind && s->from.n == from.n && s->u == u && s->k == k) return s;
  }
}
static int tn_ptx_is_there(const tn_ptx *x, const tn_ptx_step *s) {
  return s->serial >= 0 && s->level <= x->depth && x->level[s->level].serial == s->serial;
}

// from and k times u, where lines go now.
static tn_ptx_operand tn_ptx_plus(tn_ptx *x, tn_ptx_operand from, const tiny_uop *u, tn_ptx_operand o, int64_t k) {
  const int wide = from.kind == 'd', fits = k >= INT32_MIN && k <= INT32_MAX, is_signed = tn_ptx_is_signed(u->dtype);
  if (tn_ptx_is_number(o))
    return o.n && k ? tn_ptx_do2(x, from.kind, wide ? "add.s64" : "add.s32", from, tn_ptx_k(o.n * k)) : from;
  if (!wide) {
    if (o.kind == 'd') o = tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
    return k == 1 ? tn_ptx_do2(x, 'r', "add.s32", from, o) : tn_ptx_do(x, 'r', "mad.lo.s32", o, tn_ptx_k(k), from);
  }
  if (o.kind == 'r' && fits && (is_signed || k >= 0))
    return tn_ptx_do2(x, 'd', "add.s64", from,     // not mad: ptxas makes one of these for each `from`, of mads two
                      tn_ptx_do2(x, 'd', is_signed ? "mul.wide.s32" : "mul.wide.u32", o, tn_ptx_k(k)));
  if (o.kind == 'r') o = tn_ptx_do1(x, 'd', is_signed ? "cvt.s64.s32" : "cvt.u64.u32", o);
  return tn_ptx_do(x, 'd', "mad.lo.s64", o, tn_ptx_k(k), from);
}
// The address that begins outside of the loop and goes on by k.
static tn_ptx_operand tn_ptx_going(tn_ptx *x, tn_ptx_operand from, const tiny_uop *range, int64_t k) {
  const int wide = from.kind == 'd', level = x->inside[range->seq];
  x->at = level - 1;
  if (range->nsrc > 1) from = tn_ptx_plus(x, from, range->src[1], tn_ptx_element(x, range->src[1], 0), k);
  const tn_ptx_operand to = tn_ptx_do1(x, from.kind, wide ? "mov.b64" : "mov.b32", from);
  tiny_bytes *tail = &x->level[level].tail;
  tn_ptx_text(tail, wide ? "\tadd.s64 " : "\tadd.s32 ");
  tn_ptx_operand_text(tail, to);
  tn_ptx_text(tail, ", ");
  tn_ptx_operand_text(tail, to);
  tn_ptx_text(tail, ", %lld;\n", (long long)k);
  return to;
}
static tn_ptx_operand tn_ptx_step_on(tn_ptx *x, tn_ptx_operand from, int *level, const tiny_uop *u, int64_t k) {
  tn_ptx_step *s = tn_ptx_step_at(x, from, u, k);
  const int at = x->at;
  if (!tn_ptx_is_there(x, s)) {
    s->level = u && x->inside[u->seq] > *level ? x->inside[u->seq] : *level;
    s->serial = x->level[s->level].serial;
    x->at = s->level;
    s->to = !u ? tn_ptx_do2(x, from.kind, from.kind == 'd' ? "add.s64" : "add.s32", from, tn_ptx_k(k)) :
        tn_ptx_advances(u) && *level < s->level ? tn_ptx_going(x, from, u, k) :
                                                  tn_ptx_plus(x, from, u, tn_ptx_element(x, u, 0), k);
    x->at = at;
  }
  *level = s->level;
  return s->to;
}

// PARAM: its register. DEFINE: a symbol, an offset, and a register once one was wanted.
static const char *tn_ptx_space(const tiny_uop *memory) {
  return memory->op == TINY_OP_PARAM ? "global" : memory->v[0] == TN_SPACE_LOCAL ? "shared" : "local";
}
static tn_ptx_operand tn_ptx_base(tn_ptx *x, const tiny_uop *memory) {
  const int first = x->elements[memory->seq], at = x->at;
  if (memory->op == TINY_OP_PARAM || first < 0) return tn_ptx_element(x, memory, 0);
  if (!x->pool.of[first + 2].kind) {
    x->at = 0;
    tn_ptx_put(x, first + 2, tn_ptx_do1(x, 'r', "mov.u32", x->pool.of[first]));
    x->at = at;
  }
  return x->pool.of[first + 2];
}
typedef struct tn_ptx_address { tn_ptx_operand base; int64_t offset; } tn_ptx_address;
static tn_ptx_address tn_ptx_address_of(tn_ptx *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const tn_ptx_sum *s = tn_ptx_sum_at(x, index);
  const int param = m->op == TINY_OP_PARAM;
  const int64_t size = (int64_t)tiny_dtype_nbytes((tiny_dtype)m->dtype) * (param ? 1 : m->lanes);
  tn_ptx_address a = {{0, 0}, s->offset * size};
  int level = 0;
  if (x->failed) return a;
  if (!param) a.offset += x->pool.of[x->elements[m->seq] + 1].n;
  a.base = s->n || param ? tn_ptx_base(x, m) : x->pool.of[x->elements[m->seq]];
  for (int i = 0; i < s->n; i++) a.base = tn_ptx_step_on(x, a.base, &level, s->term[i].u, s->term[i].k * size);
  if (a.offset < TN_PTX_OFFSET && a.offset >= -TN_PTX_OFFSET) return a;
  a.base = tn_ptx_step_on(x, a.base, &level, NULL, a.offset);
  a.offset = 0;
  return a;
}
static void tn_ptx_address_text(tn_ptx *x, const tn_ptx_address *a, int64_t more) {
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "[");
  tn_ptx_operand_text(out, a->base);
  if (a->offset + more) tn_ptx_text(out, "+%lld", (long long)(a->offset + more));
  tn_ptx_text(out, "]");
}

// ** memory **

static void tn_ptx_guard(tn_ptx *x, const tiny_uop *index) {
  const tn_ptx_operand o = index->nsrc == 3 ? tn_ptx_element(x, index->src[2], 0) : tn_ptx_none;
  x->guard = o.kind ? tn_ptx_held(x, o, 'p') : o;
  x->unless = 0;
}
static void tn_ptx_unguard(tn_ptx *x) { x->guard = tn_ptx_none; }

// Where element `at` of REG memory lies in the pool.
static int tn_ptx_reg_at(const tn_ptx *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  return x->elements[m->seq] + (int)index->src[1]->k * m->lanes;
}
static int tn_ptx_in_registers(const tn_ptx *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && x->constant[tn_memory_behind(index->src[0])->seq];
}

// How a vector is moved: by accesses of so many registers of a kind, named by a type; of them in all.
typedef struct tn_ptx_pieces { int words, each, all, nbytes; char kind; const char *type; } tn_ptx_pieces;
static tn_ptx_pieces tn_ptx_pieces_of(const tn_ptx *x, const tiny_uop *index, const tiny_uop *value) {
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)value->dtype), n = tn_ptx_nbytes(value);
  const int chunk = value->lanes > 1 ? tn_ptx_chunk(x, index, n) : size, words = tn_ptx_packs(value) && chunk >= 4;
  tn_ptx_pieces p = {words, words ? chunk / 4 : chunk / size, words ? n / 4 : value->lanes, chunk,
                     tn_ptx_class(value->dtype), tn_ptx_stored(value->dtype)};
  if (words) { p.kind = 'r'; p.type = "b32"; }
  while (p.each > 4) { p.each /= 2; p.nbytes /= 2; }         // of bytes a vector has four at most
  return p;
}
static void tn_ptx_access(tn_ptx *x, const char *op, const tn_ptx_pieces *p) {
  char name[64], vector[16] = "";
  if (p->each > 1) snprintf(vector, sizeof vector, ".v%d", p->each);
  snprintf(name, sizeof name, "%s%s.%s", op, vector, p->type);
  tn_ptx_begin(x, name);
}

// Registers for what is loaded; of what may not be there with what is to be there otherwise, if that is wanted.
static int tn_ptx_load_registers(tn_ptx *x, const tiny_uop *u, const tn_ptx_pieces *p) {
  const tiny_uop *index = u->src[0];
  const int first = tn_ptx_take(x, p->all), may_not = index->nsrc == 3;
  x->partial[u->seq] = may_not && x->under[u->seq] == index->src[2] && tn_ptx_element(x, index->src[2], 0).kind == 'p';
  const int guarded = may_not && !x->partial[u->seq];
  char tn_ptx_names[16];
  for (int i = 0; i < p->all && !x->failed; i++) {
    tn_ptx_operand zero = {p->kind == 'f' ? 'F' : p->kind == 'g' ? 'G' : 'i', 0};
    if (u->nsrc == 2) zero = p->words ? tn_ptx_word(x, u->src[1], i) : tn_ptx_element(x, u->src[1], i);
    tn_ptx_put(x, first + i, guarded ? tn_ptx_do1(x, p->kind, TN_PTX_NAME("mov", tn_ptx_bare(p->kind)), zero) :
                                       tn_ptx_register(x, p->kind));
  }
  return first;
}
static void tn_ptx_load(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *m = tn_memory_behind(index->src[0]);
  const tn_ptx_pieces p = tn_ptx_pieces_of(x, index, u);
  char op[32];
  const tn_ptx_address a = tn_ptx_address_of(x, index);
  const int first = tn_ptx_load_registers(x, u, &p);
  snprintf(op, sizeof op, "ld.%s%s", tn_ptx_space(m), m->op == TINY_OP_PARAM && x->constant[m->seq] ? ".nc" : "");
  tn_ptx_guard(x, index);
  for (int i = 0; i < p.all && !x->failed; i += p.each) {
    tn_ptx_access(x, op, &p);
    tn_ptx_group(tn_ptx_body(x), &x->pool.of[first + i], p.each);
    tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_address_text(x, &a, (int64_t)(i / p.each) * p.nbytes);
    tn_ptx_text(tn_ptx_body(x), ";\n");
  }
  tn_ptx_unguard(x);
  if (p.words) x->words[u->seq] = first; else x->elements[u->seq] = first;
}
// Rows of four 8x8 matrices (PTX ISA, ldmatrix).
static void tn_ptx_load_rows(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_address a = tn_ptx_address_of(x, u->src[0]);
  const int first = tn_ptx_take(x, 4);
  for (int i = 0; i < 4; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, 'r'));
  if (x->failed) return;
  tn_ptx_wants_version(x, 65);
  tn_ptx_begin(x, u->k == TN_TURNED ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16" :
                                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  tn_ptx_group(tn_ptx_body(x), &x->pool.of[first], 4);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_address_text(x, &a, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  if (tn_ptx_packs(u)) x->words[u->seq] = first; else x->elements[u->seq] = first;
}
static void tn_ptx_load_register(tn_ptx *x, const tiny_uop *u) {
  const int from = tn_ptx_reg_at(x, u->src[0]);
  const char kind = tn_ptx_class(u->dtype);
  char tn_ptx_names[16];
  if (x->constant[u->seq]) { x->elements[u->seq] = from; return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++)
    tn_ptx_put(x, first + i, tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), x->pool.of[from + i]));
}

static void tn_ptx_store_register(tn_ptx *x, const tiny_uop *u) {
  const int to = tn_ptx_reg_at(x, u->src[0]);
  const char kind = tn_ptx_class(u->src[1]->dtype);
  char tn_ptx_names[16];
  for (int i = 0; i < u->src[1]->lanes && !x->failed; i++) {
    const tn_ptx_operand o[2] = {x->pool.of[to + i], tn_ptx_element(x, u->src[1], i)};
    if (o[0].kind == o[1].kind && o[0].n == o[1].n) continue;                  // it was added to in place
    tn_ptx_line(x, TN_PTX_NAME("mov", tn_ptx_bare(kind)), o, 2);
  }
}
static const char *tn_ptx_adds(int dtype) { return dtype == TINY_I64 ? "u64" : tn_ptx_type(dtype); }
static void tn_ptx_store(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = tn_ptx_value_of(u), *m = tn_memory_behind(index->src[0]);
  tn_ptx_pieces p = tn_ptx_pieces_of(x, index, value);
  tn_ptx_operand o[TN_PTX_VECTOR];
  char op[32];
  const tn_ptx_address a = tn_ptx_address_of(x, index);
  for (int i = 0; i < p.all && i < TN_PTX_VECTOR; i++)
    o[i] = p.words ? tn_ptx_word(x, value, i) : tn_ptx_held(x, tn_ptx_element(x, value, i), p.kind);
  if (u->k == TN_ADDS) { snprintf(op, sizeof op, "red.%s.add", tn_ptx_space(m)); p.type = tn_ptx_adds(value->dtype); }
  else snprintf(op, sizeof op, "st.%s%s", tn_ptx_space(m), x->k->hints[u->seq] & TINY_HINT_STREAM ? ".cs" : "");
  tn_ptx_guard(x, index);
  for (int i = 0; i < p.all && !x->failed; i += p.each) {
    tn_ptx_access(x, op, &p);
    tn_ptx_address_text(x, &a, (int64_t)(i / p.each) * p.nbytes);
    tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_group(tn_ptx_body(x), o + i, p.each);
    tn_ptx_text(tn_ptx_body(x), ";\n");
  }
  tn_ptx_unguard(x);
}
// PTX ISA, cp.async: 16 bytes past L1, others through it; of `read` bytes, and zeros.
static void tn_ptx_put_off(tn_ptx *x, size_t from) {          // what was written from there on waits for products
  tiny_bytes *out = tn_ptx_body(x);
  if (!x->overlaps || out->n <= from) return;
  tiny_bytes_add(&x->copies, out->data + from, out->n - from);
  out->n = from;
}
static void tn_ptx_copy(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *load = tn_copied(u), *from = load->src[0];
  const int n = tn_ptx_nbytes(load);
  const tn_ptx_address to = tn_ptx_address_of(x, u->src[0]), at = tn_ptx_address_of(x, from);
  tn_ptx_operand read = tn_ptx_none;
  if (from->nsrc == 3)
    read = tn_ptx_choice(x, TINY_I32, tn_ptx_element(x, from->src[2], 0), tn_ptx_k(n), tn_ptx_k(0));
  tn_ptx_guard(x, u->src[0]);
  const size_t from_here = tn_ptx_body(x)->n;
  tn_ptx_begin(x, n == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global");
  tn_ptx_address_text(x, &to, 0);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_address_text(x, &at, 0);
  tn_ptx_text(tn_ptx_body(x), ", %d", n);
  if (read.kind) { tn_ptx_text(tn_ptx_body(x), ", "); tn_ptx_operand_text(tn_ptx_body(x), read); }
  tn_ptx_text(tn_ptx_body(x), ";\n");
  tn_ptx_put_off(x, from_here);
  tn_ptx_unguard(x);
}
static void tn_ptx_prefetch(tn_ptx *x, const tiny_uop *u) {
  if (tn_memory_behind(u->src[0]->src[0])->op != TINY_OP_PARAM) return;
  const tn_ptx_address a = tn_ptx_address_of(x, u->src[0]);
  tn_ptx_begin(x, "prefetch.global.L2");
  tn_ptx_address_text(x, &a, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
}

static tn_ptx_operand tn_ptx_read_special(tn_ptx *x, const char *name) {
  const tn_ptx_operand o = tn_ptx_register(x, 'r');
  tn_ptx_begin(x, "mov.u32");
  tn_ptx_operand_text(tn_ptx_body(x), o);
  tn_ptx_text(tn_ptx_body(x), ", %%%s;\n", name);
  return o;
}
// Is it where BULKs copy to, or BULKSTOREs from?
static int tn_ptx_holds_boxes(const tn_ptx *x, const tiny_uop *memory) {
  for (int i = 0; i < x->nbulk; i++) if (tn_memory_behind(x->bulk[i]->src[0]->src[0]) == memory) return 1;
  for (int i = 0; i < x->k->n && x->box_stores; i++)
    if (x->k->list[i]->op == TINY_OP_BULKSTORE && tn_memory_behind(x->k->list[i]->src[0]->src[0]) == memory) return 1;
  return 0;
}
static void tn_ptx_define(tn_ptx *x, const tiny_uop *u) {
  const int reg = u->v[0] == TN_SPACE_REG, held = reg && x->constant[u->seq], given = !reg && x->k->local_nbytes;
  const int n = held ? (int)u->v[1] * u->lanes : 3, first = tn_ptx_take(x, n), boxes = tn_ptx_holds_boxes(x, u);
  int64_t *at = boxes ? &x->box_at : &x->local_at;
  const int64_t nbytes = u->v[1] * tn_ptx_nbytes(u);
  const tn_ptx_operand symbol = {given ? 'S' : 's', x->memories};
  x->elements[u->seq] = first;
  x->words[u->seq] = -1;
  for (int i = 0; held && i < n; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, tn_ptx_class(u->dtype)));
  if (held) return;
  tn_ptx_put(x, first, symbol);
  tn_ptx_put(x, first + 1, tn_ptx_k(given ? *at : 0));
  tn_ptx_put(x, first + 2, tn_ptx_none);
  if (given) *at += (nbytes + TN_PTX_LINE - 1) / TN_PTX_LINE * TN_PTX_LINE;
  else
    tn_ptx_text(&x->declares, "\t.%s .align %d .b8 m%d[%lld];\n", reg ? "local" : "shared",
                boxes ? (int)TN_BOX_ALIGN : 16, x->memories++, (long long)nbytes);
}
#endif
// ---- end src/nv/../render/ptx_memory.c ----
// ---- begin src/nv/../render/ptx_wgmma.c ----
// ptx_wgmma: products of all columns of a warp at once, of which four warps of sm_90a make one (PTX ISA, wgmma).
//
// In:  WMMAs whose b is a LOAD of matrices by steps. Out: their lines, which wait in a batch; a batch is written when
//      something else wants what it gives, or shared memory changes.
// Holds:
//  - a and the sum are in registers, as those of mma.sync; b is read from shared memory by a descriptor: where it
//    begins, and the steps between matrices (PTX ISA, "Matrix Descriptor", no swizzle: leading along k, stride across
//    columns).
//  - The sum is added to in its own registers. Those of an accumulator are taken where nobody reads it before it is
//    stored again.
//  - What items wrote to shared memory is fenced before they meet, as the unit reads it by another way (PTX ISA,
//    fence.proxy.async).
#ifndef TN_RENDER_PTX_WGMMA
#define TN_RENDER_PTX_WGMMA
#ifndef TINY_AMALGAMATED
#include "ptx_memory.c"
#endif

// ** the batch **

// Of warps beside which others copy: the slot before is empty, if there was one. now: the one whose products are under
// way, -1: there is none.
static void tn_ptx_release(tn_ptx *x, tn_ptx_operand now) {
  const tn_ptx_operand on = tn_ptx_do(x, 'p', "setp.ge.and.s32", x->before, tn_ptx_k(0), x->tells),
                       at = tn_ptx_do(x, 'r', "mad.lo.s32", x->before, tn_ptx_k(8), x->empties),
                       next[2] = {x->before, now};
  x->guard = on;
  tn_ptx_begin(x, x->cluster > 1 ? "mbarrier.arrive.release.cluster.shared::cluster.b64" :
                                   "mbarrier.arrive.shared::cta.b64");
  x->guard = tn_ptx_none;
  tn_ptx_text(tn_ptx_body(x), "_, [");
  tn_ptx_operand_text(tn_ptx_body(x), at);
  tn_ptx_text(tn_ptx_body(x), "];\n");
  tn_ptx_line(x, "mov.b32", next, 2);
}
// The products of the batch, which are done behind it (PTX ISA, wgmma.fence, .commit_group, .wait_group).
static const char tn_ptx_meet_cluster[] = "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n";
static void tn_ptx_flush(tn_ptx *x) {
  if (!x->batch.n) return;
  tn_ptx_text(tn_ptx_body(x), "\twgmma.fence.sync.aligned;\n");
  tiny_bytes_add(tn_ptx_body(x), x->batch.data, x->batch.n);
  tn_ptx_text(tn_ptx_body(x), "\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned %d;\n",
              x->overlaps != NULL);
  x->batch.n = 0;
  if (!x->overlaps) return;                // the products before are done, of all warps: their memory is filled again
  if (x->role) {
    if (!x->told) tn_ptx_release(x, x->slot);
    x->told = 1;
    return;
  }
  if (x->cluster > 1) tn_ptx_text(tn_ptx_body(x), "%s", tn_ptx_meet_cluster);
  else tn_ptx_meet(x, tn_ptx_body(x));
  if (x->copies.n) tiny_bytes_add(tn_ptx_body(x), x->copies.data, x->copies.n);
  x->copies.n = 0;
}

// ** products **

static int tn_load_has(const tiny_uop *load, int flag) { return (load->k & flag) != 0; }
static int tn_ptx_loads_matrices(const tiny_uop *u) {
  return u->op == TINY_OP_LOAD && u->k >> TN_MATRIX_ALONG && !tn_is_reg(u->src[0]->src[0]);
}
// The LOAD behind a source of words, of several the first; NULL: it is another value.
static const tiny_uop *tn_ptx_matrices(const tiny_uop *u) {
  if (u->op == TINY_OP_STACK) u = u->src[0];
  if (u->op == TINY_OP_BITCAST) u = u->src[0];
  return tn_ptx_loads_matrices(u) ? u : NULL;
}
// No value of its own: a unit reads it.
static int tn_ptx_is_by_unit(const tiny_uop *u) { return tn_ptx_matrices(u) != NULL; }

// Bits 0-13 begin, 16-29 leading, 32-45 stride, in 16 bytes each; of tcgen05 bit 46 says so; 62-63: 1, of boxes, of
// which groups of eight rows follow each other, and, where rows lie beside each other, boxes of 64 (PTX ISA, Strides).
// side 0: of a, of which rows and k change places.
static tn_ptx_operand tn_ptx_descriptor(tn_ptx *x, const tiny_uop *load, int side) {
  const int64_t step[2] = {tn_load_along(load), tn_load_next(load)};
  const int64_t size = (int64_t)tiny_dtype_nbytes((tiny_dtype)load->dtype);
  const tn_ptx_address a = tn_ptx_address_of(x, load->src[0]);
  tn_ptx_operand at = a.base, word[2];
  if (at.kind == 's' || at.kind == 'S') at = tn_ptx_do1(x, 'r', "mov.u32", at);
  if (a.offset) at = tn_ptx_do2(x, 'r', "add.s32", at, tn_ptx_k(a.offset));
  at = tn_ptx_do2(x, 'r', "shr.u32", at, tn_ptx_k(4));
  const int boxes = tn_load_has(load, TN_SWIZZLED), turned = tn_load_kind(load) == TN_TURNED;
  const int64_t leading = !boxes ? step[!side] * size >> 4 : turned ? TN_BOX_ROWS * TN_BOX_ROW >> 4 : 1,
                stride = !boxes ? step[side] * size >> 4 : TN_BOX_ALIGN >> 4 | 1 << 30;
  word[0] = tn_ptx_do2(x, 'r', "or.b32", at, tn_ptx_k(leading << 16));
  word[1] = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(stride | (x->tensor ? 1 << 14 : 0)));
  return tn_ptx_join(x, 'd', "mov.b64", word);
}

// Registers that u adds to, which hold the sum so far: from there on in the pool.
static int tn_ptx_sum_registers(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *sum = u->src[2];
  const char kind = tn_ptx_class(u->dtype);
  char tn_ptx_names[16];
  const int mine = x->last[sum->seq] == (int)u->seq,
            taken = (sum->op == TINY_OP_WMMA && x->elements[sum->seq] >= 0) ||
                    (sum->op == TINY_OP_LOAD && x->constant[sum->seq] == TN_PTX_TAKEN);
  if (mine && taken) return x->elements[sum->seq];
  tn_ptx_flush(x);
  const int first = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++)
    tn_ptx_put(x, first + i, tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), tn_ptx_element(x, sum, i)));
  return first;
}

static void tn_ptx_wgmma(tn_ptx *x, const tiny_uop *u, const tiny_warp_unit *unit, const char *type[2]) {
  const int lanes = unit->m * unit->n / unit->warp, bytes = (int)tiny_dtype_nbytes((tiny_dtype)unit->a);
  const tiny_uop *load = tn_ptx_matrices(u->src[1]), *rows = tn_ptx_matrices(u->src[0]);
  tn_ptx_operand a[4];
  if (rows) a[0] = tn_ptx_descriptor(x, rows, 0);
  for (int i = 0; i < 4 && !rows; i++) a[i] = tn_ptx_held(x, tn_ptx_element(x, u->src[0], i), 'r');
  const tn_ptx_operand descriptor = tn_ptx_descriptor(x, load, 1), yes = tn_ptx_held(x, tn_ptx_k(1), 'p');
  const int first = tn_ptx_sum_registers(x, u);
  tiny_bytes *out = &x->batch;
  if (x->failed) return;
  tn_ptx_text(out, "\twgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s ", u->lanes / lanes * unit->n, unit->k,
              tn_ptx_type(unit->c), type[0], type[1]);
  tn_ptx_group(out, &x->pool.of[first], u->lanes);
  tn_ptx_text(out, ", ");
  if (rows) tn_ptx_operand_text(out, a[0]); else tn_ptx_group(out, a, 4);
  tn_ptx_text(out, ", ");
  tn_ptx_operand_text(out, descriptor);
  tn_ptx_text(out, ", ");
  tn_ptx_operand_text(out, yes);
  if (unit->c == TINY_F32) tn_ptx_text(out, ", 1, 1");
  if (unit->c == TINY_F32 && bytes == 2 && rows) tn_ptx_text(out, ", %d", tn_load_kind(rows) == TN_TURNED);
  if (unit->c == TINY_F32 && bytes == 2) tn_ptx_text(out, ", %d", tn_load_kind(load) == TN_TURNED);
  tn_ptx_text(out, ";\n");
  x->elements[u->seq] = first;
}
#endif
// ---- end src/nv/../render/ptx_wgmma.c ----
// ---- begin src/nv/../render/ptx_tcgen05.c ----
// ptx_tcgen05: products of all rows and columns of four warps, which sm_100a's units sum in memory of their own (PTX
// ISA, "TensorCore 5th Generation Family Instructions", and there "Tensor Memory", "Matrix Descriptors", "Canonical
// Layouts", "Data Path Layout Organization", "Memory Consistency Model").
//
// In:  WMMAs whose a is a STACK of LOADs of matrices by steps, b such a LOAD. Out: their lines.
// Holds:
//  - A sum lives in Tensor Memory while WMMAs alone touch it: a lane of that for each of 128 rows (or 64: 16 lanes of
//    each warp's 32), a column for each column. What it begins with is a predicate, of what it is added to or not.
//  - The first thread of each four warps starts their products, and says when they are to be counted as arrived at an
//    mbarrier, which all threads wait for: before they meet again, and at the end of a loop, as memory that the unit
//    reads is written then. In a loop of nothing but copies and products those go on until their slot is filled again.
//    What a barrier separates, fences separate as well.
//  - Behind the loop a warp reads the rows of its lanes once, into registers that lie as those of mma.sync: 16 lanes
//    of 256 bits are 16 rows of 8 columns ("Matrix fragments for shape .16x256b").
#ifndef TN_RENDER_PTX_TCGEN05
#define TN_RENDER_PTX_TCGEN05
#ifndef TINY_AMALGAMATED
#include "ptx_wgmma.c"
#endif

enum {
  TN_PTX_KEPT = 4, TN_PTX_CHAINED = 8,     // of nodes, beside what is wanted: a unit keeps it; a WMMA adds to it
  TN_PTX_RING_AT = 8, TN_PTX_TENSOR_NBYTES = 32,             // of shared memory: where Tensor Memory is; mbarriers
  TN_PTX_STARTED = 1, TN_PTX_COMMITTED = 2,                  // products that are not waited for
  TN_PTX_FOUR_WARPS = 128, TN_PTX_TENSOR = 512, TN_PTX_TENSOR_LEAST = 32, TN_PTX_TENSOR_LANE = 16, TN_PTX_LOADED = 32
};

// Of what a unit keeps, in the pool: its address, a predicate: it is added to; is what it holds yet to be read?
enum { TN_PTX_KEPT_AT, TN_PTX_KEPT_ADDS, TN_PTX_KEPT_OPEN, TN_PTX_KEPT_FIELDS };

// Where four warps have 64 rows of boxes between them it is wgmma's.
static int tn_ptx_is_whole(const tiny_uop *u) {
  const tiny_uop *a = u->op == TINY_OP_WMMA ? tn_ptx_matrices(u->src[0]) : NULL;
  return a && !tn_load_has(a, TN_SIDE) && tn_ptx_is_by_unit(u->src[1]);
}
static int tn_ptx_is_zero(const tiny_uop *u) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  return u->op == TINY_OP_CONST && u->k == 0;
}
// Of the product: tiles of 16 rows of a warp, and columns.
static int tn_ptx_whole_rows(const tiny_uop *u) { return u->src[0]->op == TINY_OP_STACK ? (int)u->src[0]->nsrc : 1; }
static int tn_ptx_whole_columns(const tiny_uop *u) { return u->lanes / (4 * tn_ptx_whole_rows(u)) * 8; }

// Which sums units keep: REG memory, or of one product after the other the first.
static void tn_ptx_tensor_survey(tn_ptx *x) {
  x->groups = (int)(x->k->local[0] * x->k->local[1] * x->k->local[2] / TN_PTX_FOUR_WARPS);
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i], *sum = u->nsrc > 2 ? u->src[2] : NULL;
    if (!tn_ptx_is_whole(u)) continue;
    x->wants[sum->seq] |= TN_PTX_CHAINED;
    if (sum->op == TINY_OP_WMMA) continue;
    const int reg = sum->op == TINY_OP_LOAD && tn_is_reg(sum->src[0]->src[0]);
    const tiny_uop *keeper = reg ? tn_memory_behind(sum->src[0]->src[0]) : u;
    if (!reg && !tn_ptx_is_zero(sum)) { tn_ptx_fail(x, "a WMMA that begins with a sum"); return; }
    if (!(x->wants[keeper->seq] & TN_PTX_KEPT)) x->tensor += tn_ptx_whole_columns(u);
    x->wants[keeper->seq] |= TN_PTX_KEPT;
  }
  if (x->tensor * x->groups > TN_PTX_TENSOR) tn_ptx_fail(x, "a WMMA of so many columns");
}
static int tn_ptx_tensor_columns(const tn_ptx *x) {
  int n = TN_PTX_TENSOR_LEAST;
  while (n < x->tensor * x->groups) n *= 2;
  return n;
}

// ** products that go on while the next ones are copied **
//
//   a slot has been copied to              boxes: its mbarrier; copies of items: all have met
//   its products begin; commit
//   products before are done               whose slot is filled next
//   copies to it begin
// Of boxes the threads that start products do all of this, one of four warps each, and the others wait behind the loop.
// A cluster's slot is empty when the products of all its groups are done, which each tells all of (PTX ISA,
// tcgen05.commit, .multicast::cluster): an mbarrier counts all that start products.
//
// The n-th commit arrives at mbarrier n of a ring of two and more, and of as many as there are slots: a group cannot be
// so far ahead of another that its next arrival there is counted with the last one.

static int tn_ptx_is_kept(const tn_ptx *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && (x->wants[tn_memory_behind(index->src[0])->seq] & TN_PTX_KEPT);
}
// Does nothing wait for products where u is done, nor any other thread for the one that starts them?
static int tn_ptx_goes_on(const tn_ptx *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_BARRIER: case TINY_OP_IF: case TINY_OP_ENDIF: case TINY_OP_RANGE: case TINY_OP_SHUFFLE:
    case TINY_OP_PREFETCH: return 0;
    case TINY_OP_WMMA: return tn_ptx_is_whole(u) && !(x->wants[u->seq] & TN_PTX_KEPT);
    case TINY_OP_LOAD: return tn_ptx_loads_matrices(u) || !x->needed[u->seq] || tn_ptx_is_kept(x, u->src[0]);
    case TINY_OP_STORE: return u->src[1]->op == TINY_OP_WMMA ? tn_ptx_is_kept(x, u->src[0]) : tn_ptx_copies(x, u);
    default: return 1;
  }
}
// The loop of a BARRIER in which nothing is done but copies and products that are added up, so many times; else NULL.
static const tiny_uop *tn_ptx_tensor_overlaps(const tn_ptx *x, const tiny_uop *barrier) {
  const tiny_uop *loop = x->block[barrier->seq];
  int products = 0;
  if (!loop || loop->op != TINY_OP_RANGE || loop->dtype == TINY_U64 || loop->nsrc > 1 ||
      loop->src[0]->op != TINY_OP_CONST || loop->src[0]->k < 1 || !barrier->k)
    return NULL;
  for (int i = (int)loop->seq + 1; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_END) return u->src[1] == loop && products ? loop : NULL;
    if (u != barrier && !tn_ptx_goes_on(x, u)) return NULL;
    products += u->op == TINY_OP_WMMA;
  }
  return NULL;
}
// Slots of boxes that such a loop has, the most; 0: there is none.
static int tn_ptx_tensor_slots(const tn_ptx *x) {
  int most = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const tiny_uop *loop = u->op == TINY_OP_BARRIER && u->k == TN_BOXES ? tn_ptx_tensor_overlaps(x, u) : NULL;
    for (int k = 0; loop && k < x->nbulk; k++) {
      const int64_t at = x->bulk[k]->k, n = tn_bulk_end(at) - tn_bulk_first(at);
      if (x->block[x->bulk[k]->seq] == loop && n > most) most = (int)n;
    }
  }
  return most;
}

// What one thread or warp does.
static void tn_ptx_by(tn_ptx *x, tn_ptx_operand who, const char *text) {
  tn_ptx_text(tn_ptx_body(x), "\t@%%p%lld %s", (long long)who.n, text);
}
// The mbarrier of the commit that is `back` before the next one; *number: of that.
static tn_ptx_operand tn_ptx_ring_at(tn_ptx *x, const tn_ptx_ring *r, int back, tn_ptx_operand *number) {
  *number = back ? tn_ptx_do2(x, 'r', "add.s32", r->count, tn_ptx_k(-back)) : r->count;
  const tn_ptx_operand of = tn_ptx_do2(x, 'r', "and.b32", *number, tn_ptx_k((1 << r->bits) - 1));
  return tn_ptx_do(x, 'r', "mad.lo.s32", of, tn_ptx_k(8), r->at);
}
static void tn_ptx_ring_commit(tn_ptx *x, const tn_ptx_ring *r) {
  char line[160];
  tn_ptx_operand number, next[3] = {r->count, r->count, tn_ptx_k(1)};
  const long long at = tn_ptx_ring_at(x, r, 0, &number).n;
  if (r == &x->empty && x->cluster > 1)
    snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster"
             ".b64 [%%r%lld], %%h%lld;\n", at, (long long)x->everyone.n);
  else
    snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r%lld];\n",
             at);
  tn_ptx_by(x, x->starts, line);
  tn_ptx_line(x, "add.s32", next, 3);
}
// Until that commit's products are done. Phases of an mbarrier that none has arrived at count as over, if they are odd.
static void tn_ptx_ring_wait(tn_ptx *x, const tn_ptx_ring *r, int back) {
  tn_ptx_operand number;
  const tn_ptx_operand at = tn_ptx_ring_at(x, r, back, &number), is = tn_ptx_register(x, 'p');
  tn_ptx_operand phase = tn_ptx_do2(x, 'r', "shr.u32", number, tn_ptx_k(r->bits));
  phase = tn_ptx_do2(x, 'r', "and.b32", phase, tn_ptx_k(1));
  const int label = ++x->labels;
  tn_ptx_text(tn_ptx_body(x), "$W%d:\n\tmbarrier.try_wait.parity.shared::cta.b64 %%p%lld, [%%r%lld], %%r%lld;\n", label,
              (long long)is.n, (long long)at.n, (long long)phase.n);
  tn_ptx_text(tn_ptx_body(x), "\t@!%%p%lld bra $W%d;\n", (long long)is.n, label);
}
static void tn_ptx_fences(tn_ptx *x, const char *between) {
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n%s\ttcgen05.fence::after_thread_sync;\n", between);
}

// Such an iteration begins, at its BARRIER. Where only boxes are copied, it is of who starts products.
static void tn_ptx_tensor_goes_on(tn_ptx *x, const tiny_uop *barrier) {
  x->ring = barrier->k == TN_BOXES ? &x->empty : &x->done;
  if (x->ring == &x->empty) x->level[x->depth].skips = x->rests;
}
// It ends.
static void tn_ptx_tensor_turn(tn_ptx *x) {
  tn_ptx_ring_commit(x, x->ring);
  tn_ptx_ring_wait(x, x->ring, 2);
  if (x->copies.n) tiny_bytes_add(tn_ptx_body(x), x->copies.data, x->copies.n);
  x->copies.n = 0;
  x->tensor_open = TN_PTX_COMMITTED;
}
// The loop has ended: for who starts products when those of the cluster are done, as no group then tells another any
// more.
static void tn_ptx_tensor_drain(tn_ptx *x) {
  for (int back = 1 << x->ring->bits; x->ring == &x->empty && back > 0; back--) tn_ptx_ring_wait(x, x->ring, back);
}
// For the others.
static void tn_ptx_tensor_ends(tn_ptx *x) {
  if (x->ring != &x->empty) return;
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  x->met = 1;
  x->tensor_open = 0;
}

// ** a kernel's beginning and end **

// Where units are told from, in shared memory: from the symbol on so many bytes.
typedef struct tn_ptx_spot { tn_ptx_operand symbol; int64_t at; } tn_ptx_spot;
static void tn_ptx_spot_text(tn_ptx *x, const tn_ptx_spot *s, int64_t more) {
  tn_ptx_text(tn_ptx_body(x), "[");
  tn_ptx_operand_text(tn_ptx_body(x), s->symbol);
  tn_ptx_text(tn_ptx_body(x), "+%lld]", (long long)(s->at + more));
}
static tn_ptx_operand tn_ptx_spot_address(tn_ptx *x, const tn_ptx_spot *s, int64_t more) {
  return tn_ptx_do2(x, 'r', "add.s32", tn_ptx_do1(x, 'r', "mov.u32", s->symbol), tn_ptx_k(s->at + more));
}
// Behind the slots of a launch's boxes, as other memory would be more than 1 KiB before these; else memory of its own.
static tn_ptx_spot tn_ptx_tensor_spot(tn_ptx *x, int nbytes) {
  tn_ptx_spot s = {{'S', 0}, x->k->local_nbytes - TN_BOX_NBYTES + 8 * x->slots};
  if (x->nbulk && x->k->local_nbytes) {
    if (8 * x->slots + nbytes > TN_BOX_NBYTES) tn_ptx_fail(x, "so many slots");
    return s;
  }
  s.symbol.kind = 's'; s.symbol.n = x->memories++; s.at = 0;
  tn_ptx_text(&x->declares, "\t.shared .align 16 .b8 m%lld[%d];\n", (long long)s.symbol.n, nbytes);
  return s;
}
static void tn_ptx_ring_open(tn_ptx *x, tn_ptx_ring *r, const tn_ptx_spot *s, int64_t at, int arrivals,
                             tn_ptx_operand first) {
  r->at = tn_ptx_spot_address(x, s, at);
  r->count = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  for (int i = 0; i < 1 << r->bits; i++) {
    tn_ptx_by(x, first, "mbarrier.init.shared::cta.b64 ");
    tn_ptx_spot_text(x, s, at + 8 * i);
    tn_ptx_text(tn_ptx_body(x), ", %d;\n", arrivals);
  }
}
// Allocated by the first warp.
static void tn_ptx_tensor_allocate(tn_ptx *x, const tn_ptx_spot *s) {
  tn_ptx_by(x, x->manages, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 ");
  tn_ptx_spot_text(x, s, 0);
  tn_ptx_text(tn_ptx_body(x), ", %d;\n", tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n");
}
static void tn_ptx_tensor_open(tn_ptx *x) {
  const int slots = tn_ptx_tensor_slots(x);
  const tn_ptx_operand item = tn_ptx_read_special(x, "tid.x"),
                       of_four = tn_ptx_do2(x, 'r', "and.b32", item, tn_ptx_k(TN_PTX_FOUR_WARPS - 1));
  const tn_ptx_operand first = tn_ptx_do2(x, 'p', "setp.eq.s32", item, tn_ptx_k(0));
  tn_ptx_wants_version(x, 86);
  x->done.bits = 1;
  for (x->empty.bits = 1; 1 << x->empty.bits < slots;) x->empty.bits++;
  const tn_ptx_spot s = tn_ptx_tensor_spot(x, TN_PTX_TENSOR_NBYTES + (slots ? 8 << x->empty.bits : 0));
  x->manages = tn_ptx_do2(x, 'p', "setp.lt.u32", item, tn_ptx_k(TN_PTX_FOUR_WARPS / 4));
  x->starts = tn_ptx_do2(x, 'p', "setp.eq.s32", of_four, tn_ptx_k(0));
  if (slots) x->rests = tn_ptx_do2(x, 'p', "setp.ne.s32", of_four, tn_ptx_k(0));
  tn_ptx_tensor_allocate(x, &s);
  tn_ptx_ring_open(x, &x->done, &s, TN_PTX_RING_AT, x->groups, first);
  if (slots) tn_ptx_ring_open(x, &x->empty, &s, TN_PTX_TENSOR_NBYTES, x->groups * x->cluster, first);
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  const tn_ptx_operand at = x->tensor_all = tn_ptx_register(x, 'r'),
                       four = tn_ptx_do2(x, 'r', "shr.u32", item, tn_ptx_k(7)),
                       warp = tn_ptx_do(x, 'r', "bfe.u32", item, tn_ptx_k(5), tn_ptx_k(2));
  tn_ptx_text(tn_ptx_body(x), "\tld.shared.u32 %%r%lld, ", (long long)at.n);
  tn_ptx_spot_text(x, &s, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  x->tensor_at = x->groups > 1 ? tn_ptx_do(x, 'r', "mad.lo.s32", four, tn_ptx_k(x->tensor), at) : at;
  x->tensor_lane = tn_ptx_do2(x, 'r', "shl.b32", warp, tn_ptx_k(16 + 5));  // 32 lanes each
  x->met = 1;
}
static void tn_ptx_tensor_close(tn_ptx *x) {
  char line[120];
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n\tbar.sync 0;\n");
  snprintf(line, sizeof line, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r%lld, %d;\n",
           (long long)x->tensor_all.n, tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, line);
}

// ** what is kept **

// The product that adds to the memory first.
static const tiny_uop *tn_ptx_kept_product(const tn_ptx *x, const tiny_uop *memory) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (tn_ptx_is_whole(u) && u->src[2]->op == TINY_OP_LOAD &&
        tn_memory_behind(u->src[2]->src[0]->src[0]) == memory)
      return u;
  }
  return NULL;
}
// Its place in the pool: columns of its own, behind those that were given before.
static int tn_ptx_keep(tn_ptx *x, const tiny_uop *keeper, const tiny_uop *product) {
  const int at = x->at, first = tn_ptx_take(x, TN_PTX_KEPT_FIELDS);
  x->at = 0;
  tn_ptx_put(x, first + TN_PTX_KEPT_AT, x->tensor_given ?
             tn_ptx_do2(x, 'r', "add.s32", x->tensor_at, tn_ptx_k(x->tensor_given)) : x->tensor_at);
  tn_ptx_put(x, first + TN_PTX_KEPT_ADDS, tn_ptx_do2(x, 'p', "setp.ne.s32", x->done.count, x->done.count));
  tn_ptx_put(x, first + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
  x->at = at;
  x->tensor_given += tn_ptx_whole_columns(product);
  x->words[keeper->seq] = first;
  return first;
}
static void tn_ptx_kept_adds(tn_ptx *x, int kept, int adds) {
  const tn_ptx_operand o[3] = {x->pool.of[kept + TN_PTX_KEPT_ADDS], x->done.count, x->done.count};
  tn_ptx_line(x, adds ? "setp.eq.s32" : "setp.ne.s32", o, 3);
}
// The products that were started are done: what they read may be written, what they gave be read.
static void tn_ptx_tensor_wait(tn_ptx *x) {
  if (!x->tensor_open) return;
  if (x->tensor_open == TN_PTX_STARTED) {
    if (!x->met) tn_ptx_fences(x, "\tbar.sync 0;\n");        // all have seen the one before
    tn_ptx_ring_commit(x, &x->done);
  }
  x->tensor_open = x->met = 0;
  tn_ptx_ring_wait(x, &x->done, 1);
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::after_thread_sync;\n");
}
// Registers from `first` on of the pool hold what is kept: of each tile of rows all columns, 32 registers at a time.
static void tn_ptx_tensor_load(tn_ptx *x, int kept, int first, int lanes, int rows) {
  const tn_ptx_operand at = tn_ptx_do2(x, 'r', "add.s32", x->pool.of[kept + TN_PTX_KEPT_AT], x->tensor_lane);
  const int each = lanes / rows, n = each < TN_PTX_LOADED ? each : TN_PTX_LOADED;
  tn_ptx_tensor_wait(x);
  for (int i = 0; i < lanes && !x->failed; i += n) {
    const long long lane = (long long)(i / each) * TN_PTX_TENSOR_LANE << 16;
    tn_ptx_text(tn_ptx_body(x), "\ttcgen05.ld.sync.aligned.16x256b.x%d.b32 ", n / 4);
    tn_ptx_group(tn_ptx_body(x), &x->pool.of[first + i], n);
    tn_ptx_text(tn_ptx_body(x), ", [%%r%lld+%lld];\n", (long long)at.n, lane + i % each * 2);
  }
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.wait::ld.sync.aligned;\n");
  tn_ptx_put(x, kept + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
}

// ** a product **

static const char *tn_ptx_tensor_kind(int dtype) {
  return dtype == TINY_F32 ? "tf32" : dtype == TINY_I8 ? "i8" : tn_ptx_is_fp8(dtype) ? "f8f6f4" : "f16";
}
static int64_t tn_ptx_tensor_type(int dtype) {
  return dtype == TINY_F32 ? 2 : dtype == TINY_BF16 || dtype == TINY_F8E5M2 || dtype == TINY_I8;
}
// "Instruction descriptor": dtypes of the sum (bit 4), of a (7) and b (10); a (15) and b (16) turned; columns (17) in
// eights, rows (24) in sixteens.
static int64_t tn_ptx_tensor_descriptor(const tiny_uop *u, const tiny_warp_unit *unit) {
  const int64_t turned[2] = {tn_load_kind(tn_ptx_matrices(u->src[0])) == TN_TURNED,
                             tn_load_kind(tn_ptx_matrices(u->src[1])) == TN_TURNED};
  return (int64_t)(unit->c == TINY_F32 ? 1 : 2) << 4 | tn_ptx_tensor_type(unit->a) << 7 |
      tn_ptx_tensor_type(unit->b) << 10 | turned[0] << 15 | turned[1] << 16 |
      (int64_t)tn_ptx_whole_columns(u) / 8 << 17 | (int64_t)4 * tn_ptx_whole_rows(u) << 24;
}
static void tn_ptx_tcgen05(tn_ptx *x, const tiny_uop *u, const tiny_warp_unit *unit) {
  const tiny_uop *sum = u->src[2], *first_sum = sum;
  char line[64];
  while (first_sum->op == TINY_OP_WMMA) first_sum = first_sum->src[2];
  const int reg = sum->op == TINY_OP_LOAD, stays = first_sum->op == TINY_OP_LOAD;
  if ((x->wants[u->seq] & TN_PTX_KEPT)) {
    const int first = tn_ptx_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, tn_ptx_class(u->dtype)));
    x->elements[u->seq] = first;
    tn_ptx_kept_adds(x, tn_ptx_keep(x, u, u), 0);
  } else {
    const tiny_uop *keeper = reg ? tn_memory_behind(sum->src[0]->src[0]) : sum;
    x->elements[u->seq] = x->elements[keeper->seq];
    x->words[u->seq] = x->words[keeper->seq];
  }
  const int kept = x->words[u->seq];
  const tn_ptx_operand a = tn_ptx_descriptor(x, tn_ptx_matrices(u->src[0]), 0),
                       b = tn_ptx_descriptor(x, tn_ptx_matrices(u->src[1]), 1),
                       as = tn_ptx_held(x, tn_ptx_k(tn_ptx_tensor_descriptor(u, unit)), 'r');
  if (x->failed) return;
  snprintf(line, sizeof line, "tcgen05.mma.cta_group::1.kind::%s ", tn_ptx_tensor_kind(unit->a));
  tn_ptx_by(x, x->starts, line);
  tn_ptx_text(tn_ptx_body(x), "[%%r%lld], %%d%lld, %%d%lld, %%r%lld, %%p%lld;\n",
              (long long)x->pool.of[kept + TN_PTX_KEPT_AT].n, (long long)a.n, (long long)b.n, (long long)as.n,
              (long long)x->pool.of[kept + TN_PTX_KEPT_ADDS].n);
  if (sum->op != TINY_OP_WMMA) tn_ptx_kept_adds(x, kept, 1);
  tn_ptx_put(x, kept + TN_PTX_KEPT_OPEN, tn_ptx_k(tn_ptx_whole_rows(u)));
  x->tensor_open = TN_PTX_STARTED;
  if (!stays && !(x->wants[u->seq] & TN_PTX_CHAINED) && !x->failed)
    tn_ptx_tensor_load(x, kept, x->elements[u->seq], u->lanes, tn_ptx_whole_rows(u));
}

// ** statements **

// What a unit keeps of REG memory: 1 if u is of that, and done.
static int tn_ptx_of_kept(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *memory = (u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE) && tn_is_reg(u->src[0]->src[0]) ?
                           tn_memory_behind(u->src[0]->src[0]) : NULL;
  if (!memory || !(x->wants[memory->seq] & TN_PTX_KEPT)) return 0;
  const int kept = x->words[memory->seq];
  if (u->op == TINY_OP_STORE) {
    if (u->src[1]->op == TINY_OP_WMMA) return 1;
    if (!tn_ptx_is_zero(u->src[1])) tn_ptx_fail(x, "a WMMA that begins with a sum");
    else tn_ptx_kept_adds(x, kept, 0);
    return 1;
  }
  if (u->op == TINY_OP_LOAD && (x->wants[u->seq] & TN_PTX_CHAINED)) return 1;
  if (u->op == TINY_OP_LOAD && x->pool.of[kept + TN_PTX_KEPT_OPEN].n)
    tn_ptx_tensor_load(x, kept, x->elements[memory->seq], (int)memory->v[1] * memory->lanes,
                       (int)x->pool.of[kept + TN_PTX_KEPT_OPEN].n);
  return 0;
}
// What is kept of memory that is stored to outside of a loop is read when the loop has ended, by all. Memory that comes
// later in the list keeps nothing yet.
static void tn_ptx_kept_at_end(tn_ptx *x, const tiny_uop *end) {
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_STORE || !tn_is_reg(u->src[0]->src[0]) || u->src[1]->op == TINY_OP_WMMA ||
        x->block[i] != x->block[end->seq])
      continue;
    const tiny_uop *memory = tn_memory_behind(u->src[0]->src[0]);
    if (!(x->wants[memory->seq] & TN_PTX_KEPT) || memory->seq > end->seq) continue;
    const int kept = x->words[memory->seq], rows = (int)x->pool.of[kept + TN_PTX_KEPT_OPEN].n;
    if (rows) tn_ptx_tensor_load(x, kept, x->elements[memory->seq], (int)memory->v[1] * memory->lanes, rows);
  }
}
#endif
// ---- end src/nv/../render/ptx_tcgen05.c ----
// ---- begin src/nv/../render/ptx_maps.c ----
// ptx_maps: which tensors a kernel in PTX copies boxes of, as numbers in its module.
//
// In:  a BULK. Out: words of a map, which the host reads from the module's variable NAME_maps.
// Word 0 is the PARAM, 1 the dtype, 2 the dims; then extents, distances in bytes (that of dim 0 is not told) and sides
// of the box, of five dims each: those that are not there are 0.
#ifndef TN_RENDER_PTX_MAPS
#define TN_RENDER_PTX_MAPS
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif

enum { TN_PTX_MAP_WORDS = 3 + 3 * TN_BOX_DIMS, TN_PTX_MAP_NBYTES = 128, TN_PTX_MAPS = 8 };       // of a kernel at most
enum { TN_MAP_PARAM, TN_MAP_DTYPE, TN_MAP_DIMS, TN_MAP_EXTENT, TN_MAP_STRIDE = TN_MAP_EXTENT + TN_BOX_DIMS,
  TN_MAP_BOX = TN_MAP_STRIDE + TN_BOX_DIMS };

// Do a launch with so many memories and the copy unit take it? A module may be a stranger's.
static int tn_ptx_map_is_sound(const uint64_t *word, int nmem) {
  const uint64_t dims = word[TN_MAP_DIMS];
  if (word[TN_MAP_PARAM] >= (uint64_t)nmem || word[TN_MAP_DTYPE] >= TINY_DTYPE_COUNT || dims < 2 || dims > TN_BOX_DIMS)
    return 0;
  for (uint64_t i = 0; i < dims; i++)
    if (!word[TN_MAP_EXTENT + i] || word[TN_MAP_EXTENT + i] > INT32_MAX || word[TN_MAP_STRIDE + i] % 16 ||
        word[TN_MAP_STRIDE + i] >> 40 || !word[TN_MAP_BOX + i] || word[TN_MAP_BOX + i] > TN_BOX_MOST)
      return 0;
  return 1;
}
// parts: of its rows, of which each copy has one.
static int64_t tn_ptx_map_word(const tiny_uop *bulk, int parts, int k) {
  const tiny_uop *from = tn_memory_behind(bulk->src[1]);
  const int dims = tn_bulk_dims(bulk), list = (k - TN_MAP_EXTENT) / TN_BOX_DIMS, d = (k - TN_MAP_EXTENT) % TN_BOX_DIMS;
  if (k == TN_MAP_PARAM) return from->k;
  if (k == TN_MAP_DTYPE) return from->dtype;
  if (k == TN_MAP_DIMS) return dims;
  if (d >= dims || (list == 1 && !d)) return 0;
  if (list == 2 && d == 1) return bulk->v[list * dims + d] / parts;
  return bulk->v[list * dims + d] * (list == 1 ? (int64_t)tiny_dtype_nbytes((tiny_dtype)from->dtype) : 1);
}
#endif
// ---- end src/nv/../render/ptx_maps.c ----
// ---- begin src/nv/../render/ptx_bulk.c ----
// ptx_bulk: boxes of tensors that the device copies by itself (PTX ISA, cp.async.bulk.tensor and mbarrier; sm_90 on).
//
// In:  BULKs, and BARRIERs that wait for their slots. Out: their lines; of the module, what tensors a kernel wants.
// Holds:
//  - A slot has an mbarrier, beside the memory that is copied to. Each copy that fills the slot arrives once and says
//    how many bytes come; the phase is over when all are there. Thread 0 begins copies, all threads wait for the phase,
//    of which each has the parity of every slot as a bit of one register.
//  - A tensor is 128 bytes that the host makes for a launch, and a parameter of the kernel, m, behind v. Which they are
//    stands in the module: NAME_maps, TN_PTX_MAP_WORDS of 64 bits each (tn_ptx_map_word).
#ifndef TN_RENDER_PTX_BULK
#define TN_RENDER_PTX_BULK
#ifndef TINY_AMALGAMATED
#include "ptx_tcgen05.c"
#include "ptx_maps.c"
#endif

// ** before a line is written **

// Parts of a box, of which each group of the cluster copies one for all of them.
static int tn_ptx_parts(const tn_ptx *x, const tiny_uop *u) {
  return x->k->hints[u->seq] & (TINY_HINT_PAIR | TINY_HINT_FOUR) ? x->cluster : 1;
}
static int tn_ptx_same_map(const tn_ptx *x, const tiny_uop *a, const tiny_uop *b) {
  return tn_ptx_parts(x, a) == tn_ptx_parts(x, b) && tn_memory_behind(a->src[1]) == tn_memory_behind(b->src[1]) &&
      a->nv == b->nv &&
      !memcmp(a->v, b->v, a->nv * sizeof *a->v);
}
static const tiny_uop *tn_ptx_box_memory(const tiny_uop *bulk) { return tn_memory_behind(bulk->src[0]->src[0]); }
// Which of the kernel's tensors a BULK copies from.
static int tn_ptx_map_of(const tn_ptx *x, const tiny_uop *u) {
  int i = 0;
  while (i < x->nmap && !tn_ptx_same_map(x, x->map[i], u)) i++;
  return i;
}
// All BULKs; then, when it is known who copies for whom, the tensors, slots, and memory of boxes, which lies before all
// other.
static void tn_ptx_survey_boxes(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) x->nbulk += x->k->list[i]->op == TINY_OP_BULK;
  if (!x->nbulk) return;
  if (x->sm < 90) { tn_ptx_fail(x, "BULK"); return; }
  const size_t n = (size_t)x->nbulk * sizeof *x->bulk;
  x->bulk = (const tiny_uop **)tn_ptx_scratch(x->t, n);
  x->map = (const tiny_uop **)tn_ptx_scratch(x->t, n);
  if (!x->bulk || !x->map) { x->failed = 1; return; }
  x->nbulk = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULK) continue;
    x->bulk[x->nbulk++] = u;
  }
}
static void tn_ptx_survey_maps(tn_ptx *x) {
  for (int i = 0; i < x->nbulk && !x->failed; i++) {
    const tiny_uop *u = x->bulk[i];
    if (tn_ptx_map_of(x, u) == x->nmap) x->map[x->nmap++] = u;
    if (x->nmap > TN_PTX_MAPS) { tn_ptx_fail(x, "so many tensors"); return; }
    if (tn_bulk_end(u->k) > x->slots) x->slots = tn_bulk_end(u->k);
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_DEFINE && tn_ptx_holds_boxes(x, u)) x->local_at += u->v[1] * tn_ptx_nbytes(u);
  }
}

// ** the beginning **

enum { TN_PTX_EMPTIES = TN_BOX_SLOTS / 2 };                  // of mbarriers, behind those of slots (ptx_producer.c)
static int64_t tn_ptx_items(const tn_ptx *x) { return x->k->local[0] * x->k->local[1] * x->k->local[2]; }

static void tn_ptx_slot_text(tn_ptx *x, int64_t slot) {
  tn_ptx_text(tn_ptx_body(x), "[%s+%lld]", x->k->local_nbytes ? "tiny_shared" : "boxes",
              (long long)(8 * slot + (x->k->local_nbytes ? x->k->local_nbytes - TN_BOX_NBYTES : 0)));
}
static int64_t tn_ptx_copies_to(const tn_ptx *x, int slot) {
  for (int i = 0; i < x->nbulk; i++)
    if (tn_bulk_first(x->bulk[i]->k) <= slot && slot < tn_bulk_end(x->bulk[i]->k)) return tn_bulk_copies(x->bulk[i]->k);
  return 1;
}
// Addresses of tensors, and of clusters who this is: for who begins copies.
static void tn_ptx_begin_maps(tn_ptx *x) {
  for (int i = 0; i < x->nmap; i++) {
    tn_ptx_operand at = tn_ptx_register(x, 'd');
    tn_ptx_begin(x, "mov.b64");
    tn_ptx_operand_text(tn_ptx_body(x), at);
    tn_ptx_text(tn_ptx_body(x), ", m;\n");
    if (i) at = tn_ptx_do2(x, 'd', "add.s64", at, tn_ptx_k(TN_PTX_MAP_NBYTES * i));
    x->map_at[i] = tn_ptx_do1(x, 'd', "cvta.param.u64", at);
  }
}
static void tn_ptx_begin_copies(tn_ptx *x) {
  tn_ptx_begin_maps(x);
  if (x->cluster < 2) return;
  x->rank = tn_ptx_read_special(x, "cluster_ctarank");
  x->everyone = tn_ptx_do1(x, 'h', "mov.b16", tn_ptx_k((1 << x->cluster) - 1));
}
static void tn_ptx_begin_slot(tn_ptx *x, int64_t slot, int64_t arrivals) {
  x->guard = x->first;
  tn_ptx_begin(x, "mbarrier.init.shared::cta.b64");
  tn_ptx_slot_text(x, slot);
  tn_ptx_text(tn_ptx_body(x), ", %lld;\n", (long long)arrivals);
  x->guard = tn_ptx_none;
}
// mbarriers are there, for the copies too, before anybody waits (CUDA C++ Programming Guide, "Using TMA").
static void tn_ptx_begin_boxes(tn_ptx *x) {
  if (!x->nbulk || x->failed) return;
  if (!x->k->local_nbytes) tn_ptx_text(&x->declares, "\t.shared .align 8 .b8 boxes[%d];\n", 8 * x->slots);
  x->first = tn_ptx_do2(x, 'p', "setp.eq.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(0));
  x->phases = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  x->slot_at = tn_ptx_register(x, 'r');
  tn_ptx_begin(x, "mov.u32");
  tn_ptx_operand_text(tn_ptx_body(x), x->slot_at);
  tn_ptx_text(tn_ptx_body(x), ", %s;\n", x->k->local_nbytes ? "tiny_shared" : "boxes");
  if (x->k->local_nbytes)
    x->slot_at = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(x->k->local_nbytes - TN_BOX_NBYTES));
  for (int i = 0; i < x->slots; i++) tn_ptx_begin_slot(x, i, tn_ptx_copies_to(x, i));
  for (int i = 0; i < x->slots && x->role; i++)
    tn_ptx_begin_slot(x, TN_PTX_EMPTIES + i, x->cluster * (tn_ptx_items(x) / 32));
  if (!x->role) tn_ptx_begin_copies(x);
  tn_ptx_text(tn_ptx_body(x), "\tfence.proxy.async.shared::cta;\n%s",
              x->cluster > 1 ? tn_ptx_meet_cluster : "\tbar.sync 0;\n");
}

// ** copies, and who waits for them **

static tn_ptx_operand tn_ptx_narrow(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand o = tn_ptx_element(x, u, 0);
  return tn_ptx_is_number(o) || o.kind != 'd' ? tn_ptx_held(x, o, 'r') : tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
}
static tn_ptx_operand tn_ptx_slot_address(tn_ptx *x, tn_ptx_operand slot) {
  return tn_ptx_do(x, 'r', "mad.lo.s32", slot, tn_ptx_k(8), x->slot_at);
}
static void tn_ptx_begin_if(tiny_bytes *out, tn_ptx_operand on) {
  tn_ptx_text(out, on.kind ? "\t@" : "\t");
  if (on.kind) tn_ptx_operand_text(out, on);
  if (on.kind) tn_ptx_text(out, " ");
}
static void tn_ptx_bulk(tn_ptx *x, const tiny_uop *u) {
  const int dims = tn_bulk_dims(u), parts = tn_ptx_parts(x, u);
  const tiny_uop *index = u->src[0];
  int64_t nbytes = (int64_t)tiny_dtype_nbytes((tiny_dtype)tn_ptx_box_memory(u)->dtype);
  for (int i = 0; i < dims; i++) nbytes *= u->v[2 * dims + i];
  tn_ptx_address to = tn_ptx_address_of(x, index);
  const tn_ptx_operand at = tn_ptx_slot_address(x, tn_ptx_narrow(x, u->src[2]));
  tn_ptx_operand place[TN_BOX_DIMS], on = x->first;          // none: of one thread alone
  for (int i = 0; i < dims; i++) place[i] = tn_ptx_narrow(x, u->src[3 + i]);
  if (parts > 1) {                         // the rows of this group's part
    if (to.base.kind == 's' || to.base.kind == 'S') to.base = tn_ptx_do1(x, 'r', "mov.u32", to.base);
    to.base = tn_ptx_do(x, 'r', "mad.lo.s32", x->rank, tn_ptx_k(nbytes / parts), to.base);
    place[1] = tn_ptx_do(x, 'r', "mad.lo.s32", x->rank, tn_ptx_k(u->v[2 * dims + 1] / parts), place[1]);
  }
  if (index->nsrc == 3) {
    const tn_ptx_operand there = tn_ptx_held(x, tn_ptx_element(x, index->src[2], 0), 'p');
    on = on.kind ? tn_ptx_do2(x, 'p', "and.pred", on, there) : there;
  }
  if (x->failed) return;
  tiny_bytes *out = x->overlaps ? &x->copies : tn_ptx_body(x);
  tn_ptx_begin_if(out, on);
  tn_ptx_text(out, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "], %lld;\n", (long long)nbytes);
  tn_ptx_begin_if(out, on);
  tn_ptx_text(out, "cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes%s [", dims,
              parts > 1 ? ".multicast::cluster" : "");
  tn_ptx_operand_text(out, to.base);
  tn_ptx_text(out, "+%lld], [", (long long)to.offset);
  tn_ptx_operand_text(out, x->map_at[tn_ptx_map_of(x, u)]);
  tn_ptx_text(out, ", {");
  for (int i = 0; i < dims; i++) { tn_ptx_text(out, i ? ", " : ""); tn_ptx_operand_text(out, place[i]); }
  tn_ptx_text(out, "}], [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "]");
  if (parts > 1) { tn_ptx_text(out, ", "); tn_ptx_operand_text(out, x->everyone); }
  tn_ptx_text(out, ";\n");
}
// Until the phase of the slot whose mbarrier is at `at` is over; then it is the other one's turn.
static void tn_ptx_wait_phase(tn_ptx *x, tn_ptx_operand s, tn_ptx_operand at) {
  const tn_ptx_operand over = tn_ptx_register(x, 'p');
  tn_ptx_operand parity = tn_ptx_do2(x, 'r', "shr.u32", x->phases, s);
  parity = tn_ptx_do2(x, 'r', "and.b32", parity, tn_ptx_k(1));
  const tn_ptx_operand bit = tn_ptx_do2(x, 'r', "shl.b32", tn_ptx_held(x, tn_ptx_k(1), 'r'), s),
                       turn[3] = {x->phases, x->phases, bit};
  const int label = ++x->labels;
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "$W%d:\n", label);
  tn_ptx_begin(x, x->role == TN_PTX_PRODUCES && x->cluster > 1 ?
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64" : "mbarrier.try_wait.parity.shared::cta.b64");
  tn_ptx_operand_text(out, over);
  tn_ptx_text(out, ", [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "], ");
  tn_ptx_operand_text(out, parity);
  tn_ptx_text(out, ";\n");
  x->guard = over; x->unless = 1;
  char to[32];
  snprintf(to, sizeof to, "bra $W%d", label);
  tn_ptx_line(x, to, NULL, 0);
  x->guard = tn_ptx_none; x->unless = 0;
  tn_ptx_line(x, "xor.b32", turn, 3);
}
static void tn_ptx_wait_boxes(tn_ptx *x, const tiny_uop *slot) {
  x->slot = tn_ptx_narrow(x, slot);
  x->told = 0;
  tn_ptx_wait_phase(x, x->slot, tn_ptx_slot_address(x, x->slot));
}

// ** products that go on while the next ones are begun **
//
//   wait for the slot                      as the list has it: BARRIER
//   begin products; commit
//   wait for the products before           whose slot is filled next
//   all meet; thread 0 begins copies       BULKs
// So the matrix unit has work while warps wait for each other (CUTLASS, "Efficient GEMM in CUDA", "Pipelining").

// The LOAD of REG memory that a chain of products adds to; NULL: some of them is not added to in place.
static const tiny_uop *tn_ptx_chain(const tn_ptx *x, const tiny_uop *product) {
  for (;;) {
    const tiny_uop *sum = product->src[2];
    if (!tn_ptx_matrices(product->src[0]) || !tn_ptx_matrices(product->src[1]) ||
        x->last[sum->seq] != (int)product->seq)
      return NULL;
    if (sum->op == TINY_OP_LOAD) return x->constant[sum->seq] == TN_PTX_TAKEN ? sum : NULL;
    if (sum->op != TINY_OP_WMMA) return NULL;
    product = sum;
  }
}
static int tn_ptx_may_overlap(const tn_ptx *x, const tiny_uop *u) {
  const int loads = u->op == TINY_OP_LOAD;
  if (loads) return tn_is_reg(u->src[0]->src[0]) || tn_ptx_holds_boxes(x, tn_memory_behind(u->src[0]->src[0]));
  if (u->op != TINY_OP_STORE) return u->op != TINY_OP_BARRIER && u->op != TINY_OP_IF && u->op != TINY_OP_RANGE &&
    u->op != TINY_OP_SHUFFLE && u->op != TINY_OP_PREFETCH;
  const tiny_uop *sum = u->src[1]->op == TINY_OP_WMMA ? tn_ptx_chain(x, u->src[1]) : NULL;
  return sum && tn_ptx_in_registers(x, u->src[0]) && x->last[u->src[1]->seq] == (int)u->seq &&
      tn_ptx_reg_at(x, u->src[0]) == tn_ptx_reg_at(x, sum->src[0]);
}
// The loop that such a BARRIER stands in, if nothing else is done in it than copies and products that are added up.
static const tiny_uop *tn_ptx_overlaps(const tn_ptx *x, const tiny_uop *barrier) {
  const tiny_uop *loop = x->block[barrier->seq];
  int stores = 0;
  if (x->tensor) return tn_ptx_tensor_overlaps(x, barrier);
  if (!loop || x->fences || barrier->k != TN_BOXES) return NULL;
  for (int i = (int)loop->seq + 1; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_END) return u->src[1] == loop && stores == 1 ? loop : NULL;
    if (u != barrier && !tn_ptx_may_overlap(x, u)) return NULL;
    stores += u->op == TINY_OP_STORE;
  }
  return NULL;
}

// ** groups that copy for each other **
//
// Neighbours of dim 0 whose boxes are the same each copy a part to the memory of all (PTX ISA, .multicast::cluster).
// Memory is filled again when all groups of the cluster have met, which they do while products are under way.

// How many groups make a cluster: as hints say, if there is one loop of copies and its products overlap. produced: who
// copies waits for neighbours by itself; else they do not meet before a loop that begins anew.
static int tn_ptx_cluster(const tn_ptx *x, int produced) {
  int hints = 0, loops = 0;
  for (int i = 0; i < x->nbulk; i++) hints |= x->k->hints[x->bulk[i]->seq];
  for (int i = 0; i < x->k->n && hints; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BARRIER || !(u->k & TN_BOXES)) continue;
    const tiny_uop *loop = tn_ptx_overlaps(x, u);
    if (loops++ || !loop || (x->inside[loop->seq] > 1 && !produced)) return 1;
  }
  return !loops ? 1 : hints & TINY_HINT_FOUR ? 4 : hints & TINY_HINT_PAIR ? 2 : 1;
}

// ** of the module **

static void tn_ptx_maps_text(const tn_ptx *x, tiny_bytes *out) {
  if (!x->nmap) return;
  tn_ptx_text(out, ".visible .global .align 8 .b64 %s_maps[%d] = {", x->k->name, TN_PTX_MAP_WORDS * x->nmap);
  for (int i = 0; i < x->nmap; i++)
    for (int k = 0; k < TN_PTX_MAP_WORDS; k++)
      tn_ptx_text(out, "%s%lld", i || k ? ", " : "",
                  (long long)tn_ptx_map_word(x->map[i], tn_ptx_parts(x, x->map[i]), k));
  tn_ptx_text(out, "};\n");
}
#endif
// ---- end src/nv/../render/ptx_bulk.c ----
// ---- begin src/nv/../render/ptx_producer.c ----
// ptx_producer: warps that only copy boxes, beside those that multiply (PTX ISA, mbarrier, mapa, setmaxnreg).
//
// In:  a list whose BULKs are TN_BULK_PRODUCED, in whose one loop of copies products overlap (ptx_bulk.c).
// Out: what the items do, without copies; what a warp group beside them does: loops, and copies in them.
// Holds:
//  - A slot has two mbarriers: of one a phase is over when it is full, of the other when it is empty: when each warp of
//    the items, of all groups of the cluster, has told so. Who fills waits for the latter, and nobody else: the parity
//    that it asks for first is that of the phase before the first, which is over (PTX ISA, mbarrier.test_wait).
//  - Items tell that the slot before is empty when the products that read it are done, while the next ones are under
//    way: they never wait for each other in the loop. A lane for each group of the cluster does it.
//  - Who copies is there until all slots are empty: neighbours tell it so (CUTLASS, PipelineTmaAsync, producer_tail).
//  - Registers go from those who copy to the items (PTX ISA, setmaxnreg), which has to be done by all of a warp group.
//  - Barriers of the items are number 1, and counted: of the others most threads have ended. Where products do not
//    overlap all of them have, and items copy themselves.
#ifndef TN_RENDER_PTX_PRODUCER
#define TN_RENDER_PTX_PRODUCER
#ifndef TINY_AMALGAMATED
#include "ptx_bulk.c"
#endif

// ** who does what **

static int tn_ptx_is_act(const tiny_uop *u) {
  return u->op == TINY_OP_STORE || u->op == TINY_OP_BULKSTORE || u->op == TINY_OP_BARRIER || u->op == TINY_OP_PREFETCH;
}
// Is something done at u that can be seen, by whom this is written for?
static int tn_ptx_acts(const tn_ptx *x, const tiny_uop *u) {
  if (u->op == TINY_OP_BULK) return x->role != TN_PTX_CONSUMES;
  return x->role != TN_PTX_PRODUCES && tn_ptx_is_act(u);
}
// What the role leaves out: what others do, and loops and conditions in which nothing else is done.
static void tn_ptx_survey_role(tn_ptx *x) {
  int open[TN_PTX_DEPTH] = {0}, acts[TN_PTX_DEPTH] = {0}, depth = 0;
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF) { open[++depth] = i; acts[depth] = 0; }
    else if (op == TINY_OP_END || op == TINY_OP_ENDIF) {
      x->idle[i] = x->idle[open[depth]] = !acts[depth];
      acts[depth - 1] |= acts[depth];
      depth--;
    } else if (tn_ptx_acts(x, u)) acts[depth] = 1;
    else x->idle[i] = op == TINY_OP_BULK || tn_ptx_is_act(u);
  }
}

// Of the BULKs of an iteration the first one waits until its slot is empty: the first of its block, if memory of that
// which is first in the kernel is what it fills. Before the loop others fill the rest of the slots by loops of their
// own.
static int tn_ptx_fills_first(const tn_ptx *x, const tiny_uop *u) {
  if (tn_ptx_box_memory(u) != tn_ptx_box_memory(x->bulk[0])) return 0;
  for (int i = 0; i < x->nbulk && x->bulk[i] != u; i++)
    if (x->block[x->bulk[i]->seq] == x->block[u->seq] && x->bulk[i]->src[2] == u->src[2]) return 0;
  return 1;
}
static const tiny_uop *tn_ptx_bulk_condition(const tiny_uop *u) {
  return u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
}
// Are all copies of the loop begun after the one that waits, and under its condition?
static int tn_ptx_fills_in_order(const tn_ptx *x, const tiny_uop *loop) {
  const tiny_uop *first = NULL;
  for (int i = 0; i < x->nbulk; i++) {
    if (x->block[x->bulk[i]->seq] != loop) continue;
    if (!first) first = x->bulk[i];
    if (!tn_ptx_fills_first(x, first) || x->bulk[i]->src[2] != first->src[2] ||
        tn_ptx_bulk_condition(x->bulk[i]) != tn_ptx_bulk_condition(first))
      return 0;
  }
  return first != NULL;
}
// Can warps beside the items copy? Of one loop, as it overlaps; of a kernel whose memory a launch brings.
static int tn_ptx_produces(const tn_ptx *x) {
  const tiny_uop *loop = NULL;
  if (!x->beside || !x->k->local_nbytes || tn_ptx_items(x) % TN_PRODUCER_THREADS) return 0;
  for (int i = 0; i < x->nbulk; i++)
    if (!tn_bulk_is_produced(x->bulk[i]) || tn_bulk_end(x->bulk[i]->k) > TN_PTX_EMPTIES) return 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BARRIER || !(u->k & TN_BOXES)) continue;
    if (loop || !(loop = tn_ptx_overlaps(x, u))) return 0;
  }
  return loop && tn_ptx_fills_in_order(x, loop);
}

// ** registers **

// Of a multiprocessor, and what a thread has at the most (CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability"); of those that copy, as CUTLASS gives them (sm90_gemm_tma_warpspecialized_cooperative.hpp:
// LoadRegisterRequirement); what an item has beside its sums.
enum { TN_PTX_REGISTERS = 1 << 16, TN_PTX_REGISTERS_MOST = 248,
  TN_PTX_REGISTERS_COPY = 40, TN_PTX_REGISTERS_BESIDE = 40,
  TN_PTX_SHARED = 228 << 10, TN_PTX_SHARED_BESIDE = 1 << 10 };             // bytes of a multiprocessor; a group's own

static int64_t tn_ptx_sums(const tn_ptx *x) {
  int64_t n = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_DEFINE && u->v[0] == TN_SPACE_REG && x->constant[i]) n += u->v[1] * u->lanes;
  }
  return n;
}
static int tn_ptx_eights(int64_t n) { return n < TN_PTX_REGISTERS_MOST ? (int)n / 8 * 8 : (int)TN_PTX_REGISTERS_MOST; }
// An item's, when a group has begun with so many of each thread: what those who copy leave.
static int tn_ptx_item_registers(const tn_ptx *x, int launched) {
  return tn_ptx_eights((launched * (tn_ptx_items(x) + x->beside) - TN_PTX_REGISTERS_COPY * x->beside) /
                       tn_ptx_items(x));
}
// Of each thread as a group begins: all there are, of as many groups as shared memory has room for and whose items have
// enough then.
static int tn_ptx_launched_registers(const tn_ptx *x) {
  const int64_t threads = tn_ptx_items(x) + x->beside;
  int64_t groups = TN_PTX_SHARED / (x->k->local_nbytes + TN_PTX_SHARED_BESIDE);
  for (; groups > 1; groups--) {
    const int n = tn_ptx_eights(TN_PTX_REGISTERS / threads / groups);
    if (n >= TN_PTX_REGISTERS_COPY && tn_ptx_item_registers(x, n) >= tn_ptx_sums(x) + TN_PTX_REGISTERS_BESIDE) break;
  }
  return tn_ptx_eights(TN_PTX_REGISTERS / threads / (groups > 1 ? groups : 1));
}

// ** the items **

static void tn_ptx_begin_consumers(tn_ptx *x) {
  const tn_ptx_operand beside =
      tn_ptx_do2(x, 'p', "setp.ge.u32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(tn_ptx_items(x)));
  x->guard = beside;
  tn_ptx_line(x, x->role ? "bra $PRODUCER" : "ret", NULL, 0);
  x->guard = tn_ptx_none;
  if (!x->role) return;
  tn_ptx_text(tn_ptx_body(x), "\tsetmaxnreg.inc.sync.aligned.u32 %d;\n",
              tn_ptx_item_registers(x, tn_ptx_launched_registers(x)));
  const tn_ptx_operand lane = tn_ptx_read_special(x, "laneid");
  x->tells = tn_ptx_do2(x, 'p', "setp.lt.u32", lane, tn_ptx_k(x->cluster));
  x->empties = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(8 * TN_PTX_EMPTIES));
  if (x->cluster > 1)
    x->empties = tn_ptx_do2(x, 'r', "mapa.shared::cluster.u32", x->empties,
                            tn_ptx_do2(x, 'r', "min.u32", lane, tn_ptx_k(x->cluster - 1)));
  x->before = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(-1));
}
// ** who copies **

static void tn_ptx_begin_producer(tn_ptx *x) {
  tn_ptx_text(tn_ptx_body(x), "$PRODUCER:\n\tsetmaxnreg.dec.sync.aligned.u32 %d;\n", (int)TN_PTX_REGISTERS_COPY);
  x->guard = tn_ptx_do2(x, 'p', "setp.ne.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(tn_ptx_items(x)));
  tn_ptx_line(x, "ret", NULL, 0);          // one thread is enough
  x->guard = tn_ptx_none;
  x->phases = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(-1));
  x->empties = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(8 * TN_PTX_EMPTIES));
  tn_ptx_begin_copies(x);
}
// Until the slot that u fills is empty, if u is done at all.
static void tn_ptx_wait_empty(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *condition = tn_ptx_bulk_condition(u);
  const tn_ptx_operand on = condition ? tn_ptx_held(x, tn_ptx_element(x, condition, 0), 'p') : tn_ptx_none,
                       slot = tn_ptx_narrow(x, u->src[2]);
  const int label = ++x->labels;
  char to[32];
  if (on.kind) {
    snprintf(to, sizeof to, "bra $S%d", label);
    x->guard = on; x->unless = 1;
    tn_ptx_line(x, to, NULL, 0);
    x->guard = tn_ptx_none; x->unless = 0;
  }
  tn_ptx_wait_phase(x, slot, tn_ptx_do(x, 'r', "mad.lo.s32", slot, tn_ptx_k(8), x->empties));
  if (on.kind) tn_ptx_text(tn_ptx_body(x), "$S%d:\n", label);
}
static void tn_ptx_produce(tn_ptx *x, const tiny_uop *u) {
  if (x->role && tn_ptx_fills_first(x, u)) tn_ptx_wait_empty(x, u);
  tn_ptx_bulk(x, u);
}
// Neighbours have told of all slots: nobody tells a group that is not there any more.
static void tn_ptx_end_producer(tn_ptx *x) {
  for (int i = 0; i < x->slots && x->cluster > 1; i++)
    tn_ptx_wait_phase(x, tn_ptx_k(i), tn_ptx_do2(x, 'r', "add.s32", x->empties, tn_ptx_k(8 * i)));
  tn_ptx_text(tn_ptx_body(x), "\tret;\n");
}
#endif
// ---- end src/nv/../render/ptx_producer.c ----
// ---- begin src/nv/../render/ptx_box_stores.c ----
// ptx_box_stores: boxes of shared memory that the device copies to tensors by itself (PTX ISA, cp.async.bulk.tensor,
// .global.shared::cta; sm_90 on).
//
// In:  BULKSTOREs, and the BARRIER before. Out: their lines; their tensors stand among those of BULKs (ptx_bulk.c).
// Holds: what items have written is fenced before they meet, as the device reads it by another way (fence.proxy.async).
//        Thread 0 begins copies, and before the items meet again, or the kernel ends, waits until they have read shared
//        memory: one group of them (cp.async.bulk.wait_group.read).
#ifndef TN_RENDER_PTX_BOX_STORES
#define TN_RENDER_PTX_BOX_STORES
#ifndef TINY_AMALGAMATED
#include "ptx_bulk.c"
#endif

static void tn_ptx_count_box_stores(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) x->box_stores += x->k->list[i]->op == TINY_OP_BULKSTORE;
}
// Their tensors, behind those of BULKs; what is stored to is no memory that a kernel reads alone.
static void tn_ptx_survey_box_stores(tn_ptx *x) {
  if (!x->box_stores || x->failed) return;
  if (x->sm < 90) { tn_ptx_fail(x, "BULKSTORE"); return; }
  tn_ptx_wants_version(x, 80);
  const tiny_uop **map = (const tiny_uop **)tn_ptx_scratch(x->t, (TN_PTX_MAPS + 1) * sizeof *map);
  if (!map) { x->failed = 1; return; }
  if (x->nmap) memcpy(map, x->map, (size_t)x->nmap * sizeof *map);
  x->map = map;
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULKSTORE) continue;
    if (tn_ptx_map_of(x, u) == x->nmap) x->map[x->nmap++] = u;
    if (x->nmap > TN_PTX_MAPS) tn_ptx_fail(x, "so many tensors");
  }
}
// What thread 0 is known by, and where the tensors are, unless BULKs have said so, of these items.
static void tn_ptx_begin_box_stores(tn_ptx *x) {
  if (!x->box_stores || x->failed || (x->nbulk && x->role != TN_PTX_CONSUMES)) return;
  if (!x->nbulk) x->first = tn_ptx_do2(x, 'p', "setp.eq.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(0));
  tn_ptx_begin_maps(x);
}

// Is some box stored of memory that is there behind the barrier?
static int tn_ptx_is_before_boxes(const tn_ptx *x, const tiny_uop *barrier) {
  for (int i = (int)barrier->seq + 1; i < x->k->n && x->box_stores; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULKSTORE) continue;
    for (const tiny_uop *m = u->src[0]->src[0]; m->op == TINY_OP_AFTER; m = m->src[0])
      for (uint32_t j = 1; j < m->nsrc; j++) if (m->src[j] == barrier) return 1;
  }
  return 0;
}
static void tn_ptx_box_store(tn_ptx *x, const tiny_uop *u) {
  const int dims = tn_bulk_dims(u);
  const tiny_uop *index = u->src[0];
  const tn_ptx_address from = tn_ptx_address_of(x, index);
  tn_ptx_operand place[TN_BOX_DIMS], on = x->first;
  for (int i = 0; i < dims; i++) place[i] = tn_ptx_narrow(x, u->src[2 + i]);
  if (index->nsrc == 3)
    on = tn_ptx_do2(x, 'p', "and.pred", on, tn_ptx_held(x, tn_ptx_element(x, index->src[2], 0), 'p'));
  if (x->failed) return;
  x->leaves = 1;
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "\t@");
  tn_ptx_operand_text(out, on);
  tn_ptx_text(out, " cp.async.bulk.tensor.%dd.global.shared::cta.bulk_group [", dims);
  tn_ptx_operand_text(out, x->map_at[tn_ptx_map_of(x, u)]);
  tn_ptx_text(out, ", {");
  for (int i = 0; i < dims; i++) { tn_ptx_text(out, i ? ", " : ""); tn_ptx_operand_text(out, place[i]); }
  tn_ptx_text(out, "}], ");
  tn_ptx_address_text(x, &from, 0);
  tn_ptx_text(out, ";\n");
}
// Until those that were begun have read what they copy.
static void tn_ptx_wait_box_stores(tn_ptx *x) {
  static const char *const lines[2] = {"commit_group", "wait_group.read 0"};
  for (int i = 0; i < 2 && x->leaves; i++) {
    tn_ptx_text(tn_ptx_body(x), "\t@");
    tn_ptx_operand_text(tn_ptx_body(x), x->first);
    tn_ptx_text(tn_ptx_body(x), " cp.async.bulk.%s;\n", lines[i]);
  }
  x->leaves = 0;
}
#endif
// ---- end src/nv/../render/ptx_box_stores.c ----
// ---- begin src/nv/../render/ptx.c ----
// ptx: a program -> PTX, NVIDIA's virtual machine code, for sm_75 and later.
//
// In:  the list of a lowered kernel, verified, of what tn_lang_ptx says can be done. Out: an entry; of such entries a
//      module, of the least version that its instructions and its target have.
// Holds:
//  - A kernel's parameters are those of lang_cuda.c: 128 words, memory of PARAM k the k-th, ARG k the k-th from the
//    end; a module has the variable tiny_values. Items of a group are numbered in dim 0 alone.
//  - A loop asks at its end whether it goes on, and before it begins only if it may not run at all.
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX
#define TN_RENDER_PTX
#ifndef TINY_AMALGAMATED
#include "ptx_producer.c"
#include "ptx_box_stores.c"
#endif

enum { TN_PTX_PARAMETERS = 128 };

// ** values of vectors **

static void tn_ptx_bitcast(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (s->lanes == u->lanes && !(tn_ptx_packs(u) && x->words[s->seq] >= 0 && x->elements[s->seq] < 0)) {
    const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) {
      const tn_ptx_operand o = tn_ptx_bits_as(x, s->dtype, u->dtype, tn_ptx_element(x, s, i));
      tn_ptx_put(x, first + i, o);
    }
    return;
  }
  if (tn_ptx_packs(u) && tn_ptx_packs(s)) { x->words[u->seq] = x->words[s->seq]; return; }
  const int n = tn_ptx_nwords(u), words = tn_ptx_take(x, n), wide = tn_ptx_bits(u->dtype) == 64;
  for (int i = 0; i < n; i++) { const tn_ptx_operand o = tn_ptx_word(x, s, i); tn_ptx_put(x, words + i, o); }
  if (tn_ptx_packs(u)) { x->words[u->seq] = words; return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    const tn_ptx_operand *word = &x->pool.of[words + (wide ? 2 * i : i)];
    tn_ptx_put(x, first + i, tn_ptx_of_words(x, u->dtype, word[0], word[wide]));
  }
}

// Two at a time (PTX ISA, cvt: .f16x2 and .bf16x2 of f32 from sm_80 on).
static void tn_ptx_cast_pairs(tn_ptx *x, const tiny_uop *u) {
  const int n = tn_ptx_nwords(u), first = x->words[u->seq] = tn_ptx_take(x, n);
  for (int i = 0; i < n; i++)
    tn_ptx_put(x, first + i, tn_ptx_do2(x, 'r', u->dtype == TINY_F16 ? "cvt.rn.f16x2.f32" : "cvt.rn.bf16x2.f32",
                                        tn_ptx_element(x, u->src[0], 2 * i + 1), tn_ptx_element(x, u->src[0], 2 * i)));
}
// Words of fp8: two conversions each (PTX ISA, cvt, .e4m3x2 and .e5m2x2). What lies beyond e4m3 is NaN before; of e5m2
// elements go one by one.
static void tn_ptx_cast_codes(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand nan = {'F', 0x7FC00000};
  const int n = tn_ptx_nwords(u), first = x->words[u->seq] = tn_ptx_take(x, n);
  for (int i = 0; i < 2 * n; i += 2) {
    tn_ptx_operand half[2], f[2];
    for (int j = 0; j < 4; j++) {
      f[j & 1] = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 2 * i + j), 'f');
      f[j & 1] = tn_ptx_do(x, 'f', "selp.f32", nan, f[j & 1], tn_ptx_beyond_fp8(x, u->dtype, f[j & 1]));
      if (j & 1) half[j / 2] = tn_ptx_do2(x, 'h', "cvt.rn.satfinite.e4m3x2.f32", f[1], f[0]);
    }
    tn_ptx_put(x, first + i / 2, tn_ptx_join(x, 'r', "mov.b32", half));
  }
}
// Elements of words of fp8: f32 of f16, of which an instruction gives two.
static void tn_ptx_cast_of_codes(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  tn_ptx_operand pair[2], half[2];
  for (int i = 0; i < u->lanes && !x->failed; i += 2) {
    if (i % 4 == 0) {
      pair[0] = tn_ptx_register(x, 'h'); pair[1] = tn_ptx_register(x, 'h');
      tn_ptx_split(x, "mov.b32", pair, x->pool.of[x->words[s->seq] + i / 4]);
    }
    half[0] = tn_ptx_register(x, 'h'); half[1] = tn_ptx_register(x, 'h');
    tn_ptx_split(x, "mov.b32", half, tn_ptx_halves_of_fp8(x, s->dtype, pair[i / 2 % 2]));
    for (int j = 0; j < 2; j++)
      tn_ptx_put(x, first + i + j, tn_ptx_float_to_float(x, TINY_F16, u->dtype, half[j]));
  }
}
static void tn_ptx_cast_all(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int narrows = s->dtype == TINY_F32 && tn_ptx_class(u->dtype) == 'h', words = x->wants[u->seq] & TN_PTX_WORDS;
  if (x->sm >= 80 && narrows && words && tn_ptx_packs(u)) { tn_ptx_cast_pairs(x, u); return; }
  if (s->dtype == TINY_F32 && u->dtype == TINY_F8E4M3 && words && tn_ptx_packs(u)) { tn_ptx_cast_codes(x, u); return; }
  if (tn_ptx_is_fp8(s->dtype) && x->words[s->seq] >= 0 && tn_ptx_is_float(u->dtype)) {
    tn_ptx_cast_of_codes(x, u);
    return;
  }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  const int pairs = s->dtype == TINY_BF16 && x->words[s->seq] >= 0;
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    if (!pairs) { tn_ptx_put(x, first + i, tn_ptx_cast(x, s, u->dtype, tn_ptx_element(x, s, i))); continue; }
    const tn_ptx_operand word = x->pool.of[x->words[s->seq] + i / 2];
    tn_ptx_operand f = tn_ptx_do2(x, 'r', i & 1 ? "and.b32" : "shl.b32", word, tn_ptx_k(i & 1 ? -65536 : 16));
    f = tn_ptx_do1(x, 'f', "mov.b32", f);
    tn_ptx_put(x, first + i, tn_ptx_float_to_float(x, TINY_F32, u->dtype, f));
  }
}

static void tn_ptx_pick(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (x->elements[s->seq] >= 0) x->elements[u->seq] = x->elements[s->seq] + (s->lanes > 1 ? (int)u->k : 0);
  if (x->words[s->seq] >= 0 && u->lanes > 1 && tn_ptx_packs(u) && u->k * tn_ptx_bits(u->dtype) % 32 == 0)
    x->words[u->seq] = x->words[s->seq] + (int)u->k * tn_ptx_bits(u->dtype) / 32;
}
static void tn_ptx_lanes(tn_ptx *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes), all = u->op != TINY_OP_STACK;
  for (int n = 0; all && n < u->lanes; n++)
    tn_ptx_put(x, first + n, u->op == TINY_OP_LANE ? tn_ptx_k(n) : tn_ptx_element(x, u->src[0], n % u->src[0]->lanes));
  for (int n = 0, j = 0; !all && j < (int)u->nsrc; j++)
    for (int i = 0; i < u->src[j]->lanes && n < u->lanes; i++)
      tn_ptx_put(x, first + n++, tn_ptx_element(x, u->src[j], i));
}

// Of what is there only under a condition more of that kind is made.
static void tn_ptx_guard_partial(tn_ptx *x, const tiny_uop *u) {
  for (uint32_t j = 0; j < u->nsrc; j++)
    if (u->src[j]->op != TINY_OP_INDEX && x->partial[u->src[j]->seq]) {
      x->partial[u->seq] = 1;
      x->guard = tn_ptx_element(x, x->under[u->seq], 0);
    }
}
static void tn_ptx_elementwise(tn_ptx *x, const tiny_uop *u) {
  if (tn_ptx_is_narrow(u)) { tn_ptx_narrow_all(x, u); return; }
  if (tn_ptx_is_paired(x, u)) { tn_ptx_paired_all(x, u); return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    tn_ptx_operand o[4];
    for (uint32_t j = 0; j < u->nsrc && j < 4; j++) o[j] = tn_ptx_element(x, u->src[j], i);
    tn_ptx_put(x, first + i, tn_ptx_alu(x, u, o));
  }
}

// ** what warps do together **

static tn_ptx_operand tn_ptx_exchange(tn_ptx *x, tn_ptx_operand word, int64_t mask, char kind) {
  const tn_ptx_operand y = tn_ptx_register(x, kind);
  tn_ptx_begin(x, "shfl.sync.bfly.b32");
  tn_ptx_operand_text(tn_ptx_body(x), y);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_operand_text(tn_ptx_body(x), word);
  tn_ptx_text(tn_ptx_body(x), ", %lld, 31, -1;\n", (long long)mask);
  return y;
}
static void tn_ptx_shuffle(tn_ptx *x, const tiny_uop *u) {
  const char kind = tn_ptx_class(u->dtype);
  const int first = x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_operand o = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 0), kind);
  if (kind == 'd' || kind == 'g') {
    tn_ptx_operand half[2] = {tn_ptx_register(x, 'r'), tn_ptx_register(x, 'r')};
    tn_ptx_split(x, "mov.b64", half, o);
    for (int i = 0; i < 2; i++) half[i] = tn_ptx_exchange(x, half[i], u->k, 'r');
    o = tn_ptx_join(x, kind, "mov.b64", half);
  } else if (kind == 'h') {
    o = tn_ptx_exchange(x, tn_ptx_do1(x, 'r', "cvt.u32.u16", o), u->k, 'r');
    o = tn_ptx_do1(x, 'h', "cvt.u16.u32", o);
  } else if (kind == 'p') {
    o = tn_ptx_exchange(x, tn_ptx_do(x, 'r', "selp.b32", tn_ptx_k(1), tn_ptx_k(0), o), u->k, 'r');
    o = tn_ptx_do2(x, 'p', "setp.ne.s32", o, tn_ptx_k(0));
  } else o = tn_ptx_exchange(x, o, u->k, kind);
  tn_ptx_put(x, first, o);
}

// Of operands: f32 is read as TF32.
static const char *tn_ptx_unit_type(int dtype) {
  switch (dtype) {
    case TINY_F32: return "tf32";
    case TINY_F8E4M3: return "e4m3";
    case TINY_F8E5M2: return "e5m2";
    case TINY_I8: return "s8";
    default: return tn_ptx_type(dtype);
  }
}
// A row of tn_warp_units; the first one is the first of sm_75.
static void tn_ptx_matrix(tn_ptx *x, const tiny_uop *u) {
  int n;
  const tiny_warp_unit *unit = tiny_warp_units("sm_75", &n) + (u->k >> TN_WMMA_UNIT) - 1;
  char name[96];
  const char *type[2] = {tn_ptx_unit_type(unit->a), tn_ptx_unit_type(unit->b)};
  const int own = u->k >> TN_WMMA_UNIT >= 1 && !strncmp(unit->name, "sm", 2);
  if (own && tn_ptx_is_whole(u)) { tn_ptx_tcgen05(x, u, unit); return; }
  if (own && tn_ptx_is_by_unit(u->src[1])) { tn_ptx_wgmma(x, u, unit, type); return; }
  const int first = tn_ptx_take(x, u->lanes);
  if (!own || u->lanes != 4) { tn_ptx_fail(x, "WMMA"); return; }
  snprintf(name, sizeof name, "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s", unit->m, unit->n, unit->k,
           tn_ptx_type(unit->c), type[0], type[1], tn_ptx_type(unit->c));
  tn_ptx_wants_version(x, unit->a >= TINY_F8E4M3 && unit->a <= TINY_F8E5M2 ? 84 : 65);           // PTX ISA, mma
  const char kind = tn_ptx_class(u->dtype);
  tn_ptx_operand o[3][4];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < u->src[j]->lanes && i < 4; i++)
      o[j][i] = tn_ptx_held(x, tn_ptx_element(x, u->src[j], i), j < 2 ? 'r' : kind);
  for (int i = 0; i < 4; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, kind));
  if (x->failed) return;
  tn_ptx_begin(x, name);
  tn_ptx_group(tn_ptx_body(x), &x->pool.of[first], 4);
  for (int j = 0; j < 3; j++) {
    tn_ptx_text(tn_ptx_body(x), u->src[j]->lanes == 1 ? ", {" : ", ");
    tn_ptx_group(tn_ptx_body(x), o[j], u->src[j]->lanes);
    if (u->src[j]->lanes == 1) tn_ptx_text(tn_ptx_body(x), "}");
  }
  tn_ptx_text(tn_ptx_body(x), ";\n");
  x->elements[u->seq] = first;
}

static void tn_ptx_barrier(tn_ptx *x, const tiny_uop *u) {
  const int64_t stores = u->k & ~(int64_t)TN_BOXES;
  if (u->k & TN_BOXES) tn_ptx_wait_boxes(x, u->src[0]);
  x->overlaps = u->k ? tn_ptx_overlaps(x, u) : NULL;
  if (x->overlaps && x->tensor) tn_ptx_tensor_goes_on(x, u);
  if (x->overlaps && !stores) return;
  if (stores && x->sm >= 80) {
    tn_ptx_text(tn_ptx_body(x), "\tcp.async.commit_group;\n");
    tn_ptx_text(tn_ptx_body(x), "\tcp.async.wait_group %lld;\n", (long long)stores - 1);
  }
  if (x->fences || tn_ptx_is_before_boxes(x, u)) tn_ptx_text(tn_ptx_body(x), "\tfence.proxy.async.shared::cta;\n");
  x->met = 1;
  if (x->tensor) tn_ptx_fences(x, "\tbar.sync 0;\n");
  else tn_ptx_meet(x, tn_ptx_body(x));
}

// ** loops and conditions **

static tn_ptx_level *tn_ptx_open(tn_ptx *x, const tiny_uop *u) {
  tn_ptx_level *l = &x->level[++x->depth];
  l->body.t = l->tail.t = x->t;
  l->body.n = l->tail.n = 0;
  l->opened = u; l->label = ++x->labels; l->serial = ++x->serial;
  x->at = x->depth;
  return l;
}
// Back to the level around it; the one that ends.
static tn_ptx_level *tn_ptx_close(tn_ptx *x) {
  tn_ptx_level *l = &x->level[x->depth];
  x->at = --x->depth;
  return l;
}
static void tn_ptx_branch(tn_ptx *x, tn_ptx_operand on, int unless, const char *label, int number) {
  char to[32];
  x->guard = on; x->unless = unless;
  snprintf(to, sizeof to, "bra $%s%d", label, number);
  tn_ptx_line(x, to, NULL, 0);
  tn_ptx_unguard(x);
}

static const char *tn_ptx_compares(const char *op, int dtype, char *out, size_t nbytes) {
  return tn_ptx_name(out, nbytes, op, tn_ptx_type(dtype));
}
static void tn_ptx_range(tn_ptx *x, const tiny_uop *u) {
  char op[16];
  const char kind = tn_ptx_class(u->dtype);
  const tiny_uop *from = u->nsrc > 1 ? u->src[1] : NULL;
  const tn_ptx_operand start = from ? tn_ptx_element(x, from, 0) : tn_ptx_k(0), end = tn_ptx_element(x, u->src[0], 0),
                       counter = tn_ptx_do1(x, kind, kind == 'd' ? "mov.b64" : "mov.b32", start);
  const int runs = u->src[0]->vmin > (from ? from->vmax : 0) && u->dtype != TINY_U64;
  tn_ptx_operand skips = tn_ptx_none;
  x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_put(x, x->elements[u->seq], counter);
  if (!runs) skips = tn_ptx_do2(x, 'p', tn_ptx_compares("setp.ge", u->dtype, op, sizeof op), counter, end);
  tn_ptx_level *l = tn_ptx_open(x, u);
  l->counter = counter; l->skips = skips;
}
// Are copies of the loop's iterations more than they save? ptxas makes them of what has few instructions, too, at the
// price of registers (bench/sass.md).
static int tn_ptx_is_rolled(const tn_ptx *x, const tn_ptx_level *l) {
  enum { MOST = 96 };                      // lines
  int lines = 0;
  for (size_t i = 0; i < l->body.n; i++) lines += l->body.data[i] == '\n';
  return x->by_unit || lines >= MOST || (x->k->hints[l->opened->seq] & TINY_HINT_ROLLED) != 0;
}
static void tn_ptx_end(tn_ptx *x) {
  char op[16];
  tn_ptx_level *l = tn_ptx_close(x);
  if (l->skips.kind) tn_ptx_branch(x, l->skips, 0, "E", l->label);
  tn_ptx_text(tn_ptx_body(x), "$L%d:\n", l->label);
  if (tn_ptx_is_rolled(x, l)) tn_ptx_text(tn_ptx_body(x), "\t.pragma \"nounroll\";\n");
  if (l->body.n) tiny_bytes_add(tn_ptx_body(x), l->body.data, l->body.n);
  if (l->tail.n) tiny_bytes_add(tn_ptx_body(x), l->tail.data, l->tail.n);
  const tn_ptx_operand next[3] = {l->counter, l->counter, tn_ptx_k(1)};
  tn_ptx_line(x, l->counter.kind == 'd' ? "add.s64" : "add.s32", next, 3);
  const tn_ptx_operand on = tn_ptx_do2(x, 'p', tn_ptx_compares("setp.lt", l->opened->dtype, op, sizeof op), l->counter,
                                       tn_ptx_element(x, l->opened->src[0], 0));
  tn_ptx_branch(x, on, 0, "L", l->label);
  if (x->tensor && x->overlaps == l->opened) tn_ptx_tensor_drain(x);
  if (l->skips.kind) tn_ptx_text(tn_ptx_body(x), "$E%d:\n", l->label);
  if (!x->overlaps || x->overlaps != l->opened) return;
  if (x->tensor) { tn_ptx_tensor_ends(x); return; }
  tn_ptx_text(tn_ptx_body(x), "\twgmma.wait_group.sync.aligned 0;\n");
  if (x->role == TN_PTX_CONSUMES) tn_ptx_release(x, tn_ptx_k(-1));
  x->overlaps = NULL;
}
static void tn_ptx_if(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand on = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 0), 'p');
  tn_ptx_open(x, u)->counter = on;
}
static void tn_ptx_endif(tn_ptx *x) {
  tn_ptx_level *l = tn_ptx_close(x);
  tn_ptx_branch(x, l->counter, 1, "E", l->label);
  if (l->body.n) tiny_bytes_add(tn_ptx_body(x), l->body.data, l->body.n);
  tn_ptx_text(tn_ptx_body(x), "$E%d:\n", l->label);
}

// ** a kernel **

static void tn_ptx_parameter(tn_ptx *x, const tiny_uop *u) {
  const int buffer = u->op == TINY_OP_PARAM, first = x->elements[u->seq] = tn_ptx_take(x, 1);
  const char kind = buffer ? 'd' : tn_ptx_class(u->dtype);
  const int64_t at = buffer ? u->k : TN_PTX_PARAMETERS - 1 - u->k;
  tn_ptx_operand o = tn_ptx_register(x, kind);
  tn_ptx_text(tn_ptx_body(x), "\tld.param.%s ", buffer ? "u64" : tn_ptx_stored(u->dtype));
  tn_ptx_operand_text(tn_ptx_body(x), o);
  tn_ptx_text(tn_ptx_body(x), ", [v+%lld];\n", (long long)(8 * at));
  tn_ptx_put(x, first, buffer ? tn_ptx_do1(x, 'd', "cvta.to.global.u64", o) : o);
}
// o / n, or what is left; powers of two by bits.
static tn_ptx_operand tn_ptx_divided(tn_ptx *x, tn_ptx_operand o, int64_t n, int left) {
  int64_t k = 0;
  while ((int64_t)1 << k < n) k++;
  if ((int64_t)1 << k != n) return tn_ptx_do2(x, 'r', left ? "rem.u32" : "div.u32", o, tn_ptx_k(n));
  return left ? tn_ptx_do2(x, 'r', "and.b32", o, tn_ptx_k(n - 1)) : tn_ptx_do2(x, 'r', "shr.u32", o, tn_ptx_k(k));
}
// Of items of a group the number along a dim, by their number in all.
static tn_ptx_operand tn_ptx_item(tn_ptx *x, int dim) {
  const int64_t *n = x->k->local;
  int64_t below = 1, above = 1;
  for (int i = 0; i < dim; i++) below *= n[i];
  for (int i = dim + 1; i < 3; i++) above *= n[i];
  if (n[dim] == 1) return tn_ptx_k(0);
  if (x->role == TN_PTX_PRODUCES) tn_ptx_fail(x, "a box that moves with items");
  tn_ptx_operand o = tn_ptx_read_special(x, "tid.x");
  if (below > 1) o = tn_ptx_divided(x, o, below, 0);
  return above > 1 ? tn_ptx_divided(x, o, n[dim], 1) : o;
}
static void tn_ptx_special(tn_ptx *x, const tiny_uop *u) {
  static const char *const groups[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
  const int dim = (int)(u->k & 15), first = x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_operand o = u->k & 16 ? tn_ptx_item(x, dim) : tn_ptx_read_special(x, groups[dim]);
  if (tn_ptx_bits(u->dtype) == 64 && !tn_ptx_is_number(o)) o = tn_ptx_do1(x, 'd', "cvt.u64.u32", o);
  tn_ptx_put(x, first, o);
}
static void tn_ptx_constant(tn_ptx *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes),
            half = tn_ptx_class(u->dtype) == 'h' || tn_ptx_is_fp8(u->dtype);
  for (int i = 0; i < u->lanes; i++)
    tn_ptx_put(x, first + i, half ? tn_ptx_k(tn_const_narrow(u->dtype, u->k)) : tn_ptx_number(u->dtype, u->k));
}

static void tn_ptx_node(tn_ptx *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_PARAM: case TINY_OP_ARG: tn_ptx_parameter(x, u); return;
    case TINY_OP_CONST: tn_ptx_constant(x, u); return;
    case TINY_OP_SPECIAL: tn_ptx_special(x, u); return;
    case TINY_OP_DEFINE: tn_ptx_define(x, u); return;
    case TINY_OP_AFTER:
      x->elements[u->seq] = x->elements[u->src[0]->seq];
      x->words[u->seq] = x->words[u->src[0]->seq];
      return;
    case TINY_OP_LOAD:
      if (tn_ptx_in_registers(x, u->src[0])) tn_ptx_load_register(x, u);
      else if (u->k) tn_ptx_load_rows(x, u);
      else tn_ptx_load(x, u);
      return;
    case TINY_OP_STORE:
      if (tn_ptx_in_registers(x, u->src[0])) tn_ptx_store_register(x, u);
      else if (tn_ptx_copies(x, u)) tn_ptx_copy(x, u);
      else tn_ptx_store(x, u);
      return;
    case TINY_OP_PREFETCH: tn_ptx_prefetch(x, u); return;
    case TINY_OP_BULK: tn_ptx_produce(x, u); return;
    case TINY_OP_BULKSTORE: tn_ptx_box_store(x, u); return;
    case TINY_OP_RANGE: tn_ptx_range(x, u); return;
    case TINY_OP_IF: tn_ptx_if(x, u); return;
    case TINY_OP_PICK: tn_ptx_pick(x, u); return;
    case TINY_OP_LANE: case TINY_OP_BROADCAST: case TINY_OP_STACK: tn_ptx_lanes(x, u); return;
    case TINY_OP_SHUFFLE: tn_ptx_shuffle(x, u); return;
    case TINY_OP_WMMA: tn_ptx_matrix(x, u); return;
    default: break;
  }
  tn_ptx_guard_partial(x, u);
  switch (u->op) {
    case TINY_OP_BITCAST: tn_ptx_bitcast(x, u); break;
    case TINY_OP_CAST: tn_ptx_cast_all(x, u); break;
    default: tn_ptx_elementwise(x, u);
  }
  tn_ptx_unguard(x);
}
// Do products wait while u is done? Not for what they give, nor where memory or the place changes.
static int tn_ptx_leaves_batch(const tn_ptx *x, const tiny_uop *u) {
  const int reg = (u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE) && tn_is_reg(u->src[0]->src[0]);
  const int last = x->last[u->seq];
  switch (u->op) {
    case TINY_OP_WMMA: case TINY_OP_INDEX: return 1;
    case TINY_OP_LOAD: return !reg || (last < x->k->n && x->k->list[last]->op == TINY_OP_WMMA);    // a sum so far
    case TINY_OP_STORE:                    // of one that was added to in place
      return reg && tn_ptx_in_registers(x, u->src[0]) && u->src[1]->op == TINY_OP_WMMA &&
          x->elements[u->src[1]->seq] == tn_ptx_reg_at(x, u->src[0]);
    case TINY_OP_BARRIER: case TINY_OP_RANGE: case TINY_OP_END: case TINY_OP_IF: case TINY_OP_ENDIF: case TINY_OP_BULK:
    case TINY_OP_BULKSTORE: return 0;
    default: break;
  }
  for (uint32_t j = 0; j < u->nsrc; j++) if (u->src[j]->op == TINY_OP_WMMA) return 0;
  return 1;
}
// Where loops and conditions begin and end, and at barriers, products that were started are waited for.
static void tn_ptx_before(tn_ptx *x, const tiny_uop *u) {
  const int op = u->op, begins = op == TINY_OP_RANGE || op == TINY_OP_IF;
  if (x->batch.n && !tn_ptx_leaves_batch(x, u)) tn_ptx_flush(x);
  const int ends = begins || op == TINY_OP_BARRIER || op == TINY_OP_END || op == TINY_OP_ENDIF;
  if (op == TINY_OP_END && x->tensor && x->overlaps == x->level[x->depth].opened) tn_ptx_tensor_turn(x);
  else if (ends) tn_ptx_tensor_wait(x);
  if (ends) tn_ptx_wait_box_stores(x);
  if (begins) x->met = 0;
}
static void tn_ptx_statement(tn_ptx *x, const tiny_uop *u) {
  if (x->idle[u->seq]) return;
  tn_ptx_before(x, u);
  if (tn_ptx_is_by_unit(u)) return;
  switch (u->op) {
    case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: return;
    case TINY_OP_BARRIER: tn_ptx_barrier(x, u); return;
    case TINY_OP_END: tn_ptx_end(x); if (x->tensor) tn_ptx_kept_at_end(x, u); return;
    case TINY_OP_ENDIF: tn_ptx_endif(x); return;
    default: break;
  }
  if (!x->needed[u->seq] || (x->tensor && tn_ptx_of_kept(x, u))) return;
  tn_ptx_node(x, u);
  if (u->op == TINY_OP_DEFINE && (x->wants[u->seq] & TN_PTX_KEPT)) tn_ptx_keep(x, u, tn_ptx_kept_product(x, u));
  if (u->dtype != TINY_VOID && u->op != TINY_OP_DEFINE && u->op != TINY_OP_AFTER)
    tn_ptx_complete(x, u);
}

// The tables of a kernel's nodes. 0: there is no memory for them.
static int tn_ptx_tables(tn_ptx *x) {
  const size_t n = (size_t)x->k->n + 1;
  size_t indices = 1, steps = 64;
  for (int i = 0; i < x->k->n; i++) indices += x->k->list[i]->op == TINY_OP_INDEX;
  while (steps < 2 * indices * (TN_PTX_TERMS / 2 + 1)) steps *= 2;
  x->elements = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->words = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->last = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->block = (const tiny_uop **)tn_ptx_scratch(x->t, n * sizeof *x->block);
  x->under = (const tiny_uop **)tn_ptx_scratch(x->t, n * sizeof *x->under);
  x->wants = (uint8_t *)tn_ptx_scratch(x->t, 7 * n);
  x->sum = (tn_ptx_sum *)tn_ptx_scratch(x->t, indices * sizeof *x->sum);
  x->step = (tn_ptx_step *)tn_ptx_scratch(x->t, steps * sizeof *x->step);
  x->level = (tn_ptx_level *)tn_ptx_scratch(x->t, TN_PTX_DEPTH * sizeof *x->level);
  if (!x->elements || !x->words || !x->last || !x->block || !x->under || !x->wants || !x->sum || !x->step || !x->level)
    return 0;
  x->zeros = x->wants + n; x->needed = x->zeros + n; x->inside = x->needed + n; x->constant = x->inside + n;
  x->partial = x->constant + n; x->idle = x->partial + n;
  x->nstep = (int)steps;
  memset(x->constant, 1, n);
  return 1;
}

static void tn_ptx_entry(const tn_ptx *x, const tn_ptx *producer, tiny_bytes *out) {
  static const char kinds[] = "phrdfg";
  const int64_t threads = tn_ptx_items(x) + x->beside;
  tn_ptx_text(out, ".visible .entry %s(.param .align 8 .b8 v[%d]", x->k->name, 8 * TN_PTX_PARAMETERS);
  if (x->nmap) tn_ptx_text(out, ", .param .align 64 .b8 m[%d]", TN_PTX_MAP_NBYTES * x->nmap);
  tn_ptx_text(out, ")\n");
  tn_ptx_text(out, "\t.reqntid %lld, 1, 1\n", (long long)threads);
  if (producer) tn_ptx_text(out, "\t.maxnreg %d\n", tn_ptx_launched_registers(x));
  else tn_ptx_text(out, "\t.minnctapersm 1\n");
  if (x->cluster > 1) tn_ptx_text(out, "\t.reqnctapercluster %d, 1, 1\n", x->cluster);
  tn_ptx_text(out, "{\n");
  for (int i = 0; i < TN_PTX_CLASSES; i++) {
    const long long n = (long long)(producer ? producer : x)->registers[i] + 1;      // they are numbered from 1 on
    if (n > 1) tn_ptx_text(out, "\t.reg .%s %%%c<%lld>;\n", tn_ptx_bare(kinds[i]), kinds[i], n);
  }
  if (x->declares.n) tiny_bytes_add(out, x->declares.data, x->declares.n);
  if (x->level->body.n) tiny_bytes_add(out, x->level->body.data, x->level->body.n);
  tn_ptx_text(out, "\tret;\n");
  if (producer) tiny_bytes_add(out, producer->level->body.data, producer->level->body.n);
  tn_ptx_text(out, "}\n");
  tn_ptx_maps_text(x, out);
}

// The version of PTX that a target came with (PTX ISA, "Release Notes").
static int tn_ptx_version(int sm, int own) {
  static const struct { int sm, plain, own; } versions[] = {
    {75, 63, 63}, {80, 70, 70}, {86, 71, 71}, {87, 74, 74}, {89, 78, 78}, {90, 78, 80}, {100, 86, 86}, {103, 88, 88},
    {110, 90, 90}, {120, 87, 87}, {121, 88, 88}};
  int v = 90;
  for (size_t i = sizeof versions / sizeof *versions; i-- > 0;)
    if (versions[i].sm >= sm) v = own ? versions[i].own : versions[i].plain;
  return v;
}

typedef struct tn_ptx_target { const char *name; int sm, own; } tn_ptx_target;   // own: with what its family has alone

enum { TN_PTX_USES_BOXES = 1 << 16 };      // of what a kernel uses, beside a version

// What is to be known before a line is written, of the warps of a role.
static tiny_code tn_ptx_look(tn_ptx *x, tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, int role) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  memset(x, 0, sizeof *x);
  x->t = x->declares.t = x->batch.t = x->copies.t = t; x->k = k; x->sm = target->sm; x->role = role;
  x->version = tn_ptx_version(target->sm, target->own);
  x->beside = tn_producer_threads(k->list, k->n);
  if (!tn_ptx_tables(x)) return TINY_E_MEMORY;
  x->depth = -1;
  tn_ptx_open(x, NULL);
  tn_ptx_place(x);
  for (int i = 0; i < k->n && !x->failed; i++)
    if (k->list[i]->op == TINY_OP_INDEX) tn_ptx_sum_of(x, k->list[i]->src[1], tn_ptx_sum_at(x, k->list[i]));
  tn_ptx_survey_boxes(x);
  tn_ptx_count_box_stores(x);
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (!tn_ptx_loads_matrices(u)) continue;
    x->by_unit = 1;
    x->fences |= !tn_ptx_holds_boxes(x, tn_memory_behind(u->src[0]->src[0]));
  }
  if (role) tn_ptx_survey_role(x);
  if (!x->failed) { tn_ptx_survey(x); tn_ptx_survey_registers(x); }
  return x->failed ? TINY_E_INTERNAL : TINY_OK;
}
// The warps that only copy: registers and labels go on from those of the others.
static int tn_ptx_producer(tn_ptx *p, const tn_ptx *x, const tiny_renderer *r) {
  if (tn_ptx_look(p, x->t, r, x->k, TN_PTX_PRODUCES) != TINY_OK) return 0;
  memcpy(p->registers, x->registers, sizeof p->registers);
  p->labels = x->labels; p->cluster = x->cluster; p->slot_at = x->slot_at;
  tn_ptx_survey_maps(p);
  tn_ptx_begin_producer(p);
  for (int i = 0; i < x->k->n && !p->failed; i++) tn_ptx_statement(p, x->k->list[i]);
  if (!p->failed) tn_ptx_end_producer(p);
  return !p->failed;
}
static tiny_code tn_ptx_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                               uint64_t *uses) {
  tn_ptx x, producer;
  tiny_code code = tn_ptx_look(&x, t, r, k, TN_PTX_ALL);
  if (code != TINY_OK) return code;
  if (x.by_unit) tn_ptx_tensor_survey(&x);
  if (x.tensor && x.beside) tn_ptx_fail(&x, "a producer");
  const int produces = !x.failed && tn_ptx_produces(&x),
            cluster = x.nbulk && !x.failed && (produces || !x.beside) ? tn_ptx_cluster(&x, produces) : 1;
  if (produces) code = tn_ptx_look(&x, t, r, k, TN_PTX_CONSUMES);
  if (code != TINY_OK) return code;
  x.cluster = cluster;
  tn_ptx_survey_maps(&x);
  tn_ptx_survey_box_stores(&x);
  if (x.tensor && !x.failed) tn_ptx_tensor_open(&x);
  tn_ptx_begin_boxes(&x);
  tn_ptx_begin_box_stores(&x);
  if (x.beside && !x.failed) tn_ptx_begin_consumers(&x);
  for (int i = 0; i < k->n && !x.failed; i++) tn_ptx_statement(&x, k->list[i]);
  tn_ptx_wait_box_stores(&x);
  if (x.tensor && !x.failed) tn_ptx_tensor_close(&x);
  if (x.failed || (produces && !tn_ptx_producer(&producer, &x, r))) return TINY_E_INTERNAL;
  tn_ptx_entry(&x, produces ? &producer : NULL, out);
  *uses = (uint64_t)x.version | (x.nbulk || x.box_stores ? TN_PTX_USES_BOXES : 0);
  return TINY_OK;
}
static tiny_code tn_ptx_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                               tiny_bytes *out) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  uint64_t version = (uint64_t)tn_ptx_version(target->sm, target->own);
  (void)t;
  int align = 16;
  for (int i = 0; i < n; i++) {
    const uint64_t least = kernels[i].uses & (TN_PTX_USES_BOXES - 1);
    if (least > version) version = least;
    if (kernels[i].uses & TN_PTX_USES_BOXES) align = TN_BOX_ALIGN;
  }
  tn_ptx_text(out, ".version %d.%d\n.target %s\n", (int)version / 10, (int)version % 10, target->name);
  tn_ptx_text(out, ".address_size 64\n.visible .global .align 4 .u32 tiny_values = %d;\n", TN_PTX_PARAMETERS);
  tn_ptx_text(out, ".extern .shared .align %d .b8 tiny_shared[];\n", align);
  for (int i = 0; i < n; i++) tiny_bytes_add(out, kernels[i].data, kernels[i].n);
  return TINY_OK;
}

// ** the descriptor **

// limits.dtypes: all but narrow floats. limits.atomics: what red adds to (PTX ISA, red).
#define TN_PTX_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                             (uint64_t)1 << TINY_F8E5M2))
#define TN_PTX_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_I64 | \
                        (uint64_t)1 << TINY_U64 | (uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)

static const tn_ptx_target tn_ptx_targets[] = {
  {"sm_75", 75, 0}, {"sm_80", 80, 0}, {"sm_86", 86, 0}, {"sm_87", 87, 0}, {"sm_89", 89, 0}, {"sm_90", 90, 0},
  {"sm_90a", 90, 1}, {"sm_100", 100, 0}, {"sm_100a", 100, 1}, {"sm_103", 103, 0}, {"sm_103a", 103, 1},
  {"sm_110", 110, 0}, {"sm_110a", 110, 1}, {"sm_120", 120, 0}, {"sm_120a", 120, 1}, {"sm_121", 121, 0},
  {"sm_121a", 121, 1}};

// limits.unit_tiles and .unit_rows of the target: 256 columns (PTX ISA, wgmma.mma_async, which sm_90a alone has,
// tcgen05.mma), of 128 rows of four warps; but for the products of integers that sm_103a has not (there, kind::i8),
// which are done as those of sm_80: limits.unit_dtypes.
static int tn_ptx_unit_rows(const char *target) {
  return strcmp(target, "sm_100a") && strcmp(target, "sm_103a") && strcmp(target, "sm_110a") ? 0 : 2;
}
static uint64_t tn_ptx_unit_dtypes(const char *target) {
  return strcmp(target, "sm_103a") ? 0 : ~((uint64_t)1 << TINY_I8);
}
static int tn_ptx_unit_tiles(const char *target) {
  return strcmp(target, "sm_90a") && !tn_ptx_unit_rows(target) ? 0 : 32;
}

// limits.producers of the target: setmaxnreg, which gives their registers to the others, came with sm_90a.
static int tn_ptx_produces_for(const char *target) { return !strcmp(target, "sm_90a"); }

// target: "sm_90a". 0: it is none of them.
static int tn_lang_ptx(tiny_renderer *r, const char *target) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  static const uint8_t others[] = {TINY_OP_CAST, TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK,
                                   TINY_OP_LOAD, TINY_OP_STORE, TINY_OP_WMMA};
  memset(r, 0, sizeof *r);
  r->name = "PTX"; r->file = "ptx";
  for (size_t i = 0; i < sizeof tn_ptx_targets / sizeof *tn_ptx_targets; i++)
    if (!strcmp(target, tn_ptx_targets[i].name)) r->own = &tn_ptx_targets[i];
  if (!r->own) return 0;
  for (int i = 0; i < TN_PTX_FORMS; i++) r->ops[tn_ptx_forms[i].op] = on;
  for (size_t i = 0; i < sizeof others; i++) r->ops[others[i]] = on;
  r->ops[TINY_OP_SHUFFLE] = TINY_ON_ELEMENTS;
  const int sm = ((const tn_ptx_target *)r->own)->sm;
  for (int d = TINY_BOOL; d <= TINY_F64; d++) r->dtypes |= (uint64_t)(!tn_ptx_is_fp8(d) || sm >= 89) << d;
  r->narrow = tn_ptx_narrow_dtypes(sm);
  r->atomics = TN_PTX_ATOMICS;
  r->dots = 1u << TINY_DOT_U8_I8;          // PTX ISA, dp4a
  r->exp2_ulps = 4;                        // as lang_cuda.c
  r->flags = TINY_TARGET_SATURATES | TINY_TARGET_SHIFTS | TINY_TARGET_STREAMS | TINY_TARGET_TAKES_LOCAL |
      TINY_TARGET_ALIGNED | TINY_TARGET_ROWS;
  if (sm >= 80) r->flags |= TINY_TARGET_COPIES;
  if (sm >= 90) r->flags |= TINY_TARGET_BOXES;
  if (tn_ptx_unit_tiles(target)) r->flags |= TINY_TARGET_MATRICES;
  r->kernel = tn_ptx_kernel;
  r->module = tn_ptx_module;
  return 1;
}
#endif
// ---- end src/nv/../render/ptx.c ----
// ---- begin src/nv/structs.c ----
// structs: what NVIDIA's kernel driver takes: own declarations, and a table of what differs between its releases.
//
// Holds: the compiler asserts their sizes. The driver refuses an ioctl or a control of another size; ioctls of
//        nvidia-uvm carry none, so that their layout is chosen by release.
// What is what: NVIDIA/open-gpu-kernel-modules 535.288.01 to 595.45.04: src/common/sdk/nvidia/inc (nvos.h, alloc/,
// ctrl/, class/), kernel-open/nvidia-uvm/uvm_ioctl.h, kernel-open/common/inc/nv-ioctl.h; names there stand behind ours.
#ifndef TN_NV_STRUCTS
#define TN_NV_STRUCTS
#include <stddef.h>
#include <stdint.h>

// ** ioctls of /dev/nvidiactl and /dev/nvidiaN: 'F' and the size are in the request **

enum {                                     // NV_ESC_*
  TN_NV_FREE = 0x29, TN_NV_CONTROL = 0x2A, TN_NV_ALLOC = 0x2B, TN_NV_MAP = 0x4E,
  TN_NV_UNMAP = 0x4F, TN_NV_CARD_INFO = 0xC8, TN_NV_REGISTER_FD = 0xC9, TN_NV_VERSION = 0xD2
};
#define TN_NV_REQUEST(number, nbytes) \
  (0xC0000000ul | (unsigned long)(nbytes) << 16 | 0x4600ul | (unsigned long)(number))

typedef struct tn_nv_alloc_call {          // NVOS64_PARAMETERS
  uint32_t root, parent, object, cls; uint64_t params, rights; uint32_t nbytes, flags, status, unused;
} tn_nv_alloc_call;
typedef struct tn_nv_control_call {        // NVOS54_PARAMETERS
  uint32_t client, object, command, flags; uint64_t params; uint32_t nbytes, status;
} tn_nv_control_call;
typedef struct tn_nv_free_call { uint32_t root, parent, object, status; } tn_nv_free_call;       // NVOS00_PARAMETERS
typedef struct tn_nv_map_call {            // nv_ioctl_nvos33_parameters_with_fd
  uint32_t client, device, memory, unused0; uint64_t offset, nbytes, address; uint32_t status, flags; int32_t fd;
  uint32_t unused1;
} tn_nv_map_call;
typedef struct tn_nv_unmap_call {          // NVOS34_PARAMETERS
  uint32_t client, device, memory, unused; uint64_t address; uint32_t status, flags;
} tn_nv_unmap_call;
typedef struct tn_nv_card {                // nv_ioctl_card_info_t
  uint8_t valid, pad[3]; uint32_t domain; uint8_t bus, slot, function, pad1; uint16_t vendor, device; uint32_t gpu;
  uint16_t interrupt, pad2; uint64_t bars[4]; uint32_t minor; uint8_t name[10], pad3[2];
} tn_nv_card;
typedef struct tn_nv_version_call { uint32_t command, reply; char text[64]; } tn_nv_version_call;

// ** objects: classes and what they are made with **

enum {
  TN_NV_ROOT = 0x41, TN_NV_DEVICE = 0x80, TN_NV_SUBDEVICE = 0x2080, TN_NV_VIDEO_MEMORY = 0x40,
  TN_NV_SYSTEM_MEMORY = 0x3E, TN_NV_VASPACE = 0x90F1, TN_NV_GROUP = 0xA06C, TN_NV_SHARE = 0x9067,
  TN_NV_DEBUGGER = 0x83DE, TN_NV_OS_MEMORY = 0x71
};
typedef struct tn_nv_device_params {       // NV0080_ALLOC_PARAMETERS
  uint32_t device, client_share, target_client, target_device, flags, unused; uint64_t size, start, limit;
  uint32_t mode, unused1;
} tn_nv_device_params;
typedef struct tn_nv_memory_params {       // NV_MEMORY_ALLOCATION_PARAMS; 535: without node
  uint32_t owner, type, flags, width, height; int32_t pitch; uint32_t attr, attr2, format, compressed, zcull, unused;
  uint64_t range_low, range_high, nbytes, alignment, offset, limit, address; uint32_t tag_offset, vaspace, internal,
  tag; int32_t node; uint32_t unused1;
} tn_nv_memory_params;
typedef struct tn_nv_os_memory_params {    // NV_OS_DESC_MEMORY_ALLOCATION_PARAMS
  uint32_t type, flags, attr, attr2; uint64_t descriptor, limit; uint32_t kind, tag;
} tn_nv_os_memory_params;
typedef struct tn_nv_vaspace_params {      // NV_VASPACE_ALLOCATION_PARAMETERS; before 580: without pasid
  uint32_t index, flags; uint64_t nbytes, start, limit; uint32_t big_page, unused; uint64_t base;
  uint32_t pasid, unused1;
} tn_nv_vaspace_params;
typedef struct tn_nv_group_params { uint32_t error, ecc, vaspace, engine, partition; } tn_nv_group_params;
typedef struct tn_nv_share_params { uint32_t vaspace, flags, id; } tn_nv_share_params;
typedef struct tn_nv_channel_memory { uint64_t base, nbytes; uint32_t space, cache; } tn_nv_channel_memory;
// NV_CHANNEL_ALLOC_PARAMS of 570; before: without tpc; from 610 on 8 bytes more stand before userd_memory.
typedef struct tn_nv_channel_params {
  uint32_t error, buffer; uint64_t ring; uint32_t entries, flags, share, vaspace, userd_memory[8]; uint64_t userd[8];
  uint32_t engine, cid, subdevice, ecc; tn_nv_channel_memory internal[4]; uint32_t group, internal_flags;
  tn_nv_channel_memory notifier, ecc_notifier;
  uint32_t process, subprocess, encrypt[3], decrypt[3], nonce[8], tpc, unused;
} tn_nv_channel_params;
// NV_GR_ALLOCATION_PARAMETERS, NVB0B5_ALLOCATION_PARAMETERS, NV_HOPPER_USERMODE_A_PARAMS, NV83DE_ALLOC_PARAMETERS
typedef struct tn_nv_compute_params { uint32_t version, flags, nbytes, caps; } tn_nv_compute_params;
typedef struct tn_nv_copy_params { uint32_t version, engine; } tn_nv_copy_params;
typedef struct tn_nv_doorbell_params { uint8_t bar1, privileged; } tn_nv_doorbell_params;
typedef struct tn_nv_debugger_params { uint32_t obsolete, client, object; } tn_nv_debugger_params;
enum {                                     // NVOS32_TYPE_*, NVOS32_ALLOC_FLAGS_*, NVOS32_ATTR_*, NVOS32_ATTR2_*
  TN_NV_TYPE_NOTIFIER = 13, TN_NV_MEMORY_FLAGS = 0x8000 | 0x4000 | 0x100 | 1,    // no map, handle, alignment, any bank
  TN_NV_OS_FILE_HANDLE = 4,                // NVOS32_DESCRIPTOR_TYPE_OS_FILE_HANDLE
  TN_NV_ATTR_ANYWHERE = 3 << 27, TN_NV_ATTR_HUGE = 3 << 23, TN_NV_ATTR_SYSTEM = 1 << 25, TN_NV_ATTR_CACHED = 1 << 29,
  TN_NV_ATTR2_UNCOMPRESSED = 1, TN_NV_ATTR2_CACHED = 1 << 2, TN_NV_ATTR2_UNCACHED = 2 << 2, TN_NV_ATTR2_2MIB = 1 << 20,
  TN_NV_VASPACE_EXTERNAL = 0x8, TN_NV_VASPACE_FAULTS = 0x40, TN_NV_SHARE_ASYNC = 1, TN_NV_ENGINE_COMPUTE = 1
};

// ** controls: one of their sizes, or by release **

enum {
  TN_NV_GET_VERSION = 0x101, TN_NV_GET_ID = 0x205, TN_NV_TO_FILE = 0x3D05, TN_NV_FROM_FILE = 0x3D06,
  TN_NV_CLASSES = 0x800201, TN_NV_INFO = 0x20800102,
  TN_NV_NAME = 0x20800110, TN_NV_UUID = 0x2080014A, TN_NV_GR_INFO = 0x20801201, TN_NV_FB_INFO = 0x20801303,
  TN_NV_BOOST = 0x2080200A, TN_NV_TOKEN = (int)0xC36F0108u, TN_NV_SCHEDULE = (int)0xA06C0101u,
  TN_NV_FAULTS = (int)0x83DE0328u
};
enum {                                     // NV0080_CTRL_GR_INFO_INDEX_*, NV2080_CTRL_FB_INFO_*, NV2080_CTRL_GPU_INFO_*
  TN_NV_GR_SM_VERSION = 12, TN_NV_GR_WARPS = 13, TN_NV_GR_GPCS = 20, TN_NV_GR_TPCS = 23, TN_NV_GR_SMS = 32,
  TN_NV_GR_SUBPIPES = 9, TN_NV_FB_RAM = 8, TN_NV_FB_USABLE = 32, TN_NV_FB_HEAP_FREE = 22, TN_NV_FB_L2 = 27,
  TN_NV_GPU_MIG = 0x2A
};
typedef struct tn_nv_release_params {       // NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS; nbytes: of each text
  uint32_t nbytes, unused; uint64_t driver, version, title; uint32_t change, official;
} tn_nv_release_params;
typedef struct tn_nv_id_params {
  uint32_t gpu, flags, device, subdevice, sli, board, instance; int32_t node;
} tn_nv_id_params;
// NV0000_CTRL_OS_UNIX_EXPORT_OBJECT_TO_FD_PARAMS, _IMPORT_OBJECT_FROM_FD_PARAMS; type 1: of the resource manager
typedef struct tn_nv_file_object { uint32_t type, device, parent, object; } tn_nv_file_object;
typedef struct tn_nv_to_file_params { tn_nv_file_object of; int32_t fd; uint32_t flags; } tn_nv_to_file_params;
typedef struct tn_nv_from_file_params { int32_t fd; tn_nv_file_object of; } tn_nv_from_file_params;
typedef struct tn_nv_classes_params { uint32_t n, unused; uint64_t list; } tn_nv_classes_params;
typedef struct tn_nv_uuid_params { uint32_t index, flags, nbytes; uint8_t data[256]; } tn_nv_uuid_params;
typedef struct tn_nv_pair { uint32_t index, data; } tn_nv_pair;
typedef struct tn_nv_gr_params {
  uint32_t n, unused; uint64_t list; uint32_t route_flags, unused1; uint64_t route;
} tn_nv_gr_params;
typedef struct tn_nv_boost_params { uint32_t flags, duration; } tn_nv_boost_params;
typedef struct tn_nv_fault { uint64_t address; uint32_t type, access; } tn_nv_fault;
typedef struct tn_nv_faults_params { tn_nv_fault fault[4]; uint32_t n, unused; } tn_nv_faults_params;
typedef struct tn_nv_notification { uint32_t time[2], info; uint16_t more, status; } tn_nv_notification;

// ** ioctls of /dev/nvidia-uvm: the number is the request **

enum {                                     // UVM_*
  TN_UVM_INITIALIZE = 0x30000001, TN_UVM_REGISTER_VASPACE = 25, TN_UVM_REGISTER_CHANNEL = 27,
  TN_UVM_UNREGISTER_CHANNEL = 28, TN_UVM_ENABLE_PEERS = 29, TN_UVM_MAP = 33, TN_UVM_FREE = 34, TN_UVM_REGISTER_GPU = 37,
  TN_UVM_RANGE = 73, TN_UVM_MM_INITIALIZE = 75
};
enum { TN_UVM_READ_WRITE_ATOMIC = 1, TN_UVM_READ_ONLY = 3 };               // UvmGpuMappingType*
typedef struct tn_uvm_initialize { uint64_t flags; uint32_t status, unused; } tn_uvm_initialize;
typedef struct tn_uvm_mm { int32_t fd; uint32_t status; } tn_uvm_mm;
typedef struct tn_uvm_gpu {
  uint8_t uuid[16]; uint8_t numa, pad[3]; int32_t node, control; uint32_t client, partition, status;
} tn_uvm_gpu;
typedef struct tn_uvm_vaspace { uint8_t uuid[16]; int32_t control; uint32_t client, vaspace, status; } tn_uvm_vaspace;
typedef struct tn_uvm_channel {
  uint8_t uuid[16]; int32_t control; uint32_t client, channel, unused; uint64_t base, nbytes; uint32_t status, unused1;
} tn_uvm_channel;
typedef struct tn_uvm_peers { uint8_t uuid[2][16]; uint32_t status; } tn_uvm_peers;
typedef struct tn_uvm_range { uint64_t base, nbytes; uint32_t status, unused; } tn_uvm_range;
typedef struct tn_uvm_attributes {
  uint8_t uuid[16]; uint32_t mapping, caching, format, bits, compression;
} tn_uvm_attributes;
enum { TN_UVM_ATTRIBUTES = 256, TN_UVM_ATTRIBUTES_OLD = 32 };
typedef struct tn_uvm_map {                // UVM_MAP_EXTERNAL_ALLOCATION_PARAMS from 550 on; before, 32 attributes
  uint64_t base, nbytes, offset; tn_uvm_attributes of[TN_UVM_ATTRIBUTES]; uint64_t n; int32_t control; uint32_t client,
  memory, status;
} tn_uvm_map;
typedef struct tn_uvm_map_old {
  uint64_t base, nbytes, offset; tn_uvm_attributes of[TN_UVM_ATTRIBUTES_OLD]; uint64_t n; int32_t control;
  uint32_t client, memory, status;
} tn_uvm_map_old;

// ** releases **

// Sizes in bytes from release `from` on; uvm_* say where the status stands.
typedef struct tn_nv_branch {
  uint16_t from, channel, channel_gap, memory, vaspace, schedule, info, fb_info, name;
  uint16_t uvm_map, uvm_free, uvm_unregister;
} tn_nv_branch;
static const tn_nv_branch tn_nv_branches[] = {
  {535, 360, 0, 120, 48, 2, 516, 436, 132, 32, 16, 24}, {545, 360, 0, 128, 48, 2, 524, 444, 132, 32, 16, 24},
  {550, 360, 0, 128, 48, 2, 524, 444, 132, 256, 16, 24}, {560, 360, 0, 128, 48, 2, 524, 460, 132, 256, 16, 24},
  {570, 368, 0, 128, 48, 2, 524, 460, 132, 256, 16, 24}, {575, 368, 0, 128, 48, 3, 532, 460, 132, 256, 16, 24},
  {580, 368, 0, 128, 56, 3, 564, 1028, 132, 256, 16, 24}, {590, 368, 0, 128, 56, 3, 564, 1028, 132, 256, 8, 8},
  {595, 368, 0, 128, 56, 3, 564, 1028, 68, 256, 8, 8}, {610, 376, 8, 128, 56, 3, 564, 1028, 68, 256, 8, 8}
};
enum { TN_NV_BRANCHES = sizeof tn_nv_branches / sizeof *tn_nv_branches, TN_NV_NEWEST = 610 };
// Of the release before it, or of the first: what is unknown is tried.
static const tn_nv_branch *tn_nv_branch_of(int major) {
  int i = TN_NV_BRANCHES - 1;
  while (i && tn_nv_branches[i].from > major) i--;
  return &tn_nv_branches[i];
}

#ifdef __cplusplus
#define TN_NV_SIZE(type, nbytes) static_assert(sizeof(type) == nbytes, #type)
#define TN_NV_AT(type, member, offset) static_assert(offsetof(type, member) == offset, #type)
#else
#define TN_NV_SIZE(type, nbytes) _Static_assert(sizeof(type) == nbytes, #type)
#define TN_NV_AT(type, member, offset) _Static_assert(offsetof(type, member) == offset, #type)
#endif
TN_NV_SIZE(tn_nv_alloc_call, 48); TN_NV_AT(tn_nv_alloc_call, status, 0x28);
TN_NV_SIZE(tn_nv_control_call, 32); TN_NV_AT(tn_nv_control_call, status, 0x1C);
TN_NV_SIZE(tn_nv_free_call, 16); TN_NV_SIZE(tn_nv_unmap_call, 32); TN_NV_SIZE(tn_nv_version_call, 72);
TN_NV_SIZE(tn_nv_map_call, 56); TN_NV_AT(tn_nv_map_call, fd, 0x30); TN_NV_AT(tn_nv_map_call, status, 0x28);
TN_NV_SIZE(tn_nv_card, 72); TN_NV_AT(tn_nv_card, gpu, 0x10); TN_NV_AT(tn_nv_card, minor, 0x38);
TN_NV_SIZE(tn_nv_device_params, 56); TN_NV_AT(tn_nv_device_params, mode, 0x30);
TN_NV_SIZE(tn_nv_memory_params, 128); TN_NV_AT(tn_nv_memory_params, nbytes, 0x40);
TN_NV_AT(tn_nv_memory_params, attr, 0x18); TN_NV_AT(tn_nv_memory_params, node, 0x78);
TN_NV_SIZE(tn_nv_vaspace_params, 56); TN_NV_AT(tn_nv_vaspace_params, base, 0x28);
TN_NV_SIZE(tn_nv_os_memory_params, 40); TN_NV_SIZE(tn_nv_to_file_params, 24);
TN_NV_SIZE(tn_nv_from_file_params, 20); TN_NV_SIZE(tn_nv_group_params, 20); TN_NV_SIZE(tn_nv_share_params, 12);
TN_NV_SIZE(tn_nv_channel_params, 368); TN_NV_AT(tn_nv_channel_params, userd_memory, 0x20);
TN_NV_AT(tn_nv_channel_params, engine, 0x80); TN_NV_AT(tn_nv_channel_params, group, 0xF0);
TN_NV_AT(tn_nv_channel_params, process, 0x128); TN_NV_AT(tn_nv_channel_params, tpc, 0x168);
TN_NV_SIZE(tn_nv_compute_params, 16); TN_NV_SIZE(tn_nv_copy_params, 8); TN_NV_SIZE(tn_nv_doorbell_params, 2);
TN_NV_SIZE(tn_nv_id_params, 32); TN_NV_SIZE(tn_nv_release_params, 40);
TN_NV_SIZE(tn_nv_classes_params, 16); TN_NV_SIZE(tn_nv_uuid_params, 268);
TN_NV_SIZE(tn_nv_gr_params, 32); TN_NV_SIZE(tn_nv_faults_params, 72); TN_NV_SIZE(tn_nv_notification, 16);
TN_NV_SIZE(tn_uvm_initialize, 16); TN_NV_SIZE(tn_uvm_mm, 8); TN_NV_SIZE(tn_uvm_gpu, 40);
TN_NV_SIZE(tn_uvm_vaspace, 32); TN_NV_SIZE(tn_uvm_channel, 56); TN_NV_SIZE(tn_uvm_range, 24);
TN_NV_SIZE(tn_uvm_peers, 36);
TN_NV_SIZE(tn_uvm_map, 9264); TN_NV_AT(tn_uvm_map, n, 9240); TN_NV_SIZE(tn_uvm_map_old, 1200);
TN_NV_AT(tn_uvm_map_old, n, 1176);
#undef TN_NV_SIZE
#undef TN_NV_AT
#endif
// ---- end src/nv/structs.c ----
// ---- begin src/nv/system.c ----
// system: open, ioctl, mmap: the system's own (base/driver.c), or what a tiny_nv_system has in their place.
//
// In:    a tiny_nv_system, or NULL. Out: results as they come from the kernel: below 0 -errno.
// Holds: only here and in base/driver.c is it known which system this is.
#ifndef TN_NV_SYSTEM
#define TN_NV_SYSTEM
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/digits.c"
#include "../base/driver.c"
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
// Addresses below 2^40 that nothing else of the process has, as pushbuffers and launch descriptors have 40 bits. NULL:
// there are none left.
static char *tn_nv_reserve(size_t nbytes) {
  enum { FIRST = 1, LAST = 16 };           // of 64 GiB each
  for (uint64_t k = FIRST; k < LAST; k++) for (uint64_t part = 0; part < 4; part++) {
    char *const wish = (char *)(uintptr_t)((k << 36) + (part << 34));
    void *const p = mmap(wish, nbytes, PROT_NONE, MAP_PRIVATE | TN_DRIVER_RESERVED, -1, 0);
    if (p == (void *)wish) return wish;
    if (p != MAP_FAILED) munmap(p, nbytes);
  }
  return NULL;
}
static void tn_nv_unreserve(char *at, size_t nbytes) { if (at) munmap(at, nbytes); }
// A part that was mapped and is not any more is reserved again.
static void tn_nv_reserve_again(char *at, size_t nbytes) {
  mmap(at, nbytes, PROT_NONE, MAP_PRIVATE | TN_DRIVER_RESERVED | MAP_FIXED, -1, 0);
}
#else
static char *tn_nv_reserve(size_t nbytes) { (void)nbytes; return NULL; }
static void tn_nv_unreserve(char *at, size_t nbytes) { (void)at; (void)nbytes; }
static void tn_nv_reserve_again(char *at, size_t nbytes) { (void)at; (void)nbytes; }
#endif

// All members but doorbell and assemble, which may be NULL, are there.
static tiny_nv_system tn_nv_system_of(const tiny_nv_system *given) {
  tiny_nv_system s;
  memset(&s, 0, sizeof s);
  if (given) s = *given;
  if (!s.open) s.open = tn_driver_open;
  if (!s.close) s.close = tn_driver_close;
  if (!s.ioctl) s.ioctl = tn_driver_ioctl;
  if (!s.mmap) s.mmap = tn_driver_mmap;
  if (!s.munmap) s.munmap = tn_driver_munmap;
  return s;
}

// Do both reach one driver?
static int tn_nv_same_system(const tiny_nv_system *a, const tiny_nv_system *b) {
  return a->user == b->user && a->ioctl == b->ioctl;
}

// ** names of devices **

TINY_API tiny_nv_name tiny_nv_on(const tiny_nv_system *system, int number) {
  tiny_nv_name name;
  if (system) snprintf(name.text, sizeof name.text, "NV:on-%llx-%d", (unsigned long long)(uintptr_t)system, number);
  else snprintf(name.text, sizeof name.text, "NV:%d", number);
  return name;
}
// Of what stands behind "NV:" the system, and what follows it. NULL: it names none.
static const char *tn_nv_which_system(const char *which, const tiny_nv_system **system) {
  const char *end = which;
  *system = NULL;
  if (strncmp(which, "on-", 3)) return which;
  *system = (const tiny_nv_system *)(uintptr_t)tn_digits_value(which + 3, 16, &end);
  return *end == '-' ? end + 1 : NULL;
}
// 0: it names no device.
static int tn_nv_which(const char *which, const tiny_nv_system **system, uint64_t *number) {
  const char *end = tn_nv_which_system(which, system);
  if (!end) return 0;
  *number = tn_digits_value(end, 10, &end);
  return !*end;
}
#endif
// ---- end src/nv/system.c ----
// ---- begin src/nv/rm.c ----
// rm: what NVIDIA's kernel driver is asked: objects are made and freed, controlled, mapped; ranges of nvidia-uvm.
//
// In:    a tn_nv_rm, which tn_nv_rm_open filled. Out: codes; what went wrong as a sentence in rm->why: which call, and
//        the driver's status by name.
// Holds: one client of the driver, whose handles no other knows. Freed objects take their children along.
#ifndef TN_NV_RM
#define TN_NV_RM
#ifndef TINY_AMALGAMATED
#include "structs.c"
#include "system.c"
#endif
#include <stdarg.h>

typedef struct tn_nv_rm {
  tiny_nv_system sys;
  int control, uvm, uvm_mm;                // files; -1: closed
  uint32_t root;
  char version[64];
  int major;                               // 580 of "580.95.05"; 0: not known
  const tn_nv_branch *branch;
  tiny_code code; char why[320];           // of what went wrong last
} tn_nv_rm;

// ** what went wrong **

static tiny_code tn_nv_wrong(tn_nv_rm *rm, tiny_code code, const char *format, ...) TN_DRIVER_PRINTF(3, 4);
static tiny_code tn_nv_wrong(tn_nv_rm *rm, tiny_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(rm->why, sizeof rm->why, format, args);
  va_end(args);
  return rm->code = code;
}
// nvstatuscodes.h, nvstatus.h
static const struct tn_nv_status_row { uint32_t status; const char *name, *says; } tn_nv_statuses[] = {
  {0x0F, "GPU_IS_LOST", "the GPU does not answer any more: it needs a reset or the machine a restart"},
  {0x17, "IN_USE", "another process has it, or the GPU is in an exclusive mode (nvidia-smi -c 0)"},
  {0x1A, "INSUFFICIENT_RESOURCES", "the driver has none of these left"},
  {0x1B, "INSUFFICIENT_PERMISSIONS", "this process may not ask for it"},
  {0x1E, "INVALID_ADDRESS", NULL}, {0x1F, "INVALID_ARGUMENT", "the driver's release is not one that is known here"},
  {0x22, "INVALID_CLASS", "the GPU or the driver does not have this class"}, {0x23, "INVALID_CLIENT", NULL},
  {0x26, "INVALID_DEVICE", NULL}, {0x29, "INVALID_FLAGS", NULL}, {0x31, "INVALID_OBJECT", NULL},
  {0x33, "INVALID_OBJECT_HANDLE", NULL}, {0x36, "INVALID_OBJECT_PARENT", NULL},
  {0x40, "INVALID_STATE", "the GPU may be partitioned (MIG), in an exclusive mode, or be reset"},
  {0x51, "NO_MEMORY", "the GPU or the driver has no memory left"}, {0x56, "NOT_SUPPORTED", "the driver does not do it"},
  {0x57, "OBJECT_NOT_FOUND", NULL}, {0x5B, "OUT_OF_RANGE", NULL}, {0x5D, "PAGE_TABLE_NOT_AVAIL", NULL},
  {0x62, "RESET_REQUIRED", "the GPU needs a reset"},
  {0x63, "STATE_IN_USE", "another process has the GPU, which is in an exclusive mode (nvidia-smi -c 0), or is reset"},
  {0x65, "TIMEOUT", "the GPU does not answer"}, {0x68, "UVM_ADDRESS_IN_USE", "the process has the address already"}
};
static tiny_code tn_nv_status(tn_nv_rm *rm, uint32_t status, const char *what) {
  const char *name = "a status that is not known here", *says = NULL;
  if (!status) return TINY_OK;
  for (size_t i = 0; i < sizeof tn_nv_statuses / sizeof *tn_nv_statuses; i++) {
    if (tn_nv_statuses[i].status != status) continue;
    name = tn_nv_statuses[i].name;
    says = tn_nv_statuses[i].says;
  }
  return tn_nv_wrong(rm, status == 0x51 || status == 0x1A ? TINY_E_MEMORY : TINY_E_DEVICE,
                     "%s: the driver says %s (0x%x)%s%s", what, name, (unsigned)status, says ? ": " : "",
                     says ? says : "");
}
static tiny_code tn_nv_errno(tn_nv_rm *rm, int result, const char *what) {
  if (result >= 0) return TINY_OK;
  return tn_nv_wrong(rm, result == -12 ? TINY_E_MEMORY : TINY_E_DEVICE, "%s: errno %d: %s", what, -result,
                     tn_driver_errno_text(-result));
}

// ** calls **

static tiny_code tn_nv_call(tn_nv_rm *rm, int fd, int number, void *argument, size_t nbytes, const char *what) {
  return tn_nv_errno(rm, rm->sys.ioctl(rm->sys.user, fd, TN_NV_REQUEST(number, nbytes), argument), what);
}
static uint64_t tn_nv_pointer(const void *p) { return (uint64_t)(uintptr_t)p; }

// *out: its handle, which the driver chooses.
static tiny_code tn_nv_make(tn_nv_rm *rm, uint32_t parent, uint32_t cls, void *params, size_t nbytes, const char *what,
                            uint32_t *out) {
  tn_nv_alloc_call a;
  memset(&a, 0, sizeof a);
  a.root = rm->root; a.parent = parent; a.cls = cls; a.params = tn_nv_pointer(params); a.nbytes = (uint32_t)nbytes;
  tiny_code code = tn_nv_call(rm, rm->control, TN_NV_ALLOC, &a, sizeof a, what);
  if (code == TINY_OK) code = tn_nv_status(rm, a.status, what);
  if (code == TINY_OK) *out = a.object;
  return code;
}
static void tn_nv_drop(tn_nv_rm *rm, uint32_t parent, uint32_t object) {
  tn_nv_free_call f = {rm->root, parent, object, 0};
  if (object) rm->sys.ioctl(rm->sys.user, rm->control, TN_NV_REQUEST(TN_NV_FREE, sizeof f), &f);
}
static tiny_code tn_nv_control(tn_nv_rm *rm, uint32_t object, int command, void *params, size_t nbytes,
                               const char *what) {
  tn_nv_control_call c;
  memset(&c, 0, sizeof c);
  c.client = rm->root; c.object = object; c.command = (uint32_t)command; c.params = tn_nv_pointer(params);
  c.nbytes = (uint32_t)nbytes;
  const tiny_code code = tn_nv_call(rm, rm->control, TN_NV_CONTROL, &c, sizeof c, what);
  return code == TINY_OK ? tn_nv_status(rm, c.status, what) : code;
}
// The file of a GPU, or of the driver, for one mapping. Below 0: as rm->why says.
static int tn_nv_file(tn_nv_rm *rm, int minor) {
  char path[40] = "/dev/nvidiactl";
  if (minor >= 0) snprintf(path, sizeof path, "/dev/nvidia%d", minor);
  const int fd = rm->sys.open(rm->sys.user, path, TN_DRIVER_OPEN);
  if (fd < 0) { tn_nv_errno(rm, fd, path); return fd; }
  if (minor < 0) return fd;
  int32_t control = rm->control;
  if (tn_nv_call(rm, fd, TN_NV_REGISTER_FD, &control, sizeof control, path) == TINY_OK) return fd;
  rm->sys.close(rm->sys.user, fd);
  return -1;
}
// The host sees the memory at *at, an order if flags say MAP_FIXED. The file may be closed when it is mapped.
static tiny_code tn_nv_map(tn_nv_rm *rm, int minor, uint32_t device, uint32_t memory, size_t nbytes, int protection,
                           int flags, void **at, uint64_t *token, const char *what) {
  tn_nv_map_call m;
  const int fd = tn_nv_file(rm, minor);
  if (fd < 0) return rm->code;
  memset(&m, 0, sizeof m);
  m.client = rm->root; m.device = device; m.memory = memory; m.nbytes = nbytes; m.fd = fd;
  tiny_code code = tn_nv_call(rm, rm->control, TN_NV_MAP, &m, sizeof m, what);
  if (code == TINY_OK) code = tn_nv_status(rm, m.status, what);
  if (code == TINY_OK) {
    code = tn_nv_errno(rm, rm->sys.mmap(rm->sys.user, at, nbytes, protection, flags, fd, 0), what);
    *token = m.address;
  }
  rm->sys.close(rm->sys.user, fd);
  return code;
}
static void tn_nv_unmap(tn_nv_rm *rm, uint32_t device, uint32_t memory, void *at, size_t nbytes, uint64_t token) {
  tn_nv_unmap_call u;
  memset(&u, 0, sizeof u);
  u.client = rm->root; u.device = device; u.memory = memory; u.address = token;
  rm->sys.munmap(rm->sys.user, at, nbytes);
  rm->sys.ioctl(rm->sys.user, rm->control, TN_NV_REQUEST(TN_NV_UNMAP, sizeof u), &u);
}
// status: of the argument, where the driver writes it.
static tiny_code tn_nv_uvm(tn_nv_rm *rm, int request, void *argument, const uint32_t *status, const char *what) {
  const tiny_code code =
      tn_nv_errno(rm, rm->sys.ioctl(rm->sys.user, rm->uvm, (unsigned long)request, argument), what);
  return code == TINY_OK ? tn_nv_status(rm, *status, what) : code;
}

// ** memory in the GPU's address space **

// Memory by its handle, of this client or of another one of the process.
typedef struct tn_nv_handle { int control; uint32_t client, memory; } tn_nv_handle;
// From its beginning on, for the GPU of this uuid, at `at`; how: TN_UVM_READ_*.
static tiny_code tn_nv_uvm_map(tn_nv_rm *rm, const uint8_t uuid[16], uint64_t at, uint64_t nbytes, tn_nv_handle from,
                               uint32_t how) {
  static const char what[] = "mapping memory for the GPU (UVM_MAP_EXTERNAL_ALLOCATION)";
  tn_uvm_map m;
  tn_uvm_map_old old;
  if (rm->branch->uvm_map == TN_UVM_ATTRIBUTES) {
    memset(&m, 0, sizeof m);
    m.base = at; m.nbytes = nbytes; m.n = 1; m.control = from.control; m.client = from.client; m.memory = from.memory;
    memcpy(m.of[0].uuid, uuid, 16);
    m.of[0].mapping = how;
    return tn_nv_uvm(rm, TN_UVM_MAP, &m, &m.status, what);
  }
  memset(&old, 0, sizeof old);
  old.base = at; old.nbytes = nbytes; old.n = 1;
  old.control = from.control; old.client = from.client; old.memory = from.memory;
  memcpy(old.of[0].uuid, uuid, 16);
  old.of[0].mapping = how;
  return tn_nv_uvm(rm, TN_UVM_MAP, &old, &old.status, what);
}
// The GPU of this uuid is known to this process's nvidia-uvm from then on; the uuid is written back.
static tiny_code tn_nv_uvm_register(tn_nv_rm *rm, uint8_t uuid[16]) {
  tn_uvm_gpu g;
  memset(&g, 0, sizeof g);
  memcpy(g.uuid, uuid, 16);
  g.control = -1;
  const tiny_code code = tn_nv_uvm(rm, TN_UVM_REGISTER_GPU, &g, &g.status, "UVM_REGISTER_GPU");
  memcpy(uuid, g.uuid, 16);
  return code;
}
static tiny_code tn_nv_uvm_range(tn_nv_rm *rm, uint64_t at, uint64_t nbytes) {
  tn_uvm_range r = {at, nbytes, 0, 0};
  return tn_nv_uvm(rm, TN_UVM_RANGE, &r, &r.status, "a range of addresses (UVM_CREATE_EXTERNAL_RANGE)");
}
// The statuses stand at different places; nothing is made of them.
static void tn_nv_uvm_free(tn_nv_rm *rm, uint64_t at, uint64_t nbytes) {
  tn_uvm_range r = {at, rm->branch->uvm_free == 8 ? 0 : nbytes, 0, 0};
  rm->sys.ioctl(rm->sys.user, rm->uvm, TN_UVM_FREE, &r);
}
static void tn_nv_uvm_unregister(tn_nv_rm *rm, const uint8_t uuid[16], uint32_t channel) {
  uint8_t call[28];
  const size_t at = rm->branch->uvm_unregister == 8 ? 0 : 16;
  memset(call, 0, sizeof call);
  if (at) memcpy(call, uuid, 16);
  memcpy(call + at, &rm->root, 4);
  memcpy(call + at + 4, &channel, 4);
  rm->sys.ioctl(rm->sys.user, rm->uvm, TN_UVM_UNREGISTER_CHANNEL, call);
}

// ** opened and closed **

// One that is not told, or not known, is tried.
static void tn_nv_rm_take_version(tn_nv_rm *rm) {
  const uint64_t major = tn_digits_value(rm->version, 10, NULL);
  rm->major = major < 10000 ? (int)major : 0;
  rm->branch = tn_nv_branch_of(rm->major ? rm->major : TN_NV_NEWEST);
}
// The release, asked for in the one way that needs no client.
static void tn_nv_rm_version(tn_nv_rm *rm) {
  tn_nv_version_call v;
  memset(&v, 0, sizeof v);
  v.command = '2';                         // NV_RM_API_VERSION_CMD_QUERY
  if (rm->sys.ioctl(rm->sys.user, rm->control, TN_NV_REQUEST(TN_NV_VERSION, sizeof v), &v) < 0) v.text[0] = 0;
  v.text[sizeof v.text - 1] = 0;
  memcpy(rm->version, v.text, sizeof rm->version);
  tn_nv_rm_take_version(rm);
}
// The other way, by the client; where neither tells, the newest is taken: a wrong size is refused.
static void tn_nv_rm_ask_version(tn_nv_rm *rm) {
  char text[3][sizeof rm->version];
  tn_nv_release_params p;
  memset(text, 0, sizeof text);
  memset(&p, 0, sizeof p);
  p.nbytes = sizeof text[0] - 1;
  p.driver = tn_nv_pointer(text[0]); p.version = tn_nv_pointer(text[1]); p.title = tn_nv_pointer(text[2]);
  if (tn_nv_control(rm, rm->root, TN_NV_GET_VERSION, &p, sizeof p, "the driver's release") != TINY_OK) return;
  memcpy(rm->version, text[0], sizeof rm->version);
  tn_nv_rm_take_version(rm);
}
static tiny_code tn_nv_rm_open_control(tn_nv_rm *rm) {
  if (!TN_DRIVER_LINUX && rm->sys.open == tn_driver_open)
    return tn_nv_wrong(rm, TINY_E_DEVICE, "NVIDIA's kernel driver is used on Linux alone; take CUDA (tiny_cuda.h)");
  rm->control = rm->sys.open(rm->sys.user, "/dev/nvidiactl", TN_DRIVER_OPEN);
  if (rm->control == -2 || rm->control == -6 || rm->control == -19)
    return tn_nv_wrong(rm, TINY_E_DEVICE, "there is no NVIDIA driver here: /dev/nvidiactl: errno %d: %s", -rm->control,
                       tn_driver_errno_text(-rm->control));
  return tn_nv_errno(rm, rm->control, "/dev/nvidiactl");
}
static tiny_code tn_nv_rm_open(tn_nv_rm *rm, const tiny_nv_system *system) {
  memset(rm, 0, sizeof *rm);
  rm->control = rm->uvm = rm->uvm_mm = -1;
  rm->sys = tn_nv_system_of(system);
  tiny_code code = tn_nv_rm_open_control(rm);
  if (code != TINY_OK) return code;
  tn_nv_rm_version(rm);
  if (rm->major && rm->major < 525)
    return tn_nv_wrong(rm, TINY_E_DEVICE, "the driver is %.40s; install one of 535 or later", rm->version);
  code = tn_nv_make(rm, 0, TN_NV_ROOT, NULL, 0, "a client of the driver (NV01_ROOT_CLIENT)", &rm->root);
  if (code == TINY_OK && !rm->major) tn_nv_rm_ask_version(rm);
  return code;
}
// Whatever is left of its objects goes with it.
static void tn_nv_rm_close(tn_nv_rm *rm) {
  tn_nv_drop(rm, 0, rm->root);
  int *const files[] = {&rm->uvm_mm, &rm->uvm, &rm->control};
  for (int i = 0; i < 3; i++) {
    if (*files[i] >= 0) rm->sys.close(rm->sys.user, *files[i]);
    *files[i] = -1;
  }
  rm->root = 0;
}
static tiny_code tn_nv_rm_open_uvm(tn_nv_rm *rm) {
  static const char path[] = "/dev/nvidia-uvm";
  tn_uvm_initialize i = {0, 0, 0};
  tn_uvm_mm m = {0, 0};
  rm->uvm = rm->sys.open(rm->sys.user, path, TN_DRIVER_OPEN);
  if (rm->uvm == -2)
    return tn_nv_wrong(rm, TINY_E_DEVICE, "%s: errno 2: the module nvidia-uvm is not loaded: modprobe nvidia-uvm, "
                       "or nvidia-modprobe -u -c 0", path);
  tiny_code code = tn_nv_errno(rm, rm->uvm, path);
  if (code == TINY_OK) code = tn_nv_uvm(rm, TN_UVM_INITIALIZE, &i, &i.status, "UVM_INITIALIZE");
  if (code != TINY_OK) return code;
  rm->uvm_mm = rm->sys.open(rm->sys.user, path, TN_DRIVER_OPEN);
  if (rm->uvm_mm < 0) return tn_nv_errno(rm, rm->uvm_mm, path);
  m.fd = rm->uvm;                          // the file stays open: it keeps the process's memory (uvm_ioctl.h)
  const int result = rm->sys.ioctl(rm->sys.user, rm->uvm_mm, TN_UVM_MM_INITIALIZE, &m);
  if (result < 0 || (m.status && m.status != 0x10006)) {
    if (result < 0) return tn_nv_errno(rm, result, "UVM_MM_INITIALIZE");
    return tn_nv_status(rm, m.status, "UVM_MM_INITIALIZE");
  }
  return TINY_OK;
}
#endif
// ---- end src/nv/rm.c ----
// ---- begin src/nv/cubin.c ----
// cubin: reads machine code as ptxas writes it: an ELF file with kernels, what each needs, and where addresses go.
//
// In:    any bytes. Out: what stands in them, or a sentence about what is wrong; nothing is copied or executed.
// Holds: after tn_cubin_open returned NULL each section lies within the bytes and each name ends there. What a record
//        says is not trusted: sizes are bounded where they are used. Records of unknown codes are passed over.
// What is what: the layout was read from files of ptxas 13.0 and 12.x for sm_75 to sm_120; names of records are those
// that cuobjdump -elf shows (CUDA Binary Utilities).
#ifndef TN_NV_CUBIN
#define TN_NV_CUBIN
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TN_CUBIN_SECTIONS = 4096, TN_CUBIN_BANKS = 8 };       // the most sections; constant banks that hardware has

typedef struct tn_cubin { const uint8_t *data; size_t nbytes; int sm, n; uint64_t table; int names, symbols; } tn_cubin;
typedef struct tn_cubin_section {
  const char *name; const uint8_t *data;   // NULL: zeros, as of .nv.global
  uint64_t nbytes, flags, align; uint32_t type, link, info, each;      // each: bytes of an entry
} tn_cubin_section;
typedef struct tn_cubin_symbol { const char *name; uint64_t value, nbytes; int section, entry; } tn_cubin_symbol;
// Address of symbol + addend goes to `at` of section; 8 bytes.
typedef struct tn_cubin_relocation { int section; uint64_t at; int symbol; uint64_t addend; } tn_cubin_relocation;

typedef struct tn_cubin_kernel {
  const char *name;
  int text, symbol, bank[TN_CUBIN_BANKS];  // sections; 0: none. bank 0 is made for each launch
  uint32_t text_nbytes, shared;            // shared: static, with the bytes that sm_90 and later keep for themselves
  uint32_t registers, barriers, frame, stack;              // stack: the least of local memory, bytes of a thread
  uint32_t param_base, param_nbytes;       // in bank 0
  uint32_t max_threads, required[3], cluster[3];           // of .maxntid, .reqntid and .reqnctapercluster; 0: not said
  int nparam;
} tn_cubin_kernel;
typedef struct tn_cubin_param { uint32_t at, nbytes; } tn_cubin_param;  // bytes behind param_base

enum {                                     // ELF-64 (System V ABI, Object Files); what CUDA adds to it
  TN_CUBIN_PROGBITS = 1, TN_CUBIN_SYMTAB = 2, TN_CUBIN_STRTAB = 3, TN_CUBIN_RELA = 4, TN_CUBIN_NOBITS = 8,
  TN_CUBIN_REL = 9, TN_CUBIN_ALLOC = 2, TN_CUBIN_EXEC = 2, TN_CUBIN_MACHINE = 190, TN_CUBIN_ABI = 0x41,
  TN_CUBIN_ABI_OLD = 0x33, TN_CUBIN_FUNC = 2, TN_CUBIN_ENTRY = 0x10, TN_CUBIN_ABSOLUTE = 2
};
enum {                                     // codes of records in .nv.info
  TN_CUBIN_MAX_THREADS = 0x05, TN_CUBIN_PARAM_BANK = 0x0A, TN_CUBIN_REQUIRED = 0x10, TN_CUBIN_FRAME = 0x11,
  TN_CUBIN_MIN_STACK = 0x12, TN_CUBIN_PARAM = 0x17, TN_CUBIN_PARAM_NBYTES = 0x19, TN_CUBIN_REGISTERS = 0x2F,
  TN_CUBIN_CLUSTER = 0x3D, TN_CUBIN_BARRIERS = 0x4C
};

// ** bytes **

static uint64_t tn_cubin_read(const uint8_t *p, int nbytes) {
  uint64_t x = 0;
  for (int i = nbytes - 1; i >= 0; i--) x = x << 8 | p[i];
  return x;
}
static uint32_t tn_cubin_u32(const uint8_t *p) { return (uint32_t)tn_cubin_read(p, 4); }
static int tn_cubin_within(uint64_t at, uint64_t nbytes, uint64_t all) { return at <= all && nbytes <= all - at; }

// ** sections and symbols **

// Without a look at what it says, but for bytes that are not there: it has none then. i < n.
static tn_cubin_section tn_cubin_header(const tn_cubin *c, int i) {
  const uint8_t *h = c->data + c->table + (size_t)i * 64;
  tn_cubin_section s = {"", NULL, tn_cubin_read(h + 32, 8), tn_cubin_read(h + 8, 8), tn_cubin_read(h + 48, 8),
                        tn_cubin_u32(h + 4), tn_cubin_u32(h + 40), tn_cubin_u32(h + 44),
                        (uint32_t)tn_cubin_read(h + 56, 8)};
  const uint64_t at = tn_cubin_read(h + 24, 8);
  if (s.type != TN_CUBIN_NOBITS && s.type && tn_cubin_within(at, s.nbytes, c->nbytes)) s.data = c->data + at;
  if (s.type == 0) s.nbytes = 0;
  if (!s.align) s.align = 1;
  return s;
}
static const char *tn_cubin_text(const tn_cubin *c, int table, uint64_t at) {
  const tn_cubin_section s = tn_cubin_header(c, table);
  return s.data && at < s.nbytes ? (const char *)s.data + at : "";
}
static tn_cubin_section tn_cubin_section_at(const tn_cubin *c, int i) {
  tn_cubin_section s = tn_cubin_header(c, i);
  s.name = tn_cubin_text(c, c->names, tn_cubin_u32(c->data + c->table + (size_t)i * 64));
  return s;
}
// By the whole name, or by prefix and the name of a kernel; 0: none.
static int tn_cubin_find(const tn_cubin *c, const char *prefix, const char *name) {
  const size_t n = strlen(prefix);
  for (int i = 1; i < c->n; i++) {
    const char *s = tn_cubin_text(c, c->names, tn_cubin_u32(c->data + c->table + (size_t)i * 64));
    if (!strncmp(s, prefix, n) && !strcmp(s + n, name)) return i;
  }
  return 0;
}

static int tn_cubin_symbol_count(const tn_cubin *c) {
  return c->symbols ? (int)(tn_cubin_header(c, c->symbols).nbytes / 24) : 0;
}
static tn_cubin_symbol tn_cubin_symbol_at(const tn_cubin *c, int i) {
  const tn_cubin_section table = tn_cubin_header(c, c->symbols);
  const uint8_t *p = table.data + (size_t)i * 24;
  const int section = (int)tn_cubin_read(p + 6, 2);
  tn_cubin_symbol s = {tn_cubin_text(c, (int)table.link, tn_cubin_u32(p)), tn_cubin_read(p + 8, 8),
                       tn_cubin_read(p + 16, 8), section < c->n ? section : 0, 0};
  s.entry = (p[4] & 15) == TN_CUBIN_FUNC && p[5] & TN_CUBIN_ENTRY;
  return s;
}
// NULL after the last; *i goes on from 0.
static int tn_cubin_next_entry(const tn_cubin *c, int *i, tn_cubin_symbol *out) {
  for (const int n = tn_cubin_symbol_count(c); *i < n; ) {
    *out = tn_cubin_symbol_at(c, (*i)++);
    if (out->entry && out->section) return 1;
  }
  return 0;
}
static int tn_cubin_has_symbol(const tn_cubin *c, const char *name) {
  for (int i = 0; i < tn_cubin_symbol_count(c); i++) if (!strcmp(tn_cubin_symbol_at(c, i).name, name)) return 1;
  return 0;
}

// The bytes of a variable; NULL: there is no such, or it is not all there.
static const uint8_t *tn_cubin_variable(const tn_cubin *c, const char *name, uint64_t *nbytes) {
  for (int i = 0; i < tn_cubin_symbol_count(c); i++) {
    const tn_cubin_symbol s = tn_cubin_symbol_at(c, i);
    if (!s.section || strcmp(s.name, name) != 0) continue;
    const tn_cubin_section in = tn_cubin_section_at(c, s.section);
    *nbytes = s.nbytes;
    return in.data && tn_cubin_within(s.value, s.nbytes, in.nbytes) ? in.data + s.value : NULL;
  }
  return NULL;
}

// ** opened **

static const char *tn_cubin_section_wrong(tn_cubin *c, int i) {
  const tn_cubin_section s = tn_cubin_header(c, i);
  if (s.type != TN_CUBIN_NOBITS && s.type && !s.data) return "a section goes beyond its end";
  if (s.nbytes >> 32 || s.align & (s.align - 1) || s.align > 65536) return "a section has an odd size or alignment";
  if (s.type == TN_CUBIN_STRTAB && s.nbytes && s.data[s.nbytes - 1]) return "a name has no end";
  if (s.type != TN_CUBIN_SYMTAB) return NULL;
  if (c->symbols) return "it has two tables of symbols";
  if (s.link >= (uint32_t)c->n || tn_cubin_header(c, (int)s.link).type != TN_CUBIN_STRTAB)
    return "its symbols have no names";
  c->symbols = i;
  return NULL;
}
static const char *tn_cubin_sections_wrong(tn_cubin *c) {
  for (int i = 0; i < c->n; i++) {
    const char *wrong = tn_cubin_section_wrong(c, i);
    if (wrong) return wrong;
  }
  return tn_cubin_header(c, c->names).type == TN_CUBIN_STRTAB ? NULL : "its sections have no names";
}
// NULL: c tells what stands there, while the bytes stay. Otherwise why they are not used: "the cubin ..".
static const char *tn_cubin_open(tn_cubin *c, const void *data, size_t nbytes) {
  const uint8_t *p = (const uint8_t *)data;
  memset(c, 0, sizeof *c);
  if (nbytes < 64 || memcmp(p, "\177ELF\2\1\1", 7)) return "it is no ELF file of 64 bits";
  if (tn_cubin_read(p + 18, 2) != TN_CUBIN_MACHINE) return "it is for another kind of machine";
  const uint32_t flags = tn_cubin_u32(p + 48);
  if (p[7] == TN_CUBIN_ABI) c->sm = (int)(flags >> 8 & 255);
  else if (p[7] == TN_CUBIN_ABI_OLD) c->sm = (int)(flags & 255);
  else return "its ABI is not known: it is of a toolkit newer than CUDA 13";
  if (tn_cubin_read(p + 16, 2) != TN_CUBIN_EXEC) return "it is not linked: leave out -c and -rdc=true";
  c->data = p; c->nbytes = nbytes;
  c->table = tn_cubin_read(p + 40, 8);
  c->n = (int)tn_cubin_read(p + 60, 2);
  c->names = (int)tn_cubin_read(p + 62, 2);
  if (tn_cubin_read(p + 58, 2) != 64 || c->n < 2 || c->n > TN_CUBIN_SECTIONS || c->names >= c->n ||
      !tn_cubin_within(c->table, (uint64_t)c->n * 64, nbytes))
    return "its table of sections is cut off or none";
  return tn_cubin_sections_wrong(c);
}

// ** what a kernel needs **

typedef struct tn_cubin_record { int code; uint32_t value; const uint8_t *data; size_t nbytes; } tn_cubin_record;

// Formats: 1 nothing, 2 a byte, 3 16 bits, 4 so many bytes behind it. 0: there is none left.
static int tn_cubin_next(const tn_cubin_section *s, uint64_t *at, tn_cubin_record *r) {
  if (!s->data || !tn_cubin_within(*at, 4, s->nbytes)) return 0;
  const uint8_t *p = s->data + *at;
  r->code = p[1];
  r->value = (uint32_t)tn_cubin_read(p + 2, 2);
  r->nbytes = p[0] == 4 ? r->value : 0;
  r->data = p + 4;
  *at += 4;
  if (p[0] < 1 || p[0] > 4 || !tn_cubin_within(*at, r->nbytes, s->nbytes)) return 0;
  *at += r->nbytes;
  return 1;
}
static void tn_cubin_three(const tn_cubin_record *r, uint32_t out[3]) {
  for (int i = 0; i < 3 && r->nbytes >= 12; i++) out[i] = tn_cubin_u32(r->data + 4 * i);
}
// Of .nv.info: {symbol, number} for all kernels.
static void tn_cubin_common(const tn_cubin *c, tn_cubin_kernel *k) {
  const int section = tn_cubin_find(c, ".nv.info", "");
  const tn_cubin_section s = tn_cubin_section_at(c, section);
  tn_cubin_record r;
  for (uint64_t at = 0; section && tn_cubin_next(&s, &at, &r); ) {
    if (r.nbytes < 8 || (int)tn_cubin_u32(r.data) != k->symbol) continue;
    const uint32_t value = tn_cubin_u32(r.data + 4);
    if (r.code == TN_CUBIN_REGISTERS) k->registers = value;
    if (r.code == TN_CUBIN_FRAME) k->frame = value;
    if (r.code == TN_CUBIN_MIN_STACK) k->stack = value;
  }
}
// Of .nv.info.NAME.
static void tn_cubin_own(const tn_cubin *c, tn_cubin_kernel *k) {
  const int section = tn_cubin_find(c, ".nv.info.", k->name);
  const tn_cubin_section s = tn_cubin_section_at(c, section);
  tn_cubin_record r;
  for (uint64_t at = 0; section && tn_cubin_next(&s, &at, &r); ) {
    uint32_t three[3] = {0, 0, 0};
    tn_cubin_three(&r, three);
    if (r.code == TN_CUBIN_PARAM_BANK && r.nbytes >= 8) {
      k->param_base = (uint32_t)tn_cubin_read(r.data + 4, 2);
      k->param_nbytes = (uint32_t)tn_cubin_read(r.data + 6, 2);
    }
    if (r.code == TN_CUBIN_PARAM_NBYTES && !k->param_nbytes) k->param_nbytes = r.value;
    if (r.code == TN_CUBIN_PARAM && r.nbytes >= 12) k->nparam++;
    if (r.code == TN_CUBIN_BARRIERS) k->barriers = r.value & 255;
    if (r.code == TN_CUBIN_REQUIRED) memcpy(k->required, three, sizeof three);
    if (r.code == TN_CUBIN_CLUSTER) memcpy(k->cluster, three, sizeof three);
    if (r.code == TN_CUBIN_MAX_THREADS && (uint64_t)three[0] * three[1] * three[2] <= 1024)
      k->max_threads = three[0] * three[1] * three[2];
  }
}
// 0: the kernel has no parameter of that number, or the cubin does not tell.
static int tn_cubin_param_at(const tn_cubin *c, const tn_cubin_kernel *k, int number, tn_cubin_param *out) {
  const int section = tn_cubin_find(c, ".nv.info.", k->name);
  const tn_cubin_section s = tn_cubin_section_at(c, section);
  tn_cubin_record r;
  for (uint64_t at = 0; section && tn_cubin_next(&s, &at, &r); ) {
    if (r.code != TN_CUBIN_PARAM || r.nbytes < 12 || (int)tn_cubin_read(r.data + 4, 2) != number) continue;
    out->at = (uint32_t)tn_cubin_read(r.data + 6, 2);
    out->nbytes = tn_cubin_u32(r.data + 8) >> 18;
    return 1;
  }
  return 0;
}
static const char *tn_cubin_kernel_wrong(const tn_cubin_kernel *k) {
  if (!k->registers || k->registers > 255) return "a kernel's registers are not told";
  if (k->barriers > 16) return "a kernel has more than 16 barriers";
  if (k->param_base < 0x160 || k->param_base > 0x1000 || k->param_nbytes > 32764)
    return "a kernel's parameters are not told";
  if (k->shared > 1u << 20 || k->stack > 512u << 10 || !k->text_nbytes) return "a kernel has odd sizes";
  return NULL;
}
// NULL: k tells all about the kernel of this entry, that of symbol number `symbol`.
static const char *tn_cubin_kernel_of(const tn_cubin *c, int symbol, tn_cubin_kernel *k) {
  static const char *const prefix[TN_CUBIN_BANKS] = {
    ".nv.constant0.", ".nv.constant1.", ".nv.constant2.", ".nv.constant3", ".nv.constant4", ".nv.constant5.",
    ".nv.constant6.", ".nv.constant7."
  };
  const tn_cubin_symbol s = tn_cubin_symbol_at(c, symbol);
  memset(k, 0, sizeof *k);
  k->name = s.name; k->symbol = symbol; k->text = s.section;
  const tn_cubin_section text = tn_cubin_section_at(c, s.section);
  if (!text.data || text.type != TN_CUBIN_PROGBITS) return "a kernel has no code";
  k->text_nbytes = (uint32_t)text.nbytes;
  const int shared = tn_cubin_find(c, ".nv.shared.", s.name);
  if (shared) k->shared = (uint32_t)tn_cubin_section_at(c, shared).nbytes;
  for (int i = 0; i < TN_CUBIN_BANKS; i++) k->bank[i] = tn_cubin_find(c, prefix[i], i == 3 || i == 4 ? "" : s.name);
  tn_cubin_common(c, k);
  tn_cubin_own(c, k);
  return tn_cubin_kernel_wrong(k);
}

// ** where it lies when it is loaded **

// Is it brought to the device? Shared memory and bank 0 are made when a kernel is launched.
static int tn_cubin_loaded(const tn_cubin_section *s) {
  if (!(s->flags & TN_CUBIN_ALLOC) || (s->type != TN_CUBIN_PROGBITS && s->type != TN_CUBIN_NOBITS)) return 0;
  return strncmp(s->name, ".nv.shared", 10) != 0 && strncmp(s->name, ".nv.constant0.", 14) != 0;
}
// Bytes of the image; where[i]: of section i in it, which begins at a multiple of 256, as code and constant banks
// want it. UINT64_MAX: it is not loaded.
static uint64_t tn_cubin_place(const tn_cubin *c, uint64_t *where) {
  uint64_t at = 0;
  for (int i = 0; i < c->n; i++) {
    const tn_cubin_section s = tn_cubin_section_at(c, i);
    where[i] = UINT64_MAX;
    if (!tn_cubin_loaded(&s)) continue;
    const uint64_t align = s.align > 256 ? s.align : 256;
    where[i] = at = (at + align - 1) & ~(align - 1);
    at += s.nbytes;
  }
  return at;
}
// Relocation `i` of section `table`, one of its n. A sentence: of a kind that a linked cubin does not have.
static const char *tn_cubin_relocation_at(const tn_cubin *c, int table, uint64_t i, tn_cubin_relocation *out) {
  const tn_cubin_section s = tn_cubin_section_at(c, table);
  const uint8_t *p = s.data + i * (s.type == TN_CUBIN_RELA ? 24 : 16);
  const uint64_t info = tn_cubin_read(p + 8, 8);
  out->section = (int)s.info; out->at = tn_cubin_read(p, 8); out->symbol = (int)(info >> 32);
  const tn_cubin_section to = tn_cubin_header(c, out->section);
  if ((uint32_t)info != TN_CUBIN_ABSOLUTE) return "it has relocations that a linked cubin has not: link it";
  if (!to.data || !tn_cubin_within(out->at, 8, to.nbytes) || out->symbol < 0 ||
      out->symbol >= tn_cubin_symbol_count(c))
    return "a relocation goes beyond its end";
  out->addend = s.type == TN_CUBIN_RELA ? tn_cubin_read(p + 16, 8) : tn_cubin_read(to.data + out->at, 8);
  return NULL;
}
// How many relocations a section has that the image needs.
static uint64_t tn_cubin_relocation_count(const tn_cubin *c, int table) {
  const tn_cubin_section s = tn_cubin_section_at(c, table);
  if ((s.type != TN_CUBIN_RELA && s.type != TN_CUBIN_REL) || !s.data || s.info >= (uint32_t)c->n) return 0;
  const tn_cubin_section to = tn_cubin_section_at(c, (int)s.info);
  if (!tn_cubin_loaded(&to)) return 0;
  return s.nbytes / (s.type == TN_CUBIN_RELA ? 24 : 16);
}
// The image, which lies at this address of the device: nbytes as tn_cubin_place says, zeros before. NULL, or what is
// wrong.
static const char *tn_cubin_image(const tn_cubin *c, const uint64_t *where, uint64_t address, uint8_t *image) {
  for (int i = 0; i < c->n; i++) {
    const tn_cubin_section s = tn_cubin_header(c, i);
    if (where[i] != UINT64_MAX && s.data && s.nbytes) memcpy(image + where[i], s.data, (size_t)s.nbytes);
  }
  for (int t = 0; t < c->n; t++) {
    const uint64_t n = tn_cubin_relocation_count(c, t);
    for (uint64_t i = 0; i < n; i++) {
      tn_cubin_relocation r;
      const char *wrong = tn_cubin_relocation_at(c, t, i, &r);
      if (wrong) return wrong;
      const tn_cubin_symbol s = tn_cubin_symbol_at(c, r.symbol);
      if (!s.section || where[s.section] == UINT64_MAX) return "a relocation is of something that is not in it";
      const uint64_t value = address + where[s.section] + s.value + r.addend;
      for (int b = 0; b < 8; b++) image[where[r.section] + r.at + (uint64_t)b] = (uint8_t)(value >> 8 * b);
    }
  }
  return NULL;
}
#endif
// ---- end src/nv/cubin.c ----
// ---- begin src/nv/qmd.c ----
// qmd: launch descriptors, which tell a GPU all about a launch: one table of their fields, a column for each version.
//
// In:    a version, fields, values. Out: words; 256 bytes before Hopper, 384 from there on.
// Holds: what is not set is 0. A value that does not fit its field is cut: who writes it has checked it.
// What is what: NVIDIA/open-gpu-doc, classes/compute/cl{c5,c6,cb,cd}c0qmd.h, whose names stand here; which version goes
// with which class: Mesa, src/nouveau/compiler/nak/qmd.rs.
#ifndef TN_NV_QMD
#define TN_NV_QMD
#include <stdint.h>
#include <string.h>

enum { TN_QMD_WORDS = 96 };                // of the longest
typedef enum tn_qmd_version {              // Turing; Ampere, Ada; Hopper; Blackwell's first and second
  TN_QMD_0203, TN_QMD_0300, TN_QMD_0400, TN_QMD_0401, TN_QMD_0500, TN_QMD_VERSIONS
} tn_qmd_version;

// n bits from lo on, of the i-th lo + i * stride; of the third from `third` on where that is not 0. They hold value >>
// shift. n 0: this version does not have it.
typedef struct tn_qmd_bits { uint16_t lo; uint8_t n, shift; uint16_t stride, third; } tn_qmd_bits;

// _(name, V02_03, V03_00, V04_00, V04_01, V05_00); B: bits hi to lo; E: of several, so far apart; T: of three, the last
// of them elsewhere; NO: there is none.
#define TN_QMD_FIELDS(_, B, S, E, T, NO) \
  _(QMD_MAJOR_VERSION, B(583, 580), B(583, 580), B(583, 580), B(583, 580), B(471, 468)) \
  _(QMD_MINOR_VERSION, B(579, 576), B(579, 576), B(579, 576), B(579, 576), B(467, 464)) \
  _(QMD_TYPE, NO, NO, B(25, 23), B(25, 23), B(153, 151)) \
  _(QMD_GROUP_ID, B(133, 128), B(133, 128), B(21, 16), B(21, 16), B(149, 144)) \
  _(SM_GLOBAL_CACHING_ENABLE, B(134, 134), B(134, 134), NO, NO, NO) \
  _(API_VISIBLE_CALL_LIMIT, B(378, 378), B(378, 378), B(568, 568), B(568, 568), B(456, 456)) \
  _(SAMPLER_INDEX, B(382, 382), B(382, 382), B(569, 569), B(569, 569), B(457, 457)) \
  _(CWD_MEMBAR_TYPE, B(369, 368), B(369, 368), B(1137, 1136), B(1137, 1136), B(625, 624)) \
  _(INVALIDATE_TEXTURE_HEADER_CACHE, B(186, 186), B(186, 186), B(602, 602), B(602, 602), B(472, 472)) \
  _(INVALIDATE_TEXTURE_SAMPLER_CACHE, B(187, 187), B(187, 187), B(603, 603), B(603, 603), B(473, 473)) \
  _(INVALIDATE_TEXTURE_DATA_CACHE, B(188, 188), B(188, 188), B(604, 604), B(604, 604), B(474, 474)) \
  _(INVALIDATE_SHADER_DATA_CACHE, B(189, 189), B(189, 189), B(605, 605), B(605, 605), B(475, 475)) \
  _(INVALIDATE_INSTRUCTION_CACHE, B(190, 190), B(190, 190), B(606, 606), B(606, 606), B(476, 476)) \
  _(INVALIDATE_SHADER_CONSTANT_CACHE, B(191, 191), B(191, 191), B(607, 607), B(607, 607), B(477, 477)) \
  _(GRID_WIDTH, B(415, 384), B(415, 384), B(1055, 1024), B(1055, 1024), B(1279, 1248)) \
  _(GRID_HEIGHT, B(431, 416), B(431, 416), B(1071, 1056), B(1071, 1056), B(1295, 1280)) \
  _(GRID_DEPTH, B(463, 448), B(463, 448), B(1103, 1088), B(1103, 1088), B(1327, 1312)) \
  _(CTA_THREAD_DIMENSION0, B(607, 592), B(607, 592), B(1167, 1152), B(1167, 1152), B(1103, 1088)) \
  _(CTA_THREAD_DIMENSION1, B(623, 608), B(623, 608), B(1183, 1168), B(1183, 1168), B(1119, 1104)) \
  _(CTA_THREAD_DIMENSION2, B(639, 624), B(639, 624), B(1199, 1184), B(1191, 1184), B(1127, 1120)) \
  _(REGISTER_COUNT, B(656, 648), B(656, 648), B(1208, 1200), B(1208, 1200), B(1136, 1128)) \
  _(BARRIER_COUNT, B(959, 955), B(767, 763), B(1215, 1211), B(1215, 1211), B(1141, 1137)) \
  _(PROGRAM_ADDRESS_LOWER, B(1567, 1536), B(1567, 1536), B(1247, 1216), B(1247, 1216), S(1055, 1024, 4)) \
  _(PROGRAM_ADDRESS_UPPER, B(1584, 1568), B(1584, 1568), B(1272, 1248), B(1272, 1248), B(1076, 1056)) \
  _(SHARED_MEMORY_SIZE, B(561, 544), B(561, 544), B(601, 584), B(601, 584), S(1162, 1152, 7)) \
  _(MIN_SM_CONFIG_SHARED_MEM_SIZE, B(568, 562), B(567, 562), B(613, 608), B(613, 608), B(1168, 1163)) \
  _(MAX_SM_CONFIG_SHARED_MEM_SIZE, B(575, 569), B(574, 569), B(619, 614), B(619, 614), B(1174, 1169)) \
  _(TARGET_SM_CONFIG_SHARED_MEM_SIZE, B(663, 657), B(662, 657), B(625, 620), B(625, 620), B(1180, 1175)) \
  _(SHADER_LOCAL_MEMORY_LOW_SIZE, B(951, 928), B(759, 736), B(535, 512), B(535, 512), S(1199, 1184, 4)) \
  _(SHADER_LOCAL_MEMORY_HIGH_SIZE, B(983, 960), B(1623, 1600), B(567, 544), B(567, 544), S(1215, 1200, 4)) \
  _(SASS_VERSION, B(1023, 1016), B(1663, 1656), B(543, 536), B(543, 536), B(455, 448)) \
  _(CONSTANT_BUFFER_VALID, E(640, 640, 1, 0), E(640, 640, 1, 0), E(416, 416, 4, 0), E(416, 416, 4, 0), \
    E(1856, 1856, 4, 0)) \
  _(CONSTANT_BUFFER_ADDR_LOWER, E(1055, 1024, 64, 0), E(1055, 1024, 64, 0), E(1567, 1536, 64, 6), \
    E(1567, 1536, 64, 6), E(1375, 1344, 64, 6)) \
  _(CONSTANT_BUFFER_ADDR_UPPER, E(1072, 1056, 64, 0), E(1072, 1056, 64, 0), E(1586, 1568, 64, 0), \
    E(1586, 1568, 64, 0), E(1394, 1376, 64, 0)) \
  _(CONSTANT_BUFFER_SIZE, E(1087, 1075, 64, 4), E(1087, 1075, 64, 4), E(1599, 1587, 64, 4), E(1599, 1587, 64, 4), \
    E(1407, 1395, 64, 4)) \
  _(CONSTANT_BUFFER_INVALIDATE, E(1074, 1074, 64, 0), E(1074, 1074, 64, 0), E(419, 419, 4, 0), E(419, 419, 4, 0), \
    E(1859, 1859, 4, 0)) \
  _(RELEASE_ENABLE, NO, T(823, 823, 128, 0, 1719), E(320, 320, 16, 0), E(320, 320, 16, 0), E(288, 288, 16, 0)) \
  _(RELEASE_STRUCTURE_SIZE, NO, T(831, 830, 128, 0, 1726), E(322, 321, 16, 0), E(322, 321, 16, 0), E(290, 289, 16, 0)) \
  _(RELEASE_MEMBAR_TYPE, NO, T(819, 819, 128, 0, 1715), E(323, 323, 16, 0), E(323, 323, 16, 0), E(291, 291, 16, 0)) \
  _(RELEASE_PAYLOAD64B, NO, T(829, 829, 128, 0, 1725), E(332, 332, 16, 0), E(332, 332, 16, 0), E(300, 300, 16, 0)) \
  _(RELEASE_ADDR_LOWER, NO, T(799, 768, 128, 0, 1664), E(671, 640, 128, 0), E(671, 640, 128, 0), \
    T(511, 480, 288, 0, 896)) \
  _(RELEASE_ADDR_UPPER, NO, T(807, 800, 128, 0, 1696), E(696, 672, 128, 0), E(696, 672, 128, 0), \
    T(536, 512, 288, 0, 928)) \
  _(RELEASE_PAYLOAD_LOWER, NO, T(863, 832, 128, 0, 1728), E(735, 704, 128, 0), E(735, 704, 128, 0), \
    T(575, 544, 288, 0, 960)) \
  _(RELEASE_PAYLOAD_UPPER, NO, T(895, 864, 128, 0, 1760), E(767, 736, 128, 0), E(767, 736, 128, 0), \
    T(607, 576, 288, 0, 992)) \
  _(DEPENDENT_QMD0_ENABLE, NO, B(512, 512), B(368, 368), B(368, 368), B(336, 336)) \
  _(DEPENDENT_QMD0_ACTION, NO, B(515, 513), B(371, 369), B(371, 369), B(339, 337)) \
  _(DEPENDENT_QMD0_PREFETCH, NO, B(516, 516), B(372, 372), B(372, 372), B(340, 340)) \
  _(DEPENDENT_QMD0_POINTER, NO, S(511, 480, 8), S(479, 448, 8), S(479, 448, 8), S(415, 384, 8)) \
  _(GPC_CGA_WIDTH, NO, NO, B(2149, 2144), B(2149, 2144), B(2053, 2048)) \
  _(GPC_CGA_HEIGHT, NO, NO, B(2157, 2152), B(2157, 2152), B(2061, 2056)) \
  _(GPC_CGA_DEPTH, NO, NO, B(2165, 2160), B(2165, 2160), B(2069, 2064))

#define TN_QMD_NAME(name, ...) TN_QMD_##name,
typedef enum tn_qmd_field { TN_QMD_FIELDS(TN_QMD_NAME, , , , , ) TN_QMD_FIELD_COUNT } tn_qmd_field;
#undef TN_QMD_NAME

#define TN_QMD_B(hi, lo) {lo, (hi) - (lo) + 1, 0, 0, 0}
#define TN_QMD_S(hi, lo, shift) {lo, (hi) - (lo) + 1, shift, 0, 0}
#define TN_QMD_E(hi, lo, stride, shift) {lo, (hi) - (lo) + 1, shift, stride, 0}
#define TN_QMD_T(hi, lo, stride, shift, third) {lo, (hi) - (lo) + 1, shift, stride, third}
#define TN_QMD_NO {0, 0, 0, 0, 0}
#define TN_QMD_ROW(name, ...) {#name, {__VA_ARGS__}},
static const struct tn_qmd_row { const char *name; tn_qmd_bits of[TN_QMD_VERSIONS]; } tn_qmd_rows[] = {
  TN_QMD_FIELDS(TN_QMD_ROW, TN_QMD_B, TN_QMD_S, TN_QMD_E, TN_QMD_T, TN_QMD_NO)
};
#undef TN_QMD_B
#undef TN_QMD_S
#undef TN_QMD_E
#undef TN_QMD_T
#undef TN_QMD_NO
#undef TN_QMD_ROW

static size_t tn_qmd_nbytes(tn_qmd_version v) { return v < TN_QMD_0400 ? 256 : 384; }

// Where the i-th of a field begins.
static unsigned tn_qmd_lo(tn_qmd_bits b, int i) { return i == 2 && b.third ? b.third : b.lo + (unsigned)i * b.stride; }
// The i-th of a field, which may go over the end of a word. A field that the version does not have is left alone.
static void tn_qmd_set_at(uint32_t *q, tn_qmd_version v, tn_qmd_field f, int i, uint64_t value) {
  const tn_qmd_bits b = tn_qmd_rows[f].of[v];
  unsigned at = tn_qmd_lo(b, i);
  value >>= b.shift;
  for (unsigned left = b.n, n; left; left -= n, at += n, value >>= n) {
    n = 32 - at % 32 < left ? 32 - at % 32 : left;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << n) - 1) << at % 32;
    q[at / 32] = (q[at / 32] & ~mask) | ((uint32_t)value << at % 32 & mask);
  }
}
static void tn_qmd_set(uint32_t *q, tn_qmd_version v, tn_qmd_field f, uint64_t value) {
  tn_qmd_set_at(q, v, f, 0, value);
}
// An address whose upper part is what does not fit into the lower one, after its shift.
static void tn_qmd_set_address(uint32_t *q, tn_qmd_version v, tn_qmd_field lower, int i, uint64_t address) {
  const unsigned up = 32 + tn_qmd_rows[lower].of[v].shift;
  tn_qmd_set_at(q, v, lower, i, address);
  tn_qmd_set_at(q, v, (tn_qmd_field)(lower + 1), i, address >> up);
}
static void tn_qmd_set_bank(uint32_t *q, tn_qmd_version v, int bank, uint64_t address, uint64_t nbytes) {
  tn_qmd_set_at(q, v, TN_QMD_CONSTANT_BUFFER_VALID, bank, 1);
  tn_qmd_set_at(q, v, TN_QMD_CONSTANT_BUFFER_INVALIDATE, bank, 1);
  tn_qmd_set_at(q, v, TN_QMD_CONSTANT_BUFFER_SIZE, bank, nbytes + 15);
  tn_qmd_set_address(q, v, TN_QMD_CONSTANT_BUFFER_ADDR_LOWER, bank, address);
}
#endif
// ---- end src/nv/qmd.c ----
// ---- begin src/nv/generation.c ----
// generation: what differs between NVIDIA's GPUs from Turing on, a row for each class of compute.
//
// Holds: the row is chosen by the classes that the driver lists, never by a chip's name.
// What is what: classes: NVIDIA/open-gpu-kernel-modules, src/nvidia/generated/g_gpu_class_list.c. Shared memory: CUDA
// C++ Programming Guide, Compute Capabilities. Constant bank 0: what ptxas's code for each target reads, one kernel for
// each special register.
#ifndef TN_NV_GENERATION
#define TN_NV_GENERATION
#ifndef TINY_AMALGAMATED
#include "qmd.c"
#endif

// Places in constant bank 0, bytes. params: of the address of the parameters, of which code subtracts params_less.
typedef struct tn_nv_bank0 {
  uint16_t base, block, grid, shared_window, local_window, stack, dynamic, memory, params, params_less;
} tn_nv_bank0;
static const tn_nv_bank0 tn_nv_bank0_turing = {0x160, 0x0, 0xC, 0x18, 0x20, 0x28, 0x2C, 0x118, 0x40, 0x160},
                         tn_nv_bank0_hopper = {0x210, 0x0, 0xC, 0x18, 0x20, 0x28, 0x2C, 0x208, 0x198, 0},
                         tn_nv_bank0_blackwell = {0x380, 0x360, 0x370, 0x2F0, 0x2F8, 0x37C, 0x2AC, 0x358, 0x348, 0};

typedef struct tn_nv_generation {
  const char *name;
  uint16_t compute, fifo[2], copy[2], doorbell[2];         // classes, the newest first; 0: none
  uint16_t sm; tn_qmd_version qmd; const tn_nv_bank0 *bank0;
  uint16_t shared[10];                     // KiB that an SM may have as shared memory, ascending from the first
  uint16_t shared_block, shared_kept;      // of a block: KiB that it may have; bytes that come on top of static ones
  uint16_t threads;                        // of an SM
} tn_nv_generation;

#define TN_NV_SHARED_TURING {32, 64}
#define TN_NV_SHARED_A100 {0, 8, 16, 32, 64, 100, 132, 164}
#define TN_NV_SHARED_GA10X {0, 8, 16, 32, 64, 100}
#define TN_NV_SHARED_HOPPER {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}
static const tn_nv_generation tn_nv_generations[] = {
  {"Turing", 0xC5C0, {0xC46F, 0}, {0xC5B5, 0}, {0xC461, 0}, 75, TN_QMD_0203, &tn_nv_bank0_turing,
   TN_NV_SHARED_TURING, 64, 0, 1024},
  {"Ampere", 0xC6C0, {0xC56F, 0}, {0xC6B5, 0}, {0xC561, 0xC461}, 80, TN_QMD_0300, &tn_nv_bank0_turing,
   TN_NV_SHARED_A100, 163, 0x400, 2048},
  {"Ampere", 0xC7C0, {0xC56F, 0}, {0xC7B5, 0}, {0xC561, 0xC461}, 86, TN_QMD_0300, &tn_nv_bank0_turing,
   TN_NV_SHARED_GA10X, 99, 0x400, 1536},
  {"Ada", 0xC9C0, {0xC56F, 0}, {0xC7B5, 0}, {0xC561, 0xC461}, 89, TN_QMD_0300, &tn_nv_bank0_turing,
   TN_NV_SHARED_GA10X, 99, 0x400, 1536},
  {"Hopper", 0xCBC0, {0xC86F, 0}, {0xC8B5, 0}, {0xC661, 0xC461}, 90, TN_QMD_0400, &tn_nv_bank0_hopper,
   TN_NV_SHARED_HOPPER, 227, 0, 2048},
  {"Blackwell", 0xCDC0, {0xC96F, 0}, {0xC9B5, 0}, {0xC661, 0xC461}, 100, TN_QMD_0500, &tn_nv_bank0_blackwell,
   TN_NV_SHARED_HOPPER, 227, 0, 2048},
  {"Blackwell", 0xCEC0, {0xCA6F, 0xC96F}, {0xCAB5, 0xC9B5}, {0xC761, 0xC661}, 120, TN_QMD_0500,
   &tn_nv_bank0_blackwell, TN_NV_SHARED_GA10X, 99, 0, 1536}
};
enum { TN_NV_GENERATIONS = sizeof tn_nv_generations / sizeof *tn_nv_generations };

static int tn_nv_has_class(const uint32_t *list, uint32_t n, uint32_t cls) {
  for (uint32_t i = 0; i < n; i++) if (list[i] == cls && cls) return 1;
  return 0;
}
// The newest whose class is in the list; NULL: none that is known.
static const tn_nv_generation *tn_nv_generation_of(const uint32_t *list, uint32_t n) {
  for (int i = TN_NV_GENERATIONS - 1; i >= 0; i--)
    if (tn_nv_has_class(list, n, tn_nv_generations[i].compute)) return &tn_nv_generations[i];
  return NULL;
}
// Of two classes the first that the GPU has; 0: neither.
static uint32_t tn_nv_class_of(const uint32_t *list, uint32_t n, const uint16_t two[2]) {
  return tn_nv_has_class(list, n, two[0]) ? two[0] : tn_nv_has_class(list, n, two[1]) ? two[1] : 0;
}
// What NV2080_CTRL_GR_INFO's SM_VERSION says of the same classes: 0xA03 of class 0xCDC0 is 10.3, 0xA04 of 0xCEC0 is
// 12.0 (not 10.4), 0xC01 is 12.1.
static int tn_nv_sm_of(const tn_nv_generation *g, uint32_t version) {
  if (g->sm == 100 && version == 0xA03) return 103;
  return g->sm == 120 && version == 0xC01 ? 121 : g->sm;
}
// KiB of the smallest configuration with so many bytes; the largest where none has.
static int tn_nv_shared_config(const tn_nv_generation *g, uint64_t nbytes) {
  int best = g->shared[0];
  for (int i = 0; i < 10 && (!i || g->shared[i]); i++) {
    best = g->shared[i];
    if ((uint64_t)best << 10 >= nbytes) break;
  }
  return best;
}
#endif
// ---- end src/nv/generation.c ----
// ---- begin src/nv/device.c ----
// device: a GPU: found, asked what it is, its address space and channels; opened and closed; what went wrong.
//
// In:    "", a number, or "on-SYSTEM-NUMBER". Out: a tn_nv with its limits.
// Holds: what the host sees lies at one address for the host and the GPU, below 2^40. One group of channels: launches,
//        copies to the GPU, copies from it; each goes on by itself and tells how far it is in a semaphore. After an
//        error of a channel each call says so, and nothing more is given to the GPU.
#ifndef TN_NV_DEVICE_ROOM
#define TN_NV_DEVICE_ROOM
#ifndef TINY_AMALGAMATED
#include "rm.c"
#include "../base/blocks.c"
#include "../base/prepared.c"
#include "generation.c"
#endif

enum {
  TN_NV_WINDOW_LOG2 = 34,                  // bytes of addresses that host and GPU share
  TN_NV_ENTRIES = 1024, TN_NV_PARTS = 8, TN_NV_CARDS = 32, TN_NV_CLASSES_MOST = 512
};
enum { TN_NV_LAUNCHES, TN_NV_IN, TN_NV_OUT, TN_NV_CHANNELS };              // what a channel is for

// Memory of the GPU or of the host that the GPU sees at va, and the host too if cpu is not NULL. of: 0, or the serial
// number of the device that it belongs to, which knows it as `theirs`; handle is 0 then (peer.c).
typedef struct tn_nv_memory {
  struct tn_nv_memory *next;
  uint32_t handle, theirs; uint64_t va, nbytes, token, of; char *cpu;
} tn_nv_memory;
// Memory in parts, which are used one after the other, and again when the channel has come so far.
typedef struct tn_nv_ring {
  tn_nv_memory *memory; size_t part, fill; int now, channel; uint64_t busy[TN_NV_PARTS];
} tn_nv_ring;
typedef struct tn_nv_channel {
  uint32_t handle, token;
  tn_nv_memory *control, *notifier;        // entries and USERD; what the driver writes after an error
  uint32_t put;
  uint64_t given, seen[TN_NV_CHANNELS];    // submissions; those of others that it has waited for
  uint64_t *done;                          // the last that happened, as the GPU writes it
  tn_nv_ring words;
  uint32_t *at, *from, *end;               // of words: where to write, what is not submitted yet, the part's end
  int registered;                          // with nvidia-uvm
} tn_nv_channel;
typedef struct tn_nv_stamp { uint64_t *out; } tn_nv_stamp;
// Another device of the context, and up to which of its submissions this one waits, of each channel.
typedef struct tn_nv_peer { struct tn_nv *of; uint64_t value[TN_NV_CHANNELS]; } tn_nv_peer;
// A GPU that nvidia-uvm was told of: 1: its memory may be tried; -1: the driver does not let this one reach it.
typedef struct tn_nv_neighbour { uint8_t uuid[16]; int peers; } tn_nv_neighbour;

typedef struct tn_nv {
  tiny_ctx *t;
  tn_nv_rm rm;
  char name[40], gpu[72], target[16];
  int number, minor, file, sm, lost, exclusive;
  uint8_t uuid[16];
  const tn_nv_generation *generation;
  uint32_t device, subdevice, vaspace, group, share, debugger, doorbell, compute_object;
  uint32_t fifo_class, copy_class, doorbell_class;
  uint32_t gpu_id;
  uint32_t sass;                           // as descriptors have it: 0x90 of 9.0
  int gpcs, tpcs, sms, warps;              // GPCs, TPCs of each at most, SMs of a TPC, warps of an SM
  int processors; uint64_t nbytes, free_nbytes, l2;
  char *window; uint64_t from_low, next_low, next_high;    // addresses: the first that are given again, the next
  tn_nv_memory *memory;                    // all of it
  char *bell; uint64_t bell_token;         // the page with the doorbell
  tn_nv_memory *signals;                   // semaphores: of channels, then of stamps
  tn_nv_channel channel[TN_NV_CHANNELS];
  tn_nv_ring args, stage_in, stage_out;
  tn_nv_memory *local; uint64_t local_thread;              // local memory, and bytes of it that a thread has
  int code_is_new;                         // instructions were written since the last launch
  tn_device_blocks blocks;
  struct tn_nv_module *gone;
  tn_prepared prepared;
  tn_nv_stamp *stamp; int nstamp, stamp_cap;
  uint64_t timeout_ns, serial;             // serial: no other device of the process has it
  tn_nv_peer peer[TINY_MAX_DEVICES]; int npeer;
  tn_nv_neighbour neighbour[TN_NV_CARDS]; int nneighbour;
  struct tn_nv_assembler *assembler;
} tn_nv;

static tiny_code tn_nv_failed(tn_nv *d) { return tiny_fail(d->t, d->rm.code, "%s: %s", d->name, d->rm.why); }
static tiny_code tn_nv_check(tn_nv *d, tiny_code code) { return code == TINY_OK ? code : tn_nv_failed(d); }

// ** which GPU **

static tiny_code tn_nv_cards(tn_nv_rm *rm, tn_nv_card cards[TN_NV_CARDS], int *n) {
  memset(cards, 0, TN_NV_CARDS * sizeof *cards);
  *n = 0;
  const tiny_code code = tn_nv_call(rm, rm->control, TN_NV_CARD_INFO, cards, TN_NV_CARDS * sizeof *cards,
                                    "a list of GPUs (NV_ESC_CARD_INFO)");
  for (int i = 0; i < TN_NV_CARDS; i++) if (cards[i].valid) cards[(*n)++] = cards[i];
  return code;
}
// The file stays open: it keeps the GPU awake. Containers show some of the GPUs: numbers count those that open.
static tiny_code tn_nv_choose(tn_nv *d, uint64_t number) {
  tn_nv_card cards[TN_NV_CARDS];
  int n = 0, seen = 0;
  tiny_code code = tn_nv_cards(&d->rm, cards, &n), refused = TINY_OK;
  if (code != TINY_OK) return code;
  for (int i = 0; i < n; i++) {
    const int file = tn_nv_file(&d->rm, (int)cards[i].minor);
    if (file < 0) { refused = d->rm.code; continue; }
    if ((uint64_t)seen++ != number) { d->rm.sys.close(d->rm.sys.user, file); continue; }
    d->file = file; d->minor = (int)cards[i].minor; d->gpu_id = cards[i].gpu;
    return TINY_OK;
  }
  if (n && !seen) return refused;          // why it does not open, stands there
  if (!n) return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the driver (%s) finds no GPU", d->rm.version);
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "there is no GPU of this number; there are %d, counted from 0", seen);
}

// ** what it is **

static tiny_code tn_nv_classes(tn_nv *d, uint32_t *list, uint32_t *n) {
  tn_nv_classes_params p = {0, 0, 0};
  static const char what[] = "its classes (NV0080_CTRL_CMD_GPU_GET_CLASSLIST)";
  tiny_code code = tn_nv_control(&d->rm, d->device, TN_NV_CLASSES, &p, sizeof p, what);
  if (code == TINY_OK && p.n > TN_NV_CLASSES_MOST)
    code = tn_nv_wrong(&d->rm, TINY_E_DEVICE, "%s: %u are too many", what, (unsigned)p.n);
  p.list = tn_nv_pointer(list);
  if (code == TINY_OK) code = tn_nv_control(&d->rm, d->device, TN_NV_CLASSES, &p, sizeof p, what);
  *n = p.n;
  return code;
}
static tiny_code tn_nv_take_classes(tn_nv *d) {
  uint32_t list[TN_NV_CLASSES_MOST], n = 0;
  memset(list, 0, sizeof list);
  const tiny_code code = tn_nv_classes(d, list, &n);
  if (code != TINY_OK) return code;
  d->generation = tn_nv_generation_of(list, n);
  if (!d->generation)
    return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "it is older than Turing or newer than Blackwell: none of its %u classes "
                       "is a compute class that is known here", (unsigned)n);
  d->sm = d->generation->sm;
  d->fifo_class = tn_nv_class_of(list, n, d->generation->fifo);
  d->copy_class = tn_nv_class_of(list, n, d->generation->copy);
  d->doorbell_class = tn_nv_class_of(list, n, d->generation->doorbell);
  if (d->fifo_class && d->copy_class && d->doorbell_class) return TINY_OK;
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "its classes are not those of %s", d->generation->name);
}
static uint32_t tn_nv_found(const tn_nv_pair *p, int n, uint32_t index) {
  for (int i = 0; i < n; i++) if (p[i].index == index) return p[i].data;
  return 0;
}
// Where the driver does not tell, what the generation's largest has.
static void tn_nv_take_processors(tn_nv *d) {
  tn_nv_pair p[] = {{TN_NV_GR_SM_VERSION, 0}, {TN_NV_GR_WARPS, 0}, {TN_NV_GR_GPCS, 0}, {TN_NV_GR_TPCS, 0},
                    {TN_NV_GR_SMS, 0}, {TN_NV_GR_SUBPIPES, 0}};
  enum { N = sizeof p / sizeof *p };
  tn_nv_gr_params g = {N, 0, 0, 0, 0, 0};
  g.list = tn_nv_pointer(p);
  if (tn_nv_control(&d->rm, d->subdevice, TN_NV_GR_INFO, &g, sizeof g, "its processors") != TINY_OK)
    memset(p, 0, sizeof p);
  const uint32_t version = tn_nv_found(p, N, TN_NV_GR_SM_VERSION);
  d->sm = tn_nv_sm_of(d->generation, version);
  d->sass = version ? (version & 0xF00) >> 4 | (version & 15) : (uint32_t)(d->sm / 10 << 4 | d->sm % 10);
  d->warps = (int)tn_nv_found(p, N, TN_NV_GR_WARPS);
  d->gpcs = (int)tn_nv_found(p, N, TN_NV_GR_GPCS);
  d->tpcs = (int)tn_nv_found(p, N, TN_NV_GR_TPCS);
  d->sms = (int)tn_nv_found(p, N, TN_NV_GR_SMS);
  if (d->warps < 1 || d->warps > 128) d->warps = d->generation->threads / 32;
  if (d->gpcs < 1 || d->gpcs > 32) d->gpcs = 12;
  if (d->tpcs < 1 || d->tpcs > 32) d->tpcs = 10;
  if (d->sms < 1 || d->sms > 4) d->sms = 2;
  const int told = (int)tn_nv_found(p, N, TN_NV_GR_SUBPIPES);      // TPCs that are there
  const int most = d->gpcs * d->tpcs;
  d->processors = (told >= 1 && told <= most ? told : most) * d->sms;
}
static void tn_nv_take_memory(tn_nv *d) {
  struct { uint32_t n; tn_nv_pair p[127]; uint32_t more[4]; } f;
  memset(&f, 0, sizeof f);
  static const uint32_t asked[] = {TN_NV_FB_USABLE, TN_NV_FB_RAM, TN_NV_FB_L2, TN_NV_FB_HEAP_FREE};
  for (int i = 0; i < 4; i++) f.p[f.n++].index = asked[i];
  if (tn_nv_control(&d->rm, d->subdevice, TN_NV_FB_INFO, &f, d->rm.branch->fb_info, "its memory") != TINY_OK) return;
  d->nbytes = (uint64_t)f.p[0].data << 10;
  if (!d->nbytes) d->nbytes = (uint64_t)f.p[1].data << 10;
  d->l2 = f.p[2].data;
  d->free_nbytes = (uint64_t)f.p[3].data << 10;
}
static void tn_nv_take_name(tn_nv *d) {
  uint8_t p[132];
  memset(p, 0, sizeof p);
  if (tn_nv_control(&d->rm, d->subdevice, TN_NV_NAME, p, d->rm.branch->name, "its name") != TINY_OK) p[4] = 0;
  snprintf(d->gpu, sizeof d->gpu, "%.64s", p[4] ? (const char *)p + 4 : d->generation->name);
}
static int tn_nv_is_partitioned(tn_nv *d) {
  struct { uint32_t n; tn_nv_pair p[70]; } i;
  memset(&i, 0, sizeof i);
  i.n = 1;
  i.p[0].index = TN_NV_GPU_MIG;
  return tn_nv_control(&d->rm, d->subdevice, TN_NV_INFO, &i, d->rm.branch->info, "its mode") == TINY_OK &&
      i.p[0].data == 1;
}
static tiny_code tn_nv_take_uuid(tn_nv *d) {
  tn_nv_uuid_params u;
  memset(&u, 0, sizeof u);
  u.flags = 2; u.nbytes = 16;              // binary
  const tiny_code code = tn_nv_control(&d->rm, d->subdevice, TN_NV_UUID, &u, sizeof u, "its uuid");
  memcpy(d->uuid, u.data, 16);
  return code;
}

// As assemblers name it.
static void tn_nv_name_target(tn_nv *d) {
  snprintf(d->target, sizeof d->target, "sm_%d%s", d->sm, d->sm >= 90 ? "a" : "");
}

// The objects that stand for it, without an address space.
static tiny_code tn_nv_attach(tn_nv *d) {
  tn_nv_id_params id;
  tn_nv_device_params device;
  uint32_t subdevice = 0;
  memset(&id, 0, sizeof id);
  memset(&device, 0, sizeof device);
  id.gpu = d->gpu_id;
  tiny_code code = tn_nv_control(&d->rm, d->rm.root, TN_NV_GET_ID, &id, sizeof id, "its number");
  device.device = id.device; device.client_share = d->rm.root;
  if (code == TINY_OK)
    code = tn_nv_make(&d->rm, d->rm.root, TN_NV_DEVICE, &device, sizeof device, "a device (NV01_DEVICE_0)", &d->device);
  if (code == TINY_OK)
    code = tn_nv_make(&d->rm, d->device, TN_NV_SUBDEVICE, &subdevice, sizeof subdevice, "a device (NV20_SUBDEVICE_0)",
                      &d->subdevice);
  if (code == TINY_OK) code = tn_nv_take_classes(d);
  if (code != TINY_OK) return code;
  tn_nv_take_processors(d);
  tn_nv_take_memory(d);
  tn_nv_take_name(d);
  tn_nv_name_target(d);
  return tn_nv_take_uuid(d);
}

// ** addresses and memory **

// Of those from *next to high the first that have nothing; 0: there are none.
static uint64_t tn_nv_place(tn_nv *d, uint64_t low, uint64_t high, uint64_t *next, uint64_t nbytes, uint64_t align) {
  for (int again = 0; again < 2; again++) {
    uint64_t at = again ? low : *next;
    at = (at + align - 1) / align * align;
    for (const tn_nv_memory *m = d->memory; m && at + nbytes <= high; ) {
      if (at < m->va + m->nbytes && m->va < at + nbytes) {
        at = (m->va + m->nbytes + align - 1) / align * align;
        m = d->memory;
      } else m = m->next;
    }
    if (at + nbytes <= high) { *next = at + nbytes; return at; }
  }
  return 0;
}
static uint64_t tn_nv_low(tn_nv *d, uint64_t nbytes, uint64_t align) {
  const uint64_t high = tn_nv_pointer(d->window) + ((uint64_t)1 << TN_NV_WINDOW_LOG2);
  return tn_nv_place(d, d->from_low, high, &d->next_low, nbytes, align);
}
// Above whatever a host's window can be, below the windows of shared and local memory.
static uint64_t tn_nv_high(tn_nv *d, uint64_t nbytes, uint64_t align) {
  return tn_nv_place(d, UINT64_C(0x20000000000), UINT64_C(0x400000000000), &d->next_high, nbytes, align);
}

// What the GPU has, or what the host has and both see: a handle and a size. Sizes are multiples of a page.
static tiny_code tn_nv_memory_object(tn_nv *d, tn_nv_memory *m, int host, uint64_t page) {
  tn_nv_memory_params p;
  memset(&p, 0, sizeof p);
  p.owner = d->rm.root; p.flags = TN_NV_MEMORY_FLAGS; p.nbytes = m->nbytes; p.limit = m->nbytes - 1; p.alignment = page;
  p.format = 6;
  p.attr = TN_NV_ATTR_ANYWHERE;
  if (host) {
    p.type = TN_NV_TYPE_NOTIFIER;
    p.attr |= TN_NV_ATTR_SYSTEM | TN_NV_ATTR_CACHED;
    p.attr2 = TN_NV_ATTR2_UNCACHED | TN_NV_ATTR2_UNCOMPRESSED;
  } else {
    p.attr |= page == 2u << 20 ? (uint32_t)TN_NV_ATTR_HUGE : 0;
    p.attr2 = TN_NV_ATTR2_CACHED | TN_NV_ATTR2_UNCOMPRESSED | (page == 2u << 20 ? (uint32_t)TN_NV_ATTR2_2MIB : 0);
  }
  return tn_nv_make(&d->rm, d->device, host ? TN_NV_SYSTEM_MEMORY : TN_NV_VIDEO_MEMORY, &p, d->rm.branch->memory,
                    host ? "memory of the host" : "memory of the GPU", &m->handle);
}
static void tn_nv_memory_free(tn_nv *d, tn_nv_memory *m) {
  if (!m) return;
  for (tn_nv_memory **at = &d->memory; *at; at = &(*at)->next) if (*at == m) { *at = m->next; break; }
  tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  if (m->cpu) {
    tn_nv_unmap(&d->rm, d->device, m->handle, m->cpu, (size_t)m->nbytes, m->token);
    tn_nv_reserve_again(m->cpu, (size_t)m->nbytes);
  }
  tn_nv_drop(&d->rm, d->device, m->handle);
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static tiny_code tn_nv_memory_map(tn_nv *d, tn_nv_memory *m, int host) {
  void *at = (void *)(uintptr_t)m->va;
  tiny_code code = tn_nv_uvm_range(&d->rm, m->va, m->nbytes);
  if (code != TINY_OK) return code;
  if (host)
    code = tn_nv_map(&d->rm, -1, d->device, m->handle, (size_t)m->nbytes, TN_DRIVER_READ | TN_DRIVER_WRITE,
                     TN_DRIVER_MAP_FIXED, &at, &m->token, "mapping memory for the host");
  if (code == TINY_OK && host) m->cpu = (char *)at;
  const tn_nv_handle own = {d->rm.control, d->rm.root, m->handle};
  if (code == TINY_OK)
    code = tn_nv_uvm_map(&d->rm, d->uuid, m->va, m->nbytes, own, TN_UVM_READ_WRITE_ATOMIC);
  if (code != TINY_OK) tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  return code;
}
// Of memory's pages; and nbytes as a number of them.
static uint64_t tn_nv_page(uint64_t nbytes, int host) { return host ? 4096 : nbytes >= 2u << 20 ? 2u << 20 : 65536; }
static uint64_t tn_nv_pages(uint64_t nbytes, int host) {
  const uint64_t page = tn_nv_page(nbytes, host);
  return (nbytes + page - 1) / page * page;
}
// NULL, and why in d->rm.why. The host's is zeros.
static tn_nv_memory *tn_nv_memory_make(tn_nv *d, uint64_t nbytes, int host) {
  const uint64_t page = tn_nv_page(nbytes, host);
  tn_nv_memory *m = (tn_nv_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) { tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no memory for what is known of memory"); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = tn_nv_pages(nbytes, host);
  m->va = host ? tn_nv_low(d, m->nbytes, page) : tn_nv_high(d, m->nbytes, page);
  if (!m->va) tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no addresses are left for %llu bytes", (unsigned long long)nbytes);
  const int made = m->va && tn_nv_memory_object(d, m, host, page) == TINY_OK;
  if (made && tn_nv_memory_map(d, m, host) == TINY_OK) {
    m->next = d->memory;
    d->memory = m;
    if (host) memset(m->cpu, 0, (size_t)m->nbytes);
    return m;
  }
  if (m->cpu) {
    tn_nv_unmap(&d->rm, d->device, m->handle, m->cpu, (size_t)m->nbytes, m->token);
    tn_nv_reserve_again(m->cpu, (size_t)m->nbytes);
  }
  if (made) tn_nv_drop(&d->rm, d->device, m->handle);
  tiny_realloc(d->t, m, sizeof *m, 0);
  return NULL;
}

// ** its address space **

static tiny_code tn_nv_open_vaspace(tn_nv *d) {
  tn_nv_vaspace_params v;
  tn_uvm_vaspace s;
  memset(&v, 0, sizeof v);
  memset(&s, 0, sizeof s);
  v.flags = TN_NV_VASPACE_EXTERNAL | TN_NV_VASPACE_FAULTS;
  tiny_code code = tn_nv_make(&d->rm, d->device, TN_NV_VASPACE, &v, d->rm.branch->vaspace,
                              "an address space (FERMI_VASPACE_A)", &d->vaspace);
  if (code == TINY_OK) code = tn_nv_rm_open_uvm(&d->rm);
  if (code == TINY_OK) code = tn_nv_uvm_register(&d->rm, d->uuid);
  if (code != TINY_OK) return code;
  memcpy(s.uuid, d->uuid, 16);
  s.control = d->rm.control; s.client = d->rm.root; s.vaspace = d->vaspace;
  return tn_nv_uvm(&d->rm, TN_UVM_REGISTER_VASPACE, &s, &s.status, "UVM_REGISTER_GPU_VASPACE");
}

// ** the doorbell **

// Of two classes and, from Hopper on, two ways, the first that the driver gives.
static tiny_code tn_nv_open_doorbell(tn_nv *d) {
  tiny_code code = TINY_E_DEVICE;
  const uint32_t classes[2] = {d->doorbell_class, d->generation->doorbell[1]};
  for (int i = 0; i < 3 && code != TINY_OK; i++) {
    const uint32_t cls = classes[i / 2];
    tn_nv_doorbell_params p = {(uint8_t)(i == 0), 0};
    const int params = cls >= 0xC661;
    if (!cls || (i == 1 && !params)) continue;
    code = tn_nv_make(&d->rm, d->subdevice, cls, params ? &p : NULL, params ? sizeof p : 0,
                      "a doorbell (usermode class)", &d->doorbell);
  }
  void *at = NULL;
  if (code == TINY_OK)
    code = tn_nv_map(&d->rm, d->minor, d->subdevice, d->doorbell, 65536, TN_DRIVER_READ | TN_DRIVER_WRITE,
                     TN_DRIVER_MAP_SHARED, &at, &d->bell_token, "mapping the doorbell");
  if (code == TINY_OK) d->bell = (char *)at;
  return code;
}
#endif
// ---- end src/nv/device.c ----
// ---- begin src/nv/info.c ----
// info: what the driver tells of its GPUs, without a context of the library's.
//
// In:    a system, or NULL. Out: a row for each GPU. Nothing is left open.
#ifndef TN_NV_INFO_ROOM
#define TN_NV_INFO_ROOM
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static void tn_nv_uuid_text(const uint8_t uuid[16], char *out, size_t nbytes) {
  size_t at = (size_t)snprintf(out, nbytes, "GPU-");
  for (int i = 0; i < 16; i++)
    at += (size_t)snprintf(out + at, nbytes - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}
static void tn_nv_tell(tn_nv *d, tiny_nv_gpu *out) {
  snprintf(out->name, sizeof out->name, "%s", d->gpu);
  snprintf(out->target, sizeof out->target, "%s", d->target);
  tn_nv_uuid_text(d->uuid, out->uuid, sizeof out->uuid);
  out->processors = d->processors; out->warps = d->warps;
  out->shared_nbytes = (size_t)d->generation->shared_block << 10;
  out->nbytes = d->nbytes; out->free_nbytes = d->free_nbytes; out->l2_nbytes = d->l2;
  out->compute = d->generation->compute; out->channel = d->fifo_class;
  out->copy = d->copy_class; out->doorbell = d->doorbell_class;
  out->partitioned = tn_nv_is_partitioned(d);
}
static void tn_nv_tell_card(tn_nv *d, const tn_nv_card *card, tiny_nv_gpu *out) {
  out->minor = (int)card->minor;
  snprintf(out->driver, sizeof out->driver, "%s", d->rm.version);
  snprintf(out->pci, sizeof out->pci, "%04x:%02x:%02x.%x", (unsigned)card->domain & 0xFFFF, card->bus, card->slot,
           card->function & 7u);
  d->gpu_id = card->gpu; d->minor = out->minor; d->device = 0;
  d->file = tn_nv_file(&d->rm, out->minor);
  if (d->file >= 0 && tn_nv_attach(d) == TINY_OK) tn_nv_tell(d, out);
  else snprintf(out->error, sizeof out->error, "%s", d->rm.why);
  tn_nv_drop(&d->rm, d->rm.root, d->device);
  if (d->file >= 0) d->rm.sys.close(d->rm.sys.user, d->file);
}
TINY_API int tiny_nv_gpus(const tiny_nv_system *system, tiny_nv_gpu *out, int n) {
  tn_nv d;
  tn_nv_card cards[TN_NV_CARDS];
  int found = 0;
  memset(&d, 0, sizeof d);
  if (n > 0) memset(out, 0, (size_t)n * sizeof *out);
  tiny_code code = tn_nv_rm_open(&d.rm, system);
  if (code == TINY_OK) code = tn_nv_cards(&d.rm, cards, &found);
  if (code == TINY_OK && !found) tn_nv_wrong(&d.rm, TINY_E_DEVICE, "the driver (%s) finds no GPU", d.rm.version);
  for (int i = 0; i < found && i < n && code == TINY_OK; i++) tn_nv_tell_card(&d, &cards[i], &out[i]);
  if (!found && n > 0) snprintf(out->error, sizeof out->error, "%s", d.rm.why);
  if (d.rm.control >= 0) tn_nv_rm_close(&d.rm);
  return code == TINY_OK ? found : 0;
}
#endif
// ---- end src/nv/info.c ----
// ---- begin src/nv/channel.c ----
// channel: what a GPU is told: words in memory, where they stand in a ring, a doorbell; how far it is; faults.
//
// In:    methods and their values. Out: submissions, numbered for each channel; waits for a number, with an end.
// Holds: behind each submission its number is written to the channel's semaphore, when all before it has happened. A
//        ring's part is written again when what used it has happened. What waits is ended after timeout_ns without
//        progress: the GPU is lost then, for this context alone.
// What is what: NVIDIA/open-gpu-doc, classes/host/clc56f.h, clc86f.h; manuals/volta/gv100/dev_pbdma.ref.txt.
#ifndef TN_NV_CHANNEL_ROOM
#define TN_NV_CHANNEL_ROOM
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

enum { TN_NV_ON_HOST = 0, TN_NV_ON_COMPUTE = 1, TN_NV_ON_COPY = 4 };       // subchannels
enum {                                     // methods of a channel, and of both classes
  TN_NV_SET_OBJECT = 0x0, TN_NV_SEM_ADDR_LO = 0x5C, TN_NV_SEM_RELEASE = 1, TN_NV_SEM_ACQUIRE = 3 /* GEQ */,
  TN_NV_SEM_WFI = 1 << 20, TN_NV_SEM_64 = 1 << 24, TN_NV_SEM_TIME = 1 << 25
};
enum { TN_NV_RING_NBYTES = TN_NV_ENTRIES * 8, TN_NV_USERD_PUT = 0x8C, TN_NV_DOORBELL = 0x90, TN_NV_SEM_NBYTES = 16 };
enum { TN_NV_SIGNALS = 4096, TN_NV_STAMPS = TN_NV_SIGNALS / 2 - TN_NV_CHANNELS };  // semaphores; timed launches

// ** waiting **

static const char *tn_nv_fault_text(uint32_t xid) {          // nverror.h; NVIDIA, XID errors
  switch (xid) {
    case 13: return "a kernel used an address outside of memory or misaligned, or an illegal instruction";
    case 31: return "an address that is no memory was used";
    case 32: return "the GPU does not understand what it was told";
    case 43: return "the channel was stopped";
    case 45: return "the channel was ended, as of another that failed";
    case 48: case 94: case 95: return "the GPU's memory has an error that cannot be corrected";
    case 69: return "the GPU does not take a method";
    case 79: return "the GPU has fallen off the bus";
    case 109: return "switching to another program took too long";
    default: return "the GPU reports an error";
  }
}
// " at 0x1200000 (a write)": what the driver recorded of the first fault; "" where it does not tell.
static void tn_nv_fault_place(tn_nv *d, char *out, size_t nbytes) {
  static const char *const accesses[] = {"a read", "a write", "an atomic operation", "a prefetch"};
  tn_nv_faults_params f;
  memset(&f, 0, sizeof f);
  out[0] = 0;
  char was[sizeof d->rm.why];
  memcpy(was, d->rm.why, sizeof was);
  if (d->debugger &&
      tn_nv_control(&d->rm, d->debugger, TN_NV_FAULTS, &f, sizeof f, "faults") == TINY_OK && f.n && f.n <= 4)
    snprintf(out, nbytes, " at 0x%llx (%s)", (unsigned long long)f.fault[0].address,
             accesses[f.fault[0].access & 3]);
  memcpy(d->rm.why, was, sizeof was);
}
// A device that is lost, or closed: those who wait for its semaphores go on.
static void tn_nv_let_go(tn_nv *d) {
  for (int i = 0; i < TN_NV_CHANNELS; i++)
    if (d->lost && d->channel[i].done) tn_driver_store(d->channel[i].done, d->channel[i].given);
}
// Has the driver ended a channel? Then the device is lost, and rm.why says what was wrong.
static int tn_nv_faulted(tn_nv *d) {
  char place[64];
  for (int i = 0; i < TN_NV_CHANNELS && !d->lost; i++) {
    if (!d->channel[i].notifier) continue;
    tn_nv_notification n;
    memcpy(&n, d->channel[i].notifier->cpu, sizeof n);
    if (!n.status) continue;
    d->lost = (int)n.info ? (int)n.info : -1;
    tn_nv_fault_place(d, place, sizeof place);
    tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the device is lost: %s%s (Xid %u); close the context, or go on with another "
                "device", tn_nv_fault_text(n.info), place, (unsigned)n.info);
    tn_nv_let_go(d);
  }
  return d->lost;
}
// rm.why says why, from the first time on.
static tiny_code tn_nv_enter(tn_nv *d) { return d->lost ? tn_nv_failed(d) : TINY_OK; }

static uint64_t tn_nv_done(const tn_nv_channel *c) { return c->done ? tn_driver_load(c->done) : 0; }
// Hardware needs no second ring; what plays hardware has its turn.
static void tn_nv_ring_bell(tn_nv *d, const tn_nv_channel *c) {
  *(volatile uint32_t *)(d->bell + TN_NV_DOORBELL) = c->token;
  if (d->rm.sys.doorbell) d->rm.sys.doorbell(d->rm.sys.user, c->token);
}
static tiny_code tn_nv_too_long(tn_nv *d) {
  d->lost = -1;
  tn_nv_let_go(d);
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the device is lost: nothing has happened for %llu s; a kernel may never "
                     "end (TINY_NV_TIMEOUT_MS); close the context, or go on with another device",
                     (unsigned long long)(d->timeout_ns / 1000000000u));
}
// How far all are that this wait may wait for: what grows is progress. Of others it is looked at whether they are lost.
static uint64_t tn_nv_progress(tn_nv *d) {
  uint64_t all = 0;
  for (int i = 0; i < TN_NV_CHANNELS; i++) all += tn_nv_done(&d->channel[i]);
  for (int k = 0; k < d->npeer; k++) {
    tn_nv *o = d->peer[k].of;
    all += (uint64_t)(tn_nv_faulted(o) != 0);
    for (int i = 0; i < TN_NV_CHANNELS; i++) all += tn_nv_done(&o->channel[i]);
  }
  return all;
}
// The device of this context that d waits for in vain; else d itself.
static tn_nv *tn_nv_culprit(tn_nv *d) {
  for (int k = 0; k < d->npeer; k++) for (int i = 0; i < TN_NV_CHANNELS; i++)
    if (!d->peer[k].of->lost && tn_nv_done(&d->peer[k].of->channel[i]) < d->peer[k].value[i]) return d->peer[k].of;
  return d;
}
// Until the channel's submission `value` has happened; the time counts from the last progress of any channel.
static tiny_code tn_nv_wait_for(tn_nv *d, int channel, uint64_t value) {
  tn_nv_channel *c = &d->channel[channel];
  uint64_t since = 0, seen = UINT64_MAX;
  for (int spins = 0; tn_nv_done(c) < value; spins++) {
    tn_driver_pause(spins);
    if (spins < 1000 || spins % 64) continue;
    if (tn_nv_faulted(d)) return TINY_E_DEVICE;
    const uint64_t all = tn_nv_progress(d), now = tn_driver_clock_ns();
    if (all != seen) { seen = all; since = now; }
    if (now - since > d->timeout_ns) {
      tn_nv *const slow = tn_nv_culprit(d);
      tn_nv_too_long(slow);
      if (slow == d) return TINY_E_DEVICE;
    }
    if (d->rm.sys.doorbell) tn_nv_ring_bell(d, c);
  }
  return tn_nv_faulted(d) ? TINY_E_DEVICE : TINY_OK;
}

// ** words **

static void tn_nv_word(tn_nv_channel *c, uint32_t word) { *c->at++ = word; }
// n values follow, of methods one after the other.
static void tn_nv_method(tn_nv_channel *c, int subchannel, uint32_t method, int n) {
  tn_nv_word(c, (uint32_t)(1u << 29 | (uint32_t)n << 16 | (uint32_t)subchannel << 13 | method >> 2));
}
static void tn_nv_one(tn_nv_channel *c, int subchannel, uint32_t method, uint32_t value) {
  tn_nv_method(c, subchannel, method, 1);
  tn_nv_word(c, value);
}
static void tn_nv_address(tn_nv_channel *c, uint64_t address) {            // the upper part first
  tn_nv_word(c, (uint32_t)(address >> 32));
  tn_nv_word(c, (uint32_t)address);
}
static void tn_nv_semaphore(tn_nv_channel *c, uint64_t address, uint64_t value, uint32_t execute) {
  tn_nv_method(c, TN_NV_ON_HOST, TN_NV_SEM_ADDR_LO, 5);
  tn_nv_word(c, (uint32_t)address);
  tn_nv_word(c, (uint32_t)(address >> 32));
  tn_nv_word(c, (uint32_t)value);
  tn_nv_word(c, (uint32_t)(value >> 32));
  tn_nv_word(c, execute | TN_NV_SEM_64);
}
static uint64_t tn_nv_signal_at(const tn_nv *d, int i) { return d->signals->va + (uint64_t)i * TN_NV_SEM_NBYTES; }

// ** submissions **

enum { TN_NV_RELEASE_WORDS = 6 };
static tiny_code tn_nv_wait_for_entries(tn_nv *d, int channel) {
  const tn_nv_channel *c = &d->channel[channel];
  enum { MOST = TN_NV_ENTRIES / 3 - 2 };   // up to three entries for each: words, a list, and what ends it
  return c->given < MOST ? TINY_OK : tn_nv_wait_for(d, channel, c->given - MOST);
}
static void tn_nv_entry(tn_nv_channel *c, uint64_t va, size_t nwords) {
  const uint64_t entry = (va & ~UINT64_C(3)) | (uint64_t)1 << 41 | (uint64_t)nwords << 42;
  memcpy(c->control->cpu + (size_t)c->put * 8, &entry, sizeof entry);
  c->put = (c->put + 1) % TN_NV_ENTRIES;
}
static uint64_t tn_nv_words_va(const tn_nv_channel *c, const uint32_t *at) {
  return c->words.memory->va + (uint64_t)((const char *)at - c->words.memory->cpu);
}
// What was written since the last one, behind a list of commands that was prepared (nwords 0: there is none).
static tiny_code tn_nv_submit_list(tn_nv *d, int channel, uint64_t list, size_t nwords) {
  tn_nv_channel *c = &d->channel[channel];
  if (c->at == c->from && !nwords) return TINY_OK;
  const tiny_code code = tn_nv_wait_for_entries(d, channel);
  if (code != TINY_OK) return code;
  const uint32_t *const from = c->from;
  if (nwords) {
    if (c->at > from) { tn_nv_entry(c, tn_nv_words_va(c, from), (size_t)(c->at - from)); c->from = c->at; }
    tn_nv_entry(c, list, nwords);
  }
  tn_nv_semaphore(c, tn_nv_signal_at(d, channel), ++c->given, TN_NV_SEM_RELEASE | TN_NV_SEM_WFI);
  tn_nv_entry(c, tn_nv_words_va(c, c->from), (size_t)(c->at - c->from));
  c->from = c->at;
  tn_driver_fence();
  *(volatile uint32_t *)(c->control->cpu + TN_NV_RING_NBYTES + TN_NV_USERD_PUT) = c->put;
  tn_driver_fence();
  tn_nv_ring_bell(d, c);
  return TINY_OK;
}
static tiny_code tn_nv_submit_words(tn_nv *d, int channel) { return tn_nv_submit_list(d, channel, 0, 0); }

// ** rings **

static tiny_code tn_nv_ring_make(tn_nv *d, tn_nv_ring *r, int channel, size_t part) {
  r->memory = tn_nv_memory_make(d, part * TN_NV_PARTS, 1);
  r->part = part; r->channel = channel;
  return r->memory ? TINY_OK : d->rm.code;
}
// nbytes, up to a part's; NULL after an error. They are free again when what is submitted next has happened.
static char *tn_nv_ring_take(tn_nv *d, tn_nv_ring *r, size_t nbytes, size_t align) {
  tn_nv_channel *c = &d->channel[r->channel];
  size_t at = (r->fill + align - 1) / align * align;
  if (at + nbytes > r->part) {
    r->busy[r->now] = c->given + 1;
    r->now = (r->now + 1) % TN_NV_PARTS;
    if (r->busy[r->now] > c->given && tn_nv_submit_words(d, r->channel) != TINY_OK) return NULL;
    if (tn_nv_wait_for(d, r->channel, r->busy[r->now]) != TINY_OK) return NULL;
    at = 0;
  }
  r->fill = at + nbytes;
  return r->memory->cpu + (size_t)r->now * r->part + at;
}
static uint64_t tn_nv_ring_va(const tn_nv_ring *r, const char *at) {
  return r->memory->va + (uint64_t)(at - r->memory->cpu);
}
// Room for n words and what ends a submission.
static tiny_code tn_nv_room(tn_nv *d, int channel, int n) {
  tn_nv_channel *c = &d->channel[channel];
  n += 2 * TN_NV_RELEASE_WORDS;
  if (c->at && c->end - c->at >= n) return TINY_OK;
  const tiny_code code = c->at ? tn_nv_submit_words(d, channel) : TINY_OK;
  if (code != TINY_OK) return code;
  c->words.fill = c->at ? c->words.part : 0;
  char *const part = tn_nv_ring_take(d, &c->words, c->words.part, 1);
  if (!part) return TINY_E_DEVICE;
  c->at = c->from = (uint32_t *)(void *)part;
  c->end = (uint32_t *)(void *)(part + c->words.part);
  return TINY_OK;
}
// What `channel` does next comes after submission `value` of another.
static void tn_nv_after(tn_nv *d, int channel, int other, uint64_t value) {
  tn_nv_channel *c = &d->channel[channel];
  if (value <= c->seen[other] || value <= tn_nv_done(&d->channel[other])) return;
  tn_nv_semaphore(c, tn_nv_signal_at(d, other), value, TN_NV_SEM_ACQUIRE);
  c->seen[other] = value;
}

// ** opened **

static tiny_code tn_nv_open_group(tn_nv *d) {
  tn_nv_group_params g;
  tn_nv_share_params s;
  memset(&g, 0, sizeof g);
  memset(&s, 0, sizeof s);
  g.vaspace = d->vaspace; g.engine = TN_NV_ENGINE_COMPUTE;
  s.vaspace = d->vaspace; s.flags = TN_NV_SHARE_ASYNC;
  const tiny_code code = tn_nv_make(&d->rm, d->device, TN_NV_GROUP, &g, sizeof g,
                                    "a group of channels (KEPLER_CHANNEL_GROUP_A)", &d->group);
  if (code != TINY_OK) return code;
  return tn_nv_make(&d->rm, d->group, TN_NV_SHARE, &s, sizeof s, "a shared context (FERMI_CONTEXT_SHARE_A)", &d->share);
}
static tiny_code tn_nv_make_channel(tn_nv *d, tn_nv_channel *c) {
  tn_nv_channel_params p;
  uint8_t call[sizeof p + 8];
  const size_t head = offsetof(tn_nv_channel_params, userd_memory), gap = d->rm.branch->channel_gap;
  memset(&p, 0, sizeof p);
  memset(call, 0, sizeof call);
  p.error = c->notifier->handle; p.ring = c->control->va; p.entries = TN_NV_ENTRIES; p.share = d->share;
  p.userd_memory[0] = c->control->handle; p.userd[0] = TN_NV_RING_NBYTES; p.engine = TN_NV_ENGINE_COMPUTE;
  memcpy(call, &p, head);
  memcpy(call + head + gap, (const char *)&p + head, sizeof p - head);
  return tn_nv_make(&d->rm, d->group, d->fifo_class, call, d->rm.branch->channel, "a channel (GPFIFO)", &c->handle);
}
static tiny_code tn_nv_make_engines(tn_nv *d, tn_nv_channel *c, int compute) {
  tn_nv_compute_params p = {2, 0, sizeof p, 0};
  uint32_t copy = 0;
  tiny_code code = TINY_OK;
  if (compute)
    code = tn_nv_make(&d->rm, c->handle, d->generation->compute, &p, sizeof p, "compute on a channel",
                      &d->compute_object);
  if (code != TINY_OK) return code;
  return tn_nv_make(&d->rm, c->handle, d->copy_class, NULL, 0, "copies on a channel", &copy);
}
static tiny_code tn_nv_register_channel(tn_nv *d, tn_nv_channel *c) {
  enum { NBYTES = 64 << 20 };              // of addresses for the driver's own buffers
  tn_uvm_channel u;
  uint32_t token = UINT32_MAX;
  memset(&u, 0, sizeof u);
  tiny_code code = tn_nv_control(&d->rm, c->handle, TN_NV_TOKEN, &token, sizeof token,
                                 "a doorbell's token (GET_WORK_SUBMIT_TOKEN)");
  if (code != TINY_OK) return code;
  c->token = token;
  memcpy(u.uuid, d->uuid, 16);
  u.control = d->rm.control; u.client = d->rm.root; u.channel = c->handle;
  u.base = tn_nv_low(d, NBYTES, 2u << 20); u.nbytes = NBYTES;
  code = tn_nv_uvm(&d->rm, TN_UVM_REGISTER_CHANNEL, &u, &u.status, "UVM_REGISTER_CHANNEL");
  c->registered = code == TINY_OK;
  return code;
}
static tiny_code tn_nv_open_channel(tn_nv *d, int i) {
  tn_nv_channel *c = &d->channel[i];
  c->control = tn_nv_memory_make(d, TN_NV_RING_NBYTES + 4096, 1);
  if (c->control) c->notifier = tn_nv_memory_make(d, 4096, 1);
  if (!c->notifier) return d->rm.code;
  c->done = (uint64_t *)(void *)(d->signals->cpu + i * TN_NV_SEM_NBYTES);
  tiny_code code = tn_nv_ring_make(d, &c->words, i, i == TN_NV_LAUNCHES ? 65536 : 16384);
  if (code == TINY_OK) code = tn_nv_make_channel(d, c);
  if (code == TINY_OK) code = tn_nv_make_engines(d, c, i == TN_NV_LAUNCHES);
  return code == TINY_OK ? tn_nv_register_channel(d, c) : code;
}
static tiny_code tn_nv_open_channels(tn_nv *d) {
  uint8_t schedule[3] = {1, 0, 0};
  tiny_code code = tn_nv_open_group(d);
  d->signals = code == TINY_OK ? tn_nv_memory_make(d, (uint64_t)TN_NV_SIGNALS * TN_NV_SEM_NBYTES, 1) : NULL;
  if (code == TINY_OK && !d->signals) code = d->rm.code;
  for (int i = 0; i < TN_NV_CHANNELS && code == TINY_OK; i++) code = tn_nv_open_channel(d, i);
  if (code == TINY_OK)
    code = tn_nv_control(&d->rm, d->group, TN_NV_SCHEDULE, schedule, d->rm.branch->schedule, "starting the channels");
  if (code != TINY_OK) return code;
  tn_nv_debugger_params p = {0, d->rm.root, d->compute_object};    // reads what faulted; it may be refused
  if (tn_nv_make(&d->rm, d->device, TN_NV_DEBUGGER, &p, sizeof p, "fault reports", &d->debugger) != TINY_OK)
    d->debugger = 0;
  return TINY_OK;
}
// The driver ends what is still running there.
static void tn_nv_close_channels(tn_nv *d) {
  for (int i = TN_NV_CHANNELS - 1; i >= 0; i--) {
    if (d->channel[i].registered) tn_nv_uvm_unregister(&d->rm, d->uuid, d->channel[i].handle);
    d->channel[i].registered = 0;
  }
  if (d->debugger) tn_nv_drop(&d->rm, d->device, d->debugger);
  for (int i = TN_NV_CHANNELS - 1; i >= 0; i--) tn_nv_drop(&d->rm, d->group, d->channel[i].handle);
  if (d->share) tn_nv_drop(&d->rm, d->group, d->share);
  if (d->group) tn_nv_drop(&d->rm, d->device, d->group);
}
#endif
// ---- end src/nv/channel.c ----
// ---- begin src/nv/peer.c ----
// peer: other GPUs of the process: their memory, seen by this one's engines, and their semaphores, which it waits for.
//
// In:    memory of another device, by a handle of its client; a place in another device's order. Out: an address; words
//        that have the channels wait. 0, or no words, where the driver does not let the GPU reach it: then the host
//        carries and waits.
// Holds: what another device has is mapped once, to be read. It is given back before that device gives its memory back.
//        A device that is lost lets those go on that wait for it, and is not what they report.
// What is what: NVIDIA/open-gpu-kernel-modules, kernel-open/nvidia-uvm/uvm_ioctl.h, uvm_map_external.c (the owner of
// mapped memory has to be registered, and be a peer unless the memory is the host's), uvm_va_space.c (GPUs that NVLink
// connects are peers from the beginning, and enabling them again is refused).
#ifndef TN_NV_PEER
#define TN_NV_PEER
#ifndef TINY_AMALGAMATED
#include "channel.c"
#endif

// Memory that another device has.
typedef struct tn_nv_theirs {
  tiny_nv_system system; tn_nv_handle handle; uint64_t of, va, nbytes; uint8_t uuid[16]; int host;
} tn_nv_theirs;

static tn_nv_theirs tn_nv_theirs_of(const tn_nv *o, const tn_nv_memory *m) {
  tn_nv_theirs x;
  memset(&x, 0, sizeof x);
  x.system = o->rm.sys;
  x.handle.control = o->rm.control; x.handle.client = o->rm.root; x.handle.memory = m->handle;
  x.of = o->serial; x.va = m->va; x.nbytes = m->nbytes; x.host = m->cpu != NULL;
  memcpy(x.uuid, o->uuid, 16);
  return x;
}

// ** which GPUs may reach which **

static void tn_nv_enable_peers(tn_nv *d, const uint8_t uuid[16]) {
  tn_uvm_peers p;
  memset(&p, 0, sizeof p);
  memcpy(p.uuid[0], d->uuid, 16);
  memcpy(p.uuid[1], uuid, 16);
  tn_nv_uvm(&d->rm, TN_UVM_ENABLE_PEERS, &p, &p.status, "UVM_ENABLE_PEER_ACCESS");     // mapping tells whether it is
}
// NULL: nvidia-uvm does not take it.
static tn_nv_neighbour *tn_nv_neighbour_of(tn_nv *d, const uint8_t uuid[16]) {
  for (int i = 0; i < d->nneighbour; i++) if (!memcmp(d->neighbour[i].uuid, uuid, 16)) return &d->neighbour[i];
  if (d->nneighbour == TN_NV_CARDS) return NULL;
  tn_nv_neighbour *n = &d->neighbour[d->nneighbour];
  memset(n, 0, sizeof *n);
  memcpy(n->uuid, uuid, 16);
  n->peers = 1;
  if (memcmp(uuid, d->uuid, 16)) {
    uint8_t told[16];
    memcpy(told, uuid, 16);
    if (tn_nv_uvm_register(&d->rm, told) != TINY_OK) return NULL;
    tn_nv_enable_peers(d, uuid);
  }
  d->nneighbour++;
  return n;
}

// ** their memory, mapped **

static tn_nv_memory *tn_nv_view_known(tn_nv *d, uint64_t of, uint32_t handle) {
  for (tn_nv_memory *m = d->memory; m; m = m->next) if (m->of == of && m->theirs == handle && of) return m;
  return NULL;
}
// Of the host's memory the address is that of the host. What lies there was a device's that is closed.
static void tn_nv_view_clear(tn_nv *d, const tn_nv_theirs *x) {
  for (tn_nv_memory *m = d->memory, *next; m; m = next) {
    next = m->next;
    if (m->of && m->va < x->va + x->nbytes && x->va < m->va + m->nbytes) tn_nv_memory_free(d, m);
  }
}
static tn_nv_memory *tn_nv_view_make(tn_nv *d, const tn_nv_theirs *x) {
  tn_nv_memory *m = (tn_nv_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) return NULL;
  memset(m, 0, sizeof *m);
  if (x->host) tn_nv_view_clear(d, x);
  m->of = x->of; m->theirs = x->handle.memory; m->nbytes = x->nbytes;
  m->va = x->host ? x->va : tn_nv_high(d, x->nbytes, 2u << 20);
  const int range = m->va && tn_nv_uvm_range(&d->rm, m->va, m->nbytes) == TINY_OK;
  if (range && tn_nv_uvm_map(&d->rm, d->uuid, m->va, m->nbytes, x->handle, TN_UVM_READ_ONLY) == TINY_OK) {
    m->next = d->memory;
    return d->memory = m;
  }
  if (range) tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  tiny_realloc(d->t, m, sizeof *m, 0);
  return NULL;
}
// Where this GPU sees the beginning of their memory; 0: nowhere, which is no error.
static uint64_t tn_nv_view_of(tn_nv *d, const tn_nv_theirs *x) {
  tn_nv_memory *m = tn_nv_view_known(d, x->of, x->handle.memory);
  if (m || !tn_nv_same_system(&d->rm.sys, &x->system)) return m ? m->va : 0;
  tn_nv_neighbour *n = tn_nv_neighbour_of(d, x->uuid);
  if (!n || (n->peers < 0 && !x->host)) return 0;
  m = tn_nv_view_make(d, x);
  if (!m && !x->host) n->peers = -1;
  if (m) return m->va;
  tiny_log_line(d->t, 'p', "%s: another GPU's memory is not reached (%s): the host carries it", d->name, d->rm.why);
  d->rm.code = TINY_OK;
  return 0;
}

// ** devices of one context, which see each other's memory **

static tn_nv_peer *tn_nv_peer_of(tn_nv *d, const tn_nv *o) {
  for (int i = 0; i < d->npeer; i++) if (d->peer[i].of == o) return &d->peer[i];
  return NULL;
}
static void tn_nv_meet(tn_nv *d, tn_nv *o) {
  tn_nv *const two[2] = {d, o};
  for (int i = 0; i < 2; i++) {
    tn_nv *const one = two[i], *const other = two[!i];
    if (tn_nv_peer_of(one, other) || one->npeer == TINY_MAX_DEVICES) continue;
    memset(&one->peer[one->npeer], 0, sizeof *one->peer);
    one->peer[one->npeer++].of = other;
  }
}
// What others see of d's memory (handle 0: of all of it) goes, when they have done what they were given.
static void tn_nv_unshare(tn_nv *d, uint32_t handle) {
  for (int i = 0; i < d->npeer; i++) {
    tn_nv *o = d->peer[i].of;
    for (tn_nv_memory *m = o->memory, *next; m; m = next) {
      next = m->next;
      if (m->of != d->serial || (handle && m->theirs != handle)) continue;
      for (int c = 0; c < TN_NV_CHANNELS && !o->lost; c++)
        if (tn_nv_submit_words(o, c) == TINY_OK) tn_nv_wait_for(o, c, o->channel[c].given);
      tn_nv_memory_free(o, m);
    }
  }
}
// Before d is closed.
static void tn_nv_part(tn_nv *d) {
  tn_nv_unshare(d, 0);
  for (int i = 0; i < d->npeer; i++) {
    tn_nv *o = d->peer[i].of;
    tn_nv_peer *p = tn_nv_peer_of(o, d);
    if (p) *p = o->peer[--o->npeer];
  }
  d->npeer = 0;
}

// ** order between devices **

// A place in a device's order, for a thread that knows no more of it. of: only compared, unless t is the same.
typedef struct tn_nv_event {
  tn_nv *of; tiny_ctx *t; tn_nv_theirs signals; const uint64_t *done[2]; uint64_t value[2];
} tn_nv_event;

// What it waits for itself is submitted, so that those who wait for the event wait for that, too.
static void *tn_nv_event_new(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  if (tn_nv_enter(d) != TINY_OK) return NULL;
  for (int i = 0; i < 2; i++) if (tn_nv_check(d, tn_nv_submit_words(d, i)) != TINY_OK) return NULL;
  tn_nv_event *e = (tn_nv_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name); return NULL; }
  e->of = d; e->t = d->t; e->signals = tn_nv_theirs_of(d, d->signals);
  for (int i = 0; i < 2; i++) { e->done[i] = d->channel[i].done; e->value[i] = d->channel[i].given; }
  return e;
}
// The host waits: what goes wrong there, or takes too long, the other device tells.
static void tn_nv_wait_by_host(const tn_nv *d, const tn_nv_event *e) {
  const uint64_t since = tn_driver_clock_ns();
  for (int i = 0; i < 2; i++)
    for (int spins = 0; tn_driver_load(e->done[i]) < e->value[i]; spins++) {
      tn_driver_pause(spins);
      if (spins % 64 == 63 && tn_driver_clock_ns() - since > d->timeout_ns) return;
    }
}
// All channels wait, from their next words on.
static tiny_code tn_nv_wait_by_channels(tn_nv *d, const tn_nv_event *e, uint64_t signals) {
  for (int c = 0; c < TN_NV_CHANNELS; c++) {
    const tiny_code code = tn_nv_room(d, c, 2 * TN_NV_RELEASE_WORDS);
    if (code != TINY_OK) return tn_nv_failed(d);
    for (int i = 0; i < 2; i++)
      if (tn_driver_load(e->done[i]) < e->value[i])
        tn_nv_semaphore(&d->channel[c], signals + (uint64_t)i * TN_NV_SEM_NBYTES, e->value[i], TN_NV_SEM_ACQUIRE);
  }
  return TINY_OK;
}
static tiny_code tn_nv_wait(void *dev, void *event) {
  tn_nv *d = (tn_nv *)dev;
  const tn_nv_event *e = (const tn_nv_event *)event;
  const int happened = tn_driver_load(e->done[0]) >= e->value[0] && tn_driver_load(e->done[1]) >= e->value[1];
  if (e->of == d || happened || d->lost) return TINY_OK;
  const uint64_t signals = tn_nv_view_of(d, &e->signals);
  if (!signals) { tn_nv_wait_by_host(d, e); return TINY_OK; }
  if (e->t == d->t) {
    tn_nv_meet(d, e->of);
    tn_nv_peer *p = tn_nv_peer_of(d, e->of);
    for (int i = 0; p && i < 2; i++) if (p->value[i] < e->value[i]) p->value[i] = e->value[i];
  }
  return tn_nv_wait_by_channels(d, e, signals);
}
static void tn_nv_event_free(void *dev, void *event) {
  tiny_realloc(((const tn_nv *)dev)->t, event, sizeof(tn_nv_event), 0);
}
#endif
// ---- end src/nv/peer.c ----
// ---- begin src/nv/memory.c ----
// memory: of the GPU, given out in blocks of larger regions; bytes to it and from it by its copy engines.
//
// In:    what the backend is asked. Out: blocks, which is what tiny_mem.base is; submissions on the channels of copies.
// Holds: bytes go to a block that no submission of launches uses any more while kernels before them run. Bytes from the
//        host are in memory of both when the call returns.
// What is what: NVIDIA/open-gpu-doc, classes/dma-copy/clc6b5.h to clcab5.h.
#ifndef TN_NV_MEMORY_ROOM
#define TN_NV_MEMORY_ROOM
#ifndef TINY_AMALGAMATED
#include "peer.c"
#endif

enum {
  TN_NV_STAGE = 2 << 20,                   // bytes of a chunk
  TN_NV_OFFSET_IN = 0x400, TN_NV_LINE_LENGTH = 0x418, TN_NV_LAUNCH_DMA = 0x300,
  TN_NV_DMA_LINEAR = 0x186                 // not pipelined, flushed, from pitch to pitch
};

static uint64_t tn_nv_at(tiny_mem m) { return ((const tn_device_block *)m.base)->va + m.offset; }
static void tn_nv_use(tn_nv *d, tiny_mem m) {
  ((tn_device_block *)m.base)->used = d->channel[TN_NV_LAUNCHES].given + 1;
}

// ** blocks **

static void *tn_nv_blocks_make(void *user, uint64_t nbytes, uint64_t *va, uint64_t *got) {
  tn_nv_memory *m = tn_nv_memory_make((tn_nv *)user, nbytes, 0);
  if (m) { *va = m->va; *got = m->nbytes; }
  return m;
}
static void tn_nv_blocks_drop(void *user, void *memory) {
  tn_nv_unshare((tn_nv *)user, ((tn_nv_memory *)memory)->handle);
  tn_nv_memory_free((tn_nv *)user, (tn_nv_memory *)memory);
}
static tiny_code tn_nv_wait_all(tn_nv *d) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < TN_NV_CHANNELS && code == TINY_OK; i++) code = tn_nv_wait_for(d, i, d->channel[i].given);
  return code;
}
// When memory has run out, what is free goes back to the driver and it is tried again.
static void *tn_nv_alloc(void *dev, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  if (tn_nv_enter(d) != TINY_OK) return NULL;
  tn_device_block *b = tn_device_block_of(&d->blocks, nbytes);
  if (!b && tn_nv_wait_all(d) == TINY_OK) {
    tn_device_regions_close(&d->blocks, 0);
    b = tn_device_block_of(&d->blocks, nbytes);
  }
  if (!b) { if (d->rm.code != TINY_E_MEMORY) tn_nv_failed(d); return NULL; }
  const uint64_t now = d->channel[TN_NV_LAUNCHES].given;
  if (b->used < now) b->used = now;        // what launches before did with it
  return b;
}
static void tn_nv_free(void *dev, void *mem, size_t nbytes) {
  (void)nbytes;
  tn_device_block_give(&((tn_nv *)dev)->blocks, (tn_device_block *)mem);
}

// ** copies **

static void tn_nv_copy_words(tn_nv_channel *c, uint64_t to, uint64_t from, size_t nbytes) {
  tn_nv_method(c, TN_NV_ON_COPY, TN_NV_OFFSET_IN, 4);
  tn_nv_address(c, from);
  tn_nv_address(c, to);
  tn_nv_one(c, TN_NV_ON_COPY, TN_NV_LINE_LENGTH, (uint32_t)nbytes);
  tn_nv_one(c, TN_NV_ON_COPY, TN_NV_LAUNCH_DMA, TN_NV_DMA_LINEAR);
}
// A chunk of staging is on its way to the block.
static tiny_code tn_nv_copy_in_some(tn_nv *d, uint64_t to, const char *src, size_t nbytes, uint64_t used) {
  char *const at = tn_nv_ring_take(d, &d->stage_in, nbytes, 64);
  tiny_code code = at ? tn_nv_room(d, TN_NV_IN, 32) : TINY_E_DEVICE;
  if (code != TINY_OK) return code;
  memcpy(at, src, nbytes);
  tn_nv_after(d, TN_NV_IN, TN_NV_LAUNCHES, used);
  tn_nv_copy_words(&d->channel[TN_NV_IN], to, tn_nv_ring_va(&d->stage_in, at), nbytes);
  return tn_nv_submit_words(d, TN_NV_IN);
}
static tiny_code tn_nv_copy_in_at(tn_nv *d, uint64_t to, const void *src, size_t nbytes, uint64_t used) {
  tiny_code code = TINY_OK;
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < TN_NV_STAGE ? nbytes - at : (size_t)TN_NV_STAGE;
    code = tn_nv_copy_in_some(d, to + at, (const char *)src + at, n, used);
  }
  return code;
}
static tiny_code tn_nv_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  return tn_nv_check(d, tn_nv_copy_in_at(d, tn_nv_at(dst), src, nbytes, ((const tn_device_block *)dst.base)->used));
}

// A piece on its way to the host: what the channel's submission `value` brings.
typedef struct tn_nv_piece { char *at, *to; size_t nbytes; uint64_t value; } tn_nv_piece;
static tiny_code tn_nv_copy_out_begin(tn_nv *d, tn_nv_piece *p, uint64_t from) {
  p->at = tn_nv_ring_take(d, &d->stage_out, p->nbytes, 64);
  tiny_code code = p->at ? tn_nv_room(d, TN_NV_OUT, 32) : TINY_E_DEVICE;
  if (code != TINY_OK) return code;
  tn_nv_after(d, TN_NV_OUT, TN_NV_LAUNCHES, d->channel[TN_NV_LAUNCHES].given);
  tn_nv_after(d, TN_NV_OUT, TN_NV_IN, d->channel[TN_NV_IN].given);
  tn_nv_copy_words(&d->channel[TN_NV_OUT], tn_nv_ring_va(&d->stage_out, p->at), from, p->nbytes);
  code = tn_nv_submit_words(d, TN_NV_OUT);
  p->value = d->channel[TN_NV_OUT].given;
  return code;
}
static tiny_code tn_nv_copy_out_end(tn_nv *d, const tn_nv_piece *p) {
  const tiny_code code = tn_nv_wait_for(d, TN_NV_OUT, p->value);
  if (code == TINY_OK) memcpy(p->to, p->at, p->nbytes);
  return code;
}
// One is on its way while the host empties the one before.
static tiny_code tn_nv_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  tn_nv_piece before = {NULL, NULL, 0, 0};
  tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  for (size_t at = 0; at < nbytes && code == TINY_OK; ) {
    tn_nv_piece p = {NULL, (char *)dst + at, nbytes - at < TN_NV_STAGE ? nbytes - at : (size_t)TN_NV_STAGE, 0};
    code = tn_nv_copy_out_begin(d, &p, tn_nv_at(src) + at);
    if (code == TINY_OK && before.nbytes) code = tn_nv_copy_out_end(d, &before);
    at += p.nbytes;
    before = p;
  }
  if (code == TINY_OK) code = before.nbytes ? tn_nv_copy_out_end(d, &before) : tn_nv_wait_all(d);
  return tn_nv_check(d, code);
}

// ** from another device **

static tiny_code tn_nv_copy_by_host(tn_nv *d, tiny_mem dst, tn_nv *from, tiny_mem src, size_t nbytes) {
  const size_t most = nbytes < TN_NV_STAGE ? nbytes : (size_t)TN_NV_STAGE;
  char *between = (char *)tiny_realloc(d->t, NULL, 0, most + !most);
  tiny_code code = TINY_OK;
  if (!between) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a copy between devices", d->name);
  for (size_t n; nbytes && code == TINY_OK; nbytes -= n, dst.offset += n, src.offset += n) {
    n = nbytes < most ? nbytes : most;
    code = tn_nv_copy_out(from, between, src, n);
    if (code == TINY_OK) code = tn_nv_copy_in(d, dst, between, n);
  }
  tiny_realloc(d->t, between, most + !most, 0);
  return code;
}
static tiny_code tn_nv_copy_between(tn_nv *d, uint64_t to, uint64_t from, size_t nbytes, uint64_t used) {
  enum { MOST = 1 << 30 };                 // bytes of a line
  tiny_code code = TINY_OK;
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < MOST ? nbytes - at : (size_t)MOST;
    code = tn_nv_room(d, TN_NV_IN, 32);
    if (code != TINY_OK) break;
    tn_nv_after(d, TN_NV_IN, TN_NV_LAUNCHES, used);
    tn_nv_copy_words(&d->channel[TN_NV_IN], to + at, from + at, n);
  }
  return code == TINY_OK ? tn_nv_submit_words(d, TN_NV_IN) : code;
}
// By this GPU's copy engine, which reads the other's memory where it is let.
static tiny_code tn_nv_copy_from(void *dev, tiny_mem dst, void *other, tiny_mem src, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev, *from = (tn_nv *)other;
  const tn_nv_memory *m = (const tn_nv_memory *)((const tn_device_block *)src.base)->region->memory;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  const tn_nv_theirs theirs = tn_nv_theirs_of(from, m);
  const uint64_t view = tn_nv_view_of(d, &theirs);
  if (!view) return tn_nv_copy_by_host(d, dst, from, src, nbytes);
  tn_nv_meet(d, from);
  return tn_nv_check(d, tn_nv_copy_between(d, tn_nv_at(dst), view + (tn_nv_at(src) - m->va), nbytes,
                                           ((const tn_device_block *)dst.base)->used));
}
#endif
// ---- end src/nv/memory.c ----
// ---- begin src/nv/share.c ----
// share: memory that goes from one program or driver to another as a file.
//
// In:    a device; a size, or a file. Out: blocks, as tiny_blob_of takes them, each in memory of its own; a file.
// Holds: nothing else lies in such memory, and what is free of it is given back at once.
// What is what: NVIDIA/open-gpu-kernel-modules, ctrl0000unix.h (a file of nvidiactl stands for an object once it was
// exported to); nvkms-surface.c (of files that are none of NVIDIA's: class NV01_MEMORY_SYSTEM_OS_DESCRIPTOR, descriptor
// OS_FILE_HANDLE, which takes a dma-buf).
#ifndef TN_NV_SHARE_ROOM
#define TN_NV_SHARE_ROOM
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

static tn_device_block *tn_nv_block_alone(tn_nv *d, tn_nv_memory *m) {
  return tn_device_block_alone(&d->blocks, m, m->va, m->nbytes);
}
static void *tn_nv_share_failed(tn_nv *d, tiny_code code, const char *says) {
  tiny_fail(d->t, code, "%s: %s", d->name, says);
  return NULL;
}

// ** out **

static tiny_code tn_nv_to_file(tn_nv *d, uint32_t object, int *fd) {
  tn_nv_to_file_params p;
  memset(&p, 0, sizeof p);
  p.fd = tn_nv_file(&d->rm, -1);
  if (p.fd < 0) return d->rm.code;
  p.of.type = 1; p.of.device = p.of.parent = d->device; p.of.object = object;
  const tiny_code code = tn_nv_control(&d->rm, d->rm.root, TN_NV_TO_FILE, &p, sizeof p,
                                       "memory as a file (EXPORT_OBJECT_TO_FD)");
  if (code == TINY_OK) *fd = p.fd;
  else d->rm.sys.close(d->rm.sys.user, p.fd);
  return code;
}
static tiny_code tn_nv_clear(tn_nv *d, const tn_device_block *b) {
  const size_t most = b->nbytes < TN_NV_STAGE ? (size_t)b->nbytes : (size_t)TN_NV_STAGE;
  char *zeros = (char *)tiny_realloc(d->t, NULL, 0, most);
  tiny_code code = zeros ? TINY_OK : tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no memory to clear memory with");
  if (zeros) memset(zeros, 0, most);
  for (uint64_t at = 0; at < b->nbytes && code == TINY_OK; at += most)
    code = tn_nv_copy_in_at(d, b->va + at, zeros, b->nbytes - at < most ? (size_t)(b->nbytes - at) : most, b->used);
  if (zeros) tiny_realloc(d->t, zeros, most, 0);
  return code == TINY_OK ? tn_nv_wait_for(d, TN_NV_IN, d->channel[TN_NV_IN].given) : code;
}
TINY_API void *tiny_nv_share(void *dev, size_t nbytes, int *fd) {
  tn_nv *d = (tn_nv *)dev;
  *fd = -1;
  if (!d || tn_nv_enter(d) != TINY_OK) return NULL;
  if (!nbytes) return tn_nv_share_failed(d, TINY_E_ARG, "nv_share: there are no bytes");
  tn_nv_memory *m = tn_nv_memory_make(d, nbytes, 0);
  if (!m) return tn_nv_share_failed(d, d->rm.code, d->rm.why);
  tn_device_block *b = tn_nv_block_alone(d, m);
  if (!b) return tn_nv_share_failed(d, TINY_E_MEMORY, "nv_share: no memory for what is known of it");
  tiny_code code = tn_nv_clear(d, b);
  if (code == TINY_OK) code = tn_nv_to_file(d, m->handle, fd);
  if (code == TINY_OK) return b;
  tn_nv_share_failed(d, code, d->rm.why);
  tiny_nv_release(d, b);
  return NULL;
}

// ** in **

static tiny_code tn_nv_from_file(tn_nv *d, int fd, uint32_t *object) {
  tn_nv_from_file_params p;
  memset(&p, 0, sizeof p);
  p.fd = fd;
  p.of.type = 1; p.of.device = p.of.parent = d->device;    // the driver chooses the handle
  const tiny_code code = tn_nv_control(&d->rm, d->rm.root, TN_NV_FROM_FILE, &p, sizeof p, "IMPORT_OBJECT_FROM_FD");
  *object = p.of.object;
  return code;
}
static tiny_code tn_nv_from_dmabuf(tn_nv *d, int fd, uint64_t nbytes, uint32_t *object) {
  enum { WRITE_BACK = 5 };
  tn_nv_os_memory_params p;
  memset(&p, 0, sizeof p);
  p.flags = TN_NV_MEMORY_FLAGS & 0x8000;   // MAP_NOT_REQUIRED
  p.attr = (uint32_t)TN_NV_ATTR_SYSTEM | (uint32_t)WRITE_BACK << 29;
  p.attr2 = TN_NV_ATTR2_UNCACHED;
  p.descriptor = (uint64_t)fd; p.limit = nbytes - 1; p.kind = TN_NV_OS_FILE_HANDLE;
  return tn_nv_make(&d->rm, d->device, TN_NV_OS_MEMORY, &p, sizeof p, "NV01_MEMORY_SYSTEM_OS_DESCRIPTOR", object);
}
static tiny_code tn_nv_import_map(tn_nv *d, tn_nv_memory *m) {
  const tn_nv_handle own = {d->rm.control, d->rm.root, m->handle};
  m->va = tn_nv_high(d, m->nbytes, 2u << 20);
  if (!m->va) return tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no addresses are left");
  tiny_code code = tn_nv_uvm_range(&d->rm, m->va, m->nbytes);
  if (code != TINY_OK) return code;
  code = tn_nv_uvm_map(&d->rm, d->uuid, m->va, m->nbytes, own, TN_UVM_READ_WRITE_ATOMIC);
  if (code != TINY_OK) tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  return code;
}
// The handle, and the bytes of whole pages.
static tiny_code tn_nv_import_object(tn_nv *d, tn_nv_memory *m, int fd, size_t nbytes) {
  char first[sizeof d->rm.why], second[sizeof d->rm.why];
  m->nbytes = tn_nv_pages(nbytes, 0);
  if (tn_nv_from_file(d, fd, &m->handle) == TINY_OK) return TINY_OK;
  memcpy(first, d->rm.why, sizeof first);
  m->nbytes = tn_nv_pages(nbytes, 1);
  if (tn_nv_from_dmabuf(d, fd, m->nbytes, &m->handle) == TINY_OK) return TINY_OK;
  memcpy(second, d->rm.why, sizeof second);
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "nv_import: the driver takes file %d neither as NVIDIA's (%.120s) nor as a "
                     "dma-buf (%.120s)", fd, first, second);
}
TINY_API void *tiny_nv_import(void *dev, int fd, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  if (!d || tn_nv_enter(d) != TINY_OK) return NULL;
  if (!nbytes || fd < 0) return tn_nv_share_failed(d, TINY_E_ARG, "nv_import: there are no bytes, or no file");
  tn_nv_memory *m = (tn_nv_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) return tn_nv_share_failed(d, TINY_E_MEMORY, "nv_import: no memory for what is known of it");
  memset(m, 0, sizeof *m);
  tiny_code code = tn_nv_import_object(d, m, fd, nbytes);
  const int made = code == TINY_OK;
  if (made) code = tn_nv_import_map(d, m);
  if (code == TINY_OK) {
    m->next = d->memory;
    d->memory = m;
    tn_device_block *b = tn_nv_block_alone(d, m);
    return b ? b : tn_nv_share_failed(d, TINY_E_MEMORY, "nv_import: no memory for what is known of it");
  }
  tn_nv_share_failed(d, code, d->rm.why);
  if (made) tn_nv_drop(&d->rm, d->device, m->handle);
  tiny_realloc(d->t, m, sizeof *m, 0);
  return NULL;
}
TINY_API void tiny_nv_release(void *dev, void *mem) {
  tn_nv *d = (tn_nv *)dev;
  tn_device_region *const r = mem ? ((tn_device_block *)mem)->region : NULL;
  if (!r) return;
  if (!d->lost) tn_nv_wait_all(d);
  tn_device_region_close(&d->blocks, r);
}
#endif
// ---- end src/nv/share.c ----
// ---- begin src/nv/tensor_map.c ----
// tensor_map: what the copy unit reads of a tensor, 128 bytes (sm_90 on).
//
// In:  words of a map (render/ptx_maps.c), the address of the memory. Out: the bytes.
#ifndef TN_NV_TENSOR_MAP
#define TN_NV_TENSOR_MAP
#ifndef TINY_AMALGAMATED
#include "../render/ptx_maps.c"
#endif
#include <string.h>

// Elements are moved as they are: integers of their size.
enum { TN_MAP_U8, TN_MAP_U16, TN_MAP_U32, TN_MAP_U64 = 4 };
// The 128 bytes for memory at this address, as ptxas lowers tensormap.replace on what is all zeros (PTX ISA): its
// address, fields, distances / 16, extents - 1, sides - 1; swizzle 3 is that of 128 bytes; beyond extents are zeros.
static void tn_nv_map_encode(const uint64_t *word, uint64_t address, uint32_t *out) {
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)word[TN_MAP_DTYPE]), dims = (int)word[TN_MAP_DIMS];
  const uint32_t type = nbytes == 1 ? TN_MAP_U8 : nbytes == 2 ? TN_MAP_U16 : nbytes == 4 ? TN_MAP_U32 : TN_MAP_U64;
  memset(out, 0, TN_PTX_MAP_NBYTES);
  out[0] = (uint32_t)address; out[1] = (uint32_t)(address >> 32);
  out[2] = (uint32_t)(dims - 1) << 4 | type << 7 | 3u << 13;
  for (int i = 0; i < dims; i++) {
    const uint64_t stride = word[TN_MAP_STRIDE + i] >> 4, box = word[TN_MAP_BOX + i] - 1;
    out[8 + i] = (uint32_t)(word[TN_MAP_EXTENT + i] - 1);
    if (i) { out[2 + i] = (uint32_t)stride; out[7] |= (uint32_t)(stride >> 32) << 4 * (i - 1); }
    if (i) out[14] |= (uint32_t)box << 8 * (i - 1); else out[13] |= (uint32_t)box << 24;
  }
}
#endif
// ---- end src/nv/tensor_map.c ----
// ---- begin src/nv/module.c ----
// module: cubins in the GPU's memory, and the kernels in them, each with the descriptor that its launches begin from.
//
// In:    cubins, as ptxas writes them. Out: modules, kernels; a sentence for those of another generation.
// Holds: a module's memory goes back when the launches before have happened: at the next sync. Parameters of a module
//        with the symbol tiny_values are words, as generated kernels have them (render/ptx.c).
#ifndef TN_NV_MODULE
#define TN_NV_MODULE
#ifndef TINY_AMALGAMATED
#include "share.c"
#include "cubin.c"
#include "tensor_map.c"
#endif

// Words of parameters; bytes that the GPU may fetch behind code; bytes of local memory on top of what a kernel needs.
enum { TN_NV_WORDS = 128, TN_NV_PREFETCH = 4096, TN_NV_FRAME = 0x240 };

typedef struct tn_nv_kernel {
  struct tn_nv_kernel *next; struct tn_nv_module *module;
  char *name;
  int threads, nparam; tn_cubin_param *param;              // the most items of a group; of a foreign kernel
  uint32_t registers, shared, local, base, nbytes;         // nbytes: of constant bank 0
  uint32_t required[3];
  int nmap; uint32_t maps_at; uint64_t map[TN_PTX_MAPS][TN_PTX_MAP_WORDS];     // of words: render/ptx_maps.c
  uint32_t qmd[TN_QMD_WORDS];
} tn_nv_kernel;
typedef struct tn_nv_module {
  struct tn_nv_module *next;
  tn_device_block *code; tn_nv_kernel *kernels; int words;
} tn_nv_module;

// ** the descriptor that launches begin from **

enum {                                     // values of fields: classes/compute/cl*qmd.h
  TN_QMD_GRID_CTA = 2, TN_QMD_GROUP = 0x3F, TN_QMD_NO_CHECK = 1, TN_QMD_VIA_HEADER = 1, TN_QMD_SYSMEMBAR = 1
};
static const struct { tn_qmd_version of; uint8_t major, minor; } tn_nv_versions[] = {
  {TN_QMD_0203, 2, 3}, {TN_QMD_0300, 3, 0}, {TN_QMD_0400, 4, 0}, {TN_QMD_0401, 4, 1}, {TN_QMD_0500, 5, 0}
};
static void tn_nv_describe(tn_nv *d, const tn_cubin_kernel *c, uint64_t code, const uint64_t *where, tn_nv_kernel *k) {
  const tn_qmd_version v = d->generation->qmd;
  const struct { tn_qmd_field field; uint64_t value; } set[] = {
    {TN_QMD_QMD_MAJOR_VERSION, tn_nv_versions[v].major}, {TN_QMD_QMD_MINOR_VERSION, tn_nv_versions[v].minor},
    {TN_QMD_QMD_TYPE, TN_QMD_GRID_CTA}, {TN_QMD_QMD_GROUP_ID, TN_QMD_GROUP},
    {TN_QMD_SM_GLOBAL_CACHING_ENABLE, 1}, {TN_QMD_API_VISIBLE_CALL_LIMIT, TN_QMD_NO_CHECK},
    {TN_QMD_SAMPLER_INDEX, TN_QMD_VIA_HEADER}, {TN_QMD_CWD_MEMBAR_TYPE, TN_QMD_SYSMEMBAR},
    {TN_QMD_INVALIDATE_TEXTURE_HEADER_CACHE, 1}, {TN_QMD_INVALIDATE_TEXTURE_SAMPLER_CACHE, 1},
    {TN_QMD_INVALIDATE_TEXTURE_DATA_CACHE, 1}, {TN_QMD_INVALIDATE_SHADER_DATA_CACHE, 1},
    {TN_QMD_REGISTER_COUNT, c->registers}, {TN_QMD_BARRIER_COUNT, c->barriers},
    {TN_QMD_SASS_VERSION, d->sass},
    {TN_QMD_SHADER_LOCAL_MEMORY_HIGH_SIZE, k->local}
  };
  for (size_t i = 0; i < sizeof set / sizeof *set; i++) tn_qmd_set(k->qmd, v, set[i].field, set[i].value);
  tn_qmd_set_address(k->qmd, v, TN_QMD_PROGRAM_ADDRESS_LOWER, 0, code + where[c->text]);
}
// Banks but bank 0, which each launch has of its own.
static void tn_nv_describe_banks(tn_nv *d, const tn_cubin *c, const tn_cubin_kernel *k, uint64_t code,
                                 const uint64_t *where, uint32_t *qmd) {
  for (int i = 1; i < TN_CUBIN_BANKS; i++) {
    if (!k->bank[i] || where[k->bank[i]] == UINT64_MAX) continue;
    tn_qmd_set_bank(qmd, d->generation->qmd, i, code + where[k->bank[i]], tn_cubin_section_at(c, k->bank[i]).nbytes);
  }
}
// Registers are given to warps by 256; the SM has 65536 (CUDA C++ Programming Guide, Compute Capabilities).
static int tn_nv_threads(const tn_cubin_kernel *c) {
  const uint32_t of_warp = (c->registers * 32 + 255) / 256 * 256, warps = 65536 / of_warp / 4 * 4;
  const uint32_t most = warps * 32 < 1024 ? warps * 32 : 1024;
  return (int)(c->max_threads && c->max_threads < most ? c->max_threads : most);
}

// ** modules **

static void tn_nv_module_close(tn_nv *d, tn_nv_module *m) {
  for (tn_nv_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    if (k->param) tiny_realloc(d->t, k->param, (size_t)k->nparam * sizeof *k->param, 0);
    if (k->name) tiny_realloc(d->t, k->name, strlen(k->name) + 1, 0);
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  if (m->code) tn_device_block_give(&d->blocks, m->code);
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static void tn_nv_modules_close(tn_nv *d) {
  for (tn_nv_module *m; (m = d->gone) != NULL; ) { d->gone = m->next; tn_nv_module_close(d, m); }
}
static int tn_nv_no_room(tn_nv *d) {
  tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name);
  return 0;
}
// Of a foreign kernel: where each parameter stands.
static int tn_nv_take_params(tn_nv *d, const tn_cubin *c, const tn_cubin_kernel *from, tn_nv_kernel *k) {
  if (k->module->words || !from->nparam || from->nparam > 512) return 1;
  k->param = (tn_cubin_param *)tiny_realloc(d->t, NULL, 0, (size_t)from->nparam * sizeof *k->param);
  if (!k->param) return tn_nv_no_room(d);
  k->nparam = from->nparam;
  for (int i = 0; i < k->nparam; i++) {
    const tn_cubin_param none = {0, 0};
    k->param[i] = none;
    tn_cubin_param_at(c, from, i, &k->param[i]);
  }
  return 1;
}
// Of a generated kernel: tensors that it copies boxes of, and where their parameter stands. What is wrong; NULL:
// nothing.
static const char *tn_nv_take_maps(const tn_cubin *c, const tn_cubin_kernel *from, tn_nv_kernel *k) {
  char name[256];
  uint64_t nbytes = 0;
  tn_cubin_param p;
  const int length = snprintf(name, sizeof name, "%s_maps", from->name);
  const uint8_t *at = k->module->words && length < (int)sizeof name ? tn_cubin_variable(c, name, &nbytes) : NULL;
  if (!at) return NULL;
  const uint64_t n = nbytes / sizeof k->map[0];
  if (n > TN_PTX_MAPS || nbytes % sizeof k->map[0] || !tn_cubin_param_at(c, from, 1, &p) ||
      p.at + n * TN_PTX_MAP_NBYTES > from->param_nbytes)
    return "a kernel's tensors are more than it has parameters for";
  memcpy(k->map, at, (size_t)nbytes);
  k->nmap = (int)n;
  k->maps_at = p.at;
  for (int i = 0; i < k->nmap; i++)
    if (!tn_ptx_map_is_sound(k->map[i], TN_NV_WORDS)) return "a kernel copies boxes of what is no tensor";
  return NULL;
}
static tiny_code tn_nv_cubin_wrong(tn_nv *d, const char *wrong) {
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a cubin is refused: %s", d->name, wrong);
}
// 0: an error, which the context has.
static int tn_nv_add_kernel(tn_nv *d, tn_nv_module *m, const tn_cubin *c, const tn_cubin_kernel *from,
                            const uint64_t *where) {
  tn_nv_kernel *k = (tn_nv_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (!k) return tn_nv_no_room(d);
  memset(k, 0, sizeof *k);
  k->next = m->kernels; k->module = m;
  m->kernels = k;
  const size_t length = strlen(from->name) + 1;
  k->name = (char *)tiny_realloc(d->t, NULL, 0, length);
  if (!k->name) return tn_nv_no_room(d);
  memcpy(k->name, from->name, length);
  k->threads = tn_nv_threads(from);
  k->registers = from->registers; k->shared = from->shared + d->generation->shared_kept;
  k->base = from->param_base; k->nbytes = (from->param_base + from->param_nbytes + 15) & ~15u;
  memcpy(k->required, from->required, sizeof k->required);
  const uint32_t stack = from->stack > from->frame ? from->stack : from->frame;
  k->local = stack ? (stack + TN_NV_FRAME + 31) & ~31u : 0;
  tn_nv_describe(d, from, m->code->va, where, k);
  tn_nv_describe_banks(d, c, from, m->code->va, where, k->qmd);
  const char *wrong = tn_nv_take_maps(c, from, k);
  if (wrong) { tn_nv_cubin_wrong(d, wrong); return 0; }
  return tn_nv_take_params(d, c, from, k);
}
static tiny_code tn_nv_kernel_fits(tn_nv *d, const tn_cubin_kernel *k) {
  const char *wrong =
      k->cluster[0] > 1 || k->cluster[1] > 1 || k->cluster[2] > 1 ? "kernels in clusters are not launched"
      : k->param_base != d->generation->bank0->base ? "its parameters are not where this GPU has them"
      : k->param_nbytes > 4096 ? "a kernel has more than 4096 bytes of parameters" : NULL;
  return wrong ? tn_nv_cubin_wrong(d, wrong) : TINY_OK;
}
static tiny_code tn_nv_add_kernels(tn_nv *d, tn_nv_module *m, const tn_cubin *c, const uint64_t *where) {
  tn_cubin_symbol s;
  tn_cubin_kernel k;
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) {
    const char *wrong = tn_cubin_kernel_of(c, i - 1, &k);
    const tiny_code code = wrong ? tn_nv_cubin_wrong(d, wrong) : tn_nv_kernel_fits(d, &k);
    if (code != TINY_OK) return code;
    if (!tn_nv_add_kernel(d, m, c, &k, where)) return tiny_status(d->t);
  }
  return TINY_OK;
}
// The code is copied there behind what the channel of copies has; launches come after it.
static tiny_code tn_nv_upload(tn_nv *d, tn_nv_module *m, const tn_cubin *c, const uint64_t *where, uint64_t nbytes) {
  uint8_t *image = (uint8_t *)tiny_realloc(d->t, NULL, 0, (size_t)nbytes);
  if (!image) { tn_nv_no_room(d); return TINY_E_MEMORY; }
  memset(image, 0, (size_t)nbytes);
  const char *wrong = tn_cubin_image(c, where, m->code->va, image);
  tiny_code code = wrong ? tn_nv_cubin_wrong(d, wrong)
                         : tn_nv_check(d, tn_nv_copy_in_at(d, m->code->va, image, (size_t)nbytes, m->code->used));
  tiny_realloc(d->t, image, (size_t)nbytes, 0);
  d->code_is_new = 1;
  return code;
}
static tiny_code tn_nv_fill_module(tn_nv *d, tn_nv_module *m, const tn_cubin *c, uint64_t *where) {
  const uint64_t nbytes = tn_cubin_place(c, where);
  if (!nbytes || nbytes > (uint64_t)1 << 30) return tn_nv_cubin_wrong(d, "it has no code, or a GiB of it");
  m->words = tn_cubin_has_symbol(c, "tiny_values");
  m->code = (tn_device_block *)tn_nv_alloc(d, (size_t)nbytes + TN_NV_PREFETCH);
  if (!m->code) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory on the GPU for a module", d->name);
  const tiny_code code = tn_nv_add_kernels(d, m, c, where);
  return code == TINY_OK ? tn_nv_upload(d, m, c, where, nbytes) : code;
}
// Code of one generation runs on later ones of the same number, but for that of "sm_90a" and the like, which ELF files
// do not tell from others (CUDA C++ Programming Guide, Binary Compatibility).
static tiny_code tn_nv_is_for_it(tn_nv *d, const tn_cubin *c) {
  if (c->sm / 10 == d->sm / 10 && c->sm <= d->sm) return TINY_OK;
  return tiny_fail(d->t, TINY_E_DEVICE, "%s: a cubin is for sm_%d, but the GPU is %s: compile it for that", d->name,
                   c->sm, d->target);
}
static void *tn_nv_load_cubin(tn_nv *d, const void *binary, size_t nbytes) {
  tn_cubin c;
  const char *wrong = tn_cubin_open(&c, binary, nbytes);
  if (wrong) { tn_nv_cubin_wrong(d, wrong); return NULL; }
  if (tn_nv_is_for_it(d, &c) != TINY_OK) return NULL;
  const size_t size = (size_t)c.n * sizeof(uint64_t);
  uint64_t *where = (uint64_t *)tiny_realloc(d->t, NULL, 0, size);
  tn_nv_module *m = (tn_nv_module *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  tiny_code code = TINY_E_MEMORY;
  if (m) memset(m, 0, sizeof *m);
  if (where && m) code = tn_nv_fill_module(d, m, &c, where);
  else tn_nv_no_room(d);
  if (where) tiny_realloc(d->t, where, size, 0);
  if (code != TINY_OK && m) { tn_nv_module_close(d, m); m = NULL; }
  return m;
}

static void *tn_nv_find(void *dev, void *module, const char *name) {
  (void)dev;
  for (tn_nv_kernel *k = ((tn_nv_module *)module)->kernels; k; k = k->next) if (!strcmp(k->name, name)) return k;
  return NULL;
}
#endif
// ---- end src/nv/module.c ----
// ---- begin src/nv/launch.c ----
// launch: kernels with all that they are called with -> descriptors, constant banks, words for the GPU.
//
// In:    tiny_launch. Out: for each a descriptor and its bank 0 in memory of the host, and a few words in the channel.
// Holds: a kernel begins when the one before has ended and what it wrote is seen. The words of several launches are one
//        submission.
// What is what: NVIDIA/open-gpu-doc, classes/compute/clc6c0.h to clcec0.h; how much local memory there is to be: Mesa,
// src/nouveau/vulkan/nvk_cmd_dispatch.c and nvk_device.c.
#ifndef TN_NV_LAUNCH
#define TN_NV_LAUNCH
#ifndef TINY_AMALGAMATED
#include "module.c"
#endif

enum {
  TN_NV_WAIT_FOR_IDLE = 0x110, TN_NV_SHARED_WINDOW = 0x2A0, TN_NV_SEND_PCAS = 0x2B4, TN_NV_SIGNAL_PCAS = 0x2BC,
  TN_NV_SIGNAL_PCAS2 = 0x2C0, TN_NV_LOCAL_SIZE = 0x2E4, TN_NV_LOCAL_ADDRESS = 0x790, TN_NV_LOCAL_WINDOW = 0x7B0,
  TN_NV_INVALIDATE = 0x1698, TN_NV_INVALIDATE_CODE = 1, TN_NV_INVALIDATE_DATA = 0x10, TN_NV_INVALIDATE_BANKS = 0x1000,
  TN_NV_PCAS_COPY = 0xA,                   // INVALIDATE_PREFETCH_COPY_SCHEDULE: its memory may be written again
  TN_NV_PCAS_OLD = 3                       // Turing: invalidate, schedule
};
// Where generic addresses mean shared and local memory: 4 GiB and 16 MiB that hold nothing else. The stack of a thread
// begins so far below the end of the latter.
#define TN_NV_SHARED_AT UINT64_C(0x729400000000)
#define TN_NV_LOCAL_AT UINT64_C(0x729300000000)
enum { TN_NV_STACK = 0xFFFDC0, TN_NV_LAUNCH_WORDS = 64, TN_NV_QMD_ROOM = 512 };

// ** local memory **

static uint64_t tn_nv_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
static void tn_nv_local_words(tn_nv *d, uint64_t of_tpc) {
  tn_nv_channel *c = &d->channel[TN_NV_LAUNCHES];
  tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
  tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_LOCAL_ADDRESS, 2);
  tn_nv_address(c, d->local->va);
  tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_LOCAL_SIZE, 3);
  tn_nv_address(c, of_tpc);
  tn_nv_word(c, 0xFF);
}
// For as many threads as the GPU can hold. What there was before is freed when nothing uses it any more.
static tiny_code tn_nv_local_grow(tn_nv *d, uint64_t of_thread) {
  if (of_thread <= d->local_thread) return TINY_OK;
  const uint64_t of_warp = tn_nv_up(of_thread * 32, 0x200);
  const uint64_t of_tpc = tn_nv_up(of_warp * (uint64_t)(d->warps * d->sms), 0x8000);
  const uint64_t all = tn_nv_up(of_tpc * (uint64_t)(d->tpcs * d->gpcs), 0x20000);
  tn_nv_memory *const was = d->local;
  tiny_code code = tn_nv_submit_words(d, TN_NV_LAUNCHES);
  if (code == TINY_OK) code = tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS);
  tn_nv_memory *m = code == TINY_OK ? tn_nv_memory_make(d, all, 0) : NULL;
  if (!m) return code == TINY_OK ? d->rm.code : code;
  d->local = m;
  d->local_thread = of_thread;
  tn_nv_local_words(d, of_tpc);
  if (!was) return TINY_OK;
  code = tn_nv_submit_words(d, TN_NV_LAUNCHES);
  if (code == TINY_OK) code = tn_nv_wait_for(d, TN_NV_LAUNCHES, d->channel[TN_NV_LAUNCHES].given);
  tn_nv_memory_free(d, was);
  return code;
}

// ** what does not fit **

static tiny_code tn_nv_fits(tn_nv *d, const tiny_launch *l) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  static const int64_t grid[3] = {INT32_MAX, 65535, 65535}, block[3] = {1024, 1024, 64};
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  for (int i = 0; i < 3; i++)
    if (l->global[i] > grid[i] || l->local[i] < 1 || (l->local[i] > block[i] && !k->module->words))
      return tiny_fail(d->t, TINY_E_DEVICE,
                       "%s: %s: dim %d has %lld groups of %lld items; this device takes %lld of %lld", d->name, k->name,
                       i, (long long)l->global[i], (long long)l->local[i], (long long)grid[i], (long long)block[i]);
  if (items > k->threads)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but its registers and launch bounds allow %d",
                     d->name, k->name, (long long)items, k->threads);
  if (k->required[0] && items != (int64_t)k->required[0] * k->required[1] * k->required[2])
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but it is compiled for groups of %lld",
                     d->name, k->name, (long long)items, (long long)k->required[0] * k->required[1] * k->required[2]);
  if (k->shared + l->local_nbytes > ((uint64_t)d->generation->shared_block << 10) + 0x400)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %llu bytes of shared memory, but a group has %d KiB", d->name,
                     k->name, (unsigned long long)(k->shared + l->local_nbytes), d->generation->shared_block);
  const int most = k->module->words ? (int)TN_NV_WORDS : k->nparam;
  if (k->module->words ? l->nmem + l->nargs > most : l->nmem + l->nargs != most)
    return tiny_fail(d->t, k->module->words ? TINY_E_DEVICE : TINY_E_ARG,
                     "kernel: %s has %d parameters, but there are an output and %d inputs", k->name, most,
                     l->nmem + l->nargs - 1);
  for (int i = 0; i < k->nmap; i++)
    if (!tn_ptx_map_is_sound(k->map[i], l->nmem))
      return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s copies boxes of a tensor that is no parameter", d->name, k->name);
  for (int i = 0; i < l->nmem && !k->module->words; i++)
    if (k->param[i].nbytes != 8)
      return tiny_fail(d->t, TINY_E_ARG, "kernel: parameter %d of %s is no pointer: a number comes as an input of one "
                       "element", i, k->name);
  return TINY_OK;
}

// ** descriptor and constant bank **

// Configurations of an SM: the least for a group, the largest there is, and one for as many groups as registers and
// threads allow.
static void tn_nv_set_shared(const tn_nv *d, const tn_nv_kernel *k, uint32_t *q, uint64_t shared, int64_t items) {
  const tn_nv_generation *g = d->generation;
  const uint64_t of_warp = (k->registers * 32 + 255) / 256 * 256, warps = (uint64_t)(items + 31) / 32;
  uint64_t groups = g->threads / (warps * 32), by_registers = 65536 / (of_warp * warps);
  if (groups > by_registers) groups = by_registers;
  if (groups > 32) groups = 32;
  const int least = tn_nv_shared_config(g, shared), most = tn_nv_shared_config(g, UINT64_MAX),
            target = tn_nv_shared_config(g, shared * (groups ? groups : 1));
  tn_qmd_set(q, g->qmd, TN_QMD_SHARED_MEMORY_SIZE, shared);
  tn_qmd_set(q, g->qmd, TN_QMD_MIN_SM_CONFIG_SHARED_MEM_SIZE, (uint64_t)least / 4 + 1);
  tn_qmd_set(q, g->qmd, TN_QMD_MAX_SM_CONFIG_SHARED_MEM_SIZE, (uint64_t)most / 4 + 1);
  tn_qmd_set(q, g->qmd, TN_QMD_TARGET_SM_CONFIG_SHARED_MEM_SIZE, (uint64_t)target / 4 + 1);
}
static void tn_nv_put32(char *bank, unsigned at, uint64_t value) {
  const uint32_t x = (uint32_t)value;
  memcpy(bank + at, &x, sizeof x);
}
static void tn_nv_put64(char *bank, unsigned at, uint64_t value) { memcpy(bank + at, &value, sizeof value); }
// The words that compiled code reads beside its parameters.
static void tn_nv_set_bank0(const tn_nv *d, char *bank, uint64_t va, const uint32_t grid[3], const uint32_t block[3],
                            uint64_t dynamic) {
  const tn_nv_bank0 *w = d->generation->bank0;
  memset(bank, 0, w->base);
  for (unsigned i = 0; i < 3; i++) {
    tn_nv_put32(bank, w->block + 4 * i, block[i]);
    tn_nv_put32(bank, w->grid + 4 * i, grid[i]);
  }
  tn_nv_put64(bank, w->shared_window, TN_NV_SHARED_AT);
  tn_nv_put64(bank, w->local_window, TN_NV_LOCAL_AT);
  tn_nv_put32(bank, w->stack, TN_NV_STACK);
  tn_nv_put32(bank, w->dynamic, dynamic);
  tn_nv_put64(bank, w->params, va + w->base - w->params_less);
}
// Parameter i of nmem + nargs: where it stands behind the bank's base, and its bytes.
static tn_cubin_param tn_nv_param_of(const tn_nv_kernel *k, int i, int nmem) {
  const int words = k->module->words, slot = i < nmem ? i : TN_NV_WORDS - 1 - (i - nmem);
  const tn_cubin_param word = {(uint32_t)slot * 8, 8};
  return words ? word : k->param[i];
}
static uint64_t tn_nv_value_of(const tiny_launch *l, int i) {
  return i < l->nmem ? tn_nv_at(l->mem[i]) : (uint64_t)l->args[i - l->nmem];
}
// A cubin may say that its parameters end before the one that this is.
static void tn_nv_put_param(const tn_nv_kernel *k, char *bank, tn_cubin_param p, uint64_t value) {
  if (p.at + p.nbytes <= k->nbytes - k->base) memcpy(bank + k->base + p.at, &value, p.nbytes < 8 ? p.nbytes : 8);
}
static void tn_nv_set_params(const tiny_launch *l, char *bank) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  for (int i = 0; i < l->nmem + l->nargs; i++)
    tn_nv_put_param(k, bank, tn_nv_param_of(k, i, l->nmem), tn_nv_value_of(l, i));
}
static void tn_nv_set_maps(const tiny_launch *l, char *bank) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  uint32_t map[TN_PTX_MAP_NBYTES / 4];
  for (int i = 0; i < k->nmap; i++) {
    tn_nv_map_encode(k->map[i], tn_nv_at(l->mem[k->map[i][TN_MAP_PARAM]]), map);
    memcpy(bank + k->base + k->maps_at + (size_t)i * sizeof map, map, sizeof map);
  }
}
static size_t tn_nv_args_nbytes(const void *kernel) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)kernel;
  return TN_NV_QMD_ROOM + (size_t)tn_nv_up(k->nbytes, TN_DEVICE_BLOCK_LEAST);
}
// At `at`, which the GPU sees at va: the descriptor, and bank 0 behind it.
static void tn_nv_write_launch(tn_nv *d, const tiny_launch *l, char *at, uint64_t va) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  const tn_qmd_version v = d->generation->qmd;
  uint32_t q[TN_QMD_WORDS], grid[3], block[3];
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  memcpy(q, k->qmd, sizeof q);
  for (int i = 0; i < 3; i++) {
    grid[i] = (uint32_t)l->global[i];
    block[i] = k->module->words ? (i ? 1 : (uint32_t)items) : (uint32_t)l->local[i];
    tn_qmd_set(q, v, (tn_qmd_field)(TN_QMD_GRID_WIDTH + i), grid[i]);
    tn_qmd_set(q, v, (tn_qmd_field)(TN_QMD_CTA_THREAD_DIMENSION0 + i), block[i]);
  }
  tn_nv_set_shared(d, k, q, tn_nv_up(k->shared + l->local_nbytes, 256), items);
  tn_qmd_set_bank(q, v, 0, va + TN_NV_QMD_ROOM, k->nbytes);
  memcpy(at, q, tn_qmd_nbytes(v));
  tn_nv_set_bank0(d, at + TN_NV_QMD_ROOM, va + TN_NV_QMD_ROOM, grid, block, l->local_nbytes);
  tn_nv_set_params(l, at + TN_NV_QMD_ROOM);
  tn_nv_set_maps(l, at + TN_NV_QMD_ROOM);
}

// ** words **

static void tn_nv_send(const tn_nv *d, tn_nv_channel *c, uint64_t qmd) {
  tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SEND_PCAS, (uint32_t)(qmd >> 8));
  if (d->generation->sm < 80) tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SIGNAL_PCAS, TN_NV_PCAS_OLD);
  else tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SIGNAL_PCAS2, TN_NV_PCAS_COPY);
}
// Before the first launch of a submission: what was copied is there, and nothing old is in the caches.
static void tn_nv_begin_launches(tn_nv *d) {
  tn_nv_channel *c = &d->channel[TN_NV_LAUNCHES];
  tn_nv_after(d, TN_NV_LAUNCHES, TN_NV_IN, d->channel[TN_NV_IN].given);
  tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_INVALIDATE, TN_NV_INVALIDATE_BANKS | TN_NV_INVALIDATE_DATA |
            (d->code_is_new ? TN_NV_INVALIDATE_CODE : 0));
  d->code_is_new = 0;
}
// NULL: it is not timed.
static tn_nv_stamp *tn_nv_stamp_new(tn_nv *d, uint64_t *out) {
  if (!out || d->nstamp == TN_NV_STAMPS) return NULL;
  if (d->nstamp == d->stamp_cap) {
    const size_t cap = (size_t)d->stamp_cap, more = cap ? cap * 2 : 32;
    tn_nv_stamp *s = (tn_nv_stamp *)tiny_realloc(d->t, d->stamp, cap * sizeof *s, more * sizeof *s);
    if (!s) return NULL;
    d->stamp = s;
    d->stamp_cap = (int)more;
  }
  d->stamp[d->nstamp].out = out;
  return &d->stamp[d->nstamp++];
}
static void tn_nv_stamp_words(tn_nv *d, int number, int end) {
  const uint64_t at = tn_nv_signal_at(d, TN_NV_CHANNELS + 2 * number + end);
  tn_nv_semaphore(&d->channel[TN_NV_LAUNCHES], at, 1, TN_NV_SEM_RELEASE | TN_NV_SEM_WFI | TN_NV_SEM_TIME);
}
// After sync. A record is the value and the time: {u64, u64 ns}.
static void tn_nv_stamps_tell(tn_nv *d) {
  for (int i = 0; i < d->nstamp; i++) for (int end = 0; end < 2; end++)
    memcpy(&d->stamp[i].out[end], d->signals->cpu + (TN_NV_CHANNELS + 2 * i + end) * TN_NV_SEM_NBYTES + 8, 8);
  d->nstamp = 0;
}

// ** launches **

static int tn_nv_is_empty(const tiny_launch *l) { return l->global[0] < 1 || l->global[1] < 1 || l->global[2] < 1; }
// It may write to any of its memory.
static void tn_nv_use_all(tn_nv *d, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++) tn_nv_use(d, l->mem[i]);
}
// first: of a submission.
static tiny_code tn_nv_launch_one(tn_nv *d, const tiny_launch *l, int first) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  tn_nv_channel *c = &d->channel[TN_NV_LAUNCHES];
  char *const at = tn_nv_ring_take(d, &d->args, tn_nv_args_nbytes(k), 256);
  tiny_code code = at ? tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS) : TINY_E_DEVICE;
  if (code == TINY_OK) code = tn_nv_local_grow(d, k->local);
  if (code != TINY_OK) return tn_nv_failed(d);
  tn_nv_write_launch(d, l, at, tn_nv_ring_va(&d->args, at));
  if (first) tn_nv_begin_launches(d);
  else tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
  const tn_nv_stamp *s = tn_nv_stamp_new(d, l->stamp);
  const int number = d->nstamp - 1;
  if (s) tn_nv_stamp_words(d, number, 0);
  tn_nv_send(d, c, tn_nv_ring_va(&d->args, at));
  if (s) tn_nv_stamp_words(d, number, 1);
  tn_nv_use_all(d, l);
  return TINY_OK;
}
// What was written of a submission that is refused in its middle, is submitted all the same.
static tiny_code tn_nv_launch_all(tn_nv *d, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  int given = 0;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    if (tn_nv_is_empty(&l[i])) continue;
    code = tn_nv_fits(d, &l[i]);
    if (code == TINY_OK) code = tn_nv_launch_one(d, &l[i], !given++);
  }
  const tiny_code submitted = d->lost ? TINY_OK : tn_nv_submit_words(d, TN_NV_LAUNCHES);
  return code != TINY_OK ? code : tn_nv_check(d, submitted);
}
static tiny_code tn_nv_launch(void *dev, const tiny_launch *l) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  return code == TINY_OK ? tn_nv_launch_all(d, l, 1) : code;
}

// ** once, when it is opened **

static tiny_code tn_nv_begin_words(tn_nv *d) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < TN_NV_CHANNELS && code == TINY_OK; i++) {
    tn_nv_channel *c = &d->channel[i];
    code = tn_nv_room(d, i, TN_NV_LAUNCH_WORDS);
    if (code != TINY_OK) break;
    if (i == TN_NV_LAUNCHES) {
      tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SET_OBJECT, d->generation->compute);
      tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_SHARED_WINDOW, 2);
      tn_nv_address(c, TN_NV_SHARED_AT);
      tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_LOCAL_WINDOW, 2);
      tn_nv_address(c, TN_NV_LOCAL_AT);
    }
    tn_nv_one(c, TN_NV_ON_COPY, TN_NV_SET_OBJECT, d->copy_class);
    code = tn_nv_submit_words(d, i);
  }
  return code == TINY_OK ? tn_nv_wait_all(d) : code;
}
#endif
// ---- end src/nv/launch.c ----
// ---- begin src/nv/graph.c ----
// graph: launches that are handed over together again and again, as a list of commands (base/prepared.c).
//
// In:    the launches of a submit. Out: one submission of the list.
#ifndef TN_NV_GRAPH
#define TN_NV_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

static const void *tn_nv_module_of(const void *kernel) { return ((const tn_nv_kernel *)kernel)->module; }
static tiny_code tn_nv_ready(void *user, const tiny_launch *l) {
  tn_nv *d = (tn_nv *)user;
  const tiny_code code = tn_nv_fits(d, l);
  return code == TINY_OK ? tn_nv_check(d, tn_nv_local_grow(d, ((const tn_nv_kernel *)l->kernel)->local)) : code;
}
static void tn_nv_prepared_write(void *user, const tiny_launch *l, char *args, uint64_t va) {
  tn_nv_write_launch((tn_nv *)user, l, args, va);
}
static void tn_nv_prepared_put(const tiny_launch *l, int i, uint64_t value, char *args) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  tn_nv_put_param(k, args + TN_NV_QMD_ROOM, tn_nv_param_of(k, i, l->nmem), value);
}
static void tn_nv_prepared_bound(const tiny_launch *l, char *args) { tn_nv_set_maps(l, args + TN_NV_QMD_ROOM); }
// Words are written as those of a channel are.
static size_t tn_nv_prepared_command(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at) {
  tn_nv_channel c;
  (void)l;
  memset(&c, 0, sizeof c);
  c.at = at;
  if (!first) tn_nv_one(&c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
  tn_nv_send((tn_nv *)user, &c, args);
  return (size_t)(c.at - at);
}
static void *tn_nv_prepared_make(void *user, size_t nbytes, char **cpu, uint64_t *va) {
  tn_nv *d = (tn_nv *)user;
  tn_nv_memory *m = tn_nv_memory_make(d, nbytes, 1);
  if (!m) { tn_nv_failed(d); return NULL; }
  *cpu = m->cpu;
  *va = m->va;
  return m;
}
static void tn_nv_prepared_drop(void *user, void *memory) { tn_nv_memory_free((tn_nv *)user, (tn_nv_memory *)memory); }
static uint64_t tn_nv_prepared_done(void *user) { return tn_nv_done(&((tn_nv *)user)->channel[TN_NV_LAUNCHES]); }
static tiny_code tn_nv_prepared_wait(void *user, uint64_t number) {
  tn_nv *d = (tn_nv *)user;
  return d->lost ? TINY_E_DEVICE : tn_nv_check(d, tn_nv_wait_for(d, TN_NV_LAUNCHES, number));
}
static const tn_prepared_calls tn_nv_prepared_calls = {
  8, tn_nv_module_of, tn_nv_args_nbytes, tn_nv_value_of, tn_nv_ready, tn_nv_prepared_write, tn_nv_prepared_put,
  tn_nv_prepared_bound, tn_nv_prepared_command, tn_nv_prepared_make, tn_nv_prepared_drop, tn_nv_prepared_done,
  tn_nv_prepared_wait
};

static tiny_code tn_nv_graph_submit(tn_nv *d, tn_prepared_graph *g, const tiny_launch *l) {
  tiny_code code = tn_nv_check(d, tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS));
  tn_prepared_list *list = code == TINY_OK ? tn_prepared_list_of(&d->prepared, g, l) : NULL;
  if (!list) return code == TINY_OK ? tiny_status(d->t) : code;
  for (int i = 0; i < g->n; i++) tn_nv_use_all(d, &l[i]);
  tn_nv_begin_launches(d);
  code = tn_nv_check(d, tn_nv_submit_list(d, TN_NV_LAUNCHES, list->va + g->nbytes, list->nwords));
  list->busy = d->channel[TN_NV_LAUNCHES].given;
  return code;
}
static tiny_code tn_nv_submit(void *dev, const tiny_launch *l, int n) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  tn_prepared_graph *g = tn_prepared_of(&d->prepared, l, n);
  return g ? tn_nv_graph_submit(d, g, l) : tn_nv_launch_all(d, l, n);
}
#endif
// ---- end src/nv/graph.c ----
// ---- begin src/nv/assemble.c ----
// assemble: PTX -> cubin, by whatever is found here: what a tiny_nv_system brings, ptxas, or a library of the toolkit.
//
// In:    PTX. Out: a cubin for the device, or what the assembler says. Cubins are kept in the library's disk cache.
// Holds: the first that is found is taken, once for a device, and told in the log (letter p). Nothing is written to
//        disk: ptxas reads and writes memory that has no name in a folder.
// What is what: CUDA Compiler Driver NVCC (ptxas), PTX Compiler API, nvJitLink; Linux, memfd_create(2).
#ifndef TN_NV_ASSEMBLE
#define TN_NV_ASSEMBLE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../base/library.c"
#include "../base/tool.c"
#endif

// nvPTXCompiler.h (CUDA 11.1 and later) and nvJitLink.h (12.0 and later): results are 0 where it went well.
typedef struct tn_nv_ptx_library {
  int (*create)(void **out, size_t nbytes, const char *ptx), (*compile)(void *, int n, const char *const *options),
      (*nbytes)(void *, size_t *out), (*get)(void *, void *out), (*log_nbytes)(void *, size_t *out),
      (*log)(void *, char *out), (*destroy)(void **);
} tn_nv_ptx_library;
typedef struct tn_nv_link_library {
  int (*create)(void **out, uint32_t n, const char **options), (*add)(void *, int type, const void *data, size_t nbytes,
      const char *name), (*complete)(void *), (*nbytes)(void *, size_t *out), (*get)(void *, void *out),
      (*log_nbytes)(void *, size_t *out), (*log)(void *, char *out), (*destroy)(void **);
} tn_nv_link_library;
typedef enum tn_nv_assembler_kind {
  TN_NV_NONE, TN_NV_GIVEN, TN_NV_PTXAS, TN_NV_PTX_LIBRARY, TN_NV_LINK_LIBRARY
} tn_nv_assembler_kind;
typedef struct tn_nv_assembler {
  tn_nv_assembler_kind kind;
  char path[300];                          // of ptxas
  tn_nv_ptx_library ptx; tn_nv_link_library link;
} tn_nv_assembler;

// ** libraries **

static int tn_nv_symbols(void *library, const char *const *names, void *const *to, int n) {
  for (int i = 0; i < n; i++) {
    void *const found = library ? tn_library_symbol(library, names[i]) : NULL;
    if (!found) return 0;
    memcpy(to[i], &found, sizeof found);
  }
  return 1;
}
static int tn_nv_find_ptx_library(tn_nv_ptx_library *p) {
  static const char *const files[] = {"libnvptxcompiler.so.13", "libnvptxcompiler.so", NULL};
  static const char *const names[] = {
    "nvPTXCompilerCreate", "nvPTXCompilerCompile", "nvPTXCompilerGetCompiledProgramSize",
    "nvPTXCompilerGetCompiledProgram", "nvPTXCompilerGetErrorLogSize", "nvPTXCompilerGetErrorLog",
    "nvPTXCompilerDestroy"
  };
  void *const to[] = {&p->create, &p->compile, &p->nbytes, &p->get, &p->log_nbytes, &p->log, &p->destroy};
  void *const library = tn_library_open(files);
  const int found = tn_nv_symbols(library, names, to, 7);
  if (library && !found) tn_library_close(library);
  return found;
}
static int tn_nv_find_link_library(tn_nv_link_library *p) {
  static const char *const files[] = {
    "libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so", "/usr/local/cuda/lib64/libnvJitLink.so", NULL
  };
  // Symbols carry a version, which the library's own header spells: __nvJitLinkCreate_13_0.
  static const char *const versions[] = {"13_0", "13_1", "12_9", "12_8", "12_6", "12_4", "12_2", "12_1", "12_0"};
  static const char *const verbs[] = {"Create", "AddData", "Complete", "GetLinkedCubinSize", "GetLinkedCubin",
                                      "GetErrorLogSize", "GetErrorLog", "Destroy"};
  void *const to[] = {&p->create, &p->add, &p->complete, &p->nbytes, &p->get, &p->log_nbytes, &p->log, &p->destroy};
  void *const library = tn_library_open(files);
  for (size_t v = 0; library && v < sizeof versions / sizeof *versions; v++) {
    char text[8][48];
    const char *names[8];
    for (int i = 0; i < 8; i++) {
      snprintf(text[i], sizeof text[i], "__nvJitLink%s_%s", verbs[i], versions[v]);
      names[i] = text[i];
    }
    if (tn_nv_symbols(library, names, to, 8)) return 1;
  }
  if (library) tn_library_close(library);
  return 0;
}
static int tn_nv_take_cubin(void *of, int (*nbytes)(void *, size_t *), int (*get)(void *, void *), tn_tool_made *out) {
  if (nbytes(of, &out->nbytes) || !out->nbytes) return -1;
  out->bytes = malloc(out->nbytes);
  return !out->bytes ? -1 : get(of, out->bytes);
}
static void tn_nv_take_log(void *of, int (*nbytes)(void *, size_t *), int (*log)(void *, char *), tn_tool_made *out) {
  size_t n = 0;
  if (nbytes(of, &n) || !n) return;
  char *text = (char *)malloc(n + 1);
  if (text && !log(of, text)) { text[n] = 0; snprintf(out->log, sizeof out->log, "%s", text); }
  free(text);
}
static int tn_nv_by_ptx_library(const tn_nv_ptx_library *p, const char *ptx, const char *target, tn_tool_made *out) {
  char arch[40];
  void *compiler = NULL;
  snprintf(arch, sizeof arch, "--gpu-name=%s", target);
  const char *const options[] = {arch};
  if (p->create(&compiler, strlen(ptx), ptx)) return -1;
  int result = p->compile(compiler, 1, options);
  if (result) tn_nv_take_log(compiler, p->log_nbytes, p->log, out);
  else result = tn_nv_take_cubin(compiler, p->nbytes, p->get, out);
  p->destroy(&compiler);
  return result;
}
static int tn_nv_by_link_library(const tn_nv_link_library *p, const char *ptx, const char *target, tn_tool_made *out) {
  enum { PTX = 2 };
  char arch[40];
  void *linker = NULL;
  snprintf(arch, sizeof arch, "-arch=%s", target);
  const char *options[] = {arch};
  if (p->create(&linker, 1, options)) return -1;
  int result = p->add(linker, PTX, ptx, strlen(ptx) + 1, "kernels");
  if (!result) result = p->complete(linker);
  if (result) tn_nv_take_log(linker, p->log_nbytes, p->log, out);
  else result = tn_nv_take_cubin(linker, p->nbytes, p->get, out);
  p->destroy(&linker);
  return result;
}

// ** ptxas, as a process **

static int tn_nv_by_ptxas(const char *path, const char *ptx, const char *target, tn_tool_made *out) {
  char arch[40];
  snprintf(arch, sizeof arch, "-arch=%s", target);
  const char *const words[] = {"ptxas", arch, "<", "-o", ">", NULL};
  return tn_tool_make(path, words, ptx, out);
}
// TINY_NV_PTXAS, then the folders of PATH that are absolute, then the toolkit's. 0: it is in none.
static int tn_nv_find_ptxas(char *out, size_t nbytes) {
  static const char *const names[] = {"ptxas", NULL};
  const char *named = getenv("TINY_NV_PTXAS");
  if (named && *named) { snprintf(out, nbytes, "%s", named); return tn_tool_is_program(out); }
  if (tn_tool_find(names, out, nbytes)) return 1;
  snprintf(out, nbytes, "/usr/local/cuda/bin/ptxas");
  return tn_tool_is_program(out);
}

// ** which **

static const char *tn_nv_assembler_open(tn_nv *d, tn_nv_assembler *a) {
  const char *const said = a->path;
  if (d->rm.sys.assemble) { a->kind = TN_NV_GIVEN; return "what the host brings"; }
  if (tn_nv_find_ptxas(a->path, sizeof a->path)) { a->kind = TN_NV_PTXAS; return said; }
  if (tn_nv_find_ptx_library(&a->ptx)) { a->kind = TN_NV_PTX_LIBRARY; return "libnvptxcompiler"; }
  if (tn_nv_find_link_library(&a->link)) { a->kind = TN_NV_LINK_LIBRARY; return "nvJitLink"; }
  return NULL;
}
static tiny_code tn_nv_find_assembler(tn_nv *d) {
  if (!d->assembler) {
    d->assembler = (tn_nv_assembler *)tiny_realloc(d->t, NULL, 0, sizeof *d->assembler);
    if (!d->assembler) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an assembler", d->name);
    memset(d->assembler, 0, sizeof *d->assembler);
    const char *found = tn_nv_assembler_open(d, d->assembler);
    if (found) tiny_log_line(d->t, 'p', "%s: PTX is assembled by %s", d->name, found);
  }
  if (d->assembler->kind != TN_NV_NONE) return TINY_OK;
  return tiny_fail(d->t, TINY_E_COMPILE,
                   "%s: a kernel is to be assembled and there is no ptxas, libnvptxcompiler or nvJitLink: "
                   "pip install nvidia-cuda-nvcc (which has ptxas), name it in TINY_NV_PTXAS, or bring the program's "
                   "kernels from a machine that has one: tiny_nv_export writes them there for every GPU that is named, "
                   "tiny_desc.cache_file takes them here", d->name);
}
// 0: out has a cubin, which free takes. Otherwise out->log may say why.
static int tn_nv_assemble(tn_nv *d, const char *ptx, tn_tool_made *out) {
  const tn_nv_assembler *a = d->assembler;
  memset(out, 0, sizeof *out);
  switch (a->kind) {
    case TN_NV_GIVEN:
      return d->rm.sys.assemble(d->rm.sys.user, ptx, d->sm, &out->bytes, &out->nbytes, out->log, sizeof out->log);
    case TN_NV_PTXAS: return tn_nv_by_ptxas(a->path, ptx, d->target, out);
    case TN_NV_PTX_LIBRARY: return tn_nv_by_ptx_library(&a->ptx, ptx, d->target, out);
    case TN_NV_LINK_LIBRARY: return tn_nv_by_link_library(&a->link, ptx, d->target, out);
    default: return -1;
  }
}

// ** as the backend is asked **

typedef struct tn_nv_batch { tn_nv *d; const tiny_bytes *source; tn_tool_made *made; int *result; } tn_nv_batch;
static void tn_nv_assemble_task(void *arg, int i) {
  const tn_nv_batch *b = (const tn_nv_batch *)arg;
  b->result[i] = tn_nv_assemble(b->d, b->source[i].data, &b->made[i]);
}
static tiny_code tn_nv_refused(tn_nv *d, const tn_tool_made *m, tiny_bytes *log) {
  const size_t n = strlen(m->log);
  tiny_bytes_add(log, m->log, n);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a kernel is not assembled for %s: %.600s", d->name, d->target,
                   n ? m->log : "it is not said why");
}
// Processes run beside each other; what a host brings is called on this thread.
static tiny_code tn_nv_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_nv *d = (tn_nv *)dev;
  tiny_code code = tn_nv_find_assembler(d);
  if (code != TINY_OK) return code;
  const size_t size = (size_t)n * (sizeof(tn_tool_made) + sizeof(int));
  tn_tool_made *made = (tn_tool_made *)tiny_realloc(d->t, NULL, 0, size);
  if (!made) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for compiled kernels", d->name);
  memset(made, 0, size);
  tn_nv_batch b = {d, source, made, (int *)(void *)(made + n)};
  if (d->assembler->kind == TN_NV_PTXAS) tiny_parallel(d->t, n, tn_nv_assemble_task, &b);
  else for (int i = 0; i < n; i++) tn_nv_assemble_task(&b, i);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK && (b.result[i] || !made[i].bytes)) code = tn_nv_refused(d, &made[i], log);
    if (code == TINY_OK) tiny_bytes_add(&binary[i], made[i].bytes, made[i].nbytes);
    free(made[i].bytes);
  }
  tiny_realloc(d->t, made, size, 0);
  return code;
}
#endif
// ---- end src/nv/assemble.c ----
// ---- begin src/nv/queue.c ----
// queue: a device as others see it: opened and closed, events in its order, that all has happened.
//
// In:    calls of the library, one at a time. Out: what the contract of tiny_backend says.
#ifndef TN_NV_QUEUE
#define TN_NV_QUEUE
#ifndef TINY_AMALGAMATED
#include "graph.c"
#include "assemble.c"
#include "info.c"
#include "../render/ptx.c"
#endif

// ** how kernels are written **

static void tn_nv_renderer(void *dev, tiny_renderer *out) { tn_lang_ptx(out, ((const tn_nv *)dev)->target); }

// What schedules ask. Registers of a thread: CUDA C++ Programming Guide, Compute Capabilities; bytes that it loads at
// once: there, Device Memory Accesses.
static void tn_nv_limits(const tn_nv *d, tiny_limits *out) {
  const int of_sm = d->generation->shared_block + 1;
  out->warp = 32;
  out->compute_units = d->processors;
  out->vector_nbytes = 16; out->vector_registers = 255;
  out->copies_async = d->sm >= 80;         // PTX ISA, cp.async
  out->units = tiny_warp_units(d->target, &out->nunits);
  out->copies_boxes = d->sm >= 90;         // PTX ISA, cp.async.bulk.tensor
  out->unit_tiles = tn_ptx_unit_tiles(d->target);
  out->unit_rows = tn_ptx_unit_rows(d->target);
  out->producers = tn_ptx_produces_for(d->target);
  out->unit_dtypes = tn_ptx_unit_dtypes(d->target);
  out->dtypes = TN_PTX_ARITHMETIC; out->atomics = TN_PTX_ATOMICS;
  out->shared_nbytes = ((size_t)d->generation->shared_block << 10) - (out->unit_rows ? TN_PTX_TENSOR_NBYTES : 0);
  out->local_total = 1024;
  out->global_max[0] = INT32_MAX; out->global_max[1] = out->global_max[2] = 65535;
  for (int i = 0; i < 3; i++) { out->local_max[i] = 1024; out->memory[i].line = 128; }
  out->memory[0].nbytes = out->memory[1].nbytes = out->cache_nbytes = (size_t)of_sm << 10;
  out->memory[2].nbytes = d->l2 ? (size_t)d->l2 : (size_t)4 << 20;
}

// ** opened and closed **

static uint64_t tn_nv_timeout(void) {
  enum { USUAL_MS = 60000 };
  const char *given = getenv("TINY_NV_TIMEOUT_MS");
  const uint64_t ms = given ? tn_digits_value(given, 10, NULL) : 0;
  return (ms && ms < UINT64_C(1) << 32 ? ms : (uint64_t)USUAL_MS) * 1000000u;
}
// Clocks go up, and stay: without it a GPU may idle through short kernels (NV2080_CTRL_CMD_PERF_BOOST).
static void tn_nv_boost(tn_nv *d) {
  tn_nv_boost_params p = {0x12, UINT32_MAX};
  tn_nv_control(&d->rm, d->subdevice, TN_NV_BOOST, &p, sizeof p, "clocks");
}
static tiny_code tn_nv_open_memory(tn_nv *d) {
  d->window = tn_nv_reserve((size_t)1 << TN_NV_WINDOW_LOG2);
  if (!d->window)
    return tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no 16 GiB of addresses below 2^40 are left in this process "
                       "(ulimit -v?)");
  d->from_low = d->next_low = tn_nv_pointer(d->window);
  d->next_high = UINT64_C(0x20000000000);
  return tn_nv_open_vaspace(d);
}
static tiny_code tn_nv_open_rings(tn_nv *d) {
  tiny_code code = tn_nv_ring_make(d, &d->args, TN_NV_LAUNCHES, 512 << 10);
  if (code == TINY_OK) code = tn_nv_ring_make(d, &d->stage_in, TN_NV_IN, TN_NV_STAGE);
  if (code == TINY_OK) code = tn_nv_ring_make(d, &d->stage_out, TN_NV_OUT, TN_NV_STAGE);
  d->from_low = d->next_low;               // what stands below stays
  return code;
}
static tiny_code tn_nv_begin(tn_nv *d, const char *which) {
  const tiny_nv_system *system;
  uint64_t number;
  if (!tn_nv_which(which, &system, &number))
    return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "there is no device NV:%.40s; devices are numbers, NV:0, NV:1 ..", which);
  snprintf(d->name, sizeof d->name, "NV%s%.16s", *which && !system ? ":" : "", system ? "" : which);
  tiny_code code = tn_nv_rm_open(&d->rm, system);
  if (code == TINY_OK) code = tn_nv_choose(d, number);
  if (code == TINY_OK) code = tn_nv_attach(d);
  if (code == TINY_OK && tn_nv_is_partitioned(d))
    code = tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the GPU is partitioned (MIG), which is not supported: "
                       "nvidia-smi -mig 0");
  if (code == TINY_OK) tn_nv_boost(d);
  if (code == TINY_OK) code = tn_nv_open_memory(d);
  if (code == TINY_OK) code = tn_nv_open_doorbell(d);
  if (code == TINY_OK) code = tn_nv_open_channels(d);
  if (code == TINY_OK) code = tn_nv_open_rings(d);
  return code == TINY_OK ? tn_nv_begin_words(d) : code;
}
static void tn_nv_close(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  if (d->channel[TN_NV_LAUNCHES].registered && !d->lost) tn_nv_wait_all(d);
  tn_nv_let_go(d);
  tn_nv_part(d);
  tn_prepared_close_all(&d->prepared);
  tn_nv_modules_close(d);
  tn_nv_close_channels(d);
  tn_device_regions_close(&d->blocks, 1);
  while (d->memory) tn_nv_memory_free(d, d->memory);
  if (d->bell) tn_nv_unmap(&d->rm, d->subdevice, d->doorbell, d->bell, 65536, d->bell_token);
  if (d->rm.control >= 0) tn_nv_rm_close(&d->rm);
  if (d->file >= 0) d->rm.sys.close(d->rm.sys.user, d->file);
  tn_nv_unreserve(d->window, (size_t)1 << TN_NV_WINDOW_LOG2);
  if (d->stamp) tiny_realloc(d->t, d->stamp, (size_t)d->stamp_cap * sizeof *d->stamp, 0);
  if (d->assembler) tiny_realloc(d->t, d->assembler, sizeof *d->assembler, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static tn_nv *tn_nv_new(tiny_ctx *t) {
  tn_nv *d = (tn_nv *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "NV: no memory for a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = d->blocks.t = t;
  d->prepared.t = t; d->prepared.user = d; d->prepared.calls = &tn_nv_prepared_calls;
  d->blocks.user = d; d->blocks.make = tn_nv_blocks_make; d->blocks.drop = tn_nv_blocks_drop;
  d->file = d->rm.control = d->rm.uvm = d->rm.uvm_mm = -1;
  d->timeout_ns = tn_nv_timeout();
  d->serial = tn_driver_clock_ns() * UINT64_C(0x9E3779B97F4A7C15) + tn_nv_pointer(d);
  memcpy(d->name, "NV", 3);
  return d;
}
static void *tn_nv_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_nv *d = tn_nv_new(t);
  if (!d) return NULL;
  if (tn_nv_begin(d, which) == TINY_OK) {
    tn_nv_limits(d, limits);
    if (!d->rm.major || d->rm.major < 535 || d->rm.major > TN_NV_NEWEST)
      tiny_log_line(t, 'p', "%s: the driver's release %s is not one that is known here; it is tried as one of %d",
                    d->name, d->rm.version, d->rm.branch->from);
    tiny_log_line(t, 'p', "%s: %s, %s, driver %s", d->name, d->gpu, d->target, d->rm.version);
    return d;
  }
  tn_nv_failed(d);
  tn_nv_close(d);
  return NULL;
}
// cubins are for one architecture.
static const char *tn_nv_target(void *dev) { return ((const tn_nv *)dev)->target; }

// ** modules and waits **

// What is no cubin is PTX, and assembled: then made->bytes is one, which free takes.
static tiny_code tn_nv_assemble_binary(tn_nv *d, const void *binary, size_t nbytes, tn_tool_made *made) {
  memset(made, 0, sizeof *made);
  if (nbytes >= 4 && !memcmp(binary, "\177ELF", 4)) return TINY_OK;
  tiny_code code = tn_nv_find_assembler(d);
  if (code != TINY_OK) return code;
  char *ptx = (char *)tiny_realloc(d->t, NULL, 0, nbytes + 1);
  if (!ptx) { tn_nv_no_room(d); return TINY_E_MEMORY; }
  memcpy(ptx, binary, nbytes);
  ptx[nbytes] = 0;
  if (tn_nv_assemble(d, ptx, made) || !made->bytes) {
    code = tiny_fail(d->t, TINY_E_COMPILE, "%s: PTX is not assembled for %s: %.600s", d->name, d->target, made->log);
    free(made->bytes);
  }
  tiny_realloc(d->t, ptx, nbytes + 1, 0);
  return code;
}
static void *tn_nv_load_binary(void *dev, const void *binary, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  tn_tool_made made;
  if (tn_nv_enter(d) != TINY_OK || tn_nv_assemble_binary(d, binary, nbytes, &made) != TINY_OK) return NULL;
  void *const module = made.bytes ? tn_nv_load_cubin(d, made.bytes, made.nbytes) : tn_nv_load_cubin(d, binary, nbytes);
  free(made.bytes);
  return module;
}
// Launches that are given may use it, and lists that are not submitted again would.
static void tn_nv_unload(void *dev, void *module) {
  tn_nv *d = (tn_nv *)dev;
  tn_nv_module *m = (tn_nv_module *)module;
  if (!m) return;
  tn_prepared_leave(&d->prepared, m);
  m->next = d->gone;
  d->gone = m;
}
static tiny_code tn_nv_sync(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  code = tn_nv_check(d, tn_nv_wait_all(d));
  if (code != TINY_OK) return code;
  tn_nv_stamps_tell(d);
  tn_nv_modules_close(d);
  return TINY_OK;
}
#endif
// ---- end src/nv/queue.c ----
// ---- begin src/nv/cross.c ----
// cross: GPUs that are not here, by target: kernels are compiled for them, none runs.
//
// In:    "sm_90a", or "on-SYSTEM-sm_90a"; what a program runs. Out: a device with the limits of such a GPU, whose
//        memory holds nothing; a file of kernels for several of them.
// Holds: kernels are those that a real one would be given: the same renderer, limits and assembler, and the name NV. Of
//        a target's GPUs a usual one is meant; importing contexts cut graphs for that, too (runtime/ship.c).
// What is what: NVIDIA, architecture white papers: Turing (T4), A100, GA102, Ada (AD102), H100 (SXM5), Blackwell (B200,
// RTX 5090, GB10).
#ifndef TN_NV_CROSS
#define TN_NV_CROSS
#ifndef TINY_AMALGAMATED
#include "queue.c"
#endif

static const struct tn_nv_usual { int sm, processors, l2_mib; } tn_nv_usual[] = {
  {75, 40, 4}, {80, 108, 40}, {86, 84, 6}, {89, 128, 72}, {90, 132, 50}, {100, 148, 126}, {103, 148, 126},
  {120, 170, 96}, {121, 48, 24}
};
enum { TN_NV_USUAL = sizeof tn_nv_usual / sizeof *tn_nv_usual };

// The row of "sm_90" or "sm_90a"; NULL: it is not known.
static const struct tn_nv_usual *tn_nv_usual_of(const char *target) {
  const char *end = target;
  const uint64_t sm = strncmp(target, "sm_", 3) ? 0 : tn_digits_value(target + 3, 10, &end);
  end += *end == 'a' && sm >= 90;
  for (int i = 0; i < TN_NV_USUAL; i++) if ((uint64_t)tn_nv_usual[i].sm == sm && !*end) return &tn_nv_usual[i];
  return NULL;
}
// Minor releases of an architecture share a row: the newest that is not newer.
static const tn_nv_generation *tn_nv_generation_by_sm(int sm) {
  const tn_nv_generation *g = tn_nv_generations;
  for (int i = 0; i < TN_NV_GENERATIONS; i++) if (tn_nv_generations[i].sm <= sm) g = &tn_nv_generations[i];
  return g;
}

// ** the device **

static tn_nv *tn_nv_cross_new(tiny_ctx *t, const struct tn_nv_usual *u, const tiny_nv_system *system) {
  tn_nv *d = tn_nv_new(t);
  if (!d) return NULL;
  d->rm.sys = tn_nv_system_of(system);
  d->generation = tn_nv_generation_by_sm(u->sm);
  d->sm = u->sm;
  d->processors = u->processors;
  d->l2 = (uint64_t)u->l2_mib << 20;
  tn_nv_name_target(d);
  snprintf(d->name, sizeof d->name, "NV:%s", d->target);
  return d;
}
static void *tn_nv_cross_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const tiny_nv_system *system = NULL;
  const char *target = tn_nv_which_system(which, &system);
  const struct tn_nv_usual *u = target ? tn_nv_usual_of(target) : NULL;
  char known[128] = "";
  for (int i = 0; i < TN_NV_USUAL; i++) {
    const size_t at = strlen(known);
    snprintf(known + at, sizeof known - at, "%ssm_%d", i ? ", " : "", tn_nv_usual[i].sm);
  }
  if (!u) {
    tiny_fail(t, TINY_E_ARG, "there is no target %.40s of NV; there are: %s", target ? target : which, known);
    return NULL;
  }
  tn_nv *d = tn_nv_cross_new(t, u, system);
  if (d) tn_nv_limits(d, limits);
  return d;
}
static void tn_nv_cross_close(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  if (d->assembler) tiny_realloc(d->t, d->assembler, sizeof *d->assembler, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
// A place that is like no other, whatever its size.
static void *tn_nv_cross_alloc(void *dev, size_t nbytes) {
  (void)nbytes;
  return tiny_realloc(((tn_nv *)dev)->t, NULL, 0, 1);
}
static void tn_nv_cross_free(void *dev, void *mem, size_t nbytes) {
  (void)nbytes;
  tiny_realloc(((tn_nv *)dev)->t, mem, 1, 0);
}
static tiny_code tn_nv_cross_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev; (void)dst; (void)src; (void)nbytes;
  return TINY_OK;
}
static tiny_code tn_nv_cross_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  const tn_nv *d = (const tn_nv *)dev;
  (void)dst; (void)src; (void)nbytes;
  return tiny_fail(d->t, TINY_E_DEVICE, "%s is a GPU that is not here: kernels are compiled for it and none runs, so "
                   "that nothing can be read", d->name);
}
static tiny_code tn_nv_cross_launch(void *dev, const tiny_launch *l) { (void)dev; (void)l; return TINY_OK; }
static tiny_code tn_nv_cross_sync(void *dev) { (void)dev; return TINY_OK; }

// ** modules: cubins, in which kernels are looked for **

typedef struct tn_nv_cross_module { size_t nbytes; } tn_nv_cross_module;       // nbytes: of all; the cubin follows

static tiny_code tn_nv_cross_fits(tn_nv *d, const tn_cubin *c) {
  tn_cubin_symbol s;
  tn_cubin_kernel k;
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) {
    const char *wrong = tn_cubin_kernel_of(c, i - 1, &k);
    const tiny_code code = wrong ? tn_nv_cubin_wrong(d, wrong) : tn_nv_kernel_fits(d, &k);
    if (code != TINY_OK) return code;
  }
  return tn_nv_is_for_it(d, c);
}
static void *tn_nv_cross_keep(tn_nv *d, const void *cubin, size_t nbytes) {
  tn_cubin c;
  const char *wrong = tn_cubin_open(&c, cubin, nbytes);
  if (wrong) { tn_nv_cubin_wrong(d, wrong); return NULL; }
  if (tn_nv_cross_fits(d, &c) != TINY_OK) return NULL;
  tn_nv_cross_module *m = (tn_nv_cross_module *)tiny_realloc(d->t, NULL, 0, sizeof *m + nbytes);
  if (!m) { tn_nv_no_room(d); return NULL; }
  m->nbytes = sizeof *m + nbytes;
  memcpy(m + 1, cubin, nbytes);
  return m;
}
static void *tn_nv_cross_load(void *dev, const void *binary, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  tn_tool_made made;
  if (tn_nv_assemble_binary(d, binary, nbytes, &made) != TINY_OK) return NULL;
  void *const m = made.bytes ? tn_nv_cross_keep(d, made.bytes, made.nbytes) : tn_nv_cross_keep(d, binary, nbytes);
  free(made.bytes);
  return m;
}
static void tn_nv_cross_unload(void *dev, void *module) {
  if (module) tiny_realloc(((tn_nv *)dev)->t, module, ((tn_nv_cross_module *)module)->nbytes, 0);
}
static void *tn_nv_cross_find(void *dev, void *module, const char *name) {
  tn_nv_cross_module *m = (tn_nv_cross_module *)module;
  tn_cubin c;
  tn_cubin_symbol s;
  (void)dev;
  if (tn_cubin_open(&c, m + 1, m->nbytes - sizeof *m)) return NULL;
  for (int i = 0; tn_cubin_next_entry(&c, &i, &s); ) if (!strcmp(s.name, name)) return m;
  return NULL;
}

static const tiny_backend tn_nv_cross = {
  TINY_BACKEND_VERSION, "NV", tn_nv_cross_open, tn_nv_cross_close, tn_nv_target, tn_nv_renderer, tn_nv_cross_alloc,
  tn_nv_cross_free, tn_nv_cross_copy_in, tn_nv_cross_copy_out, NULL, NULL, tn_nv_compile, tn_nv_cross_load, NULL,
  tn_nv_cross_unload, tn_nv_cross_find, tn_nv_cross_launch, NULL, NULL, NULL, NULL, tn_nv_cross_sync, NULL
};

// ** kernels for several **

#ifndef TINY_NO_IO
static tiny_code tn_nv_export_says(char *error, size_t nbytes, tiny_code code, const char *target, const char *text) {
  if (error && nbytes) snprintf(error, nbytes, "nv_export: %s%s%s", target, *target ? ": " : "", text);
  return code;
}
static tiny_code tn_nv_export_one(const tiny_nv_export_desc *e, const char *target, char *error, size_t nbytes) {
  tiny_nv_name name;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  if (e->desc) d = *e->desc;
  memset(d.backends, 0, sizeof d.backends);
  if (e->system)
    snprintf(name.text, sizeof name.text, "NV:on-%llx-%.16s", (unsigned long long)(uintptr_t)e->system, target);
  else snprintf(name.text, sizeof name.text, "NV:%.16s", target);
  d.device = name.text;
  d.backends[0] = &tn_nv_cross;
  tiny_ctx *t = tiny_open(&d);
  tiny_code code = tiny_status(t), built = code == TINY_OK ? e->build(t, e->user) : code;
  code = tiny_status(t) != TINY_OK ? tiny_status(t) : built;
  if (code == TINY_OK) code = tiny_cache_export(t, e->path);
  if (code != TINY_OK) {
    const char *const says = tiny_error(t);
    tn_nv_export_says(error, nbytes, code, target, *says ? says : "build returned an error");
  }
  tiny_close(t);
  return code;
}
TINY_API tiny_code tiny_nv_export(const tiny_nv_export_desc *e, char *error, size_t error_nbytes) {
  if (error && error_nbytes) *error = 0;
  if (!e || !e->path || !e->build || !e->targets || e->n < 1)
    return tn_nv_export_says(error, error_nbytes, TINY_E_ARG, "", "path, build and targets are needed");
  tiny_code code = TINY_OK;
  for (int i = 0; i < e->n && code == TINY_OK; i++)
    code = e->targets[i] ? tn_nv_export_one(e, e->targets[i], error, error_nbytes)
                         : tn_nv_export_says(error, error_nbytes, TINY_E_ARG, "", "a target is NULL");
  return code;
}
#endif
#endif
// ---- end src/nv/cross.c ----
// ---- begin src/nv/backend.c ----
// backend: the one object of tiny_nv.h.
#ifndef TN_NV_BACKEND
#define TN_NV_BACKEND
#ifndef TINY_AMALGAMATED
#include "cross.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_nv = {
  TINY_BACKEND_VERSION, "NV", tn_nv_open, tn_nv_close, tn_nv_target, tn_nv_renderer, tn_nv_alloc, tn_nv_free,
  tn_nv_copy_in, tn_nv_copy_out, tn_nv_copy_from, NULL, tn_nv_compile, tn_nv_load_binary, NULL, tn_nv_unload,
  tn_nv_find, tn_nv_launch, tn_nv_submit, tn_nv_event_new, tn_nv_wait, tn_nv_event_free, tn_nv_sync, NULL
};
#endif
// ---- end src/nv/backend.c ----
// ---- end src/nv/all.c ----
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

Where things stand in tiny_nv.h

    166  src/nv/../base/library.c           shared libraries that are loaded while the program runs: drivers,
                                            which a program is not linked with
    222  src/nv/../base/digits.c            whole numbers in text without a sign: of devices, of versions, of
                                            addresses
    249  src/nv/../base/driver.c            files of kernel drivers: opened, controlled, mapped; a clock; what
                                            two sides of a bus see in order
    367  src/nv/../base/tool.c              programs of others, run as processes that read and write memory:
                                            nothing of it has a name in a folder
    498  src/nv/../base/blocks.c            a device's memory, given out in blocks of larger regions, which
                                            are the driver's
    611  src/nv/../base/prepared.c          launches that are handed over together again and again, as a list
                                            of commands that was prepared
    826  src/nv/../ir/listing.c             what the nodes of a kernel's list say, by what tiny.h shows to
                                            everyone: renderers stand in companion headers, too, and those see
                                            nothing else of the library
    978  src/nv/../render/ptx_values.c      values of PTX: registers, numbers, and what is computed of them,
                                            an element at a time
   1605  src/nv/../render/ptx_pairs.c       two elements by one instruction
   1673  src/nv/../render/ptx_memory.c      what PTX reads and writes: addresses, loads, stores and copies;
                                            and what is to be known before
   2196  src/nv/../render/ptx_wgmma.c       products of all columns of a warp at once, of which four warps of
                                            sm_90a make one (PTX ISA, wgmma)
   2330  src/nv/../render/ptx_tcgen05.c     products of all rows and columns of four warps, which sm_100a's
                                            units sum in memory of their own (PTX ISA, "TensorCore 5th
                                            Generation Family Instructions", and there "Tensor Memory",
                                            "Matrix Descriptors", "Canonical Layouts", "Data Path Layout
                                            Organization", "Memory Consistency Model")
   2730  src/nv/../render/ptx_maps.c        which tensors a kernel in PTX copies boxes of, as numbers in its
                                            module
   2770  src/nv/../render/ptx_bulk.c        boxes of tensors that the device copies by itself (PTX ISA,
                                            cp.async.bulk.tensor and mbarrier; sm_90 on)
   3052  src/nv/../render/ptx_producer.c    warps that only copy boxes, beside those that multiply (PTX ISA,
                                            mbarrier, mapa, setmaxnreg)
   3230  src/nv/../render/ptx_box_stores.c  boxes of shared memory that the device copies to tensors by itself
                                            (PTX ISA, cp.async.bulk.tensor, .global.shared::cta; sm_90 on)
   3313  src/nv/../render/ptx.c             a program -> PTX, NVIDIA's virtual machine code, for sm_75 and
                                            later
   3947  src/nv/structs.c                   what NVIDIA's kernel driver takes: own declarations, and a table
                                            of what differs between its releases
   4157  src/nv/system.c                    open, ioctl, mmap: the system's own (base/driver.c), or what a
                                            tiny_nv_system has in their place
   4244  src/nv/rm.c                        what NVIDIA's kernel driver is asked: objects are made and freed,
                                            controlled, mapped; ranges of nvidia-uvm
   4525  src/nv/cubin.c                     reads machine code as ptxas writes it: an ELF file with kernels,
                                            what each needs, and where addresses go
   4856  src/nv/qmd.c                       launch descriptors, which tell a GPU all about a launch: one table
                                            of their fields, a column for each version
   4993  src/nv/generation.c                what differs between NVIDIA's GPUs from Turing on, a row for each
                                            class of compute
   5076  src/nv/device.c                    a GPU: found, asked what it is, its address space and channels;
                                            opened and closed; what went wrong
   5447  src/nv/info.c                      what the driver tells of its GPUs, without a context of the
                                            library's
   5501  src/nv/channel.c                   what a GPU is told: words in memory, where they stand in a ring, a
                                            doorbell; how far it is; faults
   5826  src/nv/peer.c                      other GPUs of the process: their memory, seen by this one's
                                            engines, and their semaphores, which it waits for
   6024  src/nv/memory.c                    of the GPU, given out in blocks of larger regions; bytes to it and
                                            from it by its copy engines
   6194  src/nv/share.c                     memory that goes from one program or driver to another as a file
   6330  src/nv/tensor_map.c                what the copy unit reads of a tensor, 128 bytes (sm_90 on)
   6360  src/nv/module.c                    cubins in the GPU's memory, and the kernels in them, each with the
                                            descriptor that its launches begin from
   6579  src/nv/launch.c                    kernels with all that they are called with -> descriptors,
                                            constant banks, words for the GPU
   6867  src/nv/graph.c                     launches that are handed over together again and again, as a list
                                            of commands (base/prepared.c)
   6940  src/nv/assemble.c                  PTX -> cubin, by whatever is found here: what a tiny_nv_system
                                            brings, ptxas, or a library of the toolkit
   7151  src/nv/queue.c                     a device as others see it: opened and closed, events in its order,
                                            that all has happened
   7336  src/nv/cross.c                     GPUs that are not here, by target: kernels are compiled for them,
                                            none runs
   7524  src/nv/backend.c                   the one object of tiny_nv.h
*/
