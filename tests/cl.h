// cl: OpenCL in the place of INTERP, for any test: make test-gpu. $TEST_CL says which device, as what follows "CL:".
// $TEST_CL_LANES: kernels as for a processor, with vectors of 16 bytes, an item of the device for each task: what the
// language has for vectors is executed.
// Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef CL_H
#define CL_H
#include "../src/cl/queue.c"

static void *cl_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const char *named = getenv("TEST_CL");
  void *dev = tn_cl_open(t, *which || !named ? which : named, limits);
  if (getenv("TEST_CL_LANES")) { limits->threads = 1; limits->vector_nbytes = limits->vector_registers = 16; }
  return dev;
}
static tiny_code cl_submit(void *dev, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    tiny_launch one = l[i];
    if (getenv("TEST_CL_LANES")) one.global[0] = one.tasks;
    code = tn_cl_launch(dev, &one);
  }
  return code;
}
static tiny_code cl_launch(void *dev, const tiny_launch *l) { return cl_submit(dev, l, 1); }

static const tiny_backend cl_backend = {
  TINY_BACKEND_VERSION, "INTERP", cl_open, tn_cl_close, tn_cl_target, tn_cl_renderer, tn_cl_alloc, tn_cl_free,
  tn_cl_copy_in, tn_cl_copy_out, NULL, NULL, tn_cl_compile, tn_cl_load, NULL, tn_cl_unload, tn_cl_find, cl_launch,
  cl_submit, tn_cl_event_new, tn_cl_wait, tn_cl_event_free, tn_cl_sync, NULL
};
#define TN_INTERP &cl_backend
#endif
