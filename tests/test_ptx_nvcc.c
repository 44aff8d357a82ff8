// brief: plain asan tsan llvm
// test_ptx_nvcc: graphs of every kind in CUDA C, compiled by NVRTC, whose PTX tests/ptx_machine.h executes: what they
// compute is what the interpreter computes. Where there is no NVRTC it says so, and nothing is checked.
//
//   TEST_ROUNDS=1000           all of them (make test-nv); else a few of each maker's.
//   TEST_PTX=sm_75             the GPU; else sm_75, sm_80 and sm_90 in turns.
#define PTX_NAME "PTX"
#include "../src/all.c"
#include "ptx.h"
#include "test.h"
#include "language_graphs.h"

static int graph_number(const tiny_dtype *dtypes) { int n = 0; while (dtypes[n] != TINY_VOID) n++; return n; }

typedef struct subject { char name[64]; int n; tiny_tensor *got[GRAPH_OUTPUTS], *want[GRAPH_OUTPUTS]; } subject;

static tiny_ctx *context_of(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = &ptx_backend; d.cache_dir = ""; d.threads = 1; d.atomics = 1;
  return tiny_open(&d);
}
// How far f32 is off by the interpreter, in epsilons: what a graph's rounding comes to, in any order, where differences
// of what is almost the same are taken (the gradient of a norm of few values).
static double noise_of(const graph *g, int variant, int output) {
  tiny_ctx *t[2] = {context_of("INTERP"), context_of("INTERP")};
  tiny_tensor *x[2][GRAPH_OUTPUTS];
  g->make(t[0], TINY_F32, variant, x[0]);
  g->make(t[1], TINY_F64, variant, x[1]);
  x[1][output] = tiny_cast(x[1][output], TINY_F32);
  const size_t nbytes = (size_t)tiny_nelem_of(x[0][output]) * 4;
  unsigned char *got = (unsigned char *)malloc(nbytes + 1), *data = (unsigned char *)malloc(nbytes + 1);
  const value v = {TINY_F32, tiny_shape_of(x[1][output]), data, NULL};
  int64_t at = 0;
  CHECK_EQ(tiny_read(x[0][output], got, nbytes), TINY_OK);
  CHECK_EQ(tiny_read(x[1][output], data, nbytes), TINY_OK);
  const double e = error_of(&v, got, 0, 0, &at);
  free(got); free(data);
  tiny_close(t[0]); tiny_close(t[1]);
  return e;
}
static void compare(const subject *s, const graph *g, int variant) {
  for (int i = 0; i < s->n; i++) {
    const size_t nbytes = (size_t)tiny_nelem_of(s->got[i]) * tiny_dtype_nbytes(tiny_dtype_of(s->got[i]));
    unsigned char *got = (unsigned char *)malloc(nbytes + 1), *data = (unsigned char *)malloc(nbytes + 1);
    const value v = {tiny_dtype_of(s->want[i]), tiny_shape_of(s->want[i]), data, NULL};
    int64_t at = 0;
    CHECK_EQ(tiny_read(s->got[i], got, nbytes), TINY_OK);
    CHECK_EQ(tiny_read(s->want[i], data, nbytes), TINY_OK);
    const double e = error_of(&v, got, 0, 0, &at);
    const int wide = v.dtype == TINY_F32 || v.dtype == TINY_F64;
    const double most = 32 + (e > 32 && e < 1e7 && wide ? 8 * noise_of(g, variant, i) : 0);  // sums in another order
    CHECK(e <= most);
    if (e > most && test_shown())
      fprintf(stderr, "  output %d, element %lld: %.9g, by the interpreter %.9g (%.3g)\n", i, (long long)at,
              number(v.dtype, got, at), number(v.dtype, data, at), e);
    free(got); free(data);
  }
}
static void test_graph(const graph *g, int at, const char *gpu) {
  const int dtypes = graph_number(g->dtypes);
  const tiny_dtype d = g->dtypes[at % dtypes];
  subject s;
  if (!case_named("%s %s %d, %s", g->name, tiny_dtype_name(d), at / dtypes, gpu)) return;
  setenv("TEST_PTX", gpu, 1);
  tiny_ctx *t = context_of("PTX"), *interp = context_of("INTERP");
  s.n = g->make(t, d, at / dtypes, s.got);
  CHECK_EQ(g->make(interp, d, at / dtypes, s.want), s.n);
  CHECK_EQ(tiny_realize(s.got, s.n), TINY_OK);
  if (tiny_status(t)) { if (test_shown()) fprintf(stderr, "  %s\n", tiny_error(t)); }
  else compare(&s, g, at / dtypes);
  tiny_close(t);
  tiny_close(interp);
}

// Kernels without their barriers, or without waits for their copies, are refused: products of this dtype.
static void test_without(const char *what, tiny_dtype d, const char *says) {
  int told = 0;
  setenv("TEST_PTX_WITHOUT", what, 1);
  setenv("TEST_PTX", "sm_80", 1);
  if (!case_named("without %s", what)) return;
  for (int v = 0; v < 12 && !told; v++) {
    tiny_ctx *t = context_of("PTX");
    tiny_tensor *out[GRAPH_OUTPUTS];
    const int n = g_matmul(t, d, v, out);
    told = tiny_realize(out, n) == TINY_E_DEVICE && strstr(tiny_error(t), says);
    if (!told && tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
    tiny_close(t);
  }
  CHECK(told);
  unsetenv("TEST_PTX_WITHOUT");
}

static int has_nvrtc(void) {
  tn_nvrtc rtc;
  memset(&rtc, 0, sizeof rtc);
  return tn_nvrtc_open(&rtc);
}
int main(void) {
  static const char *const gpus[] = {"sm_90", "sm_75", "sm_80"};
  const char *one = getenv("TEST_PTX");
  const int most = test_rounds(40);
  int n = 0, all = 0;
  if (!has_nvrtc()) { printf("test_ptx_nvcc: left out, there is no libnvrtc\n"); return test_report(); }
  mkdir("build", 0777);
  for (int i = 0; i < GRAPHS; i++) all += graph_number(graphs[i].dtypes) * graphs[i].variants;
  for (int i = 0, k = 0; i < GRAPHS; i++)
    for (int at = 0; at < graph_number(graphs[i].dtypes) * graphs[i].variants; at++, k++)
      if (k * most / all != (k + 1) * most / all || most >= all) test_graph(&graphs[i], at, one ? one : gpus[n++ % 3]);
  test_without("barriers", TINY_F32, "shared memory at");
  test_without("waits", TINY_F16, "was not waited for");
  case_end();
  return test_report();
}
