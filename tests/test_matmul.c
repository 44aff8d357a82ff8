// brief: asan llvm
// also: llvm outside levels
// matmul: shapes around the borders of tiles, panels and blocks, against sums written out here. The numbers are small and
// whole, so that every order of adding gives the same bits; with others, 1 and 2 threads must give the same bits.
// also: golden
#include "../src/all.c"
#include "test.h"
#include "golden.h"

typedef struct product { int m, k, n, ta, tb, batch; } product;

static const char *device = "CPU";
static tiny_ctx *open_with(int threads) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.threads = threads;
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
    if (tn_is_float(dtype)) want = tn_dtype_round(dtype, want);
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
  {103, 4099, 67, 0, 0, 1}, {26, 2050, 130, 1, 1, 1}, {26, 2050, 130, 0, 1, 2}, {61, 128, 131, 0, 1, 1},
  {29, 2064, 130, 1, 1, 2},                                // panels through squares
  {257, 4096, 200, 0, 0, 1}, {61, 8192, 131, 0, 0, 2}      // rows whole pages apart, in blocks that are packed
};

static void test_shapes(void) {
  static const tiny_dtype dtypes[] = {TINY_F32, TINY_F64, TINY_I32, TINY_F16};
  tiny_ctx *t = open_with(2);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += test_step())
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) check_product(t, &shapes[i], dtypes[d], d == 0 && i % 2 ? 3 : 0);
  tiny_close(t);
}

// Numbers whose sums depend on the order.
static void test_threads(void) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += test_step()) {
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

// Much that comes after the sums: a bias, gelu and a residual, over tiles, panels, blocks of the reduction.
static void test_epilogues(void) {
  static const product after[] = {
    {64, 256, 64, 0, 1, 1}, {61, 129, 131, 0, 0, 1}, {29, 67, 127, 0, 1, 2}, {26, 2051, 67, 0, 0, 1}, {3, 70, 5, 0, 0, 1}, {1, 33, 40, 0, 1, 1}
  };
  static float got[61 * 131], want[61 * 131];
  tiny_ctx *t = open_with(2);
  for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
    const product *p = &after[i];
    const size_t n = (size_t)p->batch * (size_t)p->m * (size_t)p->n;
    int bad = 0;
    tiny_begin(t);
    tiny_tensor *x = tiny_add(product_of(t, p, TINY_F32, 0.125), numbers(t, TINY_SHAPE(p->n), TINY_F32, 0.5));
    x = tiny_add(tiny_gelu(x), numbers(t, TINY_SHAPE(p->batch, p->m, p->n), TINY_F32, 0.25));
    CHECK_EQ(tiny_reference(x, want, n * sizeof *want), TINY_OK);
    CHECK_EQ(tiny_read(x, got, n * sizeof *got), TINY_OK);
    for (size_t j = 0; j < n; j++) bad += !(fabs((double)got[j] - (double)want[j]) <= 1e-5 * (1 + fabs((double)want[j])));
    CHECK_EQ(bad, 0);
    if (bad) fprintf(stderr, "  %d of %dx%dx%d\n", bad, p->m, p->k, p->n);
    tiny_end(t);
  }
  tiny_close(t);
}

// ** narrow operands, whose products a processor may add by twos or fours **

static int byte(int64_t i, tiny_dtype dtype) {
  if (dtype == TINY_I16) return (int)(i * 21333 % 65536) - 32768;
  return (int)(i * 37 % 256) - (dtype == TINY_I8 ? 128 : 0);
}

static tiny_tensor *bytes(tiny_ctx *t, tiny_shape s, tiny_dtype dtype) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  const size_t each = dtype == TINY_I16 ? 2 : 1;
  uint8_t *data = (uint8_t *)malloc((size_t)n * each);
  for (int64_t i = 0; i < n; i++) tn_dtype_store(dtype, data + (size_t)i * each, byte(i, dtype));
  tiny_tensor *x = tiny_from(t, data, dtype, s);
  free(data);
  return x;
}
// Sums of products in i32 are exact, and wrap.
static void check_bytes(tiny_ctx *t, const product *p, tiny_dtype dx, tiny_dtype dy) {
  const size_t n = (size_t)p->m * (size_t)p->n;
  int32_t *got = (int32_t *)malloc(n * sizeof *got);
  int bad = 0;
  tiny_begin(t);
  tiny_tensor *x = bytes(t, TINY_SHAPE(p->ta ? p->k : p->m, p->ta ? p->m : p->k), dx),
              *y = bytes(t, TINY_SHAPE(p->tb ? p->n : p->k, p->tb ? p->k : p->n), dy);
  if (p->ta) x = tiny_transpose(x, 0, 1);
  if (p->tb) y = tiny_transpose(y, 0, 1);
  CHECK_EQ(tiny_read(tiny_matmul(tiny_cast(x, TINY_I32), tiny_cast(y, TINY_I32)), got, n * sizeof *got), TINY_OK);
  for (size_t i = 0; i < n; i++) {
    const int64_t row = (int64_t)i / p->n, column = (int64_t)i % p->n;
    uint32_t sum = 0;
    for (int64_t k = 0; k < p->k; k++)
      sum += (uint32_t)byte(p->ta ? k * p->m + row : row * p->k + k, dx) *
             (uint32_t)byte(p->tb ? column * p->k + k : k * p->n + column, dy);
    bad += sum != (uint32_t)got[i];
  }
  CHECK_EQ(bad, 0);
  if (bad) fprintf(stderr, "  %d of %dx%dx%d%s%s in %s and %s\n", bad, p->m, p->k, p->n, p->ta ? " a" : "", p->tb ? " b" : "",
                   tn_dtypes[dx].name, tn_dtypes[dy].name);
  tiny_end(t);
  free(got);
}

static void test_narrow(void) {
  static const product narrow[] = {
    {24, 256, 64, 0, 0, 1}, {29, 260, 127, 0, 0, 1}, {61, 516, 131, 0, 0, 1}, {61, 516, 131, 1, 0, 1}, {61, 516, 131, 0, 1, 1},
    {61, 516, 131, 1, 1, 1}, {61, 517, 131, 0, 0, 1}, {26, 8204, 130, 0, 0, 1}, {3, 256, 5, 0, 0, 1},
    {61, 192, 131, 0, 0, 1}, {61, 192, 131, 0, 1, 1}, {61, 4096, 67, 0, 0, 1}   // words of rows by whole vectors
  };
  static const tiny_dtype pairs[][2] = {
    {TINY_U8, TINY_I8}, {TINY_I8, TINY_U8}, {TINY_I8, TINY_I8}, {TINY_U8, TINY_U8}, {TINY_I16, TINY_I16}, {TINY_I16, TINY_U8}
  };
  static float got[61 * 131], want[61 * 131];
  tiny_ctx *t = open_with(2);
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i += test_step()) {
    for (size_t d = 0; d < sizeof pairs / sizeof *pairs; d++) check_bytes(t, &narrow[i], pairs[d][0], pairs[d][1]);
    check_product(t, &narrow[i], TINY_BF16, 0);
    check_product(t, &narrow[i], TINY_F16, 0);
  }
  // Products of halves are exact in f32; the order of additions is the processor's, and so is how it rounds them.
  const product p = {61, 516, 131, 0, 0, 1};
  tiny_tensor *x = tiny_cast(operand(t, &p, 0, TINY_BF16, 0.1), TINY_F32), *y = tiny_cast(operand(t, &p, 1, TINY_BF16, 0.1), TINY_F32);
  tiny_tensor *z = tiny_matmul(x, y);
  CHECK_EQ(tiny_reference(z, want, sizeof want), TINY_OK);
  CHECK_EQ(tiny_read(z, got, sizeof got), TINY_OK);
  for (size_t i = 0; i < sizeof got / sizeof *got; i++) CHECK(fabs((double)got[i] - (double)want[i]) <= 1e-4);
  tiny_close(t);
}

// The same where nothing is wider than AVX2: bytes are widened, and multiplied in pairs.
static void test_narrow_avx2(void) {
  tn_os_cpu facts = tn_os_cpu_get();
  const int there = tn_os_cpu_as(&facts, "avx2");
  device = "CPU:avx2";
  tiny_ctx *t = open_with(2);
  CHECK_EQ(tiny_status(t), there ? TINY_OK : TINY_E_DEVICE);
  tiny_close(t);
  if (there) test_narrow();
  device = "CPU";
}

// What a DOT means: 200 * -3 + 2 * 127 + 0 * -128 + 255 * 1, the same bytes with all signs and with none, 1.5 * -2 +
// 3 * 0.5, and -32768 * -32768 * 2, which wraps.
static void test_words(void) {
  const int64_t bytes[3] = {0xFF0002C8, 0x01807FFD, 1000}, halves[3] = {0x40403FC0, 0x3F00C000, tn_from_f64(10)};
  const int64_t shorts[2][3] = {{0xFFFE0003, 0x00057FFF, 7}, {0x80008000, 0x80008000, -1}};
  CHECK_EQ(tn_alu(TINY_OP_DOT, TINY_I32, TINY_U32, TINY_DOT_I16, shorts[0], 3), 7 - 2 * 5 + 3 * 32767);
  CHECK_EQ(tn_alu(TINY_OP_DOT, TINY_I32, TINY_U32, TINY_DOT_I16, shorts[1], 3), INT32_MAX);
  CHECK_EQ(tn_alu(TINY_OP_DOT, TINY_I32, TINY_U32, TINY_DOT_U8_I8, bytes, 3), 1000 - 600 + 254 + 255);
  CHECK_EQ(tn_alu(TINY_OP_DOT, TINY_I32, TINY_U32, TINY_DOT_I8, bytes, 3), 1000 + 168 + 254 - 1);
  CHECK_EQ(tn_alu(TINY_OP_DOT, TINY_I32, TINY_U32, TINY_DOT_U8, bytes, 3), 1000 + 50600 + 254 + 255);
  CHECK(tn_to_f64(tn_alu(TINY_OP_DOT, TINY_F32, TINY_U32, TINY_DOT_BF16, halves, 3)) == 10 - 3 + 1.5);
}

// How often the source of a product's kernel holds a text, on a machine with 32-byte vectors.
static int times_in_source(const product *p, tiny_dtype dtype, const char *text) {
  golden log = {NULL, 0, 0};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = ""; d.debug = "c"; d.log.fn = golden_line; d.log.user = &log;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = product_of(t, p, dtype, 1);
  int n = 0;
  golden_line(&log, "");                 // text is there, even if nothing is said
  log.n = 0;
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  for (const char *at = log.text; (at = strstr(at, text)) != NULL; at++) n++;
  tiny_close(t);
  golden_free(&log);
  return n;
}
// Arrays that it keeps beside its registers: on the stack, and brought by the launch.
static int arrays_of(const product *p, tiny_dtype dtype) {
  return times_in_source(p, dtype, "] __attribute__") + times_in_source(p, dtype, "*)(local + ");
}

// What is converted is packed, of both operands; so are rows that are whole pages apart, where sums go in rounds.
static void test_packs(void) {
  static const product square = {256, 256, 256, 0, 0, 1}, pages = {64, 16384, 64, 0, 0, 1}, others = {64, 16400, 64, 0, 0, 1};
  CHECK_EQ(arrays_of(&square, TINY_F32), 1);
  CHECK_EQ(arrays_of(&square, TINY_F16), 2);
  CHECK_EQ(arrays_of(&square, TINY_BF16), 2);
  CHECK_EQ(arrays_of(&others, TINY_F32), 2);
  CHECK_EQ(arrays_of(&pages, TINY_F32), 3);
}

// A panel of columns that lie together is packed through squares: of 8 x 8 in f32, three shuffles for each row.
static void test_squares(void) {
  static const product straight = {256, 256, 256, 0, 0, 1}, turned = {256, 256, 256, 0, 1, 1}, odd = {256, 257, 256, 0, 1, 1};
  CHECK_EQ(times_in_source(&straight, TINY_F32, "SHUFFLE(i32x8,"), 0);
  CHECK_EQ(times_in_source(&turned, TINY_F32, "SHUFFLE(i32x8,"), 24);
  CHECK_EQ(times_in_source(&turned, TINY_F64, "SHUFFLE(i64x4,"), 8);
  CHECK_EQ(times_in_source(&odd, TINY_F32, "SHUFFLE(i32x8,"), 0);
}

int main(void) {
  test_packs();
  test_squares();
  test_words();
  test_shapes();
  test_epilogues();
  test_narrow();
  test_narrow_avx2();
  test_threads();
  return test_report();
}
