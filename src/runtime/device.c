// device: which backend a context runs on, and the memory of its buffers.
//
// Storage is what BUFFER nodes point to; several nodes share one when assignment makes new states of it. Freed memory
// is kept by size and taken again, and given back when the device or the cap is short.
#ifndef TN_RUNTIME_DEVICE
#define TN_RUNTIME_DEVICE
#ifndef TINY_AMALGAMATED
#include "null.c"
#include "interp.c"
#include "../tensor/tensor.c"
#include "../render/cstyle.c"
#endif

enum { TN_SIZE_CLASSES = 1024, TN_SIZE_STEPS = 16 };   // STEPS: classes for each power of two
struct tn_device {
  const tiny_backend *backend; void *dev;
  tiny_limits limits; tiny_renderer renderer; char name[64];
  tn_storage *live, *loose, *spare[TN_SIZE_CLASSES];   // loose: not owned by nodes yet
  size_t spare_nbytes, collected_nbytes;   // kept for later; live after the last collection
  uint64_t stamp[2];                       // of the launch that is timed: here, it outlives an error
};

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

// Classes from 256 bytes on: less than 64 bytes or a sixteenth is wasted.
static size_t tn_size_class(size_t nbytes, int *number) {
  size_t step = 64, n = 0;
  if (nbytes < 256) nbytes = 256;
  while (step * 2 * TN_SIZE_STEPS < nbytes) { step *= 2; n += TN_SIZE_STEPS; }
  const size_t steps = (nbytes + step - 1) / step;
  *number = (int)(n + steps);
  return step * steps;
}

static void tn_storage_unlink(tn_storage **list, tn_storage *s) {
  if (s->prev) s->prev->next = s->next; else *list = s->next;
  if (s->next) s->next->prev = s->prev;
}
static void tn_storage_link(tn_storage **list, tn_storage *s) {
  s->prev = NULL; s->next = *list;
  if (*list) (*list)->prev = s;
  *list = s;
}

static void tn_storage_give_back(tiny_ctx *t) {
  struct tn_device *d = t->device;
  for (int c = 0; c < TN_SIZE_CLASSES; c++) while (d->spare[c]) {
    tn_storage *s = d->spare[c];
    tn_storage_unlink(&d->spare[c], s);
    d->backend->free(d->dev, s->mem, s->nbytes);
    tn_release(t, s, sizeof *s);
  }
  d->spare_nbytes = 0;
}

// The class from which a size is taken: what is a quarter too large will do.
static int tn_storage_spare(const struct tn_device *d, int c) {
  for (int i = 0; i <= TN_SIZE_STEPS / 4; i++) if (d->spare[c + i]) return c + i;
  return c;
}

static tn_storage *tn_storage_new(tiny_ctx *t, size_t nbytes) {
  struct tn_device *d = t->device;
  int c;
  const size_t rounded = tn_size_class(nbytes ? nbytes : 1, &c);
  c = tn_storage_spare(d, c);
  tn_storage *s = d->spare[c];
  if (s) { tn_storage_unlink(&d->spare[c], s); d->spare_nbytes -= s->nbytes; }
  else {
    if (d->spare_nbytes > t->stats.nbytes_peak) tn_storage_give_back(t);   // sizes that are not asked for any more
    if (t->max_nbytes && t->stats.nbytes_live + d->spare_nbytes + rounded > t->max_nbytes)
      tn_storage_give_back(t);
    if (t->max_nbytes && t->stats.nbytes_live + rounded > t->max_nbytes) {
      tiny_fail(t, TINY_E_MEMORY, "buffers: %llu bytes live and %llu wanted, more than max_nbytes %llu",
                (unsigned long long)t->stats.nbytes_live, (unsigned long long)rounded,
                (unsigned long long)t->max_nbytes);
      return NULL;
    }
    s = (tn_storage *)tn_alloc(t, sizeof *s);
    if (!s) return NULL;
    s->mem = d->backend->alloc(d->dev, rounded);
    if (!s->mem) { tn_storage_give_back(t); s->mem = d->backend->alloc(d->dev, rounded); }
    if (!s->mem) {
      tn_release(t, s, sizeof *s);
      tiny_fail(t, TINY_E_MEMORY, "buffers: %s has no %llu bytes left", d->name, (unsigned long long)rounded);
      return NULL;
    }
    s->nbytes = rounded;
  }
  s->refs = s->loose = 1;
  s->written = s->left = 0;
  s->state = NULL; s->since = 0;
  s->bound = s->updated = 0;
  tn_storage_link(&d->loose, s);
  t->stats.nbytes_live += s->nbytes;
  if (t->stats.nbytes_live > t->stats.nbytes_peak) t->stats.nbytes_peak = t->stats.nbytes_live;
  return s;
}

static void tn_storage_drop(tiny_ctx *t, tn_storage *s) {
  struct tn_device *d = t->device;
  if (!s || --s->refs) return;
  tn_storage_unlink(s->loose ? &d->loose : &d->live, s);
  s->loose = 0;
  if (s->pages) {                          // kernels that read them may not have run
    d->backend->sync(d->dev);
    tn_os_unmap_pages(s->pages, s->pages_nbytes);
  }
  if (s->borrowed) { tn_release(t, s, sizeof *s); return; }
  int c;
  tn_size_class(s->nbytes, &c);
  t->stats.nbytes_live -= s->nbytes;
  d->spare_nbytes += s->nbytes;
  tn_storage_link(&d->spare[c], s);
}
// What a call that ran out of memory has left behind, or no longer needs.
static void tn_storage_drop_loose(tiny_ctx *t) {
  while (t->device->loose) tn_storage_drop(t, t->device->loose);
}
// The call that made the storage leaves its reference to someone who drops it later.
static void tn_storage_hold(tiny_ctx *t, tn_storage *s) {
  if (!s || !s->loose) return;
  tn_storage_unlink(&t->device->loose, s);
  tn_storage_link(&t->device->live, s);
  s->loose = 0;
}
static void tn_storage_release(tiny_ctx *t, tiny_uop *buffer) {
  tn_storage *s = (tn_storage *)buffer->ptr;
  if (s && s->state == buffer) s->state = NULL;
  if (s && buffer->flags & TN_NODE_BOUND) s->bound--;
  tn_storage_drop(t, s);
}
// Does the caller, or a program, write it whenever they like? What is computed from it is computed anew each time.
static int tn_storage_is_callers(const tn_storage *s) { return s->borrowed && !s->pages; }
static int tn_storage_changes(const tn_storage *s) { return tn_storage_is_callers(s) || s->updated; }

// A BUFFER node over storage, which it owns a reference of: that of the call that made the storage, or one more.
static tiny_uop *tn_buffer_node(tiny_ctx *t, tn_storage *s, int dtype, int64_t nelem) {
  struct tn_device *d = t->device;
  tiny_uop *u = tn_uop_make_with(t, TINY_OP_BUFFER, dtype, 1, 0, NULL, ++t->ir->buffers, 1, &nelem, s);
  if (u == &t->ir->bad) { if (s->loose) tn_storage_drop(t, s); return u; }
  s->state = u;
  if (!s->loose) { s->refs++; return u; }
  tn_storage_unlink(&d->loose, s);
  tn_storage_link(&d->live, s);
  s->loose = 0;
  return u;
}
// A BUFFER that does not name what s holds now.
static tiny_uop *tn_buffer_unnamed(tiny_ctx *t, tn_storage *s, int dtype, int64_t nelem) {
  tiny_uop *state = s->state, *u = tn_buffer_node(t, s, dtype, nelem);
  s->state = state;
  return u;
}
// For a program: it names the memory, whatever that holds.
static tiny_uop *tn_buffer_bound(tiny_ctx *t, tn_storage *s, int dtype, int64_t nelem) {
  tiny_uop *u = tn_buffer_unnamed(t, s, dtype, nelem);
  if (u == &t->ir->bad) return u;
  u->flags |= TN_NODE_BOUND;
  s->bound++;
  return u;
}
// Were the contents that u, a BUFFER, was made for overwritten? What the caller writes is promised to nobody.
static int tn_buffer_is_gone(const tiny_uop *u) {
  const tn_storage *s = (const tn_storage *)u->ptr;
  return u->k < s->since && !(u->flags & TN_NODE_BOUND) && !tn_storage_is_callers(s);
}
// u names what its memory holds from now on; those before name it no longer.
static void tn_buffer_next(tiny_uop *u) {
  tn_storage *s = (tn_storage *)u->ptr;
  s->state = u; s->since = u->k;
}

// ** what was built from contents that are overwritten keeps them **

// `old` names s, which is loose, from now on: the contents that it was made for are there.
static void tn_buffer_part(tiny_ctx *t, tiny_uop *old, tn_storage *s) {
  tn_storage *from = (tn_storage *)old->ptr;
  old->ptr = s;
  s->state = old;
  tn_storage_hold(t, s);
  if (from->state == old) from->state = NULL;
  tn_storage_drop(t, from);
}
static void tn_storage_swap(tn_storage *a, tn_storage *b) {
  const tn_storage was = *a;
  a->mem = b->mem; a->nbytes = b->nbytes; a->borrowed = b->borrowed;
  a->pages = b->pages; a->pages_nbytes = b->pages_nbytes;
  b->mem = was.mem; b->nbytes = was.nbytes; b->borrowed = was.borrowed;
  b->pages = was.pages; b->pages_nbytes = was.pages_nbytes;
}
// Where the host sees what s holds, after sync and until something that uses it is launched; NULL: nowhere.
static void *tn_storage_view(const tiny_ctx *t, const tn_storage *s, size_t nbytes) {
  const struct tn_device *d = t->device;
  const tiny_mem m = {s->mem, 0};
  return d->limits.host_memory ? s->mem : d->backend->map ? d->backend->map(d->dev, m, nbytes) : NULL;
}
// Loose memory with what s holds: NULL after an error. Heavy code only.
static tn_storage *tn_storage_copy(tiny_ctx *t, const tn_storage *s, size_t nbytes) {
  struct tn_device *d = t->device;
  tn_storage *copy = tn_storage_new(t, nbytes);
  if (!copy) return NULL;
  const tiny_mem from = {s->mem, 0}, to = {copy->mem, 0};
  void *const seen = tn_storage_view(t, s, nbytes), *const between = seen ? seen : tn_scratch_bare(t, nbytes + 1);
  tiny_code code = d->backend->sync(d->dev);
  if (code == TINY_OK && nbytes && !seen) code = d->backend->copy_out(d->dev, between, from, nbytes);
  if (code == TINY_OK && nbytes) code = d->backend->copy_in(d->dev, to, between, nbytes);
  if (code == TINY_OK) return copy;
  tn_storage_drop(t, copy);
  return NULL;
}

// ** choosing a device **

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
