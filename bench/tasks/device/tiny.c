// device: a device of one's own: memory of its own that is counted, and kernels of the CPU.
#include "tiny.h"
#include <math.h>
#include <stdio.h>

static const tiny_backend *cpu;
static size_t held;

static void *mine_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  void *dev = cpu->open(t, which, limits);
  limits->host_memory = 0; // what lies here is copied in and out
  return dev;
}
static void *mine_alloc(void *dev, size_t nbytes) {
  void *mem = cpu->alloc(dev, nbytes);
  if (mem) held += nbytes;
  return mem;
}
static void mine_free(void *dev, void *mem, size_t nbytes) {
  held -= nbytes;
  cpu->free(dev, mem, nbytes);
}

// relu(x @ w + b) of the same numbers on any device.
static tiny_tensor *layer(tiny_ctx *t, int where) {
  float numbers[64 * 32];
  for (int i = 0; i < 64 * 32; i++) numbers[i] = sinf((float)i);
  tiny_use_device(t, where);
  tiny_tensor *x = tiny_from(t, numbers, TINY_F32, TINY_SHAPE(4, 64));
  tiny_tensor *w = tiny_from(t, numbers, TINY_F32, TINY_SHAPE(64, 32));
  tiny_tensor *b = tiny_from(t, numbers, TINY_F32, TINY_SHAPE(32));
  return tiny_relu(tiny_add(tiny_matmul(x, w), b));
}

int main(void) {
  cpu = tiny_backend_named("CPU");
  tiny_backend mine = *cpu;
  mine.name = "mine";
  mine.open = mine_open;
  mine.alloc = mine_alloc;
  mine.free = mine_free;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "mine,CPU", .backends = {&mine}});
  tiny_tensor *apart = tiny_sub(tiny_to(layer(t, 0), 1), layer(t, 1));
  double error = tiny_item(tiny_amax(tiny_abs(apart), TINY_ALL, 0));
  printf("held %zu\nerror %g\n", held, error);
  return tiny_finish(t);
}
