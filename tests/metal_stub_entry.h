// metal_stub_entry: what calls a module's kernels, and what its loads and stores call: behind the text, where the
// executor compiles it (metal_kernel_module.c).
#ifndef METAL_STUB_ENTRY_H
#define METAL_STUB_ENTRY_H
#include "metal_stub.h"
extern "C" {
  extern const metal_shared __start_metal_shared[] __attribute__((weak)), __stop_metal_shared[] __attribute__((weak));
  const metal_shared *metal_shared_first = __start_metal_shared, *metal_shared_last = __stop_metal_shared;
}
template <typename T> struct metal_bytes { enum { n = sizeof(T) }; };
template <> struct metal_bytes<void> { enum { n = 1 }; };
template <typename T> struct metal_bound;
template <typename T> struct metal_bound<T *> {
  enum { writes = 1, element = metal_bytes<T>::n };
  static T *of(void *p) { return (T *)p; }
};
template <typename T> struct metal_bound<const T *> {
  enum { writes = 0, element = metal_bytes<T>::n };
  static const T *of(void *p) { return (const T *)p; }
};
template <typename T> struct metal_bound<T &> {
  enum { writes = metal_bound<T *>::writes, element = metal_bytes<T>::n };
  static T &of(void *p) { return *(T *)p; }
};
template <typename T> struct metal_number {
  static T of(const unsigned *x) { return T(x[0]); }
};
template <typename T, int L> struct metal_number<metal_vector<T, L>> {
  static metal_vector<T, L> of(const unsigned *x) {
    metal_vector<T, L> v;
    for (int i = 0; i < L; i++) v.at[i] = T(i < 3 ? x[i] : 0);
    return v;
  }
};
template <typename T> struct metal_textured {
  typedef T type;
  static T of(const metal_picture *p) { return T{p}; }
};
template <int n, typename T> struct metal_parameter;
template <int n, typename R, typename P, typename... Q> struct metal_parameter<n, R (*)(P, Q...)> {
  typedef typename metal_parameter<n - 1, R (*)(Q...)>::type type;
};
template <typename R, typename P, typename... Q> struct metal_parameter<0, R (*)(P, Q...)> { typedef P type; };

#ifdef METAL_IS_CHECKED
  #define METAL_SEEN(n) \
    METAL_UNSEEN void __asan_load##n##_noabort(const void *p) { metal_executor->access(p, n, METAL_READ); } \
    METAL_UNSEEN void __asan_store##n##_noabort(const void *p) { metal_executor->access(p, n, METAL_WRITE); }
  #pragma GCC visibility push(hidden)
  extern "C" {
    METAL_SEEN(1) METAL_SEEN(2) METAL_SEEN(4) METAL_SEEN(8) METAL_SEEN(16)
    METAL_UNSEEN void __asan_loadN_noabort(const void *p, size_t n) { metal_executor->access(p, n, METAL_READ); }
    METAL_UNSEEN void __asan_storeN_noabort(const void *p, size_t n) { metal_executor->access(p, n, METAL_WRITE); }
    METAL_UNSEEN void *__asan_memcpy(void *to, const void *from, size_t n) {
      metal_executor->access(from, n, METAL_READ);
      metal_executor->access(to, n, METAL_WRITE);
      return __builtin_memcpy(to, from, n);
    }
    METAL_UNSEEN void *__asan_memmove(void *to, const void *from, size_t n) {
      metal_executor->access(from, n, METAL_READ);
      metal_executor->access(to, n, METAL_WRITE);
      return __builtin_memmove(to, from, n);
    }
    METAL_UNSEEN void *__asan_memset(void *to, int x, size_t n) {
      metal_executor->access(to, n, METAL_WRITE);
      return __builtin_memset(to, x, n);
    }
    METAL_UNSEEN void __asan_handle_no_return() {}
    METAL_UNSEEN void __ubsan_handle_type_mismatch_v1(const metal_place_in_text *at, size_t address) {
      metal_executor->wrong(at, "an address that is not aligned as its type is, off by %ld bytes", long(address & 15));
    }
    METAL_UNSEEN void __ubsan_handle_out_of_bounds(const metal_place_in_text *at, size_t index) {
      metal_executor->wrong(at, "out of bounds: an array has no element %ld", long(index));
    }
    METAL_UNSEEN void __ubsan_handle_divrem_overflow(const metal_place_in_text *at, size_t, size_t) {
      metal_executor->wrong(at, "an integer is divided by 0", 0);
    }
  }
  #pragma GCC visibility pop
#endif
#endif
