// queue: what a GPU is told: packets in a ring, a doorbell; how far it is, and waiting for that.
//
// In:    words. Out: submissions, numbered for each queue; waits for a number, with an end.
// Holds: behind each submission its number is in the queue's signal, when all before it has happened. A ring's part is
//        written again when what used it has happened. Signals have the lower 32 bits of a number: nothing is compared
//        across the turn from 2^32 - 1 to 0, as the host waits for all that is under way before and after it. What
//        waits is ended after timeout_ns without progress: the GPU is lost then, for this context alone.
// What is what: Linux, drivers/gpu/drm/amd/amdkfd/kfd_queue.c (sizes of what a queue is made with), kfd_doorbell.c,
// kfd_events.c (pages of events, their slots).
#ifndef TN_KFD_QUEUE
#define TN_KFD_QUEUE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "packets.c"
#endif

enum {
  TN_KFD_RING_NBYTES = 1 << 20, TN_KFD_EOP_NBYTES = 4096, TN_KFD_DOORBELLS = 0x2000, TN_KFD_PRIORITY = 7,
  TN_KFD_SIGNALS = 2048, TN_KFD_STAMPS = TN_KFD_SIGNALS - TN_KFD_QUEUES, TN_KFD_TOP = -1,
  TN_KFD_SPINS = 4000                      // that a wait looks, about a millisecond, before it sleeps
};

// ** how far **

static uint64_t tn_kfd_done(const tn_kfd_queue *q) {
  if (!q->signal) return 0;
  uint32_t low = (uint32_t)tn_driver_load((const uint64_t *)(const void *)&q->signal->value);
  if (tn_kfd_is_aql(q)) low = UINT32_MAX - low;
  return q->given - (uint32_t)((uint32_t)q->given - low);
}
static uint32_t tn_kfd_signal_value(const tn_kfd_queue *q, uint64_t number) {
  return tn_kfd_is_aql(q) ? UINT32_MAX - (uint32_t)number : (uint32_t)number;
}
static uint64_t tn_kfd_signal_at(const tn_kfd *d, int i) {
  return d->signals->va + (uint64_t)i * sizeof(tn_kfd_signal) + offsetof(tn_kfd_signal, value);
}
// A device that is lost: those who wait for its signals go on.
static void tn_kfd_let_go(tn_kfd *d) {
  for (int i = 0; i < TN_KFD_QUEUES; i++) {
    tn_kfd_queue *q = &d->queue[i];
    if (d->lost && q->signal)
      tn_driver_store((uint64_t *)(void *)&q->signal->value, tn_kfd_signal_value(q, q->given));
  }
}
static void tn_kfd_ring_bell(tn_kfd *d, const tn_kfd_queue *q) {
  *q->doorbell = tn_kfd_is_aql(q) ? q->from - 1 : q->from;
  if (d->k.sys.doorbell) d->k.sys.doorbell(d->k.sys.user, q->doorbell);
}
// ** packets in the ring **

// Of PM4 words may stand on both sides of the ring's end; of SDMA no packet does, and zeros do nothing.
static void tn_kfd_push(tn_kfd_queue *q, const tn_kfd_words *w) {
  const uint64_t mask = TN_KFD_RING_NBYTES - 1, nbytes = (uint64_t)w->n * 4;
  uint64_t at = q->put * q->unit & mask;
  for (; q->type == TN_KFD_QUEUE_SDMA && at + nbytes > TN_KFD_RING_NBYTES && at; at = q->put * q->unit & mask) {
    memset(q->ring->cpu + at, 0, 4);
    q->put += 4;
  }
  for (int i = 0; i < w->n; i++) memcpy(q->ring->cpu + ((at + (uint64_t)i * 4) & mask), &w->at[i], 4);
  q->put += nbytes / q->unit;
}
static void tn_kfd_push_end(tn_kfd *d, int queue) {
  tn_kfd_queue *q = &d->queue[queue];
  const uint64_t at = tn_kfd_signal_at(d, queue);
  tn_kfd_words w;
  w.n = 0;
  if (tn_kfd_is_aql(q)) tn_aql_signal(&w, at - offsetof(tn_kfd_signal, value));
  else if (q->type == TN_KFD_QUEUE_SDMA) tn_sdma_fence(&w, d->node.chip->family, at, (uint32_t)(q->given + 1));
  else tn_pm4_release(&w, d->node.chip->family, at, (uint32_t)(q->given + 1), TN_KFD_DATA_32);
  tn_kfd_push(q, &w);
}
static void tn_kfd_give(tn_kfd *d, tn_kfd_queue *q) {
  q->end[++q->given % TN_KFD_OUTSTANDING] = q->from = q->put;
  tn_driver_fence();
  *(volatile uint64_t *)&((tn_kfd_queue_page *)(void *)q->page->cpu)->write = q->put;
  tn_driver_fence();
  tn_kfd_ring_bell(d, q);
}
// ** woken by an interrupt **
//
// A wait that is long has the queue write to the slot of an event, and interrupt: the driver then wakes who waits for
// the event. It keeps the page with slots until the process ends, and takes one of a process: where another has it, the
// host sleeps and looks, by turns.

static void tn_kfd_wake_open(tn_kfd *d) {
  const char *given = getenv("TINY_AMD_INTERRUPTS");
  tn_kfd_create_event e;
  memset(&e, 0, sizeof e);
  d->wake_state = -1;
  if (given && !strcmp(given, "0")) return;
  tn_kfd_memory *m = tn_kfd_memory_make(d, TN_KFD_EVENT_PAGE, 1);
  if (!m) return;
  e.page = m->handle; e.type = TN_KFD_EVENT_SIGNAL; e.auto_reset = 1; e.node = (uint32_t)d->node.number;
  if (tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_CREATE_EVENT, &e, sizeof e) < 0) { tn_kfd_memory_free(d, m); return; }
  d->wake_page = m; d->wake_event = e.id;
  d->wake_state = 1;
}
static void tn_kfd_wake_close(tn_kfd *d) {
  tn_kfd_destroy_event e = {d->wake_event, 0};
  if (!d->wake_page) return;
  tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_DESTROY_EVENT, &e, sizeof e);
  tn_kfd_memory_forget(d, d->wake_page);
  d->wake_page = NULL;
  d->wake_state = -1;
}
static uint64_t tn_kfd_wake_slot(const tn_kfd *d) { return d->wake_page->va + (uint64_t)d->wake_event * 8; }
// Of AQL a signal tells of itself, once it counts, where it is told where to.
static void tn_kfd_wake_by_signal(tn_kfd *d, tn_kfd_queue *q, int on) {
  if (q->signal->event != d->wake_event) q->signal->event = d->wake_event;   // the GPU reads it where a mailbox is
  tn_driver_store(&q->signal->mailbox, on ? tn_kfd_wake_slot(d) : 0);
}
// The submission that wakes the host, behind all of this queue; 0: none does, for want of room, or as words are not
// submitted yet.
static uint64_t tn_kfd_wake_after(tn_kfd *d, int queue) {
  enum { ROOM = 512 };                     // bytes
  tn_kfd_queue *q = &d->queue[queue];
  tn_kfd_words w;
  w.n = 0;
  if (!d->wake_state) tn_kfd_wake_open(d);
  if (d->wake_state < 0 || d->lost) return 0;
  if (tn_kfd_is_aql(q)) { tn_kfd_wake_by_signal(d, q, 1); return q->given; }
  const uint64_t done = tn_kfd_done(q), used = q->put - (done ? q->end[done % TN_KFD_OUTSTANDING] : 0);
  if (q->put != q->from || q->given - done > TN_KFD_OUTSTANDING - 4 || used + ROOM / q->unit > q->size) return 0;
  if ((uint32_t)(q->given + 2) < 2) return 0;              // where numbers turn
  if (queue == TN_KFD_COMPUTE) tn_pm4_wake(&w, d->node.chip->family, tn_kfd_wake_slot(d), d->wake_event);
  else tn_sdma_wake(&w, d->node.chip->family, tn_kfd_wake_slot(d), d->wake_event);
  tn_kfd_push(q, &w);
  tn_kfd_push_end(d, queue);
  tn_kfd_give(d, q);
  return q->given;
}
// Until the host is woken, or some time. Interrupts that do not come, three in a row, are not waited for again.
static void tn_kfd_nap(tn_kfd *d, const tn_kfd_queue *q, uint64_t number) {
  enum { MS = 10, MISSED = 3 };
  int woken;
  if (tn_kfd_listen(d, MS, &woken)) tn_kfd_let_go(d);
  if (woken) d->wake_missed = 0;
  else if (tn_kfd_done(q) >= number && ++d->wake_missed == MISSED) {
    d->wake_state = -1;
    tiny_log_line(d->t, 'p', "%s: interrupts do not come; waits look by themselves", d->name);
  }
}

// ** waiting **

static tiny_code tn_kfd_too_long(tn_kfd *d) {
  d->lost = 1;
  tn_kfd_let_go(d);
  return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the device is lost: nothing has happened for %llu s; a kernel may never "
                      "end (TINY_AMD_TIMEOUT_MS); close the context, or go on with another device",
                      (unsigned long long)(d->timeout_ns / 1000000000u));
}
// How far all are that this wait may wait for: what grows is progress. Of others it is looked at whether they are lost.
static uint64_t tn_kfd_progress(tn_kfd *d) {
  uint64_t all = 0;
  for (int i = 0; i < TN_KFD_QUEUES; i++) all += tn_kfd_done(&d->queue[i]);
  for (int k = 0; k < d->npeer; k++) {
    tn_kfd *o = d->peer[k].of;
    if (tn_kfd_faulted(o)) tn_kfd_let_go(o);
    all += (uint64_t)(o->lost != 0);
    for (int i = 0; i < TN_KFD_QUEUES; i++) all += tn_kfd_done(&o->queue[i]);
  }
  return all;
}
// The device of this context that d waits for in vain; else d itself.
static tn_kfd *tn_kfd_culprit(tn_kfd *d) {
  for (int k = 0; k < d->npeer; k++) for (int i = 0; i < TN_KFD_QUEUES; i++)
    if (!d->peer[k].of->lost && tn_kfd_done(&d->peer[k].of->queue[i]) < d->peer[k].value[i]) return d->peer[k].of;
  return d;
}
static int tn_kfd_is_lost(tn_kfd *d) {
  if (!d->lost && tn_kfd_faulted(d)) tn_kfd_let_go(d);
  return d->lost;
}
// The time counts from the last progress of any queue. TINY_E_DEVICE: d is lost.
typedef struct tn_kfd_patience { uint64_t since, seen; } tn_kfd_patience;
static tiny_code tn_kfd_have_patience(tn_kfd *d, tn_kfd_patience *p) {
  if (tn_kfd_is_lost(d)) return TINY_E_DEVICE;
  const uint64_t all = tn_kfd_progress(d), now = tn_driver_clock_ns();
  if (all != p->seen) { p->seen = all; p->since = now; }
  if (now - p->since <= d->timeout_ns) return TINY_OK;
  tn_kfd *const slow = tn_kfd_culprit(d);
  tn_kfd_too_long(slow);
  return slow == d ? TINY_E_DEVICE : TINY_OK;
}
// Until the queue's submission `value` has happened: the host looks, then sleeps.
static tiny_code tn_kfd_wait_for(tn_kfd *d, int queue, uint64_t value) {
  tn_kfd_queue *q = &d->queue[queue];
  tn_kfd_patience p = {0, UINT64_MAX};
  uint64_t wakes = 0;
  tiny_code code = TINY_OK;
  for (int spins = 0; tn_kfd_done(q) < value && code == TINY_OK; spins++) {
    if (!wakes && spins >= d->spins && (spins - d->spins) % 64 == 0) wakes = tn_kfd_wake_after(d, queue);
    if (wakes && d->wake_state > 0) tn_kfd_nap(d, q, wakes);
    else {
      tn_driver_pause(spins);
      if (spins < 1000 || spins % 64) continue;
    }
    code = tn_kfd_have_patience(d, &p);
    if (d->k.sys.doorbell && code == TINY_OK) tn_kfd_ring_bell(d, q);
  }
  if (wakes && tn_kfd_is_aql(q)) tn_kfd_wake_by_signal(d, q, 0);
  return code == TINY_OK && d->lost ? TINY_E_DEVICE : code;
}
static tiny_code tn_kfd_wait_all(tn_kfd *d) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < TN_KFD_QUEUES && code == TINY_OK; i++) code = tn_kfd_wait_for(d, i, d->queue[i].given);
  return code == TINY_OK && tn_kfd_is_lost(d) ? TINY_E_DEVICE : code;
}

// ** submissions **

// Nobody waits for a number of before the turn when the signal has gone round.
static tiny_code tn_kfd_before_turn(tn_kfd *d) {
  tiny_code code = tn_kfd_wait_all(d);
  for (int k = 0; k < d->npeer && code == TINY_OK; k++) if (!d->peer[k].of->lost) tn_kfd_wait_all(d->peer[k].of);
  return code;
}
// What was written since the last one.
static tiny_code tn_kfd_submit_words(tn_kfd *d, int queue) {
  tn_kfd_queue *q = &d->queue[queue];
  if (q->put == q->from) return TINY_OK;
  const int turns = (uint32_t)(q->given + 1) == 0;
  tiny_code code = turns ? tn_kfd_before_turn(d) : TINY_OK;
  if (code == TINY_OK && q->given >= TN_KFD_OUTSTANDING - 1)
    code = tn_kfd_wait_for(d, queue, q->given - (TN_KFD_OUTSTANDING - 2));
  if (code != TINY_OK) return code;
  tn_kfd_push_end(d, queue);
  tn_kfd_give(d, q);
  return turns ? tn_kfd_wait_for(d, queue, q->given) : TINY_OK;
}
static uint64_t tn_kfd_consumed(const tn_kfd_queue *q) {
  const uint64_t done = tn_kfd_done(q);
  return done ? q->end[done % TN_KFD_OUTSTANDING] : 0;
}
// Room for n words and what ends a submission, both of which may skip the ring's end.
static tiny_code tn_kfd_room(tn_kfd *d, int queue, int n) {
  enum { END = 256 };                      // bytes
  tn_kfd_queue *q = &d->queue[queue];
  const uint64_t need = ((uint64_t)n * 8 + END) / q->unit;
  tiny_code code = TINY_OK;
  while (code == TINY_OK && q->put + need - tn_kfd_consumed(q) > q->size) {
    if (tn_kfd_done(q) == q->given) code = tn_kfd_submit_words(d, queue);
    else code = tn_kfd_wait_for(d, queue, tn_kfd_done(q) + 1);
  }
  return code;
}

// ** memory in parts **

static tiny_code tn_kfd_ring_make(tn_kfd *d, tn_kfd_ring *r, int queue, size_t part) {
  r->memory = tn_kfd_memory_make(d, part * TN_KFD_PARTS, 1);
  r->part = part; r->queue = queue;
  return r->memory ? TINY_OK : d->k.code;
}
// nbytes, up to a part's; NULL after an error. They are free again when what is submitted next has happened.
static char *tn_kfd_ring_take(tn_kfd *d, tn_kfd_ring *r, size_t nbytes, size_t align) {
  const tn_kfd_queue *q = &d->queue[r->queue];
  size_t at = (r->fill + align - 1) / align * align;
  if (at + nbytes > r->part) {
    r->busy[r->now] = q->given + 1;
    r->now = (r->now + 1) % TN_KFD_PARTS;
    if (r->busy[r->now] > q->given && tn_kfd_submit_words(d, r->queue) != TINY_OK) return NULL;
    if (tn_kfd_wait_for(d, r->queue, r->busy[r->now]) != TINY_OK) return NULL;
    at = 0;
  }
  r->fill = at + nbytes;
  return r->memory->cpu + (size_t)r->now * r->part + at;
}
static uint64_t tn_kfd_ring_va(const tn_kfd_ring *r, const char *at) {
  return r->memory->va + (uint64_t)(at - r->memory->cpu);
}

// ** waits of queues **

// Words of PM4 for a queue of AQL lie in memory, and a packet tells where.
static tiny_code tn_kfd_push_pm4(tn_kfd *d, const tn_kfd_words *w) {
  tn_kfd_queue *q = &d->queue[TN_KFD_COMPUTE];
  tn_kfd_words packet;
  if (!tn_kfd_is_aql(q)) { tn_kfd_push(q, w); return TINY_OK; }
  char *const at = tn_kfd_ring_take(d, &d->args, (size_t)w->n * 4, 64);
  if (!at) return TINY_E_DEVICE;
  memcpy(at, w->at, (size_t)w->n * 4);
  packet.n = 0;
  tn_aql_words(&packet, tn_kfd_ring_va(&d->args, at), (size_t)w->n);
  tn_kfd_push(q, &packet);
  return TINY_OK;
}
// What `queue` does next comes after number `value` of a queue whose signal lies at `signal` for this GPU.
static tiny_code tn_kfd_push_wait(tn_kfd *d, int queue, const tn_kfd_queue *of, uint64_t signal, uint64_t value) {
  const int function = tn_kfd_is_aql(of) ? TN_KFD_AT_MOST : TN_KFD_AT_LEAST;
  const tiny_code code = tn_kfd_room(d, queue, 32);
  tn_kfd_words w;
  w.n = 0;
  if (code != TINY_OK) return code;
  if (queue == TN_KFD_COMPUTE) {
    tn_pm4_wait(&w, signal, tn_kfd_signal_value(of, value), function);
    return tn_kfd_push_pm4(d, &w);
  }
  tn_sdma_wait(&w, signal, tn_kfd_signal_value(of, value), function);
  tn_kfd_push(&d->queue[queue], &w);
  return TINY_OK;
}
static tiny_code tn_kfd_after(tn_kfd *d, int queue, int other, uint64_t value) {
  tn_kfd_queue *q = &d->queue[queue], *o = &d->queue[other];
  if (value <= q->seen[other] || value <= tn_kfd_done(o)) return TINY_OK;
  q->seen[other] = value;
  return tn_kfd_push_wait(d, queue, o, tn_kfd_signal_at(d, other), value);
}

// ** opened and closed **

static tiny_code tn_kfd_queue_memory(tn_kfd *d, tn_kfd_queue *q, const tn_kfd_save *save) {
  q->ring = tn_kfd_memory_make(d, TN_KFD_RING_NBYTES, 1);
  if (q->ring) q->page = tn_kfd_memory_make(d, TN_KFD_PAGE, 1);
  if (!q->page) return d->k.code;
  if (q->type == TN_KFD_QUEUE_SDMA) return TINY_OK;
  q->eop = tn_kfd_memory_make(d, TN_KFD_EOP_NBYTES, 0);
  if (q->eop) q->save = tn_kfd_memory_make(d, save->all, 0);
  return q->save ? TINY_OK : d->k.code;
}
static void tn_kfd_queue_describe(tn_kfd *d, tn_kfd_queue *q) {
  tn_kfd_queue_page *p = (tn_kfd_queue_page *)(void *)q->page->cpu;
  const uint16_t none = TN_AQL_INVALID;
  for (uint64_t i = 0; i < q->size; i++) memcpy(q->ring->cpu + i * q->unit, &none, sizeof none);
  p->properties = TN_KFD_QUEUE_IS_64 | TN_KFD_QUEUE_PROFILES;
  p->read_base = (uint32_t)offsetof(tn_kfd_queue_page, read);
  p->most_unit = tn_kfd_units(&d->node) - 1;
  p->most_wave = d->node.waves * d->node.simds_per_unit - 1;
}
static tiny_code tn_kfd_queue_bell(tn_kfd *d, tn_kfd_queue *q, uint64_t doorbell) {
  const uint64_t page = doorbell & ~(uint64_t)(TN_KFD_DOORBELLS - 1);
  void *at = NULL;
  if (!d->bells) {
    const int result = d->k.sys.mmap(d->k.sys.user, &at, TN_KFD_DOORBELLS, TN_DRIVER_READ | TN_DRIVER_WRITE,
                                     TN_DRIVER_MAP_SHARED, d->k.kfd, (int64_t)page);
    if (result < 0) return tn_kfd_errno(&d->k, result, "mapping doorbells");
    d->bells = (char *)at; d->bells_at = page;
  }
  if (page != d->bells_at) return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the driver has doorbells in several places");
  q->doorbell = (volatile uint64_t *)(void *)(d->bells + (doorbell - page));
  return TINY_OK;
}
static tiny_code tn_kfd_queue_create(tn_kfd *d, tn_kfd_queue *q, const tn_kfd_save *save) {
  tn_kfd_create_queue c;
  memset(&c, 0, sizeof c);
  c.ring = q->ring->va; c.ring_nbytes = TN_KFD_RING_NBYTES; c.gpu = d->node.gpu; c.type = (uint32_t)q->type;
  c.wptr = q->page->va + offsetof(tn_kfd_queue_page, write);
  c.rptr = q->page->va + offsetof(tn_kfd_queue_page, read);
  c.percentage = 100; c.priority = TN_KFD_PRIORITY;
  if (q->eop) { c.eop = q->eop->va; c.eop_nbytes = TN_KFD_EOP_NBYTES; }
  if (q->save) { c.save = q->save->va; c.save_nbytes = (uint32_t)save->save;
    c.control_nbytes = (uint32_t)save->control; }
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_CREATE_QUEUE, &c, sizeof c,
                                     "a queue (AMDKFD_IOC_CREATE_QUEUE)");
  if (code != TINY_OK) return code;
  q->id = c.id;
  q->open = 1;
  return tn_kfd_queue_bell(d, q, c.doorbell);
}
static tiny_code tn_kfd_open_queue(tn_kfd *d, int i) {
  const tn_kfd_node *n = &d->node;
  const tn_kfd_save save = tn_kfd_save_of(n->chip, tn_kfd_units(n) / n->dies, tn_kfd_engines(n), n->dies);
  static const uint32_t units[] = {4, 1, 64};
  tn_kfd_queue *q = &d->queue[i];
  q->type = i != TN_KFD_COMPUTE ? TN_KFD_QUEUE_SDMA : n->dies > 1 ? TN_KFD_QUEUE_AQL : TN_KFD_QUEUE_COMPUTE;
  q->unit = units[q->type];
  q->size = TN_KFD_RING_NBYTES / q->unit;
  q->signal = (tn_kfd_signal *)(void *)d->signals->cpu + i;
  q->signal->kind = 1;                     // AMD_SIGNAL_KIND_USER
  tn_driver_store((uint64_t *)(void *)&q->signal->value, tn_kfd_signal_value(q, 0));
  tiny_code code = tn_kfd_queue_memory(d, q, &save);
  if (code != TINY_OK) return code;
  if (tn_kfd_is_aql(q)) tn_kfd_queue_describe(d, q);
  return tn_kfd_queue_create(d, q, &save);
}
static tiny_code tn_kfd_open_queues(tn_kfd *d) {
  d->signals = tn_kfd_memory_make(d, TN_KFD_SIGNALS * sizeof(tn_kfd_signal), 1);
  tiny_code code = d->signals ? TINY_OK : d->k.code;
  for (int i = 0; i < TN_KFD_QUEUES && code == TINY_OK; i++) code = tn_kfd_open_queue(d, i);
  return code;
}
// The driver ends what is still running there.
static void tn_kfd_close_queues(tn_kfd *d) {
  for (int i = TN_KFD_QUEUES - 1; i >= 0; i--) {
    tn_kfd_queue *q = &d->queue[i];
    tn_kfd_destroy_queue q_id = {q->id, 0};
    if (q->open) tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_DESTROY_QUEUE, &q_id, sizeof q_id);
    q->open = 0;
  }
  if (d->bells) d->k.sys.munmap(d->k.sys.user, d->bells, TN_KFD_DOORBELLS);
  d->bells = NULL;
}
#endif
