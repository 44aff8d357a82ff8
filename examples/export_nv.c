// export_nv: a model's kernels for several NVIDIA GPUs in one file, made on a machine that has none of them, and run
// where there is no assembler of PTX.
//
//   cc -std=c11 -I. examples/export_nv.c -o export_nv -lm -lpthread
//   ./export_nv model.kernels sm_80 sm_90a     writes it (ptxas or nvJitLink must be here)
//   ./export_nv model.kernels                  runs the model on the GPU of this machine
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_nv.h"
#include <stdio.h>

enum { ROWS = 8, IN = 64, HIDDEN = 128, OUT = 10 };

// What the program runs. Where it is exported nothing of it runs.
static tiny_program *model(tiny_ctx *t) {
  tiny_tensor *x = tiny_contiguous(tiny_zeros(t, TINY_F32, TINY_SHAPE(ROWS, IN)));
  tiny_tensor *w0 = tiny_contiguous(tiny_full(t, 0.01, TINY_F32, TINY_SHAPE(IN, HIDDEN))),
              *w1 = tiny_contiguous(tiny_full(t, 0.02, TINY_F32, TINY_SHAPE(HIDDEN, OUT)));
  tiny_realize(TINY_ARRAY(x, w0, w1));
  tiny_tensor *y = tiny_softmax(tiny_matmul(tiny_relu(tiny_matmul(x, w0)), w1), -1);
  return tiny_capture(t, &x, 1, &y, 1);
}
static tiny_code build(tiny_ctx *t, void *user) {
  (void)user;
  return model(t) ? TINY_OK : tiny_status(t);
}
static int export_model(const char *path, const char *const *targets, int n) {
  char error[320];
  const tiny_nv_export_desc e = {.path = path, .targets = targets, .n = n, .build = build};
  if (tiny_nv_export(&e, error, sizeof error) != TINY_OK) return printf("nothing was exported: %s\n", error) < 0;
  printf("%s has the model's kernels for %d targets\n", path, n);
  return 0;
}
static int run_model(const char *path) {
  float data[ROWS * IN], out[ROWS * OUT];
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NV", .backends = {&tiny_nv}, .cache_file = path});
  for (int i = 0; i < ROWS * IN; i++) data[i] = (float)(i % 5);
  tiny_program *p = model(t);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(ROWS, IN));
  if (p) tiny_run(p, &x, &x);
  if (p && tiny_read(x, out, sizeof out) == TINY_OK)
    printf("%.4f, by %d kernels of the file, %d compiled here\n", (double)out[0], (int)tiny_stats_of(t).shipped,
           (int)tiny_stats_of(t).compiled);
  else printf("the model does not run here: %s\n", tiny_error(t));
  tiny_close(t);
  return 0;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "model.kernels";
  return argc > 2 ? export_model(path, (const char *const *)&argv[2], argc - 2) : run_model(path);
}
