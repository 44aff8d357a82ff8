// device: which device of which driver, what it has, and how it is opened and closed.
//
// In:    what stands behind "CL:". Out: a context and a queue of OpenCL for one device, and its tiny_limits.
// Holds: devices are counted over all platforms, in the order in which the drivers tell them. A queue executes in
//        order, and takes the time of what it executes where it may.
#ifndef TN_CL_DEVICE
#define TN_CL_DEVICE
#ifndef TINY_AMALGAMATED
#include "driver.c"
#include "../render/lang_opencl.c"
#endif

enum { TN_CL_MOST_PLATFORMS = 16, TN_CL_MOST_DEVICES = 64, TN_CL_NAME = 128 };

typedef struct tn_cl_stamp tn_cl_stamp;    // a launch whose time is wanted (queue.c)
typedef struct tn_cl_staged tn_cl_staged;  // what is on its way to the device (memory.c)
typedef struct tn_cl {
  tiny_ctx *t;
  tn_cl_calls cl;
  void *device, *context, *queue;
  int has, sub_group;                      // TN_OPENCL_*; lanes of its sub-groups, 0: they are not known
  size_t alignment;                        // of what begins a part of memory
  size_t most, one;                        // bytes in all, and of one piece of memory
  size_t live;                             // bytes that are given out
  size_t work_items; size_t shared;        // of a group
  tn_cl_stamp *stamps;
  tn_cl_staged *staged; size_t nbytes_staged;
  char name[TN_CL_NAME], target[3 * TN_CL_NAME], options[96];
} tn_cl;

// ** what went wrong **

static const struct { int error; const char *says; } tn_cl_errors[] = {
  {TN_CL_DEVICE_NOT_AVAILABLE, "the device is lost: open another context when it is back, or on another device"},
  {TN_CL_MEM_ALLOCATION_FAILURE, "the device has no memory left: free tensors, or set tiny_desc.max_nbytes"},
  {TN_CL_OUT_OF_RESOURCES, "the device has ended a kernel, or has no room for what it needs"},
  {TN_CL_OUT_OF_HOST_MEMORY, "the driver has no memory left"},
  {TN_CL_EVENTS_FAILED, "a kernel or a copy before it has failed on the device"},
  {TN_CL_INVALID_BINARY, "the binary is for another device or driver, or was changed"},
  {TN_CL_INVALID_ARG_SIZE, "a parameter of the kernel is no pointer: a number comes as an input of one element"},
  {TN_CL_INVALID_WORK_GROUP_SIZE, "the device does not run work groups of this size, or the kernel asks for another"},
  {TN_CL_INVALID_WORK_ITEM_SIZE, "the device does not run so many work items along one dim of a group"},
  {TN_CL_INVALID_BUFFER_SIZE, "the device has no memory of this size"},
  {TN_CL_INVALID_GLOBAL_SIZE, "the device does not run so many work groups"}
};
static int tn_cl_is_memory(int error) {
  return error == TN_CL_MEM_ALLOCATION_FAILURE || error == TN_CL_OUT_OF_HOST_MEMORY ||
      error == TN_CL_OUT_OF_RESOURCES || error == TN_CL_INVALID_BUFFER_SIZE;
}
static tiny_code tn_cl_fail(const tn_cl *d, const char *call, int error) {
  const char *says = "see CL/cl.h for the number";
  for (size_t i = 0; i < sizeof tn_cl_errors / sizeof *tn_cl_errors; i++)
    if (tn_cl_errors[i].error == error) says = tn_cl_errors[i].says;
  const int memory = error != TN_CL_OUT_OF_RESOURCES && tn_cl_is_memory(error);
  const tiny_code code = memory ? TINY_E_MEMORY : error == TN_CL_INVALID_ARG_SIZE ? TINY_E_ARG : TINY_E_DEVICE;
  return tiny_fail(d->t, code, "CL: cl%s returned %d on %s: %s", call, error, d->name,
                   says);
}

// ** which one **

typedef struct tn_cl_found {
  void *platform, *device; int in_platform, of_platform; char name[TN_CL_NAME];
} tn_cl_found;

static int tn_cl_list(const tn_cl_calls *cl, tn_cl_found *out) {
  void *platform[TN_CL_MOST_PLATFORMS], *device[TN_CL_MOST_DEVICES];
  uint32_t platforms = 0, devices;
  int n = 0;
  if (cl->GetPlatformIDs(TN_CL_MOST_PLATFORMS, platform, &platforms) != 0) return 0;
  for (uint32_t p = 0; p < platforms && p < TN_CL_MOST_PLATFORMS; p++) {
    devices = 0;
    if (cl->GetDeviceIDs(platform[p], 0xFFFFFFFF, TN_CL_MOST_DEVICES, device, &devices) != 0) continue;
    for (uint32_t i = 0; i < devices && i < TN_CL_MOST_DEVICES && n < TN_CL_MOST_DEVICES; i++) {
      tn_cl_found *f = &out[n++];
      f->platform = platform[p]; f->device = device[i]; f->of_platform = (int)p; f->in_platform = (int)i;
      f->name[0] = 0;
      if (cl->GetDeviceInfo(device[i], TN_CL_DEVICE_NAME, sizeof f->name, f->name, NULL) != 0) f->name[0] = 0;
      f->name[sizeof f->name - 1] = 0;
    }
  }
  return n;
}

static int tn_cl_small(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static int tn_cl_names_it(const char *name, const char *part) {
  for (; *name; name++) {
    size_t i = 0;
    while (part[i] && tn_cl_small(name[i]) == tn_cl_small(part[i])) i++;
    if (!part[i]) return 1;
  }
  return 0;
}

// Of those found the first that `which` names; -1: none. Without a name the first GPU, or else the first of all.
static int tn_cl_choose(const tn_cl_calls *cl, const tn_cl_found *f, int n, const char *which) {
  const size_t digits = strspn(which, "0123456789"), dotted = which[digits] == '.';
  const size_t more = dotted ? strspn(which + digits + 1, "0123456789") : 0;
  for (int i = 0; i < n && !*which; i++) {
    uint64_t type = 0;
    if (cl->GetDeviceInfo(f[i].device, TN_CL_DEVICE_TYPE, sizeof type, &type, NULL) == 0 && type & TN_CL_TYPE_GPU)
      return i;
  }
  if (!*which) return n ? 0 : -1;
  const uint64_t first = tn_digits_value(which, 10, NULL),
                 second = more ? tn_digits_value(which + digits + 1, 10, NULL) : 0;
  if (digits && !which[digits]) return first < (uint64_t)n ? (int)first : -1;
  for (int i = 0; i < n; i++) {
    if (digits && more && !which[digits + 1 + more]) {
      if ((uint64_t)f[i].of_platform == first && (uint64_t)f[i].in_platform == second) return i;
    } else if (tn_cl_names_it(f[i].name, which)) return i;
  }
  return -1;
}

static tiny_code tn_cl_find_device(tn_cl *d, const char *which, tn_cl_found *found) {
  tn_cl_found all[TN_CL_MOST_DEVICES];
  char names[1200] = "";
  const int n = tn_cl_list(&d->cl, all);
  if (!n)
    return tiny_fail(d->t, TINY_E_DEVICE, "CL: %s finds no device: install the driver of the GPU, or for the processor "
                     "PoCL (apt install pocl-opencl-icd)", tn_cl_libraries[0]);
  const int i = tn_cl_choose(&d->cl, all, n, which);
  if (i >= 0) { *found = all[i]; return TINY_OK; }
  for (int k = 0; k < n; k++) {
    const size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%sCL:%d (CL:%d.%d) %s", k ? ", " : "", k, all[k].of_platform,
             all[k].in_platform, all[k].name);
  }
  return tiny_fail(d->t, TINY_E_DEVICE, "there is no device CL:%.100s; there are: %s", which, names);
}

// ** what it has **

static uint64_t tn_cl_number(const tn_cl *d, uint32_t what) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  size_t nbytes = 0;
  if (d->cl.GetDeviceInfo(d->device, what, 0, NULL, &nbytes) != 0) return 0;
  if (nbytes == sizeof narrow) {
    if (d->cl.GetDeviceInfo(d->device, what, sizeof narrow, &narrow, NULL) != 0) return 0;
    return narrow;
  }
  return nbytes == sizeof wide && d->cl.GetDeviceInfo(d->device, what, sizeof wide, &wide, NULL) == 0 ? wide : 0;
}
static void tn_cl_text(const tn_cl *d, uint32_t what, char *out, size_t nbytes) {
  *out = 0;
  if (d->cl.GetDeviceInfo(d->device, what, nbytes, out, NULL) != 0) *out = 0;
  out[nbytes - 1] = 0;
}
static int tn_cl_has_extension(const tn_cl *d, const char *name) {
  size_t nbytes = 0;
  if (d->cl.GetDeviceInfo(d->device, TN_CL_EXTENSIONS, 0, NULL, &nbytes) != 0 || !nbytes) return 0;
  char *all = (char *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!all) return 0;
  const int has = d->cl.GetDeviceInfo(d->device, TN_CL_EXTENSIONS, nbytes, all, NULL) == 0 && strstr(all, name) != NULL;
  tiny_realloc(d->t, all, nbytes, 0);
  return has;
}

// TINY_E_DEVICE: it is none that kernels can be written for.
static tiny_code tn_cl_check(const tn_cl *d) {
  char version[TN_CL_NAME];
  tn_cl_text(d, TN_CL_DEVICE_VERSION, version, sizeof version);
  const uint64_t major = !strncmp(version, "OpenCL ", 7) ? tn_digits_value(version + 7, 10, NULL) : 0;
  const char *dot = strchr(version, '.');
  const int old = major < 1 || (major == 1 && dot && tn_digits_value(dot + 1, 10, NULL) < 2);
  const char *wrong = old ? "is older than OpenCL 1.2: update its driver"
      : !tn_cl_number(d, TN_CL_AVAILABLE)          ? "is not available now: another program may have it"
      : !tn_cl_number(d, TN_CL_COMPILER_AVAILABLE) ? "comes without a compiler: take another device"
      : !tn_cl_number(d, TN_CL_ENDIAN_LITTLE)      ? "has big-endian memory: take another device" : NULL;
  return wrong ? tiny_fail(d->t, TINY_E_DEVICE, "CL: %s (%s) %s", d->name, version, wrong) : TINY_OK;
}

// Lanes that a kernel's sub-groups can be told to have, and that exchange values: 16, of which Intel's compiler makes
// most kernels, or the most up to 32 that there are. 0: the size is the driver's affair, kernel by kernel.
static int tn_cl_sub_group(const tn_cl *d) {
  size_t sizes[8], nbytes = 0;
  int most = 0;
  if (!tn_cl_has_extension(d, "cl_intel_required_subgroup_size") ||
      !(tn_cl_has_extension(d, "cl_khr_subgroup_shuffle") || tn_cl_has_extension(d, "cl_intel_subgroups")) ||
      d->cl.GetDeviceInfo(d->device, TN_CL_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &nbytes) != 0)
    return 0;
  for (size_t i = 0; i < nbytes / sizeof *sizes && i < sizeof sizes / sizeof *sizes; i++) {
    if (sizes[i] == 16) return 16;
    if (sizes[i] <= 32 && (int)sizes[i] > most) most = (int)sizes[i];
  }
  return most;
}

static void tn_cl_limits(tn_cl *d, tiny_limits *limits) {
  size_t items[3] = {0, 0, 0};
  d->work_items = (size_t)tn_cl_number(d, TN_CL_MAX_WORK_GROUP_SIZE);
  d->shared = (size_t)tn_cl_number(d, TN_CL_LOCAL_MEM_SIZE);
  if (d->cl.GetDeviceInfo(d->device, TN_CL_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL) != 0)
    memset(items, 0, sizeof items);
  for (int i = 0; i < 3; i++) {
    limits->local_max[i] = (int64_t)items[i];
    limits->global_max[i] = i ? 65535 : INT32_MAX;         // CUDA C++ Programming Guide, table of compute capabilities
  }
  limits->local_total = (int64_t)d->work_items;
  limits->shared_nbytes = d->shared;
  limits->compute_units = (int)tn_cl_number(d, TN_CL_COMPUTE_UNITS);
  limits->warp = (int)tn_cl_number(d, TN_CL_WARP_SIZE_NV);
  if (!limits->warp) limits->warp = (int)tn_cl_number(d, TN_CL_WAVEFRONT_WIDTH_AMD);
  if (d->sub_group) limits->warp = d->sub_group;
  if (tn_cl_number(d, TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU) {   // an item is a task, with vectors of the processor's
    const int lanes = (int)tn_cl_number(d, TN_CL_NATIVE_VECTOR_FLOAT);
    limits->threads = 1;
    limits->vector_nbytes = lanes >= 16 ? 64 : lanes >= 8 ? 32 : 16;
    limits->vector_registers = lanes >= 16 ? 32 : 16;
    limits->cache_nbytes = d->shared / 2;  // what is packed for a core lies in memory of its group
  } else limits->atomics = TN_OPENCL_ATOMICS;
  limits->memory[2].nbytes = (size_t)tn_cl_number(d, TN_CL_CACHE_SIZE);
  limits->memory[2].line = (int)tn_cl_number(d, TN_CL_CACHELINE_SIZE);
}

static void tn_cl_describe(tn_cl *d) {
  char driver[TN_CL_NAME], version[TN_CL_NAME];
  tn_cl_text(d, TN_CL_DRIVER_VERSION, driver, sizeof driver);
  tn_cl_text(d, TN_CL_DEVICE_VERSION, version, sizeof version);
  d->has = TN_OPENCL_I64 | (tn_cl_number(d, TN_CL_DOUBLE_FP_CONFIG) ? TN_OPENCL_F64 : 0) |
      (tn_cl_has_extension(d, "cl_khr_fp16") ? TN_OPENCL_F16 : 0) |
      (tn_cl_number(d, TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU ? 0 : TN_OPENCL_INSTRUCTIONS);
  if (d->has & TN_OPENCL_INSTRUCTIONS) d->sub_group = tn_cl_sub_group(d);
  if (d->sub_group) d->has |= TN_OPENCL_EXCHANGES;
  d->alignment = (size_t)tn_cl_number(d, TN_CL_MEM_BASE_ADDR_ALIGN) / 8;
  if (!d->alignment) d->alignment = 1;
  d->most = (size_t)tn_cl_number(d, TN_CL_GLOBAL_MEM_SIZE);
  d->one = (size_t)tn_cl_number(d, TN_CL_MAX_MEM_ALLOC_SIZE);
  snprintf(d->options, sizeof d->options, "-cl-std=CL1.2%s",
           tn_cl_number(d, TN_CL_SINGLE_FP_CONFIG) & TN_CL_CORRECTLY_ROUNDED
               ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  const size_t at = strlen(d->options);
  if (d->sub_group) snprintf(d->options + at, sizeof d->options - at, " -DSUB_GROUP=%d", d->sub_group);
  snprintf(d->target, sizeof d->target, "%.100s %.100s %.100s %d.%d", d->name, driver, version, d->has, d->sub_group);
}

static void tn_cl_give_back(tn_cl *d) {
  if (d->queue) d->cl.ReleaseCommandQueue(d->queue);
  if (d->context) d->cl.ReleaseContext(d->context);
  tiny_realloc(d->t, d, sizeof *d, 0);
}

static tiny_code tn_cl_open_queue(tn_cl *d, void *platform) {
  enum { CONTEXT_PLATFORM = 0x1084 };
  const intptr_t properties[3] = {CONTEXT_PLATFORM, (intptr_t)platform, 0};
  int error = 0;
  d->context = d->cl.CreateContext(properties, 1, &d->device, NULL, NULL, &error);
  if (!d->context) return tn_cl_fail(d, "CreateContext", error);
  d->queue = d->cl.CreateCommandQueue(d->context, d->device, TN_CL_PROFILING, &error);
  return d->queue ? TINY_OK : tn_cl_fail(d, "CreateCommandQueue", error);
}

// ** the host's own queue **

TINY_API tiny_cl_name tiny_cl_host(void *queue) {
  tiny_cl_name name;
  snprintf(name.text, sizeof name.text, "CL:queue-%llx", (unsigned long long)(uintptr_t)queue);
  return name;
}
// NULL: the name is of no queue.
static void *tn_cl_host_named(const char *which) {
  static const char head[] = "queue-";
  const char *end;
  if (strncmp(which, head, sizeof head - 1)) return NULL;
  const uint64_t address = tn_digits_value(which + sizeof head - 1, 16, &end);
  return *end ? NULL : (void *)(uintptr_t)address;
}
static tiny_code tn_cl_take_host(tn_cl *d, void *queue) {
  uint64_t properties = 0;
  void *context = NULL;
  int error = d->cl.GetCommandQueueInfo(queue, TN_CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  if (error == 0) error = d->cl.GetCommandQueueInfo(queue, TN_CL_QUEUE_DEVICE, sizeof d->device, &d->device, NULL);
  if (error == 0)
    error = d->cl.GetCommandQueueInfo(queue, TN_CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  if (error != 0) return tn_cl_fail(d, "GetCommandQueueInfo", error);
  if (properties & TN_CL_OUT_OF_ORDER)
    return tiny_fail(d->t, TINY_E_DEVICE, "CL: the host's queue executes out of order; make one without "
                     "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE for the library");
  if ((error = d->cl.RetainCommandQueue(queue)) != 0) return tn_cl_fail(d, "RetainCommandQueue", error);
  d->queue = queue;
  if ((error = d->cl.RetainContext(context)) != 0) return tn_cl_fail(d, "RetainContext", error);
  d->context = context;
  tn_cl_text(d, TN_CL_DEVICE_NAME, d->name, sizeof d->name);
  return tn_cl_check(d);
}

// ** open, close **

static tn_cl *tn_cl_new(tiny_ctx *t) {
  tn_cl *d = (tn_cl *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "CL: no memory to open a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = t;
  if (tn_cl_driver(t, &d->cl) == TINY_OK) return d;
  tn_cl_give_back(d);
  return NULL;
}
static tiny_code tn_cl_take_named(tn_cl *d, const char *which) {
  tn_cl_found found;
  tiny_code code = tn_cl_find_device(d, which, &found);
  if (code != TINY_OK) return code;
  d->device = found.device;
  memcpy(d->name, found.name, sizeof d->name);
  code = tn_cl_check(d);
  return code == TINY_OK ? tn_cl_open_queue(d, found.platform) : code;
}
static void *tn_cl_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_cl *d = tn_cl_new(t);
  if (!d) return NULL;
  void *const queue = tn_cl_host_named(which);
  if ((queue ? tn_cl_take_host(d, queue) : tn_cl_take_named(d, which)) != TINY_OK) { tn_cl_give_back(d); return NULL; }
  tn_cl_describe(d);
  tn_cl_limits(d, limits);
  return d;
}
static const char *tn_cl_target(void *dev) { return ((tn_cl *)dev)->target; }
static void tn_cl_renderer(void *dev, tiny_renderer *out) { tn_lang_opencl(out, ((tn_cl *)dev)->has); }
#endif
