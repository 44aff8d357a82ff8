// kernel: x > 0 ? x : 0.1 x x as a kernel of one's own, in C and in the IR.
#include "tiny.h"
#include <stdio.h>

static const char source[] =
    "void bend(void *const *mem, const long long *args, long long task) {\n"
    "  float *y = mem[0], *x = mem[1];\n"
    "  for (int i = 0; i < 1000; i++) y[i] = x[i] > 0 ? x[i] : 0.1f * x[i] * x[i];\n"
    "}\n";
static const char ir[] = "i = (RANGE:1:loop 1000)\n"
                         "x = (LOAD (INDEX (PARAM:f32:1 1000) i))\n"
                         "y = (WHERE (LT 0:f32 x) x (MUL 0.1:f32 (MUL x x)))\n"
                         "(SINK (END (STORE (INDEX (PARAM:f32:0 1000) i) y) i))";

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = tiny_mul_scalar(tiny_linspace(t, -1, 1, 1000, TINY_F32), 2);
  tiny_kernel_desc c = {.name = "bend", .source = source, .inputs = TINY_ARRAY(x)};
  printf("source %.2f\n", tiny_item(tiny_sum(tiny_kernel(t, &c), TINY_ALL, 0)));
  tiny_kernel_desc uops = {.uops = tiny_uop_parse(t, ir), .inputs = TINY_ARRAY(x)};
  printf("ir %.2f\n", tiny_item(tiny_sum(tiny_kernel(t, &uops), TINY_ALL, 0)));
  return tiny_finish(t);
}
