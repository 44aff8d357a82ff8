// metal_stub: what a kernel in Metal takes for granted, as C++ for clang on this machine: types, vectors, the functions
// that src/render/lang_metal.c names. `device` is a space of addresses of its own, so that pointers into it and others
// are told apart; threadgroup memory is the host's. What runs a kernel says in metal_meet how its items meet.
#ifndef METAL_STUB_H
#define METAL_STUB_H
#define device __attribute__((address_space(1)))
#define threadgroup
#define constant const

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef __bf16 bfloat;
// What clang calls for the conversion, which libraries of compilers older than it lack. The result lies where that of a
// float does, in its low half.
extern "C" __attribute__((weak, used)) float __truncsfbf2(float x) {
  const uint bits = __builtin_bit_cast(uint, x);
  return __builtin_bit_cast(float, x != x ? 0x7FC0u : (bits + (bits >> 16 & 1) + 0x7FFF) >> 16);
}

// L lanes as they lie in memory, and as a value.
template <typename T, int L> struct metal_packed {
  typedef T type __attribute__((ext_vector_type(L), aligned(alignof(T))));
};
template <typename T, int L> struct metal_vector;
template <typename T> struct metal_vector<T, 2> {
  typedef typename metal_packed<T, 2>::type packed;
  T at[2];
  metal_vector() = default;
  explicit metal_vector(T x) : at{x, x} {}
  metal_vector(T x, T y) : at{x, y} {}
  template <typename U> explicit metal_vector(metal_vector<U, 2> v) : at{T(v.at[0]), T(v.at[1])} {}
  explicit metal_vector(packed v) : at{v[0], v[1]} {}
  explicit operator packed() const { packed p = {at[0], at[1]}; return p; }
  T &operator[](int i) { return at[i]; }
  const T &operator[](int i) const { return at[i]; }
};
template <typename T> struct metal_vector<T, 3> {
  T at[3];
  const T &operator[](int i) const { return at[i]; }
};
template <typename T> struct metal_vector<T, 4> {
  typedef typename metal_packed<T, 4>::type packed;
  union { T at[4]; struct { metal_vector<T, 2> xy, zw; }; };
  metal_vector() = default;
  explicit metal_vector(T x) : at{x, x, x, x} {}
  metal_vector(T x, T y, T z, T w) : at{x, y, z, w} {}
  template <typename U> explicit metal_vector(metal_vector<U, 4> v)
      : at{T(v.at[0]), T(v.at[1]), T(v.at[2]), T(v.at[3])} {}
  explicit metal_vector(packed v) : at{v[0], v[1], v[2], v[3]} {}
  explicit operator packed() const { packed p = {at[0], at[1], at[2], at[3]}; return p; }
  T &operator[](int i) { return at[i]; }
  const T &operator[](int i) const { return at[i]; }
};

#define METAL_LANES(R, name, value) \
  template <typename T, int L> inline metal_vector<R, L> name(metal_vector<T, L> x, metal_vector<T, L> y) { \
    metal_vector<R, L> z; for (int i = 0; i < L; i++) z[i] = R(value); return z; }
METAL_LANES(T, operator+, x[i] + y[i]) METAL_LANES(T, operator-, x[i] - y[i]) METAL_LANES(T, operator*, x[i] * y[i])
METAL_LANES(T, operator/, x[i] / y[i]) METAL_LANES(T, operator%, x[i] % y[i]) METAL_LANES(T, operator&, x[i] & y[i])
METAL_LANES(T, operator|, x[i] | y[i]) METAL_LANES(T, operator^, x[i] ^ y[i]) METAL_LANES(T, operator<<, x[i] << y[i])
METAL_LANES(T, operator>>, x[i] >> y[i]) METAL_LANES(bool, operator<, x[i] < y[i])
METAL_LANES(bool, operator!=, x[i] != y[i]) METAL_LANES(bool, operator==, x[i] == y[i])
METAL_LANES(bool, operator&&, x[i] && y[i]) METAL_LANES(bool, operator||, x[i] || y[i])
template <typename T, int L> inline metal_vector<T, L> operator-(metal_vector<T, L> x) {
  for (int i = 0; i < L; i++) x[i] = T(-x[i]);
  return x;
}

#define METAL_VECTORS(T) \
  typedef metal_vector<T, 2> T##2; typedef metal_vector<T, 3> T##3; typedef metal_vector<T, 4> T##4;
METAL_VECTORS(bool) METAL_VECTORS(char) METAL_VECTORS(uchar) METAL_VECTORS(short) METAL_VECTORS(ushort)
METAL_VECTORS(int) METAL_VECTORS(uint) METAL_VECTORS(long) METAL_VECTORS(ulong) METAL_VECTORS(half) METAL_VECTORS(float)
METAL_VECTORS(bfloat)
#define METAL_PACKED(T) typedef metal_packed<T, 2>::type packed_##T##2; typedef metal_packed<T, 4>::type packed_##T##4;
METAL_PACKED(char) METAL_PACKED(uchar) METAL_PACKED(short) METAL_PACKED(ushort) METAL_PACKED(int) METAL_PACKED(uint)
METAL_PACKED(long) METAL_PACKED(ulong) METAL_PACKED(half) METAL_PACKED(float) METAL_PACKED(bfloat)

template <typename to, typename from> inline to as_type(from x) {
  static_assert(sizeof(to) == sizeof(from), "as_type changes no size");
  return __builtin_bit_cast(to, x);
}

extern "C" {
  extern void (*metal_meet)(void);
  typedef unsigned long long trade(unsigned long long word, unsigned mask);
  extern trade *metal_trade;
}
namespace metal {
  enum class mem_flags { mem_none, mem_device, mem_threadgroup };
  enum memory_order { memory_order_relaxed };                // one item runs at a time
  struct atomic_int { int x; }; struct atomic_uint { uint x; }; struct atomic_float { float x; };
  template <typename A, typename T> inline void atomic_fetch_add_explicit(device A *p, T x, memory_order) { p->x += x; }
  inline void threadgroup_barrier(mem_flags) { metal_meet(); }
  // what has one word of 64 bits or less
  template <typename T> inline T simd_shuffle_xor(T x, ushort mask) {
    unsigned long long word = 0;
    __builtin_memcpy(&word, &x, sizeof x);
    word = metal_trade(word, mask);
    __builtin_memcpy(&x, &word, sizeof x);
    return x;
  }
  inline float trunc(float x) { return __builtin_truncf(x); }
  namespace precise {
    inline float sqrt(float x) { return __builtin_sqrtf(x); }
    // as far off as it may be (8.4), and farther: up or down, as bits of x have it
    inline float exp2(float x) {
      const float by = 0x1p-17f;
      return __builtin_exp2f(x) * (__builtin_bit_cast(uint, x) >> 13 & 1 ? 1 + by : 1 - by);
    }
  }
  template <int L> inline metal_vector<float, L> trunc(metal_vector<float, L> x) {
    for (int i = 0; i < L; i++) x[i] = trunc(x[i]);
    return x;
  }
  namespace precise {
    template <int L> inline metal_vector<float, L> sqrt(metal_vector<float, L> x) {
      for (int i = 0; i < L; i++) x[i] = sqrt(x[i]);
      return x;
    }
    template <int L> inline metal_vector<float, L> exp2(metal_vector<float, L> x) {
      for (int i = 0; i < L; i++) x[i] = exp2(x[i]);
      return x;
    }
  }
  template <typename T, int L>
  inline metal_vector<T, L> select(metal_vector<T, L> x, metal_vector<T, L> y, metal_vector<bool, L> c) {
    for (int i = 0; i < L; i++) x[i] = c[i] ? y[i] : x[i];
    return x;
  }
}
#endif
