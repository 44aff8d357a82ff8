// metal_kernel: kernels of the Metal Shading Language on this machine: a module is a shared object that clang makes of
// the text and tests/metal_stub.h, and the threads of a threadgroup are fibers that meet at barriers.
//
// A module is read (metal_kernel_read.c), compiled (metal_kernel_module.c) and run (metal_kernel_run.c). A checked
// module's loads and stores are looked at one by one: those beyond what is bound or declared, and those of two threads
// of which no barrier says which is first, end the run with a sentence.
// Any thread may call what is here, two of them for one module, too.
#ifndef METAL_KERNEL_H
#define METAL_KERNEL_H
#ifndef METAL_STUB_TYPES_H               // where it is, a size has a name already
  #include <stddef.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct metal_module metal_module;
typedef struct metal_function metal_function;

// What an argument is. A bound one (buffer, texture) has the index that setBuffer takes; METAL_THREADGROUP that of
// setThreadgroupMemoryLength. METAL_CONSTANT: it is never written, setBytes fits.
enum { METAL_BUFFER = 1, METAL_CONSTANT, METAL_THREADGROUP, METAL_TEXTURE };
// writes: its type lets the kernel write. element: bytes of what a pointer or reference is to.
typedef struct metal_argument { int kind, index, writes; size_t element; } metal_argument;

// version: 230, 240, 300, 310, 320. fast_math: contraction, no NaN, as MTLCompileOptions has it. NULL: the log says
// "program_source:LINE:COLUMN: error: ..". The same text is compiled once in a process.
metal_module *metal_module_new(const char *source, int version, int fast_math, char *log, size_t log_nbytes);
void metal_module_free(metal_module *m);
int metal_module_functions(const metal_module *m);                           // how many kernels it has
const char *metal_module_name(const metal_module *m, int at);                // NULL: it has fewer
const metal_function *metal_module_find(metal_module *m, const char *name);  // NULL: no kernel has this name

int metal_function_arguments(const metal_function *f, const metal_argument **out);
size_t metal_function_threadgroup_nbytes(const metal_function *f);   // of variables that are declared in it
int metal_function_max_threads(const metal_function *f);             // [[max_total_threads_per_threadgroup]]; 0: none

// nbytes 0 and base NULL: not set
typedef struct metal_binding { void *base; size_t nbytes; } metal_binding;
#ifndef __OPENCL_CPP_VERSION__            // which has no pointers to functions, and looks at texts alone
// A texture: its pixels are asked for and given one by one, from several threads of this machine at once.
typedef struct metal_picture {
  void *user;
  unsigned width, height;
  void (*read)(void *user, unsigned x, unsigned y, float out[4]);
  void (*write)(void *user, unsigned x, unsigned y, const float in[4]);
} metal_picture;
// What was read and written of a binding, in bytes from its base; an end of 0: nothing. Known of checked modules.
typedef struct metal_touched { size_t read_begin, read_end, write_begin, write_end; } metal_touched;
// threads: of this machine that share the groups; what is checked runs on one. touched: NULL, or 31 of them to be
// filled.
typedef struct metal_dispatch {
  const metal_function *function;
  metal_binding buffer[31];
  size_t threadgroup_nbytes[31];
  unsigned groups[3], items[3];
  int threads;
  metal_touched *touched;
  const metal_picture *texture[31];
} metal_dispatch;
// 0: done. Else `said` tells what the kernel did: out of bounds, a race, a divergent barrier, or what is not set.
int metal_run(const metal_dispatch *d, char *said, size_t nbytes);
#else
typedef struct metal_picture metal_picture;
#endif

// How modules are compiled from here on: checked (the default), or fast: without a look at loads and stores, and
// optimized. Of all threads.
enum { METAL_CHECKED, METAL_FAST };
void metal_kernel_mode(int mode);
// Modules that were compiled so far, and those that were found among them.
void metal_kernel_counts(int *compiled, int *found);
// The compiler's name; NULL: there is no clang++ (16 and newer) here, so that no module can be made.
const char *metal_kernel_compiler(void);

#ifdef __cplusplus
}
#endif
#endif
