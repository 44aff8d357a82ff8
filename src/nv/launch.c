// launch: kernels with all that they are called with -> descriptors, constant banks, words for the GPU.
//
// In:    tiny_launch. Out: for each a descriptor and its bank 0 in memory of the host, and a few words in the channel.
// Holds: a kernel begins when the one before has ended and what it wrote is seen. The words of several launches are one
//        submission.
// What is what: NVIDIA/open-gpu-doc, classes/compute/clc6c0.h to clcec0.h; how much local memory there is to be: Mesa,
// src/nouveau/vulkan/nvk_cmd_dispatch.c and nvk_device.c.
#ifndef TN_NV_LAUNCH
#define TN_NV_LAUNCH
#ifndef TINY_AMALGAMATED
#include "module.c"
#endif

enum {
  TN_NV_WAIT_FOR_IDLE = 0x110, TN_NV_SHARED_WINDOW = 0x2A0, TN_NV_SEND_PCAS = 0x2B4, TN_NV_SIGNAL_PCAS = 0x2BC,
  TN_NV_SIGNAL_PCAS2 = 0x2C0, TN_NV_LOCAL_SIZE = 0x2E4, TN_NV_LOCAL_ADDRESS = 0x790, TN_NV_LOCAL_WINDOW = 0x7B0,
  TN_NV_INVALIDATE = 0x1698, TN_NV_INVALIDATE_CODE = 1, TN_NV_INVALIDATE_DATA = 0x10, TN_NV_INVALIDATE_BANKS = 0x1000,
  TN_NV_PCAS_COPY = 0xA,                   // INVALIDATE_PREFETCH_COPY_SCHEDULE: its memory may be written again
  TN_NV_PCAS_OLD = 3                       // Turing: invalidate, schedule
};
// Where generic addresses mean shared and local memory: 4 GiB and 16 MiB that hold nothing else. The stack of a thread
// begins so far below the end of the latter.
#define TN_NV_SHARED_AT UINT64_C(0x729400000000)
#define TN_NV_LOCAL_AT UINT64_C(0x729300000000)
enum { TN_NV_STACK = 0xFFFDC0, TN_NV_LAUNCH_WORDS = 64, TN_NV_QMD_ROOM = 512 };

// ** local memory **

static uint64_t tn_nv_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
static void tn_nv_local_words(tn_nv *d, uint64_t of_tpc) {
  tn_nv_channel *c = &d->channel[TN_NV_LAUNCHES];
  tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
  tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_LOCAL_ADDRESS, 2);
  tn_nv_address(c, d->local->va);
  tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_LOCAL_SIZE, 3);
  tn_nv_address(c, of_tpc);
  tn_nv_word(c, 0xFF);
}
// For as many threads as the GPU can hold. What there was before is freed when nothing uses it any more.
static tiny_code tn_nv_local_grow(tn_nv *d, uint64_t of_thread) {
  if (of_thread <= d->local_thread) return TINY_OK;
  const uint64_t of_warp = tn_nv_up(of_thread * 32, 0x200);
  const uint64_t of_tpc = tn_nv_up(of_warp * (uint64_t)(d->warps * d->sms), 0x8000);
  const uint64_t all = tn_nv_up(of_tpc * (uint64_t)(d->tpcs * d->gpcs), 0x20000);
  tn_nv_memory *const was = d->local;
  tiny_code code = tn_nv_submit_words(d, TN_NV_LAUNCHES);
  if (code == TINY_OK) code = tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS);
  tn_nv_memory *m = code == TINY_OK ? tn_nv_memory_make(d, all, 0) : NULL;
  if (!m) return code == TINY_OK ? d->rm.code : code;
  d->local = m;
  d->local_thread = of_thread;
  tn_nv_local_words(d, of_tpc);
  if (!was) return TINY_OK;
  code = tn_nv_submit_words(d, TN_NV_LAUNCHES);
  if (code == TINY_OK) code = tn_nv_wait_for(d, TN_NV_LAUNCHES, d->channel[TN_NV_LAUNCHES].given);
  tn_nv_memory_free(d, was);
  return code;
}

// ** what does not fit **

static tiny_code tn_nv_fits(tn_nv *d, const tiny_launch *l) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  static const int64_t grid[3] = {INT32_MAX, 65535, 65535}, block[3] = {1024, 1024, 64};
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  for (int i = 0; i < 3; i++)
    if (l->global[i] > grid[i] || l->local[i] < 1 || (l->local[i] > block[i] && !k->module->words))
      return tiny_fail(d->t, TINY_E_DEVICE,
                       "%s: %s: dim %d has %lld groups of %lld items; this device takes %lld of %lld", d->name, k->name,
                       i, (long long)l->global[i], (long long)l->local[i], (long long)grid[i], (long long)block[i]);
  if (items > k->threads)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but its registers and launch bounds allow %d",
                     d->name, k->name, (long long)items, k->threads);
  if (k->required[0] && items != (int64_t)k->required[0] * k->required[1] * k->required[2])
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but it is compiled for groups of %lld",
                     d->name, k->name, (long long)items, (long long)k->required[0] * k->required[1] * k->required[2]);
  if (k->shared + l->local_nbytes > ((uint64_t)d->generation->shared_block << 10) + 0x400)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %llu bytes of shared memory, but a group has %d KiB", d->name,
                     k->name, (unsigned long long)(k->shared + l->local_nbytes), d->generation->shared_block);
  const int most = k->module->words ? (int)TN_NV_WORDS : k->nparam;
  if (k->module->words ? l->nmem + l->nargs > most : l->nmem + l->nargs != most)
    return tiny_fail(d->t, k->module->words ? TINY_E_DEVICE : TINY_E_ARG,
                     "kernel: %s has %d parameters, but there are an output and %d inputs", k->name, most,
                     l->nmem + l->nargs - 1);
  for (int i = 0; i < k->nmap; i++)
    if (!tn_ptx_map_is_sound(k->map[i], l->nmem))
      return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s copies boxes of a tensor that is no parameter", d->name, k->name);
  for (int i = 0; i < l->nmem && !k->module->words; i++)
    if (k->param[i].nbytes != 8)
      return tiny_fail(d->t, TINY_E_ARG, "kernel: parameter %d of %s is no pointer: a number comes as an input of one "
                       "element", i, k->name);
  return TINY_OK;
}

// ** descriptor and constant bank **

// Configurations of an SM: the least for a group, the largest there is, and one for as many groups as registers and
// threads allow.
static void tn_nv_set_shared(const tn_nv *d, const tn_nv_kernel *k, uint32_t *q, uint64_t shared, int64_t items) {
  const tn_nv_generation *g = d->generation;
  const uint64_t of_warp = (k->registers * 32 + 255) / 256 * 256, warps = (uint64_t)(items + 31) / 32;
  uint64_t groups = g->threads / (warps * 32), by_registers = 65536 / (of_warp * warps);
  if (groups > by_registers) groups = by_registers;
  if (groups > 32) groups = 32;
  const int least = tn_nv_shared_config(g, shared), most = tn_nv_shared_config(g, UINT64_MAX),
            target = tn_nv_shared_config(g, shared * (groups ? groups : 1));
  tn_qmd_set(q, g->qmd, TN_QMD_SHARED_MEMORY_SIZE, shared);
  tn_qmd_set(q, g->qmd, TN_QMD_MIN_SM_CONFIG_SHARED_MEM_SIZE, (uint64_t)least / 4 + 1);
  tn_qmd_set(q, g->qmd, TN_QMD_MAX_SM_CONFIG_SHARED_MEM_SIZE, (uint64_t)most / 4 + 1);
  tn_qmd_set(q, g->qmd, TN_QMD_TARGET_SM_CONFIG_SHARED_MEM_SIZE, (uint64_t)target / 4 + 1);
}
static void tn_nv_put32(char *bank, unsigned at, uint64_t value) {
  const uint32_t x = (uint32_t)value;
  memcpy(bank + at, &x, sizeof x);
}
static void tn_nv_put64(char *bank, unsigned at, uint64_t value) { memcpy(bank + at, &value, sizeof value); }
// The words that compiled code reads beside its parameters.
static void tn_nv_set_bank0(const tn_nv *d, char *bank, uint64_t va, const uint32_t grid[3], const uint32_t block[3],
                            uint64_t dynamic) {
  const tn_nv_bank0 *w = d->generation->bank0;
  memset(bank, 0, w->base);
  for (unsigned i = 0; i < 3; i++) {
    tn_nv_put32(bank, w->block + 4 * i, block[i]);
    tn_nv_put32(bank, w->grid + 4 * i, grid[i]);
  }
  tn_nv_put64(bank, w->shared_window, TN_NV_SHARED_AT);
  tn_nv_put64(bank, w->local_window, TN_NV_LOCAL_AT);
  tn_nv_put32(bank, w->stack, TN_NV_STACK);
  tn_nv_put32(bank, w->dynamic, dynamic);
  tn_nv_put64(bank, w->params, va + w->base - w->params_less);
}
// Parameter i of nmem + nargs: where it stands behind the bank's base, and its bytes.
static tn_cubin_param tn_nv_param_of(const tn_nv_kernel *k, int i, int nmem) {
  const int words = k->module->words, slot = i < nmem ? i : TN_NV_WORDS - 1 - (i - nmem);
  const tn_cubin_param word = {(uint32_t)slot * 8, 8};
  return words ? word : k->param[i];
}
static uint64_t tn_nv_value_of(const tiny_launch *l, int i) {
  return i < l->nmem ? tn_nv_at(l->mem[i]) : (uint64_t)l->args[i - l->nmem];
}
// A cubin may say that its parameters end before the one that this is.
static void tn_nv_put_param(const tn_nv_kernel *k, char *bank, tn_cubin_param p, uint64_t value) {
  if (p.at + p.nbytes <= k->nbytes - k->base) memcpy(bank + k->base + p.at, &value, p.nbytes < 8 ? p.nbytes : 8);
}
static void tn_nv_set_params(const tiny_launch *l, char *bank) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  for (int i = 0; i < l->nmem + l->nargs; i++)
    tn_nv_put_param(k, bank, tn_nv_param_of(k, i, l->nmem), tn_nv_value_of(l, i));
}
static void tn_nv_set_maps(const tiny_launch *l, char *bank) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  uint32_t map[TN_PTX_MAP_NBYTES / 4];
  for (int i = 0; i < k->nmap; i++) {
    tn_nv_map_encode(k->map[i], tn_nv_at(l->mem[k->map[i][TN_MAP_PARAM]]), map);
    memcpy(bank + k->base + k->maps_at + (size_t)i * sizeof map, map, sizeof map);
  }
}
static size_t tn_nv_args_nbytes(const void *kernel) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)kernel;
  return TN_NV_QMD_ROOM + (size_t)tn_nv_up(k->nbytes, TN_DEVICE_BLOCK_LEAST);
}
// At `at`, which the GPU sees at va: the descriptor, and bank 0 behind it.
static void tn_nv_write_launch(tn_nv *d, const tiny_launch *l, char *at, uint64_t va) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  const tn_qmd_version v = d->generation->qmd;
  uint32_t q[TN_QMD_WORDS], grid[3], block[3];
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  memcpy(q, k->qmd, sizeof q);
  for (int i = 0; i < 3; i++) {
    grid[i] = (uint32_t)l->global[i];
    block[i] = k->module->words ? (i ? 1 : (uint32_t)items) : (uint32_t)l->local[i];
    tn_qmd_set(q, v, (tn_qmd_field)(TN_QMD_GRID_WIDTH + i), grid[i]);
    tn_qmd_set(q, v, (tn_qmd_field)(TN_QMD_CTA_THREAD_DIMENSION0 + i), block[i]);
  }
  tn_nv_set_shared(d, k, q, tn_nv_up(k->shared + l->local_nbytes, 256), items);
  tn_qmd_set_bank(q, v, 0, va + TN_NV_QMD_ROOM, k->nbytes);
  memcpy(at, q, tn_qmd_nbytes(v));
  tn_nv_set_bank0(d, at + TN_NV_QMD_ROOM, va + TN_NV_QMD_ROOM, grid, block, l->local_nbytes);
  tn_nv_set_params(l, at + TN_NV_QMD_ROOM);
  tn_nv_set_maps(l, at + TN_NV_QMD_ROOM);
}

// ** words **

static void tn_nv_send(const tn_nv *d, tn_nv_channel *c, uint64_t qmd) {
  tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SEND_PCAS, (uint32_t)(qmd >> 8));
  if (d->generation->sm < 80) tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SIGNAL_PCAS, TN_NV_PCAS_OLD);
  else tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SIGNAL_PCAS2, TN_NV_PCAS_COPY);
}
// Before the first launch of a submission: what was copied is there, and nothing old is in the caches.
static void tn_nv_begin_launches(tn_nv *d) {
  tn_nv_channel *c = &d->channel[TN_NV_LAUNCHES];
  tn_nv_after(d, TN_NV_LAUNCHES, TN_NV_IN, d->channel[TN_NV_IN].given);
  tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_INVALIDATE, TN_NV_INVALIDATE_BANKS | TN_NV_INVALIDATE_DATA |
            (d->code_is_new ? TN_NV_INVALIDATE_CODE : 0));
  d->code_is_new = 0;
}
// NULL: it is not timed.
static tn_nv_stamp *tn_nv_stamp_new(tn_nv *d, uint64_t *out) {
  if (!out || d->nstamp == TN_NV_STAMPS) return NULL;
  if (d->nstamp == d->stamp_cap) {
    const size_t cap = (size_t)d->stamp_cap, more = cap ? cap * 2 : 32;
    tn_nv_stamp *s = (tn_nv_stamp *)tiny_realloc(d->t, d->stamp, cap * sizeof *s, more * sizeof *s);
    if (!s) return NULL;
    d->stamp = s;
    d->stamp_cap = (int)more;
  }
  d->stamp[d->nstamp].out = out;
  return &d->stamp[d->nstamp++];
}
static void tn_nv_stamp_words(tn_nv *d, int number, int end) {
  const uint64_t at = tn_nv_signal_at(d, TN_NV_CHANNELS + 2 * number + end);
  tn_nv_semaphore(&d->channel[TN_NV_LAUNCHES], at, 1, TN_NV_SEM_RELEASE | TN_NV_SEM_WFI | TN_NV_SEM_TIME);
}
// After sync. A record is the value and the time: {u64, u64 ns}.
static void tn_nv_stamps_tell(tn_nv *d) {
  for (int i = 0; i < d->nstamp; i++) for (int end = 0; end < 2; end++)
    memcpy(&d->stamp[i].out[end], d->signals->cpu + (TN_NV_CHANNELS + 2 * i + end) * TN_NV_SEM_NBYTES + 8, 8);
  d->nstamp = 0;
}

// ** launches **

static int tn_nv_is_empty(const tiny_launch *l) { return l->global[0] < 1 || l->global[1] < 1 || l->global[2] < 1; }
// It may write to any of its memory.
static void tn_nv_use_all(tn_nv *d, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++) tn_nv_use(d, l->mem[i]);
}
// first: of a submission.
static tiny_code tn_nv_launch_one(tn_nv *d, const tiny_launch *l, int first) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  tn_nv_channel *c = &d->channel[TN_NV_LAUNCHES];
  char *const at = tn_nv_ring_take(d, &d->args, tn_nv_args_nbytes(k), 256);
  tiny_code code = at ? tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS) : TINY_E_DEVICE;
  if (code == TINY_OK) code = tn_nv_local_grow(d, k->local);
  if (code != TINY_OK) return tn_nv_failed(d);
  tn_nv_write_launch(d, l, at, tn_nv_ring_va(&d->args, at));
  if (first) tn_nv_begin_launches(d);
  else tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
  const tn_nv_stamp *s = tn_nv_stamp_new(d, l->stamp);
  const int number = d->nstamp - 1;
  if (s) tn_nv_stamp_words(d, number, 0);
  tn_nv_send(d, c, tn_nv_ring_va(&d->args, at));
  if (s) tn_nv_stamp_words(d, number, 1);
  tn_nv_use_all(d, l);
  return TINY_OK;
}
// What was written of a submission that is refused in its middle, is submitted all the same.
static tiny_code tn_nv_launch_all(tn_nv *d, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  int given = 0;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    if (tn_nv_is_empty(&l[i])) continue;
    code = tn_nv_fits(d, &l[i]);
    if (code == TINY_OK) code = tn_nv_launch_one(d, &l[i], !given++);
  }
  const tiny_code submitted = d->lost ? TINY_OK : tn_nv_submit_words(d, TN_NV_LAUNCHES);
  return code != TINY_OK ? code : tn_nv_check(d, submitted);
}
static tiny_code tn_nv_launch(void *dev, const tiny_launch *l) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  return code == TINY_OK ? tn_nv_launch_all(d, l, 1) : code;
}

// ** once, when it is opened **

static tiny_code tn_nv_begin_words(tn_nv *d) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < TN_NV_CHANNELS && code == TINY_OK; i++) {
    tn_nv_channel *c = &d->channel[i];
    code = tn_nv_room(d, i, TN_NV_LAUNCH_WORDS);
    if (code != TINY_OK) break;
    if (i == TN_NV_LAUNCHES) {
      tn_nv_one(c, TN_NV_ON_COMPUTE, TN_NV_SET_OBJECT, d->generation->compute);
      tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_SHARED_WINDOW, 2);
      tn_nv_address(c, TN_NV_SHARED_AT);
      tn_nv_method(c, TN_NV_ON_COMPUTE, TN_NV_LOCAL_WINDOW, 2);
      tn_nv_address(c, TN_NV_LOCAL_AT);
    }
    tn_nv_one(c, TN_NV_ON_COPY, TN_NV_SET_OBJECT, d->copy_class);
    code = tn_nv_submit_words(d, i);
  }
  return code == TINY_OK ? tn_nv_wait_all(d) : code;
}
#endif
