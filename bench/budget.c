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
#include <sys/resource.h>
#include <time.h>

enum { ROWS = 64, WIDTH = 512, MOST_LAYERS = 512 };

static void pause_ms(double ms) {
  const struct timespec time = {0, (long)(ms * 1e6)};
  if (ms > 0) nanosleep(&time, NULL);
}

// A network of n layers that are products, activations and norms; x is its input.
static tiny_program *network(tiny_ctx *t, int n, tiny_tensor **x) {
  static tiny_tensor *w[MOST_LAYERS];
  for (int i = 0; i < n; i++)
    if (!w[i]) w[i] = numbers_tensor(t, TINY_SHAPE(WIDTH, WIDTH), (uint32_t)i, 0.1f, 0);
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
// A network of about that many ms: the more layers, the less of their weights is in caches, so that it is found step by
// step. Gives what it takes, in ms.
static tiny_program *network_of(tiny_ctx *t, double wanted, tiny_tensor **x, int *layers, double *whole) {
  tiny_program *p = NULL;
  *layers = 8;
  for (int tries = 0; tries < 6; tries++) {
    tiny_program_free(p);
    p = network(t, *layers, x);
    *whole = whole_ms(p, *x, 20);
    if (*whole <= 0 || (*whole > 0.95 * wanted && *whole < 1.05 * wanted)) break;
    const double next = *layers * wanted / *whole + 0.5;
    if (tries < 5) *layers = next < 1 ? 1 : next < MOST_LAYERS ? (int)next : MOST_LAYERS;
  }
  return p;
}
// How often something else was given a processor that this program was using.
static long interruptions(void) {
  struct rusage used;
  return getrusage(RUSAGE_SELF, &used) ? 0 : used.ru_nivcsw;
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
  double whole;
  int layers, runs = 0, quiet = 0;
  tiny_program *p = network_of(t, wanted, &x, &layers, &whole);
  double *over = (double *)malloc((size_t)frames * sizeof *over), spent = 0, within = 0;
  double *alone = (double *)malloc((size_t)frames * sizeof *alone);          // frames that nothing interrupted
  const double start = (double)tiny_now_ns() * 1e-9;
  for (int i = 0; i < frames && over && alone; i++) {
    const long before = interruptions();
    const double from = (double)tiny_now_ns() * 1e-6;
    const tiny_code code = tiny_run_for(p, &x, &y, (uint64_t)(budget * 1e6));
    const double ms = (double)tiny_now_ns() * 1e-6 - from;
    if (code == TINY_OK) { runs++; tiny_free(y); }
    else if (code != TINY_MORE) return tiny_finish(t);
    over[i] = ms - budget;
    if (interruptions() == before) alone[quiet++] = over[i];
    spent += ms;
    within += ms <= budget;
    pause_ms(rest);
  }
  if (!over || !alone || frames < 1) return 1;
  const double took = (double)tiny_now_ns() * 1e-9 - start;
  qsort(over, (size_t)frames, sizeof *over, by_value);
  qsort(alone, (size_t)quiet, sizeof *alone, by_value);
  printf("network of %d layers, %d kernels: whole %.2f ms (%.2f wanted); %d frames of %.2f ms in %.1f s: %d runs, "
         "%.2f ms each\n",
         layers, tiny_program_kernel_count(p), whole, wanted, frames, budget, took, runs, runs ? spent / runs : 0);
  printf("over budget: median %+.3f ms, 90 %% %+.3f, 99 %% %+.3f, 99.9 %% %+.3f, most %+.3f; "
         "%.1f %% of frames within\n",
         over[frames / 2], over[(int)(frames * 0.9)], over[(int)(frames * 0.99)],
         over[(int)(frames * 0.999)], over[frames - 1], 100 * within / frames);
  printf("of these, %d frames that no other program interrupted", quiet);
  if (quiet) printf(": median %+.3f ms, 90 %% %+.3f, 99 %% %+.3f, most %+.3f", alone[quiet / 2],
                    alone[(int)(quiet * 0.9)], alone[(int)(quiet * 0.99)], alone[quiet - 1]);
  printf("\n");
  free(over);
  free(alone);
  return tiny_finish(t);
}
