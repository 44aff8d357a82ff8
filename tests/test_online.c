// brief: plain
// test_online: maxima, and sums of what they scale, in one loop: by the opt ONLINE on kernels of every kind that has
// them, and as schedules for GPUs that are not here choose it; attention against what it is by definition.
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "gpu_test.h"

// ** values **

enum { SPECIAL_ROWS = 9 };
// Rows of n numbers; of the first ones some are nothing but -inf, begin or end with it, have inf or NaN.
static tiny_tensor *special(tiny_ctx *t, int64_t rows, int64_t n, int specials) {
  float *data = (float *)calloc((size_t)(rows * n) + 1, sizeof *data);
  for (int64_t i = 0; i < rows * n; i++) data[i] = (float)(i * 37 % 101) / 8 - 6;
  for (int64_t r = 0; r < rows && r < SPECIAL_ROWS && specials; r++) for (int64_t i = 0; i < n; i++) {
    float *x = &data[r * n + i];
    switch (r) {
      case 1: *x = -HUGE_VALF; break;
      case 2: if (i < n - 1) *x = -HUGE_VALF; break;
      case 3: if (i) *x = -HUGE_VALF; break;
      case 4: if (i == n / 2) *x = HUGE_VALF; break;
      case 5: if (i == n / 2) *x = NAN; break;
      case 6: *x = *x * 1e37f; break;
      case 7: *x -= 3e4f * (float)(n - i); break;            // each the largest so far, by far
      case 8: if (i % 2) *x = -HUGE_VALF; break;
      default: break;
    }
  }
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(rows, n));
  free(data);
  return x;
}

// The same number, or as near as it has to be; NaN is NaN, and inf itself.
static int is_close(double a, double b, double tolerance) {
  if (a != a || b != b) return a != a && b != b;
  return a == b || fabs(a - b) <= tolerance * (1 + fabs(b));
}

// ** the opt, on kernels that have what it needs **

static tiny_tensor *log_sum(tiny_ctx *t, int64_t rows, int64_t n, int specials) { return tiny_logsumexp(special(t, rows, n, specials), 1, 0); }
static tiny_tensor *softmax(tiny_ctx *t, int64_t rows, int64_t n, int specials) { return tiny_softmax(special(t, rows, n, specials), 1); }
static tiny_tensor *log_softmax(tiny_ctx *t, int64_t rows, int64_t n, int specials) { return tiny_log_softmax(special(t, rows, n, specials), 1); }
static tiny_tensor *halves(tiny_ctx *t, int64_t rows, int64_t n, int specials) {
  return tiny_cast(tiny_softmax(tiny_cast(special(t, rows, n, specials), TINY_F16), 1), TINY_F32);
}
static tiny_tensor *cold(tiny_ctx *t, int64_t rows, int64_t n, int specials) {
  return tiny_softmax(tiny_mul_scalar(special(t, rows, n, specials), 0.25), 1);
}
static tiny_tensor *mean_of(tiny_ctx *t, int64_t rows, int64_t n, int specials) {           // what a softmax expects
  tiny_tensor *x = special(t, rows, n, specials);
  return tiny_sum(tiny_mul(tiny_softmax(x, 1), special(t, 1, n, 0)), 1, 0);
}
static tiny_tensor *entropy(tiny_ctx *t, int64_t rows, int64_t n, int specials) {
  tiny_tensor *x = special(t, rows, n, specials);
  return tiny_neg(tiny_sum(tiny_mul(tiny_softmax(x, 1), tiny_log_softmax(x, 1)), 1, 0));
}
static tiny_tensor *log_normal(tiny_ctx *t, int64_t rows, int64_t n, int specials) {        // of squares: no linear exponent
  return tiny_logsumexp(tiny_neg(tiny_square(special(t, rows, n, specials))), 1, 0);
}
static tiny_tensor *crossed(tiny_ctx *t, int64_t rows, int64_t n, int specials) {
  int32_t label[64];
  for (int i = 0; i < 64; i++) label[i] = (int32_t)(i % n);
  tiny_tensor *y = tiny_from(t, label, TINY_I32, TINY_SHAPE(rows));
  return tiny_cross_entropy(special(t, rows, n, specials), y, &(tiny_cross_entropy_desc){.reduction = TINY_NONE});
}

static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t, int64_t rows, int64_t n, int specials); double tolerance; int never; } kinds[] = {
  {"log of a sum", log_sum, 2e-6, 0}, {"softmax", softmax, 2e-6, 0}, {"log_softmax", log_softmax, 2e-6, 0}, {"halves", halves, 2e-3, 0},
  {"cold", cold, 2e-6, 0}, {"mean", mean_of, 5e-6, 0}, {"entropy", entropy, 5e-6, 1}, {"squares", log_normal, 2e-6, 0}, {"crossed", crossed, 2e-6, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

// ONLINE of the kernel's maximum and all that it scales; 0: it is not legal.
static int go_online(tn_kernel_state *s) {
  const tn_profile p = tn_profile_of(s);
  tiny_uop *axes[TN_OPT_AXES], *max = NULL;
  int n = 1;
  for (int i = 0; i < p.nreduce; i++) if (p.reduce[i]->k == TINY_OP_MAX) max = p.reduce[i];
  if (!max) return 0;
  axes[0] = max->src[1];
  for (int i = 0; i < p.nreduce && n < TN_OPT_AXES; i++)
    if (p.reduce[i] != max && tn_depends(s->t, p.reduce[i]->src[0], max)) axes[n++] = p.reduce[i]->src[1];
  const tn_opt o = tn_opt_of(s, TN_OPT_ONLINE, n, axes, 0);
  return n > 1 && tn_opt_apply(s, &o);
}

// A few opts of any kind, if they are legal.
static void go_on(tn_kernel_state *s, int n) {
  static const uint8_t all[] = {TN_OPT_SPLIT, TN_OPT_UPCAST, TN_OPT_UNROLL, TN_OPT_LANE, TN_OPT_LOCAL, TN_OPT_GRID, TN_OPT_PAD, TN_OPT_GROUP,
                                TN_OPT_STAGE, TN_OPT_REUSE, TN_OPT_FISSION, TN_OPT_ONLINE, TN_OPT_BLOCKS, TN_OPT_SWAP, TN_OPT_ORDER, TN_OPT_LOOP};
  for (int tries = 0; n && tries < 60; tries++) {
    tn_opt o;
    memset(&o, 0, sizeof o);
    o.kind = all[rnd((int)sizeof all)];
    o.naxes = o.kind != TN_OPT_FISSION && o.kind != TN_OPT_REUSE;
    if (o.kind == TN_OPT_ONLINE || o.kind == TN_OPT_SWAP) o.naxes = 2;
    if (o.kind == TN_OPT_STAGE || o.kind == TN_OPT_ORDER) o.naxes = (uint8_t)(1 + rnd(3));
    if (o.kind == TN_OPT_BLOCKS) o.naxes = 4;
    for (int i = 0; i < o.naxes; i++) o.axis[i] = (int16_t)rnd(s->naxes);
    o.amount = o.kind == TN_OPT_STAGE || o.kind == TN_OPT_REUSE ? 0 : 2 + rnd(7);
    o.op = o.kind == TN_OPT_STAGE && rnd(2) ? TINY_OP_LOAD : o.kind == TN_OPT_STAGE && rnd(2) ? TINY_OP_EXP2 : TINY_OP_REDUCE;
    o.number = (int16_t)rnd(3);
    o.space = TN_SPACE_LOCAL;
    const int has = tn_opt_kinds[o.kind].has;
    if (!(has & TN_OPT_HAS_AMOUNT)) o.amount = 0;
    if (!(has & TN_OPT_HAS_OPERAND)) o.op = 0;
    if (!(has & TN_OPT_HAS_OPERAND)) o.number = 0;
    if (!(has & TN_OPT_HAS_SPACE)) o.space = 0;
    n -= tn_opt_apply(s, &o);
  }
}

typedef struct trial { int which, opts, *online; int64_t rows, n; } trial;
static tiny_code opt_guarded(tiny_ctx *t, void *arg) {
  static float want[1 << 14], got[1 << 14];
  const trial *r = (const trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state s;
  tiny_limits limits;
  tiny_tensor *x = kinds[r->which].make(t, r->rows, r->n, 1);
  if (tiny_status(t)) return t->code;
  const tn_kernel *k = kernel_of(t, x, &nbytes);
  CHECK(k && nbytes <= sizeof want && tn_gpu_limits("sm_90", &limits));
  if (!k) return t->code;
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &limits};
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  memset(want, 1, nbytes); memset(got, 2, nbytes);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  const int64_t serial = t->ir->serial;    // ranges that are made again have the same numbers
  tn_state_open(&s, t, sink, &target);
  const int online = go_online(&s);
  *r->online += online;
  go_on(&s, r->opts);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, &s.done);
  CHECK_EQ(tn_verify(t, s.sink, TN_SPEC_KERNEL), TINY_OK);
  int wrong = run_kernel(t, k, s.sink, &target, got) != TINY_OK;
  for (size_t i = 0; i < nbytes / 4 && !wrong; i++) {
    wrong = !is_close((double)got[i], (double)want[i], kinds[r->which].tolerance);
    if (wrong) fprintf(stderr, "  element %d is %g, not %g\n", (int)i, (double)got[i], (double)want[i]);
  }
  CHECK(!wrong);
  if (wrong) fprintf(stderr, "  %s (%d,%d): %.*s %s\n", kinds[r->which].name, (int)r->rows, (int)r->n, (int)text.n, (const char *)text.data, tiny_error(t));
  tn_schedule again;                       // what is printed is parsed, and does the same
  CHECK(tn_schedule_parse((const char *)text.data, &again));
  tn_kernel_state second;
  t->ir->serial = serial;
  tn_state_open(&second, t, sink, &target);
  const int applied = tn_schedule_apply(&second, &again);
  CHECK(applied);
  if (!applied) fprintf(stderr, "  %s: not again: %.*s\n", kinds[r->which].name, (int)text.n, (const char *)text.data);
  return t->code;
}

static void check_opts(void) {
  for (int i = 0; i < KINDS; i++) {
    int online = 0, rounds = test_rounds(24);
    for (int round = 0; round < rounds; round++) {
      case_seeded((unsigned long long)round, "TEST_FROM=%llu");
      snprintf(test_state.name, sizeof test_state.name, "%s, round %d", kinds[i].name, round);
      rng = (uint64_t)(round * KINDS + i);
      trial r = {i, round ? rnd(5) : 0, &online, 1 + rnd(14), 2 + rnd(40)};
      tiny_desc d;
      memset(&d, 0, sizeof d);
      d.device = "INTERP"; d.cache_dir = "";
      tiny_ctx *t = tiny_open(&d);
      CHECK_EQ(tn_guard(t, opt_guarded, &r), TINY_OK);
      if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", kinds[i].name, tiny_error(t));
      tiny_close(t);
    }
    case_end();
    const int expected = kinds[i].never ? 0 : rounds;
    CHECK(online == expected);
    if (online != expected) fprintf(stderr, "  %s: online %d of %d times\n", kinds[i].name, online, rounds);
  }
}

// ** attention, on GPUs that are not here: the interpreter with their limits **

// A context on such a device; NULL: the interpreter, or the CPU for "CPU".
static tiny_ctx *open_on(const char *gpu) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  d.threads = 1;
  d.device = gpu ? "CPU" : "INTERP";
  return gpu && strcmp(gpu, "CPU") ? open_gpu(gpu, &d) : tiny_open(&d);
}

// heads: of queries; keys of half as many where shared. mask: 1 bool, 2 numbers, of which some rows are all -inf.
// kernels: that the forward takes on a GPU, 0: any number. tiles: on a large one.
typedef struct shape {
  const char *name; int batch, heads, L, S, E, V, shared, causal, mask, window, half, kernels, tiles; double tolerance;
} shape;
enum { MOST = 1 << 15 };
static float given[4][MOST];               // queries, keys, values; the mask
static double wanted[MOST];

static int size_of(const shape *s, int i) {
  const int keys = s->shared ? s->heads / 2 : s->heads;
  return i == 0 ? s->batch * s->heads * s->L * s->E : i == 1 ? s->batch * keys * s->S * s->E :
         i == 2 ? s->batch * keys * s->S * s->V : s->L * s->S;
}
static double half_of(const shape *s, double x) {
  if (!s->half) return x;
  return tn_to_f64(tn_dtype_value(TINY_F16, x));
}
static void fill(const shape *s) {
  for (int i = 0; i < 4; i++) for (int j = 0; j < size_of(s, i); j++)
    given[i][j] = (float)half_of(s, (double)((j * 29 + i * 13) % 53) / 16 - 1.6);
  for (int l = 0; l < s->L; l++) for (int k = 0; k < s->S; k++) {
    float *m = &given[3][l * s->S + k];
    const int seen = s->window ? k >= l - s->window && k <= l : l % 5 != 2 && (l + k) % 3 != 0;
    *m = s->mask == 1 ? (float)seen : seen ? *m : -HUGE_VALF;
  }
}
// By definition, in doubles. Rows of nothing that is seen are 0.
static void define(const shape *s) {
  double row[256];
  const int group = s->shared ? 2 : 1;
  for (int h = 0; h < s->batch * s->heads; h++) for (int l = 0; l < s->L; l++) {
    const float *q = &given[0][(h * s->L + l) * s->E], *k = &given[1][h / group * s->S * s->E], *v = &given[2][h / group * s->S * s->V];
    double max = -HUGE_VAL, sum = 0;
    for (int j = 0; j < s->S; j++) {
      row[j] = 0;
      for (int e = 0; e < s->E; e++) row[j] += (double)q[e] * (double)k[j * s->E + e];
      row[j] *= s->E ? 1 / sqrt((double)s->E) : 1;
      if (s->mask == 2) row[j] += (double)given[3][l * s->S + j];
      if ((s->mask == 1 && given[3][l * s->S + j] == 0) || (s->causal && j > l)) row[j] = -HUGE_VAL;
      if (row[j] > max) max = row[j];
    }
    for (int j = 0; j < s->S; j++) { row[j] = max == -HUGE_VAL ? 0 : exp(row[j] - max); sum += row[j]; }
    for (int d = 0; d < s->V; d++) {
      double y = 0;
      for (int j = 0; j < s->S; j++) y += row[j] * (double)v[j * s->V + d];
      wanted[(h * s->L + l) * s->V + d] = sum > 0 ? y / sum : 0;
    }
  }
}

static void build(tiny_ctx *t, const shape *s, tiny_tensor **in, tiny_tensor **y) {
  const int keys = s->shared ? s->heads / 2 : s->heads;
  in[0] = tiny_from(t, given[0], TINY_F32, TINY_SHAPE(s->batch, s->heads, s->L, s->E));
  in[1] = tiny_from(t, given[1], TINY_F32, TINY_SHAPE(s->batch, keys, s->S, s->E));
  in[2] = tiny_from(t, given[2], TINY_F32, TINY_SHAPE(s->batch, keys, s->S, s->V));
  tiny_tensor *mask = s->mask ? tiny_from(t, given[3], TINY_F32, TINY_SHAPE(s->L, s->S)) : NULL, *x[3];
  if (s->mask == 1) mask = tiny_cast(mask, TINY_BOOL);
  for (int i = 0; i < 3; i++) x[i] = s->half ? tiny_cast(in[i], TINY_F16) : in[i];
  if (mask) tiny_realize(&mask, 1);
  tiny_realize(x, 3);
  for (int i = 0; i < 3; i++) in[i] = x[i];
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = s->causal; d.mask = mask;
  *y = tiny_attention(x[0], x[1], x[2], &d);
  if (s->half) *y = tiny_cast(*y, TINY_F32);
}

static void check_shape(const char *gpu, const shape *s) {
  static float got[MOST];
  if (!case_named("%s on %s", s->name, gpu ? gpu : "the interpreter")) return;
  tiny_ctx *t = open_on(gpu);
  tiny_tensor *in[3], *y;
  fill(s); define(s);
  build(t, s, in, &y);
  const size_t n = (size_t)(s->batch * s->heads * s->L * s->V);
  tiny_sync(t);
  const tiny_stats before = tiny_stats_of(t);
  CHECK_EQ(tiny_read(y, got, n * sizeof *got), TINY_OK);
  const tiny_stats after = tiny_stats_of(t);
  int wrong = 0;
  for (size_t i = 0; i < n; i++) {
    const int ok = is_close((double)got[i], wanted[i], s->tolerance);
    if (!ok && !wrong++) fprintf(stderr, "  %s on %s: element %d is %g, not %g\n", s->name, gpu ? gpu : "the interpreter", (int)i, (double)got[i], wanted[i]);
  }
  CHECK_EQ(wrong, 0);
  if (s->kernels && gpu && strcmp(gpu, "CPU") && (!s->tiles || !strcmp(gpu, "sm_90") || !strcmp(gpu, "gfx1100"))) CHECK_EQ((int)(after.kernels - before.kernels), s->kernels);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
  case_end();
}

// Gradients of a loss to queries, keys and values, and the loss itself, in one graph: as the interpreter has them in f64
// is what finite differences are for (test_attention); here devices agree with the CPU.
static void gradients(const char *gpu, const shape *s, float (*out)[MOST]) {
  tiny_ctx *t = open_on(gpu);
  tiny_tensor *in[3], *y, *g[3];
  build(t, s, in, &y);
  tiny_tensor *weight = tiny_from(t, given[2], TINY_F32, TINY_SHAPE(s->V));
  tiny_tensor *loss = tiny_sum(tiny_mul(tiny_mul(y, y), weight), TINY_ALL, 0);
  CHECK_EQ(tiny_grad(loss, in, 3, g), TINY_OK);
  for (int i = 0; i < 3; i++) CHECK_EQ(tiny_read(tiny_cast(g[i], TINY_F32), out[i], (size_t)size_of(s, i) * sizeof *out[i]), TINY_OK);
  CHECK_EQ(tiny_read(loss, out[3], sizeof *out[3]), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}
static void check_gradients(const shape *s) {
  static float want[4][MOST], got[4][MOST];
  static const char *const on[] = {"sm_90", "generic", NULL};
  fill(s);
  gradients("CPU", s, want);
  for (int g = 0; g < 3; g++) {
    if (!case_named("gradients of %s on %s", s->name, on[g] ? on[g] : "the interpreter")) continue;
    gradients(on[g], s, got);
    for (int i = 0; i < 4; i++) {
      int wrong = 0;
      for (int j = 0; j < (i < 3 ? size_of(s, i) : 1); j++)
        if (!is_close((double)got[i][j], (double)want[i][j], 10 * s->tolerance) && !wrong++)
          fprintf(stderr, "  %s: gradient %d, element %d is %g, not %g\n", test_state.name, i, j, (double)got[i][j], (double)want[i][j]);
      CHECK_EQ(wrong, 0);
    }
    case_end();
  }
}

static const shape shapes[] = {
  {.name = "small", .batch = 1, .heads = 1, .L = 6, .S = 7, .E = 4, .V = 3, .kernels = 1},
  {.name = "batches", .batch = 2, .heads = 3, .L = 9, .S = 20, .E = 8, .V = 8, .kernels = 1},
  {.name = "shared keys", .batch = 2, .heads = 4, .L = 5, .S = 12, .E = 4, .V = 4, .shared = 1, .kernels = 1},
  {.name = "causal", .batch = 1, .heads = 2, .L = 33, .S = 33, .E = 8, .V = 8, .causal = 1, .kernels = 1},
  {.name = "masked", .batch = 1, .heads = 2, .L = 17, .S = 40, .E = 4, .V = 5, .mask = 1, .kernels = 1},
  {.name = "added", .batch = 1, .heads = 2, .L = 17, .S = 40, .E = 4, .V = 5, .mask = 2, .kernels = 1},
  {.name = "window", .batch = 1, .heads = 1, .L = 40, .S = 40, .E = 4, .V = 6, .mask = 1, .window = 5, .kernels = 1},
  {.name = "halves", .batch = 1, .heads = 2, .L = 20, .S = 24, .E = 8, .V = 8, .half = 1, .kernels = 1, .tolerance = 2e-3},
  {.name = "tiles", .batch = 1, .heads = 2, .L = 64, .S = 64, .E = 32, .V = 64, .kernels = 1, .tiles = 1},
  {.name = "two blocks", .batch = 1, .heads = 1, .L = 33, .S = 128, .E = 8, .V = 64, .kernels = 1, .tiles = 1},
  {.name = "odd tiles", .batch = 1, .heads = 1, .L = 77, .S = 93, .E = 21, .V = 45, .kernels = 1, .tiles = 1},
  {.name = "wide tiles", .batch = 1, .heads = 1, .L = 40, .S = 80, .E = 16, .V = 100, .kernels = 1, .tiles = 1},
  {.name = "little tiles", .batch = 2, .heads = 2, .L = 20, .S = 24, .E = 16, .V = 16, .kernels = 1, .tiles = 1},
  {.name = "shared tiles", .batch = 1, .heads = 4, .L = 32, .S = 40, .E = 16, .V = 32, .shared = 1, .kernels = 1, .tiles = 1},
  {.name = "causal tiles", .batch = 1, .heads = 1, .L = 130, .S = 130, .E = 16, .V = 32, .causal = 1, .kernels = 1, .tiles = 1},
  {.name = "masked tiles", .batch = 1, .heads = 2, .L = 48, .S = 72, .E = 16, .V = 32, .mask = 1, .kernels = 1, .tiles = 1},
  {.name = "added tiles", .batch = 1, .heads = 1, .L = 48, .S = 72, .E = 16, .V = 32, .mask = 2, .kernels = 1, .tiles = 1},
  {.name = "window of tiles", .batch = 1, .heads = 1, .L = 100, .S = 100, .E = 16, .V = 16, .mask = 1, .window = 20, .kernels = 1, .tiles = 1},
  {.name = "halves of tiles", .batch = 1, .heads = 2, .L = 64, .S = 64, .E = 32, .V = 32, .half = 1, .kernels = 1, .tiles = 1, .tolerance = 2e-3},
  {.name = "one key", .batch = 1, .heads = 2, .L = 5, .S = 1, .E = 4, .V = 4},
  {.name = "one query", .batch = 2, .heads = 2, .L = 1, .S = 50, .E = 8, .V = 8, .kernels = 1},
  {.name = "one column", .batch = 1, .heads = 2, .L = 8, .S = 16, .E = 8, .V = 1},
  {.name = "one of all", .batch = 1, .heads = 1, .L = 1, .S = 1, .E = 1, .V = 1},
  {.name = "no keys", .batch = 1, .heads = 2, .L = 3, .S = 0, .E = 4, .V = 4},
  {.name = "no queries", .batch = 1, .heads = 2, .L = 0, .S = 4, .E = 4, .V = 4},
  {.name = "no elements", .batch = 1, .heads = 1, .L = 3, .S = 4, .E = 0, .V = 4},
};
static const char *const gpus[] = {"sm_90", "gfx1100", "apple8", "generic", NULL, "CPU"};

// ** what the heuristics choose for attention, as far as that goes, and then anything **

static tiny_code chosen_guarded(tiny_ctx *t, void *arg) {
  static float got[MOST];
  const shape *s = (const shape *)arg;
  tiny_tensor *in[3], *y;
  tn_kernel_state *state = (tn_kernel_state *)tn_scratch(t, sizeof *state);
  tiny_limits limits;
  tn_draft d;
  build(t, s, in, &y);
  CHECK(tn_gpu_limits("sm_90", &limits));
  const tn_kernel **kernels = kernels_of(t, y, &limits, &d);
  CHECK(kernels && d.plan.nstep == 1);
  if (!kernels || d.plan.nstep != 1) return t->code;
  const tn_target target = {NULL, &limits};
  t->ir->serial = TN_PIPELINE_SERIAL;
  tiny_uop *sink = tn_prepare(t, kernels[0]->ast, &target);
  const int64_t serial = t->ir->serial;
  tn_state_open(state, t, sink, &target);
  tn_optimize(state);
  tn_schedule chosen = state->done;
  chosen.n = rnd(chosen.n + 1);
  t->ir->serial = serial;
  tn_state_open(state, t, sink, &target);
  CHECK(tn_schedule_apply(state, &chosen));
  go_on(state, rnd(6));
  CHECK_EQ(tn_verify(t, state->sink, TN_SPEC_KERNEL), TINY_OK);
  const size_t n = (size_t)(s->batch * s->heads * s->L * s->V);
  int wrong = run_kernel(t, kernels[0], state->sink, &target, got) != TINY_OK;
  for (size_t i = 0; i < n && !wrong; i++) wrong = !is_close((double)got[i], wanted[i], 1e-5);
  CHECK(!wrong);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, &state->done);
  if (wrong) fprintf(stderr, "  (%d,%d,%d,%d) causal %d mask %d: %.*s %s\n", s->L, s->S, s->E, s->V, s->causal, s->mask, (int)text.n, (const char *)text.data, tiny_error(t));
  return t->code;
}
static void check_chosen(void) {
  for (int round = 0; round < test_rounds(60); round++) {
    snprintf(test_state.again, sizeof test_state.again, "TEST_FROM=%d", round);
    snprintf(test_state.name, sizeof test_state.name, "chosen, round %d", round);
    rng = (uint64_t)round + 77;
    shape s = {.name = "any", .batch = 1, .heads = 1 + rnd(2)};
    s.L = 2 + rnd(20); s.S = 16 + rnd(20); s.E = 2 + rnd(8); s.V = rnd(2) ? 2 + rnd(8) : 13 + rnd(8);
    s.causal = rnd(2); s.mask = rnd(3);
    if (s.V > 12 && s.L < 9) s.L += 8;
    fill(&s); define(&s);
    tiny_ctx *t = open_on(NULL);
    CHECK_EQ(tn_guard(t, chosen_guarded, &s), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
    tiny_close(t);
    case_end();
  }
}

static void check_shapes(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    shape s = shapes[i];
    if (!s.tolerance) s.tolerance = 1e-5;
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) check_shape(gpus[g], &s);
    if (size_of(&s, 0) && size_of(&s, 1) && (i % 2 == 0 || !getenv("TEST_BRIEF"))) check_gradients(&s);
  }
}

int main(void) {
  check_opts();
  check_chosen();
  check_shapes();
  return test_report();
}
