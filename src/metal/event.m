// event: places in the order of a device, waited for by others, and the wait for all of it.
//
// In:    calls of the library. Out: what the contract of tiny_backend says, by MTLSharedEvents, which order queues of
//        one GPU and of several.
#ifndef TN_METAL_EVENT
#define TN_METAL_EVENT
#ifndef TINY_AMALGAMATED
#include "graph.m"
#endif

typedef struct tn_metal_event {
  TN_UNOWNED id<MTLSharedEvent> event; TN_UNOWNED id<MTLCommandBuffer> buffer; uint64_t value; const tn_metal *of;
} tn_metal_event;

static tiny_code tn_metal_signal_next(tn_metal *d) {
  if (!d->event) d->event = TN_NEW(id<MTLSharedEvent>, [d->gpu newSharedEvent]);
  if (!d->event) return tn_metal_none(d, "event");
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK) return code;
  tn_metal_end(d);
  [tn_metal_now(d) encodeSignalEvent:d->event value:++d->event_value];
  return TINY_OK;
}
static void *tn_metal_event_now(tn_metal *d) {
  if (d->into_host) { tn_metal_not_committed(d); return NULL; }
  tn_metal_event *e = (tn_metal_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name); return NULL; }
  tiny_code code = tn_metal_signal_next(d);
  id<MTLCommandBuffer> buffer = tn_metal_now(d);
  if (code == TINY_OK) code = tn_metal_commit(d);
  if (code == TINY_OK) {
    e->event = TN_RETAINED(id<MTLSharedEvent>, d->event);
    e->buffer = TN_RETAINED(id<MTLCommandBuffer>, buffer);
    e->value = d->event_value; e->of = d;
    return e;
  }
  tiny_realloc(d->t, e, sizeof *e, 0);
  return NULL;
}
static void *tn_metal_event_new(void *dev) {
  void *event;
  TN_POOL event = tn_metal_event_now((tn_metal *)dev); TN_POOL_END
  return event;
}
// The event stays until the command buffer that waits for it has completed.
static tiny_code tn_metal_wait_event(tn_metal *d, id<MTLEvent> event, uint64_t value) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK) return code;
  tn_metal_end(d);
  [tn_metal_now(d) encodeWaitForEvent:event value:value];
  tn_metal_later(d, TN_RETAINED(id, event), d->number, 0);
  return TINY_OK;
}
static tiny_code tn_metal_awaits(tn_metal *d, const tn_metal_event *e) {
  tn_metal_awaited *a = (tn_metal_awaited *)tiny_realloc(d->t, NULL, 0, sizeof *a);
  if (!a) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name);
  a->next = d->awaited; a->value = e->value; a->used = d->number;
  a->event = TN_RETAINED(id<MTLSharedEvent>, e->event);
  a->buffer = TN_RETAINED(id<MTLCommandBuffer>, e->buffer);
  d->awaited = a;
  return TINY_OK;
}
static tiny_code tn_metal_wait(void *dev, void *event) {
  tn_metal *d = (tn_metal *)dev;
  const tn_metal_event *e = (const tn_metal_event *)event;
  tiny_code code = TINY_OK;
  if (e->of == d) return TINY_OK;
  TN_POOL
    code = tn_metal_wait_event(d, e->event, e->value);
    if (code == TINY_OK) code = tn_metal_awaits(d, e);
  TN_POOL_END
  return code;
}
static void tn_metal_event_free(void *dev, void *event) {
  tn_metal *d = (tn_metal *)dev;
  TN_POOL
    TN_DROP(((tn_metal_event *)event)->event);
    TN_DROP(((tn_metal_event *)event)->buffer);
  TN_POOL_END
  tiny_realloc(d->t, event, sizeof(tn_metal_event), 0);
}

static tiny_code tn_metal_sync_now(tn_metal *d) {
  tiny_code code = tn_metal_commit(d);
  if (code == TINY_OK) code = tn_metal_wait_for(d, d->number - 1);
  return code == TINY_OK ? tn_metal_tell(d) : code;
}
static tiny_code tn_metal_sync(void *dev) {
  tiny_code code;
  TN_POOL code = tn_metal_sync_now((tn_metal *)dev); TN_POOL_END
  return code;
}
#endif
