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
