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

int main(void) {
  test_version();
  return test_report();
}
