// limits: shapes of 2^60 elements and more are refused wherever dims are multiplied, and graphs that are none end in an error: nothing
// slips through, nothing loops.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static tiny_ctx *opened(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = "";
  return tiny_open(&d);
}

// ** too many elements: TINY_E_SHAPE, and the message holds a shape **

static void refuse(const char *name, tiny_tensor *x) {
  const int ok = !tiny_ok(x) && tiny_status(t) == TINY_E_SHAPE && strchr(tiny_error(t), '(');
  if (!ok) printf("%s: %s, status %d \"%s\"\n", name, tiny_ok(x) ? "made" : "refused", (int)tiny_status(t), tiny_error(t));
  CHECK(ok);
  tiny_clear(t);
}
static void check_elements(void) {
  const int64_t big = (int64_t)1 << 31, half = (int64_t)1 << 20;
  tiny_begin(t);
  tiny_tensor *column = tiny_zeros(t, TINY_F32, TINY_SHAPE(big, 1)), *row = tiny_zeros(t, TINY_F32, TINY_SHAPE(1, big)),
      *flat = tiny_zeros(t, TINY_F32, TINY_SHAPE(big)), *labels = tiny_zeros(t, TINY_I64, TINY_SHAPE(big)), *yes = tiny_zeros(t, TINY_BOOL, TINY_SHAPE(big, 1)),
      *tiny_one = tiny_zeros(t, TINY_F32, TINY_SHAPE(1)), *out[3] = {NULL, NULL, NULL}, *two[2] = {column, row}, *flats[2] = {flat, flat},
      *cube = tiny_zeros(t, TINY_F32, TINY_SHAPE(1, half, half)), *three[3];
  CHECK_STR(tiny_error(t), "");
  refuse("add", tiny_add(column, row));
  refuse("mul", tiny_mul(column, row));
  refuse("less", tiny_lt(column, row));
  refuse("logical_and", tiny_logical_and(column, row));
  refuse("where", tiny_where(yes, column, row));
  refuse("lerp", tiny_lerp(column, row, row));
  refuse("complex", tiny_complex(column, row));
  refuse("polar", tiny_polar(column, row));
  refuse("matmul", tiny_matmul(column, row));
  refuse("linear", tiny_linear(column, column, NULL));
  refuse("outer", tiny_outer(flat, flat));
  refuse("kron", tiny_kron(flat, flat));
  refuse("kron of longer", tiny_kron(tiny_zeros(t, TINY_F32, TINY_SHAPE(big << 28)), tiny_zeros(t, TINY_F32, TINY_SHAPE(big << 28))));
  refuse("cdist", tiny_cdist(column, column, 2));
  refuse("tensordot", tiny_tensordot(flat, flat, TINY_SHAPE(), TINY_SHAPE()));
  refuse("einsum", tiny_einsum("i,j->ij", flats, 2));
  refuse("multi_dot", tiny_multi_dot(two, 2));
  refuse("cross", tiny_cross(tiny_zeros(t, TINY_F32, TINY_SHAPE(big, 1, 3)), tiny_zeros(t, TINY_F32, TINY_SHAPE(1, big, 3)), -1));
  refuse("expand", tiny_expand(column, TINY_SHAPE(big, big)));
  refuse("repeat", tiny_tile(column, TINY_SHAPE(1, big)));
  refuse("repeat_interleave", tiny_repeat_interleave(flat, big, 0));
  refuse("pad", tiny_pad(tiny_one, TINY_SHAPE(0, INT64_MAX), 0));
  refuse("pad both", tiny_pad(tiny_one, TINY_SHAPE(INT64_MAX, INT64_MAX), 1));
  refuse("one_hot", tiny_one_hot(labels, big));
  refuse("diag_embed", tiny_diag_embed(flat, 0, 0, 1));
  refuse("masked_fill", tiny_masked_fill(row, yes, 1));
  refuse("sliding_window", tiny_sliding_window(flat, 0, half << 10, 1));
  refuse("take_along_axis", tiny_take_along_axis(column, 1, tiny_zeros(t, TINY_I64, TINY_SHAPE(1, big))));
  refuse("embedding", tiny_embedding(labels, row, -1));
  refuse("bilinear", tiny_bilinear(column, column, tiny_zeros(t, TINY_F32, TINY_SHAPE(big, 1, 1)), NULL));
  refuse("add of cubes", tiny_add(cube, tiny_transpose(tiny_zeros(t, TINY_F32, TINY_SHAPE(half, 1, 1)), 0, 0)));
  CHECK_EQ(tiny_meshgrid(flats, 2, 0, out), 0);
  refuse("meshgrid", out[0]);
  three[0] = three[1] = three[2] = tiny_zeros(t, TINY_F32, TINY_SHAPE(half));
  CHECK_EQ(tiny_meshgrid(three, 3, 1, out), 0);
  refuse("meshgrid of three", out[2]);
  tiny_tensor *fits = tiny_add(tiny_zeros(t, TINY_F32, TINY_SHAPE(big, 1)), tiny_zeros(t, TINY_F32, TINY_SHAPE(1, half)));
  CHECK(tiny_ok(fits) && tiny_nelem_of(fits) == big * half);    // only named: nothing is computed
  tiny_end(t);
  tiny_clear(t);
}

// ** 0-d operands where dims are used by name **

static void check_read(tiny_tensor *x, int n, const float *want) {
  float got[16];
  CHECK_EQ(tiny_nelem_of(x), n);
  CHECK_EQ(tiny_read(x, got, (size_t)n * sizeof *got), TINY_OK);
  for (int i = 0; i < n; i++) CHECK(fabsf(got[i] - want[i]) < 1e-5f);
  if (tiny_status(t) != TINY_OK) printf("%s\n", tiny_error(t));
  tiny_clear(t);
}
static void check_zero_dims(void) {
  const float v[3] = {1, 2, 3}, k = 5, behind[6] = {1, 5, 2, 5, 3, 5}, before[6] = {5, 1, 5, 2, 5, 3}, both[2] = {5, 5}, pole[6] = {5, 0, 5, 0, 5, 0}, pairs[4] = {1, 0, 0, 1},
      product[4] = {1, 2, -2, 1}, z[2] = {1, 2};
  const uint8_t yes = 1;
  tiny_begin(t);
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(3)), *s = tiny_from(t, &k, TINY_F32, TINY_SHAPE()), *zero = tiny_zeros(t, TINY_F32, TINY_SHAPE(3));
  check_read(tiny_complex(x, s), 6, behind);
  check_read(tiny_complex(s, x), 6, before);
  check_read(tiny_complex(s, s), 2, both);
  check_read(tiny_polar(s, zero), 6, pole);
  check_read(tiny_complex_mul(tiny_from(t, pairs, TINY_F32, TINY_SHAPE(2, 2)), tiny_from(t, z, TINY_F32, TINY_SHAPE(2))), 4, product);
  check_read(tiny_masked_select(x, tiny_from(t, &yes, TINY_BOOL, TINY_SHAPE())), 3, v);
  tiny_tensor *g[2], *wrt[2] = {x, s};
  CHECK_EQ(tiny_grad(tiny_sum(tiny_complex(x, s), TINY_ALL, 0), wrt, 2, g), TINY_OK);
  const float ones[3] = {1, 1, 1}, three = 3;
  check_read(g[0], 3, ones);
  check_read(g[1], 1, &three);
  tiny_end(t);
}

// ** graphs that are none **

static void refuse_graph(tiny_uop *u, const char *part) {
  tiny_tensor *x = tn_tensor_new(t, u);
  CHECK_EQ(tiny_realize(&x, 1), TINY_E_INTERNAL);
  if (!strstr(tiny_error(t), part)) printf("%s\n", tiny_error(t));
  CHECK(strstr(tiny_error(t), part) != NULL);
  tiny_clear(t);
  tiny_free(x);
}
static void check_graphs(void) {
  float v[12] = {0};
  tiny_tensor *a = tiny_from(t, v, TINY_F32, TINY_SHAPE(3, 4)), *b = tiny_from(t, v, TINY_F32, TINY_SHAPE(4));
  tiny_uop *x = tn_uop_of(a), *y = tn_uop_of(b);
  const int64_t five[1] = {5};
  refuse_graph(tn_u2(t, TINY_OP_ADD, x, y), "different shapes");
  refuse_graph(tn_u1(t, TINY_OP_SIN, tn_uop_make(t, TINY_OP_RESHAPE, TINY_F32, 1, 1, &y, 0, 1, five)), "another number of elements");
  CHECK(tn_bad(t, tn_add(t, tn_reshape(t, x, 1, (const int64_t[]){12}), y)));
  CHECK_EQ(tiny_status(t), TINY_E_INTERNAL);
  CHECK(strstr(tiny_error(t), "(12,)") && strstr(tiny_error(t), "(4,)"));
  tiny_clear(t);
  tiny_free(a); tiny_free(b);
}

// ** integers that no double holds **

static void check_items(void) {
  const int64_t far[2] = {((int64_t)1 << 53) + 1, INT64_MIN + 1};
  for (int i = 0; i < 2; i++) {
    tiny_tensor *x = tiny_from(t, &far[i], TINY_I64, TINY_SHAPE());
    CHECK(tiny_item_i64(x) == far[i]);
    tiny_free(x);
  }
  const uint64_t most = UINT64_MAX;
  const float f = -7.75f, huge = 1e30f;
  tiny_tensor *x = tiny_from(t, &most, TINY_U64, TINY_SHAPE(1)), *y = tiny_from(t, &f, TINY_F32, TINY_SHAPE()), *z = tiny_from(t, &huge, TINY_F32, TINY_SHAPE()),
      *two = tiny_zeros(t, TINY_I32, TINY_SHAPE(2));
  CHECK((uint64_t)tiny_item_i64(x) == most && tiny_item_i64(y) == -7 && tiny_item_i64(z) == INT64_MAX);
  CHECK_EQ(tiny_status(t), TINY_OK);
  CHECK(tiny_item_i64(two) == 0);
  CHECK_EQ(tiny_status(t), TINY_E_SHAPE);
  tiny_clear(t);
  tiny_free(x); tiny_free(y); tiny_free(z); tiny_free(two);
  CHECK(tiny_item_i64(NULL) == 0 && tiny_item_i64(x) == 0);
  CHECK_EQ(tiny_status(t), TINY_E_STATE);
  tiny_clear(t);
}

// Shapes that are allowed, and that no memory holds: TINY_E_MEMORY.
static void check_memory(void) {
  for (int bits = 41; bits < 60; bits += 6) {
    tiny_tensor *x = tiny_sqrt(tiny_zeros(t, TINY_F32, TINY_SHAPE((int64_t)1 << bits)));
    CHECK_EQ(tiny_realize(&x, 1), TINY_E_MEMORY);
    tiny_clear(t);
    tiny_free(x);
  }
}

static const char *const devices[] = {"INTERP", "CPU"};
int main(void) {
  for (int i = 0; i < 2; i++) {
    t = opened(devices[i]);
    CHECK_STR(tiny_error(t), "");
    check_elements();
    check_zero_dims();
    check_graphs();
    check_items();
    check_memory();
    tiny_close(t);
  }
  return test_report();
}
