// ptx: a GPU of NVIDIA's in the place of INTERP, for any test: kernels in CUDA C, which NVRTC (of the toolkit's
// release) compiles to PTX, which the machine of ptx_machine.h executes. So a stranger's compiler reads what
// render/lang_cuda.c writes, and every race, address and shuffle of it is looked at.
//
// $TEST_PTX: the GPU, "sm_75", "sm_80", "sm_90" (the default); $TEST_PTX_SEED: order of groups and warps
// (ptx_launch.seed); $TEST_PTX_CACHE: the folder of what was compiled, by the text's hash (build/ptx).
// tests/test_ptx_nvcc.sh Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef PTX_H
#define PTX_H
#include "../src/cuda/compile.c"
#include "../src/nv/tensor_map.c"
#include "../bench/gpu.h"
#ifndef PTX_NAME
  #define PTX_NAME "INTERP"
#endif
#define PTX_API static
#include "ptx_machine.c"
#include <sys/stat.h>

typedef struct ptx_block { char *base; size_t nbytes; } ptx_block;
// cuda: of which only the compiler is used. block: by address.
typedef struct ptx_device { tiny_ctx *t; tn_cuda cuda; uint32_t seed; ptx_block *block; int n, room; } ptx_device;

static void *ptx_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const char *gpu = getenv("TEST_PTX") ? getenv("TEST_PTX") : "sm_90", *seed = getenv("TEST_PTX_SEED");
  ptx_device *d = (ptx_device *)tiny_realloc(t, NULL, 0, sizeof *d);
  (void)which;
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "PTX: there is no memory for the device"); return NULL; }
  memset(d, 0, sizeof *d);
  tn_gpu_limits(gpu, limits);
  for (int i = 0; i < 3; i++) limits->local_max[i] = limits->local_total;  // items are numbered in dim 0 alone
  limits->dtypes = TN_CUDA_ARITHMETIC; limits->atomics = TN_CUDA_ATOMICS;
  d->t = d->cuda.t = t;
  d->cuda.sm = atoi(gpu + 3);
  d->seed = seed ? (uint32_t)atoi(seed) : 0;
  snprintf(d->cuda.name, sizeof d->cuda.name, "PTX");
  snprintf(d->cuda.target, sizeof d->cuda.target, "%s", gpu);
  return d;
}
static void ptx_close(void *dev) {
  ptx_device *d = (ptx_device *)dev;
  if (d->room) tiny_realloc(d->t, d->block, (size_t)d->room * sizeof *d->block, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static const char *ptx_target_name(void *dev) { return ((ptx_device *)dev)->cuda.target; }
static void ptx_renderer(void *dev, tiny_renderer *r) {
  const char *without = getenv("TEST_PTX_WITHOUT");
  tn_lang_cuda(r, ((ptx_device *)dev)->cuda.sm);
  if (without && !strcmp(without, "barriers")) r->language.barrier = ";";
  if (without && !strcmp(without, "waits")) r->language.wait = ";";
}

// ** memory: of the host, each block known **

static int ptx_block_behind(const ptx_device *d, const char *at) {         // the first block that begins behind it
  int from = 0, to = d->n;
  while (from < to) {
    const int middle = (from + to) / 2;
    if (d->block[middle].base > at) to = middle; else from = middle + 1;
  }
  return from;
}
static void *ptx_alloc(void *dev, size_t nbytes) {
  ptx_device *d = (ptx_device *)dev;
  if (d->n == d->room) {
    const size_t before = (size_t)d->room, after = before * 2 + 64;
    ptx_block *more = (ptx_block *)tiny_realloc(d->t, d->block, before * sizeof *more, after * sizeof *more);
    if (!more) return NULL;
    d->block = more; d->room = (int)after;
  }
  char *p = (char *)tiny_realloc(d->t, NULL, 0, nbytes ? nbytes : 1);
  if (!p) return NULL;
  memset(p, 0xC5, nbytes ? nbytes : 1);    // nobody relies on zeros
  const int at = ptx_block_behind(d, p);
  memmove(d->block + at + 1, d->block + at, (size_t)(d->n - at) * sizeof *d->block);
  d->block[at].base = p; d->block[at].nbytes = nbytes;
  d->n++;
  return p;
}
static void ptx_free_block(void *dev, void *mem, size_t nbytes) {
  ptx_device *d = (ptx_device *)dev;
  if (!mem) return;
  const int at = ptx_block_behind(d, (const char *)mem) - 1;
  memmove(d->block + at, d->block + at + 1, (size_t)(d->n - at - 1) * sizeof *d->block);
  d->n--;
  tiny_realloc(d->t, mem, nbytes ? nbytes : 1, 0);
}
static void *ptx_memory_there(void *user, uint64_t address, size_t nbytes, int writes) {
  const ptx_device *d = (const ptx_device *)user;
  char *p = (char *)(uintptr_t)address;
  const int at = ptx_block_behind(d, p) - 1;
  (void)writes;
  return at >= 0 && p + nbytes <= d->block[at].base + d->block[at].nbytes ? p : NULL;
}
static tiny_code ptx_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy((char *)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code ptx_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy(dst, (const char *)src.base + src.offset, nbytes);
  return TINY_OK;
}

// ** kernels **

static void ptx_cached_path(const ptx_device *d, const char *source, char *path, size_t nbytes) {
  const char *folder = getenv("TEST_PTX_CACHE") ? getenv("TEST_PTX_CACHE") : "build/ptx";
  uint64_t h = 14695981039346656037u;
  for (const char *p = source; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
  mkdir(folder, 0777);
  snprintf(path, nbytes, "%s/%s-%016llx.ptx", folder, d->cuda.target, (unsigned long long)h);
}
static int ptx_cached(const char *path, tiny_bytes *out) {
  char some[4096];
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  for (size_t n; (n = fread(some, 1, sizeof some, f)) > 0; ) tiny_bytes_add(out, some, n);
  fclose(f);
  return 1;
}
static tiny_code ptx_compile_one(ptx_device *d, const char *source, tiny_bytes *binary, tiny_bytes *log) {
  char path[400], part[420];
  ptx_cached_path(d, source, path, sizeof path);
  if (ptx_cached(path, binary)) return tiny_status(d->t);
  tiny_code code = tn_cuda_compiler(&d->cuda);
  d->cuda.rtc.cubin = NULL;                // so that it writes PTX
  if (code == TINY_OK)
    code = tn_cuda_compile(&d->cuda, 1, &(tiny_bytes){d->t, (char *)(uintptr_t)source, strlen(source), 0}, binary, log);
  snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
  FILE *f = code == TINY_OK ? fopen(part, "wb") : NULL;
  if (!f) return code;
  fwrite(binary->data, 1, binary->n, f);
  fclose(f);
  rename(part, path);
  return code;
}
static tiny_code ptx_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++)
    code = ptx_compile_one((ptx_device *)dev, source[i].data, &binary[i], log);
  return code;
}
static void *ptx_load_module(void *dev, const void *binary, size_t nbytes) {
  ptx_device *d = (ptx_device *)dev;
  char said[400];
  ptx_module *m = ptx_parse((const char *)binary, nbytes, said, sizeof said);
  if (!m) tiny_fail(d->t, TINY_E_COMPILE, "PTX: %s", said);
  return m;
}
static void ptx_unload_module(void *dev, void *module) { (void)dev; ptx_free((ptx_module *)module); }
// A kernel stands in its module, and the module is asked for by each launch.
static void *ptx_find_kernel(void *dev, void *module, const char *kernel) {
  (void)dev;
  for (int i = 0; i < ((ptx_module *)module)->nfunction; i++)
    if (!strcmp(((ptx_module *)module)->function[i]->name, kernel)) return ((ptx_module *)module)->function[i];
  return NULL;
}
// Tensors that the kernel copies boxes of, by the module's variable NAME_maps: behind its words, as the GPU wants them.
static int ptx_maps(const ptx_function *f, const uint64_t *value, unsigned char *out) {
  char name[140];
  size_t nbytes = 0;
  snprintf(name, sizeof name, "%s_maps", f->name);
  const char *data = (const char *)ptx_data_of(f->of, name, &nbytes);
  const int n = (int)(nbytes / (8 * TN_PTX_MAP_WORDS));
  for (int k = 0; k < n; k++) {
    uint64_t word[TN_PTX_MAP_WORDS];
    memcpy(word, data + (size_t)k * sizeof word, sizeof word);
    tn_nv_map_encode(word, value[word[TN_MAP_PARAM]], (uint32_t *)(void *)(out + k * TN_PTX_MAP_NBYTES));
  }
  return n;
}
static tiny_code ptx_launch_kernel(void *dev, const tiny_launch *l) {
  ptx_device *d = (ptx_device *)dev;
  const ptx_function *f = (const ptx_function *)l->kernel;
  uint64_t value[TN_CUDA_VALUES + TN_PTX_MAPS * TN_PTX_MAP_NBYTES / 8] = {0};
  char said[500];
  ptx_launch to;
  memset(&to, 0, sizeof to);
  for (int i = 0; i < l->nmem; i++) value[i] = (uint64_t)(uintptr_t)l->mem[i].base + l->mem[i].offset;
  for (int i = 0; i < l->nargs; i++) value[TN_CUDA_VALUES - 1 - i] = (uint64_t)l->args[i];
  for (int i = 0; i < 3; i++) to.grid[i] = (uint32_t)l->global[i];
  to.block[0] = (uint32_t)(l->local[0] * l->local[1] * l->local[2]);
  to.kernel = f->name; to.dynamic_shared = (uint32_t)l->local_nbytes; to.params = value;
  to.param_nbytes = 8 * (size_t)TN_CUDA_VALUES +
      (size_t)(TN_PTX_MAP_NBYTES * ptx_maps(f, value, (unsigned char *)&value[TN_CUDA_VALUES]));
  to.memory.user = d; to.memory.at = ptx_memory_there;
  to.seed = d->seed;
  if (ptx_run(f->of, &to, NULL, said, sizeof said)) return tiny_fail(d->t, TINY_E_DEVICE, "PTX: %s", said);
  return TINY_OK;
}
static tiny_code ptx_sync(void *dev) { (void)dev; return TINY_OK; }

static const tiny_backend ptx_backend = {TINY_BACKEND_VERSION,
                                         PTX_NAME,
                                         ptx_open,
                                         ptx_close,
                                         ptx_target_name,
                                         ptx_renderer,
                                         ptx_alloc,
                                         ptx_free_block,
                                         ptx_copy_in,
                                         ptx_copy_out,
                                         NULL,
                                         NULL,
                                         ptx_compile,
                                         ptx_load_module,
                                         NULL,
                                         ptx_unload_module,
                                         ptx_find_kernel,
                                         ptx_launch_kernel,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL,
                                         ptx_sync,
                                         NULL};
#ifdef TN_TEST_BACKEND
  #define TN_INTERP &ptx_backend
#endif
#endif
