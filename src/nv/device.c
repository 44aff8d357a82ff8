// device: a GPU: found, asked what it is, its address space and channels; opened and closed; what went wrong.
//
// In:    "", a number, or "on-SYSTEM-NUMBER". Out: a tn_nv with its limits.
// Holds: what the host sees lies at one address for the host and the GPU, below 2^40. One group of channels: launches,
//        copies to the GPU, copies from it; each goes on by itself and tells how far it is in a semaphore. After an
//        error of a channel each call says so, and nothing more is given to the GPU.
#ifndef TN_NV_DEVICE_ROOM
#define TN_NV_DEVICE_ROOM
#ifndef TINY_AMALGAMATED
#include "rm.c"
#include "../base/blocks.c"
#include "../base/prepared.c"
#include "generation.c"
#endif

enum {
  TN_NV_WINDOW_LOG2 = 34,                  // bytes of addresses that host and GPU share
  TN_NV_ENTRIES = 1024, TN_NV_PARTS = 8, TN_NV_CARDS = 32, TN_NV_CLASSES_MOST = 512
};
enum { TN_NV_LAUNCHES, TN_NV_IN, TN_NV_OUT, TN_NV_CHANNELS };              // what a channel is for

// Memory of the GPU or of the host that the GPU sees at va, and the host too if cpu is not NULL. of: 0, or the serial
// number of the device that it belongs to, which knows it as `theirs`; handle is 0 then (peer.c).
typedef struct tn_nv_memory {
  struct tn_nv_memory *next;
  uint32_t handle, theirs; uint64_t va, nbytes, token, of; char *cpu;
} tn_nv_memory;
// Memory in parts, which are used one after the other, and again when the channel has come so far.
typedef struct tn_nv_ring {
  tn_nv_memory *memory; size_t part, fill; int now, channel; uint64_t busy[TN_NV_PARTS];
} tn_nv_ring;
typedef struct tn_nv_channel {
  uint32_t handle, token;
  tn_nv_memory *control, *notifier;        // entries and USERD; what the driver writes after an error
  uint32_t put;
  uint64_t given, seen[TN_NV_CHANNELS];    // submissions; those of others that it has waited for
  uint64_t *done;                          // the last that happened, as the GPU writes it
  tn_nv_ring words;
  uint32_t *at, *from, *end;               // of words: where to write, what is not submitted yet, the part's end
  int registered;                          // with nvidia-uvm
} tn_nv_channel;
typedef struct tn_nv_stamp { uint64_t *out; } tn_nv_stamp;
// Another device of the context, and up to which of its submissions this one waits, of each channel.
typedef struct tn_nv_peer { struct tn_nv *of; uint64_t value[TN_NV_CHANNELS]; } tn_nv_peer;
// A GPU that nvidia-uvm was told of: 1: its memory may be tried; -1: the driver does not let this one reach it.
typedef struct tn_nv_neighbour { uint8_t uuid[16]; int peers; } tn_nv_neighbour;

typedef struct tn_nv {
  tiny_ctx *t;
  tn_nv_rm rm;
  char name[40], gpu[72], target[16];
  int number, minor, file, sm, lost, exclusive;
  uint8_t uuid[16];
  const tn_nv_generation *generation;
  uint32_t device, subdevice, vaspace, group, share, debugger, doorbell, compute_object;
  uint32_t fifo_class, copy_class, doorbell_class;
  uint32_t gpu_id;
  uint32_t sass;                           // as descriptors have it: 0x90 of 9.0
  int gpcs, tpcs, sms, warps;              // GPCs, TPCs of each at most, SMs of a TPC, warps of an SM
  int processors; uint64_t nbytes, free_nbytes, l2;
  char *window; uint64_t from_low, next_low, next_high;    // addresses: the first that are given again, the next
  tn_nv_memory *memory;                    // all of it
  char *bell; uint64_t bell_token;         // the page with the doorbell
  tn_nv_memory *signals;                   // semaphores: of channels, then of stamps
  tn_nv_channel channel[TN_NV_CHANNELS];
  tn_nv_ring args, stage_in, stage_out;
  tn_nv_memory *local; uint64_t local_thread;              // local memory, and bytes of it that a thread has
  int code_is_new;                         // instructions were written since the last launch
  tn_device_blocks blocks;
  struct tn_nv_module *gone;
  tn_prepared prepared;
  tn_nv_stamp *stamp; int nstamp, stamp_cap;
  uint64_t timeout_ns, serial;             // serial: no other device of the process has it
  tn_nv_peer peer[TINY_MAX_DEVICES]; int npeer;
  tn_nv_neighbour neighbour[TN_NV_CARDS]; int nneighbour;
  struct tn_nv_assembler *assembler;
} tn_nv;

static tiny_code tn_nv_failed(tn_nv *d) { return tiny_fail(d->t, d->rm.code, "%s: %s", d->name, d->rm.why); }
static tiny_code tn_nv_check(tn_nv *d, tiny_code code) { return code == TINY_OK ? code : tn_nv_failed(d); }

// ** which GPU **

static tiny_code tn_nv_cards(tn_nv_rm *rm, tn_nv_card cards[TN_NV_CARDS], int *n) {
  memset(cards, 0, TN_NV_CARDS * sizeof *cards);
  *n = 0;
  const tiny_code code = tn_nv_call(rm, rm->control, TN_NV_CARD_INFO, cards, TN_NV_CARDS * sizeof *cards,
                                    "a list of GPUs (NV_ESC_CARD_INFO)");
  for (int i = 0; i < TN_NV_CARDS; i++) if (cards[i].valid) cards[(*n)++] = cards[i];
  return code;
}
// The file stays open: it keeps the GPU awake. Containers show some of the GPUs: numbers count those that open.
static tiny_code tn_nv_choose(tn_nv *d, uint64_t number) {
  tn_nv_card cards[TN_NV_CARDS];
  int n = 0, seen = 0;
  tiny_code code = tn_nv_cards(&d->rm, cards, &n), refused = TINY_OK;
  if (code != TINY_OK) return code;
  for (int i = 0; i < n; i++) {
    const int file = tn_nv_file(&d->rm, (int)cards[i].minor);
    if (file < 0) { refused = d->rm.code; continue; }
    if ((uint64_t)seen++ != number) { d->rm.sys.close(d->rm.sys.user, file); continue; }
    d->file = file; d->minor = (int)cards[i].minor; d->gpu_id = cards[i].gpu;
    return TINY_OK;
  }
  if (n && !seen) return refused;          // why it does not open, stands there
  if (!n) return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the driver (%s) finds no GPU", d->rm.version);
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "there is no GPU of this number; there are %d, counted from 0", seen);
}

// ** what it is **

static tiny_code tn_nv_classes(tn_nv *d, uint32_t *list, uint32_t *n) {
  tn_nv_classes_params p = {0, 0, 0};
  static const char what[] = "its classes (NV0080_CTRL_CMD_GPU_GET_CLASSLIST)";
  tiny_code code = tn_nv_control(&d->rm, d->device, TN_NV_CLASSES, &p, sizeof p, what);
  if (code == TINY_OK && p.n > TN_NV_CLASSES_MOST)
    code = tn_nv_wrong(&d->rm, TINY_E_DEVICE, "%s: %u are too many", what, (unsigned)p.n);
  p.list = tn_nv_pointer(list);
  if (code == TINY_OK) code = tn_nv_control(&d->rm, d->device, TN_NV_CLASSES, &p, sizeof p, what);
  *n = p.n;
  return code;
}
static tiny_code tn_nv_take_classes(tn_nv *d) {
  uint32_t list[TN_NV_CLASSES_MOST], n = 0;
  memset(list, 0, sizeof list);
  const tiny_code code = tn_nv_classes(d, list, &n);
  if (code != TINY_OK) return code;
  d->generation = tn_nv_generation_of(list, n);
  if (!d->generation)
    return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "it is older than Turing or newer than Blackwell: none of its %u classes "
                       "is a compute class that is known here", (unsigned)n);
  d->sm = d->generation->sm;
  d->fifo_class = tn_nv_class_of(list, n, d->generation->fifo);
  d->copy_class = tn_nv_class_of(list, n, d->generation->copy);
  d->doorbell_class = tn_nv_class_of(list, n, d->generation->doorbell);
  if (d->fifo_class && d->copy_class && d->doorbell_class) return TINY_OK;
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "its classes are not those of %s", d->generation->name);
}
static uint32_t tn_nv_found(const tn_nv_pair *p, int n, uint32_t index) {
  for (int i = 0; i < n; i++) if (p[i].index == index) return p[i].data;
  return 0;
}
// Where the driver does not tell, what the generation's largest has.
static void tn_nv_take_processors(tn_nv *d) {
  tn_nv_pair p[] = {{TN_NV_GR_SM_VERSION, 0}, {TN_NV_GR_WARPS, 0}, {TN_NV_GR_GPCS, 0}, {TN_NV_GR_TPCS, 0},
                    {TN_NV_GR_SMS, 0}, {TN_NV_GR_SUBPIPES, 0}};
  enum { N = sizeof p / sizeof *p };
  tn_nv_gr_params g = {N, 0, 0, 0, 0, 0};
  g.list = tn_nv_pointer(p);
  if (tn_nv_control(&d->rm, d->subdevice, TN_NV_GR_INFO, &g, sizeof g, "its processors") != TINY_OK)
    memset(p, 0, sizeof p);
  const uint32_t version = tn_nv_found(p, N, TN_NV_GR_SM_VERSION);
  d->sm = tn_nv_sm_of(d->generation, version);
  d->sass = version ? (version & 0xF00) >> 4 | (version & 15) : (uint32_t)(d->sm / 10 << 4 | d->sm % 10);
  d->warps = (int)tn_nv_found(p, N, TN_NV_GR_WARPS);
  d->gpcs = (int)tn_nv_found(p, N, TN_NV_GR_GPCS);
  d->tpcs = (int)tn_nv_found(p, N, TN_NV_GR_TPCS);
  d->sms = (int)tn_nv_found(p, N, TN_NV_GR_SMS);
  if (d->warps < 1 || d->warps > 128) d->warps = d->generation->threads / 32;
  if (d->gpcs < 1 || d->gpcs > 32) d->gpcs = 12;
  if (d->tpcs < 1 || d->tpcs > 32) d->tpcs = 10;
  if (d->sms < 1 || d->sms > 4) d->sms = 2;
  const int told = (int)tn_nv_found(p, N, TN_NV_GR_SUBPIPES);      // TPCs that are there
  const int most = d->gpcs * d->tpcs;
  d->processors = (told >= 1 && told <= most ? told : most) * d->sms;
}
static void tn_nv_take_memory(tn_nv *d) {
  struct { uint32_t n; tn_nv_pair p[127]; uint32_t more[4]; } f;
  memset(&f, 0, sizeof f);
  static const uint32_t asked[] = {TN_NV_FB_USABLE, TN_NV_FB_RAM, TN_NV_FB_L2, TN_NV_FB_HEAP_FREE};
  for (int i = 0; i < 4; i++) f.p[f.n++].index = asked[i];
  if (tn_nv_control(&d->rm, d->subdevice, TN_NV_FB_INFO, &f, d->rm.branch->fb_info, "its memory") != TINY_OK) return;
  d->nbytes = (uint64_t)f.p[0].data << 10;
  if (!d->nbytes) d->nbytes = (uint64_t)f.p[1].data << 10;
  d->l2 = f.p[2].data;
  d->free_nbytes = (uint64_t)f.p[3].data << 10;
}
static void tn_nv_take_name(tn_nv *d) {
  uint8_t p[132];
  memset(p, 0, sizeof p);
  if (tn_nv_control(&d->rm, d->subdevice, TN_NV_NAME, p, d->rm.branch->name, "its name") != TINY_OK) p[4] = 0;
  snprintf(d->gpu, sizeof d->gpu, "%.64s", p[4] ? (const char *)p + 4 : d->generation->name);
}
static int tn_nv_is_partitioned(tn_nv *d) {
  struct { uint32_t n; tn_nv_pair p[70]; } i;
  memset(&i, 0, sizeof i);
  i.n = 1;
  i.p[0].index = TN_NV_GPU_MIG;
  return tn_nv_control(&d->rm, d->subdevice, TN_NV_INFO, &i, d->rm.branch->info, "its mode") == TINY_OK &&
      i.p[0].data == 1;
}
static tiny_code tn_nv_take_uuid(tn_nv *d) {
  tn_nv_uuid_params u;
  memset(&u, 0, sizeof u);
  u.flags = 2; u.nbytes = 16;              // binary
  const tiny_code code = tn_nv_control(&d->rm, d->subdevice, TN_NV_UUID, &u, sizeof u, "its uuid");
  memcpy(d->uuid, u.data, 16);
  return code;
}

// As assemblers name it.
static void tn_nv_name_target(tn_nv *d) {
  snprintf(d->target, sizeof d->target, "sm_%d%s", d->sm, d->sm >= 90 ? "a" : "");
}

// The objects that stand for it, without an address space.
static tiny_code tn_nv_attach(tn_nv *d) {
  tn_nv_id_params id;
  tn_nv_device_params device;
  uint32_t subdevice = 0;
  memset(&id, 0, sizeof id);
  memset(&device, 0, sizeof device);
  id.gpu = d->gpu_id;
  tiny_code code = tn_nv_control(&d->rm, d->rm.root, TN_NV_GET_ID, &id, sizeof id, "its number");
  device.device = id.device; device.client_share = d->rm.root;
  if (code == TINY_OK)
    code = tn_nv_make(&d->rm, d->rm.root, TN_NV_DEVICE, &device, sizeof device, "a device (NV01_DEVICE_0)", &d->device);
  if (code == TINY_OK)
    code = tn_nv_make(&d->rm, d->device, TN_NV_SUBDEVICE, &subdevice, sizeof subdevice, "a device (NV20_SUBDEVICE_0)",
                      &d->subdevice);
  if (code == TINY_OK) code = tn_nv_take_classes(d);
  if (code != TINY_OK) return code;
  tn_nv_take_processors(d);
  tn_nv_take_memory(d);
  tn_nv_take_name(d);
  tn_nv_name_target(d);
  return tn_nv_take_uuid(d);
}

// ** addresses and memory **

// Of those from *next to high the first that have nothing; 0: there are none.
static uint64_t tn_nv_place(tn_nv *d, uint64_t low, uint64_t high, uint64_t *next, uint64_t nbytes, uint64_t align) {
  for (int again = 0; again < 2; again++) {
    uint64_t at = again ? low : *next;
    at = (at + align - 1) / align * align;
    for (const tn_nv_memory *m = d->memory; m && at + nbytes <= high; ) {
      if (at < m->va + m->nbytes && m->va < at + nbytes) {
        at = (m->va + m->nbytes + align - 1) / align * align;
        m = d->memory;
      } else m = m->next;
    }
    if (at + nbytes <= high) { *next = at + nbytes; return at; }
  }
  return 0;
}
static uint64_t tn_nv_low(tn_nv *d, uint64_t nbytes, uint64_t align) {
  const uint64_t high = tn_nv_pointer(d->window) + ((uint64_t)1 << TN_NV_WINDOW_LOG2);
  return tn_nv_place(d, d->from_low, high, &d->next_low, nbytes, align);
}
// Above whatever a host's window can be, below the windows of shared and local memory.
static uint64_t tn_nv_high(tn_nv *d, uint64_t nbytes, uint64_t align) {
  return tn_nv_place(d, UINT64_C(0x20000000000), UINT64_C(0x400000000000), &d->next_high, nbytes, align);
}

// What the GPU has, or what the host has and both see: a handle and a size. Sizes are multiples of a page.
static tiny_code tn_nv_memory_object(tn_nv *d, tn_nv_memory *m, int host, uint64_t page) {
  tn_nv_memory_params p;
  memset(&p, 0, sizeof p);
  p.owner = d->rm.root; p.flags = TN_NV_MEMORY_FLAGS; p.nbytes = m->nbytes; p.limit = m->nbytes - 1; p.alignment = page;
  p.format = 6;
  p.attr = TN_NV_ATTR_ANYWHERE;
  if (host) {
    p.type = TN_NV_TYPE_NOTIFIER;
    p.attr |= TN_NV_ATTR_SYSTEM | TN_NV_ATTR_CACHED;
    p.attr2 = TN_NV_ATTR2_UNCACHED | TN_NV_ATTR2_UNCOMPRESSED;
  } else {
    p.attr |= page == 2u << 20 ? (uint32_t)TN_NV_ATTR_HUGE : 0;
    p.attr2 = TN_NV_ATTR2_CACHED | TN_NV_ATTR2_UNCOMPRESSED | (page == 2u << 20 ? (uint32_t)TN_NV_ATTR2_2MIB : 0);
  }
  return tn_nv_make(&d->rm, d->device, host ? TN_NV_SYSTEM_MEMORY : TN_NV_VIDEO_MEMORY, &p, d->rm.branch->memory,
                    host ? "memory of the host" : "memory of the GPU", &m->handle);
}
static void tn_nv_memory_free(tn_nv *d, tn_nv_memory *m) {
  if (!m) return;
  for (tn_nv_memory **at = &d->memory; *at; at = &(*at)->next) if (*at == m) { *at = m->next; break; }
  tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  if (m->cpu) {
    tn_nv_unmap(&d->rm, d->device, m->handle, m->cpu, (size_t)m->nbytes, m->token);
    tn_nv_reserve_again(m->cpu, (size_t)m->nbytes);
  }
  tn_nv_drop(&d->rm, d->device, m->handle);
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static tiny_code tn_nv_memory_map(tn_nv *d, tn_nv_memory *m, int host) {
  void *at = (void *)(uintptr_t)m->va;
  tiny_code code = tn_nv_uvm_range(&d->rm, m->va, m->nbytes);
  if (code != TINY_OK) return code;
  if (host)
    code = tn_nv_map(&d->rm, -1, d->device, m->handle, (size_t)m->nbytes, TN_DRIVER_READ | TN_DRIVER_WRITE,
                     TN_DRIVER_MAP_FIXED, &at, &m->token, "mapping memory for the host");
  if (code == TINY_OK && host) m->cpu = (char *)at;
  const tn_nv_handle own = {d->rm.control, d->rm.root, m->handle};
  if (code == TINY_OK)
    code = tn_nv_uvm_map(&d->rm, d->uuid, m->va, m->nbytes, own, TN_UVM_READ_WRITE_ATOMIC);
  if (code != TINY_OK) tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  return code;
}
// Of memory's pages; and nbytes as a number of them.
static uint64_t tn_nv_page(uint64_t nbytes, int host) { return host ? 4096 : nbytes >= 2u << 20 ? 2u << 20 : 65536; }
static uint64_t tn_nv_pages(uint64_t nbytes, int host) {
  const uint64_t page = tn_nv_page(nbytes, host);
  return (nbytes + page - 1) / page * page;
}
// NULL, and why in d->rm.why. The host's is zeros.
static tn_nv_memory *tn_nv_memory_make(tn_nv *d, uint64_t nbytes, int host) {
  const uint64_t page = tn_nv_page(nbytes, host);
  tn_nv_memory *m = (tn_nv_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) { tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no memory for what is known of memory"); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = tn_nv_pages(nbytes, host);
  m->va = host ? tn_nv_low(d, m->nbytes, page) : tn_nv_high(d, m->nbytes, page);
  if (!m->va) tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no addresses are left for %llu bytes", (unsigned long long)nbytes);
  const int made = m->va && tn_nv_memory_object(d, m, host, page) == TINY_OK;
  if (made && tn_nv_memory_map(d, m, host) == TINY_OK) {
    m->next = d->memory;
    d->memory = m;
    if (host) memset(m->cpu, 0, (size_t)m->nbytes);
    return m;
  }
  if (m->cpu) {
    tn_nv_unmap(&d->rm, d->device, m->handle, m->cpu, (size_t)m->nbytes, m->token);
    tn_nv_reserve_again(m->cpu, (size_t)m->nbytes);
  }
  if (made) tn_nv_drop(&d->rm, d->device, m->handle);
  tiny_realloc(d->t, m, sizeof *m, 0);
  return NULL;
}

// ** its address space **

static tiny_code tn_nv_open_vaspace(tn_nv *d) {
  tn_nv_vaspace_params v;
  tn_uvm_vaspace s;
  memset(&v, 0, sizeof v);
  memset(&s, 0, sizeof s);
  v.flags = TN_NV_VASPACE_EXTERNAL | TN_NV_VASPACE_FAULTS;
  tiny_code code = tn_nv_make(&d->rm, d->device, TN_NV_VASPACE, &v, d->rm.branch->vaspace,
                              "an address space (FERMI_VASPACE_A)", &d->vaspace);
  if (code == TINY_OK) code = tn_nv_rm_open_uvm(&d->rm);
  if (code == TINY_OK) code = tn_nv_uvm_register(&d->rm, d->uuid);
  if (code != TINY_OK) return code;
  memcpy(s.uuid, d->uuid, 16);
  s.control = d->rm.control; s.client = d->rm.root; s.vaspace = d->vaspace;
  return tn_nv_uvm(&d->rm, TN_UVM_REGISTER_VASPACE, &s, &s.status, "UVM_REGISTER_GPU_VASPACE");
}

// ** the doorbell **

// Of two classes and, from Hopper on, two ways, the first that the driver gives.
static tiny_code tn_nv_open_doorbell(tn_nv *d) {
  tiny_code code = TINY_E_DEVICE;
  const uint32_t classes[2] = {d->doorbell_class, d->generation->doorbell[1]};
  for (int i = 0; i < 3 && code != TINY_OK; i++) {
    const uint32_t cls = classes[i / 2];
    tn_nv_doorbell_params p = {(uint8_t)(i == 0), 0};
    const int params = cls >= 0xC661;
    if (!cls || (i == 1 && !params)) continue;
    code = tn_nv_make(&d->rm, d->subdevice, cls, params ? &p : NULL, params ? sizeof p : 0,
                      "a doorbell (usermode class)", &d->doorbell);
  }
  void *at = NULL;
  if (code == TINY_OK)
    code = tn_nv_map(&d->rm, d->minor, d->subdevice, d->doorbell, 65536, TN_DRIVER_READ | TN_DRIVER_WRITE,
                     TN_DRIVER_MAP_SHARED, &at, &d->bell_token, "mapping the doorbell");
  if (code == TINY_OK) d->bell = (char *)at;
  return code;
}
#endif
