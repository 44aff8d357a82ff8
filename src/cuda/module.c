// module: binaries -> modules -> kernels -> launches in the device's stream.
//
// In:    cubins and PTX; launches. Out: work in the stream; a sentence for what is over the device's limits.
// Holds: a module is unloaded when the launches before have happened: at the next sync. The time of a launch that asks
//        for it stands between two events, and is told at sync.
#ifndef TN_CUDA_MODULE
#define TN_CUDA_MODULE
#ifndef TINY_AMALGAMATED
#include "memory.c"
#include "../render/ptx_maps.c"
#endif

enum { TN_CUDA_PARAMETERS = 511, TN_CUDA_SHARED_FREE = 48 << 10 };   // 4 KiB of parameters in every release

typedef struct tn_cuda_kernel {
  struct tn_cuda_kernel *next; struct tn_cuda_module *module;
  void *func; int threads, shared; char name[64];            // the most items of a group; LOCAL memory that is allowed
  int parameters, number;                  // of a foreign one, -1: not known; the first that is no pointer
  int nmap; uint64_t map[TN_PTX_MAPS][TN_PTX_MAP_WORDS];     // tensors that it copies boxes of (render/ptx_maps.c)
} tn_cuda_kernel;
// words: parameters are one and groups have one dim, as generated kernels have it (render/lang_cuda.c)
typedef struct tn_cuda_module {
  struct tn_cuda_module *next;
  void *handle;
  tn_cuda_kernel *kernels;
  int words;
} tn_cuda_module;

// ** modules **

// A copy with a 0 behind it, as PTX wants it.
static void *tn_cuda_load_image(tn_cuda *d, const void *binary, size_t nbytes) {
  enum { LOG = 2048 };
  char log[LOG] = "";
  int options[2] = {TN_CU_JIT_ERROR_NBYTES, TN_CU_JIT_ERROR_LOG};
  void *values[2] = {(void *)(uintptr_t)LOG, log}, *handle = NULL;
  char *image = (char *)tiny_realloc(d->t, NULL, 0, nbytes + 1);
  if (!image) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name); return NULL; }
  memcpy(image, binary, nbytes);
  image[nbytes] = 0;
  const int result = d->cu.module_load(&handle, image, 2, options, values);
  tiny_realloc(d->t, image, nbytes + 1, 0);
  if (!result) return handle;
  log[LOG - 1] = 0;
  if (log[0] && !tn_cuda_ends(result))
    tiny_fail(d->t, TINY_E_COMPILE, "%s: a module is refused: %s: %.600s", d->name, tn_cuda_text(&d->cu, result), log);
  else tn_cuda_failed(d, result, "loading a module");
  return NULL;
}
static void *tn_cuda_load(void *dev, const void *binary, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  if (tn_cuda_enter(d, "loading a module") != TINY_OK) return NULL;
  void *handle = tn_cuda_load_image(d, binary, nbytes);
  tn_cuda_module *m = handle ? (tn_cuda_module *)tiny_realloc(d->t, NULL, 0, sizeof *m) : NULL;
  tn_cu_ptr at;
  size_t size;
  if (m) {
    m->next = NULL;
    m->handle = handle;
    m->kernels = NULL;
    m->words = !d->cu.module_global(&at, &size, handle, "tiny_values");
  } else if (handle) {
    d->cu.module_free(handle);
    tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name);
  }
  tn_cuda_leave(d, TINY_OK);
  return m;
}
static void tn_cuda_module_close(tn_cuda *d, tn_cuda_module *m) {
  if (!d->lost) d->cu.module_free(m->handle);
  for (tn_cuda_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static void tn_cuda_modules_close(tn_cuda *d) {
  for (tn_cuda_module *m; (m = d->gone) != NULL; ) { d->gone = m->next; tn_cuda_module_close(d, m); }
}
// From CUDA 12.4 on; a driver before it would read beyond what a launch gives.
static void tn_cuda_parameters(tn_cuda *d, tn_cuda_kernel *k) {
  size_t offset, nbytes;
  k->parameters = k->number = -1;
  if (!d->cu.func_param || k->module->words) return;
  for (k->parameters = 0; k->parameters <= TN_CUDA_PARAMETERS; k->parameters++) {
    const int result = d->cu.func_param(k->func, (size_t)k->parameters, &offset, &nbytes);
    if (result && result != TN_CU_INVALID_VALUE) k->parameters = -1;
    if (result) return;
    if (nbytes != sizeof(tn_cu_ptr) && k->number < 0) k->number = k->parameters;
  }
}
// Which tensors it wants, as its module says.
static int tn_cuda_maps(tn_cuda *d, tn_cuda_kernel *k) {
  char name[sizeof k->name + 8];
  tn_cu_ptr at;
  size_t nbytes;
  snprintf(name, sizeof name, "%s_maps", k->name);
  if (!k->module->words || d->by_c || d->cu.module_global(&at, &nbytes, k->module->handle, name)) return 0;
  if (nbytes > sizeof k->map || nbytes % sizeof k->map[0]) return TN_CU_INVALID_VALUE;
  int result = d->cu.copy_out(k->map, at, nbytes, d->stream);
  if (!result) result = d->cu.stream_sync(d->stream);
  k->nmap = (int)(nbytes / sizeof k->map[0]);
  for (int i = 0; i < k->nmap && !result; i++)
    if (!tn_ptx_map_is_sound(k->map[i], TN_CUDA_VALUES)) result = TN_CU_INVALID_VALUE;
  return result;
}
static void *tn_cuda_find(void *dev, void *module, const char *name) {
  tn_cuda *d = (tn_cuda *)dev;
  tn_cuda_module *m = (tn_cuda_module *)module;
  void *func = NULL;
  int threads = 0;
  if (tn_cuda_enter(d, "finding a kernel") != TINY_OK) return NULL;
  int result = d->cu.module_function(&func, m->handle, name);
  if (!result) result = d->cu.func_attribute(&threads, TN_CU_FUNC_THREADS, func);
  if (result && result != TN_CU_NOT_FOUND) tn_cuda_failed(d, result, "finding a kernel");
  tn_cuda_kernel *k = result ? NULL : (tn_cuda_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (k) {
    memset(k, 0, sizeof *k);
    k->next = m->kernels; k->module = m; k->func = func; k->threads = threads;
    snprintf(k->name, sizeof k->name, "%s", name);
    tn_cuda_parameters(d, k);
    result = tn_cuda_maps(d, k);
    if (result) {
      tn_cuda_failed(d, result, "reading a kernel's tensors");
      tiny_realloc(d->t, k, sizeof *k, 0);
      k = NULL;
    }
  }
  tn_cuda_leave(d, TINY_OK);
  if (!k) return NULL;
  return m->kernels = k;
}

// ** launches **

typedef struct tn_cuda_call {
  tn_cu_node node; uint64_t value[TN_CUDA_PARAMETERS]; void *param[TN_CUDA_PARAMETERS];
} tn_cuda_call;

static tiny_code tn_cuda_fits(tn_cuda *d, const tiny_launch *l) {
  const tn_cuda_kernel *k = (const tn_cuda_kernel *)l->kernel;
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  const int flat = k->module->words;       // its items are numbered in dim 0 alone
  for (int i = 0; i < 3; i++)
    if (l->global[i] > d->grid[i] || (l->local[i] > d->block[i] && !flat))
      return tiny_fail(d->t, TINY_E_DEVICE,
                       "%s: %s: dim %d has %lld groups of %lld items; this device takes %d of %d", d->name, k->name,
                       i, (long long)l->global[i], (long long)l->local[i], d->grid[i], d->block[i]);
  if (items > k->threads)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but its registers and launch bounds allow %d",
                     d->name, k->name, (long long)items, k->threads);
  if (l->local_nbytes > (size_t)d->shared)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %llu bytes of shared memory, but a group has %d", d->name, k->name,
                     (unsigned long long)l->local_nbytes, d->shared);
  const int most = k->module->words ? (int)TN_CUDA_VALUES : (int)TN_CUDA_PARAMETERS;
  if (l->nmem + l->nargs > most)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %d parameters, but a kernel has up to %d", d->name, k->name,
                     l->nmem + l->nargs, most);
  if (k->parameters >= 0 && k->parameters != l->nmem + l->nargs)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: %s has %d parameters, but there are an output and %d inputs", k->name,
                     k->parameters, l->nmem + l->nargs - 1);
  if (k->number >= 0 && k->number < l->nmem)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: parameter %d of %s is no pointer: a number comes as an input of one "
                     "element", k->number, k->name);
  return TINY_OK;
}
// More than 48 KiB are asked for once (CUDA C Programming Guide, 16.7.3, Shared Memory).
static tiny_code tn_cuda_allow(tn_cuda *d, tn_cuda_kernel *k, size_t nbytes) {
  if (nbytes <= (size_t)TN_CUDA_SHARED_FREE || nbytes <= (size_t)k->shared) return TINY_OK;
  const tiny_code code =
      tn_cuda_check(d, d->cu.func_set(k->func, TN_CU_FUNC_DYNAMIC, (int)nbytes), "asking for shared memory");
  if (code == TINY_OK) k->shared = (int)nbytes;
  return code;
}
// As many as a launch of the kernel has; tensors come behind words.
enum { TN_CUDA_MAP_VALUES = TN_PTX_MAP_NBYTES / 8 };
static int tn_cuda_values(const tiny_launch *l) {
  const tn_cuda_kernel *k = (const tn_cuda_kernel *)l->kernel;
  return k->module->words ? (int)TN_CUDA_VALUES + TN_CUDA_MAP_VALUES * k->nmap : l->nmem + l->nargs;
}
// CUDA driver API, "Tensor Map Object Management": integers of the elements' size, no interleave, swizzle of 128 bytes,
// lines of L2 of 256 bytes, zeros beyond.
static int tn_cuda_map(const tn_cuda *d, const uint64_t *word, uint64_t address, uint64_t *out) {
  enum { U8, U16, U32, U64 = 4, SWIZZLE_128 = 3, PROMOTE_256 = 3, LINE = 64 };
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)word[TN_MAP_DTYPE]);
  const unsigned dims = (unsigned)word[TN_MAP_DIMS];
  unsigned box[TN_BOX_DIMS] = {0}, each[TN_BOX_DIMS] = {1, 1, 1, 1, 1};
  char room[TN_PTX_MAP_NBYTES + (int)LINE], *at = room + LINE - (uintptr_t)room % LINE;           // aligned
  for (unsigned i = 0; i < dims; i++) box[i] = (unsigned)word[TN_MAP_BOX + i];
  const int result = d->cu.tensor_map(at, nbytes == 1 ? U8 : nbytes == 2 ? U16 : nbytes == 4 ? U32 : U64, dims,
                                      (void *)(uintptr_t)address, word + TN_MAP_EXTENT, word + TN_MAP_STRIDE + 1, box,
                                      each, 0, SWIZZLE_128, PROMOTE_256, 0);
  if (!result) memcpy(out, at, TN_PTX_MAP_NBYTES);
  return result;
}
static tiny_code tn_cuda_call_maps(tn_cuda *d, const tiny_launch *l, tn_cuda_call *c) {
  const tn_cuda_kernel *k = (const tn_cuda_kernel *)l->kernel;
  for (int i = 0; i < k->nmap; i++) {
    const uint64_t slot = k->map[i][TN_MAP_PARAM];
    const int result = !d->cu.tensor_map || slot >= (uint64_t)l->nmem ? (int)TN_CU_INVALID_VALUE :
        tn_cuda_map(d, k->map[i], c->value[slot], c->value + TN_CUDA_VALUES + TN_CUDA_MAP_VALUES * i);
    if (result) return tn_cuda_failed(d, result, k->name);
  }
  if (k->nmap) c->param[1] = &c->value[TN_CUDA_VALUES];
  return TINY_OK;
}
// As the driver is told it. Memory counts as used from here on.
static tiny_code tn_cuda_call_of(tn_cuda *d, const tiny_launch *l, tn_cuda_call *c) {
  tn_cuda_kernel *k = (tn_cuda_kernel *)l->kernel;
  tiny_code code = tn_cuda_fits(d, l);
  if (code == TINY_OK) code = tn_cuda_allow(d, k, l->local_nbytes);
  if (code != TINY_OK) return code;
  c->node.func = k->func;
  for (int i = 0; i < 3; i++) { c->node.grid[i] = (unsigned)l->global[i]; c->node.block[i] = (unsigned)l->local[i]; }
  if (k->module->words) {
    c->node.block[0] *= c->node.block[1] * c->node.block[2];
    c->node.block[1] = c->node.block[2] = 1;
  }
  c->node.shared = (unsigned)l->local_nbytes;
  c->node.params = c->param;
  c->node.extra = NULL;
  const int words = k->module->words, n = words ? (int)TN_CUDA_VALUES : tn_cuda_values(l);
  if (words) memset(c->value, 0, TN_CUDA_VALUES * sizeof *c->value);
  for (int i = 0; i < l->nmem; i++) { c->value[i] = tn_cuda_at(l->mem[i]); tn_cuda_use(d, l->mem[i]); }
  for (int i = 0; i < l->nargs; i++) c->value[words ? n - 1 - i : l->nmem + i] = (uint64_t)l->args[i];
  for (int i = 0; i < n; i++) c->param[i] = &c->value[i];
  return tn_cuda_call_maps(d, l, c);
}

// ** times **

// NULL: no memory, or no event; the launch is not timed.
static tn_cuda_stamp *tn_cuda_stamp_new(tn_cuda *d, uint64_t *out) {
  if (d->nstamp == d->stamp_cap) {
    const size_t cap = (size_t)d->stamp_cap, more = cap ? cap * 2 : 16;
    tn_cuda_stamp *s = (tn_cuda_stamp *)tiny_realloc(d->t, d->stamp, cap * sizeof *s, more * sizeof *s);
    if (!s) return NULL;
    memset(s + cap, 0, (more - cap) * sizeof *s);
    d->stamp = s; d->stamp_cap = (int)more;
  }
  tn_cuda_stamp *s = &d->stamp[d->nstamp];
  if (!s->from && d->cu.event_new(&s->from, 0)) return NULL;
  if (!s->to && d->cu.event_new(&s->to, 0)) return NULL;
  if (d->cu.event_record(s->from, d->stream)) return NULL;
  s->out = out;
  return s;
}
// After the stream was waited for. Events tell ms in 24 bits: the clock goes on from the last one that was timed.
static void tn_cuda_stamps_tell(tn_cuda *d) {
  for (int i = 0; i < d->nstamp; i++) {
    tn_cuda_stamp *s = &d->stamp[i];
    float until = 0, took = 0;
    if (d->cu.event_elapsed(&until, d->began, s->from) || d->cu.event_elapsed(&took, s->from, s->to)) continue;
    s->out[0] = d->began_ns + 1 + (uint64_t)((double)until * 1e6);
    d->began_ns = s->out[1] = s->out[0] + (uint64_t)((double)took * 1e6) + 1;
    void *const was = d->began;
    d->began = s->to;
    s->to = was;
  }
  d->nstamp = 0;
}

static int tn_cuda_launch_call(tn_cuda *d, const tn_cuda_call *c, uint64_t *out) {
  const tn_cu_node *n = &c->node;
  tn_cuda_stamp *s = out ? tn_cuda_stamp_new(d, out) : NULL;
  int result = d->cu.launch(n->func, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1], n->block[2],
                            n->shared, d->stream, n->params, NULL);
  if (!result && s) result = d->cu.event_record(s->to, d->stream);
  if (!result && s) d->nstamp++;
  return result;
}
static tiny_code tn_cuda_launch_one(tn_cuda *d, const tiny_launch *l) {
  tn_cuda_call c;
  d->given++;
  const tiny_code code = tn_cuda_call_of(d, l, &c);
  if (code != TINY_OK || !l->global[0] || !l->global[1] || !l->global[2]) return code;
  const int result = tn_cuda_launch_call(d, &c, l->stamp);
  return result ? tn_cuda_failed(d, result, ((const tn_cuda_kernel *)l->kernel)->name) : TINY_OK;
}
static tiny_code tn_cuda_launch(void *dev, const tiny_launch *l) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "a launch");
  return code == TINY_OK ? tn_cuda_leave(d, tn_cuda_launch_one(d, l)) : code;
}
#endif
