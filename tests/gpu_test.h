// gpu_test: a device that is the interpreter with the limits of a GPU that is not here.
#ifndef GPU_TEST_H
#define GPU_TEST_H

#include "../bench/gpu.h"

static const char *gpu_name;
static void *gpu_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  tn_interp_backend.open(t, "", limits);
  tn_gpu_limits(gpu_name, limits);
  limits->host_memory = 1;
  return t;
}
// A context on it; d: what else is asked for.
static tiny_ctx *open_gpu(const char *gpu, tiny_desc *d) {
  static tiny_backend backend;
  backend = tn_interp_backend;
  backend.name = "GPU"; backend.open = gpu_open;
  gpu_name = gpu;
  d->device = "GPU";
  d->backends[0] = &backend;
  return tiny_open(d);
}
#endif
