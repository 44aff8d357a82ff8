// nv: NV in the place of INTERP, for any test, on a GPU that is played (nv_mock.h): make test-nv. $TEST_NV: which, 0 to 5;
// $TEST_NV_SEED: how late. With $TEST_NV=real the machine's own.
// Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef NV_TEST_H
#define NV_TEST_H
#include "../src/nv/queue.c"
#if defined(TEST_LIBRARY) || !defined(TEST_FUNCTION)        // the object that a flavour's programs share, or no such
  #include "nv_mock.c"
  #include "ptx_machine.c"
#else
  #include "nv_mock.h"
#endif

static void *nv_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const char *gpu = getenv("TEST_NV"), *seed = getenv("TEST_NV_SEED");
  nv_mock_desc desc = {.gpu = (nv_mock_gpu)(gpu && *gpu >= '0' && *gpu < '6' ? *gpu - '0' : NV_MOCK_GH100),
                       .seed = seed ? (uint32_t)tn_digits_value(seed, 10, NULL) : 0};
  (void)which;
  tn_nv *d;
  if (gpu && !strcmp(gpu, "real")) return tn_nv_open(t, "", limits);
  nv_mock *m = nv_mock_new(&desc);
  if (!m) return NULL;
  d = (tn_nv *)tn_nv_open(t, tiny_nv_on(nv_mock_system(m), 0).text + 3, limits);
  if (!d) { nv_mock_free(m); return NULL; }
  // A GPU that is played knows the kernels that were assembled for it alone: none comes from the disk cache. What is
  // said of the target stands in its name, which nothing reads here.
  snprintf(d->gpu, sizeof d->gpu, "%s of %d, %llx", d->target, (int)getpid(), (unsigned long long)tn_driver_clock_ns());
  return d;
}
static const char *nv_target(void *dev) { return ((const tn_nv *)dev)->gpu; }
// What the GPU complained about ends the program: no value may hide it.
static void nv_close(void *dev) {
  const char *gpu = getenv("TEST_NV");
  nv_mock *const m = (nv_mock *)((tn_nv *)dev)->rm.sys.user;
  tn_nv_close(dev);
  if (gpu && !strcmp(gpu, "real")) return;
  if (nv_mock_complaint(m) || nv_mock_leaks(m)) {
    fprintf(stderr, "nv_mock: %s\n", nv_mock_complaint(m) ? nv_mock_complaint(m) : "something is left");
    _exit(99);
  }
  nv_mock_free(m);
}
static const tiny_backend nv_backend = {
  TINY_BACKEND_VERSION, "INTERP", nv_open, nv_close, nv_target, tn_nv_renderer, tn_nv_alloc, tn_nv_free,
  tn_nv_copy_in, tn_nv_copy_out, tn_nv_copy_from, NULL, tn_nv_compile, tn_nv_load_binary, NULL, tn_nv_unload, tn_nv_find,
  tn_nv_launch, tn_nv_submit, tn_nv_event_new, tn_nv_wait, tn_nv_event_free, tn_nv_sync, NULL
};
#define TN_INTERP &nv_backend
#endif
