// companion: tiny_cl.h's rooms in a test that shares an object of the library (tools/library.py), which holds none of
// them: what they make public is static here.
#ifndef COMPANION_H
#define COMPANION_H
#undef TINY_API
#define TINY_API static
#include "../src/cl/all.c"
#endif
