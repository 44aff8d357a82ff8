// test_export_random: random tensor programs as C: the bits of the interpreter of the same lists, run after run.
//
// The generator is random.h. Vectors are of 16 and 32 bytes, or none; every third program hands out its tasks.
// TEST_ROUNDS=n: n programs instead of the usual. TEST_SEED=s: one program alone. TEST_FROM=s: start there.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp, dlopen
#include "../src/all.c"
#include "test.h"
#include "folder_test.h"
#include "export_graphs.h"
#include "random_program.h"
#include <dlfcn.h>

enum { ROUNDS = 12, RUNS = 3 };
static char root[64];

static tiny_ctx *open_plain(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "PLAIN"; d.cache_dir = ""; d.seed = 11; d.threads = 2;
  d.backends[0] = plain_device();
  return tiny_open(&d);
}
static int bad(uint64_t seed, const char *what, const tiny_ctx *t) {
  fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)seed, what, t ? tiny_error(t) : "");
  return 1;
}

// ** the shared object of a program **

typedef size_t size_fn(void);
typedef void init_fn(void *state);
typedef void task_fn(void *arg, int i);
typedef void parallel_fn(void *user, int n, task_fn *task, void *arg);
typedef void run_fn(const void *const *in, void *const *out, void *work);
typedef void run_held(const void *const *in, void *const *out, void *work, void *state);
typedef void with_fn(const void *const *in, void *const *out, void *work, parallel_fn *, void *user);
typedef void with_held(const void *const *in, void *const *out, void *work, void *state, parallel_fn *, void *user);
typedef void any_fn(void);
static any_fn *symbol(void *so, const char *name) {
  any_fn *fn;
  void *const at = dlsym(so, name);
  memcpy(&fn, &at, sizeof fn);
  return fn;
}
static void backwards(void *user, int n, task_fn *task, void *arg) {
  (void)user;
  for (int i = n - 1; i >= 0; i--) task(arg, i);
}
static void *build(const char *path) {
  static int made;
  char command[600], file[200];
  snprintf(file, sizeof file, "%s/%d.so", root, made++);
  snprintf(command, sizeof command, "gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -shared -fPIC %s -o %s -lm",
           path, file);
  return system(command) ? NULL : dlopen(file, RTLD_NOW | RTLD_LOCAL);
}
static void run_built(tiny_ctx *t, void *so, sample *s, bytes *got) {
  const void *in[SAMPLE_MOST];
  tiny_tensor *given[SAMPLE_MOST];
  void *out[MAX_ROOTS];
  size_fn *nbytes = (size_fn *)symbol(so, "net_workspace"), *held = (size_fn *)symbol(so, "net_state");
  any_fn *with = symbol(so, "net_run_with"), *run = symbol(so, "net_run");
  char *const work = (char *)malloc(nbytes() + 1), *const state = held ? (char *)malloc(held() + 1) : NULL;
  size_t at = 0;
  if (state) ((init_fn *)symbol(so, "net_init"))(state);
  for (int i = 0; i < s->n; at += sample_nbytes(s->in[i++])) in[i] = s->data.data + at;
  memcpy(given, s->in, sizeof given);
  for (int k = 0; k < RUNS; k++) {
    sample_give(t, s, k, given);           // its data, that is
    for (int i = 0; i < s->m; i++) out[i] = calloc(1, nbytes_of(&s->root[i]) + 1);
    if (with && state) ((with_held *)with)(in, out, work, state, backwards, NULL);
    else if (with) ((with_fn *)with)(in, out, work, backwards, NULL);
    else if (state) ((run_held *)run)(in, out, work, state);
    else ((run_fn *)run)(in, out, work);
    for (int i = 0; i < s->m; i++) { bytes_add(got, out[i], nbytes_of(&s->root[i])); free(out[i]); }
  }
  free(work); free(state);
}

static int refused;
static int run_one(uint64_t seed) {
  static const int vectors[] = {0, 32, -1};
  static sample s;
  bytes want = {NULL, 0, 0}, got = {NULL, 0, 0};
  char path[200];
  tiny_tensor *in[SAMPLE_MOST];
  int wrong = 0;
  plain_vectors = vectors[seed % 3];       // of the device, too
  tiny_ctx *t = open_plain();
  tiny_program *p = sample_capture(t, seed, &s, &wrong);
  tiny_export_desc d;
  memset(&d, 0, sizeof d);
  d.vector_nbytes = vectors[seed % 3]; d.threads = seed % 2;
  snprintf(path, sizeof path, "%s/net.c", root);
  refused += !p;
  if (p && tiny_program_export_c(p, path, &d) != TINY_OK) wrong = bad(seed, "it is not exported", t);
  memcpy(in, s.in, sizeof in);
  for (int run = 0; p && run < RUNS && !wrong; run++) {
    sample_give(t, &s, run, in);
    if (!sample_run(p, in, s.m, 0, &want)) wrong = bad(seed, "it does not run", t);
  }
  void *so = p && !wrong ? build(path) : NULL;
  if (p && !wrong && !so) wrong = bad(seed, "it does not compile", NULL);
  if (so) run_built(t, so, &s, &got);
  if (so && !sample_same(&s, &got, &want)) wrong = bad(seed, "other bits", NULL);
  if (so) dlclose(so);
  tiny_program_free(p);
  tiny_close(t);
  bytes_free(&want); bytes_free(&got); sample_free(&s);
  return wrong;
}

int main(void) {
  const char *one = getenv("TEST_SEED");
  const int rounds = one ? 1 : test_rounds(ROUNDS);
  const uint64_t first = one ? strtoull(one, NULL, 10) : test_from(1);
  int nbad = 0;
  snprintf(root, sizeof root, "/tmp/tiny_export_XXXXXX");
  if (!mkdtemp(root)) return 1;
  for (int i = 0; i < rounds && nbad < 5; i++) {
    case_seeded(first + (uint64_t)i, "TEST_SEED=%llu");
    const int wrong = run_one(first + (uint64_t)i);
    nbad += wrong;
    CHECK(!wrong);
  }
  case_end();
  CHECK(one || 2 * refused < rounds);
  remove_tree(root);
  return test_report();
}
