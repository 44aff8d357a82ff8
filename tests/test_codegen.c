// also: golden
// test_codegen: moves by hand. Whatever is split, unrolled, vectorised, padded, staged or shared between work items, the interpreter
// must find the same values as in the kernel without moves. TEST_ROUNDS=n: n trials for each kernel; TEST_SEED=s: one.
#include "../src/all.c"
#include "test.h"
#include "golden.h"
#include "kernel_test.h"

// ** kernels to move about **

static tiny_tensor *elementwise(tiny_ctx *t) { return tiny_add(tiny_pad(ints(t, TINY_SHAPE(10, 12)), TINY_SHAPE(1, 1, 0, 4), 0), ints(t, TINY_SHAPE(16))); }
static tiny_tensor *transposed(tiny_ctx *t) { return tiny_mul(tiny_permute(ints(t, TINY_SHAPE(6, 8, 4)), TINY_SHAPE(2, 0, 1)), ints(t, TINY_SHAPE(6, 8))); }
static tiny_tensor *sum(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(6, 48)), 1, 0); }
static tiny_tensor *sum_of_all(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(96)), 0, 0); }
static tiny_tensor *largest(tiny_ctx *t) { return tiny_amax(tiny_cast(ints(t, TINY_SHAPE(24, 10)), TINY_I32), 0, 0); }
static tiny_tensor *matmul(tiny_ctx *t) { return tiny_relu(tiny_add(tiny_matmul(ints(t, TINY_SHAPE(8, 12)), ints(t, TINY_SHAPE(12, 16))), ints(t, TINY_SHAPE(16)))); }
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(4, 24)), -1); }
static tiny_tensor *conv2d(tiny_ctx *t) { return tiny_conv2d(ints(t, TINY_SHAPE(2, 3, 8, 8)), ints(t, TINY_SHAPE(4, 3, 3, 3)), NULL, NULL); }
static tiny_tensor *turned(tiny_ctx *t) { return tiny_contiguous(tiny_transpose(ints(t, TINY_SHAPE(16, 32)), 0, 1)); }
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); double tolerance; } subjects[] = {
  {"elementwise", elementwise, 0}, {"transposed", transposed, 0}, {"sum", sum, 0}, {"sum of all", sum_of_all, 0}, {"largest", largest, 0}, {"matmul", matmul, 0},
  {"softmax", softmax, 1e-6}, {"conv2d", conv2d, 0}, {"turned", turned, 0}};

static tiny_uop *optimized(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  tn_kernel_state s;
  tn_state_open(&s, t, tn_collapse_loops(t, sink), target);
  tn_optimize(&s);
  return s.sink;
}

// ** random moves; each is written down **

typedef struct moves { tn_kernel_state s; int64_t items, copies; int vectors, stages, threads, done; char text[2048]; } moves;

static void note(moves *m, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const size_t at = strlen(m->text);
  vsnprintf(m->text + at, sizeof m->text - at, format, args);
  va_end(args);
}

// Copies of copied loops: there is an end to what a program can hold.
static int64_t copies_left(const moves *m) { return m->stages ? (m->copies < 4 ? 2 : 1) : m->copies <= 8 ? 4 : 1; }

static int64_t factor_of(int64_t n, int64_t most) {          // a divisor, 1 if there is none to take
  int64_t f = 1;
  for (int64_t d = 2; d <= n && d <= most; d++) if (n % d == 0 && (f == 1 || rnd(2))) f = d;
  return f;
}
static tiny_uop *range_of(tiny_uop *const *r, int n, int kind) {
  for (int tries = 0; n && tries < 8; tries++) { tiny_uop *x = r[rnd(n)]; if (tn_range_kind(x) == kind) return x; }
  return NULL;
}

static void split_output(moves *m, const tn_profile *p) {
  static const int kinds[] = {TN_LOOP, TN_UPCAST, TN_TASK, TN_GLOBAL, TN_LOCAL};
  tiny_uop *r = range_of(p->out, p->nout, TN_LOOP);
  const int kind = kinds[rnd(m->threads ? 3 : 5)], outer = rnd(2);
  if (!r) return;
  const int64_t f = factor_of(tn_range_extent(r), kind == TN_UPCAST ? copies_left(m) : kind == TN_LOCAL ? 64 / m->items : 64);
  if (f == 1) return;
  if (kind == TN_LOCAL) m->items *= f;
  if (kind == TN_UPCAST) m->copies *= f;
  note(m, "split %lld of %lld, kind %d%s; ", (long long)f, (long long)tn_range_extent(r), kind, outer ? " outer" : "");
  tn_transform_split(&m->s, r, f, kind, outer, NULL);
}
static void split_reduction(moves *m, const tn_profile *p) {
  tiny_uop *r = range_of(p->red, p->nred, TN_REDUCE);
  const int kind = rnd(2) ? TN_UNROLL : TN_REDUCE, outer = rnd(2);
  const int64_t f = r ? factor_of(tn_range_extent(r), kind == TN_UNROLL ? copies_left(m) : 64) : 1;
  if (f == 1) return;
  if (kind == TN_UNROLL) m->copies *= f;
  note(m, "split reduction %lld of %lld, kind %d%s; ", (long long)f, (long long)tn_range_extent(r), kind, outer ? " outer" : "");
  tn_transform_split(&m->s, r, f, kind, outer, NULL);
}
static void vector(moves *m, const tn_profile *p) {
  const int reduction = rnd(2);
  tiny_uop *r = reduction ? range_of(p->red, p->nred, TN_REDUCE) : range_of(p->out, p->nout, TN_LOOP);
  int64_t lanes = 2 << rnd(3);
  if (!r || m->vectors) return;
  while (lanes > 1 && tn_range_extent(r) % lanes) lanes /= 2;
  if (lanes == 1) return;
  m->vectors++;
  note(m, "vector %lld of %lld%s; ", (long long)lanes, (long long)tn_range_extent(r), reduction ? " reduction" : "");
  tn_transform_split(&m->s, r, lanes, TN_VECTOR, rnd(4) == 0, NULL);
}
static void pad(moves *m, const tn_profile *p) {
  tiny_uop *r = rnd(2) ? range_of(p->red, p->nred, TN_REDUCE) : range_of(p->out, p->nout, TN_LOOP);
  const int by = 2 + rnd(6);
  if (!r || tn_range_extent(r) > 60) return;
  note(m, "pad %lld to %d; ", (long long)tn_range_extent(r), by);
  tn_transform_pad(&m->s, r, by);
}
static void swap(moves *m, const tn_profile *p) {
  tiny_uop *a = range_of(p->out, p->nout, TN_LOOP), *b = range_of(p->out, p->nout, TN_LOOP);
  if (!a || !b || a == b) return;
  note(m, "swap %lld %lld; ", (long long)tn_range_extent(a), (long long)tn_range_extent(b));
  tn_transform_swap(&m->s, a, b);
}
static void stage(moves *m, const tn_profile *p) {
  tn_list loads = {NULL, 0, 0}, ranges = {NULL, 0, 0};
  tiny_uop *inner[TINY_MAX_DIMS];
  int n = 0;
  int64_t nelem = 1;
  (void)p;
  tn_collect_op(m->s.t, m->s.sink, TINY_OP_LOAD, &loads);
  if (!loads.n) return;
  tiny_uop *load = loads.u[rnd(loads.n)];
  if (load->src[0]->src[0]->op != TINY_OP_PARAM) return;
  tn_collect_ranges(m->s.t, load, &ranges);
  for (int i = 0; i < ranges.n; i++) {
    const int kind = tn_range_kind(ranges.u[i]);
    if (kind == TN_TASK || kind == TN_GLOBAL || kind == TN_GROUP || (rnd(3) == 0 && kind != TN_LOCAL)) continue;
    nelem *= tn_range_extent(ranges.u[i]);
    inner[n++] = ranges.u[i];
  }
  if (!n || nelem > 2048 || m->copies > 8) return;
  m->stages++;
  note(m, "stage %d ranges, %lld elements; ", n, (long long)nelem);
  tn_transform_stage(&m->s, load, n, inner, 0, TN_SPACE_LOCAL);
}
// A reduction in blocks of any size, whose sums stay in memory over some of the output's ranges.
static void blocks(moves *m, const tn_profile *p) {
  tn_list reduces = {NULL, 0, 0};
  tiny_uop *inner[TINY_MAX_DIMS], *rounds, *r = range_of(p->red, p->nred, TN_REDUCE);
  int n = 0;
  int64_t nelem = 1;
  if (!r || !m->threads || p->row || p->nreduce != 1 || m->copies > 2 || m->stages || tn_range_extent(r) < 2) return;
  const int64_t f = 1 + rnd((int)tn_range_extent(r) - 1);
  for (int i = 0; i < p->nout; i++) {
    const int kind = tn_range_kind(p->out[i]);
    if (kind == TN_TASK || (kind == TN_LOOP && rnd(3) == 0)) continue;
    nelem *= tn_range_extent(p->out[i]);
    inner[n++] = p->out[i];
  }
  if (!n || nelem > 2048) return;
  m->done = 1;
  note(m, "blocks of %lld of %lld over %d ranges; ", (long long)f, (long long)tn_range_extent(r), n);
  tn_transform_split(&m->s, r, f, TN_REDUCE, 0, &rounds);
  if (!rounds) return;
  rounds = tn_transform_kind(&m->s, rounds, TN_LOOP);
  tn_collect_op(m->s.t, m->s.sink, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++)
    for (uint32_t j = 1; j < reduces.u[i]->nsrc; j++)
      if (reduces.u[i]->src[j] == rounds) { tn_transform_stage(&m->s, reduces.u[i], n, inner, 0, TN_SPACE_LOCAL); return; }
}
static void group(moves *m, const tn_profile *p) {
  if (!p->nreduce || m->threads) return;
  tiny_uop *reduce = p->reduce[rnd(p->nreduce)], *r = range_of(reduce->src + 1, (int)reduce->nsrc - 1, TN_REDUCE);
  const int64_t g = r ? factor_of(tn_range_extent(r), 64 / m->items) : 1;
  if (g == 1) return;
  m->items *= g;
  note(m, "group %lld of %lld; ", (long long)g, (long long)tn_range_extent(r));
  tn_transform_group(&m->s, reduce, r, g);
}

// ** a trial **

typedef struct trial { int subject, moves, threads; void *out; size_t nbytes; char text[2048]; } trial;

static tiny_code run_trial(tiny_ctx *t, void *arg) {
  static void (*const kinds[])(moves *, const tn_profile *) = {split_output, split_output, split_reduction, vector, pad, swap, stage, group, blocks};
  trial *r = (trial *)arg;
  const tn_kernel *k = kernel_of(t, subjects[r->subject].make(t), &r->nbytes);
  if (!k) return t->code;
  tiny_limits limits = t->device[0]->limits;
  limits.threads = r->threads;
  const tn_target target = {NULL, &limits};
  moves m;
  memset(&m, 0, sizeof m);
  m.s.t = t; m.items = m.copies = 1; m.threads = r->threads;
  m.s.sink = tn_simplify(t, tn_rewrite(t, k->ast, tn_rules_reduce, NULL));
  for (int i = 0; i < r->moves && !m.done; i++) {
    tn_profile p;
    tn_profile_kernel(t, m.s.sink, &p);
    if (p.usable) kinds[rnd(9)](&m, &p);
    if (rnd(2)) m.s.sink = tn_simplify(t, m.s.sink);
    if (tn_verify(t, m.s.sink, TN_SPEC_KERNEL) != TINY_OK) break;
  }
  memcpy(r->text, m.text, sizeof r->text);
  if (t->code != TINY_OK) return t->code;
  return run_kernel(t, k, m.s.sink, &target, r->out);
}

static void test_moves(void) {
  const char *one = getenv("TEST_SEED");
  const int n = one ? 1 : test_rounds(150);
  static char want[1 << 16], got[1 << 16];
  int bad = 0;
  for (int s = 0; s < (int)(sizeof subjects / sizeof *subjects); s++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = ""; d.debug = one ? getenv("TEST_DEBUG") : "";
    tiny_ctx *t = tiny_open(&d);
    trial plain = {s, 0, 0, want, 0, ""}, moved = {s, 0, 0, got, 0, ""};
    CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
    for (int i = 0; i < n && bad < 12; i++) {
      const uint64_t seed = one ? (uint64_t)atoll(one) : (uint64_t)(s * 100000 + i);
      if (one && seed / 100000 != (uint64_t)s) continue;
      rng = seed;
      case_seeded(seed, "TEST_SEED=%llu");
      moved.moves = 1 + rnd(8); moved.threads = rnd(2);
      memset(got, 0x5A, sizeof got);
      tiny_begin(t);
      const tiny_code code = tn_guard(t, run_trial, &moved);
      const int ok = code == TINY_OK && agree(plain.out, moved.out, plain.nbytes, subjects[s].tolerance);
      CHECK(ok);
      if (!ok) { fprintf(stderr, "  seed %llu, %s: %s\n  %s\n", (unsigned long long)seed, subjects[s].name, moved.text, code ? tiny_error(t) : "other values"); bad++; }
      tiny_clear(t);
      tiny_end(t);
    }
    case_end();
    tiny_close(t);
  }
}

// A row of memory that lies a page from the last is read in many vectors, as long as none of them is read twice.
// There is no round of rows that divides them.
static void test_far_rows(void) {
  golden log = {NULL, 0, 0};
  tiny_desc d;
  int n = 0;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = ""; d.debug = "c"; d.log.fn = golden_line; d.log.user = &log;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *in[2] = {tiny_rand(t, TINY_SHAPE(1, 1021)), tiny_rand(t, TINY_SHAPE(1021, 1024))}, *y;
  CHECK_EQ(tiny_realize(in, 2), TINY_OK);
  log.n = 0;
  y = tiny_matmul(in[0], in[1]);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  for (const char *at = log.text; (at = strstr(at, "= LOAD(f32x8")); at++) n++;
  CHECK_EQ(n, 16);
  tiny_close(t);
  golden_free(&log);
}

// ** golden: kernels as text, for a machine with 32-byte vectors **

// Panels of weights, then tiles of neighbours in a row of the image, window by window.
static tiny_tensor *convolution(tiny_ctx *t) {
  return tiny_conv2d(ints(t, TINY_SHAPE(1, 16, 9, 9)), ints(t, TINY_SHAPE(32, 16, 3, 3)), NULL, NULL);
}

// Rows that numbers from memory name: the next one is fetched.
static tiny_tensor *named(tiny_ctx *t) { return tiny_embedding(tiny_cast(ints(t, TINY_SHAPE(40)), TINY_I32), ints(t, TINY_SHAPE(24, 48)), -1); }
// A block of rows, pass by pass; folds of neighbours together, logarithms as lanes.
static tiny_tensor *short_rows(tiny_ctx *t) { return tiny_log_softmax(ints(t, TINY_SHAPE(80, 24)), -1); }
static tiny_tensor *down(tiny_ctx *t) { return tiny_argmax(ints(t, TINY_SHAPE(24, 64)), 0, 0); }
// Past the caches in halves of lines.
static tiny_tensor *streamed(tiny_ctx *t) { return tiny_contiguous(tiny_expand(ints(t, TINY_SHAPE(1, 8192)), TINY_SHAPE(1024, 8192))); }

static tiny_tensor *large_matmul(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(512, 1024)), ints(t, TINY_SHAPE(1024, 512))); }
static tiny_tensor *large_softmax(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(512, 768)), -1); }
static tiny_tensor *columns(tiny_ctx *t) { return tiny_sum(tiny_expand(ints(t, TINY_SHAPE(1, 4096)), TINY_SHAPE(4096, 4096)), 0, 0); }
static tiny_tensor *running(tiny_ctx *t) { return tiny_cumsum(ints(t, TINY_SHAPE(64, 500)), 1); }

// Beside the subjects. as_text: 1: the schedules and the C of them are compared, 0: the schedules.
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); int as_text; } more_subjects[] = {
  {"convolution over channels", convolution, 1}, {"streamed", streamed, 1}, {"named rows", named, 1}, {"down columns", down, 1}, {"short rows", short_rows, 1},
  {"large matmul", large_matmul, 0}, {"large softmax", large_softmax, 0}, {"columns", columns, 0}, {"running", running, 0}};

// Functions of the C that was logged, without the prelude.
static void add_functions(const golden *log, golden *out) {
  int shows = 0;
  for (char *line = log->text, *end; (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    if (!strncmp(line, "void ", 5)) shows = 1;
    if (shows) golden_line(out, line);
    if (!strcmp(line, "}")) shows = 0;
  }
}
// Lists of opts that were logged.
static void add_opts(const golden *log, golden *out) {
  for (char *line = log->text, *end; (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    if (strstr(line, "opts ")) golden_line(out, strstr(line, "opts ") + 5);
  }
}

static void compare_subjects(const char *debug, const char *mark, void (*add)(const golden *log, golden *out), int as_text, const char *file) {
  golden log = {NULL, 0, 0}, out = {NULL, 0, 0};
  tiny_ctx *t = golden_open("NULL", &log, debug);
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    golden_realize(&log, &out, mark, subjects[i].name, subjects[i].make(t));
    add(&log, &out);
  }
  for (size_t i = 0; i < sizeof more_subjects / sizeof *more_subjects; i++) if (!as_text || more_subjects[i].as_text) {
    golden_realize(&log, &out, mark, more_subjects[i].name, more_subjects[i].make(t));
    add(&log, &out);
  }
  golden_check(&out, file);
  golden_free(&out);
  tiny_close(t);
  golden_free(&log);
}
static void test_text(void) { compare_subjects("c", "// ", add_functions, 1, "kernels.c"); }
static void test_schedules(void) { compare_subjects("o", "", add_opts, 0, "opts.txt"); }

// A row kernel whose sum runs over two ranges that both read contiguous memory: only one of them may become lanes.
static void test_lanes_once(void) {
  static float got[64 * 64], want[64 * 64];
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = ints(t, TINY_SHAPE(64, 8, 8)), *w = tiny_transpose(ints(t, TINY_SHAPE(8, 8)), 0, 1);
  tiny_tensor *y = tiny_sub(x, tiny_reduce(tiny_mul(x, w), TINY_REDUCE_SUM, TINY_SHAPE(1, 2), 1));
  CHECK_EQ(tiny_reference(y, want, sizeof want), TINY_OK);
  CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
  CHECK(!memcmp(got, want, sizeof got));
  tiny_close(t);
}

// Rows of all kinds of widths, with infinities and NaN: as the interpreter has them, the same for 1 and 2 threads.
static tiny_tensor *row_subject(tiny_tensor *x, int which) {
  switch (which) {
    case 0: return tiny_softmax(x, -1);
    case 1: return tiny_log_softmax(x, -1);
    case 2: return tiny_layer_norm(x, 1, NULL, NULL, 1e-5);
    case 3: return tiny_amax(x, 1, 0);
    case 4: return tiny_sum(tiny_exp(tiny_softmax(x, -1)), 1, 1);
    case 6: return tiny_logsumexp(x, 1, 0);
    case 7: return tiny_argmax(x, 1, 0);
    default: return tiny_softmax(tiny_cast(x, TINY_BF16), -1);
  }
}
static int row_agrees(const float *a, const float *b, int n, double tolerance) {
  for (int i = 0; i < n; i++)
    if ((a[i] != a[i]) != (b[i] != b[i]) || (a[i] == a[i] && a[i] != b[i] && !(fabs((double)a[i] - b[i]) < tolerance * (1 + fabs((double)b[i])))))
      return 0;
  return 1;
}
static void test_rows(void) {
  enum { ROWS = 70, MOST = 777 };
  static const int widths[] = {1, 2, 5, 17, 63, 64, 65, 130, 257, 768, MOST};
  static float data[ROWS * MOST], out[3][ROWS * MOST];
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    const int n = widths[w];
    for (int i = 0; i < ROWS * n; i++) data[i] = (float)((int)((unsigned)i * 2654435761u % 4001u) - 2000) / 250;
    data[0] = -HUGE_VALF; data[n * 3 + n / 2] = -HUGE_VALF; data[n * 5 + n - 1] = NAN; data[n * 7] = HUGE_VALF;
    for (int which = 0; which < 8; which++) {
      int nelem = 0;
      for (int threads = 1; threads <= 2; threads++) {
        tiny_desc d;
        memset(&d, 0, sizeof d);
        d.threads = threads;
        tiny_ctx *t = tiny_open(&d);
        tiny_tensor *y = tiny_cast(row_subject(tiny_from(t, data, TINY_F32, TINY_SHAPE(ROWS, n)), which), TINY_F32);
        nelem = (int)tiny_nelem_of(y);
        const size_t nbytes = (size_t)nelem * sizeof(float);
        if (threads == 1) CHECK_EQ(tiny_reference(y, out[2], nbytes), TINY_OK);
        CHECK_EQ(tiny_read(y, out[threads - 1], nbytes), TINY_OK);
        tiny_close(t);
      }
      CHECK(!memcmp(out[0], out[1], (size_t)nelem * sizeof(float)));
      CHECK(row_agrees(out[0], out[2], nelem, which == 5 ? 5e-3 : 2e-5));
    }
  }
}

// Transpositions in numbers of any width: squares are turned in registers. All of a matrix and parts of it.
static void test_squares(void) {
  enum { ROWS = 96, COLUMNS = 160 };
  static const int dtypes[] = {TINY_U8, TINY_I16, TINY_F32, TINY_F64};
  static int32_t data[ROWS * COLUMNS], out[ROWS * COLUMNS], want[ROWS * COLUMNS];
  tiny_ctx *t = tiny_open(NULL);
  for (int i = 0; i < ROWS * COLUMNS; i++) data[i] = (i ^ i >> 7) & 127;
  tiny_tensor *all = tiny_from(t, data, TINY_I32, TINY_SHAPE(ROWS, COLUMNS));
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
    for (int rows = 4; rows <= ROWS; rows += rows < 40 ? 7 : 56) for (int columns = 4; columns <= COLUMNS; columns = columns * 5 / 2) {
      tiny_tensor *x = tiny_contiguous(tiny_cast(all, dtypes[i]));
      x = tiny_slice(tiny_slice(x, 0, ROWS - rows, ROWS, 1), 1, COLUMNS - columns, COLUMNS, 1);
      tiny_tensor *y = tiny_contiguous(tiny_transpose(x, 0, 1));
      for (int r = 0; r < rows; r++) for (int c = 0; c < columns; c++)
        want[c * rows + r] = data[(r + ROWS - rows) * COLUMNS + c + COLUMNS - columns];
      CHECK_EQ(tiny_read(tiny_cast(y, TINY_I32), out, (size_t)(rows * columns) * sizeof *out), TINY_OK);
      CHECK(!memcmp(out, want, (size_t)(rows * columns) * sizeof *out));
    }
  tiny_close(t);
}

// Transpositions of rows that are whole pages apart, and of others: whole and ragged blocks.
static void test_across(void) {
  enum { MOST = 150 * 1024 };
  static const int shapes[][2] = {{64, 1024}, {100, 1024}, {17, 1024}, {3, 1024}, {150, 1024}, {64, 1000}, {100, 37}};
  static int32_t data[MOST], out[MOST], want[MOST];
  tiny_ctx *t = tiny_open(NULL);
  for (int i = 0; i < MOST; i++) data[i] = i;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int from = 0; from < 2; from++) {
      const int rows = shapes[i][0], columns = shapes[i][1], n = columns - 3 * from;
      tiny_tensor *x = tiny_slice(tiny_from(t, data, TINY_I32, TINY_SHAPE(rows, columns)), 1, from, from + n, 1);
      for (int r = 0; r < rows; r++) for (int c = 0; c < n; c++) want[c * rows + r] = r * columns + c + from + c;
      tiny_tensor *y = tiny_transpose(x, 0, 1);
      y = tiny_add(y, tiny_reshape(tiny_arange(t, 0, n, 1, TINY_I32), TINY_SHAPE(n, 1)));
      CHECK_EQ(tiny_read(y, out, (size_t)(rows * n) * sizeof *out), TINY_OK);
      CHECK(!memcmp(out, want, (size_t)(rows * n) * sizeof *out));
    }
  tiny_close(t);
}

// A product whose tiles take a few columns each of rows that are a page apart: they are copied for all of them.
typedef struct product { tiny_tensor *x; int stages; size_t nbytes; void *plain, *tiled; } product;
static tiny_code run_product(tiny_ctx *t, void *arg) {
  product *p = (product *)arg;
  tn_list stages = {NULL, 0, 0};
  tiny_limits limits = t->device[0]->limits;
  limits.threads = 1; limits.vector_nbytes = 64; limits.vector_registers = 32; limits.cache_nbytes = 1 << 20;
  const tn_target target = {NULL, &limits};
  const tn_kernel *k = kernel_of(t, p->x, &p->nbytes);
  tiny_uop *sink = k ? optimized(t, k->ast, &target) : NULL;
  if (!sink) return t->code;
  tn_collect_op(t, sink, TINY_OP_STAGE, &stages);
  p->stages = stages.n;
  const tiny_code code = run_kernel(t, k, k->ast, &target, p->plain);
  return code == TINY_OK ? run_kernel(t, k, sink, &target, p->tiled) : code;
}
// A device of threads that has no vectors: rows of a softmax, whose maxima are no sums.
static tiny_code run_without_vectors(tiny_ctx *t, void *arg) {
  product *p = (product *)arg;
  tiny_limits limits;
  memset(&limits, 0, sizeof limits);
  limits.threads = 1;
  const tn_target target = {NULL, &limits};
  const tn_kernel *k = kernel_of(t, p->x, &p->nbytes);
  tiny_uop *sink = k ? optimized(t, k->ast, &target) : NULL;
  if (!sink) return t->code;
  const tiny_code code = run_kernel(t, k, k->ast, &target, p->plain);
  return code == TINY_OK ? run_kernel(t, k, sink, &target, p->tiled) : code;
}
static void test_without_vectors(void) {
  static float plain[40 * 300], rows[40 * 300];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  product p = {NULL, 0, 0, plain, rows};
  tiny_tensor *x = ints(t, TINY_SHAPE(40, 300));
  p.x = tiny_sub(x, tiny_amax(x, 1, 1));
  CHECK_EQ(tn_guard(t, run_without_vectors, &p), TINY_OK);
  CHECK(p.nbytes == sizeof plain && !memcmp(plain, rows, sizeof plain));
  tiny_close(t);
}

static void test_columns_of_pages(void) {
  static float plain[1680 * 32], tiled[1680 * 32];
  for (int64_t rows = 840; rows <= 1680; rows += 840) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    product p = {NULL, 0, 0, plain, tiled};
    p.x = tiny_matmul(tiny_transpose(ints(t, TINY_SHAPE(16, rows)), 0, 1), ints(t, TINY_SHAPE(16, 32)));
    CHECK_EQ(tn_guard(t, run_product, &p), TINY_OK);
    CHECK_EQ(p.stages, rows == 1680);
    CHECK(agree(plain, tiled, p.nbytes, 0));
    tiny_close(t);
  }
}

// Columns of rows that lie pages apart go in blocks whose sums lie in the nearest cache, where the rows divide into
// rounds: of numbers, of products with one number a row, of the greatest.
static void test_columns_far_apart(void) {
  static const int rows[] = {264, 275, 263};
  static float plain[1024], tiled[1024];
  for (int i = 0; i < 9; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    product p = {NULL, 0, 0, plain, tiled};
    tiny_tensor *x = ints(t, TINY_SHAPE(rows[i % 3], 1024)), *y = ints(t, TINY_SHAPE(rows[i % 3], 1));
    p.x = i < 3 ? tiny_mean(x, 0, 0) : i < 6 ? tiny_sum(tiny_mul(x, y), 0, 0) : tiny_amax(x, 0, 1);
    CHECK_EQ(tn_guard(t, run_product, &p), TINY_OK);
    CHECK_EQ(p.stages, rows[i % 3] != 263);
    CHECK(agree(plain, tiled, p.nbytes, 0));
    tiny_close(t);
  }
}

// ** matrix units: products of tiles in the interpreter are those of the kernel without moves **

// Small whole numbers of any dtype: sums are exact in any order.
static tiny_tensor *whole(tiny_ctx *t, tiny_dtype dtype, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim), nbytes = tn_dtypes[dtype].nbytes, sign = tn_is_signed(dtype) || tn_is_float(dtype) ? 5 : 0;
  char *data = (char *)calloc((size_t)n, (size_t)nbytes);
  for (int64_t i = 0; i < n; i++) tn_dtype_store(dtype, data + i * nbytes, tn_dtype_value(dtype, (double)(i * 7 % 11 - sign)));
  tiny_tensor *x = tiny_from(t, data, dtype, s);
  free(data);
  return x;
}

typedef struct tile_trial { int m, n, k, batch, tb, epilogue; tiny_dtype a, b; const tiny_renderer *lang; size_t nbytes; void *out; int wmmas, rendered; } tile_trial;

static tiny_tensor *tile_operand(tiny_ctx *t, const tile_trial *r, tiny_dtype dtype, int rows, int columns, int across) {
  tiny_tensor *x = whole(t, dtype, r->batch ? across ? TINY_SHAPE(2, columns, rows) : TINY_SHAPE(2, rows, columns) :
                         across ? TINY_SHAPE(columns, rows) : TINY_SHAPE(rows, columns));
  if (across) x = tiny_transpose(x, -2, -1);
  return tiny_cast(x, dtype == TINY_BF16 ? TINY_F32 : TINY_I32);
}

static tiny_code run_tiles(tiny_ctx *t, void *arg) {
  tile_trial *r = (tile_trial *)arg;
  tiny_tensor *x = tile_operand(t, r, r->a, r->m, r->k, 0), *y = tile_operand(t, r, r->b, r->k, r->n, r->tb), *z = tiny_matmul(x, y);
  if (r->epilogue) z = tiny_relu(tiny_add(z, whole(t, r->a == TINY_BF16 ? TINY_F32 : TINY_I32, TINY_SHAPE(r->n))));
  const tn_kernel *k = kernel_of(t, z, &r->nbytes);
  if (!k) return t->code;
  tiny_limits limits;
  memset(&limits, 0, sizeof limits);
  limits.host_memory = limits.threads = 1;
  limits.vector_nbytes = 64; limits.vector_registers = 32; limits.cache_nbytes = 1 << 20;
  const tn_target target = {r->lang, &limits};
  tiny_uop *sink = tn_simplify(t, tn_rewrite(t, k->ast, tn_rules_reduce, NULL));
  if (!r->lang) return run_kernel(t, k, sink, &target, r->out);
  tn_lowered low;
  memset(&low, 0, sizeof low);
  if (tn_lower(t, optimized(t, sink, &target), &target, &low) != TINY_OK) return t->code;
  for (int i = 0; i < low.n; i++) r->wmmas += low.list[i]->op == TINY_OP_WMMA;
  const tiny_listing listing = {"tiles", low.list, low.n, low.hints, low.local, low.local_nbytes};
  tiny_bytes out = {t, NULL, 0, 0};
  uint64_t uses;
  CHECK_EQ(r->lang->kernel(t, r->lang, &listing, &out, &uses), TINY_OK);
  const char *text = out.data, *form = r->a == TINY_BF16 ? "= (TILE_BF16(" : "8(";
  r->rendered = t->code == TINY_OK && strstr(text, form) && strstr(text, "TILE_STORE(") && !strstr(text, "f32x256") &&
      !strstr(text, "for (tile");        // loops count
  return run_list(t, k, &low, r->out);
}

static void test_tiles(void) {
  static const tiny_dtype pairs[][2] = {{TINY_BF16, TINY_BF16}, {TINY_I8, TINY_I8}, {TINY_U8, TINY_I8}, {TINY_I8, TINY_U8}, {TINY_U8, TINY_U8}};
  static char want[1 << 16], got[1 << 16];
  tiny_desc d;
  tiny_renderer lang;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tn_lang_c(&lang);
  lang.units = tn_c_units; lang.nunits = TN_C_UNITS;
  tn_cstyle(&lang);
  tiny_ctx *t = tiny_open(&d);
  for (int i = 0; i < 15; i++) {
    tile_trial plain;
    rng = (uint64_t)i;
    memset(&plain, 0, sizeof plain);
    plain.m = 16 + rnd(40); plain.n = 16 + rnd(40); plain.k = 128 + rnd(rnd(4) ? 60 : 600);
    plain.batch = rnd(4) == 0; plain.tb = rnd(3) == 0; plain.epilogue = rnd(2);
    plain.a = pairs[i % 5][0]; plain.b = pairs[i % 5][1]; plain.out = want;
    tile_trial tiles = plain;
    tiles.lang = &lang; tiles.out = got;
    tiny_begin(t);
    memset(got, 0x5A, sizeof got);
    CHECK_EQ(tn_guard(t, run_tiles, &plain), TINY_OK);
    CHECK_EQ(tn_guard(t, run_tiles, &tiles), TINY_OK);
    CHECK(tiles.wmmas > 0 && tiles.rendered);
    const int ok = t->code == TINY_OK && !memcmp(want, got, plain.nbytes);
    CHECK(ok);
    if (!ok) fprintf(stderr, "  %d: %dx%dx%d%s%s%s of %s and %s: %s\n", i, plain.m, plain.k, plain.n, plain.batch ? " batch" : "",
                     plain.tb ? " b" : "", plain.epilogue ? " epilogue" : "", tn_dtypes[plain.a].name, tn_dtypes[plain.b].name, t->code ? tiny_error(t) : "other values");
    tiny_clear(t);
    tiny_end(t);
  }
  tiny_close(t);
}

int main(void) {
  test_far_rows();
  test_moves();
  test_columns_of_pages();
  test_without_vectors();
  test_columns_far_apart();
  test_tiles();
  test_lanes_once();
  test_rows();
  test_across();
  test_squares();
  if (!getenv("TEST_SEED")) { test_text(); test_schedules(); }
  return test_report();
}
