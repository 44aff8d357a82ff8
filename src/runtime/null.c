// null: a device on which everything succeeds and nothing runs: the whole stack above it works on any machine, and its
// own cost can be measured.
//
// In:    texts, launches. Out: what struct tiny_backend asks for; "compiled" kernels are their sources: C, or what
//        NULL:LLVM and so on name (the table below).
// Holds: memory is the host's: what a kernel would have computed reads as zeros, or as what lay in that memory before.
#ifndef TN_RUNTIME_NULL
#define TN_RUNTIME_NULL
#ifndef TINY_AMALGAMATED
#include "cpu.c"
#include "../render/lang_wgsl.c"
#endif

// A host with threads.
static void tn_null_host(tiny_limits *limits) {
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = limits->vector_registers = 32;
  limits->cache_nbytes = (size_t)1 << 20;
}
#ifndef TINY_NO_GPU
// What WebGPU promises of any device (W3C, WebGPU, 3.6.2 Limits).
static void tn_null_webgpu(tiny_limits *limits) {
  limits->host_memory = 1;
  limits->shared_nbytes = 16384;
  limits->atomics = TN_WGSL_ATOMICS;
  for (int d = 0; d < 3; d++) { limits->global_max[d] = 65535; limits->local_max[d] = d == 2 ? 64 : 256; }
  limits->local_total = 256;
}
static void tn_null_wgsl(tiny_renderer *r) { tn_lang_wgsl(r, 0); }
#endif
static void tn_null_llvm(tiny_renderer *r) { tn_lang_llvm(r, 0, 1); }

// What stands behind "NULL:", who writes it, and for what device.
typedef struct tn_null_language {
  const char *name; void (*renderer)(tiny_renderer *r); void (*limits)(tiny_limits *limits);
} tn_null_language;
static const tn_null_language tn_null_languages[] = {
  {"", tn_lang_c, tn_null_host}, {"LLVM", tn_null_llvm, tn_null_host},
#ifndef TINY_NO_GPU
  {"WGSL", tn_null_wgsl, tn_null_webgpu}
#endif
};
enum { TN_NULL_LANGUAGES = sizeof tn_null_languages / sizeof *tn_null_languages };
typedef struct tn_null { tiny_ctx *t; const tn_null_language *language; } tn_null;

static void *tn_null_unknown(tiny_ctx *t, const char *which) {
  char known[256] = "NULL";
  for (int i = 1; i < TN_NULL_LANGUAGES; i++) {
    const size_t at = strlen(known);
    snprintf(known + at, sizeof known - at, ", NULL:%s", tn_null_languages[i].name);
  }
  tiny_fail(t, TINY_E_DEVICE, "there is no device NULL:%.100s; there are: %s", which, known);
  return NULL;
}
static void *tn_null_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  int language = 0;
  while (language < TN_NULL_LANGUAGES && strcmp(which, tn_null_languages[language].name)) language++;
  if (language == TN_NULL_LANGUAGES) return tn_null_unknown(t, which);
  tn_null *d = (tn_null *)tn_alloc(t, sizeof *d);
  if (!d) return NULL;
  d->t = t;
  d->language = &tn_null_languages[language];
  memset(limits, 0, sizeof *limits);
  d->language->limits(limits);
  return d;
}
static void tn_null_close(void *dev) { tn_release(((tn_null *)dev)->t, dev, sizeof(tn_null)); }
static const char *tn_null_target(void *dev) { (void)dev; return "null"; }
static void tn_null_renderer(void *dev, tiny_renderer *out) {
  ((const tn_null *)dev)->language->renderer(out);
}
static void *tn_null_alloc(void *dev, size_t nbytes) {
  void *p = tn_cpu_aligned_alloc(((tn_null *)dev)->t, nbytes);
  return p ? memset(p, 0, nbytes) : NULL;
}
static void tn_null_free(void *dev, void *mem, size_t nbytes) {
  tn_cpu_aligned_free(((tn_null *)dev)->t, mem, nbytes);
}
static tiny_code tn_null_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy((char *)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code tn_null_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy(dst, (const char *)src.base + src.offset, nbytes);
  return TINY_OK;
}
static tiny_code tn_null_sync(void *dev) { (void)dev; return TINY_OK; }
static tiny_code tn_null_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  (void)dev; (void)log;
  for (int i = 0; i < n; i++) tiny_bytes_add(&binary[i], source[i].data, source[i].n);
  return TINY_OK;
}
static void *tn_null_load(void *dev, const void *binary, size_t nbytes) {
  (void)binary; (void)nbytes;
  return dev;
}
static void tn_null_unload(void *dev, void *module) { (void)dev; (void)module; }
static void *tn_null_find(void *dev, void *module, const char *kernel) {
  (void)module; (void)kernel;
  return dev;
}
static tiny_code tn_null_launch(void *dev, const tiny_launch *l) {
  (void)dev; (void)l;
  return TINY_OK;
}

static const tiny_backend tn_null_backend = {
  TINY_BACKEND_VERSION, "NULL", tn_null_open, tn_null_close, tn_null_target, tn_null_renderer,
  tn_null_alloc, tn_null_free, tn_null_copy_in, tn_null_copy_out, NULL, NULL, tn_null_compile,
  tn_null_load, NULL, tn_null_unload, tn_null_find, tn_null_launch, NULL, NULL, NULL, NULL, tn_null_sync, NULL
};
#endif
