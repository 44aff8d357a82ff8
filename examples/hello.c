// hello: a lazy graph, compiled for this machine when its result is read.
//   cc -std=c11 -I. examples/hello.c -o hello -lm -lpthread
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>

int main(void) {
  static float out[512 * 10];
  tiny_ctx *t = tiny_open(NULL);                              // default device, all defaults
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(512, 784));
  tiny_tensor *w = tiny_rand(t, TINY_SHAPE(784, 10));
  tiny_tensor *y = tiny_softmax(tiny_matmul(x, w), -1);       // nothing has run yet
  tiny_read(y, out, sizeof out);                              // compiles, runs, copies
  printf("on %s: %.4f %.4f %.4f ..\n", tiny_device_name(t, 0), out[0], out[1], out[2]);
  return tiny_finish(t);                                      // tells what went wrong, if anything did
}
