// brief: plain asan
// test_tma: products of sm_90a whose operands and results the device copies as boxes of tensors (TMA): by the
// interpreter, and as PTX by the machine of ptx_machine.h, copies as late as waits allow; what is no box.
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
  tiny_uop *sink = tn_prepare(t, k->ast);
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
  tiny_uop *sink = tn_prepare(t, k->ast);
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
static void test_interpreted(const shape *c) {
  trial r;
  memset(&r, 0, sizeof r);
  r.c = c;
  if (!tn_gpu_limits("sm_90a", &r.limits)) { CHECK(0); return; }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  CHECK_EQ(tn_guard(t, interpreted, &r), TINY_OK);
  if (c->boxes >= 0) CHECK_EQ(r.made, 2 * c->boxes);
  if (c->stores >= 0) CHECK_EQ(r.leave, c->stores);
  if (tiny_status(t) || (c->boxes >= 0 && r.made != 2 * c->boxes) || (c->stores >= 0 && r.leave != c->stores))
    fprintf(stderr, "  %lldx%lldx%lldx%lld turned %d: %d boxes, %d leave, %s\n", (long long)c->b, (long long)c->m,
            (long long)c->k, (long long)c->n, c->turned, r.made, r.leave, tiny_error(t));
  tiny_close(t);
}

// ** the same in PTX **

static void test_ptx(const shape *c, const char *seed) {
  static float want[1 << 16], got[1 << 16];
  const size_t n = nbytes_of(c);
  setenv("TEST_PTX", "sm_90a", 1);
  setenv("TEST_PTX_SEED", seed, 1);
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = i ? "PTX" : "INTERP", .backends = {&ptx_own_backend},
                                         .cache_dir = ""});
    CHECK_EQ(tiny_read(product(t, c), i ? got : want, n), TINY_OK);
    if (tiny_status(t))
      fprintf(stderr, "  %lldx%lldx%lldx%lld turned %d, seed %s: %s\n", (long long)c->b, (long long)c->m,
              (long long)c->k, (long long)c->n, c->turned, seed, tiny_error(t));
    tiny_close(t);
  }
  CHECK(!memcmp(want, got, n));
}

int main(void) {
  for (int i = 0; i < SHAPES; i++) test_interpreted(&shapes[i]);
  for (int i = 0; i < 2; i++) test_said(&shapes[i]);
  for (int i = 0; i < SHAPES; i++) for (int seed = 0; seed < 3; seed += 2) test_ptx(&shapes[i], seed ? "2" : "0");
  return test_report();
}
