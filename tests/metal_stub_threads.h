// metal_stub_threads: how threads of a kernel meet (MSL 6.9), atomics (6.15), matrices of a SIMD-group (6.7). The
// executor's functions stand in metal_executor (metal_stub_run.h).
//
// simdgroup_matrix: element e of lane l lies where src/machine/units.c has it for Apple's. A product's sum begins with
// the element of c and adds products in the order of k, each product and each sum rounded to f32; the result is rounded
// to the type of d. Apple says nothing about the order.
#ifndef METAL_STUB_THREADS_H
#define METAL_STUB_THREADS_H
#include "metal_stub_run.h"
#ifdef __OPENCL_CPP_VERSION__
  #define METAL_HOOK(name) metal_hook_##name
  #define METAL_SEE(p, n) METAL_HOOK(access)(p, n, METAL_ATOMIC)
#else
  extern "C" { extern const metal_hooks *metal_executor; }
  #define METAL_HOOK(name) metal_executor->name
  #define METAL_SEE(p, n) if (metal_executor->access) metal_executor->access(p, n, METAL_ATOMIC)
#endif
#define METAL_UNSEEN __attribute__((no_sanitize("kernel-address"), noinline))
#ifdef __OPENCL_CPP_VERSION__
  #define METAL_SPACES(of) of(device) of(threadgroup)
#else
  #define METAL_SPACES(of) of(device)
#endif

// A variable of threadgroup memory: one of this machine's thread, which runs all threads of a group.
#define metal_group static thread_local
#define METAL_DECLARED(name) { \
    static const metal_shared size __attribute__((section("metal_shared"), used)) = \
      {__PRETTY_FUNCTION__, sizeof name}; \
    METAL_HOOK(declared)((void *)&name, sizeof name, #name); }

namespace metal {
  // ** barriers **

  enum class mem_flags { mem_none, mem_device = METAL_MEM_DEVICE, mem_threadgroup = METAL_MEM_THREADGROUP,
                         mem_texture = 4 };
  inline constexpr mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags(int(a) | int(b)); }
  inline void threadgroup_barrier(mem_flags f, int line = __builtin_LINE()) {
    METAL_HOOK(group_barrier)(int(f), line);
  }
  inline void simdgroup_barrier(mem_flags f, int line = __builtin_LINE()) {
    METAL_HOOK(simd_barrier)(int(f), line);
  }

  // ** atomics **

  enum memory_order { memory_order_relaxed };
  template <typename T> struct atomic { T x; };
  typedef atomic<int> atomic_int; typedef atomic<uint> atomic_uint; typedef atomic<ulong> atomic_ulong;
  typedef atomic<bool> atomic_bool;
  #if __METAL_VERSION__ >= 300
    typedef atomic<float> atomic_float;
  #endif
  template <typename T> struct metal_itself { typedef T type; };
  template <typename T> struct metal_bits_of { typedef T type; };
  template <> struct metal_bits_of<float> { typedef uint type; };
  // What changes x by `value` of it, old, until nobody was faster.
  #define METAL_ATOMIC_CHANGE(S, name, value) \
    template <typename T> METAL_UNSEEN inline T name(volatile S atomic<T> *p, \
                                                     typename metal_itself<T>::type x, memory_order) { \
      typedef typename metal_bits_of<T>::type bits; \
      volatile S bits *at = (volatile S bits *)p; \
      METAL_SEE((const void *)(size_t)p, sizeof(T)); \
      bits was = __atomic_load_n(at, __ATOMIC_RELAXED), is; \
      T old; \
      do { \
        old = as_type<T>(was); \
        is = as_type<bits>(T(value)); \
      } while (!__atomic_compare_exchange_n(at, &was, is, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
      return old; }
  #define METAL_ATOMICS(S) \
    METAL_ATOMIC_CHANGE(S, atomic_exchange_explicit, x) METAL_ATOMIC_CHANGE(S, atomic_fetch_add_explicit, old + x) \
    METAL_ATOMIC_CHANGE(S, atomic_fetch_sub_explicit, old - x) \
    METAL_ATOMIC_CHANGE(S, atomic_fetch_min_explicit, x < old ? x : old) \
    METAL_ATOMIC_CHANGE(S, atomic_fetch_max_explicit, x > old ? x : old) \
    METAL_ATOMIC_CHANGE(S, atomic_fetch_and_explicit, old & x) \
    METAL_ATOMIC_CHANGE(S, atomic_fetch_or_explicit, old | x) \
    METAL_ATOMIC_CHANGE(S, atomic_fetch_xor_explicit, old ^ x) \
    template <typename T> METAL_UNSEEN inline T atomic_load_explicit(const volatile S atomic<T> *p, memory_order) { \
      typedef typename metal_bits_of<T>::type bits; \
      METAL_SEE((const void *)(size_t)p, sizeof(T)); \
      return as_type<T>(__atomic_load_n((const volatile S bits *)p, __ATOMIC_RELAXED)); } \
    template <typename T> METAL_UNSEEN inline void atomic_store_explicit(volatile S atomic<T> *p, \
        typename metal_itself<T>::type x, memory_order) { \
      typedef typename metal_bits_of<T>::type bits; \
      METAL_SEE((const void *)(size_t)p, sizeof(T)); \
      __atomic_store_n((volatile S bits *)p, as_type<bits>(x), __ATOMIC_RELAXED); } \
    template <typename T> METAL_UNSEEN inline bool atomic_compare_exchange_weak_explicit(volatile S atomic<T> *p, \
        thread T *expected, typename metal_itself<T>::type x, memory_order, memory_order) { \
      typedef typename metal_bits_of<T>::type bits; \
      METAL_SEE((const void *)(size_t)p, sizeof(T)); \
      bits was = as_type<bits>(*expected); \
      const bool is = __atomic_compare_exchange_n((volatile S bits *)p, &was, as_type<bits>(x), false, \
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
      *expected = as_type<T>(was); \
      return is; }
  METAL_SPACES(METAL_ATOMICS)

  // ** SIMD-groups **

  template <typename T> inline const metal_given *metal_give(T x, int all, int line) {
    static_assert(sizeof(T) <= METAL_WORD, "a lane gives no more than 32 bytes");
    return METAL_HOOK(exchange)(&x, sizeof x, all, line);
  }
  template <typename T> inline T metal_of_lane(const metal_given *g, uint lane, int line) {
    T x;
    if (lane >= METAL_LANES || !(g->active >> lane & 1)) METAL_HOOK(absent)(lane, line);
    __builtin_memcpy(&x, g->value[lane % METAL_LANES], sizeof x);
    return x;
  }
  // x of the lane that `from` says; where there is no such lane and `keeps`, this one's
  #define METAL_SHUFFLE(name, from, keeps) \
    template <typename T> inline T name(T x, ushort n, int line = __builtin_LINE()) { \
      const metal_given *g = metal_give(x, 0, line); \
      const uint lane = g->lane, other = uint(from); \
      return keeps && other >= METAL_LANES ? x : metal_of_lane<T>(g, other, line); }
  METAL_SHUFFLE(simd_shuffle, n, 0) METAL_SHUFFLE(simd_broadcast, n, 0) METAL_SHUFFLE(simd_shuffle_xor, lane ^ n, 0)
  METAL_SHUFFLE(simd_shuffle_down, lane + n, 1) METAL_SHUFFLE(simd_shuffle_up, lane - n, 1)
  METAL_SHUFFLE(simd_shuffle_rotate_down, (lane + n) % METAL_LANES, 0)
  METAL_SHUFFLE(simd_shuffle_rotate_up, (lane + METAL_LANES - n % METAL_LANES) % METAL_LANES, 0)
  METAL_SHUFFLE(quad_shuffle, (lane & ~3u) + n, 0) METAL_SHUFFLE(quad_broadcast, (lane & ~3u) + n, 0)
  METAL_SHUFFLE(quad_shuffle_xor, lane ^ (n & 3), 0)
  template <typename T> inline T simd_broadcast_first(T x, int line = __builtin_LINE()) {
    const metal_given *g = metal_give(x, 0, line);
    return metal_of_lane<T>(g, uint(__builtin_ctz(g->active)), line);
  }
  // Over those lanes that are there, of `lanes`, in their order: y = begin, and then `value` of y and x.
  #define METAL_REDUCTION(name, lanes, value) \
    template <typename T> inline T name(T mine, int line = __builtin_LINE()) { \
      const metal_given *g = metal_give(mine, 0, line); \
      const uint lane = g->lane; \
      bool begun = false; \
      T y = mine; \
      for (uint i = 0; i < METAL_LANES; i++) if (g->active >> i & 1 && (lanes)) { \
        const T x = metal_of_lane<T>(g, i, line); \
        y = begun ? T(value) : x; \
        begun = true; \
      } \
      return y; }
  METAL_REDUCTION(simd_sum, true, y + x) METAL_REDUCTION(simd_product, true, y * x)
  METAL_REDUCTION(simd_min, true, min(y, x)) METAL_REDUCTION(simd_max, true, max(y, x))
  METAL_REDUCTION(simd_and, true, y & x) METAL_REDUCTION(simd_or, true, y | x) METAL_REDUCTION(simd_xor, true, y ^ x)
  METAL_REDUCTION(simd_prefix_inclusive_sum, i <= lane, y + x)
  METAL_REDUCTION(simd_prefix_inclusive_product, i <= lane, y * x)
  METAL_REDUCTION(quad_sum, i / 4 == lane / 4, y + x) METAL_REDUCTION(quad_max, i / 4 == lane / 4, max(y, x))
  METAL_REDUCTION(quad_min, i / 4 == lane / 4, min(y, x))
  template <typename T> inline T metal_before(T y, T first, bool is) { return is ? y : first; }
  #define METAL_EXCLUSIVE(name, first, value) \
    template <typename T> inline T name(T mine, int line = __builtin_LINE()) { \
      const metal_given *g = metal_give(mine, 0, line); \
      T y = T(first); \
      for (uint i = 0; i < g->lane; i++) if (g->active >> i & 1) { \
        const T x = metal_of_lane<T>(g, i, line); \
        y = T(value); \
      } \
      return y; }
  METAL_EXCLUSIVE(simd_prefix_exclusive_sum, 0, y + x) METAL_EXCLUSIVE(simd_prefix_exclusive_product, 1, y * x)
  inline uint metal_votes(bool x, int line) {
    const metal_given *g = metal_give(x, 0, line);
    uint votes = 0;
    for (uint i = 0; i < METAL_LANES; i++) if (g->active >> i & 1) votes |= uint(metal_of_lane<bool>(g, i, line)) << i;
    return votes;
  }
  struct simd_vote {
    typedef ulong vote_t;
    ulong votes;
    explicit simd_vote(ulong v) : votes(v) {}
    explicit operator ulong() const { return votes; }
    bool all() const { return votes == 0xFFFFFFFF; }
    bool any() const { return votes != 0; }
  };
  inline simd_vote simd_ballot(bool x, int line = __builtin_LINE()) { return simd_vote(metal_votes(x, line)); }
  inline bool simd_any(bool x, int line = __builtin_LINE()) { return metal_votes(x, line) != 0; }
  inline bool simd_all(bool x, int line = __builtin_LINE()) { return metal_votes(!x, line) == 0; }
  inline simd_vote simd_active_threads_mask(int line = __builtin_LINE()) { return simd_vote(metal_votes(true, line)); }
  inline bool simd_is_first(int line = __builtin_LINE()) {
    const metal_given *g = metal_give(true, 0, line);
    return uint(__builtin_ctz(g->active)) == g->lane;
  }

  // ** matrices of a SIMD-group **

  inline uint metal_row(uint lane) { return (lane >> 1 & 3) | (lane >> 2 & 4); }
  inline uint metal_column(uint lane) { return (lane << 1 & 2) | (lane >> 1 & 4); }
  template <typename T, int rows, int columns> struct simdgroup_matrix {
    static_assert(rows == 8 && columns == 8, "a matrix of a SIMD-group has 8 rows and 8 columns");
    static_assert(metal_same<T, float>::value || metal_same<T, half>::value || metal_same<T, metal_bfloat>::value,
                  "a matrix of a SIMD-group is of float, half or bfloat");
    typedef vec<T, 2> storage_type;
    storage_type held;
    simdgroup_matrix() = default;
    explicit simdgroup_matrix(T diagonal, int line = __builtin_LINE()) {
      const uint lane = metal_give(true, 1, line)->lane;
      for (uint e = 0; e < 2; e++) held.at[e] = metal_row(lane) == metal_column(lane) + e ? diagonal : T(0);
    }
    storage_type &thread_elements() { return held; }
    const storage_type &thread_elements() const { return held; }
  };
  typedef simdgroup_matrix<float, 8, 8> simdgroup_float8x8;
  typedef simdgroup_matrix<half, 8, 8> simdgroup_half8x8;
  #if __METAL_VERSION__ >= 310
    typedef simdgroup_matrix<bfloat, 8, 8> simdgroup_bfloat8x8;
  #endif
  template <typename T, int rows, int columns>
  inline simdgroup_matrix<T, rows, columns> make_filled_simdgroup_matrix(T x, int line = __builtin_LINE()) {
    simdgroup_matrix<T, rows, columns> m;
    metal_give(true, 1, line);
    m.held = vec<T, 2>(x);
    return m;
  }
  template <typename T>
  inline simdgroup_matrix<T, 8, 8> make_diagonal_simdgroup_matrix(T x, int line = __builtin_LINE()) {
    return simdgroup_matrix<T, 8, 8>(x, line);
  }
  // Element (row, column), or (column, row) if transposed, of what begins at origin: (x, y) is column x of row y.
  #define METAL_MATRIX_MEMORY(S) \
    template <typename T> inline void simdgroup_load(thread simdgroup_matrix<T, 8, 8> &m, const S T *from, \
                                                     ulong row_elements = 8, ulong2 origin = ulong2(0), \
                                                     bool transposed = false, int line = __builtin_LINE()) { \
      const uint lane = metal_give(true, 1, line)->lane; \
      for (uint e = 0; e < 2; e++) { \
        const ulong row = metal_row(lane), column = metal_column(lane) + e; \
        m.held.at[e] = from[(origin.y + (transposed ? column : row)) * row_elements + origin.x + \
                            (transposed ? row : column)]; \
      } } \
    template <typename T> inline void simdgroup_store(simdgroup_matrix<T, 8, 8> m, S T *to, ulong row_elements = 8, \
                                                      ulong2 origin = ulong2(0), bool transposed = false, \
                                                      int line = __builtin_LINE()) { \
      const uint lane = metal_give(true, 1, line)->lane; \
      for (uint e = 0; e < 2; e++) { \
        const ulong row = metal_row(lane), column = metal_column(lane) + e; \
        to[(origin.y + (transposed ? column : row)) * row_elements + origin.x + (transposed ? row : column)] = \
          m.held.at[e]; \
      } }
  METAL_SPACES(METAL_MATRIX_MEMORY)
  template <typename D, typename A, typename B, typename C>
  inline void simdgroup_multiply_accumulate(thread simdgroup_matrix<D, 8, 8> &d, simdgroup_matrix<A, 8, 8> a,
                                            simdgroup_matrix<B, 8, 8> b, simdgroup_matrix<C, 8, 8> c,
                                            int line = __builtin_LINE()) {
    const float4 mine = {float(a.held.at[0]), float(a.held.at[1]), float(b.held.at[0]), float(b.held.at[1])};
    const metal_given *g = metal_give(mine, 1, line);
    float left[8][8], right[8][8];
    for (uint lane = 0; lane < METAL_LANES; lane++) {
      const float4 given = metal_of_lane<float4>(g, lane, line);
      for (uint e = 0; e < 2; e++) {
        left[metal_row(lane)][metal_column(lane) + e] = given.at[e];
        right[metal_row(lane)][metal_column(lane) + e] = given.at[2 + e];
      }
    }
    for (uint e = 0; e < 2; e++) {
      float sum = float(c.held.at[e]);
      for (uint k = 0; k < 8; k++) {
        const float product = left[metal_row(g->lane)][k] * right[k][metal_column(g->lane) + e];
        sum += product;
      }
      d.held.at[e] = D(sum);
    }
  }
  template <typename D, typename A, typename B>
  inline void simdgroup_multiply(thread simdgroup_matrix<D, 8, 8> &d, simdgroup_matrix<A, 8, 8> a,
                                 simdgroup_matrix<B, 8, 8> b, int line = __builtin_LINE()) {
    simdgroup_matrix<float, 8, 8> zero;
    zero.held = float2(0);
    simdgroup_multiply_accumulate(d, a, b, zero, line);
  }
  template <typename T>
  inline simdgroup_matrix<T, 8, 8> operator*(simdgroup_matrix<T, 8, 8> a, simdgroup_matrix<T, 8, 8> b) {
    simdgroup_matrix<T, 8, 8> d;
    simdgroup_multiply(d, a, b);
    return d;
  }
}

#endif
