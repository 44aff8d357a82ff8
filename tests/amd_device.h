// amd_device: a GPU of AMD's in the place of INTERP, for any test: kernels are machine code of the generator's
// (isa/amd_generate.c), which the emulator of amd_emulator.h executes: waits, hazards, addresses, races are looked at.
//
// $TEST_AMD: the GPU, "gfx1100" (the default), "gfx1201", "gfx942"; $TEST_AMD_SEED: the order of groups and waves;
// $TEST_AMD_CACHE: the folder of what was compiled, by the text's hash (build/amd-objects);
// $TEST_AMD_COMPILER: "clang": kernels in HIP C (render/lang_cuda.c), by clang, whose code is allowed to read registers
// that nobody wrote.
// Included by runtime/device.c (TN_TEST_BACKEND): TINY_DEV=INTERP build/gfx/test_vectors. Behind TINY_RDNA also a device
// of its own, for the curious, in a program of one file:
//   #define TINY_IMPLEMENTATION
//   #include "tiny.h"
//   #include "tiny_amd.h"
//   #define TINY_RDNA
//   #include "tests/amd_device.h"
//   tiny_ctx *t = tiny_open(&(tiny_desc){.device = "RDNA:gfx1201", .backends = {&tiny_rdna}, .debug = "p"});
// Each launch is told in the log, letter p: instructions, cycles of one compute unit, registers.
#ifndef AMD_DEVICE_H
#define AMD_DEVICE_H
#include "../bench/gpu.h"
#include "../src/render/lang_hip.c"
#include "amd_emulate.c"
#include "amd_object.h"
#include <sys/stat.h>
#include "../src/isa/amd_generate.c"

typedef struct amd_device {
  tiny_ctx *t; char target[16]; char clang[300]; uint32_t seed; int own;
  amd_range *range; int n, room;           // its memory
  // called after each launch, if it is not NULL, with what find returned
  void (*ran)(void *user, const void *kernel, const amd_dispatch *to, const amd_report *report); void *user;
} amd_device;

static void *amd_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const char *named = getenv("TEST_AMD"), *seed = getenv("TEST_AMD_SEED");
  const char *gpu = which && *which ? which : named ? named : "gfx1100";
  const char *compiler = getenv("TEST_AMD_COMPILER");
  const int own = !compiler || strcmp(compiler, "clang") != 0;
  tiny_renderer known;
  if (!tn_lang_amd(&known, gpu)) { tiny_fail(t, TINY_E_DEVICE, "AMD: %.40s is no GPU that is played", gpu); return NULL; }
  amd_device *d = (amd_device *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "AMD: there is no memory for the device"); return NULL; }
  memset(d, 0, sizeof *d);
  tn_gpu_limits(gpu, limits);
  limits->dtypes = TN_CUDA_ARITHMETIC; limits->atomics = TN_CUDA_ATOMICS;
  d->t = t;
  d->own = own;
  d->seed = seed ? (uint32_t)strtoul(seed, NULL, 10) : 0;
  snprintf(d->target, sizeof d->target, "%s", gpu);
  for (int version = 25; version >= 17 && !*d->clang; version--) {
    char name[20];
    snprintf(name, sizeof name, "clang-%d", version);
    if (!tn_os_find_program(name, 0, d->clang, sizeof d->clang)) *d->clang = 0;
  }
  return d;
}
static void amd_close(void *dev) {
  amd_device *d = (amd_device *)dev;
  if (d->room) tiny_realloc(d->t, d->range, (size_t)d->room * sizeof *d->range, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static const char *amd_target_name(void *dev) { return ((amd_device *)dev)->target; }
static void amd_renderer(void *dev, tiny_renderer *r) {
  const amd_device *d = (const amd_device *)dev;
  if (d->own) { tn_lang_amd(r, d->target); return; }
  tn_lang_hip(r, d->target);
}

// ** memory: of the host, each block a range; the last range of a launch is its arguments, the one before its code **

static void *amd_alloc(void *dev, size_t nbytes) {
  amd_device *d = (amd_device *)dev;
  if (d->n + 2 >= d->room) {
    const size_t before = (size_t)d->room, after = before * 2 + 64;
    amd_range *more = (amd_range *)tiny_realloc(d->t, d->range, before * sizeof *more, after * sizeof *more);
    if (!more) return NULL;
    d->range = more; d->room = (int)after;
  }
  char *p = (char *)tiny_realloc(d->t, NULL, 0, nbytes ? nbytes : 1);
  if (!p) return NULL;
  memset(p, 0xC5, nbytes ? nbytes : 1);    // nobody relies on zeros
  d->range[d->n++] = (amd_range){(uint64_t)(uintptr_t)p, nbytes, 1};
  return p;
}
static void amd_free_block(void *dev, void *mem, size_t nbytes) {
  amd_device *d = (amd_device *)dev;
  if (!mem) return;
  for (int k = 0; k < d->n; k++) {
    if (d->range[k].address != (uint64_t)(uintptr_t)mem) continue;
    d->range[k] = d->range[--d->n];
    break;
  }
  tiny_realloc(d->t, mem, nbytes ? nbytes : 1, 0);
}
static tiny_code amd_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy((char *)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code amd_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy(dst, (const char *)src.base + src.offset, nbytes);
  return TINY_OK;
}

// ** kernels **

static void amd_cached_path(const amd_device *d, const tiny_bytes *source, char *path, size_t nbytes) {
  const char *folder = getenv("TEST_AMD_CACHE") ? getenv("TEST_AMD_CACHE") : "build/amd-objects";
  uint64_t h = 14695981039346656037u;
  for (size_t k = 0; k < source->n; k++) h = (h ^ (unsigned char)source->data[k]) * 1099511628211u;
  mkdir(folder, 0777);
  snprintf(path, nbytes, "%s/%s-%016llx.o", folder, d->target, (unsigned long long)h);
}
static int amd_cached(const char *path, tiny_bytes *out) {
  char some[4096];
  FILE *f = fopen(path, "rb");
  if (!f) return 0;
  for (size_t n; (n = fread(some, 1, sizeof some, f)) > 0;) tiny_bytes_add(out, some, n);
  fclose(f);
  return 1;
}
static tiny_code amd_compile_one(amd_device *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  char path[400], part[420], arch[40];
  amd_cached_path(d, source, path, sizeof path);
  if (amd_cached(path, binary)) return tiny_status(d->t);
  snprintf(arch, sizeof arch, "--offload-arch=%s", d->target);
  const char *const argv[] = {d->clang, "-x", "hip", "--cuda-device-only", arch, "-nogpuinc", "-nogpulib", "-O3", "-w",
    "-ffp-contract=off", "-fno-slp-vectorize", "-S", "-Xclang", "-emit-obj", "-", "-o", "-", NULL};
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv; job.input = source->data; job.input_nbytes = source->n;
  if (!*d->clang) return tiny_fail(d->t, TINY_E_COMPILE, "AMD: clang 17 or later is not there");
  tn_process_run(d->t, &job, 1, 1);
  if (job.exit_code) {
    tiny_bytes_add(log, job.err.data, job.err.n);
    return tiny_fail(d->t, TINY_E_COMPILE, "AMD: %.1000s", job.err.data);
  }
  tiny_bytes_add(binary, job.out.data, job.out.n);
  snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
  FILE *f = fopen(part, "wb");
  if (!f) return tiny_status(d->t);
  fwrite(binary->data, 1, binary->n, f);
  fclose(f);
  rename(part, path);
  return tiny_status(d->t);
}
static tiny_code amd_compile_all(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code = TINY_OK;
  for (int k = 0; k < n && code == TINY_OK; k++) {
    if (!((amd_device *)dev)->own) code = amd_compile_one((amd_device *)dev, &source[k], &binary[k], log);
    else tiny_bytes_add(&binary[k], source[k].data, source[k].n);      // it is a code object
  }
  return code;
}
// What find returns is the address of a kernel's descriptor.
typedef struct amd_module { amd_object object; unsigned char *room; } amd_module;
static void amd_unload_module(void *dev, void *module) {
  (void)dev;
  free(((amd_module *)module)->object.file.data);
  free(((amd_module *)module)->room);
  free(module);
}
static void *amd_load_module(void *dev, const void *binary, size_t nbytes) {
  amd_device *d = (amd_device *)dev;
  amd_module *m = (amd_module *)calloc(1, sizeof *m);
  if (!m) return NULL;
  m->object.file.data = (char *)malloc(nbytes);
  m->object.file.n = nbytes;
  m->room = (unsigned char *)aligned_alloc(4096, AMD_CODE_NBYTES);
  if (m->object.file.data) memcpy(m->object.file.data, binary, nbytes);
  if (m->object.file.data && m->room && amd_lay_out(&m->object, m->room)) return m;
  tiny_fail(d->t, TINY_E_COMPILE, "AMD: the object could not be laid out");
  amd_unload_module(dev, m);
  return NULL;
}
static void *amd_find_kernel(void *dev, void *module, const char *kernel) {
  char name[200];
  (void)dev;
  snprintf(name, sizeof name, "%s.kd", kernel);
  return (void *)(uintptr_t)amd_find(&((amd_module *)module)->object, name);
}
static tiny_code amd_launch_kernel(void *dev, const tiny_launch *l) {
  amd_device *d = (amd_device *)dev;
  uint64_t value[TN_CUDA_VALUES] = {0};
  amd_dispatch to;
  amd_report report;
  memset(&to, 0, sizeof to);
  for (int k = 0; k < l->nmem; k++) value[k] = (uint64_t)(uintptr_t)l->mem[k].base + l->mem[k].offset;
  for (int k = 0; k < l->nargs; k++) value[TN_CUDA_VALUES - 1 - k] = (uint64_t)l->args[k];
  amd_describe(&to, (uint64_t)(uintptr_t)l->kernel);
  for (int k = 0; k < 3; k++) {
    to.group[k] = (uint32_t)l->local[k];
    to.grid[k] = (uint32_t)(l->global[k] * l->local[k]);
  }
  to.chip = atoi(d->target + 3); to.lds_nbytes += (uint32_t)l->local_nbytes; to.seed = d->seed; to.tolerant = !d->own;
  to.kernarg = (uint64_t)(uintptr_t)value;
  // of the module's room: from the constants, which stand before the code, on
  const uint64_t from = (uint64_t)(uintptr_t)l->kernel < to.entry ? (uint64_t)(uintptr_t)l->kernel : to.entry;
  d->range[d->n] = (amd_range){from & ~(uint64_t)4095, AMD_CODE_NBYTES, 0};
  d->range[d->n + 1] = (amd_range){to.kernarg, sizeof value, 0};
  to.range = d->range; to.nranges = d->n + 2;
  const int wrong = amd_emulate(&to, &report);
  if (d->ran) d->ran(d->user, l->kernel, &to, &report);
  tiny_log_line(d->t, 'p', "%s: %llu instructions, %llu cycles, %d VGPRs, %d SGPRs", d->target,
                (unsigned long long)report.instructions, (unsigned long long)report.cycles, report.vgprs, report.sgprs);
  return wrong ? tiny_fail(d->t, TINY_E_DEVICE, "AMD: %s", report.error) : TINY_OK;
}
static tiny_code amd_sync(void *dev) { (void)dev; return TINY_OK; }

#define AMD_BACKEND(name) {TINY_BACKEND_VERSION, name, amd_open, amd_close, amd_target_name, amd_renderer, amd_alloc, \
  amd_free_block, amd_copy_in, amd_copy_out, NULL, NULL, amd_compile_all, amd_load_module, NULL, amd_unload_module, \
  amd_find_kernel, amd_launch_kernel, NULL, NULL, NULL, NULL, amd_sync, NULL}
static const tiny_backend amd_backend = AMD_BACKEND("INTERP");
#ifdef TN_TEST_BACKEND
  #define TN_INTERP &amd_backend
#endif
#ifdef TINY_RDNA
static const tiny_backend tiny_rdna = AMD_BACKEND("RDNA");
#endif
#endif
