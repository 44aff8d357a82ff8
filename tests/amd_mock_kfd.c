// amd_mock_kfd.c: the ioctls of /dev/kfd: address spaces, memory, queues, events; every argument looked at.
#include "amd_mock_state.h"
#include <sys/mman.h>

static const akm_chip akm_chips[AMD_MOCK_GPUS] = {
  {"gfx1100", "navi31", 110000, 1100, 11, 192, 2, 12, 2, 16, 32, 1, 0x60000},
  {"gfx1201", "navi48", 120001, 1201, 12, 128, 2, 8, 2, 16, 32, 1, 0x60000},
  {"gfx942", "mi300x", 90402, 942, 9, 1216, 4, 32, 1, 8, 32, 8, 0x80000},
};

static uint32_t akm_gpu_id(int gpu) { return 0x4a10u + (uint32_t)gpu * 0x111; }
static int akm_gpu_of(const amd_mock *m, uint32_t id) {
  for (int i = 0; i < m->desc.ngpu; i++) if (akm_gpu_id(i) == id) return i;
  return -1;
}
static int akm_has_vm(amd_mock *m, uint32_t id, const char *what) {        // the GPU; below 0: -EINVAL, and said so
  const int gpu = akm_gpu_of(m, id);
  if (gpu < 0) return akm_wrong(m, EINVAL, "%s: there is no GPU 0x%x", what, id);
  if (!m->vm[gpu]) return akm_wrong(m, EINVAL, "%s: no address space of GPU 0x%x was acquired", what, id);
  return gpu;
}

// ---- address spaces

static int akm_version(amd_mock *m, uint8_t *p) {
  akm_put32(p, 0, 1);
  akm_put32(p, 4, (uint32_t)m->desc.version);
  return 0;
}
static int akm_acquire(amd_mock *m, uint8_t *p) {
  const int gpu = akm_gpu_of(m, akm_get32(p, 4));
  akm_file *f = akm_file_of(m, (int)akm_get32(p, 0));
  if (gpu < 0) return akm_wrong(m, EINVAL, "ACQUIRE_VM: there is no GPU 0x%x", akm_get32(p, 4));
  if (!f || f->kind != AKM_DRM || f->gpu != gpu)
    return akm_wrong(m, EINVAL, "ACQUIRE_VM: %u is no file of GPU 0x%x", akm_get32(p, 0), akm_gpu_id(gpu));
  if (m->vm[gpu] && m->vm[gpu] != f && m->vm[gpu]->references) return -EBUSY;
  if (m->vm[gpu] && m->vm[gpu] != f && m->desc.taken == 2) return -EBUSY;
  m->vm[gpu] = f;
  return 0;
}
static int akm_available(amd_mock *m, uint8_t *p) {
  const int gpu = akm_gpu_of(m, akm_get32(p, 8));
  if (gpu < 0) return -EINVAL;
  akm_put64(p, 0, m->vram_left[gpu]);
  return 0;
}

// ---- memory

enum { AKM_VRAM = 1, AKM_GTT = 2, AKM_USERPTR = 4 };
static akm_memory *akm_of_handle(amd_mock *m, uint64_t handle) {
  for (int i = 0; i < m->nmemory; i++) if (m->memory[i]->handle == handle) return m->memory[i];
  return NULL;
}
static akm_memory *akm_overlap(amd_mock *m, uint64_t va, uint64_t n) {
  for (int i = 0; i < m->nmemory; i++)
    if (m->memory[i]->va < va + n && va < m->memory[i]->va + m->memory[i]->nbytes) return m->memory[i];
  return NULL;
}
static uint8_t *akm_at(amd_mock *m, int gpu, uint64_t address, uint64_t n, int writes) {
  for (int i = 0; i < m->nmemory; i++) {
    const akm_memory *o = m->memory[i];
    if (!o->mapped[gpu] || address < o->va || address - o->va > o->nbytes ||
        o->nbytes - (address - o->va) < n) continue;
    if (writes && !(o->flags >> 31)) return NULL;
    return o->shown || o->flags & AKM_USERPTR ? (uint8_t *)(uintptr_t)address : o->storage->bytes + (address - o->va);
  }
  return NULL;
}
static int akm_add_memory(amd_mock *m, const akm_memory *from, uint64_t *handle) {
  akm_memory *o = malloc(sizeof *o);
  if (!o) abort();
  *o = *from;
  o->handle = (uint64_t)akm_gpu_id(o->gpu) << 32 | m->next_id;
  o->at = (uint64_t)m->next_id++ << 20 | (uint64_t)1 << 36;
  m->memory = akm_more(m->memory, m->nmemory, sizeof *m->memory);
  m->memory[m->nmemory++] = o;
  if (o->hidden)                           // the GPU has it at this address, the host has nothing there
    mmap((void *)(uintptr_t)o->va, o->nbytes, PROT_NONE, MAP_SHARED | MAP_FIXED, m->memfd, o->storage->at);
  *handle = o->handle;
  return 0;
}
static int akm_alloc(amd_mock *m, uint8_t *p) {
  enum { KNOWN = 0x3, EXTRA = 0x1F };
  const uint64_t va = akm_get64(p, 0), n = akm_get64(p, 8), offset = akm_get64(p, 24);
  const uint32_t flags = akm_get32(p, 36), kind = flags & 7;
  const int gpu = akm_has_vm(m, akm_get32(p, 32), "ALLOC_MEMORY_OF_GPU");
  akm_memory o = {0};
  if (gpu < 0) return gpu;
  if ((kind != AKM_VRAM && kind != AKM_GTT && kind != AKM_USERPTR) || (flags & 0x1fffff8))
    return akm_wrong(m, EINVAL, "ALLOC_MEMORY_OF_GPU: flags 0x%x", flags);
  if (!n || n % AKM_PAGE || va % AKM_PAGE || !va)
    return akm_wrong(m, EINVAL, "ALLOC_MEMORY_OF_GPU: 0x%llx bytes at 0x%llx are no pages", (unsigned long long)n,
                     (unsigned long long)va);
  if (kind == AKM_USERPTR ? offset != va : offset != 0)
    return akm_wrong(m, EINVAL, "ALLOC_MEMORY_OF_GPU: mmap_offset 0x%llx", (unsigned long long)offset);
  if (akm_overlap(m, va, n))
    return akm_wrong(m, EINVAL, "ALLOC_MEMORY_OF_GPU: memory is at 0x%llx already", (unsigned long long)va);
  if (kind != AKM_USERPTR && !akm_covered(m, va, n, 1))
    return akm_wrong(m, EINVAL, "ALLOC_MEMORY_OF_GPU: nothing reserves 0x%llx", (unsigned long long)va);
  m->counts.allocations++;
  if (m->desc.fail_alloc == m->counts.allocations) return -ENOMEM;
  o.va = va; o.nbytes = n; o.flags = flags; o.gpu = gpu; o.hidden = kind == AKM_VRAM;
  if (kind == AKM_USERPTR) {
    o.storage = calloc(1, sizeof *o.storage);
    *o.storage = (akm_bytes){(uint8_t *)(uintptr_t)va, n, -1, 0, 1};
  } else o.storage = akm_bytes_new(m, n, kind == AKM_VRAM ? gpu + 1 : 0);
  if (!o.storage) return -ENOMEM;
  uint64_t handle = 0;
  akm_add_memory(m, &o, &handle);
  akm_put64(p, 16, handle);
  akm_put64(p, 24, m->memory[m->nmemory - 1]->at);
  return 0;
}
static void akm_memory_free(amd_mock *m, akm_memory *o) {
  for (int i = 0; i < m->nmemory; i++) if (m->memory[i] == o) { m->memory[i] = m->memory[--m->nmemory]; break; }
  if (o->hidden)                           // the reservation is the client's
    mmap((void *)(uintptr_t)o->va, o->nbytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED | AKM_MAP_ANONYMOUS |
         AKM_MAP_NORESERVE, -1, 0);
  akm_bytes_drop(m, o->storage);
  free(o);
}
static int akm_free(amd_mock *m, uint8_t *p) {
  akm_memory *o = akm_of_handle(m, akm_get64(p, 0));
  if (!o) return akm_wrong(m, EINVAL, "FREE_MEMORY_OF_GPU: 0x%llx is no memory", (unsigned long long)akm_get64(p, 0));
  if (o->handle == m->event_page) 
    return akm_wrong(m, EPERM, "FREE_MEMORY_OF_GPU: it is the page of events, which stays");
  for (int i = 0; i < m->desc.ngpu; i++)
    if (o->mapped[i]) return akm_wrong(m, EBUSY, "FREE_MEMORY_OF_GPU: it is mapped for GPU 0x%x", akm_gpu_id(i));
  for (int i = 0; i < m->nqueue; i++) {
    const akm_queue *q = m->queues[i];
    if (q->ring == o->va || q->page == o->va) return akm_wrong(m, EBUSY, "FREE_MEMORY_OF_GPU: queue %u uses it", q->id);
  }
  akm_memory_free(m, o);
  return 0;
}
static int akm_map(amd_mock *m, uint8_t *p, int on) {
  const char *what = on ? "MAP_MEMORY_TO_GPU" : "UNMAP_MEMORY_FROM_GPU";
  akm_memory *o = akm_of_handle(m, akm_get64(p, 0));
  const uint32_t n = akm_get32(p, 16);
  const uint32_t *ids = (const uint32_t *)(uintptr_t)akm_get64(p, 8);
  if (!o) return akm_wrong(m, EINVAL, "%s: 0x%llx is no memory", what, (unsigned long long)akm_get64(p, 0));
  if (!n || n > AKM_MAX_GPUS || !ids) return akm_wrong(m, EINVAL, "%s: %u GPUs", what, n);
  if (akm_get32(p, 20)) return akm_wrong(m, EINVAL, "%s: %u are done already", what, akm_get32(p, 20));
  for (uint32_t i = 0; i < n; i++) {
    const int gpu = akm_has_vm(m, ids[i], what);
    if (gpu < 0) return gpu;
    if (o->mapped[gpu] == on) return akm_wrong(m, EINVAL, "%s: GPU 0x%x: it is so already", what, ids[i]);
    if (on && gpu != o->gpu && m->desc.no_peers && !(o->flags & AKM_GTT)) return -EINVAL;
    o->mapped[gpu] = on;
    akm_put32(p, 20, i + 1);
  }
  return 0;
}

// ---- dma-bufs

static int akm_export(amd_mock *m, uint8_t *p) {
  akm_memory *o = akm_of_handle(m, akm_get64(p, 0));
  if (!o) return akm_wrong(m, EINVAL, "EXPORT_DMABUF: 0x%llx is no memory", (unsigned long long)akm_get64(p, 0));
  if (akm_get32(p, 8) & ~(uint32_t)02000002) return akm_wrong(m, EINVAL, "EXPORT_DMABUF: flags 0x%x", akm_get32(p, 8));
  if (m->desc.no_export) return -EINVAL;
  akm_file *f = calloc(1, sizeof *f);
  f->kind = AKM_DMABUF; f->gpu = o->gpu; f->storage = o->storage;
  o->storage->references++;
  akm_put32(p, 12, (uint32_t)akm_fd_new(m, f));
  return 0;
}
static int akm_import(amd_mock *m, uint8_t *p) {
  akm_file *f = akm_file_of(m, (int)akm_get32(p, 20));
  const int gpu = akm_has_vm(m, akm_get32(p, 16), "IMPORT_DMABUF");
  akm_memory o = {0};
  uint64_t handle = 0;
  if (gpu < 0) return gpu;
  if (!f || f->kind != AKM_DMABUF) return -EINVAL;         // a stranger's file is no mistake
  o.va = akm_get64(p, 0); o.nbytes = f->storage->nbytes; o.gpu = gpu; o.storage = f->storage; o.hidden = 1;
  o.flags = (f->storage->vram ? AKM_VRAM : AKM_GTT) | 1u << 31;
  if (o.va % AKM_PAGE || akm_overlap(m, o.va, o.nbytes) || !akm_covered(m, o.va, o.nbytes, 1))
    return akm_wrong(m, EINVAL, "IMPORT_DMABUF: 0x%llx bytes at 0x%llx", (unsigned long long)o.nbytes,
                     (unsigned long long)o.va);
  f->storage->references++;
  akm_add_memory(m, &o, &handle);
  akm_put64(p, 8, handle);
  return 0;
}

// ---- events

enum { AKM_SLOTS = 4096, AKM_MEMORY_EVENT = 8, AKM_EXCEPTION = 3 };
static uint64_t *akm_slot(amd_mock *m, uint32_t id) {
  akm_memory *o = akm_of_handle(m, m->event_page);
  return o && o->shown ? (uint64_t *)(uintptr_t)(o->va + (uint64_t)id * 8) : NULL;
}
// The page comes with the first signal of the process, is memory of the host that its GPU reaches, and stays.
static int akm_event_page(amd_mock *m, uint64_t handle) {
  akm_memory *o = akm_of_handle(m, handle);
  if (!handle) return m->event_page ? 0 : akm_wrong(m, EINVAL, "CREATE_EVENT: a signal, and no GPU reaches its slot");
  if (m->desc.eventful || m->event_page) return -EINVAL;   // another has one
  if (!o || !(o->flags & AKM_GTT) || !o->shown || o->nbytes != AKM_SLOTS * 8 || !o->mapped[o->gpu])
    return akm_wrong(m, EINVAL, "CREATE_EVENT: 0x%llx is no page of events", (unsigned long long)handle);
  m->event_page = handle;
  for (uint32_t i = 0; i < AKM_SLOTS; i++) *akm_slot(m, i) = UINT64_MAX;
  return 0;
}
static akm_event *akm_event_of(amd_mock *m, uint32_t id) {
  for (int i = 0; i < m->nevent; i++) if (m->events[i].live && m->events[i].id == id) return &m->events[i];
  return NULL;
}
// Signals are counted from 0 on, others from where slots end.
static int akm_event_new(amd_mock *m, uint8_t *p) {
  const uint32_t type = akm_get32(p, 12);
  if (type != 0 && type != AKM_EXCEPTION && type != AKM_MEMORY_EVENT)
    return akm_wrong(m, EINVAL, "CREATE_EVENT: type %u", type);
  if ((akm_get64(p, 0) && type) || akm_get32(p, 16) > 1 || akm_get32(p, 20) > (uint32_t)m->desc.ngpu)
    return akm_wrong(m, EINVAL, "CREATE_EVENT: page, reset %u, node %u", akm_get32(p, 16), akm_get32(p, 20));
  const int r = type ? 0 : akm_event_page(m, akm_get64(p, 0));
  if (r) return r;
  uint32_t id = type ? AKM_SLOTS : 0;
  while (akm_event_of(m, id)) id++;
  m->events = akm_more(m->events, m->nevent, sizeof *m->events);
  m->events[m->nevent++] = (akm_event){.id = id, .type = type, .live = 1, .auto_reset = (int)akm_get32(p, 16)};
  akm_put32(p, 24, id);
  akm_put32(p, 28, type ? 0 : id);
  return 0;
}
static int akm_event_end(amd_mock *m, uint8_t *p) {
  akm_event *e = akm_event_of(m, akm_get32(p, 0));
  if (!e) return akm_wrong(m, EINVAL, "DESTROY_EVENT: %u is no event", akm_get32(p, 0));
  e->live = 0;
  return 0;
}
// An interrupt of a queue, with the number of an event whose slot was written before. It comes later where work does.
static int akm_interrupt(amd_mock *m, uint32_t id) {
  akm_event *e = akm_event_of(m, id);
  if (!e || e->type || *akm_slot(m, id) == UINT64_MAX)
    return akm_wrong(m, 0, "an interrupt of event %u, which is no signal, or whose slot nobody wrote", id);
  m->counts.interrupts++;
  e->coming = !m->desc.deaf;
  return 0;
}
// What has come meanwhile is told to who waits.
static void akm_events_come(amd_mock *m) {
  for (int i = 0; i < m->nevent; i++) {
    akm_event *e = &m->events[i];
    if (!e->live || !e->coming) continue;
    e->coming = 0; e->signalled = 1;
    *akm_slot(m, e->id) = UINT64_MAX;
  }
  pthread_cond_broadcast(&m->told);
}
static void akm_event_tell(akm_event *e, uint8_t *out) {
  for (int i = 0; i < 4; i++) akm_put32(out, (size_t)i * 4, e->words[i]);
  if (e->type == 8) {
    akm_put64(out, 0x10, e->va);
    akm_put32(out, 0x18, e->words[4]);
  }
}
// Those that have happened; below 0: one is no event.
static int akm_events_look(amd_mock *m, uint8_t *list, uint32_t n) {
  int happened = 0;
  for (uint32_t i = 0; i < n; i++) {
    akm_event *e = akm_event_of(m, akm_get32(list + i * 48, 40));
    if (!e) return akm_wrong(m, EINVAL, "WAIT_EVENTS: %u is no event", akm_get32(list + i * 48, 40));
    if (!e->signalled) continue;
    happened = 1;
    if (e->type) akm_event_tell(e, list + i * 48);
    if (e->auto_reset) e->signalled = 0;
  }
  return happened;
}
static int akm_event_wait(amd_mock *m, uint8_t *p) {
  uint8_t *list = (uint8_t *)(uintptr_t)akm_get64(p, 0);
  const uint32_t n = akm_get32(p, 8), ms = akm_get32(p, 16);
  struct timespec end;
  if (!n || n > 16 || !list || akm_get32(p, 12) > 1) return akm_wrong(m, EINVAL, "WAIT_EVENTS: %u events", n);
  int happened = akm_events_look(m, list, n);
  m->counts.naps += ms && !happened;
  timespec_get(&end, TIME_UTC);
  end.tv_sec += (time_t)(ms / 1000) + (end.tv_nsec + (long)(ms % 1000) * 1000000) / 1000000000;
  end.tv_nsec = (end.tv_nsec + (long)(ms % 1000) * 1000000) % 1000000000;
  for (int out = 0; ms && m->threaded && !happened && !out; happened = akm_events_look(m, list, n))
    out = pthread_cond_timedwait(&m->told, &m->lock, &end);
  if (happened < 0) return happened;
  akm_put32(p, 20, happened ? 0 : 1);
  return 0;
}

// ---- queues: what kfd_queue.c asks

static uint64_t akm_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
// The object that is exactly [at, at + n), mapped for the GPU.
static akm_memory *akm_exactly(amd_mock *m, int gpu, uint64_t at, uint64_t n) {
  akm_memory *o = akm_overlap(m, at, 1);
  return o && o->va == at && o->nbytes == n && o->mapped[gpu] ? o : NULL;
}
static int akm_save_wrong(amd_mock *m, int gpu, const uint8_t *p) {
  const akm_chip *c = m->chip;
  const uint64_t units = c->simds / c->simds_per_unit / c->dies, engines = c->arrays / c->arrays_per_engine;
  const uint64_t waves = c->family != 9 ? units * 32 : units * 40 < engines * 512 ? units * 40 : engines * 512;
  const uint64_t control = akm_up(0x28 + waves * (c->family == 9 ? 8 : 12) + 8, AKM_PAGE);
  const uint64_t save = control + akm_up(units * (c->registers + 0x4000 + 0x10000 + 0x1000), AKM_PAGE);
  const uint64_t all = akm_up((save + akm_up(waves * 32, 64)) * c->dies, AKM_PAGE);
  if (akm_get32(p, 0x54) != control || akm_get32(p, 0x50) < save)
    return akm_wrong(m, EINVAL, "CREATE_QUEUE: %u bytes of control stack and %u to save, of %llu and %llu",
                     akm_get32(p, 0x54),
                     akm_get32(p, 0x50), (unsigned long long)control, (unsigned long long)save);
  if (!akm_exactly(m, gpu, akm_get64(p, 0x48), all))
    return akm_wrong(m, EINVAL, "CREATE_QUEUE: what waves are saved in is no memory of %llu bytes",
                     (unsigned long long)all);
  if (akm_get64(p, 0x40) != 4096 || !akm_exactly(m, gpu, akm_get64(p, 0x38), 4096))
    return akm_wrong(m, EINVAL, "CREATE_QUEUE: what an end of pipe is told in is no memory of 4096 bytes");
  return 0;
}
static int akm_queue_wrong(amd_mock *m, int gpu, const uint8_t *p) {
  const uint32_t n = akm_get32(p, 0x20), type = akm_get32(p, 0x28);
  if (type > 2) return akm_wrong(m, EINVAL, "CREATE_QUEUE: type %u", type);
  if (akm_get32(p, 0x2c) != 100 || akm_get32(p, 0x30) > 15)
    return akm_wrong(m, EINVAL, "CREATE_QUEUE: percentage %u, priority %u", akm_get32(p, 0x2c), akm_get32(p, 0x30));
  if (n < 1024 || n & (n - 1) || !akm_exactly(m, gpu, akm_get64(p, 0), n))
    return akm_wrong(m, EINVAL, "CREATE_QUEUE: the ring is no memory of %u bytes, a power of two", n);
  for (size_t i = 8; i <= 16; i += 8)
    if (akm_get64(p, i) % 8 || !akm_exactly(m, gpu, akm_get64(p, i) & ~(uint64_t)4095, 4096))
      return akm_wrong(m, EINVAL, "CREATE_QUEUE: the %s pointer is in no memory of one page", i == 8 ? "write"
                       : "read");
  if (type == 1 ? akm_get64(p, 0x38) || akm_get64(p, 0x48) || akm_get32(p, 0x50) : akm_save_wrong(m, gpu, p) < 0)
    return type == 1 ? akm_wrong(m, EINVAL, "CREATE_QUEUE: a queue of SDMA saves no waves") : -EINVAL;
  if (m->chip->dies > 1 && type == 0) return akm_wrong(m, EINVAL, "CREATE_QUEUE: a GPU of %u dies takes AQL",
                                                       m->chip->dies);
  return 0;
}
static int akm_queue_new(amd_mock *m, uint8_t *p) {
  const int gpu = akm_has_vm(m, akm_get32(p, 0x24), "CREATE_QUEUE");
  if (gpu < 0) return gpu;
  const int wrong = akm_queue_wrong(m, gpu, p);
  if (wrong) return wrong;
  akm_queue *q = calloc(1, sizeof *q);
  q->id = m->next_id++; q->type = akm_get32(p, 0x28); q->gpu = gpu;
  q->ring = akm_get64(p, 0); q->nbytes = akm_get32(p, 0x20);
  q->wptr_at = akm_get64(p, 8); q->rptr_at = akm_get64(p, 16); q->page = q->wptr_at & ~(uint64_t)4095;
  m->queues = akm_more(m->queues, m->nqueue, sizeof *m->queues);
  m->queues[m->nqueue++] = q;
  int slot = 0;
  for (int taken = 1; taken; slot += taken) {
    taken = 0;
    for (int i = 0; i < m->nqueue - 1; i++) taken |= m->queues[i]->gpu == gpu && m->queues[i]->bell ==
        (volatile uint64_t *)(void *)(m->bells[gpu]->bytes + slot * 8);
  }
  q->bell = (volatile uint64_t *)(void *)(m->bells[gpu]->bytes + slot * 8);
  akm_put64(p, 0x18, (uint64_t)(gpu + 1) << 40 | (uint64_t)slot * 8);
  akm_put32(p, 0x34, q->id);
  return 0;
}
static void akm_queue_free(amd_mock *m, akm_queue *q) {
  for (int i = 0; i < m->nqueue; i++) if (m->queues[i] == q) { m->queues[i] = m->queues[--m->nqueue]; break; }
  free(q->jobs); free(q->seen); free(q);
}
static int akm_queue_end(amd_mock *m, uint8_t *p) {
  for (int i = 0; i < m->nqueue; i++)
    if (m->queues[i]->id == akm_get32(p, 0)) { akm_queue_free(m, m->queues[i]); return 0; }
  return akm_wrong(m, EINVAL, "DESTROY_QUEUE: %u is no queue", akm_get32(p, 0));
}

// ---- which

static int akm_map_on(amd_mock *m, uint8_t *p) { return akm_map(m, p, 1); }
static int akm_map_off(amd_mock *m, uint8_t *p) { return akm_map(m, p, 0); }
static const struct akm_call { uint32_t request; int gives_back, since; int (*does)(amd_mock *, uint8_t *);
  } akm_calls[] = {
  {0x80084b01, 0, 0, akm_version}, {0xc0604b02, 0, 0, akm_queue_new}, {0xc0084b03, 1, 0, akm_queue_end},
  {0xc0204b08, 0, 0, akm_event_new}, {0x40084b09, 1, 0, akm_event_end}, {0xc0184b0c, 0, 0, akm_event_wait},
  {0x40084b15, 0, 0, akm_acquire}, {0xc0284b16, 0, 0, akm_alloc}, {0x40084b17, 1, 0, akm_free},
  {0xc0184b18, 0, 0, akm_map_on}, {0xc0184b19, 1, 0, akm_map_off}, {0xc0184b1d, 0, 0, akm_import},
  {0xc0104b23, 0, 9, akm_available}, {0xc0104b24, 0, 12, akm_export}
};
static const struct akm_call *akm_call_of(unsigned long request) {
  for (size_t i = 0; i < sizeof akm_calls / sizeof *akm_calls; i++)
    if (akm_calls[i].request == request) return &akm_calls[i];
  return NULL;
}
static int akm_gives_back(unsigned long request) {
  const struct akm_call *c = akm_call_of(request);
  return c && c->gives_back;
}
static int akm_ioctl_kfd(amd_mock *m, unsigned long request, uint8_t *p) {
  const struct akm_call *c = akm_call_of(request);
  if (!c) return akm_wrong(m, ENOTTY, "ioctl: 0x%lx is none that is known", request);
  return m->desc.version < c->since ? -ENOTTY : c->does(m, p);
}
