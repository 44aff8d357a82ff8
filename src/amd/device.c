// device: a GPU: found, its address space, memory of its own, of the host and of others in it; what it is lost by.
//
// In:    a driver, a number. Out: a tn_kfd with its memory.
// Holds: what the GPU has lies at one address for the host and for every GPU: addresses are reserved of the process,
//        and the host reaches those alone that have cpu. A memory is unmapped from every GPU before it is given back.
// What is what: Linux, drivers/gpu/drm/amd/amdkfd/kfd_chardev.c (a process has one file of a GPU for its address space:
// another is refused with EBUSY), kfd_events.c (each event of faults tells of every GPU of the process).
#ifndef TN_KFD_DEVICE
#define TN_KFD_DEVICE
#ifndef TINY_AMALGAMATED
#include "topology.c"
#include "comgr.c"
#include "../base/blocks.c"
#include "../base/prepared.c"
#endif

enum { TN_KFD_COMPUTE, TN_KFD_IN, TN_KFD_OUT, TN_KFD_QUEUES };             // what a queue is for
enum { TN_KFD_PARTS = 8, TN_KFD_OUTSTANDING = 256, TN_KFD_PAGE = 4096 };

typedef struct tn_kfd_memory {
  struct tn_kfd_memory *next;
  uint64_t handle, va, nbytes; char *cpu; int borrowed;    // borrowed: the host's own pages, which stay
  uint32_t gpus[TN_KFD_GPUS]; int ngpu;                    // that it is mapped for
} tn_kfd_memory;
// Memory in parts, which are used one after the other, and again when the queue has come so far.
typedef struct tn_kfd_ring {
  tn_kfd_memory *memory; size_t part, fill; int now, queue; uint64_t busy[TN_KFD_PARTS];
} tn_kfd_ring;
// A unit of a ring is what its pointers count: words of PM4, bytes of SDMA, packets of AQL.
typedef struct tn_kfd_queue {
  int type, open; uint32_t id, unit;       // unit: bytes
  tn_kfd_memory *ring, *page, *eop, *save; volatile uint64_t *doorbell;
  uint64_t put, from, size;                // units: written; not submitted from here on; of the ring
  uint64_t given, seen[TN_KFD_QUEUES];     // submissions; those of others that it has waited for
  uint64_t end[TN_KFD_OUTSTANDING];        // where a submission ended
  tn_kfd_signal *signal;                   // how far it is: the lower half of value, up or (of AQL) down from the top
} tn_kfd_queue;
typedef struct tn_kfd_stamp { uint64_t *out; } tn_kfd_stamp;
// Another device of the context, and up to which of its submissions this one waits, of each queue.
typedef struct tn_kfd_peer { struct tn_kfd *of; uint64_t value[TN_KFD_QUEUES]; int refused; } tn_kfd_peer;

typedef struct tn_kfd {
  tiny_ctx *t;
  tn_kfd_driver k;
  tn_kfd_node node;
  char name[40];
  int drm, lost;
  uint64_t free_nbytes;
  uint32_t memory_event, exception_event;
  // what wakes the host: an event's number, and the page with its slot; NULL: not yet, or (wake_state below 0) never
  uint32_t wake_event; int wake_state, wake_missed, spins; tn_kfd_memory *wake_page;
  tn_kfd_memory *memory;                   // all of it
  tn_device_blocks blocks;
  char *bells; uint64_t bells_at;          // the pages with doorbells
  tn_kfd_memory *signals;                  // of queues, then of stamps
  tn_kfd_queue queue[TN_KFD_QUEUES];
  tn_kfd_ring args, stage_in, stage_out;
  tn_kfd_memory *scratch; uint64_t scratch_item; uint32_t tmpring;         // bytes of it that an item has
  int code_is_new;                         // instructions were written since the last launch
  struct tn_kfd_module *gone;
  tn_prepared prepared;
  tn_kfd_stamp *stamp; int nstamp, stamp_cap;
  uint64_t timeout_ns;
  tn_kfd_peer peer[TINY_MAX_DEVICES]; int npeer;
  // builtin: kernels are machine code; alone: what has no form there is no HIP C; compiler: a clang, by_comgr: a COMGR,
  // "": any, or none
  int builtin, alone, by_comgr, compiler_asked; char compiler[300];
  tn_comgr comgr;                          // where it compiles HIP C
  tiny_renderer hip;
} tn_kfd;

static tiny_code tn_kfd_failed(tn_kfd *d) { return tiny_fail(d->t, d->k.code, "%s: %s", d->name, d->k.why); }
static tiny_code tn_kfd_check(tn_kfd *d, tiny_code code) { return code == TINY_OK ? code : tn_kfd_failed(d); }
static int tn_kfd_is_aql(const tn_kfd_queue *q) { return q->type == TN_KFD_QUEUE_AQL; }

// ** which GPU **

// Containers show some of the GPUs: numbers count those whose files open.
static tiny_code tn_kfd_choose(tn_kfd *d, uint64_t number) {
  tn_kfd_node nodes[TN_KFD_GPUS];
  char path[40] = "";
  const int n = tn_kfd_nodes(&d->k, nodes, TN_KFD_GPUS);
  int seen = 0, refused = 0;
  for (int i = 0; i < n && i < TN_KFD_GPUS; i++) {
    snprintf(path, sizeof path, "/dev/dri/renderD%u", (unsigned)nodes[i].minor);
    const int file = d->k.sys.open(d->k.sys.user, path, TN_DRIVER_OPEN);
    if (file < 0) { refused = file; tn_kfd_errno(&d->k, file, path); continue; }
    if ((uint64_t)seen++ != number) { d->k.sys.close(d->k.sys.user, file); continue; }
    d->drm = file;
    d->node = nodes[i];
    return tn_kfd_known(&d->k, &d->node);
  }
  if (refused && !seen) return d->k.code;  // why it does not open, stands there
  if (!n) return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the driver (KFD %u.%u) finds no GPU that computes",
                              (unsigned)d->k.version.major, (unsigned)d->k.version.minor);
  return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "there is no GPU of this number; there are %d, counted from 0", seen);
}
static int tn_kfd_try_vm(tn_kfd *d, int file) {
  tn_kfd_acquire_vm a = {(uint32_t)file, d->node.gpu};
  return tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_ACQUIRE_VM, &a, sizeof a);
}
// Another context of the process, or ROCm in it, may have the address space by a file of its own: it is used then.
static tiny_code tn_kfd_open_vm(tn_kfd *d) {
  enum { IN_USE = -16 };
  char path[40];
  int result = tn_kfd_try_vm(d, d->drm);
  snprintf(path, sizeof path, "/dev/dri/renderD%u", (unsigned)d->node.minor);
  for (int i = 0; result == IN_USE; i++) {
    const int file = d->k.sys.again(d->k.sys.user, path, i);
    if (file < 0) break;
    result = tn_kfd_try_vm(d, file);
    const int unused = result < 0 ? file : d->drm;
    if (result >= 0) d->drm = file;
    d->k.sys.close(d->k.sys.user, unused);
  }
  return tn_kfd_errno(&d->k, result, "an address space (AMDKFD_IOC_ACQUIRE_VM)");
}

// ** addresses and memory **

// Of the process: nothing else gets them. NULL: there are none left.
static char *tn_kfd_reserve(tn_kfd *d, uint64_t nbytes, uint64_t align) {
  void *at = NULL;
  const size_t all = (size_t)(nbytes + align - TN_KFD_PAGE);
  if (tn_kfd_errno(&d->k, d->k.sys.mmap(d->k.sys.user, &at, all, 0, TN_DRIVER_RESERVE, -1, 0),
                   "reserving addresses (ulimit -v?)") != TINY_OK) return NULL;
  const uint64_t from = tn_kfd_pointer(at), to = tn_kfd_up(from, align);
  if (to > from) d->k.sys.munmap(d->k.sys.user, at, (size_t)(to - from));
  const uint64_t rest = from + all - (to + nbytes);
  if (rest) d->k.sys.munmap(d->k.sys.user, (char *)(uintptr_t)(to + nbytes), (size_t)rest);
  return (char *)(uintptr_t)to;
}
static tiny_code tn_kfd_map_for(tn_kfd *d, tn_kfd_memory *m, uint32_t gpu) {
  tn_kfd_map a = {m->handle, tn_kfd_pointer(&gpu), 1, 0};
  if (m->ngpu == TN_KFD_GPUS) return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "memory is mapped for too many GPUs");
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_MAP, &a, sizeof a,
                                     "mapping memory for the GPU (AMDKFD_IOC_MAP_MEMORY_TO_GPU)");
  if (code == TINY_OK) m->gpus[m->ngpu++] = gpu;
  return code;
}
// What is known of it goes; the memory stays.
static void tn_kfd_memory_forget(tn_kfd *d, tn_kfd_memory *m) {
  for (tn_kfd_memory **at = &d->memory; *at; at = &(*at)->next) if (*at == m) { *at = m->next; break; }
  tiny_realloc(d->t, m, sizeof *m, 0);
}
// What is known of it goes, too.
static void tn_kfd_memory_free(tn_kfd *d, tn_kfd_memory *m) {
  if (!m) return;
  tn_kfd_map u = {m->handle, tn_kfd_pointer(m->gpus), (uint32_t)m->ngpu, 0};
  tn_kfd_free f = {m->handle};
  if (m->ngpu) tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_UNMAP, &u, sizeof u);
  if (m->handle) tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_FREE, &f, sizeof f);
  if (m->va && !m->borrowed) d->k.sys.munmap(d->k.sys.user, (void *)(uintptr_t)m->va, (size_t)m->nbytes);
  tn_kfd_memory_forget(d, m);
}
static tn_kfd_memory *tn_kfd_memory_new(tn_kfd *d, uint64_t nbytes) {
  tn_kfd_memory *m = (tn_kfd_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) { tn_kfd_wrong(&d->k, TINY_E_MEMORY, "no memory for what is known of memory"); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = nbytes;
  m->next = d->memory;
  return d->memory = m;
}
// At m->va. offset: what the host maps it by, in the GPU's file.
static tiny_code tn_kfd_memory_alloc(tn_kfd *d, tn_kfd_memory *m, uint32_t flags, uint64_t *offset) {
  tn_kfd_alloc a;
  memset(&a, 0, sizeof a);
  a.va = m->va; a.nbytes = m->nbytes; a.gpu = d->node.gpu; a.mmap_offset = *offset;
  a.flags = flags | TN_KFD_WRITABLE | TN_KFD_EXECUTABLE | TN_KFD_NO_SUBSTITUTE;
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_ALLOC, &a, sizeof a,
                                     flags & TN_KFD_VRAM ? "memory of the GPU (AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)"
                                                         : "memory of the host (AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)");
  if (code == TINY_OK) { m->handle = a.handle; *offset = a.mmap_offset; }
  return code;
}
static tiny_code tn_kfd_memory_show(tn_kfd *d, tn_kfd_memory *m, uint64_t offset) {
  void *at = (void *)(uintptr_t)m->va;
  const int result = d->k.sys.mmap(d->k.sys.user, &at, (size_t)m->nbytes, TN_DRIVER_READ | TN_DRIVER_WRITE,
                                   TN_DRIVER_MAP_FIXED, d->drm, (int64_t)offset);
  if (result >= 0) m->cpu = (char *)at;
  return tn_kfd_errno(&d->k, result, "mapping memory for the host");
}
static uint64_t tn_kfd_pages(uint64_t nbytes) { return tn_kfd_up(nbytes ? nbytes : 1, TN_KFD_PAGE); }
static uint64_t tn_kfd_alignment(uint64_t nbytes) { return nbytes >= 2u << 20 ? 2u << 20 : 4096u; }
// Of the GPU, or (host) of the host, zeros that both see as they are written. NULL, and why in d->k.why.
static tn_kfd_memory *tn_kfd_memory_make(tn_kfd *d, uint64_t nbytes, int host) {
  uint64_t offset = 0;
  tn_kfd_memory *m = tn_kfd_memory_new(d, tn_kfd_pages(nbytes));
  if (!m) return NULL;
  m->va = tn_kfd_pointer(tn_kfd_reserve(d, m->nbytes, tn_kfd_alignment(nbytes)));
  tiny_code code = m->va ? TINY_OK : d->k.code;
  const uint32_t of_host = TN_KFD_GTT | TN_KFD_COHERENT | TN_KFD_UNCACHED | TN_KFD_PUBLIC;
  if (code == TINY_OK) code = tn_kfd_memory_alloc(d, m, host ? of_host : (uint32_t)TN_KFD_VRAM, &offset);
  if (code == TINY_OK && host) code = tn_kfd_memory_show(d, m, offset);
  if (code == TINY_OK) code = tn_kfd_map_for(d, m, d->node.gpu);
  if (code == TINY_OK) { if (host) memset(m->cpu, 0, (size_t)m->nbytes); return m; }
  tn_kfd_memory_free(d, m);
  return NULL;
}

// ** what it is lost by **

static tiny_code tn_kfd_open_event(tn_kfd *d, uint32_t type, uint32_t *id) {
  tn_kfd_create_event e;
  memset(&e, 0, sizeof e);
  e.type = type; e.auto_reset = 1; e.node = (uint32_t)d->node.number;
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_CREATE_EVENT, &e, sizeof e,
                                     "an event of faults (AMDKFD_IOC_CREATE_EVENT)");
  if (code == TINY_OK) *id = e.id;
  return code;
}
static void tn_kfd_close_event(tn_kfd *d, uint32_t *id) {
  tn_kfd_destroy_event e = {*id, 0};
  if (*id) tn_kfd_ask(&d->k, TN_KFD_WRITE, TN_KFD_DESTROY_EVENT, &e, sizeof e);
  *id = 0;
}
static tiny_code tn_kfd_open_events(tn_kfd *d) {
  const tiny_code code = tn_kfd_open_event(d, TN_KFD_EVENT_MEMORY, &d->memory_event);
  return code == TINY_OK ? tn_kfd_open_event(d, TN_KFD_EVENT_HW_EXCEPTION, &d->exception_event) : code;
}
static void tn_kfd_memory_fault(tn_kfd *d, const tn_kfd_event_data *e) {
  tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the device is lost: a kernel used the address 0x%llx, which %s%s; close the "
               "context, or go on with another device", (unsigned long long)e->of.memory.va,
               e->of.memory.missing ? "is no memory" : e->of.memory.read_only ? "may not be written"
               : e->of.memory.no_execute ? "holds no instructions" : "may not be used",
               e->of.memory.imprecise ? " (or one near it)" : "");
}
static void tn_kfd_exception(tn_kfd *d, const tn_kfd_event_data *e) {
  static const char *const causes[] = {"a hang", "an error of its memory that cannot be corrected"};
  tn_kfd_wrong(&d->k, TINY_E_DEVICE, "the device is lost: the driver resets the GPU after %s%s; close the context, or "
               "go "
               "on with another device", causes[e->of.exception.cause != 0],
               e->of.exception.memory_lost ? ", and what its memory held is gone" : "");
}
// Has the driver told of a fault of this GPU? Then it is lost, and k.why says why. It is waited for that, or for what
// wakes the host, up to ms; *woken: was it something at all?
static int tn_kfd_listen(tn_kfd *d, uint32_t ms, int *woken) {
  tn_kfd_event_data e[3];
  memset(e, 0, sizeof e);
  e[0].id = d->memory_event; e[1].id = d->exception_event; e[2].id = d->wake_event;
  tn_kfd_wait_events w = {tn_kfd_pointer(e), ms ? 3u : 2u, 0, ms, 0};
  *woken = 0;
  if (d->lost || !d->memory_event || !d->exception_event) return d->lost;
  if (tn_kfd_ask(&d->k, TN_KFD_BOTH, TN_KFD_WAIT_EVENTS, &w, sizeof w) < 0 ||
      w.result != TN_KFD_WAIT_COMPLETE) return 0;
  *woken = 1;
  if (e[0].of.memory.gpu == d->node.gpu) { d->lost = 1; tn_kfd_memory_fault(d, &e[0]); }
  else if (e[1].of.exception.gpu == d->node.gpu) { d->lost = 1; tn_kfd_exception(d, &e[1]); }
  return d->lost;
}
static int tn_kfd_faulted(tn_kfd *d) {
  int woken;
  return tn_kfd_listen(d, 0, &woken);
}
// k.why says why, from the first time on.
static tiny_code tn_kfd_enter(tn_kfd *d) { return d->lost ? tn_kfd_failed(d) : TINY_OK; }
#endif
