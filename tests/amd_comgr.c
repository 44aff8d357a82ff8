// amd_comgr: HIP C by COMGR on GPUs that are played, for tests/test_amd.sh: `amd_comgr gfx1100 gfx942`, with
// tests/mock_comgr.c's library where the system's loader finds it (LD_LIBRARY_PATH). Prints what is wrong, and "all is
// well".
#define _GNU_SOURCE
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_amd.h"
#include "tests/amd_mock.c"
#include "tests/amd_run.h"
#include <stdio.h>

static int failed;
static char logged[400];                   // what the log says of the compiler
static void heard(void *user, const char *line) {
  (void)user;
  if (strstr(line, "HIP C is compiled by")) snprintf(logged, sizeof logged, "%s", line);
}
static void check(int good, const char *what, const char *said) {
  if (good) return;
  failed++;
  printf("wrong: %s: %s\n", what, said);
}

static const char doubles[] =
  "extern \"C\" __attribute__((global)) void twice(float *out, const float *in) {\n"
  "  const unsigned i = __builtin_amdgcn_workgroup_id_x();\n"
  "  out[i] = in[i] + in[i];\n"
  "}\n";
static const char nonsense[] =
  "extern \"C\" __attribute__((global)) void twice(float *out, const float *in) { out[0] = in[0] + nobody; }\n";

typedef struct play { amd_mock *m; tiny_ctx *t; } play;
static play play_on(amd_mock_gpu gpu, const char *compiler) {
  const amd_mock_desc d = {.gpu = gpu, .run = amd_run};
  play p;
  logged[0] = 0;
  p.m = amd_mock_new(&d);
  p.t = tiny_open(&(tiny_desc){.device = tiny_amd_on(amd_mock_system(p.m), 0).text, .backends = {&tiny_amd},
                               .cache_dir = "", .debug = "p", .log = {heard, NULL}, .compiler = compiler});
  return p;
}
static void play_end(play *p) {
  tiny_close(p->t);
  const char *const wrong = amd_mock_complaint(p->m);
  check(!wrong && !amd_mock_leaks(p->m), "the GPU", wrong ? wrong : "something is left");
  amd_mock_free(p->m);
}
static tiny_tensor *kernel(tiny_ctx *t, const char *source, tiny_tensor **x) {
  return tiny_kernel(t, &(tiny_kernel_desc){.name = "twice", .source = source, .inputs = x, .n = 1,
                                            .shape = TINY_SHAPE(3), .dtype = TINY_F32, .global = {3}, .local = {1}});
}
// A kernel of the program's own and one of the library's; `text`: what is said, "": all is right.
static void run(amd_mock_gpu gpu, const char *compiler, const char *source, const char *text) {
  static const float data[3] = {1, -2, 3.5f};
  float got[3] = {0};
  play p = play_on(gpu, compiler);
  tiny_tensor *x = tiny_from(p.t, data, TINY_F32, TINY_SHAPE(3)), *y = kernel(p.t, source, &x);
  tiny_read(tiny_mul(y, y), got, sizeof got);
  if (*text) check(tiny_status(p.t) == TINY_E_COMPILE && strstr(tiny_error(p.t), text), text, tiny_error(p.t));
  else {
    check(tiny_status(p.t) == TINY_OK, "a kernel runs", tiny_error(p.t));
    for (int i = 0; i < 3; i++) check(got[i] == 4 * data[i] * data[i], "a value", "is another");
  }
  play_end(&p);
}

// Its numbers are those of version 2, and of 3.
static void test_versions(int n, char **names) {
  static const char *const gpus[AMD_MOCK_GPUS] = {"gfx1100", "gfx1201", "gfx942"}, *const majors[] = {"2", "3"};
  for (int i = 0; i < 2; i++) {
    setenv("MOCK_COMGR_MAJOR", majors[i], 1);
    for (int k = 0; k < n * AMD_MOCK_GPUS; k++)
      if (!strcmp(names[k / AMD_MOCK_GPUS], gpus[k % AMD_MOCK_GPUS]))
        run((amd_mock_gpu)(k % AMD_MOCK_GPUS), "comgr", doubles, "");
    check(strstr(logged, i ? "HIP C is compiled by COMGR 3.0" : "HIP C is compiled by COMGR 2.8") != NULL, "the log",
          logged);
  }
}
// Which compiler it is.
static void test_choice(void) {
  setenv("TINY_AMD_CLANG", "/nowhere/clang", 1);           // no clang: COMGR is taken
  run(AMD_MOCK_GFX1100, NULL, doubles, "");
  check(strstr(logged, "COMGR") != NULL, "no clang", logged);
  unsetenv("TINY_AMD_CLANG");
  run(AMD_MOCK_GFX1100, NULL, doubles, "");                // a clang: it is that
  check(strstr(logged, "clang") != NULL, "a clang", logged);
  run(AMD_MOCK_GFX1100, "libamd_comgr.so.2", doubles, "");
}
static void test_refusals(void) {
  run(AMD_MOCK_GFX1100, "comgr", nonsense, "a kernel is not compiled for gfx1100: ");
  run(AMD_MOCK_GFX1100, "comgr", nonsense, "error: use of undeclared identifier 'nobody'");
  run(AMD_MOCK_GFX1100, "/nowhere/comgr.so", doubles, "by COMGR, and there is no /nowhere/comgr.so: install ROCm's");
  setenv("MOCK_COMGR_UNKNOWN", "gfx1201", 1);
  run(AMD_MOCK_GFX1201, "comgr", doubles, "COMGR 3.0 does not know it: install a newer ROCm's");
  setenv("MOCK_COMGR_MAJOR", "4", 1);
  run(AMD_MOCK_GFX1100, "comgr", doubles, "which is of version 4 here, and 2 and 3 are known");
  setenv("MOCK_COMGR_MAJOR", "2", 1);
  setenv("TINY_AMD_COMGR", "libm.so.6", 1);
  run(AMD_MOCK_GFX1100, "comgr", doubles, "HIP C is to be compiled by COMGR, which ");
  setenv("TINY_AMD_COMGR", "/nowhere/comgr", 1);
  run(AMD_MOCK_GFX1100, "comgr", doubles, "there is no /nowhere/comgr: install ROCm's (amd-comgr), or name the file");
  unsetenv("TINY_AMD_COMGR");
}
static void test_no_memory(void) {
  for (int i = 1; i <= 19; i++) {                          // each call in turn is refused: nothing is left
    char number[20];
    snprintf(number, sizeof number, "%d", i);
    setenv("MOCK_COMGR_FAIL", number, 1);
    run(AMD_MOCK_GFX1100, "comgr", doubles, "COMGR 2.8: ");
  }
  unsetenv("MOCK_COMGR_FAIL");
}

int main(int argc, char **argv) {
  test_versions(argc - 1, argv + 1);
  test_choice();
  test_refusals();
  test_no_memory();
  if (!failed) printf("all is well\n");
  return failed != 0;
}
