// lang_cuda: the descriptor of CUDA C, one element at a time.
//
// Out: tn_lang_cuda fills a tiny_renderer. A kernel has one parameter: TINY_VALUES words of 64 bits, memory of PARAM k the
//      k-th, ARG k the k-th from the end: kernels use some of their PARAMs and ARGs, in any order. A module of such kernels
//      has a variable tiny_values; in others, which people write, parameters are addresses, then numbers. Items of a group
//      are numbered in dim 0 alone, as CUDA allows 64 in dim 2.
// Holds: integers wrap: sums and products are of unsigned types. exp2, log2 and sin are decomposed: the device's are
//        within 2 ulp (CUDA C Programming Guide, Mathematical Functions), this library promises 1.
#ifndef TN_RENDER_LANG_CUDA
#define TN_RENDER_LANG_CUDA
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

enum { TN_CUDA_VALUES = 128 };

static void tn_lang_cuda(tiny_renderer *r) {
  static const char *const prelude[] = {
    "struct tiny_words { unsigned long long word[128]; };",
    "extern \"C\" { __device__ int tiny_values = 128; }",
    "#ifndef TINY_AT",
    "  #define TINY_AT(type, word) (type *)(word)",
    "#endif",
    "__device__ inline unsigned wrap(int x) { return (unsigned)x; }",
    "__device__ inline unsigned wrap(unsigned x) { return x; }",
    "__device__ inline unsigned long long wrap(long long x) { return (unsigned long long)x; }",
    "__device__ inline unsigned long long wrap(unsigned long long x) { return x; }",
    "__device__ inline float wrap(float x) { return x; }", "__device__ inline double wrap(double x) { return x; }",
    "__device__ inline float root(float x) { return sqrtf(x); }", "__device__ inline double root(double x) { return sqrt(x); }",
    "__device__ inline float whole(float x) { return truncf(x); }", "__device__ inline double whole(double x) { return trunc(x); }",
    "#define GROUP_0 blockIdx.x", "#define GROUP_1 blockIdx.y", "#define GROUP_2 blockIdx.z",    "template <typename to, typename from> __device__ inline to bits_as(from x) {",
    "  union { from f; to t; } u; u.f = x; return u.t;", "}",
    "template <typename to> __device__ inline to value_of(unsigned long long word) {",
    "  union { unsigned long long f; to t; } u; u.f = word; return u.t;", "}", NULL
  };
  static const struct { int op; const char *format; } ops[] = {
    {TINY_OP_ADD, "(%t)(wrap(%0) + wrap(%1))"}, {TINY_OP_SUB, "(%t)(wrap(%0) - wrap(%1))"},
    {TINY_OP_MUL, "(%t)(wrap(%0) * wrap(%1))"}, {TINY_OP_NEG, "(%t)(-wrap(%0))"}, {TINY_OP_FDIV, "%0 / %1"},
    {TINY_OP_CDIV, "(%t)(%0 / %1)"}, {TINY_OP_CMOD, "(%t)(%0 %% %1)"}, {TINY_OP_AND, "(%t)(%0 & %1)"},
    {TINY_OP_OR, "(%t)(%0 | %1)"}, {TINY_OP_XOR, "(%t)(%0 ^ %1)"}, {TINY_OP_SHL, "(%t)(wrap(%0) << %1)"},
    {TINY_OP_SHR, "(%t)(%0 >> %1)"}, {TINY_OP_LT, "%0 < %1"}, {TINY_OP_NE, "%0 != %1"}, {TINY_OP_EQ, "%0 == %1"},
    {TINY_OP_WHERE, "%0 ? %1 : %2"}, {TINY_OP_SQRT, "root(%0)"}, {TINY_OP_TRUNC, "whole(%0)"},
    {TINY_OP_CAST, "(%t)%0"}, {TINY_OP_BITCAST, "bits_as<%t>(%0)"}, {TINY_OP_LOAD, "*(%0)"}, {TINY_OP_STORE, "*(%0) = %1"}
  };
  static const char *const types[TINY_DTYPE_COUNT] = {
    "void", "bool", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long",
    "unsigned long long"
  };
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "CUDA C"; r->file = "cu";
  r->flags = TINY_TARGET_OPTIMIZES;
  l->prelude = prelude;
  l->kernel = "extern \"C\" __global__ void __launch_bounds__(%0 * %1 * %2) %n("
      "const __grid_constant__ tiny_words v) {\n"
      "  const unsigned ITEM_0 = threadIdx.x %% %0, ITEM_1 = threadIdx.x / %0 %% %1, ITEM_2 = threadIdx.x / (%0 * %1);";
  l->end = "}";
  l->open_buffer = "%t *const %n = TINY_AT(%t, v.word[%k]);";
  l->open_scalar = "const %t %n = value_of<%t>(v.word[127 - %k]);";
  l->local = "__shared__ %t %n[%k];";
  l->barrier = "__syncthreads();";
  l->global_id = "(%t)GROUP_%d"; l->local_id = "(%t)ITEM_%d";
  l->infinity = "(%t)__int_as_float(0x7F800000)"; l->nan = "(%t)__int_as_float(0x7FC00000)";
  l->address = "%0 + %1";
  memcpy(l->types, types, sizeof types);
  l->types[TINY_F32] = "float"; l->types[TINY_F64] = "double";
  l->literals[TINY_F32] = "%kf"; l->literals[TINY_I64] = "%kll"; l->literals[TINY_U64] = "%kull";
  l->literals[TINY_U32] = "%ku"; l->literals[TINY_F64] = "%k";
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) l->ops[ops[i].op] = ops[i].format;
}
#endif
