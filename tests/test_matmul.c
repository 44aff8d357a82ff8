// matmul: shapes around the borders of tiles, panels and blocks, against sums written out here. The numbers are small and
// whole, so that every order of adding gives the same bits; with others, 1 and 2 threads must give the same bits.
#include "../src/all.c"
#include "test.h"

typedef struct product { int m, k, n, ta, tb, batch; } product;

static tiny_ctx *open_with(int threads) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.threads = threads;
  return tiny_open(&d);
}

static int whole(int64_t i) { return (int)(i * 7 % 11) - 5; }

static tiny_tensor *numbers(tiny_ctx *t, tiny_shape s, tiny_dtype dtype, double scale) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  double *data = (double *)malloc((size_t)n * sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = whole(i) * scale;
  tiny_tensor *x = tiny_cast(tiny_from(t, data, TINY_F64, s), dtype);
  free(data);
  return x;
}
static tiny_tensor *operand(tiny_ctx *t, const product *p, int second, tiny_dtype dtype, double scale) {
  const int rows = second ? p->k : p->m, columns = second ? p->n : p->k, turned = second ? p->tb : p->ta;
  tiny_tensor *x = numbers(t, TINY_SHAPE(p->batch, turned ? columns : rows, turned ? rows : columns), dtype, scale);
  tiny_realize(&x, 1);
  return turned ? tiny_transpose(x, 1, 2) : x;
}
static tiny_tensor *product_of(tiny_ctx *t, const product *p, tiny_dtype dtype, double scale) {
  return tiny_matmul(operand(t, p, 0, dtype, scale), operand(t, p, 1, dtype, scale));
}

static double element(const product *p, int b, int m, int n) {
  double sum = 0;
  for (int k = 0; k < p->k; k++) {
    const int64_t x = p->ta ? ((int64_t)b * p->k + k) * p->m + m : ((int64_t)b * p->m + m) * p->k + k;
    const int64_t y = p->tb ? ((int64_t)b * p->n + n) * p->k + k : ((int64_t)b * p->k + k) * p->n + n;
    sum += whole(x) * whole(y);
  }
  return sum;
}

static void check_product(tiny_ctx *t, const product *p, tiny_dtype dtype, double epilogue) {
  const int64_t n = (int64_t)p->batch * p->m * p->n;
  double *got = (double *)malloc((size_t)n * sizeof *got);
  int bad = 0;
  tiny_begin(t);
  tiny_tensor *y = product_of(t, p, dtype, 1);
  if (epilogue != 0) y = tiny_relu(tiny_add(y, tiny_full(t, epilogue, dtype, TINY_SHAPE(1))));
  CHECK_EQ(tiny_read(tiny_cast(y, TINY_F64), got, (size_t)n * sizeof *got), TINY_OK);
  for (int64_t i = 0; i < n; i++) {
    double want = element(p, (int)(i / p->n / p->m), (int)(i / p->n % p->m), (int)(i % p->n)) + epilogue;
    if (epilogue != 0 && want < 0) want = 0;
    bad += want != got[i];
  }
  CHECK_EQ(bad, 0);
  if (bad) fprintf(stderr, "  %d of %dx%dx%d%s%s x %d in %s\n", bad, p->m, p->k, p->n, p->ta ? " a" : "", p->tb ? " b" : "",
                   p->batch, tn_dtypes[dtype].name);
  tiny_end(t);
  free(got);
}

static const product shapes[] = {
  {1, 1, 1, 0, 0, 1}, {1, 64, 1, 0, 0, 1}, {1, 70, 130, 0, 0, 1}, {130, 70, 1, 0, 0, 1}, {24, 64, 64, 0, 0, 1}, {23, 65, 63, 0, 0, 1},
  {25, 63, 65, 0, 0, 1}, {29, 67, 127, 0, 0, 1}, {31, 33, 35, 0, 0, 7}, {61, 129, 131, 0, 0, 1}, {61, 129, 131, 1, 0, 1},
  {61, 129, 131, 0, 1, 1}, {61, 129, 131, 1, 1, 1}, {97, 96, 64, 0, 0, 2}, {100, 3, 100, 0, 0, 1}, {16, 300, 16, 0, 0, 1},
  {26, 2050, 130, 0, 0, 1},                                // more than a panel, and what is left over
  {103, 4099, 67, 0, 0, 1}, {26, 2050, 130, 1, 1, 1}, {26, 2050, 130, 0, 1, 2}
};

static void test_shapes(void) {
  static const tiny_dtype dtypes[] = {TINY_F32, TINY_F64, TINY_I32};
  tiny_ctx *t = open_with(2);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) check_product(t, &shapes[i], dtypes[d], d == 0 && i % 2 ? 3 : 0);
  tiny_close(t);
}

// Numbers whose sums depend on the order.
static void test_threads(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const product *p = &shapes[i];
    const size_t nbytes = (size_t)p->batch * (size_t)p->m * (size_t)p->n * 4;
    float *out[2];
    for (int j = 0; j < 2; j++) {
      tiny_ctx *t = open_with(j + 1);
      out[j] = (float *)malloc(nbytes);
      CHECK_EQ(tiny_read(product_of(t, p, TINY_F32, 0.1), out[j], nbytes), TINY_OK);
      tiny_close(t);
    }
    CHECK(!memcmp(out[0], out[1], nbytes));
    free(out[0]); free(out[1]);
  }
}

int main(void) {
  test_shapes();
  test_threads();
  return test_report();
}
