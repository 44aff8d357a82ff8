// metal_public: tiny_metal.h in a test that shares an object of the library (tools/library.py): what it declares is in an
// object of its own, which the test is linked with (build/mock/metal.o).
#ifndef METAL_PUBLIC_H
#define METAL_PUBLIC_H
#undef TINY_API
#define TINY_API extern
#include "tiny_metal.h"
#endif
