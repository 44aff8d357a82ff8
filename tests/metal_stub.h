// metal_stub: Metal's standard library, as C++14 for clang on this machine: what src/render/lang_metal.c names, and
// what a kernel of a user's would. Threads meet by the functions of metal_stub_threads.h, which metal_kernel.h
// executes.
// METAL_READS: a text's own macros are expanded only, words and names stay as they are.
#ifndef METAL_STUB_H
#define METAL_STUB_H
#include "metal_stub_macros.h"
#ifndef METAL_READS
  #include "metal_stub_types.h"
  #include "metal_stub_math.h"
  #include "metal_stub_threads.h"
  #include "metal_stub_texture.h"
#endif
#endif
