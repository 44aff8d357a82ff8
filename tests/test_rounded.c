// test_rounded: which exponentials may be off because what comes of them is rounded to a narrow float, and what a target
// with a 2^x of its own makes of them; how far off results are then, tests/test_languages.c looks at.
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "../bench/gpu.h"

static tiny_tensor *input(tiny_ctx *t, tiny_dtype d) { return tiny_cast(ints(t, TINY_SHAPE(6, 64)), d); }
static tiny_tensor *narrow(tiny_tensor *x) { return tiny_cast(x, TINY_F16); }
static tiny_tensor *halves(tiny_ctx *t) {  // f32 whose exponential is of halves
  return tiny_cast(input(t, TINY_F16), TINY_F32);
}
static tiny_tensor *of_halves(tiny_ctx *t) { return tiny_exp(input(t, TINY_F16)); }
static tiny_tensor *of_bf16(tiny_ctx *t) { return tiny_exp2(input(t, TINY_BF16)); }
static tiny_tensor *of_floats(tiny_ctx *t) { return tiny_exp(input(t, TINY_F32)); }
static tiny_tensor *softmax_halves(tiny_ctx *t) { return tiny_softmax(input(t, TINY_F16), -1); }
static tiny_tensor *softmax_floats(tiny_ctx *t) { return tiny_softmax(input(t, TINY_F32), -1); }
static tiny_tensor *sigmoid_halves(tiny_ctx *t) { return tiny_sigmoid(input(t, TINY_F16)); }
static tiny_tensor *silu_halves(tiny_ctx *t) { return tiny_silu(input(t, TINY_BF16)); }
static tiny_tensor *sigmoid_floats(tiny_ctx *t) { return tiny_sigmoid(input(t, TINY_F32)); }
static tiny_tensor *weighed(tiny_ctx *t) { // a sum of what has signs
  return narrow(tiny_sum(tiny_mul(tiny_exp(halves(t)), ints(t, TINY_SHAPE(64))), 1, 0));
}
static tiny_tensor *largest(tiny_ctx *t) { return narrow(tiny_amax(tiny_exp(halves(t)), 1, 0)); }
static tiny_tensor *root(tiny_ctx *t) { return narrow(tiny_sqrt(tiny_exp(halves(t)))); }
static tiny_tensor *chosen(tiny_ctx *t) {
  tiny_tensor *x = halves(t);
  return narrow(tiny_where(tiny_lt(x, tiny_zeros_like(x)), tiny_exp(x), x));
}
static tiny_tensor *compared(tiny_ctx *t) {
  tiny_tensor *x = halves(t);
  return narrow(tiny_where(tiny_lt(tiny_exp(x), ints(t, TINY_SHAPE(64))), x, tiny_neg(x)));
}
static tiny_tensor *compared_with_0(tiny_ctx *t) {
  tiny_tensor *x = tiny_exp(halves(t));
  return narrow(tiny_where(tiny_ne(x, tiny_zeros_like(x)), x, ints(t, TINY_SHAPE(64))));
}
static tiny_tensor *cancelled(tiny_ctx *t) { return narrow(tiny_sub(tiny_exp(halves(t)), ints(t, TINY_SHAPE(64)))); }
static tiny_tensor *log_of(tiny_ctx *t) { return narrow(tiny_log(tiny_add_scalar(tiny_exp(halves(t)), 1))); }
static tiny_tensor *whole(tiny_ctx *t) { return tiny_cast(tiny_exp(halves(t)), TINY_I32); }
static tiny_tensor *doubles(tiny_ctx *t) { return narrow(tiny_exp(input(t, TINY_F64))); }
static tiny_tensor *one_of_two(tiny_ctx *t) {              // one of them alone may be: neither is
  tiny_tensor *x = halves(t);
  return narrow(tiny_mul(tiny_exp(x), tiny_sin(tiny_exp(tiny_neg(x)))));
}

// rounded: 1: all exponentials are marked, 0: none.
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); int rounded; } cases[] = {
  {"of halves", of_halves, 1}, {"of bf16", of_bf16, 1}, {"of floats", of_floats, 0}, {"softmax of halves", softmax_halves, 1},
  {"softmax of floats", softmax_floats, 0}, {"sigmoid of halves", sigmoid_halves, 1}, {"SiLU of bf16", silu_halves, 1},
  {"sigmoid of floats", sigmoid_floats, 0}, {"weighed", weighed, 1}, {"largest", largest, 1}, {"root", root, 1},
  {"chosen", chosen, 1}, {"compared", compared, 0}, {"compared with 0", compared_with_0, 1}, {"cancelled", cancelled, 0}, {"log of", log_of, 0}, {"whole", whole, 0},
  {"doubles", doubles, 0}, {"one of two", one_of_two, 0}};

static void exponentials(tiny_ctx *t, tiny_uop *sink, int *marked, int *bare) {
  tn_list all = {NULL, 0, 0};
  *marked = *bare = 0;
  tn_collect_op(t, sink, TINY_OP_EXP2, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->k & TN_EXP_ROUNDED) ++*marked; else ++*bare;
}

// A target with a 2^x that may be off by so many ulp, as lists of it have it: what is left of EXP2.
typedef struct trial { int which; uint32_t ulps; int marked, bare, left, natural; } trial;
static tiny_code trial_guarded(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  tiny_limits limits;
  static tiny_renderer renderer;
  const tn_target target = {&renderer, &limits};
  size_t nbytes = 0;
  tn_lowered low;
  memset(&limits, 0, sizeof limits); memset(&low, 0, sizeof low);
  tn_gpu_limits("sm_90", &limits);
  limits.dtypes = ~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16);
  limits.nunits = 0;
  const tn_kernel *k = kernel_of(t, cases[r->which].make(t), &nbytes);
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  exponentials(t, sink, &r->marked, &r->bare);
  memset(&renderer, 0, sizeof renderer);
  renderer.name = "all"; renderer.dtypes = ~(uint64_t)0; renderer.exp2_ulps = r->ulps; renderer.flags = TINY_TARGET_OPTIMIZES;
  for (int op = 0; op < TINY_OP_COUNT; op++) renderer.ops[op] = TINY_ON_ELEMENTS | TINY_ON_VECTORS | TINY_ON_MASKED | TINY_ON_APART | TINY_ON_APART_MASKED;
  if (tn_lower(t, sink, &target, &low) != TINY_OK) return t->code;
  r->left = r->natural = 0;
  for (int i = 0; i < low.n; i++) if (low.list[i]->op == TINY_OP_EXP2) { r->left++; r->natural += (low.list[i]->k & ~TN_EXP_ROUNDED) != 0; }
  return t->code;
}
static trial run_trial(int which, uint32_t ulps) {
  trial r = {which, ulps, 0, 0, 0, 0};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  CHECK_EQ(tn_guard(t, trial_guarded, &r), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", cases[which].name, tiny_error(t));
  tiny_close(t);
  return r;
}

static void test_marks(void) {
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    const trial r = run_trial(i, 4);
    const int as_said = cases[i].rounded ? r.marked > 0 && !r.bare : !r.marked && r.bare > 0;
    CHECK(as_said);
    if (!as_said) fprintf(stderr, "  %s: %d are marked, %d are not\n", cases[i].name, r.marked, r.bare);
    CHECK_EQ(r.left > 0, cases[i].rounded);                  // the target's own is for these alone
    CHECK_EQ(r.natural, 0);
  }
}
// By how far the target's may be off.
static void test_ulps(void) {
  enum { HALVES = 0, BF16 = 1, FLOATS = 2 };                 // e^x, 2^x, e^x
  CHECK(cases[HALVES].make == of_halves && cases[BF16].make == of_bf16 && cases[FLOATS].make == of_floats);
  CHECK(run_trial(HALVES, 0).left > 0);    // as near as the library promises: all
  CHECK(run_trial(FLOATS, 0).left > 0);
  CHECK(run_trial(HALVES, TN_EXP_ULPS).left > 0);
  CHECK_EQ(run_trial(HALVES, TN_EXP_ULPS + 1).left, 0);
  CHECK_EQ(run_trial(FLOATS, 1).left, 0);  // x log2(e) is rounded
  CHECK(run_trial(BF16, 1).left > 0);
}

int main(void) {
  test_marks();
  test_ulps();
  return test_report();
}
