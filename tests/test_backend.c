// also: tsan valgrind
// test_backend: the contract of tiny_backend: what the library asks of a device, and what it does with what one gives.
// INTERP is late here in every build (late.h).
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#ifndef TN_TEST_BACKEND
  #define TN_TEST_BACKEND "../../tests/late.h"
#endif
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static tiny_ctx *open_with(const tiny_backend *b, const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.backends[0] = b; d.device = device; d.cache_dir = "";
  return tiny_open(&d);
}

// ** the version **

static void *must_not_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)t; (void)which; (void)limits;
  CHECK(!"a backend of another release is opened");
  return NULL;
}
static void test_version(void) {
  static const char *const devices[] = {NULL, "FAKE", "CPU"};              // asked for or not
  tiny_backend fake = tn_interp_backend;
  char text[256];
  fake.name = "FAKE"; fake.open = must_not_open;
  for (int i = 0; i < 6; i++) {
    fake.version = i < 3 ? TINY_BACKEND_VERSION + 8 : 0;                   // a function more; not set
    tiny_ctx *t = open_with(&fake, devices[i % 3]);
    CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
    snprintf(text, sizeof text, "FAKE was compiled against another tiny.h: its backend has version %u.%u, this one "
             "takes %u.%u; take both headers from one release", fake.version >> 16, fake.version & 0xFFFF,
             (unsigned)TINY_BACKEND_VERSION >> 16, (unsigned)TINY_BACKEND_VERSION & 0xFFFF);
    CHECK_STR(tiny_error(t), text);
    CHECK(!tiny_ok(tiny_full(t, 1, TINY_F32, TINY_SHAPE(2))));
    tiny_close(t);
  }
  fake = tn_interp_backend;
  fake.name = "FAKE";
  tiny_ctx *t = open_with(&fake, NULL);
  CHECK_STR(tiny_device(t), "FAKE");
  CHECK_EQ(tiny_item(tiny_add(tiny_full(t, 1, TINY_F32, TINY_SHAPE()), tiny_full(t, 2, TINY_F32, TINY_SHAPE()))), 3);
  tiny_close(t);
}

// ** launches **

static int launches, submits, submitted;
static tiny_code counted_launch(void *dev, const tiny_launch *l) { launches++; return late_backend.launch(dev, l); }
static tiny_code counted_submit(void *dev, const tiny_launch *l, int n) {
  submits++; submitted += n;
  CHECK(n > 1);
  return late_backend.submit(dev, l, n);
}
static void test_submit(void) {
  enum { KERNELS = 150, BATCHES = (KERNELS + TN_BATCH - 1) / TN_BATCH };
  tiny_backend b = late_backend;
  b.name = "COUNTED"; b.launch = counted_launch; b.submit = counted_submit;
  for (int alone = 0; alone < 2; alone++) {
    float out[4];
    if (alone) b.submit = NULL;
    tiny_ctx *t = open_with(&b, "COUNTED");
    const float in[4] = {1, 2, 3, 4};
    tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(4)), *y = x, *got;
    for (int i = 0; i < KERNELS; i++) y = tiny_contiguous(tiny_add(y, tiny_like(y, 1)));
    tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
    CHECK_EQ(tiny_program_kernels(p), KERNELS);
    launches = submits = submitted = 0;
    for (int i = 0; i < 3; i++) {
      CHECK_EQ(tiny_run(p, &x, &got), TINY_OK);
      CHECK_EQ(tiny_read(got, out, sizeof out), TINY_OK);
      CHECK(out[0] == 1 + KERNELS && out[3] == 4 + KERNELS);
    }
    CHECK_EQ(submits, alone ? 0 : 3 * BATCHES);
    CHECK_EQ(submitted + launches, 3 * KERNELS);
    CHECK_EQ(launches, alone ? 3 * KERNELS : 0);
    CHECK_EQ(tiny_get_stats(t).kernels, 3 * KERNELS);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

// ** the time of a launch **

static int told_device, told_other;
static void hear_times(void *user, const char *line) {
  (void)user;
  if (!strncmp(line, "*** ", 4)) { if (strstr(line, " 5000.0 us")) told_device++; else told_other++; }
}
static void test_stamps(void) {
  static const char *const devices[] = {"INTERP:0", "INTERP:16", "INTERP:1", "CPU"};
  for (int i = 0; i < 4; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[i]; d.debug = "k"; d.cache_dir = ""; d.log.fn = hear_times;
    told_device = told_other = 0;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = tiny_contiguous(tiny_arange(t, 0, 4, 1, TINY_F32));
    CHECK_EQ(tiny_item(tiny_sum(tiny_contiguous(tiny_add(x, x)), TINY_ALL, 0)), 12);
    const tiny_stats s = tiny_get_stats(t);
    CHECK(s.kernels >= 2 && s.device_ns > 0);
    CHECK_EQ(told_device + told_other, s.kernels);
    CHECK_EQ(told_device, i == 0 || i == 2 ? s.kernels : 0);               // of the device's clock, which is no host's
    if (told_device) CHECK_EQ(s.device_ns, s.kernels * LATE_NS);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

int main(void) {
  test_stamps();
  test_version();
  test_submit();
  return test_report();
}
