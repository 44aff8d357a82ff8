// amd_test: kernels for AMD GPUs, of assembly or of OpenCL C, by clang, on the emulator of amd_emulator.h.
#ifndef AMD_TEST_H
#define AMD_TEST_H
#include "../src/all.c"
#include "amd_emulate.c"
#include "amd_object.h"
#include "test.h"

// ** clang, for gfx1100, gfx1201, gfx942 **

enum { AMD_DATA_NBYTES = 1 << 18, AMD_KERNARG_NBYTES = 512 };
// "": there is none that knows the targets (17 or later, which knows gfx942).
static char amd_clang[300];
static int amd_has_clang(tiny_ctx *t) {
  char name[20];
  for (int version = 25; version >= 17 && !*amd_clang; version--) {
    snprintf(name, sizeof name, "clang-%d", version);
    if (!tn_os_find_program(name, 0, amd_clang, sizeof amd_clang)) *amd_clang = 0;
  }
  (void)t;
  return *amd_clang != 0;
}
// Of the language, "assembler" or "cl". 0: it failed, and has said why.
static int amd_compile(tiny_ctx *t, int chip, int lanes, const char *language, const char *text, tiny_bytes *object) {
  char cpu[20];
  snprintf(cpu, sizeof cpu, "-mcpu=gfx%d", chip);
  const char *const argv[] = {amd_clang, "-x", language, strcmp(language, "cl") ? "-w" : "-cl-std=CL2.0",
    "--target=amdgcn-amd-amdhsa", cpu, "-nogpulib", "-O3", "-w",
    lanes == 64 && chip != 942 ? "-mwavefrontsize64" : "-w",
    "-cl-fp32-correctly-rounded-divide-sqrt", "-c", "-", "-o",
    "-", NULL};
  const char *const plain[] = {amd_clang, "-x", language, "--target=amdgcn-amd-amdhsa", cpu, "-c", "-",
    "-o", "-", NULL};
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = strcmp(language, "cl") ? plain : argv;
  job.input = text; job.input_nbytes = strlen(text);
  tn_process_run(t, &job, 1, 1);
  *object = job.out;
  if (job.exit_code) fprintf(stderr, "%.4000s\n", job.err.data);
  return job.exit_code == 0;
}

// ** a run **

typedef struct amd_memory {
  unsigned char code[AMD_CODE_NBYTES], data[AMD_DATA_NBYTES], kernarg[AMD_KERNARG_NBYTES];
} amd_memory;
static union { amd_memory m; char aligned[1]; } amd_space __attribute__((aligned(4096)));
static amd_report report;

// The dispatch's ranges: code and arguments to read, data to write.
static void amd_ranges(amd_dispatch *d, amd_range range[3]) {
  range[0] = (amd_range){(uint64_t)(uintptr_t)amd_space.m.code, AMD_CODE_NBYTES, 0};
  range[1] = (amd_range){(uint64_t)(uintptr_t)amd_space.m.data, AMD_DATA_NBYTES, 1};
  range[2] = (amd_range){(uint64_t)(uintptr_t)amd_space.m.kernarg, AMD_KERNARG_NBYTES, 0};
  d->range = range; d->nranges = 3;
  d->kernarg = range[2].address;
}
#endif
