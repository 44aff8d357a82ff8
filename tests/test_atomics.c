// brief: asan
// test_atomics: sums and scatters that groups add to memory where the caller allows it (tiny_desc.atomics): on GPUs that are not here, by
// the interpreter, against the same graphs without; of each dtype, odd shapes, positions that are named many times or nowhere. Without the
// word only integers are added, and the bits are the same every run. By build/cl/test_atomics a driver of OpenCL executes them.
#define TN_SCATTER_ADDED 0                  // none is sooner sorted out (test_scatter)
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "gpu_contexts.h"

// ** graphs: whole numbers, so that sums are exact in any order **

static tiny_tensor *numbers(tiny_ctx *t, int dtype, tiny_shape s) { return tiny_cast(ints(t, s), (tiny_dtype)dtype); }
static tiny_tensor *places(tiny_ctx *t, int64_t n, int below, int beyond) {
  int32_t data[4096];
  for (int i = 0; i < n; i++) data[i] = (int32_t)((int64_t)i * i * 7 % (below + beyond));
  return tiny_from(t, data, TINY_I32, TINY_SHAPE(n));
}
static tiny_tensor *product(tiny_ctx *t, int dtype, int64_t m, int64_t k, int64_t n) {
  return tiny_matmul(numbers(t, dtype, TINY_SHAPE(m, k)), numbers(t, dtype, TINY_SHAPE(k, n)));
}
static tiny_tensor *deep(tiny_ctx *t, int d) { return product(t, d, 64, 2048, 64); }
static tiny_tensor *prime(tiny_ctx *t, int d) { return product(t, d, 33, 4099, 40); }
static tiny_tensor *thin(tiny_ctx *t, int d) { return product(t, d, 1, 20011, 3); }
static tiny_tensor *batched(tiny_ctx *t, int d) {
  return tiny_matmul(numbers(t, d, TINY_SHAPE(3, 20, 1500)), numbers(t, d, TINY_SHAPE(3, 1500, 36)));
}
static tiny_tensor *biased(tiny_ctx *t, int d) { return tiny_relu(tiny_add(product(t, d, 32, 2100, 32), numbers(t, d, TINY_SHAPE(32)))); }
static tiny_tensor *all(tiny_ctx *t, int d) { return tiny_sum(numbers(t, d, TINY_SHAPE(300007)), TINY_ALL, 0); }
static tiny_tensor *columns(tiny_ctx *t, int d) { return tiny_sum(numbers(t, d, TINY_SHAPE(9001, 50)), 0, 1); }
static tiny_tensor *planes(tiny_ctx *t, int d) { return tiny_sum(numbers(t, d, TINY_SHAPE(3, 5, 170, 171)), TINY_ALL, 0); }
static int real(int d) { return tn_is_float(d) ? d : (int)TINY_F32; }        // what has gradients
static tiny_tensor *filters(tiny_ctx *t, int d) {            // the gradient of a convolution's weights
  d = real(d);
  tiny_tensor *w = numbers(t, d, TINY_SHAPE(8, 4, 3, 3)), *g, *y = tiny_conv2d(numbers(t, d, TINY_SHAPE(8, 4, 40, 41)), w, NULL, NULL);
  return tiny_grad(tiny_sum(tiny_mul(y, numbers(t, d, tiny_shape_of(y))), TINY_ALL, 0), &w, 1, &g) == TINY_OK ? g : y;
}
static tiny_tensor *table(tiny_ctx *t, int d) {              // the gradient of an embedding, some of whose rows nobody names
  d = real(d);
  tiny_tensor *w = numbers(t, d, TINY_SHAPE(101, 40)), *g, *y = tiny_embedding(places(t, 700, 90, 20), w, 3);
  return tiny_grad(tiny_sum(tiny_mul(y, numbers(t, d, TINY_SHAPE(700, 40))), TINY_ALL, 0), &w, 1, &g) == TINY_OK ? g : y;
}
static tiny_tensor *added(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(300, 7)), 0, places(t, 900, 300, 5), numbers(t, d, TINY_SHAPE(900, 7)));
}
static tiny_tensor *added_last(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(7, 300)), 1, places(t, 333, 300, 0), numbers(t, d, TINY_SHAPE(7, 333)));
}
static tiny_tensor *one_place(tiny_ctx *t, int d) {          // all summands go to one of many
  return tiny_index_add(numbers(t, d, TINY_SHAPE(400)), 0, places(t, 2000, 1, 0), numbers(t, d, TINY_SHAPE(2000)));
}
static tiny_tensor *means(tiny_ctx *t, int d) {
  return tiny_scatter_reduce(numbers(t, d, TINY_SHAPE(500)), 0, places(t, 1024, 512, 0), tiny_mul_scalar(numbers(t, d, TINY_SHAPE(1024)), 8), TINY_REDUCE_SUM, 1);
}
static tiny_tensor *counts(tiny_ctx *t, int d) { (void)d; return tiny_bincount(places(t, 3000, 700, 0), NULL, 800); }
static tiny_tensor *weighed(tiny_ctx *t, int d) { return tiny_bincount(places(t, 3000, 700, 0), numbers(t, d, TINY_SHAPE(3000)), 0); }
static tiny_tensor *histogram(tiny_ctx *t, int d) { return tiny_histc(tiny_cast(tiny_mul_scalar(tiny_cast(places(t, 4000, 600, 0), TINY_F32), 0.5), (tiny_dtype)real(d)), 300, 0, 300); }
static tiny_tensor *nothing(tiny_ctx *t, int d) { return tiny_sum(numbers(t, d, TINY_SHAPE(0, 5)), 0, 0); }
static tiny_tensor *nobody(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(300, 7)), 0, places(t, 0, 300, 0), numbers(t, d, TINY_SHAPE(0, 7)));
}
// Not these: the greatest, a product, few places.
static tiny_tensor *greatest(tiny_ctx *t, int d) { return tiny_amax(numbers(t, d, TINY_SHAPE(300007)), TINY_ALL, 0); }
static tiny_tensor *few(tiny_ctx *t, int d) { return tiny_index_add(numbers(t, d, TINY_SHAPE(3)), 0, places(t, 90, 3, 0), numbers(t, d, TINY_SHAPE(90))); }

static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t, int dtype); int adds; const char *uses; } cases[] = {
  {"deep", deep, 1, "ATOMIC"}, {"prime", prime, 1, "ATOMIC"}, {"thin", thin, 1, "ATOMIC"}, {"batched", batched, 1, "ATOMIC"},
  {"biased", biased, 1, "ATOMIC"}, {"all", all, 1, "ATOMIC"}, {"columns", columns, 1, "ATOMIC"}, {"planes", planes, 1, "ATOMIC"},
  {"filters", filters, 0, ""}, {"table", table, 1, "SCATTER"}, {"added", added, 1, "SCATTER"}, {"added last", added_last, 1, "SCATTER"},
  {"one place", one_place, 1, "SCATTER"}, {"means", means, 1, "SCATTER"}, {"counts", counts, 1, "SCATTER"}, {"weighed", weighed, 1, "SCATTER"},
  {"histogram", histogram, 1, "SCATTER"}, {"nothing", nothing, 0, ""}, {"nobody", nobody, 0, ""}, {"greatest", greatest, 0, ""}, {"few", few, 0, ""}};
enum { CASES = sizeof cases / sizeof *cases };
static const tiny_dtype dtypes[] = {TINY_F32, TINY_F16, TINY_I32, TINY_F64, TINY_BF16, TINY_I64};

typedef struct counted { tiny_tensor *x; int adds, zeros; char opts[4096]; } counted;
static tiny_code count_guarded(tiny_ctx *t, void *arg) {
  counted *c = (counted *)arg;
  tn_draft d;
  const tn_kernel **kernels = kernels_of(t, c->x, &t->device[0]->limits, &d);
  const tn_target target = {NULL, &t->device[0]->limits};
  for (int i = 0; kernels && i < d.plan.nstep; i++) {
    const tiny_uop *end = kernels[i]->ast ? kernels[i]->ast->src[0] : NULL, *store = end && end->op == TINY_OP_END ? end->src[0] : end;
    if (!store || store->op != TINY_OP_STORE || store->k != TN_ADDS) continue;
    c->adds++;
    c->zeros += i && kernels[i - 1]->mem[0] == kernels[i]->mem[0];
    tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
    tiny_bytes text = {t, NULL, 0, 0};
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, tn_prepare(t, kernels[i]->ast, &target), &target);
    tn_optimize(s);
    CHECK_EQ(tn_verify(t, s->sink, TN_SPEC_KERNEL), TINY_OK);
    tn_schedule_print(&text, &s->done);
    strncat(c->opts, text.data, sizeof c->opts - strlen(c->opts) - 2);
    strcat(c->opts, ";");
    const tn_schedule done = s->done;                        // what is printed is parsed, and applied again
    tn_schedule again;
    const tiny_uop *sink = s->sink;
    CHECK(tn_schedule_parse(text.data, &again) && again.n == done.n);
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, tn_prepare(t, kernels[i]->ast, &target), &target);
    CHECK(tn_schedule_apply(s, &again) && s->sink == sink);
  }
  return t->code;
}

// ** what they compute **

static void test_case(tiny_ctx *t, const char *gpu, tiny_ctx *plain, int i, tiny_dtype d) {
  static char got[1 << 16], want[1 << 16];
  counted c;
  if (!case_named("%s of %s on %s", cases[i].name, tiny_dtype_name(d), gpu)) return;
  memset(&c, 0, sizeof c);
  tiny_begin(t); tiny_begin(plain);
  c.x = cases[i].make(t, (int)d);
  CHECK_EQ(tn_guard(t, count_guarded, &c), TINY_OK);
  CHECK_EQ(c.zeros, c.adds);
  if (!strcmp(gpu, "sm_90") && t->device[0]->limits.atomics == TN_INTERP_ATOMICS) CHECK_EQ(c.adds > 0, cases[i].adds);
  if (c.adds) CHECK(strstr(c.opts, cases[i].uses) != NULL);
  if (c.adds && !strstr(c.opts, cases[i].uses) && test_shown()) fprintf(stderr, "  %s\n", c.opts);
  const size_t nbytes = read_all(c.x, got, sizeof got);
  CHECK_EQ(nbytes, read_all(cases[i].make(plain, (int)d), want, sizeof want));
  CHECK(!memcmp(got, want, nbytes));
  if (memcmp(got, want, nbytes) && test_shown()) fprintf(stderr, "  %s %s\n", c.opts, tiny_error(t));
  tiny_end(t); tiny_end(plain);
}
static void test_on(const char *gpu, int every) {
  tiny_ctx *t = open_as(gpu, 1), *plain = open_as(NULL, 0);
  for (int i = 0; i < CASES; i++) for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    if ((i + (int)k) % every == 0) test_case(t, gpu, plain, i, dtypes[k]);
  case_end();
  tiny_close(t); tiny_close(plain);
}

// Without the word: kernels add integers alone, and each run gives the same bits.
static void test_default(void) {
  float got[2][400];
  for (int run = 0; run < 2; run++) {
    tiny_ctx *t = open_as("sm_90", 0);
    CHECK(t->device[0]->limits.atomics && !(t->device[0]->limits.atomics & ((uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)));
    for (int i = 0; i < CASES; i++) {
      counted c;
      memset(&c, 0, sizeof c);
      c.x = cases[i].make(t, TINY_F32);
      CHECK_EQ(tn_guard(t, count_guarded, &c), TINY_OK);
      CHECK_EQ(c.adds, cases[i].make == counts || cases[i].make == histogram);
    }
    int64_t sum = 0, wanted = 0;
    tiny_tensor *long_sum = numbers(t, TINY_I64, TINY_SHAPE(300007));
    CHECK_EQ(tiny_reference(tiny_sum(long_sum, TINY_ALL, 0), &wanted, sizeof wanted), TINY_OK);
    CHECK(tiny_read(tiny_sum(long_sum, TINY_ALL, 0), &sum, sizeof sum) == TINY_OK && sum == wanted);
    tiny_tensor *x = tiny_index_add(tiny_zeros(t, TINY_F32, TINY_SHAPE(400)), 0, places(t, 3000, 400, 0), tiny_randn(t, TINY_SHAPE(3000)));
    CHECK_EQ(tiny_read(x, got[run], sizeof got[run]), TINY_OK);
    tiny_close(t);
  }
  CHECK(!memcmp(got[0], got[1], sizeof got[0]));
}

// Rounded sums are within the bound of any order: n - 1 roundings of the sum of absolute values.
static void test_rounded(void) {
  enum { N = 100003 };
  float *x = (float *)calloc(N, sizeof *x), got = 0;
  double sum = 0, all_of = 0;
  tiny_ctx *t = open_as("sm_90", 1);
  CHECK_EQ(tiny_read(tiny_randn(t, TINY_SHAPE(N)), x, N * sizeof *x), TINY_OK);
  for (int i = 0; i < N; i++) { sum += (double)x[i]; all_of += fabs((double)x[i]); }
  tiny_tensor *y = tiny_sum(tiny_from(t, x, TINY_F32, TINY_SHAPE(N)), TINY_ALL, 0);
  CHECK_EQ(tiny_read(y, &got, sizeof got), TINY_OK);
  CHECK(fabs((double)got - sum) <= (double)N * 0x1p-24 * all_of);
  free(x);
  tiny_close(t);
}

// A program runs again: what it adds to is cleared each time.
static void test_program(void) {
  tiny_ctx *t = open_as("sm_90", 1);
  tiny_tensor *in = ints(t, TINY_SHAPE(100000)), *own = ints(t, TINY_SHAPE(100000)), *out[2];
  CHECK_EQ(tiny_realize(&in, 1), TINY_OK);
  CHECK_EQ(tiny_realize(&own, 1), TINY_OK);
  out[0] = tiny_sum(tiny_mul(in, in), TINY_ALL, 0);
  out[1] = tiny_add(tiny_sum(own, TINY_ALL, 0), tiny_mul_scalar(tiny_sum(in, TINY_ALL, 0), 0));      // of the program's own memory
  tiny_program *p = tiny_capture(t, &in, 1, out, 2);
  CHECK(p != NULL);
  float first[2] = {0, 0};
  for (int run = 0; run < 4; run++) {
    tiny_tensor *again[2];
    float now[2];
    CHECK_EQ(tiny_run(p, &in, again), TINY_OK);
    for (int k = 0; k < 2; k++) CHECK_EQ(tiny_read(again[k], &now[k], sizeof now[k]), TINY_OK);
    if (run) CHECK(!memcmp(first, now, sizeof now));
    memcpy(first, now, sizeof now);
  }
  CHECK(first[0] > 0);
  tiny_close(t);
}

// Tiles whose last wave would leave most units idle are cut along K; waves that are full, and what is soon done, are not.
static tiny_code waves_guarded(tiny_ctx *t, void *arg) {
  static const struct { int64_t n, added, stored; } sizes[] = {
    {1024, 1, 1}, {1100, 3, 3}, {1536, 6, 4}, {2048, 1, 1}, {2304, 2, 2}, {4096, 1, 1}, {600, 1, 1}};
  const tiny_limits *limits = &t->device[0]->limits;
  (void)arg;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int64_t n = sizes[i].n;
    const tn_tiled_product items = {n, n, 1, n, 0}, units = {n, n, 1, n, 2};
    CHECK_EQ(tn_wave_parts(limits, &items, 1), sizes[i].added);
    CHECK_EQ(tn_wave_parts(limits, &items, 0), sizes[i].stored);
    CHECK_EQ(tn_wave_parts(limits, &units, 0), 1);         // another kernel takes longer than what it saves
  }
  counted c;
  memset(&c, 0, sizeof c);
  c.x = tiny_matmul(ints(t, TINY_SHAPE(1536, 1536)), ints(t, TINY_SHAPE(1536, 1536)));
  CHECK_EQ(count_guarded(t, &c), TINY_OK);
  CHECK(c.adds == 1 && strstr(c.opts, "ATOMIC 2:6, GRID 3, ") != NULL);
  if (!strstr(c.opts, "ATOMIC 2:6, GRID 3, ")) fprintf(stderr, "  %s\n", c.opts);
  return t->code;
}
static void test_waves(void) {
  tiny_ctx *t = open_as("sm_90", 1);
  CHECK_EQ(tn_guard(t, waves_guarded, NULL), TINY_OK);
  tiny_close(t);
}

// A search looks at other numbers of parts: each list gives the same sums.
static tiny_code searched_guarded(tiny_ctx *t, void *arg) {
  static int32_t want[1 << 13], got[1 << 13];
  const int which = *(const int *)arg;
  tiny_tensor *x = cases[which].make(t, TINY_I32);
  tn_draft d;
  tn_candidates s;
  const tn_target target = {NULL, &t->device[0]->limits};
  const tn_kernel **kernels = kernels_of(t, x, &t->device[0]->limits, &d), *k = NULL;
  for (int i = 0; kernels && i < d.plan.nstep; i++) {
    const tiny_uop *end = kernels[i]->ast ? kernels[i]->ast->src[0] : NULL, *store = end && end->op == TINY_OP_END ? end->src[0] : end;
    if (store && store->op == TINY_OP_STORE && store->k == TN_ADDS) k = kernels[i];
  }
  CHECK(k != NULL);
  if (!k) return t->code;
  t->ir->serial = TN_PIPELINE_SERIAL;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  CHECK_EQ(run_kernel(t, k, sink, &target, want), TINY_OK);
  const int64_t serial = t->ir->serial;
  tn_candidates_open(&s, t, k->ast, sink, &target, 1 << 14);
  for (int64_t parts = 2; parts <= 32; parts *= 4) tn_candidates_added(&s, parts);
  int added = 0, parts[2] = {0, 0};
  for (int i = 0; i < s.n; i++) if (s.found[i].family == TN_FAMILY_ADDED) {
    tn_kernel_state *state = (tn_kernel_state *)tn_scratch(t, sizeof *state);
    t->ir->serial = serial;
    tn_state_open(state, t, sink, &target);
    CHECK(tn_schedule_apply(state, &s.found[i].list));
    memset(got, 0, sizeof got);
    CHECK_EQ(run_kernel(t, k, state->sink, &target, got), TINY_OK);
    CHECK(!memcmp(want, got, sizeof got));
    for (int j = 0; j < s.found[i].list.n; j++) if (s.found[i].list.opt[j].kind == TN_OPT_ATOMIC)
      parts[added > 0] = (int)s.found[i].list.opt[j].amount;
    added++;
  }
  CHECK(added > 1 && parts[0] != parts[1] && parts[0] && parts[1]);
  return t->code;
}
static void test_searched(void) {
  for (int i = 0; i < 1; i++) {
    tiny_ctx *t = open_as("sm_90", 1);
    const int host = t->device[0]->limits.host_memory;       // where what stands in the place has its own, lists are not run
    if (host) CHECK_EQ(tn_guard(t, searched_guarded, &i), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", cases[i].name, tiny_error(t));
    tiny_close(t);
  }
}

// A list that adds to what is no argument is none; nor is an opt legal whose store does not add.
static tiny_code wrong_guarded(tiny_ctx *t, void *arg) {
  tn_list list = {NULL, 0, 0};
  (void)arg;
  if (!tn_parse(t, "o = (PARAM:f32:0 64) l = (DEFINE:f32:1:local 64) i = (SPECIAL:item0 64) (STORE:k=2 (INDEX l i) 1.0:f32)", &list)) return t->code;
  return tn_verify_list(t, list.u, list.n);
}
static void test_wrong(void) {
  tiny_ctx *t = open_as(NULL, 0);
  CHECK(tn_guard(t, wrong_guarded, NULL) != TINY_OK && strstr(tiny_error(t), "adds to what is no PARAM") != NULL);
  if (!strstr(tiny_error(t), "adds to what")) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}

int main(void) {
  const int brief = getenv("TEST_BRIEF") != NULL;
  test_on("sm_90", brief ? 5 : 2);
  test_on("gfx1100", brief ? 11 : 5);
  test_on("generic", brief ? 11 : 5);
  test_searched();
  test_default();
  test_rounded();
  test_program();
  test_waves();
  test_wrong();
  return test_report();
}
