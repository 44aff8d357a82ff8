// queue: command buffers, and what is encoded into the one that is open.
//
// In:    a device. Out: encoders; numbers: everything that a command buffer of a number or below holds has happened
//        when `done` is there; what they failed with.
// Holds: command buffers of one queue begin and end in the order they are committed in. They retain nothing: what they
//        use goes when `done` has come to the last of them (tn_metal_later). The host's own command buffer, while
//        tiny_metal_encode gives one, stands in the place of the open one, and is committed by the host.
#ifndef TN_METAL_QUEUE
#define TN_METAL_QUEUE
#ifndef TINY_AMALGAMATED
#include "residency.m"
#endif

static tn_metal_slot *tn_metal_slot_of(tn_metal *d, uint64_t number) { return &d->slot[number % TN_METAL_FLIGHT]; }
static id<MTLCommandBuffer> tn_metal_now(tn_metal *d) { return tn_metal_slot_of(d, d->number)->buffer; }

// ** what goes later **

static void tn_metal_object_drop(tn_metal *d, id object, int memory) {
  if (memory) tn_metal_residency_remove(d, (id<MTLBuffer>)object);
  TN_DROP(object);
}
static void tn_metal_gone_drop(tn_metal *d) {
  for (tn_metal_gone **at = &d->gone, *g; (g = *at) != NULL; ) {
    if (g->used > d->done) { at = &g->next; continue; }
    *at = g->next;
    tn_metal_object_drop(d, g->object, g->memory);
    tiny_realloc(d->t, g, sizeof *g, 0);
  }
}

// Before command buffer `used` is waited for: those of other devices that it waits for have ended. One that failed may
// have left its event as it was, for which this device would wait for ever.
static void tn_metal_await(tn_metal *d, uint64_t used) {
  for (tn_metal_awaited **at = &d->awaited, *a; (a = *at) != NULL; ) {
    if (a->used > used) { at = &a->next; continue; }
    *at = a->next;
    [a->buffer waitUntilCompleted];
    if ([a->buffer status] == MTLCommandBufferStatusError && [a->event signaledValue] < a->value)
      [a->event setSignaledValue:a->value];
    TN_DROP(a->buffer);
    TN_DROP(a->event);
    tiny_realloc(d->t, a, sizeof *a, 0);
  }
}

// ** what has happened **

static void tn_metal_failed(tn_metal *d, id<MTLCommandBuffer> buffer) {
  char text[160];
  NSError *error = [buffer error];
  const char *domain = error ? [[error domain] UTF8String] : NULL;
  const int known = domain && !strcmp(domain, "MTLCommandBufferErrorDomain"), code = error ? (int)[error code] : 0;
  if (d->failed || d->lost) return;        // the first one counts
  tn_metal_text(error, text, sizeof text);
  d->failed = known && code > 0 ? code : 1;
  if (d->failed == TN_METAL_LOST || d->failed == TN_METAL_REMOVED) d->lost = 1;
  snprintf(d->why, sizeof d->why, "%s (MTLCommandBufferError %d: %s)", tn_metal_error_says(d->failed), code, text);
}
static void tn_metal_slot_close(tn_metal *d, tn_metal_slot *s) {
  if ([s->buffer status] == MTLCommandBufferStatusError) tn_metal_failed(d, s->buffer);
  else if (s->stamp) {                     // seconds since the system was started
    const double from = [s->buffer GPUStartTime], to = [s->buffer GPUEndTime];
    if (from > 0 && to >= from) {
      s->stamp[0] = (uint64_t)(from * 1e9);
      s->stamp[1] = (uint64_t)(to * 1e9) + 1;
    }
  }
  TN_DROP(s->buffer);
  s->buffer = nil;
  s->stamp = NULL;
}
static void tn_metal_reap(tn_metal *d) {
  while (d->done + 1 < d->number) {
    tn_metal_slot *s = tn_metal_slot_of(d, d->done + 1);
    if ([s->buffer status] < MTLCommandBufferStatusCompleted) break;
    tn_metal_slot_close(d, s);
    d->done++;
  }
  tn_metal_await(d, d->done);
  tn_metal_gone_drop(d);
}
// Tells, once, what went wrong on the GPU.
static tiny_code tn_metal_tell(tn_metal *d) {
  const int error = d->failed;
  if (d->lost) return tn_metal_lost(d);
  if (!error) return TINY_OK;
  d->failed = 0;
  return tiny_fail(d->t, error == 8 ? TINY_E_MEMORY : TINY_E_DEVICE, "%s: %s", d->name, d->why);
}

// ** encoders **

static void tn_metal_end(tn_metal *d) {
  if (d->compute) { [d->compute endEncoding]; TN_DROP(d->compute); d->compute = nil; }
  if (d->blit) { [d->blit endEncoding]; TN_DROP(d->blit); d->blit = nil; }
  d->pipeline = NULL;
  d->ntouched = 0;
}

static tiny_code tn_metal_not_committed(const tn_metal *d) {
  return tiny_fail(d->t, TINY_E_STATE, "%s: what is asked for stands in or behind the host's command buffer: end it by "
                   "tiny_metal_encode(t, NULL), and commit it before", d->name);
}
// Is the place of the host's command buffer in the order of the queue open yet? Of another queue events tell.
static int tn_metal_hosts_pending(const tn_metal *d) {
  return d->into_host || (d->hosts && !d->hosts_apart && [d->hosts status] < MTLCommandBufferStatusEnqueued);
}
// Would a wait never end?
static int tn_metal_hosts_waits(const tn_metal *d) {
  return d->into_host || (d->hosts && [d->hosts status] < MTLCommandBufferStatusCommitted);
}
// What is encoded happens. TINY_E_STATE: it stands in the host's command buffer, or behind one that is not committed.
static tiny_code tn_metal_commit(tn_metal *d) {
  tn_metal_slot *s = tn_metal_slot_of(d, d->number);
  if (d->into_host) return tn_metal_not_committed(d);
  if (!s->buffer) return TINY_OK;
  if (tn_metal_hosts_pending(d)) return tn_metal_not_committed(d);
  tn_metal_end(d);
  tn_metal_residency_commit(d);
  [s->buffer commit];
  d->number++;
  d->ndispatch = 0;
  return TINY_OK;
}
static tiny_code tn_metal_wait_for(tn_metal *d, uint64_t number) {
  tiny_code code = number >= d->number ? tn_metal_commit(d) : TINY_OK;
  while (code == TINY_OK && d->done < number && d->done + 1 < d->number) {
    id<MTLCommandBuffer> first = tn_metal_slot_of(d, d->done + 1)->buffer;
    if ([first status] < MTLCommandBufferStatusCommitted) code = tn_metal_not_committed(d);
    else {
      tn_metal_await(d, d->done + 1);
      [first waitUntilCompleted];
    }
    tn_metal_reap(d);
  }
  return code;
}
// A command buffer is open.
static tiny_code tn_metal_begin(tn_metal *d) {
  tiny_code code = TINY_OK;
  if (tn_metal_now(d)) return TINY_OK;
  if (d->lost) return tn_metal_lost(d);
  tn_metal_reap(d);
  if (d->number - d->done > TN_METAL_FLIGHT - 1) code = tn_metal_wait_for(d, d->number - (TN_METAL_FLIGHT - 1));
  if (code != TINY_OK) return code;
  id<MTLCommandBuffer> buffer = [d->queue commandBufferWithUnretainedReferences];
  if (!buffer) return tn_metal_none(d, "command buffer");
  tn_metal_slot_of(d, d->number)->buffer = TN_RETAINED(id<MTLCommandBuffer>, buffer);
  return TINY_OK;
}
static tiny_code tn_metal_compute(tn_metal *d) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK || d->compute) return code;
  tn_metal_end(d);
  id<MTLComputeCommandEncoder> encoder =
      [tn_metal_now(d) computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  if (!encoder) return tn_metal_none(d, "encoder");
  d->compute = TN_RETAINED(id<MTLComputeCommandEncoder>, encoder);
  return TINY_OK;
}
static tiny_code tn_metal_blit(tn_metal *d) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK || d->blit) return code;
  tn_metal_end(d);
  id<MTLBlitCommandEncoder> encoder = [tn_metal_now(d) blitCommandEncoder];
  if (!encoder) return tn_metal_none(d, "encoder");
  d->blit = TN_RETAINED(id<MTLBlitCommandEncoder>, encoder);
  return TINY_OK;
}
// After launches: what is encoded begins where the GPU has nothing to do, or there is enough of it.
static tiny_code tn_metal_given(tn_metal *d) {
  enum { ENOUGH = 64 };
  tn_metal_reap(d);
  if (d->into_host || tn_metal_hosts_pending(d)) return TINY_OK;
  return d->ndispatch >= ENOUGH || d->done + 1 == d->number ? tn_metal_commit(d) : TINY_OK;
}

// Gives back an object when command buffer `used` has completed. memory: it is of the device's own.
static void tn_metal_later(tn_metal *d, id object, uint64_t used, int memory) {
  tn_metal_gone *g = used <= d->done ? NULL : (tn_metal_gone *)tiny_realloc(d->t, NULL, 0, sizeof *g);
  if (!g) {
    if (used > d->done) tn_metal_wait_for(d, used);
    tn_metal_object_drop(d, object, memory);
    return;
  }
  g->next = d->gone; g->used = used; g->memory = memory;
  g->object = object;
  d->gone = g;
}
#endif
