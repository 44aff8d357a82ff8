// open: a device is opened and closed.
//
// In:    what stands behind "METAL:", or the name of a queue of the host's. Out: a tn_metal; nothing of it afterwards.
#ifndef TN_METAL_OPEN
#define TN_METAL_OPEN
#ifndef TINY_AMALGAMATED
#include "event.m"
#endif

TINY_METAL_API tiny_metal_name tiny_metal_host(void *queue) {
  tiny_metal_name name;
  snprintf(name.text, sizeof name.text, "METAL:queue-%llx", (unsigned long long)(uintptr_t)queue);
  return name;
}
// NULL: the name is of no queue.
static void *tn_metal_host_named(const char *which) {
  static const char head[] = "queue-";
  const char *end;
  if (strncmp(which, head, sizeof head - 1) != 0) return NULL;
  const uint64_t address = tn_digits_value(which + sizeof head - 1, 16, &end);
  return *end ? NULL : (void *)(uintptr_t)address;
}

static tiny_code tn_metal_open_queue(tn_metal *d, const char *which) {
  void *const hosts = tn_metal_host_named(which);
  if (hosts) {
    d->queue = TN_RETAINED(id<MTLCommandQueue>, TN_OBJECT(id<MTLCommandQueue>, hosts));
    d->gpu = TN_RETAINED(id<MTLDevice>, [d->queue device]);
    return TINY_OK;
  }
  const tiny_code code = tn_metal_find_gpu(d, which);
  if (code != TINY_OK) return code;
  d->queue = TN_NEW(id<MTLCommandQueue>, [d->gpu newCommandQueueWithMaxCommandBufferCount:TN_METAL_FLIGHT * 2]);
  return d->queue ? TINY_OK : tn_metal_none(d, "command queue");
}

// Nothing of it is used by the GPU any more.
static void tn_metal_give_back(tn_metal *d) {
  tn_prepared_close_all(&d->prepared);
  while (d->fresh) tn_metal_fresh_drop(d, &d->fresh);
  tn_metal_await(d, UINT64_MAX);
  d->done = UINT64_MAX - 1;
  tn_metal_gone_drop(d);
  for (int i = 0; i < TN_METAL_CHUNKS; i++)
    if (d->chunk[i].buffer) tn_metal_object_drop(d, d->chunk[i].buffer, 1);
  for (tn_metal_pages *p; (p = d->pages) != NULL; ) {
    d->pages = p->next;
    tn_metal_object_drop(d, p->buffer, 1);
    tiny_realloc(d->t, p, sizeof *p, 0);
  }
  tn_metal_residency_close(d);
  if (d->hosts) TN_DROP(d->hosts);
  if (d->event) TN_DROP(d->event);
  if (d->queue) TN_DROP(d->queue);
  if (d->gpu) TN_DROP(d->gpu);
  if (d->blocks) tiny_realloc(d->t, d->blocks, d->cap * sizeof *d->blocks, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static tn_metal *tn_metal_open_now(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_metal *d = (tn_metal *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "METAL: no memory to open a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = t;
  d->number = 1;
  d->prepared.t = t; d->prepared.user = d; d->prepared.calls = &tn_metal_prepared_calls;
  snprintf(d->name, sizeof d->name, "METAL");
  if (tn_metal_open_queue(d, which) != TINY_OK) { tn_metal_give_back(d); return NULL; }
  tn_metal_describe(d);
  tn_metal_limits(d, limits);
  tn_metal_residency_open(d);
  tiny_log_line(t, 'p', "%s: %s, %s memory", d->name, d->target, d->unified ? "shared" : "its own");
  return d;
}
static void *tn_metal_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_metal *d;
  TN_POOL d = tn_metal_open_now(t, which, limits); TN_POOL_END
  return d;
}
// What waits for a command buffer that the host has not committed is given up: nothing of it happens.
static void tn_metal_close_now(tn_metal *d) {
  tn_metal_end(d);
  if (!d->into_host && !tn_metal_hosts_pending(d)) tn_metal_commit(d);
  for (; d->done + 1 <= d->number; d->done++) {
    tn_metal_slot *s = tn_metal_slot_of(d, d->done + 1);
    if (!s->buffer) continue;
    tn_metal_await(d, d->done + 1);
    if ([s->buffer status] >= MTLCommandBufferStatusCommitted) [s->buffer waitUntilCompleted];
    tn_metal_slot_close(d, s);
  }
  tn_metal_give_back(d);
}
static void tn_metal_close(void *dev) {
  TN_POOL tn_metal_close_now((tn_metal *)dev); TN_POOL_END
}
static const char *tn_metal_target(void *dev) { return ((tn_metal *)dev)->target; }
static void tn_metal_renderer(void *dev, tiny_renderer *out) {
  const tn_metal *d = (const tn_metal *)dev;
  tn_lang_metal(out, d->version, d->has);
}
#endif
