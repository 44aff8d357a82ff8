// amd: AMD in the place of INTERP, for any test, on a GPU that is played (amd_mock.h) and kernels that the emulator
// runs: make test-amd. $TEST_AMD: gfx1100, gfx1201 or gfx942; $TEST_AMD_SEED: how late; $TEST_AMD_COMPILER: "clang": not
// the built-in one. With $TEST_AMD=real the
// machine's own. Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef AMD_H
#define AMD_H
#include "../src/amd/open.c"
#include "amd_mock.h"
amd_mock *amd_played(amd_mock_desc desc);
#if defined(TEST_LIBRARY) || !defined(TEST_FUNCTION)        // the object that a flavour's programs share, or no such
  #include "amd_mock.c"
  #include "amd_run.h"
  amd_mock *amd_played(amd_mock_desc desc) {
    const char *compiler = getenv("TEST_AMD_COMPILER");
    const int clang = compiler && !strcmp(compiler, "clang");
    setenv("TINY_AMD_COMPILER", clang ? "outside" : "builtin", 1);
    desc.run = clang ? amd_run : amd_run_strictly;
    return amd_mock_new(&desc);
  }
#endif

static int amd_is_real(void) { const char *gpu = getenv("TEST_AMD"); return gpu && !strcmp(gpu, "real"); }
static void *amd_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  static const char *const gpus[AMD_MOCK_GPUS] = {"gfx1100", "gfx1201", "gfx942"};
  const char *gpu = getenv("TEST_AMD"), *seed = getenv("TEST_AMD_SEED");
  amd_mock_desc desc = {.seed = seed ? (uint32_t)tn_digits_value(seed, 10, NULL) : 0};
  for (int i = 0; gpu && i < AMD_MOCK_GPUS; i++) if (!strcmp(gpu, gpus[i])) desc.gpu = (amd_mock_gpu)i;
  (void)which;
  if (amd_is_real()) return tn_kfd_open(t, "", limits);
  amd_mock *m = amd_played(desc);
  if (!m) return NULL;
  void *d = tn_kfd_open(t, tiny_amd_on(amd_mock_system(m), 0).text + 4, limits);
  if (!d) amd_mock_free(m);
  return d;
}
// What the GPU complained about ends the program: no value may hide it.
static void amd_close(void *dev) {
  amd_mock *const m = (amd_mock *)((tn_kfd *)dev)->k.sys.user;
  tn_kfd_close(dev);
  if (amd_is_real()) return;
  if (amd_mock_complaint(m) || amd_mock_leaks(m)) {
    fprintf(stderr, "amd_mock: %s\n", amd_mock_complaint(m) ? amd_mock_complaint(m) : "something is left");
    _exit(99);
  }
  amd_mock_free(m);
}
static const tiny_backend amd_backend = {
  TINY_BACKEND_VERSION, "INTERP", amd_open, amd_close, tn_kfd_target, tn_kfd_renderer, tn_kfd_alloc_block,
  tn_kfd_free_block, tn_kfd_copy_in, tn_kfd_copy_out, tn_kfd_copy_from, NULL, tn_kfd_compile, tn_kfd_load, NULL,
  tn_kfd_unload, tn_kfd_find, tn_kfd_launch, tn_kfd_submit, tn_kfd_event_new, tn_kfd_wait, tn_kfd_event_free,
  tn_kfd_sync, NULL
};
#define TN_INTERP &amd_backend
#endif
