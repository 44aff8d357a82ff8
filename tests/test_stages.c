// test_stages: what a group copies while it computes: STAGEs that are copied ahead, on GPUs that are not here. Values are
// those of the kernel without opts, by the interpreter, which stores as late as it may and tells of what is read before;
// the schedule is printed, parsed and applied again; what may not be is refused, and changes nothing.
// brief: plain asan
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "../bench/gpu.h"
#include "../src/render/lang_hip.c"

// ** kernels: whole numbers, so that sums are exact in any order **

static tiny_tensor *as(tiny_ctx *t, tiny_shape s, int dtype) {
  tiny_tensor *x = tiny_cast(ints(t, s), dtype);
  tiny_realize(&x, 1);
  return x;
}
// turned & 1: x as its transpose lies in memory, & 2: y.
static tiny_tensor *product(tiny_ctx *t, int64_t b, int64_t m, int64_t k, int64_t n, int dtype, int turned) {
  const int wide = dtype == TINY_I8 ? TINY_I32 : TINY_F32;
  tiny_tensor *x = tiny_cast(as(t, turned & 1 ? TINY_SHAPE(b, k, m) : TINY_SHAPE(b, m, k), dtype), wide),
              *y = tiny_cast(as(t, turned & 2 ? TINY_SHAPE(n, k) : TINY_SHAPE(k, n), dtype), wide);
  return tiny_matmul(turned & 1 ? tiny_transpose(x, 1, 2) : x, turned & 2 ? tiny_transpose(y, 0, 1) : y);
}
static tiny_tensor *even(tiny_ctx *t) { return product(t, 1, 64, 96, 64, TINY_F32, 0); }
static tiny_tensor *odd(tiny_ctx *t) { return product(t, 1, 77, 75, 93, TINY_F32, 0); }
static tiny_tensor *x_turned(tiny_ctx *t) { return product(t, 1, 68, 84, 80, TINY_F32, 1); }
static tiny_tensor *y_turned(tiny_ctx *t) { return product(t, 2, 65, 65, 64, TINY_F32, 2); }
static tiny_tensor *both_turned(tiny_ctx *t) { return product(t, 1, 64, 112, 66, TINY_F32, 3); }
static tiny_tensor *few_blocks(tiny_ctx *t) { return product(t, 1, 64, 32, 64, TINY_F32, 1); }        // two of K
static tiny_tensor *halves(tiny_ctx *t) { return product(t, 1, 70, 160, 72, TINY_F16, 0); }
static tiny_tensor *halves_turned(tiny_ctx *t) { return product(t, 2, 64, 100, 64, TINY_F16, 3); }
static tiny_tensor *halves_few(tiny_ctx *t) { return product(t, 1, 64, 64, 64, TINY_F16, 2); }
static tiny_tensor *narrow(tiny_ctx *t) { return product(t, 1, 64, 97, 45, TINY_BF16, 1); }
static tiny_tensor *bytes(tiny_ctx *t) { return tiny_cast(product(t, 1, 64, 320, 64, TINY_I8, 2), TINY_F32); }
static tiny_tensor *bias(tiny_ctx *t) { return tiny_relu(tiny_add(product(t, 1, 64, 128, 64, TINY_F16, 0), ints(t, TINY_SHAPE(64)))); }
static tiny_tensor *conv(tiny_ctx *t) {
  return tiny_conv2d(ints(t, TINY_SHAPE(2, 7, 12, 11)), ints(t, TINY_SHAPE(20, 7, 3, 3)), NULL, NULL);
}
static tiny_tensor *conv_halves(tiny_ctx *t) {
  return tiny_conv2d(tiny_cast(ints(t, TINY_SHAPE(1, 16, 12, 14)), TINY_F16), tiny_cast(ints(t, TINY_SHAPE(32, 16, 3, 3)), TINY_F16), NULL, NULL);
}
static tiny_tensor *triangle(tiny_ctx *t) { return tiny_matmul(tiny_tril(ints(t, TINY_SHAPE(80, 80)), 0), ints(t, TINY_SHAPE(80, 68))); }
static tiny_tensor *upper(tiny_ctx *t) { return tiny_matmul(tiny_triu(ints(t, TINY_SHAPE(144, 144)), 0), ints(t, TINY_SHAPE(144, 64))); }
static tiny_tensor *square(tiny_ctx *t) { tiny_tensor *x = as(t, TINY_SHAPE(66, 96), TINY_F16); return tiny_matmul(tiny_cast(x, TINY_F32), tiny_cast(tiny_transpose(x, 0, 1), TINY_F32)); }

static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); } cases[] = {
  {"even", even}, {"odd", odd}, {"x turned", x_turned}, {"y turned", y_turned}, {"both turned", both_turned}, {"few blocks", few_blocks},
  {"halves", halves}, {"halves, both turned", halves_turned}, {"halves, few blocks", halves_few}, {"narrow", narrow}, {"bytes", bytes}, {"bias", bias},
  {"conv", conv}, {"conv of halves", conv_halves}, {"triangle", triangle}, {"upper", upper}, {"square", square}};
enum { CASES = sizeof cases / sizeof *cases };

// ** schedules **

typedef struct trial { int which, ahead, ways, around, waited; const char *machine; tiny_limits limits; } trial;

static const char *text_of(tiny_ctx *t, const tn_schedule *s) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, s);
  return text.data ? text.data : "";
}
// What the heuristics choose, but with STAGEs so many iterations ahead; 0: none. Returns how many.
static int open_ahead(tn_kernel_state *s, tiny_ctx *t, tiny_uop *sink, const tn_target *target, int64_t ahead) {
  const int64_t serial = t->ir->serial;
  tn_state_open(s, t, sink, target);
  tn_optimize(s);
  tn_schedule list = s->done;
  for (int i = list.n = 0; i < s->done.n; i++)
    if (s->done.opt[i].kind != TN_OPT_PREFETCH) list.opt[list.n++] = s->done.opt[i];
  t->ir->serial = serial;
  tn_state_open(s, t, sink, target);
  CHECK(tn_schedule_apply(s, &list));
  int done = 0;
  for (int more = ahead > 0; more;) {
    const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
    more = 0;
    for (int i = 0; i < stages.n && !more; i++) {
      tiny_uop *loop = tn_stage_loop(t, s->sink, stages.u[i]);
      if (!loop) continue;
      tn_opt o = tn_opt_of(s, TN_OPT_PREFETCH, 1, &loop, ahead);
      tn_opt_set_operand(s, &o, stages.u[i]);
      more = tn_opt_apply(s, &o);
    }
    done += more;
  }
  return done;
}

static tiny_code trial_guarded(tiny_ctx *t, void *arg) {
  static float want[1 << 16], got[1 << 16];
  trial *r = (trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tiny_tensor *x = cases[r->which].make(t);
  const tn_kernel *k = tiny_status(t) ? NULL : kernel_of(t, x, &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &r->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &plain);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  const int64_t serial = t->ir->serial;
  r->ways += open_ahead(s, t, sink, &target, r->ahead);
  for (int i = 0; i < s->naxes && r->ahead == 2; i++) {      // copies of the store as loops: the K blocks begin anew in each
    const tn_opt o = tn_opt_of(s, TN_OPT_LOOP, 1, &s->axis[i], 0);
    r->around += tn_range_kind(s->axis[i]) == TN_UPCAST && tn_opt_apply(s, &o);
  }
  const char *line = text_of(t, &s->done);
  const tiny_uop *made = s->sink;
  CHECK_EQ(tn_verify(t, s->sink, TN_SPEC_KERNEL), TINY_OK);
  memset(got, 2, nbytes);
  const tiny_code code = run_kernel(t, k, s->sink, &target, got);
  const int same = code == TINY_OK && !memcmp(want, got, nbytes);
  CHECK(same);
  if (!same || getenv("TEST_SHOW"))
    fprintf(stderr, "  %s on %s: %s\n  %s\n", cases[r->which].name, r->machine, line, code ? tiny_error(t) : same ? "" : "other values");
  tn_schedule parsed;
  CHECK(tn_schedule_parse(line, &parsed));
  t->ir->serial = serial;
  tn_state_open(s, t, sink, &target);
  CHECK(tn_schedule_apply(s, &parsed) && s->sink == made);
  CHECK_STR(text_of(t, &s->done), line);
  return t->code;
}

static tiny_ctx *interpreter(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  return tiny_open(&d);
}
static void test_case(const char *machine, int which, int ahead, tiny_code (*run)(tiny_ctx *t, void *arg), trial *r) {
  memset(r, 0, sizeof *r);
  r->which = which; r->ahead = ahead; r->machine = machine;
  if (!tn_gpu_limits(machine, &r->limits)) { CHECK(0); return; }
  tiny_ctx *t = interpreter();
  CHECK_EQ(tn_guard(t, run, r), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", machine, tiny_error(t));
  tiny_close(t);
}

// ** waits: a BARRIER that waits for less than it has to **

static tiny_code waits_guarded(tiny_ctx *t, void *arg) {
  static float got[1 << 16];
  trial *r = (trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  const tn_kernel *k = kernel_of(t, cases[r->which].make(t), &nbytes);
  const tn_target target = {NULL, &r->limits};
  tn_lowered low;
  memset(&low, 0, sizeof low);
  r->ways = open_ahead(s, t, tn_prepare(t, k->ast, &target), &target, r->ahead);
  if (tn_lower(t, s->sink, &target, &low) != TINY_OK) return t->code;
  for (int i = 0; i < low.n; i++) {
    tiny_uop *u = low.list[i];
    const int64_t right = u->k;
    if (u->op != TINY_OP_BARRIER || !right) continue;
    for (int64_t wrong = 0; wrong <= right + 1; wrong++) {
      if (wrong && (wrong <= right || (r->ahead == 2 && right == 1))) continue;       // the next one waits for the rest
      u->k = wrong;                        // nodes are not to be changed: nobody else has this one
      const tiny_code code = run_list(t, k, &low, got);
      CHECK_EQ(code, TINY_E_INTERNAL);
      CHECK(strstr(tiny_error(t), "what is not there yet") != NULL);
      t->code = TINY_OK; t->message[0] = 0;
      r->waited++;
    }
    u->k = right;
  }
  CHECK_EQ(run_list(t, k, &low, got), TINY_OK);
  return TINY_OK;
}

// ** what may not be **

static void refused(tn_kernel_state *s, const char *text) {
  tn_schedule list;
  const tn_kernel_state before = *s;
  CHECK(tn_schedule_parse(text, &list));
  const int applied = tn_schedule_apply(s, &list);
  if (applied) fprintf(stderr, "  %s is taken\n", text);
  CHECK(!applied && s->sink == before.sink && s->done.n == before.done.n && s->naxes == before.naxes);
}
static tiny_code legal_guarded(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  const tn_kernel *k = kernel_of(t, cases[r->which].make(t), &nbytes);
  const tn_target target = {NULL, &r->limits};
  open_ahead(s, t, tn_prepare(t, k->ast, &target), &target, 0);
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  tiny_uop *loop = NULL;
  char text[64];
  int number = 0;
  for (int i = stages.n - 1; i >= 0; i--) if (tn_stage_space(stages.u[i]) == TN_SPACE_LOCAL) { number = i; loop = tn_stage_loop(t, s->sink, stages.u[i]); }
  CHECK(loop != NULL);
  const int axis = tn_axis_of(s, loop);
  for (int i = 0; i < s->naxes; i++) if (i != axis) { snprintf(text, sizeof text, "PREFETCH STAGE.%d %d:1", number, i); refused(s, text); }
  snprintf(text, sizeof text, "PREFETCH STAGE.%d %d:8", number, axis); refused(s, text);
  snprintf(text, sizeof text, "PREFETCH STAGE.%d %d", number, axis); refused(s, text);
  snprintf(text, sizeof text, "PREFETCH STAGE.99 %d:1", axis); refused(s, text);
  for (int i = 0; i < stages.n; i++) if (tn_stage_space(stages.u[i]) == TN_SPACE_REG) {
    snprintf(text, sizeof text, "PREFETCH STAGE.%d %d:1", i, axis); refused(s, text);
  }
  const size_t room = r->limits.shared_nbytes;
  const int64_t held = tn_staged_nbytes(s), own = tn_stage_nelem(stages.u[number]) * tn_dtypes[stages.u[number]->dtype].nbytes;
  r->limits.shared_nbytes = (size_t)(held + 2 * own - 1);
  snprintf(text, sizeof text, "PREFETCH STAGE.%d %d:2", number, axis); refused(s, text);
  r->limits.shared_nbytes++;
  tn_schedule list;
  CHECK(tn_schedule_parse(text, &list) && tn_schedule_apply(s, &list));
  r->limits.shared_nbytes = room;
  CHECK_EQ(tn_staged_nbytes(s), held + 2 * own);
  const tn_list now = tn_kernel_collect(s, TINY_OP_STAGE);
  for (int i = 0; i < now.n; i++) if (tn_stage_ahead(now.u[i])) { snprintf(text, sizeof text, "PREFETCH STAGE.%d %d:1", i, axis); refused(s, text); }
  for (int i = 0; i < s->naxes; i++) if (i != axis && tn_range_kind(s->axis[i]) == TN_REDUCE) {
    snprintf(text, sizeof text, "SWAP %d %d", i, axis); refused(s, text);              // it would no longer be the innermost
  }
  return t->code;
}

// ** by hand: when a STORE happens **

static tiny_code by_hand(tiny_ctx *t, const char *text, float *out) {
  tn_lowered low;
  tn_list list = {NULL, 0, 0};
  tn_kernel k;
  tiny_mem mem[2];
  tiny_launch l;
  memset(&low, 0, sizeof low); memset(&k, 0, sizeof k); memset(&l, 0, sizeof l); memset(mem, 0, sizeof mem);
  tiny_uop *root = tiny_uop_parse(t, text);
  CHECK(root != NULL);
  if (!root) return t->code;
  tn_toposort(t, root, &list);
  mem[0].base = out;
  l.mem = mem; l.nmem = 1; l.local[0] = 2;
  void *module = tn_interp_backend.load_uops(t, list.u, list.n);
  CHECK(module != NULL);
  if (!module) return t->code;
  l.kernel = module;
  const tiny_code code = tn_interp_backend.launch(t, &l);
  tn_interp_backend.unload(t, module);
  return code;
}
#define HEAD "o = (PARAM:f32:0 2) i = (SPECIAL:item0 2) m = (DEFINE:f32:1:local 4) one = (STORE:k=1 (INDEX m i) (CAST:f32 (ADD i 5)))"
#define OTHER "(ADD (MUL i -1) 1)"
static void test_hand(void) {
  static const struct { const char *text, *error; float first; } hand[] = {
    {HEAD "b = (BARRIER:k=1 one) (STORE (INDEX o i) (LOAD (INDEX (AFTER m b) " OTHER ")))", NULL, 6},
    {HEAD "b = (BARRIER one) (STORE (INDEX o i) (LOAD (INDEX (AFTER m b) " OTHER ")))", "reads what is not there yet", 0},
    {HEAD "b = (BARRIER:k=2 one) (STORE (INDEX o i) (LOAD (INDEX (AFTER m b) " OTHER ")))", "reads what is not there yet", 0},
    {HEAD "b = (BARRIER:k=2 one) c = (BARRIER:k=2 b) (STORE (INDEX o i) (LOAD (INDEX (AFTER m c) " OTHER ")))", NULL, 6},
    {HEAD "b = (BARRIER:k=3 one) c = (BARRIER:k=3 b) (STORE (INDEX o i) (LOAD (INDEX (AFTER m c) " OTHER ")))", "reads what is not there yet", 0},
    {HEAD "(STORE (INDEX o i) (LOAD (INDEX (AFTER m one) i)))", "reads what is not there yet", 0},
    {HEAD "two = (STORE (INDEX (AFTER m one) i) 3.0:f32) b = (BARRIER:k=1 two) (STORE (INDEX o i) (LOAD (INDEX (AFTER m b) i)))", "overwrites what is not there yet", 0},
    {HEAD "b = (BARRIER:k=1 one) two = (STORE:k=1 (INDEX (AFTER m b) (ADD i 2)) 9.0:f32) c = (BARRIER:k=2 two)"
     "(STORE (INDEX o i) (LOAD (INDEX (AFTER m c) " OTHER ")))", NULL, 6}};
  for (size_t n = 0; n < sizeof hand / sizeof *hand; n++) {
    tiny_ctx *t = interpreter();
    float out[2] = {0, 0};
    const tiny_code code = by_hand(t, hand[n].text, out);
    CHECK_EQ(code, hand[n].error ? TINY_E_INTERNAL : TINY_OK);
    if (hand[n].error) CHECK(strstr(tiny_error(t), hand[n].error) != NULL);
    else CHECK(out[0] == hand[n].first && out[1] == 11 - hand[n].first);
    if (code != TINY_OK && !hand[n].error) fprintf(stderr, "  %d: %s\n", (int)n, tiny_error(t));
    tiny_close(t);
  }
}

// ** text: copies where the language has them, loads and stores elsewhere; loads come first in an iteration **

typedef struct text_trial { int which, arch; const char *machine; int copies, waits, stores, early; } text_trial;
static tiny_code text_guarded(tiny_ctx *t, void *arg) {
  text_trial *r = (text_trial *)arg;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tiny_renderer renderer;
  tiny_limits limits;
  tn_lowered low;
  size_t nbytes = 0;
  uint64_t uses = 0;
  const tn_kernel *k = kernel_of(t, cases[r->which].make(t), &nbytes);
  if (r->arch) tn_lang_cuda(&renderer, r->arch);
  else tn_lang_hip(&renderer, r->machine);
  tn_cstyle(&renderer);
  tn_gpu_limits(r->machine, &limits);
  limits.dtypes = TN_CUDA_ARITHMETIC;
  const tn_target target = {&renderer, &limits};
  memset(&low, 0, sizeof low);
  tn_state_open(s, t, tn_prepare(t, k->ast, &target), &target);
  tn_optimize(s);
  CHECK(strstr(text_of(t, &s->done), "PREFETCH STAGE") != NULL);
  if (tn_lower(t, s->sink, &target, &low) != TINY_OK) return t->code;
  const tiny_listing listing = {"k", low.list, low.n, low.hints, low.local, low.local_nbytes};
  tiny_bytes text = {t, NULL, 0, 0};
  if (renderer.kernel(t, &renderer, &listing, &text, &uses) != TINY_OK) return t->code;
  for (const char *at = text.data; (at = strstr(at, "copy_later<")) != NULL; at++) r->copies++;
  for (const char *at = text.data; (at = strstr(at, "wait_copies<")) != NULL; at++) r->waits++;
  int loads = 0, depth = 0, first = -1, last = -1;           // in the loop of K blocks: loads of memory outside of it
  for (int i = 0; i < low.n; i++) {
    const tiny_uop *u = low.list[i];
    depth += u->op == TINY_OP_RANGE;
    depth -= u->op == TINY_OP_END;
    if (depth == 1 && u->op == TINY_OP_LOAD && tn_memory_behind(u->src[0]->src[0])->op == TINY_OP_PARAM) { loads++; last = i; }
    if (depth == 1 && u->op == TINY_OP_STORE && u->k && !(limits.copies_async && tn_copies_later(u))) { r->stores++; if (first < 0) first = i; }
  }
  r->early = loads > 0 && (first < 0 || first > last + 16);
  return t->code;
}
static void test_text(const char *machine, int arch, int which, int copies) {
  text_trial r;
  memset(&r, 0, sizeof r);
  r.machine = machine; r.arch = arch; r.which = which;
  tiny_ctx *t = interpreter();
  CHECK_EQ(tn_guard(t, text_guarded, &r), TINY_OK);
  CHECK_EQ(r.copies > 0, copies);
  CHECK_EQ(r.waits > 0, arch >= 80);
  CHECK(r.early);
  if (!r.early || (r.copies > 0) != copies)
    fprintf(stderr, "  %s on %s: %d copies, %d stores\n", cases[which].name, machine, r.copies, r.stores);
  if (!copies) CHECK(r.stores > 0);
  tiny_close(t);
}

int main(void) {
  static const char *const machines[] = {"sm_90", "gfx1100", "sm_75", "gfx942"};
  trial r;
  int ways = 0, around = 0, waited = 0;
  for (int m = 0; m < 4; m++) for (int i = 0; i < CASES; i++) for (int ahead = 1; ahead <= 3; ahead++) {
    if (m ? (i + m + ahead) % 3 != 0 : 0) continue;
    test_case(machines[m], i, ahead, trial_guarded, &r);
    ways += r.ways;
    around += r.around;
    if (m == 0) CHECK(r.ways > 0);
    if (m == 0 && !r.ways) fprintf(stderr, "  %s has nothing to copy ahead\n", cases[i].name);
  }
  CHECK(ways > 100);
  CHECK(around > 8);
  static const struct { int which, ahead; } waits[] = {{0, 1}, {6, 1}, {6, 3}, {7, 2}};
  for (int i = 0; i < 4; i++) { test_case("sm_90", waits[i].which, waits[i].ahead, waits_guarded, &r); waited += r.waited; }
  CHECK_EQ(waited, 2 + 2 + 4 + 3);
  for (int i = 0; i < 2; i++) test_case(i ? "gfx1100" : "sm_90", i ? 0 : 6, 0, legal_guarded, &r);
  test_hand();
  test_text("sm_90", 90, 6, 1);
  test_text("sm_80", 80, 7, 1);
  test_text("sm_75", 75, 6, 0);
  test_text("gfx1100", 0, 6, 0);
  test_text("gfx1100", 0, 0, 0);
  return test_report();
}
