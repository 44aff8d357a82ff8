// also: golden
// test_llvm: the backend LLVM beside CPU: the same values as the interpreter has, by text that is IR, from the disk when it is
// asked for again; golden text for a machine with 32-byte vectors. make llvm runs the other tests so.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp
#include "../src/all.c"
#include "test.h"
#include "golden.h"
#include "folder_test.h"

static float noise[1 << 16];
static tiny_tensor *floats(tiny_ctx *t, tiny_shape s) { return tiny_from(t, noise, TINY_F32, s); }
static tiny_tensor *as(tiny_ctx *t, tiny_tensor *x, tiny_dtype d) { return tiny_cast(tiny_mul(x, tiny_full(t, 100, TINY_F32, TINY_SHAPE(1))), d); }

static tiny_tensor *elementwise(tiny_ctx *t) { return tiny_add(tiny_pad(floats(t, TINY_SHAPE(10, 12)), TINY_SHAPE(1, 1, 0, 4), 0), floats(t, TINY_SHAPE(16))); }
static tiny_tensor *functions(tiny_ctx *t) { return tiny_add(tiny_exp(floats(t, TINY_SHAPE(1000))), tiny_trunc(tiny_sqrt(tiny_abs(floats(t, TINY_SHAPE(1000)))))); }
static tiny_tensor *integers(tiny_ctx *t) {
  tiny_tensor *x = as(t, floats(t, TINY_SHAPE(70)), TINY_I16), *y = as(t, floats(t, TINY_SHAPE(70)), TINY_I16);
  return tiny_add(tiny_floor_div(x, tiny_bitwise_xor(y, tiny_full(t, 5, TINY_I16, TINY_SHAPE(1)))), tiny_shift_right(y, tiny_full(t, 2, TINY_I16, TINY_SHAPE(1))));
}
static tiny_tensor *compared(tiny_ctx *t) { return tiny_logical_xor(tiny_lt(floats(t, TINY_SHAPE(65)), tiny_flip(floats(t, TINY_SHAPE(65)), TINY_SHAPE(0))), tiny_isnan(floats(t, TINY_SHAPE(65)))); }
static tiny_tensor *halves(tiny_ctx *t) { return tiny_mul(as(t, floats(t, TINY_SHAPE(33)), TINY_BF16), as(t, floats(t, TINY_SHAPE(33)), TINY_BF16)); }
static tiny_tensor *bytes(tiny_ctx *t) { return tiny_sum(tiny_cast(as(t, floats(t, TINY_SHAPE(9, 300)), TINY_I8), TINY_I32), 1, 0); }
static tiny_tensor *matmul(tiny_ctx *t) { return tiny_relu(tiny_matmul(floats(t, TINY_SHAPE(40, 48)), floats(t, TINY_SHAPE(48, 56)))); }
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(floats(t, TINY_SHAPE(7, 200)), -1); }
static tiny_tensor *named(tiny_ctx *t) { return tiny_embedding(tiny_remainder(as(t, floats(t, TINY_SHAPE(40)), TINY_I32), tiny_full(t, 24, TINY_I32, TINY_SHAPE(1))), floats(t, TINY_SHAPE(24, 48)), -1); }
static tiny_tensor *gathered(tiny_ctx *t) { return tiny_take(floats(t, TINY_SHAPE(24)), tiny_remainder(as(t, floats(t, TINY_SHAPE(64)), TINY_I32), tiny_full(t, 24, TINY_I32, TINY_SHAPE(1)))); }
static tiny_tensor *turned(tiny_ctx *t) { return tiny_contiguous(tiny_transpose(floats(t, TINY_SHAPE(32, 48)), 0, 1)); }
static tiny_tensor *convolution(tiny_ctx *t) { return tiny_conv2d(floats(t, TINY_SHAPE(1, 16, 12, 12)), floats(t, TINY_SHAPE(32, 16, 3, 3)), NULL, NULL); }
static tiny_tensor *running(tiny_ctx *t) { return tiny_cumsum(floats(t, TINY_SHAPE(3, 40)), 1); }
static tiny_tensor *streamed(tiny_ctx *t) { return tiny_contiguous(tiny_expand(floats(t, TINY_SHAPE(1, 8192)), TINY_SHAPE(1024, 8192))); }

enum { GOLDEN = 1 };
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); int golden; double tolerance; } subjects[] = {
  {"elementwise", elementwise, GOLDEN, 0}, {"functions", functions, 0, 1e-4}, {"integers", integers, GOLDEN, 0}, {"compared", compared, 0, 0},
  {"halves", halves, 0, 0}, {"bytes", bytes, GOLDEN, 0}, {"matmul", matmul, GOLDEN, 1e-3}, {"softmax", softmax, 0, 1e-5}, {"named", named, GOLDEN, 0},
  {"gathered", gathered, 0, 0}, {"turned", turned, GOLDEN, 0}, {"convolution", convolution, 0, 1e-3}, {"running", running, GOLDEN, 1e-4}, {"streamed", streamed, GOLDEN, 0}
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static tiny_ctx *opened(const char *device, const char *cache, golden *log, const char *debug) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = cache; d.debug = debug; d.threads = 2;
  if (log) { d.log.fn = golden_line; d.log.user = log; }
  return tiny_open(&d);
}

// A float value of any dtype, 4 bytes each.
static tiny_tensor *seen(tiny_tensor *x) { return tiny_cast(x, TINY_F32); }

static void test_values(const char *cache, int again) {
  static float want[1 << 23], got[1 << 23];
  tiny_ctx *t = opened("LLVM", cache, NULL, "");
  CHECK(t && !strcmp(tiny_device_name(t, 0), "LLVM"));
  for (int i = 0; i < SUBJECTS; i++) {
    tiny_begin(t);
    tiny_tensor *x = seen(subjects[i].make(t));
    const size_t nbytes = (size_t)tiny_nelem_of(x) * 4;
    CHECK_EQ(tiny_read(x, got, nbytes), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", subjects[i].name, tiny_error(t));
    CHECK_EQ(tiny_reference(x, want, nbytes), TINY_OK);
    int same = 1;
    for (size_t j = 0; j < nbytes / 4; j++) same &= !memcmp(&want[j], &got[j], 4) || fabs((double)want[j] - (double)got[j]) <= subjects[i].tolerance * (1 + fabs((double)want[j]));
    CHECK(same);
    if (!same) fprintf(stderr, "  %s: other values\n", subjects[i].name);
    tiny_clear(t);
    tiny_end(t);
  }
  const tiny_stats s = tiny_stats_of(t);
  CHECK(again ? s.compiled == 0 && s.cache_hits > 0 : s.compiled > 0 && s.cache_hits == 0);
  tiny_close(t);
}

static void test_text(void) {
  golden log = {NULL, 0, 0}, out = {NULL, 0, 0};
  tiny_ctx *t = opened("NULL:LLVM", "", &log, "c");
  for (int i = 0; i < SUBJECTS; i++) if (subjects[i].golden) {
    golden_realize(&log, &out, "; ", subjects[i].name, subjects[i].make(t));
    golden_add(&log, &out);
  }
  golden_check(&out, "kernels.ll");
  golden_free(&out);
  tiny_close(t);
  golden_free(&log);
}

// Source of one's own is IR.
static void test_own(void) {
  static const char source[] = "define void @twice(ptr %mem, ptr %args, i64 %task, ptr %local) {\n"
      "  %from.at = getelementptr ptr, ptr %mem, i64 1\n  %to = load ptr, ptr %mem\n  %from = load ptr, ptr %from.at\n"
      "  %x.at = getelementptr float, ptr %from, i64 %task\n  %x = load float, ptr %x.at\n  %y = fadd float %x, %x\n"
      "  %y.at = getelementptr float, ptr %to, i64 %task\n  store float %y, ptr %y.at\n  ret void\n}\n";
  float out[10];
  tiny_ctx *t = opened("LLVM", "", NULL, "");
  tiny_tensor *x = floats(t, TINY_SHAPE(10));
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.name = "twice"; d.source = source; d.inputs = &x; d.n = 1; d.shape = TINY_SHAPE(10); d.dtype = TINY_F32; d.global[0] = 10;
  CHECK_EQ(tiny_read(tiny_kernel(t, &d), out, sizeof out), TINY_OK);
  for (int i = 0; i < 10; i++) CHECK(out[i] == 2 * noise[i]);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}

// 1: a compiler that takes IR is here.
static int has_compiler(void) {
  tiny_ctx *t = opened("LLVM", "", NULL, "");
  tn_compiler_identify(t->device[0]->programs);
  const int has = tn_cpu_has_compiler(t->device[0]->dev);
  tiny_close(t);
  return has;
}

int main(void) {
  for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) noise[i] = (float)((int)(i * 7919 % 2003) - 1001) / 500;
  test_text();
  if (!has_compiler()) { printf("left out: values, there is no clang 15 or later\n"); return test_report(); }
  char cache[] = "/tmp/tiny-test-llvm-XXXXXX";
  CHECK(mkdtemp(cache) != NULL);
  test_values(cache, 0);
  test_values(cache, 1);
  test_own();
  remove_tree(cache);
  return test_report();
}
