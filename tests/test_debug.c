// also: valgrind
// The letters of TINY_DEBUG: each brings its lines, through tiny_desc.log, and no letter brings none.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: setenv
#include "../src/all.c"
#include "test.h"

typedef struct lines { char *text; size_t n, cap; int count; } lines;

static void keep_line(void *user, const char *line) {
  lines *l = (lines *)user;
  const size_t n = strlen(line);
  if (l->n + n + 2 > l->cap) { l->cap = 2 * l->cap + n + 4096; l->text = (char *)realloc(l->text, l->cap); }
  memcpy(l->text + l->n, line, n);
  l->n += n;
  l->text[l->n++] = '\n';
  l->text[l->n] = 0;
  l->count++;
}

static int has(const lines *l, const char *what) { return l->text && strstr(l->text, what) != NULL; }

// relu(x @ w) summed: 1 x 0 .. = known. Returns what was logged; *ok: the result was right.
static lines run(const char *device, const char *debug, const char *cache_dir, int *ok) {
  lines l = {NULL, 0, 0, 0};
  tiny_desc d;
  float x[6 * 4], w[4 * 5];
  memset(&d, 0, sizeof d);
  d.device = device; d.debug = debug; d.cache_dir = cache_dir; d.threads = 1;
  d.log.fn = keep_line; d.log.user = &l;
  for (int i = 0; i < 24; i++) x[i] = (float)(i % 5);
  for (int i = 0; i < 20; i++) w[i] = (float)(i % 3) - 1;
  double want = 0;
  for (int i = 0; i < 6; i++) for (int j = 0; j < 5; j++) {
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += (double)x[i * 4 + k] * (double)w[k * 5 + j];
    want += dot > 0 ? dot : 0;
  }
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *y = tiny_matmul(tiny_from(t, x, TINY_F32, TINY_SHAPE(6, 4)), tiny_from(t, w, TINY_F32, TINY_SHAPE(4, 5)));
  const double got = tiny_item(tiny_sum(tiny_relu(tiny_contiguous(y)), TINY_ALL, 0));
  *ok = tiny_status(t) == TINY_OK && got == want;
  if (!*ok) fprintf(stderr, "%s: got %g, want %g: %s\n", debug ? debug : "NULL", got, want, tiny_error(t));
  tiny_close(t);
  return l;
}

// What a letter must say, and on which device.
typedef struct letter { const char *device, *debug, *says[4]; } letter;
static const letter letters[] = {
  {"CPU", "k", {"*** CPU", "GFLOPS", "GB/s", " us"}},
  {"CPU", "s", {"schedule of 2 kernels", "arena", NULL, NULL}},
  {"CPU", "i", {"-- after schedule", "-- after opts", "-- after decompositions", "-- program"}},
  {"CPU", "r", {"rule (", "\n->\n", NULL, NULL}},
  {"CPU", "R", {" of ", "(ADD", NULL, NULL}},
  {"CPU", "c", {"void r_", "(void *const *", "long long", NULL}},
  {"CPU", "d", {"ret", "r_", NULL, NULL}},
  {"CPU", "t", {"CPU: 2 kernels", "compiled", "graphs planned", "peak"}},
  {"CPU", "p", {"compiling 2 kernels", "compiled 2 kernels", NULL, NULL}},
  {"CPU", "kc0", {"*** CPU", "void r_", NULL, NULL}},
  {"INTERP", "k", {"*** INTERP", "GFLOPS", NULL, NULL}},
  {"INTERP", "si", {"schedule of 2 kernels", "-- program", NULL, NULL}},
  {"INTERP", "t", {"INTERP: 2 kernels", "0 compiled", NULL, NULL}}
};

static void test_letters(void) {
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    const letter *c = &letters[i];
    int ok;
    lines l = run(c->device, c->debug, "", &ok);
    CHECK(ok);
    for (int j = 0; j < 4 && c->says[j]; j++) {
      CHECK(has(&l, c->says[j]));
      if (!has(&l, c->says[j])) fprintf(stderr, "    %s on %s does not say '%s'\n", c->debug, c->device, c->says[j]);
    }
    free(l.text);
  }
}

static void test_quiet(void) {
  int ok;
  lines l = run("CPU", "", "", &ok);
  CHECK(ok);
  CHECK_EQ(l.count, 0);
  setenv("TINY_DEBUG", "t", 1);
  l = run("CPU", "", "", &ok);             // what the program says wins
  CHECK_EQ(l.count, 0);
  l = run("CPU", NULL, "", &ok);
  CHECK_EQ(l.count, 1);
  free(l.text);
  unsetenv("TINY_DEBUG");
  l = run("CPU", NULL, "", &ok);
  CHECK_EQ(l.count, 0);
}

// Kernels that lie compiled on disk are shown all the same.
static void test_source_of_cached(void) {
  for (int i = 0; i < 2; i++) for (const char *letter = "cd"; *letter; letter++) {
    const char debug[2] = {*letter, 0};
    int ok;
    lines l = run("CPU", debug, NULL, &ok);
    CHECK(ok);
    CHECK(has(&l, "r_"));
    free(l.text);
  }
}

int main(void) {
  unsetenv("TINY_DEBUG");
  test_letters();
  test_quiet();
  test_source_of_cached();
  return test_report();
}
