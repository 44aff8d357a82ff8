// beam: what a search finds on a device of OpenCL, beside what the heuristics choose: both run in turns, in one
// process, and a ratio is of their least times by the device's clock. Each value is compared with the interpreter's.
// A processor's device is searched twice: as the library takes it, with tasks, and as if it were a GPU, with a grid.
//   build/bench/beam [DEVICE] [WIDTH]      "CL", 1
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_cl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 25, MOST = 1 << 20 };

static tiny_tensor *given(tiny_ctx *t, tiny_shape s) {
  int64_t n = 1;
  for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
  float *x = (float *)malloc((size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) x[i] = (float)(i * 7 % 11) / 5 - 1;
  tiny_tensor *y = tiny_from(t, x, TINY_F32, s);
  free(x);
  return y;
}
static tiny_tensor *matmul(tiny_ctx *t) {
  return tiny_matmul(given(t, TINY_SHAPE(384, 384)), given(t, TINY_SHAPE(384, 384)));
}
static tiny_tensor *row_sums(tiny_ctx *t) { return tiny_sum(given(t, TINY_SHAPE(1024, 1024)), 1, 0); }
static tiny_tensor *column_sums(tiny_ctx *t) { return tiny_sum(given(t, TINY_SHAPE(1024, 1024)), 0, 0); }
static tiny_tensor *transpose(tiny_ctx *t) {
  return tiny_contiguous(tiny_transpose(given(t, TINY_SHAPE(1024, 1000)), 0, 1));
}
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(given(t, TINY_SHAPE(512, 512)), -1); }
static tiny_tensor *gelu(tiny_ctx *t) { return tiny_gelu(given(t, TINY_SHAPE(1 << 19))); }
static tiny_tensor *conv(tiny_ctx *t) {
  return tiny_conv2d(given(t, TINY_SHAPE(2, 16, 32, 32)), given(t, TINY_SHAPE(32, 16, 3, 3)), NULL, NULL);
}
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); } subjects[] = {
  {"matmul 384", matmul}, {"sum of rows 1024", row_sums}, {"sum of columns 1024", column_sums},
  {"transpose 1024x1000", transpose}, {"softmax 512x512", softmax}, {"gelu 2^19", gelu}, {"conv 3x3 16 32x32", conv}};

// The same device with groups of items.
static void *grid_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  void *dev = tiny_cl.open(t, which, limits);
  limits->threads = limits->vector_nbytes = limits->vector_registers = 0;
  return dev;
}

typedef struct side { tiny_ctx *t; tiny_program *p; double ns, prepared_s; } side;

static void side_open(side *s, const tiny_backend *backend, const char *device, int beam,
                      tiny_tensor *(*make)(tiny_ctx *t)) {
  const uint64_t from = tiny_now_ns();
  s->ns = HUGE_VAL;
  s->t = tiny_open(&(tiny_desc){.device = device, .backends = {backend}, .cache_dir = "", .beam = beam});
  tiny_tensor *y = make(s->t);
  s->p = tiny_capture(s->t, NULL, 0, &y, 1);
  s->prepared_s = (double)(tiny_now_ns() - from) * 1e-9;
  tiny_profile_begin(s->t);
}
static void side_run(side *s, float *out, size_t nbytes) {
  tiny_tensor *y;
  const uint64_t before = tiny_stats_of(s->t).device_ns;
  if (tiny_run(s->p, NULL, &y) != TINY_OK) return;
  if (out) tiny_read(y, out, nbytes);
  tiny_profile_end(s->t);                  // what ran is told
  const double ns = (double)(tiny_stats_of(s->t).device_ns - before);
  tiny_profile_begin(s->t);
  tiny_free(y);
  if (ns > 0 && ns < s->ns) s->ns = ns;
}

// 1: something went wrong.
static int searched(const tiny_backend *backend, const char *device, int width) {
  static float want[MOST], got[MOST];
  int wrong = 0;
  printf("%-22s %12s %12s %8s %10s %8s\n", "kernel", "heuristics", "found", "ratio", "candidates", "search");
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    side s[2];
    double most = 0;
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
    tiny_tensor *y = subjects[i].make(t);
    const size_t n = (size_t)tiny_nelem_of(y);
    tiny_read(y, want, n * sizeof *want);
    tiny_close(t);
    for (int k = 0; k < 2; k++) side_open(&s[k], backend, device, k ? width : -1, subjects[i].make);
    for (int run = 0; run < RUNS; run++) for (int k = 0; k < 2; k++) side_run(&s[k], NULL, 0);
    side_run(&s[1], got, n * sizeof *got);
    for (size_t j = 0; j < n; j++) most = fmax(most, fabs((double)got[j] - want[j]) / (1 + fabs((double)want[j])));
    for (int k = 0; k < 2; k++) if (tiny_status(s[k].t) != TINY_OK) { printf("%s\n", tiny_error(s[k].t)); wrong = 1; }
    if (!(most < 1e-4)) { printf("%s: other values, by %g\n", subjects[i].name, most); wrong = 1; }
    printf("%-22s %9.1f us %9.1f us %8.2f %10llu %6.1f s\n", subjects[i].name, s[0].ns * 1e-3, s[1].ns * 1e-3,
           s[0].ns / s[1].ns, (unsigned long long)tiny_stats_of(s[1].t).timed, s[1].prepared_s);
    fflush(stdout);
    for (int k = 0; k < 2; k++) tiny_close(s[k].t);
  }
  return wrong;
}

int main(int argc, char **argv) {
  const char *device = argc > 1 ? argv[1] : "CL";
  const int width = argc > 2 ? atoi(argv[2]) : 1;
  tiny_backend grid = tiny_cl;
  grid.open = grid_open;
  printf("%s as it is\n", device);
  int wrong = searched(&tiny_cl, device, width);
  printf("\n%s as a grid\n", device);
  return searched(&grid, device, width) || wrong;
}
