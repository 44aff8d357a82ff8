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

static const tiny_backend *tn_backend_find(const tiny_desc *d, const char *name, size_t n) {
  for (int i = 0; d && i < 8; i++)
    if (d->backends[i] && strlen(d->backends[i]->name) == n && !strncmp(d->backends[i]->name, name, n))
      return d->backends[i];
  for (int i = 0; i < TN_BACKENDS; i++)
    if (strlen(tn_backends[i]->name) == n && !strncmp(tn_backends[i]->name, name, n)) return tn_backends[i];
  return NULL;
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

static tiny_code tn_device_try(tiny_ctx *t, const tiny_backend *b, const char *which) {
  struct tn_device *d = t->device;
  memset(&d->limits, 0, sizeof d->limits);
  d->backend = b;
  d->dev = b->open(t, which, &d->limits);
  if (!d->dev) return tiny_fail(t, TINY_E_DEVICE, "device %s could not be opened", b->name);
  snprintf(d->name, sizeof d->name, "%s%s%s", b->name, *which ? ":" : "", which);
  tn_device_renderer(d);
  return TINY_OK;
}

// Backends compile with nothing to unwind to: a refused allocation is recorded, and their own frames end as they do.
static tiny_code tn_device_compile(tiny_ctx *t, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  const struct tn_device *d = t->device;
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

static tiny_code tn_device_open(tiny_ctx *t, const tiny_desc *desc) {
  const char *name = desc && desc->device ? desc->device : tn_os_env("TINY_DEV");
  t->device = (struct tn_device *)tn_alloc(t, sizeof *t->device);
  if (!t->device) return TINY_E_MEMORY;
  t->ir->release = tn_storage_release;
  if (tn_backends_check(t, desc) != TINY_OK) return t->code;
  if (!name || !*name) {
    for (int i = 0; desc && i < 8; i++) {
      if (!desc->backends[i] || tn_device_try(t, desc->backends[i], "") == TINY_OK) {
        if (t->device->dev) return TINY_OK;
        continue;
      }
      t->code = TINY_OK;                   // the next one may do
    }
    return tn_device_try(t, &tn_cpu_backend, "");
  }
  const char *colon = strchr(name, ':');
  const tiny_backend *b = tn_backend_find(desc, name, colon ? (size_t)(colon - name) : strlen(name));
  if (b) return tn_device_try(t, b, colon ? colon + 1 : "");
  char names[256];
  tn_device_names(desc, names, sizeof names);
  return tiny_fail(t, TINY_E_DEVICE, "there is no device %s; there are: %s", name, names);
}

static void tn_device_close(tiny_ctx *t) {
  struct tn_device *d = t->device;
  if (!d) return;
  if (d->dev) { tn_storage_drop_loose(t); tn_storage_give_back(t); d->backend->close(d->dev); }
  tn_release(t, d, sizeof *d);
  t->device = NULL;
}

TINY_API const char *tiny_device(const tiny_ctx *t) { return t && t->device ? t->device->name : ""; }
#endif
