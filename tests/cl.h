// cl: OpenCL in the place of INTERP, for any test: make test-gpu. $TEST_CL says which device, as what follows "CL:".
// $TEST_CL_GRID: kernels as for a GPU, also where the device is a processor.
// Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef CL_H
#define CL_H
#include "../src/cl/queue.c"

static void *cl_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const char *named = getenv("TEST_CL");
  void *dev = tn_cl_open(t, *which || !named ? which : named, limits);
  if (getenv("TEST_CL_GRID")) { limits->threads = 0; limits->vector_nbytes = 16; limits->vector_registers = 64; }
  if (!limits->threads) limits->atomics = TN_OPENCL_ATOMICS;
  return dev;
}

static const tiny_backend cl_backend = {
  TINY_BACKEND_VERSION, "INTERP", cl_open, tn_cl_close, tn_cl_target, tn_cl_renderer, tn_cl_alloc, tn_cl_free,
  tn_cl_copy_in, tn_cl_copy_out, NULL, NULL, tn_cl_compile, tn_cl_load, NULL, tn_cl_unload, tn_cl_find, tn_cl_launch,
  tn_cl_submit, tn_cl_event_new, tn_cl_wait, tn_cl_event_free, tn_cl_sync, NULL
};
#define TN_INTERP &cl_backend
#endif
