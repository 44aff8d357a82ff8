// languages: a device for each language that kernels are written in: "LANG:metal31", and "LANG:metal31-lanes" where
// they are scheduled as for a CPU with vectors of 16 bytes, so that every task is a group of one item.
//
// What they write goes to the folder $TEST_LANGUAGES, if any: NAME/prelude.txt and NAME/kernels.txt (lanes.txt), each
// kernel behind a line "==== its name, its graph". Nothing runs, but on a device "..-run" (language_host.h).
#ifndef LANGUAGES_H
#define LANGUAGES_H
#include "../src/render/lang_hip.c"
#include "../src/render/lang_metal.c"
#include "../src/render/lang_opencl.c"
#include "../src/render/ptx.c"
#include "../bench/gpu.h"
#include "language_host.h"
#include "metal_kernel.h"
#include <sys/stat.h>

// items of a group, bytes that they share; dtypes: that have arithmetic; host: how a module runs on this machine; NULL:
// it does not. gpu: whose limits it has; NULL: those of no GPU in particular. metal: the version of that language.
typedef struct language {
  const char *name; void (*renderer)(tiny_renderer *r); int items, shared; uint64_t dtypes; const host_language *host;
  const char *gpu; int metal;
} language;

static void cuda_75(tiny_renderer *r) { tn_lang_cuda(r, 75); }
static void cuda_80(tiny_renderer *r) { tn_lang_cuda(r, 80); }
static void hip(tiny_renderer *r) { tn_lang_hip(r, "gfx1100"); }
enum { OPENCL = TN_OPENCL_F64 | TN_OPENCL_F16 | TN_OPENCL_I64 | TN_OPENCL_INSTRUCTIONS };
static void opencl(tiny_renderer *r) { tn_lang_opencl(r, OPENCL); }
static void opencl_lanes(tiny_renderer *r) { tn_lang_opencl(r, OPENCL | TN_OPENCL_EXCHANGES); }
static void metal_24(tiny_renderer *r) { tn_lang_metal(r, 24, 0); }
static void metal_31(tiny_renderer *r) { tn_lang_metal(r, 31, TN_METAL_LANES); }
static void apple7(tiny_renderer *r) { tn_lang_metal(r, 23, TN_METAL_LANES | TN_METAL_MATRICES); }
static void apple8(tiny_renderer *r) { tn_lang_metal(r, 31, TN_METAL_LANES | TN_METAL_MATRICES); }
static void apple9(tiny_renderer *r) { tn_lang_metal(r, 32, TN_METAL_LANES | TN_METAL_MATRICES); }
static void mac2(tiny_renderer *r) { tn_lang_metal(r, 30, TN_METAL_LANES); }
static void wgsl_16(tiny_renderer *r) { tn_lang_wgsl(r, TN_WGSL_F16); }
static void wgsl_lanes(tiny_renderer *r) { tn_lang_wgsl(r, TN_WGSL_F16 | TN_WGSL_SUBGROUPS); }
static void wgsl(tiny_renderer *r) { tn_lang_wgsl(r, 0); }

static void ptx_75(tiny_renderer *r) { tn_lang_ptx(r, "sm_75"); }
static void ptx_80(tiny_renderer *r) { tn_lang_ptx(r, "sm_80"); }
static void ptx_89(tiny_renderer *r) { tn_lang_ptx(r, "sm_89"); }
static void ptx_90(tiny_renderer *r) { tn_lang_ptx(r, "sm_90a"); }
static void ptx_100(tiny_renderer *r) { tn_lang_ptx(r, "sm_100a"); }
static void ptx_120(tiny_renderer *r) { tn_lang_ptx(r, "sm_120a"); }

static const language languages[] = {
  {"cuda75", cuda_75, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL, NULL, 0},
  {"cuda80", cuda_80, 1024, 48 << 10, TN_CUDA_ARITHMETIC, &host_cuda, NULL, 0},
  {"hip", hip, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL, NULL, 0},
  {"clexchange", opencl_lanes, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL, NULL, 0},
  {"opencl", opencl, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL, NULL, 0},
  {"metal24", metal_24, 1024, 32 << 10, TN_METAL_ARITHMETIC, &host_metal, NULL, 240},
  {"metal31", metal_31, 1024, 32 << 10, TN_METAL_ARITHMETIC, &host_metal, NULL, 310},
  {"apple7", apple7, 1024, 32 << 10, TN_METAL_ARITHMETIC, &host_metal, "apple7", 230},
  {"apple8", apple8, 1024, 32 << 10, TN_METAL_ARITHMETIC, &host_metal, "apple8", 310},
  {"apple9", apple9, 1024, 32 << 10, TN_METAL_ARITHMETIC, &host_metal, "apple9", 320},
  {"mac2", mac2, 1024, 32 << 10, TN_METAL_ARITHMETIC, &host_metal, "mac2", 300},
  {"wgsl16", wgsl_16, 256, 16 << 10, TN_METAL_ARITHMETIC, NULL, NULL, 0},
  {"wgslexchange", wgsl_lanes, 256, 16 << 10, TN_METAL_ARITHMETIC, NULL, NULL, 0},
  {"wgsl", wgsl, 256, 16 << 10, TN_METAL_ARITHMETIC, &host_metal, NULL, 310},
  {"ptx75", ptx_75, 1024, 48 << 10, TN_PTX_ARITHMETIC, NULL, "sm_75", 0},
  {"ptx80", ptx_80, 1024, 48 << 10, TN_PTX_ARITHMETIC, NULL, "sm_80", 0},
  {"ptx89", ptx_89, 1024, 48 << 10, TN_PTX_ARITHMETIC, NULL, "sm_89", 0},
  {"ptx90", ptx_90, 1024, 48 << 10, TN_PTX_ARITHMETIC, NULL, "sm_90a", 0},
  {"ptx100", ptx_100, 1024, 48 << 10, TN_PTX_ARITHMETIC, NULL, "sm_100a", 0},
  {"ptx120", ptx_120, 1024, 48 << 10, TN_PTX_ARITHMETIC, NULL, "sm_120", 0},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

// reads: how often its memory was read; graph: whose kernels it writes.
typedef struct language_device {
  tn_null null; const language *language; int lanes, run, reads; char graph[100];
  tiny_renderer renderer; uint64_t uses;   // uses: of its kernels, the greatest
  host_items *items;
} language_device;

// ** what is written **

static void language_path(char *path, size_t nbytes, const language *l, const char *name) {
  snprintf(path, nbytes, "%s/%s%s%s", getenv("TEST_LANGUAGES"), l->name, name ? "/" : "", name ? name : "");
}
static void language_write(const language *l, const char *name, const char *text) {
  char path[300];
  if (!getenv("TEST_LANGUAGES")) return;
  language_path(path, sizeof path, l, name);
  FILE *f = fopen(path, "ab");
  CHECK(f && fputs(text, f) >= 0);
  if (f) fclose(f);
}
static tiny_code language_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                 uint64_t *uses) {
  language_device *d = (language_device *)(uintptr_t)r->own;
  const char *file = d->lanes ? "lanes.txt" : "kernels.txt";
  const size_t before = out->n;
  const tiny_code code = d->renderer.kernel(t, &d->renderer, k, out, uses);
  if (code != TINY_OK) return code;
  if (*uses > d->uses) d->uses = *uses;
  language_write(d->language, file, tn_text_of_format(t, "==== %s %s\n", k->name, d->graph));
  language_write(d->language, file, out->data + before);
  return code;
}
static tiny_code language_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                 tiny_bytes *out) {
  const language_device *d = (const language_device *)r->own;
  return d->renderer.module(t, &d->renderer, kernels, n, out);
}
static void language_renderer(void *dev, tiny_renderer *r) {
  language_device *d = (language_device *)dev;
  d->language->renderer(&d->renderer);
  if (!d->renderer.kernel) tn_cstyle(&d->renderer);
  *r = d->renderer;
  r->own = dev;
  r->kernel = language_kernel;
  r->module = language_module;
}

// ** the device **

static void language_close(void *dev) {
  language_device *d = (language_device *)dev;
  tiny_ctx *t = d->null.t;
  if (d->items) tiny_realloc(t, d->items, sizeof *d->items, 0);
  tiny_realloc(t, d, sizeof *d, 0);
}
// which: "metal31", "metal31-lanes", "metal31-lanes-run", "metal31-atomics": with what the language has of them
static void *language_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  int i = 0;
  while (i < LANGUAGES && strncmp(which, languages[i].name, strlen(languages[i].name))) i++;
  language_device *d = i < LANGUAGES ? (language_device *)tiny_realloc(t, NULL, 0, sizeof *d) : NULL;
  if (!d) return NULL;
  memset(d, 0, sizeof *d);
  d->null.t = t;
  d->language = &languages[i];
  d->lanes = strstr(which, "-lanes") != NULL; d->run = strstr(which, "-run") != NULL;
  if (d->run) d->items = (host_items *)tiny_realloc(t, NULL, 0, sizeof *d->items);
  if (d->run && !d->items) { language_close(d); return NULL; }
  limits->host_memory = d->run;
  limits->dtypes = d->language->dtypes;
  tiny_renderer r;
  d->language->renderer(&r);
  if (!r.kernel) tn_target_of_language(&r);
  limits->atomics = strstr(which, "-atomics") ? r.atomics : 0;
  limits->threads = d->lanes;
  limits->vector_nbytes = d->lanes ? 16 : 0;
  limits->warp = 32;
  limits->shared_nbytes = (size_t)d->language->shared;
  limits->cache_nbytes = limits->shared_nbytes / 2;
  limits->local_total = d->language->items;
  limits->local_max[2] = 64;
  if (d->language->gpu && !d->lanes) {
    const uint64_t atomics = limits->atomics;
    tn_gpu_limits(d->language->gpu, limits);
    limits->dtypes = d->language->dtypes; limits->atomics = atomics;
    if (d->language->metal && !(r.dtypes >> TINY_BF16 & 1) && limits->nunits) limits->nunits = 2;        // f16, f32
  }
  return d;
}

// ** its functions **

// Memory knows its size, which stands before it.
enum { LANGUAGE_BEFORE = 64 };
static void *language_alloc(void *dev, size_t nbytes) {
  char *p = (char *)tn_null_alloc(dev, nbytes + LANGUAGE_BEFORE);
  if (!p) return NULL;
  memcpy(p, &nbytes, sizeof nbytes);
  return p + LANGUAGE_BEFORE;
}
static void language_free(void *dev, void *mem, size_t nbytes) {
  tn_null_free(dev, (char *)mem - LANGUAGE_BEFORE, nbytes + LANGUAGE_BEFORE);
}
static metal_binding language_binding(tiny_mem mem) {
  size_t nbytes;
  memcpy(&nbytes, (const char *)mem.base - LANGUAGE_BEFORE, sizeof nbytes);
  return (metal_binding){(char *)mem.base + mem.offset, nbytes - mem.offset};
}
// Metal's modules are the executor's, which finds a text again that it has compiled: the binary is the text.
// WGSL's are what other compilers make of them (tools/wgsl_to_metal.sh), with one kernel.
static int language_is_other(const language_device *d) { return !strcmp(d->language->name, "wgsl"); }
static const char *language_translated(tiny_ctx *t, const char *wgsl) {
  char path[] = "/tmp/tiny-wgsl-XXXXXX", part[4096];
  tiny_bytes text = {t, NULL, 0, 0};
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, wgsl, strlen(wgsl)) < 0) return NULL;
  close(fd);
  FILE *f = popen(tn_text_of_format(t, "tools/wgsl_to_metal.sh %s", path), "r");
  for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0; ) tiny_bytes_add(&text, part, n);
  const int failed = !f || pclose(f);
  remove(path);
  return failed ? NULL : text.data;
}
static metal_module *language_metal(const language_device *d, const char *text) {
  char log[2000];
  tiny_ctx *t = d->null.t;
  metal_module *m = metal_module_new(text, d->language->metal, 0, log, sizeof log);
  if (!m) tiny_fail(t, TINY_E_COMPILE, "%s", log);
  return m;
}
static tiny_code language_metal_launch(tiny_ctx *t, const tiny_launch *l, int other) {
  char said[400];
  _Alignas(16) char uniform[31][16] = {{0}};                 // as WGSL's uniforms are
  metal_dispatch d;
  memset(&d, 0, sizeof d);
  d.function = (const metal_function *)l->kernel;
  if (l->nmem + l->nargs > 31) return tiny_fail(t, TINY_E_DEVICE, "%d buffers are too many", l->nmem + l->nargs);
  for (int i = 0; i < l->nmem; i++) d.buffer[i] = language_binding(l->mem[i]);
  for (int i = 0; i < l->nargs; i++) {
    memcpy(uniform[i], &l->args[i], sizeof l->args[i]);
    d.buffer[other ? 20 + i : 30 - i] = (metal_binding){uniform[i], other ? sizeof uniform[i] : sizeof l->args[i]};
  }
  for (int i = 0; i < 3; i++) {
    d.groups[i] = (unsigned)(l->tasks ? i ? 1 : l->tasks : l->global[i]);
    d.items[i] = (unsigned)(l->tasks ? 1 : l->local[i]);
  }
  return metal_run(&d, said, sizeof said) ? tiny_fail(t, TINY_E_DEVICE, "%s", said) : TINY_OK;
}
static int language_is_metal(const language_device *d) { return d->language->host == &host_metal; }

static tiny_code language_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  language_device *d = (language_device *)dev;
  tiny_code code = TINY_OK;
  if (!d->run) return tn_null_compile(dev, n, source, binary, log);
  for (int i = 0; i < n && code == TINY_OK && language_is_metal(d); i++) {
    const char *text = language_is_other(d) ? language_translated(d->null.t, source[i].data) : source[i].data;
    if (!text) return tiny_fail(d->null.t, TINY_E_INTERNAL, "others' compilers refuse a kernel");
    if (!language_metal(d, text)) return tiny_status(d->null.t);
    tiny_bytes_add(&binary[i], text, strlen(text) + 1);
  }
  for (int i = 0; i < n && code == TINY_OK && !language_is_metal(d); i++)
    code = host_compile(d->null.t, d->language->host, source[i].data, &binary[i]);
  return code;
}
static void *language_load(void *dev, const void *binary, size_t nbytes) {
  const language_device *d = (const language_device *)dev;
  if (!d->run) return tn_null_load(dev, binary, nbytes);
  return language_is_metal(d) ? (void *)language_metal(d, (const char *)binary) : host_load((const char *)binary);
}
static void language_unload(void *dev, void *module) {
  const language_device *d = (const language_device *)dev;
  if (d->run && !language_is_metal(d)) host_unload(module);
}
static void *language_find(void *dev, void *module, const char *kernel) {
  const language_device *d = (const language_device *)dev;
  if (!d->run) return dev;
  if (language_is_other(d)) kernel = "main0";
  return language_is_metal(d) ? (void *)(uintptr_t)metal_module_find((metal_module *)module, kernel)
                              : host_find((host_module *)module, kernel);
}
static tiny_code language_launch(void *dev, const tiny_launch *l) {
  language_device *d = (language_device *)dev;
  if (!d->run) return TINY_OK;
  if (language_is_metal(d)) return language_metal_launch(d->null.t, l, language_is_other(d));
  return host_launch(d->null.t, d->items, l);
}
static tiny_code language_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  ((language_device *)dev)->reads++;
  return tn_null_copy_out(dev, dst, src, nbytes);
}

static tiny_backend language_backend(void) {
  tiny_backend b = *tiny_backend_named("NULL");
  b.name = "LANG"; b.open = language_open; b.close = language_close; b.renderer = language_renderer;
  b.compile = language_compile; b.load = language_load; b.unload = language_unload; b.find = language_find;
  b.launch = language_launch; b.copy_out = language_copy_out; b.alloc = language_alloc; b.free = language_free;
  return b;
}
static tiny_ctx *language_context(const tiny_backend *b, const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = b; d.cache_dir = ""; d.threads = 1; d.atomics = 1;
  return tiny_open(&d);
}
#endif
