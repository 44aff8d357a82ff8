// peer: other GPUs of the process: their memory, seen by this one's engines, and their semaphores, which it waits for.
//
// In:    memory of another device, by a handle of its client; a place in another device's order. Out: an address; words
//        that have the channels wait. 0, or no words, where the driver does not let the GPU reach it: then the host
//        carries and waits.
// Holds: what another device has is mapped once, to be read. It is given back before that device gives its memory back.
//        A device that is lost lets those go on that wait for it, and is not what they report.
// What is what: NVIDIA/open-gpu-kernel-modules, kernel-open/nvidia-uvm/uvm_ioctl.h, uvm_map_external.c (the owner of
// mapped memory has to be registered, and be a peer unless the memory is the host's), uvm_va_space.c (GPUs that NVLink
// connects are peers from the beginning, and enabling them again is refused).
#ifndef TN_NV_PEER
#define TN_NV_PEER
#ifndef TINY_AMALGAMATED
#include "channel.c"
#endif

// Memory that another device has.
typedef struct tn_nv_theirs {
  tiny_nv_system system; tn_nv_handle handle; uint64_t of, va, nbytes; uint8_t uuid[16]; int host;
} tn_nv_theirs;

static tn_nv_theirs tn_nv_theirs_of(const tn_nv *o, const tn_nv_memory *m) {
  tn_nv_theirs x;
  memset(&x, 0, sizeof x);
  x.system = o->rm.sys;
  x.handle.control = o->rm.control; x.handle.client = o->rm.root; x.handle.memory = m->handle;
  x.of = o->serial; x.va = m->va; x.nbytes = m->nbytes; x.host = m->cpu != NULL;
  memcpy(x.uuid, o->uuid, 16);
  return x;
}

// ** which GPUs may reach which **

static void tn_nv_enable_peers(tn_nv *d, const uint8_t uuid[16]) {
  tn_uvm_peers p;
  memset(&p, 0, sizeof p);
  memcpy(p.uuid[0], d->uuid, 16);
  memcpy(p.uuid[1], uuid, 16);
  tn_nv_uvm(&d->rm, TN_UVM_ENABLE_PEERS, &p, &p.status, "UVM_ENABLE_PEER_ACCESS");     // mapping tells whether it is
}
// NULL: nvidia-uvm does not take it.
static tn_nv_neighbour *tn_nv_neighbour_of(tn_nv *d, const uint8_t uuid[16]) {
  for (int i = 0; i < d->nneighbour; i++) if (!memcmp(d->neighbour[i].uuid, uuid, 16)) return &d->neighbour[i];
  if (d->nneighbour == TN_NV_CARDS) return NULL;
  tn_nv_neighbour *n = &d->neighbour[d->nneighbour];
  memset(n, 0, sizeof *n);
  memcpy(n->uuid, uuid, 16);
  n->peers = 1;
  if (memcmp(uuid, d->uuid, 16)) {
    uint8_t told[16];
    memcpy(told, uuid, 16);
    if (tn_nv_uvm_register(&d->rm, told) != TINY_OK) return NULL;
    tn_nv_enable_peers(d, uuid);
  }
  d->nneighbour++;
  return n;
}

// ** their memory, mapped **

static tn_nv_memory *tn_nv_view_known(tn_nv *d, uint64_t of, uint32_t handle) {
  for (tn_nv_memory *m = d->memory; m; m = m->next) if (m->of == of && m->theirs == handle && of) return m;
  return NULL;
}
// Of the host's memory the address is that of the host. What lies there was a device's that is closed.
static void tn_nv_view_clear(tn_nv *d, const tn_nv_theirs *x) {
  for (tn_nv_memory *m = d->memory, *next; m; m = next) {
    next = m->next;
    if (m->of && m->va < x->va + x->nbytes && x->va < m->va + m->nbytes) tn_nv_memory_free(d, m);
  }
}
static tn_nv_memory *tn_nv_view_make(tn_nv *d, const tn_nv_theirs *x) {
  tn_nv_memory *m = (tn_nv_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) return NULL;
  memset(m, 0, sizeof *m);
  if (x->host) tn_nv_view_clear(d, x);
  m->of = x->of; m->theirs = x->handle.memory; m->nbytes = x->nbytes;
  m->va = x->host ? x->va : tn_nv_high(d, x->nbytes, 2u << 20);
  const int range = m->va && tn_nv_uvm_range(&d->rm, m->va, m->nbytes) == TINY_OK;
  if (range && tn_nv_uvm_map(&d->rm, d->uuid, m->va, m->nbytes, x->handle, TN_UVM_READ_ONLY) == TINY_OK) {
    m->next = d->memory;
    return d->memory = m;
  }
  if (range) tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  tiny_realloc(d->t, m, sizeof *m, 0);
  return NULL;
}
// Where this GPU sees the beginning of their memory; 0: nowhere, which is no error.
static uint64_t tn_nv_view_of(tn_nv *d, const tn_nv_theirs *x) {
  tn_nv_memory *m = tn_nv_view_known(d, x->of, x->handle.memory);
  if (m || !tn_nv_same_system(&d->rm.sys, &x->system)) return m ? m->va : 0;
  tn_nv_neighbour *n = tn_nv_neighbour_of(d, x->uuid);
  if (!n || (n->peers < 0 && !x->host)) return 0;
  m = tn_nv_view_make(d, x);
  if (!m && !x->host) n->peers = -1;
  if (m) return m->va;
  tiny_log_line(d->t, 'p', "%s: another GPU's memory is not reached (%s): the host carries it", d->name, d->rm.why);
  d->rm.code = TINY_OK;
  return 0;
}

// ** devices of one context, which see each other's memory **

static tn_nv_peer *tn_nv_peer_of(tn_nv *d, const tn_nv *o) {
  for (int i = 0; i < d->npeer; i++) if (d->peer[i].of == o) return &d->peer[i];
  return NULL;
}
static void tn_nv_meet(tn_nv *d, tn_nv *o) {
  tn_nv *const two[2] = {d, o};
  for (int i = 0; i < 2; i++) {
    tn_nv *const one = two[i], *const other = two[!i];
    if (tn_nv_peer_of(one, other) || one->npeer == TINY_MAX_DEVICES) continue;
    memset(&one->peer[one->npeer], 0, sizeof *one->peer);
    one->peer[one->npeer++].of = other;
  }
}
// What others see of d's memory (handle 0: of all of it) goes, when they have done what they were given.
static void tn_nv_unshare(tn_nv *d, uint32_t handle) {
  for (int i = 0; i < d->npeer; i++) {
    tn_nv *o = d->peer[i].of;
    for (tn_nv_memory *m = o->memory, *next; m; m = next) {
      next = m->next;
      if (m->of != d->serial || (handle && m->theirs != handle)) continue;
      for (int c = 0; c < TN_NV_CHANNELS && !o->lost; c++)
        if (tn_nv_submit_words(o, c) == TINY_OK) tn_nv_wait_for(o, c, o->channel[c].given);
      tn_nv_memory_free(o, m);
    }
  }
}
// Before d is closed.
static void tn_nv_part(tn_nv *d) {
  tn_nv_unshare(d, 0);
  for (int i = 0; i < d->npeer; i++) {
    tn_nv *o = d->peer[i].of;
    tn_nv_peer *p = tn_nv_peer_of(o, d);
    if (p) *p = o->peer[--o->npeer];
  }
  d->npeer = 0;
}

// ** order between devices **

// A place in a device's order, for a thread that knows no more of it. of: only compared, unless t is the same.
typedef struct tn_nv_event {
  tn_nv *of; tiny_ctx *t; tn_nv_theirs signals; const uint64_t *done[2]; uint64_t value[2];
} tn_nv_event;

// What it waits for itself is submitted, so that those who wait for the event wait for that, too.
static void *tn_nv_event_new(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  if (tn_nv_enter(d) != TINY_OK) return NULL;
  for (int i = 0; i < 2; i++) if (tn_nv_check(d, tn_nv_submit_words(d, i)) != TINY_OK) return NULL;
  tn_nv_event *e = (tn_nv_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name); return NULL; }
  e->of = d; e->t = d->t; e->signals = tn_nv_theirs_of(d, d->signals);
  for (int i = 0; i < 2; i++) { e->done[i] = d->channel[i].done; e->value[i] = d->channel[i].given; }
  return e;
}
// The host waits: what goes wrong there, or takes too long, the other device tells.
static void tn_nv_wait_by_host(const tn_nv *d, const tn_nv_event *e) {
  const uint64_t since = tn_driver_clock_ns();
  for (int i = 0; i < 2; i++)
    for (int spins = 0; tn_driver_load(e->done[i]) < e->value[i]; spins++) {
      tn_driver_pause(spins);
      if (spins % 64 == 63 && tn_driver_clock_ns() - since > d->timeout_ns) return;
    }
}
// All channels wait, from their next words on.
static tiny_code tn_nv_wait_by_channels(tn_nv *d, const tn_nv_event *e, uint64_t signals) {
  for (int c = 0; c < TN_NV_CHANNELS; c++) {
    const tiny_code code = tn_nv_room(d, c, 2 * TN_NV_RELEASE_WORDS);
    if (code != TINY_OK) return tn_nv_failed(d);
    for (int i = 0; i < 2; i++)
      if (tn_driver_load(e->done[i]) < e->value[i])
        tn_nv_semaphore(&d->channel[c], signals + (uint64_t)i * TN_NV_SEM_NBYTES, e->value[i], TN_NV_SEM_ACQUIRE);
  }
  return TINY_OK;
}
static tiny_code tn_nv_wait(void *dev, void *event) {
  tn_nv *d = (tn_nv *)dev;
  const tn_nv_event *e = (const tn_nv_event *)event;
  const int happened = tn_driver_load(e->done[0]) >= e->value[0] && tn_driver_load(e->done[1]) >= e->value[1];
  if (e->of == d || happened || d->lost) return TINY_OK;
  const uint64_t signals = tn_nv_view_of(d, &e->signals);
  if (!signals) { tn_nv_wait_by_host(d, e); return TINY_OK; }
  if (e->t == d->t) {
    tn_nv_meet(d, e->of);
    tn_nv_peer *p = tn_nv_peer_of(d, e->of);
    for (int i = 0; p && i < 2; i++) if (p->value[i] < e->value[i]) p->value[i] = e->value[i];
  }
  return tn_nv_wait_by_channels(d, e, signals);
}
static void tn_nv_event_free(void *dev, void *event) {
  tiny_realloc(((const tn_nv *)dev)->t, event, sizeof(tn_nv_event), 0);
}
#endif
