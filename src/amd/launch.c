// launch: kernels with all that they are called with -> kernel arguments, packets.
//
// In:    tiny_launch. Out: for each its arguments in memory of the host, and packets in the ring.
// Holds: a kernel begins when the one before has ended and what it wrote is seen. The packets of several launches are
//        one submission.
// What is what: LLVM, User Guide for AMDGPU Backend: "Kernel Descriptor", "Initial Kernel Execution State", "Code
// Object V5 Kernel Argument Metadata" (arguments that compilers hide behind those of the source); how much scratch
// there is to be: ROCR-Runtime, amd_gpu_agent.cpp and amd_aql_queue.cpp.
#ifndef TN_KFD_LAUNCH
#define TN_KFD_LAUNCH
#ifndef TINY_AMALGAMATED
#include "module.c"
#endif

enum { TN_KFD_LAUNCH_WORDS = 96, TN_KFD_LDS_GRANULE = 512, TN_KFD_CLOCK_NS = 10 };
enum {                                     // kernel_code_properties: what stands in scalar registers from the first on
  TN_USE_SCRATCH_BUFFER = 1, TN_USE_PACKET = 2, TN_USE_QUEUE = 4, TN_USE_ARGS = 8, TN_USE_ID = 16, TN_USE_SCRATCH = 32,
  TN_USE_SCRATCH_SIZE = 64, TN_USE_WAVE32 = 1 << 10
};

// ** scratch **

static int tn_kfd_is_gfx9(const tn_kfd *d) { return d->node.chip->family == 9; }
// Firmware reads of AQL's queue where it is. Word 3 of what describes it: ROCR-Runtime, amd_aql_queue.cpp,
// FillBufRsrcWord3: words of 4 bytes, of 64 items beside each other, the item's number added.
static void tn_kfd_scratch_tell(tn_kfd *d) {
  enum { SWIZZLE = 1, WORD3 = 0xEA4FAC };
  tn_kfd_queue_page *p = (tn_kfd_queue_page *)(void *)d->queue[TN_KFD_COMPUTE].page->cpu;
  const uint64_t of_die = d->scratch->nbytes / d->node.dies;
  p->scratch = d->scratch->va; p->scratch_nbytes = of_die; p->lane_nbytes = (uint32_t)d->scratch_item;
  p->srd[0] = (uint32_t)d->scratch->va; p->srd[1] = (uint32_t)(d->scratch->va >> 32) | (uint32_t)SWIZZLE << 31;
  p->srd[2] = (uint32_t)of_die; p->srd[3] = WORD3;
  p->tmpring = d->tmpring;
}
// For as many waves as the GPU can hold that have some. What there was before is freed when nothing uses it any more,
// and lists that tell of it go.
static tiny_code tn_kfd_scratch_grow(tn_kfd *d, uint64_t of_item) {
  enum { MOST_WAVES = 0xFFF };
  const tn_kfd_node *n = &d->node;
  const uint64_t granule = tn_kfd_is_gfx9(d) ? 1024 : 256, units = tn_kfd_units(n) / n->dies;
  if (of_item <= d->scratch_item) return TINY_OK;
  of_item = tn_kfd_up(of_item, granule / 64);
  uint64_t waves = units * n->scratch_slots / (tn_kfd_is_gfx9(d) ? 1 : tn_kfd_engines(n));
  if (waves > MOST_WAVES) waves = MOST_WAVES;
  tn_kfd_memory *const was = d->scratch;
  tiny_code code = tn_kfd_submit_words(d, TN_KFD_COMPUTE);
  if (code == TINY_OK) code = tn_kfd_wait_for(d, TN_KFD_COMPUTE, d->queue[TN_KFD_COMPUTE].given);
  tn_kfd_memory *m = code == TINY_OK ? tn_kfd_memory_make(d, of_item * 64 * n->scratch_slots * units * n->dies, 0)
      : NULL;
  if (!m) return code == TINY_OK ? d->k.code : code;
  d->scratch = m;
  d->scratch_item = of_item;
  d->tmpring = (uint32_t)waves | (uint32_t)(of_item * 64 / granule) << 12;
  if (tn_kfd_is_aql(&d->queue[TN_KFD_COMPUTE])) tn_kfd_scratch_tell(d);
  if (was) tn_prepared_close_all(&d->prepared);
  tn_kfd_memory_free(d, was);
  return TINY_OK;
}

// ** what does not fit **

static tiny_code tn_kfd_fits(tn_kfd *d, const tiny_launch *l) {
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  for (int i = 0; i < 3; i++)
    if (l->local[i] < 1 || l->local[i] > 1024 || l->global[i] > UINT32_MAX / 1024)
      return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: dim %d has %lld groups of %lld items; this device takes %lld of "
                       "1024",
                       d->name, k->name, i, (long long)l->global[i], (long long)l->local[i],
                       (long long)(UINT32_MAX / 1024));
  if (items > TN_KFD_ITEMS || (uint64_t)items > k->most_items)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but this %s takes %lld", d->name, k->name,
                     (long long)items, items > TN_KFD_ITEMS ? "device" : "kernel",
                     items > TN_KFD_ITEMS ? (long long)TN_KFD_ITEMS : (long long)k->most_items);
  if (k->is.lds + l->local_nbytes > (uint64_t)d->node.shared_kib << 10)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %llu bytes of shared memory, but a group has %u KiB", d->name,
                     k->name,
                     (unsigned long long)(k->is.lds + l->local_nbytes), (unsigned)d->node.shared_kib);
  if (k->module->words ? l->nmem + l->nargs > TN_KFD_VALUES : (uint32_t)(l->nmem + l->nargs) * 8 > k->is.args_nbytes)
    return tiny_fail(d->t, k->module->words ? TINY_E_DEVICE : TINY_E_ARG,
                     "kernel: %s has %u bytes of parameters, but there are an output and %d inputs, addresses all",
                     k->name, (unsigned)k->is.args_nbytes, l->nmem + l->nargs - 1);
  return TINY_OK;
}

// ** arguments **

static size_t tn_kfd_source_nbytes(const tn_kfd_kernel *k, const tiny_launch *l) {
  return (size_t)(k->module->words ? TN_KFD_VALUES : l->nmem + l->nargs) * 8;
}
// Of a launch: arguments, and the packet that a kernel may look into.
static size_t tn_kfd_args_at_packet(const tn_kfd_kernel *k) {
  return (size_t)tn_kfd_up(k->is.args_nbytes > TN_KFD_VALUES * 8 ? k->is.args_nbytes : TN_KFD_VALUES * 8u, 64);
}
static size_t tn_kfd_args_nbytes(const void *kernel) {
  return tn_kfd_args_at_packet((const tn_kfd_kernel *)kernel) + sizeof(tn_kfd_aql_dispatch);
}
static uint64_t tn_kfd_value_of(const tiny_launch *l, int i) {
  return i < l->nmem ? tn_kfd_at(l->mem[i]) : (uint64_t)l->args[i - l->nmem];
}
// Parameter i of nmem + nargs.
static void tn_kfd_put_param(const tn_kfd_kernel *k, char *args, int i, int nmem, uint64_t value) {
  const int slot = i < nmem || !k->module->words ? i : TN_KFD_VALUES - 1 - (i - nmem);
  memcpy(args + (size_t)slot * 8, &value, sizeof value);
}
// Behind what the source has: groups, items of a group, dims.
static void tn_kfd_put_hidden(const tn_kfd_kernel *k, const tiny_launch *l, char *args) {
  enum { NBYTES = 256, GROUPS = 0, ITEMS = 12, DIMS = 64 };
  const size_t at = tn_kfd_source_nbytes(k, l);
  const uint16_t dims = 3;
  if (k->is.args_nbytes < at + NBYTES) return;
  for (int i = 0; i < 3; i++) {
    const uint32_t groups = (uint32_t)l->global[i];
    const uint16_t items = (uint16_t)l->local[i];
    memcpy(args + at + GROUPS + 4 * i, &groups, sizeof groups);
    memcpy(args + at + ITEMS + 2 * i, &items, sizeof items);
  }
  memcpy(args + at + DIMS, &dims, sizeof dims);
}
static tn_kfd_aql_dispatch tn_kfd_packet_of(const tiny_launch *l, uint64_t args) {
  enum { DIMS = 3 };
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  tn_kfd_aql_dispatch p;
  memset(&p, 0, sizeof p);
  p.header = TN_AQL_DISPATCH | TN_AQL_BARRIER | TN_AQL_ACQUIRE_AGENT | TN_AQL_RELEASE_AGENT;
  p.setup = DIMS; p.scratch = k->is.scratch; p.shared = k->is.lds + (uint32_t)l->local_nbytes;
  p.kernel = k->at; p.args = args;
  for (int i = 0; i < 3; i++) {
    p.local[i] = (uint16_t)l->local[i];
    p.items[i] = (uint32_t)(l->global[i] * l->local[i]);
  }
  return p;
}
// At `at`, which the GPU sees at va.
static void tn_kfd_write_args(const tiny_launch *l, char *at, uint64_t va) {
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  const tn_kfd_aql_dispatch p = tn_kfd_packet_of(l, va);
  const size_t packet = tn_kfd_args_at_packet(k);
  memset(at, 0, packet);
  for (int i = 0; i < l->nmem + l->nargs; i++) tn_kfd_put_param(k, at, i, l->nmem, tn_kfd_value_of(l, i));
  tn_kfd_put_hidden(k, l, at);
  memcpy(at + packet, &p, sizeof p);
}

// ** packets **

static void tn_kfd_user_data(const tn_kfd *d, const tn_kfd_kernel *k, uint64_t args, tn_kfd_words *w) {
  enum { SWIZZLE = 1, WORD3 = 0x20C14000 };                // gfx11, SQ_BUF_RSRC_WORD3 (Mesa, sid.h)
  const uint64_t scratch = d->scratch ? d->scratch->va : 0;
  const int uses = k->is.properties;
  if (uses & TN_USE_SCRATCH_BUFFER) {
    tn_kfd_address(w, scratch | (uint64_t)SWIZZLE << 63);
    tn_kfd_word(w, UINT32_MAX);
    tn_kfd_word(w, WORD3);
  }
  if (uses & TN_USE_PACKET) tn_kfd_address(w, args + tn_kfd_args_at_packet(k));
  if (uses & TN_USE_QUEUE) tn_kfd_address(w, d->queue[TN_KFD_COMPUTE].page->va);
  if (uses & TN_USE_ARGS) tn_kfd_address(w, args);
  if (uses & TN_USE_ID) tn_kfd_address(w, 0);
  if (uses & TN_USE_SCRATCH) tn_kfd_address(w, scratch);
  if (uses & TN_USE_SCRATCH_SIZE) tn_kfd_word(w, k->is.scratch);
}
static void tn_kfd_set_program(const tn_kfd *d, const tiny_launch *l, tn_kfd_words *w) {
  enum { PRIVILEGED = 1 << 20, LDS_AT = 15 };
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  const uint64_t shared = tn_kfd_up(k->is.lds + l->local_nbytes, TN_KFD_LDS_GRANULE) / TN_KFD_LDS_GRANULE;
  tn_pm4_registers(w, TN_SH_PGM_LO, 2);
  tn_kfd_address(w, k->entry >> 8);
  tn_pm4_registers(w, TN_SH_RSRC1, 2);
  // gfx11: waves that are saved in the middle come back right with it alone (tinygrad, runtime/ops_amd.py)
  tn_kfd_word(w, k->is.rsrc1 | (d->node.chip->family == 11 ? (uint32_t)PRIVILEGED : 0));
  tn_kfd_word(w, (k->is.rsrc2 & ~(0x1FFu << LDS_AT)) | (uint32_t)shared << LDS_AT);
  tn_pm4_register(w, tn_kfd_is_gfx9(d) ? TN_SH_RSRC3_GFX9 : TN_SH_RSRC3, k->is.rsrc3);
  tn_pm4_register(w, TN_SH_TMPRING, k->is.scratch ? d->tmpring : 0);
  if (!k->is.scratch) return;
  tn_pm4_registers(w, TN_SH_SCRATCH_BASE, 2);
  tn_kfd_address(w, d->scratch->va >> 8);
}
// The groups of a launch, as words of PM4.
static void tn_kfd_dispatch(const tn_kfd *d, const tiny_launch *l, uint64_t args, tn_kfd_words *w) {
  enum { ENABLE = 1, FROM_0 = 1 << 2, WAVE32 = 1 << 15 };
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  tn_kfd_words user;
  user.n = 0;
  tn_kfd_set_program(d, l, w);
  tn_pm4_registers(w, TN_SH_RESTART, 3);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, 0);
  tn_kfd_user_data(d, k, args, &user);
  if (user.n) tn_pm4_registers(w, TN_SH_USER_DATA, user.n);
  for (int i = 0; i < user.n; i++) tn_kfd_word(w, user.at[i]);
  tn_pm4_register(w, TN_SH_LIMITS, 0);
  tn_pm4_registers(w, TN_SH_START, 8);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, 0);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, (uint64_t)l->local[i]);
  for (int i = 0; i < 2; i++) tn_kfd_word(w, 0);
  tn_pm4(w, TN_PM4_DISPATCH_DIRECT, 4);
  for (int i = 0; i < 3; i++) tn_kfd_word(w, (uint64_t)l->global[i]);
  tn_kfd_word(w, (uint32_t)(ENABLE | FROM_0 | (k->is.properties & TN_USE_WAVE32 ? WAVE32 : 0)));
}
// signal: counted down, with the times in it; 0: none.
static void tn_kfd_aql(const tiny_launch *l, uint64_t args, uint64_t signal, tn_kfd_words *w) {
  tn_kfd_aql_dispatch p = tn_kfd_packet_of(l, args);
  p.signal = signal;
  tn_kfd_struct(w, &p, sizeof p);
}
// What follows kernels before: they have ended, and what they wrote is seen.
static void tn_kfd_between(const tn_kfd *d, tn_kfd_words *w) {
  tn_pm4_idle(w);
  tn_pm4_acquire(w, d->node.chip->family, 0, 0);
}
// Before the first launch of a submission: what was copied is there, and nothing old is in the caches.
static tiny_code tn_kfd_begin_launches(tn_kfd *d) {
  tn_kfd_words w;
  tiny_code code = tn_kfd_after(d, TN_KFD_COMPUTE, TN_KFD_IN, d->queue[TN_KFD_IN].given);
  if (code == TINY_OK) code = tn_kfd_room(d, TN_KFD_COMPUTE, TN_KFD_LAUNCH_WORDS);
  if (code != TINY_OK) return code;
  w.n = 0;
  tn_pm4_idle(&w);
  tn_pm4_acquire(&w, d->node.chip->family, d->code_is_new, 1);
  d->code_is_new = 0;
  return tn_kfd_push_pm4(d, &w);
}

// ** times **

// Below 0: it is not timed.
static int tn_kfd_stamp_new(tn_kfd *d, uint64_t *out) {
  if (!out || d->nstamp == TN_KFD_STAMPS) return -1;
  if (d->nstamp == d->stamp_cap) {
    const size_t cap = (size_t)d->stamp_cap, more = cap ? cap * 2 : 32;
    tn_kfd_stamp *s = (tn_kfd_stamp *)tiny_realloc(d->t, d->stamp, cap * sizeof *s, more * sizeof *s);
    if (!s) return -1;
    d->stamp = s;
    d->stamp_cap = (int)more;
  }
  d->stamp[d->nstamp].out = out;
  return d->nstamp++;
}
static tn_kfd_signal *tn_kfd_stamp_at(const tn_kfd *d, int number) {
  return (tn_kfd_signal *)(void *)d->signals->cpu + TN_KFD_QUEUES + number;
}
static uint64_t tn_kfd_stamp_va(const tn_kfd *d, int number, size_t member) {
  return d->signals->va + (uint64_t)(TN_KFD_QUEUES + number) * sizeof(tn_kfd_signal) + member;
}
static void tn_kfd_stamp_words(const tn_kfd *d, int number, size_t member, tn_kfd_words *w) {
  if (number >= 0)
    tn_pm4_release(w, d->node.chip->family, tn_kfd_stamp_va(d, number, member), 0, TN_KFD_DATA_CLOCK);
}
// After sync. The clock has 100 MHz.
static void tn_kfd_stamps_tell(tn_kfd *d) {
  for (int i = 0; i < d->nstamp; i++) {
    const tn_kfd_signal *s = tn_kfd_stamp_at(d, i);
    d->stamp[i].out[0] = s->begin * TN_KFD_CLOCK_NS;
    d->stamp[i].out[1] = s->end * TN_KFD_CLOCK_NS;
  }
  d->nstamp = 0;
}

// ** launches **

static int tn_kfd_is_empty(const tiny_launch *l) { return l->global[0] < 1 || l->global[1] < 1 || l->global[2] < 1; }
// It may write to any of its memory.
static void tn_kfd_use_all(tn_kfd *d, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++) tn_kfd_use(d, l->mem[i]);
}
// stamp: its number; below 0: it is not timed.
static void tn_kfd_launch_words(const tn_kfd *d, const tiny_launch *l, uint64_t args, int stamp, int first,
                                tn_kfd_words *w) {
  if (tn_kfd_is_aql(&d->queue[TN_KFD_COMPUTE])) {
    tn_kfd_aql(l, args, stamp < 0 ? 0 : tn_kfd_stamp_va(d, stamp, 0), w);
    return;
  }
  if (!first) tn_kfd_between(d, w);
  tn_kfd_stamp_words(d, stamp, offsetof(tn_kfd_signal, begin), w);
  tn_kfd_dispatch(d, l, args, w);
  tn_kfd_stamp_words(d, stamp, offsetof(tn_kfd_signal, end), w);
}
// first: of a submission.
static tiny_code tn_kfd_launch_one(tn_kfd *d, const tiny_launch *l, int first) {
  const tn_kfd_kernel *k = (const tn_kfd_kernel *)l->kernel;
  tn_kfd_words w;
  tiny_code code = tn_kfd_scratch_grow(d, k->is.scratch);
  if (code == TINY_OK && first) code = tn_kfd_begin_launches(d);
  if (code == TINY_OK) code = tn_kfd_room(d, TN_KFD_COMPUTE, TN_KFD_LAUNCH_WORDS);
  char *const at = code == TINY_OK ? tn_kfd_ring_take(d, &d->args, tn_kfd_args_nbytes(k), 256) : NULL;
  if (!at) return tn_kfd_failed(d);
  tn_kfd_write_args(l, at, tn_kfd_ring_va(&d->args, at));
  w.n = 0;
  tn_kfd_launch_words(d, l, tn_kfd_ring_va(&d->args, at), tn_kfd_stamp_new(d, l->stamp), first, &w);
  tn_kfd_push(&d->queue[TN_KFD_COMPUTE], &w);
  tn_kfd_use_all(d, l);
  return TINY_OK;
}
// What was written of a submission that is refused in its middle, is submitted all the same.
static tiny_code tn_kfd_launch_all(tn_kfd *d, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  int given = 0;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    if (tn_kfd_is_empty(&l[i])) continue;
    code = tn_kfd_fits(d, &l[i]);
    if (code == TINY_OK) code = tn_kfd_launch_one(d, &l[i], !given++);
  }
  const tiny_code submitted = d->lost ? TINY_OK : tn_kfd_submit_words(d, TN_KFD_COMPUTE);
  return code != TINY_OK ? code : tn_kfd_check(d, submitted);
}
static tiny_code tn_kfd_launch(void *dev, const tiny_launch *l) {
  tn_kfd *d = (tn_kfd *)dev;
  const tiny_code code = tn_kfd_enter(d);
  return code == TINY_OK ? tn_kfd_launch_all(d, l, 1) : code;
}
#endif
