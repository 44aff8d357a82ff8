// stream: a device's stream as others see it: events in it, that all of it has happened, opened and closed.
//
// In:    calls of the library, one at a time. Out: what the contract of tiny_backend says.
#ifndef TN_CUDA_STREAM
#define TN_CUDA_STREAM
#ifndef TINY_AMALGAMATED
#include "compile.c"
#include "graph.c"
#endif

// ** order between devices: events in its stream **

static void *tn_cuda_event(void *dev) {
  tn_cuda *d = (tn_cuda *)dev;
  void *event = NULL;
  if (tn_cuda_enter(d, "an event") != TINY_OK) return NULL;
  int result = d->cu.event_new(&event, TN_CU_NO_TIMING);
  if (!result) result = d->cu.event_record(event, d->stream);
  if (result && event) d->cu.event_free(event);
  return tn_cuda_leave(d, tn_cuda_check(d, result, "an event")) == TINY_OK ? event : NULL;
}
static tiny_code tn_cuda_wait(void *dev, void *event) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "waiting for another device");
  if (code != TINY_OK) return code;
  d->waited = ++d->given;
  return tn_cuda_leave(d, tn_cuda_check(d, d->cu.stream_wait(d->stream, event, 0), "waiting for another device"));
}
static void tn_cuda_event_free(void *dev, void *event) { ((const tn_cuda *)dev)->cu.event_free(event); }

// ** all has happened **

static tiny_code tn_cuda_sync(void *dev) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "waiting for it");
  if (code != TINY_OK) return code;
  const int result = d->cu.stream_sync(d->stream);
  if (!result) {
    d->done = d->given;
    tn_cuda_stamps_tell(d);
    tn_cuda_modules_close(d);
  }
  return tn_cuda_leave(d, tn_cuda_check(d, result, "waiting for it"));
}
// Launches that are given may use it, and graphs that are not launched again would.
static void tn_cuda_unload(void *dev, void *module) {
  tn_cuda *d = (tn_cuda *)dev;
  tn_cuda_module *m = (tn_cuda_module *)module;
  if (!m) return;
  if (!d->lost && !d->cu.ctx_push(d->ctx)) {
    tn_cuda_graphs_leave(d, m);
    tn_cuda_leave(d, TINY_OK);
  }
  m->next = d->gone;
  d->gone = m;
}

// ** opened and closed **

// All that the driver keeps for it; after an error that ended the context it keeps nothing.
static void tn_cuda_give_back(tn_cuda *d) {
  if (d->copies) d->cu.stream_sync(d->copies);
  if (d->copies) d->cu.stream_sync(d->stream);
  tn_cuda_graphs_close(d);
  tn_cuda_modules_close(d);
  for (int i = 0; i < TN_CUDA_MARKS; i++) if (d->mark[i].event) d->cu.event_free(d->mark[i].event);
  for (int i = 0; i < TN_CUDA_CHUNKS; i++) {
    if (d->chunk[i].event) d->cu.event_free(d->chunk[i].event);
    if (d->chunk[i].at) d->cu.host_free(d->chunk[i].at);
  }
  for (int i = 0; i < d->stamp_cap; i++) {
    if (d->stamp[i].from) d->cu.event_free(d->stamp[i].from);
    if (d->stamp[i].to) d->cu.event_free(d->stamp[i].to);
  }
  if (d->began) d->cu.event_free(d->began);
  if (d->copied) d->cu.event_free(d->copied);
  if (d->copies) d->cu.stream_free(d->copies);
  if (d->own_stream) d->cu.stream_free(d->stream);
}
static void tn_cuda_close(void *dev) {
  tn_cuda *d = (tn_cuda *)dev;
  if (d->ctx && d->cu.ctx_push && !d->cu.ctx_push(d->ctx)) {
    tn_cuda_give_back(d);
    tn_cuda_leave(d, TINY_OK);
  }
  tn_cuda_graphs_close(d);
  tn_cuda_modules_close(d);
  if (d->primary) d->cu.primary_release(d->device);
  if (d->blocks) tiny_realloc(d->t, d->blocks, d->cap * sizeof *d->blocks, 0);
  if (d->stamp) tiny_realloc(d->t, d->stamp, (size_t)d->stamp_cap * sizeof *d->stamp, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static void *tn_cuda_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_cuda *d = (tn_cuda *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "CUDA: no memory for a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = t;
  snprintf(d->name, sizeof d->name, "CUDA%s%.16s", *which ? ":" : "", which);
  if (tn_cuda_begin(d, which, limits) == TINY_OK) return d;
  tn_cuda_close(d);
  return NULL;
}
// cubins are for one architecture.
static const char *tn_cuda_target(void *dev) { return ((const tn_cuda *)dev)->target; }
static void tn_cuda_renderer(void *dev, tiny_renderer *out) {
  const tn_cuda *d = (const tn_cuda *)dev;
  if (d->by_c) tn_lang_cuda(out, d->sm);
  else tn_lang_ptx(out, d->target);
}
#endif
