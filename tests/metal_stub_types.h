// metal_stub_types: what a text in Metal has without including anything, as C++14 for clang: words for spaces of
// addresses, scalars, vectors with swizzles, packed vectors.
//
// As C++ the spaces are one, that of the host. As C++ for OpenCL, whose spaces and what may be done to them
// are Metal's, pointers into them are told apart (tools/languages.py); a text is only looked at then.
// METAL_SWIZZLES_2, _3, _4: the swizzles that vectors of so many lanes have, METAL_SWIZZLE(name, lanes ..) each; all
// that the text says where metal_kernel.h compiles it.
#ifndef METAL_STUB_TYPES_H
#define METAL_STUB_TYPES_H
#ifdef __OPENCL_CPP_VERSION__
  #pragma OPENCL EXTENSION cl_khr_fp16 : enable
  #define read_write read_and_write        // words of this language
  #define atomic_int metal_atomic_int
  #define atomic_uint metal_atomic_uint
  #define atomic_ulong metal_atomic_ulong
  #define atomic_float metal_atomic_float
  #define atomic_bool metal_atomic_bool
  #define memory_order metal_memory_order
  #define memory_order_relaxed metal_memory_order_relaxed
  #define device __global
  #define threadgroup __local
  #define thread __private
#else
  #define kernel
  #define device
  #define threadgroup
  #define constant const
  #define thread
#endif
#ifndef METAL_SWIZZLES_4
  #define METAL_SWIZZLES_2 METAL_SWIZZLE(xy, 0, 1)
  #define METAL_SWIZZLES_3 METAL_SWIZZLE(xy, 0, 1) METAL_SWIZZLE(xyz, 0, 1, 2)
  #define METAL_SWIZZLES_4 METAL_SWIZZLE(xy, 0, 1) METAL_SWIZZLE(zw, 2, 3) METAL_SWIZZLE(xyz, 0, 1, 2)
#endif

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t; typedef ulong uint64_t;
#ifndef __OPENCL_CPP_VERSION__
  typedef _Float16 half;
#endif
typedef __bf16 metal_bfloat;
#if __METAL_VERSION__ >= 310
  typedef metal_bfloat bfloat;
#endif
// What clang calls for the conversion, which libraries of compilers older than it lack. The result lies where that of a
// float does, in its low half.
extern "C" __attribute__((weak, used)) float __truncsfbf2(float x) {
  const uint bits = __builtin_bit_cast(uint, x);
  return __builtin_bit_cast(float, x != x ? 0x7FC0u : (bits + (bits >> 16 & 1) + 0x7FFF) >> 16);
}

// ** vectors **

template <typename T, int L> struct metal_vector;
template <bool yes, typename T> struct metal_if {};
template <typename T> struct metal_if<true, T> { typedef T type; };
template <typename T, typename U> struct metal_same { enum { value = 0 }; };
template <typename T> struct metal_same<T, T> { enum { value = 1 }; };

// L lanes as they lie in memory at the alignment of one, and as a value.
template <typename T, int L> struct metal_packed {
  typedef T type __attribute__((ext_vector_type(L), aligned(alignof(T))));
};
template <typename T> struct metal_packed_3 {
  T x, y, z;
  metal_packed_3() = default;
  metal_packed_3(T a) : x(a), y(a), z(a) {}
  metal_packed_3(T a, T b, T c) : x(a), y(b), z(c) {}
  metal_packed_3(metal_vector<T, 3> v) : x(v.x), y(v.y), z(v.z) {}
  T &operator[](int i) { return (&x)[i]; }
  const T &operator[](int i) const { return (&x)[i]; }
};
template <typename T> struct metal_packed<T, 3> { typedef metal_packed_3<T> type; };
template <int L> struct metal_packed_bools { bool at[L]; bool operator[](int i) const { return at[i]; } };
template <> struct metal_packed<bool, 2> { typedef metal_packed_bools<2> type; };
template <> struct metal_packed<bool, 3> { typedef metal_packed_bools<3> type; };
template <> struct metal_packed<bool, 4> { typedef metal_packed_bools<4> type; };

template <int L> struct metal_place { enum { lanes = L == 3 ? 4 : L }; };

// Some lanes of a vector, as v.xy: read, and written where no lane is twice in it.
template <typename T, int L, int... lane> struct metal_swizzle {
  typedef metal_vector<T, sizeof...(lane)> value;
  T at[metal_place<L>::lanes];
  value lanes_of() const { return value(at[lane]...); }
  operator value() const { return lanes_of(); }
  metal_swizzle &operator=(const value &v) {
    const int lanes[] = {lane...};
    for (int i = 0; i < int(sizeof...(lane)); i++) at[lanes[i]] = v.at[i];
    return *this;
  }
  metal_swizzle &operator=(const metal_swizzle &v) { return *this = v.lanes_of(); }
  T operator[](int i) const { return lanes_of().at[i]; }
};
#define METAL_SWIZZLE(name, ...) metal_swizzle<T, lanes, __VA_ARGS__> name;
// A union with swizzles has none by itself.
#define METAL_ASSIGN METAL_COPY metal_vector &operator=(const metal_vector &v) { \
  for (int i = 0; i < lanes; i++) at[i] = v.at[i]; return *this; }
#ifdef METAL_IS_CHECKED                    // a copy that looks at the alignment of what it reads
  #define METAL_COPY metal_vector(const metal_vector &v) { for (int i = 0; i < lanes; i++) at[i] = v.at[i]; }
#else
  #define METAL_COPY
#endif

template <typename T> struct alignas(2 * sizeof(T)) metal_vector<T, 2> {
  typedef typename metal_packed<T, 2>::type packed;
  enum { lanes = 2 };
  union { T at[2]; struct { T x, y; }; struct { T r, g; }; METAL_SWIZZLES_2 };
  metal_vector() = default;
  metal_vector(T a) : at{a, a} {}
  METAL_ASSIGN
  metal_vector(T a, T b) : at{a, b} {}
  template <typename U> explicit metal_vector(metal_vector<U, 2> v) : at{T(v.at[0]), T(v.at[1])} {}
  template <typename U, int M, int... l, typename = typename metal_if<sizeof...(l) == lanes, U>::type>
  explicit metal_vector(const metal_swizzle<U, M, l...> &v) : metal_vector(v.lanes_of()) {}
  metal_vector(packed v) : at{v[0], v[1]} {}
  operator packed() const { packed p = {at[0], at[1]}; return p; }
  T &operator[](int i) { return at[i]; }
  const T &operator[](int i) const { return at[i]; }
};
template <typename T> struct alignas(4 * sizeof(T)) metal_vector<T, 3> {
  typedef typename metal_packed<T, 3>::type packed;
  enum { lanes = 3 };
  union { T at[4]; struct { T x, y, z; }; struct { T r, g, b; }; METAL_SWIZZLES_3 };
  metal_vector() = default;
  metal_vector(T a) : at{a, a, a} {}
  METAL_ASSIGN
  metal_vector(T a, T b, T c) : at{a, b, c} {}
  metal_vector(metal_vector<T, 2> a, T b) : at{a.x, a.y, b} {}
  metal_vector(T a, metal_vector<T, 2> b) : at{a, b.x, b.y} {}
  template <typename U> explicit metal_vector(metal_vector<U, 3> v) : at{T(v.at[0]), T(v.at[1]), T(v.at[2])} {}
  template <typename U, int M, int... l, typename = typename metal_if<sizeof...(l) == lanes, U>::type>
  explicit metal_vector(const metal_swizzle<U, M, l...> &v) : metal_vector(v.lanes_of()) {}
  metal_vector(packed v) : at{v[0], v[1], v[2]} {}
  operator packed() const { packed p = {at[0], at[1], at[2]}; return p; }
  T &operator[](int i) { return at[i]; }
  const T &operator[](int i) const { return at[i]; }
};
template <typename T> struct alignas(4 * sizeof(T)) metal_vector<T, 4> {
  typedef typename metal_packed<T, 4>::type packed;
  enum { lanes = 4 };
  union { T at[4]; struct { T x, y, z, w; }; struct { T r, g, b, a; }; METAL_SWIZZLES_4 };
  metal_vector() = default;
  metal_vector(T a) : at{a, a, a, a} {}
  METAL_ASSIGN
  metal_vector(T a, T b, T c, T d) : at{a, b, c, d} {}
  metal_vector(metal_vector<T, 2> a, metal_vector<T, 2> b) : at{a.x, a.y, b.x, b.y} {}
  metal_vector(metal_vector<T, 2> a, T b, T c) : at{a.x, a.y, b, c} {}
  metal_vector(T a, metal_vector<T, 2> b, T c) : at{a, b.x, b.y, c} {}
  metal_vector(T a, T b, metal_vector<T, 2> c) : at{a, b, c.x, c.y} {}
  metal_vector(metal_vector<T, 3> a, T b) : at{a.x, a.y, a.z, b} {}
  metal_vector(T a, metal_vector<T, 3> b) : at{a, b.x, b.y, b.z} {}
  template <typename U> explicit metal_vector(metal_vector<U, 4> v)
      : at{T(v.at[0]), T(v.at[1]), T(v.at[2]), T(v.at[3])} {}
  template <typename U, int M, int... l, typename = typename metal_if<sizeof...(l) == lanes, U>::type>
  explicit metal_vector(const metal_swizzle<U, M, l...> &v) : metal_vector(v.lanes_of()) {}
  metal_vector(packed v) : at{v[0], v[1], v[2], v[3]} {}
  operator packed() const { packed p = {at[0], at[1], at[2], at[3]}; return p; }
  T &operator[](int i) { return at[i]; }
  const T &operator[](int i) const { return at[i]; }
};

// Of what is a vector or converts to one: which. Of others: void.
template <typename A> struct metal_lanes_of { typedef void type; };
template <typename T, int L> struct metal_lanes_of<metal_vector<T, L>> { typedef metal_vector<T, L> type; };
template <typename T, int L, int... lane> struct metal_lanes_of<metal_swizzle<T, L, lane...>> {
  typedef metal_vector<T, sizeof...(lane)> type;
};
#ifdef __OPENCL_CPP_VERSION__             // which takes the space for a part of the type
  template <typename T> struct metal_lanes_of<__private T> : metal_lanes_of<T> {};
  template <typename T> struct metal_lanes_of<__global T> : metal_lanes_of<T> {};
  template <typename T> struct metal_lanes_of<__local T> : metal_lanes_of<T> {};
  template <typename T> struct metal_lanes_of<__constant T> : metal_lanes_of<T> {};
  template <typename T> struct metal_lanes_of<__generic T> : metal_lanes_of<T> {};
#endif
template <typename T> struct metal_lanes_of<metal_packed_3<T>> { typedef metal_vector<T, 3> type; };
// What two operands make: the vector that both or one of them are, where the other is a scalar.
template <typename A, typename B> struct metal_both {};
template <typename A> struct metal_both<A, A> { typedef A type; };
template <typename T, int L> struct metal_both<metal_vector<T, L>, void> { typedef metal_vector<T, L> type; };
template <typename T, int L> struct metal_both<void, metal_vector<T, L>> { typedef metal_vector<T, L> type; };
template <> struct metal_both<void, void> {};
template <typename A, typename B> struct metal_operands
    : metal_both<typename metal_lanes_of<A>::type, typename metal_lanes_of<B>::type> {};
template <typename V> struct metal_element {};
template <typename T, int L> struct metal_element<metal_vector<T, L>> {
  typedef T type; typedef metal_vector<bool, L> bools; enum { lanes = L };
};

#define METAL_BINARY(op) \
  template <typename A, typename B, typename V = typename metal_operands<A, B>::type> \
  inline V operator op(const A &a, const B &b) { \
    const V x = V(a), y = V(b); V z; \
    for (int i = 0; i < V::lanes; i++) z.at[i] = typename metal_element<V>::type(x.at[i] op y.at[i]); \
    return z; } \
  template <typename T, int L, typename B> \
  inline metal_vector<T, L> &operator op##=(metal_vector<T, L> &a, const B &b) { \
    return a = a op b; } \
  template <typename T, int L, int... lane, typename B> \
  inline metal_swizzle<T, L, lane...> &operator op##=(metal_swizzle<T, L, lane...> &a, const B &b) { \
    return a = a op b; }
#define METAL_COMPARE(op) \
  template <typename A, typename B, typename V = typename metal_operands<A, B>::type> \
  inline typename metal_element<V>::bools operator op(const A &a, const B &b) { \
    const V x = V(a), y = V(b); typename metal_element<V>::bools z; \
    for (int i = 0; i < V::lanes; i++) z.at[i] = x.at[i] op y.at[i]; \
    return z; }
METAL_BINARY(+) METAL_BINARY(-) METAL_BINARY(*) METAL_BINARY(/) METAL_BINARY(%) METAL_BINARY(&) METAL_BINARY(|)
METAL_BINARY(^) METAL_BINARY(<<) METAL_BINARY(>>)
METAL_COMPARE(<) METAL_COMPARE(>) METAL_COMPARE(<=) METAL_COMPARE(>=) METAL_COMPARE(==) METAL_COMPARE(!=)
METAL_COMPARE(&&) METAL_COMPARE(||)
#define METAL_UNARY(op) \
  template <typename A, typename V = typename metal_operands<A, A>::type> inline V operator op(const A &a) { \
    V x = V(a); \
    for (int i = 0; i < V::lanes; i++) x.at[i] = typename metal_element<V>::type(op x.at[i]); \
    return x; }
METAL_UNARY(-) METAL_UNARY(~) METAL_UNARY(!)

#define METAL_VECTORS(T) \
  typedef metal_vector<T, 2> T##2; typedef metal_vector<T, 3> T##3; typedef metal_vector<T, 4> T##4;
METAL_VECTORS(bool) METAL_VECTORS(char) METAL_VECTORS(uchar) METAL_VECTORS(short) METAL_VECTORS(ushort)
METAL_VECTORS(int) METAL_VECTORS(uint) METAL_VECTORS(long) METAL_VECTORS(ulong) METAL_VECTORS(half) METAL_VECTORS(float)
#define METAL_PACKED(T) \
  typedef metal_packed<T, 2>::type packed_##T##2; typedef metal_packed<T, 3>::type packed_##T##3; \
  typedef metal_packed<T, 4>::type packed_##T##4;
METAL_PACKED(char) METAL_PACKED(uchar) METAL_PACKED(short) METAL_PACKED(ushort) METAL_PACKED(int) METAL_PACKED(uint)
METAL_PACKED(long) METAL_PACKED(ulong) METAL_PACKED(half) METAL_PACKED(float)
#if __METAL_VERSION__ >= 310
  METAL_VECTORS(bfloat) METAL_PACKED(bfloat)
#endif
namespace metal {
  template <typename T, int L> using vec = metal_vector<T, L>;
  template <typename T, int L> using packed_vec = typename metal_packed<T, L>::type;
}

template <typename to, typename from> inline to as_type(from x) {
  static_assert(sizeof(to) == sizeof(from), "as_type changes no size");
  to y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}
#endif
