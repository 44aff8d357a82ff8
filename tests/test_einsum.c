// einsum: what the subscripts mean and what is wrong with them, at which position; the order of contraction; products of chains.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static tiny_tensor *counted(tiny_shape s) {
  return tiny_reshape(tiny_arange(t, 0, (double)tn_dims_nelem(s.ndim, s.dim), 1, TINY_F32), s);
}
static tiny_tensor *sums(const char *text, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *in[2] = {a, b};
  return tiny_einsum(text, in, b ? 2 : 1);
}
static void expect_error(const char *text, tiny_tensor *a, tiny_tensor *b, tiny_code code, const char *message) {
  CHECK(!tiny_ok(sums(text, a, b)));
  CHECK_EQ(tiny_status(t), code);
  CHECK_STR(tiny_error(t), message);
  tiny_clear(t);
}
static void expect_dims(tiny_tensor *x, const char *want) {
  char text[TN_DIMS_TEXT];
  CHECK(tiny_ok(x));
  if (tiny_ok(x)) CHECK_STR(tn_text_of(tn_uop_of(x), text), want);
  else printf("%s\n", tiny_error(t));
  tiny_clear(t);
}

static void check_errors(void) {
  tiny_tensor *a = counted(TINY_SHAPE(2, 3)), *b = counted(TINY_SHAPE(3, 4));
  expect_error("ij,jk->il", a, b, TINY_E_ARG, "einsum: a label that no operand has at position 8 of \"ij,jk->il\"");
  expect_error("ij,jk->ii", a, b, TINY_E_ARG, "einsum: a label that was there already at position 8 of \"ij,jk->ii\"");
  expect_error("i1,jk", a, b, TINY_E_ARG, "einsum: neither a letter nor an ellipsis at position 1 of \"i1,jk\"");
  expect_error("ij", a, b, TINY_E_ARG, "einsum: fewer subscripts than operands at position 2 of \"ij\"");
  expect_error("ij,jk,kl", a, b, TINY_E_ARG, "einsum: more subscripts than operands at position 5 of \"ij,jk,kl\"");
  expect_error("ij,jk-ik", a, b, TINY_E_ARG, "einsum: '-' without '>' at position 5 of \"ij,jk-ik\"");
  expect_error("ij,jk->ik->", a, b, TINY_E_ARG, "einsum: something after the output at position 9 of \"ij,jk->ik->\"");
  expect_error("......,jk", a, b, TINY_E_ARG, "einsum: a second ellipsis at position 3 of \"......,jk\"");
  expect_error("ijk,jk", a, b, TINY_E_SHAPE, "einsum: operand 1 is (2,3), but \"ijk,jk\" names 3 dims");
  expect_error("i,jk", a, b, TINY_E_SHAPE, "einsum: operand 1 is (2,3), but \"i,jk\" names 1 dims");
  expect_error("ij,ij", a, b, TINY_E_SHAPE, "einsum: operand 2 is (3,4), but its dim 0 is 2 elsewhere in \"ij,ij\"");
  expect_error("ii", a, NULL, TINY_E_SHAPE, "einsum: operand 1 is (2,3), but its dim 1 is 2 elsewhere in \"ii\"");
  tiny_tensor *in[2] = {a, NULL};
  CHECK(!tiny_ok(tiny_einsum("ij,jk", in, 2)));
  CHECK_STR(tiny_error(t), "einsum: tensor argument 2 is NULL");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_einsum(NULL, in, 1)));
  tiny_clear(t);
  CHECK(tiny_einsum("ij", NULL, 1) == NULL);
}
static void check_shapes(void) {
  tiny_tensor *a = counted(TINY_SHAPE(2, 3, 4)), *b = counted(TINY_SHAPE(4, 5));
  expect_dims(sums("...j,jk", a, b), "(2,3,5)");             // implicit: the ellipsis first
  expect_dims(sums("...j,jk->k...", a, b), "(5,2,3)");
  expect_dims(sums("...j,jk->k", a, b), "(5,)");             // an ellipsis that the output lacks is summed
  expect_dims(sums("zyx", a, NULL), "(4,3,2)");              // implicit: by alphabet
  expect_dims(sums("", counted(TINY_SHAPE()), NULL), "()");
  expect_dims(sums("i,i", counted(TINY_SHAPE(1)), counted(TINY_SHAPE(4))), "()");
  CHECK(tiny_item(sums("i,i", tiny_add(counted(TINY_SHAPE(1)), tiny_scalar(t, 2, TINY_F32)), counted(TINY_SHAPE(4)))) == 12);
  CHECK(tiny_item(sums("ii", counted(TINY_SHAPE(3, 3)), NULL)) == 12);
  expect_dims(sums("ij,kl->ijkl", counted(TINY_SHAPE(0, 2)), counted(TINY_SHAPE(3, 1))), "(0,2,3,1)");
}
// 100 x 1 x 100 x 100: from the right it takes 20000 multiplications and from the left 1010000.
static void check_order(void) {
  tiny_tensor *in[3] = {tiny_ones(t, TINY_F32, TINY_SHAPE(100, 1)), tiny_ones(t, TINY_F32, TINY_SHAPE(1, 100)), tiny_ones(t, TINY_F32, TINY_SHAPE(100, 100))};
  const uint64_t before = tiny_stats_of(t).flops;
  tiny_tensor *y = tiny_einsum("ij,jk,kl->il", in, 3);
  tiny_tensor *const all[1] = {y};
  CHECK_EQ(tiny_realize(all, 1), TINY_OK);
  CHECK(tiny_stats_of(t).flops - before < 200000);
  y = tiny_multi_dot(in, 3);
  const uint64_t middle = tiny_stats_of(t).flops;
  tiny_tensor *const again[1] = {y};
  CHECK_EQ(tiny_realize(again, 1), TINY_OK);
  CHECK(tiny_stats_of(t).flops - middle < 200000);
  tiny_tensor *many[33];
  for (int i = 0; i < 33; i++) many[i] = tiny_ones(t, TINY_F32, TINY_SHAPE(2, 2));
  CHECK(tiny_item(tiny_sum(tiny_einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak", many, 10), TINY_ALL, 0)) == 2048);
  CHECK(!tiny_ok(tiny_multi_dot(many, 33)));
  tiny_clear(t);
}
static void check_products(void) {
  tiny_tensor *a = counted(TINY_SHAPE(2, 3)), *b = counted(TINY_SHAPE(4));
  CHECK(!tiny_ok(tiny_dot(a, b)));
  CHECK_STR(tiny_error(t), "dot: (2,3) and (4,)");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_tensordot(a, b, TINY_SHAPE(1), TINY_SHAPE(0))));
  CHECK_STR(tiny_error(t), "tensordot: (2,3) and (4,)");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_cross(a, b, -1)));
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_cross(b, b, 0)));
  CHECK_STR(tiny_error(t), "cross: (4,) and (4,)");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_trace(b)));
  CHECK_STR(tiny_error(t), "trace: (4,) is no matrix");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_cdist(a, a, -1)));
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_vecdot(a, b, 0)));
  tiny_clear(t);
  CHECK(tiny_item(tiny_cdist(counted(TINY_SHAPE(1, 3)), counted(TINY_SHAPE(1, 3)), 2)) == 0);
  tiny_tensor *x = counted(TINY_SHAPE(1, 3)), *g;            // the gradient of a distance of 0 is 0
  CHECK_EQ(tiny_grad(tiny_sum(tiny_cdist(x, tiny_detach(x), 2), TINY_ALL, 0), &x, 1, &g), TINY_OK);
  CHECK(tiny_item(tiny_sum(g, TINY_ALL, 0)) == 0);
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  t = tiny_open(&d);
  check_errors();
  check_shapes();
  check_order();
  check_products();
  tiny_close(t);
  return test_report();
}
