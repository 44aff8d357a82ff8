// amd_mock_gpu.c: command processors and copy engines: rings read packet by packet, field by field; kernels begun, and
// ended as late as the packets allow.
#include "amd_mock_state.h"
#include <sys/mman.h>

// Wrong in what a queue was sent: said, and the queue stops.
#define AKM_STOP(...) akm_stop(q, akm_wrong(m, 0, __VA_ARGS__))
enum { AKM_WAITS = 1, AKM_DONE = 0 };      // of a packet; below 0: the queue stopped

static int akm_stop(akm_queue *q, int wrong) {
  q->dead = 1;
  return wrong ? wrong : -1;
}
static uint32_t akm_unit(const akm_queue *q) { return q->type == 0 ? 4 : q->type == 1 ? 1 : 64; }
static uint64_t akm_clock(amd_mock *m) { return m->time += 1 + akm_random(m, 8); }

// ---- faults

static void akm_stop_gpu(amd_mock *m, int gpu) {
  for (int i = 0; i < m->nqueue; i++) if (m->queues[i]->gpu == gpu) m->queues[i]->dead = 1;
}
// The driver tells every event of the process, and takes the GPU's queues away.
static void akm_fault(amd_mock *m, int gpu, uint64_t va, int reset) {
  for (int i = 0; i < m->nevent; i++) {
    akm_event *e = &m->events[i];
    if (e->type != (reset ? 3u : 8u)) continue;
    memset(e->words, 0, sizeof e->words);
    if (!e->live) continue;
    e->signalled = 1;
    if (reset) { e->words[0] = 1; e->words[2] = 1; e->words[3] = akm_gpu_id(gpu); }
    else { e->words[0] = 1; e->words[4] = akm_gpu_id(gpu); e->va = va; }
  }
  akm_stop_gpu(m, gpu);
  pthread_cond_broadcast(&m->told);
}

// ---- memory that packets name

static uint8_t *akm_named(amd_mock *m, akm_queue *q, uint64_t at, uint64_t n, int writes, const char *what) {
  uint8_t *p = akm_at(m, q->gpu, at, n, writes);
  if (!p) AKM_STOP("%s: 0x%llx is not mapped for the GPU", what, (unsigned long long)at);
  return p;
}
static void akm_store32(uint8_t *p, uint32_t value) { __atomic_store_n((uint32_t *)(void *)p, value,
                                                                       __ATOMIC_RELEASE); }
static int akm_compare(uint32_t function, uint32_t x, uint32_t y) {
  switch (function) {
    case 1: return x < y;
    case 2: return x <= y;
    case 3: return x == y;
    case 4: return x != y;
    case 5: return x >= y;
    case 6: return x > y;
    default: return 1;
  }
}
static int akm_wait(amd_mock *m, akm_queue *q, uint64_t at, uint32_t function, uint32_t value, uint32_t mask) {
  const uint8_t *p = akm_named(m, q, at, 4, 0, "a wait");
  if (!p) return -1;
  const uint32_t is = __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_ACQUIRE) & mask;
  if (akm_compare(function, is, value)) { q->parked = 0; return AKM_DONE; }
  if (q->parked != at) m->counts.waits++;
  q->parked = at;
  snprintf(q->waits, sizeof q->waits, "0x%x at 0x%llx, for %s 0x%x", is, (unsigned long long)at,
           function == 2 ? "<=" : function == 5 ? ">=" : "another than", value);
  return AKM_WAITS;
}

// ---- kernels

typedef struct akm_reach { amd_mock *m; int gpu; } akm_reach;
static void *akm_reach_at(void *memory, uint64_t address, uint64_t nbytes, int writes) {
  const akm_reach *r = memory;
  return akm_at(r->m, r->gpu, address, nbytes, writes);
}
// What the host does not see lies at the GPU's addresses while a kernel runs. How much of memory that is.
static int akm_show(amd_mock *m, int gpu, int protection, amd_mock_range *range) {
  int n = 0;
  for (int i = 0; i < m->nmemory; i++) {
    const akm_memory *o = m->memory[i];
    if (!o->mapped[gpu]) continue;
    if (o->hidden) mprotect((void *)(uintptr_t)o->va, o->nbytes, protection);
    if (range) range[n++] = (amd_mock_range){o->va, o->nbytes, (int)(o->flags >> 31)};
  }
  return n;
}
static int akm_job_run(amd_mock *m, akm_queue *q, akm_job *j) {
  akm_reach reach = {m, q->gpu};
  char error[600] = "";
  uint64_t fault = 0, ticks = 0;
  const long n = ++m->counts.launches;
  if (m->desc.hang_launch == n) { q->hangs = q->dead = 1; return -1; }
  if (m->desc.fault_launch == n) { akm_fault(m, q->gpu, 0xdead0000, 0); return -1; }
  if (m->desc.reset_launch == n) { akm_fault(m, q->gpu, 0, 1); return -1; }
  if (!m->desc.run) return AKM_STOP("a kernel was launched, and nothing runs kernels");
  j->d.at = akm_reach_at; j->d.memory = &reach; j->d.ticks = &ticks;
  const uint64_t begin = akm_clock(m);
  amd_mock_range *range = calloc((size_t)m->nmemory + 1, sizeof *range);
  if (!range) abort();
  j->d.nranges = akm_show(m, q->gpu, PROT_READ | PROT_WRITE, range);
  j->d.range = range;
  const int failed = m->desc.run(m->desc.run_user, &j->d, &fault, error, sizeof error);
  akm_show(m, q->gpu, PROT_NONE, NULL);
  free(range);
  m->time += ticks;
  if (failed && fault) { akm_fault(m, q->gpu, fault, 0); return -1; }
  if (failed) return AKM_STOP("a kernel: %s", error);
  uint8_t *s = j->signal ? akm_named(m, q, j->signal, 64, 1, "a signal") : NULL;
  if (!s) return j->signal ? -1 : AKM_DONE;
  akm_put64(s, 0x20, begin);
  akm_put64(s, 0x28, akm_clock(m));
  __atomic_fetch_sub((int64_t *)(void *)(s + 8), 1, __ATOMIC_RELEASE);
  return AKM_DONE;
}
// All that have begun end, in any order.
static int akm_jobs_end(amd_mock *m, akm_queue *q) {
  while (q->njob) {
    const int i = (int)akm_random(m, (uint32_t)q->njob);
    akm_job j = q->jobs[i];
    q->jobs[i] = q->jobs[--q->njob];
    if (akm_job_run(m, q, &j) < 0) return -1;
  }
  return AKM_DONE;
}
// Instructions that were read before come from the cache, until it is emptied.
static int akm_code_is_old(amd_mock *m, akm_queue *q, uint64_t entry) {
  const uint8_t *p = akm_at(m, q->gpu, entry, 256, 0);
  uint64_t h = 0xcbf29ce484222325u;
  if (!p) return AKM_STOP("a kernel begins at 0x%llx, which is not mapped for the GPU", (unsigned long long)entry);
  for (size_t i = 0; i < 256; i += 4) h = (h ^ akm_get32(p, i)) * 0x100000001b3u;       // FNV-1a, by words
  for (int i = 0; i < q->nseen; i++) {
    akm_seen *s = &q->seen[i];
    if (s->entry != entry) continue;
    const int old = s->hash != h && s->epoch == q->epoch;
    s->hash = h; s->epoch = q->epoch;
    return old ? AKM_STOP("a kernel at 0x%llx: the instruction cache still has what was there before",
                          (unsigned long long)entry) : 0;
  }
  q->seen = akm_more(q->seen, q->nseen, sizeof *q->seen);
  q->seen[q->nseen++] = (akm_seen){entry, h, q->epoch};
  return 0;
}
static int akm_begin(amd_mock *m, akm_queue *q, const akm_job *j) {
  const amd_mock_dispatch *d = &j->d;
  const uint64_t items = (uint64_t)d->local[0] * d->local[1] * d->local[2];
  if (!items || items > 1024) return AKM_STOP("a kernel: groups of %llu items", (unsigned long long)items);
  if (d->shared > 65536) return AKM_STOP("a kernel: %u bytes of LDS", d->shared);
  if (!d->groups[0] || !d->groups[1] || !d->groups[2]) return AKM_STOP("a kernel: no groups");
  if (akm_code_is_old(m, q, d->entry)) return -1;
  q->jobs = akm_more(q->jobs, q->njob, sizeof *q->jobs);
  q->jobs[q->njob++] = *j;
  return AKM_DONE;
}

// ---- PM4: registers (gc_11_0_0_offset.h, gc_9_4_3_offset.h), from mmCOMPUTE_DISPATCH_INITIATOR on

static int akm_sh_set(amd_mock *m, akm_queue *q, const uint32_t *w, uint32_t n) {
  const uint32_t first = w[0] & 0xffff;
  if (w[0] >> 16) return AKM_STOP("SET_SH_REG: index 0x%x", w[0]);
  if (first < AKM_SH_FIRST || first + n - 1 > AKM_SH_FIRST + AKM_SH) return AKM_STOP("SET_SH_REG: 0x%x is none of "
                                                                                     "compute", first);
  for (uint32_t i = 0; i + 1 < n; i++) {
    q->sh[first - AKM_SH_FIRST + i] = w[1 + i];
    q->is_set[first - AKM_SH_FIRST + i] = 1;
  }
  return AKM_DONE;
}
static uint32_t akm_sh(const akm_queue *q, uint32_t at) { return q->sh[at - AKM_SH_FIRST]; }
// What a dispatch takes that was never set on this queue.
static int akm_sh_missing(amd_mock *m, akm_queue *q) {
  const uint32_t third = m->chip->family == 9 ? 0x22d : 0x228;
  const uint32_t wanted[] = {0x204, 0x205, 0x206, 0x207, 0x208, 0x209, 0x20c, 0x20d, 0x212, 0x213, 0x215, 0x218,
      0x21b, 0x21c,
                             0x21d, third};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!q->is_set[wanted[i] - AKM_SH_FIRST]) return AKM_STOP("DISPATCH_DIRECT: register 0x%x was never set",
                                                              wanted[i]);
  return AKM_DONE;
}
static int akm_scratch_wrong(amd_mock *m, akm_queue *q, akm_job *j) {
  const uint32_t ring = akm_sh(q, 0x218), waves = ring & 0xfff, granule = m->chip->family == 9 ? 1024 : 256;
  const uint32_t engines = m->chip->family == 9 ? 1 : m->chip->arrays / m->chip->arrays_per_engine;
  const uint64_t of_wave = (uint64_t)(ring >> 12) * granule;
  const uint64_t base = ((uint64_t)akm_sh(q, 0x211) << 32 | akm_sh(q, 0x210)) << 8;
  if (!(j->d.rsrc2 & 1)) return AKM_DONE;
  if (!waves || !of_wave || !q->is_set[0x10] || !akm_at(m, q->gpu, base, of_wave * waves * engines, 1))
    return AKM_STOP("DISPATCH_DIRECT: scratch of %u waves of %llu bytes at 0x%llx is no memory", waves * engines,
                    (unsigned long long)of_wave, (unsigned long long)base);
  j->d.scratch = (uint32_t)(of_wave / 64);
  return AKM_DONE;
}
static int akm_dispatch(amd_mock *m, akm_queue *q, const uint32_t *w) {
  akm_job j = {0};
  amd_mock_dispatch *d = &j.d;
  if (akm_sh_missing(m, q) < 0) return -1;
  if (m->chip->dies > 1) return AKM_STOP("DISPATCH_DIRECT: every die would run it");
  if ((w[3] & ~(1u << 15)) != 5) return AKM_STOP("DISPATCH_DIRECT: initiator 0x%x", w[3]);
  for (uint32_t i = 0x204; i < 0x207; i++) if (akm_sh(q, i)) return AKM_STOP("DISPATCH_DIRECT: it begins at %u",
                                                                             akm_sh(q, i));
  for (uint32_t i = 0x21b; i < 0x21e; i++) if (akm_sh(q, i)) return AKM_STOP("DISPATCH_DIRECT: it restarts at %u",
                                                                             akm_sh(q, i));
  d->chip = m->chip->number;
  d->entry = ((uint64_t)akm_sh(q, 0x20d) << 32 | akm_sh(q, 0x20c)) << 8;
  d->rsrc1 = akm_sh(q, 0x212); d->rsrc2 = akm_sh(q, 0x213); d->rsrc3 = akm_sh(q, m->chip->family == 9 ? 0x22d : 0x228);
  d->wave = w[3] >> 15 & 1 ? 32 : 64;
  if (d->wave != (m->chip->family == 9 ? 64 : 32)) return AKM_STOP("DISPATCH_DIRECT: waves of %d", d->wave);
  for (int i = 0; i < 16 && i < (int)(d->rsrc2 >> 1 & 31) && q->is_set[0x40 + i]; i++)
    d->user[d->nuser++] = akm_sh(q, 0x240 + (uint32_t)i);
  for (int i = 0; i < 3; i++) {
    d->groups[i] = w[i];
    d->local[i] = akm_sh(q, 0x207 + (uint32_t)i);
    if (d->local[i] >> 16) return AKM_STOP("DISPATCH_DIRECT: groups of 0x%x items, some in part", d->local[i]);
  }
  d->shared = (d->rsrc2 >> 15 & 0x1ff) * 512;
  return akm_scratch_wrong(m, q, &j) < 0 ? -1 : akm_begin(m, q, &j);
}
static int akm_acquire_mem(amd_mock *m, akm_queue *q, const uint32_t *w) {
  const int gfx9 = m->chip->family == 9;
  const uint32_t caches = gfx9 ? w[0] : w[6];
  if (w[1] != 0xffffffff || (w[2] != (gfx9 ? 0xffffffu : 0xffffffffu)) || w[3] || w[4])
    return AKM_STOP("ACQUIRE_MEM: not all of memory: %x %x %x %x", w[1], w[2], w[3], w[4]);
  if (gfx9 ? caches & ~0x28c40000u : (caches & ~0xc3f1u) || w[0] || w[5]) return AKM_STOP("ACQUIRE_MEM: 0x%x", caches);
  if (gfx9 ? caches >> 29 & 1 : caches & 1) q->epoch++;
  return AKM_DONE;
}
static int akm_release_mem(amd_mock *m, akm_queue *q, const uint32_t *w) {
  const uint32_t caches = m->chip->family == 9 ? 0x88000u : 0x70f000u, data = w[1] >> 29;
  const uint64_t at = (uint64_t)w[3] << 32 | w[2];
  if ((w[0] & 0xfff) != 0x514 || (w[0] & ~0xfffu) != caches) return AKM_STOP("RELEASE_MEM: event 0x%x", w[0]);
  const int interrupts = (w[1] & 0x1fffffff) == 2u << 24 && data == 1;
  if ((w[1] & 0x1fffffff && !interrupts) || (data != 1 && data != 3) || (w[6] && !interrupts))
    return AKM_STOP("RELEASE_MEM: 0x%x", w[1]);
  if (at % (data == 3 ? 8 : 4)) return AKM_STOP("RELEASE_MEM: 0x%llx is not aligned", (unsigned long long)at);
  if (m->chip->dies > 1) return AKM_STOP("RELEASE_MEM: every die would write it");
  if (akm_jobs_end(m, q) < 0) return -1;
  uint8_t *p = akm_named(m, q, at, data == 3 ? 8 : 4, 1, "RELEASE_MEM");
  if (!p) return -1;
  if (data == 3) akm_put64(p, 0, akm_clock(m)); else akm_store32(p, w[4]);
  return interrupts && akm_interrupt(m, w[6]) ? akm_stop(q, 0) : AKM_DONE;
}
static int akm_pm4(amd_mock *m, akm_queue *q, uint32_t op, const uint32_t *w, uint32_t n) {
  static const struct { uint8_t op, n; } sizes[] = {{0x15, 4}, {0x3c, 6}, {0x3f, 3}, {0x46, 1}, {0x49, 7}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i].op == op && sizes[i].n != n) return AKM_STOP("PM4 0x%x: %u words, not %u", op, n, sizes[i].n);
  const uint64_t at = n > 2 ? (uint64_t)w[2] << 32 | w[1] : 0;
  switch (op) {
    case 0x10: return AKM_DONE;
    case 0x15: return akm_dispatch(m, q, w);
    case 0x3c:
      if ((w[0] & 7) == 0 || (w[0] & 7) > 6 || (w[0] & ~7u) != 0x10) return AKM_STOP("WAIT_REG_MEM: 0x%x", w[0]);
      return akm_wait(m, q, at, w[0] & 7, w[3], w[4]);
    case 0x3f:
      if (q->list) return AKM_STOP("INDIRECT_BUFFER: in a list");
      if ((w[2] & 0xfff00000u) != 0x800000 || w[0] % 4 || !(w[2] & 0xfffff)) return AKM_STOP("INDIRECT_BUFFER: 0x%x",
                                                                                             w[2]);
      q->list = (uint64_t)w[1] << 32 | w[0]; q->list_words = w[2] & 0xfffff; q->list_at = 0;
      m->counts.lists++;
      return akm_named(m, q, q->list, q->list_words * 4, 0, "INDIRECT_BUFFER") ? AKM_DONE : -1;
    case 0x46:
      if (w[0] != 0x407) return AKM_STOP("EVENT_WRITE: 0x%x", w[0]);
      return akm_jobs_end(m, q);
    case 0x49: return akm_release_mem(m, q, w);
    case 0x58:
      if (n != (m->chip->family == 9 ? 6u : 7u)) return AKM_STOP("ACQUIRE_MEM: %u words", n);
      return akm_acquire_mem(m, q, w);
    case 0x76: return n < 2 ? AKM_STOP("SET_SH_REG: %u words", n) : akm_sh_set(m, q, w, n);
    default: return AKM_STOP("PM4: 0x%x is no packet that is known", op);
  }
}
// One packet of `left` words that begin as `word` gives them. Its words to *n.
static int akm_pm4_step(amd_mock *m, akm_queue *q, const uint32_t *w, uint64_t left, uint32_t *n) {
  if (w[0] >> 30 != 3 || (w[0] & 0xff)) return AKM_STOP("PM4: 0x%08x is no header", w[0]);
  *n = (w[0] >> 16 & 0x3fff) + 2;
  if (*n > left) return AKM_STOP("PM4 0x%x: %u words, and %llu are there", w[0] >> 8 & 0xff, *n,
                                 (unsigned long long)left);
  return akm_pm4(m, q, w[0] >> 8 & 0xff, w + 1, *n - 1);
}
static int akm_list_step(amd_mock *m, akm_queue *q) {
  const uint8_t *p = akm_named(m, q, q->list, q->list_words * 4, 0, "a list");
  uint32_t n = 0, w[64];
  const uint64_t left = q->list_words - q->list_at;
  if (!p) return -1;
  memcpy(w, p + q->list_at * 4, (left < 64 ? left : 64) * 4);
  const uint64_t was = q->list;
  const int r = akm_pm4_step(m, q, w, left < 64 ? left : 64, &n);
  if (r == AKM_DONE && q->list == was) q->list_at += n;
  if (r == AKM_DONE && q->list_at == q->list_words) q->list = 0;
  return r;
}

// ---- rings

static void akm_ring_read(const akm_queue *q, uint64_t at, uint32_t *w, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) w[i] = akm_get32((const uint8_t *)(uintptr_t)q->ring,
                                                    (at + i * 4) & (q->nbytes - 1));
}
static int akm_pm4_ring(amd_mock *m, akm_queue *q) {
  const uint64_t left = q->rung - q->done;
  uint32_t w[64], n = 0;
  akm_ring_read(q, q->done * 4, w, left < 64 ? left : 64);
  const int r = akm_pm4_step(m, q, w, left < 64 ? left : 64, &n);
  if (r == AKM_DONE) q->done += n;
  return r;
}
static int akm_sdma_copy(amd_mock *m, akm_queue *q, const uint32_t *w) {
  const uint64_t n = (uint64_t)w[1] + 1, from = (uint64_t)w[4] << 32 | w[3], to = (uint64_t)w[6] << 32 | w[5];
  if (w[0] != 1 || w[1] >> 30 || w[2]) return AKM_STOP("SDMA copy: %x %x %x", w[0], w[1], w[2]);
  const uint8_t *a = akm_named(m, q, from, n, 0, "SDMA copy");
  uint8_t *b = a ? akm_named(m, q, to, n, 1, "SDMA copy") : NULL;
  if (!b) return -1;
  memmove(b, a, n);
  m->counts.copies++;
  m->counts.copied_nbytes += n;
  return AKM_DONE;
}
static int akm_sdma_ring(amd_mock *m, akm_queue *q) {
  static const uint8_t sizes[16] = {[0] = 1, [1] = 7, [5] = 4, [6] = 2, [8] = 6};
  const uint64_t left = (q->rung - q->done) / 4, at = q->done & (q->nbytes - 1);
  uint32_t w[8];
  akm_ring_read(q, at, w, left < 8 ? left : 8);
  const uint32_t op = w[0] & 0xff, n = op < 16 ? sizes[op] : 0;
  int r = AKM_DONE;
  if (!n || n > left || w[0] >> 8 & 0xff) return AKM_STOP("SDMA: 0x%08x, and %llu words are there", w[0],
                                                          (unsigned long long)left);
  if (at + n * 4 > q->nbytes) return AKM_STOP("SDMA 0x%x: it goes over the ring's end", op);
  if (op == 0 && w[0]) return AKM_STOP("SDMA: 0x%08x skips words", w[0]);
  if (op == 1) r = akm_sdma_copy(m, q, w);
  if (op == 5) {
    uint8_t *p = akm_named(m, q, (uint64_t)w[2] << 32 | w[1], 4, 1, "SDMA fence");
    if (w[0] != (m->chip->family == 9 ? 5u : 0x30005u) || w[1] % 4) return AKM_STOP("SDMA fence: %x", w[0]);
    if (!p) return -1;
    akm_store32(p, w[3]);
  }
  if (op == 6 && (w[1] >> 28 || akm_interrupt(m, w[1]))) return AKM_STOP("SDMA trap: %x", w[1]);
  if (op == 8) {
    if ((w[0] & 0x8fffffff) != 0x80000008 || w[1] % 4 || w[5] != 0xfff0004) return AKM_STOP("SDMA wait: %x %x", w[0],
                                                                                            w[5]);
    r = akm_wait(m, q, (uint64_t)w[2] << 32 | w[1], w[0] >> 28 & 7, w[3], w[4]);
  }
  if (r == AKM_DONE) q->done += n * 4;
  return r;
}
static int akm_aql_dispatch(amd_mock *m, akm_queue *q, const uint8_t *p, uint64_t at) {
  akm_job j = {0};
  amd_mock_dispatch *d = &j.d;
  const uint8_t *k = akm_named(m, q, akm_get64(p, 0x20), 64, 0, "AQL dispatch, the kernel's descriptor");
  const uint8_t *page = (const uint8_t *)(uintptr_t)q->page;
  if (!k) return -1;
  const uint32_t properties = akm_get32(k, 0x38) & 0xffff;
  if ((akm_get32(p, 0) >> 16 & ~3u) || !(akm_get32(p, 0) >> 16)) return AKM_STOP("AQL dispatch: setup 0x%x",
                                                                                 akm_get32(p, 0) >> 16);
  d->chip = m->chip->number; d->by_packet = 1; d->descriptor = akm_get64(p, 0x20); d->packet = at; d->queue = q->page;
  d->kernarg = akm_get64(p, 0x28);
  d->entry = d->descriptor + akm_get64(k, 0x10);
  d->rsrc3 = akm_get32(k, 0x2c); d->rsrc1 = akm_get32(k, 0x30); d->rsrc2 = akm_get32(k, 0x34);
  d->wave = properties >> 10 & 1 ? 32 : 64;
  d->shared = akm_get32(p, 0x1c); d->scratch = akm_get32(p, 0x18);
  if (d->shared < akm_get32(k, 0) || d->scratch < akm_get32(k, 4))
    return AKM_STOP("AQL dispatch: %u bytes of LDS and %u of scratch are too few", d->shared, d->scratch);
  if (d->scratch && (!akm_get32(page, 0x8c) || d->scratch > akm_get32(page, 0xb0) ||
                     !akm_at(m, q->gpu, akm_get64(page, 0xa0), akm_get64(page, 0xa8) * m->chip->dies, 1)))
    return AKM_STOP("AQL dispatch: %u bytes of scratch, and the queue has %u", d->scratch, akm_get32(page, 0xb0));
  for (int i = 0; i < 3; i++) {
    const uint32_t items = akm_get32(p, 0xc + 4 * (size_t)i);
    d->local[i] = akm_get32(p, 4 + 2 * (size_t)i) & 0xffff;
    if (!d->local[i] || items % d->local[i]) return AKM_STOP("AQL dispatch: %u items in groups of %u", items,
                                                             d->local[i]);
    d->groups[i] = items / d->local[i];
  }
  j.signal = akm_get64(p, 0x38);
  return akm_begin(m, q, &j);
}
static int akm_aql_signal(amd_mock *m, akm_queue *q, uint64_t at) {
  uint8_t *s = at ? akm_named(m, q, at, 64, 1, "AQL: a signal") : NULL;
  if (!s) return at ? -1 : AKM_DONE;
  if (at % 64) return AKM_STOP("AQL: a signal at 0x%llx", (unsigned long long)at);
  __atomic_fetch_sub((int64_t *)(void *)(s + 8), 1, __ATOMIC_RELEASE);
  const uint64_t mailbox = __atomic_load_n((const uint64_t *)(const void *)(s + 16), __ATOMIC_ACQUIRE);
  uint8_t *slot = mailbox ? akm_named(m, q, mailbox, 8, 1, "AQL: the mailbox of a signal") : NULL;
  if (!slot) return mailbox ? -1 : AKM_DONE;
  akm_put64(slot, 0, akm_get32(s, 24));
  return akm_interrupt(m, akm_get32(s, 24)) ? akm_stop(q, 0) : AKM_DONE;
}
static int akm_aql_words(amd_mock *m, akm_queue *q, const uint8_t *p) {
  uint32_t w[4];
  memcpy(w, p + 4, sizeof w);
  if (akm_get32(p, 0) >> 16 != 1 || akm_get32(p, 0x14) != 10 || w[0] != 0xc0023f00)
    return AKM_STOP("AQL: a packet of a vendor: %x %x", akm_get32(p, 0), w[0]);
  return akm_pm4(m, q, 0x3f, w + 1, 3);
}
static int akm_aql_ring(amd_mock *m, akm_queue *q) {
  const uint64_t at = q->done * 64 & (q->nbytes - 1);
  uint8_t *ring = (uint8_t *)(uintptr_t)q->ring, p[64];
  memcpy(p, ring + at, sizeof p);
  const uint32_t header = akm_get32(p, 0) & 0xffff, type = header & 0xff;
  int r = AKM_DONE;
  if (header >> 13 || (header >> 9 & 3) > 2 || (header >> 11 & 3) > 2) return AKM_STOP("AQL: header 0x%x", header);
  if (header >> 8 & 1) r = akm_jobs_end(m, q);
  if (r < 0) return r;
  if (type == 2) r = akm_aql_dispatch(m, q, p, q->ring + at);
  else if (type == 0) r = akm_aql_words(m, q, p);
  else if (type == 3) {
    for (size_t i = 4; i < 56; i += 4) if (akm_get32(p, i)) return AKM_STOP("AQL barrier: signals that it waits for");
    r = akm_jobs_end(m, q);
    if (r == AKM_DONE) r = akm_aql_signal(m, q, akm_get64(p, 0x38));
  } else return AKM_STOP("AQL: type %u", type);
  if (r != AKM_DONE) return r;
  akm_put32(ring, at, (akm_get32(ring, at) & 0xffff0000u) | 1);            // invalid again
  q->done++;
  return r;
}
// One packet. 0: nothing could be done.
static int akm_step(amd_mock *m, akm_queue *q) {
  const uint64_t was = q->done, was_list = q->list_at;
  if (q->dead) return 0;
  int r;
  if (q->list) r = akm_list_step(m, q);
  else if (q->done == q->rung) return 0;
  else r = q->type == 0 ? akm_pm4_ring(m, q) : q->type == 1 ? akm_sdma_ring(m, q) : akm_aql_ring(m, q);
  if (r == AKM_DONE) m->counts.packets++;
  if (q->done != was) akm_put64((void *)(uintptr_t)q->rptr_at, 0, q->done);
  return r == AKM_DONE || q->done != was || q->list_at != was_list;
}
// Until nothing can be done any more, the queues in any order.
static void akm_run(amd_mock *m) {
  for (int did = 1; did; ) {
    did = 0;
    const int from = (int)akm_random(m, (uint32_t)m->nqueue), some = 1 + (int)akm_random(m, 16);
    for (int i = 0; i < m->nqueue; i++)
      for (int k = 0; k < (m->desc.seed ? some : 1 << 20) && akm_step(m, m->queues[(i + from) % m->nqueue]);
           k++) did = 1;
  }
}

// ---- the doorbell

static void akm_ring(amd_mock *m, const volatile void *at) {
  akm_queue *q = NULL;
  uint64_t offset = UINT64_MAX;
  int gpu = -1;
  for (int i = 0; i < m->nview; i++)
    for (int g = 0; g < m->desc.ngpu; g++)
      if (m->views[i].storage == m->bells[g] && (uint64_t)(uintptr_t)at - m->views[i].at < m->views[i].nbytes) {
        offset = (uint64_t)(uintptr_t)at - m->views[i].at;
        gpu = g;
      }
  for (int i = 0; gpu >= 0 && i < m->nqueue; i++)
    if (m->queues[i]->gpu == gpu && (const volatile uint8_t *)m->queues[i]->bell == m->bells[gpu]->bytes + offset)
      q = m->queues[i];
  if (!q) { akm_wrong(m, 0, "doorbell: %p is no queue's", (const void *)(uintptr_t)at); return; }
  const uint64_t put = *(const volatile uint64_t *)at + (q->type == 2);
  const uint64_t wptr = akm_get64((const void *)(uintptr_t)q->wptr_at, 0), size = q->nbytes / akm_unit(q);
  if (q->dead) return;
  if (put != wptr) { akm_wrong(m, 0, "doorbell: %llu, but the write pointer is %llu", (unsigned long long)put,
                               (unsigned long long)wptr); return; }
  if (put < q->rung) { akm_wrong(m, 0, "doorbell: %llu, after %llu", (unsigned long long)put,
                                 (unsigned long long)q->rung); return; }
  if (put - q->done > size) { akm_wrong(m, 0, "queue %u: the ring overran", q->id); return; }
  q->rung = put;
}
