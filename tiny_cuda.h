/* tiny_cuda.h 0.1.0, source 837b07ed07e697014e1867d8e5f24deeda6b0c35f00eae0a112b6110c10b5f4c

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/cuda/manual.txt ----
tiny_cuda.h: NVIDIA GPUs for tiny.h, by the driver that is there.

WHAT IT IS
  A device for tiny.h. The CUDA driver (libcuda) is loaded while the program runs, and reads kernels as PTX, which
  this header writes: no toolkit, no compiler, no link, nothing to install.

      #define TINY_IMPLEMENTATION
      #include "tiny.h"
      #include "tiny_cuda.h"

      tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}});

  "CUDA" is the first GPU, "CUDA:1" the second. Without .device the first backend that opens is taken, and the CPU
  where none does: the same program runs where there is no GPU.

WHAT IT NEEDS
  A driver of CUDA 11.4 or later; from 12.4 on for sm_89 and later. NVRTC 11, 12 or 13 for kernels of your own in
  CUDA C, and for all kernels where the driver is older than its GPU wants, or TINY_CUDA_LANGUAGE in the environment
  is C: it comes with the CUDA toolkit, or alone by `pip install nvidia-cuda-nvrtc-cu12`. A program whose kernels were
  exported (tiny_cache_export) needs the driver alone.
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
#define TN_CUDA_SOURCE_ID "837b07ed07e697014e1867d8e5f24deeda6b0c35f00eae0a112b6110c10b5f4c"
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
// ---- begin src/cuda/../ir/listing.c ----
// listing: what the nodes of a kernel's list say, by what tiny.h shows to everyone: renderers stand in companion
// headers, too, and those see nothing else of the library.
//
// In:  nodes, public structs. Out: answers. What k, v and sources of an op mean: ir/uop.c.
#ifndef TN_IR_LISTING
#define TN_IR_LISTING
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// Where a DEFINE or STAGE lives.
enum { TN_SPACE_GLOBAL, TN_SPACE_LOCAL, TN_SPACE_REG };
enum { TN_LATER = 1, TN_ADDS = 2 };        // k of a STORE: a BARRIER waits for it; it adds
enum { TN_BOXES = 64 };                    // of k of a BARRIER: it waits for copies of boxes to its slot, source 0
enum { TN_WMMA_UNIT = 48 };                // of a WMMA: bits of k below 1 + the number of a row of tn_warp_units

// Of a LOAD of matrices, eight rows of 16 bytes: how a lane gets them, elements from one to the next along k, and from
// every second to the next ones' columns. Steps of 0: lanes have an address each, of four matrices.
// SWIZZLED: they lie in boxes. SIDE: the address is that of 64 rows that four warps have, 16 each.
enum { TN_TURNED = 1, TN_AS_ROWS = 2, TN_SWIZZLED = 4, TN_SIDE = 8 };
enum { TN_MATRIX_ALONG = 4, TN_MATRIX_NEXT = 28 };           // bits below the steps
enum { TN_TURNED_LANES = 32, TN_TURNED_ROW = 8 };            // of its warp; elements of a turned matrix's row
static inline int tn_load_kind(const tiny_uop *u) { return (int)(u->k & 3); }
static inline int64_t tn_load_along(const tiny_uop *u) { return u->k >> TN_MATRIX_ALONG & 0xFFFFFF; }
static inline int64_t tn_load_next(const tiny_uop *u) { return u->k >> TN_MATRIX_NEXT & 0xFFFFFF; }

// ** boxes: tiles of memory that the device copies by itself, as its matrix units read them **
//
// A BULK copies a box of a tensor, rows of 128 bytes, one after the other, whose pieces of 16 bytes are turned by the
// number of their row, so that eight rows of one piece lie in eight different places (PTX ISA, "Swizzling Modes", 128B;
// "Strides", "Shared Memory Matrix Layout"). Memory of boxes begins at a multiple of eight rows.
enum { TN_BOX_ROW = 128, TN_BOX_PIECE = 16, TN_BOX_ALIGN = 1024,           // bytes
  TN_BOX_ROWS = 64,                        // of a box whose rows go on in the next one
  TN_BOX_MOST = 256,                       // rows of a box (CUDA driver API, cuTensorMapEncodeTiled: boxDim)
  TN_BOX_DIMS = 5, TN_BOX_SLOTS = 32,
  TN_BOX_NBYTES = 8 * TN_BOX_SLOTS };      // of LOCAL memory, at its end, for what counts copies to slots
// Of a BULK: dims of the tensor; v: so many extents, strides in elements, and sides of the box.
static inline int tn_bulk_dims(const tiny_uop *u) { return u->nv / 3; }
// k: how many copies fill its slot, which is one of first .. end - 1 (tn_bulk_k).
static inline int tn_bulk_copies(int64_t k) { return (int)(k & 0xFF); }
static inline int tn_bulk_first(int64_t k) { return (int)(k >> 8 & 0xFF); }
static inline int tn_bulk_end(int64_t k) { return (int)(k >> 16 & 0xFF); }
// Warps of their own begin it, a warp group beside those of the items: a launch has so many threads more.
enum { TN_BULK_PRODUCED = 1 << 24, TN_PRODUCER_THREADS = 128 };
static inline int tn_bulk_is_produced(const tiny_uop *u) { return u->op == TINY_OP_BULK && (u->k & TN_BULK_PRODUCED); }
static inline int tn_producer_threads(tiny_uop *const *list, int n) {
  for (int i = 0; i < n; i++) if (tn_bulk_is_produced(list[i])) return TN_PRODUCER_THREADS;
  return 0;
}

// ** memory **

static inline const tiny_uop *tn_memory_behind(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m;
}
static inline int tn_is_reg(const tiny_uop *memory) {
  const tiny_uop *m = tn_memory_behind(memory);
  return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_REG;
}

// What a STORE stores, as it was loaded: bits do not change.
static inline tiny_uop *tn_copied(const tiny_uop *store) {
  tiny_uop *x = store->src[1];
  while (x->op == TINY_OP_BITCAST && x->src[0]->lanes == x->lanes) x = x->src[0];
  return x;
}
// Is a STORE that happens later no more than a copy of memory outside of the kernel, of 4, 8 or 16 bytes that lie
// together, zeros where they are not there? (PTX ISA, cp.async)
static inline int tn_copies_later(const tiny_uop *store) {
  const tiny_uop *to = store->src[0], *load = tn_copied(store), *from = load->nsrc ? load->src[0] : NULL;
  if (store->k != TN_LATER || load->op != TINY_OP_LOAD || load->k || load->nsrc > 1 || to->lanes > 1 ||
      from->lanes > 1 ||
      tn_memory_behind(from->src[0])->op != TINY_OP_PARAM || (to->nsrc == 3 && to->src[2]->lanes > 1) ||
      (from->nsrc == 3 && from->src[2]->lanes > 1))
    return 0;
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)load->dtype) * load->lanes;
  return nbytes == 4 || nbytes == 8 || nbytes == 16;
}

// How many low bits of an integer are 0 whatever else it is made of; zeros: the answers for its sources, by seq.
static inline int tn_low_zeros(const tiny_uop *u, const uint8_t *zeros) {
  enum { MOST = 16 };
  const int a = u->nsrc ? zeros[u->src[0]->seq] : 0, b = u->nsrc > 1 ? zeros[u->src[1]->seq] : 0;
  int n = 0;
  if (u->dtype < TINY_I8 || u->dtype > TINY_U64 || u->lanes > 1) return 0;
  switch (u->op) {
    case TINY_OP_CONST: while (n < MOST && !(u->k >> n & 1)) n++; return n;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MAX: case TINY_OP_OR: case TINY_OP_XOR: return a < b ? a : b;
    case TINY_OP_MUL: return a + b < MOST ? a + b : MOST;
    case TINY_OP_AND: return a > b ? a : b;
    case TINY_OP_SHL:
      return u->src[1]->op == TINY_OP_CONST && u->src[1]->k >= 0 && u->src[1]->k < MOST - a ? a + (int)u->src[1]->k : a;
    case TINY_OP_CAST: return u->src[0]->dtype >= TINY_I8 && u->src[0]->dtype <= TINY_U64 ? a : 0;
    default: return 0;
  }
}

// ** what an index is the sum of **

// Is what an ADD, a SUB, or a MUL or SHL by a number gives, the sum or product it stands for, as elements of memory are
// counted, modulo 2^64?
static inline int tn_is_sum_exact(const tiny_uop *u) {
  const tiny_uop *a = u->src[0], *b = u->src[1];
  const int64_t least = u->dtype == TINY_I32 ? INT32_MIN : 0, most = u->dtype == TINY_I32 ? INT32_MAX : UINT32_MAX;
  const int wide = u->dtype == TINY_I64 || u->dtype == TINY_U64, adds = u->op == TINY_OP_ADD || u->op == TINY_OP_SUB;
  if (u->op == TINY_OP_SHL && (b->op != TINY_OP_CONST || b->k < 0 || b->k >= (wide ? 64 : 31))) return 0;
  if (wide) return adds || b->op == TINY_OP_CONST;
  if ((u->dtype != TINY_I32 && u->dtype != TINY_U32) || a->vmin < INT32_MIN || a->vmax > UINT32_MAX ||
      b->vmin < INT32_MIN || b->vmax > UINT32_MAX)
    return 0;
  if (u->op == TINY_OP_ADD) return a->vmin + b->vmin >= least && a->vmax + b->vmax <= most;
  if (u->op == TINY_OP_SUB) return a->vmin - b->vmax >= least && a->vmax - b->vmin <= most;
  const int64_t k = u->op == TINY_OP_SHL ? (int64_t)1 << b->k : b->k;
  if (b->op != TINY_OP_CONST || k < 0 || k > INT32_MAX) return 0;
  return a->vmin * k >= least && a->vmax * k <= most;
}
// Modulo 2^64.
static inline int64_t tn_wrapped_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t tn_wrapped_product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
// What such a MUL or SHL multiplies by.
static inline int64_t tn_factor_of(const tiny_uop *u) {
  return u->op == TINY_OP_MUL ? u->src[1]->k : (int64_t)((uint64_t)1 << u->src[1]->k);
}

// ** constants: bits of the float that k of a CONST holds **

static inline uint32_t tn_const_f32(int64_t k) {
  double v;
  uint32_t bits;
  memcpy(&v, &k, sizeof v);
  const float f = (float)v;
  memcpy(&bits, &f, sizeof bits);
  return v != v ? 0x7FC00000 : bits;
}
// Of f16, bf16 and fp8, which hold it exactly. least: the exponent of the least normal, as an f32 has it.
static inline uint32_t tn_const_narrow(int dtype, int64_t k) {
  const uint32_t bits = tn_const_f32(k), size = bits & 0x7FFFFFFF;
  if (dtype == TINY_BF16) return bits >> 16;
  const int half = dtype == TINY_F16, finite = dtype == TINY_F8E4M3, mantissa = half ? 10 : finite ? 3 : 2;
  const uint32_t sign = bits >> 31 << (half ? 15 : 7), least = finite ? 121 : 113,
                 infinity = half ? 0x7C00 : finite ? 0x7F : 0x7C;
  if (size > 0x7F800000) return sign | infinity | (finite ? 0 : 1u << (mantissa - 1));
  if (size == 0x7F800000) return sign | infinity;
  if (size >= least << 23) return sign | ((size - ((least - 1) << 23)) >> (23 - mantissa));
  const uint32_t drop = (uint32_t)(23 - mantissa) + least - (size >> 23);  // below the normals
  return sign | (drop < 32 ? ((size & 0x7FFFFF) | 0x800000) >> drop : 0);
}
#endif
// ---- end src/cuda/../ir/listing.c ----
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
// ---- end src/cuda/../render/lang_cuda.c ----
// ---- begin src/cuda/../render/ptx_values.c ----
// ptx_values: values of PTX: registers, numbers, and what is computed of them, an element at a time.
//
// In:  nodes that compute, operands for their sources. Out: lines of text, an operand for each element.
// Holds:
//  - A register is written once, but for those of accumulators, counters and addresses that a loop goes on with; ptxas
//    gives registers to machine code. Integers of 8 and 16 bits are held in 32, with the sign or zeros above.
//  - f16 and bf16 are two bytes in memory and, but for what ptx_pairs.c has, f32 in arithmetic, fp8 one: a code in 32
//    bits. Vectors of 8 and 16 bits are elements, words of 32 bits as they lie in memory, or both: whichever their
//    users ask for.
//  - Products and sums without .rn may be contracted by ptxas, as nvcc has it by default (-fmad).
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX_VALUES
#define TN_RENDER_PTX_VALUES
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef __GNUC__
  #define TN_PTX_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_PTX_PRINTF(at, args)
#endif

// kind: of registers 'p' predicate, 'h' 16 bits, 'r' 32, 'd' 64, 'f' f32, 'g' f64; 'i' integer, 'F' and 'G' bits of an
// f32 and an f64; 's' the address of the n-th memory that is declared, 'S' of that which a launch brings; 0: none.
typedef struct tn_ptx_operand { char kind; int64_t n; } tn_ptx_operand;
typedef struct tn_ptx_list { tn_ptx_operand *of; int n, cap; } tn_ptx_list;

enum { TN_PTX_CLASSES = 6, TN_PTX_DEPTH = 72, TN_PTX_VECTOR = 64 };
enum { TN_PTX_ALL, TN_PTX_CONSUMES, TN_PTX_PRODUCES };       // roles of warps
enum { TN_PTX_ELEMENTS = 1, TN_PTX_WORDS = 2 };              // what users want of a vector

typedef struct tn_ptx_level {              // of a loop or an IF that is open, and of the kernel itself
  tiny_bytes body, tail;                   // tail: what goes on with addresses, behind an iteration
  const tiny_uop *opened; tn_ptx_operand counter, skips;
  int label, serial;
} tn_ptx_level;

// mbarriers that products arrive at, 1 << bits of 8 bytes; how many were told of so far, each of its own register.
typedef struct tn_ptx_ring { tn_ptx_operand at, count; int bits; } tn_ptx_ring;

struct tn_ptx_sum; struct tn_ptx_step;
typedef struct tn_ptx {
  tiny_ctx *t; const tiny_listing *k;
  int sm, version, failed, labels, depth, serial, at;        // at: the level that lines are written to
  int by_unit, fences;                     // 1: units read shared memory themselves, and what items have written
  // Of units that keep sums (ptx_tcgen05.c): columns of those of four warps, in all and given so far; four warps; are
  // products not waited for (TN_PTX_STARTED, ..), have threads met since the last wait?
  int tensor, tensor_given, groups, tensor_open, met;
  // Who allocates, who starts products and who does not; what was allocated, what of it is for these warps, and the
  // warp's lanes. Products that all threads wait for, and those that only who starts them does
  tn_ptx_operand manages, starts, rests, tensor_all, tensor_at, tensor_lane;
  tn_ptx_ring done, empty, *ring;          // ring: of the loop whose products go on
  tn_ptx_level *level;
  tn_ptx_list pool;
  int *elements, *words;                   // of nodes: where in the pool; -1: nowhere
  // Of nodes: the form that is wanted of a vector; low bits that are 0; is it wanted at all; the level it stands at;
  // constant: of a PARAM, nothing is stored there; of REG memory, its elements are known; of a LOAD of it, it stays
  // partial: it is there only under its condition
  uint8_t *wants, *zeros, *needed, *inside, *constant, *partial;
  // under: the condition of all that wants it, the node itself where there is not one
  const tiny_uop **block, **under; int *last; struct tn_ptx_sum *sum;
  struct tn_ptx_step *step; int nstep;
  int64_t registers[TN_PTX_CLASSES];
  int64_t local_at, box_at; int memories;  // box_at: of memory of boxes, which lies first
  // BULKs, one for each tensor of theirs, slots; what thread 0 is known by, parities of slots, the first one's mbarrier
  const tiny_uop **bulk, **map; int nbulk, nmap, slots;
  tn_ptx_operand first, phases, slot_at, map_at[8];
  // Of a loop whose products go on while the next ones are begun: its RANGE; copies that wait for the items to meet
  const tiny_uop *overlaps; tiny_bytes copies;
  int box_stores, leaves;                  // BULKSTOREs; are some begun, and not waited for?
  int cluster; tn_ptx_operand rank, everyone;                // groups that copy for each other; which is this; all bits
  // Of warps that only copy, and the others (ptx_producer.c): who this is written for; what those leave out, of nodes;
  // threads beside the items; of the other warps, the slot whose products are under way, of whom this lane tells that a
  // slot is empty, and whether it does; a slot was told of in this iteration
  int role, beside, told; uint8_t *idle;
  tn_ptx_operand before, empties, tells, slot;
  tiny_bytes declares, batch;              // batch: products of warps that wait (ptx_wgmma.c)
  tn_ptx_operand guard; int unless;        // of the next lines
} tn_ptx;

// ** scratch memory, which the library gives in runs of bytes **

// Zeros. NULL: refused, which is recorded.
static void *tn_ptx_scratch(tiny_ctx *t, size_t nbytes) {
  static const char zeros[4096] = {0};
  tiny_bytes b = {t, NULL, 0, 0};
  for (size_t at = 0; at <= nbytes; at += sizeof zeros) {
    const size_t n = nbytes + 16 - at < sizeof zeros ? nbytes + 16 - at : sizeof zeros;
    tiny_bytes_add(&b, zeros, n);
  }
  return b.n >= nbytes ? b.data : NULL;
}
static void tn_ptx_fail(tn_ptx *x, const char *what) {
  if (!x->failed) tiny_fail(x->t, TINY_E_INTERNAL, "render: %s has no form in PTX", what);
  x->failed = 1;
}
static void tn_ptx_wants_version(tn_ptx *x, int version) { if (x->version < version) x->version = version; }
// Where in the pool n operands stand; it may move.
static int tn_ptx_take(tn_ptx *x, int n) {
  tn_ptx_list *p = &x->pool;
  if (p->n + n > p->cap) {
    const int cap = 2 * p->cap + n + 256;
    tn_ptx_operand *grown = (tn_ptx_operand *)tn_ptx_scratch(x->t, (size_t)cap * sizeof *grown);
    if (!grown) { x->failed = 1; return 0; }
    if (p->n) memcpy(grown, p->of, (size_t)p->n * sizeof *grown);
    p->of = grown; p->cap = cap;
  }
  p->n += n;
  return p->n - n;
}

// ** dtypes **

static int tn_ptx_is_float(int d) { return d >= TINY_F8E4M3 && d <= TINY_F64; }
static int tn_ptx_is_signed(int d) { return d == TINY_I8 || d == TINY_I16 || d == TINY_I32 || d == TINY_I64; }
static int tn_ptx_is_fp8(int d) { return d == TINY_F8E4M3 || d == TINY_F8E5M2; }
static int tn_ptx_bits(int d) { return 8 * (int)tiny_dtype_nbytes((tiny_dtype)d); }
// Of the register that an element is held in.
static char tn_ptx_class(int d) {
  if (d == TINY_BOOL) return 'p';
  if (d == TINY_F32 || d == TINY_F64) return d == TINY_F32 ? 'f' : 'g';
  return d == TINY_F16 || d == TINY_BF16 ? 'h' : tn_ptx_bits(d) == 64 ? 'd' : 'r';
}
// How instructions name the dtype, in arithmetic: narrow integers as those of 32 bits.
static const char *tn_ptx_type(int d) {
  switch (d) {
    case TINY_BOOL: return "pred";
    case TINY_F16: case TINY_BF16: return d == TINY_F16 ? "f16" : "bf16";
    case TINY_F32: case TINY_F64: return d == TINY_F32 ? "f32" : "f64";
    case TINY_I64: case TINY_U64: return d == TINY_I64 ? "s64" : "u64";
    default: return tn_ptx_is_signed(d) ? "s32" : "u32";
  }
}
// In memory and conversions; with the sign of integers.
static const char *tn_ptx_stored(int d) {
  switch (d) {
    case TINY_I8: return "s8";
    case TINY_U8: case TINY_F8E4M3: case TINY_F8E5M2: return "u8";
    case TINY_I16: return "s16";
    case TINY_U16: return "u16";
    case TINY_F16: case TINY_BF16: return "b16";
    default: return tn_ptx_type(d);
  }
}
static const char *tn_ptx_bare(char kind) {
  return kind == 'p' ? "pred" : kind == 'h' ? "b16" : kind == 'r' ? "b32" : kind == 'd' ? "b64" : kind == 'f' ? "f32" :
      "f64";
}

// ** text **

static void tn_ptx_text(tiny_bytes *out, const char *format, ...) TN_PTX_PRINTF(2, 3);
static void tn_ptx_text(tiny_bytes *out, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n > 0) tiny_bytes_add(out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void tn_ptx_operand_text(tiny_bytes *out, tn_ptx_operand o) {
  static const struct { char kind; const char *name; } registers[TN_PTX_CLASSES] = {
    {'p', "%p"}, {'h', "%h"}, {'r', "%r"}, {'d', "%d"}, {'f', "%f"}, {'g', "%g"}};
  for (int i = 0; i < TN_PTX_CLASSES; i++) if (registers[i].kind == o.kind) {
    tn_ptx_text(out, "%s%lld", registers[i].name, (long long)o.n);
    return;
  }
  switch (o.kind) {
    case 'F': tn_ptx_text(out, "0f%08X", (unsigned)o.n); return;
    case 'G': tn_ptx_text(out, "0d%016llX", (unsigned long long)o.n); return;
    case 's': tn_ptx_text(out, "m%lld", (long long)o.n); return;
    case 'S': tn_ptx_text(out, "tiny_shared"); return;
    default:
      if (o.n >= INT32_MIN && o.n <= UINT32_MAX) tn_ptx_text(out, "%lld", (long long)o.n);
      else tn_ptx_text(out, "0x%llX", (unsigned long long)o.n);
  }
}
static tiny_bytes *tn_ptx_body(tn_ptx *x) { return &x->level[x->at].body; }

// All items do; not those beside them.
static void tn_ptx_meet(const tn_ptx *x, tiny_bytes *out) {
  const int64_t *n = x->k->local;
  if (x->beside) tn_ptx_text(out, "\tbar.sync 1, %lld;\n", (long long)(n[0] * n[1] * n[2]));
  else tn_ptx_text(out, "\tbar.sync 0;\n");
}

// A line's beginning, with the guard that holds.
static void tn_ptx_begin(tn_ptx *x, const char *op) {
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "\t");
  if (x->guard.kind) {
    tn_ptx_text(out, x->unless ? "@!" : "@");
    tn_ptx_operand_text(out, x->guard);
    tn_ptx_text(out, " ");
  }
  tn_ptx_text(out, "%s ", op);
}
static void tn_ptx_line(tn_ptx *x, const char *op, const tn_ptx_operand *o, int n) {
  tn_ptx_begin(x, op);
  for (int i = 0; i < n; i++) {
    if (i) tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_operand_text(tn_ptx_body(x), o[i]);
  }
  tn_ptx_text(tn_ptx_body(x), ";\n");
}
// {%r1, %r2}; one alone stands without braces.
static void tn_ptx_group(tiny_bytes *out, const tn_ptx_operand *o, int n) {
  if (n > 1) tn_ptx_text(out, "{");
  for (int i = 0; i < n; i++) { if (i) tn_ptx_text(out, ", "); tn_ptx_operand_text(out, o[i]); }
  if (n > 1) tn_ptx_text(out, "}");
}

// op {a, b}, whole
static void tn_ptx_split(tn_ptx *x, const char *op, const tn_ptx_operand *half, tn_ptx_operand whole) {
  tn_ptx_begin(x, op);
  tn_ptx_group(tn_ptx_body(x), half, 2);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_operand_text(tn_ptx_body(x), whole);
  tn_ptx_text(tn_ptx_body(x), ";\n");
}

// ** registers and lines that give one **

static tn_ptx_operand tn_ptx_register(tn_ptx *x, char kind) {
  static const char kinds[] = "phrdfg";
  const tn_ptx_operand o = {kind, ++x->registers[strchr(kinds, kind) - kinds]};
  return o;
}
// op whole, {a, b}
static tn_ptx_operand tn_ptx_join(tn_ptx *x, char kind, const char *op, const tn_ptx_operand *half) {
  const tn_ptx_operand whole = tn_ptx_register(x, kind);
  tn_ptx_begin(x, op);
  tn_ptx_operand_text(tn_ptx_body(x), whole);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_group(tn_ptx_body(x), half, 2);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  return whole;
}
static tn_ptx_operand tn_ptx_k(int64_t k) { const tn_ptx_operand o = {'i', k}; return o; }
static const tn_ptx_operand tn_ptx_none = {0, 0};

static tn_ptx_operand tn_ptx_do(tn_ptx *x, char kind, const char *op, tn_ptx_operand a, tn_ptx_operand b,
                                tn_ptx_operand c) {
  const tn_ptx_operand o[4] = {tn_ptx_register(x, kind), a, b, c};
  tn_ptx_line(x, op, o, !a.kind ? 1 : !b.kind ? 2 : !c.kind ? 3 : 4);
  return o[0];
}
static tn_ptx_operand tn_ptx_do1(tn_ptx *x, char kind, const char *op, tn_ptx_operand a) {
  return tn_ptx_do(x, kind, op, a, tn_ptx_none, tn_ptx_none);
}
static tn_ptx_operand tn_ptx_do2(tn_ptx *x, char kind, const char *op, tn_ptx_operand a, tn_ptx_operand b) {
  return tn_ptx_do(x, kind, op, a, b, tn_ptx_none);
}
// op.type
static const char *tn_ptx_name(char *out, size_t nbytes, const char *op, const char *type) {
  snprintf(out, nbytes, "%s.%s", op, type);
  return out;
}
#define TN_PTX_NAME(op, type) tn_ptx_name(tn_ptx_names, sizeof tn_ptx_names, op, type)

static int tn_ptx_is_number(tn_ptx_operand o) { return o.kind == 'i' || o.kind == 'F' || o.kind == 'G'; }

// In a register, where a number will not do.
static tn_ptx_operand tn_ptx_held(tn_ptx *x, tn_ptx_operand o, char kind) {
  char tn_ptx_names[16];
  if (!tn_ptx_is_number(o)) return o;
  if (kind == 'p') return tn_ptx_do2(x, 'p', "setp.ne.s32", o, tn_ptx_k(0));
  return tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), o);
}

static tn_ptx_operand tn_ptx_number(int dtype, int64_t k) {
  tn_ptx_operand o = {'i', k};
  if (dtype == TINY_F64) o.kind = 'G';
  else if (dtype == TINY_F32) { o.kind = 'F'; o.n = tn_const_f32(k); }
  else if (tn_ptx_bits(dtype) <= 32 && dtype == TINY_U32) o.n = (int64_t)(uint32_t)k;
  return o;
}

// ** conversions **

// Brings what was computed in 32 bits back into a narrow dtype, unless bounds say that it is in there.
static tn_ptx_operand tn_ptx_wrapped(tn_ptx *x, int dtype, tn_ptx_operand o) {
  char tn_ptx_names[16];
  if (tn_ptx_is_number(o) || tn_ptx_is_float(dtype) || tn_ptx_bits(dtype) >= 32) return o;
  if (!tn_ptx_is_signed(dtype))
    return tn_ptx_do2(x, 'r', "and.b32", o, tn_ptx_k(tn_ptx_bits(dtype) == 8 ? 0xFF : 0xFFFF));
  return tn_ptx_do1(x, 'r', TN_PTX_NAME("cvt.s32", tn_ptx_stored(dtype)), o);
}
static int tn_ptx_holds(int dtype, const tiny_uop *u) {
  const int bits = tn_ptx_bits(dtype), is_signed = tn_ptx_is_signed(dtype);
  if (bits >= 64) return dtype == TINY_I64 || u->vmin >= 0;
  const int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0, top = ((int64_t)1 << (bits - is_signed)) - 1;
  return u->dtype != TINY_U64 && u->vmin >= low && u->vmax <= top;
}

static tn_ptx_operand tn_ptx_int_to_int(tn_ptx *x, const tiny_uop *u, int to, tn_ptx_operand o) {
  const int from = u->dtype, wide = tn_ptx_bits(to) == 64;
  if (tn_ptx_class(from) == tn_ptx_class(to)) return wide || tn_ptx_holds(to, u) ? o : tn_ptx_wrapped(x, to, o);
  if (wide) return tn_ptx_do1(x, 'd', tn_ptx_is_signed(from) ? "cvt.s64.s32" : "cvt.u64.u32", o);
  o = tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
  return tn_ptx_holds(to, u) ? o : tn_ptx_wrapped(x, to, o);
}

static tn_ptx_operand tn_ptx_float_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o);

static tn_ptx_operand tn_ptx_int_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  const int half = to == TINY_F16 || (to == TINY_BF16 && x->sm >= 90);
  if ((tn_ptx_class(to) == 'h' && !half) || tn_ptx_is_fp8(to))
    return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_int_to_float(x, from, TINY_F32, o));
  snprintf(name, sizeof name, "cvt.rn.%s.%s", tn_ptx_type(to), tn_ptx_type(from));
  return tn_ptx_do1(x, tn_ptx_class(to), name, o);
}

// Conversions saturate, and give 0 of NaN where they give 32 bits; of 64 GPUs do not ("cvt" is silent; CUDA Math API,
// __float2ll_rz: 0x8000000000000000).
static tn_ptx_operand tn_ptx_float_to_int(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  const int bits = tn_ptx_bits(to), wide = bits == 64, is_signed = tn_ptx_is_signed(to);
  if (tn_ptx_class(from) == 'h') { o = tn_ptx_float_to_float(x, from, TINY_F32, o); from = TINY_F32; }
  snprintf(name, sizeof name, "cvt.rzi.%s.%s", tn_ptx_type(to), tn_ptx_type(from));
  tn_ptx_operand y = tn_ptx_do1(x, wide ? 'd' : 'r', name, o);
  if (wide) {
    const tn_ptx_operand is = tn_ptx_do2(x, 'p', from == TINY_F64 ? "setp.num.f64" : "setp.num.f32", o, o);
    return tn_ptx_do(x, 'd', "selp.b64", y, tn_ptx_k(0), is);
  }
  if (bits == 32) return y;
  y = tn_ptx_do2(x, 'r', is_signed ? "min.s32" : "min.u32", y, tn_ptx_k(((int64_t)1 << (bits - is_signed)) - 1));
  return is_signed ? tn_ptx_do2(x, 'r', "max.s32", y, tn_ptx_k(-((int64_t)1 << (bits - 1)))) : y;
}

static tn_ptx_operand tn_ptx_half_held(tn_ptx *x, tn_ptx_operand o) { return tn_ptx_held(x, o, 'h'); }

// To nearest, ties to even, where no instruction does it: on bits.
static tn_ptx_operand tn_ptx_to_bf16(tn_ptx *x, tn_ptx_operand f) {
  const tn_ptx_operand b = tn_ptx_do1(x, 'r', "mov.b32", f), is = tn_ptx_do2(x, 'p', "setp.num.f32", f, f),
                       odd = tn_ptx_do(x, 'r', "bfe.u32", b, tn_ptx_k(16), tn_ptx_k(1)),
                       up = tn_ptx_do2(x, 'r', "add.s32", odd, tn_ptx_k(0x7FFF)),
                       sum = tn_ptx_do2(x, 'r', "add.s32", b, up),
                       high = tn_ptx_do2(x, 'r', "shr.u32", sum, tn_ptx_k(16));
  return tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_do(x, 'r', "selp.b32", high, tn_ptx_k(0x7FC0), is));
}
static tn_ptx_operand tn_ptx_of_bf16(tn_ptx *x, tn_ptx_operand h) {
  tn_ptx_operand r = tn_ptx_do1(x, 'r', "cvt.u32.u16", tn_ptx_half_held(x, h));
  r = tn_ptx_do2(x, 'r', "shl.b32", r, tn_ptx_k(16));
  return tn_ptx_do1(x, 'f', "mov.b32", r);
}

// ** fp8, from sm_89 on, there of PTX 8.1 (PTX ISA, cvt) **

// What rounds beyond the numbers is NaN, of e5m2 infinity; the conversion would saturate (PTX ISA, cvt, .satfinite). Of
// e4m3 it gets a NaN; of e5m2, whose infinity it does not give, the code is put right.
static tn_ptx_operand tn_ptx_beyond_fp8(tn_ptx *x, int to, tn_ptx_operand f) {
  tn_ptx_wants_version(x, 81);
  const tn_ptx_operand size = tn_ptx_do1(x, 'f', "abs.f32", f), e4m3 = {'F', 0x43E80000}, e5m2 = {'F', 0x47700000};
  return to == TINY_F8E4M3 ? tn_ptx_do2(x, 'p', "setp.gt.f32", size, e4m3) :          // 464: 448 is even
                             tn_ptx_do2(x, 'p', "setp.ge.f32", size, e5m2);           // 61440: 57344 is odd
}
static tn_ptx_operand tn_ptx_infinite_e5m2(tn_ptx *x, tn_ptx_operand f) {
  const tn_ptx_operand bits = tn_ptx_do2(x, 'r', "shr.u32", tn_ptx_do1(x, 'r', "mov.b32", f), tn_ptx_k(24));
  return tn_ptx_do2(x, 'r', "or.b32", tn_ptx_do2(x, 'r', "and.b32", bits, tn_ptx_k(0x80)), tn_ptx_k(0x7C));
}
static tn_ptx_operand tn_ptx_to_fp8(tn_ptx *x, int to, tn_ptx_operand f) {
  const tn_ptx_operand nan = {'F', 0x7FC00000}, zero = {'F', 0}, held = tn_ptx_held(x, f, 'f'),
                       is = tn_ptx_beyond_fp8(x, to, held);
  const int e4m3 = to == TINY_F8E4M3;
  const tn_ptx_operand low = e4m3 ? tn_ptx_do(x, 'f', "selp.f32", nan, held, is) : held,
                       pair = tn_ptx_do2(x, 'h', e4m3 ? "cvt.rn.satfinite.e4m3x2.f32" : "cvt.rn.satfinite.e5m2x2.f32",
                                         zero, low),
                       code = tn_ptx_do1(x, 'r', "cvt.u32.u16", pair);
  return e4m3 ? code : tn_ptx_do(x, 'r', "selp.b32", tn_ptx_infinite_e5m2(x, held), code, is);
}
// Two at a time, f16 of two codes.
static tn_ptx_operand tn_ptx_halves_of_fp8(tn_ptx *x, int from, tn_ptx_operand pair) {
  tn_ptx_wants_version(x, 81);
  return tn_ptx_do1(x, 'r', from == TINY_F8E4M3 ? "cvt.rn.f16x2.e4m3x2" : "cvt.rn.f16x2.e5m2x2", pair);
}
static tn_ptx_operand tn_ptx_of_fp8(tn_ptx *x, int from, tn_ptx_operand code) {
  const tn_ptx_operand pair = tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_held(x, code, 'r'));
  return tn_ptx_do1(x, 'f', "cvt.f32.f16", tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_halves_of_fp8(x, from, pair)));
}

static tn_ptx_operand tn_ptx_float_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  if (from == to) return o;
  if (tn_ptx_is_fp8(from)) return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_of_fp8(x, from, o));
  if (tn_ptx_is_fp8(to)) return tn_ptx_to_fp8(x, to, tn_ptx_float_to_float(x, from, TINY_F32, o));
  if (from == TINY_BF16) return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_of_bf16(x, o));
  if (to == TINY_BF16 && from != TINY_F32)
    return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_float_to_float(x, from, TINY_F32, o));
  if (to == TINY_BF16 && x->sm < 80) return tn_ptx_to_bf16(x, o);
  const int narrows = tn_ptx_bits(to) < tn_ptx_bits(from);
  snprintf(name, sizeof name, "cvt.%s%s.%s", narrows ? "rn." : "", tn_ptx_type(to), tn_ptx_type(from));
  return tn_ptx_do1(x, tn_ptx_class(to), name, tn_ptx_class(from) == 'h' ? tn_ptx_half_held(x, o) : o);
}

static tn_ptx_operand tn_ptx_cast(tn_ptx *x, const tiny_uop *from, int to, tn_ptx_operand o) {
  const int d = from->dtype;
  if (d == to) return o;
  if (tn_ptx_is_float(d))
    return tn_ptx_is_float(to) ? tn_ptx_float_to_float(x, d, to, o) : tn_ptx_float_to_int(x, d, to, o);
  return tn_ptx_is_float(to) ? tn_ptx_int_to_float(x, d, to, o) : tn_ptx_int_to_int(x, from, to, o);
}

// The same bits in a register of another class; of narrow integers with the sign that the dtype has.
static tn_ptx_operand tn_ptx_bits_as(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  const char a = tn_ptx_class(from), b = tn_ptx_class(to);
  if (tn_ptx_is_fp8(from)) from = TINY_U8;                   // codes
  if (tn_ptx_is_fp8(to)) to = TINY_U8;
  if (a == 'r' && b == 'r') return from == to ? o : tn_ptx_wrapped(x, to, o);
  if (a == b) return o;
  if (a == 'h') o = tn_ptx_do1(x, 'r', to == TINY_I16 ? "cvt.s32.s16" : "cvt.u32.u16", tn_ptx_half_held(x, o));
  else if (b == 'h') o = tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_held(x, o, 'r'));
  else o = tn_ptx_do1(x, b, b == 'r' || b == 'f' ? "mov.b32" : "mov.b64", o);
  return o;
}

// ** arithmetic **

static tn_ptx_operand tn_ptx_element(const tn_ptx *x, const tiny_uop *u, int i) {
  const int at = x->elements[u->seq];
  return at < 0 ? tn_ptx_none : x->pool.of[at + (u->lanes > 1 ? i : 0)];
}

// Forms of ops: of integers, of floats; the type follows.
static const struct { uint8_t op; const char *integer, *real; } tn_ptx_forms[] = {
  {TINY_OP_NEG, "neg", "neg"}, {TINY_OP_ADD, "add", "add"}, {TINY_OP_SUB, "sub", "sub"}, {TINY_OP_MUL, "mul.lo", "mul"},
  {TINY_OP_FDIV, NULL, "div.rn"}, {TINY_OP_CDIV, "div", NULL}, {TINY_OP_CMOD, "rem", NULL},
  {TINY_OP_MAX, "max", "max"}, {TINY_OP_AND, "and", NULL}, {TINY_OP_OR, "or", NULL}, {TINY_OP_XOR, "xor", NULL},
  {TINY_OP_SHL, "shl", NULL}, {TINY_OP_SHR, "shr", NULL}, {TINY_OP_LT, "setp.lt", "setp.lt"},
  {TINY_OP_NE, "setp.ne", "setp.neu"}, {TINY_OP_EQ, "setp.eq", "setp.eq"}, {TINY_OP_WHERE, "selp", "selp"},
  {TINY_OP_SQRT, NULL, "sqrt.rn"}, {TINY_OP_TRUNC, NULL, "cvt.rzi"}, {TINY_OP_EXP2, NULL, "ex2.approx"},
  {TINY_OP_FMA, NULL, "fma.rn"}, {TINY_OP_DOT, "dp4a", NULL}
};
enum { TN_PTX_FORMS = sizeof tn_ptx_forms / sizeof *tn_ptx_forms };

static const char *tn_ptx_form(int op, int real) {
  for (int i = 0; i < TN_PTX_FORMS; i++)
    if (tn_ptx_forms[i].op == op) return real ? tn_ptx_forms[i].real : tn_ptx_forms[i].integer;
  return NULL;
}
// Bits have no sign in these.
static int tn_ptx_is_bitwise(int op) {
  return op == TINY_OP_AND || op == TINY_OP_OR || op == TINY_OP_XOR || op == TINY_OP_SHL || op == TINY_OP_WHERE;
}
static int tn_ptx_may_wrap(const tiny_uop *u) {
  const int op = u->op;
  return (op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_SHL || op == TINY_OP_NEG ||
          op == TINY_OP_CDIV);
}

// Shifts by so much: of 64 bits what is beyond 32 of them is as good as 64.
static tn_ptx_operand tn_ptx_shift(tn_ptx *x, int dtype, tn_ptx_operand by) {
  if (tn_ptx_is_number(by) || tn_ptx_bits(dtype) < 64) return by;
  return tn_ptx_do1(x, 'r', "cvt.u32.u64", tn_ptx_do2(x, 'd', "min.u64", by, tn_ptx_k(64)));
}
static int tn_ptx_is_nan(tn_ptx_operand o) {
  const uint64_t size = (uint64_t)o.n & (o.kind == 'F' ? UINT64_C(0x7FFFFFFF) : UINT64_C(0x7FFFFFFFFFFFFFFF));
  return (o.kind == 'F' && size > 0x7F800000) || (o.kind == 'G' && size > UINT64_C(0x7FF0000000000000));
}
// NaN if one of them is. Of zeros of two signs the first, where one is a number; of values max takes +0 (PTX ISA, max),
// and in which order a sum has them is nobody's.
static tn_ptx_operand tn_ptx_max(tn_ptx *x, int dtype, tn_ptx_operand a, tn_ptx_operand b) {
  const int wide = dtype == TINY_F64;
  const char kind = wide ? 'g' : 'f';
  if (tn_ptx_is_number(b) != tn_ptx_is_number(a) && !tn_ptx_is_nan(a) && !tn_ptx_is_nan(b)) {
    const char *const more = tn_ptx_is_number(b) ? (wide ? "setp.gt.f64" : "setp.gt.f32") :
                                                   (wide ? "setp.gtu.f64" : "setp.gtu.f32");
    const tn_ptx_operand is = tn_ptx_do2(x, 'p', more, b, a);
    return tn_ptx_do(x, kind, wide ? "selp.f64" : "selp.f32", b, a, is);
  }
  if (!wide && x->sm >= 80) return tn_ptx_do2(x, 'f', "max.NaN.f32", a, b);
  const tn_ptx_operand most = tn_ptx_do2(x, kind, wide ? "max.f64" : "max.f32", a, b),
                       is = tn_ptx_do2(x, 'p', wide ? "setp.num.f64" : "setp.num.f32", a, b), nan = {wide ? 'G' : 'F',
                       wide ? (int64_t)0x7FF8 << 48 : 0x7FC00000};
  return tn_ptx_do(x, kind, wide ? "selp.f64" : "selp.f32", most, nan, is);
}
static tn_ptx_operand tn_ptx_logic(tn_ptx *x, const tiny_uop *u, tn_ptx_operand a, tn_ptx_operand b) {
  if (tn_ptx_is_number(b) && u->op == TINY_OP_XOR && b.n) return tn_ptx_do1(x, 'p', "not.pred", a);
  a = tn_ptx_held(x, a, 'p'); b = tn_ptx_held(x, b, 'p');
  return tn_ptx_do2(x, 'p', u->op == TINY_OP_AND ? "and.pred" : u->op == TINY_OP_OR ? "or.pred" : "xor.pred", a, b);
}
// 0 <= x < n asked at once: x, as numbers have no sign.
static const tiny_uop *tn_ptx_is_below(const tiny_uop *u, const tiny_uop **n) {
  for (int i = 0; i < 2 && u->op == TINY_OP_AND; i++) {
    const tiny_uop *least = u->src[i], *most = u->src[!i];
    if (least->op != TINY_OP_LT || most->op != TINY_OP_LT || least->src[1] != most->src[0]) continue;
    const tiny_uop *x = most->src[0], *k = least->src[0];
    if (x->dtype != TINY_I32 || k->op != TINY_OP_CONST || k->k != -1 || most->src[1]->vmin < 0) continue;
    *n = most->src[1];
    return x;
  }
  return NULL;
}
static tn_ptx_operand tn_ptx_choice(tn_ptx *x, int dtype, tn_ptx_operand c, tn_ptx_operand a, tn_ptx_operand b) {
  char tn_ptx_names[16];
  const char kind = tn_ptx_class(dtype);
  if (tn_ptx_is_number(c)) return c.n ? a : b;
  if (kind == 'p') {
    const tn_ptx_operand yes = tn_ptx_do2(x, 'p', "and.pred", c, tn_ptx_held(x, a, 'p')),
        no = tn_ptx_do2(x, 'p', "and.pred", tn_ptx_do1(x, 'p', "not.pred", c), tn_ptx_held(x, b, 'p'));
    return tn_ptx_do2(x, 'p', "or.pred", yes, no);
  }
  return tn_ptx_do(x, kind, TN_PTX_NAME("selp", tn_ptx_bare(kind)), a, b, c);
}

static int tn_ptx_is_one(const tiny_uop *u) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  return u->op == TINY_OP_CONST && u->k == (int64_t)0x3FF << 52;
}

// One element of what an ALU op gives. o: of its sources.
static tn_ptx_operand tn_ptx_alu(tn_ptx *x, const tiny_uop *u, const tn_ptx_operand *o) {
  char tn_ptx_names[32];
  const int from = u->nsrc ? u->src[u->op == TINY_OP_WHERE]->dtype : u->dtype, real = tn_ptx_is_float(from), op = u->op;
  const char *form = tn_ptx_form(op, real), *type = tn_ptx_type(from);
  const char kind = tn_ptx_class(u->dtype);
  if (!form || !o[0].kind || (tn_ptx_class(from) == 'h' && op != TINY_OP_WHERE)) {
    tn_ptx_fail(x, tiny_op_name(op));
    return o[0];
  }
  if (op == TINY_OP_WHERE) return tn_ptx_choice(x, u->dtype, o[0], o[1], o[2]);
  const tiny_uop *most = NULL, *below = u->lanes == 1 ? tn_ptx_is_below(u, &most) : NULL;
  if (below) return tn_ptx_do2(x, 'p', "setp.lt.u32", tn_ptx_element(x, below, 0), tn_ptx_element(x, most, 0));
  if (from == TINY_BOOL) return tn_ptx_logic(x, u, o[0], o[1]);
  if (op == TINY_OP_MAX && real) return tn_ptx_max(x, from, o[0], o[1]);
  if (op == TINY_OP_FDIV && tn_ptx_is_one(u->src[0])) return tn_ptx_do1(x, kind, TN_PTX_NAME("rcp.rn", type), o[1]);
  if (op == TINY_OP_DOT) return tn_ptx_do(x, 'r', "dp4a.u32.s32", o[0], o[1], o[2]);
  if (op == TINY_OP_TRUNC) {
    if (!real) return o[0];
    return tn_ptx_do1(x, kind, from == TINY_F64 ? "cvt.rzi.f64.f64" : "cvt.rzi.f32.f32", o[0]);
  }
  if (op == TINY_OP_NEG && !real) type = tn_ptx_bits(from) == 64 ? "s64" : "s32";
  if (tn_ptx_is_bitwise(op)) type = tn_ptx_bits(from) == 64 ? "b64" : "b32";
  tn_ptx_operand b = u->nsrc > 1 ? o[1] : tn_ptx_none;
  if (op == TINY_OP_SHL || op == TINY_OP_SHR) b = tn_ptx_shift(x, from, b);
  const tn_ptx_operand a = (op == TINY_OP_SHL || op == TINY_OP_SHR) ? tn_ptx_held(x, o[0], tn_ptx_class(from)) : o[0],
                       y = tn_ptx_do(x, kind, TN_PTX_NAME(form, type), a, b, u->nsrc > 2 ? o[2] : tn_ptx_none);
  return kind == 'r' && tn_ptx_may_wrap(u) ? tn_ptx_wrapped(x, u->dtype, y) : y;
}

// ** vectors: elements and words **

static int tn_ptx_nwords(const tiny_uop *u) { return u->lanes * tn_ptx_bits(u->dtype) / 32; }
// Are there words of it, apart from its elements?
static int tn_ptx_packs(const tiny_uop *u) {
  const int bits = tn_ptx_bits(u->dtype);
  return u->lanes > 1 && bits && bits < 32 && u->dtype != TINY_BOOL && u->lanes * bits % 32 == 0;
}
static void tn_ptx_put(tn_ptx *x, int at, tn_ptx_operand o) { if (!x->failed) x->pool.of[at] = o; }

// Element i of words.
static tn_ptx_operand tn_ptx_unpack(tn_ptx *x, int dtype, tn_ptx_operand word, int i) {
  const int bits = tn_ptx_bits(dtype), at = i * bits % 32;
  const int is_signed = tn_ptx_is_signed(dtype);
  if (bits == 16 && at) return tn_ptx_do2(x, 'r', is_signed ? "shr.s32" : "shr.u32", word, tn_ptx_k(16));
  if (bits == 16) return tn_ptx_wrapped(x, dtype, word);
  return tn_ptx_do(x, 'r', is_signed ? "bfe.s32" : "bfe.u32", word, tn_ptx_k(at), tn_ptx_k(bits));
}
static void tn_ptx_unpack_all(tn_ptx *x, const tiny_uop *u) {
  const int first = tn_ptx_take(x, u->lanes), words = x->words[u->seq];
  x->elements[u->seq] = first;
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    const tn_ptx_operand word = x->pool.of[words + i * tn_ptx_bits(u->dtype) / 32];
    if (tn_ptx_class(u->dtype) != 'h') { tn_ptx_put(x, first + i, tn_ptx_unpack(x, u->dtype, word, i)); continue; }
    if (i & 1) continue;
    const tn_ptx_operand half[2] = {tn_ptx_register(x, 'h'), tn_ptx_register(x, 'h')};
    tn_ptx_split(x, "mov.b32", half, word);
    tn_ptx_put(x, first + i, half[0]);
    tn_ptx_put(x, first + i + 1, half[1]);
  }
}

// One word of 32 / bits elements.
static tn_ptx_operand tn_ptx_pack(tn_ptx *x, int dtype, const tn_ptx_operand *o) {
  tn_ptx_operand a[4];
  const int n = 32 / tn_ptx_bits(dtype);
  for (int i = 0; i < n; i++) a[i] = tn_ptx_held(x, o[i], tn_ptx_class(dtype));
  if (tn_ptx_class(dtype) == 'h') return tn_ptx_join(x, 'r', "mov.b32", a);
  if (n == 2) return tn_ptx_do(x, 'r', "prmt.b32", a[0], a[1], tn_ptx_k(0x5410));
  const tn_ptx_operand low = tn_ptx_do(x, 'r', "prmt.b32", a[0], a[1], tn_ptx_k(0x3340)),
                       high = tn_ptx_do(x, 'r', "prmt.b32", a[2], a[3], tn_ptx_k(0x3340));
  return tn_ptx_do(x, 'r', "prmt.b32", low, high, tn_ptx_k(0x5410));
}
static void tn_ptx_pack_all(tn_ptx *x, const tiny_uop *u) {
  const int n = tn_ptx_nwords(u), each = u->lanes / n, first = tn_ptx_take(x, n);
  x->words[u->seq] = first;
  for (int i = 0; i < n && !x->failed; i++) {
    tn_ptx_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_ptx_element(x, u, i * each + j);
    tn_ptx_put(x, first + i, tn_ptx_pack(x, u->dtype, o));
  }
}
// The other form as well, where a user wants it.
static void tn_ptx_complete(tn_ptx *x, const tiny_uop *u) {
  if (x->failed || !tn_ptx_packs(u)) return;
  const int wants = x->wants[u->seq];
  if (x->words[u->seq] < 0 && (wants & TN_PTX_WORDS)) tn_ptx_pack_all(x, u);
  if (x->elements[u->seq] < 0 && (wants & TN_PTX_ELEMENTS)) tn_ptx_unpack_all(x, u);
}

// Word i of a vector's bits; of one element, too.
static tn_ptx_operand tn_ptx_word(tn_ptx *x, const tiny_uop *u, int i) {
  if (tn_ptx_packs(u)) return x->words[u->seq] < 0 ? tn_ptx_none : x->pool.of[x->words[u->seq] + i];
  const char kind = tn_ptx_class(u->dtype);
  if (kind == 'r' || kind == 'f') {
    const tn_ptx_operand o = tn_ptx_element(x, u, i);
    return kind == 'f' ? tn_ptx_do1(x, 'r', "mov.b32", o) : tn_ptx_held(x, o, 'r');
  }
  const tn_ptx_operand half[2] = {tn_ptx_register(x, 'r'), tn_ptx_register(x, 'r')};
  tn_ptx_split(x, "mov.b64", half, tn_ptx_held(x, tn_ptx_element(x, u, i / 2), kind));
  return half[i & 1];
}
static tn_ptx_operand tn_ptx_of_words(tn_ptx *x, int dtype, tn_ptx_operand low, tn_ptx_operand high) {
  const char kind = tn_ptx_class(dtype);
  if (kind == 'r') return low;
  if (kind == 'f') return tn_ptx_do1(x, 'f', "mov.b32", low);
  const tn_ptx_operand both[2] = {low, high};
  return tn_ptx_join(x, kind, "mov.b64", both);
}
#endif
// ---- end src/cuda/../render/ptx_values.c ----
// ---- begin src/cuda/../render/ptx_pairs.c ----
// ptx_pairs: two elements by one instruction.
//
// In:  a sum, a difference, a product of vectors of an even number of lanes. Out: its lines.
// Holds: f16 and bf16 are pairs in the words of memory, and f32 are joined and split again, which is no instruction:
//        ptxas gives both halves registers side by side, and an element that stands twice one of them. What is narrow
//        is rounded once, by .rn, so that nothing is contracted: the bits are those of f32 rounded after each op.
// What is what: PTX ISA, "Half Precision Floating Point Instructions"; add, sub, mul and fma of .f32x2 (sm_100 on).
#ifndef TN_RENDER_PTX_PAIRS
#define TN_RENDER_PTX_PAIRS
#ifndef TINY_AMALGAMATED
#include "ptx_values.c"
#endif

// narrow: of f16 and bf16; wide: of f32
static const struct { uint8_t op; const char *narrow, *wide; } tn_ptx_pairs[] = {
  {TINY_OP_ADD, "add.rn", "add"}, {TINY_OP_SUB, "sub.rn", "sub"}, {TINY_OP_MUL, "mul.rn", "mul"},
  {TINY_OP_NEG, "neg", NULL}, {TINY_OP_MAX, "max.NaN", NULL}, {TINY_OP_FMA, NULL, "fma.rn"}};

static const char *tn_ptx_pair_form(int op, int narrow) {
  for (size_t i = 0; i < sizeof tn_ptx_pairs / sizeof *tn_ptx_pairs; i++)
    if (tn_ptx_pairs[i].op == op) return narrow ? tn_ptx_pairs[i].narrow : tn_ptx_pairs[i].wide;
  return NULL;
}
// The dtypes of tiny_renderer.narrow: max.NaN of f16 and sums of bf16 (PTX ISA).
static uint64_t tn_ptx_narrow_dtypes(int sm) {
  return (uint64_t)(sm >= 80) << TINY_F16 | (uint64_t)(sm >= 90) << TINY_BF16;
}
// Of elements by themselves, too.
static int tn_ptx_is_narrow(const tiny_uop *u) {
  return tn_ptx_class(u->dtype) == 'h' && tn_ptx_pair_form(u->op, 1) != NULL;
}

static void tn_ptx_narrow_all(tn_ptx *x, const tiny_uop *u) {
  char op[32];
  const int packs = tn_ptx_packs(u), n = packs ? tn_ptx_nwords(u) : u->lanes, first = tn_ptx_take(x, n);
  const char kind = packs ? 'r' : 'h';
  snprintf(op, sizeof op, "%s.%s%s", tn_ptx_pair_form(u->op, 1), tn_ptx_type(u->dtype), packs ? "x2" : "");
  for (int i = 0; i < n && !x->failed; i++) {
    tn_ptx_operand o[2] = {{0, 0}, {0, 0}};
    for (uint32_t j = 0; j < u->nsrc && j < 2; j++)
      o[j] = tn_ptx_held(x, packs ? tn_ptx_word(x, u->src[j], i) : tn_ptx_element(x, u->src[j], i), kind);
    tn_ptx_put(x, first + i, u->nsrc == 1 ? tn_ptx_do1(x, kind, op, o[0]) : tn_ptx_do2(x, kind, op, o[0], o[1]));
  }
  *(packs ? &x->words[u->seq] : &x->elements[u->seq]) = first;
}

static int tn_ptx_is_paired(const tn_ptx *x, const tiny_uop *u) {
  return x->sm >= 100 && u->dtype == TINY_F32 && u->lanes > 1 && u->lanes % 2 == 0 &&
      tn_ptx_pair_form(u->op, 0) != NULL;
}
static void tn_ptx_paired_all(tn_ptx *x, const tiny_uop *u) {
  char op[32];
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  snprintf(op, sizeof op, "%s.f32x2", tn_ptx_pair_form(u->op, 0));
  for (int i = 0; i < u->lanes && !x->failed; i += 2) {
    tn_ptx_operand o[3] = {{0, 0}, {0, 0}, {0, 0}}, half[2];
    for (uint32_t j = 0; j < u->nsrc && j < 3; j++) {
      for (int k = 0; k < 2; k++) half[k] = tn_ptx_held(x, tn_ptx_element(x, u->src[j], i + k), 'f');
      o[j] = tn_ptx_join(x, 'd', "mov.b64", half);
    }
    for (int k = 0; k < 2; k++) half[k] = tn_ptx_register(x, 'f');
    tn_ptx_split(x, "mov.b64", half, tn_ptx_do(x, 'd', op, o[0], o[1], o[2]));
    for (int k = 0; k < 2; k++) tn_ptx_put(x, first + i + k, half[k]);
  }
}
#endif
// ---- end src/cuda/../render/ptx_pairs.c ----
// ---- begin src/cuda/../render/ptx_memory.c ----
// ptx_memory: what PTX reads and writes: addresses, loads, stores and copies; and what is to be known before.
//
// In:  a list, and of values what ptx_values.c holds. Out: lines of text.
// Holds:
//  - An address is what lies outside of loops, then what a loop goes on with by an addition at its end, then a
//    constant, which costs nothing. Lines for it stand in the outermost loop in which their sources are.
//  - Memory that a kernel reads alone is read past coherence (.nc): PARAMs of a kernel do not overlap where one is
//    written. One memory is one PARAM, also where several states of it are read (schedule/plan.c: rows by tn_place);
//    outputs are fresh, temporaries that live in one step lie apart (schedule/order.c), a captured program's input
//    that it writes is copied (runtime/replay.c); and what callers bring overlaps nothing that is written
//    (tiny_blob_of). The tests' machine for PTX looks at each byte.
//  - What may not be there is read and written under a predicate, without a branch.
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX_MEMORY
#define TN_RENDER_PTX_MEMORY
#ifndef TINY_AMALGAMATED
#include "ptx_pairs.c"
#endif

enum { TN_PTX_TERMS = 8, TN_PTX_OFFSET = 1 << 23 };           // bytes that an instruction adds
enum { TN_PTX_TAKEN = 2 };                 // of a LOAD of REG memory: it stays until it is stored again, in its block
enum { TN_PTX_LINE = 64 };                 // LOCAL memory that a launch brings is given out in so many bytes

typedef struct tn_ptx_term { const tiny_uop *u; int64_t k; } tn_ptx_term;
// The element of an INDEX: offset and k times u, each.
typedef struct tn_ptx_sum { int64_t offset; int n; tn_ptx_term term[TN_PTX_TERMS]; } tn_ptx_sum;
// An address that is there: `from` and k times u; u NULL: and k. level, serial: of the loop it was written to.
typedef struct tn_ptx_step {
  tn_ptx_operand from, to; const tiny_uop *u; int64_t k; int level, serial;
} tn_ptx_step;

// ** before a line is written: where nodes stand, what addresses are made of, what is wanted **

// Does a loop go on with it by an addition?
static int tn_ptx_advances(const tiny_uop *u) { return u->op == TINY_OP_RANGE; }

// Terms from `first` on that lie in one place are one: u, if they hold all of it.
static void tn_ptx_gather(const tn_ptx *x, const tiny_uop *u, int64_t k, int64_t offset, int first, tn_ptx_sum *s) {
  if (s->offset != offset || s->n - first < 2) return;
  for (int i = first; i < s->n; i++)
    if (tn_ptx_advances(s->term[i].u) || x->inside[s->term[i].u->seq] != x->inside[u->seq]) return;
  s->n = first + 1;
  s->term[first].u = u; s->term[first].k = k;
}
static void tn_ptx_flatten(const tn_ptx *x, const tiny_uop *u, int64_t k, int depth, tn_ptx_sum *s) {
  const int64_t offset = s->offset;
  const int first = s->n, op = u->op, number = u->nsrc == 2 && u->src[1]->op == TINY_OP_CONST;
  const int widens = op == TINY_OP_CAST && (u->dtype == TINY_I64 || u->dtype == TINY_I32) &&
      (u->src[0]->dtype == TINY_I32 || (u->src[0]->dtype == TINY_I64 && tn_ptx_holds(TINY_I32, u->src[0])));
  if (op == TINY_OP_CONST) { s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, u->k)); return; }
  if (s->n > TN_PTX_TERMS) return;
  const int deep = depth == 2 * TN_PTX_TERMS;
  if (!deep && widens) tn_ptx_flatten(x, u->src[0], k, depth + 1, s);
  else if (!deep && (op == TINY_OP_ADD || op == TINY_OP_SUB) && tn_is_sum_exact(u)) {
    tn_ptx_flatten(x, u->src[0], k, depth + 1, s);
    tn_ptx_flatten(x, u->src[1], op == TINY_OP_ADD ? k : tn_wrapped_product(k, -1), depth + 1, s);
  } else if (!deep && (op == TINY_OP_MUL || op == TINY_OP_SHL) && number && tn_is_sum_exact(u))
    tn_ptx_flatten(x, u->src[0], tn_wrapped_product(k, tn_factor_of(u)), depth + 1, s);
  else if (first < TN_PTX_TERMS) { s->term[s->n].u = u; s->term[s->n++].k = k; }
  else s->n = TN_PTX_TERMS + 1;
  if (s->n <= TN_PTX_TERMS) tn_ptx_gather(x, u, k, offset, first, s);
  else if (first < TN_PTX_TERMS) {         // more than are known: u as it is
    s->n = first + 1; s->offset = offset;
    s->term[first].u = u; s->term[first].k = k;
  }
}
// Outermost first; a loop's own number before what else is computed in it.
static void tn_ptx_sum_of(const tn_ptx *x, const tiny_uop *u, tn_ptx_sum *s) {
  s->n = 0; s->offset = 0;
  tn_ptx_flatten(x, u, 1, 0, s);
  for (int i = 1; i < s->n; i++)
    for (int j = i; j > 0; j--) {
      const tn_ptx_term a = s->term[j - 1], b = s->term[j];
      const int from = 2 * x->inside[a.u->seq] + !tn_ptx_advances(a.u),
                to = 2 * x->inside[b.u->seq] + !tn_ptx_advances(b.u);
      if (from <= to) break;
      s->term[j - 1] = b; s->term[j] = a;
    }
}
static tn_ptx_sum *tn_ptx_sum_at(const tn_ptx *x, const tiny_uop *index) { return &x->sum[x->elements[index->seq]]; }

// A vector of n bytes there is read or written by so many at once: as its place is aligned, 16 at most.
static int tn_ptx_chunk(const tn_ptx *x, const tiny_uop *index, int nbytes) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype), each = size * (m->op == TINY_OP_DEFINE ? m->lanes : 1);
  int n = 16;
  while (n > size && (nbytes % n || (((int64_t)each << x->zeros[index->src[1]->seq]) % n && each % n))) n /= 2;
  return n < size ? size : n;
}
static int tn_ptx_nbytes(const tiny_uop *u) { return u->lanes * (int)tiny_dtype_nbytes((tiny_dtype)u->dtype); }
// Does a STORE to LOCAL memory copy, without a register between?
static int tn_ptx_copies(const tn_ptx *x, const tiny_uop *store) {
  if (x->sm < 80 || !tn_copies_later(store)) return 0;
  const tiny_uop *load = tn_copied(store);
  const int n = tn_ptx_nbytes(load);
  return tn_ptx_chunk(x, store->src[0], n) >= n && tn_ptx_chunk(x, load->src[0], n) >= n;
}

// What a STORE stores, in whichever register its bits are.
static const tiny_uop *tn_ptx_value_of(const tiny_uop *store) {
  const tiny_uop *value = store->src[1], *bits = value->op == TINY_OP_BITCAST ? value->src[0] : value;
  const int same = value->lanes == 1 && bits->lanes == 1 && bits->dtype != TINY_BOOL &&
      tn_ptx_bits(bits->dtype) == tn_ptx_bits(value->dtype);
  return same && store->k != TN_ADDS && !tn_is_reg(store->src[0]->src[0]) ? bits : value;
}
static void tn_ptx_need(tn_ptx *x, const tiny_uop *u) { x->needed[u->seq] = 1; }
// One that wants u does so under a condition; NULL: always.
static void tn_ptx_want_under(tn_ptx *x, const tiny_uop *u, const tiny_uop *condition) {
  const tiny_uop *before = x->under[u->seq];
  const int known = condition && condition->lanes == 1 && condition->seq < u->seq && u->lanes == 1;
  x->under[u->seq] = known && (!before || before == condition) ? condition : u;
}
// The condition under which u wants its source j.
static const tiny_uop *tn_ptx_condition(const tn_ptx *x, const tiny_uop *u, uint32_t j) {
  if (u->op == TINY_OP_STORE) return j == 1 && u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
  const int computes = u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST ||
      tn_ptx_form(u->op, tn_ptx_is_float(u->dtype)) != NULL;
  return computes && x->under[u->seq] != u ? x->under[u->seq] : NULL;
}
// For addresses and conditions: whenever.
static void tn_ptx_need_index(tn_ptx *x, const tiny_uop *index) {
  const tn_ptx_sum *s = tn_ptx_sum_at(x, index);
  for (int i = 0; i < s->n; i++) {
    tn_ptx_need(x, s->term[i].u);
    tn_ptx_want_under(x, s->term[i].u, NULL);
    x->last[s->term[i].u->seq] = x->k->n;
  }
  tn_ptx_need(x, index->src[0]);
  if (index->nsrc < 3) return;
  tn_ptx_need(x, index->src[2]);
  tn_ptx_want_under(x, index->src[2], NULL);
  x->last[index->src[2]->seq] = x->k->n;
}
// Whether u wants words of its source j, or elements.
static uint8_t tn_ptx_wanted(const tn_ptx *x, const tiny_uop *u, uint32_t j) {
  const tiny_uop *s = u->src[j];
  const uint8_t elements = TN_PTX_ELEMENTS, words = TN_PTX_WORDS, as_u = x->wants[u->seq];
  switch (u->op) {
    case TINY_OP_AFTER: return as_u;
    case TINY_OP_BITCAST: return tn_ptx_packs(u) ? as_u : u->lanes == s->lanes ? elements : words;
    case TINY_OP_LOAD: return tn_ptx_chunk(x, u->src[0], tn_ptx_nbytes(u)) >= 4 ? words : elements;
    case TINY_OP_CAST: return s->dtype == TINY_BF16 || tn_ptx_is_fp8(s->dtype) ? words : elements;
    case TINY_OP_PICK:
      return u->lanes > 1 && u->k * tn_ptx_bits(s->dtype) % 32 == 0 && tn_ptx_packs(u) ? as_u : elements;
    case TINY_OP_STORE:
      return tn_is_reg(u->src[0]->src[0]) || tn_ptx_chunk(x, u->src[0], tn_ptx_nbytes(s)) < 4 ? elements : words;
    default: return tn_ptx_is_narrow(u) && tn_ptx_packs(u) ? words : elements;
  }
}

// Is u what its source is, in no register of its own?
static int tn_ptx_is_alias(const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_AFTER: case TINY_OP_PICK: case TINY_OP_STACK: case TINY_OP_BROADCAST: case TINY_OP_CAST:
    case TINY_OP_BITCAST: case TINY_OP_WHERE: case TINY_OP_TRUNC: return 1;
    default: return 0;
  }
}
// The last place where u's registers are read; x->k->n: they are wanted in another loop, or for an address.
static void tn_ptx_read_by(tn_ptx *x, const tiny_uop *u, const tiny_uop *by) {
  int last = (int)by->seq;
  if (x->block[by->seq] != x->block[u->seq]) last = x->k->n;
  else if (tn_ptx_is_alias(by) && x->last[by->seq] > last) last = x->last[by->seq];
  if (last > x->last[u->seq]) x->last[u->seq] = last;
}

static void tn_ptx_place(tn_ptx *x) {
  const tiny_uop *open[TN_PTX_DEPTH] = {NULL};
  int depth = 0, sums = 0;
  for (int i = 0; i < x->k->n && depth < TN_PTX_DEPTH - 1; i++) {
    tiny_uop *u = x->k->list[i];
    u->seq = (uint32_t)i;
    x->elements[i] = x->words[i] = -1;
    x->zeros[i] = (uint8_t)tn_low_zeros(u, x->zeros);
    if (u->op == TINY_OP_INDEX) x->elements[i] = sums++;
    if (u->op == TINY_OP_RANGE) open[++depth] = u;
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) depth--;
    x->inside[i] = (uint8_t)depth;
    x->block[i] = open[depth];
    if (u->op == TINY_OP_IF) open[++depth] = u;
  }
  if (depth) x->failed = tiny_fail(x->t, TINY_E_INTERNAL, "render: loops nest too deep for PTX") != TINY_OK;
}
static void tn_ptx_survey(tn_ptx *x) {
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op, copies = op == TINY_OP_STORE && tn_ptx_copies(x, u);
    if (x->idle[i]) continue;
    if (op == TINY_OP_STORE || op == TINY_OP_PREFETCH || op == TINY_OP_RANGE || op == TINY_OP_IF ||
        op == TINY_OP_BULK || op == TINY_OP_BULKSTORE)
      tn_ptx_need(x, u);
    if (op == TINY_OP_BARRIER && u->k & TN_BOXES) {
      tn_ptx_need(x, u->src[0]);
      tn_ptx_read_by(x, u->src[0], u);
    }
    if (op == TINY_OP_STORE && tn_memory_behind(u->src[0]->src[0])->op == TINY_OP_PARAM)
      x->constant[tn_memory_behind(u->src[0]->src[0])->seq] = 0;
    if (op == TINY_OP_BULKSTORE) x->constant[tn_memory_behind(u->src[1])->seq] = 0;
    if (!x->needed[i] || op == TINY_OP_INDEX || op == TINY_OP_GROUP) continue;
    const tiny_uop *most = NULL, *below = tn_ptx_is_below(u, &most);
    if (below) { tn_ptx_read_by(x, below, u); tn_ptx_read_by(x, most, u); }
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = op == TINY_OP_STORE && j == 1 ? tn_ptx_value_of(u) : u->src[j];
      if (copies && j) { tn_ptx_need_index(x, tn_copied(u)->src[0]); continue; }
      if (s->op == TINY_OP_INDEX) { tn_ptx_need_index(x, s); continue; }
      tn_ptx_need(x, s);
      tn_ptx_want_under(x, s, tn_ptx_condition(x, u, j));
      if (s->lanes > 1) x->wants[s->seq] |= tn_ptx_wanted(x, u, j);
      tn_ptx_read_by(x, s, u);
    }
  }
}
// Memory in registers is memory where its elements are not known; a value in it is read where it lies if nothing is
// stored before it is read for the last time.
static void tn_ptx_survey_registers(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_INDEX && tn_is_reg(u->src[0]) && u->src[1]->op != TINY_OP_CONST)
      x->constant[tn_memory_behind(u->src[0])->seq] = 0;
  }
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if ((u->op != TINY_OP_STORE && u->op != TINY_OP_LOAD) || !tn_is_reg(u->src[0]->src[0])) continue;
    int *stored = &x->words[tn_memory_behind(u->src[0]->src[0])->seq];         // the next place; -1: none
    if (u->op == TINY_OP_STORE) *stored = i;
    else if (x->last[i] >= (*stored < 0 ? x->k->n : *stored)) x->constant[i] = 0;
    else if (*stored >= 0 && x->block[*stored] == x->block[i]) x->constant[i] = TN_PTX_TAKEN;
  }
}

// ** addresses **

static tn_ptx_step *tn_ptx_step_at(tn_ptx *x, tn_ptx_operand from, const tiny_uop *u, int64_t k) {
  const uint64_t key = ((uint64_t)from.n << 8 ^ (uint64_t)from.kind) * 0x9E3779B97F4A7C15u ^
      (uint64_t)k * 0xC2B2AE3D27D4EB4Fu ^ (u ? (uint64_t)u->seq + 1 : 0) * 0x165667B19E3779F9u;
  for (uint32_t i = (uint32_t)(key >> 32 ^ key);; i++) {
    tn_ptx_step *s = &x->step[i & (uint32_t)(x->nstep - 1)];
    if (!s->from.kind) { s->from = from; s->u = u; s->k = k; s->serial = -1; }
    if (s->from.kind == from.kind && s->from.n == from.n && s->u == u && s->k == k) return s;
  }
}
static int tn_ptx_is_there(const tn_ptx *x, const tn_ptx_step *s) {
  return s->serial >= 0 && s->level <= x->depth && x->level[s->level].serial == s->serial;
}

// from and k times u, where lines go now.
static tn_ptx_operand tn_ptx_plus(tn_ptx *x, tn_ptx_operand from, const tiny_uop *u, tn_ptx_operand o, int64_t k) {
  const int wide = from.kind == 'd', fits = k >= INT32_MIN && k <= INT32_MAX, is_signed = tn_ptx_is_signed(u->dtype);
  if (tn_ptx_is_number(o))
    return o.n && k ? tn_ptx_do2(x, from.kind, wide ? "add.s64" : "add.s32", from, tn_ptx_k(o.n * k)) : from;
  if (!wide) {
    if (o.kind == 'd') o = tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
    return k == 1 ? tn_ptx_do2(x, 'r', "add.s32", from, o) : tn_ptx_do(x, 'r', "mad.lo.s32", o, tn_ptx_k(k), from);
  }
  if (o.kind == 'r' && fits && (is_signed || k >= 0))
    return tn_ptx_do2(x, 'd', "add.s64", from,     // not mad: ptxas makes one of these for each `from`, of mads two
                      tn_ptx_do2(x, 'd', is_signed ? "mul.wide.s32" : "mul.wide.u32", o, tn_ptx_k(k)));
  if (o.kind == 'r') o = tn_ptx_do1(x, 'd', is_signed ? "cvt.s64.s32" : "cvt.u64.u32", o);
  return tn_ptx_do(x, 'd', "mad.lo.s64", o, tn_ptx_k(k), from);
}
// The address that begins outside of the loop and goes on by k.
static tn_ptx_operand tn_ptx_going(tn_ptx *x, tn_ptx_operand from, const tiny_uop *range, int64_t k) {
  const int wide = from.kind == 'd', level = x->inside[range->seq];
  x->at = level - 1;
  if (range->nsrc > 1) from = tn_ptx_plus(x, from, range->src[1], tn_ptx_element(x, range->src[1], 0), k);
  const tn_ptx_operand to = tn_ptx_do1(x, from.kind, wide ? "mov.b64" : "mov.b32", from);
  tiny_bytes *tail = &x->level[level].tail;
  tn_ptx_text(tail, wide ? "\tadd.s64 " : "\tadd.s32 ");
  tn_ptx_operand_text(tail, to);
  tn_ptx_text(tail, ", ");
  tn_ptx_operand_text(tail, to);
  tn_ptx_text(tail, ", %lld;\n", (long long)k);
  return to;
}
static tn_ptx_operand tn_ptx_step_on(tn_ptx *x, tn_ptx_operand from, int *level, const tiny_uop *u, int64_t k) {
  tn_ptx_step *s = tn_ptx_step_at(x, from, u, k);
  const int at = x->at;
  if (!tn_ptx_is_there(x, s)) {
    s->level = u && x->inside[u->seq] > *level ? x->inside[u->seq] : *level;
    s->serial = x->level[s->level].serial;
    x->at = s->level;
    s->to = !u ? tn_ptx_do2(x, from.kind, from.kind == 'd' ? "add.s64" : "add.s32", from, tn_ptx_k(k)) :
        tn_ptx_advances(u) && *level < s->level ? tn_ptx_going(x, from, u, k) :
                                                  tn_ptx_plus(x, from, u, tn_ptx_element(x, u, 0), k);
    x->at = at;
  }
  *level = s->level;
  return s->to;
}

// PARAM: its register. DEFINE: a symbol, an offset, and a register once one was wanted.
static const char *tn_ptx_space(const tiny_uop *memory) {
  return memory->op == TINY_OP_PARAM ? "global" : memory->v[0] == TN_SPACE_LOCAL ? "shared" : "local";
}
static tn_ptx_operand tn_ptx_base(tn_ptx *x, const tiny_uop *memory) {
  const int first = x->elements[memory->seq], at = x->at;
  if (memory->op == TINY_OP_PARAM || first < 0) return tn_ptx_element(x, memory, 0);
  if (!x->pool.of[first + 2].kind) {
    x->at = 0;
    tn_ptx_put(x, first + 2, tn_ptx_do1(x, 'r', "mov.u32", x->pool.of[first]));
    x->at = at;
  }
  return x->pool.of[first + 2];
}
typedef struct tn_ptx_address { tn_ptx_operand base; int64_t offset; } tn_ptx_address;
static tn_ptx_address tn_ptx_address_of(tn_ptx *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const tn_ptx_sum *s = tn_ptx_sum_at(x, index);
  const int param = m->op == TINY_OP_PARAM;
  const int64_t size = (int64_t)tiny_dtype_nbytes((tiny_dtype)m->dtype) * (param ? 1 : m->lanes);
  tn_ptx_address a = {{0, 0}, s->offset * size};
  int level = 0;
  if (x->failed) return a;
  if (!param) a.offset += x->pool.of[x->elements[m->seq] + 1].n;
  a.base = s->n || param ? tn_ptx_base(x, m) : x->pool.of[x->elements[m->seq]];
  for (int i = 0; i < s->n; i++) a.base = tn_ptx_step_on(x, a.base, &level, s->term[i].u, s->term[i].k * size);
  if (a.offset < TN_PTX_OFFSET && a.offset >= -TN_PTX_OFFSET) return a;
  a.base = tn_ptx_step_on(x, a.base, &level, NULL, a.offset);
  a.offset = 0;
  return a;
}
static void tn_ptx_address_text(tn_ptx *x, const tn_ptx_address *a, int64_t more) {
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "[");
  tn_ptx_operand_text(out, a->base);
  if (a->offset + more) tn_ptx_text(out, "+%lld", (long long)(a->offset + more));
  tn_ptx_text(out, "]");
}

// ** memory **

static void tn_ptx_guard(tn_ptx *x, const tiny_uop *index) {
  const tn_ptx_operand o = index->nsrc == 3 ? tn_ptx_element(x, index->src[2], 0) : tn_ptx_none;
  x->guard = o.kind ? tn_ptx_held(x, o, 'p') : o;
  x->unless = 0;
}
static void tn_ptx_unguard(tn_ptx *x) { x->guard = tn_ptx_none; }

// Where element `at` of REG memory lies in the pool.
static int tn_ptx_reg_at(const tn_ptx *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  return x->elements[m->seq] + (int)index->src[1]->k * m->lanes;
}
static int tn_ptx_in_registers(const tn_ptx *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && x->constant[tn_memory_behind(index->src[0])->seq];
}

// How a vector is moved: by accesses of so many registers of a kind, named by a type; of them in all.
typedef struct tn_ptx_pieces { int words, each, all, nbytes; char kind; const char *type; } tn_ptx_pieces;
static tn_ptx_pieces tn_ptx_pieces_of(const tn_ptx *x, const tiny_uop *index, const tiny_uop *value) {
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)value->dtype), n = tn_ptx_nbytes(value);
  const int chunk = value->lanes > 1 ? tn_ptx_chunk(x, index, n) : size, words = tn_ptx_packs(value) && chunk >= 4;
  tn_ptx_pieces p = {words, words ? chunk / 4 : chunk / size, words ? n / 4 : value->lanes, chunk,
                     tn_ptx_class(value->dtype), tn_ptx_stored(value->dtype)};
  if (words) { p.kind = 'r'; p.type = "b32"; }
  while (p.each > 4) { p.each /= 2; p.nbytes /= 2; }         // of bytes a vector has four at most
  return p;
}
static void tn_ptx_access(tn_ptx *x, const char *op, const tn_ptx_pieces *p) {
  char name[64], vector[16] = "";
  if (p->each > 1) snprintf(vector, sizeof vector, ".v%d", p->each);
  snprintf(name, sizeof name, "%s%s.%s", op, vector, p->type);
  tn_ptx_begin(x, name);
}

// Registers for what is loaded; of what may not be there with what is to be there otherwise, if that is wanted.
static int tn_ptx_load_registers(tn_ptx *x, const tiny_uop *u, const tn_ptx_pieces *p) {
  const tiny_uop *index = u->src[0];
  const int first = tn_ptx_take(x, p->all), may_not = index->nsrc == 3;
  x->partial[u->seq] = may_not && x->under[u->seq] == index->src[2] && tn_ptx_element(x, index->src[2], 0).kind == 'p';
  const int guarded = may_not && !x->partial[u->seq];
  char tn_ptx_names[16];
  for (int i = 0; i < p->all && !x->failed; i++) {
    tn_ptx_operand zero = {p->kind == 'f' ? 'F' : p->kind == 'g' ? 'G' : 'i', 0};
    if (u->nsrc == 2) zero = p->words ? tn_ptx_word(x, u->src[1], i) : tn_ptx_element(x, u->src[1], i);
    tn_ptx_put(x, first + i, guarded ? tn_ptx_do1(x, p->kind, TN_PTX_NAME("mov", tn_ptx_bare(p->kind)), zero) :
                                       tn_ptx_register(x, p->kind));
  }
  return first;
}
static void tn_ptx_load(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *m = tn_memory_behind(index->src[0]);
  const tn_ptx_pieces p = tn_ptx_pieces_of(x, index, u);
  char op[32];
  const tn_ptx_address a = tn_ptx_address_of(x, index);
  const int first = tn_ptx_load_registers(x, u, &p);
  snprintf(op, sizeof op, "ld.%s%s", tn_ptx_space(m), m->op == TINY_OP_PARAM && x->constant[m->seq] ? ".nc" : "");
  tn_ptx_guard(x, index);
  for (int i = 0; i < p.all && !x->failed; i += p.each) {
    tn_ptx_access(x, op, &p);
    tn_ptx_group(tn_ptx_body(x), &x->pool.of[first + i], p.each);
    tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_address_text(x, &a, (int64_t)(i / p.each) * p.nbytes);
    tn_ptx_text(tn_ptx_body(x), ";\n");
  }
  tn_ptx_unguard(x);
  if (p.words) x->words[u->seq] = first; else x->elements[u->seq] = first;
}
// Rows of four 8x8 matrices (PTX ISA, ldmatrix).
static void tn_ptx_load_rows(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_address a = tn_ptx_address_of(x, u->src[0]);
  const int first = tn_ptx_take(x, 4);
  for (int i = 0; i < 4; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, 'r'));
  if (x->failed) return;
  tn_ptx_wants_version(x, 65);
  tn_ptx_begin(x, u->k == TN_TURNED ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16" :
                                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  tn_ptx_group(tn_ptx_body(x), &x->pool.of[first], 4);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_address_text(x, &a, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  if (tn_ptx_packs(u)) x->words[u->seq] = first; else x->elements[u->seq] = first;
}
static void tn_ptx_load_register(tn_ptx *x, const tiny_uop *u) {
  const int from = tn_ptx_reg_at(x, u->src[0]);
  const char kind = tn_ptx_class(u->dtype);
  char tn_ptx_names[16];
  if (x->constant[u->seq]) { x->elements[u->seq] = from; return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++)
    tn_ptx_put(x, first + i, tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), x->pool.of[from + i]));
}

static void tn_ptx_store_register(tn_ptx *x, const tiny_uop *u) {
  const int to = tn_ptx_reg_at(x, u->src[0]);
  const char kind = tn_ptx_class(u->src[1]->dtype);
  char tn_ptx_names[16];
  for (int i = 0; i < u->src[1]->lanes && !x->failed; i++) {
    const tn_ptx_operand o[2] = {x->pool.of[to + i], tn_ptx_element(x, u->src[1], i)};
    if (o[0].kind == o[1].kind && o[0].n == o[1].n) continue;                  // it was added to in place
    tn_ptx_line(x, TN_PTX_NAME("mov", tn_ptx_bare(kind)), o, 2);
  }
}
static const char *tn_ptx_adds(int dtype) { return dtype == TINY_I64 ? "u64" : tn_ptx_type(dtype); }
static void tn_ptx_store(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = tn_ptx_value_of(u), *m = tn_memory_behind(index->src[0]);
  tn_ptx_pieces p = tn_ptx_pieces_of(x, index, value);
  tn_ptx_operand o[TN_PTX_VECTOR];
  char op[32];
  const tn_ptx_address a = tn_ptx_address_of(x, index);
  for (int i = 0; i < p.all && i < TN_PTX_VECTOR; i++)
    o[i] = p.words ? tn_ptx_word(x, value, i) : tn_ptx_held(x, tn_ptx_element(x, value, i), p.kind);
  if (u->k == TN_ADDS) { snprintf(op, sizeof op, "red.%s.add", tn_ptx_space(m)); p.type = tn_ptx_adds(value->dtype); }
  else snprintf(op, sizeof op, "st.%s%s", tn_ptx_space(m), x->k->hints[u->seq] & TINY_HINT_STREAM ? ".cs" : "");
  tn_ptx_guard(x, index);
  for (int i = 0; i < p.all && !x->failed; i += p.each) {
    tn_ptx_access(x, op, &p);
    tn_ptx_address_text(x, &a, (int64_t)(i / p.each) * p.nbytes);
    tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_group(tn_ptx_body(x), o + i, p.each);
    tn_ptx_text(tn_ptx_body(x), ";\n");
  }
  tn_ptx_unguard(x);
}
// PTX ISA, cp.async: 16 bytes past L1, others through it; of `read` bytes, and zeros.
static void tn_ptx_put_off(tn_ptx *x, size_t from) {          // what was written from there on waits for products
  tiny_bytes *out = tn_ptx_body(x);
  if (!x->overlaps || out->n <= from) return;
  tiny_bytes_add(&x->copies, out->data + from, out->n - from);
  out->n = from;
}
static void tn_ptx_copy(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *load = tn_copied(u), *from = load->src[0];
  const int n = tn_ptx_nbytes(load);
  const tn_ptx_address to = tn_ptx_address_of(x, u->src[0]), at = tn_ptx_address_of(x, from);
  tn_ptx_operand read = tn_ptx_none;
  if (from->nsrc == 3)
    read = tn_ptx_choice(x, TINY_I32, tn_ptx_element(x, from->src[2], 0), tn_ptx_k(n), tn_ptx_k(0));
  tn_ptx_guard(x, u->src[0]);
  const size_t from_here = tn_ptx_body(x)->n;
  tn_ptx_begin(x, n == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global");
  tn_ptx_address_text(x, &to, 0);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_address_text(x, &at, 0);
  tn_ptx_text(tn_ptx_body(x), ", %d", n);
  if (read.kind) { tn_ptx_text(tn_ptx_body(x), ", "); tn_ptx_operand_text(tn_ptx_body(x), read); }
  tn_ptx_text(tn_ptx_body(x), ";\n");
  tn_ptx_put_off(x, from_here);
  tn_ptx_unguard(x);
}
static void tn_ptx_prefetch(tn_ptx *x, const tiny_uop *u) {
  if (tn_memory_behind(u->src[0]->src[0])->op != TINY_OP_PARAM) return;
  const tn_ptx_address a = tn_ptx_address_of(x, u->src[0]);
  tn_ptx_begin(x, "prefetch.global.L2");
  tn_ptx_address_text(x, &a, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
}

static tn_ptx_operand tn_ptx_read_special(tn_ptx *x, const char *name) {
  const tn_ptx_operand o = tn_ptx_register(x, 'r');
  tn_ptx_begin(x, "mov.u32");
  tn_ptx_operand_text(tn_ptx_body(x), o);
  tn_ptx_text(tn_ptx_body(x), ", %%%s;\n", name);
  return o;
}
// Is it where BULKs copy to, or BULKSTOREs from?
static int tn_ptx_holds_boxes(const tn_ptx *x, const tiny_uop *memory) {
  for (int i = 0; i < x->nbulk; i++) if (tn_memory_behind(x->bulk[i]->src[0]->src[0]) == memory) return 1;
  for (int i = 0; i < x->k->n && x->box_stores; i++)
    if (x->k->list[i]->op == TINY_OP_BULKSTORE && tn_memory_behind(x->k->list[i]->src[0]->src[0]) == memory) return 1;
  return 0;
}
static void tn_ptx_define(tn_ptx *x, const tiny_uop *u) {
  const int reg = u->v[0] == TN_SPACE_REG, held = reg && x->constant[u->seq], given = !reg && x->k->local_nbytes;
  const int n = held ? (int)u->v[1] * u->lanes : 3, first = tn_ptx_take(x, n), boxes = tn_ptx_holds_boxes(x, u);
  int64_t *at = boxes ? &x->box_at : &x->local_at;
  const int64_t nbytes = u->v[1] * tn_ptx_nbytes(u);
  const tn_ptx_operand symbol = {given ? 'S' : 's', x->memories};
  x->elements[u->seq] = first;
  x->words[u->seq] = -1;
  for (int i = 0; held && i < n; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, tn_ptx_class(u->dtype)));
  if (held) return;
  tn_ptx_put(x, first, symbol);
  tn_ptx_put(x, first + 1, tn_ptx_k(given ? *at : 0));
  tn_ptx_put(x, first + 2, tn_ptx_none);
  if (given) *at += (nbytes + TN_PTX_LINE - 1) / TN_PTX_LINE * TN_PTX_LINE;
  else
    tn_ptx_text(&x->declares, "\t.%s .align %d .b8 m%d[%lld];\n", reg ? "local" : "shared",
                boxes ? (int)TN_BOX_ALIGN : 16, x->memories++, (long long)nbytes);
}
#endif
// ---- end src/cuda/../render/ptx_memory.c ----
// ---- begin src/cuda/../render/ptx_wgmma.c ----
// ptx_wgmma: products of all columns of a warp at once, of which four warps of sm_90a make one (PTX ISA, wgmma).
//
// In:  WMMAs whose b is a LOAD of matrices by steps. Out: their lines, which wait in a batch; a batch is written when
//      something else wants what it gives, or shared memory changes.
// Holds:
//  - a and the sum are in registers, as those of mma.sync; b is read from shared memory by a descriptor: where it
//    begins, and the steps between matrices (PTX ISA, "Matrix Descriptor", no swizzle: leading along k, stride across
//    columns).
//  - The sum is added to in its own registers. Those of an accumulator are taken where nobody reads it before it is
//    stored again.
//  - What items wrote to shared memory is fenced before they meet, as the unit reads it by another way (PTX ISA,
//    fence.proxy.async).
#ifndef TN_RENDER_PTX_WGMMA
#define TN_RENDER_PTX_WGMMA
#ifndef TINY_AMALGAMATED
#include "ptx_memory.c"
#endif

// ** the batch **

// Of warps beside which others copy: the slot before is empty, if there was one. now: the one whose products are under
// way, -1: there is none.
static void tn_ptx_release(tn_ptx *x, tn_ptx_operand now) {
  const tn_ptx_operand on = tn_ptx_do(x, 'p', "setp.ge.and.s32", x->before, tn_ptx_k(0), x->tells),
                       at = tn_ptx_do(x, 'r', "mad.lo.s32", x->before, tn_ptx_k(8), x->empties),
                       next[2] = {x->before, now};
  x->guard = on;
  tn_ptx_begin(x, x->cluster > 1 ? "mbarrier.arrive.release.cluster.shared::cluster.b64" :
                                   "mbarrier.arrive.shared::cta.b64");
  x->guard = tn_ptx_none;
  tn_ptx_text(tn_ptx_body(x), "_, [");
  tn_ptx_operand_text(tn_ptx_body(x), at);
  tn_ptx_text(tn_ptx_body(x), "];\n");
  tn_ptx_line(x, "mov.b32", next, 2);
}
// The products of the batch, which are done behind it (PTX ISA, wgmma.fence, .commit_group, .wait_group).
static const char tn_ptx_meet_cluster[] = "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n";
static void tn_ptx_flush(tn_ptx *x) {
  if (!x->batch.n) return;
  tn_ptx_text(tn_ptx_body(x), "\twgmma.fence.sync.aligned;\n");
  tiny_bytes_add(tn_ptx_body(x), x->batch.data, x->batch.n);
  tn_ptx_text(tn_ptx_body(x), "\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned %d;\n",
              x->overlaps != NULL);
  x->batch.n = 0;
  if (!x->overlaps) return;                // the products before are done, of all warps: their memory is filled again
  if (x->role) {
    if (!x->told) tn_ptx_release(x, x->slot);
    x->told = 1;
    return;
  }
  if (x->cluster > 1) tn_ptx_text(tn_ptx_body(x), "%s", tn_ptx_meet_cluster);
  else tn_ptx_meet(x, tn_ptx_body(x));
  if (x->copies.n) tiny_bytes_add(tn_ptx_body(x), x->copies.data, x->copies.n);
  x->copies.n = 0;
}

// ** products **

static int tn_load_has(const tiny_uop *load, int flag) { return (load->k & flag) != 0; }
static int tn_ptx_loads_matrices(const tiny_uop *u) {
  return u->op == TINY_OP_LOAD && u->k >> TN_MATRIX_ALONG && !tn_is_reg(u->src[0]->src[0]);
}
// The LOAD behind a source of words, of several the first; NULL: it is another value.
static const tiny_uop *tn_ptx_matrices(const tiny_uop *u) {
  if (u->op == TINY_OP_STACK) u = u->src[0];
  if (u->op == TINY_OP_BITCAST) u = u->src[0];
  return tn_ptx_loads_matrices(u) ? u : NULL;
}
// No value of its own: a unit reads it.
static int tn_ptx_is_by_unit(const tiny_uop *u) { return tn_ptx_matrices(u) != NULL; }

// Bits 0-13 begin, 16-29 leading, 32-45 stride, in 16 bytes each; of tcgen05 bit 46 says so; 62-63: 1, of boxes, of
// which groups of eight rows follow each other, and, where rows lie beside each other, boxes of 64 (PTX ISA, Strides).
// side 0: of a, of which rows and k change places.
static tn_ptx_operand tn_ptx_descriptor(tn_ptx *x, const tiny_uop *load, int side) {
  const int64_t step[2] = {tn_load_along(load), tn_load_next(load)};
  const int64_t size = (int64_t)tiny_dtype_nbytes((tiny_dtype)load->dtype);
  const tn_ptx_address a = tn_ptx_address_of(x, load->src[0]);
  tn_ptx_operand at = a.base, word[2];
  if (at.kind == 's' || at.kind == 'S') at = tn_ptx_do1(x, 'r', "mov.u32", at);
  if (a.offset) at = tn_ptx_do2(x, 'r', "add.s32", at, tn_ptx_k(a.offset));
  at = tn_ptx_do2(x, 'r', "shr.u32", at, tn_ptx_k(4));
  const int boxes = tn_load_has(load, TN_SWIZZLED), turned = tn_load_kind(load) == TN_TURNED;
  const int64_t leading = !boxes ? step[!side] * size >> 4 : turned ? TN_BOX_ROWS * TN_BOX_ROW >> 4 : 1,
                stride = !boxes ? step[side] * size >> 4 : TN_BOX_ALIGN >> 4 | 1 << 30;
  word[0] = tn_ptx_do2(x, 'r', "or.b32", at, tn_ptx_k(leading << 16));
  word[1] = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(stride | (x->tensor ? 1 << 14 : 0)));
  return tn_ptx_join(x, 'd', "mov.b64", word);
}

// Registers that u adds to, which hold the sum so far: from there on in the pool.
static int tn_ptx_sum_registers(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *sum = u->src[2];
  const char kind = tn_ptx_class(u->dtype);
  char tn_ptx_names[16];
  const int mine = x->last[sum->seq] == (int)u->seq,
            taken = (sum->op == TINY_OP_WMMA && x->elements[sum->seq] >= 0) ||
                    (sum->op == TINY_OP_LOAD && x->constant[sum->seq] == TN_PTX_TAKEN);
  if (mine && taken) return x->elements[sum->seq];
  tn_ptx_flush(x);
  const int first = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++)
    tn_ptx_put(x, first + i, tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), tn_ptx_element(x, sum, i)));
  return first;
}

static void tn_ptx_wgmma(tn_ptx *x, const tiny_uop *u, const tiny_warp_unit *unit, const char *type[2]) {
  const int lanes = unit->m * unit->n / unit->warp, bytes = (int)tiny_dtype_nbytes((tiny_dtype)unit->a);
  const tiny_uop *load = tn_ptx_matrices(u->src[1]), *rows = tn_ptx_matrices(u->src[0]);
  tn_ptx_operand a[4];
  if (rows) a[0] = tn_ptx_descriptor(x, rows, 0);
  for (int i = 0; i < 4 && !rows; i++) a[i] = tn_ptx_held(x, tn_ptx_element(x, u->src[0], i), 'r');
  const tn_ptx_operand descriptor = tn_ptx_descriptor(x, load, 1), yes = tn_ptx_held(x, tn_ptx_k(1), 'p');
  const int first = tn_ptx_sum_registers(x, u);
  tiny_bytes *out = &x->batch;
  if (x->failed) return;
  tn_ptx_text(out, "\twgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s ", u->lanes / lanes * unit->n, unit->k,
              tn_ptx_type(unit->c), type[0], type[1]);
  tn_ptx_group(out, &x->pool.of[first], u->lanes);
  tn_ptx_text(out, ", ");
  if (rows) tn_ptx_operand_text(out, a[0]); else tn_ptx_group(out, a, 4);
  tn_ptx_text(out, ", ");
  tn_ptx_operand_text(out, descriptor);
  tn_ptx_text(out, ", ");
  tn_ptx_operand_text(out, yes);
  if (unit->c == TINY_F32) tn_ptx_text(out, ", 1, 1");
  if (unit->c == TINY_F32 && bytes == 2 && rows) tn_ptx_text(out, ", %d", tn_load_kind(rows) == TN_TURNED);
  if (unit->c == TINY_F32 && bytes == 2) tn_ptx_text(out, ", %d", tn_load_kind(load) == TN_TURNED);
  tn_ptx_text(out, ";\n");
  x->elements[u->seq] = first;
}
#endif
// ---- end src/cuda/../render/ptx_wgmma.c ----
// ---- begin src/cuda/../render/ptx_tcgen05.c ----
// ptx_tcgen05: products of all rows and columns of four warps, which sm_100a's units sum in memory of their own (PTX
// ISA, "TensorCore 5th Generation Family Instructions", and there "Tensor Memory", "Matrix Descriptors", "Canonical
// Layouts", "Data Path Layout Organization", "Memory Consistency Model").
//
// In:  WMMAs whose a is a STACK of LOADs of matrices by steps, b such a LOAD. Out: their lines.
// Holds:
//  - A sum lives in Tensor Memory while WMMAs alone touch it: a lane of that for each of 128 rows (or 64: 16 lanes of
//    each warp's 32), a column for each column. What it begins with is a predicate, of what it is added to or not.
//  - The first thread of each four warps starts their products, and says when they are to be counted as arrived at an
//    mbarrier, which all threads wait for: before they meet again, and at the end of a loop, as memory that the unit
//    reads is written then. In a loop of nothing but copies and products those go on until their slot is filled again.
//    What a barrier separates, fences separate as well.
//  - Behind the loop a warp reads the rows of its lanes once, into registers that lie as those of mma.sync: 16 lanes
//    of 256 bits are 16 rows of 8 columns ("Matrix fragments for shape .16x256b").
#ifndef TN_RENDER_PTX_TCGEN05
#define TN_RENDER_PTX_TCGEN05
#ifndef TINY_AMALGAMATED
#include "ptx_wgmma.c"
#endif

enum {
  TN_PTX_KEPT = 4, TN_PTX_CHAINED = 8,     // of nodes, beside what is wanted: a unit keeps it; a WMMA adds to it
  TN_PTX_RING_AT = 8, TN_PTX_TENSOR_NBYTES = 32,             // of shared memory: where Tensor Memory is; mbarriers
  TN_PTX_STARTED = 1, TN_PTX_COMMITTED = 2,                  // products that are not waited for
  TN_PTX_FOUR_WARPS = 128, TN_PTX_TENSOR = 512, TN_PTX_TENSOR_LEAST = 32, TN_PTX_TENSOR_LANE = 16, TN_PTX_LOADED = 32
};

// Of what a unit keeps, in the pool: its address, a predicate: it is added to; is what it holds yet to be read?
enum { TN_PTX_KEPT_AT, TN_PTX_KEPT_ADDS, TN_PTX_KEPT_OPEN, TN_PTX_KEPT_FIELDS };

// Where four warps have 64 rows of boxes between them it is wgmma's.
static int tn_ptx_is_whole(const tiny_uop *u) {
  const tiny_uop *a = u->op == TINY_OP_WMMA ? tn_ptx_matrices(u->src[0]) : NULL;
  return a && !tn_load_has(a, TN_SIDE) && tn_ptx_is_by_unit(u->src[1]);
}
static int tn_ptx_is_zero(const tiny_uop *u) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  return u->op == TINY_OP_CONST && u->k == 0;
}
// Of the product: tiles of 16 rows of a warp, and columns.
static int tn_ptx_whole_rows(const tiny_uop *u) { return u->src[0]->op == TINY_OP_STACK ? (int)u->src[0]->nsrc : 1; }
static int tn_ptx_whole_columns(const tiny_uop *u) { return u->lanes / (4 * tn_ptx_whole_rows(u)) * 8; }

// Which sums units keep: REG memory, or of one product after the other the first.
static void tn_ptx_tensor_survey(tn_ptx *x) {
  x->groups = (int)(x->k->local[0] * x->k->local[1] * x->k->local[2] / TN_PTX_FOUR_WARPS);
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i], *sum = u->nsrc > 2 ? u->src[2] : NULL;
    if (!tn_ptx_is_whole(u)) continue;
    x->wants[sum->seq] |= TN_PTX_CHAINED;
    if (sum->op == TINY_OP_WMMA) continue;
    const int reg = sum->op == TINY_OP_LOAD && tn_is_reg(sum->src[0]->src[0]);
    const tiny_uop *keeper = reg ? tn_memory_behind(sum->src[0]->src[0]) : u;
    if (!reg && !tn_ptx_is_zero(sum)) { tn_ptx_fail(x, "a WMMA that begins with a sum"); return; }
    if (!(x->wants[keeper->seq] & TN_PTX_KEPT)) x->tensor += tn_ptx_whole_columns(u);
    x->wants[keeper->seq] |= TN_PTX_KEPT;
  }
  if (x->tensor * x->groups > TN_PTX_TENSOR) tn_ptx_fail(x, "a WMMA of so many columns");
}
static int tn_ptx_tensor_columns(const tn_ptx *x) {
  int n = TN_PTX_TENSOR_LEAST;
  while (n < x->tensor * x->groups) n *= 2;
  return n;
}

// ** products that go on while the next ones are copied **
//
//   a slot has been copied to              boxes: its mbarrier; copies of items: all have met
//   its products begin; commit
//   products before are done               whose slot is filled next
//   copies to it begin
// Of boxes the threads that start products do all of this, one of four warps each, and the others wait behind the loop.
// A cluster's slot is empty when the products of all its groups are done, which each tells all of (PTX ISA,
// tcgen05.commit, .multicast::cluster): an mbarrier counts all that start products.
//
// The n-th commit arrives at mbarrier n of a ring of two and more, and of as many as there are slots: a group cannot be
// so far ahead of another that its next arrival there is counted with the last one.

static int tn_ptx_is_kept(const tn_ptx *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && (x->wants[tn_memory_behind(index->src[0])->seq] & TN_PTX_KEPT);
}
// Does nothing wait for products where u is done, nor any other thread for the one that starts them?
static int tn_ptx_goes_on(const tn_ptx *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_BARRIER: case TINY_OP_IF: case TINY_OP_ENDIF: case TINY_OP_RANGE: case TINY_OP_SHUFFLE:
    case TINY_OP_PREFETCH: return 0;
    case TINY_OP_WMMA: return tn_ptx_is_whole(u) && !(x->wants[u->seq] & TN_PTX_KEPT);
    case TINY_OP_LOAD: return tn_ptx_loads_matrices(u) || !x->needed[u->seq] || tn_ptx_is_kept(x, u->src[0]);
    case TINY_OP_STORE: return u->src[1]->op == TINY_OP_WMMA ? tn_ptx_is_kept(x, u->src[0]) : tn_ptx_copies(x, u);
    default: return 1;
  }
}
// The loop of a BARRIER in which nothing is done but copies and products that are added up, so many times; else NULL.
static const tiny_uop *tn_ptx_tensor_overlaps(const tn_ptx *x, const tiny_uop *barrier) {
  const tiny_uop *loop = x->block[barrier->seq];
  int products = 0;
  if (!loop || loop->op != TINY_OP_RANGE || loop->dtype == TINY_U64 || loop->nsrc > 1 ||
      loop->src[0]->op != TINY_OP_CONST || loop->src[0]->k < 1 || !barrier->k)
    return NULL;
  for (int i = (int)loop->seq + 1; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_END) return u->src[1] == loop && products ? loop : NULL;
    if (u != barrier && !tn_ptx_goes_on(x, u)) return NULL;
    products += u->op == TINY_OP_WMMA;
  }
  return NULL;
}
// Slots of boxes that such a loop has, the most; 0: there is none.
static int tn_ptx_tensor_slots(const tn_ptx *x) {
  int most = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const tiny_uop *loop = u->op == TINY_OP_BARRIER && u->k == TN_BOXES ? tn_ptx_tensor_overlaps(x, u) : NULL;
    for (int k = 0; loop && k < x->nbulk; k++) {
      const int64_t at = x->bulk[k]->k, n = tn_bulk_end(at) - tn_bulk_first(at);
      if (x->block[x->bulk[k]->seq] == loop && n > most) most = (int)n;
    }
  }
  return most;
}

// What one thread or warp does.
static void tn_ptx_by(tn_ptx *x, tn_ptx_operand who, const char *text) {
  tn_ptx_text(tn_ptx_body(x), "\t@%%p%lld %s", (long long)who.n, text);
}
// The mbarrier of the commit that is `back` before the next one; *number: of that.
static tn_ptx_operand tn_ptx_ring_at(tn_ptx *x, const tn_ptx_ring *r, int back, tn_ptx_operand *number) {
  *number = back ? tn_ptx_do2(x, 'r', "add.s32", r->count, tn_ptx_k(-back)) : r->count;
  const tn_ptx_operand of = tn_ptx_do2(x, 'r', "and.b32", *number, tn_ptx_k((1 << r->bits) - 1));
  return tn_ptx_do(x, 'r', "mad.lo.s32", of, tn_ptx_k(8), r->at);
}
static void tn_ptx_ring_commit(tn_ptx *x, const tn_ptx_ring *r) {
  char line[160];
  tn_ptx_operand number, next[3] = {r->count, r->count, tn_ptx_k(1)};
  const long long at = tn_ptx_ring_at(x, r, 0, &number).n;
  if (r == &x->empty && x->cluster > 1)
    snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster"
             ".b64 [%%r%lld], %%h%lld;\n", at, (long long)x->everyone.n);
  else
    snprintf(line, sizeof line, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%%r%lld];\n",
             at);
  tn_ptx_by(x, x->starts, line);
  tn_ptx_line(x, "add.s32", next, 3);
}
// Until that commit's products are done. Phases of an mbarrier that none has arrived at count as over, if they are odd.
static void tn_ptx_ring_wait(tn_ptx *x, const tn_ptx_ring *r, int back) {
  tn_ptx_operand number;
  const tn_ptx_operand at = tn_ptx_ring_at(x, r, back, &number), is = tn_ptx_register(x, 'p');
  tn_ptx_operand phase = tn_ptx_do2(x, 'r', "shr.u32", number, tn_ptx_k(r->bits));
  phase = tn_ptx_do2(x, 'r', "and.b32", phase, tn_ptx_k(1));
  const int label = ++x->labels;
  tn_ptx_text(tn_ptx_body(x), "$W%d:\n\tmbarrier.try_wait.parity.shared::cta.b64 %%p%lld, [%%r%lld], %%r%lld;\n", label,
              (long long)is.n, (long long)at.n, (long long)phase.n);
  tn_ptx_text(tn_ptx_body(x), "\t@!%%p%lld bra $W%d;\n", (long long)is.n, label);
}
static void tn_ptx_fences(tn_ptx *x, const char *between) {
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n%s\ttcgen05.fence::after_thread_sync;\n", between);
}

// Such an iteration begins, at its BARRIER. Where only boxes are copied, it is of who starts products.
static void tn_ptx_tensor_goes_on(tn_ptx *x, const tiny_uop *barrier) {
  x->ring = barrier->k == TN_BOXES ? &x->empty : &x->done;
  if (x->ring == &x->empty) x->level[x->depth].skips = x->rests;
}
// It ends.
static void tn_ptx_tensor_turn(tn_ptx *x) {
  tn_ptx_ring_commit(x, x->ring);
  tn_ptx_ring_wait(x, x->ring, 2);
  if (x->copies.n) tiny_bytes_add(tn_ptx_body(x), x->copies.data, x->copies.n);
  x->copies.n = 0;
  x->tensor_open = TN_PTX_COMMITTED;
}
// The loop has ended: for who starts products when those of the cluster are done, as no group then tells another any
// more.
static void tn_ptx_tensor_drain(tn_ptx *x) {
  for (int back = 1 << x->ring->bits; x->ring == &x->empty && back > 0; back--) tn_ptx_ring_wait(x, x->ring, back);
}
// For the others.
static void tn_ptx_tensor_ends(tn_ptx *x) {
  if (x->ring != &x->empty) return;
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  x->met = 1;
  x->tensor_open = 0;
}

// ** a kernel's beginning and end **

// Where units are told from, in shared memory: from the symbol on so many bytes.
typedef struct tn_ptx_spot { tn_ptx_operand symbol; int64_t at; } tn_ptx_spot;
static void tn_ptx_spot_text(tn_ptx *x, const tn_ptx_spot *s, int64_t more) {
  tn_ptx_text(tn_ptx_body(x), "[");
  tn_ptx_operand_text(tn_ptx_body(x), s->symbol);
  tn_ptx_text(tn_ptx_body(x), "+%lld]", (long long)(s->at + more));
}
static tn_ptx_operand tn_ptx_spot_address(tn_ptx *x, const tn_ptx_spot *s, int64_t more) {
  return tn_ptx_do2(x, 'r', "add.s32", tn_ptx_do1(x, 'r', "mov.u32", s->symbol), tn_ptx_k(s->at + more));
}
// Behind the slots of a launch's boxes, as other memory would be more than 1 KiB before these; else memory of its own.
static tn_ptx_spot tn_ptx_tensor_spot(tn_ptx *x, int nbytes) {
  tn_ptx_spot s = {{'S', 0}, x->k->local_nbytes - TN_BOX_NBYTES + 8 * x->slots};
  if (x->nbulk && x->k->local_nbytes) {
    if (8 * x->slots + nbytes > TN_BOX_NBYTES) tn_ptx_fail(x, "so many slots");
    return s;
  }
  s.symbol.kind = 's'; s.symbol.n = x->memories++; s.at = 0;
  tn_ptx_text(&x->declares, "\t.shared .align 16 .b8 m%lld[%d];\n", (long long)s.symbol.n, nbytes);
  return s;
}
static void tn_ptx_ring_open(tn_ptx *x, tn_ptx_ring *r, const tn_ptx_spot *s, int64_t at, int arrivals,
                             tn_ptx_operand first) {
  r->at = tn_ptx_spot_address(x, s, at);
  r->count = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  for (int i = 0; i < 1 << r->bits; i++) {
    tn_ptx_by(x, first, "mbarrier.init.shared::cta.b64 ");
    tn_ptx_spot_text(x, s, at + 8 * i);
    tn_ptx_text(tn_ptx_body(x), ", %d;\n", arrivals);
  }
}
// Allocated by the first warp.
static void tn_ptx_tensor_allocate(tn_ptx *x, const tn_ptx_spot *s) {
  tn_ptx_by(x, x->manages, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 ");
  tn_ptx_spot_text(x, s, 0);
  tn_ptx_text(tn_ptx_body(x), ", %d;\n", tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n");
}
static void tn_ptx_tensor_open(tn_ptx *x) {
  const int slots = tn_ptx_tensor_slots(x);
  const tn_ptx_operand item = tn_ptx_read_special(x, "tid.x"),
                       of_four = tn_ptx_do2(x, 'r', "and.b32", item, tn_ptx_k(TN_PTX_FOUR_WARPS - 1));
  const tn_ptx_operand first = tn_ptx_do2(x, 'p', "setp.eq.s32", item, tn_ptx_k(0));
  tn_ptx_wants_version(x, 86);
  x->done.bits = 1;
  for (x->empty.bits = 1; 1 << x->empty.bits < slots;) x->empty.bits++;
  const tn_ptx_spot s = tn_ptx_tensor_spot(x, TN_PTX_TENSOR_NBYTES + (slots ? 8 << x->empty.bits : 0));
  x->manages = tn_ptx_do2(x, 'p', "setp.lt.u32", item, tn_ptx_k(TN_PTX_FOUR_WARPS / 4));
  x->starts = tn_ptx_do2(x, 'p', "setp.eq.s32", of_four, tn_ptx_k(0));
  if (slots) x->rests = tn_ptx_do2(x, 'p', "setp.ne.s32", of_four, tn_ptx_k(0));
  tn_ptx_tensor_allocate(x, &s);
  tn_ptx_ring_open(x, &x->done, &s, TN_PTX_RING_AT, x->groups, first);
  if (slots) tn_ptx_ring_open(x, &x->empty, &s, TN_PTX_TENSOR_NBYTES, x->groups * x->cluster, first);
  tn_ptx_fences(x, "\tbar.sync 0;\n");
  const tn_ptx_operand at = x->tensor_all = tn_ptx_register(x, 'r'),
                       four = tn_ptx_do2(x, 'r', "shr.u32", item, tn_ptx_k(7)),
                       warp = tn_ptx_do(x, 'r', "bfe.u32", item, tn_ptx_k(5), tn_ptx_k(2));
  tn_ptx_text(tn_ptx_body(x), "\tld.shared.u32 %%r%lld, ", (long long)at.n);
  tn_ptx_spot_text(x, &s, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  x->tensor_at = x->groups > 1 ? tn_ptx_do(x, 'r', "mad.lo.s32", four, tn_ptx_k(x->tensor), at) : at;
  x->tensor_lane = tn_ptx_do2(x, 'r', "shl.b32", warp, tn_ptx_k(16 + 5));  // 32 lanes each
  x->met = 1;
}
static void tn_ptx_tensor_close(tn_ptx *x) {
  char line[120];
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::before_thread_sync;\n\tbar.sync 0;\n");
  snprintf(line, sizeof line, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r%lld, %d;\n",
           (long long)x->tensor_all.n, tn_ptx_tensor_columns(x));
  tn_ptx_by(x, x->manages, line);
}

// ** what is kept **

// The product that adds to the memory first.
static const tiny_uop *tn_ptx_kept_product(const tn_ptx *x, const tiny_uop *memory) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (tn_ptx_is_whole(u) && u->src[2]->op == TINY_OP_LOAD &&
        tn_memory_behind(u->src[2]->src[0]->src[0]) == memory)
      return u;
  }
  return NULL;
}
// Its place in the pool: columns of its own, behind those that were given before.
static int tn_ptx_keep(tn_ptx *x, const tiny_uop *keeper, const tiny_uop *product) {
  const int at = x->at, first = tn_ptx_take(x, TN_PTX_KEPT_FIELDS);
  x->at = 0;
  tn_ptx_put(x, first + TN_PTX_KEPT_AT, x->tensor_given ?
             tn_ptx_do2(x, 'r', "add.s32", x->tensor_at, tn_ptx_k(x->tensor_given)) : x->tensor_at);
  tn_ptx_put(x, first + TN_PTX_KEPT_ADDS, tn_ptx_do2(x, 'p', "setp.ne.s32", x->done.count, x->done.count));
  tn_ptx_put(x, first + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
  x->at = at;
  x->tensor_given += tn_ptx_whole_columns(product);
  x->words[keeper->seq] = first;
  return first;
}
static void tn_ptx_kept_adds(tn_ptx *x, int kept, int adds) {
  const tn_ptx_operand o[3] = {x->pool.of[kept + TN_PTX_KEPT_ADDS], x->done.count, x->done.count};
  tn_ptx_line(x, adds ? "setp.eq.s32" : "setp.ne.s32", o, 3);
}
// The products that were started are done: what they read may be written, what they gave be read.
static void tn_ptx_tensor_wait(tn_ptx *x) {
  if (!x->tensor_open) return;
  if (x->tensor_open == TN_PTX_STARTED) {
    if (!x->met) tn_ptx_fences(x, "\tbar.sync 0;\n");        // all have seen the one before
    tn_ptx_ring_commit(x, &x->done);
  }
  x->tensor_open = x->met = 0;
  tn_ptx_ring_wait(x, &x->done, 1);
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.fence::after_thread_sync;\n");
}
// Registers from `first` on of the pool hold what is kept: of each tile of rows all columns, 32 registers at a time.
static void tn_ptx_tensor_load(tn_ptx *x, int kept, int first, int lanes, int rows) {
  const tn_ptx_operand at = tn_ptx_do2(x, 'r', "add.s32", x->pool.of[kept + TN_PTX_KEPT_AT], x->tensor_lane);
  const int each = lanes / rows, n = each < TN_PTX_LOADED ? each : TN_PTX_LOADED;
  tn_ptx_tensor_wait(x);
  for (int i = 0; i < lanes && !x->failed; i += n) {
    const long long lane = (long long)(i / each) * TN_PTX_TENSOR_LANE << 16;
    tn_ptx_text(tn_ptx_body(x), "\ttcgen05.ld.sync.aligned.16x256b.x%d.b32 ", n / 4);
    tn_ptx_group(tn_ptx_body(x), &x->pool.of[first + i], n);
    tn_ptx_text(tn_ptx_body(x), ", [%%r%lld+%lld];\n", (long long)at.n, lane + i % each * 2);
  }
  tn_ptx_text(tn_ptx_body(x), "\ttcgen05.wait::ld.sync.aligned;\n");
  tn_ptx_put(x, kept + TN_PTX_KEPT_OPEN, tn_ptx_k(0));
}

// ** a product **

static const char *tn_ptx_tensor_kind(int dtype) {
  return dtype == TINY_F32 ? "tf32" : dtype == TINY_I8 ? "i8" : tn_ptx_is_fp8(dtype) ? "f8f6f4" : "f16";
}
static int64_t tn_ptx_tensor_type(int dtype) {
  return dtype == TINY_F32 ? 2 : dtype == TINY_BF16 || dtype == TINY_F8E5M2 || dtype == TINY_I8;
}
// "Instruction descriptor": dtypes of the sum (bit 4), of a (7) and b (10); a (15) and b (16) turned; columns (17) in
// eights, rows (24) in sixteens.
static int64_t tn_ptx_tensor_descriptor(const tiny_uop *u, const tiny_warp_unit *unit) {
  const int64_t turned[2] = {tn_load_kind(tn_ptx_matrices(u->src[0])) == TN_TURNED,
                             tn_load_kind(tn_ptx_matrices(u->src[1])) == TN_TURNED};
  return (int64_t)(unit->c == TINY_F32 ? 1 : 2) << 4 | tn_ptx_tensor_type(unit->a) << 7 |
      tn_ptx_tensor_type(unit->b) << 10 | turned[0] << 15 | turned[1] << 16 |
      (int64_t)tn_ptx_whole_columns(u) / 8 << 17 | (int64_t)4 * tn_ptx_whole_rows(u) << 24;
}
static void tn_ptx_tcgen05(tn_ptx *x, const tiny_uop *u, const tiny_warp_unit *unit) {
  const tiny_uop *sum = u->src[2], *first_sum = sum;
  char line[64];
  while (first_sum->op == TINY_OP_WMMA) first_sum = first_sum->src[2];
  const int reg = sum->op == TINY_OP_LOAD, stays = first_sum->op == TINY_OP_LOAD;
  if ((x->wants[u->seq] & TN_PTX_KEPT)) {
    const int first = tn_ptx_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, tn_ptx_class(u->dtype)));
    x->elements[u->seq] = first;
    tn_ptx_kept_adds(x, tn_ptx_keep(x, u, u), 0);
  } else {
    const tiny_uop *keeper = reg ? tn_memory_behind(sum->src[0]->src[0]) : sum;
    x->elements[u->seq] = x->elements[keeper->seq];
    x->words[u->seq] = x->words[keeper->seq];
  }
  const int kept = x->words[u->seq];
  const tn_ptx_operand a = tn_ptx_descriptor(x, tn_ptx_matrices(u->src[0]), 0),
                       b = tn_ptx_descriptor(x, tn_ptx_matrices(u->src[1]), 1),
                       as = tn_ptx_held(x, tn_ptx_k(tn_ptx_tensor_descriptor(u, unit)), 'r');
  if (x->failed) return;
  snprintf(line, sizeof line, "tcgen05.mma.cta_group::1.kind::%s ", tn_ptx_tensor_kind(unit->a));
  tn_ptx_by(x, x->starts, line);
  tn_ptx_text(tn_ptx_body(x), "[%%r%lld], %%d%lld, %%d%lld, %%r%lld, %%p%lld;\n",
              (long long)x->pool.of[kept + TN_PTX_KEPT_AT].n, (long long)a.n, (long long)b.n, (long long)as.n,
              (long long)x->pool.of[kept + TN_PTX_KEPT_ADDS].n);
  if (sum->op != TINY_OP_WMMA) tn_ptx_kept_adds(x, kept, 1);
  tn_ptx_put(x, kept + TN_PTX_KEPT_OPEN, tn_ptx_k(tn_ptx_whole_rows(u)));
  x->tensor_open = TN_PTX_STARTED;
  if (!stays && !(x->wants[u->seq] & TN_PTX_CHAINED) && !x->failed)
    tn_ptx_tensor_load(x, kept, x->elements[u->seq], u->lanes, tn_ptx_whole_rows(u));
}

// ** statements **

// What a unit keeps of REG memory: 1 if u is of that, and done.
static int tn_ptx_of_kept(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *memory = (u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE) && tn_is_reg(u->src[0]->src[0]) ?
                           tn_memory_behind(u->src[0]->src[0]) : NULL;
  if (!memory || !(x->wants[memory->seq] & TN_PTX_KEPT)) return 0;
  const int kept = x->words[memory->seq];
  if (u->op == TINY_OP_STORE) {
    if (u->src[1]->op == TINY_OP_WMMA) return 1;
    if (!tn_ptx_is_zero(u->src[1])) tn_ptx_fail(x, "a WMMA that begins with a sum");
    else tn_ptx_kept_adds(x, kept, 0);
    return 1;
  }
  if (u->op == TINY_OP_LOAD && (x->wants[u->seq] & TN_PTX_CHAINED)) return 1;
  if (u->op == TINY_OP_LOAD && x->pool.of[kept + TN_PTX_KEPT_OPEN].n)
    tn_ptx_tensor_load(x, kept, x->elements[memory->seq], (int)memory->v[1] * memory->lanes,
                       (int)x->pool.of[kept + TN_PTX_KEPT_OPEN].n);
  return 0;
}
// What is kept of memory that is stored to outside of a loop is read when the loop has ended, by all. Memory that comes
// later in the list keeps nothing yet.
static void tn_ptx_kept_at_end(tn_ptx *x, const tiny_uop *end) {
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_STORE || !tn_is_reg(u->src[0]->src[0]) || u->src[1]->op == TINY_OP_WMMA ||
        x->block[i] != x->block[end->seq])
      continue;
    const tiny_uop *memory = tn_memory_behind(u->src[0]->src[0]);
    if (!(x->wants[memory->seq] & TN_PTX_KEPT) || memory->seq > end->seq) continue;
    const int kept = x->words[memory->seq], rows = (int)x->pool.of[kept + TN_PTX_KEPT_OPEN].n;
    if (rows) tn_ptx_tensor_load(x, kept, x->elements[memory->seq], (int)memory->v[1] * memory->lanes, rows);
  }
}
#endif
// ---- end src/cuda/../render/ptx_tcgen05.c ----
// ---- begin src/cuda/../render/ptx_maps.c ----
// ptx_maps: which tensors a kernel in PTX copies boxes of, as numbers in its module.
//
// In:  a BULK. Out: words of a map, which the host reads from the module's variable NAME_maps.
// Word 0 is the PARAM, 1 the dtype, 2 the dims; then extents, distances in bytes (that of dim 0 is not told) and sides
// of the box, of five dims each: those that are not there are 0.
#ifndef TN_RENDER_PTX_MAPS
#define TN_RENDER_PTX_MAPS
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif

enum { TN_PTX_MAP_WORDS = 3 + 3 * TN_BOX_DIMS, TN_PTX_MAP_NBYTES = 128, TN_PTX_MAPS = 8 };       // of a kernel at most
enum { TN_MAP_PARAM, TN_MAP_DTYPE, TN_MAP_DIMS, TN_MAP_EXTENT, TN_MAP_STRIDE = TN_MAP_EXTENT + TN_BOX_DIMS,
  TN_MAP_BOX = TN_MAP_STRIDE + TN_BOX_DIMS };

// Do a launch with so many memories and the copy unit take it? A module may be a stranger's.
static int tn_ptx_map_is_sound(const uint64_t *word, int nmem) {
  const uint64_t dims = word[TN_MAP_DIMS];
  if (word[TN_MAP_PARAM] >= (uint64_t)nmem || word[TN_MAP_DTYPE] >= TINY_DTYPE_COUNT || dims < 2 || dims > TN_BOX_DIMS)
    return 0;
  for (uint64_t i = 0; i < dims; i++)
    if (!word[TN_MAP_EXTENT + i] || word[TN_MAP_EXTENT + i] > INT32_MAX || word[TN_MAP_STRIDE + i] % 16 ||
        word[TN_MAP_STRIDE + i] >> 40 || !word[TN_MAP_BOX + i] || word[TN_MAP_BOX + i] > TN_BOX_MOST)
      return 0;
  return 1;
}
// parts: of its rows, of which each copy has one.
static int64_t tn_ptx_map_word(const tiny_uop *bulk, int parts, int k) {
  const tiny_uop *from = tn_memory_behind(bulk->src[1]);
  const int dims = tn_bulk_dims(bulk), list = (k - TN_MAP_EXTENT) / TN_BOX_DIMS, d = (k - TN_MAP_EXTENT) % TN_BOX_DIMS;
  if (k == TN_MAP_PARAM) return from->k;
  if (k == TN_MAP_DTYPE) return from->dtype;
  if (k == TN_MAP_DIMS) return dims;
  if (d >= dims || (list == 1 && !d)) return 0;
  if (list == 2 && d == 1) return bulk->v[list * dims + d] / parts;
  return bulk->v[list * dims + d] * (list == 1 ? (int64_t)tiny_dtype_nbytes((tiny_dtype)from->dtype) : 1);
}
#endif
// ---- end src/cuda/../render/ptx_maps.c ----
// ---- begin src/cuda/../render/ptx_bulk.c ----
// ptx_bulk: boxes of tensors that the device copies by itself (PTX ISA, cp.async.bulk.tensor and mbarrier; sm_90 on).
//
// In:  BULKs, and BARRIERs that wait for their slots. Out: their lines; of the module, what tensors a kernel wants.
// Holds:
//  - A slot has an mbarrier, beside the memory that is copied to. Each copy that fills the slot arrives once and says
//    how many bytes come; the phase is over when all are there. Thread 0 begins copies, all threads wait for the phase,
//    of which each has the parity of every slot as a bit of one register.
//  - A tensor is 128 bytes that the host makes for a launch, and a parameter of the kernel, m, behind v. Which they are
//    stands in the module: NAME_maps, TN_PTX_MAP_WORDS of 64 bits each (tn_ptx_map_word).
#ifndef TN_RENDER_PTX_BULK
#define TN_RENDER_PTX_BULK
#ifndef TINY_AMALGAMATED
#include "ptx_tcgen05.c"
#include "ptx_maps.c"
#endif

// ** before a line is written **

// Parts of a box, of which each group of the cluster copies one for all of them.
static int tn_ptx_parts(const tn_ptx *x, const tiny_uop *u) {
  return x->k->hints[u->seq] & (TINY_HINT_PAIR | TINY_HINT_FOUR) ? x->cluster : 1;
}
static int tn_ptx_same_map(const tn_ptx *x, const tiny_uop *a, const tiny_uop *b) {
  return tn_ptx_parts(x, a) == tn_ptx_parts(x, b) && tn_memory_behind(a->src[1]) == tn_memory_behind(b->src[1]) &&
      a->nv == b->nv &&
      !memcmp(a->v, b->v, a->nv * sizeof *a->v);
}
static const tiny_uop *tn_ptx_box_memory(const tiny_uop *bulk) { return tn_memory_behind(bulk->src[0]->src[0]); }
// Which of the kernel's tensors a BULK copies from.
static int tn_ptx_map_of(const tn_ptx *x, const tiny_uop *u) {
  int i = 0;
  while (i < x->nmap && !tn_ptx_same_map(x, x->map[i], u)) i++;
  return i;
}
// All BULKs; then, when it is known who copies for whom, the tensors, slots, and memory of boxes, which lies before all
// other.
static void tn_ptx_survey_boxes(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) x->nbulk += x->k->list[i]->op == TINY_OP_BULK;
  if (!x->nbulk) return;
  if (x->sm < 90) { tn_ptx_fail(x, "BULK"); return; }
  const size_t n = (size_t)x->nbulk * sizeof *x->bulk;
  x->bulk = (const tiny_uop **)tn_ptx_scratch(x->t, n);
  x->map = (const tiny_uop **)tn_ptx_scratch(x->t, n);
  if (!x->bulk || !x->map) { x->failed = 1; return; }
  x->nbulk = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULK) continue;
    x->bulk[x->nbulk++] = u;
  }
}
static void tn_ptx_survey_maps(tn_ptx *x) {
  for (int i = 0; i < x->nbulk && !x->failed; i++) {
    const tiny_uop *u = x->bulk[i];
    if (tn_ptx_map_of(x, u) == x->nmap) x->map[x->nmap++] = u;
    if (x->nmap > TN_PTX_MAPS) { tn_ptx_fail(x, "so many tensors"); return; }
    if (tn_bulk_end(u->k) > x->slots) x->slots = tn_bulk_end(u->k);
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_DEFINE && tn_ptx_holds_boxes(x, u)) x->local_at += u->v[1] * tn_ptx_nbytes(u);
  }
}

// ** the beginning **

enum { TN_PTX_EMPTIES = TN_BOX_SLOTS / 2 };                  // of mbarriers, behind those of slots (ptx_producer.c)
static int64_t tn_ptx_items(const tn_ptx *x) { return x->k->local[0] * x->k->local[1] * x->k->local[2]; }

static void tn_ptx_slot_text(tn_ptx *x, int64_t slot) {
  tn_ptx_text(tn_ptx_body(x), "[%s+%lld]", x->k->local_nbytes ? "tiny_shared" : "boxes",
              (long long)(8 * slot + (x->k->local_nbytes ? x->k->local_nbytes - TN_BOX_NBYTES : 0)));
}
static int64_t tn_ptx_copies_to(const tn_ptx *x, int slot) {
  for (int i = 0; i < x->nbulk; i++)
    if (tn_bulk_first(x->bulk[i]->k) <= slot && slot < tn_bulk_end(x->bulk[i]->k)) return tn_bulk_copies(x->bulk[i]->k);
  return 1;
}
// Addresses of tensors, and of clusters who this is: for who begins copies.
static void tn_ptx_begin_maps(tn_ptx *x) {
  for (int i = 0; i < x->nmap; i++) {
    tn_ptx_operand at = tn_ptx_register(x, 'd');
    tn_ptx_begin(x, "mov.b64");
    tn_ptx_operand_text(tn_ptx_body(x), at);
    tn_ptx_text(tn_ptx_body(x), ", m;\n");
    if (i) at = tn_ptx_do2(x, 'd', "add.s64", at, tn_ptx_k(TN_PTX_MAP_NBYTES * i));
    x->map_at[i] = tn_ptx_do1(x, 'd', "cvta.param.u64", at);
  }
}
static void tn_ptx_begin_copies(tn_ptx *x) {
  tn_ptx_begin_maps(x);
  if (x->cluster < 2) return;
  x->rank = tn_ptx_read_special(x, "cluster_ctarank");
  x->everyone = tn_ptx_do1(x, 'h', "mov.b16", tn_ptx_k((1 << x->cluster) - 1));
}
static void tn_ptx_begin_slot(tn_ptx *x, int64_t slot, int64_t arrivals) {
  x->guard = x->first;
  tn_ptx_begin(x, "mbarrier.init.shared::cta.b64");
  tn_ptx_slot_text(x, slot);
  tn_ptx_text(tn_ptx_body(x), ", %lld;\n", (long long)arrivals);
  x->guard = tn_ptx_none;
}
// mbarriers are there, for the copies too, before anybody waits (CUDA C++ Programming Guide, "Using TMA").
static void tn_ptx_begin_boxes(tn_ptx *x) {
  if (!x->nbulk || x->failed) return;
  if (!x->k->local_nbytes) tn_ptx_text(&x->declares, "\t.shared .align 8 .b8 boxes[%d];\n", 8 * x->slots);
  x->first = tn_ptx_do2(x, 'p', "setp.eq.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(0));
  x->phases = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(0));
  x->slot_at = tn_ptx_register(x, 'r');
  tn_ptx_begin(x, "mov.u32");
  tn_ptx_operand_text(tn_ptx_body(x), x->slot_at);
  tn_ptx_text(tn_ptx_body(x), ", %s;\n", x->k->local_nbytes ? "tiny_shared" : "boxes");
  if (x->k->local_nbytes)
    x->slot_at = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(x->k->local_nbytes - TN_BOX_NBYTES));
  for (int i = 0; i < x->slots; i++) tn_ptx_begin_slot(x, i, tn_ptx_copies_to(x, i));
  for (int i = 0; i < x->slots && x->role; i++)
    tn_ptx_begin_slot(x, TN_PTX_EMPTIES + i, x->cluster * (tn_ptx_items(x) / 32));
  if (!x->role) tn_ptx_begin_copies(x);
  tn_ptx_text(tn_ptx_body(x), "\tfence.proxy.async.shared::cta;\n%s",
              x->cluster > 1 ? tn_ptx_meet_cluster : "\tbar.sync 0;\n");
}

// ** copies, and who waits for them **

static tn_ptx_operand tn_ptx_narrow(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand o = tn_ptx_element(x, u, 0);
  return tn_ptx_is_number(o) || o.kind != 'd' ? tn_ptx_held(x, o, 'r') : tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
}
static tn_ptx_operand tn_ptx_slot_address(tn_ptx *x, tn_ptx_operand slot) {
  return tn_ptx_do(x, 'r', "mad.lo.s32", slot, tn_ptx_k(8), x->slot_at);
}
static void tn_ptx_begin_if(tiny_bytes *out, tn_ptx_operand on) {
  tn_ptx_text(out, on.kind ? "\t@" : "\t");
  if (on.kind) tn_ptx_operand_text(out, on);
  if (on.kind) tn_ptx_text(out, " ");
}
static void tn_ptx_bulk(tn_ptx *x, const tiny_uop *u) {
  const int dims = tn_bulk_dims(u), parts = tn_ptx_parts(x, u);
  const tiny_uop *index = u->src[0];
  int64_t nbytes = (int64_t)tiny_dtype_nbytes((tiny_dtype)tn_ptx_box_memory(u)->dtype);
  for (int i = 0; i < dims; i++) nbytes *= u->v[2 * dims + i];
  tn_ptx_address to = tn_ptx_address_of(x, index);
  const tn_ptx_operand at = tn_ptx_slot_address(x, tn_ptx_narrow(x, u->src[2]));
  tn_ptx_operand place[TN_BOX_DIMS], on = x->first;          // none: of one thread alone
  for (int i = 0; i < dims; i++) place[i] = tn_ptx_narrow(x, u->src[3 + i]);
  if (parts > 1) {                         // the rows of this group's part
    if (to.base.kind == 's' || to.base.kind == 'S') to.base = tn_ptx_do1(x, 'r', "mov.u32", to.base);
    to.base = tn_ptx_do(x, 'r', "mad.lo.s32", x->rank, tn_ptx_k(nbytes / parts), to.base);
    place[1] = tn_ptx_do(x, 'r', "mad.lo.s32", x->rank, tn_ptx_k(u->v[2 * dims + 1] / parts), place[1]);
  }
  if (index->nsrc == 3) {
    const tn_ptx_operand there = tn_ptx_held(x, tn_ptx_element(x, index->src[2], 0), 'p');
    on = on.kind ? tn_ptx_do2(x, 'p', "and.pred", on, there) : there;
  }
  if (x->failed) return;
  tiny_bytes *out = x->overlaps ? &x->copies : tn_ptx_body(x);
  tn_ptx_begin_if(out, on);
  tn_ptx_text(out, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "], %lld;\n", (long long)nbytes);
  tn_ptx_begin_if(out, on);
  tn_ptx_text(out, "cp.async.bulk.tensor.%dd.shared::cluster.global.mbarrier::complete_tx::bytes%s [", dims,
              parts > 1 ? ".multicast::cluster" : "");
  tn_ptx_operand_text(out, to.base);
  tn_ptx_text(out, "+%lld], [", (long long)to.offset);
  tn_ptx_operand_text(out, x->map_at[tn_ptx_map_of(x, u)]);
  tn_ptx_text(out, ", {");
  for (int i = 0; i < dims; i++) { tn_ptx_text(out, i ? ", " : ""); tn_ptx_operand_text(out, place[i]); }
  tn_ptx_text(out, "}], [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "]");
  if (parts > 1) { tn_ptx_text(out, ", "); tn_ptx_operand_text(out, x->everyone); }
  tn_ptx_text(out, ";\n");
}
// Until the phase of the slot whose mbarrier is at `at` is over; then it is the other one's turn.
static void tn_ptx_wait_phase(tn_ptx *x, tn_ptx_operand s, tn_ptx_operand at) {
  const tn_ptx_operand over = tn_ptx_register(x, 'p');
  tn_ptx_operand parity = tn_ptx_do2(x, 'r', "shr.u32", x->phases, s);
  parity = tn_ptx_do2(x, 'r', "and.b32", parity, tn_ptx_k(1));
  const tn_ptx_operand bit = tn_ptx_do2(x, 'r', "shl.b32", tn_ptx_held(x, tn_ptx_k(1), 'r'), s),
                       turn[3] = {x->phases, x->phases, bit};
  const int label = ++x->labels;
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "$W%d:\n", label);
  tn_ptx_begin(x, x->role == TN_PTX_PRODUCES && x->cluster > 1 ?
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64" : "mbarrier.try_wait.parity.shared::cta.b64");
  tn_ptx_operand_text(out, over);
  tn_ptx_text(out, ", [");
  tn_ptx_operand_text(out, at);
  tn_ptx_text(out, "], ");
  tn_ptx_operand_text(out, parity);
  tn_ptx_text(out, ";\n");
  x->guard = over; x->unless = 1;
  char to[32];
  snprintf(to, sizeof to, "bra $W%d", label);
  tn_ptx_line(x, to, NULL, 0);
  x->guard = tn_ptx_none; x->unless = 0;
  tn_ptx_line(x, "xor.b32", turn, 3);
}
static void tn_ptx_wait_boxes(tn_ptx *x, const tiny_uop *slot) {
  x->slot = tn_ptx_narrow(x, slot);
  x->told = 0;
  tn_ptx_wait_phase(x, x->slot, tn_ptx_slot_address(x, x->slot));
}

// ** products that go on while the next ones are begun **
//
//   wait for the slot                      as the list has it: BARRIER
//   begin products; commit
//   wait for the products before           whose slot is filled next
//   all meet; thread 0 begins copies       BULKs
// So the matrix unit has work while warps wait for each other (CUTLASS, "Efficient GEMM in CUDA", "Pipelining").

// The LOAD of REG memory that a chain of products adds to; NULL: some of them is not added to in place.
static const tiny_uop *tn_ptx_chain(const tn_ptx *x, const tiny_uop *product) {
  for (;;) {
    const tiny_uop *sum = product->src[2];
    if (!tn_ptx_matrices(product->src[0]) || !tn_ptx_matrices(product->src[1]) ||
        x->last[sum->seq] != (int)product->seq)
      return NULL;
    if (sum->op == TINY_OP_LOAD) return x->constant[sum->seq] == TN_PTX_TAKEN ? sum : NULL;
    if (sum->op != TINY_OP_WMMA) return NULL;
    product = sum;
  }
}
static int tn_ptx_may_overlap(const tn_ptx *x, const tiny_uop *u) {
  const int loads = u->op == TINY_OP_LOAD;
  if (loads) return tn_is_reg(u->src[0]->src[0]) || tn_ptx_holds_boxes(x, tn_memory_behind(u->src[0]->src[0]));
  if (u->op != TINY_OP_STORE) return u->op != TINY_OP_BARRIER && u->op != TINY_OP_IF && u->op != TINY_OP_RANGE &&
    u->op != TINY_OP_SHUFFLE && u->op != TINY_OP_PREFETCH;
  const tiny_uop *sum = u->src[1]->op == TINY_OP_WMMA ? tn_ptx_chain(x, u->src[1]) : NULL;
  return sum && tn_ptx_in_registers(x, u->src[0]) && x->last[u->src[1]->seq] == (int)u->seq &&
      tn_ptx_reg_at(x, u->src[0]) == tn_ptx_reg_at(x, sum->src[0]);
}
// The loop that such a BARRIER stands in, if nothing else is done in it than copies and products that are added up.
static const tiny_uop *tn_ptx_overlaps(const tn_ptx *x, const tiny_uop *barrier) {
  const tiny_uop *loop = x->block[barrier->seq];
  int stores = 0;
  if (x->tensor) return tn_ptx_tensor_overlaps(x, barrier);
  if (!loop || x->fences || barrier->k != TN_BOXES) return NULL;
  for (int i = (int)loop->seq + 1; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_END) return u->src[1] == loop && stores == 1 ? loop : NULL;
    if (u != barrier && !tn_ptx_may_overlap(x, u)) return NULL;
    stores += u->op == TINY_OP_STORE;
  }
  return NULL;
}

// ** groups that copy for each other **
//
// Neighbours of dim 0 whose boxes are the same each copy a part to the memory of all (PTX ISA, .multicast::cluster).
// Memory is filled again when all groups of the cluster have met, which they do while products are under way.

// How many groups make a cluster: as hints say, if there is one loop of copies and its products overlap. produced: who
// copies waits for neighbours by itself; else they do not meet before a loop that begins anew.
static int tn_ptx_cluster(const tn_ptx *x, int produced) {
  int hints = 0, loops = 0;
  for (int i = 0; i < x->nbulk; i++) hints |= x->k->hints[x->bulk[i]->seq];
  for (int i = 0; i < x->k->n && hints; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BARRIER || !(u->k & TN_BOXES)) continue;
    const tiny_uop *loop = tn_ptx_overlaps(x, u);
    if (loops++ || !loop || (x->inside[loop->seq] > 1 && !produced)) return 1;
  }
  return !loops ? 1 : hints & TINY_HINT_FOUR ? 4 : hints & TINY_HINT_PAIR ? 2 : 1;
}

// ** of the module **

static void tn_ptx_maps_text(const tn_ptx *x, tiny_bytes *out) {
  if (!x->nmap) return;
  tn_ptx_text(out, ".visible .global .align 8 .b64 %s_maps[%d] = {", x->k->name, TN_PTX_MAP_WORDS * x->nmap);
  for (int i = 0; i < x->nmap; i++)
    for (int k = 0; k < TN_PTX_MAP_WORDS; k++)
      tn_ptx_text(out, "%s%lld", i || k ? ", " : "",
                  (long long)tn_ptx_map_word(x->map[i], tn_ptx_parts(x, x->map[i]), k));
  tn_ptx_text(out, "};\n");
}
#endif
// ---- end src/cuda/../render/ptx_bulk.c ----
// ---- begin src/cuda/../render/ptx_producer.c ----
// ptx_producer: warps that only copy boxes, beside those that multiply (PTX ISA, mbarrier, mapa, setmaxnreg).
//
// In:  a list whose BULKs are TN_BULK_PRODUCED, in whose one loop of copies products overlap (ptx_bulk.c).
// Out: what the items do, without copies; what a warp group beside them does: loops, and copies in them.
// Holds:
//  - A slot has two mbarriers: of one a phase is over when it is full, of the other when it is empty: when each warp of
//    the items, of all groups of the cluster, has told so. Who fills waits for the latter, and nobody else: the parity
//    that it asks for first is that of the phase before the first, which is over (PTX ISA, mbarrier.test_wait).
//  - Items tell that the slot before is empty when the products that read it are done, while the next ones are under
//    way: they never wait for each other in the loop. A lane for each group of the cluster does it.
//  - Who copies is there until all slots are empty: neighbours tell it so (CUTLASS, PipelineTmaAsync, producer_tail).
//  - Registers go from those who copy to the items (PTX ISA, setmaxnreg), which has to be done by all of a warp group.
//  - Barriers of the items are number 1, and counted: of the others most threads have ended. Where products do not
//    overlap all of them have, and items copy themselves.
#ifndef TN_RENDER_PTX_PRODUCER
#define TN_RENDER_PTX_PRODUCER
#ifndef TINY_AMALGAMATED
#include "ptx_bulk.c"
#endif

// ** who does what **

static int tn_ptx_is_act(const tiny_uop *u) {
  return u->op == TINY_OP_STORE || u->op == TINY_OP_BULKSTORE || u->op == TINY_OP_BARRIER || u->op == TINY_OP_PREFETCH;
}
// Is something done at u that can be seen, by whom this is written for?
static int tn_ptx_acts(const tn_ptx *x, const tiny_uop *u) {
  if (u->op == TINY_OP_BULK) return x->role != TN_PTX_CONSUMES;
  return x->role != TN_PTX_PRODUCES && tn_ptx_is_act(u);
}
// What the role leaves out: what others do, and loops and conditions in which nothing else is done.
static void tn_ptx_survey_role(tn_ptx *x) {
  int open[TN_PTX_DEPTH] = {0}, acts[TN_PTX_DEPTH] = {0}, depth = 0;
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF) { open[++depth] = i; acts[depth] = 0; }
    else if (op == TINY_OP_END || op == TINY_OP_ENDIF) {
      x->idle[i] = x->idle[open[depth]] = !acts[depth];
      acts[depth - 1] |= acts[depth];
      depth--;
    } else if (tn_ptx_acts(x, u)) acts[depth] = 1;
    else x->idle[i] = op == TINY_OP_BULK || tn_ptx_is_act(u);
  }
}

// Of the BULKs of an iteration the first one waits until its slot is empty: the first of its block, if memory of that
// which is first in the kernel is what it fills. Before the loop others fill the rest of the slots by loops of their
// own.
static int tn_ptx_fills_first(const tn_ptx *x, const tiny_uop *u) {
  if (tn_ptx_box_memory(u) != tn_ptx_box_memory(x->bulk[0])) return 0;
  for (int i = 0; i < x->nbulk && x->bulk[i] != u; i++)
    if (x->block[x->bulk[i]->seq] == x->block[u->seq] && x->bulk[i]->src[2] == u->src[2]) return 0;
  return 1;
}
static const tiny_uop *tn_ptx_bulk_condition(const tiny_uop *u) {
  return u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
}
// Are all copies of the loop begun after the one that waits, and under its condition?
static int tn_ptx_fills_in_order(const tn_ptx *x, const tiny_uop *loop) {
  const tiny_uop *first = NULL;
  for (int i = 0; i < x->nbulk; i++) {
    if (x->block[x->bulk[i]->seq] != loop) continue;
    if (!first) first = x->bulk[i];
    if (!tn_ptx_fills_first(x, first) || x->bulk[i]->src[2] != first->src[2] ||
        tn_ptx_bulk_condition(x->bulk[i]) != tn_ptx_bulk_condition(first))
      return 0;
  }
  return first != NULL;
}
// Can warps beside the items copy? Of one loop, as it overlaps; of a kernel whose memory a launch brings.
static int tn_ptx_produces(const tn_ptx *x) {
  const tiny_uop *loop = NULL;
  if (!x->beside || !x->k->local_nbytes || tn_ptx_items(x) % TN_PRODUCER_THREADS) return 0;
  for (int i = 0; i < x->nbulk; i++)
    if (!tn_bulk_is_produced(x->bulk[i]) || tn_bulk_end(x->bulk[i]->k) > TN_PTX_EMPTIES) return 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BARRIER || !(u->k & TN_BOXES)) continue;
    if (loop || !(loop = tn_ptx_overlaps(x, u))) return 0;
  }
  return loop && tn_ptx_fills_in_order(x, loop);
}

// ** registers **

// Of a multiprocessor, and what a thread has at the most (CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability"); of those that copy, as CUTLASS gives them (sm90_gemm_tma_warpspecialized_cooperative.hpp:
// LoadRegisterRequirement); what an item has beside its sums.
enum { TN_PTX_REGISTERS = 1 << 16, TN_PTX_REGISTERS_MOST = 248,
  TN_PTX_REGISTERS_COPY = 40, TN_PTX_REGISTERS_BESIDE = 40,
  TN_PTX_SHARED = 228 << 10, TN_PTX_SHARED_BESIDE = 1 << 10 };             // bytes of a multiprocessor; a group's own

static int64_t tn_ptx_sums(const tn_ptx *x) {
  int64_t n = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_DEFINE && u->v[0] == TN_SPACE_REG && x->constant[i]) n += u->v[1] * u->lanes;
  }
  return n;
}
static int tn_ptx_eights(int64_t n) { return n < TN_PTX_REGISTERS_MOST ? (int)n / 8 * 8 : (int)TN_PTX_REGISTERS_MOST; }
// An item's, when a group has begun with so many of each thread: what those who copy leave.
static int tn_ptx_item_registers(const tn_ptx *x, int launched) {
  return tn_ptx_eights((launched * (tn_ptx_items(x) + x->beside) - TN_PTX_REGISTERS_COPY * x->beside) /
                       tn_ptx_items(x));
}
// Of each thread as a group begins: all there are, of as many groups as shared memory has room for and whose items have
// enough then.
static int tn_ptx_launched_registers(const tn_ptx *x) {
  const int64_t threads = tn_ptx_items(x) + x->beside;
  int64_t groups = TN_PTX_SHARED / (x->k->local_nbytes + TN_PTX_SHARED_BESIDE);
  for (; groups > 1; groups--) {
    const int n = tn_ptx_eights(TN_PTX_REGISTERS / threads / groups);
    if (n >= TN_PTX_REGISTERS_COPY && tn_ptx_item_registers(x, n) >= tn_ptx_sums(x) + TN_PTX_REGISTERS_BESIDE) break;
  }
  return tn_ptx_eights(TN_PTX_REGISTERS / threads / (groups > 1 ? groups : 1));
}

// ** the items **

static void tn_ptx_begin_consumers(tn_ptx *x) {
  const tn_ptx_operand beside =
      tn_ptx_do2(x, 'p', "setp.ge.u32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(tn_ptx_items(x)));
  x->guard = beside;
  tn_ptx_line(x, x->role ? "bra $PRODUCER" : "ret", NULL, 0);
  x->guard = tn_ptx_none;
  if (!x->role) return;
  tn_ptx_text(tn_ptx_body(x), "\tsetmaxnreg.inc.sync.aligned.u32 %d;\n",
              tn_ptx_item_registers(x, tn_ptx_launched_registers(x)));
  const tn_ptx_operand lane = tn_ptx_read_special(x, "laneid");
  x->tells = tn_ptx_do2(x, 'p', "setp.lt.u32", lane, tn_ptx_k(x->cluster));
  x->empties = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(8 * TN_PTX_EMPTIES));
  if (x->cluster > 1)
    x->empties = tn_ptx_do2(x, 'r', "mapa.shared::cluster.u32", x->empties,
                            tn_ptx_do2(x, 'r', "min.u32", lane, tn_ptx_k(x->cluster - 1)));
  x->before = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(-1));
}
// ** who copies **

static void tn_ptx_begin_producer(tn_ptx *x) {
  tn_ptx_text(tn_ptx_body(x), "$PRODUCER:\n\tsetmaxnreg.dec.sync.aligned.u32 %d;\n", (int)TN_PTX_REGISTERS_COPY);
  x->guard = tn_ptx_do2(x, 'p', "setp.ne.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(tn_ptx_items(x)));
  tn_ptx_line(x, "ret", NULL, 0);          // one thread is enough
  x->guard = tn_ptx_none;
  x->phases = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(-1));
  x->empties = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(8 * TN_PTX_EMPTIES));
  tn_ptx_begin_copies(x);
}
// Until the slot that u fills is empty, if u is done at all.
static void tn_ptx_wait_empty(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *condition = tn_ptx_bulk_condition(u);
  const tn_ptx_operand on = condition ? tn_ptx_held(x, tn_ptx_element(x, condition, 0), 'p') : tn_ptx_none,
                       slot = tn_ptx_narrow(x, u->src[2]);
  const int label = ++x->labels;
  char to[32];
  if (on.kind) {
    snprintf(to, sizeof to, "bra $S%d", label);
    x->guard = on; x->unless = 1;
    tn_ptx_line(x, to, NULL, 0);
    x->guard = tn_ptx_none; x->unless = 0;
  }
  tn_ptx_wait_phase(x, slot, tn_ptx_do(x, 'r', "mad.lo.s32", slot, tn_ptx_k(8), x->empties));
  if (on.kind) tn_ptx_text(tn_ptx_body(x), "$S%d:\n", label);
}
static void tn_ptx_produce(tn_ptx *x, const tiny_uop *u) {
  if (x->role && tn_ptx_fills_first(x, u)) tn_ptx_wait_empty(x, u);
  tn_ptx_bulk(x, u);
}
// Neighbours have told of all slots: nobody tells a group that is not there any more.
static void tn_ptx_end_producer(tn_ptx *x) {
  for (int i = 0; i < x->slots && x->cluster > 1; i++)
    tn_ptx_wait_phase(x, tn_ptx_k(i), tn_ptx_do2(x, 'r', "add.s32", x->empties, tn_ptx_k(8 * i)));
  tn_ptx_text(tn_ptx_body(x), "\tret;\n");
}
#endif
// ---- end src/cuda/../render/ptx_producer.c ----
// ---- begin src/cuda/../render/ptx_box_stores.c ----
// ptx_box_stores: boxes of shared memory that the device copies to tensors by itself (PTX ISA, cp.async.bulk.tensor,
// .global.shared::cta; sm_90 on).
//
// In:  BULKSTOREs, and the BARRIER before. Out: their lines; their tensors stand among those of BULKs (ptx_bulk.c).
// Holds: what items have written is fenced before they meet, as the device reads it by another way (fence.proxy.async).
//        Thread 0 begins copies, and before the items meet again, or the kernel ends, waits until they have read shared
//        memory: one group of them (cp.async.bulk.wait_group.read).
#ifndef TN_RENDER_PTX_BOX_STORES
#define TN_RENDER_PTX_BOX_STORES
#ifndef TINY_AMALGAMATED
#include "ptx_bulk.c"
#endif

static void tn_ptx_count_box_stores(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) x->box_stores += x->k->list[i]->op == TINY_OP_BULKSTORE;
}
// Their tensors, behind those of BULKs; what is stored to is no memory that a kernel reads alone.
static void tn_ptx_survey_box_stores(tn_ptx *x) {
  if (!x->box_stores || x->failed) return;
  if (x->sm < 90) { tn_ptx_fail(x, "BULKSTORE"); return; }
  tn_ptx_wants_version(x, 80);
  const tiny_uop **map = (const tiny_uop **)tn_ptx_scratch(x->t, (TN_PTX_MAPS + 1) * sizeof *map);
  if (!map) { x->failed = 1; return; }
  if (x->nmap) memcpy(map, x->map, (size_t)x->nmap * sizeof *map);
  x->map = map;
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULKSTORE) continue;
    if (tn_ptx_map_of(x, u) == x->nmap) x->map[x->nmap++] = u;
    if (x->nmap > TN_PTX_MAPS) tn_ptx_fail(x, "so many tensors");
  }
}
// What thread 0 is known by, and where the tensors are, unless BULKs have said so, of these items.
static void tn_ptx_begin_box_stores(tn_ptx *x) {
  if (!x->box_stores || x->failed || (x->nbulk && x->role != TN_PTX_CONSUMES)) return;
  if (!x->nbulk) x->first = tn_ptx_do2(x, 'p', "setp.eq.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(0));
  tn_ptx_begin_maps(x);
}

// Is some box stored of memory that is there behind the barrier?
static int tn_ptx_is_before_boxes(const tn_ptx *x, const tiny_uop *barrier) {
  for (int i = (int)barrier->seq + 1; i < x->k->n && x->box_stores; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULKSTORE) continue;
    for (const tiny_uop *m = u->src[0]->src[0]; m->op == TINY_OP_AFTER; m = m->src[0])
      for (uint32_t j = 1; j < m->nsrc; j++) if (m->src[j] == barrier) return 1;
  }
  return 0;
}
static void tn_ptx_box_store(tn_ptx *x, const tiny_uop *u) {
  const int dims = tn_bulk_dims(u);
  const tiny_uop *index = u->src[0];
  const tn_ptx_address from = tn_ptx_address_of(x, index);
  tn_ptx_operand place[TN_BOX_DIMS], on = x->first;
  for (int i = 0; i < dims; i++) place[i] = tn_ptx_narrow(x, u->src[2 + i]);
  if (index->nsrc == 3)
    on = tn_ptx_do2(x, 'p', "and.pred", on, tn_ptx_held(x, tn_ptx_element(x, index->src[2], 0), 'p'));
  if (x->failed) return;
  x->leaves = 1;
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "\t@");
  tn_ptx_operand_text(out, on);
  tn_ptx_text(out, " cp.async.bulk.tensor.%dd.global.shared::cta.bulk_group [", dims);
  tn_ptx_operand_text(out, x->map_at[tn_ptx_map_of(x, u)]);
  tn_ptx_text(out, ", {");
  for (int i = 0; i < dims; i++) { tn_ptx_text(out, i ? ", " : ""); tn_ptx_operand_text(out, place[i]); }
  tn_ptx_text(out, "}], ");
  tn_ptx_address_text(x, &from, 0);
  tn_ptx_text(out, ";\n");
}
// Until those that were begun have read what they copy.
static void tn_ptx_wait_box_stores(tn_ptx *x) {
  static const char *const lines[2] = {"commit_group", "wait_group.read 0"};
  for (int i = 0; i < 2 && x->leaves; i++) {
    tn_ptx_text(tn_ptx_body(x), "\t@");
    tn_ptx_operand_text(tn_ptx_body(x), x->first);
    tn_ptx_text(tn_ptx_body(x), " cp.async.bulk.%s;\n", lines[i]);
  }
  x->leaves = 0;
}
#endif
// ---- end src/cuda/../render/ptx_box_stores.c ----
// ---- begin src/cuda/../render/ptx.c ----
// ptx: a program -> PTX, NVIDIA's virtual machine code, for sm_75 and later.
//
// In:  the list of a lowered kernel, verified, of what tn_lang_ptx says can be done. Out: an entry; of such entries a
//      module, of the least version that its instructions and its target have.
// Holds:
//  - A kernel's parameters are those of lang_cuda.c: 128 words, memory of PARAM k the k-th, ARG k the k-th from the
//    end; a module has the variable tiny_values. Items of a group are numbered in dim 0 alone.
//  - A loop asks at its end whether it goes on, and before it begins only if it may not run at all.
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX
#define TN_RENDER_PTX
#ifndef TINY_AMALGAMATED
#include "ptx_producer.c"
#include "ptx_box_stores.c"
#endif

enum { TN_PTX_PARAMETERS = 128 };

// ** values of vectors **

static void tn_ptx_bitcast(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (s->lanes == u->lanes && !(tn_ptx_packs(u) && x->words[s->seq] >= 0 && x->elements[s->seq] < 0)) {
    const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) {
      const tn_ptx_operand o = tn_ptx_bits_as(x, s->dtype, u->dtype, tn_ptx_element(x, s, i));
      tn_ptx_put(x, first + i, o);
    }
    return;
  }
  if (tn_ptx_packs(u) && tn_ptx_packs(s)) { x->words[u->seq] = x->words[s->seq]; return; }
  const int n = tn_ptx_nwords(u), words = tn_ptx_take(x, n), wide = tn_ptx_bits(u->dtype) == 64;
  for (int i = 0; i < n; i++) { const tn_ptx_operand o = tn_ptx_word(x, s, i); tn_ptx_put(x, words + i, o); }
  if (tn_ptx_packs(u)) { x->words[u->seq] = words; return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    const tn_ptx_operand *word = &x->pool.of[words + (wide ? 2 * i : i)];
    tn_ptx_put(x, first + i, tn_ptx_of_words(x, u->dtype, word[0], word[wide]));
  }
}

// Two at a time (PTX ISA, cvt: .f16x2 and .bf16x2 of f32 from sm_80 on).
static void tn_ptx_cast_pairs(tn_ptx *x, const tiny_uop *u) {
  const int n = tn_ptx_nwords(u), first = x->words[u->seq] = tn_ptx_take(x, n);
  for (int i = 0; i < n; i++)
    tn_ptx_put(x, first + i, tn_ptx_do2(x, 'r', u->dtype == TINY_F16 ? "cvt.rn.f16x2.f32" : "cvt.rn.bf16x2.f32",
                                        tn_ptx_element(x, u->src[0], 2 * i + 1), tn_ptx_element(x, u->src[0], 2 * i)));
}
// Words of fp8: two conversions each (PTX ISA, cvt, .e4m3x2 and .e5m2x2). What lies beyond e4m3 is NaN before; of e5m2
// elements go one by one.
static void tn_ptx_cast_codes(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand nan = {'F', 0x7FC00000};
  const int n = tn_ptx_nwords(u), first = x->words[u->seq] = tn_ptx_take(x, n);
  for (int i = 0; i < 2 * n; i += 2) {
    tn_ptx_operand half[2], f[2];
    for (int j = 0; j < 4; j++) {
      f[j & 1] = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 2 * i + j), 'f');
      f[j & 1] = tn_ptx_do(x, 'f', "selp.f32", nan, f[j & 1], tn_ptx_beyond_fp8(x, u->dtype, f[j & 1]));
      if (j & 1) half[j / 2] = tn_ptx_do2(x, 'h', "cvt.rn.satfinite.e4m3x2.f32", f[1], f[0]);
    }
    tn_ptx_put(x, first + i / 2, tn_ptx_join(x, 'r', "mov.b32", half));
  }
}
// Elements of words of fp8: f32 of f16, of which an instruction gives two.
static void tn_ptx_cast_of_codes(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  tn_ptx_operand pair[2], half[2];
  for (int i = 0; i < u->lanes && !x->failed; i += 2) {
    if (i % 4 == 0) {
      pair[0] = tn_ptx_register(x, 'h'); pair[1] = tn_ptx_register(x, 'h');
      tn_ptx_split(x, "mov.b32", pair, x->pool.of[x->words[s->seq] + i / 4]);
    }
    half[0] = tn_ptx_register(x, 'h'); half[1] = tn_ptx_register(x, 'h');
    tn_ptx_split(x, "mov.b32", half, tn_ptx_halves_of_fp8(x, s->dtype, pair[i / 2 % 2]));
    for (int j = 0; j < 2; j++)
      tn_ptx_put(x, first + i + j, tn_ptx_float_to_float(x, TINY_F16, u->dtype, half[j]));
  }
}
static void tn_ptx_cast_all(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int narrows = s->dtype == TINY_F32 && tn_ptx_class(u->dtype) == 'h', words = x->wants[u->seq] & TN_PTX_WORDS;
  if (x->sm >= 80 && narrows && words && tn_ptx_packs(u)) { tn_ptx_cast_pairs(x, u); return; }
  if (s->dtype == TINY_F32 && u->dtype == TINY_F8E4M3 && words && tn_ptx_packs(u)) { tn_ptx_cast_codes(x, u); return; }
  if (tn_ptx_is_fp8(s->dtype) && x->words[s->seq] >= 0 && tn_ptx_is_float(u->dtype)) {
    tn_ptx_cast_of_codes(x, u);
    return;
  }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  const int pairs = s->dtype == TINY_BF16 && x->words[s->seq] >= 0;
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    if (!pairs) { tn_ptx_put(x, first + i, tn_ptx_cast(x, s, u->dtype, tn_ptx_element(x, s, i))); continue; }
    const tn_ptx_operand word = x->pool.of[x->words[s->seq] + i / 2];
    tn_ptx_operand f = tn_ptx_do2(x, 'r', i & 1 ? "and.b32" : "shl.b32", word, tn_ptx_k(i & 1 ? -65536 : 16));
    f = tn_ptx_do1(x, 'f', "mov.b32", f);
    tn_ptx_put(x, first + i, tn_ptx_float_to_float(x, TINY_F32, u->dtype, f));
  }
}

static void tn_ptx_pick(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (x->elements[s->seq] >= 0) x->elements[u->seq] = x->elements[s->seq] + (s->lanes > 1 ? (int)u->k : 0);
  if (x->words[s->seq] >= 0 && u->lanes > 1 && tn_ptx_packs(u) && u->k * tn_ptx_bits(u->dtype) % 32 == 0)
    x->words[u->seq] = x->words[s->seq] + (int)u->k * tn_ptx_bits(u->dtype) / 32;
}
static void tn_ptx_lanes(tn_ptx *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes), all = u->op != TINY_OP_STACK;
  for (int n = 0; all && n < u->lanes; n++)
    tn_ptx_put(x, first + n, u->op == TINY_OP_LANE ? tn_ptx_k(n) : tn_ptx_element(x, u->src[0], n % u->src[0]->lanes));
  for (int n = 0, j = 0; !all && j < (int)u->nsrc; j++)
    for (int i = 0; i < u->src[j]->lanes && n < u->lanes; i++)
      tn_ptx_put(x, first + n++, tn_ptx_element(x, u->src[j], i));
}

// Of what is there only under a condition more of that kind is made.
static void tn_ptx_guard_partial(tn_ptx *x, const tiny_uop *u) {
  for (uint32_t j = 0; j < u->nsrc; j++)
    if (u->src[j]->op != TINY_OP_INDEX && x->partial[u->src[j]->seq]) {
      x->partial[u->seq] = 1;
      x->guard = tn_ptx_element(x, x->under[u->seq], 0);
    }
}
static void tn_ptx_elementwise(tn_ptx *x, const tiny_uop *u) {
  if (tn_ptx_is_narrow(u)) { tn_ptx_narrow_all(x, u); return; }
  if (tn_ptx_is_paired(x, u)) { tn_ptx_paired_all(x, u); return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    tn_ptx_operand o[4];
    for (uint32_t j = 0; j < u->nsrc && j < 4; j++) o[j] = tn_ptx_element(x, u->src[j], i);
    tn_ptx_put(x, first + i, tn_ptx_alu(x, u, o));
  }
}

// ** what warps do together **

static tn_ptx_operand tn_ptx_exchange(tn_ptx *x, tn_ptx_operand word, int64_t mask, char kind) {
  const tn_ptx_operand y = tn_ptx_register(x, kind);
  tn_ptx_begin(x, "shfl.sync.bfly.b32");
  tn_ptx_operand_text(tn_ptx_body(x), y);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_operand_text(tn_ptx_body(x), word);
  tn_ptx_text(tn_ptx_body(x), ", %lld, 31, -1;\n", (long long)mask);
  return y;
}
static void tn_ptx_shuffle(tn_ptx *x, const tiny_uop *u) {
  const char kind = tn_ptx_class(u->dtype);
  const int first = x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_operand o = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 0), kind);
  if (kind == 'd' || kind == 'g') {
    tn_ptx_operand half[2] = {tn_ptx_register(x, 'r'), tn_ptx_register(x, 'r')};
    tn_ptx_split(x, "mov.b64", half, o);
    for (int i = 0; i < 2; i++) half[i] = tn_ptx_exchange(x, half[i], u->k, 'r');
    o = tn_ptx_join(x, kind, "mov.b64", half);
  } else if (kind == 'h') {
    o = tn_ptx_exchange(x, tn_ptx_do1(x, 'r', "cvt.u32.u16", o), u->k, 'r');
    o = tn_ptx_do1(x, 'h', "cvt.u16.u32", o);
  } else if (kind == 'p') {
    o = tn_ptx_exchange(x, tn_ptx_do(x, 'r', "selp.b32", tn_ptx_k(1), tn_ptx_k(0), o), u->k, 'r');
    o = tn_ptx_do2(x, 'p', "setp.ne.s32", o, tn_ptx_k(0));
  } else o = tn_ptx_exchange(x, o, u->k, kind);
  tn_ptx_put(x, first, o);
}

// Of operands: f32 is read as TF32.
static const char *tn_ptx_unit_type(int dtype) {
  switch (dtype) {
    case TINY_F32: return "tf32";
    case TINY_F8E4M3: return "e4m3";
    case TINY_F8E5M2: return "e5m2";
    case TINY_I8: return "s8";
    default: return tn_ptx_type(dtype);
  }
}
// A row of tn_warp_units; the first one is the first of sm_75.
static void tn_ptx_matrix(tn_ptx *x, const tiny_uop *u) {
  int n;
  const tiny_warp_unit *unit = tiny_warp_units("sm_75", &n) + (u->k >> TN_WMMA_UNIT) - 1;
  char name[96];
  const char *type[2] = {tn_ptx_unit_type(unit->a), tn_ptx_unit_type(unit->b)};
  const int own = u->k >> TN_WMMA_UNIT >= 1 && !strncmp(unit->name, "sm", 2);
  if (own && tn_ptx_is_whole(u)) { tn_ptx_tcgen05(x, u, unit); return; }
  if (own && tn_ptx_is_by_unit(u->src[1])) { tn_ptx_wgmma(x, u, unit, type); return; }
  const int first = tn_ptx_take(x, u->lanes);
  if (!own || u->lanes != 4) { tn_ptx_fail(x, "WMMA"); return; }
  snprintf(name, sizeof name, "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s", unit->m, unit->n, unit->k,
           tn_ptx_type(unit->c), type[0], type[1], tn_ptx_type(unit->c));
  tn_ptx_wants_version(x, unit->a >= TINY_F8E4M3 && unit->a <= TINY_F8E5M2 ? 84 : 65);           // PTX ISA, mma
  const char kind = tn_ptx_class(u->dtype);
  tn_ptx_operand o[3][4];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < u->src[j]->lanes && i < 4; i++)
      o[j][i] = tn_ptx_held(x, tn_ptx_element(x, u->src[j], i), j < 2 ? 'r' : kind);
  for (int i = 0; i < 4; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, kind));
  if (x->failed) return;
  tn_ptx_begin(x, name);
  tn_ptx_group(tn_ptx_body(x), &x->pool.of[first], 4);
  for (int j = 0; j < 3; j++) {
    tn_ptx_text(tn_ptx_body(x), u->src[j]->lanes == 1 ? ", {" : ", ");
    tn_ptx_group(tn_ptx_body(x), o[j], u->src[j]->lanes);
    if (u->src[j]->lanes == 1) tn_ptx_text(tn_ptx_body(x), "}");
  }
  tn_ptx_text(tn_ptx_body(x), ";\n");
  x->elements[u->seq] = first;
}

static void tn_ptx_barrier(tn_ptx *x, const tiny_uop *u) {
  const int64_t stores = u->k & ~(int64_t)TN_BOXES;
  if (u->k & TN_BOXES) tn_ptx_wait_boxes(x, u->src[0]);
  x->overlaps = u->k ? tn_ptx_overlaps(x, u) : NULL;
  if (x->overlaps && x->tensor) tn_ptx_tensor_goes_on(x, u);
  if (x->overlaps && !stores) return;
  if (stores && x->sm >= 80) {
    tn_ptx_text(tn_ptx_body(x), "\tcp.async.commit_group;\n");
    tn_ptx_text(tn_ptx_body(x), "\tcp.async.wait_group %lld;\n", (long long)stores - 1);
  }
  if (x->fences || tn_ptx_is_before_boxes(x, u)) tn_ptx_text(tn_ptx_body(x), "\tfence.proxy.async.shared::cta;\n");
  x->met = 1;
  if (x->tensor) tn_ptx_fences(x, "\tbar.sync 0;\n");
  else tn_ptx_meet(x, tn_ptx_body(x));
}

// ** loops and conditions **

static tn_ptx_level *tn_ptx_open(tn_ptx *x, const tiny_uop *u) {
  tn_ptx_level *l = &x->level[++x->depth];
  l->body.t = l->tail.t = x->t;
  l->body.n = l->tail.n = 0;
  l->opened = u; l->label = ++x->labels; l->serial = ++x->serial;
  x->at = x->depth;
  return l;
}
// Back to the level around it; the one that ends.
static tn_ptx_level *tn_ptx_close(tn_ptx *x) {
  tn_ptx_level *l = &x->level[x->depth];
  x->at = --x->depth;
  return l;
}
static void tn_ptx_branch(tn_ptx *x, tn_ptx_operand on, int unless, const char *label, int number) {
  char to[32];
  x->guard = on; x->unless = unless;
  snprintf(to, sizeof to, "bra $%s%d", label, number);
  tn_ptx_line(x, to, NULL, 0);
  tn_ptx_unguard(x);
}

static const char *tn_ptx_compares(const char *op, int dtype, char *out, size_t nbytes) {
  return tn_ptx_name(out, nbytes, op, tn_ptx_type(dtype));
}
static void tn_ptx_range(tn_ptx *x, const tiny_uop *u) {
  char op[16];
  const char kind = tn_ptx_class(u->dtype);
  const tiny_uop *from = u->nsrc > 1 ? u->src[1] : NULL;
  const tn_ptx_operand start = from ? tn_ptx_element(x, from, 0) : tn_ptx_k(0), end = tn_ptx_element(x, u->src[0], 0),
                       counter = tn_ptx_do1(x, kind, kind == 'd' ? "mov.b64" : "mov.b32", start);
  const int runs = u->src[0]->vmin > (from ? from->vmax : 0) && u->dtype != TINY_U64;
  tn_ptx_operand skips = tn_ptx_none;
  x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_put(x, x->elements[u->seq], counter);
  if (!runs) skips = tn_ptx_do2(x, 'p', tn_ptx_compares("setp.ge", u->dtype, op, sizeof op), counter, end);
  tn_ptx_level *l = tn_ptx_open(x, u);
  l->counter = counter; l->skips = skips;
}
// Are copies of the loop's iterations more than they save? ptxas makes them of what has few instructions, too, at the
// price of registers (bench/sass.md).
static int tn_ptx_is_rolled(const tn_ptx *x, const tn_ptx_level *l) {
  enum { MOST = 96 };                      // lines
  int lines = 0;
  for (size_t i = 0; i < l->body.n; i++) lines += l->body.data[i] == '\n';
  return x->by_unit || lines >= MOST || (x->k->hints[l->opened->seq] & TINY_HINT_ROLLED) != 0;
}
static void tn_ptx_end(tn_ptx *x) {
  char op[16];
  tn_ptx_level *l = tn_ptx_close(x);
  if (l->skips.kind) tn_ptx_branch(x, l->skips, 0, "E", l->label);
  tn_ptx_text(tn_ptx_body(x), "$L%d:\n", l->label);
  if (tn_ptx_is_rolled(x, l)) tn_ptx_text(tn_ptx_body(x), "\t.pragma \"nounroll\";\n");
  if (l->body.n) tiny_bytes_add(tn_ptx_body(x), l->body.data, l->body.n);
  if (l->tail.n) tiny_bytes_add(tn_ptx_body(x), l->tail.data, l->tail.n);
  const tn_ptx_operand next[3] = {l->counter, l->counter, tn_ptx_k(1)};
  tn_ptx_line(x, l->counter.kind == 'd' ? "add.s64" : "add.s32", next, 3);
  const tn_ptx_operand on = tn_ptx_do2(x, 'p', tn_ptx_compares("setp.lt", l->opened->dtype, op, sizeof op), l->counter,
                                       tn_ptx_element(x, l->opened->src[0], 0));
  tn_ptx_branch(x, on, 0, "L", l->label);
  if (x->tensor && x->overlaps == l->opened) tn_ptx_tensor_drain(x);
  if (l->skips.kind) tn_ptx_text(tn_ptx_body(x), "$E%d:\n", l->label);
  if (!x->overlaps || x->overlaps != l->opened) return;
  if (x->tensor) { tn_ptx_tensor_ends(x); return; }
  tn_ptx_text(tn_ptx_body(x), "\twgmma.wait_group.sync.aligned 0;\n");
  if (x->role == TN_PTX_CONSUMES) tn_ptx_release(x, tn_ptx_k(-1));
  x->overlaps = NULL;
}
static void tn_ptx_if(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand on = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 0), 'p');
  tn_ptx_open(x, u)->counter = on;
}
static void tn_ptx_endif(tn_ptx *x) {
  tn_ptx_level *l = tn_ptx_close(x);
  tn_ptx_branch(x, l->counter, 1, "E", l->label);
  if (l->body.n) tiny_bytes_add(tn_ptx_body(x), l->body.data, l->body.n);
  tn_ptx_text(tn_ptx_body(x), "$E%d:\n", l->label);
}

// ** a kernel **

static void tn_ptx_parameter(tn_ptx *x, const tiny_uop *u) {
  const int buffer = u->op == TINY_OP_PARAM, first = x->elements[u->seq] = tn_ptx_take(x, 1);
  const char kind = buffer ? 'd' : tn_ptx_class(u->dtype);
  const int64_t at = buffer ? u->k : TN_PTX_PARAMETERS - 1 - u->k;
  tn_ptx_operand o = tn_ptx_register(x, kind);
  tn_ptx_text(tn_ptx_body(x), "\tld.param.%s ", buffer ? "u64" : tn_ptx_stored(u->dtype));
  tn_ptx_operand_text(tn_ptx_body(x), o);
  tn_ptx_text(tn_ptx_body(x), ", [v+%lld];\n", (long long)(8 * at));
  tn_ptx_put(x, first, buffer ? tn_ptx_do1(x, 'd', "cvta.to.global.u64", o) : o);
}
// o / n, or what is left; powers of two by bits.
static tn_ptx_operand tn_ptx_divided(tn_ptx *x, tn_ptx_operand o, int64_t n, int left) {
  int64_t k = 0;
  while ((int64_t)1 << k < n) k++;
  if ((int64_t)1 << k != n) return tn_ptx_do2(x, 'r', left ? "rem.u32" : "div.u32", o, tn_ptx_k(n));
  return left ? tn_ptx_do2(x, 'r', "and.b32", o, tn_ptx_k(n - 1)) : tn_ptx_do2(x, 'r', "shr.u32", o, tn_ptx_k(k));
}
// Of items of a group the number along a dim, by their number in all.
static tn_ptx_operand tn_ptx_item(tn_ptx *x, int dim) {
  const int64_t *n = x->k->local;
  int64_t below = 1, above = 1;
  for (int i = 0; i < dim; i++) below *= n[i];
  for (int i = dim + 1; i < 3; i++) above *= n[i];
  if (n[dim] == 1) return tn_ptx_k(0);
  if (x->role == TN_PTX_PRODUCES) tn_ptx_fail(x, "a box that moves with items");
  tn_ptx_operand o = tn_ptx_read_special(x, "tid.x");
  if (below > 1) o = tn_ptx_divided(x, o, below, 0);
  return above > 1 ? tn_ptx_divided(x, o, n[dim], 1) : o;
}
static void tn_ptx_special(tn_ptx *x, const tiny_uop *u) {
  static const char *const groups[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
  const int dim = (int)(u->k & 15), first = x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_operand o = u->k & 16 ? tn_ptx_item(x, dim) : tn_ptx_read_special(x, groups[dim]);
  if (tn_ptx_bits(u->dtype) == 64 && !tn_ptx_is_number(o)) o = tn_ptx_do1(x, 'd', "cvt.u64.u32", o);
  tn_ptx_put(x, first, o);
}
static void tn_ptx_constant(tn_ptx *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes),
            half = tn_ptx_class(u->dtype) == 'h' || tn_ptx_is_fp8(u->dtype);
  for (int i = 0; i < u->lanes; i++)
    tn_ptx_put(x, first + i, half ? tn_ptx_k(tn_const_narrow(u->dtype, u->k)) : tn_ptx_number(u->dtype, u->k));
}

static void tn_ptx_node(tn_ptx *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_PARAM: case TINY_OP_ARG: tn_ptx_parameter(x, u); return;
    case TINY_OP_CONST: tn_ptx_constant(x, u); return;
    case TINY_OP_SPECIAL: tn_ptx_special(x, u); return;
    case TINY_OP_DEFINE: tn_ptx_define(x, u); return;
    case TINY_OP_AFTER:
      x->elements[u->seq] = x->elements[u->src[0]->seq];
      x->words[u->seq] = x->words[u->src[0]->seq];
      return;
    case TINY_OP_LOAD:
      if (tn_ptx_in_registers(x, u->src[0])) tn_ptx_load_register(x, u);
      else if (u->k) tn_ptx_load_rows(x, u);
      else tn_ptx_load(x, u);
      return;
    case TINY_OP_STORE:
      if (tn_ptx_in_registers(x, u->src[0])) tn_ptx_store_register(x, u);
      else if (tn_ptx_copies(x, u)) tn_ptx_copy(x, u);
      else tn_ptx_store(x, u);
      return;
    case TINY_OP_PREFETCH: tn_ptx_prefetch(x, u); return;
    case TINY_OP_BULK: tn_ptx_produce(x, u); return;
    case TINY_OP_BULKSTORE: tn_ptx_box_store(x, u); return;
    case TINY_OP_RANGE: tn_ptx_range(x, u); return;
    case TINY_OP_IF: tn_ptx_if(x, u); return;
    case TINY_OP_PICK: tn_ptx_pick(x, u); return;
    case TINY_OP_LANE: case TINY_OP_BROADCAST: case TINY_OP_STACK: tn_ptx_lanes(x, u); return;
    case TINY_OP_SHUFFLE: tn_ptx_shuffle(x, u); return;
    case TINY_OP_WMMA: tn_ptx_matrix(x, u); return;
    default: break;
  }
  tn_ptx_guard_partial(x, u);
  switch (u->op) {
    case TINY_OP_BITCAST: tn_ptx_bitcast(x, u); break;
    case TINY_OP_CAST: tn_ptx_cast_all(x, u); break;
    default: tn_ptx_elementwise(x, u);
  }
  tn_ptx_unguard(x);
}
// Do products wait while u is done? Not for what they give, nor where memory or the place changes.
static int tn_ptx_leaves_batch(const tn_ptx *x, const tiny_uop *u) {
  const int reg = (u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE) && tn_is_reg(u->src[0]->src[0]);
  const int last = x->last[u->seq];
  switch (u->op) {
    case TINY_OP_WMMA: case TINY_OP_INDEX: return 1;
    case TINY_OP_LOAD: return !reg || (last < x->k->n && x->k->list[last]->op == TINY_OP_WMMA);    // a sum so far
    case TINY_OP_STORE:                    // of one that was added to in place
      return reg && tn_ptx_in_registers(x, u->src[0]) && u->src[1]->op == TINY_OP_WMMA &&
          x->elements[u->src[1]->seq] == tn_ptx_reg_at(x, u->src[0]);
    case TINY_OP_BARRIER: case TINY_OP_RANGE: case TINY_OP_END: case TINY_OP_IF: case TINY_OP_ENDIF: case TINY_OP_BULK:
    case TINY_OP_BULKSTORE: return 0;
    default: break;
  }
  for (uint32_t j = 0; j < u->nsrc; j++) if (u->src[j]->op == TINY_OP_WMMA) return 0;
  return 1;
}
// Where loops and conditions begin and end, and at barriers, products that were started are waited for.
static void tn_ptx_before(tn_ptx *x, const tiny_uop *u) {
  const int op = u->op, begins = op == TINY_OP_RANGE || op == TINY_OP_IF;
  if (x->batch.n && !tn_ptx_leaves_batch(x, u)) tn_ptx_flush(x);
  const int ends = begins || op == TINY_OP_BARRIER || op == TINY_OP_END || op == TINY_OP_ENDIF;
  if (op == TINY_OP_END && x->tensor && x->overlaps == x->level[x->depth].opened) tn_ptx_tensor_turn(x);
  else if (ends) tn_ptx_tensor_wait(x);
  if (ends) tn_ptx_wait_box_stores(x);
  if (begins) x->met = 0;
}
static void tn_ptx_statement(tn_ptx *x, const tiny_uop *u) {
  if (x->idle[u->seq]) return;
  tn_ptx_before(x, u);
  if (tn_ptx_is_by_unit(u)) return;
  switch (u->op) {
    case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: return;
    case TINY_OP_BARRIER: tn_ptx_barrier(x, u); return;
    case TINY_OP_END: tn_ptx_end(x); if (x->tensor) tn_ptx_kept_at_end(x, u); return;
    case TINY_OP_ENDIF: tn_ptx_endif(x); return;
    default: break;
  }
  if (!x->needed[u->seq] || (x->tensor && tn_ptx_of_kept(x, u))) return;
  tn_ptx_node(x, u);
  if (u->op == TINY_OP_DEFINE && (x->wants[u->seq] & TN_PTX_KEPT)) tn_ptx_keep(x, u, tn_ptx_kept_product(x, u));
  if (u->dtype != TINY_VOID && u->op != TINY_OP_DEFINE && u->op != TINY_OP_AFTER)
    tn_ptx_complete(x, u);
}

// The tables of a kernel's nodes. 0: there is no memory for them.
static int tn_ptx_tables(tn_ptx *x) {
  const size_t n = (size_t)x->k->n + 1;
  size_t indices = 1, steps = 64;
  for (int i = 0; i < x->k->n; i++) indices += x->k->list[i]->op == TINY_OP_INDEX;
  while (steps < 2 * indices * (TN_PTX_TERMS / 2 + 1)) steps *= 2;
  x->elements = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->words = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->last = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->block = (const tiny_uop **)tn_ptx_scratch(x->t, n * sizeof *x->block);
  x->under = (const tiny_uop **)tn_ptx_scratch(x->t, n * sizeof *x->under);
  x->wants = (uint8_t *)tn_ptx_scratch(x->t, 7 * n);
  x->sum = (tn_ptx_sum *)tn_ptx_scratch(x->t, indices * sizeof *x->sum);
  x->step = (tn_ptx_step *)tn_ptx_scratch(x->t, steps * sizeof *x->step);
  x->level = (tn_ptx_level *)tn_ptx_scratch(x->t, TN_PTX_DEPTH * sizeof *x->level);
  if (!x->elements || !x->words || !x->last || !x->block || !x->under || !x->wants || !x->sum || !x->step || !x->level)
    return 0;
  x->zeros = x->wants + n; x->needed = x->zeros + n; x->inside = x->needed + n; x->constant = x->inside + n;
  x->partial = x->constant + n; x->idle = x->partial + n;
  x->nstep = (int)steps;
  memset(x->constant, 1, n);
  return 1;
}

static void tn_ptx_entry(const tn_ptx *x, const tn_ptx *producer, tiny_bytes *out) {
  static const char kinds[] = "phrdfg";
  const int64_t threads = tn_ptx_items(x) + x->beside;
  tn_ptx_text(out, ".visible .entry %s(.param .align 8 .b8 v[%d]", x->k->name, 8 * TN_PTX_PARAMETERS);
  if (x->nmap) tn_ptx_text(out, ", .param .align 64 .b8 m[%d]", TN_PTX_MAP_NBYTES * x->nmap);
  tn_ptx_text(out, ")\n");
  tn_ptx_text(out, "\t.reqntid %lld, 1, 1\n", (long long)threads);
  if (producer) tn_ptx_text(out, "\t.maxnreg %d\n", tn_ptx_launched_registers(x));
  else tn_ptx_text(out, "\t.minnctapersm 1\n");
  if (x->cluster > 1) tn_ptx_text(out, "\t.reqnctapercluster %d, 1, 1\n", x->cluster);
  tn_ptx_text(out, "{\n");
  for (int i = 0; i < TN_PTX_CLASSES; i++) {
    const long long n = (long long)(producer ? producer : x)->registers[i] + 1;      // they are numbered from 1 on
    if (n > 1) tn_ptx_text(out, "\t.reg .%s %%%c<%lld>;\n", tn_ptx_bare(kinds[i]), kinds[i], n);
  }
  if (x->declares.n) tiny_bytes_add(out, x->declares.data, x->declares.n);
  if (x->level->body.n) tiny_bytes_add(out, x->level->body.data, x->level->body.n);
  tn_ptx_text(out, "\tret;\n");
  if (producer) tiny_bytes_add(out, producer->level->body.data, producer->level->body.n);
  tn_ptx_text(out, "}\n");
  tn_ptx_maps_text(x, out);
}

// The version of PTX that a target came with (PTX ISA, "Release Notes").
static int tn_ptx_version(int sm, int own) {
  static const struct { int sm, plain, own; } versions[] = {
    {75, 63, 63}, {80, 70, 70}, {86, 71, 71}, {87, 74, 74}, {89, 78, 78}, {90, 78, 80}, {100, 86, 86}, {103, 88, 88},
    {110, 90, 90}, {120, 87, 87}, {121, 88, 88}};
  int v = 90;
  for (size_t i = sizeof versions / sizeof *versions; i-- > 0;)
    if (versions[i].sm >= sm) v = own ? versions[i].own : versions[i].plain;
  return v;
}

typedef struct tn_ptx_target { const char *name; int sm, own; } tn_ptx_target;   // own: with what its family has alone

enum { TN_PTX_USES_BOXES = 1 << 16 };      // of what a kernel uses, beside a version

// What is to be known before a line is written, of the warps of a role.
static tiny_code tn_ptx_look(tn_ptx *x, tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, int role) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  memset(x, 0, sizeof *x);
  x->t = x->declares.t = x->batch.t = x->copies.t = t; x->k = k; x->sm = target->sm; x->role = role;
  x->version = tn_ptx_version(target->sm, target->own);
  x->beside = tn_producer_threads(k->list, k->n);
  if (!tn_ptx_tables(x)) return TINY_E_MEMORY;
  x->depth = -1;
  tn_ptx_open(x, NULL);
  tn_ptx_place(x);
  for (int i = 0; i < k->n && !x->failed; i++)
    if (k->list[i]->op == TINY_OP_INDEX) tn_ptx_sum_of(x, k->list[i]->src[1], tn_ptx_sum_at(x, k->list[i]));
  tn_ptx_survey_boxes(x);
  tn_ptx_count_box_stores(x);
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (!tn_ptx_loads_matrices(u)) continue;
    x->by_unit = 1;
    x->fences |= !tn_ptx_holds_boxes(x, tn_memory_behind(u->src[0]->src[0]));
  }
  if (role) tn_ptx_survey_role(x);
  if (!x->failed) { tn_ptx_survey(x); tn_ptx_survey_registers(x); }
  return x->failed ? TINY_E_INTERNAL : TINY_OK;
}
// The warps that only copy: registers and labels go on from those of the others.
static int tn_ptx_producer(tn_ptx *p, const tn_ptx *x, const tiny_renderer *r) {
  if (tn_ptx_look(p, x->t, r, x->k, TN_PTX_PRODUCES) != TINY_OK) return 0;
  memcpy(p->registers, x->registers, sizeof p->registers);
  p->labels = x->labels; p->cluster = x->cluster; p->slot_at = x->slot_at;
  tn_ptx_survey_maps(p);
  tn_ptx_begin_producer(p);
  for (int i = 0; i < x->k->n && !p->failed; i++) tn_ptx_statement(p, x->k->list[i]);
  if (!p->failed) tn_ptx_end_producer(p);
  return !p->failed;
}
static tiny_code tn_ptx_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                               uint64_t *uses) {
  tn_ptx x, producer;
  tiny_code code = tn_ptx_look(&x, t, r, k, TN_PTX_ALL);
  if (code != TINY_OK) return code;
  if (x.by_unit) tn_ptx_tensor_survey(&x);
  if (x.tensor && x.beside) tn_ptx_fail(&x, "a producer");
  const int produces = !x.failed && tn_ptx_produces(&x),
            cluster = x.nbulk && !x.failed && (produces || !x.beside) ? tn_ptx_cluster(&x, produces) : 1;
  if (produces) code = tn_ptx_look(&x, t, r, k, TN_PTX_CONSUMES);
  if (code != TINY_OK) return code;
  x.cluster = cluster;
  tn_ptx_survey_maps(&x);
  tn_ptx_survey_box_stores(&x);
  if (x.tensor && !x.failed) tn_ptx_tensor_open(&x);
  tn_ptx_begin_boxes(&x);
  tn_ptx_begin_box_stores(&x);
  if (x.beside && !x.failed) tn_ptx_begin_consumers(&x);
  for (int i = 0; i < k->n && !x.failed; i++) tn_ptx_statement(&x, k->list[i]);
  tn_ptx_wait_box_stores(&x);
  if (x.tensor && !x.failed) tn_ptx_tensor_close(&x);
  if (x.failed || (produces && !tn_ptx_producer(&producer, &x, r))) return TINY_E_INTERNAL;
  tn_ptx_entry(&x, produces ? &producer : NULL, out);
  *uses = (uint64_t)x.version | (x.nbulk || x.box_stores ? TN_PTX_USES_BOXES : 0);
  return TINY_OK;
}
static tiny_code tn_ptx_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                               tiny_bytes *out) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  uint64_t version = (uint64_t)tn_ptx_version(target->sm, target->own);
  (void)t;
  int align = 16;
  for (int i = 0; i < n; i++) {
    const uint64_t least = kernels[i].uses & (TN_PTX_USES_BOXES - 1);
    if (least > version) version = least;
    if (kernels[i].uses & TN_PTX_USES_BOXES) align = TN_BOX_ALIGN;
  }
  tn_ptx_text(out, ".version %d.%d\n.target %s\n", (int)version / 10, (int)version % 10, target->name);
  tn_ptx_text(out, ".address_size 64\n.visible .global .align 4 .u32 tiny_values = %d;\n", TN_PTX_PARAMETERS);
  tn_ptx_text(out, ".extern .shared .align %d .b8 tiny_shared[];\n", align);
  for (int i = 0; i < n; i++) tiny_bytes_add(out, kernels[i].data, kernels[i].n);
  return TINY_OK;
}

// ** the descriptor **

// limits.dtypes: all but narrow floats. limits.atomics: what red adds to (PTX ISA, red).
#define TN_PTX_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                             (uint64_t)1 << TINY_F8E5M2))
#define TN_PTX_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_I64 | \
                        (uint64_t)1 << TINY_U64 | (uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)

static const tn_ptx_target tn_ptx_targets[] = {
  {"sm_75", 75, 0}, {"sm_80", 80, 0}, {"sm_86", 86, 0}, {"sm_87", 87, 0}, {"sm_89", 89, 0}, {"sm_90", 90, 0},
  {"sm_90a", 90, 1}, {"sm_100", 100, 0}, {"sm_100a", 100, 1}, {"sm_103", 103, 0}, {"sm_103a", 103, 1},
  {"sm_110", 110, 0}, {"sm_110a", 110, 1}, {"sm_120", 120, 0}, {"sm_120a", 120, 1}, {"sm_121", 121, 0},
  {"sm_121a", 121, 1}};

// limits.unit_tiles and .unit_rows of the target: 256 columns (PTX ISA, wgmma.mma_async, which sm_90a alone has,
// tcgen05.mma), of 128 rows of four warps; but for the products of integers that sm_103a has not (there, kind::i8),
// which are done as those of sm_80: limits.unit_dtypes.
static int tn_ptx_unit_rows(const char *target) {
  return strcmp(target, "sm_100a") && strcmp(target, "sm_103a") && strcmp(target, "sm_110a") ? 0 : 2;
}
static uint64_t tn_ptx_unit_dtypes(const char *target) {
  return strcmp(target, "sm_103a") ? 0 : ~((uint64_t)1 << TINY_I8);
}
static int tn_ptx_unit_tiles(const char *target) {
  return strcmp(target, "sm_90a") && !tn_ptx_unit_rows(target) ? 0 : 32;
}

// limits.producers of the target: setmaxnreg, which gives their registers to the others, came with sm_90a.
static int tn_ptx_produces_for(const char *target) { return !strcmp(target, "sm_90a"); }

// target: "sm_90a". 0: it is none of them.
static int tn_lang_ptx(tiny_renderer *r, const char *target) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  static const uint8_t others[] = {TINY_OP_CAST, TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK,
                                   TINY_OP_LOAD, TINY_OP_STORE, TINY_OP_WMMA};
  memset(r, 0, sizeof *r);
  r->name = "PTX"; r->file = "ptx";
  for (size_t i = 0; i < sizeof tn_ptx_targets / sizeof *tn_ptx_targets; i++)
    if (!strcmp(target, tn_ptx_targets[i].name)) r->own = &tn_ptx_targets[i];
  if (!r->own) return 0;
  for (int i = 0; i < TN_PTX_FORMS; i++) r->ops[tn_ptx_forms[i].op] = on;
  for (size_t i = 0; i < sizeof others; i++) r->ops[others[i]] = on;
  r->ops[TINY_OP_SHUFFLE] = TINY_ON_ELEMENTS;
  const int sm = ((const tn_ptx_target *)r->own)->sm;
  for (int d = TINY_BOOL; d <= TINY_F64; d++) r->dtypes |= (uint64_t)(!tn_ptx_is_fp8(d) || sm >= 89) << d;
  r->narrow = tn_ptx_narrow_dtypes(sm);
  r->atomics = TN_PTX_ATOMICS;
  r->dots = 1u << TINY_DOT_U8_I8;          // PTX ISA, dp4a
  r->exp2_ulps = 4;                        // as lang_cuda.c
  r->flags = TINY_TARGET_SATURATES | TINY_TARGET_SHIFTS | TINY_TARGET_STREAMS | TINY_TARGET_TAKES_LOCAL |
      TINY_TARGET_ALIGNED | TINY_TARGET_ROWS;
  if (sm >= 80) r->flags |= TINY_TARGET_COPIES;
  if (sm >= 90) r->flags |= TINY_TARGET_BOXES;
  if (tn_ptx_unit_tiles(target)) r->flags |= TINY_TARGET_MATRICES;
  r->kernel = tn_ptx_kernel;
  r->module = tn_ptx_module;
  return 1;
}
#endif
// ---- end src/cuda/../render/ptx.c ----
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
  MAYBE(tensor_map, "cuTensorMapEncodeTiled", (void *out, int type, unsigned dims, void *address, \
    const uint64_t *extents, const uint64_t *strides, const unsigned *box, const unsigned *each, int interleave, \
    int swizzle, int promotion, int beyond)) \
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
#include "../render/ptx.c"
#endif

enum { TN_CUDA_MARKS = 4, TN_CUDA_CHUNKS = 4, TN_CUDA_CHUNK = 4 << 20, TN_CUDA_GRAPHS = 16 };

typedef struct tn_cuda_block { tn_cu_ptr at; uint64_t used; } tn_cuda_block;    // at 0: free
typedef struct tn_cuda_mark { void *event; uint64_t place; } tn_cuda_mark;
typedef struct tn_cuda_chunk { char *at; void *event; size_t fill; int busy; } tn_cuda_chunk;
typedef struct tn_cuda_stamp { uint64_t *out; void *from, *to; } tn_cuda_stamp;

typedef struct tn_cuda {
  tiny_ctx *t; tn_cuda_driver cu; tn_nvrtc rtc;
  int by_c;                                // 1: kernels are written in CUDA C, for NVRTC; 0: in PTX, for the driver
  int compiler;                            // NVRTC: 0 not looked for, 1 there, -1 missing
  int device, sm, primary, pools, lost;    // sm: 90 of compute capability 9.0; lost: the CUresult
  void *ctx, *stream, *copies, *copied;    // copies: of bytes from the host; copied: the event behind the last one
  int own_stream;
  char name[24], target[16], gpu[96];
  int max_threads, grid[3], block[3], shared;
  uint64_t given, done;                    // places in the order: of what was given last; known to have happened
  uint64_t waited;                         // the place from which on all comes behind another device's event
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
// The least version of PTX that a kernel of the renderer's target has: 83 of 8.3.
static int tn_cuda_ptx_least(const tiny_renderer *r) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  return tn_ptx_version(target->sm, target->own);
}
// PTX, if the driver reads what is needed for the GPU: CUDA 11.4 has PTX 7.4, 12.0 has 8.0 and so on (PTX ISA,
// "Release Notes"); products of fp8 want 8.4. $TINY_CUDA_LANGUAGE says otherwise.
static void tn_cuda_language(tn_cuda *d) {
  const char *wish = getenv("TINY_CUDA_LANGUAGE");
  tiny_renderer ptx;
  int version = 0;
  if (d->cu.driver_version(&version)) version = 0;
  const int major = version / 1000, minor = version % 1000 / 10, late = major == 12 && minor > 5,   // 12.6 has 8.5
            reads = 10 * (major - 4) + minor - late;
  d->by_c = !tn_lang_ptx(&ptx, d->target) || reads < (d->sm >= 89 ? 84 : 74) || reads < tn_cuda_ptx_least(&ptx);
  if (wish && *wish) d->by_c = !strcmp(wish, "C");
}
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
  snprintf(d->target, sizeof d->target, "sm_%d%s", d->sm, d->sm >= 90 ? "a" : "");
  out->warp = warp;
  out->compute_units = processors;
  out->vector_nbytes = 16; out->vector_registers = 255;
  out->copies_async = d->sm >= 80;          // PTX ISA, cp.async
  out->units = tiny_warp_units(d->target, &out->nunits);
  tn_cuda_language(d);
  out->copies_boxes = !d->by_c && d->sm >= 90 && d->cu.tensor_map != NULL;
  out->cluster = out->copies_boxes ? 4 : 0;    // 8 run anywhere (CUDA C++ Programming Guide, "Thread Block Clusters")
  out->unit_tiles = d->by_c ? 0 : tn_ptx_unit_tiles(d->target);
  out->unit_rows = d->by_c ? 0 : tn_ptx_unit_rows(d->target);
  out->producers = out->copies_boxes && tn_ptx_produces_for(d->target);
  out->unit_dtypes = tn_ptx_unit_dtypes(d->target);
  out->dtypes = TN_CUDA_ARITHMETIC; out->atomics = TN_CUDA_ATOMICS;
  out->shared_nbytes = (size_t)d->shared - (out->unit_rows ? TN_PTX_TENSOR_NBYTES : 0);
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
  if (used < d->waited) used = d->waited;  // another device may read what is written
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
// compile: CUDA C -> cubin, by NVRTC; PTX stays what it is.
//
// In:    texts. Out: a cubin for the device's architecture; PTX, which the driver compiles when it is loaded, where it
//        was that, or NVRTC is older than the device; or what the compiler says.
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
static int tn_cuda_is_ptx(const tiny_bytes *source) { return source->n > 8 && !memcmp(source->data, ".version", 8); }
static tiny_code tn_cuda_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_cuda *d = (tn_cuda *)dev;
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    if (tn_cuda_is_ptx(&source[i])) { tiny_bytes_add(&binary[i], source[i].data, source[i].n); continue; }
    code = tn_cuda_compiler(d);
    if (code == TINY_OK) code = tn_cuda_compile_one(d, source[i].data, &binary[i], log);
  }
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
#include "../render/ptx_maps.c"
#endif

enum { TN_CUDA_PARAMETERS = 511, TN_CUDA_SHARED_FREE = 48 << 10 };   // 4 KiB of parameters in every release

typedef struct tn_cuda_kernel {
  struct tn_cuda_kernel *next; struct tn_cuda_module *module;
  void *func; int threads, shared; char name[64];            // the most items of a group; LOCAL memory that is allowed
  int parameters, number;                  // of a foreign one, -1: not known; the first that is no pointer
  int nmap; uint64_t map[TN_PTX_MAPS][TN_PTX_MAP_WORDS];     // tensors that it copies boxes of (render/ptx_maps.c)
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
// Which tensors it wants, as its module says.
static int tn_cuda_maps(tn_cuda *d, tn_cuda_kernel *k) {
  char name[sizeof k->name + 8];
  tn_cu_ptr at;
  size_t nbytes;
  snprintf(name, sizeof name, "%s_maps", k->name);
  if (!k->module->words || d->by_c || d->cu.module_global(&at, &nbytes, k->module->handle, name)) return 0;
  if (nbytes > sizeof k->map || nbytes % sizeof k->map[0]) return TN_CU_INVALID_VALUE;
  int result = d->cu.copy_out(k->map, at, nbytes, d->stream);
  if (!result) result = d->cu.stream_sync(d->stream);
  k->nmap = (int)(nbytes / sizeof k->map[0]);
  for (int i = 0; i < k->nmap && !result; i++)
    if (!tn_ptx_map_is_sound(k->map[i], TN_CUDA_VALUES)) result = TN_CU_INVALID_VALUE;
  return result;
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
    result = tn_cuda_maps(d, k);
    if (result) {
      tn_cuda_failed(d, result, "reading a kernel's tensors");
      tiny_realloc(d->t, k, sizeof *k, 0);
      k = NULL;
    }
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
// As many as a launch of the kernel has; tensors come behind words.
enum { TN_CUDA_MAP_VALUES = TN_PTX_MAP_NBYTES / 8 };
static int tn_cuda_values(const tiny_launch *l) {
  const tn_cuda_kernel *k = (const tn_cuda_kernel *)l->kernel;
  return k->module->words ? (int)TN_CUDA_VALUES + TN_CUDA_MAP_VALUES * k->nmap : l->nmem + l->nargs;
}
// CUDA driver API, "Tensor Map Object Management": integers of the elements' size, no interleave, swizzle of 128 bytes,
// lines of L2 of 256 bytes, zeros beyond.
static int tn_cuda_map(const tn_cuda *d, const uint64_t *word, uint64_t address, uint64_t *out) {
  enum { U8, U16, U32, U64 = 4, SWIZZLE_128 = 3, PROMOTE_256 = 3, LINE = 64 };
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)word[TN_MAP_DTYPE]);
  const unsigned dims = (unsigned)word[TN_MAP_DIMS];
  unsigned box[TN_BOX_DIMS] = {0}, each[TN_BOX_DIMS] = {1, 1, 1, 1, 1};
  char room[TN_PTX_MAP_NBYTES + (int)LINE], *at = room + LINE - (uintptr_t)room % LINE;           // aligned
  for (unsigned i = 0; i < dims; i++) box[i] = (unsigned)word[TN_MAP_BOX + i];
  const int result = d->cu.tensor_map(at, nbytes == 1 ? U8 : nbytes == 2 ? U16 : nbytes == 4 ? U32 : U64, dims,
                                      (void *)(uintptr_t)address, word + TN_MAP_EXTENT, word + TN_MAP_STRIDE + 1, box,
                                      each, 0, SWIZZLE_128, PROMOTE_256, 0);
  if (!result) memcpy(out, at, TN_PTX_MAP_NBYTES);
  return result;
}
static tiny_code tn_cuda_call_maps(tn_cuda *d, const tiny_launch *l, tn_cuda_call *c) {
  const tn_cuda_kernel *k = (const tn_cuda_kernel *)l->kernel;
  for (int i = 0; i < k->nmap; i++) {
    const uint64_t slot = k->map[i][TN_MAP_PARAM];
    const int result = !d->cu.tensor_map || slot >= (uint64_t)l->nmem ? (int)TN_CU_INVALID_VALUE :
        tn_cuda_map(d, k->map[i], c->value[slot], c->value + TN_CUDA_VALUES + TN_CUDA_MAP_VALUES * i);
    if (result) return tn_cuda_failed(d, result, k->name);
  }
  if (k->nmap) c->param[1] = &c->value[TN_CUDA_VALUES];
  return TINY_OK;
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
  const int words = k->module->words, n = words ? (int)TN_CUDA_VALUES : tn_cuda_values(l);
  if (words) memset(c->value, 0, TN_CUDA_VALUES * sizeof *c->value);
  for (int i = 0; i < l->nmem; i++) { c->value[i] = tn_cuda_at(l->mem[i]); tn_cuda_use(d, l->mem[i]); }
  for (int i = 0; i < l->nargs; i++) c->value[words ? n - 1 - i : l->nmem + i] = (uint64_t)l->args[i];
  for (int i = 0; i < n; i++) c->param[i] = &c->value[i];
  return tn_cuda_call_maps(d, l, c);
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
  d->waited = ++d->given;
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
  const tn_cuda *d = (const tn_cuda *)dev;
  if (d->by_c) tn_lang_cuda(out, d->sm);
  else tn_lang_ptx(out, d->target);
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
static
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

    102  src/cuda/../base/library.c           shared libraries that are loaded while the program runs:
                                              drivers, which a program is not linked with
    158  src/cuda/../base/digits.c            whole numbers in text without a sign: of devices, of versions,
                                              of addresses
    185  src/cuda/../ir/listing.c             what the nodes of a kernel's list say, by what tiny.h shows to
                                              everyone: renderers stand in companion headers, too, and those
                                              see nothing else of the library
    337  src/cuda/../render/lang_cuda.c       the descriptor of CUDA C, and of HIP C, which is the same but
                                              for the words below: an element at a time or vectors of 2, 4, 8
                                              or 16
    702  src/cuda/../render/ptx_values.c      values of PTX: registers, numbers, and what is computed of them,
                                              an element at a time
   1329  src/cuda/../render/ptx_pairs.c       two elements by one instruction
   1397  src/cuda/../render/ptx_memory.c      what PTX reads and writes: addresses, loads, stores and copies;
                                              and what is to be known before
   1920  src/cuda/../render/ptx_wgmma.c       products of all columns of a warp at once, of which four warps
                                              of sm_90a make one (PTX ISA, wgmma)
   2054  src/cuda/../render/ptx_tcgen05.c     products of all rows and columns of four warps, which sm_100a's
                                              units sum in memory of their own (PTX ISA, "TensorCore 5th
                                              Generation Family Instructions", and there "Tensor Memory",
                                              "Matrix Descriptors", "Canonical Layouts", "Data Path Layout
                                              Organization", "Memory Consistency Model")
   2454  src/cuda/../render/ptx_maps.c        which tensors a kernel in PTX copies boxes of, as numbers in its
                                              module
   2494  src/cuda/../render/ptx_bulk.c        boxes of tensors that the device copies by itself (PTX ISA,
                                              cp.async.bulk.tensor and mbarrier; sm_90 on)
   2776  src/cuda/../render/ptx_producer.c    warps that only copy boxes, beside those that multiply (PTX ISA,
                                              mbarrier, mapa, setmaxnreg)
   2954  src/cuda/../render/ptx_box_stores.c  boxes of shared memory that the device copies to tensors by
                                              itself (PTX ISA, cp.async.bulk.tensor, .global.shared::cta;
                                              sm_90 on)
   3037  src/cuda/../render/ptx.c             a program -> PTX, NVIDIA's virtual machine code, for sm_75 and
                                              later
   3671  src/cuda/driver.c                    the CUDA driver and NVRTC as they are called here: own
                                              declarations, loaded while the program runs
   3861  src/cuda/device.c                    a GPU, its CUDA context and stream: opened, closed; what its
                                              driver says is wrong
   4093  src/cuda/memory.c                    of the device: given out and freed in the order of its stream;
                                              bytes to it, from it, between two devices
   4321  src/cuda/compile.c                   CUDA C -> cubin, by NVRTC; PTX stays what it is
   4412  src/cuda/module.c                    binaries -> modules -> kernels -> launches in the device's
                                              stream
   4699  src/cuda/graph.c                     launches that are handed over together again and again, as one
                                              CUDA graph
   4864  src/cuda/stream.c                    a device's stream as others see it: events in it, that all of it
                                              has happened, opened and closed
   4976  src/cuda/backend.c                   the one object of tiny_cuda.h
*/
