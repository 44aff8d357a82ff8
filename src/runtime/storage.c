// storage: the memory of a device: what BUFFER nodes point to.
//
// In:    sizes and BUFFERs. Out: storage, taken from the device or from what was freed before.
// Holds: several nodes share one storage when assignment makes new states of it. Freed memory is kept by size and taken
//        again, and given back when the device or the cap is short.
#ifndef TN_RUNTIME_STORAGE
#define TN_RUNTIME_STORAGE
#ifndef TINY_AMALGAMATED
#include "../base/files.c"
#include "../tensor/tensor.c"
#endif

enum { TN_SIZE_CLASSES = 1024, TN_SIZE_STEPS = 16 };   // STEPS: classes for each power of two
struct tn_device {
  const tiny_backend *backend; void *dev;
  tiny_limits limits; tiny_renderer renderer; char name[64];
  tn_storage *live, *loose, *spare[TN_SIZE_CLASSES];   // loose: not owned by nodes yet
  size_t spare_nbytes, collected_nbytes;   // kept for later; live after the last collection
  uint64_t stamp[2];                       // of the launch that is timed: here, it outlives an error
};

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
#endif
