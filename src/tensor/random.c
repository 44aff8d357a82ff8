// random: numbers from a counter, the same on every device.
//
// Element i of the c-th call is Threefry-2x32 (see ir/alu.c) of the counter (i, c) under the
// context's seed. Seed and call are SCALARs: another step or another seed makes no new kernel.
#ifndef TN_TENSOR_RANDOM
#define TN_TENSOR_RANDOM
#ifndef TINY_AMALGAMATED
#include "reduce.c"
#endif

enum { TN_SEED_LOW = 1, TN_SEED_HIGH, TN_RANDOM_CALL };      // identities of scalars, see tensor.c

// n words of 32 random bits; word chooses one of the two that a counter gives.
static tiny_uop *tn_random_bits(tiny_ctx *t, int64_t n, uint32_t call, int word) {
  tiny_uop *src[4] = {
      tn_iota(t, TINY_U32, n, 0, 1),
      tn_scalar(t, TINY_U32, call, TN_RANDOM_CALL),
      tn_scalar(t, TINY_U32, (int64_t)(t->seed & 0xFFFFFFFFu), TN_SEED_LOW),
      tn_scalar(t, TINY_U32, (int64_t)(t->seed >> 32), TN_SEED_HIGH),
  };
  return tn_uop_make(t, TINY_OP_THREEFRY, TINY_U32, 1, 4, src, word, 0, NULL);
}
// The upper 24 bits of words as f32 in [0,1): every value is a multiple of 2^-24.
static tiny_uop *tn_unit(tiny_ctx *t, tiny_uop *bits) {
  bits = tn_shr(t, bits, tn_k(t, bits, 8));
  if (tn_bad(t, bits)) return bits;
  bits = tn_cast(t, bits, TINY_I32);       // i32 to f32 is one instruction everywhere
  return tn_bad(t, bits) ? bits : tn_times(t, tn_cast(t, bits, TINY_F32), 1.0 / 16777216);
}
// f32 uniform in [0,1).
static tiny_uop *tn_uniform(tiny_ctx *t, int ndim, const int64_t *dim) {
  return tn_reshape(t, tn_unit(t, tn_random_bits(t, tn_dims_nelem(ndim, dim), ++t->tensors->random, 0)), ndim,
                    dim);
}
// Box and Muller, "A note on the generation of random normal deviates", 1958: the logarithm is of
// 1-u, which is never 0.
static tiny_uop *tn_normal(tiny_ctx *t, int ndim, const int64_t *dim) {
  const int64_t n = tn_dims_nelem(ndim, dim);
  const uint32_t call = ++t->tensors->random;
  tiny_uop *u = tn_unit(t, tn_random_bits(t, n, call, 0)), *phase = tn_unit(t, tn_random_bits(t, n, call, 1));
  tiny_uop *radius = tn_sqrt(t, tn_times(t, tn_logarithm(t, tn_plus(t, tn_neg(t, u), 1)), -2));
  return tn_reshape(t, tn_mul(t, radius, tn_sin(t, tn_times(t, phase, 2 * TN_PI))), ndim, dim);
}

static int tn_random_shape(tiny_ctx *t, const char *name, const tiny_shape *s) {
  if (!tn_creatable(t, name, TINY_F32, s)) return 0;
  if (tn_dims_nelem(s->ndim, s->dim) <= (int64_t)1 << 32) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %lld elements, but a call gives at most 2^32", name,
            (long long)tn_dims_nelem(s->ndim, s->dim));
  return 0;
}
TINY_API tiny_tensor *tiny_rand(tiny_ctx *t, tiny_shape shape) {
  return tn_random_shape(t, "rand", &shape) ? tn_tensor_new(t, tn_uniform(t, shape.ndim, shape.dim)) :
                                              tn_poison(t);
}
TINY_API tiny_tensor *tiny_randn(tiny_ctx *t, tiny_shape shape) {
  return tn_random_shape(t, "randn", &shape) ? tn_tensor_new(t, tn_normal(t, shape.ndim, shape.dim)) :
                                               tn_poison(t);
}
#endif
