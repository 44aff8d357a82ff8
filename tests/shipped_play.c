// shipped_play: what tests/shipped_make.c has saved, loaded in this process by a build that only runs: the same bits, run
// after run. Called by tests/test_shipped.sh: shipped_play FOLDER DEVICE trusted|untrusted|refused ALL NAME ..
// refused: the system lets no memory be executed that was written. ALL: as many kernels of each program as are
// interpreted at least: "0" of none, "all", "some".
static int refuses;
#define TN_OS_REFUSES refuses
#define TINY_RUNTIME_ONLY
#include "../src/all.c"
#include "test.h"

enum { MOST = 8, RUNS = 3 };
static char said[4096];
static void hear(void *user, const char *line) {
  (void)user;
  snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", line);
}
static char *read_file(const char *folder, const char *name, const char *kind, size_t *n) {
  char path[300], *data;
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, kind);
  FILE *f = fopen(path, "rb");
  CHECK(f != NULL);
  if (!f) exit(1);
  fseek(f, 0, SEEK_END);
  *n = (size_t)ftell(f);
  data = (char *)malloc(*n + 1);
  rewind(f);
  CHECK_EQ(fread(data, 1, *n, f), *n);
  fclose(f);
  return data;
}
static size_t bytes_of(tiny_dtype dtype, const tiny_shape *s) { return (size_t)tn_dims_nelem(s->ndim, s->dim) * tn_dtypes[dtype].nbytes; }

typedef struct ends { void *at[MOST]; size_t nbytes[MOST]; int n; } ends;
static ends inputs_of(const tiny_program *p) {
  ends e;
  tiny_dtype dtype;
  tiny_shape shape;
  for (e.n = 0; tiny_program_input(p, e.n, &dtype, &shape); e.n++) {
    e.nbytes[e.n] = bytes_of(dtype, &shape);
    e.at[e.n] = malloc(e.nbytes[e.n] + 1);
  }
  return e;
}
static ends outputs_of(const tiny_program *p) {
  ends e;
  tiny_dtype dtype;
  tiny_shape shape;
  for (e.n = 0; tiny_program_output(p, e.n, &dtype, &shape); e.n++) {
    e.nbytes[e.n] = bytes_of(dtype, &shape);
    e.at[e.n] = malloc(e.nbytes[e.n] + 1);
  }
  return e;
}
static void drop(ends *e) { while (e->n) free(e->at[--e->n]); }

static void run_all(tiny_program *p, const char *folder, const char *name) {
  size_t n = 0, m = 0, at = 0;
  char *runs = read_file(folder, name, "runs", &n), *memory = read_file(folder, name, "memory", &m);
  ends in = inputs_of(p), out = outputs_of(p);
  for (int run = 0; run < RUNS; run++) {
    for (int i = 0; i < in.n; at += in.nbytes[i++]) if (at + in.nbytes[i] <= n) memcpy(in.at[i], runs + at, in.nbytes[i]);
    const tiny_code code = tiny_program_call(p, (const void *const *)in.at, out.at);
    CHECK_EQ(code, TINY_OK);
    if (code != TINY_OK) { fprintf(stderr, "  %s\n", tiny_error(p->t)); break; }
    for (int i = 0; i < out.n; at += out.nbytes[i++]) {
      CHECK(at + out.nbytes[i] <= n && !memcmp(out.at[i], runs + at, out.nbytes[i]));
    }
  }
  CHECK_EQ(at, n);
  at = 0;
  for (int k = 0; at < m; k++) {
    char name_of[16];
    tiny_dtype dtype = TINY_F32;
    int64_t nelem = 0;
    const char *w;
    int i = 0;
    snprintf(name_of, sizeof name_of, "w%d", k);
    while ((w = tiny_program_memory(p, i, &dtype, &nelem)) != NULL && strcmp(w, name_of)) i++;
    CHECK(w != NULL);
    if (!w) break;
    const size_t nbytes = (size_t)nelem * tn_dtypes[dtype].nbytes;
    char *now = (char *)malloc(nbytes + 1);
    CHECK_EQ(tiny_program_read(p, w, now, nbytes), TINY_OK);
    CHECK(at + nbytes <= m && !memcmp(now, memory + at, nbytes));
    CHECK_EQ(tiny_program_write(p, w, now, nbytes), TINY_OK);
    at += nbytes;
    free(now);
  }
  free(runs); free(memory);
  drop(&in); drop(&out);
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  const char *folder = argv[1], *device = argv[2], *all = argv[4];
  for (int i = 5; i < argc; i++) {
    tiny_desc d;
    tiny_program_source from;
    char path[300];
    if (!case_named("%s", argv[i])) continue;
    memset(&d, 0, sizeof d); memset(&from, 0, sizeof from);
    d.device = device; d.threads = 2; d.seed = 11; d.log.fn = hear;
    *said = 0;
    refuses = !strcmp(argv[3], "refused") ? TN_OS_NO_EXECUTION : 0;
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(tiny_status(t), TINY_OK);
    snprintf(path, sizeof path, "%s/%s.tiny", folder, argv[i]);
    from.path = path; from.trusted = strcmp(argv[3], "untrusted") != 0;
    const uint64_t before = tn_os_now();
    tiny_program *p = tiny_program_load(t, &from);
    const double ms = 1e-6 * (double)(tn_os_now() - before);
    CHECK(p != NULL);
    if (!p) fprintf(stderr, "  %s\n", tiny_error(t));
    if (p) {
      const int n = p->o.f.n[TN_SAVED_KERNELS];
      CHECK(!strcmp(all, "all") ? p->interpreted == n : !strcmp(all, "some") || p->interpreted == 0);
      CHECK_EQ(p->interpreted != 0, *said != 0);
      printf("%-12s %2d of %2d kernels interpreted, loaded in %.3f ms; %s", argv[i], p->interpreted, n, ms, *said ? said : "\n");
      run_all(p, folder, argv[i]);
    }
    tiny_program_free(p);
    tiny_close(t);
  }
  return test_report();
}
