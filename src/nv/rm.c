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
