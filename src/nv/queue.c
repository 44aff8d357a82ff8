// queue: a device as others see it: opened and closed, events in its order, that all has happened.
//
// In:    calls of the library, one at a time. Out: what the contract of tiny_backend says.
#ifndef TN_NV_QUEUE
#define TN_NV_QUEUE
#ifndef TINY_AMALGAMATED
#include "graph.c"
#include "assemble.c"
#include "info.c"
#include "../render/ptx.c"
#endif

// ** how kernels are written **

static void tn_nv_renderer(void *dev, tiny_renderer *out) { tn_lang_ptx(out, ((const tn_nv *)dev)->target); }

// What schedules ask. Registers of a thread: CUDA C++ Programming Guide, Compute Capabilities; bytes that it loads at
// once: there, Device Memory Accesses.
static void tn_nv_limits(const tn_nv *d, tiny_limits *out) {
  const int of_sm = d->generation->shared_block + 1;
  out->warp = 32;
  out->compute_units = d->processors;
  out->vector_nbytes = 16; out->vector_registers = 255;
  out->copies_async = d->sm >= 80;         // PTX ISA, cp.async
  out->units = tiny_warp_units(d->target, &out->nunits);
  out->copies_boxes = d->sm >= 90;         // PTX ISA, cp.async.bulk.tensor
  out->unit_tiles = tn_ptx_unit_tiles(d->target);
  out->unit_rows = tn_ptx_unit_rows(d->target);
  out->producers = tn_ptx_produces_for(d->target);
  out->unit_dtypes = tn_ptx_unit_dtypes(d->target);
  out->dtypes = TN_PTX_ARITHMETIC; out->atomics = TN_PTX_ATOMICS;
  out->shared_nbytes = ((size_t)d->generation->shared_block << 10) - (out->unit_rows ? TN_PTX_TENSOR_NBYTES : 0);
  out->local_total = 1024;
  out->global_max[0] = INT32_MAX; out->global_max[1] = out->global_max[2] = 65535;
  for (int i = 0; i < 3; i++) { out->local_max[i] = 1024; out->memory[i].line = 128; }
  out->memory[0].nbytes = out->memory[1].nbytes = out->cache_nbytes = (size_t)of_sm << 10;
  out->memory[2].nbytes = d->l2 ? (size_t)d->l2 : (size_t)4 << 20;
}

// ** opened and closed **

static uint64_t tn_nv_timeout(void) {
  enum { USUAL_MS = 60000 };
  const char *given = getenv("TINY_NV_TIMEOUT_MS");
  const uint64_t ms = given ? tn_digits_value(given, 10, NULL) : 0;
  return (ms && ms < UINT64_C(1) << 32 ? ms : (uint64_t)USUAL_MS) * 1000000u;
}
// Clocks go up, and stay: without it a GPU may idle through short kernels (NV2080_CTRL_CMD_PERF_BOOST).
static void tn_nv_boost(tn_nv *d) {
  tn_nv_boost_params p = {0x12, UINT32_MAX};
  tn_nv_control(&d->rm, d->subdevice, TN_NV_BOOST, &p, sizeof p, "clocks");
}
static tiny_code tn_nv_open_memory(tn_nv *d) {
  d->window = tn_nv_reserve((size_t)1 << TN_NV_WINDOW_LOG2);
  if (!d->window)
    return tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no 16 GiB of addresses below 2^40 are left in this process "
                       "(ulimit -v?)");
  d->from_low = d->next_low = tn_nv_pointer(d->window);
  d->next_high = UINT64_C(0x20000000000);
  return tn_nv_open_vaspace(d);
}
static tiny_code tn_nv_open_rings(tn_nv *d) {
  tiny_code code = tn_nv_ring_make(d, &d->args, TN_NV_LAUNCHES, 512 << 10);
  if (code == TINY_OK) code = tn_nv_ring_make(d, &d->stage_in, TN_NV_IN, TN_NV_STAGE);
  if (code == TINY_OK) code = tn_nv_ring_make(d, &d->stage_out, TN_NV_OUT, TN_NV_STAGE);
  d->from_low = d->next_low;               // what stands below stays
  return code;
}
static tiny_code tn_nv_begin(tn_nv *d, const char *which) {
  const tiny_nv_system *system;
  uint64_t number;
  if (!tn_nv_which(which, &system, &number))
    return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "there is no device NV:%.40s; devices are numbers, NV:0, NV:1 ..", which);
  snprintf(d->name, sizeof d->name, "NV%s%.16s", *which && !system ? ":" : "", system ? "" : which);
  tiny_code code = tn_nv_rm_open(&d->rm, system);
  if (code == TINY_OK) code = tn_nv_choose(d, number);
  if (code == TINY_OK) code = tn_nv_attach(d);
  if (code == TINY_OK && tn_nv_is_partitioned(d))
    code = tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the GPU is partitioned (MIG), which is not supported: "
                       "nvidia-smi -mig 0");
  if (code == TINY_OK) tn_nv_boost(d);
  if (code == TINY_OK) code = tn_nv_open_memory(d);
  if (code == TINY_OK) code = tn_nv_open_doorbell(d);
  if (code == TINY_OK) code = tn_nv_open_channels(d);
  if (code == TINY_OK) code = tn_nv_open_rings(d);
  return code == TINY_OK ? tn_nv_begin_words(d) : code;
}
static void tn_nv_close(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  if (d->channel[TN_NV_LAUNCHES].registered && !d->lost) tn_nv_wait_all(d);
  tn_nv_let_go(d);
  tn_nv_part(d);
  tn_prepared_close_all(&d->prepared);
  tn_nv_modules_close(d);
  tn_nv_close_channels(d);
  tn_device_regions_close(&d->blocks, 1);
  while (d->memory) tn_nv_memory_free(d, d->memory);
  if (d->bell) tn_nv_unmap(&d->rm, d->subdevice, d->doorbell, d->bell, 65536, d->bell_token);
  if (d->rm.control >= 0) tn_nv_rm_close(&d->rm);
  if (d->file >= 0) d->rm.sys.close(d->rm.sys.user, d->file);
  tn_nv_unreserve(d->window, (size_t)1 << TN_NV_WINDOW_LOG2);
  if (d->stamp) tiny_realloc(d->t, d->stamp, (size_t)d->stamp_cap * sizeof *d->stamp, 0);
  if (d->assembler) tiny_realloc(d->t, d->assembler, sizeof *d->assembler, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static tn_nv *tn_nv_new(tiny_ctx *t) {
  tn_nv *d = (tn_nv *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "NV: no memory for a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = d->blocks.t = t;
  d->prepared.t = t; d->prepared.user = d; d->prepared.calls = &tn_nv_prepared_calls;
  d->blocks.user = d; d->blocks.make = tn_nv_blocks_make; d->blocks.drop = tn_nv_blocks_drop;
  d->file = d->rm.control = d->rm.uvm = d->rm.uvm_mm = -1;
  d->timeout_ns = tn_nv_timeout();
  d->serial = tn_driver_clock_ns() * UINT64_C(0x9E3779B97F4A7C15) + tn_nv_pointer(d);
  memcpy(d->name, "NV", 3);
  return d;
}
static void *tn_nv_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_nv *d = tn_nv_new(t);
  if (!d) return NULL;
  if (tn_nv_begin(d, which) == TINY_OK) {
    tn_nv_limits(d, limits);
    if (!d->rm.major || d->rm.major < 535 || d->rm.major > TN_NV_NEWEST)
      tiny_log_line(t, 'p', "%s: the driver's release %s is not one that is known here; it is tried as one of %d",
                    d->name, d->rm.version, d->rm.branch->from);
    tiny_log_line(t, 'p', "%s: %s, %s, driver %s", d->name, d->gpu, d->target, d->rm.version);
    return d;
  }
  tn_nv_failed(d);
  tn_nv_close(d);
  return NULL;
}
// cubins are for one architecture.
static const char *tn_nv_target(void *dev) { return ((const tn_nv *)dev)->target; }

// ** modules and waits **

// What is no cubin is PTX, and assembled: then made->bytes is one, which free takes.
static tiny_code tn_nv_assemble_binary(tn_nv *d, const void *binary, size_t nbytes, tn_tool_made *made) {
  memset(made, 0, sizeof *made);
  if (nbytes >= 4 && !memcmp(binary, "\177ELF", 4)) return TINY_OK;
  tiny_code code = tn_nv_find_assembler(d);
  if (code != TINY_OK) return code;
  char *ptx = (char *)tiny_realloc(d->t, NULL, 0, nbytes + 1);
  if (!ptx) { tn_nv_no_room(d); return TINY_E_MEMORY; }
  memcpy(ptx, binary, nbytes);
  ptx[nbytes] = 0;
  if (tn_nv_assemble(d, ptx, made) || !made->bytes) {
    code = tiny_fail(d->t, TINY_E_COMPILE, "%s: PTX is not assembled for %s: %.600s", d->name, d->target, made->log);
    free(made->bytes);
  }
  tiny_realloc(d->t, ptx, nbytes + 1, 0);
  return code;
}
static void *tn_nv_load_binary(void *dev, const void *binary, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  tn_tool_made made;
  if (tn_nv_enter(d) != TINY_OK || tn_nv_assemble_binary(d, binary, nbytes, &made) != TINY_OK) return NULL;
  void *const module = made.bytes ? tn_nv_load_cubin(d, made.bytes, made.nbytes) : tn_nv_load_cubin(d, binary, nbytes);
  free(made.bytes);
  return module;
}
// Launches that are given may use it, and lists that are not submitted again would.
static void tn_nv_unload(void *dev, void *module) {
  tn_nv *d = (tn_nv *)dev;
  tn_nv_module *m = (tn_nv_module *)module;
  if (!m) return;
  tn_prepared_leave(&d->prepared, m);
  m->next = d->gone;
  d->gone = m;
}
static tiny_code tn_nv_sync(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  code = tn_nv_check(d, tn_nv_wait_all(d));
  if (code != TINY_OK) return code;
  tn_nv_stamps_tell(d);
  tn_nv_modules_close(d);
  return TINY_OK;
}
#endif
