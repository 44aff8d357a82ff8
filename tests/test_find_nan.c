// test_find_nan: the operation that makes the first NaN is named, and what hides one is not.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "rnd.h"

static char text[512];

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device;
  return tiny_open(&d);
}
static tiny_tensor *of(tiny_ctx *t, int n, const float *values) {
  return tiny_from(t, values, TINY_F32, TINY_SHAPE(n));
}
static const char *found(tiny_tensor *x) {
  const size_t n = tiny_find_nan(x, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  return text;
}

static void test_operations(void) {
  static const float values[4] = {1, 4, -0.5f, -2}, holes[4] = {1, NAN, 3, NAN}, far[2] = {INFINITY, -INFINITY};
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = of(t, 4, values), *h = of(t, 4, holes), *f = of(t, 2, far), *zero = tiny_zeros(t, TINY_F32, TINY_SHAPE(1));
  CHECK_STR(found(tiny_log(x)), "LOG2(-0.5) at [2] of (4,) f32");
  CHECK_STR(found(tiny_sum(tiny_exp(tiny_log(x)), TINY_ALL, 0)), "LOG2(-0.5) at [2] of (4,) f32");
  CHECK_STR(found(tiny_label(tiny_log(tiny_reshape(x, TINY_SHAPE(2, 2))), "scale")), "LOG2(-0.5) at [1,0] of (2,2) f32, scale");
  CHECK_STR(found(tiny_sqrt(tiny_flip(x, TINY_SHAPE(0)))), "SQRT(-2) at [0] of (4,) f32");
  CHECK_STR(found(tiny_sum(f, TINY_ALL, 0)), "REDUCE:ADD of (2,) f32 at [0] of (1,) f32");
  CHECK_STR(found(tiny_sub(f, f)), "ADD(-inf, inf) at [0] of (2,) f32");
  CHECK(strstr(found(tiny_div(zero, zero)), "(0, 0) at [0] of (1,) f32") || strstr(text, "(0, inf) at [0] of (1,) f32"));
  CHECK_STR(found(tiny_relu(h)), "memory at [1] of (4,) f32");
  CHECK_STR(found(tiny_matmul(tiny_reshape(h, TINY_SHAPE(2, 2)), tiny_reshape(x, TINY_SHAPE(2, 2)))), "memory at [1] of (4,) f32");
  CHECK_STR(found(tiny_full(t, (double)NAN, TINY_F16, TINY_SHAPE(2, 3))), "a number at [] of () f16");
  // what was computed before is memory; what x itself was computed by is not
  tiny_tensor *y = tiny_label(tiny_log(x), "early");
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  CHECK_STR(found(tiny_exp(y)), "memory at [2] of (4,) f32, early");
  CHECK_STR(found(y), "LOG2(-0.5) at [2] of (4,) f32, early");
  tiny_close(t);
}

static void test_hidden(void) {
  static const float values[4] = {-1, 4, -0.5f, 2}, holes[4] = {NAN, 2, 3, 4};
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = of(t, 4, values), *h = of(t, 4, holes), *zero = tiny_zeros(t, TINY_F32, TINY_SHAPE(4));
  tiny_tensor *is = tiny_gt(x, zero), *safe = tiny_where(is, tiny_log(x), zero);
  CHECK_STR(found(safe), "");
  CHECK_STR(found(tiny_where(is, tiny_log(x), h)), "memory at [0] of (4,) f32");
  CHECK_STR(found(tiny_add(safe, h)), "memory at [0] of (4,) f32");
  CHECK_STR(found(tiny_log(tiny_slice(x, 0, 3, TINY_END, 1))), "");
  CHECK_STR(found(tiny_cast(h, TINY_I32)), "");
  CHECK_STR(found(tiny_arange(t, 0, 5, 1, TINY_I64)), "");
  CHECK_STR(found(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3))), "");
  // of a length what is meant: the rest is nobody's
  tiny_tensor *n = tiny_length(t, 2, 0, 4), *some = tiny_slice_to(x, 0, n);
  CHECK_STR(found(tiny_sqrt(tiny_square(some))), "");
  CHECK_STR(found(tiny_log(some)), "LOG2(-1) at [0] of (4,) f32");
  CHECK_STR(found(tiny_whole(some, 0, 1)), "");
  CHECK_STR(found(tiny_whole(some, 0, (double)NAN)), "WHOLE at [2] of (4,) f32");
  CHECK_STR(found(tiny_log(tiny_flip(tiny_slice(x, 0, 1, 2, 1), TINY_SHAPE(0)))), "");
  tiny_close(t);
}

// What an assignment overwrites is not blamed; what it writes is.
static void test_assigned(void) {
  static const float values[4] = {-1, 4, -0.5f, 2}, holes[4] = {NAN, 2, NAN, 4};
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *h = of(t, 4, holes), *before = tiny_exp(h), *late;
  tiny_assign(tiny_shrink(h, TINY_SHAPE(0, 2)), tiny_label(tiny_log(of(t, 2, values)), "late"));
  CHECK_STR(found(tiny_exp(h)), "LOG2(-1) at [0] of (2,) f32, late");
  CHECK_STR(found(before), "memory at [0] of (4,) f32");
  h = of(t, 4, holes);
  tiny_assign(tiny_shrink(h, TINY_SHAPE(0, 1)), tiny_ones(t, TINY_F32, TINY_SHAPE(1)));
  CHECK_STR(found(h), "memory at [2] of (4,) f32");
  tiny_assign(h, tiny_zeros(t, TINY_F32, TINY_SHAPE()));
  CHECK_STR(found(h), "");
  h = of(t, 4, values);
  late = tiny_log(tiny_shrink(of(t, 4, values), TINY_SHAPE(2, 4)));
  tiny_assign(tiny_flip(tiny_shrink(h, TINY_SHAPE(1, 3)), TINY_SHAPE(0)), late);
  CHECK_STR(found(h), "LOG2(-0.5) at [0] of (2,) f32");      // into h[2]
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}
// What x was computed from is there no more, or is something else by now: its own memory has the NaN.
static void test_overwritten(void) {
  float memory[4] = {1, -1, 2, -2};
  static const float ones[4] = {1, 1, 1, 1};
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = of(t, 4, memory), *y = tiny_label(tiny_log(x), "y");
  tiny_realize(&y, 1);
  CHECK_STR(found(y), "LOG2(-1) at [1] of (4,) f32, y");
  tiny_assign(x, tiny_ones(t, TINY_F32, TINY_SHAPE()));
  tiny_realize(&x, 1);
  CHECK_STR(found(y), "memory at [1] of (4,) f32, y");
  CHECK_STR(found(x), "");
  x = of(t, 4, memory);
  y = tiny_log(x);
  tiny_realize(&y, 1);
  tiny_write(x, ones, sizeof ones);
  CHECK_STR(found(tiny_exp(y)), "memory at [1] of (4,) f32");
  x = tiny_blob(t, memory, TINY_F32, TINY_SHAPE(4), NULL);
  y = tiny_log(x);
  tiny_realize(&y, 1);
  memory[1] = memory[3] = 1;
  CHECK_STR(found(y), "memory at [1] of (4,) f32");
  CHECK_STR(found(tiny_log(x)), "");
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

static void test_gradients(void) {
  static const float values[3] = {0, 0, 0};
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = of(t, 3, values), *g;
  tiny_tensor *norm = tiny_label(tiny_sqrt(tiny_sum(tiny_square(x), TINY_ALL, 0)), "norm");
  CHECK_EQ(tiny_grad(norm, &x, 1, &g), TINY_OK);
  CHECK(strstr(found(g), "norm (backward)") != NULL);
  CHECK_STR(found(norm), "");
  tiny_close(t);
}

// A graph of steps at random over finite numbers in which one step makes NaNs: it is that which is found, if any comes out.
static tiny_tensor *random_step(tiny_tensor *x) {
  const int last = tiny_shape_of(x).ndim - 1;
  switch (rnd(8)) {
    case 0: return tiny_tanh(x);
    case 1: return tiny_flip(x, TINY_SHAPE(rnd(last + 1)));
    case 2: return last > 0 ? tiny_transpose(x, 0, last) : tiny_neg(x);
    case 3: return tiny_softmax(x, last);
    case 4: return tiny_mul(x, tiny_sigmoid(x));
    case 5: return tiny_add(x, tiny_amax(x, rnd(last + 1), 1));
    case 6: return tiny_cumsum(x, last);
    default: return tiny_where(tiny_gt_scalar(x, 0.1), x, tiny_mul_scalar(x, 0.5));
  }
}
static void test_random(void) {
  int hidden = 0;
  for (int round = 0; round < 150; round++) {
    rng = (uint64_t)round;
    tiny_ctx *t = open_on(round % 2 ? "INTERP" : "CPU");
    tiny_tensor *x = tiny_label(tiny_sub_scalar(tiny_rand(t, TINY_SHAPE(1 + rnd(4), 1 + rnd(5), 1 + rnd(3))), 0.5), "input");
    for (int i = rnd(6); i > 0; i--) x = random_step(x);
    if (round % 5) x = tiny_label(tiny_log(tiny_sub_scalar(x, rnd(3))), "culprit");
    const int asked = rnd(2);
    if (asked && round % 5 == 0) tiny_find_nan(x, NULL, 0);
    for (int i = rnd(6); i > 0; i--) x = random_step(tiny_where(tiny_eq_scalar(x, -INFINITY), tiny_zeros(t, TINY_F32, TINY_SHAPE()), x));
    const size_t n = tiny_find_nan(x, text, sizeof text);
    const int any = tiny_item(tiny_any(tiny_isnan(x), TINY_ALL, 0)) != 0;
    CHECK_EQ(n > 0, any);
    CHECK(!any || (round % 5 && !strncmp(text, "LOG2(-", 6) && strstr(text, "culprit")));
    if (tiny_status(t) != TINY_OK) printf("round %d: %s\n", round, tiny_error(t));
    CHECK_EQ(tiny_status(t), TINY_OK);
    hidden += !any && round % 5;
    tiny_close(t);
  }
  CHECK(hidden > 0 && hidden < 100);
}

static void test_wrong(void) {
  static const float values[2] = {-1, 1};
  tiny_ctx *t = open_on("INTERP");
  char brief[8];
  tiny_tensor *bad = tiny_log(of(t, 2, values));
  CHECK_EQ(tiny_find_nan(NULL, text, sizeof text), 0);
  CHECK_EQ(tiny_find_nan(bad, NULL, 0), strlen("LOG2(-1) at [0] of (2,) f32"));
  CHECK_EQ(tiny_find_nan(bad, brief, sizeof brief), strlen("LOG2(-1) at [0] of (2,) f32"));
  CHECK_STR(brief, "LOG2(-1");
  tiny_tensor *poison = tiny_reshape(bad, TINY_SHAPE(3));
  CHECK_STR(found(poison), "");
  CHECK_EQ(tiny_status(t), TINY_E_SHAPE);
  tiny_clear(t);
  tiny_close(t);
}

static void test_devices(void) {
  static const float values[8] = {1, 2, 3, 4, 5, -6, 7, 8};
  static const int both[2] = {0, 1};
  tiny_ctx *t = open_on("INTERP,INTERP:1");
  tiny_tensor *x = tiny_shard(of(t, 8, values), 0, both, 2);
  CHECK_STR(found(tiny_log(x)), "LOG2(-6) at [1] of (4,) f32 on INTERP:1 (device 1)");
  tiny_tensor *y = tiny_log(x);
  tiny_realize(&y, 1);
  CHECK_STR(found(y), "LOG2(-6) at [1] of (4,) f32 on INTERP:1 (device 1)");
  CHECK_STR(found(tiny_exp(y)), "memory at [1] of (4,) f32 on INTERP:1 (device 1)");
  CHECK_STR(found(tiny_to(tiny_sqrt(tiny_to(of(t, 8, values), 1)), 0)), "SQRT(-6) at [5] of (8,) f32 on INTERP:1 (device 1)");
  CHECK_STR(found(tiny_exp(x)), "");
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

static int refused_once(long n) {
  static const float values[2] = {-1, 1};
  memory_count m = {0, n, 0, 0};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.alloc.fn = memory_fn; d.alloc.user = &m;
  tiny_ctx *t = tiny_open(&d);
  if (t && tiny_status(t) == TINY_OK) {
    const size_t got = tiny_find_nan(tiny_log(of(t, 2, values)), text, sizeof text);
    CHECK(got ? strstr(text, "LOG2(-1)") != NULL : !*text && tiny_status(t) == TINY_E_MEMORY);
  }
  tiny_close(t);
  CHECK_EQ(m.live, 0);
  CHECK_EQ(m.wrong, 0);
  return m.calls < n;
}

int main(void) {
  long n = 1;
  test_operations();
  test_hidden();
  test_assigned();
  test_overwritten();
  test_gradients();
  test_random();
  test_wrong();
  test_devices();
  while (!refused_once(n)) n++;
  return test_report();
}
