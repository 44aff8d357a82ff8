// saxpy_nv: y = a x + y on an NVIDIA GPU, from machine code to a result, step by step and timed: the kernel driver is
// all that is used, no libcuda, no toolkit, and nothing of the compiler. The steps are the functions of tiny_backend, as
// the library itself calls them.
//
//   cc -std=c11 -I. examples/saxpy_nv.c -o saxpy_nv -lm -lpthread && ./saxpy_nv saxpy.cubin
//
// The file is what `ptxas -arch=sm_90a saxpy.ptx -o saxpy.cubin` makes of the text below, for the GPU that is there
// (nvinfo.c tells). Without a file the text is assembled, where there is an assembler.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_nv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char saxpy_ptx[] =
  ".version 6.3\n.target sm_75\n.address_size 64\n"
  ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .u64 a) {\n"
  "  .reg .b64 %rd<7>; .reg .b32 %r<5>; .reg .f32 %f<5>;\n"
  "  ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x]; ld.param.u64 %rd3, [a];\n"
  "  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;\n"
  "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
  "  mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4;\n"
  "  ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd5];\n"
  "  fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd5], %f4; ret;\n}\n";

enum { N = 1 << 20, ITEMS = 256 };

typedef struct walk { tiny_ctx *t; void *dev; double before; } walk;

static double now_us(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}
static void step(walk *w, const char *what) {
  const double now = now_us();
  printf("%10.1f us  %s\n", now - w->before, what);
  w->before = now_us();
}

// The file, or what an assembler makes of the text. data NULL: neither.
static tiny_bytes machine_code(walk *w, const char *path) {
  tiny_bytes code = {0}, source = {0}, log = {0};
  static char data[1 << 20];
  code.t = source.t = log.t = w->t;
  FILE *in = path ? fopen(path, "rb") : NULL;
  if (in) {
    tiny_bytes_add(&code, data, fread(data, 1, sizeof data, in));
    fclose(in);
  } else if (path) printf("%s cannot be read\n", path);
  else {
    tiny_bytes_add(&source, saxpy_ptx, sizeof saxpy_ptx - 1);
    tiny_nv.compile(w->dev, 1, &source, &code, &log);
  }
  return code;
}

static int saxpy(walk *w, const char *path) {
  static float x[N], y[N];
  const float a = 2.5f;
  uint64_t ns[2] = {0, 0};
  for (int i = 0; i < N; i++) { x[i] = (float)(i % 1000); y[i] = 1; }
  const tiny_bytes code = machine_code(w, path);
  step(w, "the machine code is here");
  void *module = code.data ? tiny_nv.load(w->dev, code.data, code.n) : NULL;
  void *kernel = module ? tiny_nv.find(w->dev, module, "saxpy") : NULL;
  if (!kernel) { printf("there is no kernel saxpy: %s\n", tiny_error(w->t)); return 1; }
  step(w, "it is in the GPU's memory");
  tiny_mem mem[3];
  for (int i = 0; i < 3; i++) mem[i] = (tiny_mem){tiny_nv.alloc(w->dev, i < 2 ? sizeof x : sizeof a), 0};
  if (!mem[0].base || !mem[1].base || !mem[2].base) { printf("no memory: %s\n", tiny_error(w->t)); return 1; }
  step(w, "memory for y, x and a");
  tiny_nv.copy_in(w->dev, mem[0], y, sizeof y);
  tiny_nv.copy_in(w->dev, mem[1], x, sizeof x);
  tiny_nv.copy_in(w->dev, mem[2], &a, sizeof a);
  step(w, "4 MiB each of y and x are on their way");
  tiny_launch launch = {.kernel = kernel, .mem = mem, .nmem = 3, .global = {N / ITEMS, 1, 1}, .local = {ITEMS, 1, 1},
                        .stamp = ns};
  tiny_nv.launch(w->dev, &launch);
  step(w, "the kernel is launched");
  tiny_nv.sync(w->dev);
  step(w, "it has ended");
  tiny_nv.copy_out(w->dev, y, mem[0], sizeof y);
  step(w, "y is back");
  tiny_nv.launch(w->dev, &launch);
  tiny_nv.sync(w->dev);
  step(w, "launched again, and ended");
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += y[i] != a * x[i] + 1;
  printf("on the GPU's clock the kernel took %.1f us; %d of %d values are wrong; y[3] = %.1f\n",
         (double)(ns[1] - ns[0]) * 1e-3, wrong, (int)N, (double)y[3]);
  for (int i = 0; i < 3; i++) tiny_nv.free(w->dev, mem[i].base, i < 2 ? sizeof x : sizeof a);
  tiny_nv.unload(w->dev, module);
  return wrong != 0 || tiny_status(w->t) != TINY_OK;
}

int main(int argc, char **argv) {
  tiny_limits limits = {0};
  walk w = {tiny_open(&(tiny_desc){.device = "CPU"}), NULL, now_us()};
  w.dev = tiny_nv.open(w.t, getenv("NV_GPU") ? getenv("NV_GPU") : "", &limits);
  if (!w.dev) {
    printf("no GPU can be used by NVIDIA's kernel driver: %s\n", tiny_error(w.t));
    tiny_close(w.t);
    return 0;
  }
  step(&w, "the GPU is open");
  printf("               %s, %d SMs\n", tiny_nv.target(w.dev), limits.compute_units);
  const int failed = saxpy(&w, argc > 1 ? argv[1] : NULL);
  if (tiny_status(w.t)) printf("%s\n", tiny_error(w.t));
  tiny_nv.close(w.dev);
  tiny_close(w.t);
  return failed;
}
