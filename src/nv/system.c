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
