// float: what the library's own arithmetic may rely on, whatever the host does to floats.
//
// 1. The compiler: -ffast-math and its parts let it take NaN, infinity and -0 for things that do not occur. The
//    implementation asks for the arithmetic of C instead, from here to TN_FLOAT_END; #error where that does not help.
// 2. The processor: every thread has a mode: rounding, flushing of subnormals, traps, and flags of what has happened.
//    Kernels, and all arithmetic that decides a result, run in one: round to nearest, subnormals kept, no traps.
//
// In:  whatever mode the thread is in. Out of tn_float_enter: that mode, with the library's in its place; of
//      tn_float_leave: the thread's mode and flags as they were.
// A host that changes nothing pays for reading the mode, a few ns: it is written only where it differs.
#ifndef TN_BASE_FLOAT
#define TN_BASE_FLOAT

// ** the compiler **

#if defined(_MSC_VER) && !defined(__clang__)
  __pragma(float_control(push)) __pragma(float_control(precise, on))
  #define TN_FLOAT_END __pragma(float_control(pop))
#elif defined(__clang__)
  // Functions, and from version 16 on the floats that they take and give, are marked as never seeing NaN, whatever a
  // pragma says.
  #if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
    #error "tiny.h needs NaN and infinity: add -fno-finite-math-only behind -ffast-math for its implementation"
  #endif
  #ifndef __wasm__
    #pragma float_control(precise, on, push)
    #define TN_FLOAT_POP _Pragma("float_control(pop)")
  #elif defined(__FAST_MATH__)             // clang has no such pragma there
    #error "tiny.h needs the arithmetic of C: leave out -ffast-math for its implementation"
  #else
    #define TN_FLOAT_POP
  #endif
  #pragma clang diagnostic push
  #pragma clang diagnostic ignored "-Wsign-conversion"       // in C its enums are unsigned, their constants int
  #define TN_FLOAT_END _Pragma("clang diagnostic pop") TN_FLOAT_POP
#elif defined(__GNUC__)
  #pragma GCC push_options
  #pragma GCC optimize("no-fast-math")
  #define TN_FLOAT_END _Pragma("GCC pop_options")
#else
  #define TN_FLOAT_END
#endif

// What stands between these is compiled for its size where the rest is optimised: all.c says which rooms. gcc also
// leaves out what takes it time there and makes nothing smaller; clang would warn where nothing stands between them.
#if defined(__clang__) && defined(__OPTIMIZE__)
  #define TN_SMALL_BEGIN \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpragma-clang-attribute\"") \
    _Pragma("clang attribute push(__attribute__((minsize)), apply_to = function)") \
    _Pragma("clang attribute push(__attribute__((cold)), apply_to = function)") _Pragma("clang diagnostic pop")
  #define TN_SMALL_END _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#elif defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
  #define TN_SMALL_BEGIN _Pragma("GCC push_options") \
    _Pragma("GCC optimize(\"Os,no-expensive-optimizations,no-tree-pre,no-tree-vrp,no-gcse,no-schedule-insns2\")")
  #define TN_SMALL_END _Pragma("GCC pop_options")
#else
  #define TN_SMALL_BEGIN
  #define TN_SMALL_END
#endif
// What is seldom called in rooms that are compiled for speed, and would be inlined there: compiled for its size.
#if defined(__clang__) && defined(__OPTIMIZE__)
  #define TN_COLD __attribute__((cold, minsize, noinline))
#elif defined(__GNUC__) && defined(__OPTIMIZE__)
  #define TN_COLD __attribute__((cold, noinline))
#else
  #define TN_COLD
#endif

// What a build that only runs leaves out of rooms that it shares, the compiler sees by this.
#ifdef TINY_RUNTIME_ONLY
enum { TN_RUNS_ONLY = 1 };
#else
enum { TN_RUNS_ONLY = 0 };
#endif

#ifndef TINY_API
#include "../api/api.h"
#endif
#include <limits.h>
#include <math.h>
#include <string.h>

static uint64_t tn_float_bits(double x) { uint64_t b; memcpy(&b, &x, 8); return b; }
static double tn_float_of_bits(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }

// ** the processor **

#if (defined(__x86_64__) || defined(_M_X64)) && !defined(_M_ARM64EC)
  #define TN_FLOAT_SSE 1
  #ifdef _MSC_VER
    #include <xmmintrin.h>
  #endif
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
  #define TN_FLOAT_ARM64 1
#else
  #include <fenv.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
  #define TN_NOINLINE __attribute__((noinline))
#elif defined(_MSC_VER)
  #define TN_NOINLINE __declspec(noinline)
#else
  #define TN_NOINLINE
#endif

#if defined(TN_FLOAT_SSE)
// Intel SDM vol. 1, 10.2.3 (MXCSR) and 8.1.5 (x87 control word). The C library's fmod still works on the x87.
enum {
  TN_SSE_FLAGS = 0x003F, TN_SSE_MODE = 0xFFC0, TN_SSE_OURS = 0x1F80,     // all masked, to nearest, no FTZ, no DAZ
  TN_X87_MODE = 0x0E3F, TN_X87_OURS = 0x023F, TN_X87_DEFAULT = 0x037F    // all masked, to nearest, 53 bits or more
};
typedef struct tn_float_mode { uint32_t sse; uint16_t x87, x87_flags; } tn_float_mode;

#ifdef _MSC_VER
static uint32_t tn_sse_get(void) { return _mm_getcsr(); }
static void tn_sse_set(uint32_t mode) { _mm_setcsr(mode); }
// Code of MSVC has no use for it.
static void tn_x87_get(tn_float_mode *m) { m->x87 = TN_X87_DEFAULT; m->x87_flags = 0; }
static void tn_x87_set(uint16_t mode) { (void)mode; }
static void tn_x87_set_flags(uint16_t flags) { (void)flags; }
#else
static uint32_t tn_sse_get(void) {
  uint32_t mode;
  __asm__ volatile("stmxcsr %0" : "=m"(mode) : : "memory");
  return mode;
}
static void tn_sse_set(uint32_t mode) { __asm__ volatile("ldmxcsr %0" : : "m"(mode) : "memory"); }
static void tn_x87_get(tn_float_mode *m) {
  __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(m->x87), "=m"(m->x87_flags) : : "memory");
  m->x87_flags &= TN_SSE_FLAGS;
}
static void tn_x87_set(uint16_t mode) { __asm__ volatile("fldcw %0" : : "m"(mode) : "memory"); }
// What is raised while its trap is off must be gone before it is on again.
static void tn_x87_set_flags(uint16_t flags) {
  uint32_t environment[7];                 // its second word holds the flags: Intel SDM vol. 1, figure 8-9
  __asm__ volatile("fnstenv %0" : "=m"(environment) : : "memory");
  environment[1] = (environment[1] & ~(uint32_t)0xFF) | flags;
  __asm__ volatile("fldenv %0" : : "m"(environment) : "memory");
}
#endif

static TN_NOINLINE tn_float_mode tn_float_enter(void) {
  tn_float_mode m;
  m.sse = tn_sse_get();
  tn_x87_get(&m);
  if ((m.sse & TN_SSE_MODE) != TN_SSE_OURS) tn_sse_set(TN_SSE_OURS | (m.sse & TN_SSE_FLAGS));
  if ((m.x87 & TN_X87_MODE) != TN_X87_OURS) tn_x87_set(TN_X87_DEFAULT);
  return m;
}
static TN_NOINLINE void tn_float_leave(const tn_float_mode *m) {
  tn_float_mode now;
  tn_x87_get(&now);
  if (now.x87_flags != m->x87_flags) tn_x87_set_flags(m->x87_flags);
  if (now.x87 != m->x87) tn_x87_set(m->x87);
  if (tn_sse_get() != m->sse) tn_sse_set(m->sse);
}
#elif defined(TN_FLOAT_ARM64)
// Arm Architecture Reference Manual, FPCR: FIZ, AH, NEP; traps; FZ16, RMode, FZ, DN, AHP. FPSR: flags.
typedef struct tn_float_mode { uint64_t control, flags; } tn_float_mode;
static tn_float_mode tn_float_get(void) {
  tn_float_mode m;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(m.control), "=r"(m.flags) : : "memory");
  return m;
}
static TN_NOINLINE tn_float_mode tn_float_enter(void) {
  const uint64_t mode = 0x07C89F07;
  const tn_float_mode m = tn_float_get();
  if (m.control & mode) __asm__ volatile("msr fpcr, %0" : : "r"(m.control & ~mode) : "memory");
  return m;
}
static TN_NOINLINE void tn_float_leave(const tn_float_mode *m) {
  const tn_float_mode now = tn_float_get();
  if (now.flags != m->flags) __asm__ volatile("msr fpsr, %0" : : "r"(m->flags) : "memory");
  if (now.control != m->control) __asm__ volatile("msr fpcr, %0" : : "r"(m->control) : "memory");
}
#else
typedef struct tn_float_mode { fenv_t all; } tn_float_mode;
static TN_NOINLINE tn_float_mode tn_float_enter(void) {
  tn_float_mode m;
  fegetenv(&m.all);
  fesetenv(FE_DFL_ENV);
  return m;
}
static TN_NOINLINE void tn_float_leave(const tn_float_mode *m) { fesetenv(&m->all); }
#endif

// First in a function outside of tn_guard whose arithmetic on floats may round: what follows runs in the library's
// mode, until the function returns. It must not be left by longjmp.
#if defined(__GNUC__) || defined(__clang__)
  #define TN_FLOAT_MODE \
    __attribute__((cleanup(tn_float_leave), unused)) const tn_float_mode tn_float_was = tn_float_enter()
#elif defined(__cplusplus)
  struct tn_float_scope {
    tn_float_mode was;
    tn_float_scope() : was(tn_float_enter()) {}
    ~tn_float_scope() { tn_float_leave(&was); }
  };
  #define TN_FLOAT_MODE const tn_float_scope tn_float_was
#else
  #define TN_FLOAT_MODE (void)0                // C without a way to do it: constants are rounded as the host rounds
#endif
#endif
