// nv_mock_client.h: a small client of NVIDIA's kernel driver, written by hand from its published headers, step by step
// as a companion does it: a test of the mock, with one place for each thing that may be done wrong (client_patch).
#ifndef NV_MOCK_CLIENT_H
#define NV_MOCK_CLIENT_H
#include "nv_mock.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

// What is done wrong, once: where it is, what is changed there.
typedef enum patch_kind {
  PATCH_NONE,
  PATCH_ESCAPE,                // at: an escape's number; offset and value: of its structure
  PATCH_SIZE,                  // at: an escape's number; value: its size
  PATCH_ALLOC,                 // at: a class; offset, value: of its parameters
  PATCH_ALLOC_HEAD,            // at: a class; offset, value: of NVOS64
  PATCH_CONTROL,               // at: a command; offset, value: of its parameters
  PATCH_CONTROL_HEAD,          // at: a command; offset, value: of NVOS54
  PATCH_UVM,                   // at: an ioctl of nvidia-uvm; offset, value: of its parameters
  PATCH_SKIP_UVM,              // at: an ioctl that is not called
  PATCH_METHOD,                // at: a method; offset: its subchannel; value: sent in place of the right one
  PATCH_DROP,                  // at: a method that is not sent; offset: its subchannel
  PATCH_TWICE,                 // at: a method that is sent twice; offset: its subchannel
  PATCH_ENTRY,                 // offset: 0 or 4 in the entry of the ring; value: or-ed to it
  PATCH_QMD,                   // at: the lowest bit; offset: the width; value
  PATCH_CONSTANT,              // offset, value: a word of constant bank 0
  PATCH_CODE,                  // offset, value: a word of the code
  PATCH_PUT,                   // value: GPPut
  PATCH_TOKEN,                 // value: the doorbell's
  PATCH_MMAP,                  // at: 1 for memory, 0 for the usermode window; offset: of its mmap; value: bytes
                               // away from the GPU's address
  PATCH_STEP                   // at: which step is done otherwise (client_step)
} patch_kind;
enum { STEP_NO_STORE = 1, STEP_NO_RING, STEP_SCHEDULE_FIRST, STEP_REUSE_FD, STEP_FREE_USERD, STEP_FREE_SPACE,
       STEP_FREE_CHANNEL, STEP_TWO_CHANNELS_REGISTERED, STEP_STALE_CODE, STEP_STALE_CONSTANTS, STEP_STALE_QMD,
       STEP_WAIT_FOREVER, STEP_BAD_FD, STEP_MUNMAP, STEP_FREE_TWICE, STEP_PUSH_TAIL, STEP_UNKNOWN_METHOD };
typedef struct client_patch { patch_kind kind; uint32_t at, offset, value; } client_patch;

typedef struct client {
  nv_mock *mock;
  const tiny_nv_system *system;
  const char *stage;                       // the step that failed; NULL: none
  uint32_t status; int error;              // of it
  client_patch patch; int patched;
  int branch, chip, number;                // branch: as the client knows it; number: of the GPU
  uint32_t compute_class, copy_class, gpfifo_class, usermode_class;
  int ctl, dev, uvm, mm;
  uint32_t root, device, subdevice, usermode, space, group, share, channel, compute, copy, token;
  uint32_t memory, notifier, vram;         // handles
  uint8_t uuid[16];
  uint8_t *at, *record;                    // the block below, and the error notifier, for CPU and GPU
  uint64_t block, vram_at;                 // addresses; block: one of the client's own in the process
  volatile uint32_t *doorbell;
  uint32_t put, words;                     // of the pushbuffer
  void *cubin; size_t cubin_nbytes, code_nbytes; uint32_t code_at;
  uint32_t registers;
} client;

// The block: where its parts begin.
enum { AT_RING = 0, AT_USERD = 0x2000, AT_PUSH = 0x10000, AT_QMD = 0x20000, AT_BANK = 0x21000, AT_SEMAPHORE = 0x22000,
       AT_X = 0x30000, AT_Y = 0x40000, AT_CODE = 0x50000, AT_SPARE = 0x70000, BLOCK_NBYTES = 0x80000, NENTRY = 1024 };
// At block + these: the error notifier, memory of the GPU's own. What is free for a channel's context, and the windows.
static const uint64_t client_record = 0x200000, client_vram = 0x400000, client_window = 0x2000000000u,
                      client_shared = 0x729400000000u, client_local = 0x729300000000u;

static void put32(void *p, size_t at, uint32_t v) { memcpy((char *)p + at, &v, 4); }
static void put64(void *p, size_t at, uint64_t v) { memcpy((char *)p + at, &v, 8); }
static uint32_t get32(const void *p, size_t at) { uint32_t v; memcpy(&v, (const char *)p + at, 4); return v; }
static uint64_t get64(const void *p, size_t at) { uint64_t v; memcpy(&v, (const char *)p + at, 8); return v; }

static int is_patch(client *c, patch_kind kind, uint32_t at) {
  if (c->patched || c->patch.kind != kind || c->patch.at != at) return 0;
  c->patched = 1;
  return 1;
}
static int is_step(client *c, uint32_t step) { return is_patch(c, PATCH_STEP, step); }

// What a step answered: 0 where it failed, which ends the client's way.
static int step(client *c, const char *name, int error, uint32_t status) {
  if (!error && !status) return 1;
  if (!c->stage) { c->stage = name; c->error = error; c->status = status; }
  return 0;
}

static int escape(client *c, int fd, uint32_t number, void *p, uint32_t nbytes) {
  if (is_patch(c, PATCH_ESCAPE, number)) put32(p, c->patch.offset, c->patch.value);
  if (is_patch(c, PATCH_SIZE, number)) nbytes = c->patch.value;
  return c->system->ioctl(c->system->user, fd, 0xc0004600u | nbytes << 16 | number, p);
}

// RM_ALLOC. The new handle; 0: failed.
static uint32_t alloc(client *c, const char *name, uint32_t parent, uint32_t handle, uint32_t class_, void *params,
                      uint32_t nbytes) {
  uint8_t p[48] = {0};
  if (params && is_patch(c, PATCH_ALLOC, class_)) put32(params, c->patch.offset, c->patch.value);
  put32(p, 0, c->root); put32(p, 4, parent); put32(p, 8, handle); put32(p, 12, class_);
  put64(p, 16, (uint64_t)(uintptr_t)params);
  put32(p, 32, nbytes);
  if (is_patch(c, PATCH_ALLOC_HEAD, class_)) put32(p, c->patch.offset, c->patch.value);
  int error = escape(c, c->ctl, 0x2b, p, 48);
  return step(c, name, error, get32(p, 40)) ? get32(p, 8) : 0;
}

static int control(client *c, const char *name, uint32_t object, uint32_t command, void *params, uint32_t nbytes) {
  uint8_t p[32] = {0};
  if (is_patch(c, PATCH_CONTROL, command)) put32(params, c->patch.offset, c->patch.value);
  put32(p, 0, c->root); put32(p, 4, object); put32(p, 8, command);
  put64(p, 16, (uint64_t)(uintptr_t)params);
  put32(p, 24, nbytes);
  if (is_patch(c, PATCH_CONTROL_HEAD, command)) put32(p, c->patch.offset, c->patch.value);
  int error = escape(c, c->ctl, 0x2a, p, 32);
  return step(c, name, error, get32(p, 28));
}

static int uvm(client *c, const char *name, int fd, uint32_t number, void *p, uint32_t status) {
  if (is_patch(c, PATCH_SKIP_UVM, number)) return 1;
  if (is_patch(c, PATCH_UVM, number)) put32(p, c->patch.offset, c->patch.value);
  int error = c->system->ioctl(c->system->user, fd, number, p);
  return step(c, name, error, get32(p, status) == 0x10006 ? 0 : get32(p, status));
}

static int open_file(client *c, const char *path) {
  int fd = c->system->open(c->system->user, path, 2);
  step(c, path, fd < 0 ? fd : 0, 0);
  return fd;
}

static int client_find(client *c) {
  uint8_t version[72] = {0}, cards[72 * 4] = {0}, info[32] = {0}, list[16] = {0};
  uint32_t classes[64] = {0};
  char path[32];
  if ((c->ctl = open_file(c, "/dev/nvidiactl")) < 0) return 0;
  put32(version, 0, '2');
  if (!step(c, "version", escape(c, c->ctl, 0xd2, version, 72), 0)) return 0;
  c->branch = atoi((char *)version + 8);
  if (!(c->root = alloc(c, "client", 0, 0, 0x41, NULL, 0))) return 0;
  if (!step(c, "cards", escape(c, c->ctl, 0xc8, cards, sizeof cards), 0)) return 0;
  const uint8_t *card = cards + 72 * c->number;
  snprintf(path, sizeof path, "/dev/nvidia%u", get32(card, 0x38));
  if ((c->dev = open_file(c, path)) < 0) return 0;
  uint32_t ctl = (uint32_t)c->ctl;
  if (!step(c, "register fd", escape(c, c->dev, 0xc9, &ctl, 4), 0)) return 0;
  put32(info, 0, get32(card, 0x10));
  if (!control(c, "id info", c->root, 0x205, info, 32)) return 0;
  uint8_t device[56] = {0}, sub[4] = {0};
  put32(device, 0, get32(info, 8)); put32(device, 4, c->root);
  if (!(c->device = alloc(c, "device", c->root, 0, 0x80, device, 56))) return 0;
  if (!(c->subdevice = alloc(c, "subdevice", c->device, 0, 0x2080, sub, 4))) return 0;
  if (!control(c, "class list", c->device, 0x800201, list, 16)) return 0;
  put64(list, 8, (uint64_t)(uintptr_t)classes);
  if (!control(c, "class list", c->device, 0x800201, list, 16)) return 0;
  for (uint32_t i = 0; i < get32(list, 0); i++) {
    uint32_t k = classes[i], low = k & 0xff;
    if (low == 0xc0 && k > 0xc000) c->compute_class = k;
    if (low == 0xb5) c->copy_class = k;
    if (low == 0x6f && k > c->gpfifo_class) c->gpfifo_class = k;
    if (low == 0x61 && k > c->usermode_class) c->usermode_class = k;
  }
  return step(c, "classes", !c->compute_class || !c->copy_class || !c->gpfifo_class || !c->usermode_class, 0);
}

// RM_MAP_MEMORY and mmap of a file of its own. NULL: failed.
static void *map_memory(client *c, uint32_t handle, uint64_t nbytes, int is_sysmem, uint64_t want) {
  uint8_t p[56] = {0};
  char path[32];
  snprintf(path, sizeof path, is_sysmem ? "/dev/nvidiactl" : "/dev/nvidia%d", c->number);
  int fd = open_file(c, path);
  if (fd < 0) return NULL;
  put32(p, 0, c->root); put32(p, 4, is_sysmem ? c->device : c->subdevice); put32(p, 8, handle);
  put64(p, 24, nbytes);
  put32(p, 48, (uint32_t)(is_step(c, STEP_BAD_FD) ? c->dev + 77 : is_step(c, STEP_REUSE_FD) && c->dev ? c->dev : fd));
  void *at = (void *)(uintptr_t)want;
  int64_t offset = 0;
  int ok = step(c, "map", escape(c, c->ctl, 0x4e, p, 56), get32(p, 40));
  if (ok && is_patch(c, PATCH_MMAP, want != 0)) {
    at = (void *)(uintptr_t)(want + c->patch.value); offset = c->patch.offset;
  }
  ok = ok && step(c, "mmap", c->system->mmap(c->system->user, &at, nbytes, PROT_READ | PROT_WRITE,
                                             MAP_SHARED | (want ? MAP_FIXED : 0), fd, offset), 0);
  c->system->close(c->system->user, fd);
  return ok ? at : NULL;
}

// A range of UVM's and the memory in it.
static int map_gpu(client *c, uint64_t at, uint64_t nbytes, uint32_t memory) {
  static const size_t sizes[2] = {1200, 9264};
  uint8_t range[24] = {0};
  put64(range, 0, at); put64(range, 8, nbytes);
  if (!uvm(c, "range", c->uvm, 73, range, 16)) return 0;
  size_t nbyte = sizes[c->branch >= 550], after = nbyte - 24;
  uint8_t *p = calloc(1, nbyte);
  if (!p) return 0;
  put64(p, 0, at); put64(p, 8, nbytes);
  memcpy(p + 24, c->uuid, 16);
  put32(p, 24 + 16, 1);
  put64(p, after, 1); put32(p, after + 8, (uint32_t)c->ctl); put32(p, after + 12, c->root);
  put32(p, after + 16, memory);
  int ok = uvm(c, "map external", c->uvm, 33, p, (uint32_t)after + 20);
  free(p);
  return ok;
}

static uint32_t new_memory(client *c, uint64_t nbytes, int is_sysmem) {
  uint8_t p[128] = {0};
  put32(p, 0, c->root);
  put32(p, 8, 0xc001);                     // MAP_NOT_REQUIRED, MEMORY_HANDLE_PROVIDED, IGNORE_BANK_PLACEMENT
  put32(p, 0x18, is_sysmem ? 3u << 27 | 1u << 25 : 3u << 27);
  put32(p, 0x1c, 1);
  put64(p, 0x40, nbytes); put64(p, 0x48, 0x1000);
  return alloc(c, "memory", c->device, 0, is_sysmem ? 0x3e : 0x40, p, c->branch >= 545 ? 128 : 120);
}

static int client_space(client *c) {
  uint8_t mode[4] = {0}, gid[268] = {0}, boost[8] = {0}, space[56] = {0}, init[16] = {0}, mm[8] = {0}, gpu[40] = {0},
      vs[32] = {0};
  int has_params = c->usermode_class >= 0xc661;
  c->usermode = alloc(c, "usermode", c->subdevice, 0, c->usermode_class, has_params ? mode : NULL, has_params ? 2 : 0);
  if (!c->usermode) return 0;
  void *page = map_memory(c, c->usermode, 0x10000, 0, 0);
  if (!page) return 0;
  c->doorbell = (volatile uint32_t *)page + 0x90 / 4;
  put32(gid, 4, 2); put32(gid, 8, 16);
  if (!control(c, "uuid", c->subdevice, 0x2080014a, gid, 268)) return 0;
  memcpy(c->uuid, gid + 12, 16);
  put32(boost, 0, 0x52); put32(boost, 4, 0xffffffff);
  if (!control(c, "boost", c->subdevice, 0x2080200a, boost, 8)) return 0;
  put32(space, 4, 8);
  if (!(c->space = alloc(c, "space", c->device, 0, 0x90f1, space, c->branch >= 580 ? 56 : 48))) return 0;
  if ((c->uvm = open_file(c, "/dev/nvidia-uvm")) < 0 || (c->mm = open_file(c, "/dev/nvidia-uvm")) < 0) return 0;
  if (!uvm(c, "uvm", c->uvm, 0x30000001, init, 8)) return 0;
  put32(mm, 0, (uint32_t)c->uvm);
  if (!uvm(c, "mm", c->mm, 75, mm, 4)) return 0;
  memcpy(gpu, c->uuid, 16);
  put32(gpu, 0x18, 0xffffffff);
  if (!uvm(c, "register gpu", c->uvm, 37, gpu, 36)) return 0;
  memcpy(vs, gpu, 16);
  put32(vs, 16, (uint32_t)c->ctl); put32(vs, 20, c->root); put32(vs, 24, c->space);
  return uvm(c, "register space", c->uvm, 25, vs, 28);
}

static int client_memory(client *c) {
  if (!(c->memory = new_memory(c, BLOCK_NBYTES, 1)) || !map_gpu(c, c->block, BLOCK_NBYTES, c->memory)) return 0;
  if (!(c->at = map_memory(c, c->memory, BLOCK_NBYTES, 1, c->block))) return 0;
  if (!(c->notifier = new_memory(c, 0x1000, 1)) || !map_gpu(c, c->block + client_record, 0x1000, c->notifier)) return 0;
  if (!(c->record = map_memory(c, c->notifier, 0x1000, 1, c->block + client_record))) return 0;
  c->vram_at = c->block + client_vram;
  return (c->vram = new_memory(c, 0x10000, 0)) && map_gpu(c, c->vram_at, 0x10000, c->vram);
}

static int client_schedule(client *c) {
  uint8_t on[3] = {1, 0, 0};
  return control(c, "schedule", c->group, 0xa06c0101, on, c->branch >= 575 ? 3 : 2);
}

static int client_register(client *c) {
  uint8_t p[56] = {0};
  memcpy(p, c->uuid, 16);
  put32(p, 16, (uint32_t)c->ctl); put32(p, 20, c->root); put32(p, 24, c->channel);
  put64(p, 32, client_window); put64(p, 40, 0x4000000);
  return uvm(c, "register channel", c->uvm, 27, p, 48);
}

static int client_channel(client *c) {
  uint8_t group[20] = {0}, share[12] = {0}, channel[376] = {0}, gr[16] = {0}, ce[8] = {0}, token[4];
  size_t shift = c->branch >= 610 ? 8 : 0;
  put32(group, 8, c->space); put32(group, 12, 1);
  if (!(c->group = alloc(c, "group", c->device, 0, 0xa06c, group, 20))) return 0;
  put32(share, 0, c->space); put32(share, 4, 1);
  if (!(c->share = alloc(c, "share", c->group, 0, 0x9067, share, 12))) return 0;
  put32(channel, 0, c->notifier);
  put64(channel, 8, c->block + AT_RING); put32(channel, 16, NENTRY);
  put32(channel, 0x18, c->share);
  put32(channel, 0x20 + shift, c->memory); put64(channel, 0x40 + shift, AT_USERD);
  put32(channel, 0x80 + shift, 1);
  uint32_t nbytes = c->branch >= 610 ? 376 : c->branch >= 570 ? 368 : 360;
  c->channel = alloc(c, "channel", c->group, 0, c->gpfifo_class, channel, nbytes);
  if (!c->channel) return 0;
  put32(gr, 0, 2); put32(gr, 8, 16);
  if (!(c->compute = alloc(c, "compute", c->channel, 0, c->compute_class, gr, 16))) return 0;
  put32(ce, 0, 1); put32(ce, 4, 1);
  if (!(c->copy = alloc(c, "copy", c->channel, 0, c->copy_class, ce, 8))) return 0;
  put32(token, 0, 0xffffffff);
  if (!control(c, "token", c->channel, 0xc36f0108, token, 4)) return 0;
  c->token = get32(token, 0);
  if (is_step(c, STEP_SCHEDULE_FIRST) && !client_schedule(c)) return 0;
  if (!client_register(c)) return 0;
  if (is_step(c, STEP_TWO_CHANNELS_REGISTERED) && !client_register(c)) return 0;
  return client_schedule(c);
}

static int client_open(client *c) { return client_find(c) && client_space(c) && client_memory(c) && client_channel(c); }

// ---- pushbuffers

static void word(client *c, uint32_t w) { put32(c->at, AT_PUSH + 4 * c->words++, w); }
static void method_once(client *c, uint32_t sub, uint32_t method, uint32_t v) {
  word(c, 1u << 29 | 1u << 16 | sub << 13 | method >> 2);
  word(c, v);
}
static void method(client *c, uint32_t sub, uint32_t m, uint32_t v) {
  if (c->patch.offset == sub && is_patch(c, PATCH_DROP, m)) return;
  if (c->patch.offset == sub && is_patch(c, PATCH_METHOD, m)) v = c->patch.value;
  if (c->patch.offset == sub && is_patch(c, PATCH_TWICE, m)) method_once(c, sub, m, v);
  method_once(c, sub, m, v);
}

static void release(client *c, uint64_t at, uint64_t value) {
  method(c, 0, 0x5c, (uint32_t)at); method(c, 0, 0x60, (uint32_t)(at >> 32));
  method(c, 0, 0x64, (uint32_t)value); method(c, 0, 0x68, (uint32_t)(value >> 32));
  method(c, 0, 0x6c, 1 | 1u << 20 | 1u << 24 | 1u << 25);
}

static void acquire(client *c, uint64_t at, uint64_t value) {
  method(c, 0, 0x5c, (uint32_t)at); method(c, 0, 0x60, (uint32_t)(at >> 32));
  method(c, 0, 0x64, (uint32_t)value); method(c, 0, 0x68, (uint32_t)(value >> 32));
  method(c, 0, 0x6c, 3 | 1u << 24);
}

// The words since `from` as an entry, and the doorbell.
static void submit(client *c, uint32_t from) {
  uint64_t at = c->block + AT_PUSH + 4 * from;
  uint32_t entry[2] = {(uint32_t)at, (uint32_t)(at >> 32) | (c->words - from) << 10 | 1u << 9};
  if (is_patch(c, PATCH_ENTRY, 0)) entry[c->patch.offset / 4] |= c->patch.value;
  put32(c->at, AT_RING + 8 * c->put, entry[0]); put32(c->at, AT_RING + 8 * c->put + 4, entry[1]);
  c->put = (c->put + 1) % NENTRY;
  put32(c->at, AT_USERD + 0x8c, is_patch(c, PATCH_PUT, 0) ? c->patch.value : c->put);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (is_step(c, STEP_NO_RING)) return;
  uint32_t token = is_patch(c, PATCH_TOKEN, 0) ? c->patch.value : c->token;
  if (!is_step(c, STEP_NO_STORE)) *c->doorbell = token;
  c->system->doorbell(c->system->user, token);
}

static void begin_channel(client *c) {
  method(c, 1, 0, c->compute_class);
  method(c, 4, 0, c->copy_class);
  method(c, 1, 0x2a0, (uint32_t)(client_shared >> 32)); method(c, 1, 0x2a4, (uint32_t)client_shared);
  method(c, 1, 0x7b0, (uint32_t)(client_local >> 32)); method(c, 1, 0x7b4, (uint32_t)client_local);
}

// Whether a 64-bit semaphore came to a value, in two seconds.
static int wait_for(const client *c, uint32_t at, uint64_t value) {
  struct timespec nap = {0, 100000};
  for (int i = 0; i < 20000; i++) {
    if (__atomic_load_n((const uint64_t *)(const void *)(c->at + at), __ATOMIC_ACQUIRE) >= value) return 1;
    syscall(SYS_nanosleep, &nap, NULL);
  }
  return 0;
}
#endif
