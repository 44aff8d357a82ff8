// metal_kernel_types: a module and a function, of which the rooms that make and run them know more than a caller.
#ifndef METAL_KERNEL_TYPES_H
#define METAL_KERNEL_TYPES_H
struct metal_function { const metal_record *record; metal_module *module; size_t nbytes; };
struct metal_module {
  metal_module *next;
  char *source, *log;
  int version, fast_math, mode, is_ready;
  void *handle;
  const char *low, *high;                  // where it lies
  metal_function *function; int functions;
};
#endif
