// brief: plain asan
// FMA: the interpreter rounds once; which products become one is what codegen/fuse.c says.
#ifndef TINY_ALL
#include "../src/all.c"
#endif
#include "test.h"
#include "rnd.h"

// ** the interpreter, beside the C library **

static double of_bits(int d) {
  static const int64_t near_one[] = {0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x4B000000, 0x33800000, 0x00000001, 0x80000001};
  const uint32_t word = (uint32_t)rnd(1 << 16) << 16 | (uint32_t)rnd(1 << 16);
  const uint32_t bits = rnd(4) ? rnd(2) ? word : (word & 0x807FFFFF) | (uint32_t)(96 + rnd(64)) << 23 :
                                 (uint32_t)near_one[rnd(7)];
  float f;
  memcpy(&f, &bits, 4);
  if (d == TINY_F32) return (double)f;
  if (!rnd(4)) return tn_float_of_bits(((uint64_t)bits << 32 | word) & (rnd(3) ? UINT64_MAX : ~(UINT64_C(0x7FE) << 52)));
  return tn_float_of_bits(((uint64_t)bits << 32 & ~(UINT64_C(0x7FF) << 52)) | (uint64_t)(990 + rnd(60)) << 52 | word);
}
static void test_rounds_once(int d) {
  int bad = 0, apart = 0;
  for (int i = 0; i < 300000; i++) {
    const double a = of_bits(d), b = of_bits(d);
    // what cancels the product but for its last bits, or is half of its last bit, shows where it was rounded
    double c = of_bits(d);
    if (i % 3 == 0) c = tn_dtype_round(d, -a * b);
    if (i % 3 == 1) c = tn_dtype_round(d, ldexp(a * b, d == TINY_F32 ? 24 : 53));
    const int64_t v[3] = {tn_from_f64(a), tn_from_f64(b), tn_from_f64(c)};
    const double got = tn_to_f64(tn_alu(TINY_OP_FMA, d, d, 0, v, 3)),
                 want = d == TINY_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c),
                 twice = tn_dtype_round(d, tn_dtype_round(d, a * b) + c);
    bad += memcmp(&got, &want, 8) != 0 && (got == got || want == want);
    apart += twice != want && want == want;
  }
  CHECK_EQ(bad, 0);
  CHECK(apart > 1000);                     // rounding twice is something else
}

// ** the pass **

static tiny_uop *in(tiny_ctx *t, int slot, int dtype) {
  return tn_load(t, tn_index_of(t, tn_param(t, dtype, slot, 8), tn_index(t, 0), NULL), 1);
}
static tiny_uop *sink_of(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *s[2];
  for (int i = 0; i < 2; i++)
    s[i] = tn_store(t, tn_index_of(t, tn_param(t, i && b ? b->dtype : a->dtype, i, 8), tn_index(t, 0), NULL), i && b ? b : a);
  return tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, b ? 2 : 1, s, 0, 0, NULL);
}
static tiny_uop *fused(tiny_ctx *t, tiny_uop *x, tiny_uop *y, tiny_uop *z) { return tn_u3(t, TINY_OP_FMA, x, y, z); }
static void becomes(tiny_ctx *t, tiny_uop *from, tiny_uop *to) {
  CHECK(tn_fuse_products(t, sink_of(t, from, NULL)) == sink_of(t, to, NULL));
}
static tiny_uop *op2_of(tiny_ctx *t, int op, tiny_uop *x, tiny_uop *y) { return tn_u2(t, op, x, y); }
#define MUL(a, b) op2_of(t, TINY_OP_MUL, a, b)
#define ADD(a, b) op2_of(t, TINY_OP_ADD, a, b)
#define SUB(a, b) op2_of(t, TINY_OP_SUB, a, b)
#define NEG(a) tn_u1(t, TINY_OP_NEG, a)
static tiny_code pass(tiny_ctx *t, void *arg) {
  (void)arg;
  tiny_uop *x = in(t, 2, TINY_F32), *y = in(t, 3, TINY_F32), *z = in(t, 4, TINY_F32), *w = in(t, 5, TINY_F32);
  tiny_uop *k = tn_number(t, TINY_F32, 0.1), *minus = tn_number(t, TINY_F32, -tn_to_f64(k->k)), *m = MUL(x, y);
  tiny_uop *a = m->src[0], *b = m->src[1];   // in the order that a product has
  becomes(t, ADD(m, z), fused(t, a, b, z));
  becomes(t, ADD(z, m), fused(t, a, b, z));
  becomes(t, SUB(m, z), fused(t, a, b, NEG(z)));
  becomes(t, SUB(z, m), fused(t, NEG(a), b, z));
  becomes(t, SUB(z, MUL(x, k)), fused(t, x, minus, z));
  becomes(t, SUB(MUL(x, y), k), fused(t, a, b, minus));
  becomes(t, SUB(MUL(x, y), NEG(z)), fused(t, a, b, z));
  // one of two products, the first
  tiny_uop *n = MUL(z, w), *both = ADD(m, n), *first = both->src[0], *second = both->src[1];
  becomes(t, both, fused(t, first->src[0], first->src[1], second));
  // a chain of them
  becomes(t, ADD(ADD(m, z), n), fused(t, n->src[0], n->src[1], fused(t, a, b, z)));
  // what several use is no part of any; twice by one are two
  becomes(t, SUB(m, m), SUB(m, m));
  becomes(t, ADD(m, m), ADD(m, m));
  tiny_uop *two = sink_of(t, ADD(m, z), ADD(m, w));
  CHECK(tn_fuse_products(t, two) == two);
  // integers and narrow floats are left alone
  for (int d = 0; d < 3; d++) {
    tiny_uop *i = in(t, 6, d == 0 ? TINY_I32 : d == 1 ? TINY_F16 : TINY_BF16), *sum = ADD(MUL(i, i), i);
    becomes(t, sum, sum);
  }
  return t->code;
}

// An FMA of what is no f32 or f64 is refused.
static tiny_code refuse(tiny_ctx *t, void *arg) {
  const int d = *(const int *)arg;
  tiny_uop *x = in(t, 2, d);
  return tn_verify(t, sink_of(t, fused(t, x, x, x), NULL), TN_SPEC_KERNEL);
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  CHECK(t != NULL);
  if (!t) return test_report();
  test_rounds_once(TINY_F32);
  test_rounds_once(TINY_F64);
  CHECK_EQ(tn_guard(t, pass, NULL), TINY_OK);
  static const int wrong[] = {TINY_I32, TINY_F16, TINY_BF16, TINY_U8};
  for (int i = 0; i < 4; i++) {
    int dtype = wrong[i];
    CHECK_EQ(tn_guard(t, refuse, &dtype), TINY_E_INTERNAL);
    CHECK(strstr(tiny_error(t), "f32 or f64"));
    t->code = TINY_OK;
  }
  int right = TINY_F64;
  CHECK_EQ(tn_guard(t, refuse, &right), TINY_OK);
  tiny_close(t);
  return test_report();
}
