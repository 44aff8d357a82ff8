// brief: asan
// test_scatter: scatters whose sums are the same bits every run, on GPUs that are not here: tiles in memory of a group, one for each part
// of the summands (SCATTER 0:8). By the interpreter, with its checks of races, against the graphs' own values; of each dtype, odd shapes,
// positions that are named many times or nowhere, sums, greatest and products. Lists of opts that say so are checked, printed and parsed;
// what is sooner added, or summed up column by column, is no tile. By build/cl/test_scatter a driver of OpenCL executes them.
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "gpu_contexts.h"

// ** graphs **

static tiny_tensor *numbers(tiny_ctx *t, int dtype, tiny_shape s) { return tiny_cast(ints(t, s), (tiny_dtype)dtype); }
static tiny_tensor *places(tiny_ctx *t, int64_t n, int below, int beyond) {
  int32_t data[8192];
  for (int i = 0; i < n; i++) data[i] = (int32_t)((int64_t)i * i * 7 % (below + beyond));
  return tiny_from(t, data, TINY_I32, TINY_SHAPE(n));
}
static int real(int d) { return tn_is_float(d) ? d : (int)TINY_F32; }        // what has gradients
static tiny_tensor *table_of(tiny_ctx *t, int d, int64_t rows, int64_t width, int64_t n) {
  d = real(d);
  tiny_tensor *w = numbers(t, d, TINY_SHAPE(rows, width)), *g, *y = tiny_embedding(places(t, n, (int)rows - 10, 20), w, 3);
  return tiny_grad(tiny_sum(tiny_mul(y, numbers(t, d, TINY_SHAPE(n, width))), TINY_ALL, 0), &w, 1, &g) == TINY_OK ? g : y;
}
static tiny_tensor *table(tiny_ctx *t, int d) { return table_of(t, d, 101, 40, 700); }
static tiny_tensor *wide_table(tiny_ctx *t, int d) { return table_of(t, d, 256, 64, 512); }
static tiny_tensor *batch(tiny_ctx *t, int d) {              // positions of two dims
  d = real(d);
  tiny_tensor *w = numbers(t, d, TINY_SHAPE(90, 33)), *g, *y = tiny_embedding(tiny_reshape(places(t, 600, 90, 0), TINY_SHAPE(20, 30)), w, -1);
  return tiny_grad(tiny_sum(tiny_mul(y, numbers(t, d, TINY_SHAPE(20, 30, 33))), TINY_ALL, 0), &w, 1, &g) == TINY_OK ? g : y;
}
static tiny_tensor *added(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(300, 7)), 0, places(t, 900, 300, 5), numbers(t, d, TINY_SHAPE(900, 7)));
}
static tiny_tensor *added_last(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(7, 300)), 1, places(t, 333, 300, 0), numbers(t, d, TINY_SHAPE(7, 333)));
}
static tiny_tensor *added_middle(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(3, 270, 20)), 1, places(t, 333, 270, 0), numbers(t, d, TINY_SHAPE(3, 333, 20)));
}
static tiny_tensor *one_place(tiny_ctx *t, int d) {          // all summands go to one of many
  return tiny_index_add(numbers(t, d, TINY_SHAPE(400)), 0, places(t, 2000, 1, 0), numbers(t, d, TINY_SHAPE(2000)));
}
static tiny_tensor *apart(tiny_ctx *t, int d) {              // every column names places of its own
  return tiny_scatter_add(numbers(t, d, TINY_SHAPE(150, 24)), 0, tiny_reshape(places(t, 4800, 150, 9), TINY_SHAPE(200, 24)), numbers(t, d, TINY_SHAPE(200, 24)));
}
static tiny_tensor *means(tiny_ctx *t, int d) {
  return tiny_scatter_reduce(numbers(t, d, TINY_SHAPE(500)), 0, places(t, 1024, 512, 0), tiny_mul_scalar(numbers(t, d, TINY_SHAPE(1024)), 8), TINY_REDUCE_SUM, 1);
}
static tiny_tensor *greatest(tiny_ctx *t, int d) {
  return tiny_index_reduce(numbers(t, d, TINY_SHAPE(280)), 0, places(t, 900, 270, 30), numbers(t, d, TINY_SHAPE(900)), TINY_REDUCE_AMAX, 1);
}
static tiny_tensor *times(tiny_ctx *t, int d) {              // of ones and twos, few for each place
  return tiny_index_reduce(numbers(t, d, TINY_SHAPE(300)), 0, places(t, 290, 300, 0), tiny_add_scalar(tiny_cast(tiny_lt(ints(t, TINY_SHAPE(290)), tiny_zeros(t, TINY_F32, TINY_SHAPE(290))), (tiny_dtype)d), 1),
                           TINY_REDUCE_PROD, 1);
}
static tiny_tensor *counts(tiny_ctx *t, int d) { (void)d; return tiny_bincount(places(t, 3000, 700, 0), NULL, 800); }
static tiny_tensor *weighed(tiny_ctx *t, int d) { return tiny_bincount(places(t, 3000, 700, 0), numbers(t, d, TINY_SHAPE(3000)), 0); }
static tiny_tensor *histogram(tiny_ctx *t, int d) { return tiny_histc(tiny_cast(tiny_mul_scalar(tiny_cast(places(t, 4000, 600, 0), TINY_F32), 0.5), (tiny_dtype)real(d)), 300, 0, 300); }
static tiny_tensor *few(tiny_ctx *t, int d) { return tiny_index_add(numbers(t, d, TINY_SHAPE(3)), 0, places(t, 90, 3, 0), numbers(t, d, TINY_SHAPE(90))); }
static tiny_tensor *nobody(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(300, 7)), 0, places(t, 0, 300, 0), numbers(t, d, TINY_SHAPE(0, 7)));
}

static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t, int dtype); int tiles; } cases[] = {
  {"table", table, 1}, {"wide table", wide_table, 1}, {"batch", batch, 1}, {"added", added, 1}, {"added last", added_last, 1},
  {"added middle", added_middle, 1}, {"one place", one_place, 1}, {"apart", apart, 1}, {"means", means, 1}, {"greatest", greatest, 1},
  {"times", times, 1}, {"counts", counts, 1}, {"weighed", weighed, 1}, {"histogram", histogram, 1}, {"few", few, 0}, {"nobody", nobody, 0}};
enum { CASES = sizeof cases / sizeof *cases };
static const tiny_dtype dtypes[] = {TINY_F32, TINY_F16, TINY_I32, TINY_F64, TINY_BF16, TINY_I64};

typedef struct looked { tiny_tensor *x; int tiles; } looked;
static tiny_code look_guarded(tiny_ctx *t, void *arg) {
  looked *c = (looked *)arg;
  tn_draft d;
  const tn_kernel **kernels = kernels_of(t, c->x, &t->device[0]->limits, &d);
  const tn_target target = {NULL, &t->device[0]->limits};
  for (int i = 0; kernels && i < d.plan.nstep; i++) {
    if (!kernels[i]->ast) continue;
    tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
    tiny_bytes text = {t, NULL, 0, 0};
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, tn_prepare(t, kernels[i]->ast, &target), &target);
    tn_optimize(s);
    CHECK_EQ(tn_verify(t, s->sink, TN_SPEC_KERNEL), TINY_OK);
    tn_schedule_print(&text, &s->done);
    const char *at = strstr(text.data, "SCATTER ");
    if (!at) continue;
    c->tiles++;
    const tn_schedule done = s->done;                        // what is printed is parsed, and applied again
    tn_schedule again;
    const tiny_uop *sink = s->sink;
    CHECK(tn_schedule_parse(text.data, &again) && again.n == done.n);
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, tn_prepare(t, kernels[i]->ast, &target), &target);
    CHECK(tn_schedule_apply(s, &again) && s->sink == sink);
    tn_opt more = done.opt[done.n - 1];                      // of a kernel that is one already
    CHECK(!tn_opt_apply(s, &more));
  }
  return t->code;
}

// ** what they compute **

static void test_case(tiny_ctx *t, const char *gpu, tiny_ctx *plain, int i, tiny_dtype d) {
  static char got[1 << 17], want[1 << 17];
  looked c;
  if (!case_named("%s of %s on %s", cases[i].name, tiny_dtype_name(d), gpu)) return;
  memset(&c, 0, sizeof c);
  tiny_begin(t); tiny_begin(plain);
  c.x = cases[i].make(t, (int)d);
  CHECK_EQ(tn_guard(t, look_guarded, &c), TINY_OK);
  if (!strcmp(gpu, "sm_90") && !tn_is_int((int)d)) CHECK_EQ(c.tiles > 0, cases[i].tiles);     // some of those are sooner added
  const size_t nbytes = read_all(c.x, got, sizeof got);
  CHECK_EQ(nbytes, read_all(cases[i].make(plain, (int)d), want, sizeof want));
  CHECK(!memcmp(got, want, nbytes));
  if (tiny_error(t)[0] && test_shown()) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_end(t); tiny_end(plain);
}
static void test_on(const char *gpu, int every) {
  tiny_ctx *t = open_as(gpu, 0), *plain = open_as(NULL, 0);
  for (int i = 0; i < CASES; i++) for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    if ((i + (int)k) % every == 0) test_case(t, gpu, plain, i, dtypes[k]);
  case_end();
  tiny_close(t); tiny_close(plain);
}

// Rounded sums: the same bits twice, and within the bound of any order: n - 1 roundings of the sum of absolute values.
static void test_rounded(const char *gpu) {
  enum { N = 3000, PLACES = 400 };
  static float x[N], got[2][PLACES];
  static double sum[PLACES], all[PLACES];
  int32_t at[N];
  for (int i = 0; i < N; i++) at[i] = (int32_t)((int64_t)i * i % PLACES);
  memset(sum, 0, sizeof sum); memset(all, 0, sizeof all);
  for (int run = 0; run < 2; run++) {
    tiny_ctx *t = open_as(gpu, 0);
    tiny_tensor *values = tiny_randn(t, TINY_SHAPE(N)), *to = tiny_from(t, at, TINY_I32, TINY_SHAPE(N));
    CHECK_EQ(tiny_read(values, x, sizeof x), TINY_OK);
    CHECK_EQ(tiny_read(tiny_index_add(tiny_zeros(t, TINY_F32, TINY_SHAPE(PLACES)), 0, to, values), got[run], sizeof got[run]), TINY_OK);
    tiny_close(t);
  }
  CHECK(!memcmp(got[0], got[1], sizeof got[0]));
  for (int i = 0; i < N; i++) { sum[at[i]] += (double)x[i]; all[at[i]] += fabs((double)x[i]); }
  for (int i = 0; i < PLACES; i++) CHECK(fabs((double)got[0][i] - sum[i]) <= N * 0x1p-24 * all[i]);
}

// Many rows, of which one unit has too many tiles: columns are items of a warp, which take the summands in order.
static tiny_tensor *many_rows(tiny_ctx *t, int d) {
  return tiny_index_add(numbers(t, d, TINY_SHAPE(3000, 64)), 0, places(t, 200, 3000, 5), numbers(t, d, TINY_SHAPE(200, 64)));
}
static tiny_code columns_guarded(tiny_ctx *t, void *arg) {
  tn_draft d;
  const tn_kernel **kernels = kernels_of(t, (tiny_tensor *)arg, &t->device[0]->limits, &d);
  const tn_target target = {NULL, &t->device[0]->limits};
  int columns = 0;
  for (int i = 0; kernels && i < d.plan.nstep; i++) if (kernels[i]->ast) {
    tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
    tiny_bytes text = {t, NULL, 0, 0};
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, tn_prepare(t, kernels[i]->ast, &target), &target);
    tn_optimize(s);
    tn_schedule_print(&text, &s->done);
    columns += text.data && strstr(text.data, "LOCAL 1:32, GRID 1, SCATTER") != NULL;
  }
  CHECK_EQ(columns, 1);
  return t->code;
}
static void test_columns(void) {
  static float got[3000 * 64], want[3000 * 64];
  tiny_ctx *t = open_as("sm_90", 0), *plain = open_as(NULL, 0);
  t->device[0]->limits.compute_units = t->device[0]->plans.compute_units = 1;
  tiny_tensor *x = many_rows(t, TINY_F32);
  CHECK_EQ(tn_guard(t, columns_guarded, x), TINY_OK);
  CHECK_EQ(read_all(x, got, sizeof got), read_all(many_rows(plain, TINY_F32), want, sizeof want));
  CHECK(!memcmp(got, want, sizeof got));
  tiny_close(t); tiny_close(plain);
}

// ** which lists are legal, and what is chosen **

typedef struct legal { const char *opts; int want; } legal;
static tiny_code legal_guarded(tiny_ctx *t, void *arg) {
  static const legal lists[] = {          // axis 0: places, 1: columns, 2: summands
    {"SPLIT 0:64, GRID 0, SPLIT 1:32, GRID 1, LOCAL 4, SCATTER 3:8", 1}, {"SPLIT 0:64, GRID 0, GRID 1, SCATTER 3:8", 1},
    {"SPLIT 0:64, GRID 0, GRID 1, SCATTER 3:128", 1}, {"SPLIT 0:4, GRID 0, SPLIT 1:32, GRID 1, LOCAL 4, SCATTER 3:8", 0},     // columns, rows too few
    {"SPLIT 0:64, GRID 0, SPLIT 1:32, GRID 1, LOCAL 4, SCATTER 3:7", 0}, {"SPLIT 0:64, GRID 0, SPLIT 1:32, GRID 1, LOCAL 4, SCATTER 3:1", 0},
    {"SPLIT 0:64, GRID 0, SPLIT 1:32, GRID 1, SCATTER 3:8", 0},            // a loop of columns
    {"SPLIT 0:64, GRID 0, SPLIT 1:32, GRID 1, LOCAL 4, SCATTER 0:8", 0},   // tiles of tiles
    {"SPLIT 0:64, GRID 0, SPLIT 1:32, GRID 1, LOCAL 4, SCATTER 3:64", 0},  // more items than there are
    {"GRID 1, SCATTER 0:256", 0},                                          // more memory
    {"LOCAL 1:8, GRID 1, SCATTER", 1}, {"LOCAL 1:8, SCATTER", 1},          // columns
    {"LOCAL 1:7, GRID 1, SCATTER", 0},                                     // the last ones would be added to twice
    {"LOCAL 0:8, SCATTER", 0}, {"SPLIT 1:8, SCATTER", 0},
    {"SPLIT 0:64, GRID 1, SCATTER 3:8", 0}, {"SCATTER 2", 0}, {"GRID 0, SCATTER 1:2", 0}};
  const tn_target target = {NULL, &t->device[0]->limits};
  tn_draft d;
  const tn_kernel **kernels = kernels_of(t, wide_table(t, TINY_F32), &t->device[0]->limits, &d), *k = NULL;
  (void)arg;
  for (int i = 0; kernels && i < d.plan.nstep; i++) {        // the one of the sums
    tn_list sums = {NULL, 0, 0};
    if (kernels[i]->ast) tn_collect_op(t, kernels[i]->ast, TINY_OP_REDUCE, &sums);
    if (sums.n) k = kernels[i];
  }
  CHECK(k != NULL);
  for (size_t i = 0; k && i < sizeof lists / sizeof *lists; i++) {
    tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
    tn_schedule list;
    CHECK(tn_schedule_parse(lists[i].opts, &list));
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, tn_prepare(t, k->ast, &target), &target);
    const int got = tn_schedule_apply(s, &list);
    if (got != lists[i].want) fprintf(stderr, "  %s\n", lists[i].opts);
    CHECK_EQ(got, lists[i].want);
    if (got) CHECK_EQ(tn_verify(t, s->sink, TN_SPEC_KERNEL), TINY_OK);
  }
  return t->code;
}
static void test_legal(void) {
  tiny_ctx *t = open_as("sm_90", 0);
  CHECK_EQ(tn_guard(t, legal_guarded, NULL), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}

// A few places are sorted out, and so many that nothing is found in most tiles are not.
static void test_costs(void) {
  static const struct { int64_t places, width; int sorted; } sizes[] = {{4096, 1, 1}, {1 << 20, 1, 0}, {4096, 256, 0}, {300, 7, 1}};
  tiny_ctx *t = open_as("sm_90", 0);
  const tiny_limits *limits = &t->device[0]->limits;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const tn_scatter_size x = tn_scatter_size_of(limits, sizes[i].places, sizes[i].width, 1, 4);
    CHECK(x.rows * x.items * 4 <= 1 << 16 && x.items <= limits->local_total && x.rows > 1);
    CHECK_EQ(tn_scatter_tiles_cost(limits, &x, 1000) < 1000 * TN_SCATTER_ADDED, sizes[i].sorted);
  }
  tiny_close(t);
}

int main(void) {
  const int brief = getenv("TEST_BRIEF") != NULL;
  test_on("sm_90", brief ? 5 : 1);
  test_on("gfx1100", brief ? 11 : 3);
  test_on("generic", brief ? 11 : 3);
  test_on("apple8", brief ? 13 : 5);
  test_rounded("sm_90");
  test_rounded("generic");
  test_columns();
  test_legal();
  test_costs();
  return test_report();
}
