// loader: batches of a data set, made ready on a thread while the context computes.
//
// In:    arrays of n items: tensors, memory, or a function that fetches an item. Out: batches, in the data's order or,
//        for every epoch, another one that the seed decides.
// Holds: the context's thread alone asks for memory, makes tensors and records errors. Batches are counted through all
//        epochs; batch b lies in slot b modulo their number from when the thread made it (b < made) to when the context
//        took it (b < taken). made and taken change under the lock; a slot belongs to one thread at a time.
// Without a thread (TINY_NO_THREADS, prefetch < 0, a system that refuses it, a child of fork) a batch is made when it
// is asked for. It is the same one: what it holds depends on its number alone.
#ifndef TN_RUNTIME_LOADER
#define TN_RUNTIME_LOADER
#ifndef TINY_AMALGAMATED
#include "replay.c"
#endif

struct tiny_loader {
  tiny_loader *next, **link;               // of the context
  tiny_ctx *t;
  tiny_loader_desc d;                      // batch, prefetch and n are set
  int64_t batches;                         // of an epoch
  size_t each[TINY_LOADER_ARRAYS], begin[TINY_LOADER_ARRAYS];          // bytes of an item; where a slot has the array
  char *slots; size_t slot_nbytes, nbytes; int nslot;
  int64_t *order, ordered;                 // of items, if they are shuffled; of which epoch, -1: none
  int64_t made, taken;
  int failed; int64_t failed_item;         // batch `made` cannot be made: of that item
  int told;                                // that the last epoch is at its end
  uint32_t frame;                          // that tiny_loader_each opened; 0: none
#ifndef TINY_NO_THREADS
  int started, quit;
  tn_pool_home home;
  tn_os_thread thread;
  tn_os_mutex lock; tn_os_cond work, done;
#endif
};

// ** making a batch: on either thread **

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: SplitMix64.
static uint64_t tn_loader_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}
// The order of an epoch: Fisher and Yates.
static void tn_loader_shuffle(tiny_loader *l, int64_t epoch) {
  uint64_t state = l->d.seed;
  state = tn_loader_random(&state) + (uint64_t)epoch;
  for (int64_t i = 0; i < l->d.n; i++) l->order[i] = i;
  for (int64_t i = l->d.n - 1; i > 0; i--) {
    const int64_t j = (int64_t)(tn_loader_random(&state) % ((uint64_t)i + 1)), item = l->order[i];
    l->order[i] = l->order[j]; l->order[j] = item;
  }
  l->ordered = epoch;
}
static int64_t tn_loader_items(const tiny_loader *l, int64_t batch) {
  const int64_t first = batch % l->batches * l->d.batch;
  return l->d.n - first < l->d.batch ? l->d.n - first : l->d.batch;
}
static char *tn_loader_slot(const tiny_loader *l, int64_t batch) {
  return l->slots + (size_t)(batch % l->nslot) * l->slot_nbytes;
}
// Item number `item` as the i-th of a batch.
static int tn_loader_item(const tiny_loader *l, char *slot, int64_t i, int64_t item) {
  void *out[TINY_LOADER_ARRAYS];
  int fetches = 0;
  for (int k = 0; k < l->d.narray; k++) {
    const tiny_loader_array *a = &l->d.array[k];
    char *to = slot + l->begin[k] + (size_t)i * l->each[k];
    const int32_t row = (int32_t)item;
    out[k] = NULL;
    if (a->tensor) memcpy(to, &row, sizeof row);
    else if (a->data) memcpy(to, (const char *)a->data + (size_t)item * l->each[k], l->each[k]);
    else { out[k] = to; fetches = 1; }
  }
  return !fetches || l->d.fetch(l->d.user, item, out);
}
// Makes a batch in its slot; 0: l->failed_item could not be fetched.
static int tn_loader_make(tiny_loader *l, int64_t batch) {
  const int64_t epoch = l->d.epoch + batch / l->batches, first = batch % l->batches * l->d.batch;
  const int64_t items = tn_loader_items(l, batch);
  char *slot = tn_loader_slot(l, batch);
  if (l->order && l->ordered != epoch) tn_loader_shuffle(l, epoch);
  for (int64_t i = 0; i < items; i++) {
    const int64_t item = l->order ? l->order[first + i] : first + i;
    if (tn_loader_item(l, slot, i, item)) continue;
    l->failed_item = item;
    return 0;
  }
  for (int k = 0; l->d.lengths && k < l->d.narray; k++)      // what lies behind a length
    memset(slot + l->begin[k] + (size_t)items * l->each[k], 0, (size_t)(l->d.batch - items) * l->each[k]);
  return 1;
}
// The batch that is next, here and now; 0: it cannot be made.
static int tn_loader_make_here(tiny_loader *l) {
  if (l->failed || l->made > l->taken) return !l->failed;
  if (tn_loader_make(l, l->taken)) l->made = l->taken + 1; else l->failed = 1;
  return !l->failed;
}

// ** the thread **

#ifdef TINY_NO_THREADS
static void tn_loader_start(tiny_loader *l) { (void)l; }
static void tn_loader_stop(tiny_loader *l) { (void)l; }
static int tn_loader_wait(tiny_loader *l) { return tn_loader_make_here(l); }
static void tn_loader_took(tiny_loader *l) { l->taken++; }
#else
static void tn_loader_work(void *arg) {
  tiny_loader *l = (tiny_loader *)arg;
  tn_os_lock(&l->lock);
  for (;;) {
    while (!l->quit && l->made - l->taken >= l->nslot) tn_os_wait(&l->work, &l->lock);
    if (l->quit) break;
    const int64_t batch = l->made;         // which no other thread changes
    tn_os_unlock(&l->lock);
    const int made = tn_loader_make(l, batch);
    tn_os_lock(&l->lock);
    if (made) l->made++; else l->failed = 1;
    tn_os_wake_one(&l->done);
    if (!made) break;
  }
  tn_os_unlock(&l->lock);
}
// What a thread needs, which is none any more, or has not begun.
static void tn_loader_close_thread(tiny_loader *l) {
  tn_pool_home_close(&l->home);
  tn_os_cond_close(&l->work);
  tn_os_cond_close(&l->done);
  tn_os_mutex_close(&l->lock);
  l->started = 0;
}
static void tn_loader_start(tiny_loader *l) {
  if (l->d.prefetch < 0 || !l->batches) return;
  tn_os_mutex_open(&l->lock);
  tn_os_cond_open(&l->work);
  tn_os_cond_open(&l->done);
  tn_pool_home_open(&l->home);
  l->started = tn_os_thread_start(&l->thread, tn_loader_work, l);
  if (!l->started) tn_loader_close_thread(l);
}
// In a child of fork the thread is the parent's, and may have held the lock: what it was at is made again here.
static void tn_loader_recover(tiny_loader *l) {
  if (!l->started || !tn_pool_home_left(&l->home)) return;
  tn_pool_home_close(&l->home);
  l->started = 0;
  l->made = l->taken; l->ordered = -1;
}
static void tn_loader_stop(tiny_loader *l) {
  tn_loader_recover(l);
  if (!l->started) return;
  tn_os_lock(&l->lock);
  l->quit = 1;
  tn_os_wake_one(&l->work);
  tn_os_unlock(&l->lock);
  tn_os_thread_join(&l->thread);
  tn_loader_close_thread(l);
}
// Until the next batch is made; 0: it cannot be.
static int tn_loader_wait(tiny_loader *l) {
  tn_loader_recover(l);
  if (!l->started) return tn_loader_make_here(l);
  tn_os_lock(&l->lock);
  while (l->made <= l->taken && !l->failed) tn_os_wait(&l->done, &l->lock);
  const int made = l->made > l->taken;
  tn_os_unlock(&l->lock);
  return made;
}
// The slot of the batch that was taken is the thread's again.
static void tn_loader_took(tiny_loader *l) {
  if (!l->started) { l->taken++; return; }
  tn_os_lock(&l->lock);
  l->taken++;
  tn_os_wake_one(&l->work);
  tn_os_unlock(&l->lock);
}
#endif

// ** opening and closing **

static int tn_loader_wrong(tiny_ctx *t, const char *what, int64_t value) {
  tiny_fail(t, TINY_E_ARG, "loader_open: %s (%lld)", what, (long long)value);
  return 0;
}
// What there is to know of array k; 0: it is wrong. all: every item of the tensors, whose number is d->n when one has
// told it, and -1 before.
static int tn_loader_array_check(tiny_ctx *t, tiny_loader_desc *d, int k, int all) {
  char text[TN_DIMS_TEXT];
  tiny_loader_array *a = &d->array[k];
  tiny_tensor *out;
  if (!a->tensor) {
    if (!a->data && !d->fetch) return tn_loader_wrong(t, "an array with neither tensor, data nor fetch", k);
    return tn_dtype_check(t, "loader_open", a->dtype) && tn_shape_valid(t, "loader_open", &a->shape) &&
           (a->shape.ndim < TINY_MAX_DIMS || tn_loader_wrong(t, "too many dims of an item", a->shape.ndim));
  }
  if (!tn_usable_in(t, "loader_open", 1, &a->tensor, &out)) return 0;
  const tiny_uop *u = tn_uop_of(a->tensor);
  if (d->n < 0 && u->ndim) d->n = u->dim[0];
  if (u->extent || !u->ndim || u->dim[0] < d->n || (all && u->dim[0] != d->n) || d->n > INT32_MAX) {
    tiny_fail(t, TINY_E_SHAPE, "loader_open: %s does not hold %lld items along its first dim", tn_text_of(u, text),
              (long long)d->n);
    return 0;
  }
  a->dtype = TINY_I32;                     // of a batch the rows are kept
  a->shape.ndim = 0;
  return 1;
}
static int tn_loader_says(const tiny_loader_array *a) { return a->tensor || a->data || a->dtype; }
static int tn_loader_check(tiny_ctx *t, tiny_loader_desc *d) {
  const int counts = !d->narray;
  while (counts && d->narray < TINY_LOADER_ARRAYS && tn_loader_says(&d->array[d->narray])) d->narray++;
  if (d->narray < 1 || d->narray > TINY_LOADER_ARRAYS) return tn_loader_wrong(t, "1 to 8 arrays", d->narray);
  const int64_t numbers[4] = {d->n, d->batch, d->epochs, d->epoch};
  for (int i = 0; i < 4; i++)
    if (numbers[i] < 0 || numbers[i] > INT64_MAX / 2)
      return tn_loader_wrong(t, "n, batch, epochs and epoch are from 0 to 2^62", numbers[i]);
  const int all = !d->n;
  if (all) d->n = -1;
  for (int k = 0; k < d->narray; k++) if (!tn_loader_array_check(t, d, k, all)) return 0;
  if (d->n < 0) return tn_loader_wrong(t, "no tensor tells how many items there are; n", 0);
  if (!d->batch) d->batch = 32;
  if (!d->epochs) d->epochs = 1;
  if (d->batch > INT32_MAX) return tn_loader_wrong(t, "a batch beyond 2^31", d->batch);
  if (!d->prefetch) d->prefetch = 2;
  return 1;
}
// How large everything is; 0: too large.
static int tn_loader_measure(tiny_loader *l) {
  TN_FLOAT_MODE;
  const tiny_loader_desc *d = &l->d;
  double sum = 0;
  size_t at = 0;
  const int64_t most = d->lengths || d->batch < d->n ? d->batch : d->n;        // items that a batch has
  l->nslot = d->prefetch > 0 ? d->prefetch : 1;
  for (int k = 0; k < d->narray; k++) {
    const double items = (double)tn_dims_nelem(d->array[k].shape.ndim, d->array[k].shape.dim);
    sum += (items * tn_dtypes[d->array[k].dtype].nbytes * (double)most + 64) * l->nslot;
  }
  sum += (double)d->n * (double)sizeof *l->order;
  if (sum > (double)(SIZE_MAX / 4))
    return tn_loader_wrong(l->t, "batches larger than memory; their items", d->batch);
  for (int k = 0; k < d->narray; k++) {
    l->each[k] = (size_t)tn_dims_nelem(d->array[k].shape.ndim, d->array[k].shape.dim) *
                 tn_dtypes[d->array[k].dtype].nbytes;
    l->begin[k] = at;
    at += ((size_t)most * l->each[k] + 63) / 64 * 64;
  }
  l->slot_nbytes = at;
  l->nbytes = at * (size_t)l->nslot + 1;
  l->batches = d->drop_last ? d->n / d->batch : d->n / d->batch + (d->n % d->batch != 0);
  return 1;
}
TINY_API void tiny_loader_close(tiny_loader *l) {
  if (!l) return;
  tn_loader_stop(l);
  if (l->next) l->next->link = l->link;
  *l->link = l->next;
  tn_release(l->t, l->slots, l->nbytes);
  tn_release(l->t, l->order, ((size_t)l->d.n + 1) * sizeof *l->order);
  tn_release(l->t, l, sizeof *l);
}
static void tn_loaders_close(tiny_ctx *t) { while (t->loaders) tiny_loader_close(t->loaders); }

TINY_API tiny_loader *tiny_loader_open(tiny_ctx *t, const tiny_loader_desc *desc) {
  if (!tn_runs(t)) return NULL;
  if (!desc) { tiny_fail(t, TINY_E_ARG, "loader_open: the descriptor is NULL"); return NULL; }
  tiny_loader_desc d = *desc;
  if (!tn_loader_check(t, &d)) return NULL;
  tiny_loader *l = (tiny_loader *)tn_alloc(t, sizeof *l);
  if (!l) return NULL;
  l->t = t; l->d = d; l->ordered = -1;
  l->link = &t->loaders;
  l->next = t->loaders;
  if (l->next) l->next->link = &l->next;
  t->loaders = l;
  int done = tn_loader_measure(l) && (l->slots = (char *)tn_alloc(t, l->nbytes)) != NULL;
  if (done && d.shuffle)
    done = (l->order = (int64_t *)tn_alloc(t, ((size_t)d.n + 1) * sizeof *l->order)) != NULL;
  if (!done) { tiny_loader_close(l); return NULL; }
  tn_loader_start(l);
  return l;
}
TINY_API int64_t tiny_loader_count(const tiny_loader *l) { return l ? l->batches : 0; }

// ** taking batches **

// y in the place of x, which was needed for it alone.
static tiny_tensor *tn_loader_instead(tiny_tensor *x, tiny_tensor *y) {
  tiny_free(x);
  return y;
}
// Array k of the batch that is next, as many of whose items are there as length says, unless that is NULL.
static tiny_tensor *tn_loader_tensor(const tiny_loader *l, int k, tiny_tensor *length) {
  const tiny_loader_array *a = &l->d.array[k];
  tiny_shape s = {1 + a->shape.ndim, {length ? l->d.batch : tn_loader_items(l, l->taken)}};
  for (int i = 0; i < a->shape.ndim; i++) s.dim[1 + i] = a->shape.dim[i];
  tiny_tensor *x = tiny_from(l->t, tn_loader_slot(l, l->taken) + l->begin[k], a->dtype, s);
  if (a->tensor) x = tn_loader_instead(x, tiny_index_select(a->tensor, 0, x));
  return length ? tn_loader_instead(x, tiny_slice_to(x, 0, length)) : x;
}
// How many items batch[..] are; 0: an error was recorded.
static int64_t tn_loader_tensors(const tiny_loader *l, tiny_tensor **batch) {
  const int64_t items = tn_loader_items(l, l->taken);
  tiny_tensor *length = l->d.lengths ? tiny_length(l->t, items, 1, l->d.batch) : NULL;
  int whole = 1;
  for (int k = 0; k < l->d.narray; k++) whole &= tiny_ok(batch[k] = tn_loader_tensor(l, k, length));
  tiny_free(length);
  if (whole) return items;
  for (int k = 0; k < l->d.narray; k++) batch[k] = tn_loader_instead(batch[k], tn_poison(l->t));
  return 0;
}
TINY_API int64_t tiny_loader_next(tiny_loader *l, tiny_tensor **batch) {
  if (!l) return 0;
  if (!batch) { tiny_fail(l->t, TINY_E_ARG, "loader_next: batch is NULL"); return 0; }
  for (int k = 0; k < l->d.narray; k++) batch[k] = tn_poison(l->t);
  if (!l->batches) return 0;
  const int64_t epochs = l->taken % l->batches ? 0 : l->taken / l->batches;
  if (epochs && epochs % l->d.epochs == 0 && !l->told) { l->told = 1; return 0; }
  if (!tn_loader_wait(l)) {
    tiny_fail(l->t, TINY_E_IO, "loader_next: item %lld could not be fetched", (long long)l->failed_item);
    return 0;
  }
  const int64_t items = tn_loader_tensors(l, batch);
  if (items) { l->told = 0; tn_loader_took(l); }
  return items;
}
TINY_API int64_t tiny_loader_each(tiny_loader *l, tiny_tensor **batch) {
  if (!l) return 0;
  tiny_ctx *t = l->t;
  const int inside = l->frame && l->frame == tn_frame_number(t->tensors);
  l->frame = 0;
  if (inside && tn_end_by(tn_guard, t) != TINY_OK) return 0;
  tiny_begin(t);
  const int64_t items = tiny_loader_next(l, batch);
  if (items) l->frame = tn_frame_number(t->tensors);
  else tiny_end(t);
  return items;
}
#endif
