// whole: tiny.h as people compile it, by gcc and clang, at -O0 and -O2, with all warnings: build/whole/gcc-O2.o and so on,
// once for all who ask for one. test_headers.sh: nothing is said of it. test_frames.py: the compilers' reports on frames
// and calls, which lie beside it. test_stack_builds.sh: test_stack runs with each.
#define TINY_ISA                          // the built-in compiler, too
#define TINY_IMPLEMENTATION
#include "../tiny.h"
#include "stack_test.h"
