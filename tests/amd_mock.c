// amd_mock.c: the mock's memory, open files and mappings, and the table of calls that a companion is given.
//
// All memory of GPUs and system is one memfd: an object is mapped once for the mock's GPU, and again where a client
// asks, at the address that the GPU has it at. Of what the client sees the mock uses the client's own addresses, so
// that what two threads do stands in order. One lock is held in every call; a late mock's thread takes it, too.
#include "amd_mock_state.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// With -std=c11 the C library hides what is not ISO C. Numbers: asm-generic/mman-common.h.
extern long syscall(long number, ...);
enum { AKM_MAP_ANONYMOUS = 0x20, AKM_MAP_NORESERVE = 0x4000, AKM_MADV_REMOVE = 9 };

static int akm_wrong(amd_mock *m, int error, const char *format, ...) {
  if (*m->complaint) return -error;
  va_list args;
  va_start(args, format);
  vsnprintf(m->complaint, sizeof m->complaint, format, args);
  va_end(args);
  return -error;
}
// xorshift32 (Marsaglia, Xorshift RNGs, 2003). 0 without a seed.
static uint32_t akm_random(amd_mock *m, uint32_t below) {
  if (!m->desc.seed || below < 2) return 0;
  m->random ^= m->random << 13; m->random ^= m->random >> 17; m->random ^= m->random << 5;
  return m->random % below;
}
static void *akm_more(void *array, int n, size_t nbytes) {
  if (n & (n - 1)) return array;           // there is room up to the next power of two
  size_t room = n ? (size_t)n * 2 : 1;
  uint8_t *grown = realloc(array, room * nbytes);
  if (!grown) abort();                     // the machine of the test is out of memory
  memset(grown + (size_t)n * nbytes, 0, (room - (size_t)n) * nbytes);
  return grown;
}
static uint32_t akm_get32(const void *at, size_t offset) {
  uint32_t v;
  memcpy(&v, (const uint8_t *)at + offset, sizeof v);
  return v;
}
static uint64_t akm_get64(const void *at, size_t offset) {
  uint64_t v;
  memcpy(&v, (const uint8_t *)at + offset, sizeof v);
  return v;
}
static void akm_put32(void *at, size_t offset, uint32_t value) { memcpy((uint8_t *)at + offset, &value, sizeof value); }
static void akm_put64(void *at, size_t offset, uint64_t value) { memcpy((uint8_t *)at + offset, &value, sizeof value); }

#include "amd_mock_gpu.c"
#include "amd_mock_kfd.c"

// Memory of the GPU comes as it was left: not zero, where that is cheap to show. The system's pages are zero.
static akm_bytes *akm_bytes_new(amd_mock *m, uint64_t nbytes, int vram) {
  if (vram && m->vram_left[vram - 1] < nbytes) return NULL;
  if (syscall(SYS_ftruncate, m->memfd, m->memfd_nbytes + (int64_t)nbytes)) return NULL;
  void *at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | AKM_MAP_NORESERVE, m->memfd, m->memfd_nbytes);
  akm_bytes *b = calloc(1, sizeof *b);
  if (at == MAP_FAILED || !b) { free(b); return NULL; }
  *b = (akm_bytes){at, nbytes, m->memfd_nbytes, vram, 1};
  m->memfd_nbytes += (int64_t)nbytes;
  if (vram) m->vram_left[vram - 1] -= nbytes;
  if (vram && nbytes <= 4u << 20) memset(at, 0xa5, nbytes);
  return b;
}
static void akm_bytes_drop(amd_mock *m, akm_bytes *b) {
  if (!b || --b->references) return;
  if (b->at >= 0) {
    syscall(SYS_madvise, b->bytes, b->nbytes, AKM_MADV_REMOVE);
    munmap(b->bytes, b->nbytes);
  }
  if (b->vram) m->vram_left[b->vram - 1] += b->nbytes;
  free(b);
}

// ---- files

static akm_file *akm_file_of(amd_mock *m, int fd) {
  const int i = fd - AKM_FIRST_FD;
  return i >= 0 && i < m->nfd && m->fds[i] ? m->files[m->fds[i] - 1] : NULL;
}
static int akm_fd_new(amd_mock *m, akm_file *f) {
  int i = 0, k = 0;
  while (k < m->nfile && m->files[k] != f) k++;
  if (k == m->nfile) { m->files = akm_more(m->files, m->nfile, sizeof *m->files); m->files[m->nfile++] = f; }
  while (i < m->nfd && m->fds[i]) i++;
  if (i == m->nfd) { m->fds = akm_more(m->fds, m->nfd, sizeof *m->fds); m->nfd++; }
  m->fds[i] = k + 1;
  f->references++;
  return AKM_FIRST_FD + i;
}
static akm_file *akm_file_new(akm_kind kind, int gpu) {
  akm_file *f = calloc(1, sizeof *f);
  if (!f) abort();
  f->kind = kind; f->gpu = gpu;
  return f;
}
static int akm_minor_of(const amd_mock *m, const char *path) {             // the GPU; below 0: it is none's file
  static const char render[] = "/dev/dri/renderD";
  if (strncmp(path, render, sizeof render - 1)) return -1;
  const int gpu = atoi(path + sizeof render - 1) - AKM_FIRST_MINOR;
  return gpu < m->desc.ngpu ? gpu : -1;
}
static int akm_open(void *user, const char *path, int flags) {
  amd_mock *m = user;
  akm_file *f = NULL;
  const int gpu = akm_minor_of(m, path);
  (void)flags;
  if (!strcmp(path, "/dev/kfd")) {
    if (m->desc.absent || m->desc.denied) return m->desc.absent ? -ENOENT : -EACCES;
    f = akm_file_new(AKM_KFD, -1);
  } else if (gpu >= 0) {
    if (m->desc.no_render) return -EACCES;
    f = akm_file_new(AKM_DRM, gpu);
  } else return -ENOENT;
  pthread_mutex_lock(&m->lock);
  const int fd = akm_fd_new(m, f);
  pthread_mutex_unlock(&m->lock);
  return fd;
}
static int akm_close(void *user, int fd) {
  amd_mock *m = user;
  pthread_mutex_lock(&m->lock);
  akm_file *f = akm_file_of(m, fd);
  int r = 0;
  if (!f) r = akm_wrong(m, EBADF, "close: %d is not open", fd);
  else {
    m->fds[fd - AKM_FIRST_FD] = 0;
    if (!--f->references && f->storage) { akm_bytes_drop(m, f->storage); f->storage = NULL; }
  }
  pthread_mutex_unlock(&m->lock);
  return r;
}
static int akm_again(void *user, const char *path, int k) {
  amd_mock *m = user;
  const int gpu = akm_minor_of(m, path);
  int fd = -ENOENT;
  pthread_mutex_lock(&m->lock);
  for (int i = 0; i < m->nfd && fd < 0; i++) {
    akm_file *f = m->fds[i] ? m->files[m->fds[i] - 1] : NULL;
    if (f && f->kind == AKM_DRM && f->gpu == gpu && !k--) fd = akm_fd_new(m, f);
  }
  pthread_mutex_unlock(&m->lock);
  return fd;
}
static int akm_ioctl(void *user, int fd, unsigned long request, void *argument) {
  amd_mock *m = user;
  pthread_mutex_lock(&m->lock);
  akm_file *f = akm_file_of(m, fd);
  const long n = ++m->counts.ioctls;
  const int fails = m->desc.fail_ioctl == n;
  int r = 0;
  if (!f || f->kind != AKM_KFD) r = akm_wrong(m, ENOTTY, "ioctl 0x%lx: %d is not /dev/kfd", request, fd);
  else if (!argument) r = akm_wrong(m, EFAULT, "ioctl 0x%lx: no argument", request);
  else if (!fails || akm_gives_back(request)) r = akm_ioctl_kfd(m, request, argument);
  if (fails) r = -EIO;
  pthread_mutex_unlock(&m->lock);
  return r;
}

// ---- what /sys has

static int akm_read_node(const amd_mock *m, int gpu, const char *file, char *out, size_t nbytes) {
  const akm_chip *c = m->chip;
  const uint32_t version = m->desc.chip ? m->desc.chip : c->version;
  if (!strcmp(file, "gpu_id")) return snprintf(out, nbytes, "%u\n", m->desc.hidden ? 0u : akm_gpu_id(gpu));
  if (!strcmp(file, "name")) return snprintf(out, nbytes, "%s\n", c->card);
  if (!strcmp(file, "mem_banks/0/properties"))
    return snprintf(out, nbytes, "heap_type 1\nsize_in_bytes %llu\nflags 0\nwidth 384\nmem_clk_max 1249\n",
                    (unsigned long long)m->desc.vram_nbytes);
  if (strcmp(file, "properties")) return -ENOENT;
  return snprintf(out, nbytes, "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ncaches_count 206\nio_links_count "
                  "1\n"
                  "max_waves_per_simd %u\nlds_size_in_kb 64\ngds_size_in_kb 0\nwave_front_size %u\narray_count %u\n"
                  "simd_arrays_per_engine %u\ncu_per_simd_array 8\nsimd_per_cu %u\nmax_slots_scratch_cu %u\n"
                  "gfx_target_version %u\nvendor_id 4098\ndevice_id 29772\nlocation_id 768\ndomain 0\n"
                  "drm_render_minor %d\nhive_id 0\nnum_sdma_engines 2\nnum_xcc %u\nlocal_mem_size 0\n", c->simds,
                      c->waves,
                  c->family == 9 ? 64u : 32u, c->arrays, c->arrays_per_engine, c->simds_per_unit, c->slots, version,
                  AKM_FIRST_MINOR + gpu, c->dies);
}
// Node 0 is the CPU's.
static int akm_read(void *user, const char *path, char *out, size_t nbytes) {
  static const char nodes[] = "/sys/devices/virtual/kfd/kfd/topology/nodes/";
  const amd_mock *m = user;
  if (strncmp(path, nodes, sizeof nodes - 1)) return -ENOENT;
  const int node = atoi(path + sizeof nodes - 1);
  const char *file = strchr(path + sizeof nodes - 1, '/');
  if (!file || node > m->desc.ngpu) return -ENOENT;
  if (node) return akm_read_node(m, node - 1, file + 1, out, nbytes);
  return snprintf(out, nbytes, "%s", !strcmp(file + 1, "gpu_id") ? "0\n" : "cpu_cores_count 8\nsimd_count 0\n");
}

// ---- mappings

// Takes [at, at + n) out of what is mapped. The bytes that were.
static uint64_t akm_cut(amd_mock *m, uint64_t at, uint64_t n) {
  uint64_t cut = 0;
  for (int i = 0; i < m->nview; i++) {
    akm_view v = m->views[i];
    uint64_t from = v.at > at ? v.at : at, to = v.at + v.nbytes < at + n ? v.at + v.nbytes : at + n;
    if (from >= to) continue;
    cut += to - from;
    akm_view head = v, tail = v;
    head.nbytes = from - v.at;
    tail.at = to; tail.nbytes = v.at + v.nbytes - to; tail.offset += to - v.at;
    m->views[i] = head.nbytes ? head : tail;
    if (head.nbytes && tail.nbytes) {
      m->views = akm_more(m->views, m->nview, sizeof *m->views);
      m->views[m->nview++] = tail;
      if (tail.storage) tail.storage->references++;
    }
    if (!head.nbytes && !tail.nbytes) {
      akm_bytes_drop(m, v.storage);
      m->views[i--] = m->views[--m->nview];
    }
  }
  return cut;
}
static void akm_view_add(amd_mock *m, void *at, uint64_t n, akm_bytes *storage) {
  akm_cut(m, (uint64_t)(uintptr_t)at, n);
  m->views = akm_more(m->views, m->nview, sizeof *m->views);
  m->views[m->nview++] = (akm_view){(uint64_t)(uintptr_t)at, n, 0, storage};
  if (storage) storage->references++;
}
// Does one view have all of it: a reservation, or memory?
static int akm_covered(amd_mock *m, uint64_t at, uint64_t nbytes, int reserved) {
  for (int i = 0; i < m->nview; i++) {
    const akm_view *v = &m->views[i];
    if (v->at <= at && at + nbytes <= v->at + v->nbytes) return (v->storage == NULL) == reserved;
  }
  return 0;
}
static int akm_map_file(amd_mock *m, akm_file *f, int fd, void **at, size_t nbytes, int protection, int flags,
                        int64_t offset) {
  akm_bytes *b = NULL;
  akm_memory *o = NULL;
  if (!f) return akm_wrong(m, EBADF, "mmap: %d is not open", fd);
  if (!(flags & MAP_SHARED)) return akm_wrong(m, EINVAL, "mmap: not MAP_SHARED");
  if (f->kind == AKM_KFD) {
    for (int gpu = 0; gpu < m->desc.ngpu; gpu++) if (offset == (int64_t)(gpu + 1) << 40) b = m->bells[gpu];
    if (!b || nbytes != AKM_DOORBELLS)
      return akm_wrong(m, EINVAL, "mmap: 0x%llx of %zu bytes is no page of doorbells", (unsigned long long)offset,
                       nbytes);
  }
  for (int i = 0; f->kind == AKM_DRM && i < m->nmemory; i++) if (m->memory[i]->at == (uint64_t)offset) o = m->memory[i];
  if (o) {
    b = o->storage;
    if (f != m->vm[f->gpu] || o->gpu != f->gpu) return akm_wrong(m, EACCES,
                                                                 "mmap: the file is not that of the address space");
    if (nbytes != o->nbytes) return akm_wrong(m, EINVAL, "mmap: %zu bytes of %llu", nbytes,
                                              (unsigned long long)o->nbytes);
    if (!(o->flags >> 29 & 1) || !(o->flags & 2)) return akm_wrong(m, EPERM,
                                                                   "mmap: memory that is not the host's to see");
    if ((uint64_t)(uintptr_t)*at != o->va || !(flags & MAP_FIXED))
      return akm_wrong(m, EINVAL, "mmap: memory of 0x%llx at another address", (unsigned long long)o->va);
  }
  if (!b) return akm_wrong(m, EINVAL, "mmap: 0x%llx is the offset of no memory", (unsigned long long)offset);
  void *r = mmap(*at, nbytes, protection, flags, m->memfd, b->at);
  if (r == MAP_FAILED) return -errno;
  if (o) o->shown = 1;
  akm_view_add(m, *at = r, nbytes, b);
  return 0;
}
static int akm_mmap(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset) {
  amd_mock *m = user;
  int r = 0;
  pthread_mutex_lock(&m->lock);
  if (flags & AKM_MAP_ANONYMOUS) {
    void *p = mmap(*at, nbytes, protection, flags, -1, 0);
    if (p == MAP_FAILED) r = -errno;
    else akm_view_add(m, *at = p, nbytes, NULL);
  } else r = akm_map_file(m, akm_file_of(m, fd), fd, at, nbytes, protection, flags, offset);
  pthread_mutex_unlock(&m->lock);
  return r;
}
static int akm_munmap(void *user, void *at, size_t nbytes) {
  amd_mock *m = user;
  nbytes = (nbytes + AKM_PAGE - 1) / AKM_PAGE * AKM_PAGE;
  pthread_mutex_lock(&m->lock);
  for (int i = 0; i < m->nmemory; i++) {
    const akm_memory *o = m->memory[i];
    if (o->va < (uint64_t)(uintptr_t)at + nbytes && (uint64_t)(uintptr_t)at < o->va + o->nbytes)
      akm_wrong(m, 0, "munmap: memory at 0x%llx still has the addresses", (unsigned long long)o->va);
  }
  int r = munmap(at, nbytes) ? -errno : 0;
  if (!r && akm_cut(m, (uint64_t)(uintptr_t)at, nbytes) == 0) akm_wrong(m, 0, "munmap: nothing is mapped at %p", at);
  pthread_mutex_unlock(&m->lock);
  return r;
}

// ---- the doorbell, and a thread that hears it late

static void akm_doorbell(void *user, const volatile void *at) {
  amd_mock *m = user;
  pthread_mutex_lock(&m->lock);
  m->counts.doorbells++;
  akm_ring(m, at);
  if (!m->threaded) { akm_run(m); akm_events_come(m); }
  m->pending = 1;
  pthread_cond_signal(&m->rung);
  pthread_mutex_unlock(&m->lock);
}
static void *akm_thread(void *user) {
  amd_mock *m = user;
  pthread_mutex_lock(&m->lock);
  while (!m->stop) {
    while (!m->pending && !m->stop) pthread_cond_wait(&m->rung, &m->lock);
    m->pending = 0;
    struct timespec wait = {0, (long)akm_random(m, 200) * 1000};
    pthread_mutex_unlock(&m->lock);
    syscall(SYS_nanosleep, &wait, NULL);
    pthread_mutex_lock(&m->lock);
    if (m->stop) break;
    akm_events_come(m);                    // of what was done before
    akm_run(m);
    for (int i = 0; i < m->nevent; i++) m->pending |= m->events[i].coming;
  }
  pthread_mutex_unlock(&m->lock);
  return NULL;
}

// ---- the mock

static void akm_system_set(amd_mock *m) {
  tiny_amd_system *s = &m->system;
  s->user = m;
  s->open = akm_open; s->close = akm_close; s->ioctl = akm_ioctl; s->mmap = akm_mmap; s->munmap = akm_munmap;
  s->read = akm_read; s->again = akm_again; s->doorbell = akm_doorbell;
}
amd_mock *amd_mock_new(const amd_mock_desc *d) {
  amd_mock *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->desc = *d;
  if (!m->desc.version) m->desc.version = 17;
  if (!m->desc.ngpu) m->desc.ngpu = 1;
  if (!m->desc.vram_nbytes) m->desc.vram_nbytes = (uint64_t)1 << 30;
  m->chip = &akm_chips[d->gpu];
  m->random = d->seed; m->next_id = 1; m->time = (uint64_t)1 << 40;
  m->memfd = (int)syscall(SYS_memfd_create, "amd_mock", 0);
  if (m->memfd < 0) { free(m); return NULL; }
  for (int i = 0; i < m->desc.ngpu; i++) {
    m->vram_left[i] = m->desc.vram_nbytes;
    m->bells[i] = akm_bytes_new(m, AKM_DOORBELLS, 0);
  }
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->rung, NULL);
  pthread_cond_init(&m->told, NULL);
  akm_system_set(m);
  if (d->taken) {
    m->vm[0] = akm_file_new(AKM_DRM, 0);
    if (d->taken == 1) akm_fd_new(m, m->vm[0]);
    else { m->files = akm_more(m->files, m->nfile, sizeof *m->files); m->files[m->nfile++] = m->vm[0]; }
  }
  m->threaded = d->seed && !pthread_create(&m->thread, NULL, akm_thread, m);
  return m;
}
void amd_mock_free(amd_mock *m) {
  if (!m) return;
  pthread_mutex_lock(&m->lock);
  m->stop = 1;
  pthread_cond_signal(&m->rung);
  pthread_mutex_unlock(&m->lock);
  if (m->threaded) pthread_join(m->thread, NULL);
  while (m->nqueue) akm_queue_free(m, m->queues[0]);
  while (m->nmemory) akm_memory_free(m, m->memory[0]);
  while (m->nview) {
    akm_view v = m->views[0];
    munmap((void *)(uintptr_t)v.at, v.nbytes);
    akm_cut(m, v.at, v.nbytes);
  }
  for (int i = 0; i < m->nfile; i++) { akm_bytes_drop(m, m->files[i]->storage); free(m->files[i]); }
  for (int i = 0; i < m->desc.ngpu; i++) akm_bytes_drop(m, m->bells[i]);
  close(m->memfd);
  pthread_cond_destroy(&m->rung);
  pthread_cond_destroy(&m->told);
  pthread_mutex_destroy(&m->lock);
  free(m->files); free(m->fds); free(m->views); free(m->memory); free(m->events); free(m->queues); free(m);
}
int amd_mock_dmabuf(amd_mock *m, uint64_t nbytes, uint8_t **bytes) {
  pthread_mutex_lock(&m->lock);
  akm_file *f = akm_file_new(AKM_DMABUF, -1);
  f->storage = akm_bytes_new(m, nbytes, 0);
  *bytes = f->storage->bytes;
  const int fd = akm_fd_new(m, f);
  pthread_mutex_unlock(&m->lock);
  return fd;
}
const tiny_amd_system *amd_mock_system(amd_mock *m) { return &m->system; }

// What stands in a queue's way, where nothing was wrong.
static void akm_hanging(amd_mock *m, const akm_queue *q) {
  if (q->dead || q->hangs || *m->hanging) return;
  if (q->parked) snprintf(m->hanging, sizeof m->hanging, "queue %u waits for ever: %s", q->id, q->waits);
  else if (akm_get64((const void *)(uintptr_t)q->wptr_at, 0) != q->rung)
    snprintf(m->hanging, sizeof m->hanging, "queue %u: the write pointer is %llu, but the doorbell was rung for %llu",
             q->id,
             (unsigned long long)akm_get64((const void *)(uintptr_t)q->wptr_at, 0), (unsigned long long)q->rung);
}
const char *amd_mock_complaint(amd_mock *m) {
  pthread_mutex_lock(&m->lock);
  if (m->threaded) akm_run(m);
  *m->hanging = 0;
  for (int i = 0; i < m->nqueue; i++) akm_hanging(m, m->queues[i]);
  pthread_mutex_unlock(&m->lock);
  return *m->complaint ? m->complaint : *m->hanging ? m->hanging : NULL;
}
void amd_mock_forget(amd_mock *m) {
  pthread_mutex_lock(&m->lock);
  *m->complaint = 0;
  pthread_mutex_unlock(&m->lock);
}
int amd_mock_leaks(amd_mock *m) {
  pthread_mutex_lock(&m->lock);
  int n = m->nview + m->nmemory + m->nqueue;
  for (int i = 0; i < m->nevent; i++) n += m->events[i].live;
  if (m->event_page) n -= 2;               // the page of events, which the driver keeps, and its mapping
  for (int i = 0; i < m->nfd; i++) n += m->fds[i] != 0;
  n -= m->desc.taken == 1;                 // that of the other in the process
  pthread_mutex_unlock(&m->lock);
  return n;
}
amd_mock_counts amd_mock_counted(amd_mock *m) {
  pthread_mutex_lock(&m->lock);
  amd_mock_counts c = m->counts;
  pthread_mutex_unlock(&m->lock);
  return c;
}
