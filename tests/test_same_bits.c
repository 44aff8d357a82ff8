// brief: plain
// Who compiles a kernel does not show: the built-in compiler, C by clang and LLVM IR by clang give the same bits of f64,
// f32, f16 and bf16. Which products are fused the list says, and nobody fuses others.
// Of NaN only that it is one is compared: which of two operands hands its payload on is nobody's (IEEE 754-2019, 6.2.3).
// TEST_ROUNDS=n: n batches of random programs.
#define main test_isa_main                 // whose graphs these are
#include "test_isa.c"
#undef main
#define rnd program_rnd                    // two of a name
#define MOST PROGRAM_MOST
#include "random.h"
#undef rnd
#undef MOST

enum { PATHS = 3, BATCHES = 2, PROGRAMS = 25 };
static const char *const paths[PATHS] = {"builtin", "C", "LLVM"};

static tiny_ctx *open_path(int path) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = path == 2 ? "LLVM" : "CPU"; d.cache_dir = ""; d.seed = 5; d.threads = 1;
  d.compiler = path == 0 ? "builtin" : path == 1 ? "clang" : NULL;
  tiny_ctx *t = tiny_open(&d);
  CHECK(t != NULL);
  if (t) CHECK_EQ(tn_cpu_is_builtin(t->device[0]->dev), path == 0);
  return t;
}
static int same(double a, double b) { return !memcmp(&a, &b, sizeof a) || (a != a && b != b); }

// ** graphs **

static void compute_as(tiny_ctx *t, graph_fn fn, int m, int n, tiny_dtype dtype, answer *a) {
  tiny_begin(t);
  inputs in = make_inputs(t, m, n);
  in.x = tiny_cast(in.x, dtype); in.y = tiny_cast(in.y, dtype); in.w = tiny_cast(in.w, dtype);
  tiny_tensor *d = tiny_cast(tiny_contiguous(fn(&in)), TINY_F64);
  a->n = (int)tiny_nelem_of(d);
  a->code = tiny_read(d, a->of, sizeof a->of[0] * (size_t)a->n);
  if (a->code != TINY_OK) fprintf(stderr, "    %s\n", tiny_error(t));
  tiny_end(t);
}
static void compare_paths(const char *what, const answer *want, const answer *got, const char *path) {
  CHECK_EQ(got->code, TINY_OK);
  CHECK_EQ(got->n, want->n);
  int bad = 0, at = 0;
  for (int k = 0; k < got->n; k++) if (!same(got->of[k], want->of[k]) && !bad++) at = k;
  CHECK_EQ(bad, 0);
  if (bad) fprintf(stderr, "    %s by %s: %d of %d differ, the first at %d: %.17g, not %.17g\n", what, path, bad, got->n, at,
                   got->of[at], want->of[at]);
}
static void graphs_agree(tiny_ctx *const *t) {
  static const tiny_dtype dtypes[] = {TINY_F32, TINY_F64, TINY_F16, TINY_BF16};
  static answer a[PATHS];
  for (int g = 0; g < GRAPHS; g++) for (int d = 0; d < 4; d++) for (int s = d % 2; s < SIZES; s += 2) {
    const int m = sizes[s][0], n = sizes[s][1];
    if (!case_named("%s %s(%d,%d)", tiny_dtype_name(dtypes[d]), graphs[g].name, m, n)) continue;
    for (int p = 0; p < PATHS; p++) compute_as(t[p], graphs[g].fn, m, n, dtypes[d], &a[p]);
    for (int p = 1; p < PATHS; p++) compare_paths(graphs[g].name, &a[0], &a[p], paths[p]);
  }
  case_end();
}

// ** random programs **

typedef struct program { gen g[PROGRAMS]; item *root[PROGRAMS][MAX_ROOTS]; int nroot[PROGRAMS]; } program;
static int values(program *p, tiny_ctx *t, uint64_t first) {
  static tiny_tensor *all[PROGRAMS * MAX_ROOTS];
  int n = 0;
  memset(p, 0, sizeof *p);
  for (int i = 0; i < PROGRAMS; i++) {
    make_program(&p->g[i], t, first + (uint64_t)i, MAX_OPS);
    p->nroot[i] = roots_of(&p->g[i], p->root[i]);
    for (int j = 0; j < p->nroot[i]; j++) all[n++] = p->root[i][j]->x;
  }
  CHECK_EQ(tiny_realize(all, n), TINY_OK);
  return n;
}
static char *bytes_of(const item *a) {
  const size_t nbytes = (size_t)nelem(a) * tn_dtypes[a->dtype].nbytes;
  char *p = (char *)calloc(1, nbytes + 1);
  CHECK_EQ(tiny_read(a->x, p, nbytes), TINY_OK);
  return p;
}
static void compare_items(const item *want, const item *got, const char *path, uint64_t seed) {
  char *a = bytes_of(want), *b = bytes_of(got);
  const int nbytes = tn_dtypes[want->dtype].nbytes;
  int bad = 0;
  for (int64_t i = 0; i < nelem(want); i++) {
    const int64_t x = tn_dtype_load(want->dtype, a + i * nbytes), y = tn_dtype_load(want->dtype, b + i * nbytes);
    if (x == y || (is_real(want) && same(tn_to_f64(x), tn_to_f64(y)))) continue;
    if (!bad++) fprintf(stderr, "    seed %llu by %s: element %lld of %s: %.17g, not %.17g\n", (unsigned long long)seed, path,
                        (long long)i, tiny_dtype_name((tiny_dtype)want->dtype), tn_to_f64(y), tn_to_f64(x));
  }
  CHECK_EQ(bad, 0);
  free(a); free(b);
}
static void test_programs(uint64_t first) {
  static program p[2];
  if (!case_named("random programs from %llu on", (unsigned long long)first)) return;
  tiny_ctx *t[2];
  for (int i = 0; i < 2; i++) { t[i] = open_path(i); values(&p[i], t[i], first); }
  for (int i = 0; i < PROGRAMS; i++) {
    CHECK_EQ(p[0].nroot[i], p[1].nroot[i]);
    for (int j = 0; j < p[0].nroot[i]; j++) compare_items(p[0].root[i][j], p[1].root[i][j], paths[1], first + (uint64_t)i);
  }
  for (int i = 0; i < 2; i++) tiny_close(t[i]);
}

int main(void) {
  tiny_ctx *t[PATHS];
  for (int p = 0; p < PATHS; p++) t[p] = open_path(p);
  const int here = t[0]->device[0]->renderer.kernel == tn_cpu_builtin_kernel;
  if (!here) printf("no processor with AVX-512: nothing of the built-in compiler was run\n");
  graphs_agree(t);
  for (int p = 0; p < PATHS; p++) tiny_close(t[p]);
  const int batches = test_rounds(BATCHES);
  for (int r = 0; r < batches; r++) test_programs(test_from(1) + (uint64_t)r * PROGRAMS);
  case_end();
  return test_report();
}
