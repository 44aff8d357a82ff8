// export: programs as C (tiny_program_export_c) against the library: time of a run on one thread, the file and what it
// needs. Prints a row for each network and compiler, all in one run. With a folder it writes there what
// bench/export_others.py runs: of each network the C for vectors of 16 and of 32 bytes, the weights, the saved program.
//
//   cc -O2 -I. bench/export.c -o build/bench_export -lm -lpthread -ldl
//   build/bench_export [16 | 32 | 64 | -1 | write FOLDER]
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "../tests/export_graphs.h"
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

static void resnet(graph *g) { graph_resnet(g, 224, 64, 1000); }
static void transformer(graph *g) { graph_transformer_of(g, 64, 256, 8, 4, 1000); }
static void lstm(graph *g) {
  tiny_recurrent_weights w[2] = {graph_lstm_weights(g, 128, 256), graph_lstm_weights(g, 256, 256)};
  tiny_recurrent_desc d;
  memset(&d, 0, sizeof d);
  d.layers = 2;
  graph_gives(g, tiny_lstm(graph_takes(g, TINY_F32, TINY_SHAPE(32, 1, 128), 1), NULL, NULL, w, &d, NULL, NULL));
}
static const struct { const char *name, *file; graph_maker *make; int runs; } networks[] = {
  {"ResNet-18, 224x224", "resnet", resnet, 5},
  {"transformer, 4 layers of 256, 64 tokens", "transformer", transformer, 40},
  {"LSTM, 2 layers of 256, 32 steps", "lstm", lstm, 40}
};
static const struct { const char *name, *command; } compilers[] = {
  {"gcc -O2", "gcc -O2"}, {"gcc -O3 -march=native", "gcc -O3 -march=native"},
  {"clang -O3 -march=native", "clang -O3 -march=native"}
};
static int vector_nbytes;                  // argument
enum { NETWORKS = sizeof networks / sizeof *networks, COMPILERS = sizeof compilers / sizeof *compilers };
static char root[64];

typedef void run_fn(const void *const *in, void *const *out, void *workspace, const void *weights);
static double ms_since(uint64_t from) { return (double)(tn_os_now() - from) / 1e6; }
static void exported(int compiler, int runs, const void *const *in, size_t out_nbytes, const void *weights) {
  char command[400], file[100];
  snprintf(file, sizeof file, "%s/net%d.so", root, compiler);
  snprintf(command, sizeof command, "%s -shared -fPIC %s/net.c -o %s -lm 2>/dev/null", compilers[compiler].command,
      root, file);
  uint64_t from = tn_os_now();
  void *so = system(command) ? NULL : dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const double compiling = ms_since(from);
  if (!so) { printf("    %-26s is not here\n", compilers[compiler].name); return; }
  run_fn *run = (run_fn *)dlsym(so, "net_run");
  size_t (*workspace)(void) = (size_t (*)(void))dlsym(so, "net_workspace");
  void *work = malloc(workspace()), *out[1] = {malloc(out_nbytes)};
  double best = 1e30;
  for (int i = 0; i < runs; i++) {
    from = tn_os_now();
    run(in, out, work, weights);
    const double ms = ms_since(from);
    if (ms < best) best = ms;
  }
  struct stat about;
  memset(&about, 0, sizeof about);
  stat(file, &about);
  printf("    %-26s %9.2f ms, %5.1f s to compile, %lld KB of shared object\n", compilers[compiler].name, best,
      compiling / 1e3,
         (long long)about.st_size / 1024);
  free(work); free(out[0]);
  dlclose(so);
}
static void measure(int n) {
  static graph g;
  tiny_desc de;
  tiny_export_desc d;
  char path[100], weights_path[100];
  memset(&de, 0, sizeof de); memset(&d, 0, sizeof d);
  de.cache_dir = ""; de.threads = 1;
  tiny_ctx *t = tiny_open(&de);
  tiny_begin(t);
  tiny_program *p = graph_capture(t, networks[n].make, &g);
  snprintf(path, sizeof path, "%s/net.c", root);
  snprintf(weights_path, sizeof weights_path, "%s/net.weights", root);
  d.weights = weights_path; d.vector_nbytes = vector_nbytes;
  uint64_t from = tn_os_now();
  if (!p || tiny_program_export_c(p, path, &d) != TINY_OK) { printf("%s: %s\n", networks[n].name, tiny_error(t));
      return; }
  const double exporting = ms_since(from);
  double best = 1e30;
  for (int i = 0; i < networks[n].runs; i++) {
    tiny_tensor *out;
    from = tn_os_now();
    tiny_run(p, g.in, &out);
    tiny_sync(t);
    const double ms = ms_since(from);
    if (ms < best) best = ms;
    tiny_free(out);
  }
  tn_os_facts text, weights;
  tn_os_file(path, &text);
  tn_os_file(weights_path, &weights);
  printf("%s: %llu KB of C, %llu KB of weights, %.0f ms to export\n    %-26s %9.2f ms\n", networks[n].name,
         (unsigned long long)text.nbytes / 1024, (unsigned long long)weights.nbytes / 1024, exporting, "the "
             "library", best);
  const size_t in_nbytes = (size_t)tn_node_nbytes(tn_uop_of(g.in[0]));
  char *in = (char *)malloc(in_nbytes), *held = (char *)aligned_alloc(64,
      (size_t)weights.nbytes + 64 - weights.nbytes % 64);
  const void *ins[1] = {in};
  tiny_read(g.in[0], in, in_nbytes);
  tn_os_read_file(weights_path, held, (size_t)weights.nbytes);
  for (int i = 0; i < COMPILERS; i++)
    exported(i, networks[n].runs, ins, (size_t)tn_node_nbytes(tn_uop_of(g.out[0])), held);
  free(in); free(held);
  tiny_program_free(p);
  tiny_end(t);
  tiny_close(t);
}
static int written(int n, const char *folder) {
  static graph g;
  tiny_desc de;
  tiny_export_desc d;
  char path[300], weights[300];
  memset(&de, 0, sizeof de);
  de.cache_dir = ""; de.threads = 1;
  tiny_ctx *t = tiny_open(&de);
  tiny_begin(t);
  tiny_program *p = graph_capture(t, networks[n].make, &g);
  for (int vector = 16; p && vector <= 32; vector += 16) {
    memset(&d, 0, sizeof d);
    snprintf(path, sizeof path, "%s/%s%d.c", folder, networks[n].file, vector);
    snprintf(weights, sizeof weights, "%s/%s%d.weights", folder, networks[n].file, vector);
    d.weights = weights; d.vector_nbytes = vector;
    tiny_program_export_c(p, path, &d);
  }
  snprintf(path, sizeof path, "%s/%s.tiny", folder, networks[n].file);
  const int done = p && tiny_program_save(p, path, NULL) == TINY_OK;
  if (!done) printf("%s: %s\n", networks[n].name, tiny_error(t));
  tiny_program_free(p);
  tiny_end(t);
  tiny_close(t);
  return done;
}
int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "write")) {
    for (int i = 0; i < NETWORKS; i++) if (!written(i, argv[2])) return 1;
    return 0;
  }
  vector_nbytes = argc > 1 ? atoi(argv[1]) : 0;
  snprintf(root, sizeof root, "/tmp/tiny_export_XXXXXX");
  if (!mkdtemp(root)) return 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < NETWORKS; i++) measure(i);
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command) != 0;
}
