// frames: particles that follow the mouse, as a program that is captured once and runs 600 times.
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  const double dt = 1.0 / 60;
  float at[2] = {0, 0};
  tiny_tensor *across = tiny_linspace(t, -1, 1, 10000, TINY_F32);
  tiny_tensor *position = tiny_stack(TINY_ARRAY(across, tiny_zeros_like(across)), 1);
  tiny_tensor *velocity = tiny_zeros_like(position);
  tiny_tensor *mouse = tiny_from(t, at, TINY_F32, TINY_SHAPE(2)), *mean;
  tiny_realize(TINY_ARRAY(position, velocity));

  tiny_begin(t);
  tiny_tensor *pull = tiny_mul_scalar(tiny_sub(mouse, position), dt);
  tiny_assign(velocity, tiny_mul_scalar(tiny_add(velocity, pull), 0.99));
  tiny_assign(position, tiny_add(position, tiny_mul_scalar(velocity, dt)));
  mean = tiny_mean(position, 0, 0);
  tiny_program *frame = tiny_capture(t, &mouse, 1, &mean, 1);
  tiny_end(t);

  struct timespec start, end;
  timespec_get(&start, TIME_UTC);
  for (int f = 0; f < 600; f++) {
    tiny_begin(t);
    mouse = tiny_from(t, (float[]){cosf(f / 50.0f), sinf(f / 50.0f)}, TINY_F32, TINY_SHAPE(2));
    tiny_run(frame, &mouse, &mean);
    tiny_read(mean, at, sizeof at);
    if (tiny_end(t) != TINY_OK) break;
  }
  timespec_get(&end, TIME_UTC);
  double ms =
      1e3 * (double)(end.tv_sec - start.tv_sec) + 1e-6 * (double)(end.tv_nsec - start.tv_nsec);

  printf("mean %.4f %.4f\nframe %.3f\n", at[0], at[1], ms / 600);
  return tiny_finish(t);
}
