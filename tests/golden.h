// golden: text that is compared with a file of tests/golden, or replaces it when TINY_GOLDEN=rewrite (make golden).
// Tests run in the repository's root. A test that includes this says `// also: golden`.
#ifndef GOLDEN_H
#define GOLDEN_H
#include <stdlib.h>

typedef struct golden { char *text; size_t n, cap; } golden;

// Adds a line; also a tiny_logger's function.
static void golden_line(void *user, const char *line) {
  golden *g = (golden *)user;
  const size_t n = strlen(line);
  if (g->n + n + 2 > g->cap) { g->cap = 2 * g->cap + n + 4096; g->text = (char *)realloc(g->text, g->cap); }
  memcpy(g->text + g->n, line, n);
  g->n += n;
  g->text[g->n++] = '\n';
  g->text[g->n] = 0;
}

// A context without a disk cache that logs what `debug` names; log NULL: to nobody.
static tiny_ctx *golden_open(const char *device, golden *log, const char *debug) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.debug = debug;
  if (log) { d.log.fn = golden_line; d.log.user = log; }
  return tiny_open(&d);
}

// Realizes x under a title of `out`: what the log says then is of x alone.
static void golden_realize(golden *log, golden *out, const char *mark, const char *name, tiny_tensor *x) {
  char title[96];
  log->n = 0;
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  snprintf(title, sizeof title, "%s== %s", mark, name);
  golden_line(out, title);
}
// All that the log says.
static void golden_add(const golden *log, golden *out) {
  if (!log->n) return;
  log->text[log->n - 1] = 0;
  golden_line(out, log->text);
}

static void golden_check(golden *g, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "tests/golden/%s", name);
  const char *mode = getenv("TINY_GOLDEN");
  if (mode && !strcmp(mode, "rewrite")) {
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(g->text, 1, g->n, f) == g->n);
    if (f) fclose(f);
    return;
  }
  FILE *f = fopen(path, "rb");
  char *want = (char *)calloc(1, g->n + 2);
  const size_t n = f ? fread(want, 1, g->n + 1, f) : 0;
  if (f) fclose(f);
  const int same = n == g->n && !memcmp(want, g->text, n);
  CHECK(same);
  if (!same) {                             // the first line that differs
    size_t at = 0, from = 0;
    int line = 1;
    while (at < n && at < g->n && want[at] == g->text[at]) if (want[at++] == '\n') { line++; from = at; }
    fprintf(stderr, "%s:%d\n  want: %.*s\n  got:  %.*s\n", path, line, (int)strcspn(want + from, "\n"), want + from, (int)strcspn(g->text + from, "\n"), g->text + from);
  }
  free(want);
}
static void golden_free(golden *g) { free(g->text); memset(g, 0, sizeof *g); }
#endif
