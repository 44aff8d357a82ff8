// null: a device on which everything succeeds and nothing runs: the whole stack above it works on any
// machine, and its own cost can be measured. Memory is the host's: what a kernel would have computed reads as zeros,
// or as what lay in that memory before. "Compiled" kernels are their sources.
#ifndef TN_RUNTIME_NULL
#define TN_RUNTIME_NULL
#ifndef TINY_AMALGAMATED
#include "cpu.c"
#endif

static void *tn_null_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = limits->vector_registers = 32;
  limits->cache_nbytes = (size_t)1 << 20;
  return t;                                // the device is the context: there is nothing to remember
}
static void tn_null_close(void *dev) { (void)dev; }
static const char *tn_null_target(void *dev) { (void)dev; return "null"; }
static void tn_null_renderer(void *dev, tiny_renderer *out) { (void)dev; tn_lang_c(out); }
static void *tn_null_alloc(void *dev, size_t nbytes) {
  void *p = tn_cpu_aligned_alloc((tiny_ctx *)dev, nbytes);
  return p ? memset(p, 0, nbytes) : NULL;
}
static void tn_null_free(void *dev, void *mem, size_t nbytes) {
  tn_cpu_aligned_free((tiny_ctx *)dev, mem, nbytes);
}
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
static tiny_code tn_null_launch(void *dev, void *kernel, const tiny_launch *l) {
  (void)dev; (void)kernel; (void)l;
  return TINY_OK;
}

static const tiny_backend tn_null_backend = {
  "NULL", tn_null_open, tn_null_close, tn_null_target, tn_null_renderer,
  tn_null_alloc, tn_null_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_null_compile,
  tn_null_load, NULL, tn_null_unload, tn_null_find, tn_null_launch, tn_cpu_sync, NULL
};
#endif
