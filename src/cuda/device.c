// device: a GPU, its CUDA context and stream: opened, closed; what its driver says is wrong.
//
// In:    "", a number, or "host-CONTEXT-STREAM". Out: a tn_cuda with its limits.
// Holds: whatever context was current before a call is current behind it. After an error that ends a CUDA context (an
//        illegal address) each call says so, and nothing more is given to the driver but what frees.
#ifndef TN_CUDA_DEVICE
#define TN_CUDA_DEVICE
#ifndef TINY_AMALGAMATED
#include "driver.c"
#include "../render/lang_cuda.c"
#include "../render/ptx.c"
#endif

enum { TN_CUDA_MARKS = 4, TN_CUDA_CHUNKS = 4, TN_CUDA_CHUNK = 4 << 20, TN_CUDA_GRAPHS = 16 };

typedef struct tn_cuda_block { tn_cu_ptr at; uint64_t used; } tn_cuda_block;    // at 0: free
typedef struct tn_cuda_mark { void *event; uint64_t place; } tn_cuda_mark;
typedef struct tn_cuda_chunk { char *at; void *event; size_t fill; int busy; } tn_cuda_chunk;
typedef struct tn_cuda_stamp { uint64_t *out; void *from, *to; } tn_cuda_stamp;

typedef struct tn_cuda {
  tiny_ctx *t; tn_cuda_driver cu; tn_nvrtc rtc;
  int by_c;                                // 1: kernels are written in CUDA C, for NVRTC; 0: in PTX, for the driver
  int compiler;                            // NVRTC: 0 not looked for, 1 there, -1 missing
  int device, sm, primary, pools, lost;    // sm: 90 of compute capability 9.0; lost: the CUresult
  void *ctx, *stream, *copies, *copied;    // copies: of bytes from the host; copied: the event behind the last one
  int own_stream;
  char name[24], target[16], gpu[96];
  int max_threads, grid[3], block[3], shared;
  uint64_t given, done;                    // places in the order: of what was given last; known to have happened
  uint64_t waited;                         // the place from which on all comes behind another device's event
  tn_cuda_block *blocks; size_t nblock, cap;
  tn_cuda_mark mark[TN_CUDA_MARKS]; int marks;               // marks: so many were made
  tn_cuda_chunk chunk[TN_CUDA_CHUNKS]; int chunk_now;
  tn_cuda_stamp *stamp; int nstamp, stamp_cap;
  void *began; uint64_t began_ns;          // of the device's clock: an event, and when that was
  struct tn_cuda_module *gone;             // modules that launches may still use
  struct tn_cuda_graph *graph[TN_CUDA_GRAPHS];
  uint64_t peers;                          // bit per device that may be read directly
} tn_cuda;

// ** errors **

// Does the CUDA context take nothing more after it? (CUDA Driver API, CUresult)
static int tn_cuda_ends(int result) {
  return (result >= TN_CU_ILLEGAL_ADDRESS && result <= TN_CU_TIMEOUT && result != TN_CU_TOO_MANY_RESOURCES) ||
      result == TN_CU_ASSERT || (result >= TN_CU_STACK_ERROR && result <= TN_CU_LAUNCH_FAILED) ||
      result == TN_CU_ECC || result == TN_CU_NVLINK || result == TN_CU_CONTAINED || result == TN_CU_DESTROYED;
}
static const char *tn_cuda_text(const tn_cuda_driver *cu, int result) {
  const char *text = NULL;
  return cu->error_text(result, &text) || !text ? "an unknown error" : text;
}
static tiny_code tn_cuda_failed(tn_cuda *d, int result, const char *what) {
  const char *name = NULL;
  if (d->cu.error_name(result, &name) || !name) name = "CUDA_ERROR_UNKNOWN";
  if (tn_cuda_ends(result)) d->lost = result;
  if (d->lost)
    return tiny_fail(d->t, TINY_E_DEVICE,
                     "%s: the device is lost: %s (%s), seen by %s; close the context, or go on with "
                     "another device",
                     d->name, tn_cuda_text(&d->cu, d->lost), name, what);
  return tiny_fail(d->t, result == TN_CU_OUT_OF_MEMORY ? TINY_E_MEMORY : TINY_E_DEVICE, "%s: %s: %s (%s)", d->name,
                   what, tn_cuda_text(&d->cu, result), name);
}
static tiny_code tn_cuda_check(tn_cuda *d, int result, const char *what) {
  return result ? tn_cuda_failed(d, result, what) : TINY_OK;
}

// ** the current context **

// Before anything is asked of the device; what a lost one is asked is refused. Each TINY_OK has its leave.
static tiny_code tn_cuda_enter(tn_cuda *d, const char *what) {
  if (d->lost) return tn_cuda_failed(d, d->lost, what);
  return tn_cuda_check(d, d->cu.ctx_push(d->ctx), what);
}
static tiny_code tn_cuda_leave(tn_cuda *d, tiny_code code) {
  void *was;
  d->cu.ctx_pop(&was);
  return code;
}

// ** the host's own **

TINY_API tiny_cuda_name tiny_cuda_host(void *context, void *stream) {
  tiny_cuda_name name;
  snprintf(name.text, sizeof name.text, "CUDA:host-%llx-%llx", (unsigned long long)(uintptr_t)context,
           (unsigned long long)(uintptr_t)stream);
  return name;
}
// 0: `which` does not name them.
static int tn_cuda_host_named(tn_cuda *d, const char *which) {
  static const char head[] = "host-";
  const char *end;
  if (strncmp(which, head, sizeof head - 1)) return 0;
  const uint64_t context = tn_digits_value(which + sizeof head - 1, 16, &end);
  if (*end != '-') return 0;
  const uint64_t stream = tn_digits_value(end + 1, 16, &end);
  if (*end) return 0;
  d->ctx = (void *)(uintptr_t)context;
  d->stream = (void *)(uintptr_t)stream;
  return 1;
}
static tiny_code tn_cuda_take_host(tn_cuda *d) {
  if (!d->ctx && (d->cu.ctx_current(&d->ctx) || !d->ctx))
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: no CUDA context is current on this thread; give tiny_cuda_host one");
  tiny_code code = tn_cuda_enter(d, "the host's context");
  if (code == TINY_OK) code = tn_cuda_leave(d, tn_cuda_check(d, d->cu.ctx_device(&d->device), "the host's context"));
  return code;
}

// ** opening **

static tiny_code tn_cuda_take_primary(tn_cuda *d, const char *which) {
  int count = 0;
  const char *end;
  const uint64_t number = tn_digits_value(which, 10, &end);
  const int result = d->cu.device_count(&count);
  if (*end || *which == '-')
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: there is no device CUDA:%s; devices are numbers, CUDA:0, CUDA:1 ..",
                     which);
  if (result || !count)
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver finds no GPU (is it hidden by CUDA_VISIBLE_DEVICES?)");
  if (number >= (unsigned long)count)
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: there is no device CUDA:%s; the driver finds %d, counted from 0",
                     which, count);
  tiny_code code = tn_cuda_check(d, d->cu.device_get(&d->device, (int)number), "opening it");
  if (code == TINY_OK) code = tn_cuda_check(d, d->cu.primary_retain(&d->ctx, d->device), "making its context");
  d->primary = code == TINY_OK;
  return code;
}
static tiny_code tn_cuda_init(tn_cuda *d) {
  enum { LEAST = 11040 };
  int version = 0;
  const int result = d->cu.init(0);
  if (result == TN_CU_STUB_LIBRARY)
    return tiny_fail(d->t, TINY_E_DEVICE,
                     "CUDA: libcuda is the toolkit's stub and no driver; install NVIDIA's driver, and "
                     "keep lib64/stubs out of LD_LIBRARY_PATH");
  if (result == TN_CU_NO_DEVICE) return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver finds no GPU");
  if (result)
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver does not start: %s (error %d)",
                     tn_cuda_text(&d->cu, result), result);
  if (!d->cu.driver_version(&version) && version >= LEAST) return TINY_OK;
  return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver is of CUDA %d.%d; install one of CUDA 11.4 or later",
                   version / 1000, version % 1000 / 10);
}

// What schedules ask (tiny_limits) and launches are held to. Registers of a thread: CUDA C++ Programming Guide, Compute
// Capabilities; bytes that it loads at once: there, Device Memory Accesses.
// The least version of PTX that a kernel of the renderer's target has: 83 of 8.3.
static int tn_cuda_ptx_least(const tiny_renderer *r) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  return tn_ptx_version(target->sm, target->own);
}
// PTX, if the driver reads what is needed for the GPU: CUDA 11.4 has PTX 7.4, 12.0 has 8.0 and so on (PTX ISA,
// "Release Notes"); products of fp8 want 8.4. $TINY_CUDA_LANGUAGE says otherwise.
static void tn_cuda_language(tn_cuda *d) {
  const char *wish = getenv("TINY_CUDA_LANGUAGE");
  tiny_renderer ptx;
  int version = 0;
  if (d->cu.driver_version(&version)) version = 0;
  const int major = version / 1000, minor = version % 1000 / 10, late = major == 12 && minor > 5,   // 12.6 has 8.5
            reads = 10 * (major - 4) + minor - late;
  d->by_c = !tn_lang_ptx(&ptx, d->target) || reads < (d->sm >= 89 ? 84 : 74) || reads < tn_cuda_ptx_least(&ptx);
  if (wish && *wish) d->by_c = !strcmp(wish, "C");
}
static tiny_code tn_cuda_limits(tn_cuda *d, tiny_limits *out) {
  int major = 0, minor = 0, warp = 0, l2 = 0, of_sm = 0, processors = 0;
  const struct { int which, *to; } asked[] = {
    {TN_CU_MAJOR, &major}, {TN_CU_MINOR, &minor}, {TN_CU_WARP, &warp}, {TN_CU_L2, &l2}, {TN_CU_SHARED_OF_SM, &of_sm},
    {TN_CU_PROCESSORS, &processors},
    {TN_CU_MAX_THREADS, &d->max_threads}, {TN_CU_SHARED_OPTIN, &d->shared}, {TN_CU_MAX_GRID_X, &d->grid[0]},
    {TN_CU_MAX_GRID_X + 1, &d->grid[1]}, {TN_CU_MAX_GRID_X + 2, &d->grid[2]}, {TN_CU_MAX_BLOCK_X, &d->block[0]},
    {TN_CU_MAX_BLOCK_X + 1, &d->block[1]}, {TN_CU_MAX_BLOCK_X + 2, &d->block[2]}
  };
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    const int result = d->cu.device_attribute(asked[i].to, asked[i].which, d->device);
    if (result) return tn_cuda_failed(d, result, "asking for its limits");
  }
  if (!d->cu.pool_alloc || !d->cu.pool_free || d->cu.device_attribute(&d->pools, TN_CU_POOLS, d->device)) d->pools = 0;
  if (d->cu.device_name(d->gpu, (int)sizeof d->gpu, d->device)) d->gpu[0] = 0;
  d->sm = major * 10 + minor;
  snprintf(d->target, sizeof d->target, "sm_%d%s", d->sm, d->sm >= 90 ? "a" : "");
  out->warp = warp;
  out->compute_units = processors;
  out->vector_nbytes = 16; out->vector_registers = 255;
  out->copies_async = d->sm >= 80;          // PTX ISA, cp.async
  out->units = tiny_warp_units(d->target, &out->nunits);
  tn_cuda_language(d);
  out->copies_boxes = !d->by_c && d->sm >= 90 && d->cu.tensor_map != NULL;
  out->cluster = out->copies_boxes ? 4 : 0;    // 8 run anywhere (CUDA C++ Programming Guide, "Thread Block Clusters")
  out->unit_tiles = d->by_c ? 0 : tn_ptx_unit_tiles(d->target);
  out->unit_rows = d->by_c ? 0 : tn_ptx_unit_rows(d->target);
  out->producers = out->copies_boxes && tn_ptx_produces_for(d->target);
  out->unit_dtypes = tn_ptx_unit_dtypes(d->target);
  out->dtypes = TN_CUDA_ARITHMETIC; out->atomics = TN_CUDA_ATOMICS;
  out->shared_nbytes = (size_t)d->shared - (out->unit_rows ? TN_PTX_TENSOR_NBYTES : 0);
  out->local_total = d->max_threads;
  for (int i = 0; i < 3; i++) { out->global_max[i] = d->grid[i]; out->local_max[i] = d->max_threads; }
  out->memory[0].nbytes = (size_t)of_sm;
  out->cache_nbytes = out->memory[1].nbytes = (size_t)of_sm;
  out->memory[2].nbytes = (size_t)l2;
  for (int i = 0; i < 3; i++) out->memory[i].line = 128;
  return TINY_OK;
}

static tiny_code tn_cuda_streams(tn_cuda *d) {
  tiny_code code = tn_cuda_enter(d, "making a stream");
  if (code != TINY_OK) return code;
  int result = d->primary ? d->cu.stream_new(&d->stream, TN_CU_NON_BLOCKING) : 0;
  d->own_stream = d->primary && !result;
  if (!result) result = d->cu.stream_new(&d->copies, TN_CU_NON_BLOCKING);
  if (!result) result = d->cu.event_new(&d->copied, TN_CU_NO_TIMING);
  if (!result) result = d->cu.event_new(&d->began, 0);
  if (!result) result = d->cu.event_record(d->began, d->stream);
  return tn_cuda_leave(d, tn_cuda_check(d, result, "making a stream"));
}
static tiny_code tn_cuda_begin(tn_cuda *d, const char *which, tiny_limits *limits) {
  tiny_code code = tn_cuda_driver_open(d->t, &d->cu);
  if (code == TINY_OK) code = tn_cuda_init(d);
  if (code != TINY_OK) return code;
  code = tn_cuda_host_named(d, which) ? tn_cuda_take_host(d) : tn_cuda_take_primary(d, which);
  if (code == TINY_OK) code = tn_cuda_limits(d, limits);
  if (code == TINY_OK) code = tn_cuda_streams(d);
  if (code == TINY_OK)
    tiny_log_line(d->t, 'p', "%s: %s, %s%s", d->name, d->gpu, d->target, d->pools ? ", memory pool" : "");
  return code;
}
#endif
