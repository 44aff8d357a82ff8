// shipped_play: what tests/shipped_make.c has saved, loaded in this process by a build that only runs: the same bits, run
// after run. Called by tests/test_shipped.sh: shipped_play FOLDER DEVICE trusted|untrusted|refused ALL NAME ..
// refused: the system lets no memory be executed that was written. ALL: as many kernels of each program as are
// interpreted at least: "0" of none, "all", "some".
static int refuses;
#define TN_OS_REFUSES refuses
#define TINY_RUNTIME_ONLY
#include "../src/all.c"
#include "test.h"

enum { MOST = 64, RUNS = 3 };
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

// A run in pieces of ns; between them another program runs, whole or to be finished with the next piece. how: 1: what
// has a name is read on the way, which ends the run. Returns how many pieces there were.
static int in_pieces(tiny_program *p, tiny_program *other, const ends *in, ends *out, uint64_t ns, int how) {
  ends other_in = inputs_of(other), other_out = outputs_of(other);
  tiny_code code = TINY_MORE;
  int pieces = 0;
  for (int i = 0; i < other_in.n; i++) memset(other_in.at[i], 0, other_in.nbytes[i]);
  for (; code == TINY_MORE; pieces++) {
    const void *given[MOST];               // the arrays are the caller's between two calls
    void *taken[MOST];
    memcpy(given, in->at, sizeof given); memcpy(taken, out->at, sizeof taken);
    code = tiny_program_call_for(p, given, taken, ns);
    memset(given, 0, sizeof given); memset(taken, 0, sizeof taken);
    tiny_dtype dtype;
    int64_t nelem;
    const char *w = how && pieces == 2 ? tiny_program_memory(p, 0, &dtype, &nelem) : NULL;
    if (w && code == TINY_MORE) {
      void *now = malloc((size_t)nelem * tn_dtypes[dtype].nbytes + 1);
      CHECK_EQ(tiny_program_read(p, w, now, (size_t)nelem * tn_dtypes[dtype].nbytes), TINY_OK);
      CHECK_EQ(tiny_program_call_for(p, NULL, NULL, ns), TINY_OK);         // it is over: nothing is looked at
      code = TINY_OK;
      free(now);
    }
    if (p->o.f.head->draws || code != TINY_MORE || pieces > 40) continue;
    const tiny_code others = tiny_program_call_for(other, (const void *const *)other_in.at, other_out.at, pieces % 3 ? 1 : UINT64_MAX);
    CHECK(others == TINY_OK || (others == TINY_MORE && pieces % 3));
  }
  CHECK_EQ(code, TINY_OK);
  CHECK(ns < UINT64_MAX || pieces == 1);
  if (other->run.under_way || other->run.waits)
    CHECK_EQ(tiny_program_call_for(other, (const void *const *)other_in.at, other_out.at, UINT64_MAX), TINY_OK);
  drop(&other_in); drop(&other_out);
  return pieces;
}
static void run_all(tiny_program *p, tiny_program *other, const char *folder, const char *name) {
  size_t n = 0, m = 0, at = 0;
  char *runs = read_file(folder, name, "runs", &n), *memory = read_file(folder, name, "memory", &m);
  ends in = inputs_of(p), out = outputs_of(p);
  int pieces = 0;
  for (int run = 0; run < RUNS; run++) {
    for (int i = 0; i < in.n; at += in.nbytes[i++]) if (at + in.nbytes[i] <= n) memcpy(in.at[i], runs + at, in.nbytes[i]);
    tiny_code code = TINY_OK;
    if (run == 0) code = tiny_program_call(p, (const void *const *)in.at, out.at);
    else pieces += in_pieces(p, other, &in, &out, run == 1 ? 1 : 20000, run == 2);
    CHECK_EQ(code, TINY_OK);
    if (tiny_status(p->t) != TINY_OK) { fprintf(stderr, "  %s\n", tiny_error(p->t)); break; }
    for (int i = 0; i < out.n; at += out.nbytes[i++]) {
      CHECK(at + out.nbytes[i] <= n && !memcmp(out.at[i], runs + at, out.nbytes[i]));
    }
  }
  CHECK_EQ(at, n);
  if (pieces > RUNS) printf("%-12s two runs in %d pieces\n", name, pieces);
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

// ** what goes wrong **

static long left, alive;                   // allocations until one is refused; blocks
static void *counted(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user; (void)old_nbytes;
  if (!new_nbytes) { alive -= ptr != NULL; free(ptr); return NULL; }
  if (left >= 0 && left-- == 0) return NULL;
  void *p = realloc(ptr, new_nbytes);
  alive += !ptr && p;
  return p;
}
static void refused(tiny_ctx *t, const char *data, size_t n, const char *what) {
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.data = data; from.nbytes = n;
  CHECK(tiny_program_load(t, &from) == NULL);
  CHECK_EQ(tiny_status(t), TINY_E_IO);
  if (what && !strstr(tiny_error(t), what)) fprintf(stderr, "  %s; wanted: %s\n", tiny_error(t), what);
  CHECK(!what || strstr(tiny_error(t), what));
  tiny_clear(t);
}
static void test_bad_files(const char *folder, const char *name) {
  size_t n;
  char *data = read_file(folder, name, "tiny", &n), *good = (char *)malloc(n);
  tn_saved_head *h = (tn_saved_head *)(void *)data;
  memcpy(good, data, n);
  if (!case_named("bad files")) return;
  tiny_ctx *t = tiny_open(NULL);
  for (size_t cut = 0; cut < n; cut += cut < 1000 ? 7 : 1009) {
    char *part = (char *)malloc(cut + 1);  // by itself, so that what is read behind it is noticed
    memcpy(part, good, cut);
    refused(t, part, cut, NULL);
    free(part);
  }
  for (size_t at = 0; at < n; at += at < 2000 ? 3 : 911) {
    data[at] ^= 0x41;
    refused(t, data, n, NULL);
    data[at] ^= 0x41;
  }
  refused(t, "P5 2 2 255 ....................................................................................", 80, "too short");
  memset(data, 'x', 16);
  refused(t, data, n, "no program");
  memcpy(data, good, n);
  h->format++;
  refused(t, data, n, "newer");
  memcpy(data, good, n);
  h->words.word[0] ^= 1;
  refused(t, data, n, "save it again");
  memcpy(data, good, n);
  h->order = 0x04030201;
  refused(t, data, n, "byte order");
  tiny_close(t);
  free(data); free(good);
}
static void test_arguments(const char *folder, const char *name) {
  char path[300];
  unsigned char digest[32];
  tiny_program_source from;
  if (!case_named("arguments")) return;
  tiny_ctx *t = tiny_open(NULL);
  memset(&from, 0, sizeof from);
  CHECK(tiny_program_load(NULL, &from) == NULL && tiny_program_load(t, NULL) == NULL);
  tiny_clear(t);
  CHECK(tiny_program_load(t, &from) == NULL && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  from.path = "there/is/none.tiny";
  CHECK(tiny_program_load(t, &from) == NULL && tiny_status(t) == TINY_E_IO);
  tiny_clear(t);
  snprintf(path, sizeof path, "%s/%s.tiny", folder, name);
  from.path = path; from.trusted = 1;
  CHECK_EQ(tiny_program_digest(t, &from, digest), TINY_OK);
  from.digest = digest;
  tiny_program *p = tiny_program_load(t, &from);
  CHECK(p != NULL);
  digest[5] ^= 1;
  CHECK(tiny_program_load(t, &from) == NULL && strstr(tiny_error(t), "of that digest"));
  tiny_clear(t);
  ends in = inputs_of(p), out = outputs_of(p);
  for (int i = 0; i < in.n; i++) memset(in.at[i], 0, in.nbytes[i]);
  CHECK_EQ(tiny_program_call(NULL, NULL, NULL), TINY_E_ARG);
  CHECK_EQ(tiny_program_call(p, NULL, out.at), TINY_E_ARG);
  tiny_clear(t);
  void *kept = out.at[0];
  out.at[0] = NULL;
  CHECK_EQ(tiny_program_call(p, (const void *const *)in.at, out.at), TINY_E_ARG);
  tiny_clear(t);
  out.at[0] = kept;
  CHECK_EQ(tiny_program_call(p, (const void *const *)in.at, out.at), TINY_OK);
  CHECK(!tiny_program_input(p, -1, NULL, NULL) && !tiny_program_input(p, in.n, NULL, NULL) && tiny_program_input(p, 0, NULL, NULL));
  CHECK(!tiny_program_output(p, out.n, NULL, NULL) && tiny_program_memory(p, 1000, NULL, NULL) == NULL);
  CHECK_EQ(tiny_program_read(p, "nobody", digest, 4), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_program_write(p, "w0", digest, 1), TINY_E_ARG);
  tiny_clear(t);
  CHECK(tiny_program_kernel_count(p) > 0 && tiny_program_kernel_count(NULL) == 0);
  drop(&in); drop(&out);
  tiny_close(t);                           // with the program
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NV:0";
  t = tiny_open(&d);
  CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
  tiny_clear(t);
  CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
  CHECK(tiny_program_load(t, &from) == NULL);
  tiny_close(t);
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.max_nbytes = 64;
  t = tiny_open(&d);
  from.digest = NULL;
  CHECK(tiny_program_load(t, &from) == NULL && tiny_status(t) == TINY_E_MEMORY);
  tiny_close(t);
}
static void test_refused(const char *folder, const char *name, int trusted) {
  size_t n;
  tiny_desc d;
  tiny_program_source from;
  int done = 0;
  if (!case_named("the n-th allocation, %s", trusted ? "trusted" : "not")) return;
  memset(&d, 0, sizeof d); memset(&from, 0, sizeof from);
  d.alloc.fn = counted; d.threads = 2; d.log.fn = hear;
  from.data = read_file(folder, name, "tiny", &n); from.nbytes = n; from.trusted = trusted;
  for (long nth = 0; !done && nth < 5000; nth++) {
    *said = 0;
    left = nth; alive = 0;
    tiny_ctx *t = tiny_open(&d);
    tiny_program *p = t ? tiny_program_load(t, &from) : NULL;
    if (p) {
      ends in = inputs_of(p), out = outputs_of(p);
      for (int i = 0; i < in.n; i++) memset(in.at[i], 0, in.nbytes[i]);
      const tiny_code code = tiny_program_call(p, (const void *const *)in.at, out.at);
      CHECK(code == TINY_OK || code == TINY_E_MEMORY);
      done = code == TINY_OK && left > 0;
      drop(&in); drop(&out);
    } else CHECK_EQ(tiny_status(t), TINY_E_MEMORY);
    left = -1;
    if (!p && t && tiny_status(t) == TINY_E_MEMORY && t->runtime && t->runtime->open) {
      tiny_clear(t);                       // and it goes on
      p = tiny_program_load(t, &from);
      CHECK(p != NULL);
    }
    tiny_close(t);
    CHECK_EQ(alive, 0);
  }
  CHECK(done);
  free((void *)(uintptr_t)from.data);
}

// ** runs that are cancelled **

static int64_t cancels;                    // 1: another thread does so all the time
static void cancel_often(void *arg) {
  while (tn_os_atomic_load(&cancels)) {
    const uint64_t until = tn_os_now() + 300000;
    while (tn_os_now() < until) tn_os_relax();
    tiny_cancel((tiny_ctx *)arg);
  }
}
// Of two programs of one file: the first run of one that is new gives what it gave where it was saved.
static void as_saved(tiny_ctx *t, const tiny_program_source *from, const char *folder, const char *name) {
  size_t n, at = 0;
  char *runs = read_file(folder, name, "runs", &n);
  tiny_program *p = tiny_program_load(t, from);
  ends in = inputs_of(p), out = outputs_of(p);
  for (int i = 0; i < in.n; at += in.nbytes[i++]) memcpy(in.at[i], runs + at, in.nbytes[i]);
  CHECK_EQ(tiny_program_call(p, (const void *const *)in.at, out.at), TINY_OK);
  for (int i = 0; i < out.n; at += out.nbytes[i++]) CHECK(!memcmp(out.at[i], runs + at, out.nbytes[i]));
  drop(&in); drop(&out);
  free(runs);
  tiny_program_free(p);
}
static void test_cancel(const char *folder, const char *name, int trusted) {
  char path[300];
  tiny_program_source from;
  tiny_desc d;
  if (!case_named("cancel %s, %s", name, trusted ? "trusted" : "not")) return;
  memset(&from, 0, sizeof from); memset(&d, 0, sizeof d);
  d.threads = 2; d.seed = 11; d.log.fn = hear; *said = 0;
  snprintf(path, sizeof path, "%s/%s.tiny", folder, name);
  from.path = path; from.trusted = trusted;
  tiny_ctx *t = tiny_open(&d);
  tiny_program *p = tiny_program_load(t, &from), *q = tiny_program_load(t, &from);
  ends in = inputs_of(p), out = outputs_of(p), more = outputs_of(p);
  const void *const *given = (const void *const *)in.at;
  for (int i = 0; i < in.n; i++) memset(in.at[i], 0, in.nbytes[i]);
  tiny_cancel(NULL);
  tiny_cancel(t);                          // nothing runs: the next that does
  CHECK_EQ(tiny_program_call(p, given, out.at), TINY_E_CANCELLED);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_cancel(t);
  tiny_clear(t);                           // forgets it
  const int begun = tiny_program_call_for(p, given, out.at, 1) == TINY_MORE;
  const int both = tiny_program_call_for(q, given, more.at, 1) == TINY_MORE;
  if (begun && both) {
    tiny_cancel(t);
    CHECK_EQ(tiny_program_call_for(q, given, more.at, 1), TINY_E_CANCELLED);
    CHECK_EQ(tiny_program_call_for(p, given, out.at, 1), TINY_E_CANCELLED);
    as_saved(t, &from, folder, name);      // its random numbers, too
    CHECK_EQ(tiny_program_call_for(p, given, out.at, 1), TINY_MORE);       // another run
    CHECK_EQ(tiny_program_call(p, given, more.at), TINY_OK);               // which goes on to its end first
    CHECK_EQ(tiny_program_call_for(p, given, out.at, 1), TINY_OK);
    CHECK_EQ(tiny_program_call_for(p, given, out.at, 1), TINY_MORE);
    CHECK_EQ(tiny_program_call_for(q, given, out.at, 1), TINY_MORE);
    tiny_program_free(q);                  // under way
  }
  CHECK_EQ(tiny_program_call_for(NULL, given, out.at, 1), TINY_E_ARG);
  tn_os_thread other;
  cancels = 1;
  if (tn_os_thread_start(&other, cancel_often, t)) {
    int over = 0, done = 0;
    for (int i = 0; i < 60; i++) {
      const tiny_code code = i & 1 ? tiny_program_call(p, given, out.at) : tiny_program_call_for(p, given, out.at, 50000);
      CHECK(code == TINY_OK || code == TINY_E_CANCELLED || (code == TINY_MORE && !(i & 1)));
      over += code == TINY_E_CANCELLED; done += code == TINY_OK;
    }
    tn_os_atomic_store(&cancels, 0);
    tn_os_thread_join(&other);
    printf("%s: %d calls were cancelled, %d were not\n", name, over, done);
  }
  tiny_clear(t);
  CHECK_EQ(tiny_status(t), TINY_OK);
  drop(&in); drop(&out); drop(&more);
  tiny_close(t);
  t = tiny_open(&d);
  as_saved(t, &from, folder, name);
  tiny_close(t);
}

// ** the same bits by compiled lists and by interpreted ones **

static uint64_t hash_of(uint64_t hash, const void *data, size_t n) {
  for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  return hash;
}
// Of two runs on numbers that are the same everywhere, and what memory holds then.
static uint64_t bits_of(const char *path, const char *device, const char *compiler, int trusted) {
  tiny_desc d;
  tiny_program_source from;
  uint64_t hash = 14695981039346656037u;
  memset(&d, 0, sizeof d); memset(&from, 0, sizeof from);
  d.device = device; d.threads = 2; d.seed = 11; d.log.fn = hear; d.compiler = compiler;
  from.path = path; from.trusted = trusted;
  *said = 0;
  tiny_ctx *t = tiny_open(&d);
  tiny_program *p = tiny_program_load(t, &from);
  CHECK(p != NULL);
  if (!p) { fprintf(stderr, "  %s\n", tiny_error(t)); tiny_close(t); return 0; }
  ends in = inputs_of(p), out = outputs_of(p);
  for (int run = 0; run < 2; run++) {
    for (int i = 0; i < in.n; i++) {
      const tn_saved_input *x = &p->o.f.input[i];
      const int each = tn_dtypes[x->dtype].nbytes;
      for (size_t k = 0; k * (size_t)each < in.nbytes[i]; k++) {
        const int64_t some = (int64_t)(k * 7919 + (size_t)run * 31 + (size_t)i * 17) % 2003;
        const int64_t whole = x->least > some % 2 ? x->least : some % 2;
        tn_dtype_store(x->dtype, (char *)in.at[i] + k * (size_t)each,
                       tn_is_float(x->dtype) ? tn_dtype_value(x->dtype, (double)some / 1001 - 1) : whole);
      }
    }
    CHECK_EQ(tiny_program_call(p, (const void *const *)in.at, out.at), TINY_OK);
    for (int i = 0; i < out.n; i++) hash = hash_of(hash, out.at[i], out.nbytes[i]);
  }
  hash = hash_of(hash, p->contents, p->contents ? p->contents_nbytes : 0);
  drop(&in); drop(&out);
  tiny_close(t);
  return hash;
}
// interprets: 0: compiled alone, which is what large programs have time for.
static void test_same(const char *folder, const char *device, const char *name, int interprets) {
  char path[300];
  if (!case_named("the same bits, %s", name)) return;
  snprintf(path, sizeof path, "%s/%s.tiny", folder, name);
  const uint64_t own = bits_of(path, device, NULL, 1), verified = bits_of(path, device, NULL, 0);
  CHECK_EQ(own, verified);
  if (interprets) CHECK_EQ(own, bits_of(path, device, "outside", 0));
  printf("%s %016llx\n", name, (unsigned long long)own);
}

// Opens a context and loads a program, many times: the median of ms, of both kinds of loading.
static int ascending(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b; }
static void show_times(const char *folder, const char *name) {
  enum { TIMES = 201 };
  double ms[TIMES];
  char path[300];
  size_t n;
  free(read_file(folder, name, "tiny", &n));
  snprintf(path, sizeof path, "%s/%s.tiny", folder, name);
  for (int trusted = 1; trusted >= 0; trusted--) {
    for (int i = 0; i < TIMES; i++) {
      tiny_program_source from;
      tiny_desc d;
      memset(&from, 0, sizeof from); memset(&d, 0, sizeof d);
      d.log.fn = hear; *said = 0;
      from.path = path; from.trusted = trusted;
      const uint64_t before = tn_os_now();
      tiny_ctx *t = tiny_open(&d);
      CHECK(tiny_program_load(t, &from) != NULL);
      ms[i] = 1e-6 * (double)(tn_os_now() - before);
      tiny_close(t);
    }
    qsort(ms, TIMES, sizeof *ms, ascending);
    printf("%s, %zu bytes, %s: opened and loaded in %.3f ms (median of %d; least %.3f)\n", name, n,
           trusted ? "its machine code" : "its lists compiled", ms[TIMES / 2], TIMES, ms[0]);
  }
}

int main(int argc, char **argv) {
  left = -1;
  if (argc > 3 && !strcmp(argv[2], "time")) {
    for (int i = 3; i < argc; i++) show_times(argv[1], argv[i]);
    return test_report();
  }
  if (argc > 4 && (!strcmp(argv[3], "same") || !strcmp(argv[3], "compiled"))) {
    for (int i = 4; i < argc; i++) test_same(argv[1], argv[2], argv[i], argv[3][0] == 's');
    return test_report();
  }
  if (argc == 4 && !strcmp(argv[2], "bad")) {
    test_bad_files(argv[1], argv[3]);
    test_arguments(argv[1], argv[3]);
    test_refused(argv[1], argv[3], 1);
    test_refused(argv[1], argv[3], 0);
    for (int trusted = 0; trusted < 2; trusted++) {
      test_cancel(argv[1], argv[3], trusted);
      test_cancel(argv[1], "random", trusted);
      test_cancel(argv[1], "transformer", trusted);
    }
    return test_report();
  }
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
      tiny_program *other = tiny_program_load(t, &from);
      CHECK(other != NULL);
      run_all(p, other, folder, argv[i]);
    }
    tiny_program_free(p);
    tiny_close(t);
  }
  return test_report();
}
