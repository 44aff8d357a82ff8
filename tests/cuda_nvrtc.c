// cuda_nvrtc: a few kernels through a real NVRTC: what it gives for this device's architecture is written; the mock driver
// cannot run it. tests/test_cuda.sh
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_cuda.h"
#include <stdio.h>

static void hear(void *user, const char *line) { (void)user; (void)line; }
int main(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}, .cache_dir = "", .log = {hear, NULL}});
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(64, 64)), *y = tiny_softmax(tiny_matmul(x, tiny_cast(x, TINY_F16)), -1);
  if (tiny_status(t) != TINY_OK) { puts(tiny_error(t)); tiny_close(t); return 1; }
  tiny_realize(&y, 1);
  // The mock refuses real cubins: that it came so far is what NVRTC took.
  const int compiled = tiny_status(t) != TINY_E_COMPILE && strstr(tiny_error(t), "loading a module") != NULL;
  printf(compiled ? "sm_90a: taken\n" : "%s\n", tiny_error(t));
  tiny_close(t);
  return !compiled;
}
