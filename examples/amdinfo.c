// amdinfo: what AMD's kernel driver tells of each GPU of this machine, without ROCm.
//
//   cc -std=c11 -I. examples/amdinfo.c -o amdinfo -lm -lpthread
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_amd.h"
#include <stdio.h>

int main(void) {
  tiny_amd_gpu gpu[16];
  const int n = tiny_amd_gpus(NULL, gpu, 16);
  if (!n) { printf("no GPU can be used by AMD's kernel driver: %s\n", gpu[0].error); return 0; }
  printf("KFD %d.%d\n", gpu[0].version[0], gpu[0].version[1]);
  for (int i = 0; i < n && i < 16; i++) {
    const tiny_amd_gpu *g = &gpu[i];
    printf("AMD:%d  %s (%s), node %d, /dev/dri/renderD%d\n", i, g->name, g->target, g->node, g->minor);
    printf("       %d units on %d dies, %.1f GB, %.1f GB free, %d KiB of LDS\n", g->units, g->dies, (double)g->nbytes / 1e9,
           (double)g->free_nbytes / 1e9, (int)(g->shared_nbytes >> 10));
    if (g->error[0]) printf("       cannot be used: %s\n", g->error);
  }
  printf("%d GPU%s\n", n, n == 1 ? "" : "s");
  return 0;
}
