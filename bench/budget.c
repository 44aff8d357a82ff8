// budget: frames of a game in which a network runs for so many milliseconds: by how much tiny_run_for goes beyond.
//
//     make bench-budget FRAMES=10000                        the network takes 25 ms, a frame leaves it 4
//     build/bench/budget 10000 25 4 2 1                     frames, ms of the network, of a frame's budget, of what the
//                                                           game does meanwhile (it sleeps), threads (0: all cores)
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 64, WIDTH = 512, MOST_LAYERS = 512 };

static void pause_ms(double ms) {
  const struct timespec time = {0, (long)(ms * 1e6)};
  if (ms > 0) nanosleep(&time, NULL);
}

// A network of n layers that are products, activations and norms; x is its input.
static tiny_program *network(tiny_ctx *t, int n, tiny_tensor **x) {
  static tiny_tensor *w[MOST_LAYERS];
  for (int i = 0; i < n; i++) w[i] = numbers_tensor(t, TINY_SHAPE(WIDTH, WIDTH), (uint32_t)i, 0.1f, 0);
  *x = numbers_tensor(t, TINY_SHAPE(ROWS, WIDTH), 999, 1, 0);
  tiny_tensor *y = *x;
  for (int i = 0; i < n; i++) y = tiny_layer_norm(tiny_gelu(tiny_matmul(y, w[i])), 1, NULL, NULL, 0);
  y = tiny_softmax(y, -1);
  return tiny_capture(t, x, 1, &y, 1);
}
static double whole_ms(tiny_program *p, tiny_tensor *x, int times) {
  double best = 1e9;
  for (int i = 0; i < times; i++) {
    tiny_tensor *y;
    const double from = (double)tiny_now_ns() * 1e-6;
    if (tiny_run(p, &x, &y) != TINY_OK) return 0;
    const double ms = (double)tiny_now_ns() * 1e-6 - from;
    if (ms < best) best = ms;
    tiny_free(y);
  }
  return best;
}
static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  const int frames = argc > 1 ? atoi(argv[1]) : 10000, threads = argc > 5 ? atoi(argv[5]) : 0;
  const double wanted = argc > 2 ? atof(argv[2]) : 25, budget = argc > 3 ? atof(argv[3]) : 4;
  const double rest = argc > 4 ? atof(argv[4]) : 2;
  tiny_ctx *t = tiny_open(&(tiny_desc){.threads = threads, .seed = 1});
  tiny_tensor *x, *y;
  tiny_program *p = network(t, 8, &x);
  const double each = whole_ms(p, x, 20) / 8;
  const int layers = each > 0 && wanted / each < MOST_LAYERS ? (int)(wanted / each + 0.5) : MOST_LAYERS;
  tiny_program_free(p);
  p = network(t, layers > 0 ? layers : 1, &x);
  const double whole = whole_ms(p, x, 20);
  double *over = (double *)malloc((size_t)frames * sizeof *over), spent = 0, within = 0;
  int runs = 0;
  for (int i = 0; i < frames && over; i++) {
    const double from = (double)tiny_now_ns() * 1e-6;
    const tiny_code code = tiny_run_for(p, &x, &y, (uint64_t)(budget * 1e6));
    const double ms = (double)tiny_now_ns() * 1e-6 - from;
    if (code == TINY_OK) { runs++; tiny_free(y); }
    else if (code != TINY_MORE) return tiny_finish(t);
    over[i] = ms - budget;
    spent += ms;
    within += ms <= budget;
    pause_ms(rest);
  }
  if (!over || !frames) return 1;
  qsort(over, (size_t)frames, sizeof *over, by_value);
  printf("network of %d layers, %d kernels: whole %.2f ms; %d frames of %.2f ms: %d runs, %.2f ms each\n",
         layers, tiny_program_kernel_count(p), whole, frames, budget, runs, runs ? spent / runs : 0);
  printf("over budget: median %+.3f ms, 90 %% %+.3f, 99 %% %+.3f, 99.9 %% %+.3f, most %+.3f; "
         "%.1f %% of frames within\n",
         over[frames / 2], over[(int)(frames * 0.9)], over[(int)(frames * 0.99)],
         over[(int)(frames * 0.999)], over[frames - 1], 100 * within / frames);
  free(over);
  return tiny_finish(t);
}
