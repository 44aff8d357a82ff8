// metal: METAL in the place of INTERP, for any test, on GPUs that are played (metal_mock.h), whose kernels are run as C++
// (metal_kernel.h): make test-metal. $TEST_METAL: a chip of the mock, else apple7; $TEST_METAL_SEED: how late;
// $TEST_METAL_FAST: kernels are optimised, and their loads and stores not looked at. Included by runtime/device.c
// (TN_TEST_BACKEND); tiny_metal.m and the mock are an object of their own (build/mock/metal.o).
//
// Holds: the framework is one for the process. It begins with the first device that is opened and is looked at when the
// last one is closed.
#ifndef METAL_TEST_H
#define METAL_TEST_H
#include "metal_mock.h"
#include "metal_kernel.h"
extern const tiny_backend tiny_metal;

#if defined(TEST_LIBRARY) || !defined(TEST_FUNCTION)        // the object that a flavour's programs share, or no such
  #include <pthread.h>
  #include <unistd.h>
  tiny_backend metal_backend;
  static pthread_mutex_t metal_guard = PTHREAD_MUTEX_INITIALIZER;
  static int metal_count;                  // of devices that are open

static int metal_begins(void) {
  const char *chip = getenv("TEST_METAL"), *seed = getenv("TEST_METAL_SEED");
  const metal_mock_desc desc = {.chips = chip && *chip ? chip : "apple7",
                                .seed = seed ? (uint32_t)strtoul(seed, NULL, 10) : 0};
  metal_kernel_mode(getenv("TEST_METAL_FAST") ? METAL_FAST : METAL_CHECKED);
  return metal_mock_reset(&desc);
}
// What the framework found wrong ends the program: no value may hide it.
static void metal_ends(void) {
  const int mistakes = metal_mock_mistakes(), leaks = metal_mock_leaks();
  if (!mistakes && !leaks) return;
  for (int i = 0; metal_mock_mistake(i) && i < 20; i++) fprintf(stderr, "metal_mock: %s\n", metal_mock_mistake(i));
  fprintf(stderr, "metal_mock: %d mistakes, %d objects are left\n", mistakes, leaks);
  _exit(99);
}
static void *metal_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;                             // INTERP:7 is the same device
  pthread_mutex_lock(&metal_guard);
  void *const d = metal_count || !metal_begins() ? tiny_metal.open(t, "", limits) : NULL;
  metal_count += d != NULL;
  pthread_mutex_unlock(&metal_guard);
  return d;
}
static void metal_close(void *dev) {
  pthread_mutex_lock(&metal_guard);
  tiny_metal.close(dev);
  if (!--metal_count) metal_ends();
  pthread_mutex_unlock(&metal_guard);
}
__attribute__((constructor)) static void metal_backend_is(void) {
  metal_backend = tiny_metal;
  metal_backend.name = "INTERP";
  metal_backend.open = metal_open;
  metal_backend.close = metal_close;
}
#else
extern tiny_backend metal_backend;
#endif
#define TN_INTERP &metal_backend
#endif
