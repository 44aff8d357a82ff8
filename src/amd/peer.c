// peer: other GPUs of the context: their memory, mapped for this one, and the order between them.
//
// In:    memory of another device; a place in another device's order. Out: is it reached; words that have queues wait.
// Holds: memory has one address for all GPUs. Where the driver does not map it for another one, the host carries and
//        waits. A device that is lost lets those go on that wait for it, and is not what they report.
#ifndef TN_KFD_PEER
#define TN_KFD_PEER
#ifndef TINY_AMALGAMATED
#include "queue.c"
#endif

static tn_kfd_peer *tn_kfd_peer_of(tn_kfd *d, const tn_kfd *o) {
  for (int i = 0; i < d->npeer; i++) if (d->peer[i].of == o) return &d->peer[i];
  return NULL;
}
// NULL: there are too many.
static tn_kfd_peer *tn_kfd_meet(tn_kfd *d, tn_kfd *o) {
  tn_kfd *const two[2] = {o, d};
  tn_kfd_peer *p = NULL;
  for (int i = 0; i < 2; i++) {
    tn_kfd *const one = two[i], *const other = two[!i];
    p = tn_kfd_peer_of(one, other);
    if (p || one->npeer == TINY_MAX_DEVICES) continue;
    p = &one->peer[one->npeer++];
    memset(p, 0, sizeof *p);
    p->of = other;
  }
  return p;
}
// Memory of another device of this context, or of the host's that it has: may this one read it? 0 is no error.
static int tn_kfd_reaches(tn_kfd *d, tn_kfd *o, tn_kfd_memory *m) {
  tn_kfd_peer *p = tn_kfd_meet(d, o);
  for (int i = 0; i < m->ngpu; i++) if (m->gpus[i] == d->node.gpu) return 1;
  if (!p || !tn_kfd_same_system(&d->k.sys, &o->k.sys) || (p->refused && !m->cpu)) return 0;
  if (tn_kfd_map_for(d, m, d->node.gpu) == TINY_OK) return 1;
  p->refused |= !m->cpu;
  tiny_log_line(d->t, 'p', "%s: another GPU's memory is not reached (%s): the host carries it", d->name, d->k.why);
  d->k.code = TINY_OK;
  return 0;
}
// Before memory of d's is given back: others have done what they were given.
static void tn_kfd_unshare(tn_kfd *d) {
  for (int i = 0; i < d->npeer; i++) {
    tn_kfd *o = d->peer[i].of;
    for (int q = 0; q < TN_KFD_QUEUES && !o->lost; q++)
      if (tn_kfd_submit_words(o, q) == TINY_OK) tn_kfd_wait_for(o, q, o->queue[q].given);
  }
}
// Before d is closed.
static void tn_kfd_part(tn_kfd *d) {
  tn_kfd_unshare(d);
  for (int i = 0; i < d->npeer; i++) {
    tn_kfd *o = d->peer[i].of;
    tn_kfd_peer *p = tn_kfd_peer_of(o, d);
    if (p) *p = o->peer[--o->npeer];
  }
  d->npeer = 0;
}

// ** order between devices **

// A place in a device's order: of the queues whose work others see, compute and copies to the GPU. of and t are looked
// into on t's thread alone.
typedef struct tn_kfd_event {
  tn_kfd *of; tiny_ctx *t; const uint64_t *signal[2]; uint64_t value[2]; int aql[2];
} tn_kfd_event;

// What it waits for itself is submitted, so that those who wait for the event wait for that, too.
static void *tn_kfd_event_new(void *dev) {
  tn_kfd *d = (tn_kfd *)dev;
  if (tn_kfd_enter(d) != TINY_OK) return NULL;
  for (int i = 0; i < 2; i++) if (tn_kfd_check(d, tn_kfd_submit_words(d, i)) != TINY_OK) return NULL;
  tn_kfd_event *e = (tn_kfd_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name); return NULL; }
  e->of = d; e->t = d->t;
  for (int i = 0; i < 2; i++) {
    e->signal[i] = (const uint64_t *)(const void *)&d->queue[i].signal->value;
    e->value[i] = d->queue[i].given;
    e->aql[i] = tn_kfd_is_aql(&d->queue[i]);
  }
  return e;
}
// By what a thread may see that has nothing else of the device: numbers within 2^31 of each other.
static int tn_kfd_happened(const tn_kfd_event *e, int i) {
  const uint32_t low = (uint32_t)tn_driver_load(e->signal[i]), done = e->aql[i] ? UINT32_MAX - low : low;
  return (int32_t)(done - (uint32_t)e->value[i]) >= 0;
}
// The host waits: what goes wrong there, or takes too long, the other device tells.
static void tn_kfd_wait_by_host(const tn_kfd *d, const tn_kfd_event *e) {
  const uint64_t since = tn_driver_clock_ns();
  for (int i = 0; i < 2; i++)
    for (int spins = 0; !tn_kfd_happened(e, i); spins++) {
      tn_driver_pause(spins);
      if (spins % 64 == 63 && tn_driver_clock_ns() - since > d->timeout_ns) return;
    }
}
// All queues wait, from their next words on.
static tiny_code tn_kfd_wait_by_queues(tn_kfd *d, const tn_kfd_event *e) {
  tn_kfd *o = e->of;
  tn_kfd_peer *p = tn_kfd_peer_of(d, o);
  for (int i = 0; i < 2; i++) {
    if (p && p->value[i] < e->value[i]) p->value[i] = e->value[i];
    for (int q = 0; q < TN_KFD_QUEUES && !tn_kfd_happened(e, i); q++) {
      const tiny_code code = tn_kfd_push_wait(d, q, &o->queue[i], tn_kfd_signal_at(o, i), e->value[i]);
      if (code != TINY_OK) return tn_kfd_failed(d);
    }
  }
  return TINY_OK;
}
// Of another context the host waits: its memory is not this one's to map.
static tiny_code tn_kfd_wait(void *dev, void *event) {
  tn_kfd *d = (tn_kfd *)dev;
  const tn_kfd_event *e = (const tn_kfd_event *)event;
  if (e->of == d || d->lost || (tn_kfd_happened(e, 0) && tn_kfd_happened(e, 1))) return TINY_OK;
  if (e->t == d->t && tn_kfd_reaches(d, e->of, e->of->signals)) return tn_kfd_wait_by_queues(d, e);
  tn_kfd_wait_by_host(d, e);
  return TINY_OK;
}
static void tn_kfd_event_free(void *dev, void *event) {
  tiny_realloc(((const tn_kfd *)dev)->t, event, sizeof(tn_kfd_event), 0);
}
#endif
