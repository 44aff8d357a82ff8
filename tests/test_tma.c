// brief: plain asan
// test_tma: products of sm_90a and Blackwell's whose operands the device copies as boxes of tensors (TMA): by the
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

typedef struct shape { int64_t b, m, k, n; int turned, dtype, after, boxes; } shape;   // boxes: what is to be made of it
enum { PLAIN, HALF };
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
  return c->after == HALF ? tiny_cast(x, TINY_F16) : tiny_cast(x, TINY_F32);
}

static const shape shapes[] = {
  {1, 64, 64, 64, 0, TINY_F16, PLAIN, 1}, {1, 64, 128, 64, 1, TINY_F16, HALF, 1}, {1, 64, 192, 128, 2, TINY_BF16, PLAIN, 1},
  {1, 64, 320, 64, 3, TINY_F16, HALF, 1}, {2, 80, 64, 72, 2, TINY_F16, PLAIN, 1}, {1, 200, 136, 136, 0, TINY_F16, HALF, -1},
  {3, 72, 128, 64, 0, TINY_BF16, HALF, 1}, {1, 64, 256, 64, 2, TINY_I8, PLAIN, 1}, {1, 96, 128, 80, 2, TINY_F8E4M3, PLAIN, 1},
  {1, 256, 192, 128, 2, TINY_F16, HALF, 1}, {1, 128, 448, 256, 0, TINY_BF16, PLAIN, 1}, {1, 64, 64, 70, 0, TINY_F16, PLAIN, 0}, {1, 66, 72, 64, 2, TINY_F16, PLAIN, -1}, {1, 64, 65, 64, 2, TINY_F16, PLAIN, 0}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct trial { const shape *c; tiny_limits limits; int made; } trial;
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
  for (int i = 0; i < stages.n; i++) r->made += tn_stage_is_bulk(stages.u[i]);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_print(t, s->sink, &text);             // what is printed is parsed again
  CHECK(!r->made || strstr(text.data, ":bulk") != NULL);
  CHECK(tn_parse(t, text.data, NULL) == s->sink);
  if (getenv("TEST_SHOW")) fprintf(stderr, "%s\n", text.data);
  const tiny_code code = run_kernel(t, k, s->sink, &target, got);
  CHECK(code == TINY_OK && !memcmp(want, got, nbytes));
  return code;
}
static const char *const targets[] = {"sm_90a", "sm_100a", "sm_103a"};
static void test_interpreted(const shape *c, const char *target) {
  trial r;
  memset(&r, 0, sizeof r);
  r.c = c;
  if (!tn_gpu_limits(target, &r.limits)) { CHECK(0); return; }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  CHECK_EQ(tn_guard(t, interpreted, &r), TINY_OK);
  const int boxes = r.limits.unit_dtypes && c->dtype == TINY_I8 ? 0 : c->boxes;      // sm_103a has none of bytes
  if (boxes >= 0) CHECK_EQ(r.made, 2 * boxes);
  if (tiny_status(t) || (boxes >= 0 && r.made != 2 * boxes))
    fprintf(stderr, "  %s %lldx%lldx%lldx%lld turned %d: %d boxes, %s\n", target, (long long)c->b, (long long)c->m,
            (long long)c->k, (long long)c->n, c->turned, r.made, tiny_error(t));
  tiny_close(t);
}

// ** the same in PTX **

static void test_ptx(const shape *c, const char *target, const char *seed) {
  static float want[1 << 16], got[1 << 16];
  const size_t n = (size_t)(c->b * c->m * c->n) * (c->after == HALF ? 2 : 4);
  setenv("TEST_PTX", target, 1);
  setenv("TEST_PTX_SEED", seed, 1);
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = i ? "PTX" : "INTERP", .backends = {&ptx_own_backend}, .cache_dir = ""});
    CHECK_EQ(tiny_read(product(t, c), i ? got : want, n), TINY_OK);
    if (tiny_status(t))
      fprintf(stderr, "  %s %lldx%lldx%lldx%lld turned %d, seed %s: %s\n", target, (long long)c->b, (long long)c->m,
              (long long)c->k, (long long)c->n, c->turned, seed, tiny_error(t));
    tiny_close(t);
  }
  CHECK(!memcmp(want, got, n));
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
  static const shape c = {1, 64, 320, 64, 0, TINY_F16, PLAIN, 1};          // of five K blocks, more than slots
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
  test_unwaited("0");
  test_unwaited("2");
  for (int k = 0; k < 3; k++) {            // of sm_103a a few: f16, bytes, fp8
    const int from = k < 2 ? 0 : 6, to = k < 2 ? (int)SHAPES : 9;
    for (int i = from; i < to; i++) test_interpreted(&shapes[i], targets[k]);
    for (int i = from; i < to; i++)
      for (int seed = 0; seed < 3; seed += 2) test_ptx(&shapes[i], targets[k], seed ? "2" : "0");
  }
  return test_report();
}
