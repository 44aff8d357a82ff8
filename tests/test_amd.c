// brief: plain asan tsan
// also: tsan
// test_amd: tiny_amd.h on a driver and GPUs that are strict and late (tests/amd_mock.h).
//
// TEST_ROUNDS=n: random sequences instead of the usual. TEST_FROM=s: start there.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#define TEST_COMPANION "../src/amd/all.c"
#include "companion.h"
#include "test.h"
#include "memory_test.h"
#include <math.h>
#include <pthread.h>
#include "amd_mock.c"

static tiny_ctx *open_with(const char *device, const char *debug) {
  return tiny_open(
      &(tiny_desc){.device = device, .backends = {&tiny_amd}, .cache_dir = "", .debug = debug, .threads = 1});
}
static void says(tiny_ctx *t, tiny_code code, const char *text) {
  CHECK_EQ(tiny_status(t), code);
  CHECK(strstr(tiny_error(t), text) != NULL);
  if (!strstr(tiny_error(t), text)) fprintf(stderr, "    says: %s\n    wanted: %s\n", tiny_error(t), text);
}
// ** without a driver **

static void test_no_driver(void) {
  tiny_amd_gpu gpus[8];
  CHECK_STR(tiny_amd_on(NULL, 3).text, "AMD:3");
  const int n = tiny_amd_gpus(NULL, gpus, 8);              // of this machine
  CHECK(n >= 0 && (n > 0 || gpus[0].error[0]));
  if (n) return;
  tiny_ctx *t = open_with("AMD", "");
  says(t, TINY_E_DEVICE, "AMD: ");
  tiny_close(t);
  t = tiny_open(&(tiny_desc){.backends = {&tiny_amd}, .cache_dir = ""});   // the CPU goes on
  CHECK(tiny_status(t) == TINY_OK && !strcmp(tiny_device_name(t, 0), "CPU"));
  tiny_close(t);
  t = open_with("AMD:one", "");
  says(t, TINY_E_DEVICE, "devices are numbers");
  tiny_close(t);
}

// ** the kernel of most tests, by the host: out, in and by stand at the beginning of its arguments **

static int run_affine(void *user, const amd_mock_dispatch *d, uint64_t *fault, char *error, size_t room) {
  uint64_t at[3];
  const uint64_t kernarg = d->by_packet ? d->kernarg : (uint64_t)d->user[1] << 32 | d->user[0];
  const void *args = d->at(d->memory, kernarg, sizeof at, 0);
  const uint32_t n = d->groups[0] * d->local[0];
  (void)user;
  if (!args) { snprintf(error, room, "its arguments are at 0x%llx", (unsigned long long)kernarg); return 1; }
  memcpy(at, args, sizeof at);
  uint32_t *out = (uint32_t *)d->at(d->memory, at[0], n * 4, 1);
  const uint32_t *in = (const uint32_t *)d->at(d->memory, at[1], n * 4, 0),
                 *by = (const uint32_t *)d->at(d->memory, at[2], 8, 0);
  if (!out || !in || !by) { *fault = !out ? at[0] : !in ? at[1] : at[2]; return 1; }
  const uint32_t a = by[0], b = by[1];
  for (uint32_t i = 0; i < n; i++) out[i] = in[i] * a + b;
  return 0;
}

#include "amd_run.h"
#include "amd_play.h"

int main(int argc, char **argv) {
  (void)argc; (void)argv;
  setenv("TINY_AMD_TIMEOUT_MS", "5000", 0);
  test_no_driver();
  test_played();
  return test_report();
}
