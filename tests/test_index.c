// also: llvm ptx-own outside
// index: what vectors cannot show: positions out of range, which of several sources stays, results whose size the data
// decide, frames and errors. Values against PyTorch are in tools/vectors/index.py.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;
static tiny_tensor *floats(int64_t n) { return tiny_arange(t, 1, (double)n + 1, 1, TINY_F32); }
static tiny_tensor *ints(int n, const int *v) {
  int32_t data[64];
  for (int i = 0; i < n; i++) data[i] = v[i];
  return tiny_from(t, data, TINY_I32, TINY_SHAPE(n));
}
static void is(tiny_tensor *x, int n, const double *want, int line) {
  float got[256];
  const int ok = tiny_ok(x) && tiny_nelem_of(x) == n && tiny_read(tiny_cast(x, TINY_F32), got, (size_t)n * 4) == TINY_OK;
  if (!ok) printf("line %d: %s\n", line, tiny_error(t));
  CHECK(ok);
  for (int i = 0; ok && i < n; i++) {
    if (got[i] != want[i]) printf("line %d: element %d is %g, not %g\n", line, i, got[i], want[i]);
    CHECK(got[i] == want[i]);
  }
}
#define IS(x, ...) do { static const double w_[] = {__VA_ARGS__}; is(x, (int)(sizeof w_ / sizeof *w_), w_, __LINE__); } while (0)
#define INTS(name, ...) static const int name##_[] = {__VA_ARGS__}; tiny_tensor *name = ints((int)(sizeof name##_ / sizeof *name##_), name##_)

static void check_out_of_range(void) {
  INTS(at, 0, 3, -3, -4, 2, 99);
  tiny_tensor *x = floats(3), *ones = tiny_ones(t, TINY_F32, TINY_SHAPE(6));
  tiny_tensor *m = tiny_reshape(floats(6), TINY_SHAPE(2, 3)), *list[2];
  IS(tiny_gather(x, 0, at), 1, 0, 1, 0, 3, 0);
  IS(tiny_index_select(x, 0, at), 1, 0, 1, 0, 3, 0);
  IS(tiny_take(x, at), 1, 0, 1, 0, 3, 0);
  IS(tiny_scatter_add(x, 0, at, ones), 3, 2, 4);
  IS(tiny_scatter(x, 0, at, floats(6)), 3, 2, 5);
  IS(tiny_scatter_reduce(x, 0, at, floats(6), TINY_REDUCE_AMAX, 1), 3, 2, 5);
  IS(tiny_index_fill(x, 0, at, 9), 9, 2, 9);
  IS(tiny_put(x, at, tiny_like(x, 7), 0), 7, 2, 7);
  IS(tiny_one_hot(at, 3), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  INTS(row, 0, 1, 2, -1); INTS(column, 3, -1, 0, -4);
  list[0] = row; list[1] = column;
  IS(tiny_index(m, list, 2), 0, 6, 0, 0);                    // one of the two out of range is enough
  IS(tiny_index_put(m, list, 2, tiny_like(x, 9), 0), 1, 2, 3, 4, 5, 9);
  INTS(wide, -1, -128, -129, 127, 128, 199);
  tiny_tensor *narrow = tiny_cast(wide, TINY_I8), *large = tiny_cast(wide, TINY_I64);
  IS(tiny_take(floats(200), narrow), 200, 73, 128, 128, 73, 144);              // -1, -128, 127, 127, -128, -57
  IS(tiny_take(floats(200), large), 200, 73, 72, 128, 129, 200);
  const uint64_t far[3] = {0, UINT64_MAX, 2};
  IS(tiny_take(x, tiny_from(t, far, TINY_U64, TINY_SHAPE(3))), 1, 0, 3);
}

static void check_last_stays(void) {
  INTS(at, 1, 0, 1, 1, 0);
  tiny_tensor *x = floats(2), *src = floats(5), *in[2], *g[2];
  in[0] = x; in[1] = src;
  IS(tiny_scatter(x, 0, at, src), 5, 4);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(tiny_scatter(x, 0, at, src)), 0, 0), in, 2, g), TINY_OK);
  IS(g[0], 0, 0);
  IS(g[1], 0, 0, 0, 8, 10);
  tiny_tensor *prod = tiny_scatter_reduce(x, 0, at, tiny_sub(src, tiny_like(src, 1)), TINY_REDUCE_PROD, 1);   // zeros, once
  CHECK_EQ(tiny_grad(tiny_sum(prod, 0, 0), in, 2, g), TINY_OK);
  IS(g[0], 4, 0);
  IS(g[1], 12, 4, 0, 0, 1);
}

// Many sources in one call, many places: fast once the scheduler stores them one by one, right in any case.
static void check_many(void) {
  enum { N = 3000, M = 700 };
  static int32_t at[N]; static float src[N], got[M];
  static double sum[M]; static float last[M], most[M];
  for (int i = 0; i < M; i++) { last[i] = most[i] = (float)(i % 5); sum[i] = last[i]; }
  for (int i = 0; i < N; i++) {
    at[i] = (int32_t)((uint32_t)i * 2654435761u >> 8) % M; src[i] = (float)(i % 97);
    sum[at[i]] += src[i]; last[at[i]] = src[i];
    if (src[i] > most[at[i]]) most[at[i]] = src[i];
  }
  tiny_tensor *x = tiny_cast(tiny_remainder(tiny_arange(t, 0, M, 1, TINY_I32), tiny_scalar(t, 5, TINY_I32)), TINY_F32);
  tiny_tensor *index = tiny_from(t, at, TINY_I32, TINY_SHAPE(N)), *s = tiny_from(t, src, TINY_F32, TINY_SHAPE(N)), *y[3];
  int wrong = 0;
  y[0] = tiny_scatter_add(x, 0, index, s); y[1] = tiny_scatter(x, 0, index, s); y[2] = tiny_scatter_reduce(x, 0, index, s, TINY_REDUCE_AMAX, 1);
  for (int k = 0; k < 3; k++) {
    CHECK_EQ(tiny_read(y[k], got, sizeof got), TINY_OK);
    for (int i = 0; i < M; i++) wrong += got[i] != (k == 0 ? (float)sum[i] : k == 1 ? last[i] : most[i]);
  }
  CHECK_EQ(wrong, 0);
}

// Calls that compute a size: within frames, of what is not computed yet, and twice.
static void check_sizes(void) {
  static const unsigned char bits[8] = {1, 0, 0, 1, 1, 0, 1, 0};
  tiny_begin(t);
  tiny_tensor *mask = tiny_from(t, bits, TINY_BOOL, TINY_SHAPE(2, 4)), *x = tiny_reshape(tiny_square(floats(8)), TINY_SHAPE(2, 4)), *g;
  for (int twice = 0; twice < 2; twice++) {
    tiny_tensor *y = tiny_masked_select(x, mask);
    IS(y, 1, 16, 25, 49);
    IS(tiny_nonzero(mask), 0, 0, 0, 3, 1, 0, 1, 2);
  }
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(tiny_masked_select(x, mask)), 0, 0), &x, 1, &g), TINY_OK);
  IS(g, 2, 0, 0, 32, 50, 0, 98, 0);
  IS(tiny_masked_scatter(x, mask, floats(3)), 1, 4, 9, 2, 3, 36, 0, 64);       // the fourth has nothing left
  CHECK_EQ(tiny_end(t), TINY_OK);
  enum { N = 5000 };
  static int32_t got[N];
  tiny_tensor *third = tiny_eq(tiny_remainder(tiny_arange(t, 0, N, 1, TINY_I32), tiny_scalar(t, 3, TINY_I32)), tiny_scalar(t, 0, TINY_I32));
  tiny_tensor *at = tiny_nonzero(third);
  CHECK_EQ(tiny_nelem_of(at), (N + 2) / 3);
  CHECK_EQ(tiny_read(at, got, (N + 2) / 3 * 4), TINY_OK);
  int wrong = 0;
  for (int i = 0; i < (N + 2) / 3; i++) wrong += got[i] != 3 * i;
  CHECK_EQ(wrong, 0);
  tiny_shape s = tiny_shape_of(tiny_nonzero(tiny_full(t, 2, TINY_F32, TINY_SHAPE())));
  CHECK(s.ndim == 2 && s.dim[0] == 1 && s.dim[1] == 0);
}

// x[index] = v and x[index] += v, in place: an assignment of what index_put gives.
static void check_in_place(void) {
  INTS(at, 2, 0);
  tiny_tensor *x = tiny_contiguous(floats(4)), *list[1];
  list[0] = at;
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  tiny_assign(x, tiny_index_put(x, list, 1, tiny_like(x, 9), 0));
  IS(x, 9, 2, 9, 4);
  tiny_assign(x, tiny_index_put(x, list, 1, floats(2), 1));
  IS(x, 11, 2, 10, 4);
}

#define BAD(expr, error, message) do { \
  CHECK(!tiny_ok(expr)); CHECK_EQ(tiny_status(t), error); \
  if (strncmp(tiny_error(t), message, strlen(message)) != 0) printf("got: %s\n", tiny_error(t)); \
  CHECK(strncmp(tiny_error(t), message, strlen(message)) == 0); tiny_clear(t); } while (0)
static void check_errors(void) {
  INTS(at, 0, 1);
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 4)), *row = tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), *list[3];
  tiny_tensor *grid = tiny_zeros(t, TINY_I32, TINY_SHAPE(2, 4)), *mask = tiny_zeros(t, TINY_BOOL, TINY_SHAPE(3, 3));
  BAD(tiny_gather(x, 0, at), TINY_E_SHAPE, "gather: (3,4) by indices (2,)");
  BAD(tiny_gather(x, 1, tiny_zeros(t, TINY_I32, TINY_SHAPE(4, 1))), TINY_E_SHAPE, "gather: (3,4) by indices (4,1)");
  BAD(tiny_gather(x, 0, x), TINY_E_DTYPE, "gather: indices are integers, not f32");
  BAD(tiny_take_along_axis(x, 0, tiny_zeros(t, TINY_I32, TINY_SHAPE(2, 3))), TINY_E_SHAPE, "take_along_axis: (3,4) by indices (2,3)");
  BAD(tiny_scatter(x, 0, grid, row), TINY_E_SHAPE, "scatter: indices (2,4) of values (2,)");
  BAD(tiny_scatter(x, 0, grid, tiny_zeros(t, TINY_F32, TINY_SHAPE(1, 4))), TINY_E_SHAPE, "scatter: indices (2,4) of values (1,4)");
  BAD(tiny_scatter_reduce(x, 0, grid, x, (tiny_reduce_op)9, 1), TINY_E_ARG, "scatter_reduce: mode is 9, not one of tiny_reduce_op");
  BAD(tiny_scatter_reduce(tiny_lt(x, x), 0, grid, x, TINY_REDUCE_MEAN, 1), TINY_E_DTYPE, "scatter_reduce: takes numbers, not bool");
  BAD(tiny_index_add(x, 0, at, row), TINY_E_SHAPE, "index_add: (3,4) by indices (2,) of values (2,)");
  BAD(tiny_index_select(x, 5, at), TINY_E_ARG, "index_select: axis 5 is out of range for (3,4)");
  BAD(tiny_put(x, at, tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 0), TINY_E_SHAPE, "put: indices (2,) of values (3,)");
  BAD(tiny_masked_fill(x, x, 1), TINY_E_DTYPE, "masked_fill: the mask is f32, not bool");
  BAD(tiny_masked_fill(x, mask, 1), TINY_E_SHAPE, "masked_fill: (3,4) and (3,3) do not broadcast");
  BAD(tiny_masked_scatter(row, mask, x), TINY_E_SHAPE, "masked_scatter: mask (3,3) of (2,)");
  list[0] = list[1] = list[2] = at;
  BAD(tiny_index(x, list, 3), TINY_E_ARG, "index: 3 indices for (3,4)");
  list[1] = tiny_zeros(t, TINY_I32, TINY_SHAPE(3));
  BAD(tiny_index(x, list, 2), TINY_E_SHAPE, "index: indices (2,) and (3,) do not broadcast");
  list[0] = mask;
  BAD(tiny_index(x, list, 1), TINY_E_SHAPE, "index: (3,4) by mask (3,3) as number 0");
  list[0] = x;
  BAD(tiny_index(x, list, 1), TINY_E_DTYPE, "index: indices are integers, not f32");
  list[0] = at;
  BAD(tiny_index_put(x, list, 1, tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 0), TINY_E_SHAPE, "index_put: values (3,) at (2,4)");
  BAD(tiny_bincount(tiny_neg(tiny_ones(t, TINY_I32, TINY_SHAPE(2))), NULL, 0), TINY_E_ARG, "bincount: there is an element -1");
  BAD(tiny_bincount(at, tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 0), TINY_E_SHAPE, "bincount: (2,) with weights (3,)");
  BAD(tiny_histc(x, 0, 0, 1), TINY_E_ARG, "histc: 0 bins from 0 to 1");
}

int main(void) {
  t = tiny_open(NULL);
  check_out_of_range();
  check_last_stays();
  check_many();
  check_sizes();
  check_in_place();
  check_errors();
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
  return test_report();
}
