// frames: particles that follow the mouse, as a step that is captured once and runs 600 times.
#include "tiny.h"
#include <math.h>
#include <stdio.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  const double dt = 1.0 / 60;
  float at[2] = {0, 0};
  tiny_tensor *across = tiny_linspace(t, -1, 1, 10000, TINY_F32);
  tiny_tensor *position = tiny_stack(TINY_ARRAY(across, tiny_zeros_like(across)), 1);
  tiny_tensor *velocity = tiny_zeros_like(position);
  tiny_tensor *mouse = tiny_from(t, at, TINY_F32, TINY_SHAPE(2)), *mean = tiny_zeros_like(mouse);
  tiny_realize(TINY_ARRAY(position, velocity, mean));

  tiny_begin(t);
  tiny_tensor *pull = tiny_mul_scalar(tiny_sub(mouse, position), dt);
  tiny_assign(velocity, tiny_mul_scalar(tiny_add(velocity, pull), 0.99));
  tiny_assign(position, tiny_add(position, tiny_mul_scalar(velocity, dt)));
  tiny_assign(mean, tiny_mean(position, 0, 0));
  tiny_program *frame = tiny_capture(t, NULL, 0, NULL, 0);
  tiny_end(t);

  const uint64_t start = tiny_now_ns();
  for (int f = 0; f < 600; f++) {
    at[0] = cosf(f / 50.0f), at[1] = sinf(f / 50.0f);
    tiny_write(mouse, at, sizeof at);
    tiny_run(frame, NULL, NULL);
    tiny_read(mean, at, sizeof at);
  }
  printf("mean %.4f %.4f\nframe %.3f\n", at[0], at[1], (double)(tiny_now_ns() - start) / 600e6);
  return tiny_finish(t);
}
