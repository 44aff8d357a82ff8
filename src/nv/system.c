// system: open, ioctl, mmap: the system's own, or what a tiny_nv_system has in their place; and a clock.
//
// In:    a tiny_nv_system, or NULL. Out: results as they come from the kernel: below 0 -errno.
// Holds: only here is it known which system this is. Elsewhere than on Linux there is no such driver; opening says so.
#ifndef TN_NV_SYSTEM
#define TN_NV_SYSTEM
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/digits.c"
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
  #define TN_NV_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_NV_PRINTF(at, args)
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
#endif
enum { TN_NV_LINUX = 1, TN_NV_CLOEXEC = 02000000, TN_NV_RESERVED = 0x20 | 0x4000, TN_NV_MONOTONIC = 1 };
static int tn_nv_real_open(void *user, const char *path, int flags) {
  (void)user;
  const int fd = open(path, flags | TN_NV_CLOEXEC);
  return fd < 0 ? -errno : fd;
}
static int tn_nv_real_close(void *user, int fd) { (void)user; return close(fd) ? -errno : 0; }
static int tn_nv_real_ioctl(void *user, int fd, unsigned long request, void *argument) {
  int result;
  (void)user;
  do result = ioctl(fd, request, argument); while (result < 0 && (errno == EINTR || errno == EAGAIN));
  return result < 0 ? -errno : result;
}
static int tn_nv_real_mmap(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset) {
  (void)user;
  void *const p = mmap(*at, nbytes, protection, flags, fd, (off_t)offset);
  if (p == MAP_FAILED) return -errno;
  *at = p;
  return 0;
}
static int tn_nv_real_munmap(void *user, void *at, size_t nbytes) {
  (void)user;
  return munmap(at, nbytes) ? -errno : 0;
}

// Addresses below 2^40 that nothing else of the process has, as pushbuffers and launch descriptors have 40 bits. NULL:
// there are none left.
static char *tn_nv_reserve(size_t nbytes) {
  enum { FIRST = 1, LAST = 16 };           // of 64 GiB each
  for (uint64_t k = FIRST; k < LAST; k++) for (uint64_t part = 0; part < 4; part++) {
    char *const wish = (char *)(uintptr_t)((k << 36) + (part << 34));
    void *const p = mmap(wish, nbytes, PROT_NONE, MAP_PRIVATE | TN_NV_RESERVED, -1, 0);
    if (p == (void *)wish) return wish;
    if (p != MAP_FAILED) munmap(p, nbytes);
  }
  return NULL;
}
static void tn_nv_unreserve(char *at, size_t nbytes) { if (at) munmap(at, nbytes); }
// A part that was mapped and is not any more is reserved again.
static void tn_nv_reserve_again(char *at, size_t nbytes) {
  mmap(at, nbytes, PROT_NONE, MAP_PRIVATE | TN_NV_RESERVED | MAP_FIXED, -1, 0);
}
static uint64_t tn_nv_clock_ns(void) {
  struct timespec now;
  clock_gettime(TN_NV_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
// Others run: the first spins are for what comes at once, later ones sleep for 50 us.
static void tn_nv_pause(int spins) {
  const struct timespec some = {0, 50000};
  if (spins < 2000) return;
  if (spins < 4000) sched_yield(); else nanosleep(&some, NULL);
}
// What was written before is seen, by the GPU too, before what is written after.
static void tn_nv_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static uint64_t tn_nv_load(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
static void tn_nv_store(uint64_t *p, uint64_t value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }
enum { TN_NV_MAP_FLAGS = MAP_SHARED | MAP_FIXED, TN_NV_READ = PROT_READ, TN_NV_WRITE = PROT_WRITE,
       TN_NV_OPEN = O_RDWR | TN_NV_CLOEXEC, TN_NV_SHARED = MAP_SHARED };
#else
enum { TN_NV_LINUX = 0, TN_NV_NOT_HERE = -2 };
static int tn_nv_real_open(void *user, const char *path, int flags) {
  (void)user; (void)path; (void)flags;
  return TN_NV_NOT_HERE;
}
static int tn_nv_real_close(void *user, int fd) { (void)user; (void)fd; return 0; }
static int tn_nv_real_ioctl(void *user, int fd, unsigned long request, void *argument) {
  (void)user; (void)fd; (void)request; (void)argument;
  return TN_NV_NOT_HERE;
}
static int tn_nv_real_mmap(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset) {
  (void)user; (void)at; (void)nbytes; (void)protection; (void)flags; (void)fd; (void)offset;
  return TN_NV_NOT_HERE;
}
static int tn_nv_real_munmap(void *user, void *at, size_t nbytes) { (void)user; (void)at; (void)nbytes; return 0; }
static char *tn_nv_reserve(size_t nbytes) { (void)nbytes; return NULL; }
static void tn_nv_unreserve(char *at, size_t nbytes) { (void)at; (void)nbytes; }
static void tn_nv_reserve_again(char *at, size_t nbytes) { (void)at; (void)nbytes; }
static uint64_t tn_nv_clock_ns(void) { return 0; }
static void tn_nv_pause(int spins) { (void)spins; }
static void tn_nv_fence(void) {}
static uint64_t tn_nv_load(const uint64_t *p) { return *p; }
static void tn_nv_store(uint64_t *p, uint64_t value) { *p = value; }
enum { TN_NV_MAP_FLAGS, TN_NV_READ, TN_NV_WRITE, TN_NV_OPEN, TN_NV_SHARED };
#endif

// All members but doorbell and assemble, which may be NULL, are there.
static tiny_nv_system tn_nv_system_of(const tiny_nv_system *given) {
  tiny_nv_system s;
  memset(&s, 0, sizeof s);
  if (given) s = *given;
  if (!s.open) s.open = tn_nv_real_open;
  if (!s.close) s.close = tn_nv_real_close;
  if (!s.ioctl) s.ioctl = tn_nv_real_ioctl;
  if (!s.mmap) s.mmap = tn_nv_real_mmap;
  if (!s.munmap) s.munmap = tn_nv_real_munmap;
  return s;
}

// Do both reach one driver?
static int tn_nv_same_system(const tiny_nv_system *a, const tiny_nv_system *b) {
  return a->user == b->user && a->ioctl == b->ioctl;
}

// ** errno, as a sentence goes on **

static const char *tn_nv_errno_text(int error) {
  static const struct { int error; const char *says; } known[] = {
    {1, "not permitted (EPERM)"}, {2, "there is no such file (ENOENT)"}, {4, "interrupted (EINTR)"},
    {5, "the driver does not answer (EIO)"}, {6, "there is no such device (ENXIO)"}, {12, "no memory (ENOMEM)"},
    {13, "you may not open it (EACCES): its owner, group or mode forbid it"}, {14, "a bad address (EFAULT)"},
    {16, "it is in use (EBUSY)"}, {19, "there is no such device (ENODEV)"},
    {22, "the driver does not take it (EINVAL): its release is not one that is known here"},
    {24, "too many open files (EMFILE)"}, {25, "it is no device of NVIDIA's driver (ENOTTY)"}
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) if (known[i].error == error) return known[i].says;
  return "refused by the system";
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
