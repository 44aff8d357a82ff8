// brief: plain asan
// test_metal: tiny_metal.m on Macs that are played, strict and late (tests/metal_mock.h), whose kernels are run as C++
// (tests/metal_kernel.h): selection, orders beside a model that does all at once, prepared lists, memory, what is
// refused and what fails (tests/metal_play.h), and the host's own objects (tests/metal_host.h).
//
// TEST_ROUNDS=n: random sequences instead of the usual. TEST_FROM=s: start there. TEST_TIMES=1: what launches take.
// TEST_PART=name: one of main's parts.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "metal_public.h"
#include "test.h"
#include "memory_test.h"
#include "metal_mock.h"
#include "metal_kernel.h"
#include <math.h>
#include <pthread.h>

static tiny_ctx *open_with(const char *device, const char *debug) {
  return tiny_open(
      &(tiny_desc){.device = device, .backends = {&tiny_metal}, .cache_dir = "", .debug = debug, .threads = 1});
}
static void says(tiny_ctx *t, tiny_code code, const char *text) {
  CHECK_EQ(tiny_status(t), code);
  CHECK(strstr(tiny_error(t), text) != NULL);
  if (!strstr(tiny_error(t), text)) fprintf(stderr, "    says: %s\n    wanted: %s\n", tiny_error(t), text);
}
// A Mac with these chips.
static void mac_with(metal_mock_desc desc) { CHECK_EQ(metal_mock_reset(&desc), 0); }
static void mac(const char *chips) { mac_with((metal_mock_desc){.chips = chips, .seed = 3}); }
// Nothing was done that the framework would have taken amiss, and nothing is left.
static void mac_over(void) {
  const int mistakes = metal_mock_mistakes();
  CHECK_EQ(mistakes, 0);
  for (int i = 0; i < mistakes && i < 5; i++) fprintf(stderr, "    %s\n", metal_mock_mistake(i));
  metal_mock_forget();
  const int leaks = metal_mock_leaks();
  CHECK_EQ(leaks, 0);
  for (int i = 0; leaks && metal_mock_mistake(i) && i < 5; i++) fprintf(stderr, "    %s\n", metal_mock_mistake(i));
}
static void all_well(const tiny_ctx *t) {
  CHECK_EQ(tiny_status(t), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    %s\n", tiny_error(t));
}

// ** without a device, and which of them **

// One sum on a device of this name.
static void opens(const char *name) {
  float got;
  tiny_ctx *t = open_with(name, "");
  tiny_tensor *x = tiny_full(t, 3, TINY_F32, TINY_SHAPE(8));
  CHECK_EQ(tiny_read(tiny_sum(x, TINY_ALL, 0), &got, sizeof got), TINY_OK);
  CHECK(got == 24);
  all_well(t);
  CHECK(strstr(tiny_device_name(t, 0), "METAL") == tiny_device_name(t, 0));
  tiny_close(t);
}
static void test_no_device(void) {
  mac(NULL);
  tiny_ctx *t = open_with("METAL", "");
  says(t, TINY_E_DEVICE, "METAL: ");
  says(t, TINY_E_DEVICE, "no");
  tiny_close(t);
  t = tiny_open(&(tiny_desc){.backends = {&tiny_metal}, .cache_dir = ""});   // the CPU goes on
  CHECK(tiny_status(t) == TINY_OK && !strcmp(tiny_device_name(t, 0), "CPU"));
  tiny_close(t);
  mac_over();
  mac("apple7");
  metal_mock_fail(METAL_MOCK_DEVICES, 1);                  // no default, as for some programs without a window
  opens("METAL");
  mac_over();
}
static void opens_not(const char *name, const char *text) {
  tiny_ctx *t = open_with(name, "");
  says(t, TINY_E_DEVICE, text);
  tiny_close(t);
}
static void test_selection(void) {
  char name[64];
  tiny_metal_name list;
  mac("mac2,apple7");
  opens("METAL"); opens("METAL:0"); opens("METAL:1");
  opens("METAL:radeon"); opens("METAL:M1"); opens("METAL:m1");
  opens_not("METAL:2", "M1"); opens_not("METAL:nvidia", "Radeon"); opens_not("METAL:id-0", "id-");
  opens_not("METAL:-1", "M1");
  // The registry id is what the list tells.
  tiny_ctx *t = open_with("METAL:none of this name", "");
  const char *at = strstr(tiny_error(t), "id-");
  CHECK(at != NULL);
  if (at) {
    snprintf(list.text, sizeof list.text, "%.*s", (int)strspn(at, "id-0123456789abcdefx"), at);
    snprintf(name, sizeof name, "METAL:%s", list.text);
  }
  tiny_close(t);
  if (at) opens(name);
  t = open_with("METAL:0,METAL:1,CPU", "");
  all_well(t);
  CHECK_EQ(tiny_device_count(t), 3);
  tiny_close(t);
  mac_over();
}

#include "metal_play.h"
#include "metal_host.h"

static const struct { const char *name; void (*run)(void); } parts[] = {
  {"no device", test_no_device}, {"selection", test_selection}, {"orders", test_orders}, {"memory", test_memory},
  {"programs", test_programs}, {"own", test_kernels}, {"failures", test_failures}, {"host", test_host}
};

int main(void) {
  if (!metal_kernel_compiler()) {
    printf("test_metal: left out: there is no clang++ of 15 or later\n");
    return test_report();
  }
  if (getenv("TEST_TIMES")) { host_times(); return 0; }
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!getenv("TEST_PART") || !strcmp(getenv("TEST_PART"), parts[i].name)) parts[i].run();
  return test_report();
}
