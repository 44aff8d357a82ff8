// nv_mock.c: the mock's memory, open files and mappings, and the table of calls that a companion is given.
//
// All memory of GPU and system is one memfd: an object is mapped once for the mock's GPU, and again where a client
// asks, so that the GPU never sees the client's addresses. One lock is held in every call; a late mock's thread takes
// it, too.
#include "nv_mock_state.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// With -std=c11 the C library hides what is not ISO C. Numbers: asm-generic/mman-common.h.
extern long syscall(long number, ...);
extern char *mkdtemp(char *pattern);
enum { NVM_MAP_ANONYMOUS = 0x20, NVM_MAP_NORESERVE = 0x4000, NVM_MADV_REMOVE = 9 };
#include "nv_mock_tables.c"
#include "nv_mock_cubin.c"
#include "nv_mock_uvm.c"
#include "nv_mock_rm.c"
#include "nv_mock_qmd.c"
#include "nv_mock_gpu.c"

enum { NVM_FIRST_FD = 1000, NVM_PAGE = 4096 };

static uint32_t nvm_wrong(nv_mock *m, uint32_t status, const char *format, ...) {
  if (*m->complaint) return status;
  va_list args;
  va_start(args, format);
  vsnprintf(m->complaint, sizeof m->complaint, format, args);
  va_end(args);
  return status;
}

// xorshift32 (Marsaglia, Xorshift RNGs, 2003). 0 without a seed.
static uint32_t nvm_random(nv_mock *m, uint32_t below) {
  if (!m->desc.seed || below < 2) return 0;
  m->random ^= m->random << 13; m->random ^= m->random >> 17; m->random ^= m->random << 5;
  return m->random % below;
}

static uint64_t nvm_now(nv_mock *m) { return m->time_ns += 32u * (1 + nvm_random(m, 8)); }

static void *nvm_more(void *array, int n, size_t nbytes) {
  if (n & (n - 1)) return array;           // there is room up to the next power of two
  size_t room = n ? (size_t)n * 2 : 1;
  uint8_t *grown = realloc(array, room * nbytes);
  if (!grown) abort();                     // the machine of the test is out of memory
  memset(grown + (size_t)n * nbytes, 0, (room - (size_t)n) * nbytes);
  return grown;
}

static uint32_t nvm_get32(const void *at, size_t offset) {
  uint32_t v;
  memcpy(&v, (const uint8_t *)at + offset, sizeof v);
  return v;
}
static uint64_t nvm_get64(const void *at, size_t offset) {
  uint64_t v;
  memcpy(&v, (const uint8_t *)at + offset, sizeof v);
  return v;
}
static void nvm_put32(void *at, size_t offset, uint32_t value) { memcpy((uint8_t *)at + offset, &value, sizeof value); }
static void nvm_put64(void *at, size_t offset, uint64_t value) { memcpy((uint8_t *)at + offset, &value, sizeof value); }

static uint64_t nvm_hash_bytes(const uint8_t *p, uint64_t n) {
  uint64_t h = 0xcbf29ce484222325u;                      // FNV-1a, by words
  for (uint64_t i = 0; i + 4 <= n; i += 4) h = (h ^ nvm_get32(p, i)) * 0x100000001b3u;
  return h;
}

// Memory of the GPU comes as it was left: not zero, where that is cheap to show. The system's pages are zero.
static nvm_memory *nvm_memory_new(nv_mock *m, nvm_place place, int gpu, uint64_t nbytes) {
  if (place == NVM_VRAM && m->vram_left[gpu] < nbytes) return NULL;
  if (syscall(SYS_ftruncate, m->memfd, m->memfd_nbytes + (int64_t)nbytes)) return NULL;
  void *at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | NVM_MAP_NORESERVE, m->memfd, m->memfd_nbytes);
  nvm_memory *memory = calloc(1, sizeof *memory);
  if (at == MAP_FAILED || !memory) { free(memory); return NULL; }
  *memory = (nvm_memory){at, nbytes, m->memfd_nbytes, place, gpu, 1};
  m->memfd_nbytes += (int64_t)nbytes;
  if (place == NVM_VRAM) m->vram_left[gpu] -= nbytes;
  if (place == NVM_VRAM && nbytes <= 4u << 20) memset(at, 0xa5, nbytes);
  return memory;
}

static void nvm_memory_drop(nv_mock *m, nvm_memory *memory) {
  if (!memory || --memory->references) return;
  if (memory->at >= 0) {
    syscall(SYS_madvise, memory->bytes, memory->nbytes, NVM_MADV_REMOVE);
    munmap(memory->bytes, memory->nbytes);
  }
  if (memory->place == NVM_VRAM) m->vram_left[memory->gpu] += memory->nbytes;
  free(memory);
}

static nvm_file *nvm_file_of(nv_mock *m, int fd) {
  int i = fd - NVM_FIRST_FD;
  return i >= 0 && i < m->nfile && m->files[i].kind ? &m->files[i] : NULL;
}

// ---- files

static int nvm_open_kind(nv_mock *m, const char *path, nvm_file *f) {
  f->kind = NVM_FILE_CTL;
  if (!strcmp(path, "/dev/nvidiactl")) return m->desc.absent ? -ENOENT : 0;
  f->kind = NVM_FILE_UVM;
  if (!strcmp(path, "/dev/nvidia-uvm")) return m->desc.no_uvm ? -ENOENT : 0;
  f->kind = NVM_FILE_GPU;
  f->gpu = !strncmp(path, "/dev/nvidia", 11) && path[11] >= '0' && path[11] <= '9' && !path[12] ? path[11] - '0' : -1;
  if (f->gpu < 0 || f->gpu >= m->desc.ngpu) return -ENOENT;
  return m->desc.denied ? -EACCES : 0;
}

static int nvm_open(void *user, const char *path, int flags) {
  nv_mock *m = user;
  nvm_file f = {0};
  int r = nvm_open_kind(m, path, &f), i = 0;
  (void)flags;
  if (r) return r;
  pthread_mutex_lock(&m->lock);
  while (i < m->nfile && m->files[i].kind) i++;
  if (i == m->nfile) { m->files = nvm_more(m->files, m->nfile, sizeof *m->files); m->nfile++; }
  if (f.kind == NVM_FILE_UVM) f.uvm = calloc(1, sizeof *f.uvm);
  m->files[i] = f;
  pthread_mutex_unlock(&m->lock);
  return NVM_FIRST_FD + i;
}

// The clients that came from a file die with it: what they still had is left open.
static void nvm_close_clients(nv_mock *m, int fd) {
  for (int i = 0; i < m->nobject; i++)
    if (m->objects[i] && m->objects[i]->class_ == NVM_CLIENT && m->objects[i]->file == fd) {
      uint32_t client = m->objects[i]->handle;
      for (int j = 0; j < m->nobject; j++) m->left_open += m->objects[j] && m->objects[j]->client == client;
      nvm_free_tree(m, m->objects[i]);
      i = -1;
    }
}

static int nvm_close(void *user, int fd) {
  nv_mock *m = user;
  pthread_mutex_lock(&m->lock);
  nvm_file *f = nvm_file_of(m, fd);
  int r = 0;
  if (!f) r = -(int)nvm_wrong(m, EBADF, "close: %d is not open", fd);
  else {
    if (f->kind == NVM_FILE_UVM) nvm_uvm_close(m, f);
    if (f->kind == NVM_FILE_CTL) nvm_close_clients(m, fd);
    if (f->pending) {
      nvm_wrong(m, 0, "close: %d had an RM_MAP_MEMORY that no mmap followed", fd);
      nvm_memory_drop(m, f->pending);
    }
    nvm_memory_drop(m, f->shared);
    memset(f, 0, sizeof *f);
  }
  pthread_mutex_unlock(&m->lock);
  return r;
}

// RM_FREE, RM_UNMAP_MEMORY; UVM_UNREGISTER_..., UVM_DISABLE_PEER_ACCESS, UVM_FREE, UVM_UNMAP_EXTERNAL: what gives back
// goes on where the GPU is lost, and where the call is one that fails.
static int nvm_gives_back(const nvm_file *f, uint32_t request) {
  static const uint32_t uvm[] = {26, 28, 30, 34, 38, 66};
  if (f->kind != NVM_FILE_UVM) return (request & 0xff) == 0x29 || (request & 0xff) == 0x4f;
  for (size_t i = 0; i < sizeof uvm / sizeof *uvm; i++) if (uvm[i] == request) return 1;
  return 0;
}

static int nvm_ioctl(void *user, int fd, unsigned long request, void *argument) {
  nv_mock *m = user;
  pthread_mutex_lock(&m->lock);
  nvm_file *f = nvm_file_of(m, fd);
  int r;
  long n = ++m->counts.ioctls;
  if (m->desc.lost_at && n >= m->desc.lost_at) m->lost = 1;
  if (!f) r = -(int)nvm_wrong(m, EBADF, "ioctl 0x%lx: %d is not open", request, fd);
  else if (!argument) r = -(int)nvm_wrong(m, EFAULT, "ioctl 0x%lx: no argument", request);
  else if (m->desc.fail_ioctl == n && !nvm_gives_back(f, (uint32_t)request)) r = -EIO;
  else if (f->kind == NVM_FILE_UVM) r = nvm_uvm_ioctl(m, fd, (uint32_t)request, argument);
  else r = nvm_rm_ioctl(m, fd, (uint32_t)request, argument);
  if (m->desc.fail_ioctl == n) r = -EIO;
  pthread_mutex_unlock(&m->lock);
  return r;
}

// ---- mappings

#if defined(__SANITIZE_ADDRESS__)
  #define NVM_ASAN 1
#elif defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #define NVM_ASAN 1
  #endif
#endif
#ifdef NVM_ASAN
extern void __asan_get_shadow_mapping(size_t *scale, size_t *offset);
// What lies between the sanitizer's shadows is memory, too: as for CUDA (AddressSanitizerFlags: protect_shadow_gap).
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "protect_shadow_gap=0"; }
#endif

#ifdef NVM_ASAN
// Addresses below 2^40, which a channel's entries reach, are between the shadows of the address sanitizer: its own mmap
// refuses them, and they have no shadow. They get one.
static void *nvm_map_at(void *at, size_t n, int protection, int flags, int fd, int64_t offset) {
  size_t scale, shadow;
  __asan_get_shadow_mapping(&scale, &shadow);
  uintptr_t from = (((uintptr_t)at >> scale) + shadow) & ~(uintptr_t)4095,
      to = (((uintptr_t)at + n) >> scale) + shadow + 4096;
  if (at && (uintptr_t)at < (uintptr_t)1 << 43)
    syscall(SYS_mmap, from, to - from, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | NVM_MAP_ANONYMOUS | MAP_FIXED | NVM_MAP_NORESERVE, -1, 0L);
  long r = syscall(SYS_mmap, at, n, protection, flags, fd, (long)offset);
  return r == -1 ? MAP_FAILED : (void *)r;
}
static int nvm_unmap_at(void *at, size_t n) { return (int)syscall(SYS_munmap, at, n); }
#else
static void *nvm_map_at(void *at, size_t n, int protection, int flags, int fd, int64_t offset) {
  return mmap(at, n, protection, flags, fd, (off_t)offset);
}
static int nvm_unmap_at(void *at, size_t n) { return munmap(at, n); }
#endif

// Takes [at, at + n) out of what is mapped. The bytes that were.
static uint64_t nvm_cut(nv_mock *m, uint64_t at, uint64_t n) {
  uint64_t cut = 0;
  for (int i = 0; i < m->nview; i++) {
    nvm_view v = m->views[i];
    uint64_t from = v.at > at ? v.at : at, to = v.at + v.nbytes < at + n ? v.at + v.nbytes : at + n;
    if (from >= to) continue;
    cut += to - from;
    nvm_view head = v, tail = v;
    head.nbytes = from - v.at;
    tail.at = to; tail.nbytes = v.at + v.nbytes - to; tail.offset += to - v.at;
    m->views[i] = head.nbytes ? head : tail;
    if (head.nbytes && tail.nbytes) {
      m->views = nvm_more(m->views, m->nview, sizeof *m->views);
      m->views[m->nview++] = tail;
      if (tail.memory) tail.memory->references++;
    }
    if (!head.nbytes && !tail.nbytes) {
      nvm_memory_drop(m, v.memory);
      m->views[i--] = m->views[--m->nview];
    }
  }
  return cut;
}

static void nvm_view_add(nv_mock *m, void *at, uint64_t n, uint64_t offset, nvm_memory *memory) {
  nvm_cut(m, (uint64_t)(uintptr_t)at, n);
  m->views = nvm_more(m->views, m->nview, sizeof *m->views);
  m->views[m->nview++] = (nvm_view){(uint64_t)(uintptr_t)at, n, offset, memory};
}

// Where UVM has the memory already, the client's address has to be the same.
static void nvm_same_address(nv_mock *m, const nvm_view *v) {
  for (int i = 0; i < m->nfile; i++)
    for (int r = 0; m->files[i].uvm && r < m->files[i].uvm->nrange; r++) {
      const nvm_range *range = &m->files[i].uvm->ranges[r];
      for (int k = 0; k < range->nmapping; k++) {
        const nvm_mapping *a = &range->mappings[k];
        if (a->memory == v->memory && v->memory && a->base - a->offset != v->at - v->offset)
          nvm_wrong(m, 0, "mmap: memory that the GPU has at 0x%llx lies at 0x%llx for the CPU: addresses differ",
                    (unsigned long long)a->base, (unsigned long long)v->at);
      }
    }
}

static int nvm_map_memory(nv_mock *m, nvm_file *f, int fd, void **at, size_t nbytes, int protection, int flags,
                          int64_t offset) {
  if (!f) return -(int)nvm_wrong(m, EBADF, "mmap: %d is not open", fd);
  if (!f->pending)
    return -(int)nvm_wrong(m, EINVAL, "mmap: no RM_MAP_MEMORY precedes, of %d%s", fd, f->was_mapped ? " again" : "");
  if (offset) return -(int)nvm_wrong(m, EINVAL, "mmap: offset %lld, which has to be 0", (long long)offset);
  if (!(flags & MAP_SHARED)) return -(int)nvm_wrong(m, EINVAL, "mmap: not MAP_SHARED");
  if (!nbytes || nbytes > (f->pending_nbytes + NVM_PAGE - 1) / NVM_PAGE * NVM_PAGE)
    return -(int)nvm_wrong(m, EINVAL, "mmap: %zu bytes of a mapping of %llu", nbytes,
                           (unsigned long long)f->pending_nbytes);
  void *r = nvm_map_at(*at, nbytes, protection, flags, m->memfd, f->pending->at + (int64_t)f->pending_offset);
  if (r == MAP_FAILED) return -errno;
  nvm_view_add(m, *at = r, nbytes, f->pending_offset, f->pending);
  nvm_same_address(m, &m->views[m->nview - 1]);
  f->pending = NULL;
  f->was_mapped = 1;
  return 0;
}

static int nvm_mmap(void *user, void **at, size_t nbytes, int protection, int flags, int fd, int64_t offset) {
  nv_mock *m = user;
  int r = 0;
  pthread_mutex_lock(&m->lock);
  if (flags & NVM_MAP_ANONYMOUS) {
    void *p = nvm_map_at(*at, nbytes, protection, flags, -1, 0);
    if (p == MAP_FAILED) r = -errno;
    else nvm_view_add(m, *at = p, nbytes, 0, NULL);
  } else r = nvm_map_memory(m, nvm_file_of(m, fd), fd, at, nbytes, protection, flags, offset);
  pthread_mutex_unlock(&m->lock);
  return r;
}

static int nvm_munmap(void *user, void *at, size_t nbytes) {
  nv_mock *m = user;
  nbytes = (nbytes + NVM_PAGE - 1) / NVM_PAGE * NVM_PAGE;
  pthread_mutex_lock(&m->lock);
  int r = nvm_unmap_at(at, nbytes) ? -errno : 0;
  if (!r && nvm_cut(m, (uint64_t)(uintptr_t)at, nbytes) == 0) nvm_wrong(m, 0, "munmap: nothing is mapped at %p", at);
  pthread_mutex_unlock(&m->lock);
  return r;
}

// ---- the doorbell

static nvm_channel *nvm_channel_of(nv_mock *m, uint32_t token) {
  for (int i = 0; i < m->nchannel; i++) if (m->channels[i]->token == token) return m->channels[i];
  return NULL;
}

// Whether that token is what some doorbell was written with; it is taken from there.
static int nvm_was_stored(nv_mock *m, uint32_t token) {
  for (int i = 0; i < m->nview; i++) {
    nvm_memory *memory = m->views[i].memory;
    if (!memory || memory->place != NVM_DOORBELL || nvm_get32(memory->bytes, 0x90) != token) continue;
    nvm_put32(memory->bytes, 0x90, 0xffffffff);
    nvm_put64(memory->bytes, 0x80, m->time_ns);
    return 1;
  }
  return 0;
}

static void nvm_ring(nv_mock *m, uint32_t token) {
  m->counts.doorbells++;
  if (m->lost) return;
  nvm_channel *c = nvm_channel_of(m, token);
  if (!nvm_was_stored(m, token)) {
    nvm_wrong(m, 0, "doorbell: 0x%x was not stored at +0x90 of a usermode window", token); return;
  }
  if (!c) { nvm_wrong(m, 0, "doorbell: 0x%x is the token of no channel", token); return; }
  if (!c->scheduled) { nvm_wrong(m, 0, "doorbell: the channel of 0x%x is not scheduled", token); return; }
  uint32_t put = nvm_get32(c->userd->bytes, c->userd_offset + 0x8c);
  if (put >= c->nentry) { nvm_wrong(m, 0, "USERD: GPPut %u of a ring of %u", put, c->nentry); return; }
  uint32_t was = (c->put + c->nentry - c->get) % c->nentry, is = (put + c->nentry - c->get) % c->nentry;
  if (is < was) nvm_wrong(m, 0, "USERD: GPPut %u overtakes GPGet %u: the ring overran", put, c->get);
  c->put = put;
  if (!m->threaded) nvm_run(m);
  m->pending = 1;
  pthread_cond_signal(&m->rung);
}

static void nvm_doorbell(void *user, uint32_t token) {
  nv_mock *m = user;
  pthread_mutex_lock(&m->lock);
  nvm_ring(m, token);
  pthread_mutex_unlock(&m->lock);
}

static void *nvm_thread(void *user) {
  nv_mock *m = user;
  pthread_mutex_lock(&m->lock);
  while (!m->stop) {
    while (!m->pending && !m->stop) pthread_cond_wait(&m->rung, &m->lock);
    m->pending = 0;
    struct timespec wait = {0, (long)nvm_random(m, 200) * 1000};
    pthread_mutex_unlock(&m->lock);
    syscall(SYS_nanosleep, &wait, NULL);
    pthread_mutex_lock(&m->lock);
    if (!m->stop) nvm_run(m);
  }
  pthread_mutex_unlock(&m->lock);
  return NULL;
}

// ---- the mock

static void nvm_system_set(nv_mock *m) {
  tiny_nv_system *s = &m->system;
  s->user = m;
  s->open = nvm_open; s->close = nvm_close; s->ioctl = nvm_ioctl; s->mmap = nvm_mmap; s->munmap = nvm_munmap;
  s->doorbell = nvm_doorbell; s->assemble = nvm_assemble;
}

nv_mock *nv_mock_new(const nv_mock_desc *d) {
  nv_mock *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->desc = *d;
  if (!m->desc.branch) m->desc.branch = 580;
  if (!m->desc.ngpu) m->desc.ngpu = 1;
  if (!m->desc.vram_nbytes) m->desc.vram_nbytes = (uint64_t)1 << 30;
  m->chip = &nvm_chips[d->gpu];
  for (int i = 0; i < NVM_MAX_GPUS; i++) m->vram_left[i] = m->desc.vram_nbytes;
  m->random = d->seed; m->next_handle = 0xcaf00001; m->next_channel = 3; m->time_ns = (uint64_t)1 << 40;
  m->memfd = (int)syscall(SYS_memfd_create, "nv_mock", 0);
  if (m->memfd < 0) { free(m); return NULL; }
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->rung, NULL);
  nvm_system_set(m);
  m->threaded = d->seed && !pthread_create(&m->thread, NULL, nvm_thread, m);
  return m;
}

void nv_mock_free(nv_mock *m) {
  if (!m) return;
  pthread_mutex_lock(&m->lock);
  m->stop = 1;
  pthread_cond_signal(&m->rung);
  pthread_mutex_unlock(&m->lock);
  if (m->threaded) pthread_join(m->thread, NULL);
  for (int i = 0; i < m->nfile; i++) if (m->files[i].kind) nvm_close(m, NVM_FIRST_FD + i);
  for (int i = 0; i < m->nobject; i++) if (m->objects[i]) nvm_free_tree(m, m->objects[i]);
  while (m->nview) {
    nvm_view v = m->views[0];
    nvm_unmap_at((void *)(uintptr_t)v.at, v.nbytes);
    nvm_cut(m, v.at, v.nbytes);
  }
  nvm_texts_free(m);
  close(m->memfd);
  pthread_cond_destroy(&m->rung);
  pthread_mutex_destroy(&m->lock);
  free(m->objects); free(m->files); free(m->views); free(m->channels); free(m);
}

int nv_mock_dmabuf(nv_mock *m, uint64_t nbytes, uint8_t **bytes) {
  pthread_mutex_lock(&m->lock);
  int i = 0;
  while (i < m->nfile && m->files[i].kind) i++;
  if (i == m->nfile) { m->files = nvm_more(m->files, m->nfile, sizeof *m->files); m->nfile++; }
  nvm_memory *memory = nvm_memory_new(m, NVM_SYSMEM, 0, nbytes);
  m->files[i] = (nvm_file){.kind = NVM_FILE_DMABUF, .shared = memory};
  *bytes = memory->bytes;
  pthread_mutex_unlock(&m->lock);
  return NVM_FIRST_FD + i;
}

const tiny_nv_system *nv_mock_system(nv_mock *m) { return &m->system; }

// What stands in a channel's way, where nothing was wrong.
static void nvm_hanging(nv_mock *m, const nvm_channel *c) {
  uint32_t put = nvm_get32(c->userd->bytes, c->userd_offset + 0x8c);
  if (c->dead || *m->hanging) return;
  if (c->parked)
    snprintf(m->hanging, sizeof m->hanging, "channel 0x%x waits at SEM_EXECUTE for %llu at 0x%llx for ever", c->token,
             (unsigned long long)c->parked_value, (unsigned long long)c->parked);
  else if (put != c->put)
    snprintf(m->hanging, sizeof m->hanging, "channel 0x%x: GPPut is %u, but the doorbell was rung for %u", c->token,
             put, c->put);
}

const char *nv_mock_complaint(nv_mock *m) {
  pthread_mutex_lock(&m->lock);
  if (m->threaded) nvm_run(m);
  *m->hanging = 0;
  for (int i = 0; i < m->nchannel; i++) nvm_hanging(m, m->channels[i]);
  pthread_mutex_unlock(&m->lock);
  return *m->complaint ? m->complaint : *m->hanging ? m->hanging : NULL;
}

void nv_mock_forget(nv_mock *m) {
  pthread_mutex_lock(&m->lock);
  *m->complaint = 0;
  pthread_mutex_unlock(&m->lock);
}

int nv_mock_leaks(nv_mock *m) {
  pthread_mutex_lock(&m->lock);
  int n = m->left_open + m->nview;
  for (int i = 0; i < m->nobject; i++) n += m->objects[i] != NULL;
  for (int i = 0; i < m->nfile; i++) n += (m->files[i].kind != 0) + (m->files[i].uvm ? m->files[i].uvm->nrange : 0);
  pthread_mutex_unlock(&m->lock);
  return n;
}

nv_mock_counts nv_mock_counted(nv_mock *m) {
  pthread_mutex_lock(&m->lock);
  nv_mock_counts c = m->counts;
  pthread_mutex_unlock(&m->lock);
  return c;
}
