// bench: every figure that the library is measured by, from one run and next to what it is compared with.
//   make bench                   all sections; the same numbers as build/bench.json, and a chart, build/bench.svg
//   make bench SECTIONS=rm       some of them, by the letters of the table at the end
//   build/bench/bench [-q] [-k TEXT] [-2] [SECTIONS]      -q: fewer rounds; -k: only rows whose name contains TEXT;
//                                                         -2: all as on a processor with AVX2 and nothing wider
//
// What it compares with, `tools/setup.sh bench` installs. The last full run is kept in results.md.
//
// What is compared runs in turn, round by round, so that a busy machine is busy for both. A row's figure is
// the median of its rounds, a ratio the median of the rounds' ratios; the best round stands beside it.
// References that are not installed (OpenBLAS, oneDNN, PyTorch) are named and left out.
#define _GNU_SOURCE
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "hand.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
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

static char *self;                           // the path of this program
static const char *device = "CPU";

#include "measure.c"
#include "limits.c"
#include "matmul.c"
#include "torch.c"
#include "latency.c"
#include "bandwidth.c"
#include "onednn.c"
#include "rows.c"
#include "linalg.c"
#include "narrow.c"
#include "networks.c"
#include "moves.c"
#include "attention.c"
#include "transformer.c"
#include "training.c"
#include "digits.c"
#include "lengths.c"

static const struct { char letter; void (*run)(void); } sections[] = {
  {'l', bench_lowering}, {'h', bench_hello}, {'s', bench_steps}, {'k', bench_kernels},
  {'b', bench_bandwidth}, {'m', bench_matmul}, {'r', bench_rows}, {'f', bench_linalg}, {'q', bench_narrow}, {'n', bench_networks},
  {'v', bench_moves}, {'a', bench_attention}, {'t', bench_transformer}, {'d', bench_digits},
  {'g', bench_lengths}
};

// The lines of the report that tell one machine from another.
static void describe_machine(void) {
  char out[4096], *clang[] = {"clang", "--version", NULL};
  int n = 0;
  FILE *f = fopen("/proc/cpuinfo", "r");
  for (const char *name; f && !n && fgets(out, sizeof out, f);)
    if (!strncmp(out, "model name", 10) && (name = strchr(out, ':')))
      n = snprintf(machine, sizeof machine, "%.*s, ", (int)strcspn(name + 2, "\n"), name + 2);
  if (f) fclose(f);
  const time_t now = time(NULL);
  char date[32];
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  n += snprintf(machine + n, sizeof machine - (size_t)n, "%d cores; tiny.h %s; %s", cores(), TINY_VERSION, date);
  if (run_process(clang, out, sizeof out) > 0)
    snprintf(machine + n, sizeof machine - (size_t)n, "; %.*s", (int)strcspn(out, "\n"), out);
}

static void restrict_to_avx2(void) {
  static const char *const peers[][2] = {
    {"DNNL_MAX_CPU_ISA", "AVX2"}, {"ONEDNN_MAX_CPU_ISA", "AVX2"}, {"ATEN_CPU_CAPABILITY", "avx2"},
    {"OPENBLAS_CORETYPE", "Haswell"}
  };
  device = "CPU:avx2";
  for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) setenv(peers[i][0], peers[i][1], 1);
}

int main(int argc, char **argv) {
  const char *letters = NULL;
  self = argv[0];
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--blas")) return blas_self_test();
    if (!strcmp(argv[i], "-q")) { rounds = 5; budget = 1.5; }
    else if (!strcmp(argv[i], "-k") && i + 1 < argc) only = argv[++i];
    else if (!strcmp(argv[i], "-2")) restrict_to_avx2();
    else letters = argv[i];
  }
  describe_machine();
  printf("%s\nmedians of interleaved rounds\n", machine);
  measure_limits();
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    if (!letters || strchr(letters, sections[i].letter)) sections[i].run();
  for (int kind = 0; kind < TORCH_KINDS; kind++) torch_end(&torch[kind]);
  char *at_end = machine + strlen(machine);
  if (*torch_version) snprintf(at_end, (size_t)(machine + sizeof machine - at_end), "; PyTorch %s", torch_version);
  write_json("build/bench.json");
  return 0;
}
