// ptx_machine: PTX text executed on this machine, warp by warp, and strict: what a GPU would only tolerate is an error.
//
// It knows nothing of the library: it reads PTX as the ISA's manual has it (NVIDIA, Parallel Thread Execution ISA),
// from our renderer and from nvcc alike. Errors are sentences that name the line of the text, the group and the thread.
// A module is read-only once parsed; several threads may run kernels of it at a time. No globals.
#ifndef PTX_MACHINE_H
#define PTX_MACHINE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#ifndef PTX_API
  #define PTX_API                          // static: where it is included by more than one file
#endif

typedef struct ptx_module ptx_module;

// What the text says of a kernel (.entry).
typedef struct ptx_kernel {
  const char *name;
  size_t param_nbytes;                     // of the parameter space, laid out by the types' alignment
  uint32_t static_shared;                  // bytes
  uint32_t max_threads;                    // of .maxntid or .reqntid, their product; 0: not said
  uint32_t max_registers, min_groups;      // of .maxnreg; of .minnctapersm; 0: not said
  uint32_t cluster[3];                     // of .reqnctapercluster; 0: none
  int barriers;                            // highest barrier that it names + 1
} ptx_kernel;

// Device memory: where the host has nbytes at a device address, for reading or writing; NULL: no such memory, which is
// an error of the kernel.
typedef struct ptx_memory {
  void *user;
  void *(*at)(void *user, uint64_t address, size_t nbytes, int writes);
} ptx_memory;

typedef struct ptx_launch {
  const char *kernel;
  uint32_t grid[3], block[3];              // 0 counts as 1
  uint32_t dynamic_shared;                 // bytes
  const void *params; size_t param_nbytes;
  ptx_memory memory;
  uint32_t seed;                           // 0: groups and warps in order, copies done when asked for; else both at
                                           // random, copies as late as their waits allow, approximations within bounds
  uint64_t max_steps;                      // instructions of warps; 0: no bound. Beyond: an error
} ptx_launch;

// What a launch executed, of warps' instructions.
typedef struct ptx_counts { uint64_t instructions, matrix, loads, stores, barriers; } ptx_counts;

// NULL, and a sentence in error, for a text that is no PTX, or uses what the machine has not.
PTX_API ptx_module *ptx_parse(const char *text, size_t nbytes, char *error, size_t error_nbytes);
PTX_API void ptx_free(ptx_module *m);
PTX_API int ptx_target(const ptx_module *m);                       // 90 of ".target sm_90a"
PTX_API const ptx_kernel *ptx_find(const ptx_module *m, const char *name);    // NULL: none
PTX_API const ptx_kernel *ptx_kernel_at(const ptx_module *m, int i);   // in the text's order; NULL behind the last
// Where the kernel's parameter i lies in its parameter space. 0: it has no so many.
PTX_API int ptx_param(const ptx_module *m, const char *kernel, int i, size_t *offset, size_t *nbytes);
// What the text has in a variable of the module (.global, .const) at first; NULL: there is none of that name.
PTX_API const void *ptx_data_of(const ptx_module *m, const char *name, size_t *nbytes);
// 0, or not and a sentence in error: races in shared memory, addresses that are misaligned or no memory, barriers that
// not all threads reach, shuffles and matrix instructions without all lanes, results read before they were waited for.
// counts may be NULL.
PTX_API int ptx_run(const ptx_module *m, const ptx_launch *l, ptx_counts *counts, char *error, size_t error_nbytes);

#ifdef __cplusplus
}
#endif
#endif
