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
