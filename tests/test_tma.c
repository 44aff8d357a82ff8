// brief: plain asan
// test_tma: products of sm_90a and Blackwell's whose operands and results the device copies as boxes of tensors (TMA):
// by the interpreter, and as PTX by the machine of ptx_machine.h, copies as late as waits allow; what is no box; warps
// that only copy.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#define PTX_NAME "PTX"
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "ptx_device.h"

// ** products: small whole numbers, so that sums are exact in any order **

// boxes: are operands some, stores: is the result; -1: not told.
typedef struct shape { int64_t b, m, k, n; int turned, dtype, after, boxes, stores; } shape;
enum { PLAIN, HALF, BIASED, BYTES };
static tiny_tensor *narrow(tiny_ctx *t, tiny_shape s, int dtype) {
  tiny_tensor *x = tiny_cast(ints(t, s), (tiny_dtype)dtype);
  tiny_realize(&x, 1);
  return x;
}
// turned & 1: x as its transpose lies in memory, & 2: y.
static tiny_tensor *product(tiny_ctx *t, const shape *c) {
  const int wide = c->dtype == TINY_I8 ? TINY_I32 : TINY_F32;
  tiny_tensor *x = narrow(t, c->turned & 1 ? TINY_SHAPE(c->b, c->k, c->m) : TINY_SHAPE(c->b, c->m, c->k), c->dtype),
              *y = narrow(t, c->turned & 2 ? TINY_SHAPE(c->n, c->k) : TINY_SHAPE(c->k, c->n), c->dtype);
  x = tiny_cast(x, (tiny_dtype)wide);
  y = tiny_cast(y, (tiny_dtype)wide);
  x = tiny_matmul(c->turned & 1 ? tiny_transpose(x, 1, 2) : x, c->turned & 2 ? tiny_transpose(y, 0, 1) : y);
  if (c->after == BIASED) x = tiny_relu(tiny_add(x, narrow(t, TINY_SHAPE(c->n), TINY_F16)));
  return tiny_cast(x, c->after == BYTES ? TINY_I8 : c->after == PLAIN ? TINY_F32 : TINY_F16);
}
static size_t nbytes_of(const shape *c) {
  return (size_t)(c->b * c->m * c->n) * (c->after == BYTES ? 1 : c->after == PLAIN ? 4 : 2);
}

static const shape shapes[] = {
  {1, 64, 64, 64, 0, TINY_F16, PLAIN, 1, 0}, {1, 64, 128, 64, 1, TINY_F16, HALF, 1, 1},
  {1, 64, 192, 128, 2, TINY_BF16, PLAIN, 1, 0}, {1, 64, 320, 64, 3, TINY_F16, HALF, 1, 1},
  {2, 80, 64, 72, 2, TINY_F16, PLAIN, 1, 0}, {1, 200, 136, 136, 0, TINY_F16, HALF, -1, -1},
  {3, 72, 128, 64, 0, TINY_BF16, HALF, 1, 1}, {1, 64, 256, 64, 2, TINY_I8, PLAIN, 1, 0},
  {1, 96, 128, 80, 2, TINY_F8E4M3, PLAIN, 1, 0}, {1, 256, 192, 128, 2, TINY_F16, HALF, 1, 1},
  {1, 128, 448, 256, 0, TINY_BF16, PLAIN, 1, 0}, {1, 64, 64, 70, 0, TINY_F16, PLAIN, 0, 0},
  {1, 66, 72, 64, 2, TINY_F16, PLAIN, -1, -1}, {1, 64, 65, 64, 2, TINY_F16, PLAIN, 0, 0},
  {1, 128, 128, 128, 0, TINY_F16, BIASED, 1, 1}, {1, 64, 128, 128, 2, TINY_I8, BYTES, 1, -1},
  {1, 120, 64, 200, 2, TINY_F16, BIASED, -1, 1}, {1, 64, 65, 72, 0, TINY_F16, HALF, 0, 1},
  {1, 64, 128, 68, 2, TINY_F16, HALF, 1, 0}, {2, 136, 128, 72, 0, TINY_F16, BIASED, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct trial { const shape *c; tiny_limits limits; int made, leave; } trial;
static tiny_code interpreted(tiny_ctx *t, void *arg) {
  static float want[1 << 16], got[1 << 16];
  trial *r = (trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tiny_tensor *x = product(t, r->c);
  const tn_kernel *k = tiny_status(t) ? NULL : kernel_of(t, x, &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &r->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  tn_state_open(s, t, sink, &target);
  tn_optimize(s);
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  for (int i = 0; i < stages.n; i++)
    if (tn_box_leaves(stages.u[i])) r->leave++; else r->made += tn_stage_is_bulk(stages.u[i]);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_print(t, s->sink, &text);             // what is printed is parsed again
  CHECK(!(r->made + r->leave) || strstr(text.data, ":bulk") != NULL);
  CHECK(tn_parse(t, text.data, NULL) == s->sink);
  if (getenv("TEST_SHOW")) fprintf(stderr, "%s\n", text.data);
  const tiny_code code = run_kernel(t, k, s->sink, &target, got);
  CHECK(code == TINY_OK && !memcmp(want, got, nbytes));
  return code;
}
// What may be boxes, as the opt says it: of its text what stands there, and no more.
static tiny_code said(tiny_ctx *t, void *arg) {
  static float want[1 << 14], got[1 << 14];
  trial *r = (trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tn_schedule *done = (tn_schedule *)tn_scratch(t, sizeof *done);
  const tn_kernel *k = kernel_of(t, product(t, r->c), &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &r->limits};
  CHECK(k && nbytes <= sizeof want);
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  tn_state_open(s, t, sink, &target);
  tn_optimize(s);
  *done = s->done;
  for (int how = 0; how < 6; how++) {      // 1: operands, 2: narrow results, 4: results
    tiny_bytes text = {t, NULL, 0, 0};
    int operands = 0, results = 0;
    for (int i = 0; i < done->n; i++)
      if (done->opt[i].kind == TN_OPT_WMMA) { done->opt[i].amount = how + 1; done->n = i + 1; }
    tn_schedule_print(&text, done);
    CHECK(tn_schedule_parse(text.data, done));
    t->ir->serial = TN_PIPELINE_SERIAL;
    tn_state_open(s, t, sink, &target);
    CHECK(tn_schedule_apply(s, done));
    const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
    for (int i = 0; i < stages.n; i++)
      if (tn_box_leaves(stages.u[i])) results++; else operands += tn_stage_is_bulk(stages.u[i]);
    CHECK_EQ(operands, how & 1 ? 2 : 0);
    CHECK_EQ(results, (how & 4) || ((how & 2) && r->c->after == HALF));
    CHECK(run_kernel(t, k, s->sink, &target, got) == TINY_OK && !memcmp(want, got, nbytes));
  }
  return t->code;
}
static void test_said(const shape *c) {
  trial r;
  memset(&r, 0, sizeof r);
  r.c = c;
  tn_gpu_limits("sm_90a", &r.limits);
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  CHECK_EQ(tn_guard(t, said, &r), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}
// Groups of an uneven part of the tiles would read boxes that are none: such a list is not legal, and changes nothing.
static tiny_code uneven(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tn_schedule *list = (tn_schedule *)tn_scratch(t, sizeof *list);
  const tn_kernel *k = kernel_of(t, product(t, r->c), &nbytes);
  const tn_target target = {NULL, &r->limits};
  tn_state_open(s, t, tn_prepare(t, k->ast, &target), &target);
  CHECK(tn_schedule_parse("SPLIT 0:64, SPLIT 3:16, SPLIT 1:64, WMMA .0 3 4 _ 5", list) && tn_schedule_apply(s, list));
  const tiny_uop *before = s->sink;
  const int64_t serial = t->ir->serial;
  const int naxes = s->naxes, done = s->done.n;
  CHECK(tn_schedule_parse("GRID 0:3", list) && !tn_schedule_apply(s, list));
  CHECK(s->sink == before && s->naxes == naxes && s->done.n == done && t->ir->serial == serial);
  CHECK(tn_schedule_parse("GRID 0:2", list) && tn_schedule_apply(s, list));
  return t->code;
}
static void test_uneven(void) {
  static const shape c = {1, 512, 192, 256, 0, TINY_F16, HALF, 2, 1};
  trial r;
  memset(&r, 0, sizeof r);
  r.c = &c;
  tn_gpu_limits("sm_90a", &r.limits);
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  CHECK_EQ(tn_guard(t, uneven, &r), TINY_OK);
  tiny_close(t);
}

static const char *const targets[] = {"sm_90a", "sm_100a", "sm_103a"};
static void test_interpreted(const shape *c, const char *target) {
  trial r;
  memset(&r, 0, sizeof r);
  r.c = c;
  if (!tn_gpu_limits(target, &r.limits)) { CHECK(0); return; }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  CHECK_EQ(tn_guard(t, interpreted, &r), TINY_OK);
  // sm_103a has none of bytes; sums of tcgen05 are stored by items, from registers
  const int boxes = r.limits.unit_dtypes && c->dtype == TINY_I8 ? 0 : c->boxes,
            stores = strcmp(target, "sm_90a") ? -1 : c->stores;
  if (boxes >= 0) CHECK_EQ(r.made, 2 * boxes);
  if (stores >= 0) CHECK_EQ(r.leave, stores);
  if (tiny_status(t) || (boxes >= 0 && r.made != 2 * boxes) || (stores >= 0 && r.leave != stores))
    fprintf(stderr, "  %s %lldx%lldx%lldx%lld turned %d: %d boxes, %d leave, %s\n", target, (long long)c->b,
            (long long)c->m, (long long)c->k, (long long)c->n, c->turned, r.made, r.leave, tiny_error(t));
  tiny_close(t);
}

// ** the same in PTX **

static void test_ptx(const shape *c, const char *target, const char *seed) {
  static float want[1 << 16], got[1 << 16];
  const size_t n = nbytes_of(c);
  setenv("TEST_PTX", target, 1);
  setenv("TEST_PTX_SEED", seed, 1);
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = i ? "PTX" : "INTERP", .backends = {&ptx_own_backend},
                                         .cache_dir = ""});
    CHECK_EQ(tiny_read(product(t, c), i ? got : want, n), TINY_OK);
    if (tiny_status(t))
      fprintf(stderr, "  %s %lldx%lldx%lldx%lld turned %d, seed %s: %s\n", target, (long long)c->b, (long long)c->m,
              (long long)c->k, (long long)c->n, c->turned, seed, tiny_error(t));
    tiny_close(t);
  }
  CHECK(!memcmp(want, got, n));
}

// ** warps beside the items that only copy (PRODUCER) **

// change: of the text, from and to, NULL: none; said: of the error then. schedule: all of it, or what comes after that
// of the heuristics.
typedef struct produced { shape c; const char *schedule, *has, *change[2], *said; } produced;
#define TILES "SPLIT 0:64, SPLIT 3:16, SPLIT 1:64, WMMA .0 3 4 _ 5, "
#define AHEAD(n) "PREFETCH STAGE.0 12:" n ", PREFETCH STAGE.1 12:" n
static const produced productions[] = {
  {{1, 192, 320, 192, 2, TINY_BF16, PLAIN, 0, 0}, "PRODUCER", "setmaxnreg.inc", {NULL, NULL}, NULL},
  {{1, 192, 320, 192, 2, TINY_I8, PLAIN, 0, 0}, "PRODUCER", "setmaxnreg.dec", {NULL, NULL}, NULL},
  {{1, 192, 320, 128, 2, TINY_F8E4M3, PLAIN, 0, 0}, "PRODUCER", ".reqnctapercluster 2", {NULL, NULL}, NULL},
  {{3, 136, 320, 64, 2, TINY_F16, HALF, 0, 0}, "PRODUCER", "mbarrier.arrive.shared::cta.b64", {NULL, NULL}, NULL},
  {{1, 200, 264, 200, 0, TINY_F16, HALF, 0, 0}, "PRODUCER", ".reqnctapercluster 4", {NULL, NULL}, NULL},
  {{1, 256, 192, 256, 1, TINY_F16, PLAIN, 0, 0}, "PRODUCER", "mapa.shared::cluster", {NULL, NULL}, NULL},
  // persistent groups: slots of one tile, then of the next; in a cluster groups would have to meet before that
  {{1, 512, 192, 256, 0, TINY_F16, HALF, 0, 0}, TILES "GRID 0:2, GRID 1, " AHEAD("3") ", PRODUCER",
   "mapa.shared::cluster", {NULL, NULL}, NULL},
  {{1, 512, 192, 256, 0, TINY_F16, HALF, 0, 0}, TILES "GRID 0:2, GRID 1, " AHEAD("3"), "bar.sync 0",
   {NULL, NULL}, NULL},
  {{1, 256, 192, 256, 0, TINY_F16, HALF, 0, 0}, TILES "GRID 0, GRID 1, " AHEAD("1") ", PRODUCER",
   "mapa.shared::cluster", {NULL, NULL}, NULL},
  {{1, 256, 320, 256, 0, TINY_F16, PLAIN, 0, 0}, "PRODUCER", "",
   {"mbarrier.arrive.release.cluster.shared::cluster.b64 _", "mov.b64 %d1, %d1; //"}, "waits for ever"},
  {{1, 256, 320, 256, 0, TINY_F16, HALF, 0, 0}, "PRODUCER", "", {"bar.sync 1, 128", "bar.sync 0"},
   "barrier 0 is reached by"},
  {{1, 256, 320, 256, 0, TINY_F16, PLAIN, 0, 0}, "PRODUCER", "", {".maxnreg 80", ".minnctapersm 99"},
   "how many registers"},
  {{1, 256, 320, 256, 0, TINY_F16, PLAIN, 0, 0}, "PRODUCER", "",
   {"setmaxnreg.inc.sync.aligned.u32 120", "setmaxnreg.inc.sync.aligned.u32 128"}, "registers are left"},
  {{1, 256, 320, 256, 0, TINY_F16, PLAIN, 0, 0}, "PRODUCER", "", {"], 16;", "], 8;"}, ""},
  {{1, 256, 320, 256, 0, TINY_F16, PLAIN, 0, 0}, "PRODUCER", "", {"setp.ge.and.s32", "setp.lt.and.s32"}, ""}};
enum { PRODUCTIONS = sizeof productions / sizeof *productions };

static void changed(tiny_ctx *t, tiny_bytes *text, const char *const *change) {
  const char *at = change[0] ? strstr(text->data, change[0]) : NULL;
  tiny_bytes now = {t, NULL, 0, 0};
  CHECK(!change[0] || at);
  if (!at) return;
  tiny_bytes_add(&now, text->data, (size_t)(at - text->data));
  tn_text_add(&now, "%s", change[1]);
  tn_text_add(&now, "%s", at + strlen(change[0]));
  *text = now;
}
// The kernel as PTX; 0: it is not legal.
static int produced_text(tiny_ctx *t, const produced *r, const tn_kernel *k, tn_lowered *low, tiny_bytes *module) {
  const tn_target target = {&t->device[0]->renderer, &t->device[0]->limits};
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tn_schedule more;
  tiny_bytes text = {t, NULL, 0, 0};
  uint64_t uses = 0;
  memset(low, 0, sizeof *low);
  tn_state_open(s, t, tn_prepare(t, k->ast, &target), &target);
  if (strlen(r->schedule) < 10) tn_optimize(s);
  if (!tn_schedule_parse(r->schedule, &more) || !tn_schedule_apply(s, &more)) return 0;
  tiny_bytes printed = {t, NULL, 0, 0};
  tn_print(t, s->sink, &printed);          // what is printed is parsed again
  CHECK(tn_parse(t, printed.data, NULL) == s->sink);
  if (strstr(r->schedule, "PRODUCER")) {
    CHECK(strstr(printed.data, ":bulk:produced") != NULL);
    CHECK(!tn_do_plain(s, TN_OPT_PRODUCER));               // once is enough
  }
  if (tn_lower(t, s->sink, &target, low) != TINY_OK) return 0;
  const tiny_listing listing = {"k", low->list, low->n, low->hints, low->local, low->local_nbytes};
  if (target.renderer->kernel(t, target.renderer, &listing, &text, &uses) != TINY_OK) return 0;
  const tiny_rendered rendered = {text.data, text.n, uses};
  return target.renderer->module(t, target.renderer, &rendered, 1, module) == TINY_OK;
}
typedef struct produced_run { const produced *p; float *got; size_t nbytes; } produced_run;
static tiny_code produce(tiny_ctx *t, void *arg) {
  const produced_run *r = (const produced_run *)arg;
  tn_lowered low;
  tiny_launch l;
  tiny_mem mem[8];
  size_t nbytes = 0;
  tiny_bytes text = {t, NULL, 0, 0};
  void *const dev = t->device[0]->dev;
  tiny_tensor *x = product(t, &r->p->c);
  const tn_kernel *k = tiny_status(t) ? NULL : kernel_of(t, x, &nbytes);
  CHECK(k && nbytes == r->nbytes);
  if (!k || nbytes != r->nbytes) return t->code;
  const int legal = produced_text(t, r->p, k, &low, &text);
  CHECK(legal);
  if (!legal)
    fprintf(stderr, "  %lldx%lldx%lld: %s is not legal\n", (long long)r->p->c.m, (long long)r->p->c.k,
            (long long)r->p->c.n, r->p->schedule);
  if (!legal) return t->code;
  CHECK(strstr(text.data, r->p->has) != NULL);
  CHECK_EQ(low.producers, strstr(r->p->schedule, "PRODUCER") ? TN_PRODUCER_THREADS : 0);
  changed(t, &text, r->p->change);
  if (getenv("TEST_SHOW")) fputs(text.data, stderr);
  void *module = ptx_load_module(dev, text.data, text.n), *out = ptx_alloc(dev, nbytes);
  memset(&l, 0, sizeof l); memset(mem, 0, sizeof mem);
  for (int i = 0; i < k->nmem; i++) mem[i].base = i ? tn_leaf_storage(k->mem[i])->mem : out;
  l.mem = mem; l.nmem = k->nmem; l.local_nbytes = (size_t)low.local_nbytes;
  memcpy(l.global, low.global, sizeof l.global);
  tn_lowered_threads(&low, l.local);
  l.kernel = module ? ptx_find_kernel(dev, module, "k") : NULL;
  if (l.kernel && ptx_launch_kernel(dev, &l) == TINY_OK) memcpy(r->got, out, nbytes);
  ptx_free_block(dev, out, nbytes);
  if (module) ptx_unload_module(dev, module);
  return t->code;
}
static void test_produced(const produced *p, const char *seed, const float *want, size_t n) {
  static float got[1 << 17];
  produced_run r = {p, got, n};
  setenv("TEST_PTX", "sm_90a", 1);
  setenv("TEST_PTX_SEED", seed, 1);
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "PTX", .backends = {&ptx_own_backend}, .cache_dir = ""});
  memset(got, 0, n);
  const tiny_code code = tn_guard(t, produce, &r);
  if (p->said) CHECK(code != TINY_OK && strstr(tiny_error(t), p->said));
  else CHECK(code == TINY_OK && !memcmp(want, got, n));
  if ((code != TINY_OK) != (p->said != NULL) || (p->said && !strstr(tiny_error(t), p->said)))
    fprintf(stderr, "  %lldx%lldx%lldx%lld %s, seed %s: %s\n", (long long)p->c.b, (long long)p->c.m,
            (long long)p->c.k, (long long)p->c.n, p->schedule, seed, tiny_error(t));
  tiny_close(t);
}

// Sums that the machine's are compared with: by the processor.
static void test_production(const produced *p) {
  static const char *const seeds[] = {"0", "2", "5"};
  static float want[1 << 17];
  const size_t n = (size_t)(p->c.b * p->c.m * p->c.n) * (p->c.after == HALF ? 2 : 4);
  CHECK(n <= sizeof want);
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CPU", .cache_dir = ""});
  CHECK_EQ(tiny_read(product(t, &p->c), want, n), TINY_OK);
  tiny_close(t);
  for (int i = p->said ? 1 : 0; i < 3 - (p->said != NULL); i++) test_produced(p, seeds[i], want, n);
}

// ** a slot that is filled again though its products are not waited for **

static tiny_code without_wait(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  const tiny_code code = ptx_own_compile(dev, n, source, binary, log);
  for (int i = 0; i < n && code == TINY_OK; i++) {
    char *commit = strstr(binary[i].data, "tcgen05.commit"),
         *wait = commit ? strstr(commit, "mbarrier.try_wait") : NULL, *again = wait ? strstr(wait, "@!%p") : NULL;
    CHECK(!commit || again != NULL);
    if (again) memset(wait, ' ', (size_t)(again - wait) + strcspn(again, ";") + 1);
  }
  return code;
}
static void test_unwaited(const char *seed) {
  static const shape c = {1, 64, 320, 64, 0, TINY_F16, PLAIN, 1, 0};          // of five K blocks, more than slots
  static float got[64 * 64];
  tiny_backend careless = ptx_own_backend;
  careless.compile = without_wait;
  setenv("TEST_PTX", "sm_100a", 1);
  setenv("TEST_PTX_SEED", seed, 1);
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "PTX", .backends = {&careless}, .cache_dir = ""});
  CHECK(tiny_read(product(t, &c), got, sizeof got) != TINY_OK);
  CHECK(strstr(tiny_error(t), "asynchronous copy") != NULL || strstr(tiny_error(t), "while a product") != NULL);
  if (getenv("TEST_SHOW")) fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
}

int main(void) {
  for (int i = 0; i < PRODUCTIONS; i++) test_production(&productions[i]);
  test_uneven();
  test_unwaited("0");
  test_unwaited("2");
  for (int k = 0; k < 3; k++) {            // of sm_103a a few: f16, bytes, fp8
    const int from = k < 2 ? 0 : 6, to = k < 2 ? (int)SHAPES : 9;
    const int step = test_brief(2, 1), first = from + k % step;
    for (int i = first; i < to; i += step) test_interpreted(&shapes[i], targets[k]);
    for (int i = first; i < to; i += step)
      for (int seed = 0; seed < 3; seed += 2) test_ptx(&shapes[i], targets[k], seed ? "2" : "0");
  }
  for (int i = 0; i < 2; i++) test_said(&shapes[i]);
  return test_report();
}
