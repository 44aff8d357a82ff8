// metal_kernel: all rooms of the executor of Metal's kernels as one object.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "metal_kernel.h"
#include "metal_stub_run.h"
struct metal_module;
#include "metal_kernel_read.c"
#include "metal_kernel_types.h"
#include "metal_kernel_run.c"
#include "metal_kernel_module.c"
