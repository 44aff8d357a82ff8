// metal_stub_run: what a compiled module and the executor know of each other: C on the executor's side, C++ on the
// module's, one compiler's layout on both.
#ifndef METAL_STUB_RUN_H
#define METAL_STUB_RUN_H
#include "metal_kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { METAL_LANES = 32, METAL_WORD = 32 };   // of a SIMD-group; bytes that a lane gives in one exchange

// Numbers that a kernel may ask for: an attribute each, in the order of metal_places (metal_kernel_read.c).
enum {
  METAL_THREAD_IN_GRID, METAL_THREAD_IN_GROUP, METAL_GROUP_IN_GRID, METAL_THREADS_PER_GROUP, METAL_GROUPS_PER_GRID,
  METAL_THREADS_PER_GRID, METAL_INDEX_IN_GROUP, METAL_INDEX_IN_SIMD, METAL_SIMD_IN_GROUP, METAL_THREADS_PER_SIMD,
  METAL_SIMDS_PER_GROUP, METAL_INDEX_IN_QUAD, METAL_QUAD_IN_GROUP, METAL_PLACES
};
typedef struct metal_item {
  unsigned place[METAL_PLACES][3];
  void *const *buffer, *const *group_memory;
  const metal_picture *const *texture;
} metal_item;

// What the lanes of a SIMD-group gave that were at this exchange.
typedef struct metal_given { unsigned active, lane; unsigned char value[METAL_LANES][METAL_WORD]; } metal_given;

enum { METAL_READ, METAL_WRITE, METAL_ATOMIC };
enum { METAL_MEM_DEVICE = 1, METAL_MEM_THREADGROUP = 2 };
// What clang tells of a place, where it finds an index, an address or a divisor wrong.
typedef struct metal_place_in_text { const char *file; unsigned line, column; } metal_place_in_text;
// flags: METAL_MEM_.. that a barrier orders. all: every lane must be there. line: of the text, for what is said.
#ifdef __OPENCL_CPP_VERSION__             // a text is only looked at, in a language that has no pointers to functions
  void metal_hook_group_barrier(int flags, int line);
  void metal_hook_simd_barrier(int flags, int line);
  const metal_given *metal_hook_exchange(const void *value, unsigned nbytes, int all, int line);
  void metal_hook_absent(unsigned lane, int line);
  void metal_hook_declared(void *at, size_t nbytes, const char *name);
  void metal_hook_access(const void *at, size_t nbytes, int how);
  void metal_hook_wrong(const metal_place_in_text *at, const char *what, long value);
  unsigned metal_hook_picture_size(const metal_picture *p, int of_height);
  void metal_hook_picture_access(const metal_picture *p, unsigned x, unsigned y, float *pixel, int writes, int line);
#else
typedef struct metal_hooks {
  void (*group_barrier)(int flags, int line);
  void (*simd_barrier)(int flags, int line);
  const metal_given *(*exchange)(const void *value, unsigned nbytes, int all, int line);
  void (*absent)(unsigned lane, int line);                   // a value of a lane that is not at the exchange
  void (*declared)(void *at, size_t nbytes, const char *name);
  void (*access)(const void *at, size_t nbytes, int how);
  void (*wrong)(const metal_place_in_text *at, const char *what, long value);
  unsigned (*picture_size)(const metal_picture *p, int of_height);
  void (*picture_access)(const metal_picture *p, unsigned x, unsigned y, float *pixel, int writes, int line);
} metal_hooks;

// name: as the host asks for it; function: as the text has it.
typedef struct metal_record {
  const char *name, *function;
  void (*call)(const metal_item *m);
  const metal_argument *argument;
  int arguments, max_threads;
} metal_record;
#endif

// Of a variable of threadgroup memory: in which function it is, as clang writes a function's name and types.
typedef struct metal_shared { const char *function; size_t nbytes; } metal_shared;

#ifdef __cplusplus
}
#endif
#endif
