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
  tiny_ctx *t; int number;                 // in t->device
  const tiny_backend *backend; void *dev;
  struct tn_programs *programs;            // that run here; devices of one kind share them
  tiny_stats stats; size_t max_nbytes;     // its own part of the context's; 0: no cap
  tiny_limits limits, plans;               // plans: those for which graphs are cut into kernels
  tiny_renderer renderer; char name[64], title[96];     // title: with its number, among others
  tn_storage *live, *loose, *spare[TN_SIZE_CLASSES];   // loose: not owned by nodes yet
  size_t spare_nbytes;                     // kept for later
  uint64_t stamp[2];                       // of the launch that is timed: here, it outlives an error
  struct tn_observed_part *observed;       // launches that are looked at (runtime/observe.c), the newest first
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

// The device of a node: that of its memory or its sources, or the one where what names none goes.
static struct tn_device *tn_device_of(const tiny_ctx *t, const tiny_uop *u) {
  return t->device[u->device ? u->device - 1 : t->here];
}

// The device where what names none goes.
static struct tn_device *tn_device_here(const tiny_ctx *t) { return t->device[t->here]; }

static void tn_storage_give_back(struct tn_device *d) {
  for (int c = 0; c < TN_SIZE_CLASSES; c++) while (d->spare[c]) {
    tn_storage *s = d->spare[c];
    tn_storage_unlink(&d->spare[c], s);
    d->backend->free(d->dev, s->mem, s->nbytes);
    tn_release(d->t, s, sizeof *s);
  }
  d->spare_nbytes = 0;
}

// The class from which a size is taken: what is a quarter too large will do.
static int tn_storage_spare(const struct tn_device *d, int c) {
  for (int i = 0; i <= TN_SIZE_STEPS / 4; i++) if (d->spare[c + i]) return c + i;
  return c;
}

// Live memory of the device, and of all devices, grows by nbytes or shrinks.
static void tn_storage_count(struct tn_device *d, size_t more, size_t less) {
  tiny_stats *const stats[2] = {&d->stats, &d->t->stats};
  for (int i = 0; i < 2; i++) {
    stats[i]->nbytes_live += more - less;
    if (stats[i]->nbytes_live > stats[i]->nbytes_peak) stats[i]->nbytes_peak = stats[i]->nbytes_live;
  }
}

// Memory that was not there before, of a size class; NULL after an error.
static TN_COLD tn_storage *tn_storage_alloc(struct tn_device *d, size_t rounded) {
  const size_t live = (size_t)d->stats.nbytes_live, most = d->max_nbytes;
  if (d->spare_nbytes > d->stats.nbytes_peak) tn_storage_give_back(d);     // sizes that are not asked for any more
  if (most && live + d->spare_nbytes + rounded > most) tn_storage_give_back(d);
  if (most && live + rounded > most) {
    tiny_fail(d->t, TINY_E_MEMORY, "buffers: %s has %llu bytes live and %llu wanted, more than max_nbytes %llu",
              d->title, (unsigned long long)live, (unsigned long long)rounded, (unsigned long long)most);
    return NULL;
  }
  tn_storage *s = (tn_storage *)tn_alloc(d->t, sizeof *s);
  if (!s) return NULL;
  s->device = d;
  s->mem = d->backend->alloc(d->dev, rounded);
  if (!s->mem) { tn_storage_give_back(d); s->mem = d->backend->alloc(d->dev, rounded); }
  s->nbytes = rounded;
  if (s->mem) return s;
  tn_release(d->t, s, sizeof *s);
  tiny_fail(d->t, TINY_E_MEMORY, "buffers: %s has no %llu bytes left", d->title, (unsigned long long)rounded);
  return NULL;
}

static tn_storage *tn_storage_new(struct tn_device *d, size_t nbytes) {
  int c;
  const size_t rounded = tn_size_class(nbytes ? nbytes : 1, &c);
  c = tn_storage_spare(d, c);
  tn_storage *s = d->spare[c];
  if (s) { tn_storage_unlink(&d->spare[c], s); d->spare_nbytes -= s->nbytes; }
  else if (!(s = tn_storage_alloc(d, rounded))) return NULL;
  s->refs = s->loose = 1;
  s->written = s->left = 0;
  s->state = NULL; s->since = 0; s->later = NULL;
  s->bound = s->updated = 0;
  tn_storage_link(&d->loose, s);
  tn_storage_count(d, s->nbytes, 0);
  return s;
}

static void tn_storage_unused(tiny_ctx *t, tn_storage *s) {
  struct tn_device *d = s->device;
  s->later = NULL;
  tn_storage_unlink(s->loose ? &d->loose : &d->live, s);
  s->loose = 0;
  if (s->pages) {                          // kernels that read them may not have run
    d->backend->sync(d->dev);
    tn_os_unmap_pages(s->pages, s->pages_nbytes);
  }
  if (s->borrowed) { tn_release(t, s, sizeof *s); return; }
  int c;
  tn_size_class(s->nbytes, &c);
  tn_storage_count(d, 0, s->nbytes);
  d->spare_nbytes += s->nbytes;
  tn_storage_link(&d->spare[c], s);
}
static void tn_storage_drop(tiny_ctx *t, tn_storage *s) {
  while (s && !--s->refs) {
    tn_storage *later = s->later;
    tn_storage_unused(t, s);
    s = later;
  }
}
// What a call that ran out of memory has left behind, or no longer needs.
static void tn_storage_drop_loose(tiny_ctx *t) {
  for (int i = 0; i < t->ndevice; i++) while (t->device[i]->loose) tn_storage_drop(t, t->device[i]->loose);
}
// The call that made the storage leaves its reference to someone who drops it later.
static void tn_storage_hold(tn_storage *s) {
  if (!s || !s->loose) return;
  tn_storage_unlink(&s->device->loose, s);
  tn_storage_link(&s->device->live, s);
  s->loose = 0;
}
static void tn_storage_release(tiny_ctx *t, tiny_uop *buffer) {
  tn_storage *s = (tn_storage *)buffer->ptr;
  if (s && s->state == buffer) s->state = NULL;
  if (s && buffer->flags & TN_NODE_BOUND) s->bound--;
  tn_storage_drop(t, s);
}
// Does the caller, or a program, write it whenever they like? What is computed from it is computed anew each time.
static int tn_storage_changes(const tn_storage *s) { return tn_storage_is_callers(s) || s->updated; }

// A BUFFER node over storage, which it owns a reference of: that of the call that made the storage, or one more.
static tiny_uop *tn_buffer_node(tiny_ctx *t, tn_storage *s, int dtype, int64_t nelem) {
  tiny_uop *u = tn_uop_make_with(t, TINY_OP_BUFFER, dtype, 1, 0, NULL, ++t->ir->buffers, 1, &nelem, s);
  if (u == &t->ir->bad) { if (s->loose) tn_storage_drop(t, s); return u; }
  u->device = (uint8_t)(s->device->number + 1);
  s->state = u;
  if (s->loose) tn_storage_hold(s); else s->refs++;
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
// u names what its memory holds from now on; those before name it no longer.
static void tn_buffer_next(tiny_uop *u) {
  tn_storage *s = (tn_storage *)u->ptr;
  s->state = u; s->since = u->k;
}

// ** what was built from contents that are overwritten keeps them **

// `old` names s, which is loose, from now on: the contents that it was made for are there.
static void tn_buffer_part(tiny_uop *old, tn_storage *s) {
  tn_storage *from = (tn_storage *)old->ptr;
  old->ptr = s;
  s->state = old;
  tn_storage_hold(s);
  if (from->state == old) from->state = NULL;
  s->later = from;                         // with the reference that `old` had
}
static void tn_storage_swap(tn_storage *a, tn_storage *b) {
  const tn_storage was = *a;
  a->mem = b->mem; a->nbytes = b->nbytes; a->borrowed = b->borrowed;
  a->pages = b->pages; a->pages_nbytes = b->pages_nbytes;
  b->mem = was.mem; b->nbytes = was.nbytes; b->borrowed = was.borrowed;
  b->pages = was.pages; b->pages_nbytes = was.pages_nbytes;
}
// Where the host sees what s holds, after sync and until something that uses it is launched; NULL: nowhere.
static void *tn_storage_view(const tn_storage *s, size_t nbytes) {
  const struct tn_device *d = s->device;
  const tiny_mem m = {s->mem, 0};
  return d->limits.host_memory ? s->mem : d->backend->map ? d->backend->map(d->dev, m, nbytes) : NULL;
}
// Loose memory with what s holds: NULL after an error. Heavy code only.
static tn_storage *tn_storage_copy(tiny_ctx *t, const tn_storage *s, size_t nbytes) {
  struct tn_device *d = s->device;
  tn_storage *copy = tn_storage_new(d, nbytes);
  if (!copy) return NULL;
  const tiny_mem from = {s->mem, 0}, to = {copy->mem, 0};
  void *const seen = tn_storage_view(s, nbytes), *const between = seen ? seen : tn_scratch_bare(t, nbytes + 1);
  tiny_code code = d->backend->sync(d->dev);
  if (code == TINY_OK && nbytes && !seen) code = d->backend->copy_out(d->dev, between, from, nbytes);
  if (code == TINY_OK && nbytes) code = d->backend->copy_in(d->dev, to, between, nbytes);
  if (code == TINY_OK) return copy;
  tn_storage_drop(t, copy);
  return NULL;
}
#endif
