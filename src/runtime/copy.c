// copy: from memory of one device to that of another, and what each of them has to wait for.
//
// In:    the copies of a plan, in the order of its steps. Out: bytes that arrive before what uses them, and leave
//        before what is copied changes.
// Holds: nothing but a copy reads memory of another device. Devices of one backend that has events and copy_from go on
//        by themselves: the one that copies waits for what it copies, and the one whose memory that is waits for the
//        copy before it writes there, at the latest when the plan has run. Between others the host carries the bytes
//        and waits itself: by memory of either side that it sees, or by memory of its own.
#ifndef TN_RUNTIME_COPY
#define TN_RUNTIME_COPY
#ifndef TINY_AMALGAMATED
#include "beam.c"
#endif

enum { TN_STAGING = 4 << 20 };             // bytes that the host carries at a time where it sees neither side

typedef struct tn_made { void *event; int device; } tn_made;     // behind a result that is copied; of that device
// Of a context with several devices.
typedef struct tn_ordering {
  tn_made *made; int nmade, cap;           // by number
  void *copied[TINY_MAX_DEVICES][TINY_MAX_DEVICES];        // of one, by another: an event behind the last copy
} tn_ordering;

// customs: imported kernels, those first that were asked for last; look through them when there are so many.
struct tn_runtime {
  tn_custom *customs; int ncustom, customs_at; tiny_program *programs;
  size_t collected_nbytes;                 // live after the last collection
  struct tn_ordering *ordering;            // NULL: there is one device alone
  struct tn_paused *paused;                // a run that goes on when the frame ends; NULL: none
  int unfinished;                          // runs of programs that have begun and are not done
  int ahead;                               // nothing is run: what would be is planned, and compiled meanwhile
};

// Do copies from one to the other happen in the order of the devices, without the host?
static int tn_copies_alone(const struct tn_device *to, const struct tn_device *from) {
  return to->backend == from->backend && to->backend->copy_from && to->backend->event;
}

static void tn_event_free(const struct tn_device *d, void **event) {
  if (*event) d->backend->event_free(d->dev, *event);
  *event = NULL;
}

// ** what waits for what **

// Before `device` writes memory: copies of what is there have happened.
static TN_COLD tiny_code tn_ordering_settle(tiny_ctx *t, int device) {
  tn_ordering *o = t->runtime->ordering;
  const struct tn_device *d = t->device[device];
  tiny_code code = TINY_OK;
  for (int to = 0; to < t->ndevice; to++) if (o->copied[device][to]) {
    const tiny_code now = d->backend->wait(d->dev, o->copied[device][to]);
    if (code == TINY_OK) code = now;
    tn_event_free(t->device[to], &o->copied[device][to]);
  }
  return code;
}
// A plan has run, or what was begun of it.
static TN_COLD tiny_code tn_ordering_end(tiny_ctx *t) {
  tn_ordering *o = t->runtime->ordering;
  tiny_code code = TINY_OK;
  for (int i = 0; i < t->ndevice; i++) {
    const tiny_code now = tn_ordering_settle(t, i);
    if (code == TINY_OK) code = now;
  }
  for (int i = 0; i < o->nmade; i++) tn_event_free(t->device[o->made[i].device], &o->made[i].event);
  o->nmade = 0;
  return code;
}
// A plan with n results that are copied begins. What a call that ran out of memory has left behind is undone.
static TN_COLD void tn_ordering_begin(tiny_ctx *t, int n) {
  tn_ordering *o = t->runtime->ordering;
  tn_ordering_end(t);
  if (n > o->cap) {
    o->made = (tn_made *)tn_realloc(t, o->made, (size_t)o->cap * sizeof *o->made, (size_t)n * sizeof *o->made);
    o->cap = n;
  }
  if (n) memset(o->made, 0, (size_t)n * sizeof *o->made);
  o->nmade = n;
}
static void tn_ordering_close(tiny_ctx *t) {
  tn_ordering *o = t->runtime ? t->runtime->ordering : NULL;
  if (!o) return;
  tn_ordering_end(t);
  tn_release(t, o->made, (size_t)o->cap * sizeof *o->made);
  tn_release(t, o, sizeof *o);
  t->runtime->ordering = NULL;
}
// Result `number`, from 1, of this device stands in its order from here on.
static TN_COLD tiny_code tn_ordering_made(tiny_ctx *t, int number, int device) {
  tn_ordering *o = t->runtime->ordering;
  const struct tn_device *d = t->device[device];
  if (!d->backend->event) return TINY_OK;
  tn_made *m = &o->made[number - 1];
  tn_event_free(t->device[m->device], &m->event);
  m->device = device;
  m->event = d->backend->event(d->dev);
  return m->event ? TINY_OK : t->code;
}

// ** copies **

// after: the number of the result that is copied, 0: it was there before the plan.
static tiny_code tn_copy_alone(tiny_ctx *t, struct tn_device *to, tiny_mem dst, struct tn_device *from, tiny_mem src,
                               size_t nbytes, int after) {
  tn_ordering *o = t->runtime->ordering;
  void *const behind = after ? o->made[after - 1].event : NULL;
  void *now = behind ? NULL : from->backend->event(from->dev), *const event = behind ? behind : now;
  if (!event) return t->code;
  tiny_code code = to->backend->wait(to->dev, event);
  tn_event_free(from, &now);
  if (code == TINY_OK) code = to->backend->copy_from(to->dev, dst, from->dev, src, nbytes);
  tn_event_free(to, &o->copied[from->number][to->number]);
  if (code != TINY_OK) return code;
  void *done = o->copied[from->number][to->number] = to->backend->event(to->dev);
  return done ? TINY_OK : t->code;
}

static void *tn_device_view(const struct tn_device *d, tiny_mem m, size_t nbytes) {
  if (d->limits.host_memory) return (char *)m.base + m.offset;
  return d->backend->map ? d->backend->map(d->dev, m, nbytes) : NULL;
}
static tiny_code tn_copy_staged(tiny_ctx *t, struct tn_device *to, tiny_mem dst, struct tn_device *from, tiny_mem src,
                                size_t nbytes) {
  const tn_mark mark = tn_scratch_mark(t);
  const size_t most = nbytes < (size_t)TN_STAGING ? nbytes : (size_t)TN_STAGING;
  void *between = tn_scratch_bare(t, most + 1);
  tiny_code code = TINY_OK;
  for (size_t at = 0; at < nbytes && code == TINY_OK; at += most, dst.offset += most, src.offset += most) {
    const size_t n = nbytes - at < most ? nbytes - at : most;
    code = from->backend->copy_out(from->dev, between, src, n);
    if (code == TINY_OK) code = to->backend->copy_in(to->dev, dst, between, n);
  }
  tn_scratch_rewind(t, mark);
  return code;
}
// The host looks at memory, and writes it, when its device has done what it was given.
static tiny_code tn_copy_by_host(tiny_ctx *t, struct tn_device *to, tiny_mem dst, struct tn_device *from, tiny_mem src,
                                 size_t nbytes) {
  void *view = tn_device_view(from, src, nbytes);
  if (view) {
    const tiny_code code = from->backend->sync(from->dev);
    return code == TINY_OK ? to->backend->copy_in(to->dev, dst, view, nbytes) : code;
  }
  if (!(view = tn_device_view(to, dst, nbytes))) return tn_copy_staged(t, to, dst, from, src, nbytes);
  const tiny_code code = to->backend->sync(to->dev);
  return code == TINY_OK ? from->backend->copy_out(from->dev, view, src, nbytes) : code;
}

static void tn_log_copy(const struct tn_device *to, const struct tn_device *from, size_t nbytes, uint64_t ns) {
  const double s = (double)(ns ? ns : 1) * 1e-9;
  tn_log(to->t, "*** %-4s        copy from %-34s %9.1f us  %23.2f GB/s", to->name, from->title, s * 1e6,
         (double)nbytes / s * 1e-9);
}

// Heavy code.
static tiny_code tn_copy_between(tiny_ctx *t, struct tn_device *to, tiny_mem dst, struct tn_device *from, tiny_mem src,
                                 size_t nbytes, int after) {
  const int timed = tn_debug(t, 'k') || tn_debug(t, 't');
  const uint64_t began = timed || tn_tracing(t) ? tn_os_now() : 0;
  tiny_stats *const stats[2] = {&t->stats, &to->stats};
  tiny_code code = tn_copies_alone(to, from) ? tn_copy_alone(t, to, dst, from, src, nbytes, after)
                                             : tn_copy_by_host(t, to, dst, from, src, nbytes);
  for (int i = 0; i < 2; i++) { stats[i]->copies++; stats[i]->nbytes_copied += nbytes; }
  if (tn_tracing(t)) tn_trace_copy(t, from->number, to->number, nbytes, began);
  if (!timed || code != TINY_OK) return code;
  code = to->backend->sync(to->dev);
  if (tn_debug(t, 'k')) tn_log_copy(to, from, nbytes, tn_os_now() - began);
  return code;
}
#endif
