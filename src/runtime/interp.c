// interp: the backend INTERP: linear programs, run by the reference interpreter's instructions in the host's memory.
//
// In:    lists of nodes, launches. Out: what struct tiny_backend asks for.
// Holds: it is the fallback where no compiler exists, and what every other backend is compared with. A module is a
//        decoded program in one block that refers to no node of the IR: nothing has to be kept alive for it.
#ifndef TN_RUNTIME_INTERP
#define TN_RUNTIME_INTERP
#ifndef TINY_AMALGAMATED
#include "../ir/eval_graph.c"
#endif

// All numbers whose sums are kept as they are.
#define TN_INTERP_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_I64 | \
                           (uint64_t)1 << TINY_U64 | (uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)
static void *tn_interp_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  limits->host_memory = 1;
  if (!TN_GPU) { limits->threads = 1; limits->vector_nbytes = 64; }
  limits->shared_nbytes = 32 * 1024;
  limits->compute_units = 1;
  limits->atomics = TN_INTERP_ATOMICS;
  limits->vector_registers = 16;           // too few for tiles: what is compared with it has some
  for (int d = 0; d < 3; d++) limits->local_max[d] = 256;
  limits->local_total = 256;               // lockstep over many work items spreads the cost of an instruction
  return t;                                // the device is the context
}
static void tn_interp_close(void *dev) { (void)dev; }
static const char *tn_interp_target(void *dev) { (void)dev; return "interp"; }

static void *tn_interp_alloc(void *dev, size_t nbytes) {
  return tiny_realloc((tiny_ctx *)dev, NULL, 0, nbytes ? nbytes : 1);
}
static void tn_interp_free(void *dev, void *mem, size_t nbytes) {
  if (mem) tiny_realloc((tiny_ctx *)dev, mem, nbytes ? nbytes : 1, 0);
}
static tiny_code tn_interp_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy((char *)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code tn_interp_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy(dst, (const char *)src.base + src.offset, nbytes);
  return TINY_OK;
}

typedef struct tn_interp_load_call {
  tiny_uop *const *list; int n; tn_eval_code *module;
} tn_interp_load_call;
static tiny_code tn_interp_load_guarded(tiny_ctx *t, void *arg) {
  tn_interp_load_call *call = (tn_interp_load_call *)arg;
  tn_eval_code c;
  tn_eval_arg last;
  const tiny_code code = tn_eval_decode(t, call->list, call->n, 0, &c, &last);
  if (code == TINY_OK) call->module = tn_eval_copy(t, &c);
  return code;
}
static void *tn_interp_load_uops(void *dev, tiny_uop *const *list, int n) {
  tn_interp_load_call call = {list, n, NULL};
  return tn_guard((tiny_ctx *)dev, tn_interp_load_guarded, &call) == TINY_OK ? call.module : NULL;
}
static void tn_interp_unload(void *dev, void *module) {
  if (module) tn_release((tiny_ctx *)dev, module, ((tn_eval_code *)module)->nbytes);
}
static void *tn_interp_find(void *dev, void *module, const char *kernel) {
  (void)dev;
  (void)kernel;
  return module;
}

static tiny_code tn_interp_launch(void *dev, const tiny_launch *l) {
  return tn_eval_launch((tiny_ctx *)dev, (const tn_eval_code *)l->kernel, l);
}
static tiny_code tn_interp_sync(void *dev) { (void)dev; return TINY_OK; }

static const tiny_backend tn_interp_backend = {
  TINY_BACKEND_VERSION, "INTERP", tn_interp_open, tn_interp_close, tn_interp_target, NULL, tn_interp_alloc,
  tn_interp_free, tn_interp_copy_in, tn_interp_copy_out, NULL, NULL, NULL, NULL, tn_interp_load_uops,
  tn_interp_unload, tn_interp_find, tn_interp_launch, NULL, NULL, NULL, NULL, tn_interp_sync, NULL
};
#endif
