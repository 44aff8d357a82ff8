// trace: what a trace says of devices, kernels, schedules and runs, and the calls that begin and end one.
//
// In:    executables, plans, times. Out: events (base/trace.c); docs/trace.md lists them. What a kernel or a schedule
//        is stands in a trace once, at the latest when it runs.
#ifndef TN_RUNTIME_TRACE
#define TN_RUNTIME_TRACE
#ifndef TINY_AMALGAMATED
#include "observe.c"
#include "../schedule/plan.c"
#endif

// ** what the host did **

static void tn_trace_span_of(tiny_ctx *t, const char *name, int schedule, uint64_t from) {
  tn_event_span(t, "host", name, 0, from, tn_os_now());
  if (schedule) tn_event_add(t, "\"schedule\":%d", schedule);
  tn_event_end(t);
}
static void tn_trace_span(tiny_ctx *t, const char *name, uint64_t from) {
  if (tn_tracing(t)) tn_trace_span_of(t, name, 0, from);
}

static void tn_trace_copy(tiny_ctx *t, int from, int to, size_t nbytes, uint64_t began) {
  tn_event_span(t, "copy", "copy", 1 + to, began, tn_os_now());
  tn_event_add(t, "\"from\":%d,\"to\":%d,\"nbytes\":%llu", from, to, (unsigned long long)nbytes);
  tn_event_end(t);
}

// ** what there is **

static void tn_trace_memory(const struct tn_device *d) {
  char name[32];
  snprintf(name, sizeof name, "memory %d", d->number);
  tn_event_now(d->t, "C", "memory", name);
  tn_event_add(d->t, "\"live\":%llu", (unsigned long long)d->stats.nbytes_live);
  tn_event_end(d->t);
}

static void tn_trace_dims(tiny_ctx *t, const char *name, const int64_t *dim) {
  tn_event_add(t, ",\"%s\":[%lld,%lld,%lld]", name, (long long)dim[0], (long long)dim[1], (long long)dim[2]);
}
// source: what was compiled, "": it is not at hand. from: "compiled", "disk", "interpreted" or "memory".
static void tn_trace_kernel(tiny_ctx *t, tn_executable *e, const char *source, const char *opts, const char *from) {
  const int seen = tn_observe_kernel(t, e);
  if (seen >= 0) t->observer->kernel[seen].traced = t->observer->traces;
  tn_event_now(t, "i", "kernel", e->name);
  tn_event_add(t, "\"kernel\":\"%016llx\",\"from\":\"%s\",\"flops\":%.0f,\"nbytes\":%.0f",
               (unsigned long long)tn_digest_head(&e->key), from, e->flops, e->nbytes);
  tn_trace_dims(t, "global", e->global);
  tn_trace_dims(t, "local", e->local);
  tn_event_add(t, ",\"tasks\":%lld,\"opts\":", (long long)e->tasks);
  tn_event_text(t, opts);
  tn_event_add(t, ",\"source\":");
  tn_event_text(t, source);
  tn_event_end(t);
}

static int64_t tn_step_times(const tn_plan *p, const tn_step *s) {
  const tn_tiled_axes *tiled = s->tiled ? &p->tiled[s->tiled - 1] : NULL;
  int64_t times = 1;
  for (int i = 0; tiled && i < tiled->n; i++) times *= tiled->axis[i].count;
  return times;
}
static void tn_trace_step(tiny_ctx *t, const tn_plan *p, int at, int label) {
  const tn_step *s = &p->step[at];
  tn_event_add(t, "%s{\"name\":\"%s\",\"kernel\":", at ? "," : "", s->exe ? s->exe->name : s->copies ? "copy"
                                                                                            : "(empty)");
  if (s->exe) tn_event_add(t, "\"%016llx\"", (unsigned long long)tn_digest_head(&s->exe->key));
  else tn_event_add(t, "null");
  tn_event_add(t, ",\"label\":");
  tn_event_text(t, tn_label_text(t, label));
  tn_event_add(t, ",\"device\":%d,\"copies\":%d,\"times\":%lld,\"mem\":[", s->device, s->copies,
               (long long)tn_step_times(p, s));
  for (int i = 0; i < s->nmem; i++) tn_event_add(t, "%s%d", i ? "," : "", s->mem[i]);
  tn_event_add(t, "]}");
}
// first, last: 1 + the steps that use it.
static void tn_trace_place(tiny_ctx *t, const tn_plan *p, int at, int first, int last) {
  static const char *const kind[] = {"leaf", "output", "temp"};
  const tn_place_row *row = &p->place[at];
  tn_event_add(t, "%s{\"kind\":\"%s\",\"device\":%d,\"nbytes\":%lld,\"offset\":%lld,\"first\":%d,\"last\":%d}",
               at ? "," : "", kind[row->kind], row->device, (long long)row->nbytes,
               (long long)(row->kind == TN_PLACE_TEMP ? row->offset : 0), first - 1, last - 1);
}
// p is about to run: what the trace does not know of it yet. label: of each step; NULL: none has one.
static void tn_trace_plan(tiny_ctx *t, tn_plan *p, const int *label) {
  if (!t->observer || p->traced == t->observer->traces) return;
  int *first = (int *)tn_scratch(t, 2 * ((size_t)p->nplace + 1) * sizeof *first), *last = first + p->nplace;
  for (int i = 0; i < p->nstep; i++) for (int j = 0; j < p->step[i].nmem; j++) {
    const int at = p->step[i].mem[j];
    if (!first[at]) first[at] = i + 1;
    last[at] = i + 1;
  }
  p->traced = t->observer->traces;
  for (int i = 0; i < p->nstep; i++) {
    tn_executable *e = p->step[i].exe;
    const int seen = e ? tn_observe_kernel(t, e) : -1;
    if (seen >= 0 && t->observer->kernel[seen].traced != t->observer->traces) tn_trace_kernel(t, e, "", "", "memory");
  }
  if (!tn_tracing(t)) return;
  tn_event_now(t, "i", "schedule", "schedule");
  tn_event_add(t, "\"schedule\":%d,\"stage\":\"planned\",\"steps\":[", p->number);
  for (int i = 0; i < p->nstep; i++) tn_trace_step(t, p, i, label ? label[i] : 0);
  tn_event_add(t, "],\"places\":[");
  for (int i = 0; i < p->nplace; i++) tn_trace_place(t, p, i, first[i], last[i]);
  tn_event_add(t, "],\"arena\":[");
  for (int i = 0; i < t->ndevice; i++) tn_event_add(t, "%s%lld", i ? "," : "", (long long)p->arena[i]);
  tn_event_add(t, "]");
  tn_event_end(t);
}
static void tn_trace_live(tiny_ctx *t) {
  for (int i = 0; i < t->ndevice && tn_tracing(t); i++) tn_trace_memory(t->device[i]);
}
// A run of p, begun at `from`, was given to its devices.
static void tn_trace_run(tiny_ctx *t, const tn_plan *p, uint64_t from) {
  if (tn_tracing(t)) tn_trace_span_of(t, "run", p->number, from);
  tn_trace_live(t);
}

// ** beginning and ending **

static void tn_trace_thread(tiny_ctx *t, int thread, const char *name, int number) {
  char text[128];
  if (number < 0) snprintf(text, sizeof text, "%s", name);
  else snprintf(text, sizeof text, "%s thread %d", name, number);
  tn_event_meta(t, "thread_name", thread);
  tn_event_add(t, "\"name\":");
  tn_event_text(t, text);
  tn_event_end(t);
}
static void tn_trace_head(tiny_ctx *t) {
  tn_event_meta(t, "process_name", 0);
  tn_event_add(t, "\"name\":\"tiny.h " TINY_VERSION "\"");
  tn_event_end(t);
  tn_event_meta(t, "tiny", 0);
  tn_event_add(t, "\"version\":\"" TINY_VERSION "\",\"devices\":[");
  for (int i = 0; i < t->ndevice; i++) {
    tn_event_add(t, "%s{\"name\":", i ? "," : "");
    tn_event_text(t, t->device[i]->name);
    tn_event_add(t, ",\"title\":");
    tn_event_text(t, t->device[i]->title);
    const struct tn_roof *r = &t->observer->roof[i];         // 0: no profile has measured it
    tn_event_add(t, ",\"gflops\":%.1f,\"gbps\":%.1f}", r->gflops, r->gbps);
  }
  tn_event_add(t, "]");
  tn_event_end(t);
  tn_trace_thread(t, 0, "host", -1);
  for (int i = 0; i < t->ndevice; i++) {
    const int threads = t->observer->spans[i].threads;
    tn_trace_thread(t, 1 + i, t->device[i]->title, -1);
    for (int k = 0; k < (threads ? threads : 1); k++) tn_trace_thread(t, 100 * (1 + i) + k, t->device[i]->title, k);
  }
}

TINY_API tiny_code tiny_trace_end(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  if (!t->trace) return tiny_fail(t, TINY_E_STATE, "trace_end: no trace is written");
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  for (int i = 0; i < t->ndevice; i++) tn_observe_threads(t->device[i], 0);
  return tn_trace_close(t) ? code : TINY_E_IO;
}
// 0: path cannot be written.
static int tn_trace_start(tiny_ctx *t, const char *path) {
  if (!tn_observer_of(t) || !tn_trace_open(t, path)) return 0;
  t->observer->traces++;
  for (int i = 0; i < t->ndevice; i++) tn_observe_threads(t->device[i], 1);
  tn_trace_head(t);
  return 1;
}
TINY_API tiny_code tiny_trace_begin(tiny_ctx *t, const char *path) {
  if (!t) return TINY_E_ARG;
  if (!path || !*path) return tiny_fail(t, TINY_E_ARG, "trace_begin: there is no path");
  if (t->trace) return tiny_fail(t, TINY_E_STATE, "trace_begin: a trace is being written; tiny_trace_end ends it");
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  if (code != TINY_OK) return code;
  return tn_trace_start(t, path) ? TINY_OK : tiny_fail(t, TINY_E_IO, "trace_begin: %s cannot be written", path);
}
#endif
