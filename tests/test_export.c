// test_export: programs as C: compiled by whatever compilers are here, they give what the interpreter gives of the same
// lists, bit for bit, run after run; by one thread and by a caller's; weights inside and in a file; the same text twice.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp, dlopen
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "folder_test.h"
#include "export_graphs.h"
#include <dlfcn.h>
#include <unistd.h>

enum { RUNS = 3, BYTES = 1 << 16, OFFSET = 4 };
static char root[64];
static const char *in_root(const char *name) {
  static char path[8][300];
  static int at;
  char *out = path[at++ & 7];
  snprintf(out, sizeof path[0], "%s/%s", root, name);
  return out;
}
static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 5; d.threads = 2;
  d.backends[0] = plain_device();
  return tiny_open(&d);
}

// ** compilers **

typedef struct compiler { const char *name, *flags; } compiler;
static const compiler compilers[] = {
  {"gcc", "-std=c99 -O2 -Wall -Wextra -Wpedantic -Wcast-qual -Werror"},
  {"gcc", "-std=gnu11 -O3 -march=native -Wall -Wextra -Werror"},           // with FMA, where it is
  {"gcc", "-std=c11 -O1 -DTINY_NO_MATH -Wall -Wextra -Wpedantic -Werror -fsanitize=undefined,bounds -fno-sanitize-recover"},
  {"g++", "-x c++ -std=c++11 -O1 -Wall -Wextra -Wpedantic -Werror"},
  {"clang", "-std=c11 -O2 -march=native -Wall -Wextra -Wpedantic -Werror"},
  {"clang", "-x c++ -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror"},
  {"tcc", "-Wall -Werror"}
};
enum { COMPILERS = sizeof compilers / sizeof *compilers };
static int is_there(const char *name) {
  char command[200];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
  return !system(command);
}
// The shared object of name.c; NULL: it cannot be made.
static void *build(const compiler *c, const char *name) {
  static int made;
  char command[900], file[40];
  snprintf(file, sizeof file, "lib%d.so", made++);
  snprintf(command, sizeof command, "%s %s -shared -fPIC %s -o %s -lm", c->name, c->flags, in_root(name), in_root(file));
  if (system(command)) return NULL;
  return dlopen(in_root(file), RTLD_NOW | RTLD_LOCAL);
}

// ** runs **

typedef struct results { char bytes[RUNS][BYTES]; size_t n[RUNS]; } results;
typedef struct case_of { graph g; size_t in_nbytes[GRAPH_MOST], out_nbytes[GRAPH_MOST]; char in[GRAPH_MOST][BYTES]; } case_of;
static case_of now;                        // what the exported program is given
static results want;

static size_t nbytes_of(tiny_tensor *x) { return (size_t)tn_node_nbytes(tn_uop_of(x)); }
static void remember(tiny_ctx *t, case_of *c) {
  (void)t;
  for (int i = 0; i < c->g.n; i++) {
    const tiny_uop *u = tn_uop_of(c->g.in[i]);
    c->in_nbytes[i] = nbytes_of(c->g.in[i]);
    if (u->op == TINY_OP_SCALAR) tn_dtype_store(u->dtype, c->in[i], u->k);
    else tiny_read(c->g.in[i], c->in[i], c->in_nbytes[i]);
  }
  for (int i = 0; i < c->g.m; i++) c->out_nbytes[i] = nbytes_of(c->g.out[i]);
}
static void run_library(tiny_ctx *t, tiny_program *p, case_of *c, results *r) {
  memset(r, 0, sizeof *r);
  for (int run = 0; run < RUNS; run++) {
    tiny_tensor *out[GRAPH_MOST];
    CHECK_EQ(tiny_run(p, c->g.in, out), TINY_OK);
    for (int i = 0; i < c->g.m; i++) {
      tiny_read(out[i], r->bytes[run] + r->n[run], c->out_nbytes[i]);
      r->n[run] += c->out_nbytes[i];
      tiny_free(out[i]);
    }
  }
  if (t->code) fprintf(stderr, "  %s\n", tiny_error(t));
}

typedef size_t size_fn(void);
typedef void run_plain(const void *const *, void *const *, void *, ...);
typedef void run_one(const void *const *, void *const *, void *);
typedef void run_two(const void *const *, void *const *, void *, void *);
typedef void run_three(const void *const *, void *const *, void *, void *, const void *);
typedef void task_fn(void *arg, int i);
typedef void parallel_fn(void *user, int n, task_fn *task, void *arg);
typedef void with_one(const void *const *, void *const *, void *, parallel_fn *, void *);
typedef void with_two(const void *const *, void *const *, void *, void *, parallel_fn *, void *);
typedef void init_one(void *);
typedef void init_two(void *, const void *);
static void *symbol(void *so, const char *name) {
  char text[80];
  snprintf(text, sizeof text, "net_%s", name);
  return dlsym(so, text);
}
static int tasks_seen;
static void backwards(void *user, int n, task_fn *task, void *arg) {       // in another order
  (void)user;
  for (int i = n - 1; i >= 0; i--) { task(arg, i); tasks_seen++; }
}
static void is_same(const results *got, const char *by, int run, int from) {
  if (got->n[run] == want.n[from] && !memcmp(got->bytes[run], want.bytes[from], want.n[from])) { CHECK(1); return; }
  CHECK(!"the values of the interpreter");
  for (size_t i = 0, shown = 0; i < want.n[from] && shown < 3; i += 4) if (memcmp(got->bytes[run] + i, want.bytes[from] + i, 4)) {
    float a, b;
    memcpy(&a, got->bytes[run] + i, 4); memcpy(&b, want.bytes[from] + i, 4);
    fprintf(stderr, "  %s, run %d, byte %zu: %.9g, not %.9g\n", by, run, i, a, b);
    shown++;
  }
}
// weights: of a file, or NULL. threads: by a caller's.
static void run_exported(void *so, const char *by, const void *weights, int threads) {
  static results got;
  size_fn *workspace = (size_fn *)symbol(so, "workspace"), *state_nbytes = (size_fn *)symbol(so, "state");
  void *run = symbol(so, threads ? "run_with" : "run"), *init = symbol(so, "init");
  CHECK(workspace && run && !state_nbytes == !init);
  if (!workspace || !run) return;
  char *const room = (char *)malloc(workspace() + 32), *const work = room + OFFSET;       // it may lie anywhere
  memset(room, 0xA5, workspace() + 32);
  char *const state = state_nbytes ? (char *)malloc(state_nbytes()) : NULL;
  if (state && weights) ((init_two *)init)(state, weights);
  else if (state) ((init_one *)init)(state);
  memset(&got, 0, sizeof got);
  const void *in[GRAPH_MOST];
  void *out[GRAPH_MOST];
  for (int i = 0; i < now.g.n; i++) in[i] = now.in[i];
  for (int k = 0; k < RUNS; k++) {
    for (int i = 0; i < now.g.m; i++) {
      out[i] = got.bytes[k] + got.n[k];
      out[i] = malloc(now.out_nbytes[i] + 1);
    }
    if (threads && state) ((with_two *)run)(in, out, work, state, backwards, NULL);
    else if (threads) ((with_one *)run)(in, out, work, backwards, NULL);
    else if (state && weights) ((run_three *)run)(in, out, work, state, weights);
    else if (state) ((run_two *)run)(in, out, work, state);
    else if (weights) ((run_two *)run)(in, out, work, (void *)(uintptr_t)weights);
    else ((run_one *)run)(in, out, work);
    for (int i = 0; i < now.g.m; i++) {
      memcpy(got.bytes[k] + got.n[k], out[i], now.out_nbytes[i]);
      got.n[k] += now.out_nbytes[i];
      free(out[i]);
    }
    is_same(&got, by, k, k);
  }
  for (size_t i = 0; i < OFFSET; i++) CHECK_EQ((unsigned char)room[i], 0xA5);
  for (size_t i = workspace() + OFFSET; i < workspace() + 32; i++) CHECK_EQ((unsigned char)room[i], 0xA5);
  free(room); free(state);
}

static char *read_whole(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  char *data = NULL;
  *n = 0;
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *n = (size_t)ftell(f);
  rewind(f);
  data = (char *)malloc(*n + 64);
  *n = fread(data, 1, *n, f);
  fclose(f);
  return data;
}
// The values, and the export, which goes on from where the program is.
static void check_graph(int number) {
  tiny_ctx *t = open_on("PLAIN");
  tiny_begin(t);
  tiny_program *p = graph_capture(t, graphs[number].make, &now.g);
  CHECK(p != NULL);
  if (!p) { tiny_close(t); return; }
  remember(t, &now);
  tiny_export_desc d;
  memset(&d, 0, sizeof d);
  d.names = graph_names; d.tensors = now.g.named; d.n = now.g.nnamed;
  CHECK_EQ(tiny_program_export_c(p, in_root("net.c"), &d), TINY_OK);
  d.threads = 1;
  CHECK_EQ(tiny_program_export_c(p, in_root("threads.c"), &d), TINY_OK);
  d.threads = 0; d.weights = in_root("net.weights");
  CHECK_EQ(tiny_program_export_c(p, in_root("apart.c"), &d), TINY_OK);
  d.weights = NULL;
  CHECK_EQ(tiny_program_export_c(p, in_root("again.c"), &d), TINY_OK);
  if (t->code) fprintf(stderr, "  %s: %s\n", graphs[number].name, tiny_error(t));
  run_library(t, p, &now, &want);
  tiny_program_free(p);
  tiny_end(t);
  tiny_close(t);
  size_t n, m;
  char *one = read_whole(in_root("net.c"), &n), *two = read_whole(in_root("again.c"), &m);
  CHECK(one && two && n == m && !memcmp(one, two, n));
  free(one); free(two);
  char *weights = read_whole(in_root("net.weights"), &n);
  for (int i = 0; i < COMPILERS; i++) {
    if (!is_there(compilers[i].name)) continue;
    char by[200];
    snprintf(by, sizeof by, "%s by %s %.60s", graphs[number].name, compilers[i].name, compilers[i].flags);
    case_named("%s", by);
    void *so = build(&compilers[i], "net.c");
    CHECK(so != NULL);
    if (!so) continue;
    run_exported(so, by, NULL, 0);
    dlclose(so);
    if (i) continue;
    void *threads = build(&compilers[i], "threads.c"), *apart = build(&compilers[i], "apart.c");
    CHECK(threads && apart);
    if (threads) run_exported(threads, "threads", NULL, 1);
    if (threads) run_exported(threads, "threads, one alone", NULL, 0);
    if (apart) run_exported(apart, "weights apart", weights, 0);
    int (*fit)(const void *, size_t) = apart ? (int (*)(const void *, size_t))symbol(apart, "weights_fit") : NULL;
    CHECK(fit && fit(weights, n) && !fit(weights, n - 1) && !fit(NULL, n));
    weights[3] ^= 1;
    CHECK(fit && !fit(weights, n));
    if (threads) dlclose(threads);
    if (apart) dlclose(apart);
  }
  free(weights);
  case_end();
}

int main(void) {
  snprintf(root, sizeof root, "/tmp/tiny_export_XXXXXX");
  if (!mkdtemp(root)) return 1;
  const char *only = getenv("GRAPH");
  for (int i = 0; i < GRAPHS; i++) if (!only || !strcmp(only, graphs[i].name)) check_graph(i);
  CHECK(only || tasks_seen > 0);
  remove_tree(root);
  return test_report();
}
