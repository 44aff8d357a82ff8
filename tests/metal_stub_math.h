// metal_stub_math: functions of numbers of Metal's standard library (MSL 6.2 to 6.5), for scalars and lane by lane.
//
// f16 and bf16 are computed in f32 and rounded. Results are those of C's libm but for precise::exp2, which is as far
// off as the language allows, so that what is built on it is proven to bear that.
#ifndef METAL_STUB_MATH_H
#define METAL_STUB_MATH_H
#if __METAL_VERSION__ >= 310
  #define METAL_OF_FLOATS(of) of(float) of(half) of(bfloat)
#else
  #define METAL_OF_FLOATS(of) of(float) of(half)
#endif
#define METAL_OF_INTEGERS(of) of(char) of(uchar) of(short) of(ushort) of(int) of(uint) of(long) of(ulong)

// Of scalars there is a function; this is it for vectors and swizzles of 1, 2 or 3 operands.
#define METAL_LANES_1(name) \
  template <typename A, typename V = typename metal_operands<A, A>::type> inline V name(const A &a) { \
    V x = V(a); for (int i = 0; i < V::lanes; i++) x.at[i] = name(x.at[i]); return x; }
#define METAL_LANES_2(name) \
  template <typename A, typename B, typename V = typename metal_operands<A, B>::type> \
  inline V name(const A &a, const B &b) { \
    V x = V(a); const V y = V(b); for (int i = 0; i < V::lanes; i++) x.at[i] = name(x.at[i], y.at[i]); return x; }
#define METAL_LANES_3(name) \
  template <typename A, typename B, typename C, \
            typename V = typename metal_both<typename metal_operands<A, B>::type, \
                                             typename metal_operands<A, C>::type>::type> \
  inline V name(const A &a, const B &b, const C &c) { \
    V x = V(a); const V y = V(b), z = V(c); \
    for (int i = 0; i < V::lanes; i++) x.at[i] = name(x.at[i], y.at[i], z.at[i]); \
    return x; }
#define METAL_FLOAT_1(name, value) \
  inline float name(float x) { return value; } inline half name(half h) { const float x = h; return half(value); } \
  METAL_BFLOAT(inline bfloat name(bfloat h) { const float x = float(h); return bfloat(value); }) METAL_LANES_1(name)
#define METAL_FLOAT_2(name, value) \
  inline float name(float x, float y) { return value; } \
  inline half name(half h, half g) { const float x = h, y = g; return half(value); } \
  METAL_BFLOAT(inline bfloat name(bfloat h, bfloat g) { \
    const float x = float(h), y = float(g); return bfloat(value); }) \
  METAL_LANES_2(name)
#define METAL_FLOAT_3(name, value) \
  inline float name(float x, float y, float z) { return value; } \
  inline half name(half h, half g, half f) { const float x = h, y = g, z = f; return half(value); } \
  METAL_BFLOAT(inline bfloat name(bfloat h, bfloat g, bfloat f) { \
    const float x = float(h), y = float(g), z = float(f); return bfloat(value); }) METAL_LANES_3(name)
#if __METAL_VERSION__ >= 310
  #define METAL_BFLOAT(...) __VA_ARGS__
#else
  #define METAL_BFLOAT(...)
#endif

namespace metal {
  // What all three namespaces of precision have; approximate functions are the precise ones here.
  #define METAL_ELEMENTARY \
    METAL_FLOAT_1(exp, __builtin_expf(x)) METAL_FLOAT_1(exp10, __builtin_powf(10, x)) \
    METAL_FLOAT_1(log, __builtin_logf(x)) METAL_FLOAT_1(log2, __builtin_log2f(x)) \
    METAL_FLOAT_1(log10, __builtin_log10f(x)) \
    METAL_FLOAT_1(sin, __builtin_sinf(x)) METAL_FLOAT_1(cos, __builtin_cosf(x)) METAL_FLOAT_1(tan, __builtin_tanf(x)) \
    METAL_FLOAT_1(asin, __builtin_asinf(x)) METAL_FLOAT_1(acos, __builtin_acosf(x)) \
    METAL_FLOAT_1(atan, __builtin_atanf(x)) \
    METAL_FLOAT_1(sinh, __builtin_sinhf(x)) METAL_FLOAT_1(cosh, __builtin_coshf(x)) \
    METAL_FLOAT_1(tanh, __builtin_tanhf(x)) \
    METAL_FLOAT_1(asinh, __builtin_asinhf(x)) METAL_FLOAT_1(acosh, __builtin_acoshf(x)) \
    METAL_FLOAT_1(atanh, __builtin_atanhf(x)) \
    METAL_FLOAT_1(sqrt, __builtin_sqrtf(x)) METAL_FLOAT_1(rsqrt, 1 / __builtin_sqrtf(x)) \
    METAL_FLOAT_2(pow, __builtin_powf(x, y)) METAL_FLOAT_2(powr, __builtin_powf(x, y)) \
    METAL_FLOAT_2(atan2, __builtin_atan2f(x, y)) METAL_FLOAT_2(fmod, __builtin_fmodf(x, y)) \
    METAL_FLOAT_2(divide, x / y) \
    METAL_FLOAT_1(floor, __builtin_floorf(x)) METAL_FLOAT_1(ceil, __builtin_ceilf(x)) \
    METAL_FLOAT_1(trunc, __builtin_truncf(x)) METAL_FLOAT_1(round, __builtin_roundf(x)) \
    METAL_FLOAT_1(rint, __builtin_rintf(x)) \
    METAL_FLOAT_1(fract, __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f)) \
    METAL_FLOAT_1(fabs, __builtin_fabsf(x)) \
    METAL_FLOAT_2(fmin, __builtin_fminf(x, y)) METAL_FLOAT_2(fmax, __builtin_fmaxf(x, y))
  // min, max and clamp, which integers have as well, where a namespace says how exact: a number where the other is none
  #define METAL_ORDERED \
    METAL_FLOAT_2(min, fmin(x, y)) METAL_FLOAT_2(max, fmax(x, y)) METAL_FLOAT_3(clamp, fmin(fmax(x, y), z))
  METAL_ELEMENTARY
  METAL_FLOAT_1(exp2, __builtin_exp2f(x))
  namespace fast { METAL_ELEMENTARY METAL_ORDERED METAL_FLOAT_1(exp2, __builtin_exp2f(x)) }
  namespace precise {
    METAL_ELEMENTARY METAL_ORDERED
    // as far off as it may be (8.4), and farther: up or down, as bits of x have it
    METAL_FLOAT_1(exp2, __builtin_exp2f(x) * (__builtin_bit_cast(uint, x) >> 13 & 1 ? 1 + 0x1p-17f : 1 - 0x1p-17f))
  }
  METAL_FLOAT_2(copysign, __builtin_copysignf(x, y)) METAL_FLOAT_2(fdim, __builtin_fdimf(x, y))
  METAL_FLOAT_2(step, y < x ? 0.0f : 1.0f) METAL_FLOAT_1(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x * 0)
  METAL_FLOAT_1(saturate, __builtin_fminf(__builtin_fmaxf(x, 0), 1)) METAL_FLOAT_3(fma, __builtin_fmaf(x, y, z))
  METAL_FLOAT_3(mix, x + (y - x) * z)
  inline float metal_cubic(float x) { return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x); }
  METAL_FLOAT_3(smoothstep, metal_cubic((z - x) / (y - x)))

  #define METAL_ORDER(T) \
    inline T min(T x, T y) { return y < x ? y : x; } inline T max(T x, T y) { return x < y ? y : x; } \
    inline T clamp(T x, T low, T high) { return min(max(x, low), high); }
  METAL_OF_INTEGERS(METAL_ORDER)
  // a number where the other is none, as fmin and fmax
  #define METAL_ORDER_FLOAT(T) \
    inline T min(T x, T y) { return fmin(x, y); } inline T max(T x, T y) { return fmax(x, y); } \
    inline T clamp(T x, T low, T high) { return fmin(fmax(x, low), high); } \
    inline T abs(T x) { return fabs(x); }
  METAL_OF_FLOATS(METAL_ORDER_FLOAT)
  METAL_LANES_2(min) METAL_LANES_2(max) METAL_LANES_3(clamp)
  #define METAL_INTEGER(T) \
    inline T abs(T x) { return x < T(0) ? T(-x) : x; } \
    inline T popcount(T x) { return T(__builtin_popcountll((unsigned long long)x & ~0ull >> (64 - 8 * sizeof x))); } \
    inline T clz(T x) { \
      const unsigned long long u = (unsigned long long)x & ~0ull >> (64 - 8 * sizeof x); \
      return T(u ? __builtin_clzll(u) - 64 + int(8 * sizeof x) : int(8 * sizeof x)); } \
    inline T ctz(T x) { return T(x ? __builtin_ctzll((unsigned long long)x) : int(8 * sizeof x)); } \
    inline T rotate(T x, T n) { \
      const unsigned long long m = ~0ull >> (64 - 8 * sizeof x), u = (unsigned long long)x & m; \
      const int k = int(n) & int(8 * sizeof x - 1); \
      return T(k ? u << k | u >> (int(8 * sizeof x) - k) : u); } \
    inline T mulhi(T x, T y) { return T(__int128(x) * __int128(y) >> 8 * sizeof x); } \
    inline T mul24(T x, T y) { return T(x * y); } \
    inline T addsat(T x, T y) { T z; \
      return !__builtin_add_overflow(x, y, &z) ? z : T(-1) > T(0) || x > T(0) ? T(T(-1) > T(0) ? T(-1) : \
        T(~(1ull << (8 * sizeof x - 1)))) : T(1ull << (8 * sizeof x - 1)); }
  METAL_OF_INTEGERS(METAL_INTEGER)
  METAL_LANES_1(abs) METAL_LANES_1(popcount) METAL_LANES_1(clz) METAL_LANES_1(ctz) METAL_LANES_2(rotate)
  METAL_LANES_2(mulhi) METAL_LANES_2(addsat)

  // Of floats: which kind of number.
  #define METAL_KIND(name, value) \
    inline bool name(float x) { return value; } inline bool name(half h) { const float x = h; return value; } \
    METAL_BFLOAT(inline bool name(bfloat h) { const float x = float(h); return value; }) \
    template <typename A, typename V = typename metal_operands<A, A>::type> \
    inline typename metal_element<V>::bools name(const A &a) { \
      const V x = V(a); typename metal_element<V>::bools z; \
      for (int i = 0; i < V::lanes; i++) z.at[i] = name(x.at[i]); return z; }
  METAL_KIND(isnan, __builtin_isnan(x)) METAL_KIND(isinf, __builtin_isinf(x))
  METAL_KIND(isfinite, __builtin_isfinite(x))
  METAL_KIND(signbit, __builtin_signbit(x) != 0) METAL_KIND(isnormal, __builtin_isnormal(x))

  inline float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
  inline half ldexp(half x, int e) { return half(__builtin_ldexpf(x, e)); }
  inline float frexp(float x, int &e) { return __builtin_frexpf(x, &e); }
  inline float modf(float x, float &whole) { whole = __builtin_truncf(x); return x - whole; }
  inline float sincos(float x, float &c) { c = __builtin_cosf(x); return __builtin_sinf(x); }

  // y where c is true
  template <typename T> inline T select(T x, T y, bool c) { return c ? y : x; }
  template <typename T, int L>
  inline metal_vector<T, L> select(metal_vector<T, L> x, metal_vector<T, L> y, metal_vector<bool, L> c) {
    for (int i = 0; i < L; i++) x.at[i] = c.at[i] ? y.at[i] : x.at[i];
    return x;
  }
  template <int L> inline bool any(metal_vector<bool, L> c) {
    bool is = false;
    for (int i = 0; i < L; i++) is |= c.at[i];
    return is;
  }
  template <int L> inline bool all(metal_vector<bool, L> c) {
    bool is = true;
    for (int i = 0; i < L; i++) is &= c.at[i];
    return is;
  }
  template <typename A, typename B, typename V = typename metal_operands<A, B>::type>
  inline typename metal_element<V>::type dot(const A &a, const B &b) {
    const V x = V(a), y = V(b);
    typename metal_element<V>::type sum = 0;
    for (int i = 0; i < V::lanes; i++) sum += x.at[i] * y.at[i];
    return sum;
  }
  template <typename A, typename V = typename metal_operands<A, A>::type>
  inline typename metal_element<V>::type length(const A &a) { return sqrt(dot(a, a)); }
  template <typename A, typename B, typename V = typename metal_operands<A, B>::type>
  inline typename metal_element<V>::type distance(const A &a, const B &b) { return length(a - b); }
  template <typename A, typename V = typename metal_operands<A, A>::type> inline V normalize(const A &a) {
    return V(a) * rsqrt(dot(a, a));
  }
  template <typename T> inline metal_vector<T, 3> cross(metal_vector<T, 3> a, metal_vector<T, 3> b) {
    return metal_vector<T, 3>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
  }
  inline float2 unpack_half2x16_to_float(uint x) {
    return float2(as_type<half>(ushort(x)), as_type<half>(ushort(x >> 16)));
  }
  inline float4 unpack_unorm4x8_to_float(uint x) {
    return float4(x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24) / 255.0f;
  }
  inline uint pack_float_to_unorm4x8(float4 v) {
    v = round(clamp(v, float4(0), float4(1)) * 255.0f);
    return uint(v.x) | uint(v.y) << 8 | uint(v.z) << 16 | uint(v.w) << 24;
  }

  template <typename T, size_t N> struct array {
    T at[N];
    T &operator[](size_t i) { return at[i]; }
    const T &operator[](size_t i) const { return at[i]; }
    constexpr size_t size() const { return N; }
  };
}
#endif
