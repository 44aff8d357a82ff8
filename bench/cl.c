// cl: what kernels reach on an OpenCL device that is a processor (PoCL), beside the best that a hand wrote for such a
// device in OpenCL C and beside this library's own kernels for the same processor, in one run: make bench-cl.
//   cl [-r ROUNDS]
#define _GNU_SOURCE
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_cl.h"
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
#include "measure.c"

enum { ROWS_N = 2048, COLUMNS_N = 1024 };

// ** by hand: vectors of 16 floats, an item a block of the output, as PoCL gives an item to a core **

// An item has 4 rows of 32 columns of c: 8 sums in registers, 2 vectors of b for 4 numbers of a.
static const char matmul_source[] =
  "#define N %d\n"
  "__kernel void matmul(__global float *c, __global const float *a, __global const float *b) {\n"
  "  const int i = get_global_id(1) * 4, j = get_global_id(0) * 32;\n"
  "  float16 s[4][2];\n"
  "  for (int y = 0; y < 4; y++) s[y][0] = s[y][1] = (float16)(0);\n"
  "  for (int k = 0; k < N; k++) {\n"
  "    const float16 b0 = vload16(0, b + k * N + j), b1 = vload16(1, b + k * N + j);\n"
  "    for (int y = 0; y < 4; y++) {\n"
  "      const float x = a[(i + y) * N + k];\n"
  "      s[y][0] = mad(b0, x, s[y][0]); s[y][1] = mad(b1, x, s[y][1]);\n"
  "    }\n"
  "  }\n"
  "  for (int y = 0; y < 4; y++) {\n"
  "    vstore16(s[y][0], 0, c + (i + y) * N + j); vstore16(s[y][1], 1, c + (i + y) * N + j);\n"
  "  }\n"
  "}\n";
// An item has a row.
static const char softmax_source[] =
  "#define N %d\n"
  "__kernel void softmax(__global float *o, __global const float *x) {\n"
  "  const int row = get_global_id(0);\n"
  "  float16 m = vload16(0, x + row * N), s = (float16)(0);\n"
  "  for (int i = 1; i < N / 16; i++) m = fmax(m, vload16(i, x + row * N));\n"
  "  const float8 m8 = fmax(m.lo, m.hi); const float4 m4 = fmax(m8.lo, m8.hi); const float2 m2 = fmax(m4.lo, m4.hi);\n"
  "  const float most = fmax(m2.x, m2.y);\n"
  "  for (int i = 0; i < N / 16; i++) {\n"
  "    const float16 e = exp(vload16(i, x + row * N) - most);\n"
  "    vstore16(e, i, o + row * N); s += e;\n"
  "  }\n"
  "  const float8 s8 = s.lo + s.hi; const float4 s4 = s8.lo + s8.hi; const float2 s2 = s4.lo + s4.hi;\n"
  "  const float each = 1 / (s2.x + s2.y);\n"
  "  for (int i = 0; i < N / 16; i++) vstore16(vload16(i, o + row * N) * each, i, o + row * N);\n"
  "}\n";
// 64 items have a part each, in four sums of vectors; what they have is added up by the first of a second kernel.
static const char sum_source[] =
  "#define N %d\n"
  "__kernel void parts(__global float *o, __global const float *x) {\n"
  "  const int part = get_global_id(0);\n"
  "  x += part * (N / 64);\n"
  "  float16 s[4] = {(float16)(0), (float16)(0), (float16)(0), (float16)(0)};\n"
  "  for (int i = 0; i < N / 64 / 64; i++) for (int j = 0; j < 4; j++) s[j] += vload16(4 * i + j, x);\n"
  "  const float16 t = s[0] + s[1] + s[2] + s[3]; const float8 t8 = t.lo + t.hi; const float4 t4 = t8.lo + t8.hi;\n"
  "  o[part] = t4.x + t4.y + t4.z + t4.w;\n"
  "}\n"
  "__kernel void whole(__global float *o, __global const float *x) {\n"
  "  float s = 0;\n"
  "  for (int i = 0; i < 64; i++) s += x[i];\n"
  "  o[0] = s;\n"
  "}\n";

static tiny_tensor *by_hand(tiny_ctx *t, const char *source, int64_t size, const char *name, tiny_tensor **in, int n,
                            tiny_shape shape, int64_t columns, int64_t rows, int64_t local) {
  static char text[4096];
  tiny_kernel_desc d;
  snprintf(text, sizeof text, source, (int)size);
  memset(&d, 0, sizeof d);
  d.name = name; d.source = text; d.inputs = in; d.n = n; d.shape = shape; d.dtype = TINY_F32;
  d.global[0] = columns / local; d.global[1] = rows; d.local[0] = local;
  return tiny_kernel(t, &d);
}

// ** what is measured **

typedef struct job { tiny_ctx *t; tiny_program *p; tiny_tensor *in[2]; int n; float *out; } job;
enum { MATMUL, SOFTMAX, SUM, SUBJECTS };
typedef struct subject { const char *name, *unit; int64_t n; double work; } subject;

static double job_run(void *arg) {
  const job *j = arg;
  tiny_tensor *out[1];
  const double start = seconds();
  if (tiny_run(j->p, j->in, out) != TINY_OK || tiny_sync(j->t) != TINY_OK) return HUGE_VAL;
  const double took = seconds() - start;
  tiny_free(out[0]);
  return took;
}
static tiny_tensor *graph_of(int which, job *j) {
  return which == MATMUL ? tiny_matmul(j->in[0], j->in[1]) : which == SOFTMAX ? tiny_softmax(j->in[0], -1) :
      tiny_sum(j->in[0], TINY_ALL, 0);
}
static tiny_tensor *hand_of(int which, job *j, int64_t n) {
  if (which == MATMUL) return by_hand(j->t, matmul_source, n, "matmul", j->in, 2, TINY_SHAPE(n, n), n / 32, n / 4, 1);
  if (which == SOFTMAX)
    return by_hand(j->t, softmax_source, COLUMNS_N, "softmax", j->in, 1, TINY_SHAPE(ROWS_N, COLUMNS_N), ROWS_N, 1, 1);
  tiny_tensor *parts = by_hand(j->t, sum_source, n, "parts", j->in, 1, TINY_SHAPE(64), 64, 1, 1);
  return by_hand(j->t, sum_source, n, "whole", &parts, 1, TINY_SHAPE(), 1, 1, 1);
}
static const float *numbers(int64_t n) {
  float *x = malloc((size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) x[i] = (float)((i * 7919 + 13) % 64 - 32) / 64;    // the same for all
  return x;
}
// Values of its result are in j->out.
static int job_make(job *j, const char *device, int which, int64_t n, int hand) {
  tiny_desc d;
  memset(j, 0, sizeof *j); memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = &tiny_cl;
  j->t = tiny_open(&d);
  const tiny_shape shape = which == MATMUL ? TINY_SHAPE(n, n) :
      which == SOFTMAX ? TINY_SHAPE(ROWS_N, COLUMNS_N) : TINY_SHAPE(n);
  j->n = which == MATMUL ? 2 : 1;
  const float *x = numbers(which == SOFTMAX ? ROWS_N * COLUMNS_N : which == MATMUL ? n * n : n);
  for (int i = 0; i < j->n; i++) j->in[i] = tiny_from(j->t, x, TINY_F32, shape);
  free((void *)x);
  tiny_tensor *y = hand ? hand_of(which, j, n) : graph_of(which, j);
  const size_t nbytes = (size_t)tiny_nelem_of(y) * sizeof(float);
  j->out = malloc(nbytes);
  if (tiny_read(y, j->out, nbytes) != TINY_OK) { printf("  %s\n", tiny_error(j->t)); return 0; }
  y = hand ? hand_of(which, j, n) : graph_of(which, j);
  j->p = tiny_capture(j->t, j->in, j->n, &y, 1);
  if (!j->p) printf("  %s\n", tiny_error(j->t));
  return j->p != NULL;
}
static double furthest(const float *a, const float *b, size_t n) {
  double most_apart = 0;
  for (size_t i = 0; i < n; i++) most_apart = fmax(most_apart, fabs((double)a[i] - b[i]) / fmax(1, fabs((double)b[i])));
  return most_apart;
}

int main(int argc, char **argv) {
  static const subject subjects[] = {
    {"matmul 512", "GFLOP/s", 512, 2e-9 * 512 * 512 * 512}, {"matmul 1024", "GFLOP/s", 1024, 2e-9 * 1024 * 1024 * 1024},
    {"softmax 2048x1024", "GB/s", 0, 8e-9 * ROWS_N * COLUMNS_N}, {"sum of 16 Mi", "GB/s", 1 << 24, 4e-9 * (1 << 24)}};
  static const int which[] = {MATMUL, MATMUL, SOFTMAX, SUM};
  if (argc == 3 && !strcmp(argv[1], "-r")) rounds = atoi(argv[2]);
  printf("%-20s %-8s %9s %9s %9s %9s %9s  %s\n", "", "", "tiny, CL", "by hand", "tiny, CPU", "/ hand", "/ CPU",
         "apart");
  for (int i = 0; i < (int)(sizeof which / sizeof *which); i++) {
    job jobs[3];
    racer racers[3];
    int ok = job_make(&jobs[0], "CL", which[i], subjects[i].n, 0);
    ok &= job_make(&jobs[1], "CL", which[i], subjects[i].n, 1);
    ok &= job_make(&jobs[2], "CPU", which[i], subjects[i].n, 0);
    if (!ok) return 1;
    memset(racers, 0, sizeof racers);
    for (int k = 0; k < 3; k++) { racers[k].run = job_run; racers[k].arg = &jobs[k]; racers[k].foreign = k < 2; }
    race(racers, 3, subjects[i].work);
    const size_t nelem = which[i] == SUM ? 1 : which[i] == SOFTMAX ? ROWS_N * COLUMNS_N :
        (size_t)(subjects[i].n * subjects[i].n);
    printf("%-20s %-8s %9.2f %9.2f %9.2f %9.2f %9.2f  %.1e\n", subjects[i].name, subjects[i].unit,
           median(&racers[0].rate), median(&racers[1].rate), median(&racers[2].rate),
           ratio(&racers[0].rate, &racers[1].rate), ratio(&racers[0].rate, &racers[2].rate),
           fmax(furthest(jobs[0].out, jobs[2].out, nelem), furthest(jobs[1].out, jobs[2].out, nelem)));
    fflush(stdout);
    for (int k = 0; k < 3; k++) {
      tiny_program_free(jobs[k].p);
      free(jobs[k].out);
      tiny_close(jobs[k].t);
    }
  }
  return 0;
}
