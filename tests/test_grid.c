// test_grid: what the heuristics of devices with a grid make of kernels: the interpreter finds the values of the kernel
// without opts, on GPUs that are not here and on a machine that allows little; what is staged, shared and tiled is
// looked at in the opts' list, what rows are loaded in the kernel. Rows that registers hold are loaded once.
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "../bench/gpu.h"

// ** kernels: whole numbers, so that sums are exact in any order; but for those with a tolerance **

static tiny_tensor *product(tiny_ctx *t, int64_t b, int64_t m, int64_t k, int64_t n, int dtype, int turned) {
  tiny_tensor *x = ints(t, turned & 1 ? TINY_SHAPE(b, k, m) : TINY_SHAPE(b, m, k)),
              *y = ints(t, turned & 2 ? TINY_SHAPE(n, k) : TINY_SHAPE(k, n));
  x = tiny_cast(x, dtype);
  y = tiny_cast(y, dtype);
  if (dtype == TINY_I8) { x = tiny_cast(x, TINY_I32); y = tiny_cast(y, TINY_I32); }
  return tiny_matmul(turned & 1 ? tiny_transpose(x, 1, 2) : x, turned & 2 ? tiny_transpose(y, 0, 1) : y);
}
static tiny_tensor *even(tiny_ctx *t) { return product(t, 1, 64, 32, 64, TINY_F32, 0); }
static tiny_tensor *many(tiny_ctx *t) { return product(t, 64, 128, 8, 128, TINY_F32, 0); }      // of 8 x 8 elements an item
static tiny_tensor *bands(tiny_ctx *t) { return product(t, 1, 640, 8, 512, TINY_F32, 0); }       // 10 x 8 tiles
static tiny_tensor *odd(tiny_ctx *t) { return product(t, 1, 77, 35, 93, TINY_F32, 0); }
static tiny_tensor *x_turned(tiny_ctx *t) { return product(t, 1, 68, 36, 80, TINY_F32, 1); }
static tiny_tensor *y_turned(tiny_ctx *t) { return product(t, 2, 65, 33, 64, TINY_F32, 2); }
static tiny_tensor *both_turned(tiny_ctx *t) { return product(t, 1, 64, 48, 66, TINY_F32, 3); }
static tiny_tensor *halves(tiny_ctx *t) { return product(t, 1, 64, 64, 72, TINY_F16, 2); }
static tiny_tensor *bytes(tiny_ctx *t) { return product(t, 1, 70, 64, 64, TINY_I8, 0); }
static tiny_tensor *doubles(tiny_ctx *t) { return tiny_cast(product(t, 1, 66, 20, 64, TINY_F64, 0), TINY_F32); }
static tiny_tensor *after(tiny_ctx *t) {
  return tiny_relu(tiny_add(tiny_mul_scalar(product(t, 1, 64, 32, 96, TINY_F32, 0), 0.5), ints(t, TINY_SHAPE(96))));
}
static tiny_tensor *conv(tiny_ctx *t) { return tiny_conv2d(ints(t, TINY_SHAPE(1, 16, 18, 20)), ints(t, TINY_SHAPE(24, 16, 3, 3)), NULL, NULL); }
static tiny_tensor *conv_halves(tiny_ctx *t) {
  return tiny_conv2d(tiny_cast(ints(t, TINY_SHAPE(1, 16, 18, 20)), TINY_F16), tiny_cast(ints(t, TINY_SHAPE(32, 16, 3, 3)), TINY_F16), NULL, NULL);
}
static tiny_tensor *conv_strided(tiny_ctx *t) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.stride[0] = d.stride[1] = 2;
  return tiny_conv2d(ints(t, TINY_SHAPE(2, 17, 35, 37)), ints(t, TINY_SHAPE(20, 17, 2, 2)), NULL, &d);
}
static tiny_tensor *triangle(tiny_ctx *t) { return tiny_matmul(tiny_tril(ints(t, TINY_SHAPE(80, 64)), 0), ints(t, TINY_SHAPE(64, 68))); }
static tiny_tensor *turned(tiny_ctx *t) { return tiny_contiguous(tiny_transpose(ints(t, TINY_SHAPE(64, 96)), 0, 1)); }
static tiny_tensor *turned_odd(tiny_ctx *t) {
  return tiny_add(tiny_permute(ints(t, TINY_SHAPE(3, 35, 41)), TINY_SHAPE(0, 2, 1)), tiny_permute(ints(t, TINY_SHAPE(41, 35)), TINY_SHAPE(0, 1)));
}
static tiny_tensor *turned_halves(tiny_ctx *t) {
  static uint16_t data[70 * 64];
  for (int i = 0; i < 70 * 64; i++) data[i] = (uint16_t)(i * 77);
  return tiny_contiguous(tiny_transpose(tiny_from(t, data, TINY_U16, TINY_SHAPE(70, 64)), 0, 1));
}
static tiny_tensor *two_turned(tiny_ctx *t) {
  return tiny_add(tiny_transpose(ints(t, TINY_SHAPE(40, 50)), 0, 1), tiny_transpose(tiny_mul_scalar(ints(t, TINY_SHAPE(40, 50)), 2), 0, 1));
}
static tiny_tensor *rows(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(5, 1000)), -1); }
static tiny_tensor *rows_odd(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(3, 77)), -1); }
static tiny_tensor *norm(tiny_ctx *t) { return tiny_layer_norm(ints(t, TINY_SHAPE(2, 3, 130)), 1, NULL, NULL, 1e-5); }
static tiny_tensor *rows_held(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(3, 4096)), -1); }
static tiny_tensor *rows_padded(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(3, 1804)), -1); }
static tiny_tensor *rows_single(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(2, 2047)), -1); }
static tiny_tensor *rows_apart(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(2, 600, 3)), 1); }
static tiny_tensor *rows_halves(tiny_ctx *t) {
  tiny_tensor *x = tiny_mul_scalar(ints(t, TINY_SHAPE(4, 2048)), 0.125), *w = ints(t, TINY_SHAPE(2048));
  return tiny_cast(tiny_rms_norm(tiny_cast(x, TINY_F16), 1, tiny_cast(w, TINY_F16), 1e-5), TINY_F32);
}
static tiny_tensor *rows_weighed(tiny_ctx *t) {
  return tiny_layer_norm(ints(t, TINY_SHAPE(2, 3, 1024)), 1, ints(t, TINY_SHAPE(1024)), ints(t, TINY_SHAPE(1024)), 1e-5);
}
static tiny_tensor *rows_unit(tiny_ctx *t) { return tiny_normalize(ints(t, TINY_SHAPE(5, 2048)), 2, 1, 1e-6); }
static tiny_tensor *rows_vast(tiny_ctx *t) {               // 256 items have no registers for two
  return tiny_softmax(tiny_add(ints(t, TINY_SHAPE(2, 8000)), ints(t, TINY_SHAPE(2, 8000))), -1);
}
static tiny_tensor *spread(tiny_ctx *t) { return tiny_var(ints(t, TINY_SHAPE(5, 4096)), 1, 0, 1); }
static tiny_tensor *log_held(tiny_ctx *t) { return tiny_logsumexp(ints(t, TINY_SHAPE(6, 2048)), 1, 0); }
static tiny_tensor *row_sums(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(9, 500)), 1, 0); }
static tiny_tensor *column_sums(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(300, 70)), 0, 0); }
static tiny_tensor *all_sum(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(7000)), TINY_ALL, 0); }
static tiny_tensor *largest(tiny_ctx *t) { return tiny_amax(ints(t, TINY_SHAPE(4, 999)), 1, 0); }
static tiny_tensor *log_sum(tiny_ctx *t) { return tiny_logsumexp(ints(t, TINY_SHAPE(6, 333)), 1, 0); }
static tiny_tensor *elements(tiny_ctx *t) { return tiny_relu(tiny_add(ints(t, TINY_SHAPE(37, 64)), ints(t, TINY_SHAPE(64)))); }
static tiny_tensor *elements_odd(tiny_ctx *t) { return tiny_relu(tiny_sub(ints(t, TINY_SHAPE(3, 1001)), ints(t, TINY_SHAPE(1001)))); }
static tiny_tensor *four_dims(tiny_ctx *t) { return tiny_flip(ints(t, TINY_SHAPE(5, 7, 9, 11)), TINY_SHAPE(1, 3)); }
static tiny_tensor *prefix(tiny_ctx *t) { return tiny_cumsum(ints(t, TINY_SHAPE(5, 20, 3)), 1); }

// uses: kinds of opts that the list of an H100 has.
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); double tolerance; const char *uses; } cases[] = {
  {"even", even, 0, "STAGE SHARE UPCAST"}, {"many", many, 0, "STAGE SHARE UPCAST"}, {"bands", bands, 0, "STAGE SHARE ORDER"}, {"odd", odd, 0, "PAD STAGE SHARE UPCAST"},
  {"x turned", x_turned, 0, "STAGE SHARE"}, {"y turned", y_turned, 0, "STAGE SHARE"}, {"both turned", both_turned, 0, "STAGE SHARE"},
  {"halves", halves, 0, "WMMA"}, {"bytes", bytes, 0, "WMMA"}, {"doubles", doubles, 0, ""},
  {"after", after, 0, "STAGE SHARE"}, {"conv", conv, 0, "FUSE STAGE SHARE"}, {"conv of halves", conv_halves, 0, "FUSE WMMA"}, {"strided conv", conv_strided, 0, "FUSE STAGE"},
  {"triangle", triangle, 0, ""}, {"turned", turned, 0, "STAGE SHARE"}, {"turned, odd", turned_odd, 0, "PAD STAGE SHARE"},
  {"turned halves", turned_halves, 0, "STAGE SHARE"}, {"two turned", two_turned, 0, "STAGE SHARE"},
  {"held rows", rows_held, 1e-6, "LANE LOCAL GROUP UNROLL UPCAST"}, {"padded rows", rows_padded, 1e-6, "LANE PAD GROUP UPCAST"},
  {"single rows", rows_single, 1e-6, "PAD GROUP UNROLL UPCAST"}, {"rows apart", rows_apart, 1e-6, "GROUP"},
  {"rows of halves", rows_halves, 4e-3, "LANE GROUP"}, {"weighed rows", rows_weighed, 1e-5, "LANE GROUP"},
  {"unit rows", rows_unit, 1e-6, "LANE GROUP"}, {"vast rows", rows_vast, 1e-6, "GROUP"},
  {"spread", spread, 1e-3, "LANE GROUP"}, {"held log", log_held, 1e-5, "LANE GROUP"},
  {"rows", rows, 1e-6, "GROUP"}, {"odd rows", rows_odd, 1e-6, "GROUP"}, {"norm", norm, 1e-5, "GROUP"}, {"row sums", row_sums, 0, "GROUP"},
  {"column sums", column_sums, 0, "GROUP"}, {"sum of all", all_sum, 0, "GROUP"}, {"largest", largest, 0, "GROUP"},
  {"log of a sum", log_sum, 1e-5, "GROUP"}, {"elements", elements, 0, "LANE"}, {"odd elements", elements_odd, 0, "LOCAL"},
  {"four dims", four_dims, 0, ""}, {"running sum", prefix, 0, ""}};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct trial { int which; tiny_limits limits; const char *machine, *uses; } trial;

static tiny_code trial_guarded(tiny_ctx *t, void *arg) {
  static float want[1 << 21], got[1 << 21];
  const trial *r = (const trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state s;
  const int failed = test_failed;
  char line[4096] = "";
  tiny_tensor *x = cases[r->which].make(t);
  if (tiny_status(t)) return t->code;
  const tn_kernel *k = kernel_of(t, x, &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &r->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k) return t->code;
  if (test_failed > failed) fprintf(stderr, "  %s\n", cases[r->which].name);
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  memset(want, 1, nbytes); memset(got, 2, nbytes);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  tn_state_open(&s, t, sink, &target);
  tn_optimize(&s);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, &s.done);
  snprintf(line, sizeof line, "%.*s", (int)text.n, (const char *)text.data);
  CHECK_EQ(tn_verify(t, s.sink, TN_SPEC_KERNEL), TINY_OK);
  const tiny_code code = run_kernel(t, k, s.sink, &target, got);
  const int same = code == TINY_OK && agree(want, got, nbytes, cases[r->which].tolerance);
  CHECK(same);
  if (!same) fprintf(stderr, "  %s on %s: %s\n  %s\n", cases[r->which].name, r->machine, line, code ? tiny_error(t) : "other values");
  for (const char *kind = r->uses; *kind; kind += strcspn(kind, " "), kind += *kind == ' ') {
    char word[16];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(kind, " "), kind);
    const int has = strstr(line, word) != NULL;
    CHECK(has);
    if (!has) fprintf(stderr, "  %s on %s has no %s: %s\n", cases[r->which].name, r->machine, word, line);
  }
  return t->code;
}

static void test_on(const char *machine, const tiny_limits *limits, int uses) {
  for (int i = 0; i < CASES; i++) {
    if (!uses && (cases[i].make == many || cases[i].make == bands)) continue;     // too many results
    trial r = {i, *limits, machine, uses ? cases[i].uses : ""};
    if (cases[i].make == bands) r.limits.memory[2].nbytes = 1 << 12;       // what all columns read is not kept
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(tn_guard(t, trial_guarded, &r), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  %s on %s: %s\n", cases[i].name, machine, tiny_error(t));
    tiny_close(t);
  }
}

// ** persistent blocks: groups that walk over tiles, as many as the units have, or so few that some are computed twice **

static tiny_tensor *tiles(tiny_ctx *t) { return product(t, 1, 200, 40, 330, TINY_F32, 0); }
static tiny_tensor *tiles_batch(tiny_ctx *t) { return product(t, 5, 70, 36, 68, TINY_F32, 2); }
static tiny_tensor *tiles_halves(tiny_ctx *t) {
  return tiny_relu(tiny_add(product(t, 1, 200, 144, 330, TINY_F16, 0), tiny_cast(ints(t, TINY_SHAPE(330)), TINY_F16)));
}
static tiny_tensor *tiles_of_keys(tiny_ctx *t) {
  tiny_tensor *q = tiny_cast(ints(t, TINY_SHAPE(200, 32)), TINY_F16), *k = tiny_cast(ints(t, TINY_SHAPE(32, 64)), TINY_F16),
              *v = tiny_cast(ints(t, TINY_SHAPE(64, 8)), TINY_F16), *all[3] = {q, k, v};
  tiny_realize(all, 3);
  q = tiny_mul_scalar(tiny_matmul(tiny_cast(q, TINY_F32), tiny_cast(k, TINY_F32)), 0.125);
  return tiny_matmul(tiny_cast(tiny_cast(tiny_softmax(q, -1), TINY_F16), TINY_F32), tiny_cast(v, TINY_F32));
}
static tiny_tensor *more_rows(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(100, 1000)), -1); }
static tiny_tensor *more_elements(tiny_ctx *t) { return tiny_relu(tiny_add(ints(t, TINY_SHAPE(370, 500)), ints(t, TINY_SHAPE(500)))); }
static tiny_tensor *more_turned(tiny_ctx *t) { return tiny_contiguous(tiny_transpose(ints(t, TINY_SHAPE(130, 200)), 0, 1)); }
static const struct { tiny_tensor *(*make)(tiny_ctx *t); } walks[] = {
  {tiles}, {tiles_batch}, {tiles_halves}, {tiles_of_keys}, {more_turned}, {more_rows}, {more_elements}, {conv}};
enum { WALKS = sizeof walks / sizeof *walks };
typedef struct walk { int which; tiny_limits limits; int walked; } walk;

// The list's first GRID of three groups or more, as `part` of them; what is printed is parsed.
static int walk_by(tn_kernel_state *s, tiny_uop *sink, int64_t serial, const tn_target *target, const tn_schedule *list, int i,
                   int64_t part) {
  tiny_ctx *t = s->t;
  tn_schedule *other = (tn_schedule *)tn_scratch(t, sizeof *other), *parsed = (tn_schedule *)tn_scratch(t, sizeof *parsed);
  tiny_bytes text = {t, NULL, 0, 0};
  t->ir->serial = serial;
  tn_state_open(s, t, sink, target);
  for (int j = 0; j < i; j++) CHECK(tn_opt_apply(s, &list->opt[j]));
  tn_schedule_part(list, i, part, s->naxes, other);
  tn_schedule_print(&text, other);
  CHECK(tn_schedule_parse(text.data, parsed) && parsed->n == other->n && strstr(text.data, "GRID") != NULL);
  t->ir->serial = serial;
  tn_state_open(s, t, sink, target);
  int applied = 1;
  for (int j = 0; j < parsed->n; j++) {    // STAGEs may have other numbers now: one is not copied ahead
    const int legal = tn_opt_apply(s, &parsed->opt[j]) || parsed->opt[j].kind == TN_OPT_PREFETCH;
    CHECK(legal);
    if (!legal && applied) fprintf(stderr, "  opt %d of %s\n", j, text.data);
    applied &= legal;
  }
  return applied;
}
static tiny_code walk_guarded(tiny_ctx *t, void *arg) {
  static char want[1 << 20], got[1 << 20];
  walk *w = (walk *)arg;
  tn_kernel_state s;
  size_t nbytes = 0;
  const tn_kernel *k = kernel_of(t, walks[w->which].make(t), &nbytes);
  const tn_target target = {NULL, &w->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k || nbytes > sizeof want) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  const int64_t serial = t->ir->serial;
  tn_state_open(&s, t, sink, &target);
  tn_optimize(&s);
  CHECK_EQ(run_kernel(t, k, s.sink, &target, want), TINY_OK);
  const tn_schedule list = s.done;
  int64_t extent[TN_SCHEDULE_OPTS], groups = 1;
  for (int i = 0; i < list.n; i++) {
    extent[i] = list.opt[i].kind == TN_OPT_GRID ? tn_range_extent(s.axis[list.opt[i].axis[0]]) : 0;
    if (extent[i]) groups *= extent[i];
  }
  for (int i = 0; i < list.n; i++) for (int64_t part = 2; part <= 3 && part < extent[i]; part++) {
    if (!walk_by(&s, sink, serial, &target, &list, i, part)) continue;
    memset(got, 0x5A, sizeof got);
    CHECK_EQ(tn_verify(t, s.sink, TN_SPEC_KERNEL), TINY_OK);
    const int same = run_kernel(t, k, s.sink, &target, got) == TINY_OK && !memcmp(want, got, nbytes);
    CHECK(same);
    if (!same) fprintf(stderr, "  walk %d, opt %d by %d: %s\n", w->which, i, (int)part, tiny_error(t));
    w->walked++;
  }
  w->limits.compute_units = (int)groups / 2;                 // a search looks at them
  t->ir->serial = serial;
  tn_candidates found;
  int persistent = 0;
  tn_candidates_open(&found, t, k->ast, sink, &target, 1 << 14);
  tn_candidates_around(&found, &list);
  for (int i = 0; i < found.n; i++) for (int j = 0; j < found.found[i].list.n; j++)
    persistent += found.found[i].list.opt[j].kind == TN_OPT_GRID && found.found[i].list.opt[j].amount > 0;
  CHECK(persistent > 0);
  return t->code;
}
static void test_walks(const char *gpu) {
  for (int i = 0; i < WALKS; i++) {
    walk w;
    memset(&w, 0, sizeof w);
    w.which = i;
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = "", .debug = ""});
    CHECK(tn_gpu_limits(gpu, &w.limits));
    CHECK_EQ(tn_guard(t, walk_guarded, &w), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  walk %d on %s: %s\n", i, gpu, tiny_error(t));
    CHECK(w.walked > 0);
    tiny_close(t);
  }
}

// ** rows that registers hold **

// As many loads of memory as there are in a kernel without loops, each of so many lanes; -1: it has loops.
typedef struct held { tiny_tensor *(*make)(tiny_ctx *t); tiny_limits limits; int loads, lanes; } held;

static tiny_code count_loads(tiny_ctx *t, void *arg) {
  held *h = (held *)arg;
  size_t nbytes = 0;
  tn_kernel_state s;
  tn_lowered low;
  const tn_target target = {NULL, &h->limits};
  const tn_kernel *k = kernel_of(t, h->make(t), &nbytes);
  if (!k) return t->code;
  tn_state_open(&s, t, tn_prepare(t, k->ast, &target), &target);
  tn_optimize(&s);
  memset(&low, 0, sizeof low);
  if (tn_lower(t, s.sink, &target, &low) != TINY_OK) return t->code;
  int loops = 0;
  h->loads = 0; h->lanes = 64;
  for (int i = 0; i < low.n; i++) {
    const tiny_uop *u = low.list[i];
    loops += u->op == TINY_OP_RANGE;
    if (u->op != TINY_OP_LOAD || tn_memory_behind(u->src[0]->src[0])->op != TINY_OP_PARAM) continue;
    h->loads++;
    if (u->lanes < h->lanes) h->lanes = u->lanes;
  }
  if (loops) h->loads = -1;
  return t->code;
}
static void test_loads(const char *gpu, tiny_tensor *(*make)(tiny_ctx *t), int loads, int lanes) {
  held h;
  tiny_desc d;
  memset(&h, 0, sizeof h); memset(&d, 0, sizeof d);
  h.make = make;
  CHECK(tn_gpu_limits(gpu, &h.limits));
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  CHECK_EQ(tn_guard(t, count_loads, &h), TINY_OK);
  const int as_said = h.loads == loads && (loads < 0 || h.lanes == lanes);
  CHECK(as_said);
  if (!as_said) fprintf(stderr, "  %s: %d loads of %d lanes, not %d of %d\n", gpu, h.loads, h.lanes, loads, lanes);
  tiny_close(t);
}
static void test_held(void) {
  test_loads("sm_90", rows_held, 4, 4);    // 256 items have 16 of 4096 elements each
  test_loads("gfx1100", rows_held, 4, 4);
  test_loads("apple8", rows_held, 4, 4);
  test_loads("generic", rows_held, 4, 4);
  test_loads("sm_90", rows_padded, 2, 4);  // 451 vectors for 256 items
  test_loads("sm_90", rows_single, 8, 1);  // 2047 is odd
  test_loads("sm_90", rows_halves, 4, 4);  // of elements, and of weights
  test_loads("sm_90", rows_weighed, 6, 4);
  test_loads("sm_90", rows_unit, 2, 4);
  test_loads("sm_90", spread, 4, 4);
  test_loads("sm_90", log_held, 2, 4);
  test_loads("generic", rows_vast, -1, 1);
}

// ** sums that are cut for the units of a grid **

// On a device with so many units y has the values of the interpreter of graphs, by so many kernels, and the same bits twice.
static void test_cut(const char *name, tiny_tensor *(*make)(tiny_ctx *t), int units, int kernels) {
  static float want[1 << 14], got[2][1 << 14];
  for (int i = 0; i < 2; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *y = make(t);
    const size_t nbytes = (size_t)tiny_nelem_of(y) * sizeof *want;
    t->device[0]->plans.compute_units = units;
    CHECK_EQ(tiny_reference(y, want, nbytes), TINY_OK);
    CHECK_EQ(tiny_read(y, got[i], nbytes), TINY_OK);
    const int n = (int)tiny_stats_of(t).kernels;
    if (n != kernels) fprintf(stderr, "  %s on %d units\n", name, units);
    CHECK_EQ(n, kernels);
    CHECK(agree(want, got[i], nbytes, 0));
    CHECK(!i || !memcmp(got[0], got[1], nbytes));
    tiny_close(t);
  }
}
static tiny_tensor *deep(tiny_ctx *t) { return product(t, 1, 32, 1024, 20, TINY_F32, 0); }
static tiny_tensor *deep_batch(tiny_ctx *t) { return product(t, 3, 17, 600, 16, TINY_F32, 2); }
static tiny_tensor *shallow(tiny_ctx *t) { return product(t, 1, 32, 500, 20, TINY_F32, 0); }
static tiny_tensor *prime(tiny_ctx *t) { return product(t, 1, 32, 1031, 20, TINY_F32, 0); }
static tiny_tensor *long_rows(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(3, 1 << 14)), 1, 0); }
static tiny_tensor *long_columns(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(1 << 13, 33)), 0, 1); }
static tiny_tensor *long_most(tiny_ctx *t) { return tiny_amax(ints(t, TINY_SHAPE(2, 5, 1 << 13)), 2, 0); }
static tiny_tensor *prime_halves(tiny_ctx *t) { return tiny_cast(product(t, 3, 17, 1031, 24, TINY_F16, 2), TINY_F32); }
static tiny_tensor *prime_after(tiny_ctx *t) {             // what is summed is computed, and so is what becomes of it
  tiny_tensor *x = tiny_exp(tiny_mul_scalar(ints(t, TINY_SHAPE(16, 1031)), 0));
  return tiny_relu(tiny_add(tiny_matmul(x, ints(t, TINY_SHAPE(1031, 16))), ints(t, TINY_SHAPE(16))));
}
static tiny_tensor *prime_length(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(2, 20011)), 1, 0); }
static tiny_tensor *prime_most(tiny_ctx *t) { return tiny_amax(tiny_sub(ints(t, TINY_SHAPE(2, 20011)), tiny_full(t, 9, TINY_F32, TINY_SHAPE(1))), 1, 0); }
static void test_cuts(void) {
  test_cut("deep", deep, 100, 2);
  test_cut("deep", deep, 1, 1);            // busy as it is
  test_cut("deep batch", deep_batch, 100, 2);
  test_cut("prime halves", prime_halves, 100, 2);
  test_cut("prime after", prime_after, 100, 2);
  test_cut("prime length", prime_length, 100, 2);
  test_cut("prime most", prime_most, 100, 1);                // zeros are not less than all
  test_cut("shallow", shallow, 100, 1);
  test_cut("prime", prime, 100, 2);           // zeros behind both operands
  test_cut("long rows", long_rows, 100, 2);
  test_cut("long rows", long_rows, 3, 1);
  test_cut("long columns", long_columns, 100, 2);
  test_cut("long most", long_most, 100, 2);
}

// ** masks of what is padded **

// A sum over k of which PAD grows the loop: x * y asks nothing beyond the end, where both are 0; all else does.
enum { TWO_LOADS, CONVERTED, TIMES_ROW, GREATEST, POWERS, ONE_LOAD, MASKINGS };
static tiny_tensor *with_infinities(tiny_ctx *t, int64_t rows, int64_t columns) {
  tiny_tensor *x = ints(t, TINY_SHAPE(rows, columns));
  float *data = (float *)calloc((size_t)(rows * columns), sizeof *data);
  tiny_read(x, data, (size_t)(rows * columns) * sizeof *data);
  for (int64_t i = 0; i < rows; i++) data[i * columns + columns - 1 - i % 3] = i % 2 ? INFINITY : -INFINITY;
  for (int64_t j = 0; j < columns; j++) data[(rows - 1) * columns + j] = j % 4 ? (float)j : NAN;
  x = tiny_from(t, data, TINY_F32, TINY_SHAPE(rows, columns));
  free(data);
  return x;
}
static tiny_tensor *masking(tiny_ctx *t, int which) {
  tiny_tensor *x = with_infinities(t, 5, 29), *y = with_infinities(t, 29, 6), *row = with_infinities(t, 5, 1);
  switch (which) {
    case CONVERTED: return tiny_matmul(tiny_cast(tiny_cast(x, TINY_F16), TINY_F32), y);
    case TIMES_ROW: return tiny_amax(tiny_mul(x, row), 1, 0);
    case GREATEST: return tiny_amax(x, 1, 0);
    case POWERS: return tiny_sum(tiny_exp2(x), 1, 0);
    case ONE_LOAD: return tiny_sum(tiny_mul_scalar(x, 3), 1, 0);
    default: return tiny_matmul(x, y);
  }
}
static int same_or_nan(const float *a, const float *b, size_t n) {
  for (size_t i = 0; i < n; i++) if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return 0;
  return 1;
}
static tiny_code masking_guarded(tiny_ctx *t, void *arg) {
  static const int masked[MASKINGS] = {0, 0, 1, 1, 1, 0};
  const int which = *(const int *)arg;
  float want[64] = {0}, got[64] = {1};
  size_t nbytes = 0;
  tn_kernel_state s;
  const tn_kernel *k = kernel_of(t, masking(t, which), &nbytes);
  const tn_target target = {NULL, &t->device[0]->limits};
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  CHECK_EQ(run_kernel(t, k, sink, &target, want), TINY_OK);
  tn_state_open(&s, t, sink, &target);
  const tn_profile p = tn_profile_of(&s);
  CHECK(p.nred == 1 && tn_do_pad(&s, p.red[0], 8) != p.red[0]);
  CHECK_EQ(tn_kernel_collect(&s, TINY_OP_WHERE).n, masked[which]);
  CHECK_EQ(run_kernel(t, k, s.sink, &target, got), TINY_OK);
  CHECK(same_or_nan(want, got, nbytes / 4));
  return t->code;
}
static void test_maskings(void) {
  for (int i = 0; i < MASKINGS; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(tn_guard(t, masking_guarded, &i), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  masking %d: %s\n", i, tiny_error(t));
    tiny_close(t);
  }
}
// Products of any size, infinities at their edges: no float is chosen where they are multiplied.
typedef struct edges { int64_t m, k, n; int half; tiny_limits limits; } edges;
static tiny_code edges_guarded(tiny_ctx *t, void *arg) {
  static float want[1 << 14], got[1 << 14];
  const edges *e = (const edges *)arg;
  size_t nbytes = 0;
  tn_kernel_state s;
  tn_lowered low;
  tiny_tensor *x = with_infinities(t, e->m, e->k), *y = with_infinities(t, e->k, e->n);
  if (e->half) {
    x = tiny_cast(x, TINY_F16);
    y = tiny_cast(y, TINY_F16);
    tiny_tensor *both[2] = {x, y};
    tiny_realize(both, 2);
    x = tiny_cast(x, TINY_F32); y = tiny_cast(y, TINY_F32);
  }
  const tn_kernel *k = kernel_of(t, tiny_matmul(x, y), &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &e->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  tn_state_open(&s, t, sink, &target);
  tn_optimize(&s);
  CHECK(tn_kernel_collect(&s, TINY_OP_STAGE).n > 1);
  CHECK_EQ(tn_kernel_collect(&s, TINY_OP_WHERE).n, 0);
  memset(&low, 0, sizeof low);
  CHECK_EQ(tn_lower(t, s.sink, &target, &low), TINY_OK);
  for (int i = 0; i < low.n; i++) CHECK(low.list[i]->op != TINY_OP_WHERE || !tn_is_float(low.list[i]->dtype));
  CHECK_EQ(run_list(t, k, &low, got), TINY_OK);
  CHECK(same_or_nan(want, got, nbytes / 4));
  return t->code;
}
static void test_edges(const char *gpu) {
  static const edges all[] = {{77, 35, 93, 0, {0}}, {66, 33, 68, 0, {0}}, {70, 50, 70, 0, {0}}, {77, 35, 93, 1, {0}},
                              {66, 100, 68, 1, {0}}, {70, 34, 70, 1, {0}}};
  for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
    edges e = all[i];
    tiny_desc d;
    memset(&d, 0, sizeof d);
    if (!tn_gpu_limits(gpu, &e.limits)) return;
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    const int failed = test_failed;
    CHECK_EQ(tn_guard(t, edges_guarded, &e), TINY_OK);
    if (test_failed > failed) fprintf(stderr, "  edges %d on %s: %s\n", i, gpu, tiny_error(t));
    tiny_close(t);
  }
}

int main(void) {
  static const char *const gpus[] = {"sm_90", "sm_75", "gfx1100", "gfx942", "apple8"};
  tiny_limits limits;
  for (int i = 0; i < (int)(sizeof gpus / sizeof *gpus); i++) {
    memset(&limits, 0, sizeof limits);
    if (tn_gpu_limits(gpus[i], &limits)) test_on(gpus[i], &limits, !i);
    else fprintf(stderr, "skipped: no %s\n", gpus[i]);
  }
  memset(&limits, 0, sizeof limits);       // little of everything
  limits.shared_nbytes = 2 << 10; limits.local_total = 60; limits.vector_nbytes = 16; limits.vector_registers = 200;
  for (int d = 0; d < 3; d++) { limits.local_max[d] = 7; limits.global_max[d] = 1 << 16; }
  test_on("little", &limits, 0);
  test_held();
  test_cuts();
  test_walks("sm_90");
  test_walks("gfx1100");
  test_maskings();
  test_edges("sm_90");
  test_edges("gfx1100");
  return test_report();
}
