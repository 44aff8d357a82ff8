// version: what this implementation is: its release and sources, how it was compiled, what was left out.
//
// In:  what the compiler says of itself, and the macros that leave parts out. Out: texts, which never change.
// A program whose header comes from another release than its library sees it here: tiny_version() and TINY_VERSION.
#ifndef TN_BASE_VERSION
#define TN_BASE_VERSION
#ifndef TINY_AMALGAMATED
#include "float.c"
#endif

#ifndef TN_SOURCE_ID                       // tools/amalgamate.py writes the digest of all sources
  #define TN_SOURCE_ID "in development"
#endif

#define TN_QUOTED(x) #x
#define TN_TEXT_OF(x) TN_QUOTED(x)         // the text of what a macro stands for

#ifdef __cplusplus
  #define TN_BUILD_LANGUAGE "C++ " TN_TEXT_OF(__cplusplus)
#else
  #define TN_BUILD_LANGUAGE "C " TN_TEXT_OF(__STDC_VERSION__)
#endif
#if defined(__clang__)
  #define TN_BUILD_COMPILER "clang " TN_TEXT_OF(__clang_major__) "." TN_TEXT_OF(__clang_minor__)
#elif defined(__GNUC__)
  #define TN_BUILD_COMPILER "gcc " TN_TEXT_OF(__GNUC__) "." TN_TEXT_OF(__GNUC_MINOR__)
#elif defined(_MSC_VER)
  #define TN_BUILD_COMPILER "MSVC " TN_TEXT_OF(_MSC_VER)
#else
  #define TN_BUILD_COMPILER "another compiler"
#endif
#if defined(__AVX512F__)
  #define TN_BUILD_MACHINE "x86-64 with AVX-512"
#elif defined(__AVX2__)
  #define TN_BUILD_MACHINE "x86-64 with AVX2"
#elif defined(__x86_64__) || defined(_M_X64)
  #define TN_BUILD_MACHINE "x86-64"
#elif defined(__aarch64__) || defined(_M_ARM64)
  #define TN_BUILD_MACHINE "arm64"
#else
  #define TN_BUILD_MACHINE "another processor"
#endif

static const char tn_build_options[] =
  "source " TN_SOURCE_ID "; " TN_BUILD_LANGUAGE " by " TN_BUILD_COMPILER " for " TN_BUILD_MACHINE
#ifdef __OPTIMIZE__
  ", optimized"
#endif
  ";"
#ifdef TINY_STATIC
  " TINY_STATIC"
#endif
#ifdef TINY_DLL
  " TINY_DLL"
#endif
#ifdef TINY_NO_LINALG
  " TINY_NO_LINALG"
#endif
#ifdef TINY_NO_NN
  " TINY_NO_NN"
#endif
#ifdef TINY_NO_IO
  " TINY_NO_IO"
#endif
#ifdef TINY_NO_INTERP
  " TINY_NO_INTERP"
#endif
#ifdef TINY_NO_GPU
  " TINY_NO_GPU"
#endif
#ifdef TINY_NO_DISK
  " TINY_NO_DISK"
#endif
#ifdef TINY_NO_THREADS
  " TINY_NO_THREADS"
#endif
#ifdef TINY_RUNTIME_ONLY
  " TINY_RUNTIME_ONLY"
#endif
  ;

TINY_API const char *tiny_version(void) { return TINY_VERSION; }
TINY_API const char *tiny_build_options(void) { return tn_build_options; }
TINY_API const char *tiny_code_name(tiny_code code) {
  static const char *const names[] = {
    "TINY_OK", "TINY_E_ARG", "TINY_E_SHAPE", "TINY_E_DTYPE", "TINY_E_MEMORY", "TINY_E_DEVICE", "TINY_E_COMPILE",
    "TINY_E_IO", "TINY_E_STATE", "TINY_E_INTERNAL", "TINY_E_CANCELLED"
  };
  if (code == TINY_MORE) return "TINY_MORE";
  return (unsigned)code < sizeof names / sizeof *names ? names[code] : "?";
}
#endif
