// test_languages: kernels in CUDA C, HIP C, OpenCL C, Metal and WGSL: what CUDA's and Metal's texts compute, compiled
// as C++ on this machine, is what the interpreter computes; what a language has not is an error that says so.
//
// $TEST_LANGUAGES: a folder into which the kernels are written instead, which tools/languages.py has compiled;
// $TEST_LANGUAGES_ALL: not the few that `make test` looks at, but all of them; $TEST_LANGUAGES_ONLY: of languages whose
// names hold that.
#include "metal_kernel.c"
#include "../src/all.c"
#include "test.h"
#include "language_graphs.h"
#include "languages.h"

// ** text **

static int graph_number(const tiny_dtype *dtypes) { int n = 0; while (dtypes[n] != TINY_VOID) n++; return n; }
// Two or three of each maker's.
static int is_of_few(const graph *g, int at) { return at % (graph_number(g->dtypes) * g->variants / 2 + 1) == 0; }

// What a language refuses, and in which words.
static void write_refused(tiny_ctx *t, const language_device *d) {
  CHECK(tiny_status(t) == TINY_E_COMPILE && strstr(tiny_error(t), " has no "));
  language_write(d->language, "refused.txt", tn_text_of_format(t, "%s: %s\n", d->graph, tiny_error(t)));
  tiny_clear(t);
}
static void write_graph(tiny_ctx *t, const graph *g, tiny_dtype d, int variant) {
  language_device *to = (language_device *)t->device[0]->dev;
  tiny_tensor *out[GRAPH_OUTPUTS];
  snprintf(to->graph, sizeof to->graph, "%s %s %d", g->name, tiny_dtype_name(d), variant);
  tiny_begin(t);
  const int n = g->make(t, d, variant, out);
  CHECK_EQ(tiny_status(t), TINY_OK);
  if (tiny_realize(out, n) != TINY_OK) write_refused(t, to);
  tiny_end(t);
}
// What depends on values that were not computed is left out.
static void write_case(tiny_ctx *t, vector_case *c) {
  language_device *d = (language_device *)t->device[0]->dev;
  tiny_tensor *in[MOST] = {0}, *out[MOST] = {0};
  tiny_begin(t);
  d->reads = 0;
  snprintf(d->graph, sizeof d->graph, "%s", c->op->name);
  for (int i = 0; i < c->nin; i++) in[i] = tiny_from(t, c->in[i].data, c->in[i].dtype, c->in[i].s);
  const int n = c->op->make(t, in, out);
  if (n == c->nout && !d->reads && tiny_status(t) == TINY_OK && tiny_realize(out, n) != TINY_OK)
    write_refused(t, d);
  tiny_clear(t);
  tiny_end(t);
}
// The first case of every eighth operator.
static void write_room(tiny_ctx *t, const vector_room *room) {
  static vector_case c;
  size_t nbytes = 0;
  unsigned char *data = load_room(room, &nbytes), seen[512] = {0};
  CHECK(data != NULL && room->n <= sizeof seen);
  for (const unsigned char *p = data; data && p < data + nbytes;) {
    p = take_case(p, room, &c);
    if ((c.op - room->op) % 8 == 0 && !seen[c.op - room->op]++) write_case(t, &c);
  }
  free(data);
}
// added: of sums that groups add to memory, and these alone.
static void write_graphs(tiny_ctx *t, int all, int added) {
  for (int i = added ? GRAPHS - 1 : 0; i < GRAPHS; i++)
    for (int at = 0, n = graph_number(graphs[i].dtypes); at < n * graphs[i].variants; at++)
      if (all || added || is_of_few(&graphs[i], at)) write_graph(t, &graphs[i], graphs[i].dtypes[at % n], at / n);
}
// What stands before the kernels of a module: of PTX for what these want, of others for all that there are.
static void write_prelude(tiny_ctx *t, const language_device *d) {
  const tiny_rendered most = {"", 0, d->uses};
  tiny_bytes prelude = {t, NULL, 0, 0};
  d->renderer.module(t, &d->renderer, &most, d->language->gpu ? 1 : 0, &prelude);
  language_write(d->language, "prelude.txt", prelude.data);
}
static void write_language(const language *l, int all) {
  static const char *const how[] = {"", "-lanes", "-atomics"};
  uint64_t uses = 0;
  char path[300], device[64];
  tiny_backend b = language_backend();
  language_path(path, sizeof path, l, NULL);
  mkdir(path, 0777);
  for (int i = 0; i < 3; i++) {
    snprintf(device, sizeof device, "LANG:%s%s", l->name, how[i]);
    tiny_ctx *t = language_context(&b, device);
    CHECK(tiny_status(t) == TINY_OK);
    language_device *d = (language_device *)t->device[0]->dev;
    d->uses = uses;
    write_graphs(t, all, i == 2);
    for (size_t k = 0; all && !i && k < sizeof rooms / sizeof *rooms; k++) write_room(t, &rooms[k]);
    uses = d->uses;
    if (i == 2) write_prelude(t, d);
    tiny_close(t);
  }
}

// ** values **

// A graph on the device and by the interpreter.
typedef struct subject { char name[64]; int n; tiny_tensor *got[GRAPH_OUTPUTS], *want[GRAPH_OUTPUTS]; } subject;

static void compare(const subject *s, double ulps) {
  case_named("%s", s->name);
  for (int i = 0; i < s->n; i++) {
    const size_t nbytes = (size_t)tiny_nelem_of(s->got[i]) * tiny_dtype_nbytes(tiny_dtype_of(s->got[i]));
    unsigned char *got = (unsigned char *)malloc(nbytes + 1), *data = (unsigned char *)malloc(nbytes + 1);
    const value v = {tiny_dtype_of(s->want[i]), tiny_shape_of(s->want[i]), data, NULL};
    int64_t at = 0;
    CHECK_EQ(tiny_read(s->got[i], got, nbytes), TINY_OK);
    CHECK_EQ(tiny_read(s->want[i], data, nbytes), TINY_OK);
    const double e = error_of(&v, got, 0, 0, &at);
    CHECK(e <= ulps);
    if (e > ulps && test_shown())
      fprintf(stderr, "  output %d, element %lld: %.9g, by the interpreter %.9g\n", i, (long long)at,
              number(v.dtype, got, at), number(v.dtype, data, at));
    free(got); free(data);
  }
}
// All at once, so that the compiler is called once.
static void test_values(const char *device) {
  static subject subjects[256];
  static tiny_tensor *all[256 * GRAPH_OUTPUTS];
  const int added = strstr(device, "-atomics") != NULL;
  int nsubject = 0, n = 0;
  tiny_backend b = language_backend();
  tiny_ctx *t = language_context(&b, device), *interp = language_context(&b, "INTERP");
  CHECK(tiny_status(t) == TINY_OK);
  const int metal = ((const language_device *)t->device[0]->dev)->language->metal;
  for (int i = 0; i < GRAPHS; i++) {
    const graph *g = &graphs[i];
    for (int at = 0, dtypes = graph_number(g->dtypes); at < dtypes * g->variants; at++) {
      const tiny_dtype d = g->dtypes[at % dtypes];
      subject *s = &subjects[nsubject];
      if ((added ? i + 1 < GRAPHS : !is_of_few(g, at)) || (d == TINY_F64 && metal)) continue;
      snprintf(s->name, sizeof s->name, "%s %s %d", g->name, tiny_dtype_name(d), at / dtypes);
      s->n = g->make(t, d, at / dtypes, s->got);
      CHECK_EQ(g->make(interp, d, at / dtypes, s->want), s->n);
      for (int k = 0; k < s->n; k++) all[n++] = s->got[k];
      nsubject++;
    }
  }
  CHECK_EQ(tiny_realize(all, n), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  else for (int i = 0; i < nsubject; i++) compare(&subjects[i], 32);      // sums in another order
  case_end();
  tiny_close(t);
  tiny_close(interp);
}

// ** others' Metal: what Tint, glslang and SPIRV-Cross make of the same kernels in WGSL **

// A few graphs of f32, i32 and u32, as far as WGSL has what they want: what others wrote computes what the interpreter
// does, and so the executor of Metal's kernels has not only this library's reading of the language. WGSL's 2^x is off by
// 3 + 2 |x| ulp and e^x is 2^(x log2 e), whose rounded product is off by |x| / 2: by 8 where attention's weights are e^-16,
// and their gradients times sums of 64. With exp(x) in its place attention's gradients are the interpreter's to the bit.
static void test_others(void) {
  enum { EVERY = 5, LEAST = 8 };
  tiny_backend b = language_backend();
  tiny_ctx *t = language_context(&b, "LANG:wgsl-run"), *interp = language_context(&b, "INTERP");
  int ran = 0, seen = 0;
  for (int i = 0; i + 1 < GRAPHS; i++) {
    const graph *g = &graphs[i];
    for (int at = 0, dtypes = graph_number(g->dtypes); at < dtypes * g->variants; at++) {
      const tiny_dtype d = g->dtypes[at % dtypes];
      subject s;
      if ((d != TINY_F32 && d != TINY_I32 && d != TINY_U32) || seen++ % EVERY) continue;
      snprintf(s.name, sizeof s.name, "%s %s %d", g->name, tiny_dtype_name(d), at / dtypes);
      s.n = g->make(t, d, at / dtypes, s.got);
      const tiny_code code = tiny_realize(s.got, s.n);
      CHECK(code == TINY_OK || (code == TINY_E_COMPILE && strstr(tiny_error(t), "WGSL has no ")));
      if (code != TINY_OK && !strstr(tiny_error(t), "WGSL has no ")) fprintf(stderr, "  %s: %s\n", s.name, tiny_error(t));
      if (code != TINY_OK) { tiny_clear(t); continue; }
      CHECK_EQ(g->make(interp, d, at / dtypes, s.want), s.n);
      compare(&s, strcmp(g->name, "attention") ? 32 : 256);
      ran++;
    }
  }
  case_end();
  CHECK(ran >= LEAST);
  printf("test_languages: %d graphs in others' Metal\n", ran);
  tiny_close(t);
  tiny_close(interp);
}
// The tools for it: that they are not here is said.
static int others_are_here(void) {
  return !system("command -v node spirv-cross glslangValidator >/dev/null && "
                 "test -d ${WEBGPU:-build/npm}/node_modules/webgpu && ldconfig -p | grep -q libEGL");
}

// ** exponentials that are rounded to a narrow float **

static tiny_tensor *f_exp(tiny_tensor *x) { return tiny_exp(x); }
static tiny_tensor *f_exp2(tiny_tensor *x) { return tiny_exp2(x); }
static tiny_tensor *f_sigmoid(tiny_tensor *x) { return tiny_sigmoid(x); }
static tiny_tensor *f_silu(tiny_tensor *x) { return tiny_silu(x); }
static double true_exp(double x) { return exp(x); }
static double true_exp2(double x) { return exp2(x); }
static double true_sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double true_silu(double x) { return x / (1 + exp(-x)); }

// All values of a narrow float, by a 2^x that is as far off as it may be (metal_stub.h): half an ulp of the true result
// but for rounding in f32 before. Results below the normals count in ulp of the least normal.
static void test_rounded(const char *device, tiny_dtype d, tiny_tensor *(*f)(tiny_tensor *x), double (*want)(double x)) {
  enum { N = 1 << 16 };
  static uint16_t data[N], got[N];
  tiny_backend b = language_backend();
  tiny_ctx *t = language_context(&b, device);
  const int mantissa = tn_dtypes[d].mantissa, least = d == TINY_F16 ? -14 : -126;
  double most = 0;
  for (int i = 0; i < N; i++) data[i] = (uint16_t)i;
  CHECK_EQ(tiny_read(f(tiny_from(t, data, d, TINY_SHAPE(N))), got, sizeof got), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  for (int i = 0; i < N; i++) {
    const double x = tn_dtype_unpack(d, i), y = tn_dtype_unpack(d, got[i]), true_y = want(x);
    int e = 0;
    if (x != x || true_y != true_y) { CHECK(y != y); continue; }
    if (tn_dtype_round(d, true_y) == y) continue;
    frexp(true_y, &e);
    const double ulp = ldexp(1, (e - 1 < least ? least : e - 1) - mantissa), off = fabs(y - true_y) / ulp;
    if (off > most) most = off;
  }
  CHECK(most <= 0.5 + 1.0 / 32);
  if (most > 0.5 + 1.0 / 32) fprintf(stderr, "  %g ulp\n", most);
  tiny_close(t);
}
// ** exchanges between lanes **

static char said[1 << 17];
static void hear_text(void *user, const char *line) {
  const size_t n = strlen(said);
  (void)user;
  if (n + strlen(line) + 2 < sizeof said) { memcpy(said + n, line, strlen(line) + 1); strcat(said, "\n"); }
}
// Sums of floats and of bools, in the text of one language; NULL: it has none.
static void test_exchanged(const char *device, const char *of_floats, const char *of_bools) {
  tiny_backend b = language_backend();
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = &b; d.cache_dir = ""; d.threads = 1; d.debug = "c"; d.log.fn = hear_text;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 512)), *out[2];
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  said[0] = 0;
  out[0] = tiny_sum(x, 1, 0);
  CHECK_EQ(tiny_realize(out, 1), TINY_OK);
  if (of_floats) CHECK(strstr(said, of_floats) != NULL);
  else CHECK(!strstr(said, "= exchanged(") && !strstr(said, "= EXCHANGED_") && !strstr(said, "= subgroupShuffle"));
  said[0] = 0;
  out[1] = tiny_any(tiny_lt(x, tiny_neg(x)), 1, 0);
  CHECK_EQ(tiny_realize(out + 1, 1), strstr(device, "wgsl") ? TINY_E_COMPILE : TINY_OK);      // it has no bools in memory
  CHECK(!of_bools || strstr(said, of_bools) != NULL);
  if (of_bools && !strstr(said, of_bools)) fprintf(stderr, "%s\n", said);
  tiny_close(t);
}

// Integers as narrow floats where there is no f64 to cast them by, at the borders between two of them and beside.
static void test_casts(void) {
  static const tiny_dtype to[] = {TINY_F16, TINY_BF16};
  enum { N = 4096 };
  static int64_t wide[N]; static int32_t data[N]; static uint16_t got[N], want[N];
  tiny_backend b = language_backend();
  tiny_ctx *t = language_context(&b, "LANG:metal31-run"), *interp = language_context(&b, "INTERP");
  for (int i = 0; i < N; i++) {            // a power of two, half a step of bf16 or f16 above it, or about that much
    const int power = i / 2 % 31, step = power - (i & 1 ? 8 : 11);
    data[i] = (int32_t)((1u << power) + (step > 0 ? 1u << step : 0)) + i % 5 - 2;
    wide[i] = (int64_t)data[i] * ((int64_t)1 << (i / 64 % 21)) + i % 3;      // the interpreter's f64 holds them
    if (i % 7 == 0) { data[i] = ~data[i]; wide[i] = ~wide[i]; }
  }
  data[0] = INT32_MAX; data[1] = INT32_MIN; wide[0] = INT64_MIN;
  for (int k = 0; k < 4; k++) {
    const void *from = k & 1 ? (const void *)wide : (const void *)data;
    const tiny_dtype d = k & 1 ? TINY_I64 : TINY_I32;
    CHECK_EQ(tiny_read(tiny_cast(tiny_from(t, from, d, TINY_SHAPE(N)), to[k / 2]), got, sizeof got), TINY_OK);
    CHECK_EQ(tiny_read(tiny_cast(tiny_from(interp, from, d, TINY_SHAPE(N)), to[k / 2]), want, sizeof want), TINY_OK);
    int bad = 0;
    for (int i = 0; i < N; i++) bad += got[i] != want[i];
    CHECK_EQ(bad, 0);
  }
  tiny_close(t);
  tiny_close(interp);
}

// ** what a language has not **

static void refuse(const char *device, graph_maker *make, tiny_dtype d, const char *what) {
  tiny_backend b = language_backend();
  tiny_ctx *t = language_context(&b, device);
  tiny_tensor *out[GRAPH_OUTPUTS];
  CHECK_EQ(tiny_realize(out, make(t, d, 0, out)), TINY_E_COMPILE);
  CHECK(strstr(tiny_error(t), what) != NULL);
  if (!strstr(tiny_error(t), what)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}
static void test_refused(void) {
  refuse("LANG:metal24", g_matmul, TINY_F64, "Metal has no f64");
  refuse("LANG:metal31-lanes", g_rows, TINY_F64, "Metal has no f64");
  refuse("LANG:wgsl", g_matmul, TINY_F64, "WGSL has no f64");
  refuse("LANG:wgsl", g_matmul, TINY_I8, "WGSL has no i8");
}

int main(void) {
  static const char *const run[] = {
    "LANG:metal31-run", "LANG:metal31-lanes-run", "LANG:cuda80-run", "LANG:cuda80-lanes-run",
    "LANG:metal31-run-atomics", "LANG:cuda80-run-atomics", "LANG:apple7-run", "LANG:apple8-run", "LANG:apple9-run",
    "LANG:mac2-run"
  };
  const char *all = getenv("TEST_LANGUAGES_ALL");
  for (int i = 0; i < LANGUAGES && getenv("TEST_LANGUAGES"); i++)
    if (!getenv("TEST_LANGUAGES_ONLY") || strstr(languages[i].name, getenv("TEST_LANGUAGES_ONLY")))
      write_language(&languages[i], all != NULL);
  if (getenv("TEST_LANGUAGES")) return test_report();
  if (getenv("TEST_OTHERS") && !strcmp(getenv("TEST_OTHERS"), "only")) {
    if (host_compiler() && others_are_here()) test_others();
    else printf("test_languages: others' Metal is left out: there is no node, webgpu of npm, EGL, glslang or SPIRV-Cross\n");
    return test_report();
  }
  test_refused();
  test_exchanged("LANG:metal31", "= exchanged(", "= exchanged(");
  test_exchanged("LANG:metal24", NULL, NULL);
  test_exchanged("LANG:clexchange", "= EXCHANGED_float(", "= EXCHANGED_uchar(");
  test_exchanged("LANG:opencl", NULL, NULL);
  test_exchanged("LANG:wgslexchange", "= subgroupShuffleXor(", NULL);
  test_exchanged("LANG:wgsl", NULL, NULL);
  if (!host_compiler()) printf("test_languages: values are left out, there is no clang++ with halves (15 and newer)\n");
  else {
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) test_values(run[i]);
    if (getenv("TEST_OTHERS") && others_are_here()) test_others();
    else printf("test_languages: others' Metal is left out: without TEST_OTHERS, or node, webgpu of npm, EGL, glslang, SPIRV-Cross\n");
    test_casts();
    test_rounded("LANG:metal31-run", TINY_F16, f_exp, true_exp);
    test_rounded("LANG:metal31-lanes-run", TINY_F16, f_exp2, true_exp2);
    test_rounded("LANG:metal31-run", TINY_BF16, f_exp, true_exp);
    test_rounded("LANG:cuda80-run", TINY_F16, f_sigmoid, true_sigmoid);
    test_rounded("LANG:metal31-run", TINY_F16, f_silu, true_silu);
  }
  return test_report();
}
