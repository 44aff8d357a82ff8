// open: a device as others see it: opened and closed, what schedules ask of it, that all has happened.
//
// In:    calls of the library, one at a time. Out: what the contract of tiny_backend says.
#ifndef TN_KFD_OPEN
#define TN_KFD_OPEN
#ifndef TINY_AMALGAMATED
#include "graph.c"
#include "share.c"
#include "compile.c"
#include "info.c"
#endif

// ** what it is **

// What schedules ask. A unit is what shares memory: a CU, or RDNA's WGP of two; bytes that an item loads at once: LLVM,
// global_load_b128.
static void tn_kfd_limits(const tn_kfd *d, tiny_limits *out) {
  const tn_kfd_chip *c = d->node.chip;
  out->warp = c->warp;
  out->compute_units = (int)tn_kfd_units(&d->node) / (c->family == 9 ? 1 : 2);
  out->vector_nbytes = 16; out->vector_registers = c->registers_most < 255 ? c->registers_most : 255;
  out->units = tiny_warp_units(c->name, &out->nunits);
  out->dtypes = TN_CUDA_ARITHMETIC; out->atomics = TN_CUDA_ATOMICS;
  out->shared_nbytes = (size_t)d->node.shared_kib << 10;
  out->local_total = 1024;
  out->global_max[0] = UINT32_MAX / 1024; out->global_max[1] = out->global_max[2] = 65535;
  for (int i = 0; i < 3; i++) { out->local_max[i] = 1024; out->memory[i].line = 128; }
  out->memory[0].nbytes = out->memory[1].nbytes = out->cache_nbytes = (size_t)(c->family == 9 ? 32 : 64) << 10;
  out->memory[2].nbytes = (size_t)c->cache_mib << 20;
}

// ** opened and closed **

static uint64_t tn_kfd_timeout(void) {
  enum { USUAL_MS = 60000 };
  const char *given = getenv("TINY_AMD_TIMEOUT_MS");
  const uint64_t ms = given ? tn_digits_value(given, 10, NULL) : 0;
  return (ms && ms < UINT64_C(1) << 32 ? ms : (uint64_t)USUAL_MS) * 1000000u;
}
static tiny_code tn_kfd_open_rings(tn_kfd *d) {
  tiny_code code = tn_kfd_ring_make(d, &d->args, TN_KFD_COMPUTE, 256 << 10);
  if (code == TINY_OK) code = tn_kfd_ring_make(d, &d->stage_in, TN_KFD_IN, TN_KFD_STAGE);
  return code == TINY_OK ? tn_kfd_ring_make(d, &d->stage_out, TN_KFD_OUT, TN_KFD_STAGE) : code;
}
static tiny_code tn_kfd_begin(tn_kfd *d, const char *which) {
  const tiny_amd_system *system;
  uint64_t number;
  if (!tn_kfd_which(which, &system, &number))
    return tn_kfd_wrong(&d->k, TINY_E_DEVICE, "there is no device AMD:%.40s; devices are numbers, AMD:0, AMD:1 ..",
                        which);
  snprintf(d->name, sizeof d->name, "AMD%s%.16s", *which && !system ? ":" : "", system ? "" : which);
  tiny_code code = tn_kfd_driver_open(&d->k, system);
  if (code == TINY_OK) code = tn_kfd_choose(d, number);
  if (code == TINY_OK) code = tn_kfd_open_vm(d);
  if (code == TINY_OK) code = tn_kfd_open_events(d);
  if (code == TINY_OK) code = tn_kfd_open_queues(d);
  return code == TINY_OK ? tn_kfd_open_rings(d) : code;
}
static void tn_kfd_close(void *dev) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!d->lost) tn_kfd_wait_all(d);
  tn_kfd_let_go(d);
  tn_kfd_part(d);
  tn_prepared_close_all(&d->prepared);
  tn_kfd_modules_close(d);
  tn_kfd_close_queues(d);
  tn_kfd_wake_close(d);
  tn_kfd_close_event(d, &d->memory_event);
  tn_kfd_close_event(d, &d->exception_event);
  tn_device_regions_close(&d->blocks, 1);
  while (d->memory) tn_kfd_memory_free(d, d->memory);
  if (d->drm >= 0) d->k.sys.close(d->k.sys.user, d->drm);
  tn_kfd_driver_close(&d->k);
  if (d->stamp) tiny_realloc(d->t, d->stamp, (size_t)d->stamp_cap * sizeof *d->stamp, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static tn_kfd *tn_kfd_new(tiny_ctx *t) {
  tn_kfd *d = (tn_kfd *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "AMD: no memory for a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = d->blocks.t = t;
  d->prepared.t = t; d->prepared.user = d; d->prepared.calls = &tn_kfd_prepared_calls;
  d->blocks.user = d; d->blocks.make = tn_kfd_blocks_make; d->blocks.drop = tn_kfd_blocks_drop;
  d->drm = d->k.kfd = -1;
  d->timeout_ns = tn_kfd_timeout();
  tn_kfd_choose_compilers(d);
  d->spins = TN_KFD_SPINS;
  memcpy(d->name, "AMD", 4);
  return d;
}
static void *tn_kfd_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_kfd *d = tn_kfd_new(t);
  if (!d) return NULL;
  if (tn_kfd_begin(d, which) == TINY_OK) {
    tn_kfd_limits(d, limits);
    tiny_log_line(t, 'p', "%s: %s, %s, KFD %u.%u, %s", d->name, d->node.name, d->node.chip->name,
                  (unsigned)d->k.version.major, (unsigned)d->k.version.minor,
                  tn_kfd_is_aql(&d->queue[TN_KFD_COMPUTE]) ? "AQL" : "PM4");
    return d;
  }
  tn_kfd_failed(d);
  tn_kfd_close(d);
  return NULL;
}
static const char *tn_kfd_target(void *dev) { return ((const tn_kfd *)dev)->node.chip->name; }

// Launches that are given may use it, and lists that are not submitted again would.
static void tn_kfd_unload(void *dev, void *module) {
  tn_kfd *d = (tn_kfd *)dev;
  tn_kfd_module *m = (tn_kfd_module *)module;
  if (!m) return;
  tn_prepared_leave(&d->prepared, m);
  m->next = d->gone;
  d->gone = m;
}
static tiny_code tn_kfd_sync(void *dev) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  code = tn_kfd_check(d, tn_kfd_wait_all(d));
  if (code != TINY_OK) return code;
  tn_kfd_stamps_tell(d);
  tn_kfd_modules_close(d);
  return TINY_OK;
}
#endif
