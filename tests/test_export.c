// brief: asan
// test_export: programs as C: compiled by whatever compilers are here, they give what the interpreter gives of the same
// lists, bit for bit, run after run; by one thread and by a caller's; weights inside and in a file; the same text
// twice.
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

typedef struct compiler { const char *name, *flags; int brief; } compiler;
static const compiler compilers[] = {
  {"gcc", "-std=c99 -O2 -Wall -Wextra -Wpedantic -Wcast-qual -Werror", 1},
  {"gcc", "-std=gnu11 -O3 -march=native -Wall -Wextra -Werror", 0},         // with FMA, where it is
  {"gcc", "-std=c11 -O1 -DTINY_NO_MATH -Wall -Wextra -Wpedantic -Werror -fsanitize=undefined,bounds "
      "-fno-sanitize-recover", 0},
  {"g++", "-x c++ -std=c++11 -O1 -Wall -Wextra -Wpedantic -Werror", 0},
  {"clang", "-std=c11 -O2 -march=native -Wall -Wextra -Wpedantic -Werror", 0},
  {"clang", "-x c++ -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror", 0},
  {"tcc", "-Wall -Werror", 1}
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
  snprintf(command, sizeof command, "%s %s -shared -fPIC %s -o %s -lm", c->name, c->flags, in_root(name),
      in_root(file));
  if (system(command)) return NULL;
  return dlopen(in_root(file), RTLD_NOW | RTLD_LOCAL);
}

// ** runs **

typedef struct results { char bytes[RUNS][BYTES]; size_t n[RUNS]; } results;
typedef struct case_of { graph g; size_t in_nbytes[GRAPH_MOST], out_nbytes[GRAPH_MOST]; char in[GRAPH_MOST][BYTES];
    } case_of;
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
typedef void any_fn(void);
static any_fn *symbol(void *so, const char *name) {
  char text[80];
  any_fn *fn;
  snprintf(text, sizeof text, "net_%s", name);
  void *const at = dlsym(so, text);
  memcpy(&fn, &at, sizeof fn);
  return fn;
}
static int tasks_seen;
static void backwards(void *user, int n, task_fn *task, void *arg) {       // in another order
  (void)user;
  for (int i = n - 1; i >= 0; i--) { task(arg, i); tasks_seen++; }
}
static void is_same(const results *got, const char *by, int run, int from) {
  if (got->n[run] == want.n[from] && !memcmp(got->bytes[run], want.bytes[from], want.n[from])) { CHECK(1); return; }
  CHECK(!"the values of the interpreter");
  for (size_t i = 0, shown = 0; i < want.n[from] && shown < 3; i += 4) if (memcmp(got->bytes[run] + i,
      want.bytes[from] + i, 4)) {
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
  any_fn *run = symbol(so, threads ? "run_with" : "run"), *init = symbol(so, "init");
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
static void check_graph(int number, int whole) {
  tiny_ctx *t = open_on("PLAIN");
  tiny_begin(t);
  tiny_program *p = graph_capture(t, graphs[number].make, &now.g);
  CHECK(p != NULL);
  if (!p) { tiny_close(t); return; }
  remember(t, &now);
  tiny_export_desc d;
  memset(&d, 0, sizeof d);
  d.names = graph_names; d.tensors = now.g.named; d.n = now.g.nnamed;
  d.vector_nbytes = plain_vectors;
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
    if (!is_there(compilers[i].name) || (!whole && !compilers[i].brief)) continue;
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

// ** other machines: compiled for all, and run where an emulator is here **

typedef struct target { const char *name, *flags, *runs; int plain; } target;       // plain: without vectors
static const target targets[] = {
  {"clang", "--target=x86_64-pc-windows-msvc -fms-compatibility -ffreestanding -DTINY_NO_MATH -Wall -Wextra -Werror "
      "-c", NULL, 0},
  {"clang", "--target=armv7-none-eabi -ffreestanding -DTINY_NO_MATH -Wall -Wextra -Wpedantic -Werror -c", NULL, 0},
  {"arm-none-eabi-gcc", "-mcpu=cortex-m4 -ffreestanding -DTINY_NO_MATH -Wall -Wextra -Wpedantic -Werror -c", NULL, 1},
  {"aarch64-linux-gnu-gcc", "-O1 -ffreestanding -DTINY_NO_MATH -Wall -Wextra -Wpedantic -Werror -c", NULL, 0},
  {"aarch64-linux-gnu-gcc", "-O3 -Wall -Wextra -Wpedantic -Werror -static", "qemu-aarch64", 0},
          // would fuse products
  {"aarch64-linux-gnu-gcc", "-O1 -DTINY_NO_VECTORS -Wall -Wextra -Wpedantic -Werror -static", "qemu-aarch64", 0},
  {"gcc", "-m32 -march=i686 -msse2 -mfpmath=sse -ffreestanding -DTINY_NO_MATH -Wall -Wextra -Wpedantic -Werror -c",
      NULL, 0},
  {"x86_64-w64-mingw32-gcc", "-O2 -Wall -Wextra -Wpedantic -Werror", "wine", 0}
};
enum { TARGETS = sizeof targets / sizeof *targets };

static void put_bytes(FILE *f, const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) fprintf(f, "%u,", (unsigned char)bytes[i]);
  if (!n) fprintf(f, "0");
}
// A program that runs net.c with the inputs of now, and prints the bytes of its outputs.
static void write_main(void) {
  FILE *f = fopen(in_root("main.c"), "w");
  CHECK(f != NULL);
  if (!f) return;
  fprintf(f, "#include <stdio.h>\n#include <stdlib.h>\n#include \"net.c\"\nint main(void) {\n");
  for (int i = 0; i < now.g.n; i++) {
    fprintf(f, "  static const union { double align; unsigned char byte[%zu]; } in%d = {.byte = {",
        now.in_nbytes[i] + 1, i);
    put_bytes(f, now.in[i], now.in_nbytes[i]);
    fprintf(f, "}};\n");
  }
  fprintf(f, "  static const size_t nbytes[] = {");
  for (int i = 0; i < now.g.m; i++) fprintf(f, "%zu, ", now.out_nbytes[i]);
  fprintf(f, "0};\n  const void *in[] = {");
  for (int i = 0; i < now.g.n; i++) fprintf(f, "&in%d, ", i);
  fprintf(f, "0};\n  void *out[%d], *work = malloc(net_workspace() + 1);\n", now.g.m + 1);
  fprintf(f, "  for (int i = 0; i < %d; i++) out[i] = malloc(nbytes[i] + 1);\n", now.g.m);
  if (now.g.nnamed) fprintf(f, "  void *state = malloc(net_state());\n  net_init(state);\n");
  fprintf(f, "  for (int run = 0; run < %d; run++) {\n    net_run(in, out, work%s);\n", RUNS, now.g.nnamed ? ", "
      "state" : "");
  fprintf(f, "    for (int i = 0; i < %d; i++) for (size_t k = 0; k < nbytes[i]; k++)\n"
          "      printf(\"%%02x\", ((unsigned char *)out[i])[k]);\n    printf(\"\\n\");\n  }\n  return 0;\n"
          "}\n", now.g.m);
  fclose(f);
}
static int is_printed(const char *path) {
  FILE *f = fopen(path, "r");
  int same = f != NULL;
  for (int run = 0; f && run < RUNS; run++) {
    unsigned byte;
    for (size_t i = 0; i < want.n[run] && same; i++)
      same = fscanf(f, "%2x", &byte) == 1 && byte == (unsigned char)want.bytes[run][i];
  }
  if (f) fclose(f);
  return same;
}
static void check_target(const target *c, const char *graph_name) {
  char command[1200];
  if (!is_there(c->name) || (c->runs && !is_there(c->runs))) { printf("  %s is not here\n",
      c->runs ? c->runs : c->name); return; }
  case_named("%s by %s %.80s", graph_name, c->name, c->flags);
  snprintf(command, sizeof command, "cd %s && %s %s %s -o net.exe %s", root, c->name, c->flags,
      c->runs ? "main.c" : "net.c",
           c->runs ? "-lm" : "");
  const int compiled = !system(command);
  CHECK(compiled);
  if (!compiled || !c->runs) return;
  snprintf(command, sizeof command, "cd %s && %s ./net.exe > printed.txt 2>/dev/null", root, c->runs);
  CHECK_EQ(system(command), 0);
  CHECK(is_printed(in_root("printed.txt")));
}
static void check_targets(const char *graph_name) {
  int number = 0;
  while (strcmp(graphs[number].name, graph_name)) number++;
  for (int plain = 0; plain < 2; plain++) {
    plain_vectors = plain ? -1 : 0;
    tiny_ctx *t = open_on("PLAIN");
    tiny_begin(t);
    tiny_program *p = graph_capture(t, graphs[number].make, &now.g);
    remember(t, &now);
    tiny_export_desc d;
    memset(&d, 0, sizeof d);
    d.vector_nbytes = plain_vectors;
    CHECK_EQ(tiny_program_export_c(p, in_root("net.c"), &d), TINY_OK);
    run_library(t, p, &now, &want);
    tiny_program_free(p);
    tiny_end(t);
    tiny_close(t);
    write_main();
    for (int i = 0; i < TARGETS; i++) if (targets[i].plain == plain) check_target(&targets[i], graph_name);
  }
  plain_vectors = 0;
  case_end();
}

// ** against the CPU, which sums in another order: near, not the same; and what a caller finds in the state **

static void check_cpu(void) {
  tiny_ctx *t = open_on("CPU");
  tiny_begin(t);
  tiny_program *p = graph_capture(t, graph_step, &now.g);
  remember(t, &now);
  tiny_export_desc d;
  memset(&d, 0, sizeof d);
  d.names = graph_names; d.tensors = now.g.named; d.n = now.g.nnamed;
  CHECK_EQ(tiny_program_export_c(p, in_root("net.c"), &d), TINY_OK);
  void *so = build(&compilers[0], "net.c");
  CHECK(so != NULL);
  if (!so) { tiny_close(t); return; }
  init_one *init = (init_one *)symbol(so, "init");
  run_two *run = (run_two *)symbol(so, "run");
  void *(*find)(void *, const char *, size_t *) = (void *(*)(void *, const char *, size_t *))symbol(so, "memory");
  void *state = malloc(((size_fn *)symbol(so, "state"))()), *work = malloc(((size_fn *)symbol(so, "workspace"))());
  float exported, own;
  const void *in[2] = {now.in[0], now.in[1]};
  void *out[1] = {&exported};
  init(state);
  for (int k = 0; k < 20; k++) {
    tiny_tensor *loss;
    run(in, out, work, state);
    CHECK_EQ(tiny_run(p, now.g.in, &loss), TINY_OK);
    tiny_read(loss, &own, sizeof own);
    tiny_free(loss);
    CHECK(own > 0 && own - exported < 1e-5f * own && exported - own < 1e-5f * own);
  }
  for (int i = 0; i < now.g.nnamed; i++) {
    float weights[256];
    size_t n = 0;
    const float *there = (const float *)find(state, graph_names[i], &n);
    CHECK(there && n == nbytes_of(now.g.named[i]));
    tiny_read(now.g.named[i], weights, n);
    for (size_t k = 0; there && k < n / 4; k++) CHECK(fabsf(there[k] - weights[k]) < 1e-4f);
  }
  size_t n = 7;
  CHECK(!find(state, "first", &n) && n == 0);
  free(state); free(work);
  dlclose(so);
  tiny_program_free(p);
  tiny_end(t);
  tiny_close(t);
}

// ** what cannot be **

static int refuse(void *user, const void *data, size_t nbytes) {
  (void)data; (void)nbytes;
  return (*(int *)user)-- > 0;
}
static void check_bad(void) {
  tiny_ctx *t = open_on("CPU");
  tiny_begin(t);
  tiny_program *p = graph_capture(t, graph_step, &now.g);
  tiny_export_desc d;
  memset(&d, 0, sizeof d);
  static const char *const names[] = {"", "1net", "a b", "net\"", "a_name_that_is_longer_than_forty_characters"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    d.name = names[i];
    CHECK_EQ(tiny_program_export_c(p, in_root("bad.c"), &d), TINY_E_ARG);
    CHECK(strstr(tiny_error(t), "letters") != NULL);
    tiny_clear(t);
  }
  d.name = NULL;
  d.vector_nbytes = 48;
  CHECK_EQ(tiny_program_export_c(p, in_root("bad.c"), &d), TINY_E_ARG);
  tiny_clear(t);
  d.vector_nbytes = 0; d.n = 1;
  CHECK_EQ(tiny_program_export_c(p, in_root("bad.c"), &d), TINY_E_ARG);
  tiny_clear(t);
  d.n = 0;
  CHECK_EQ(tiny_program_export_c(NULL, in_root("bad.c"), &d), TINY_E_ARG);
  CHECK_EQ(tiny_program_export_c(p, NULL, &d), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_program_export_c(p, in_root("no/such/folder.c"), &d), TINY_E_IO);
  tiny_clear(t);
  const tiny_writer none = {NULL, NULL};
  CHECK_EQ(tiny_program_export_c_to(p, none, &d), TINY_E_ARG);
  tiny_clear(t);
  for (int puts = 0; puts < 2; puts++) {
    int left = puts;
    const tiny_writer to = {refuse, &left};
    CHECK_EQ(tiny_program_export_c_to(p, to, &d), TINY_E_IO);
    tiny_clear(t);
  }
  d.weights = in_root("no/such/weights");
  CHECK_EQ(tiny_program_export_c(p, in_root("bad.c"), &d), TINY_E_IO);
  CHECK(access(in_root("bad.c"), F_OK) != 0);                // nothing is left of what failed
  tiny_clear(t);
  tiny_program_free(p);
  tiny_end(t);
  tiny_close(t);
}
// Each allocation refused in turn: an error, nothing lost, and the next call does it.
static void check_memory(void) {
  memory_count m = {0, 0, 0, 0};
  tiny_desc de;
  memset(&de, 0, sizeof de);
  de.device = "CPU"; de.cache_dir = ""; de.threads = 1;
  de.alloc.fn = memory_fn; de.alloc.user = &m;
  tiny_ctx *t = tiny_open(&de);
  tiny_begin(t);
  tiny_program *p = graph_capture(t, graph_step, &now.g);
  CHECK_EQ(tiny_program_export_c(p, in_root("whole.c"), NULL), TINY_OK);
  int refused = 0;
  for (long nth = 1; nth < 400; nth += nth < 40 ? 1 : 13) {
    m.calls = 0; m.fail_at = nth;
    const tiny_code code = tiny_program_export_c(p, in_root("part.c"), NULL);
    CHECK(code == TINY_OK || code == TINY_E_MEMORY);
    refused += code != TINY_OK;
    m.fail_at = 0;
    tiny_clear(t);
  }
  CHECK(refused > 0);
  CHECK_EQ(tiny_program_export_c(p, in_root("part.c"), NULL), TINY_OK);
  size_t n, k;
  char *one = read_whole(in_root("whole.c"), &n), *two = read_whole(in_root("part.c"), &k);
  CHECK(one && two && n == k && !memcmp(one, two, n));
  free(one); free(two);
  tiny_program_free(p);
  tiny_end(t);
  tiny_close(t);
  CHECK_EQ(m.live, 0);
  CHECK_EQ(m.wrong, 0);
}
// What memory holds is what it holds when the program is exported: assignments are pending, a run is under way; and
// some of it has no elements.
static void check_now(void) {
  static const float v[4] = {1, 2, 3, 4}, one[4] = {1, 1, 1, 1};
  float room[64], out[6], seen[4];
  tiny_ctx *t = open_on("CPU");
  tiny_tensor *state = tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), *x = tiny_from(t, one, TINY_F32, TINY_SHAPE(4)), *y;
  tiny_tensor *none = tiny_from(t, v, TINY_F32, TINY_SHAPE(0)), *made;
  tiny_realize(&state, 1); tiny_realize(&none, 1);
  tiny_begin(t);
  tiny_tensor *both[3] = {none, tiny_add(state, x), tiny_sum(none, TINY_AXES(0), 1)};
  y = tiny_cat(both, 3, 0);
  tiny_assign(state, tiny_add(state, x));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_end(t);
  CHECK(p != NULL);
  tiny_assign(state, tiny_mul_scalar(state, 10));
  tiny_code code = tiny_run_for(p, &x, &made, 1);            // 10 times what it was, and one, at its end
  tiny_export_desc d;
  memset(&d, 0, sizeof d);
  d.name = "net";
  CHECK_EQ(tiny_program_export_c(p, in_root("now.c"), &d), TINY_OK);
  while (code == TINY_MORE) code = tiny_run_for(p, &x, &made, 1);
  CHECK_EQ(code, TINY_OK);
  CHECK_EQ(tiny_read(state, seen, sizeof seen), TINY_OK);
  for (int i = 0; i < 4; i++) CHECK(seen[i] == 10 * v[i] + 1);
  void *const so = build(&compilers[0], "now.c");
  CHECK(so != NULL);
  if (so) {
    const void *in[1] = {one};
    void *outs[1] = {out};
    char *const work = (char *)malloc(((size_fn *)symbol(so, "workspace"))() + 1);
    CHECK(((size_fn *)symbol(so, "state"))() <= sizeof room);
    ((init_one *)symbol(so, "init"))(room);
    ((run_two *)symbol(so, "run"))(in, outs, work, room);
    for (int i = 0; i < 4; i++) CHECK(out[i] == 10 * v[i] + 2);
    CHECK(out[4] == 0);
    free(work);
  }
  tiny_program_free(p);
  tiny_close(t);
}

int main(int argc, char **argv) {
  const int whole = argc > 1 && !strcmp(argv[1], "all");     // else the smaller half, by two compilers
  snprintf(root, sizeof root, "/tmp/tiny_export_XXXXXX");
  if (!mkdtemp(root)) return 1;
  for (int i = 0; i < GRAPHS; i++) {
    const int smoke = strstr(" step floats bare random tasks ", graphs[i].name) != NULL;
    if (argc > 1 ? whole || !strcmp(argv[1], graphs[i].name) : smoke) check_graph(i, argc > 1);
  }
  for (int i = 0; i < GRAPHS && (argc < 2 || whole); i++) {  // wider vectors than a processor may have
    if (strcmp(graphs[i].name, "floats") && (!whole || strcmp(graphs[i].name, "transformer"))) continue;
    plain_vectors = 32;
    check_graph(i, whole);
    plain_vectors = 64;
    check_graph(i, 0);
  }
  plain_vectors = 0;
  if (argc < 2 || whole) { check_cpu(); check_bad(); check_memory(); check_now(); }
  if (argc < 2 || whole) { check_targets("step"); check_targets("tasks"); }   // fused products change the latter
  if (whole) check_targets("floats");
  CHECK((argc > 1 && !whole) || tasks_seen > 0);
  remove_tree(root);
  return test_report();
}
