// also: tsan
// test_amd_mock: the mock of AMD's kernel driver and GPUs (amd_mock.h) by a small client that shares nothing with
// src/amd: what is done right is done, and whatever is done wrong is complained about by name.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "amd_mock.c"
#include "test.h"

// ** a client: offsets as kfd_ioctl.h has them **

enum { RING = 65536 };
typedef struct client {
  amd_mock *m; const tiny_amd_system *s; int kfd, drm; uint32_t gpu, queue; int family;
  uint8_t *ring, *page, *data; uint64_t handle[8], va[8], nbytes[8], put; volatile uint64_t *bell; int n;
} client;

static int call(client *c, unsigned long request, void *p) { return c->s->ioctl(c->s->user, c->kfd, request, p); }
static uint64_t reserve(client *c, uint64_t n) {
  void *at = NULL;
  CHECK(!c->s->mmap(c->s->user, &at, n, 0, MAP_PRIVATE | AKM_MAP_ANONYMOUS | AKM_MAP_NORESERVE, -1, 0));
  return (uint64_t)(uintptr_t)at;
}
static int alloc_at(client *c, uint64_t va, uint64_t n, uint32_t flags, uint64_t *handle, uint64_t *offset) {
  uint8_t p[40] = {0};
  akm_put64(p, 0, va); akm_put64(p, 8, n); akm_put32(p, 32, c->gpu); akm_put32(p, 36, flags);
  const int r = call(c, 0xc0284b16, p);
  *handle = akm_get64(p, 16); *offset = akm_get64(p, 24);
  return r;
}
static int map(client *c, uint64_t handle, int on) {
  uint8_t p[24] = {0};
  akm_put64(p, 0, handle); akm_put64(p, 8, (uint64_t)(uintptr_t)&c->gpu); akm_put32(p, 16, 1);
  return call(c, on ? 0xc0184b18 : 0xc0184b19, p);
}
static int give_back(client *c, uint64_t handle) { return call(c, 0x40084b17, &handle); }
enum { VRAM = 1 | 0x40000000, HOST = 2 | 0x60000000 };
#define WRITABLE 0x80000000u
// Memory that is mapped, of the host where flags say so.
static uint8_t *memory(client *c, uint64_t n, uint32_t flags) {
  uint64_t offset;
  void *at = (void *)(uintptr_t)(c->va[c->n] = reserve(c, n));
  CHECK_EQ(alloc_at(c, c->va[c->n], n, flags | WRITABLE, &c->handle[c->n], &offset), 0);
  if (flags & 2)
    CHECK_EQ(c->s->mmap(c->s->user, &at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, c->drm, (int64_t)offset),
             0);
  CHECK_EQ(map(c, c->handle[c->n], 1), 0);
  c->nbytes[c->n++] = n;
  return at;
}
static void begin(client *c, amd_mock_gpu gpu) {
  uint8_t p[8] = {0};
  memset(c, 0, sizeof *c);
  c->m = amd_mock_new(&(amd_mock_desc){.gpu = gpu});
  c->s = amd_mock_system(c->m);
  c->gpu = 0x4a10; c->family = gpu == AMD_MOCK_GFX942 ? 9 : 11;
  c->kfd = c->s->open(c->s->user, "/dev/kfd", 2);
  c->drm = c->s->open(c->s->user, "/dev/dri/renderD128", 2);
  CHECK(!call(c, 0x80084b01, p) && akm_get32(p, 0) == 1 && akm_get32(p, 4) == 17);
  akm_put32(p, 0, (uint32_t)c->drm); akm_put32(p, 4, c->gpu);
  CHECK_EQ(call(c, 0x40084b15, p), 0);
}
// Of type 0 (PM4) or 1 (SDMA).
static int make_queue(client *c, uint32_t type, uint32_t ring_nbytes, uint32_t save) {
  uint8_t p[96] = {0};
  akm_put64(p, 0, (uint64_t)(uintptr_t)c->ring); akm_put64(p, 8, (uint64_t)(uintptr_t)c->page + 0x38);
  akm_put64(p, 16, (uint64_t)(uintptr_t)c->page + 0x80); akm_put32(p, 0x20, ring_nbytes);
  akm_put32(p, 0x24, c->gpu); akm_put32(p, 0x28, type); akm_put32(p, 0x2c, 100); akm_put32(p, 0x30, 7);
  if (type == 0) {
    akm_put64(p, 0x38, c->va[3]); akm_put64(p, 0x40, 4096); akm_put64(p, 0x48, c->va[4]);
    akm_put32(p, 0x50, save); akm_put32(p, 0x54, 0xa000);
  }
  const int r = call(c, 0xc0604b02, p);
  void *bells = NULL;
  if (r) return r;
  c->queue = akm_get32(p, 0x34);
  CHECK_EQ(c->s->mmap(c->s->user, &bells, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, c->kfd,
                      (int64_t)(akm_get64(p, 0x18) & ~(uint64_t)0x1fff)), 0);
  c->bell = (volatile uint64_t *)(void *)((uint8_t *)bells + (akm_get64(p, 0x18) & 0x1fff));
  return 0;
}
// gfx1100's: 96 CUs, 3072 waves: 0xa000 of control stack, 96 * 0x75000 of waves.
enum { SAVE = 0xa000 + 96 * (0x60000 + 0x4000 + 0x10000 + 0x1000), ALL = SAVE + 3072 * 32 };
static void open_queue(client *c, uint32_t type) {
  begin(c, AMD_MOCK_GFX1100);
  c->ring = memory(c, RING, HOST); c->page = memory(c, 4096, HOST); c->data = memory(c, 4096, HOST);
  memory(c, 4096, VRAM); memory(c, ALL, VRAM);
  CHECK_EQ(make_queue(c, type, RING, SAVE), 0);
}
static void submit(client *c, const uint32_t *w, uint64_t n, uint64_t unit) {
  for (uint64_t i = 0; i < n; i++) akm_put32(c->ring, (c->put * unit + i * 4) % RING, w[i]);
  c->put += n * 4 / unit;
  akm_put64(c->page, 0x38, c->put);
  *c->bell = c->put;
  c->s->doorbell(c->s->user, c->bell);
}
static void end(client *c) {
  uint8_t p[8] = {0};
  akm_put32(p, 0, c->queue);
  if (c->queue) CHECK_EQ(call(c, 0xc0084b03, p), 0);
  for (int i = c->n - 1; i >= 0; i--) {
    CHECK(!map(c, c->handle[i], 0) && !give_back(c, c->handle[i]));
    CHECK_EQ(c->s->munmap(c->s->user, (void *)(uintptr_t)c->va[i], c->nbytes[i]), 0);
  }
  if (c->bell) c->s->munmap(c->s->user, (void *)((uintptr_t)c->bell & ~(uintptr_t)0xfff), 0x2000);
  c->s->close(c->s->user, c->drm);
  c->s->close(c->s->user, c->kfd);
}
// What was wrong shows; the rest goes on.
static void wrong(client *c, const char *what, const char *text) {
  const char *says = amd_mock_complaint(c->m);
  CHECK(says && strstr(says, text));
  if (!says || !strstr(says, text)) fprintf(stderr, "    %s: says %s\n    wanted: %s\n", what, says ? says
                                            : "nothing", text);
  amd_mock_forget(c->m);
}
static void over(client *c) {
  CHECK_EQ(amd_mock_leaks(c->m), 0);
  amd_mock_free(c->m);
}

// ** what is right **

static void test_right(void) {
  client c;
  open_queue(&c, 0);
  const uint64_t at = (uint64_t)(uintptr_t)c.data;
  const uint32_t words[] = {0xc0065800, 0, ~0u, ~0u, 0, 0, 0, 0xc3f1,                       // ACQUIRE_MEM
                            0xc0054900 + 0x10000, 0x70f514, 1u << 29, (uint32_t)at, (uint32_t)(at >> 32), 7, 0, 0,
                            0xc0053c00, 0x15, (uint32_t)at, (uint32_t)(at >> 32), 7, ~0u, 4};
  submit(&c, words, sizeof words / 4, 4);
  CHECK_EQ(akm_get32(c.data, 0), 7);
  CHECK(!amd_mock_complaint(c.m) && amd_mock_counted(c.m).packets == 3);
  CHECK_EQ(akm_get64(c.page, 0x80), sizeof words / 4);     // it has read all of it
  end(&c);
  CHECK(!amd_mock_complaint(c.m));
  over(&c);
  open_queue(&c, 1);
  akm_put32(c.data, 8, 1234);
  const uint64_t to = (uint64_t)(uintptr_t)c.data;
  const uint32_t copy[] = {1, 3, 0, (uint32_t)to + 8, (uint32_t)(to >> 32), (uint32_t)to, (uint32_t)(to >> 32),
                           0x30005, (uint32_t)to + 16, (uint32_t)(to >> 32), 5, 0, 0};
  submit(&c, copy, sizeof copy / 4, 1);
  CHECK(akm_get32(c.data, 0) == 1234 && akm_get32(c.data, 16) == 5 && !amd_mock_complaint(c.m));
  end(&c);
  over(&c);
}

// ** memory **

static void test_memory(void) {
  client c;
  uint64_t handle = 0, offset = 0;
  uint8_t p[24] = {0};
  begin(&c, AMD_MOCK_GFX1100);
  const uint64_t va = reserve(&c, 65536);
  const struct { uint64_t va, n; uint32_t flags; const char *says; } bad[] = {
    {va, 4095, VRAM, "are no pages"}, {va + 8, 4096, VRAM, "are no pages"}, {0, 4096, VRAM, "are no pages"},
    {va, 4096, 3, "flags 0x80000003"}, {va, 4096, VRAM | 1 << 9, "flags 0x"},
    {va + 65536, 4096, VRAM, "nothing reserves"}
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_EQ(alloc_at(&c, bad[i].va, bad[i].n, bad[i].flags | WRITABLE, &handle, &offset), -EINVAL);
    wrong(&c, "alloc", bad[i].says);
  }
  CHECK_EQ(alloc_at(&c, va, 65536, VRAM | WRITABLE, &handle, &offset), 0);
  uint64_t second, other;
  CHECK_EQ(alloc_at(&c, va + 4096, 4096, VRAM | WRITABLE, &second, &other), -EINVAL);
  wrong(&c, "overlap", "ALLOC_MEMORY_OF_GPU: memory is at");
  void *at = (void *)(uintptr_t)va;
  CHECK(c.s->mmap(c.s->user, &at, 65536, PROT_READ, MAP_SHARED | MAP_FIXED, c.drm, (int64_t)offset) < 0);
  wrong(&c, "mmap", "memory that is not the host's to see");
  CHECK_EQ(map(&c, handle, 0), -EINVAL);
  wrong(&c, "unmap", "UNMAP_MEMORY_FROM_GPU: GPU 0x4a10: it is so already");
  CHECK_EQ(map(&c, handle, 1), 0);
  CHECK_EQ(map(&c, handle, 1), -EINVAL);
  wrong(&c, "map", "MAP_MEMORY_TO_GPU: GPU 0x4a10: it is so already");
  CHECK_EQ(map(&c, handle + 1, 1), -EINVAL);
  wrong(&c, "map", "is no memory");
  CHECK_EQ(give_back(&c, handle), -EBUSY);
  wrong(&c, "free", "it is mapped for GPU 0x4a10");
  CHECK(!map(&c, handle, 0) && !give_back(&c, handle));
  CHECK_EQ(give_back(&c, handle), -EINVAL);
  wrong(&c, "free", "FREE_MEMORY_OF_GPU: 0x");
  CHECK_EQ(call(&c, 0xc0284b15, p), -ENOTTY);              // a size that it has not
  wrong(&c, "ioctl", "is none that is known");
  akm_put32(p, 0, 77);
  CHECK_EQ(call(&c, 0x40084b09, p), -EINVAL);
  wrong(&c, "event", "DESTROY_EVENT: 77 is no event");
  CHECK_EQ(call(&c, 0xc0084b03, p), -EINVAL);
  wrong(&c, "queue", "DESTROY_QUEUE: 77 is no queue");
  CHECK_EQ(alloc_at(&c, va, 65536, VRAM | WRITABLE, &handle, &offset), 0);
  c.s->munmap(c.s->user, at, 65536);
  wrong(&c, "munmap", "still has the addresses");
  CHECK_EQ(amd_mock_leaks(c.m), 3);                        // memory, two files
  CHECK(c.s->close(c.s->user, 5) < 0);
  wrong(&c, "close", "close: 5 is not open");
  amd_mock_free(c.m);
}

// ** queues **

static void test_queues(void) {
  client c;
  begin(&c, AMD_MOCK_GFX1100);
  c.ring = memory(&c, RING, HOST); c.page = memory(&c, 4096, HOST); c.data = memory(&c, 8192, HOST);
  memory(&c, 4096, VRAM); memory(&c, ALL, VRAM);
  CHECK_EQ(make_queue(&c, 0, RING / 2, SAVE), -EINVAL);
  wrong(&c, "ring", "the ring is no memory of 32768 bytes, a power of two");
  CHECK_EQ(make_queue(&c, 0, RING, SAVE - 4096), -EINVAL);
  wrong(&c, "save", "bytes of control stack and");
  CHECK_EQ(make_queue(&c, 3, RING, SAVE), -EINVAL);
  wrong(&c, "type", "CREATE_QUEUE: type 3");
  uint8_t *const page = c.page;
  c.page = c.data;                                         // in memory of two pages
  CHECK_EQ(make_queue(&c, 0, RING, SAVE), -EINVAL);
  wrong(&c, "page", "the write pointer is in no memory of one page");
  c.page = page;
  CHECK_EQ(make_queue(&c, 0, RING, SAVE), 0);
  *c.bell = 4;
  c.s->doorbell(c.s->user, c.bell);
  wrong(&c, "bell", "doorbell: 4, but the write pointer is 0");
  c.s->doorbell(c.s->user, c.bell + 5);
  wrong(&c, "bell", "is no queue's");
  end(&c);
  over(&c);
}

// ** packets **

static void packet(uint32_t type, const uint32_t *w, uint64_t n, const char *text) {
  client c;
  open_queue(&c, type);
  submit(&c, w, n, type ? 1 : 4);
  wrong(&c, "packet", text);
  end(&c);
  over(&c);
}
static void test_packets(void) {
  static const struct { uint32_t type, n, w[9]; const char *says; } bad[] = {
    {0, 1, {0x80001000}, "PM4: 0x80001000 is no header"}, {0, 2, {0xc0001001}, "is no header"},
    {0, 2, {0xc0009900, 0}, "PM4: 0x99 is no packet that is known"}, {0, 2, {0xc0031000, 0}, "words, and 2 are there"},
    {0, 3, {0xc0011500, 1, 1}, "PM4 0x15: 2 words, not 4"},
    {0, 5, {0xc0031500, 1, 1, 1, 5}, "DISPATCH_DIRECT: register 0x204 was never set"},
    {0, 3, {0xc0017600, 0x100, 1}, "SET_SH_REG: 0x100 is none of compute"},
    {0, 3, {0xc0017600, 0x10204, 1}, "SET_SH_REG: index"}, {0, 2, {0xc0004600, 0x7}, "EVENT_WRITE: 0x7"},
    {0, 8, {0xc0065800, 0, 0, 0, 0, 0, 0, 1}, "ACQUIRE_MEM: not all of memory"},
    {0, 8, {0xc0065800, 0, ~0u, ~0u, 0, 0, 0, 2}, "ACQUIRE_MEM: 0x2"},
    {0, 8, {0xc0064900, 0x514, 1u << 29, 64, 0, 1, 0, 0}, "RELEASE_MEM: event 0x514"},
    {0, 8, {0xc0064900, 0x70f514, 1u << 29, 64, 0, 1, 0, 0}, "RELEASE_MEM: 0x40 is not mapped for the GPU"},
    {0, 8, {0xc0064900, 0x70f514, 2u << 29, 64, 0, 1, 0, 0}, "RELEASE_MEM: 0x40000000"},
    {0, 7, {0xc0053c00, 0x5, 64, 0, 1, ~0u, 4}, "WAIT_REG_MEM: 0x5"},
    {0, 4, {0xc0023f00, 64, 0, 0x800004}, "INDIRECT_BUFFER: 0x40 is not mapped"},
    {0, 4, {0xc0023f00, 64, 0, 4}, "INDIRECT_BUFFER: 0x4"},
    {1, 7, {1, 3, 1, 64, 0, 64, 0}, "SDMA copy: 1 3 1"}, {1, 7, {1, 3, 0, 64, 0, 64, 0},
        "SDMA copy: 0x40 is not mapped"},
    {1, 4, {5, 64, 0, 1}, "SDMA fence"}, {1, 1, {0x70000}, "SDMA: 0x00070000 skips words"},
    {1, 2, {0x99, 0}, "SDMA: 0x00000099"}, {1, 6, {8, 64, 0, 1, ~0u, 0xfff0004}, "SDMA wait: 8"}
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) packet(bad[i].type, bad[i].w, bad[i].n, bad[i].says);
}
// What waits for what never comes.
static void test_hanging(void) {
  client c;
  open_queue(&c, 0);
  const uint64_t at = (uint64_t)(uintptr_t)c.data;
  const uint32_t wait[] = {0xc0053c00, 0x15, (uint32_t)at, (uint32_t)(at >> 32), 7, ~0u, 4};
  submit(&c, wait, 7, 4);
  const char *says = amd_mock_complaint(c.m);
  CHECK(says && strstr(says, "waits for ever: 0x0 at") && strstr(says, ">= 0x7"));
  akm_put32(c.data, 0, 9);
  c.s->doorbell(c.s->user, c.bell);
  CHECK(!amd_mock_complaint(c.m));
  akm_put64(c.page, 0x38, c.put + 2);
  says = amd_mock_complaint(c.m);
  CHECK(says && strstr(says, "the write pointer is 9, but the doorbell was rung for 7"));
  end(&c);
  over(&c);
}

// ** events and interrupts **

static int event(client *c, uint64_t page, uint32_t type, uint32_t *id) {
  uint8_t p[32] = {0};
  akm_put64(p, 0, page); akm_put32(p, 12, type); akm_put32(p, 16, 1); akm_put32(p, 20, 1);
  const int r = call(c, 0xc0204b08, p);
  *id = akm_get32(p, 24);
  return r;
}
static uint32_t wait_for(client *c, uint32_t id) {         // 0: it has happened
  uint8_t e[48] = {0}, p[24] = {0};
  akm_put32(e, 40, id); akm_put64(p, 0, (uint64_t)(uintptr_t)e); akm_put32(p, 8, 1); akm_put32(p, 16, 1);
  CHECK_EQ(call(c, 0xc0184b0c, p), 0);
  return akm_get32(p, 20);
}
static void test_events(void) {
  client c;
  uint32_t id, other;
  open_queue(&c, 0);
  CHECK_EQ(event(&c, 0, 0, &id), -EINVAL);
  wrong(&c, "event", "a signal, and no GPU reaches its slot");
  CHECK_EQ(event(&c, c.handle[2], 0, &id), -EINVAL);
  wrong(&c, "event", "is no page of events");
  const uint64_t slot = (uint64_t)(uintptr_t)memory(&c, 32768, HOST);
  CHECK(!event(&c, c.handle[5], 0, &id) && id == 0 && akm_get64((void *)(uintptr_t)slot, 0) == UINT64_MAX);
  CHECK(event(&c, c.handle[5], 0, &other) == -EINVAL && !amd_mock_complaint(c.m));       // a process has one page
  CHECK(!event(&c, 0, 0, &other) && other == 1 && !event(&c, 0, 8, &other) && other == 4096);
  const uint32_t words[] = {0xc0064900, 0x70f514, 1u << 29 | 2u << 24, (uint32_t)slot, (uint32_t)(slot >> 32), 0, 0, 0};
  uint32_t unwritten[8];
  memcpy(unwritten, words, sizeof words);
  unwritten[7] = 1;
  CHECK_EQ(wait_for(&c, 0), 1);
  submit(&c, words, 8, 4);
  CHECK(wait_for(&c, 0) == 0 && wait_for(&c, 0) == 1 && akm_get64((void *)(uintptr_t)slot, 0) == UINT64_MAX);
  CHECK(!amd_mock_complaint(c.m) && amd_mock_counted(c.m).interrupts == 1);
  submit(&c, unwritten, 8, 4);
  wrong(&c, "interrupt", "an interrupt of event 1, which is no signal, or whose slot nobody wrote");
  CHECK_EQ(give_back(&c, c.handle[5]), -EPERM);
  wrong(&c, "page", "it is the page of events, which stays");
  for (uint32_t k = 0; k < 3; k++) {
    uint8_t p[8] = {0};
    akm_put32(p, 0, k < 2 ? k : 4096);
    CHECK_EQ(call(&c, 0x40084b09, p), 0);
  }
  c.n--;                                   // the page
  end(&c);
  over(&c);
}

int main(void) {
  test_right();
  test_events();
  test_memory();
  test_queues();
  test_packets();
  test_hanging();
  return test_report();
}
