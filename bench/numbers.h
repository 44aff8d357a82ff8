// numbers: arrays of pseudorandom numbers that benches give to whatever they measure.
//
// In:  tiny.h, or its rooms, before. Out: the same array for the same seed, in every program.
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H
#include <stdint.h>
#include <stdlib.h>

// Number i of the pseudorandom array `seed`, from -scale/2 to scale/2: the finaliser of MurmurHash3 (A. Appleby),
// as in torch_peer.py.
static float number(uint32_t i, uint32_t seed, float scale) {
  uint32_t h = i + seed * 0x9e3779b9u;
  h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
  return ((float)(h >> 8) / (1 << 24) - 0.5f) * scale;
}
// shift + numbers of the array `seed`.
static tiny_tensor *numbers_tensor(tiny_ctx *t, tiny_shape shape, uint32_t seed, float scale, float shift) {
  int64_t n = 1;
  for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
  float *data = (float *)malloc((size_t)n * sizeof *data + 1);
  for (int64_t i = 0; data && i < n; i++) data[i] = shift + number((uint32_t)i, seed, scale);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, shape);
  free(data);
  return x;
}
#endif
