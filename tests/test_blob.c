// also: late
// test_blob: tensors over the caller's memory. What is computed from it is computed from what it holds then; what has been
// computed keeps its values; assignments and tiny_write go through to it.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static int holds(tiny_tensor *x, int n, const float *want) {
  float got[16];
  int same = tiny_ok(x) && tiny_nelem_of(x) == n && tiny_read(x, got, (size_t)n * sizeof *got) == TINY_OK;
  for (int i = 0; i < n && same; i++) same = got[i] == want[i];
  if (!same) { fprintf(stderr, "  %s; got", tiny_error(t)); for (int i = 0; i < n; i++) fprintf(stderr, " %g", got[i]); fprintf(stderr, "\n"); }
  return same;
}
#define HOLDS(x, ...) do { const float want_[] = {__VA_ARGS__}; CHECK(holds(x, (int)(sizeof want_ / sizeof *want_), want_)); } while (0)

static void test_again(void) {
  float m[4] = {1, 2, 3, 4};
  tiny_tensor *x = tiny_blob(t, m, TINY_F32, TINY_SHAPE(4), NULL), *lazy = tiny_neg(x), *y = tiny_square(x);
  HOLDS(y, 1, 4, 9, 16);
  HOLDS(tiny_sum(lazy, 0, 0), -10);
  m[0] = 5;
  HOLDS(x, 5, 2, 3, 4);
  HOLDS(tiny_square(x), 25, 4, 9, 16);
  HOLDS(y, 1, 4, 9, 16);                   // it was computed
  HOLDS(tiny_sum(y, 0, 0), 30);
  HOLDS(tiny_sum(lazy, 0, 0), -14);        // lazy was not
  HOLDS(lazy, -5, -2, -3, -4);
  for (int i = 0; i < 3; i++) {
    m[1] = (float)i;
    tiny_tensor *both[2] = {tiny_square(x), tiny_sum(tiny_square(x), 0, 0)};
    CHECK_EQ(tiny_realize(both, 2), TINY_OK);
    HOLDS(both[0], 25, (float)(i * i), 9, 16);
    HOLDS(both[1], 50 + (float)(i * i));
  }
}
// Views show the memory whenever they are read.
static void test_views(void) {
  float m[6] = {1, 2, 3, 4, 5, 6};
  const int64_t turned[2] = {1, 3}, odd[1] = {2};
  tiny_tensor *x = tiny_blob(t, m, TINY_F32, TINY_SHAPE(3, 2), turned), *o = tiny_blob(t, m, TINY_F32, TINY_SHAPE(3), odd);
  tiny_tensor *p = tiny_transpose(x, 0, 1), *cut = tiny_shrink(o, TINY_SHAPE(1, 3)), *copy = tiny_clone(o), *all[4] = {x, o, p, cut};
  CHECK_EQ(tiny_realize(all, 4), TINY_OK);
  for (int i = 0; i < 2; i++) {
    HOLDS(x, m[0], m[3], m[1], m[4], m[2], m[5]);
    HOLDS(o, m[0], m[2], m[4]);
    HOLDS(p, m[0], m[1], m[2], m[3], m[4], m[5]);
    HOLDS(cut, m[2], m[4]);
    HOLDS(tiny_neg(cut), -m[2], -m[4]);
    HOLDS(copy, 1, 3, 5);
    m[0] = 10; m[2] = 30;
  }
}
static void test_writes(void) {
  float m[4] = {1, 2, 3, 4};
  const float other[4] = {9, 8, 7, 6}, two[2] = {0, 1};
  tiny_tensor *x = tiny_blob(t, m, TINY_F32, TINY_SHAPE(4), NULL), *lazy = tiny_neg(x), *cut = tiny_shrink(x, TINY_SHAPE(1, 3));
  CHECK_EQ(tiny_write(x, other, sizeof other), TINY_OK);
  CHECK(!memcmp(m, other, sizeof m));
  HOLDS(lazy, -1, -2, -3, -4);
  HOLDS(tiny_neg(x), -9, -8, -7, -6);
  CHECK_EQ(tiny_write(cut, two, sizeof two), TINY_OK);
  CHECK(m[0] == 9 && m[1] == 0 && m[2] == 1 && m[3] == 6);
  tiny_tensor *y = tiny_square(x);
  tiny_assign(x, tiny_add(x, tiny_like(x, 1)));
  HOLDS(x, 10, 1, 2, 7);
  CHECK(m[0] == 10 && m[3] == 7);
  HOLDS(y, 81, 0, 1, 36);
  m[3] = 0;
  HOLDS(tiny_square(x), 100, 1, 4, 0);
  HOLDS(cut, 1, 2);
}
static void test_gradients(void) {
  float m[3] = {1, 2, 3};
  const float one[3] = {1, 1, 1};
  tiny_tensor *x = tiny_blob(t, m, TINY_F32, TINY_SHAPE(3), NULL), *w = tiny_from(t, one, TINY_F32, TINY_SHAPE(3)), *g;
  for (int i = 0; i < 3; i++) {
    m[1] = (float)i;
    tiny_tensor *loss = tiny_sum(tiny_mul(tiny_square(x), w), 0, 0);
    if (i == 1) HOLDS(loss, 11);
    CHECK_EQ(tiny_grad(loss, &w, 1, &g), TINY_OK);
    HOLDS(g, 1, (float)(i * i), 9);
  }
}
// A program reads what the memory holds at each run, as its own memory and as an input, and writes it.
static void test_programs(void) {
  float m[2] = {1, 2}, n[2] = {1, 1};
  tiny_tensor *x = tiny_blob(t, m, TINY_F32, TINY_SHAPE(2), NULL), *s = tiny_blob(t, n, TINY_F32, TINY_SHAPE(2), NULL), *out = NULL;
  tiny_tensor *sum = tiny_sum(tiny_square(s), 0, 1), *y = tiny_mul(x, sum);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  for (int i = 1; i < 4; i++) {
    m[0] = n[0] = (float)i;
    CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
    HOLDS(out, (float)(i * (i * i + 1)), (float)(2 * (i * i + 1)));
  }
  tiny_program_free(p);
  tiny_begin(t);
  tiny_assign(s, tiny_add(s, x));
  p = tiny_capture(t, &x, 1, &s, 1);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK(n[0] == 3 && n[1] == 1);
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  CHECK(n[0] == 6 && n[1] == 3);
  n[0] = 0;
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  CHECK(n[0] == 3 && n[1] == 5);
  HOLDS(out, 3, 5);
  HOLDS(s, 3, 5);
  tiny_program_free(p);
}

int main(void) {
  static const char *const devices[] = {"INTERP", "CPU"};
  for (int i = 0; i < 2; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[i];
    t = tiny_open(&d);
    test_again();
    test_views();
    test_writes();
    test_gradients();
    test_programs();
    CHECK_EQ(tiny_status(t), TINY_OK);
    tiny_close(t);
  }
  return test_report();
}
