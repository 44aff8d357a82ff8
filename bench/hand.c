// hand: see hand.h. Compiled for this machine, by clang where there is one: -O3 -march=native.
#include "hand.h"
#include <string.h>

#if defined(__AVX512F__)                     // as wide as the machine's registers
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float lanes __attribute__((vector_size(LANES * 4)));

#if defined(__clang__)
  #define STREAM(p, v) __builtin_nontemporal_store(v, p)
#else
  #define STREAM(p, v) (*(p) = (v))          // then both variants are the same
#endif
#define KEEP(p, v) (*(p) = (v))

// ** sum: independent running sums hide the latency of an addition **

#define SUM(name, accumulators, ahead) \
  static float name(hand_args a, size_t n) { \
    const lanes *x = (const lanes *)(const void *)a.x; \
    lanes sum[accumulators] = {{0}}, all = {0}; \
    float whole = 0; \
    for (size_t i = 0; i < n / LANES; i += accumulators) { \
      if (ahead) __builtin_prefetch(a.x + LANES * i + ahead); \
      for (int j = 0; j < accumulators; j++) sum[j] += x[i + (size_t)j]; \
    } \
    for (int j = 0; j < accumulators; j++) all += sum[j]; \
    for (int j = 0; j < LANES; j++) whole += all[j]; \
    return whole; \
  }
SUM(sum4, 4, 0) SUM(sum8, 8, 0) SUM(sum16, 16, 0) SUM(sum8_ahead, 8, 4096)
const hand_loop hand_sum[] = {
  {"4 accumulators", sum4}, {"8 accumulators", sum8}, {"16 accumulators", sum16},
  {"8, prefetching", sum8_ahead}, {NULL, NULL}
};

// ** elementwise **

#define EACH(name, store, value) \
  static float name(hand_args a, size_t n) { \
    const lanes *px = (const lanes *)(const void *)a.x, *pz = (const lanes *)(const void *)a.z; \
    lanes *py = (lanes *)(void *)a.y; \
    (void)pz; \
    for (size_t i = 0; i < n / LANES; i += 4) for (size_t j = i; j < i + 4; j++) { \
      const lanes x = px[j]; \
      store(&py[j], value); \
    } \
    return 0; \
  }
#define LOOPS(name, value) \
  EACH(name##_keep, KEEP, value) EACH(name##_stream, STREAM, value) \
  const hand_loop hand_##name[] = { \
    {"stores", name##_keep}, {"streaming stores", name##_stream}, {NULL, NULL} \
  };

static inline lanes relu(lanes x) {
  lanes zero = {0};
  for (int j = 0; j < LANES; j++) zero[j] = x[j] > 0 ? x[j] : 0;
  return zero;
}
EACH(copy_keep, KEEP, x) EACH(copy_stream, STREAM, x)
static float copy_libc(hand_args a, size_t n) {
  memcpy(a.y, a.x, n * sizeof(float));
  return 0;
}
const hand_loop hand_copy[] = {
  {"stores", copy_keep}, {"streaming stores", copy_stream}, {"memcpy", copy_libc}, {NULL, NULL}
};

LOOPS(scale, x * 2 + 1)
LOOPS(triad, x * 2 + pz[j])
LOOPS(chain, relu((x * 2 + 1) * (x - 3)) * 0.5f + x)

// ** arithmetic: as many multiply-adds in flight as latency asks for **

#define PEAK(name, accumulators) \
  static float name(hand_args a, size_t n) { \
    lanes sum[accumulators], x = {0}, y = {0}, all = {0}; \
    (void)a; \
    for (int j = 0; j < LANES; j++) { x[j] = 0.999f; y[j] = 0.001f; } \
    for (int j = 0; j < accumulators; j++) sum[j] = x * (float)j; \
    for (size_t i = 0; i < n; i += accumulators * LANES) \
      for (int j = 0; j < accumulators; j++) sum[j] = sum[j] * x + y; \
    for (int j = 0; j < accumulators; j++) all += sum[j]; \
    return all[0] + all[LANES - 1]; \
  }
PEAK(peak8, 8) PEAK(peak12, 12) PEAK(peak16, 16) PEAK(peak24, 24)
const hand_loop hand_peak[] = {
  {"8 accumulators", peak8}, {"12 accumulators", peak12}, {"16 accumulators", peak16}, {"24 accumulators", peak24},
  {NULL, NULL}
};
