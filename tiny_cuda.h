/* tiny_cuda.h 0.1.0, source 3a000afe12c7107faf33213162428b36613c8e6aa0f41cd954a724378881562b

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/cuda/manual.txt ----
tiny_cuda.h: NVIDIA GPUs for tiny.h, by the driver that is there.

WHAT IT IS
  A device for tiny.h. The CUDA driver (libcuda) is loaded while the program runs, and NVRTC, which compiles kernels:
  no toolkit, no link, nothing to install for those who build the program.

      #define TINY_IMPLEMENTATION
      #include "tiny.h"
      #include "tiny_cuda.h"

      tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}});

  "CUDA" is the first GPU, "CUDA:1" the second. Without .device the first backend that opens is taken, and the CPU
  where none does: the same program runs where there is no GPU.

WHAT IT NEEDS
  A driver of CUDA 11.4 or later. NVRTC 11, 12 or 13 for kernels that are not in the cache yet: it comes with the CUDA
  toolkit, or alone by `pip install nvidia-cuda-nvrtc-cu12`. A program whose kernels were exported (tiny_cache_export)
  needs the driver alone.
  TINY_CUDA_DRIVER and TINY_CUDA_NVRTC in the environment name files that are loaded instead of those that the system
  finds.

A CONTEXT AND A STREAM OF YOUR OWN
  tiny_cuda_host gives the device's name for a CUcontext and a CUstream that the program has already: launches go to
  that stream, in order with the program's own.

      .device = tiny_cuda_host(context, stream).text

  Both must outlive the tiny_ctx. A CUcontext of NULL is the one that is current. Whatever context was current before
  a call of the library is current again behind it.

MEMORY OF YOUR OWN
  tiny_blob_of wraps a CUdeviceptr of the device's context without a copy: tiny_blob_of(t, (void *)(uintptr_t)pointer,
  ..).

KERNELS OF YOUR OWN
  tiny_kernel takes CUDA C: extern "C" __global__ void name(float *out, const float *in, ..). Parameters are the
  output, then the inputs; a number is an input of one element, several results are parts of one output. NVRTC
  compiles it without headers. Or .binary: a cubin for this GPU, or PTX, which the driver compiles. From CUDA 12.4 on
  parameters are counted before a launch; before it the driver reads beyond what it is given.

SEARCH, PROFILES
  tiny_desc.beam times schedules by events on the stream, and keeps what it found in the cache. tiny_profile_begin and
  TINY_DEBUG=k tell the same times, and what part of the GPU's measured limits they are.

ORDER
  What the library gives to a device happens in one stream. Bytes from the host go by pinned memory on a stream of
  their own, and are there before what is launched next. Kernels that are launched together again and again become a
  CUDA graph.

WHEN THE GPU IS LOST
  After an illegal address or a failed kernel a CUDA context takes nothing more: each call on that device is
  TINY_E_DEVICE and says so, until the tiny_ctx is closed. Other devices of the tiny_ctx, and its CPU, go on:
  tiny_clear, then go on.
---- end src/cuda/manual.txt ----
*/
#ifndef TINY_CUDA_H
#define TINY_CUDA_H
// ---- begin src/cuda/api.h ----
// api.h: the backend CUDA, and how a host that uses CUDA itself shares with it.
//
// Handles of CUDA (CUcontext, CUstream, CUdeviceptr) are void * here, so that no header of it is needed.
#ifndef TINY_API
  #include "tiny.h"
#endif

// NVIDIA GPUs: for tiny_desc.backends. Devices are "CUDA", "CUDA:1" .., and what tiny_cuda_host names.
#ifdef TINY_STATIC                          // then it is defined below, in the file that has the implementation
#elif defined(__cplusplus)
extern "C" TINY_EXPORT const tiny_backend tiny_cuda;
#else
extern TINY_EXPORT const tiny_backend tiny_cuda;
#endif

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_cuda_name { char text[48]; } tiny_cuda_name;

// The device of a CUcontext of the host's, with a CUstream of it that all launches go to, in order with what the host
// puts there itself (NULL: CUDA's default stream). Both outlive the tiny_ctx. context NULL: the one that is current on
// the thread that opens it.
TINY_API tiny_cuda_name tiny_cuda_host(void *context, void *stream);
// ---- end src/cuda/api.h ----
#endif // TINY_CUDA_H

// The implementation, for the one file that defines TINY_IMPLEMENTATION. It compiles as C and as C++; the
// functions above are extern "C" there, so both kinds of files link with it. (TINY_STATIC: all is static.)
#if defined(TINY_IMPLEMENTATION) && !defined(TINY_CUDA_IMPLEMENTATION_DONE)
#define TINY_CUDA_IMPLEMENTATION_DONE
#ifndef TINY_AMALGAMATED
  #define TINY_AMALGAMATED
#endif
#define TN_CUDA_SOURCE_ID "3a000afe12c7107faf33213162428b36613c8e6aa0f41cd954a724378881562b"
// ---- begin src/cuda/all.c ----
// all: the implementation of tiny_cuda.h, one #include a room. Of the library it uses what tiny.h shows to everyone.
// ---- begin src/cuda/../base/library.c ----
// library: shared libraries that are loaded while the program runs: drivers, which a program is not linked with.
//
// In:  names, as the system's loader takes them. Out: a handle, and addresses of what it exports; NULL where it is not.
// Holds: it stands in companion headers, which may be compiled where tiny.h's implementation is not, and in several of
//        them: it uses nothing of the other rooms and changes nothing process-wide. Before glibc 2.34 it wants -ldl.
#ifndef TN_BASE_LIBRARY
#define TN_BASE_LIBRARY
#include <stddef.h>
#include <string.h>
#ifdef _WIN32
  #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
  #endif
  #ifndef NOMINMAX
    #define NOMINMAX
  #endif
  #include <windows.h>
#else
  #include <dlfcn.h>
#endif

static void *tn_library_load(const char *name) {
#ifdef _WIN32
  enum { SEARCH_DEFAULT_DIRS = 0x1000 };   // of the program, of the system; not where the process happens to be
  return (void *)LoadLibraryExA(name, NULL, SEARCH_DEFAULT_DIRS);
#else
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}
// The first of these that is there; NULL ends them, and is the answer where none is.
static void *tn_library_open(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++) library = tn_library_load(*names);
  return library;
}
// An address of data or code, which the caller copies into a pointer of its type; NULL: it is not in there.
static void *tn_library_symbol(void *library, const char *name) {
#ifdef _WIN32
  const FARPROC found = GetProcAddress((HMODULE)library, name);
  void *address;
  memcpy(&address, &found, sizeof address);
  return address;
#else
  return dlsym(library, name);
#endif
}
static void tn_library_close(void *library) {
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
}
#endif
// ---- end src/cuda/../base/library.c ----
// ---- begin src/cuda/../base/digits.c ----
// digits: whole numbers in text without a sign: of devices, of versions, of addresses.
//
// In:  text. Out: what its first digits say, and what stands behind them.
// Holds: it stands in companion headers, as library.c does, and uses nothing of the other rooms; the host's locale
//        changes nothing.
#ifndef TN_BASE_DIGITS
#define TN_BASE_DIGITS
#include <stdint.h>
#include <string.h>

// What the digits that text begins with say in base 10 or 16. 0: there are none; UINT64_MAX: that, or more. *end:
// behind them; end may be NULL.
static uint64_t tn_digits_value(const char *text, uint64_t base, const char **end) {
  static const char digits[] = "0123456789abcdef";
  uint64_t k = 0;
  for (; *text; text++) {
    const char *digit = strchr(digits, *text >= 'A' && *text <= 'F' ? *text - 'A' + 'a' : *text);
    if (!digit || (uint64_t)(digit - digits) >= base) break;
    const uint64_t d = (uint64_t)(digit - digits);
    k = k > (UINT64_MAX - d) / base ? UINT64_MAX : k * base + d;
  }
  if (end) *end = text;
  return k;
}
#endif
// ---- end src/cuda/../base/digits.c ----
// ---- begin src/cuda/../render/lang_cuda.c ----
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
  "  FN float power2(float x) { return normal_power2(x < -126 ? x + 64 : x) * (x < -126 ? 5.42101086e-20f : 1); }",
  "  #define whole32 __builtin_truncf", "  #define whole64 __builtin_trunc",
  "  FN void meet() {",
  "    __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");", "    __builtin_amdgcn_s_barrier();",
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

#ifndef TINY_AMALGAMATED                    // tiny_cuda.h has no use for it
// gfx: "gfx1100". All of them take one text.
static void tn_lang_hip(tiny_renderer *r, const char *gfx) {
  (void)gfx;
  tn_lang_cuda(r, 0);
  r->name = "HIP C"; r->file = "hip"; r->exp2_ulps = 1;
  r->language.load_turned = r->language.load_rows = NULL;
  r->language.barrier = "meet();";
  // Copies of iterations are the schedule's to make: clang makes them of all whose number is known, up to 256 registers
  // and beyond (HIP's programming guide, "Unrolling loops").
  r->language.range = "_Pragma(\"nounroll\") for (%t %n = %1; %n < %0; %n++) {";
}
#endif
#endif
// ---- end src/cuda/../render/lang_cuda.c ----
// ---- begin src/cuda/driver.c ----
// driver: the CUDA driver and NVRTC as they are called here: own declarations, loaded while the program runs.
//
// In:    libraries that the system finds, or TINY_CUDA_DRIVER and TINY_CUDA_NVRTC name. Out: tables of functions.
// Holds: a function that not every driver has is marked, and NULL where it is missing; without any other one the driver
//        is too old. Once used they stay loaded: they have threads and exit handlers.
// What is what: cuda.h and nvrtc.h of CUDA 11.4 to 13.0, whose numbers and structs stand here.
#ifndef TN_CUDA_DRIVER
#define TN_CUDA_DRIVER
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/library.c"
#include "../base/digits.c"
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
  #define TN_CUDA_CALL __stdcall
#else
  #define TN_CUDA_CALL
#endif

typedef uint64_t tn_cu_ptr;                // CUdeviceptr
enum {                                     // CUresult
  TN_CU_INVALID_VALUE = 1, TN_CU_OUT_OF_MEMORY = 2, TN_CU_STUB_LIBRARY = 34, TN_CU_NO_DEVICE = 100,
  TN_CU_INVALID_DEVICE = 101,
  TN_CU_NOT_READY = 600, TN_CU_ILLEGAL_ADDRESS = 700, TN_CU_TOO_MANY_RESOURCES = 701, TN_CU_TIMEOUT = 702,
  TN_CU_PEER_ENABLED = 704, TN_CU_ASSERT = 710, TN_CU_STACK_ERROR = 714, TN_CU_LAUNCH_FAILED = 719,
  TN_CU_ECC = 214, TN_CU_NVLINK = 220, TN_CU_CONTAINED = 226, TN_CU_DESTROYED = 709, TN_CU_NOT_FOUND = 500
};
enum {                                     // CUdevice_attribute
  TN_CU_MAX_THREADS = 1, TN_CU_MAX_BLOCK_X = 2, TN_CU_MAX_GRID_X = 5, TN_CU_SHARED = 8, TN_CU_WARP = 10,
  TN_CU_PROCESSORS = 16, TN_CU_L2 = 38, TN_CU_MAJOR = 75, TN_CU_MINOR = 76, TN_CU_SHARED_OF_SM = 81,
  TN_CU_SHARED_OPTIN = 97, TN_CU_POOLS = 115
};
enum {                                     // CUfunction_attribute, flags of streams and events, CUjit_option
  TN_CU_FUNC_THREADS = 0, TN_CU_FUNC_DYNAMIC = 8, TN_CU_NON_BLOCKING = 1, TN_CU_NO_TIMING = 2,
  TN_CU_JIT_ERROR_LOG = 5, TN_CU_JIT_ERROR_NBYTES = 6
};
// CUDA_KERNEL_NODE_PARAMS_v1
typedef struct tn_cu_node {
  void *func; unsigned grid[3], block[3], shared; void **params, **extra;
} tn_cu_node;

// result, name in the table, name in the library, parameters; for a driver that need not have it TN_CUDA_MAYBE.
#define TN_CUDA_FUNCTIONS(_, MAYBE) \
  _(init, "cuInit", (unsigned flags)) \
  _(driver_version, "cuDriverGetVersion", (int *out)) \
  _(error_name, "cuGetErrorName", (int code, const char **out)) \
  _(error_text, "cuGetErrorString", (int code, const char **out)) \
  _(device_count, "cuDeviceGetCount", (int *out)) \
  _(device_get, "cuDeviceGet", (int *out, int number)) \
  _(device_name, "cuDeviceGetName", (char *out, int nbytes, int device)) \
  _(device_attribute, "cuDeviceGetAttribute", (int *out, int which, int device)) \
  _(primary_retain, "cuDevicePrimaryCtxRetain", (void **out, int device)) \
  _(primary_release, "cuDevicePrimaryCtxRelease_v2", (int device)) \
  _(ctx_push, "cuCtxPushCurrent_v2", (void *ctx)) \
  _(ctx_pop, "cuCtxPopCurrent_v2", (void **out)) \
  _(ctx_current, "cuCtxGetCurrent", (void **out)) \
  _(ctx_device, "cuCtxGetDevice", (int *out)) \
  _(can_access_peer, "cuDeviceCanAccessPeer", (int *out, int device, int peer)) \
  _(enable_peer, "cuCtxEnablePeerAccess", (void *peer, unsigned flags)) \
  _(stream_new, "cuStreamCreate", (void **out, unsigned flags)) \
  _(stream_free, "cuStreamDestroy_v2", (void *stream)) \
  _(stream_sync, "cuStreamSynchronize", (void *stream)) \
  _(stream_wait, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags)) \
  _(event_new, "cuEventCreate", (void **out, unsigned flags)) \
  _(event_free, "cuEventDestroy_v2", (void *event)) \
  _(event_record, "cuEventRecord", (void *event, void *stream)) \
  _(event_sync, "cuEventSynchronize", (void *event)) \
  _(event_elapsed, "cuEventElapsedTime", (float *ms, void *from, void *to)) \
  _(mem_alloc, "cuMemAlloc_v2", (tn_cu_ptr *out, size_t nbytes)) \
  _(mem_free, "cuMemFree_v2", (tn_cu_ptr p)) \
  _(host_alloc, "cuMemHostAlloc", (void **out, size_t nbytes, unsigned flags)) \
  _(host_free, "cuMemFreeHost", (void *p)) \
  _(copy_in, "cuMemcpyHtoDAsync_v2", (tn_cu_ptr to, const void *from, size_t nbytes, void *stream)) \
  _(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, tn_cu_ptr from, size_t nbytes, void *stream)) \
  _(copy_peer, "cuMemcpyPeerAsync", \
    (tn_cu_ptr to, void *to_ctx, tn_cu_ptr from, void *from_ctx, size_t nbytes, void *stream)) \
  _(module_load, "cuModuleLoadDataEx", (void **out, const void *image, unsigned n, int *options, void **values)) \
  _(module_free, "cuModuleUnload", (void *module)) \
  _(module_function, "cuModuleGetFunction", (void **out, void *module, const char *name)) \
  _(module_global, "cuModuleGetGlobal_v2", (tn_cu_ptr *at, size_t *nbytes, void *module, const char *name)) \
  _(func_attribute, "cuFuncGetAttribute", (int *out, int which, void *func)) \
  _(func_set, "cuFuncSetAttribute", (void *func, int which, int value)) \
  _(launch, "cuLaunchKernel", (void *func, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
    unsigned bz, unsigned shared, void *stream, void **params, void **extra)) \
  _(graph_new, "cuGraphCreate", (void **out, unsigned flags)) \
  _(graph_free, "cuGraphDestroy", (void *graph)) \
  _(graph_kernel, "cuGraphAddKernelNode", \
    (void **out, void *graph, void *const *after, size_t nafter, const tn_cu_node *node)) \
  _(graph_make, "cuGraphInstantiateWithFlags", (void **out, void *graph, unsigned long long flags)) \
  _(graph_set, "cuGraphExecKernelNodeSetParams", (void *exec, void *node, const tn_cu_node *to)) \
  _(graph_launch, "cuGraphLaunch", (void *exec, void *stream)) \
  _(graph_drop, "cuGraphExecDestroy", (void *exec)) \
  MAYBE(func_param, "cuFuncGetParamInfo", (void *func, size_t i, size_t *offset, size_t *nbytes)) \
  MAYBE(pool_alloc, "cuMemAllocAsync", (tn_cu_ptr *out, size_t nbytes, void *stream)) \
  MAYBE(pool_free, "cuMemFreeAsync", (tn_cu_ptr p, void *stream))
#define TN_NVRTC_FUNCTIONS(_, MAYBE) \
  _(version, "nvrtcVersion", (int *major, int *minor)) \
  _(create, "nvrtcCreateProgram", (void **out, const char *source, const char *name, int n, \
    const char *const *headers, const char *const *names)) \
  _(destroy, "nvrtcDestroyProgram", (void **program)) \
  _(compile, "nvrtcCompileProgram", (void *program, int n, const char *const *options)) \
  _(log_nbytes, "nvrtcGetProgramLogSize", (void *program, size_t *out)) \
  _(log, "nvrtcGetProgramLog", (void *program, char *out)) \
  _(ptx_nbytes, "nvrtcGetPTXSize", (void *program, size_t *out)) \
  _(ptx, "nvrtcGetPTX", (void *program, char *out)) \
  MAYBE(cubin_nbytes, "nvrtcGetCUBINSize", (void *program, size_t *out)) \
  MAYBE(cubin, "nvrtcGetCUBIN", (void *program, char *out)) \
  MAYBE(arch_count, "nvrtcGetNumSupportedArchs", (int *out)) \
  MAYBE(archs, "nvrtcGetSupportedArchs", (int *out))

#define TN_CUDA_MEMBER(name, symbol, parameters) int (TN_CUDA_CALL *name) parameters;
typedef struct tn_cuda_driver { TN_CUDA_FUNCTIONS(TN_CUDA_MEMBER, TN_CUDA_MEMBER) } tn_cuda_driver;
typedef struct tn_nvrtc { TN_NVRTC_FUNCTIONS(TN_CUDA_MEMBER, TN_CUDA_MEMBER) } tn_nvrtc;
#undef TN_CUDA_MEMBER

typedef struct tn_cuda_symbol { const char *name; size_t at; int must; } tn_cuda_symbol;

// Addresses into a table. NULL, or the name of what is missing.
static const char *tn_cuda_symbols(void *library, const tn_cuda_symbol *s, size_t n, void *table) {
  for (size_t i = 0; i < n; i++) {
    void *const found = tn_library_symbol(library, s[i].name);
    if (!found && s[i].must) return s[i].name;
    memcpy((char *)table + s[i].at, &found, sizeof found);
  }
  return NULL;
}
// The library that the environment names, or the first of these.
static void *tn_cuda_library(const char *variable, const char *const *names) {
  const char *own = getenv(variable), *const named[2] = {own, NULL};
  return tn_library_open(own && *own ? named : names);
}

#define TN_CUDA_MUST(name, symbol, parameters) {symbol, offsetof(tn_cuda_driver, name), 1},
#define TN_CUDA_MAY(name, symbol, parameters) {symbol, offsetof(tn_cuda_driver, name), 0},
static tiny_code tn_cuda_driver_open(tiny_ctx *t, tn_cuda_driver *cu) {
  static const tn_cuda_symbol symbols[] = {TN_CUDA_FUNCTIONS(TN_CUDA_MUST, TN_CUDA_MAY)};
  static const char *const names[] = {
#ifdef _WIN32
    "nvcuda.dll",
#else
    "libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
#endif
    NULL
  };
  void *const library = tn_cuda_library("TINY_CUDA_DRIVER", names);
  if (!library)
    return tiny_fail(t, TINY_E_DEVICE, "CUDA: there is no driver (%s was not found); install NVIDIA's for this GPU",
                     names[0]);
  const char *missing = tn_cuda_symbols(library, symbols, sizeof symbols / sizeof *symbols, cu);
  if (missing) tn_library_close(library);
  if (missing)
    return tiny_fail(t, TINY_E_DEVICE, "CUDA: the driver is too old, it has no %s; install one of CUDA 11.4 or later",
                     missing);
  return TINY_OK;
}
#undef TN_CUDA_MUST
#undef TN_CUDA_MAY

#define TN_CUDA_MUST(name, symbol, parameters) {symbol, offsetof(tn_nvrtc, name), 1},
#define TN_CUDA_MAY(name, symbol, parameters) {symbol, offsetof(tn_nvrtc, name), 0},
// 0: it is not there.
static int tn_nvrtc_open(tn_nvrtc *rtc) {
  static const tn_cuda_symbol symbols[] = {TN_NVRTC_FUNCTIONS(TN_CUDA_MUST, TN_CUDA_MAY)};
  static const char *const names[] = {
#ifdef _WIN32
    "nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll",
#else
    "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so",
#endif
    NULL
  };
  void *const library = tn_cuda_library("TINY_CUDA_NVRTC", names);
  return library && !tn_cuda_symbols(library, symbols, sizeof symbols / sizeof *symbols, rtc);
}
#undef TN_CUDA_MUST
#undef TN_CUDA_MAY
#endif
// ---- end src/cuda/driver.c ----
// ---- begin src/cuda/device.c ----
// device: a GPU, its CUDA context and stream: opened, closed; what its driver says is wrong.
//
// In:    "", a number, or "host-CONTEXT-STREAM". Out: a tn_cuda with its limits.
// Holds: whatever context was current before a call is current behind it. After an error that ends a CUDA context (an
//        illegal address) each call says so, and nothing more is given to the driver but what frees.
#ifndef TN_CUDA_DEVICE
#define TN_CUDA_DEVICE
#ifndef TINY_AMALGAMATED
#include "driver.c"
#include "../render/lang_cuda.c"
#endif

enum { TN_CUDA_MARKS = 4, TN_CUDA_CHUNKS = 4, TN_CUDA_CHUNK = 4 << 20, TN_CUDA_GRAPHS = 16 };

typedef struct tn_cuda_block { tn_cu_ptr at; uint64_t used; } tn_cuda_block;    // at 0: free
typedef struct tn_cuda_mark { void *event; uint64_t place; } tn_cuda_mark;
typedef struct tn_cuda_chunk { char *at; void *event; size_t fill; int busy; } tn_cuda_chunk;
typedef struct tn_cuda_stamp { uint64_t *out; void *from, *to; } tn_cuda_stamp;

typedef struct tn_cuda {
  tiny_ctx *t; tn_cuda_driver cu; tn_nvrtc rtc;
  int compiler;                            // NVRTC: 0 not looked for, 1 there, -1 missing
  int device, sm, primary, pools, lost;    // sm: 90 of compute capability 9.0; lost: the CUresult
  void *ctx, *stream, *copies, *copied;    // copies: of bytes from the host; copied: the event behind the last one
  int own_stream;
  char name[24], target[16], gpu[96];
  int max_threads, grid[3], block[3], shared;
  uint64_t given, done;                    // places in the order: of what was given last; known to have happened
  tn_cuda_block *blocks; size_t nblock, cap;
  tn_cuda_mark mark[TN_CUDA_MARKS]; int marks;               // marks: so many were made
  tn_cuda_chunk chunk[TN_CUDA_CHUNKS]; int chunk_now;
  tn_cuda_stamp *stamp; int nstamp, stamp_cap;
  void *began; uint64_t began_ns;          // of the device's clock: an event, and when that was
  struct tn_cuda_module *gone;             // modules that launches may still use
  struct tn_cuda_graph *graph[TN_CUDA_GRAPHS];
  uint64_t peers;                          // bit per device that may be read directly
} tn_cuda;

// ** errors **

// Does the CUDA context take nothing more after it? (CUDA Driver API, CUresult)
static int tn_cuda_ends(int result) {
  return (result >= TN_CU_ILLEGAL_ADDRESS && result <= TN_CU_TIMEOUT && result != TN_CU_TOO_MANY_RESOURCES) ||
      result == TN_CU_ASSERT || (result >= TN_CU_STACK_ERROR && result <= TN_CU_LAUNCH_FAILED) ||
      result == TN_CU_ECC || result == TN_CU_NVLINK || result == TN_CU_CONTAINED || result == TN_CU_DESTROYED;
}
static const char *tn_cuda_text(const tn_cuda_driver *cu, int result) {
  const char *text = NULL;
  return cu->error_text(result, &text) || !text ? "an unknown error" : text;
}
static tiny_code tn_cuda_failed(tn_cuda *d, int result, const char *what) {
  const char *name = NULL;
  if (d->cu.error_name(result, &name) || !name) name = "CUDA_ERROR_UNKNOWN";
  if (tn_cuda_ends(result)) d->lost = result;
  if (d->lost)
    return tiny_fail(d->t, TINY_E_DEVICE,
                     "%s: the device is lost: %s (%s), seen by %s; close the context, or go on with "
                     "another device",
                     d->name, tn_cuda_text(&d->cu, d->lost), name, what);
  return tiny_fail(d->t, result == TN_CU_OUT_OF_MEMORY ? TINY_E_MEMORY : TINY_E_DEVICE, "%s: %s: %s (%s)", d->name,
                   what, tn_cuda_text(&d->cu, result), name);
}
static tiny_code tn_cuda_check(tn_cuda *d, int result, const char *what) {
  return result ? tn_cuda_failed(d, result, what) : TINY_OK;
}

// ** the current context **

// Before anything is asked of the device; what a lost one is asked is refused. Each TINY_OK has its leave.
static tiny_code tn_cuda_enter(tn_cuda *d, const char *what) {
  if (d->lost) return tn_cuda_failed(d, d->lost, what);
  return tn_cuda_check(d, d->cu.ctx_push(d->ctx), what);
}
static tiny_code tn_cuda_leave(tn_cuda *d, tiny_code code) {
  void *was;
  d->cu.ctx_pop(&was);
  return code;
}

// ** the host's own **

TINY_API tiny_cuda_name tiny_cuda_host(void *context, void *stream) {
  tiny_cuda_name name;
  snprintf(name.text, sizeof name.text, "CUDA:host-%llx-%llx", (unsigned long long)(uintptr_t)context,
           (unsigned long long)(uintptr_t)stream);
  return name;
}
// 0: `which` does not name them.
static int tn_cuda_host_named(tn_cuda *d, const char *which) {
  static const char head[] = "host-";
  const char *end;
  if (strncmp(which, head, sizeof head - 1)) return 0;
  const uint64_t context = tn_digits_value(which + sizeof head - 1, 16, &end);
  if (*end != '-') return 0;
  const uint64_t stream = tn_digits_value(end + 1, 16, &end);
  if (*end) return 0;
  d->ctx = (void *)(uintptr_t)context;
  d->stream = (void *)(uintptr_t)stream;
  return 1;
}
static tiny_code tn_cuda_take_host(tn_cuda *d) {
  if (!d->ctx && (d->cu.ctx_current(&d->ctx) || !d->ctx))
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: no CUDA context is current on this thread; give tiny_cuda_host one");
  tiny_code code = tn_cuda_enter(d, "the host's context");
  if (code == TINY_OK) code = tn_cuda_leave(d, tn_cuda_check(d, d->cu.ctx_device(&d->device), "the host's context"));
  return code;
}

// ** opening **

static tiny_code tn_cuda_take_primary(tn_cuda *d, const char *which) {
  int count = 0;
  const char *end;
  const uint64_t number = tn_digits_value(which, 10, &end);
  const int result = d->cu.device_count(&count);
  if (*end || *which == '-')
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: there is no device CUDA:%s; devices are numbers, CUDA:0, CUDA:1 ..",
                     which);
  if (result || !count)
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver finds no GPU (is it hidden by CUDA_VISIBLE_DEVICES?)");
  if (number >= (unsigned long)count)
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: there is no device CUDA:%s; the driver finds %d, counted from 0",
                     which, count);
  tiny_code code = tn_cuda_check(d, d->cu.device_get(&d->device, (int)number), "opening it");
  if (code == TINY_OK) code = tn_cuda_check(d, d->cu.primary_retain(&d->ctx, d->device), "making its context");
  d->primary = code == TINY_OK;
  return code;
}
static tiny_code tn_cuda_init(tn_cuda *d) {
  enum { LEAST = 11040 };
  int version = 0;
  const int result = d->cu.init(0);
  if (result == TN_CU_STUB_LIBRARY)
    return tiny_fail(d->t, TINY_E_DEVICE,
                     "CUDA: libcuda is the toolkit's stub and no driver; install NVIDIA's driver, and "
                     "keep lib64/stubs out of LD_LIBRARY_PATH");
  if (result == TN_CU_NO_DEVICE) return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver finds no GPU");
  if (result)
    return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver does not start: %s (error %d)",
                     tn_cuda_text(&d->cu, result), result);
  if (!d->cu.driver_version(&version) && version >= LEAST) return TINY_OK;
  return tiny_fail(d->t, TINY_E_DEVICE, "CUDA: the driver is of CUDA %d.%d; install one of CUDA 11.4 or later",
                   version / 1000, version % 1000 / 10);
}

// What schedules ask (tiny_limits) and launches are held to. Registers of a thread: CUDA C++ Programming Guide, Compute
// Capabilities; bytes that it loads at once: there, Device Memory Accesses.
static tiny_code tn_cuda_limits(tn_cuda *d, tiny_limits *out) {
  int major = 0, minor = 0, warp = 0, l2 = 0, of_sm = 0, processors = 0;
  const struct { int which, *to; } asked[] = {
    {TN_CU_MAJOR, &major}, {TN_CU_MINOR, &minor}, {TN_CU_WARP, &warp}, {TN_CU_L2, &l2}, {TN_CU_SHARED_OF_SM, &of_sm},
    {TN_CU_PROCESSORS, &processors},
    {TN_CU_MAX_THREADS, &d->max_threads}, {TN_CU_SHARED_OPTIN, &d->shared}, {TN_CU_MAX_GRID_X, &d->grid[0]},
    {TN_CU_MAX_GRID_X + 1, &d->grid[1]}, {TN_CU_MAX_GRID_X + 2, &d->grid[2]}, {TN_CU_MAX_BLOCK_X, &d->block[0]},
    {TN_CU_MAX_BLOCK_X + 1, &d->block[1]}, {TN_CU_MAX_BLOCK_X + 2, &d->block[2]}
  };
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    const int result = d->cu.device_attribute(asked[i].to, asked[i].which, d->device);
    if (result) return tn_cuda_failed(d, result, "asking for its limits");
  }
  if (!d->cu.pool_alloc || !d->cu.pool_free || d->cu.device_attribute(&d->pools, TN_CU_POOLS, d->device)) d->pools = 0;
  if (d->cu.device_name(d->gpu, (int)sizeof d->gpu, d->device)) d->gpu[0] = 0;
  d->sm = major * 10 + minor;
  snprintf(d->target, sizeof d->target, "sm_%d%s", d->sm, d->sm == 90 ? "a" : "");
  out->warp = warp;
  out->compute_units = processors;
  out->vector_nbytes = 16; out->vector_registers = 255;
  out->copies_async = d->sm >= 80;          // PTX ISA, cp.async
  out->units = tiny_warp_units(d->target, &out->nunits);
  out->dtypes = TN_CUDA_ARITHMETIC; out->atomics = TN_CUDA_ATOMICS;
  out->shared_nbytes = (size_t)d->shared;
  out->local_total = d->max_threads;
  for (int i = 0; i < 3; i++) { out->global_max[i] = d->grid[i]; out->local_max[i] = d->max_threads; }
  out->memory[0].nbytes = (size_t)of_sm;
  out->cache_nbytes = out->memory[1].nbytes = (size_t)of_sm;
  out->memory[2].nbytes = (size_t)l2;
  for (int i = 0; i < 3; i++) out->memory[i].line = 128;
  return TINY_OK;
}

static tiny_code tn_cuda_streams(tn_cuda *d) {
  tiny_code code = tn_cuda_enter(d, "making a stream");
  if (code != TINY_OK) return code;
  int result = d->primary ? d->cu.stream_new(&d->stream, TN_CU_NON_BLOCKING) : 0;
  d->own_stream = d->primary && !result;
  if (!result) result = d->cu.stream_new(&d->copies, TN_CU_NON_BLOCKING);
  if (!result) result = d->cu.event_new(&d->copied, TN_CU_NO_TIMING);
  if (!result) result = d->cu.event_new(&d->began, 0);
  if (!result) result = d->cu.event_record(d->began, d->stream);
  return tn_cuda_leave(d, tn_cuda_check(d, result, "making a stream"));
}
static tiny_code tn_cuda_begin(tn_cuda *d, const char *which, tiny_limits *limits) {
  tiny_code code = tn_cuda_driver_open(d->t, &d->cu);
  if (code == TINY_OK) code = tn_cuda_init(d);
  if (code != TINY_OK) return code;
  code = tn_cuda_host_named(d, which) ? tn_cuda_take_host(d) : tn_cuda_take_primary(d, which);
  if (code == TINY_OK) code = tn_cuda_limits(d, limits);
  if (code == TINY_OK) code = tn_cuda_streams(d);
  if (code == TINY_OK)
    tiny_log_line(d->t, 'p', "%s: %s, %s%s", d->name, d->gpu, d->target, d->pools ? ", memory pool" : "");
  return code;
}
#endif
// ---- end src/cuda/device.c ----
// ---- begin src/cuda/memory.c ----
// memory: of the device: given out and freed in the order of its stream; bytes to it, from it, between two devices.
//
// In:    what the backend is asked. Out: work in the device's stream, or in that of copies, which events order.
// Holds: handles are CUdeviceptrs. Of each block is known in which place of the order something used it last, so that
//        bytes go to a block that nothing uses any more while kernels before them run; what is not known, as memory of
//        the host's, counts as used now. Bytes from the host are in pinned memory when the call returns.
#ifndef TN_CUDA_MEMORY
#define TN_CUDA_MEMORY
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static tn_cu_ptr tn_cuda_at(tiny_mem m) { return (tn_cu_ptr)(uintptr_t)m.base + m.offset; }

// ** blocks: a table by address, open addressing **

static size_t tn_cuda_home(const tn_cuda *d, tn_cu_ptr at) {
  return (size_t)((at >> 8) * 0x9E3779B97F4A7C15u >> 32) & (d->cap - 1);
}
static tn_cuda_block *tn_cuda_block_of(const tn_cuda *d, tn_cu_ptr at) {
  if (!d->cap) return NULL;
  for (size_t i = tn_cuda_home(d, at); d->blocks[i].at; i = (i + 1) & (d->cap - 1))
    if (d->blocks[i].at == at) return &d->blocks[i];
  return NULL;
}
static void tn_cuda_block_put(tn_cuda *d, tn_cuda_block b) {
  size_t i = tn_cuda_home(d, b.at);
  while (d->blocks[i].at) i = (i + 1) & (d->cap - 1);
  d->blocks[i] = b;
  d->nblock++;
}
// Where memory for a larger table is refused, the block is not known.
static void tn_cuda_block_add(tn_cuda *d, tn_cu_ptr at) {
  if (d->nblock * 2 >= d->cap) {
    const size_t cap = d->cap, more = cap ? cap * 2 : 64;
    tn_cuda_block *was = d->blocks, *now = (tn_cuda_block *)tiny_realloc(d->t, NULL, 0, more * sizeof *now);
    if (!now) return;
    memset(now, 0, more * sizeof *now);
    d->blocks = now; d->cap = more; d->nblock = 0;
    for (size_t i = 0; i < cap; i++) if (was[i].at) tn_cuda_block_put(d, was[i]);
    if (was) tiny_realloc(d->t, was, cap * sizeof *was, 0);
  }
  const tn_cuda_block b = {at, d->given};
  tn_cuda_block_put(d, b);
}
// Those behind it move up, so that each is still found from its home.
static void tn_cuda_block_drop(tn_cuda *d, tn_cu_ptr at) {
  tn_cuda_block *b = tn_cuda_block_of(d, at);
  if (!b) return;
  b->at = 0;
  d->nblock--;
  for (size_t i = ((size_t)(b - d->blocks) + 1) & (d->cap - 1); d->blocks[i].at; i = (i + 1) & (d->cap - 1)) {
    const tn_cuda_block moved = d->blocks[i];
    d->blocks[i].at = 0;
    d->nblock--;
    tn_cuda_block_put(d, moved);
  }
}
static void tn_cuda_use(tn_cuda *d, tiny_mem m) {
  tn_cuda_block *b = tn_cuda_block_of(d, (tn_cu_ptr)(uintptr_t)m.base);
  if (b) b->used = d->given;
}

// ** alloc and free **

static int tn_cuda_take(tn_cuda *d, size_t nbytes, tn_cu_ptr *out) {
  const int result = d->pools ? d->cu.pool_alloc(out, nbytes, d->stream) : d->cu.mem_alloc(out, nbytes);
  if (result != TN_CU_OUT_OF_MEMORY || d->cu.stream_sync(d->stream)) return result; // what is freed has come back now
  return d->pools ? d->cu.pool_alloc(out, nbytes, d->stream) : d->cu.mem_alloc(out, nbytes);
}
static void *tn_cuda_alloc(void *dev, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  tn_cu_ptr at = 0;
  if (tn_cuda_enter(d, "memory") != TINY_OK) return NULL;
  const int result = tn_cuda_take(d, nbytes, &at);
  if (result && result != TN_CU_OUT_OF_MEMORY) tn_cuda_failed(d, result, "memory");
  tn_cuda_leave(d, TINY_OK);
  if (result) return NULL;
  d->given++;
  tn_cuda_block_add(d, at);
  return (void *)(uintptr_t)at;
}
static void tn_cuda_free(void *dev, void *mem, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tn_cu_ptr at = (tn_cu_ptr)(uintptr_t)mem;
  (void)nbytes;
  tn_cuda_block_drop(d, at);
  if (d->lost || d->cu.ctx_push(d->ctx)) return;             // it goes with the context
  if (!d->pools) { d->cu.stream_sync(d->copies); d->cu.stream_sync(d->stream); }
  const int result = d->pools ? d->cu.pool_free(at, d->stream) : d->cu.mem_free(at);
  if (result) tn_cuda_failed(d, result, "freeing memory");
  tn_cuda_leave(d, TINY_OK);
}

// ** pinned memory between: a ring of chunks **

static int tn_cuda_chunk_make(tn_cuda *d, tn_cuda_chunk *c) {
  void *at = NULL;
  if (!c->event && d->cu.event_new(&c->event, TN_CU_NO_TIMING)) return 0;
  if (d->cu.host_alloc(&at, TN_CUDA_CHUNK, 0)) return 0;
  c->at = (char *)at;
  return 1;
}
// The next chunk, when what was in it has been copied. NULL: there is no pinned memory; the copies then wait.
static tn_cuda_chunk *tn_cuda_chunk_next(tn_cuda *d) {
  tn_cuda_chunk *c = &d->chunk[d->chunk_now];
  if (c->fill && !c->busy) c->busy = !d->cu.event_record(c->event, d->copies);
  d->chunk_now = (d->chunk_now + 1) % TN_CUDA_CHUNKS;
  c = &d->chunk[d->chunk_now];
  if (!c->at && !tn_cuda_chunk_make(d, c)) return NULL;
  if (c->busy && d->cu.event_sync(c->event)) return NULL;
  c->fill = 0;
  c->busy = 0;
  return c;
}

// ** copies **

// The stream of copies goes on when place `used` of the order has happened. A mark at each copy lets the next ones wait
// for less than all.
static int tn_cuda_copies_wait(tn_cuda *d, uint64_t used) {
  const tn_cuda_mark *behind = NULL;
  const int last = (d->marks + TN_CUDA_MARKS - 1) % TN_CUDA_MARKS;
  if (!d->mark[last].event || d->mark[last].place != d->given) {
    tn_cuda_mark *m = &d->mark[d->marks % TN_CUDA_MARKS];
    int result = m->event ? 0 : d->cu.event_new(&m->event, TN_CU_NO_TIMING);
    if (!result) result = d->cu.event_record(m->event, d->stream);
    if (result) return result;
    m->place = d->given;
    d->marks = (d->marks + 1) % TN_CUDA_MARKS;
  }
  if (used <= d->done) return 0;
  for (int i = 0; i < TN_CUDA_MARKS; i++) {
    const tn_cuda_mark *m = &d->mark[i];
    if (m->event && m->place >= used && (!behind || m->place < behind->place)) behind = m;
  }
  return d->cu.stream_wait(d->copies, behind->event, 0);
}
static int tn_cuda_copy_piece(tn_cuda *d, tn_cu_ptr to, const char *from, size_t *nbytes) {
  tn_cuda_chunk *c = &d->chunk[d->chunk_now];
  if (!c->at || c->busy || c->fill == TN_CUDA_CHUNK) c = tn_cuda_chunk_next(d);
  if (!c) {
    const int result = d->cu.copy_in(to, from, *nbytes, d->copies);
    return result ? result : d->cu.stream_sync(d->copies);
  }
  if (*nbytes > TN_CUDA_CHUNK - c->fill) *nbytes = TN_CUDA_CHUNK - c->fill;
  char *const at = c->at + c->fill;
  memcpy(at, from, *nbytes);
  c->fill += *nbytes;
  return d->cu.copy_in(to, at, *nbytes, d->copies);
}
static tiny_code tn_cuda_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tn_cuda_block *b = tn_cuda_block_of(d, (tn_cu_ptr)(uintptr_t)dst.base);
  const tiny_code code = tn_cuda_enter(d, "copying to it");
  if (code != TINY_OK) return code;
  int result = tn_cuda_copies_wait(d, b ? b->used : d->given);
  for (size_t at = 0, n; at < nbytes && !result; at += n) {
    n = nbytes - at;
    result = tn_cuda_copy_piece(d, tn_cuda_at(dst) + at, (const char *)src + at, &n);
  }
  if (!result) result = d->cu.event_record(d->copied, d->copies);
  if (!result) result = d->cu.stream_wait(d->stream, d->copied, 0);
  if (result) d->cu.stream_sync(d->copies);                  // nothing is on its way that nobody waits for
  return tn_cuda_leave(d, tn_cuda_check(d, result, "copying to it"));
}

// A chunk is on its way while the host empties the one before.
static int tn_cuda_copy_out_pieces(tn_cuda *d, char *dst, tn_cu_ptr src, size_t nbytes) {
  tn_cuda_chunk *before = NULL;
  size_t at = 0;
  for (int result; at < nbytes || before; ) {
    tn_cuda_chunk *c = NULL;
    const size_t from = at, n = nbytes - at < (size_t)TN_CUDA_CHUNK ? nbytes - at : (size_t)TN_CUDA_CHUNK;
    if (n && (c = tn_cuda_chunk_next(d)) != NULL) {
      if ((result = d->cu.copy_out(c->at, src + at, n, d->stream)) != 0) return result;
      if ((result = d->cu.event_record(c->event, d->stream)) != 0) return result;
      c->fill = n;
      c->busy = 1;
      at += n;
    }
    if (before) {
      if ((result = d->cu.event_sync(before->event)) != 0) return result;
      before->busy = 0;
      memcpy(dst + from - before->fill, before->at, before->fill);
      before->fill = 0;
    }
    before = c;
    if (n && !c) break;
  }
  if (at == nbytes) return 0;
  const int result = d->cu.copy_out(dst + at, src + at, nbytes - at, d->stream);    // no pinned memory
  return result ? result : d->cu.stream_sync(d->stream);
}
static tiny_code tn_cuda_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "copying from it");
  if (code != TINY_OK) return code;
  const int result = nbytes ? tn_cuda_copy_out_pieces(d, (char *)dst, tn_cuda_at(src), nbytes)
                            : d->cu.stream_sync(d->stream);
  if (!result) d->done = d->given;
  return tn_cuda_leave(d, tn_cuda_check(d, result, "copying from it"));
}

// Directly, where the driver can; else it goes by way of the host. That a pair may is asked once.
static void tn_cuda_meet(tn_cuda *d, const tn_cuda *from) {
  int can = 0;
  const uint64_t bit = (uint64_t)1 << (from->device & 63);
  if (d->peers & bit || d->device == from->device) return;
  d->peers |= bit;
  if (!d->cu.can_access_peer(&can, d->device, from->device) && can) d->cu.enable_peer(from->ctx, 0);
}
static tiny_code tn_cuda_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tn_cuda *other = (const tn_cuda *)from;
  const tiny_code code = tn_cuda_enter(d, "copying from another device");
  if (code != TINY_OK) return code;
  tn_cuda_meet(d, other);
  d->given++;
  tn_cuda_use(d, dst);
  const int result =
      nbytes ? d->cu.copy_peer(tn_cuda_at(dst), d->ctx, tn_cuda_at(src), other->ctx, nbytes, d->stream) : 0;
  return tn_cuda_leave(d, tn_cuda_check(d, result, "copying from another device"));
}
#endif
// ---- end src/cuda/memory.c ----
// ---- begin src/cuda/compile.c ----
// compile: CUDA C -> cubin, by NVRTC.
//
// In:    texts. Out: a cubin for the device's architecture; PTX, which the driver compiles, where NVRTC is older than
//        the device; or what the compiler says.
// What is what: NVRTC, user guide, "Supported Compile Options".
#ifndef TN_CUDA_COMPILE
#define TN_CUDA_COMPILE
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static tiny_code tn_cuda_compiler(tn_cuda *d) {
  int major = 0, minor = 0;
  if (!d->compiler) {
    d->compiler = tn_nvrtc_open(&d->rtc) ? 1 : -1;
    if (d->compiler > 0 && !d->rtc.version(&major, &minor))
      tiny_log_line(d->t, 'p', "%s: NVRTC %d.%d", d->name, major, minor);
  }
  if (d->compiler > 0) return TINY_OK;
  return tiny_fail(d->t, TINY_E_COMPILE,
                   "%s: a kernel is to be compiled and there is no NVRTC (libnvrtc.so.12 or another "
                   "release): pip install nvidia-cuda-nvrtc-cu12 or the CUDA toolkit, and name the file in "
                   "TINY_CUDA_NVRTC where the system does not find it",
                   d->name);
}

// The newest architecture that NVRTC writes and the device runs; 0: it does not tell.
static int tn_cuda_known_arch(const tn_cuda *d) {
  enum { MOST = 64 };
  int n = 0, arch[MOST], best = 0;
  if (!d->rtc.arch_count || !d->rtc.archs || d->rtc.arch_count(&n) || n > MOST || d->rtc.archs(arch)) return 0;
  for (int i = 0; i < n; i++) if (arch[i] <= d->sm && arch[i] > best) best = arch[i];
  return best;
}
// Is what it gives a cubin? The option into out.
static int tn_cuda_arch(const tn_cuda *d, char *out, size_t nbytes) {
  const int known = tn_cuda_known_arch(d), cubin = d->rtc.cubin && d->rtc.cubin_nbytes && known == d->sm;
  if (cubin) snprintf(out, nbytes, "-arch=%s", d->target);
  else snprintf(out, nbytes, "-arch=compute_%d", known ? known : d->sm);
  return cubin;
}

typedef int (TN_CUDA_CALL *tn_nvrtc_size)(void *, size_t *);
typedef int (TN_CUDA_CALL *tn_nvrtc_get)(void *, char *);
// What NVRTC has to give, to the end of out. 0: it does not.
static int tn_cuda_take_text(tn_cuda *d, void *program, tn_nvrtc_size size, tn_nvrtc_get get, tiny_bytes *out) {
  size_t nbytes = 0;
  if (size(program, &nbytes) || !nbytes) return 0;
  char *text = (char *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!text) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a compiled kernel", d->name); return 0; }
  const int taken = !get(program, text);
  if (taken) tiny_bytes_add(out, text, nbytes);
  tiny_realloc(d->t, text, nbytes, 0);
  return taken;
}
static tiny_code tn_cuda_compile_one(tn_cuda *d, const char *source, tiny_bytes *binary, tiny_bytes *log) {
  char arch[32];
  void *program = NULL;
  const int cubin = tn_cuda_arch(d, arch, sizeof arch);
  const char *const options[] = {arch, "-std=c++17", "-default-device", "-w"};
  if (d->rtc.create(&program, source, "kernels.cu", 0, NULL, NULL))
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: NVRTC takes no program", d->name);
  const int result = d->rtc.compile(program, (int)(sizeof options / sizeof *options), options);
  const size_t before = log->n;
  tn_cuda_take_text(d, program, d->rtc.log_nbytes, d->rtc.log, log);
  if (log->n > before && !log->data[log->n - 1]) log->data[--log->n] = 0;  // it ends with a 0 of its own
  tiny_code code = result ? TINY_E_COMPILE : TINY_OK;
  if (code == TINY_OK) {
    const int taken = cubin ? tn_cuda_take_text(d, program, d->rtc.cubin_nbytes, d->rtc.cubin, binary)
                            : tn_cuda_take_text(d, program, d->rtc.ptx_nbytes, d->rtc.ptx, binary);
    if (!taken) code = tiny_fail(d->t, TINY_E_COMPILE, "%s: NVRTC compiled a kernel and does not give it", d->name);
  }
  d->rtc.destroy(&program);
  return code;
}
static tiny_code tn_cuda_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_cuda *d = (tn_cuda *)dev;
  tiny_code code = tn_cuda_compiler(d);
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_cuda_compile_one(d, source[i].data, &binary[i], log);
  if (code != TINY_E_COMPILE) return code;
  return tiny_fail(d->t, code, "%s: NVRTC refuses a kernel: %.600s", d->name,
                   log->n ? log->data : "it does not say why");
}
#endif
// ---- end src/cuda/compile.c ----
// ---- begin src/cuda/module.c ----
// module: binaries -> modules -> kernels -> launches in the device's stream.
//
// In:    cubins and PTX; launches. Out: work in the stream; a sentence for what is over the device's limits.
// Holds: a module is unloaded when the launches before have happened: at the next sync. The time of a launch that asks
//        for it stands between two events, and is told at sync.
#ifndef TN_CUDA_MODULE
#define TN_CUDA_MODULE
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

enum { TN_CUDA_PARAMETERS = 511, TN_CUDA_SHARED_FREE = 48 << 10 };   // 4 KiB of parameters in every release

typedef struct tn_cuda_kernel {
  struct tn_cuda_kernel *next; struct tn_cuda_module *module;
  void *func; int threads, shared; char name[64];            // the most items of a group; LOCAL memory that is allowed
  int parameters, number;                  // of a foreign one, -1: not known; the first that is no pointer
} tn_cuda_kernel;
// words: parameters are one and groups have one dim, as generated kernels have it (render/lang_cuda.c)
typedef struct tn_cuda_module {
  struct tn_cuda_module *next;
  void *handle;
  tn_cuda_kernel *kernels;
  int words;
} tn_cuda_module;

// ** modules **

// A copy with a 0 behind it, as PTX wants it.
static void *tn_cuda_load_image(tn_cuda *d, const void *binary, size_t nbytes) {
  enum { LOG = 2048 };
  char log[LOG] = "";
  int options[2] = {TN_CU_JIT_ERROR_NBYTES, TN_CU_JIT_ERROR_LOG};
  void *values[2] = {(void *)(uintptr_t)LOG, log}, *handle = NULL;
  char *image = (char *)tiny_realloc(d->t, NULL, 0, nbytes + 1);
  if (!image) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name); return NULL; }
  memcpy(image, binary, nbytes);
  image[nbytes] = 0;
  const int result = d->cu.module_load(&handle, image, 2, options, values);
  tiny_realloc(d->t, image, nbytes + 1, 0);
  if (!result) return handle;
  log[LOG - 1] = 0;
  if (log[0] && !tn_cuda_ends(result))
    tiny_fail(d->t, TINY_E_COMPILE, "%s: a module is refused: %s: %.600s", d->name, tn_cuda_text(&d->cu, result), log);
  else tn_cuda_failed(d, result, "loading a module");
  return NULL;
}
static void *tn_cuda_load(void *dev, const void *binary, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  if (tn_cuda_enter(d, "loading a module") != TINY_OK) return NULL;
  void *handle = tn_cuda_load_image(d, binary, nbytes);
  tn_cuda_module *m = handle ? (tn_cuda_module *)tiny_realloc(d->t, NULL, 0, sizeof *m) : NULL;
  tn_cu_ptr at;
  size_t size;
  if (m) {
    m->next = NULL;
    m->handle = handle;
    m->kernels = NULL;
    m->words = !d->cu.module_global(&at, &size, handle, "tiny_values");
  } else if (handle) {
    d->cu.module_free(handle);
    tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name);
  }
  tn_cuda_leave(d, TINY_OK);
  return m;
}
static void tn_cuda_module_close(tn_cuda *d, tn_cuda_module *m) {
  if (!d->lost) d->cu.module_free(m->handle);
  for (tn_cuda_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static void tn_cuda_modules_close(tn_cuda *d) {
  for (tn_cuda_module *m; (m = d->gone) != NULL; ) { d->gone = m->next; tn_cuda_module_close(d, m); }
}
// From CUDA 12.4 on; a driver before it would read beyond what a launch gives.
static void tn_cuda_parameters(tn_cuda *d, tn_cuda_kernel *k) {
  size_t offset, nbytes;
  k->parameters = k->number = -1;
  if (!d->cu.func_param || k->module->words) return;
  for (k->parameters = 0; k->parameters <= TN_CUDA_PARAMETERS; k->parameters++) {
    const int result = d->cu.func_param(k->func, (size_t)k->parameters, &offset, &nbytes);
    if (result && result != TN_CU_INVALID_VALUE) k->parameters = -1;
    if (result) return;
    if (nbytes != sizeof(tn_cu_ptr) && k->number < 0) k->number = k->parameters;
  }
}
static void *tn_cuda_find(void *dev, void *module, const char *name) {
  tn_cuda *d = (tn_cuda *)dev;
  tn_cuda_module *m = (tn_cuda_module *)module;
  void *func = NULL;
  int threads = 0;
  if (tn_cuda_enter(d, "finding a kernel") != TINY_OK) return NULL;
  int result = d->cu.module_function(&func, m->handle, name);
  if (!result) result = d->cu.func_attribute(&threads, TN_CU_FUNC_THREADS, func);
  if (result && result != TN_CU_NOT_FOUND) tn_cuda_failed(d, result, "finding a kernel");
  tn_cuda_kernel *k = result ? NULL : (tn_cuda_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (k) {
    memset(k, 0, sizeof *k);
    k->next = m->kernels; k->module = m; k->func = func; k->threads = threads;
    snprintf(k->name, sizeof k->name, "%s", name);
    tn_cuda_parameters(d, k);
  }
  tn_cuda_leave(d, TINY_OK);
  if (!k) return NULL;
  return m->kernels = k;
}

// ** launches **

typedef struct tn_cuda_call {
  tn_cu_node node; uint64_t value[TN_CUDA_PARAMETERS]; void *param[TN_CUDA_PARAMETERS];
} tn_cuda_call;

static tiny_code tn_cuda_fits(tn_cuda *d, const tiny_launch *l) {
  const tn_cuda_kernel *k = (const tn_cuda_kernel *)l->kernel;
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  const int flat = k->module->words;       // its items are numbered in dim 0 alone
  for (int i = 0; i < 3; i++)
    if (l->global[i] > d->grid[i] || (l->local[i] > d->block[i] && !flat))
      return tiny_fail(d->t, TINY_E_DEVICE,
                       "%s: %s: dim %d has %lld groups of %lld items; this device takes %d of %d", d->name, k->name,
                       i, (long long)l->global[i], (long long)l->local[i], d->grid[i], d->block[i]);
  if (items > k->threads)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but its registers and launch bounds allow %d",
                     d->name, k->name, (long long)items, k->threads);
  if (l->local_nbytes > (size_t)d->shared)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %llu bytes of shared memory, but a group has %d", d->name, k->name,
                     (unsigned long long)l->local_nbytes, d->shared);
  const int most = k->module->words ? (int)TN_CUDA_VALUES : (int)TN_CUDA_PARAMETERS;
  if (l->nmem + l->nargs > most)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %d parameters, but a kernel has up to %d", d->name, k->name,
                     l->nmem + l->nargs, most);
  if (k->parameters >= 0 && k->parameters != l->nmem + l->nargs)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: %s has %d parameters, but there are an output and %d inputs", k->name,
                     k->parameters, l->nmem + l->nargs - 1);
  if (k->number >= 0 && k->number < l->nmem)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: parameter %d of %s is no pointer: a number comes as an input of one "
                     "element", k->number, k->name);
  return TINY_OK;
}
// More than 48 KiB are asked for once (CUDA C Programming Guide, 16.7.3, Shared Memory).
static tiny_code tn_cuda_allow(tn_cuda *d, tn_cuda_kernel *k, size_t nbytes) {
  if (nbytes <= (size_t)TN_CUDA_SHARED_FREE || nbytes <= (size_t)k->shared) return TINY_OK;
  const tiny_code code =
      tn_cuda_check(d, d->cu.func_set(k->func, TN_CU_FUNC_DYNAMIC, (int)nbytes), "asking for shared memory");
  if (code == TINY_OK) k->shared = (int)nbytes;
  return code;
}
// As many as a launch of the kernel has.
static int tn_cuda_values(const tiny_launch *l) {
  return ((const tn_cuda_kernel *)l->kernel)->module->words ? (int)TN_CUDA_VALUES : l->nmem + l->nargs;
}
// As the driver is told it. Memory counts as used from here on.
static tiny_code tn_cuda_call_of(tn_cuda *d, const tiny_launch *l, tn_cuda_call *c) {
  tn_cuda_kernel *k = (tn_cuda_kernel *)l->kernel;
  tiny_code code = tn_cuda_fits(d, l);
  if (code == TINY_OK) code = tn_cuda_allow(d, k, l->local_nbytes);
  if (code != TINY_OK) return code;
  c->node.func = k->func;
  for (int i = 0; i < 3; i++) { c->node.grid[i] = (unsigned)l->global[i]; c->node.block[i] = (unsigned)l->local[i]; }
  if (k->module->words) {
    c->node.block[0] *= c->node.block[1] * c->node.block[2];
    c->node.block[1] = c->node.block[2] = 1;
  }
  c->node.shared = (unsigned)l->local_nbytes;
  c->node.params = c->param;
  c->node.extra = NULL;
  const int words = k->module->words, n = tn_cuda_values(l);
  if (words) memset(c->value, 0, TN_CUDA_VALUES * sizeof *c->value);
  for (int i = 0; i < l->nmem; i++) { c->value[i] = tn_cuda_at(l->mem[i]); tn_cuda_use(d, l->mem[i]); }
  for (int i = 0; i < l->nargs; i++) c->value[words ? n - 1 - i : l->nmem + i] = (uint64_t)l->args[i];
  for (int i = 0; i < n; i++) c->param[i] = &c->value[i];
  return TINY_OK;
}

// ** times **

// NULL: no memory, or no event; the launch is not timed.
static tn_cuda_stamp *tn_cuda_stamp_new(tn_cuda *d, uint64_t *out) {
  if (d->nstamp == d->stamp_cap) {
    const size_t cap = (size_t)d->stamp_cap, more = cap ? cap * 2 : 16;
    tn_cuda_stamp *s = (tn_cuda_stamp *)tiny_realloc(d->t, d->stamp, cap * sizeof *s, more * sizeof *s);
    if (!s) return NULL;
    memset(s + cap, 0, (more - cap) * sizeof *s);
    d->stamp = s; d->stamp_cap = (int)more;
  }
  tn_cuda_stamp *s = &d->stamp[d->nstamp];
  if (!s->from && d->cu.event_new(&s->from, 0)) return NULL;
  if (!s->to && d->cu.event_new(&s->to, 0)) return NULL;
  if (d->cu.event_record(s->from, d->stream)) return NULL;
  s->out = out;
  return s;
}
// After the stream was waited for. Events tell ms in 24 bits: the clock goes on from the last one that was timed.
static void tn_cuda_stamps_tell(tn_cuda *d) {
  for (int i = 0; i < d->nstamp; i++) {
    tn_cuda_stamp *s = &d->stamp[i];
    float until = 0, took = 0;
    if (d->cu.event_elapsed(&until, d->began, s->from) || d->cu.event_elapsed(&took, s->from, s->to)) continue;
    s->out[0] = d->began_ns + 1 + (uint64_t)((double)until * 1e6);
    d->began_ns = s->out[1] = s->out[0] + (uint64_t)((double)took * 1e6) + 1;
    void *const was = d->began;
    d->began = s->to;
    s->to = was;
  }
  d->nstamp = 0;
}

static int tn_cuda_launch_call(tn_cuda *d, const tn_cuda_call *c, uint64_t *out) {
  const tn_cu_node *n = &c->node;
  tn_cuda_stamp *s = out ? tn_cuda_stamp_new(d, out) : NULL;
  int result = d->cu.launch(n->func, n->grid[0], n->grid[1], n->grid[2], n->block[0], n->block[1], n->block[2],
                            n->shared, d->stream, n->params, NULL);
  if (!result && s) result = d->cu.event_record(s->to, d->stream);
  if (!result && s) d->nstamp++;
  return result;
}
static tiny_code tn_cuda_launch_one(tn_cuda *d, const tiny_launch *l) {
  tn_cuda_call c;
  d->given++;
  const tiny_code code = tn_cuda_call_of(d, l, &c);
  if (code != TINY_OK || !l->global[0] || !l->global[1] || !l->global[2]) return code;
  const int result = tn_cuda_launch_call(d, &c, l->stamp);
  return result ? tn_cuda_failed(d, result, ((const tn_cuda_kernel *)l->kernel)->name) : TINY_OK;
}
static tiny_code tn_cuda_launch(void *dev, const tiny_launch *l) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "a launch");
  return code == TINY_OK ? tn_cuda_leave(d, tn_cuda_launch_one(d, l)) : code;
}
#endif
// ---- end src/cuda/module.c ----
// ---- begin src/cuda/graph.c ----
// graph: launches that are handed over together again and again, as one CUDA graph.
//
// In:    the launches of a submit. Out: a graph launched, whose nodes got what has changed; or launches one by one.
// Holds: the same kernels in the same grids are the same graph, whatever memory and numbers they are given. It is made
//        when they come for the third time, as making it costs more than launching them. Nodes follow each other: what
//        a kernel writes is not known here. A graph goes before the module of one of its kernels does.
#ifndef TN_CUDA_GRAPH
#define TN_CUDA_GRAPH
#ifndef TINY_AMALGAMATED
#include "module.c"
#endif

enum { TN_CUDA_GRAPH_LEAST = 4, TN_CUDA_GRAPH_AFTER = 3 };   // launches; times

typedef struct tn_cuda_step { tn_cu_node node; void *handle; size_t value; int nvalue; int64_t local[3]; } tn_cuda_step;
typedef struct tn_cuda_graph {
  uint64_t hash, last; int n, seen;        // last: place in the order; seen: times; -1: the driver makes none of it
  void *graph, *exec;
  tn_cuda_step *step; uint64_t *value; size_t nvalue;
} tn_cuda_graph;

static uint64_t tn_cuda_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}
static uint64_t tn_cuda_graph_hash(const tiny_launch *l, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    h = tn_cuda_mix(h, (uint64_t)(uintptr_t)l[i].kernel);
    for (int k = 0; k < 3; k++) h = tn_cuda_mix(tn_cuda_mix(h, (uint64_t)l[i].global[k]), (uint64_t)l[i].local[k]);
    h = tn_cuda_mix(tn_cuda_mix(h, l[i].local_nbytes), (uint64_t)(l[i].nmem + l[i].nargs));
  }
  return h;
}

static void tn_cuda_graph_close(tn_cuda *d, int i) {
  tn_cuda_graph *g = d->graph[i];
  if (!g) return;
  if (g->exec && !d->lost) d->cu.graph_drop(g->exec);
  if (g->graph && !d->lost) d->cu.graph_free(g->graph);
  if (g->step) tiny_realloc(d->t, g->step, (size_t)g->n * sizeof *g->step, 0);
  if (g->value) tiny_realloc(d->t, g->value, g->nvalue * sizeof *g->value, 0);
  tiny_realloc(d->t, g, sizeof *g, 0);
  d->graph[i] = NULL;
}
static void tn_cuda_graphs_close(tn_cuda *d) { for (int i = 0; i < TN_CUDA_GRAPHS; i++) tn_cuda_graph_close(d, i); }
// Those that launch a kernel of the module.
static void tn_cuda_graphs_leave(tn_cuda *d, const tn_cuda_module *m) {
  for (int i = 0; i < TN_CUDA_GRAPHS; i++) {
    const tn_cuda_graph *g = d->graph[i];
    int uses = 0;
    for (int k = 0; g && g->step && k < g->n && !uses; k++)
      for (const tn_cuda_kernel *x = m->kernels; x && !uses; x = x->next) uses = g->step[k].node.func == x->func;
    if (uses) tn_cuda_graph_close(d, i);
  }
}

// The graph of these launches, perhaps one that is not made yet, in the place of the one that came longest ago. NULL:
// memory was refused.
static tn_cuda_graph *tn_cuda_graph_of(tn_cuda *d, const tiny_launch *l, int n) {
  const uint64_t hash = tn_cuda_graph_hash(l, n);
  int oldest = 0;
  for (int i = 0; i < TN_CUDA_GRAPHS; i++) {
    tn_cuda_graph *g = d->graph[i];
    if (g && g->hash == hash && g->n == n) return g;
    if (!g || (d->graph[oldest] && g->last < d->graph[oldest]->last)) oldest = i;
  }
  tn_cuda_graph_close(d, oldest);
  tn_cuda_graph *g = (tn_cuda_graph *)tiny_realloc(d->t, NULL, 0, sizeof *g);
  if (!g) return NULL;
  memset(g, 0, sizeof *g);
  g->hash = hash; g->n = n;
  return d->graph[oldest] = g;
}

static int tn_cuda_graph_room(tn_cuda *d, tn_cuda_graph *g, const tiny_launch *l) {
  const size_t nbytes = (size_t)g->n * sizeof *g->step;
  for (int i = 0; i < g->n; i++) g->nvalue += (size_t)tn_cuda_values(&l[i]);
  g->nvalue += !g->nvalue;
  g->step = (tn_cuda_step *)tiny_realloc(d->t, NULL, 0, nbytes);
  g->value = (uint64_t *)tiny_realloc(d->t, NULL, 0, g->nvalue * sizeof *g->value);
  if (g->step) memset(g->step, 0, nbytes);
  return g->step && g->value;
}
// The node of a launch behind the one before. Parameters are copied by the driver.
static int tn_cuda_graph_add(tn_cuda *d, tn_cuda_graph *g, int i, size_t value, const tn_cuda_call *c, int nvalue) {
  tn_cuda_step *s = &g->step[i];
  s->node = c->node;
  s->value = value; s->nvalue = nvalue;
  memcpy(g->value + value, c->value, (size_t)nvalue * sizeof *g->value);
  return d->cu.graph_kernel(&s->handle, g->graph, i ? &g->step[i - 1].handle : NULL, (size_t)(i > 0), &c->node);
}
static tiny_code tn_cuda_graph_make(tn_cuda *d, tn_cuda_graph *g, const tiny_launch *l) {
  tn_cuda_call c;
  size_t value = 0;
  int result = tn_cuda_graph_room(d, g, l) ? d->cu.graph_new(&g->graph, 0) : TN_CU_OUT_OF_MEMORY;
  for (int i = 0; i < g->n && !result; i++) {
    const tiny_code code = tn_cuda_call_of(d, &l[i], &c);
    if (code != TINY_OK) return code;
    const int nvalue = tn_cuda_values(&l[i]);
    memcpy(g->step[i].local, l[i].local, sizeof l[i].local);
    result = tn_cuda_graph_add(d, g, i, value, &c, nvalue);
    value += (size_t)nvalue;
  }
  if (!result) result = d->cu.graph_make(&g->exec, g->graph, 0);
  if (!result) return TINY_OK;
  g->exec = NULL;
  g->seen = -1;
  return tn_cuda_ends(result) ? tn_cuda_failed(d, result, "making a graph") : TINY_OK;
}
// Is it the graph of these launches, and not one whose hash is the same?
static int tn_cuda_graph_fits(const tn_cuda_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    const tn_cuda_step *s = &g->step[i];
    int same = s->node.func == ((const tn_cuda_kernel *)l[i].kernel)->func && s->nvalue == tn_cuda_values(&l[i]);
    same = same && s->node.shared == (unsigned)l[i].local_nbytes;
    for (int k = 0; k < 3 && same; k++)
      same = s->node.grid[k] == (unsigned)l[i].global[k] && s->local[k] == l[i].local[k];
    if (!same) return 0;
  }
  return 1;
}
// What has changed since the last time goes into its nodes; what the stream holds already stays as it was.
static tiny_code tn_cuda_graph_bind(tn_cuda *d, tn_cuda_graph *g, const tiny_launch *l) {
  tn_cuda_call c;
  for (int i = 0; i < g->n; i++) {
    tn_cuda_step *s = &g->step[i];
    const tiny_code code = tn_cuda_call_of(d, &l[i], &c);
    if (code != TINY_OK) return code;
    if (!memcmp(c.value, g->value + s->value, (size_t)s->nvalue * sizeof *c.value)) continue;
    const int result = d->cu.graph_set(g->exec, s->handle, &c.node);
    if (result) return tn_cuda_failed(d, result, "changing a graph");
    memcpy(g->value + s->value, c.value, (size_t)s->nvalue * sizeof *c.value);
  }
  return TINY_OK;
}

static int tn_cuda_graph_wanted(const tiny_launch *l, int n) {
  for (int i = 0; i < n; i++)
    if (l[i].stamp || !l[i].global[0] || !l[i].global[1] || !l[i].global[2]) return 0;
  return n >= TN_CUDA_GRAPH_LEAST;
}
static tiny_code tn_cuda_submit_some(tn_cuda *d, const tiny_launch *l, int n) {
  tn_cuda_graph *g = tn_cuda_graph_wanted(l, n) ? tn_cuda_graph_of(d, l, n) : NULL;
  tiny_code code = TINY_OK;
  if (g) g->last = d->given + 1;
  if (g && g->exec && !tn_cuda_graph_fits(g, l)) g = NULL;
  if (g && g->seen >= 0 && ++g->seen >= TN_CUDA_GRAPH_AFTER) {
    g->seen = TN_CUDA_GRAPH_AFTER;
    d->given++;
    code = g->exec ? tn_cuda_graph_bind(d, g, l) : tn_cuda_graph_make(d, g, l);
    if (code == TINY_OK && g->exec)
      return tn_cuda_check(d, d->cu.graph_launch(g->exec, d->stream), "launching a graph");
  }
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_cuda_launch_one(d, &l[i]);
  return code;
}
static tiny_code tn_cuda_submit(void *dev, const tiny_launch *l, int n) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "launches");
  return code == TINY_OK ? tn_cuda_leave(d, tn_cuda_submit_some(d, l, n)) : code;
}
#endif
// ---- end src/cuda/graph.c ----
// ---- begin src/cuda/stream.c ----
// stream: a device's stream as others see it: events in it, that all of it has happened, opened and closed.
//
// In:    calls of the library, one at a time. Out: what the contract of tiny_backend says.
#ifndef TN_CUDA_STREAM
#define TN_CUDA_STREAM
#ifndef TINY_AMALGAMATED
#include "compile.c"
#include "graph.c"
#endif

// ** order between devices: events in its stream **

static void *tn_cuda_event(void *dev) {
  tn_cuda *d = (tn_cuda *)dev;
  void *event = NULL;
  if (tn_cuda_enter(d, "an event") != TINY_OK) return NULL;
  int result = d->cu.event_new(&event, TN_CU_NO_TIMING);
  if (!result) result = d->cu.event_record(event, d->stream);
  if (result && event) d->cu.event_free(event);
  return tn_cuda_leave(d, tn_cuda_check(d, result, "an event")) == TINY_OK ? event : NULL;
}
static tiny_code tn_cuda_wait(void *dev, void *event) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "waiting for another device");
  if (code != TINY_OK) return code;
  return tn_cuda_leave(d, tn_cuda_check(d, d->cu.stream_wait(d->stream, event, 0), "waiting for another device"));
}
static void tn_cuda_event_free(void *dev, void *event) { ((const tn_cuda *)dev)->cu.event_free(event); }

// ** all has happened **

static tiny_code tn_cuda_sync(void *dev) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "waiting for it");
  if (code != TINY_OK) return code;
  const int result = d->cu.stream_sync(d->stream);
  if (!result) {
    d->done = d->given;
    tn_cuda_stamps_tell(d);
    tn_cuda_modules_close(d);
  }
  return tn_cuda_leave(d, tn_cuda_check(d, result, "waiting for it"));
}
// Launches that are given may use it, and graphs that are not launched again would.
static void tn_cuda_unload(void *dev, void *module) {
  tn_cuda *d = (tn_cuda *)dev;
  tn_cuda_module *m = (tn_cuda_module *)module;
  if (!m) return;
  if (!d->lost && !d->cu.ctx_push(d->ctx)) {
    tn_cuda_graphs_leave(d, m);
    tn_cuda_leave(d, TINY_OK);
  }
  m->next = d->gone;
  d->gone = m;
}

// ** opened and closed **

// All that the driver keeps for it; after an error that ended the context it keeps nothing.
static void tn_cuda_give_back(tn_cuda *d) {
  if (d->copies) d->cu.stream_sync(d->copies);
  if (d->copies) d->cu.stream_sync(d->stream);
  tn_cuda_graphs_close(d);
  tn_cuda_modules_close(d);
  for (int i = 0; i < TN_CUDA_MARKS; i++) if (d->mark[i].event) d->cu.event_free(d->mark[i].event);
  for (int i = 0; i < TN_CUDA_CHUNKS; i++) {
    if (d->chunk[i].event) d->cu.event_free(d->chunk[i].event);
    if (d->chunk[i].at) d->cu.host_free(d->chunk[i].at);
  }
  for (int i = 0; i < d->stamp_cap; i++) {
    if (d->stamp[i].from) d->cu.event_free(d->stamp[i].from);
    if (d->stamp[i].to) d->cu.event_free(d->stamp[i].to);
  }
  if (d->began) d->cu.event_free(d->began);
  if (d->copied) d->cu.event_free(d->copied);
  if (d->copies) d->cu.stream_free(d->copies);
  if (d->own_stream) d->cu.stream_free(d->stream);
}
static void tn_cuda_close(void *dev) {
  tn_cuda *d = (tn_cuda *)dev;
  if (d->ctx && d->cu.ctx_push && !d->cu.ctx_push(d->ctx)) {
    tn_cuda_give_back(d);
    tn_cuda_leave(d, TINY_OK);
  }
  tn_cuda_graphs_close(d);
  tn_cuda_modules_close(d);
  if (d->primary) d->cu.primary_release(d->device);
  if (d->blocks) tiny_realloc(d->t, d->blocks, d->cap * sizeof *d->blocks, 0);
  if (d->stamp) tiny_realloc(d->t, d->stamp, (size_t)d->stamp_cap * sizeof *d->stamp, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static void *tn_cuda_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_cuda *d = (tn_cuda *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "CUDA: no memory for a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = t;
  snprintf(d->name, sizeof d->name, "CUDA%s%.16s", *which ? ":" : "", which);
  if (tn_cuda_begin(d, which, limits) == TINY_OK) return d;
  tn_cuda_close(d);
  return NULL;
}
// cubins are for one architecture.
static const char *tn_cuda_target(void *dev) { return ((const tn_cuda *)dev)->target; }
static void tn_cuda_renderer(void *dev, tiny_renderer *out) {
  tn_lang_cuda(out, ((const tn_cuda *)dev)->sm);
}
#endif
// ---- end src/cuda/stream.c ----
// ---- begin src/cuda/backend.c ----
// backend: the one object of tiny_cuda.h.
#ifndef TN_CUDA_BACKEND
#define TN_CUDA_BACKEND
#ifndef TINY_AMALGAMATED
#include "stream.c"
#endif

#ifdef TINY_STATIC
TINY_API
#endif
const tiny_backend tiny_cuda = {
  TINY_BACKEND_VERSION, "CUDA", tn_cuda_open, tn_cuda_close, tn_cuda_target, tn_cuda_renderer, tn_cuda_alloc,
  tn_cuda_free, tn_cuda_copy_in, tn_cuda_copy_out, tn_cuda_copy_from, NULL, tn_cuda_compile, tn_cuda_load, NULL,
  tn_cuda_unload, tn_cuda_find, tn_cuda_launch, tn_cuda_submit, tn_cuda_event, tn_cuda_wait, tn_cuda_event_free,
  tn_cuda_sync, NULL
};
#endif
// ---- end src/cuda/backend.c ----
// ---- end src/cuda/all.c ----
#endif // TINY_IMPLEMENTATION

/*
---- begin LICENSE ----
MIT License

Copyright (c) 2026 the tiny.h authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
---- end LICENSE ----

Where things stand in tiny_cuda.h

    101  src/cuda/../base/library.c      shared libraries that are loaded while the program runs: drivers,
                                         which a program is not linked with
    157  src/cuda/../base/digits.c       whole numbers in text without a sign: of devices, of versions, of
                                         addresses
    184  src/cuda/../render/lang_cuda.c  the descriptor of CUDA C, and of HIP C, which is the same but for the
                                         words below: an element at a time or vectors of 2, 4, 8 or 16
    545  src/cuda/driver.c               the CUDA driver and NVRTC as they are called here: own declarations,
                                         loaded while the program runs
    732  src/cuda/device.c               a GPU, its CUDA context and stream: opened, closed; what its driver
                                         says is wrong
    937  src/cuda/memory.c               of the device: given out and freed in the order of its stream; bytes
                                         to it, from it, between two devices
   1164  src/cuda/compile.c              CUDA C -> cubin, by NVRTC
   1250  src/cuda/module.c               binaries -> modules -> kernels -> launches in the device's stream
   1486  src/cuda/graph.c                launches that are handed over together again and again, as one CUDA
                                         graph
   1651  src/cuda/stream.c               a device's stream as others see it: events in it, that all of it has
                                         happened, opened and closed
   1760  src/cuda/backend.c              the one object of tiny_cuda.h
*/
