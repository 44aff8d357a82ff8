// lang_cuda: the descriptor of CUDA C, and of HIP C, which is the same but for the words below: an element at a time or
// vectors of 2, 4, 8 or 16.
//
// Out: tn_lang_cuda and tn_lang_hip fill a tiny_renderer. A kernel has one parameter: 128 words of 64 bits, memory of
//      PARAM k the k-th, ARG k the k-th from the end: kernels use some of their PARAMs and ARGs, in any order. A
//      module of such kernels has a variable tiny_values; in others, which people write, parameters are addresses, then
//      numbers. CUDA's items of a group are numbered in dim 0 alone, as it allows 64 in dim 2; HIP's in three.
// Holds:
//  - No header is included: NVRTC and hiprtc compile the text alone, and so do nvcc and clang -x hip -nogpuinc
//    -nogpulib.
//  - f16 and, from sm_80 on, bf16 are two bytes in memory and f32 in arithmetic: limits.dtypes is to be
//    TN_CUDA_ARITHMETIC. Where types have no name (bf16 of HIP and of sm_75, fp8), rules/decompose.c makes
//    integers of them.
//  - Integers wrap: sums and products are of unsigned types, unless their bounds say that they need not.
//  - exp2, log2 and sin are decomposed, as this library promises 1 ulp, but for 2^x that is rounded to a narrow
//    float: ex2.approx is within 2^-22 of the value, 4 ulp (PTX ISA, ex2), v_exp_f32 within 1 where that is normal
//    (AMD, RDNA3 ISA, V_EXP_F32), and is of 2^(x + 64) below. Quotients and roots are rounded correctly, as both
//    compilers have it unless they are told otherwise (-prec-div, -prec-sqrt;
//    -fhip-fp32-correctly-rounded-divide-sqrt).
//  - A bool is 0 or 1, also as a lane. Vectors lie in memory at the alignment of an element: one whose place is known
//    to be a multiple of its size, or of 16 bytes, is read at once; of others CUDA asks the address.
#ifndef TN_RENDER_LANG_CUDA
#define TN_RENDER_LANG_CUDA
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

enum { TN_CUDA_VALUES = 128 };
// limits.dtypes: all but narrow floats.
#define TN_CUDA_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                              (uint64_t)1 << TINY_F8E5M2))

// Units of warps, by their names: PTX ISA, mma.sync; LLVM, AMDGPU builtins. A host that compiles the text for tests
// defines TINY_MATRIX.
#define TN_CUDA_UNITS \
  "#ifdef __HIP__", \
  "  #define WORDS(T, n) typedef T T##x##n __attribute__((ext_vector_type(n)));", \
  "  WORDS(f16, 4) WORDS(f16, 8) WORDS(f16, 16) WORDS(short, 4) WORDS(short, 8) WORDS(short, 16)", \
  "  WORDS(int, 2) WORDS(int, 4) WORDS(int, 8) WORDS(float, 4) WORDS(float, 8)", \
  "  #define MATRIX(name, T, n, words, product) \\", \
  "    FN lanes<T, n> matrix_##name(lanes<unsigned, words> x, lanes<unsigned, words> y, lanes<T, n> z) { \\", \
  "      const T##x##n c = bits_as<T##x##n>(z); return bits_as<lanes<T, n>>(product); }", \
  "  #define A(T) bits_as<T>(x)", "  #define B(T) bits_as<T>(y)", \
  "  #ifdef __GFX11__", \
  "    #define WMMA(name) __builtin_amdgcn_wmma_##name##_w32", \
  "    MATRIX(gfx11_16x16x16_f16, float, 8, 8, WMMA(f32_16x16x16_f16)(A(f16x16), B(f16x16), c))", \
  "    MATRIX(gfx11_16x16x16_bf16, float, 8, 8, WMMA(f32_16x16x16_bf16)(A(shortx16), B(shortx16), c))", \
  "    MATRIX(gfx11_16x16x16_i8, int, 8, 4, WMMA(i32_16x16x16_iu8)(true, A(intx4), true, B(intx4), c, false))", \
  "  #endif", \
  "  #ifdef __GFX12__", \
  "    #define WMMA(name) __builtin_amdgcn_wmma_##name##_w32_gfx12", \
  "    MATRIX(gfx12_16x16x16_f16, float, 8, 4, WMMA(f32_16x16x16_f16)(A(f16x8), B(f16x8), c))", \
  "    MATRIX(gfx12_16x16x16_bf16, float, 8, 4, WMMA(f32_16x16x16_bf16)(A(shortx8), B(shortx8), c))", \
  "    MATRIX(gfx12_16x16x16_i8, int, 8, 2, WMMA(i32_16x16x16_iu8)(true, A(intx2), true, B(intx2), c, false))", \
  "    MATRIX(gfx12_16x16x16_e4m3, float, 8, 2, WMMA(f32_16x16x16_fp8_fp8)(A(intx2), B(intx2), c))", \
  "    MATRIX(gfx12_16x16x16_e5m2, float, 8, 2, WMMA(f32_16x16x16_bf8_bf8)(A(intx2), B(intx2), c))", \
  "  #endif", \
  "  #if defined(__gfx942__) || defined(__gfx950__)", \
  "    #define MFMA(name) __builtin_amdgcn_mfma_##name", \
  "    MATRIX(gfx942_16x16x16_f16, float, 4, 2, MFMA(f32_16x16x16f16)(A(f16x4), B(f16x4), c, 0, 0, 0))", \
  "    MATRIX(gfx942_16x16x16_bf16, float, 4, 2, MFMA(f32_16x16x16bf16_1k)(A(shortx4), B(shortx4), c, 0, 0, 0))", \
  "    MATRIX(gfx942_16x16x32_i8, int, 4, 2, MFMA(i32_16x16x32_i8)(A(long), B(long), c, 0, 0, 0))", \
  "  #endif", \
  "#else", \
  "  #ifdef __CUDA_ARCH__", \
  "    #define PTX(...) asm volatile(__VA_ARGS__);", \
  "  #else", \
  "    #define PTX(...)", \
  "  #endif", \
  "  #ifndef TINY_MATRIX", \
  "    #define MMA(shape, a, b) \"mma.sync.aligned.\" shape \" {%0,%1,%2,%3}, \" a \", \" b \", {%0,%1,%2,%3};\"", \
  "    #define SUMS(r) r(c.at[0]), r(c.at[1]), r(c.at[2]), r(c.at[3])", \
  "    #define TINY_MATRIX(name, shape, kind, T, reg) \\", \
  "      FN lanes<T, 4> matrix_##name(lanes<unsigned, 4> a, lanes<unsigned, 2> b, lanes<T, 4> c) { \\", \
  "        PTX(MMA(shape, \"{%4, %5, %6, %7}\", \"{%8, %9}\") : SUMS(reg) : \"r\"(a.at[0]), \"r\"(a.at[1]), \\", \
  "            \"r\"(a.at[2]), \"r\"(a.at[3]), \"r\"(b.at[0]), \"r\"(b.at[1])) \\", \
  "        return c; }", \
  "    #define TINY_MATRIX_2(name, shape, kind, T, reg) \\", \
  "      FN lanes<T, 4> matrix_##name(lanes<unsigned, 2> a, unsigned b, lanes<T, 4> c) { \\", \
  "        PTX(MMA(shape, \"{%4,%5}\", \"{%6}\") : SUMS(reg) : \"r\"(a.at[0]), \"r\"(a.at[1]), \"r\"(b)) return c; }", \
  "  #endif", \
  "  #ifndef TINY_ROWS", \
  "    #define TINY_ROWS(name, how) \\", \
  "      template <typename V, typename T> FN V name(const T *p) { \\", \
  "        lanes<unsigned, 4> v; \\", \
  "        PTX(\"{ .reg .u64 at; .reg .u32 near; cvta.to.shared.u64 at, %4; cvt.u32.u64 near, at; \" \\", \
  "            \"ldmatrix.sync.aligned.m8n8.x4\" how \".shared.b16 {%0, %1, %2, %3}, [near]; }\" \\", \
  "            : \"=r\"(v.at[0]), \"=r\"(v.at[1]), \"=r\"(v.at[2]), \"=r\"(v.at[3]) : \"l\"(p) : \"memory\") \\", \
  "        return bits_as<V>(v); }", \
  "    TINY_ROWS(load_turned, \".trans\") TINY_ROWS(load_rows, \"\")", \
  "  #endif", \
  "  TINY_MATRIX_2(sm75_m16n8k8_f16, \"m16n8k8.row.col.f32.f16.f16.f32\", f16, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k16_f16, \"m16n8k16.row.col.f32.f16.f16.f32\", f16, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k16_bf16, \"m16n8k16.row.col.f32.bf16.bf16.f32\", bf16, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k8_tf32, \"m16n8k8.row.col.f32.tf32.tf32.f32\", tf32, float, \"+f\")", \
  "  TINY_MATRIX(sm80_m16n8k32_i8, \"m16n8k32.row.col.s32.s8.s8.s32\", i8, int, \"+r\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e4m3, \"m16n8k32.row.col.f32.e4m3.e4m3.f32\", e4m3, float, \"+f\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e5m2, \"m16n8k32.row.col.f32.e5m2.e5m2.f32\", e5m2, float, \"+f\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e4m3_e5m2, \"m16n8k32.row.col.f32.e4m3.e5m2.f32\", e4m3_e5m2, float, \"+f\")", \
  "  TINY_MATRIX(sm89_m16n8k32_e5m2_e4m3, \"m16n8k32.row.col.f32.e5m2.e4m3.f32\", e5m2_e4m3, float, \"+f\")", \
  "#endif"

// Copies to shared memory that items do not wait for: PTX ISA, cp.async, from sm_80 on. What is no 16 bytes is kept in
// L1, as the instruction wants it.
#define TN_CUDA_COPIES \
  "#ifndef __HIP__", \
  "  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800", \
  "    #define COPY(how, n) asm volatile(\"{ .reg .u64 at; .reg .u32 to; cvta.to.shared.u64 at, %0; \" \\", \
  "      \"cvt.u32.u64 to, at; cp.async.\" how \".shared.global [to], [%1], \" #n \", %2; }\" \\", \
  "      :: \"l\"(to), \"l\"(from), \"r\"(there ? n : 0) : \"memory\")", \
  "    template <int n> FN void wait_copies() {", \
  "      asm volatile(\"cp.async.commit_group; cp.async.wait_group %0;\" :: \"n\"(n) : \"memory\");", "    }", \
  "  #else", \
  "    #define COPY(how, n) EACH(n / sizeof(U)) to[i] = bits_as<T>(there ? from[i] : U())", \
  "    template <int n> FN void wait_copies() {}", \
  "  #endif", \
  "  template <typename V, typename T, typename U> FN void copy_later(T *to, const U *from, bool there) {", \
  "    if (sizeof(V) == 16) COPY(\"cg\", 16);", "    else if (sizeof(V) == 8) COPY(\"ca\", 8);", \
  "    else COPY(\"ca\", 4);", "  }", \
  "#endif"

// One text for both compilers: what they spell differently, and what each has of its own, stands in the first two #ifs.
// Tests compile it on the host, which has no PTX, and defines TINY_AT and TINY_SHARED. wrap(x) is x as its sums wrap.
// PTX ISA, cvt: .bf16 from sm_80 on. AMD's GPUs read vectors at any address that elements may have (LLVM, User Guide
// for AMDGPU, unaligned-access-mode). Launch bounds name one group: where they name none ptxas spills for a third.
static const char *const tn_cuda_prelude[] = {
  "#ifdef __HIP__",
  "  #ifndef __global__",
  "    #define __global__ __attribute__((global))", "    #define __device__ __attribute__((device))",
  "    #define __shared__ __attribute__((shared))",
  "  #endif",
  "  #define FN __device__ inline __attribute__((always_inline))",
  "  #define GROUP_0 __builtin_amdgcn_workgroup_id_x()", "  #define GROUP_1 __builtin_amdgcn_workgroup_id_y()",
  "  #define GROUP_2 __builtin_amdgcn_workgroup_id_z()", "  #define ITEM_0 __builtin_amdgcn_workitem_id_x()",
  "  #define ITEM_1 __builtin_amdgcn_workitem_id_y()", "  #define ITEM_2 __builtin_amdgcn_workitem_id_z()",
  "  #define ITEMS(n0, n1)",
  "  #define VALUES tiny_words v", "  #define BOUNDS(n) __attribute__((amdgpu_flat_work_group_size(n, n)))",
  "  #define TINY_AT(type, word) (type *)(__attribute__((address_space(1))) type *)(word)",     // global, not flat
  "  #define AS_FLOAT(x) __builtin_bit_cast(float, x)",
  "  #define TINY_ADD(p, x) __hip_atomic_fetch_add(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)",
  "  #define root32 __builtin_sqrtf", "  #define root64 __builtin_sqrt",
  "  #if __has_builtin(__builtin_amdgcn_exp2f)", "    #define normal_power2 __builtin_amdgcn_exp2f",
  "  #else", "    #define normal_power2 __builtin_exp2f", "  #endif",
  // of numbers of which few bits are looked at (codegen/rounded.c): the same steps as those of isa/amd_floats.c
  "  FN float power2(float x) { return normal_power2(x < -126 ? x + 64 : x) * (x < -126 ? 5.42101086e-20f : 1); }",
  "  FN float power2_8(float x) { const float root = normal_power2(0.5f * x); return root * root; }",
  "  #define power2_0 power2",
  "  #define whole32 __builtin_truncf", "  #define whole64 __builtin_trunc",
  // LLVM 19 leaves the wait of a fence out where nothing is on its way when a loop is entered, but is when it comes
  // round (SIInsertWaitcnts); what is asked for stays. The numbers: lgkmcnt 0, no wait for others.
  "  #if defined(__GFX12__) && __clang_major__ >= 19",
  "    __device__ void wait_shared(unsigned short) __asm(\"llvm.amdgcn.s.wait.dscnt\");",
  "  #elif defined(__GFX12__)", "    #define wait_shared(n) asm volatile(\"s_wait_dscnt 0x0\" ::: \"memory\")",
  "  #elif defined(__GFX11__)", "    #define wait_shared(n) __builtin_amdgcn_s_waitcnt(0xFC07)",
  "  #else", "    #define wait_shared(n) __builtin_amdgcn_s_waitcnt(0xC07F)", "  #endif",
  "  FN void meet() {",
  "    __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");", "    wait_shared(0);",
  "    __builtin_amdgcn_s_barrier();",
  "    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");", "  }",
  "  FN int lane_word(int x, int mask) {",
  "    const int lane = (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));",
  "    return __builtin_amdgcn_ds_bpermute((lane ^ mask) * 4, x);", "  }",
  "#else",
  "  #define FN __device__ __forceinline__",
  "  #define GROUP_0 blockIdx.x", "  #define GROUP_1 blockIdx.y", "  #define GROUP_2 blockIdx.z",
  "  #define ITEMS(n0, n1) const unsigned ITEM_0 = threadIdx.x % (n0), ITEM_1 = threadIdx.x / (n0) % (n1), \\",
  "    ITEM_2 = threadIdx.x / ((n0) * (n1));",
  "  #define VALUES const __grid_constant__ tiny_words v", "  #define BOUNDS(n) __launch_bounds__(n, 1)",
  "  #define AS_FLOAT(x) __int_as_float(x)", "  #define lane_word(x, mask) __shfl_xor_sync(0xFFFFFFFFu, x, mask)",
  "  #ifndef TINY_ADD",
  "    #define TINY_ADD(p, x) atomicAdd(p, x)",
  "  #endif",
  "  #define root32 sqrtf", "  #define root64 sqrt", "  #define whole32 truncf", "  #define whole64 trunc",
  "  #ifdef __CUDA_ARCH__",
  "    FN float power2(float x) { float y; asm(\"ex2.approx.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x)); return y; }",
  "  #else", "    FN float power2(float x) { return __builtin_exp2f(x); }", "  #endif",
  "#endif",
  "#define EACH(n) _Pragma(\"unroll\") for (int i = 0; i < (int)(n); i++)",
  "template <typename to, typename from> FN to bits_as(from x) { union { from f; to t; } u; u.f = x; return u.t; }",
  "#ifdef __HIP__",
  "  typedef _Float16 f16;", "  FN f16 wrap(f16 x) { return x; }",
  "  template <typename V, typename T> struct __attribute__((packed, aligned(alignof(T)))) placed { V v; };",
  "  template <typename V, typename T> FN V load(const T *p) { return ((const placed<V, T> *)p)->v; }",
  "  template <typename V, typename T> FN void store(T *p, V v) { ((placed<V, T> *)p)->v = v; }",
  "  FN float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }",
  "  FN double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }",
  "#else",
  "  #ifdef __CUDA_ARCH__",
  "    FN unsigned short f16_bits(float x) {",
  "      unsigned short y; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y;", "    }",
  "    FN float f16_value(unsigned short x) {",
  "      float y; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x)); return y;", "    }",
  "  #else",
  "    FN unsigned short f16_bits(float x) { return bits_as<unsigned short>((_Float16)x); }",
  "    FN float f16_value(unsigned short x) { return (float)bits_as<_Float16>(x); }",
  "  #endif",
  "  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800",
  "    FN unsigned short bf16_bits(float x) {",
  "      unsigned short y; asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y;", "    }",
  "  #else",
  "    FN unsigned short bf16_bits(float x) {", "      const unsigned bits = bits_as<unsigned>(x);",
  "      return x != x ? 0x7FC0 : (unsigned short)((bits + (bits >> 16 & 1) + 0x7FFF) >> 16);", "    }",
  "  #endif",
  "  FN float bf16_value(unsigned short x) { return AS_FLOAT((int)x << 16); }",
  "  #define NARROW(T) struct T { unsigned short bits; T() = default; FN explicit T(float x) : bits(T##_bits(x)) {} \\",
  "    FN operator float() const { return T##_value(bits); } \\",
  "    FN T operator-() const { T y; y.bits = bits ^ 0x8000; return y; } }; FN float wrap(T x) { return x; }",
  "  NARROW(f16) NARROW(bf16)",
  "  #define ALIGNED(p, V) ((unsigned long long)(p) % alignof(V) == 0)",
  "  template <typename V, typename T> FN V load(const T *p) {",
  "    if (ALIGNED(p, V)) return *(const V *)p;", "    V v; EACH(V::count) v.at[i] = p[i]; return v;", "  }",
  "  template <typename V, typename T> FN void store(T *p, V v) {",
  "    if (ALIGNED(p, V)) *(V *)p = v; else EACH(V::count) p[i] = v.at[i];", "  }",
  "#endif",
  "#ifndef TINY_AT",
  "  #define TINY_AT(type, word) (type *)(word)",
  "#endif",
  "struct tiny_words { unsigned long long word[128]; };",
  "extern \"C\" { __device__ int tiny_values = 128; }",
  "#ifndef TINY_SHARED",
  "  extern __attribute__((aligned(16))) __shared__ double tiny_shared[];",
  "  #define TINY_SHARED tiny_shared",
  "#endif",
  "FN unsigned wrap(signed char x) { return (unsigned)x; }", "FN unsigned wrap(unsigned char x) { return x; }",
  "FN unsigned wrap(short x) { return (unsigned)x; }", "FN unsigned wrap(unsigned short x) { return x; }",
  "FN unsigned wrap(int x) { return (unsigned)x; }", "FN unsigned wrap(unsigned x) { return x; }",
  "FN unsigned long long wrap(long long x) { return (unsigned long long)x; }",
  "FN unsigned long long wrap(unsigned long long x) { return x; }",
  "FN float wrap(float x) { return x; }", "FN double wrap(double x) { return x; }",
  "FN float root(float x) { return root32(x); }", "FN double root(double x) { return root64(x); }",
  "FN float whole(float x) { return whole32(x); }", "FN double whole(double x) { return whole64(x); }",
  // x of the lane whose number is this one's ^ mask, in words of 32 bits
  "template <typename T> FN T exchanged(T x, int mask) {",
  "  union { T value; int word[(sizeof(T) + 3) / 4]; } u; u.word[0] = 0; u.value = x;",
  "  EACH((sizeof(T) + 3) / 4) u.word[i] = lane_word(u.word[i], mask);", "  return u.value;", "}",
  "template <typename to> FN to value_of(unsigned long long word) { return bits_as<to>(word); }",
  // sums of elements that others add to as well
  "FN void add_to(int *p, int x) { TINY_ADD(p, x); }", "FN void add_to(unsigned *p, unsigned x) { TINY_ADD(p, x); }",
  "FN void add_to(float *p, float x) { TINY_ADD(p, x); }", "FN void add_to(double *p, double x) { TINY_ADD(p, x); }",
  "FN void add_to(unsigned long long *p, unsigned long long x) { TINY_ADD(p, x); }",
  "FN void add_to(long long *p, long long x) { add_to((unsigned long long *)p, (unsigned long long)x); }",
  // vectors: loops that compilers unroll
  "template <typename T, int n> struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) lanes {",
  "  typedef T element; enum { count = n }; T at[n];", "};",
  "#define VECTORS template <typename T, int n> FN",
  "#define LANES1(name, value) VECTORS lanes<T, n> name(lanes<T, n> x) { \\",
  "  lanes<T, n> z; EACH(n) z.at[i] = (T)(value); return z; }",
  "#define LANES2(name, value) VECTORS lanes<T, n> name(lanes<T, n> x, lanes<T, n> y) { \\",
  "  lanes<T, n> z; EACH(n) z.at[i] = (T)(value); return z; }",
  "#define COMPARE(op) VECTORS lanes<bool, n> operator op(lanes<T, n> x, lanes<T, n> y) { \\",
  "  lanes<bool, n> z; EACH(n) z.at[i] = x.at[i] op y.at[i]; return z; }",
  "LANES2(operator+, wrap(x.at[i]) + wrap(y.at[i])) LANES2(operator-, wrap(x.at[i]) - wrap(y.at[i]))",
  "LANES2(operator*, wrap(x.at[i]) * wrap(y.at[i])) LANES2(operator/, x.at[i] / y.at[i])",
  "LANES2(operator%, x.at[i] % y.at[i]) LANES2(operator&, x.at[i] & y.at[i]) LANES2(operator|, x.at[i] | y.at[i])",
  "LANES2(operator^, x.at[i] ^ y.at[i]) LANES2(operator<<, wrap(x.at[i]) << y.at[i])",
  "LANES2(operator>>, x.at[i] >> y.at[i]) LANES1(operator-, -wrap(x.at[i])) LANES1(root, root(x.at[i]))",
  "LANES1(whole, whole(x.at[i])) LANES1(power2, power2(x.at[i])) COMPARE(<) COMPARE(!=) COMPARE(==)",
  "VECTORS lanes<T, n> choose(lanes<bool, n> m, lanes<T, n> x, lanes<T, n> y) {",
  "  EACH(n) x.at[i] = m.at[i] ? x.at[i] : y.at[i]; return x;", "}",
  "#ifdef __HIP__",
  "  VECTORS lanes<T, n> fused(lanes<T, n> x, lanes<T, n> y, lanes<T, n> z) {",
  "    EACH(n) z.at[i] = fused(x.at[i], y.at[i], z.at[i]); return z;", "  }",
  "  LANES1(power2_8, power2_8(x.at[i]))",
  "#endif",
  "template <typename V, typename W> FN V converted(W x) {",
  "  V y; EACH(V::count) y.at[i] = (typename V::element)x.at[i]; return y;", "}",
  "template <typename V, typename T> FN V spread(T x) {",
  "  V y; EACH(V::count) y.at[i] = (typename V::element)x; return y;", "}",
  "template <typename H, typename V> FN H half_of(V v, int from) {",
  "  H h; EACH(H::count) h.at[i] = v.at[from + i]; return h;", "}",
  "template <typename V, typename T, typename M> FN V load_masked(const T *p, M m, V y) {",
  "  EACH(V::count) if (m.at[i]) y.at[i] = p[i]; return y;", "}",
  "template <typename V, typename T, typename M> FN void store_masked(T *p, V v, M m) {",
  "  EACH(V::count) if (m.at[i]) p[i] = v.at[i];", "}",
  "template <typename V, typename T, typename I> FN V gather(const T *p, I k) {",
  "  V v; EACH(V::count) v.at[i] = p[k.at[i]]; return v;", "}",
  "template <typename V, typename T, typename I, typename M> FN V gather_masked(const T *p, I k, M m, V y) {",
  "  EACH(V::count) if (m.at[i]) y.at[i] = p[k.at[i]]; return y;", "}",
  "template <typename V, typename T, typename I> FN void scatter(T *p, I k, V v) {",
  "  EACH(V::count) p[k.at[i]] = v.at[i];", "}",
  "template <typename V, typename T, typename I, typename M> FN void scatter_masked(T *p, I k, V v, M m) {",
  "  EACH(V::count) if (m.at[i]) p[k.at[i]] = v.at[i];", "}",
  TN_CUDA_COPIES,
  TN_CUDA_UNITS,
  NULL
};

// exact: of what cannot wrap; vector NULL: as scalar.
static const struct { int op; const char *scalar, *exact, *vector; } tn_cuda_ops[] = {
  {TINY_OP_NEG, "(%t)(-wrap(%0))", "-%0", "-%0"}, {TINY_OP_ADD, "(%t)(wrap(%0) + wrap(%1))", "%0 + %1", "%0 + %1"},
  {TINY_OP_SUB, "(%t)(wrap(%0) - wrap(%1))", "%0 - %1", "%0 - %1"},
  {TINY_OP_MUL, "(%t)(wrap(%0) * wrap(%1))", "%0 * %1", "%0 * %1"},
  {TINY_OP_FDIV, "(%t)(%0 / %1)", "%0 / %1", "%0 / %1"},
  {TINY_OP_CDIV, "(%t)(%0 / %1)", "%0 / %1", "%0 / %1"}, {TINY_OP_CMOD, "(%t)(%0 %% %1)", "%0 %% %1", "%0 %% %1"},
  {TINY_OP_AND, "(%t)(%0 & %1)", "%0 & %1", "%0 & %1"}, {TINY_OP_OR, "(%t)(%0 | %1)", "%0 | %1", "%0 | %1"},
  {TINY_OP_XOR, "(%t)(%0 ^ %1)", "%0 ^ %1", "%0 ^ %1"}, {TINY_OP_SHL, "(%t)(wrap(%0) << %1)", NULL, "%0 << %1"},
  {TINY_OP_SHR, "(%t)(%0 >> %1)", "%0 >> %1", "%0 >> %1"}, {TINY_OP_LT, "%0 < %1", NULL, NULL},
  {TINY_OP_NE, "%0 != %1", NULL, NULL}, {TINY_OP_EQ, "%0 == %1", NULL, NULL},
  {TINY_OP_WHERE, "%0 ? %1 : %2", NULL, "choose(%0, %1, %2)"},
  {TINY_OP_SQRT, "(%t)root(%0)", "root(%0)", "root(%0)"}, {TINY_OP_TRUNC, "(%t)whole(%0)", "whole(%0)", "whole(%0)"},
  {TINY_OP_EXP2, "power2(%0)", NULL, NULL},
  {TINY_OP_CAST, "(%t)%0", NULL, "converted<%t>(%0)"}, {TINY_OP_BITCAST, "bits_as<%t>(%0)", NULL, NULL},
  {TINY_OP_BROADCAST, "%0", NULL, "spread<%t>(%0)"}, {TINY_OP_PICK, "%0.at[%k]", NULL, NULL},
  {TINY_OP_STACK, "%t{{%a}}", NULL, NULL}, {TINY_OP_SHUFFLE, "exchanged(%0, %k)", NULL, NULL},
  {TINY_OP_LOAD, "*(%0)", NULL, NULL}, {TINY_OP_STORE, "*(%0) = %1", NULL, NULL},
  {TINY_OP_WMMA, "matrix_%n(%0, %1, %2)", NULL, NULL}
};

// arch: from which on there is one; of other GPUs than NVIDIA's 0.
static const struct { int dtype, arch; const char *type, *literal; } tn_cuda_types[] = {
  {TINY_VOID, 0, "void", NULL}, {TINY_BOOL, 0, "bool", "(bool)%k"}, {TINY_I8, 0, "signed char", NULL},
  {TINY_U8, 0, "unsigned char", NULL}, {TINY_I16, 0, "short", NULL}, {TINY_U16, 0, "unsigned short", NULL},
  {TINY_I32, 0, "int", "%k"}, {TINY_U32, 0, "unsigned", "%ku"}, {TINY_I64, 0, "long long", "%kll"},
  {TINY_U64, 0, "unsigned long long", "%kull"}, {TINY_F16, 0, "f16", "(f16)%kf"},
  {TINY_BF16, 80, "bf16", "(bf16)%kf"}, {TINY_F32, 0, "float", "%kf"}, {TINY_F64, 0, "double", "%k"}
};

// limits.atomics: CUDA C++ Programming Guide, atomicAdd, of doubles from 6.0 on; clang's __hip_atomic_fetch_add, which
// is a loop of exchanges where a GPU has no such instruction.
#define TN_CUDA_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_I64 | \
                         (uint64_t)1 << TINY_U64 | (uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)

static void tn_lang_cuda(tiny_renderer *r, int arch) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "CUDA C"; r->file = "cu";
  r->flags = TINY_TARGET_OPTIMIZES | TINY_TARGET_ALIGNED; r->exp2_ulps = 4;
  l->prelude = tn_cuda_prelude;
  l->kernel = "extern \"C\" __global__ void BOUNDS(%0 * %1 * %2) %n(VALUES) {\n  ITEMS(%0, %1)";
  l->end = "}";
  l->open_buffer = "%t *const %n = TINY_AT(%t, v.word[%k]);";
  l->open_scalar = "const %t %n = value_of<%t>(v.word[127 - %k]);";
  l->local = "alignas(16) __shared__ %t %n[%k];";
  l->local_given = "%t *const %n = (%t *)((char *)TINY_SHARED + %k);";
  l->barrier = "__syncthreads();";
  l->global_id = "(%t)GROUP_%d"; l->local_id = "(%t)ITEM_%d";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->infinity = "(%t)AS_FLOAT(0x7F800000)"; l->nan = "(%t)AS_FLOAT(0x7FC00000)"; l->zero = "spread<%t>(0)";
  l->vector = "lanes<%e, %l>";
  l->address = "%0 + %1";
  l->load_aligned = "*(const %t *)(%0)"; l->store_aligned = "*(%t *)(%0) = %1";
  l->load_turned = "load_turned<%t>(%0)"; l->load_rows = "load_rows<%t>(%0)";
  if (arch >= 80) { l->copy = "copy_later<%t>(%0, %1, %2)"; l->wait = "wait_copies<%k>();"; }
  l->load = "load<%t>(%0)"; l->load_masked = "load_masked(%0, %1, %2)";
  l->gather = "gather<%t>(%0, %1)"; l->gather_masked = "gather_masked(%0, %1, %2, %3)";
  l->store = "store(%0, %1)"; l->store_masked = "store_masked(%0, %1, %2)";
  l->scatter = "scatter(%0, %1, %2)"; l->scatter_masked = "scatter_masked(%0, %1, %2, %3)";
  l->low = "half_of<%t>(%0, 0)"; l->high = "half_of<%t>(%0, %l)";
  for (size_t i = 0; i < sizeof tn_cuda_types / sizeof *tn_cuda_types; i++) {
    if (tn_cuda_types[i].arch > arch) continue;
    l->types[tn_cuda_types[i].dtype] = tn_cuda_types[i].type;
    l->literals[tn_cuda_types[i].dtype] = tn_cuda_types[i].literal;
    if (TN_CUDA_ATOMICS >> tn_cuda_types[i].dtype & 1) l->atomics[tn_cuda_types[i].dtype] = "add_to(%0, %1)";
  }
  for (size_t i = 0; i < sizeof tn_cuda_ops / sizeof *tn_cuda_ops; i++) {
    l->ops[tn_cuda_ops[i].op] = tn_cuda_ops[i].scalar;
    l->eops[tn_cuda_ops[i].op] = tn_cuda_ops[i].exact;
    l->vops[tn_cuda_ops[i].op] = tn_cuda_ops[i].vector;
  }
}
#endif
