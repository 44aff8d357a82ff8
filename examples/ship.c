// ship: a network is trained here, and saved as a program that runs elsewhere: shipped.c loads it.
//   cc -std=c11 -I. examples/ship.c -o ship -lm -lpthread
//   ./ship [FILE]
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>

enum { POINTS = 256, HIDDEN = 32 };

// (N,2) -> (N,1): is a point within the ring?
static tiny_tensor *network(tiny_tensor *x, tiny_tensor *const *w) {
  return tiny_sigmoid(tiny_linear(tiny_tanh(tiny_linear(x, w[0], w[1])), w[2], w[3]));
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "ring.tiny";
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  tiny_optim adam = {.kind = TINY_ADAM, .lr = 0.02};
  tiny_tensor *w[4] = {tiny_randn(t, TINY_SHAPE(HIDDEN, 2)), tiny_zeros(t, TINY_F32, TINY_SHAPE(HIDDEN)),
                       tiny_mul_scalar(tiny_randn(t, TINY_SHAPE(1, HIDDEN)), 0.2),
                       tiny_zeros(t, TINY_F32, TINY_SHAPE(1))};
  float loss = 0;
  for (int step = 0; step < 1200 && tiny_status(t) == TINY_OK; step++) {
    tiny_begin(t);
    tiny_tensor *x = tiny_uniform(t, -1, 1, TINY_F32, TINY_SHAPE(POINTS, 2)), *g[4];
    tiny_tensor *r = tiny_sum(tiny_square(x), 1, 1);                       // (POINTS,1)
    tiny_tensor *inner = tiny_gt(r, tiny_like(r, 0.15)), *outer = tiny_lt(r, tiny_like(r, 0.6));
    tiny_tensor *within = tiny_cast(tiny_logical_and(inner, outer), TINY_F32);
    tiny_tensor *miss = tiny_mean(tiny_square(tiny_sub(network(x, w), within)), TINY_ALL, 0);
    tiny_grad(miss, w, 4, g);
    tiny_optim_step(&adam, w, g, 4);
    if (step % 300 == 299) { tiny_read(miss, &loss, sizeof loss); printf("step %d: loss %.3f\n", step + 1, loss); }
    tiny_end(t);
  }
  // What is saved is the program: 24 x 48 points, from the corner that it is given, are asked.
  tiny_tensor *points = tiny_zeros(t, TINY_F32, TINY_SHAPE(24 * 48, 2));
  tiny_realize(&points, 1);
  tiny_tensor *answer = network(points, w);
  tiny_program *p = tiny_capture(t, &points, 1, &answer, 1);
  const char *const names[] = {"up", "up.bias", "down", "down.bias"};
  tiny_program_save(p, path, &(tiny_ship_desc){.levels = "all", .names = names, .tensors = w, .n = 4});
  if (tiny_status(t) == TINY_OK) printf("%s is saved: run shipped %s\n", path, path);
  tiny_optim_free(&adam);
  return tiny_finish(t);
}
