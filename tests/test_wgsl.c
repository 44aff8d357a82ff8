// also: golden
// test_wgsl: kernels of all kinds in WGSL: golden text; a file each in the folder that $TEST_WGSL names, if any, which
// test_wgsl.sh has validated; what WGSL cannot hold is an error that says so.
#include "../src/all.c"
#include "test.h"
#include "golden.h"

static tiny_tensor *input(tiny_ctx *t, tiny_dtype dtype, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  int32_t *data = (int32_t *)calloc((size_t)n, sizeof *data);
  tiny_tensor *x = tiny_from(t, data, dtype, s);
  free(data);
  return x;
}
static tiny_tensor *floats(tiny_ctx *t, tiny_shape s) { return input(t, TINY_F32, s); }
static tiny_tensor *ints(tiny_ctx *t, tiny_shape s) { return input(t, TINY_I32, s); }
static tiny_tensor *number(tiny_ctx *t, double x) { return tiny_full(t, x, TINY_I32, TINY_SHAPE(1)); }

static tiny_tensor *elementwise(tiny_ctx *t) { return tiny_relu(tiny_add(floats(t, TINY_SHAPE(10, 12)), floats(t, TINY_SHAPE(12)))); }
static tiny_tensor *padded(tiny_ctx *t) { return tiny_pad(floats(t, TINY_SHAPE(10, 12)), TINY_SHAPE(1, 2, 0, 4), -1); }
static tiny_tensor *functions(tiny_ctx *t) {
  tiny_tensor *x = floats(t, TINY_SHAPE(100));
  return tiny_add(tiny_add(tiny_exp(x), tiny_log(x)), tiny_add(tiny_sin(x), tiny_add(tiny_sqrt(x), tiny_trunc(x))));
}
static tiny_tensor *chosen(tiny_ctx *t) {
  tiny_tensor *x = floats(t, TINY_SHAPE(7, 9)), *y = floats(t, TINY_SHAPE(7, 9));
  return tiny_where(tiny_bitwise_xor(tiny_lt(x, y), tiny_isnan(x)), x, tiny_neg(y));
}
static tiny_tensor *integers(tiny_ctx *t) {
  tiny_tensor *x = ints(t, TINY_SHAPE(65)), *y = ints(t, TINY_SHAPE(65));
  return tiny_add(tiny_add(tiny_floor_div(x, y), tiny_remainder(x, number(t, 7))), tiny_sub(tiny_bitwise_and(x, y), tiny_mul(x, tiny_neg(y))));
}
static tiny_tensor *shifts(tiny_ctx *t) { return tiny_add(tiny_shift_left(ints(t, TINY_SHAPE(33)), ints(t, TINY_SHAPE(33))), tiny_shift_right(ints(t, TINY_SHAPE(33)), number(t, 3))); }
static tiny_tensor *least(tiny_ctx *t) { return tiny_amax(ints(t, TINY_SHAPE(4, 300)), 1, 0); }
static tiny_tensor *casts(tiny_ctx *t) { return tiny_cast(tiny_mul(tiny_cast(ints(t, TINY_SHAPE(31)), TINY_F32), floats(t, TINY_SHAPE(31))), TINY_I32); }
static tiny_tensor *sum(tiny_ctx *t) { return tiny_sum(floats(t, TINY_SHAPE(6, 480)), 1, 0); }
static tiny_tensor *sum_of_all(tiny_ctx *t) { return tiny_sum(floats(t, TINY_SHAPE(4096)), 0, 0); }
static tiny_tensor *largest(tiny_ctx *t) { return tiny_amax(floats(t, TINY_SHAPE(5, 70)), 1, 0); }
static tiny_tensor *matmul(tiny_ctx *t) { return tiny_relu(tiny_add(tiny_matmul(floats(t, TINY_SHAPE(64, 32)), floats(t, TINY_SHAPE(32, 64))), floats(t, TINY_SHAPE(64)))); }
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(floats(t, TINY_SHAPE(12, 200)), -1); }
static tiny_tensor *layer_norm(tiny_ctx *t) { return tiny_layer_norm(floats(t, TINY_SHAPE(12, 96)), 1, NULL, NULL, 1e-5); }
static tiny_tensor *named(tiny_ctx *t) { return tiny_embedding(ints(t, TINY_SHAPE(40)), floats(t, TINY_SHAPE(24, 48)), -1); }
static tiny_tensor *convolution(tiny_ctx *t) { return tiny_conv2d(floats(t, TINY_SHAPE(1, 4, 12, 12)), floats(t, TINY_SHAPE(8, 4, 3, 3)), NULL, NULL); }
static tiny_tensor *random_numbers(tiny_ctx *t) { return tiny_rand(t, TINY_SHAPE(50)); }
static tiny_tensor *running(tiny_ctx *t) { return tiny_cumsum(floats(t, TINY_SHAPE(3, 40)), 1); }

static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); } subjects[] = {
  {"elementwise", elementwise}, {"padded", padded}, {"functions", functions}, {"chosen", chosen}, {"integers", integers},
  {"shifts", shifts}, {"least", least}, {"casts", casts}, {"sum", sum}, {"sum_of_all", sum_of_all}, {"largest", largest},
  {"matmul", matmul}, {"softmax", softmax}, {"layer_norm", layer_norm}, {"named", named}, {"convolution", convolution},
  {"random", random_numbers}, {"running", running}
};

// Writes the modules of a log, each of which begins with the prelude, to a folder, if there is one. Their number.
static int write_modules(const golden *log, const char *name, const char *folder) {
  static const char first[] = "fn infinity()";
  int n = 0;
  for (const char *at = log->text ? strstr(log->text, first) : NULL, *next; at; at = next, n++) {
    char path[256];
    next = strstr(at + 1, first);
    if (!folder) continue;
    snprintf(path, sizeof path, "%s/%s_%d.wgsl", folder, name, n);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (!f) return n;
    fwrite(at, 1, next ? (size_t)(next - at) : strlen(at), f);
    fclose(f);
  }
  return n;
}

static void test_text(void) {
  golden log = {NULL, 0, 0}, out = {NULL, 0, 0};
  tiny_ctx *t = golden_open("NULL:WGSL", &log, "c");
  CHECK(t && !strcmp(tiny_device_name(t, 0), "NULL:WGSL"));
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    golden_realize(&log, &out, "// ", subjects[i].name, subjects[i].make(t));
    if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", subjects[i].name, tiny_error(t));
    tiny_clear(t);
    CHECK(write_modules(&log, subjects[i].name, getenv("TEST_WGSL")) > 0);
    golden_add(&log, &out);
  }
  golden_check(&out, "kernels.wgsl");
  golden_free(&out);
  tiny_close(t);
  golden_free(&log);
}

// What it has not.
static void refuse(tiny_ctx *t, tiny_tensor *x, const char *what) {
  CHECK_EQ(tiny_realize(&x, 1), TINY_E_COMPILE);
  CHECK(strstr(tiny_error(t), what) != NULL);
  if (!strstr(tiny_error(t), what)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_clear(t);
}
static void test_refused(void) {
  tiny_ctx *t = golden_open("NULL:WGSL", NULL, "");
  refuse(t, tiny_add(input(t, TINY_F32, TINY_SHAPE(4)), tiny_cast(input(t, TINY_F32, TINY_SHAPE(4)), TINY_F64)), "WGSL has no f64");
  refuse(t, tiny_mul(tiny_cast(ints(t, TINY_SHAPE(5)), TINY_I64), tiny_cast(ints(t, TINY_SHAPE(5)), TINY_I64)), "WGSL has no i64");
  refuse(t, tiny_lt(floats(t, TINY_SHAPE(6)), floats(t, TINY_SHAPE(6))), "WGSL has no u8");
  tiny_tensor *x = input(t, TINY_F32, TINY_SHAPE(4)), *y = input(t, TINY_F32, TINY_SHAPE(4));                    // which want no f64
  tiny_tensor *all[] = {tiny_fmod(x, y), tiny_remainder(x, y), tiny_remainder_scalar(x, 0.3), tiny_floor_div(x, y)};
  CHECK_EQ(tiny_realize(all, 4), TINY_OK);
  tiny_close(t);
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL:COBOL"; d.cache_dir = "";
  t = tiny_open(&d);
  CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
  CHECK(strstr(tiny_error(t), "NULL:WGSL") != NULL);
  tiny_close(t);
}

int main(void) {
  test_text();
  test_refused();
  return test_report();
}
