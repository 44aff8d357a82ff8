// companion: the rooms of tiny_cl.h, or of the companion that TEST_COMPANION lists, in a test that shares an object of the
// library (tools/library.py), which holds none of them: what they make public is static here.
#ifndef COMPANION_H
#define COMPANION_H
#undef TINY_API
#define TINY_API static
#ifndef TEST_COMPANION
  #define TEST_COMPANION "../src/cl/all.c"
#endif
#include TEST_COMPANION
#endif
