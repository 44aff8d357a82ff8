// brief: plain asan
// test_search: schedules and what a search makes of them. Whatever opts a list has, the interpreter finds the same values
// as in the kernel without them, and a list that is applied again gives the same kernel; what a search chooses gives the values of the reference, is found again on disk, and
// damaged files or refused memory never show in a result. TEST_ROUNDS=n: n schedules for each kernel; TEST_SEED=s: one.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "kernel_test.h"
#include "search_test.h"
#include "folder_test.h"

// ** schedules as text **

static void print_schedule(tiny_ctx *t, const tn_schedule *list, char *line) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, list);
  snprintf(line, TN_SCHEDULE_TEXT, "%s", text.data);
}

static tn_opt random_opt(const tn_kernel_state *s) {
  static const int sizes[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 64};
  static const int ops[] = {TINY_OP_LOAD, TINY_OP_LOAD, TINY_OP_REDUCE, TINY_OP_REDUCE, TINY_OP_MUL, TINY_OP_ADD, TINY_OP_CAST, TINY_OP_EXP2, TINY_OP_MAX, TINY_OP_STAGE};
  tn_opt o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)rnd(TN_OPT_KINDS);
  const int has = tn_opt_kinds[o.kind].has, least = tn_opt_kinds[o.kind].least, most = tn_opt_kinds[o.kind].most;
  o.naxes = (uint8_t)(least + (most > least ? rnd(most - least < 4 ? most - least + 1 : 4) : 0));
  for (int i = 0; i < o.naxes; i++) o.axis[i] = (int16_t)rnd((s ? s->naxes : 20) + (rnd(20) == 0));
  if (has & TN_OPT_HAS_OPERAND) o.op = (uint8_t)ops[rnd(10)];
  if (has & (TN_OPT_HAS_OPERAND | TN_OPT_HAS_UNIT)) o.number = (int16_t)rnd(3);
  if (has & TN_OPT_HAS_AMOUNT && rnd(4)) o.amount = sizes[rnd(14)];
  if (has & TN_OPT_HAS_SPACE) o.space = (uint8_t)(rnd(20) ? TN_SPACE_LOCAL : TN_SPACE_REG);
  return o;
}

static tiny_code text_trial(tiny_ctx *t, void *arg) {
  static char line[TN_SCHEDULE_TEXT];
  static tn_schedule s, again;
  static const char *const good[] = {"-", "SPLIT 0:4", "LANE 1:16, UPCAST 0:6, UNROLL 2:8, SPLIT 1:64, SWAP 0 1, PAD 0:8, STAGE LOAD.1 0 3 @local, REUSE, TASK 0",
    "MATRIX .0 0 4 5 6 1 _ 7 8:2, WMMA .3 _ 4 5 6, WMMA .0 0 1 2 3:4, ORDER 2 0 1, REUSE 3, DOT, FISSION, SCATTER", "GROUP REDUCE.0 2:16, GRID 0, LOCAL 1:64, LOOP 3, STAGE EXP2.12 4 @reg",
    "PREFETCH LOAD.0 1:4, SPLIT 128:576460752303423487, PRODUCER"};
  static const char *const bad[] = {"", " ", "x", "- ", "SPLIT", "SPLIT ", "SPLIT 0:", "SPLIT 0:0", "SPLIT 0:-1", "SPLIT 0 1:4", "SPLIT 0:4,", "SPLIT 0:4, ", "SPLIT 0:4,UPCAST 0:4",
    "split 0:4", "SPLITS 0:4", "SPLIT 129:4", "SPLIT 0:99999999999999999999", "STAGE LOAD.0 1", "STAGE LOAD.0 1 @", "STAGE LOAD.0 1 @shared", "STAGE LOAD 1 @local",
    "STAGE LOADS.0 1 @local", "STAGE LOAD.40000 1 @local", "DOT 1", "DOT:4", "PRODUCER 1", "PRODUCER:2", "SWAP 0", "SWAP 0 1 2", "SWAP 0 1:4", "REUSE 1 2", "MATRIX .0 0 1 2 3 4 5 6:1", "MATRIX 0 0 1 2 3 4 5 6 7:1", "WMMA .0 0 1 2", "WMMA .0 0 1 2 3:0", "WMMA 0 1 2 3"};
  (void)arg;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(tn_schedule_parse(good[i], &s));
    print_schedule(t, &s, line);
    CHECK_STR(line, good[i]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(!tn_schedule_parse(bad[i], &s));
  tiny_bytes many = {t, NULL, 0, 0};
  for (int i = 0; i < TN_SCHEDULE_OPTS; i++) tn_text_add(&many, "%sDOT", i ? ", " : "");
  CHECK(tn_schedule_parse(many.data, &s) && s.n == TN_SCHEDULE_OPTS);
  tn_text_add(&many, ", DOT");
  CHECK(!tn_schedule_parse(many.data, &s));          // one too many
  int round_trips = 0;
  for (int i = 0; i < 3000; i++) {
    rng = (uint64_t)i;
    memset(&s, 0, sizeof s);
    s.n = rnd(12);
    for (int j = 0; j < s.n; j++) s.opt[j] = random_opt(NULL);
    print_schedule(t, &s, line);
    round_trips += tn_schedule_parse(line, &again) && !memcmp(&s, &again, sizeof s);
    for (int j = 0; j < 4 && *line; j++) line[rnd((int)strlen(line))] = (char)(32 + rnd(95));
    if (tn_schedule_parse(line, &again)) CHECK(again.n <= TN_SCHEDULE_OPTS);
  }
  CHECK_EQ(round_trips, 3000);
  return TINY_OK;
}
static void test_text(void) {
  tiny_ctx *t = tiny_open(NULL);
  CHECK_EQ(tn_guard(t, text_trial, NULL), TINY_OK);
  tiny_close(t);
}

// ** random schedules **

typedef struct trial { int subject, opts, machine, chosen; void *out; size_t nbytes; tn_schedule list; } trial;

static tiny_code run_trial(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  const tn_kernel *k = kernel_of(t, subjects[r->subject].make(t), &r->nbytes);
  place p;
  tn_kernel_state s, more;
  if (!k) return t->code;
  place_at(t, &machines[r->machine], &p);
  tiny_uop *sink = tn_prepare(t, k->ast, &p.target);
  const int64_t serial = t->ir->serial;
  tn_state_open(&s, t, sink, &p.target);
  if (r->chosen) tn_optimize(&s);
  else if (!tn_schedule_apply(&s, &r->list)) return tiny_fail(t, TINY_E_INTERNAL, "the list is not legal");
  for (int i = 0; i < r->opts; i++) {      // those that are legal, up to the wanted number
    for (int tries = 0; tries < 60; tries++) {
      const tn_opt o = random_opt(&s);
      const int64_t before = t->ir->serial;
      tn_cost cost;
      more = s;
      if (tn_opt_apply(&more, &o) && tn_cost_of(t, more.sink, &p.limits, &cost)) {
        if (!(cost.cycles > 0)) CHECK(!"every kernel costs something");
        s = more;
        break;
      }
      t->ir->serial = before;
    }
  }
  r->list = s.done;
  t->ir->serial = serial;
  tn_state_open(&more, t, sink, &p.target);
  CHECK(tn_schedule_apply(&more, &r->list));
  CHECK(more.sink == s.sink);              // the list says all that was done
  if (tn_verify(t, s.sink, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  p.target.renderer = NULL;
  return run_kernel(t, k, s.sink, &p.target, r->out);
}

// Lists that once gave other values, or none. Those that may not be applied: 0.
static const struct { const char *subject; int machine, legal; const char *list; } found[] = {
  {"softmax", 2, 1, "REUSE, PAD 1:5, LANE 1:8"},                                // a gated load of lanes, of two ranges
  {"matvec", 3, 1, "STAGE LOAD.0 1:2 @local, SPLIT 2:8"},                       // rows of a copy, split
  {"largest", 5, 0, "SPLIT 0:6, LOOP 0, GROUP REDUCE.0 1:2, PAD 2:16"},                 // items that share a sum of K blocks
  {"attention of halves", 8, 1, "GRID 0, LOCAL 1:8, GROUP REDUCE.4 6:8, UNROLL 7:6, GROUP REDUCE.0 4:8"},     // items of what is left over
  // copies ahead of units' operands, beside operands that are not; in one of several loops of a sum
  {"attention of halves", 8, 1, "ONLINE 3 5 7, SPLIT 0:16, WMMA .0 _ 8 _ 1, GRID 0, PREFETCH STAGE.1 19:1, PREFETCH STAGE.3 19:1"},
  {"conv2d", 8, 1, "PAD 4:8, PAD 2:8, PAD 1:8, SPLIT 4:4, STAGE LOAD.1 4 7 2:8 @local, SHARE 8, SHARE 9, SHARE 10, STAGE LOAD.0 4 7 1:8 @local, SHARE 11, SHARE 12, SHARE 13, LOCAL 2, LOCAL 1, UNROLL 7, GRID 0, GRID 3, PREFETCH STAGE.0 6:1, PREFETCH STAGE.1 6:1"},
  // a copy of what is a copy already, by the same loops
  {"sum of columns", 5, 0, "SPLIT 1:24, LOOP 1, STAGE LOAD.0 2 @local, SPLIT 2:2, STAGE LOAD.2 0:16 @local"},
};
static void test_found(void) {
  static char want[1 << 16], got[1 << 16];
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    tiny_desc d;
    trial plain, moved;
    memset(&d, 0, sizeof d); memset(&plain, 0, sizeof plain);
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    while (strcmp(subjects[plain.subject].name, found[i].subject)) plain.subject++;
    plain.machine = found[i].machine;
    moved = plain;
    plain.out = want;
    moved.out = got;
    CHECK(tn_schedule_parse(found[i].list, &moved.list));
    CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
    const tiny_code code = tn_guard(t, run_trial, &moved);
    const int failed = test_failed;
    CHECK(code == TINY_OK ? found[i].legal : strstr(tiny_error(t), "the list is not legal") && !found[i].legal);
    if (found[i].legal)
      CHECK(agree(plain.out, moved.out, plain.nbytes, subjects[plain.subject].tolerance > 1e-6 ? subjects[plain.subject].tolerance : 1e-6));
    if (test_failed > failed) fprintf(stderr, "  %s, %s: %s\n", found[i].subject, found[i].list, tiny_error(t));
    tiny_close(t);
  }
}

// K blocks of sums that are all copies: what a block read was hoisted out of the loop over the blocks.
static void test_blocks_of_copies(void) {
  static const char *const lists[] = {"UPCAST 0, LOOP 1, STAGE REDUCE.0 0 @local", "SPLIT 0:2, UPCAST 2, SPLIT 1:2, LOOP 1, STAGE REDUCE.0 2 @local"};
  static char want[1 << 16], got[1 << 16];
  tiny_desc d;
  trial plain, moved;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = tiny_open(&d);
    memset(&plain, 0, sizeof plain);
    while (subjects[plain.subject].make != sum_of_rows) plain.subject++;
    moved = plain;
    plain.out = want; moved.out = got;
    CHECK(tn_schedule_parse(lists[i], &moved.list));
    CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
    CHECK_EQ(tn_guard(t, run_trial, &moved), TINY_OK);
    CHECK(agree(plain.out, moved.out, plain.nbytes, 0));
    tiny_close(t);
  }
}

// Lists from a folder of strangers: what is legal opt by opt may still be endless code, and lanes of lanes are not legal.
static tiny_code run_forged(tiny_ctx *t, void *arg) {
  static const struct { const char *list; int legal; } forged[] = {
    {"LANE 0:8, LANE 2:8", 0}, {"LANE 2:8, LANE 0:8", 0}, {"SPLIT 0:8, LANE 3, SPLIT 1:8, LANE 4", 0},
    {"UPCAST 0:64, UPCAST 1:64", 1}, {"UPCAST 0:64, UNROLL 2:64, UPCAST 1:64", 1}, {"UNROLL 2:64, UNROLL 2, UPCAST 0:64", 1}};
  size_t nbytes;
  static float a[128 * 128];
  tiny_tensor *x = tiny_from(t, a, TINY_F32, TINY_SHAPE(128, 128));
  const tn_kernel *k = kernel_of(t, tiny_matmul(x, tiny_transpose(x, 0, 1)), &nbytes);
  place p;
  tn_schedule list;
  tn_kernel_state s;
  (void)arg;
  if (!k) return t->code;
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    tn_lowered chosen, given;
    memset(&chosen, 0, sizeof chosen); memset(&given, 0, sizeof given);
    place_at(t, &machines[2], &p);
    CHECK(tn_schedule_parse(forged[i].list, &list));
    tn_state_open(&s, t, tn_prepare(t, k->ast, &p.target), &p.target);
    CHECK_EQ(tn_schedule_apply(&s, &list), forged[i].legal);
    CHECK_EQ(tn_pipeline_run(t, k->ast, &p.target, NULL, 0, &chosen), TINY_OK);
    CHECK_EQ(tn_pipeline_run(t, k->ast, &p.target, &list, 0, &given), TINY_OK);
    CHECK_EQ(given.n, chosen.n);
  }
  return t->code;
}
static void test_forged(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  CHECK_EQ(tn_guard(t, run_forged, NULL), TINY_OK);
  tiny_close(t);
}

// Eight lines of a page fit the eight ways of 4 KiB; the next pushes one out. Odd distances reach all sets.
static void test_conflicts(void) {
  const tiny_memory_level m = {32 << 10, 64, 8, 2};
  CHECK(!tn_cost_conflicts(8, 4096, &m));
  CHECK(tn_cost_conflicts(9, 4096, &m));
  CHECK(tn_cost_conflicts(14, -8192, &m));
  CHECK(!tn_cost_conflicts(16, 2048, &m));
  CHECK(tn_cost_conflicts(17, 2048, &m));
  CHECK(!tn_cost_conflicts(512, 64, &m));
  CHECK(!tn_cost_conflicts(512, 4096 + 64, &m));
  tiny_limits limits;                      // what a device does not say is guessed; what it says is taken
  memset(&limits, 0, sizeof limits);
  CHECK(tn_machine_memory(&limits, 0).nbytes == 32 << 10 && tn_machine_near(&limits) == 1 << 20 && tn_machine_memory(&limits, 2).nbytes == 16 << 20);
  limits.cache_nbytes = 2 << 20; limits.memory[0].line = 128; limits.memory[2].nbytes = 5 << 20; limits.memory[2].cycles = 30;
  CHECK(tn_machine_line(&limits) == 128 && tn_machine_near(&limits) == 2 << 20);
  CHECK(tn_machine_memory(&limits, 2).nbytes == 5 << 20 && tn_machine_memory(&limits, 2).cycles == 30 && tn_machine_memory(&limits, 2).ways == 8);
}

static void test_values(void) {
  const char *one = getenv("TEST_SEED");
  const int n = one ? 1 : test_rounds(60);
  static char want[1 << 16], got[1 << 16], line[TN_SCHEDULE_TEXT];
  static trial plain, moved;
  int bad = 0, opts = 0;
  for (int s = 0; s < SUBJECTS; s++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = ""; d.debug = one ? getenv("TEST_DEBUG") : "";
    tiny_ctx *t = tiny_open(&d);
    memset(&plain, 0, sizeof plain);
    plain.subject = s; plain.out = want;
    CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
    for (int i = 0; i < n && bad < 12; i++) {
      const uint64_t seed = one ? (uint64_t)atoll(one) : (uint64_t)(s * 100000 + i);
      if (one && seed / 100000 != (uint64_t)s) continue;
      rng = seed;
      case_seeded(seed, "TEST_SEED=%llu");
      memset(&moved, 0, sizeof moved);
      moved.subject = s; moved.out = got; moved.opts = rnd(7); moved.chosen = rnd(2); moved.machine = rnd(MACHINES);
      memset(got, 0x5A, sizeof got);
      tiny_begin(t);
      const tiny_code code = tn_guard(t, run_trial, &moved);
      const int ok = code == TINY_OK && agree(plain.out, moved.out, plain.nbytes, subjects[s].tolerance);
      CHECK(ok);
      opts += moved.list.n;
      if (!ok) {
        tiny_bytes text = {t, NULL, 0, 0};
        tn_schedule_print(&text, &moved.list);
        snprintf(line, sizeof line, "%s", text.data);
        fprintf(stderr, "  seed %llu, %s on machine %d: %s\n  %s\n", (unsigned long long)seed, subjects[s].name, moved.machine, line, code ? tiny_error(t) : "other values");
        bad++;
      }
      tiny_clear(t);
      tiny_end(t);
    }
    case_end();
    tiny_close(t);
  }
  if (!one) CHECK(opts > SUBJECTS * n);    // most trials did something
}

// ** what a search of a device with a grid begins with **

enum { FAMILY_LISTS = 24 };
typedef struct families { int subject, machine, n, of[FAMILY_LISTS]; tn_schedule list[FAMILY_LISTS]; } families;

// The first lists, of all families in turn.
static tiny_code families_trial(tiny_ctx *t, void *arg) {
  families *f = (families *)arg;
  size_t nbytes;
  place p;
  tn_candidates s;
  const tn_kernel *k = kernel_of(t, subjects[f->subject].make(t), &nbytes);
  if (!k) return t->code;
  place_at(t, &machines[f->machine], &p);
  tiny_uop *sink = tn_prepare(t, k->ast, &p.target);
  if (tn_is_ordered(t, sink)) return TINY_OK;
  tn_candidates_open(&s, t, k->ast, sink, &p.target, 1 << 14);
  tn_candidates_seeds(&s, test_brief(FAMILY_LISTS / 3, FAMILY_LISTS));
  f->n = s.n;
  for (int i = 0; i < s.n; i++) { f->list[i] = s.found[i].list; f->of[i] = s.found[i].family; }
  return t->code;
}
static void test_families(void) {
  static char want[1 << 16], got[1 << 16], line[TN_SCHEDULE_TEXT];
  static families f;
  static trial plain, moved;
  int seen[TN_FAMILIES] = {0};
  for (int s = 0; s < GRID_SUBJECTS; s++) for (int m = 0; m < MACHINES; m++) {
    if (machines[m].threads || (subjects[s].make == attention_of_halves && machines[m].registers < 255)) continue;     // has no units
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = "", .debug = ""});
    memset(&plain, 0, sizeof plain); memset(&f, 0, sizeof f);
    plain.subject = f.subject = s; f.machine = m; plain.out = want;
    CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
    CHECK_EQ(tn_guard(t, families_trial, &f), TINY_OK);
    for (int i = 0; i < f.n; i++) {
      memset(&moved, 0, sizeof moved);
      moved.subject = s; moved.machine = m; moved.list = f.list[i]; moved.out = got;
      memset(got, 0x5A, sizeof got);
      const tiny_code code = tn_guard(t, run_trial, &moved);
      const int ok = code == TINY_OK && agree(want, got, plain.nbytes, subjects[s].tolerance);
      CHECK(ok);
      seen[f.of[i]]++;
      if (ok) continue;
      tiny_clear(t);
      print_schedule(t, &f.list[i], line);
      fprintf(stderr, "  %s on machine %d, family %d: %s\n  code %d\n", subjects[s].name, m, f.of[i], line, code);
    }
    tiny_close(t);
  }
  for (int i = 0; i < TN_FAMILIES; i++) {
    CHECK(seen[i] > 0 || i == TN_FAMILY_ADDED);              // of kernels that add to memory: test_atomics
    if (!seen[i] && i != TN_FAMILY_ADDED) fprintf(stderr, "  none of family %d\n", i);
  }
}

// ** kernels as large as people have them: what the heuristics choose is a list that gives the same kernel **

static tiny_tensor *zeros(tiny_ctx *t, tiny_dtype dtype, tiny_shape s) { return tiny_contiguous(tiny_full(t, 0, dtype, s)); }
static tiny_tensor *large(tiny_ctx *t, int which) {
  tiny_tensor *x = NULL, *y = NULL, *g = NULL;
  switch (which) {
    case 0: return tiny_matmul(zeros(t, TINY_F32, TINY_SHAPE(1000, 777)), zeros(t, TINY_F32, TINY_SHAPE(777, 515)));
    case 1: return tiny_matmul(zeros(t, TINY_BF16, TINY_SHAPE(512, 1024)), zeros(t, TINY_BF16, TINY_SHAPE(1024, 640)));
    case 2: return tiny_matmul(tiny_cast(zeros(t, TINY_I8, TINY_SHAPE(256, 512)), TINY_I32), tiny_cast(zeros(t, TINY_I8, TINY_SHAPE(512, 256)), TINY_I32));
    case 3: return tiny_matmul(zeros(t, TINY_F32, TINY_SHAPE(2048, 4096)), tiny_transpose(zeros(t, TINY_F32, TINY_SHAPE(4096, 4096)), 0, 1));
    case 4: return tiny_gelu(tiny_conv2d(zeros(t, TINY_F32, TINY_SHAPE(2, 64, 56, 56)), zeros(t, TINY_F32, TINY_SHAPE(128, 64, 3, 3)), NULL, NULL));
    case 5: return tiny_softmax(zeros(t, TINY_F32, TINY_SHAPE(4096, 768)), -1);
    case 6: return tiny_layer_norm(zeros(t, TINY_F32, TINY_SHAPE(512, 1000)), 1, NULL, NULL, 1e-5);
    case 7: return tiny_log_softmax(zeros(t, TINY_F32, TINY_SHAPE(5000, 100)), -1);
    case 8: return tiny_contiguous(tiny_transpose(zeros(t, TINY_F32, TINY_SHAPE(3000, 2000)), 0, 1));
    case 9: return tiny_sum(zeros(t, TINY_F32, TINY_SHAPE(8192, 8192)), 0, 0);
    case 10: return tiny_argmax(zeros(t, TINY_F32, TINY_SHAPE(300, 5000)), 1, 0);
    case 11: return tiny_cumsum(zeros(t, TINY_F32, TINY_SHAPE(64, 5000)), 1);
    case 12: return tiny_embedding(zeros(t, TINY_I32, TINY_SHAPE(64, 128)), zeros(t, TINY_F32, TINY_SHAPE(5000, 256)), -1);
    case 13:
      x = zeros(t, TINY_F32, TINY_SHAPE(5000, 256));
      tiny_grad(tiny_sum(tiny_exp(tiny_embedding(zeros(t, TINY_I32, TINY_SHAPE(1000)), x, -1)), TINY_ALL, 0), &x, 1, &g);
      return g;
    case 14: return tiny_attention(zeros(t, TINY_F32, TINY_SHAPE(2, 8, 256, 64)), zeros(t, TINY_F32, TINY_SHAPE(2, 8, 256, 64)), zeros(t, TINY_F32, TINY_SHAPE(2, 8, 256, 64)), NULL);
    case 15:                               // more loads than a search for a tile looks at
      x = zeros(t, TINY_F32, TINY_SHAPE(64, 32));
      for (int i = 0; i < 40; i++) { tiny_tensor *z = zeros(t, TINY_F32, TINY_SHAPE(64, 32)); y = y ? tiny_add(y, tiny_mul(x, z)) : tiny_mul(x, z); }
      return tiny_sum(y, 1, 0);
    default: return NULL;
  }
}

static tiny_code large_trial(tiny_ctx *t, void *arg) {
  static char line[TN_SCHEDULE_TEXT];
  static tn_kernel_state chosen, again;
  const int which = *(int *)arg;
  tn_visit v;
  tn_draft d;
  tn_schedule list;
  const tn_kernel **kernels;
  tiny_uop *root = tn_uop_of(large(t, which));
  memset(&v, 0, sizeof v);
  while (root->op == TINY_OP_RESHAPE) root = root->src[0];
  tn_visit_graph(t, &v, &root, 1);
  const tn_targets targets = tn_context_targets(t);
  if (tn_draft_plan(t, &targets, &v, &root, 1, &d, &kernels) != TINY_OK) return t->code;
  for (int i = 0; i < d.plan.nstep; i++) for (int m = 0; m < MACHINES; m++) {
    place p;
    place_at(t, &machines[m], &p);
    tiny_uop *sink = tn_prepare(t, kernels[i]->ast, &p.target);
    const int64_t serial = t->ir->serial;
    tn_state_open(&chosen, t, sink, &p.target);
    tn_optimize(&chosen);
    if (t->code != TINY_OK) return t->code;
    print_schedule(t, &chosen.done, line);
    if (which == 15 && machines[m].threads) CHECK(chosen.done.n >= 1);     // lanes at least
    t->ir->serial = serial;
    tn_state_open(&again, t, sink, &p.target);
    for (int a = 0; a < chosen.naxes && machines[m].most; a++) {           // what the device says about its dims holds
      const int64_t n = tn_range_extent(chosen.axis[a]);
      const int kind = tn_range_kind(chosen.axis[a]);
      CHECK(!(kind == TN_GLOBAL && n > 100 * machines[m].most) && !((kind == TN_LOCAL || kind == TN_GROUP) && n > machines[m].most));
    }
    const int same = tn_schedule_parse(line, &list) && tn_schedule_apply(&again, &list) && again.sink == chosen.sink;
    CHECK(same);
    if (!same) fprintf(stderr, "  tensor %d, kernel %d, machine %d: %s\n", which, i, m, line);
  }
  return t->code;
}
static void test_large(void) {
  for (int i = 0; i < 16; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "NULL"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(tn_guard(t, large_trial, &i), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  tensor %d: %s\n", i, tiny_error(t));
    tiny_close(t);
  }
}

// ** a folder of this test's own **

static char root[64];

static const char *in_root(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  return path;
}

// ** lists that a file holds, compiled and run by the processor **

// What a file says of the kernel of x: this list. NULL: random opts, after the heuristics' own or without.
typedef struct outsider { tiny_tensor *x; const char *text; int opts, chosen; tn_schedule list; } outsider;

static tiny_code outsider_writes(tiny_ctx *t, void *arg) {
  static tn_kernel_state s, more;
  outsider *o = (outsider *)arg;
  const tn_target target = {&t->device[0]->renderer, &t->device[0]->limits};
  tn_build b;
  size_t nbytes;
  tn_cost cost;
  memset(&b, 0, sizeof b);
  const tn_kernel *k = kernel_of(t, o->x, &nbytes);
  if (!k) return t->code;
  tn_compiler_identify(t->device[0]->programs);
  b.at = t->device[0]->programs; b.ast = k->ast;
  tn_build_name(t, &b);
  tn_state_open(&s, t, tn_prepare(t, k->ast, &target), &target);
  if (o->text) {
    CHECK(tn_schedule_parse(o->text, &o->list));
    CHECK(tn_schedule_apply(&s, &o->list));
  } else {
    if (o->chosen) tn_optimize(&s);
    for (int i = 0, tries = 0; i < o->opts && tries < 60 * o->opts; tries++) {
      const tn_opt opt = random_opt(&s);
      const int64_t before = t->ir->serial;
      more = s;
      if (tn_opt_apply(&more, &opt) && tn_cost_of(t, more.sink, target.limits, &cost)) { s = more; i++; }
      else t->ir->serial = before;
    }
    o->list = s.done;
  }
  b.found = &o->list;
  tn_beam_to_disk(t, &b);
  return t->code;
}

// Not of the last kernel, which takes seconds.
static void test_outsiders(void) {
  enum { HALVES = 1 << TINY_DOT_BF16, BYTES = 1 << TINY_DOT_U8_I8 | 1 << TINY_DOT_I16 };
  static const struct { const char *name, *text; uint32_t dots; } lists[] = {          // no register is as short as two lanes
    {"halves", "DOT, LANE 0:2", HALVES}, {"bytes", "DOT, LANE 1:2", BYTES}, {"halves", "LANE 1:2, DOT", HALVES},
    {"bytes", "DOT, UPCAST 0:2", BYTES}, {"bytes", "DOT, LANE 0:4", BYTES}};
  enum { LISTS = sizeof lists / sizeof *lists };
  static const char *const devices[] = {"CPU", "CPU:avx2", "LLVM"};
  static char got[1 << 16], want[1 << 16];
  const int n = (test_rounds(60) + 19) / 20;
  char line[TN_SCHEDULE_TEXT];
  for (int device = 0; device < 3; device++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[device]; d.cache_dir = in_root(devices[device]); d.beam = 1;
    tiny_ctx *t = tiny_open(&d);
    if (strcmp(tiny_device_name(t, 0), devices[device])) { printf("skipped: no %s here\n", devices[device]); tiny_close(t); continue; }
    for (int i = 0; i < LISTS + (SUBJECTS - 1) * n; i++) {
      outsider o;
      int subject = (i - LISTS) / n;
      memset(&o, 0, sizeof o);
      rng = (uint64_t)(i + 1000 * device);
      if (i < LISTS) for (o.text = lists[i].text, subject = 0; strcmp(subjects[subject].name, lists[i].name);) subject++;
      o.opts = 1 + rnd(5); o.chosen = rnd(2);
      if (!case_named("%s on %s", i < LISTS ? lists[i].text : subjects[subject].name, devices[device])) continue;
      if (o.text && !(t->device[0]->renderer.dots & lists[i].dots)) { printf("skipped: %s has no DOT for %s\n", devices[device], lists[i].name); continue; }
      tiny_begin(t);
      o.x = subjects[subject].make(t);
      const size_t nbytes = (size_t)tiny_nelem_of(o.x) * tiny_dtype_nbytes(tiny_dtype_of(o.x));
      const uint64_t searches = tiny_stats_of(t).searches;
      CHECK_EQ(tn_guard(t, outsider_writes, &o), TINY_OK);
      CHECK_EQ(tiny_reference(o.x, want, nbytes), TINY_OK);
      const int ok = tiny_read(o.x, got, nbytes) == TINY_OK && agree(got, want, nbytes, subjects[subject].tolerance);
      CHECK(ok);
      CHECK_EQ(tiny_stats_of(t).searches, searches);          // it was found
      if (!ok) { print_schedule(t, &o.list, line); fprintf(stderr, "  %s of %s on %s: %.400s\n", line, subjects[subject].name, devices[device], tiny_error(t)); }
      tiny_clear(t);
      tiny_end(t);
    }
    case_end();
    tiny_close(t);
  }
}

// ** searches on the CPU **

typedef struct result { tiny_code code; int right; uint64_t searches, timed, compiled, hash; } result;

// Kernels that are worth a search.
static tiny_tensor *turned(tiny_ctx *t) { return tiny_add(tiny_transpose(ints(t, TINY_SHAPE(100, 70)), 0, 1), ints(t, TINY_SHAPE(100))); }
static tiny_tensor *products(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(3, 33, 47)), ints(t, TINY_SHAPE(47, 35))); }
static tiny_tensor *rows(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(40, 96)), -1); }
static tiny_tensor *windows(tiny_ctx *t) { return tiny_conv2d(ints(t, TINY_SHAPE(2, 3, 16, 16)), ints(t, TINY_SHAPE(8, 3, 3, 3)), NULL, NULL); }
static tiny_tensor *lookups(tiny_ctx *t) {
  int32_t at[200];
  for (int i = 0; i < 200; i++) at[i] = i * 7 % 60;
  return tiny_index_select(ints(t, TINY_SHAPE(60, 50)), 0, tiny_from(t, at, TINY_I32, TINY_SHAPE(200)));
}
static tiny_tensor *sums_so_far(tiny_ctx *t) { return tiny_cumsum(ints(t, TINY_SHAPE(6, 210, 8)), 1); }
static tiny_tensor *sums(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(60, 500)), 1, 0); }
typedef tiny_tensor *(*maker)(tiny_ctx *t);

// A tensor in a context of its own, compared with the reference.
static result compute(maker make, const char *dir, int beam, int threads, tiny_alloc alloc) {
  static char got[1 << 16], want[1 << 16];
  trial a, b;
  tiny_desc d;
  result r;
  memset(&d, 0, sizeof d); memset(&r, 0, sizeof r); memset(&a, 0, sizeof a); memset(&b, 0, sizeof b);
  d.device = "CPU"; d.cache_dir = dir; d.beam = beam; d.threads = threads; d.alloc = alloc;
  tiny_ctx *t = tiny_open(&d);
  if (!t) { r.code = TINY_E_MEMORY; return r; }
  tiny_tensor *x = make(t);
  a.out = got; b.out = want;
  a.nbytes = b.nbytes = (size_t)tiny_nelem_of(x) * tiny_dtype_nbytes(tiny_dtype_of(x));
  r.code = tiny_read(x, got, a.nbytes);
  const tiny_stats s = tiny_stats_of(t);
  r.searches = s.searches; r.timed = s.timed; r.compiled = s.compiled;
  r.hash = tn_hash_bytes(0, got, a.nbytes);
  if (r.code == TINY_OK) r.code = tiny_reference(x, want, b.nbytes);
  r.right = r.code == TINY_OK && agree(a.out, b.out, a.nbytes, make == rows ? 1e-6 : 0);
  tiny_close(t);
  return r;
}

static const tiny_alloc standard = {NULL, NULL};

// The library's own code is made anew sooner than it is read from disk.
static int built_in(void) {
  const char *cc = getenv("TINY_CC");
  return TN_CPU_BUILTIN && (!cc || strcmp(cc, "outside"));
}
// What is found is right, and what another context takes from disk, with other threads, gives the same bits.
static void test_searches(void) {
  const char *dir = in_root("found");
  static const maker makes[] = {turned, products, rows, windows, lookups, sums_so_far};
  for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
    const result first = compute(makes[i], dir, 1, 2, standard), again = compute(makes[i], dir, 1, 1, standard);
    const int ok = first.right && first.searches >= 1 && first.timed >= 1 && again.right && again.searches == 0 && again.timed == 0 &&
        (again.compiled == 0 || built_in()) && again.hash == first.hash;
    CHECK(ok);
    if (!ok) fprintf(stderr, "  kernel %d: %d searches, right: %d and %d, then %d searches, %d compiled\n", (int)i, (int)first.searches, first.right,
                     again.right, (int)again.searches, (int)again.compiled);
  }
  remove_tree(dir);
}

// A kernel that updates its memory runs many times while it is timed, but never on the caller's data.
static void test_update_in_place(void) {
  static float data[30000], got[30000];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.beam = 1;
  for (int i = 0; i < 30000; i++) data[i] = (float)i;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(30000));
  tiny_assign(x, tiny_add(x, tiny_like(x, 1)));
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  int same = 1;
  for (int i = 0; i < 30000; i++) same &= got[i] == data[i] + 1;
  CHECK(same && tiny_stats_of(t).searches > 0);
  tiny_close(t);
}

// Kernels whose elements nobody can vouch for are not run on made-up memory.
static void test_not_searched(void) {
  const int32_t at[4] = {5, 6, 7, 8};
  float got[4];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.beam = 1;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *i = tiny_sub(tiny_from(t, at, TINY_I32, TINY_SHAPE(4)), tiny_full(t, 5, TINY_I32, TINY_SHAPE(4)));
  tiny_tensor *x = tiny_index_select(ints(t, TINY_SHAPE(9)), 0, i);
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  CHECK(got[0] == -5 && got[1] == 2 && got[2] == -2 && got[3] == 5);
  tiny_close(t);
  t = tiny_open(&d);
  x = elementwise(t);                      // done before a search could win anything
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_stats_of(t).timed, 0);
  tiny_close(t);
  d.device = "NULL";
  t = tiny_open(&d);
  x = elementwise(t);
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_stats_of(t).timed, 0);
  tiny_close(t);
}

// ** files **

typedef struct file { char path[512]; char data[8192]; size_t n; } file;

static int load(const char *dir, file *f) {
  DIR *d = opendir(dir);
  f->n = 0;
  for (struct dirent *e; d && (e = readdir(d));) if (strstr(e->d_name, ".opts")) {
    snprintf(f->path, sizeof f->path, "%s/%s", dir, e->d_name);
    FILE *in = fopen(f->path, "rb");
    if (in) { f->n = fread(f->data, 1, sizeof f->data, in); fclose(in); }
  }
  if (d) closedir(d);
  return f->n > sizeof(tn_file_head);
}
static void store(const file *f, size_t n) {
  FILE *out = fopen(f->path, "wb");
  CHECK(out && fwrite(f->data, 1, n, out) == n);
  if (out) fclose(out);
}

// Files that are damaged are searched for again; opts that do not fit the kernel leave it to the heuristics.
static void test_files(void) {
  const char *dir = in_root("files");
  static const char *const forged[] = {"9 LANE 0:16, LANE 0:16", "9 STAGE LOAD.9 0 @local", "9 UPCAST 7:16", "9 UPCAST 0:1048576", "9 PAD 0:1048576", "9 TASK 0:1048576",
    "9 LANE 0:3", "9 SPLIT 0:1, SPLIT 0", "9 REUSE", "9 SWAP 0 0, UNROLL 0:8", "9 MATRIX .0 0 0 0 0 1 1 1 1:1", "9 WMMA .0 _ 0 _ 1", "9 SCATTER", "9 DOT, FISSION", "9 GRID 0"};
  file f, g;
  CHECK(compute(turned, dir, 1, 1, standard).searches == 1);
  CHECK(load(dir, &f));
  g = f;
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    tn_file_head head;
    memcpy(&head, f.data, sizeof head);
    head.nbytes = strlen(forged[i]);
    head.sum = tn_hash_bytes(0, forged[i], (size_t)head.nbytes);
    memcpy(g.data, &head, sizeof head);
    memcpy(g.data + sizeof head, forged[i], (size_t)head.nbytes);
    store(&g, sizeof head + (size_t)head.nbytes);
    const result r = compute(turned, dir, 1, 1, standard);
    CHECK(r.right && r.searches == 0);
  }
  g = f;
  g.data[f.n - 1] ^= 1;
  store(&g, f.n);
  result r = compute(turned, dir, 1, 1, standard);
  CHECK(r.right && r.searches == 1);
  store(&f, f.n / 2);
  r = compute(turned, dir, 1, 1, standard);
  CHECK(r.right && r.searches == 1);
  r = compute(turned, dir, -1, 1, standard);    // without a search nothing that one has found is taken
  CHECK(r.right && r.searches == 0 && r.timed == 0);
  remove_tree(dir);
}

static void test_memory(void) {
  memory_count m = {0, 0, 0, 0};
  const tiny_alloc counted = {memory_fn, &m};
  int fell_back = 0;
  CHECK(compute(sums, "", 1, 1, counted).searches == 1);
  const long calls = m.calls;
  for (int i = 1; i <= 12; i++) {
    memset(&m, 0, sizeof m);
    m.fail_at = calls * i / 13;
    const result r = compute(sums, "", 1, 1, counted);
    CHECK(r.right || r.code == TINY_E_MEMORY);
    CHECK(m.live == 0 && m.wrong == 0);
    fell_back += r.right && r.searches == 0;
  }
  CHECK(fell_back > 0);
}

int main(void) {
  snprintf(root, sizeof root, "%s", "/tmp/tiny-search-XXXXXX");
  CHECK(mkdtemp(root) != NULL);
  test_text();
  test_found();
  test_blocks_of_copies();
  test_forged();
  test_large();
  test_conflicts();
  test_values();
  test_families();
  test_outsiders();
  if (!getenv("TEST_SEED") && !getenv("TEST_ROUNDS")) {
    test_searches();
    test_update_in_place();
    test_not_searched();
    test_files();
    test_memory();
  }
  remove_tree(root);
  return test_report();
}
