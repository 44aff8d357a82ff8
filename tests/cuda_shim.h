// cuda_shim: CUDA C as C++ for one work item at a time: what a kernel's text takes for granted. mock_nvrtc puts it before.
#define CUDA_SHIM 1
#include "mock_cuda.h"
extern "C" { mock_item *mock_now; }

#define __global__
#define __grid_constant__
#define TINY_SHARED (mock_now->shared)
#define TINY_AT(type, word) (type *)mock_now->near((void *)(word))
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __constant__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define threadIdx (mock_now->item)
#define blockIdx (mock_now->group)
#define blockDim (mock_now->items)
#define gridDim (mock_now->groups)
static inline void __syncthreads() { mock_now->meet(0); }
static inline void __syncwarp(unsigned = 0xFFFFFFFFu) { mock_now->meet(1); }

template <typename to, typename from> static inline to mock_bits(from x) {
  to y; __builtin_memcpy(&y, &x, sizeof y < sizeof x ? sizeof y : sizeof x); return y;
}
static inline float __int_as_float(int x) { return mock_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return mock_bits<float>(x); }
static inline int __float_as_int(float x) { return mock_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return mock_bits<unsigned>(x); }
static inline double __longlong_as_double(long long x) { return mock_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return mock_bits<long long>(x); }
static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline double sqrt(double x) { return __builtin_sqrt(x); }
static inline float truncf(float x) { return __builtin_truncf(x); }
static inline double trunc(double x) { return __builtin_trunc(x); }
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
static inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }

// One item runs at a time.
template <typename T> static inline T atomicAdd(T *p, T x) { const T was = *p; *p = was + x; return was; }

// Lanes of a warp leave a value, meet, take one, meet.
template <typename T> static inline T mock_exchange(T x, int from) {
  mock_item *const me = mock_now;
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &x, sizeof x);
  me->lanes[me->lane] = bits;
  me->meet(1);
  T y;
  __builtin_memcpy(&y, &me->lanes[from & 31], sizeof y);
  me->meet(1);
  return y;
}
template <typename T> static inline T __shfl_sync(unsigned, T x, int lane, int width = 32) {
  const int me = mock_now->lane;
  return mock_exchange(x, (me & ~(width - 1)) | (lane & (width - 1)));
}
template <typename T> static inline T __shfl_xor_sync(unsigned, T x, int mask, int width = 32) {
  const int me = mock_now->lane, to = me ^ mask;
  return mock_exchange(x, (to | (width - 1)) == (me | (width - 1)) ? to : me);
}
template <typename T> static inline T __shfl_down_sync(unsigned, T x, unsigned by, int width = 32) {
  const int me = mock_now->lane, to = me + (int)by;
  return mock_exchange(x, (me & (width - 1)) + (int)by < width ? to : me);
}
template <typename T> static inline T __shfl_up_sync(unsigned, T x, unsigned by, int width = 32) {
  const int me = mock_now->lane;
  return mock_exchange(x, (me & (width - 1)) >= (int)by ? me - (int)by : me);
}

// ** mma.sync: what lanes hold by the formulas of PTX ISA, "Matrix Fragments for mma", which are written again here **

static inline float mock_element(const char *dtype, unsigned word, int e) {
  if (dtype[0] == 'f') return (float)mock_bits<_Float16>((unsigned short)(word >> 16 * e));
  if (dtype[0] == 'b') return mock_bits<float>(word >> 16 * e << 16);
  if (dtype[0] == 't') return mock_bits<float>(word & 0xFFFFE000u);
  const unsigned byte = word >> 8 * e & 0xFF;
  if (dtype[0] == 'i') return (float)(signed char)byte;
  const int mantissa = dtype[1] == '4' ? 3 : 2, bias = dtype[1] == '4' ? 7 : 15;
  const int exponent = (int)(byte & 0x7F) >> mantissa, rest = (int)byte & ((1 << mantissa) - 1);
  float x = (float)(exponent ? rest + (1 << mantissa) : rest);
  for (int k = bias + mantissa - (exponent ? exponent : 1); k > 0; k--) x /= 2;
  for (int k = (exponent ? exponent : 1) - bias - mantissa; k > 0; k--) x *= 2;
  return byte >> 7 ? -x : x;
}
// All lanes' words, of which each lane leaves its n.
static inline void mock_gather(const unsigned *word, int n, unsigned (*all)[32]) {
  for (int w = 0; w < n; w++) {
    mock_now->lanes[mock_now->lane] = word[w];
    mock_now->meet(1);
    for (int lane = 0; lane < 32; lane++) all[w][lane] = (unsigned)mock_now->lanes[lane];
    mock_now->meet(1);
  }
}
template <typename T> static inline void mock_mma(const char *x, const char *y, const unsigned *a, int na, const unsigned *b, int nb, T *c) {
  unsigned as[4][32], bs[2][32];
  const int lane = mock_now->lane, each = x[0] == 't' ? 1 : x[0] == 'f' || x[0] == 'b' ? 2 : 4;
  mock_gather(a, na, as);
  mock_gather(b, nb, bs);
  for (int i = 0; i < 4; i++) {            // c: rows group, group + 8, columns 2 * thread and the next
    const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
    double sum = c[i];
    for (int k = 0; k < 4 * each * nb; k++) {
      const int thread = k % (4 * each) / each, e = k % each, high = k / (4 * each);
      sum += (double)mock_element(x, as[row / 8 + 2 * high][row % 8 * 4 + thread], e) *
             mock_element(y, bs[high][column * 4 + thread], e);
    }
    c[i] = (T)sum;
  }
}
// ldmatrix.m8n8.x4, .trans and as rows lie: lane l has the address of row l % 8 of matrix l / 8.
#define TINY_ROWS 1
template <typename V, typename T> static inline V load_rows(const T *p) {
  unsigned row[4][32], word[4];
  V v;
  mock_gather((const unsigned *)(const void *)p, 4, row);
  for (int i = 0; i < 4; i++) word[i] = row[mock_now->lane % 4][8 * i + mock_now->lane / 4];
  for (int i = 0; i < V::count; i++) {
    const int each = V::count / 4;
    v.at[i] = (T)(word[i / each] >> 32 / each * (i % each));
  }
  return v;
}
template <typename V, typename T> static inline V load_turned(const T *p) {
  unsigned row[4][32];
  V v;
  mock_gather((const unsigned *)(const void *)p, 4, row);
  for (int i = 0; i < 8; i++) {
    const int lane = mock_now->lane, from = i / 2 * 8 + 2 * (lane % 4) + i % 2, e = lane / 4;
    v.at[i] = (T)(row[e / 2][from] >> 16 * (e % 2));
  }
  return v;
}
#define TINY_MATRIX(name, shape, kind, T, reg) \
  static inline lanes<T, 4> matrix_##name(lanes<unsigned, 4> a, lanes<unsigned, 2> b, lanes<T, 4> c) { \
    const char *const both = #kind, *second = both; \
    while (*second && *second != '_') second++; \
    mock_mma(both, *second ? second + 1 : both, a.at, 4, b.at, 2, c.at); return c; }
#define TINY_MATRIX_2(name, shape, kind, T, reg) \
  static inline lanes<T, 4> matrix_##name(lanes<unsigned, 2> a, unsigned b, lanes<T, 4> c) { \
    mock_mma(#kind, #kind, a.at, 2, &b, 1, c.at); return c; }

// ** a kernel's parameters, from the driver's array of pointers **

template <typename T> struct mock_value { static T of(void *p) { return *(T *)p; } };
template <typename T> struct mock_value<T *> { static T *of(void *p) { return (T *)mock_now->near(*(void **)p); } };
template <int... i> struct mock_numbers {};
template <int n, int... i> struct mock_count : mock_count<n - 1, n - 1, i...> {};
template <int... i> struct mock_count<0, i...> { typedef mock_numbers<i...> type; };
template <typename... T, int... i> static inline void mock_call_with(void (*f)(T...), void **p, mock_numbers<i...>) {
  f(mock_value<T>::of(p[i])...);
}
template <typename... T> static inline void mock_call(void (*f)(T...), void **p) {
  mock_call_with(f, p, typename mock_count<sizeof...(T)>::type());
}
template <typename... T> static inline mock_entry mock_entry_of(void (*)(T...), void (*call)(void **), int meets) {
  static const int nbytes[] = {(int)sizeof(T)..., 0};
  mock_entry e = {call, (int)sizeof...(T), nbytes, meets};
  return e;
}
#define MOCK_KERNEL(name, meets) \
  static void mock_call_##name(void **p) { mock_call(name, p); } \
  extern "C" { mock_entry mock_##name; } \
  static struct mock_make_##name { \
    mock_make_##name() { mock_##name = mock_entry_of(name, mock_call_##name, meets); } \
  } mock_made_##name;
