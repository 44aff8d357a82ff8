// levels: one sum at every level there is, from a tensor down to a kernel written by hand in the IR.
//   cc -std=c11 -I. examples/levels.c -o levels -lm -lpthread
//
// All levels give tensors: they join graphs, they are compiled, cached, counted and timed alike.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>

enum { N = 1 << 22, PARTS = 64, PART = N / PARTS, ROUNDS = 10 };

// 1. A tensor: the library writes the kernels, cuts them into tasks and gives them lanes.
static tiny_tensor *sum_of_tensor(tiny_ctx *t, tiny_tensor *x) {
  (void)t;
  return tiny_sum(x, TINY_ALL, 0);
}

// 2. A kernel in C, as the CPU device calls it: mem[0] is the output, mem[1] the input, task the work group.
// Each task sums a part, in 16 running sums that the compiler keeps in a vector; tiny_sum adds the parts up.
static const char part_sum[] =
  "void part_sum(void *const *mem, const long long *args, long long task, char *restrict local) {\n"
  "  const float *x = (const float *)mem[1] + task * 65536;\n"
  "  float sum[16] = {0}, whole = 0;\n"
  "  for (int i = 0; i < 65536; i += 16) for (int lane = 0; lane < 16; lane++) sum[lane] += x[i + lane];\n"
  "  for (int lane = 0; lane < 16; lane++) whole += sum[lane];\n"
  "  ((float *)mem[0])[task] = whole;\n"
  "}\n";
_Static_assert(PART == 65536, "the source says it in digits");

static tiny_tensor *sum_of_source(tiny_ctx *t, tiny_tensor *x) {
  const tiny_kernel_desc parts = {
    .name = "part_sum", .source = part_sum, .inputs = &x, .n = 1,
    .shape = TINY_SHAPE(PARTS), .dtype = TINY_F32, .global = {PARTS}
  };
  return tiny_sum(tiny_kernel(t, &parts), TINY_ALL, 0);
}

// 3. A kernel in the IR, in the notation that TINY_DEBUG=i prints. PARAM 0 is the output, PARAM 1 the input.
// It only says what is computed: the library chooses which ranges become tasks, lanes and copies, as above.
static const char part_sum_uops[] =
  "part = (RANGE:1:loop 64)\n"
  "i    = (RANGE:2:reduce 65536)\n"
  "x    = (LOAD (INDEX (PARAM:f32:1 4194304) (ADD (MUL part 65536) i)))\n"
  "to   = (INDEX (PARAM:f32:0 64) part)\n"
  "(SINK (END (STORE to (REDUCE:ADD x i)) part))";
_Static_assert(PARTS == 64 && N == 4194304, "the text says it in digits");

static tiny_tensor *sum_of_uops(tiny_ctx *t, tiny_tensor *x) {
  const tiny_kernel_desc parts = {
    .uops = tiny_uop_parse(t, part_sum_uops), .inputs = &x, .n = 1,
    .shape = TINY_SHAPE(PARTS), .dtype = TINY_F32
  };
  return tiny_sum(tiny_kernel(t, &parts), TINY_ALL, 0);
}

typedef struct level { const char *name; tiny_tensor *(*sum)(tiny_ctx *t, tiny_tensor *x); } level;
static const level levels[] = {
  {"tensor", sum_of_tensor}, {"C source", sum_of_source}, {"UOps", sum_of_uops}
};

static double seconds(void) { return 1e-9 * (double)tiny_now_ns(); }

// The graph is captured once, which plans and compiles it, and runs ROUNDS times. *best: seconds of the best.
static double run(tiny_ctx *t, const level *l, tiny_tensor *x, double *best) {
  tiny_tensor *y = l->sum(t, x), *out;
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  double sum = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const double start = seconds();
    tiny_begin(t);
    if (tiny_run(p, &x, &out) == TINY_OK) sum = tiny_item(out);
    tiny_end(t);
    const double spent = seconds() - start;
    if (i == 0 || spent < *best) *best = spent;
  }
  tiny_program_free(p);
  return sum;
}

int main(void) {
  static float data[N];
  double expected = 0;
  int wrong = 0;
  for (int i = 0; i < N; i++) expected += data[i] = (float)(i % 7 - 2);    // any partial sum is exact in f32
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(N));
  printf("sum of %d floats on %s, %.0f expected\n", (int)N, tiny_device_name(t, 0), expected);
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    double best = 0;
    const double sum = run(t, &levels[i], x, &best);
    const char *name = levels[i].name;
    if (tiny_status(t) != TINY_OK) printf("  %-10s %s\n", name, tiny_error(t));
    else printf("  %-10s %12.0f   %8.3f ms   %6.2f GB/s\n", name, sum, best * 1e3, sizeof data / best * 1e-9);
    wrong += sum != expected;
    tiny_clear(t);
  }
  tiny_close(t);
  return wrong != 0;
}
