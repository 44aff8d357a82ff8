// nvinfo: what NVIDIA's kernel driver tells of the GPUs of this machine, without libcuda or a toolkit.
//
//   cc -std=c11 -I. examples/nvinfo.c -o nvinfo -lm -lpthread
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_nv.h"
#include <stdio.h>

static void row(const char *what, const char *text) { printf("  %-22s %s\n", what, text); }
static void sized(const char *what, uint64_t nbytes) {
  if (nbytes) printf("  %-22s %llu MiB\n", what, (unsigned long long)(nbytes >> 20));
  else row(what, "the driver does not tell");
}
static void tell(int number, const tiny_nv_gpu *g) {
  printf("NV:%d %s\n", number, g->name);
  row("driver", g->driver);
  row("PCI address", g->pci);
  printf("  %-22s /dev/nvidia%d\n", "file", g->minor);
  if (g->error[0]) { row("cannot be used", g->error); return; }
  row("uuid", g->uuid);
  row("target", g->target);
  sized("memory", g->nbytes);
  sized("of it free", g->free_nbytes);
  sized("L2 cache", g->l2_nbytes);
  printf("  %-22s %d of %d warps\n", "SMs", g->processors, g->warps);
  printf("  %-22s %llu KiB\n", "shared memory of a group", (unsigned long long)(g->shared_nbytes >> 10));
  printf("  %-22s compute %04x, channel %04x, copy %04x, doorbell %04x\n", "classes", (unsigned)g->compute,
         (unsigned)g->channel, (unsigned)g->copy, (unsigned)g->doorbell);
  row("partitioned (MIG)", g->partitioned ? "yes: it cannot be opened" : "no");
}

int main(void) {
  enum { MOST = 16 };
  static tiny_nv_gpu gpus[MOST];
  const int n = tiny_nv_gpus(NULL, gpus, MOST);
  if (!n) { printf("no GPU can be used by NVIDIA's kernel driver: %s\n", gpus[0].error); return 0; }
  for (int i = 0; i < n && i < MOST; i++) tell(i, &gpus[i]);
  printf("%d GPU%s\n", n, n > 1 ? "s" : "");
  return 0;
}
