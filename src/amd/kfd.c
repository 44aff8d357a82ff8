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
