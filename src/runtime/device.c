// device: which backend a context runs on.
//
// In:    a name, the caller's backends and ours. Out: an open device with its limits and its renderer; or an error that
//        names the devices there are.
// Holds: a backend of another release is refused before anything of it is called.
#ifndef TN_RUNTIME_DEVICE
#define TN_RUNTIME_DEVICE
#ifndef TINY_AMALGAMATED
#include "null.c"
#include "interp.c"
#include "storage.c"
#include "../render/cstyle.c"
#endif

// Asks for the time that l takes.
static void tn_stamp_ask(struct tn_device *d, tiny_launch *l) {
  d->stamp[0] = d->stamp[1] = 0;
  l->stamp = d->stamp;
}
// After sync: ns, by the device's clock if it has one.
static uint64_t tn_stamp_ns(const struct tn_device *d, uint64_t host_ns) {
  if (!d->stamp[1]) return host_ns;
  return d->stamp[1] > d->stamp[0] ? d->stamp[1] - d->stamp[0] : 1;
}

#ifdef TN_TEST_BACKEND                     // a test's, which stands for INTERP
  #include TN_TEST_BACKEND
#else
  #define TN_INTERP &tn_interp_backend
#endif

// tn_fallback runs the kernels of the CPU where there is no compiler.
#ifdef TINY_NO_INTERP
enum { TN_HAS_FALLBACK = 0 };
static const tiny_backend *const tn_fallback = NULL;
static const tiny_backend *const tn_backends[] = {&tn_cpu_backend, &tn_llvm_backend, &tn_null_backend};
#else
enum { TN_HAS_FALLBACK = 1 };
static const tiny_backend *const tn_fallback = &tn_interp_backend;
static const tiny_backend *const tn_backends[] = {&tn_cpu_backend, &tn_llvm_backend, TN_INTERP, &tn_null_backend};
#endif
enum { TN_BACKENDS = sizeof tn_backends / sizeof *tn_backends };

static const tiny_backend *tn_backend_among(const tiny_backend *const *all, int count, const char *name, size_t n) {
  for (int i = 0; i < count; i++)
    if (all[i] && strlen(all[i]->name) == n && !strncmp(all[i]->name, name, n)) return all[i];
  return NULL;
}
static const tiny_backend *tn_backend_find(const tiny_desc *d, const char *name, size_t n) {
  const tiny_backend *given = d ? tn_backend_among(d->backends, 8, name, n) : NULL;
  return given ? given : tn_backend_among(tn_backends, TN_BACKENDS, name, n);
}
TINY_API const tiny_backend *tiny_backend_named(const char *name) {
  return name ? tn_backend_among(tn_backends, TN_BACKENDS, name, strlen(name)) : NULL;
}

// A struct of another release is not what it seems: nothing of it is called. Also where another device is asked for, as
// it would be passed over in silence.
static tiny_code tn_backends_check(tiny_ctx *t, const tiny_desc *d) {
  const unsigned want = TINY_BACKEND_VERSION;
  for (int i = 0; d && i < 8; i++) {
    const tiny_backend *b = d->backends[i];
    const unsigned has = b ? b->version : want;
    if (has != want)
      return tiny_fail(t, TINY_E_DEVICE, "%.32s was compiled against another tiny.h: its backend has version %u.%u, "
                       "this one takes %u.%u; take both headers from one release", b->name ? b->name : "a backend",
                       has >> 16, has & 0xFFFF, want >> 16, want & 0xFFFF);
  }
  return TINY_OK;
}

// What writes the kernels of the device, as it is now: a compiler that was asked what it is may change it.
static void tn_device_renderer(struct tn_device *d) {
  memset(&d->renderer, 0, sizeof d->renderer);
  if (d->backend->renderer) d->backend->renderer(d->dev, &d->renderer);
  if (!d->renderer.kernel) tn_cstyle(&d->renderer);
}

// Of tiny_uop.device.
static const char *tn_device_name(const tiny_ctx *t, int device) {
  if (device == TN_SEVERAL) return "several devices";
  return device > 0 && device <= t->ndevice ? t->device[device - 1]->title : "no device";
}

// Of these dtypes those whose sums are the same in any order.
static uint64_t tn_exact_atomics(uint64_t dtypes) {
  for (int d = 0; d < TINY_DTYPE_COUNT; d++) if (!tn_is_int(d)) dtypes &= ~((uint64_t)1 << d);
  return dtypes;
}

static tiny_code tn_device_try(struct tn_device *d, const tiny_backend *b, const char *which) {
  memset(&d->limits, 0, sizeof d->limits);
  d->backend = b;
  d->dev = b->open(d->t, which, &d->limits);
  if (!d->dev) return tiny_fail(d->t, TINY_E_DEVICE, "device %s could not be opened", b->name);
  if (!TN_GPU && !d->limits.threads) {
    b->close(d->dev);
    d->dev = NULL;
    return tiny_fail(d->t, TINY_E_DEVICE, "device %s has a grid, which this build leaves out (TINY_NO_GPU)", b->name);
  }
  if (!d->t->atomics) d->limits.atomics = tn_exact_atomics(d->limits.atomics);
  d->limits.tf32 = d->t->tf32;
  d->plans = d->limits;
  snprintf(d->name, sizeof d->name, "%s%s%s", b->name, *which ? ":" : "", which);
  if (d->t->ndevice > 1) snprintf(d->title, sizeof d->title, "%s (device %d)", d->name, d->number);
  else snprintf(d->title, sizeof d->title, "%s", d->name);
  tn_device_renderer(d);
  const uint64_t dtypes = b->renderer ? d->renderer.dtypes : 0;
  if (dtypes && !(dtypes >> TINY_F64 & 1)) d->t->without_f64 |= (uint32_t)1 << d->number;
  return TINY_OK;
}

// Backends compile with nothing to unwind to: a refused allocation is recorded, and their own frames end as they do.
static tiny_code tn_device_compile(const struct tn_device *d, int n, const tiny_bytes *source, tiny_bytes *binary,
                                   tiny_bytes *log) {
  tiny_ctx *t = d->t;
  jmp_buf *const trap = t->trap;
  const tiny_code before = t->code;
  t->trap = NULL;
  t->shielded = 1;                         // what heavy code has in scratch memory stays
  const tiny_code code = d->backend->compile(d->dev, n, source, binary, log);
  t->shielded = 0;
  t->trap = trap;
  return code == TINY_OK && before == TINY_OK ? t->code : code;
}

static void tn_device_names(const tiny_desc *d, char *out, size_t nbytes) {
  size_t at = 0;
  for (int i = 0; i < 8 + TN_BACKENDS; i++) {
    const tiny_backend *b = i >= 8 ? tn_backends[i - 8] : d ? d->backends[i] : NULL;
    if (b && at < nbytes) at += (size_t)snprintf(out + at, nbytes - at, "%s%s", at ? ", " : "", b->name);
  }
}

// The first of the caller's backends that opens, or else the CPU.
static tiny_code tn_device_open_first(struct tn_device *d, const tiny_desc *desc) {
  for (int i = 0; desc && i < 8; i++) {
    if (!desc->backends[i]) continue;
    if (tn_device_try(d, desc->backends[i], "") == TINY_OK) return TINY_OK;
    d->t->code = TINY_OK;                  // the next one may do
  }
  return tn_device_try(d, &tn_cpu_backend, "");
}
// name: "NAME" or "NAME:WHICH".
static tiny_code tn_device_open_named(struct tn_device *d, const tiny_desc *desc, const char *name) {
  const char *colon = strchr(name, ':');
  const tiny_backend *b = tn_backend_find(desc, name, colon ? (size_t)(colon - name) : strlen(name));
  if (b) return tn_device_try(d, b, colon ? colon + 1 : "");
  char names[256];
  tn_device_names(desc, names, sizeof names);
  return tiny_fail(d->t, TINY_E_DEVICE, "there is no device %s; there are: %s", name, names);
}

// The devices of a list, NAME,NAME:1,..; all of them are counted before the first is opened.
static tiny_code tn_devices_open(tiny_ctx *t, const tiny_desc *desc) {
  const char *list = desc && desc->device ? desc->device : tn_os_env("TINY_DEV");
  t->ir->release = tn_storage_release;
  t->ir->device_name = tn_device_name;
  if (tn_backends_check(t, desc) != TINY_OK) return t->code;
  if (!list) list = "";
  int n = 1;
  for (const char *p = list; *p; p++) n += *p == ',';
  if (n > TINY_MAX_DEVICES)
    return tiny_fail(t, TINY_E_ARG, "open: %d devices are named, a context has up to %d", n, TINY_MAX_DEVICES);
  for (int i = 0; i < n; i++) {
    struct tn_device *d = t->device[i] = (struct tn_device *)tn_alloc(t, sizeof *d);
    if (!d) return TINY_E_MEMORY;
    d->t = t; d->number = i;
    t->ndevice = i + 1;
  }
  for (int i = 0; i < n; i++) {
    struct tn_device *d = t->device[i];
    char name[64];
    const size_t length = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, list);
    list += length + (list[length] == ',');
    d->max_nbytes = desc ? desc->max_nbytes : 0;
    if (desc && desc->max_nbytes_of && desc->max_nbytes_of[i]) d->max_nbytes = desc->max_nbytes_of[i];
    const tiny_code code = !*name && n == 1 ? tn_device_open_first(d, desc) : tn_device_open_named(d, desc, name);
    if (code != TINY_OK) return code;
  }
  return TINY_OK;
}

// Copies may go between any two: all of them finish what they have before the first one goes.
static void tn_devices_close(tiny_ctx *t) {
  for (int i = 0; i < t->ndevice; i++) {
    struct tn_device *d = t->device[i];
    if (d->dev) { tn_storage_give_back(d); d->backend->close(d->dev); }
    tn_release(t, d, sizeof *d);
    t->device[i] = NULL;
  }
  t->ndevice = 0;
}

static int tn_device_is_open(const tiny_ctx *t, int device) {
  return t && device >= 0 && device < t->ndevice && t->device[device]->dev;
}
TINY_API const char *tiny_device_name(const tiny_ctx *t, int device) {
  return tn_device_is_open(t, device) ? t->device[device]->name : "";
}
TINY_API void *tiny_device_handle(const tiny_ctx *t, int device) {
  return tn_device_is_open(t, device) ? t->device[device]->dev : NULL;
}
TINY_API int tiny_device_count(const tiny_ctx *t) { return t ? t->ndevice : 0; }
TINY_API tiny_stats tiny_device_stats(const tiny_ctx *t, int device) {
  tiny_stats none;
  memset(&none, 0, sizeof none);
  return tn_device_is_open(t, device) ? t->device[device]->stats : none;
}
TINY_API int tiny_use_device(tiny_ctx *t, int device) {
  if (!t || !t->tensors) return -1;
  const int before = t->here;
  if (tn_device_is_open(t, device)) { t->here = device; return before; }
  tiny_fail(t, TINY_E_ARG, "use_device: there is no device %d, but %d, counted from 0", device, t->ndevice);
  return -1;
}
#endif
