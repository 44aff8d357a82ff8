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
