// ptx_device: a GPU of NVIDIA's in the place of INTERP, for any test: kernels that render/ptx.c writes, which the
// machine of ptx_machine.h executes: memory, launches and $TEST_PTX are those of ptx.h.
// Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef PTX_DEVICE_H
#define PTX_DEVICE_H
#include "../src/render/ptx.c"
#include "ptx.h"

static void ptx_own_renderer(void *dev, tiny_renderer *r) { tn_lang_ptx(r, ((ptx_device *)dev)->cuda.target); }
static tiny_code ptx_own_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  (void)log;
  for (int i = 0; i < n; i++) tiny_bytes_add(&binary[i], source[i].data, source[i].n);
  return tiny_status(((ptx_device *)dev)->t);
}
static const tiny_backend ptx_own_backend = {
  TINY_BACKEND_VERSION, PTX_NAME, ptx_open, ptx_close, ptx_target_name, ptx_own_renderer, ptx_alloc, ptx_free_block,
  ptx_copy_in, ptx_copy_out, NULL, NULL, ptx_own_compile, ptx_load_module, NULL, ptx_unload_module, ptx_find_kernel,
  ptx_launch_kernel, NULL, NULL, NULL, NULL, ptx_sync, NULL
};
#ifdef TN_TEST_BACKEND
  #undef TN_INTERP
  #define TN_INTERP &ptx_own_backend
#endif
#endif
