// observe: launches as they happened: what debug letters k, l and t say, profiles and traces are made of.
//
// In:    launches, as they are given to devices. Out: of each, once its device has done it, a line, a row, an event.
// Holds: nobody waits for a launch but under letters k and t: what is known of it stays where it is until its device
//        was waited for anyway, or so many have come that it is. Plans and executables may be gone by then. Memory that
//        is refused leaves launches out, and fails nothing.
#ifndef TN_RUNTIME_OBSERVE
#define TN_RUNTIME_OBSERVE
#ifndef TINY_AMALGAMATED
#include "executable.c"
#include "../base/trace.c"
#endif

// Of an executable, while it may be dropped.
typedef struct tn_seen_kernel {
  char name[TN_KERNEL_NAME]; uint64_t key; double flops, nbytes;
  int kind, traced;                        // traced: its event is in the trace of that number
  int profiled;                            // 1 + the first of its rows; 0: it has none
} tn_seen_kernel;

// Launches of a kernel under one label, on one device, in a profile.
typedef struct tn_profiled {
  int kernel, label, device, next;         // next: 1 + the next row of the kernel; 0: there is none
  uint64_t launches, ns;
} tn_profiled;

// A launch. given, done: by the host's clock, when it was handed over and when that call returned, 0: with others.
typedef struct tn_observed {
  uint64_t stamp[2], given, done;          // stamp: by the device's clock
  int kernel, label, schedule, step; uint64_t run;
  double share; int rest;                  // the part of the launch's tasks that this was; not the first part
} tn_observed;
enum { TN_OBSERVED = 64, TN_OBSERVED_PARTS = 64 };         // launches of a part; parts before they are told in between
typedef struct tn_observed_part {
  struct tn_observed_part *older; int n, parts;
  tn_observed of[TN_OBSERVED];
} tn_observed_part;

// What a device does at best, measured; 0: not known.
struct tn_roof { int known; double gflops, gbps; };

struct tn_observer {
  tn_seen_kernel *kernel; int nkernel, cap_kernel;
  uint64_t runs;                           // of schedules, while anything was looked at
  int traces;                              // that were begun
  int profiles, profiled;                  // is launches' time added up now; was it ever?
  struct tn_roof roof[TINY_MAX_DEVICES];
  tn_profiled *row; int nrow, cap_row;
  // its rows as they were last asked for; tabled: 1 + by what, 0: launches or kernels came since
  tiny_profile_row *table; int ntable, cap_table, tabled;
  int64_t clock[TINY_MAX_DEVICES];         // what the host's is ahead of a device's, in ns
  tn_pool_spans spans[TINY_MAX_DEVICES];   // of a device whose threads are looked at
};

// Is anything looked at?
static int tn_observing(const tiny_ctx *t) {
  return tn_tracing(t) || (t->observer && t->observer->profiles) || tn_debug(t, 'k') || tn_debug(t, 't') ||
         tn_debug(t, 'l');
}

static struct tn_observer *tn_observer_of(tiny_ctx *t) {
  if (t->observer) return t->observer;
  t->observer = (struct tn_observer *)tiny_realloc(t, NULL, 0, sizeof *t->observer);
  if (t->observer) memset(t->observer, 0, sizeof *t->observer);
  return t->observer;
}

// The number of e; -1: there is no memory.
static int tn_observe_kernel(tiny_ctx *t, tn_executable *e) {
  struct tn_observer *o = tn_observer_of(t);
  if (o && e->seen) return e->seen - 1;
  if (!o || !tn_room(t, &o->kernel, o->nkernel, &o->cap_kernel, sizeof *o->kernel)) return -1;
  o->tabled = 0;                           // names may have moved
  tn_seen_kernel *k = &o->kernel[o->nkernel++];
  memset(k, 0, sizeof *k);
  memcpy(k->name, e->name, sizeof k->name);
  k->key = tn_digest_head(&e->key);
  k->flops = e->flops; k->nbytes = e->nbytes; k->kind = e->kind;
  return (e->seen = o->nkernel) - 1;
}

// ** what is told of a launch that has happened **

// What the limits leave at the least, by what it took; 0: they are not known.
static double tn_roof_share(const struct tn_roof *r, double flops, double nbytes, double ns) {
  if (r->gflops <= 0 || r->gbps <= 0) return 0;
  const double sums = flops / r->gflops, bytes = nbytes / r->gbps;
  return (sums > bytes ? sums : bytes) / ns;
}
static void tn_tell_line(const struct tn_device *d, const tn_seen_kernel *k, const char *label, double part,
                         uint64_t ns) {
  const double s = (double)(ns ? ns : 1) * 1e-9, flops = k->flops * part, nbytes = k->nbytes * part;
  const double share = tn_roof_share(&d->t->observer->roof[d->number], flops, nbytes, s * 1e9);
  char of_limit[32] = "";
  if (share > 0) tn_number_print(of_limit, sizeof of_limit, "  %.0f %% of the limit", share * 100);
  tn_log(d->t, "*** %-4s %6llu  %-44s %9.1f us  %8.2f GFLOPS  %7.2f GB/s  mem %.2f MB%s%s%s", d->name,
         (unsigned long long)d->t->stats.kernels, k->name, s * 1e6, flops / s * 1e-9, nbytes / s * 1e-9,
         (double)d->stats.nbytes_live * 1e-6, of_limit, *label ? "  " : "", label);
}
static void tn_tell_times(const struct tn_device *d, const tn_seen_kernel *k, const char *label, uint64_t from,
                          uint64_t ns) {
  const double at = ((double)from - (double)d->t->opened) * 1e-3;
  tn_log(d->t, "launch %-12s %12.1f to %12.1f us  %s%s%s", d->name, at, at + (double)ns * 1e-3, k->name,
         *label ? "  " : "", label);
}
static void tn_tell_event(const struct tn_device *d, tn_seen_kernel *k, const char *label, const tn_observed *l,
                          uint64_t from, uint64_t to) {
  tiny_ctx *t = d->t;
  tn_event_span(t, "launch", k->name, 1 + d->number, from, to);
  tn_event_add(t, "\"kernel\":\"%016llx\",\"label\":", (unsigned long long)k->key);
  tn_event_text(t, label);
  tn_event_add(t, ",\"schedule\":%d,\"step\":%d,\"run\":%llu,\"flops\":%.0f,\"nbytes\":%.0f", l->schedule, l->step,
               (unsigned long long)l->run, k->flops * l->share, k->nbytes * l->share);
  tn_event_end(t);
}
static void tn_tell_worker(const struct tn_device *d, const tn_seen_kernel *k, int thread, uint64_t from, uint64_t to,
                           int tasks) {
  if (!tn_tracing(d->t)) return;
  tn_event_span(d->t, "worker", k->name, 100 * (1 + d->number) + thread, from, to);
  tn_event_add(d->t, "\"kernel\":\"%016llx\",\"tasks\":%d", (unsigned long long)k->key, tasks);
  tn_event_end(d->t);
}
// What the device's threads did of it. at: of each thread's spans, the first that is not told; they are in order, and
// what lies between launches is not of the library's kernels.
static void tn_tell_workers(const struct tn_device *d, const tn_seen_kernel *k, int *at, uint64_t from, uint64_t to) {
  const tn_pool_spans *s = &d->t->observer->spans[d->number];
  int told = 0;
  for (int i = 0; i < s->threads; i++) {
    const tn_pool_span *row = s->row + (size_t)i * TN_POOL_SPANS;
    while (at[i] < s->n[i] && row[at[i]].from < from) at[i]++;
    for (; at[i] < s->n[i] && row[at[i]].from < to; at[i]++, told++)
      tn_tell_worker(d, k, i, row[at[i]].from, row[at[i]].to, row[at[i]].tasks);
  }
  if (!told) tn_tell_worker(d, k, 0, from, to, 1);           // too few tasks for a second thread
}

// A launch more in the profile.
static void tn_tell_profile(const struct tn_device *d, const tn_observed *l, uint64_t ns) {
  struct tn_observer *o = d->t->observer;
  tn_seen_kernel *k = &o->kernel[l->kernel];
  int at = k->profiled;
  o->tabled = 0;
  while (at && (o->row[at - 1].label != l->label || o->row[at - 1].device != d->number)) at = o->row[at - 1].next;
  if (!at) {
    if (!tn_room(d->t, &o->row, o->nrow, &o->cap_row, sizeof *o->row)) return;
    tn_profiled *row = &o->row[o->nrow++];
    memset(row, 0, sizeof *row);
    row->kernel = l->kernel; row->label = l->label; row->device = d->number;
    row->next = k->profiled;
    at = k->profiled = o->nrow;
  }
  o->row[at - 1].launches += !l->rest;
  o->row[at - 1].ns += ns;
}

// When it was, by the host's clock; 0: nobody knows. The device's is the host's, or is taken to be behind it by so much
// that no launch began before it was handed over. Without one, it is when the host was in the call.
static int tn_observed_when(const struct tn_device *d, const tn_observed *l, uint64_t *from, uint64_t *to) {
  int64_t *ahead = &d->t->observer->clock[d->number];
  *from = l->given; *to = l->done;
  if (!l->stamp[1]) return l->done != 0;
  const int64_t least = (int64_t)(l->given - l->stamp[0]);
  if (least > 0 || *ahead) {               // another clock
    if (!*ahead || least > *ahead) *ahead = least;
  }
  *from = l->stamp[0] + (uint64_t)*ahead;
  *to = (l->stamp[1] > l->stamp[0] ? l->stamp[1] : l->stamp[0] + 1) + (uint64_t)*ahead;
  return 1;
}

static void tn_observed_launch(struct tn_device *d, const tn_observed *l, int *at) {
  tiny_ctx *t = d->t;
  tn_seen_kernel *k = &t->observer->kernel[l->kernel];
  const char *label = tn_label_text(t, l->label);
  uint64_t from, to;
  if (!tn_observed_when(d, l, &from, &to)) return;
  t->stats.device_ns += to - from;
  d->stats.device_ns += to - from;
  if (tn_debug(t, 'k')) tn_tell_line(d, k, label, l->share, to - from);
  else if (tn_debug(t, 'l')) tn_tell_times(d, k, label, from, to - from);
  if (t->observer->profiles) tn_tell_profile(d, l, to - from);
  if (tn_tracing(t)) tn_tell_event(d, k, label, l, from, to);
  if (at && tn_tracing(t)) tn_tell_workers(d, k, at, from, to);
}

// The device has done everything that was given to it.
static void tn_observed_tell(struct tn_device *d) {
  tiny_ctx *t = d->t;
  tn_observed_part *first = NULL, *last = d->observed;
  if (!last) return;
  tn_pool_spans *s = &t->observer->spans[d->number];
  for (tn_observed_part *p = last, *older; p; p = older) { older = p->older; p->older = first; first = p; }
  int *at = s->threads ? s->n + s->threads : NULL;
  if (at) memset(at, 0, (size_t)s->threads * sizeof *at);
  d->observed = NULL;                      // a log is the host's: it may call the library
  while (first) {
    tn_observed_part *p = first;
    for (int i = 0; i < p->n; i++) tn_observed_launch(d, &p->of[i], at);
    first = p->older;
    tn_release(t, p, sizeof *p);
  }
  if (s->threads) memset(s->n, 0, (size_t)s->threads * sizeof *s->n);
}

// A launch of e that is about to be given to d; NULL: there is no memory. It stays where it is until it is told.
static tn_observed *tn_observe_launch(struct tn_device *d, tn_executable *e) {
  tiny_ctx *t = d->t;
  const int kernel = tn_observe_kernel(t, e);
  if (kernel < 0) return NULL;
  if (d->observed && d->observed->n == TN_OBSERVED && d->observed->parts == TN_OBSERVED_PARTS &&
      d->backend->sync(d->dev) == TINY_OK)
    tn_observed_tell(d);
  if (!d->observed || d->observed->n == TN_OBSERVED) {
    tn_observed_part *p = (tn_observed_part *)tiny_realloc(t, NULL, 0, sizeof *p);
    if (!p) return NULL;
    p->older = d->observed; p->n = 0;
    p->parts = p->older ? p->older->parts + 1 : 1;
    d->observed = p;
  }
  tn_observed *l = &d->observed->of[d->observed->n++];
  memset(l, 0, sizeof *l);
  l->kernel = kernel;
  l->share = 1;
  l->given = tn_os_now();
  return l;
}

static void tn_observer_tell(tiny_ctx *t) {
  for (int i = 0; i < t->ndevice; i++) tn_observed_tell(t->device[i]);
}

// ** threads **

// From now on, or no more, what each thread of the device's does is looked at; nothing is under way.
static void tn_observe_threads(struct tn_device *d, int on) {
  tiny_ctx *t = d->t;
  struct tn_pool *pool = tn_is_cpu(d->backend) && d->dev ? tn_cpu_pool(d->dev) : NULL;
  if (!t->observer || !pool) return;
  tn_pool_spans *s = &t->observer->spans[d->number];
  tn_pool_watch(pool, NULL);
  tn_release(t, s->row, s->nbytes);
  memset(s, 0, sizeof *s);
  const int threads = tn_pool_threads(pool);
  if (!on || threads < 2) return;
  s->nbytes = (size_t)threads * (TN_POOL_SPANS * sizeof *s->row + 2 * sizeof *s->n);         // n, then room to count
  s->row = (tn_pool_span *)tiny_realloc(t, NULL, 0, s->nbytes);
  if (!s->row) { memset(s, 0, sizeof *s); return; }
  s->n = (int *)(void *)(s->row + (size_t)threads * TN_POOL_SPANS);
  memset(s->n, 0, 2 * (size_t)threads * sizeof *s->n);
  s->threads = threads;
  if (tn_pool_watch(pool, s)) return;
  tn_pool_watch(pool, NULL);               // the host's own threads
  s->threads = 0;
}

static void tn_observer_close(tiny_ctx *t) {
  struct tn_observer *o = t->observer;
  if (!o) return;
  for (int i = 0; i < t->ndevice; i++) {
    struct tn_device *d = t->device[i];
    tn_observe_threads(d, 0);
    for (tn_observed_part *p = d->observed, *older; p; p = older) { older = p->older; tn_release(t, p, sizeof *p); }
    d->observed = NULL;
  }
  tn_release(t, o->row, (size_t)o->cap_row * sizeof *o->row);
  tn_release(t, o->table, (size_t)o->cap_table * sizeof *o->table);
  tn_release(t, o->kernel, (size_t)o->cap_kernel * sizeof *o->kernel);
  tn_release(t, o, sizeof *o);
  t->observer = NULL;
}

TINY_API uint64_t tiny_now_ns(void) { return tn_os_now(); }
#endif
